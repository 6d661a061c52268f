//! Logins, against a server that gives out tokens, played by a few lines of our own on this machine.

use reasonix_agent::BoxFuture;
use reasonix_mcp::{
    LoginError, LoginPerson, McpError, ServerLogin, ServerReach, ServerSpec, Servers, Surroundings, log_in,
};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What was asked: the first line, the header that says who asks, and the body.
type Asked = Arc<Mutex<Vec<(String, String, String)>>>;

/// Changes what is said of the login, by the server's own address.
type Twist = fn(&str, &mut Value, &mut Value);

struct Giver {
    base: String,
    asked: Asked,
    folder: TempDir,
}

impl Giver {
    async fn new(twist: Twist) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let asked: Asked = Arc::default();
        let (seen, own) = (Arc::clone(&asked), base.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, own.clone(), Arc::clone(&seen), twist));
            }
        });
        Self { base, asked, folder: tempfile::tempdir().unwrap() }
    }

    fn spec(&self, change: impl FnOnce(&mut ServerLogin)) -> ServerSpec {
        let mut login = ServerLogin { folder: self.folder.path().join("tokens"), ..ServerLogin::default() };
        change(&mut login);
        let url = format!("{}/mcp", self.base);
        let reach = ServerReach::Http { url, headers: Vec::new(), net: Box::default() };
        ServerSpec { login: Some(Arc::new(login)), ..ServerSpec::new("web", reach) }
    }

    fn challenge(&self) -> String {
        format!("Bearer resource_metadata=\"{}/.well-known/oauth-protected-resource/mcp\", scope=\"read\"", self.base)
    }

    fn lines(&self, wanted: &str) -> Vec<(String, String, String)> {
        self.asked.lock().unwrap().iter().filter(|(line, ..)| line.contains(wanted)).cloned().collect()
    }

    /// The one file with a token, as it is on disk.
    fn kept(&self) -> Option<std::path::PathBuf> {
        std::fs::read_dir(self.folder.path().join("tokens")).ok()?.next().map(|entry| entry.unwrap().path())
    }
}

async fn serve(mut stream: TcpStream, base: String, asked: Asked, twist: Twist) {
    let mut text = Vec::new();
    let mut piece = [0_u8; 4096];
    loop {
        let whole = String::from_utf8_lossy(&text).into_owned();
        if let Some((head, body)) = whole.split_once("\r\n\r\n") {
            let length = |line: &str| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok();
            let length: usize = head.lines().find_map(length).unwrap_or(0);
            if body.len() >= length {
                let line = head.lines().next().unwrap_or_default().to_owned();
                let who = head
                    .lines()
                    .find_map(|line| line.to_ascii_lowercase().starts_with("authorization:").then(|| line.to_owned()));
                asked.lock().unwrap().push((line.clone(), who.unwrap_or_default(), body.to_owned()));
                let _ = stream.write_all(answer(&line, &base, twist).as_bytes()).await;
                return;
            }
        }
        let count = stream.read(&mut piece).await.unwrap_or(0);
        if count == 0 {
            return;
        }
        text.extend_from_slice(&piece[..count]);
    }
}

fn answer(line: &str, base: &str, twist: Twist) -> String {
    let mut resource = json!({"resource": format!("{base}/mcp"), "authorization_servers": [base]});
    let mut server = json!({"issuer": base, "authorization_endpoint": format!("{base}/authorize"),
        "token_endpoint": format!("{base}/token"), "registration_endpoint": format!("{base}/register"),
        "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"]});
    twist(base, &mut resource, &mut server);
    let body = match line.split(' ').nth(1).unwrap_or_default() {
        "/.well-known/oauth-protected-resource/mcp" => resource,
        "/.well-known/oauth-authorization-server" => server,
        "/register" => json!({"client_id": "given", "client_secret": "given-secret", "redirect_uris": []}),
        "/token" => {
            json!({"access_token": "TOKEN-1", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "R"})
        }
        _ => return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned(),
    };
    let body = body.to_string();
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// The address that the browser is sent back to, of the one that was shown.
type Typed = fn(&str) -> String;

