//! What notices that a line reached somebody outside: listeners, the end of a pipe, a process that keeps its signals.

use std::io::Read;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Something outside that counts how often it was reached.
struct Ear {
    name: &'static str,
    count: Arc<AtomicUsize>,
}

impl Ear {
    /// Calls this again and again beside the test, and counts each time it returns.
    fn new(name: &'static str, mut once: impl FnMut() -> bool + Send + 'static) -> Self {
        let count = Arc::new(AtomicUsize::new(0));
        let ear = Self { name, count: Arc::clone(&count) };
        std::thread::spawn(move || {
            while once() {
                count.fetch_add(1, Ordering::SeqCst);
            }
        });
        ear
    }
}

/// All that notices.
pub(crate) struct Watch {
    ears: Vec<Ear>,
    sentinel: Child,
    pub(crate) tcp: u16,
    pub(crate) udp: u16,
    pub(crate) hidden: String,
}

impl Watch {
    /// Listens in `run` below this folder, where a pipe lies already.
    pub(crate) fn new(work: &Path) -> Self {
        let (tcp, udp) = (TcpListener::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
        let ports = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
        let hidden = format!("reasonix-fuzz-{}-{}", std::process::id(), ports.0);
        let file = UnixListener::bind(work.join("run/sock")).unwrap();
        let nameless = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&hidden).unwrap()).unwrap();
        // Open for writing too, so that it never comes to its end.
        let mut pipe = std::fs::OpenOptions::new().read(true).write(true).open(work.join("run/pipe")).unwrap();
        let ears = vec![
            Ear::new("a connection to a port", move || tcp.accept().is_ok()),
            Ear::new("a datagram to a port", move || udp.recv(&mut [0; 64]).is_ok()),
            Ear::new("a connection to a socket of the workspace", move || file.accept().is_ok()),
            Ear::new("a connection to a socket without a file", move || nameless.accept().is_ok()),
            Ear::new("something written to a pipe", move || pipe.read(&mut [0; 64]).is_ok()),
        ];
        let sentinel = Command::new("env").args(["--block-signal", "sleep", "100000"]).spawn().unwrap();
        let watch = Self { ears, sentinel, tcp: ports.0, udp: ports.1, hidden };
        // Until then it would die of a signal like anybody else.
        while watch.blocked() == 0 {
            assert!(watch.is_there(), "this needs an `env` that knows --block-signal");
            std::thread::yield_now();
        }
        watch
    }

    pub(crate) fn pid(&self) -> u32 {
        self.sentinel.id()
    }

    /// What was noticed since the beginning.
    pub(crate) fn noticed(&self) -> Vec<String> {
        let heard = self.ears.iter().filter(|ear| ear.count.load(Ordering::SeqCst) > 0).map(|ear| ear.name.to_owned());
        let mut all: Vec<_> = heard.collect();
        if !self.is_there() {
            all.push("a process was ended or stopped".to_owned());
        }
        if self.field("ShdPnd:") | self.field("SigPnd:") != 0 {
            all.push("a process got a signal".to_owned());
        }
        all
    }

    fn is_there(&self) -> bool {
        let status = self.status();
        let state = status.lines().find_map(|line| line.strip_prefix("State:")).unwrap_or_default().trim();
        state.starts_with(['S', 'R', 'D'])
    }

    fn blocked(&self) -> u64 {
        self.field("SigBlk:")
    }

    /// A set of signals as the kernel tells it.
    fn field(&self, name: &str) -> u64 {
        let status = self.status();
        let text = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("0");
        u64::from_str_radix(text.trim(), 16).unwrap_or(0)
    }

    fn status(&self) -> String {
        std::fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap_or_default()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.sentinel.kill();
        let _ = self.sentinel.wait();
    }
}
