//! What git would execute, as bytes that can be kept on disk while a command runs.

use super::{Surface, Surfaces};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

impl Surfaces {
    /// As bytes. Of more than `most` in all only the paths are kept: a command that changes such a file is not found out,
    /// but the files are those that the user has, and no command makes them more.
    pub(crate) fn packed(&self, most: usize) -> Option<Vec<u8>> {
        let mut left = most;
        let mut keep = |surface: &Surface| match left.checked_sub(surface.size()) {
            Some(rest) => {
                left = rest;
                surface.clone()
            }
            None => Surface::Unkept,
        };
        let all: Vec<(&[u8], Surface)> =
            self.0.iter().map(|(path, surface)| (path.as_os_str().as_bytes(), keep(surface))).collect();
        postcard::to_allocvec(&all).ok()
    }

    /// From bytes; none where they are no such thing.
    pub(crate) fn unpacked(bytes: &[u8]) -> Option<Self> {
        let all: Vec<(Vec<u8>, Surface)> = postcard::from_bytes(bytes).ok()?;
        let path = |bytes: Vec<u8>| PathBuf::from(OsString::from_vec(bytes));
        Some(Self(all.into_iter().map(|(bytes, surface)| (path(bytes), surface)).collect()))
    }
}

impl Surface {
    fn size(&self) -> usize {
        match self {
            Self::Settings { runs, bytes, .. } => bytes.len() + runs.iter().map(|(_, told)| told.len()).sum::<usize>(),
            Self::File { bytes, .. } => bytes.len(),
            Self::Whole(told) => told.len(),
            Self::Unkept => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Surfaces;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_is_packed_compares_as_before_and_is_bounded() {
        let [root, quarantine] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let root = root.path().canonicalize().unwrap();
        let hook = root.join(".git/hooks/pre-commit");
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        fs::write(root.join(".git/config"), "[core]\n\tfsmonitor = mine\n").unwrap();
        fs::write(&hook, "mine").unwrap();
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
        let seen = || Surfaces::within(std::slice::from_ref(&root), None).surfaces;
        let before = seen();
        assert_eq!(Surfaces::unpacked(&before.packed(1000).unwrap()), Some(before.clone()));
        assert_eq!(Surfaces::unpacked(b"\xff\xff"), None);
        let few = Surfaces::unpacked(&before.packed(0).unwrap()).unwrap();
        assert_eq!(seen().set_aside_since(&few, quarantine.path()), [], "what the user has stays");
        fs::write(root.join(".git/config.worktree"), "[core]\n\tpager = evil\n").unwrap();
        assert_eq!(seen().set_aside_since(&few, quarantine.path()).len(), 1, "what is new does not");
    }
}
