//! A model server on 127.0.0.1 that plays replies in order and keeps every request.

use crate::http::{After, Recorded, read_request, write_reply};
use crate::reply::Reply;
use crate::route::Route;
use crate::validate::{prefix_breaks, violations_at};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::BufReader;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};

type Answer = Box<dyn FnMut(&Recorded) -> Option<Reply> + Send>;

/// A scripted model server. It runs on a thread of its own until it is dropped.
pub struct ModelServer {
    port: u16,
    state: Arc<Mutex<State>>,
    seen: watch::Receiver<usize>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

struct State {
    answer: Answer,
    requests: Vec<Recorded>,
    connections: usize,
    unanswered: usize,
    models: Value,
    /// Who asks for the models without this key is refused.
    key: Option<String>,
    documents: BTreeMap<String, Value>,
    seen: watch::Sender<usize>,
}

impl ModelServer {
    /// Starts a server that answers chat requests with these replies, in order.
    #[allow(clippy::unused_async, reason = "reads like the asynchronous call it may become")]
    pub async fn start(replies: Vec<Reply>) -> Self {
        Self::start_blocking(replies)
    }

    /// The same for tests without a runtime.
    pub fn start_blocking(replies: Vec<Reply>) -> Self {
        let mut replies = VecDeque::from(replies);
        Self::start_with(move |_| replies.pop_front())
    }

