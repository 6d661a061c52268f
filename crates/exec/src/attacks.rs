//! Attempts to get out of the box, as data, and the ground to make them on. Shared by the tests and by `doctor --attack`.
//! Everything happens below one folder that the caller gives and takes away again.

use crate::{
    BoxOptions, Caches, Command, Confinement, Environment, ExecError, Finished, Sandbox, SandboxLevel, Status, run,
};
use std::fs;
use std::io;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// No attempt takes longer.
const PATIENCE: Duration = Duration::from_secs(30);

/// An attempt to get out.
#[derive(Debug, Clone, Copy)]
pub struct Attack {
    /// The id in the catalogue of attacks, such as `C1`.
    pub id: &'static str,
    /// What is tried; the phrase `attack.<name>` says it to people.
    pub name: &'static str,
    /// The command. `{out}`, `{home}` and `{closed}` are folders outside, `{pid}` is this process, `{port}` a server of it.
    pub line: &'static str,
    /// What shows that it got through.
    pub proof: Proof,
    /// The least level that promises to hold it.
    pub level: SandboxLevel,
    /// A program that it needs.
    pub needs: &'static str,
}

/// What shows that an attempt got through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The command ended well.
    Exit,
    /// It printed the secret.
    Secret,
    /// Something outside is different.
    Outside,
    /// This file is in the workspace afterwards.
    Left(&'static str),
    /// A process with the mark lives on.
    Alive,
}

/// What an attempt came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Held {
    /// It did not get through.
    Yes,
    /// It got through. What it printed.
    No(String),
    /// This level does not promise to hold it.
    NotPromised,
    /// It cannot be tried: this program is not here.
    NotHere(&'static str),
}

const fn attack(
    id: &'static str,
    name: &'static str,
    line: &'static str,
    proof: Proof,
    level: SandboxLevel,
    needs: &'static str,
) -> Attack {
    Attack { id, name, line, proof, level, needs }
}

use Proof::{Alive, Exit, Left, Outside, Secret};
use SandboxLevel::{Full, Partial};

/// The catalogue.
#[rustfmt::skip]
pub const ATTACKS: &[Attack] = &[
    attack("C1", "write", "echo x > {out}/new", Outside, Partial, "bash"),
    attack("C1", "link", "ln -sfn {out} l && echo x > l/new", Outside, Partial, "bash"),
    attack("C1", "dots", "echo x > ../../../../../../../../../../../..{out}/new", Outside, Partial, "bash"),
    attack("C1", "proc", "echo x > /proc/self/root{out}/new; echo x > /proc/1/root{out}/new", Outside, Partial, "bash"),
    attack("C1", "hard_link", "ln {out}/file h && echo x > h", Outside, Partial, "bash"),
    attack("C1", "remove", "rm -f {out}/file; mv {out}/file {out}/other", Outside, Partial, "bash"),
    attack("C1", "rights", "chmod 777 {out}/file", Outside, Full, "bash"),
    attack("C1", "home_secret", "cat {home}/.ssh/id ~/.ssh/id", Secret, Full, "bash"),
    attack("C1", "closed_secret", "cat {closed}/key /proc/1/root{closed}/key", Secret, Full, "bash"),
    attack("C2", "hook", "echo x > .git/hooks/pre-commit || mv .git/hooks h || mv .git g", Exit, Full, "bash"),
    attack("C2", "git_settings", "echo '[core] fsmonitor = x' >> .git/config", Exit, Full, "bash"),
    attack("C2", "new_settings", "echo '{}' > .mcp.json", Left(".mcp.json"), Partial, "bash"),
    attack("C4", "tcp", "exec 3<>/dev/tcp/127.0.0.1/{port}", Exit, Partial, "bash"),
    attack("C4", "abstract_socket", "python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('\\0{abstract}')\"", Exit, Full, "python3"),
    attack("C4", "path_socket", "python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('{home}/agent.sock')\"", Exit, Full, "python3"),
    attack("C4", "raw_socket", "python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'", Exit, Partial, "python3"),
    attack("C4", "io_uring", "python3 -c 'import ctypes,sys; sys.exit(ctypes.CDLL(None).syscall(425, 1, 0) < 0)'", Exit, Partial, "python3"),
    attack("C4", "descriptors", "test $(ls /proc/self/fd | wc -l) -gt 4", Exit, Partial, "bash"),
    attack("C5", "new_privileges", "grep -q 'NoNewPrivs:.*0' /proc/self/status", Exit, Partial, "bash"),
    attack("C5", "capabilities", "grep -qE 'Cap(Eff|Prm|Bnd):.*[1-9a-f]' /proc/self/status", Exit, Full, "bash"),
    attack("C5", "user_namespace", "unshare -U true", Exit, Partial, "unshare"),
    attack("C5", "mount", "mount -t tmpfs none .", Exit, Partial, "mount"),
    attack("C5", "our_memory", "head -c 1 /proc/{pid}/environ | grep -q . || head -c 1 /proc/{pid}/mem | grep -q .", Exit, Partial, "bash"),
    attack("C5", "our_process", "kill -0 {pid} && grep -q reasonix /proc/{pid}/cmdline", Exit, Full, "bash"),
    attack("C5", "terminal", "python3 -c 'import fcntl; fcntl.ioctl(0, 0x5412, b\"x\")'", Exit, Partial, "python3"),
    attack("C6", "endless_file", "test \"$(ulimit -f)\" = unlimited", Exit, Partial, "bash"),
    attack("C6", "daemon", "(setsid setsid sleep 333.{mark} >/dev/null 2>&1 &); true", Alive, Full, "setsid"),
    attack("G1", "environment", "env | grep -qE '^[A-Z_]*(API_KEY|TOKEN|SECRET|PASSWORD)='", Exit, Partial, "bash"),
];

