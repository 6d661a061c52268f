//! Files that the options of a command name in any form: which of them are run is not known of every program, so that each
//! counts.

use super::look::Look;
use reasonix_policy::Simple;

/// Of a longer bundle of letters the rest is not looked at one by one.
const MOST_LETTERS: usize = 64;

/// Takes in every file of the workspace that an option may have as its value.
pub(super) fn files(simple: &Simple, look: &mut Look<'_>) {
    for value in values(simple) {
        for path in look.inside(&simple.places, value) {
            look.file(&path);
        }
    }
}

/// Folders that an option may have as its value, each also as seen from those before it.
pub(super) fn folders(simple: &Simple, look: &Look<'_>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for value in values(simple) {
        let below = found.iter().map(|folder| format!("{folder}/{value}"));
        let all: Vec<String> = below.chain([value.to_owned()]).collect();
        let is_folder = |path: &String| look.inside(&simple.places, path).iter().any(|path| path.is_dir());
        found.extend(all.into_iter().filter(is_folder));
        found.truncate(MOST_LETTERS);
    }
    found
}

/// Takes in what Perl and Ruby are told to load before their script, from the folders that they are given.
pub(super) fn libraries(simple: &Simple, look: &mut Look<'_>) {
    let (end, options): (&str, &[&str]) =
        match simple.program().trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
            "perl" => ("pm", &["-M", "-m"]),
            "ruby" => ("rb", &["-r"]),
            _ => return,
        };
    let mut folders = vec![String::from("."), String::from("lib")];
    folders.extend(given(simple, &["-I"]).map(str::to_owned));
    for name in given(simple, options) {
        let name = name.trim_start_matches('-').split(['=', ' ']).next().unwrap_or_default().replace("::", "/");
        for folder in folders.iter().flat_map(|folder| folder.split(':')) {
            for path in look.inside(&simple.places, &format!("{folder}/{name}.{end}")) {
                look.file(&path);
            }
        }
    }
}

/// The values of options of one letter, which may stand behind others.
fn given<'a>(simple: &'a Simple, options: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    let args = simple.args();
    args.iter().enumerate().filter_map(move |(at, word)| {
        let letters = word.text.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
        let cut = |option: &&str| option.strip_prefix('-').and_then(|letter| letters.split_once(letter));
        let (_, value) = options.iter().find_map(cut)?;
        if value.is_empty() { args.get(at + 1).map(|word| word.text.as_str()) } else { Some(value) }
    })
}

/// Whatever may be the value of an option: the word behind it, what stands behind `=`, and each end of a bundle of letters.
fn values(simple: &Simple) -> impl Iterator<Item = &str> {
    let args = simple.args();
    args.iter().enumerate().filter(|(_, word)| word.text.len() > 1 && word.text.starts_with('-')).flat_map(
        |(at, word)| {
            let text = word.text.as_str();
            let next = args.get(at + 1).map(|word| word.text.as_str()).filter(|next| !next.starts_with('-'));
            let joined = text.split_once('=').map_or("", |(_, value)| value);
            let letters = if text.starts_with("--") { "" } else { text };
            let ends = letters.char_indices().skip(2).take(MOST_LETTERS).filter_map(|(at, _)| letters.get(at..));
            let parts = joined.split([',', ':', '=']);
            next.into_iter().chain([joined]).chain(parts).chain(ends).filter(|value| !value.is_empty())
        },
    )
}
