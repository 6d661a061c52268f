//! The gate: rules decide, a person is asked where they say so, and the first answer wins.

mod agents;
mod aside;
mod asked;
mod below;
mod classify;
mod copies;
mod explain;
mod files;
mod given;
mod keep;
mod later;
mod narrow;
mod person;
mod programs;
mod question;
mod restorable;
mod rules;
mod scripts;
mod search;
mod stance;
mod waits;

pub use agents::AgentStanding;
pub use aside::{Aside, AsideWord, rule_for};
pub use asked::{AnswerHeard, OpenQuestions, QuestionEnd};
pub use classify::ByText;
pub use explain::{Explained, Outlook};
pub use given::hidden_skills;
pub use narrow::Narrowing;
pub use person::AskAnswer;
pub use restorable::WORD as RESTORABLE;
pub use stance::{Stance, Stands};
pub use waits::Waits;

use below::Below;
use classify::found;
use copies::Copies;
use files::Files;
use given::rules_of;
use keep::Keeper;
use programs::{Programs, Resolved};
use reasonix_agent::{Ask, BoxFuture, Class, Decision, Gate, Sink, WantsAsked};
use reasonix_config::Settings;
use reasonix_exec::{Confinement, SandboxLevel};
use reasonix_policy::{
    By, Case, Circumstances, Effects, Fallback, LineDanger, Posture, Rule, RuleError, Rules, Verdict, evaluate,
    is_protected, judge, judge_restorable, more_dangers, protected,
};
use reasonix_proto::{
    Action, AskId, Asking, CallId, Choice, Decided, DecidedBy, Event, Family, Level, Mode, Phrase, ReadOnly, Record,
};
use reasonix_undo::Undo;
use reasonix_workspace::Workspace;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// What a call is refused with while plan mode is on.
const PLAN_REFUSAL: &str = "plan mode is on and this could change something. Do not try it again or by other means: go \
on reading, then hand in your plan";

/// What a call is refused with where a person would have to be asked.
const UNASKED: &str = "it needs a person's approval and nobody is here to give it";

/// What a gate is told of the session that it stands before.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    /// What the user wrote on disk and said on the command line.
    pub settings: &'a Settings,
    /// The user's folder, `~/.reasonix`.
    pub home: &'a Path,
    /// The files that the session may touch.
    pub workspace: &'a Workspace,
    /// True when a person can answer questions.
    pub attended: bool,
    /// Rules that answer for a person in this run.
    pub approve: &'a [String],
}

/// What was settled before the session began.
pub struct GateStanding {
    rules: Rules,
    /// True when a person can answer.
    attended: bool,
    /// What answers for a person in this run.
    approved: Vec<Rule>,
    /// More patterns for the dangerous class.
    dangerous: Vec<Rule>,
    /// Where grants for good are written.
    keeper: Option<Keeper>,
    /// Grants of earlier, the last of the rules that allow.
    kept: Vec<rules::Kept>,
    /// The kernel keeps commands in a box of level `full`.
    walled: bool,
    /// The kernel holds readers to reading.
    held: bool,
    /// Dangers that undo can take back were answered for this run.
    restorable: bool,
    /// Where programs are found by their names.
    programs: Programs,
    /// What is known of git's copies of files that may not be read.
    copies: Copies,
    /// What happens when a file tool wants to read outside and no rule speaks of it.
    external: Fallback,
    /// Tools of plugins that may be called in plan mode.
    plan_readers: Vec<String>,
}

impl GateStanding {
    /// By what was given, where nothing is confined.
    pub fn new(given: &Given<'_>) -> Result<Self, RuleError> {
        let Given { settings, home, workspace, attended, approve } = *given;
        let rules = rules_of(settings, workspace.root())?;
        let (words, rules_given): (Vec<&String>, Vec<&String>) =
            approve.iter().partition(|text| text.as_str() == restorable::WORD);
        let approved = rules_given.into_iter().map(|text| Rule::parse_allow(text)).collect::<Result<_, _>>()?;
        let restorable = !words.is_empty();
        let dangerous = more_dangers(&settings.permissions.dangerous)?;
        let file = settings.user_file.clone();
        let keeper = file.map(|file| Keeper::new(file, workspace.root().to_owned(), home));
        let (walled, held) = (false, false);
        let kept = rules::kept_of(&rules, &settings.permissions.granted);
        let [path, activated] = ["PATH", "VIRTUAL_ENV"].map(std::env::var_os);
        let programs = Programs::new(path.as_deref(), activated.as_deref(), &workspace.roots());
        Ok(Self {
            rules,
            attended,
            approved,
            dangerous,
            keeper,
            kept,
            walled,
            held,
            restorable,
            programs,
            copies: Copies::default(),
            external: settings.permissions.external_directory,
            plan_readers: settings.agent.plan_mode_allowed_tools.clone(),
        })
    }

