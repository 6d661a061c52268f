//! What the user said yes to, on disk: `state/trust.toml` by root, the texts beside it, and lock files.

use super::SurfaceChange;
use super::surface::{Surface, SurfacePiece, changes};
use crate::{ConfigError, read};
use reasonix_store::{BlobKey, Blobs, write_atomic};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The version of both files; a larger one is not read.
const VERSION: u32 = 1;

/// The most of a text that is read back.
const LARGEST_TEXT: u64 = super::surface::SHOWN as u64;

/// One yes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    kind: String,
    name: String,
    place: String,
    pub(super) hash: String,
    #[serde(default)]
    parts: Vec<(String, String)>,
}

impl Entry {
    pub(super) fn of(surface: &Surface) -> Self {
        let parts = surface.parts.iter().map(|part| (part.label.clone(), part.hash.clone())).collect();
        let (kind, name) = (surface.kind.word().to_owned(), surface.name.clone());
        Self { kind, name, place: surface.place.clone(), hash: surface.hash.clone(), parts }
    }

    /// True when it is about this surface, in whatever state.
    pub(super) fn is(&self, surface: &Surface) -> bool {
        self.kind == surface.kind.word() && self.name == surface.name && self.place == surface.place
    }

    pub(super) fn changes_to(&self, now: &Surface, texts: &Blobs) -> Vec<SurfaceChange> {
        let old: Vec<_> = self.parts.iter().map(|(label, hash)| (label.as_str(), hash.as_str())).collect();
        let text = |hash: &str| {
            let bytes = texts.get(&BlobKey::from_hex(hash)?, LARGEST_TEXT).ok()?;
            String::from_utf8(bytes).ok()
        };
        changes(&old, now, &text)
    }
}

/// Everything the user said yes to.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Book {
    version: u32,
    #[serde(default)]
    roots: Vec<Root>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Root {
    path: String,
    surfaces: Vec<Entry>,
}

fn file(home: &Path) -> PathBuf {
    home.join("state").join("trust.toml")
}

/// Where the texts are kept, for showing differences.
pub(super) fn texts(home: &Path) -> Blobs {
    Blobs::at(&home.join("state").join("trust"))
}

pub(super) fn keep_texts(home: &Path, surfaces: &[Surface]) -> Result<(), ConfigError> {
    let blobs = texts(home);
    let shown = surfaces.iter().flat_map(|surface| &surface.parts).filter_map(|part: &SurfacePiece| part.text.as_ref());
    for text in shown {
        blobs.put(text.as_bytes()).map_err(|error| failed(&home.join("state").join("trust"), &error))?;
    }
    Ok(())
}

fn failed(path: &Path, error: &std::io::Error) -> ConfigError {
    ConfigError::Write { path: path.to_owned(), reason: error.to_string() }
}

fn parse<T: serde::de::DeserializeOwned>(path: &Path, text: &str) -> Result<T, ConfigError> {
    toml::from_str(text).map_err(|error: toml::de::Error| ConfigError::Syntax {
        path: path.to_owned(),
        line: error.span().map_or(1, |span| crate::lines::Lines::of(text).at(span.start)),
        message: error.message().replace('\n', ", "),
    })
}

fn newer(path: &Path, version: u32) -> Result<(), ConfigError> {
    if version <= VERSION {
        return Ok(());
    }
    let message = format!("version {version} is newer than this program's {VERSION}");
    Err(ConfigError::Syntax { path: path.to_owned(), line: 1, message })
}

impl Book {
    pub(super) fn read(home: &Path) -> Result<Self, ConfigError> {
        let path = file(home);
        let Some(text) = read::text(&path)? else { return Ok(Self { version: VERSION, roots: Vec::new() }) };
        let book: Self = parse(&path, &text)?;
        newer(&path, book.version)?;
        Ok(book)
    }

    /// Reads, changes and writes in one go.
    pub(super) fn change<T>(home: &Path, change: impl FnOnce(&mut Self) -> T) -> Result<T, ConfigError> {
        let path = file(home);
        let _alone = crate::write::alone(&path)?;
        let mut book = Self::read(home)?;
        let out = change(&mut book);
        let text = toml::to_string(&book)
            .map_err(|error| ConfigError::Write { path: path.clone(), reason: error.to_string() })?;
        write_atomic(&path, text.as_bytes(), 0o600).map_err(|error| failed(&path, &error))?;
        Ok(out)
    }

    /// The entries of exactly this root. One above it says nothing about it.
    pub(super) fn of(self, root: &Path) -> Vec<Entry> {
        let this = |known: &Root| Path::new(&known.path) == root;
        self.roots.into_iter().find(this).map(|root| root.surfaces).unwrap_or_default()
    }

    pub(super) fn set(&mut self, root: &Path, surfaces: Vec<Entry>) {
        self.forget(root);
        self.roots.push(Root { path: root.display().to_string(), surfaces });
    }

    pub(super) fn forget(&mut self, root: &Path) -> bool {
        let before = self.roots.len();
        self.roots.retain(|known| Path::new(&known.path) != root);
        self.roots.len() < before
    }
}

/// A lock file: hashes alone, so that a pipeline can be given exactly what was looked at.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Lock {
    version: u32,
    #[serde(default)]
    surfaces: Vec<Locked>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Locked {
    kind: String,
    name: String,
    place: String,
    hash: String,
}

impl Lock {
    /// The hashes of a lock file.
    pub(super) fn read(path: &Path) -> Result<Vec<String>, ConfigError> {
        let reason = crate::error::Unreadable::Absent;
        let absent = ConfigError::Read { path: path.to_owned(), reason };
        let text = read::text(path)?.ok_or(absent)?;
        let lock: Self = parse(path, &text)?;
        newer(path, lock.version)?;
        Ok(lock.surfaces.into_iter().map(|locked| locked.hash).collect())
    }

    pub(super) fn text(surfaces: &[Surface]) -> String {
        let locked = |surface: &Surface| Locked {
            kind: surface.kind.word().to_owned(),
            name: surface.name.clone(),
            place: surface.place.clone(),
            hash: surface.hash.clone(),
        };
        let surfaces = surfaces.iter().filter(|surface| surface.blocked.is_none()).map(locked).collect();
        toml::to_string(&Self { version: VERSION, surfaces }).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::Book;
    use std::path::PathBuf;

    #[test]
    fn no_yes_is_lost_however_many_are_given_at_once() {
        let home = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let home = home.path();
                scope.spawn(move || {
                    for number in 0..8 {
                        let root = PathBuf::from(format!("/work/{writer}/{number}"));
                        Book::change(home, |book| book.set(&root, Vec::new())).unwrap();
                    }
                });
            }
        });
        assert_eq!(Book::read(home.path()).unwrap().roots.len(), 64);
    }
}
