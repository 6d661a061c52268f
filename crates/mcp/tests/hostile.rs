//! Servers that mean harm or are broken: what they cost is bounded, the session goes on, and it is said what happened.

use crate::place::{NAME, Place, call, limits, most_memory, object, until};
use reasonix_agent::Stop;
use reasonix_mcp::{McpCall, McpError, ServerLimits, ServerNews, ServerState};
use serde_json::json;
use std::time::Duration;

/// More than all the tests of this program need together, and far less than one hostile answer.
const MOST_MIB: u64 = 600;

fn down(error: Result<reasonix_mcp::McpAnswer, McpError>) -> String {
    match error {
        Err(McpError::Down { reason, .. }) => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn noise_without_end_ends_the_server_and_costs_no_memory() {
    let place = Place::new("noise");
    let reason = down(place.call().await);
    assert!(reason.contains("64 MiB that is no message"), "{reason}");
    assert!(most_memory() < MOST_MIB, "{} MiB", most_memory());
    assert!(place.news().iter().any(|news| matches!(news, ServerNews::Down { .. })), "{:?}", place.news());
}

#[tokio::test]
async fn a_frame_of_a_gigabyte_ends_the_server_and_costs_no_memory() {
    let reason = down(Place::new("frame").call().await);
    assert!(reason.contains("64 MiB that is no message"), "{reason}");
    assert!(most_memory() < MOST_MIB, "{} MiB", most_memory());
}

#[tokio::test]
async fn an_answer_that_is_too_large_fails_alone() {
    let place = Place::with("large", ServerLimits { frame: 1024 * 1024, ..limits() }, None);
    match place.call().await {
        Err(McpError::Told { message, .. }) => assert_eq!(message, "the answer has more than 1 MiB"),
        other => panic!("{other:?}"),
    }
    assert_eq!(place.words().await, "small", "the server goes on");
    assert_eq!(place.news(), [ServerNews::Up]);
}

#[tokio::test]
async fn an_answer_that_makes_no_sense_fails_at_once() {
    let place = Place::new("odd");
    assert!(matches!(place.call().await, Err(McpError::Told { .. })), "nobody waits for the limit");
}

#[tokio::test]
async fn who_never_says_who_it_is_is_given_up() {
    let place = Place::with("silent", ServerLimits { handshake: Duration::from_millis(300), ..limits() }, None);
    assert!(down(place.call().await).contains("did not say who it is"));
    assert!(matches!(place.servers.status()[0].state, ServerState::Down { .. }));
}

#[tokio::test]
async fn who_never_answers_is_given_up_and_told() {
    let place = Place::with("mute", ServerLimits { call: Some(Duration::from_millis(300)), ..limits() }, None);
    assert!(matches!(place.call().await, Err(McpError::Late { .. })));
    until_there(&place).await;
    assert_eq!(place.news(), [ServerNews::Up], "it is still there");
}

#[tokio::test]
async fn a_limit_can_be_a_tools_own() {
    let tools = [("act".to_owned(), Duration::from_millis(300))].into();
    let place = Place::with("mute", ServerLimits { call: None, tools, ..limits() }, None);
    assert!(matches!(place.call().await, Err(McpError::Late { .. })));
}

#[tokio::test]
async fn an_interrupt_does_not_wait_for_who_ignores_it() {
    let place = Place::new("mute");
    place.servers.listing(NAME).await.unwrap();
    let stop = Stop::new();
    let (answer, ()) = tokio::join!(place.call_until("act", &stop), async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        stop.cancel();
    });
    assert_eq!(answer, Err(McpError::Aborted));
    until_there(&place).await;
}

/// Waits until the server was told that nobody waits for it.
async fn until_there(place: &Place) {
    until(place, |place| std::fs::read_to_string(place.trace()).is_ok_and(|text| text == "cancelled\n")).await;
}

#[tokio::test]
async fn who_dies_in_the_middle_of_a_call_is_named_with_its_last_words() {
    let place = Place::new("dies");
    let reason = down(place.call().await);
    assert!(reason.contains("exit code 3") && reason.contains("fatal: boom"), "{reason}");
}

#[tokio::test]
async fn who_cannot_start_is_named_with_its_last_words() {
    let reason = down(Place::new("absent").call().await);
    assert!(reason.contains("exit code 1") && reason.contains("no such module"), "{reason}");
}

#[tokio::test]
async fn of_ten_thousand_tools_some_are_taken_and_the_rest_is_counted() {
    let place = Place::new("many");
    let listing = place.servers.listing(NAME).await.unwrap();
    assert_eq!(listing.tools.as_ref().unwrap().len(), 512);
    assert!(listing.left_out.iter().any(|left| left.name.contains("9488")), "{:?}", listing.left_out);
}

#[tokio::test]
async fn pages_without_end_end() {
    let place = Place::with("endless", ServerLimits { pages: 20, ..limits() }, None);
    let listing = place.servers.listing(NAME).await.unwrap();
    assert_eq!(listing.tools.as_ref().unwrap().len(), 20);
    assert!(!listing.left_out.is_empty());
}

#[tokio::test]
async fn one_bad_tool_costs_no_other() {
    let listing = Place::new("cyclic").servers.listing(NAME).await.unwrap();
    let names: Vec<_> = listing.tools.iter().flatten().map(|tool| tool.own.as_str()).collect();
    assert_eq!(names, ["tree"]);
    let schema = listing.tool("tree").unwrap().schema.to_string();
    assert!(!schema.contains("$ref") && !schema.contains("http:"), "{schema}");
    let left: Vec<_> = listing.left_out.iter().map(|left| left.name.as_str()).collect();
    assert_eq!(left, ["bare", "number"]);
}

#[tokio::test]
async fn names_that_look_alike_are_refused() {
    let listing = Place::new("twins").servers.listing(NAME).await.unwrap();
    let names: Vec<_> = listing.tools.iter().flatten().map(|tool| tool.own.as_str()).collect();
    assert_eq!(names, ["delete"]);
    assert_eq!(listing.left_out.len(), 3, "{:?}", listing.left_out);
}

#[tokio::test]
async fn a_tool_that_became_another_is_not_called() {
    let place = Place::new("changes");
    let before = place.servers.listing(NAME).await.unwrap();
    let digest = before.tool("act").unwrap().digest.clone();
    let accepted = call(&place.servers, "act", Some(&digest), &Stop::new()).await;
    assert_eq!(accepted.unwrap().content.into_words(), "done");
    let after = call(&place.servers, "act", Some(&digest), &Stop::new()).await;
    assert!(matches!(after, Err(McpError::Changed { .. })), "{after:?}");
    assert_eq!(place.news(), [ServerNews::Up, ServerNews::Changed]);
    let now = place.servers.listing(NAME).await.unwrap();
    assert_eq!(now.tool("act").unwrap().description, "sends your keys");
    assert_eq!(now.changes(&[("act".into(), digest)]), [("act".into(), reasonix_mcp::ToolChange::Other)]);
}

/// Lists that could not be read anew are no newer than they were.
#[tokio::test]
async fn a_tool_that_became_another_is_not_called_after_a_list_that_failed() {
    let place = Place::new("stumbles");
    let before = place.servers.listing(NAME).await.unwrap();
    let digest = before.tool("act").unwrap().digest.clone();
    call(&place.servers, "act", Some(&digest), &Stop::new()).await.unwrap();
    let failed = call(&place.servers, "act", Some(&digest), &Stop::new()).await;
    assert!(matches!(failed, Err(McpError::Told { .. })), "{failed:?}");
    let after = call(&place.servers, "act", Some(&digest), &Stop::new()).await;
    assert!(matches!(after, Err(McpError::Changed { .. })), "{after:?}");
}

#[tokio::test]
async fn who_asks_for_too_much_at_once_is_ended() {
    let reason = down(Place::new("pings").call().await);
    assert!(reason.contains("more than 64 things at once"), "{reason}");
}

#[tokio::test]
async fn who_does_not_read_is_ended() {
    let short = Duration::from_millis(300);
    let limits = ServerLimits { call: Some(short), write: Duration::from_secs(1), ..limits() };
    let place = Place::with("deaf", limits, None);
    assert!(matches!(place.call().await, Err(McpError::Late { .. })));
    let (stop, args) = (Stop::new(), object(json!({"a": "x".repeat(1024 * 1024)})));
    let call = McpCall { server: NAME, tool: "act", accepted: None, args, stop: &stop, progress: &|_| {} };
    assert!(matches!(place.servers.call(call).await, Err(McpError::Late { .. })));
    until(&place, |place| place.news().iter().any(says_it_did_not_read)).await;
}

fn says_it_did_not_read(news: &ServerNews) -> bool {
    matches!(news, ServerNews::Down { reason, .. } if reason.contains("did not read"))
}

#[tokio::test]
async fn who_talks_without_end_is_slowed_down() {
    let place = Place::with("chatty", ServerLimits { call: Some(Duration::from_millis(1500)), ..limits() }, None);
    assert!(matches!(place.call().await, Err(McpError::Late { .. })));
    let said: u64 = std::fs::read_to_string(place.trace()).unwrap().trim().parse().unwrap();
    assert!(said < 6000, "{said} messages were taken");
}

#[tokio::test]
async fn what_it_writes_to_stderr_is_bounded() {
    let place = Place::new("errors");
    assert_eq!(place.words().await, "done");
    until(&place, |place| place.servers.status()[0].stderr.ends_with("last words")).await;
    assert!(place.servers.status()[0].stderr.len() <= 4096);
}

#[tokio::test]
async fn secrets_of_ours_are_not_in_its_environment() {
    // The test's own environment has cargo's variables; a scrubbed one does not have those that name a token.
    let words = Place::new("environment").words().await;
    assert!(words.contains("PATH=") && !words.contains("TOKEN"), "{words}");
}
