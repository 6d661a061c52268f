//! The items of an answer that are ready.

use reasonix_agent::Item;
use std::collections::VecDeque;

/// A piece of an answer.
#[derive(Clone, Copy)]
pub(crate) enum Part<'a> {
    Text(&'a str),
    Reasoning(&'a str),
}

/// The items that are ready. Neighbours that came together are joined: the consumer pays by the item.
#[derive(Default)]
pub(crate) struct Out {
    pub(crate) items: VecDeque<Item>,
    pub(crate) text: usize,
    pub(crate) reasoning: usize,
    /// Of calls: the bytes of their arguments, and how many there are.
    called: (usize, usize),
}

impl Out {
    /// How much was said so far.
    pub(crate) fn heard(&self) -> usize {
        self.text + self.reasoning + self.called.0 + self.called.1
    }

    pub(crate) fn push(&mut self, part: Part<'_>) {
        match (part, self.items.back_mut()) {
            (Part::Text("") | Part::Reasoning(""), _) => return,
            (Part::Text(text), Some(Item::Text(last))) | (Part::Reasoning(text), Some(Item::Reasoning(last))) => {
                last.push_str(text);
            }
            (Part::Text(text), _) => self.items.push_back(Item::Text(text.to_owned())),
            (Part::Reasoning(text), _) => self.items.push_back(Item::Reasoning(text.to_owned())),
        }
        match part {
            Part::Text(text) => self.text += text.len(),
            Part::Reasoning(text) => self.reasoning += text.len(),
        }
    }

    pub(crate) fn push_call(&mut self, place: usize, known: &str, piece: &str) {
        self.called = (self.called.0 + piece.len(), self.called.1.max(place + 1));
        match self.items.back_mut() {
            Some(Item::CallDelta { index, name, delta }) if *index == place => {
                if name != known {
                    known.clone_into(name);
                }
                delta.push_str(piece);
            }
            _ => {
                let (name, delta) = (known.to_owned(), piece.to_owned());
                self.items.push_back(Item::CallDelta { index: place, name, delta });
            }
        }
    }
}
