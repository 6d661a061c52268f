//! The exact specs of a session's tools: kept by content, named in its head, and there as long as a log names them.

use crate::common::{ended, folder, head, prompt};
use reasonix_agent::{ToolSpec, ToolTraits};
use reasonix_proto::{RecordBody, RecordId, SessionHead, SessionId};
use reasonix_session::{Beginning, Retention, Sessions, in_memory, retain};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const DAY: Duration = Duration::from_secs(24 * 3600);
/// Bounds under which no output would stay.
const LEAST: Retention = Retention { session_days: 0, sessions: 0, output_days: 1, outputs: 1, usage: 0 };

fn specs(told: &str) -> Vec<ToolSpec> {
    let parameters = json!({"type": "object", "properties": {"zeta": {"type": "number", "default": 0.1}, "a": {}}});
    let plain = ToolSpec::new("far__look", told, parameters);
    vec![ToolSpec::new("bash", "runs \u{202e}it", json!({})).with(ToolTraits::RUNS), plain.with(ToolTraits::MARKS)]
}

fn begins(told: &str) -> Beginning {
    Beginning::new(head("/work"), &specs(told))
}

fn made(state: &Path, told: &str) -> SessionId {
    Sessions::at(state).import(begins(told), vec![(1, prompt(1, "hi")), (2, ended(1))]).unwrap()
}

fn head_of(sessions: &Sessions, id: &SessionId) -> SessionHead {
    let RecordBody::Session(head) = sessions.look(id.as_str()).unwrap().head.body else { panic!("a head") };
    head
}

fn told(sessions: &Sessions, id: &SessionId) -> Option<Vec<ToolSpec>> {
    sessions.look(id.as_str()).unwrap().past.specs(&head_of(sessions, id)).unwrap()
}

fn kept(state: &Path) -> Vec<PathBuf> {
    let fans = std::fs::read_dir(state.join("specs")).into_iter().flatten().flatten();
    fans.flat_map(|fan| std::fs::read_dir(fan.path()).unwrap().flatten()).map(|file| file.path()).collect()
}

fn aged(path: &Path) {
    std::fs::File::options().append(true).open(path).unwrap().set_modified(SystemTime::now() - 100 * DAY).unwrap();
}

#[tokio::test]
async fn they_come_to_disk_with_the_first_prompt_and_read_back_as_they_were() {
    let state = folder().unwrap();
    let sessions = Sessions::at(state.path());
    let opened = sessions.create(begins("looks")).unwrap();
    assert_eq!(std::fs::read_dir(state.path()).unwrap().count(), 0, "nothing before the first prompt");
    opened.journal.append(prompt(1, "hi")).await.unwrap();
    let head = opened.history.head.clone().unwrap();
    assert_eq!(head.tools, ["bash", "far__look"]);
    let read = opened.past.specs(&head).unwrap().unwrap();
    assert_eq!(read, specs("looks"));
    assert_eq!(serde_json::to_string(&read).unwrap(), serde_json::to_string(&specs("looks")).unwrap());
    let same = begins("looks").head().specs.clone();
    assert_eq!((head.specs, kept(state.path()).len()), (same, 1), "the name is the content's");
    drop(opened);
    made(state.path(), "looks");
    assert_eq!(kept(state.path()).len(), 1, "the same specs are kept once");
}

#[test]
fn a_session_without_a_file_names_none_and_a_log_of_names_alone_has_none() {
    let state = folder().unwrap();
    let opened = in_memory(begins("looks").unkept());
    let own = opened.history.head.unwrap();
    assert_eq!((own.tools.len(), own.specs), (2, None));
    let sessions = Sessions::at(state.path());
    let id = sessions.import(head("/work"), vec![(1, prompt(1, "hi"))]).unwrap();
    assert_eq!(told(&sessions, &id), None);
    assert!(kept(state.path()).is_empty());
}

