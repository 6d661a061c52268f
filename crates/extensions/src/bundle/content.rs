//! What lies in a bundle: regular files and folders alone, within bounds, each with what is in it.

use reasonix_proto::Phrase;
use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Files of one bundle, how deep they lie, and how much one and all of them may have.
const MOST_FILES: usize = 5000;
const DEEPEST: usize = 24;
const LARGEST_FILE: u64 = 16 << 20;
const LARGEST: u64 = 64 << 20;

/// A file of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleFile {
    /// Where it lies in the bundle, with `/` between the parts.
    pub path: String,
    /// It may be executed.
    pub executable: bool,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// Why a folder is no bundle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BundleFault {
    /// Something cannot be read.
    #[error("{0}: {1}")]
    Unreadable(String, String),
    /// A link that leads out of the folder, or nowhere.
    #[error("{0} is a link that leads out of the folder, or nowhere")]
    LeadsOut(String),
    /// Neither a file nor a folder.
    #[error("{0} is neither a file nor a folder")]
    Special(String),
    /// More than a bundle may have.
    #[error("{0}: more than a plugin may have ({1:?})")]
    TooMuch(String, BundleBound),
    /// Nothing says that it is one.
    #[error("there is no .claude-plugin/plugin.json, no .codex-plugin/plugin.json and nothing that a plugin carries")]
    NoBundle,
    /// What says what it is cannot be read.
    #[error("{0} cannot be read: {1}")]
    Manifest(String, String),
    /// Its name cannot be used.
    #[error("{0:?} cannot be the name of a plugin: letters, digits, `-`, `_` and `.` are, and not what is taken")]
    Name(String),
}

/// A bound of what a bundle may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BundleBound {
    /// So many folders in each other.
    Deep(usize),
    /// So many files.
    Files(usize),
    /// So many MiB in one file, and in all.
    Bytes(u64, u64),
}

impl BundleFault {
    /// The phrase with this as its `reason`.
    pub fn told_in(&self, phrase: Phrase) -> Phrase {
        let (code, part, why) = match self {
            Self::Unreadable(part, why) => ("@extensions.fault_unreadable", part.as_str(), why.as_str()),
            Self::LeadsOut(part) => ("@extensions.fault_leads_out", part.as_str(), ""),
            Self::Special(part) => ("@extensions.fault_special", part.as_str(), ""),
            Self::TooMuch(part, most) => {
                let phrase = phrase.with("reason", "@extensions.fault_too_much").with("part", part);
                return match most {
                    BundleBound::Deep(most) => phrase.with("why", "@extensions.bound_deep").with("most", most),
                    BundleBound::Files(most) => phrase.with("why", "@extensions.bound_files").with("most", most),
                    BundleBound::Bytes(most, all) => {
                        phrase.with("why", "@extensions.bound_bytes").with("most", most).with("all", all)
                    }
                };
            }
            Self::NoBundle => ("@extensions.fault_none", "", ""),
            Self::Manifest(part, why) => ("@extensions.fault_manifest", part.as_str(), why.as_str()),
            Self::Name(name) => ("@extensions.fault_name", name.as_str(), ""),
        };
        phrase.with("reason", code).with("part", part).with("why", why)
    }
}

/// The files of a bundle, sorted by their path. A link that stays inside counts as what it leads to; the folder of git is left
/// out.
pub fn bundle_files(root: &Path) -> Result<Vec<BundleFile>, BundleFault> {
    let real = root.canonicalize().map_err(|error| unreadable(root, "", &error))?;
    let mut walk = Walk { root: real.clone(), files: Vec::new(), bytes: 0, seen: 0 };
    walk.folder(&real, "", 0)?;
    walk.files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(walk.files)
}

/// What a bundle is, in one word: another file, another byte or another mode makes another one.
pub(crate) fn digest(files: &[BundleFile]) -> String {
    let mut hasher = blake3::Hasher::new();
    for file in files {
        for part in [file.path.as_bytes(), &[u8::from(file.executable)], &file.bytes] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
    }
    hasher.finalize().to_hex().to_string()
}

struct Walk {
    root: PathBuf,
    files: Vec<BundleFile>,
    bytes: u64,
    seen: usize,
}

impl Walk {
    fn folder(&mut self, folder: &Path, before: &str, depth: usize) -> Result<(), BundleFault> {
        if depth > DEEPEST {
            return Err(BundleFault::TooMuch(before.to_owned(), BundleBound::Deep(DEEPEST)));
        }
        let entries = std::fs::read_dir(folder).map_err(|error| unreadable(folder, before, &error))?;
        for entry in entries {
            let entry = entry.map_err(|error| unreadable(folder, before, &error))?;
            let Ok(name) = entry.file_name().into_string() else {
                return Err(BundleFault::Special(entry.path().display().to_string()));
            };
            self.seen += 1;
            if self.seen > MOST_FILES {
                return Err(BundleFault::TooMuch(self.root.display().to_string(), BundleBound::Files(MOST_FILES)));
            }
            if name != ".git" {
                self.entry(&entry.path(), format!("{before}{name}"), depth)?;
            }
        }
        Ok(())
    }

    fn entry(&mut self, path: &Path, shown: String, depth: usize) -> Result<(), BundleFault> {
        let fail = |error: std::io::Error| BundleFault::Unreadable(shown.clone(), error.to_string());
        let mut meta = path.symlink_metadata().map_err(fail)?;
        let mut real = path.to_owned();
        if meta.is_symlink() {
            let out = || BundleFault::LeadsOut(shown.clone());
            real = path.canonicalize().map_err(|_| out())?;
            if !real.starts_with(&self.root) || path.starts_with(&real) {
                return Err(out());
            }
            meta = real.symlink_metadata().map_err(fail)?;
        }
        match (meta.is_dir(), meta.is_file()) {
            (true, _) => self.folder(&real, &format!("{shown}/"), depth + 1),
            (_, true) => self.file(&real, shown),
            _ => Err(BundleFault::Special(shown)),
        }
    }

    fn file(&mut self, path: &Path, shown: String) -> Result<(), BundleFault> {
        let fail = |error: std::io::Error| BundleFault::Unreadable(shown.clone(), error.to_string());
        // It was looked at before: by now it may be a link or a pipe, and neither is followed or waited for.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let opened = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path);
        let file: File = opened.map_err(fail)?;
        let meta = file.metadata().map_err(fail)?;
        if !meta.is_file() {
            return Err(BundleFault::Special(shown));
        }
        let mut bytes = Vec::new();
        file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(fail)?;
        self.bytes += bytes.len() as u64;
        if bytes.len() as u64 > LARGEST_FILE || self.bytes > LARGEST {
            return Err(BundleFault::TooMuch(shown, BundleBound::Bytes(LARGEST_FILE >> 20, LARGEST >> 20)));
        }
        let executable = meta.permissions().mode() & 0o100 != 0;
        self.files.push(BundleFile { path: shown, executable, bytes });
        Ok(())
    }
}

fn unreadable(path: &Path, shown: &str, error: &std::io::Error) -> BundleFault {
    let shown = if shown.is_empty() { path.display().to_string() } else { shown.to_owned() };
    BundleFault::Unreadable(shown, error.to_string())
}
