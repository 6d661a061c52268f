//! git's own copies of files that a rule denies to read: what names one is refused like a read of the file, and what would
//! show all files of a repository that has such a one is asked about.

mod forms;
mod revisions;
mod shown;

use super::Approvals;
use super::files::{Files, resolved};
use reasonix_agent::Ask;
use reasonix_exec::{Confinement, git};
use reasonix_policy::{By, Effects, Rule, Simple, Verdict};
use revisions::are_commits;
use shown::{Extent, Limits, Named, shown};
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Programs that put more words behind those of the commands that they run.
const ADD_WORDS: &[&str] = &["xargs", "parallel", "find", "fd", "fdfind"];

/// What makes a path a pattern.
const PATTERN: [char; 5] = ['*', '?', '[', '{', '\\'];

/// The rule for a file that is closed without one and whose name is no pattern.
const EVERY: &str = "Read(**/.env*)";

/// What a model is told that nobody can ask about it.
pub(super) const ADVICE: &str = "git would show copies of files that may not be read. Limit it to others, such as \
    `-- src` or `-- . ':!the/denied/path'`, or ask for names and numbers alone (--stat, --name-only)";

/// A rule that denies to read some files, with the one path that it is about where nobody wrote it.
type Closed = (Rule, Option<String>);

/// What is known about copies.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// Files that are closed without a rule, as rules: those that git's index has, when the last call was looked at.
    closed: Mutex<Vec<Closed>>,
    /// What our own git is held to.
    confinement: Option<Confinement>,
    /// Repositories that were found to have nothing of what is denied, when the last call was looked at.
    clean: Mutex<HashSet<PathBuf>>,
}

impl Copies {
    pub(super) fn new(confinement: &Confinement) -> Self {
        let confinement = confinement.held().unwrap_or_else(|| confinement.clone());
        Self { confinement: Some(confinement), ..Self::default() }
    }
}

/// What a line would show of what is denied.
#[derive(Debug, Default)]
struct Found {
    /// The rule that denies a path which the line names.
    named: Option<String>,
    /// Rules that deny what may be among the files it shows, each with the repository; none where that is not known.
    among: Vec<(String, Option<PathBuf>)>,
    /// Objects that it names, which may lie beside all branches and tags.
    ids: Vec<String>,
}

impl Approvals {
    /// Refuses what names a copy, and asks about what may show one among others.
    pub(super) fn by_copies(&self, verdict: Verdict, effects: &[Effects]) -> Verdict {
        if matches!(verdict, Verdict::Deny(_)) {
            return verdict;
        }
        let found = self.copies_in(effects);
        match (found.named, self.shown_among(&found.among)) {
            (Some(rule), _) => Verdict::Deny(By::Rule(rule)),
            // A danger says more, and is asked about at least as often.
            (None, Some(_)) if matches!(verdict, Verdict::Ask(By::Danger(_))) => verdict,
            (None, Some(rule)) => Verdict::Ask(By::Rule(rule)),
            (None, None) => verdict,
        }
    }

    /// The rule that denies what a call may show among other files; none where it shows nothing of the kind.
    pub(super) fn copied(&self, ask: &Ask<'_>) -> Option<String> {
        self.shown_among(&self.copies_in(&super::classify::found(ask)).among)
    }

    /// Finds out which repositories have something of what is denied, before a call is judged.
    pub(super) async fn look_for_copies(&self, ask: &Ask<'_>) {
        self.look_for_closed(&super::classify::found(ask));
        let Some(confinement) = &self.standing.copies.confinement else { return };
        let Found { among, ids, .. } = self.copies_in(&super::classify::found(ask));
        let repositories: BTreeSet<&PathBuf> = among.iter().filter_map(|(_, place)| place.as_ref()).collect();
        let mut clean = HashSet::new();
        for top in repositories {
            let specs = self.specs(top);
            // What cannot be found out in time counts as found.
            if !specs.is_empty() && git::has_paths(top, &specs, &ids, confinement).await == Some(false)
                || specs.is_empty()
            {
                clean.insert(top.clone());
            }
        }
        // A commit may bring the file at any time, so nothing is known for longer than this call.
        *self.standing.copies.clean.lock().unwrap_or_else(PoisonError::into_inner) = clean;
    }

