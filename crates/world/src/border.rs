//! The border of the box: which hosts commands may reach from inside, who is asked about others, and who may let a command
//! run outside once. Connections themselves are the business of `net`.

use crate::confine::set_aside;
use reasonix_agent::{BoxFuture, Journal};
use reasonix_config::{Covered, Hosts, Settings};
use reasonix_exec::{Confinement, Environment, Exposed, Ports, Quarantined};
use reasonix_gate::{Approvals, Aside, AsideWord, rule_for};
use reasonix_net::NetOptions;
use reasonix_net::egress::{Admission, Destination, Doorman, serve};
use reasonix_proto::{CallId, Choice, Decided, DecidedBy, Event, Level, Phrase, RecordBody};
use reasonix_tools::{Border, Told};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// Variables that lead programs to the way out; each also in lower case.
const PROXIES: &[&str] = &["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
/// What is inside is reached directly.
const INSIDE: &str = "localhost,127.0.0.1,::1";

/// More folders that could not be looked through are not named in one session.
const MOST_UNSEEN: usize = 200;
/// What the machine's own loopback is called.
const LOOPBACK: &[&str] = &["localhost", "127.0.0.1", "::1"];
/// More of what one command was refused is not told.
const MOST_TOLD: usize = 20;

/// How commands are run.
#[derive(Clone, Default)]
pub struct BoxedShell {
    /// The box.
    pub confinement: Confinement,
    /// Its border; none where connections are not looked at.
    pub crossing: Option<Arc<Crossing>>,
}

/// The border of one session's box.
pub struct Crossing {
    me: Weak<Self>,
    hosts: Hosts,
    /// Ports of the machine's loopback that commands may reach.
    loopback: Vec<u16>,
    /// Some port may be allowed; otherwise no command pays for the kernel's questions.
    reaches: bool,
    /// A person is asked about other hosts and ports.
    asks: bool,
    door: Mutex<Option<TcpListener>>,
    gate: OnceLock<(Weak<Approvals>, Arc<dyn Journal>)>,
    now: Mutex<Now>,
    /// Folders of which it was said that they could not be looked through.
    unseen: Mutex<HashSet<PathBuf>>,
    /// How many jobs run, whose connections cannot be told from those of the command.
    jobs: AtomicU32,
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
    denied: Vec<Told>,
    /// Lines that were refused a run outside.
    refused: HashSet<String>,
}

impl fmt::Debug for Crossing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Crossing").field("hosts", &self.hosts).finish_non_exhaustive()
    }
}

/// True for a rule about hosts; the case of its name does not count, as in every rule.
fn speaks_of_web(rule: &str) -> bool {
    rule.trim_start().get(..3).is_some_and(|name| name.eq_ignore_ascii_case("web"))
}

impl Crossing {
    /// The border of this box; the way out is open when there is somebody to ask or a host that is allowed.
    pub fn new(settings: &Settings, root: &Path, confinement: &Confinement, attended: bool) -> Arc<Self> {
        let sandbox = &settings.sandbox;
        let hosts = Hosts::new(&sandbox.allow_hosts, root);
        let asks = sandbox.ask_hosts && attended;
        let ruled = settings.permissions.allow.iter().any(|rule| speaks_of_web(rule));
        let door = match confinement {
            Confinement::Boxed(sandbox) if asks || ruled || !hosts.is_empty() => sandbox.take_door(),
            _ => None,
        };
        let named = !hosts.is_empty();
        Arc::new_cyclic(|me| Self {
            me: Weak::clone(me),
            hosts,
            reaches: asks || ruled || named || !sandbox.loopback.is_empty(),
            loopback: sandbox.loopback.clone(),
            asks,
            door: Mutex::new(door),
            gate: OnceLock::new(),
            now: Mutex::default(),
            unseen: Mutex::default(),
            jobs: AtomicU32::new(0),
            one: tokio::sync::Mutex::default(),
        })
    }

