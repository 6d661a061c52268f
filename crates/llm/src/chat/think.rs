//! Reasoning that a server left in the text: `<think>` at the very beginning of an answer, up to `</think>`.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// A piece of an answer, sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part<'a> {
    Text(&'a str),
    Reasoning(&'a str),
}

/// Sorts text into reasoning and answer as it streams.
#[derive(Debug)]
pub(crate) struct Think {
    place: Place,
    /// What cannot be sorted before more has come; shorter than a tag and some white space.
    held: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Start,
    Inside,
    /// After the closing tag, before the first visible character.
    Gap,
    Answer,
}

impl Default for Think {
    fn default() -> Self {
        Self { place: Place::Start, held: String::new() }
    }
}

impl Think {
    pub(crate) fn feed(&mut self, text: &str, emit: &mut impl FnMut(Part<'_>)) {
        if self.place == Place::Answer {
            return emit(Part::Text(text));
        }
        self.held.push_str(text);
        let held = std::mem::take(&mut self.held);
        let mut rest = held.as_str();
        if self.place == Place::Start {
            let visible = rest.trim_start();
            if visible.len() < OPEN.len() && OPEN.starts_with(visible) && rest.len() < 64 {
                self.held = held;
                return;
            }
            match visible.strip_prefix(OPEN) {
                Some(inside) => (self.place, rest) = (Place::Inside, inside),
                None => self.place = Place::Answer,
            }
        }
        if self.place == Place::Inside {
            let Some((reasoning, after)) = rest.split_once(CLOSE) else {
                let (sure, unsure) = rest.split_at(rest.len() - begun(rest));
                self.held = unsure.to_owned();
                return say(Part::Reasoning(sure), emit);
            };
            say(Part::Reasoning(reasoning), emit);
            (self.place, rest) = (Place::Gap, after);
        }
        if self.place == Place::Gap {
            rest = rest.trim_start();
            if rest.is_empty() {
                return;
            }
            self.place = Place::Answer;
        }
        say(Part::Text(rest), emit);
    }

    /// The answer is over: what was held back is what it looks like.
    pub(crate) fn finish(&mut self, emit: &mut impl FnMut(Part<'_>)) {
        let held = std::mem::take(&mut self.held);
        say(if self.place == Place::Inside { Part::Reasoning(&held) } else { Part::Text(&held) }, emit);
    }
}

fn say(part: Part<'_>, emit: &mut impl FnMut(Part<'_>)) {
    let (Part::Text(text) | Part::Reasoning(text)) = part;
    if !text.is_empty() {
        emit(part);
    }
}

/// How many bytes at the end may be the beginning of the closing tag.
fn begun(text: &str) -> usize {
    (1..CLOSE.len()).rev().find(|len| CLOSE.get(..*len).is_some_and(|start| text.ends_with(start))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{Part, Think};
    use proptest::prelude::*;

    fn sort<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (String, String) {
        let (mut reasoning, mut text) = (String::new(), String::new());
        let mut emit = |part: Part<'_>| match part {
            Part::Reasoning(piece) => reasoning.push_str(piece),
            Part::Text(piece) => text.push_str(piece),
        };
        let mut think = Think::default();
        pieces.into_iter().for_each(|piece| think.feed(piece, &mut emit));
        think.finish(&mut emit);
        (reasoning, text)
    }

    #[test]
    fn shapes() {
        for (given, reasoning, text) in [
            ("hello", "", "hello"),
            ("<think>why</think>\n\nhello", "why", "hello"),
            ("\n<think>a < b </thin </think>x</think>", "a < b </thin ", "x</think>"),
            ("<think>never closed", "never closed", ""),
            ("a <think>b</think>", "", "a <think>b</think>"),
            ("<thing>", "", "<thing>"),
            ("<thi", "", "<thi"),
            ("  ", "", "  "),
            ("<think></think>x", "", "x"),
        ] {
            assert_eq!(sort([given]), (reasoning.to_owned(), text.to_owned()), "{given}");
            let single = given.split("").filter(|piece| !piece.is_empty());
            assert_eq!(sort(single), (reasoning.to_owned(), text.to_owned()), "{given} a character at a time");
        }
    }

    proptest! {
        #[test]
        fn splits_do_not_matter(pieces in prop::collection::vec("(<think>|</think>|</th|[ a<界]){0,3}", 0..8)) {
            let whole = pieces.concat();
            prop_assert_eq!(sort(pieces.iter().map(String::as_str)), sort([whole.as_str()]));
        }
    }
}
