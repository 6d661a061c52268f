//! Rules files: what the user and the project wrote for the model to keep to.

use crate::closed::ClosedFiles;
use crate::error::Unreadable;
use crate::guard::leads_out;
use crate::read;
use reasonix_proto::{Level, PartKind, Phrase};
use std::path::{Path, PathBuf};

/// The most that is taken of one file.
const LIMIT: u64 = 32 * 1024;

/// The names of rules files, in the order they are read.
const NAMES: [&str; 2] = ["AGENTS.md", "REASONIX.md"];

/// What another program calls them. It is not read, and whoever has only that is told so.
const OTHER: &str = "CLAUDE.md";

/// A rules file, or another file that the model reads with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulesFile {
    /// What it is.
    pub kind: PartKind,
    /// Where it stands.
    pub path: PathBuf,
    /// What it says, at most 32 KiB.
    pub text: String,
    /// True when it says more.
    pub truncated: bool,
}

/// The rules files of a session, and what to tell the user about them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RulesFiles {
    /// The user's first, then from the root down to the working folder, then those that the settings name, then what
    /// git ignores; nearer ones win.
    pub files: Vec<RulesFile>,
    /// What was refused or cut.
    pub notices: Vec<(Level, Phrase)>,
    /// A rules file of another program that stands where there is none of ours.
    pub(crate) other: Option<PathBuf>,
}

/// Reads the rules files: the user's, then those from the repository's root down to the working folder.
pub fn rules_files(home: &Path, root: &Path, cwd: &Path, closed: &ClosedFiles) -> RulesFiles {
    let inside = Some(Inside { folder: root, closed });
    let mut rules = RulesFiles::default();
    for name in NAMES {
        rules.add(PartKind::UserRules, home.join(name), None);
    }
    for folder in folders(root, cwd) {
        for name in NAMES {
            rules.add(PartKind::ProjectRules, folder.join(name), inside);
        }
    }
    let others = folders(root, cwd).into_iter().map(|folder| folder.join(OTHER));
    let project = |file: &RulesFile| file.kind == PartKind::ProjectRules;
    rules.other = others.into_iter().find(|path| path.is_file()).filter(|_| !rules.files.iter().any(project));
    rules
}

/// The folders from the root down to the working folder; only the latter when it is not below the root.
fn folders(root: &Path, cwd: &Path) -> Vec<PathBuf> {
    let Ok(below) = cwd.strip_prefix(root) else { return vec![cwd.to_owned()] };
    let mut folders = vec![root.to_owned()];
    for part in below.components() {
        let next = folders.last().map(|folder| folder.join(part));
        folders.extend(next);
    }
    folders
}

/// What holds a file that a project named.
#[derive(Clone, Copy)]
pub(crate) struct Inside<'a> {
    /// The folder that it may not lead out of.
    pub(crate) folder: &'a Path,
    /// What is not read there.
    pub(crate) closed: &'a ClosedFiles,
}

impl RulesFiles {
    /// Adds a file if there is one that says something. One that a project named is held `inside`. False when there is none.
    pub(crate) fn add(&mut self, kind: PartKind, path: PathBuf, inside: Option<Inside<'_>>) -> bool {
        if inside.is_some_and(|inside| leads_out(&path, inside.folder)) {
            self.tell("config.rules_outside", &path, "");
            return true;
        }
        if let Some(reason) = inside.and_then(|inside| inside.closed.reason(&path, inside.folder)) {
            self.tell("config.rules_closed", &path, &reason);
            return true;
        }
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        let seen = |file: &RulesFile| file.path.canonicalize().is_ok_and(|other| other == real);
        if self.files.iter().any(seen) {
            return true;
        }
        match read::bytes(&real, LIMIT) {
            Ok((bytes, truncated)) => {
                let text = String::from_utf8_lossy(&bytes);
                let text = text.trim_start_matches('\u{feff}');
                let text = if truncated { text.trim_end_matches('\u{fffd}') } else { text };
                if text.trim().is_empty() {
                    return true;
                }
                if truncated {
                    self.tell("config.rules_cut", &path, "");
                }
                self.files.push(RulesFile { kind, path, text: text.to_owned(), truncated });
            }
            Err(Unreadable::Absent) => return false,
            Err(reason) => self.tell("config.rules_unreadable", &path, &reason.to_string()),
        }
        true
    }

