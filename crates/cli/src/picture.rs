//! A picture out of the clipboard, through the program that this desktop has for it; none of them is needed.

use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A larger one is not taken.
const LARGEST: u64 = 20 * 1024 * 1024;
/// How long the clipboard is waited for, and how often it is looked.
const PATIENCE: Duration = Duration::from_secs(3);
const STEP: Duration = Duration::from_millis(10);

/// The beginnings of files that are pictures, and the endings that go with them.
const KINDS: &[(&[u8], &str)] = &[(b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpg"), (b"GIF8", "gif")];

static COUNT: AtomicU32 = AtomicU32::new(0);

/// Puts the picture of the clipboard into a file that only the user reads; none when there is none. `folder` is the one that is
/// worked in. Blocking.
pub(crate) fn from_clipboard(folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let mut ways: Vec<&[&str]> = Vec::new();
    if set("WAYLAND_DISPLAY") {
        ways.push(&["wl-paste", "--no-newline", "--type", "image/png"]);
    }
    if set("DISPLAY") {
        ways.push(&["xclip", "-selection", "clipboard", "-target", "image/png", "-out"]);
    }
    let bytes = ways.into_iter().find_map(|words| printed(words, &folder))?;
    let (_, ending) = KINDS.iter().find(|(begins, _)| bytes.starts_with(begins))?;
    let path = std::env::temp_dir().join(format!("{}{}.{ending}", own(), COUNT.fetch_add(1, Ordering::Relaxed)));
    let mut file = std::fs::OpenOptions::new().create_new(true).write(true).mode(0o600).open(&path).ok()?;
    std::io::Write::write_all(&mut file, &bytes).ok()?;
    Some(path)
}

fn printed(words: &[&str], folder: &Path) -> Option<Vec<u8>> {
    let (program, arguments) = words.split_first()?;
    // A folder of the project's in PATH brings no program that a key runs.
    let mut command = Command::new(reasonix_exec::git::program_outside(program, folder));
    let mut child =
        command.args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).stdout(Stdio::piped()).spawn().ok()?;
    let printed = child.stdout.take()?;
    // Whoever owns the clipboard may never answer: the program is not waited for longer, and its end is the end of the pipe.
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        printed.take(LARGEST + 1).read_to_end(&mut bytes).ok().map(|_| bytes)
    });
    let until = Instant::now() + PATIENCE;
    while !reader.is_finished() && Instant::now() < until {
        std::thread::sleep(STEP);
    }
    let late = !reader.is_finished();
    let _ = child.kill();
    let good = child.wait().is_ok_and(|status| status.success() || status.code().is_none());
    let bytes = if late { None } else { reader.join().ok().flatten() }?;
    (good && !bytes.is_empty() && bytes.len() as u64 <= LARGEST).then_some(bytes)
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
