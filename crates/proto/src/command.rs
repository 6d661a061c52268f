//! What can be typed after `/`, as data: each command with what it does. A front end fills in the words that stand behind
//! the name and shows what comes back; it knows no command by its name.

use crate::goal::GoalStrategy;
use crate::op::{Op, Open};
use crate::phrase::Phrase;
use crate::query::Query;
use serde::{Deserialize, Serialize};

/// A command that can be typed after `/`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommandInfo {
    /// The name without the slash.
    pub name: String,
    /// Other names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Its arguments in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<Argument>,
    /// What it does, for people.
    pub about: Phrase,
    /// Who brought it.
    pub source: CommandSource,
    /// What a session has to have for it; one that has not does not offer it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<CommandNeed>,
    /// What it does: the first case that fits. One without cases is a prompt that the engine fills in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<CommandCase>,
}

/// What a session has to have for a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandNeed {
    /// Files can be taken back.
    Undo,
    /// It is on disk, so that it can be left and taken up again.
    Kept,
}

impl CommandInfo {
    /// True when it is called so.
    pub fn is(&self, name: &str) -> bool {
        self.name == name || self.aliases.iter().any(|alias| alias == name)
    }

    /// The words that its first argument is one of; none when it is something else.
    pub fn choices(&self) -> &[String] {
        match self.arguments.first().map(|argument| &argument.kind) {
            Some(ArgumentKind::OneOf { words }) => words,
            _ => &[],
        }
    }

    /// What it does with these words behind its name, in a session that plans or does not. None when it takes others.
    pub fn action(&self, words: &str, planning: bool) -> Option<CommandAction> {
        if self.cases.is_empty() {
            let text = format!("/{} {words}", self.name).trim_end().to_owned();
            return Some(CommandAction::Operation(vec![Op::Prompt { text, resolved: false }]));
        }
        let fits = |case: &&CommandCase| case.words.fit(words) && case.planning.is_none_or(|wanted| wanted == planning);
        self.cases.iter().find(fits).map(|case| case.action.clone().filled(case.words.rest(words)))
    }
}

/// One argument of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Argument {
    /// The word that stands for it in a help text.
    pub name: Phrase,
    /// What can be there, and how it is completed.
    pub kind: ArgumentKind,
    /// True when it may be left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

/// What an argument can be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ArgumentKind {
    /// The rest of the line.
    Text,
    /// One of these words.
    OneOf {
        /// The words.
        words: Vec<String>,
    },
    /// A file or folder.
    Path,
    /// A model.
    Model,
    /// A saved session.
    Session,
    /// The number of a turn.
    Turn,
}

/// Who brought a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandSource {
    /// Reasonix itself.
    Builtin,
    /// A file of the user.
    User,
    /// A file of the project.
    Project,
    /// An MCP server.
    Mcp,
}

/// One thing that a command does, and when it does that.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommandCase {
    /// What has to stand behind the name.
    #[serde(default, skip_serializing_if = "CommandWords::is_any")]
    pub words: CommandWords,
    /// Only in a session that plans, or only in one that does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planning: Option<bool>,
    /// What is done.
    #[serde(rename = "does")]
    pub action: CommandAction,
}

/// What stands behind a command's name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandWords {
    /// Nothing.
    None,
    /// This word.
    Word(String),
    /// This word and more behind it, which alone are filled in.
    Begins(String),
    /// The number of a turn.
    Turn,
    /// Anything.
    Some,
    /// Anything, or nothing.
    #[default]
    Any,
}

impl CommandWords {
    fn is_any(&self) -> bool {
        *self == Self::Any
    }

    /// The words that are filled in.
    fn rest<'a>(&self, words: &'a str) -> &'a str {
        match self {
            Self::Begins(_) => words.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim()),
            _ => words,
        }
    }

    fn fit(&self, words: &str) -> bool {
        match self {
            Self::None => words.is_empty(),
            Self::Word(word) => words == word,
            Self::Begins(word) => words.split_once(char::is_whitespace).is_some_and(|(first, _)| first == word),
            Self::Turn => words.parse::<u32>().is_ok(),
            Self::Some => !words.is_empty(),
            Self::Any => true,
        }
    }
}

/// What a command does. Where something in it is empty that words can stand for, they are put there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandAction {
    /// Operations, one after the other.
    Operation(Vec<Op>),
    /// A query; its reply is shown.
    Query(Query),
    /// Another session in place of this one. A fork of a session without a name is one of this one.
    Open(Open),
    /// Something for a person to choose or to confirm.
    Overlay(CommandOverlay),
    /// Something that the front end does by itself.
    Local(CommandLocal),
    /// Nothing but a sentence: these words are not understood. They are its argument `word`.
    Say(Phrase),
}

