//! Moving something out of the way, by itself: no link is followed.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// Moves something out of the way; a link is moved itself.
pub(crate) fn move_aside(path: &Path, quarantine: &Path) -> io::Result<PathBuf> {
    fs::create_dir_all(quarantine)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let free = |number: &u32| !quarantine.join(format!("{number}-{name}")).exists();
    let number = (1..u32::MAX).find(free).unwrap_or_default();
    let kept = quarantine.join(format!("{number}-{name}"));
    if fs::rename(path, &kept).is_ok() {
        return Ok(kept);
    }
    // A folder that may not be written keeps what is in it, and itself where it is.
    for folder in path.parent().into_iter().chain([path]) {
        let _ = open(folder);
    }
    if fs::rename(path, &kept).is_err() {
        copy(path, &kept)?;
        if path.symlink_metadata()?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }?;
    }
    Ok(kept)
}

/// Lets the owner list and write a folder; a link is left alone.
fn open(folder: &Path) -> io::Result<()> {
    let meta = folder.symlink_metadata()?;
    if !meta.is_dir() {
        return Ok(());
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(meta.permissions().mode() | 0o700))
}

/// Copies without following links.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let meta = from.symlink_metadata()?;
    if meta.is_symlink() {
        return symlink(fs::read_link(from)?, to);
    }
    if !meta.is_dir() {
        return if meta.is_file() { fs::copy(from, to).map(drop) } else { Ok(()) };
    }
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}
