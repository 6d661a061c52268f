//! What a monitor says: each line of its output is a note for the model, within bounds.

use super::Jobs;
use reasonix_proto::fenced;
use reasonix_tools::JobAbout;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// So many lines of one monitor are told within a [`SPAN`].
const MOST_LINES: u32 = 20;
const SPAN: Duration = Duration::from_secs(60);
/// Characters of a line that are told.
const LONGEST: usize = 500;
/// Bytes of news that may wait before a monitor that goes on adds no more to them: all of them go with one prompt.
const MOST_WAITING: usize = 8 * 1024;
/// Stands for what was not added.
const LEFT_OUT: &str = "[more lines of monitors came than can be told at once; `job` shows what they wrote]";

/// How much of a monitor was told.
pub(super) struct Told {
    id: String,
    description: String,
    persistent: bool,
    state: Mutex<State>,
}

struct State {
    /// When the span began, and how many lines were told in it.
    began: Instant,
    told: u32,
    /// It ended with its first line.
    over: bool,
}

impl Told {
    pub(super) fn new(about: &JobAbout, id: &str) -> Self {
        let state = State { began: Instant::now(), told: 0, over: false };
        let description = about.description.lines().next().unwrap_or_default().to_owned();
        Self { id: id.to_owned(), description, persistent: about.persistent, state: Mutex::new(state) }
    }

    /// What is told of a line; none where it is one too many.
    fn words(&self, line: &str, now: Instant) -> Option<String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.over {
            return None;
        }
        if now.duration_since(state.began) >= SPAN {
            (state.began, state.told) = (now, 0);
        }
        state.told += 1;
        state.over = !self.persistent;
        let told = match state.told {
            told if told <= MOST_LINES => {
                let cut = line.char_indices().nth(LONGEST).map_or(line.len(), |(place, _)| place);
                let rest = if cut < line.len() { "… [cut]" } else { "" };
                format!("{}{rest}", line.get(..cut).unwrap_or_default())
            }
            told if told == MOST_LINES + 1 => {
                format!(
                    "[more than {MOST_LINES} lines within a minute: the rest of this minute is not told; `job` shows it]"
                )
            }
            _ => return None,
        };
        Some(fenced("task-notification", &[("task", &self.id), ("description", &self.description)], &told))
    }
}

impl Jobs {
    /// A monitor wrote a line.
    pub(super) fn heard(&self, told: &Told, line: &str) {
        let Some(words) = told.words(line, Instant::now()) else { return };
        if let Some(around) = self.around.get() {
            let (inbox, waiting) = (around.queue.inbox(), around.queue.inbox().news());
            let size: usize = waiting.iter().map(String::len).sum();
            if !told.persistent || size + words.len() <= MOST_WAITING {
                inbox.push_news(words);
            } else if !waiting.iter().any(|news| news == LEFT_OUT) {
                inbox.push_news(LEFT_OUT.to_owned());
            }
        }
        self.table.changed();
        if !told.persistent {
            self.table.one(&told.id, |job| {
                // Its line says all that its end would.
                job.seen = true;
                job.stop.cancel();
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, MOST_LINES, SPAN, Told};
    use reasonix_proto::{CallId, JobKind};
    use reasonix_tools::JobAbout;
    use std::time::Instant;

    fn monitor(persistent: bool) -> Told {
        let about = JobAbout::new(&CallId::from("c"), JobKind::Monitor, "tail -f log".into());
        Told::new(&JobAbout { description: "errors".into(), persistent, ..about }, "j1")
    }

    #[test]
    fn one_that_is_not_persistent_says_one_line() {
        let told = monitor(false);
        let first = told.words("a", Instant::now()).unwrap();
        assert!(first.contains("task-notification") && first.contains("errors") && first.contains("\na\n"), "{first}");
        assert_eq!(told.words("b", Instant::now()), None);
    }

    #[test]
    fn a_flood_is_told_in_part_and_goes_on_in_the_next_minute() {
        let (told, start) = (monitor(true), Instant::now());
        let said: Vec<Option<String>> = (0..100).map(|n| told.words(&format!("line {n}"), start)).collect();
        let most = MOST_LINES as usize;
        assert!(said[..=most].iter().all(Option::is_some) && said[most + 1..].iter().all(Option::is_none));
        assert!(said[most].as_ref().unwrap().contains("is not told"));
        assert!(told.words("later", start + SPAN).unwrap().contains("later"));
        let long = told.words(&"é".repeat(LONGEST * 3), start + SPAN).unwrap();
        assert!(long.contains("… [cut]") && long.chars().count() < LONGEST + 200, "{}", long.len());
    }
}
