//! Which file a program's name stands for. One that lies in the workspace is the repository's, whatever its name is: no reader
//! runs it unasked, the question shows its path, and where it stands before a program of the system no rule for that one's
//! name covers it.

use super::files::Files;
use reasonix_policy::{Effects, Simple, visible};
use reasonix_proto::{Action, Family, Field};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Folders of `PATH` in the order in which they are looked in, each with whether it lies in the workspace. Empty where none
/// does.
#[derive(Debug, Default)]
pub(super) struct Programs {
    folders: Vec<(PathBuf, bool)>,
    /// The programs of a virtual environment that the user has activated.
    activated: Option<PathBuf>,
}

/// A program that lies in the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Local {
    /// What the line calls it.
    name: String,
    /// Where it lies.
    pub(super) path: PathBuf,
    /// The same, as rules have it.
    shown: String,
    /// What would run if it were not there; none where nothing else has that name.
    hides: Option<PathBuf>,
}

/// A call as rules see it: programs that hide others go by their path.
pub(super) struct Resolved {
    pub(super) action: Action,
    pub(super) effects: Vec<Effects>,
    pub(super) locals: Vec<Local>,
}

impl Programs {
    pub(super) fn new(path: Option<&OsStr>, activated: Option<&OsStr>, roots: &[PathBuf]) -> Self {
        let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        // One that is not absolute means wherever the command happens to be.
        let inside = |folder: &Path| {
            let real = real(folder);
            !folder.is_absolute() || roots.iter().any(|root| real.starts_with(root))
        };
        let all = path.map(|path| std::env::split_paths(path).collect::<Vec<_>>()).unwrap_or_default();
        let folders: Vec<_> =
            all.into_iter().map(|folder| (inside(&folder), folder)).map(|(is, at)| (at, is)).collect();
        let activated =
            activated.filter(|folder| !folder.is_empty()).map(|folder| real(&Path::new(folder).join("bin")));
        if folders.iter().any(|(_, inside)| *inside) { Self { folders, activated } } else { Self::default() }
    }

    /// True when one of these programs would be the workspace's.
    pub(super) fn hide_any<'n>(&self, mut names: impl Iterator<Item = &'n str>) -> bool {
        !self.folders.is_empty() && names.any(|name| self.may_be_local(name))
    }

    fn may_be_local(&self, name: &str) -> bool {
        let first = self.folders.iter().find(|(folder, inside)| {
            // A folder seen from elsewhere may have anything in it.
            !folder.is_absolute() && *inside || folder.join(name).is_file()
        });
        first.is_some_and(|(_, inside)| *inside)
    }

    /// The file in the workspace that a command would run by its name.
    fn local(&self, files: &Files, simple: &Simple) -> Option<Local> {
        let name = simple.words.first().filter(|word| word.is_fixed() && !word.text.contains('/'))?.text.clone();
        let mut all = self.folders.iter().flat_map(|(folder, inside)| {
            let seen_from = files.candidates(&simple.places, "").unwrap_or_default();
            let folders = if folder.is_absolute() {
                vec![folder.clone()]
            } else {
                seen_from.iter().map(|place| place.join(folder)).collect()
            };
            folders.into_iter().map(|folder| (folder.join(&name), *inside))
        });
        let (path, _) = all.by_ref().find(|(path, _)| path.is_file()).filter(|(_, inside)| *inside)?;
        let replaces = self.activated.as_deref().is_some_and(|bin| path.parent().is_some_and(|at| is_same(at, bin)));
        // An environment is there to stand before the system's Python.
        let hides = all.find(|(path, inside)| !inside && path.is_file()).map(|(path, _)| path);
        let hides = hides.filter(|_| !(replaces && is_python(&name)));
        // What the folder really is, but not the file: an environment's Python is a link to the system's.
        let real = path.parent().and_then(|folder| folder.canonicalize().ok()).map(|folder| folder.join(&name));
        let shown = files.workspace().shown(&real.as_ref().unwrap_or(&path).to_string_lossy());
        Some(Local { name, path, shown, hides })
    }

    /// The call with programs that hide others by their paths.
    pub(super) fn resolve(&self, files: &Files, action: &Action, effects: Vec<Effects>) -> Resolved {
        let mut found = Resolved { action: action.clone(), effects, locals: Vec::new() };
        if self.folders.is_empty() || action.family != Family::Bash {
            return found;
        }
        for (line, effects) in found.action.subjects.iter_mut().zip(&mut found.effects) {
            let mut hiding: Vec<Local> = Vec::new();
            for simple in &mut effects.commands {
                let Some(local) = self.local(files, simple) else { continue };
                if let (Some(_), Some(word)) = (&local.hides, simple.words.first_mut()) {
                    word.text.clone_from(&local.shown);
                    hiding.push(local.clone());
                }
                if !found.locals.contains(&local) {
                    found.locals.push(local);
                }
            }
            if !hiding.is_empty() {
                *line = by_path(line, effects.understood, &hiding);
            }
        }
        found
    }
}

