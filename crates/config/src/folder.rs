//! A folder, and the settings that hold there: where they are looked for, and what they open and close of its files.

use crate::Fallback;
use crate::closed::{ClosedFiles, path_rules};
use crate::env::no_memory;
use crate::error::ConfigError;
use crate::files::user_file;
use crate::project::ProjectPlace;
use crate::resolve::{Loaded, load};
use crate::rules::{RulesFiles, rules_files};
use crate::sources::{Flags, Sources};
use reasonix_policy::Rule;
use reasonix_proto::{HOME_SECRETS, Level, Phrase};
use reasonix_workspace::{FileError, Options, Workspace};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A folder with the settings that hold there.
pub struct FolderSettings {
    /// The user's folder.
    pub home: PathBuf,
    /// The working folder.
    pub cwd: PathBuf,
    /// The environment, as far as it is text.
    pub env: BTreeMap<String, String>,
    /// The settings.
    pub loaded: Loaded,
    place: ProjectPlace,
}

impl FolderSettings {
    /// Reads the settings of a folder.
    pub fn load(home: PathBuf, cwd: PathBuf, env: BTreeMap<String, String>, flags: Flags) -> Result<Self, ConfigError> {
        let user = env.get("HOME").map(PathBuf::from).filter(|user| user.is_absolute());
        let place = ProjectPlace::of(&cwd, &home, user.as_deref());
        let sources = Sources { home, project: place.folder.clone(), root: cwd, env, flags };
        let mut loaded = load(&sources)?;
        if let Some(above) = &place.passed {
            let phrase = Phrase::new("config.project_above").with("above", above.display());
            loaded.notices.push((Level::Info, phrase.with("project", place.folder.display())));
        }
        let Sources { home, root: cwd, env, .. } = sources;
        Ok(Self { home, cwd, env, loaded, place })
    }

    /// The folder that sessions belong to.
    pub fn root(&self) -> &Path {
        self.loaded.settings.sandbox.workspace_root.as_deref().unwrap_or(&self.cwd)
    }

    /// The files that a session may touch.
    pub fn workspace(&self, add_dirs: &[PathBuf]) -> Result<Workspace, FileError> {
        let sandbox = &self.loaded.settings.sandbox;
        let options = Options {
            add_dirs: add_dirs.iter().map(|dir| self.cwd.join(dir)).collect(),
            allow_write: sandbox.allow_write.clone(),
            forbid_read: sandbox.forbid_read.clone(),
            closed: self.closed(),
            unlisted: self.unlisted(),
            opened: self.opened(),
            readable: self.readable(),
            within_closed: false,
            around: self.place.around.clone(),
        };
        Workspace::open(self.root(), options)
    }

    /// The rules files that hold here, with what the settings name beside them.
    pub fn rules_files(&self) -> Result<RulesFiles, FileError> {
        let root = self.place.repository.as_path();
        let closed = self.closed_to(root)?;
        let rules = match no_memory(&self.env) {
            true => RulesFiles::default(),
            false => rules_files(&self.home, root, &self.cwd, &closed),
        };
        let rules = rules.with_instructions(&self.loaded.settings.instructions, &self.place.folder, &closed);
        Ok(rules.with_ignored(root, &closed))
    }

    /// What is closed to the rules files of a repository, which may begin above the folder that sessions belong to.
    fn closed_to(&self, repository: &Path) -> Result<ClosedFiles, FileError> {
        let permissions = &self.loaded.settings.permissions;
        let mut rules = path_rules(&permissions.deny, self.root());
        rules.extend(path_rules(&permissions.ask, self.root()));
        Ok(ClosedFiles::new(self.workspace(&[repository.to_owned()])?, rules))
    }

    /// What rules deny to read is not listed and not found either.
    fn unlisted(&self) -> Vec<String> {
        let root = self.root().display().to_string();
        let denied = self.loaded.settings.permissions.deny.iter();
        denied
            .filter_map(|rule| Rule::parse(&Rule::relative_to(rule, &root)).ok())
            .flat_map(|rule| rule.unlisted())
            .collect()
    }

    /// What rules allow to read is open also where it holds keys. Without a folder a name means the one at the root.
    fn opened(&self) -> Vec<String> {
        let root = self.root().display().to_string();
        let allowed = self.loaded.settings.permissions.allow.iter().map(|rule| Rule::relative_to(rule, &root));
        let reading = allowed.filter(|rule| rule.trim_start().starts_with("Read("));
        let globs = |rule: String| {
            let found = Rule::parse(&rule).map(|rule| rule.unlisted()).unwrap_or_default();
            let at_root = !rule.contains('/');
            found.into_iter().map(move |glob| match glob.strip_prefix("**/") {
                Some(name) if at_root => name.to_owned(),
                _ => glob,
            })
        };
        reading.flat_map(globs).collect()
    }

    /// What no file tool touches: our own folder, and where everything outside can be read, the keys in the user's home but
    /// for those that a rule names.
    fn closed(&self) -> Vec<PathBuf> {
        let mut closed = vec![self.home.clone()];
        let users = self.env.get("HOME").filter(|home| home.starts_with('/')).map(PathBuf::from);
        let opens = self.loaded.settings.permissions.external_directory != Fallback::Deny;
        let Some(users) = users.filter(|_| opens) else { return closed };
        let named = self.outside_rules();
        let secrets = HOME_SECRETS.iter().map(|name| users.join(name));
        let meant = |path: &PathBuf| named.iter().any(|glob| Path::new(glob).starts_with(path));
        closed.extend(secrets.filter(|path| !self.root().starts_with(path) && !meant(path)));
        closed
    }

    /// What the user opened outside of the root, for reading alone: by rules that begin there, or all of it.
    fn readable(&self) -> Vec<String> {
        let all = self.loaded.settings.permissions.external_directory != Fallback::Deny;
        self.outside_rules().into_iter().chain(all.then(|| "/**".to_owned())).collect()
    }

    /// The globs of rules that allow to read what lies outside.
    fn outside_rules(&self) -> Vec<String> {
        let root = self.root().display().to_string();
        let allowed = self.loaded.settings.permissions.allow.iter().map(|rule| Rule::relative_to(rule, &root));
        let outside = allowed.filter(|rule| rule.trim_start().starts_with("Read(/"));
        outside.flat_map(|rule| Rule::parse(&rule).map(|rule| rule.unlisted()).unwrap_or_default()).collect()
    }
}

/// Where the user's own settings stand, or would stand, whether they can be read or not.
pub fn user_settings_file(home: &Path, cwd: &Path, env: &BTreeMap<String, String>) -> PathBuf {
    let (home, cwd, env) = (home.to_owned(), cwd.to_owned(), env.clone());
    user_file(&Sources { home, project: cwd.clone(), root: cwd, env, flags: Flags::default() })
}
