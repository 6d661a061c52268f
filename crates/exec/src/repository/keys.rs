//! Which settings of git make it run a program, or lead it to another file that could. One table; what it does not know is
//! judged by its words, and counts when in doubt.

use super::alias::is_plain_alias;
use super::settings::Setting;

/// What follows from a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Meaning {
    /// Nothing that runs.
    Nothing,
    /// A program is run, in some command of git.
    Runs,
    /// A program is run only by a name that the user types.
    RunsByName,
    /// Another file is read as settings.
    Includes,
    /// Hooks are looked for elsewhere.
    Hooks,
    /// The files of the repository are elsewhere.
    Worktree,
}

/// Settings whose value is a program, by section and key; whatever the section is called besides.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("core", &["sshcommand", "pager", "editor", "askpass", "gitproxy", "alternaterefscommand", "virtualfilesystem"]),
    ("diff", &["external", "command", "textconv"]),
    ("filter", &["clean", "smudge", "process"]),
    ("merge", &["driver"]),
    ("mergetool", &["cmd", "path"]),
    ("difftool", &["cmd", "path"]),
    ("gpg", &["program", "defaultkeycommand"]),
    ("sequence", &["editor"]),
    ("interactive", &["difffilter"]),
    ("web", &["browser"]),
    ("help", &["browser"]),
    ("browser", &["cmd", "path"]),
    ("man", &["cmd", "path"]),
    ("remote", &["uploadpack", "receivepack", "vcs"]),
    ("uploadpack", &["packobjectshook"]),
    ("init", &["templatedir"]),
    ("tar", &["command"]),
    ("trailer", &["command", "cmd"]),
    ("sendemail", &["tocmd", "cccmd", "headercmd", "sendmailcmd", "smtpserver"]),
    ("imap", &["tunnel"]),
    ("guitool", &["cmd"]),
    ("instaweb", &["browser", "httpd"]),
    ("hook", &["command"]),
    ("svn", &["authorsprog"]),
    ("lfs", &["path", "clean", "smudge", "standalonetransferagent"]),
];

/// Sections of git and of everyday tools in which nothing else runs.
const SECTIONS: &[&str] = &[
    "add",
    "advice",
    "am",
    "apply",
    "attr",
    "author",
    "blame",
    "branch",
    "bundle",
    "checkout",
    "clean",
    "clone",
    "color",
    "column",
    "commit",
    "committer",
    "completion",
    "core",
    "credential",
    "diff",
    "difftool",
    "extensions",
    "feature",
    "fetch",
    "filter",
    "format",
    "fsck",
    "fsmonitor",
    "gc",
    "gitflow",
    "gpg",
    "grep",
    "gui",
    "hasconfig",
    "help",
    "http",
    "i18n",
    "index",
    "init",
    "interactive",
    "lfs",
    "log",
    "lsrefs",
    "mailinfo",
    "mailmap",
    "maintenance",
    "man",
    "merge",
    "mergetool",
    "notes",
    "pack",
    "pretty",
    "promisor",
    "pull",
    "push",
    "rebase",
    "receive",
    "reftable",
    "remote",
    "remotes",
    "repack",
    "rerere",
    "revert",
    "safe",
    "sendemail",
    "sendpack",
    "showbranch",
    "sparse",
    "splitindex",
    "ssh",
    "stash",
    "status",
    "submodule",
    "tag",
    "tar",
    "trace2",
    "trailer",
    "transfer",
    "uploadarchive",
    "uploadpack",
    "url",
    "user",
    "versionsort",
    "web",
    "worktree",
];

/// Ends of keys that mean a program in every section.
const NAMED: &[&str] = &["hook", "cmd", "command", "program", "helper"];

/// Words in keys of other sections that mean a program.
const TELLING: &[&str] = &[
    "agent", "browser", "cmd", "command", "convert", "driver", "editor", "exec", "external", "filter", "helper",
    "hook", "pager", "path", "process", "prog", "proxy", "run", "script", "shell", "tool", "tunnel", "viewer",
];

/// Programs that are always the system's and run nothing else.
const PLAIN: &[&str] = &["", "cat", "less", "less -S", "less -FRX", "more", "true", ":", "vi", "vim", "nano", "false"];

/// What `git lfs install --local` writes.
const LFS: &[&str] = &["git-lfs clean -- %f", "git-lfs smudge -- %f", "git-lfs filter-process"];

/// Helpers for credentials that come with git or the system, and what the tools of hosts write.
const HELPERS: &[&str] = &[
    "",
    "store",
    "cache",
    "osxkeychain",
    "libsecret",
    "manager",
    "manager-core",
    "wincred",
    "gnome-keyring",
    "oauth",
    "!gh auth git-credential",
    "!/usr/bin/gh auth git-credential",
    "!glab auth git-credential",
];

