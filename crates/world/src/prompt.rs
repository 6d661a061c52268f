//! The system prompt: the base, the rules of the user and the project, named files, what git ignores, the
//! rulebook, what is remembered, skills, what the command line adds. The order is fixed, the same inputs give the same bytes, a blank
//! source changes nothing, and nothing in it changes during a session.

use reasonix_agent::estimate_tokens;
use reasonix_config::RulesFile;
use reasonix_proto::{EditFormat, PartKind, Phrase, PromptPart, unhidden};
use std::path::Path;

/// The built-in base prompt.
pub const BASE_PROMPT: &str = include_str!("system.md");

/// What the model is told of edit blocks, where they are on.
pub const BLOCKS_PROMPT: &str = include_str!("blocks.md");

/// One rules file may take this part of the window, all of them twice as much.
const SHARE: u64 = 8;

/// What is left of a file that does not fit; less would say nothing.
const LEAST: u64 = 32;

const RULES: &str = "\n\n# Rules of the user and the project\nFollow them. Where two disagree, the later one wins.";
const IGNORED: &str = "\n\n# Ignored by git\nGenerated or private; leave them alone unless the task is about them.\n";
const CUT: &str = "\n[cut: the file is longer than what is read of it]";

/// What a system prompt is put together from. Chapters come with their own headings; an empty one is left out.
#[derive(Default)]
pub struct PromptSources<'a> {
    /// What it begins with.
    pub base: &'a str,
    /// The folder that the session works in, where the model is told of it.
    pub cwd: Option<&'a Path>,
    /// Rules files, named files and what git ignores, in their order.
    pub files: &'a [RulesFile],
    /// The rules that always hold, and the list of the others.
    pub rules: [&'a str; 2],
    /// The indexes of what is remembered.
    pub memory: &'a str,
    /// The index of skills.
    pub skills: &'a str,
    /// What the command line adds.
    pub appended: Option<&'a str>,
    /// Tokens that the model can see; 0 when unknown.
    pub window: u64,
}

/// A system prompt and what it consists of.
#[derive(Debug, Default, PartialEq)]
pub struct Draft {
    /// The text.
    pub system: String,
    /// What it consists of, and how much each takes.
    pub parts: Vec<PromptPart>,
    /// What the user should know of it.
    pub notices: Vec<Phrase>,
}

/// The prompt of a session without a folder, of one edit format.
pub fn bare_prompt(format: EditFormat) -> String {
    let mut base = BASE_PROMPT.trim_end().to_owned();
    if format == EditFormat::Blocks {
        base = format!("{base}\n\n{}", BLOCKS_PROMPT.trim_end());
    }
    assemble(&PromptSources { base: &base, ..PromptSources::default() }).system
}

/// The first part: what the model is told before anything of the user or the project.
pub fn base_part(base: &str, cwd: Option<&Path>) -> String {
    let mut base = base.trim_end().to_owned();
    if let Some(cwd) = cwd {
        base.push_str(&format!("\n\nWorking folder: {}\nSystem: {}", cwd.display(), std::env::consts::OS));
    }
    base
}

/// Puts the system prompt together.
pub fn assemble(from: &PromptSources<'_>) -> Draft {
    let mut draft = Draft::default();
    draft.add(PartKind::Base, "", &base_part(from.base, from.cwd), false);
    let mut introduced = false;
    for (file, (text, cut)) in from.files.iter().zip(fitted(from.files, from.window)) {
        let name = file.path.display().to_string();
        if cut && !file.truncated {
            draft.notices.push(Phrase::new("engine.rules_cut").with("file", &name).with("window", from.window));
        }
        let end = if cut { CUT } else { "" };
        let chapter = match file.kind {
            PartKind::Ignored => format!("{IGNORED}{text}{end}"),
            _ => {
                let heading = if std::mem::replace(&mut introduced, true) { "" } else { RULES };
                format!("{heading}\n\n## {name}\n{text}{end}")
            }
        };
        draft.add(file.kind, &name, &chapter, cut);
    }
    let [always, rulebook] = from.rules;
    for (kind, text) in [
        (PartKind::AlwaysRules, always),
        (PartKind::Rulebook, rulebook),
        (PartKind::Memory, from.memory),
        (PartKind::Skills, from.skills),
        (PartKind::Appended, from.appended.unwrap_or_default()),
    ] {
        if !text.trim().is_empty() {
            draft.add(kind, "", &format!("\n\n{}", text.trim()), false);
        }
    }
    draft
}

impl Draft {
    fn add(&mut self, kind: PartKind, name: &str, text: &str, cut: bool) {
        self.system.push_str(text);
        self.parts.push(PromptPart { kind, name: name.to_owned(), bytes: text.len() as u64, cut });
    }
}

/// What is sent of each file, and whether that is not all of it. Where not everything fits the window, nearer files go
/// before farther ones.
pub fn fitted(files: &[RulesFile], window: u64) -> Vec<(String, bool)> {
    let each = if window == 0 { u64::MAX } else { (window / SHARE).max(LEAST) };
    let mut left = each.saturating_mul(2);
    let mut texts: Vec<_> = files
        .iter()
        .rev()
        .map(|file| {
            // What nobody sees in a file is nothing its readers agreed to.
            let text = unhidden(file.text.trim()).text.into_owned();
            let room = if file.kind == PartKind::Ignored { each / 4 } else { each.min(left.max(LEAST)) };
            let short = clipped(&text, room);
            let cut = file.truncated || short.len() < text.len();
            if file.kind != PartKind::Ignored {
                left = left.saturating_sub(estimate_tokens(short));
            }
            (short.to_owned(), cut)
        })
        .collect();
    texts.reverse();
    texts
}

/// As many whole lines as fit; a part of the first one where not even that does.
pub fn clipped(text: &str, tokens: u64) -> &str {
    if estimate_tokens(text) <= tokens {
        return text;
    }
    let (mut end, mut line_end) = (0, 0);
    let mut quarters = 0_u64;
    for (place, character) in text.char_indices() {
        quarters += if character.is_ascii() { 1 } else { 5 };
        if quarters.div_ceil(4) > tokens {
            break;
        }
        if character == '\n' {
            line_end = place;
        }
        end = place + character.len_utf8();
    }
    text.get(..if line_end > 0 { line_end } else { end }).unwrap_or_default()
}

#[cfg(test)]
#[path = "prompt/tests.rs"]
mod tests;
