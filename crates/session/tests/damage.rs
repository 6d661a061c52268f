//! Damaged files of every kind open with what is whole, and say what is not.

use crate::common;

use common::{assert_valid, head, two_turns};
use reasonix_proto::{Message, Record, SessionId};
use reasonix_session::Sessions;
use std::path::{Path, PathBuf};

struct Made {
    state: tempfile::TempDir,
    id: SessionId,
    records: Vec<Record>,
}

impl Made {
    async fn new() -> Self {
        let state = common::folder().unwrap();
        let opened = Sessions::at(state.path()).create(head("/work")).unwrap();
        for body in two_turns() {
            opened.journal.append(body).await.unwrap();
        }
        let id = opened.past.history().unwrap().head.unwrap().session;
        let records = opened.past.all().unwrap();
        drop(opened);
        Self { state, id, records }
    }

    fn log(&self) -> PathBuf {
        Path::new(self.state.path()).join("sessions").join(format!("{}.jsonl", self.id))
    }

    /// Damages the file; gives how many of the records it had are still there, and the codes of what is said. The
    /// conversation is valid whatever happened, and a repaired file has nothing left to say.
    fn damaged(&self, damage: impl FnOnce(Vec<u8>) -> Vec<u8>) -> (usize, Vec<String>) {
        let whole = std::fs::read(self.log()).unwrap();
        std::fs::write(self.log(), damage(whole.clone())).unwrap();
        let sessions = Sessions::at(self.state.path());
        let listed = sessions.list().unwrap();
        assert_eq!(listed.len(), 1, "it is listed");
        let seen = sessions.look(self.id.as_str()).unwrap();
        let looked: Vec<String> = seen.notices.iter().map(|phrase| phrase.code.to_string()).collect();
        let opened = sessions.open(self.id.as_str(), |_| {}).unwrap();
        assert_valid(&opened.past.history().unwrap().messages);
        assert_answered(&opened.history.messages);
        let found = opened.past.all().unwrap();
        let kept = self.records.iter().filter(|record| found.contains(record)).count();
        let said: Vec<String> = opened.notices.iter().map(|phrase| phrase.code.to_string()).collect();
        assert_eq!(looked.is_empty(), said.is_empty(), "looking says it too: {looked:?} {said:?}");
        drop(opened);
        sessions.repair(self.id.as_str(), || head("/work")).unwrap();
        let repaired = sessions.open(self.id.as_str(), |_| {}).unwrap();
        assert!(repaired.notices.is_empty(), "{:?}", repaired.notices);
        assert_valid(&repaired.past.history().unwrap().messages);
        drop(repaired);
        std::fs::write(self.log(), whole).unwrap();
        (kept, said)
    }
}

/// The next prompt must not follow a prompt.
fn assert_answered(messages: &[Message]) {
    assert!(!matches!(messages.last(), Some(Message::User { .. })), "{messages:?}");
}

fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

#[tokio::test]
async fn every_kind_of_damage_costs_what_it_hit_and_is_said() {
    let made = Made::new().await;
    let all = made.records.len();
    let (kept, said) = made.damaged(|bytes| bytes);
    assert_eq!((kept, said.len()), (all, 0), "nothing is wrong");

    // Cut in the middle of the last line.
    let (kept, said) = made.damaged(|bytes| bytes[..bytes.len() - 10].to_vec());
    assert_eq!(kept, all - 1);
    assert!(!said.is_empty());

    // One flipped bit in the middle of each line but the first.
    for line in 1..all {
        let (kept, said) = made.damaged(|bytes| {
            let mut all = lines(&bytes);
            let middle = all[line].len() / 2;
            all[line][middle] ^= 4;
            all.concat()
        });
        assert_eq!((kept, said.is_empty()), (all - 1, false), "line {line}");
    }

    // A second writer went past the lock: the same numbers twice, between each other.
    let (kept, said) = made.damaged(|bytes| {
        let all = lines(&bytes);
        let others = all[3..6].to_vec();
        [&all[..5], &others, &all[5..]].concat().concat()
    });
    assert_eq!(kept, all);
    assert!(!said.is_empty(), "the double numbers are said");

    // Records of a version that is not here yet are kept and no damage.
    let (kept, said) = made.damaged(|bytes| {
        let last = made.records.last().unwrap().id.0;
        let body = format!(
            "{{\"id\":{},\"parent\":{last},\"at\":9999999999999,\"kind\":\"from_tomorrow\",\"x\":[1]",
            last + 1
        );
        let line = format!("{body},\"crc\":\"{:08x}\"}}\n", crc32fast::hash(body.as_bytes()));
        [bytes, line.into_bytes()].concat()
    });
    assert_eq!((kept, said.is_empty()), (all, true), "{said:?}");

    // An editor put a byte order mark before it.
    let (kept, said) = made.damaged(|bytes| [b"\xef\xbb\xbf".to_vec(), bytes].concat());
    assert_eq!((kept, said.is_empty()), (all, false));

    // Zeros, as some file systems leave them after a power cut: at the end, and in the place of a line.
    let (kept, said) = made.damaged(|bytes| [bytes, vec![0; 4096]].concat());
    assert_eq!((kept, said.is_empty()), (all, false));
    let (kept, said) = made.damaged(|bytes| {
        let mut all = lines(&bytes);
        all[4].fill(0);
        all.concat()
    });
    assert!(kept >= all - 2 && !said.is_empty(), "a lost line end takes the next line with it at most: {kept}");
}

