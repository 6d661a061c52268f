//! Ports of the machine's loopback, seen from a box: who is admitted reaches them, nobody else does, and the box keeps its
//! own loopback.
//!
//! Where the kernel cannot have level `full` these tests say so and pass; with `REASONIX_E2E=1` it is required.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "tests fail by panicking")]

mod place;

use place::{Place, python};
use reasonix_exec::{Command, Confinement, EndStatus, Ports, Sandbox, run};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::future::Future;
use std::io::{Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::pin::Pin;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Admits these ports, and remembers what it was asked.
#[derive(Debug, Default)]
struct Doorkeeper {
    admitted: Vec<u16>,
    asked: Mutex<Vec<u16>>,
}

impl Doorkeeper {
    fn of(admitted: &[u16]) -> Arc<Self> {
        Arc::new(Self { admitted: admitted.to_vec(), asked: Mutex::default() })
    }

    fn asked(&self) -> Vec<u16> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

impl Ports for Doorkeeper {
    fn admit(&self, port: u16) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        self.asked.lock().unwrap().push(port);
        Box::pin(async move {
            // A person takes a moment.
            tokio::task::yield_now().await;
            self.admitted.contains(&port)
        })
    }
}

/// A server of the machine that greets everybody; its port, and what it was told.
fn server(at: &str) -> Option<(u16, Receiver<String>)> {
    serving(at, b"hello\n")
}

fn serving(at: &str, greeting: &'static [u8]) -> Option<(u16, Receiver<String>)> {
    let listener = TcpListener::bind(at).ok()?;
    let port = listener.local_addr().unwrap().port();
    let (heard, told) = channel();
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.unwrap();
            let heard = heard.clone();
            std::thread::spawn(move || {
                let _ = client.write_all(greeting);
                let mut text = String::new();
                let _ = client.read_to_string(&mut text);
                let _ = heard.send(text);
            });
        }
    });
    Some((port, told))
}

/// Runs a line in the box; what it wrote and how it ended.
async fn says(place: &Place, sandbox: &Arc<Sandbox>, ports: &Arc<Doorkeeper>, line: &str) -> (String, EndStatus) {
    let ports: Arc<dyn Ports> = Arc::clone(ports) as Arc<dyn Ports>;
    let command = place.boxed(sandbox, line).with_ports(Some(ports));
    ran(&command).await
}

async fn ran(command: &Command) -> (String, EndStatus) {
    let finished = run(command, CancellationToken::new(), &|_| {}).await.unwrap();
    (String::from_utf8_lossy(&finished.output.into_parts().0).into_owned(), finished.status)
}

fn greeted(port: u16) -> String {
    format!("exec 5<>/dev/tcp/127.0.0.1/{port} && head -n1 <&5")
}

#[tokio::test]
async fn a_port_that_was_admitted_is_reached_and_no_other() {
    let place = Place::new();
    let sandbox = full_or_skip!(place.options());
    let ((open, _told), (closed, _other)) = (server("127.0.0.1:0").unwrap(), server("127.0.0.1:0").unwrap());
    let ports = Doorkeeper::of(&[open]);
    assert_eq!(says(&place, &sandbox, &ports, &greeted(open)).await, ("hello\n".to_owned(), EndStatus::Exited(0)));
    assert_eq!(ports.asked(), [open]);
    let (text, status) = says(&place, &sandbox, &ports, &greeted(closed)).await;
    assert!(text.contains("Connection refused") && matches!(status, EndStatus::Exited(1..)), "{text}");
    assert_eq!(ports.asked(), [closed]);
    // Nobody decides, nobody gets out.
    let (text, _) = ran(&place.boxed(&sandbox, &greeted(open))).await;
    assert!(text.contains("Connection refused"), "{text}");
    // One command has it ten times over, and asks once.
    let line = format!("for i in 1 2 3 4 5 6 7 8 9 10; do {}; exec 5>&-; done", greeted(open));
    assert_eq!(says(&place, &sandbox, &ports, &line).await.0, "hello\n".repeat(10));
    assert_eq!(ports.asked(), [open]);
}

