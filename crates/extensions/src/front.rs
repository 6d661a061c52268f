//! Front matter: what stands between two lines `---` at the beginning of a file. It is YAML, read by a library within a tight
//! budget; where that fails, simple lines `key: value` are read, and that is said.

use crate::flaw::FlawKind;
use crate::names::{is_hiding, one_line};
use serde_json::{Map, Value};

/// A file in two parts.
pub(crate) struct Parted<'a> {
    pub(crate) matter: Option<&'a str>,
    pub(crate) body: &'a str,
}

/// Parts a file; an error where front matter begins and does not end.
pub(crate) fn split(text: &str) -> Result<Parted<'_>, FlawKind> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_rule = |line: &str| line.trim_end() == "---";
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| is_rule(line)) else {
        return Ok(Parted { matter: None, body: text });
    };
    let mut at = first.len();
    for line in lines {
        if is_rule(line) {
            let (matter, body) = (text.get(first.len()..at), text.get(at + line.len()..));
            return Ok(Parted { matter, body: body.unwrap_or_default() });
        }
        at += line.len();
    }
    Err(FlawKind::Unclosed)
}

/// What front matter says.
#[derive(Debug, Default)]
pub(crate) struct Matter {
    fields: Map<String, Value>,
    /// What is odd about it.
    pub(crate) flaws: Vec<FlawKind>,
}

impl Matter {
    /// Reads front matter; an error where nothing in it can be read.
    pub(crate) fn parse(text: &str) -> Result<Self, FlawKind> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        if let Some(fields) = plain(text) {
            return Ok(Self { fields, flaws: Vec::new() });
        }
        if let Ok(fields) = yaml(text) {
            return Ok(Self { fields, flaws: Vec::new() });
        }
        // Cursor writes `globs: *.ts,*.tsx`, which YAML takes for a reference.
        if let Some(fields) = quoted_globs(text).and_then(|text| yaml(&text).ok()) {
            return Ok(Self { fields, flaws: Vec::new() });
        }
        let fields = lines(text);
        if fields.is_empty() {
            return Err(FlawKind::Unparsed);
        }
        Ok(Self { fields, flaws: vec![FlawKind::Loose] })
    }

    /// A field as text in one line, within its bound. What is longer is cut, and that is noted.
    pub(crate) fn text(&mut self, name: &'static str, most: usize) -> Option<String> {
        let said = match self.fields.get(name)? {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Bool(yes) => yes.to_string(),
            // `argument-hint: [file]` is a list in YAML, and meant as it stands.
            Value::Array(list) => {
                let words: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
                format!("[{}]", words.join(", "))
            }
            _ => return None,
        };
        let (line, cut) = one_line(&said, most);
        if cut {
            self.flaws.push(FlawKind::Cut(name, most));
        }
        Some(line).filter(|line| !line.is_empty())
    }

    /// A field that is yes or no.
    pub(crate) fn is(&self, name: &str) -> Option<bool> {
        match self.fields.get(name)? {
            Value::Bool(yes) => Some(*yes),
            Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" => Some(true),
                "false" | "no" | "off" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// A field that lists rules: a list, or words with blanks or commas between them.
    pub(crate) fn rules(&self, name: &str) -> Option<Vec<String>> {
        match self.fields.get(name)? {
            Value::String(text) => Some(words(text)),
            Value::Array(list) => Some(list.iter().filter_map(Value::as_str).flat_map(words).collect()),
            _ => None,
        }
    }

    /// A field as it was written.
    pub(crate) fn value(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)
    }

    /// The names of its fields.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.keys().map(String::as_str)
    }

    /// True when it has this field.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.fields.contains_key(name)
    }

    /// A field that is one text or a list of them, each as it stands.
    pub(crate) fn texts(&self, name: &str) -> Option<Vec<String>> {
        let text = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(yes) => Some(yes.to_string()),
            _ => None,
        };
        let found: Vec<String> = match self.fields.get(name)? {
            Value::Array(list) => list.iter().filter_map(text).collect(),
            one => text(one).into_iter().collect(),
        };
        Some(found.into_iter().filter(|text| !text.trim().is_empty()).collect())
    }

    /// A field that lists patterns for paths: a list, or words with commas between them. What stands in braces stays together.
    pub(crate) fn globs(&self, name: &str) -> Option<Vec<String>> {
        let found: Vec<String> = match self.fields.get(name)? {
            Value::String(text) => patterns(text),
            Value::Array(list) => list.iter().filter_map(Value::as_str).flat_map(patterns).collect(),
            _ => return None,
        };
        Some(found).filter(|found| !found.is_empty())
    }

    /// True when what people see of it hides something.
    pub(crate) fn hides(&self) -> bool {
        ["name", "description", "argument-hint"]
            .iter()
            .any(|name| self.fields.get(*name).and_then(Value::as_str).is_some_and(is_hiding))
    }
}

