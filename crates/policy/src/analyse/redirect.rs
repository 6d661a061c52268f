//! Redirections: what the shell itself would read and write.

use super::check;
use super::kind_of;
use super::walk::{Stdin, Walk};
use crate::effects::{Hidden, How, Word, WordKind, Write};
use tree_sitter::Node;

impl Walk<'_> {
    pub(super) fn redirected(&mut self, node: Node<'_>, deep: usize) {
        let mut before = self.places.clone();
        let body = node.child_by_field_name("body");
        let mut cursor = node.walk();
        let redirects: Vec<_> = node.children_by_field_name("redirect", &mut cursor).collect();
        let more: Vec<Word> = redirects.iter().flat_map(|redirect| self.stray_words(*redirect, deep)).collect();
        self.dashes.extend(check::lone_dash(self.source, node).map(|(end, _)| end));
        match body {
            Some(body) if kind_of(body) == "command" => {
                self.stdin = self.heredoc(&redirects);
                self.command(body, more, deep + 1);
            }
            Some(body) => {
                // The words belong to a command that the tree does not say.
                if !more.is_empty() {
                    self.effects.hide(Hidden::Unparsed);
                }
                self.visit(body, deep + 1);
            }
            None if !more.is_empty() => self.effects.hide(Hidden::Unparsed),
            None => {}
        }
        // The redirection may belong to the last command of a list, after a change of folder.
        let after = self.places.clone();
        before.widen(&after);
        self.places = before;
        for redirect in redirects {
            self.visit(redirect, deep + 1);
        }
        self.places = after;
    }

    /// Words behind a redirection's target: arguments of the command, though the tree shows them here.
    fn stray_words(&mut self, redirect: Node<'_>, deep: usize) -> Vec<Word> {
        let mut cursor = redirect.walk();
        let found: Vec<_> = match kind_of(redirect) {
            "file_redirect" => redirect.children_by_field_name("destination", &mut cursor).skip(1).collect(),
            "heredoc_redirect" => redirect.children_by_field_name("argument", &mut cursor).collect(),
            _ => Vec::new(),
        };
        found
            .into_iter()
            .flat_map(|node| {
                self.visit(node, deep + 1);
                self.words(node)
            })
            .collect()
    }

    /// What a heredoc among the redirections says, when nothing in it is filled in.
    fn heredoc(&self, redirects: &[Node<'_>]) -> Stdin {
        let bodies: Vec<_> = redirects
            .iter()
            .filter(|redirect| kind_of(**redirect) == "heredoc_redirect")
            .flat_map(|redirect| {
                let mut cursor = redirect.walk();
                redirect.children(&mut cursor).filter(|child| kind_of(child) == "heredoc_body").collect::<Vec<_>>()
            })
            .collect();
        match bodies.as_slice() {
            [body] => {
                let text = self.slice(*body);
                let fixed = check::is_quoted_heredoc(self.source, *body) || !text.contains(['$', '`', '\\']);
                if fixed { Stdin::Text(text.to_owned()) } else { Stdin::Unknown }
            }
            _ => Stdin::Unknown,
        }
    }

    pub(super) fn redirect(&mut self, node: Node<'_>, deep: usize) {
        let mut cursor = node.walk();
        let operator = node.children(&mut cursor).find(|child| !child.is_named()).map_or("", |child| kind_of(child));
        let target = node.child_by_field_name("destination");
        let word = target.map(|target| self.word(target));
        if let Some(target) = target {
            self.visit(target, deep + 1);
        }
        let Some(word) = word else { return };
        let duplicates = matches!(operator, ">&" | "<&") && word.text.chars().all(|c| c.is_ascii_digit() || c == '-');
        if duplicates && word.kind == WordKind::Fixed {
            return;
        }
        let how = match operator {
            ">>" | "&>>" => How::Append,
            ">" | ">|" | "&>" | ">&" => How::Over,
            "<" | "<&" => {
                self.effects.reads = true;
                if word.is_fixed() {
                    self.effects.inputs.push((word.text.clone(), self.places.clone()));
                }
                if word.text.starts_with("/dev/tcp/") || word.text.starts_with("/dev/udp/") {
                    self.effects.interprets = true;
                }
                return;
            }
            _ => return self.effects.hide(Hidden::Unparsed),
        };
        self.write(&word, how, true);
    }

    /// Notes a file that would be written.
    pub(super) fn write(&mut self, word: &Word, how: How, redirect: bool) {
        let path = Some(word).filter(|word| word.is_fixed()).map(|word| word.text.clone());
        if path.as_deref().is_some_and(is_sink) {
            return;
        }
        self.effects.writes.push(Write {
            path,
            places: self.places.clone(),
            how,
            redirect,
            judged: false,
            links: false,
            within: false,
        });
    }
}

/// True for devices where nothing is kept.
fn is_sink(path: &str) -> bool {
    let descriptor = path.strip_prefix("/dev/fd/").or_else(|| path.strip_prefix("/proc/self/fd/"));
    matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/zero" | "/dev/full" | "/dev/tty")
        || descriptor.is_some_and(|number| number.chars().all(|c| c.is_ascii_digit()))
}
