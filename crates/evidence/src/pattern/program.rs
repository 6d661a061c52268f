//! What a pattern is made into: short instructions on whole characters, and which bytes they may begin with.

use super::sets::Set;
use std::sync::OnceLock;

/// What characters a text may begin with: a bit for each of ASCII, those of wide ones among the signs that nobody writes.
pub(super) type Bytes = u128;

/// Bytes that leave nothing out, not even the end.
pub(super) const ANY: Bytes = Bytes::MAX;

/// What was made of them to save room.
pub(super) const ANY_SHORT: u64 = u64::MAX;

/// One instruction. Distances are counted from the instruction itself, so that what was made can be moved and copied.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    Text(Letters),
    /// So many characters of a set, as many or as few as can be. What follows begins with `then`.
    Run {
        then: u64,
        least: u16,
        most: u16,
        set: u16,
        greedy: bool,
    },
    /// The same for any number. A place that a loop was tried at is remembered under its number.
    Loop {
        then: u64,
        number: u16,
        set: u16,
        greedy: bool,
    },
    /// Where the steps of a loop begin again, or where what stands behind a repetition with a bound begins: tried once at a place.
    Again(u16),
    /// What comes next, where it begins with `first`, and if that does not fit, what stands further on.
    Branch {
        first: u64,
        other: i32,
    },
    Jump(i32),
    /// A group begins or ends here.
    Mark(u16),
    Look(Look),
    Done,
}

/// What has to be true of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Start,
    End,
    LineStart,
    LineEnd,
    /// The border of a word in letters of English.
    Border,
}

/// A pattern that was read.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) steps: Vec<Step>,
    pub(super) sets: Vec<Set>,
    pub(super) letters: String,
    /// How many groups there are, the whole among them.
    pub(super) groups: usize,
    /// How many loops there are.
    pub(super) loops: usize,
    /// What each of its alternatives has to stand behind or before, and what it may begin with.
    pub(super) starts: Vec<(Option<Look>, Bytes)>,
    /// The bytes that any of them begins with; none where it may be nothing at all.
    pub(super) begins: Option<Box<[bool; 256]>>,
    /// What `needs` found, once somebody asked.
    pub(super) needed: OnceLock<Vec<Letters>>,
}

/// Letters of a program; `fold` in any case.
#[derive(Debug, Clone, Copy)]
pub(super) struct Letters {
    pub(super) from: u32,
    pub(super) len: u16,
    pub(super) fold: bool,
}

/// More of them take longer to look for than they save.
const MOST_NEEDS: usize = 32;

impl Program {
    pub(super) fn text(&self, letters: Letters) -> &str {
        let from = letters.from as usize;
        self.letters.get(from..from + usize::from(letters.len)).unwrap_or_default()
    }

    /// Says of every branch what it may begin with, so that most of them are never entered.
    pub(super) fn finish(mut self) -> Self {
        self.steps.push(Step::Done);
        let mut firsts = vec![ANY; self.steps.len()];
        let sets: Vec<Bytes> = self.sets.iter().map(Set::first).collect();
        let first_of = |set: u16| sets.get(usize::from(set)).copied().unwrap_or(ANY);
        for at in (0..self.steps.len()).rev() {
            let next = firsts.get(at + 1).copied().unwrap_or(ANY);
            // Of what stands before it nothing is known yet.
            let further =
                |far: i32| usize::try_from(far).ok().and_then(|far| firsts.get(at + far)).copied().unwrap_or(ANY);
            let first = match self.steps.get(at).copied() {
                Some(Step::Text(Letters { from, fold, .. })) => {
                    let byte = self.letters.as_bytes().get(from as usize).copied().unwrap_or_default();
                    let others = folded(byte).map_or(0, lead_bit) | bit(byte.to_ascii_uppercase());
                    bit(byte) | if fold { others } else { 0 }
                }
                Some(Step::Run { least, set, .. }) => first_of(set) | if least == 0 { next } else { 0 },
                Some(Step::Loop { set, .. }) => first_of(set) | next,
                Some(Step::Branch { other, .. }) => next | further(other),
                Some(Step::Jump(far)) => further(far),
                Some(Step::Mark(_) | Step::Look(_) | Step::Again(_)) => next,
                Some(Step::Done) | None => ANY,
            };
            firsts.get_mut(at).into_iter().for_each(|slot| *slot = first);
            match self.steps.get_mut(at) {
                Some(Step::Run { then: known, .. } | Step::Branch { first: known, .. }) => *known = short(next),
                Some(Step::Loop { then, number, .. }) => {
                    (*then, *number) = (short(next), self.loops as u16);
                    self.loops += 1;
                }
                Some(Step::Again(number)) => {
                    *number = self.loops as u16;
                    self.loops += 1;
                }
                _ => {}
            }
        }
        self.starts = self.starts(&firsts);
        let all = self.starts.iter().fold(0, |all, (_, first)| all | first);
        let begins = |byte: usize| u8::try_from(byte).is_ok_and(|byte| byte & 0xc0 != 0x80 && has(all, byte));
        self.begins = (all != ANY).then(|| Box::new(std::array::from_fn(begins)));
        self.steps.shrink_to_fit();
        self.sets.shrink_to_fit();
        self.letters.shrink_to_fit();
        self
    }

