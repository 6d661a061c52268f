//! The catalogue of models that the user brought in, in the user's own folder: read whole, or not at all.

use crate::{ConfigError, Unreadable, read};
use reasonix_catalogue::{Catalogue, CatalogueFile, CatalogueFlaw};
use reasonix_store::{private_folder, write_atomic};
use std::path::{Path, PathBuf};

/// Where it is kept.
pub fn catalogue_path(home: &Path) -> PathBuf {
    home.join("catalogue.json")
}

/// What is kept there; none where nothing was brought in.
pub fn kept_catalogue(home: &Path) -> Result<Option<CatalogueFile>, ConfigError> {
    let path = catalogue_path(home);
    read::text(&path)?.map(|text| parse(&path, &text)).transpose()
}

/// Reads a catalogue and keeps it in place of the one before. What cannot be used replaces nothing; one that is older than
/// what is built in would not be used, and is none.
pub fn bring_catalogue(home: &Path, file: &Path) -> Result<CatalogueFile, ConfigError> {
    let absent = || ConfigError::Read { path: file.to_owned(), reason: Unreadable::Absent };
    let text = read::text(file)?.ok_or_else(absent)?;
    let brought = parse(file, &text)?;
    if Catalogue::with(brought.clone()).brought().is_none() {
        return Err(ConfigError::OldCatalogue { path: file.to_owned(), dated: brought.dated });
    }
    let path = catalogue_path(home);
    let fail = |error: std::io::Error| ConfigError::Write { path: path.clone(), reason: error.to_string() };
    private_folder(home).map_err(fail)?;
    write_atomic(&path, text.as_bytes(), 0o600).map_err(fail)?;
    Ok(brought)
}

/// Takes it away again; false where there was none.
pub fn remove_catalogue(home: &Path) -> Result<bool, ConfigError> {
    let path = catalogue_path(home);
    match std::fs::remove_file(&path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(ConfigError::Write { path, reason: error.to_string() }),
    }
}

fn parse(path: &Path, text: &str) -> Result<CatalogueFile, ConfigError> {
    let newer = |version| ConfigError::NewerCatalogue { path: path.to_owned(), version };
    // What a newer form has beside it is no error of the file.
    let version = |value: &serde_json::Value| value.get("catalogue").and_then(serde_json::Value::as_u64);
    if let Some(version) = serde_json::from_str(text).ok().as_ref().and_then(version)
        && version > u64::from(reasonix_catalogue::CATALOGUE_VERSION)
    {
        return Err(newer(version));
    }
    let file: CatalogueFile = serde_json::from_str(text).map_err(|error| ConfigError::Syntax {
        path: path.to_owned(),
        line: u32::try_from(error.line()).unwrap_or(u32::MAX),
        message: error.to_string(),
    })?;
    match file.flaw() {
        None => Ok(file),
        Some(CatalogueFlaw::Newer(version)) => Err(newer(version.into())),
        Some(CatalogueFlaw::Value(what)) => Err(ConfigError::CatalogueValue { path: path.to_owned(), what }),
    }
}
