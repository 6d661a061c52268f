//! The beginning of a long conversation: it stays in the log until somebody needs it, and is folded from it again in the same way.

use crate::fold::{Fold, History};
use crate::header::Kind;
use crate::past::Past;
use reasonix_proto::{Message, RecordId};
use std::io::{self, ErrorKind};

/// The messages before those that a history holds.
#[derive(Debug, Clone)]
pub struct EarlierMessages {
    past: Past,
    /// The last record of the branch that they are on.
    to: RecordId,
    count: usize,
    tokens: u64,
}

impl PartialEq for EarlierMessages {
    fn eq(&self, other: &Self) -> bool {
        (self.to, self.count, self.tokens) == (other.to, other.count, other.tokens)
    }
}

impl EarlierMessages {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Their tokens, by estimate.
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Gives them one after the other. Fails also where the log does not have all of them any more. Blocking.
    pub fn each(&self, mut give: impl FnMut(Message)) -> io::Result<()> {
        let gone = || io::Error::new(ErrorKind::InvalidData, "the log is not what it was when it was opened");
        let path = self.past.with_shape(|shape, _| {
            let path = shape.place(self.to).map(|place| shape.path(place))?;
            let folds = |place: &usize| shape.node(*place).is_some_and(|node| node.kind == Kind::Compacted);
            // What was said before the last folding is no part of the conversation.
            let from = path.iter().rposition(folds);
            Some((path, from))
        });
        let (path, from) = path.ok_or_else(gone)?;
        let (mut fold, mut place) = (Fold::sparing(), 0);
        self.past.each_at(path, |record| {
            fold.take(record);
            let past = from.is_none_or(|from| place > from);
            place += 1;
            fold.let_go().filter(|_| past).for_each(&mut give);
        })?;
        // What is lost was filled in; then it is not as many, or not as much.
        if fold.gone() == (self.count, self.tokens) { Ok(()) } else { Err(gone()) }
    }
}

impl Past {
    /// The conversation that was folded up to a record; what the fold let go of is left here.
    pub(crate) fn told_by(&self, fold: Fold, to: Option<RecordId>) -> History {
        let (count, tokens) = fold.gone();
        let earlier = to.filter(|_| count > 0).map(|to| EarlierMessages { past: self.clone(), to, count, tokens });
        let mut history = fold.finish();
        history.earlier = earlier;
        history
    }
}

impl History {
    /// Gives every message of the conversation, also those that were left in the log. Blocking.
    pub fn each_message(&self, mut give: impl FnMut(&Message)) -> io::Result<()> {
        if let Some(earlier) = &self.earlier {
            earlier.each(|message| give(&message))?;
        }
        self.messages.iter().for_each(give);
        Ok(())
    }
}