/// Types what the browser would be sent back to: its address out of the one that was shown, and more words behind it.
struct Typist {
    shown: Mutex<Vec<String>>,
    answers: Mutex<Vec<Typed>>,
}

impl Typist {
    fn new(answers: &[Typed]) -> Self {
        Self { shown: Mutex::default(), answers: Mutex::new(answers.iter().rev().copied().collect()) }
    }

    fn asked_for(&self, name: &str) -> Option<String> {
        parameter(self.shown.lock().unwrap().first()?, name)
    }
}

fn parameter(url: &str, wanted: &str) -> Option<String> {
    let url = reqwest::Url::parse(url).unwrap();
    url.query_pairs().find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned())
}

fn back(url: &str, more: &str) -> String {
    format!("{}?{more}", parameter(url, "redirect_uri").unwrap())
}

fn yes(url: &str) -> String {
    back(url, &format!("code=C&state={}", parameter(url, "state").unwrap()))
}

impl LoginPerson for Typist {
    fn show(&self, url: &str, _host: &str) {
        self.shown.lock().unwrap().push(url.to_owned());
    }

    fn typed(&self) -> BoxFuture<'_, String> {
        let (answer, url) = (self.answers.lock().unwrap().pop(), self.shown.lock().unwrap().last().cloned());
        Box::pin(async move {
            match (answer, url) {
                (Some(answer), Some(url)) => answer(&url),
                _ => std::future::pending().await,
            }
        })
    }
}

fn nothing(_: &str, _: &mut Value, _: &mut Value) {}

#[tokio::test]
async fn e6_a_login_has_pkce_state_and_resource_and_its_token_is_its_owner_s_alone() {
    let giver = Giver::new(nothing).await;
    let spec = giver.spec(|_| {});
    // What bears another state is no answer to our question.
    let person = Typist::new(&[|url| back(url, "code=EVIL&state=other"), |url| back(url, "code=EVIL"), yes]);
    log_in(&spec, Some(&giver.challenge()), &person).await.unwrap();
    assert_eq!(person.asked_for("code_challenge_method").as_deref(), Some("S256"));
    assert_eq!(person.asked_for("resource"), Some(format!("{}/mcp", giver.base)));
    assert_eq!(person.asked_for("scope").as_deref(), Some("read"));
    assert_eq!(person.asked_for("client_id").as_deref(), Some("given"), "it registered");
    let (_, _, body) = &giver.lines("POST /token")[0];
    assert!(body.contains("code=C") && body.contains("code_verifier=") && body.contains("resource="), "{body}");
    let file = giver.kept().unwrap();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    assert!(std::fs::read_to_string(&file).unwrap().contains("TOKEN-1"));
    // From now on the server hears who asks; another address of the same name does not.
    let servers = Servers::new(vec![spec.clone()], &Surroundings::default());
    assert!(servers.listing("web").await.is_err(), "it is no server");
    let heard = giver.lines("POST /mcp");
    assert!(!heard.is_empty() && heard.iter().all(|(_, who, _)| who.ends_with("Bearer TOKEN-1")), "{heard:?}");
    let other = Giver::new(nothing).await;
    let moved = ServerSpec { reach: other.spec(|_| {}).reach, ..spec };
    let _ = Servers::new(vec![moved], &Surroundings::default()).listing("web").await;
    assert!(other.lines("POST /mcp").iter().all(|(_, who, _)| who.is_empty()), "a token stays where it was given");
}

#[tokio::test]
async fn who_we_are_is_configured_or_a_document_or_registered() {
    let reads: Twist = |_, _, server| server["client_id_metadata_document_supported"] = json!(true);
    let document = "https://reasonix.example/client.json";
    for (twist, id, wanted) in
        [(nothing as Twist, Some("mine"), "mine"), (reads, None, document), (nothing, None, "given")]
    {
        let giver = Giver::new(twist).await;
        let spec = giver.spec(|login| {
            login.client_id = id.map(str::to_owned);
            login.client_metadata_url = Some(document.to_owned());
        });
        let person = Typist::new(&[yes]);
        log_in(&spec, Some(&giver.challenge()), &person).await.unwrap();
        assert_eq!(person.asked_for("client_id").as_deref(), Some(wanted));
        assert_eq!(giver.lines("/register").len(), usize::from(wanted == "given"), "{wanted}");
    }
}

