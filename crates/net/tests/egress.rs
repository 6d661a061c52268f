//! The way out for commands, over real sockets: who is admitted, who is not, and where a name may lead.

use reasonix_net::NetOptions;
use reasonix_net::egress::{Admission, Destination, Doorman, serve};
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Knows what to say about some hosts, and keeps what was asked.
#[derive(Default)]
struct Table {
    known: HashMap<String, Admission>,
    asked: Mutex<Vec<String>>,
    failed: Mutex<Vec<String>>,
}

impl Doorman for Table {
    fn admit<'a>(&'a self, to: &'a Destination) -> Pin<Box<dyn Future<Output = Admission> + Send + 'a>> {
        self.asked.lock().unwrap().push(to.subject());
        let denied = || Admission::Deny { reason: format!("{} is not allowed", to.host) };
        let said = self.known.get(&to.host).cloned().unwrap_or_else(denied);
        Box::pin(async { said })
    }

    fn failed(&self, _: &Destination, reason: &str) {
        self.failed.lock().unwrap().push(reason.to_owned());
    }
}

struct Place {
    proxy: u16,
    server: u16,
    table: Arc<Table>,
}

/// A proxy that knows this table, and a server that answers each connection with what it read first.
async fn place(known: &[(&str, Admission)]) -> Place {
    let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = server.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = server.accept().await {
            tokio::spawn(async move {
                let mut read = vec![0; 4096];
                let length = client.read(&mut read).await.unwrap_or(0);
                let body = read.get(..length).unwrap_or_default();
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
                let _ = client.write_all(&[head.as_bytes(), body].concat()).await;
            });
        }
    });
    let door = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy = door.local_addr().unwrap().port();
    let known = known.iter().map(|(host, said)| ((*host).to_owned(), said.clone())).collect();
    let table = Arc::new(Table { known, ..Table::default() });
    let doorman: Arc<dyn Doorman> = table.clone();
    // The environment of the machine has no say in these tests.
    let options = NetOptions { proxy: Some(" ".into()), ..NetOptions::default() };
    tokio::spawn(async move { serve(door, doorman, &options).await });
    Place { proxy, server: port, table }
}

