//! Pictures in prompts: on the wire for models with eyes, named for others, by content on disk, and the prefix only grows.

use crate::world;

use reasonix_config::ModelEntry;
use reasonix_engine::{Handle, Which};
use reasonix_proto::{Event, Op, RecordBody, TurnState};
use reasonix_testkit::Reply;
use world::World;

const DOT: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03\x08\x06\0\0\0\x1f\x15\xc4\x89";

async fn turn(handle: &mut Handle, text: &str) -> Vec<Event> {
    handle.submit(Op::Prompt { text: text.into(), resolved: false });
    let mut events = Vec::new();
    loop {
        let event = handle.events.next().await.expect("the session lives").event;
        let ended = events.iter().any(|event| matches!(event, Event::TurnEnded { .. }));
        let over = ended && event == Event::State { state: TurnState::Idle };
        events.push(event);
        if over {
            return events;
        }
    }
}

fn sees(start: &mut reasonix_engine::Start) {
    start.world.settings.models = vec![ModelEntry { id: "m".into(), vision: Some(true), ..ModelEntry::default() }];
}

fn notices(events: &[Event]) -> Vec<String> {
    let code = |event: &Event| match event {
        // What a machine can hold of a sandbox is no part of this.
        Event::Notice { phrase, .. } if !phrase.code.starts_with("exec.") => Some(phrase.code.to_string()),
        _ => None,
    };
    events.iter().filter_map(code).collect()
}

#[tokio::test]
async fn a_picture_is_shown_kept_by_content_and_shown_again_after_a_restart() {
    let world = World::new(vec![Reply::say("a dot"), Reply::say("still"), Reply::say("yes")]).await;
    // The name says nothing about what a file is.
    world.work.write("shot.dat", DOT);
    let mut handle = world.open_with(Which::New, sees);
    let events = turn(&mut handle, "what is @shot.dat").await;
    let images = events.iter().find_map(|event| match event {
        Event::TurnStarted { record } => match &record.body {
            RecordBody::Prompt { images, .. } => Some(images.clone()),
            _ => None,
        },
        _ => None,
    });
    let image = images.unwrap().remove(0);
    assert_eq!((image.media.as_str(), image.width, image.height), ("image/png", 2, 3));
    turn(&mut handle, "and now").await;
    let session = handle.session.clone();
    drop(handle);
    // The file is gone; what was shown is not.
    std::fs::remove_file(world.work.path().join("shot.dat")).unwrap();
    let log = std::fs::read_to_string(world.home.path().join("state/sessions").join(find_log(&world))).unwrap();
    assert!(log.contains(&image.uri) && !log.contains("iVBORw0KGgo"), "{log}");
    let mut base = world.base(Which::Resume(session.0));
    sees(&mut base);
    let mut handle = loop {
        match reasonix_engine::start(base.clone()) {
            Ok(handle) => break handle,
            Err(error) if error.phrase().code == "session.in_use" => tokio::task::yield_now().await,
            Err(error) => panic!("{error}"),
        }
    };
    turn(&mut handle, "once more").await;
    let requests = world.server.requests();
    let content = &requests[0].body["messages"][1]["content"];
    assert!(content[0]["text"].as_str().unwrap().contains("<image path=\"shot.dat\" number=\"1\"/>"), "{content}");
    assert!(content[1]["image_url"]["url"].as_str().unwrap().starts_with("data:image/png;base64,iVBORw0KGgo"));
    world.server.assert_prefixes_grow();
}

/// The path of the only log, below the sessions' folder.
fn find_log(world: &World) -> std::path::PathBuf {
    let root = world.home.path().join("state/sessions");
    let mut open = vec![root.clone()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                open.push(entry);
            } else if entry.extension().is_some_and(|ending| ending == "jsonl") {
                return entry.strip_prefix(&root).unwrap().to_owned();
            }
        }
    }
    panic!("no log below {}", root.display());
}

#[tokio::test]
async fn a_model_without_eyes_gets_the_name_and_the_user_is_told() {
    let world = World::new(vec![Reply::say("I cannot see it")]).await;
    world.work.write("shot.png", DOT);
    let mut handle = world.open(Which::New);
    let events = turn(&mut handle, "look at @shot.png").await;
    assert!(notices(&events).contains(&"engine.model_blind".to_owned()), "{:?}", notices(&events));
    let text = world.server.requests()[0].body["messages"][1]["content"].as_str().unwrap().to_owned();
    assert!(text.ends_with("[picture shot.png (image/png, 2x3, 33 bytes): this model cannot see pictures]"), "{text}");
}

