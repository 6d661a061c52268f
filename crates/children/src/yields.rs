//! `yield`: the tool by which a subagent hands back a result that fits a schema. It is told of it when it ends without, three
//! times at most; the last time the wire says that it has to be called.

use super::heard::Heard;
use reasonix_agent::{Args, Aspect, BoxFuture, Call, Tool, ToolSpec, ToolTraits, TurnOver};
use reasonix_assembly::schema::AnswerSchema;
use reasonix_proto::{Action, Family, ToolOutcome, TurnEnd};
use serde_json::{Map, Value, json};
use std::future::ready;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// What the tool is called.
pub(super) const YIELD: &str = "yield";

/// What its one argument is called.
const RESULT: &str = "result";

/// What it says of itself.
const PROMPT: &str = "Hands back your result and ends your work. Call it once, when everything is done; no other message of yours is read.";

/// How often a subagent is reminded.
const MOST: u32 = 3;

/// The longest schema, in bytes.
const LONGEST: usize = 16 * 1024;

/// A result of up to so many bytes stands in one line.
const SHORT: usize = 1000;

/// Where definitions stand that a schema refers to, which has to be the outermost place.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// Takes the result of one subagent.
pub(super) struct Yields {
    spec: ToolSpec,
    schema: AnswerSchema,
    heard: OnceLock<Arc<Heard>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    given: Option<Value>,
    reminded: u32,
    /// The next answer has to call it.
    forced: bool,
}

/// What a subagent handed back.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HandedResult {
    pub(super) text: String,
    /// It fits no schema although one was wanted: it is what was said last.
    pub(super) unfit: bool,
}

/// The schema that a call wants; or what is wrong with it.
pub(super) fn readable(schema: &Value) -> Result<Value, ToolOutcome> {
    let refused =
        |why: String| ToolOutcome::failed_with(format!("the schema cannot be used: {why}"), "give a JSON Schema");
    // Models often write JSON as text.
    let schema = match schema {
        Value::String(text) => serde_json::from_str(text).map_err(|error| refused(error.to_string()))?,
        other => other.clone(),
    };
    if schema.to_string().len() > LONGEST {
        return Err(refused(format!("it is longer than {LONGEST} bytes")));
    }
    match AnswerSchema::new(&schema) {
        Ok(_) if schema.is_object() => Ok(schema),
        Ok(_) => Err(refused("it is no object".to_owned())),
        Err(why) => Err(refused(why)),
    }
}

impl Yields {
    /// For results that fit this.
    pub(super) fn new(schema: &Value) -> Result<Arc<Self>, String> {
        Self::told(ToolSpec::new(YIELD, PROMPT, parameters(schema)))
    }

    /// As a subagent was told of it that goes on.
    pub(super) fn told(spec: ToolSpec) -> Result<Arc<Self>, String> {
        let schema = AnswerSchema::new(&schema_of(&spec.parameters))?;
        let spec = spec.with(ToolTraits { inward: true, ..ToolTraits::NONE });
        Ok(Arc::new(Self { spec, schema, heard: OnceLock::new(), state: Mutex::default() }))
    }

