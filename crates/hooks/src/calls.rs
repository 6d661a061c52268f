//! Hooks around calls: each is asked before and told behind, and what they said of a call that runs is kept until its outcome.

use super::list::Listed;
use super::running::{Occasion, Running};
use super::standing::May;
use super::{cut, locked};
use reasonix_agent::{About, Args, WantsAsked, Wish, outcome_text};
use reasonix_extensions::hooks::{
    ClaudeCall, HookDecision, HookDialect, HookEvent, HookMoment, HookVerdict, claude_calls, own_arguments,
};
use reasonix_policy::analyse;
use reasonix_proto::{Block, CallId, Content, Decided, DecidedBy, Family, Phrase, ToolOutcome};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// A hook is asked about so many files of one call at most.
pub(super) const MOST_FILES: usize = 32;

/// How much of a reason a person is shown.
const MOST_SHOWN: usize = 400;

/// The calls of a turn, as hooks have to do with them.
pub(super) struct HookedCalls {
    running: Arc<Running>,
    /// What hooks said of calls that run: the model reads it with their outcomes.
    notes: Mutex<HashMap<CallId, Vec<String>>>,
    /// Calls that a person may be asked about.
    known: Mutex<HashMap<CallId, Known>>,
}

/// A call as it becomes, from hook to hook.
struct Becoming<'a> {
    about: About<'a>,
    args: Args,
    /// What filters look at; nothing where that is not known.
    subjects: Vec<String>,
    /// The files that it is told to be about.
    files: Vec<String>,
    asks: Option<WantsAsked>,
    changed: bool,
}

/// A call that a person may be asked about, as hooks left it.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) args: Args,
    pub(super) subjects: Vec<String>,
    pub(super) files: Vec<String>,
}

/// What a hook makes of a call.
enum Step {
    On,
    Denied { by: String, reason: String },
}

impl<'a> Becoming<'a> {
    fn of(about: About<'a>) -> Self {
        let files = about.action.subjects.clone();
        let (args, subjects) = (about.args.clone(), filtered(about.action.family, files.clone()));
        Self { about, args, subjects, files, asks: None, changed: false }
    }

    /// It goes on with other arguments. What they are about only the tool knows for sure: where it cannot be told, no filter
    /// leaves the call out, and where it can, what it was about still counts.
    fn become_of(&mut self, args: Args) {
        (self.args, self.changed) = (args, true);
        let several = self.about.action.subjects.len() > 1 || self.args.contains_key("patch");
        let mut keys = ["command", "path", "pattern"].into_iter();
        match keys.find_map(|key| self.args.get(key)?.as_str()).filter(|_| !several) {
            Some(subject) if self.subjects.is_empty() => self.files = vec![subject.to_owned()],
            Some(subject) => {
                self.files = vec![subject.to_owned()];
                self.subjects.push(subject.to_owned());
                let subjects = std::mem::take(&mut self.subjects);
                self.subjects = filtered(self.about.action.family, subjects);
            }
            None => self.subjects.clear(),
        }
    }

    /// What is wanted of it in the end.
    fn wish(self) -> Wish {
        let args = self.changed.then_some(self.args);
        match (self.asks, args) {
            (Some(wants), args) => Wish::Ask { wants, args },
            (None, Some(args)) => Wish::Instead(args),
            (None, None) => Wish::Go,
        }
    }

    /// What is remembered is between the model and the person.
    fn is_private(&self) -> bool {
        self.about.action.family == Family::Memory
    }

    fn moment<'m>(&'m self, theirs: Option<&'m ClaudeCall>, outcome: Option<&'m str>) -> HookMoment<'m> {
        let private = self.is_private();
        HookMoment::Call {
            tool: self.about.tool,
            id: &self.about.call.id.0,
            args: (!private).then_some(&self.args),
            theirs: theirs.filter(|_| !private),
            outcome: outcome.filter(|_| !private),
        }
    }
}

impl HookedCalls {
    /// None yet.
    pub(super) fn new(running: &Arc<Running>) -> Self {
        Self { running: Arc::clone(running), notes: Mutex::default(), known: Mutex::default() }
    }

    /// Nothing is known of earlier calls any more.
    pub(super) fn forget(&self) {
        locked(&self.notes).clear();
        locked(&self.known).clear();
    }

    /// A call that a person is asked about, as hooks left it.
    pub(super) fn known(&self, call: &CallId) -> Option<Known> {
        locked(&self.known).get(call).cloned()
    }

    /// The call as a hook of this dialect is told of it: several times, where it touches several files.
    pub(super) fn told(
        &self,
        dialect: HookDialect,
        (tool, args): (&str, &Args),
        files: &[String],
    ) -> Vec<Option<ClaudeCall>> {
        match dialect {
            HookDialect::Own => vec![None],
            HookDialect::Claude => {
                let root = self.running.root();
                claude_calls(tool, args, files, root).into_iter().map(Some).collect()
            }
        }
    }

