//! Answers that have to have a form: who is told it on the wire, with which requests, and what happens where it is refused.

use crate::wires::{collect, endpoint, go_on, hello, model, user};
use pretty_assertions::assert_eq;
use reasonix_agent::{AnswerForm, Item, Prefix, Request, Stop};
use reasonix_catalogue::{Effort, Guided, Structured, StructuredWhen, ToolIds};
use reasonix_llm::{Endpoint, Repairing, Wire};
use reasonix_proto::StopReason;
use reasonix_testkit::{ModelServer, Reply};
use serde_json::{Value, json};
use std::sync::Arc;

fn schema() -> Value {
    json!({ "type": "object", "properties": { "n": { "type": "integer", "minimum": 1 } }, "required": ["n"] })
}

fn form(closing: bool) -> Option<Arc<AnswerForm>> {
    Some(Arc::new(AnswerForm { schema: schema(), closing }))
}

fn told(wire: Wire, url: &str, structured: Structured, when: StructuredWhen) -> Endpoint {
    let mut endpoint = endpoint(wire, url);
    endpoint.overrides.structured = Some(structured);
    endpoint.overrides.structured_when = Some(when);
    endpoint
}

fn without_tools() -> Request {
    Request { prefix: Arc::new(Prefix { system: "s".into(), tools: vec![], aliases: vec![] }), ..hello() }
}

/// The fields that can say the form of an answer, and what is said of calling.
fn said(body: &Value) -> (Value, Value) {
    let fields = ["response_format", "text", "output_config"].map(|name| body[name].clone());
    (fields.into_iter().find(|field| !field.is_null()).unwrap_or_default(), body["tool_choice"].clone())
}

async fn ask(endpoint: Endpoint, server: &ModelServer, requests: Vec<Request>) -> Vec<Value> {
    let model = model(endpoint);
    for request in requests {
        let items = collect(model.stream(request, Stop::new())).await;
        assert_eq!(items.last(), Some(&Item::End(StopReason::End)), "{items:?}");
    }
    server.requests().iter().map(|request| request.body.clone()).collect()
}

#[tokio::test]
async fn the_request_that_asks_for_the_answer_says_its_form_on_every_wire() {
    let closed = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"],
        "additionalProperties": false });
    let named = json!({ "name": "answer", "schema": closed, "strict": true });
    let format = json!({ "type": "json_schema", "name": "answer", "schema": closed, "strict": true });
    for (wire, field, none) in [
        (Wire::Chat, json!({ "type": "json_schema", "json_schema": named }), json!("none")),
        (Wire::Responses, json!({ "format": format }), json!("none")),
        (Wire::Anthropic, json!({ "format": { "type": "json_schema", "schema": closed } }), json!({ "type": "none" })),
    ] {
        let server = ModelServer::start(vec![Reply::say("no"), Reply::say("{\"n\":1}"), Reply::say("ok")]).await;
        let endpoint = told(wire, &server.base_url(), Structured::Strict, StructuredWhen::Closing);
        let mut request = Request { form: form(false), ..hello() };
        let mut requests = vec![request.clone()];
        go_on(&mut request, &[Item::Text("no".into())]);
        request.messages.push(user("again"));
        requests.push(Request { form: form(true), ..request.clone() });
        go_on(&mut request, &[Item::Text("{\"n\":1}".into())]);
        request.messages.push(user("and now?"));
        requests.push(Request { form: None, ..request });
        let bodies = ask(endpoint, &server, requests).await;
        assert_eq!(said(&bodies[0]), (Value::Null, Value::Null), "{wire:?}: the tools are not disturbed");
        assert_eq!(said(&bodies[1]), (field, none), "{wire:?}");
        assert_eq!(said(&bodies[2]), (Value::Null, Value::Null), "{wire:?}");
        server.assert_prefixes_grow();
        server.assert_valid();
    }
}

#[tokio::test]
async fn when_it_is_said_depends_on_the_endpoint() {
    use StructuredWhen::{Alone, Always, Closing};
    let requests = || {
        let asks = [(hello(), false), (hello(), true), (without_tools(), false)];
        asks.map(|(request, closing)| Request { form: form(closing), ..request }).to_vec()
    };
    for (when, says) in [(Closing, [false, true, true]), (Always, [true, true, true]), (Alone, [false, false, true])] {
        let server = ModelServer::start(vec![Reply::say("a"), Reply::say("b"), Reply::say("c")]).await;
        let endpoint = told(Wire::Chat, &server.base_url(), Structured::JsonSchema, when);
        let bodies = ask(endpoint, &server, requests()).await;
        let found: Vec<bool> = bodies.iter().map(|body| !said(body).0.is_null()).collect();
        assert_eq!(found, says, "{when:?}");
        assert_eq!(bodies[0].get("tool_choice"), None, "{when:?}: tools may be called");
    }
}