/// What the proxy answers to these bytes, to the end.
async fn say(port: u16, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

const NAMED: Admission = Admission::Allow { named: true };
const LOOSE: Admission = Admission::Allow { named: false };

#[tokio::test]
async fn c4_only_admitted_hosts_are_reached() {
    let place = place(&[("127.0.0.1", NAMED)]).await;
    let (proxy, port) = (place.proxy, place.server);
    let plain = say(proxy, format!("GET http://127.0.0.1:{port}/x HTTP/1.1\r\nHost: evil\r\n\r\n").as_bytes()).await;
    assert!(plain.starts_with("HTTP/1.1 200") && plain.contains("GET /x HTTP/1.1\r\nHost: 127.0.0.1:"), "{plain}");
    assert!(!plain.contains("evil"), "the host that was admitted is the one that is asked for: {plain}");
    let mut tunnel = TcpStream::connect(("127.0.0.1", proxy)).await.unwrap();
    tunnel.write_all(format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n").as_bytes()).await.unwrap();
    let mut head = [0; 39];
    tunnel.read_exact(&mut head).await.unwrap();
    assert_eq!(&head, b"HTTP/1.1 200 Connection established\r\n\r\n");
    tunnel.write_all(b"inside").await.unwrap();
    let mut answer = String::new();
    tunnel.read_to_string(&mut answer).await.unwrap();
    assert!(answer.ends_with("inside"), "{answer}");
    let refused = say(proxy, b"CONNECT other.example:443 HTTP/1.1\r\n\r\n").await;
    assert!(refused.starts_with("HTTP/1.1 403") && refused.contains("other.example is not allowed"), "{refused}");
    let bad = say(proxy, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").await;
    assert!(bad.starts_with("HTTP/1.1 400"), "{bad}");
    let asked = place.table.asked.lock().unwrap().clone();
    assert_eq!(asked, [format!("127.0.0.1:{port}"), format!("127.0.0.1:{port}"), "other.example".to_owned()]);
}

#[tokio::test]
async fn socks_clients_are_served_the_same_way() {
    let place = place(&[("127.0.0.1", NAMED)]).await;
    let [high, low] = place.server.to_be_bytes();
    let mut stream = TcpStream::connect(("127.0.0.1", place.proxy)).await.unwrap();
    stream.write_all(&[5, 1, 0, 5, 1, 0, 1, 127, 0, 0, 1, high, low]).await.unwrap();
    let mut head = [0; 12];
    stream.read_exact(&mut head).await.unwrap();
    assert_eq!(&head[..4], [5, 0, 5, 0]);
    stream.write_all(b"hello").await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.ends_with("hello"), "{answer}");
    let name = b"evil.example";
    let mut request = vec![5, 1, 0, 5, 1, 0, 3, u8::try_from(name.len()).unwrap()];
    request.extend_from_slice(name);
    request.extend([0, 80]);
    let mut stream = TcpStream::connect(("127.0.0.1", place.proxy)).await.unwrap();
    stream.write_all(&request).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    assert_eq!(answer.get(2..4), Some(&[5, 2][..]), "not allowed: {answer:?}");
}

/// A name that a pattern or a preset covers may not lead into the user's own network, whatever a name server says.
#[tokio::test]
async fn c4_a_name_may_not_lead_to_a_private_address() {
    let place =
        place(&[("localhost", LOOSE), ("169.254.169.254", LOOSE), ("::1", LOOSE), ("a.localhost", NAMED)]).await;
    let port = place.server;
    for host in ["localhost", "169.254.169.254", "[::1]"] {
        // Were the way open, the request behind the head would have the server answer and hang up.
        let request = format!("CONNECT {host}:{port} HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n");
        let text = say(place.proxy, request.as_bytes()).await;
        assert!(text.starts_with("HTTP/1.1 502") && text.contains("not a public address"), "{host}: {text}");
    }
    assert_eq!(place.table.failed.lock().unwrap().len(), 3);
    let text = say(place.proxy, format!("GET http://a.localhost:{port}/ HTTP/1.1\r\n\r\n").as_bytes()).await;
    assert!(text.starts_with("HTTP/1.1 200"), "one that was named itself may: {text}");
}

/// A secret in the name of a host goes nowhere: before somebody says yes, nothing is looked up.
#[tokio::test]
async fn g4_a_denied_name_is_never_looked_up() {
    let place = place(&[]).await;
    let text = say(place.proxy, b"CONNECT sk-0123456789abcdef.evil.example:443 HTTP/1.1\r\n\r\n").await;
    assert!(text.starts_with("HTTP/1.1 403"), "{text}");
    assert_eq!(*place.table.asked.lock().unwrap(), ["sk-0123456789abcdef.evil.example"]);
    // Looking it up is what would have failed here.
    assert!(place.table.failed.lock().unwrap().is_empty());
}

/// Never says anything.
struct Silent(tokio::sync::mpsc::UnboundedSender<()>);

struct Told(tokio::sync::mpsc::UnboundedSender<()>);

impl Drop for Told {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

impl Doorman for Silent {
    fn admit<'a>(&'a self, _: &'a Destination) -> Pin<Box<dyn Future<Output = Admission> + Send + 'a>> {
        let told = Told(self.0.clone());
        Box::pin(async move {
            let _told = told;
            std::future::pending().await
        })
    }
}

/// A client that goes away takes its question with it.
#[tokio::test]
async fn a_question_ends_with_its_connection() {
    let (ended, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let door = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = door.local_addr().unwrap().port();
    tokio::spawn(async move { serve(door, Arc::new(Silent(ended)), &NetOptions::default()).await });
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(b"CONNECT a.example:443 HTTP/1.1\r\n\r\n").await.unwrap();
    assert!(heard.try_recv().is_err());
    drop(stream);
    assert_eq!(heard.recv().await, Some(()));
}
