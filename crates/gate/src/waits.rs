//! How long people were waited for, told by the states that a session goes through.

use reasonix_proto::TurnState;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time that a session waited for its people.
#[derive(Debug, Default)]
pub struct Waits(Mutex<(Duration, Option<Instant>)>);

impl Waits {
    /// The session is in this state now.
    pub fn saw(&self, state: TurnState) {
        let mut waits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match (state, waits.1) {
            (TurnState::AwaitingPermission, None) => waits.1 = Some(Instant::now()),
            (TurnState::AwaitingPermission, Some(_)) | (_, None) => {}
            (_, Some(since)) => *waits = (waits.0 + since.elapsed(), None),
        }
    }

    /// All of it so far.
    pub fn so_far(&self) -> Duration {
        let waits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waits.0 + waits.1.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::Waits;
    use reasonix_proto::TurnState;
    use std::time::Duration;

    #[test]
    fn only_the_time_of_questions_counts() {
        let waits = Waits::default();
        waits.saw(TurnState::ToolRunning);
        assert_eq!(waits.so_far(), Duration::ZERO);
        waits.saw(TurnState::AwaitingPermission);
        while waits.so_far() < Duration::from_millis(5) {}
        // A second question while the first one waits is the same waiting.
        waits.saw(TurnState::AwaitingPermission);
        assert!(waits.so_far() >= Duration::from_millis(5));
        waits.saw(TurnState::ToolRunning);
        let all = waits.so_far();
        std::thread::yield_now();
        assert_eq!(waits.so_far(), all, "nobody is asked any more");
    }
}
