//! Where there is no subreaper: the command leads a session and group of its own, and the group is what is ended.
//! A process that leaves the group escapes; the Linux guard is the one that lets none go.
#![allow(unsafe_code)]

use crate::plan::{Ends, Plan};
use crate::tree::Tree;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// How long a command has to end after it was asked.
pub(crate) const AT_MOST: Duration = Duration::from_millis(300);

/// Starts a command. The receiver hears when it has ended.
pub(crate) fn start(plan: Plan, ends: Ends) -> io::Result<(Arc<Tree>, oneshot::Receiver<io::Result<()>>)> {
    let tree = Arc::new(Tree::default());
    let (ended, heard) = oneshot::channel();
    let shared = Arc::clone(&tree);
    let keep = move || {
        let result = keep_command(&plan, ends, &shared);
        shared.over();
        let _ = ended.send(result);
    };
    std::thread::Builder::new().name("command".into()).spawn(keep)?;
    Ok((tree, heard))
}

fn keep_command(plan: &Plan, ends: Ends, tree: &Tree) -> io::Result<()> {
    let words = |texts: &'_ [std::ffi::CString]| -> Vec<Vec<u8>> {
        texts.iter().map(|text| text.to_bytes().to_owned()).collect()
    };
    let mut command = Command::new(OsStr::from_bytes(plan.program.to_bytes()));
    command.current_dir(OsStr::from_bytes(plan.cwd.to_bytes())).env_clear();
    for arg in words(&plan.args).iter().skip(1) {
        command.arg(OsStr::from_bytes(arg));
    }
    for variable in words(&plan.env) {
        let split = variable.iter().position(|byte| *byte == b'=').unwrap_or(variable.len());
        let (name, value) = variable.split_at(split);
        command.env(OsStr::from_bytes(name), OsStr::from_bytes(value.get(1..).unwrap_or_default()));
    }
    let errors = ends.errors.map_or_else(|| ends.output.try_clone(), Ok)?;
    command.stdin(ends.stdin).stdout(Stdio::from(ends.output)).stderr(errors);
    // SAFETY: one system call, between fork and exec.
    unsafe { command.pre_exec(|| if libc::setsid() == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }) };
    let mut child = command.spawn().inspect_err(|error| {
        tree.facts.has_failed(error.raw_os_error().unwrap_or(libc::EAGAIN));
    })?;
    drop((command, ends.begun));
    let id = i32::try_from(child.id()).map_err(io::Error::other)?;
    tree.started(id);
    tree.facts.is_command(id);
    let status = child.wait()?;
    tree.facts.has_ended(status.into_raw(), false);
    Ok(())
}
