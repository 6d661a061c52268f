//! Where bundles lie and what is written down of them.

use crate::say;
use reasonix_extensions::{BundleFile, BundlePins, bundles_folder};
use reasonix_proto::Phrase;
use reasonix_store::{Lock, private_folder, write_atomic};
use std::fs::DirBuilder;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

/// How long it is waited for another process that takes in a bundle.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) fn pins(home: &Path) -> anyhow::Result<BundlePins> {
    BundlePins::read(home).map_err(say::failed)
}

/// Reads, changes and writes the list in one go.
pub(super) fn change(home: &Path, change: impl FnOnce(BundlePins) -> BundlePins) -> anyhow::Result<()> {
    let file = BundlePins::file(home);
    private_folder(&bundles_folder(home)).map_err(|error| unwritable(&file, &error))?;
    let lock = file.with_file_name(".plugins.json.lock");
    let _alone = Lock::acquire(&lock, PATIENCE).map_err(|error| say::failed(writing(&file, error.to_string())))?;
    let text = change(pins(home)?).text();
    write_atomic(&file, text.as_bytes(), 0o600).map_err(|error| unwritable(&file, &error))
}

fn writing(path: &Path, reason: String) -> Phrase {
    reasonix_config::ConfigError::Write { path: path.to_owned(), reason }.phrase()
}

pub(crate) fn unwritable(path: &Path, error: &std::io::Error) -> anyhow::Error {
    say::failed(writing(path, error.to_string()))
}

/// Writes files that are not there yet below a folder, for the user alone; what could be executed still can.
pub(crate) fn write_files(folder: &Path, files: &[BundleFile]) -> std::io::Result<()> {
    for file in files {
        let path = folder.join(&file.path);
        let above = path.parent().unwrap_or(folder);
        DirBuilder::new().recursive(true).mode(0o700).create(above)?;
        let mode = if file.executable { 0o700 } else { 0o600 };
        let mut made = std::fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(&path)?;
        made.write_all(&file.bytes)?;
    }
    Ok(())
}
