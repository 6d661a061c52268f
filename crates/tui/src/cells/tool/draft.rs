//! The arguments of a call while they are being written: JSON that is not complete yet, read as it arrives. Of long texts
//! only the beginning, the end and the number of lines are kept.

/// So much of the beginning of a text is kept.
const HEAD: usize = 400;
/// So much of its end.
const TAIL: usize = 1200;

/// Arguments that are being written.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    fields: Vec<Field>,
    depth: u32,
    state: State,
    /// The name of the field that is next.
    key: String,
    /// What a `\u` escape has so far.
    code: String,
    high: Option<u16>,
}

/// One text among the arguments.
#[derive(Debug, Default)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) head: String,
    pub(crate) tail: String,
    pub(crate) lines: usize,
    len: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Between,
    Key,
    Value,
    /// A string that nobody looks at.
    Other,
    Escape(Within),
    Unicode(Within),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Key,
    Value,
    Other,
}

impl Within {
    fn state(self) -> State {
        match self {
            Self::Key => State::Key,
            Self::Value => State::Value,
            Self::Other => State::Other,
        }
    }
}

impl Draft {
    /// Reads more of it.
    pub(crate) fn push(&mut self, delta: &str) {
        for c in delta.chars() {
            match self.state {
                State::Between => self.between(c),
                State::Key => self.inside(c, Within::Key),
                State::Value => self.inside(c, Within::Value),
                State::Other => self.inside(c, Within::Other),
                State::Escape(within) => self.escape(c, within),
                State::Unicode(within) => self.unicode(c, within),
            }
        }
    }

    /// The first of these fields that is there and not empty.
    pub(crate) fn field(&self, names: &[&str]) -> Option<&Field> {
        let find = |name: &&str| self.fields.iter().find(|field| field.name == *name && !field.head.is_empty());
        names.iter().find_map(find)
    }

    /// The text with the most lines, when it has several.
    pub(crate) fn longest(&self) -> Option<&Field> {
        self.fields.iter().max_by_key(|field| field.len).filter(|field| field.lines > 1)
    }

    fn between(&mut self, c: char) {
        match c {
            '{' | '[' => self.depth += 1,
            '}' | ']' => self.depth = self.depth.saturating_sub(1),
            ',' if self.depth == 1 => self.key.clear(),
            '"' if self.depth == 1 && self.key.is_empty() => self.state = State::Key,
            '"' if self.depth == 1 => {
                let name = self.key.clone();
                self.fields.push(Field { name, lines: 1, ..Field::default() });
                self.state = State::Value;
            }
            '"' => self.state = State::Other,
            _ => {}
        }
    }

    fn inside(&mut self, c: char, within: Within) {
        match c {
            '"' => self.state = State::Between,
            '\\' => self.state = State::Escape(within),
            _ => self.put(c, within),
        }
    }

    fn escape(&mut self, c: char, within: Within) {
        self.state = within.state();
        match c {
            'n' => self.put('\n', within),
            't' => self.put('\t', within),
            'r' | 'b' | 'f' => {}
            'u' => {
                self.code.clear();
                self.state = State::Unicode(within);
            }
            _ => self.put(c, within),
        }
    }

    fn unicode(&mut self, c: char, within: Within) {
        self.code.push(c);
        if self.code.len() < 4 {
            return;
        }
        let unit = u16::from_str_radix(&self.code, 16).unwrap_or(0xfffd);
        let units: Vec<u16> = self.high.take().into_iter().chain([unit]).collect();
        let is_high = (0xd800..0xdc00).contains(&unit);
        self.state = within.state();
        if is_high {
            self.high = Some(unit);
            return;
        }
        for c in char::decode_utf16(units) {
            self.put(c.unwrap_or('\u{fffd}'), within);
        }
    }

    fn put(&mut self, c: char, within: Within) {
        match within {
            Within::Key if self.key.len() < 64 => self.key.push(c),
            Within::Value => {
                if let Some(field) = self.fields.last_mut() {
                    field.put(c);
                }
            }
            _ => {}
        }
    }
}

impl Field {
    fn put(&mut self, c: char) {
        self.len += c.len_utf8();
        self.lines += usize::from(c == '\n');
        if self.head.len() < HEAD {
            self.head.push(c);
        }
        self.tail.push(c);
        if self.tail.len() > 2 * TAIL {
            let mut from = self.tail.len() - TAIL;
            while !self.tail.is_char_boundary(from) {
                from += 1;
            }
            self.tail.drain(..from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Draft;
    use proptest::prelude::*;

    fn read(json: &str) -> Draft {
        let mut draft = Draft::default();
        draft.push(json);
        draft
    }

    #[test]
    fn fields_can_be_read_before_they_are_complete() {
        let draft =
            read(r#"{"path": "src/a.rs", "opts": {"path": "no", "x": [1, "y"]}, "content": "one\n\"two\" \u4e2d"#);
        assert_eq!(draft.field(&["path"]).unwrap().head, "src/a.rs");
        let content = draft.longest().unwrap();
        assert_eq!((content.name.as_str(), content.head.as_str(), content.lines), ("content", "one\n\"two\" 中", 2));
        assert_eq!(read(r#"{"a": "\ud83e\udd80"#).field(&["a"]).unwrap().head, "🦀");
    }

    #[test]
    fn long_texts_keep_their_end() {
        let mut draft = read(r#"{"content": ""#);
        for line in 0..10_000 {
            draft.push(&format!("line {line}\\n"));
        }
        let field = draft.longest().unwrap();
        assert_eq!(field.lines, 10_001);
        assert!(field.tail.ends_with("line 9999\n") && field.tail.len() < 4000);
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(json in "[\\PC\"\\\\{}\\[\\],:u0-9a-f\n]{0,80}") {
            let draft = read(&json);
            prop_assert!(draft.longest().is_none_or(|field| field.lines > 1));
        }

        #[test]
        fn strings_come_out_as_they_went_in(text in "\\PC{1,80}") {
            let json = serde_json::json!({"a": 1, "text": text}).to_string();
            let draft = read(&json);
            prop_assert_eq!(&draft.field(&["text"]).unwrap().head, &text);
        }
    }
}