/// What follows from a setting.
pub(crate) fn meaning(setting: &Setting) -> Meaning {
    let (section, key, value) = (setting.section.as_str(), setting.key.as_str(), setting.text());
    let runs = |so: bool| if so { Meaning::Runs } else { Meaning::Nothing };
    match (section, key) {
        ("include" | "includeif", "path") => Meaning::Includes,
        ("core", "hookspath") => {
            if matches!(value, "" | "/dev/null") {
                Meaning::Nothing
            } else {
                Meaning::Hooks
            }
        }
        ("core", "worktree") => Meaning::Worktree,
        ("core", "fsmonitor") => runs(!is_flag(setting)),
        ("alias", _) => {
            if is_plain_alias(value) {
                Meaning::Nothing
            } else {
                Meaning::RunsByName
            }
        }
        ("pager", _) => runs(!is_flag(setting) && !PLAIN.contains(&value)),
        ("credential", "helper") => runs(!HELPERS.contains(&value) && !is_cache(value)),
        ("submodule", "update") => runs(value.starts_with('!')),
        ("protocol", "allow") => runs(value != "never" && setting.name.as_deref().is_none_or(|name| name == "ext")),
        ("url", _) => runs(setting.name.as_deref().is_none_or(is_helper) || is_helper(value)),
        ("remote" | "branch" | "submodule" | "remotes", _) if is_helper(value) => Meaning::Runs,
        ("filter", _) if LFS.contains(&value) => Meaning::Nothing,
        _ if is_program(section, key) => runs(!PLAIN.contains(&value)),
        _ if NAMED.iter().any(|end| key.ends_with(end)) => runs(!is_flag(setting)),
        _ if SECTIONS.contains(&section) => Meaning::Nothing,
        _ => runs(value.starts_with('!') || is_helper(value) || TELLING.iter().any(|word| key.contains(word))),
    }
}

fn is_program(section: &str, key: &str) -> bool {
    PROGRAMS.iter().any(|(known, keys)| *known == section && keys.contains(&key))
}

/// Yes or no, and nothing that could be a program.
fn is_flag(setting: &Setting) -> bool {
    let known = ["", "true", "false", "yes", "no", "on", "off", "0", "1"];
    known.iter().any(|flag| flag.eq_ignore_ascii_case(setting.text()))
}

/// An address whose words are for a program: `ext::sh -c …`.
fn is_helper(address: &str) -> bool {
    let is_scheme = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    address.starts_with("ext:") || address.split_once("::").is_some_and(|(scheme, _)| is_scheme(scheme))
}