#[tokio::test]
async fn e6_what_points_elsewhere_is_refused_and_nothing_is_kept() {
    let twists: [Twist; 5] = [
        |_, resource, _| resource["resource"] = json!("https://other.example/mcp"),
        |_, _, server| server["issuer"] = json!("https://other.example"),
        |_, _, server| server["token_endpoint"] = json!("http://other.example/token"),
        |_, _, server| server["authorization_endpoint"] = json!("javascript:alert(1)"),
        |_, _, server| server["authorization_endpoint"] = json!("file:///etc/passwd"),
    ];
    for (at, twist) in twists.into_iter().enumerate() {
        let giver = Giver::new(twist).await;
        let person = Typist::new(&[yes]);
        let refused = log_in(&giver.spec(|_| {}), Some(&giver.challenge()), &person).await;
        assert!(refused.is_err(), "{at}");
        assert_eq!(person.shown.lock().unwrap().len(), 0, "{at}: nobody is led there");
        assert!(giver.lines("POST /token").is_empty() && giver.kept().is_none(), "{at}");
    }
}

#[tokio::test]
async fn e6_an_answer_of_another_issuer_or_a_no_gives_no_token() {
    let says: Twist = |_, _, server| server["authorization_response_iss_parameter_supported"] = json!(true);
    let other = |url: &str| format!("{}&iss=https://other.example", yes(url));
    let no = |url: &str| back(url, &format!("error=access_denied&state={}", parameter(url, "state").unwrap()));
    for answer in [other as Typed, yes, no] {
        let giver = Giver::new(says).await;
        let refused = log_in(&giver.spec(|_| {}), Some(&giver.challenge()), &Typist::new(&[answer])).await.unwrap_err();
        assert!(matches!(refused, LoginError::Failed(_) | LoginError::Elsewhere(_)), "{refused:?}");
        assert!(giver.lines("POST /token").is_empty());
        let kept = giver.kept().map(|file| std::fs::read_to_string(file).unwrap()).unwrap_or_default();
        assert!(!kept.contains("TOKEN"), "{kept}");
    }
}

#[tokio::test]
async fn a_port_that_is_taken_and_a_server_without_an_address_are_said() {
    let giver = Giver::new(nothing).await;
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let spec = giver.spec(|login| login.callback_port = Some(port));
    let refused = log_in(&spec, Some(&giver.challenge()), &Typist::new(&[yes])).await;
    assert!(matches!(refused, Err(LoginError::Port { port: at, .. }) if at == port), "{refused:?}");
    let bare = ServerSpec { login: None, ..giver.spec(|_| {}) };
    assert_eq!(log_in(&bare, None, &Typist::new(&[])).await, Err(LoginError::NoAddress));
    assert!(matches!(
        Servers::new(vec![], &Surroundings::default()).listing("web").await,
        Err(McpError::NoServer { .. })
    ));
}

/// A browser comes back to the fixed port by itself.
#[tokio::test]
async fn a_browser_comes_back_to_the_port() {
    struct Visitor;
    impl LoginPerson for Visitor {
        fn show(&self, url: &str, _host: &str) {
            let (wrong, right) = (back(url, "code=EVIL&state=x"), yes(url));
            tokio::spawn(async move {
                for address in [wrong, right] {
                    let url = reqwest::Url::parse(&address).unwrap();
                    let mut stream = TcpStream::connect(("127.0.0.1", url.port().unwrap())).await.unwrap();
                    let line =
                        format!("GET {}?{} HTTP/1.1\r\nHost: localhost\r\n\r\n", url.path(), url.query().unwrap());
                    stream.write_all(line.as_bytes()).await.unwrap();
                    let mut heard = String::new();
                    stream.read_to_string(&mut heard).await.unwrap();
                }
            });
        }

        fn typed(&self) -> BoxFuture<'_, String> {
            Box::pin(std::future::pending())
        }
    }
    let giver = Giver::new(nothing).await;
    log_in(&giver.spec(|_| {}), Some(&giver.challenge()), &Visitor).await.unwrap();
    let (_, _, body) = &giver.lines("POST /token")[0];
    assert!(body.contains("code=C"), "{body}");
}

