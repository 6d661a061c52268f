//! The proxy as HTTP clients speak to it.

use super::{Destination, Doorman, Refused, join, reach, read_until, upstream::Upstream};
use reqwest::Url;
use std::io;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// The longest head of a request.
const LONGEST_HEAD: usize = 64 * 1024;
/// Headers that are for us, or that we say ourselves.
const OURS: &[&str] = &["proxy-connection", "proxy-authorization", "connection", "keep-alive", "host"];

pub(super) async fn attend(client: &mut TcpStream, doorman: &dyn Doorman, upstream: &Upstream) -> io::Result<()> {
    let read = read_until(client, b"\r\n\r\n", LONGEST_HEAD).await?;
    let end = read.windows(4).position(|window| window == b"\r\n\r\n").unwrap_or(0) + 4;
    let (head, rest) = read.split_at(end.min(read.len()));
    let head = String::from_utf8_lossy(head);
    let Some(request) = Request::read(&head) else {
        return answer(client, "400 Bad Request", "this proxy takes CONNECT and requests with a whole http:// address")
            .await;
    };
    let mut server = match reach(client, &request.to, doorman, upstream).await {
        Ok(server) => server,
        Err(Refused::Denied(reason)) => return answer(client, "403 Forbidden", &reason).await,
        Err(Refused::Failed(reason)) => return answer(client, "502 Bad Gateway", &reason).await,
    };
    match request.head {
        None => client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?,
        Some(head) => server.write_all(head.as_bytes()).await?,
    }
    server.write_all(rest).await?;
    join(client, server).await
}

async fn answer(client: &mut TcpStream, status: &str, reason: &str) -> io::Result<()> {
    let body = format!("reasonix sandbox: {reason}\n");
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n");
    client.write_all(format!("{head}Connection: close\r\n\r\n{body}").as_bytes()).await?;
    client.shutdown().await
}

/// What a client wants.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    to: Destination,
    /// The head for the server; none for a tunnel.
    head: Option<String>,
}

impl Request {
    fn read(head: &str) -> Option<Self> {
        let mut lines = head.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        if words.next().is_some() || !version.starts_with("HTTP/1.") {
            return None;
        }
        if method.eq_ignore_ascii_case("CONNECT") {
            return Some(Self { to: Destination::parse(target, 443)?, head: None });
        }
        let url = Url::parse(target).ok().filter(|url| url.scheme() == "http" && url.username().is_empty())?;
        let to = Destination::new(url.host_str()?, url.port().unwrap_or(80))?;
        let host = url.host_str()?;
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        // The host that was admitted is the host that is asked for, and one connection is for one request: what the
        // client says beyond it goes to the same server.
        let mut sent =
            format!("{method} {}{query} HTTP/1.1\r\nHost: {host}{port}\r\nConnection: close\r\n", url.path());
        for line in lines.take_while(|line| !line.is_empty()) {
            let name = line.split(':').next().unwrap_or_default().trim().to_ascii_lowercase();
            if !OURS.contains(&name.as_str()) {
                sent.push_str(line);
                sent.push_str("\r\n");
            }
        }
        sent.push_str("\r\n");
        Some(Self { to, head: Some(sent) })
    }
}

#[cfg(test)]
mod tests {
    use super::Request;
    use crate::egress::Destination;

    fn to(host: &str, port: u16) -> Destination {
        Destination { host: host.into(), port }
    }

    #[test]
    fn what_clients_say() {
        let tunnel =
            |text: &str| Request::read(&format!("CONNECT {text} HTTP/1.1\r\nHost: else\r\n\r\n")).map(|r| r.to);
        assert_eq!(tunnel("Crates.IO.:443"), Some(to("crates.io", 443)));
        assert_eq!(tunnel("[::1]:8080"), Some(to("::1", 8080)));
        for bad in ["", "a b:1", "a:0", "a:99999", "a\u{e9}:1", "evil.com\u{0}.good:443", "x/y:1", "@:1", "a:b:1"] {
            assert_eq!(tunnel(bad), None, "{bad:?}");
        }
        let head = "GET http://a.example:81/p?q=1 HTTP/1.1\r\nHost: other.example\r\nProxy-Authorization: x\r\n\
                    Connection: keep-alive\r\nAccept: */*\r\n\r\n";
        let request = Request::read(head).expect("a request");
        assert_eq!(request.to, to("a.example", 81));
        let wanted = "GET /p?q=1 HTTP/1.1\r\nHost: a.example:81\r\nConnection: close\r\nAccept: */*\r\n\r\n";
        assert_eq!(request.head.as_deref(), Some(wanted));
        for bad in ["GET / HTTP/1.1", "GET https://a/ HTTP/1.1", "GET http://u@a/ HTTP/1.1", "GET http://a/ x HTTP/1.1"]
        {
            assert_eq!(Request::read(&format!("{bad}\r\n\r\n")), None, "{bad}");
        }
    }
}
