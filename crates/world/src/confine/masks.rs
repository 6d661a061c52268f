//! What is hidden from programs too, of what stands there when a command starts: what `deny Read(…)` rules name, and
//! `.env` files that git does not track; and what `deny Edit(…)` rules name, which programs may not change.

use reasonix_exec::Masked;
use reasonix_policy::{Fallback, Posture, Rule, Rules, Verdict, evaluate};
use reasonix_proto::{Action, Family, ReadOnly};
use reasonix_workspace::Workspace;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rules with patterns are held against so many files before each command; what lies beyond is closed to the file
/// tools alone.
const MOST_FILES: usize = 20_000;
/// Folders that no pattern is looked for in.
const SKIPPED: &[&str] = &[".git", "node_modules", "target", ".venv", "__pycache__"];

/// Works out, for each command anew, what is hidden.
pub(super) fn masked(deny: &[String], workspace: &Workspace) -> Masked {
    // A rule may be of the project's, whose folder lies between.
    let around = workspace.around();
    let folders = workspace.root().ancestors().take_while(|folder| around.is_some_and(|top| folder.starts_with(top)));
    let folders = std::iter::once(workspace.root()).chain(folders.skip(1));
    let ruled = folders.filter_map(|root| ruled(deny, root));
    let (ruled, workspace): (Vec<_>, _) = (ruled.collect(), workspace.clone());
    Masked(Arc::new(move || {
        let mut found = workspace.secrets();
        found.extend(ruled.iter().flat_map(|ruled| ruled()));
        found
    }))
}

/// Works out, for each command anew, what `deny Edit(…)` rules fix; none where there are no such rules.
pub(super) fn fixed(deny: &[String], workspace: &Workspace) -> Option<Masked> {
    let root = workspace.root().to_owned();
    let ruled = places(deny, &root, ("write_file", Family::Edit), Rule::unchanged)?;
    Some(Masked(Arc::new(move || ruled().into_iter().filter(|path| path.starts_with(&root)).collect())))
}

/// What the rules hide; none when no rule speaks of files to read.
fn ruled(deny: &[String], root: &Path) -> Option<impl Fn() -> Vec<PathBuf> + Send + Sync + use<>> {
    places(deny, root, ("read_file", Family::Read), Rule::unlisted)
}

/// What stands at the places that rules name for this kind of call; none when no rule speaks of it. `globs` are those of
/// a rule.
fn places(
    deny: &[String],
    root: &Path,
    call: (&'static str, Family),
    globs: fn(&Rule) -> Vec<String>,
) -> Option<impl Fn() -> Vec<PathBuf> + Send + Sync + use<>> {
    let shown = root.display().to_string();
    let rules: Vec<Rule> = deny.iter().filter_map(|text| Rule::parse(&Rule::relative_to(text, &shown)).ok()).collect();
    let rules: Vec<Rule> = rules.into_iter().filter(|rule| !globs(rule).is_empty()).collect();
    if rules.is_empty() {
        return None;
    }
    let literal = move |rule: &Rule| literal(globs(rule));
    let (patterns, plain): (Vec<Rule>, Vec<Rule>) = rules.into_iter().partition(|rule| literal(rule).is_none());
    let plain: Vec<PathBuf> = plain.iter().filter_map(literal).map(|path| root.join(path)).collect();
    let patterns = Rules { deny: patterns, mode: Fallback::Allow, ..Rules::default() };
    let root = root.to_owned();
    Some(move || {
        let mut found: Vec<PathBuf> = plain.iter().filter_map(|path| path.canonicalize().ok()).collect();
        if !patterns.deny.is_empty() {
            find(&root, (&patterns, call), &mut found);
        }
        found
    })
}

/// The one place that a rule speaks of; none for a pattern, and for a name without a folder, which stands for every one.
fn literal(globs: Vec<String>) -> Option<String> {
    let glob = globs.into_iter().next()?;
    let glob = glob.strip_suffix("/**").unwrap_or(&glob);
    (!glob.contains(['*', '?', '[', '{', '\\'])).then(|| glob.to_owned())
}

/// Looks for what the patterns fit, shallow folders first.
fn find(root: &Path, (patterns, (tool, family)): (&Rules, (&str, Family)), found: &mut Vec<PathBuf>) {
    let mut folders = std::collections::VecDeque::from([root.to_owned()]);
    let mut seen = 0;
    while let Some(folder) = folders.pop_front() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            seen += 1;
            if seen > MOST_FILES {
                return;
            }
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            let Some(name) = path.strip_prefix(root).ok().and_then(Path::to_str) else { continue };
            let action = Action { family, subjects: vec![name.to_owned()], read_only: ReadOnly::Yes };
            let denied = evaluate(patterns, &[], Posture::Ask, tool, &action);
            if matches!(denied, Verdict::Deny(_)) {
                // A link is closed by closing what it leads to.
                found.extend(path.canonicalize());
            } else if kind.is_dir() && !SKIPPED.iter().any(|skipped| entry.file_name() == *skipped) {
                folders.push_back(path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ruled;
    use std::fs;

    #[test]
    fn rules_become_places() {
        let root = tempfile::tempdir().expect("a folder");
        let root = root.path().canonicalize().expect("a path");
        for folder in ["keys/in", "a/b", "node_modules/x"] {
            fs::create_dir_all(root.join(folder)).expect("a folder");
        }
        for file in ["keys/in/k", "a/b/.env", ".env", "a/x.pem", "plain", "node_modules/x/.env"] {
            fs::write(root.join(file), "x").expect("a file");
        }
        let rules = |list: &[&str]| list.iter().map(|rule| (*rule).to_owned()).collect::<Vec<_>>();
        let places = |list: &[&str]| {
            let mut found = ruled(&rules(list), &root).expect("rules")();
            found.sort();
            found.iter().map(|path| path.strip_prefix(&root).expect("inside").display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(places(&["Read(keys/)"]), ["keys"]);
        assert_eq!(places(&["Read(keys/**)"]), ["keys"]);
        assert_eq!(places(&["Read(.env)"]), [".env", "a/b/.env"]);
        assert_eq!(places(&["Read(**/*.pem)", "Read(plain)", "Read(not/there)"]), ["a/x.pem", "plain"]);
        assert!(ruled(&rules(&["Bash(rm:*)", "Edit(x)", "Read"]), &root).is_none());
    }
}
