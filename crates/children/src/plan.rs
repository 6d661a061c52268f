//! What a clone's work would make of the session's files, worked out before anything is touched: each path as it was in the
//! base, as the clone has it, and as it is now. Where only one of them changed, that one counts; texts that changed on both
//! sides come together line by line; everything else is a conflict, and then nothing of the clone is taken.

use super::isolation::{Made, Seen};
use reasonix_tools::merged;
use reasonix_workspace::snapshot::{Reason, RelPath, Snapshots, Tree, TreeEntry, covers, is_empty_folder};
use std::collections::{BTreeMap, BTreeSet};

/// More files than this are not merged by themselves.
pub(super) const MOST_FILES: usize = 10_000;

/// A longer text is not merged line by line.
const LONGEST_TEXT: u64 = 4 << 20;

/// Why something cannot be merged, by path.
pub(super) type Conflicts = BTreeMap<RelPath, &'static str>;

pub(super) const CHANGED: &str = "it was changed here too";
const UNCOVERED: &str = "it is too large, cannot be read, or is no file that is kept";
const GITS: &str = "it belongs to git";
const REPOSITORY: &str = "a repository was made there, whose history would be lost";

/// The paths that a clone's work changed.
pub(super) fn changed(made: &Made) -> Vec<RelPath> {
    let (base, result) = (&made.base, &made.result);
    let differs = |path: &&RelPath| leaf(&base.tree, path) != leaf(&result.tree, path);
    let all: BTreeSet<&RelPath> = base.plain.union(&result.plain).filter(differs).collect();
    all.into_iter().filter(|path| !is_left_out(made, path)).cloned().collect()
}

/// What stands at a path and is no folder.
fn leaf<'a>(tree: &'a Tree, path: &RelPath) -> Option<&'a TreeEntry> {
    tree.get(path).filter(|entry| !matches!(entry, TreeEntry::Folder { .. }))
}

/// Folders of build results, pipes and the like are new and are nobody's work; histories are told of by themselves.
fn is_left_out(made: &Made, path: &RelPath) -> bool {
    let new = made.base.tree.get(path).is_none_or(|entry| *entry == TreeEntry::Uncovered);
    let reason = |seen: &Seen| seen.uncovered.iter().find(|left| left.path == *path).map(|left| left.reason);
    let left = [Reason::BuildFolder, Reason::Special, Reason::IgnoredTooMuch, Reason::Repository];
    new && reason(&made.result).is_some_and(|reason| left.contains(&reason))
}

/// The tree `now` with a clone's work in it; or what stands against it. `states` knows the contents.
pub(super) fn planned(made: &Made, now: &Tree, states: &Snapshots) -> Result<Tree, Conflicts> {
    let mut plan = Plan { made, states, tree: now.clone(), conflicts: Conflicts::new() };
    let paths = changed(made);
    let histories = made.result.uncovered.iter().filter(|left| left.reason == Reason::Repository);
    for left in histories.filter(|left| !made.base.uncovered.contains(left)) {
        plan.conflicts.insert(left.path.clone(), REPOSITORY);
    }
    let (gone, there): (Vec<_>, Vec<_>) = paths.iter().partition(|path| leaf(&made.result.tree, path).is_none());
    gone.into_iter().for_each(|path| plan.remove(path));
    plan.clear_folders();
    there.into_iter().for_each(|path| plan.put(path));
    let Plan { tree, conflicts, .. } = plan;
    if conflicts.is_empty() { Ok(tree) } else { Err(conflicts) }
}

struct Plan<'a> {
    made: &'a Made,
    states: &'a Snapshots,
    tree: Tree,
    conflicts: Conflicts,
}