    /// Tells what the kernel holds commands to.
    #[must_use]
    pub fn confined(mut self, confinement: &Confinement) -> Self {
        self.walled = matches!(confinement, Confinement::Boxed(sandbox) if sandbox.level() == SandboxLevel::Full);
        self.held = confinement.held().is_some();
        self.copies = Copies::new(confinement);
        self
    }
}

/// Decides about every call of a session, and remembers what they came to.
pub struct Approvals {
    standing: Arc<GateStanding>,
    granted: Arc<Mutex<Vec<Rule>>>,
    /// Tools of plugins that may be called in plan mode for the rest of the session.
    taken_at_its_word: Arc<Mutex<BTreeSet<String>>>,
    /// The last calls that run because undo takes back what they do.
    by_word: Arc<Mutex<VecDeque<CallId>>>,
    /// Grants that stand in the user's file.
    kept: Arc<Mutex<Vec<rules::Kept>>>,
    /// How strict the session is.
    stance: Arc<dyn Stands>,
    open: Arc<OpenQuestions<AskAnswer, Offered>>,
    /// One question at a time: those of subagents wait for each other.
    alone: Arc<tokio::sync::Mutex<()>>,
    /// The scripts that each rule was granted for.
    scripts: Arc<Mutex<HashMap<String, Vec<scripts::Scripts>>>>,
    files: Arc<Files>,
    /// What the running turn is narrowed to.
    narrowed: Arc<Mutex<Option<Narrowing>>>,
    /// What the subagents are narrowed to whose calls are judged, whatever the turn.
    held_to: Vec<Arc<Narrowing>>,
    /// What holds while an agent is at work, by its name.
    agents: Arc<Mutex<BTreeMap<String, Arc<AgentStanding>>>>,
    /// The subagent whose calls are judged, and those that it works for, with what holds for each.
    below: Vec<Below>,
    /// They are made in a copy of the files.
    apart: bool,
    /// Whose scripts are not to be run.
    distrusts: Option<narrow::Distrusts>,
    /// What takes back what calls did; it ends with the session, which a gate may outlive.
    undo: Weak<Undo>,
    sink: Arc<dyn Sink>,
}

/// What a question offers, and what an answer to it is about.
struct Offered {
    choices: Vec<Choice>,
    digest: String,
    editable: bool,
}

impl Offered {
    fn by(asking: &Asking) -> Self {
        Self { choices: asking.choices.clone(), digest: asking.digest.clone(), editable: asking.editable }
    }

    /// The answer, where it is one to this question.
    fn fit(&self, answer: AskAnswer, digest: Option<&str>) -> Result<AskAnswer, AnswerHeard> {
        if digest.is_some_and(|digest| digest != self.digest) {
            return Err(AnswerHeard::OtherThing);
        }
        if !self.choices.contains(&answer.choice) || !answer.fits(self.editable) {
            return Err(AnswerHeard::NotOffered);
        }
        Ok(answer.bounded())
    }
}

impl Approvals {
    /// A gate that decides by this, and asks by way of the sink.
    pub fn new(
        standing: GateStanding,
        workspace: Workspace,
        stance: impl Stands + 'static,
        sink: Arc<dyn Sink>,
    ) -> Self {
        Self {
            stance: Arc::new(stance),
            kept: Arc::new(Mutex::new(standing.kept.clone())),
            files: Arc::new(Files::new(workspace, standing.walled)),
            standing: Arc::new(standing),
            granted: Arc::default(),
            taken_at_its_word: Arc::default(),
            by_word: Arc::default(),
            open: Arc::new(OpenQuestions::new("ask")),
            alone: Arc::default(),
            scripts: Arc::default(),
            narrowed: Arc::default(),
            held_to: Vec::new(),
            agents: Arc::default(),
            below: Vec::new(),
            apart: false,
            distrusts: None,
            undo: Weak::new(),
            sink,
        }
    }

