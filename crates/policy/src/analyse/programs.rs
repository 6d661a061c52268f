//! What is known about programs that run other programs, as data.

/// How a wrapper takes the command it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// As the words that follow.
    Words,
    /// As the words that follow, `NAME=value` before them.
    Assignments,
    /// As text for a shell, the words joined.
    Text,
    /// As the words that follow, with more that only its input knows.
    Input,
}

/// A program that runs another.
pub(super) struct Wrapper {
    pub(super) name: &'static str,
    /// Options that take the next word.
    pub(super) values: &'static [&'static str],
    /// Options that stand alone; `-*` for all others.
    pub(super) alone: &'static [&'static str],
    /// Words before the command that belong to the wrapper.
    pub(super) skip: usize,
    pub(super) takes: Takes,
}

const fn row(
    name: &'static str,
    values: &'static [&'static str],
    alone: &'static [&'static str],
    skip: usize,
    takes: Takes,
) -> Wrapper {
    Wrapper { name, values, alone, skip, takes }
}

/// Programs that run the command they are given. An option that is in neither list hides the command.
#[rustfmt::skip]
pub(super) const WRAPPERS: &[Wrapper] = &[
    row("builtin", &[], &[], 0, Takes::Words),
    row("busybox", &[], &[], 0, Takes::Words),
    row("chroot", &["-u", "-g", "--userspec", "--groups"], &["--skip-chdir"], 1, Takes::Words),
    row("chrt", &["-T", "-P", "-D"], &["-b", "-f", "-i", "-o", "-r", "-d", "-a", "-v"], 1, Takes::Words),
    row("command", &[], &["-p"], 0, Takes::Words),
    row("doas", &["-u", "-C", "-a"], &["-n", "-L"], 0, Takes::Words),
    row("env", &["-u", "--unset", "-C", "--chdir"], &["-i", "-", "--ignore-environment", "-0", "--null", "-v", "--debug"], 0, Takes::Assignments),
    row("exec", &["-a"], &["-c", "-l", "-cl"], 0, Takes::Words),
    row("fakeroot", &[], &[], 0, Takes::Words),
    row("flock", &["-w", "-E", "--timeout"], &["-n", "-s", "-x", "-e", "-o", "-F", "--nonblock", "--shared", "--exclusive"], 1, Takes::Words),
    row("ionice", &["-c", "-n", "--class", "--classdata"], &["-t"], 0, Takes::Words),
    row("ld-linux-x86-64.so.2", &["--library-path", "--preload", "--argv0"], &[], 0, Takes::Words),
    row("ltrace", &["-e", "-u", "-s", "-l"], &["-f", "-c", "-S", "-t", "-T", "-r"], 0, Takes::Words),
    row("nice", &["-n", "--adjustment"], &["-*"], 0, Takes::Words),
    row("nohup", &[], &[], 0, Takes::Words),
    row("parallel", &["-j", "--jobs", "-n", "-N", "--colsep", "--delay", "--timeout"], &["-k", "--keep-order", "-v", "--bar", "--progress", "--halt-on-error", "-0", "--null"], 0, Takes::Text),
    row("pkexec", &["--user"], &["--disable-internal-agent"], 0, Takes::Words),
    row("runuser", &["-u"], &[], 0, Takes::Words),
    row("setpriv", &["--reuid", "--regid", "--groups", "--inh-caps", "--bounding-set"], &["--no-new-privs", "--clear-groups", "--keep-groups", "--init-groups", "--reset-env"], 0, Takes::Words),
    row("setsid", &[], &["-c", "--ctty", "-f", "--fork", "-w", "--wait"], 0, Takes::Words),
    row("stdbuf", &["-i", "-o", "-e", "--input", "--output", "--error"], &["-*"], 0, Takes::Words),
    row("strace", &["-e", "-p", "-s", "-u", "-E", "-a", "-O", "-S", "-P"], &["-f", "-ff", "-c", "-C", "-q", "-qq", "-t", "-tt", "-T", "-r", "-v", "-x", "-y", "-yy"], 0, Takes::Words),
    row("sudo", &["-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "-R", "--user", "--group", "--host", "--prompt", "--chdir"], &["-n", "-E", "-H", "-S", "-k", "-b", "-A", "-B", "-P", "--non-interactive", "--preserve-env", "--set-home", "--stdin", "--background"], 0, Takes::Assignments),
    row("systemd-run", &["-p", "--property", "-u", "--unit", "--slice"], &["--user", "--scope", "--wait", "--pipe", "-P", "-q", "--quiet", "--collect", "-G"], 0, Takes::Words),
    row("taskset", &[], &["-a", "-c", "--cpu-list", "--all-tasks"], 1, Takes::Words),
    row("time", &["-f", "--format"], &["-p", "-v", "-a", "--verbose", "--portability"], 0, Takes::Assignments),
    row("timeout", &["-s", "--signal", "-k", "--kill-after"], &["--foreground", "--preserve-status", "-v", "--verbose", "-f", "-p"], 1, Takes::Words),
    row("unshare", &["-S", "-G", "--setuid", "--setgid", "--root", "--wd", "-R", "-w"], &["-r", "-m", "-u", "-i", "-n", "-p", "-U", "-C", "-T", "-f", "--fork", "--pid", "--mount", "--net", "--user", "--map-root-user", "--mount-proc", "--kill-child"], 0, Takes::Words),
    row("toybox", &[], &[], 0, Takes::Words),
    row("uvx", &["--from", "--with", "-p", "--python"], &["-q"], 0, Takes::Words),
    row("watch", &["-n", "--interval"], &["-d", "-t", "-g", "-e", "-b", "-c", "-p", "--differences", "--no-title", "--chgexit", "--errexit", "--color"], 0, Takes::Text),
    row("xargs", &["-a", "-d", "-E", "-I", "-L", "-n", "-P", "-s", "--arg-file", "--delimiter", "--max-args", "--max-procs", "--max-chars"], &["--max-lines", "--replace", "-0", "-r", "-t", "-p", "-x", "-o", "--null", "--no-run-if-empty", "--verbose", "--exit"], 0, Takes::Input),
    row("xvfb-run", &["-n", "-s", "--server-args", "--server-num"], &["-a", "--auto-servernum"], 0, Takes::Words),
];

/// Shells: they run text.
pub(super) const SHELLS: &[&str] = &["ash", "bash", "dash", "fish", "ksh", "mksh", "rbash", "sh", "zsh"];

/// Words of the shell's grammar; as a program they mean that the tree went wrong.
pub(super) const RESERVED: &[&str] = &[
    "!", "(", ")", "{", "}", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for",
    "function", "if", "in", "select", "then", "until", "while",
];

/// Builtins that evaluate subscripts in their arguments.
pub(super) const SUBSCRIPTS: &[&str] =
    &["[", "getopts", "let", "mapfile", "printf", "read", "readarray", "test", "wait"];

/// A program that can be given code, and the options that give it.
pub(super) struct Interpreter {
    pub(super) names: &'static [&'static str],
    /// Options with code; `*` when it always takes code.
    pub(super) flags: &'static [&'static str],
    /// True when it reads code from its input if no file is named.
    pub(super) input: bool,
}

