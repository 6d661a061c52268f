//! A skill: a folder with a `SKILL.md`, which says in its front matter what it is for, and in its body what to do.

use crate::expand::filled_root;
use crate::file::{head, whole};
use crate::flaw::{ExtensionFlaw, FlawKind};
use crate::front::{Matter, split};
use crate::names::{BroughtBy, is_hiding, is_name, one_line};
use reasonix_proto::unhidden;
use std::path::{Path, PathBuf};

/// The file that makes a folder a skill.
pub(crate) const MANIFEST: &str = "SKILL.md";

// The bounds of the Agent Skills standard.
const LONGEST_DESCRIPTION: usize = 1024;
const LONGEST_COMPATIBILITY: usize = 500;
// Ours, where it has none.
const LONGEST_HINT: usize = 200;

/// How many files of a skill are named, and how deep they lie.
const MOST_FILES: usize = 50;
const DEEPEST: usize = 4;

/// What a skill is to the subagent that does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkillFork {
    /// Its assignment, with what was said behind the skill's name (`context: fork`).
    Assignment,
    /// Its system prompt; what was said behind the skill's name is the assignment (`runAs: subagent`).
    Prompt,
}

/// One skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// Its name.
    pub name: String,
    /// What it is for, in one line.
    pub description: String,
    /// Who brought it.
    pub by: BroughtBy,
    /// Its folder; empty for one that is bundled.
    pub folder: PathBuf,
    /// What to type behind its name.
    pub argument_hint: Option<String>,
    /// True when a model may read it by itself.
    pub for_models: bool,
    /// True when a person may call it by its name.
    pub for_people: bool,
    /// What it is to the subagent that does it in a conversation of its own; none where no subagent does it.
    pub forks: Option<SkillFork>,
    /// The agent that does it then.
    pub agent: Option<String>,
    /// The model that it wants.
    pub model: Option<String>,
    /// The tools that it is content with, as it writes them.
    pub allowed_tools: Option<Vec<String>>,
    /// The folder of the bundle that it came with.
    pub bundle: Option<PathBuf>,
    /// The text of one that is bundled.
    pub(crate) text: Option<&'static str>,
}

impl Skill {
    /// Reads the head of a skill's file; also what is odd about it.
    pub(crate) fn read(folder: &Path, by: BroughtBy) -> Result<(Self, Vec<FlawKind>), FlawKind> {
        let text = head(&folder.join(MANIFEST), folder)?;
        let own = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let (skill, flaws) = Self::parse(&text, own, by)?;
        Ok((Self { folder: folder.to_owned(), ..skill }, flaws))
    }

    /// From a text, and the name that its folder has.
    pub(crate) fn parse(text: &str, own: &str, by: BroughtBy) -> Result<(Self, Vec<FlawKind>), FlawKind> {
        let parted = split(text)?;
        let mut matter = parted.matter.map(Matter::parse).transpose()?.unwrap_or_default();
        if matter.hides() || is_hiding(own) {
            return Err(FlawKind::Hidden);
        }
        let said = matter.text("name", usize::MAX);
        let name = match said {
            Some(said) if is_name(&said) => said,
            said if is_name(own) => {
                matter.flaws.extend(said.map(FlawKind::OddName));
                own.to_owned()
            }
            said => return Err(FlawKind::BadName(said.unwrap_or_else(|| own.to_owned()))),
        };
        let description = matter.text("description", LONGEST_DESCRIPTION);
        let description = description.or_else(|| first_paragraph(parted.body)).ok_or(FlawKind::Undescribed)?;
        if is_hiding(&description) {
            return Err(FlawKind::Hidden);
        }
        matter.text("compatibility", LONGEST_COMPATIBILITY);
        let says = |matter: &mut Matter, name, word| matter.text(name, LONGEST_HINT).as_deref() == Some(word);
        let assigned = says(&mut matter, "context", "fork").then_some(SkillFork::Assignment);
        let prompts = says(&mut matter, "runAs", "subagent").then_some(SkillFork::Prompt);
        let skill = Self {
            name,
            description,
            by,
            folder: PathBuf::new(),
            argument_hint: matter.text("argument-hint", LONGEST_HINT),
            for_models: !matter.is("disable-model-invocation").unwrap_or(false),
            for_people: matter.is("user-invocable").unwrap_or(true),
            forks: assigned.or(prompts),
            agent: matter.text("agent", LONGEST_HINT),
            model: matter.text("model", LONGEST_HINT),
            allowed_tools: matter.rules("allowed-tools"),
            bundle: None,
            text: None,
        };
        Ok((skill, matter.flaws))
    }

    /// The file that it stands in.
    pub fn file(&self) -> PathBuf {
        self.folder.join(MANIFEST)
    }

    /// What stands behind its name in lists: who does it, where that is a subagent.
    pub fn mark(&self) -> &'static str {
        if self.forks.is_some() { " (subagent)" } else { "" }
    }

    /// What it says, read now: the text behind the front matter, without what nobody sees.
    pub fn body(&self) -> Result<String, ExtensionFlaw> {
        let file = self.file();
        let text = match self.text {
            Some(text) => text.to_owned(),
            None => whole(&file, &self.folder).map_err(|kind| kind.at(&file))?,
        };
        let body = split(&text).map_err(|kind| kind.at(&file))?.body;
        Ok(filled_root(&unhidden(body.trim()).text, self.bundle.as_deref()))
    }

    /// The other files of its folder, sorted, and whether there are more.
    pub fn files(&self) -> (Vec<String>, bool) {
        let mut found = Vec::new();
        if self.text.is_none() {
            collect(&self.folder, "", DEEPEST, &mut found);
        }
        found.sort();
        let more = found.len() > MOST_FILES;
        found.truncate(MOST_FILES);
        (found, more)
    }
}

fn collect(folder: &Path, before: &str, depth: usize, found: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
        if found.len() > 4 * MOST_FILES || is_hiding(&name) || matches!(name.as_str(), ".git" | "node_modules") {
            continue;
        }
        let below = format!("{before}{name}");
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 => collect(&entry.path(), &format!("{below}/"), depth - 1, found),
            Ok(kind) if kind.is_file() && below != MANIFEST => found.push(below),
            _ => {}
        }
    }
}

/// The first paragraph that is no heading; the heading where there is nothing else.
fn first_paragraph(body: &str) -> Option<String> {
    let paragraphs = || body.split("\n\n").map(str::trim).filter(|text| !text.is_empty());
    let without_heading = |text: &str| -> String {
        text.lines().filter(|line| !line.trim_start().starts_with('#')).collect::<Vec<_>>().join(" ")
    };
    let found = paragraphs().map(without_heading).find(|text| !text.trim().is_empty());
    let heading = || paragraphs().next().map(|text| text.trim_start_matches('#').to_owned());
    let text = found.or_else(heading)?;
    Some(one_line(&text, LONGEST_DESCRIPTION).0).filter(|line| !line.is_empty())
}
