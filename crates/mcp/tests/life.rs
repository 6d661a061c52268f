//! The life of a server: started when it is needed, started again, put away, ended; and its tools as the loop calls them.

use crate::place::{NAME, Nowhere, Place, call, limits, object, script, until};
use reasonix_agent::{Artifacts, Call, Class, Stop, Tool};
use reasonix_exec::{BoxOptions, Caches, Command, Confinement, Environment, Sandbox, SandboxLevel};
use reasonix_mcp::{
    MayStart, McpCall, McpError, McpTool, ServerLimits, ServerNews, ServerReach, ServerSpec, ServerState, Servers,
    Surroundings,
};
use reasonix_proto::{CallId, Family, ReadOnly, ToolOutcome};
use serde_json::json;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

#[tokio::test]
async fn nothing_runs_before_it_is_needed() {
    let place = Place::new("plain");
    assert_eq!(place.servers.status()[0].state, ServerState::Asleep);
    assert!(place.servers.known(NAME).is_none());
    place.servers.start();
    assert_eq!(place.servers.status()[0].state, ServerState::Starting, "and nobody waits for it");
    place.servers.listing(NAME).await.unwrap();
    assert_eq!(place.servers.status()[0].state, ServerState::Up);
    assert_eq!(place.servers.status()[0].counts, Some((1, 0, 0)));
    assert!(place.servers.known(NAME).is_some());
    place.servers.close().await;
    place.servers.listing(NAME).await.unwrap();
    assert_eq!(place.news(), [ServerNews::Up, ServerNews::Up], "an end that was meant is no death");
}

/// What may be started is asked each time, and a no is no death.
#[tokio::test]
async fn whether_it_may_be_started_is_asked_before_each_start() {
    let folder = tempfile::tempdir().unwrap();
    let allowed = Arc::new(Mutex::new(true));
    let asked = Arc::clone(&allowed);
    let may_start = MayStart::new(move || match *asked.lock().unwrap() {
        true => Ok(()),
        false => Err("its files changed".to_owned()),
    });
    let reach = ServerReach::Stdio(Box::new(script(&folder, "plain")));
    let limits = ServerLimits { restarts: 2, ..limits() };
    let spec = ServerSpec { limits, may_start: Some(may_start), ..ServerSpec::new(NAME, reach) };
    let place = Place::reaching(folder, spec, None);
    place.servers.listing(NAME).await.unwrap();
    place.servers.close().await;
    *allowed.lock().unwrap() = false;
    for _ in 0..5 {
        let refused = place.servers.listing(NAME).await.unwrap_err();
        assert!(matches!(&refused, McpError::Refused { reason, .. } if reason == "its files changed"), "{refused:?}");
    }
    assert!(matches!(place.servers.status()[0].state, ServerState::Refused { .. }));
    *allowed.lock().unwrap() = true;
    place.servers.listing(NAME).await.unwrap();
}

#[tokio::test]
async fn an_older_server_that_hangs_up_on_the_newer_question_is_reached_in_its_own_era() {
    let place = Place::new("hangs_up");
    assert_eq!(place.servers.listing(NAME).await.unwrap().protocol, "2025-11-25");
}

#[tokio::test]
async fn who_dies_too_often_is_left_alone_for_a_while() {
    let place = Place::with("dies", ServerLimits { restarts: 2, ..limits() }, None);
    for _ in 0..3 {
        assert!(matches!(place.call().await, Err(McpError::Down { .. })), "it is started again");
        died(&place).await;
    }
    assert!(matches!(place.call().await, Err(McpError::Resting { .. })));
    let deaths = place.news().iter().filter(|news| matches!(news, ServerNews::Down { .. })).count();
    assert_eq!(deaths, 3, "{:?}", place.news());
    place.servers.restart(NAME).await.unwrap();
    assert!(matches!(place.call().await, Err(McpError::Down { .. })), "a person can ask for it");
}

/// Waits until its death was told as often as its life.
async fn died(place: &Place) {
    let told = |place: &Place| {
        let news = place.news();
        let (up, down): (Vec<_>, Vec<_>) = news.iter().partition(|news| **news == ServerNews::Up);
        up.len() == down.len()
    };
    until(place, told).await;
}

