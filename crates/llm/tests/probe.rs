//! The probe against hand-made servers: what each kind can do is seen, what it only promises is not, and a hostile one
//! costs a bounded time.

use reasonix_agent::Failure;
use reasonix_catalogue::{Guided, Probed, ReasoningField, Seen, Server, ToolCalls};
use reasonix_llm::{Endpoint, Patience, ProbeQuestion, Wire, probe};
use reasonix_net::{NetOptions, client};
use reasonix_testkit::{ModelServer, Recorded, Reply};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const SHORT: Patience = Patience { question: Duration::from_millis(400), whole: Duration::from_secs(3) };
const LONG: Patience = Patience { question: Duration::from_secs(20), whole: Duration::from_secs(60) };

async fn ask(server: &ModelServer, patience: Patience) -> Result<Probed, Failure> {
    ask_on(server, Wire::Chat, patience).await
}

async fn ask_on(server: &ModelServer, wire: Wire, patience: Patience) -> Result<Probed, Failure> {
    let url = server.base_url();
    let endpoint = Endpoint { wire, ..Endpoint::new("p", &url, "m") };
    let client = client(&url, &NetOptions::default()).unwrap();
    probe(&endpoint, &client, patience, &mut |_| {}).await
}

fn list(owner: &str, more: &Value) -> Value {
    let mut model = json!({ "id": "m", "owned_by": owner });
    for (name, value) in more.as_object().into_iter().flatten() {
        model[name] = value.clone();
    }
    json!({ "object": "list", "data": [model] })
}

/// What a server does, by the fields of the request.
#[derive(Clone, Copy, Default)]
struct Ways {
    tools: Option<ToolCalls>,
    schema: bool,
    gbnf: bool,
    structured: bool,
    guided_json: bool,
    thinks: Option<&'static str>,
    caches: bool,
    no_counts: bool,
    whole: bool,
}

impl Ways {
    fn serve(self) -> ModelServer {
        let mut last = String::new();
        ModelServer::start_with(move |request| Some(self.answer(request, &mut last)))
    }

    fn answer(self, request: &Recorded, last: &mut String) -> Reply {
        let body = &request.body;
        if self.no_counts && !body["stream_options"].is_null() {
            return Reply::fail(400, r#"{"error":{"message":"Unrecognized request argument: stream_options"}}"#);
        }
        if body["tools"].is_array() {
            return match self.tools {
                None | Some(ToolCalls::NotSeen) => Reply::say_pieces(&["I ", "cannot."]),
                Some(ToolCalls::Refused) => Reply::fail(500, r#"{"error":{"message":"tools param requires --jinja"}}"#),
                Some(ToolCalls::Text) => {
                    Reply::say("<tool_call>\n{\"name\": \"note\", \"arguments\": {\"text\": \"ok\"}}\n</tool_call>")
                }
                Some(ToolCalls::Native) => {
                    let both = body.to_string().contains("twice");
                    let calls = [("note", json!({ "text": "a" })), ("note", json!({ "text": "b" }))];
                    let reply = Reply::calls(if both { &calls } else { &calls[..1] });
                    match self.thinks {
                        Some("reasoning_content") => reply.after_thinking("hm"),
                        Some(field) => thinking(field),
                        None => reply,
                    }
                }
            };
        }
        let held = (self.schema && body["response_format"]["type"] == "json_schema")
            || (self.structured && body["structured_outputs"]["json"].is_object())
            || (self.guided_json && body["guided_json"].is_object());
        if held {
            return Reply::say("{\"kq7\": \"zx4\"}");
        }
        if self.gbnf && body["grammar"].is_string() {
            return Reply::say("kq7zx4");
        }
        if self.whole {
            let answer = json!({ "choices": [{ "message": { "content": "hello" }, "finish_reason": "stop" }] });
            return Reply::json(&answer);
        }
        let prompt = body["messages"][0]["content"].to_string();
        let again = std::mem::replace(last, prompt.clone()) == prompt;
        Reply::say("hello").with_usage(1500, 1, if self.caches && again { 1400 } else { 0 })
    }
}

fn thinking(field: &str) -> Reply {
    let delta = |delta: Value| json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] });
    let call = json!({ "index": 0, "id": "c", "function": { "name": "note", "arguments": "{\"text\":\"ok\"}" } });
    Reply::events(vec![
        delta(json!({ field: "hm" })),
        delta(json!({ "tool_calls": [call] })),
        json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] }),
    ])
}

