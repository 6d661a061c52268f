//! What servers ask of people, as questions like those of the model. The words are the server's, so its name stands before
//! them; an address is shown with its host, and never opened by us.

use reasonix_agent::BoxFuture;
use reasonix_gate::QuestionEnd;
use reasonix_mcp::{ElicitKind, ElicitReply, Elicitation, Elicits};
use reasonix_proto::{Question, Response, Suggestion, folded};
use reasonix_talk::people::{Asker, People};
use serde_json::{Map, Value};
use std::sync::{Arc, Mutex, PoisonError};

/// Fields of one form, options of one field, and how often a form is put again because an answer does not fit.
const MOST_FIELDS: usize = 12;
const MOST_OPTIONS: usize = 24;
const MOST_TRIES: usize = 3;

/// The words of the protocol for yes and no.
const ACCEPT: &str = "accept";
const DECLINE: &str = "decline";

/// Puts questions of servers to the people of a session.
#[derive(Default)]
pub(super) struct Asks(Mutex<Option<Arc<People>>>);

impl Asks {
    /// From now on these are asked; nobody, once the session ended.
    pub(super) fn people(&self, people: Option<Arc<People>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = people;
    }

    async fn asked(&self, question: Elicitation) -> ElicitReply {
        let people = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(people) = people else { return ElicitReply::Cancel };
        match &question.kind {
            ElicitKind::Url { url, host } => asked_address(&people, &question, host, url).await,
            ElicitKind::Form { schema } => asked_form(&people, &question, schema).await,
        }
    }
}

impl Elicits for Asks {
    fn elicit<'a>(&'a self, question: Elicitation) -> BoxFuture<'a, ElicitReply> {
        Box::pin(self.asked(question))
    }
}

async fn put(people: &People, server: &str, questions: Vec<Question>) -> Option<Vec<Response>> {
    match people.inquire(Asker::Server(server), questions).await {
        QuestionEnd::Answered((responses, _)) => Some(responses),
        QuestionEnd::Nobody | QuestionEnd::TimedOut(_) => None,
    }
}

async fn asked_address(people: &People, question: &Elicitation, host: &str, url: &str) -> ElicitReply {
    let text = format!("MCP {}: {}\n{host}\n{url}", question.server, folded(&question.message));
    let options = [ACCEPT, DECLINE].map(|label| Suggestion { label: label.to_owned(), note: String::new() });
    let one = Question { id: "1".to_owned(), question: text, options: options.into(), multi: false, recommended: None };
    match put(people, &question.server, vec![one]).await {
        None => ElicitReply::Cancel,
        Some(said) if said.iter().any(|said| said.chosen.iter().any(|label| label == ACCEPT)) => {
            ElicitReply::Accept(Map::new())
        }
        Some(_) => ElicitReply::Decline,
    }
}

/// A field of a form.
struct AskedField<'a> {
    name: &'a str,
    schema: &'a Value,
    required: bool,
}

async fn asked_form(people: &People, question: &Elicitation, schema: &Value) -> ElicitReply {
    let fields = fields(schema);
    if fields.is_empty() || fields.len() > MOST_FIELDS {
        return ElicitReply::Decline;
    }
    let mut wrong = String::new();
    for _ in 0..MOST_TRIES {
        let questions = fields.iter().enumerate().map(|(at, field)| field.question(at, question, &wrong)).collect();
        let Some(said) = put(people, &question.server, questions).await else { return ElicitReply::Cancel };
        if !said.iter().any(Response::says_something) {
            return ElicitReply::Decline;
        }
        match values(&fields, &said) {
            Ok(values) => return ElicitReply::Accept(values),
            Err(field) => wrong = field,
        }
    }
    ElicitReply::Cancel
}

fn fields(schema: &Value) -> Vec<AskedField<'_>> {
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    properties
        .into_iter()
        .flatten()
        .map(|(name, schema)| AskedField { name, schema, required: required.contains(&name.as_str()) })
        .collect()
}

