//! What lays many files down at once: archives that are unpacked, folders that are copied. What is there by those names is
//! lost, and nobody knows the names; so it counts where the folder is none of the workspace.

use crate::effects::{Places, Simple, Word, WordKind, join};
use crate::facts::Facts;

/// The folder outside of the workspace that the command would write over; none when it writes over none.
pub(super) fn outside(simple: &Simple, facts: &dyn Facts) -> Option<String> {
    let folder = match simple.program() {
        "tar" | "bsdtar" if unpacks(simple) => {
            if simple.has("-P") || simple.has("--absolute-names") || has_letter(simple, 'P') {
                return Some("/".to_owned());
            }
            value(simple.args(), &["-C", "--directory"])
        }
        "unzip" if !lists(simple) => value(simple.args(), &["-d"]),
        "7z" | "7za" | "7zr" if first(simple, &["x", "e"]) => value(simple.args(), &["-o"]),
        "cpio" if simple.has("-i") || simple.has("--extract") => value(simple.args(), &["-D", "--directory"]),
        "jar" if simple.args().first().is_some_and(|mode| mode.text.trim_start_matches('-').starts_with('x')) => None,
        "patch" => value(simple.args(), &["-d", "--directory"]),
        "rsync" if !simple.has("-n") && !simple.has("--dry-run") => match simple.operands().as_slice() {
            [_, .., to] => Some((*to).clone()),
            _ => return None,
        },
        _ => return None,
    };
    let folder = folder.unwrap_or_else(|| Word::fixed("."));
    let path = folder.text.as_str();
    is_lost(&simple.places, &folder, facts).then(|| path.to_owned())
}

/// True when files in this folder may be lost for good.
fn is_lost(places: &Places, folder: &Word, facts: &dyn Facts) -> bool {
    // Where only the shell knows the folder, most often it is one that the line has made.
    if folder.kind >= WordKind::Variable && places.are_here() {
        return false;
    }
    let here = matches!(folder.text.as_str(), "." | "./") && places.are_here();
    let found = facts.target(places, folder.text.trim_end_matches('/'));
    let exists = found.exists || matches!(folder.text.as_str(), "." | "./");
    let below = facts.target(places, &join(folder.text.trim_end_matches('/'), "reasonix-nothing"));
    !here && exists && !found.inside && !below.passing
}

/// The last value of an option, in the next word or in the same.
fn value(args: &[Word], flags: &[&str]) -> Option<Word> {
    let mut found = None;
    for (at, word) in args.iter().enumerate() {
        for flag in flags {
            let attached = word.text.strip_prefix(flag).map(|rest| rest.trim_start_matches('='));
            match attached {
                Some("") => found = args.get(at + 1).cloned().or(found),
                Some(rest) if !flag.starts_with("--") || word.text.contains('=') => {
                    found = Some(Word { text: rest.to_owned(), kind: word.kind });
                }
                _ => {}
            }
        }
    }
    found
}

fn first(simple: &Simple, subs: &[&str]) -> bool {
    simple.args().first().is_some_and(|word| subs.contains(&word.text.as_str()))
}

/// True when `tar` takes files out: by a letter with or without a dash, or by a word.
fn unpacks(simple: &Simple) -> bool {
    has_letter(simple, 'x')
        || simple.has("-x")
        || simple.args().iter().any(|word| matches!(word.text.as_str(), "--extract" | "--get"))
}

/// True for a letter in a first word without a dash, as of old.
fn has_letter(simple: &Simple, letter: char) -> bool {
    simple.args().first().is_some_and(|word| !word.text.starts_with('-') && word.text.contains(letter))
}

fn lists(simple: &Simple) -> bool {
    ["-l", "-t", "-p", "-v", "-Z", "-c", "-z"].iter().any(|flag| simple.has(flag))
}
