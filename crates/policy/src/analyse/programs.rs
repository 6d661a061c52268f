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
    row("ld.so", &["--library-path", "--preload", "--argv0", "--audit", "--inhibit-rpath", "--glibc-hwcaps-prepend", "--glibc-hwcaps-mask"], &["--inhibit-cache"], 0, Takes::Words),
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

/// The row that stands for every name of the program that loads others.
pub(super) const LOADER: &str = "ld.so";

/// Programs that run what some of their words say, with the subcommands that do so; none for always.
#[rustfmt::skip]
pub(super) const RUNNERS: &[(&str, &[&str])] = &[
    ("accelerate", &["launch"]), ("apptainer", &["exec", "run", "shell"]), ("aws-vault", &["exec"]), ("autossh", &[]), ("box64", &[]), ("buildah", &["run"]), ("cabal", &["exec"]), ("chamber", &["exec"]), ("chronic", &[]), ("crictl", &["exec"]),
    ("doppler", &["run"]), ("dune", &["exec"]), ("env_parallel", &[]), ("envchain", &[]), ("execlineb", &[]), ("flamegraph", &[]), ("flox", &["activate"]), ("gamemoderun", &[]), ("gprofng", &["collect"]), ("gtime", &[]), ("guix", &["shell", "environment"]), ("ifne", &[]),
    ("incus", &["exec"]), ("infisical", &["run"]), ("limactl", &["shell"]), ("lxc", &["exec"]), ("lxc-attach", &[]), ("lxc-execute", &[]), ("minijail0", &[]), ("multipass", &["exec"]), ("multitime", &[]), ("nerdctl", &["run", "exec"]), ("nsjail", &[]), ("nsys", &["profile"]), ("oc", &["exec", "rsh", "run", "debug"]),
    ("opam", &["exec"]), ("pasta", &[]), ("pee", &[]), ("pixi", &["run", "exec"]), ("py-spy", &["record", "top"]), ("qemu-aarch64", &[]), ("qemu-x86_64", &[]), ("retry", &[]), ("rootlesskit", &[]), ("rye", &["run"]), ("samply", &["record"]), ("sandbox-exec", &[]), ("sem", &[]), ("singularity", &["exec", "run", "shell"]),
    ("sops", &["exec-env", "exec-file"]), ("sshpass", &[]), ("stack", &["exec", "runghc", "runhaskell", "script", "ghc", "eval"]), ("steam-run", &[]), ("teller", &["run"]), ("timelimit", &[]), ("torchrun", &[]), ("uftrace", &["record", "live"]), ("xe", &[]), ("xjobs", &[]),
    ("arch-chroot", &[]), ("asdf", &["exec"]), ("bubblewrap", &[]), ("bundle", &["exec"]), ("bwrap", &[]), ("bun", &["x"]), ("caffeinate", &[]),
    ("capsh", &[]), ("catchsegv", &[]), ("cgexec", &[]), ("chpst", &[]), ("choom", &[]), ("composer", &["exec"]), ("conda", &["run"]),
    ("concurrently", &[]), ("container-run", &[]), ("coreutils", &[]), ("cpulimit", &[]), ("cross-env", &[]), ("cross-env-shell", &[]), ("daemonize", &[]), ("dbus-launch", &[]),
    ("dbus-run-session", &[]), ("devbox", &["run"]), ("direnv", &["exec"]), ("distrobox", &["enter"]), ("docker", &["run", "exec"]),
    ("docker-compose", &["run", "exec"]), ("dotenv", &[]), ("dumb-init", &[]), ("eatmydata", &[]), ("entr", &[]), ("envdir", &[]), ("expect", &[]), ("faketime", &[]),
    ("fakechroot", &[]), ("firejail", &[]), ("foreman", &["run"]), ("gdbserver", &[]), ("gosu", &[]), ("hatch", &["run", "shell"]), ("heaptrack", &[]), ("heroku", &["run"]),
    ("hyperfine", &[]), ("i386", &[]), ("inotifywait", &[]), ("ip", &["exec"]), ("jexec", &[]), ("keychain", &[]), ("kubectl", &["exec", "debug", "run"]), ("kubie", &["exec"]),
    ("linux32", &[]), ("linux64", &[]), ("logsave", &[]), ("machinectl", &["shell"]), ("mamba", &["run"]), ("micromamba", &["run"]), ("mise", &["exec", "x"]), ("mpirun", &[]), ("mpiexec", &[]),
    ("nix", &["run", "shell", "develop"]), ("nix-shell", &[]), ("nodemon", &[]), ("npm", &["exec", "x"]), ("npx", &[]), ("bunx", &[]), ("nsenter", &[]), ("numactl", &[]), ("nvm", &["exec", "run"]),
    ("op", &["run"]), ("pdm", &["run"]), ("perf", &["stat", "record", "trace", "mem", "c2c", "kvm", "lock", "sched", "ftrace", "timechart"]), ("pipenv", &["run"]), ("pipx", &["run"]),
    ("pnpm", &["exec", "dlx"]), ("pnpx", &[]), ("podman", &["run", "exec"]), ("poetry", &["run"]), ("prlimit", &[]), ("proot", &[]), ("proxychains", &[]), ("proxychains4", &[]), ("rbenv", &["exec"]),
    ("pyenv", &["exec"]), ("rr", &[]), ("runcon", &[]), ("run-parts", &[]), ("runsv", &[]), ("rustup", &["run"]), ("s6-setuidgid", &[]), ("schroot", &[]), ("scl", &["enable"]), ("setarch", &[]), ("setuidgid", &[]), ("softlimit", &[]), ("srun", &[]),
    ("ssh-agent", &[]), ("start-stop-daemon", &[]), ("su-exec", &[]), ("systemd-cat", &[]), ("systemd-inhibit", &[]), ("systemd-nspawn", &[]), ("tini", &[]), ("toolbox", &["run"]), ("torsocks", &[]), ("torify", &[]), ("tsocks", &[]),
    ("uname26", &[]), ("unbuffer", &[]), ("uv", &["run", "x"]), ("vagrant", &["ssh"]), ("valgrind", &[]), ("vlock", &[]), ("watchexec", &[]), ("watchman-make", &[]), ("wine", &[]), ("x86_64", &[]), ("yarn", &["exec", "dlx"]), ("zsh-exec", &[]),
];

