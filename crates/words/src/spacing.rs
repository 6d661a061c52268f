//! Spaces where Chinese meets what is not Chinese.

/// Chinese stands a space apart from what is not Chinese, and not from Chinese: the spaces of a text around a place go
/// where what was put there begins or ends so. Gives what follows in the text.
pub(crate) fn closed_up<'a>(out: &mut String, spoken: &str, rest: &'a str) -> &'a str {
    let before = out.strip_suffix(' ').and_then(|text| text.chars().next_back());
    if before.is_some_and(chinese) && spoken.chars().next().is_some_and(chinese) {
        out.pop();
    }
    let behind = rest.strip_prefix(' ').filter(|text| text.chars().next().is_some_and(chinese));
    behind.filter(|_| spoken.chars().next_back().is_some_and(chinese)).unwrap_or(rest)
}

/// A character, or a mark, that stands without a space beside another of its kind.
const fn chinese(letter: char) -> bool {
    matches!(letter, '\u{2e80}'..='\u{9fff}' | '“' | '”' | '\u{ff00}'..='\u{ff60}' | '\u{f900}'..='\u{faff}')
}
