//! Servers on the web, of both eras, played by a few lines of our own on this machine.

use crate::asked::{Person, yes};
use crate::place::{NAME, Place, limits};
use reasonix_agent::Stop;
use reasonix_mcp::{Elicits, McpError, ServerLimits, ServerNews, ServerReach, ServerSpec};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// A request as it came.
#[derive(Debug, Clone, Default)]
struct Asked {
    method: String,
    headers: Vec<(String, String)>,
    body: Value,
}

impl Asked {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The method of the protocol; empty for a request without a message.
    fn rpc(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }
}

/// What is answered.
enum Reply {
    /// A status, more headers, and a body.
    Plain(u16, Vec<(&'static str, String)>, String),
    /// Events that have this data, then nothing more.
    Events(Vec<String>),
    /// Comments without end.
    Comments,
    /// A body without end.
    Endless,
}

impl Reply {
    fn result(asked: &Asked, result: Value) -> Self {
        let body = json!({"jsonrpc": "2.0", "id": asked.body["id"], "result": result});
        Self::Plain(200, Vec::new(), body.to_string())
    }

    fn status(status: u16) -> Self {
        Self::Plain(status, Vec::new(), String::new())
    }
}

type Answers = dyn Fn(&Asked, usize) -> Reply + Send + Sync;

/// A server that answers by a function of the request and its number; and everything that it was asked.
struct Web {
    url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Web {
    async fn new(answers: impl Fn(&Asked, usize) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (answers, seen): (Arc<Answers>, _) = (Arc::new(answers), Arc::clone(&asked));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&answers), Arc::clone(&seen)));
            }
        });
        Self { url, asked }
    }

    fn place(&self, limits: ServerLimits, elicits: Option<Arc<dyn Elicits>>) -> Place {
        let headers = vec![("X-Key".to_owned(), "mine".to_owned())];
        let reach = ServerReach::Http { url: self.url.clone(), headers, net: Box::default() };
        let spec = ServerSpec { limits, ..ServerSpec::new(NAME, reach) };
        Place::reaching(tempfile::tempdir().unwrap(), spec, elicits)
    }

    fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

async fn serve(stream: TcpStream, answers: Arc<Answers>, seen: Arc<Mutex<Vec<Asked>>>) -> Option<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let asked = read(&mut stream).await?;
        let number = {
            let mut seen = seen.lock().unwrap();
            seen.push(asked.clone());
            seen.len()
        };
        match answers(&asked, number) {
            Reply::Plain(status, more, body) => {
                let mut head = format!("HTTP/1.1 {status} x\r\nContent-Length: {}\r\n", body.len());
                let json = if body.is_empty() { "" } else { "Content-Type: application/json\r\n" };
                head.push_str(json);
                more.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
                stream.write_all(format!("{head}\r\n{body}").as_bytes()).await.ok()?;
            }
            Reply::Events(events) => {
                let body: String = events.iter().map(|data| format!("event: message\ndata: {data}\n\n")).collect();
                let head = "HTTP/1.1 200 x\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
                stream.write_all(format!("{head}{body}").as_bytes()).await.ok()?;
                return None;
            }
            Reply::Comments => without_end(&mut stream, "text/event-stream", ": still here\n").await?,
            Reply::Endless => without_end(&mut stream, "application/json", &"x".repeat(65536)).await?,
        }
    }
}

async fn without_end(stream: &mut BufReader<TcpStream>, media: &str, text: &str) -> Option<()> {
    let head = format!("HTTP/1.1 200 x\r\nContent-Type: {media}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await.ok()?;
    loop {
        stream.write_all(text.as_bytes()).await.ok()?;
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut asked = Asked::default();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        match line.split_once(": ") {
            Some((name, value)) => asked.headers.push((name.to_ascii_lowercase(), value.to_owned())),
            None if line.is_empty() => break,
            None => asked.method = line.split(' ').next().unwrap_or_default().to_owned(),
        }
    }
    let length = asked.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    asked.body = serde_json::from_slice(&body).unwrap_or_default();
    Some(asked)
}

fn tools() -> Value {
    json!({"tools": [{"name": "act", "description": "does", "inputSchema": {"type": "object"}}],
        "resultType": "complete", "ttlMs": 60000, "cacheScope": "private"})
}

fn said(words: &str) -> Value {
    json!({"content": [{"type": "text", "text": words}], "resultType": "complete"})
}

/// A server of the older era, with a session.
fn older(asked: &Asked, session: &str, call: impl FnOnce() -> Reply) -> Reply {
    let about = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
        "serverInfo": {"name": "web", "version": "1"}});
    match (asked.method.as_str(), asked.rpc()) {
        ("POST", "server/discover") => Reply::status(400),
        ("POST", "initialize") => {
            let body = json!({"jsonrpc": "2.0", "id": asked.body["id"], "result": about}).to_string();
            Reply::Plain(200, vec![("Mcp-Session-Id", session.to_owned())], body)
        }
        ("POST", "tools/list") => Reply::result(asked, tools()),
        ("POST", "tools/call") => call(),
        ("POST", _) => Reply::status(202),
        _ => Reply::status(405),
    }
}