/// What a command says last arrives, also when it ends at once.
#[tokio::test]
async fn the_last_words_of_a_command_arrive() {
    let place = Place::new();
    let sandbox = full_or_skip!(place.options());
    // Who closes without having read what was said to it takes its own words back.
    let (port, told) = serving("127.0.0.1:0", b"").unwrap();
    let ports = Doorkeeper::of(&[port]);
    for _ in 0..5 {
        let line = format!("head -c 300000 /dev/zero | tr '\\0' x > /dev/tcp/127.0.0.1/{port}");
        let (text, status) = says(&place, &sandbox, &ports, &line).await;
        assert_eq!((text.as_str(), status), ("", EndStatus::Exited(0)));
        assert_eq!(told.recv().unwrap().len(), 300_000);
    }
}

/// What the box itself listens on is the box's, whoever listens on the same port outside.
#[tokio::test]
async fn a_server_inside_comes_first() {
    let place = Place::new();
    let sandbox = full_or_skip!(place.options());
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        return;
    }
    let (port, _told) = server("127.0.0.1:0").unwrap();
    let ports = Doorkeeper::of(&[port]);
    let code = format!(
        "import socket,threading\ns=socket.socket()\ns.setsockopt(socket.SOL_SOCKET,socket.SO_REUSEADDR,1)\n\
         s.bind(('127.0.0.1',{port}))\ns.listen()\n\
         threading.Thread(target=lambda: s.accept()[0].sendall(b'inside\\n')).start()\n\
         c=socket.create_connection(('127.0.0.1',{port}))\nprint(c.recv(100).decode().strip())"
    );
    for _ in 0..2 {
        assert_eq!(says(&place, &sandbox, &ports, &python(&code)).await.0, "inside\n");
        assert_eq!(ports.asked(), [] as [u16; 0]);
        // A bridge goes with its command, and the port is the box's again.
        assert_eq!(says(&place, &sandbox, &ports, &greeted(port)).await.0, "hello\n");
        assert_eq!(ports.asked(), [port]);
    }
}

/// Only the loopback itself, only what listens there, and only streams.
#[tokio::test]
async fn nothing_else_of_the_machine_is_asked_about() {
    let place = Place::new();
    let sandbox = full_or_skip!(place.options());
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (everywhere, _told) = server("0.0.0.0:0").unwrap();
    let (second, _other) = server("127.0.0.2:0").unwrap();
    let datagrams = UdpSocket::bind("127.0.0.1:0").unwrap();
    let datagrams = datagrams.local_addr().unwrap().port();
    let ports = Doorkeeper::of(&[free, everywhere, second, datagrams]);
    for line in [
        format!("exec 5<>/dev/tcp/127.0.0.1/{free}"),
        format!("exec 5<>/dev/tcp/127.0.0.2/{second}"),
        format!("exec 5<>/dev/tcp/127.0.0.3/{everywhere}"),
        format!("exec 5<>/dev/tcp/0.0.0.0/{everywhere}"),
        format!("exec 5<>/dev/tcp/192.0.2.1/{everywhere}"),
        format!("exec 5<>/dev/udp/127.0.0.1/{everywhere}; echo x >&5 && sleep 0.1 && echo x >&5"),
    ] {
        let (text, status) = says(&place, &sandbox, &ports, &line).await;
        assert!(matches!(status, EndStatus::Exited(1..)), "{line}\n{text}");
        assert_eq!(ports.asked(), [] as [u16; 0], "{line}");
    }
    assert_eq!(says(&place, &sandbox, &ports, &greeted(everywhere)).await.0, "hello\n");
    // A reader makes no sockets at all.
    let held = Confinement::Boxed(Arc::clone(&sandbox)).held().unwrap();
    ports.asked();
    let command = place.boxed(&sandbox, &greeted(everywhere)).with_confinement(held);
    let keeper: Arc<dyn Ports> = Arc::clone(&ports) as Arc<dyn Ports>;
    let (text, status) = ran(&command.with_ports(Some(keeper))).await;
    assert!(matches!(status, EndStatus::Exited(1..)) && !text.contains("hello"), "{text}");
    assert_eq!(ports.asked(), [] as [u16; 0]);
}

