//! The ignore files of a tree. They come with a repository, so that each may be a pipe, a device or endless: they are
//! opened here and nowhere else, only as regular files of a bounded size that no link leads to. What is not fit to be
//! read is not used, and named.

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::{FileType, Mode, OFlags, fstat};
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Folders that nobody writes by hand, ignored or not.
pub(crate) const FETCHED: &[&str] = &["node_modules", "__pycache__"];

/// The largest ignore file that is used, in bytes.
const LARGEST: usize = 1024 * 1024;
/// All ignore files of one walk together: rules take many times the memory of their text.
const ALL_TOGETHER: usize = 4 * 1024 * 1024;
/// The largest file by which a folder says where its repository is.
const LARGEST_POINTER: usize = 4096;

/// What an ignore file was found to be.
#[derive(Debug)]
pub(crate) enum IgnoreFile {
    /// There is none, or nothing is in it.
    None,
    /// Its rules.
    Rules(Gitignore),
    /// A link, no regular file, unreadable or too large.
    Unfit,
}

impl IgnoreFile {
    /// The rules of a file for what is below `folder`.
    pub(crate) fn read(file: &Path, folder: &Path) -> Self {
        match bytes(file, LARGEST) {
            Ok(Some(bytes)) => Self::parse(&bytes, file, folder),
            Ok(None) => Self::None,
            Err(Unfit) => Self::Unfit,
        }
    }

    fn parse(bytes: &[u8], file: &Path, folder: &Path) -> Self {
        let mut builder = GitignoreBuilder::new(folder);
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        for line in text.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok()) {
            // A rule that cannot be understood is left out, like in git.
            drop(builder.add_line(Some(file.to_owned()), line.strip_suffix('\r').unwrap_or(line)));
        }
        match builder.build() {
            Ok(rules) if !rules.is_empty() => Self::Rules(rules),
            _ => Self::None,
        }
    }
}

struct Unfit;

/// The content of a regular file of at most `most` bytes; none when there is none.
fn bytes(file: &Path, most: usize) -> Result<Option<Vec<u8>>, Unfit> {
    use rustix::io::Errno;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = match rustix::fs::open(file, flags, Mode::empty()) {
        Ok(opened) => opened,
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        Err(_) => return Err(Unfit),
    };
    if !fstat(&opened).is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::RegularFile) {
        return Err(Unfit);
    }
    let mut bytes = Vec::new();
    let read = File::from(opened).take(most as u64 + 1).read_to_end(&mut bytes);
    if read.is_err() || bytes.len() > most { Err(Unfit) } else { Ok(Some(bytes)) }
}

/// The rules of a walk, folder by folder as it comes to them.
#[derive(Debug)]
pub(crate) struct Ignores {
    /// Above this folder nothing is read.
    top: PathBuf,
    levels: RwLock<HashMap<PathBuf, Option<Arc<Level>>>>,
    /// The user's own, for all repositories.
    global: Gitignore,
    left: AtomicUsize,
    unfit: Mutex<BTreeSet<PathBuf>>,
}

/// What the ignore files of one folder say; folders without any have no level of their own.
#[derive(Debug)]
struct Level {
    above: Option<Arc<Level>>,
    ignore: Option<Gitignore>,
    git: Option<Gitignore>,
    exclude: Option<Gitignore>,
    /// The top of a repository: git's rules of the folders above do not hold here.
    repository: bool,
}

impl Ignores {
    /// The rules for a walk; those of folders above `top` do not count.
    pub(crate) fn new(top: &Path) -> Self {
        Self {
            top: top.to_owned(),
            levels: RwLock::default(),
            global: GitignoreBuilder::new(top).build_global().0,
            left: AtomicUsize::new(ALL_TOGETHER),
            unfit: Mutex::default(),
        }
    }

    /// Whether an entry is ignored; none when no rule speaks of it. The nearest rule counts, `.ignore` before git's.
    pub(crate) fn verdict(&self, path: &Path, is_folder: bool) -> Option<bool> {
        let level = path.parent().and_then(|folder| self.level(folder));
        let (mut ignore, mut git, mut exclude, mut same_repository) = (None, None, None, true);
        let mut next = level.as_ref();
        while let Some(level) = next {
            ignore = ignore.or_else(|| said(level.ignore.as_ref(), path, is_folder));
            if same_repository {
                git = git.or_else(|| said(level.git.as_ref(), path, is_folder));
                exclude = exclude.or_else(|| said(level.exclude.as_ref(), path, is_folder));
                same_repository = !level.repository;
            }
            next = level.above.as_ref();
        }
        ignore.or(git).or(exclude).or_else(|| said(Some(&self.global), path, is_folder))
    }

