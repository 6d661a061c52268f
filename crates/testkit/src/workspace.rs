//! A folder for one test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A temporary folder that is removed when it is dropped.
#[derive(Debug)]
pub struct TempWorkspace(tempfile::TempDir);

impl Default for TempWorkspace {
    fn default() -> Self {
        Self::new()
    }
}

impl TempWorkspace {
    /// An empty folder.
    pub fn new() -> Self {
        Self(tempfile::Builder::new().prefix("reasonix-test-").tempdir().expect("a temporary folder"))
    }

    /// The folder, symlinks resolved.
    pub fn path(&self) -> PathBuf {
        self.0.path().canonicalize().expect("the folder exists")
    }

    /// A path below the folder.
    pub fn join(&self, path: impl AsRef<Path>) -> PathBuf {
        self.path().join(path)
    }

    /// Writes a file, with the folders above it.
    pub fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders can be made");
        fs::write(&path, content).expect("the file can be written");
        path
    }

    /// The text of a file.
    pub fn read(&self, path: impl AsRef<Path>) -> String {
        let path = self.join(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
    }

    /// True when something is there.
    pub fn exists(&self, path: impl AsRef<Path>) -> bool {
        self.join(path).exists()
    }

    /// Makes it a git repository with everything in it committed; nothing of the user's git settings counts.
    pub fn git_init(&self) {
        self.git(&["init", "-q", "-b", "main"]);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "start"]);
    }

    /// Runs git in the folder and returns what it printed.
    pub fn git(&self, args: &[&str]) -> String {
        let output = Command::new("git")
            .current_dir(self.path())
            .args(["-c", "user.name=Test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"])
            .args(args)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .expect("git is installed");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?}: {errors}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::TempWorkspace;

    #[test]
    fn files_and_git() {
        let folder = TempWorkspace::new();
        folder.write("a/b.txt", "hello");
        folder.git_init();
        assert_eq!(folder.read("a/b.txt"), "hello");
        assert_eq!(folder.git(&["ls-files"]).trim(), "a/b.txt");
        assert!(folder.exists("a") && !folder.exists("c"));
    }
}
