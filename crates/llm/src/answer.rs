//! One answer on its way: sends the request, waits and tries again, reads the stream to its end.

use crate::body::Body;
use crate::codec::Decode;
use crate::failure::{Oddity, Trouble, causes};
use crate::head::head;
use crate::tape::Tape;
use crate::wire::Wire;
use crate::{Endpoint, backoff};
use bytes::Bytes;
use futures_util::stream;
use reasonix_agent::{Item, ModelStream, Request, Stop};
use reqwest::Response;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use serde_json::json;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};
use tokio::time::{Instant, timeout};

/// How long an answer that is complete is still listened to, for the token counts that may follow.
const GRACE: Duration = Duration::from_secs(5);
/// How long the end of a body is waited for after the last event, so that the connection can be used again.
const LAST_BYTES: Duration = Duration::from_millis(100);
/// How long is looked once more for what may have come while nobody looked.
const LAST_LOOK: Duration = Duration::from_millis(50);
/// The most bytes of an error or a list that are read, and for how long.
const MOST_ERROR: usize = 4 * 1024 * 1024;
const ERROR_TIME: Duration = Duration::from_secs(10);

/// One answer on its way.
pub(crate) struct Answer {
    wire: Arc<Wire>,
    body: Bytes,
    /// The same without the form of the answer, for an endpoint that refuses to be told.
    plain: Option<Bytes>,
    request: Arc<Request>,
    stop: Stop,
    attempt: u32,
    /// How often another key was taken for this request.
    renewed: usize,
    stage: Stage,
    ready: VecDeque<Item>,
}

enum Stage {
    /// The request goes out; with another key than the last one.
    Send(bool),
    Wait(Duration),
    Read(Box<Reading>),
    Over,
}

impl Answer {
    pub(crate) fn stream(
        wire: Arc<Wire>,
        (body, plain): (Bytes, Option<Bytes>),
        request: Request,
        stop: Stop,
    ) -> ModelStream {
        let request = Arc::new(request);
        let answer = Self {
            wire,
            body,
            plain,
            request,
            stop,
            attempt: 1,
            renewed: 0,
            stage: Stage::Send(false),
            ready: VecDeque::new(),
        };
        Box::pin(stream::unfold(Box::new(answer), |mut answer| async move {
            let item = answer.next().await?;
            Some((item, answer))
        }))
    }

