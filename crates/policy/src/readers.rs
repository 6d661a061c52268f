//! Programs that only read, as data: what is not in the tables is not known to be one. The table here is wide, for lines
//! that a kernel holds to it; the one in `exact` is for all others.

mod exact;
mod listing;
mod options;

pub(crate) use exact::is_exact;
pub(crate) use listing::only_options;

use crate::effects::{Effects, Simple, Word, WordKind};
use reasonix_proto::ReadOnly;

/// What makes a program a reader.
enum Reads {
    /// Whatever its arguments are.
    Always,
    /// Without these options; every word must be known.
    Without(&'static [&'static str]),
    /// Without this option; other words may be whatever they are.
    Unless(&'static str),
    /// With at most so many operands, and without these options.
    Operands(usize, &'static [&'static str]),
    /// With one of these as its only argument.
    Only(&'static [&'static str]),
    /// With the options of the narrow table alone.
    Exact,
    /// With words that this finds harmless.
    By(fn(&Simple) -> bool),
}

use Reads::{Always, By, Exact, Only, Operands, Unless, Without};

const VERSION: Reads = Only(&["--version", "-V", "-v", "version", "--help", "-h"]);

#[rustfmt::skip]
const READERS: &[(&[&str], Reads)] = &[
    (&["cat", "head", "tail", "wc", "pwd", "echo", "true", "false", ":", "whoami", "id", "groups", "uname", "nproc"], Always),
    (&["arch"], Operands(0, &[])),
    (&["basename", "dirname", "realpath", "readlink", "stat", "du", "df", "nl", "cut", "tr", "comm", "cmp", "paste", "fold"], Always),
    (&["rev", "tac", "seq", "sleep", "md5sum", "sha1sum", "sha256sum", "sha512sum", "b2sum", "b3sum", "cksum", "od", "hexdump"], Always),
    (&["strings", "grep", "egrep", "fgrep", "ls", "dir", "expr", "diff", "which", "type", "printenv", "uptime", "free", "lscpu"], Always),
    (&["ps", "who", "w", "locale", "getconf", "tty", "cal", "factor", "column", "expand", "unexpand", "fmt", "jq", "join"], Always),
    (&["cd", "pushd", "popd", "dirs", "exit", "return", "break", "continue", "shift", "times", "test", "[", "command"], Always),
    (&["date", "hostname", "uniq", "xxd"], Exact),
    (&["printf"], By(listing::prints)),
    // What they set is looked at apart: a name that programs look at alters the line.
    (&["read", "mapfile", "readarray"], Always),
    (&["set", "shopt"], By(listing::only_options)),
    (&["tar", "bsdtar", "unzip", "jar", "ar", "7z", "7za", "7zr", "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd", "dpkg", "rpm", "apt",
       "apt-cache", "pip", "pip3", "npm", "rustup", "rustc", "go", "top", "man", "bat", "batcat", "tput", "ulimit"], By(listing::lists)),
    (&["zipinfo", "zstdcat", "lzcat", "zegrep", "zfgrep", "xzgrep", "bzgrep", "dpkg-query", "lsblk", "findmnt", "netstat", "lsb_release", "vmstat", "iostat", "tokei",
       "eza", "exa", "lsd", "yes", "help"], Always),
    (&["ss"], Without(&["-K", "--kill", "-D", "--diag", "-F", "--filter"])),
    (&["jobs"], Without(&["-x"])),
    (&["umask", "alias"], Operands(0, &[])),
    (&["iconv", "scc"], Without(&["-o", "--output"])),
    (&["xmllint"], Without(&["-o", "--output", "--shell", "--loaddtd", "--catalogs"])),
    (&["base64", "base32"], Without(&["-o", "--output"])),
    (&["pgrep", "pidof", "numfmt", "lsof", "ldd", "nm", "objdump", "readelf", "size", "zcat", "xzcat", "bzcat", "zgrep", "pr", "tsort"], Always),
    (&["shuf"], Without(&["-o", "--output"])),
    (&["wait"], Unless("-p")),
    (&["less", "more"], Without(&["-o", "-O", "--log-file", "--LOG-FILE", "-k", "--lesskey-file", "--lesskey-src", "--lesskey-content"])),
    (&["file"], Without(&["-C", "--compile"])),
    (&["sort"], Without(&["-o", "--output", "--compress-program", "-T"])),
    (&["tree"], Without(&["-o", "-R", "--output"])),
    (&["yq"], Without(&["-i", "--inplace", "--in-place", "-s", "--split-exp", "--split-exp-file", "--security-enable-system-operator"])),
    (&["rg"], Without(&["--pre", "--hostname-bin"])),
    (&["fd", "fdfind"], Without(&["-x", "-X", "--exec", "--exec-batch"])),
    (&["find"], Without(&["-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls"])),
    (&["sed", "gsed"], Without(&["-i", "--in-place", "-f", "--file", "-s"])),
    (&["awk", "gawk", "mawk"], Without(&["-i", "-f", "-l", "-E", "--file", "--include", "--load"])),
    (&["env"], Operands(0, &[])),
    (&["cargo", "rustc", "rustup", "node", "npm", "pnpm", "yarn", "python", "python3", "pip", "pip3", "ruby", "java", "javac", "gcc",
       "g++", "clang", "make", "cmake", "docker", "deno", "bun", "perl", "php", "bash", "tsc", "uv", "ruff", "mypy", "pytest", "black",
       "eslint", "prettier", "kubectl", "helm", "terraform", "gh", "dotnet", "swift", "ghc", "mvn", "gradle", "ninja", "meson", "bazel",
       "curl", "wget", "psql", "sqlite3", "podman", "poetry", "pipenv", "conda", "tox", "flake8", "pylint", "pyright", "jest", "vitest",
       "bundle", "gem", "rake", "composer", "lua", "R", "julia", "elixir", "mix", "zig", "ocaml", "opam", "clang-format", "clang-tidy",
       "gdb", "lldb", "valgrind", "strace", "openssl", "rsync", "tar", "tmux", "vim", "nvim", "jq", "rg", "fd"], VERSION),
    (&["go"], Only(&["version", "env", "help"])),
];

