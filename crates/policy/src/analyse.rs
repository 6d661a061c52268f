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

use crate::effects::{Effects, Hidden, Simple};
use crate::readers::{self, only_options};
use reasonix_proto::ReadOnly;
use std::borrow::{Borrow, Cow};
use std::cell::RefCell;
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
    let mut effects = Effects { understood: true, ..Effects::default() };
    // Between words an escaped line end is a blank; inside of one it is an odd spelling.
    let plain =
        line.match_indices("\\\n").all(|(at, _)| line.get(..at).is_some_and(|before| before.ends_with([' ', '\t'])));
    effects.understood &= plain;
    let line = &*joined(line);
    text(line, &mut effects, |walk| walk.places = crate::effects::Places::default());
    settle_arithmetic(&mut effects);
    effects.understood &= effects.hidden.is_none();
    effects.read_only = readers::read_only(&effects);
    effects
}

/// The line with its parts joined where line ends are escaped, as a shell does before it reads words. Left as it is where
/// an escaped line end may stand in something that a shell takes as it is.
fn joined(line: &str) -> Cow<'_, str> {
    let plain = !line.contains(['\'', '#', '`']) && !line.contains("<<") && !line.contains("\\\\");
    if plain && line.contains("\\\n") { Cow::Owned(line.replace("\\\n", "")) } else { Cow::Borrowed(line) }
}

/// Arithmetic evaluates what is in its variables; when the line sets some, that may be code.
fn settle_arithmetic(effects: &mut Effects) {
    if !effects.computes {
        return;
    }
    const FILLS: &[&str] = &["getopts", "mapfile", "printf", "read", "readarray", "set"];
    let filled =
        |simple: &Simple| FILLS.contains(&simple.program()) && !(simple.program() == "set" && only_options(simple));
    let filled = effects.commands.iter().any(filled);
    if effects.values.iter().any(|text| text.contains("$(") || text.contains('`')) {
        effects.hide(Hidden::Text);
    } else if filled || !effects.values.iter().all(|text| text.chars().all(|c| c.is_ascii_digit() || c == '-')) {
        effects.interprets = true;
    }
}

/// Whether the line can change anything, by the wide reading.
pub fn read_only(line: &str) -> ReadOnly {
    analyse(line).read_only
}

/// True for a program that runs the command behind it.
pub(crate) fn wraps(name: &str) -> bool {
    name == "ld.so" || programs::WRAPPERS.iter().any(|wrapper| wrapper.name == name)
}

/// True for a program that runs what these words of it say.
pub(crate) fn runs_by_words(name: &str, args: &[&str]) -> bool {
    let found = programs::RUNNERS.iter().find(|(program, _)| *program == name);
    found.is_some_and(|(_, subs)| subs.is_empty() || args.iter().any(|word| subs.contains(word)))
}

/// True for a shell.
pub(crate) fn is_shell(name: &str) -> bool {
    programs::SHELLS.contains(&name)
}

/// True for a program that runs a file of code, or its input.
pub(crate) fn takes_code(name: &str) -> bool {
    programs::INTERPRETERS.iter().any(|row| row.names.contains(&name) && row.input)
}

/// True for a program that takes code whatever its arguments are.
pub(crate) fn always_takes_code(name: &str) -> bool {
    programs::INTERPRETERS.iter().any(|row| row.names.contains(&name) && row.flags.contains(&"*"))
}

fn text(line: &str, effects: &mut Effects, begin: impl FnOnce(&mut Walk<'_>)) {
    if line.len() > LONGEST {
        effects.understood = false;
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
        parser.parse(&*masked(line), None)
    })
}

/// The text with a letter of the same length for every character that is not ASCII. The scanner looks characters up in a
/// table that is too short for most of them, and reads beyond its end; to a shell they are letters too.
fn masked(line: &str) -> Cow<'_, str> {
    if line.is_ascii() {
        return Cow::Borrowed(line);
    }
    let letters = |c: char| match c.len_utf8() {
        1 => String::from(c),
        2 => "é".to_owned(),
        3 => "éx".to_owned(),
        _ => "éé".to_owned(),
    };
    Cow::Owned(line.chars().map(letters).collect())
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
