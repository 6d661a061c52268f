//! A text folded for comparison, with a map back to where each piece of it came from.

use icu_normalizer::ComposingNormalizerBorrowed;
use icu_normalizer::properties::{CanonicalCombiningClassMapBorrowed, CanonicalCompositionBorrowed};
use std::borrow::Cow;
use std::ops::Range;

/// What is made alike before texts are compared. Each level includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// CRLF is LF.
    LineEnds,
    /// Blanks at the end of a line do not count.
    Trailing,
    /// Composed and decomposed characters are the same.
    Composed,
    /// Characters that nobody sees do not count, nor do the marks that are shown in their place.
    Visible,
}

/// A folded text.
pub(crate) struct Folded {
    /// The text as compared.
    pub text: String,
    runs: Vec<Run>,
    original: usize,
}

/// Where the two texts fall out of step.
struct Run {
    folded: usize,
    /// The original offset at which what stands before ends.
    before: usize,
    /// The original offset at which what follows begins.
    after: usize,
}

impl Folded {
    /// Folds a text.
    pub(crate) fn new(text: &str, level: Level) -> Self {
        let mut folded = Self { text: String::with_capacity(text.len()), runs: Vec::new(), original: 0 };
        folded.mark(0);
        for line in text.split_inclusive('\n') {
            let (body, end) = split_end(line);
            let kept = if level >= Level::Trailing { body.trim_end_matches([' ', '\t']) } else { body };
            if level >= Level::Visible && !kept.is_ascii() {
                folded.compose_visible(kept);
            } else if level >= Level::Composed && !kept.is_ascii() {
                folded.compose(kept);
            } else {
                folded.copy(kept);
            }
            folded.skip(line.len() - kept.len() - end.len());
            folded.copy(end);
        }
        folded
    }

    fn compose_visible(&mut self, piece: &str) {
        let mut at = 0;
        for span in reasonix_proto::hidden_spans(piece) {
            self.compose(piece.get(at..span.start).unwrap_or_default());
            self.skip(span.len());
            at = span.end;
        }
        self.compose(piece.get(at..).unwrap_or_default());
    }

    fn copy(&mut self, piece: &str) {
        self.text.push_str(piece);
        self.original += piece.len();
    }

    fn skip(&mut self, bytes: usize) {
        if bytes > 0 {
            let before = self.original;
            self.original += bytes;
            self.mark(before);
        }
    }

    fn mark(&mut self, before: usize) {
        self.runs.push(Run { folded: self.text.len(), before, after: self.original });
    }

    /// Composes cluster by cluster, so that every cluster boundary can be mapped back.
    fn compose(&mut self, piece: &str) {
        for cluster in clusters(piece) {
            let composed = nfc(cluster);
            self.text.push_str(&composed);
            self.original += cluster.len();
            if composed.len() != cluster.len() {
                self.mark(self.original);
            }
        }
    }

    /// The bytes of the original that a range of the folded text stands for; nothing when it cuts a character.
    pub(crate) fn original(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let cuts = |at: usize| {
            let before = self.text.get(..at)?.chars().next_back()?;
            Some(combines(before, self.text.get(at..)?.chars().next()?))
        };
        if cuts(range.start) == Some(true) || cuts(range.end) == Some(true) {
            return None;
        }
        let last = self.runs.partition_point(|run| run.folded <= range.start).checked_sub(1)?;
        let start = self.runs.get(last).map(|run| run.after + range.start - run.folded)?;
        let next = self.runs.partition_point(|run| run.folded < range.end);
        let end = match self.runs.get(next).filter(|run| run.folded == range.end) {
            Some(run) => run.before,
            None => self.runs.get(next.checked_sub(1)?).map(|run| run.after + range.end - run.folded)?,
        };
        (start <= end).then_some(start..end)
    }
}

fn split_end(line: &str) -> (&str, &str) {
    match line.strip_suffix('\n') {
        Some(body) => (body.strip_suffix('\r').unwrap_or(body), "\n"),
        None => (line, ""),
    }
}

/// Pieces that begin with a character that stands by itself and hold what combines with it.
fn clusters(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut before = rest.chars().next()?;
        let mut end = before.len_utf8();
        for next in rest.get(end..)?.chars().take_while(|next| !next.is_ascii()) {
            if !combines(before, next) {
                break;
            }
            end += next.len_utf8();
            before = next;
        }
        let (cluster, tail) = rest.split_at(end);
        rest = tail;
        Some(cluster)
    })
}

/// True when a character may merge with what stands before it: marks, Hangul vowels and finals, and what composes.
fn combines(before: char, char: char) -> bool {
    const CLASSES: CanonicalCombiningClassMapBorrowed<'static> = CanonicalCombiningClassMapBorrowed::new();
    const PAIRS: CanonicalCompositionBorrowed<'static> = CanonicalCompositionBorrowed::new();
    !char.is_ascii()
        && (CLASSES.get_u8(char) != 0
            || matches!(char, '\u{1161}'..='\u{11c2}')
            || PAIRS.compose(before, char).is_some())
}

/// The composed form of a text.
pub(crate) fn nfc(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    const NORMALIZER: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfc();
    NORMALIZER.normalize(text)
}

#[cfg(test)]
mod tests {
    use super::{Folded, Level, nfc};
    use proptest::prelude::*;

    #[test]
    fn ranges_map_back() {
        let text = "a  \r\ncafe\u{301} x\r\nb";
        let folded = Folded::new(text, Level::Composed);
        assert_eq!(folded.text, "a\ncafé x\nb");
        let find = |piece: &str| folded.text.find(piece).map(|at| at..at + piece.len()).unwrap();
        let back = |piece: &str| folded.original(&find(piece)).map(|range| &text[range]);
        assert_eq!(back("café"), Some("cafe\u{301}"));
        assert_eq!(back("a"), Some("a"));
        assert_eq!(back("a\nc"), Some("a  \r\nc"));
        assert_eq!(back(" x\nb"), Some(" x\r\nb"));
        assert_eq!(back("\nb"), Some("\nb"));
        let marked = Folded::new("e\u{301}\u{323}", Level::Composed);
        assert_eq!(marked.original(&(0..'ẹ'.len_utf8())), None, "half a character is no match");
    }

    proptest! {
        #[test]
        fn folding_composes_like_the_whole(text in "[a-c \u{e9}e\u{301}\u{323}한\u{1112}\u{1161}\u{11ab}長]{0,24}") {
            let folded = Folded::new(&text, Level::Composed);
            prop_assert_eq!(folded.text, nfc(text.trim_end_matches([' ', '\t'])));
        }

        #[test]
        fn the_whole_maps_to_the_whole(text in "x[a \t\r\n\u{301}é]{0,40}") {
            let folded = Folded::new(&text, Level::LineEnds);
            prop_assert_eq!(&folded.text, &text.replace("\r\n", "\n"));
            prop_assert_eq!(folded.original(&(0..folded.text.len())), Some(0..text.len()));
        }
    }
}
