//! Real files: what is written is what is read, whatever happens in between.

use crate::common;

use common::{assert_valid, did, ended, head, prompt, says, two_turns};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use reasonix_agent::INTERRUPTED;
use reasonix_proto::{
    Block, CallId, Message, Record, RecordBody, RecordId, SessionHead, SessionId, ToolOutcome, TurnEnd,
};
use reasonix_session::{Ending, Opened, SessionError, Sessions, history, in_memory};
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn log_of(state: &Path, id: &SessionId) -> PathBuf {
    state.join("sessions").join(format!("{id}.jsonl"))
}

async fn append(opened: &Opened, bodies: Vec<RecordBody>) -> Vec<Record> {
    let mut records = opened.past.all().unwrap();
    for body in bodies {
        records.push(opened.journal.append(body).await.unwrap());
    }
    records
}

/// Writes a session and closes it.
async fn written(state: &Path, bodies: Vec<RecordBody>) -> (SessionId, Vec<Record>) {
    let head = head("/work");
    let id = head.session.clone();
    let opened = Sessions::at(state).create(head).unwrap();
    (id, append(&opened, bodies).await)
}

#[tokio::test]
async fn nothing_is_on_disk_before_the_first_prompt() {
    let state = common::folder().unwrap();
    let opened = Sessions::at(state.path()).create(head("/work")).unwrap();
    assert_eq!(opened.past.all().unwrap().len(), 1);
    let note = RecordBody::Note { turn: 0, text: "early".into(), typed: None, images: Vec::new(), by_user: false };
    let early = opened.journal.append(note).await.unwrap();
    assert_eq!(std::fs::read_dir(state.path()).unwrap().count(), 0);
    let first = opened.journal.append(prompt(1, "hi")).await.unwrap();
    assert_eq!((early.id, early.parent), (RecordId(2), Some(RecordId(1))));
    assert_eq!((first.id, first.parent), (RecordId(3), Some(RecordId(2))));
    let id = opened.past.history().unwrap().head.unwrap().session;
    assert_eq!(std::fs::read_to_string(log_of(state.path(), &id)).unwrap().lines().count(), 3);
}

#[tokio::test]
async fn a_log_of_the_first_version_goes_on_in_the_first_version() {
    let picture: Block = serde_json::from_value(serde_json::json!({"type": "picture", "uri": "artifact://ab",
        "media": "image/png", "bytes": 3, "name": "a.png"}))
    .unwrap();
    let looked = || {
        let content = vec![Block::text("two files"), picture.clone()];
        let (call, outcome) = (CallId::from("a"), ToolOutcome::done(content));
        RecordBody::Outcome { call, tool: "bash".into(), took_ms: 3, outcome }
    };
    let state = common::folder().unwrap();
    for (v, wanted) in
        [(1, r#""content":"two files\n[picture a.png (image/png, 3 bytes)]""#), (2, r#""content":[{"type":"text""#)]
    {
        let head = SessionHead { v, ..head("/work") };
        let id = head.session.clone();
        let opened = Sessions::at(state.path()).create(head).unwrap();
        append(&opened, vec![prompt(1, "look"), says(1, 1, "", &["a"]), looked()]).await;
        drop(opened);
        let opened = Sessions::at(state.path()).open(id.as_str(), |_| {}).unwrap();
        let records = append(&opened, vec![prompt(2, "again"), says(2, 1, "", &["a"]), looked()]).await;
        let text = std::fs::read_to_string(log_of(state.path(), &id)).unwrap();
        assert_eq!(text.matches(wanted).count(), 2, "{text}");
        // What goes on from the log is what the log has.
        assert_eq!(opened.past.all().unwrap(), records);
    }
}

#[tokio::test]
async fn what_was_written_is_read_again() {
    let state = common::folder().unwrap();
    let (id, records) = written(state.path(), two_turns()).await;
    let again = Sessions::at(state.path()).open(id.as_str(), |_| {}).unwrap();
    assert_eq!(again.past.all().unwrap(), records);
    assert!(again.notices.is_empty());
    let history = again.past.history().unwrap();
    assert_eq!((history.turns, history.usage.input, history.context), (2, 400, 110));
    assert_eq!(history.todo.unwrap()[0].name, "one");
    assert_eq!(history.messages.len(), 11);
    assert_valid(&history.messages);
    let next = again.journal.append(prompt(3, "more")).await.unwrap();
    assert_eq!((next.id.0, next.parent), (records.len() as u64 + 1, records.last().map(|record| record.id)));
    assert!(next.at >= records.last().unwrap().at);
}

#[tokio::test]
async fn only_the_owner_can_read() {
    let state = common::folder().unwrap();
    let (id, _) = written(state.path(), vec![prompt(1, "x")]).await;
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&state.path().join("sessions")), 0o700);
    assert_eq!(mode(&log_of(state.path(), &id)), 0o600);
}

