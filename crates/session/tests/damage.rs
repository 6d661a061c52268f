//! Damaged files of every kind open with what is whole, and say what is not.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use common::{assert_valid, head, two_turns};
use reasonix_proto::{Record, SessionId};
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
