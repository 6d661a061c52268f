//! A goal of the session: what it becomes is written down before anything follows from it, and while it is active the session
//! goes on by itself. What comes after a turn is decided in `flow`.

use crate::desk::Desk;
use crate::reading::Reading;
use reasonix_agent::{Conversation, Said, Sink};
use reasonix_flow::{Course, GoalClaim, GoalHeld, TurnSeen, judge};
use reasonix_jobs::at_work;
use reasonix_proto::{
    Done, Event, GoalChange, GoalInfo, GoalLimits, GoalNews, GoalStanding, GoalStop, GoalStrategy, LONGEST_OBJECTIVE,
    Level, Message, Mode, Phrase, Record, RecordBody, Refusal, Refused, TurnEnd, TurnState,
};
use reasonix_session::{Past, now};
use reasonix_state::outbox::Outbox;
use reasonix_state::purse::Purse;
use reasonix_state::ticket::{Settlement, Ticket};
use reasonix_state::{Observer, SessionState};
use reasonix_talk::queue::Work;
use reasonix_workspace::Step;
use reasonix_world::detect::detect;
use reasonix_world::spec::Start;
use std::path::PathBuf;
use std::sync::Arc;

/// Where the course of research is kept, in the working folder.
const RESEARCH: &str = ".reasonix/autoresearch";
/// So much of an answer is kept there, in characters.
const LONGEST_TURN: usize = 32_000;

/// A change of the goal as a record.
pub(crate) fn goal_record(news: GoalNews, goal: Option<GoalInfo>) -> RecordBody {
    RecordBody::Goal(Box::new(GoalChange { news, goal }))
}

/// The goal as another session takes it over: it waits there.
pub(crate) fn handed_on(goal: &GoalInfo) -> RecordBody {
    let (standing, stop) = match goal.standing {
        GoalStanding::Active => (GoalStanding::Paused, Some(GoalStop::Restarted)),
        other => (other, goal.stop.clone()),
    };
    goal_record(GoalNews::Kept, Some(GoalInfo { standing, stop, after: 0, ..goal.clone() }))
}

/// What a person wants reached, as it is kept.
fn objective_of(words: &str) -> Result<String, Refused> {
    let objective: String = words.trim().chars().take(LONGEST_OBJECTIVE).collect();
    if objective.is_empty() {
        return Err(Refused::new(Refusal::Invalid, Phrase::new("flow.goal_empty")));
    }
    Ok(objective)
}

fn no_goal() -> Refused {
    Refused::new(Refusal::Nothing, Phrase::new("flow.no_goal"))
}

impl Desk {
    /// The goal, whatever it stands.
    pub(crate) fn goal(&self) -> Option<Arc<GoalInfo>> {
        self.book.state().goal.clone()
    }

    /// Lets the goal wait; a turn that runs comes to its end.
    pub(crate) async fn pause_goal(&self, stop: GoalStop) -> Settlement {
        let goal = self.goal().ok_or_else(no_goal)?;
        if !goal.is_active() {
            return Ok(Done::Unchanged);
        }
        let goal = GoalInfo { standing: GoalStanding::Paused, stop: Some(stop), ..(*goal).clone() };
        self.change(goal_record(GoalNews::Stopped, Some(goal))).await
    }

    /// Takes the goal away, where there is one.
    pub(crate) async fn clear_goal(&self) -> Settlement {
        if self.goal().is_none() {
            return Ok(Done::Unchanged);
        }
        self.change(goal_record(GoalNews::Cleared, None)).await
    }

    /// Gives the goal other words; a turn that runs reads them before its next step.
    pub(crate) async fn edit_goal(&self, words: &str) -> Settlement {
        let objective = objective_of(words)?;
        let goal = self.goal().ok_or_else(no_goal)?;
        let goal =
            GoalInfo { objective, missing: Vec::new(), blocked: String::new(), alike: 0, idle: 0, ..(*goal).clone() };
        let told = reasonix_flow::changed(&goal);
        let (active, running) = (goal.is_active(), self.outbox.status().state != TurnState::Idle);
        let done = self.change(goal_record(GoalNews::Edited, Some(goal))).await?;
        if active && running {
            self.queue.inbox().push_news(told);
        }
        Ok(done)
    }
}

