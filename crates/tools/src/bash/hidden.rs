//! What is said about hidden places that a command opened. That it did is told by the kernel, never by what it wrote.

use super::Told;
use reasonix_proto::Phrase;
use std::path::{Path, PathBuf};

/// More places are only counted.
const MOST: usize = 5;

/// The facts about the hidden places that a command opened.
pub(super) fn told(opened: &[PathBuf], root: &Path) -> Vec<Told> {
    let (secrets, others): (Vec<&PathBuf>, Vec<&PathBuf>) = opened.iter().partition(|path| !in_repository(path, root));
    let plain =
        "hidden from commands, so it looked empty to this one (secrets, and what rules or sandbox.forbid_read hide)";
    let in_git = "hidden from commands by a rule, so it looked empty to this one, and changed or deleted to git: do not add or \
                  commit it, name the other files instead";
    [(secrets, plain, "exec.hidden"), (others, in_git, "exec.hidden_in_git")]
        .into_iter()
        .filter(|(paths, ..)| !paths.is_empty())
        .map(|(paths, words, code)| {
            let paths = listed(&paths, root);
            Told::new(&format!("{words}: {paths}"), Phrase::new(code).with("path", paths))
        })
        .collect()
}

/// Whether git may know it: it lies in a repository at the root, and is none of the files that are hidden only where git does
/// not track them.
fn in_repository(path: &Path, root: &Path) -> bool {
    let secret = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".env"));
    path.starts_with(root) && !secret && root.join(".git").exists()
}

fn listed(paths: &[&PathBuf], root: &Path) -> String {
    let shown = paths.iter().take(MOST).map(|path| path.strip_prefix(root).unwrap_or(path).display().to_string());
    let more = paths.len().checked_sub(MOST).filter(|more| *more > 0).map(|more| format!("+{more}"));
    shown.chain(more).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::told;
    use std::path::{Path, PathBuf};

    #[test]
    fn what_is_hidden_is_named_and_git_is_warned_of() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        assert_eq!(told(&[], root), []);
        let opened: Vec<PathBuf> = [".env", "keys/a"].iter().map(|name| root.join(name)).collect();
        let [one] = told(&opened, root).try_into().unwrap();
        assert!(one.model.ends_with(": .env, keys/a") && one.person.arg("path") == Some(".env, keys/a"), "{one:?}");
        std::fs::create_dir(root.join(".git")).unwrap();
        let [plain, git] = told(&opened, root).try_into().unwrap();
        assert!(plain.model.ends_with(": .env") && git.model.contains("commit it"), "{git:?}");
        let many: Vec<PathBuf> = (0..9).map(|number| Path::new("/srv").join(number.to_string())).collect();
        let [one] = told(&many, root).try_into().unwrap();
        assert!(one.model.ends_with("/srv/4, +4"), "{one:?}");
    }
}
