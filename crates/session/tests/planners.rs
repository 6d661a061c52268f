//! A planner's log belongs to the sessions that name it: it goes with the last of them, and what it spent counts.

use crate::common;

use common::{ended, head, prompt, says};
use reasonix_proto::{PlannerTurn, Price, RecordBody, SessionId, Usage};
use reasonix_session::{Ledger, Opened, Sessions};
use std::path::Path;

fn id_of(opened: &Opened) -> SessionId {
    let RecordBody::Session(head) = &opened.head.body else { panic!() };
    head.session.clone()
}

fn planned_by(session: &str) -> RecordBody {
    RecordBody::Planner(Box::new(PlannerTurn {
        session: SessionId::from(session),
        model: "local/large".into(),
        prompt: Some("plan it".into()),
        end: None,
        steps: 0,
        usage: Usage::default(),
        cost: None,
    }))
}

async fn write(sessions: &Sessions, bodies: Vec<RecordBody>) -> SessionId {
    let opened = sessions.create(head("/work")).unwrap();
    for body in bodies {
        opened.journal.append(body).await.unwrap();
    }
    id_of(&opened)
}

async fn planner(sessions: &Sessions) -> SessionId {
    write(&sessions.planners(), vec![prompt(1, "plan it"), says(1, 1, "a plan", &[]), ended(1)]).await
}

fn has(state: &Path, planner: &SessionId) -> bool {
    state.join("planners/sessions").join(format!("{planner}.jsonl")).exists()
}

#[tokio::test]
async fn deleting_a_session_deletes_its_planners_but_no_others() {
    let state = tempfile::tempdir().unwrap();
    let sessions = Sessions::at(state.path());
    let (own, shared, other) = (planner(&sessions).await, planner(&sessions).await, planner(&sessions).await);
    let turn = vec![
        prompt(1, "do it"),
        planned_by(own.as_str()),
        planned_by(shared.as_str()),
        // A log may say anything.
        planned_by("../../precious"),
        says(1, 1, "done", &[]),
        ended(1),
    ];
    std::fs::write(state.path().join("precious.jsonl"), "mine").unwrap();
    let first = write(&sessions, turn).await;
    let fork = sessions.fork(first.as_str(), None, head("/work")).unwrap();
    let apart = write(&sessions, vec![prompt(1, "x"), planned_by(other.as_str())]).await;
    std::fs::write(state.path().join(format!("planners/sessions/{own}.wire")), "").unwrap();
    assert_eq!(sessions.planners_of(&first).unwrap().len(), 2);
    assert_eq!(sessions.planners_of_none().unwrap(), []);

    sessions.delete(first.as_str()).unwrap();
    assert!(has(state.path(), &own) && has(state.path(), &shared), "a copy of the session still has them");
    sessions.delete(fork.as_str()).unwrap();
    assert!(!has(state.path(), &own) && !has(state.path(), &shared));
    assert!(!state.path().join(format!("planners/sessions/{own}.wire")).exists(), "with what lies beside it");
    assert!(has(state.path(), &other) && state.path().join("precious.jsonl").exists());
    std::fs::remove_file(state.path().join(format!("sessions/{apart}.jsonl"))).unwrap();
    assert_eq!(sessions.planners_of_none().unwrap(), [other], "what a person deleted by hand is found");
}

#[tokio::test]
async fn a_planner_in_use_is_not_taken_away() {
    let state = tempfile::tempdir().unwrap();
    let sessions = Sessions::at(state.path());
    let opened = sessions.planners().create(head("/work")).unwrap();
    opened.journal.append(prompt(1, "plan it")).await.unwrap();
    let session = write(&sessions, vec![prompt(1, "x"), planned_by(id_of(&opened).as_str())]).await;
    assert!(sessions.delete(session.as_str()).is_err());
    assert!(state.path().join(format!("sessions/{session}.jsonl")).exists(), "nothing is half deleted");
}

#[tokio::test]
async fn what_planners_spent_is_in_a_ledger_that_is_made_anew() {
    let state = tempfile::tempdir().unwrap();
    let (sessions, ledger) = (Sessions::at(state.path()), Ledger::at(state.path()));
    let planner = planner(&sessions).await;
    let session = write(&sessions, vec![prompt(1, "x"), planned_by(planner.as_str()), says(1, 1, "y", &[])]).await;
    let price = |_: &str| None::<Price>;
    assert_eq!(ledger.catch_up(&sessions, price).unwrap(), 2);
    let mut spent: Vec<_> = ledger.read().unwrap().entries.into_iter().map(|entry| entry.session).collect();
    spent.sort();
    let mut wanted = [planner, session];
    wanted.sort();
    assert_eq!(spent, wanted);
    assert_eq!(ledger.catch_up(&sessions, price).unwrap(), 0);
}
