//! What a bundle says that it carries, and what it carries without saying so.

use super::content::BundleFault;
use crate::agents::FoundAgents;
use crate::command::CustomCommand;
use crate::expand::filled_root;
use crate::file::small_file;
use crate::find::{Root, agents, commands, one_agent, skills};
use crate::flaw::{ExtensionFlaw, FlawKind};
use crate::names::{BroughtBy, LONGEST_NAME, is_hiding, one_line};
use crate::skill::{MANIFEST, Skill};
use reasonix_proto::{AgentProfile, Effect};
use serde_json::{Map, Value};
use std::path::{Component, Path, PathBuf};

const LONGEST_DESCRIPTION: usize = 1024;
const LONGEST_VERSION: usize = 64;
/// Servers of one bundle.
const MOST_SERVERS: usize = 50;

/// Names that stand before a colon in commands of ours.
const TAKEN: &[&str] = &["skill", "mcp", "mcp__", "prompt", "user", "project", "plugin", "reasonix"];

/// Fields that say what it is and bring nothing, or that are read here.
const KNOWN: &[&str] = &[
    "$schema",
    "name",
    "version",
    "description",
    "author",
    "homepage",
    "repository",
    "license",
    "keywords",
    "category",
    "tags",
    "strict",
    "displayName",
    "interface",
    "commands",
    "agents",
    "skills",
    "hooks",
    "mcpServers",
];

/// Files and folders that bring something there is nothing for here.
const OTHERS: &[(&str, &str)] = &[
    (".lsp.json", "lspServers"),
    ("output-styles", "outputStyles"),
    ("themes", "themes"),
    ("monitors", "monitors"),
    ("settings.json", "settings"),
    (".app.json", "apps"),
];

/// Whose layout a bundle has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BundleLayout {
    /// Claude Code's.
    Claude,
    /// Codex's.
    Codex,
    /// That of its folders alone.
    Bare,
}

/// A folder that carries several extensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// Its name, which stands before those of what it carries.
    pub name: String,
    /// Its version, as it says.
    pub version: Option<String>,
    /// What it is for, in one line.
    pub description: Option<String>,
    /// Whose layout it has.
    pub layout: BundleLayout,
    /// Its folder.
    pub root: PathBuf,
    /// Folders with skills, and folders that are one.
    pub(crate) skills: Vec<PathBuf>,
    /// Folders with commands, and files that are one.
    pub(crate) commands: Vec<PathBuf>,
    agents: Vec<PathBuf>,
    /// What it says of hooks, each with where that stands.
    pub hooks: Vec<(String, Value)>,
    /// Its servers by name, as `mcpServers` has them.
    pub servers: Map<String, Value>,
    /// Parts that there is nothing for here.
    pub lacking: Vec<String>,
    /// What is wrong with it.
    pub flaws: Vec<ExtensionFlaw>,
}

impl Bundle {
    /// Reads what a folder carries. `usual` is its name where it says none; the folder's own otherwise.
    pub fn read(root: &Path, usual: Option<&str>) -> Result<Self, BundleFault> {
        let (layout, said) = manifest(root)?;
        let text = |key: &str| said.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        let own = root.file_name().and_then(|name| name.to_str());
        let name = text("name").or(usual).or(own).unwrap_or_default().to_owned();
        if !is_bundle_name(&name) {
            return Err(BundleFault::Name(name));
        }
        let shown =
            |key: &str, most: usize| text(key).filter(|text| !is_hiding(text)).map(|text| one_line(text, most).0);
        let mut bundle = Self {
            version: shown("version", LONGEST_VERSION),
            description: shown("description", LONGEST_DESCRIPTION),
            layout,
            root: root.to_owned(),
            skills: Vec::new(),
            commands: Vec::new(),
            agents: Vec::new(),
            hooks: Vec::new(),
            servers: Map::new(),
            lacking: said.keys().filter(|key| !KNOWN.contains(&key.as_str())).cloned().collect(),
            flaws: Vec::new(),
            name,
        };
        bundle.skills = bundle.places(&said, "skills");
        bundle.commands = bundle.places(&said, "commands");
        bundle.agents = bundle.places(&said, "agents");
        bundle.take_hooks(&said);
        bundle.take_servers(&said);
        let others = OTHERS.iter().filter(|(path, _)| root.join(path).symlink_metadata().is_ok());
        bundle.lacking.extend(others.map(|(_, part)| (*part).to_owned()));
        bundle.lacking.sort();
        bundle.lacking.dedup();
        if layout == BundleLayout::Bare && bundle.is_empty() {
            return Err(BundleFault::NoBundle);
        }
        Ok(bundle)
    }

