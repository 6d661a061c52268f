//! A live session with a scripted model.
#![allow(dead_code, clippy::panic, reason = "each test takes what it needs, and fails by panicking")]

use reasonix_config::{BashBoxing, Provider, SandboxSettings, Settings};
use reasonix_engine::{Handle, Start, Which, start};
use reasonix_proto::{Asking, Choice, Event, Op, RecordBody, ToolOutcome, TurnState};
use reasonix_testkit::{ModelServer, Reply, TempWorkspace};
use reasonix_workspace::{Options, Workspace};
use std::collections::BTreeMap;

pub(crate) struct World {
    pub(crate) server: ModelServer,
    pub(crate) work: TempWorkspace,
    pub(crate) home: TempWorkspace,
}

impl World {
    pub(crate) async fn new(replies: Vec<Reply>) -> Self {
        let server = ModelServer::start(replies).await;
        Self { server, work: TempWorkspace::new(), home: TempWorkspace::new() }
    }

    pub(crate) fn base(&self, which: Which) -> Start {
        let provider = Provider {
            name: "mock".into(),
            kind: "openai".into(),
            base_url: self.server.base_url(),
            models: vec!["m".into(), "other".into()],
            default: "m".into(),
            ..Provider::default()
        };
        // The box has its own tests.
        let sandbox = SandboxSettings { bash: BashBoxing::Off, ..SandboxSettings::default() };
        let user_file = Some(self.home.path().join("config.toml"));
        Start {
            world: reasonix_engine::World::new(
                Settings { providers: vec![provider], sandbox, user_file, ..Settings::default() },
                BTreeMap::new(),
                self.home.path(),
            ),
            workspace: Workspace::open(&self.work.path(), Options::default()).expect("a workspace"),
            rules: Vec::new(),
            model: None,
            agent: None,
            append_system: None,
            which,
            attended: true,
            approve: Vec::new(),
        }
    }

    pub(crate) fn open(&self, which: Which) -> Handle {
        self.open_with(which, |_| {})
    }

    /// The same with other settings, or whatever else the test is about.
    pub(crate) fn open_with(&self, which: Which, change: impl FnOnce(&mut Start)) -> Handle {
        let mut base = self.base(which);
        change(&mut base);
        start(base).expect("a session")
    }

    /// The same when the one before may still be letting go of it.
    pub(crate) async fn open_when_free(&self, which: Which) -> Handle {
        self.open_when_free_with(which, |_| {}).await
    }

    pub(crate) async fn open_when_free_with(&self, which: Which, change: impl Fn(&mut Start)) -> Handle {
        loop {
            let mut base = self.base(which.clone());
            change(&mut base);
            match start(base) {
                Ok(handle) => return handle,
                Err(error) if error.phrase().code == "session.in_use" => tokio::task::yield_now().await,
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// Whether commands can have a box of level `full` here; a failure where that is required.
#[cfg(target_os = "linux")]
#[allow(clippy::print_stderr)]
pub(crate) fn has_box() -> bool {
    let options = reasonix_exec::BoxOptions {
        writable: vec![],
        opened: Vec::new(),
        readable: vec![],
        closed: vec![],
        shown: Vec::new(),
        masked: None,
        linked: None,
        fixed: None,
        caches: reasonix_exec::Caches::Session,
        network: false,
        quarantine: std::env::temp_dir(),
        environment: reasonix_exec::Environment::empty(),
    };
    match reasonix_exec::Sandbox::prepare(options, reasonix_exec::SandboxLevel::Full) {
        Ok(_) => true,
        Err(error) if std::env::var_os("REASONIX_E2E").is_none() => {
            eprintln!("skipped: {error}");
            false
        }
        Err(error) => panic!("{error}"),
    }
}

/// Ends a session, and gives its name once it is over.
pub(crate) async fn end(mut handle: Handle) -> String {
    let session = handle.session.0.clone();
    handle.submit(Op::Shutdown);
    while handle.events.next().await.is_some_and(|envelope| envelope.event != Event::SessionEnded) {}
    session
}

/// One turn, with an answer to each question; gives what its calls came to.
pub(crate) async fn turn(handle: &mut Handle, mut answer: impl FnMut(&Asking) -> Choice) -> Vec<ToolOutcome> {
    handle.submit(Op::Prompt { text: "go".into(), resolved: true });
    let (mut outcomes, mut ended) = (Vec::new(), false);
    loop {
        match handle.events.next().await.expect("the session lives").event {
            Event::Asked { asking } => {
                let (ask, choice) = (asking.ask.clone(), answer(&asking));
                assert!(asking.choices.contains(&choice), "{choice:?} is not offered: {:?}", asking.choices);
                handle.submit(Op::Answer { ask, choice, digest: None, words: None, edited: None });
            }
            Event::ToolEnded { record } => match record.body {
                RecordBody::Outcome { outcome, .. } => outcomes.push(outcome),
                RecordBody::Validation(_) => {}
                _ => panic!("an outcome"),
            },
            Event::TurnEnded { .. } => ended = true,
            Event::State { state: TurnState::Idle } if ended => return outcomes,
            _ => {}
        }
    }
}
