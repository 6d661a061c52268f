//! Code for other interpreters: what it does is unknown, but for the few programs of `sed` and `awk` that only print.

use super::programs::{GIT_SETTINGS, INTERPRETERS};
use super::sed;
use super::unwrap::is_stream;
use super::walk::Walk;
use crate::effects::{Simple, Word, is_flag};
use std::collections::HashSet;
use std::sync::LazyLock;

impl Walk<'_> {
    /// Notes code for another interpreter.
    pub(super) fn interprets(&mut self, name: &str, simple: &Simple) {
        let args = simple.args();
        let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let is_code = match base {
            "sed" | "gsed" => !is_plain_sed(simple),
            "awk" | "gawk" | "mawk" | "nawk" | "original-awk" | "bwk" | "busybox-awk" => !is_plain_awk(args),
            "env" => args.iter().any(|word| is_flag(&word.text, "-S") || is_flag(&word.text, "--split-string")),
            "git" if has_unknown_setting(args) || runs_by_git(args) || configures_program(args) => {
                self.aliases(args);
                true
            }
            "make" | "gmake" if reads_rules_from_input(args) || args.iter().any(sets_program) => true,
            "go" if args.iter().any(|word| word.text.contains("extld")) => true,
            // Their options are no letters: `-DBUILD` has no `-B` in it.
            "cmake" => args.iter().any(|word| is_one_of(&word.text, &["-P", "-E", "--script"])),
            "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" | "gfortran" => {
                args.iter().any(|word| is_one_of(&word.text, &["-B", "-wrapper", "-specs", "-fplugin", "-load"]))
            }
            "mapfile" | "readarray" | "hash" if args.iter().any(|word| runs_by_builtin(name, &word.text)) => true,
            // The letters of old do without a dash.
            "tar" | "bsdtar"
                if args.first().is_some_and(|word| is_letters(&word.text) && word.text.contains(['I', 'F'])) =>
            {
                true
            }
            "vi" | "vim" | "nvim" | "view" | "ex" | "emacs" | "less" | "more" if args.iter().any(is_start_command) => {
                true
            }
            _ if !CODE_TAKERS.contains(base) && !CODE_TAKERS.contains(name) => false,
            _ => INTERPRETERS.iter().filter(|row| row.names.iter().any(|known| *known == base || *known == name)).any(
                |row| {
                    // What follows the script belongs to the script.
                    let script = args
                        .iter()
                        .position(|word| row.input && !word.text.starts_with('-') && word.text.contains(['.', '/']));
                    let own = args.get(..script.unwrap_or(args.len())).unwrap_or_default();
                    let given =
                        row.flags.iter().any(|flag| *flag == "*" || own.iter().any(|word| gives(&word.text, flag)));
                    let about = is_about(base, args);
                    let file = has_script(args);
                    given || (row.input && !about && !file)
                },
            ),
        };
        self.effects.interprets |= is_code;
    }
}

impl Walk<'_> {
    /// Commands that git gives a name: `git -c alias.name=!…`.
    fn aliases(&mut self, args: &[Word]) {
        let mut named = false;
        for word in args {
            let alias = word.text.to_ascii_lowercase().starts_with("alias.");
            let code = match word.text.split_once("=!") {
                Some((_, code)) if alias => Some(code),
                // `git config alias.name '!…'`
                _ if named => word.text.strip_prefix('!'),
                _ => None,
            };
            if let Some(code) = code {
                if word.is_fixed() { self.inner(code) } else { self.effects.hide(crate::effects::Hidden::Text) }
            }
            named = alias;
        }
    }
}

/// Variables of `make` by which nothing but the amount, the place or the shape of work is said.
#[rustfmt::skip]
const PLAIN_VARIABLES: &[&str] = &[
    "ARCH", "BENCH", "BUILD", "BUILD_DIR", "BUILD_TYPE", "CI", "COLOR", "COVERAGE", "DEBUG", "DESTDIR", "FILTER", "J", "JOBS", "KEEP", "LEVEL", "LOG_LEVEL", "MODE", "NO_COLOR", "OS", "PACKAGE", "PKG", "PORT", "PREFIX", "PROFILE", "Q", "QUIET", "RACE", "RELEASE", "RUN", "SEED", "SUITE",
    "TAG", "TARGET", "TEST", "TESTS", "TEST_FILTER", "TEST_PATTERN", "TIMEOUT", "V", "VERBOSE", "VERSION", "W", "WERROR", "WORKERS",
];

