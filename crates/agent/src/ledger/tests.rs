use super::{Ledger, encoded};
use crate::ports::{Prefix, Request, ToolSpec};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use reasonix_proto::{Break, Message, Requested};
use serde_json::json;
use std::sync::Arc;

fn prefix(tool: &str) -> Arc<Prefix> {
    let spec = ToolSpec::new(tool, "Reads.", json!({ "type": "object"}));
    Arc::new(Prefix { system: "Be brief.".into(), tools: vec![spec], aliases: vec![] })
}

fn request(prefix: &Arc<Prefix>, texts: &[&str]) -> Request {
    let messages = texts.iter().map(|text| Arc::new(Message::user(*text))).collect();
    Request { prefix: Arc::clone(prefix), messages, may_call: true, must_call: None, form: None }
}

/// The whole request in the form that is compared.
fn bytes(request: &Request) -> Vec<u8> {
    let mut all = [encoded(&request.prefix.tools), encoded(&request.prefix.system)].concat();
    request.messages.iter().for_each(|message| all.extend(encoded(message)));
    all
}

fn enter(ledger: &mut Ledger, model: &str, request: &Request) -> Requested {
    ledger.enter((1, 1), model, request, None)
}

#[test]
fn a_request_that_extends_the_last_one_has_all_of_it() {
    let (mut ledger, prefix) = (Ledger::default(), prefix("ls"));
    let first = enter(&mut ledger, "p/m", &request(&prefix, &["a"]));
    assert_eq!((first.same, first.broke), (0, None));
    let more = request(&prefix, &["a", "b", "c"]);
    let second = enter(&mut ledger, "p/m", &more);
    assert_eq!((second.same, second.broke, second.bytes), (first.bytes, None, bytes(&more).len() as u64));
    let again = enter(&mut ledger, "p/m", &more);
    assert_eq!((again.same, again.broke, &again.hash), (second.bytes, None, &second.hash), "the same once more");
    assert_eq!((&again.tools, &again.system), (&first.tools, &first.system));
}

#[test]
fn a_break_has_its_reason_and_its_place() {
    let prefix = prefix("ls");
    for (expected, wanted) in [
        (Some(Break::Compaction), Break::Compaction),
        (Some(Break::Rewind), Break::Rewind),
        (Some(Break::Branch), Break::Branch),
        (None, Break::Unexplained),
    ] {
        let mut ledger = Ledger::default();
        let (old, new) = (request(&prefix, &["a", "bcd", "e"]), request(&prefix, &["a", "bxd"]));
        enter(&mut ledger, "p/m", &old);
        expected.into_iter().for_each(|why| ledger.expect(why));
        let entry = enter(&mut ledger, "p/m", &new);
        assert_eq!(entry.broke, Some(wanted));
        let (old, new) = (bytes(&old), bytes(&new));
        assert_eq!(entry.same, old.iter().zip(&new).take_while(|(a, b)| a == b).count() as u64);
        let after = enter(&mut ledger, "p/m", &request(&prefix, &["a", "bxd", "f"]));
        assert_eq!((after.broke, after.same), (None, entry.bytes), "a reason counts once");
    }
}

#[test]
fn a_move_that_takes_nothing_away_is_no_break() {
    let (mut ledger, prefix) = (Ledger::default(), prefix("ls"));
    let first = enter(&mut ledger, "p/m", &request(&prefix, &["a"]));
    ledger.expect(Break::Branch);
    let second = enter(&mut ledger, "p/m", &request(&prefix, &["a", "b"]));
    assert_eq!((second.broke, second.same), (None, first.bytes));
}

#[test]
fn going_back_to_a_model_finds_what_it_has_seen() {
    let (mut ledger, prefix) = (Ledger::default(), prefix("ls"));
    let first = enter(&mut ledger, "p/m", &request(&prefix, &["a"]));
    let other = enter(&mut ledger, "p/other", &request(&prefix, &["a", "b"]));
    assert_eq!((other.broke, other.same), (Some(Break::ModelChange), 0));
    let back = enter(&mut ledger, "p/m", &request(&prefix, &["a", "b", "c"]));
    assert_eq!((back.broke, back.same), (Some(Break::ModelChange), first.bytes));
}

