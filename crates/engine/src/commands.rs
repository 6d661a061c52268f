//! The `/` commands that the engine can answer to. Each stands for an operation, a query, or another session opened by
//! the host; none is a special case here.

use reasonix_proto::{Argument, ArgumentKind, CommandInfo, CommandSource, Phrase};

/// What a session can do, as far as commands depend on it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Able {
    /// Files can be taken back.
    pub(crate) undo: bool,
    /// The session is on disk, so that it can be left and taken up again.
    pub(crate) kept: bool,
}

/// A row of the menu: name, other names, what it does, its arguments.
type Row = (&'static str, &'static [&'static str], Phrase, &'static [(Phrase, Kind, bool)]);

#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    Words(&'static [&'static str]),
    Model,
    Session,
    Turn,
    Path,
}

/// In the order of a menu. An argument is its word, its kind, and whether it may be left out.
const ROWS: &[Row] = &[
    ("help", &["?"], Phrase::new("command.help"), &[]),
    ("new", &[], Phrase::new("command.new"), &[]),
    ("clear", &[], Phrase::new("command.clear"), &[]),
    (
        "resume",
        &["sessions"],
        Phrase::new("command.resume"),
        &[(Phrase::new("command.arg_session"), Kind::Session, true)],
    ),
    ("fork", &[], Phrase::new("command.fork"), &[]),
    ("branch", &[], Phrase::new("command.branch"), &[(Phrase::new("command.arg_turn"), Kind::Turn, true)]),
    ("tree", &[], Phrase::new("command.tree"), &[]),
    ("rewind", &[], Phrase::new("command.rewind"), &[(Phrase::new("command.arg_turn"), Kind::Turn, true)]),
    ("undo", &[], Phrase::new("command.undo"), &[]),
    ("diff", &["changes"], Phrase::new("command.diff"), &[(Phrase::new("command.arg_turn"), Kind::Turn, true)]),
    ("retry", &[], Phrase::new("command.retry"), &[]),
    ("handoff", &[], Phrase::new("command.handoff"), &[(Phrase::new("command.arg_focus"), Kind::Text, true)]),
    ("rename", &["title"], Phrase::new("command.rename"), &[(Phrase::new("command.arg_title"), Kind::Text, true)]),
    ("model", &["models"], Phrase::new("command.model"), &[(Phrase::new("command.arg_model"), Kind::Model, true)]),
    ("pro", &[], Phrase::new("command.pro"), &[(Phrase::new("command.arg_on"), Kind::Words(&["on", "off"]), true)]),
    ("effort", &[], Phrase::new("command.effort"), &[(Phrase::new("command.arg_effort"), Kind::Words(EFFORTS), true)]),
    (
        "mode",
        &["posture"],
        Phrase::new("command.mode"),
        &[(Phrase::new("command.arg_mode"), Kind::Words(&["ask", "auto", "yolo", "plan"]), true)],
    ),
    ("plan", &[], Phrase::new("command.plan"), &[(Phrase::new("command.arg_task"), Kind::Text, true)]),
    ("permissions", &[], Phrase::new("command.permissions"), &[]),
    ("trust", &[], Phrase::new("command.trust"), &[]),
    ("history", &[], Phrase::new("command.history"), &[(Phrase::new("command.arg_words"), Kind::Text, false)]),
    ("memory", &["memories"], Phrase::new("command.memory"), &[]),
    ("todo", &[], Phrase::new("command.todo"), &[]),
    ("context", &[], Phrase::new("command.context"), &[]),
    ("cache", &[], Phrase::new("command.cache"), &[]),
    ("compact", &[], Phrase::new("command.compact"), &[(Phrase::new("command.arg_instructions"), Kind::Text, true)]),
    ("status", &["cost"], Phrase::new("command.status"), &[]),
    ("budget", &[], Phrase::new("command.budget"), &[(Phrase::new("command.arg_budget"), Kind::Text, true)]),
    ("stats", &[], Phrase::new("command.stats"), &[]),
    ("export", &[], Phrase::new("command.export"), &[(Phrase::new("command.arg_file"), Kind::Text, true)]),
    ("cwd", &["cd"], Phrase::new("command.cwd"), &[(Phrase::new("command.arg_folder"), Kind::Path, true)]),
    ("doctor", &[], Phrase::new("command.doctor"), &[]),
    ("config", &["settings"], Phrase::new("command.config"), &[]),
    ("quit", &["exit", "q"], Phrase::new("command.quit"), &[]),
];

/// Words for how hard a model thinks, as endpoints take them.
pub(crate) const EFFORTS: &[&str] = &["off", "minimal", "low", "medium", "high", "xhigh"];

/// The commands of a session.
pub(crate) fn commands(able: Able) -> Vec<CommandInfo> {
    let there = |name: &str| match name {
        "undo" | "diff" => able.undo,
        "resume" | "fork" | "clear" | "handoff" => able.kept,
        _ => true,
    };
    ROWS.iter().filter(|row| there(row.0)).map(info).collect()
}

fn info((name, aliases, about, arguments): &Row) -> CommandInfo {
    CommandInfo {
        name: (*name).to_owned(),
        aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        arguments: arguments.iter().map(argument).collect(),
        about: about.clone(),
        source: CommandSource::Builtin,
    }
}

fn argument((name, kind, optional): &(Phrase, Kind, bool)) -> Argument {
    let kind = match kind {
        Kind::Text => ArgumentKind::Text,
        Kind::Words(words) => ArgumentKind::OneOf { words: words.iter().map(|word| (*word).to_owned()).collect() },
        Kind::Model => ArgumentKind::Model,
        Kind::Session => ArgumentKind::Session,
        Kind::Turn => ArgumentKind::Turn,
        Kind::Path => ArgumentKind::Path,
    };
    Argument { name: name.clone(), kind, optional: *optional }
}
