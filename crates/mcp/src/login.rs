//! Logins to servers (OAuth 2.1, as the protocol wants it): who we are to the server that gives out tokens, where a person
//! says yes, and what is kept of it. The steps are the SDK's: discovery, PKCE, `resource`, `state`, `iss`, refresh.

use crate::auth_http::{AuthHttp, checked};
use crate::listing::bounded;
use crate::spec::{ServerLogin, ServerReach, ServerSpec};
use crate::tokens::TokenFile;
use reasonix_agent::BoxFuture;
use reasonix_net::NetOptions;
use reasonix_proto::Phrase;
use reqwest::Url;
use rmcp::transport::auth::{
    AuthError, AuthorizationCallback, AuthorizationManager, OAuthClientConfig, WWWAuthenticateParams,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// How long a person has to say yes.
const PATIENCE: Duration = Duration::from_secs(600);
/// What we are called where we register.
const CLIENT: &str = "Reasonix";
/// The path that a login comes back to.
const CALLBACK: &str = "/callback";

/// Whoever logs in.
pub trait LoginPerson: Send + Sync {
    /// Shows the address where to say yes. It is http or https, and is never a part of a command line for a shell.
    fn show(&self, url: &str, host: &str);

    /// The address that the browser was sent back to, where somebody types it; never ready where nobody does.
    fn typed(&self) -> BoxFuture<'_, String>;
}

/// Why there is no login.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    /// The server is none that is logged in to.
    #[error("it is reached by a program, not by an address")]
    NoAddress,
    /// The port that the login comes back to cannot be had.
    #[error("port {port} cannot be used: {reason}")]
    Port {
        /// The port.
        port: u16,
        /// Why.
        reason: String,
    },
    /// Nobody said yes in time.
    #[error("nobody said yes within {} s", PATIENCE.as_secs())]
    Late,
    /// What is known of the login leads somewhere that is not trusted with one.
    #[error("{0}")]
    Elsewhere(String),
    /// It was refused, or something of it failed.
    #[error("{0}")]
    Failed(String),
}

impl LoginError {
    /// What to tell the user.
    pub fn phrase(&self, server: &str) -> Phrase {
        let code = match self {
            Self::NoAddress => "mcp.login_no_address",
            Self::Port { .. } => "mcp.login_port",
            Self::Late => "mcp.login_late",
            Self::Elsewhere(_) => "mcp.login_elsewhere",
            Self::Failed(_) => "mcp.login_failed",
        };
        Phrase::new(code).with("server", server).with("reason", self)
    }
}

#[allow(clippy::needless_pass_by_value, reason = "for map_err")]
fn failed(error: AuthError) -> LoginError {
    let reason = bounded(&error.to_string(), 500);
    match error {
        AuthError::MetadataError(_)
        | AuthError::AuthorizationServerMismatch { .. }
        | AuthError::AuthorizationServerMissingIssuer { .. } => LoginError::Elsewhere(reason),
        _ => LoginError::Failed(reason),
    }
}

/// Logs in to a server, with the challenge that it answered with, where there is one.
pub async fn log_in(spec: &ServerSpec, challenge: Option<&str>, person: &dyn LoginPerson) -> Result<(), LoginError> {
    let (Some(login), ServerReach::Http { url, net, .. }) = (&spec.login, &spec.reach) else {
        return Err(LoginError::NoAddress);
    };
    let file = TokenFile::of(&login.folder, &spec.name, url);
    let (granted, wanted) = file.scopes();
    let challenge = wanted.as_deref().or(challenge);
    let mut manager = manager(url, net).await?;
    let found = manager.resolve_metadata_from_challenge(challenge).await.map_err(failed)?;
    checked(&found.metadata.authorization_endpoint, url).map_err(LoginError::Elsewhere)?;
    checked(&found.metadata.token_endpoint, url).map_err(LoginError::Elsewhere)?;
    let reads_documents = found.metadata.additional_fields.get("client_id_metadata_document_supported");
    let reads_documents = reads_documents.and_then(serde_json::Value::as_bool).unwrap_or(false);
    manager.set_metadata(found.metadata);
    let scopes = scopes(login, &manager, granted, challenge, url).await;
    let door = Door::open(login.callback_port).await?;
    let config = client(login, &mut manager, &door.address, &scopes, reads_documents).await?;
    let store = file.anew(config.client_secret.clone());
    manager.configure_client(config).map_err(failed)?;
    manager.set_credential_store(store);
    let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
    let address = manager.get_authorization_url(&scopes).await.map_err(failed)?;
    let back = answered(&address, &door, person).await?;
    let back = AuthorizationCallback::from_redirect_url(&back).map_err(failed)?;
    let token = manager.exchange_code_for_token_with_issuer(&back.code, &back.csrf_token, back.issuer.as_deref());
    token.await.map(drop).map_err(failed)
}