/// Subcommands of git that only read, with the options that change that.
#[rustfmt::skip]
const GIT: &[(&str, Reads)] = &[
    ("status", Always), ("rev-parse", Always), ("ls-files", Always), ("ls-tree", Always), ("describe", Always), ("rev-list", Always),
    ("merge-base", Always), ("name-rev", Always), ("for-each-ref", Always), ("count-objects", Always), ("check-ignore", Always),
    ("show-ref", Always), ("version", Always), ("--version", Operands(0, &[])), ("remote get-url", Always), ("shortlog", Without(&["--output"])), ("cat-file", Without(&["--textconv", "--filters"])),
    ("log", Without(&["--output", "--ext-diff"])), ("diff", Without(&["--output", "--ext-diff"])),
    ("show", Without(&["--output", "--ext-diff"])), ("diff-tree", Without(&["--output", "--ext-diff"])),
    ("blame", Always), ("grep", Without(&["-O", "--open-files-in-pager"])), ("whatchanged", Without(&["--output", "--ext-diff"])),
    ("branch", Operands(0, &["-d", "-D", "-m", "-M", "-c", "-C", "-u", "--delete", "--move", "--copy", "--set-upstream-to",
        "--unset-upstream", "--edit-description", "--force", "-f"])),
    ("fsck", Without(&["--lost-found"])), ("help", Without(&["-w", "--web", "-i", "--info"])), ("notes", Operands(0, &[])), ("symbolic-ref", Operands(1, &["-d", "--delete", "-m"])),
    ("check-ref-format", Always), ("patch-id", Always), ("verify-pack", Always), ("sparse-checkout list", Always), ("bundle verify", Always), ("bundle list-heads", Always),
    ("tag", Operands(0, &["-d", "--delete", "-a", "-s", "-m", "-f"])),
    ("tag -l", Without(&["-d", "--delete", "-a", "-s", "-m", "-f", "-F", "-u"])), ("tag --list", Without(&["-d", "--delete", "-a", "-s", "-m", "-f", "-F", "-u"])),
    ("remote", Operands(0, &[])), ("stash list", Without(&["--output", "--ext-diff"])), ("stash show", Without(&["--output", "--ext-diff"])), ("worktree list", Always), ("submodule status", Always),
    ("cherry", Always), ("check-attr", Always), ("check-mailmap", Always), ("range-diff", Without(&["--output", "--ext-diff"])),
    ("show-branch", Always), ("diff-files", Without(&["--output", "--ext-diff"])), ("diff-index", Without(&["--output", "--ext-diff"])),
    ("submodule", Operands(0, &[])), ("config get", Always), ("config list", Always), ("config --show-origin", Operands(1, &[])),
    ("config --get-all", Operands(1, &[])), ("config --get-regexp", Operands(1, &[])), ("config", Operands(1, &["-e", "--edit", "--unset", "--unset-all",
        "--remove-section", "--rename-section", "--add", "--replace-all"])), ("column", Always), ("var", Without(&[])), ("notes list", Always),
    ("notes show", Always), ("bisect log", Always),
    ("reflog", Operands(0, &["--output", "--ext-diff"])), ("config --get", Always), ("config --list", Always), ("config -l", Always), ("remote -v", Operands(0, &[])),
];