#[test]
fn a_copy_in_the_same_folder_is_told_the_same_and_one_elsewhere_as_this_build_tells() {
    let state = folder().unwrap();
    let sessions = Sessions::at(state.path());
    let first = made(state.path(), "as it was");
    let here = sessions.fork(first.as_str(), None, begins("as it is")).unwrap();
    assert_eq!(told(&sessions, &here), Some(specs("as it was")));
    let elsewhere = Beginning::new(head("/other"), &specs("as it is"));
    let there = sessions.fork(first.as_str(), None, elsewhere).unwrap();
    assert_eq!(told(&sessions, &there), Some(specs("as it is")));
    let log = state.path().join("sessions").join(format!("{first}.jsonl"));
    let lines = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, lines.split_once('\n').unwrap().1).unwrap();
    sessions.repair(first.as_str(), || begins("as repaired")).unwrap();
    assert_eq!(told(&sessions, &first), Some(specs("as repaired")), "a new first line brings its own");
}

#[test]
fn cleaning_leaves_what_a_log_names_and_takes_what_none_does() {
    let state = folder().unwrap();
    let sessions = Sessions::at(state.path());
    let (one, other) = (made(state.path(), "one"), made(state.path(), "other"));
    let copy = sessions.fork(one.as_str(), None, begins("x")).unwrap();
    let planner = sessions.planners().import(begins("planner"), vec![(1, prompt(1, "hi"))]).unwrap();
    let age = || kept(state.path()).iter().for_each(|path| aged(path));
    for id in [&one, &other, &copy] {
        aged(&state.path().join("sessions").join(format!("{id}.jsonl")));
    }
    age();
    retain(state.path(), &LEAST, false).unwrap();
    assert_eq!(kept(state.path()).len(), 2, "the bounds of outputs are not theirs");
    assert_eq!(told(&sessions.planners(), &planner), Some(specs("planner")));
    sessions.delete(one.as_str()).unwrap();
    sessions.delete(other.as_str()).unwrap();
    // A first line that is damaged, or of a version to come, names them all the same.
    let log = state.path().join("sessions").join(format!("{copy}.jsonl"));
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, text.replacen("\"v\":2", "\"v\":9", 1).replacen("\"cwd\"", "\"cw\"", 1)).unwrap();
    retain(state.path(), &LEAST, true).unwrap();
    assert_eq!(kept(state.path()).len(), 2, "only counted");
    retain(state.path(), &LEAST, false).unwrap();
    std::fs::write(&log, text).unwrap();
    assert_eq!((kept(state.path()).len(), told(&sessions, &copy)), (1, Some(specs("one"))));
    sessions.delete(copy.as_str()).unwrap();
    made(state.path(), "young");
    sessions.list().unwrap().iter().for_each(|session| drop(sessions.delete(session.id.as_str())));
    retain(state.path(), &LEAST, false).unwrap();
    assert_eq!(kept(state.path()).len(), 1, "what is young may belong to a log that is not there yet");
    age();
    retain(state.path(), &LEAST, false).unwrap();
    assert!(kept(state.path()).is_empty());
}

#[tokio::test]
async fn those_that_joined_late_take_the_place_of_the_first_and_stay_as_long_as_the_log() {
    let state = folder().unwrap();
    let sessions = Sessions::at(state.path());
    let opened = sessions.create(begins("at first")).unwrap();
    let late = &specs("with what joined")[1..];
    let named = opened.past.keep_specs(late).unwrap();
    let joined = RecordBody::ToolsJoined { tools: vec!["far__look".into()], specs: named };
    opened.journal.append(joined).await.unwrap();
    opened.journal.append(prompt(1, "hi")).await.unwrap();
    let id = opened.history.head.clone().unwrap().session;
    drop(opened);
    kept(state.path()).iter().for_each(|path| aged(path));
    retain(state.path(), &LEAST, false).unwrap();
    let copy = sessions.fork(id.as_str(), None, begins("x")).unwrap();
    for id in [&id, &copy] {
        let history = sessions.look(id.as_str()).unwrap().past.history().unwrap();
        let head = history.head.unwrap();
        assert_eq!(head.tools, ["far__look"]);
        let told = sessions.look(id.as_str()).unwrap().past.specs(&head).unwrap();
        assert_eq!(told.as_deref(), Some(late), "a cleaning leaves them where they are");
    }
}

