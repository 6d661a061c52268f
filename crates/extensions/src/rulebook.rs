//! Rules: Markdown files with instructions that hold always, for certain files, or when a model looks them up.

use crate::file::whole;
use crate::flaw::{ExtensionFlaw, FlawKind};
use crate::front::{Matter, split};
use crate::names::{BroughtBy, ShadowedExtension, is_hiding, is_name};
use crate::pattern::glob;
use crate::terms::StreamTerms;
use globset::{GlobSet, GlobSetBuilder};
use reasonix_proto::unhidden;
use std::path::{Path, PathBuf};

const LONGEST_DESCRIPTION: usize = 1024;
/// Patterns of one rule, and how long and how branched one may be: what they become is built for each of them.
const MOST_GLOBS: usize = 64;
const LONGEST_GLOB: usize = 200;
const MOST_BRANCHES: usize = 8;
/// Always-rules may take this part of the window, and the list of the others half of it.
const SHARE: u64 = 50;
/// A window of which nothing is known.
const USUAL_WINDOW: u64 = 128_000;

const ALWAYS: &str = "# Rules that always hold\n";
const OTHERS: &str =
    "# Rules for certain work\nBefore you begin work that one is about, read it with read_file rule://NAME.\n";

/// How the files of a folder are meant, where they do not say it in our words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `alwaysApply`, `globs`, `description`; nothing holds that says none of them.
    Marked,
    /// The same, but one that says nothing of it in its head is put into a prompt by hand.
    ByHand,
    /// A rule without `paths` holds always.
    Plain,
    /// `trigger` says when; without it, always.
    Triggered,
}

/// One rule.
#[derive(Debug, Clone)]
pub struct RuleText {
    /// Its name: that of its file.
    pub name: String,
    /// Its file.
    pub file: PathBuf,
    /// Who brought it.
    pub by: BroughtBy,
    /// What it is about, in one line.
    pub description: Option<String>,
    /// The files that it is about, as it names them.
    pub globs: Vec<String>,
    /// It holds always.
    pub always: bool,
    /// It holds when somebody names it, and is told at no other time.
    pub by_hand: bool,
    /// When it speaks up while a model writes; a rule that does is told at no other time.
    pub stream: Option<StreamTerms>,
    /// What it says, without what nobody sees.
    pub text: String,
    about: GlobSet,
}

/// The rules that were found, sorted by name.
#[derive(Debug, Clone, Default)]
pub struct FoundRules {
    /// Those that count.
    pub rules: Vec<RuleText>,
    /// Those that another one stands before.
    pub shadowed: Vec<ShadowedExtension>,
    /// What is wrong with files.
    pub flaws: Vec<ExtensionFlaw>,
}

impl RuleText {
    /// Reads a rule that lies in a folder somebody brought; also what is odd about it.
    pub(crate) fn read(
        path: &Path,
        (within, by): (&Path, BroughtBy),
        dialect: Dialect,
    ) -> Result<(Self, Vec<FlawKind>), FlawKind> {
        let own = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().trim_start_matches('.');
        let text = whole(path, within)?;
        let (rule, flaws) = Self::parse(&text, own, by, dialect)?;
        Ok((Self { file: path.to_owned(), ..rule }, flaws))
    }

    /// From a text, and the name that its file has.
    pub(crate) fn parse(
        text: &str,
        own: &str,
        by: BroughtBy,
        dialect: Dialect,
    ) -> Result<(Self, Vec<FlawKind>), FlawKind> {
        let parted = split(text)?;
        let mut matter = parted.matter.map(Matter::parse).transpose()?.unwrap_or_default();
        if matter.hides() || is_hiding(own) {
            return Err(FlawKind::Hidden);
        }
        if !is_name(own) {
            return Err(FlawKind::BadName(own.to_owned()));
        }
        let stream = StreamTerms::of(&mut matter);
        let globs = matter.globs("globs").or_else(|| matter.globs("paths")).unwrap_or_default();
        let description = matter.text("description", LONGEST_DESCRIPTION);
        let trigger = matter.text("trigger", LONGEST_DESCRIPTION);
        let always = match dialect {
            Dialect::Marked | Dialect::ByHand => matter.is("alwaysApply").unwrap_or(false),
            Dialect::Plain => globs.is_empty() && matter.is("alwaysApply").unwrap_or(true),
            Dialect::Triggered => trigger.is_none_or(|word| word == "always_on"),
        };
        let always = always && stream.is_none();
        let silent = !always && stream.is_none() && globs.is_empty() && description.is_none();
        let by_hand = silent && dialect == Dialect::ByHand && parted.matter.is_some();
        if silent && !by_hand {
            // What was meant is said, where it is known.
            let meant = |flaw: &FlawKind| matches!(flaw, FlawKind::BadCondition(..) | FlawKind::BadScope(_));
            return Err(matter.flaws.into_iter().find(meant).unwrap_or(FlawKind::NeverHolds));
        }
        let about = set(&globs, &mut matter.flaws);
        let text = unhidden(parted.body.trim()).text.into_owned();
        let name = own.to_owned();
        Ok((
            Self { name, file: PathBuf::new(), by, description, globs, always, by_hand, stream, text, about },
            matter.flaws,
        ))
    }

