//! Which settings of git make it run a program, or lead it to a file that could, to read or to write it. What is not known to
//! be harmless counts; where neither git nor a tool that is known here has such a section, its words say what it is.

use super::alias::is_plain_alias;
use super::known::{has_section, is_known};
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
    ("instaweb", &["browser", "httpd", "modulepath"]),
    ("hook", &["command"]),
    ("svn", &["authorsprog"]),
    ("lfs", &["path", "clean", "smudge", "standalonetransferagent"]),
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
        ("gitflow", "hooks") => Meaning::Runs,
        ("protocol", "allow") => runs(value != "never" && setting.name.as_deref().is_none_or(|name| name == "ext")),
        ("url", "insteadof" | "pushinsteadof") => {
            runs(setting.name.as_deref().is_none_or(is_helper) || is_helper(value))
        }
        ("remote" | "branch" | "submodule" | "remotes", _) if is_helper(value) => Meaning::Runs,
        ("filter", _) if LFS.contains(&value) => Meaning::Nothing,
        _ => runs(match words_for(section, key) {
            Some(harmless) => !harmless(value),
            None if is_program(section, key) => !PLAIN.contains(&value),
            None if NAMED.iter().any(|end| key.ends_with(end)) => !is_flag(setting),
            None if is_known(section, key) => false,
            None => !is_flag(setting) && !is_number(value) && (has_section(section) || !is_data(key, value)),
        }),
    }
}

/// For settings that are harmless by what stands in them, how that is told.
fn words_for(section: &str, key: &str) -> Option<fn(&str) -> bool> {
    Some(match (section, key) {
        // A program of this name is sourced, and a path leads from git's own folder to any other.
        ("merge" | "diff", "tool" | "guitool") => is_word,
        ("mergetool" | "difftool", "layout") => is_layout,
        ("rebase", "instructionformat") => is_one_line,
        // Git runs `git-merge-<strategy>`.
        ("pull", "twohead" | "octopus") => |value| value.split_whitespace().all(is_strategy),
        ("branch", "mergeoptions") => are_merge_options,
        // What a server sends is written there.
        ("http", "cookiefile") => str::is_empty,
        // Without it, what is checked out may write a `.git` under another name.
        ("core", "protecthfs" | "protectntfs") => |value| !matches!(value, "false" | "no" | "off" | "0"),
        ("extensions", _) => is_word,
        _ => return None,
    })
}

/// Ways to merge that come with git; every other is a program by its name.
pub(super) fn is_strategy(name: &str) -> bool {
    matches!(name, "" | "ort" | "recursive" | "resolve" | "octopus" | "ours" | "subtree")
}

/// A name that leads to no folder.
fn is_word(value: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !value.starts_with(['-', '.']) && value.chars().all(plain)
}

/// How windows are laid out: vim's commands are made of it, and a shell reads them.
fn is_layout(value: &str) -> bool {
    let mut names = value.split([' ', '\t', '(', ')', ',', '/', '+', '@', '|']);
    names.all(|name| matches!(name, "" | "LOCAL" | "BASE" | "REMOTE" | "MERGED"))
}

/// A format for the steps of a rebase that cannot have a second line, which would be a step as well. Without a placeholder
/// it is the name of another format.
fn is_one_line(value: &str) -> bool {
    const PLAIN: &[&str] = &["s", "f", "h", "H", "t", "T", "p", "P", "an", "ae", "al", "cn", "ce", "cl"];
    let (mut all, mut escaped) = (true, false);
    for part in value.split('%').skip(1) {
        // Two of them are one sign, and what stands behind is text.
        all &= escaped || part.is_empty() || PLAIN.iter().any(|plain| part.starts_with(plain));
        escaped = part.is_empty() && !escaped;
    }
    let is_format = value.is_empty() || value.contains('%');
    is_format && all && !value.contains('\n')
}