/// How this process goes after the goal.
pub(crate) struct Pursuit {
    desk: Arc<Desk>,
    /// Who waits for the goal to come to its end.
    waits: Option<Ticket>,
    /// The goal's turns before the one that it wanted, while that runs.
    driven: Option<u32>,
    /// The goal does not go on in this process, though its log may not say so: it could not be written.
    halted: bool,
}

impl Pursuit {
    pub(crate) fn new(desk: &Arc<Desk>) -> Self {
        Self { desk: Arc::clone(desk), waits: None, driven: None, halted: false }
    }

    /// Whether a turn that nobody asked for comes next.
    pub(crate) fn goes_on(&self) -> bool {
        !self.halted && self.desk.goal().is_some_and(|goal| goal.is_active())
    }

    /// Sets a goal; it begins when nothing else waits.
    pub(crate) async fn set_goal(&mut self, words: &str, strategy: Option<GoalStrategy>, ticket: Ticket) {
        self.settle_goal(true);
        match self.begin_goal(words, strategy).await {
            Ok(()) => (self.waits, self.halted) = (Some(ticket), false),
            Err(refused) => self.desk.settle(ticket, Err(refused)),
        }
    }

    async fn begin_goal(&self, words: &str, strategy: Option<GoalStrategy>) -> Result<(), Refused> {
        let objective = objective_of(words)?;
        let settings = self.desk.base.world.settings.goal;
        let limits = GoalLimits {
            turns: u32::try_from(settings.max_turns).unwrap_or(u32::MAX),
            tokens: settings.max_tokens,
            seconds: settings.max_seconds,
        };
        let research = reasonix_flow::looks_like_research(&objective);
        let guessed = if research { GoalStrategy::Research } else { GoalStrategy::Simple };
        let (after, mode) = {
            let state = self.desk.book.state();
            (state.turn, state.mode)
        };
        if mode == Mode::Plan {
            self.desk.change(RecordBody::ModeChanged { mode: Mode::Build }).await?;
        }
        let mut goal = GoalInfo {
            objective,
            strategy: strategy.unwrap_or(guessed),
            standing: GoalStanding::Active,
            after,
            limits,
            ..GoalInfo::default()
        };
        if goal.strategy == GoalStrategy::Research {
            goal.folder = self.research_folder(&goal).await;
        }
        self.desk.change(goal_record(GoalNews::Set, Some(goal))).await.map(drop)
    }

    /// Makes the folder of a goal's research. Where that cannot be, the goal goes on without it, and that is said.
    async fn research_folder(&self, goal: &GoalInfo) -> Option<String> {
        let folder = format!("{RESEARCH}/{}", reasonix_flow::folder_name(now(), &goal.objective));
        let text = format!(
            "# Goal\n\n{}\n\nSession {}. What each turn said is in turn-NNN.md beside this.\n",
            goal.objective,
            self.desk.outbox.session()
        );
        self.keep_file(format!("{folder}/goal.md"), text).await.then_some(folder)
    }

    async fn keep_file(&self, path: String, text: String) -> bool {
        let workspace = self.desk.base.workspace.fresh();
        let step = Step::Write { path: path.clone(), base: None, text };
        let written = tokio::task::spawn_blocking(move || workspace.commit(vec![step])).await;
        let failed = match written {
            Ok(Ok(_)) => return true,
            Ok(Err(error)) => error.message(),
            Err(error) => error.to_string(),
        };
        let phrase = Phrase::new("flow.research_unkept").with("path", path).with("reason", failed);
        self.desk.notice(Level::Warning, phrase);
        false
    }

    /// Takes the goal up again: its limits and what stopped it count from the beginning.
    pub(crate) async fn resume_goal(&mut self, ticket: Ticket) {
        let resumed = match self.desk.goal() {
            None => Err(no_goal()),
            Some(goal) if goal.is_active() => Ok(()),
            Some(goal) if goal.standing == GoalStanding::Done => {
                Err(Refused::new(Refusal::Nothing, Phrase::new("flow.goal_over")))
            }
            Some(goal) => {
                let (standing, blocked) = (GoalStanding::Active, String::new());
                let goal = (*goal).clone();
                let goal = GoalInfo {
                    standing,
                    stop: None,
                    turns: 0,
                    tokens: 0,
                    seconds: 0,
                    blocked,
                    alike: 0,
                    idle: 0,
                    ..goal
                };
                self.desk.change(goal_record(GoalNews::Resumed, Some(goal))).await.map(drop)
            }
        };
        match resumed {
            Ok(()) => {
                self.settle_goal(true);
                (self.waits, self.halted) = (Some(ticket), false);
            }
            Err(refused) => self.desk.settle(ticket, Err(refused)),
        }
    }

