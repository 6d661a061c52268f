//! Code and commands inside of a text.

use crate::pattern::patterns;
use std::ops::Range;

patterns! {
    INLINE = r"`([^`\n]+)`";
    BARE = r"(?:^|[^\w`./-])((?:npm|pnpm|yarn|bun) (?:run )?[a-z][\w:-]*|(?:cargo|go|mvn|dotnet|flutter|dart|deno|terraform|mix|sbt|swift) (?:build|vet|check|clippy|fmt|format|lint|analyze|validate|compile|package)\b|g?make (?:check|test|lint|ci|verify)\b|(?:mvn|mvnw|tofu|helm|buf|bazel|meson|uv|poetry|composer) (?:verify|install|lint|validate|build|compile|breaking)\b|(?:\./)?gradlew? [a-z][\w:]*)";
}

/// What stands in signs for code, and where.
pub(crate) fn quoted(text: &str) -> Vec<(Range<usize>, &str)> {
    INLINE.all(text)
}

/// The code that a text ends with.
pub(crate) fn ends_with(text: &str) -> Option<&str> {
    let (range, code) = quoted(text).pop()?;
    text.get(range.end + 1..).is_some_and(|rest| rest.trim().is_empty()).then_some(code)
}

/// Commands that stand in a text without signs for code.
pub(crate) fn bare(text: &str) -> Vec<(Range<usize>, &str)> {
    let code = quoted(text);
    let apart =
        |range: &Range<usize>| !code.iter().any(|(place, _)| place.start <= range.end && range.start <= place.end);
    BARE.all(text).into_iter().filter(|(range, _)| apart(range)).collect()
}
