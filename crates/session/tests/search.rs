//! Finding what was said in earlier sessions, against real files and a real index.

use crate::common;

use common::{did, ended, head, prompt, says};
use reasonix_proto::Speaker;
use reasonix_proto::{
    Artifact, CallId, Details, Message, RecordBody, RecordId, SessionId, StopReason, ToolCall, ToolOutcome,
};
use reasonix_session::{Found, Search, Sessions, Wanted};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

struct Place {
    state: tempfile::TempDir,
    sessions: Sessions,
}

impl Place {
    fn new() -> Self {
        let state = tempfile::tempdir().unwrap();
        let sessions = Sessions::at(state.path());
        Self { state, sessions }
    }

    fn add(&self, cwd: &str, bodies: Vec<RecordBody>) -> SessionId {
        self.sessions.import(head(cwd), bodies.into_iter().map(|body| (1_750_000_000_000, body)).collect()).unwrap()
    }

    fn say(&self, cwd: &str, question: &str, answer: &str) -> SessionId {
        self.add(cwd, vec![prompt(1, question), says(1, 1, answer, &[]), ended(1)])
    }

    fn index(&self) -> PathBuf {
        self.state.path().join("cache/history.sqlite")
    }

    fn search(&self) -> Search {
        Search::new(self.sessions.clone(), self.state.path().join("cache"), &["hunter2-hunter2".to_owned()])
    }

    fn find(&self, query: &str, folder: Option<&str>) -> Found {
        self.find_with(query, folder, |_| {})
    }

    fn find_with<'a>(&self, query: &'a str, folder: Option<&'a str>, change: impl FnOnce(&mut Wanted<'a>)) -> Found {
        let patience = Duration::from_secs(60);
        let mut wanted = Wanted { query, folder: folder.map(Path::new), most: 8, before: None, patience };
        change(&mut wanted);
        self.search().find(&wanted, &|| false).unwrap()
    }

    fn sessions_for(&self, query: &str) -> Vec<SessionId> {
        self.find(query, None).hits.into_iter().map(|hit| hit.session).collect()
    }
}

#[test]
fn the_best_comes_first_and_common_words_are_no_reason() {
    let place = Place::new();
    let wanted = place.say("/a", "why does the frobnicator fail in the test", "Because the cache is cold.");
    for number in 0..30 {
        place.say("/a", &format!("please run the test number {number}"), "The test is fine.");
    }
    let found = place.find("why the frobnicator in the test", None);
    let hit = found.hits.first().unwrap();
    assert_eq!((&hit.session, hit.record, &hit.by), (&wanted, RecordId(2), &Speaker::User));
    assert!(hit.text.contains("frobnicator") && hit.at == 1_750_000_000_000, "{hit:?}");
    assert_eq!(found.hits.len(), 1, "what only shares common words is left out: {:?}", found.hits);
    // Where there are no others, common words count.
    assert_eq!(place.find("the test", None).hits.len(), 8);
    assert!(place.find("nowhere-at-all", None).hits.is_empty());
    assert!(!place.find("\"*) OR (", None).hits.iter().any(|_| true));
    assert!(!place.find("…", None).asked);
}

#[test]
fn two_characters_of_chinese_are_a_word_and_one_is_found_too() {
    let place = Place::new();
    let parser = place.say("/a", "修复解析器的错误", "好的");
    let cache = place.say("/a", "清理缓存", "完成");
    let mixed = place.say("/a", "用Rust重写", "ok");
    for (query, wanted) in [
        ("解析", vec![&parser]),
        ("错误", vec![&parser]),
        ("解析器", vec![&parser]),
        ("缓存", vec![&cache]),
        ("存", vec![&cache]),
        ("清", vec![&cache]),
        ("rust", vec![&mixed]),
        ("重写", vec![&mixed]),
        ("误解", vec![]),
    ] {
        assert_eq!(place.sessions_for(query).iter().collect::<Vec<_>>(), wanted, "{query}");
    }
}