/// Options of a merge that neither run a program nor name one.
fn are_merge_options(value: &str) -> bool {
    const PLAIN: &[&str] = &[
        "--ff",
        "--no-ff",
        "--ff-only",
        "--log",
        "--no-log",
        "--stat",
        "--no-stat",
        "-n",
        "--squash",
        "--no-squash",
        "--commit",
        "--no-commit",
        "--edit",
        "--no-edit",
        "-e",
        "--signoff",
        "--no-signoff",
        "--autostash",
        "--no-autostash",
        "--verify-signatures",
        "--no-verify-signatures",
        "-q",
        "--quiet",
        "-v",
        "--verbose",
    ];
    value.split_whitespace().all(|word| PLAIN.contains(&word))
}

fn is_number(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit())
}

/// What a tool writes down that is not known here: a word or an address under a name that speaks of no program.
fn is_data(key: &str, value: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "-_.:/@+#,=~ ".contains(c);
    let is_path = value.starts_with(['/', '~', '.']) || value.contains("/../");
    !TELLING.iter().any(|word| key.contains(word)) && !is_helper(value) && value.chars().all(plain) && !is_path
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
        "[later]a=../x",
        "[later]a=/x",
        "[later]a=\"x;y\"",
        "[core]laterKey=x",
        "[http]laterKey=x",
        "[rebase]instructionFormat=%s%nexec x",
        "[rebase]instructionFormat=%B",
        "[rebase]instructionFormat=%b",
        "[rebase]instructionFormat=%s%x0aexec x",
        "[rebase]instructionFormat=%s %(trailers)",
        "[rebase]instructionFormat=%%%n",
        "[rebase]instructionFormat=evil",
        "[rebase]instructionFormat=\"%s\\nexec x\"",
        "[merge]tool=../../x",
        "[diff]tool=../../x",
        "[merge]guitool=a/x",
        "[diff]guitool=/x",
        "[mergetool \"vimdiff\"]layout=\"MERGED,`x`\"",
        "[mergetool \"nvimdiff2\"]layout=\"MERGED | !x\"",
        "[http]cookieFile=/x",
        "[http \"https://a\"]cookieFile=x",
        "[gitflow \"path\"]hooks=../x",
        "[pull]twohead=x/../evil",
        "[branch \"m\"]mergeOptions=-s x/../evil",
        "[format]outputDirectory=/x",
        "[gc]repackFilterTo=../x",
        "[trace2]eventTarget=/x",
        "[gitcvs]logFile=x",
        "[submodule \"a\"]gitdir=x",
        "[maintenance]repo=/x",
        "[instaweb]modulePath=x",
        "[help]htmlPath=http://x",
        "[sendemail]smtpServerOption=-be",
        "[core]protectNTFS=false",
        "[extensions]refStorage=files:///x",
        "[lfs]storage=/x",
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
            "[merge]tool=my-tool\nguitool=p4merge\n[diff]tool=vimdiff3\n[mergetool]prompt=false\nkeepBackup=false",
            "[mergetool \"vimdiff\"]layout=\"(LOCAL,BASE,REMOTE)/MERGED + @LOCAL,REMOTE\"\n[http]saveCookies=true",
            "[rebase]instructionFormat=\"%s <%an> 100%% %h\"\nautoSquash=true\n[pull]twohead=ort\n[core]protectNTFS=true",
            "[gitflow \"branch\"]master=main\ndevelop=develop\n[gitflow \"prefix\"]feature=feature/\nversiontag=v",
            "[branch \"m\"]mergeOptions=--no-ff --log\n[gitbutler]project=a-b-c\n[svn-remote \"svn\"]url=https://x/y",
            "[branch \"m\"]github-pr-owner-number=\"a#b#1\"\n[delta]syntax-theme=Monokai Extended\n[later]a=12",
        ] {
            let all = parse(text.as_bytes()).unwrap();
            for setting in all {
                assert_eq!(meaning(&setting), Meaning::Nothing, "{}", setting.told());
            }
        }
    }
}
