//! Knocks: before a command in the box connects anywhere, the kernel asks us. What it is about to do always goes on
//! unchanged, in the box's own network, so that nothing depends on what its memory says by then. All that can happen
//! meanwhile is that a port which somebody admitted gets a bridge to the machine's own.
#![allow(unsafe_code)]

use super::bridge::bridge;
use super::{Sandbox, listening};
use crate::Ports;
use std::fs::File;
use std::io;
use std::mem::{size_of, zeroed};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::unix::AsyncFd;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// More questions at once wait with the kernel.
const MOST: usize = 64;
/// So many are looked at, at once: that reads files of the kernel's, which may be long.
const LOOKING: usize = 2;
/// How often it is looked whether who knocked is still there.
const LOOK: Duration = Duration::from_millis(200);
/// How long what a command sent last may take to get through.
const DRAIN: Duration = Duration::from_secs(1);

const RECEIVE: libc::Ioctl = 0xc050_2100;
const ANSWER: libc::Ioctl = 0xc018_2101;
const STILL_THERE: libc::Ioctl = 0x4008_2102;
const GO_ON: u32 = 1;

/// A call that waits, as the kernel tells of it.
#[repr(C)]
#[derive(Clone, Copy)]
struct Knock {
    id: u64,
    pid: u32,
    flags: u32,
    call: i32,
    arch: u32,
    instruction: u64,
    args: [u64; 6],
}

#[repr(C)]
struct Reply {
    id: u64,
    value: i64,
    error: i32,
    flags: u32,
}

/// Where the kernel asks about the connections of one command.
#[derive(Debug)]
pub(crate) struct Knocks {
    /// What the command sends the descriptor through, before its own code runs.
    letterbox: Option<AsyncFd<UnixStream>>,
    listener: Option<Arc<AsyncFd<OwnedFd>>>,
    ports: Arc<dyn Ports>,
    sandbox: Arc<Sandbox>,
    tasks: JoinSet<()>,
    room: Arc<Semaphore>,
    look: Arc<Semaphore>,
    over: CancellationToken,
}

/// A call that waits for us, and where it is answered.
struct Question {
    listener: Arc<AsyncFd<OwnedFd>>,
    knock: Knock,
    look: Arc<Semaphore>,
}

impl Knocks {
    /// Where to wait, and the end that the command gets.
    pub(crate) fn new(sandbox: Arc<Sandbox>, ports: Arc<dyn Ports>) -> io::Result<(Self, OwnedFd)> {
        let (ours, theirs) = UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let knocks = Self {
            letterbox: Some(watched(ours)?),
            listener: None,
            ports,
            sandbox,
            tasks: JoinSet::new(),
            room: Arc::new(Semaphore::new(MOST)),
            look: Arc::new(Semaphore::new(LOOKING)),
            over: CancellationToken::new(),
        };
        Ok((knocks, theirs.into()))
    }

    /// Answers until it is dropped.
    pub(crate) async fn attend(&mut self) -> std::convert::Infallible {
        if let Some(letterbox) = self.letterbox.take() {
            self.listener = receive(letterbox).await.and_then(|fd| watched(fd).ok()).map(Arc::new);
        }
        let Some(listener) = self.listener.clone() else { return std::future::pending().await };
        while is_knocked_at(&listener).await {
            // The kernel tells once of any number, and waits where there is none.
            while let Some(place) = room(&self.room).await.filter(|_| is_readable(listener.as_raw_fd())) {
                while self.tasks.try_join_next().is_some() {}
                if let Some(knock) = next(listener.as_raw_fd()) {
                    let question = Question { listener: Arc::clone(&listener), knock, look: Arc::clone(&self.look) };
                    let (ports, sandbox) = (Arc::clone(&self.ports), Arc::clone(&self.sandbox));
                    self.tasks.spawn(question.settle(place, ports, sandbox, self.over.clone()));
                }
                // However many there are, whoever waits beside us for the clock or for a stop is heard in between.
                tokio::task::yield_now().await;
            }
        }
        std::future::pending().await
    }