    /// Tells what takes back what calls did.
    #[must_use]
    pub fn undone_by(mut self, undo: Option<&Arc<Undo>>) -> Self {
        self.undo = undo.map(Arc::downgrade).unwrap_or_default();
        self
    }

    /// Takes in what a call of the session did to files.
    pub fn recall(&self, record: &Record) {
        self.files.ended(record);
    }

    fn posture(&self, by_user: bool) -> Posture {
        let Stance { posture, trusted, asks, .. } = self.stance.stance();
        match posture {
            _ if asks && !by_user => Posture::Ask,
            // What carries out a plan that was approved runs unless it is denied or dangerous.
            Posture::Ask | Posture::Auto if trusted => Posture::Yolo,
            // What a person typed needs no approval of the same person, unless a rule or danger asks for it.
            Posture::Ask if by_user => Posture::Auto,
            posture => posture,
        }
    }

    /// Tells everybody of something that was decided aside.
    pub fn tell(&self, event: Event) {
        self.sink.emit(event);
    }

    /// Takes an answer.
    pub fn answer(&self, ask: &AskId, answer: AskAnswer, digest: Option<&str>) -> AnswerHeard {
        self.open.answer(ask, |offered| offered.fit(answer, digest))
    }

    /// Puts one question to whoever is there, and waits for its answer; no answer is a no.
    async fn put(&self, asking: impl FnOnce(&AskId) -> Asking) -> (AskId, AskAnswer) {
        let _alone = self.alone.lock().await;
        let shown = |id: &AskId| {
            let asking = Asking { child: self.child().map(str::to_owned), ..asking(id) };
            (Offered::by(&asking), Event::Asked { asking: Box::new(asking) })
        };
        let (id, said) = self.open.ask(self.sink.as_ref(), None, shown).await;
        (id, said.or_nothing())
    }

    /// What the call would do, with where its paths really lead: a link must not get around a rule for its target,
    /// nor may a rule for a link allow more than its target's would.
    fn judged(&self, action: &Action) -> Action {
        let mut judged = action.clone();
        if matches!(action.family, Family::Edit | Family::Read | Family::Grep) {
            let workspace = self.files.workspace();
            let real = action.subjects.iter().filter_map(|path| workspace.real(path).ok());
            judged.subjects.extend(real.filter(|path| !action.subjects.contains(path)));
        }
        judged
    }

    /// The verdict; with a word that answers dangers which undo can take back, where it was given and holds.
    fn verdict(&self, ask: &Ask<'_>, word: Option<&str>) -> Verdict {
        let action = self.judged(ask.action);
        let tool = ask.tool.spec().name.as_str();
        let Resolved { action, effects, .. } = self.standing.programs.resolve(&self.files, &action, found(ask));
        let granted = self.granted.lock().unwrap_or_else(PoisonError::into_inner);
        let dangerous = self.dangers_now();
        let about = Circumstances {
            granted: &granted,
            approved: &self.standing.approved,
            dangerous: &dangerous,
            posture: self.posture(ask.by_user),
            attended: self.standing.attended && word.is_none(),
            held: self.standing.held && ask.classified.class == Class::Reader,
            facts: self.files.as_ref(),
        };
        let case = Case::with(tool, &action, effects);
        let rules = self.with_agents(self.rules().into_owned(), Some((tool, &action)));
        let judged = match word {
            Some(word) => judge_restorable(&rules, &about, &case, word),
            None => judge(&rules, &about, &case),
        };
        let verdict = self.by_resource(judged, &granted, &case.effects);
        let verdict = if about.held { verdict } else { self.by_change(verdict, &case.effects) };
        let verdict = self.by_protection(verdict, &about, &case.effects);
        let verdict = self.by_copies(verdict, &case.effects);
        let verdict = self.by_outside(self.by_search(verdict, ask), &action);
        let verdict = self.within(verdict, tool, &action, about.held);
        if !matches!(verdict, Verdict::Deny(_)) {
            self.files.await_made(&ask.call.id, &case.effects);
        }
        verdict
    }

