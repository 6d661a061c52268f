//! Whether a key was meant for what is on the screen: not typed before it was drawn, not held down, not part of a paste,
//! not in the flow of writing something else.

use crate::frame::Key;
use crate::keys::Chord;
use std::time::Duration;

/// A key that came so soon after the same key is taken for one that is held down.
const HELD: Duration = Duration::from_millis(700);
/// So long a writer must have paused for a key to mean a question that came up meanwhile.
const FLOW: Duration = Duration::from_millis(500);
/// So long a question is only looked at.
const LOOKED: Duration = Duration::from_millis(500);
/// So long before and behind a key that approves nothing else is typed.
pub(crate) const ALONE: Duration = Duration::from_millis(300);
/// A terminal that does not say when it has drawn has drawn by then.
const SILENT: Duration = Duration::from_millis(1000);

/// What was typed lately, and what the terminal has drawn.
#[derive(Debug, Clone, Default)]
pub struct Ahead {
    last: Option<(Chord, Duration)>,
    typed: Option<Duration>,
    /// When something was last written, wherever it went.
    printed: Option<Duration>,
    probes: u64,
    acks: u64,
}

/// How a key came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyHeard {
    /// By itself, for what is on the screen.
    Meant,
    /// For what is on the screen, but close behind another one.
    Close,
    /// For what is on the screen, before it could be read.
    Soon,
    /// Together with others: part of a paste, or of something typed very fast.
    Together,
    /// Before the question was drawn, held down, or in the flow of writing something else.
    Astray,
}

impl KeyHeard {
    /// True when it was meant for what is on the screen.
    pub fn is_meant(self) -> bool {
        matches!(self, Self::Meant | Self::Close | Self::Soon)
    }
}

/// When a question was put on the screen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Guard {
    probe: u64,
    opened: Duration,
}

impl Ahead {
    /// A question goes on the screen; the terminal is asked to say when it is there.
    pub fn guard(&mut self, now: Duration) -> Guard {
        self.probes += 1;
        Guard { probe: self.probes, opened: now }
    }

    /// The terminal has drawn what one more probe stood behind.
    pub fn acknowledged(&mut self) {
        self.acks = (self.acks + 1).min(self.probes);
    }

    /// Something was typed into the composer.
    pub fn wrote(&mut self, now: Duration) {
        self.typed = Some(now);
    }

    /// What was written is sent: the next key is not part of it.
    pub fn sent(&mut self) {
        self.typed = None;
    }

    /// Something was pasted.
    pub fn pasted(&mut self, now: Duration) {
        self.printed = Some(now);
    }

    /// Takes a key in, and says whether it was meant for the question. `alone` when nothing else came with it.
    pub fn heard(&mut self, guard: Guard, key: Key, alone: bool, now: Duration) -> KeyHeard {
        let held = key.held || self.last.is_some_and(|(last, at)| last == key.chord && now < at + HELD);
        let flows = self.typed.is_some_and(|at| now < at + FLOW);
        let drawn = self.acks >= guard.probe || now >= guard.opened + SILENT;
        let close = self.printed.is_some_and(|at| now < at + ALONE);
        if flows {
            self.typed = Some(now);
        }
        self.note(key, now);
        match () {
            () if !drawn || held || flows => KeyHeard::Astray,
            () if !alone => KeyHeard::Together,
            () if now < guard.opened + LOOKED => KeyHeard::Soon,
            () if close => KeyHeard::Close,
            () => KeyHeard::Meant,
        }
    }

