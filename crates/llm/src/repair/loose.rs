//! Reads what is almost JSON: one value, and what had to be overlooked for it. Pure, and bounded in depth.
//! It never adds content: what broke off is left out or ends early, and is said to.

use serde_json::{Map, Value};

/// How deep values may nest.
const DEPTH: usize = 64;

/// A value that was read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Read {
    pub(crate) value: Value,
    /// The byte behind it.
    pub(crate) end: usize,
    pub(crate) marks: Marks,
}

/// What was overlooked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    /// Faults of spelling, each once, in the order they were met.
    pub(crate) faults: Vec<&'static str>,
    /// Quotation marks inside a text were not escaped.
    pub(crate) quotes: bool,
    /// Where the text broke off.
    pub(crate) cut: Cut,
}

/// How a text broke off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Cut {
    /// It did not.
    #[default]
    No,
    /// Only closing brackets are missing.
    Brackets,
    /// Something of the content is missing; the member in which it broke off, as far as it is known.
    Inside(String),
}

impl Marks {
    fn fault(&mut self, what: &'static str) {
        if !self.faults.contains(&what) {
            self.faults.push(what);
        }
    }

    fn brackets(&mut self) {
        if self.cut == Cut::No {
            self.cut = Cut::Brackets;
        }
    }
}

