//! Agents: a switch among those that are built in changes the gate and adds a note; one with words or tools of its own is a
//! break with a name; and the log has who is at work.

use crate::world::{World, turn};
use reasonix_engine::{Handle, Start, Which};
use reasonix_proto::{
    AgentOrigin, AgentProfile, AgentRules, Break, Choice, Event, Mode, Op, Posture, Query, RecordBody, Reply as Told,
    Rewind, ToolOutcome,
};
use reasonix_testkit::Reply;
use serde_json::json;

fn write(path: &str) -> Reply {
    Reply::call("write_file", json!({"path": path, "content": "x\n"}))
}

fn bash(command: &str) -> Reply {
    Reply::call("bash", json!({"command": command}))
}

fn agent(name: &str, change: impl FnOnce(&mut AgentProfile)) -> AgentProfile {
    let mut profile = AgentProfile { name: name.into(), origin: AgentOrigin::User, ..AgentProfile::default() };
    change(&mut profile);
    profile
}

fn with(profiles: Vec<AgentProfile>) -> impl Fn(&mut Start) {
    move |start: &mut Start| {
        let named = profiles.iter().map(|profile| (profile.name.clone(), profile.clone()));
        start.world.settings.profiles = named.collect();
    }
}

fn reviewer() -> AgentProfile {
    agent("reviewer", |profile| {
        profile.prompt = Some("You only review.".into());
        profile.tools = Some(vec!["read_file".into(), "grep".into(), "bash".into()]);
        profile.rules.deny = vec!["Bash(git push:*)".into()];
    })
}

/// Hands in an operation and waits until it is settled.
async fn done(handle: &mut Handle, op: Op) -> Vec<Event> {
    handle.submit(op).settled().await;
    std::iter::from_fn(|| handle.events.ready()).map(|envelope| envelope.event).collect()
}

async fn go(handle: &mut Handle) -> Vec<ToolOutcome> {
    turn(handle, |_| Choice::AllowOnce).await
}

async fn agent_of(handle: &Handle) -> (String, Mode) {
    match handle.query(Query::Status).await {
        Told::Status(status) => (status.agent, status.mode),
        other => panic!("{other:?}"),
    }
}

fn last_words(world: &World, request: usize) -> String {
    world.server.requests()[request].messages().last().unwrap()["content"].to_string()
}

fn tools(world: &World, request: usize) -> Vec<String> {
    let body = &world.server.requests()[request].body;
    let names = body["tools"].as_array().into_iter().flatten();
    names.map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
}

fn system(world: &World, request: usize) -> String {
    world.server.requests()[request].messages()[0]["content"].as_str().unwrap().to_owned()
}

async fn breaks(handle: &Handle) -> Vec<Break> {
    match handle.query(Query::Cache).await {
        Told::Cache(report) => report.breaks.iter().map(|found| found.why).collect(),
        other => panic!("{other:?}"),
    }
}