/// Takes away what a login to a server gave, on this machine alone; false where there was nothing.
pub fn log_out(spec: &ServerSpec) -> std::io::Result<bool> {
    match &spec.reach {
        ServerReach::Http { url, .. } => kept(spec, url).map_or(Ok(false), |file| file.forget()),
        _ => Ok(false),
    }
}

async fn manager(url: &str, net: &NetOptions) -> Result<AuthorizationManager, LoginError> {
    let http = Arc::new(AuthHttp { net: net.clone(), server: url.to_owned() });
    AuthorizationManager::new_with_oauth_http_client(url, http).await.map_err(failed)
}

/// What stands for a server in its requests, where somebody logged in to it.
pub(crate) async fn logged_in(spec: &ServerSpec) -> Result<Option<AuthorizationManager>, LoginError> {
    let (Some(login), ServerReach::Http { url, net, .. }) = (&spec.login, &spec.reach) else { return Ok(None) };
    let file = TokenFile::of(&login.folder, &spec.name, url);
    if !file.exists() {
        return Ok(None);
    }
    let mut manager = manager(url, net).await?;
    manager.set_credential_store(file.clone());
    if !manager.initialize_from_store().await.map_err(failed)? {
        return Ok(None);
    }
    let (id, _) = manager.get_credentials().await.map_err(failed)?;
    let secret = if login.client_id.as_ref() == Some(&id) { login.client_secret.clone() } else { file.client_secret() };
    if let Some(secret) = secret {
        let config = OAuthClientConfig::new(id, "http://localhost").with_client_secret(secret);
        manager.configure_client(config).map_err(failed)?;
    }
    Ok(Some(manager))
}

/// Where a request keeps what it wanted and was not granted.
pub(crate) fn kept(spec: &ServerSpec, url: &str) -> Option<TokenFile> {
    spec.login.as_ref().map(|login| TokenFile::of(&login.folder, &spec.name, url))
}

/// What is asked for: what the user says; where a request wanted more than was granted, both; else what the server says.
async fn scopes(
    login: &ServerLogin,
    manager: &AuthorizationManager,
    granted: Vec<String>,
    challenge: Option<&str>,
    url: &str,
) -> Vec<String> {
    let params =
        challenge.zip(Url::parse(url).ok()).map(|(challenge, url)| WWWAuthenticateParams::parse(challenge, &url));
    let more = params.filter(WWWAuthenticateParams::is_insufficient_scope).and_then(|params| params.scope);
    let mut all = login.scopes.clone();
    if all.is_empty() && more.is_none() {
        return manager.select_initial_scopes(&[]).await;
    }
    all.extend(granted);
    all.extend(more.iter().flat_map(|scope| scope.split_whitespace()).map(str::to_owned));
    let mut seen = std::collections::HashSet::new();
    all.retain(|scope| seen.insert(scope.clone()));
    all
}

