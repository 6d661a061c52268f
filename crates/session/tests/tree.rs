//! Sessions as trees on disk: moving, copying, naming, and files that something happened to.

use crate::common;

use common::{assert_valid, did, ended, head, prompt, says};
use reasonix_proto::{Message, MoveReason, Origin, Record, RecordBody, RecordId, SessionId, TreeFilter};
use reasonix_session::{Ending, Opened, SessionError, Sessions};
use std::path::{Path, PathBuf};

struct Place {
    state: tempfile::TempDir,
    sessions: Sessions,
}

impl Place {
    fn new() -> Self {
        let state = tempfile::tempdir().unwrap();
        Self { sessions: Sessions::at(state.path()), state }
    }

    fn log(&self, id: &SessionId) -> PathBuf {
        self.state.path().join("sessions").join(format!("{id}.jsonl"))
    }

    fn open(&self, id: &SessionId) -> Opened {
        self.sessions.open(id.as_str(), |_| {}).unwrap()
    }

    /// Two turns, closed.
    async fn two_turns(&self) -> (SessionId, Vec<Record>) {
        let head = head("/work");
        let id = head.session.clone();
        let opened = self.sessions.create(head).unwrap();
        for body in
            [prompt(1, "one"), says(1, 1, "uno", &[]), ended(1), prompt(2, "two"), says(2, 1, "dos", &[]), ended(2)]
        {
            opened.journal.append(body).await.unwrap();
        }
        (id, opened.past.all().unwrap())
    }
}

fn texts(messages: &[Message]) -> Vec<String> {
    messages
        .iter()
        .map(|message| match message {
            Message::User { text, .. } | Message::Assistant { text, .. } => text.clone(),
            Message::Tool { content, .. } => content.words().into_owned(),
        })
        .collect()
}

#[tokio::test]
async fn the_leaf_moves_and_nothing_is_lost() {
    let place = Place::new();
    let (id, records) = place.two_turns().await;
    let opened = place.open(&id);
    let moved = RecordBody::Moved { to: records[3].id, why: MoveReason::Rewind };
    let record = opened.journal.append(moved).await.unwrap();
    assert_eq!(record.parent, Some(records[3].id), "the place is the parent");
    opened.journal.append(prompt(3, "three")).await.unwrap();
    assert_eq!(texts(&opened.past.history().unwrap().messages), ["one", "uno", "three"]);
    drop(opened);
    let again = place.open(&id);
    assert_eq!(texts(&again.history.messages), ["one", "uno", "three", "[interrupted]"]);
    assert_eq!(again.past.all().unwrap()[..records.len()], records, "every record is still there");
    assert_eq!(again.past.turns(), 3);
    let tree = again.past.tree(TreeFilter::Default, "");
    let shown: Vec<_> = tree.nodes.iter().map(|node| (node.text.as_str(), node.active, node.depth)).collect();
    let wanted = [
        ("one", true, 0),
        ("uno", true, 0),
        ("three", true, 0),
        ("[interrupted]", true, 0),
        ("two", false, 1),
        ("dos", false, 1),
    ];
    assert_eq!(shown, wanted);
    assert_eq!(again.past.tree(TreeFilter::UserOnly, "TW").nodes.len(), 1);
    assert_eq!(again.past.page(Some(1), 2).unwrap().records.len(), 2);
}