#[tokio::test]
async fn one_writer_and_the_second_is_told_who() {
    let state = common::folder().unwrap();
    let sessions = Sessions::at(state.path());
    let opened = sessions.create(head("/work")).unwrap();
    append(&opened, vec![prompt(1, "x")]).await;
    let id = opened.past.history().unwrap().head.unwrap().session;
    let Err(SessionError::InUse { pid, .. }) = sessions.open(id.as_str(), |_| {}) else { panic!("opened twice") };
    assert_eq!(pid, Some(std::process::id()));
    drop(opened);
    let again = sessions.open(id.as_str(), |_| {}).unwrap();
    assert!(matches!(sessions.open(id.as_str(), |_| {}), Err(SessionError::InUse { .. })));
    drop(again);
    let names: Vec<_> =
        std::fs::read_dir(state.path().join("sessions")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, [format!("{id}.jsonl").as_str()], "nothing else is left");
}

#[tokio::test]
async fn what_somebody_else_wrote_past_the_lock_is_not_cut_off() {
    let state = common::folder().unwrap();
    let sessions = Sessions::at(state.path());
    let opened = sessions.create(head("/work")).unwrap();
    let mut records = append(&opened, vec![prompt(1, "x")]).await;
    let id = opened.past.history().unwrap().head.unwrap().session;
    let path = log_of(state.path(), &id);
    let line = std::fs::read_to_string(&path).unwrap().lines().last().unwrap().to_owned();
    for other in [format!("{line}\n"), format!("{line}\n{line}\n"), "half a li".to_owned()] {
        OpenOptions::new().append(true).open(&path).unwrap().write_all(other.as_bytes()).unwrap();
        records.push(opened.journal.append(says(1, 1, "mine", &[])).await.unwrap());
        assert_eq!(opened.past.all().unwrap(), records, "reads its own");
    }
    drop(opened);
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches(&line).count(), 4, "{text}");
    assert!(text.contains("half a li\n"), "{text}");
    let seen = sessions.look(id.as_str()).unwrap();
    assert_eq!((seen.damage.doubled, seen.damage.lines), (3, vec![8]));
    assert_eq!(seen.past.all().unwrap().iter().filter(|record| records.contains(record)).count(), records.len() + 3);
}

/// A write that a crash cut short can end at any byte.
#[tokio::test]
async fn cut_at_every_byte_it_opens_with_every_whole_line() {
    let state = common::folder().unwrap();
    let (id, records) = written(state.path(), two_turns()).await;
    let path = log_of(state.path(), &id);
    let whole = std::fs::read(&path).unwrap();
    let ends: Vec<usize> = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).collect();
    let sessions = Sessions::at(state.path());
    for cut in 0..=whole.len() {
        let _ = std::fs::remove_file(path.with_extension("torn"));
        std::fs::write(&path, &whole[..cut]).unwrap();
        // A line is whole when only its newline is missing.
        let lines = ends.iter().filter(|end| **end <= cut).count();
        if lines == 0 {
            assert!(matches!(sessions.open(id.as_str(), |_| {}), Err(SessionError::Broken { .. })), "cut at {cut}");
            assert_eq!(std::fs::read(&path).unwrap(), whole[..cut], "left alone");
            assert_eq!(sessions.list().unwrap()[0].ending, Ending::Broken);
            continue;
        }
        let opened = sessions.open(id.as_str(), |_| {}).unwrap();
        assert_eq!(opened.past.all().unwrap()[..lines], records[..lines], "cut at {cut}");
        let history = opened.past.history().unwrap();
        assert_valid(&history.messages);
        assert!(!matches!(history.messages.last(), Some(Message::User { .. } | Message::Tool { .. })), "cut at {cut}");
        let torn = &whole[..cut][ends[..lines].last().map_or(0, |end| (end + 1).min(cut))..];
        assert_eq!(opened.notices.len(), usize::from(!torn.is_empty()), "cut at {cut}");
        if !torn.is_empty() {
            assert!(std::fs::read(path.with_extension("torn")).unwrap().starts_with(torn));
        }
        drop(opened);
        let again = sessions.open(id.as_str(), |_| {}).unwrap();
        assert!(again.notices.is_empty(), "mended for good");
        assert_eq!(again.past.history().unwrap(), history, "healed for good");
    }
}

