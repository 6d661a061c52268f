//! Which session a terminal was last used for: two terminals in one folder each go on with their own.

use crate::sessions::Sessions;
use reasonix_proto::SessionId;
use std::path::{Path, PathBuf};

/// A crumb is never longer than this.
const LONGEST: u64 = 8 * 1024;

impl Sessions {
    /// Remembers that this terminal is used for this session. Best effort: without it the last session of the folder
    /// is the one to go on with.
    pub fn leave_crumb(&self, terminal: &str, cwd: &Path, session: &SessionId) {
        let path = self.crumb(terminal);
        let text = format!("{}\n{session}\n", cwd.display());
        let folder = path.parent().map_or(Ok(()), reasonix_store::private_folder);
        let _ = folder.and_then(|()| reasonix_store::place(&path, text.as_bytes(), 0o600));
    }

    /// The session that this terminal was last used for in this folder, if it is still there.
    pub fn crumb_of(&self, terminal: &str, cwd: &Path) -> Option<SessionId> {
        let path = self.crumb(terminal);
        let found = std::fs::symlink_metadata(&path).ok()?;
        let text = (found.is_file() && found.len() < LONGEST).then(|| std::fs::read_to_string(&path).ok()).flatten()?;
        let (folder, rest) = text.split_once('\n')?;
        let session = rest.trim();
        let there = Path::new(folder) == cwd && session.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let kept = || self.list().ok().is_some_and(|list| list.iter().any(|known| known.id.as_str() == session));
        (there && kept()).then(|| SessionId::from(session))
    }

    fn crumb(&self, terminal: &str) -> PathBuf {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let name: String = terminal.chars().map(plain).take(100).collect();
        let state = self.folder().parent().unwrap_or(Path::new("."));
        state.join("terminals").join(name)
    }
}
