//! The form of answers for servers with guided decoding, made from the live tools: words, or words and then calls of
//! tools that exist with arguments that fit their schemas. In llama.cpp's GBNF, or as a JSON schema. An answer in it needs
//! no repair.

use reasonix_agent::ToolSpec;
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// How deep schemas are followed; below, any JSON is taken.
const DEPTH: usize = 4;

/// What every grammar needs. The text may hold anything but the beginning of a call.
const BASE: &str = r#"root ::= text (call ws)*
text ::= ([^<] | "<" [^t<] | "<t" [^o<] | "<to" [^o<])*
ws ::= [ \t\n]*
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws (string ws ":" ws value ws ("," ws string ws ":" ws value ws)*)? "}"
array ::= "[" ws (value ws ("," ws value ws)*)? "]"
string ::= "\"" ([^"\\\x00-\x1f] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F]))* "\""
integer ::= "-"? ("0" | [1-9] [0-9]*)
number ::= integer ("." [0-9]+)? ([eE] [-+]? [0-9]+)?
boolean ::= "true" | "false"
"#;

/// The grammar of answers that may call these tools.
pub(crate) fn gbnf(tools: &[ToolSpec]) -> String {
    let mut rules = Rules { out: BASE.to_owned(), count: 0 };
    let calls: Vec<String> = tools.iter().map(|spec| rules.tool(spec)).collect();
    let one = if calls.is_empty() { "value".to_owned() } else { calls.join(" | ") };
    let _ = writeln!(rules.out, "call ::= \"<tool_call>\\n\" ({one}) \"\\n</tool_call>\"");
    rules.out
}

/// The schema of an answer that is one object: what the model says, and its calls. Servers write members in the order of
/// the schema, so it is put together as text: words come before calls, and a tool's name before its arguments.
pub(crate) fn answer_schema(tools: &[ToolSpec]) -> String {
    let call = |spec: &ToolSpec| {
        let (name, arguments) = (Value::String(spec.name.clone()), &spec.parameters);
        format!(
            r#"{{"type":"object","properties":{{"name":{{"type":"string","enum":[{name}]}},"arguments":{arguments}}},"required":["name","arguments"],"additionalProperties":false}}"#
        )
    };
    let calls: Vec<String> = tools.iter().map(call).collect();
    format!(
        r#"{{"type":"object","properties":{{"text":{{"type":"string"}},"calls":{{"type":"array","items":{{"anyOf":[{}]}}}}}},"required":["text","calls"],"additionalProperties":false}}"#,
        calls.join(",")
    )
}

struct Rules {
    out: String,
    count: usize,
}

impl Rules {
    /// Adds a rule and gives its name.
    fn add(&mut self, body: &str) -> String {
        self.count += 1;
        let name = format!("r{}", self.count);
        let _ = writeln!(self.out, "{name} ::= {body}");
        name
    }

    fn tool(&mut self, spec: &ToolSpec) -> String {
        let arguments = self.schema(&spec.parameters, 0);
        let name = literal(&Value::String(spec.name.clone()).to_string());
        self.add(&format!("\"{{\\\"name\\\": \" {name} \", \\\"arguments\\\": \" {arguments} \"}}\""))
    }

    /// The rule of a schema.
    fn schema(&mut self, schema: &Value, depth: usize) -> String {
        if let Some(allowed) = schema.get("enum").and_then(Value::as_array).filter(|list| !list.is_empty()) {
            let words: Vec<String> = allowed.iter().map(|word| literal(&word.to_string())).collect();
            return self.add(&words.join(" | "));
        }
        if depth > DEPTH {
            return "value".to_owned();
        }
        match schema.get("type").and_then(Value::as_str) {
            Some("object") => {
                match schema.get("properties").and_then(Value::as_object).filter(|known| !known.is_empty()) {
                    Some(known) => self.object(known, schema, depth),
                    None => "object".to_owned(),
                }
            }
            Some("array") => match schema.get("items").filter(|items| items.is_object()) {
                Some(items) => {
                    let item = self.schema(items, depth + 1);
                    self.add(&format!("\"[\" ws ({item} ws (\",\" ws {item} ws)*)? \"]\""))
                }
                None => "array".to_owned(),
            },
            Some(kind @ ("string" | "integer" | "number" | "boolean")) => kind.to_owned(),
            _ => "value".to_owned(),
        }
    }

    /// Required members in their order, then any of the others in theirs.
    fn object(&mut self, known: &Map<String, Value>, schema: &Value, depth: usize) -> String {
        let needed: Vec<&str> =
            schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let member = |name: &str, inner: &Value, rules: &mut Self| {
            let value = rules.schema(inner, depth + 1);
            format!("{} ws \":\" ws {value}", literal(&Value::String(name.to_owned()).to_string()))
        };
        let required: Vec<String> = needed
            .iter()
            .filter_map(|name| Some((*name, known.get(*name)?)))
            .map(|(name, inner)| member(name, inner, self))
            .collect();
        let optional: Vec<String> = known
            .iter()
            .filter(|(name, _)| !needed.contains(&name.as_str()))
            .map(|(name, inner)| member(name, inner, self))
            .collect();
        let mut body = String::from("\"{\" ws ");
        if required.is_empty() {
            // Any one first, with any of those behind it.
            let starts: Vec<String> = (0..optional.len())
                .map(|first| {
                    let rest = optional.iter().skip(first + 1).map(|member| format!("(\",\" ws {member} ws)?"));
                    let rest: Vec<String> = rest.collect();
                    format!("{} ws {}", optional.get(first).cloned().unwrap_or_default(), rest.join(" "))
                })
                .collect();
            let _ = write!(body, "({})? ", starts.join(" | "));
        } else {
            body.push_str(&required.join(" ws \",\" ws "));
            body.push_str(" ws ");
            for member in &optional {
                let _ = write!(body, "(\",\" ws {member} ws)? ");
            }
        }
        body.push_str("\"}\"");
        self.add(&body)
    }
}

/// A text as a literal of the grammar.
fn literal(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|c| match c {
            '"' => "\\\"".to_owned(),
            '\\' => "\\\\".to_owned(),
            '\n' => "\\n".to_owned(),
            other => other.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::{answer_schema, gbnf};
    use crate::repair::tests::prefix;
    use std::collections::HashSet;

    /// Names that are used, and names that are made, outside of literals and classes.
    fn names(grammar: &str) -> (HashSet<String>, HashSet<String>) {
        let (mut used, mut made) = (HashSet::new(), HashSet::new());
        for line in grammar.lines() {
            let (name, body) = line.split_once(" ::= ").expect("a rule a line");
            assert!(made.insert(name.to_owned()), "{name} is made twice");
            let (mut chars, mut word) = (body.chars(), String::new());
            let (mut depth, mut brackets) = (0i32, 0i32);
            while let Some(c) = chars.next() {
                match c {
                    '"' | '[' => {
                        let close = if c == '"' { '"' } else { ']' };
                        loop {
                            match chars.next().expect("it is closed") {
                                '\\' => drop(chars.next()),
                                c if c == close => break,
                                _ => {}
                            }
                        }
                    }
                    '(' => depth += 1,
                    ')' => depth -= 1,
                    c if c.is_ascii_alphanumeric() => word.push(c),
                    _ => {}
                }
                brackets = brackets.min(depth);
                if !c.is_ascii_alphanumeric() && !word.is_empty() {
                    used.insert(std::mem::take(&mut word));
                }
            }
            if !word.is_empty() {
                used.insert(word);
            }
            assert_eq!((depth, brackets), (0, 0), "{line}");
        }
        (used, made)
    }

    #[test]
    fn every_rule_is_there() {
        let grammar = gbnf(&prefix().tools);
        let (used, made) = names(&grammar);
        assert_eq!(used.difference(&made).collect::<Vec<_>>(), Vec::<&String>::new(), "{grammar}");
        for tool in ["read_file", "bash"] {
            assert!(grammar.contains(&format!("\\\"{tool}\\\"")), "{tool}");
        }
    }

    #[test]
    fn the_schema_has_every_tool_and_words_come_first() {
        let text = answer_schema(&prefix().tools);
        let schema: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let calls = schema["properties"]["calls"]["items"]["anyOf"].as_array().expect("a list");
        assert_eq!(calls.len(), prefix().tools.len());
        assert_eq!(calls[0]["properties"]["arguments"], prefix().tools[0].parameters);
        assert!(text.find("\"text\"") < text.find("\"calls\""), "{text}");
    }

    /// A server with this grammar's parser takes it; skipped without one.
    #[test]
    fn a_real_parser_takes_it() {
        let Ok(url) = std::env::var("REASONIX_GBNF_URL") else { return };
        let body =
            serde_json::json!({ "prompt": "List the files.", "n_predict": 48, "grammar": gbnf(&prefix().tools) });
        let client = reasonix_net::client(&url, &reasonix_net::NetOptions::default()).expect("a client");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let (status, text) = runtime.block_on(async {
            let request = client.post(format!("{url}/completion")).body(body.to_string());
            let response = request.header("content-type", "application/json").send().await.expect("an answer");
            (response.status().as_u16(), response.text().await.expect("a text"))
        });
        assert_eq!(status, 200, "{text}");
    }
}