    /// Tells whoever waits for the goal that it does not go on; or that somebody else waits for it now.
    pub(crate) fn settle_goal(&mut self, replaced: bool) {
        let goal = self.desk.goal();
        let over = replaced || self.halted || !goal.as_ref().is_some_and(|goal| goal.is_active());
        if let Some(ticket) = self.waits.take_if(|_| over) {
            ticket.settle(Ok(Done::Goal { goal: goal.map(|goal| Box::new((*goal).clone())) }));
        }
    }

    /// What the goal wants done next; nothing while there is none that goes on.
    pub(crate) async fn goal_work(&mut self) -> Option<Work> {
        let goal = self.desk.goal().filter(|goal| goal.is_active() && !self.halted)?;
        self.driven = Some(goal.turns);
        let said = if goal.turns == 0 {
            let said = Reading(&self.desk).said_plainly(goal.objective.clone()).await;
            Said {
                text: reasonix_flow::began(&goal, &said.text),
                typed: Some(format!("/goal {}", goal.objective)),
                ..said
            }
        } else {
            let typed = Some(format!("/goal ({})", goal.turns + 1));
            Said { text: reasonix_flow::goes_on(&goal, &at_work(&self.desk.behind.jobs)), typed, ..Said::default() }
        };
        Some(Work::Prompt(said))
    }

    /// What the model has to be told of the goal with a prompt that is not the goal's own.
    pub(crate) fn goal_note(&self) -> Option<String> {
        if self.driven.is_some() {
            return None;
        }
        let state = self.desk.book.state();
        match state.goal.as_ref().filter(|goal| goal.is_active()) {
            Some(goal) => Some(reasonix_flow::stands(goal)),
            None => state.goal_told.then(|| reasonix_flow::aside().to_owned()),
        }
    }

    /// Before a turn: what is left for the goal holds for it.
    pub(crate) fn hold_goal(&self) {
        let left = self.desk.goal().filter(|goal| goal.is_active()).map(|goal| {
            let left = |allowed: u64, spent: u64| (allowed > 0).then(|| allowed.saturating_sub(spent));
            (left(goal.limits.tokens, goal.tokens), left(goal.limits.seconds, goal.seconds))
        });
        self.desk.purse.hold_goal(left);
    }

    /// After a turn: its course is kept, and a turn that the goal wanted and that never began does not begin again.
    pub(crate) async fn after_turn(&mut self, end: &TurnEnd, conversation: &Conversation) {
        self.desk.purse.hold_goal(None);
        let driven = self.driven.take();
        let goal = self.desk.goal();
        if let Some(goal) = goal.as_ref().filter(|goal| goal.is_active() && driven == Some(goal.turns)) {
            self.halted = true;
            let why = match end {
                TurnEnd::Refused { why, .. } | TurnEnd::Broken { why } | TurnEnd::ProviderFailed { why, .. } => {
                    why.clone()
                }
                _ => Phrase::new("flow.goal_not_begun"),
            };
            let stop = if *end == TurnEnd::Interrupted { GoalStop::User } else { GoalStop::Refused { why } };
            let goal = GoalInfo { standing: GoalStanding::Paused, stop: Some(stop), ..(**goal).clone() };
            if let Err(refused) = self.desk.change(goal_record(GoalNews::Stopped, Some(goal))).await {
                self.desk.notice(refused.refusal.level(), refused.why);
            }
        }
        if let (Some(_), Some(goal)) = (driven, goal)
            && let Some(folder) = goal.folder.as_deref()
        {
            let turn = self.desk.book.state().turn;
            let words = conversation.last_words().unwrap_or_default();
            let text: String = words.chars().take(LONGEST_TURN).collect();
            self.keep_file(format!("{folder}/turn-{turn:03}.md"), format!("{text}\n")).await;
        }
    }

    /// A goal that was on when its process ended waits; one that waits is shown.
    pub(crate) async fn show_goal(&self) {
        let Some(goal) = self.desk.goal().filter(|goal| goal.standing != GoalStanding::Done) else { return };
        if goal.is_active() {
            if let Err(refused) = self.desk.pause_goal(GoalStop::Restarted).await {
                self.desk.notice(refused.refusal.level(), refused.why);
            }
            return;
        }
        let phrase =
            Phrase::new("flow.goal_waits").with("objective", goal.objective.chars().take(200).collect::<String>());
        self.desk.notice(Level::Info, phrase);
    }

