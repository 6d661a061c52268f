//! Long conversations: their beginning stays in the log, and what is read of it later is what would have been held.

use crate::common;

use common::{assert_valid, did, ended, folder, head, prompt, says};
use reasonix_proto::{Compacted, FoldReason, Message, NotedBy, RecordBody, RecordId, SessionId};
use reasonix_session::{History, Opened, Sessions, history};

/// A turn of about 40,000 tokens. Every third has a call whose result is lost, and ids come again in every turn.
fn turn(number: u32) -> Vec<RecordBody> {
    let (said, output) =
        (format!("{number} {}", "word ".repeat(8_000)), format!("{number} {}", "line\n".repeat(16_000)));
    let calls: &[&str] = if number.is_multiple_of(3) { &["a", "b"] } else { &["a"] };
    let answered = format!("done {number}");
    vec![
        prompt(number, &said),
        says(number, 1, "look", calls),
        did("a", &output),
        says(number, 2, &answered, &[]),
        ended(number),
    ]
}

async fn written(sessions: &Sessions, bodies: Vec<RecordBody>) -> SessionId {
    let head = head("/work");
    let id = head.session.clone();
    let opened = sessions.create(head).unwrap();
    for body in bodies {
        opened.journal.append(body).await.unwrap();
    }
    id
}

fn all(history: &History) -> Vec<Message> {
    let mut messages = Vec::new();
    history.each_message(|message| messages.push(message.clone())).unwrap();
    messages
}

/// What is held is a part, and with what is read again it is all of it.
fn assert_whole(opened: &Opened) {
    let records = opened.past.all().unwrap();
    let wanted = history(&records).messages;
    for found in [&opened.history, &opened.past.history().unwrap()] {
        let left = found.earlier.as_ref().map_or(0, |earlier| earlier.count());
        assert!(left > 0 && left + found.messages.len() == wanted.len(), "{left} of {}", wanted.len());
        assert!(matches!(found.messages.first(), Some(Message::User { .. })));
        assert!(all(found) == wanted);
    }
    assert_valid(&wanted);
}

#[tokio::test]
async fn the_beginning_of_a_long_conversation_is_left_in_the_log() {
    let folder = folder().unwrap();
    let sessions = Sessions::at(folder.path());
    let mut bodies: Vec<_> = (1..=20).flat_map(turn).collect();
    bodies.push(prompt(21, "killed here"));
    let id = written(&sessions, bodies).await;
    let opened = sessions.open(id.as_str(), |_| {}).unwrap();
    assert_whole(&opened);
    let tokens = |messages: &[Message]| messages.iter().map(reasonix_agent::message_tokens).sum::<u64>();
    let earlier = opened.history.earlier.as_ref().unwrap();
    assert_eq!(earlier.tokens() + tokens(&opened.history.messages), tokens(&all(&opened.history)));
    assert!(tokens(&opened.history.messages) < 400_000, "what is held has a bound");
    // What is written later is none of its business.
    opened.journal.append(prompt(22, "more")).await.unwrap();
    assert_eq!(
        opened.history.earlier.as_ref().unwrap().count() + opened.history.messages.len(),
        all(&opened.history).len()
    );
}

#[tokio::test]
async fn what_was_folded_is_not_told_again() {
    let folder = folder().unwrap();
    let sessions = Sessions::at(folder.path());
    let folded = RecordBody::Compacted(Box::new(Compacted {
        turn: 12,
        reason: FoldReason::Manual,
        by: NotedBy::Log,
        pins: vec!["pinned".into()],
        notes: vec!["noted".into()],
        tail: Vec::new(),
        before: 0,
        after: 0,
        usage: None,
        carried: None,
    }));
    let bodies = (1..=12).flat_map(turn).chain([folded]).chain((13..=24).flat_map(turn));
    let id = written(&sessions, bodies.collect()).await;
    assert_whole(&sessions.open(id.as_str(), |_| {}).unwrap());
}

#[tokio::test]
async fn a_log_that_lost_records_meanwhile_is_not_taken_for_whole() {
    let folder = folder().unwrap();
    let sessions = Sessions::at(folder.path());
    let id = written(&sessions, (1..=20).flat_map(turn).collect()).await;
    let opened = sessions.open(id.as_str(), |_| {}).unwrap();
    let path = folder.path().join("sessions").join(format!("{id}.jsonl"));
    let text = std::fs::read(&path).unwrap();
    let at = text.windows(15).position(|bytes| bytes == b"\"kind\":\"prompt\"").unwrap();
    let mut other = text.clone();
    other[at..at + 15].copy_from_slice(b"!!!!!!!!!!!!!!!");
    std::fs::write(&path, other).unwrap();
    assert!(opened.history.each_message(|_| {}).is_err());
    std::fs::write(&path, text).unwrap();
    assert!(opened.history.each_message(|_| {}).is_ok());
    let there = opened.past.history_at(RecordId(6)).unwrap().unwrap();
    assert!(there.earlier.is_none(), "a short one is held whole");
    assert_eq!(there.messages.len(), 4);
}
