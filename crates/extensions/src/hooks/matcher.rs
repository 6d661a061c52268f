//! For which tools a hook is.

use super::HookDialect;
use regex::Regex;

/// Longer ones are no patterns that anybody wrote.
const LONGEST: usize = 2000;

/// What a name has to be.
#[derive(Debug, Clone)]
pub struct HookMatcher(Kind);

#[derive(Debug, Clone)]
enum Kind {
    All,
    OneOf(Vec<String>),
    Pattern(Regex),
}

impl HookMatcher {
    /// Every name.
    pub const ALL: Self = Self(Kind::All);

    /// Reads a matcher. Ours is an expression for the whole name. Claude Code's is a name or a list of names, and an
    /// expression for a part of the name where other characters stand in it.
    pub fn read(text: Option<&str>, dialect: HookDialect) -> Result<Self, String> {
        let Some(text) = text.map(str::trim).filter(|text| !matches!(*text, "" | "*")) else { return Ok(Self::ALL) };
        if text.len() > LONGEST {
            return Err(format!("more than {LONGEST} bytes"));
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "_- ,|".contains(c);
        if dialect == HookDialect::Claude && text.chars().all(plain) {
            let names = text.split(['|', ',']).map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
            return Ok(Self(Kind::OneOf(names.collect())));
        }
        let whole = match dialect {
            HookDialect::Own => format!("^(?:{text})$"),
            HookDialect::Claude => text.to_owned(),
        };
        let shorter = |error: regex::Error| error.to_string().lines().last().unwrap_or_default().trim().to_owned();
        Regex::new(&whole).map(|pattern| Self(Kind::Pattern(pattern))).map_err(shorter)
    }

    /// True when one of these names is meant.
    pub fn fits(&self, names: &[&str]) -> bool {
        match &self.0 {
            Kind::All => true,
            Kind::OneOf(known) => names.iter().any(|name| known.iter().any(|known| known == name)),
            Kind::Pattern(pattern) => names.iter().any(|name| pattern.is_match(name)),
        }
    }

    /// As it was written; empty for every name.
    pub fn text(&self) -> String {
        match &self.0 {
            Kind::All => String::new(),
            Kind::OneOf(names) => names.join("|"),
            Kind::Pattern(pattern) => {
                let text = pattern.as_str();
                text.strip_prefix("^(?:").and_then(|text| text.strip_suffix(")$")).unwrap_or(text).to_owned()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{HookDialect, HookMatcher};

    #[test]
    fn a_matcher_is_read_as_its_dialect_has_it() {
        use HookDialect::{Claude, Own};
        for (text, dialect, name, fits) in [
            (None, Own, "read_file", true),
            (Some("*"), Own, "read_file", true),
            (Some("file"), Own, "read_file", false),
            (Some(".*file"), Own, "read_file", true),
            (Some("bash|write_file"), Own, "write_file", true),
            (Some("bash|write_file"), Own, "write_file2", false),
            (Some(""), Claude, "Bash", true),
            (Some("Edit|Write"), Claude, "Write", true),
            (Some("Edit, Write"), Claude, "Write", true),
            (Some("Edit"), Claude, "MultiEdit", false),
            (Some("edit"), Claude, "Edit", false),
            (Some("mcp__.*"), Claude, "mcp__git__log", true),
            (Some("mcp__memory"), Claude, "mcp__memory__x", false),
            (Some("Edit.*"), Claude, "MultiEdit", true),
            (Some("^Edit$"), Claude, "MultiEdit", false),
        ] {
            let matcher = HookMatcher::read(text, dialect).unwrap();
            assert_eq!(matcher.fits(&[name]), fits, "{text:?} {dialect:?} {name}");
        }
        assert!(HookMatcher::read(Some("(?=x)"), Claude).is_err());
        assert_eq!(HookMatcher::read(Some("a.*"), Own).unwrap().text(), "a.*");
    }
}
