//! What a repository may not have read for the model: its rules files are named by others, and nobody is asked about them.

use reasonix_policy::Rule;
use reasonix_workspace::{FileError, Workspace};
use std::path::{Path, PathBuf};

/// The rules for paths among these texts, seen from the folder that paths are relative to.
pub fn path_rules(texts: &[String], root: &Path) -> Vec<Rule> {
    let root = root.display().to_string();
    let rules = texts.iter().filter_map(|text| Rule::parse(&Rule::relative_to(text, &root)).ok());
    rules.filter(Rule::names_paths).collect()
}

/// What is closed to a project's rules files: what the file tools may not read, and what they may not read unasked.
#[derive(Debug, Default)]
pub struct ClosedFiles {
    workspace: Option<Workspace>,
    rules: Vec<Rule>,
}

impl ClosedFiles {
    /// What this workspace closes, and what these rules deny or ask about.
    pub fn new(workspace: Workspace, rules: Vec<Rule>) -> Self {
        Self { workspace: Some(workspace), rules }
    }

    /// Why the file is not read that stands at this path of a project; none when it may be.
    pub(crate) fn reason(&self, path: &Path, project: &Path) -> Option<String> {
        let real = path.canonicalize().ok()?;
        let project_real = project.canonicalize().unwrap_or_else(|_| project.to_owned());
        let of_git =
            [(path, project), (&real, &project_real)].into_iter().any(|(path, folder)| is_of_git(path, folder));
        if of_git {
            return Some("it belongs to git".to_owned());
        }
        let workspace = self.workspace.as_ref()?;
        let denied = |path: &PathBuf| {
            let name = workspace.shown(&path.to_string_lossy());
            self.rules.iter().find(|rule| rule.speaks_of_reading(&name))
        };
        if let Some(rule) = [path.to_owned(), real].iter().find_map(denied) {
            return Some(format!("the rule {rule} speaks of it"));
        }
        workspace.exists(&path.to_string_lossy()).err().map(|error: FileError| error.message())
    }
}

/// True for what lies in the folder of a repository's own files.
fn is_of_git(path: &Path, folder: &Path) -> bool {
    let below = path.strip_prefix(folder).unwrap_or(path);
    below.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"))
}