#[tokio::test]
async fn where_calls_are_made_in_words_they_can_still_be_made() {
    let asked = || vec![Request { form: form(false), ..hello() }, Request { form: form(true), ..hello() }];
    for (repairing, guided) in [
        (Repairing { textual: true, ..Repairing::default() }, Value::Null),
        (Repairing { grammar: true, ..Repairing::default() }, json!("answer")),
    ] {
        let server = ModelServer::start(vec![Reply::say("a"), Reply::say("{\"n\":1}")]).await;
        let mut endpoint = told(Wire::Chat, &server.base_url(), Structured::JsonSchema, StructuredWhen::Always);
        endpoint.overrides.guided = Some(Guided::JsonSchema);
        endpoint.repairing = repairing;
        let model = model(endpoint);
        for request in asked() {
            collect(model.stream(request, Stop::new())).await;
        }
        let bodies: Vec<Value> = server.requests().iter().map(|request| request.body.clone()).collect();
        let first = &bodies[0]["response_format"]["json_schema"];
        assert_eq!(first["name"], guided, "{first}");
        assert_ne!(first["schema"], schema(), "the form of the calls, or none");
        assert_eq!(bodies[1]["response_format"]["json_schema"]["schema"], schema());
        let raw = String::from_utf8_lossy(&server.requests()[1].raw).into_owned();
        assert_eq!(raw.matches("response_format").count(), 1, "{raw}");
    }
}

#[tokio::test]
async fn an_endpoint_that_refuses_is_asked_in_words_from_then_on() {
    for (wire, status, refusal) in [
        (Wire::Chat, 400, "This response_format type is unavailable now"),
        (Wire::Chat, 422, "json mode cannot be combined with tool/function calling"),
        (Wire::Responses, 400, "Unsupported parameter: 'text.format' is not supported with this model."),
        (Wire::Anthropic, 400, "output_config.format: Extra inputs are not permitted"),
    ] {
        let refused = Reply::fail(status, &json!({ "error": { "message": refusal } }).to_string());
        let server = ModelServer::start(vec![refused, Reply::say("one"), Reply::say("two")]).await;
        let endpoint = told(wire, &server.base_url(), Structured::Strict, StructuredWhen::Closing);
        let asked = Request { form: form(true), ..hello() };
        let bodies = ask(endpoint, &server, vec![asked.clone(), asked]).await;
        let says: Vec<bool> = bodies.iter().map(|body| !said(body).0.is_null()).collect();
        assert_eq!(says, [true, false, false], "{refusal}");
        assert_eq!(bodies[1].get("tool_choice"), None, "{refusal}: as if it had never been tried");
    }
}

#[tokio::test]
async fn other_refusals_stay_what_they_are() {
    let refused = || Reply::fail(400, &json!({ "error": { "message": "bad temperature" } }).to_string());
    let server = ModelServer::start(vec![refused(), Reply::say("never asked for")]).await;
    let endpoint = told(Wire::Chat, &server.base_url(), Structured::Strict, StructuredWhen::Closing);
    let asked = Request { form: form(true), ..hello() };
    let items = collect(model(endpoint).stream(asked, Stop::new())).await;
    assert!(matches!(items.as_slice(), [Item::Failed(_)]), "{items:?}");
    // Nothing of a form was sent: whatever the words, there is nothing to leave out.
    let odd = Reply::fail(400, &json!({ "error": { "message": "response_format" } }).to_string());
    let server = ModelServer::start(vec![odd, Reply::say("never asked for")]).await;
    let endpoint = told(Wire::Chat, &server.base_url(), Structured::Strict, StructuredWhen::Closing);
    let items = collect(model(endpoint).stream(hello(), Stop::new())).await;
    assert!(matches!(items.as_slice(), [Item::Failed(_)]), "{items:?}");
    assert_eq!(server.request_count(), 1);
}

#[tokio::test]
async fn what_stands_beside_it_stays() {
    let server = ModelServer::start(vec![Reply::say("a"), Reply::say("b"), Reply::say("c")]).await;
    let url = server.base_url();
    let asked = || vec![Request { form: form(true), ..hello() }];
    let mut claude = told(Wire::Anthropic, &url, Structured::Strict, StructuredWhen::Closing);
    (claude.model, claude.effort) = ("claude-opus-4-6".into(), Some(Effort::High));
    ask(claude, &server, asked()).await;
    let mut verbose = told(Wire::Responses, &url, Structured::Strict, StructuredWhen::Closing);
    verbose.extra_body.insert("text".into(), json!({ "verbosity": "low" }));
    verbose.overrides.tool_ids = Some(ToolIds::Any);
    ask(verbose, &server, asked()).await;
    let mut own = told(Wire::Chat, &url, Structured::Strict, StructuredWhen::Closing);
    own.extra_body.insert("response_format".into(), json!({ "type": "json_object" }));
    let bodies = ask(own, &server, asked()).await;
    assert_eq!(bodies[0]["output_config"]["effort"], "high");
    assert_eq!(bodies[0]["output_config"]["format"]["type"], "json_schema");
    assert_eq!(
        (&bodies[1]["text"]["verbosity"], &bodies[1]["text"]["format"]["strict"]),
        (&json!("low"), &json!(true))
    );
    assert_eq!(bodies[2]["response_format"], json!({ "type": "json_object" }), "the user's word is the last");
}