impl AskedField<'_> {
    fn kind(&self) -> &str {
        self.schema.get("type").and_then(Value::as_str).unwrap_or("string")
    }

    /// What can be chosen: the value, and what it is called.
    fn options(&self) -> Vec<(Value, String)> {
        let named = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let titled = |one: &Value| {
            let value = one.get("const")?.clone();
            let title = one.get("title").and_then(Value::as_str).map_or_else(|| named(&value), str::to_owned);
            Some((value, title))
        };
        let of = |schema: &Value| -> Vec<(Value, String)> {
            let list = |key: &str| schema.get(key).and_then(Value::as_array);
            let plain = list("enum").into_iter().flatten().map(|value| (value.clone(), named(value)));
            let some = list("oneOf").or_else(|| list("anyOf"));
            plain.chain(some.into_iter().flatten().filter_map(titled)).take(MOST_OPTIONS).collect()
        };
        match self.kind() {
            "boolean" => vec![(Value::Bool(true), "true".to_owned()), (Value::Bool(false), "false".to_owned())],
            "array" => self.schema.get("items").map(of).unwrap_or_default(),
            _ => of(self.schema),
        }
    }

    fn question(&self, at: usize, asks: &Elicitation, wrong: &str) -> Question {
        let text = |key: &str| self.schema.get(key).and_then(Value::as_str).map(str::trim).unwrap_or_default();
        let about = if text("description").is_empty() { text("title") } else { text("description") };
        let mark = if self.required { "*" } else { "" };
        let again = if wrong == self.name { "⚠ " } else { "" };
        let question = format!(
            "MCP {}: {}\n{again}{}{mark} ({}) {about}",
            asks.server,
            folded(&asks.message),
            reasonix_proto::visible(self.name),
            self.kind()
        );
        let question = question.chars().take(4000).collect::<String>().trim_end().to_owned();
        let options = self.options().into_iter().map(|(_, label)| Suggestion { label, note: String::new() }).collect();
        Question { id: (at + 1).to_string(), question, options, multi: self.kind() == "array", recommended: None }
    }

    /// The value that was given; none for nothing, the error for what does not fit.
    fn value(&self, said: Option<&Response>) -> Result<Option<Value>, ()> {
        let Some(said) = said.filter(|said| said.says_something()) else { return Ok(None) };
        let options = self.options();
        let chosen = |label: &String| options.iter().find(|(_, known)| known == label).map(|(value, _)| value.clone());
        let picked: Vec<Value> = said.chosen.iter().filter_map(chosen).collect();
        if self.kind() == "array" {
            return Ok(Some(Value::Array(picked)));
        }
        if let Some(value) = picked.into_iter().next() {
            return Ok(Some(value));
        }
        let text = said.text.as_deref().unwrap_or_default().trim();
        if let Some(value) = chosen(&text.to_owned()) {
            return Ok(Some(value));
        }
        match self.kind() {
            "integer" => text.parse::<i64>().map(|number| Some(number.into())).map_err(drop),
            "number" => text.parse::<f64>().map(|number| Some(number.into())).map_err(drop),
            "boolean" => Err(()),
            _ if options.is_empty() => Ok(Some(text.into())),
            _ => Err(()),
        }
    }
}

/// The values of a form; the name of the first field whose answer does not fit.
fn values(fields: &[AskedField<'_>], said: &[Response]) -> Result<Map<String, Value>, String> {
    let mut values = Map::new();
    for (at, field) in fields.iter().enumerate() {
        let id = (at + 1).to_string();
        match field.value(said.iter().find(|said| said.question == id)) {
            Ok(Some(value)) => drop(values.insert(field.name.to_owned(), value)),
            Ok(None) if !field.required => {}
            Ok(None) | Err(()) => return Err(field.name.to_owned()),
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::{fields, values};
    use reasonix_proto::Response;
    use serde_json::json;

    fn said(question: &str, chosen: &[&str], text: Option<&str>) -> Response {
        let chosen = chosen.iter().map(|label| (*label).to_owned()).collect();
        Response { question: question.to_owned(), chosen, text: text.map(str::to_owned) }
    }

    #[test]
    fn what_people_say_becomes_values_of_the_fields_types() {
        let schema = json!({"type": "object", "required": ["port"], "properties": {
            "port": {"type": "integer"}, "fast": {"type": "boolean"}, "name": {"type": "string"},
            "size": {"oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}]},
            "tags": {"type": "array", "items": {"enum": ["a", "b", "c"]}}}});
        let fields = fields(&schema);
        let place = |name: &str| {
            let at = fields.iter().position(|field| field.name == name).unwrap_or_default();
            (at + 1).to_string()
        };
        let all = [
            said(&place("port"), &[], Some(" 80 ")),
            said(&place("fast"), &["true"], None),
            said(&place("size"), &["Large"], None),
            said(&place("tags"), &["a", "c"], None),
        ];
        let wanted = json!({"port": 80, "fast": true, "size": "l", "tags": ["a", "c"]});
        assert_eq!(values(&fields, &all).map(serde_json::Value::Object), Ok(wanted));
        assert_eq!(values(&fields, &[said(&place("port"), &[], Some("eighty"))]), Err("port".to_owned()));
        assert_eq!(values(&fields, &[said(&place("name"), &[], Some("x"))]), Err("port".to_owned()), "it is required");
    }
}
