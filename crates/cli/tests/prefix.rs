//! Five hundred requests through everything that must not break the cached prefix, and everything that may: the bytes
//! on the wire break exactly where the log says, and `reasonix cache` prints how much was reused.

use crate::support;

use reasonix_config::{Flags, Sources};
use reasonix_engine::{Handle, Start, Which, World, start};
use reasonix_proto::{
    Choice, Event, Mode, Op, Posture, Query, RecordId, Reply as Answer, Rewind, TreeFilter, TurnState,
};
use reasonix_testkit::{ModelServer, Recorded, Reply, prefix_breaks};
use reasonix_workspace::{Options, Workspace};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;
use support::Place;

/// Steps of a turn before its answer.
const STEPS: usize = 6;

const REQUESTS: usize = 500;

/// What an endpoint does that caches prefixes by model: it tells what it had seen.
#[derive(Default)]
struct Endpoint {
    seen: HashMap<String, Vec<u8>>,
    count: usize,
}

impl Endpoint {
    fn answer(&mut self, request: &Recorded) -> Reply {
        self.count += 1;
        if request.last_content() == "FAIL" {
            return Reply::fail(400, r#"{"error":{"message":"no"}}"#);
        }
        let model = request.body["model"].as_str().unwrap().to_owned();
        let (text, seen) = (&request.raw, self.seen.insert(model, request.raw.clone()).unwrap_or_default());
        let same = seen.iter().zip(text).take_while(|(a, b)| a == b).count();
        self.reply(request).with_usage(text.len() as u64 / 4, 5, same as u64 / 4)
    }

    fn reply(&self, request: &Recorded) -> Reply {
        let said = request.messages().iter().rev().take_while(|message| message["role"] != "user").count();
        let last = request.last_content();
        let number = self.count;
        if last.contains("The context is nearly full") {
            return Reply::say("Objective: all of it. Next steps: go on.");
        }
        if last.contains("HANG") {
            return Reply::hang_mid_stream("half a");
        }
        if last.contains("SLOW") {
            return Reply::call("bash", json!({ "command": "sleep 600" }));
        }
        if said >= STEPS * 2 {
            return Reply::say("done");
        }
        match number % 5 {
            0 => Reply::call(
                "todo_write",
                json!({ "ops": [{ "op": "init", "list": [{ "phase": "p", "items": [format!("t{number}")] }] }] }),
            ),
            1 => {
                Reply::call("write_file", json!({ "path": format!("f{}", number % 7), "content": format!("{number}") }))
            }
            2 => Reply::call("bash", json!({ "command": format!("echo {number}") })),
            3 => Reply::calls(&[("ls", json!({ "path": format!("d{number}") })), ("todo_read", json!({}))]),
            _ => Reply::call("read_file", json!({ "path": "notes", "offset": number })),
        }
    }
}

struct Session<'a> {
    place: &'a Place,
    handle: Handle,
    /// Turns that were sent.
    turns: usize,
}

impl<'a> Session<'a> {
    fn open(place: &'a Place, which: Which) -> Self {
        let (home, root) = (place.home.path(), place.work.path().canonicalize().unwrap());
        let env: std::collections::BTreeMap<_, _> = [("MOCK_KEY".to_owned(), "sk".to_owned())].into();
        let sources = Sources {
            home: home.clone(),
            project: root.clone(),
            root: root.clone(),
            env: env.clone(),
            flags: Flags::default(),
        };
        let settings = reasonix_config::load(&sources).unwrap().settings;
        let rules = reasonix_config::rules_files(&home, &root, &root, &reasonix_config::ClosedFiles::default()).files;
        let workspace = Workspace::open(&root, Options::default()).unwrap();
        let begin = Start {
            world: World::new(settings, env, home),
            workspace,
            rules,
            model: None,
            agent: None,
            append_system: None,
            which,
            attended: true,
            approve: Vec::new(),
        };
        let handle = start(begin).unwrap_or_else(|error| panic!("{error}"));
        Self { place, handle, turns: 0 }
    }