#[tokio::test]
async fn who_is_not_used_is_put_away_and_comes_back() {
    let place = Place::with("plain", ServerLimits { idle: Some(Duration::from_millis(100)), ..limits() }, None);
    place.servers.listing(NAME).await.unwrap();
    until(&place, |place| place.servers.status()[0].state == ServerState::Asleep).await;
    assert!(place.call().await.is_ok(), "and started again");
    assert!(!place.news().iter().any(|news| matches!(news, ServerNews::Down { .. })), "that is no death");
}

/// The process of the server.
fn process(place: &Place) -> std::path::PathBuf {
    let pid = std::fs::read_to_string(place.trace()).unwrap();
    Path::new("/proc").join(pid.trim())
}

#[tokio::test]
async fn a_server_ends_with_whoever_has_it() {
    let mut place = Place::new("plain");
    place.servers.listing(NAME).await.unwrap();
    let process = process(&place);
    assert!(process.exists());
    place.servers = Servers::new(Vec::new(), &Surroundings::default());
    until(&place, |_| !process.exists()).await;
}

#[tokio::test]
async fn what_is_being_started_can_be_ended() {
    let place = Place::new("silent");
    place.servers.start();
    place.servers.close().await;
    assert_eq!(place.servers.status()[0].state, ServerState::Asleep);
    tokio::time::timeout(Duration::from_millis(500), place.servers.listing(NAME)).await.unwrap_err();
    assert_eq!(place.servers.status()[0].state, ServerState::Starting, "and started again");
}