/// True for a variable of `make` that may name a program, or whose value it would evaluate: all but a few may.
fn sets_program(word: &Word) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "_./:,+-@%".contains(c);
    !word.text.starts_with('-')
        && word.text.split_once('=').is_some_and(|(name, value)| {
            // `x!=` runs its value, and any other may stand in a recipe as it is.
            let runs = name.ends_with('!') || !value.chars().all(plain);
            runs || !PLAIN_VARIABLES.contains(&name.trim_end_matches([':', '+', '?']))
        })
}

/// True for a setting of git that names a program, or a folder with programs.
fn is_executable_key(text: &str) -> bool {
    let key = text.to_ascii_lowercase();
    let key = key.split('=').next().unwrap_or_default();
    const PARTS: &[&str] = &[
        "alias.",
        "browser",
        "cmd",
        "command",
        "credential.",
        "editor",
        "external",
        "filter.",
        "fsmonitor",
        "gpg.",
        "helper",
        "hookspath",
        "include.",
        "includeif.",
        "pager",
        "program",
        "sequence",
        "sshcommand",
        "textconv",
        "tool",
        "trailer",
        "driver",
        "proxy",
        "askpass",
        "templatedir",
        "uploadpack",
        "receivepack",
        "update",
    ];
    key.contains('.') && PARTS.iter().any(|part| key.contains(part))
}

/// True when the interpreter only says something about itself, or runs a module by its name.
fn is_about(base: &str, args: &[Word]) -> bool {
    args.iter().take_while(|word| word.text != "-").any(|word| match word.text.as_str() {
        "--version" | "-V" | "--help" | "-m" => true,
        "--test" => matches!(base, "node" | "nodejs"),
        "-version" => base == "java",
        // To Python it means to be verbose.
        "-v" => args.len() == 1 && !matches!(base, "python" | "pypy" | "ipython"),
        _ => false,
    })
}

/// True when the text is this option; those with one dash and several letters are whole words, one or two dashes alike.
fn gives(text: &str, flag: &str) -> bool {
    if flag.len() > 2 && !flag.starts_with("--") {
        let name = text.split('=').next().unwrap_or(text);
        return name == flag || name.strip_prefix('-') == Some(flag);
    }
    is_flag(text, flag)
}

/// True when the text begins with one of these options, with one dash or two.
fn is_one_of(text: &str, flags: &[&str]) -> bool {
    flags.iter().any(|flag| {
        text.starts_with(flag) || (flag.len() > 2 && text.get(1..).is_some_and(|rest| rest.starts_with(flag)))
    })
}

/// True when a file of code is named. What belongs to an option before it is none.
fn has_script(args: &[Word]) -> bool {
    const VALUES: &[&str] = &["-W", "-X", "-r", "--require", "-I", "-L", "-C", "--import"];
    let mut before = "";
    for word in args {
        let text = word.text.as_str();
        if text == "-" || is_stream(text) {
            return false;
        }
        if !text.starts_with('-') && !VALUES.contains(&before) {
            return true;
        }
        before = text;
    }
    false
}

/// True for `make -f -` and its other spellings.
fn reads_rules_from_input(args: &[Word]) -> bool {
    let is_input = |text: &str| text == "-" || is_stream(text);
    let named = |text: &str| {
        let short = text.strip_prefix("-f").map(str::to_owned);
        let long = text.split_once('=').filter(|(flag, _)| is_flag(flag, "--file") || is_flag(flag, "--makefile"));
        short.or_else(|| long.map(|(_, value)| value.to_owned()))
    };
    let takes = |text: &str| is_flag(text, "-f") || is_flag(text, "--file") || is_flag(text, "--makefile");
    args.iter().any(|word| named(&word.text).is_some_and(|file| is_input(&file)))
        || args.windows(2).any(|pair| matches!(pair, [flag, file] if takes(&flag.text) && is_input(&file.text)))
}

/// True for the options of builtins that run a text, or another program under a name.
fn runs_by_builtin(name: &str, text: &str) -> bool {
    is_flag(text, if name == "hash" { "-p" } else { "-C" })
}

fn is_letters(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_alphanumeric())
}

/// True for `+command`; a line number is none.
fn is_start_command(word: &Word) -> bool {
    word.text.strip_prefix('+').is_some_and(|rest| rest.contains(|c: char| !c.is_ascii_digit()))
}

/// Every name of the table: most programs are none of them.
static CODE_TAKERS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| INTERPRETERS.iter().flat_map(|row| row.names.iter().copied()).collect());

/// Options of `sed` that take nothing and change nothing but how lines are read and printed.
const SED_LETTERS: &str = "nErsuzi";