impl Plan<'_> {
    /// Whether a path may be touched at all.
    fn is_open(&mut self, path: &RelPath) -> bool {
        let seen = [&self.made.base.tree, &self.made.result.tree, &self.tree];
        let why = match path {
            path if path.is_gits() => GITS,
            path if seen.iter().any(|tree| !covers(tree, path)) => UNCOVERED,
            _ => return true,
        };
        self.conflicts.insert(path.clone(), why);
        false
    }

    fn remove(&mut self, path: &RelPath) {
        if !self.is_open(path) {
            return;
        }
        match leaf(&self.tree, path) {
            None => {}
            now if now == leaf(&self.made.base.tree, path) => drop(self.tree.remove(path)),
            Some(_) => drop(self.conflicts.insert(path.clone(), CHANGED)),
        }
    }

    /// Folders that the clone has no more go where nothing is left in them.
    fn clear_folders(&mut self) {
        let gone = |(path, entry): &(&RelPath, &TreeEntry)| {
            matches!(entry, TreeEntry::Folder { .. })
                && !matches!(self.made.result.tree.get(*path), Some(TreeEntry::Folder { .. }))
        };
        let gone: Vec<RelPath> = self.made.base.tree.iter().filter(gone).map(|(path, _)| path.clone()).collect();
        for path in gone.iter().rev() {
            if is_empty_folder(&self.tree, path) && matches!(self.tree.get(path), Some(TreeEntry::Folder { .. })) {
                self.tree.remove(path);
            }
        }
    }

    fn put(&mut self, path: &RelPath) {
        if !self.is_open(path) {
            return;
        }
        let (base, theirs) = (leaf(&self.made.base.tree, path), leaf(&self.made.result.tree, path));
        let entry = match (self.tree.get(path), theirs) {
            (_, None) => return,
            (now, theirs) if now == theirs => return,
            (now, Some(theirs)) if now == base => Some(theirs.clone()),
            (Some(now), Some(theirs)) => base.and_then(|base| self.both(base, now, theirs)),
            (None, Some(_)) => None,
        };
        let way = self.way_to(path);
        match entry {
            Some(entry) if way => drop(self.tree.insert(path.clone(), entry)),
            _ => drop(self.conflicts.insert(path.clone(), CHANGED)),
        }
    }

    /// Makes the folders that a path lies in; false where something else stands there.
    fn way_to(&mut self, path: &RelPath) -> bool {
        for folder in path.folders() {
            match (self.tree.get(&folder), self.made.result.tree.get(&folder)) {
                (Some(TreeEntry::Folder { .. }), _) => {}
                (None, Some(entry @ TreeEntry::Folder { .. })) => drop(self.tree.insert(folder, entry.clone())),
                _ => return false,
            }
        }
        true
    }

    /// A file that changed on both sides.
    fn both(&self, base: &TreeEntry, now: &TreeEntry, theirs: &TreeEntry) -> Option<TreeEntry> {
        let text = |entry: &TreeEntry| match entry {
            TreeEntry::File { size, .. } if *size <= LONGEST_TEXT => text_of(self.states, entry),
            _ => None,
        };
        let mode = |entry: &TreeEntry| if let TreeEntry::File { mode, .. } = entry { Some(*mode) } else { None };
        let (was, is, wanted) = (mode(base)?, mode(now)?, mode(theirs)?);
        let mode = match (wanted == was, is == was || is == wanted) {
            (true, _) => is,
            (false, true) => wanted,
            (false, false) => return None,
        };
        let merged = merged(&text(base)?, &text(now)?, &text(theirs)?)?;
        self.states.keep(merged.as_bytes(), mode).ok()
    }
}

/// The text of a file; none for what is no text.
pub(super) fn text_of(states: &Snapshots, entry: &TreeEntry) -> Option<String> {
    let bytes = states.content(entry).ok()?;
    if bytes.contains(&0) { None } else { String::from_utf8(bytes).ok() }
}

#[cfg(test)]
mod tests {
    use super::{leaf, planned};
    use crate::isolation::{Made, Seen};
    use proptest::prelude::*;
    use reasonix_workspace::snapshot::{RelPath, SnapshotLimits, Snapshots, Tree, TreeEntry};
    use std::collections::{BTreeMap, BTreeSet};

    /// What somebody does to a file.
    #[derive(Debug, Clone)]
    enum Deed {
        Line(usize, usize),
        Remove(usize),
        Create(usize),
        Mode(usize),
        Link(usize),
    }

    type Texts = BTreeMap<String, (u32, Option<String>)>;

    fn begun() -> Texts {
        let text = |file: usize| (0..12).map(|line| format!("{file} line {line}\n")).collect::<String>();
        (0..4).map(|file| (format!("f{}/{file}", file % 2), (0o644, Some(text(file))))).collect()
    }

    /// The files after somebody's deeds; each line of theirs has a mark that nobody else makes.
    fn after(mut texts: Texts, who: &str, deeds: &[Deed]) -> Texts {
        let name = |file: &usize| format!("f{}/{file}", file % 2);
        for (number, deed) in deeds.iter().enumerate() {
            let mark = format!("<{who}{number}>");
            match deed {
                Deed::Line(file, line) => {
                    if let Some((_, Some(text))) = texts.get_mut(&name(file)) {
                        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                        lines.iter_mut().skip(*line).take(1).for_each(|text| *text = mark.clone());
                        *text = lines.join("\n") + "\n";
                    }
                }
                Deed::Remove(file) => drop(texts.remove(&name(file))),
                Deed::Create(file) => drop(texts.insert(format!("new/{file}"), (0o644, Some(format!("{mark}\n"))))),
                Deed::Mode(file) => texts.get_mut(&name(file)).into_iter().for_each(|(mode, _)| *mode = 0o755),
                Deed::Link(file) => drop(texts.insert(name(file), (0, None))),
            }
        }
        texts
    }

    fn tree(states: &Snapshots, texts: &Texts) -> Tree {
        let mut tree = Tree::new();
        for (name, (mode, text)) in texts {
            let path = RelPath::from(name.as_str());
            path.folders().for_each(|folder| drop(tree.insert(folder, TreeEntry::Folder { mode: 0o755 })));
            let entry = match text {
                Some(text) => states.keep(text.as_bytes(), *mode).unwrap(),
                None => TreeEntry::Link { target: b"/etc".to_vec() },
            };
            tree.insert(path, entry);
        }
        tree
    }