/// What a command lays before a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandOverlay {
    /// The words of which its argument is one: chosen, the command is run with it.
    Words,
    /// The models: [`Query::Models`], then [`Op::SetModel`].
    Models,
    /// The sessions of this folder: [`Query::Sessions`], then [`Open::Resume`].
    Sessions,
    /// The session's tree: [`Query::Tree`], then [`Op::Branch`].
    Tree {
        /// Words to narrow it.
        text: String,
    },
    /// The prompts of the session's tree, to go on from.
    Branch,
    /// The turns that can be taken back: [`Query::Tree`], then `RewindWhat`.
    Rewind,
    /// What of a turn is taken back: [`Op::Rewind`].
    RewindWhat {
        /// The turn.
        turn: u32,
    },
    /// The permission rules: [`Query::Permissions`], then [`Op::Revoke`].
    Rules,
    /// What was said in earlier sessions: [`Query::History`], then [`Query::Around`].
    History {
        /// What is looked for.
        text: String,
    },
    /// What is remembered: [`Query::Memories`], then [`Op::Forget`].
    Memories,
    /// The hooks: [`Query::Hooks`].
    Hooks,
    /// The settings: [`Query::Config`], then [`Op::Configure`].
    Settings,
    /// Whether this session is given up: [`Op::Discard`], then a new one.
    Clear,
    /// Whether the last turn that changed files is taken back: [`Query::Changes`], then [`Op::Rewind`].
    Undo,
    /// What the folder would execute: [`Query::Trust`], then [`Op::Trust`].
    Trust,
    /// Other limits: [`Query::Budget`], then [`Op::SetBudget`].
    Budget {
        /// As [`crate::Allowance::changed`] reads them.
        words: String,
    },
}

/// What a front end does by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandLocal {
    /// Says which commands and keys there are.
    Help,
    /// Leaves.
    Quit,
    /// Looks whether everything is in order.
    Doctor,
    /// Opens the todo list in the user's editor.
    EditTodo,
    /// Says which folder this is; with another one, a new session begins there.
    Folder {
        /// The other folder, from this one.
        path: String,
    },
}

impl CommandAction {
    fn filled(self, words: &str) -> Self {
        let text = || words.to_owned();
        match self {
            Self::Operation(ops) => Self::Operation(ops.iter().map(|op| filled(op, words)).collect()),
            Self::Query(Query::Changes { .. }) => Self::Query(Query::Changes { turn: words.parse().ok() }),
            Self::Open(Open::Resume { .. }) => Self::Open(Open::Resume { session: text() }),
            Self::Local(CommandLocal::Folder { .. }) => Self::Local(CommandLocal::Folder { path: text() }),
            Self::Say(phrase) => Self::Say(phrase.with("word", words)),
            Self::Overlay(overlay) => Self::Overlay(match overlay {
                CommandOverlay::Tree { .. } => CommandOverlay::Tree { text: text() },
                CommandOverlay::History { .. } => CommandOverlay::History { text: text() },
                CommandOverlay::Budget { .. } => CommandOverlay::Budget { words: text() },
                CommandOverlay::RewindWhat { turn } => {
                    CommandOverlay::RewindWhat { turn: words.parse().unwrap_or(turn) }
                }
                other => other,
            }),
            other => other,
        }
    }
}

/// An operation with the words where it has an empty place.
fn filled(op: &Op, words: &str) -> Op {
    let text = || words.to_owned();
    match op {
        Op::Prompt { text: empty, resolved } if empty.is_empty() => Op::Prompt { text: text(), resolved: *resolved },
        Op::Compact { .. } => Op::Compact { instructions: text() },
        Op::Handoff { .. } => Op::Handoff { focus: text() },
        Op::SetGoal { .. } => {
            let (strategy, objective) = GoalStrategy::split(words);
            Op::SetGoal { objective: objective.to_owned(), strategy }
        }
        Op::EditGoal { .. } => Op::EditGoal { objective: text() },
        Op::Rename { .. } => Op::Rename { title: text() },
        Op::Export { .. } => Op::Export { path: text() },
        Op::ChangeTodo { .. } => Op::ChangeTodo { text: text() },
        Op::WorkAs { .. } => Op::WorkAs { agent: text() },
        Op::StopJob { .. } => Op::StopJob { job: text() },
        Op::SteerChild { .. } => {
            let (child, text) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
            Op::SteerChild { child: child.to_owned(), text: text.trim().to_owned() }
        }
        Op::SetModel { model: Some(_), .. } => Op::SetModel { model: Some(text()), effort: None },
        Op::SetModel { model: None, .. } => Op::SetModel { model: None, effort: Some(text()) },
        Op::Rewind { turn, what, summary } => {
            Op::Rewind { turn: words.parse().unwrap_or(*turn), what: *what, summary: *summary }
        }
        other => other.clone(),
    }
}