/// True when every script of the command is known and only prints. An option that is not known may be a script.
fn is_plain_sed(simple: &Simple) -> bool {
    let mut scripts: Vec<&str> = Vec::new();
    let (mut given, mut rest) = (false, simple.args());
    while let Some((word, more)) = rest.split_first() {
        rest = more;
        let text = word.text.as_str();
        if text == "--" {
            break;
        }
        if !text.starts_with('-') || text == "-" {
            continue;
        }
        let letters = text.trim_start_matches('-');
        let value = match letters.strip_suffix('e').filter(|_| !text.starts_with("--")) {
            Some(before) if before.chars().all(|letter| SED_LETTERS.contains(letter)) => true,
            _ => text == "--expression",
        };
        if value {
            let Some((script, after)) = more.split_first().filter(|(script, _)| script.is_fixed()) else {
                return false;
            };
            scripts.push(&script.text);
            (given, rest) = (true, after);
        } else if !is_sed_option(text, letters) {
            return false;
        }
    }
    if !given {
        let Some(script) = simple.operands().into_iter().next() else { return false };
        if !script.is_fixed() {
            return false;
        }
        scripts.push(&script.text);
    }
    scripts.iter().all(|script| sed::is_plain_sed(script))
}

fn is_sed_option(text: &str, letters: &str) -> bool {
    const LONG: &[&str] = &[
        "--quiet",
        "--silent",
        "--regexp-extended",
        "--separate",
        "--unbuffered",
        "--null-data",
        "--posix",
        "--in-place",
        "--version",
        "--help",
    ];
    let in_place = text.starts_with("-i") || text.starts_with("--in-place=");
    let cluster = !text.starts_with("--") && letters.chars().all(|letter| SED_LETTERS.contains(letter));
    in_place || cluster || LONG.contains(&text)
}

fn is_plain_awk(args: &[Word]) -> bool {
    let mut rest = args;
    while let Some((word, more)) = rest.split_first() {
        match word.text.as_str() {
            "-F" | "-v" => rest = more.get(1..).unwrap_or_default(),
            text if text.starts_with("-F") => rest = more,
            text if text.starts_with('-') => return false,
            text => return word.is_fixed() && sed::is_plain_awk(text),
        }
    }
    false
}

/// True when `git -c` sets something that may run a program.
fn has_unknown_setting(args: &[Word]) -> bool {
    let mut rest = args;
    while let Some((word, more)) = rest.split_first() {
        match word.text.as_str() {
            "-c" => {
                let setting = more.first().map(|word| word.text.to_ascii_lowercase()).unwrap_or_default();
                // With a value, it is that value and nothing behind it.
                let fits =
                    |known: &str| if known.contains('=') { setting == known } else { setting.starts_with(known) };
                if !GIT_SETTINGS.iter().any(|known| fits(known)) {
                    return true;
                }
                rest = more.get(1..).unwrap_or_default();
            }
            "-C" | "--git-dir" | "--work-tree" => rest = more.get(1..).unwrap_or_default(),
            text if text.starts_with('-') => rest = more,
            _ => return false,
        }
    }
    false
}

/// True when `git config` sets a key that makes git run something later.
fn configures_program(args: &[Word]) -> bool {
    let at = args.iter().position(|word| word.text == "config");
    let rest = at.and_then(|at| args.get(at + 1..)).unwrap_or_default();
    let operands: Vec<&Word> =
        rest.iter().filter(|word| !word.text.starts_with('-') && word.text != "set" && word.text != "get").collect();
    let unsets = rest.iter().any(|word| word.text.starts_with("--unset") || word.text == "unset");
    operands.len() > 1 && !unsets && operands.iter().any(|word| is_executable_key(&word.text))
}

/// True when git is told to run a command of the line.
fn runs_by_git(args: &[Word]) -> bool {
    let has = |text: &str| args.iter().any(|word| word.text == text);
    args.iter().any(|word| word.text.contains("ext::"))
        || (has("clone")
            && args.iter().any(|word| ["-c", "-u", "--config"].iter().any(|flag| is_flag(&word.text, flag))))
        || (has("archive") && args.iter().any(|word| is_flag(&word.text, "--remote")))
        || (has("submodule") && has("foreach"))
        || (has("bisect") && has("run"))
        || (has("rebase") && args.iter().any(|word| is_flag(&word.text, "-x") || is_flag(&word.text, "--exec")))
        || (has("difftool") && args.iter().any(|word| is_flag(&word.text, "-x")))
        || (has("grep") && args.iter().any(|word| is_flag(&word.text, "-O")))
}