/// Wrappers that add nothing of their own.
const WRAPPERS: &[&str] =
    &["time", "timeout", "nice", "ionice", "stdbuf", "xargs", "command", "builtin", "env", "bash", "sh"];

/// Programs that certainly write.
const WRITERS: &[&str] = &[
    "chgrp", "chmod", "chown", "cp", "dd", "install", "ln", "mkdir", "mkfifo", "mktemp", "mv", "patch", "rm", "rmdir",
    "shred", "split", "tee", "touch", "truncate", "unlink",
];

/// True for a program that writes the files it is given and finds no code in them.
pub(crate) fn only_writes(program: &str) -> bool {
    WRITERS.contains(&program)
}

/// True for a program of these tables that runs none of its words: not those that only tell something about themselves.
pub(crate) fn is_listed(program: &str) -> bool {
    let reads = |(names, reads): &(&[&str], Reads)| names.contains(&program) && !matches!(reads, Only(_));
    !WRAPPERS.contains(&program) && (WRITERS.contains(&program) || READERS.iter().any(reads))
}

/// Whether a line can change anything.
pub(crate) fn read_only(effects: &Effects) -> ReadOnly {
    let writes = effects.commands.iter().any(|simple| WRITERS.contains(&simple.program()));
    if writes || !effects.writes.is_empty() {
        return ReadOnly::No;
    }
    let clear = effects.hidden.is_none() && !effects.interprets && !effects.alters;
    if clear && effects.commands.iter().all(|simple| is_reader(simple) || runs_readers(simple)) {
        ReadOnly::Yes
    } else {
        ReadOnly::Unknown
    }
}

/// True for a `find` that only runs programs, which stand in the list too and are judged apart.
fn runs_readers(simple: &Simple) -> bool {
    let runs = |word: &Word| matches!(word.text.as_str(), "-exec" | "-execdir");
    let words = simple.words.iter().filter(|word| !runs(word)).cloned().collect();
    simple.program() == "find" && simple.args().iter().any(runs) && is_reader(&Simple { words, ..simple.clone() })
}

/// True when the command certainly only reads. What a wrapper runs is judged apart.
pub(crate) fn is_reader(simple: &Simple) -> bool {
    let program = simple.program();
    if !simple.words.first().is_some_and(Word::is_fixed) || is_local(simple) {
        return false;
    }
    if simple.wraps {
        return WRAPPERS.contains(&program);
    }
    if program == "git" {
        return reads_git(simple);
    }
    READERS.iter().any(|(names, reads)| names.contains(&program) && fits(reads, simple))
}

/// A program by a path is only trusted when the path is the system's.
fn is_local(simple: &Simple) -> bool {
    let program = simple.words.first().map_or("", |word| word.text.as_str());
    program.contains('/')
        && !["/bin/", "/usr/bin/"].iter().any(|folder| program.strip_prefix(folder) == Some(simple.program()))
}

