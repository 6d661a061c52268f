//! Scripted turns against the real loop: what the model receives, what is journaled, and in which order.

use futures_util::stream;
use pretty_assertions::assert_eq;
use reasonix_agent::{
    About, Agent, Args, Artifacts, Ask, Aspect, Aspects, BoxFuture, Call, Conversation, Decision, Failure, Gate, Inbox,
    Item, Journal, JournalError, Limits, Model, ModelCard, ModelStream, Prefix, Purpose, Request, Router, Said, Sink,
    Stop, Tool, ToolSpec, Tools, Wish,
};
use reasonix_proto::{
    Action, Artifact, CallId, Decided, Event, FailureClass, Family, Fix, Level, Message, Phrase, Record, RecordBody,
    RecordId, Repair, StopReason, ToolCall, ToolOutcome, TurnEnd, TurnRefusal, TurnState,
};
use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{Barrier, Notify};

type Log = Arc<Mutex<Vec<RecordBody>>>;

enum Play {
    Items(Vec<Item>),
    /// Says these items, then nothing more.
    Hangs(Vec<Item>),
}

struct Script {
    card: ModelCard,
    plays: Mutex<VecDeque<Play>>,
    requests: Mutex<Vec<Request>>,
}

impl Model for Script {
    fn card(&self) -> &ModelCard {
        &self.card
    }
    fn stream(&self, request: Request, _stop: Stop) -> ModelStream {
        self.requests.lock().unwrap().push(request);
        match self.plays.lock().unwrap().pop_front().expect("the script is over") {
            Play::Items(items) => Box::pin(stream::iter(items)),
            Play::Hangs(items) => {
                use futures_util::StreamExt;
                Box::pin(stream::iter(items).chain(stream::pending()))
            }
        }
    }
}

type Work = Box<dyn Fn(Args, Stop) -> BoxFuture<'static, ToolOutcome> + Send + Sync>;

struct Fake {
    spec: ToolSpec,
    reads: bool,
    work: Work,
}

impl Tool for Fake {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }
    fn aliases(&self) -> &'static [&'static str] {
        if self.reads { &["look"] } else { &[] }
    }
    fn action(&self, _: &Args) -> Action {
        let subject = self.spec.name.clone();
        if self.reads { Action::reads(Family::Read, subject) } else { Action::writes(Family::Edit, vec![subject]) }
    }
    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        (self.work)(call.args.clone(), call.stop)
    }
}

fn tool(
    name: &str,
    reads: bool,
    work: impl Fn(Args, Stop) -> BoxFuture<'static, ToolOutcome> + Send + Sync + 'static,
) -> Arc<dyn Tool> {
    let spec = ToolSpec::new(name, "", serde_json::json!({}));
    Arc::new(Fake { spec, reads, work: Box::new(work) })
}

fn quick(name: &str, reads: bool) -> Arc<dyn Tool> {
    let text = format!("{name} ran");
    tool(name, reads, move |_, _| {
        let text = text.clone();
        Box::pin(async move { ToolOutcome::done(text) })
    })
}

#[derive(Default)]
struct Memory {
    log: Log,
    fails: AtomicBool,
}

impl Journal for Memory {
    fn append(&self, body: RecordBody) -> BoxFuture<'static, Result<Record, JournalError>> {
        let written = if self.fails.load(Ordering::SeqCst) {
            Err(JournalError { path: "log".into(), reason: "No space left on device".into() })
        } else {
            let mut log = self.log.lock().unwrap();
            log.push(body.clone());
            Ok(Record { id: RecordId(log.len() as u64), parent: None, at: 0, body })
        };
        Box::pin(std::future::ready(written))
    }
}

impl Artifacts for Memory {
    fn put(&self, bytes: &[u8]) -> std::io::Result<Artifact> {
        Ok(Artifact { uri: "artifact://1".into(), bytes: bytes.len() as u64, lines: 1 })
    }
    fn get(&self, _: &str) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }
}

#[derive(Default)]
struct Events(Mutex<Vec<Event>>);

impl Sink for Events {
    fn emit(&self, event: Event) {
        self.0.lock().unwrap().push(event);
    }
}

/// Allows everything but what is named here; `hangs` never answers.
#[derive(Default)]
struct Door {
    denies: Vec<&'static str>,
    hangs: bool,
}

impl Gate for Door {
    fn decide<'a>(&'a self, ask: Ask<'a>) -> BoxFuture<'a, Decision> {
        Box::pin(async move {
            if self.hangs {
                std::future::pending::<()>().await;
            }
            if !self.denies.contains(&ask.call.name.as_str()) {
                return Decision::Allow { record: None };
            }
            let record = Decided { call: ask.call.id.clone(), allowed: false, by: "rule".into(), ..Decided::default() };
            Decision::Deny { record, message: "rule".into() }
        })
    }
}

struct World {
    agent: Agent,
    model: Arc<Script>,
    journal: Arc<Memory>,
    events: Arc<Events>,
    conversation: Conversation,
    inbox: Inbox,
    stop: Stop,
}

impl World {
    fn new(plays: Vec<Play>, tools: Vec<Arc<dyn Tool>>) -> Self {
        let model = Arc::new(Script {
            card: ModelCard::new("test/model", 0),
            plays: Mutex::new(plays.into()),
            requests: Mutex::default(),
        });
        let (journal, events) = (Arc::new(Memory::default()), Arc::new(Events::default()));
        let tools = Tools::new(tools);
        let prefix = Arc::new(Prefix { system: "be good".into(), tools: tools.specs(), aliases: tools.aliases() });
        let agent = Agent {
            router: Arc::new(model.clone() as Arc<dyn Model>),
            tools,
            classify: Arc::new(reasonix_agent::ByAction),
            gate: Arc::new(Door::default()),
            journal: journal.clone(),
            artifacts: journal.clone(),
            sink: events.clone(),
            aspects: Aspects::default(),
            budget: Arc::new(reasonix_agent::NoBudget),
            limits: Limits::default(),
        };
        let conversation = Conversation::new(prefix);
        Self { agent, model, journal, events, conversation, inbox: Inbox::default(), stop: Stop::new() }
    }