    /// Its agents under their full names, and what is wrong with some. Their words count, for they are what was taken in; of
    /// their rules only what asks for more or refuses more.
    pub fn own_agents(&self) -> FoundAgents {
        let mut found = FoundAgents::default();
        for path in &self.agents {
            let root = Root { path: path.clone(), by: BroughtBy::User };
            let haul = if path.is_file() { one_agent(path) } else { agents(&root) };
            found.agents.extend(haul.found.into_iter().map(|agent| self.brought(agent)));
            found.flaws.extend(haul.flaws);
        }
        found
    }

    fn brought(&self, agent: AgentProfile) -> AgentProfile {
        let (mut agent, _) = agent.tightened();
        agent.name = format!("{}:{}", self.name, agent.name);
        let refuses = |effect: &Effect| *effect == Effect::Deny;
        agent.rules.mode = agent.rules.mode.filter(refuses);
        agent.rules.external_directory = agent.rules.external_directory.filter(refuses);
        agent.rules.fallbacks.retain(|_, effect| refuses(effect));
        agent
    }

    /// Its skills under their full names, and what is wrong with some.
    pub fn own_skills(&self) -> (Vec<Skill>, Vec<ExtensionFlaw>) {
        let (mut all, mut flaws) = (Vec::new(), Vec::new());
        for path in &self.skills {
            if path.join(MANIFEST).is_file() {
                match Skill::read(path, BroughtBy::User) {
                    Ok((skill, odd)) => {
                        all.push(skill);
                        flaws.extend(odd.into_iter().map(|kind| kind.at(path)));
                    }
                    Err(kind) => flaws.push(kind.at(path)),
                }
            } else {
                let haul = skills(&Root { path: path.clone(), by: BroughtBy::User }, &|_| false);
                all.extend(haul.found);
                flaws.extend(haul.flaws);
            }
        }
        for skill in &mut all {
            skill.name = format!("{}:{}", self.name, skill.name);
            skill.bundle = Some(self.root.clone());
            fill_rules(&mut skill.allowed_tools, &self.root);
        }
        (all, flaws)
    }

    /// Its commands under their full names, and what is wrong with some.
    pub fn own_commands(&self) -> (Vec<CustomCommand>, Vec<ExtensionFlaw>) {
        let (mut all, mut flaws) = (Vec::new(), Vec::new());
        for path in &self.commands {
            let haul = commands(&Root { path: path.clone(), by: BroughtBy::User });
            all.extend(haul.found);
            flaws.extend(haul.flaws);
        }
        for command in &mut all {
            command.name = format!("{}:{}", self.name, command.name);
            command.bundle = Some(self.root.clone());
            fill_rules(&mut command.allowed_tools, &self.root);
        }
        (all, flaws)
    }

    fn is_empty(&self) -> bool {
        let folders = [&self.skills, &self.commands, &self.agents];
        folders.iter().all(|places| places.is_empty()) && self.hooks.is_empty() && self.servers.is_empty()
    }

    /// The usual folder of a part, and those that it names besides.
    fn places(&mut self, said: &Map<String, Value>, part: &str) -> Vec<PathBuf> {
        let mut places: Vec<PathBuf> = Some(self.root.join(part)).into_iter().filter(|path| path.is_dir()).collect();
        for named in texts(said.get(part)) {
            match self.inside(&named) {
                Some(path) if !places.contains(&path) => places.push(path),
                Some(_) => {}
                None => self.flaws.push(FlawKind::LeadsOut.at(Path::new(&named))),
            }
        }
        places
    }

    /// A path that it names, as long as that is inside and something is there.
    fn inside(&self, named: &str) -> Option<PathBuf> {
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        let named = named.trim();
        let named = named.strip_prefix("${CLAUDE_PLUGIN_ROOT}/").unwrap_or(named);
        let path = Path::new(named);
        if named.is_empty() || !path.components().all(plain) {
            return None;
        }
        let parts = path.components().filter(|part| matches!(part, Component::Normal(_)));
        let path = parts.fold(self.root.clone(), |path, part| path.join(part));
        let (real, root) = (path.canonicalize().ok()?, self.root.canonicalize().ok()?);
        real.starts_with(root).then_some(path)
    }