    /// The environment with the way out in it, where there is one.
    pub fn shown_to(&self, environment: Environment) -> Environment {
        let door = self.door.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(address) = door.as_ref().and_then(|door| door.local_addr().ok()) else { return environment };
        let proxied = PROXIES.iter().fold(environment, |environment, name| {
            let value = format!("http://{address}");
            environment.with(*name, value.clone()).with(name.to_lowercase(), value)
        });
        proxied.with("NO_PROXY", INSIDE).with("no_proxy", INSIDE)
    }

    /// Opens the way out, now that there is somebody to ask. Dropping what it gives closes it.
    pub fn open(
        self: &Arc<Self>,
        gate: &Arc<Approvals>,
        journal: Arc<dyn Journal>,
        options: NetOptions,
    ) -> Option<OpenBorder> {
        let _ = self.gate.set((Arc::downgrade(gate), journal));
        let door = self.door.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let doorman: Arc<dyn Doorman> = Arc::clone(self) as Arc<dyn Doorman>;
        let task = tokio::spawn(async move { serve(door, doorman, &options).await });
        Some(OpenBorder(task.abort_handle()))
    }

    fn now(&self) -> std::sync::MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn deny(&self, host: &str, why: &Why) -> Admission {
        let reason = why.for_the_model();
        let told = format!("the sandbox did not let the command reach {host}: {reason}");
        self.tell(Told::new(&told, why.for_people(host)));
        Admission::Deny { reason: format!("{host}: {reason}") }
    }

    fn tell(&self, told: Told) {
        let mut now = self.now();
        if now.denied.len() < MOST_TOLD && !now.denied.contains(&told) {
            now.denied.push(told);
        }
    }

    /// Whether the command of a call may not go on behind it: it runs because undo takes back what it does.
    pub fn must_end(&self, call: &CallId) -> bool {
        self.gate.get().and_then(|(gate, _)| gate.upgrade()).is_some_and(|gate| gate.is_by_word(call))
    }

    /// What is known about a host without asking anybody.
    fn known(&self, to: &Destination, gate: &Approvals) -> Option<Admission> {
        let host = to.subject();
        match gate.about_host(&host) {
            AsideWord::Deny(rule) => return Some(self.deny(&host, &Why::Rule(rule))),
            AsideWord::Allow { named } => return Some(Admission::Allow { named }),
            AsideWord::Nothing => {}
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
            return self.deny(&host, &Why::Over);
        };
        if let Some(known) = self.known(to, &gate) {
            return known;
        }
        let call = self.now().call.clone();
        let (true, Some(call)) = (self.asks, call) else {
            return self.deny(&host, &Why::Unasked(format!("sandbox.allow_hosts = [\"{host}\"]")));
        };
        let _one = self.one.lock().await;
        if let Some(known) = self.known(to, &gate) {
            return known;
        }
        let why = Phrase::new("engine.ask_host").with("host", &host);
        match self.ask(&gate, journal.as_ref(), &call, &host, why).await {
            Ok(()) => Admission::Allow { named: true },
            Err(why) => self.deny(&host, &why),
        }
    }

    /// Asks a person about a host or a port, which holds for this command.
    async fn ask(
        &self,
        gate: &Approvals,
        journal: &dyn Journal,
        call: &CallId,
        host: &str,
        why: Phrase,
    ) -> Result<(), Why> {
        // Where jobs run, nobody knows who wants to get there: a wrong name would be worse than none.
        let alone = self.jobs.load(Ordering::Relaxed) == 0;
        let (rule, command) = (Some(rule_for(host)), self.now().line.clone().filter(|_| alone));
        let aside = Aside { call, tool: "web", subject: host, why, rule, command };
        let (choice, decided) = gate.ask_aside(aside, DecidedBy::UserOfHost).await;
        let allowed = choice != Choice::Deny;
        self.now().answered.insert(host.to_owned(), allowed);
        let words = decided.words.clone();
        record(gate, journal, decided).await;
        if allowed { Ok(()) } else { Err(Why::User(words)) }
    }

