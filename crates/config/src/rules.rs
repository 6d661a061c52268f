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

/// What another program calls them. They are read in a folder that has none of ours.
const OTHERS: [&str; 2] = ["CLAUDE.md", ".claude/CLAUDE.md"];

/// Files that one of these brings in with lines `@path`, and how far that goes.
const MOST_BROUGHT: usize = 20;
const DEEPEST: usize = 5;
/// So many of them that are not there are named.
const MOST_ABSENT: usize = 5;

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
}

/// Reads the rules files: the user's, then those from the repository's root down to the working folder.
pub fn rules_files(home: &Path, root: &Path, cwd: &Path, closed: &ClosedFiles) -> RulesFiles {
    let inside = Some(Inside { folder: root, closed });
    let mut rules = RulesFiles::default();
    for name in NAMES {
        rules.add(PartKind::UserRules, home.join(name), None);
    }
    for folder in folders(root, cwd) {
        // One that says nothing stands for nothing.
        let ours = NAMES.map(|name| {
            let path = folder.join(name);
            rules.add(PartKind::ProjectRules, path.clone(), inside) && !is_blank(&path)
        });
        if ours.iter().all(|there| !there) {
            rules.add_others(&folder, Inside { folder: root, closed });
        }
    }
    rules
}

fn is_blank(path: &Path) -> bool {
    read::bytes(path, LIMIT).is_ok_and(|(bytes, more)| !more && String::from_utf8_lossy(&bytes).trim().is_empty())
}

/// Where the files are that one brings in. Those of a home folder are no project's to name.
fn named_by(file: &RulesFile) -> Vec<PathBuf> {
    let folder = file.path.parent().unwrap_or(&file.path);
    let ends = ['.', ',', ';', ':', ')', '!', '?'];
    brought(&file.text)
        .into_iter()
        .filter(|path| !path.starts_with('~'))
        .map(|path| folder.join(path))
        .map(|path| match path.is_file() {
            true => path,
            false => PathBuf::from(path.to_string_lossy().trim_end_matches(ends)),
        })
        .collect()
}

/// The paths that a file brings in: words `@path` outside of code.
fn brought(text: &str) -> Vec<&str> {
    let mut fence: Option<&str> = None;
    let mut found = Vec::new();
    for line in text.lines() {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => found.extend(mentioned(line)),
            _ => {}
        }
    }
    found
}

/// The files that a text of this kind brings in, as it writes them; mentions of people and packages are none.
pub fn brought_files(text: &str) -> Vec<String> {
    let ends = ['.', ',', ';', ':', ')', '!', '?'];
    let trimmed = brought(text).into_iter().map(|path| path.trim_end_matches(ends));
    let meant = |path: &&str| is_meant(Path::new(path)) || path.starts_with(['~', '/', '.']);
    trimmed.filter(meant).map(str::to_owned).collect()
}

/// The words `@path` of a line that stand in no code span.
fn mentioned(line: &str) -> impl Iterator<Item = &str> {
    let prose = line.split('`').step_by(2);
    prose.flat_map(str::split_whitespace).filter_map(|word| word.strip_prefix('@')).filter(|path| !path.is_empty())
}

