//! `skill`: the text of a skill, read when it is wanted, and the list of all there are. What a subagent does is handed on.

use crate::port::{PAGE_BYTES, text_arg};
use crate::typed::{ToolWork, Typed, TypedTool};
use reasonix_agent::{Args, BoxFuture, Call, Tool, ToolTraits};
use reasonix_extensions::{BroughtBy, ExtensionFlaw, Shelf, Skill, SkillFork, filled, filled_where_named};
use reasonix_proto::{Action, Details, Family, ReadOnly, ToolOutcome};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Names under which models give the name.
const NAMES: &[&str] = &["name", "skill", "skill_name"];

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    #[serde(alias = "skill", alias = "skill_name")]
    name: Option<String>,
    /// What the skill is told.
    #[serde(alias = "args")]
    arguments: Option<String>,
}

/// Has skills done in conversations of their own.
pub trait ForksSkills: Send + Sync {
    /// Has this skill done, whose text was filled in with these arguments as its subagent reads it, and gives what came of it.
    fn fork<'a>(&'a self, skill: Skill, filled: (String, String), call: Call<'a>) -> BoxFuture<'a, ToolOutcome>;
}

/// The tool that reads these skills; from `root`, where commands run, the folders of skills are seen. `forks` has those done that
/// a subagent does.
pub fn skill_tool(shelf: Shelf, root: &Path, forks: Arc<dyn ForksSkills>) -> Arc<dyn Tool> {
    Arc::new(Typed::of(SkillTool { shelf, root: root.to_owned(), forks }))
}

/// Reads skills.
pub(crate) struct SkillTool {
    shelf: Shelf,
    root: PathBuf,
    forks: Arc<dyn ForksSkills>,
}

/// What a call comes to.
enum Wanted {
    /// It is done.
    Read(ToolOutcome),
    /// The skill is done by somebody else, with this text.
    Fork(Box<Skill>, String),
}

impl TypedTool for SkillTool {
    type Input = Input;
    const NAME: &'static str = "skill";
    const PROMPT: &'static str = include_str!("skill.md");
    const ALIASES: &'static [&'static str] = &["read_only_skill", "load_skill", "use_skill"];
    const TRAITS: ToolTraits = ToolTraits { instructs: true, ..ToolTraits::NONE };
    const WORK: ToolWork<Self> = ToolWork::Waits(|tool, input: Input, call| Box::pin(tool.give(input, call)));

    fn action(&self, input: Option<Input>, args: &Args) -> Action {
        let name = input.map_or_else(|| text_arg(args, NAMES), |input| input.name.unwrap_or_default());
        if name.trim().is_empty() {
            return Action { family: Family::Own, subjects: Vec::new(), read_only: ReadOnly::Yes };
        }
        Action::reads(Family::Skill, self.shelf.judged_name(&name))
    }
}

impl SkillTool {
    async fn give(&self, input: Input, call: Call<'_>) -> ToolOutcome {
        let (shelf, root) = (self.shelf.clone(), self.root.clone());
        let arguments = input.arguments.clone().unwrap_or_default();
        // Files are read off the async threads.
        let reading = tokio::task::spawn_blocking(move || read(&shelf, &root, &input));
        let wanted = tokio::select! {
            biased;
            () = call.stop.cancelled() => return ToolOutcome::Aborted,
            wanted = reading => wanted,
        };
        match wanted {
            Ok(Wanted::Read(outcome)) => outcome,
            Ok(Wanted::Fork(skill, text)) => self.forks.fork(*skill, (text, arguments), call).await,
            Err(_) => ToolOutcome::failed("the tool failed inside; this is a defect of Reasonix"),
        }
    }
}

fn read(shelf: &Shelf, root: &Path, input: &Input) -> Wanted {
    let Some(name) = input.name.as_deref().filter(|name| !name.trim().is_empty()) else {
        return Wanted::Read(list(shelf));
    };
    let Some(skill) = shelf.readable_named(name) else { return Wanted::Read(unknown(shelf, name)) };
    let arguments = input.arguments.as_deref().unwrap_or_default();
    let told = match skill.forks {
        Some(SkillFork::Prompt) => told_prompt(skill, arguments, root),
        Some(SkillFork::Assignment) | None => told_skill(skill, arguments, root),
    };
    match told {
        Ok(text) if skill.forks.is_some() => Wanted::Fork(Box::new(skill.clone()), text),
        Ok(text) => Wanted::Read(ToolOutcome::done(text)),
        Err(flaw) => {
            Wanted::Read(ToolOutcome::failed(format!("the skill {} cannot be read: {:?}", skill.name, flaw.kind)))
        }
    }
}

/// The text of a skill with its arguments filled in, and what a model has to know to use its files.
pub fn told_skill(skill: &Skill, arguments: &str, root: &Path) -> Result<String, ExtensionFlaw> {
    Ok(with_files(skill, filled(&skill.body()?, arguments), root))
}

/// The same for the subagent whose system prompt it is: what was said behind the skill's name stands there only where the text
/// names it.
pub fn told_prompt(skill: &Skill, arguments: &str, root: &Path) -> Result<String, ExtensionFlaw> {
    Ok(with_files(skill, filled_where_named(&skill.body()?, arguments), root))
}

fn with_files(skill: &Skill, told: String, root: &Path) -> String {
    let mut text = format!("# Skill {}\n\n{told}", skill.name);
    let (files, more) = skill.files();
    if files.is_empty() {
        return text;
    }
    let names: Vec<String> = files.iter().map(|file| format!("skill://{}/{file}", skill.name)).collect();
    let more = if more { ", and more" } else { "" };
    let _ = write!(text, "\n\n[Files of this skill, for read_file: {}{more}", names.join(", "));
    if let Ok(folder) = skill.folder.strip_prefix(root) {
        let _ = write!(text, ". Commands find them in {}", folder.display());
    }
    text.push(']');
    text
}

fn list(shelf: &Shelf) -> ToolOutcome {
    let mut text = String::new();
    let (mut count, mut more) = (0, 0);
    for skill in shelf.readable() {
        count += 1;
        if text.len() > PAGE_BYTES {
            more += 1;
            continue;
        }
        let hint = skill.argument_hint.as_ref().map(|hint| format!(" {hint}")).unwrap_or_default();
        let by = if skill.by == BroughtBy::Bundled { "" } else { skill.by.word() };
        let by = if by.is_empty() { String::new() } else { format!(" ({by})") };
        let _ = writeln!(text, "- {}{}{hint}{by}: {}", skill.name, skill.mark(), skill.description);
    }
    if count == 0 {
        text.push_str("there are no skills");
    }
    if more > 0 {
        let _ = writeln!(text, "[{more} more]");
    }
    ToolOutcome::detailed(text.trim_end(), Details { count: Some(count), ..Details::default() })
}

/// There is none of this name.
pub(crate) fn unknown(shelf: &Shelf, name: &str) -> ToolOutcome {
    let names: Vec<&str> = shelf.readable().map(|skill| skill.name.as_str()).take(50).collect();
    ToolOutcome::failed_with(
        format!("there is no skill {name:?}"),
        format!("the skills are: {}", if names.is_empty() { "none".to_owned() } else { names.join(", ") }),
    )
}
