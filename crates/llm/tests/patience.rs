//! A server that keeps a request open without answering it: every way has an end, and the error says what came.

use futures_util::StreamExt;
use reasonix_agent::{Failure, Item, Prefix, Request, Stop};
use reasonix_llm::{Endpoint, Retry, Wire, connect};
use reasonix_net::{NetOptions, client};
use reasonix_proto::{FailureClass, Message};
use reasonix_testkit::{ModelServer, Reply};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const EVENTS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
const DOCUMENT: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
const SHORT: Duration = Duration::from_millis(300);

/// A server that sends a beginning, and then the same bytes for as long as anyone listens.
async fn endless(first: &str, again: &'static str, pause: Duration) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let first = first.to_owned();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let first = first.clone();
            tokio::spawn(async move {
                let mut asked = [0; 4096];
                let _ = socket.read(&mut asked).await;
                let mut sent = socket.write_all(first.as_bytes()).await;
                while sent.is_ok() {
                    tokio::time::sleep(pause).await;
                    sent = socket.write_all(again.as_bytes()).await;
                }
            });
        }
    });
    format!("http://{address}/v1")
}

/// What the only request to an address came to: the items before its failure, and that.
async fn asked(
    wire: Wire,
    url: &str,
    (first_byte_timeout, idle_timeout): (Duration, Duration),
) -> (Vec<Item>, Failure) {
    let retry = Retry { attempts: 4, initial: Duration::from_millis(1), max: Duration::from_millis(2) };
    let endpoint = Endpoint { wire, retry, first_byte_timeout, idle_timeout, ..Endpoint::new("p", url, "m") };
    let model = connect(endpoint, client(url, &NetOptions::default()).unwrap());
    let prefix = Arc::new(Prefix { system: "s".into(), tools: vec![], aliases: vec![] });
    let request =
        Request { prefix, messages: vec![Arc::new(Message::user("hi"))], may_call: true, must_call: None, form: None };
    let items = model.stream(request, Stop::new()).collect::<Vec<_>>();
    let mut items = tokio::time::timeout(Duration::from_secs(60), items).await.expect("it has an end");
    match items.pop() {
        Some(Item::Failed(failure)) => (items, failure),
        other => panic!("it did not fail: {other:?}"),
    }
}

#[tokio::test]
async fn what_says_nothing_does_not_keep_a_stream_open() {
    let long = Duration::from_secs(600);
    let chat = "data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n";
    let messages = "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"half\"}}\n\n";
    let responses = "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"half\"}\n\n";
    for (wire, said, again) in [
        (Wire::Chat, chat, ":\n"),
        (Wire::Chat, chat, ": keep-alive\n\n"),
        (Wire::Chat, chat, ":"),
        (Wire::Chat, chat, "\n"),
        (Wire::Chat, chat, "event: ping\n\n"),
        (Wire::Chat, chat, "data: {}\n\n"),
        (Wire::Chat, chat, "data: {\"choices\":[{\"delta\":{\"content\":\"\"}}]}\n\n"),
        (Wire::Anthropic, messages, "event: ping\ndata: {\"type\":\"ping\"}\n\n"),
        (Wire::Responses, responses, "data: {\"type\":\"response.in_progress\"}\n\n"),
    ] {
        let pause = Duration::from_millis(10);
        let after = endless(&format!("{EVENTS}{said}"), again, pause).await;
        let (items, failure) = asked(wire, &after, (long, SHORT)).await;
        assert_eq!(items, [Item::Text("half".into())], "{again:?}");
        assert_eq!(
            (failure.class, failure.phrase.code.as_ref()),
            (FailureClass::StreamBroken, "llm.idle"),
            "{again:?}"
        );
        let before = endless(EVENTS, again, pause).await;
        let (items, failure) = asked(wire, &before, (SHORT, SHORT)).await;
        assert_eq!((items.len(), failure.phrase.code.as_ref()), (0, "llm.idle"), "nothing was said at all: {again:?}");
    }
}

#[tokio::test]
async fn what_says_little_keeps_a_stream_open() {
    // Each piece comes within the limit, all of them together do not.
    let piece =
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\" \"}}]}}]}\n\n";
    let begun = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"ls\",\"arguments\":\"{\"}}]}}]}\n\n";
    let url = endless(&format!("{EVENTS}{begun}"), piece, Duration::from_millis(100)).await;
    let endpoint = Endpoint { idle_timeout: Duration::from_secs(1), ..Endpoint::new("p", &url, "m") };
    let model = connect(endpoint, client(&url, &NetOptions::default()).unwrap());
    let prefix = Arc::new(Prefix { system: "s".into(), tools: vec![], aliases: vec![] });
    let request =
        Request { prefix, messages: vec![Arc::new(Message::user("hi"))], may_call: true, must_call: None, form: None };
    let mut stream = model.stream(request, Stop::new());
    for number in 0..20 {
        let item = tokio::time::timeout(Duration::from_secs(60), stream.next()).await.expect("a piece");
        assert!(matches!(item, Some(Item::CallDelta { .. })), "{number}: {item:?}");
    }
}

