//! Two front ends on one session, and two processes that want the same one: one wins, and the other is told.

use crate::support;

use reasonix_config::{BashBoxing, Provider, SandboxSettings, Settings};
use reasonix_engine::{Handle, Start, Which, World, start};
use reasonix_proto::{Event, TurnState};
use reasonix_testkit::{ModelServer, Pty, Reply, TempWorkspace};
use reasonix_tui::app::{App, Msg, ScreenEffect};
use reasonix_tui::frame::{Input, Parser};
use reasonix_tui::keys::Bindings;
use reasonix_tui::update::update;
use reasonix_tui::view::view;
use reasonix_tui::{HostNews, Look};
use reasonix_workspace::{Options, Workspace};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;
use support::Place;

/// A front end without a terminal, on a real session.
struct Front {
    app: App,
    handle: Handle,
    now: Duration,
    text: String,
}

impl Front {
    fn new(handle: Handle) -> Self {
        let app = App::new(Look::default(), Bindings::default(), (100, 40));
        let mut front = Self { app, handle, now: Duration::from_secs(1), text: String::new() };
        front.take(Msg::Host(HostNews::Ready));
        front
    }

    fn take(&mut self, msg: Msg) {
        self.now += Duration::from_secs(1);
        for effect in update(&mut self.app, msg, self.now) {
            match effect {
                ScreenEffect::Send(op) => drop(self.handle.submit(op)),
                ScreenEffect::Probe => self.take(Msg::Inputs(vec![Input::Ack])),
                _ => {}
            }
        }
        let picture = view(&mut self.app);
        for line in picture.finished.iter().chain(&picture.live) {
            self.text.push_str(&line.to_string());
            self.text.push('\n');
        }
    }

    fn keys(&mut self, keys: &str) {
        for key in keys.chars() {
            let mut parser = Parser::default();
            let mut inputs = parser.feed(key.to_string().as_bytes());
            inputs.extend(parser.flush());
            self.take(Msg::Inputs(inputs));
            self.take(Msg::Tick);
        }
    }

    /// Takes events in until one fits.
    async fn until(&mut self, fits: impl Fn(&Event) -> bool) {
        loop {
            let envelope = self.handle.events.next().await.expect("the session goes on");
            let over = fits(&envelope.event);
            self.take(Msg::Event(Box::new(envelope)));
            if over {
                return;
            }
        }
    }
}

fn asked(event: &Event) -> bool {
    matches!(event, Event::Asked { .. } | Event::Inquired { .. })
}

fn idle(event: &Event) -> bool {
    matches!(event, Event::State { state: TurnState::Idle })
}

/// Two front ends, both with the question of the first call on their screens.
async fn two(work: &TempWorkspace, home: &TempWorkspace, server: &ModelServer) -> (Front, Front) {
    let provider = Provider {
        name: "mock".into(),
        kind: "openai".into(),
        base_url: server.base_url(),
        models: vec!["m".into()],
        default: "m".into(),
        ..Provider::default()
    };
    // The box has its own tests.
    let sandbox = SandboxSettings { bash: BashBoxing::Off, ..SandboxSettings::default() };
    let handle = start(Start {
        world: World::new(
            Settings { providers: vec![provider], sandbox, ..Settings::default() },
            BTreeMap::new(),
            home.path(),
        ),
        workspace: Workspace::open(&work.path(), Options::default()).unwrap(),
        rules: Vec::new(),
        model: None,
        agent: None,
        append_system: None,
        which: Which::New,
        attended: true,
        approve: Vec::new(),
    })
    .unwrap();
    let other = handle.join();
    let (mut first, mut second) = (Front::new(handle), Front::new(other));
    first.keys("go\r");
    first.until(asked).await;
    second.until(asked).await;
    assert_eq!((first.app.overlays.len(), second.app.overlays.len()), (1, 1));
    (first, second)
}

#[tokio::test]
async fn whoever_answers_first_wins_and_the_question_leaves_the_other_screen() {
    let (work, home) = (TempWorkspace::new(), TempWorkspace::new());
    let replies = vec![Reply::call("bash", json!({"command": "touch made"})), Reply::say("done")];
    let server = ModelServer::start(replies).await;
    let (mut first, mut second) = two(&work, &home, &server).await;
    second.keys("y");
    first.until(idle).await;
    second.until(idle).await;
    assert!(first.app.overlays.is_empty(), "the question is gone where nobody answered");
    assert!(first.text.contains("answered elsewhere"), "{}", first.text);
    assert!(!second.text.contains("answered elsewhere"), "whoever answered knows it");
    assert!(work.exists("made"));
}

#[tokio::test]
async fn of_two_answers_at_once_the_second_is_told_that_it_is_late() {
    for tool in ["bash", "ask"] {
        let (work, home) = (TempWorkspace::new(), TempWorkspace::new());
        let call = match tool {
            "bash" => json!({"command": "touch made"}),
            _ => json!({"questions": [{"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]}]}),
        };
        let server = ModelServer::start(vec![Reply::call(tool, call), Reply::say("done")]).await;
        let (mut first, mut second) = two(&work, &home, &server).await;
        // Both press a key before either has heard of the other.
        let (yes, no) = if tool == "bash" { ("y", "n") } else { ("1", "2") };
        second.keys(yes);
        first.keys(no);
        first.until(|event| matches!(event, Event::TurnEnded { .. })).await;
        second.until(|event| matches!(event, Event::TurnEnded { .. })).await;
        assert!(first.text.contains("too late") || first.text.contains("already"), "{tool}: {}", first.text);
        assert_eq!(work.exists("made"), tool == "bash", "{tool}: the first answer holds");
    }
}

#[test]
fn a_session_that_another_process_has_open_is_not_opened_and_the_screen_stays() {
    let place = Place::new(vec![Reply::say("hello from the first"), Reply::say("hello from the second")]);
    let mut first = Pty::new(100, 30);
    let mut holder = first.spawn(place.command(&[]));
    first.wait_for("the composer", |written| written.contains("mock/m1") || written.contains("m1"));
    first.keys("hi\r");
    first.wait_for("the answer", |written| written.contains("hello from the first"));
    let log = place.logs().pop().expect("a session");
    let id = log.file_stem().unwrap().to_string_lossy().into_owned();
    let ran = place.run(&["run", "--resume", &id, "and now?"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("is in use by process") && ran.err.contains("--fork"), "{}", ran.err);
    let mut second = Pty::new(100, 30);
    let mut other = second.spawn(place.command(&[]));
    second.wait_for("the composer", |written| written.contains("m1"));
    second.keys(&format!("/resume {id}\r"));
    second.wait_for("the reason", |written| written.contains("is in use by process"));
    second.keys("hi\r");
    second.wait_for("it goes on", |written| written.contains("hello from the second"));
    for (pty, child) in [(&mut first, &mut holder), (&mut second, &mut other)] {
        pty.keys("\x04");
        assert!(child.wait().unwrap().success());
    }
}
