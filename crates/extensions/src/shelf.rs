//! Everything that is there: which folders are looked through, what was found in them, and which of two of the same name
//! counts.

use crate::agents::FoundAgents;
use crate::bundle::Bundle;
use crate::bundled::bundled;
use crate::command::CustomCommand;
use crate::find::{Root, agents, commands, rules, skills};
use crate::flaw::ExtensionFlaw;
use crate::names::{BroughtBy, ShadowedExtension, first_of};
use crate::rulebook::{Dialect, FoundRules};
use crate::skill::Skill;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Where extensions are looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtensionPlaces {
    /// The project's folder; empty for none.
    pub project: PathBuf,
    /// The user's folder, `~/.reasonix`.
    pub home: PathBuf,
    /// The folder that `~` stands for, where that is known.
    pub user: Option<PathBuf>,
    /// More folders with skills, in their order.
    pub paths: Vec<PathBuf>,
    /// Folders that are not looked into.
    pub excluded: Vec<PathBuf>,
    /// Names of skills that are not there.
    pub disabled: Vec<String>,
    /// No rules are read.
    pub without_rules: bool,
    /// The bundles that the user took in.
    pub bundles: Vec<Bundle>,
}

/// The skills that were found, sorted by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundSkills {
    /// Those that count.
    pub skills: Vec<Skill>,
    /// Those that another one stands before.
    pub shadowed: Vec<ShadowedExtension>,
    /// What is wrong with files.
    pub flaws: Vec<ExtensionFlaw>,
}

/// The commands that were found, sorted by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundCommands {
    /// Those that count.
    pub commands: Vec<CustomCommand>,
    /// Those that another one stands before.
    pub shadowed: Vec<ShadowedExtension>,
    /// What is wrong with files.
    pub flaws: Vec<ExtensionFlaw>,
}

/// Says which names a rule hides.
type Hides = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// Says which files are closed to a model.
type Closes = Arc<dyn Fn(&Path) -> bool + Send + Sync>;

/// The extensions of a session. Nothing is read before somebody asks.
#[derive(Clone, Default)]
pub struct Shelf(Arc<Inner>);

#[derive(Default)]
struct Inner {
    places: Option<ExtensionPlaces>,
    hides: Option<Hides>,
    skills: OnceLock<FoundSkills>,
    closes: Option<Closes>,
    rules: OnceLock<FoundRules>,
}

impl Shelf {
    /// What lies in these places, without what the user's rules hide.
    pub fn new(places: ExtensionPlaces, hides: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        let (places, hides) = (Some(places), Some::<Hides>(Arc::new(hides)));
        Self(Arc::new(Inner { places, hides, ..Inner::default() }))
    }

    /// The same without the rules that stand in files which are closed to a model.
    #[must_use]
    pub fn without(self, closes: impl Fn(&Path) -> bool + Send + Sync + 'static) -> Self {
        let (places, hides) = (self.0.places.clone(), self.0.hides.clone());
        Self(Arc::new(Inner { places, hides, closes: Some(Arc::new(closes)), ..Inner::default() }))
    }

    /// The skills as they were when somebody first asked, so that a session speaks of the same ones from beginning to end.
    pub fn skills(&self) -> &FoundSkills {
        self.0.skills.get_or_init(|| self.skills_now())
    }

    /// The skills as they are on disk now.
    pub fn skills_now(&self) -> FoundSkills {
        let Some(places) = &self.0.places else { return FoundSkills::default() };
        let excluded = places.excluded();
        let is_excluded = |path: &Path| excluded.iter().any(|out| path.starts_with(out));
        let mut all = Vec::new();
        let mut flaws = Vec::new();
        for root in places.skill_roots().iter().filter(|root| !is_excluded(&root.path)) {
            let haul = skills(root, &is_excluded);
            all.extend(haul.found);
            flaws.extend(haul.flaws);
        }
        // What is only odd about a bundle was shown when it was taken in.
        for (skills, wrong) in places.bundles.iter().map(Bundle::own_skills) {
            all.extend(skills);
            flaws.extend(wrong.into_iter().filter(|flaw| !flaw.kind.is_harmless()));
        }
        all.extend(bundled());
        let (mut skills, shadowed) = first_of(all, |skill| (&skill.name, skill.file()));
        let is_off = |name: &str| places.disabled.iter().any(|off| off.eq_ignore_ascii_case(name)) || self.hides(name);
        skills.retain(|skill| !is_off(&skill.name));
        // What Reasonix brings itself may be overruled without a word.
        let told = |shadowed: &ShadowedExtension| shadowed.shadowed.parent().is_some_and(|path| path.is_absolute());
        FoundSkills { skills, shadowed: shadowed.into_iter().filter(told).collect(), flaws }
    }

