//! The usage ledger: whole after crashes and among many writers, made anew out of sessions.

use crate::common;

use common::{head, prompt, says};
use pretty_assertions::assert_eq;
use reasonix_proto::{Cost, Origin, Price, RecordBody, RecordId, SessionId, Usage};
use reasonix_session::{Entry, Ledger, Sessions};
use std::io::Write;
use std::sync::Arc;

fn entry(session: &str, record: u64) -> Entry {
    Entry {
        at: record,
        session: SessionId::from(session),
        record: RecordId(record),
        folder: "/work".into(),
        model: "local/m".into(),
        usage: Usage { input: 10, output: 2, ..Usage::default() },
        cost: Some(Cost { spent: 5, saved: 1, currency: "USD".into() }),
        kind: None,
        agent: None,
        child: None,
        parent: None,
    }
}

fn price(_model: &str) -> Option<Price> {
    Some(Price { input: 1.0, cached: 0.1, output: 2.0, write: None, currency: "USD".into() })
}

#[test]
fn a_torn_line_costs_itself_only() {
    let home = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(home.path());
    assert_eq!(ledger.read().unwrap().entries, []);
    ledger.append(&entry("a", 1)).unwrap();
    let mut file = std::fs::OpenOptions::new().append(true).open(ledger.path()).unwrap();
    file.write_all(b"{\"at\":3,\"session\":\"a\",\"rec").unwrap();
    ledger.append(&entry("a", 2)).unwrap();
    ledger.append(&entry("a", 2)).unwrap();
    let books = ledger.read().unwrap();
    assert_eq!(books.entries, [entry("a", 1), entry("a", 2)], "the same request counts once");
    assert_eq!(books.damaged, 1);
    let flipped = std::fs::read_to_string(ledger.path()).unwrap().replacen("\"input\":10", "\"input\":99", 1);
    std::fs::write(ledger.path(), flipped).unwrap();
    assert_eq!(ledger.read().unwrap().entries, [entry("a", 2)], "a figure that was changed is no figure");
}

#[test]
fn many_writers_lose_nothing() {
    let home = Arc::new(tempfile::tempdir().unwrap());
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let home = Arc::clone(&home);
            std::thread::spawn(move || {
                let ledger = Ledger::at(home.path());
                (1..=200).for_each(|record| ledger.append(&entry(&format!("s{writer}"), record)).unwrap());
            })
        })
        .collect();
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    let books = Ledger::at(home.path()).read().unwrap();
    assert_eq!((books.entries.len(), books.damaged), (1600, 0));
}

#[tokio::test]
async fn it_is_made_anew_out_of_sessions_and_keeps_what_is_gone() {
    let home = tempfile::tempdir().unwrap();
    let (sessions, ledger) = (Sessions::at(home.path()), Ledger::at(home.path()));
    let opened = sessions.create(head("/work")).unwrap();
    let RecordBody::Session(made) = opened.head.body.clone() else { panic!() };
    opened.journal.append(prompt(1, "hi")).await.unwrap();
    let answered = opened.journal.append(says(1, 1, "hello", &[])).await.unwrap();
    drop(opened);
    ledger.append(&entry("deleted", 3)).unwrap();
    assert_eq!(ledger.catch_up(&sessions, price).unwrap(), 1);
    assert_eq!(ledger.catch_up(&sessions, price).unwrap(), 0, "what is there is not added again");
    let books = ledger.read().unwrap();
    assert_eq!(books.entries[0], entry("deleted", 3));
    let found = &books.entries[1];
    assert_eq!((found.record, found.folder.as_str(), found.usage.input), (answered.id, "/work", 100));
    assert_eq!(found.cost.as_ref().unwrap().spent, 75, "50 fresh, 50 cached, 10 out");

    sessions.fork(made.session.as_str(), None, head("/work")).unwrap();
    let imported = Origin::Import { program: "x".into(), name: "y".into() };
    let foreign = reasonix_proto::SessionHead { from: Some(imported), ..head("/else") };
    sessions.import(foreign, vec![(1, prompt(1, "hi")), (2, says(1, 1, "hello", &[]))]).unwrap();
    assert_eq!(ledger.catch_up(&sessions, price).unwrap(), 0, "copies were not spent again");

    std::fs::remove_file(ledger.path()).unwrap();
    assert_eq!(ledger.catch_up(&sessions, price).unwrap(), 1, "deleted, and made anew");
}
