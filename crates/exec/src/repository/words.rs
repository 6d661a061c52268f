//! Which files of a folder a command that settings name would run: programs by a path, scripts that an interpreter is given,
//! modules, and what stands behind an option.

use std::path::{Path, PathBuf};

/// More words of a setting are not looked at.
const MOST_WORDS: usize = 64;

/// What ends a word for a shell, and the signs of variables and quotes.
const BETWEEN: &[char] =
    &[' ', '\t', '\r', '\n', '"', '\'', ';', '|', '&', '(', ')', '<', '>', '`', '$', '{', '}', ',', '!'];

/// What an interpreter adds to the name of a script or a module.
const ENDS: &[&str] = &[".js", ".cjs", ".mjs", ".ts", "/index.js", "/__main__.py"];

/// Places below a folder that a command would run something from, whether something is there or not. More than it runs:
/// nobody tells an argument from a script.
pub(super) fn named(value: &str, tree: &Path) -> Vec<PathBuf> {
    let words: Vec<&str> = value.split(BETWEEN).filter(|word| !word.is_empty()).take(MOST_WORDS).collect();
    let mut found = Vec::new();
    for (number, word) in words.iter().enumerate() {
        let before = number.checked_sub(1).and_then(|number| words.get(number)).copied().unwrap_or_default();
        if before == "-m" {
            found.extend(module(word, tree));
        }
        if let Some(name) = word.strip_prefix("-m").filter(|name| !name.is_empty()) {
            found.extend(module(name, tree));
        }
        // A name alone is looked for among the system's programs.
        let is_program = number == 0 && !word.contains('/');
        let behind = word.split_once('=').map(|(_, behind)| behind);
        for word in behind.into_iter().chain((!is_program && !word.starts_with('-')).then_some(*word)) {
            found.extend(script(word, tree));
        }
    }
    found
}

/// A path of a setting.
pub(super) fn place(text: &str, from: &Path) -> PathBuf {
    let home = text.strip_prefix("~/").and_then(|rest| Some(std::env::home_dir()?.join(rest)));
    home.unwrap_or_else(|| from.join(text.strip_prefix("%(prefix)/").unwrap_or(text)))
}

/// The file of a word, and what an interpreter would take for it. What is no path and has no end like a file's is one only
/// where it is there.
fn script(word: &str, tree: &Path) -> Vec<PathBuf> {
    let at = place(word, tree);
    let ended: Vec<PathBuf> = ENDS.iter().map(|end| place(&format!("{word}{end}"), tree)).collect();
    let mut found: Vec<PathBuf> = ended.into_iter().filter(|path| path.is_file()).collect();
    // Behind a variable or another command the rest is often a path of the folder: `$PWD/x`, `$(git rev-parse …)/x`.
    let rest = word.split_once('/').map(|(_, rest)| tree.join(rest.trim_start_matches('/')));
    found.extend(rest.filter(|path| path.is_file()));
    let is_dotted = Path::new(word).extension().is_some_and(|end| !end.is_empty());
    if word.contains('/') || is_dotted || at.is_file() {
        found.push(at);
    }
    found
}

/// What python runs by the name of a module.
fn module(name: &str, tree: &Path) -> Vec<PathBuf> {
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    let parts: Vec<&str> = if is_name { name.split('.').filter(|part| !part.is_empty()).collect() } else { Vec::new() };
    let mut found = Vec::new();
    let mut at = tree.to_owned();
    for part in &parts {
        at.push(part);
        found.push(at.join("__init__.py"));
    }
    if !parts.is_empty() {
        found.push(at.join("__main__.py"));
        found.push(at.with_extension("py"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::named;
    use std::fs;

    #[test]
    fn every_file_that_a_command_could_run_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir_all(root.join("tools/dir")).unwrap();
        for name in ["there", "tools/x.js", "tools/dir/index.js", "tools/y.sh"] {
            fs::write(root.join(name), "").unwrap();
        }
        for (value, wanted) in [
            ("python3 nbstrip.py", "nbstrip.py"),
            ("./mon.sh -x", "mon.sh"),
            ("!python3 -u nbstrip.py", "nbstrip.py"),
            ("sh there", "there"),
            ("sh -c 'cat x | perl tools/y.pl'", "tools/y.pl"),
            ("node --require=./x.cjs a", "x.cjs"),
            ("node tools/x", "tools/x.js"),
            ("node ./tools/dir", "tools/dir/index.js"),
            ("A=tools/y.sh sh", "tools/y.sh"),
            ("python -m pkg.mod", "pkg/mod.py"),
            ("python -mmod", "mod.py"),
            ("python3 -m mod --x", "mod/__main__.py"),
            ("\"$PWD/tools/y.sh\"", "tools/y.sh"),
            ("$(git rev-parse --show-toplevel)/tools/y.sh", "tools/y.sh"),
            ("sh ${GIT_WORK_TREE}/tools/y.sh", "tools/y.sh"),
        ] {
            let found = named(value, root);
            assert!(found.contains(&root.join(wanted)), "{value}: {found:?}");
        }
        for value in ["code --wait", "there", "git-lfs clean -- %f", "nbstripout", "vim -c wq", "cat %f"] {
            assert_eq!(named(value, root), Vec::<std::path::PathBuf>::new(), "{value}");
        }
    }
}
