//! `remember`: saves a fact for later sessions. A person approves each one.

use super::keeping::{Keeping, Scope, preview};
use reasonix_agent::{Args, BoxFuture, Call, Preview, Tool, ToolSpec, ToolTraits, parse_args};
use reasonix_proto::{Action, Family, ToolOutcome};
use reasonix_session::{Memory, MemoryError, Named, Reach};
use reasonix_tools::spec;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Default, Deserialize, JsonSchema)]
struct Input {
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
pub(super) struct Remember {
    spec: ToolSpec,
    keeping: Keeping,
}

impl Remember {
    /// Saves there.
    pub(super) fn new(keeping: Keeping) -> Self {
        Self { spec: spec::<Input>("remember", include_str!("remember.md")).with(ToolTraits::ASKS), keeping }
    }
}

impl Tool for Remember {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["save_memory", "write_memory", "add_memory"]
    }

    fn action(&self, args: &Args) -> Action {
        let input: Input = parse_args(args).unwrap_or_default();
        Action::writes(Family::Memory, vec![input.name])
    }

    fn preview<'a>(&'a self, args: &'a Args) -> BoxFuture<'a, Result<Option<Preview>, ToolOutcome>> {
        let (keeping, input) = (self.keeping.clone(), parse_args::<Input>(args));
        Box::pin(async move {
            let Ok(input) = input else { return Ok(None) };
            let shown = tokio::task::spawn_blocking(move || {
                let draft = draft(&keeping, &input).ok()?;
                let earlier = keeping.memories.get(&draft.name, Some(draft.reach)).ok();
                let earlier = earlier.map(|earlier| shown(&earlier.memory));
                Some(preview(draft.reach, &draft.name, earlier.as_deref(), Some(&shown(&draft.memory))))
            })
            .await;
            Ok(shown.ok().flatten())
        })
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            let input: Input = match parse_args(call.args) {
                Ok(input) => input,
                Err(outcome) => return outcome,
            };
            let keeping = self.keeping.clone();
            let work = tokio::task::spawn_blocking(move || save(&keeping, &input));
            work.await.unwrap_or_else(|_| ToolOutcome::failed("saving failed inside"))
        })
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
pub(super) fn shown(memory: &Memory) -> String {
    let mut text = format!("{}\n\n{}\n\nsource: {}\n", memory.description, memory.body, memory.from.source);
    if !memory.from.seen.is_empty() {
        text.push_str("read or run in this session:\n");
        memory.from.seen.iter().for_each(|seen| text.push_str(&format!("  {seen}\n")));
    }
    text
}
