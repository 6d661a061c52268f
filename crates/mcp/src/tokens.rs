//! What a login gave, on disk: one file a server and address, which only its owner can read.

use rmcp::transport::auth::{AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// More than this is no token.
const LARGEST: u64 = 256 * 1024;
/// How long one session waits for another that is at the same login: longer than a request of a login may take.
const PATIENCE: Duration = Duration::from_secs(40);
/// How often it looks.
const BETWEEN: Duration = Duration::from_millis(50);

/// The file of one server at one address: another address is another server, and does not get its token.
#[derive(Debug, Clone)]
pub(crate) struct TokenFile {
    path: PathBuf,
}

/// What the file has.
#[derive(Default, Serialize, Deserialize)]
struct Kept {
    #[serde(default)]
    credentials: Option<StoredCredentials>,
    /// The secret that came with a registration of ours.
    #[serde(default)]
    client_secret: Option<String>,
    /// The challenge of a request for which the scopes did not suffice.
    #[serde(default)]
    wants: Option<String>,
}

impl TokenFile {
    pub(crate) fn of(folder: &Path, server: &str, url: &str) -> Self {
        let hash = blake3::hash(format!("{server}\n{url}").as_bytes()).to_hex();
        let short: String = hash.as_str().chars().take(24).collect();
        let plain: String = server.chars().filter(char::is_ascii_alphanumeric).take(24).collect();
        Self { path: folder.join(format!("{plain}-{short}.json")) }
    }

    pub(crate) fn exists(&self) -> bool {
        self.path.exists()
    }

    /// The secret of a client that we registered.
    pub(crate) fn client_secret(&self) -> Option<String> {
        self.read().client_secret
    }

    /// The scopes that were granted, and the challenge of a request for which they did not suffice.
    pub(crate) fn scopes(&self) -> (Vec<String>, Option<String>) {
        let kept = self.read();
        (kept.credentials.map(|credentials| credentials.granted_scopes).unwrap_or_default(), kept.wants)
    }

    /// Begins anew with a client; what was granted to another one does not count for it, and stays until this one has
    /// something.
    pub(crate) fn anew(self, client_secret: Option<String>) -> NewLogin {
        NewLogin { file: self, client_secret }
    }

    /// Keeps what a request wanted, for the next login.
    pub(crate) fn wants(&self, challenge: &str) {
        if self.exists()
            && let Ok(Some(_held)) = self.hold()
        {
            // Whoever logs in without it is asked for it again.
            let _ = self.write(&Kept { wants: Some(challenge.to_owned()), ..self.read() });
        }
    }

    /// Takes away what a login gave; false where there was nothing.
    pub(crate) fn forget(&self) -> io::Result<bool> {
        if !self.exists() {
            return Ok(false);
        }
        // What another session is about to write would be there again.
        let Some(_held) = self.hold()? else {
            return Err(io::Error::new(io::ErrorKind::WouldBlock, "another session is at this login; try again"));
        };
        fs::remove_file(&self.path).map(|()| true)
    }

    /// Holds the file against every other session that changes it; none where another one does.
    fn hold(&self) -> io::Result<Option<fs::File>> {
        let path = self.path.with_extension("lock");
        let file = fs::OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }

    fn read(&self) -> Kept {
        let text = || -> io::Result<String> {
            let mut text = String::new();
            fs::File::open(&self.path)?.take(LARGEST).read_to_string(&mut text)?;
            Ok(text)
        };
        text().ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Replaces the file in one step; nobody else can read it at any moment.
    fn write(&self, kept: &Kept) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let new = self.path.with_extension(format!("{}.new", std::process::id()));
        let _ = fs::remove_file(&new);
        let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        file.write_all(serde_json::to_string(kept)?.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, &self.path)
    }
}

#[async_trait::async_trait]
impl CredentialStore for TokenFile {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        Ok(self.read().credentials)
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let kept = Kept { credentials: Some(credentials), wants: None, ..self.read() };
        self.write(&kept).map_err(|error| unkept(&error))
    }

    async fn clear(&self) -> Result<(), AuthError> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unkept(&error)),
            _ => Ok(()),
        }
    }

    /// A refresh token is good once: whoever comes second waits, and reads what the first was given.
    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        let until = tokio::time::Instant::now() + PATIENCE;
        loop {
            if let Some(held) = self.hold().map_err(|error| unkept(&error))? {
                return Ok(Some(CredentialRefreshGuard::new(held)));
            }
            if tokio::time::Instant::now() >= until {
                let reason = format!("another session has been at the login for {} s", PATIENCE.as_secs());
                return Err(AuthError::CredentialStoreError(reason));
            }
            tokio::time::sleep(BETWEEN).await;
        }
    }
}

fn unkept(error: &io::Error) -> AuthError {
    AuthError::CredentialStoreError(error.to_string())
}

/// A login that is being made. Nothing of an earlier one is touched before it is.
pub(crate) struct NewLogin {
    file: TokenFile,
    client_secret: Option<String>,
}

#[async_trait::async_trait]
impl CredentialStore for NewLogin {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        Ok(None)
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let kept = Kept { credentials: Some(credentials), client_secret: self.client_secret.clone(), wants: None };
        self.file.write(&kept).map_err(|error| unkept(&error))
    }

    async fn clear(&self) -> Result<(), AuthError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Kept, TokenFile};

    #[test]
    fn a_login_that_another_session_is_at_is_not_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        let file = TokenFile::of(folder.path(), "s", "https://h/mcp");
        file.write(&Kept::default()).unwrap();
        let held = file.hold().unwrap().unwrap();
        let refused = file.forget().unwrap_err();
        assert_eq!((refused.kind(), file.exists()), (std::io::ErrorKind::WouldBlock, true));
        drop(held);
        assert!(file.forget().unwrap() && !file.exists());
        assert!(!file.forget().unwrap(), "there is nothing any more");
    }
}
