//! `[serve]`: the HTTP front end.

use crate::Secret;
use crate::view::View;

/// Settings of the HTTP front end.
#[derive(Debug, Clone, PartialEq)]
pub struct Serve {
    /// `none`, `token` or `password`.
    pub auth_mode: String,
    /// A fixed token.
    pub token: Option<Secret>,
    /// A bcrypt hash.
    pub password_hash: Option<Secret>,
    /// Forwarded headers are believed.
    pub behind_proxy: bool,
}

impl Default for Serve {
    fn default() -> Self {
        Self { auth_mode: "none".to_owned(), token: None, password_hash: None, behind_proxy: false }
    }
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> Serve {
    let secret = |key| view.text(key).filter(|text| !text.is_empty()).map(Secret::new);
    Serve {
        auth_mode: view.text("auth_mode").unwrap_or_else(|| Serve::default().auth_mode),
        token: secret("token"),
        password_hash: secret("password_hash"),
        behind_proxy: view.bool("behind_proxy").unwrap_or(false),
    }
}
