//! From a spec to a server that has said who it is.

use crate::host::Host;
use crate::http::{Http, HttpError};
use crate::lines::Lines;
use crate::link::{Link, LinkEnd, challenge, innermost};
use crate::listing::bounded;
use crate::login::{kept, logged_in};
use crate::metered::Metered;
use crate::spec::{Era, ServerReach, ServerSpec, Surroundings};
use http::{HeaderName, HeaderValue};
use reasonix_exec::{Child, ChildOptions, Command, Confinement, ExecError, Keep};
use reasonix_net::NetOptions;
use rmcp::model::{ProtocolVersion, SubscriptionFilter};
use rmcp::service::{ClientCacheConfig, ClientInitializeError, ClientLifecycleMode, RunningService};
use rmcp::transport::auth::AuthClient;
use rmcp::transport::streamable_http_client::{StreamableHttpClientTransportConfig, StreamableHttpError};
use rmcp::transport::{StreamableHttpClientTransport, Transport};
use rmcp::{Peer, RoleClient};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How much of a server's stderr is kept.
const STDERR: Keep = Keep { head: 2 * 1024, tail: 14 * 1024 };
/// Headers that belong to the protocol.
const OURS: &[&str] =
    &["accept", "content-type", "content-length", "host", "mcp-session-id", "mcp-protocol-version", "last-event-id"];

/// Why a server could not be reached.
#[derive(Debug, Clone)]
pub(crate) struct Unreached {
    pub(crate) reason: String,
    /// What it wants to know of who asks.
    pub(crate) challenge: Option<String>,
    /// It did not understand the question that servers of the older era do not know.
    puzzled: bool,
    /// It ended in the middle of it.
    hung_up: bool,
    /// It may not be started as it is now.
    pub(crate) refused: bool,
    /// It was started in a box, which may lack what it needs.
    pub(crate) boxed: bool,
}

impl Unreached {
    fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), challenge: None, puzzled: false, hung_up: false, refused: false, boxed: false }
    }
}

/// Why a server can never be reached as it is configured.
pub fn refusal(spec: &ServerSpec) -> Option<String> {
    match &spec.reach {
        ServerReach::Sse { url } => Some(format!(
            "its type is `sse`, the transport of 2024, which is not spoken here. Use `type = \"http\"` with the server's \
             streamable HTTP address; it is often the same host with `/mcp` in place of `/sse` ({})",
            bounded(url, 200)
        )),
        ServerReach::Http { url, headers, .. } => {
            let parsed = reqwest::Url::parse(url).ok();
            let web = parsed.is_some_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
            let odd = || headers.iter().find_map(|(name, value)| odd_header(name, value));
            if web { odd() } else { Some("its address is not an http or https address".to_owned()) }
        }
        ServerReach::Stdio(_) | ServerReach::Boxed { .. } => None,
    }
}

fn odd_header(name: &str, value: &str) -> Option<String> {
    let ours = OURS.iter().any(|ours| ours.eq_ignore_ascii_case(name));
    let bad = HeaderName::try_from(name).is_err() || HeaderValue::try_from(value).is_err();
    (ours || bad).then(|| format!("the header `{}` cannot be set", bounded(name, 80)))
}

/// Reaches a server. One that is of the older era and hangs up on the newer one's question, or answers nonsense, is reached
/// anew in its own.
pub(crate) async fn connect(spec: &ServerSpec, around: &Surroundings, era: Era) -> Result<Link, Unreached> {
    let first = match Box::pin(reach(spec, around, era)).await {
        Ok(link) => return Ok(link),
        Err(first) => first,
    };
    if era != Era::Unknown || !first.puzzled {
        return Err(first);
    }
    Box::pin(reach(spec, around, Era::Initialize)).await.map_err(|_| first)
}

