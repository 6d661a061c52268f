//! The walk over a syntax tree: every command in it, where it would run, and what the shell itself would write.

use super::{DEEPEST_TEXT, DEEPEST_TREE, check, kind_of};
use crate::effects::{Effects, Hidden, Places, Word};
use crate::narrow;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// Kinds of nodes that only hold others, sorted. A kind that is in no list hides the line.
const HOLDERS: &[&str] = &[
    "arithmetic_expansion",
    "array",
    "binary_expression",
    "c_style_for_statement",
    "case_item",
    "case_statement",
    "command_name",
    "compound_statement",
    "concatenation",
    "do_group",
    "elif_clause",
    "else_clause",
    "for_statement",
    "heredoc_body",
    "herestring_redirect",
    "if_statement",
    "negated_command",
    "parenthesized_expression",
    "postfix_expression",
    "program",
    "simple_expansion",
    "string",
    "subscript",
    "ternary_expression",
    "translated_string",
    "unary_expression",
    "variable_assignments",
    "while_statement",
];

/// Kinds with nothing inside, sorted.
const LEAVES: &[&str] = &[
    "ansi_c_string",
    "brace_expression",
    "comment",
    "extglob_pattern",
    "file_descriptor",
    "heredoc_content",
    "heredoc_end",
    "heredoc_start",
    "number",
    "raw_string",
    "regex",
    "special_variable_name",
    "string_content",
    "test_operator",
    "variable_name",
    "word",
];

/// Kinds whose commands may run or not.
const BRANCHES: &[&str] =
    &["if_statement", "elif_clause", "else_clause", "while_statement", "for_statement", "case_statement", "case_item"];

/// What a shell would read from its standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stdin {
    /// Nobody can tell.
    Unknown,
    /// This text.
    Text(String),
}

