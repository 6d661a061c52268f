//! What servers of the older era ask back: people, folders, and a model's answer, which they do not get.

use crate::place::{Place, limits, until};
use reasonix_agent::BoxFuture;
use reasonix_mcp::{ElicitKind, ElicitReply, Elicitation, Elicits, McpError, ServerLimits, ServerNews};
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Answers every question alike, after a while, and keeps it.
pub(crate) struct Person {
    reply: ElicitReply,
    after: Duration,
    pub(crate) seen: Mutex<Vec<Elicitation>>,
    /// One for each question that is shown.
    shown: Arc<()>,
}

impl Person {
    pub(crate) fn new(reply: ElicitReply, after: Duration) -> Arc<Self> {
        Arc::new(Self { reply, after, seen: Mutex::default(), shown: Arc::default() })
    }
}

impl Elicits for Person {
    fn elicit<'a>(&'a self, question: Elicitation) -> BoxFuture<'a, ElicitReply> {
        self.seen.lock().unwrap().push(question);
        let shown = Arc::clone(&self.shown);
        Box::pin(async move {
            let _shown = shown;
            tokio::time::sleep(self.after).await;
            self.reply.clone()
        })
    }
}

pub(crate) fn yes() -> ElicitReply {
    ElicitReply::Accept(json!({"name": "blue"}).as_object().unwrap().clone())
}

#[tokio::test]
async fn a_person_answers_and_that_costs_no_time_of_the_call() {
    let person = Person::new(yes(), Duration::from_secs(2));
    let limits = ServerLimits { call: Some(Duration::from_secs(1)), ..limits() };
    let place = Place::with("asks", limits, Some(Arc::clone(&person) as Arc<dyn Elicits>));
    let words = place.words().await;
    assert!(words.contains("'accept'") && words.contains("blue"), "{words}");
    let seen = person.seen.lock().unwrap();
    assert_eq!((seen[0].server.as_str(), seen[0].message.as_str()), ("hostile", "Which one?"));
    assert!(matches!(&seen[0].kind, ElicitKind::Form { schema } if schema["required"] == json!(["name"])));
}

#[tokio::test]
async fn an_address_comes_with_its_host_and_one_that_runs_something_is_not_shown() {
    let person = Person::new(yes(), Duration::ZERO);
    let place = Place::with("url", limits(), Some(Arc::clone(&person) as Arc<dyn Elicits>));
    assert!(place.words().await.contains("'accept'"));
    let seen = person.seen.lock().unwrap().clone();
    assert!(matches!(&seen[0].kind, ElicitKind::Url { host, .. } if host == "login.example"), "{seen:?}");

    let place = Place::with("script", limits(), Some(Arc::clone(&person) as Arc<dyn Elicits>));
    assert!(place.words().await.contains("'decline'"));
    assert_eq!(person.seen.lock().unwrap().len(), 1, "nobody was asked");
}

#[tokio::test]
async fn without_a_person_a_question_is_declined() {
    assert!(Place::new("asks").words().await.contains("'decline'"));
}

#[tokio::test]
async fn nobody_is_asked_by_a_server_that_was_not_called() {
    let person = Person::new(yes(), Duration::ZERO);
    let place = Place::with("unasked", limits(), Some(Arc::clone(&person) as Arc<dyn Elicits>));
    place.servers.listing("hostile").await.unwrap();
    assert_eq!(*person.seen.lock().unwrap(), []);
}

#[tokio::test]
async fn a_question_ends_with_its_call() {
    let person = Person::new(yes(), Duration::from_secs(600));
    let place = Place::with("asks", limits(), Some(Arc::clone(&person) as Arc<dyn Elicits>));
    let stop = reasonix_agent::Stop::new();
    let (answer, ()) = tokio::join!(place.call_until("act", &stop), async {
        while person.seen.lock().unwrap().is_empty() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        stop.cancel();
    });
    assert_eq!(answer, Err(McpError::Aborted));
    until(&place, |_| Arc::strong_count(&person.shown) == 1).await;
    assert_eq!(place.news(), [ServerNews::Up], "the server is still there");
}

#[tokio::test]
async fn a_model_is_not_lent() {
    let place = Place::new("samples");
    assert!(place.words().await.contains("-32601"));
    assert_eq!(place.news(), [ServerNews::Up, ServerNews::Sampling]);
}

#[tokio::test]
async fn the_workspace_is_its_root() {
    let words = Place::new("roots").words().await;
    assert!(words.contains("file:///a%20b"), "{words}");
}