async fn reach(spec: &ServerSpec, around: &Surroundings, era: Era) -> Result<Link, Unreached> {
    permitted(spec).await?;
    let host = Arc::new(Host::new(&spec.name, around.clone()));
    let end = LinkEnd::default();
    match &spec.reach {
        ServerReach::Stdio(_) | ServerReach::Boxed { .. } => {
            let (mut child, boxed) = start(&spec.reach).await?;
            let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
                return Err(Unreached::new("it has no pipes"));
            };
            let lines = Lines::new((stdin, stdout), &spec.limits, Arc::clone(&end.why));
            let met = meet(spec, &host, lines, era, &end).await;
            match met {
                Ok(service) => link(spec, host, service, Some(child), end).await,
                Err(mut why) => {
                    why.boxed = boxed;
                    if why.hung_up || end.why.get().is_some() {
                        why.reason = end.reason(Some(&child)).await;
                    } else {
                        let words = crate::link::tail(&child);
                        if !words.is_empty() {
                            why.reason = format!("{}. It wrote: {words}", why.reason);
                        }
                    }
                    Err(why)
                }
            }
        }
        ServerReach::Http { url, headers, net } => {
            let (client, config) = http(spec, url, headers, net)?;
            let service = match logged_in(spec).await.map_err(|error| Unreached::new(error.to_string()))? {
                Some(manager) => {
                    let client = AuthClient::new(client, manager);
                    let transport = StreamableHttpClientTransport::with_client(client, config);
                    meet(spec, &host, transport, era, &end).await?
                }
                None => {
                    let transport = StreamableHttpClientTransport::with_client(client, config);
                    meet(spec, &host, transport, era, &end).await?
                }
            };
            link(spec, host, service, None, end).await
        }
        ServerReach::Sse { .. } => Err(Unreached::new(refusal(spec).unwrap_or_default())),
    }
}

/// Whether it may be started, as it is at this moment.
async fn permitted(spec: &ServerSpec) -> Result<(), Unreached> {
    let Some(may) = spec.may_start.clone() else { return Ok(()) };
    let said = tokio::task::spawn_blocking(move || may.ask()).await;
    let said = said.unwrap_or_else(|_| Err("whether it may be started could not be found out".to_owned()));
    said.map_err(|reason| Unreached { refused: true, ..Unreached::new(reason) })
}

/// The child, and whether it runs in a box.
async fn start(reach: &ServerReach) -> Result<(Child, bool), Unreached> {
    let mut command: Command = match reach {
        ServerReach::Stdio(command) => command.as_ref().clone(),
        ServerReach::Boxed { command, confine } => {
            let confine = Arc::clone(confine);
            let confinement = tokio::task::spawn_blocking(move || confine()).await;
            let confinement = confinement.map_err(|_| Unreached::new("its box could not be made"))?;
            command.as_ref().clone().with_confinement(confinement)
        }
        ServerReach::Http { .. } | ServerReach::Sse { .. } => return Err(Unreached::new("it has no program")),
    };
    // What it writes is bounded message by message, however long it lives.
    (command.bounds.output, command.timeout) = (0, None);
    let options = ChildOptions { stderr: STDERR, ..ChildOptions::default() };
    let boxed = matches!(command.confinement, Confinement::Boxed(_) | Confinement::Held(_));
    let unreached = |error: ExecError| Unreached { boxed, ..Unreached::new(error.to_string()) };
    reasonix_exec::spawn(&command, options).await.map(|child| (child, boxed)).map_err(unreached)
}

fn http(
    spec: &ServerSpec,
    url: &str,
    headers: &[(String, String)],
    net: &NetOptions,
) -> Result<(Http, StreamableHttpClientTransportConfig), Unreached> {
    let client = reasonix_net::client(url, net).map_err(|error| Unreached::new(error.to_string()))?;
    let mut custom = HashMap::new();
    for (name, value) in headers {
        let (Ok(name), Ok(mut value)) = (HeaderName::try_from(name.as_str()), HeaderValue::try_from(value.as_str()))
        else {
            return Err(Unreached::new(odd_header(name, value).unwrap_or_default()));
        };
        value.set_sensitive(true);
        custom.insert(name, value);
    }
    let mut config = StreamableHttpClientTransportConfig::with_uri(url.to_owned())
        .custom_headers(custom)
        .max_sse_event_size(spec.limits.frame);
    config.retry_config = Arc::new(Backoff);
    Ok((Http::new(client, spec.limits.frame, kept(spec, url)), config))
}

/// How a stream that broke off is taken up again: a few times, less and less often.
#[derive(Debug)]
struct Backoff;

impl rmcp::transport::common::client_side_sse::SseRetryPolicy for Backoff {
    fn retry(&self, times: usize) -> Option<Duration> {
        let times = u32::try_from(times).ok().filter(|times| *times < 6)?;
        Some(Duration::from_millis(500 << times))
    }
}