/// An agent goes on in the middle of a log: the specs that it was told stay as long as that.
#[tokio::test]
async fn those_of_an_agent_stay_as_long_as_the_log() {
    let state = folder().unwrap();
    let sessions = Sessions::at(state.path());
    let opened = sessions.create(begins("at first")).unwrap();
    opened.journal.append(prompt(1, "hi")).await.unwrap();
    let told = &specs("by another")[1..];
    let named = opened.past.keep_specs(told).unwrap();
    let tools = Some(vec!["far__look".into()]);
    let changed = RecordBody::AgentChanged { agent: "x".into(), system: None, tools, specs: named };
    opened.journal.append(changed).await.unwrap();
    let id = opened.history.head.clone().unwrap().session;
    drop(opened);
    kept(state.path()).iter().for_each(|path| aged(path));
    retain(state.path(), &LEAST, false).unwrap();
    let past = sessions.look(id.as_str()).unwrap().past;
    let head = past.history().unwrap().head.unwrap();
    assert_eq!(past.specs(&head).unwrap().as_deref(), Some(told));
    // Whoever goes back to before it keeps them.
    let there = past.history_at(RecordId(1)).unwrap().unwrap();
    let lacks = past.head_lacking(&there).unwrap();
    assert!(matches!(&lacks[0], RecordBody::ToolsJoined { specs, .. } if *specs == head.specs), "{lacks:?}");
    assert!(matches!(&lacks[1], RecordBody::AgentChanged { agent, .. } if agent == "x"), "{lacks:?}");
}

/// Tools that joined in one folder are none of another's; where a session moves about, they stay its own.
#[tokio::test]
async fn those_that_joined_stay_in_their_folder_and_wherever_a_session_moves() {
    let state = folder().unwrap();
    let sessions = Sessions::at(state.path());
    let opened = sessions.create(begins("at first")).unwrap();
    let named = opened.past.keep_specs(&specs("with what joined")[1..]).unwrap();
    let joined = RecordBody::ToolsJoined { tools: vec!["far__look".into()], specs: named };
    opened.journal.append(joined.clone()).await.unwrap();
    opened.journal.append(prompt(1, "hi")).await.unwrap();
    let there = opened.past.history_at(RecordId(1)).unwrap().unwrap();
    assert_eq!(opened.past.head_lacking(&there).unwrap(), [joined]);
    let here = opened.past.history().unwrap();
    assert_eq!(opened.past.head_lacking(&here).unwrap(), []);
    let id = opened.history.head.clone().unwrap().session;
    drop(opened);
    let elsewhere = begins("x").with(|head| head.cwd = "/elsewhere".into());
    let wanted = elsewhere.head().clone();
    let copy = sessions.fork(id.as_str(), None, elsewhere).unwrap();
    let head = sessions.look(copy.as_str()).unwrap().past.history().unwrap().head.unwrap();
    assert_eq!((head.tools, head.specs), (wanted.tools, wanted.specs));
}

#[test]
fn what_is_lost_or_damaged_is_said() {
    let state = folder().unwrap();
    let sessions = Sessions::at(state.path());
    let id = made(state.path(), "looks");
    let (head, past) = (head_of(&sessions, &id), sessions.look(id.as_str()).unwrap().past);
    let path = kept(state.path()).remove(0);
    std::fs::write(&path, "[]").unwrap();
    assert!(past.specs(&head).is_err());
    std::fs::remove_file(&path).unwrap();
    assert!(past.specs(&head).is_err());
    let odd = SessionHead { specs: Some("../../etc/passwd".into()), ..head };
    assert!(past.specs(&odd).is_err());
}