    pub(super) async fn before(&self, about: About<'_>) -> Wish {
        if self.running.list.all().is_empty() {
            return Wish::Go;
        }
        let mut call = Becoming::of(about);
        if let Some(denied) = self.refused(&mut call).await {
            return denied;
        }
        self.remember_call(&call);
        if call.changed {
            let note = "[a hook changed this call before it ran]".to_owned();
            locked(&self.notes).entry(about.call.id.clone()).or_default().insert(0, note);
        }
        call.wish()
    }

    /// Asks every hook about a call; gives the word of one that is against it.
    async fn refused(&self, call: &mut Becoming<'_>) -> Option<Wish> {
        let list = self.running.list.any(HookEvent::PreToolUse)?;
        let mut last_change = 0;
        for (at, listed) in list.iter().enumerate() {
            let before = call.changed;
            call.changed = false;
            if let Step::Denied { by, reason } = self.ask(listed, call, true).await {
                return Some(self.denied(call, &by, &reason));
            }
            last_change = if call.changed { at } else { last_change };
            call.changed |= before;
        }
        // Who was asked before another changed the call is asked about what it became.
        for listed in list.iter().take(if call.changed { last_change } else { 0 }) {
            if let Step::Denied { by, reason } = self.ask(listed, call, false).await {
                return Some(self.denied(call, &by, &reason));
            }
        }
        None
    }

    /// Asks one hook about a call.
    async fn ask(&self, listed: &Listed, call: &mut Becoming<'_>, may_change: bool) -> Step {
        if !listed.hook.fits(HookEvent::PreToolUse, &call.moment(None, None), &call.subjects) {
            return Step::On;
        }
        match self.running.list.may(listed).await {
            May::Run => {}
            May::Off => return Step::On,
            May::Changed => {
                // What it would have judged nobody judges: a guard may be about reading as well.
                let (by, hook) = (format!("hook {}: it is not what you trusted", listed.label()), listed.label());
                call.asks = Some(WantsAsked { by, why: Phrase::new("engine.ask_hook_changed").with("hook", hook) });
                return Step::On;
            }
        }
        let told = self.told(listed.hook.dialect, (call.about.tool, &call.args), &call.files);
        if told.len() > MOST_FILES {
            let reason = format!("it touches more than {MOST_FILES} files at once, too many to be looked at");
            return Step::Denied { by: listed.label(), reason };
        }
        let several = told.len() > 1;
        for theirs in told {
            let verdict = {
                let moment = call.moment(theirs.as_ref(), None);
                let id = Some(&call.about.call.id);
                self.running.one(listed, Occasion { event: HookEvent::PreToolUse, moment, call: id }).await
            };
            let Some(verdict) = verdict else { continue };
            if let denied @ Step::Denied { .. } = self.heed(listed, call, verdict, may_change && !several) {
                return denied;
            }
        }
        Step::On
    }

    /// What follows from what a hook said of a call.
    fn heed(&self, listed: &Listed, call: &mut Becoming<'_>, verdict: HookVerdict, may_change: bool) -> Step {
        if let Some(why) = &verdict.stops {
            self.running.stop_turn(listed, why);
            return Step::Denied { by: listed.label(), reason: why.clone() };
        }
        if verdict.decision == HookDecision::Block {
            return Step::Denied { by: listed.label(), reason: verdict.reason };
        }
        if verdict.asks {
            call.asks = Some(wants_asked(&listed.label(), &verdict.reason));
        }
        if let Some(context) = verdict.context {
            let note = format!("[hook {}: {context}]", listed.label());
            locked(&self.notes).entry(call.about.call.id.clone()).or_default().push(note);
        }
        if let Some(input) = verdict.input.filter(|_| may_change && !call.is_private()) {
            let args = own_arguments(call.about.tool, &input);
            if args != call.args {
                call.become_of(args);
            }
        }
        Step::On
    }

    /// Only while somebody could be asked about it, and a hook wants to know.
    fn remember_call(&self, call: &Becoming<'_>) {
        if !call.is_private() && self.running.list.any(HookEvent::PermissionRequest).is_some() {
            let (args, subjects, files) = (call.args.clone(), call.subjects.clone(), call.files.clone());
            locked(&self.known).insert(call.about.call.id.clone(), Known { args, subjects, files });
        }
    }