/// A server of the newer era.
fn newer(asked: &Asked, call: impl FnOnce() -> Reply) -> Reply {
    match (asked.method.as_str(), asked.rpc()) {
        ("POST", "server/discover") => Reply::result(
            asked,
            json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "resultType": "complete",
                "serverInfo": {"name": "web", "version": "2"}, "ttlMs": 0, "cacheScope": "private"}),
        ),
        ("POST", "tools/list") => Reply::result(asked, tools()),
        ("POST", "tools/call" | "tasks/get" | "tasks/update" | "tasks/cancel") => call(),
        ("POST", _) => Reply::status(202),
        _ => Reply::status(405),
    }
}

#[tokio::test]
async fn a_server_of_the_older_era_has_a_session() {
    let web = Web::new(|asked, _| older(asked, "s1", || Reply::result(asked, said("hello")))).await;
    let place = web.place(limits(), None);
    assert_eq!(place.words().await, "hello");
    let call = web.asked().into_iter().find(|asked| asked.rpc() == "tools/call").unwrap();
    assert_eq!(call.header("mcp-session-id"), Some("s1"));
    assert_eq!(call.header("x-key"), Some("mine"));
    assert_eq!(call.header("mcp-protocol-version"), Some("2025-11-25"));
}

#[tokio::test]
async fn a_server_of_the_newer_era_has_none() {
    let web = Web::new(|asked, _| newer(asked, || Reply::result(asked, said("hello")))).await;
    let place = web.place(limits(), None);
    assert_eq!(place.words().await, "hello");
    let call = web.asked().into_iter().find(|asked| asked.rpc() == "tools/call").unwrap();
    assert_eq!(call.header("mcp-session-id"), None);
    assert_eq!((call.header("mcp-method"), call.header("mcp-name")), (Some("tools/call"), Some("act")));
    assert_eq!(call.body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    assert!(web.asked().iter().all(|asked| asked.rpc() != "initialize"));
    let can = &call.body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert!(can.get("sampling").is_none() && can.get("elicitation").is_none(), "{can}");
}

#[tokio::test]
async fn a_session_that_is_over_is_begun_again() {
    let web = Web::new(|asked, number| {
        let session = format!("s{number}");
        older(asked, &session, || match asked.header("mcp-session-id") {
            Some("s2") => Reply::status(404),
            _ => Reply::result(asked, said("again")),
        })
    })
    .await;
    let place = web.place(limits(), None);
    assert_eq!(place.words().await, "again");
    assert_eq!(web.asked().iter().filter(|asked| asked.rpc() == "initialize").count(), 2);
    assert_eq!(place.news(), [ServerNews::Up]);
}

#[tokio::test]
async fn an_answer_can_come_as_events() {
    let web = Web::new(|asked, _| {
        older(asked, "s", || {
            let note =
                json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}});
            let answer = json!({"jsonrpc": "2.0", "id": asked.body["id"], "result": said("streamed")});
            Reply::Events(vec![note.to_string(), answer.to_string()])
        })
    })
    .await;
    assert_eq!(web.place(limits(), None).words().await, "streamed");
}

#[tokio::test]
async fn a_question_in_place_of_an_answer_is_answered_and_the_call_made_again() {
    let web = Web::new(|asked, _| {
        newer(asked, || {
            let params = &asked.body["params"];
            if params.get("inputResponses").is_none() {
                let form = json!({"type": "object", "properties": {"name": {"type": "string"}}});
                let question = json!({"method": "elicitation/create",
                    "params": {"mode": "form", "message": "Who?", "requestedSchema": form}});
                let roots = json!({"method": "roots/list"});
                // The newer era has no id with an address.
                let page = json!({"method": "elicitation/create",
                    "params": {"mode": "url", "message": "Open", "url": "https://login.example/x"}});
                return Reply::result(
                    asked,
                    json!({"resultType": "input_required", "requestState": "kept",
                        "inputRequests": {"q": question, "r": roots, "u": page}}),
                );
            }
            Reply::result(asked, said(&format!("{} {}", params["requestState"], params["inputResponses"])))
        })
    })
    .await;
    let person = Person::new(yes(), Duration::ZERO);
    let words = web.place(limits(), Some(Arc::clone(&person) as Arc<dyn Elicits>)).words().await;
    assert_eq!(person.seen.lock().unwrap().len(), 2);
    assert!(words.starts_with("\"kept\"") && words.contains("blue") && words.contains("file:///a%20b"), "{words}");
}

