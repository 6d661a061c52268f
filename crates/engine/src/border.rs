//! The border of the box: which hosts commands may reach from inside, who is asked about others, and who may let a command
//! run outside once. Connections themselves are the business of `net`.

use crate::approve::{Approvals, Aside, Said, rule_for};
use reasonix_agent::{BoxFuture, Journal, Sink};
use reasonix_config::{Covered, Hosts, Settings};
use reasonix_exec::{Confinement, Environment};
use reasonix_net::NetOptions;
use reasonix_net::egress::{Admission, Destination, Doorman, serve};
use reasonix_proto::{CallId, Choice, Decided, Event, Phrase, RecordBody};
use reasonix_tools::Border;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// Variables that lead programs to the way out; each also in lower case.
const PROXIES: &[&str] = &["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
/// What is inside is reached directly.
const INSIDE: &str = "localhost,127.0.0.1,::1";

/// The border of one session's box.
pub(crate) struct Crossing {
    hosts: Hosts,
    /// A person is asked about other hosts.
    asks: bool,
    door: Mutex<Option<TcpListener>>,
    gate: OnceLock<(Weak<Approvals>, Arc<dyn Journal>)>,
    now: Mutex<Now>,
    /// One question at a time: ten connections to one host are one question.
    one: tokio::sync::Mutex<()>,
}

/// What is known about the command that runs.
#[derive(Default)]
struct Now {
    call: Option<CallId>,
    /// Its command line.
    line: Option<String>,
    /// What was answered about a host, for this command.
    answered: HashMap<String, bool>,
    denied: Vec<String>,
    /// Lines that were refused a run outside.
    refused: HashSet<String>,
}

impl fmt::Debug for Crossing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Crossing").field("hosts", &self.hosts).finish_non_exhaustive()
    }
}

impl Crossing {
    /// The border of this box; the way out is open when there is somebody to ask or a host that is allowed.
    pub(crate) fn new(settings: &Settings, root: &Path, confinement: &Confinement, attended: bool) -> Arc<Self> {
        let sandbox = &settings.sandbox;
        let hosts = Hosts::new(&sandbox.allow_hosts, root);
        let asks = sandbox.ask_hosts && attended;
        let ruled = settings.permissions.allow.iter().any(|rule| rule.starts_with("Web"));
        let door = match confinement {
            Confinement::Boxed(sandbox) if asks || ruled || !hosts.is_empty() => sandbox.take_door(),
            _ => None,
        };
        Arc::new(Self {
            hosts,
            asks,
            door: Mutex::new(door),
            gate: OnceLock::new(),
            now: Mutex::default(),
            one: tokio::sync::Mutex::default(),
        })
    }

    /// The environment with the way out in it, where there is one.
    pub(crate) fn shown_to(&self, environment: Environment) -> Environment {
        let door = self.door.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(address) = door.as_ref().and_then(|door| door.local_addr().ok()) else { return environment };
        let proxied = PROXIES.iter().fold(environment, |environment, name| {
            let value = format!("http://{address}");
            environment.with(*name, value.clone()).with(name.to_lowercase(), value)
        });
        proxied.with("NO_PROXY", INSIDE).with("no_proxy", INSIDE)
    }

    /// Opens the way out, now that there is somebody to ask. Dropping what it gives closes it.
    pub(crate) fn open(
        self: &Arc<Self>,
        gate: &Arc<Approvals>,
        journal: Arc<dyn Journal>,
        options: NetOptions,
    ) -> Option<Opened> {
        let _ = self.gate.set((Arc::downgrade(gate), journal));
        let door = self.door.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let doorman: Arc<dyn Doorman> = Arc::clone(self) as Arc<dyn Doorman>;
        let task = tokio::spawn(async move { serve(door, doorman, &options).await });
        Some(Opened(task.abort_handle()))
    }

    fn now(&self) -> std::sync::MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn deny(&self, host: &str, why: &str) -> Admission {
        let told = format!("the sandbox did not let the command reach {host}: {why}");
        let mut now = self.now();
        if !now.denied.contains(&told) {
            now.denied.push(told);
        }
        Admission::Deny { reason: format!("{host}: {why}") }
    }