impl Local {
    /// What a question shows of it.
    pub(super) fn field(&self) -> Field {
        let path = visible(&self.shown);
        let value = match &self.hides {
            Some(other) => format!("{} → {path} (≠ {})", visible(&self.name), other.display()),
            None => format!("{} → {path}", visible(&self.name)),
        };
        Field { name: "program".to_owned(), value }
    }

    /// Whether it stands before a program of the system.
    pub(super) fn hides(&self) -> bool {
        self.hides.is_some()
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().is_ok_and(|one| one == other)
}

fn is_python(name: &str) -> bool {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    matches!(bare, "python" | "pip")
}

/// The line with these programs by their paths; where their places in it are not plain to see, they stand behind it, so that
/// a rule for the very line is a rule for these programs too.
fn by_path(line: &str, understood: bool, hiding: &[Local]) -> String {
    let placed = || {
        let (mut text, mut rest) = (String::new(), line);
        for local in hiding {
            let at = start_of(rest, text.is_empty(), &local.name)?;
            text.push_str(rest.get(..at)?);
            text.push_str(&local.shown);
            rest = rest.get(at + local.name.len()..)?;
        }
        Some(text + rest)
    };
    if let Some(text) = understood.then(placed).flatten() {
        return text;
    }
    let mut names: Vec<String> = hiding.iter().map(|local| format!("{} = {}", local.name, local.shown)).collect();
    names.dedup();
    format!("{} # {}", line.trim_end(), names.join(", "))
}

/// Where a program's name stands at the beginning of a command.
fn start_of(text: &str, first: bool, name: &str) -> Option<usize> {
    let is_blank = |c: char| c == ' ' || c == '\t';
    text.match_indices(name).map(|(at, _)| at).find(|at| {
        let before = text.get(..*at).unwrap_or_default().trim_end_matches(is_blank);
        let after = text.get(at + name.len()..).unwrap_or_default();
        let begins = if before.is_empty() { first } else { before.ends_with([';', '|', '&', '\n', '!']) };
        let ends = after.is_empty() || after.starts_with(|c: char| is_blank(c) || ";|&\n<>".contains(c));
        begins && ends && !before.contains(['\'', '"'])
    })
}

#[cfg(test)]
mod tests {
    use super::{Local, Programs, by_path};
    use std::fs;
    use std::path::PathBuf;

    #[test]
    fn a_program_of_the_workspace_is_seen_before_the_systems() {
        let root = tempfile::tempdir().unwrap();
        let [work, system] = ["work", "system"].map(|name| root.path().canonicalize().unwrap().join(name));
        for folder in [&work, &system] {
            fs::create_dir(folder).unwrap();
        }
        fs::write(work.join("ls"), "").unwrap();
        fs::write(system.join("cat"), "").unwrap();
        fs::write(system.join("ls"), "").unwrap();
        let programs = |path: &[&std::path::Path]| {
            Programs::new(Some(&std::env::join_paths(path).unwrap()), None, std::slice::from_ref(&work))
        };
        let first = programs(&[&work, &system]);
        assert!(first.hide_any(["cat", "ls"].into_iter()) && !first.hide_any(["cat"].into_iter()));
        assert!(!programs(&[&system, &work]).hide_any(["ls", "cat"].into_iter()), "the system's comes first");
        assert!(!programs(&[&system]).hide_any(["ls", "other"].into_iter()));
        for here in ["", ".", "bin"] {
            let anywhere = programs(&[std::path::Path::new(here), &system]);
            assert!(anywhere.hide_any(["cat"].into_iter()), "{here:?}");
        }
    }

    #[test]
    fn lines_name_programs_by_their_paths() {
        let local = |name: &str| Local {
            name: name.to_owned(),
            path: PathBuf::from("/w/bin").join(name),
            shown: format!("bin/{name}"),
            hides: None,
        };
        for (line, names, wanted) in [
            ("git status", &["git"][..], "bin/git status"),
            ("cd git && git status", &["git"], "cd git && bin/git status"),
            ("ls|git x;git y", &["git", "git"], "ls|bin/git x;bin/git y"),
            ("git a && ls git", &["git", "ls"], "bin/git a && bin/ls git"),
            ("timeout 5 git x", &["git"], "timeout 5 git x # git = bin/git"),
            ("echo 'a; git' ; git x", &["git"], "echo 'a; git' ; git x # git = bin/git"),
            ("gitk; git", &["git"], "gitk; bin/git"),
        ] {
            let hiding: Vec<Local> = names.iter().map(|name| local(name)).collect();
            assert_eq!(by_path(line, true, &hiding), wanted, "{line}");
        }
        assert_eq!(
            by_path("for i in 1; do git x; done", false, &[local("git")]),
            "for i in 1; do git x; done # git = bin/git"
        );
    }
}
