//! The hooks of a session: commands that are run at its moments. They can only tighten: what one allows is judged all the same, and
//! what one changes is judged anew. A project's run only while the user trusts them, exactly as they are.

mod aspect;
mod list;
mod listen;
mod moments;
mod run;

pub(crate) use aspect::{AroundAll, AroundCalls, AroundChild};
pub(crate) use list::hooks_of;

use crate::outbox::Outbox;
use crate::spec::{Start, Which};
use crate::state::Book;
use crate::ticket::Told;
use crate::trust::Word;
use list::{Listed, digest, find, find_anew};
use moments::{Kept, Turn};
use reasonix_agent::{Journal, Sink, Stop};
use reasonix_config::Standing;
use reasonix_exec::Confinement;
use reasonix_extensions::hooks::{
    HookAbout, HookDecision, HookEvent, HookExit, HookMoment, HookVerdict, decide, envelope,
};
use reasonix_gate::Approvals;
use reasonix_proto::{CallId, Done, Event, HookInfo, HookRan, Level, Mode, Phrase, Posture, RecordBody};
use run::{Ran, Runner};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::task::JoinSet;

/// How much of what a hook wrote is written down, of each stream.
const MOST_KEPT: usize = 4 * 1024;
/// How much of it the model reads.
const MOST_TOLD: usize = 10_000;
/// So many hooks that nobody waits for run at once.
const MOST_ASIDE: usize = 16;

/// The hooks of a session.
pub(crate) struct Hooks {
    list: Mutex<Arc<Vec<Listed>>>,
    /// What is wrong with files of hooks.
    flaws: Mutex<Vec<Phrase>>,
    start: Arc<Start>,
    trust: Word,
    runner: Runner,
    outbox: Arc<Outbox>,
    book: Arc<Book>,
    gate: Arc<Approvals>,
    /// What hooks know of the running turn.
    turn: Mutex<Turn>,
    /// What is shared with whoever sees what is written down.
    kept: Arc<Kept>,
    /// What hooks said of calls that run: the model reads it with their outcomes.
    notes: Mutex<HashMap<CallId, Vec<String>>>,
    /// Calls that a person may be asked about.
    calls: Mutex<HashMap<CallId, aspect::Known>>,
    /// Hooks that nobody waits for.
    aside: Mutex<JoinSet<()>>,
    began: moments::Began,
    listens: AtomicBool,
    /// They stand around one that works in a clone.
    apart: bool,
    /// The session is over.
    over: Stop,
}

/// Something that a hook is run about.
#[derive(Clone, Copy)]
struct Occasion<'a> {
    event: HookEvent,
    moment: HookMoment<'a>,
    call: Option<&'a CallId>,
}

