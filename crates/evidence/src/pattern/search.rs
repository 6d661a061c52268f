//! Looks for a pattern in a text: the first way that fits, tried in the order in which the pattern is written.

use super::program::{ANY, ANY_SHORT, Letters, Look, Program, Step, folded, has, short_bit};
use super::sets::Set;
use std::ops::Range;

/// In texts of so many bytes it is worth while to look first whether a pattern can be there at all.
const LONG: usize = 512;

/// Where nothing was found yet.
const NOWHERE: usize = usize::MAX;

/// One search through a text.
pub(super) struct Search<'p, 't> {
    program: &'p Program,
    text: &'t str,
    /// True when something that it needs is not in the text.
    hopeless: bool,
    /// Where groups begin and end; empty where nobody asks.
    marks: Vec<usize>,
    /// What else can be tried, the last first.
    left: Vec<Left>,
    /// The loops that were tried at each place, a bit each: nothing came of them, and they are not tried again.
    tried: Vec<u64>,
    /// What it cost.
    #[cfg(test)]
    pub(super) steps: usize,
}

/// What else can be tried.
#[derive(Clone, Copy)]
enum Left {
    Step {
        step: usize,
        at: usize,
    },
    /// Fewer characters, down to this place.
    Fewer {
        step: usize,
        least: usize,
        at: usize,
    },
    /// One character more, and so many behind it.
    More {
        step: usize,
        more: u16,
        at: usize,
    },
    Mark {
        mark: usize,
        was: usize,
    },
}

impl<'p, 't> Search<'p, 't> {
    pub(super) fn new(program: &'p Program, text: &'t str, groups: bool) -> Self {
        let marks = if groups { vec![NOWHERE; program.groups * 2] } else { Vec::new() };
        let hopeless = text.len() >= LONG && !may_fit(program, text);
        Self {
            program,
            text,
            hopeless,
            marks,
            left: Vec::new(),
            tried: Vec::new(),
            #[cfg(test)]
            steps: 0,
        }
    }

    /// The first place that fits from here on.
    pub(super) fn from(&mut self, from: usize) -> Option<Range<usize>> {
        // What was tried where a find ended may have led to it; what was tried behind that place led nowhere.
        let loops = self.program.loops;
        for bit in from * loops..(from + 1) * loops {
            self.tried.get_mut(bit / 64).into_iter().for_each(|tried| *tried &= !(1 << (bit % 64)));
        }
        let mut at = if self.hopeless { return None } else { from };
        while at <= self.text.len() {
            at = self.near(at)?;
            if self.begins(at) {
                self.marks.fill(NOWHERE);
                if let Some(end) = self.fits(at) {
                    return Some(at..end);
                }
            }
            at += 1;
        }
        None
    }

    /// The next place that has a byte to begin with.
    fn near(&self, at: usize) -> Option<usize> {
        let Some(begins) = &self.program.begins else { return Some(at) };
        let ahead = self.text.as_bytes().get(at..)?.iter().position(|byte| begins[usize::from(*byte)]);
        Some(at + ahead?)
    }

    /// True when the pattern may begin here.
    fn begins(&self, at: usize) -> bool {
        let byte = self.text.as_bytes().get(at);
        let mut starts = self.program.starts.iter();
        self.text.is_char_boundary(at)
            && starts.any(|(look, first)| {
                byte.map_or(*first == ANY, |byte| has(*first, *byte)) && look.is_none_or(|look| self.is(look, at))
            })
    }

    /// Counts what is done, for the test that holds how much it may be.
    #[inline(always)]
    fn count(&mut self) {
        #[cfg(test)]
        {
            self.steps += 1;
        }
    }

    /// A group of what was found.
    pub(super) fn group(&self, number: usize) -> Option<Range<usize>> {
        let (from, to) = (*self.marks.get(number * 2)?, *self.marks.get(number * 2 + 1)?);
        (from != NOWHERE && to != NOWHERE).then_some(from..to)
    }

