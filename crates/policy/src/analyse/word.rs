//! Words as the shell reads them: quotes taken off, and what is only known when it runs marked.

use super::kind_of;
use super::walk::{Walk, only_word};
use crate::effects::{Hidden, Word, WordKind};
use tree_sitter::Node;

impl Walk<'_> {
    /// Reads a word. Commands inside of it are not looked at here.
    pub(super) fn word(&mut self, node: Node<'_>) -> Word {
        let mut word = Word::fixed("");
        self.add(node, &mut word);
        word
    }

    fn add(&mut self, node: Node<'_>, word: &mut Word) {
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
                if raw.contains('@') && !raw.contains("[@]") && !raw.starts_with("${@") {
                    // `${x@P}` runs what is in the variable.
                    self.effects.hide(Hidden::Text);
                }
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

    /// The children and what stands between them.
    fn add_parts(&mut self, node: Node<'_>, word: &mut Word, is_string: bool) {
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

fn add_plain(raw: &str, word: &mut Word) {
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => word.text.extend(chars.next().filter(|c| *c != '\n')),
            _ => {
                if matches!(c, '*' | '?' | '[' | '{') {
                    mark(word, WordKind::Pattern);
                }
                word.text.push(c);
            }
        }
    }
}

fn mark(word: &mut Word, kind: WordKind) {
    word.kind = word.kind.max(kind);
}

/// Adds text inside double quotes with its escapes resolved.
fn add_unquoted(raw: &str, word: &mut Word) {
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