/// Patterns apart from each other.
fn patterns(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = text.split(|c: char| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(|part| unquoted(part.trim()).to_owned()).filter(|part| !part.is_empty()).collect()
}

/// Words apart from each other; what stands in parentheses stays together.
fn words(text: &str) -> Vec<String> {
    let (mut found, mut word, mut depth) = (Vec::new(), String::new(), 0_usize);
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (c.is_whitespace() || c == ',') {
            found.push(std::mem::take(&mut word));
        } else {
            word.push(c);
        }
    }
    found.push(word);
    found.retain(|word| !word.is_empty());
    found
}

/// Fields that are so plain that no reading of YAML could see anything else in them: most files have only these, and the
/// library would take most of the time.
fn plain(text: &str) -> Option<Map<String, Value>> {
    let mut fields = Map::new();
    for line in text.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
        let (key, value) = line.split_once(": ")?;
        let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        let value = value.trim();
        let is_word = value.starts_with(|c: char| c.is_alphabetic());
        let special = |c: char| matches!(c, '#' | ':' | '\t' | '\u{85}' | '\u{2028}' | '\u{2029}') || c.is_control();
        if !is_key || !is_word || value.contains(special) || is_typed(value) {
            return None;
        }
        if fields.insert(key.to_owned(), Value::String(value.to_owned())).is_some() {
            return None;
        }
    }
    Some(fields)
}

/// True for a word that YAML may take for something else than text.
fn is_typed(value: &str) -> bool {
    let word = value.to_ascii_lowercase();
    matches!(word.as_str(), "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n" | "null" | "nan" | "inf")
}

/// The same text with patterns for files in quotes; none when there are none without.
fn quoted_globs(text: &str) -> Option<String> {
    let mut found = false;
    let quoted = |line: &str| {
        let (key, value) = line.split_once(':').filter(|(key, _)| matches!(*key, "globs" | "paths"))?;
        let value = value.trim();
        let bare = !value.is_empty() && !value.starts_with(['"', '\'', '[', '|', '>']);
        bare.then(|| format!("{key}: '{}'", value.replace('\'', "''")))
    };
    let lines = text.lines().map(|line| match quoted(line) {
        Some(quoted) => {
            found = true;
            quoted
        }
        None => line.to_owned(),
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    found.then_some(text)
}

/// By the library, which gives up on anything that would grow.
fn yaml(text: &str) -> Result<Map<String, Value>, serde_saphyr::Error> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: 2_000,
            max_nodes: 1_000,
            max_depth: 16,
            max_aliases: 16,
            max_anchors: 16,
            flow_nesting_limit: 16,
        },
    };
    serde_saphyr::from_str_with_options(text, options)
}

/// `key: value` line by line; what is indented goes on, and `- ` makes a list.
fn lines(text: &str) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut last: Option<String> = None;
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#')) {
        let indented = line.starts_with([' ', '\t']) || line.starts_with("- ");
        if let Some(value) = last.as_ref().filter(|_| indented).and_then(|key| fields.get_mut(key)) {
            go_on(value, line.trim());
            continue;
        }
        let Some((key, value)) = line.split_once(':') else { continue };
        let key = key.trim();
        if !key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)) || key.is_empty() {
            continue;
        }
        let value = value.trim();
        let value = if matches!(value, "|" | ">" | "|-" | ">-" | "|+" | ">+") { "" } else { unquoted(value) };
        fields.entry(key).or_insert_with(|| Value::String(value.to_owned()));
        last = Some(key.to_owned());
    }
    fields
}

