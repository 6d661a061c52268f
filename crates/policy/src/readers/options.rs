//! Options held against a row of a table, letter by letter.

use crate::effects::{Word, WordKind};

/// The options of a program.
pub(super) struct Row {
    /// Its names.
    pub(super) names: &'static str,
    /// Letters; `:` behind one takes a value, `?` an attached one, `#` alone stands for numbers.
    pub(super) short: &'static str,
    /// Names; `=` behind one takes a value, `?` an attached one, `==` two words.
    pub(super) long: &'static str,
    /// How many operands it may have.
    pub(super) most: usize,
}

impl Row {
    pub(super) fn is_for(&self, name: &str) -> bool {
        self.names.split(' ').any(|known| known == name)
    }

    /// How many further words this option takes; none when it is not one.
    fn takes(&self, text: &str) -> Option<usize> {
        match text.strip_prefix("--") {
            Some(name) => self.long(name),
            None => self.letters(text.strip_prefix('-')?),
        }
    }

    fn long(&self, text: &str) -> Option<usize> {
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        let known = self.long.split(' ').find(|known| known.trim_end_matches(['=', '?']) == name)?;
        match (known.get(name.len()..)?, value) {
            ("", None) | ("?", _) | ("=", Some(_)) => Some(0),
            ("=", None) => Some(1),
            ("==", None) => Some(2),
            _ => None,
        }
    }

    fn letters(&self, text: &str) -> Option<usize> {
        if self.short.starts_with('#') && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(0);
        }
        let mut rest = text.chars();
        while let Some(letter) = rest.next() {
            let at = self.short.find(letter).filter(|_| letter.is_ascii_alphanumeric() || letter == '.')?;
            match self.short.get(at + letter.len_utf8()..)?.chars().next() {
                Some(':') => return Some(usize::from(rest.as_str().is_empty())),
                Some('?') => return Some(0),
                _ => {}
            }
        }
        Some(0)
    }
}

/// The operands of these words; none when an option is not in the row, or when there are too many of them.
pub(super) fn operands<'w>(row: &Row, args: &'w [Word]) -> Option<Vec<&'w Word>> {
    let (mut rest, mut found, mut many) = (args, Vec::new(), false);
    while let Some((word, more)) = rest.split_first() {
        rest = more;
        if word.text == "--" {
            found.extend(more);
            many |= more.iter().any(|word| !word.is_fixed());
            break;
        }
        if word.kind == WordKind::Pattern || !word.text.starts_with('-') || word.text == "-" {
            // A pattern may become any number of names.
            many |= !word.is_fixed();
            found.push(word);
            continue;
        }
        let taken = row.takes(&word.text)?;
        if more.len() < taken || more.iter().take(taken).any(|word| !word.is_fixed()) {
            return None;
        }
        rest = more.get(taken..)?;
    }
    let fits = found.len() <= row.most && (!many || row.most == usize::MAX);
    fits.then_some(found)
}