    async fn turn(&mut self, prompt: &str) -> TurnEnd {
        let end = self.agent.turn(&mut self.conversation, prompt.into(), &self.inbox, &self.stop).await;
        self.assert_valid();
        end
    }

    fn requests(&self) -> Vec<Request> {
        self.model.requests.lock().unwrap().clone()
    }

    fn last_request(&self) -> Vec<Message> {
        self.requests().last().unwrap().messages.iter().map(|message| (**message).clone()).collect()
    }

    fn results(&self) -> Vec<String> {
        let log = self.journal.log.lock().unwrap();
        log.iter()
            .filter_map(|body| match body {
                RecordBody::Outcome { outcome, .. } => Some(reasonix_agent::outcome_text(outcome)),
                _ => None,
            })
            .collect()
    }

    /// Every request extends the one before, every call has its answer right behind it, and roles alternate.
    fn assert_valid(&self) {
        let requests = self.requests();
        for pair in requests.windows(2) {
            let (before, after) = (&pair[0], &pair[1]);
            assert!(after.messages.starts_with(&before.messages), "a request does not extend the one before");
            assert!(Arc::ptr_eq(&before.prefix, &after.prefix));
        }
        for request in &requests {
            let mut open: HashSet<String> = HashSet::new();
            let mut last_was_user = false;
            for message in &request.messages {
                match &**message {
                    Message::Tool { call, .. } => assert!(open.remove(call.as_str()), "an answer without a call"),
                    other => {
                        assert!(open.is_empty(), "calls without an answer: {open:?}");
                        if let Message::Assistant { calls, .. } = other {
                            open.extend(calls.iter().map(|call| call.id.0.clone()));
                        }
                    }
                }
                let is_user = matches!(**message, Message::User { .. });
                assert!(!(is_user && last_was_user), "two user messages in a row");
                last_was_user = is_user;
            }
            assert!(open.is_empty(), "calls without an answer: {open:?}");
        }
    }
}

fn says(text: &str) -> Play {
    Play::Items(vec![Item::Text(text.into()), Item::End(StopReason::End)])
}

fn call(id: &str, name: &str, arguments: &str) -> Item {
    Item::Call(ToolCall { id: CallId::from(id), name: name.into(), arguments: arguments.into() })
}

fn calls(names: &[&str]) -> Play {
    let mut items: Vec<_> = names.iter().enumerate().map(|(n, name)| call(&format!("c{n}"), name, "{}")).collect();
    items.push(Item::End(StopReason::Calls));
    Play::Items(items)
}

#[tokio::test]
async fn a_turn_is_journaled_in_order_and_the_prefix_grows() {
    let mut world = World::new(vec![calls(&["read"]), says("done"), says("again")], vec![quick("read", true)]);
    assert_eq!(world.turn("go").await, TurnEnd::Done);
    assert_eq!(world.turn("more").await, TurnEnd::Done);
    let kinds: Vec<_> = world.journal.log.lock().unwrap().iter().map(kind).collect();
    assert_eq!(
        kinds,
        [
            "prompt",
            "requested",
            "assistant",
            "outcome",
            "requested",
            "assistant",
            "turn_ended",
            "prompt",
            "requested",
            "assistant",
            "turn_ended"
        ]
    );
    let log = world.journal.log.lock().unwrap();
    let entries = log.iter().filter_map(|body| match body {
        RecordBody::Requested(entry) => Some(entry),
        _ => None,
    });
    let entries: Vec<_> = entries.collect();
    assert!(entries.iter().all(|entry| entry.broke.is_none()));
    assert!(entries.windows(2).all(|pair| pair[1].same == pair[0].bytes), "each extends the one before: {entries:?}");
}

