//! What may have been meant.

/// The nearest of some names, when it is near enough to be a slip.
pub(crate) fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let word = word.to_lowercase();
    names
        .map(|name| (strsim::damerau_levenshtein(&word, &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 5 && *distance < word.chars().count().max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let names = ["max_steps", "temperature", "mode", "allow"];
        for (word, want) in [
            ("maxsteps", Some("max_steps")),
            ("temprature", Some("temperature")),
            ("Mode", Some("mode")),
            ("alow", Some("allow")),
            ("x", None),
            ("desktop", None),
        ] {
            assert_eq!(nearest(word, names.into_iter()).as_deref(), want, "{word}");
        }
    }
}