    /// The ignore files that were not used.
    pub(crate) fn unfit(&self) -> Vec<PathBuf> {
        self.unfit.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    fn level(&self, folder: &Path) -> Option<Arc<Level>> {
        if let Some(known) = self.levels.read().unwrap_or_else(PoisonError::into_inner).get(folder) {
            return known.clone();
        }
        let above = folder.parent().filter(|above| above.starts_with(&self.top)).and_then(|above| self.level(above));
        let level = self.read_level(folder, above);
        let mut levels = self.levels.write().unwrap_or_else(PoisonError::into_inner);
        levels.entry(folder.to_owned()).or_insert(level).clone()
    }

    fn read_level(&self, folder: &Path, above: Option<Arc<Level>>) -> Option<Arc<Level>> {
        let rules = |name| self.rules(&folder.join(name), folder);
        let (ignore, git) = (rules(".ignore"), rules(".gitignore"));
        let dot_git = std::fs::symlink_metadata(folder.join(".git"));
        let repository = dot_git.is_ok() || std::fs::symlink_metadata(folder.join(".jj")).is_ok();
        let exclude = exclude_file(folder).and_then(|file| self.rules(&file, folder));
        if ignore.is_none() && git.is_none() && !repository {
            return above;
        }
        Some(Arc::new(Level { above, ignore, git, exclude, repository }))
    }

    fn rules(&self, file: &Path, folder: &Path) -> Option<Gitignore> {
        let read = bytes(file, LARGEST.min(self.left.load(Ordering::Relaxed)));
        let parsed = read.map(|found| found.map(|bytes| (bytes.len(), IgnoreFile::parse(&bytes, file, folder))));
        match parsed {
            Ok(Some((length, IgnoreFile::Rules(rules)))) => {
                let less = |left: usize| Some(left.saturating_sub(length));
                let _ = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
                Some(rules)
            }
            Ok(_) => None,
            Err(Unfit) => {
                self.unfit.lock().unwrap_or_else(PoisonError::into_inner).insert(file.to_owned());
                None
            }
        }
    }
}

/// Where the top folder of a repository says what is ignored on this machine alone; none for any other folder.
pub(crate) fn exclude_file(top: &Path) -> Option<PathBuf> {
    let dot_git = top.join(".git");
    let found = std::fs::symlink_metadata(&dot_git).ok()?;
    let kept_in = if found.is_file() { elsewhere(&dot_git)? } else { dot_git };
    Some(kept_in.join("info/exclude"))
}

pub(crate) fn said(rules: Option<&Gitignore>, path: &Path, is_folder: bool) -> Option<bool> {
    match rules?.matched(path, is_folder) {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

/// Where a repository is kept whose folder only says so in a file: a worktree's or a submodule's.
fn elsewhere(dot_git: &Path) -> Option<PathBuf> {
    let line = |file: &Path| {
        let text = String::from_utf8(bytes(file, LARGEST_POINTER).ok()??).ok()?;
        Some(text.lines().next()?.trim().to_owned())
    };
    let own = dot_git.parent()?.join(line(dot_git)?.strip_prefix("gitdir:")?.trim());
    Some(match line(&own.join("commondir")) {
        Some(common) => own.join(common),
        None => own,
    })
}

#[cfg(test)]
mod tests {
    use super::{ALL_TOGETHER, IgnoreFile, Ignores, LARGEST};
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    fn fifo(path: &Path) {
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    }

    #[test]
    fn only_a_regular_file_of_a_bounded_size_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fifo(&at("fifo"));
        symlink("/dev/zero", at("endless")).unwrap();
        fs::write(at("good"), "\u{feff}*.log\r\n\u{0}[\n").unwrap();
        symlink("good", at("link")).unwrap();
        fs::write(at("large"), "x\n".repeat(LARGEST / 2 + 1)).unwrap();
        fs::create_dir(at("folder")).unwrap();
        for name in ["fifo", "endless", "link", "large", "folder"] {
            assert!(matches!(IgnoreFile::read(&at(name), dir.path()), IgnoreFile::Unfit), "{name}");
        }
        assert!(matches!(IgnoreFile::read(&at("absent"), dir.path()), IgnoreFile::None));
        let IgnoreFile::Rules(rules) = IgnoreFile::read(&at("good"), dir.path()) else { panic!("no rules") };
        assert!(rules.matched(at("a.log"), false).is_ignore());
    }

    #[test]
    fn all_files_of_a_walk_together_are_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let text = format!("{}\n", "x".repeat(LARGEST - 1));
        let folders: Vec<_> = (0..6).map(|number| dir.path().join(number.to_string())).collect();
        for folder in &folders {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join(".ignore"), &text).unwrap();
        }
        let ignores = Ignores::new(dir.path());
        folders.iter().for_each(|folder| assert_eq!(ignores.verdict(&folder.join("a"), false), None));
        assert_eq!(ignores.unfit().len(), 6 - ALL_TOGETHER / LARGEST);
    }

    #[test]
    fn the_nearest_rule_counts_and_a_repository_ends_gits_rules() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for folder in [".git/info", "sub", "inner/.git", "kept/info", "tree"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        for (name, text) in [
            (".gitignore", "*.log\nsecret\n"),
            (".git/info/exclude", "*.tmp\n"),
            ("sub/.gitignore", "!b.log\n"),
            ("sub/.ignore", "b.tmp\n!secret\n"),
            (".ignore", "*.bak\n"),
            ("tree/.git", "gitdir: ../kept\n"),
            ("kept/info/exclude", "x\n"),
        ] {
            fs::write(at(name), text).unwrap();
        }
        let ignores = Ignores::new(dir.path());
        for (name, wanted) in [
            ("a.log", Some(true)),
            ("a.tmp", Some(true)),
            ("a.rs", None),
            ("sub/a.log", Some(true)),
            ("sub/b.log", Some(false)),
            ("sub/b.tmp", Some(true)),
            ("sub/secret", Some(false)),
            ("inner/a.log", None),
            ("inner/a.tmp", None),
            ("inner/a.bak", Some(true)),
            ("tree/x", Some(true)),
        ] {
            assert_eq!(ignores.verdict(&at(name), false), wanted, "{name}");
        }
        assert!(ignores.unfit().is_empty());
    }
}
