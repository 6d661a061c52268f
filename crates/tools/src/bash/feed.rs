//! What a command writes while others look: a ring with its place in the whole, the whole within bounds, and whether it said
//! that it is ready.

use super::ready::says_ready;
use reasonix_exec::{Captured, Keep, Plain, plain_text};
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Bytes of the end that can be read by place.
const RING: usize = 64 * 1024;
/// What is kept of the whole: its beginning and its end.
const WHOLE: Keep = Keep { head: 256 * 1024, tail: 768 * 1024 };
/// A line is not followed further than this when it is looked at.
const LONGEST_LINE: usize = 16 * 1024;

/// Hears each whole line of what a command writes to its standard output.
pub type HearsLine = Arc<dyn Fn(&str) + Send + Sync>;

/// The output of one command.
pub struct Feed {
    state: Mutex<State>,
    came: Notify,
    lines: Option<HearsLine>,
}

struct State {
    ring: VecDeque<u8>,
    total: u64,
    whole: Captured,
    ready: bool,
    /// Without what only terminals understand; for the lines that are looked at.
    plain: Plain,
    line: String,
    /// The same for standard output alone.
    spoken: (Plain, String),
}

/// A piece of the output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedPiece {
    /// The place of its first byte in the whole.
    pub from: u64,
    /// The place behind its last byte, to go on from.
    pub to: u64,
    /// The text.
    pub text: String,
}

impl fmt::Debug for Feed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Feed").field("total", &self.total()).finish_non_exhaustive()
    }
}

impl Default for Feed {
    fn default() -> Self {
        Self::heard_by(None)
    }
}

impl Feed {
    /// A feed whose lines of standard output somebody hears, or nobody.
    pub fn heard_by(lines: Option<HearsLine>) -> Self {
        let state = State {
            ring: VecDeque::new(),
            total: 0,
            whole: Captured::new(WHOLE),
            ready: false,
            plain: Plain::default(),
            line: String::new(),
            spoken: (Plain::default(), String::new()),
        };
        Self { state: Mutex::new(state), came: Notify::new(), lines }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what it wrote, wherever it wrote it.
    pub fn feed(&self, piece: &[u8]) {
        {
            let mut state = self.state();
            state.total += piece.len() as u64;
            state.whole.feed(piece);
            let last = piece.get(piece.len().saturating_sub(RING)..).unwrap_or_default();
            let over = (state.ring.len() + last.len()).saturating_sub(RING);
            state.ring.drain(..over);
            state.ring.extend(last);
            if !state.ready {
                let State { plain, line, .. } = &mut *state;
                let mut ready = false;
                whole_lines(plain, line, piece, true, &mut |line| ready |= says_ready(line));
                state.ready = ready;
            }
        }
        self.came.notify_waiters();
    }

    /// The same of what it wrote to its standard output.
    pub fn take_spoken(&self, piece: &[u8]) {
        self.feed(piece);
        let Some(hears) = &self.lines else { return };
        let mut heard = Vec::new();
        let mut state = self.state();
        let (plain, line) = &mut state.spoken;
        whole_lines(plain, line, piece, false, &mut |line| heard.push(line.to_owned()));
        drop(state);
        heard.iter().for_each(|line| hears(line));
    }

    /// How many bytes came in all.
    pub fn total(&self) -> u64 {
        self.state().total
    }

    /// Whether it said that it is ready.
    pub fn is_ready(&self) -> bool {
        self.state().ready
    }

    /// What came from this place on, as far as it is still there.
    pub fn since(&self, place: u64) -> FeedPiece {
        let state = self.state();
        let first = state.total - state.ring.len() as u64;
        let from = place.clamp(first, state.total);
        let skip = usize::try_from(from - first).unwrap_or(usize::MAX);
        let bytes: Vec<u8> = state.ring.iter().skip(skip).copied().collect();
        FeedPiece { from, to: state.total, text: plain_text([bytes.as_slice()]) }
    }

    /// The last lines.
    pub fn tail(&self, lines: usize) -> String {
        let text = self.since(0).text;
        let all: Vec<&str> = text.lines().collect();
        all.get(all.len().saturating_sub(lines)..).unwrap_or_default().join("\n")
    }

    /// All that is kept of the whole, with a marker where something was dropped.
    pub fn whole(&self) -> Vec<u8> {
        let whole = self.state().whole.clone();
        let marker = match whole.dropped() {
            0 => String::new(),
            dropped => format!("\n[{dropped} bytes dropped here]\n"),
        };
        let (head, tail) = whole.into_parts();
        plain_text([head.as_slice(), marker.as_bytes(), tail.as_slice()]).into_bytes()
    }

    /// Waits until it has said that it is ready.
    pub async fn ready(&self) {
        loop {
            let came = self.came.notified();
            if self.is_ready() {
                return;
            }
            came.await;
        }
    }
}

/// Finds whole lines in what came; with `begun` also looks at the one that is not over yet.
fn whole_lines(plain: &mut Plain, line: &mut String, piece: &[u8], begun: bool, look: &mut dyn FnMut(&str)) {
    let mut text = String::new();
    plain.push(piece, &mut text);
    for part in text.split_inclusive('\n') {
        line.push_str(part.trim_end_matches('\n'));
        if line.len() > LONGEST_LINE {
            line.truncate(line.floor_char_boundary(LONGEST_LINE));
        }
        let over = part.ends_with('\n');
        if over || begun {
            look(line.trim_end_matches('\r'));
        }
        if over {
            line.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Feed, RING};
    use std::sync::{Arc, Mutex};

    #[test]
    fn what_is_asked_for_by_place_is_what_is_still_there() {
        let feed = Feed::default();
        feed.feed(b"one\n");
        let first = feed.since(0);
        assert_eq!((first.from, first.to, first.text.as_str()), (0, 4, "one\n"));
        feed.feed(b"two\n");
        assert_eq!(feed.since(first.to).text, "two\n");
        assert_eq!(feed.since(99).text, "");
        assert_eq!(feed.tail(1), "two");
        feed.feed(&vec![b'x'; RING + 10]);
        let rest = feed.since(0);
        assert_eq!((rest.from, rest.text.len()), (18, RING), "the ring forgets its beginning");
        assert!(feed.whole().starts_with(b"one\ntwo\nxx"), "the whole does not");
    }

    #[test]
    fn only_whole_lines_of_standard_output_are_heard() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hears = Arc::clone(&heard);
        let feed = Feed::heard_by(Some(Arc::new(move |line: &str| hears.lock().unwrap().push(line.to_owned()))));
        feed.take_spoken(b"a\nb");
        feed.feed(b"an error\n");
        assert_eq!(*heard.lock().unwrap(), ["a"]);
        feed.take_spoken("c \u{1b}[31mred\u{1b}[0m\r\nrest".as_bytes());
        assert_eq!(*heard.lock().unwrap(), ["a", "bc red"]);
        assert_eq!(feed.since(0).text, "a\nban error\nc red\nrest");
    }

    #[test]
    fn ready_is_seen_whatever_the_pieces() {
        let feed = Feed::default();
        for piece in ["compiled ", "succ", "essfully"] {
            assert!(!feed.is_ready());
            feed.feed(piece.as_bytes());
        }
        assert!(feed.is_ready());
    }
}
