//! The user's editor: their own program, on their own terminal.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The editor that the environment names.
pub(crate) fn editor_of(env: &BTreeMap<String, String>) -> Option<String> {
    let set = |name: &str| env.get(name).filter(|value| !value.trim().is_empty()).cloned();
    set("VISUAL").or_else(|| set("EDITOR"))
}

/// A text as the user leaves it in their editor; none when that failed.
pub(crate) fn edited(text: &str) -> Option<String> {
    let variable = |name: &str| Some((name.to_owned(), std::env::var(name).ok()?));
    let env = ["VISUAL", "EDITOR"].into_iter().filter_map(variable).collect();
    edit_with(editor_of(&env))(text)
}

/// Opens a text in an editor.
pub(crate) fn edit_with(editor: Option<String>) -> impl FnMut(&str) -> Option<String> + Send {
    move |text| {
        let name = format!("reasonix-{}.md", reasonix_proto::SessionId::fresh());
        let path = std::env::temp_dir().join(name);
        let edited = edit_file(editor.as_deref().unwrap_or("vi"), &path, text);
        let _ = std::fs::remove_file(&path);
        edited.ok()
    }
}

fn edit_file(editor: &str, path: &Path, text: &str) -> std::io::Result<String> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut file = std::fs::OpenOptions::new().create_new(true).write(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    let mut words = editor.split_whitespace();
    let program = PathBuf::from(words.next().unwrap_or("vi"));
    let status = std::process::Command::new(program).args(words).arg(path).status()?;
    if !status.success() {
        return Err(std::io::Error::other("the editor failed"));
    }
    std::fs::read_to_string(path)
}