    /// True when it names the files that it is about.
    pub(crate) fn names_files(&self) -> bool {
        !self.about.is_empty()
    }

    /// True when it is about this file, by its path below the project's folder.
    pub fn is_about(&self, path: &Path) -> bool {
        !self.about.is_empty() && self.about.is_match(path)
    }

    /// All of it, as it stands among those that always hold.
    pub fn chapter(&self) -> String {
        format!("\n## {}\n{}\n", self.name, self.text)
    }

    /// What it is about, in one line.
    pub fn line(&self) -> String {
        let globs = if self.globs.is_empty() { String::new() } else { format!(" ({})", self.globs.join(", ")) };
        let about = self.description.clone().unwrap_or_default();
        format!("- {}{globs}: {about}", self.name).trim_end_matches([':', ' ']).to_owned() + "\n"
    }
}

/// The patterns together. One without a folder in it means a file of that name anywhere, as `.gitignore` has it.
fn set(globs: &[String], flaws: &mut Vec<FlawKind>) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    if globs.len() > MOST_GLOBS {
        flaws.push(FlawKind::TooMany(MOST_GLOBS));
    }
    let fits = |text: &str| text.len() <= LONGEST_GLOB && text.matches(['{', '*']).count() <= MOST_BRANCHES;
    for text in globs.iter().take(MOST_GLOBS) {
        match glob(text).ok().filter(|_| fits(text)) {
            Some(glob) => {
                builder.add(glob);
            }
            None => flaws.push(FlawKind::BadGlob(text.clone())),
        }
    }
    builder.build().unwrap_or_default()
}

/// What a model is told of rules.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RulesChapter {
    /// Those that always hold, whole.
    pub always: String,
    /// The list of the others.
    pub others: String,
    /// Always-rules for which there was no room; they are in the list.
    pub left: Vec<String>,
}

impl FoundRules {
    /// The chapters on rules for a window of this many tokens; empty when there are none. The same rules give the same bytes.
    pub fn chapter(&self, window: u64, tokens: &dyn Fn(&str) -> u64) -> RulesChapter {
        let room = if window == 0 { USUAL_WINDOW } else { window } / SHARE;
        let mut chapter = RulesChapter::default();
        let (mut always, mut others) = (ALWAYS.to_owned(), Vec::new());
        for rule in self.rules.iter().filter(|rule| rule.stream.is_none() && !rule.by_hand) {
            let more = format!("{always}{}", rule.chapter());
            match rule.always {
                true if rule.text.is_empty() => {}
                true if tokens(&more) <= room => always = more,
                true => {
                    chapter.left.push(rule.name.clone());
                    others.push(rule.line());
                }
                false => others.push(rule.line()),
            }
        }
        if always != ALWAYS {
            chapter.always = always;
        }
        chapter.others = listed(&others, room / 2, tokens);
        chapter
    }

    /// The rule of this name.
    pub fn named(&self, name: &str) -> Option<&RuleText> {
        self.rules.iter().find(|rule| rule.name == name.trim())
    }
}

/// As many lines as there is room for, and how many there are more.
fn listed(lines: &[String], room: u64, tokens: &dyn Fn(&str) -> u64) -> String {
    let some = |count: usize| {
        let more = lines.len() - count;
        let end = if more == 0 { String::new() } else { format!("[{more} more: read_file rule:// lists them]\n") };
        format!("{OTHERS}{}{end}", lines.iter().take(count).cloned().collect::<String>())
    };
    if lines.is_empty() {
        return String::new();
    }
    let count = (0..=lines.len()).rev().find(|count| tokens(&some(*count)) <= room).unwrap_or(0);
    some(count)
}

