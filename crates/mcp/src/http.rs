//! Streamable HTTP through the client of `net`: its proxies and certificates, no redirect, and every body bounded.

use crate::frame;
use crate::tokens::TokenFile;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use http::{HeaderName, HeaderValue};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};
use rmcp::ErrorData;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};
use std::collections::HashMap;
use std::sync::Arc;

const SESSION: &str = "Mcp-Session-Id";
const LAST_EVENT: &str = "Last-Event-ID";
const STREAM: &str = "text/event-stream";
const JSON: &str = "application/json";
/// Bytes of an answer that only says what went wrong.
const ERROR_BODY: usize = 64 * 1024;

type Failed = StreamableHttpError<HttpError>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// Why a request could not be made or its answer not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HttpError {
    /// The connection failed.
    #[error("{0}")]
    Net(String),
    /// It points elsewhere, and what is sent to it is not for others.
    #[error("it redirects to {0}; if that is right, configure that address")]
    Redirect(String),
    /// It sent more than it may.
    #[error("its answer has more than {0} bytes")]
    Large(usize),
}

/// A client for one server.
#[derive(Clone)]
pub(crate) struct Http {
    client: Client,
    /// Bytes of one message.
    most: usize,
    /// Where it is kept that the scopes of a login did not suffice.
    tokens: Option<TokenFile>,
}

impl Http {
    pub(crate) fn new(client: Client, most: usize, tokens: Option<TokenFile>) -> Self {
        Self { client, most, tokens }
    }

    async fn send(&self, request: RequestBuilder, headers: Headers) -> Result<Response, Failed> {
        let headers: HeaderMap = headers.into_iter().collect();
        let response = request.headers(headers).send().await.map_err(|error| net(&error))?;
        let status = response.status();
        if status.is_redirection() {
            return Err(Failed::Client(HttpError::Redirect(elsewhere(&response))));
        }
        if let Some(challenge) = header(&response, WWW_AUTHENTICATE.as_str()) {
            if status == StatusCode::UNAUTHORIZED {
                return Err(Failed::AuthRequired(AuthRequiredError::new(challenge)));
            }
            if status == StatusCode::FORBIDDEN {
                if let Some(tokens) = self.tokens.as_ref().filter(|_| challenge.contains("insufficient_scope")) {
                    tokens.wants(&challenge);
                }
                return Err(Failed::InsufficientScope(InsufficientScopeError::new(challenge, None)));
            }
        }
        Ok(response)
    }

    async fn body(&self, response: Response, most: usize) -> Result<Vec<u8>, Failed> {
        let mut body = Vec::new();
        let mut pieces = response.bytes_stream();
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|error| net(&error))?;
            if body.len() + piece.len() > most {
                return Err(Failed::Client(HttpError::Large(most)));
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }

    /// What came in place of an answer.
    async fn refused(
        &self,
        message: &ClientJsonRpcMessage,
        response: Response,
        in_session: bool,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let status = response.status();
        if status == StatusCode::NOT_FOUND && in_session {
            return Err(Failed::SessionExpired);
        }
        let wait = header(&response, RETRY_AFTER.as_str());
        if status == StatusCode::TOO_MANY_REQUESTS {
            return Err(HttpStatusError::new(status.as_u16(), wait).into());
        }
        let json = is(&response, JSON);
        let body = self.body(response, ERROR_BODY).await.unwrap_or_default();
        let told = match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
            Ok(ServerJsonRpcMessage::Error(error)) => Some(error),
            _ => None,
        };
        let denied = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        // A server of the older era refuses the question which era it is of in many ways; any of them is the answer. Whoever
        // refuses it may not have read whose question it was.
        if let ClientJsonRpcMessage::Request(request) = message
            && matches!(request.request, ClientRequest::DiscoverRequest(_))
            && status.is_client_error()
            && !denied
            && !in_session
        {
            let error =
                told.map_or_else(|| ErrorData::invalid_request(format!("HTTP {status}"), None), |told| told.error);
            let error = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
            return Ok(StreamableHttpPostResponse::Json(error, None));
        }
        match told {
            Some(told) if json && !denied => {
                Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::Error(told), None))
            }
            _ => Err(HttpStatusError::new(status.as_u16(), wait).into()),
        }
    }
}

/// A connection that failed, with everything that caused it.
fn net(error: &reqwest::Error) -> Failed {
    let mut text = String::new();
    let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(error) = cause {
        text = error.to_string();
        cause = error.source();
    }
    // The address is not repeated: it can hold a key.
    Failed::Client(HttpError::Net(if text.is_empty() { "the connection failed".to_owned() } else { text }))
}

fn header(response: &Response, name: &str) -> Option<String> {
    let value = response.headers().get(name)?.to_str().ok()?;
    (value.len() <= 4096).then(|| value.to_owned())
}

fn is(response: &Response, media: &str) -> bool {
    header(response, CONTENT_TYPE.as_str()).is_some_and(|kind| kind.to_ascii_lowercase().starts_with(media))
}

/// Where a redirect leads: only the origin, the rest could hold anything.
fn elsewhere(response: &Response) -> String {
    let place = header(response, LOCATION.as_str()).and_then(|to| response.url().join(&to).ok());
    place.map_or_else(|| "nowhere".to_owned(), |url: Url| url.origin().ascii_serialization())
}

