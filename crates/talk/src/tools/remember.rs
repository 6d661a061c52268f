//! `remember`: saves a fact for later sessions. A person approves each one.

use super::keeping::{Keeping, Scope, preview};
use reasonix_agent::{Args, Recalls, ToolTraits};
use reasonix_proto::{Action, Family, Phrase, ToolOutcome};
use reasonix_session::{DocumentReader, Memory, MemoryError, Named, Reach};
use reasonix_tools::{Previews, ToolWork, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct Input {
    /// Short, such as build-command.
    #[serde(alias = "key", alias = "title")]
    name: String,
    #[serde(alias = "body", alias = "content", alias = "fact", alias = "memory")]
    text: String,
    /// One line.
    #[serde(default, alias = "summary")]
    description: String,
    #[serde(default)]
    scope: Option<Scope>,
    /// "user", or the file, page or command that says so.
    #[serde(default, alias = "origin", alias = "from")]
    source: String,
}

/// Saves.
pub(super) struct Remember(pub(super) Keeping);

impl TypedTool for Remember {
    type Input = Input;
    const NAME: &'static str = "remember";
    const PROMPT: &'static str = include_str!("remember.md");
    const ALIASES: &'static [&'static str] = &["save_memory", "write_memory", "add_memory"];
    const TRAITS: ToolTraits = ToolTraits { inward: true, recalls: Some(Recalls::Memory), ..ToolTraits::ASKS };
    const WORK: ToolWork<Self> = ToolWork::Writes(|Self(keeping), input: Input| save(keeping, &input));
    const PREVIEW: Option<Previews<Self>> = Some(|Self(keeping), input: Input| {
        let Ok(draft) = draft(keeping, &input) else { return Ok(None) };
        let earlier = keeping.memories.get(&draft.name, Some(draft.reach)).ok();
        let earlier = earlier.map(|earlier| shown(&earlier.memory, keeping.reader));
        Ok(Some(preview(draft.reach, &draft.name, earlier.as_deref(), Some(&shown(&draft.memory, keeping.reader)))))
    });

    fn action(&self, input: Option<Input>, _args: &Args) -> Action {
        Action::writes(Family::Memory, vec![input.unwrap_or_default().name])
    }
}

fn draft(keeping: &Keeping, input: &Input) -> Result<Named, ToolOutcome> {
    let reach = input.scope.map_or(Reach::Project, Reach::from);
    let from = keeping.provenance(input.source.trim().to_owned());
    if from.source.is_empty() && !from.seen.is_empty() {
        return Err(ToolOutcome::failed_with(
            "the source is missing, and files or outputs were read in this session",
            "set source to \"user\" if the user said it, else to the file, page or command that says so",
        ));
    }
    let from = match from.source.is_empty() {
        true => reasonix_session::Provenance { source: "user".to_owned(), ..from },
        false => from,
    };
    let drafted = keeping.memories.drafted(reach, input.name.trim(), &input.description, &input.text, from);
    drafted.map_err(|error| failed(&error))
}

fn save(keeping: &Keeping, input: &Input) -> ToolOutcome {
    let draft = match draft(keeping, input) {
        Ok(draft) => draft,
        Err(outcome) => return outcome,
    };
    match keeping.memories.save(&draft) {
        Ok(_) => {
            let (name, reach, number) = (&draft.name, draft.reach.word(), draft.memory.revision);
            ToolOutcome::done(format!("saved {name} ({reach}, revision {number}); later sessions begin with it"))
        }
        Err(error) => failed(&error),
    }
}

pub(super) fn failed(error: &MemoryError) -> ToolOutcome {
    match error {
        MemoryError::Name(_) => ToolOutcome::failed_with(error.to_string(), "choose a name such as build-command"),
        MemoryError::NotFound(_) => ToolOutcome::failed_with(error.to_string(), "the tool memory lists the names"),
        other => ToolOutcome::failed(other.to_string()),
    }
}

/// What a person is shown of a memory: what it says, and where it comes from.
pub(super) fn shown(memory: &Memory, reader: DocumentReader) -> String {
    let by = match memory.from.source.as_str() {
        "user" => "@by.user",
        other => other,
    };
    let source = (reader.say)(&Phrase::new("memory.shown_source").with("source", by));
    let mut text = format!("{}\n\n{}\n\n{source}\n", memory.description, memory.body);
    if !memory.from.seen.is_empty() {
        text.push_str(&format!("{}\n", (reader.say)(&Phrase::new("memory.shown_seen"))));
        memory.from.seen.iter().for_each(|seen| text.push_str(&format!("  {seen}\n")));
    }
    text
}