    /// Finds out which files that are closed without a rule git's index has: such a copy came there while the file was other
    /// than it is now, or during this session.
    fn look_for_closed(&self, effects: &[Effects]) {
        let runs_git = effects.iter().flat_map(|effects| &effects.commands).any(is_git);
        let paths = if runs_git { self.files.workspace().copied_secrets() } else { Vec::new() };
        let plain = |path: &str| !path.contains(PATTERN) && !path.starts_with('/');
        let rule = |path: String| match Rule::parse(&format!("Read({path})")) {
            Ok(rule) if plain(&path) => Some((rule, Some(path))),
            _ => Some((Rule::parse(EVERY).ok()?, None)),
        };
        *self.standing.copies.closed.lock().unwrap_or_else(PoisonError::into_inner) =
            paths.into_iter().filter_map(rule).collect();
    }

    /// Every rule that denies to read some files, those among them that nobody wrote.
    fn denying(&self) -> Vec<Closed> {
        let closed = self.standing.copies.closed.lock().unwrap_or_else(PoisonError::into_inner);
        let denied = self.with_agents(self.standing.rules.clone(), None).deny;
        denied.into_iter().map(|rule| (rule, None)).chain(closed.iter().cloned()).collect()
    }

    fn shown_among(&self, among: &[(String, Option<PathBuf>)]) -> Option<String> {
        let clean = self.standing.copies.clean.lock().unwrap_or_else(PoisonError::into_inner);
        let has = |place: &Option<PathBuf>| place.as_ref().is_none_or(|top| !clean.contains(top));
        among.iter().find(|(_, place)| has(place)).map(|(rule, _)| rule.clone())
    }

    fn copies_in(&self, effects: &[Effects]) -> Found {
        let rules = self.denying();
        let denied: Vec<Denied<'_>> = rules.iter().filter_map(Denied::of).collect();
        let mut found = Found::default();
        if denied.is_empty() {
            return found;
        }
        for effects in effects {
            let adds = effects.commands.iter().any(|simple| ADD_WORDS.contains(&simple.program()));
            let moves = effects.commands.iter().any(|simple| is_git(simple) && moves_names(simple));
            let line = Line { adds, sets: effects.assigns, moves };
            for simple in effects.commands.iter().filter(|simple| is_git(simple)) {
                look(&self.files, &denied, simple, line, &mut found);
            }
        }
        found
    }

    /// What is denied, as git's pathspecs seen from the top of a repository.
    fn specs(&self, top: &Path) -> Vec<String> {
        let root = self.files.workspace().root();
        let rules = self.denying();
        let denied: Vec<Denied<'_>> = rules.iter().filter_map(Denied::of).collect();
        let mut specs: Vec<String> = denied.iter().flat_map(|denied| denied.specs(root, top)).collect();
        specs.sort();
        specs.dedup();
        specs
    }
}

/// A rule that denies to read some files.
struct Denied<'r> {
    rule: &'r Rule,
    glob: String,
    /// It is about this path alone.
    one: bool,
}

impl<'r> Denied<'r> {
    fn of((rule, one): &'r Closed) -> Option<Self> {
        if let Some(path) = one {
            return Some(Self { rule, glob: path.clone(), one: true });
        }
        let glob = rule.unlisted().into_iter().next()?;
        let glob = glob.strip_suffix("/**").map_or(glob.clone(), str::to_owned);
        Some(Self { rule, glob, one: false })
    }

    fn has_pattern(&self) -> bool {
        self.glob.contains(PATTERN)
    }