    async fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some(item);
            }
            if let Stage::Read(reading) = &mut self.stage
                && let Some(item) = reading.body.decoder.pop()
            {
                return Some(item);
            }
            let stop = self.stop.clone();
            tokio::select! {
                biased;
                () = stop.cancelled() => {
                    self.stage = Stage::Over;
                    return None;
                }
                over = self.advance() => if over { return None },
            }
        }
    }

    /// Goes one stage further; true when nothing more comes. Nothing is lost when it is dropped in between.
    async fn advance(&mut self) -> bool {
        let may_retry = self.may_retry();
        match &mut self.stage {
            Stage::Over => return true,
            Stage::Wait(wait) => {
                tokio::time::sleep(*wait).await;
                self.stage = Stage::Send(false);
            }
            Stage::Send(refused) => {
                let refused = *refused;
                self.ask(refused).await;
            }
            Stage::Read(reading) => {
                let advanced = reading.advance().await;
                match (&advanced, &mut reading.tape) {
                    (Ok(true), Some(tape)) => tape.whole(),
                    (Err(trouble), Some(tape)) => tape.failed(&trouble.failure.phrase),
                    _ => {}
                }
                match advanced {
                    Ok(false) => {}
                    Ok(true) => {
                        tracing::debug!(bytes = reading.body.read, "response_ended");
                        self.over();
                    }
                    Err(trouble) if trouble.passing && !reading.body.decoder.has_spoken() && may_retry => {
                        let asked = trouble.asked;
                        self.failed(trouble, asked);
                    }
                    Err(trouble) => {
                        reading.body.decoder.fail(trouble);
                        self.over();
                    }
                }
            }
        }
        false
    }

    /// Sends the request, with another key than before where that one was refused.
    async fn ask(&mut self, refused: bool) {
        let endpoint = match self.wire.ready(refused).await {
            Ok(endpoint) => endpoint,
            Err(trouble) => return self.failed(trouble, None),
        };
        tracing::debug!(attempt = self.attempt, bytes = self.body.len(), "request_sent");
        let mut tape = self.wire.tape(&endpoint, &self.body);
        match send(&self.wire, &endpoint, self.body.clone(), tape.as_deref_mut()).await {
            Ok(response) => {
                tracing::debug!(status = response.status().as_u16(), "response_began");
                let decoder = self.wire.decoder(&endpoint, &self.request);
                self.stage = Stage::Read(Box::new(Reading::new(endpoint, response, decoder, tape)));
            }
            Err((trouble, asked)) => {
                if let Some(tape) = &mut tape {
                    tape.failed(&trouble.failure.phrase);
                }
                if trouble.oddity == Some(Oddity::Form)
                    && let Some(plain) = self.plain.take()
                {
                    tracing::warn!("asked_in_words");
                    self.wire.formless.store(true, Ordering::Relaxed);
                    (self.body, self.stage) = (plain, Stage::Send(false));
                    return;
                }
                let spares = endpoint.key_source.as_ref().map_or(0, |source| source.spares(trouble.failure.class));
                if self.renewed < spares {
                    self.renewed += 1;
                    self.stage = Stage::Send(true);
                } else {
                    self.failed(trouble, asked);
                }
            }
        }
    }

    /// What a model wrote and its endpoint could not read, where a call comes of it here. It passes every gate as any other.
    fn read_here(&self, text: &str) -> Option<Vec<Item>> {
        let choice =
            json!({ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" });
        let body = json!({ "choices": [choice] }).to_string();
        let mut decoder = self.wire.decoder(&self.wire.endpoint, &self.request);
        decoder.whole(body.as_bytes()).and_then(|()| decoder.finish()).ok()?;
        let items: Vec<Item> = std::iter::from_fn(|| decoder.pop()).collect();
        items.iter().any(|item| matches!(item, Item::Call(_))).then_some(items)
    }

    fn may_retry(&self) -> bool {
        self.attempt < self.wire.endpoint.retry.attempts
    }

    /// Takes over what the decoder still holds and closes the stream.
    fn over(&mut self) {
        if let Stage::Read(reading) = &mut self.stage {
            self.ready.extend(std::iter::from_fn(|| reading.body.decoder.pop()));
        }
        self.stage = Stage::Over;
    }

    /// Tries again where that may help and does not take for ever.
    fn failed(&mut self, trouble: Trouble, asked: Option<Duration>) {
        if !trouble.passing || !self.may_retry() {
            let Trouble { failure, wrote, .. } = trouble;
            let read = wrote.and_then(|text| self.read_here(&text));
            self.ready.extend(read.unwrap_or_else(|| vec![Item::Failed(failure)]));
            self.stage = Stage::Over;
            return;
        }
        let retry = &self.wire.endpoint.retry;
        let Some(wait) = backoff::wait(retry, self.attempt, asked) else {
            let later = trouble.later(&backoff::in_words(asked.unwrap_or_default()));
            self.ready.push_back(Item::Failed(later.failure));
            self.stage = Stage::Over;
            return;
        };
        let (failure, attempt, of) = (trouble.failure, self.attempt, retry.attempts);
        tracing::warn!(class = ?failure.class, attempt, of, ?wait, "retry");
        self.ready.push_back(Item::Retrying { attempt, of, wait, why: failure.phrase });
        self.attempt += 1;
        self.stage = Stage::Wait(wait);
    }
}

/// Sends the request and waits for the head of the response.
async fn send(
    wire: &Wire,
    endpoint: &Endpoint,
    body: Bytes,
    mut tape: Option<&mut Tape>,
) -> Result<Response, (Trouble, Option<Duration>)> {
    if endpoint.lacks_its_key() {
        return Err((Trouble::key_missing(endpoint), None));
    }
    let headers = head(endpoint, "POST", &wire.url, &body).map_err(|trouble| (trouble, None))?;
    let request = wire.client.post(&wire.url).headers(headers).body(body);
    let response = match timeout(endpoint.first_byte_timeout, request.send()).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => return Err((Trouble::unreachable(endpoint, error), None)),
        Err(_) => return Err((Trouble::silent(endpoint, endpoint.first_byte_timeout.as_secs()), None)),
    };
    let status = response.status();
    if let Some(tape) = &mut tape {
        tape.head(status.as_u16(), response.headers());
    }
    if status.is_success() {
        // Nothing compressed was asked for, and nothing is ever unpacked: a bomb stays what it is.
        let packed = response.headers().get(CONTENT_ENCODING).and_then(|name| name.to_str().ok());
        return match packed.filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("identity")) {
            Some(name) => Err((Trouble::not_json(endpoint, &format!("a body packed with {name}, unasked")), None)),
            None => Ok(response),
        };
    }
    if status.is_redirection() {
        let target = response.headers().get(LOCATION).and_then(|target| target.to_str().ok()).unwrap_or_default();
        return Err((Trouble::redirect(endpoint, status.as_u16(), target), None));
    }
    let asked = backoff::asked(response.headers(), SystemTime::now());
    let body = bounded_body(response).await;
    if let Some(tape) = tape {
        tape.feed(body.as_bytes());
    }
    let trouble = Trouble::status(endpoint, status.as_u16(), &body);
    let asked = asked.or(trouble.asked);
    Err((trouble, asked))
}