/// Those of them that run exactly the words behind the subcommand, where no option stands first.
pub(super) const EXACT_RUNNERS: &[&str] = &[
    "asdf", "bun", "bundle", "bunx", "npm", "npx", "pdm", "pipenv", "pipx", "pnpm", "pnpx", "poetry", "rbenv", "uv",
    "yarn",
];

/// Shells: they run text.
pub(super) const SHELLS: &[&str] = &["ash", "bash", "dash", "fish", "ksh", "mksh", "rbash", "sh", "zsh"];

/// Programs that start a shell, or run what they read, where no program is named.
pub(super) const SHELL_STARTERS: &[&str] = &[
    "arch-chroot",
    "chroot",
    "fakechroot",
    "fakeroot",
    "firejail",
    "flox",
    "guix",
    "i386",
    "linux32",
    "linux64",
    "nix",
    "nix-shell",
    "parallel",
    "proot",
    "schroot",
    "setarch",
    "systemd-nspawn",
    "uname26",
    "unshare",
    "x86_64",
];

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
    code(&["node", "nodejs", "bun", "tsx", "ts-node"], &["-e", "--eval", "-p", "--print", "-r", "--require", "--import", "--loader", "--experimental-loader", "--env-file", "--run"], true),
    code(&["deno"], &["eval", "repl"], false),
    code(&["crystal"], &["eval"], false),
    code(&["java", "javaw"], &["-XX:OnError", "-XX:OnOutOfMemoryError", "-javaagent", "-agentpath", "-agentlib"], true),
    code(&["perl"], &["-e", "-E", "-M", "-m", "-x", "-d"], true),
    code(&["ruby", "jruby", "irb"], &["-e", "-r", "-x"], true),
    code(&["rake"], &["-e", "-E", "-p", "-r", "--execute", "--execute-print", "--execute-continue", "--require"], false),
    code(&["php"], &["-r", "-R", "-B", "-E", "-d", "-z", "-c", "--run", "--define", "--process-code"], true),
    code(&["lua", "luajit", "texlua"], &["-e", "-l"], true),
    code(&["Rscript", "R"], &["-e"], true),
    code(&["julia"], &["-e", "-E", "-L", "--eval", "--print", "--load"], true),
    code(&["elixir", "iex", "groovy", "scala", "ghc", "runghc", "osascript", "kotlin", "jrunscript", "gjs", "nu", "xonsh", "escript", "clojure", "clj", "bb"], &["-e", "-c", "-f", "-r", "-i", "--eval", "-M", "-X"], true),
    code(&["octave", "octave-cli", "maxima", "gp", "sage", "scilab", "ghci", "ocaml", "utop", "jshell"], &["--eval", "-e", "-f", "--batch-string", "-c"], true),
    code(&["swipl", "gprolog", "yap"], &["-g", "-t", "-f", "-s", "--goal"], true),
    code(&["gnuplot"], &["-e", "-c"], true),
    code(&["erl", "sbcl", "clisp", "guile", "racket", "ecl", "chicken-csi", "csi"], &["-eval", "--eval", "-e", "-c", "-run", "-s"], true),
    code(&["tclsh", "wish", "expect"], &["-c"], true),
    code(&["pwsh", "powershell"], &["*"], true),
    code(&["vi", "vim", "nvim", "view", "ex", "emacs", "vimdiff", "rvim", "rview", "gvim", "gview", "gvimdiff", "evim", "nvimdiff", "vimx", "emacsclient"], &["-c", "-S", "-s", "-u", "-W", "-w", "--cmd", "--eval", "-e", "-es", "-f", "-l", "--batch", "--load", "--script"], true),
    code(&["kak", "hx", "helix", "micro", "nano", "pico", "joe", "mcedit", "jed", "ne"], &["-e", "-E", "-f", "-c", "-s", "--config", "--rcfile", "-startup"], false),
    code(&["at", "batch"], &["-f"], false),
    code(&["ed", "red", "dc", "crontab", "ssh", "gdb", "lldb", "osascript", "alias", "compgen", "complete", "enable", "bind", "m4", "xmacro", "xdotool"], &["*"], true),
    code(&["su", "script", "newgrp", "sg", "hyperfine", "entr", "nsenter", "tmux", "screen", "socat", "byobu", "zellij", "dtach", "abduco", "ttyrec", "asciinema"], &["*"], true),
    code(&["sqlite3", "sqlite", "psql", "mysql", "mariadb", "duckdb", "sqlplus", "clickhouse", "clickhouse-client", "cqlsh", "usql", "mycli", "pgcli", "litecli"], &["*"], true),
    code(&["mongosh", "mongo"], &["--eval", "-f", "--shell"], true),
    code(&["redis-cli", "valkey-cli"], &["--eval", "--pipe", "-x"], false),
    code(&["tar", "bsdtar", "gtar"], &["--checkpoint-action", "--to-command", "--use-compress-program", "-I", "--rsh-command", "--rmt-command", "--info-script", "--new-volume-script", "-F"], false),
    code(&["cpio"], &["--rsh-command", "--to-stdout-command"], false),
    code(&["rg"], &["--pre", "--hostname-bin"], false),
    code(&["ag", "ack", "ack-grep", "bat", "batcat", "delta"], &["--pager"], false),
    code(&["fzf", "sk"], &["--preview", "--bind", "--with-shell", "--listen", "--cmd", "-c"], false),
    code(&["sort"], &["--compress-program"], false),
    code(&["split"], &["--filter"], false),
    code(&["diff3"], &["--diff-program"], false),
    code(&["sdiff"], &["--diff-program"], false),
    code(&["zip"], &["-TT", "--unzip-command"], false),
    code(&["make", "gmake"], &["--eval", "-E"], false),
    code(&["cmake"], &["-P", "-E", "--script"], false),
    code(&["man"], &["-P", "--pager", "-H", "--html", "-C", "--config-file"], false),
    code(&["less", "more"], &["-k", "--lesskey-file", "-o", "--lesskey-content", "--lesskey-src"], false),
    code(&["rsync"], &["-e", "--rsh", "--rsync-path", "--outbuf-program"], false),
    code(&["scp", "sftp"], &["-o", "-S", "-F", "-D"], false),
    code(&["wget"], &["-e", "--execute", "--use-askpass", "--config"], false),
    code(&["curl"], &["-K", "--config"], false),
    code(&["ncat"], &["-c", "-e", "--sh-exec", "--exec", "--lua-exec"], false),
    code(&["nc", "netcat", "nc.traditional", "nc.openbsd"], &["-c", "-e"], false),
    code(&["tcpdump"], &["-z"], false),
    code(&["apt", "apt-get", "aptitude", "apt-cache"], &["-o", "--option", "-c", "--config-file"], false),
    code(&["dpkg"], &["--pre-invoke", "--post-invoke", "--status-logger"], false),
    code(&["rpm", "rpmbuild", "rpmspec"], &["--eval", "-E", "--define", "-D", "--pipe", "--load", "--macros", "--rcfile"], false),
    code(&["hg"], &["--config", "--config-file"], false),
    code(&["svn"], &["--config-option", "--config-dir", "--diff-cmd", "--editor-cmd"], false),
    code(&["gcc", "cc", "g++", "c++", "clang", "clang++", "gfortran"], &["-wrapper", "-specs", "-fplugin", "-load", "-B"], false),
    code(&["rustc", "rustdoc"], &["-C", "--codegen", "--test-runtool", "--runtool"], false),
    code(&["ld", "gold", "lld", "mold"], &["-plugin", "--plugin", "--run"], false),
    code(&["cargo"], &["--config", "-Z"], false),
    code(&["go"], &["-exec", "-toolexec", "-vettool", "-overlay"], false),
    code(&["npm", "pnpm", "yarn"], &["--script-shell", "--shell", "--node-options", "--call", "--userconfig", "--globalconfig", "--init-module", "--scripts-prepend-node-path", "--shell-emulator", "--editor", "--viewer", "--browser", "--git"], false),
    code(&["pylint", "epylint"], &["--init-hook", "--load-plugins", "--rcfile"], false),
    code(&["gradle", "gradlew"], &["-I", "--init-script"], false),
    code(&["just"], &["--command", "-c", "--shell", "--shell-arg", "--shell-command"], false),
    code(&["nodemon", "watchexec", "cargo-watch", "chokidar", "onchange"], &["*"], false),
    code(&["openssl"], &["-engine", "-provider", "-provider-path"], false),
    code(&["xmllint"], &["--shell"], true),
    code(&["git"], &["--exec-path", "--config-env", "--upload-pack", "--receive-pack", "--open-files-in-pager", "--ext-diff", "--extcmd", "--exec", "--template", "--upload-archive", "--smtp-server", "--sendmail-cmd", "--to-cmd", "--cc-cmd"], false),
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
