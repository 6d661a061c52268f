//! Reads a pattern. What the patterns of this room do not need is not known, and a pattern with it is none.

use super::program::{Letters, Look, Program, Step};
use super::sets::Set;

/// Makes a pattern into a program.
pub(super) fn read(text: &str) -> Option<Program> {
    let program = Program { groups: 1, ..Program::default() };
    let mut reader = Reader { rest: text, flags: Flags::default(), program, open: false };
    reader.choice()?;
    reader.rest.is_empty().then(|| reader.program.finish())
}

#[derive(Debug, Clone, Copy, Default)]
struct Flags {
    fold: bool,
    lines: bool,
    all: bool,
}

struct Reader<'p> {
    rest: &'p str,
    flags: Flags,
    program: Program,
    /// True when the last step is a text that may go on.
    open: bool,
}

impl Reader<'_> {
    /// Some of these.
    fn choice(&mut self) -> Option<()> {
        let start = self.at();
        let mut ends: Vec<usize> = Vec::new();
        loop {
            self.sequence()?;
            ends.push(self.at() - start);
            if !self.takes('|') {
                break;
            }
        }
        if ends.len() > 1 {
            let parts = self.program.steps.split_off(start);
            self.among(&parts, 0, &ends)?;
        }
        Some(())
    }

    /// One of these parts, the first that fits; one half of them is left out at once where it cannot begin.
    fn among(&mut self, parts: &[Step], start: usize, ends: &[usize]) -> Option<()> {
        let (first, second) = ends.split_at(ends.len() / 2);
        let Some(middle) = first.last() else {
            self.program.steps.extend_from_slice(parts.get(start..*second.first()?)?);
            return Some(());
        };
        let branch = self.at();
        self.push(Step::Branch { first: 0, other: 0 });
        self.among(parts, start, first)?;
        let jump = self.at();
        self.push(Step::Jump(0));
        *self.program.steps.get_mut(branch)? = Step::Branch { first: 0, other: far(self.at() - branch)? };
        self.among(parts, *middle, second)?;
        *self.program.steps.get_mut(jump)? = Step::Jump(far(self.at() - jump)?);
        Some(())
    }

    /// One behind the other.
    fn sequence(&mut self) -> Option<()> {
        self.open = false;
        while let Some(letter) = self.peek().filter(|letter| !matches!(letter, '|' | ')')) {
            let start = self.at();
            if self.plain()? {
                continue;
            }
            self.next();
            match letter {
                '(' => {
                    if self.group()? {
                        continue;
                    }
                }
                '[' => {
                    let set = self.class()?;
                    self.set(set)?;
                }
                '.' => {
                    let set = if self.flags.all { Set::default() } else { Set::one('\n') };
                    self.set(set.but())?;
                }
                '^' => self.push(Step::Look(if self.flags.lines { Look::LineStart } else { Look::Start })),
                '$' => self.push(Step::Look(if self.flags.lines { Look::LineEnd } else { Look::End })),
                '\\' => self.escape()?,
                '*' | '+' | '?' | '{' => return None,
                _ => self.letter(letter)?,
            }
            if let Some(times) = self.times()? {
                self.repeat(start, &times)?;
            }
        }
        self.open = false;
        Some(())
    }

    /// Letters that stand for themselves, but for one that is repeated; false where there are none.
    fn plain(&mut self) -> Option<bool> {
        let special = |byte: u8| {
            matches!(byte, b'|' | b'(' | b')' | b'[' | b'.' | b'^' | b'$' | b'\\' | b'*' | b'+' | b'?' | b'{')
        };
        let end = self.rest.bytes().position(special).unwrap_or(self.rest.len());
        let (mut letters, rest) = self.rest.split_at(end);
        if rest.starts_with(['*', '+', '?', '{']) {
            letters = letters.get(..letters.floor_char_boundary(end.saturating_sub(1))).unwrap_or_default();
        }
        if !letters.chars().all(|letter| self.folds(letter, letter)) {
            return None;
        }
        self.rest = self.rest.get(letters.len()..)?;
        self.text(letters);
        Some(!letters.is_empty())
    }

    /// Behind its sign; true for flags of all that follows.
    fn group(&mut self) -> Option<bool> {
        let outer = self.flags;
        self.open = false;
        let mut marks = None;
        if self.takes('?') {
            (!self.rest.starts_with(')')).then_some(())?;
            loop {
                match self.next()? {
                    'i' => self.flags.fold = true,
                    'm' => self.flags.lines = true,
                    's' => self.flags.all = true,
                    ':' => break,
                    ')' => return Some(true),
                    _ => return None,
                }
            }
        } else {
            let mark = u16::try_from(self.program.groups).ok()? * 2;
            self.program.groups += 1;
            self.push(Step::Mark(mark));
            marks = Some(mark + 1);
        }
        self.choice()?;
        self.takes(')').then_some(())?;
        marks.into_iter().for_each(|mark| self.push(Step::Mark(mark)));
        self.flags = outer;
        Some(false)
    }

    fn escape(&mut self) -> Option<()> {
        match self.peek()? {
            'b' => {
                self.next();
                self.push(Step::Look(Look::Border));
                Some(())
            }
            'z' => {
                self.next();
                self.push(Step::Look(Look::End));
                Some(())
            }
            letter => match Set::named(letter) {
                Some(set) => {
                    self.next();
                    self.set(set)
                }
                None => {
                    let letter = self.escaped()?;
                    self.letter(letter)
                }
            },
        }
    }

    /// The character that stands behind a backslash.
    fn escaped(&mut self) -> Option<char> {
        match self.next()? {
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            'x' => {
                self.takes('{').then_some(())?;
                let (digits, rest) = self.rest.split_once('}')?;
                self.rest = rest;
                // A number may begin with a sign, these digits may not.
                let digits = Some(digits).filter(|digits| !digits.starts_with('+'))?;
                char::from_u32(u32::from_str_radix(digits, 16).ok()?)
            }
            letter => (letter.is_ascii_punctuation() && !matches!(letter, '<' | '>')).then_some(letter),
        }
    }

    /// A set in brackets, behind the first of them.
    fn class(&mut self) -> Option<Set> {
        let negated = self.takes('^');
        let mut set = Set::default();
        (!self.rest.starts_with(']')).then_some(())?;
        loop {
            // Sets are not taken from one another.
            let taken = ["&&", "--", "~~"].iter().any(|sign| self.rest.starts_with(sign));
            (!taken).then_some(())?;
            let from = match self.next()? {
                ']' => break,
                '\\' => match self.peek().and_then(Set::named) {
                    Some(named) => {
                        self.next();
                        set.join(named);
                        continue;
                    }
                    None => self.escaped()?,
                },
                '[' => return None,
                letter => letter,
            };
            let ranges = self.rest.starts_with('-') && !self.rest.starts_with("-]");
            let to = if ranges {
                self.next();
                match self.next()? {
                    '\\' => self.escaped()?,
                    letter => letter,
                }
            } else {
                from
            };
            (from <= to && self.folds(from, to)).then_some(())?;
            set.add(from, to);
        }
        if negated && self.flags.fold {
            set.fold();
        }
        Some(if negated { set.but() } else { set })
    }

    /// False for wide letters that would have to be found in another case: only those of English are.
    fn folds(&self, from: char, to: char) -> bool {
        let same = |letter: char| letter.to_lowercase().eq([letter]) && letter.to_uppercase().eq([letter]);
        let ranges = from != to && !to.is_ascii() && from < '\u{2000}';
        !self.flags.fold || (!ranges && [from, to].into_iter().all(|letter| letter.is_ascii() || same(letter)))
    }

    /// How often what stands before it is there.
    fn times(&mut self) -> Option<Option<Times>> {
        let (least, most) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                let (words, rest) = self.rest.get(1..)?.split_once('}').filter(|(words, _)| !words.contains('+'))?;
                // What ends it is taken below.
                self.rest = self.rest.get(self.rest.len() - rest.len() - 1..)?;
                match words.split_once(',') {
                    Some((least, "")) => (least.parse().ok()?, None),
                    Some((least, most)) => (least.parse().ok()?, Some(most.parse().ok()?)),
                    None => (words.parse().ok()?, Some(words.parse().ok()?)),
                }
            }
            _ => return Some(None),
        };
        self.next();
        let known = most.is_none_or(|most| least <= most && most > 0);
        known.then(|| Some(Times { least, most, greedy: !self.takes('?') }))
    }

    /// What stands from here on is there so many times.
    fn repeat(&mut self, start: usize, times: &Times) -> Option<()> {
        let Times { least, most, greedy } = *times;
        let block = self.program.steps.split_off(start);
        if let [Step::Run { least: 1, most: 1, set, .. }] = *block.as_slice() {
            if least > 0 || most.is_some() {
                self.push(Step::Run { then: 0, least, most: most.unwrap_or(least), set, greedy });
            }
            self.once(times);
            if most.is_none() {
                self.push(Step::Loop { then: 0, number: 0, set, greedy });
            }
            return Some(());
        }
        // What may be nothing at all is not gone through again and again.
        (most == Some(1) || !passes(&block)).then_some(())?;
        (0..least).for_each(|_| self.program.steps.extend_from_slice(&block));
        // Where few are wanted, what comes first is to go on behind all of them.
        let size = block.len() + if greedy { 1 } else { 2 };
        let left = most.map_or(Some(1), |most| most.checked_sub(least))?;
        let back = usize::from(most.is_none());
        let head = self.at();
        if most.is_none() {
            self.push(Step::Again(0));
        }
        for left in (1..=usize::from(left)).rev() {
            let behind = left * size + back;
            self.push(Step::Branch { first: 0, other: if greedy { far(behind)? } else { 2 } });
            if !greedy {
                self.push(Step::Jump(far(behind - 1)?));
            }
            self.program.steps.extend_from_slice(&block);
        }
        if most.is_none() {
            self.push(Step::Jump(-far(self.at() - head)?));
        }
        self.once(times);
        self.open = false;
        Some(())
    }

    /// What follows a repetition with a bound is come to from many places: it is tried once at each.
    fn once(&mut self, times: &Times) {
        if times.most.is_some_and(|most| most - times.least > 1) {
            self.push(Step::Again(0));
        }
    }

    fn set(&mut self, mut set: Set) -> Option<()> {
        if self.flags.fold {
            set.fold();
        }
        let sets = &mut self.program.sets;
        let known = sets.iter().position(|other| *other == set);
        let at = known.unwrap_or(sets.len());
        if known.is_none() {
            sets.push(set);
        }
        self.push(Step::Run { then: 0, least: 1, most: 1, set: u16::try_from(at).ok()?, greedy: true });
        Some(())
    }

    /// A letter by itself; one that may be there many times is a set.
    fn letter(&mut self, letter: char) -> Option<()> {
        self.folds(letter, letter).then_some(())?;
        match self.peek() {
            Some('*' | '+' | '{') => return self.set(Set::one(letter)),
            Some('?') => self.open = false,
            _ => {}
        }
        self.text(letter.encode_utf8(&mut [0; 4]));
        Some(())
    }

    /// Letters that stand one behind the other are one text.
    fn text(&mut self, letters: &str) {
        let (from, fold) = (self.program.letters.len(), self.flags.fold);
        self.program.letters.push_str(letters);
        if let Some(added) = self.program.letters.get_mut(from..).filter(|_| fold) {
            added.make_ascii_lowercase();
        }
        match self.program.steps.last_mut() {
            Some(Step::Text(text)) if self.open => text.len += letters.len() as u16,
            _ if letters.is_empty() => {}
            _ => self.push(Step::Text(Letters { from: from as u32, len: letters.len() as u16, fold })),
        }
        self.open |= !letters.is_empty();
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.rest = self.rest.get(letter.len_utf8()..)?;
        Some(letter)
    }

    fn takes(&mut self, letter: char) -> bool {
        let rest = self.rest.strip_prefix(letter);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn at(&self) -> usize {
        self.program.steps.len()
    }

    fn push(&mut self, step: Step) {
        self.open = false;
        self.program.steps.push(step);
    }
}

/// How often something is there, `most` without a bound for none.
struct Times {
    least: u16,
    most: Option<u16>,
    greedy: bool,
}

/// True when these steps may fit nothing at all.
fn passes(block: &[Step]) -> bool {
    let mut reached = vec![false; block.len() + 1];
    reached.first_mut().into_iter().for_each(|first| *first = true);
    for (at, step) in block.iter().enumerate() {
        if !reached.get(at).copied().unwrap_or_default() {
            continue;
        }
        let ahead = |far: i32| usize::try_from(far).unwrap_or_default() + at;
        let next = match *step {
            Step::Text(_) | Step::Done => [at, at],
            Step::Run { least, .. } if least > 0 => [at, at],
            Step::Branch { other, .. } => [at + 1, ahead(other)],
            Step::Jump(far) => [ahead(far), at],
            Step::Run { .. } | Step::Loop { .. } | Step::Again(_) | Step::Mark(_) | Step::Look(_) => [at + 1, at],
        };
        next.into_iter().for_each(|next| reached.get_mut(next).into_iter().for_each(|slot| *slot = true));
    }
    reached.last() == Some(&true)
}

fn far(steps: usize) -> Option<i32> {
    i32::try_from(steps).ok()
}