    /// The rules as they were when somebody first asked.
    pub fn rules(&self) -> &FoundRules {
        self.0.rules.get_or_init(|| {
            let mut found = self.0.places.as_ref().map(ExtensionPlaces::rules_now).unwrap_or_default();
            found.rules.retain(|rule| !self.0.closes.as_ref().is_some_and(|closes| closes(&rule.file)));
            found
        })
    }

    /// The commands as they are on disk now.
    pub fn commands_now(&self) -> FoundCommands {
        let Some(places) = &self.0.places else { return FoundCommands::default() };
        let hauls: Vec<_> = places.command_roots().iter().map(commands).collect();
        let (mut all, mut flaws) = (Vec::new(), Vec::new());
        for haul in hauls {
            all.extend(haul.found);
            flaws.extend(haul.flaws);
        }
        for (commands, wrong) in places.bundles.iter().map(Bundle::own_commands) {
            all.extend(commands);
            flaws.extend(wrong.into_iter().filter(|flaw| !flaw.kind.is_harmless()));
        }
        let (commands, shadowed) = first_of(all, |command| (&command.name, command.file.clone()));
        FoundCommands { commands, shadowed, flaws }
    }

    /// The agents as they are on disk now, without those in files that are closed to a model.
    pub fn agents_now(&self) -> FoundAgents {
        let Some(places) = &self.0.places else { return FoundAgents::default() };
        let mut found = FoundAgents::default();
        for root in places.agent_roots() {
            let haul = agents(&root);
            found.agents.extend(haul.found);
            found.flaws.extend(haul.flaws);
        }
        for brought in places.bundles.iter().map(Bundle::own_agents) {
            found.agents.extend(brought.agents);
            found.flaws.extend(brought.flaws);
        }
        let closed = |place: &str| self.0.closes.as_ref().is_some_and(|closes| closes(Path::new(place)));
        found.agents.retain(|agent| !closed(&agent.place));
        found
    }

    /// True when the project or the user brought skills that a model may read.
    pub fn has_skills(&self) -> bool {
        self.offered().next().is_some()
    }

    /// The skills of the project and the user that a model may read.
    pub fn offered(&self) -> impl Iterator<Item = &Skill> {
        self.skills().skills.iter().filter(|skill| skill.for_models && skill.by != BroughtBy::Bundled)
    }

    /// The skills that a model may read, with those that are bundled.
    pub fn readable(&self) -> impl Iterator<Item = &Skill> {
        self.skills().skills.iter().filter(|skill| skill.for_models)
    }

    /// The skill of this name that a model may read.
    pub fn readable_named(&self, name: &str) -> Option<&Skill> {
        let name = bare(name);
        self.readable().find(|skill| skill.name.eq_ignore_ascii_case(name))
    }

    /// The skill of this name, whoever may use it.
    pub fn named(&self, name: &str) -> Option<&Skill> {
        let name = bare(name);
        self.skills().skills.iter().find(|skill| skill.name.eq_ignore_ascii_case(name))
    }

    /// The name that rules know a skill by, however it was written: its own where there is one, without case.
    pub fn judged_name(&self, name: &str) -> String {
        self.named(name).map_or_else(|| bare(name).to_owned(), |skill| skill.name.clone()).to_lowercase()
    }

    fn hides(&self, name: &str) -> bool {
        self.0.hides.as_ref().is_some_and(|hides| hides(name))
    }
}

/// A name without what models put around it: a slash, `skill:`, a mark behind it.
fn bare(name: &str) -> &str {
    let name = name.trim().trim_start_matches('/');
    let name = name.strip_prefix("skill:").unwrap_or(name);
    name.split(|c: char| c.is_whitespace() || c == '[').next().unwrap_or(name)
}