fn file_text(giver: &Giver) -> String {
    std::fs::read_to_string(giver.kept().unwrap()).unwrap()
}

#[tokio::test]
async fn a_login_that_fails_leaves_the_one_that_works() {
    let giver = Giver::new(nothing).await;
    let spec = giver.spec(|_| {});
    log_in(&spec, Some(&giver.challenge()), &Typist::new(&[yes])).await.unwrap();
    let before = file_text(&giver);
    let no = |url: &str| back(url, &format!("error=access_denied&state={}", parameter(url, "state").unwrap()));
    log_in(&spec, Some(&giver.challenge()), &Typist::new(&[no as Typed])).await.unwrap_err();
    assert_eq!(file_text(&giver), before);
    assert!(before.contains("TOKEN-1") && before.contains("given-secret"), "{before}");
}

/// Somebody else on this machine, at an address that no login may lead to. Counts who comes.
async fn elsewhere() -> (String, Arc<Mutex<usize>>) {
    let listener = TcpListener::bind("127.0.0.2:0").await.unwrap();
    let (address, count) = (format!("http://{}", listener.local_addr().unwrap()), Arc::new(Mutex::new(0)));
    let came = Arc::clone(&count);
    tokio::spawn(async move {
        while listener.accept().await.is_ok() {
            *came.lock().unwrap() += 1;
        }
    });
    (address, count)
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn e6_every_request_of_a_login_goes_where_a_login_may_lead() {
    static ELSEWHERE: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    static MOVED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
    let (address, came) = elsewhere().await;
    ELSEWHERE.set(address).unwrap();
    let registers: Twist = |_, _, server| {
        server["registration_endpoint"] = json!(format!("{}/register", ELSEWHERE.get().unwrap()));
    };
    let giver = Giver::new(registers).await;
    let refused = log_in(&giver.spec(|_| {}), Some(&giver.challenge()), &Typist::new(&[yes])).await.unwrap_err();
    assert!(refused.to_string().contains("is no address for a login"), "{refused}");
    // The place of tokens is another one when the token is refreshed.
    let moves: Twist = |_, _, server| {
        if MOVED.load(std::sync::atomic::Ordering::Relaxed) {
            server["token_endpoint"] = json!(format!("{}/token", ELSEWHERE.get().unwrap()));
        }
    };
    let giver = Giver::new(moves).await;
    let spec = giver.spec(|_| {});
    log_in(&spec, Some(&giver.challenge()), &Typist::new(&[yes])).await.unwrap();
    outdate(&giver);
    MOVED.store(true, std::sync::atomic::Ordering::Relaxed);
    let _ = Servers::new(vec![spec], &Surroundings::default()).listing("web").await;
    assert_eq!(*came.lock().unwrap(), 0);
}

/// The token that is kept is of yesterday.
fn outdate(giver: &Giver) {
    let file = giver.kept().unwrap();
    let mut kept: Value = serde_json::from_str(&file_text(giver)).unwrap();
    let now = kept["credentials"]["token_received_at"].as_u64().unwrap();
    kept["credentials"]["token_received_at"] = json!(now - 86_400);
    std::fs::write(file, kept.to_string()).unwrap();
}

#[tokio::test]
async fn a_token_is_refreshed_by_one_session_at_a_time() {
    let giver = Giver::new(nothing).await;
    let spec = giver.spec(|_| {});
    log_in(&spec, Some(&giver.challenge()), &Typist::new(&[yes])).await.unwrap();
    outdate(&giver);
    let lock = giver.kept().unwrap().with_extension("lock");
    let held = std::fs::File::create(&lock).unwrap();
    held.lock().unwrap();
    let servers = Servers::new(vec![spec], &Surroundings::default());
    let asking = tokio::spawn(async move { drop(servers.listing("web").await) });
    tokio::time::sleep(std::time::Duration::from_millis(400)).await;
    assert_eq!(giver.lines("POST /token").len(), 1, "only the login's, while another session is at it");
    drop(held);
    asking.await.unwrap();
    assert_eq!(giver.lines("POST /token").len(), 2);
}
