//! Agents: Markdown files whose front matter says what an agent may use and do, and whose text is its system prompt. Files made
//! for Claude Code are read in its words; what would loosen something is left out, and said.

use crate::file::whole;
use crate::flaw::{ExtensionFlaw, FlawKind};
use crate::front::{Matter, split};
use crate::hooks::{own_names, with_alike};
use crate::names::{BroughtBy, is_hiding, is_name};
use reasonix_proto::{AgentMode, AgentOrigin, AgentProfile, AgentRules, Effect, family_of_word, unhidden};
use serde_json::{Map, Value};
use std::path::Path;

const LONGEST_DESCRIPTION: usize = 1024;
const LONGEST_WORD: usize = 200;

/// Names of the tool that starts other agents.
const STARTS: &[&str] = &["agent", "task"];

/// Fields of other programs that nothing follows from, and that somebody may count on.
const UNUSED: &[&str] = &["hooks", "mcpServers", "memory", "initialPrompt"];

/// Fields that something follows from, and those that only say what a file is.
const KNOWN: &[&str] = &[
    "name",
    "description",
    "mode",
    "model",
    "effort",
    "tools",
    "disallowedTools",
    "disallowed_tools",
    "permissions",
    "permission",
    "permissionMode",
    "max_steps",
    "maxTurns",
    "steps",
    "temperature",
    "top_p",
    "disable",
    "disabled",
    "skills",
    "spawns",
    "output",
    "blocking",
    "background",
    "isolation",
    "color",
    "license",
    "metadata",
    "version",
    "author",
    "tags",
];

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
    let rules = rules_of(&matter, &listed, &mut flaws).unwrap_or_else(|word| {
        flaws.push(FlawKind::BadPermissions(word));
        AgentRules { reads_only: true, ..AgentRules::default() }
    });
    flaws.extend(mistakes(&matter));
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
    matter.flaws.append(&mut flaws);
    Ok((profile, matter.flaws))
}

/// Fields that nobody knows, and values that say nothing. What looks like permissions and is not could forbid something.
fn mistakes(matter: &Matter) -> Vec<FlawKind> {
    let known = |name: &str| KNOWN.contains(&name) || UNUSED.contains(&name);
    let (meant, unknown): (Vec<&str>, Vec<&str>) =
        matter.names().filter(|name| !known(name)).partition(|name| name.to_ascii_lowercase().starts_with("perm"));
    let mode = |value: &Value| value.as_str().and_then(AgentMode::parse).is_some();
    let steps = |value: &Value| count(value).is_some();
    let figure = |value: &Value| number(value).is_some();
    let listed = |value: &Value| value.is_string() || value.is_array() || value.is_null();
    let mut bad: Vec<&str> = Vec::new();
    let mut check = |names: &[&'static str], fits: &dyn Fn(&Value) -> bool| {
        bad.extend(names.iter().filter(|name| matter.value(name).is_some_and(|value| !fits(value))));
    };
    check(&["mode"], &mode);
    check(&["max_steps", "maxTurns", "steps"], &steps);
    check(&["temperature", "top_p"], &figure);
    check(&["skills", "spawns", "disallowedTools", "disallowed_tools"], &listed);
    check(&["tools"], &|value| listed(value) || value.is_object());
    bad.extend(["disable", "disabled"].iter().filter(|name| matter.has(name) && matter.is(name).is_none()));
    let mut flaws: Vec<FlawKind> = meant.iter().map(|name| FlawKind::BadPermissions((*name).to_owned())).collect();
    flaws.extend((!unknown.is_empty()).then(|| FlawKind::UnknownFields(unknown.join(", "))));
    flaws.extend((!bad.is_empty()).then(|| FlawKind::BadValues(bad.join(", "))));
    flaws
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
            (name, None) => self.without.extend(with_alike(own_tools(name))),
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

/// The rules of a file; or what of them says nothing.
fn rules_of(matter: &Matter, listed: &Listed, flaws: &mut Vec<FlawKind>) -> Result<AgentRules, String> {
    let mut rules = match matter.value("permissions").or_else(|| matter.value("permission")) {
        Some(Value::Object(stated)) => stated_rules(stated)?,
        Some(Value::Null) | None => AgentRules::default(),
        Some(one) => AgentRules { mode: Some(effect(one).ok_or("permissions")?), ..AgentRules::default() },
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
    Ok(rules)
}

/// Rules as `[permissions]` of the settings has them; in the short form of another program a family has a verdict, or a
/// pattern of it has one.
fn stated_rules(stated: &Map<String, Value>) -> Result<AgentRules, String> {
    let mut rules = AgentRules::default();
    for (key, value) in stated {
        let wrong = || format!("permissions.{key}");
        match key.as_str() {
            "mode" | "*" => rules.mode = Some(effect(value).ok_or_else(wrong)?),
            "allow" => rules.allow.extend(texts(value).ok_or_else(wrong)?),
            "ask" => rules.ask.extend(texts(value).ok_or_else(wrong)?),
            "deny" => rules.deny.extend(texts(value).ok_or_else(wrong)?),
            "dangerous" => rules.dangerous = texts(value).ok_or_else(wrong)?,
            "external_directory" => rules.external_directory = Some(effect(value).ok_or_else(wrong)?),
            "fallbacks" => {
                for (family, said) in value.as_object().ok_or_else(wrong)? {
                    let wrong = || format!("permissions.fallbacks.{family}");
                    fall_back(
                        &mut rules,
                        family_of_word(&family.to_ascii_lowercase()).ok_or_else(wrong)?,
                        effect(said).ok_or_else(wrong)?,
                    );
                }
            }
            family => of_family(&mut rules, family_of_word(&family.to_ascii_lowercase()).ok_or_else(wrong)?, value)
                .ok_or_else(wrong)?,
        }
    }
    Ok(rules)
}

/// What is said of a family, or of patterns of it; none where that says nothing.
fn of_family(rules: &mut AgentRules, family: &str, value: &Value) -> Option<()> {
    let Value::Object(patterns) = value else {
        fall_back(rules, family, effect(value)?);
        return Some(());
    };
    for (pattern, said) in patterns {
        let said = effect(said)?;
        if pattern == "*" {
            fall_back(rules, family, said);
            continue;
        }
        let prefix = pattern.strip_suffix(" *").filter(|prefix| family == "Bash" && !prefix.contains('*'));
        let text = prefix.map_or_else(|| format!("{family}({pattern})"), |prefix| format!("{family}({prefix}:*)"));
        match said {
            Effect::Allow => rules.allow.push(text),
            Effect::Ask => rules.ask.push(text),
            Effect::Deny => rules.deny.push(text),
        }
    }
    Some(())
}

/// Of two words on a family the stricter one counts.
fn fall_back(rules: &mut AgentRules, family: &str, said: Effect) {
    let held = rules.fallbacks.entry(family.to_owned()).or_insert(said);
    *held = said.max(*held);
}

/// One text or a list of them; none where something else stands in it.
fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Array(list) => list.iter().map(|text| text.as_str().map(str::to_owned)).collect(),
        Value::String(one) => Some(vec![one.clone()]),
        Value::Null => Some(Vec::new()),
        _ => None,
    }
}

fn effect(value: &Value) -> Option<Effect> {
    match value.as_str()? {
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
