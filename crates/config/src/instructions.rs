//! Files that the settings name under `instructions`: paths and globs, in the order they were written.

use crate::closed::ClosedFiles;
use crate::origin::Layer;
use crate::rules::{Inside, RulesFiles};
use globset::GlobBuilder;
use ignore::WalkBuilder;
use reasonix_proto::PartKind;
use std::path::{Path, PathBuf};

/// The most files that one glob brings.
const MOST_FILES: usize = 32;

/// The most entries that are looked at for one glob.
const MOST_ENTRIES: usize = 20_000;

/// How deep below the fixed part of a glob it is looked.
const DEPTH: usize = 12;

impl RulesFiles {
    /// Adds the files that the settings name. A project's may not lead out of its folder, nor to what is closed.
    #[must_use]
    pub fn with_instructions(mut self, named: &[(PathBuf, Layer)], project: &Path, closed: &ClosedFiles) -> Self {
        for (path, layer) in named {
            let inside = (*layer == Layer::Project).then_some(Inside { folder: project, closed });
            if !is_glob(path) {
                if !self.add(PartKind::Instructions, path.clone(), inside) {
                    self.tell("config.instructions_absent", path, "");
                }
                continue;
            }
            match found_by(path) {
                Some((files, more)) => {
                    if more {
                        self.tell("config.instructions_many", path, "");
                    }
                    for file in files {
                        self.add(PartKind::Instructions, file, inside);
                    }
                }
                None => self.tell("config.instructions_glob", path, ""),
            }
        }
        self
    }
}

fn is_glob(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.contains(['*', '?', '[', '{']))
}

/// The files that a glob names, sorted, and whether there are more; none when it is no glob.
fn found_by(pattern: &Path) -> Option<(Vec<PathBuf>, bool)> {
    let glob = GlobBuilder::new(pattern.to_str()?).literal_separator(true).build().ok()?.compile_matcher();
    let fixed: PathBuf = pattern.components().take_while(|part| !is_glob(part.as_ref())).collect();
    let walk = WalkBuilder::new(&fixed)
        .standard_filters(false)
        .max_depth(Some(DEPTH))
        .filter_entry(|entry| entry.file_name() != ".git" && entry.file_name() != "node_modules")
        .sort_by_file_name(Ord::cmp)
        .build();
    let files = walk.take(MOST_ENTRIES).filter_map(Result::ok).map(ignore::DirEntry::into_path);
    let mut files: Vec<_> = files.filter(|path| glob.is_match(path) && path.is_file()).take(MOST_FILES + 1).collect();
    let more = files.len() > MOST_FILES;
    files.truncate(MOST_FILES);
    files.sort();
    Some((files, more))
}

#[cfg(test)]
mod tests {
    use crate::{ClosedFiles, Layer, RulesFiles};
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn paths_and_globs_in_order_each_file_once() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("docs/deep")).unwrap();
        fs::create_dir_all(at(".cursor/rules")).unwrap();
        for (name, text) in [
            ("docs/b.md", "b"),
            ("docs/a.md", "a"),
            ("docs/blank.md", " \n"),
            ("docs/deep/c.md", "c"),
            ("docs/x.txt", "x"),
            (".cursor/rules/r.md", "r"),
        ] {
            fs::write(at(name), text).unwrap();
        }
        let named: Vec<_> = ["docs/b.md", "docs/*.md", "docs/**/*.md", ".cursor/rules/*.md", "none.md", "no/*.md"]
            .map(|name| (at(name), Layer::Project))
            .into();
        let read = || RulesFiles::default().with_instructions(&named, dir.path(), &ClosedFiles::default());
        let rules = read();
        assert_eq!(rules.files.iter().map(|file| file.text.as_str()).collect::<Vec<_>>(), ["b", "a", "c", "r"]);
        let codes: Vec<_> = rules.notices.iter().map(|(_, phrase)| phrase.code.as_ref()).collect();
        assert_eq!(codes, ["config.instructions_absent"]);
        assert_eq!(read(), rules, "the same files give the same text");
    }

    #[test]
    fn a_projects_file_may_not_lead_out_and_a_users_may() {
        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().join("project");
        fs::create_dir_all(&project).unwrap();
        fs::write(dir.path().join("secret.md"), "PRIVATE").unwrap();
        symlink("../secret.md", project.join("style.md")).unwrap();
        for name in ["style.md", "*.md"] {
            let theirs = [(project.join(name), Layer::Project)];
            let closed = ClosedFiles::default();
            let rules = RulesFiles::default().with_instructions(&theirs, &project, &closed);
            assert!(rules.files.is_empty(), "{name}");
            assert_eq!(rules.notices[0].1.code, "config.rules_outside", "{name}");
            let mine = [(project.join(name), Layer::User)];
            let rules = RulesFiles::default().with_instructions(&mine, &project, &closed);
            assert_eq!(rules.files[0].text, "PRIVATE", "{name}");
        }
    }

    #[test]
    fn a_glob_is_bounded() {
        let dir = tempfile::tempdir().unwrap();
        for number in 0..40 {
            fs::write(dir.path().join(format!("{number:02}.md")), "x").unwrap();
        }
        let closed = ClosedFiles::default();
        let read = |name: &str| {
            RulesFiles::default().with_instructions(&[(dir.path().join(name), Layer::User)], dir.path(), &closed)
        };
        let rules = read("*.md");
        assert_eq!((rules.files.len(), rules.notices.len()), (super::MOST_FILES, 1));
        assert!(rules.files[31].path.ends_with("31.md"));
        let bad = read("[.md");
        assert_eq!(bad.notices[0].1.code, "config.instructions_glob");
    }
}