    /// Where the pattern ends when it begins here.
    fn fits(&mut self, start: usize) -> Option<usize> {
        self.left.clear();
        let mut next = Some((0, start));
        loop {
            self.count();
            let (step, at) = match next {
                Some(next) => next,
                None => self.back()?,
            };
            next = match *self.program.steps.get(step)? {
                Step::Text(letters) => {
                    let text = self.program.text(letters).as_bytes();
                    let end = if letters.fold { self.folded(text, at) } else { self.plain(text, at) };
                    end.map(|end| (step + 1, end))
                }
                Step::Run { least, most, set, greedy, .. } => {
                    let set = self.program.sets.get(usize::from(set))?;
                    self.run(set, step, at, (least, most, greedy)).and_then(|end| self.then(step, end))
                }
                Step::Loop { set, number, greedy, .. } => {
                    let set = self.program.sets.get(usize::from(set))?;
                    self.turns(set, step, at, (number, greedy)).and_then(|end| self.then(step, end))
                }
                Step::Again(number) => (!self.was_tried(number, at)).then_some((step + 1, at)),
                Step::Branch { first, other } => {
                    let other = further(step, other);
                    if self.may(first, at) {
                        self.left.push(Left::Step { step: other, at });
                        Some((step + 1, at))
                    } else {
                        Some((other, at))
                    }
                }
                Step::Jump(far) => Some((further(step, far), at)),
                Step::Mark(mark) => {
                    let mark = usize::from(mark);
                    if let Some(place) = self.marks.get_mut(mark) {
                        self.left.push(Left::Mark { mark, was: *place });
                        *place = at;
                    }
                    Some((step + 1, at))
                }
                Step::Look(look) => self.is(look, at).then_some((step + 1, at)),
                Step::Done => return Some(at),
            };
        }
    }

    /// What is tried next where something did not fit.
    fn back(&mut self) -> Option<(usize, usize)> {
        loop {
            self.count();
            match self.left.pop()? {
                Left::Step { step, at } => return Some((step, at)),
                Left::Mark { mark, was } => self.marks.get_mut(mark).into_iter().for_each(|place| *place = was),
                Left::Fewer { step, least, mut at } => {
                    while at > least {
                        self.count();
                        at = self.text.floor_char_boundary(at - 1);
                        let Some(next) = self.then(step, at) else { continue };
                        if at > least {
                            self.left.push(Left::Fewer { step, least, at });
                        }
                        return Some(next);
                    }
                }
                Left::More { step, more, at } => {
                    let (set, number) = match self.program.steps.get(step)? {
                        Step::Run { set, .. } => (*set, None),
                        Step::Loop { set, number, .. } => (*set, Some(*number)),
                        _ => continue,
                    };
                    let end = self.program.sets.get(usize::from(set)).and_then(|set| self.one(set, at));
                    let is_new = |end: &usize| number.is_none_or(|number| !self.was_tried(number, *end));
                    let Some(end) = end.filter(is_new) else { continue };
                    if number.is_some() || more > 1 {
                        self.left.push(Left::More { step, more: more.saturating_sub(1), at: end });
                    }
                    if let Some(next) = self.then(step, end) {
                        return Some(next);
                    }
                }
            }
        }
    }

    /// The end of so many characters, the others left to be tried.
    fn run(&mut self, set: &Set, step: usize, start: usize, times: (u16, u16, bool)) -> Option<usize> {
        let (least, most, greedy) = times;
        let mut at = start;
        for _ in 0..least {
            at = self.one(set, at)?;
        }
        let (end, more) = (at, most.saturating_sub(least));
        if !greedy && more > 0 {
            self.left.push(Left::More { step, more, at });
        }
        let mut count = if greedy { more } else { 0 };
        while let Some(next) = self.one(set, at).filter(|_| count > 0) {
            self.count();
            (at, count) = (next, count - 1);
        }
        if at > end {
            self.left.push(Left::Fewer { step, least: end, at });
        }
        Some(at)
    }