    /// One of these letters is in whatever fits; none where nobody can say.
    pub(super) fn needs(&self) -> &[Letters] {
        self.needed.get_or_init(|| self.needed_by(0, self.steps.len()).unwrap_or_default())
    }

    /// Letters one of which is in whatever fits these steps: of what stands one behind the other, the longest.
    fn needed_by(&self, mut at: usize, end: usize) -> Option<Vec<Letters>> {
        let mut best: Option<Vec<Letters>> = None;
        while at < end {
            let (needs, next) = match *self.steps.get(at)? {
                Step::Text(letters) => (Some(vec![letters]), at + 1),
                Step::Branch { other, .. } => {
                    let other = at + usize::try_from(other).ok()?;
                    // Where nothing leads on behind the first part, it may be left out.
                    match self.steps.get(other - 1) {
                        Some(Step::Jump(far @ 1..)) => {
                            let next = other - 1 + usize::try_from(*far).ok()?;
                            let both = self.needed_by(at + 1, other - 1).zip(self.needed_by(other, next));
                            (both.map(|(one, two)| [one, two].concat()), next)
                        }
                        _ => (None, other),
                    }
                }
                _ => (None, at + 1),
            };
            let shortest = |needs: &Vec<Letters>| needs.iter().map(|letters| letters.len).min();
            let needs = needs.filter(|needs| needs.len() <= MOST_NEEDS && shortest(needs) > Some(1));
            if needs.as_ref().and_then(shortest) > best.as_ref().and_then(shortest) {
                best = needs;
            }
            at = next;
        }
        best
    }

    /// What each of the first alternatives begins with.
    fn starts(&self, firsts: &[Bytes]) -> Vec<(Option<Look>, Bytes)> {
        let mut starts: Vec<(Option<Look>, Bytes)> = Vec::new();
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            let (look, from) = match self.steps.get(at) {
                Some(Step::Branch { other, .. }) => {
                    open.extend([usize::try_from(*other).ok().map_or(at, |far| at + far), at + 1]);
                    continue;
                }
                Some(Step::Mark(_) | Step::Again(_)) => {
                    open.push(at + 1);
                    continue;
                }
                Some(Step::Look(look)) => (Some(*look), at + 1),
                _ => (None, at),
            };
            let first = firsts.get(from).copied().unwrap_or(ANY);
            match starts.iter_mut().find(|(other, _)| *other == look) {
                Some((_, all)) => *all |= first,
                None => starts.push((look, first)),
            }
        }
        starts
    }
}

/// The bit of a byte.
pub(super) fn bit(byte: u8) -> Bytes {
    1 << if byte.is_ascii() { byte } else { byte & 31 }
}

pub(super) fn has(bytes: Bytes, byte: u8) -> bool {
    let (low, high) = (bytes as u64, (bytes >> 64) as u64);
    let half = if byte & 0xc0 == 0x40 { high } else { low };
    let place = if byte.is_ascii() { byte & 63 } else { byte & 31 };
    half >> place & 1 == 1
}

/// The same in half the room: letters of either case share a bit.
pub(super) fn short(bytes: Bytes) -> u64 {
    let letters = (bytes >> 64 | bytes >> 96) as u32;
    let others = (bytes | bytes >> 32) as u32;
    u64::from(letters) | u64::from(others) << 32
}

/// The bit of a byte in what is short.
pub(super) fn short_bit(byte: u8) -> u64 {
    let half = if byte & 0xc0 == 0x40 { 0 } else { 32 };
    1 << (byte & 31 | half)
}

/// The bit of the first byte of a character.
pub(super) fn lead_bit(letter: char) -> Bytes {
    bit(letter.encode_utf8(&mut [0; 4]).bytes().next().unwrap_or_default())
}

/// The wide character that is this letter in another case, too.
pub(super) fn folded(letter: u8) -> Option<char> {
    match letter.to_ascii_lowercase() {
        b'k' => Some('\u{212a}'),
        b's' => Some('\u{17f}'),
        _ => None,
    }
}
