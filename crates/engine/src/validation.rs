//! The check behind edits: after a turn that edited code the folder's command runs, through the gate, the sandbox and the log like
//! every other, and what fails goes back to the model, a few times at most. It decides nothing that the gate decides.

mod failure;

use failure::ToldFailure;
use reasonix_agent::{About, Aspect, BoxFuture, Journal, JournalError, Runs, Said, Sink, WantsAsked, Wish};
use reasonix_config::ValidationSettings;
use reasonix_evidence::{Deeds, is_changed_code};
use reasonix_proto::{
    CallId, ChangeKind, Details, Event, Family, Level, Mode, Phrase, RecordBody, ToolOutcome, Validation,
    ValidationVerdict, fenced,
};
use reasonix_state::Book;
use reasonix_state::outbox::Outbox;
use reasonix_undo::Undo;
use reasonix_world::detect::{FoundCheck, detect, is_code};
use reasonix_world::spec::Start;
use reasonix_world::trust::TrustWord;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// So many edited files, and commands before the first edit, are remembered.
const MOST: usize = 200;
/// So much of an output goes back to the model, from its end.
const TOLD: usize = 4000;
/// What names a run of the command.
const NAMED: &str = "validation-";
/// The longest that a command may take.
const LONGEST: u64 = 600;
/// The exit code of one whose time was over.
const OUT_OF_TIME: i32 = 124;

/// Checks what turns edited.
pub(crate) struct Validates {
    settings: ValidationSettings,
    root: PathBuf,
    attended: bool,
    trust: TrustWord,
    book: Arc<Book>,
    outbox: Arc<Outbox>,
    /// Says what commands changed; none where their words have to.
    undo: Option<Arc<Undo>>,
    now: Mutex<Now>,
}

/// What is known of the edits and of the command.
#[derive(Default)]
struct Now {
    /// Files with code that were edited since the command last ran.
    edited: Vec<String>,
    /// Something was edited in this session.
    begun: bool,
    /// Commands that ran before the first edit, with what they failed with.
    ran: BTreeMap<String, Option<ToldFailure>>,
    /// What failed before the first edit.
    before: Option<ToldFailure>,
    /// How often the command ran in the turn.
    round: u32,
    /// How often the turn was sent back.
    returned: u32,
    /// What failed in the round before.
    last: Option<ToldFailure>,
    /// The command may not run in this session.
    off: bool,
    /// The command as it was last shown to people.
    shown: String,
    /// A person has to be asked although nobody would be otherwise.
    asks: bool,
    /// They were, and said yes to this command.
    agreed: Option<String>,
    /// The run of the command that goes on now. A model may name its own calls as it likes.
    running: Option<CallId>,
    /// What the model is told with the next prompt.
    left: Option<String>,
}

/// The command, and where it comes from.
struct Checks {
    line: String,
    from: String,
    /// The user has said yes to it, as what it runs is here.
    trusted: bool,
}

