//! The names under which models call what servers bring: `mcp__server__tool`, in characters that every wire takes, and never
//! two that a person could take for each other.

use reasonix_proto::visible;
use serde::{Deserialize, Serialize};

/// The longest name that every wire takes.
const LONGEST: usize = 64;
/// What is cut from a long name is told apart by this many digits of its content.
const DIGITS: usize = 8;

/// A name that models and rules use.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct McpName(String);

impl McpName {
    /// The name of something that a server has; why it has none otherwise.
    pub fn of(server: &str, own: &str) -> Result<Self, String> {
        if own.trim().is_empty() {
            return Err("it has no name".to_owned());
        }
        let shown = visible(own);
        if shown != own {
            return Err(format!("its name has characters that are hidden or look like others: {}", cut(&shown, 120)));
        }
        let whole = format!("mcp__{}__{}", plain(server), plain(own));
        let lost = |name: &str| name.chars().any(|c| c.is_alphanumeric() && !c.is_ascii());
        if whole.len() <= LONGEST && !lost(server) && !lost(own) {
            return Ok(Self(whole));
        }
        // The whole of it, so that two that begin alike, or are written in another script, stay two.
        let digest = blake3::hash(format!("{server}\0{own}").as_bytes()).to_hex();
        let head = cut(&whole, LONGEST - DIGITS - 1);
        Ok(Self(format!("{head}_{}", cut(&digest, DIGITS))))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Every character that some wire refuses becomes a line.
fn plain(name: &str) -> String {
    let legal = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    name.trim().chars().map(legal).collect()
}

/// At most so many bytes from the beginning.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or_default()
}

/// True for two names that a person would take for one.
pub fn same_look(one: &str, other: &str) -> bool {
    look(one) == look(other)
}

/// What a name looks like at a glance: capitals, blanks of all kinds and signs that resemble each other are one.
pub(crate) fn look(name: &str) -> String {
    let lower = name.to_lowercase().replace("rn", "m").replace("vv", "w");
    let mut out = String::with_capacity(lower.len());
    for c in lower.chars().filter(|c| c.is_ascii() || visible(&c.to_string()) == c.to_string()) {
        let c = match c {
            '0' => 'o',
            '1' | 'i' | '|' => 'l',
            '5' => 's',
            c if c.is_alphanumeric() => c,
            _ => '_',
        };
        if c != '_' || !out.ends_with('_') {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, McpName, same_look};

    #[test]
    fn names_have_only_what_every_wire_takes() {
        for (server, own, wanted) in [
            ("files", "read", "mcp__files__read"),
            ("my files", "read file", "mcp__my_files__read_file"),
            ("a.b/c", "x:y", "mcp__a_b_c__x_y"),
            ("服务", "读取", "mcp______"),
        ] {
            let name = McpName::of(server, own).unwrap();
            assert!(name.as_str().starts_with(wanted), "{name:?}");
        }
        let (one, other) = ("x".repeat(100), format!("{}y", "x".repeat(100)));
        let long = |own: &str| McpName::of("server", own).unwrap();
        assert_eq!(long(&one).as_str().len(), LONGEST);
        assert_ne!(long(&one), long(&other), "what is cut is told apart");
        assert_ne!(long("读取"), long("写入"), "and so is what no wire can spell");
    }

    #[test]
    fn hidden_and_foreign_letters_are_refused() {
        for own in ["re\u{200b}ad", "re\u{430}d", "read\u{202e}", "\u{ff52}ead", "", " "] {
            assert!(McpName::of("files", own).is_err(), "{own:?}");
        }
        assert!(McpName::of("files", "прочитать").is_ok(), "a word of another script is a word");
    }

    #[test]
    fn what_looks_alike_is_known() {
        for (one, other) in [
            ("read_file", "Read-File"),
            ("list", "1ist"),
            ("modern", "modem"),
            ("go", "g0"),
            ("a_b", "a__b"),
            ("li", "ll"),
        ] {
            assert!(same_look(one, other), "{one} {other}");
        }
        for (one, other) in [("read", "write"), ("get_a", "get_b"), ("read", "reads")] {
            assert!(!same_look(one, other), "{one} {other}");
        }
    }
}
