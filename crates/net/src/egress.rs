//! The way out for commands in a box without a network: a proxy that lets connections through to hosts that somebody
//! admitted, and to nothing else. It speaks HTTP (`CONNECT` and plain requests) and SOCKS5. Names are resolved here,
//! after the host was admitted, and the very address that was checked is connected to.
//! Decides nothing about hosts: that is the [`Doorman`]'s business.

mod address;
mod http;
mod socks;
mod upstream;

use crate::NetOptions;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use upstream::Upstream;

pub use address::is_public;

/// How many connections there are at a time; more wait.
const MOST: usize = 256;
/// How long a client may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(30);

/// Where a connection is to go.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Destination {
    /// The host, in lower case and without a last dot: a name or an address.
    pub host: String,
    /// The port.
    pub port: u16,
}

impl Destination {
    /// Takes a host and port as a client wrote them; none when that cannot be a host.
    pub fn new(host: &str, port: u16) -> Option<Self> {
        let host = host.trim_matches(['[', ']']).trim_end_matches('.').to_ascii_lowercase();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte);
        let fits = !host.is_empty() && host.len() <= 253 && host.bytes().all(plain) && port != 0;
        let named = !host.contains(':') || host.parse::<std::net::Ipv6Addr>().is_ok();
        (fits && named).then_some(Self { host, port })
    }

    /// Reads `host:port`, `host` or `[address]:port`.
    pub fn parse(text: &str, usual: u16) -> Option<Self> {
        match text.rsplit_once(':') {
            Some((host, port)) if !host.contains(':') || host.ends_with(']') => Self::new(host, port.parse().ok()?),
            _ => Self::new(text, usual),
        }
    }

    /// The host, with its port where that is not one of the web's.
    pub fn subject(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        if matches!(self.port, 80 | 443) { host } else { format!("{host}:{}", self.port) }
    }
}

/// What is said at the door.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// It may pass. `named` when somebody named this very host, so that it may lie in a private network.
    Allow {
        /// It was named itself, not by a pattern or a preset.
        named: bool,
    },
    /// It may not, for this reason.
    Deny {
        /// The reason, as the client reads it.
        reason: String,
    },
}

/// Decides about destinations.
pub trait Doorman: Send + Sync {
    /// Decides about one; may ask a person and wait for the answer.
    fn admit<'a>(&'a self, to: &'a Destination) -> Pin<Box<dyn Future<Output = Admission> + Send + 'a>>;

    /// Hears what became of a destination that was admitted and could not be reached after all.
    fn failed(&self, _to: &Destination, _reason: &str) {}
}

/// Serves connections that come through the door until the future is dropped.
pub async fn serve(door: std::net::TcpListener, doorman: Arc<dyn Doorman>, options: &NetOptions) -> io::Result<()> {
    door.set_nonblocking(true)?;
    let door = TcpListener::from_std(door)?;
    let upstream = Arc::new(Upstream::new(options.clone()));
    let room = Arc::new(Semaphore::new(MOST));
    let mut tasks = tokio::task::JoinSet::new();
    loop {
        let Ok(place) = Arc::clone(&room).acquire_owned().await else { return Ok(()) };
        while tasks.try_join_next().is_some() {}
        let client = match door.accept().await {
            Ok((client, _)) => client,
            // Too many descriptors, or a client that is gone already.
            Err(_) => {
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
        };
        let (doorman, upstream) = (Arc::clone(&doorman), Arc::clone(&upstream));
        tasks.spawn(async move {
            let _place = place;
            let _ = attend(client, doorman.as_ref(), &upstream).await;
        });
    }
}

/// One connection from its first byte to its last.
async fn attend(mut client: TcpStream, doorman: &dyn Doorman, upstream: &Upstream) -> io::Result<()> {
    let mut first = [0];
    let peeked = tokio::time::timeout(PATIENCE, client.peek(&mut first)).await.map_err(io::Error::other)??;
    if peeked == 0 {
        return Ok(());
    }
    if first == [socks::VERSION] {
        socks::attend(&mut client, doorman, upstream).await
    } else {
        http::attend(&mut client, doorman, upstream).await
    }
}

/// Why there is no connection to a destination.
enum Refused {
    /// It was not admitted.
    Denied(String),
    /// It could not be reached.
    Failed(String),
}

/// Asks at the door, then connects. Nothing is looked up before somebody said yes. A client that goes away meanwhile
/// takes its question with it.
async fn reach(
    client: &mut TcpStream,
    to: &Destination,
    doorman: &dyn Doorman,
    upstream: &Upstream,
) -> Result<TcpStream, Refused> {
    let admission = tokio::select! {
        biased;
        admission = doorman.admit(to) => admission,
        () = gone(client) => return Err(Refused::Failed("the client went away".to_owned())),
    };
    let named = match admission {
        Admission::Allow { named } => named,
        Admission::Deny { reason } => return Err(Refused::Denied(reason)),
    };
    upstream.connect(to, named).await.map_err(|reason| {
        doorman.failed(to, &reason);
        Refused::Failed(reason)
    })
}

/// Ends when the client has closed its connection.
async fn gone(client: &TcpStream) {
    let mut byte = [0];
    loop {
        match client.peek(&mut byte).await {
            Ok(0) | Err(_) => return,
            // It has said more than it was asked; that does not tell whether it is still there.
            Ok(_) => tokio::time::sleep(Duration::from_millis(200)).await,
        }
    }
}

/// Carries bytes both ways until both are done.
async fn join(mut client: impl AsyncRead + AsyncWrite + Unpin, mut server: TcpStream) -> io::Result<()> {
    copy_bidirectional(&mut client, &mut server).await.map(drop)
}

/// Reads until a pattern has come, with a bound; what came after it stays in the vector too.
async fn read_until(client: &mut TcpStream, pattern: &[u8], most: usize) -> io::Result<Vec<u8>> {
    let mut read = Vec::with_capacity(1024);
    let reading = async {
        while !read.windows(pattern.len()).any(|window| window == pattern) {
            if read.len() > most || client.read_buf(&mut read).await? == 0 {
                return Err(io::Error::from(io::ErrorKind::InvalidData));
            }
        }
        io::Result::Ok(())
    };
    tokio::time::timeout(PATIENCE, reading).await.map_err(io::Error::other)??;
    Ok(read)
}