impl Validates {
    pub(crate) fn of(
        start: &Start,
        trust: &TrustWord,
        (book, outbox): (&Arc<Book>, &Arc<Outbox>),
        undo: Option<&Arc<Undo>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            settings: start.world.settings.validation.clone(),
            root: start.workspace.root().to_owned(),
            attended: start.attended,
            trust: trust.clone(),
            book: Arc::clone(book),
            outbox: Arc::clone(outbox),
            undo: undo.cloned(),
            now: Mutex::default(),
        })
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a call is the run of the command.
    fn is_own(&self, about: &About<'_>) -> bool {
        self.now().running.as_ref() == Some(&about.call.id)
    }

    /// The user's own command, then a trusted project's, then the one that the folder is found to have.
    fn command(&self, edited: &[String]) -> Option<Checks> {
        let named =
            |line: &str, trusted| Checks { line: line.to_owned(), from: "validation.command".to_owned(), trusted };
        if let Some(line) = &self.settings.command {
            return Some(named(line, true));
        }
        // The yes was for what lies in the project's folder: in one below it, the same line could run something else.
        let here = self.trust.with(|trust| trust.root() == self.root);
        let project = self.trust.with(|trust| trust.validation());
        let said = |key: &str| project.as_ref().and_then(|project| project.get(key));
        if said("enabled").and_then(serde_json::Value::as_bool) == Some(false) {
            return None;
        }
        if let Some(line) = said("command").and_then(serde_json::Value::as_str).filter(|line| !line.trim().is_empty()) {
            return Some(named(line.trim(), here));
        }
        let FoundCheck { line, file, .. } = detect(&self.root, edited)?;
        let trusted = here && self.trust.with(|trust| trust.trusts_detected(&line));
        Some(Checks { line, from: file, trusted })
    }

    /// Files with code were edited.
    fn edited(&self, now: &mut Now, code: Vec<String>) {
        if code.is_empty() {
            return;
        }
        let (begins, room) = (!std::mem::replace(&mut now.begun, true), MOST.saturating_sub(now.edited.len()));
        now.edited.extend(code.into_iter().take(room));
        if begins {
            let ran = std::mem::take(&mut now.ran);
            now.before = self.command(&now.edited).and_then(|checks| ran.get(&plain(&checks.line)).cloned().flatten());
        }
    }

    /// What was found changed, by whatever: with it went what the file tools told.
    fn found(&self, found: Vec<String>) {
        let code = found.into_iter().filter(|path| is_code(path) && is_changed_code(path)).collect();
        self.edited(&mut self.now(), code);
    }

    /// A call ended: what it edited, and what the command itself came to where the model ran it.
    fn saw(&self, about: About<'_>, content: &str, details: &Details) {
        let line = about.action.subjects.first().filter(|_| about.action.family == Family::Bash);
        // What a look found before this call ran was done by those before it.
        match self.undo.as_ref().filter(|undo| undo.works()) {
            Some(undo) => self.found(undo.noted(about.turn)),
            None => self.found(line.map(|line| Deeds::code_written_by(line)).unwrap_or_default()),
        }
        let mut now = self.now();
        let paths =
            details.changes.iter().filter(|change| change.kind != ChangeKind::Unchanged).map(|change| &change.path);
        let code: Vec<String> = paths.filter(|path| is_code(path)).cloned().collect();
        self.edited(&mut now, code);
        let (Some(line), Some(code)) = (line, details.exit_code) else { return };
        if !now.begun && now.ran.len() < MOST {
            now.ran.insert(plain(line), (code != 0).then(|| ToldFailure::of(content)));
        }
        let is_it = |checks: Checks| plain(&checks.line) == plain(line);
        if code == 0 && !now.edited.is_empty() && self.command(&now.edited).is_some_and(is_it) {
            (now.before, now.last) = (None, None);
            now.edited.clear();
        }
    }

    /// The command that is due, and how often it ran then; none where there is nothing to check or it may not run.
    fn due(&self) -> Option<(Checks, u32)> {
        let mut now = self.now();
        if now.off || !self.settings.enabled || self.book.state().mode == Mode::Plan {
            return None;
        }
        if now.edited.is_empty() {
            if now.last.take().is_some() {
                self.say(Level::Warning, Phrase::new("engine.validation_left"));
            }
            return None;
        }
        let checks = self.command(&now.edited)?;
        if !checks.trusted && !self.attended {
            now.off = true;
            self.say(Level::Info, Phrase::new("engine.validation_untrusted").with("command", &checks.line));
            return None;
        }
        now.asks = !checks.trusted && now.agreed.as_ref() != Some(&checks.line);
        if now.shown != checks.line {
            now.shown.clone_from(&checks.line);
            let phrase = Phrase::new("engine.validation_found").with("command", &checks.line);
            self.say(Level::Info, phrase.with("from", &checks.from));
        }
        now.edited.clear();
        now.round += 1;
        Some((checks, now.round))
    }

    async fn checked(&self, turn: u32, runs: &dyn Runs) -> Result<Option<String>, JournalError> {
        if !runs.can_run() {
            return Ok(None);
        }
        if let Some(undo) = &self.undo {
            self.found(undo.changed(turn).await);
        }
        let Some((checks, round)) = self.due() else { return Ok(None) };
        let call = CallId(format!("{NAMED}{turn}-{round}"));
        let Checks { line, from, .. } = checks;
        let (took_ms, outcome, verdict) = (0, None, None);
        let mut body = Validation { turn, round, call, command: line.clone(), from, took_ms, outcome, verdict };
        self.book.append(RecordBody::Validation(Box::new(body.clone()))).await?;
        let seconds = self.settings.timeout_seconds.clamp(1, LONGEST);
        self.now().running = Some(body.call.clone());
        let ran = runs.run(&body.call, (&line, seconds)).await;
        self.now().running = None;
        // What the command itself changed is no edit.
        if let Some(undo) = &self.undo {
            drop(undo.changed(turn).await);
        }
        let (took_ms, outcome) = ran?;
        let (verdict, text) = self.judged(&line, &outcome);
        (body.took_ms, body.outcome, body.verdict) = (took_ms, Some(outcome), Some(verdict));
        let record = self.book.append(RecordBody::Validation(Box::new(body))).await?;
        self.outbox.emit(Event::ToolEnded { record: Box::new(record) });
        self.tell(verdict, &line);
        Ok(text)
    }

    /// What follows from an outcome, and what the model reads of it.
    fn judged(&self, line: &str, outcome: &ToolOutcome) -> (ValidationVerdict, Option<String>) {
        let mut now = self.now();
        let (content, code) = match outcome {
            // Without a code it has not ended, which is no way to pass.
            ToolOutcome::Done { content, details } => {
                (content.words().into_owned(), details.exit_code.unwrap_or(OUT_OF_TIME))
            }
            ToolOutcome::Aborted => return (ValidationVerdict::Stopped, None),
            ToolOutcome::Failed { .. } | ToolOutcome::Denied { .. } => {
                now.off = true;
                return (ValidationVerdict::Unrun, None);
            }
        };
        if std::mem::take(&mut now.asks) {
            now.agreed = Some(line.to_owned());
        }
        let verdict = match code {
            // Without tests there is nothing that could fail.
            5 if line.starts_with("pytest") => ValidationVerdict::Passed,
            0 => ValidationVerdict::Passed,
            OUT_OF_TIME => ValidationVerdict::TimedOut,
            130 => ValidationVerdict::Stopped,
            126 | 127 => ValidationVerdict::Unrun,
            _ => now.failed(&content, self.settings.rounds),
        };
        match verdict {
            ValidationVerdict::Passed => (now.before, now.last, now.left) = (None, None, None),
            ValidationVerdict::Unrun => now.off = true,
            ValidationVerdict::Failed => now.returned += 1,
            ValidationVerdict::Same | ValidationVerdict::Rounds | ValidationVerdict::TimedOut => {
                now.last = None;
                now.left = Some(format!("[When your last turn ended, `{line}` had not passed after your edits.]"));
            }
            ValidationVerdict::Before | ValidationVerdict::Stopped => now.last = None,
        }
        let text = (verdict == ValidationVerdict::Failed)
            .then(|| told(line, code, &content, (now.returned, self.settings.rounds), now.before.is_some()));
        (verdict, text)
    }

    fn tell(&self, verdict: ValidationVerdict, line: &str) {
        let now = self.now();
        let (level, code) = match verdict {
            ValidationVerdict::Passed | ValidationVerdict::Stopped => return,
            ValidationVerdict::Failed => (Level::Info, "engine.validation_failed"),
            ValidationVerdict::Same => (Level::Warning, "engine.validation_same"),
            ValidationVerdict::Rounds => (Level::Warning, "engine.validation_rounds"),
            ValidationVerdict::Before => (Level::Info, "engine.validation_before"),
            ValidationVerdict::TimedOut => (Level::Warning, "engine.validation_late"),
            ValidationVerdict::Unrun => (Level::Info, "engine.validation_unrun"),
        };
        let phrase = Phrase::new(code).with("command", line).with("round", now.returned);
        self.say(level, phrase.with("rounds", self.settings.rounds));
    }

    fn say(&self, level: Level, phrase: Phrase) {
        self.outbox.emit(Event::Notice { level, phrase });
    }
}