#[tokio::test]
async fn who_asks_without_end_is_given_up() {
    let web = Web::new(|asked, _| {
        newer(asked, || {
            let roots = json!({"r": {"method": "roots/list"}});
            Reply::result(asked, json!({"resultType": "input_required", "inputRequests": roots}))
        })
    })
    .await;
    assert!(matches!(web.place(limits(), None).call().await, Err(McpError::Unreadable { .. })));
    assert!(web.asked().iter().filter(|asked| asked.rpc() == "tools/call").count() <= 16);
}

#[tokio::test]
async fn a_task_is_waited_for() {
    let web = Web::new(|asked, number| {
        newer(asked, || {
            let task = |status: &str| {
                json!({"taskId": "t", "status": status, "createdAt": "2026-01-01T00:00:00Z",
                    "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttlMs": null, "pollIntervalMs": 10})
            };
            let mut state = match asked.rpc() {
                "tools/call" => task("working"),
                _ if number < 6 => task("working"),
                _ => task("completed"),
            };
            state["resultType"] = json!(if asked.rpc() == "tools/call" { "task" } else { "complete" });
            if state["status"] == "completed" {
                state["result"] = said("at last");
            }
            Reply::result(asked, state)
        })
    })
    .await;
    assert_eq!(web.place(limits(), None).words().await, "at last");
    let looked = web.asked().iter().filter(|asked| asked.rpc() == "tasks/get").count();
    assert!(looked >= 2, "{looked}");
}

#[tokio::test]
async fn comments_without_end_are_given_up() {
    let web = Web::new(|asked, _| newer(asked, || Reply::Comments)).await;
    let place = web.place(ServerLimits { call: Some(Duration::from_millis(500)), ..limits() }, None);
    assert!(matches!(place.call().await, Err(McpError::Late { .. })));
    let web = Web::new(|_, _| Reply::Comments).await;
    let place = web.place(ServerLimits { handshake: Duration::from_millis(500), ..limits() }, None);
    assert!(matches!(place.call().await, Err(McpError::Down { .. })));
}

#[tokio::test]
async fn a_body_without_end_is_cut() {
    let web = Web::new(|asked, _| newer(asked, || Reply::Endless)).await;
    let place = web.place(ServerLimits { frame: 1024 * 1024, ..limits() }, None);
    match place.call().await {
        Err(McpError::Down { reason, .. }) => assert!(reason.contains("more than 1048576 bytes"), "{reason}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn nothing_is_sent_to_where_it_points() {
    let other = Web::new(|_, _| Reply::status(200)).await;
    let to = other.url.clone();
    let web = Web::new(move |_, _| Reply::Plain(307, vec![("Location", to.clone())], String::new())).await;
    match web.place(limits(), None).call().await {
        Err(McpError::Down { reason, .. }) => assert!(reason.contains("redirects to http://127.0.0.1:"), "{reason}"),
        other => panic!("{other:?}"),
    }
    assert!(other.asked().is_empty(), "keys and words are for the configured host alone");
}

#[tokio::test]
async fn a_login_is_said_with_its_challenge() {
    let challenge = "Bearer resource_metadata=\"http://127.0.0.1/x\"";
    let web = Web::new(|_, _| Reply::Plain(401, vec![("WWW-Authenticate", challenge.to_owned())], String::new())).await;
    match web.place(limits(), None).call().await {
        Err(McpError::Login { challenge: given, .. }) => assert_eq!(given, challenge),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn who_is_not_there_is_said() {
    let reach = ServerReach::Http { url: "http://127.0.0.1:9/mcp".into(), headers: Vec::new(), net: Box::default() };
    let place = Place::reaching(tempfile::tempdir().unwrap(), ServerSpec::new(NAME, reach), None);
    let answer = place.call_until("act", &Stop::new()).await;
    assert!(matches!(answer, Err(McpError::Down { .. })), "{answer:?}");
}
