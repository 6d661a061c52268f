//! A picture out of the clipboard, through the program that this desktop has for it; none of them is needed.

use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A larger one is not taken.
const LARGEST: usize = 20 * 1024 * 1024;

/// The beginnings of files that are pictures, and the endings that go with them.
const KINDS: &[(&[u8], &str)] = &[(b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpg"), (b"GIF8", "gif")];

static COUNT: AtomicU32 = AtomicU32::new(0);

/// Puts the picture of the clipboard into a file that only the user reads; none when there is none. Blocking.
pub(crate) fn from_clipboard() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let mut ways: Vec<&[&str]> = Vec::new();
    if set("WAYLAND_DISPLAY") {
        ways.push(&["wl-paste", "--no-newline", "--type", "image/png"]);
    }
    if set("DISPLAY") {
        ways.push(&["xclip", "-selection", "clipboard", "-target", "image/png", "-out"]);
    }
    let bytes = ways.into_iter().find_map(printed)?;
    let (_, ending) = KINDS.iter().find(|(begins, _)| bytes.starts_with(begins))?;
    let path = std::env::temp_dir().join(format!("{}{}.{ending}", own(), COUNT.fetch_add(1, Ordering::Relaxed)));
    let mut file = std::fs::OpenOptions::new().create_new(true).write(true).mode(0o600).open(&path).ok()?;
    std::io::Write::write_all(&mut file, &bytes).ok()?;
    Some(path)
}

fn printed(words: &[&str]) -> Option<Vec<u8>> {
    let (program, arguments) = words.split_first()?;
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let fits = output.status.success() && !output.stdout.is_empty() && output.stdout.len() <= LARGEST;
    fits.then_some(output.stdout)
}

/// How the files of this process begin.
fn own() -> String {
    format!("reasonix-{}-", std::process::id())
}

/// Takes away what was put down: what was sent is kept with its session.
pub(crate) fn forget() {
    if COUNT.load(Ordering::Relaxed) == 0 {
        return;
    }
    let Ok(entries) = std::fs::read_dir(std::env::temp_dir()) else { return };
    let own = own();
    for entry in entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(&own)) {
        let _ = std::fs::remove_file(entry.path());
    }
}