    /// The same for any number, none where that was tried here.
    fn turns(&mut self, set: &Set, step: usize, start: usize, (number, greedy): (u16, bool)) -> Option<usize> {
        if self.was_tried(number, start) {
            return None;
        }
        let mut at = start;
        if !greedy {
            self.left.push(Left::More { step, more: 0, at });
            return Some(at);
        }
        // From a place that was tried on there is nothing new.
        while let Some(end) = self.one(set, at) {
            if self.was_tried(number, end) {
                break;
            }
            self.count();
            at = end;
        }
        if at > start {
            self.left.push(Left::Fewer { step, least: start, at });
        }
        Some(at)
    }

    /// The end of one character of a set.
    #[inline(always)]
    fn one(&self, set: &Set, at: usize) -> Option<usize> {
        let byte = *self.text.as_bytes().get(at)?;
        let letter = if byte.is_ascii() { char::from(byte) } else { self.text.get(at..)?.chars().next()? };
        set.has(letter).then(|| at + letter.len_utf8())
    }

    #[inline(always)]
    fn plain(&self, letters: &[u8], at: usize) -> Option<usize> {
        self.text.as_bytes().get(at..)?.starts_with(letters).then(|| at + letters.len())
    }

    /// The end of these small letters in any case.
    fn folded(&self, letters: &[u8], mut at: usize) -> Option<usize> {
        for letter in letters {
            let byte = self.text.as_bytes().get(at)?;
            let wide =
                || folded(*letter).filter(|wide| self.text.get(at..).is_some_and(|rest| rest.starts_with(*wide)));
            at += if byte.eq_ignore_ascii_case(letter) { 1 } else { wide()?.len_utf8() };
        }
        Some(at)
    }

    /// True when what begins with one of these may stand here.
    #[inline(always)]
    fn may(&self, first: u64, at: usize) -> bool {
        self.text.as_bytes().get(at).map_or(first == ANY_SHORT, |byte| first & short_bit(*byte) != 0)
    }

    /// What follows the characters of this step, where it may stand here.
    #[inline(always)]
    fn then(&self, step: usize, at: usize) -> Option<(usize, usize)> {
        let first = match self.program.steps.get(step)? {
            Step::Run { then, .. } | Step::Loop { then, .. } => *then,
            _ => ANY_SHORT,
        };
        self.may(first, at).then_some((step + 1, at))
    }

    #[inline(always)]
    fn is(&self, look: Look, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        let word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        match look {
            Look::Start => at == 0,
            Look::End => at == bytes.len(),
            Look::LineStart => before.is_none_or(|byte| *byte == b'\n'),
            Look::LineEnd => bytes.get(at).is_none_or(|byte| *byte == b'\n'),
            Look::Border => word(before) != word(bytes.get(at)),
        }
    }

    /// True when this loop was tried at this place before.
    fn was_tried(&mut self, number: u16, at: usize) -> bool {
        if self.tried.is_empty() {
            self.tried = vec![0; ((self.text.len() + 1) * self.program.loops).div_ceil(64)];
        }
        let place = at * self.program.loops + usize::from(number);
        let (Some(tried), bit) = (self.tried.get_mut(place / 64), 1 << (place % 64)) else { return false };
        let was = *tried & bit != 0;
        *tried |= bit;
        was
    }
}

/// False when none of what the program needs is in the text.
fn may_fit(program: &Program, text: &str) -> bool {
    let needs = program.needs();
    let folded = needs.iter().any(|letters| letters.fold).then(|| text.to_ascii_lowercase());
    // Wide letters that are those of English in another case are rare enough.
    let wide = || !text.is_ascii() && ["\u{212a}", "\u{17f}"].iter().any(|wide| text.contains(wide));
    let has = |letters: &Letters| match &folded {
        Some(small) if letters.fold => small.contains(program.text(*letters)),
        _ => text.contains(program.text(*letters)),
    };
    needs.is_empty() || needs.iter().any(has) || (folded.is_some() && wide())
}

fn further(step: usize, far: i32) -> usize {
    step.wrapping_add_signed(far as isize)
}