#[tokio::test]
async fn a_llama_cpp_server() {
    let ways = Ways { tools: Some(ToolCalls::Native), schema: true, gbnf: true, caches: true, ..Ways::default() };
    let server = ways.serve();
    server.set_models(list("llamacpp", &json!({ "meta": { "n_ctx_train": 131_072 } })));
    server.set_document("/props", json!({ "default_generation_settings": { "n_ctx": 8192 }, "total_slots": 1 }));
    let found = ask(&server, LONG).await.unwrap();
    assert_eq!((found.server, found.window), (Server::LlamaCpp, Some(8192)), "what is served, not what was trained");
    assert_eq!((found.tools, found.parallel), (ToolCalls::Native, Seen::Yes));
    assert_eq!((found.json_schema, found.guided), (Seen::Yes, Some(Guided::Gbnf)));
    assert_eq!((found.usage, found.cache_reported, found.prefix_cached), (Seen::Yes, Seen::Yes, Seen::Yes));
    assert_eq!((found.streaming, found.reasoning), (Seen::Yes, None));
    assert_eq!((found.models.as_slice(), found.unanswered.len()), (&["m".to_owned()][..], 0));
}

#[tokio::test]
async fn a_vllm_server() {
    let tools = Some(ToolCalls::Refused);
    let ways = Ways { tools, structured: true, ..Ways::default() };
    let server = ways.serve();
    server.set_models(list("vllm", &json!({ "max_model_len": 40_960 })));
    let found = ask(&server, LONG).await.unwrap();
    assert_eq!((found.server, found.window), (Server::Vllm, Some(40_960)));
    assert_eq!((found.tools, found.guided), (ToolCalls::Refused, Some(Guided::StructuredOutputs)));
    assert_eq!((found.json_schema, found.prefix_cached), (Seen::No, Seen::No));
    assert!(found.needs_words());
    let older = Ways { tools, guided_json: true, ..Ways::default() }.serve();
    older.set_models(list("vllm", &json!({})));
    assert_eq!(ask(&older, LONG).await.unwrap().guided, Some(Guided::GuidedJson));
}

#[tokio::test]
async fn an_sglang_server() {
    let ways = Ways { tools: Some(ToolCalls::Text), schema: true, ..Ways::default() };
    let server = ways.serve();
    server.set_models(list("me", &json!({})));
    server.set_document("/get_model_info", json!({ "model_path": "Qwen/Qwen3-8B" }));
    server.set_document("/get_server_info", json!({ "context_length": 32_768, "max_total_num_tokens": 20_000 }));
    let found = ask(&server, LONG).await.unwrap();
    assert_eq!((found.server, found.window), (Server::Sglang, Some(20_000)));
    assert_eq!((found.tools, found.guided), (ToolCalls::Text, Some(Guided::JsonSchema)));
    assert_eq!(found.parallel, Seen::Unclear, "not asked");
}

#[tokio::test]
async fn an_ollama_server() {
    let ways = Ways { tools: Some(ToolCalls::Native), thinks: Some("reasoning"), ..Ways::default() };
    let server = ways.serve();
    server.set_models(list("library", &json!({ "context_length": 262_144 })));
    let none = ask(&server, LONG).await.unwrap();
    assert_eq!((none.server, none.window), (Server::Ollama, None), "what it lists is not what it serves");
    server.set_document("/api/ps", json!({ "models": [{ "name": "m:latest", "context_length": 4096 }] }));
    let found = ask(&server, LONG).await.unwrap();
    assert_eq!((found.window, found.reasoning), (Some(4096), Some(ReasoningField::Reasoning)));
    assert_eq!(found.overrides().reasoning_field, Some(ReasoningField::Reasoning));
}