    /// Runs until the session is idle after a turn; what it is asked it allows. `meanwhile` is sent when the first call runs.
    async fn turn(&mut self, op: Op, mut meanwhile: Vec<Op>) {
        self.turns += 1;
        self.handle.submit(op);
        let mut ended = false;
        loop {
            let event = self.next().await;
            match event {
                Event::Asked { asking } => {
                    let choice = Choice::AllowOnce;
                    self.handle.submit(Op::Answer { ask: asking.ask, choice, digest: None, words: None, edited: None });
                }
                Event::ToolStarted { .. } | Event::Text { .. } => {
                    for op in meanwhile.drain(..) {
                        self.handle.submit(op);
                    }
                }
                Event::TurnEnded { .. } => ended = true,
                Event::State { state: TurnState::Idle } if ended => return,
                _ => {}
            }
        }
    }

    /// The next event; nothing for so long is a defect.
    async fn next(&mut self) -> Event {
        let next = tokio::time::timeout(Duration::from_secs(60), self.handle.events.next());
        let event = next.await.unwrap_or_else(|_| panic!("turn {} stands still", self.turns));
        event.expect("the session lives").event
    }

    async fn say(&mut self, text: &str) {
        self.turn(Op::Prompt { text: text.into(), resolved: true }, Vec::new()).await;
    }

    /// Sends an operation that is done when such an event comes.
    async fn until(&mut self, op: Op, done: fn(&Event) -> bool) {
        self.handle.submit(op);
        while !done(&self.next().await) {}
    }

    async fn moved(&mut self, op: Op) {
        self.until(op, |event| matches!(event, Event::Moved { .. })).await;
    }