/// A box that shows this folder; none where the machine has none.
fn box_around(folder: &Path, state: &Path) -> Option<Confinement> {
    let options = BoxOptions {
        writable: vec![state.to_owned()],
        opened: Vec::new(),
        readable: vec![],
        closed: vec![],
        // In a clone below `/tmp`, of which a box has its own, they would not be there.
        shown: vec![folder.to_owned(), Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")],
        masked: None,
        linked: None,
        fixed: None,
        caches: Caches::Session,
        network: false,
        quarantine: state.join("quarantine"),
        environment: Environment::inherited(&[]),
    };
    let sandbox = Sandbox::prepare(options, SandboxLevel::Full);
    if let Err(error) = &sandbox {
        assert!(std::env::var_os("REASONIX_E2E").is_none(), "{error}");
    }
    sandbox.ok().map(Confinement::Boxed)
}

/// What does not come about in a box may come about with more to see.
#[tokio::test]
async fn a_server_that_ends_at_once_in_a_box_is_told_of_with_the_box() {
    let (folder, state) = (tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap(), tempfile::tempdir().unwrap());
    let boxed = box_around(folder.path(), state.path());
    for confinement in [Some(Confinement::None), boxed].into_iter().flatten() {
        let code = if matches!(confinement, Confinement::None) { "mcp.down" } else { "mcp.down_boxed" };
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let command =
            Command::program("/bin/false", Vec::<String>::new(), Path::new("/")).with_confinement(confinement);
        let reach = ServerReach::Stdio(Box::new(command));
        let place = Place::reaching(folder, ServerSpec { limits: limits(), ..ServerSpec::new(NAME, reach) }, None);
        let error = place.servers.listing(NAME).await.unwrap_err();
        assert_eq!(error.phrase().code, code, "{error:?}");
        until(&place, |place| !place.news().is_empty()).await;
        let told: Vec<_> = place.news().iter().filter_map(|news| news.phrase(NAME)).collect();
        assert_eq!(told[0].code, code, "{told:?}");
    }
}

#[tokio::test]
async fn a_server_in_a_box_changes_nothing_outside() {
    let (folder, state) = (tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap(), tempfile::tempdir().unwrap());
    let Some(boxed) = box_around(folder.path(), state.path()) else { return };
    let place = Place::confined(folder, "plain", &boxed);
    assert!(place.words().await.contains("PATH="));
    assert!(!place.trace().exists(), "it wrote there, and nothing of it lasts");
}

#[tokio::test]
async fn progress_is_heard() {
    let place = Place::new("progress");
    let (heard, stop) = (Mutex::new(String::new()), Stop::new());
    let progress = |line: &str| heard.lock().unwrap().push_str(line);
    let args = object(json!({}));
    let call = McpCall { server: NAME, tool: "act", accepted: None, args, stop: &stop, progress: &progress };
    place.servers.call(call).await.unwrap();
    assert_eq!(*heard.lock().unwrap(), "1/2 half\n");
}

#[tokio::test]
async fn what_can_never_be_used_says_what_to_do() {
    let command = Command::program("true", Vec::<String>::new(), Path::new("/"));
    let stdio = || ServerReach::Stdio(Box::new(command.clone()));
    let http = |url: &str, headers| ServerReach::Http { url: url.into(), headers, net: Box::default() };
    let odd = vec![("Mcp-Session-Id".to_owned(), "x".to_owned())];
    let specs = vec![
        ServerSpec::new("old", ServerReach::Sse { url: "https://a.example/sse".into() }),
        ServerSpec::new("files", stdio()),
        ServerSpec::new("Fi1es", stdio()),
        ServerSpec::new("f\u{456}les", stdio()),
        ServerSpec::new("ftp", http("ftp://x", Vec::new())),
        ServerSpec::new("header", http("http://127.0.0.1:1/", odd)),
    ];
    let servers = Servers::new(specs, &Surroundings::default());
    for (name, wanted) in [
        ("old", "type = \"http\""),
        ("Fi1es", "`files`"),
        ("f\u{456}les", "hidden"),
        ("ftp", "not an http"),
        ("header", "Mcp-Session-Id"),
    ] {
        match servers.listing(name).await {
            Err(McpError::Refused { reason, .. }) => assert!(reason.contains(wanted), "{reason}"),
            other => panic!("{name}: {other:?}"),
        }
    }
    assert!(matches!(servers.listing("none").await, Err(McpError::NoServer { .. })));
}

#[tokio::test]
async fn a_program_that_is_not_there_is_said() {
    let command = Command::program("/no/such/program", Vec::<String>::new(), Path::new("/"));
    let spec = ServerSpec::new(NAME, ServerReach::Stdio(Box::new(command)));
    let servers = Servers::new(vec![spec], &Surroundings::default());
    match call(&servers, "act", None, &Stop::new()).await {
        Err(McpError::Down { reason, .. }) => assert!(reason.contains("/no/such/program"), "{reason}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn its_tools_are_tools_like_others() {
    let place = Place::new("progress");
    let listing = place.servers.listing(NAME).await.unwrap();
    let artifacts: Arc<dyn Artifacts> = Arc::new(Nowhere);
    let listed = listing.tool("act").unwrap();
    let tool = |trusted| McpTool::new(&place.servers, NAME, listed, trusted, &artifacts);
    let args = object(json!({"b": 2}));
    let action = tool(false).action(&args);
    assert_eq!((action.family, action.read_only), (Family::Tool, ReadOnly::Unknown));
    assert_eq!(action.subjects, ["{\"b\":2}"]);
    assert_eq!(tool(true).action(&args).read_only, ReadOnly::Yes);
    assert!(tool(true).spec().traits.reads && !tool(false).spec().traits.reads);
    let tool = tool(false);
    assert_eq!(tool.spec().name, "mcp__hostile__act");
    assert_eq!(tool.spec().description, "[MCP server hostile] does something");
    assert_eq!(tool.title(&args, &action), "hostile.act {\"b\":2}");
    let (id, wanted, stop) = (CallId::from("1"), OnceLock::new(), Stop::new());
    let run = |stop: &Stop| {
        let stop = stop.clone();
        tool.run(Call { id: &id, args: &args, class: Class::Writer, wanted: &wanted, stop, progress: &|_| {} })
    };
    assert_eq!(run(&stop).await, ToolOutcome::done("done"));
    stop.cancel();
    assert_eq!(run(&stop).await, ToolOutcome::Aborted);
}
