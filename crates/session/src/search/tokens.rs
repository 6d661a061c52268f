//! Words of a text, as the index has them: lower case, names also in their parts, and Chinese, Japanese and Korean as
//! pairs of characters, since those scripts do not part words. Pure.

/// A longer run of letters and digits is data, such as a hash or base64, and not a word.
const LONGEST: usize = 48;

/// What a query asks for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Term {
    /// This word or pair of characters.
    Whole(String),
    /// Anything that begins with this one character.
    Begins(String),
}

/// The words of a text, parted by blanks.
pub(crate) fn indexed(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut push = |word: &str| {
        out.push_str(word);
        out.push(' ');
    };
    for run in runs(text) {
        match run {
            // The last character stands alone too, so that every single one can be found by how a pair begins.
            Run::Pairs(chars) => {
                pairs(&chars).for_each(|pair| push(&pair));
                chars.last().into_iter().for_each(|last| push(last.encode_utf8(&mut [0; 4])));
            }
            Run::Word(word) => words(&word).iter().for_each(|word| push(word)),
        }
    }
    out
}

/// The words to look for, each once, in order.
pub(crate) fn asked(query: &str) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    for run in runs(query) {
        let found = match run {
            Run::Pairs(chars) if chars.len() == 1 => vec![Term::Begins(chars.iter().collect())],
            Run::Pairs(chars) => pairs(&chars).map(Term::Whole).collect(),
            Run::Word(word) => words(&word).into_iter().map(Term::Whole).collect(),
        };
        found.into_iter().for_each(|term| {
            if !terms.contains(&term) {
                terms.push(term);
            }
        });
    }
    terms
}

/// A piece of a text.
enum Run {
    /// Letters, digits and underscores, as they were written.
    Word(String),
    /// Characters of a script that does not part words.
    Pairs(Vec<char>),
}

fn runs(text: &str) -> impl Iterator<Item = Run> {
    let mut chars = text.chars().peekable();
    std::iter::from_fn(move || {
        while chars.next_if(|c| !is_word(*c)).is_some() {}
        let first = *chars.peek()?;
        if is_unparted(first) {
            let mut run = Vec::new();
            while let Some(next) = chars.next_if(|c| is_unparted(*c)) {
                run.push(next);
            }
            return Some(Run::Pairs(run));
        }
        let mut run = String::new();
        while let Some(next) = chars.next_if(|c| is_word(*c) && !is_unparted(*c)) {
            run.push(next);
        }
        Some(Run::Word(run))
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Han, kana and Hangul.
pub(crate) fn is_unparted(c: char) -> bool {
    matches!(u32::from(c), 0x1100..=0x11ff | 0x3005..=0x3007 | 0x3040..=0x30ff | 0x3130..=0x318f | 0x31f0..=0x31ff
        | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff | 0xff66..=0xff9f
        | 0x20000..=0x323af)
}

fn pairs(chars: &[char]) -> impl Iterator<Item = String> {
    chars.windows(2).map(|pair| pair.iter().collect())
}

/// A name and its parts: `parseArgs` is also `parse` and `args`.
fn words(run: &str) -> Vec<String> {
    let run = run.trim_matches('_');
    if run.is_empty() || run.len() > LONGEST {
        return Vec::new();
    }
    let parts = parts(run);
    let mut found = vec![run.to_lowercase()];
    if parts.len() > 1 {
        found.extend(parts.iter().filter(|part| part.chars().count() > 1).map(|part| part.to_lowercase()));
    }
    found
}

/// The parts of a name: at underscores, and where a capital letter begins a new word.
fn parts(run: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for piece in run.split('_').filter(|piece| !piece.is_empty()) {
        let mut part = String::new();
        let mut chars = piece.chars().peekable();
        while let Some(c) = chars.next() {
            let next_small = chars.peek().is_some_and(|next| next.is_lowercase());
            let after_small = part.chars().last().is_some_and(|last| last.is_lowercase() || last.is_numeric());
            if c.is_uppercase() && !part.is_empty() && (after_small || next_small) {
                parts.push(std::mem::take(&mut part));
            }
            part.push(c);
        }
        parts.push(part);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::{Term, asked, indexed};

    fn whole(words: &[&str]) -> Vec<Term> {
        words.iter().map(|word| Term::Whole((*word).to_owned())).collect()
    }

    #[test]
    fn words_names_and_pairs() {
        for (text, wanted) in [
            ("Fix the Parser!", "fix the parser "),
            ("parseArgs", "parseargs parse args "),
            ("HTTPServer2", "httpserver2 http server2 "),
            ("read_file __x__", "read_file read file x "),
            ("src/lib.rs", "src lib rs "),
            ("修复解析", "修复 复解 解析 析 "),
            ("用 Rust 写", "用 rust 写 "),
            ("テスト失敗", "テス スト ト失 失敗 敗 "),
            ("Größe", "größe "),
            ("…—", ""),
        ] {
            assert_eq!(indexed(text), wanted, "{text}");
        }
        assert_eq!(indexed(&"a".repeat(100)), "", "a hash is no word");
    }

    #[test]
    fn every_part_of_a_text_can_be_asked_for() {
        assert_eq!(asked("Parser parser PARSER"), whole(&["parser"]));
        assert_eq!(asked("解析"), whole(&["解析"]));
        assert_eq!(asked("复解析"), whole(&["复解", "解析"]));
        assert_eq!(asked("析"), vec![Term::Begins("析".into())]);
        assert_eq!(asked("\"*)("), vec![]);
    }

    proptest::proptest! {
        #[test]
        fn what_is_asked_for_is_in_the_index(text in "[a-zA-Z_修复解析器テ ./-]{0,40}") {
            let words: Vec<String> = indexed(&text).split(' ').map(str::to_owned).collect();
            for term in asked(&text) {
                let found = match &term {
                    Term::Whole(word) => words.iter().any(|known| known == word),
                    Term::Begins(start) => words.iter().any(|known| known.starts_with(start.as_str())),
                };
                proptest::prop_assert!(found, "{term:?} of {text:?}");
            }
        }
    }
}