    fn take_hooks(&mut self, said: &Map<String, Value>) {
        let usual = "hooks/hooks.json";
        let named = texts(said.get("hooks"));
        // Codex has either the usual file or what the manifest says.
        let alone = self.layout == BundleLayout::Codex && said.contains_key("hooks");
        if self.root.join(usual).is_file() && !alone && !named.iter().any(|path| path.ends_with(usual)) {
            self.hooks_in(usual);
        }
        named.iter().for_each(|path| self.hooks_in(path));
        let inline = match said.get("hooks") {
            Some(Value::Array(list)) => list.iter().filter(|entry| entry.is_object()).collect(),
            Some(entry @ Value::Object(_)) => vec![entry],
            _ => Vec::new(),
        };
        self.hooks.extend(inline.into_iter().map(|entry| ("plugin.json".to_owned(), entry.clone())));
    }

    fn hooks_in(&mut self, named: &str) {
        if let Some(said) = self.json_in(named) {
            self.hooks.push((named.trim_start_matches("./").to_owned(), said));
        }
    }

    fn take_servers(&mut self, said: &Map<String, Value>) {
        let usual = ".mcp.json";
        let named = texts(said.get("mcpServers"));
        let alone = self.layout == BundleLayout::Codex && said.contains_key("mcpServers");
        let mut all = Vec::new();
        if self.root.join(usual).is_file() && !alone && !named.iter().any(|path| path.ends_with(usual)) {
            all.extend(self.json_in(usual));
        }
        for path in &named {
            all.extend(self.json_in(path));
        }
        match said.get("mcpServers") {
            Some(Value::Array(list)) => all.extend(list.iter().filter(|entry| entry.is_object()).cloned()),
            Some(entry @ Value::Object(_)) => all.push(entry.clone()),
            _ => {}
        }
        for mut said in all {
            let inner = ["mcpServers", "mcp_servers"].into_iter().find_map(|key| said.get_mut(key).map(Value::take));
            let Value::Object(servers) = inner.unwrap_or(said) else { continue };
            for (name, server) in servers.into_iter().filter(|(name, server)| !is_hiding(name) && server.is_object()) {
                if self.servers.len() < MOST_SERVERS {
                    self.servers.entry(name).or_insert(server);
                }
            }
        }
    }

    /// What a file of it says; what is wrong with the file is noted.
    fn json_in(&mut self, named: &str) -> Option<Value> {
        let Some(path) = self.inside(named) else {
            self.flaws.push(FlawKind::LeadsOut.at(Path::new(named)));
            return None;
        };
        match small_file(&path, &self.root)? {
            Err(flaw) => self.flaws.push(flaw),
            Ok(text) => match serde_json::from_str(&text) {
                Ok(said) => return Some(said),
                Err(error) => self.flaws.push(FlawKind::Unreadable(error.to_string()).at(&path)),
            },
        }
        None
    }
}

/// What a bundle says of itself.
fn manifest(root: &Path) -> Result<(BundleLayout, Map<String, Value>), BundleFault> {
    let files =
        [(BundleLayout::Claude, ".claude-plugin/plugin.json"), (BundleLayout::Codex, ".codex-plugin/plugin.json")];
    for (layout, file) in files {
        let bad = |reason: String| BundleFault::Manifest(file.to_owned(), reason);
        let Some(text) = small_file(&root.join(file), root) else { continue };
        let text = text.map_err(|flaw| bad(format!("{:?}", flaw.kind)))?;
        let said: Value = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
        let Value::Object(said) = said else { return Err(bad("it is no object".to_owned())) };
        return Ok((layout, said));
    }
    Ok((BundleLayout::Bare, Map::new()))
}

/// True for a name that stands before those of what a bundle carries: it can be typed, looks like no other, is a part of a path,
/// and is not taken.
pub(crate) fn is_bundle_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let taken = TAKEN.iter().any(|taken| taken.eq_ignore_ascii_case(name));
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.len() <= LONGEST_NAME
        && name.chars().all(fits)
        && !taken
}

/// A text, or the texts of a list.
fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(list)) => list.iter().filter_map(|text| text.as_str().map(str::to_owned)).collect(),
        _ => Vec::new(),
    }
}

fn fill_rules(rules: &mut Option<Vec<String>>, root: &Path) {
    rules.iter_mut().flatten().for_each(|rule| *rule = filled_root(rule, Some(root)));
}