#[tokio::test]
async fn a_fork_is_a_copy_with_its_labels_and_its_origin() {
    let place = Place::new();
    let (id, records) = place.two_turns().await;
    place.sessions.amend(id.as_str(), RecordBody::Labelled { record: records[2].id, label: "good".into() }).unwrap();
    place.sessions.amend(id.as_str(), RecordBody::Titled { title: "Mine".into(), by_user: true }).unwrap();
    // A record of a kind from the future comes along as it is.
    let before = std::fs::read(place.log(&id)).unwrap();
    let fork = place.sessions.fork(id.as_str(), Some(records[3].id), head("/work")).unwrap();
    assert_eq!(std::fs::read(place.log(&id)).unwrap(), before, "the other one is not touched");
    let copy = place.open(&fork);
    assert_eq!(texts(&copy.history.messages), ["one", "uno"]);
    assert_eq!(copy.history.head.as_ref().unwrap().session, fork);
    let from = Origin::Fork { session: id.clone(), record: records[3].id };
    assert_eq!(copy.history.head.as_ref().unwrap().from, Some(from));
    assert_eq!(copy.past.marks().labels.get(&records[2].id).map(String::as_str), Some("good"));
    let missing = place.sessions.fork(id.as_str(), Some(RecordId(99)), head("/work"));
    assert!(matches!(missing, Err(SessionError::NoRecord { .. })));
    let elsewhere = place.sessions.fork(id.as_str(), None, head("/other")).unwrap();
    assert_eq!(place.sessions.latest(Path::new("/other")).unwrap(), Some(elsewhere));
}

#[tokio::test]
async fn titles_and_discarding_show_in_the_list() {
    let place = Place::new();
    let (id, _) = place.two_turns().await;
    let only = |sessions: &Sessions| sessions.list().unwrap().into_iter().next();
    assert_eq!(only(&place.sessions).unwrap().title, "one");
    place.sessions.amend(id.as_str(), RecordBody::Titled { title: "Mine".into(), by_user: true }).unwrap();
    place.sessions.amend(id.as_str(), RecordBody::Titled { title: "Plan".into(), by_user: false }).unwrap();
    let listed = only(&place.sessions).unwrap();
    assert_eq!((listed.title.as_str(), listed.turns), ("Mine", 2));
    // The index may be lost or spoilt at any time.
    let index = place.state.path().join("sessions/.index");
    assert!(index.exists());
    for spoilt in ["", "{\"v\":1,\"files\":{\"x\":", "{\"v\":99,\"files\":{}}"] {
        std::fs::write(&index, spoilt).unwrap();
        assert_eq!(only(&place.sessions).unwrap(), listed);
    }
    std::fs::remove_file(&index).unwrap();
    assert_eq!(only(&place.sessions).unwrap(), listed);
    place.sessions.amend(id.as_str(), RecordBody::Discarded).unwrap();
    assert_eq!(only(&place.sessions), None);
    assert_eq!(place.sessions.latest(Path::new("/work")).unwrap(), None);
    assert_eq!(place.sessions.delete(id.as_str()).unwrap(), id);
    assert!(!place.log(&id).exists());
}

#[tokio::test]
async fn each_terminal_has_its_own() {
    let place = Place::new();
    let (first, _) = place.two_turns().await;
    let (second, _) = place.two_turns().await;
    let work = Path::new("/work");
    place.sessions.leave_crumb("/dev/pts/1", work, &first);
    place.sessions.leave_crumb("/dev/pts/2", work, &second);
    assert_eq!(place.sessions.crumb_of("/dev/pts/1", work), Some(first.clone()));
    assert_eq!(place.sessions.crumb_of("/dev/pts/2", work), Some(second));
    assert_eq!(place.sessions.crumb_of("/dev/pts/1", Path::new("/other")), None);
    assert_eq!(place.sessions.crumb_of("/dev/pts/9", work), None);
    place.sessions.delete(first.as_str()).unwrap();
    assert_eq!(place.sessions.crumb_of("/dev/pts/1", work), None, "a session that is gone is not gone on with");
}

#[tokio::test]
async fn every_repair_keeps_the_file_it_replaces() {
    let place = Place::new();
    let (id, _) = place.two_turns().await;
    let path = place.log(&id);
    for rubbish in ["one", "two", "three"] {
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, whole.replacen('\n', &format!("\n{rubbish}\n"), 1)).unwrap();
        assert_eq!(place.sessions.repair(id.as_str(), || head("/work")).unwrap(), Some(1));
    }
    let folder = path.parent().unwrap();
    let beside =
        || std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|other| *other != path);
    let kept: String = beside().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    assert!(["one", "two", "three"].iter().all(|rubbish| kept.contains(&format!("\n{rubbish}\n"))), "{kept}");
    place.sessions.delete(id.as_str()).unwrap();
    assert_eq!(beside().count(), 0, "they go with the session");
}