fn fits(reads: &Reads, simple: &Simple) -> bool {
    // A word that only the shell knows may turn out to be any option.
    let open = simple.args().iter().take_while(|word| word.text != "--").count();
    let may_be_option = |word: &Word| word.kind == WordKind::Pattern && word.text.starts_with(['*', '?', '[', '-']);
    let known = simple.args().iter().all(|word| word.kind <= WordKind::Pattern)
        && !simple.args().iter().take(open).any(may_be_option);
    let lacks = |flags: &[&str]| !flags.iter().any(|flag| has(simple, flag));
    match reads {
        Always => true,
        Unless(flag) => lacks(&[*flag]),
        Without(flags) => known && lacks(flags),
        Operands(most, flags) => known && lacks(flags) && simple.operands().len() <= *most,
        Exact => known && exact::fits(simple),
        By(reads) => reads(simple),
        Only(words) => matches!(simple.args(), [word] if word.is_fixed() && words.contains(&word.text.as_str())),
    }
}

/// An option; those of `find` and the like are whole words with one dash.
fn has(simple: &Simple, flag: &str) -> bool {
    if flag.len() > 2 && !flag.starts_with("--") {
        return simple.args().iter().any(|word| word.text == flag);
    }
    simple.has(flag)
}

fn reads_git(simple: &Simple) -> bool {
    let Some(bare) = without_git_options(simple) else { return false };
    let text = bare.args().iter().map(|word| word.text.as_str()).take(2).collect::<Vec<_>>().join(" ");
    if lists_branches(&bare) {
        return true;
    }
    GIT.iter().any(|(sub, reads)| {
        let words = sub.split(' ').count();
        let named = text == *sub || text.strip_prefix(sub).is_some_and(|rest| rest.starts_with(' '));
        named && {
            let rest = bare.words.iter().take(1).chain(bare.words.iter().skip(1 + words)).cloned().collect();
            fits(reads, &Simple { words: rest, ..bare.clone() })
        }
    })
}

/// `git branch` with an option by which it lists; the other words are patterns and commits then.
fn lists_branches(bare: &Simple) -> bool {
    const LISTS: &[&str] = &["--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"];
    const CHANGES: &[&str] = &[
        "-d",
        "-D",
        "-m",
        "-M",
        "-c",
        "-C",
        "-u",
        "-f",
        "--delete",
        "--move",
        "--copy",
        "--force",
        "--set-upstream-to",
        "--unset-upstream",
        "--edit-description",
        "--create-reflog",
    ];
    let (Some(sub), args) = (bare.args().first(), bare.args().get(1..).unwrap_or_default()) else { return false };
    let named = |word: &Word| LISTS.contains(&word.text.split('=').next().unwrap_or_default());
    sub.text == "branch" && args.iter().take_while(|word| word.text != "--").any(named) && fits(&Without(CHANGES), bare)
}

/// `git -C x --no-pager log` as `git log`; none when a global option is not known.
pub(crate) fn without_git_options(simple: &Simple) -> Option<Simple> {
    let mut rest = simple.args();
    while let Some((word, more)) = rest.split_first() {
        match word.text.as_str() {
            "-C" | "--git-dir" | "--work-tree" | "--namespace" | "-c" => rest = more.get(1..).unwrap_or_default(),
            "--no-pager" | "-P" | "--no-optional-locks" | "--literal-pathspecs" | "--bare" | "-p" | "--paginate" => {
                rest = more
            }
            text if text.starts_with("--git-dir=") || text.starts_with("--work-tree=") => rest = more,
            "--version" | "--help" => break,
            text if text.starts_with('-') || !word.is_fixed() => return None,
            _ => break,
        }
    }
    let words = simple.words.iter().take(1).chain(rest).cloned().collect();
    Some(Simple { words, ..simple.clone() })
}

impl Effects {
    /// True when every command of an understood line only reads by its exact options: what runs unasked where no kernel
    /// holds it.
    pub fn reads_surely(&self) -> bool {
        let clear = self.hidden.is_none() && !self.interprets && !self.assigns && !self.alters;
        // A line without a word is none that could do something.
        let nothing = self.commands.is_empty() && self.open.trim().is_empty();
        clear && self.writes.is_empty() && (nothing || self.understood) && self.commands.iter().all(is_exact)
    }
}