/// Reads one value at the beginning of a text.
pub(crate) fn read(text: &str) -> Option<Read> {
    let mut reader = Reader { text, at: 0, marks: Marks::default(), member: String::new() };
    let value = reader.value(0)?;
    Some(Read { value, end: reader.at, marks: reader.marks })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    marks: Marks,
    /// The member that is being read.
    member: String,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, c: char) -> bool {
        let there = self.peek() == Some(c);
        if there {
            self.at += c.len_utf8();
        }
        there
    }

    fn inside(&mut self) {
        if !matches!(self.marks.cut, Cut::Inside(_)) {
            self.marks.cut = Cut::Inside(self.member.clone());
        }
    }

    /// Skips white space and comments.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let spaces = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
            self.at += spaces;
            let rest = self.rest();
            let comment = if rest.starts_with("//") || rest.starts_with('#') {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                return;
            };
            self.marks.fault("comment");
            self.at += comment;
        }
    }

    /// A value; none when there is nothing that could be one. At the end of the text it may be a part of one, or none.
    fn value(&mut self, depth: usize) -> Option<Value> {
        self.skip();
        match self.peek()? {
            _ if depth > DEPTH => None,
            '{' => self.object(depth),
            '[' => self.array(depth),
            '"' | '\'' | '“' | '`' => self.string(false).map(Value::String),
            '-' | '+' | '.' | '0'..='9' => self.number(),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut map = Map::new();
        loop {
            self.skip();
            match self.peek() {
                None => {
                    if !map.is_empty() || self.text.trim_end().ends_with(',') {
                        self.after_member(&map);
                    } else {
                        self.inside();
                    }
                    return Some(Value::Object(map));
                }
                Some('}') => {
                    self.at += 1;
                    return Some(Value::Object(map));
                }
                // One bracket of the wrong kind closes what is open.
                Some(']') => {
                    self.at += 1;
                    self.marks.fault("bracket");
                    return Some(Value::Object(map));
                }
                Some(',') => {
                    self.at += 1;
                    self.comma();
                    continue;
                }
                Some(_) => {}
            }
            if self.member(&mut map, depth)? {
                return Some(Value::Object(map));
            }
        }
    }

    /// The text is over behind a whole member: after a comma there would have been more.
    fn after_member(&mut self, map: &Map<String, Value>) {
        if self.text.trim_end().ends_with(',') || map.is_empty() {
            self.member.clear();
            self.inside();
        } else {
            self.marks.brackets();
        }
    }

    /// Says so when a comma has nothing behind it.
    fn comma(&mut self) {
        self.skip();
        if matches!(self.peek(), Some('}' | ']' | ',')) {
            self.marks.fault("comma");
        }
    }

    /// A name and its value; true when the text broke off in it.
    fn member(&mut self, map: &mut Map<String, Value>, depth: usize) -> Option<bool> {
        let name = self.name()?;
        self.skip();
        if self.peek().is_none() {
            self.inside();
            return Some(true);
        }
        if !self.eat(':') {
            if !self.eat('=') {
                return None;
            }
            self.marks.fault("equals sign");
            self.eat('>');
        }
        self.member.clone_from(&name);
        self.skip();
        if self.peek().is_none() {
            self.inside();
            return Some(true);
        }
        let value = self.value(depth + 1);
        let broken = matches!(self.marks.cut, Cut::Inside(_));
        match value {
            Some(value) => drop(map.insert(name, value)),
            None if broken => {}
            None => return None,
        }
        if broken {
            return Some(true);
        }
        self.skip();
        match self.peek() {
            None | Some('}' | ']') => {}
            Some(',') => {
                self.at += 1;
                self.comma();
                if self.peek().is_none() {
                    self.member.clear();
                    self.inside();
                    return Some(true);
                }
            }
            // The next name stands there without a comma.
            Some('"' | '\'') => self.marks.fault("comma"),
            Some(_) => return None,
        }
        Some(false)
    }

    fn name(&mut self) -> Option<String> {
        match self.peek()? {
            '"' | '\'' | '“' | '`' => {
                let name = self.string(true)?;
                if matches!(self.marks.cut, Cut::Inside(_)) {
                    self.at = self.text.len();
                }
                Some(name)
            }
            c if c.is_alphabetic() || c == '_' || c == '$' => {
                self.marks.fault("name without quotation marks");
                let rest = self.rest();
                let legal = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '.');
                let length = rest.find(|c: char| !legal(c)).unwrap_or(rest.len());
                let name = rest.get(..length)?.to_owned();
                self.at += length;
                Some(name)
            }
            _ => None,
        }
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip();
            match self.peek() {
                None => {
                    if items.is_empty() || self.text.trim_end().ends_with(',') {
                        self.inside();
                    } else {
                        self.marks.brackets();
                    }
                    return Some(Value::Array(items));
                }
                Some(']') => {
                    self.at += 1;
                    return Some(Value::Array(items));
                }
                Some(')') => {
                    self.at += 1;
                    self.marks.fault("bracket");
                    return Some(Value::Array(items));
                }
                Some(',') => {
                    self.at += 1;
                    self.comma();
                    continue;
                }
                Some(_) => {}
            }
            let value = self.value(depth + 1);
            let broken = matches!(self.marks.cut, Cut::Inside(_));
            match value {
                Some(value) => items.push(value),
                None if broken => {}
                None => return None,
            }
            if broken {
                return Some(Value::Array(items));
            }
            self.skip();
            if !matches!(self.peek(), None | Some(',' | ']' | ')')) {
                if !matches!(self.peek(), Some('"' | '{' | '\'')) {
                    return None;
                }
                self.marks.fault("comma");
            }
        }
    }

    fn number(&mut self) -> Option<Value> {
        let rest = self.rest();
        let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.' | '_');
        let length = rest.find(|c: char| !part(c)).unwrap_or(rest.len());
        let written = rest.get(..length)?.to_owned();
        self.at += length;
        if self.peek().is_none() {
            // More digits may have followed.
            self.inside();
            return None;
        }
        if let Ok(value) = serde_json::from_str::<Value>(&written) {
            return Some(value);
        }
        self.marks.fault("number");
        let plain = written.replace('_', "");
        let plain = plain.strip_prefix('+').unwrap_or(&plain);
        if let Ok(number) = plain.parse::<i64>() {
            return Some(number.into());
        }
        if let Some(hex) = plain.strip_prefix("0x") {
            return i64::from_str_radix(hex, 16).ok().map(Value::from);
        }
        let number = plain.parse::<f64>().ok().filter(|number| number.is_finite())?;
        serde_json::Number::from_f64(number).map(Value::Number)
    }

    fn word(&mut self) -> Option<Value> {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let word = rest.get(..length)?.to_owned();
        let value = match word.as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            "True" | "TRUE" | "False" | "FALSE" | "None" | "undefined" | "nil" | "NaN" => {
                self.marks.fault("word of another language");
                match word.as_str() {
                    "True" | "TRUE" => Value::Bool(true),
                    "False" | "FALSE" => Value::Bool(false),
                    _ => Value::Null,
                }
            }
            _ if length == rest.len() && is_begun(&word) => {
                self.at += length;
                self.inside();
                return None;
            }
            _ => return None,
        };
        self.at += length;
        Some(value)
    }

    /// A text in any of the usual quotation marks.
    fn string(&mut self, is_name: bool) -> Option<String> {
        let open = self.bump()?;
        let close = match open {
            '“' => '”',
            other => other,
        };
        if open != '"' {
            self.marks.fault("quotation marks");
        }
        let triple = self.rest().starts_with(&[close, close].iter().collect::<String>());
        if triple && !is_name && open != '“' && !self.is_empty_string() {
            self.at += 2;
            self.marks.fault("quotation marks");
            return Some(self.until_triple(close));
        }
        let mut out = String::new();
        loop {
            let Some(c) = self.bump() else {
                self.inside();
                return Some(out);
            };
            match c {
                '\\' => self.escape(&mut out),
                c if c == close => {
                    if self.ends_here(is_name) {
                        return Some(out);
                    }
                    self.marks.quotes = true;
                    out.push(c);
                }
                '\n' | '\r' | '\t' => {
                    self.marks.fault("line end in a text");
                    out.push(c);
                }
                c => out.push(c),
            }
        }
    }

    /// True when the two marks are an empty text and not the beginning of a triple one.
    fn is_empty_string(&self) -> bool {
        let behind = self.rest().get(1..).unwrap_or_default().trim_start();
        behind.is_empty() || behind.starts_with([',', '}', ']', ':'])
    }

    fn until_triple(&mut self, close: char) -> String {
        let marks: String = [close; 3].iter().collect();
        let rest = self.rest();
        match rest.find(&marks) {
            Some(end) => {
                let text = rest.get(..end).unwrap_or_default().to_owned();
                self.at += end + marks.len();
                text
            }
            None => {
                let text = rest.to_owned();
                self.at = self.text.len();
                self.inside();
                text
            }
        }
    }

    /// Whether a quotation mark ends the text: something that may follow a text follows it.
    fn ends_here(&self, is_name: bool) -> bool {
        let rest = self.rest();
        let behind = rest.trim_start();
        match behind.chars().next() {
            None => true,
            Some(':' | '=') if is_name => true,
            Some(',' | '}' | ']' | ')') if !is_name => true,
            Some('/' | '#') if !is_name => behind.starts_with("//") || behind.starts_with("/*"),
            // On a new line the next name may stand without a comma before it.
            Some('"') if !is_name && rest.len() > behind.len() => {
                let gap = rest.get(..rest.len() - behind.len()).unwrap_or_default();
                gap.contains('\n') && looks_like_name(behind)
            }
            _ => false,
        }
    }

    fn escape(&mut self, out: &mut String) {
        let Some(c) = self.bump() else {
            self.inside();
            return;
        };
        match c {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            '"' | '\\' | '/' => out.push(c),
            'u' => self.unicode(out),
            '\n' => self.marks.fault("escape"),
            '\'' | '`' => {
                self.marks.fault("escape");
                out.push(c);
            }
            other => {
                // A backslash that escapes nothing is meant as one: `\d`, `\.`.
                self.marks.fault("escape");
                out.push('\\');
                out.push(other);
            }
        }
    }

    fn unicode(&mut self, out: &mut String) {
        let Some(first) = self.hex() else { return };
        if !(0xD800..0xE000).contains(&first) {
            out.extend(char::from_u32(first));
            return;
        }
        if first < 0xDC00 && self.rest().starts_with("\\u") {
            let before = self.at;
            self.at += 2;
            match self.hex() {
                Some(second) if (0xDC00..0xE000).contains(&second) => {
                    out.extend(char::from_u32(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)));
                    return;
                }
                None if matches!(self.marks.cut, Cut::Inside(_)) => return,
                _ => self.at = before,
            }
        } else if self.rest().is_empty() || self.rest() == "\\" {
            self.at = self.text.len();
            self.inside();
            return;
        }
        self.marks.fault("half a character");
        out.push('\u{fffd}');
    }

    fn hex(&mut self) -> Option<u32> {
        let rest = self.rest();
        let Some(digits) = rest.get(..4) else {
            self.at = self.text.len();
            self.inside();
            return None;
        };
        let Ok(number) = u32::from_str_radix(digits, 16) else {
            self.marks.fault("escape");
            return None;
        };
        self.at += 4;
        Some(number)
    }
}

