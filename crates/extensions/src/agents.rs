//! Agents: Markdown files whose front matter says what an agent may use and do, and whose text is its system prompt. Files made
//! for Claude Code are read in its words; what would loosen something is left out, and said.

use crate::file::whole;
use crate::flaw::{ExtensionFlaw, FlawKind};
use crate::front::{Matter, split};
use crate::hooks::own_names;
use crate::names::{BroughtBy, is_hiding, is_name};
use reasonix_proto::{AgentMode, AgentOrigin, AgentProfile, AgentRules, Effect, unhidden};
use serde_json::{Map, Value};
use std::path::Path;

const LONGEST_DESCRIPTION: usize = 1024;
const LONGEST_WORD: usize = 200;

/// Names of the tool that starts other agents.
const STARTS: &[&str] = &["agent", "task"];

/// Fields of other programs that nothing follows from, and that somebody may count on.
const UNUSED: &[&str] = &["hooks", "mcpServers", "memory", "initialPrompt"];

/// Agents that files bring, as they are on disk.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FoundAgents {
    /// In the order in which they count.
    pub agents: Vec<AgentProfile>,
    /// What is wrong with files.
    pub flaws: Vec<ExtensionFlaw>,
}

/// Our tools that a name means: those that are called so in another program, or the one that is called so here.
pub(crate) fn own_tools(name: &str) -> Vec<String> {
    let theirs = if name.eq_ignore_ascii_case("list") { "LS" } else { name };
    let mut ours = own_names(theirs);
    if name == "Glob" {
        // Folders are listed with it there.
        ours.extend(own_names("LS"));
    }
    match ours.is_empty() {
        true => vec![name.to_owned()],
        false => ours.into_iter().map(str::to_owned).collect(),
    }
}

/// Reads the file of an agent; also what is odd about it.
pub(crate) fn read(file: &Path, (root, by): (&Path, BroughtBy)) -> Result<(AgentProfile, Vec<FlawKind>), FlawKind> {
    let text = whole(file, root)?;
    let parted = split(&text)?;
    let mut matter = parted.matter.map(Matter::parse).transpose()?.unwrap_or_default();
    let description = matter.text("description", LONGEST_DESCRIPTION).unwrap_or_default();
    if matter.hides() || is_hiding(&description) {
        return Err(FlawKind::Hidden);
    }
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = matter.text("name", LONGEST_WORD).unwrap_or(stem);
    if !is_name(&name) {
        return Err(FlawKind::BadName(name));
    }
    let mut flaws = Vec::new();
    let listed = Listed::of(&matter);
    let rules = rules_of(&matter, &listed, &mut flaws);
    let profile = AgentProfile {
        name,
        description,
        place: file.display().to_string(),
        origin: if by == BroughtBy::Project { AgentOrigin::Project } else { AgentOrigin::User },
        mode: matter.text("mode", LONGEST_WORD).and_then(|word| AgentMode::parse(&word)).unwrap_or_default(),
        model: model_of(&mut matter),
        prompt: Some(unhidden(parted.body.trim()).text.into_owned()).filter(|text| !text.is_empty()),
        tools: listed.tools,
        without: listed.without,
        rules,
        max_steps: ["max_steps", "maxTurns", "steps"].into_iter().find_map(|key| count(matter.value(key)?)),
        temperature: matter.value("temperature").and_then(number),
        top_p: matter.value("top_p").and_then(number),
        disable: ["disable", "disabled"].into_iter().find_map(|key| matter.is(key)).unwrap_or(false),
        skills: matter.rules("skills").unwrap_or_default(),
        spawns: matter.rules("spawns").or(listed.spawns),
        output: matter.value("output").cloned(),
        blocking: matter.is("blocking").or_else(|| matter.is("background").map(|apart| !apart)),
        isolation: matter.text("isolation", LONGEST_WORD),
    };
    let unused: Vec<&str> = UNUSED.iter().copied().filter(|field| matter.has(field)).collect();
    if !unused.is_empty() {
        flaws.push(FlawKind::UnusedFields(unused.join(", ")));
    }
    let later = ["spawns", "output", "blocking", "background", "isolation"];
    let later: Vec<&str> = later.into_iter().filter(|field| matter.has(field)).collect();
    if !later.is_empty() {
        flaws.push(FlawKind::LaterFields(later.join(", ")));
    }
    matter.flaws.append(&mut flaws);
    Ok((profile, matter.flaws))
}

/// A model reference, with how hard it thinks. `inherit` is the session's own.
fn model_of(matter: &mut Matter) -> Option<String> {
    let model = matter.text("model", LONGEST_WORD).filter(|model| model != "inherit")?;
    match matter.text("effort", LONGEST_WORD) {
        Some(effort) if !model.contains(':') => Some(format!("{model}:{effort}")),
        _ => Some(model),
    }
}