/// True for a word that can only be meant as a file: a mention of a person or a package has neither a folder nor an ending.
fn is_meant(path: &Path) -> bool {
    path.extension().is_some_and(|ending| matches!(ending.to_str(), Some("md" | "mdc" | "txt")))
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

    /// Adds what another program calls a rules file, with the files that it brings in.
    fn add_others(&mut self, folder: &Path, inside: Inside<'_>) {
        for name in OTHERS {
            let first = self.files.len();
            if self.add(PartKind::ProjectRules, folder.join(name), Some(inside)) {
                self.add_brought(first, inside);
                return;
            }
        }
    }

    /// Adds what the files from this one on bring in, and what those do. What is no file stays a word.
    fn add_brought(&mut self, first: usize, inside: Inside<'_>) {
        let (mut begin, mut left) = (first, MOST_BROUGHT);
        for _ in 0..DEEPEST {
            let end = self.files.len();
            let named: Vec<PathBuf> =
                self.files.get(begin..end).unwrap_or_default().iter().flat_map(named_by).collect();
            let (there, absent): (Vec<PathBuf>, Vec<PathBuf>) = named.into_iter().partition(|path| path.is_file());
            for path in absent.iter().filter(|path| is_meant(path)).take(MOST_ABSENT) {
                self.tell("config.rules_absent", path, "");
            }
            for path in there {
                if left == 0 {
                    return self.tell("config.rules_brought", &path, "");
                }
                left -= 1;
                self.add(PartKind::ProjectRules, path, Some(inside));
            }
            if self.files.len() == end {
                return;
            }
            begin = end;
        }
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
    fn what_another_program_reads_stands_in_where_there_is_none_of_ours() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("repo");
        fs::create_dir_all(root.join("sub/.claude")).unwrap();
        fs::create_dir_all(root.join("docs")).unwrap();
        fs::write(dir.path().join("outside.md"), "PRIVATE").unwrap();
        let main = "See @docs/style.md, `@docs/code.md` and me@example.com @nobody.\n```\n@docs/code.md\n```\n@../outside.md @~/x";
        fs::write(root.join("CLAUDE.md"), main).unwrap();
        fs::write(root.join("docs/style.md"), "style @more.md @style.md").unwrap();
        fs::write(root.join("docs/more.md"), "more").unwrap();
        fs::write(root.join("docs/code.md"), "code").unwrap();
        fs::write(root.join("sub/.claude/CLAUDE.md"), "sub").unwrap();
        let read = || {
            let rules = rules_files(&dir.path().join("none"), &root, &root.join("sub"), &ClosedFiles::default());
            let codes: Vec<_> = rules.notices.iter().map(|(_, phrase)| phrase.code.to_string()).collect();
            (rules.files.into_iter().map(|file| file.text).collect::<Vec<_>>(), codes)
        };
        let brought = [main, "style @more.md @style.md", "more", "sub"].map(str::to_owned);
        assert_eq!(read(), (brought.to_vec(), vec!["config.rules_outside".to_owned()]));
        fs::write(root.join("AGENTS.md"), "ours").unwrap();
        assert_eq!(read(), (vec!["ours".to_owned(), "sub".to_owned()], vec![]));
    }

    #[test]
    fn what_says_nothing_stands_for_nothing_and_what_is_not_there_is_said() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("AGENTS.md"), " \n").unwrap();
        fs::write(dir.path().join("CLAUDE.md"), "Keep to @docs/gone.md and ask @somebody.").unwrap();
        let rules = rules_files(&dir.path().join("none"), dir.path(), dir.path(), &ClosedFiles::default());
        assert_eq!(rules.files.len(), 1);
        assert!(rules.files[0].path.ends_with("CLAUDE.md"));
        let told: Vec<String> = rules.notices.iter().map(|(_, phrase)| format!("{phrase:?}")).collect();
        assert!(told.len() == 1 && told[0].contains("rules_absent") && told[0].contains("docs/gone.md"), "{told:?}");
    }

    #[test]
    fn files_that_bring_each_other_in_end() {
        let dir = tempfile::tempdir().unwrap();
        let all: String = (0..40).map(|number| format!("@{number}.md ")).collect();
        fs::write(dir.path().join("CLAUDE.md"), &all).unwrap();
        for number in 0..40 {
            fs::write(dir.path().join(format!("{number}.md")), format!("{number} {all}")).unwrap();
        }
        let rules = rules_files(&dir.path().join("none"), dir.path(), dir.path(), &ClosedFiles::default());
        assert_eq!((rules.files.len(), rules.notices.len()), (21, 1));
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
