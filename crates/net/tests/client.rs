//! Clients against real peers on 127.0.0.1.

use reasonix_net::{NetError, NetOptions, client, proxy_for};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

/// Answers one request with `response` and hands out its first line.
fn answer(mut peer: impl Read + Write, response: &str) -> String {
    let mut reader = BufReader::new(&mut peer);
    let (mut first, mut line) = (String::new(), String::new());
    let _ = reader.read_line(&mut first);
    while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
        line.clear();
    }
    let _ = peer.write_all(response.as_bytes());
    let _ = peer.flush();
    first.trim_end().to_owned()
}

/// A server of one plain response; the first lines of its requests come out of the channel.
fn serve(response: String) -> (u16, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for peer in listener.incoming().flatten() {
            if sender.send(answer(peer, &response)).is_err() {
                return;
            }
        }
    });
    (port, lines)
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls").join(name)
}

/// The same over TLS, with a certificate of an authority that no system knows.
fn serve_tls() -> u16 {
    let chain = vec![CertificateDer::from_pem_file(fixture("server.pem")).expect("a certificate")];
    let key = PrivateKeyDer::from_pem_file(fixture("server.key")).expect("a key");
    let config = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .expect("a server");
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for mut peer in listener.incoming().flatten() {
            let mut session = rustls::ServerConnection::new(Arc::clone(&config)).expect("a session");
            answer(rustls::Stream::new(&mut session, &mut peer), OK);
        }
    });
    port
}

async fn get(url: &str, options: &NetOptions) -> Result<String, String> {
    let client = client(url, options).map_err(|error| error.to_string())?;
    let response = client.get(url).send().await.map_err(|error| format!("{error:?}"))?;
    let status = response.status();
    let body = response.text().await.map_err(|error| format!("{error:?}"))?;
    Ok(format!("{} {body}", status.as_u16()))
}

#[tokio::test]
async fn localhost_is_reached_by_name_and_never_through_a_proxy() {
    let (port, lines) = serve(OK.to_owned());
    let options = NetOptions { proxy: Some("http://127.0.0.1:9".into()), ..NetOptions::default() };
    for host in ["localhost", "127.0.0.1", "model.localhost"] {
        assert_eq!(get(&format!("http://{host}:{port}/v1"), &options).await, Ok("200 ok".into()), "{host}");
        assert_eq!(lines.recv().expect("a request"), "GET /v1 HTTP/1.1");
    }
}

#[tokio::test]
async fn other_hosts_are_reached_through_the_proxy_unless_excepted() {
    let (port, lines) = serve(OK.to_owned());
    let through = NetOptions {
        proxy: Some(format!("http://user:secret@127.0.0.1:{port}")),
        no_proxy: Some("direct.example".into()),
        connect_timeout: Duration::from_secs(1),
        ..NetOptions::default()
    };
    assert_eq!(get("http://model.example/v1", &through).await, Ok("200 ok".into()));
    assert_eq!(lines.recv().expect("a request"), "GET http://model.example/v1 HTTP/1.1");
    assert!(get("http://direct.example/v1", &through).await.is_err(), "there is no such host");
    assert!(lines.try_recv().is_err(), "the proxy was not asked");
    assert_eq!(proxy_for("http://model.example/v1", &through), Some(format!("http://127.0.0.1:{port}")));
    assert_eq!(proxy_for("http://127.0.0.1/v1", &through), None);
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let (elsewhere, caught) = serve(OK.to_owned());
    let response =
        format!("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{elsewhere}/\r\nContent-Length: 0\r\n\r\n");
    let (port, _lines) = serve(response);
    assert_eq!(get(&format!("http://127.0.0.1:{port}/"), &NetOptions::default()).await, Ok("302 ".into()));
    assert!(caught.try_recv().is_err());
}

#[tokio::test]
async fn certificates_are_checked_and_a_private_authority_can_be_named() {
    let port = serve_tls();
    let url = format!("https://localhost:{port}/");
    let error = get(&url, &NetOptions::default()).await.expect_err("nobody knows this authority");
    assert!(error.contains("UnknownIssuer"), "{error}");
    let trusting = NetOptions { ca_file: Some(fixture("ca.pem")), ..NetOptions::default() };
    assert_eq!(get(&url, &trusting).await, Ok("200 ok".into()));
    assert_eq!(get(&format!("https://127.0.0.1:{port}/"), &trusting).await, Ok("200 ok".into()));

    let empty = NetOptions { ca_file: Some(fixture("server.key")), ..NetOptions::default() };
    assert!(matches!(client(&url, &empty), Err(NetError::CaFile { .. })), "a file without certificates");
}