impl Now {
    /// What follows from a failure.
    fn failed(&mut self, content: &str, rounds: u32) -> ValidationVerdict {
        let failure = ToldFailure::of(content);
        if self.before.as_ref().is_some_and(|before| failure.is_within(before)) {
            return ValidationVerdict::Before;
        }
        if self.last.as_ref() == Some(&failure) {
            return ValidationVerdict::Same;
        }
        self.last = Some(failure);
        if self.returned >= rounds { ValidationVerdict::Rounds } else { ValidationVerdict::Failed }
    }
}

impl Aspect for Validates {
    fn before_prompt(&self, _turn: u32, said: Said) -> BoxFuture<'_, Said> {
        let mut now = self.now();
        now.edited.clear();
        (now.round, now.returned, now.last) = (0, 0, None);
        let left = now.left.take();
        Box::pin(async move { said.after_news(left.into_iter().collect()) })
    }

    fn before_call<'a>(&'a self, about: About<'a>) -> BoxFuture<'a, Wish> {
        let asks = self.is_own(&about) && self.now().asks;
        Box::pin(async move {
            if !asks {
                return Wish::Go;
            }
            let by = "validation: it runs what is in this folder, which you have not trusted yet".to_owned();
            Wish::Ask { wants: WantsAsked { by, why: Phrase::new("engine.ask_check") }, args: None }
        })
    }

    fn at_outcome<'a>(&'a self, about: About<'a>, outcome: ToolOutcome) -> BoxFuture<'a, ToolOutcome> {
        if let ToolOutcome::Done { content, details } = &outcome
            && self.settings.enabled
            && !self.is_own(&about)
        {
            self.saw(about, &content.words(), details);
        }
        Box::pin(async { outcome })
    }

    fn check<'a>(&'a self, turn: u32, runs: &'a dyn Runs) -> BoxFuture<'a, Result<Option<String>, JournalError>> {
        Box::pin(self.checked(turn, runs))
    }
}

/// A command line by which two are compared.
fn plain(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What the model reads of a failure.
fn told(line: &str, code: i32, content: &str, (round, rounds): (u32, u32), failed_before: bool) -> String {
    let known = match failed_before {
        true => "It failed before your edits too, but not like this.",
        false => "If it failed before your edits or you cannot put it right, say so and change nothing.",
    };
    let shown = fenced("output", &[("command", line)], &end_of(content));
    format!(
        "[Validation: `{line}` ran after your edits and ended with exit code {code} (round {round} of {rounds}). Put right what \
         your edits broke; it runs again when you are done. {known}]\n{shown}"
    )
}

/// The end of an output, from a line on.
fn end_of(content: &str) -> String {
    let content = content.trim_end();
    let mut from = content.len().saturating_sub(TOLD);
    while !content.is_char_boundary(from) {
        from += 1;
    }
    if from == 0 {
        return content.to_owned();
    }
    let rest = content.get(from..).unwrap_or_default();
    let rest = rest.split_once('\n').map_or(rest, |(_, rest)| rest);
    format!("[… {} bytes before this are left out]\n{rest}", content.len() - rest.len())
}
