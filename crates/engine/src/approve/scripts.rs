//! Files of the workspace that a command would run: what is in them belongs to what a person says yes to.

use super::files::Files;
use reasonix_agent::Ask;
use reasonix_policy::{Case, Effects, Places, Simple};
use reasonix_proto::Family;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Programs that run the file that they are given; those with a number behind their name too.
const RUNNERS: &[&str] = &[
    "bash", "sh", "dash", "zsh", "ksh", "fish", "source", ".", "python", "pypy", "node", "nodejs", "deno", "bun",
    "tsx", "ts-node", "perl", "ruby", "php", "lua", "luajit", "Rscript", "tclsh", "julia", "guile",
];

/// Programs that run what stands in a file of the folder.
const BUILDERS: &[(&str, &[&str])] = &[
    ("make", &["GNUmakefile", "makefile", "Makefile"]),
    ("gmake", &["GNUmakefile", "makefile", "Makefile"]),
    ("just", &["justfile", "Justfile", ".justfile"]),
    ("npm", &["package.json"]),
    ("pnpm", &["package.json"]),
    ("yarn", &["package.json"]),
    ("awk", &[]),
    ("gawk", &[]),
    ("sed", &[]),
];

/// Options whose value is a file that is run.
const FILE_OPTIONS: &[&str] =
    &["-f", "--file", "--makefile", "--justfile", "-r", "--require", "--rcfile", "--init-file"];

/// Of a longer file only so much is compared.
const MOST_BYTES: u64 = 64 << 20;

/// The scripts of one command, with a digest of each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Scripts(BTreeMap<String, String>);

impl Scripts {
    /// What the call would run, as it is now.
    pub(super) fn of(files: &Files, ask: &Ask<'_>) -> Self {
        if ask.action.family != Family::Bash {
            return Self::default();
        }
        let effects = Case::new(&ask.tool.spec().name, ask.action).effects;
        let groups = effects.iter().flat_map(named);
        // Of the words of an interpreter the first that is a file is its script.
        let found = groups.filter_map(|group| {
            group
                .iter()
                .find_map(|(path, places)| files.candidates(places, path)?.iter().find_map(|path| inside(files, path)))
        });
        Self(found.filter_map(|(name, path)| Some((name, digest_of(&path)?))).collect())
    }

    /// The names of those that are not what they were before, gone ones included.
    pub(super) fn changed_from(&self, before: &Self) -> Vec<String> {
        let mut names: Vec<String> = before
            .0
            .iter()
            .chain(&self.0)
            .filter(|(name, _)| self.0.get(*name) != before.0.get(*name))
            .map(|(name, _)| name.clone())
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// Adds them to the digest of a question.
    pub(super) fn digest_into(&self, hasher: &mut blake3::Hasher) {
        for (name, digest) in &self.0 {
            for part in [name, digest] {
                hasher.update(&[0]);
                hasher.update(part.as_bytes());
            }
        }
    }
}

/// Words of the line that may name a file which is run, in groups of which the first that is one counts.
fn named(effects: &Effects) -> Vec<Vec<(String, Places)>> {
    let mut groups = Vec::new();
    for simple in &effects.commands {
        let Some(first) = simple.words.first() else { continue };
        let here = |name: &str| vec![(name.to_owned(), simple.places.clone())];
        if first.text.contains('/') {
            groups.push(here(&first.text));
        }
        if let Some((_, names)) = BUILDERS.iter().find(|(program, _)| *program == simple.program()) {
            groups.push(names.iter().flat_map(|name| here(name)).collect());
            groups.extend(behind(simple).map(here));
        }
        if is_runner(simple.program()) {
            let operands = simple.operands();
            // What an interpreter reads from elsewhere in the line may be any file that is named there.
            if operands.iter().all(|word| word.text == "-") {
                groups.extend(effects.paths().map(|(path, places)| vec![(path.to_owned(), places.clone())]));
            }
            groups.push(operands.iter().flat_map(|word| here(&word.text)).collect());
            groups.extend(behind(simple).map(here));
        }
    }
    groups
}

/// The words behind options that name a file to run.
fn behind(simple: &Simple) -> impl Iterator<Item = &str> {
    let pairs = simple.args().iter().zip(simple.args().iter().skip(1));
    let values = pairs.filter(|(option, _)| FILE_OPTIONS.contains(&option.text.as_str()));
    values.map(|(_, value)| value.text.as_str())
}

fn is_runner(program: &str) -> bool {
    let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    RUNNERS.contains(&program) || RUNNERS.contains(&bare)
}

/// The file with its name from the working folder, when that is where it really lies.
fn inside(files: &Files, path: &Path) -> Option<(String, PathBuf)> {
    let real = path.canonicalize().ok()?;
    let name = real.strip_prefix(files.workspace().root()).ok()?.to_string_lossy().into_owned();
    real.metadata().is_ok_and(|found| found.is_file()).then_some((name, real))
}

fn digest_of(path: &Path) -> Option<String> {
    let mut hasher = blake3::Hasher::new();
    let mut file = File::open(path).ok()?;
    hasher.update(&file.metadata().ok()?.len().to_le_bytes());
    let mut bytes = vec![0; 64 * 1024];
    let mut left = MOST_BYTES;
    while left > 0 {
        let read = file.read(&mut bytes).ok()?;
        if read == 0 {
            break;
        }
        hasher.update(bytes.get(..read).unwrap_or_default());
        left = left.saturating_sub(u64::try_from(read).unwrap_or(u64::MAX));
    }
    Some(hasher.finalize().to_hex().to_string())
}
