//! Calls as Gemma writes them: `call:NAME{key:<|"|>text<|"|>,count:3}`, with marks of its own around texts.

use super::lexicon::Lexicon;
use super::objects::Found;
use serde_json::{Map, Value};

/// What stands on both sides of a text.
const QUOTES: [&str; 3] = ["<|\"|>", "<escape>", "\""];
/// How deep tables and lists may nest.
const DEPTH: usize = 8;
/// The most entries of one table or list.
const MOST: usize = 64;

/// One call and its length in bytes.
pub(crate) fn call(text: &str, lexicon: &Lexicon) -> Option<(Found, usize)> {
    let rest = text.strip_prefix("call:")?;
    let (name, _) = rest.split_once('{').filter(|(name, _)| name.len() < 128)?;
    let tool = lexicon.find(name.trim())?;
    let mut reader = Reader { text, at: "call:".len() + name.len() };
    let Value::Object(args) = reader.value(0)? else { return None };
    Some((Found { tool: tool.to_owned(), args, fixes: Vec::new() }, reader.at))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn takes(&mut self, mark: &str) -> bool {
        self.at += self.rest().len() - self.rest().trim_start().len();
        let found = self.rest().starts_with(mark);
        self.at += if found { mark.len() } else { 0 };
        found
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > DEPTH {
            return None;
        }
        if self.takes("{") {
            return self.table(depth).map(Value::Object);
        }
        if self.takes("[") {
            return self.list(depth).map(Value::Array);
        }
        if let Some(quote) = QUOTES.into_iter().find(|quote| self.takes(quote)) {
            let (text, _) = self.rest().split_once(quote)?;
            self.at += text.len() + quote.len();
            return Some(Value::from(text));
        }
        let end = self.rest().find([',', '}', ']'])?;
        let bare = self.rest().get(..end)?.trim();
        self.at += end;
        Some(serde_json::from_str(bare).unwrap_or_else(|_| Value::from(bare)))
    }

    fn table(&mut self, depth: usize) -> Option<Map<String, Value>> {
        let mut table = Map::new();
        while table.len() <= MOST && !self.takes("}") {
            let quote = QUOTES.into_iter().find(|quote| self.takes(quote));
            let (key, _) = self.rest().split_once(quote.unwrap_or(":")).filter(|(key, _)| key.len() < 128)?;
            self.at += key.len() + quote.map_or(0, str::len);
            if !self.takes(":") {
                return None;
            }
            table.insert(key.trim().to_owned(), self.value(depth + 1)?);
            self.takes(",");
        }
        Some(table)
    }

    fn list(&mut self, depth: usize) -> Option<Vec<Value>> {
        let mut list = Vec::new();
        while list.len() <= MOST && !self.takes("]") {
            list.push(self.value(depth + 1)?);
            self.takes(",");
        }
        Some(list)
    }
}

#[cfg(test)]
mod tests {
    use super::call;
    use crate::repair::lexicon::Lexicon;
    use serde_json::{Value, json};

    #[test]
    fn tables_lists_texts_and_bare_words() {
        let lexicon = Lexicon::of(&crate::repair::tests::prefix());
        for (text, want) in [
            ("call:read_file{path:<|\"|>a, {b}.txt<|\"|>}", json!({"path": "a, {b}.txt"})),
            ("call:read_file{path:<escape>a.txt<escape>,limit:3}", json!({"path": "a.txt", "limit": 3})),
            (
                "call:read_file{ path : a.txt , deep : {x:[1,true,<|\"|>y<|\"|>]}}",
                json!({"path": "a.txt", "deep": {"x": [1, true, "y"]}}),
            ),
            ("call:ls{}", json!({})),
        ] {
            let (found, length) = call(text, &lexicon).unwrap();
            assert_eq!((Value::Object(found.args), length), (want, text.len()), "{text}");
        }
        for text in [
            "call:nothing{}",
            "call:read_file{path:<|\"|>a",
            "call:read_file{path",
            "call: read the docs {now}",
            "call:read_file",
        ] {
            assert!(call(text, &lexicon).is_none(), "{text}");
        }
        assert!(call(&format!("call:ls{}", "{a:".repeat(5000)), &lexicon).is_none(), "deep nesting ends");
    }
}