#[tokio::test]
async fn an_lm_studio_server() {
    let ways = Ways { tools: Some(ToolCalls::NotSeen), schema: true, whole: true, ..Ways::default() };
    let server = ways.serve();
    server.set_models(list("organization_owner", &json!({})));
    let loaded = json!({ "data": [{ "id": "m", "max_context_length": 131_072, "loaded_context_length": 4096 }] });
    server.set_document("/api/v0/models", loaded);
    let found = ask(&server, LONG).await.unwrap();
    assert_eq!((found.server, found.window, found.tools), (Server::LmStudio, Some(4096), ToolCalls::NotSeen));
    assert_eq!((found.guided, found.prefix_cached), (Some(Guided::JsonSchema), Seen::Unclear));
}

#[tokio::test]
async fn a_server_that_wants_no_counts_is_not_asked_for_them_again() {
    let server = Ways { tools: Some(ToolCalls::Native), no_counts: true, ..Ways::default() }.serve();
    let found = ask(&server, LONG).await.unwrap();
    assert_eq!((found.usage, found.tools), (Seen::No, ToolCalls::Native));
    assert_eq!(found.overrides().usage_in_stream, Some(false));
    let asked = server.requests().iter().filter(|request| !request.body["stream_options"].is_null()).count();
    assert_eq!(asked, 1);
}

#[tokio::test]
async fn promises_are_not_believed() {
    let server = Ways::default().serve();
    server.set_models(list("vllm", &json!({ "max_model_len": u64::MAX })));
    let found = ask(&server, LONG).await.unwrap();
    assert_eq!((found.window, found.guided, found.json_schema), (None, None, Seen::No));
    let names: Vec<Value> = (0..5000).map(|number| json!({ "id": format!("m{number}") })).collect();
    server.set_models(json!({ "data": names }));
    let found = ask(&server, LONG).await.unwrap();
    assert_eq!((found.models.len(), found.more_models), (50, 4950));
}

#[tokio::test]
async fn the_other_wires_are_asked_in_their_own_way() {
    for wire in [Wire::Responses, Wire::Anthropic] {
        let server = Ways { tools: Some(ToolCalls::Native), ..Ways::default() }.serve();
        let found = ask_on(&server, wire, LONG).await.unwrap();
        assert_eq!((found.tools, found.usage), (ToolCalls::Native, Seen::Yes), "{wire:?}");
        server.assert_valid();
    }
}

#[tokio::test]
async fn a_hostile_server_costs_a_bounded_time() {
    let endless = || {
        let event = "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n".repeat(10_000);
        Reply::raw_then_hang(event.repeat(10))
    };
    let redirect = || Reply::fail(307, "").with_header("Location", "http://127.0.0.1:1/v1/chat/completions");
    type Make = Box<dyn Fn() -> Reply + Send>;
    let cases: [(&str, Make); 6] = [
        ("endless", Box::new(endless)),
        ("silent", Box::new(Reply::hang)),
        ("hanging", Box::new(|| Reply::hang_mid_stream("I"))),
        ("redirecting", Box::new(redirect)),
        ("a page", Box::new(Reply::html)),
        ("garbage", Box::new(|| Reply::raw(vec![0xff; 100_000]))),
    ];
    for (what, make) in cases {
        let server = ModelServer::start_with(move |_| Some(make()));
        let started = Instant::now();
        let found = ask(&server, SHORT).await;
        assert!(started.elapsed() < Duration::from_secs(10), "{what} took {:?}", started.elapsed());
        if let Ok(found) = found {
            assert_ne!(found.tools, ToolCalls::Native, "{what}");
            assert_eq!((found.guided, found.json_schema == Seen::Yes), (None, false), "{what}");
        } else {
            assert!(matches!(what, "silent" | "redirecting"), "{what}: {found:?}");
        }
    }
}

#[tokio::test]
async fn what_makes_everything_else_pointless_is_an_error() {
    let server = ModelServer::start_with(|_| Some(Reply::fail(401, r#"{"error":{"message":"bad key"}}"#)));
    let failure = ask(&server, LONG).await.unwrap_err();
    assert_eq!(failure.phrase.code, "llm.key_unnamed");
    let url = server.base_url();
    drop(server);
    let client = client(&url, &NetOptions::default()).unwrap();
    let mut asked = Vec::new();
    let failure = probe(&Endpoint::new("p", &url, "m"), &client, LONG, &mut |question| asked.push(question)).await;
    assert_eq!(failure.unwrap_err().phrase.code, "llm.unreachable");
    assert_eq!(asked, [ProbeQuestion::Models]);
}