/// What is known of a hook before it runs.
enum May {
    Run,
    /// The user never trusted it; that was said.
    Off,
    /// It is not any more what the user trusted.
    Changed,
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hooks {
    /// The hooks that there are; what is wrong with some is said.
    pub(crate) fn new(
        start: &Start,
        trust: &Word,
        (outbox, book): (&Arc<Outbox>, &Arc<Book>),
        gate: &Arc<Approvals>,
        confinement: &Confinement,
    ) -> Arc<Self> {
        let found = find(start, trust);
        found.notices().into_iter().for_each(|phrase| outbox.warn(phrase));
        let flaws = Mutex::new(found.flaws.into_iter().map(|(_, phrase)| phrase).collect());
        let hooks = found.hooks;
        let made = Self::made(Arc::new(hooks), start, trust, (outbox, book, gate), confinement);
        Arc::new(Self { flaws, ..made })
    }

    /// The same hooks around the calls of one that works in a clone: they run there, in the box of that clone.
    pub(crate) fn moved_to(
        &self,
        start: &Start,
        (book, gate): (&Arc<Book>, &Arc<Approvals>),
        confinement: &Confinement,
    ) -> Arc<Self> {
        let made = Self::made(self.list(), start, &self.trust, (&self.outbox, book, gate), confinement);
        Arc::new(Self { apart: true, over: self.over.clone(), ..made })
    }

    /// Hooks that were not run yet.
    fn made(
        list: Arc<Vec<Listed>>,
        start: &Start,
        trust: &Word,
        (outbox, book, gate): (&Arc<Outbox>, &Arc<Book>, &Arc<Approvals>),
        confinement: &Confinement,
    ) -> Self {
        let start = Arc::new(start.clone());
        Self {
            list: Mutex::new(list),
            flaws: Mutex::default(),
            runner: Runner::new(Arc::clone(&start), confinement.clone()),
            start,
            trust: trust.clone(),
            outbox: Arc::clone(outbox),
            book: Arc::clone(book),
            gate: Arc::clone(gate),
            turn: Mutex::default(),
            kept: Arc::default(),
            notes: Mutex::default(),
            calls: Mutex::default(),
            aside: Mutex::default(),
            began: moments::Began::default(),
            listens: AtomicBool::new(false),
            apart: false,
            over: Stop::new(),
        }
    }

    fn list(&self) -> Arc<Vec<Listed>> {
        Arc::clone(&locked(&self.list))
    }

    /// The hooks for an event; nothing where there are none at all.
    fn any(&self, event: HookEvent) -> Option<Arc<Vec<Listed>>> {
        let list = self.list();
        let some = !list.is_empty() && list.iter().any(|listed| listed.hook.event == event);
        some.then_some(list)
    }

    /// The hooks, for people.
    pub(crate) fn info(&self) -> Vec<HookInfo> {
        self.list().iter().map(|listed| HookInfo { trusted: self.is_trusted(listed), ..listed.info() }).collect()
    }

    /// What is wrong with files of hooks, for people.
    pub(crate) fn flaws(&self) -> Vec<Phrase> {
        locked(&self.flaws).clone()
    }

    fn is_trusted(&self, listed: &Listed) -> bool {
        let of = |surface| matches!(self.trust.stands(surface), Standing::Trusted(_));
        listed.surface.as_ref().is_none_or(of)
    }

    /// Reads everything anew.
    pub(crate) async fn reload(self: &Arc<Self>) -> Told {
        let (start, trust) = (Arc::clone(&self.start), self.trust.clone());
        let found = tokio::task::spawn_blocking(move || find_anew(&start, &trust)).await;
        let found = found.unwrap_or_default();
        let (notices, hooks) = (found.notices(), found.hooks);
        *locked(&self.flaws) = found.flaws.into_iter().map(|(_, phrase)| phrase).collect();
        let phrase = Phrase::new("hooks.reloaded").with("count", hooks.len());
        let untrusted = hooks.iter().any(|listed| !listed.trusted.load(Ordering::Relaxed));
        *locked(&self.list) = Arc::new(hooks);
        let off = self.trust.off().filter(|_| untrusted);
        notices.into_iter().chain(off).for_each(|phrase| self.outbox.warn(phrase));
        self.listen();
        Told { done: Done::Applied, level: Level::Info, phrase }
    }

    /// Whether a hook may be run now. A project's is looked at anew each time.
    async fn may(&self, listed: &Listed) -> May {
        let Some(surface) = listed.surface.clone() else { return self.may_of_user(listed).await };
        let trust = self.trust.clone();
        let stands = tokio::task::spawn_blocking(move || trust.stands(&surface)).await;
        if matches!(stands, Ok(Standing::Trusted(_))) {
            listed.trusted.store(true, Ordering::Relaxed);
            return May::Run;
        }
        if !listed.trusted.load(Ordering::Relaxed) {
            return May::Off;
        }
        self.changed(listed)
    }

    /// The user's own run as they are, but for files of the folder that they name: what lies there others can write.
    async fn may_of_user(&self, listed: &Listed) -> May {
        if listed.scripts.is_empty() {
            return May::Run;
        }
        let scripts = listed.scripts.clone();
        let same = move || scripts.iter().all(|(path, was)| was.is_some() && digest(path) == *was);
        if tokio::task::spawn_blocking(same).await.unwrap_or(false) { May::Run } else { self.changed(listed) }
    }

    fn changed(&self, listed: &Listed) -> May {
        if !listed.told.swap(true, Ordering::Relaxed) {
            let phrase = Phrase::new("hooks.changed").with("hook", listed.label()).with("file", &listed.source);
            self.outbox.warn(phrase);
        }
        May::Changed
    }

    /// Runs a hook, writes down what came of it and says what a person should know. None when it is not run, or nobody waits
    /// for it; or when the turn ends meanwhile.
    async fn one(self: &Arc<Self>, listed: &Listed, occasion: Occasion<'_>) -> Option<HookVerdict> {
        let input = self.input(listed, &occasion);
        let base = self.base(listed);
        if listed.hook.detached {
            self.detach(listed, occasion.event, (base, input));
            return None;
        }
        let stop = self.stop_of(occasion.event);
        let ran = tokio::select! {
            biased;
            () = stop.cancelled() => return None,
            () = self.over.cancelled() => return None,
            ran = self.runner.run(&listed.hook, &base, &input) => ran,
        };
        let verdict = self.judged(listed, &occasion, &ran);
        self.write_down(listed, &occasion, &ran, &verdict).await;
        self.say(listed, occasion.event, &ran, &verdict);
        Some(verdict)
    }

    /// What ends a hook before it is done: the end of the turn, where it is one of a turn.
    fn stop_of(&self, event: HookEvent) -> Stop {
        match event {
            HookEvent::SessionStart | HookEvent::SessionEnd | HookEvent::Notification => Stop::new(),
            _ => locked(&self.turn).stop.clone(),
        }
    }

    fn judged(&self, listed: &Listed, occasion: &Occasion<'_>, ran: &Ran) -> HookVerdict {
        let mut verdict = decide(occasion.event, listed.hook.dialect, &ran.run);
        let fails = !matches!(verdict.decision, HookDecision::Pass | HookDecision::Block);
        if fails && listed.hook.fails_closed {
            verdict.decision = HookDecision::Block;
        }
        verdict.context = verdict.context.map(|text| cut(&text, MOST_TOLD));
        verdict.reason = cut(&verdict.reason, MOST_TOLD);
        verdict
    }

    /// What it reads.
    fn input(&self, listed: &Listed, occasion: &Occasion<'_>) -> serde_json::Value {
        let session = self.outbox.session().to_string();
        let kept = self.start.which != Which::Unkept && self.outbox.is_kept();
        let log = kept.then(|| self.start.world.home.join("state/sessions").join(format!("{session}.jsonl")));
        let (mode, turn) = {
            let state = self.book.state();
            let mode = match (state.mode, state.posture) {
                (Mode::Plan, _) => "plan",
                (_, Posture::Ask) => "default",
                (_, Posture::Auto) => "acceptEdits",
                (_, Posture::Yolo) => "bypassPermissions",
            };
            (mode, state.turn)
        };
        let cwd = self.start.workspace.root();
        let about = HookAbout { session: &session, log: log.as_deref(), cwd, mode, turn };
        envelope(listed.hook.dialect, occasion.event, &about, &occasion.moment)
    }

    /// The folder that it starts in: a project's in the project's.
    fn base(&self, listed: &Listed) -> PathBuf {
        let root = self.start.world.settings.trust.root();
        let project = listed.surface.is_some() && !root.as_os_str().is_empty() && !self.apart;
        if project { root.to_owned() } else { self.start.workspace.root().to_owned() }
    }

    /// Lets a hook run that nobody waits for; it ends with the session at the latest.
    fn detach(self: &Arc<Self>, listed: &Listed, event: HookEvent, (base, input): (PathBuf, serde_json::Value)) {
        let mut aside = locked(&self.aside);
        while aside.try_join_next().is_some() {}
        // Whoever listens for questions is among them.
        if aside.len() >= MOST_ASIDE + usize::from(self.listens.load(Ordering::Relaxed)) {
            let phrase = Phrase::new("hooks.too_many_aside").with("hook", listed.label());
            return self.outbox.warn(phrase.with("event", event.name()).with("most", MOST_ASIDE));
        }
        let (hooks, hook, source) = (Arc::clone(self), listed.hook.clone(), listed.source.clone());
        let (surface, trusted, told) = (listed.surface.clone(), AtomicBool::new(true), AtomicBool::new(false));
        let listed = Listed { hook, source, surface, trusted, told, scripts: Vec::new() };
        let work = async move {
            let ran = hooks.runner.run(&listed.hook, &base, &input).await;
            let moment = HookMoment::Prompt("");
            let occasion = Occasion { event, moment, call: None };
            let verdict = hooks.judged(&listed, &occasion, &ran);
            hooks.write_down(&listed, &occasion, &ran, &verdict).await;
        };
        aside.spawn(work);
    }

    async fn write_down(&self, listed: &Listed, occasion: &Occasion<'_>, ran: &Ran, verdict: &HookVerdict) {
        let turn = self.book.state().turn;
        let body = RecordBody::Hook(Box::new(HookRan {
            turn,
            event: occasion.event.name().to_owned(),
            hook: cut(&listed.hook.command, MOST_KEPT),
            source: listed.source.clone(),
            call: occasion.call.cloned(),
            decision: verdict.decision.word().to_owned(),
            exit_code: if let HookExit::Code(code) = ran.run.exit { Some(code) } else { None },
            stdout: cut(ran.run.stdout.trim(), MOST_KEPT),
            stderr: cut(ran.run.stderr.trim(), MOST_KEPT),
            took_ms: u64::try_from(ran.took.as_millis()).unwrap_or(u64::MAX),
            truncated: ran.truncated,
        }));
        // Before the first prompt there is nothing on disk, and nothing is put there.
        if turn == 0 {
            return self.kept.hold(body);
        }
        match self.book.append(body).await {
            Ok(record) => self.outbox.emit(Event::Hooked { record: Box::new(record) }),
            Err(error) => self.outbox.emit(Event::Notice { level: Level::Error, phrase: error.phrase() }),
        }
    }

    /// What a person should know of a hook that ran.
    fn say(&self, listed: &Listed, event: HookEvent, ran: &Ran, verdict: &HookVerdict) {
        ran.left.iter().for_each(|phrase| self.outbox.warn(phrase.clone()));
        let label = listed.label();
        if let Some(message) = &verdict.message {
            let phrase = Phrase::new("hooks.says").with("hook", &label).with("text", cut(message, MOST_KEPT));
            self.outbox.emit(Event::Notice { level: Level::Info, phrase });
        }
        let code = match verdict.decision {
            HookDecision::Warn if is_unstarted(ran) => "hooks.unstarted",
            HookDecision::Warn => "hooks.warned",
            HookDecision::Timeout => "hooks.timed_out",
            HookDecision::Error => "hooks.failed",
            HookDecision::Pass | HookDecision::Block => return,
        };
        let code_of = if let HookExit::Code(code) = ran.run.exit { code.to_string() } else { "-".to_owned() };
        let reason = verdict.reason.lines().next().unwrap_or_default();
        let phrase = Phrase::new(code)
            .with("hook", label)
            .with("event", event.name())
            .with("code", code_of)
            .with("seconds", listed.hook.timeout.as_secs_f32())
            .with("reason", reason);
        // Whoever counts on a guard must not take its silence for a yes.
        let guard = event.blocks() && matches!(code, "hooks.unstarted" | "hooks.failed");
        self.outbox.emit(Event::Notice { level: if guard { Level::Error } else { Level::Warning }, phrase });
    }

    /// Ends the turn, because a hook wants that.
    fn stop_turn(&self, listed: &Listed, why: &str) {
        let phrase = Phrase::new("hooks.stopped").with("hook", listed.label()).with("reason", why);
        self.outbox.warn(phrase);
        locked(&self.turn).stop.cancel();
    }
}

/// True where a shell found no program to run, or may not run it.
fn is_unstarted(ran: &Ran) -> bool {
    matches!(ran.run.exit, HookExit::Code(126 | 127))
}

/// A text, or its beginning with how much is left out.
fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let at = text.floor_char_boundary(most);
    format!("{}… [{} more bytes]", text.get(..at).unwrap_or_default(), text.len() - at)
}