/// What the lists of tools come to.
#[derive(Debug, Default)]
struct Listed {
    tools: Option<Vec<String>>,
    without: Vec<String>,
    spawns: Option<Vec<String>>,
    /// Rules that say more of a tool than its name, in the list of those that it has.
    only: Vec<String>,
    /// The same in the list of those that it does not have.
    deny: Vec<String>,
}

impl Listed {
    fn of(matter: &Matter) -> Self {
        let mut listed = Self::default();
        match matter.value("tools") {
            Some(Value::Object(map)) => listed.switched(map),
            Some(_) => {
                listed.tools = Some(Vec::new());
                matter.rules("tools").unwrap_or_default().iter().for_each(|word| listed.has(word));
                if listed.tools.as_ref().is_some_and(|tools| tools.iter().any(|name| name == "*")) {
                    listed.tools = None;
                }
            }
            None => {}
        }
        let none = ["disallowedTools", "disallowed_tools"].into_iter().find_map(|key| matter.rules(key));
        none.unwrap_or_default().iter().for_each(|word| listed.lacks(word));
        listed
    }

    /// `{ write = false }`, as another program has it.
    fn switched(&mut self, map: &Map<String, Value>) {
        if map.get("*") == Some(&Value::Bool(false)) {
            self.tools = Some(Vec::new());
        }
        for (name, on) in map.iter().filter(|(name, _)| *name != "*") {
            match (on, self.tools.is_some()) {
                (Value::Bool(false), _) => self.lacks(name),
                (Value::Bool(true), true) => self.has(name),
                _ => {}
            }
        }
    }

    fn has(&mut self, word: &str) {
        let (name, more) = parted(word);
        if STARTS.contains(&name.to_ascii_lowercase().as_str()) {
            let named = more.map(|more| more.split(',').map(|one| one.trim().to_owned()).collect());
            self.spawns = named.or(self.spawns.take());
            return;
        }
        self.tools.get_or_insert_default().extend(own_tools(name));
        self.only.extend(more.map(|_| word.to_owned()));
    }

    fn lacks(&mut self, word: &str) {
        match parted(word) {
            (name, _) if STARTS.contains(&name.to_ascii_lowercase().as_str()) => self.spawns = Some(Vec::new()),
            (_, Some(_)) => self.deny.push(word.to_owned()),
            (name, None) => self.without.extend(own_tools(name)),
        }
    }
}

/// `Bash(git:*)` in its two parts.
fn parted(word: &str) -> (&str, Option<&str>) {
    match word.split_once('(') {
        Some((name, rest)) => (name.trim(), Some(rest.strip_suffix(')').unwrap_or(rest))),
        None => (word, None),
    }
}

fn rules_of(matter: &Matter, listed: &Listed, flaws: &mut Vec<FlawKind>) -> AgentRules {
    let mut rules = match matter.value("permissions").or_else(|| matter.value("permission")) {
        Some(Value::Object(stated)) => stated_rules(stated),
        _ => AgentRules::default(),
    };
    rules.deny.extend(listed.deny.iter().cloned());
    rules.only.extend(listed.only.iter().cloned());
    match matter.value("permissionMode").and_then(Value::as_str) {
        None | Some("default" | "manual") => {}
        Some("plan") => rules.reads_only = true,
        // Whatever would be asked there is refused.
        Some("dontAsk") => rules.mode = Some(Effect::Deny),
        Some(other) => flaws.push(FlawKind::Loosens(other.to_owned())),
    }
    rules
}

/// Rules as `[permissions]` of the settings has them; in the short form of another program a family has a verdict.
fn stated_rules(stated: &Map<String, Value>) -> AgentRules {
    let mut rules = AgentRules::default();
    let list = |value: &Value| match value {
        Value::Array(list) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Value::String(one) => vec![one.clone()],
        _ => Vec::new(),
    };
    for (key, value) in stated {
        let effect = value.as_str().and_then(effect);
        match key.as_str() {
            "mode" | "*" => rules.mode = effect,
            "allow" => rules.allow = list(value),
            "ask" => rules.ask = list(value),
            "deny" => rules.deny = list(value),
            "dangerous" => rules.dangerous = list(value),
            "external_directory" => rules.external_directory = effect,
            "fallbacks" => {
                let said = value.as_object().into_iter().flatten();
                let said = said.filter_map(|(family, word)| Some((titled(family), self::effect(word.as_str()?)?)));
                rules.fallbacks.extend(said);
            }
            family => rules.fallbacks.extend(effect.map(|effect| (titled(family), effect))),
        }
    }
    rules
}

/// A family as rules name it.
fn titled(family: &str) -> String {
    let mut letters = family.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn effect(word: &str) -> Option<Effect> {
    match word {
        "allow" => Some(Effect::Allow),
        "ask" => Some(Effect::Ask),
        "deny" => Some(Effect::Deny),
        _ => None,
    }
}

fn count(value: &Value) -> Option<u32> {
    let said = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())?;
    Some(u32::try_from(said).unwrap_or(u32::MAX))
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok()).filter(|number| number.is_finite())
}