    pub(super) async fn after(&self, about: About<'_>, outcome: ToolOutcome) -> ToolOutcome {
        if self.running.list.all().is_empty() {
            return outcome;
        }
        locked(&self.known).remove(&about.call.id);
        let mut notes = locked(&self.notes).remove(&about.call.id).unwrap_or_default();
        if matches!(outcome, ToolOutcome::Denied { .. } | ToolOutcome::Aborted) {
            return outcome;
        }
        let event = |dialect| {
            if went_wrong(&outcome, dialect) { HookEvent::PostToolUseFailure } else { HookEvent::PostToolUse }
        };
        let list = self.running.list.all();
        if list.iter().any(|listed| listed.hook.event == event(listed.hook.dialect)) {
            let (call, text) = (Becoming::of(about), outcome_text(&outcome));
            for listed in list.iter() {
                notes.extend(self.tell(listed, &call, (event(listed.hook.dialect), &text)).await);
            }
        }
        if notes.is_empty() { outcome } else { with_notes(outcome, &notes) }
    }

    /// Tells one hook what a call came to; gives what the model is to read of what it says.
    async fn tell(&self, listed: &Listed, call: &Becoming<'_>, (event, text): (HookEvent, &str)) -> Vec<String> {
        let fits = listed.hook.fits(event, &call.moment(None, None), &call.subjects);
        if !fits || !matches!(self.running.list.may(listed).await, May::Run) {
            return Vec::new();
        }
        let mut notes = Vec::new();
        let told = self.told(listed.hook.dialect, (call.about.tool, &call.args), &call.files);
        for theirs in told.into_iter().take(MOST_FILES) {
            let moment = call.moment(theirs.as_ref(), Some(text));
            let occasion = Occasion { event, moment, call: Some(&call.about.call.id) };
            let Some(verdict) = self.running.one(listed, occasion).await else { return notes };
            let blocked = (verdict.decision == HookDecision::Block).then_some(verdict.reason);
            let said = blocked.into_iter().chain(verdict.context).filter(|text| !text.is_empty());
            notes.extend(said.map(|text| format!("[hook {}: {text}]", listed.label())));
            if let Some(why) = &verdict.stops {
                self.running.stop_turn(listed, why);
            }
        }
        notes
    }

    /// A call that a hook is against: the model and the person are told why.
    fn denied(&self, call: &Becoming<'_>, by: &str, reason: &str) -> Wish {
        let record = Decided {
            call: call.about.call.id.clone(),
            allowed: false,
            by: DecidedBy::Other(format!("hook {by}")),
            ..Decided::default()
        };
        let silent = reason.trim().is_empty();
        let shown = if silent { "@hooks.no_reason".to_owned() } else { cut(reason.trim(), MOST_SHOWN) };
        let phrase = Phrase::new("hooks.refused").with("hook", by).with("tool", call.about.tool).with("reason", shown);
        self.running.outbox.warn(phrase);
        let reason = if silent { "it gave no reason" } else { reason };
        Wish::Deny { record, message: format!("by the hook {by}: {reason}") }
    }
}

/// Whether a call counts as one that failed: in Claude Code's words also a command that ended with another code than 0.
fn went_wrong(outcome: &ToolOutcome, dialect: HookDialect) -> bool {
    match outcome {
        ToolOutcome::Done { details, .. } => {
            dialect == HookDialect::Claude && details.exit_code.is_some_and(|code| code != 0)
        }
        _ => true,
    }
}

/// What filters look at: of a command line also each command that it has in it, in plain words, however they are spelt. One
/// that is not understood could be any.
fn filtered(family: Family, subjects: Vec<String>) -> Vec<String> {
    if family != Family::Bash {
        return subjects;
    }
    let mut all = Vec::new();
    for line in subjects {
        let effects = analyse(&line);
        if !effects.understood {
            return Vec::new();
        }
        all.extend(effects.commands.iter().map(|simple| {
            let words = std::iter::once(simple.program()).chain(simple.args().iter().map(|word| word.text.as_str()));
            words.collect::<Vec<_>>().join(" ")
        }));
        all.push(line);
    }
    all
}

/// A hook wants a person to be asked, with the reason that it gave.
fn wants_asked(hook: &str, reason: &str) -> WantsAsked {
    if reason.is_empty() {
        return WantsAsked { by: format!("hook {hook}"), why: Phrase::new("engine.ask_hook").with("hook", hook) };
    }
    let why = Phrase::new("engine.ask_hook_because").with("hook", hook).with("reason", reason);
    WantsAsked { by: format!("hook {hook}: {reason}"), why }
}

/// The outcome with what hooks said behind it.
fn with_notes(outcome: ToolOutcome, notes: &[String]) -> ToolOutcome {
    let note = notes.join("\n");
    match outcome {
        ToolOutcome::Done { content, details } => {
            let content = match content.plain() {
                Some("") => note.into(),
                Some(text) => format!("{text}\n{note}").into(),
                None => Content::new(content.blocks().iter().cloned().chain([Block::text(note)])),
            };
            ToolOutcome::Done { content, details }
        }
        ToolOutcome::Failed { message, hint, code } => {
            ToolOutcome::Failed { message: format!("{message}\n{note}"), hint, code }
        }
        other => other,
    }
}
