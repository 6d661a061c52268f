//! Subagents: assignments that other agents work on, each in a session of its own with its own prefix, under the gate, the
//! budget and the bounds of the session that asked for them. What they hand back is text, and data.

mod address;
mod apart;
mod branch;
mod branched;
mod bring;
mod child;
mod choosing;
mod clones;
mod commits;
mod errand;
mod family;
mod flood;
mod forks;
mod heard;
mod isolation;
mod lost;
mod merge;
mod models;
mod plan;
mod share;
mod skills;
mod told;
mod yields;

pub use address::Addressed;
pub use clones::sweep;
pub use clones::{ClonesKept, tidy_clones};
pub use errand::SkillErrand;
pub use family::ChildFamily;
pub use lost::{LeftBehind, left_behind};

use child::{Child, Wanted};
use choosing::Choosing;
use flood::Flood;
use forks::Forked;
use futures_util::future::join_all;
use isolation::{Apart, Made};
use reasonix_agent::{Artifacts, Aspect, BoxFuture, Call, Journal, Limits, Request, Stop, Tools, TurnOver};
use reasonix_gate::Approvals;
use reasonix_hooks::Hooks;
use reasonix_jobs::Jobs;
use reasonix_proto::{
    AgentProfile, CallId, Change, ChildRun, Event, Phrase, RecordBody, SessionId, ToolOutcome, TurnEnd, Unmerged,
};
use reasonix_state::Book;
use reasonix_state::outbox::Outbox;
use reasonix_state::purse::Purse;
use reasonix_talk::tools::{Assignment, Assignments, BySkill, Delegates};
use reasonix_undo::Undo;
use reasonix_world::border::BoxedShell;
use reasonix_world::spec::Start;
use reasonix_world::trust::TrustWord;
use serde_json::Value;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Instant;
use told::{Came, Handed};
use yields::HandedResult;

/// What a subagent is to do, in the list of people: characters.
const SHORT: (usize, usize) = (30, 120);

/// The subagents that one agent may start.
pub struct Children {
    family: Arc<ChildFamily>,
    /// Its own name where it is a subagent itself, and how deep its subagents are.
    name: String,
    depth: u32,
    /// The agent that it works as; none for the session itself, whose agent may change.
    works_as: Option<AgentProfile>,
    flood: Flood,
    kin: OnceLock<Kin>,
    me: Weak<Self>,
    /// What was said up to the calls that run.
    so_far: Mutex<Option<Arc<Forked>>>,
}

/// Makes the tools of a subagent.
pub type MakesTools = Arc<dyn Fn(&Start, &Arc<dyn Delegates>, u64) -> Tools + Send + Sync>;

/// What an agent has that its subagents are made of.
#[derive(Clone)]
pub struct Kin {
    /// What the session started from.
    pub start: Arc<Start>,
    /// The gate that judges them too.
    pub gate: Arc<Approvals>,
    /// The log of the session that all of them work for.
    pub root: Arc<Book>,
    /// The session itself.
    pub session: SessionId,
    /// Where their events go.
    pub outbox: Arc<Outbox>,
    /// What they spend from.
    pub purse: Arc<Purse>,
    /// The hooks that run for them too.
    pub hooks: Arc<Hooks>,
    /// Where long outputs lie.
    pub artifacts: Arc<dyn Artifacts>,
    /// Their tools.
    pub kit: Kit,
    /// What takes back what the session did to files.
    pub undo: Weak<Undo>,
    /// The bounds of a turn.
    pub limits: Limits,
    /// What the user trusts.
    pub trust: TrustWord,
    /// What runs behind calls.
    pub jobs: Arc<Jobs>,
}

/// The tools that subagents are given, and what holds their commands.
#[derive(Clone)]
pub struct Kit {
    /// Everything that a subagent may have, by what it starts from and what its model can see.
    pub tools: MakesTools,
    /// The same for one whose commands run in a box of its own.
    pub tools_in: Arc<dyn Fn(BoxedShell) -> MakesTools + Send + Sync>,
    /// Those of the session's tools that edit.
    pub edits: Arc<[String]>,
    /// What commands are held to, in a word.
    pub sandbox: String,
}

impl Kin {
    /// The session's model, and how hard it is told to think.
    fn asks(&self) -> (String, Option<String>) {
        let state = self.root.state();
        (state.model.clone(), state.effort.clone())
    }