/// A page, twice, in the open.
const PAPER: &[u8] = b"%PDF-1.4\n<</Type/Page>>\n<</Type/Page>>\n%%EOF\n";

fn reads(start: &mut reasonix_engine::Start) {
    let compat = serde_json::from_value(serde_json::json!({ "documents": true })).unwrap();
    start.world.settings.models =
        vec![ModelEntry { id: "m".into(), compat, context_window: Some(100_000), ..ModelEntry::default() }];
}

#[tokio::test]
async fn a_document_is_sent_to_whoever_reads_it_kept_by_content_and_named_to_everybody_else() {
    let read = Reply::call("read_file", serde_json::json!({ "path": "b.pdf" }));
    let world = World::new(vec![read, Reply::say("two pages"), Reply::say("no")]).await;
    world.work.write("a.pdf", PAPER);
    world.work.write("b.pdf", [PAPER, b"b"].concat());
    let mut handle = world.open_with(Which::New, reads);
    let events = turn(&mut handle, "what is in @a.pdf?").await;
    assert_eq!(notices(&events), Vec::<String>::new());
    let mut handle = world.open(Which::New);
    let events = turn(&mut handle, "what is in @a.pdf?").await;
    assert_eq!(notices(&events), ["engine.window_unknown", "engine.reference_pdf"]);
    let requests = world.server.requests();
    let content = &requests[0].body["messages"][1]["content"];
    assert!(content[0]["text"].as_str().unwrap().starts_with("<document path=\"a.pdf\"/>"), "{content}");
    assert_eq!(content[1]["file"]["filename"], "a.pdf", "{content}");
    assert!(content[1]["file"]["file_data"].as_str().unwrap().starts_with("data:application/pdf;base64,JVBERi"));
    let messages = requests[1].body["messages"].as_array().unwrap();
    assert_eq!(messages.last().unwrap()["content"][1]["file"]["filename"], "b.pdf", "{messages:?}");
    let blind = requests[2].body["messages"][1]["content"].as_str().unwrap();
    assert!(blind.contains("[PDF a.pdf (application/pdf, 2 pages, 45 bytes): this model is not sent PDFs;"), "{blind}");
    let root = world.home.path().join("state/sessions");
    let log = std::fs::read_to_string(root.join(find_log(&world))).unwrap();
    assert!(log.contains("application/pdf") && !log.contains("JVBERi"), "{log}");
}

#[tokio::test]
async fn a_document_that_would_fill_the_window_is_not_sent() {
    let world = World::new(vec![Reply::say("too long")]).await;
    world.work.write("a.pdf", format!("%PDF-1.4\n{}%%EOF", "<</Type/Page>>\n".repeat(40)));
    let mut handle = world.open_with(Which::New, |start| {
        reads(start);
        start.world.settings.models[0].context_window = Some(100_000);
    });
    let events = turn(&mut handle, "what is in @a.pdf?").await;
    assert_eq!(notices(&events), ["engine.pdf_large"]);
    let raw = String::from_utf8(world.server.requests()[0].raw.clone()).unwrap();
    assert!(raw.contains("it is too long for your window]") && !raw.contains("JVBERi"), "{raw}");
}

#[tokio::test]
async fn only_a_person_can_show_what_lies_elsewhere_and_only_pictures() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("my shot.png"), DOT).unwrap();
    std::fs::write(outside.path().join("key.png"), "secret").unwrap();
    let at = |name: &str| outside.path().join(name).display().to_string();
    let prompt = format!("see @\"{}\" and @{}", at("my shot.png"), at("key.png"));
    let world = World::new(vec![Reply::say("1"), Reply::say("2")]).await;
    for attended in [true, false] {
        let mut handle = world.open_with(Which::New, |start| {
            sees(start);
            start.attended = attended;
        });
        turn(&mut handle, &prompt).await;
    }
    let requests = world.server.requests();
    let raw = |at: usize| String::from_utf8(requests[at].raw.clone()).unwrap();
    assert!(raw(0).contains("iVBORw0KGgo") && !raw(0).contains("secret"), "{}", raw(0));
    assert!(!raw(1).contains("iVBORw0KGgo"), "{}", raw(1));
}
