//! Long days in small windows: an endpoint that counts in its own way, a process for every turn, and everything a person said
//! is still there.

use futures_util::stream;
use reasonix_agent::{
    Agent, Args, Artifacts, Ask, BoxFuture, Call, Conversation, Decision, Failure, Gate, Inbox, Item, Journal,
    JournalError, Limits, Measures, Model, ModelCard, ModelStream, Prefix, Request, Sink, Stop, Tool, ToolSpec,
    ToolTraits, Tools, folded_messages, message_of,
};
use reasonix_proto::{
    Action, Artifact, CallId, Compacted, Details, Event, FailureClass, Family, FoldReason, Message, Phrase, Record,
    RecordBody, RecordId, Requested, StopReason, TodoItem, TodoPhase, TodoStatus, ToolCall, ToolOutcome, TurnEnd,
    Usage,
};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

/// What a run is like.
#[derive(Debug, Clone, Copy)]
struct Plan {
    window: u64,
    /// Characters that the endpoint counts as one token.
    per_token: f64,
    turns: usize,
    /// Characters of a prompt, and of an output.
    prompt: usize,
    output: usize,
    /// The model writes notes when it is asked for them.
    notes: bool,
    /// Prompts have pasted text in them and are answered at once, in few words.
    talk: bool,
}

const OBJECTIVE: &str = "OBJECTIVE: port the billing service to Rust, and never touch the ledger table.";
const TODO: &str = "rewrite the nightly export";
const RISK: &str = "assertion failed: rounding of cents";
const PATCHED: &str = "src/patched.rs";

fn fact(turn: usize) -> String {
    format!("FACT-{turn}: the port of service {turn} is {}.", 40_000 + turn * 7)
}

fn words(from: usize, characters: usize) -> String {
    const WORDS: &[&str] = &["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"];
    let mut text = String::new();
    for number in 0.. {
        if text.len() >= characters {
            break;
        }
        let _ = write!(text, "{} ", WORDS[(from * 7 + number * 3 + number / 9) % WORDS.len()]);
    }
    text.truncate(characters);
    text.trim_end().to_owned()
}

/// A page that demands and counts more than a person does.
fn pasted(turn: usize, characters: usize) -> String {
    let mut text = String::new();
    for line in 0.. {
        if text.len() >= characters {
            break;
        }
        let _ = match line % 4 {
            0 => writeln!(
                text,
                "- `option_{turn}` must never be more than {} rows, only \"/srv/{line}\" is",
                7_000 + turn * line
            ),
            3 => writeln!(text),
            _ => writeln!(text, "{}", words(turn + line, 110)),
        };
    }
    text.truncate(characters);
    text.trim_end().to_owned()
}

/// The fact stands at the beginning, in the middle or at the end.
fn prompt(plan: Plan, turn: usize) -> String {
    let fact = if turn == 1 { format!("{OBJECTIVE} {}", fact(1)) } else { fact(turn) };
    let rest = plan.prompt.saturating_sub(fact.len() + 2);
    if plan.talk {
        return format!("{fact} Here are notes for later:\n{}\nAnswer in one short sentence.", pasted(turn, rest - 60));
    }
    match turn % 3 {
        _ if rest < 20 => fact,
        0 => format!("{}. {fact}", words(turn, rest)),
        1 => format!("{fact} {}", words(turn, rest)),
        _ => format!("{}. {fact} {}", words(turn, rest / 2), words(turn + 1, rest / 2)),
    }
}

/// Everything that a run left.
#[derive(Default)]
struct Kept {
    log: Mutex<Vec<RecordBody>>,
    artifacts: Mutex<BTreeMap<String, Vec<u8>>>,
    events: Mutex<u64>,
}

impl Journal for Kept {
    fn append(&self, body: RecordBody) -> BoxFuture<'static, Result<Record, JournalError>> {
        let mut log = self.log.lock().unwrap();
        log.push(body.clone());
        let id = RecordId(log.len() as u64);
        Box::pin(std::future::ready(Ok(Record { id, parent: None, at: 0, body })))
    }
}