    fn marks(states: &Snapshots, tree: &Tree) -> BTreeSet<String> {
        let texts = tree.values().filter_map(|entry| super::text_of(states, entry));
        texts
            .flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
            .filter(|l| l.starts_with('<'))
            .collect()
    }

    fn seen(tree: Tree) -> Seen {
        let plain = tree.keys().filter(|path| leaf(&tree, path).is_some()).cloned().collect();
        Seen { tree, plain, uncovered: Vec::new() }
    }

    fn deeds() -> impl Strategy<Value = Vec<Deed>> {
        let one = prop_oneof![
            6 => (0..4_usize, 0..12_usize).prop_map(|(file, line)| Deed::Line(file, line)),
            1 => (0..4_usize).prop_map(Deed::Remove),
            1 => (0..2_usize).prop_map(Deed::Create),
            1 => (0..4_usize).prop_map(Deed::Mode),
            1 => (0..4_usize).prop_map(Deed::Link),
        ];
        proptest::collection::vec(one, 0..5)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]
        /// Two writers and what the session did meanwhile: whatever is merged, nobody's work is lost, and what conflicts was
        /// changed by both.
        #[test]
        fn nobodys_work_is_lost(here in deeds(), one in deeds(), other in deeds()) {
            let temp = tempfile::tempdir().unwrap();
            let root = temp.path().join("root");
            std::fs::create_dir(&root).unwrap();
            let states = || {
                Snapshots::open(&root, &temp.path().join("kept"), None, SnapshotLimits::default()).unwrap().passing()
            };
            let kept = states();
            let base = tree(&kept, &begun());
            let mut now = tree(&kept, &after(begun(), "here", &here));
            for (who, deeds) in [("one", &one), ("other", &other)] {
                let result = tree(&kept, &after(begun(), who, deeds));
                let of = |path: &&RelPath| leaf(&base, path) != leaf(&result, path);
                let theirs: Vec<RelPath> = base.keys().chain(result.keys()).filter(of).cloned().collect();
                let both = |path: &RelPath| leaf(&base, path) != leaf(&now, path);
                let wanted = marks(&kept, &result);
                let (folder, base) = (root.clone(), seen(base.clone()));
                let made = Made { folder, states: states(), base, result: seen(result.clone()), commits: None, branch: None };
                match planned(&made, &now, &kept) {
                    Ok(tree) => {
                        let all: BTreeSet<String> = marks(&kept, &now).union(&wanted).cloned().collect();
                        prop_assert_eq!(marks(&kept, &tree), all);
                        for path in theirs.iter().filter(|path| !both(path)) {
                            prop_assert_eq!(leaf(&tree, path), leaf(&result, path));
                        }
                        for (path, entry) in tree.iter().filter(|(path, _)| !theirs.contains(path)) {
                            let folder = matches!(entry, TreeEntry::Folder { .. });
                            prop_assert!(folder || now.get(path) == Some(entry));
                        }
                        now = tree;
                    }
                    Err(conflicts) => {
                        prop_assert!(!conflicts.is_empty());
                        for path in conflicts.keys() {
                            prop_assert!(theirs.contains(path) && both(path), "{path:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_gits_own_or_not_covered_is_never_merged() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().to_owned();
        let states =
            || Snapshots::open(&root, &temp.path().join("kept"), None, SnapshotLimits::default()).unwrap().passing();
        let kept = states();
        let file = |text: &str| kept.keep(text.as_bytes(), 0o644).unwrap();
        let made = |result: Tree| {
            let (base, result) = (seen(Tree::new()), seen(result));
            Made { folder: root.clone(), states: states(), base, result, commits: None, branch: None }
        };
        for path in [".git", "sub/.git", ".GIT/config", "a/.git/hooks/x"] {
            let mut result = Tree::new();
            let path = RelPath::from(path);
            path.folders().for_each(|folder| drop(result.insert(folder, TreeEntry::Folder { mode: 0o755 })));
            result.insert(path.clone(), file("evil"));
            let made = made(result);
            let conflicts = planned(&made, &Tree::new(), &kept).unwrap_err();
            assert!(conflicts.contains_key(&path), "{conflicts:?}");
        }
        // A folder here that is a link by now is not gone through.
        let mut result = Tree::new();
        result.insert(RelPath::from("d"), TreeEntry::Folder { mode: 0o755 });
        result.insert(RelPath::from("d/x"), file("x"));
        let made = made(result);
        for there in [TreeEntry::Link { target: b"/etc".to_vec() }, TreeEntry::Uncovered, file("f")] {
            let now = Tree::from([(RelPath::from("d"), there)]);
            assert!(planned(&made, &now, &kept).is_err());
        }
    }
}
