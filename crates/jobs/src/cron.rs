//! `cron`: prompts that come back at their times, while the session lives and nothing else is done. Each is a job without a
//! process: it is listed, ended and told of like the others, and gone with them.

use super::{Jobs, now};
use futures_util::FutureExt as _;
use reasonix_agent::{Args, Call, Said, Stop, ToolTraits};
use reasonix_flow::Schedule;
use reasonix_proto::{Action, Family, JobKind, SessionId, ToolOutcome};
use reasonix_session::{local_clock, local_fields};
use reasonix_talk::queue::{Queue, Work};
use reasonix_tools::{Feed, JobAbout, JobEnding, LiveCommand, ToolWork, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// One that comes back does so for this long, in seconds: a week.
const LIVES: i64 = 7 * 24 * 3600;
/// It comes up to so many seconds late, so that not all that is meant for the full hour comes at once.
const LATE: u64 = 30;
/// A wait is looked at anew after so many seconds: a machine that slept has another time.
const LOOKS: u64 = 60;
/// Characters of a prompt.
const LONGEST: usize = 8_000;
/// What plan mode answers.
const PLANNING: &str = "while planning nothing is set going: say in the plan what should come back";

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct CronInput {
    /// minute hour day-of-month month day-of-week, local time
    #[serde(alias = "cron_expression", alias = "cron", alias = "schedule")]
    expression: String,
    prompt: String,
    /// false: once
    #[serde(default = "yes")]
    recurring: bool,
}

fn yes() -> bool {
    true
}

/// Has prompts come back.
pub(crate) struct CronTool(pub(super) Arc<Jobs>);

impl TypedTool for CronTool {
    type Input = CronInput;
    const NAME: &'static str = "cron";
    const PROMPT: &'static str = include_str!("cron.md");
    const ALIASES: &'static [&'static str] = &["cron_create"];
    const TRAITS: ToolTraits = ToolTraits::NONE.rarely();
    const WORK: ToolWork<Self> = ToolWork::Waits(|tool, input, call| Box::pin(tool.create(input, call)));

    /// It counts as a reader: the user switched it on, and whatever comes of the prompt passes the gate.
    fn action(&self, input: Option<CronInput>, _args: &Args) -> Action {
        let subject = input.map(|input| format!("{} {}", input.expression, input.prompt)).unwrap_or_default();
        Action::reads(Family::Own, subject)
    }
}

/// A prompt that comes back.
#[derive(Debug, Clone)]
struct Recurring {
    id: String,
    schedule: Schedule,
    expression: String,
    prompt: String,
    /// When it is over, in seconds since the Unix epoch; none for one that comes once.
    until: Option<i64>,
}

/// What time it is, and how it passes.
trait Time: Send + Sync {
    /// Seconds since the Unix epoch.
    fn now(&self) -> i64;

    fn pass(&self, seconds: u64) -> impl Future<Output = ()> + Send;
}

/// The machine's.
struct MachineTime;

impl Time for MachineTime {
    fn now(&self) -> i64 {
        i64::try_from(now() / 1000).unwrap_or(i64::MAX)
    }

    async fn pass(&self, seconds: u64) {
        tokio::time::sleep(Duration::from_secs(seconds)).await;
    }
}

impl CronTool {
    async fn create(&self, input: CronInput, call: Call<'_>) -> ToolOutcome {
        let Self(jobs) = self;
        let Some(around) = jobs.around.get() else { return ToolOutcome::failed("no schedules can be had here") };
        if around.plans() {
            return ToolOutcome::Denied { by: format!("by plan mode: {PLANNING}") };
        }
        let prompt = input.prompt.trim();
        if prompt.is_empty() || prompt.chars().count() > LONGEST {
            return ToolOutcome::failed(format!("a prompt has 1 to {LONGEST} characters"));
        }
        let begins = MachineTime.now();
        let schedule = Schedule::parse(&input.expression);
        let first = schedule.and_then(|schedule| Ok((schedule.next(begins, local_fields)?, schedule)));
        let (first, schedule) = match first {
            Ok(found) => found,
            Err(error) => return ToolOutcome::failed_with(error.to_string(), "for example \"*/15 9-17 * * 1-5\""),
        };
        let plan = Recurring {
            id: SessionId::fresh().short().to_owned(),
            schedule,
            expression: input.expression.split_whitespace().collect::<Vec<_>>().join(" "),
            prompt: prompt.to_owned(),
            until: input.recurring.then_some(begins.saturating_add(LIVES)),
        };
        let (id, queue) = (plan.id.clone(), Arc::downgrade(&around.queue));
        let about = JobAbout {
            description: prompt.lines().next().unwrap_or_default().to_owned(),
            ..JobAbout::new(call.id, JobKind::Cron, plan.expression.clone())
        };
        let live = move |feed: Arc<Feed>| {
            let stop = Stop::new();
            let ending = comes_back(plan, (queue, Arc::clone(&feed)), MachineTime, stop.clone()).boxed();
            LiveCommand { feed, stop, pid: None, ending }
        };
        let held = match jobs.schedule_place() {
            Ok(mut place) => place.hold(&id, &about, live).await,
            Err(full) => Err(full),
        };
        if let Err(outcome) = held {
            return outcome;
        }
        let at = local_clock(u64::try_from(first).unwrap_or(0).saturating_mul(1000));
        let ends = if input.recurring { "; it ends after 7 days" } else { "; it comes once" };
        ToolOutcome::done(format!(
            "Scheduled · {id} · next at {at}{ends}, or with this session. `job` lists and cancels it."
        ))
    }
}