impl Artifacts for Kept {
    fn put(&self, bytes: &[u8]) -> std::io::Result<Artifact> {
        let uri = format!("artifact://{}", blake3::hash(bytes).to_hex().get(..16).unwrap());
        self.artifacts.lock().unwrap().insert(uri.clone(), bytes.to_owned());
        Ok(Artifact { uri, bytes: bytes.len() as u64, lines: 0 })
    }
    fn get(&self, uri: &str) -> std::io::Result<Vec<u8>> {
        self.artifacts.lock().unwrap().get(uri).cloned().ok_or_else(|| std::io::ErrorKind::NotFound.into())
    }
}

impl Sink for Kept {
    fn emit(&self, _: Event) {
        *self.events.lock().unwrap() += 1;
    }
}

struct Open;

impl Gate for Open {
    fn decide<'a>(&'a self, _: Ask<'a>) -> BoxFuture<'a, Decision> {
        Box::pin(std::future::ready(Decision::Allow { record: None }))
    }
}

/// An endpoint that counts, refuses what is too long, and notes what a request lacks.
struct Endpoint {
    card: ModelCard,
    plan: Plan,
    /// The turn, and its step.
    place: Mutex<(usize, usize)>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    refused: usize,
    /// What the requests of turns lacked.
    lacking: BTreeMap<&'static str, usize>,
    last: String,
}

impl Endpoint {
    fn count(&self, text: &str) -> u64 {
        (text.len() as f64 / self.plan.per_token) as u64
    }

    fn look(&self, text: &str, turn: usize) {
        let mut seen = self.seen.lock().unwrap();
        let mut lacks = |what: &'static str, text_of: &str| {
            if !text.contains(text_of) {
                *seen.lacking.entry(what).or_default() += 1;
            }
        };
        lacks("the objective", OBJECTIVE);
        (turn.saturating_sub(29).max(1)..=turn).for_each(|turn| lacks("a fact", &fact(turn)));
        if turn > 2 && !self.plan.talk {
            lacks("the todo list", TODO);
            lacks("the risk", RISK);
            lacks("the patched file", PATCHED);
        }
        seen.last = text.to_owned();
    }

    /// Three calls and an answer.
    fn play(&self) -> Vec<Item> {
        let mut place = self.place.lock().unwrap();
        let (turn, step) = *place;
        place.1 += 1;
        let call = |name: &str, arguments: serde_json::Value| {
            let id = CallId(format!("call_{turn}_{step}"));
            Item::Call(ToolCall { id, name: name.into(), arguments: arguments.to_string() })
        };
        let patch = format!("*** Begin Patch\n*** Update File: {PATCHED}\n@@\n-a\n+b\n*** End Patch");
        let answer = match (turn, step) {
            _ if self.plan.talk => {
                return vec![Item::Text(words(turn, 90)), Item::End(StopReason::End)];
            }
            (2, 0) => call("apply_patch", json!({ "patch": patch })),
            (2, 1) => call("todo_write", json!({ "items": ["read the schema", TODO, "drop the old views"] })),
            (2, 2) => call("run", json!({ "command": "cargo test" })),
            (_, 0 | 2) => call("run", json!({ "command": format!("grep -n step{step} notes/{turn}.md") })),
            (_, 1) => call("write_file", json!({ "path": format!("src/part{}.rs", turn % 6), "content": "fn x() {}" })),
            _ => return vec![Item::Text(format!("Turn {turn} is done.")), Item::End(StopReason::End)],
        };
        vec![answer, Item::End(StopReason::Calls)]
    }
}

impl Model for Endpoint {
    fn card(&self) -> &ModelCard {
        &self.card
    }

