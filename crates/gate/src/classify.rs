//! What a call is: a reader, a writer, or something that reaches beyond the workspace. Judged once; what was found in a
//! command line goes with the call to the gate.

use super::Approvals;
use reasonix_agent::{Ask, Class, Classified, Classify};
use reasonix_exec::readers_run_nothing;
use reasonix_policy::{Effects, analyse};
use reasonix_proto::{Action, Family, ReadOnly};
use reasonix_workspace::linked;
use std::path::Path;
use std::sync::Arc;

/// What was found in the lines of a command.
type Found = Vec<Effects>;

/// Reads command lines, and knows nothing of files.
pub struct ByText;

impl Classify for ByText {
    fn classify(&self, _tool: &str, action: Action) -> Classified {
        read(action, |_, reads| if reads { Class::Reader } else { Class::Writer })
    }
}

impl Classify for Approvals {
    fn classify(&self, _tool: &str, action: Action) -> Classified {
        read(action, |effects, reads| if reads { self.class_of_reader(effects) } else { self.class_of_writer(effects) })
    }
}

impl Approvals {
    fn class_of_writer(&self, effects: &Found) -> Class {
        let beyond = effects.iter().any(|effects| self.files.names_outside(effects));
        if beyond { Class::Outside } else { Class::Writer }
    }

    /// What a line is that only reads by its text.
    fn class_of_reader(&self, effects: &Found) -> Class {
        if effects.iter().any(|effects| self.files.looks_outside(effects, self.standing.held)) {
            return Class::Outside;
        }
        if !self.standing.held && !effects.iter().all(|effects| self.reads_unheld(effects)) {
            return Class::Writer;
        }
        let names = effects.iter().flat_map(|effects| &effects.commands).map(|simple| simple.program());
        if self.standing.programs.hide_any(names) { Class::Writer } else { Class::Reader }
    }
}

impl Approvals {
    /// Whether a line reads for certain where nothing holds it: by its exact words, and where git runs, by the settings of
    /// the repository, which could have it run anything.
    fn reads_unheld(&self, effects: &Effects) -> bool {
        effects.reads_surely()
            && !self.files.finds_links(effects)
            && (!effects.runs_git() || (is_here(effects) && starts_nothing(self.files.workspace().root())))
    }
}

/// Whether every git of the line works on the repository of the folder that the line begins in.
fn is_here(effects: &Effects) -> bool {
    let git = effects.commands.iter().filter(|simple| simple.program() == "git");
    let mut settings = git.clone().filter_map(|simple| simple.args().first());
    let elsewhere =
        settings.any(|word| word.text.starts_with('-') && !matches!(word.text.as_str(), "--version" | "--no-pager"));
    !elsewhere && git.into_iter().all(|simple| simple.places.known && simple.places.dirs.iter().all(String::is_empty))
}

/// Whether git readers start nothing by the settings and hooks of the repository that a folder lies in. They look into
/// every repository that is linked to; where the index cannot be read nobody knows.
fn starts_nothing(folder: &Path) -> bool {
    readers_run_nothing(folder) && linked(folder).is_some_and(|links| links.is_empty())
}

/// Reads the lines of a command; other calls are what they say. `class` decides with what was found, and whether the lines
/// only read by their text.
fn read(action: Action, class: impl Fn(&Found, bool) -> Class) -> Classified {
    if action.family != Family::Bash {
        return Classified::by_action(action);
    }
    let found: Found = action.subjects.iter().map(|line| analyse(line)).collect();
    let read_only = found.iter().map(|effects| effects.read_only).max_by_key(|answer| match answer {
        ReadOnly::Yes => 0,
        ReadOnly::Unknown => 1,
        ReadOnly::No => 2,
    });
    // A call that says of itself that it is no reader is none, whatever its line says.
    let class = class(&found, read_only == Some(ReadOnly::Yes) && action.read_only != ReadOnly::No);
    let read_only = match (class, read_only) {
        (Class::Reader, _) => ReadOnly::Yes,
        (_, Some(ReadOnly::No)) => ReadOnly::No,
        _ => ReadOnly::Unknown,
    };
    let (action, found) = (Action { read_only, ..action }, Some(Arc::new(found) as _));
    Classified { action, class, found, wanted: Vec::new(), asks: None }
}

/// What was found in the lines of a call; they are read now where nobody did.
pub(super) fn found(ask: &Ask<'_>) -> Found {
    let known = ask.classified.found.as_ref().and_then(|found| found.downcast_ref::<Found>());
    let lines: &[String] = if ask.action.family == Family::Bash { &ask.action.subjects } else { &[] };
    known.cloned().unwrap_or_else(|| lines.iter().map(|line| analyse(line)).collect())
}
