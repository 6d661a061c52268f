//! The tree of a log: which record follows which, and where its line is. No content, so that it stays small. Pure.

use crate::header::{Header, Kind};
use reasonix_proto::RecordId;
use std::collections::HashMap;

/// One record's place in the tree and in the file. A long session has hundreds of thousands of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) id: u64,
    /// Where its line begins.
    pub(crate) offset: u64,
    /// How long the line is, without its newline.
    pub(crate) length: u32,
    /// The place of the record it follows.
    parent: u32,
    /// The turn, for kinds that name one.
    pub(crate) turn: u32,
    pub(crate) kind: Kind,
}

/// No record has this place: that many do not fit into any file that is read.
const NOWHERE: u32 = u32::MAX;

impl Node {
    /// The place of the record it follows.
    pub(crate) fn parent(&self) -> Option<usize> {
        (self.parent != NOWHERE).then_some(self.parent as usize)
    }
}

/// The records in the order of the file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shape {
    nodes: Vec<Node>,
    /// The places of records that do not stand where their id says, which is nearly none.
    moved: HashMap<u64, u32>,
    highest: u64,
    at: u64,
    turns: u32,
    /// Records whose id was already taken: two processes wrote at the same time.
    pub(crate) doubled: usize,
    /// Records whose parent is not before them.
    pub(crate) missing: usize,
}

impl Shape {
    /// Adds the next line of the file.
    pub(crate) fn push(&mut self, header: Header, offset: u64, length: usize) {
        let place = self.nodes.len();
        let (Ok(number), Ok(length)) = (u32::try_from(place), u32::try_from(length)) else {
            self.missing += 1;
            return;
        };
        // Where the parent is lost, the record before is the nearest thing. A parent lies before its child, so that
        // every walk ends whatever a file says.
        let known = header.parent.and_then(|parent| self.place(RecordId(parent)));
        // Only the first record follows none.
        self.missing += usize::from(known.is_none() && (place > 0 || header.parent.is_some()));
        let parent = known.or_else(|| place.checked_sub(1)).and_then(|parent| u32::try_from(parent).ok());
        let taken = self.place(RecordId(header.id)).is_some();
        self.doubled += usize::from(taken);
        if taken || header.id != usual(place) {
            self.moved.insert(header.id, number);
        }
        let Header { id, turn, kind, .. } = header;
        self.nodes.push(Node { id, offset, length, parent: parent.unwrap_or(NOWHERE), turn, kind });
        self.highest = self.highest.max(header.id);
        self.at = self.at.max(header.at);
        self.turns = self.turns.max(header.turn);
    }

    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub(crate) fn node(&self, place: usize) -> Option<&Node> {
        self.nodes.get(place)
    }

    pub(crate) fn place(&self, id: RecordId) -> Option<usize> {
        if let Some(place) = self.moved.get(&id.0) {
            return Some(*place as usize);
        }
        let place = usize::try_from(id.0).ok()?.checked_sub(1)?;
        self.nodes.get(place).filter(|node| node.id == id.0).map(|_| place)
    }

    /// The highest id, the latest time, and the number of the last turn on any branch.
    pub(crate) fn highest(&self) -> (u64, u64, u32) {
        (self.highest, self.at, self.turns)
    }

    /// The record after which the next one comes: the one written last.
    pub(crate) fn leaf(&self) -> Option<usize> {
        self.nodes.len().checked_sub(1)
    }

    /// The places from the first record to this one.
    pub(crate) fn path(&self, to: usize) -> Vec<usize> {
        let mut path = Vec::new();
        let mut next = Some(to);
        while let Some((place, node)) = next.and_then(|place| Some((place, self.nodes.get(place)?))) {
            path.push(place);
            next = node.parent();
        }
        path.reverse();
        path
    }

    /// The records on the way to the leaf that are of one of these kinds.
    pub(crate) fn active(&self, kinds: &[Kind]) -> Vec<usize> {
        let mut path = self.leaf().map(|leaf| self.path(leaf)).unwrap_or_default();
        path.retain(|place| self.nodes.get(*place).is_some_and(|node| kinds.contains(&node.kind)));
        path
    }
}

/// The id of the record at a place, in a file that one process after the other wrote.
fn usual(place: usize) -> u64 {
    place as u64 + 1
}

#[cfg(test)]
mod tests {
    use super::Shape;
    use crate::header::{Header, Kind};
    use reasonix_proto::RecordId;

    fn shape(lines: &[(u64, Option<u64>)]) -> Shape {
        let mut shape = Shape::default();
        for (id, parent) in lines {
            shape.push(Header { id: *id, parent: *parent, at: 1, kind: Kind::Note, turn: 0 }, 0, 0);
        }
        shape
    }

    #[test]
    fn records_are_found_wherever_they_stand_and_take_little() {
        let swapped = shape(&[(1, None), (4, Some(1)), (3, Some(4)), (2, Some(3)), (4, Some(2)), (9, Some(4))]);
        let places = [1, 2, 3, 4, 5, 9, 0, u64::MAX].map(|id| swapped.place(RecordId(id)));
        assert_eq!(places, [Some(0), Some(3), Some(2), Some(4), None, Some(5), None, None], "the later one of two");
        assert_eq!(swapped.doubled, 1);
        let ordered = shape(&[(1, None), (2, Some(1)), (3, Some(2))]);
        assert!(ordered.moved.is_empty() && !swapped.moved.is_empty(), "most records need no entry of their own");
        assert!(size_of::<super::Node>() <= 40, "a session of 100,000 messages has twice as many");
    }

    #[test]
    fn the_path_follows_parents_and_always_ends() {
        let tree = shape(&[(1, None), (2, Some(1)), (3, Some(2)), (4, Some(1)), (5, Some(4))]);
        assert_eq!(tree.path(4), [0, 3, 4]);
        assert_eq!(tree.place(RecordId(3)), Some(2));
        let lost = shape(&[(1, None), (2, Some(1)), (5, Some(4))]);
        assert_eq!(lost.path(2), [0, 1, 2], "a lost parent is bridged");
        assert_eq!((tree.missing, lost.missing), (0, 1));
        let none = shape(&[(1, None), (2, Some(1)), (3, None), (4, Some(3))]);
        assert_eq!((none.path(3), none.missing), (vec![0, 1, 2, 3], 1), "only the first follows none");
        assert_eq!(shape(&[(1, None), (3, Some(2)), (2, Some(1))]).missing, 1, "swapped");
        let circle = shape(&[(1, Some(2)), (2, Some(1)), (2, Some(2)), (1, Some(1))]);
        assert_eq!(circle.path(3), [0, 3]);
        assert_eq!(circle.doubled, 2);
        assert!(shape(&[]).active(&[Kind::Note]).is_empty());
    }
}