fn is_begun(word: &str) -> bool {
    ["true", "false", "null", "True", "False", "None"].iter().any(|whole| whole.starts_with(word))
}

/// Whether a text begins with a name in quotation marks and a colon.
fn looks_like_name(text: &str) -> bool {
    let Some((name, rest)) = text.get(1..).and_then(|text| text.split_once('"')) else { return false };
    !name.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
        && rest.trim_start().starts_with(':')
}

#[cfg(test)]
mod tests {
    use super::{Cut, read};
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn almost_json() {
        for (text, wanted) in [
            (r#"{"a": 1,}"#, json!({ "a": 1 })),
            (r#"{'a': 'it''s'}"#, Value::Null),
            (r#"{'a': 'b'}"#, json!({ "a": "b" })),
            (r"{a: True, b: None, c: False}", json!({ "a": true, "b": null, "c": false })),
            ("{\"a\": 1, // why\n \"b\": 2 /* or */}", json!({ "a": 1, "b": 2 })),
            ("{\"a\": 1, # why\n \"b\": 2}", json!({ "a": 1, "b": 2 })),
            ("{\"a\": \"x\ny\"}", json!({ "a": "x\ny" })),
            (r#"{"a": "\d+\."}"#, json!({ "a": "\\d+\\." })),
            (r#"{"a": "it\'s"}"#, json!({ "a": "it's" })),
            ("{\"a\": \"x\"\n \"b\": 1}", json!({ "a": "x", "b": 1 })),
            (r#"{"a": ["x" "y"]}"#, Value::Null),
            (r#"{"a": [1, 2,]}"#, json!({ "a": [1, 2] })),
            (r#"{"a" = 1}"#, json!({ "a": 1 })),
            (r#"{"a": """x "y" z"""}"#, json!({ "a": "x \"y\" z" })),
            (r#"{"a": ""}"#, json!({ "a": "" })),
            (r#"{“a”: “b”}"#, json!({ "a": "b" })),
            (r#"{"a": "say "hi" now"}"#, json!({ "a": "say \"hi\" now" })),
            (r#"{"a": "\ud83d\ude00"}"#, json!({ "a": "😀" })),
            (r#"{"a": "\ud83d!"}"#, json!({ "a": "\u{fffd}!" })),
            (r#"{"a": +5, "b": 0x10, "c": 1_000}"#, json!({ "a": 5, "b": 16, "c": 1000 })),
            (r#"{"a": 1 "#, json!({ "a": 1 })),
            ("no", Value::Null),
            ("{5: 1}", Value::Null),
        ] {
            let found = read(text).map(|read| read.value);
            if wanted.is_null() {
                assert!(
                    found.is_none() || read(text).is_some_and(|read| read.marks.quotes || read.end < text.len()),
                    "{text}: {found:?}"
                );
            } else {
                assert_eq!(found, Some(wanted), "{text}");
            }
        }
    }

    #[test]
    fn what_broke_off() {
        let inside = |name: &str| Cut::Inside(name.to_owned());
        for (text, wanted, cut) in [
            (r#"{"a": 1"#, json!({}), inside("a")),
            (r#"{"a": 1 "#, json!({ "a": 1 }), Cut::Brackets),
            (r#"{"a": "x"#, json!({ "a": "x" }), inside("a")),
            (r#"{"a": "x\"#, json!({ "a": "x" }), inside("a")),
            (r#"{"a": "x\u00"#, json!({ "a": "x" }), inside("a")),
            (r#"{"a": "x\ud83d"#, json!({ "a": "x" }), inside("a")),
            (r#"{"a": "x\ud83d\ude"#, json!({ "a": "x" }), inside("a")),
            (r#"{"a": "x""#, json!({ "a": "x" }), Cut::Brackets),
            (r#"{"a": "x","#, json!({ "a": "x" }), inside("")),
            (r#"{"a": "x", "b"#, json!({ "a": "x" }), inside("a")),
            (r#"{"a": "x", "b":"#, json!({ "a": "x" }), inside("b")),
            (r#"{"a": tru"#, json!({}), inside("a")),
            (r#"{"a": [1, {"b": "c"}"#, json!({ "a": [1, { "b": "c" }] }), Cut::Brackets),
            (r#"{"a": ["x", "y"#, json!({ "a": ["x", "y"] }), inside("a")),
            ("{", json!({}), inside("")),
        ] {
            let read = read(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((read.value, read.marks.cut), (wanted, cut), "{text}");
        }
    }

    fn json_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[ -~\\n\\t界😀\"\\\\]{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-z_\"\\\\ ]{1,6}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn json_is_read_as_json(value in json_value(), pretty in any::<bool>()) {
            let text = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
            if let Value::Number(_) = value { return Ok(()); }
            let read = read(&text).expect("it is JSON");
            prop_assert_eq!(read.value, value);
            prop_assert_eq!(read.end, text.len());
            prop_assert_eq!(read.marks, super::Marks::default());
        }

        #[test]
        fn anything_is_survived(text in "[\\[\\]{}:,\"'\\\\a-c0-9 \\n#/ud=`“”]{0,60}") {
            let _ = read(&text);
        }
    }
}