/// How late this one comes.
fn lateness(id: &str) -> i64 {
    let sum: u64 = id.bytes().map(u64::from).sum();
    i64::try_from(sum % (LATE + 1)).unwrap_or(0)
}

/// Hands the prompt in whenever its time has come, until it is over.
async fn comes_back(
    plan: Recurring,
    (queue, feed): (Weak<Queue>, Arc<Feed>),
    time: impl Time,
    stop: Stop,
) -> JobEnding {
    while let Ok(due) = plan.schedule.next(time.now(), local_fields) {
        if plan.until.is_some_and(|until| due > until) {
            break;
        }
        let late = if plan.until.is_some() { lateness(&plan.id) } else { 0 };
        if waited(due + late, &time, &stop).await.is_none() {
            return JobEnding { code: 0, cancelled: true, said: None };
        }
        let Some(queue) = queue.upgrade() else { break };
        let said = said(&plan);
        // One that waits still is not asked for twice.
        if !queue.list().iter().any(|waiting| waiting.text == said.typed()) {
            feed.feed(
                format!("{}\n", local_clock(u64::try_from(time.now()).unwrap_or(0).saturating_mul(1000))).as_bytes(),
            );
            queue.add(Work::Prompt(said), None);
        }
        if plan.until.is_none() {
            break;
        }
    }
    JobEnding { code: 0, cancelled: false, said: None }
}

/// The model reads where it comes from; it was the model's own words, so that nothing in it is a command or a reference.
fn said(plan: &Recurring) -> Said {
    let Recurring { id, expression, prompt, .. } = plan;
    Said {
        text: format!("[Scheduled prompt {id} ({expression}); nobody typed it now.]\n\n{prompt}"),
        typed: Some(format!("cron {id}: {}", prompt.lines().next().unwrap_or_default())),
        ..Said::default()
    }
}

/// Waits until it is this time by the clock of the machine; none where it was stopped.
async fn waited(until: i64, time: &impl Time, stop: &Stop) -> Option<()> {
    loop {
        let left = u64::try_from(until - time.now()).unwrap_or(0);
        if left == 0 {
            return Some(());
        }
        tokio::select! {
            biased;
            () = stop.cancelled() => return None,
            () = time.pass(left.min(LOOKS)) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LIVES, Recurring, Time, comes_back};
    use reasonix_agent::Stop;
    use reasonix_flow::Schedule;
    use reasonix_talk::queue::{Queue, Work};
    use reasonix_tools::Feed;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};

    const BEGINS: i64 = 20_000 * 86_400;

    /// Time that passes when somebody waits, and at once.
    struct Quick(Arc<AtomicI64>);

    impl Time for Quick {
        fn now(&self) -> i64 {
            self.0.load(Ordering::Relaxed)
        }

        async fn pass(&self, seconds: u64) {
            self.0.fetch_add(seconds as i64, Ordering::Relaxed);
        }
    }

    /// What came of a prompt like this: how long it took, what waits, and whether it was cancelled.
    async fn over(expression: &str, recurring: bool, stop: Stop) -> (i64, Vec<Work>, bool) {
        let plan = Recurring {
            id: "a1b2c3d4".to_owned(),
            schedule: Schedule::parse(expression).unwrap(),
            expression: expression.to_owned(),
            prompt: "/commit @secrets\nlook".to_owned(),
            until: recurring.then_some(BEGINS + LIVES),
        };
        let (queue, now) = (Arc::new(Queue::default()), Arc::new(AtomicI64::new(BEGINS)));
        let way = (Arc::downgrade(&queue), Arc::new(Feed::heard_by(None)));
        let ending = comes_back(plan, way, Quick(Arc::clone(&now)), stop).await;
        let waiting = std::iter::from_fn(|| queue.pop().map(|(work, _)| work)).collect();
        (now.load(Ordering::Relaxed) - BEGINS, waiting, ending.cancelled)
    }

    #[tokio::test]
    async fn one_that_comes_once_comes_as_words_and_is_over() {
        let (took, waiting, cancelled) = over("*/7 * * * *", false, Stop::new()).await;
        assert!((1..=7 * 60).contains(&took) && !cancelled, "{took}");
        let [Work::Prompt(said)] = waiting.as_slice() else { panic!("{waiting:?}") };
        assert!(said.text.ends_with("nobody typed it now.]\n\n/commit @secrets\nlook"), "{}", said.text);
        assert!(said.typed().starts_with("cron a1b2c3d4: /commit"), "it begins like no command: {}", said.typed());
    }

    #[tokio::test]
    async fn one_that_comes_back_waits_for_none_of_its_own_and_ends_after_a_week() {
        let (took, waiting, cancelled) = over("0 * * * *", true, Stop::new()).await;
        assert!((LIVES - 3_700..=LIVES + 60).contains(&took) && !cancelled, "{took}");
        assert_eq!(waiting.len(), 1, "nobody took the first, so no second one waits");
    }

    #[tokio::test]
    async fn one_that_is_ended_comes_no_more() {
        let stop = Stop::new();
        stop.cancel();
        let (_, waiting, cancelled) = over("* * * * *", true, stop).await;
        assert!(cancelled && waiting.is_empty());
    }
}
