//! Programs that write by nature and only read when they are told to list, to print or to say how things are. For lines
//! that a kernel holds to reading: what is said here is wide, and nothing of it holds for others.

use super::options::{Row, operands};
use crate::effects::{Simple, Word, WordKind, printf_sets};

const fn row(short: &'static str, long: &'static str) -> Row {
    Row { names: "", short, long, most: usize::MAX }
}

const TAR: Row = row(
    "tvzjJaf:C:",
    "list verbose file= gzip ungzip bzip2 xz zstd lzma auto-compress directory= exclude= wildcards no-wildcards strip-components= full-time numeric-owner quoting-style=",
);
const UNZIP: Row = row("lvtpcqZ1", "");
const PACKED: Row = row("cdfklqtv123456789T:", "stdout to-stdout decompress uncompress list test quiet verbose keep");
const PIP: Row = row(
    "ofvelq",
    "outdated uptodate format= files verbose editable local user not-required include-editable exclude-editable all quiet",
);
const NPM: Row = row("agl", "depth= all global json long parseable omit= include= production prod dev silent");
const TOP: Row = row("bcHin:d:o:p:u:w?", "");

/// True when the command only lists, prints or tells.
pub(super) fn lists(simple: &Simple) -> bool {
    let args = simple.args();
    if !args.iter().all(|word| word.kind <= WordKind::Pattern && !may_be_option(word)) {
        return false;
    }
    match simple.program() {
        "tar" | "bsdtar" => lists_tar(args),
        "unzip" => fits(&UNZIP, args) && has_letter(args, "lvtpcZ"),
        "jar" => by_mode(args, "tvf", "t"),
        "ar" => by_mode(args, "tvpO", "tp"),
        "7z" | "7za" | "7zr" => begins(args, &["l", "t"]) && plain(args, &["-slt", "-ba"]),
        "gzip" | "gunzip" | "bzip2" | "bunzip2" | "xz" | "unxz" | "zstd" | "unzstd" => {
            let long = ["--stdout", "--to-stdout", "--list", "--test"];
            fits(&PACKED, args)
                && (has_letter(args, "clt") || args.iter().any(|word| long.contains(&word.text.as_str())))
        }
        "dpkg" => is_dpkg(args),
        "rpm" => is_rpm(args),
        "apt" => {
            begins(args, &["list", "show", "search", "policy", "depends", "rdepends"])
                && plain(args, &["--installed", "--upgradable", "--all-versions", "-a"])
        }
        "apt-cache" => {
            const SUBS: &[&str] =
                &["show", "search", "policy", "depends", "rdepends", "madison", "pkgnames", "showpkg"];
            begins(args, SUBS) && plain(args, &[])
        }
        "pip" | "pip3" => begins(args, &["list", "show", "freeze", "check"]) && fits(&PIP, behind(args)),
        "npm" => is_npm(args),
        "rustup" => is_rustup(args),
        "rustc" => is_rustc(args),
        "go" => match args {
            [sub, rest @ ..] if sub.text == "env" => plain(rest, &["-json", "-changed"]),
            [sub, rest @ ..] => sub.text == "help" && plain(rest, &[]),
            [] => false,
        },
        "top" => fits(&TOP, args) && has_letter(args, "b"),
        "man" => plain(args, &["-k", "-f", "-w"]) && !args.iter().any(|word| word.text.contains('/')),
        "bat" | "batcat" => !begins(args, &["cache"]) && !simple.has("--pager") && !simple.has("--diagnostic"),
        "tput" => matches!(args, [what] if matches!(what.text.as_str(), "cols" | "lines" | "colors")),
        "ulimit" => args.iter().all(|word| word.text.starts_with('-')),
        _ => false,
    }
}

/// True for `printf` that sets nothing; what it prints may be whatever it is.
pub(super) fn prints(simple: &Simple) -> bool {
    !printf_sets(simple.args())
}

/// True for `set` and `shopt` with options alone that say when a shell stops, what it tells, and which files a pattern
/// finds. Words that become parameters are none of that, nor is what exports variables or reads words anew.
pub(crate) fn only_options(simple: &Simple) -> bool {
    let names: &[&str] = &["pipefail", "errexit", "nounset", "xtrace", "noglob", "verbose", "errtrace", "functrace"];
    let globs: &[&str] = &["globstar", "nullglob", "dotglob", "nocaseglob", "failglob"];
    if !simple.args().iter().all(Word::is_fixed) {
        return false;
    }
    let mut rest = simple.args().iter().map(|word| word.text.as_str());
    if simple.program() == "shopt" {
        return matches!(rest.next(), Some("-s" | "-u")) && rest.all(|name| globs.contains(&name));
    }
    while let Some(text) = rest.next() {
        let Some(letters) = text.strip_prefix(['-', '+']).filter(|letters| !letters.is_empty()) else { return false };
        if !letters.chars().all(|letter| "euxfvhETo".contains(letter)) {
            return false;
        }
        let named = letters.chars().filter(|letter| *letter == 'o').count();
        if (0..named).any(|_| rest.next().is_none_or(|name| !names.contains(&name))) {
            return false;
        }
    }
    true
}