/// Finds out who it is, in the era that it is of.
async fn meet<T: Transport<RoleClient> + 'static>(
    spec: &ServerSpec,
    host: &Arc<Host>,
    transport: T,
    era: Era,
    end: &LinkEnd,
) -> Result<RunningService<RoleClient, Arc<Host>>, Unreached> {
    let newest = vec![ProtocolVersion::V_2026_07_28];
    let mode = match era {
        Era::Modern => ClientLifecycleMode::Discover { preferred_versions: newest },
        Era::Initialize => ClientLifecycleMode::Initialize,
        Era::Unknown => ClientLifecycleMode::Auto {
            preferred_versions: newest,
            legacy_version: Some(ProtocolVersion::V_2025_11_25),
        },
    };
    let transport = Metered::new(transport, Arc::clone(host), end.gone.clone(), Arc::clone(&end.why));
    let met = Box::pin(rmcp::service::serve_client_with_lifecycle(Arc::clone(host), transport, mode));
    match timeout(spec.limits.handshake, met).await {
        Ok(Ok(service)) => Ok(service),
        Ok(Err(error)) => Err(unmet(&error)),
        Err(_) => Err(Unreached::new(format!("it did not say who it is within {} s", spec.limits.handshake.as_secs()))),
    }
}

fn unmet(error: &ClientInitializeError) -> Unreached {
    let reason = match error {
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => return unmet(fallback),
        ClientInitializeError::TransportError { error, .. } => innermost(error),
        ClientInitializeError::JsonRpcError(told) => format!("it answered: {}", told.message),
        ClientInitializeError::ConnectionClosed(_) => "it hung up".to_owned(),
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let known: Vec<&str> = server_supported.iter().take(8).map(ProtocolVersion::as_str).collect();
            format!("it speaks no revision of the protocol that is known here, only {}", known.join(", "))
        }
        _ => "its first answer is none of the protocol".to_owned(),
    };
    let challenge = match error {
        ClientInitializeError::TransportError { error, .. } => challenge(error),
        _ => None,
    };
    let (puzzled, hung_up) = match error {
        // A write to a child that has just ended is the same as a read from it.
        ClientInitializeError::TransportError { error, .. } => (challenge.is_none() && !unreachable(error), true),
        ClientInitializeError::ConnectionClosed(_) => (true, true),
        ClientInitializeError::ExpectedInitResult(_) | ClientInitializeError::ExpectedInitResponse(_) => (true, false),
        _ => (false, false),
    };
    Unreached { reason: bounded(&reason, 2048), challenge, puzzled, hung_up, refused: false, boxed: false }
}

/// True where nobody answered at all, or points elsewhere: asking otherwise changes nothing.
fn unreachable(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if matches!(error.downcast_ref(), Some(StreamableHttpError::<HttpError>::Client(_))) {
            return true;
        }
        next = error.source();
    }
    false
}

async fn link(
    spec: &ServerSpec,
    host: Arc<Host>,
    service: RunningService<RoleClient, Arc<Host>>,
    child: Option<Child>,
    end: LinkEnd,
) -> Result<Link, Unreached> {
    let Some(info) = service.peer().peer_info() else {
        return Err(Unreached::new("it did not say who it is"));
    };
    // What is kept of a server is kept here, within bounds.
    service.peer().set_response_cache_config(ClientCacheConfig::disabled()).await;
    if !info.protocol_version.has_initialize() {
        listen(&info.capabilities, service.peer(), &host);
    }
    Ok(Link {
        server: spec.name.clone(),
        limits: spec.limits.clone(),
        host,
        info,
        listing: tokio::sync::Mutex::default(),
        service,
        child,
        end,
        used: Mutex::new(Instant::now()),
    })
}

/// Has a server of the newer era say when its lists change; those of the older one do so by themselves.
fn listen(can: &rmcp::model::ServerCapabilities, peer: &Peer<RoleClient>, host: &Arc<Host>) {
    let says = |changed: Option<bool>| (changed == Some(true)).then_some(true);
    let mut filter = SubscriptionFilter::new();
    filter.tools_list_changed = says(can.tools.as_ref().and_then(|tools| tools.list_changed));
    filter.prompts_list_changed = says(can.prompts.as_ref().and_then(|prompts| prompts.list_changed));
    filter.resources_list_changed = says(can.resources.as_ref().and_then(|resources| resources.list_changed));
    if filter == SubscriptionFilter::new() {
        return;
    }
    let (peer, host) = (peer.clone(), Arc::clone(host));
    tokio::spawn(async move {
        let Ok(mut changes) = peer.listen(filter).await else { return };
        while let Ok(Some(_)) = changes.next().await {
            host.changed();
        }
    });
}