    /// The command is over: what it had sent goes through, and the bridges go.
    pub(crate) async fn finish(mut self) {
        self.over.cancel();
        if self.tasks.is_empty() {
            return;
        }
        let _ = tokio::time::timeout(DRAIN, async { while self.tasks.join_next().await.is_some() {} }).await;
    }
}

/// Has the runtime look at a descriptor.
fn watched<T: AsRawFd + Into<OwnedFd> + 'static>(own: T) -> io::Result<AsyncFd<T>> {
    // SAFETY: it owns its descriptor, which stays the same and open for as long as it lives.
    Ok(unsafe { AsyncFd::register(own) }?)
}

/// Waits for the next call that waits for us. None comes any more once the last process is gone whose calls are told of: the
/// runtime would tell of that end again and again, without a pause.
async fn is_knocked_at(listener: &AsyncFd<impl AsRawFd>) -> bool {
    while !is_readable(listener.as_raw_fd()) {
        match listener.readable().await {
            Ok(ready) if ready.ready().is_read_closed() => return is_readable(listener.as_raw_fd()),
            Ok(mut ready) => ready.clear_ready(),
            Err(_) => return false,
        }
    }
    true
}

async fn room(room: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
    Arc::clone(room).acquire_owned().await.ok()
}

impl Question {
    /// Lets the call go on, with a bridge where that is wanted and admitted; ends with the bridge.
    async fn settle(
        self,
        place: OwnedSemaphorePermit,
        ports: Arc<dyn Ports>,
        sandbox: Arc<Sandbox>,
        over: CancellationToken,
    ) {
        let wanted = self.wanted().await.filter(|_| is_there(self.listener.as_raw_fd(), self.knock.id));
        let inside = match wanted {
            Some(to) => self.inside(to, &*ports, sandbox).await.map(|inside| (inside, to)),
            None => None,
        };
        go_on(self.listener.as_raw_fd(), self.knock.id);
        drop(place);
        if let Some((inside, to)) = inside {
            bridge(inside, to, over).await;
        }
    }

    /// Where it wants to go. The runtime goes on meanwhile: how long that takes lies with the command.
    async fn wanted(&self) -> Option<SocketAddr> {
        let _turn = self.look.acquire().await.ok()?;
        let knock = self.knock;
        tokio::task::spawn_blocking(move || wanted(&knock)).await.ok().flatten()
    }

    /// Decides about a port. Gives the socket of the box where it was admitted.
    async fn inside(&self, to: SocketAddr, ports: &dyn Ports, sandbox: Arc<Sandbox>) -> Option<std::net::TcpListener> {
        let admitted = tokio::select! {
            biased;
            admitted = ports.admit(to.port()) => admitted,
            () = gone(&self.listener, self.knock.id) => false,
        };
        match admitted {
            true => tokio::task::spawn_blocking(move || sandbox.listen_inside(to)).await.ok().flatten(),
            false => None,
        }
    }
}

/// Ends when nobody waits for the answer any more.
async fn gone(listener: &AsyncFd<OwnedFd>, id: u64) {
    while is_there(listener.as_raw_fd(), id) {
        tokio::time::sleep(LOOK).await;
    }
}

/// The port of the machine's loopback that a call would reach if it had the machine's network: something listens there, and
/// nothing in the box.
fn wanted(knock: &Knock) -> Option<SocketAddr> {
    if knock.pid == 0 {
        return None;
    }
    let process = PathBuf::from(format!("/proc/{}", knock.pid));
    let [fd, at, length, ..] = knock.args;
    let mut bytes = [0; 28];
    let length = usize::try_from(length).ok()?.min(bytes.len());
    File::open(process.join("mem")).ok()?.read_exact_at(bytes.get_mut(..length)?, at).ok()?;
    let to = address(bytes.get(..length)?)?;
    let mut name = [0; 8];
    let socket = process.join(format!("fd/{}", u32::try_from(fd).ok()?));
    let named = rustix::fs::getxattr(&socket, c"system.sockprotoname", &mut name).ok()?;
    // Programs also connect sockets that send nothing, to learn which of their addresses they would have.
    if !name.get(..named)?.starts_with(b"TCP") {
        return None;
    }
    let nothing_inside = listening::anything(&process.join("net"), to.port()) == Some(false);
    let ours = PathBuf::from("/proc/thread-self/net");
    (nothing_inside && listening::at(&ours, to) != Some(false)).then_some(to)
}

