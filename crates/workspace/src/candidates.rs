//! Candidates for what is being typed: `@` references anywhere in the project, and arguments of commands. Blocking.

use crate::fit::{Fit, fit, fit_path, may_fit};
use crate::level::Near;
use crate::workspace::Workspace;
use reasonix_proto::Completion;
use std::time::Duration;

/// Names of one folder that are compared.
const MOST_NAMES: usize = 20_000;
/// How long an answer waits for names: whoever types sees something at once, and more while they go on.
const PATIENCE: Duration = Duration::from_millis(30);

/// What fits, best first, and whether there is more. More with fewer than were wanted: it is still being looked for.
pub type Candidates = (Vec<Completion>, bool);

/// Files and folders, without what is ignored: those of the folder that was typed out, then whatever fits anywhere in the
/// project. A line range after a file is taken as it stands.
pub fn references(workspace: &Workspace, text: &str, limit: usize) -> Candidates {
    if let Some((path, lines)) = text.rsplit_once(':')
        && lines.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
        && workspace.exists(path).unwrap_or(false)
    {
        return (vec![plain(text.to_owned(), text.to_owned())], false);
    }
    let typed = text.rsplit('/').next().unwrap_or_default();
    let elsewhere = text.starts_with(['/', '~']) || text.starts_with("..");
    if typed.is_empty() || elsewhere {
        return level(workspace, text, limit);
    }
    let mut items = if text.contains('/') { level(workspace, text, limit).0 } else { Vec::new() };
    let names = workspace.names(PATIENCE);
    // Hidden names are for whoever types the point.
    let hidden = text.starts_with('.') || text.contains("/.");
    let open = |name: &&str| hidden || !(name.starts_with('.') || name.contains("/."));
    let mut fits: Vec<(Fit, &str)> = names
        .iter()
        .filter(open)
        .filter(|name| may_fit(text, name))
        .filter_map(|name| fit_path(text, name).map(|fit| (fit, name)))
        .collect();
    fits.sort_unstable_by(|(a, one), (b, other)| {
        b.score.cmp(&a.score).then_with(|| one.len().cmp(&other.len())).then_with(|| one.cmp(other))
    });
    for (fit, name) in fits.iter().take(limit + items.len()) {
        if !items.iter().any(|item| item.insert == *name) {
            let descends = name.ends_with('/');
            let marks = fit.marks.clone();
            items.push(Completion { marks, descends, ..plain((*name).to_owned(), (*name).to_owned()) });
        }
    }
    let more = items.len() > limit || !names.whole;
    items.truncate(if names.whole { limit } else { limit.saturating_sub(1) });
    (items, more)
}

/// Files and folders of one level, in their order where nothing is typed behind the folder.
fn level(workspace: &Workspace, text: &str, limit: usize) -> Candidates {
    let (folder, typed) = text.rsplit_once('/').map_or(("", text), |(folder, name)| (folder, name));
    let hidden = typed.starts_with('.');
    let place = if folder.is_empty() && !text.starts_with('/') { "." } else { folder };
    let level = workspace.level(if place.is_empty() { "/" } else { place }, hidden, MOST_NAMES).unwrap_or_default();
    let mut fits: Vec<(i64, &Near, Vec<usize>)> =
        level.iter().filter_map(|near| fit(typed, &near.name).map(|fit| (fit.score, near, fit.marks))).collect();
    let score = |score: i64| if typed.is_empty() { 0 } else { score };
    let named = |near: &Near| (near.name.to_lowercase(), near.name.clone());
    fits.sort_by(|a, b| score(b.0).cmp(&score(a.0)).then_with(|| named(a.1).cmp(&named(b.1))));
    let more = fits.len() > limit;
    let before = text.get(..text.len() - typed.len()).unwrap_or_default();
    let items = fits.into_iter().take(limit).map(|(_, near, marks)| {
        let end = if near.folder { "/" } else { "" };
        let insert = format!("{before}{}{end}", near.name);
        let shown = if typed.is_empty() { format!("{}{end}", near.name) } else { insert.clone() };
        let shift = shown.chars().count() - near.name.chars().count() - end.len();
        let marks = marks.into_iter().map(|mark| mark + shift).collect();
        Completion { insert, shown, marks, descends: near.folder, note: String::new() }
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