    /// Learns who hears the subagent.
    pub(super) fn know(&self, heard: &Arc<Heard>) {
        let _ = self.heard.set(Arc::clone(heard));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What counts as handed back: what was given, or what was said last.
    pub(super) fn result(&self, said: String) -> HandedResult {
        let given = self.lock().given.take();
        match given.or_else(|| self.schema.check(&said).ok()) {
            Some(value) => HandedResult { text: written(&value), unfit: false },
            None => HandedResult { text: said, unfit: true },
        }
    }

    /// The value that a call has: its argument, or all of them where they fit as they are.
    fn accept(&self, args: &Args) -> Result<Value, String> {
        let whole = Value::Object(args.clone());
        let value = args.get(RESULT).cloned().unwrap_or_else(|| whole.clone());
        let value = match self.schema.fits(&value) {
            Err(_) if self.schema.fits(&whole).is_ok() => whole,
            Err(why) => match value.as_str().map(|text| self.schema.check(text)) {
                Some(Ok(value)) => value,
                _ => return Err(why),
            },
            Ok(()) => value,
        };
        Ok(value)
    }
}

/// The schema as the argument of a tool. What it refers to stays outermost.
fn parameters(schema: &Value) -> Value {
    let mut inner = schema.clone();
    let mut outer = Map::new();
    if let Some(map) = inner.as_object_mut() {
        map.remove("$schema");
        for name in DEFINITIONS {
            outer.extend(map.remove(name).map(|found| (name.to_owned(), found)));
        }
    }
    outer.insert("type".to_owned(), json!("object"));
    outer.insert("properties".to_owned(), json!({ RESULT: inner }));
    outer.insert("required".to_owned(), json!([RESULT]));
    Value::Object(outer)
}

/// The way back.
fn schema_of(parameters: &Value) -> Value {
    let mut schema = parameters["properties"][RESULT].clone();
    if let Some(map) = schema.as_object_mut() {
        for name in DEFINITIONS {
            map.extend(parameters.get(name).map(|found| (name.to_owned(), found.clone())));
        }
    }
    schema
}

/// JSON in one line, or in many where it is long: what is long is read in parts.
fn written(value: &Value) -> String {
    let line = value.to_string();
    if line.len() <= SHORT { line } else { serde_json::to_string_pretty(value).unwrap_or(line) }
}

impl Tool for Yields {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["submit_result", "final_answer", "StructuredOutput"]
    }

    fn action(&self, _args: &Args) -> Action {
        Action::reads(Family::Own, String::new())
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(ready(match self.accept(call.args) {
            Ok(value) => {
                self.lock().given = Some(value);
                ToolOutcome::done("Handed back.")
            }
            Err(why) => {
                let hint = "call it again with a result that fits";
                ToolOutcome::failed_with(format!("the result does not fit its schema: {why}"), hint)
            }
        }))
    }
}

impl Aspect for Yields {
    fn before_end<'a>(&'a self, _turn: u32, _end: &'a TurnEnd) -> BoxFuture<'a, Option<String>> {
        let fits = || self.heard.get().is_some_and(|heard| self.schema.check(&heard.said()).is_ok());
        let mut state = self.lock();
        let text = (state.reminded < MOST && state.given.is_none() && !fits()).then(|| {
            state.reminded += 1;
            state.forced = state.reminded == MOST;
            let last = if state.forced { " This is the last reminder." } else { "" };
            format!(
                "[You have not handed back a result. Call `{YIELD}` with one that fits its schema; what you could not find out, say in it.{last}]"
            )
        });
        Box::pin(ready(text))
    }

    fn must_call(&self) -> Option<String> {
        std::mem::take(&mut self.lock().forced).then(|| YIELD.to_owned())
    }

    fn over(&self) -> Option<TurnOver> {
        self.lock().given.is_some().then_some(TurnOver::Reached)
    }
}

#[cfg(test)]
mod tests {
    use super::{parameters, readable, schema_of};
    use serde_json::json;

    #[test]
    fn a_schema_stands_in_a_tool_and_comes_back_whole() {
        let schema = json!({"type": "array", "items": {"$ref": "#/$defs/x"}, "$defs": {"x": {"type": "integer"}}});
        let told = parameters(&schema);
        assert_eq!(told["properties"]["result"], json!({"type": "array", "items": {"$ref": "#/$defs/x"}}));
        assert_eq!(told["$defs"], schema["$defs"]);
        assert_eq!(schema_of(&told), schema);
    }

    #[test]
    fn schemas_are_read_as_models_write_them() {
        let object = json!({"type": "object"});
        assert_eq!(readable(&json!("{\"type\": \"object\"}")).ok(), Some(object.clone()));
        assert_eq!(readable(&object).ok(), Some(object));
        for wrong in
            [json!("no json"), json!({"type": "nothing"}), json!(true), json!({"description": "x".repeat(20_000)})]
        {
            assert!(readable(&wrong).is_err(), "{wrong}");
        }
    }
}