/// The address of the loopback that the kernel would read here; none for any other.
fn address(bytes: &[u8]) -> Option<SocketAddr> {
    let family = i32::from(u16::from_ne_bytes(bytes.get(..2)?.try_into().ok()?));
    let port = u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?);
    let ip = match family {
        libc::AF_INET => IpAddr::from(<[u8; 4]>::try_from(bytes.get(4..8)?).ok()?),
        libc::AF_INET6 => IpAddr::from(<[u8; 16]>::try_from(bytes.get(8..24)?).ok()?).to_canonical(),
        _ => return None,
    };
    let loopback = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)].contains(&ip);
    (loopback && port != 0).then(|| SocketAddr::new(ip, port))
}

fn is_readable(fd: RawFd) -> bool {
    let mut look = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: `look` lives through the call.
    unsafe { libc::poll(&mut look, 1, 0) == 1 && look.revents & libc::POLLIN != 0 }
}

fn next(listener: RawFd) -> Option<Knock> {
    // SAFETY: all zeros are valid for a plain structure, and what the kernel wants to find there.
    let mut knock: Knock = unsafe { zeroed() };
    // SAFETY: it has the size that the request names and lives through the call.
    let received = unsafe { libc::ioctl(listener, RECEIVE, &raw mut knock) };
    (received == 0).then_some(knock)
}

/// Whether the call still waits; if not, its process may be somebody else by now.
fn is_there(listener: RawFd, id: u64) -> bool {
    // SAFETY: `id` lives through the call.
    unsafe { libc::ioctl(listener, STILL_THERE, &raw const id) == 0 }
}

fn go_on(listener: RawFd, id: u64) {
    let reply = Reply { id, value: 0, error: 0, flags: GO_ON };
    // SAFETY: `reply` has the size that the request names and lives through the call.
    unsafe { libc::ioctl(listener, ANSWER, &raw const reply) };
}

/// Room for one descriptor beside a message, aligned as the kernel wants it.
#[repr(C)]
struct Letter {
    header: libc::cmsghdr,
    fd: RawFd,
    rest: u32,
}

/// The descriptor that the command sends; none when it sends none.
async fn receive(letterbox: AsyncFd<UnixStream>) -> Option<OwnedFd> {
    loop {
        let mut ready = letterbox.readable().await.ok()?;
        match ready.try_io(|socket| received(socket.as_raw_fd())) {
            Ok(taken) => return taken.ok().flatten(),
            Err(_) => continue,
        }
    }
}

fn received(socket: RawFd) -> io::Result<Option<OwnedFd>> {
    let mut byte = 0u8;
    // SAFETY: all pointers are to locals that live through the call; the kernel makes a new descriptor, which nobody else has.
    unsafe {
        let mut letter: Letter = zeroed();
        let mut part = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
        let mut message: libc::msghdr = zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = (&raw mut letter).cast();
        message.msg_controllen = size_of::<Letter>() as _;
        if libc::recvmsg(socket, &raw mut message, libc::MSG_CMSG_CLOEXEC) < 0 {
            return Err(io::Error::last_os_error());
        }
        let sent = message.msg_controllen > 0
            && (letter.header.cmsg_level, letter.header.cmsg_type) == (libc::SOL_SOCKET, libc::SCM_RIGHTS);
        Ok(sent.then(|| OwnedFd::from_raw_fd(letter.fd)))
    }
}