fn kind(body: &RecordBody) -> String {
    serde_json::to_value(body).unwrap()["kind"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_call_is_on_the_log_before_it_runs() {
    let log: Log = Log::default();
    let seen = log.clone();
    let watcher = tool("write", false, move |_, _| {
        let journaled = seen.lock().unwrap().iter().map(kind).collect::<Vec<_>>().join(" ");
        Box::pin(async move { ToolOutcome::done(journaled) })
    });
    let mut world = World::new(vec![calls(&["write"]), says("done")], vec![watcher]);
    let journal = Arc::new(Memory { log, ..Memory::default() });
    world.agent.journal = journal.clone();
    world.journal = journal;
    world.turn("go").await;
    assert_eq!(world.results(), ["prompt requested assistant"]);
}

#[tokio::test]
async fn readers_of_a_step_run_together() {
    // Each waits for the other: run one after the other they would never end.
    let barrier = Arc::new(Barrier::new(2));
    let meets = |name: &str| {
        let barrier = barrier.clone();
        tool(name, true, move |_, _| {
            let barrier = barrier.clone();
            Box::pin(async move {
                barrier.wait().await;
                ToolOutcome::done("met")
            })
        })
    };
    let mut world = World::new(vec![calls(&["a", "b"]), says("done")], vec![meets("a"), meets("b")]);
    assert_eq!(world.turn("go").await, TurnEnd::Done);
    assert_eq!(world.results(), ["met", "met"]);
}

#[tokio::test]
async fn writers_run_in_order_and_readers_wait_for_them() {
    let trace: Arc<Mutex<Vec<String>>> = Arc::default();
    let traced = |name: &'static str, reads| {
        let trace = trace.clone();
        tool(name, reads, move |_, _| {
            let trace = trace.clone();
            Box::pin(async move {
                trace.lock().unwrap().push(format!("{name}+"));
                tokio::task::yield_now().await;
                trace.lock().unwrap().push(format!("{name}-"));
                ToolOutcome::done(name)
            })
        })
    };
    let tools = vec![traced("w1", false), traced("w2", false), traced("r", true)];
    let mut world = World::new(vec![calls(&["w1", "w2", "r"]), says("done")], tools);
    world.turn("go").await;
    assert_eq!(*trace.lock().unwrap(), ["w1+", "w1-", "w2+", "w2-", "r+", "r-"]);
    assert_eq!(world.results(), ["w1", "w2", "r"]);
}

#[tokio::test]
async fn what_cannot_run_is_told_to_the_model() {
    let items = vec![
        call("1", "nonsense", "{}"),
        call("2", "read", "{not json"),
        call("3", "read", "[1]"),
        call("4", "look", ""),
        Item::End(StopReason::Calls),
    ];
    let mut world = World::new(vec![Play::Items(items), says("done")], vec![quick("read", true)]);
    assert_eq!(world.turn("go").await, TurnEnd::Done);
    let results = world.results();
    assert!(results[0].contains("no tool named \"nonsense\"") && results[0].contains("read"), "{}", results[0]);
    assert!(results[1].contains("not valid JSON"), "{}", results[1]);
    assert!(results[2].contains("not a JSON object"), "{}", results[2]);
    assert_eq!(results[3], "read ran", "an alias is served");
}

#[tokio::test]
async fn a_tool_that_panics_fails_alone() {
    let bad = tool("bad", true, |_, _| Box::pin(async { panic!("oh no") }));
    let mut world = World::new(vec![calls(&["bad", "read"]), says("done")], vec![bad, quick("read", true)]);
    assert_eq!(world.turn("go").await, TurnEnd::Done);
    assert!(world.results()[0].contains("crashed"));
    assert_eq!(world.results()[1], "read ran");
}

#[tokio::test]
async fn an_interrupt_in_the_stream_keeps_the_text_and_drops_the_calls() {
    let half = vec![Item::Text("half an ans".into()), call("1", "read", "{}")];
    let mut world = World::new(vec![Play::Hangs(half), says("go on")], vec![quick("read", true)]);
    let stop = world.stop.clone();
    let events = world.events.clone();
    let interrupter = async {
        while !events.0.lock().unwrap().iter().any(|event| matches!(event, Event::Text { .. })) {
            tokio::task::yield_now().await;
        }
        stop.cancel();
    };
    let (end, ()) =
        tokio::join!(world.agent.turn(&mut world.conversation, "go".into(), &world.inbox, &world.stop), interrupter);
    assert_eq!(end, TurnEnd::Interrupted);
    world.stop = Stop::new();
    world.turn("next").await;
    assert!(
        matches!(&world.last_request()[1], Message::Assistant { text, calls, .. } if text == "half an ans" && calls.is_empty())
    );
    assert!(world.results().is_empty());
}

#[tokio::test]
async fn an_interrupt_among_tools_answers_every_call() {
    let started = Arc::new(Notify::new());
    let signal = started.clone();
    let slow = tool("slow", false, move |_, stop| {
        let signal = signal.clone();
        Box::pin(async move {
            signal.notify_one();
            stop.cancelled().await;
            ToolOutcome::Aborted
        })
    });
    let plays = vec![calls(&["read", "slow", "write"]), says("go on")];
    let mut world = World::new(plays, vec![quick("read", true), slow, quick("write", false)]);
    let stop = world.stop.clone();
    let interrupter = async {
        started.notified().await;
        stop.cancel();
    };
    let (end, ()) =
        tokio::join!(world.agent.turn(&mut world.conversation, "go".into(), &world.inbox, &world.stop), interrupter);
    assert_eq!(end, TurnEnd::Interrupted);
    world.stop = Stop::new();
    assert_eq!(world.turn("next").await, TurnEnd::Done);
    let results = world.results();
    assert_eq!(results[0], "read ran");
    assert!(results[1].starts_with("aborted") && results[2].starts_with("aborted"), "{results:?}");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_ignores_its_stop_is_left_behind() {
    let deaf = tool("deaf", false, |_, _| Box::pin(std::future::pending()));
    let mut world = World::new(vec![calls(&["deaf"])], vec![deaf]);
    world.agent.limits.turn_timeout = Some(Duration::from_secs(60));
    assert_eq!(world.turn("go").await, TurnEnd::TimedOut);
    assert!(world.results()[0].starts_with("aborted"));
}

#[tokio::test]
async fn an_interrupt_while_a_person_is_asked_aborts_the_call() {
    let mut world = World::new(vec![calls(&["write"]), says("go on")], vec![quick("write", false)]);
    world.agent.gate = Arc::new(Door { hangs: true, ..Door::default() });
    let stop = world.stop.clone();
    let interrupter = async {
        tokio::task::yield_now().await;
        stop.cancel();
    };
    let (end, ()) =
        tokio::join!(world.agent.turn(&mut world.conversation, "go".into(), &world.inbox, &world.stop), interrupter);
    assert_eq!(end, TurnEnd::Interrupted);
    world.stop = Stop::new();
    world.turn("next").await;
}

/// A budget of somebody who was waited for, from the beginning on.
struct Patient(tokio::time::Instant, Duration);

impl reasonix_agent::Budget for Patient {
    fn begin(&self) {}

    fn used_up(&self) -> Option<Phrase> {
        None
    }

    fn spent(&self, _: &str, _: reasonix_proto::Usage) {}

    fn time_left(&self) -> Option<Duration> {
        None
    }

    fn waited(&self) -> Duration {
        self.0.elapsed().min(self.1)
    }

    fn end(&self) -> Option<reasonix_proto::Cost> {
        None
    }
}

#[tokio::test(start_paused = true)]
async fn while_a_person_is_waited_for_the_time_limit_stands_still() {
    for (waits, wanted) in [(300, TurnEnd::Done), (200, TurnEnd::TimedOut)] {
        let slow = tool("slow", false, |_, _| {
            Box::pin(async {
                tokio::time::sleep(Duration::from_secs(350)).await;
                ToolOutcome::done("ok")
            })
        });
        let mut world = World::new(vec![calls(&["slow"]), says("done")], vec![slow]);
        world.agent.limits.turn_timeout = Some(Duration::from_secs(60));
        world.agent.budget = Arc::new(Patient(tokio::time::Instant::now(), Duration::from_secs(waits)));
        let begun = tokio::time::Instant::now();
        assert_eq!(world.turn("go").await, wanted, "{waits}");
        if wanted == TurnEnd::TimedOut {
            // 200 s of waiting, 60 s of work, and 3 s for a tool that does not heed its stop.
            assert_eq!(begun.elapsed().as_secs(), 263);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_has_a_time_limit() {
    let mut world = World::new(vec![Play::Hangs(vec![Item::Text("slow".into())]), says("go on")], vec![]);
    world.agent.limits.turn_timeout = Some(Duration::from_secs(60));
    assert_eq!(world.turn("go").await, TurnEnd::TimedOut);
    let states: Vec<_> = states(&world);
    assert_eq!(states, [TurnState::AwaitingModel, TurnState::ModelGenerating, TurnState::TimedOut]);
    assert_eq!(world.turn("again").await, TurnEnd::Done);
}

fn states(world: &World) -> Vec<TurnState> {
    let events = world.events.0.lock().unwrap();
    events
        .iter()
        .filter_map(|event| match event {
            Event::State { state } => Some(*state),
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn at_the_step_limit_one_answer_in_words_sums_up() {
    let mut last = vec![Item::Text("so far".into()), call("x", "write", "{}")];
    last.push(Item::End(StopReason::Calls));
    let plays = vec![calls(&["read"]), calls(&["read"]), Play::Items(last), says("next turn")];
    let mut world = World::new(plays, vec![quick("read", true), quick("write", false)]);
    world.agent.limits.max_steps = 2;
    world.inbox.push(1, "hurry");
    assert_eq!(world.turn("go").await, TurnEnd::StepLimit);
    assert_eq!(world.results(), ["read ran", "read ran"], "the call of the last answer is not run");
    let requests = world.requests();
    assert_eq!(requests.iter().map(|request| request.may_call).collect::<Vec<_>>(), [true, true, false]);
    assert_eq!(world.turn("and now").await, TurnEnd::Done);
}

/// What the user says just then is theirs: with its pictures, as it was typed, and shown as theirs.
#[tokio::test]
async fn steering_at_the_step_limit_keeps_its_pictures_and_its_words() {
    let mut world = World::new(vec![calls(&["read"]), says("summed up")], vec![quick("read", true)]);
    world.agent.limits.max_steps = 1;
    let inbox = world.inbox.clone();
    let image = reasonix_proto::Image {
        pages: 0,
        uri: "artifact://1".into(),
        media: "image/png".into(),
        bytes: 3,
        width: 1,
        height: 1,
        name: "a.png".into(),
        data: reasonix_proto::ImageData::default(),
    };
    let (said, shown) = ("look: [a.png]", image.clone());
    let steering = tool("read", true, move |_, _| {
        let images = vec![shown.clone()];
        inbox.push(1, Said { text: said.into(), typed: Some("look: @a.png".into()), images, form: None });
        Box::pin(async { ToolOutcome::done("x") })
    });
    world.agent.tools = Tools::new(vec![steering]);
    assert_eq!(world.turn("go").await, TurnEnd::StepLimit);
    let requests = world.requests();
    let Message::User { text, images } = &*requests[1].messages[3] else { panic!("{:?}", requests[1].messages) };
    assert!(text.starts_with(said) && text.contains("Do not call tools"), "{text}");
    assert_eq!(images, &[image]);
    let noted = world.journal.log.lock().unwrap().iter().find_map(|body| match body {
        RecordBody::Note { typed, by_user, images, .. } => Some((typed.clone(), *by_user, images.len())),
        _ => None,
    });
    assert_eq!(noted, Some((Some("look: @a.png".into()), true, 1)));
}

#[tokio::test]
async fn steering_is_read_between_steps() {
    let mut world = World::new(vec![calls(&["read"]), says("ok"), says("steered")], vec![quick("read", true)]);
    let inbox = world.inbox.clone();
    let steering = tool("read", true, move |_, _| {
        inbox.push(1, "use tabs");
        inbox.push(2, "and be brief");
        Box::pin(async { ToolOutcome::done("x") })
    });
    world.agent.tools = Tools::new(vec![steering]);
    assert_eq!(world.turn("go").await, TurnEnd::Done);
    let request = &world.requests()[1];
    assert_eq!(*request.messages[3], Message::user("use tabs\n\nand be brief"));
}

/// News are read at the border of a step, before what a person says, and keep no turn from ending.
#[tokio::test]
async fn news_are_read_between_steps() {
    let plays = vec![calls(&["read"]), calls(&["read"]), says("ok")];
    let mut world = World::new(plays, vec![]);
    let inbox = world.inbox.clone();
    let step = AtomicBool::new(false);
    let busy = tool("read", true, move |_, _| {
        inbox.push_news("[job 1: exit 0]".into());
        if step.swap(true, Ordering::SeqCst) {
            inbox.push(1, "be brief");
        }
        Box::pin(async { ToolOutcome::done("x") })
    });
    world.agent.tools = Tools::new(vec![busy]);
    assert_eq!(world.turn("go").await, TurnEnd::Done);
    let requests = world.requests();
    assert_eq!(*requests[1].messages[3], Message::user("[job 1: exit 0]"));
    assert_eq!(*requests[2].messages[6], Message::user("[job 1: exit 0]\n\nbe brief"));
    let log = world.journal.log.lock().unwrap();
    let notes: Vec<_> = log
        .iter()
        .filter_map(|body| match body {
            RecordBody::Note { by_user, typed, .. } => Some((*by_user, typed.clone())),
            _ => None,
        })
        .collect();
    assert_eq!(notes, [(false, None), (true, Some("be brief".into()))]);
    drop(log);
    world.inbox.push_news("[job 2: exit 1]".into());
    assert_eq!(world.inbox.news().len(), 1, "they wait for whoever takes them next");
}

#[tokio::test]
async fn a_provider_failure_keeps_the_partial_text_and_the_session_goes_on() {
    let failure = Failure::new(FailureClass::StreamBroken, Phrase::new("llm.stream_broken"));
    let plays = vec![
        Play::Items(vec![Item::Text("partial".into()), Item::Failed(failure.clone())]),
        Play::Items(vec![Item::Failed(failure)]),
        says("better"),
    ];
    let mut world = World::new(plays, vec![]);
    for _ in 0..2 {
        assert_eq!(
            world.turn("go").await,
            TurnEnd::ProviderFailed { class: FailureClass::StreamBroken, why: Phrase::new("llm.stream_broken") }
        );
    }
    assert_eq!(world.turn("again").await, TurnEnd::Done);
    assert!(matches!(&world.last_request()[1], Message::Assistant { text, .. } if text == "partial"));
}

#[tokio::test]
async fn a_refusal_is_told_to_the_model_and_ends_the_turn_as_refused() {
    let mut world = World::new(vec![calls(&["write"]), says("I may not")], vec![quick("write", false)]);
    world.agent.gate = Arc::new(Door { denies: vec!["write"], ..Door::default() });
    assert!(matches!(world.turn("go").await, TurnEnd::Refused { .. }));
    assert_eq!(world.results(), ["blocked: rule"]);
}

#[tokio::test]
async fn a_refusal_that_the_model_works_around_is_not_the_end() {
    let plays = vec![calls(&["write"]), calls(&["read"]), says("found another way")];
    let mut world = World::new(plays, vec![quick("write", false), quick("read", true)]);
    world.agent.gate = Arc::new(Door { denies: vec!["write"], ..Door::default() });
    assert_eq!(world.turn("go").await, TurnEnd::Done);
}

#[tokio::test]
async fn when_the_log_cannot_be_written_nothing_runs_and_later_turns_are_valid() {
    let full = Arc::new(Memory::default());
    let journal = full.clone();
    // The disk fills up while the first call runs; the second must not run.
    let filler = tool("filler", false, move |_, _| {
        journal.fails.store(true, Ordering::SeqCst);
        Box::pin(async { ToolOutcome::done("x") })
    });
    let ran = Arc::new(AtomicBool::new(false));
    let flag = ran.clone();
    let second = tool("second", false, move |_, _| {
        flag.store(true, Ordering::SeqCst);
        Box::pin(async { ToolOutcome::done("x") })
    });
    let mut world = World::new(vec![calls(&["filler", "second"]), says("ok")], vec![filler, second]);
    world.agent.journal = full.clone();
    world.journal = full.clone();
    assert!(matches!(world.turn("go").await, TurnEnd::Broken { .. }));
    assert!(!ran.load(Ordering::SeqCst));
    full.fails.store(false, Ordering::SeqCst);
    assert_eq!(world.turn("again").await, TurnEnd::Done);
    assert_eq!(world.results().len(), 2, "every call has its outcome");
}

fn asks(id: &str, name: &str, arguments: &str) -> Play {
    Play::Items(vec![call(id, name, arguments), Item::End(StopReason::Calls)])
}

fn fixes(world: &World) -> Vec<Fix> {
    let log = world.journal.log.lock().unwrap();
    let repairs = log
        .iter()
        .filter_map(|body| if let RecordBody::Repaired { repairs, .. } = body { Some(repairs) } else { None });
    repairs.flatten().map(|repair| repair.fix).collect()
}

#[tokio::test]
async fn a_storm_is_told_to_the_model_and_then_ends_the_turn() {
    let mut plays: Vec<Play> = (0..5).map(|n| asks(&format!("c{n}"), "read", r#"{"path":"a"}"#)).collect();
    plays.push(says("I am stuck."));
    let mut world = World::new(plays, vec![quick("read", true)]);
    let end = world.turn("go").await;
    assert!(matches!(&end, TurnEnd::Refused { why, .. } if why.code == "agent.storm"), "{end:?}");
    let results = world.results();
    assert_eq!(results[..2], ["read ran", "read ran"]);
    assert!(results[2..].iter().all(|result| result.contains("it was not run again")), "{results:?}");
    assert_eq!(fixes(&world), [Fix::Storm; 3]);
    let requests = world.requests();
    assert!(!requests.last().unwrap().may_call, "the last word is in words");
    let last = world.model.plays.lock().unwrap().len();
    assert_eq!(last, 0);
}

/// A model that reads four files in a circle, and an answer at the end.
fn circle(reads: usize) -> Vec<Play> {
    let read = |n: usize| asks(&format!("c{n}"), "read", &format!(r#"{{"path":"f{}"}}"#, n % 4));
    (0..reads).map(read).chain([says("that is all")]).collect()
}

#[tokio::test]
async fn a_circle_of_calls_ends_the_turn_and_a_word_of_the_user_begins_anew() {
    let mut world = World::new(circle(150), vec![quick("read", true)]);
    let end = world.turn("go").await;
    assert!(matches!(&end, TurnEnd::Refused { why, .. } if why.code == "agent.storm"), "{end:?}");
    assert_eq!(world.results().iter().filter(|result| *result == "read ran").count(), 16);
    assert_eq!(fixes(&world), [Fix::Storm; 3]);
    let mut world = World::new(circle(60), vec![]);
    let (inbox, step) = (world.inbox.clone(), std::sync::atomic::AtomicUsize::new(0));
    let watched = tool("read", true, move |_, _| {
        if step.fetch_add(1, Ordering::SeqCst) % 12 == 11 {
            inbox.push(1, "look once more, it was just changed");
        }
        Box::pin(async { ToolOutcome::done("x") })
    });
    world.agent.tools = Tools::new(vec![watched]);
    assert_eq!(world.turn("go").await, TurnEnd::Done);
    assert_eq!(fixes(&world), []);
}

/// What was read and went out of the conversation may be read again, as often as that happens.
#[tokio::test]
async fn what_was_folded_away_may_be_read_again() {
    let long = tool("read", true, |args, _| {
        let path = args["path"].as_str().unwrap_or_default().to_owned();
        Box::pin(async move { ToolOutcome::done(format!("{path} has a line\n").repeat(200)) })
    });
    let mut world = World::new(circle(60), vec![long]);
    let model = Script {
        card: ModelCard::new("test/model", 12_000),
        plays: Mutex::new(circle(60).into()),
        requests: Mutex::default(),
    };
    world.agent.router = Arc::new(Arc::new(model) as Arc<dyn Model>);
    let end = world.agent.turn(&mut world.conversation, "go".into(), &world.inbox, &world.stop).await;
    assert_eq!((end, fixes(&world)), (TurnEnd::Done, vec![]));
    let folded = |body: &&RecordBody| matches!(body, RecordBody::Compacted(_));
    assert!(world.journal.log.lock().unwrap().iter().filter(folded).count() > 2);
}

#[tokio::test]
async fn calls_that_can_never_run_end_the_turn_by_the_same_bound() {
    let tools = || vec![quick("read", true)];
    let same: Vec<Play> = (0..50).map(|n| asks(&format!("c{n}"), "no_such_tool", "{}")).collect();
    let other: Vec<Play> = (0..50).map(|n| asks(&format!("c{n}"), &format!("no_such_tool_{n}"), "{}")).collect();
    let broken: Vec<Play> = (0..50).map(|n| asks(&format!("c{n}"), "read", &format!("[{n}"))).collect();
    for (what, plays, most) in [("the same", same, 6), ("another one", other, 7), ("unreadable", broken, 7)] {
        let mut world = World::new(plays, tools());
        let end = world.turn("go").await;
        assert!(matches!(&end, TurnEnd::Refused { why, .. } if why.code == "agent.storm"), "{what}: {end:?}");
        assert_eq!(world.requests().len(), most, "{what}");
    }
}

#[tokio::test]
async fn an_edit_in_between_is_no_storm_and_neither_is_a_new_turn() {
    let mut plays = Vec::new();
    for n in 0..6 {
        plays.push(asks(&format!("r{n}"), "read", r#"{"path":"a"}"#));
        plays.push(asks(&format!("w{n}"), "write", &format!(r#"{{"n":{n}}}"#)));
    }
    plays.push(says("done"));
    let mut world = World::new(plays, vec![quick("read", true), quick("write", false)]);
    assert_eq!(world.turn("go").await, TurnEnd::Done);
    assert_eq!(fixes(&world), []);
    let two = |n: u32| vec![asks(&format!("a{n}"), "read", "{}"), asks(&format!("b{n}"), "read", "{}"), says("done")];
    let mut world = World::new(two(1).into_iter().chain(two(2)).collect(), vec![quick("read", true)]);
    assert_eq!(world.turn("go").await, TurnEnd::Done);
    assert_eq!(world.turn("again").await, TurnEnd::Done);
    assert_eq!(fixes(&world), []);
}

#[tokio::test]
async fn an_answer_that_repeats_itself_is_cut_told_and_then_ends_the_turn() {
    let stuck = || Play::Hangs((0..600).map(|_| Item::Text("I will read the file now. ".into())).collect());
    let mut world = World::new(vec![stuck(), stuck()], vec![quick("read", true)]);
    let end = world.turn("go").await;
    assert!(matches!(&end, TurnEnd::Refused { why, .. } if why.code == "agent.text_loop"), "{end:?}");
    assert_eq!(fixes(&world), [Fix::Loop; 2]);
    let second = world.last_request();
    let [_, Message::Assistant { text, .. }, Message::User { text: note, .. }] = second.as_slice() else {
        panic!("{second:?}")
    };
    assert!(text.len() < 300 && text.contains("the same again"), "{text}");
    assert!(note.contains("repeated itself"), "{note}");

    let mut world = World::new(vec![stuck(), says("Sorry. It is fine.")], vec![quick("read", true)]);
    assert_eq!(world.turn("go").await, TurnEnd::Done);
}

#[tokio::test]
async fn doubtful_arguments_let_a_reader_run_and_nothing_else() {
    let items = |name: &str| {
        let id = CallId::from("c1");
        Play::Items(vec![
            call("c1", name, r#"{"path":"a"}"#),
            Item::Repaired(Repair::new(Fix::CutOff, "inside path").of(&id)),
            Item::End(StopReason::Calls),
        ])
    };
    for (name, wanted) in [("read", "read ran"), ("write", "error: the call broke off")] {
        let mut world = World::new(vec![items(name), says("done")], vec![quick("read", true), quick("write", false)]);
        assert_eq!(world.turn("go").await, TurnEnd::Done);
        assert!(world.results()[0].starts_with(wanted), "{:?}", world.results());
        assert_eq!(fixes(&world), [Fix::CutOff]);
    }
}

#[tokio::test]
async fn arguments_are_brought_into_the_shape_of_the_schema() {
    let schema = serde_json::json!({ "type": "object", "properties": { "limit": { "type": "integer" } } });
    let spec = ToolSpec::new("read", "", schema);
    let work: Work =
        Box::new(|args, _| Box::pin(async move { ToolOutcome::done(serde_json::to_string(&args).unwrap()) }));
    let tool: Arc<dyn Tool> = Arc::new(Fake { spec, reads: true, work });
    let plays = vec![asks("c1", "functions.Read:0", r#"{"limit":"5"}"#), says("done")];
    let mut world = World::new(plays, vec![tool]);
    assert_eq!(world.turn("go").await, TurnEnd::Done);
    assert_eq!(world.results(), [r#"{"limit":5}"#]);
    assert_eq!(fixes(&world), [Fix::Type]);
}

#[tokio::test]
async fn thoughts_that_came_as_text_are_kept_as_reasoning() {
    let items = vec![
        Item::Text("hm, ".into()),
        Item::Rethink,
        Item::Text("yes".into()),
        Item::Repaired(Repair::new(Fix::Thinking, "no opening mark")),
        Item::End(StopReason::End),
    ];
    let mut world = World::new(vec![Play::Items(items)], vec![]);
    assert_eq!(world.turn("go").await, TurnEnd::Done);
    let log = world.journal.log.lock().unwrap();
    let RecordBody::Assistant { message: Message::Assistant { text, reasoning, .. }, .. } = &log[2] else { panic!() };
    assert_eq!((text.as_str(), reasoning.as_ref().map(|thought| thought.text.as_str())), ("yes", Some("hm, ")));
}

/// Has a word at every place: adds to the prompt, refuses `rm`, gives `read` other arguments, marks outcomes, and keeps the
/// turn from ending once.
#[derive(Default)]
struct Meddler {
    kept: AtomicBool,
    seen: Mutex<Vec<String>>,
}

impl Meddler {
    fn saw(&self, what: String) {
        self.seen.lock().unwrap().push(what);
    }
}

impl Aspect for Meddler {
    fn before_prompt(&self, _turn: u32, said: Said) -> BoxFuture<'_, Said> {
        let text = format!("{} (and be quick)", said.text);
        Box::pin(async { Said { text, ..said } })
    }
    fn before_call<'a>(&'a self, about: About<'a>) -> BoxFuture<'a, Wish> {
        self.saw(format!("call {}", about.tool));
        let wish = match about.tool {
            "rm" => {
                let (call, by) = (about.call.id.clone(), "hook".into());
                Wish::Deny { record: Decided { call, by, ..Decided::default() }, message: "not here".into() }
            }
            "read" => Wish::Instead(Args::from_iter([("path".to_owned(), "other".into())])),
            _ => Wish::Go,
        };
        Box::pin(async { wish })
    }
    fn before_run<'a>(&'a self, about: About<'a>) -> BoxFuture<'a, ()> {
        self.saw(format!("run {}", about.tool));
        Box::pin(async {})
    }
    fn after_call<'a>(&'a self, about: About<'a>, outcome: ToolOutcome) -> BoxFuture<'a, ToolOutcome> {
        let marked = format!("{} of {}", reasonix_agent::outcome_text(&outcome), about.tool);
        Box::pin(async { ToolOutcome::done(marked) })
    }
    fn before_end<'a>(&'a self, _turn: u32, end: &'a TurnEnd) -> BoxFuture<'a, Option<String>> {
        let first = !self.kept.swap(true, Ordering::SeqCst);
        self.saw(format!("end {end:?}"));
        Box::pin(async move { first.then(|| "the tests do not pass yet".to_owned()) })
    }
    fn at_end(&self, turn: u32) -> BoxFuture<'_, ()> {
        self.saw(format!("over {turn}"));
        Box::pin(async {})
    }
}

/// Writes down what models are wanted for. One that is only measured sees next to nothing, and may not be asked.
struct Counts {
    model: Arc<dyn Model>,
    mute: Arc<dyn Model>,
    asked: Mutex<Vec<Purpose>>,
}

struct Mute(ModelCard);

impl Model for Mute {
    fn card(&self) -> &ModelCard {
        &self.0
    }
    fn stream(&self, _: Request, _: Stop) -> ModelStream {
        panic!("it was only to be measured");
    }
}

impl Router for Counts {
    fn model(&self, purpose: Purpose) -> Arc<dyn Model> {
        self.asked.lock().unwrap().push(purpose);
        Arc::clone(if purpose == Purpose::Measure { &self.mute } else { &self.model })
    }
}

/// Who answers is asked once for each request. What it said holds for the calls of the answer, and for a folding on the way.
#[tokio::test]
async fn the_router_is_asked_once_for_each_request_and_what_it_said_is_passed_on() {
    let long = "a line of output\n".repeat(300);
    let whole = long.clone();
    let read = tool("read", true, move |_, _| {
        let text = whole.clone();
        Box::pin(async move { ToolOutcome::done(text) })
    });
    let plays = vec![calls(&["read", "write"]), calls(&["write"]), says("done"), says("notes"), says("on")];
    let mut world = World::new(plays, vec![read, quick("write", false)]);
    let mute = Arc::new(Mute(ModelCard::new("test/mute", 200)));
    let router = Counts { model: world.model.clone(), mute, asked: Mutex::default() };
    let router = Arc::new(router);
    world.agent.router = router.clone();
    let asked = |purpose: Purpose| router.asked.lock().unwrap().iter().filter(|asked| **asked == purpose).count();
    assert_eq!(world.turn("go").await, TurnEnd::Done);
    assert_eq!((asked(Purpose::Step), asked(Purpose::Digest), world.requests().len()), (3, 0, 3));
    assert_eq!(world.results()[0], long, "outputs have the bound of the model that called for them");
    assert!(world.agent.fold_now(&mut world.conversation, "", &Stop::new()).await.unwrap());
    assert_eq!((asked(Purpose::Step), asked(Purpose::Digest), world.requests().len()), (4, 1, 4));
    let end = world.agent.turn(&mut world.conversation, "more".into(), &world.inbox, &world.stop).await;
    assert_eq!((end, asked(Purpose::Step), asked(Purpose::Digest)), (TurnEnd::Done, 5, 1));
}

/// Adds a word to what would begin a turn, and is against `no`.
struct Doorman(&'static str);

impl Aspect for Doorman {
    fn before_turn<'a>(&'a self, said: Said, _stop: &'a Stop) -> BoxFuture<'a, Result<Said, TurnEnd>> {
        Box::pin(async move {
            if said.typed() == "no" {
                let why = Phrase::new("hooks.prompt_blocked").with("hook", self.0).with("reason", "not this");
                return Err(TurnEnd::Refused { kind: TurnRefusal::Prompt, why });
            }
            Ok(said.after_news(vec![self.0.to_owned()]))
        })
    }
}

/// What begins no turn leaves nothing behind; what does has what all of them added, in their order.
#[tokio::test]
async fn what_was_said_is_refused_or_added_to_before_anything_is_done_about_it() {
    let mut world = World::new(vec![says("fine")], vec![]);
    world.agent.aspects.extend(["one", "two"].map(|name| Arc::new(Doorman(name)) as Arc<dyn Aspect>));
    let stop = Stop::new();
    let refused = world.agent.before_turn("no".into(), &stop).await.unwrap_err();
    let TurnEnd::Refused { kind: TurnRefusal::Prompt, why } = refused else { panic!("{refused:?}") };
    assert!(why.args.iter().any(|(name, value)| name == "hook" && value == "one"), "the first one's word: {why:?}");
    assert!(world.journal.log.lock().unwrap().is_empty());
    let said = world.agent.before_turn("go".into(), &stop).await.unwrap();
    assert_eq!((said.text.as_str(), said.typed()), ("two\n\none\n\ngo", "go"));
}

#[tokio::test]
async fn aspects_stand_around_prompts_calls_and_ends() {
    let read = tool("read", true, |args, _| Box::pin(async move { ToolOutcome::done(args["path"].to_string()) }));
    let plays = vec![calls(&["rm", "read"]), says("done"), says("really done")];
    let mut world = World::new(plays, vec![read, quick("rm", false)]);
    let meddler = Arc::new(Meddler::default());
    world.agent.aspects.extend([meddler.clone() as Arc<dyn Aspect>]);
    assert_eq!(world.turn("go").await, TurnEnd::Done);
    assert_eq!(world.results(), ["blocked: not here", "\"other\" of read"]);
    let log = world.journal.log.lock().unwrap();
    assert!(matches!(&log[0], RecordBody::Prompt { text, .. } if text == "go (and be quick)"), "{:?}", log[0]);
    let refusals = log.iter().filter(|body| matches!(body, RecordBody::Decided(decided) if !decided.allowed));
    assert_eq!(refusals.count(), 1, "what an aspect refuses is on the log");
    let notes = log.iter().filter(
        |body| matches!(body, RecordBody::Note { text, by_user: false, .. } if text == "the tests do not pass yet"),
    );
    assert_eq!(notes.count(), 1);
    let seen = meddler.seen.lock().unwrap();
    assert_eq!(*seen, ["call rm", "call read", "run read", "end Done", "end Done", "over 1"]);
}

/// What an aspect puts in a call's place is no word of a person: it is classified, and the gate decides.
#[tokio::test]
async fn other_arguments_of_an_aspect_pass_the_gate() {
    let mut world = World::new(vec![calls(&["read"]), says("done")], vec![quick("read", true)]);
    world.agent.gate = Arc::new(Door { denies: vec!["read"], ..Door::default() });
    world.agent.aspects.extend([Arc::new(Meddler::default()) as Arc<dyn Aspect>]);
    world.model.plays.lock().unwrap().push_back(says("really done"));
    world.turn("go").await;
    assert_eq!(world.results(), ["blocked: rule"]);
}

/// Who never lets a turn end does not hold it for ever.
#[tokio::test]
async fn a_turn_ends_whatever_an_aspect_says() {
    struct Never;
    impl Aspect for Never {
        fn before_end<'a>(&'a self, _turn: u32, _end: &'a TurnEnd) -> BoxFuture<'a, Option<String>> {
            Box::pin(async { Some("go on".to_owned()) })
        }
    }
    let mut world = World::new((0..40).map(|n| says(&format!("answer {n}"))).collect(), Vec::new());
    world.agent.aspects.extend([Arc::new(Never) as Arc<dyn Aspect>]);
    assert_eq!(world.turn("go").await, TurnEnd::Done);
    assert_eq!(world.requests().len(), 17);
}

#[tokio::test]
async fn an_answer_that_is_not_whole_is_told() {
    for (text, stop, told) in [
        ("half a sent", StopReason::Length, Some("engine.answer_cut")),
        ("I would", StopReason::Filtered, Some("engine.answer_withheld")),
        ("", StopReason::Filtered, Some("engine.answer_withheld")),
        ("", StopReason::Length, Some("engine.empty_answer")),
        ("whole", StopReason::End, None),
    ] {
        let items = vec![Item::Text(text.into()), Item::End(stop)];
        let mut world = World::new(vec![Play::Items(items)], vec![]);
        assert_eq!(world.turn("go").await, TurnEnd::Done);
        let events = world.events.0.lock().unwrap();
        let notices: Vec<&str> = events
            .iter()
            .filter_map(|event| if let Event::Notice { phrase, .. } = event { Some(&*phrase.code) } else { None })
            .collect();
        assert_eq!(notices, told.into_iter().collect::<Vec<_>>(), "{text:?} {stop:?}");
    }
}

#[tokio::test]
async fn what_cut_an_answer_and_a_call_that_was_left_in_the_text_are_told() {
    let ends = |item: Item, stop| Play::Items(vec![Item::Text("half".into()), item, Item::End(stop)]);
    for (play, told) in [
        (ends(Item::CutBy(Phrase::new("llm.paused")), StopReason::Length), "llm.paused"),
        (ends(Item::Repaired(Repair::new(Fix::Unmade, "hermes")), StopReason::End), "repair.unmade"),
    ] {
        let mut world = World::new(vec![play], vec![]);
        assert_eq!(world.turn("go").await, TurnEnd::Done);
        let events = world.events.0.lock().unwrap();
        let notices: Vec<(Level, &str)> = events
            .iter()
            .filter_map(|event| match event {
                Event::Notice { level, phrase } => Some((*level, &*phrase.code)),
                _ => None,
            })
            .collect();
        assert_eq!(notices, [(Level::Warning, told)]);
    }
}
