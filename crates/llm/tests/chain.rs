//! A chain of models against real peers on 127.0.0.1.

use futures_util::StreamExt;
use reasonix_agent::{Item, Model, Prefix, Request, Stop};
use reasonix_llm::{Endpoint, Retry, Spare, connect, fallback};
use reasonix_net::{NetOptions, client};
use reasonix_proto::{FailureClass, Message};
use reasonix_testkit::{ModelServer, Reply};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

fn model(name: &str, url: &str) -> Arc<dyn Model> {
    let retry = Retry { attempts: 2, initial: Duration::from_millis(1), max: Duration::from_millis(2) };
    let endpoint = Endpoint { retry, ..Endpoint::new(name, url, "m") };
    let client = client(&endpoint.base_url, &NetOptions::default()).expect("a client");
    connect(endpoint, client)
}

fn spare(name: &'static str, url: String, built: &Arc<AtomicUsize>) -> Spare {
    let built = Arc::clone(built);
    Box::new(move || {
        built.fetch_add(1, Ordering::Relaxed);
        Some(model(name, &url))
    })
}

fn hello() -> Request {
    let prefix = Arc::new(Prefix { system: "s".into(), tools: vec![], aliases: vec![] });
    Request { prefix, messages: vec![Arc::new(Message::user("hi"))], may_call: true, must_call: None, form: None }
}

async fn ask(model: &Arc<dyn Model>) -> Vec<Item> {
    model.stream(hello(), Stop::new()).collect().await
}

fn said(items: &[Item]) -> String {
    items.iter().filter_map(|item| if let Item::Text(text) = item { Some(text.as_str()) } else { None }).collect()
}

fn switches(items: &[Item]) -> Vec<&str> {
    items
        .iter()
        .filter_map(|item| if let Item::Switched { model, .. } = item { Some(model.as_str()) } else { None })
        .collect()
}

#[tokio::test]
async fn the_next_one_answers_when_one_is_overloaded_and_the_first_rests() {
    let busy = ModelServer::start_with(|_| Some(Reply::fail(429, "{}")));
    let down = ModelServer::start_with(|_| Some(Reply::fail(503, "{}")));
    let good = ModelServer::start_with(|_| Some(Reply::say("hello")));
    let built = Arc::new(AtomicUsize::new(0));
    let spares =
        vec![Box::new(|| None) as Spare, spare("b", down.base_url(), &built), spare("c", good.base_url(), &built)];
    let chain = fallback(model("a", &busy.base_url()), spares);
    assert_eq!(
        (chain.card().name.as_str(), built.load(Ordering::Relaxed)),
        ("a/m", 0),
        "nothing is built before it is needed"
    );
    let items = ask(&chain).await;
    assert_eq!(said(&items), "hello");
    assert_eq!(switches(&items), ["b/m", "c/m"]);
    let items = ask(&chain).await;
    assert_eq!((said(&items).as_str(), switches(&items)), ("hello", vec!["c/m"]), "it says whose answer it is");
    assert_eq!((busy.request_count(), down.request_count(), good.request_count()), (2, 2, 2), "those that failed rest");
    assert_eq!(built.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn never_after_the_first_piece_and_not_for_what_would_fail_again() {
    for (what, reply, class) in [
        ("half an answer", Reply::drop_mid_stream("half"), FailureClass::StreamBroken),
        ("a bad key", Reply::fail(401, "{}"), FailureClass::KeyRejected),
        ("too long", Reply::fail(413, "{}"), FailureClass::ContextTooLong),
    ] {
        let first = ModelServer::start_with(move |_| Some(reply.clone()));
        let second = ModelServer::start_with(|_| Some(Reply::say("other")));
        let built = Arc::new(AtomicUsize::new(0));
        let chain = fallback(model("a", &first.base_url()), vec![spare("b", second.base_url(), &built)]);
        let items = ask(&chain).await;
        assert!(matches!(items.last(), Some(Item::Failed(failure)) if failure.class == class), "{what}: {items:?}");
        assert!(second.requests().is_empty(), "{what}");
    }
}

#[tokio::test]
async fn when_nobody_answers_the_last_failure_is_told() {
    let built = Arc::new(AtomicUsize::new(0));
    let chain = fallback(model("a", "http://127.0.0.1:9/v1"), vec![spare("b", "http://127.0.0.1:9/v1".into(), &built)]);
    for _ in 0..2 {
        let items = ask(&chain).await;
        assert!(
            matches!(items.last(), Some(Item::Failed(failure)) if failure.phrase.arg("provider") == Some("b")),
            "{items:?}"
        );
    }
}
