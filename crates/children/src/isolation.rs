//! A subagent that writes works in a clone of its own: what is committed, with what the session has changed since on top, as
//! the base that its work is told against. Nothing that it leaves there is run or believed here.

use super::branched::Branched;
use super::commits::Commits;
use super::{Children, Kin};
use reasonix_agent::{Args, Artifacts, Journal, Tool};
use reasonix_config::{MergeAs, Settings};
use reasonix_exec::git::{CloneHistory, all_objects_of, clone_shared, commit_all, head_commit};
use reasonix_exec::{Caches, Confinement};
use reasonix_gate::{AgentStanding, Approvals, GateStanding};
use reasonix_policy::Rule;
use reasonix_proto::{AgentProfile, Family, Mode, ToolOutcome};
use reasonix_servers::fleet::is_of_servers;
use reasonix_undo::snapshots_of;
use reasonix_workspace::Workspace;
use reasonix_workspace::snapshot::{RelPath, SnapshotLimits, Snapshots, Tree, TreeEntry, Uncovered, covers};
use reasonix_world::border::{BoxedShell, Crossing};
use reasonix_world::confine::{box_options, least_level, prepared, word};
use reasonix_world::error::EngineError;
use reasonix_world::network::net_options;
use reasonix_world::spec::{Start, Which};
use std::any::Any;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the commit says that holds what nobody had committed.
const BASE: &str = "What was not committed when this clone was made";

/// The clone that a subagent works in.
pub(super) struct Isolated {
    /// All of it.
    folder: PathBuf,
    pub(super) workspace: Workspace,
    /// The session's own objects, which the clone shares, and those that they are shared with.
    objects: Vec<PathBuf>,
    /// The commit that it begins with.
    commit: String,
    states: Snapshots,
    base: Seen,
    /// Where its work becomes a branch, where that is wanted.
    history: Option<CloneHistory>,
}

/// What a look at a clone saw.
pub(super) struct Seen {
    pub(super) tree: Tree,
    /// What of it git does not ignore.
    pub(super) plain: BTreeSet<RelPath>,
    pub(super) uncovered: Vec<Uncovered>,
}

/// What a subagent made of its clone.
pub(super) struct Made {
    pub(super) folder: PathBuf,
    pub(super) states: Snapshots,
    pub(super) base: Seen,
    pub(super) result: Seen,
    /// Its commits, where it made some.
    pub(super) commits: Option<Commits>,
    /// The same as a branch, where that is wanted; or why it cannot be one.
    pub(super) branch: Option<Result<Branched, String>>,
}

impl Seen {
    fn of(states: &mut Snapshots) -> Result<Self, String> {
        let taken = states.take(&|| false).map_err(told)?;
        let tree = states.read(&taken.state).map_err(told)?;
        Ok(Self { tree, plain: states.unignored(), uncovered: taken.uncovered })
    }
}

fn told(error: impl ToString) -> String {
    error.to_string()
}

/// Whether one of this profile writes: it has one of these tools, which edit, and nothing says that it only reads.
pub(super) fn writes(profile: &AgentProfile, tools: &[String], isolated: bool) -> bool {
    let edits = tools.iter().any(|name| profile.has(name));
    let closed = |rule: &String| ["edit", "write"].contains(&rule.trim().to_lowercase().as_str());
    let apart = isolated || profile.isolation.as_deref() == Some("worktree");
    !profile.rules.reads_only && ((edits && !profile.rules.deny.iter().any(closed)) || apart)
}

/// The repository that a folder lies in.
fn top_of(root: &Path) -> Option<&Path> {
    root.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok())
}

/// Why nobody can write here, in words that a model can act on.
pub(super) async fn refused(kin: &Kin, agent: &str) -> Option<ToolOutcome> {
    let reader = "start the agent \"explore\", which reads in this folder, and make the changes yourself";
    let no = |why: String| Some(ToolOutcome::failed_with(format!("{agent:?} writes, and {why}"), reader));
    if kin.root.state().mode == Mode::Plan {
        return no("in plan mode nobody does".to_owned());
    }
    let root = kin.start.workspace.root();
    let Some(top) = top_of(root) else {
        return no("works in a clone of its own, but this folder is in no git repository".to_owned());
    };
    if head_commit(top).await.is_none() {
        return no("works in a clone of its own, but this git repository has no commit yet".to_owned());
    }
    None
}

impl Children {
    /// Makes the clone for one of this name.
    pub(super) async fn isolate(&self, kin: &Kin, name: &str) -> Result<Isolated, String> {
        let (start, family, session) = (Arc::clone(&kin.start), Arc::clone(&self.family), kin.session.clone());
        let home = start.world.home.clone();
        let blocking = tokio::task::spawn_blocking(move || family.clones.folder(&home, &session));
        let all = blocking.await.map_err(told)?.map_err(told)?;
        let folder = all.join(name);
        // One that goes on begins with what the session has now.
        reasonix_exec::remove_tree(&folder);
        reasonix_store::private_folder(&folder).map_err(told)?;
        let made = make(&start, &all, &folder).await;
        if made.is_err() {
            reasonix_exec::remove_tree(&folder);
        }
        made.map_err(|why| format!("no clone could be made for it: {why}"))
    }
}

