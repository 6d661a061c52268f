//! A sign of life: while a turn works on files, a small file says when its process was last there. After a sudden death
//! it tells what the turn can have done from what came later.

use reasonix_store::private_folder;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How often the sign is given.
pub(crate) const EVERY: Duration = Duration::from_millis(250);

/// How long after the last sign the process may still have been there.
const SLACK: Duration = Duration::from_secs(1);

/// The sign of one session.
#[derive(Debug)]
pub(crate) struct Alive {
    path: PathBuf,
    file: Option<File>,
}

impl Alive {
    /// The sign of a session; touches nothing.
    pub(crate) fn of(home: &Path, session: &str) -> Self {
        Self { path: folder(home).join(session), file: None }
    }

    /// When the process that worked last was gone; none when it ended its turn, or nothing is known.
    pub(crate) fn gone_by(&self) -> Option<SystemTime> {
        let seen = self.path.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?.modified().ok()?;
        seen.checked_add(SLACK)
    }

    /// Gives the sign. Without it a killed turn only leaves more for a person to decide.
    pub(crate) fn give(&mut self) {
        if self.file.is_none() {
            self.file = self.begin().ok();
        }
        if let Some(file) = &self.file {
            let _ = file.set_modified(SystemTime::now());
        }
    }

    fn begin(&self) -> io::Result<File> {
        if let Some(folder) = self.path.parent() {
            private_folder(folder)?;
        }
        let mut options = File::options();
        std::os::unix::fs::OpenOptionsExt::mode(options.write(true).create(true).truncate(false), 0o600);
        options.open(&self.path)
    }

    /// The turn has come to its end.
    pub(crate) fn end(&mut self) {
        self.file = None;
        let _ = std::fs::remove_file(&self.path);
    }

    pub(crate) fn is_given(&self) -> bool {
        self.file.is_some()
    }
}

fn folder(home: &Path) -> PathBuf {
    home.join("state").join("undo").join("alive")
}

/// Removes the signs of sessions that are not among these.
pub(crate) fn forget_others(home: &Path, sessions: &[String]) {
    for entry in std::fs::read_dir(folder(home)).into_iter().flatten().flatten() {
        if !sessions.iter().any(|session| entry.file_name() == session.as_str()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
