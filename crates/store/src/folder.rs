//! Folders that only their owner can enter.

use std::fs::{DirBuilder, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;

/// Makes a folder, and what is missing above it, with mode 0700.
///
/// A folder that is already there must be a real folder of this user: a symlink or another user's folder that was
/// planted at the place is refused. A mode that lets others in is tightened.
pub fn private_folder(path: &Path) -> io::Result<()> {
    match DirBuilder::new().recursive(true).mode(0o700).create(path) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    let found = std::fs::symlink_metadata(path)?;
    if !found.is_dir() {
        return Err(refused(path, "it is a symlink or not a folder"));
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(refused(path, "it belongs to another user"));
    }
    if found.mode() & 0o077 != 0 {
        std::fs::set_permissions(path, Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Whether something can be made in a folder, or in what is there of the way to it, as far as the system tells without
/// making anything.
pub fn may_write(path: &Path) -> io::Result<()> {
    let there = path.ancestors().find(|folder| folder.symlink_metadata().is_ok()).unwrap_or(path);
    Ok(rustix::fs::access(there, rustix::fs::Access::WRITE_OK)?)
}

fn refused(path: &Path, why: &str) -> io::Error {
    io::Error::new(ErrorKind::PermissionDenied, format!("{}: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::private_folder;
    use std::io::ErrorKind;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn made_for_the_owner_alone_all_the_way() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a/b");
        private_folder(&path).unwrap();
        for made in [root.path().join("a"), path.clone()] {
            assert_eq!(std::fs::metadata(made).unwrap().permissions().mode() & 0o777, 0o700);
        }
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        private_folder(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700, "tightened");
    }

    #[test]
    fn a_planted_symlink_or_file_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let elsewhere = root.path().join("elsewhere");
        std::fs::create_dir(&elsewhere).unwrap();
        let link = root.path().join("link");
        std::os::unix::fs::symlink(&elsewhere, &link).unwrap();
        assert_eq!(private_folder(&link).unwrap_err().kind(), ErrorKind::PermissionDenied);
        let file = root.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert_eq!(private_folder(&file).unwrap_err().kind(), ErrorKind::PermissionDenied);
    }
}
