//! `skill`: the text of a skill, read when it is wanted, and the list of all there are.

use crate::port::{PAGE_BYTES, text_arg};
use crate::typed::{ToolWork, Typed, TypedTool};
use reasonix_agent::{Args, Tool, ToolTraits};
use reasonix_extensions::{BroughtBy, ExtensionFlaw, Shelf, Skill, filled};
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

/// The tool that reads these skills; from `root`, where commands run, the folders of skills are seen.
pub fn skill_tool(shelf: Shelf, root: &Path) -> Arc<dyn Tool> {
    Arc::new(Typed::of(SkillTool { shelf, root: root.to_owned() }))
}

/// Reads skills.
pub(crate) struct SkillTool {
    shelf: Shelf,
    root: PathBuf,
}

impl TypedTool for SkillTool {
    type Input = Input;
    const NAME: &'static str = "skill";
    const PROMPT: &'static str = include_str!("skill.md");
    const ALIASES: &'static [&'static str] = &["read_only_skill", "load_skill", "use_skill"];
    const TRAITS: ToolTraits = ToolTraits { instructs: true, ..ToolTraits::NONE };
    const WORK: ToolWork<Self> = ToolWork::Reads(|tool, input: Input, _| tool.read(&input));

    fn action(&self, input: Option<Input>, args: &Args) -> Action {
        let name = input.map_or_else(|| text_arg(args, NAMES), |input| input.name.unwrap_or_default());
        if name.trim().is_empty() {
            return Action { family: Family::Own, subjects: Vec::new(), read_only: ReadOnly::Yes };
        }
        Action::reads(Family::Skill, self.shelf.judged_name(&name))
    }
}

impl SkillTool {
    fn read(&self, input: &Input) -> ToolOutcome {
        let Some(name) = input.name.as_deref().filter(|name| !name.trim().is_empty()) else {
            return list(&self.shelf);
        };
        let Some(skill) = self.shelf.readable_named(name) else { return unknown(&self.shelf, name) };
        match told_skill(skill, input.arguments.as_deref().unwrap_or_default(), &self.root) {
            Ok(text) => ToolOutcome::done(text),
            Err(flaw) => ToolOutcome::failed(format!("the skill {} cannot be read: {:?}", skill.name, flaw.kind)),
        }
    }
}

/// The text of a skill with its arguments filled in, and what a model has to know to use its files.
pub fn told_skill(skill: &Skill, arguments: &str, root: &Path) -> Result<String, ExtensionFlaw> {
    let mut text = format!("# Skill {}\n\n{}", skill.name, filled(&skill.body()?, arguments));
    let (files, more) = skill.files();
    if files.is_empty() {
        return Ok(text);
    }
    let names: Vec<String> = files.iter().map(|file| format!("skill://{}/{file}", skill.name)).collect();
    let more = if more { ", and more" } else { "" };
    let _ = write!(text, "\n\n[Files of this skill, for read_file: {}{more}", names.join(", "));
    if let Ok(folder) = skill.folder.strip_prefix(root) {
        let _ = write!(text, ". Commands find them in {}", folder.display());
    }
    text.push(']');
    Ok(text)
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
        let _ = writeln!(text, "- {}{hint}{by}: {}", skill.name, skill.description);
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
