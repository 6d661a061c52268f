//! Attempts to get out of the box, as data, and the ground to make them on. Shared by the tests and by `doctor --attack`.
//! Everything happens below one folder that the caller gives and takes away again.

use crate::{
    BoxOptions, Caches, Command, Confinement, EndStatus, Environment, ExecError, Finished, Masked, Sandbox,
    SandboxLevel, run,
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

#[cfg(all(test, target_os = "linux"))]
mod red;

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
    /// It is tried as a command that was taken for a reader.
    pub reader: bool,
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
    /// Something in the workspace is different.
    Inside,
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
    Attack { id, name, line, proof, level, needs, reader: false }
}

/// The same by a command that was taken for a reader and is none.
const fn reader(name: &'static str, line: &'static str, proof: Proof, needs: &'static str) -> Attack {
    Attack { id: "C14", name, line, proof, level: Partial, needs, reader: true }
}

use Proof::{Alive, Exit, Inside, Left, Outside, Secret};
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
    attack("C4", "io_uring", "python3 -c 'import ctypes,sys; sys.exit(ctypes.CDLL(None).syscall(425, 1, ctypes.create_string_buffer(120)) < 0)'", Exit, Partial, "python3"),
    attack("C4", "descriptors", "test $(ls /proc/self/fd | wc -l) -gt 4", Exit, Partial, "bash"),
    attack("C5", "new_privileges", "grep -q 'NoNewPrivs:.*0' /proc/self/status", Exit, Partial, "bash"),
    attack("C5", "capabilities", "grep -qE 'Cap(Eff|Prm|Bnd):.*[1-9a-f]' /proc/self/status", Exit, Full, "bash"),
    attack("C5", "user_namespace", "unshare -U true", Exit, Partial, "unshare"),
    attack("C5", "mount", "mount -t tmpfs none .", Exit, Partial, "mount"),
    attack("C5", "our_memory", "head -c 1 /proc/{pid}/environ | grep -q . || head -c 1 /proc/{pid}/mem | grep -q .", Exit, Partial, "bash"),
    attack("C5", "our_process", "kill -0 {pid} && grep -q reasonix /proc/{pid}/cmdline", Exit, Full, "bash"),
    attack("C5", "terminal", "python3 -c 'import os,sys,fcntl,termios as t; p,c=os.openpty(); f=os.fork(); f or (os.setsid(), fcntl.ioctl(c, t.TIOCSCTTY, 0), fcntl.ioctl(c, t.TIOCSTI, b\"x\"), os._exit(0)); sys.exit(os.waitpid(f, 0)[1] != 0)'", Exit, Partial, "python3"),
    attack("C6", "endless_file", "test \"$(ulimit -f)\" = unlimited", Exit, Partial, "bash"),
    attack("C6", "daemon", "(setsid setsid sleep 333.{mark} >/dev/null 2>&1 &); true", Alive, Full, "setsid"),
    attack("C2", "worktree_settings", "printf '[core]\\n\\tfsmonitor = x\\n' > .git/config.worktree", Left(".git/config.worktree"), Partial, "bash"),
    attack("C2", "module_settings", "mkdir -p .git/modules/m; echo ref > .git/modules/m/HEAD; printf '[core]\\n\\tfsmonitor = x\\n' > .git/modules/m/config", Left(".git/modules/m/config"), Partial, "bash"),
    attack("C2", "rebase", "mkdir .git/rebase-merge; echo 'exec x' > .git/rebase-merge/git-rebase-todo", Left(".git/rebase-merge/git-rebase-todo"), Partial, "bash"),
    attack("C3", "git_credentials", "cat ~/.config/git/credentials {home}/.config/git/credentials", Secret, Partial, "bash"),
    attack("C3", "shell_history", "cat ~/.bash_history {home}/.bash_history", Secret, Partial, "bash"),
    attack("C3", "our_command_line", "grep -q . /proc/1/cmdline", Exit, Full, "grep"),
    attack("C5", "setuid", "cp /bin/true t; chmod u+s t", Exit, Partial, "bash"),
    attack("C15", "fixed", "echo x > docs/a || rm docs/a || { mv docs d2 && mkdir docs && echo x > docs/a; }", Exit, Full, "bash"),
    reader("reader_write", "touch new; echo x > f; echo x >> sub/g", Inside, "bash"),
    reader("reader_remove", "rm -rf sub; rm f; mv f h", Inside, "bash"),
    reader("reader_rights", "chmod 777 f; touch -d 2001-01-01 f; chmod 700 sub", Inside, "bash"),
    reader("reader_make", "ln f h; ln -s f l; mkfifo p; mkdir d", Inside, "bash"),
    reader("reader_substitution", "echo 2>/dev/null $(rm -rf sub)", Inside, "bash"),
    reader("reader_subscript", "a='x[$(touch new)]'; echo ${!a}", Inside, "bash"),
    reader("reader_temporary", "for t in /tmp /var/tmp; do echo x > $t/poison.{mark} && rm $t/poison.{mark} && exit; done; exit 1", Exit, "bash"),
    reader("reader_home", "echo x > ~/poison.{mark}", Exit, "bash"),
    reader("reader_memory", "echo x > /dev/shm/poison.{mark} && rm /dev/shm/poison.{mark}", Exit, "bash"),
    reader("reader_socket", "python3 -c 'import socket; socket.socket(socket.AF_UNIX)'", Exit, "python3"),
    reader("reader_internet", "exec 3<>/dev/tcp/127.0.0.1/{port} || python3 -c 'import socket; socket.socket(socket.AF_INET)'", Exit, "python3"),
    reader("reader_netlink", "python3 -c 'import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)'", Exit, "python3"),
    reader("reader_shared_memory", "python3 -c 'import ctypes,sys; sys.exit(ctypes.CDLL(None).shmget(0, 4096, 0o1600) < 0)'", Exit, "python3"),
    reader("reader_outside", "cat {out}/file", Exit, "bash"),
    reader("reader_link_out", "cat leads || cat lead*", Exit, "bash"),
    reader("reader_system", "cat /etc/hosts || cat /etc/resolv.conf", Exit, "bash"),
    reader("reader_signal", "kill -0 {pid}", Exit, "bash"),
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
        for name in
            ["work/.git/hooks", "work/docs", "work/sub", "home/.ssh", "home/.config/git", "out", "closed", "state"]
        {
            fs::create_dir_all(folder.join(name))?;
        }
        for (name, text) in [
            ("work/.git/config", "[core]\n"),
            ("work/.git/HEAD", "ref: refs/heads/main\n"),
            ("work/docs/a", "mine"),
            ("work/f", "mine"),
            ("work/sub/g", "mine"),
            ("home/.ssh/id", SECRET),
            ("home/.config/git/credentials", SECRET),
            ("home/.bash_history", SECRET),
            ("closed/key", SECRET),
            ("out/file", "mine"),
        ] {
            fs::write(folder.join(name), text)?;
        }
        std::os::unix::fs::symlink(folder.join("out/file"), folder.join("work/leads"))?;
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
        let docs = self.folder.join("work/docs");
        let fixed = Masked(Arc::new(move || vec![docs.clone()]));
        let options = BoxOptions {
            writable: vec![self.folder.join("work")],
            opened: Vec::new(),
            readable: vec![],
            closed: vec![self.folder.join("closed")],
            shown: Vec::new(),
            masked: None,
            linked: None,
            fixed: Some(fixed),
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
        let boxed = Confinement::Boxed(Arc::clone(sandbox));
        if !attack.reader {
            return self.try_out(boxed, attack).await;
        }
        match boxed.held() {
            Some(held) => self.try_out(held, attack).await,
            None => Ok(Held::NotPromised),
        }
    }

    /// Makes an attempt under any confinement.
    pub async fn try_out(&self, confinement: Confinement, attack: &Attack) -> Result<Held, ExecError> {
        if !is_here(attack.needs) {
            return Ok(Held::NotHere(attack.needs));
        }
        let before = self.seen(attack.proof);
        let command = Command::shell(Path::new("/bin/bash"), &self.line(attack), &self.folder.join("work"))
            .with_environment(self.environment())
            .with_timeout(Some(PATIENCE))
            .with_confinement(confinement);
        let finished = run(&command, CancellationToken::new(), &|_| {}).await?;
        let Finished { status, output, .. } = finished;
        let said = String::from_utf8_lossy(&output.into_parts().0).into_owned();
        let through = match attack.proof {
            Exit => status == EndStatus::Exited(0),
            Secret => said.contains(SECRET),
            other => self.shows(other, &before),
        };
        Ok(if through { Held::No(said.trim().chars().take(200).collect()) } else { Held::Yes })
    }

    fn shows(&self, proof: Proof, before: &[Seen]) -> bool {
        match proof {
            Exit | Secret => false,
            Outside | Inside => self.seen(proof) != before,
            Left(name) => self.folder.join("work").join(name).symlink_metadata().is_ok(),
            Alive => lives(&format!("333.{}", std::process::id())),
        }
    }

    /// What stands where the proof would be: names, contents, rights, times.
    fn seen(&self, proof: Proof) -> Vec<Seen> {
        let mut folders = vec![self.folder.join(if proof == Inside { "work" } else { "out" })];
        let mut all: Vec<Seen> = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let Ok(found) = path.symlink_metadata() else { continue };
                let content = if found.is_file() { fs::read(&path).unwrap_or_default() } else { Vec::new() };
                all.push((path.clone(), content, (found.permissions().mode(), found.nlink(), found.mtime())));
                folders.extend(found.is_dir().then_some(path));
            }
        }
        all.sort();
        all
    }
}

type Seen = (PathBuf, Vec<u8>, (u32, u64, i64));

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
