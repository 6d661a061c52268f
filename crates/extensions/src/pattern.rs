//! Patterns for files.

use globset::{Glob, GlobBuilder};

/// Reads one. Without a folder in it, it means a file of that name anywhere, as `.gitignore` has it.
pub(crate) fn glob(text: &str) -> Result<Glob, globset::Error> {
    let bare = text.trim_start_matches("./").trim_start_matches('/');
    let whole = match bare {
        folder if folder.ends_with('/') => format!("{folder}**"),
        file if !file.contains('/') => format!("**/{file}"),
        path => path.to_owned(),
    };
    GlobBuilder::new(&whole).literal_separator(true).build()
}