/// As much of a small body as is worth reading.
pub(crate) async fn bounded_body(mut response: Response) -> String {
    let mut body = Vec::new();
    let read = async {
        while let Ok(Some(chunk)) = response.chunk().await {
            body.extend_from_slice(&chunk);
            if body.len() > MOST_ERROR {
                break;
            }
        }
    };
    let _ = timeout(ERROR_TIME, read).await;
    body.truncate(MOST_ERROR);
    String::from_utf8_lossy(&body).into_owned()
}

/// A response that is being read.
struct Reading {
    /// With the key that was sent, which must not be seen in what comes back.
    endpoint: Arc<Endpoint>,
    response: Response,
    body: Body,
    tape: Option<Box<Tape>>,
    /// Since when nothing is missing any more but the end.
    complete: Option<Instant>,
    /// How much of the answer was heard, and when the last of it came.
    heard: (usize, Instant),
}

impl Reading {
    fn new(endpoint: Arc<Endpoint>, response: Response, decoder: Box<dyn Decode>, tape: Option<Box<Tape>>) -> Self {
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let body = Body::new(kind, decoder);
        Self { endpoint, response, body, tape, complete: None, heard: (0, Instant::now()) }
    }

    /// Reads some more; true at the end.
    async fn advance(&mut self) -> Result<bool, Trouble> {
        let endpoint = &*self.endpoint;
        if self.body.decoder.is_complete() {
            self.complete.get_or_insert_with(Instant::now);
        }
        // Comments and pings make neither longer.
        let patience = if self.heard.0 == 0 { endpoint.first_byte_timeout } else { endpoint.idle_timeout };
        let left = match self.complete {
            Some(since) => GRACE.saturating_sub(since.elapsed()),
            None => patience.saturating_sub(self.heard.1.elapsed()),
        };
        let silence = if self.body.read == 0 { endpoint.first_byte_timeout } else { endpoint.idle_timeout };
        // What is there already is taken however little time is left: it may be the rest of the answer.
        let came = match timeout(left.min(silence), self.response.chunk()).await {
            // A process that was stopped finds its time over and the answer waiting.
            Err(_) => timeout(LAST_LOOK, self.response.chunk()).await,
            came => came,
        };
        match came {
            Ok(Ok(Some(chunk))) => {
                if let Some(tape) = &mut self.tape {
                    tape.feed(&chunk);
                }
                self.body.feed(&chunk, endpoint)?;
                let heard = self.body.heard();
                if heard > self.heard.0 {
                    self.heard = (heard, Instant::now());
                } else if left.is_zero() {
                    return match self.complete {
                        Some(_) => self.body.decoder.finish().map(|()| true),
                        None => Err(self.body.silent(endpoint, patience)),
                    };
                }
                if self.body.decoder.is_done() {
                    let rest = async { while let Ok(Some(_)) = self.response.chunk().await {} };
                    let _ = timeout(LAST_BYTES, rest).await;
                    self.body.decoder.finish()?;
                }
                Ok(self.body.decoder.is_done())
            }
            Ok(Ok(None)) => self.body.end(endpoint).map(|()| true),
            Ok(Err(_)) | Err(_) if self.body.decoder.is_complete() => self.body.decoder.finish().map(|()| true),
            Ok(Err(error)) => Err(Trouble::broken(endpoint, &causes(&error.without_url()))),
            Err(_) => Err(self.body.silent(endpoint, patience.min(silence))),
        }
    }
}