    /// Writes down how one stands, and tells it. However deep it is, the log of the session has it: what is known of all of them
    /// is there after a resume.
    async fn keep(&self, run: &ChildRun) -> Result<(), String> {
        self.write(RecordBody::Child(Box::new(run.clone()))).await
    }

    async fn write(&self, body: RecordBody) -> Result<(), String> {
        match self.root.append(body).await {
            Ok(record) => {
                self.root.tell(Event::Changed { record: Box::new(record) });
                Ok(())
            }
            Err(error) => {
                self.outbox.warn(error.phrase());
                Err(error.to_string())
            }
        }
    }
}

/// An assignment and who is to work on it.
struct Job {
    /// What it is called; of a new one what it wants to be called.
    name: String,
    profile: AgentProfile,
    earlier: Option<SessionId>,
    task: String,
    prompt: String,
    schema: Option<Value>,
    /// Nobody waits for it.
    apart: bool,
    /// It works in a clone of its own.
    writes: bool,
    /// The skill that it does.
    skill: Option<BySkill>,
    /// The conversation that it begins with.
    fork: Option<Arc<Forked>>,
}

impl Children {
    /// Those of a session.
    pub fn of_session(family: &Arc<ChildFamily>) -> Arc<Self> {
        let (family, kin, flood) = (Arc::clone(family), OnceLock::new(), Flood::default());
        let of = |me: &Weak<Self>| {
            let (name, me) = (String::new(), Weak::clone(me));
            Self { family, name, depth: 1, works_as: None, flood, kin, me, so_far: Mutex::default() }
        };
        Arc::new_cyclic(of)
    }

    /// Those of one of these.
    fn below(&self, name: &str, profile: &AgentProfile) -> Arc<Self> {
        let (family, works_as) = (Arc::clone(&self.family), Some(profile.clone()));
        let (name, depth, kin) = (name.to_owned(), self.depth + 1, OnceLock::new());
        let of = |me: &Weak<Self>| {
            let (flood, me, so_far) = (Flood::default(), Weak::clone(me), Mutex::default());
            Self { family, name, depth, works_as, flood, kin, me, so_far }
        };
        Arc::new_cyclic(of)
    }