#[tokio::test]
async fn the_newer_loopback_is_reached_too() {
    let place = Place::new();
    let sandbox = full_or_skip!(place.options());
    let Some((port, _told)) = server("[::1]:0") else { return };
    let ports = Doorkeeper::of(&[port]);
    let line = format!("exec 5<>/dev/tcp/::1/{port} && head -n1 <&5");
    assert_eq!(says(&place, &sandbox, &ports, &line).await.0, "hello\n");
    // Nothing listens at the older one.
    let (text, _) = says(&place, &sandbox, &ports, &greeted(port)).await;
    assert!(text.contains("Connection refused"), "{text}");
    assert_eq!(ports.asked(), [port]);
}

/// Sockets that do not wait, threads, and a socket that was connected before: none leads anywhere else.
#[tokio::test]
async fn other_ways_to_connect() {
    let place = Place::new();
    let sandbox = full_or_skip!(place.options());
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        return;
    }
    let ((port, _told), (other, _heard)) = (server("127.0.0.1:0").unwrap(), server("127.0.0.1:0").unwrap());
    let ports = Doorkeeper::of(&[port]);
    let code = format!(
        "import socket,select,threading,ctypes,os\n\
         s=socket.socket(); s.setblocking(False)\nprint(s.connect_ex(('127.0.0.1',{port})) in (0,115))\n\
         select.select([],[s],[],60); print(s.getsockopt(socket.SOL_SOCKET,socket.SO_ERROR)==0, s.getblocking())\n\
         select.select([s],[],[],60); print(s.recv(9))\n\
         def go(n): c=socket.create_connection(('127.0.0.1',{port})); got[n]=c.recv(9)\n\
         got=[0]*20; all=[threading.Thread(target=go,args=(n,)) for n in range(20)]\n\
         [t.start() for t in all]; [t.join() for t in all]; print(got.count(b'hello\\n'))\n\
         libc=ctypes.CDLL(None,use_errno=True)\nlibc.connect(s.fileno(), bytes(16), 16)\n\
         print(s.connect_ex(('127.0.0.1',{other})) in (111,115)); select.select([],[s],[],60)\n\
         print(s.getsockopt(socket.SOL_SOCKET,socket.SO_ERROR) in (0,111))\n\
         try: print(s.recv(9) or 'nothing')\nexcept OSError: print('nothing')"
    );
    let (text, _) = says(&place, &sandbox, &ports, &python(&code)).await;
    assert_eq!(text, "True\nTrue False\nb'hello\\n'\n20\nTrue\nTrue\nnothing\n");
    assert_eq!(ports.asked().iter().filter(|asked| **asked == other).count(), 1);
}

/// Whoever stops waiting takes the question along, and a command that is ended leaves no bridge.
#[tokio::test]
async fn a_question_does_not_outlive_who_asked() {
    #[derive(Debug)]
    struct Never(tokio::sync::mpsc::UnboundedSender<()>, Arc<()>);
    impl Ports for Never {
        fn admit(&self, _: u16) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
            let (_asked, open) = (self.0.send(()), Arc::clone(&self.1));
            Box::pin(async move {
                let _open = open;
                std::future::pending().await
            })
        }
    }
    let place = Place::new();
    let sandbox = full_or_skip!(place.options());
    let (port, _told) = server("127.0.0.1:0").unwrap();
    let open = Arc::new(());
    let (asked, mut questions) = tokio::sync::mpsc::unbounded_channel();
    let ports: Arc<dyn Ports> = Arc::new(Never(asked, Arc::clone(&open)));
    // The one who asks is ended by the command itself.
    let line = format!("(exec 5<>/dev/tcp/127.0.0.1/{port}) & sleep 0.3; kill -9 $!; wait $! 2>/dev/null; echo on");
    let (text, _) = ran(&place.boxed(&sandbox, &line).with_ports(Some(Arc::clone(&ports)))).await;
    assert!(text.ends_with("on\n"), "{text}");
    questions.recv().await.unwrap();
    assert_eq!(Arc::strong_count(&open), 2, "the question is gone");
    // The command is cancelled while the question stands.
    let stop = CancellationToken::new();
    let command = place.boxed(&sandbox, &greeted(port)).with_ports(Some(Arc::clone(&ports)));
    let waiting = run(&command, stop.clone(), &|_| {});
    let cancel = async {
        questions.recv().await.unwrap();
        stop.cancel();
    };
    let (finished, ()) = tokio::join!(waiting, cancel);
    assert_eq!(finished.unwrap().status, EndStatus::Cancelled);
    assert_eq!(Arc::strong_count(&open), 2);
}

