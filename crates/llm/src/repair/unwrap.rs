//! Answers that a schema holds to one JSON object: what the model says is taken out of it as it comes, and its calls when
//! it ends. What does not begin like such an object passes as it is.

use serde_json::Value;

/// Takes an answer out of its object.
#[derive(Debug)]
pub(crate) struct Unwrap {
    state: State,
    /// What came and cannot be told yet.
    held: String,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    /// Nothing but a possible beginning came.
    Lead,
    /// Inside what the model says.
    Text,
    /// Behind it, where the calls are.
    Rest,
    /// The calls stand in front: nothing can be said before its end.
    Turned,
    /// This is no such object.
    Plain,
}

impl Default for Unwrap {
    fn default() -> Self {
        Self { state: State::Lead, held: String::new() }
    }
}

impl Unwrap {
    /// Takes a piece, and gives the part of what the model says that is complete.
    pub(crate) fn feed(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        if self.state == State::Lead {
            match lead(&self.held, "\"text\"") {
                Lead::No => match lead(&self.held, "\"calls\"") {
                    Lead::No => self.state = State::Plain,
                    Lead::Open => return String::new(),
                    Lead::Whole(_) => self.state = State::Turned,
                },
                Lead::Open => return String::new(),
                Lead::Whole(length) => {
                    self.held.drain(..length);
                    self.state = State::Text;
                }
            }
        }
        match self.state {
            State::Plain => std::mem::take(&mut self.held),
            State::Text => self.text(),
            State::Lead | State::Rest | State::Turned => String::new(),
        }
    }

    fn text(&mut self) -> String {
        let (end, closed) = complete(&self.held);
        let raw: String = self.held.drain(..end).collect();
        if closed {
            self.held.drain(..1);
            self.state = State::Rest;
        }
        unescape(&raw)
    }

    /// The answer is over: what is left of what the model says, and its calls as name and arguments. An object that broke
    /// off has no calls.
    pub(crate) fn finish(&mut self) -> (String, Vec<(String, String)>) {
        let held = std::mem::take(&mut self.held);
        match std::mem::replace(&mut self.state, State::Plain) {
            State::Lead | State::Plain => (held, Vec::new()),
            State::Text => (unescape(&held), Vec::new()),
            State::Rest => match serde_json::from_str(&format!("{{\"text\":\"\"{held}")) {
                Ok(whole) => (String::new(), calls(&whole)),
                Err(_) => (String::new(), Vec::new()),
            },
            State::Turned => match serde_json::from_str::<Value>(&held) {
                Ok(whole) => (whole["text"].as_str().unwrap_or_default().to_owned(), calls(&whole)),
                Err(_) => (held, Vec::new()),
            },
        }
    }
}

fn calls(whole: &Value) -> Vec<(String, String)> {
    let one = |call: &Value| Some((call["name"].as_str()?.to_owned(), call.get("arguments")?.to_string()));
    whole["calls"].as_array().into_iter().flatten().filter_map(one).collect()
}

enum Lead {
    No,
    /// It may become one.
    Open,
    /// It is one, of so many bytes.
    Whole(usize),
}

fn lead(text: &str, name: &str) -> Lead {
    let mut rest = text;
    let opening = if name == "\"text\"" { "\"" } else { "[" };
    for mark in ["{", name, ":", opening] {
        rest = rest.trim_start();
        match rest.strip_prefix(mark) {
            Some(behind) => rest = behind,
            None if mark.starts_with(rest) => return Lead::Open,
            None => return Lead::No,
        }
    }
    Lead::Whole(text.len() - rest.len())
}

/// How many bytes can be read for sure, and whether the text is closed behind them.
fn complete(raw: &str) -> (usize, bool) {
    let bytes = raw.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += match byte {
            b'"' => return (at, true),
            b'\\' => match escape(bytes.get(at..).unwrap_or_default()) {
                Some(length) => length,
                None => return (at, false),
            },
            _ => 1,
        };
    }
    (at, false)
}

/// The length of an escape; none when more of it must come.
fn escape(bytes: &[u8]) -> Option<usize> {
    match bytes.get(1)? {
        b'u' => {
            let digits = std::str::from_utf8(bytes.get(2..6)?).ok();
            let high = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            // The other half of a character belongs to it.
            if high.is_some_and(|unit| (0xd800..0xdc00).contains(&unit)) { bytes.get(11).map(|_| 12) } else { Some(6) }
        }
        _ => Some(2),
    }
}

fn unescape(raw: &str) -> String {
    let legal: String = raw
        .chars()
        .map(|c| match c {
            '\n' => "\\n".to_owned(),
            '\r' => "\\r".to_owned(),
            '\t' => "\\t".to_owned(),
            other => other.to_string(),
        })
        .collect();
    serde_json::from_str(&format!("\"{legal}\"")).unwrap_or_else(|_| raw.to_owned())
}

#[cfg(test)]
mod tests {
    use super::Unwrap;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    type Found = (String, Vec<(String, String)>);

    fn unwrap(text: &str, size: usize) -> Found {
        let (mut unwrap, mut said) = (Unwrap::default(), String::new());
        let chars: Vec<char> = text.chars().collect();
        for piece in chars.chunks(size) {
            said.push_str(&unwrap.feed(&piece.iter().collect::<String>()));
        }
        let (rest, calls) = unwrap.finish();
        (said + &rest, calls)
    }

    #[test]
    fn the_same_in_pieces_of_every_size() {
        let call = |name: &str, arguments: &str| (name.to_owned(), arguments.to_owned());
        let answer =
            json!({ "text": "Ich \"schaue\"\n\t😀 \\ /", "calls": [{ "name": "ls", "arguments": { "path": "." } }] });
        let ascii = r#" { "text" : "a\ud83d\ude00\u00e9" , "calls" : [] } "#;
        let turned = r#"{"text":"now","calls":[{"name":"ls","arguments":{}}]}"#;
        let cases: [(String, Found); 7] = [
            (turned.into(), ("now".into(), vec![call("ls", "{}")])),
            (answer.to_string(), ("Ich \"schaue\"\n\t😀 \\ /".into(), vec![call("ls", "{\"path\":\".\"}")])),
            (ascii.into(), ("a😀é".into(), vec![])),
            ("plain words".into(), ("plain words".into(), vec![])),
            ("{\"name\": \"ls\"}".into(), ("{\"name\": \"ls\"}".into(), vec![])),
            ("{\"te".into(), ("{\"te".into(), vec![])),
            (r#"{"text":"cut o"#.into(), ("cut o".into(), vec![])),
        ];
        for (text, expected) in cases {
            for size in 1..=text.len() {
                assert_eq!(unwrap(&text, size), expected, "{text} in pieces of {size}");
            }
        }
    }

    #[test]
    fn an_object_that_broke_off_calls_nothing() {
        let whole = json!({ "text": "x", "calls": [{ "name": "ls", "arguments": {} }] }).to_string();
        let (_, calls) = unwrap(&whole, 3);
        assert_eq!(calls.len(), 1);
        for whole in [whole.as_str(), r#"{"text":"x","calls":[{"name":"ls","arguments":{}}]}"#] {
            for end in 0..whole.len() {
                assert_eq!(unwrap(&whole[..end], 3).1, [], "{}", &whole[..end]);
            }
        }
    }
}
