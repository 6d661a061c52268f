//! What a rule says of when it speaks up: which expressions, in which texts, and whether it interrupts.

use crate::automaton::check;
use crate::flaw::FlawKind;
use crate::front::Matter;
use crate::pattern::glob;
use globset::GlobMatcher;
use reasonix_proto::tools;

const MOST_CONDITIONS: usize = 16;
const MOST_SCOPES: usize = 32;
/// The tools that a pattern for files in place of an expression means.
const WRITERS: [&str; 2] = [tools::EDIT_FILE, tools::WRITE_FILE];

/// When a rule speaks up.
#[derive(Debug, Clone)]
pub struct StreamTerms {
    /// What it watches for, as it was written.
    pub conditions: Vec<String>,
    /// Where an interruption is due.
    pub interrupts: InterruptMode,
    pub(crate) triggers: Vec<Trigger>,
}

/// One thing that is watched for.
#[derive(Debug, Clone)]
pub(crate) struct Trigger {
    /// None for anything at all.
    pub(crate) expression: Option<String>,
    pub(crate) scopes: Vec<StreamScope>,
}

/// A kind of text.
#[derive(Debug, Clone)]
pub(crate) enum StreamScope {
    Text,
    Thinking,
    /// The arguments of calls: of this tool, and of those that are about such a file.
    Call {
        tool: Option<String>,
        about: Option<GlobMatcher>,
    },
}

/// In which texts a hit interrupts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InterruptMode {
    /// In none.
    Never,
    /// In what the model says and thinks.
    Prose,
    /// In what it calls.
    Tool,
    /// In all.
    #[default]
    Always,
}

impl StreamTerms {
    /// What front matter says; none when it has no condition that can be used.
    pub(crate) fn of(matter: &mut Matter) -> Option<Self> {
        let written = matter.texts("condition")?;
        if written.len() > MOST_CONDITIONS {
            matter.flaws.push(FlawKind::TooMany(MOST_CONDITIONS));
        }
        let (scopes, mut flaws) = scopes(matter);
        let (mut conditions, mut triggers) = (Vec::new(), Vec::new());
        for condition in written.into_iter().take(MOST_CONDITIONS) {
            match Trigger::of(&condition, &scopes) {
                Ok(trigger) => {
                    conditions.push(condition);
                    triggers.push(trigger);
                }
                Err(reason) => flaws.push(FlawKind::BadCondition(condition, reason)),
            }
        }
        triggers.retain(|trigger| !trigger.scopes.is_empty());
        let interrupts = match matter.text("interruptMode", 20).as_deref() {
            None | Some("always") => InterruptMode::Always,
            Some("never") => InterruptMode::Never,
            Some("prose-only") => InterruptMode::Prose,
            Some("tool-only") => InterruptMode::Tool,
            Some(other) => {
                flaws.push(FlawKind::BadInterrupt(other.to_owned()));
                InterruptMode::Always
            }
        };
        matter.flaws.extend(flaws);
        (!triggers.is_empty()).then_some(Self { conditions, interrupts, triggers })
    }
}

impl Trigger {
    fn of(condition: &str, scopes: &[StreamScope]) -> Result<Self, String> {
        if looks_like_glob(condition) {
            let about = glob(condition).map_err(|error| error.to_string())?.compile_matcher();
            let of = |tool: &str| StreamScope::Call { tool: Some(tool.to_owned()), about: Some(about.clone()) };
            return Ok(Self { expression: None, scopes: WRITERS.map(of).to_vec() });
        }
        check(condition)?;
        Ok(Self { expression: Some(condition.to_owned()), scopes: scopes.to_vec() })
    }
}

/// A pattern for files where an expression could stand. No expression begins with a star, and few have a star behind a slash.
fn looks_like_glob(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "_-./*?{},!".contains(c);
    let starred = text.starts_with('*') || ((text.contains("/*") || text.contains("**/")) && !text.contains(".*"));
    starred && text.chars().all(plain)
}