/// What of the rules an address means: the name of one, empty for the list of them. None when it is no such address.
pub fn rule_at(address: &str) -> Option<&str> {
    address.strip_prefix("rule://").map(|name| name.trim_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::{Dialect, FoundRules, RuleText};
    use crate::flaw::FlawKind;
    use crate::names::BroughtBy;
    use std::path::Path;

    fn read(text: &str, dialect: Dialect) -> Result<(RuleText, Vec<FlawKind>), FlawKind> {
        RuleText::parse(text, "style", BroughtBy::Project, dialect)
    }

    #[test]
    fn what_holds_when_in_the_words_of_each_program() {
        use Dialect::{Marked, Plain, Triggered};
        for (text, dialect, always) in [
            ("---\nalwaysApply: true\n---\nx", Marked, Some(true)),
            ("---\nalwaysApply: false\nglobs: \"*.ts\"\n---\nx", Marked, Some(false)),
            ("---\ndescription: On style\n---\nx", Marked, Some(false)),
            ("x", Marked, None),
            ("---\nalwaysApply: false\n---\nx", Marked, None),
            ("x", Plain, Some(true)),
            ("---\npaths:\n  - \"src/**/*.ts\"\n---\nx", Plain, Some(false)),
            ("x", Triggered, Some(true)),
            ("---\ntrigger: always_on\n---\nx", Triggered, Some(true)),
            ("---\ntrigger: glob\nglobs: src/**\n---\nx", Triggered, Some(false)),
            ("---\ntrigger: model_decision\ndescription: On style\n---\nx", Triggered, Some(false)),
            ("---\ntrigger: manual\n---\nx", Triggered, None),
        ] {
            let got = read(text, dialect);
            assert_eq!(got.as_ref().map(|(rule, _)| rule.always).ok(), always, "{text}: {got:?}");
            assert!(always.is_some() || got.err() == Some(FlawKind::NeverHolds), "{text}");
        }
    }

    #[test]
    fn what_is_named_by_hand_is_no_broken_rule() {
        let (rule, flaws) = read("---\ndescription:\nglobs:\nalwaysApply: false\n---\nx", Dialect::ByHand).unwrap();
        assert!(rule.by_hand && flaws.is_empty(), "{flaws:?}");
        let found = FoundRules { rules: vec![rule], ..FoundRules::default() };
        assert_eq!(found.chapter(0, &|_| 0), super::RulesChapter::default());
        assert_eq!(read("x", Dialect::ByHand).err(), Some(FlawKind::NeverHolds), "nothing was meant by it");
        assert!(!read("---\nalwaysApply: true\n---\nx", Dialect::ByHand).unwrap().0.by_hand);
    }

    #[test]
    fn a_rule_that_watches_is_told_at_no_other_time() {
        let text = "---\ncondition: unwrap\ndescription: On unwrap\nalwaysApply: true\n---\nUse `?`.";
        let (rule, flaws) = read(text, Dialect::Marked).unwrap();
        assert!(rule.stream.is_some() && !rule.always && flaws.is_empty());
        let found = FoundRules { rules: vec![rule], ..FoundRules::default() };
        assert_eq!(found.chapter(0, &|_| 0), super::RulesChapter::default());
        let (rule, flaws) = read("---\ncondition: (x\nalwaysApply: true\n---\nx", Dialect::Marked).unwrap();
        assert!(rule.stream.is_none() && rule.always && flaws.len() == 1, "{flaws:?}");
        let broken = read("---\ncondition: (x\n---\nx", Dialect::Marked).err();
        assert!(matches!(broken, Some(FlawKind::BadCondition(..))), "{broken:?}");
    }

    #[test]
    fn patterns_are_lists_or_words_and_braces_hold_together() {
        let (rule, flaws) = read("---\nglobs: *.rs, web/**/*.{ts,tsx},docs/\n---\nx", Dialect::Marked).unwrap();
        assert_eq!(rule.globs, ["*.rs", "web/**/*.{ts,tsx}", "docs/"]);
        assert!(flaws.iter().all(FlawKind::is_harmless), "{flaws:?}");
        for (path, about) in [
            ("a.rs", true),
            ("deep/er/a.rs", true),
            ("web/a.tsx", true),
            ("web/x/a.ts", true),
            ("a.ts", false),
            ("docs/x/y.md", true),
            ("more/docs/y.md", false),
        ] {
            assert_eq!(rule.is_about(Path::new(path)), about, "{path}");
        }
        let (_, flaws) = read("---\nglobs: [\"a[\"]\ndescription: x y\n---\nx", Dialect::Marked).unwrap();
        assert_eq!(flaws, [FlawKind::BadGlob("a[".to_owned())]);
        for glob in ["x".repeat(300), "{a,b}".repeat(30)] {
            let (rule, flaws) =
                read(&format!("---\nglobs: [\"{glob}\"]\ndescription: x y\n---\nx"), Dialect::Marked).unwrap();
            assert!(!rule.is_about(Path::new(&glob)) && flaws.contains(&FlawKind::BadGlob(glob.clone())), "{glob}");
        }
    }

    #[test]
    fn what_does_not_fit_is_listed_and_the_same_rules_give_the_same_bytes() {
        let rule = |name: &str, always: bool, words: usize| {
            let text = format!("---\ndescription: About {name}\nalwaysApply: {always}\n---\n{}", "word ".repeat(words));
            RuleText::parse(&text, name, BroughtBy::User, Dialect::Marked).unwrap().0
        };
        let rules = vec![rule("a", true, 5), rule("b", true, 5000), rule("c", false, 5), rule("d", true, 5)];
        let found = FoundRules { rules, ..FoundRules::default() };
        let chapter = found.chapter(8_000, &|text| text.len() as u64 / 4);
        assert_eq!(chapter.left, ["b"]);
        assert!(chapter.always.contains("## a\nword") && chapter.always.contains("## d\nword"), "{}", chapter.always);
        assert!(chapter.others.ends_with("- b: About b\n- c: About c\n"), "{}", chapter.others);
        assert_eq!(found.chapter(8_000, &|text| text.len() as u64 / 4), chapter);
        let small = found.chapter(1_000, &|text| text.len() as u64);
        assert_eq!((small.always.as_str(), small.left.len()), ("", 3));
        assert!(small.others.contains("4 more"), "{}", small.others);
        assert_eq!(FoundRules::default().chapter(0, &|_| 0), super::RulesChapter::default());
    }
}