/// A walk over one text.
pub(super) struct Walk<'a> {
    pub(super) source: &'a str,
    pub(super) effects: &'a mut Effects,
    pub(super) places: Places,
    /// Texts around this one.
    pub(super) depth: usize,
    pub(super) stdin: Stdin,
    /// The commands that stand in this very text, by their place among all.
    pub(super) spoken: Vec<usize>,
    /// Where substitutions begin that were walked.
    seen: Vec<usize>,
    /// Where commands end that have a lone `-` behind them which the tree does not show.
    pub(super) dashes: Vec<usize>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(source: &'a str, effects: &'a mut Effects) -> Self {
        Self {
            source,
            effects,
            places: Places::default(),
            depth: 0,
            stdin: Stdin::Unknown,
            spoken: Vec::new(),
            seen: Vec::new(),
            dashes: Vec::new(),
        }
    }

    /// Walks a whole tree.
    pub(super) fn whole(&mut self, tree: &Tree) {
        let checked = check::disagreement(self.source, tree).map_err(|why| self.effects.hide(why)).ok();
        self.visit(tree.root_node(), 0);
        // What runs inside of a word must have been looked at, wherever the tree has put the word.
        self.seen.sort_unstable();
        let unseen = |at: &usize| self.seen.binary_search(at).is_err();
        if checked.as_ref().is_some_and(|found| found.substitutions.iter().any(unseen)) {
            self.effects.hide(Hidden::Unparsed);
        }
        // `env A=1` sets something too, and is no assignment to a reader of words.
        self.effects.understood &= self.is_read_alike() && !self.effects.assigns;
        if self.depth == 0 && (!self.effects.understood || self.effects.interprets) {
            let (literal, heredocs) = checked.map(|found| (found.literal, found.heredocs)).unwrap_or_default();
            self.effects.open = without(self.source, literal);
            if self.effects.interprets {
                let texts = heredocs.into_iter().filter_map(|range| self.source.get(range));
                self.effects.input = texts.collect::<Vec<_>>().join("\n");
            }
        }
    }

    /// True when the narrow reading of the text finds the same commands with the same words.
    fn is_read_alike(&self) -> bool {
        if !self.effects.understood {
            return false;
        }
        let Some(narrow) = narrow::read(self.source) else { return false };
        let spoken = self.spoken.iter().filter_map(|at| self.effects.commands.get(*at));
        let writes = |path: &String| self.effects.writes.iter().any(|write| write.path.as_ref() == Some(path));
        let reads = |path: &String| self.effects.inputs.iter().any(|(input, _)| input == path);
        narrow.commands.len() == self.spoken.len()
            && spoken.zip(&narrow.commands).all(|(simple, words)| simple.words == *words)
            && narrow.outputs.iter().all(writes)
            && narrow.inputs.iter().all(reads)
    }

    /// Walks another text that would run as a part of this one.
    pub(super) fn inner(&mut self, text: &str) {
        if self.depth >= DEEPEST_TEXT {
            return self.effects.hide(Hidden::TooDeep);
        }
        let text = super::ended(text);
        let Some(tree) = super::parse(&text) else { return self.effects.hide(Hidden::Unparsed) };
        let mut walk = Walk {
            source: &text,
            places: self.places.clone(),
            depth: self.depth + 1,
            stdin: Stdin::Unknown,
            effects: self.effects,
            spoken: Vec::new(),
            seen: Vec::new(),
            dashes: Vec::new(),
        };
        walk.whole(&tree);
        self.places = walk.places;
    }

    pub(super) fn slice(&self, node: Node<'_>) -> &'a str {
        self.source.get(node.byte_range()).unwrap_or_default()
    }

    pub(super) fn visit(&mut self, node: Node<'_>, deep: usize) {
        if deep > DEEPEST_TREE {
            return self.effects.hide(Hidden::TooDeep);
        }
        let kind = kind_of(node);
        if LEAVES.binary_search(&kind).is_ok() {
            return;
        }
        self.effects.computes |= self.is_arithmetic(node, kind);
        if matches!(kind, "command_substitution" | "process_substitution") {
            self.seen.push(node.start_byte());
        }
        match kind {
            "command" => self.command(node, Vec::new(), deep),
            "expansion" => {
                self.expansion(node);
                self.children(node, deep);
            }
            "redirected_statement" => self.redirected(node, deep),
            "list" => self.list(node, deep),
            "pipeline" | "subshell" | "command_substitution" | "process_substitution" => self.apart(node, deep),
            "function_definition" => {
                let before = std::mem::replace(&mut self.places, Places::unknown());
                self.children(node, deep);
                self.places = before;
            }
            "variable_assignment" => self.assignment(node, deep),
            "declaration_command" => self.declaration(node, deep),
            "file_redirect" => self.redirect(node, deep),
            "heredoc_redirect" => self.children(node, deep),
            "unset_command" | "test_command" => {
                self.check_quoted(node, deep);
                self.check_names(node);
                self.children(node, deep);
            }
            kind if BRANCHES.contains(&kind) => {
                let before = self.places.clone();
                self.loop_variable(node);
                self.children(node, deep);
                self.places.widen(&before);
            }
            kind if kind.ends_with("_expression") && !is_evaluated(node) => self.effects.hide(Hidden::Unparsed),
            kind if HOLDERS.binary_search(&kind).is_ok() => self.children(node, deep),
            _ => self.effects.hide(Hidden::Unparsed),
        }
    }

    /// True where the shell evaluates what is in variables as expressions.
    fn is_arithmetic(&self, node: Node<'_>, kind: &str) -> bool {
        let mut text = self.slice(node);
        let evaluates = match kind {
            "subscript" => {
                text = text.split_once('[').map_or(text, |(_, index)| index);
                true
            }
            "arithmetic_expansion" | "c_style_for_statement" => true,
            "compound_statement" => text.starts_with("(("),
            "test_command" => {
                text.starts_with("[[")
                    && [" -eq ", " -ne ", " -lt ", " -le ", " -gt ", " -ge "].iter().any(|op| text.contains(op))
            }
            "command" => text.starts_with("let "),
            _ => false,
        };
        evaluates && text.contains(char::is_alphabetic)
    }

    /// The children in order; a change of folder among them may have failed.
    fn children(&mut self, node: Node<'_>, deep: usize) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            let before = self.places.clone();
            self.visit(child, deep + 1);
            if self.places != before && !self.ends_on_failure(child) {
                self.places.widen(&before);
            }
        }
    }

    /// Children that run in shells of their own: no change of folder comes out.
    fn apart(&mut self, node: Node<'_>, deep: usize) {
        let before = self.places.clone();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            let here = self.places.clone();
            self.visit(child, deep + 1);
            if kind_of(node) == "pipeline" {
                self.places.clone_from(&before);
            } else if self.places != here && !self.ends_on_failure(child) {
                self.places.widen(&here);
            }
        }
        self.places = before;
    }

    /// `a && b`, `a || b`: afterwards the places are those where both went well.
    fn list(&mut self, node: Node<'_>, deep: usize) {
        let before = self.places.clone();
        let mut cursor = node.walk();
        let children: Vec<_> = node.children(&mut cursor).collect();
        let either = children.iter().any(|child| kind_of(child) == "||");
        let ends = either && self.ends_on_failure(node);
        let mut named = children.into_iter().filter(Node::is_named);
        if let Some(left) = named.next() {
            self.visit(left, deep + 1);
        }
        let after = self.places.clone();
        if either {
            self.places.widen(&before);
        }
        for right in named {
            self.visit(right, deep + 1);
        }
        if either {
            if ends {
                self.places = after;
            } else {
                self.places.widen(&after);
            }
        }
    }

    /// True for `… || exit`.
    fn ends_on_failure(&self, node: Node<'_>) -> bool {
        if kind_of(node) != "list" {
            return false;
        }
        let mut cursor = node.walk();
        let is_or = node.children(&mut cursor).any(|child| kind_of(child) == "||");
        let last = u32::try_from(node.named_child_count()).unwrap_or(0).checked_sub(1);
        let right = last.and_then(|last| node.named_child(last)).map(|right| self.slice(right));
        is_or && right.is_some_and(|text| matches!(text.split_whitespace().next(), Some("exit" | "return")))
    }

    /// A simple command. `more` are arguments that the tree shows elsewhere.
    pub(super) fn command(&mut self, node: Node<'_>, more: Vec<Word>, deep: usize) {
        let mut words = Vec::new();
        let mut cursor = node.walk();
        let mut ended = None;
        for child in node.children(&mut cursor) {
            // Words without a blank between them are one word to a shell.
            if ended.replace(child.end_byte()) == Some(child.start_byte()) && !kind_of(child).ends_with("redirect") {
                self.effects.hide(Hidden::Unparsed);
            }
            match kind_of(child) {
                "variable_assignment" => self.assignment(child, deep),
                "file_redirect" => self.redirect(child, deep),
                "herestring_redirect" => {
                    self.stdin = self.fixed_text(child).map_or(Stdin::Unknown, Stdin::Text);
                    self.visit(child, deep + 1);
                }
                "heredoc_redirect" => self.effects.hide(Hidden::Unparsed),
                _ => {
                    words.extend(self.words(child));
                    if child.is_named() && (kind_of(child) != "command_name" || only_word(child).is_none()) {
                        self.visit(child, deep + 1);
                    }
                }
            }
        }
        if self.dashes.contains(&node.end_byte()) {
            words.push(Word::fixed("-"));
        }
        words.extend(more);
        self.add_command(words, 0);
        self.stdin = Stdin::Unknown;
    }

    /// The literal text of a here-string.
    fn fixed_text(&mut self, redirect: Node<'_>) -> Option<String> {
        let word = redirect.named_child(u32::try_from(redirect.named_child_count()).ok()?.checked_sub(1)?)?;
        Some(self.word(word)).filter(Word::is_fixed).map(|word| word.text)
    }

    fn assignment(&mut self, node: Node<'_>, deep: usize) {
        let name = node.child_by_field_name("name").map_or("", |name| self.slice(name));
        let name = name.split('[').next().unwrap_or_default();
        self.effects.alters |= !is_harmless(name) && !is_only_looks(name) && !self.splits_input(node, name);
        if is_code_for_shells(name) {
            self.effects.hide(Hidden::Text);
        }
        let counts = node.parent().is_some_and(|parent| kind_of(parent) == "c_style_for_statement");
        self.effects.assigns |= !counts;
        if let Some(value) = node.child_by_field_name("value") {
            let word = self.word(value);
            self.effects.values.push(word.text);
        }
        self.children(node, deep);
    }

    /// True for `IFS=` before `read`: it says how that one line is split, and nothing behind it.
    fn splits_input(&self, node: Node<'_>, name: &str) -> bool {
        let command = node.parent().filter(|parent| kind_of(parent) == "command");
        let called = command.and_then(|command| command.child_by_field_name("name")).map(|called| self.slice(called));
        name == "IFS" && called == Some("read")
    }

    fn declaration(&mut self, node: Node<'_>, deep: usize) {
        let mut cursor = node.walk();
        let words: Vec<_> =
            node.named_children(&mut cursor).filter(|child| kind_of(child) != "variable_name").collect();
        for child in &words {
            if kind_of(child) != "variable_assignment" {
                let word = self.word(*child);
                self.check_subscript(&word);
                // What is assigned to an integer is calculated.
                self.effects.computes |= word.text.starts_with(['-', '+']) && word.text.contains('i');
            }
        }
        self.effects.assigns |= !words.is_empty();
        self.effects.alters |= !words.is_empty();
        self.children(node, deep);
    }

    fn loop_variable(&mut self, node: Node<'_>) {
        if kind_of(node) != "for_statement" {
            return;
        }
        if let Some(name) = node.child_by_field_name("variable")
            && !is_harmless(self.slice(name))
        {
            self.effects.assigns = true;
            self.effects.alters = true;
        }
        let mut cursor = node.walk();
        let values: Vec<_> = node.children_by_field_name("value", &mut cursor).collect();
        for value in values {
            let word = self.word(value);
            self.effects.values.push(word.text);
        }
    }

    /// The same for every quoted text below a node.
    fn check_quoted(&mut self, node: Node<'_>, deep: usize) {
        if deep > DEEPEST_TREE {
            return;
        }
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            if matches!(kind_of(child), "raw_string" | "ansi_c_string" | "string" | "concatenation") {
                let word = self.word(child);
                self.check_subscript(&word);
            } else {
                self.check_quoted(child, deep + 1);
            }
        }
    }

    /// A name that only the shell knows may have a subscript, which is evaluated.
    fn check_names(&mut self, node: Node<'_>) {
        let text = self.slice(node);
        let unset = kind_of(node) == "unset_command";
        if unset || [" -v ", " -R "].iter().any(|flag| text.contains(flag)) {
            self.effects.computes |= text.contains('$');
            self.effects.interprets |= text.contains('$');
        }
    }

    /// Builtins evaluate the subscript in `a[…]` even where the word is quoted.
    pub(super) fn check_subscript(&mut self, word: &Word) {
        if word.text.contains('[') && (word.text.contains("$(") || word.text.contains('`')) {
            self.effects.hide(Hidden::Text);
        }
    }
}