    /// So many jobs run now.
    pub fn note_jobs(&self, running: u32) {
        self.jobs.store(running, Ordering::Relaxed);
    }

    /// What is known about a port of the machine's loopback without asking anybody.
    fn known_port(&self, port: u16, gate: &Approvals) -> Option<bool> {
        self.settled_port(port, gate).or_else(|| self.now().answered.get(&local(port)).copied())
    }

    /// What settings and rules say about it.
    fn settled_port(&self, port: u16, gate: &Approvals) -> Option<bool> {
        let mut allowed = self.loopback.contains(&port);
        for to in LOOPBACK.iter().filter_map(|host| Destination::new(host, port)) {
            match gate.about_host(&to.subject()) {
                AsideWord::Deny(rule) => {
                    self.deny(&local(port), &Why::Rule(rule));
                    return Some(false);
                }
                // What allows everything was not said with this machine in mind.
                AsideWord::Allow { named } => allowed |= named,
                AsideWord::Nothing => {}
            }
            allowed |= self.hosts.covers(&to.host, to.port) == Some(Covered::Named);
        }
        allowed.then_some(true)
    }

    async fn decide_port(&self, port: u16) -> bool {
        let host = local(port);
        let Some((gate, journal)) = self.gate.get().and_then(|(gate, journal)| Some((gate.upgrade()?, journal))) else {
            return false;
        };
        if let Some(known) = self.known_port(port, &gate) {
            return known;
        }
        let call = self.now().call.clone();
        let (true, Some(call)) = (self.asks, call) else {
            self.deny(&host, &Why::Unasked(format!("sandbox.loopback = [{port}]")));
            return false;
        };
        let _one = self.one.lock().await;
        if let Some(known) = self.known_port(port, &gate) {
            return known;
        }
        let why = Phrase::new("engine.ask_port").with("port", port);
        match self.ask(&gate, journal.as_ref(), &call, &host, why).await {
            Ok(()) => true,
            Err(why) => {
                self.deny(&host, &why);
                false
            }
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
        let aside = Aside { call, tool: reasonix_proto::tools::BASH, subject: line, why, rule: None, command: None };
        let (choice, decided) = gate.ask_aside(aside, DecidedBy::UserOfOutside).await;
        record(&gate, journal.as_ref(), decided).await;
        let allowed = choice == Choice::AllowOnce;
        if !allowed {
            self.now().refused.insert(line.to_owned());
        }
        allowed
    }
}

/// A port of the machine as rules and questions name it.
fn local(port: u16) -> String {
    Destination::new("localhost", port).map_or_else(|| format!("localhost:{port}"), |to| to.subject())
}

/// Why something was not reached.
enum Why {
    Rule(String),
    /// Nobody was there to ask; this setting would allow it.
    Unasked(String),
    /// A person refused it, with these words for the model.
    User(Option<String>),
    Over,
}

impl Why {
    fn for_the_model(&self) -> String {
        match self {
            Self::Rule(rule) => format!("the rule {rule} forbids it"),
            Self::Unasked(setting) => format!("nobody is here to allow it; the user can with {setting}"),
            Self::User(None) => "the user refused it".to_owned(),
            Self::User(Some(words)) => format!("the user refused it and said: {words}"),
            Self::Over => "the session is over".to_owned(),
        }
    }

    fn for_people(&self, host: &str) -> Phrase {
        match self {
            Self::Rule(rule) => Phrase::new("engine.refused_by_rule").with("host", host).with("rule", rule),
            Self::Unasked(setting) => Phrase::new("engine.refused_unasked").with("host", host).with("setting", setting),
            Self::User(_) => Phrase::new("engine.host_refused").with("host", host),
            Self::Over => Phrase::new("engine.refused_over").with("host", host),
        }
    }
}

impl Ports for Crossing {
    fn admit(&self, port: u16) -> BoxFuture<'_, bool> {
        Box::pin(self.decide_port(port))
    }
}

