//! Options of commands as claims quote them: a run without them was another.

use crate::check::assignment;

/// Options that say how much is told, how fast it goes or when it stops, and those that only narrow what is run: a run of
/// everything proves that, too.
const MEANINGLESS: &[&str] = &[
    "--quiet",
    "--silent",
    "--verbose",
    "--nocapture",
    "--color",
    "--no-color",
    "-q",
    "-v",
    "-vv",
    "-vvv",
    "-s",
    "-x",
    "-n",
    "-j",
    "-t",
    "-k",
    "-m",
    "-g",
    "-p",
    "-r",
    "-ra",
    "-l",
    "-w",
    "-i",
    "-b",
    "-e",
    "-u",
    "-ntp",
    "-run",
];

/// Options whose values say what was run.
const VALUED: &[&str] = &[
    "-d",
    "-c",
    "-f",
    "-tags",
    "--tags",
    "-o",
    "--features",
    "--profile",
    "--target",
    "--configuration",
    "--config",
    "--env",
    "--project",
    "--max-warnings",
    "-count",
];

/// A program's short options, each with its name.
type Short = (&'static str, &'static [(&'static str, &'static str)]);

/// Short options that have names.
const SHORT: &[Short] = &[
    ("cargo", &[("-r", "--release"), ("-F", "--features")]),
    ("dotnet", &[("-c", "--configuration")]),
    ("sphinx-build", &[("-W", "--fail-on-warning"), ("-n", "--nitpicky"), ("-b", "--builder")]),
];

/// The options of a command that say what was run, each with its value where it is one word with it.
pub(crate) fn of(words: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let program = words.iter().find_map(|word| SHORT.iter().find(|(program, _)| program == word));
    let long = |word: String| {
        let name = program.and_then(|(_, names)| names.iter().find(|(short, _)| *short == word));
        name.map_or(word, |(_, name)| (*name).to_owned())
    };
    let words: Vec<String> = words.iter().map(|word| long(word.clone()).to_ascii_lowercase()).collect();
    found.extend(words.iter().take_while(|word| is_setting(word)).filter(|word| steers(word)).cloned());
    // Another toolchain is another compiler.
    let toolchain = |word: &&String| word.strip_prefix('+').is_some_and(|name| name.len() > 1);
    found.extend(words.iter().filter(toolchain).cloned());
    for (at, word) in words.iter().enumerate().filter(|(_, word)| is_option(word)) {
        let value = words.get(at + 1).filter(|next| VALUED.contains(&word.as_str()) && !next.starts_with('-'));
        // A short one and its value are one word, too.
        let joint = if word.len() == 2 { "" } else { "=" };
        found.push(value.map_or_else(|| word.clone(), |value| format!("{word}{joint}{value}")));
    }
    found
}

fn is_setting(word: &str) -> bool {
    word == "env" || assignment(word).is_some()
}

/// True for a setting that says what is built or run, not how much is told of it.
fn steers(word: &str) -> bool {
    const TALK: &[&str] =
        &["ci", "no_color", "force_color", "rust_backtrace", "rust_log", "debug", "pythonpath", "term"];
    assignment(word).is_some_and(|(name, _)| !TALK.contains(&name))
}

/// True when a command has this option, with any value where it names none.
pub(crate) fn has(words: &[String], option: &str) -> bool {
    let is = |other: &String| other == option || other.strip_prefix(option).is_some_and(|rest| rest.starts_with('='));
    of(words).iter().any(is)
}

/// True for a word that is an option by which another thing is run.
pub(crate) fn is_option(word: &str) -> bool {
    let threads = ["-j", "-n", "-t"].iter().filter_map(|start| word.strip_prefix(start));
    let counts = threads.into_iter().any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let named = word.trim_start_matches('-').starts_with(|c: char| c.is_ascii_alphabetic());
    word.starts_with('-') && named && !counts && !MEANINGLESS.contains(&word)
}

/// True for an option that stands alone in a text.
pub(crate) fn is_lone(word: &str) -> bool {
    let name = word.trim_start_matches('-');
    let long = word.starts_with("--") || (name.len() >= 4 && name.chars().all(|c| c.is_ascii_lowercase()));
    long && is_option(word)
}
