//! Notices that an answer repeats itself while it streams. Pure and bounded: it keeps the last bytes only.

/// What repeats is looked for in the last so many bytes: a short one for sentences, a long one for paragraphs.
const TAILS: [usize; 2] = [4096, 16384];
/// The tail must consist of at least so many repetitions.
const TIMES: usize = 6;
/// Arguments may be data: only short units over a long stretch count.
const ARGUMENT_UNIT: usize = 256;
/// How often it is looked for.
const EVERY: usize = 1024;

/// One kind of text of an answer.
#[derive(Debug, Default)]
pub(crate) struct Stutter {
    tail: Vec<u8>,
    fresh: usize,
    arguments: bool,
}

impl Stutter {
    /// For the arguments of calls.
    pub(crate) fn of_arguments() -> Self {
        Self { arguments: true, ..Self::default() }
    }

    /// Takes a piece; the length of the repeated unit once the text repeats itself.
    pub(crate) fn feed(&mut self, piece: &str) -> Option<usize> {
        let most = TAILS.iter().copied().max().unwrap_or_default();
        for part in piece.as_bytes().chunks(EVERY) {
            self.tail.extend_from_slice(part);
            self.fresh += part.len();
            if self.fresh < EVERY {
                continue;
            }
            self.fresh = 0;
            let extra = self.tail.len().saturating_sub(most);
            self.tail.drain(..extra);
            if let Some(unit) = self.unit() {
                return Some(unit);
            }
        }
        None
    }

    fn unit(&self) -> Option<usize> {
        let tails = TAILS.iter().filter(|length| !self.arguments || **length == 16384);
        let mut units = tails.filter_map(|length| {
            let tail = self.tail.get(self.tail.len().checked_sub(*length)?..)?;
            Some(period(tail)).filter(|unit| *unit <= length / TIMES && (!self.arguments || *unit <= ARGUMENT_UNIT))
        });
        units.next()
    }
}

/// The smallest shift that maps a text onto itself.
fn period(text: &[u8]) -> usize {
    // The classic table of borders: `border[i]` is the length of the longest border of the first `i + 1` bytes.
    let mut borders: Vec<usize> = Vec::with_capacity(text.len());
    let mut border = 0;
    borders.push(0);
    for byte in text.iter().skip(1) {
        while border > 0 && text.get(border) != Some(byte) {
            border = borders.get(border - 1).copied().unwrap_or_default();
        }
        if text.get(border) == Some(byte) {
            border += 1;
        }
        borders.push(border);
    }
    text.len() - borders.last().copied().unwrap_or_default()
}

/// The text without the repetitions at its end but the first two, and a word about it.
pub(crate) fn shortened(text: &str, unit: usize) -> String {
    let bytes = text.as_bytes();
    let mut start = bytes.len().saturating_sub(unit);
    while start >= unit && bytes.get(start - unit..start) == bytes.get(start..start + unit) {
        start -= unit;
    }
    let mut keep = (start + 2 * unit).min(text.len());
    while !text.is_char_boundary(keep) {
        keep += 1;
    }
    format!("{}\n[... the same again, {} bytes ...]", text.get(..keep).unwrap_or(text), text.len() - keep)
}

#[cfg(test)]
mod tests {
    use super::{Stutter, period, shortened};
    use proptest::prelude::*;

    #[test]
    fn periods() {
        for (text, wanted) in [("abcabcabc", 3), ("aaaa", 1), ("abcab", 3), ("abcd", 4), ("a", 1)] {
            assert_eq!(period(text.as_bytes()), wanted, "{text}");
        }
    }

    #[test]
    fn loops_are_found_and_cut() {
        for unit in ["I will now read the file.\n", "好的，", "x", &"A long paragraph, again. ".repeat(40)] {
            let unit = if unit.len() > 500 { format!("{unit}!") } else { unit.to_owned() };
            let text = format!("Let me see. {}", unit.repeat(20_000 / unit.len() + 8));
            let mut stutter = Stutter::default();
            let found = text.split_inclusive(' ').find_map(|piece| stutter.feed(piece));
            let found = found.unwrap_or_else(|| panic!("not found: {unit:.20}"));
            assert_eq!(found % unit.len(), 0);
            let cut = shortened(&text, found);
            assert!(cut.len() < "Let me see. ".len() + 4 * unit.len() + 80, "{}", cut.len());
            assert!(cut.starts_with("Let me see. "));
        }
    }

    #[test]
    fn what_people_write_is_no_loop() {
        let table: String = (0..400).map(|n| format!("| row {n} | 0 | 0 | 0 |\n")).collect();
        let code: String = (0..300).map(|n| format!("    case {n}: return {};\n", n * 7)).collect();
        let rule = format!("{}\n", "-".repeat(2000));
        for text in [table, code, rule] {
            assert_eq!(Stutter::default().feed(&text), None, "{text:.40}");
        }
    }

    proptest! {
        #[test]
        fn pieces_do_not_decide_whether(seed in "[a-z ]{3,40}", size in 1usize..400) {
            let text = seed.repeat(9000 / seed.len());
            let mut stutter = Stutter::default();
            let bytes = text.as_bytes().chunks(size);
            let found = bytes.map(|piece| std::str::from_utf8(piece).unwrap()).any(|piece| stutter.feed(piece).is_some());
            prop_assert!(found);
        }
    }
}