async fn make(start: &Arc<Start>, all: &Path, folder: &Path) -> Result<Isolated, String> {
    let root = start.workspace.root().to_owned();
    let top = top_of(&root).ok_or("there is no git repository")?.to_owned();
    let below = root.strip_prefix(&top).map_err(told)?.to_owned();
    let clone = folder.join("tree");
    clone_shared(&top, &clone).await.map_err(told)?;
    let objects = all_objects_of(&top).await.map_err(told)?;
    let place = clone.join(&below);
    let kept = (start.which == Which::Unkept).then(|| all.join("kept"));
    let (from, at) = (Arc::clone(start), place.clone());
    let filled = tokio::task::spawn_blocking(move || fill(&from, kept.as_deref(), &at));
    let states = filled.await.map_err(told)??;
    let head = head_commit(&clone).await.ok_or("it has no commit")?;
    let commit = commit_all(&clone, &top, BASE).await.map_err(told)?;
    let history = match start.world.settings.isolation.merge {
        MergeAs::Patch => None,
        MergeAs::Branch => {
            let (git, base) = (folder.join("history"), (head.as_str(), commit.as_str()));
            Some(CloneHistory::begin(&git, (&top, &clone), base).await.map_err(told)?)
        }
    };
    let (from, at) = (Arc::clone(start), place.clone());
    let looked = tokio::task::spawn_blocking(move || {
        let mut states = states;
        from.workspace.bring(&from.world.settings.isolation.include, &at).map_err(told)?;
        let base = Seen::of(&mut states)?;
        Ok::<_, String>((states, base))
    });
    let (states, base) = looked.await.map_err(told)??;
    if base.plain.is_empty() {
        return Err("git ignores everything in this folder".to_owned());
    }
    let workspace = start.workspace.copied_to(&place).map_err(told)?;
    Ok(Isolated { folder: folder.to_owned(), workspace, objects, commit, states, base, history })
}

/// The states of a folder of the session; kept with those of undo, or with its clones where nothing is kept.
pub(super) fn states_of(start: &Start, kept: Option<&Path>) -> Result<Snapshots, String> {
    let (root, home) = (start.workspace.root(), &start.world.home);
    match kept {
        None => snapshots_of(root, home).map_err(told),
        Some(kept) => opened(root, kept).map(|states| states.without(&home.join("state")).passing()),
    }
}

fn opened(root: &Path, kept: &Path) -> Result<Snapshots, String> {
    Snapshots::open(root, kept, std::env::home_dir().as_deref(), SnapshotLimits::default()).map_err(told)
}

/// Gives a fresh clone what the session's folder has, but for what git ignores and what is nobody's to read.
fn fill(start: &Start, kept: Option<&Path>, place: &Path) -> Result<Snapshots, String> {
    std::fs::create_dir_all(place).map_err(told)?;
    let undo = start.world.home.join("state").join("undo");
    let mut clone = opened(place, kept.unwrap_or(&undo))?.passing();
    let mut ours = states_of(start, kept)?;
    let (here, there) = (Seen::of(&mut ours)?, clone.take(&|| false).map_err(told)?);
    let now = clone.read(&there.state).map_err(told)?;
    let root = start.workspace.root();
    let secrets = start.workspace.secrets();
    let closed = |path: &RelPath| secrets.contains(&root.join(path.as_path())) || path.is_gits();
    let (target, paths) = like(&here, &now, &closed);
    let restored = clone.restore(&there.state, &target, &paths).map_err(told)?;
    match restored.blocked.first() {
        Some(blocked) => Err(format!("{}: {}", blocked.path.shown(), blocked.why)),
        None => Ok(clone),
    }
}

/// The tree `now` with what is `here` in it, and where they differ.
fn like(here: &Seen, now: &Tree, closed: &dyn Fn(&RelPath) -> bool) -> (Tree, Vec<RelPath>) {
    let (mut target, mut paths) = (now.clone(), BTreeSet::new());
    let is_folder = |tree: &Tree, path: &RelPath| matches!(tree.get(path), Some(TreeEntry::Folder { .. }));
    for (path, entry) in now {
        let gone = match entry {
            TreeEntry::Uncovered => false,
            TreeEntry::Folder { .. } => !is_folder(&here.tree, path),
            _ => !here.plain.contains(path),
        };
        if gone && covers(&here.tree, path) && !path.is_gits() {
            target.remove(path);
            paths.insert(path.clone());
        }
    }
    for path in here.plain.iter().filter(|path| !closed(path)) {
        let Some(entry) = here.tree.get(path).filter(|entry| **entry != TreeEntry::Uncovered) else { continue };
        if target.get(path) == Some(entry) || !covers(&target, path) {
            continue;
        }
        for folder in path.folders().filter(|folder| !is_folder(now, folder)) {
            let Some(entry) = here.tree.get(&folder) else { continue };
            target.insert(folder.clone(), entry.clone());
            paths.insert(folder);
        }
        target.insert(path.clone(), entry.clone());
        paths.insert(path.clone());
    }
    (target, paths.into_iter().collect())
}

