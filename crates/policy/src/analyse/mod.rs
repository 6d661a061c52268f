//! From the text of a command line to its effects, by its syntax tree. Pure: no file is looked at. What cannot be
//! read for certain is hidden, never guessed.

mod check;
mod interpret;
mod programs;
mod redirect;
mod sed;
mod unwrap;
mod walk;
mod word;
mod writes;

use crate::effects::{Effects, Hidden};
use crate::readers;
use reasonix_proto::ReadOnly;
use std::borrow::{Borrow, Cow};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::LazyLock;
use tree_sitter::{Language, Node, Parser, Tree};
use walk::Walk;

/// Longer lines are not looked at.
const LONGEST: usize = 128 * 1024;

/// More commands in one line are not looked at.
pub(crate) const MOST_COMMANDS: usize = 400;

/// Texts of commands inside texts of commands.
pub(crate) const DEEPEST_TEXT: usize = 6;

/// Syntax inside syntax.
pub(crate) const DEEPEST_TREE: usize = 120;

/// What the line would do.
pub fn analyse(line: &str) -> Effects {
    let mut effects = Effects::default();
    text(line, &mut effects, |walk| walk.places = crate::effects::Places::default());
    settle_arithmetic(&mut effects);
    effects.read_only = readers::read_only(&effects);
    effects
}

/// Arithmetic evaluates what is in its variables; when the line sets some, that may be code.
fn settle_arithmetic(effects: &mut Effects) {
    if !effects.computes {
        return;
    }
    if effects.values.iter().any(|text| text.contains("$(") || text.contains('`')) {
        effects.hide(Hidden::Text);
    } else if !effects.values.iter().all(|text| text.chars().all(|c| c.is_ascii_digit() || c == '-')) {
        effects.interprets = true;
    }
}

/// Whether the line can change anything. What was found is left for whoever judges the same line next.
pub fn read_only(line: &str) -> ReadOnly {
    let effects = analyse(line);
    let read_only = effects.read_only;
    LEFT.with(|left| {
        let mut left = left.borrow_mut();
        if left.len() >= MOST_LEFT {
            left.pop_front();
        }
        left.push_back((line.to_owned(), effects));
    });
    read_only
}

/// What the line would do, without another look where [`read_only`] has just looked.
pub(crate) fn analysed(line: &str) -> Effects {
    let left = LEFT.with(|left| {
        let mut left = left.borrow_mut();
        left.iter().position(|(text, _)| text == line).and_then(|at| left.remove(at))
    });
    left.map_or_else(|| analyse(line), |(_, effects)| effects)
}

/// The calls of one step are described together before the first of them is judged.
const MOST_LEFT: usize = 16;

thread_local! {
    /// What was found for lines that are not judged yet. The same text always has the same effects.
    static LEFT: RefCell<VecDeque<(String, Effects)>> = const { RefCell::new(VecDeque::new()) };
}

fn text(line: &str, effects: &mut Effects, begin: impl FnOnce(&mut Walk<'_>)) {
    if line.len() > LONGEST {
        return effects.hide(Hidden::TooLong);
    }
    let line = ended(line);
    let Some(tree) = parse(&line) else { return effects.hide(Hidden::Unparsed) };
    let mut walk = Walk::new(&line, effects);
    begin(&mut walk);
    walk.whole(&tree);
}

/// The text with a line end. Without one, the parser goes on to mend readings of the last word that it has given up
/// already, which takes it longer than everything before. Left as it is where a line end may mean something: after a
/// backslash, and in a heredoc that is not closed.
pub(crate) fn ended(line: &str) -> Cow<'_, str> {
    let open = line.ends_with(|c: char| c.is_whitespace() || c == '\\') || line.contains("<<");
    if open { Cow::Borrowed(line) } else { Cow::Owned(format!("{line}\n")) }
}

/// Parses with one parser a thread: making one costs more than using it.
pub(crate) fn parse(line: &str) -> Option<Tree> {
    thread_local! {
        static PARSER: RefCell<Option<Parser>> = RefCell::new(new_parser());
    }
    PARSER.with(|parser| {
        let mut parser = parser.borrow_mut();
        let parser = parser.as_mut()?;
        parser.reset();
        parser.parse(line, None)
    })
}

/// What a node is called. The node's own answer looks at every character of its name each time.
fn kind_of<'t>(node: impl Borrow<Node<'t>>) -> &'static str {
    static KINDS: LazyLock<Vec<Option<&'static str>>> = LazyLock::new(|| {
        let language = Language::from(tree_sitter_bash::LANGUAGE);
        (0..=u16::MAX).take(language.node_kind_count()).map(|id| language.node_kind_for_id(id)).collect()
    });
    let node = node.borrow();
    let known = KINDS.get(usize::from(node.kind_id())).copied().flatten();
    debug_assert!(known.is_none_or(|known| known == node.kind()));
    known.unwrap_or_else(|| node.kind())
}

fn new_parser() -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    Some(parser)
}