    /// What was said up to the calls that run.
    fn so_far(&self) -> Option<Arc<Forked>> {
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keep_so_far(&self, said: Option<Forked>) {
        *self.so_far.lock().unwrap_or_else(PoisonError::into_inner) = said.map(Arc::new);
    }

    /// Learns what they are made of.
    pub fn know(&self, kin: Kin) {
        let _ = self.kin.set(kin);
    }

    /// Has assignments worked on, all at once as far as there are places, and gives what came of them.
    async fn run(&self, wanted: Assignments, call: Call<'_>) -> ToolOutcome {
        match self.hand_out(wanted, &call).await {
            Ok((handed, changes)) => told::told(&handed, changes),
            Err(outcome) => outcome,
        }
    }

    /// The same as what each handed back, and what that changed here; the outcome where nobody is waited for.
    async fn hand_out(&self, wanted: Assignments, call: &Call<'_>) -> Result<(Vec<Handed>, Vec<Change>), ToolOutcome> {
        let Some(kin) = self.kin.get() else { return Err(ToolOutcome::failed("there are no subagents here")) };
        let skill = wanted.skill.clone();
        if let Some(refused) = skill.as_ref().and_then(|skill| self.without_skills(kin, skill)) {
            return Err(refused);
        }
        let mut jobs = Choosing { of: self, kin }.jobs(wanted)?;
        if let Some(skill) = &skill {
            self.allowed(kin, skill, &jobs, call).await?;
        }
        if let Some(writer) = jobs.iter().find(|job| job.writes)
            && let Some(refused) = isolation::refused(kin, &writer.profile.name).await
        {
            return Err(refused);
        }
        // A subagent waits for those that it started: nobody would read what they hand back after it. And what writers made is
        // merged when all of them are over, which somebody has to wait for.
        let apart = jobs.iter().all(|job| job.apart && !job.writes) && self.depth == 1;
        let me = self.me.upgrade().filter(|_| apart);
        // There is room for all of them, or none begins.
        let places = me.as_ref().map(|_| kin.jobs.places(jobs.len())).transpose()?;
        self.admit(kin, &jobs)?;
        self.name(&mut jobs);
        if let Some((me, places)) = me.zip(places) {
            return Err(me.apart(kin, (jobs, places), call.id).await);
        }
        let mut handed = join_all(jobs.into_iter().map(|job| self.one(kin, job, call.id, &call.stop))).await;
        let changes = self.bring_back(kin, call, &mut handed).await;
        Ok((handed, changes))
    }

    /// Gives those their names that are new.
    fn name(&self, jobs: &mut [Job]) {
        let new: Vec<&mut Job> = jobs.iter_mut().filter(|job| job.earlier.is_none()).collect();
        let wanted: Vec<String> = new.iter().map(|job| job.name.clone()).collect();
        let names = self.family.names(&self.name, &wanted);
        new.into_iter().zip(names).for_each(|(job, name)| job.name = name);
    }

    /// Counts what a call wants; or says that it is too much, or the same again.
    fn admit(&self, kin: &Kin, jobs: &[Job]) -> Result<(), ToolOutcome> {
        let turn = kin.root.state().turn;
        let prompts: Vec<String> = jobs.iter().map(|job| format!("{} {}", job.profile.name, job.prompt)).collect();
        if let Err(place) = self.flood.admit(turn, &prompts) {
            self.flood.refused(turn);
            kin.outbox.warn(Phrase::new("engine.children_alike"));
            let name = jobs.get(place).map(|job| job.task.as_str()).unwrap_or_default();
            let message =
                format!("this was asked of subagents again and again in this turn: {name:?}; none was started");
            return Err(ToolOutcome::failed_with(message, "work with what they handed back; once more ends the turn"));
        }
        let count = u32::try_from(jobs.len()).unwrap_or(u32::MAX);
        self.family.admit(turn, count).map_err(|left| {
            self.flood.refused(turn);
            let most = self.family.bounds.per_turn;
            kin.outbox.warn(Phrase::new("engine.children_bound").with("most", most));
            let message = format!(
                "a turn may start {most} subagents and {left} of them are left; none of these {count} was started"
            );
            let hint = "do the rest yourself, or put several questions into one assignment; once more ends the turn";
            ToolOutcome::failed_with(message, hint)
        })
    }

    /// One assignment from its beginning to its end.
    async fn one(&self, kin: &Kin, job: Job, call: &CallId, stop: &Stop) -> Handed {
        let (name, agent, writes) = (job.name.clone(), job.profile.name.clone(), job.writes);
        let place = tokio::select! {
            biased;
            () = stop.cancelled() => None,
            place = self.family.place(self.depth) => place,
        };
        let (came, made) = match place {
            Some(_place) if writes => self.worked_apart(kin, job, call, stop).await,
            Some(_place) => (self.worked(kin, job, (call, stop), None).await.0, None),
            None => (Came::Skipped, None),
        };
        Handed { name, agent, came, writes, made, patched: false, note: String::new() }
    }

    /// The same in a clone of its own, and what it made there.
    async fn worked_apart(&self, kin: &Kin, job: Job, call: &CallId, stop: &Stop) -> (Came, Option<Made>) {
        let isolated = match self.isolate(kin, &job.name).await {
            Ok(isolated) => isolated,
            Err(why) => return (Came::Not { why }, None),
        };
        let apart = isolated.apart(kin);
        // Whoever worked there is gone when this is over, with all that it started.
        let (came, began) = self.worked(kin, job, (call, stop), Some(&apart)).await;
        match isolated.finish(&apart.shell.confinement, kin.artifacts.as_ref()).await {
            Ok(made) if began => (came, Some(made)),
            Ok(_) => (came, None),
            Err(why) => (Came::Not { why: format!("what it did cannot be told: {why}") }, None),
        }
    }

    /// What came of it, and whether it began.
    async fn worked(&self, kin: &Kin, job: Job, (call, stop): (&CallId, &Stop), apart: Option<&Apart>) -> (Came, bool) {
        let Job { name, profile, earlier, task, prompt, schema, skill, fork, .. } = job;
        let (earlier, schema) = (earlier.as_ref(), schema.as_ref());
        let prompt = if fork.is_some() { forks::assigned(&name, &prompt) } else { prompt };
        let unmerged = self.family.unmerged(&name);
        let anew = (earlier.is_some() && apart.is_some()).then(|| family::anew(unmerged.as_ref()));
        let prompt = anew.map_or_else(|| prompt.clone(), |anew| format!("{anew}\n\n{prompt}"));
        // What it does from now on is in its clone alone until that is brought back.
        let unmerged = unmerged.or_else(|| apart.map(|_| Unmerged::Clone));
        let fork = fork.as_deref().map(|fork| (fork, call));
        let wanted = Wanted { name: &name, profile: &profile, earlier, schema, apart, skill: skill.as_ref(), fork };
        let mut child = match Child::new(self, kin, wanted).await {
            Ok(child) => child,
            Err(error) => {
                kin.outbox.warn(error.phrase());
                return (Came::Not { why: error.to_string() }, false);
            }
        };
        let (session, model) = (child.session.clone(), child.model.clone());
        let (agent, skill) = (profile.name, skill.map(|skill| skill.name));
        let begun = ChildRun { agent, model, task, skill, unmerged, ..ChildRun::begun(name, session, call.clone()) };
        // That it begins must be on disk before it does anything.
        if let Err(why) = kin.keep(&begun).await {
            return (Came::Not { why }, false);
        }
        let (stop, since) = (stop.child_token(), Instant::now());
        let inbox = self.family.begun(&begun, &stop);
        let (end, spent, HandedResult { text, unfit }) = child.work(prompt, &inbox, &stop).await;
        let text = told::bounded(text, &begun.session);
        if unfit {
            kin.outbox.warn(Phrase::new("engine.child_unfit").with("child", &begun.child));
        }
        kin.outbox.count(spent.usage);
        let output = kin.artifacts.put(text.as_bytes()).ok().filter(|_| !text.is_empty()).map(|kept| kept.uri);
        let run = ChildRun {
            end: Some(end),
            summary: first(&text, SHORT.1),
            output,
            steps: spent.steps,
            took_ms: u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX),
            usage: spent.usage,
            cost: spent.cost,
            ..begun
        };
        self.family.ended(&run);
        let _ = kin.keep(&run).await;
        (Came::Back { run: Box::new(run), text, unfit, answered: spent.answered }, true)
    }
}

