//! Whether a command failed because of the box, told by what it wrote, and what the model is to know about it.

use super::{Ended, Told};
use reasonix_exec::EndStatus;
use reasonix_proto::Phrase;

/// How much of the end of the output is looked at.
const LOOKED_AT: usize = 8 * 1024;
/// A file grew beyond its limit.
const TOO_LARGE: i32 = 25;
/// A system call was refused in a way that kills.
const BAD_CALL: i32 = 31;

/// What a failure in the box looks like, what to know about it, and the code of the same for people.
const DENIALS: &[(&[&str], &str, &str)] = &[
    (
        &[".lock': Read-only file system"],
        "git's own folder can only be read here: the workspace is a part of the repository, or the command is a job; to commit, \
         the user starts a session at the repository's root (reasonix -C ROOT)",
        "exec.denied_git",
    ),
    (
        &["Read-only file system", "os error 30", "EROFS"],
        "commands run in a sandbox: only the workspace, /tmp and a private home can be written, and files such as \
         .git/config and .git/hooks cannot be changed; the user can open more with sandbox.allow_write",
        "exec.denied_write",
    ),
    (
        &[
            "Could not resolve host",
            "Could not resolve proxy",
            "Temporary failure in name resolution",
            "Name or service not known",
            "Network is unreachable",
            "EAI_AGAIN",
            "ENETUNREACH",
            "ENOTFOUND",
            "failed to lookup address",
            "dial tcp: lookup",
        ],
        "commands run in a sandbox without network; the user can allow hosts with sandbox.allow_hosts, or everything with \
         sandbox.network = true",
        "exec.denied_network",
    ),
    (
        &["fork: retry", "Cannot fork", "cannot fork", "can't start new thread", "unable to create thread", "EAGAIN"],
        "commands may have only so many processes; the limit is sandbox.max_processes",
        "exec.denied_processes",
    ),
    (
        &["File size limit exceeded", "File too large", "EFBIG"],
        "files that commands write may have only so many bytes; the limit is sandbox.max_file_mb",
        "exec.denied_file_size",
    ),
    (
        &["Connection refused", "ECONNREFUSED", "os error 111", "t connect to server", "not connect to server"],
        "commands run in a sandbox: localhost is its own there; the user can allow ports of the machine with \
         sandbox.loopback",
        "exec.denied_loopback",
    ),
    (
        &["Operation not permitted", "EPERM", "os error 1)"],
        "commands run in a sandbox without privileges: no mounts, no namespaces, no ptrace, no raw sockets, no change of \
         owner",
        "exec.denied_privileges",
    ),
];

/// Programs that say by their code alone that they reached nobody, where they were told to be quiet, and what they say aloud.
const QUIET: &[(&str, i32, &str)] =
    &[("curl", 6, "Could not resolve host"), ("curl", 7, "Connection refused"), ("wget", 4, "Could not resolve host")];

/// What to say about a command that the box seems to have been in the way of.
pub(super) fn note(ended: &Ended, line: &str) -> Option<Told> {
    let (code, signal) = match ended.status {
        EndStatus::Exited(code) => (code, code - 128),
        EndStatus::Signalled(signal) => (128 + signal, signal),
        EndStatus::TimedOut | EndStatus::Cancelled | EndStatus::Bounded => return None,
    };
    match signal {
        TOO_LARGE => return by("File size limit exceeded"),
        BAD_CALL => return by("Operation not permitted"),
        _ => {}
    }
    if code == 0 { None } else { by(&ended.content).or_else(|| quietly(code, line)) }
}

fn quietly(code: i32, line: &str) -> Option<Told> {
    let named = |program: &str| line.split(|c: char| !c.is_alphanumeric()).any(|word| word == program);
    QUIET.iter().find(|(program, own, _)| *own == code && named(program)).and_then(|(.., aloud)| by(aloud))
}

fn by(content: &str) -> Option<Told> {
    // It stands near the end, if anywhere, and the output may be large.
    let from = content.len().saturating_sub(LOOKED_AT);
    let end = content.get(content.ceil_char_boundary(from)..).unwrap_or_default();
    let found = DENIALS.iter().find(|(signs, ..)| signs.iter().any(|sign| end.contains(sign)));
    found.map(|(_, note, code)| Told::new(note, Phrase { code: (*code).into(), args: Vec::new() }))
}

#[cfg(test)]
mod tests {
    use super::{by, quietly};

    #[test]
    fn what_was_denied_and_what_allows_it() {
        for (output, says) in [
            ("touch: cannot touch '/etc/x': Read-only file system\n", "sandbox.allow_write"),
            ("fatal: Unable to create '/r/.git/index.lock': Read-only file system\n", "at the repository's root"),
            ("curl: (6) Could not resolve host: example.com\n", "sandbox.allow_hosts"),
            ("bash: fork: retry: Resource temporarily unavailable\n", "sandbox.max_processes"),
            ("curl: (7) Failed to connect to localhost port 80: Connection refused\n", "sandbox.loopback"),
            (
                "curl: (7) Failed to connect to localhost port 80 after 0 ms: Couldn't connect to server\n",
                "sandbox.loopback",
            ),
            (
                "curl: (7) Failed to connect to localhost port 80 after 0 ms: Could not connect to server\n",
                "sandbox.loopback",
            ),
            ("mount: Operation not permitted\n", "privileges"),
            ("dd: error writing 'x': File too large\n", "sandbox.max_file_mb"),
        ] {
            let note = by(output).expect(output);
            assert!(note.model.contains(says), "{output}{note:?}");
            assert!(note.person.code.starts_with("exec.denied_"), "{note:?}");
        }
        for ordinary in ["", "error[E0308]: mismatched types\n", "1 failed\n", "Permission denied\n"] {
            assert_eq!(by(ordinary), None, "{ordinary}");
        }
        for (code, line, says) in [
            (6, "curl -s http://example.com", Some("sandbox.allow_hosts")),
            (7, "x=$(curl -sf localhost:80)", Some("sandbox.loopback")),
            (4, "wget -q http://example.com", Some("sandbox.allow_hosts")),
            (7, "./curly", None),
            (1, "curl -s x", None),
        ] {
            let note = quietly(code, line);
            assert_eq!(note.is_some(), says.is_some(), "{line}");
            assert!(says.is_none_or(|says| note.unwrap().model.contains(says)), "{line}");
        }
        let far = format!("Read-only file system\n{}", "x\n".repeat(10_000));
        assert_eq!(by(&far), None, "long before the end it is no reason for it");
    }
}
