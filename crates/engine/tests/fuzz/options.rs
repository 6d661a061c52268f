//! Plain lines of programs that may be readers, with options by chance: whole ones, clusters, shortened ones, values that look
//! like options. Nothing is hidden in them; the question is what the programs make of their words.

use super::Chance;

#[rustfmt::skip]
const PROGRAMS: &[&str] = &[
    "cat", "head", "tail", "wc", "id", "uname", "basename", "realpath", "readlink", "stat", "du", "df", "nl", "cut", "tr", "comm", "cmp", "paste", "fold", "tac", "seq", "md5sum", "sha256sum", "b2sum", "cksum", "od", "hexdump", "strings", "base64", "grep", "ls", "diff", "which", "type", "printenv", "env", "hostname", "uptime", "free", "lscpu", "ps", "who", "w", "pgrep", "locale", "getconf", "expand", "fmt", "column", "join", "file", "sort", "sort", "sort", "uniq", "uniq", "tree", "jq", "rg", "fd", "date", "date", "xxd", "xxd", "go", "make", "python3", "node", "bash", "sh -c", "echo", "printf", "test", "expr", "command", "command -v", "cd", "nice", "timeout 1", "stdbuf -oL", "ionice", "sed", "sed -n", "awk", "yq", "find", "find .", "factor", "rev", "arch", "tty", "sleep 0 ;", "true", "exit",
    "git log", "git diff", "git show", "git status", "git branch", "git tag", "git remote", "git stash list", "git stash show", "git reflog", "git config --get", "git config --list", "git config", "git grep", "git blame", "git ls-files", "git rev-parse", "git cat-file", "git describe", "git shortlog", "git diff-tree", "git for-each-ref", "git archive", "git worktree list", "git rev-list", "git ls-tree", "git -P log", "git --no-pager diff", "git whatchanged", "git show-ref", "git check-ignore", "git name-rev", "git merge-base", "git count-objects", "git version", "git help", "git bisect", "git notes", "git",
];
#[rustfmt::skip]
const LONG: &[&str] = &[
    "output", "output-directory", "output-indicator-new", "compress-program", "temporary-directory", "files0-from", "in-place", "file", "expression", "exec", "pre", "hostname-bin", "ext-diff", "textconv", "filters", "open-files-in-pager", "set", "reference", "compile", "magic-file", "check", "delete", "move", "copy", "force", "edit-description", "set-upstream-to", "list", "format", "show-signature", "pretty", "paginate", "exec-path", "git-dir", "work-tree", "config-env", "no-index", "follow", "pid", "retry", "color", "version", "help", "help-all", "all", "from-file", "to-file", "rawfile", "slurpfile", "from-file=a.txt", "args", "zero", "null", "sort", "key", "batch-size", "parallel", "debug", "include", "exclude", "exclude-from", "sandbox", "posix", "regexp", "quiet", "stat", "patch", "word-diff", "output-fields", "body-numbering", "ignore-revs-file", "contents", "stdin", "batch", "batch-command", "unset", "replace-all", "add", "get", "get-all", "get-regexp", "rename-section", "remove-section", "type", "global", "local", "system", "path", "blob", "default", "create-reflog", "track", "annotate", "sign", "message", "points-at", "merged", "cleanup", "orphan", "cached", "staged", "relative", "color-words", "submodule", "prompt", "init-file", "rcfile", "dump-strings", "block-size", "time-style", "dired", "hyperlink", "recursive", "split-string", "chdir", "ignore-environment", "unset=X", "default-signal", "argv0",
];
const VALUES: &[&str] = &[
    "CANARY",
    "./evil.sh",
    "a.txt",
    "'touch CANARY'",
    "1",
    "-o",
    "-",
    "''",
    "%G?",
    "HEAD",
    "'1e touch CANARY'",
    "%s",
    "now",
    "'./evil.sh x'",
    "x",
    ".",
];
#[rustfmt::skip]
const OPERANDS: &[&str] = &[
    "a.txt", "b.txt", "-", "--", "CANARY", "src", "''", "HEAD", "'x y'", "src/*.rs", "./*", "hostile/*", "./evil.sh", "HEAD~1", "a.txt b.txt", "+%F", "main", "user.name", "x", "1", "a b", "'.'", "'s/a/b/'", "'w CANARY'", "'1e touch CANARY'", "'BEGIN{system(\"touch CANARY\")}'", "'{print > \"CANARY\"}'", "'$ENV'", "drop", "clear", "show", "list", "expire", "delete", "create", "user.x y", "link", "./link", "run", "evil.sh", "'*.txt'", "[ab].txt", "a?txt", "010100002030", "'input(\"x\")'", "touch CANARY", "'a[$(touch CANARY)]'", "!", "=", "a=b", "-eq 'x[$(touch CANARY)]'",
];
const BETWEEN: &[&str] = &[" | ", " && ", " || ", "; ", "\n", " |& "];
const ENDS: &[&str] = &[
    "",
    "",
    "",
    " 2>/dev/null",
    " >/dev/null 2>&1",
    " < a.txt",
    " 2>&1",
    " >& /dev/null",
    " &>/dev/null",
    " </dev/null",
    " 1>&2",
    " < link",
    " > CANARY",
    " 2> CANARY",
    " >>/dev/null",
];

/// One plain command, or a few.
pub(crate) fn line(chance: &mut Chance) -> String {
    let mut text = command(chance);
    while chance.one_in(5) {
        text.push_str(chance.pick(BETWEEN));
        text.push_str(&command(chance));
    }
    text
}

fn command(chance: &mut Chance) -> String {
    let mut text = chance.pick(PROGRAMS).to_owned();
    for _ in 0..=chance.below(4) {
        text.push(' ');
        let word = match chance.below(8) {
            0 | 1 => letters(chance),
            2 => format!("{}{}", letters(chance), chance.pick(VALUES)),
            3 | 4 => long(chance),
            _ => chance.pick(OPERANDS).to_owned(),
        };
        text.push_str(&word);
    }
    text.push_str(chance.pick(ENDS));
    text
}

fn letters(chance: &mut Chance) -> String {
    const ALL: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let many = 1 + chance.below(3);
    let letters = (0..many).map(|_| char::from(ALL[chance.below(ALL.len())]));
    format!("-{}", letters.collect::<String>())
}

fn long(chance: &mut Chance) -> String {
    let whole = chance.pick(LONG);
    let name = if chance.one_in(3) { &whole[..1 + chance.below(whole.len())] } else { whole };
    match chance.below(4) {
        0 => format!("--{name}={}", chance.pick(VALUES)),
        1 => format!("--{name} {}", chance.pick(VALUES)),
        2 => format!("--no-{name}"),
        _ => format!("--{name}"),
    }
}
