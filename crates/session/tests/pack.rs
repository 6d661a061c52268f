//! A session in one file: what comes along, and what stays behind.

use crate::common::{folder, head, prompt, says};

use reasonix_agent::{Artifacts, ToolSpec};
use reasonix_proto::{Effect, GoalChange, GoalNews, Posture, RecordBody, Scope, ToolOutcome, TurnEnd, Usage};
use reasonix_session::{Beginning, SessionArtifacts, Sessions};
use serde_json::json;
use std::path::Path;

fn kinds(sessions: &Sessions, id: &str) -> Vec<String> {
    let mut kinds = Vec::new();
    let seen = sessions.look(id).unwrap();
    seen.past.each_active(|record| kinds.push(serde_json::to_value(&record.body).unwrap()["kind"].clone())).unwrap();
    kinds.into_iter().map(|kind| kind.as_str().unwrap().to_owned()).collect()
}

fn specs() -> Vec<ToolSpec> {
    vec![ToolSpec::new("bash", "Runs it.", json!({"type": "object"}))]
}

async fn packed(state: &Path) -> Vec<u8> {
    let whole = SessionArtifacts::at(state).put(b"all of the output").unwrap();
    let sessions = Sessions::at(state);
    let opened = sessions.create(Beginning::new(head("/there"), &specs())).unwrap();
    let id = opened.past.history().unwrap().head.unwrap().session;
    let outcome = RecordBody::Outcome {
        call: "c1".into(),
        tool: "bash".into(),
        took_ms: 1,
        outcome: ToolOutcome::done(format!("cut [{}]", whole.uri)),
    };
    let granted = RecordBody::Granted { rule: "Bash(rm:*)".into(), effect: Some(Effect::Allow), scope: Scope::Session };
    let ended = RecordBody::TurnEnded { turn: 1, end: TurnEnd::Done, steps: 1, usage: Usage::default(), cost: None };
    for body in [
        prompt(1, "go"),
        says(1, 1, "", &["c1"]),
        granted,
        outcome,
        RecordBody::PostureChanged { posture: Posture::Yolo },
        RecordBody::Goal(Box::new(GoalChange { news: GoalNews::Set, goal: None })),
        says(1, 2, "done", &[]),
        ended,
    ] {
        opened.journal.append(body).await.unwrap();
    }
    drop(opened);
    sessions.pack(id.as_str()).unwrap()
}

#[tokio::test]
async fn what_was_sent_comes_along_and_what_was_allowed_stays_behind() {
    let (there, here) = (folder().unwrap(), folder().unwrap());
    let bytes = packed(there.path()).await;
    let sessions = Sessions::at(here.path());
    let done = sessions.unpack(&bytes, Path::new("/here"), "whole").unwrap().unwrap();
    assert_eq!((done.records, done.skipped), (9, 0));
    let of = |state: &Path| {
        let sessions = Sessions::at(state);
        let id = sessions.list().unwrap().remove(0).id;
        let past = sessions.look(id.as_str()).unwrap().past;
        let history = past.history().unwrap();
        let specs = past.specs(history.head.as_ref().unwrap()).unwrap();
        (history.head.clone().unwrap(), history.messages, specs)
    };
    let ((old, said, told), (new, same, again)) = (of(there.path()), of(here.path()));
    assert_eq!((&said, &told), (&same, &again));
    assert_eq!((&new.system, &new.tools, &new.specs, &new.model), (&old.system, &old.tools, &old.specs, &old.model));
    assert_eq!((new.cwd.as_str(), new.session == old.session), ("/here", false));
    let wanted =
        ["session", "prompt", "assistant", "unknown", "outcome", "unknown", "unknown", "assistant", "turn_ended"];
    assert_eq!(kinds(&sessions, done.session.as_str()), wanted);
    let uri = format!("{:?}", said).split("artifact://").nth(1).unwrap()[..16].to_owned();
    let whole = SessionArtifacts::at(here.path()).get(&format!("artifact://{uri}")).unwrap();
    assert_eq!(whole, b"all of the output");
}

/// What a line says of what it carries does not count: it is found by its content, and specs that are none are not kept.
#[tokio::test]
async fn a_file_can_put_nothing_under_the_name_of_something_else() {
    let (there, here) = (folder().unwrap(), folder().unwrap());
    let text = String::from_utf8(packed(there.path()).await).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("{\"carried\":\"specs\"")).collect();
    let forged = "{\"carried\":\"specs\",\"key\":\"../../x\",\"base64\":\"W10gb3RoZXI=\"}";
    let second = lines[0].to_owned();
    let text = [lines.as_slice(), &[forged, &second, "{\"carried\":\"all\",\"base64\":\"\"}"]].concat().join("\n");
    let sessions = Sessions::at(here.path());
    let done = sessions.unpack(text.as_bytes(), Path::new("/here"), "x").unwrap().unwrap();
    assert_eq!((done.records, done.skipped), (9, 3));
    let seen = sessions.look(done.session.as_str()).unwrap();
    assert!(seen.past.specs(&seen.past.history().unwrap().head.unwrap()).is_err(), "they are lost, and that is said");
    assert!(!here.path().join("specs").exists());
    assert_eq!(sessions.unpack(b"{\"role\":\"user\"}\n", Path::new("/here"), "x").unwrap(), None);
    assert_eq!(sessions.unpack(b"", Path::new("/here"), "x").unwrap(), None);
}