    /// What is known about a host without asking anybody.
    fn known(&self, to: &Destination, gate: &Approvals) -> Option<Admission> {
        let host = to.subject();
        match gate.about_host(&host) {
            Said::Deny(rule) => return Some(self.deny(&host, &format!("the rule {rule} forbids it"))),
            Said::Allow { named } => return Some(Admission::Allow { named }),
            Said::Nothing => {}
        }
        if let Some(covered) = self.hosts.covers(&to.host, to.port) {
            return Some(Admission::Allow { named: covered == Covered::Named });
        }
        match self.now().answered.get(&host) {
            Some(true) => Some(Admission::Allow { named: true }),
            Some(false) => Some(Admission::Deny { reason: format!("{host}: the user refused it") }),
            None => None,
        }
    }

    async fn decide(&self, to: &Destination) -> Admission {
        let host = to.subject();
        let Some((gate, journal)) = self.gate.get().and_then(|(gate, journal)| Some((gate.upgrade()?, journal))) else {
            return self.deny(&host, "the session is over");
        };
        if let Some(known) = self.known(to, &gate) {
            return known;
        }
        let call = self.now().call.clone();
        let (true, Some(call)) = (self.asks, call) else {
            let hint = format!("nobody is here to allow it; the user can with sandbox.allow_hosts = [\"{host}\"]");
            return self.deny(&host, &hint);
        };
        let _one = self.one.lock().await;
        if let Some(known) = self.known(to, &gate) {
            return known;
        }
        let why = Phrase::new("engine.ask_host").with("host", &host);
        let aside = Aside {
            call: &call,
            tool: "web",
            subject: &host,
            why,
            rule: Some(rule_for(&host)),
            command: self.now().line.clone(),
        };
        let (choice, decided) = gate.ask_aside(aside, "user, about a host").await;
        let allowed = choice != Choice::Deny;
        self.now().answered.insert(host.clone(), allowed);
        let words = decided.words.as_ref().map(|words| format!(" and said: {words}")).unwrap_or_default();
        record(&gate, journal.as_ref(), decided).await;
        if allowed {
            Admission::Allow { named: true }
        } else {
            self.deny(&host, &format!("the user refused it{words}"))
        }
    }

    async fn offer(&self, call: &CallId, line: &str) -> bool {
        let Some((gate, journal)) = self.gate.get().and_then(|(gate, journal)| Some((gate.upgrade()?, journal))) else {
            return false;
        };
        if !gate.is_attended() || self.now().refused.contains(line) {
            return false;
        }
        let why = Phrase::new("engine.ask_outside");
        let aside = Aside { call, tool: "bash", subject: line, why, rule: None, command: None };
        let (choice, decided) = gate.ask_aside(aside, "user, about a run outside the sandbox").await;
        record(&gate, journal.as_ref(), decided).await;
        let allowed = choice == Choice::AllowOnce;
        if !allowed {
            self.now().refused.insert(line.to_owned());
        }
        allowed
    }
}

/// Writes a decision down, as those before a call are.
async fn record(gate: &Approvals, journal: &dyn Journal, decided: Decided) {
    if let Ok(record) = journal.append(RecordBody::Decided(decided)).await {
        gate.emit(Event::Answered { record: Box::new(record) });
    }
}

impl Doorman for Crossing {
    fn admit<'a>(&'a self, to: &'a Destination) -> BoxFuture<'a, Admission> {
        Box::pin(self.decide(to))
    }

    fn failed(&self, to: &Destination, reason: &str) {
        let told = format!("{} was allowed and could not be reached from outside the sandbox: {reason}", to.subject());
        self.now().denied.push(told);
    }
}

impl Border for Crossing {
    fn begins(&self, call: &CallId, line: &str) {
        let mut now = self.now();
        now.call = Some(call.clone());
        now.line = Some(line.to_owned());
        now.answered.clear();
        now.denied.clear();
    }

    fn denied(&self) -> Vec<String> {
        std::mem::take(&mut self.now().denied)
    }

    fn outside<'a>(&'a self, call: &'a CallId, line: &'a str) -> BoxFuture<'a, bool> {
        Box::pin(self.offer(call, line))
    }
}

/// The way out while it is open.
pub(crate) struct Opened(tokio::task::AbortHandle);

impl Drop for Opened {
    fn drop(&mut self) {
        self.0.abort();
    }
}