    /// Starts a server that makes each reply from its request; none is an error that the test sees.
    pub fn start_with(answer: impl FnMut(&Recorded) -> Option<Reply> + Send + 'static) -> Self {
        let (sender, seen) = watch::channel(0);
        let models = json!({ "object": "list", "data": [{ "id": "test-model", "object": "model" }] });
        let answer = Box::new(answer);
        let documents = BTreeMap::new();
        let requests = Vec::new();
        let state =
            State { answer, requests, connections: 0, unanswered: 0, models, key: None, documents, seen: sender };
        let state = Arc::new(Mutex::new(state));
        let (stop, stopped) = oneshot::channel();
        let (ready, port) = std::sync::mpsc::channel();
        let shared = Arc::clone(&state);
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async move {
                let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
                ready.send(listener.local_addr().expect("an address").port()).expect("the starter waits");
                tokio::select! {
                    () = accept(listener, shared) => {}
                    _ = stopped => {}
                }
            });
        });
        let port = port.recv().expect("the server starts");
        Self { port, state, seen, stop: Some(stop), thread: Some(thread) }
    }

    /// The address to configure: `http://127.0.0.1:PORT/v1`.
    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Sets what `GET /v1/models` answers.
    pub fn set_models(&self, models: Value) {
        lock(&self.state).models = models;
    }

    /// From now on the models are told only to those who have this key, at the address with `/v1` in it.
    pub fn lock_models(&self, key: &str) {
        lock(&self.state).key = Some(key.to_owned());
    }

    /// Sets what another route answers, such as `/props`.
    pub fn set_document(&self, path: &str, document: Value) {
        lock(&self.state).documents.insert(path.to_owned(), document);
    }

    /// The chat requests so far, in order.
    pub fn requests(&self) -> Vec<Recorded> {
        lock(&self.state).requests.iter().filter(|request| asks(request)).cloned().collect()
    }

    /// How many chat requests there were so far. Who waits for the next one need not copy all of them.
    pub fn request_count(&self) -> usize {
        lock(&self.state).requests.iter().filter(|request| asks(request)).count()
    }

    /// Every request so far, whatever it was.
    pub fn all_requests(&self) -> Vec<Recorded> {
        lock(&self.state).requests.clone()
    }

    /// How many connections were made.
    pub fn connections(&self) -> usize {
        lock(&self.state).connections
    }

    /// Waits until this many chat requests have arrived.
    pub async fn wait_for_requests(&self, count: usize) {
        let mut seen = self.seen.clone();
        seen.wait_for(|seen| *seen >= count).await.expect("the server lives");
    }

    /// The same for tests without a runtime.
    pub fn wait_for_requests_blocking(&self, count: usize) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(self.wait_for_requests(count));
    }

    /// Fails the test when a chat request was not what a strict server takes, or came after the last reply.
    pub fn assert_valid(&self) {
        for (number, request) in self.requests().iter().enumerate() {
            let found = violations_at(&request.path, &request.body);
            let body = &request.body;
            assert!(found.is_empty(), "request {} is not valid:\n{}\n{body:#}", number + 1, found.join("\n"));
        }
        let unanswered = lock(&self.state).unanswered;
        assert_eq!(unanswered, 0, "{unanswered} requests came after the last reply");
    }

    /// Fails the test unless each chat request extends the one before it, byte for byte.
    pub fn assert_prefixes_grow(&self) {
        let requests = self.requests();
        let bodies: Vec<&[u8]> = requests.iter().map(|request| request.raw.as_slice()).collect();
        let breaks = prefix_breaks(&bodies);
        assert!(breaks.is_empty(), "requests that do not extend the one before: {breaks:?}");
    }

    /// The same where so many conversations go on side by side, of a session and its subagents: each is told from the others by
    /// what it begins with, so that one whose beginning changes is one too many.
    pub fn assert_prefixes_grow_in(&self, conversations: usize) {
        let mut all: BTreeMap<String, Vec<Recorded>> = BTreeMap::new();
        for request in self.requests() {
            let begins: Vec<String> = request.messages().iter().take(2).map(ToString::to_string).collect();
            all.entry(begins.concat()).or_default().push(request);
        }
        let begin: Vec<&String> = all.keys().collect();
        assert_eq!(all.len(), conversations, "these conversations begin: {begin:#?}");
        for (begins, requests) in &all {
            let bodies: Vec<&[u8]> = requests.iter().map(|request| request.raw.as_slice()).collect();
            let breaks = prefix_breaks(&bodies);
            assert!(breaks.is_empty(), "requests that do not extend the one before: {breaks:?} of {begins}");
        }
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn accept(listener: TcpListener, state: Arc<Mutex<State>>) {
    while let Ok((peer, _)) = listener.accept().await {
        let connection = {
            let mut state = lock(&state);
            state.connections += 1;
            state.connections
        };
        tokio::spawn(serve(peer, Arc::clone(&state), connection));
    }
}

async fn serve(peer: TcpStream, state: Arc<Mutex<State>>, connection: usize) {
    let _ = peer.set_nodelay(true);
    let mut peer = BufReader::new(peer);
    while let Some(request) = read_request(&mut peer, connection).await {
        let route = Route::of(&request.path).unwrap_or(Route::Chat);
        let (reply, serial) = take(&state, request);
        match write_reply(&mut peer, &reply, serial, route).await {
            Ok(After::Keep) => {}
            Ok(After::Close) | Err(_) => return,
            Ok(After::Hang) => std::future::pending().await,
        }
    }
}

/// Keeps the request and finds its reply.
fn take(state: &Mutex<State>, request: Recorded) -> (Reply, usize) {
    let mut state = lock(state);
    let reply = if let Some(document) = state.documents.get(&request.path) {
        Reply::json(document)
    } else if request.method == "GET" && request.path.split('?').next().is_some_and(|path| path.ends_with("/models")) {
        match &state.key {
            Some(_) if !request.path.starts_with("/v1/") => Reply::fail(404, "{}"),
            Some(key) if request.header("authorization") != Some(format!("Bearer {key}").as_str()) => {
                Reply::fail(401, "{}")
            }
            _ => Reply::json(&state.models),
        }
    } else if request.method == "POST" && request.path.ends_with("/count_tokens") {
        Reply::json(&json!({ "input_tokens": request.raw.len() / 4 }))
    } else if request.method == "POST" && Route::of(&request.path).is_some() {
        match (state.answer)(&request) {
            Some(reply) => reply,
            None => {
                state.unanswered += 1;
                Reply::fail(400, r#"{"error":{"message":"testkit: no reply is left for this request"}}"#)
            }
        }
    } else {
        Reply::fail(404, r#"{"error":{"message":"testkit: no such route"}}"#)
    };
    state.requests.push(request);
    let count = state.requests.iter().filter(|request| asks(request)).count();
    state.seen.send_replace(count);
    (reply, count)
}

/// True for a request that wants an answer of the model.
fn asks(request: &Recorded) -> bool {
    request.method == "POST" && !request.path.ends_with("/count_tokens") && Route::of(&request.path).is_some()
}