/// The ports that jobs may reach: those that settings and rules name. What a person allows one command would stay open to
/// others for as long as the job runs.
#[derive(Debug)]
struct SettledPorts(Weak<Crossing>);

impl Ports for SettledPorts {
    fn admit(&self, port: u16) -> BoxFuture<'_, bool> {
        let admitted = self.0.upgrade().is_some_and(|crossing| {
            let gate = crossing.gate.get().and_then(|(gate, _)| gate.upgrade());
            gate.is_some_and(|gate| crossing.settled_port(port, &gate) == Some(true))
        });
        Box::pin(std::future::ready(admitted))
    }
}

/// Writes a decision down, as those before a call are.
async fn record(gate: &Approvals, journal: &dyn Journal, decided: Decided) {
    if let Ok(record) = journal.append(RecordBody::Decided(decided)).await {
        gate.tell(Event::Answered { record: Box::new(record) });
    }
}

impl Doorman for Crossing {
    fn admit<'a>(&'a self, to: &'a Destination) -> BoxFuture<'a, Admission> {
        Box::pin(self.decide(to))
    }

    fn failed(&self, to: &Destination, reason: &str) {
        let host = to.subject();
        let told = format!("{host} was allowed and could not be reached from outside the sandbox: {reason}");
        self.tell(Told::new(&told, Phrase::new("engine.not_reached").with("host", host).with("reason", reason)));
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

    fn denied(&self) -> Vec<Told> {
        std::mem::take(&mut self.now().denied)
    }

    fn left(&self, moved: &[Quarantined], unseen: &[PathBuf]) {
        let Some(gate) = self.gate.get().and_then(|(gate, _)| gate.upgrade()) else { return };
        let warn = |phrase| gate.tell(Event::Notice { level: Level::Warning, phrase });
        for left in moved {
            warn(set_aside(left));
        }
        let mut told = self.unseen.lock().unwrap_or_else(PoisonError::into_inner);
        let new: Vec<String> = unseen
            .iter()
            .filter(|folder| told.len() < MOST_UNSEEN && told.insert((*folder).clone()))
            .map(|folder| folder.display().to_string())
            .collect();
        if !new.is_empty() {
            warn(Phrase::new("engine.not_all_repositories").with("paths", new.join(", ")));
        }
    }

    fn exposed(&self, exposed: &Exposed) {
        let Some(gate) = self.gate.get().and_then(|(gate, _)| gate.upgrade()) else { return };
        let code = match exposed {
            Exposed::Hidden(_) => "engine.exposed_hidden",
            Exposed::Fixed(_) => "engine.exposed_fixed",
            Exposed::Come(_) => "engine.exposed_new",
        };
        let phrase = Phrase::new(code).with("path", exposed.path().display());
        gate.tell(Event::Notice { level: Level::Warning, phrase });
    }

    fn ports(&self) -> Option<Arc<dyn Ports>> {
        self.me.upgrade().filter(|_| self.reaches).map(|me| me as Arc<dyn Ports>)
    }

    fn ports_of_jobs(&self) -> Option<Arc<dyn Ports>> {
        self.reaches.then(|| Arc::new(SettledPorts(Weak::clone(&self.me))) as Arc<dyn Ports>)
    }

    fn outside<'a>(&'a self, call: &'a CallId, line: &'a str) -> BoxFuture<'a, bool> {
        Box::pin(self.offer(call, line))
    }
}

/// The way out while it is open.
pub struct OpenBorder(tokio::task::AbortHandle);

impl Drop for OpenBorder {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::speaks_of_web;

    #[test]
    fn the_case_of_a_rule_for_hosts_does_not_count() {
        for rule in ["Web(a.b)", "web(a.b)", "WEB(*)", " Web"] {
            assert!(speaks_of_web(rule), "{rule}");
        }
        for rule in ["Bash(web)", "We", ""] {
            assert!(!speaks_of_web(rule), "{rule}");
        }
    }
}