#[test]
fn another_process_goes_on_by_the_hashes() {
    let prefix_a = prefix("ls");
    let first = enter(&mut Ledger::default(), "p/m", &request(&prefix_a, &["a", "b"]));
    let resumed = |model: &str, request: &Request| enter(&mut Ledger::after(Some(first.clone())), model, request);
    let more = resumed("p/m", &request(&prefix_a, &["a", "b", "c"]));
    assert_eq!((more.same, more.broke), (first.bytes, None));
    let changed = resumed("p/m", &request(&prefix_a, &["a", "x", "c"]));
    let head = (encoded(&prefix_a.tools).len() + encoded(&prefix_a.system).len()) as u64;
    assert_eq!((changed.same, changed.broke), (head, Some(Break::Unexplained)));
    let tools = resumed("p/m", &request(&prefix("grep"), &["a", "b", "c"]));
    assert_eq!((tools.same, tools.broke), (0, Some(Break::ToolsChanged)));
    let model = resumed("p/other", &request(&prefix_a, &["a", "b", "c"]));
    assert_eq!((model.same, model.broke), (0, Some(Break::ModelChange)));
}

#[test]
fn what_is_asked_beside_the_conversation_is_not_what_the_next_request_extends() {
    let (mut ledger, prefix) = (Ledger::default(), prefix("ls"));
    let first = enter(&mut ledger, "p/m", &request(&prefix, &["a", "b"]));
    let notes = ledger.enter((1, 0), "p/m", &request(&prefix, &["a", "b", "write notes"]), None);
    assert_eq!((notes.same, notes.broke), (first.bytes, None));
    let next = enter(&mut ledger, "p/m", &request(&prefix, &["a", "b", "c"]));
    assert_eq!((next.same, next.broke), (first.bytes, None));
    // What was announced is still to come.
    ledger.expect(Break::Compaction);
    ledger.enter((1, 0), "p/m", &request(&prefix, &["a", "b", "c", "write notes"]), None);
    assert_eq!(enter(&mut ledger, "p/m", &request(&prefix, &["short"])).broke, Some(Break::Compaction));
}

#[test]
fn changed_tools_within_a_process_are_found_too() {
    let mut ledger = Ledger::default();
    enter(&mut ledger, "p/m", &request(&prefix("ls"), &["a"]));
    let changed = enter(&mut ledger, "p/m", &request(&prefix("grep"), &["a"]));
    assert_eq!((changed.same, changed.broke), (r#"[{"name":""#.len() as u64, Some(Break::ToolsChanged)));
}

proptest! {
    #[test]
    fn what_is_the_same_is_the_common_beginning(
        old in prop::collection::vec("[ab]{0,3}", 0..6),
        new in prop::collection::vec("[ab]{0,3}", 0..6),
    ) {
        let prefix = prefix("ls");
        let (old, new): (Vec<&str>, Vec<&str>) =
            (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
        let mut ledger = Ledger::default();
        let first = request(&prefix, &old);
        enter(&mut ledger, "p/m", &first);
        let second = request(&prefix, &new);
        let entry = enter(&mut ledger, "p/m", &second);
        let (a, b) = (bytes(&first), bytes(&second));
        prop_assert_eq!(entry.bytes, b.len() as u64);
        let shared = a.iter().zip(&b).take_while(|(a, b)| a == b).count() as u64;
        prop_assert_eq!(entry.same, shared);
        prop_assert_eq!(entry.broke.is_some(), shared < a.len() as u64);
        prop_assert_eq!(entry.hash, enter(&mut Ledger::default(), "p/m", &second).hash, "whatever came before");
    }
}