/// The texts that a rule is about. Without a word on it: what the model says and every call; where it names files, calls alone.
fn scopes(matter: &Matter) -> (Vec<StreamScope>, Vec<FlawKind>) {
    let Some(written) = matter.rules("scope").filter(|written| !written.is_empty()) else {
        let named = matter.globs("globs").or_else(|| matter.globs("paths")).is_some();
        let calls = StreamScope::Call { tool: None, about: None };
        return (if named { vec![calls] } else { vec![StreamScope::Text, calls] }, Vec::new());
    };
    let (mut scopes, mut flaws) = (Vec::new(), Vec::new());
    if written.len() > MOST_SCOPES {
        flaws.push(FlawKind::TooMany(MOST_SCOPES));
    }
    for word in written.into_iter().take(MOST_SCOPES) {
        match StreamScope::of(&word) {
            Some(scope) => scopes.push(scope),
            None => flaws.push(FlawKind::BadScope(word)),
        }
    }
    (scopes, flaws)
}

impl StreamScope {
    fn of(word: &str) -> Option<Self> {
        match word {
            "text" => return Some(Self::Text),
            "thinking" => return Some(Self::Thinking),
            "tool" => return Some(Self::Call { tool: None, about: None }),
            _ => {}
        }
        let rest = word.strip_prefix("tool:")?;
        let (name, about) = match rest.split_once('(') {
            Some((name, inner)) => (name, Some(glob(inner.strip_suffix(')')?.trim()).ok()?.compile_matcher())),
            None => (rest, None),
        };
        let is_tool = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let known = !name.is_empty() && name.chars().all(is_tool);
        known.then(|| Self::Call { tool: Some(name.to_owned()), about })
    }
}

#[cfg(test)]
mod tests {
    use super::{InterruptMode, StreamScope, StreamTerms, looks_like_glob};
    use crate::flaw::FlawKind;
    use crate::front::Matter;

    fn terms(text: &str) -> (Option<StreamTerms>, Vec<FlawKind>) {
        let mut matter = Matter::parse(text).unwrap();
        (StreamTerms::of(&mut matter), matter.flaws)
    }

    #[test]
    fn conditions_are_one_or_many_and_bad_ones_are_named() {
        let (found, flaws) = terms("condition: unwrap\n");
        assert_eq!((found.unwrap().conditions, flaws.len()), (vec!["unwrap".to_owned()], 0));
        let (found, flaws) = terms("condition: ['a, b', '(x', '*.sql']\ninterruptMode: prose-only\n");
        let found = found.unwrap();
        assert_eq!((found.conditions, found.interrupts), (vec!["a, b".into(), "*.sql".into()], InterruptMode::Prose));
        assert!(
            matches!(&flaws[..], [FlawKind::BadCondition(which, why)] if which == "(x" && why.contains("unclosed"))
        );
        let writers: Vec<_> = found.triggers[1].scopes.iter().collect();
        assert!(
            matches!(&writers[..], [StreamScope::Call { tool: Some(one), about: Some(_) }, _] if one == "edit_file")
        );
        assert!(terms("condition: ['(x']\n").0.is_none());
        assert!(terms("description: x\n").0.is_none());
        assert_eq!(terms("condition: x\ninterruptMode: loudly\n").1, [FlawKind::BadInterrupt("loudly".to_owned())]);
    }

    #[test]
    fn scopes_are_words() {
        let (found, flaws) =
            terms("condition: x\nscope: text, thinking tool:bash tool:edit_file(src/**/*.rs), elsewhere\n");
        assert_eq!(found.unwrap().triggers[0].scopes.len(), 4);
        assert_eq!(flaws, [FlawKind::BadScope("elsewhere".to_owned())]);
        for (text, texts) in [("condition: x\n", 2), ("condition: x\nglobs: \"*.ts\"\n", 1)] {
            assert_eq!(terms(text).0.unwrap().triggers[0].scopes.len(), texts, "{text}");
        }
        assert!(terms("condition: x\nscope: [nowhere]\n").0.is_none(), "a rule that watches nothing is none");
    }

    #[test]
    fn patterns_are_told_from_expressions() {
        for text in ["*.rs", "**/*.test.ts", "src/**", "web/*.{ts,tsx}", "db/**/*.sql"] {
            assert!(looks_like_glob(text), "{text}");
        }
        for text in ["unwrap", ".*", "a.*b", r"src/.*\.rs", "x/*y.*", r"\*", "a|b/*", "console.log"] {
            assert!(!looks_like_glob(text), "{text}");
        }
    }
}