    /// A deny or ask rule for files holds for commands that name them too.
    fn by_resource(&self, verdict: Verdict, granted: &[Rule], effects: &[Effects]) -> Verdict {
        let rules = &self.with_agents(self.standing.rules.clone(), None);
        // The disk is only looked at where a rule speaks of files.
        let speaks = rules.deny.iter().chain(&rules.ask).any(Rule::names_paths);
        if effects.is_empty() || !speaks || matches!(verdict, Verdict::Deny(_)) {
            return verdict;
        }
        let reads = Action { family: Family::Read, subjects: self.files.read_by(effects), read_only: ReadOnly::Yes };
        let writes = Action::writes(Family::Edit, self.files.written_by(effects));
        let mut strictest = verdict;
        for (tool, action) in [("read_file", reads), ("write_file", writes)] {
            // A bare rule speaks of the tool; only one with a path speaks of the file.
            let about = |rules: &[Rule]| rules.iter().filter(|rule| rule.names_paths()).cloned().collect();
            let narrow = Rules { deny: about(&rules.deny), ask: about(&rules.ask), ..Rules::default() };
            match evaluate(&narrow, granted, self.posture(false), tool, &action) {
                denied @ Verdict::Deny(By::Rule(_)) => return denied,
                asked @ Verdict::Ask(By::Rule(_)) if matches!(strictest, Verdict::Allow(_)) => strictest = asked,
                _ => {}
            }
        }
        strictest
    }

    /// A deny or ask rule for changes holds for commands that would change what they name in any way: remove it, move it,
    /// link to it, give it other rights.
    fn by_change(&self, verdict: Verdict, effects: &[Effects]) -> Verdict {
        let rules = &self.with_agents(self.standing.rules.clone(), None);
        if matches!(verdict, Verdict::Deny(_)) || !rules.deny.iter().chain(&rules.ask).any(Rule::names_paths) {
            return verdict;
        }
        let changes: Vec<(Vec<String>, bool)> = effects
            .iter()
            .flat_map(Effects::changes)
            .map(|change| (self.files.seen_as(change.places, &change.path), change.whole))
            .collect();
        // What may not be read is hidden from programs, so that nothing they change can be it.
        let speaks = |rule: &&Rule| {
            let edits = !rule.unchanged().is_empty();
            edits && changes.iter().any(|(names, whole)| names.iter().any(|name| rule.speaks_of_change(name, *whole)))
        };
        let by = |rule: &Rule| By::Rule(rule.text().to_owned());
        match (rules.deny.iter().find(speaks), &verdict) {
            (Some(rule), _) => Verdict::Deny(by(rule)),
            (None, Verdict::Allow(_)) => rules.ask.iter().find(speaks).map_or(verdict, |rule| Verdict::Ask(by(rule))),
            _ => verdict,
        }
    }

    /// A command that names a protected file to write it is asked about like a change to it.
    fn by_protection(&self, verdict: Verdict, about: &Circumstances<'_>, effects: &[Effects]) -> Verdict {
        if !matches!(verdict, Verdict::Allow(_) | Verdict::Ask(By::Fallback)) || effects.is_empty() {
            return verdict;
        }
        let written = self.files.written_by(effects).into_iter().filter(|path| is_protected(path)).collect();
        protected(written, about).unwrap_or(verdict)
    }

    /// Code for an interpreter has effects that nobody knows: without a person it runs only where the kernel holds it.
    fn is_unheld_code(&self, ask: &Ask<'_>, by: &By) -> bool {
        let nobody_said_so = matches!(by, By::Fallback | By::Posture(_));
        let free = !self.standing.attended && !self.standing.walled && nobody_said_so;
        free && found(ask).iter().any(|effects| effects.interprets)
    }

    /// What is written of a call that a person would have been asked about, and that runs because none is there.
    fn unasked(&self, ask: &Ask<'_>) -> Option<Decided> {
        let writes = ask.classified.class != Class::Reader && ask.action.read_only != ReadOnly::Yes;
        let mode = || self.with_agents(self.standing.rules.clone(), None).mode;
        let untold = !self.standing.attended && mode() == Fallback::Ask;
        (writes && untold).then(|| Decided { by: DecidedBy::Unasked, ..by_rule(ask, true, &By::Fallback) })
    }