#[tokio::test]
async fn what_a_killed_turn_lacks_is_appended() {
    let interrupted = |body: &RecordBody| matches!(body, RecordBody::Assistant { message: Message::Assistant { text, .. }, .. } if text == INTERRUPTED);
    let aborted = |body: &RecordBody| matches!(body, RecordBody::Outcome { outcome: ToolOutcome::Aborted, .. });
    let end = |body: &RecordBody| matches!(body, RecordBody::TurnEnded { end: TurnEnd::Interrupted, .. });
    for (bodies, calls, answer, ends) in [
        (vec![prompt(1, "x")], 0, 1, 1),
        (vec![prompt(1, "x"), says(1, 1, "", &["a", "b"])], 2, 1, 1),
        (vec![prompt(1, "x"), says(1, 1, "", &["a", "b"]), did("b", "")], 1, 1, 1),
        (vec![prompt(1, "x"), says(1, 1, "", &["a"]), did("a", "")], 0, 1, 1),
        (vec![prompt(1, "x"), says(1, 1, "hi", &[])], 0, 0, 1),
        (vec![prompt(1, "x"), says(1, 1, "hi", &[]), ended(1)], 0, 0, 0),
    ] {
        let state = common::folder().unwrap();
        let (id, records) = written(state.path(), bodies).await;
        let opened = Sessions::at(state.path()).open(id.as_str(), |_| {}).unwrap();
        let all = opened.past.all().unwrap();
        let healed: Vec<_> = all[records.len()..].iter().map(|record| &record.body).collect();
        let count = |test: &dyn Fn(&RecordBody) -> bool| healed.iter().filter(|body| test(body)).count();
        assert_eq!((count(&aborted), count(&interrupted), count(&end)), (calls, answer, ends), "{records:?}");
        assert_eq!(healed.len(), calls + answer + ends);
        assert_valid(&opened.past.history().unwrap().messages);
    }
}

#[tokio::test]
async fn a_damaged_line_takes_nothing_else_with_it() {
    let state = common::folder().unwrap();
    let (id, records) = written(state.path(), two_turns()).await;
    let path = log_of(state.path(), &id);
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    for damaged in 1..lines.len() {
        for bad in ["", "\0\0\0\0", "not json", &lines[damaged].replacen(":1", ":9", 1)] {
            let mut lines = lines.clone();
            lines[damaged] = bad;
            std::fs::write(&path, lines.join("\n") + "\n").unwrap();
            let opened = Sessions::at(state.path()).open(id.as_str(), |_| {}).unwrap();
            let mut kept = records.clone();
            kept.remove(damaged);
            assert_eq!(opened.past.all().unwrap()[..kept.len()], kept);
            assert_eq!(opened.notices.len(), 1);
            assert_eq!(opened.notices[0].arg("line"), Some((damaged + 1).to_string().as_str()));
            assert_valid(&opened.past.history().unwrap().messages);
        }
    }
}

#[tokio::test]
async fn the_first_line() {
    let state = common::folder().unwrap();
    let (id, _) = written(state.path(), vec![prompt(1, "x")]).await;
    let path = log_of(state.path(), &id);
    let whole = std::fs::read_to_string(&path).unwrap();
    let sessions = Sessions::at(state.path());

    std::fs::write(&path, whole.replacen("You are", "you ARE", 1)).unwrap();
    let opened = sessions.open(id.as_str(), |_| {}).unwrap();
    assert_eq!(opened.notices[0].code, "session.head_damaged");
    assert!(opened.past.history().unwrap().head.unwrap().system.starts_with("you ARE"));
    drop(opened);

    std::fs::write(&path, whole.replacen("\"v\":2", "\"v\":3", 1)).unwrap();
    assert!(matches!(sessions.open(id.as_str(), |_| {}), Err(SessionError::TooNew { found: 3, known: 2, .. })));
    assert!(!path.with_extension("torn").exists());
}