    /// Takes in a key that goes elsewhere.
    pub fn note(&mut self, key: Key, now: Duration) {
        self.last = Some((key.chord, now));
        if key.chord.typed().is_some() {
            self.printed = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Ahead, KeyHeard};
    use crate::frame::Key;
    use crate::keys::{Chord, Code};
    use std::time::Duration;

    const fn ms(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    const Y: Key = Key { chord: Chord::plain(Code::Char('y')), held: false };
    const ENTER: Key = Key { chord: Chord::plain(Code::Enter), held: false };

    #[test]
    fn a_key_before_the_terminal_has_drawn_does_not_count() {
        let mut ahead = Ahead::default();
        let guard = ahead.guard(ms(100));
        assert_eq!(ahead.heard(guard, ENTER, true, ms(700)), KeyHeard::Astray);
        ahead.acknowledged();
        assert_eq!(ahead.heard(guard, Y, true, ms(701)), KeyHeard::Meant);
    }

    #[test]
    fn no_key_counts_while_the_question_is_only_looked_at() {
        let mut ahead = Ahead::default();
        let guard = ahead.guard(ms(100));
        ahead.acknowledged();
        assert_eq!(ahead.heard(guard, ENTER, true, ms(599)), KeyHeard::Soon);
        assert_eq!(ahead.heard(guard, Y, true, ms(600)), KeyHeard::Meant);
    }

    #[test]
    fn a_key_close_behind_another_is_not_alone() {
        for (between, heard) in [(299, KeyHeard::Close), (300, KeyHeard::Meant)] {
            let mut ahead = Ahead::default();
            let guard = ahead.guard(ms(0));
            ahead.acknowledged();
            assert_eq!(
                ahead.heard(guard, Key { chord: Chord::plain(Code::Char('x')), held: false }, true, ms(1000)),
                KeyHeard::Meant
            );
            assert_eq!(ahead.heard(guard, Y, true, ms(1000 + between)), heard);
            ahead.pasted(ms(3000));
            assert_eq!(ahead.heard(guard, ENTER, true, ms(3000 + between)), heard);
        }
    }

    #[test]
    fn an_acknowledgement_of_an_earlier_question_does_not_count() {
        let mut ahead = Ahead::default();
        ahead.guard(ms(0));
        let second = ahead.guard(ms(10));
        ahead.acknowledged();
        assert!(!ahead.heard(second, Y, true, ms(620)).is_meant());
        ahead.acknowledged();
        assert!(ahead.heard(second, ENTER, true, ms(630)).is_meant());
    }

    #[test]
    fn a_terminal_that_never_answers_is_not_waited_for_for_ever() {
        let mut ahead = Ahead::default();
        let guard = ahead.guard(ms(0));
        assert!(ahead.heard(guard, Y, true, ms(1500)).is_meant());
    }

    #[test]
    fn a_held_key_does_not_count_however_long() {
        let mut ahead = Ahead::default();
        ahead.note(Y, ms(0));
        let guard = ahead.guard(ms(20));
        ahead.acknowledged();
        for at in [600, 640, 680, 1300, 1340, 2000] {
            assert!(!ahead.heard(guard, Y, true, ms(at)).is_meant(), "{at}");
        }
        assert!(ahead.heard(guard, Y, true, ms(2701)).is_meant());
        assert!(!ahead.heard(guard, Key { held: true, ..ENTER }, true, ms(9000)).is_meant());
    }

    #[test]
    fn a_key_in_the_flow_of_writing_does_not_count() {
        let mut ahead = Ahead::default();
        ahead.wrote(ms(0));
        let guard = ahead.guard(ms(50));
        ahead.acknowledged();
        assert!(!ahead.heard(guard, Y, true, ms(450)).is_meant());
        assert!(!ahead.heard(guard, ENTER, true, ms(900)).is_meant());
        assert!(ahead.heard(guard, Y, true, ms(1500)).is_meant());
    }

    #[test]
    fn the_enter_that_sent_the_prompt_is_not_writing() {
        let mut ahead = Ahead::default();
        ahead.wrote(ms(0));
        ahead.sent();
        ahead.note(ENTER, ms(1));
        let guard = ahead.guard(ms(20));
        ahead.acknowledged();
        assert!(!ahead.heard(guard, ENTER, true, ms(600)).is_meant());
        assert!(ahead.heard(guard, Y, true, ms(640)).is_meant());
    }

    #[test]
    fn keys_that_came_together_do_not_count() {
        let mut ahead = Ahead::default();
        let guard = ahead.guard(ms(0));
        ahead.acknowledged();
        assert_eq!(ahead.heard(guard, Y, false, ms(3000)), KeyHeard::Together);
    }
}