/// A pattern may find a file that is called like an option.
fn may_be_option(word: &Word) -> bool {
    word.kind == WordKind::Pattern && word.text.starts_with(['*', '?', '[', '-', '{'])
}

fn fits(row: &Row, args: &[Word]) -> bool {
    operands(row, args).is_some()
}

fn behind(args: &[Word]) -> &[Word] {
    args.get(1..).unwrap_or_default()
}

fn begins(args: &[Word], subs: &[&str]) -> bool {
    args.first().is_some_and(|word| word.is_fixed() && subs.contains(&word.text.as_str()))
}

/// True when no word is an option but for these, and none names a file with more words.
fn plain(args: &[Word], but: &[&str]) -> bool {
    args.iter().all(|word| !word.text.starts_with(['-', '@']) || but.contains(&word.text.as_str()))
}

/// True when a cluster of letters has one of these.
fn has_letter(args: &[Word], letters: &str) -> bool {
    args.iter().any(|word| {
        let cluster = word.text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        cluster.is_some_and(|cluster| cluster.contains(|letter: char| letters.contains(letter)))
    })
}

/// `tar tf x`, `tar -tzf x`. An archive with a colon in its name lies on another machine.
fn lists_tar(args: &[Word]) -> bool {
    let mut words = args.to_vec();
    if let Some(first) = words.first_mut()
        && first.text.chars().all(|letter| letter.is_ascii_alphabetic())
        && first.text.find('f').is_none_or(|at| at + 1 == first.text.len())
    {
        first.text.insert(0, '-');
    }
    let lists = has_letter(&words, "t") || words.iter().any(|word| word.text == "--list");
    lists && fits(&TAR, &words) && !words.iter().any(|word| word.text.contains(':'))
}

/// `jar tf x`, `ar t x`: letters that say what to do, then names.
fn by_mode(args: &[Word], letters: &str, one_of: &str) -> bool {
    let Some((mode, rest)) = args.split_first() else { return false };
    let mode = mode.text.trim_start_matches('-');
    let known = mode.chars().all(|letter| letters.contains(letter));
    known && mode.contains(|letter: char| one_of.contains(letter)) && plain(rest, &[])
}

fn is_dpkg(args: &[Word]) -> bool {
    const ASKS: &[&str] = &[
        "-l",
        "-L",
        "-s",
        "-S",
        "-p",
        "--list",
        "--listfiles",
        "--status",
        "--search",
        "--get-selections",
        "--print-architecture",
    ];
    begins(args, ASKS) && plain(behind(args), &[])
}

/// `rpm -q…`. What else may stand in its words is expanded by it.
fn is_rpm(args: &[Word]) -> bool {
    let Some((mode, rest)) = args.split_first() else { return false };
    let letters = mode.text.strip_prefix("-q");
    let name = |word: &Word| word.text.chars().all(|c| c.is_ascii_alphanumeric() || "._+-/*".contains(c));
    letters.is_some_and(|letters| letters.chars().all(|letter| "ailcdpfR".contains(letter)))
        && plain(rest, &["--last"])
        && rest.iter().all(name)
}

fn is_npm(args: &[Word]) -> bool {
    match args {
        [sub] if sub.text == "run" => true,
        [sub, rest @ ..]
            if matches!(sub.text.as_str(), "ls" | "list" | "ll" | "root" | "prefix" | "explain" | "why") =>
        {
            fits(&NPM, rest)
        }
        [config, get, rest @ ..] => {
            let asks = match config.text.as_str() {
                "config" => matches!(get.text.as_str(), "get" | "list" | "ls"),
                name => name == "pkg" && get.text == "get",
            };
            asks && plain(rest, &["--json"])
        }
        _ => false,
    }
}

fn is_rustup(args: &[Word]) -> bool {
    match args {
        [sub, rest @ ..] if matches!(sub.text.as_str(), "show" | "which") => plain(rest, &["-v", "--verbose"]),
        [what, list, rest @ ..] => {
            let lists = matches!(what.text.as_str(), "toolchain" | "target" | "component") && list.text == "list";
            lists && plain(rest, &["-v", "--verbose", "--installed"])
        }
        _ => false,
    }
}

fn is_rustc(args: &[Word]) -> bool {
    match args {
        [one] => matches!(one.text.as_str(), "-vV" | "-Vv") || one.text.starts_with("--print="),
        [print, what] => (print.text == "--print" && plain(std::slice::from_ref(what), &[])) || is_version(args),
        _ => false,
    }
}

fn is_version(args: &[Word]) -> bool {
    args.iter().all(|word| matches!(word.text.as_str(), "--version" | "--verbose" | "-V" | "-v"))
}
