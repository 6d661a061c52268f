//! A choice that a key makes only when nothing else is typed: the first letter of a word is no answer.

use crate::overlays::ALONE;
use std::time::Duration;

/// A choice that could not be taken for so long is not taken any more.
const STALE: Duration = Duration::from_secs(1);

/// A choice that waits for nothing else to be typed.
#[derive(Debug)]
pub(crate) struct Pending {
    /// Which one.
    pub(crate) at: usize,
    /// What stood chosen before the key: a key that is not taken chooses nothing.
    pub(crate) was: usize,
    /// The letter that made it.
    pub(crate) typed: Option<char>,
    due: Duration,
}

/// What came of a choice that waited.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Alone {
    /// Nothing else was typed.
    Taken(usize),
    /// What was typed meanwhile, at something that lay over the question, nobody knows.
    Stale,
}

impl Pending {
    pub(crate) fn new(at: usize, was: usize, typed: Option<char>, now: Duration) -> Self {
        Self { at, was, typed, due: now + ALONE }
    }

    /// When it is taken.
    pub(crate) fn due(&self) -> Duration {
        self.due
    }

    /// Time went by.
    pub(crate) fn over(waits: &mut Option<Self>, now: Duration) -> Option<Alone> {
        let pending = waits.take_if(|pending| now >= pending.due)?;
        Some(if now > pending.due + STALE { Alone::Stale } else { Alone::Taken(pending.at) })
    }
}

/// Words that mean a yes, which is a key and not a word at a question.
const YES: &[&str] = &["y", "yes", "ok", "okay", "sure", "是", "好", "好的", "可以"];

/// True for words that would be a yes.
pub(crate) fn means_yes(words: &str) -> bool {
    YES.contains(&words.to_lowercase().as_str())
}
