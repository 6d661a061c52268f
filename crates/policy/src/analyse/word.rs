//! Words as the shell reads them: quotes taken off, and what is only known when it runs marked.

use super::kind_of;
use super::walk::{Walk, only_word};
use crate::effects::{Hidden, Word, WordKind};
use tree_sitter::Node;

impl Walk<'_> {
    /// Reads a word. Commands inside of it are not looked at here. Braces that make several words of it are left in it,
    /// and then it is not known what it says.
    pub(super) fn word(&mut self, node: Node<'_>) -> Word {
        let mut spread = Spread::new();
        self.add(node, &mut spread);
        spread.one()
    }

    /// The words that a shell makes of one: several where there are braces.
    pub(super) fn words(&mut self, node: Node<'_>) -> Vec<Word> {
        let mut spread = Spread::new();
        self.add(node, &mut spread);
        spread.words()
    }

    fn add(&mut self, node: Node<'_>, word: &mut Spread) {
        let raw = self.slice(node);
        match kind_of(node) {
            "raw_string" => word.text.push_str(raw.trim_matches('\'')),
            "ansi_c_string" => {
                let inner = raw.strip_prefix("$'").and_then(|rest| rest.strip_suffix('\'')).unwrap_or(raw);
                word.text.push_str(inner);
                mark(word, if inner.contains('\\') { WordKind::Computed } else { WordKind::Fixed });
            }
            "string" => self.add_parts(node, word, true),
            "translated_string" | "concatenation" | "command_name" => self.add_parts(node, word, false),
            "simple_expansion" => {
                word.text.push_str(raw);
                mark(word, WordKind::Variable);
            }
            "expansion" => {
                let name = raw.trim_start_matches("${").trim_end_matches('}');
                let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                word.text.push_str(raw);
                mark(word, if plain { WordKind::Variable } else { WordKind::Computed });
            }
            "command_substitution" | "process_substitution" | "arithmetic_expansion" => {
                word.text.push_str(raw);
                mark(word, WordKind::Computed);
            }
            "string_content" => add_unquoted(raw, word),
            _ if node.named_child_count() > 0 => {
                word.text.push_str(raw);
                mark(word, WordKind::Computed);
            }
            _ => add_plain(raw, word),
        }
    }

    /// Notes an expansion that evaluates what is in a variable.
    pub(super) fn expansion(&mut self, node: Node<'_>) {
        let raw = self.slice(node);
        if runs_value(raw) {
            self.effects.hide(Hidden::Text);
        }
        self.effects.computes |= evaluates(raw);
        // What the name stands for may be a name with a subscript, which is evaluated.
        let lists = ["[@]}", "[*]}", "*}", "@}"].iter().any(|end| raw.ends_with(end));
        self.effects.interprets |= raw.starts_with("${!") && !lists;
    }

    /// The children and what stands between them.
    fn add_parts(&mut self, node: Node<'_>, word: &mut Spread, is_string: bool) {
        if let Some(only) = only_word(node) {
            return self.add(only, word);
        }
        let mut at = node.start_byte() + usize::from(is_string);
        let end = node.end_byte().saturating_sub(usize::from(is_string));
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            if kind_of(child) == "\"" || (kind_of(child) == "$" && !is_string) {
                at = at.max(child.end_byte().min(end));
                continue;
            }
            let between = self.source.get(at..child.start_byte()).unwrap_or_default();
            add_unquoted(between, word);
            self.add(child, word);
            at = child.end_byte();
        }
        add_unquoted(self.source.get(at..end).unwrap_or_default(), word);
    }
}

/// A word while it is read, and where braces and commas stand in it that are not quoted.
struct Spread {
    text: String,
    kind: WordKind,
    marks: Vec<usize>,
}

/// Braces that make more words than this are not followed.
const MOST_WORDS: usize = 64;

impl Spread {
    fn new() -> Self {
        Self { text: String::new(), kind: WordKind::Fixed, marks: Vec::new() }
    }

    fn one(self) -> Word {
        let spreads = !self.marks.is_empty() && self.text.contains('{') && self.spreads();
        let kind = if spreads { WordKind::Computed } else { self.kind };
        Word { text: self.text, kind }
    }