    pub(crate) fn tell(&mut self, code: &'static str, path: &Path, reason: &str) {
        let phrase = Phrase::new(code).with("file", path.display());
        let phrase = if reason.is_empty() { phrase } else { phrase.with("reason", reason) };
        self.notices.push((Level::Warning, phrase));
    }
}

#[cfg(test)]
mod tests {
    use super::rules_files;
    use crate::ClosedFiles;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn the_users_then_from_the_root_down() {
        let dir = tempfile::tempdir().unwrap();
        let (home, root) = (dir.path().join("home"), dir.path().join("repo"));
        let cwd = root.join("a/b");
        fs::create_dir_all(&home).unwrap();
        fs::create_dir_all(&cwd).unwrap();
        fs::write(dir.path().join("AGENTS.md"), "above the root").unwrap();
        fs::write(home.join("REASONIX.md"), "user").unwrap();
        fs::write(root.join("AGENTS.md"), "root").unwrap();
        fs::write(root.join("a/AGENTS.md"), " \n\t").unwrap();
        fs::write(cwd.join("AGENTS.md"), "\u{feff}near").unwrap();
        symlink("AGENTS.md", root.join("REASONIX.md")).unwrap();
        let rules = rules_files(&home, &root, &cwd, &ClosedFiles::default());
        assert_eq!(rules.files.iter().map(|file| file.text.as_str()).collect::<Vec<_>>(), ["user", "root", "near"]);
        assert_eq!(rules.notices, []);
    }

    #[test]
    fn a_file_of_another_program_is_named_where_it_stands_alone() {
        let dir = tempfile::tempdir().unwrap();
        let codes = |named: &[(std::path::PathBuf, crate::Layer)]| {
            let (place, open) = (dir.path(), ClosedFiles::default());
            let rules = rules_files(&place.join("none"), place, place, &open).with_instructions(named, place, &open);
            rules.notices.iter().map(|(_, phrase)| phrase.code.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(codes(&[]), [""; 0]);
        fs::write(dir.path().join("CLAUDE.md"), "x").unwrap();
        assert_eq!(codes(&[]), ["config.rules_other"]);
        assert_eq!(codes(&[(dir.path().join("CLAUDE.md"), crate::Layer::User)]), [""; 0], "it is read by name");
        symlink("CLAUDE.md", dir.path().join("AGENTS.md")).unwrap();
        assert_eq!(codes(&[]), [""; 0]);
    }

    #[test]
    fn a_link_out_of_the_repository_is_refused_and_a_long_file_is_cut() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("repo");
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::write(dir.path().join("id_ed25519"), "PRIVATE KEY").unwrap();
        symlink("../id_ed25519", root.join("AGENTS.md")).unwrap();
        fs::write(root.join("sub/AGENTS.md"), "é".repeat(40_000)).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, root.join("sub/REASONIX.md"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
            .unwrap();
        let rules = rules_files(&dir.path().join("none"), &root, &root.join("sub"), &ClosedFiles::default());
        assert!(rules.files.iter().all(|file| !file.text.contains("PRIVATE")));
        assert_eq!(rules.files.len(), 1);
        assert!(rules.files[0].truncated && rules.files[0].text == "é".repeat(16 * 1024));
        let codes: Vec<_> = rules.notices.iter().map(|(_, phrase)| phrase.code.as_ref()).collect();
        assert_eq!(codes, ["config.rules_outside", "config.rules_cut", "config.rules_unreadable"]);
    }
}