#[tokio::test]
async fn answers_that_are_no_answer_yet_have_an_end() {
    let early = "HTTP/1.1 103 Early Hints\r\n\r\n";
    for (again, pause) in
        [(early, Duration::from_millis(5)), (early, Duration::ZERO), ("HTTP/1.1 100 Continue\r\n\r\n", Duration::ZERO)]
    {
        let url = endless("", again, pause).await;
        let (items, failure) = asked(Wire::Chat, &url, (SHORT, SHORT)).await;
        assert_eq!((items.len(), failure.phrase.code.as_ref()), (0, "llm.idle"), "{again:?}");
    }
}

#[tokio::test]
async fn blanks_are_no_document() {
    let long = Duration::from_secs(600);
    for (first, again) in [("", " "), ("", "\n\n\n\n"), ("{\"choices\":", "    ")] {
        let url = endless(&format!("{DOCUMENT}{first}"), again, Duration::from_millis(5)).await;
        let (items, failure) = asked(Wire::Chat, &url, (SHORT, SHORT)).await;
        assert_eq!((items.len(), failure.phrase.code.as_ref()), (0, "llm.idle"), "{first:?} {again:?}");
    }
    let flood: &'static str = " ".repeat(64 * 1024).leak();
    let url = endless(DOCUMENT, flood, Duration::ZERO).await;
    let (_, failure) = asked(Wire::Chat, &url, (long, long)).await;
    assert_eq!(failure.phrase.code, "llm.answer_too_long", "a flood of them ends by its length");
}

#[tokio::test]
async fn text_that_is_no_answer_is_shown() {
    let long = Duration::from_secs(600);
    for kind in ["text/plain", "text/event-stream", "application/json"] {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n");
        let server = ModelServer::start(vec![Reply::http(format!("{head}upstream is asleep,\ncome back\n"))]).await;
        let (items, failure) = asked(Wire::Chat, &server.base_url(), (long, long)).await;
        assert_eq!(
            (items.len(), failure.class, failure.phrase.code.as_ref()),
            (0, FailureClass::BadResponse, "llm.not_json"),
            "{kind}"
        );
        let said = failure.phrase.arg("message").expect("what came");
        assert!(said.contains("upstream is asleep"), "{kind}: {said}");
        assert_eq!(server.request_count(), 1, "{kind}: it is not asked for again");
    }
    let url = endless(EVENTS, "still starting\n", Duration::from_millis(10)).await;
    let (_, failure) = asked(Wire::Chat, &url, (SHORT, SHORT)).await;
    assert_eq!(
        (
            failure.phrase.code.as_ref(),
            failure.phrase.arg("message").is_some_and(|said| said.contains("still starting"))
        ),
        ("llm.not_json", true)
    );
}

#[tokio::test]
async fn a_wait_beyond_the_bound_fails_at_once_and_is_named() {
    for (status, header, value, wait) in [
        (429, "Retry-After", "99999999", "1157 d"),
        (503, "Retry-After", "7200", "2 h"),
        (429, "retry-after-ms", "90000", "90 s"),
        (429, "Retry-After", "Sun, 06 Nov 2094 08:49:37 GMT", " d"),
    ] {
        let replies = vec![Reply::fail(status, "slow down").with_header(header, value), Reply::say("not asked for")];
        let server = ModelServer::start(replies).await;
        let long = Duration::from_secs(600);
        let (items, failure) = asked(Wire::Chat, &server.base_url(), (long, long)).await;
        assert_eq!(
            (items.len(), server.request_count(), failure.phrase.code.as_ref()),
            (0, 1, "llm.wait_too_long"),
            "{value}"
        );
        let class = if status == 429 { FailureClass::RateLimited } else { FailureClass::Server };
        assert_eq!(failure.class, class, "another model may answer instead");
        let said = failure.phrase.arg("wait").expect("the wait");
        assert!(said.ends_with(wait), "{value}: {said}");
        assert_eq!(failure.phrase.arg("message"), Some("slow down"));
    }
}
