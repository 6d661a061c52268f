//! A folder of programs that write down how they were started and do nothing else.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// Programs that run unasked where no kernel holds them.
#[rustfmt::skip]
const READERS: &[&str] = &[
    "arch", "awk", "b2sum", "b3sum", "base32", "base64", "basename", "cat", "cksum", "cmp", "column", "comm", "cut", "date", "df", "diff", "dir", "dirname", "du", "egrep", "env", "expand", "expr", "factor", "fd", "fdfind", "fgrep", "file", "find", "fmt", "fold", "free", "gawk", "getconf", "git", "grep", "groups", "gsed", "hd", "head", "hexdump", "hostname", "id", "join", "jq", "locale", "ls", "lscpu", "mawk", "md5sum", "nl", "nproc", "od", "paste", "pgrep", "printenv", "ps", "readlink", "realpath", "rev", "rg", "sed", "seq", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "sleep", "sort", "stat", "strings", "tac", "tail", "tr", "tree", "tty", "uname", "unexpand", "uniq", "uptime", "w", "wc", "which", "who", "whoami", "xxd", "true", "false", "echo", "printf", "test", "pwd",
];

/// Programs that only tell about themselves.
#[rustfmt::skip]
const ABOUT: &[&str] = &[
    "bun", "cargo", "clang", "cmake", "deno", "docker", "g++", "gcc", "go", "java", "javac", "make", "node", "npm", "perl", "php", "pip", "pip3", "pnpm", "python", "python3", "ruby", "rustc", "rustup", "tsc", "uv", "yarn",
];

/// Programs that run others or change something.
#[rustfmt::skip]
const OTHERS: &[&str] = &[
    "7z", "apt", "ar", "at", "bc", "busybox", "bzip2", "chattr", "chgrp", "chmod", "chown", "cp", "crontab", "csh", "curl", "dash", "dc", "dd", "dpkg", "ed", "emacs", "ex", "fish", "flock", "ftp", "gdb", "gh", "gpg", "gzip", "install", "ip", "kill", "killall", "ksh", "ld", "less", "link", "ln", "logger", "lua", "m4", "mail", "man", "mkdir", "mkfifo", "mknod", "mktemp", "more", "mount", "mv", "nano", "nc", "ncat", "netcat", "nohup", "openssl", "parallel", "patch", "pkill", "rename", "rm", "rmdir", "rsync", "scp", "screen", "script", "sdiff", "setfattr", "setsid", "shred", "skill", "socat", "split", "sqlite3", "ssh", "strace", "su", "sudo", "sync", "systemctl", "tar", "tclsh", "tee", "telnet", "tmux", "touch", "truncate", "unlink", "unshare", "unzip", "vi", "vim", "watch", "wget", "xargs", "xz", "yes", "yq", "zip", "zsh", "evil.sh", "chroot", "taskset", "csplit", "vipe", "sponge", "update-alternatives", "ifconfig", "date2",
];

/// These are the real ones: what they start is written down.
const WRAPPERS: &[&str] = &["bash", "sh", "nice", "timeout", "ionice", "stdbuf"];

// A file for each process: bash writes a word with line ends in pieces, and two at once would stand within each other.
const STUB: &str = "#!/bin/bash\nprintf '%s\\0' \"$#\" \"${0##*/}\" \"$@\" >> LOG/$$\ncase ${0##*/} in cat|grep|sed|head|find|git) printf 'a.txt\\n-delete\\n';; esac\n";

/// A program that was started, and its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) name: String,
    pub(crate) args: Vec<String>,
}

impl Record {
    /// Whether the program is of the table; those that only tell about themselves only for that.
    pub(crate) fn is_reader(&self) -> bool {
        let about = matches!(&self.args[..], [word] if matches!(word.as_str(), "--version" | "-V" | "version"));
        READERS.contains(&&*self.name) || (ABOUT.contains(&&*self.name) && about)
    }
}

pub(crate) struct Stubs {
    pub(crate) folder: PathBuf,
    logs: PathBuf,
}

impl Stubs {
    /// Programs in one folder that write to files in another one.
    pub(crate) fn new(folder: &Path, logs: &Path) -> Self {
        fs::create_dir(folder).unwrap();
        fs::create_dir(logs).unwrap();
        let stub = folder.join("stub");
        fs::write(&stub, STUB.replace("LOG", &logs.display().to_string())).unwrap();
        fs::set_permissions(&stub, fs::Permissions::from_mode(0o755)).unwrap();
        for name in [READERS, ABOUT, OTHERS].concat() {
            symlink("stub", folder.join(name)).unwrap();
        }
        for name in WRAPPERS {
            let real = ["/bin", "/usr/bin"].iter().map(|at| Path::new(at).join(name)).find(|path| path.is_file());
            real.into_iter().for_each(|real| symlink(real, folder.join(name)).unwrap());
        }
        Self { folder: folder.to_owned(), logs: logs.to_owned() }
    }

    /// What was started since the last time.
    pub(crate) fn records(&self) -> Vec<Record> {
        let logs: Vec<PathBuf> = fs::read_dir(&self.logs).unwrap().map(|entry| entry.unwrap().path()).collect();
        logs.iter().flat_map(|log| taken(log)).collect()
    }
}

/// The records of one file, which is gone then.
fn taken(log: &Path) -> Vec<Record> {
    let text = fs::read(log).unwrap_or_default();
    let _ = fs::remove_file(log);
    let mut fields = text.split(|byte| *byte == 0).map(|field| String::from_utf8_lossy(field).into_owned());
    let mut all = Vec::new();
    while let Some(many) = fields.next().and_then(|field| field.parse::<usize>().ok()) {
        let Some(name) = fields.next() else { break };
        all.push(Record { name, args: fields.by_ref().take(many).collect() });
    }
    all
}
