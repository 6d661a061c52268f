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
    use super::fit;

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
}