    fn stream(&self, request: Request, _: Stop) -> ModelStream {
        let mut text = serde_json::to_string(&request.prefix.tools).unwrap() + &request.prefix.system;
        request.messages.iter().for_each(|message| text.push_str(&serde_json::to_string(&**message).unwrap()));
        let tokens = self.count(&text);
        if tokens > self.plan.window {
            self.seen.lock().unwrap().refused += 1;
            let failure = Failure::new(FailureClass::ContextTooLong, Phrase::new("llm.too_long"));
            return Box::pin(stream::iter([Item::Failed(failure)]));
        }
        let asks_for_notes = match request.messages.last().map(|message| &**message) {
            Some(Message::User { text, .. }) => text.contains("The context is nearly full"),
            _ => false,
        };
        let mut items = match (asks_for_notes, self.plan.notes) {
            (true, true) => vec![Item::Text(notes()), Item::End(StopReason::End)],
            (true, false) => {
                let failure = Failure::new(FailureClass::Server, Phrase::new("llm.failed"));
                return Box::pin(stream::iter([Item::Failed(failure)]));
            }
            (false, _) => {
                self.look(&text, self.place.lock().unwrap().0);
                self.play()
            }
        };
        let usage = Usage { input: tokens, output: 30, ..Usage::default() };
        items.insert(items.len() - 1, Item::Usage(usage));
        Box::pin(stream::iter(items))
    }
}

/// Notes that are longer than they should be, and say nothing that has to be kept.
fn notes() -> String {
    format!("## Objective\nwork\n## Done\n{}\n## Next steps\ngo on", words(3, 2_400))
}

struct Told {
    spec: ToolSpec,
    output: usize,
}

impl Tool for Told {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }
    fn action(&self, _: &Args) -> Action {
        Action::reads(Family::Read, self.spec.name.clone())
    }
    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        let command = call.args.get("command").and_then(|command| command.as_str()).unwrap_or_default();
        let outcome = match (self.spec.name.as_str(), command) {
            ("run", "cargo test") => ToolOutcome::done(format!("running 3 tests\n{RISK}\nexit code 101")),
            ("run", command) => ToolOutcome::done(words(command.len(), self.output)),
            ("todo_write", _) => {
                let task = |content: &str, status| TodoItem { content: content.into(), status, notes: Vec::new() };
                let tasks = vec![
                    task("read the schema", TodoStatus::Completed),
                    task(TODO, TodoStatus::InProgress),
                    task("drop the old views", TodoStatus::Pending),
                ];
                let details = Details { todo: Some(vec![TodoPhase { name: "p".into(), tasks }]), ..Details::default() };
                ToolOutcome::Done { content: "2 open".into(), details: Box::new(details) }
            }
            _ => ToolOutcome::done("written"),
        };
        Box::pin(std::future::ready(outcome))
    }
}

/// Four tools that are described at as much length as the real ones.
fn tools(plan: Plan) -> Tools {
    let tool = |name: &str, traits: ToolTraits| -> Arc<dyn Tool> {
        let parameters = json!({ "type": "object", "properties": { "command": { "type": "string" } } });
        let length = if plan.talk { 300 } else { 1_100 };
        let spec = ToolSpec::new(name, words(name.len(), length), parameters).with(traits);
        Arc::new(Told { spec, output: plan.output })
    };
    Tools::new(vec![
        tool("run", ToolTraits::RUNS),
        tool("write_file", ToolTraits::EDITS),
        tool("apply_patch", ToolTraits::EDITS),
        tool("todo_write", ToolTraits::default()),
    ])
}

/// What a run came to.
#[derive(Debug, Default)]
struct Figures {
    requests: usize,
    foldings: usize,
    /// In the last sixth of the requests.
    late: (usize, usize),
    /// The fewest requests from one folding to the next.
    nearest: usize,
    /// Shares of bytes that had been sent before, in percent: in the first and in the last sixth.
    reused: (f64, f64),
    notes: usize,
    refused: usize,
    lacking: BTreeMap<&'static str, usize>,
    /// Messages that neither the last request nor what it leads to has whole, and the most addresses to follow to one.
    unreachable: Vec<usize>,
    hops: usize,
    /// How far what was foretold was from what was counted next, at most, in percent.
    wrong: f64,
    /// Foldings without anything new before them, but for what the endpoint refused.
    idle: usize,
}