#[tokio::test]
async fn kinds_that_are_not_known_are_kept_and_skipped() {
    let state = common::folder().unwrap();
    let (id, records) = written(state.path(), two_turns()).await;
    let path = log_of(state.path(), &id);
    let body = format!(r#"{{"id":{},"parent":{},"at":1,"kind":"hologram","turn":2"#, records.len() + 1, records.len());
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    writeln!(file, "{body},\"crc\":\"{:08x}\"}}", crc32fast::hash(body.as_bytes())).unwrap();
    let opened = Sessions::at(state.path()).open(id.as_str(), |_| {}).unwrap();
    assert_eq!(opened.past.all().unwrap().last().unwrap().body, RecordBody::Unknown);
    assert_eq!(opened.past.history().unwrap(), history(&records));
    assert!(std::fs::read_to_string(&path).unwrap().contains("hologram"));
}

#[tokio::test]
async fn large_records() {
    let state = common::folder().unwrap();
    let large = "日本 \"x\"\n".repeat(500_000);
    let (id, records) = written(state.path(), vec![prompt(1, &large), says(1, 1, &large, &[]), ended(1)]).await;
    assert_eq!(Sessions::at(state.path()).open(id.as_str(), |_| {}).unwrap().past.all().unwrap(), records);
    let listed = Sessions::at(state.path()).list().unwrap();
    assert_eq!((listed[0].turns, &listed[0].ending), (1, &Ending::Ended(TurnEnd::Done)));
}

#[tokio::test]
async fn appends_that_nobody_waits_for_are_kept_in_order() {
    let state = common::folder().unwrap();
    let opened = Sessions::at(state.path()).create(head("/work")).unwrap();
    let id = opened.past.history().unwrap().head.unwrap().session;
    for turn in 1..=100 {
        drop(opened.journal.append(prompt(turn, "x")));
    }
    drop(opened);
    let again = Sessions::at(state.path()).open(id.as_str(), |_| {}).unwrap();
    let turns: Vec<u32> = again
        .past
        .all()
        .unwrap()
        .iter()
        .filter_map(|record| if let RecordBody::Prompt { turn, .. } = record.body { Some(turn) } else { None })
        .collect();
    assert_eq!(turns, (1..=100).collect::<Vec<_>>());
}

#[tokio::test]
async fn without_a_session_nothing_is_kept_but_the_numbers() {
    let opened = in_memory(head("/work"));
    let records = append(&opened, two_turns()).await;
    assert_valid(&history(&records).messages);
    let ids: Vec<u64> = records.iter().map(|record| record.id.0).collect();
    assert_eq!(ids, (1..=14).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_home_that_cannot_be_written_is_an_error_at_the_first_prompt() {
    let state = common::folder().unwrap();
    // A file where the folder should be: refused whoever runs the test.
    std::fs::write(state.path().join("sessions"), "").unwrap();
    let opened = Sessions::at(state.path()).create(head("/work")).unwrap();
    let error = opened.journal.append(prompt(1, "x")).await.unwrap_err();
    assert!(error.path.ends_with(".jsonl"));
    std::fs::remove_file(state.path().join("sessions")).unwrap();
    let record = opened.journal.append(prompt(1, "x")).await.unwrap();
    assert_eq!(record.id, RecordId(2), "the failed one took no number");
}

#[tokio::test]
async fn found_by_either_end_of_the_id() {
    let state = common::folder().unwrap();
    let sessions = Sessions::at(state.path());
    assert!(sessions.list().unwrap().is_empty() && sessions.latest(Path::new("/work")).unwrap().is_none());
    let (id, _) = written(state.path(), vec![prompt(1, "x")]).await;
    assert_eq!(sessions.find(id.short()).unwrap(), id);
    assert_eq!(sessions.find(&id.as_str()[..20]).unwrap(), id);
    for wanted in ["", "zzz", "../x", "/"] {
        assert!(matches!(sessions.open(wanted, |_| {}), Err(SessionError::NotFound { .. })), "{wanted:?}");
    }
    let (other, _) = written(state.path(), vec![prompt(1, "y")]).await;
    let Err(SessionError::Ambiguous { matches, .. }) = sessions.open(&id.as_str()[..4], |_| {}) else {
        panic!("not ambiguous")
    };
    assert_eq!(matches.len(), 2);
    assert!(matches.contains(&other));
    // What is listed may be shortened too, and what fits several is told by what is listed.
    assert_eq!(sessions.find(&id.short()[..6]).unwrap(), id);
    let error = sessions.find(&id.as_str()[..4]).unwrap_err();
    let said = error.phrase().to_string();
    assert!(said.contains(id.short()) && said.contains(other.short()), "{said}");
}

#[tokio::test]
async fn the_list_and_the_latest() {
    let state = common::folder().unwrap();
    let sessions = Sessions::at(state.path());
    let (first, _) = written(state.path(), two_turns()).await;
    let killed = Sessions::at(state.path()).create(head("/other")).unwrap();
    append(&killed, vec![prompt(1, &format!("\n  {}\u{1b}]0;x\u{7}", "long ".repeat(40)))]).await;
    std::fs::write(state.path().join("sessions/0broken.jsonl"), "{\"id\":1").unwrap();
    // The times of two writes may be the same; these are not.
    let at = |id: &str, seconds| {
        let file = OpenOptions::new().append(true).open(log_of(state.path(), &SessionId::from(id))).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds)).unwrap();
    };
    let second = killed.history.head.clone().unwrap().session;
    at(first.as_str(), 30);
    at(second.as_str(), 20);
    at("0broken", 10);

    let list = sessions.list().unwrap();
    assert_eq!(
        list.iter().map(|summary| summary.id.as_str()).collect::<Vec<_>>(),
        [first.as_str(), second.as_str(), "0broken"]
    );
    assert_eq!((list[0].title.as_str(), list[0].turns), ("修复 the test", 2));
    assert_eq!((list[0].cwd.as_str(), list[0].model.as_str(), list[0].active), ("/work", "local/small", 30_000));
    assert_eq!(list[0].ending, Ending::Ended(TurnEnd::Done));
    assert_eq!((list[1].turns, &list[1].ending), (1, &Ending::Open));
    assert_eq!(list[1].title.chars().count(), 81);
    assert!(!list[1].title.contains('\u{1b}'));
    assert_eq!(list[2].ending, Ending::Broken);

    assert_eq!(sessions.latest(Path::new("/work")).unwrap(), Some(first));
    assert_eq!(sessions.latest(Path::new("/other")).unwrap(), Some(second));
    assert_eq!(sessions.latest(Path::new("/none")).unwrap(), None);
}

fn bodies() -> impl Strategy<Value = Vec<RecordBody>> {
    let call = prop::sample::select(vec!["a", "b", "c"]);
    let body = prop_oneof![
        (1..4u32, ".{0,20}").prop_map(|(turn, text)| prompt(turn, &text)),
        (1..4u32, prop::collection::hash_set(call.clone(), 0..3)).prop_map(|(turn, calls)| says(
            turn,
            1,
            "t",
            &calls.into_iter().collect::<Vec<_>>()
        )),
        (call, "\\PC{0,20}").prop_map(|(call, text)| did(call, &text)),
        (1..4u32).prop_map(ended),
    ];
    prop::collection::vec(body, 0..20)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Whatever the loop wrote, in whatever order: it is read as it was, and the next request is valid.
    #[test]
    fn any_log_reads_the_same_and_is_valid(mut bodies in bodies()) {
        bodies.insert(0, prompt(1, "first"));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let state = common::folder().unwrap();
        let (id, records) = runtime.block_on(written(state.path(), bodies));
        assert_valid(&history(&records).messages);
        let opened = Sessions::at(state.path()).open(id.as_str(), |_| {}).unwrap();
        prop_assert_eq!(&opened.past.all().unwrap()[..records.len()], &records[..]);
        let healed = opened.past.history().unwrap();
        assert_valid(&healed.messages);
        drop(opened);
        let again = Sessions::at(state.path()).open(id.as_str(), |_| {}).unwrap();
        prop_assert_eq!(again.past.history().unwrap(), healed);
    }
}

/// The same test in a process of its own plays the agent that is killed in the middle of its writes.
#[test]
fn killed_while_appending_nothing_acknowledged_is_lost() {
    if let Some(state) = std::env::var_os("SESSION_TEST_STATE") {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(append_for_ever(Path::new(&state)));
    }
    for kill_after in [1, 2, 3, 50, 400] {
        let state = common::folder().unwrap();
        let mut agent = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "log::killed_while_appending_nothing_acknowledged_is_lost", "--nocapture"])
            .env("SESSION_TEST_STATE", state.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(agent.stderr.take().unwrap()).lines().map(Result::unwrap);
        let mut acknowledged: Vec<String> = lines.by_ref().take(kill_after).collect();
        agent.kill().unwrap();
        agent.wait().unwrap();
        acknowledged.extend(lines);
        let sessions = Sessions::at(state.path());
        let opened = sessions.open(sessions.latest(Path::new("/work")).unwrap().unwrap().as_str(), |_| {}).unwrap();
        let mut there = std::collections::HashSet::new();
        opened
            .past
            .each(|record| {
                there.insert(record.id);
            })
            .unwrap();
        for id in acknowledged.iter().filter_map(|line| line.parse().ok()) {
            assert!(there.contains(&RecordId(id)), "record {id} was lost");
        }
        assert_valid(&opened.past.history().unwrap().messages);
    }
}