/// A file that cannot be taken over whole leaves no output behind that nobody names, and takes none away that somebody does.
#[tokio::test]
async fn what_fails_leaves_nothing_behind() {
    let (there, here) = (folder().unwrap(), folder().unwrap());
    let text = String::from_utf8(packed(there.path()).await).unwrap();
    let (mut lines, loads): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| !line.starts_with("{\"carried\""));
    lines.extend(loads.iter().rev());
    assert!(loads[0].contains("specs") && loads.len() == 2, "the specs come last now");
    let text = lines.join("\n") + "\n";
    // There is no room for the specs.
    std::fs::write(here.path().join("specs"), "").unwrap();
    let sessions = Sessions::at(here.path());
    let unpack = || sessions.unpack(text.as_bytes(), Path::new("/here"), "x");
    let kept = || SessionArtifacts::at(here.path()).get(&whole_uri(&text));
    unpack().unwrap_err();
    assert!(kept().is_err() && sessions.list().unwrap().is_empty());
    std::fs::remove_file(here.path().join("specs")).unwrap();
    unpack().unwrap().unwrap();
    std::fs::rename(here.path().join("specs"), here.path().join("aside")).unwrap();
    std::fs::write(here.path().join("specs"), "").unwrap();
    unpack().unwrap_err();
    assert_eq!(kept().unwrap(), b"all of the output", "the session that is there names it");
}

fn whole_uri(text: &str) -> String {
    format!("artifact://{}", &text.split("artifact://").nth(1).unwrap()[..16])
}

/// A line with a checksum of its own.
fn sealed(object: &str) -> String {
    let body = object.strip_suffix('}').unwrap();
    format!("{body},\"crc\":\"{:08x}\"}}", crc32fast::hash(body.as_bytes()))
}

/// What a later version wrote into a record that this one knows is there for it; what the disk or a hand changed is not used.
#[tokio::test]
async fn lines_come_along_byte_for_byte_and_those_that_are_not_sound_do_not() {
    let (there, here) = (folder().unwrap(), folder().unwrap());
    let text = String::from_utf8(packed(there.path()).await).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = lines.iter().position(|line| line.contains("\"kind\":\"prompt\"")).unwrap();
    let plain = lines[at].split(",\"crc\"").next().unwrap().to_owned();
    lines[at] = sealed(&format!("{plain},\"newer\":\"kept\\u001b?\"}}"));
    let hidden = sealed(
        "{\"id\":90,\"parent\":2,\"at\":1,\"kind\":\"note\",\"turn\":1,\"text\":\"a\u{202e}b\",\"by_user\":true}",
    );
    lines.insert(at + 1, hidden);
    lines.insert(at + 2, lines[at].replace("kept", "lost"));
    let sessions = Sessions::at(here.path());
    let done = sessions.unpack((lines.join("\n") + "\n").as_bytes(), Path::new("/here"), "x").unwrap().unwrap();
    assert_eq!((done.records, done.skipped, done.cut), (10, 1, false));
    let log = std::fs::read_to_string(here.path().join(format!("sessions/{}.jsonl", done.session))).unwrap();
    let mine: Vec<&str> = log.lines().collect();
    let same = mine.iter().filter(|line| lines.iter().any(|theirs| theirs == *line)).count();
    assert_eq!(same, 5, "the prompt, two messages, the outcome and the end: {log}");
    assert!(mine[1] == lines[at] && log.contains("a\\u202eb") && !log.contains("lost"), "{log}");
    assert!(sessions.look(done.session.as_str()).unwrap().notices.is_empty(), "every line is sound here");
    // Half a file says that it is one.
    let half = &text.as_bytes()[..text.find("\"kind\":\"outcome\"").unwrap()];
    let done = sessions.unpack(half, Path::new("/here"), "x").unwrap().unwrap();
    assert_eq!((done.records, done.skipped, done.cut), (4, 1, true));
    // A beginning that is not sound is used, and said.
    assert!(!done.spoilt_head);
    let spoilt = text.replacen("/there", "/elsewhere", 1);
    assert!(sessions.unpack(spoilt.as_bytes(), Path::new("/here"), "x").unwrap().unwrap().spoilt_head);
}

#[tokio::test]
async fn specs_that_a_record_further_down_names_are_looked_for() {
    let state = folder().unwrap();
    let sessions = Sessions::at(state.path());
    let opened = sessions.create(Beginning::new(head("/there"), &specs())).unwrap();
    let id = opened.past.history().unwrap().head.unwrap().session;
    let kept = opened.past.keep_specs(&[ToolSpec::new("late", "Comes late.", json!({}))]).unwrap();
    let joined = RecordBody::ToolsJoined { tools: vec!["late".into()], specs: kept.clone() };
    let changed =
        RecordBody::AgentChanged { agent: "x".into(), system: None, tools: None, specs: Some("ab".repeat(32)) };
    opened.journal.append(prompt(1, "go")).await.unwrap();
    opened.journal.append(joined).await.unwrap();
    drop(opened);
    let lost = |sessions: &Sessions| sessions.look(id.as_str()).unwrap().past.lost_specs().unwrap().len();
    assert_eq!(lost(&sessions), 0);
    let opened = sessions.open(id.as_str(), |_| {}).unwrap();
    opened.journal.append(changed).await.unwrap();
    drop(opened);
    assert_eq!(lost(&sessions), 1);
}