/// What a subagent in a clone is made of.
pub(super) struct Apart {
    pub(super) start: Start,
    pub(super) shell: BoxedShell,
    pub(super) sandbox: String,
    crossing: Arc<Crossing>,
}

impl Isolated {
    /// What it starts from, and the box of its commands: they write in the clone alone, and of the session's own folder they
    /// see nothing but git's objects.
    pub(super) fn apart(&self, kin: &Kin) -> Apart {
        let own = &kin.start;
        let mut start = Start { workspace: self.workspace.clone(), attended: own.attended, ..(**own).clone() };
        relative(&mut start.world.settings, own.workspace.root());
        let settings = &start.world.settings;
        let confinement = match least_level(settings) {
            None => Confinement::None,
            Some(least) => {
                let mut options = box_options(settings, &self.workspace, &start.world.home);
                options
                    .closed
                    .extend(own.workspace.roots().into_iter().chain(own.workspace.around().map(Path::to_owned)));
                options.shown.extend(self.objects.iter().cloned());
                options.readable.extend(self.objects.iter().cloned());
                if let Caches::Project(_) = options.caches {
                    options.caches = Caches::Session;
                }
                prepared(options, least)
            }
        };
        let crossing = Crossing::new(settings, self.workspace.root(), &confinement, own.attended);
        let sandbox = word(&confinement);
        let shell = BoxedShell { confinement, crossing: Some(crossing.clone()) };
        Apart { start, shell, sandbox, crossing }
    }

    /// Looks at what became of it, now that nobody is at work there any more.
    pub(super) async fn finish(self, confinement: &Confinement, artifacts: &dyn Artifacts) -> Result<Made, String> {
        let Self { folder, workspace, commit, mut states, base, history, .. } = self;
        let branch = match history {
            Some(history) => {
                let below = workspace.root().strip_prefix(folder.join("tree")).unwrap_or(Path::new("")).to_owned();
                Some(Branched::of(history, (workspace.root(), below), &commit, confinement).await)
            }
            None => None,
        };
        let commits = Commits::of(workspace.root(), &commit, confinement, artifacts).await;
        let looked = tokio::task::spawn_blocking(move || {
            let result = Seen::of(&mut states)?;
            Ok::<_, String>((states, result))
        });
        let (states, result) = looked.await.map_err(told)??;
        Ok(Made { folder, states, base, result, commits, branch })
    }
}

impl Apart {
    /// The gate before it: that of the session, for the files of the clone.
    pub(super) fn gate(&self, kin: &Kin, name: &str, profile: &AgentProfile) -> Result<Approvals, EngineError> {
        let own = GateStanding::new(&self.start.given())?.confined(&self.shell.confinement);
        let standing = AgentStanding::new(profile, kin.start.workspace.root())?;
        Ok(kin.gate.below_in(name, standing, own, &self.start.workspace))
    }

    /// Whether one in a clone may have a tool: nothing that works elsewhere may write, and commands run in a box or not at all.
    pub(super) fn has(&self, tool: &dyn Tool) -> bool {
        let (spec, unboxed) = (tool.spec(), matches!(self.shell.confinement, Confinement::None));
        let runs = spec.traits.runs || tool.action(&Args::new()).family == Family::Bash;
        !(runs && unboxed) && (!is_of_servers(&spec.name) || spec.traits.reads)
    }

    /// The way out of its box, for as long as what this gives lives.
    pub(super) fn way_out(&self, gate: &Arc<Approvals>, journal: Arc<dyn Journal>) -> Box<dyn Any + Send> {
        Box::new(self.crossing.open(gate, journal, net_options(&self.start.world.settings)))
    }
}

/// Rules that name a path of the session's folder speak of that path in the clone.
fn relative(settings: &mut Settings, root: &Path) {
    let root = root.display().to_string();
    let permissions = &mut settings.permissions;
    for rules in [&mut permissions.deny, &mut permissions.ask, &mut permissions.allow] {
        rules.iter_mut().for_each(|rule| *rule = Rule::relative_to(rule, &root));
    }
    let closed = settings.sandbox.forbid_read.iter_mut();
    closed.for_each(|path| *path = path.strip_prefix(root.as_str()).map_or_else(|_| path.clone(), Path::to_owned));
    // What is granted for good is granted for the session's folder.
    settings.user_file = None;
}