/// Sets a filter that has the kernel ask, and sends the descriptor for that through `letterbox`; says whether it was sent.
/// None where such a filter cannot be had (somebody around us has one already). The rules of the guard hold here.
///
/// # Safety
/// Only in the command's process.
pub(super) unsafe fn tell_of_calls(filter: &[libc::sock_filter], letterbox: RawFd) -> Option<bool> {
    let listens = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
    // Otherwise any signal starts the call anew while a person thinks; older kernels do not know this.
    let patient = listens | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    let length = u16::try_from(filter.len()).unwrap_or(0);
    let program = libc::sock_fprog { len: length, filter: filter.as_ptr().cast_mut() };
    // SAFETY: system calls on this process, with pointers to what was prepared and to locals.
    unsafe {
        let install = |flags: libc::c_ulong| {
            let (mode, program) = (libc::SECCOMP_SET_MODE_FILTER, &raw const program);
            libc::syscall(libc::SYS_seccomp, mode, flags, program)
        };
        let mut listener = install(patient);
        if listener < 0 {
            listener = install(listens);
        }
        let Some(listener) = RawFd::try_from(listener).ok().filter(|listener| *listener >= 0) else {
            libc::close(letterbox);
            return None;
        };
        let mut letter: Letter = zeroed();
        letter.header.cmsg_len = libc::CMSG_LEN(4) as _;
        letter.header.cmsg_level = libc::SOL_SOCKET;
        letter.header.cmsg_type = libc::SCM_RIGHTS;
        letter.fd = listener;
        let mut byte = 0u8;
        let mut part = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
        let mut message: libc::msghdr = zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = (&raw mut letter).cast();
        message.msg_controllen = size_of::<Letter>() as _;
        let sent = libc::sendmsg(letterbox, &raw const message, libc::MSG_NOSIGNAL);
        libc::close(listener);
        libc::close(letterbox);
        Some(sent == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::{address, is_knocked_at, watched};
    use std::io::{Read, Write};
    use std::time::Duration;

    /// Once nobody is left who could knock, waiting for it is over, instead of beginning anew as fast as the machine can. A
    /// pipe tells of its end in the same way.
    #[tokio::test]
    async fn where_nobody_is_left_nobody_is_waited_for() {
        let (ours, mut theirs) = std::io::pipe().unwrap();
        let mut listener = watched(ours).unwrap();
        let none = tokio::time::timeout(Duration::from_millis(20), is_knocked_at(&listener)).await;
        assert!(none.is_err(), "somebody may still knock");
        theirs.write_all(b"knock").unwrap();
        assert!(is_knocked_at(&listener).await);
        drop(theirs);
        assert!(is_knocked_at(&listener).await, "what came before the end is heard");
        listener.get_mut().read_exact(&mut [0; 5]).unwrap();
        let over = tokio::time::timeout(Duration::from_secs(10), is_knocked_at(&listener)).await;
        assert_eq!(over.ok(), Some(false));
    }

    #[test]
    fn only_the_two_addresses_of_the_loopback_are_ports_of_the_machine() {
        let older = |port: u16, ip: [u8; 4]| {
            let mut bytes = libc::AF_INET.to_ne_bytes()[..2].to_vec();
            bytes.extend([&port.to_be_bytes()[..], &ip, &[0; 8]].concat());
            bytes
        };
        let newer = |port: u16, ip: &str| {
            let mut bytes = libc::AF_INET6.to_ne_bytes()[..2].to_vec();
            let ip: std::net::Ipv6Addr = ip.parse().unwrap();
            bytes.extend([&port.to_be_bytes()[..], &[0; 4], &ip.octets(), &[0; 4]].concat());
            bytes
        };
        assert_eq!(address(&older(5432, [127, 0, 0, 1])), Some("127.0.0.1:5432".parse().unwrap()));
        assert_eq!(address(&newer(80, "::1")), Some("[::1]:80".parse().unwrap()));
        assert_eq!(address(&newer(80, "::ffff:127.0.0.1")), Some("127.0.0.1:80".parse().unwrap()));
        for other in [
            older(80, [127, 0, 0, 2]),
            older(80, [0, 0, 0, 0]),
            older(80, [192, 168, 1, 1]),
            older(0, [127, 0, 0, 1]),
            newer(80, "::"),
            newer(80, "fe80::1"),
            newer(80, "::ffff:10.0.0.1"),
            libc::AF_UNSPEC.to_ne_bytes()[..2].to_vec(),
            libc::AF_UNIX.to_ne_bytes()[..2].to_vec(),
            older(80, [127, 0, 0, 1])[..6].to_vec(),
            vec![],
        ] {
            assert_eq!(address(&other), None, "{other:?}");
        }
    }
}