#[test]
fn names_inflections_and_paths_of_calls_are_found() {
    let place = Place::new();
    let named = place.say("/a", "rename parseArguments", "done");
    let tests = place.say("/a", "write tests for it", "done");
    let arguments = r#"{"path":"crates/store/src/atomic.rs","content":"nothing_of_this"}"#;
    let call = ToolCall { id: CallId::from("a"), name: "write_file".into(), arguments: arguments.into() };
    let patch = r#"{"patch":"*** Begin Patch\n*** Update File: docs/glossary.md\n+line\n*** End Patch"}"#;
    let patch = ToolCall { id: CallId::from("b"), name: "apply_patch".into(), arguments: patch.into() };
    let message =
        Message::Assistant { text: String::new(), reasoning: None, calls: vec![call, patch], stop: StopReason::Calls };
    let body = RecordBody::Assistant { turn: 1, step: 1, model: "m".into(), message, usage: None };
    let wrote = place.add("/a", vec![prompt(1, "go"), body, did("a", "unsearched output"), did("b", "x"), ended(1)]);
    for (query, wanted) in [
        ("parsearguments", &named),
        ("arguments parse", &named),
        ("testing", &tests),
        ("store/src/atomic.rs", &wrote),
        ("glossary.md", &wrote),
    ] {
        assert_eq!(place.sessions_for(query).first(), Some(wanted), "{query}");
    }
    assert!(place.sessions_for("nothing_of_this").is_empty(), "contents are not searched");
}

fn gave(call: &str, content: &str, artifact: Option<&str>) -> RecordBody {
    let artifact = artifact.map(|uri| Artifact { uri: uri.to_owned(), bytes: 9, lines: 1 });
    let outcome = ToolOutcome::detailed(content, Details { artifact, ..Details::default() });
    RecordBody::Outcome { call: CallId::from(call), tool: "bash".into(), took_ms: 3, outcome }
}

#[test]
fn outputs_are_found_behind_what_was_said() {
    let place = Place::new();
    let noise = "lorem ipsum dolor ".repeat(600);
    let output = format!("linker gizmotron at the beginning\n{noise}\nwombat at the end hunter2-hunter2");
    let middle = format!("{noise} platypus {noise}");
    let made = vec![prompt(1, "go"), says(1, 1, "", &["c1"]), gave("c1", &output, Some("artifact://ab12"))];
    let made =
        [made, vec![says(1, 2, "", &["c1"]), gave("c1", &middle, None), says(1, 3, "done", &[]), ended(1)]].concat();
    let session = place.add("/a", made);
    let said = place.say("/a", "what of the gizmotron", "It is odd.");
    (0..4).for_each(|_| {
        place.add("/a", vec![prompt(1, "x"), says(1, 1, "", &["c"]), gave("c", "gizmotron again", None), ended(1)]);
    });
    let hits = place.find("gizmotron", None).hits;
    let by: Vec<(bool, &Speaker)> = hits.iter().map(|hit| (hit.session == said, &hit.by)).collect();
    assert_eq!(by, [(true, &Speaker::User), (false, &Speaker::Tool), (false, &Speaker::Tool), (false, &Speaker::Tool)]);
    let one = &place.find("wombat", None).hits;
    assert_eq!((one.len(), &one[0].session, one[0].record, &one[0].by), (1, &session, RecordId(4), &Speaker::Tool));
    assert!(one[0].text.contains("wombat at the end") && one[0].text.ends_with(" [whole: artifact://ab12]"), "{one:?}");
    assert!(!one[0].text.contains("hunter2"), "{one:?}");
    assert!(place.sessions_for("hunter2").is_empty());
    assert!(place.sessions_for("platypus").is_empty(), "the middle of a long output is not searched");
    // What fills an answer leaves no room for outputs.
    (0..9).for_each(|number| drop(place.say("/a", &format!("gizmotron number {number}"), "Yes.")));
    assert!(place.find("gizmotron", None).hits.iter().all(|hit| hit.by == Speaker::User));
    // What a search gave back is not found again.
    for (number, begins) in reasonix_session::RECALLED.iter().enumerate() {
        let again = gave("c", &format!("{begins}numbat {number}"), None);
        place.add("/a", vec![prompt(1, "x"), says(1, 1, "", &["c"]), again, ended(1)]);
    }
    assert!(place.sessions_for("numbat").is_empty());
}