/// Who we are: as configured; else by a document, where the server reads one; else as it registers us.
async fn client(
    login: &ServerLogin,
    manager: &mut AuthorizationManager,
    back: &str,
    scopes: &[String],
    reads_documents: bool,
) -> Result<OAuthClientConfig, LoginError> {
    if let Some(id) = &login.client_id {
        let config = OAuthClientConfig::new(id, back).with_scopes(scopes.to_vec());
        return Ok(match &login.client_secret {
            Some(secret) => config.with_client_secret(secret),
            None => config,
        });
    }
    if let Some(document) = login.client_metadata_url.as_ref().filter(|_| reads_documents) {
        return Ok(OAuthClientConfig::new(document, back).with_scopes(scopes.to_vec()));
    }
    let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
    manager.register_client(CLIENT, back, &scopes).await.map_err(failed)
}

/// Where the browser is sent back to.
struct Door {
    listener: TcpListener,
    address: String,
}

impl Door {
    async fn open(port: Option<u16>) -> Result<Self, LoginError> {
        let fail = |error: std::io::Error| LoginError::Port { port: port.unwrap_or(0), reason: error.to_string() };
        let listener = TcpListener::bind(("127.0.0.1", port.unwrap_or(0))).await.map_err(fail)?;
        let port = listener.local_addr().map_err(fail)?.port();
        Ok(Self { listener, address: format!("http://localhost:{port}{CALLBACK}") })
    }

    /// The first answer that is to our question; whatever else knocks is sent away.
    async fn answer(&self, state: &str) -> String {
        loop {
            let Ok((stream, _)) = self.listener.accept().await else { continue };
            let heard = tokio::time::timeout(Duration::from_secs(10), heard(stream, &self.address, state)).await;
            if let Ok(Some(url)) = heard {
                return url;
            }
        }
    }
}

async fn heard(mut stream: TcpStream, address: &str, state: &str) -> Option<String> {
    let mut text = Vec::new();
    let mut piece = [0_u8; 2048];
    while text.len() < 16 * 1024 && !text.windows(2).any(|end| end == b"\r\n") {
        let count = stream.read(&mut piece).await.ok().filter(|count| *count > 0)?;
        text.extend_from_slice(piece.get(..count)?);
    }
    let line = String::from_utf8_lossy(&text).lines().next().unwrap_or_default().to_owned();
    let path = line.strip_prefix("GET ").and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    let query = path.strip_prefix(CALLBACK).filter(|query| query.starts_with('?'));
    let url = query.map(|query| format!("{address}{query}")).filter(|url| has_state(url, state));
    let (status, words) = match url {
        Some(_) => ("200 OK", "Reasonix has the answer. You can close this page."),
        None => ("400 Bad Request", "This is no answer to a question of Reasonix."),
    };
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{words}",
        words.len()
    );
    let _ = stream.write_all(answer.as_bytes()).await;
    url
}

fn parameter(url: &str, wanted: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    url.query_pairs().find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned())
}

fn has_state(url: &str, state: &str) -> bool {
    parameter(url, "state").as_deref() == Some(state)
}

/// The address that the browser is sent back to after a yes.
async fn answered(address: &str, door: &Door, person: &dyn LoginPerson) -> Result<String, LoginError> {
    let url = Url::parse(address).map_err(|error| LoginError::Failed(error.to_string()))?;
    let state = parameter(address, "state").unwrap_or_default();
    person.show(url.as_str(), url.host_str().unwrap_or_default());
    let typed = async {
        loop {
            let typed = person.typed().await;
            if has_state(typed.trim(), &state) {
                return typed.trim().to_owned();
            }
        }
    };
    let back = async {
        tokio::select! {
            back = door.answer(&state) => back,
            back = typed => back,
        }
    };
    let back = tokio::time::timeout(PATIENCE, back).await.map_err(|_| LoginError::Late)?;
    match parameter(&back, "error") {
        Some(error) => {
            let more = parameter(&back, "error_description").unwrap_or_default();
            Err(LoginError::Failed(bounded(&format!("{error} {more}"), 500)))
        }
        None => Ok(back),
    }
}
