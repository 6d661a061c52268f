//! What is to be reached, and what it may take.

use crate::elicit::Elicits;
use crate::status::ServerNews;
use reasonix_exec::{Command, Confinement};
use reasonix_net::NetOptions;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

const MIB: usize = 1024 * 1024;

/// A server, before anything of it has run.
#[derive(Debug, Clone)]
pub struct ServerSpec {
    /// Its name, as the user wrote it.
    pub name: String,
    /// How it is reached.
    pub reach: ServerReach,
    /// What it may take.
    pub limits: ServerLimits,
    /// Which era it speaks, where that is known.
    pub era: Era,
    /// How a login to it is made; none where nobody logs in.
    pub login: Option<Arc<ServerLogin>>,
    /// Says before each start whether it may be started; none where it always may.
    pub may_start: Option<MayStart>,
}

/// Asked before each start, apart from the conversation's thread; says why not, and what to do.
#[derive(Clone)]
pub struct MayStart(Arc<dyn Fn() -> Result<(), String> + Send + Sync>);

impl MayStart {
    /// Asks this.
    pub fn new(ask: impl Fn() -> Result<(), String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(ask))
    }

    pub(crate) fn ask(&self) -> Result<(), String> {
        (self.0)()
    }
}

impl fmt::Debug for MayStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MayStart")
    }
}

impl ServerSpec {
    /// A server with the usual limits.
    pub fn new(name: impl Into<String>, reach: ServerReach) -> Self {
        let (limits, era) = (ServerLimits::default(), Era::default());
        Self { name: name.into(), reach, limits, era, login: None, may_start: None }
    }
}

/// How a login to a server is made, and where what it gives is kept.
#[derive(Clone, Default)]
pub struct ServerLogin {
    /// The folder of the tokens.
    pub folder: PathBuf,
    /// Who we are, where we are registered.
    pub client_id: Option<String>,
    /// The secret to it.
    pub client_secret: Option<String>,
    /// A document that says who we are, for servers that read one.
    pub client_metadata_url: Option<String>,
    /// What is asked for; empty for what the server says.
    pub scopes: Vec<String>,
    /// Where the login comes back to; none for any port.
    pub callback_port: Option<u16>,
}

impl fmt::Debug for ServerLogin {
    /// It can hold a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerLogin")
    }
}

/// How a server is reached.
#[derive(Clone)]
pub enum ServerReach {
    /// A child that is talked to through its pipes. Its environment, its box and its limits are those of the command.
    Stdio(Box<Command>),
    /// The same in a box that is made when the child is first started, apart from the conversation's thread.
    Boxed {
        /// The child.
        command: Box<Command>,
        /// Makes the box, or hands out the one that is there.
        confine: Arc<dyn Fn() -> Confinement + Send + Sync>,
    },
    /// Streamable HTTP.
    Http {
        /// The address.
        url: String,
        /// Headers for every request.
        headers: Vec<(String, String)>,
        /// Proxy and certificates.
        net: Box<NetOptions>,
    },
    /// The transport of 2024 with a stream of its own for answers. It is refused, with what to use instead.
    Sse {
        /// The address.
        url: String,
    },
}

impl fmt::Debug for ServerReach {
    /// Headers and environments can hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdio(command) | Self::Boxed { command, .. } => {
                write!(f, "Stdio({})", command.program.to_string_lossy())
            }
            Self::Http { .. } => f.write_str("Http"),
            Self::Sse { .. } => f.write_str("Sse"),
        }
    }
}

/// Which revisions of the protocol a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Era {
    /// Not known: it is asked.
    #[default]
    Unknown,
    /// 2026-07-28 and later: `server/discover`, no session.
    Modern,
    /// Before it: `initialize` and a session.
    Initialize,
}

/// What a server may take, in time and in room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerLimits {
    /// From its start until it has said who it is.
    pub handshake: Duration,
    /// One page of a list, a prompt or a resource.
    pub request: Duration,
    /// One call; none for no limit. Waiting for a person does not count.
    pub call: Option<Duration>,
    /// The same for single tools, by the server's own names.
    pub tools: BTreeMap<String, Duration>,
    /// How long it may take to read what is sent to it.
    pub write: Duration,
    /// How long it is kept without being used; none for as long as the session.
    pub idle: Option<Duration>,
    /// How often it is started again within ten minutes.
    pub restarts: usize,
    /// Bytes of one message.
    pub frame: usize,
    /// Bytes between two messages that are none.
    pub noise: usize,
    /// Pages of one list.
    pub pages: usize,
    /// Entries of one list.
    pub entries: usize,
    /// Bytes of one tool's schema.
    pub schema: usize,
    /// Bytes of one description, and of the server's instructions.
    pub text: usize,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            handshake: Duration::from_secs(30),
            request: Duration::from_secs(60),
            call: Some(Duration::from_secs(300)),
            tools: BTreeMap::new(),
            write: Duration::from_secs(30),
            idle: Some(Duration::from_secs(3600)),
            restarts: 5,
            frame: 16 * MIB,
            noise: 64 * MIB,
            pages: 100,
            entries: 512,
            schema: 64 * 1024,
            text: 8 * 1024,
        }
    }
}

impl ServerLimits {
    /// How long a call of this tool may take.
    pub fn of_call(&self, tool: &str) -> Option<Duration> {
        self.tools.get(tool).copied().or(self.call)
    }
}

/// Takes what there is to say about servers; it must not block.
type Tells = dyn Fn(&str, ServerNews) + Send + Sync;

/// What servers get to know and to ask.
#[derive(Clone, Default)]
pub struct Surroundings {
    /// The folders that are told to servers as their roots.
    pub roots: Vec<PathBuf>,
    /// Who answers what servers ask of people; none where nobody can be asked.
    pub elicits: Option<Arc<dyn Elicits>>,
    /// Hears what happens to servers, by their names.
    pub news: Option<Arc<Tells>>,
}