/// The text without these parts of it.
fn without(text: &str, mut parts: Vec<Range<usize>>) -> String {
    parts.sort_unstable_by_key(|part| part.start);
    let (mut rest, mut at) = (String::new(), 0);
    for part in parts {
        rest.push_str(text.get(at..part.start).unwrap_or_default());
        rest.push(' ');
        at = at.max(part.end);
    }
    rest.push_str(text.get(at..).unwrap_or_default());
    rest
}

/// The plain word that is all of this node; commands are mostly called by one.
pub(super) fn only_word(node: Node<'_>) -> Option<Node<'_>> {
    let only = (node.child_count() == 1).then(|| node.child(0)).flatten()?;
    (only.byte_range() == node.byte_range() && kind_of(only) == "word").then_some(only)
}

/// True where an expression may stand. As a statement it is a command that the tree took for something else.
fn is_evaluated(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| {
        let kind = kind_of(parent);
        kind.ends_with("_expression")
            || matches!(
                kind,
                "arithmetic_expansion"
                    | "c_style_for_statement"
                    | "compound_statement"
                    | "expansion"
                    | "subscript"
                    | "test_command"
            )
    })
}

/// True for variables that no program looks at: lower-case names, proxies aside.
pub(super) fn is_harmless(name: &str) -> bool {
    !name.is_empty()
        && !name.ends_with("_proxy")
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// True for variables whose value shells run, or expand with the substitutions in it.
pub(super) fn is_code_for_shells(name: &str) -> bool {
    matches!(name, "BASH_ALIASES" | "BASH_CMDS" | "BASH_ENV" | "ENV" | "PROMPT_COMMAND" | "PS0" | "PS1" | "PS2" | "PS4")
}

/// True for variables that only change how output looks.
fn is_only_looks(name: &str) -> bool {
    matches!(name, "LANG" | "LC_ALL" | "LC_COLLATE" | "LC_CTYPE" | "LC_MESSAGES" | "TZ" | "NO_COLOR" | "COLUMNS")
}

#[cfg(test)]
mod tests {
    use super::{HOLDERS, LEAVES};

    #[test]
    fn kinds_are_sorted() {
        assert!(HOLDERS.is_sorted() && LEAVES.is_sorted());
    }
}