impl Aspect for Children {
    fn over(&self) -> Option<TurnOver> {
        self.flood.over()
    }

    /// What was said so far is kept while calls run, for copies of the session's conversation.
    fn before_calls(&self, so_far: &dyn Fn() -> Request, model: &str) {
        self.keep_so_far(self.works_as.is_none().then(|| Forked::of(so_far(), model)));
    }

    fn at_end(&self, _turn: u32) -> BoxFuture<'_, ()> {
        self.keep_so_far(None);
        Box::pin(async {})
    }

    /// A turn of the session may begin with a skill that a subagent does.
    fn before_model<'a>(&'a self, turn: u32, stop: &'a Stop) -> BoxFuture<'a, Option<Result<String, TurnEnd>>> {
        Box::pin(async move {
            let errand = self.family.errand().filter(|_| self.works_as.is_none())?;
            Some(self.errand(errand, turn, stop).await)
        })
    }
}

impl Delegates for Children {
    /// Depth is left, and the agent may start others.
    fn may_be(&self) -> bool {
        let none = |profile: &AgentProfile| profile.spawns.as_ref().is_some_and(Vec::is_empty);
        self.depth <= self.family.bounds.max_depth && !self.works_as.as_ref().is_some_and(none)
    }

    fn agent_of(&self, id: &str) -> Option<String> {
        self.family.find(id).map(|run| run.agent)
    }

    fn delegate<'a>(&'a self, wanted: Assignments, call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(self.run(wanted, call))
    }
}

/// What is wrong with assignments by themselves.
fn faultless(tasks: &[Assignment]) -> Result<(), ToolOutcome> {
    if tasks.is_empty() {
        return Err(ToolOutcome::failed_with("there is no assignment", "give tasks: [{id, description, assignment}]"));
    }
    let mut seen: Vec<String> = tasks.iter().map(|task| task.id.to_lowercase()).collect();
    seen.sort();
    if let Some([twice, _]) = seen.array_windows().find(|[one, other]| one == other && !one.is_empty()) {
        let message = format!("two tasks have the id {twice:?}");
        return Err(ToolOutcome::failed_with(message, "ids differ by more than their case"));
    }
    if let Some(empty) = tasks.iter().find(|task| task.text.trim().is_empty()) {
        let message = format!("the task {:?} has no assignment", empty.id);
        return Err(ToolOutcome::failed_with(message, "say in assignment what is to be done and what to hand back"));
    }
    Ok(())
}

fn prompt(context: &str, assignment: &str) -> String {
    match context.trim() {
        "" => assignment.trim().to_owned(),
        context => format!("<context>\n{context}\n</context>\n\n{}", assignment.trim()),
    }
}

fn short(task: &Assignment) -> String {
    let text = if task.description.trim().is_empty() { &task.text } else { &task.description };
    first(text, SHORT.0)
}

/// The beginning of a text in one line.
fn first(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line,
    }
}

fn capital(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
