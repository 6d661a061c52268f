//! What is typed as `/name words` and is no command of our own: a command of the user's or the project's, or a skill. It is
//! filled in here, so that every front door has it.

use crate::commands::is_builtin;
use crate::tools::BySkill;
use reasonix_agent::Said;
use reasonix_config::SurfaceKind;
use reasonix_extensions::{BroughtBy, CommandPiece, CustomCommand, Skill, SkillFork, pieces};
use reasonix_proto::Phrase;
use reasonix_tools::{told_prompt, told_skill};
use reasonix_world::shelf::flaws;
use reasonix_world::spec::Start;
use reasonix_world::trust::TrustWord;

/// What a name stands for, filled in.
#[derive(Debug, Default)]
pub struct Invoked {
    /// What is sent.
    pub text: String,
    /// Command lines whose outputs come before it.
    pub lines: Vec<String>,
    /// What people should know.
    pub notices: Vec<Phrase>,
    /// What it asks of the turn.
    pub wants: Wants,
    /// True when its words are the project's and not the person's.
    pub foreign: bool,
    /// The skill that it is, where a subagent does it.
    pub fork: Option<Fork>,
}

/// A skill that a subagent does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fork {
    /// The skill.
    pub skill: BySkill,
    /// What was typed behind its name.
    pub arguments: String,
}

/// What a command or a skill asks of the turn that it begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wants {
    /// As it was typed.
    pub name: String,
    /// The model.
    pub model: Option<String>,
    /// The tools that it is content with.
    pub tools: Option<Vec<String>>,
}

/// A prompt that a command or a skill became, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Errand {
    /// What the model is sent.
    pub said: Said,
    /// What people are told of it.
    pub lines: Vec<String>,
    /// What it asks of its turn.
    pub wants: Wants,
    /// What servers are to give for it.
    pub brings: Vec<Brings>,
    /// The skill that it is, where a subagent does it.
    pub fork: Option<Fork>,
}

/// What a server is to give before a turn begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Brings {
    /// A prompt of its own, in place of what was typed.
    Prompt {
        /// The name of its command.
        name: String,
        /// What was typed behind it.
        words: String,
    },
    /// A resource, before what was typed.
    Resource {
        /// The server.
        server: String,
        /// The resource's address.
        uri: String,
    },
}

/// Fills in what was typed; none when it is ordinary text. Without `runs`, shell text stays text.
pub fn invoke(start: &Start, trust: &TrustWord, typed: &str, runs: bool) -> Option<Invoked> {
    let rest = typed.trim_start().strip_prefix('/')?;
    let (name, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let plain = !name.is_empty() && !name.contains('/');
    if !plain || is_builtin(name) {
        return None;
    }
    if let Some(wanted) = name.strip_prefix("skill:") {
        let found = skill_of(start, wanted).map(|skill| of_skill(start, &skill, arguments));
        let unknown = || {
            let notices = vec![Phrase::new("engine.no_skill").with("name", wanted)];
            Invoked { text: typed.to_owned(), notices, ..Invoked::default() }
        };
        return Some(found.unwrap_or_else(unknown));
    }
    let found = start.shelf().commands_now();
    match found.commands.iter().find(|command| command.name == name) {
        Some(command) => Some(of_command(command, arguments, |command| runs && may_run(trust, command))),
        None => skill_of(start, name).map(|skill| of_skill(start, &skill, arguments)),
    }
}

/// The skill of this name that a person may call, as it is on disk now.
fn skill_of(start: &Start, name: &str) -> Option<Skill> {
    let found = start.shelf().skills_now().skills;
    found.into_iter().find(|skill| skill.for_people && skill.name.eq_ignore_ascii_case(name))
}

fn of_skill(start: &Start, skill: &Skill, arguments: &str) -> Invoked {
    let name = format!("/skill:{}", skill.name);
    let foreign = skill.by == BroughtBy::Project;
    let text = match told_skill(skill, arguments, start.workspace.root()) {
        Ok(text) => text,
        Err(flaw) => {
            let (text, notices) = (format!("{name} {arguments}"), flaws(&[flaw]));
            let wants = Wants { name, ..Wants::default() };
            return Invoked { text, notices, wants, foreign, ..Invoked::default() };
        }
    };
    // What it says of models and tools is said of the subagent.
    let fork = skill.forks.map(|fork| {
        let prompt = (fork == SkillFork::Prompt).then(|| told_prompt(skill, arguments, start.workspace.root()).ok());
        let by_skill = BySkill { prompt: prompt.flatten(), ..BySkill::of(skill, true) };
        Fork { skill: by_skill, arguments: arguments.trim().to_owned() }
    });
    let wants = match fork {
        Some(_) => Wants { name, ..Wants::default() },
        None => Wants { name, model: skill.model.clone(), tools: skill.allowed_tools.clone() },
    };
    Invoked { text, wants, foreign, fork, ..Invoked::default() }
}

fn of_command(command: &CustomCommand, arguments: &str, may_run: impl Fn(&CustomCommand) -> bool) -> Invoked {
    let name = format!("/{}", command.name);
    let body = match command.body() {
        Ok(body) => body,
        Err(flaw) => {
            let text = format!("{name} {arguments}");
            return Invoked { text, notices: flaws(&[flaw]), ..Invoked::default() };
        }
    };
    let pieces = pieces(&body, arguments);
    let has_lines = pieces.iter().any(|piece| matches!(piece, CommandPiece::Shell(_)));
    let is_odd = pieces.iter().any(|piece| matches!(piece, CommandPiece::Odd(_)));
    let runs = has_lines && may_run(command);
    let (mut text, mut lines, mut notices) = (String::new(), Vec::new(), Vec::new());
    for piece in pieces {
        match piece {
            CommandPiece::Text(words) => text.push_str(&words),
            CommandPiece::Shell(line) if runs => {
                text.push_str(&format!("(the output of `{line}` stands above)"));
                lines.push(line);
            }
            CommandPiece::Shell(line) | CommandPiece::Odd(line) => text.push_str(&format!("!`{line}`")),
        }
    }
    if has_lines && !runs {
        notices.push(Phrase::new("engine.lines_off").with("command", &name).with("file", command.file.display()));
    }
    if is_odd {
        notices.push(Phrase::new("engine.lines_odd").with("command", &name));
    }
    let wants = Wants { name, model: command.model.clone(), tools: command.allowed_tools.clone() };
    Invoked { text, lines, notices, wants, foreign: command.by == BroughtBy::Project, fork: None }
}

/// The user's own files are the user's word; a project's need it.
fn may_run(trust: &TrustWord, command: &CustomCommand) -> bool {
    command.by == BroughtBy::User || trust.trusts(SurfaceKind::Command, &command.file)
}