/// Opens what is whole and says what is not, whatever happened to the file.
#[tokio::test]
async fn damage_of_every_kind() {
    let place = Place::new();
    let (id, records) = place.two_turns().await;
    let path = place.log(&id);
    let whole = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let flipped = whole.replacen("uno", "unp", 1);
    let nul = whole.replacen("\"dos\"", "\"d\0s\"", 1);
    let joined = lines[..4].join("\n") + lines[4] + "\n" + &lines[5..].join("\n") + "\n";
    // Two processes that both went on after record 4.
    let doubled = whole.clone() + lines[4] + "\n" + lines[5] + "\n";
    let future = whole.clone() + &sealed(r#"{"id":90,"parent":7,"at":9999999999999,"kind":"hologram","depth":3"#);
    let zeros = whole.clone() + &"\0".repeat(100);
    let crlf = whole.replace('\n', "\r\n");
    for (what, text, kept, codes) in [
        ("byte order mark", format!("\u{feff}{whole}"), 7, vec!["session.edited"]),
        ("other line ends", crlf, 7, vec!["session.edited"]),
        ("a flipped bit", flipped, 6, vec!["session.line_skipped"]),
        ("a NUL byte", nul, 6, vec!["session.line_skipped"]),
        ("a lost newline", joined, 5, vec!["session.line_skipped"]),
        ("two writers", doubled, 9, vec!["session.two_writers"]),
        ("a kind of tomorrow", future, 8, vec![]),
        ("zeros after a power cut", zeros, 7, vec!["session.torn"]),
        ("an empty line", whole.replacen('\n', "\n\n", 1), 7, vec!["session.line_skipped"]),
        ("rubbish between", whole.replacen('\n', "\n\u{fffd}\u{fffd}rubbish\n", 1), 7, vec!["session.line_skipped"]),
    ] {
        std::fs::write(&path, &text).unwrap();
        let _ = std::fs::remove_file(path.with_extension("torn"));
        assert_ne!(place.sessions.list().unwrap()[0].ending, Ending::Broken, "{what}");
        let opened = place.open(&id);
        let found: Vec<_> = opened.notices.iter().map(|phrase| phrase.code.to_string()).collect();
        assert_eq!(found, codes, "{what}");
        assert!(opened.past.all().unwrap().len() >= kept, "{what}");
        assert_valid(&opened.history.messages);
        let alternates = opened
            .history
            .messages
            .windows(2)
            .all(|pair| !matches!((&pair[0], &pair[1]), (Message::User { .. }, Message::User { .. })));
        assert!(alternates, "{what}: {:?}", texts(&opened.history.messages));
        let next = opened.journal.append(prompt(9, "on")).await.unwrap();
        assert!(next.id > records.last().unwrap().id, "{what}");
        drop(opened);
        place.open(&id);
        // Repairing leaves nothing to complain about, and nothing out that was whole.
        std::fs::write(&path, &text).unwrap();
        let before = place.sessions.look(id.as_str()).unwrap().past.all().unwrap().len();
        let damaged = !place.sessions.look(id.as_str()).unwrap().damage.is_none();
        let repaired = place.sessions.repair(id.as_str(), || head("/work")).unwrap();
        assert_eq!(repaired.is_some(), damaged, "{what}");
        let after = place.sessions.look(id.as_str()).unwrap();
        assert!(after.damage.is_none(), "{what}: {:?}", after.damage);
        assert_eq!(after.past.all().unwrap().len(), before, "{what}");
    }
}

#[tokio::test]
async fn a_file_without_its_first_line_can_be_repaired() {
    let place = Place::new();
    let (id, _) = place.two_turns().await;
    let path = place.log(&id);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.split_once('\n').unwrap().1).unwrap();
    assert!(matches!(place.sessions.open(id.as_str(), |_| {}), Err(SessionError::Broken { .. })));
    assert_eq!(place.sessions.repair(id.as_str(), || head("/work")).unwrap(), Some(0));
    assert_eq!(texts(&place.open(&id).history.messages), ["one", "uno", "two", "dos"]);
    assert!(path.with_extension("damaged").exists(), "the old file is kept");
}

