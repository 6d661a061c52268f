//! The clipboard inside tmux, which lets no program's own sequence through unless it is told to: what is copied goes into its
//! buffer, and from there to the terminal around it.

use crate::context::Context;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long tmux may take, and how often it is looked.
const PATIENCE: Duration = Duration::from_secs(1);
const STEP: Duration = Duration::from_millis(5);

/// Gives texts to the tmux that this runs in; none where it does not.
pub(crate) fn clipboard(context: &Context) -> Option<reasonix_tui::Clipboard> {
    context.env.get("TMUX").filter(|value| !value.is_empty())?;
    // A folder of the project's in PATH brings no program that a key runs.
    let program = reasonix_exec::git::program_outside("tmux", context.root());
    // Versions before 3.2 have a buffer, and no way from it to the clipboard.
    Some(Box::new(move |text| load(&program, &["-w"], text) || load(&program, &[], text)))
}

fn load(program: &Path, how: &[&str], text: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("load-buffer").args(how).arg("-");
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = spawned else { return false };
    let Some(mut to) = child.stdin.take() else { return false };
    let text = text.to_owned();
    // Whoever does not read is not waited for.
    std::thread::spawn(move || to.write_all(text.as_bytes()));
    let until = Instant::now() + PATIENCE;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if Instant::now() < until => std::thread::sleep(STEP),
            _ => break,
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    false
}

#[cfg(test)]
mod tests {
    use super::load;
    use std::os::unix::fs::PermissionsExt;

    /// What tmux is given is the text, whole; one that knows no `-w` is asked without, and one that fails is told of.
    #[test]
    fn what_is_copied_reaches_the_buffer() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("tmux");
        let made = folder.path().join("buffer");
        let script = format!("#!/bin/sh\n[ \"$2\" = -w ] && exit 1\ncat > {}\n", made.display());
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        let text = "中文\n".repeat(100_000);
        assert!(!load(&program, &["-w"], &text));
        assert!(load(&program, &[], &text));
        assert_eq!(std::fs::read_to_string(made).unwrap(), text);
        assert!(!load(&folder.path().join("none"), &[], "x"));
    }
}
