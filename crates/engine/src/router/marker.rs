//! The line with which a model asks for a larger one. Only the very first line of an answer counts; anywhere else it is
//! text like any other. Pure.

const OPEN: &str = "<<<NEEDS_PRO";
const CLOSE: &str = ">>>";
/// Longer than any reason that was asked for.
const LONGEST: usize = 400;

/// What the beginning of an answer is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Marker {
    /// It may become the marker.
    Maybe,
    /// It is none, and cannot become one.
    No,
    /// It is one, with this reason.
    Yes(String),
}

pub(super) fn marker(text: &str) -> Marker {
    let text = text.trim_start();
    if text.len() < OPEN.len() {
        return if OPEN.starts_with(text) { Marker::Maybe } else { Marker::No };
    }
    let Some(rest) = text.strip_prefix(OPEN) else { return Marker::No };
    let line = rest.split('\n').next().unwrap_or_default();
    if let Some((inside, _)) = line.split_once(CLOSE) {
        return match inside.strip_prefix(':') {
            Some(reason) => Marker::Yes(reason.trim().chars().take(150).collect()),
            None if inside.trim().is_empty() => Marker::Yes(String::new()),
            None => Marker::No,
        };
    }
    if line.len() < rest.len() || rest.len() > LONGEST { Marker::No } else { Marker::Maybe }
}

#[cfg(test)]
mod tests {
    use super::{Marker, marker};

    #[test]
    fn only_the_first_line_counts() {
        for (text, expected) in [
            ("", Marker::Maybe),
            ("<<<", Marker::Maybe),
            ("  <<<NEEDS_PRO", Marker::Maybe),
            ("<<<NEEDS_PRO: too many files", Marker::Maybe),
            ("<<<NEEDS_PRO>>>", Marker::Yes(String::new())),
            ("\n<<<NEEDS_PRO: a hard proof >>> and more", Marker::Yes("a hard proof".into())),
            ("<<<NEEDS_PRO: two\nlines>>>", Marker::No),
            ("<<<NEEDS_PROOF>>>", Marker::No),
            ("Use <<<NEEDS_PRO>>> for that", Marker::No),
            ("<<x", Marker::No),
            ("hello", Marker::No),
        ] {
            assert_eq!(marker(text), expected, "{text:?}");
        }
        assert_eq!(marker(&format!("<<<NEEDS_PRO: {}", "x".repeat(500))), Marker::No, "it is not waited for for ever");
    }
}