#[tokio::test]
async fn torn_bytes_are_not_written_through_a_link() {
    let place = Place::new();
    let (id, _) = place.two_turns().await;
    let path = place.log(&id);
    let precious = place.state.path().join("precious");
    std::fs::write(&precious, "mine").unwrap();
    std::os::unix::fs::symlink(&precious, path.with_extension("torn")).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text + "{\"id\":9,\"par").unwrap();
    assert!(matches!(place.sessions.open(id.as_str(), |_| {}), Err(SessionError::Io { .. })));
    assert_eq!(std::fs::read_to_string(&precious).unwrap(), "mine");
    assert!(std::fs::read_to_string(&path).unwrap().ends_with("par"), "nothing is cut off before it is kept");
}

#[tokio::test]
async fn a_session_is_found_by_its_file_and_others_are_to_be_imported() {
    let place = Place::new();
    let (id, _) = place.two_turns().await;
    let path = place.log(&id);
    assert_eq!(place.sessions.find(path.to_str().unwrap()).unwrap(), id);
    let other = place.state.path().join("elsewhere.jsonl");
    std::fs::write(&other, "{}").unwrap();
    assert!(matches!(place.sessions.find(other.to_str().unwrap()), Err(SessionError::Elsewhere { .. })));
    assert!(matches!(place.sessions.find("/nowhere/x.jsonl"), Err(SessionError::NotFound { .. })));
}

#[tokio::test]
async fn a_move_into_the_middle_of_a_turn_gives_a_valid_conversation() {
    let place = Place::new();
    let head = head("/work");
    let id = head.session.clone();
    let opened = place.sessions.create(head).unwrap();
    let mut ids = Vec::new();
    for body in
        [prompt(1, "go"), says(1, 1, "", &["a", "b"]), did("a", "x"), did("b", "y"), says(1, 2, "done", &[]), ended(1)]
    {
        ids.push(opened.journal.append(body).await.unwrap().id);
    }
    for (to, messages) in [(ids[1], 4), (ids[2], 4), (ids[3], 4), (ids[0], 1), (RecordId(1), 0)] {
        let history = opened.past.history_at(to).unwrap().unwrap();
        assert_valid(&history.messages);
        assert_eq!(history.messages.len(), messages, "{to}");
    }
    assert!(opened.past.history_at(RecordId(77)).unwrap().is_none());
    drop(opened);
    assert_eq!(place.open(&id).history.messages.len(), 5);
}

fn sealed(body: &str) -> String {
    format!("{body},\"crc\":\"{:08x}\"}}\n", crc32fast::hash(body.as_bytes()))
}

/// What was asked stands on the branch that was left; the next request is held against it all the same.
#[tokio::test]
async fn a_move_before_everything_that_was_asked_knows_what_was_asked() {
    let place = Place::new();
    let (id, records) = place.two_turns().await;
    let opened = place.open(&id);
    let asked = |step: u32, hash: &str| {
        let entry = serde_json::json!({
            "turn": 3, "step": step, "model": "p/m", "tools": "t", "system": "s", "hash": hash, "bytes": 100, "same": 0,
        });
        RecordBody::Requested(Box::new(serde_json::from_value(entry).unwrap()))
    };
    opened.journal.append(asked(1, "the last")).await.unwrap();
    opened.journal.append(asked(0, "beside it")).await.unwrap();
    assert_eq!(opened.past.history().unwrap().requested.map(|asked| asked.hash).as_deref(), Some("the last"));
    let moved = RecordBody::Moved { to: records[0].id, why: MoveReason::Branch };
    opened.journal.append(moved).await.unwrap();
    drop(opened);
    let history = place.open(&id).history;
    assert_eq!(texts(&history.messages), Vec::<String>::new());
    assert_eq!(history.requested.map(|asked| asked.hash).as_deref(), Some("the last"));
    assert_eq!(history.broke, Some(reasonix_proto::Break::Branch));
}