#[tokio::test]
async fn lines_that_are_missing_doubled_swapped_or_endless_are_said_too() {
    let made = Made::new().await;
    let all = made.records.len();
    // Each line but the first gone, doubled, and in the place of the one before it. That the last line is gone nobody
    // can know.
    for line in 1..all {
        let (kept, said) = made.damaged(|bytes| {
            let mut all = lines(&bytes);
            all.remove(line);
            all.concat()
        });
        assert_eq!((kept, said.is_empty()), (all - 1, line == all - 1), "line {line} is gone");
        let (kept, said) = made.damaged(|bytes| {
            let mut all = lines(&bytes);
            all.insert(line, all[line].clone());
            all.concat()
        });
        assert_eq!((kept, said.is_empty()), (all, false), "line {line} is there twice");
        if line > 1 {
            let (kept, said) = made.damaged(|bytes| {
                let mut all = lines(&bytes);
                all.swap(line, line - 1);
                all.concat()
            });
            assert_eq!((kept, said.is_empty()), (all, false), "line {line} comes too early");
        }
    }

    // A line that no record can have.
    let (kept, said) = made.damaged(|bytes| {
        let mut all = lines(&bytes);
        let mut long = vec![b' '; 65 * 1024 * 1024];
        long.push(b'\n');
        all.insert(3, long);
        all.concat()
    });
    assert_eq!((kept, said), (all, vec!["session.line_skipped".to_owned()]));
}

#[tokio::test]
async fn a_damaged_prompt_or_answer_leaves_a_conversation_in_order_before_and_after_repair() {
    use common::{ended, prompt, says};
    let state = common::folder().unwrap();
    let sessions = Sessions::at(state.path());
    let opened = sessions.create(head("/work")).unwrap();
    let turns = (1..4).flat_map(|turn| [prompt(turn, "ask"), says(turn, 1, "answer", &[]), ended(turn)]);
    for body in turns {
        opened.journal.append(body).await.unwrap();
    }
    let id = opened.past.history().unwrap().head.unwrap().session;
    drop(opened);
    let log = state.path().join("sessions").join(format!("{id}.jsonl"));
    let whole = std::fs::read(&log).unwrap();
    for line in 1..10 {
        let mut all = lines(&whole);
        let middle = all[line].len() / 2;
        all[line][middle] ^= 1;
        std::fs::write(&log, all.concat()).unwrap();
        assert!(!sessions.look(id.as_str()).unwrap().damage.is_none());
        assert_eq!(sessions.repair(id.as_str(), || head("/work")).unwrap(), Some(1));
        let seen = sessions.look(id.as_str()).unwrap();
        assert!(seen.damage.is_none(), "{:?}", seen.damage);
        let repaired = sessions.open(id.as_str(), |_| {}).unwrap();
        assert_valid(&repaired.history.messages);
        assert_answered(&repaired.history.messages);
        drop(repaired);
        let again = sessions.open(id.as_str(), |_| {}).unwrap();
        assert_valid(&again.history.messages);
    }
}

#[test]
fn a_pipe_or_an_endless_line_among_the_sessions_is_passed_over() {
    let state = common::folder().unwrap();
    let folder = state.path().join("sessions");
    std::fs::create_dir(&folder).unwrap();
    let long = std::fs::File::create(folder.join(format!("{}1.jsonl", "0".repeat(31)))).unwrap();
    long.set_len(300 * 1024 * 1024).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        folder.join(format!("{}2.jsonl", "0".repeat(31))),
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    let sessions = Sessions::at(state.path());
    assert_eq!(sessions.list().unwrap().len(), 1, "the pipe is none");
    assert!(sessions.look(&format!("{}1", "0".repeat(31))).is_err());
    // How much this process ever had in memory at once.
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < 290 * 1024, "{peak} kB");
}
