//! Keys that are fetched, requests that are signed, and routes and bodies of the user's own.

use crate::wires::{collect, endpoint, hello, model};
use pretty_assertions::assert_eq;
use reasonix_agent::{BoxFuture, Item, Stop};
use reasonix_llm::{ApiKey, Endpoint, KeySource, Signing, Wire, list_models};
use reasonix_net::{NetOptions, client};
use reasonix_proto::{FailureClass, Phrase};
use reasonix_testkit::{ModelServer, Reply};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Gives `token-1`, then another one each time the last was refused.
struct Tokens {
    given: AtomicUsize,
    others: fn(FailureClass) -> usize,
}

impl Tokens {
    fn source(others: fn(FailureClass) -> usize) -> Arc<dyn KeySource> {
        Arc::new(Self { given: AtomicUsize::new(1), others })
    }
}

impl KeySource for Tokens {
    fn key(&self, refused: bool) -> BoxFuture<'_, Result<ApiKey, Phrase>> {
        let given = self.given.fetch_add(usize::from(refused), Ordering::Relaxed) + usize::from(refused);
        Box::pin(async move { Ok(ApiKey::from(format!("token-{given}-canary"))) })
    }

    fn spares(&self, class: FailureClass) -> usize {
        (self.others)(class)
    }
}

struct NoKey;

impl KeySource for NoKey {
    fn key(&self, _refused: bool) -> BoxFuture<'_, Result<ApiKey, Phrase>> {
        Box::pin(async { Err(Phrase::new("engine.key_command_empty")) })
    }

    fn spares(&self, _class: FailureClass) -> usize {
        1
    }
}

fn once_when_refused(class: FailureClass) -> usize {
    usize::from(class == FailureClass::KeyRejected)
}

/// The items of one answer, and what the server was sent.
async fn asked(wire: Wire, replies: Vec<Reply>, set: impl FnOnce(&mut Endpoint)) -> (Vec<Item>, ModelServer) {
    let server = ModelServer::start(replies).await;
    let mut endpoint = endpoint(wire, &server.base_url());
    set(&mut endpoint);
    let items = collect(model(endpoint).stream(hello(), Stop::new())).await;
    (items, server)
}

fn authorizations(server: &ModelServer) -> Vec<String> {
    server.requests().iter().map(|request| request.header("authorization").unwrap_or_default().to_owned()).collect()
}

fn failure(items: &[Item]) -> String {
    match items.last() {
        Some(Item::Failed(failure)) => format!("{:?}", failure.phrase),
        other => panic!("it did not fail: {other:?}"),
    }
}