/// The events of a body, each bounded.
fn events(response: Response, most: usize) -> BoxStream<'static, Result<Sse, SseError>> {
    let mut size = EventSize { most, event: 0, line: 0, comment: false };
    let pieces = response.bytes_stream().map(move |piece| match piece {
        Ok(piece) if size.grows(&piece) => Ok(piece),
        Ok(_) => Err(HttpError::Large(most)),
        Err(error) => Err(HttpError::Net(error.without_url().to_string())),
    });
    // Whoever broke the bound once is not read on.
    let pieces = pieces.scan(false, |over, piece| {
        let before = std::mem::replace(over, piece.is_err());
        std::future::ready((!before).then_some(piece))
    });
    SseStream::from_bytes_stream(pieces).boxed()
}

/// How much an event takes that has not ended.
struct EventSize {
    most: usize,
    event: usize,
    line: usize,
    comment: bool,
}

impl EventSize {
    /// Counts; false when it is too much.
    fn grows(&mut self, piece: &[u8]) -> bool {
        piece.iter().all(|byte| self.counts(*byte))
    }

    fn counts(&mut self, byte: u8) -> bool {
        if matches!(byte, b'\n' | b'\r') {
            // An empty line is the end of an event; a comment is forgotten at the end of its line.
            let kept = if self.comment { 0 } else { self.line + 1 };
            self.event = if self.line == 0 { 0 } else { self.event + kept };
            (self.line, self.comment) = (0, false);
        } else {
            self.comment |= self.line == 0 && byte == b':';
            self.line += 1;
        }
        self.event + self.line <= self.most
    }
}

impl StreamableHttpClient for Http {
    type Error = HttpError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let body = serde_json::to_vec(&message)?;
        let mut request = self.client.post(uri.as_ref()).body(body).header(CONTENT_TYPE, JSON);
        request = request.header(ACCEPT, format!("{JSON}, {STREAM}"));
        let in_session = session_id.is_some();
        if let Some(session) = session_id {
            request = request.header(SESSION, session.as_ref());
        }
        if let Some(token) = auth_header {
            request = request.bearer_auth(token);
        }
        let response = self.send(request, custom_headers).await?;
        let (status, session) = (response.status(), header(&response, SESSION));
        if !status.is_success() {
            return self.refused(&message, response, in_session).await;
        }
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if is(&response, STREAM) {
            return Ok(StreamableHttpPostResponse::Sse(events(response, self.most), session));
        }
        let waits = matches!(message, ClientJsonRpcMessage::Request(_));
        if !waits {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if !is(&response, JSON) {
            return Err(Failed::UnexpectedContentType(header(&response, CONTENT_TYPE.as_str())));
        }
        let body = self.body(response, self.most).await?;
        match frame::read(body.trim_ascii()) {
            Some(answer) => Ok(StreamableHttpPostResponse::Json(answer, session)),
            None => Err(Failed::UnexpectedServerResponse("it is no message of the protocol".into())),
        }
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
        _most: usize,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        self.post_message(uri, message, session_id, auth_header, custom_headers).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<(), Failed> {
        let mut request = self.client.delete(uri.as_ref()).header(SESSION, session_id.as_ref());
        if let Some(token) = auth_header {
            request = request.bearer_auth(token);
        }
        // A server that does not know this forgets by itself.
        self.send(request, custom_headers).await.map(drop)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        let mut request = self.client.get(uri.as_ref()).header(ACCEPT, STREAM);
        if let Some(session) = session_id {
            request = request.header(SESSION, session.as_ref());
        }
        if let Some(last) = last_event_id {
            request = request.header(LAST_EVENT, last);
        }
        if let Some(token) = auth_header {
            request = request.bearer_auth(token);
        }
        let response = self.send(request, custom_headers).await?;
        let status = response.status();
        if matches!(status, StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_FOUND) {
            return Err(Failed::ServerDoesNotSupportSse);
        }
        if !status.is_success() {
            return Err(HttpStatusError::new(status.as_u16(), header(&response, RETRY_AFTER.as_str())).into());
        }
        if !is(&response, STREAM) {
            return Err(Failed::UnexpectedContentType(header(&response, CONTENT_TYPE.as_str())));
        }
        Ok(events(response, self.most))
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
        _most: usize,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        self.get_stream(uri, session_id, last_event_id, auth_header, custom_headers).await
    }
}

#[cfg(test)]
mod tests {
    use super::EventSize;

    fn fits(text: &str, most: usize) -> bool {
        EventSize { most, event: 0, line: 0, comment: false }.grows(text.as_bytes())
    }

    #[test]
    fn an_event_is_bounded_and_comments_are_forgotten() {
        assert!(fits(&": keep alive\n".repeat(1000), 100));
        assert!(fits(&"data: short\n\n".repeat(1000), 100));
        assert!(!fits(&"data: short\n".repeat(1000), 100), "an event that does not end");
        assert!(!fits(&format!("data: {}", "x".repeat(200)), 100));
        assert!(!fits(&format!(":{}", "x".repeat(200)), 100), "nor a comment that does not end");
    }
}
