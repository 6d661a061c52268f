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
            "awk" | "gawk" | "mawk" | "nawk" => !is_plain_awk(args),
            "env" => args.iter().any(|word| is_flag(&word.text, "-S") || is_flag(&word.text, "--split-string")),
            "git" if has_unknown_setting(args) || runs_by_git(args) => true,
            "make" | "gmake"
                if args.windows(2).any(|pair| matches!(pair, [f, v] if is_flag(&f.text, "-f") && v.text == "-")) =>
            {
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
                        row.flags.iter().any(|flag| *flag == "*" || own.iter().any(|word| is_flag(&word.text, flag)));
                    let about = args
                        .iter()
                        .any(|word| matches!(word.text.as_str(), "--version" | "-V" | "-v" | "--help" | "-m"));
                    let file = simple.operands().iter().any(|word| word.text != "-" && !is_stream(&word.text));
                    given || (row.input && !about && !file)
                },
            ),
        };
        self.effects.interprets |= is_code;
    }
}

/// Every name of the table: most programs are none of them.
static CODE_TAKERS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| INTERPRETERS.iter().flat_map(|row| row.names.iter().copied()).collect());

fn is_plain_sed(simple: &Simple) -> bool {
    let mut scripts: Vec<&Word> = Vec::new();
    let mut given = false;
    for pair in simple.words.windows(2) {
        let [flag, value] = pair else { continue };
        match flag.text.as_str() {
            "-e" | "--expression" | "-ne" | "-Ee" | "-nEe" | "-re" | "-nre" => {
                given = true;
                scripts.push(value);
            }
            text if text.starts_with("--expression=") || text.starts_with("-f") || text.starts_with("--file") => {
                return false;
            }
            _ => {}
        }
    }
    if simple.args().iter().any(|word| is_flag(&word.text, "-f") || is_flag(&word.text, "--file")) {
        return false;
    }
    if !given {
        scripts.extend(simple.operands().first());
    }
    scripts.iter().all(|script| script.is_fixed() && sed::is_plain_sed(&script.text))
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
                if !GIT_SETTINGS.iter().any(|known| setting.starts_with(known)) {
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

/// True when git is told to run a command of the line.
fn runs_by_git(args: &[Word]) -> bool {
    let has = |text: &str| args.iter().any(|word| word.text == text);
    (has("submodule") && has("foreach"))
        || (has("bisect") && has("run"))
        || (has("rebase") && args.iter().any(|word| is_flag(&word.text, "-x") || is_flag(&word.text, "--exec")))
        || (has("difftool") && args.iter().any(|word| is_flag(&word.text, "-x")))
        || (has("grep") && args.iter().any(|word| is_flag(&word.text, "-O")))
}