/// A TLS server that wants a certificate of its clients and offers HTTP/2; hands out the first bytes it reads.
fn serve_strictly() -> (u16, Receiver<Vec<u8>>) {
    let chain = vec![CertificateDer::from_pem_file(fixture("server.pem")).expect("a certificate")];
    let key = PrivateKeyDer::from_pem_file(fixture("server.key")).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut clients = rustls::RootCertStore::empty();
    clients.add(CertificateDer::from_pem_file(fixture("client.pem")).expect("a certificate")).expect("a root");
    let verifier =
        rustls::server::WebPkiClientVerifier::builder_with_provider(Arc::new(clients), Arc::clone(&provider))
            .build()
            .expect("a verifier");
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_client_cert_verifier(verifier)
        .with_single_cert(chain, key)
        .expect("a server");
    config.alpn_protocols = vec![b"h2".to_vec()];
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let (sender, begun) = channel();
    std::thread::spawn(move || {
        for mut peer in listener.incoming().flatten() {
            let mut session = rustls::ServerConnection::new(Arc::clone(&config)).expect("a session");
            let mut first = [0; 24];
            let read = rustls::Stream::new(&mut session, &mut peer).read(&mut first).unwrap_or(0);
            if sender.send(first.get(..read).unwrap_or_default().to_vec()).is_err() {
                return;
            }
        }
    });
    (port, begun)
}

#[tokio::test]
async fn our_certificate_is_shown_where_it_is_asked_for_and_http_2_is_spoken_where_it_is_offered() {
    let (port, begun) = serve_strictly();
    let url = format!("https://localhost:{port}/");
    let nobody = NetOptions { ca_file: Some(fixture("ca.pem")), ..NetOptions::default() };
    assert!(get(&url, &nobody).await.is_err());
    assert_eq!(begun.recv().expect("an attempt"), b"", "without a certificate nothing is said");
    let known = NetOptions {
        client_cert: Some(fixture("client.pem")),
        client_key: Some(fixture("client.key")),
        ..nobody.clone()
    };
    assert!(get(&url, &known).await.is_err(), "it hangs up after the first bytes");
    assert_eq!(begun.recv().expect("an attempt"), b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    for (what, cert, key) in [
        ("no such file", "none.pem", None),
        ("a certificate without its key", "client.pem", None),
        ("a key that is none", "client.pem", Some("ca.pem")),
    ] {
        let options = NetOptions { client_cert: Some(fixture(cert)), client_key: key.map(fixture), ..nobody.clone() };
        assert!(matches!(client(&url, &options), Err(NetError::CaFile { .. })), "{what}");
    }
}

#[tokio::test]
async fn a_socks_proxy_is_asked_for_the_name() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let (sender, asked) = channel();
    std::thread::spawn(move || {
        let (mut peer, _) = listener.accept().expect("a peer");
        let mut hello = [0; 2];
        peer.read_exact(&mut hello).expect("a greeting");
        let mut methods = vec![0; usize::from(hello[1])];
        peer.read_exact(&mut methods).expect("methods");
        peer.write_all(&[5, 0]).expect("no password");
        let mut head = [0; 5];
        peer.read_exact(&mut head).expect("a request");
        let mut rest = vec![0; usize::from(head[4]) + 2];
        peer.read_exact(&mut rest).expect("a name and a port");
        peer.write_all(&[5, 0, 0, 1, 127, 0, 0, 1, 0, 0]).expect("yes");
        sender.send((head[3], rest)).expect("the test waits");
        answer(peer, OK);
    });
    let options = NetOptions { proxy: Some(format!("socks5h://127.0.0.1:{port}")), ..NetOptions::default() };
    assert_eq!(get("http://model.example:81/v1", &options).await, Ok("200 ok".into()));
    let (kind, name) = asked.recv().expect("it was asked");
    assert_eq!((kind, name.as_slice()), (3, &b"model.example\x00\x51"[..]), "the name is looked up there, not here");
}

#[tokio::test]
async fn a_socket_of_this_machine_stands_for_the_host() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.sock");
    let listener = std::os::unix::net::UnixListener::bind(&path).expect("a socket");
    let (sender, asked) = channel();
    std::thread::spawn(move || {
        let (peer, _) = listener.accept().expect("a peer");
        sender.send(answer(peer, OK)).expect("the test waits");
    });
    // A proxy that nobody listens at: it is not asked.
    let options = NetOptions { socket: Some(path), proxy: Some("http://127.0.0.1:9".into()), ..NetOptions::default() };
    assert_eq!(get("http://model.example/v1", &options).await, Ok("200 ok".into()));
    assert_eq!(asked.recv().expect("it was asked"), "GET /v1 HTTP/1.1");
}