/// A loop, its endpoint, and what it leaves.
struct World {
    agent: Agent,
    endpoint: Arc<Endpoint>,
    kept: Arc<Kept>,
    prefix: Arc<Prefix>,
}

impl World {
    fn new(plan: Plan) -> Self {
        let kept = Arc::new(Kept::default());
        let place = Mutex::new((0, 0));
        let card = ModelCard::new("test/model", plan.window);
        let endpoint = Arc::new(Endpoint { card, plan, place, seen: Mutex::default() });
        let tools = tools(plan);
        let prefix = Arc::new(Prefix { system: words(1, 1_400), tools: tools.specs(), aliases: Vec::new() });
        let agent = Agent {
            router: Arc::new(endpoint.clone() as Arc<dyn reasonix_agent::Model>),
            tools,
            classify: Arc::new(reasonix_agent::ByAction),
            gate: Arc::new(Open),
            journal: kept.clone(),
            artifacts: kept.clone(),
            sink: kept.clone(),
            aspects: reasonix_agent::Aspects::default(),
            budget: Arc::new(reasonix_agent::NoBudget),
            limits: Limits::default(),
        };
        Self { agent, endpoint, kept, prefix }
    }

    async fn turn(&self, conversation: &mut Conversation, turn: usize) {
        *self.endpoint.place.lock().unwrap() = (turn, 0);
        let said = prompt(self.endpoint.plan, turn).into();
        let end = self.agent.turn(conversation, said, &Inbox::default(), &Stop::new()).await;
        assert_eq!(end, TurnEnd::Done, "turn {turn} of {:?}", self.endpoint.plan);
    }
}

/// Plays a run, with a new process for every turn.
async fn run(plan: Plan) -> Figures {
    let world = World::new(plan);
    for turn in 1..=plan.turns {
        let mut conversation = resumed(&world.prefix, &world.kept.log.lock().unwrap());
        world.turn(&mut conversation, turn).await;
    }
    let seen = world.endpoint.seen.lock().unwrap();
    figures(plan, &world.kept, &seen)
}

#[tokio::test]
async fn what_was_folded_is_not_folded_again_before_something_is_said() {
    let world = World::new(plan(65_536, 3.2, 4, 100, 120, true));
    let (mut conversation, stop) = (Conversation::new(world.prefix.clone()), Stop::new());
    for turn in 1..=3 {
        world.turn(&mut conversation, turn).await;
    }
    assert!(world.agent.fold_now(&mut conversation, "", &stop).await.unwrap());
    let asked = world.kept.log.lock().unwrap().len();
    assert!(!world.agent.fold_now(&mut conversation, "", &stop).await.unwrap());
    assert_eq!(world.kept.log.lock().unwrap().len(), asked, "nobody was asked for notes either");
    world.turn(&mut conversation, 4).await;
    assert!(world.agent.fold_now(&mut conversation, "", &stop).await.unwrap());
}

/// The conversation as a later process has it, out of the log alone.
fn resumed(prefix: &Arc<Prefix>, log: &[RecordBody]) -> Conversation {
    let (mut messages, mut turns, mut context, mut folded) = (Vec::new(), 0, 0, None::<Compacted>);
    let (mut measures, mut todo, mut last) = (Measures::default(), None, None::<Requested>);
    let mut broke = None;
    for body in log {
        match body {
            RecordBody::Compacted(record) => {
                (messages, context, folded) = (folded_messages(record), 0, Some((**record).clone()));
                broke = Some(reasonix_proto::Break::Compaction);
            }
            RecordBody::Requested(entry) => {
                measures.learn(entry);
                (last, broke) = (Some((**entry).clone()), None);
            }
            RecordBody::Prompt { turn, .. } => turns = *turn,
            RecordBody::Assistant { usage: Some(usage), .. } => context = usage.tokens(),
            RecordBody::Outcome { outcome: ToolOutcome::Done { details, .. }, .. } if details.todo.is_some() => {
                todo.clone_from(&details.todo);
            }
            _ => {}
        }
        messages.extend(message_of(body));
    }
    Conversation::replay(prefix.clone(), messages, turns, Usage::default(), context)
        .folded_by(folded)
        .requested_by(last, broke)
        .knowing(measures, todo)
}

