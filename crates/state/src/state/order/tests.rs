//! Many who write at the same time, some of whom give up on it, over a journal that answers in any order.

use crate::state::{Book, Observer, SessionState};
use futures_util::FutureExt;
use proptest::prelude::*;
use reasonix_agent::{BoxFuture, Journal, JournalError, Sink};
use reasonix_proto::{Event, Mode, Record, RecordBody, RecordId};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::yield_now;

/// A log that says later that something is written, and not in the order in which it is.
struct Slow {
    log: Mutex<Vec<RecordBody>>,
    delays: Vec<u8>,
    told: Mutex<Vec<u64>>,
}

impl Journal for Slow {
    fn append(&self, body: RecordBody) -> BoxFuture<'static, Result<Record, JournalError>> {
        let mut log = self.log.lock().unwrap();
        log.push(body.clone());
        let id = log.len();
        let delay = self.delays[id % self.delays.len()];
        Box::pin(async move {
            for _ in 0..delay {
                yield_now().await;
            }
            Ok(Record { id: RecordId(id as u64), parent: None, at: 0, body })
        })
    }
}

impl Sink for Slow {
    fn emit(&self, event: Event) {
        let Event::Changed { record } = event else { panic!("{event:?}") };
        self.told.lock().unwrap().push(record.id.0);
    }
}

type Seen = Arc<Mutex<Vec<(u64, String)>>>;

/// Writes down what it sees, and has two things to say about each third prompt, and one about the first of these.
struct Sees(Seen);

fn title(title: String) -> RecordBody {
    RecordBody::Titled { title, by_user: false }
}

impl Observer for Sees {
    fn after(&mut self, record: &Record, state: &SessionState) -> Vec<RecordBody> {
        let mut seen = self.0.lock().unwrap();
        match &record.body {
            RecordBody::Prompt { turn, .. } => {
                assert_eq!(state.turn, *turn, "the state is the one behind the record");
                seen.push((record.id.0, turn.to_string()));
                let says = |what: &str| title(format!("{turn} {what}"));
                if turn % 3 == 0 { vec![says("a"), says("b")] } else { Vec::new() }
            }
            RecordBody::Titled { title: said, .. } => {
                seen.push((record.id.0, said.clone()));
                if said.ends_with(" a") { vec![title(format!("{said}a"))] } else { Vec::new() }
            }
            other => panic!("{other:?}"),
        }
    }
}

fn prompt(turn: u32) -> RecordBody {
    RecordBody::Prompt { turn, text: String::new(), typed: None, images: Vec::new() }
}

/// What stands in the log because of one prompt.
fn because_of(turn: u32) -> Vec<String> {
    let behind = if turn.is_multiple_of(3) { vec![" a", " aa", " b"] } else { Vec::new() };
    std::iter::once("").chain(behind).map(|what| format!("{turn}{what}")).collect()
}

fn those_of(turn: u32, seen: &[(u64, String)]) -> Vec<String> {
    let own = |said: &str| said.split(' ').next() == Some(&turn.to_string());
    seen.iter().filter(|(_, said)| own(said)).map(|(_, said)| said.clone()).collect()
}

/// Writes its prompts one after the other. One that is given up on was handed in, and looked after once or never.
async fn write(book: Arc<Book>, seen: Seen, writer: u32, gives_up: Vec<u8>) {
    for (place, gives_up) in gives_up.into_iter().enumerate() {
        let turn = writer * 100 + place as u32;
        let writing = book.append(prompt(turn));
        match gives_up {
            0 => drop(writing),
            1 => drop(writing.now_or_never()),
            _ => {
                let record = writing.await.unwrap();
                assert!(matches!(record.body, RecordBody::Prompt { turn: own, .. } if own == turn));
                assert_eq!(
                    those_of(turn, &seen.lock().unwrap()),
                    because_of(turn),
                    "all of it is there when it returns"
                );
            }
        }
    }
}

async fn all_write(delays: Vec<u8>, writers: Vec<Vec<u8>>) {
    let log = Arc::new(Slow { log: Mutex::default(), delays, told: Mutex::default() });
    let state = SessionState::new("p/m".into(), None, Mode::Build);
    let (book, seen) = (Book::new(log.clone(), watch::Sender::new(state), log.clone()), Seen::default());
    book.observe(Sees(seen.clone()));
    let work = writers
        .iter()
        .enumerate()
        .map(|(writer, gives_up)| tokio::spawn(write(book.clone(), seen.clone(), writer as u32, gives_up.clone())));
    for work in work.collect::<Vec<_>>() {
        work.await.unwrap();
    }
    let turns = || writers.iter().zip(0..).flat_map(|(of, writer)| (0..of.len() as u32).map(move |n| writer * 100 + n));
    let wanted: usize = turns().map(|turn| because_of(turn).len()).sum();
    // What was given up on is applied by nobody who is waited for here.
    while seen.lock().unwrap().len() < wanted {
        yield_now().await;
    }
    let seen = seen.lock().unwrap().clone();
    let ids: Vec<u64> = seen.iter().map(|(id, _)| *id).collect();
    assert_eq!(ids, (1..=wanted as u64).collect::<Vec<_>>(), "every record once, in the order of the log");
    assert_eq!(log.log.lock().unwrap().len(), wanted);
    turns().for_each(|turn| assert_eq!(those_of(turn, &seen), because_of(turn)));
    let told = log.told.lock().unwrap().clone();
    assert!(told.is_sorted(), "what observers had written is told in its order: {told:?}");
    assert_eq!(told.len(), wanted - turns().count());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn records_are_applied_in_the_order_of_the_log(
        delays in prop::collection::vec(0..12_u8, 1..9),
        writers in prop::collection::vec(prop::collection::vec(0..8_u8, 1..6), 1..9),
        threads in 1..4_usize,
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_time().build().unwrap();
        let all = runtime.block_on(async move {
            tokio::time::timeout(Duration::from_secs(60), all_write(delays, writers)).await
        });
        prop_assert!(all.is_ok(), "somebody waits for ever");
    }
}
