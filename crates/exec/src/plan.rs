//! A command made ready: everything that must not be allocated or looked up once its process exists.

use crate::control_group::Group;
use crate::sandbox::Confined;
use crate::{Bounds, Command, Confinement};
use rustix::fs::{Mode, OFlags};
use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Where programs are looked for when the environment does not say.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// What is executed.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) program: CString,
    pub(crate) args: Vec<CString>,
    pub(crate) env: Vec<CString>,
    pub(crate) cwd: CString,
    pub(crate) bounds: Bounds,
    pub(crate) confined: Option<Confined>,
    /// The control group it runs in, where one was delegated to us.
    pub(crate) group: Option<Group>,
}

/// How long it is meant to live.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    /// To the end of what it was asked.
    Short,
    /// As long as somebody wants it: what it sees must stay true meanwhile, and looking after it must cost little.
    Lasting,
}

/// What it is connected to.
#[derive(Debug)]
pub(crate) struct Ends {
    pub(crate) stdin: OwnedFd,
    pub(crate) output: OwnedFd,
    /// Where its stderr goes; none for where its output goes.
    pub(crate) errors: Option<OwnedFd>,
    /// Let go by everybody once the command was executed, or could not be: its other end reads the end of a file then.
    #[cfg_attr(target_os = "linux", allow(dead_code, reason = "it is held, and let go with the rest"))]
    pub(crate) begun: Option<OwnedFd>,
    /// Our own process; readable when it has ended.
    #[cfg(target_os = "linux")]
    pub(crate) lifeline: OwnedFd,
    /// Through which the command says where the kernel asks about its connections.
    #[cfg(target_os = "linux")]
    pub(crate) letterbox: Option<OwnedFd>,
}

impl Plan {
    /// `since` are protected places where something has come while other commands run.
    pub(crate) fn of(command: &Command, life: Life, since: &[PathBuf]) -> io::Result<Self> {
        let (environment, confined) = match &command.confinement {
            Confinement::Boxed(sandbox) => {
                let behind = command.behind.load(Ordering::Relaxed);
                (sandbox.adapt(&command.environment), Some(sandbox.confine(&command.bounds, behind, since)?))
            }
            Confinement::Held(sandbox) => {
                let confined = sandbox.hold(&command.bounds, life)?;
                (sandbox.adapt_held(&command.environment, &confined), Some(confined))
            }
            Confinement::None | Confinement::Refused { .. } => (command.environment.clone(), None),
        };
        let path = environment.vars().find(|(name, _)| *name == "PATH").map(|(_, value)| value);
        let program = find(&command.program, path.unwrap_or(OsStr::new(USUAL_PATH)))?;
        let mut args = vec![text(&command.program)?];
        for arg in &command.args {
            args.push(text(arg)?);
        }
        let mut env = Vec::new();
        for (name, value) in environment.vars().filter(|(name, _)| *name != "PWD") {
            env.push(text(&variable(name, value))?);
        }
        env.push(text(&variable(OsStr::new("PWD"), command.cwd.as_os_str()))?);
        let (program, cwd) = (text(program.as_os_str())?, text(command.cwd.as_os_str())?);
        let group = Group::of(&command.bounds);
        Ok(Self { program, args, env, cwd, bounds: command.bounds, confined, group })
    }
}

impl Ends {
    /// One that reads this or nothing, and writes everything to one place.
    pub(crate) fn new(output: OwnedFd, stdin: Option<&[u8]>) -> io::Result<Self> {
        let stdin = match stdin {
            Some(text) => readable(text)?,
            None => rustix::fs::open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?,
        };
        Self::of(stdin, output, None, None)
    }

    /// One with three pipes, and a fourth that is let go when it has begun.
    pub(crate) fn piped(stdin: OwnedFd, output: OwnedFd, errors: OwnedFd, begun: OwnedFd) -> io::Result<Self> {
        Self::of(stdin, output, Some(errors), Some(begun))
    }

    fn of(stdin: OwnedFd, output: OwnedFd, errors: Option<OwnedFd>, begun: Option<OwnedFd>) -> io::Result<Self> {
        Ok(Self {
            stdin,
            output,
            errors,
            begun,
            #[cfg(target_os = "linux")]
            lifeline: rustix::process::pidfd_open(rustix::process::getpid(), rustix::process::PidfdFlags::empty())?,
            #[cfg(target_os = "linux")]
            letterbox: None,
        })
    }
}

/// A file that nobody else has, with this in it.
#[cfg(target_os = "linux")]
fn readable(text: &[u8]) -> io::Result<OwnedFd> {
    use std::io::{Seek, Write};
    let fd = rustix::fs::memfd_create("reasonix-line", rustix::fs::MemfdFlags::CLOEXEC)?;
    let mut file = std::fs::File::from(fd);
    file.write_all(text)?;
    file.rewind()?;
    Ok(file.into())
}

#[cfg(not(target_os = "linux"))]
fn readable(_: &[u8]) -> io::Result<OwnedFd> {
    Err(io::ErrorKind::ArgumentListTooLong.into())
}

fn variable(name: &OsStr, value: &OsStr) -> OsString {
    OsString::from_vec([name.as_bytes(), b"=", value.as_bytes()].concat())
}

fn text(text: &OsStr) -> io::Result<CString> {
    CString::new(text.as_bytes()).map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "it contains a NUL byte"))
}

/// The file of a program: itself when it is a path, or the first executable of that name in `path`.
fn find(program: &OsStr, path: &OsStr) -> io::Result<PathBuf> {
    if program.as_bytes().contains(&b'/') {
        return Ok(PathBuf::from(program));
    }
    let runs = |file: &Path| file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0);
    let mut files = std::env::split_paths(path).map(|folder| folder.join(program));
    files.find(|file| runs(file)).ok_or_else(|| io::ErrorKind::NotFound.into())
}