/// What stands in the files that no attempt may read.
const SECRET: &str = "reasonix-attack-secret";

/// A workspace, a home and places outside, all below one folder.
#[derive(Debug)]
pub struct Ground {
    folder: PathBuf,
    server: TcpListener,
    abstract_name: String,
    _sockets: Vec<UnixListener>,
}

impl Ground {
    /// Lays it out in an empty folder.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let folder = folder.canonicalize()?;
        for name in ["work/.git/hooks", "home/.ssh", "out", "closed", "state"] {
            fs::create_dir_all(folder.join(name))?;
        }
        for (name, text) in [
            ("work/.git/config", "[core]\n"),
            ("work/.git/HEAD", "ref: refs/heads/main\n"),
            ("home/.ssh/id", SECRET),
            ("closed/key", SECRET),
            ("out/file", "mine"),
        ] {
            fs::write(folder.join(name), text)?;
        }
        let abstract_name = format!("reasonix-attack-{}", std::process::id());
        let mut sockets = Vec::new();
        #[cfg(target_os = "linux")]
        {
            use std::os::linux::net::SocketAddrExt;
            let address = std::os::unix::net::SocketAddr::from_abstract_name(&abstract_name)?;
            sockets.extend(UnixListener::bind_addr(&address).ok());
        }
        // A path that is too long for a socket is no failure of the box.
        sockets.extend(UnixListener::bind(folder.join("home/agent.sock")).ok());
        let server = TcpListener::bind("127.0.0.1:0")?;
        Ok(Self { folder, server, abstract_name, _sockets: sockets })
    }

    /// A box around the workspace.
    pub fn sandbox(&self, least: SandboxLevel) -> Result<Arc<Sandbox>, ExecError> {
        let options = BoxOptions {
            writable: vec![self.folder.join("work")],
            readable: vec![],
            closed: vec![self.folder.join("closed")],
            masked: None,
            fixed: None,
            caches: Caches::Session,
            network: false,
            quarantine: self.folder.join("state/quarantine"),
            environment: self.environment(),
        };
        Sandbox::prepare(options, least)
    }

    fn environment(&self) -> Environment {
        Environment::inherited(&[]).with("HOME", self.folder.join("home"))
    }

    fn line(&self, attack: &Attack) -> String {
        let place = |name: &str| self.folder.join(name).display().to_string();
        let port = self.server.local_addr().map(|address| address.port()).unwrap_or_default();
        let pid = std::process::id();
        [
            ("{out}", place("out")),
            ("{home}", place("home")),
            ("{closed}", place("closed")),
            ("{abstract}", self.abstract_name.clone()),
            ("{port}", port.to_string()),
            ("{pid}", pid.to_string()),
            ("{mark}", pid.to_string()),
        ]
        .into_iter()
        .fold(attack.line.to_owned(), |line, (name, value)| line.replace(name, &value))
    }

    /// Makes an attempt in the box, and looks at what came of it.
    pub async fn attempt(&self, sandbox: &Arc<Sandbox>, attack: &Attack) -> Result<Held, ExecError> {
        if attack.level > sandbox.level() {
            return Ok(Held::NotPromised);
        }
        self.try_out(Confinement::Boxed(Arc::clone(sandbox)), attack).await
    }

    /// Makes an attempt under any confinement.
    pub async fn try_out(&self, confinement: Confinement, attack: &Attack) -> Result<Held, ExecError> {
        if !is_here(attack.needs) {
            return Ok(Held::NotHere(attack.needs));
        }
        let before = self.outside();
        let command = Command::shell(Path::new("/bin/bash"), &self.line(attack), &self.folder.join("work"))
            .with_environment(self.environment())
            .with_timeout(Some(PATIENCE))
            .with_confinement(confinement);
        let finished = run(&command, CancellationToken::new(), &|_| {}).await?;
        let Finished { status, output, .. } = finished;
        let said = String::from_utf8_lossy(&output.into_parts().0).into_owned();
        let through = match attack.proof {
            Exit => status == Status::Exited(0),
            Secret => said.contains(SECRET),
            other => self.shows(other, &before),
        };
        Ok(if through { Held::No(said.trim().chars().take(200).collect()) } else { Held::Yes })
    }

    fn shows(&self, proof: Proof, before: &[Seen]) -> bool {
        match proof {
            Exit | Secret => false,
            Outside => self.outside() != before,
            Left(name) => self.folder.join("work").join(name).symlink_metadata().is_ok(),
            Alive => lives(&format!("333.{}", std::process::id())),
        }
    }

    /// What stands outside: names, contents, rights.
    fn outside(&self) -> Vec<Seen> {
        let entries = fs::read_dir(self.folder.join("out")).into_iter().flatten().flatten();
        let mut all: Vec<Seen> = entries
            .map(|entry| {
                let rights =
                    entry.metadata().map(|found| (found.permissions().mode(), found.nlink())).unwrap_or_default();
                (entry.path(), fs::read(entry.path()).unwrap_or_default(), rights)
            })
            .collect();
        all.sort();
        all
    }
}

type Seen = (PathBuf, Vec<u8>, (u32, u64));

fn is_here(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn lives(mark: &str) -> bool {
    let lines = fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path().join("cmdline"));
    lines
        .into_iter()
        .any(|file| fs::read(file).is_ok_and(|line| line.split(|byte| *byte == 0).any(|word| word == mark.as_bytes())))
}
