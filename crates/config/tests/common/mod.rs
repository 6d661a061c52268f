//! A user's folder and a project on a real disk.

#![allow(dead_code, clippy::unwrap_used, clippy::panic, reason = "shared by several test programs")]

use reasonix_config::{ConfigError, Loaded, Sources, load};
use std::path::{Path, PathBuf};

pub(crate) struct Disk {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) sources: Sources,
}

impl Disk {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (home, project) = (dir.path().join("home"), dir.path().join("project"));
        std::fs::create_dir_all(&home).unwrap();
        std::fs::create_dir_all(&project).unwrap();
        let env = [("HOME".to_owned(), "/home/me".to_owned())].into();
        Self { sources: Sources { home, project, env, ..Sources::default() }, dir }
    }

    /// Writes the user's `config.toml`.
    pub(crate) fn user(self, text: &str) -> Self {
        self.file("home/config.toml", text)
    }

    /// Writes the project's `reasonix.toml`.
    pub(crate) fn project(self, text: &str) -> Self {
        self.file("project/reasonix.toml", text)
    }

    pub(crate) fn file(self, name: &str, text: &str) -> Self {
        let path = self.dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.sources.env.insert(name.to_owned(), value.to_owned());
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn load(&self) -> Loaded {
        load(&self.sources).unwrap_or_else(|error| panic!("{error}"))
    }

    pub(crate) fn error(&self) -> ConfigError {
        match load(&self.sources) {
            Err(error) => error,
            Ok(loaded) => panic!("loaded {loaded:?}"),
        }
    }
}

/// The notices as `code key line`, which is what tests care for.
pub(crate) fn told(loaded: &Loaded) -> Vec<String> {
    let one = |phrase: &reasonix_proto::Phrase| {
        let line = phrase.arg("place").and_then(|place| place.rsplit(':').next()).unwrap_or_default();
        format!("{} {} {line}", phrase.code.trim_start_matches("config."), phrase.arg("key").unwrap_or_default())
    };
    loaded.notices.iter().map(|(_, phrase)| one(phrase)).collect()
}

pub(crate) fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}