#[test]
fn outputs_of_what_may_not_be_read_are_not_found_and_those_of_a_session_go_with_it() {
    let place = Place::new();
    let read = |path: &str, content: &str| {
        let call = ToolCall {
            id: CallId::from("a"),
            name: "read_file".into(),
            arguments: serde_json::json!({ "path": path }).to_string(),
        };
        let message =
            Message::Assistant { text: String::new(), reasoning: None, calls: vec![call], stop: StopReason::Calls };
        let body = RecordBody::Assistant { turn: 1, step: 1, model: "m".into(), message, usage: None };
        place.add("/a", vec![prompt(1, "go"), body, gave("a", content, None), ended(1)])
    };
    let open = read("open.txt", "aardvark in the open");
    let closed = read("closed/key.txt", "aardvark behind a rule");
    let patience = Duration::from_secs(60);
    let wanted = Wanted { query: "aardvark", folder: None, most: 8, before: None, patience };
    let asks = place.search().reading(|path| path != Path::new("/a/closed/key.txt"));
    let found: Vec<SessionId> =
        asks.find(&wanted, &|| false).unwrap().hits.into_iter().map(|hit| hit.session).collect();
    assert_eq!(found, std::slice::from_ref(&open));
    assert_eq!(place.sessions_for("aardvark").len(), 2, "a person finds both");
    let shown = |search: &Search, session: &SessionId, span: usize| {
        let window = search.around(session.as_str(), RecordId(4), span).unwrap();
        window.lines.iter().any(|line| line.text.contains("aardvark"))
    };
    for span in [1, 4] {
        assert!(shown(&asks, &open, span) && !shown(&asks, &closed, span) && shown(&place.search(), &closed, span));
    }
    place.sessions.delete(open.as_str()).unwrap();
    assert_eq!(place.sessions_for("aardvark").len(), 1);
}

#[test]
fn a_folder_has_its_own_sessions() {
    let place = Place::new();
    let here = place.say("/here", "the zebra question", "yes");
    let there = place.say("/there", "the zebra question", "no");
    let of = |folder| place.find("zebra", folder).hits.into_iter().map(|hit| hit.session).collect::<Vec<_>>();
    assert_eq!(of(Some("/here")), std::slice::from_ref(&here));
    assert_eq!(of(Some("/there")), [there]);
    assert_eq!(of(Some("/nowhere")), []);
    assert_eq!(of(None).len(), 2);
    // What is being said now is nothing that was said before.
    let now = place.find_with("zebra", Some("/here"), |wanted| wanted.before = Some((&here, RecordId(2))));
    assert!(now.hits.is_empty(), "{now:?}");
    let later = place.find_with("zebra", Some("/here"), |wanted| wanted.before = Some((&here, RecordId(3))));
    assert_eq!(later.hits.len(), 1);
}

#[tokio::test]
async fn what_is_new_is_read_and_nothing_else() {
    let place = Place::new();
    place.say("/a", "the first", "yes");
    let opened = place.sessions.create(head("/a")).unwrap();
    opened.journal.append(prompt(1, "about giraffes")).await.unwrap();
    assert_eq!(place.sessions_for("giraffe").len(), 1, "also while it is being written");
    opened.journal.append(says(1, 1, "about elephants", &[])).await.unwrap();
    assert_eq!(place.sessions_for("elephant").len(), 1);
    assert_eq!(place.sessions_for("giraffe").len(), 1, "no record is there twice");
    // A file whose stamp is the same is not opened: its words are known.
    let id = place.say("/a", "platypus", "yes");
    assert_eq!(place.sessions_for("platypus"), std::slice::from_ref(&id));
    let path = place.state.path().join(format!("sessions/{id}.jsonl"));
    let modified = std::fs::metadata(&path).unwrap().modified().unwrap();
    let mut file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let at = bytes.windows(8).position(|word| word == b"platypus").unwrap();
    file.seek(SeekFrom::Start(at as u64)).unwrap();
    file.write_all(b"PLATYPUS").unwrap();
    file.set_modified(modified).unwrap();
    assert!(place.sessions_for("platypus").is_empty(), "a record that is damaged by now is not shown");
}

#[test]
fn deleted_discarded_and_repaired_sessions() {
    let place = Place::new();
    let gone = place.say("/a", "quokka", "yes");
    let cleared = place.say("/a", "wombat", "yes");
    let other = place.say("/a", "numbat", "yes");
    for word in ["quokka", "wombat", "numbat"] {
        assert_eq!(place.sessions_for(word).len(), 1);
    }
    place.sessions.delete(gone.as_str()).unwrap();
    place.sessions.amend(cleared.as_str(), RecordBody::Discarded).unwrap();
    // Another file in its place, and longer: what was known of the old one is forgotten.
    let path = place.state.path().join(format!("sessions/{other}.jsonl"));
    let longer = place.say("/a", "bandicoot in the garden of another house", "yes, and more of it than before");
    let text = std::fs::read_to_string(place.state.path().join(format!("sessions/{longer}.jsonl"))).unwrap();
    std::fs::write(&path, text).unwrap();
    for word in ["quokka", "wombat", "numbat"] {
        assert!(place.sessions_for(word).is_empty(), "{word}");
    }
    assert_eq!(place.sessions_for("bandicoot").len(), 2);
}

