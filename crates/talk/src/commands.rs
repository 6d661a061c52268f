//! Which of the `/` commands a session has: one whose capability is not there is not offered; and those that files bring.

use reasonix_extensions::{BroughtBy, CustomCommand, Skill};
use reasonix_proto::{Argument, ArgumentKind, CommandInfo, CommandNeed, CommandSource, Phrase, builtin_commands};

/// What a session can do, as far as commands depend on it.
#[derive(Debug, Clone, Copy)]
pub struct Able {
    /// Files can be taken back.
    pub undo: bool,
    /// The session is on disk, so that it can be left and taken up again.
    pub kept: bool,
}

/// The commands of a session.
pub fn commands(able: Able) -> Vec<CommandInfo> {
    let there = |command: &CommandInfo| match command.needs {
        Some(CommandNeed::Undo) => able.undo,
        Some(CommandNeed::Kept) => able.kept,
        None => true,
    };
    builtin_commands().into_iter().filter(there).collect()
}

/// True for a name that a command of our own has, here or in a front end.
pub fn is_builtin(name: &str) -> bool {
    let of_front_ends = ["keys", "hotkeys", "copy", "transcript", "queue", "theme"];
    of_front_ends.contains(&name) || builtin_commands().iter().any(|command| command.is(name))
}

/// The commands that files bring, behind our own: those of the project and the user, then skills. A skill has its own name
/// where that is free, and `skill:NAME` always.
pub fn brought(commands: &[CustomCommand], skills: &[Skill]) -> Vec<CommandInfo> {
    let custom = commands.iter().filter(|command| !is_builtin(&command.name)).map(|command| CommandInfo {
        name: command.name.clone(),
        aliases: Vec::new(),
        arguments: hint(command.argument_hint.as_deref()),
        about: about(command.by, &command.description),
        source: source(command.by),
        needs: None,
        cases: Vec::new(),
    });
    let is_free = |name: &str| !is_builtin(name) && commands.iter().all(|command| command.name != name);
    let skill = |skill: &Skill| {
        let long = format!("skill:{}", skill.name);
        let free = is_free(&skill.name);
        CommandInfo {
            name: if free { skill.name.clone() } else { long.clone() },
            aliases: if free { vec![long] } else { Vec::new() },
            arguments: match bundled_argument(&skill.name).filter(|_| skill.by == BroughtBy::Bundled) {
                Some(name) => vec![Argument { name, kind: ArgumentKind::Text, optional: true }],
                None => hint(skill.argument_hint.as_deref()),
            },
            about: match skill.by {
                BroughtBy::Bundled => bundled_about(skill),
                by => about(by, &skill.description),
            },
            source: source(skill.by),
            needs: None,
            cases: Vec::new(),
        }
    };
    custom.chain(skills.iter().filter(|skill| skill.for_people).map(skill)).collect()
}

fn hint(hint: Option<&str>) -> Vec<Argument> {
    let name = |hint: &str| Phrase::new("command.arg_plain").with("text", hint.trim_matches(['[', ']', '<', '>']));
    hint.map(|hint| Argument { name: name(hint), kind: ArgumentKind::Text, optional: true }).into_iter().collect()
}

fn about(by: BroughtBy, text: &str) -> Phrase {
    match by {
        BroughtBy::Project => Phrase::new("command.of_project").with("text", text),
        BroughtBy::User => Phrase::new("command.of_user").with("text", text),
        BroughtBy::Bundled => Phrase::new("command.arg_plain").with("text", text),
    }
}

/// What Reasonix brings itself is told in the language of its reader.
fn bundled_about(skill: &Skill) -> Phrase {
    match skill.name.as_str() {
        "commit" => Phrase::new("command.skill_commit"),
        "explore" => Phrase::new("command.skill_explore"),
        "init" => Phrase::new("command.skill_init"),
        "research" => Phrase::new("command.skill_research"),
        "review" => Phrase::new("command.skill_review"),
        "security-review" => Phrase::new("command.skill_security_review"),
        _ => about(skill.by, &skill.description),
    }
}

/// What its argument is, likewise.
fn bundled_argument(skill: &str) -> Option<Phrase> {
    Some(match skill {
        "commit" => Phrase::new("command.arg_commit"),
        "explore" | "research" => Phrase::new("command.arg_question"),
        "init" => Phrase::new("command.arg_stress"),
        "review" => Phrase::new("command.arg_range"),
        "security-review" => Phrase::new("command.arg_place"),
        _ => return None,
    })
}

fn source(by: BroughtBy) -> CommandSource {
    match by {
        BroughtBy::Project => CommandSource::Project,
        BroughtBy::User => CommandSource::User,
        BroughtBy::Bundled => CommandSource::Builtin,
    }
}