    async fn prompts(&self) -> Vec<(RecordId, u32)> {
        match self.handle.query(Query::Tree { filter: TreeFilter::UserOnly, text: "turn".into() }).await {
            Answer::Tree { nodes, .. } => {
                nodes.into_iter().filter(|node| node.active).map(|node| (node.id, node.turn)).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    async fn resumed(self) -> Self {
        let Self { place, handle, turns } = self;
        let session = handle.session.clone();
        let mut events = handle.join().events;
        handle.submit(Op::Shutdown);
        drop(handle);
        while events.next().await.is_some() {}
        let log = place.home.join(format!("state/sessions/{session}.lock"));
        // The journal's thread lets go of the session when it has written everything.
        while std::fs::File::open(&log)
            .is_ok_and(|file| rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive).is_err())
        {
            tokio::task::yield_now().await;
        }
        Self { turns, ..Self::open(place, Which::Resume(session.0)) }
    }
}

/// What happens beside the turns, early in the session, where a break costs least.
async fn special(mut session: Session<'_>, number: usize) -> Session<'_> {
    let set = |model: &str| Op::SetModel { model: Some(model.into()), effort: None };
    let changed = |event: &Event| matches!(event, Event::Changed { .. });
    match number {
        2 => session.until(set("mock/other"), changed).await,
        3 => session.until(set("mock/m1"), changed).await,
        4 => session.turn(Op::Retry, Vec::new()).await,
        5 => {
            let turn = session.prompts().await.last().unwrap().1;
            session.moved(Op::Rewind { turn, what: Rewind::Both, summary: None }).await;
        }
        6 => {
            let prompts = session.prompts().await;
            let at = prompts[prompts.len() - 2].0;
            session.moved(Op::Branch { at, summary: None }).await;
        }
        7 => {
            let op = Op::Compact { instructions: "keep the numbers".into() };
            session.until(op, |event| matches!(event, Event::Compacted { .. })).await;
        }
        8 | 30 => session = session.resumed().await,
        9 => session.turn(Op::Prompt { text: "FAIL".into(), resolved: true }, Vec::new()).await,
        10 => session.turn(Op::Shell { command: "echo mine".into(), keep: true }, Vec::new()).await,
        11 => session.turn(Op::Shell { command: "echo not shown".into(), keep: false }, Vec::new()).await,
        12 => session.until(Op::Rename { title: "long".into() }, changed).await,
        _ => {}
    }
    session
}

async fn play(place: &Place) {
    let mut session = Session::open(place, Which::New);
    let mut number = 0;
    while place.server.request_count() < REQUESTS {
        number += 1;
        let posture = [Posture::Ask, Posture::Auto, Posture::Yolo][number % 3];
        session.until(Op::SetPosture { posture }, |event| matches!(event, Event::Changed { .. })).await;
        let mode = if number % 4 == 3 { Mode::Plan } else { Mode::Build };
        session.handle.submit(Op::SetMode { mode });
        session = special(session, number).await;
        let text = format!("turn {number}");
        let op = Op::Prompt { text: text.clone(), resolved: true };
        match number % 9 {
            3 => session.turn(op, vec![Op::Steer { text: format!("faster {number}") }]).await,
            5 => session.turn(Op::Prompt { text: format!("HANG {text}"), resolved: true }, vec![Op::Interrupt]).await,
            7 => session.turn(op, vec![Op::Steer { text: "one".into() }, Op::Steer { text: "two".into() }]).await,
            // The call still runs when it is interrupted. If it were over, the next request might stand in the ledger, which is
            // written first, and never be sent.
            8 => session.turn(Op::Prompt { text: format!("SLOW {text}"), resolved: true }, vec![Op::Interrupt]).await,
            _ => session.say(&text).await,
        }
    }
}

fn place() -> Place {
    let mut endpoint = Endpoint::default();
    let place = Place::bare(ModelServer::start_with(move |request| Some(endpoint.answer(request))));
    let text = format!(
        "default_model = \"mock/m1\"\n[[providers]]\nname = \"mock\"\nkind = \"openai\"\nbase_url = \"{}\"\nmodels = [\"m1\", \"other\"]\ndefault = \"m1\"\napi_key_env = \"MOCK_KEY\"\ncontext_window = 200000\nprice = {{ input = 2.0, cached_input = 0.2, output = 8.0 }}\n\n[sandbox]\nbash = \"off\"\n",
        place.server.base_url()
    );
    place.home.write("config.toml", text);
    place.work.write("AGENTS.md", "A rule of this project that is kept to.\n".repeat(500));
    place.work.write("notes", "line\n".repeat(40));
    place
}

#[tokio::test]
async fn five_hundred_requests_break_only_where_the_log_says_so() {
    let place = place();
    play(&place).await;
    place.server.assert_valid();
    let requests = place.server.requests();
    let bodies: Vec<&[u8]> = requests.iter().map(|request| request.raw.as_slice()).collect();
    let log = std::fs::read_to_string(&place.logs()[0]).unwrap();
    let records: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let entries: Vec<&Value> = records.iter().filter(|record| record["kind"] == "requested").collect();
    assert_eq!(entries.len(), requests.len(), "every request is in the ledger");
    let on_wire = prefix_breaks(&bodies);
    let broke = |why: &dyn Fn(&str) -> bool| -> Vec<usize> {
        let named = entries.iter().enumerate().filter(|(_, entry)| entry["broke"].as_str().is_some_and(why));
        named.map(|(place, _)| place + 1).collect()
    };
    // Another model sees the same messages: on the wire only its name is different.
    assert_eq!(on_wire, broke(&|why| why != "model_change"), "the wire and the log agree");
    let names: Vec<&str> = entries.iter().filter_map(|entry| entry["broke"].as_str()).collect();
    assert_eq!(names, ["model_change", "model_change", "rewind", "rewind", "branch", "compaction"]);
    for pair in entries.windows(2).filter(|pair| pair[1]["broke"].is_null()) {
        assert_eq!(pair[1]["same"], pair[0]["bytes"], "{} extends {}", pair[1], pair[0]);
    }
    let ran = place.run(&["cache", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert!(report["total"]["requests"].as_u64().unwrap() >= REQUESTS as u64);
    let (reused, cached) = (report["reused"].as_f64().unwrap(), report["cached"].as_f64().unwrap());
    assert!(reused >= 0.995, "{reused}");
    assert!((reused - cached).abs() < 0.01, "as sent {reused}, as reported {cached}");
    assert!(report["breaks"].as_array().unwrap().iter().any(|broke| broke["cost"].as_u64() > Some(0)), "{report}");
    let ran = place.run(&["cache"]);
    let share = format!("as sent: {:.2}% of", (reused * 10_000.0).floor() / 100.0);
    assert!(ran.out.contains(&share) && ran.out.contains("the conversation was folded"), "{}", ran.out);
    println!("{}", ran.out.lines().rev().take(10).collect::<Vec<_>>().join("\n"));
}