fn figures(plan: Plan, kept: &Kept, seen: &Seen) -> Figures {
    let log = kept.log.lock().unwrap();
    let mut found =
        Figures { refused: seen.refused, lacking: seen.lacking.clone(), nearest: usize::MAX, ..Figures::default() };
    let mut entries: Vec<(Requested, bool)> = Vec::new();
    let (mut folded, mut news) = (None::<Compacted>, true);
    let mut since = None::<usize>;
    for body in log.iter() {
        match body {
            RecordBody::Compacted(record) => {
                found.foldings += 1;
                if !news && record.reason != FoldReason::Overflow {
                    found.idle += 1;
                }
                if let Some(since) = since.replace(0) {
                    found.nearest = found.nearest.min(since);
                }
                (folded, news) = (Some((**record).clone()), false);
            }
            RecordBody::Requested(entry) if entry.step == 0 => found.notes += 1,
            RecordBody::Requested(entry) => {
                assert!(entry.broke != Some(reasonix_proto::Break::Unexplained), "{entry:?}");
                let first = folded.take();
                if let (Some(folded), Some(usage)) = (&first, entry.usage) {
                    let off = (folded.after as f64 - usage.input as f64).abs() / usage.input as f64 * 100.0;
                    found.wrong = found.wrong.max(off);
                }
                if entry.usage.is_some() {
                    entries.push(((**entry).clone(), first.is_some()));
                    since = since.map(|since| since + 1);
                }
            }
            body => news |= message_of(body).is_some(),
        }
    }
    found.requests = entries.len();
    let sixth = entries.len() / 6;
    let reused = |part: &[(Requested, bool)]| {
        let sum = |of: fn(&Requested) -> u64| part.iter().map(|(entry, _)| of(entry)).sum::<u64>() as f64;
        100.0 * sum(|entry| entry.same) / sum(|entry| entry.bytes)
    };
    let late = &entries[entries.len() - sixth..];
    found.late = (late.iter().filter(|(_, folded)| *folded).count(), late.len());
    found.reused = (reused(&entries[..sixth]), reused(late));
    reach(plan, kept, &seen.last, &mut found);
    found
}

/// Follows every address that the last request names, and those that it leads to.
fn reach(plan: Plan, kept: &Kept, last: &str, found: &mut Figures) {
    let artifacts = kept.artifacts.lock().unwrap();
    let (mut texts, mut known) = (vec![last.to_owned()], BTreeSet::new());
    let mut all = String::new();
    while !texts.is_empty() {
        let mut next = Vec::new();
        for text in &texts {
            for uri in text.split("artifact://").skip(1).filter_map(|rest| rest.get(..16)) {
                let uri = format!("artifact://{uri}");
                if known.insert(uri.clone()) {
                    let bytes = artifacts.get(&uri).unwrap_or_else(|| panic!("{uri} leads nowhere: {plan:?}"));
                    next.push(String::from_utf8_lossy(bytes).into_owned());
                }
            }
            all.push_str(text);
        }
        let is_there =
            |prompt: String| all.contains(&prompt) || all.contains(json!(prompt).to_string().trim_matches('"'));
        found.unreachable = (1..=plan.turns).filter(|turn| !is_there(prompt(plan, *turn))).collect();
        found.hops += usize::from(!found.unreachable.is_empty());
        texts = next;
    }
}

impl Figures {
    fn row(&self, plan: Plan) -> String {
        let lacking: Vec<String> = self.lacking.iter().map(|(what, times)| format!("{what} {times}")).collect();
        format!(
            "| {} | {:.1} | {} | {} | {} | {} of {} | {} of {} | {} | {:.0} % → {:.0} % | {} | {} | {:.1} % | {} | {} |",
            plan.window,
            plan.per_token,
            plan.prompt,
            plan.turns,
            if plan.notes { "model" } else { "log" },
            self.foldings,
            self.requests,
            self.late.0,
            self.late.1,
            if self.nearest == usize::MAX { "–".to_owned() } else { self.nearest.to_string() },
            self.reused.0,
            self.reused.1,
            self.notes,
            self.refused,
            self.wrong,
            if lacking.is_empty() { "–".to_owned() } else { lacking.join(", ") },
            self.unreachable.len(),
        )
    }

