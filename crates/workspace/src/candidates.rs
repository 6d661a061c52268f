//! Candidates for what is being typed: `@` references one level at a time, and arguments of commands. Blocking.

use crate::fit::fit;
use crate::level::Near;
use crate::workspace::Workspace;
use reasonix_proto::Completion;

/// Names of one folder that are compared.
const MOST_NAMES: usize = 20_000;

/// What fits, best first, and whether there is more than `limit`.
pub type Candidates = (Vec<Completion>, bool);

/// Files and folders of one level, without what is ignored. A line range after a file is taken as it stands.
pub fn references(workspace: &Workspace, text: &str, limit: usize) -> Candidates {
    let (folder, typed) = text.rsplit_once('/').map_or(("", text), |(folder, name)| (folder, name));
    if let Some((path, lines)) = text.rsplit_once(':')
        && lines.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
        && workspace.exists(path).unwrap_or(false)
    {
        return (vec![plain(text.to_owned(), text.to_owned())], false);
    }
    let hidden = typed.starts_with('.');
    let place = if folder.is_empty() && !text.starts_with('/') { "." } else { folder };
    let level = workspace.level(if place.is_empty() { "/" } else { place }, hidden, MOST_NAMES).unwrap_or_default();
    let mut fits: Vec<(i64, &Near, Vec<usize>)> =
        level.iter().filter_map(|near| fit(typed, &near.name).map(|fit| (fit.score, near, fit.marks))).collect();
    // Without anything typed all fit alike, and what was changed last comes first.
    let score = |score: i64| if typed.is_empty() { 0 } else { score };
    fits.sort_by(|a, b| (score(b.0), b.1.modified, &a.1.name).cmp(&(score(a.0), a.1.modified, &b.1.name)));
    let more = fits.len() > limit;
    let items = fits.into_iter().take(limit).map(|(_, near, marks)| {
        let end = if near.folder { "/" } else { "" };
        let before = text.get(..text.len() - typed.len()).unwrap_or_default();
        Completion {
            insert: format!("{before}{}{end}", near.name),
            shown: format!("{}{end}", near.name),
            marks,
            descends: near.folder,
            note: String::new(),
        }
    });
    (items.collect(), more)
}

/// Words that fit, best first.
pub fn words(words: impl IntoIterator<Item = (String, String)>, typed: &str, limit: usize) -> Candidates {
    let mut fits: Vec<(i64, Completion)> = words
        .into_iter()
        .filter_map(|(word, note)| {
            let found = fit(typed, &word)?;
            Some((found.score, Completion { marks: found.marks, note, ..plain(word.clone(), word) }))
        })
        .collect();
    if !typed.is_empty() {
        fits.sort_by_key(|(score, _)| -score);
    }
    let more = fits.len() > limit;
    (fits.into_iter().take(limit).map(|(_, item)| item).collect(), more)
}

fn plain(insert: String, shown: String) -> Completion {
    Completion { insert, shown, marks: Vec::new(), descends: false, note: String::new() }
}