const fn code(names: &'static [&'static str], flags: &'static [&'static str], input: bool) -> Interpreter {
    Interpreter { names, flags, input }
}

#[rustfmt::skip]
pub(super) const INTERPRETERS: &[Interpreter] = &[
    code(&["python", "pypy", "ipython", "micropython"], &["-c"], true),
    code(&["node", "nodejs", "bun", "tsx", "ts-node"], &["-e", "--eval", "-p", "--print", "--import", "--loader", "--experimental-loader"], true),
    code(&["deno"], &["eval", "repl"], false),
    code(&["perl"], &["-e", "-E", "-M", "-m"], true),
    code(&["ruby", "jruby"], &["-e"], true),
    code(&["php"], &["-r", "-R", "-B", "-E"], true),
    code(&["lua", "luajit"], &["-e"], true),
    code(&["Rscript", "R"], &["-e"], true),
    code(&["julia"], &["-e", "-E", "--eval", "--print"], true),
    code(&["elixir", "iex", "groovy", "scala", "ghc", "runghc", "osascript"], &["-e"], true),
    code(&["erl", "sbcl", "clisp", "guile", "racket"], &["-eval", "--eval", "-e", "-c"], true),
    code(&["tclsh", "wish", "expect"], &["-c"], true),
    code(&["pwsh", "powershell"], &["*"], true),
    code(&["vi", "vim", "nvim", "view", "ex", "emacs"], &["-c", "-S", "-s", "--cmd", "--eval", "-e", "-es", "-f", "--batch"], true),
    code(&["at", "batch"], &["-f"], false),
    code(&["ed", "dc", "crontab", "ssh", "gdb", "lldb", "osascript", "alias", "compgen", "complete", "enable", "bind"], &["*"], true),
    code(&["su", "script", "newgrp", "sg", "hyperfine", "entr", "nsenter", "tmux", "screen"], &["*"], true),
    code(&["tar", "bsdtar"], &["--checkpoint-action", "--to-command", "--use-compress-program", "-I", "--rsh-command", "--info-script", "--new-volume-script", "-F"], false),
    code(&["rg"], &["--pre", "--hostname-bin"], false),
    code(&["sort"], &["--compress-program"], false),
    code(&["zip"], &["-TT", "--unzip-command"], false),
    code(&["make", "gmake"], &["--eval", "-E"], false),
    code(&["man"], &["-P", "--pager", "-H", "--html"], false),
    code(&["less", "more"], &["-k", "--lesskey-file", "-o"], false),
    code(&["rsync"], &["-e", "--rsh", "--rsync-path"], false),
    code(&["scp", "sftp"], &["-o", "-S", "-F", "-D"], false),
    code(&["wget"], &["-e", "--execute", "--use-askpass"], false),
    code(&["gcc", "cc", "g++", "clang"], &["-wrapper"], false),
    code(&["git"], &["--exec-path", "--config-env", "--upload-pack", "--receive-pack", "--open-files-in-pager", "--ext-diff", "--extcmd"], false),
    code(&["fd", "fdfind"], &["-x", "-X", "--exec", "--exec-batch"], false),
    code(&["npx", "bunx", "pipx"], &["-c", "--call"], false),
];

/// Settings that `git -c` may change without running anything.
pub(super) const GIT_SETTINGS: &[&str] = &[
    "advice.",
    "color.",
    "commit.gpgsign=false",
    "core.pager=cat",
    "core.quotepath",
    "init.defaultbranch",
    "user.email",
    "user.name",
];