    fn hold(&self, plan: Plan) {
        let row = self.row(plan);
        assert!(self.lacking.is_empty(), "{row}");
        // Ten requests bring more than is left there beside the prompt and the tools.
        let crowded = plan.prompt as f64 / plan.per_token > plan.window as f64 / 14.0;
        let (nearest, reused) = match (plan.talk, crowded) {
            (false, false) => (10, 90.0),
            (false, true) => (8, 90.0),
            // Each request brings a prompt: what is new of it is more.
            (true, false) => (10, 85.0),
            // Ten such prompts alone are as much as may be filled.
            (true, true) => (5, 75.0),
        };
        assert!(self.nearest >= nearest, "at most one folding in ten requests: {row}");
        assert!(self.reused.1 >= reused, "{row}");
        assert!(self.unreachable.is_empty() && self.hops <= 2, "{:?}: {row}", self.unreachable);
        assert!(self.idle == 0 && self.foldings > 0, "{row}");
        assert!(self.wrong < 10.0, "{row}");
        assert_eq!(self.refused, 0, "{row}");
    }
}

const HEAD: &str = "| window | characters a token | prompt | turns | notes by | foldings | in the last sixth | nearest | sent before, first → last sixth | requests for notes | refused | `after` off by | missing | out of reach |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |";

fn plan(window: u64, per_token: f64, turns: usize, prompt: usize, output: usize, notes: bool) -> Plan {
    Plan { window, per_token, turns, prompt, output, notes, talk: false }
}

/// Prompts of so many tokens with pasted text in them, and short answers: a request each.
fn talk(window: u64, per_token: f64, turns: usize, tokens: usize, notes: bool) -> Plan {
    let prompt = (tokens as f64 * per_token) as usize;
    Plan { talk: true, ..plan(window, per_token, turns, prompt, 0, notes) }
}

#[tokio::test]
async fn folding_makes_room_and_keeps_what_was_said() {
    for plan in [
        plan(8_192, 2.5, 60, 450, 120, true),
        plan(8_192, 3.2, 100, 100, 120, false),
        plan(16_384, 3.2, 60, 450, 900, true),
        talk(8_192, 2.5, 60, 300, true),
        talk(8_192, 4.0, 60, 300, false),
        talk(8_192, 2.5, 60, 600, true),
        talk(8_192, 3.2, 60, 600, true),
    ] {
        run(plan).await.hold(plan);
    }
}

/// The whole table, as docs/context.md has it.
#[tokio::test]
#[ignore = "a table of many long runs"]
async fn at_every_window_and_with_every_tokenizer() {
    println!("{HEAD}");
    let mut all = Vec::new();
    for per_token in [2.5, 3.2, 4.0] {
        for notes in [true, false] {
            for (window, turns, prompt, output) in [
                (8_192, 100, 100, 120),
                (8_192, 60, 450, 120),
                (8_192, 60, 1_500, 120),
                (16_384, 100, 450, 900),
                (32_768, 200, 250, 1_500),
                (32_768, 200, 450, 1_500),
                (65_536, 260, 450, 2_400),
            ] {
                let plan = plan(window, per_token, turns, prompt, output, notes);
                let found = run(plan).await;
                println!("{}", found.row(plan));
                all.push((plan, found));
            }
        }
    }
    for per_token in [2.5, 3.2, 4.0] {
        for (tokens, notes) in [(300, true), (300, false), (600, true), (600, false)] {
            let plan = talk(8_192, per_token, 90, tokens, notes);
            let found = run(plan).await;
            println!("{}", found.row(plan));
            all.push((plan, found));
        }
    }
    all.iter().for_each(|(plan, found)| found.hold(*plan));
}
