//! How well a name fits what is being typed. Pure.

/// The better, the higher; none when the letters do not occur in this order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fit {
    pub(crate) score: i64,
    /// Places of the characters that fit, ascending.
    pub(crate) marks: Vec<usize>,
}

/// Compares whatever the case. Letters that follow each other, begin a word or begin the name count more.
pub(crate) fn fit(typed: &str, name: &str) -> Option<Fit> {
    let wanted: Vec<char> = typed.chars().flat_map(char::to_lowercase).collect();
    let name: Vec<char> = name.chars().collect();
    let plain: Vec<char> = name.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect();
    // The run that the whole text makes somewhere beats letters that are strewn about.
    let run = plain.windows(wanted.len().max(1)).position(|window| window == wanted.as_slice());
    let marks: Vec<usize> = match run {
        Some(start) => (start..start + wanted.len()).collect(),
        None => subsequence(&wanted, &plain)?,
    };
    let begins = |place: usize| match place.checked_sub(1).and_then(|before| name.get(before)) {
        None => true,
        Some(before) => {
            !before.is_alphanumeric()
                || (before.is_lowercase() && name.get(place).is_some_and(|here| here.is_uppercase()))
        }
    };
    let mut score = -i64::try_from(name.len()).unwrap_or(i64::MAX) / 4;
    let mut last = None;
    for place in &marks {
        score += 10;
        score += if begins(*place) { 15 } else { 0 };
        score += if last.is_some_and(|last: usize| last + 1 == *place) { 20 } else { 0 };
        last = Some(*place);
    }
    score += if marks.first() == Some(&0) { 20 } else { 0 };
    Some(Fit { score, marks })
}

/// A quick look, without which two hundred thousand names would take too long: whether the letters occur in this order. What
/// is not plain ASCII is looked at properly.
pub(crate) fn may_fit(typed: &str, name: &str) -> bool {
    if !typed.is_ascii() {
        return true;
    }
    let mut rest = name.bytes();
    typed.bytes().all(|wanted| rest.any(|byte| byte.eq_ignore_ascii_case(&wanted)))
}

/// How well a path fits. What fits the name itself counts more than what is strewn over its folders, and the less lies
/// around it the better.
pub(crate) fn fit_path(typed: &str, path: &str) -> Option<Fit> {
    let whole = path.strip_suffix('/').unwrap_or(path);
    let (folder, name) = whole.rsplit_once('/').map_or(("", whole), |(folder, name)| (folder, name));
    let depth = i64::try_from(whole.matches('/').count()).unwrap_or(i64::MAX);
    if !typed.contains('/')
        && let Some(found) = fit(typed, name)
    {
        let stem = name.split('.').next().unwrap_or(name);
        let exact = [name, stem].iter().any(|word| word.eq_ignore_ascii_case(typed));
        let before = if folder.is_empty() { 0 } else { folder.chars().count() + 1 };
        let marks = found.marks.iter().map(|mark| mark + before).collect();
        return Some(Fit {
            score: found.score + named(&found.marks, found.score) + if exact { 40 } else { 0 } - 2 * depth,
            marks,
        });
    }
    fit(typed, whole).map(|found| Fit { score: found.score - 2 * depth, ..found })
}

/// What it counts that the name itself fits: much where the letters stand together, less where they begin its words, and
/// nothing where they are strewn about in it.
fn named(marks: &[usize], score: i64) -> i64 {
    let together = marks.windows(2).all(|pair| matches!(pair, [one, next] if one + 1 == *next));
    let per_letter = score / i64::try_from(marks.len().max(1)).unwrap_or(i64::MAX);
    if together {
        100
    } else if per_letter >= 20 {
        60
    } else {
        0
    }
}

fn subsequence(wanted: &[char], name: &[char]) -> Option<Vec<usize>> {
    let mut marks = Vec::with_capacity(wanted.len());
    let mut from = 0;
    for letter in wanted {
        let place = from + name.get(from..)?.iter().position(|c| c == letter)?;
        marks.push(place);
        from = place + 1;
    }
    Some(marks)
}

#[cfg(test)]
mod tests {
    use super::{fit, fit_path, may_fit};

    #[test]
    fn the_better_fit_wins() {
        let best = |typed: &str, names: &[&str]| {
            let mut fits: Vec<_> = names.iter().filter_map(|name| Some((fit(typed, name)?.score, *name))).collect();
            fits.sort_by_key(|(score, _)| -score);
            fits.first().map(|(_, name)| (*name).to_owned())
        };
        assert_eq!(best("main", &["domain.rs", "main.rs", "m_a_i_n.rs"]).as_deref(), Some("main.rs"));
        assert_eq!(best("ar", &["car.rs", "ARCHITECTURE.md"]).as_deref(), Some("ARCHITECTURE.md"));
        assert_eq!(best("fb", &["foo_bar.rs", "alfalfab.rs"]).as_deref(), Some("foo_bar.rs"));
        assert_eq!(best("说明", &["使用说明.md", "a.md"]).as_deref(), Some("使用说明.md"));
        assert_eq!(best("xyz", &["main.rs"]), None);
        assert_eq!(fit("mr", "main.rs").unwrap().marks, [0, 5]);
        assert!(fit("", "anything").unwrap().marks.is_empty());
    }

    #[test]
    fn the_name_counts_more_than_its_folders() {
        let best = |typed: &str| {
            let names =
                ["CONTRIBUTING.md", "crates/tui/", "crates/tui/src/lib.rs", "docs/tui.md", "crates/agent/src/turn.rs"];
            let fits = names.iter().filter(|name| may_fit(typed, name));
            let mut fits: Vec<_> = fits.filter_map(|name| Some((fit_path(typed, name)?.score, *name))).collect();
            fits.sort_by_key(|(score, name)| (-score, name.len()));
            fits.into_iter().map(|(_, name)| name).collect::<Vec<_>>()
        };
        assert_eq!(best("tui")[..3], ["crates/tui/", "docs/tui.md", "crates/tui/src/lib.rs"], "{:?}", best("tui"));
        assert_eq!(best("tui").last(), Some(&"CONTRIBUTING.md"));
        assert_eq!(best("src/li"), ["crates/tui/src/lib.rs"]);
        assert_eq!(best("agtu").first(), Some(&"crates/agent/src/turn.rs"));
        assert_eq!(fit_path("tui", "docs/tui.md").unwrap().marks, [5, 6, 7]);
        assert!(!may_fit("xyz", "crates/tui/"));
    }
}
