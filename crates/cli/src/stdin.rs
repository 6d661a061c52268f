//! The prompt from the command line and standard input.

use crate::say;
use reasonix_proto::{Level, Phrase, fenced, unhidden};
use std::io::{IsTerminal, Read};
use std::os::fd::AsFd;

/// More than this does not fit into any model's window.
const MOST: u64 = 4 * 1024 * 1024;

/// What to ask: the arguments, with standard input before them when something is piped in.
pub(crate) async fn prompt(words: &[String]) -> anyhow::Result<String> {
    let typed = words.join(" ");
    let only_stdin = typed.trim().is_empty() || typed.trim() == "-";
    let piped = if only_stdin || is_piped() { read().await? } else { String::new() };
    let prompt = match (only_stdin, piped.trim().is_empty()) {
        (true, false) => piped,
        (true, true) => return Err(say::usage(Phrase::new("cli.no_prompt"))),
        (false, true) => typed,
        (false, false) => format!("{}\n\n{typed}", fenced("stdin", &[], &unhidden(piped.trim_end()).text)),
    };
    Ok(prompt)
}

/// True when standard input is a pipe, a socket or a file: something that ends.
fn is_piped() -> bool {
    rustix::fs::fstat(std::io::stdin().as_fd()).is_ok_and(|stat| {
        use rustix::fs::FileType;
        matches!(FileType::from_raw_mode(stat.st_mode), FileType::Fifo | FileType::Socket | FileType::RegularFile)
    })
}

async fn read() -> anyhow::Result<String> {
    if std::io::stdin().is_terminal() {
        return Ok(String::new());
    }
    let mut reading = tokio::task::spawn_blocking(|| {
        let mut bytes = Vec::new();
        std::io::stdin().lock().take(MOST + 1).read_to_end(&mut bytes).map(|_| bytes)
    });
    let bytes = tokio::select! {
        bytes = &mut reading => bytes,
        () = tokio::time::sleep(std::time::Duration::from_secs(3)) => {
            // A pipe that nobody closes looks like a hang; say what is waited for.
            say::notice(Level::Info, &Phrase::new("cli.waiting_for_stdin"));
            reading.await
        }
    }??;
    if bytes.len() as u64 > MOST {
        return Err(say::usage(Phrase::new("cli.stdin_too_long").with("limit", MOST / 1024 / 1024)));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