#[tokio::test]
async fn a_fetched_key_is_renewed_once_when_it_is_refused() {
    let source = |endpoint: &mut Endpoint| endpoint.key_source = Some(Tokens::source(once_when_refused));
    let refused = || Reply::fail(401, r#"{"error":{"message":"token-1-canary and token-2-canary have expired"}}"#);
    let (items, server) = asked(Wire::Chat, vec![refused(), Reply::say("fine")], source).await;
    assert_eq!(authorizations(&server), ["Bearer token-1-canary", "Bearer token-2-canary"]);
    assert!(!items.iter().any(|item| matches!(item, Item::Failed(_) | Item::Retrying { .. })), "{items:?}");

    let (items, server) = asked(Wire::Chat, vec![refused(), refused(), refused()], source).await;
    assert_eq!(server.request_count(), 2, "once and no more");
    let said = failure(&items);
    assert!(said.contains("llm.key_rejected") && !said.contains("token-2-canary"), "{said}");
}

#[tokio::test]
async fn without_a_key_nothing_is_sent() {
    let source = |endpoint: &mut Endpoint| endpoint.key_source = Some(Arc::new(NoKey));
    let (items, server) = asked(Wire::Chat, vec![Reply::say("fine")], source).await;
    assert!(failure(&items).contains("engine.key_command_empty") && server.requests().is_empty());
}

#[tokio::test]
async fn a_pool_goes_on_with_the_next_key_without_a_wait() {
    let limited = || Reply::fail(429, r#"{"error":{"message":"slow down"}}"#).with_header("retry-after", "3600");
    let source = |endpoint: &mut Endpoint| {
        endpoint.key_source = Some(Tokens::source(|class| 2 * usize::from(class == FailureClass::RateLimited)));
    };
    let (items, server) = asked(Wire::Chat, vec![limited(), limited(), Reply::say("fine")], source).await;
    assert_eq!(authorizations(&server).last().map(String::as_str), Some("Bearer token-3-canary"));
    assert!(!items.iter().any(|item| matches!(item, Item::Failed(_) | Item::Retrying { .. })), "{items:?}");
}

#[tokio::test]
async fn a_signed_request_carries_no_key() {
    let pair = json!({ "AccessKeyId": "AKIDEXAMPLE", "SecretAccessKey": "secret-canary-secret", "SessionToken": "session-canary-12" });
    for wire in [Wire::Chat, Wire::Anthropic] {
        let sign = |endpoint: &mut Endpoint| {
            endpoint.sign = Some(Signing { region: "us-west-2".into(), service: "bedrock".into() });
            endpoint.key = Some(ApiKey::from(pair.to_string()));
        };
        let echo = Reply::fail(400, r#"{"message":"no secret-canary-secret, no session-canary-12"}"#);
        let (items, server) = asked(wire, vec![echo], sign).await;
        let request = server.requests().remove(0);
        let line = request.header("authorization").expect("it is signed");
        assert!(line.starts_with("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/"), "{line}");
        assert!(
            line.contains(
                "/us-west-2/bedrock/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, "
            ),
            "{line}"
        );
        assert_eq!(request.header("x-amz-security-token"), Some("session-canary-12"));
        assert_eq!(request.header("x-api-key"), None);
        assert!(!failure(&items).contains("canary"), "{items:?}");
    }
    let plain = |endpoint: &mut Endpoint| {
        endpoint.sign = Some(Signing { region: "us-west-2".into(), service: "bedrock".into() });
        endpoint.key = Some(ApiKey::from("sk-plain"));
    };
    let (items, server) = asked(Wire::Chat, vec![Reply::say("fine")], plain).await;
    assert!(failure(&items).contains("llm.unsignable") && server.requests().is_empty());
}

#[tokio::test]
async fn lists_are_asked_for_with_the_same_key() {
    let server = ModelServer::start(vec![]).await;
    server.set_models(json!({ "data": [{ "id": "m" }] }));
    let mut one = endpoint(Wire::Chat, &server.base_url());
    one.key_source = Some(Tokens::source(once_when_refused));
    let client = client(&one.base_url, &NetOptions::default()).expect("a client");
    assert_eq!(list_models(&one, &client).await.expect("a list").len(), 1);
    let request = server.all_requests().remove(0);
    assert_eq!(request.header("authorization"), Some("Bearer token-1-canary"));
}

/// The body and the path of the first request, whatever came of it.
async fn sent(wire: Wire, set: impl FnOnce(&mut Endpoint)) -> (String, Value) {
    let (_, server) = asked(wire, vec![Reply::fail(400, "{}")], set).await;
    let request = server.all_requests().remove(0);
    (request.path.clone(), request.body)
}

#[tokio::test]
async fn the_address_can_name_the_model_and_the_body_leave_it_out() {
    let vertex = |endpoint: &mut Endpoint| {
        endpoint.own_route = Some("{model}:streamRawPredict".into());
        endpoint.wire_model = Some("claude-sonnet-4-5@20250929".into());
        endpoint.overrides.model_in_body = Some(false);
        endpoint.extra_body.insert("anthropic_version".into(), json!("vertex-2023-10-16"));
    };
    let (path, body) = sent(Wire::Anthropic, vertex).await;
    assert_eq!(path, "/v1/claude-sonnet-4-5@20250929:streamRawPredict");
    assert_eq!((&body["model"], &body["stream"]), (&Value::Null, &json!(true)));
    assert_eq!(body["anthropic_version"], "vertex-2023-10-16");
    assert!(body["messages"].is_array() && body["max_tokens"].is_u64(), "{body}");
    let odd = |endpoint: &mut Endpoint| {
        endpoint.own_route = Some("/x/{model}/go?a=1".into());
        endpoint.wire_model = Some("a/../b?c".into());
        endpoint.base_url.push_str("?k=v");
    };
    assert_eq!(sent(Wire::Chat, odd).await.0, "/v1/x/a%2F..%2Fb%3Fc/go?a=1&k=v", "a name leads nowhere else");
}

#[tokio::test]
async fn tools_of_the_endpoint_stand_behind_ours_and_marks_are_sent_where_they_are_wanted() {
    for wire in [Wire::Chat, Wire::Responses, Wire::Anthropic] {
        let search = |endpoint: &mut Endpoint| {
            endpoint.extra_body.insert("tools".into(), json!([{ "type": "web_search" }]));
        };
        let (_, body) = sent(wire, search).await;
        let tools = body["tools"].as_array().expect("tools");
        assert!(tools.len() > 1 && tools.last() == Some(&json!({ "type": "web_search" })), "{tools:?}");
    }
    let marked = |endpoint: &mut Endpoint| endpoint.overrides.cache_control = Some(true);
    assert_eq!(sent(Wire::Chat, marked).await.1["cache_control"], json!({ "type": "ephemeral" }));
    assert_eq!(sent(Wire::Chat, |_| {}).await.1["cache_control"], Value::Null);
}