impl ExtensionPlaces {
    /// In the order in which they count: the project's before the user's, our own folder before those of others.
    fn skill_roots(&self) -> Vec<Root> {
        let (ours, theirs): (Vec<&PathBuf>, Vec<&PathBuf>) = match self.project.as_os_str().is_empty() {
            true => (Vec::new(), self.paths.iter().collect()),
            false => self.paths.iter().partition(|path| path.starts_with(&self.project)),
        };
        let mut roots = Vec::new();
        let project = |path: &str| Root { path: self.project.join(path), by: BroughtBy::Project };
        if !self.project.as_os_str().is_empty() {
            roots.push(project(".reasonix/skills"));
            roots.extend(ours.into_iter().map(|path| Root { path: path.clone(), by: BroughtBy::Project }));
            roots.extend([".agents/skills", ".claude/skills"].map(project));
        }
        let user = |path: PathBuf| Root { path, by: BroughtBy::User };
        roots.push(user(self.home.join("skills")));
        roots.extend(theirs.into_iter().cloned().map(user));
        roots.extend(self.user.iter().map(|folder| user(folder.join(".agents/skills"))));
        self.own(roots)
    }

    fn command_roots(&self) -> Vec<Root> {
        let mut roots = Vec::new();
        if !self.project.as_os_str().is_empty() {
            let project = |path: &str| Root { path: self.project.join(path), by: BroughtBy::Project };
            roots.extend([".reasonix/commands", ".claude/commands"].map(project));
        }
        roots.push(Root { path: self.home.join("commands"), by: BroughtBy::User });
        self.own(roots)
    }

    /// The user's own before the project's.
    fn agent_roots(&self) -> Vec<Root> {
        let mut roots = vec![Root { path: self.home.join("agents"), by: BroughtBy::User }];
        if !self.project.as_os_str().is_empty() {
            let project = |path: &str| Root { path: self.project.join(path), by: BroughtBy::Project };
            roots.extend([".reasonix/agents", ".claude/agents"].map(project));
        }
        self.own(roots)
    }

    fn rules_now(&self) -> FoundRules {
        let (mut all, mut flaws) = (Vec::new(), Vec::new());
        for (root, dialect, deep) in self.rule_roots() {
            let named = root.path.clone();
            // A folder of the project's that is a link stands for files that are something else there.
            let links = root.by == BroughtBy::Project && self.is_linked(&named);
            for root in self.own(vec![root]).into_iter().filter(|_| !links) {
                let haul = rules(&root, dialect, deep);
                all.extend(haul.found);
                flaws.extend(haul.flaws);
            }
        }
        let (rules, shadowed) = first_of(all, |rule| (&rule.name, rule.file.clone()));
        FoundRules { rules, shadowed, flaws }
    }

    /// True when a part of a path below the project's folder is a link.
    fn is_linked(&self, path: &Path) -> bool {
        let (Ok(real), Ok(project)) = (path.canonicalize(), self.project.canonicalize()) else { return false };
        path.strip_prefix(&self.project).is_ok_and(|below| project.join(below) != real)
    }

    /// Our own before those of other programs, the project's before the user's.
    fn rule_roots(&self) -> Vec<(Root, Dialect, bool)> {
        if self.without_rules {
            return Vec::new();
        }
        let user = (Root { path: self.home.join("rules"), by: BroughtBy::User }, Dialect::Marked, false);
        if self.project.as_os_str().is_empty() {
            return vec![user];
        }
        let project =
            |path: &str, dialect, deep| (Root { path: self.project.join(path), by: BroughtBy::Project }, dialect, deep);
        vec![
            project(".reasonix/rules", Dialect::Marked, false),
            user,
            project(".claude/rules", Dialect::Plain, true),
            project(".cursor/rules", Dialect::ByHand, true),
            project(".windsurf/rules", Dialect::Triggered, false),
            project(".clinerules", Dialect::Plain, false),
        ]
    }

    /// Those that are there, each once, with links resolved. A project's that lies elsewhere is none of its own.
    fn own(&self, roots: Vec<Root>) -> Vec<Root> {
        let project = self.project.canonicalize().unwrap_or_else(|_| self.project.clone());
        let mut own: Vec<Root> = Vec::new();
        for root in roots {
            let Ok(path) = root.path.canonicalize() else { continue };
            let strays = root.by == BroughtBy::Project && !path.starts_with(&project);
            if !strays && own.iter().all(|other| other.path != path) {
                own.push(Root { path, by: root.by });
            }
        }
        own
    }

    fn excluded(&self) -> Vec<PathBuf> {
        self.excluded.iter().map(|path| path.canonicalize().unwrap_or_else(|_| path.clone())).collect()
    }
}
