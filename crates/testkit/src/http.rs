//! Just enough HTTP/1.1 for a server of tests: reads requests, writes responses.

use crate::reply::{Body, Ending, Reply};
use crate::route::Route;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// One request as it arrived.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The method.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body's bytes.
    pub raw: Vec<u8>,
    /// The body as JSON; null when it is not.
    pub body: Value,
    /// The connection it came on, counted from 1.
    pub connection: usize,
}

impl Recorded {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The messages, or items, of the body; empty when there are none.
    pub fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().or_else(|| self.body["input"].as_array()).map_or(&[], Vec::as_slice)
    }

    /// The content of the last message.
    pub fn last_content(&self) -> &str {
        self.messages().last().and_then(|message| message["content"].as_str()).unwrap_or_default()
    }
}

/// Reads one request; none when the peer is gone.
pub(crate) async fn read_request(peer: &mut BufReader<TcpStream>, connection: usize) -> Option<Recorded> {
    let mut line = String::new();
    if peer.read_line(&mut line).await.ok()? == 0 {
        return None;
    }
    let mut words = line.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        line.clear();
        peer.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let mut raw = vec![0; length.unwrap_or(0)];
    peer.read_exact(&mut raw).await.ok()?;
    let body = serde_json::from_slice(&raw).unwrap_or(Value::Null);
    Some(Recorded { method, path, headers, raw, body, connection })
}

/// What becomes of a connection after a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    Keep,
    Close,
    Hang,
}

/// Writes one reply.
pub(crate) async fn write_reply(
    peer: &mut BufReader<TcpStream>,
    reply: &Reply,
    serial: usize,
    route: Route,
) -> std::io::Result<After> {
    let peer = peer.get_mut();
    match &reply.body {
        Body::Silence => return Ok(After::Hang),
        Body::Refuse => return Ok(After::Close),
        Body::Http(bytes) => {
            peer.write_all(bytes).await?;
            return Ok(After::Close);
        }
        Body::Whole { content_type, bytes } => {
            let mut out = head(reply, content_type);
            out.extend_from_slice(format!("Content-Length: {}\r\n\r\n", bytes.len()).as_bytes());
            out.extend_from_slice(bytes);
            peer.write_all(&out).await?;
            return Ok(After::Keep);
        }
        Body::Events { .. } | Body::Pieces { .. } => {}
    }
    let mut out = head(reply, "text/event-stream");
    out.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n");
    peer.write_all(&out).await?;
    let (pieces, ending) = pieces(&reply.body, serial, route);
    let last = pieces.len().saturating_sub(1);
    for (number, piece) in pieces.iter().enumerate() {
        let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
        chunk.extend_from_slice(piece);
        chunk.extend_from_slice(b"\r\n");
        // The end travels with the last piece, as it does from servers that buffer.
        if number == last && ending == Ending::Proper {
            chunk.extend_from_slice(b"0\r\n\r\n");
        }
        peer.write_all(&chunk).await?;
        peer.flush().await?;
        tokio::task::yield_now().await;
    }
    if pieces.is_empty() && ending == Ending::Proper {
        peer.write_all(b"0\r\n\r\n").await?;
    }
    Ok(match ending {
        Ending::Proper => After::Keep,
        Ending::Cut => After::Close,
        Ending::Hang => After::Hang,
    })
}

fn pieces(body: &Body, serial: usize, route: Route) -> (Vec<Vec<u8>>, Ending) {
    match body {
        Body::Pieces { pieces, ending } => {
            (pieces.iter().filter(|piece| !piece.is_empty()).cloned().collect(), *ending)
        }
        Body::Events { events, done, ending } => {
            let unique = format!("call_{serial}_");
            let mut pieces: Vec<Vec<u8>> = route
                .events(events, *done)
                .iter()
                .map(|(name, event)| {
                    let name = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
                    format!("{name}data: {}\n\n", event.to_string().replace(crate::reply::ID, &unique)).into_bytes()
                })
                .collect();
            if *done && route == Route::Chat {
                pieces.push(b"data: [DONE]\n\n".to_vec());
            }
            (pieces, *ending)
        }
        _ => (Vec::new(), Ending::Proper),
    }
}

fn head(reply: &Reply, content_type: &str) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {} Testkit\r\nContent-Type: {content_type}\r\n", reply.status);
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.into_bytes()
}
