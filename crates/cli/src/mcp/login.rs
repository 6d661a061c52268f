//! `reasonix mcp login`: shows where to say yes, and waits for the answer.

use super::{listing, named, reached, told};
use crate::context::Context;
use crate::exit::Exit;
use crate::say;
use reasonix_agent::BoxFuture;
use reasonix_mcp::{LoginError, LoginPerson, McpError, log_in, log_out};
use reasonix_proto::{Level, Phrase};
use serde_json::json;
use std::process::{Command, Stdio};
use tokio::sync::{Mutex, mpsc};

/// The person at the terminal.
struct Terminal {
    browser: bool,
    lines: Mutex<mpsc::UnboundedReceiver<String>>,
}

/// What is typed, line by line. The thread that reads ends with the process: nothing else ends a read of a terminal.
fn typed() -> mpsc::UnboundedReceiver<String> {
    let (send, lines) = mpsc::unbounded_channel();
    let read = move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                return;
            }
        }
    };
    // Without it only the browser can answer.
    let _ = std::thread::Builder::new().name("typed".to_owned()).spawn(read);
    lines
}

impl LoginPerson for Terminal {
    fn show(&self, url: &str, host: &str) {
        say::notice(Level::Info, &Phrase::new("mcp.login_open").with("host", host).with("url", url));
        if self.browser {
            open(url);
        }
    }

    fn typed(&self) -> BoxFuture<'_, String> {
        Box::pin(async {
            match self.lines.lock().await.recv().await {
                Some(line) => line,
                None => std::future::pending().await,
            }
        })
    }
}

/// Hands an address to the browser: as one argument, past every shell. Where there is none, the address stands on the screen.
fn open(url: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(program);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = command.spawn();
}

pub(super) async fn login(context: &Context, name: &str, browser: bool, json: bool) -> anyhow::Result<Exit> {
    let server = named(context, name)?;
    let spec = reached(&server)?;
    // What it answers without a login says how one is made.
    let met = listing(context, spec.clone()).await;
    let challenge = match &met {
        Err(McpError::Login { challenge, .. }) => Some(challenge.clone()),
        _ => None,
    };
    let person = Terminal { browser, lines: Mutex::new(typed()) };
    let logged = tokio::select! {
        logged = log_in(&spec, challenge.as_deref(), &person) => logged,
        _ = tokio::signal::ctrl_c() => return Ok(Exit::Interrupted),
    };
    logged.map_err(|error| match met {
        // Nobody is there who could say where a login leads.
        Err(gone @ (McpError::Down { .. } | McpError::Late { .. })) if !matches!(error, LoginError::NoAddress) => {
            say::failed(gone.phrase())
        }
        _ => say::failed(error.phrase(name)),
    })?;
    told(&Phrase::new("mcp.logged_in").with("server", name), json, &json!({"logged_in": name}))
}

/// Takes away what a login gave. What the server itself remembers of it is the server's.
pub(super) fn logout(context: &Context, name: &str, json: bool) -> anyhow::Result<Exit> {
    let spec = reached(&named(context, name)?)?;
    let had = log_out(&spec)
        .map_err(|error| say::failed(Phrase::new("mcp.login_failed").with("server", name).with("reason", error)))?;
    let code = if had { "mcp.logged_out" } else { "mcp.logged_out_already" };
    told(&Phrase::new(code).with("server", name), json, &json!({"logged_out": name, "had": had}))
}