    /// Nobody can be asked about a danger; whoever started this run may have given the word for what undo takes back.
    async fn answer_danger(&self, ask: &Ask<'_>, found: Vec<LineDanger>) -> Decision {
        if !self.standing.restorable {
            return deny_danger(ask, found, None);
        }
        let effects = classify::found(ask);
        if let Some(lack) = self.lack(ask, &found, &effects).await {
            return deny_danger(ask, found, Some(&lack));
        }
        match self.verdict(ask, Some(restorable::WORD)) {
            Verdict::Allow(by) => {
                self.note_word(&ask.call.id);
                Decision::Allow { record: Some(by_rule(ask, true, &by)) }
            }
            Verdict::Ask(by) | Verdict::Deny(by) => deny(ask, &by, "no approval of this run answers it"),
        }
    }

    /// A tool of a plugin that the user named as one for plan mode.
    fn reads_in_plans(&self, ask: &Ask<'_>) -> bool {
        let name = &ask.tool.spec().name;
        ask.action.family == Family::Tool && self.standing.plan_readers.iter().any(|other| other == name)
    }

    /// A tool of a plugin that says of itself that it only reads: in plan mode a person may take its word.
    fn may_be_asked_in_plans(&self, ask: &Ask<'_>) -> bool {
        self.standing.attended && ask.action.family == Family::Tool && ask.tool.says_it_reads()
    }

    /// Whoever plans is asked about such a tool, whatever rules, grants of before and postures say; a yes for the session is
    /// an answer for the rest of it.
    fn by_plan(&self, verdict: Verdict, ask: &Ask<'_>) -> Verdict {
        let known = self.taken_at_its_word.lock().unwrap_or_else(PoisonError::into_inner);
        match verdict {
            verdict if known.contains(&ask.tool.spec().name) => verdict,
            Verdict::Allow(_) | Verdict::Ask(By::Fallback | By::Rule(_)) => Verdict::Ask(By::Unvouched),
            verdict => verdict,
        }
    }

    /// What the session may do from now on without asking.
    fn grant(&self, rule: &str) {
        if let Ok(parsed) = Rule::parse(rule) {
            self.granted.lock().unwrap_or_else(PoisonError::into_inner).push(parsed);
        }
    }

    /// Writes a grant for good.
    async fn keep(&self, rule: &str) -> Result<(), Phrase> {
        match &self.standing.keeper {
            Some(keeper) => keeper.keep(rule).await,
            None => Err(Phrase::new("engine.grant_unsaved").with("rule", rule).with("reason", "-")),
        }
    }

    /// Makes what the choice grants hold: the rule that holds from now on, and whether it was written down. A grant
    /// for good that cannot be written is said, and holds for nothing but this once.
    async fn settle(&self, choice: &Choice) -> (Option<String>, bool) {
        let (rule, saved) = match choice {
            Choice::AllowSession { rule } => (rule, false),
            Choice::AllowAlways { rule } => match self.keep(rule).await {
                Ok(()) => {
                    self.note_kept(rule);
                    (rule, true)
                }
                Err(phrase) => {
                    self.sink.emit(Event::Notice { level: Level::Warning, phrase });
                    return (None, false);
                }
            },
            Choice::AllowOnce | Choice::Deny => return (None, false),
        };
        self.grant(rule);
        (Some(rule.clone()), saved)
    }
}

impl Gate for Approvals {
    fn decide<'a>(&'a self, ask: Ask<'a>) -> BoxFuture<'a, Decision> {
        Box::pin(async move {
            let changes = ask.action.read_only != ReadOnly::Yes;
            let planning = changes && !ask.by_user && self.stance.stance().mode == Mode::Plan;
            let unvouched = planning && !self.reads_in_plans(&ask);
            if unvouched && !self.may_be_asked_in_plans(&ask) {
                return deny_planning(&ask);
            }
            if let Some(refused) = self.by_agent(&ask) {
                return refused;
            }
            self.look_for_copies(&ask).await;
            let verdict = self.in_copy(self.verdict(&ask, None), ask.action);
            let verdict = wished(self.by_later(verdict, &ask).await, &ask);
            let verdict = by_definition(verdict, &ask);
            match if unvouched { self.by_plan(verdict, &ask) } else { verdict } {
                Verdict::Allow(by) if self.is_unheld_code(&ask, &by) => {
                    deny(&ask, &by, "code for an interpreter runs without a person only at sandbox level full")
                }
                Verdict::Allow(By::Fallback) => Decision::Allow { record: self.unasked(&ask) },
                Verdict::Allow(by) if self.is_other_script(&ask, &by) => match self.standing.attended {
                    true => self.ask_changed(ask, &by).await,
                    false => deny(&ask, &by, "a script that it runs is not what it was when the rule was granted"),
                },
                Verdict::Allow(by) => Decision::Allow { record: Some(by_rule(&ask, true, &by)) },
                Verdict::Deny(by) => {
                    deny(&ask, &by, "it is not allowed here; no approval can change that in this session")
                }
                Verdict::Ask(By::Danger(found)) if self.standing.attended && self.was_granted(&ask, &found).await => {
                    let by = By::Rule(restorable::WORD.to_owned());
                    self.note_word(&ask.call.id);
                    Decision::Allow { record: Some(by_rule(&ask, true, &by)) }
                }
                Verdict::Ask(by) if self.standing.attended => self.ask_person(ask, by).await,
                Verdict::Ask(By::Danger(_)) if let Some(why) = &ask.classified.asks => {
                    deny(&ask, &wish_of(why), UNASKED)
                }
                Verdict::Ask(By::Danger(found)) => self.answer_danger(&ask, found).await,
                Verdict::Ask(by) if self.copied(&ask).is_some() => deny(&ask, &by, copies::ADVICE),
                Verdict::Ask(by) => deny(&ask, &by, UNASKED),
            }
        })
    }
}