fn go_on(value: &mut Value, more: &str) {
    match (value, more.strip_prefix("- ")) {
        (Value::Array(list), Some(item)) => list.push(Value::String(unquoted(item.trim()).to_owned())),
        (value @ Value::String(_), Some(item)) if value == "" => {
            *value = Value::Array(vec![Value::String(unquoted(item.trim()).to_owned())]);
        }
        (Value::String(text), _) => {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(more);
        }
        _ => {}
    }
}

fn unquoted(text: &str) -> &str {
    let within = |mark: char| text.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
    within('"').or_else(|| within('\'')).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::{Matter, plain, split, words, yaml};
    use crate::flaw::FlawKind;
    use proptest::prelude::*;

    #[test]
    fn front_matter_is_parted_from_the_body() {
        let parted = split("---\nname: x\n---\nbody\n---\nmore").unwrap();
        assert_eq!((parted.matter, parted.body), (Some("name: x\n"), "body\n---\nmore"));
        let parted = split("\u{feff}---\r\nname: x\r\n---\r\nbody").unwrap();
        assert_eq!((parted.matter, parted.body), (Some("name: x\r\n"), "body"));
        for text in ["body", "", "----\nx", "text\n---\nname: x\n---\n"] {
            assert!(split(text).unwrap().matter.is_none(), "{text:?}");
        }
        assert_eq!(split("---\nname: x\n").err(), Some(FlawKind::Unclosed));
    }

    #[test]
    fn what_is_no_yaml_is_read_in_lines() {
        let text = "name: x\ndescription: Use when: a, b\nallowed-tools:\n  - Read\n  - Bash(git:*)\nnotes: \"a\" b\n";
        let mut matter = Matter::parse(text).unwrap();
        assert_eq!(matter.flaws, [FlawKind::Loose]);
        assert_eq!(matter.text("description", 100).as_deref(), Some("Use when: a, b"));
        assert_eq!(matter.rules("allowed-tools").unwrap(), ["Read", "Bash(git:*)"]);
        assert_eq!(Matter::parse("[[[\n- \n").err(), Some(FlawKind::Unparsed));
        let mut folded = Matter::parse("name: x\ndescription: >-\n  one\n  two\n").unwrap();
        assert_eq!((folded.text("description", 100).as_deref(), folded.flaws.len()), (Some("one two"), 0));
        let mut hint = Matter::parse("argument-hint: [issue, branch]\n").unwrap();
        assert_eq!(hint.text("argument-hint", 100).as_deref(), Some("[issue, branch]"));
    }

    #[test]
    fn patterns_need_no_quotes() {
        for text in ["globs: *.tsx,*.ts\nalwaysApply: false\n", "description:\nglobs: **/*.{ts,tsx}, *.ts\n"] {
            let matter = Matter::parse(text).unwrap();
            assert!(matter.flaws.is_empty() && matter.globs("globs").unwrap().len() == 2, "{text}: {matter:?}");
        }
    }

    #[test]
    fn rules_are_words_and_parentheses_hold_together() {
        assert_eq!(
            words("Read, Grep  Bash(git add:*),Bash(git commit -m *)"),
            ["Read", "Grep", "Bash(git add:*)", "Bash(git commit -m *)"]
        );
    }

    #[test]
    fn what_would_grow_is_given_up() {
        let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for (name, before) in ["b", "c", "d", "e", "f", "g", "h"].iter().zip(["a", "b", "c", "d", "e", "f", "g"]) {
            let all = vec![format!("*{before}"); 10].join(", ");
            bomb.push_str(&format!("{name}: &{name} [{all}]\n"));
        }
        assert!(yaml(&bomb).is_err());
        assert!(yaml(&format!("a: {}", "[".repeat(5000))).is_err());
    }

    proptest! {
        #[test]
        fn the_short_way_sees_what_the_library_sees(text in "([a-z-]{1,8}: [ -~é中]{1,20}\n){1,4}") {
            if let Some(fields) = plain(&text) {
                prop_assert_eq!(Some(fields), yaml(&text).ok(), "{}", text);
            }
        }
    }
}