    /// Where that is switched on, a prompt that is clearly long research is a goal.
    pub(crate) fn is_goal(&self, text: &str) -> bool {
        let state = self.desk.book.state();
        let free = state.mode == Mode::Build && !state.goal.as_ref().is_some_and(|goal| goal.is_active());
        let auto = self.desk.base.world.settings.goal.auto;
        auto && free && !text.trim_start().starts_with('/') && reasonix_flow::is_long_work(text)
    }
}

/// Decides what comes after each turn while a goal is active, and has it written.
pub(crate) struct JudgesGoal {
    past: Past,
    purse: Arc<Purse>,
    outbox: Arc<Outbox>,
    root: PathBuf,
    /// The user's own command that checks what is edited.
    check: Option<String>,
    turn: Option<GoalTurn>,
}

/// A turn that runs.
struct GoalTurn {
    /// The seconds that were worked before it.
    before: u64,
    /// Its answer so far.
    answer: String,
    /// It called something.
    calls: bool,
    /// The goal was active when it began.
    driven: bool,
}

impl JudgesGoal {
    pub(crate) fn new(past: Past, start: &Start, purse: Arc<Purse>, outbox: Arc<Outbox>) -> Self {
        let (root, check) = (start.workspace.root().to_owned(), start.world.settings.validation.command.clone());
        Self { past, purse, outbox, root, check, turn: None }
    }

    fn held(&self, goal: &GoalInfo, answer: &str, proofs: &[String]) -> GoalHeld {
        let mut course = Course::new(goal.after);
        match self.past.each(|record| course.see(&record)) {
            Ok(()) => {
                let check = self.check.clone().or_else(|| detect(&self.root, &[]).map(|found| found.line));
                course.held(&GoalClaim { objective: &goal.objective, answer, proofs, check: check.as_deref() })
            }
            // A log that cannot be read proves nothing.
            Err(error) => {
                let phrase = Phrase::new("engine.log_unreadable").with("reason", error);
                self.outbox.emit(Event::Notice { level: Level::Error, phrase });
                GoalHeld { missing: vec!["the log cannot be read".to_owned()], looked: false }
            }
        }
    }

    /// A turn of a goal is over.
    fn ended(&self, turn: &GoalTurn, goal: &GoalInfo, (end, tokens): (&TurnEnd, u64)) -> Option<RecordBody> {
        let seconds = self.purse.info().seconds.saturating_sub(turn.before);
        if goal.is_active() {
            let seen = TurnSeen { end, answer: &turn.answer, calls: turn.calls, tokens, seconds };
            let change = judge(goal, seen, |answer, proofs| self.held(goal, answer, proofs));
            return Some(RecordBody::Goal(Box::new(change)));
        }
        // One that was let wait meanwhile counts the turn all the same.
        let waits = turn.driven && goal.standing == GoalStanding::Paused;
        waits.then(|| {
            let goal = GoalInfo {
                turns: goal.turns.saturating_add(1),
                tokens: goal.tokens.saturating_add(tokens),
                seconds: goal.seconds.saturating_add(seconds),
                ..goal.clone()
            };
            goal_record(GoalNews::Kept, Some(goal))
        })
    }
}

impl Observer for JudgesGoal {
    fn after(&mut self, record: &Record, state: &SessionState) -> Vec<RecordBody> {
        match &record.body {
            RecordBody::Prompt { .. } => {
                let driven = state.goal.as_ref().is_some_and(|goal| goal.is_active());
                let (before, answer) = (self.purse.info().seconds, String::new());
                self.turn = Some(GoalTurn { before, answer, calls: false, driven });
            }
            RecordBody::Assistant { message: Message::Assistant { text, calls, .. }, .. } => {
                if let Some(turn) = &mut self.turn {
                    turn.answer.clone_from(text);
                    turn.calls |= !calls.is_empty();
                }
            }
            RecordBody::TurnEnded { end, usage, .. } => {
                let turn = self.turn.take();
                let change = turn.zip(state.goal.as_ref());
                let record = change.and_then(|(turn, goal)| self.ended(&turn, goal, (end, usage.tokens())));
                return record.into_iter().collect();
            }
            _ => {}
        }
        Vec::new()
    }
}