async fn append_for_ever(state: &Path) {
    let opened = Sessions::at(state).create(head("/work")).unwrap();
    for turn in 1.. {
        let large = "x".repeat(100_000);
        for body in [prompt(turn, &large), says(turn, 1, "", &["a"]), did("a", &large), ended(turn)] {
            let record = opened.journal.append(body).await.unwrap();
            std::io::stderr().write_all(format!("{}\n", record.id).as_bytes()).unwrap();
        }
    }
}

/// A limit on the size of files is a full disk that a test can have.
#[test]
fn a_full_disk_leaves_a_valid_file_and_room_lets_it_go_on() {
    if let Some(state) = std::env::var_os("SESSION_TEST_FULL") {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        return runtime.block_on(fill(Path::new(&state)));
    }
    let state = common::folder().unwrap();
    // The shell counts in units of 1,024 bytes, and lets the process see the error in place of a signal.
    let limited = Command::new("bash")
        .args(["-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "log::a_full_disk_leaves_a_valid_file_and_room_lets_it_go_on"])
        .env("SESSION_TEST_FULL", state.path())
        .output()
        .unwrap();
    assert!(limited.status.success(), "{}", String::from_utf8_lossy(&limited.stdout));
}

async fn fill(state: &Path) {
    let opened = Sessions::at(state).create(head("/work")).unwrap();
    let id = opened.past.history().unwrap().head.unwrap().session;
    let error = opened.journal.append(prompt(1, &"x".repeat(100_000))).await.unwrap_err();
    assert!(error.reason.contains("large"), "{error}");
    assert_eq!(std::fs::read_dir(state.join("sessions")).unwrap().count(), 0, "no half file");

    let mut records = opened.past.all().unwrap();
    records.push(opened.journal.append(prompt(1, "small")).await.unwrap());
    opened.journal.append(says(1, 1, &"x".repeat(100_000), &[])).await.unwrap_err();
    let whole = std::fs::read(log_of(state, &id)).unwrap();
    assert!(whole.ends_with(b"\"}\n"), "the unfinished line is cut off");
    records.push(opened.journal.append(says(1, 1, "short", &[])).await.unwrap());
    records.push(opened.journal.append(ended(1)).await.unwrap());
    drop(opened);
    let again = Sessions::at(state).open(id.as_str(), |_| {}).unwrap();
    assert_eq!(again.past.all().unwrap(), records);
    assert!(again.notices.is_empty());
}

#[tokio::test]
async fn what_is_said_of_files_is_found_without_the_rest() {
    let state = common::folder().unwrap();
    let opened = Sessions::at(state.path()).create(head("/p")).unwrap();
    let taken = |moment, state: &str| {
        let (state, uncovered) = (state.to_owned(), Vec::new());
        let (changed, changed_more, more, cut_off) = (None, 0, 0, false);
        RecordBody::Snapshot(reasonix_proto::Snapshot {
            turn: 1,
            moment,
            state,
            uncovered,
            more,
            changed,
            changed_more,
            cut_off,
        })
    };
    let mut wanted = Vec::new();
    for body in [
        prompt(1, "x"),
        taken(reasonix_proto::Moment::Before, "a"),
        says(1, 1, "y", &[]),
        taken(reasonix_proto::Moment::After, "b"),
        ended(1),
    ] {
        let is_wanted = matches!(body, RecordBody::Snapshot(_));
        let record = opened.journal.append(body).await.unwrap();
        wanted.extend(is_wanted.then_some(record));
    }
    assert_eq!(opened.past.of_files().unwrap(), wanted);
    let session = opened.history.head.clone().unwrap().session;
    drop(opened);
    assert_eq!(Sessions::at(state.path()).look(session.as_str()).unwrap().past.of_files().unwrap(), wanted);
}