#[test]
fn an_index_that_is_gone_spoilt_or_planted_is_made_anew() {
    let place = Place::new();
    for number in 0..40 {
        place.say("/a", &format!("the axolotl number {number}"), &format!("word{number} ").repeat(200));
    }
    let found = || assert_eq!(place.sessions_for("axolotl").len(), 8);
    found();
    let whole = std::fs::read(place.index()).unwrap();
    let clean = || {
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{end}", place.index().display()));
        }
    };
    clean();
    found();
    for spoilt in [b"rubbish".to_vec(), Vec::new(), vec![0; 8192], whole[..whole.len() / 2].to_vec()] {
        clean();
        std::fs::write(place.index(), &spoilt).unwrap();
        found();
    }
    // Every page in turn: whatever comes of it, the answer is right or the index is made anew.
    for page in 0..whole.len() / 4096 {
        clean();
        let mut spoilt = whole.clone();
        spoilt[page * 4096..(page + 1) * 4096].fill(0xa5);
        std::fs::write(place.index(), &spoilt).unwrap();
        found();
    }
    clean();
    std::fs::create_dir_all(place.index().join("folder")).unwrap();
    found();
    clean();
    let elsewhere = place.state.path().join("elsewhere");
    std::fs::write(&elsewhere, "mine").unwrap();
    std::os::unix::fs::symlink(&elsewhere, place.index()).unwrap();
    found();
    assert_eq!(std::fs::read(&elsewhere).unwrap(), b"mine", "what a planted link leads to is left alone");
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(place.index()).unwrap());
    assert_eq!(mode & 0o777, 0o600, "for its owner alone");
}

#[test]
fn secrets_are_neither_shown_nor_in_the_index() {
    let place = Place::new();
    place.say("/a", "the login is hunter2-hunter2 and sk-proj-aaaabbbbccccddddeeee for okapi", "ok");
    let hit = place.find("okapi", None).hits.remove(0);
    assert!(hit.text.contains("[redacted]") && !hit.text.contains("hunter2") && !hit.text.contains("aaaabbbb"));
    assert!(place.sessions_for("hunter2").is_empty() && place.sessions_for("aaaabbbbccccddddeeee").is_empty());
    let around = place.search().around(hit.session.as_str(), hit.record, 3).unwrap();
    assert!(around.lines.iter().all(|line| !line.text.contains("hunter2")), "{around:?}");
    let mut bytes = std::fs::read(place.index()).unwrap();
    bytes.extend(std::fs::read(format!("{}-wal", place.index().display())).unwrap_or_default());
    for secret in [&b"hunter2"[..], b"aaaabbbb"] {
        assert!(!bytes.windows(secret.len()).any(|found| found == secret));
    }
}

#[test]
fn a_window_around_a_record() {
    let place = Place::new();
    let id = place.add("/a", common::two_turns());
    let window = place.search().around(id.short(), RecordId(9), 2).unwrap();
    let shown: Vec<_> = window.lines.iter().map(|line| (line.record.0, line.by.clone(), line.text.as_str())).collect();
    assert_eq!(
        shown,
        [
            (7, Speaker::User, "hurry"),
            (8, Speaker::Model, "done"),
            (10, Speaker::User, "again"),
            (11, Speaker::Model, "look"),
            (12, Speaker::Tool, "bash: x"),
        ]
    );
    assert!(place.search().around(id.as_str(), RecordId(99), 2).is_err());
    place.sessions.amend(id.as_str(), RecordBody::Discarded).unwrap();
    assert!(place.search().around(id.as_str(), RecordId(9), 2).is_err(), "what was cleared is out of search");
}

#[test]
fn an_impatient_search_says_what_is_missing_and_the_next_one_goes_on() {
    let place = Place::new();
    for number in 0..20 {
        place.say("/a", &format!("tapir {number}"), "yes");
    }
    let none = place.find_with("tapir", None, |wanted| wanted.patience = Duration::ZERO);
    assert!(none.coverage.missing > 0 && none.coverage.sessions == 20, "{none:?}");
    assert_eq!(place.find("tapir", None).coverage.missing, 0);
    // Several at the same time: each gives the whole answer.
    std::fs::remove_file(place.index()).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(place.sessions_for("tapir").len(), 8));
        }
    });
}