/// A tool that is not what it was when somebody accepted it is asked about, whatever rules and postures allow.
fn by_definition(verdict: Verdict, ask: &Ask<'_>) -> Verdict {
    match (verdict, ask.tool.redefined()) {
        (denied @ Verdict::Deny(_), _) => denied,
        (_, Some(diff)) => Verdict::Ask(By::Redefined(diff)),
        (verdict, None) => verdict,
    }
}

/// Whoever stands around a call may want a person to be asked where nobody would have been; never the other way.
fn wished(verdict: Verdict, ask: &Ask<'_>) -> Verdict {
    match (verdict, &ask.classified.asks) {
        (Verdict::Allow(_), Some(wants)) => Verdict::Ask(wish_of(wants)),
        (verdict, _) => verdict,
    }
}

fn wish_of(wants: &WantsAsked) -> By {
    By::Aspect { by: wants.by.clone(), why: wants.why.clone() }
}

/// The verdict's reason as it is written down.
fn decided_by(by: &By) -> DecidedBy {
    match by {
        By::Aspect { by, .. } => DecidedBy::Other(by.clone()),
        By::Rule(rule) => DecidedBy::Rule(rule.to_string()),
        By::Fallback => DecidedBy::Fallback,
        By::Posture(posture) => DecidedBy::Posture(*posture),
        By::Danger(_) => DecidedBy::Danger,
        By::Memory => DecidedBy::Memory,
        By::Protected(_) => DecidedBy::Protected,
        By::Later(_) => DecidedBy::Later,
        By::Redefined(_) => DecidedBy::Redefined,
        By::Unvouched => DecidedBy::PlanMode,
        By::Approved(rule) => DecidedBy::Approved(rule.to_string()),
    }
}

fn by_rule(ask: &Ask<'_>, allowed: bool, by: &By) -> Decided {
    Decided { call: ask.call.id.clone(), allowed, by: decided_by(by), ..Decided::default() }
}

fn deny_planning(ask: &Ask<'_>) -> Decision {
    let (call, by) = (ask.call.id.clone(), DecidedBy::PlanMode);
    let record = Decided { call, allowed: false, by, ..Decided::default() };
    Decision::Deny { record, message: PLAN_REFUSAL.to_owned() }
}

fn deny(ask: &Ask<'_>, by: &By, why: &str) -> Decision {
    let message = format!("by {}: {why}. Find another way or tell the user", decided_by(by));
    Decision::Deny { record: by_rule(ask, false, by), message }
}

fn deny_danger(ask: &Ask<'_>, found: Vec<LineDanger>, lack: Option<&str>) -> Decision {
    let mut reasons: Vec<&str> = found.iter().map(|danger| danger.advice.as_str()).collect();
    reasons.dedup();
    let lack =
        lack.map(|lack| format!(". --approve {} does not answer it: {lack}", restorable::WORD)).unwrap_or_default();
    let message = format!(
        "by the dangerous class: {}{lack}. Nobody is here to approve it. Go another way, or say in your answer what the user should run",
        reasons.join("; ")
    );
    Decision::Deny { record: by_rule(ask, false, &By::Danger(found)), message }
}