/// Git's own cache for credentials, with how long it keeps them and nothing else: the value is for a shell.
fn is_cache(helper: &str) -> bool {
    let time = helper.strip_prefix("cache --timeout").and_then(|rest| rest.strip_prefix(['=', ' ']));
    time.is_some_and(|time| !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::{Meaning, meaning};
    use crate::repository::settings::parse;

    fn meanings(text: &str) -> Vec<Meaning> {
        parse(text.as_bytes()).unwrap().iter().map(meaning).collect()
    }

    const RUNNING: &[&str] = &[
        "[core]fsmonitor=.git/x",
        "[core]sshCommand=x -i y",
        "[core]pager=./p",
        "[core]editor=code --wait",
        "[core]askPass=x",
        "[core]gitProxy=x",
        "[core]alternateRefsCommand=x",
        "[diff]external=x",
        "[diff \"a\"]command=x",
        "[diff \"a\"]textconv=x",
        "[diff.a]textconv=x",
        "[filter \"a\"]clean=x",
        "[filter \"a\"]smudge=x",
        "[filter \"a\"]process=x",
        "[filter \"lfs\"]process=\"git-lfs filter-process; x\"",
        "[merge \"a\"]driver=x",
        "[mergetool \"a\"]cmd=x",
        "[mergetool \"vimdiff\"]path=./x",
        "[difftool \"a\"]cmd=x",
        "[credential]helper=./x",
        "[credential]helper=!x",
        "[credential]helper=store --file=leak",
        "[credential]helper=\"cache --timeout=1;x\"",
        "[credential]helper=cache --timeout=$(x)",
        "[credential]helper=cache --timeout 1 --socket=x",
        "[credential]helper=cache --timeout=",
        "[credential]helper=cache --timeoutx",
        "[credential \"https://a\"]helper=!x",
        "[gpg]program=x",
        "[gpg \"ssh\"]program=x",
        "[gpg \"ssh\"]defaultKeyCommand=x",
        "[sequence]editor=x",
        "[pager]log=x",
        "[web]browser=x",
        "[browser \"x\"]cmd=x",
        "[man \"x\"]cmd=x",
        "[man \"x\"]path=x",
        "[help]browser=x",
        "[remote \"o\"]uploadpack=x",
        "[remote \"o\"]receivepack=x",
        "[remote \"o\"]vcs=ext",
        "[remote \"o\"]url=ext::sh -c x",
        "[remote \"o\"]pushurl=a::b",
        "[branch \"m\"]remote=ext::x",
        "[url \"ext::x \"]insteadOf=https://a/",
        "[url \"https://a\"]insteadOf=ext::x",
        "[protocol]allow=always",
        "[protocol \"ext\"]allow=user",
        "[submodule \"a\"]update=!x",
        "[submodule \"a\"]url=ext::x",
        "[uploadpack]packObjectsHook=x",
        "[interactive]diffFilter=x",
        "[init]templateDir=x",
        "[tar \"x\"]command=x",
        "[trailer \"x\"]cmd=x",
        "[trailer \"x\"]command=x",
        "[sendemail]toCmd=x",
        "[sendemail \"a\"]smtpServer=/x",
        "[imap]tunnel=x",
        "[guitool \"a\"]cmd=x",
        "[hook \"a\"]command=x",
        "[lfs \"customtransfer.a\"]path=x",
        "[lfs \"extension.a\"]clean=x",
        "[gc]recentObjectsHook=x",
        "[core]virtualFilesystem=x",
        "[log]laterProgram=x",
        "[later]runCommand=x",
        "[later]a=!x",
    ];

    #[test]
    fn what_runs_something_is_known() {
        for text in RUNNING {
            assert_eq!(meanings(text), [Meaning::Runs], "{text}");
        }
        for text in [
            "[alias]st=!x",
            "[alias]x=bisect run x",
            "[alias]x=-c a=b log",
            "[alias \"st\"]command=!x",
            "[alias]x=log --output=.git/hooks/pre-commit",
            "[alias]x=diff --outp .git/hooks/pre-commit",
            "[alias]x=log '--out'put=x",
            "[alias]x=log --out\\\\put=x",
            "[alias]x=show --ext-diff",
            "[alias]x=log -p --textconv",
            "[alias]x=diff -Ox",
            "[alias]x=remote add -o x",
            "[alias]x=remote add x ext::x",
            "[alias]x=status --ex",
        ] {
            assert_eq!(meanings(text), [Meaning::RunsByName], "{text}");
        }
        assert_eq!(meanings("[include]path=x\n[includeIf \"gitdir:/\"]path=x"), [Meaning::Includes; 2]);
        assert_eq!(meanings("[core]hooksPath=x\nworktree=/"), [Meaning::Hooks, Meaning::Worktree]);
    }

    #[test]
    fn what_everybody_has_is_nothing() {
        for text in [
            "[core]repositoryformatversion=0\nfilemode=true\nbare=false\nlogallrefupdates=true\nignorecase=true",
            "[core]fsmonitor\nfsmonitor=true\nhooksPath=/dev/null\npager=cat\nautocrlf=input\nabbrev=12",
            "[remote \"o\"]url=ssh://git@[::1]/x\nfetch=+refs/heads/*:refs/remotes/o/*\ngh-resolved=base\npromisor=true",
            "[remote \"o\"]url=git@host:a/b.git\nurl=https://host/x.git\nurl=../up\nprune=true",
            "[branch \"m\"]remote=o\nmerge=refs/heads/m\nvscode-merge-base=origin/main\nrebase=true",
            "[submodule \"a\"]url=../a\nactive=true\nupdate=rebase\n[submodule]recurse=true",
            "[user]name=a\nemail=b\nsigningkey=c\n[commit]gpgsign=true\n[pull]rebase=true\n[push]autoSetupRemote=true",
            "[filter \"lfs\"]clean=git-lfs clean -- %f\nprocess=git-lfs filter-process\nrequired=true",
            "[lfs]repositoryformatversion=0\n[lfs \"https://x\"]access=basic",
            "[credential]helper=store\nhelper=cache --timeout=60\nhelper=cache --timeout 60\n[credential \"x\"]username=me",
            "[alias]st=status -sb\nlg=log --oneline\nlast=log -1 HEAD --stat\nh=log --graph --pretty=format:'%h %s' -n20\nunstage=reset HEAD --\n[pager]diff=false\n[color]ui=auto\n[diff]colorMoved=zebra",
            "[protocol \"file\"]allow=always\n[extensions]worktreeConfig=true\n[index]sparse=false\n[gc]auto=0\n[advice]ignoredHook=false",
            "[url \"git@host:\"]insteadOf=https://host/\n[merge]conflictStyle=zdiff3\ntool=vimdiff\n[rerere]enabled=true",
        ] {
            let all = parse(text.as_bytes()).unwrap();
            for setting in all {
                assert_eq!(meaning(&setting), Meaning::Nothing, "{}", setting.told());
            }
        }
    }
}
