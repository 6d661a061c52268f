//! Hooks as they run: with what each reads, against what would end it, and what is written down and said of it. Which may run
//! is told by the list; what follows from their words is for whoever asked.

use super::kept::Kept;
use super::list::Listed;
use super::run::{Ran, Runner};
use super::standing::{HookList, May};
use super::{cut, locked};
use reasonix_agent::{Journal, Sink, Stop};
use reasonix_exec::Confinement;
use reasonix_extensions::hooks::{
    HookAbout, HookDecision, HookEvent, HookExit, HookMoment, HookVerdict, decide, envelope,
};
use reasonix_proto::{CallId, Event, HookRan, Level, Mode, Phrase, Posture, RecordBody};
use reasonix_state::Book;
use reasonix_state::outbox::Outbox;
use reasonix_world::spec::{Start, Which};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use tokio::task::JoinSet;

/// How much of what a hook wrote is written down, of each stream.
const MOST_KEPT: usize = 4 * 1024;
/// How much of it the model reads.
const MOST_TOLD: usize = 10_000;
/// So many hooks that nobody waits for run at once.
const MOST_ASIDE: usize = 16;

/// The hooks that run.
pub(super) struct Running {
    pub(super) list: Arc<HookList>,
    pub(super) outbox: Arc<Outbox>,
    start: Arc<Start>,
    runner: Runner,
    book: Arc<Book>,
    kept: Arc<Kept>,
    /// They stand around one that works in a clone.
    apart: bool,
    /// What stops the running turn, and the hooks that are run for it.
    turn: Mutex<Stop>,
    /// Hooks that nobody waits for.
    aside: Mutex<JoinSet<()>>,
    /// The session is over.
    over: Stop,
}

/// Something that a hook is run about.
#[derive(Clone, Copy)]
pub(super) struct Occasion<'a> {
    pub(super) event: HookEvent,
    pub(super) moment: HookMoment<'a>,
    pub(super) call: Option<&'a CallId>,
}

/// What the hooks of a moment said together.
#[derive(Default)]
pub(super) struct Report {
    /// Who is against it, and why.
    pub(super) blocked: Option<(String, String)>,
    /// What the model is to read.
    pub(super) context: Vec<String>,
}

impl Running {
    /// None yet.
    pub(super) fn new(
        list: Arc<HookList>,
        start: &Arc<Start>,
        (outbox, book): (&Arc<Outbox>, &Arc<Book>),
        confinement: &Confinement,
    ) -> Self {
        Self {
            list,
            outbox: Arc::clone(outbox),
            start: Arc::clone(start),
            runner: Runner::new(Arc::clone(start), confinement.clone()),
            book: Arc::clone(book),
            kept: Arc::default(),
            apart: false,
            turn: Mutex::default(),
            aside: Mutex::default(),
            over: Stop::new(),
        }
    }

    /// The same around one that works in a clone, and ends with the session of this.
    pub(super) fn apart_of(self, other: &Self) -> Self {
        Self { apart: true, over: other.over.clone(), ..self }
    }

    pub(super) fn kept(&self) -> &Arc<Kept> {
        &self.kept
    }

    /// The folder that the session works in.
    pub(super) fn root(&self) -> &Path {
        self.start.workspace.root()
    }

    /// What runs from now on for a turn is ended by this.
    pub(super) fn stopped_by(&self, stop: Stop) {
        *locked(&self.turn) = stop;
    }

    /// The session is over, and with it every hook that still runs.
    pub(super) async fn end(&self) {
        self.over.cancel();
        let mut aside = std::mem::take(&mut *locked(&self.aside));
        aside.shutdown().await;
    }

    /// Runs the hooks of a moment, one after the other; the first that is against it ends that.
    pub(super) async fn each(self: &Arc<Self>, event: HookEvent, moment: HookMoment<'_>) -> Report {
        let mut report = Report::default();
        let Some(list) = self.list.any(event) else { return report };
        for listed in list.iter().filter(|listed| listed.hook.fits(event, &moment, &[])) {
            if !matches!(self.list.may(listed).await, May::Run) {
                continue;
            }
            let Some(verdict) = self.one(listed, Occasion { event, moment, call: None }).await else { continue };
            if self.reported(listed, event, verdict, &mut report) {
                break;
            }
        }
        report
    }

    /// Takes in what a hook said. True when nobody else is asked.
    fn reported(&self, listed: &Listed, event: HookEvent, verdict: HookVerdict, report: &mut Report) -> bool {
        report.context.extend(verdict.context.map(|text| format!("[hook {}: {text}]", listed.label())));
        match (verdict.stops, event) {
            // What is to end there ends anyway.
            (Some(_), HookEvent::Stop | HookEvent::SubagentStop) => return true,
            (Some(why), HookEvent::UserPromptSubmit) => {
                report.blocked = Some((listed.label(), why));
                return true;
            }
            (Some(why), _) => self.stop_turn(listed, &why),
            (None, _) => {}
        }
        if verdict.decision == HookDecision::Block {
            report.blocked = Some((listed.label(), verdict.reason));
        }
        report.blocked.is_some()
    }
    /// Runs a hook, writes down what came of it and says what a person should know. None when it is not run, or nobody waits
    /// for it; or when the turn ends meanwhile.
    pub(super) async fn one(self: &Arc<Self>, listed: &Listed, occasion: Occasion<'_>) -> Option<HookVerdict> {
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
            _ => locked(&self.turn).clone(),
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
        if aside.len() >= MOST_ASIDE {
            let phrase = Phrase::new("hooks.too_many_aside").with("hook", listed.label());
            return self.outbox.warn(phrase.with("event", event.name()).with("most", MOST_ASIDE));
        }
        let (running, hook, source) = (Arc::clone(self), listed.hook.clone(), listed.source.clone());
        let (surface, trusted, told) = (listed.surface.clone(), AtomicBool::new(true), AtomicBool::new(false));
        let listed = Listed { hook, source, surface, trusted, told, scripts: Vec::new() };
        let work = async move {
            let ran = running.runner.run(&listed.hook, &base, &input).await;
            let moment = HookMoment::Prompt("");
            let occasion = Occasion { event, moment, call: None };
            let verdict = running.judged(&listed, &occasion, &ran);
            running.write_down(&listed, &occasion, &ran, &verdict).await;
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
    pub(super) fn stop_turn(&self, listed: &Listed, why: &str) {
        let phrase = Phrase::new("hooks.stopped").with("hook", listed.label()).with("reason", why);
        self.outbox.warn(phrase);
        locked(&self.turn).cancel();
    }
}

/// True where a shell found no program to run, or may not run it.
fn is_unstarted(ran: &Ran) -> bool {
    matches!(ran.run.exit, HookExit::Code(126 | 127))
}
