//! Reasoning that a server left in the text: between two marks at the very beginning of an answer.

/// The marks of model families.
const PAIRS: [(&str, &str); 10] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("[THINK]", "[/THINK]"),
    ("<seed:think>", "</seed:think>"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
];

/// What some families write in front of the answer itself.
const HEADS: [&str; 4] = [
    "<|start|>assistant<|channel|>final<|message|>",
    "<|channel|>final<|message|>",
    "<|START_RESPONSE|>",
    "<|begin_of_solution|>",
];

/// More white space than this in front is part of the answer.
const MOST_SPACE: usize = 64;

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
    /// What cannot be sorted before more has come; shorter than a mark and some white space.
    held: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Start,
    /// Up to this mark.
    Inside(&'static str),
    /// After a mark, before the first visible character.
    Gap,
    Answer,
}

/// What the beginning of a text is.
enum Opening {
    Unsure,
    Think(&'static str, &'static str),
    Head(&'static str),
    Text,
}

impl Default for Think {
    fn default() -> Self {
        Self { place: Place::Start, held: String::new() }
    }
}

impl Think {
    /// True while reasoning has been opened and not closed.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.place, Place::Inside(_))
    }

    pub(crate) fn feed(&mut self, text: &str, emit: &mut impl FnMut(Part<'_>)) {
        if self.place == Place::Answer {
            return emit(Part::Text(text));
        }
        self.held.push_str(text);
        let held = std::mem::take(&mut self.held);
        let mut rest = held.as_str();
        loop {
            match self.place {
                Place::Answer => return say(Part::Text(rest), emit),
                Place::Inside(close) => {
                    let Some((reasoning, after)) = rest.split_once(close) else {
                        let (sure, unsure) = rest.split_at(rest.len() - begun(rest, close));
                        unsure.clone_into(&mut self.held);
                        return say(Part::Reasoning(sure), emit);
                    };
                    say(Part::Reasoning(reasoning), emit);
                    (self.place, rest) = (Place::Gap, after);
                }
                Place::Start | Place::Gap => {
                    let visible = rest.trim_start();
                    match opening(visible, rest.len() - visible.len()) {
                        Opening::Unsure => {
                            // White space behind a mark belongs to nobody.
                            if self.place == Place::Gap { visible } else { rest }.clone_into(&mut self.held);
                            return;
                        }
                        Opening::Think(open, close) => {
                            rest = visible.get(open.len()..).unwrap_or_default();
                            self.place = Place::Inside(close);
                        }
                        Opening::Head(head) => {
                            rest = visible.get(head.len()..).unwrap_or_default();
                            self.place = Place::Gap;
                        }
                        Opening::Text => {
                            rest = if self.place == Place::Gap { visible } else { rest };
                            self.place = Place::Answer;
                        }
                    }
                }
            }
        }
    }

    /// The answer is over: what was held back is what it looks like.
    pub(crate) fn finish(&mut self, emit: &mut impl FnMut(Part<'_>)) {
        let held = std::mem::take(&mut self.held);
        say(if self.is_open() { Part::Reasoning(&held) } else { Part::Text(&held) }, emit);
    }
}

fn opening(visible: &str, space: usize) -> Opening {
    if space > MOST_SPACE {
        return Opening::Text;
    }
    if let Some((open, close)) = PAIRS.iter().find(|(open, _)| visible.starts_with(open)) {
        return Opening::Think(open, close);
    }
    if let Some(head) = HEADS.iter().find(|head| visible.starts_with(**head)) {
        return Opening::Head(head);
    }
    let marks = PAIRS.iter().map(|(open, _)| *open).chain(HEADS);
    if marks.into_iter().any(|mark| mark.starts_with(visible)) { Opening::Unsure } else { Opening::Text }
}

fn say(part: Part<'_>, emit: &mut impl FnMut(Part<'_>)) {
    let (Part::Text(text) | Part::Reasoning(text)) = part;
    if !text.is_empty() {
        emit(part);
    }
}

/// How many bytes at the end may be the beginning of the closing mark.
fn begun(text: &str, close: &str) -> usize {
    (1..close.len()).rev().find(|len| close.get(..*len).is_some_and(|start| text.ends_with(start))).unwrap_or(0)
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
            ("[THINK]a[/THINK]x", "a", "x"),
            ("<think>a</think>\n<think>b</think>x", "ab", "x"),
            ("<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>x", "hm", "x"),
            ("<|channel|>final<|message|>x", "", "x"),
            ("◁think▷a◁/think▷x", "a", "x"),
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