/// Listens at many ports, so that each question takes long, and connects from many threads at once.
fn flood(each: &str) -> String {
    python(&format!(
        "import socket,threading\nheld=[]\ntry:\n for port in range(2000,2850):\n  s=socket.socket(); held.append(s)\n  \
         s.bind(('127.0.0.1',port)); s.listen()\nexcept OSError: pass\nfor s in held[-50:]: s.close()\n\
         def go():\n for n in {each}:\n  s=socket.socket(); s.connect_ex(('127.0.0.1',1)); s.close()\n\
         all=[threading.Thread(target=go) for n in range(32)]\n\
         [t.start() for t in all]; [t.join() for t in all]; print('through')"
    ))
}

/// A command that connects all the time, and makes each question as long as it can, holds up nobody: whoever waits beside it
/// is heard after each one, what takes long is not done where everybody waits, and its time runs out.
#[tokio::test]
async fn a_flood_of_connections_holds_up_nobody() {
    let place = Place::new();
    let sandbox = full_or_skip!(place.options());
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        return;
    }
    let ports: Arc<dyn Ports> = Doorkeeper::of(&[]);
    let command = place.boxed(&sandbox, &flood("range(20)")).with_ports(Some(Arc::clone(&ports)));
    let (mut heard, before) = (0, worked());
    let mut running = std::pin::pin!(ran(&command));
    let said = std::future::poll_fn(|context| {
        heard += 1;
        running.as_mut().poll(context)
    });
    assert_eq!(said.await, ("through\n".to_owned(), EndStatus::Exited(0)));
    assert!(heard >= 32 * 20, "{heard} times for {} questions", 32 * 20);
    let own = std::fs::read_link("/proc/thread-self").unwrap().file_name().unwrap().to_owned();
    let took = worked().into_iter().map(|(thread, time)| {
        let earlier = before.get(&thread).copied().unwrap_or_default();
        (thread == own, time.saturating_sub(earlier))
    });
    let (here, elsewhere): (Vec<_>, Vec<_>) = took.partition(|(own, _)| *own);
    let sum = |of: &[(bool, u64)]| of.iter().map(|(_, time)| time).sum::<u64>();
    assert!(sum(&here) <= sum(&elsewhere), "{} here, {} elsewhere", sum(&here), sum(&elsewhere));
    let endless = place.boxed(&sandbox, &flood("iter(int,1)")).with_ports(Some(ports));
    let (_, status) = ran(&endless.with_timeout(Some(Duration::from_secs(2)))).await;
    assert_eq!(status, EndStatus::TimedOut);
}

/// How long each thread of ours has worked, in nanoseconds.
fn worked() -> BTreeMap<OsString, u64> {
    let threads = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let time = |text: String| text.split_whitespace().next()?.parse().ok();
    let each = threads.filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        Some((thread.file_name(), time(text)?))
    });
    each.collect()
}

/// What it costs that the kernel asks, on the clock and in processor time; run with `--ignored --nocapture`.
#[tokio::test]
#[ignore = "measures"]
async fn cost() {
    let place = Place::new();
    let sandbox = full_or_skip!(place.options());
    let ports: Arc<dyn Ports> = Doorkeeper::of(&[]);
    let mut took = [Vec::new(), Vec::new()];
    let mut worked = [0; 2];
    for _ in 0..400 {
        for with in [0, 1] {
            let command = place.boxed(&sandbox, ":").with_ports((with == 1).then(|| Arc::clone(&ports)));
            let (started, before) = (std::time::Instant::now(), processor_time());
            ran(&command).await;
            took[with].push(started.elapsed());
            worked[with] += processor_time() - before;
        }
    }
    for (took, worked) in took.iter_mut().zip(worked) {
        took.sort();
        eprintln!("median {:?}, fastest tenth {:?}, processor {} us", took[200], took[40], worked / 400);
    }
}

/// Microseconds that this process and its children have worked.
fn processor_time() -> u64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap();
    let own: u64 = text.split_whitespace().next().unwrap().parse().unwrap();
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let words: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let children: u64 = words[13..15].iter().map(|ticks| ticks.parse::<u64>().unwrap()).sum();
    own / 1000 + children * 10_000
}