/// Opens the session again once it is free.
async fn again(world: &World, session: &str, change: &dyn Fn(&mut Start)) -> Handle {
    loop {
        let mut base = world.base(Which::Resume(session.to_owned()));
        change(&mut base);
        match reasonix_engine::start(base) {
            Ok(handle) => return handle,
            Err(error) if error.phrase().code == "session.in_use" => tokio::task::yield_now().await,
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test]
async fn among_built_in_agents_only_the_gate_and_a_note_change() {
    let replies = vec![
        Reply::say("one"),
        write("early"),
        bash("touch early"),
        Reply::call("ls", json!({})),
        Reply::say("two"),
        write("late"),
        Reply::say("three"),
        Reply::say("four"),
    ];
    let world = World::new(replies).await;
    let mut handle = world.open(Which::New);
    go(&mut handle).await;
    // Even where nothing is asked, an agent that reads changes nothing.
    done(&mut handle, Op::SetPosture { posture: Posture::Yolo }).await;
    done(&mut handle, Op::WorkAs { agent: "Explore".into() }).await;
    assert_eq!(agent_of(&handle).await.0, "explore");
    let outcomes = go(&mut handle).await;
    for outcome in &outcomes[..2] {
        assert!(matches!(outcome, ToolOutcome::Denied { by } if by.starts_with("by agent explore")), "{outcome:?}");
    }
    assert!(matches!(outcomes[2], ToolOutcome::Done { .. }));
    assert!(!world.work.path().join("early").exists());
    done(&mut handle, Op::WorkAs { agent: "build".into() }).await;
    go(&mut handle).await;
    assert!(world.work.path().join("late").exists(), "build may again");
    done(&mut handle, Op::WorkAs { agent: "plan".into() }).await;
    assert_eq!(agent_of(&handle).await, (String::new(), Mode::Plan), "plan is plan mode");
    done(&mut handle, Op::WorkAs { agent: "general".into() }).await;
    assert_eq!(agent_of(&handle).await, ("general".into(), Mode::Build), "another agent does not plan");
    go(&mut handle).await;
    assert!(last_words(&world, 1).contains("The agent explore is at work"), "{}", last_words(&world, 1));
    assert!(last_words(&world, 5).contains("The agent build is at work"), "{}", last_words(&world, 5));
    assert!(!last_words(&world, 0).contains("The agent"), "what it begins with needs no word");
    world.server.assert_prefixes_grow();
    world.server.assert_valid();
    assert_eq!(breaks(&handle).await, []);
}

#[tokio::test]
async fn an_agent_with_words_and_tools_of_its_own_is_a_break_with_a_name() {
    let replies = vec![Reply::say("one"), write("x"), Reply::say("two"), Reply::say("three")];
    let world = World::new(replies).await;
    let mut handle = world.open_with(Which::New, with(vec![reviewer()]));
    go(&mut handle).await;
    done(&mut handle, Op::WorkAs { agent: "reviewer".into() }).await;
    let outcomes = go(&mut handle).await;
    assert!(!matches!(outcomes[0], ToolOutcome::Done { .. }), "{outcomes:?}");
    assert!(!world.work.path().join("x").exists());
    assert_eq!(tools(&world, 1), ["read_file", "grep", "bash"].map(str::to_owned));
    assert!(system(&world, 1).starts_with("You only review."), "{}", system(&world, 1));
    let tail = |text: String| text[text.find("\n\nWorking folder").unwrap()..].to_owned();
    assert_eq!(tail(system(&world, 1)), tail(system(&world, 0)), "what stands behind the base stays");
    done(&mut handle, Op::WorkAs { agent: "build".into() }).await;
    go(&mut handle).await;
    assert_eq!((system(&world, 3), tools(&world, 3)), (system(&world, 0), tools(&world, 0)), "as it began");
    assert_eq!(breaks(&handle).await, [Break::AgentChange, Break::AgentChange]);
    world.server.assert_valid();
}

#[tokio::test]
async fn the_log_has_who_is_at_work() {
    let mut replies: Vec<Reply> = (1..=5).map(|number| Reply::say(&number.to_string())).collect();
    replies.extend([bash("touch gone"), Reply::say("six"), Reply::say("seven")]);
    let world = World::new(replies).await;
    let known = with(vec![reviewer()]);
    let mut handle = world.open_with(Which::New, &known);
    go(&mut handle).await;
    done(&mut handle, Op::WorkAs { agent: "reviewer".into() }).await;
    go(&mut handle).await;
    // Going back keeps the agent, and the log says so.
    done(&mut handle, Op::Rewind { turn: 1, what: Rewind::Chat, summary: None }).await;
    assert_eq!(agent_of(&handle).await.0, "reviewer");
    go(&mut handle).await;
    let session = handle.session.0.clone();
    drop(handle);
    let mut handle = again(&world, &session, &known).await;
    assert_eq!(agent_of(&handle).await.0, "reviewer");
    go(&mut handle).await;
    let raw: Vec<Vec<u8>> = world.server.requests().iter().map(|request| request.raw.clone()).collect();
    let last: Vec<&[u8]> = raw[2..4].iter().map(Vec::as_slice).collect();
    assert!(reasonix_testkit::prefix_breaks(&last).is_empty(), "resumed with the same head");
    // A copy has the agent too.
    let mut fork = world.open_with(Which::Fork { session: session.clone(), at: None }, &known);
    assert_eq!(agent_of(&fork).await.0, "reviewer");
    go(&mut fork).await;
    assert_eq!(tools(&world, 4), ["read_file", "grep", "bash"].map(str::to_owned));
    drop((handle, fork));
    // While it is not there nothing is changed, until a person lets another go on; what is sent stays.
    let mut handle = again(&world, &session, &|_| {}).await;
    let told = done(&mut handle, Op::SetPosture { posture: Posture::Yolo }).await;
    let gone =
        |event: &Event| matches!(event, Event::Notice { phrase, .. } if phrase.code == "engine.session_agent_gone");
    assert!(told.iter().any(gone), "{told:?}");
    assert_eq!(agent_of(&handle).await.0, "reviewer");
    let outcomes = go(&mut handle).await;
    assert!(matches!(&outcomes[0], ToolOutcome::Denied { by } if by.starts_with("by agent reviewer")), "{outcomes:?}");
    assert!(!world.work.path().join("gone").exists());
    assert_eq!((system(&world, 5), tools(&world, 5)), (system(&world, 3), tools(&world, 3)));
    done(&mut handle, Op::WorkAs { agent: "build".into() }).await;
    go(&mut handle).await;
    assert!(tools(&world, 7).len() > 3 && !system(&world, 7).starts_with("You only review."));
}

/// Why a session cannot go on without a person.
async fn refused(world: &World, session: &str, profiles: Vec<AgentProfile>) -> String {
    loop {
        let mut base = world.base(Which::Resume(session.to_owned()));
        with(profiles.clone())(&mut base);
        base.attended = false;
        match reasonix_engine::start(base).map_err(|error| error.phrase().code.to_string()) {
            Err(code) if code == "session.in_use" => tokio::task::yield_now().await,
            Err(code) => return code,
            Ok(_) => return "it goes on".to_owned(),
        }
    }
}

#[tokio::test]
async fn without_a_person_nobody_goes_on_in_place_of_an_agent_that_is_gone() {
    let world = World::new(vec![Reply::say("one"), Reply::say("two")]).await;
    let mut handle = world.open_with(Which::New, |start| {
        with(vec![reviewer()])(start);
        start.agent = Some("reviewer".into());
    });
    go(&mut handle).await;
    let session = handle.session.0.clone();
    drop(handle);
    let off = AgentProfile { disable: true, ..reviewer() };
    let other = AgentProfile { mode: reasonix_proto::AgentMode::Subagent, ..reviewer() };
    assert_eq!(refused(&world, &session, Vec::new()).await, "engine.session_agent_gone");
    assert_eq!(refused(&world, &session, vec![off]).await, "engine.session_agent_off");
    assert_eq!(refused(&world, &session, vec![other]).await, "engine.session_agent_subagent");
    assert_eq!(world.server.request_count(), 1, "nothing was sent");
    // Whoever names another goes on as that one.
    let named = |start: &mut Start| (start.attended, start.agent) = (false, Some("build".into()));
    let mut handle = again(&world, &session, &named).await;
    go(&mut handle).await;
    assert_eq!(agent_of(&handle).await.0, "");
}

#[tokio::test]
async fn the_window_is_that_of_the_model_that_answers() {
    let wide = agent("wide", |profile| profile.model = Some("mock/other".into()));
    let world = World::new(Vec::new()).await;
    let windows = |start: &mut Start| {
        with(vec![wide.clone()])(start);
        let entry = |(id, window): (&str, u64)| reasonix_config::ModelEntry {
            id: id.into(),
            context_window: Some(window),
            ..reasonix_config::ModelEntry::default()
        };
        start.world.settings.models = [("m", 20_000), ("other", 70_000)].map(entry).to_vec();
    };
    let window = async |handle: &Handle| match handle.query(Query::Status).await {
        Told::Status(status) => status.window,
        other => panic!("{other:?}"),
    };
    let mut handle = world.open_with(Which::New, windows);
    assert_eq!(window(&handle).await, 20_000);
    done(&mut handle, Op::WorkAs { agent: "wide".into() }).await;
    assert_eq!(window(&handle).await, 70_000);
    done(&mut handle, Op::WorkAs { agent: "build".into() }).await;
    assert_eq!(window(&handle).await, 20_000);
}

#[tokio::test]
async fn rules_of_a_profile_hold_beside_those_of_the_session() {
    let build = agent("build", |profile| {
        profile.rules = AgentRules {
            deny: vec!["Bash(touch:*)".into(), "Edit(locked/**)".into()],
            allow: vec!["Edit(free/**)".into()],
            ..AgentRules::default()
        };
    });
    let replies = vec![bash("touch a"), write("locked/x"), write("free/x"), write("other"), Reply::say("ok")];
    let world = World::new(replies).await;
    let mut handle = world.open_with(Which::New, |start| {
        with(vec![build])(start);
        start.world.settings.permissions.ask = vec!["Edit(free/**)".into()];
    });
    let mut asked = Vec::new();
    let outcomes = turn(&mut handle, |asking| {
        asked.push(asking.subject.clone());
        Choice::AllowOnce
    })
    .await;
    assert!(matches!(outcomes[0], ToolOutcome::Denied { .. }), "{outcomes:?}");
    assert!(matches!(outcomes[1], ToolOutcome::Denied { .. }), "{outcomes:?}");
    assert!(world.work.path().join("free/x").exists());
    assert_eq!(asked.len(), 1, "what the user's own profile allows is not asked about: {asked:?}");
    let Told::Permissions { rules, .. } = handle.query(Query::Permissions).await else { panic!("rules") };
    assert!(rules.iter().any(|rule| rule.rule == "Bash(touch:*)"), "they are shown: {rules:?}");
}

#[tokio::test]
async fn model_steps_and_sampling_of_a_profile_act_and_end_with_it() {
    let own = agent("own", |profile| {
        (profile.model, profile.max_steps) = (Some("mock/other".into()), Some(1));
        (profile.temperature, profile.top_p) = (Some(0.25), Some(0.5));
    });
    let lost = agent("lost", |profile| profile.model = Some("nowhere/none".into()));
    let replies = vec![Reply::call("ls", json!({})), Reply::say("limit"), Reply::say("two"), Reply::say("three")];
    let world = World::new(replies).await;
    let mut handle = world.open_with(Which::New, with(vec![own, lost]));
    done(&mut handle, Op::WorkAs { agent: "own".into() }).await;
    go(&mut handle).await;
    done(&mut handle, Op::WorkAs { agent: "build".into() }).await;
    go(&mut handle).await;
    let told = done(&mut handle, Op::WorkAs { agent: "lost".into() }).await;
    let missing = |event: &Event| matches!(event, Event::Notice { phrase, .. } if phrase.code == "engine.agent_model");
    assert!(told.iter().any(missing), "{told:?}");
    go(&mut handle).await;
    let requests = world.server.requests();
    let models: Vec<&str> = requests.iter().map(|request| request.body["model"].as_str().unwrap()).collect();
    assert_eq!(models, ["other", "other", "m", "m"]);
    assert_eq!((&requests[0].body["temperature"], &requests[0].body["top_p"]), (&json!(0.25), &json!(0.5)));
    assert_eq!(requests[1].body["tool_choice"], "none", "one step, then the answer");
    assert_eq!(requests[2].body.get("temperature"), None);
    assert_eq!(agent_of(&handle).await.0, "lost");
}

#[tokio::test]
async fn roles_have_their_models_and_a_session_can_begin_with_an_agent() {
    let world = World::new(vec![write("a"), Reply::say("one")]).await;
    let mut handle = world.open_with(Which::New, |start| {
        start.world.settings.roles.insert("critic".into(), "mock/other".into());
        start.world.settings.default_agent = Some("build".into());
        start.agent = Some("critic".into());
    });
    let outcomes = go(&mut handle).await;
    assert!(matches!(&outcomes[0], ToolOutcome::Denied { by } if by.contains("agent critic")), "{outcomes:?}");
    assert_eq!(world.server.requests()[0].body["model"], "other");
    assert!(last_words(&world, 0).contains("The agent critic is at work"));
    let Told::Transcript { records, .. } = handle.query(Query::Transcript { from: None, count: 50 }).await else {
        panic!("records")
    };
    let head = records.iter().find_map(|record| match &record.body {
        RecordBody::Session(head) => head.agent.clone(),
        _ => None,
    });
    assert_eq!(head.as_deref(), Some("critic"));
    let mut base = world.base(Which::New);
    base.agent = Some("nosuch".into());
    let error = reasonix_engine::start(base).err().unwrap().phrase();
    assert_eq!((error.code.as_ref(), error.arg("name")), ("engine.no_agent", Some("nosuch")));
    let mut base = world.base(Which::New);
    with(vec![agent("helper", |profile| profile.mode = reasonix_proto::AgentMode::Subagent)])(&mut base);
    base.agent = Some("helper".into());
    assert_eq!(reasonix_engine::start(base).err().unwrap().phrase().code, "engine.agent_subagent");
}

#[tokio::test]
async fn a_session_that_begins_as_plan_plans_and_a_profile_of_plan_holds_while_it_does() {
    let plan = agent("plan", |profile| profile.rules.deny = vec!["Read(secret/**)".into()]);
    let read = || Reply::call("read_file", json!({"path": "secret/a"}));
    let world = World::new(vec![write("a"), read(), Reply::say("one"), read(), Reply::say("two")]).await;
    world.work.write("secret/a", "words\n");
    let mut handle = world.open_with(Which::New, |start| {
        with(vec![plan])(start);
        start.agent = Some("plan".into());
    });
    let outcomes = go(&mut handle).await;
    assert!(matches!(&outcomes[0], ToolOutcome::Denied { by } if by.starts_with("plan mode")), "{outcomes:?}");
    assert!(matches!(&outcomes[1], ToolOutcome::Denied { .. }), "{outcomes:?}");
    done(&mut handle, Op::SetMode { mode: Mode::Build }).await;
    assert!(matches!(go(&mut handle).await[0], ToolOutcome::Done { .. }));
}

/// Planning is on at once, also in the middle of a turn and however it is written.
#[tokio::test]
async fn plan_is_plan_mode_whatever_its_case() {
    let world = World::new(vec![write("a"), Reply::say("one")]).await;
    let mut handle = world.open(Which::New);
    handle.submit(Op::Prompt { text: "go".into(), resolved: true });
    while !matches!(handle.events.next().await.expect("the session lives").event, Event::Asked { .. }) {}
    let settled = handle.submit(Op::WorkAs { agent: "Plan".into() });
    tokio::time::timeout(std::time::Duration::from_secs(20), settled.settled()).await.expect("it does not wait");
    assert_eq!(agent_of(&handle).await.1, Mode::Plan);
}

/// What an agent is refused for; or what is said of it.
fn begun(world: &World, profile: AgentProfile) -> Result<(), reasonix_proto::Phrase> {
    let mut base = world.base(Which::New);
    base.agent = Some(profile.name.clone());
    with(vec![AgentProfile { place: "here.toml".into(), ..profile }])(&mut base);
    reasonix_engine::start(base).map(drop).map_err(|error| error.phrase())
}

#[tokio::test]
async fn nobody_works_as_an_agent_whose_rules_name_no_tool() {
    let world = World::new(Vec::new()).await;
    let denies = |name: &str, rule: &str| agent(name, |profile| profile.rules.deny = vec![rule.into()]);
    for name in ["own", "build"] {
        let why = begun(&world, denies(name, "Edti")).unwrap_err();
        assert_eq!((why.code.as_ref(), why.arg("place")), ("engine.agent_rule_tool", Some("here.toml")), "{why}");
        let why = begun(&world, denies(name, "Bash(")).unwrap_err();
        assert_eq!((why.code.as_ref(), why.arg("place")), ("engine.agent_rule", Some("here.toml")), "{why}");
    }
    // What another program may have is kept, and said.
    for rule in ["Edit", "bash", "mcp__far__look", "Zzyzx"] {
        assert_eq!(begun(&world, denies("own", rule)), Ok(()), "{rule}");
    }
    let odd = agent("odd", |profile| {
        (profile.tools, profile.skills) = (Some(vec!["read_file".into(), "Foo".into()]), vec!["nope".into()]);
        (profile.place, profile.rules.deny) = ("here.toml".into(), vec!["Zzyzx".into()]);
    });
    let mut handle = world.open_with(Which::New, with(vec![odd]));
    let events = done(&mut handle, Op::WorkAs { agent: "odd".into() }).await;
    let said = |wanted: &str, names: &str| {
        let is_it = |event: &Event| matches!(event, Event::Notice { phrase, .. } if phrase.code == wanted && phrase.arg("names") == Some(names));
        assert!(events.iter().any(is_it), "{events:?}");
    };
    said("extensions.unknown_tools", "Foo, Zzyzx");
    said("extensions.unknown_skills", "nope");
}
