//! `reasonix sessions` as a person uses it.

use crate::support;

use reasonix_store::{BlobKey, Blobs};
use reasonix_testkit::Reply;
use support::Place;

fn said(place: &Place, prompt: &str) -> String {
    assert_eq!(place.run(&["run", prompt]).code, Some(0));
    place.run(&["sessions"]).out.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn listed_shown_named_and_deleted() {
    let place = Place::new(vec![Reply::say("fine"), Reply::say("more")]);
    let id = said(&place, "hello there");
    let shown = place.run(&["sessions", "show", &id]);
    assert!(shown.out.contains("hello there") && shown.out.contains("fine"), "{}", shown.out);
    let tree = place.run(&["sessions", "show", &id, "--tree"]);
    assert!(tree.out.contains("prompt") && tree.out.contains("hello there"), "{}", tree.out);
    assert_eq!(place.run(&["sessions", "rename", &id, "My title"]).code, Some(0));
    assert!(place.run(&["sessions", "list"]).out.contains("My title"));
    // A copy goes on with what was said.
    let forked = place.run(&["run", "--fork", &id, "and then?"]);
    assert_eq!(forked.code, Some(0), "{}", forked.err);
    assert_eq!(place.logs().len(), 2);
    place.server.assert_valid();
    place.server.assert_prefixes_grow();
    assert_eq!(place.run(&["sessions", "delete", &id]).code, Some(0));
    assert_eq!(place.logs().len(), 1);
    assert_eq!(place.run(&["sessions", "show", &id]).code, Some(1));
}

#[test]
fn damage_is_named_repaired_and_never_hidden() {
    let place = Place::new(vec![Reply::say("fine"), Reply::say("on")]);
    let id = said(&place, "hello");
    assert_eq!(place.run(&["sessions", "verify"]).code, Some(0));
    let log = place.logs().remove(0);
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, text.replacen("fine", "fins", 1)).unwrap();
    let verified = place.run(&["sessions", "verify", &id]);
    assert_eq!(verified.code, Some(1));
    let line = text.lines().position(|line| line.contains("fine")).unwrap() + 1;
    assert!(verified.err.contains(&format!("line {line}")), "{}", verified.err);
    assert_eq!(place.run(&["sessions", "repair", &id]).code, Some(0));
    assert_eq!(place.run(&["sessions", "verify", &id]).code, Some(0));
    place.assert_resumes();
    // A file that nobody can read is listed here too, not only with --all.
    place.home.write("state/sessions/0123456789abcdef.jsonl", "rubbish\n");
    assert!(place.run(&["sessions"]).out.contains("89abcdef"));
}

#[test]
fn exports_and_imports() {
    let place =
        Place::new(vec![Reply::say("The key is sk-secret-for-tests and sk-abcdefghijklmnopqrst"), Reply::say("ok")]);
    let id = said(&place, "hello");
    for format in ["md", "html"] {
        let text = place.run(&["sessions", "export", &id, "--format", format]).out;
        assert!(text.contains("hello") && text.contains("[redacted]") && !text.contains("sk-"), "{text}");
    }
    let file = place.work.join("out.html");
    let args = ["sessions", "export", &id, "--format", "html", "-o", file.to_str().unwrap()];
    assert_eq!(place.run(&args).code, Some(0));
    assert_eq!(place.run(&args).code, Some(1), "never over a file that is there");
    let foreign = "{\"role\":\"user\",\"content\":\"from elsewhere\"}\n{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"a\",\"name\":\"bash\",\"arguments\":\"{\\\"command\\\":\\\"touch ran\\\"}\"}]}\n";
    let path = place.work.write("foreign.jsonl", foreign);
    let imported = place.run(&["sessions", "import", path.to_str().unwrap()]);
    assert_eq!(imported.code, Some(0), "{}", imported.err);
    assert!(!place.work.exists("ran"), "nothing of it is run");
    assert!(place.run(&["sessions"]).out.contains("from elsewhere"));
    let listed = place.run(&["sessions"]).out;
    let new = listed.lines().find(|line| line.contains("from elsewhere")).unwrap().split_whitespace().next().unwrap();
    let ran = place.run(&["run", "--resume", new, "go on"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    place.server.assert_valid();
    assert_eq!(place.run(&["sessions", "import", file.to_str().unwrap()]).code, Some(1));
}

/// A session goes on elsewhere with the bytes that it was told, whatever the build there tells of its tools.
#[test]
fn a_session_in_a_file_goes_on_elsewhere_with_the_same_bytes() {
    let place = Place::new(vec![Reply::say("fine"), Reply::say("on")]);
    let id = said(&place, "hello");
    // What an earlier build told of its tools: kept by content, and named in the first record.
    let log = place.logs().remove(0);
    let text = std::fs::read_to_string(&log).unwrap();
    let (_, rest) = text.split_once("\"specs\":\"").unwrap();
    let named = BlobKey::from_hex(&rest[..64]).unwrap();
    let kept = Blobs::at(&place.home.join("state/specs"));
    let told = String::from_utf8(kept.get(&named, 1 << 20).unwrap()).unwrap();
    let earlier = told.replacen("\"description\":\"", "\"description\":\"As it was told then. ", 3);
    let key = kept.put(earlier.as_bytes()).unwrap();
    std::fs::write(&log, text.replacen(&named.to_string(), &key.to_string(), 1)).unwrap();
    let file = place.work.join("whole.jsonl");
    let export = ["sessions", "export", &id, "--format", "session", "-o", file.to_str().unwrap()];
    assert_eq!(place.run(&export).code, Some(0));
    let here = place.run(&["run", "--resume", &id, "go on"]);
    assert_eq!(here.code, Some(0), "{}", here.err);

    let elsewhere = Place::new(vec![Reply::say("on"), Reply::say("from the start")]);
    let imported = elsewhere.run(&["sessions", "import", "--whole", file.to_str().unwrap()]);
    assert_eq!(imported.code, Some(0), "{}", imported.err);
    assert!(imported.out.contains("0 lines"), "nothing is left over: {}", imported.out);
    let there = elsewhere.run(&["run", "--continue", "go on"]);
    assert_eq!(there.code, Some(0), "{}", there.err);
    let sent = |place: &Place, at: usize| String::from_utf8(place.server.requests()[at].raw.clone()).unwrap();
    assert!(sent(&elsewhere, 0).contains("As it was told then."));
    assert_eq!(sent(&elsewhere, 0), sent(&place, 1));
    elsewhere.server.assert_valid();

    // Without its whole, it is what was said, told by the build that is there.
    let plain = elsewhere.run(&["sessions", "import", file.to_str().unwrap()]);
    assert!(plain.code == Some(0) && plain.out.contains("0 lines"), "{} {}", plain.out, plain.err);
    assert_eq!(elsewhere.run(&["run", "--continue", "go on"]).code, Some(0));
    assert!(!sent(&elsewhere, 1).contains("As it was told then."));
    let foreign = elsewhere.work.write("foreign.jsonl", "{\"role\":\"user\",\"content\":\"hi\"}\n");
    let refused = elsewhere.run(&["sessions", "import", "--whole", foreign.to_str().unwrap()]);
    assert!(refused.code == Some(1) && refused.err.contains("does not begin like"), "{}", refused.err);
}