    /// The folder that everything which the rule speaks of lies in, or the path itself.
    fn fixed(&self) -> &str {
        if !self.has_pattern() {
            return &self.glob;
        }
        let fixed = self.glob.split(['*', '?', '[', '{', '\\']).next().unwrap_or_default();
        fixed.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    fn touches(&self, name: &str) -> bool {
        if self.one { name == self.glob } else { self.rule.speaks_of_change(name, false) }
    }

    /// Whether something of it may lie at or below this path.
    fn may_lie_below(&self, path: &str) -> bool {
        let (path, fixed) = (path.trim_end_matches('/'), self.fixed());
        let below = |inner: &str, outer: &str| {
            outer.is_empty() || inner == outer || inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
        };
        matches!(path, "" | ".") || below(fixed, path) || (self.has_pattern() && below(path, fixed))
    }

    /// Whether leaving out this path leaves out all of it.
    fn is_left_out_by(&self, path: &str, glob: bool) -> bool {
        let path = path.trim_end_matches('/');
        if !self.has_pattern() {
            let below = self.glob.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            return !path.is_empty() && below;
        }
        let fixed = self.fixed();
        let folder = !path.contains(['*', '?', '[']) && !path.is_empty();
        let inside = folder && (fixed == path || fixed.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')));
        // Without magic a `*` crosses slashes.
        let same = (glob && path == self.glob)
            || (!glob && path.starts_with('*') && !path.contains('/') && self.glob.strip_prefix("**/") == Some(path));
        inside || same
    }

    /// The same as pathspecs of git seen from `top`; empty when nothing of it lies there.
    fn specs(&self, root: &Path, top: &Path) -> Vec<String> {
        let spec = |glob: &str| vec![format!(":(top,glob){glob}"), format!(":(top,glob){glob}/**")];
        let whole = || vec![":(top)".to_owned()];
        if self.glob.starts_with('/') {
            // What lies beside the workspace is in no repository but one that both lie in.
            let fixed = Path::new(self.fixed());
            return if fixed.starts_with(top) || top.starts_with(fixed) { whole() } else { Vec::new() };
        }
        // Braces mean nothing to git.
        if self.glob.contains(['{', '\\']) {
            return whole();
        }
        if let Ok(above) = root.strip_prefix(top) {
            let above = above.to_string_lossy();
            let glob = if above.is_empty() { self.glob.clone() } else { format!("{above}/{}", self.glob) };
            return spec(&glob);
        }
        let Some(below) = top.strip_prefix(root).ok().and_then(Path::to_str) else { return whole() };
        // A second work tree of a repository has the same paths at another place.
        let mut specs = spec(&self.glob);
        match self.glob.strip_prefix(below).and_then(|rest| rest.strip_prefix('/')) {
            Some(rest) => specs.extend(spec(rest)),
            None if self.may_lie_below(below) && !self.glob.starts_with("**/") => return whole(),
            None => {}
        }
        specs
    }
}

/// git, or one of its subcommands by a name of its own.
fn is_git(simple: &Simple) -> bool {
    simple.program() == "git" || simple.program().starts_with("git-")
}

/// A command that may give a name to another object.
fn moves_names(simple: &Simple) -> bool {
    const MOVING: &[&str] =
        &["tag", "update-ref", "symbolic-ref", "fetch", "pull", "remote", "branch", "init", "bundle"];
    let called = simple.program().strip_prefix("git-");
    called.is_some_and(|sub| MOVING.contains(&sub))
        || simple.args().iter().any(|word| MOVING.contains(&word.text.as_str()))
}

/// What the line around a command says of it.
#[derive(Clone, Copy)]
struct Line {
    /// Its last words are not known.
    adds: bool,
    /// Variables are set, which may name another repository.
    sets: bool,
    /// Names may be those of other objects when it runs.
    moves: bool,
}

/// Looks at one command of git.
fn look(files: &Files, denied: &[Denied<'_>], simple: &Simple, line: Line, found: &mut Found) {
    let Line { adds, sets, moves } = line;
    let shown = shown(simple);
    found.ids.extend(shown.ids.iter().cloned());
    let elsewhere = shown.elsewhere || sets;
    let places: Vec<PathBuf> = files.candidates(&simple.places, "").unwrap_or_default();
    let places: Vec<PathBuf> =
        places.iter().map(|place| shown.folders.iter().fold(place.clone(), |at, folder| at.join(folder))).collect();
    let mut unknown = places.is_empty();
    for place in &places {
        let top = top_of(place);
        let at = if let Top::At(top) = &top { Some(top.as_path()) } else { None };
        let names = |named: &Named| names_of(files, place, at, named);
        // Who takes such a copy out of the index, or asks whether it is there, has to name it.
        let quiet = shown.extent == Extent::Nothing;
        let touched = |denied: &&Denied<'_>| {
            !(denied.one && quiet) && shown.named.iter().flat_map(names).any(|name| denied.touches(&name))
        };
        if let Some(denied) = denied.iter().find(touched) {
            found.named.get_or_insert(denied.rule.text().to_owned());
        }
        unknown |= elsewhere || matches!(top, Top::Unknown);
        let Some(top) = at else { continue };
        let none = Limits::default();
        let commits = are_commits(&shown.revisions, place, top, !moves);
        let limits = match &shown.extent {
            Extent::Files(limits) if !adds && commits => limits,
            Extent::Nothing | Extent::Named if commits => continue,
            Extent::Files(_) | Extent::Nothing | Extent::Named => &none,
        };
        let open = denied.iter().filter(|denied| {
            may_show(denied, limits, place, &names) && !denied.specs(files.workspace().root(), top).is_empty()
        });
        // What no branch and no tag has is not found by looking through them.
        let at = (!adds && !shown.loose).then(|| top.to_owned());
        found.among.extend(open.map(|denied| (denied.rule.text().to_owned(), at.clone())));
    }
    // Of a repository that nobody can tell, whatever is shown may be it.
    if unknown && (shown.extent != Extent::Nothing || !shown.revisions.is_empty() || (elsewhere && shown.lays)) {
        found.among.extend(denied.iter().map(|denied| (denied.rule.text().to_owned(), None)));
    }
}

/// Whether a command with these limits may show what is denied.
fn may_show(denied: &Denied<'_>, limits: &Limits, place: &Path, names: &dyn Fn(&Named) -> Vec<String>) -> bool {
    let fixed = |named: &Named| {
        let path = named.path.split(['*', '?', '[']).next().unwrap_or_default();
        let cut = path.len() < named.path.len();
        let folder = if cut { path.rsplit_once('/').map_or("", |(folder, _)| folder) } else { path };
        Named { path: folder.to_owned(), ..named.clone() }
    };
    let perhaps = limits.perhaps.iter().filter(|named| place.join(&named.path).symlink_metadata().is_ok());
    let mut within = limits.within.iter().chain(perhaps).peekable();
    let left_out = limits
        .without
        .iter()
        .any(|without| names(&without.named).iter().any(|name| denied.is_left_out_by(name, without.glob)));
    let everything = within.peek().is_none();
    let reaches = |named: &Named| names(&fixed(named)).iter().any(|name| denied.may_lie_below(name));
    !left_out && (everything || within.any(reaches))
}

/// The repository that a folder lies in.
enum Top {
    At(PathBuf),
    /// One without files of its own.
    Unknown,
    Nowhere,
}

fn top_of(place: &Path) -> Top {
    let place = resolved(place);
    let is_bare = |folder: &Path| folder.join("HEAD").is_file() && folder.join("objects").is_dir();
    for folder in place.ancestors() {
        if folder.join(".git").symlink_metadata().is_ok() {
            return Top::At(folder.to_owned());
        }
        if is_bare(folder) {
            return Top::Unknown;
        }
    }
    Top::Nowhere
}

/// A path in the forms that rules have: where it would lie, and as the repository itself names it.
fn names_of(files: &Files, place: &Path, top: Option<&Path>, named: &Named) -> Vec<String> {
    let from = if named.top { top.unwrap_or(place) } else { place };
    let path = from.join(&named.path);
    let mut names: Vec<String> =
        [path.clone(), resolved(&path)].iter().map(|path| files.workspace().shown(&path.to_string_lossy())).collect();
    if let Some(inner) = top.and_then(|top| resolved(&path).strip_prefix(top).ok().map(Path::to_owned)) {
        names.push(inner.to_string_lossy().into_owned());
    }
    names.sort();
    names.dedup();
    names
}