    fn words(self) -> Vec<Word> {
        if self.marks.is_empty() || !self.text.contains('{') {
            return vec![Word { text: self.text, kind: self.kind }];
        }
        let active = |at: usize| self.marks.binary_search(&at).is_ok();
        let letters: Vec<Letter> = self.text.char_indices().map(|(at, c)| (c, active(at))).collect();
        let mut found = Vec::new();
        if !expand(&letters, &mut found) {
            return vec![Word { text: self.text, kind: WordKind::Computed }];
        }
        let text = |letters: Vec<Letter>| letters.into_iter().map(|(c, _)| c).collect::<String>();
        let words = found.into_iter().map(|letters| Word { text: text(letters), kind: self.kind });
        // A shell drops what becomes empty without quotes; where quotes stood is not known here.
        words.filter(|word| !word.text.is_empty()).collect()
    }

    /// True when braces make something else of the word.
    fn spreads(&self) -> bool {
        let active = |at: usize| self.marks.binary_search(&at).is_ok();
        let letters: Vec<Letter> = self.text.char_indices().map(|(at, c)| (c, active(at))).collect();
        let mut found = Vec::new();
        !expand(&letters, &mut found) || found.len() != 1
    }
}

/// A character, and whether it means something to the shell.
type Letter = (char, bool);

/// The words that braces make; false when there are too many, or when they count.
fn expand(letters: &[Letter], found: &mut Vec<Vec<Letter>>) -> bool {
    let mut from = 0;
    while let Some(open) = letters.iter().skip(from).position(|letter| *letter == ('{', true)).map(|at| at + from) {
        let Some((close, commas)) = closing(letters, open) else {
            from = open + 1;
            continue;
        };
        let inner = letters.get(open + 1..close).unwrap_or_default();
        if commas.is_empty() {
            if inner.windows(2).any(|pair| matches!(pair, [('.', _), ('.', _)])) {
                return false;
            }
            from = open + 1;
            continue;
        }
        let ends = commas.iter().copied().chain([close]);
        let starts = std::iter::once(open).chain(commas.iter().copied());
        for (start, end) in starts.zip(ends) {
            let part = letters.get(start + 1..end).unwrap_or_default();
            let (before, after) =
                (letters.get(..open).unwrap_or_default(), letters.get(close + 1..).unwrap_or_default());
            if found.len() > MOST_WORDS || !expand(&[before, part, after].concat(), found) {
                return false;
            }
        }
        return true;
    }
    found.push(letters.to_vec());
    found.len() <= MOST_WORDS
}

/// The brace that closes this one, and the commas between them that belong to it.
fn closing(letters: &[Letter], open: usize) -> Option<(usize, Vec<usize>)> {
    let (mut deep, mut commas) = (0_usize, Vec::new());
    for (at, letter) in letters.iter().enumerate().skip(open) {
        match letter {
            ('{', true) => deep += 1,
            ('}', true) => {
                deep -= 1;
                if deep == 0 {
                    return Some((at, commas));
                }
            }
            (',', true) if deep == 1 => commas.push(at),
            _ => {}
        }
    }
    None
}

/// True for an expansion that runs what is in the variable, `${x@P}`; the other letters only show it differently.
fn runs_value(raw: &str) -> bool {
    let Some((_, operator)) = raw.trim_end_matches('}').rsplit_once('@') else { return false };
    let shows = matches!(operator, "Q" | "E" | "A" | "a" | "U" | "u" | "L" | "K" | "k");
    let all = raw.contains("[@]") || raw.starts_with("${@");
    raw.contains("@P") || !(shows || all)
}

/// True when a part of the expansion is calculated: `${x:from:length}`, a subscript, or a name that is looked up.
fn evaluates(raw: &str) -> bool {
    let inner = raw.trim_start_matches("${");
    if inner.starts_with('!') {
        return true;
    }
    let name = inner.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    name.strip_prefix(':').is_some_and(|rest| {
        !rest.starts_with(['-', '=', '?', '+']) && rest.contains(|c: char| c.is_alphabetic() || c == '$')
    })
}

fn add_plain(raw: &str, word: &mut Spread) {
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => word.text.extend(chars.next().filter(|c| *c != '\n')),
            _ => {
                if matches!(c, '*' | '?' | '[') {
                    mark(word, WordKind::Pattern);
                }
                if matches!(c, '{' | '}' | ',') {
                    word.marks.push(word.text.len());
                }
                word.text.push(c);
            }
        }
    }
}

fn mark(word: &mut Spread, kind: WordKind) {
    word.kind = word.kind.max(kind);
}

/// Adds text inside double quotes with its escapes resolved.
fn add_unquoted(raw: &str, word: &mut Spread) {
    if !raw.contains('\\') {
        return word.text.push_str(raw);
    }
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('\n')) => {
                chars.next();
            }
            ('\\', Some('"' | '\\' | '$' | '`')) => word.text.extend(chars.next()),
            _ => word.text.push(c),
        }
    }
}
