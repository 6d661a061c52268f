//! `bench edit` as a user meets it: the real binary against models that are good at one format and bad at others, that are
//! stopped in the middle, and that try to get out of their folder.

use crate::support;

use reasonix_lab::bench::{EditCase, LANGUAGES, case};
use reasonix_proto::EditFormat;
use reasonix_testkit::{ModelServer, Recorded, Reply};
use serde_json::{Value, json};
use similar::TextDiff;
use std::process::Child;
use support::{Place, Ran};

/// The case that a request is about.
fn case_of(request: &Recorded) -> EditCase {
    let said = request.last_content();
    let all = LANGUAGES.iter().flat_map(|language| (0..12).map(move |number| case(language, 1, number)));
    let fits =
        |case: &EditCase| said.contains(&case.task) && said.contains(case.before.replace("\r\n", "\n").trim_end());
    all.into_iter().find(fits).unwrap_or_else(|| panic!("no case of ours: {said}"))
}

/// The format that a request wants, by the tools it brings.
fn format_of(request: &Recorded) -> EditFormat {
    let names: Vec<&str> = tools(request);
    match names.as_slice() {
        ["write_file", "edit_file"] => EditFormat::Blocks,
        [only] => EditFormat::parse(only).unwrap(),
        other => panic!("{other:?}"),
    }
}

fn tools(request: &Recorded) -> Vec<&str> {
    let tools = request.body["tools"].as_array().map_or(&[][..], Vec::as_slice);
    tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap()).collect()
}

/// What a model answers that knows what to do.
fn perfect(case: &EditCase, format: EditFormat) -> Reply {
    let (path, before, answer) = (&case.path, case.before.replace("\r\n", "\n"), case.answer.replace("\r\n", "\n"));
    match format {
        EditFormat::EditFile => {
            Reply::call("edit_file", json!({ "path": path, "old_string": before, "new_string": answer }))
        }
        EditFormat::MultiEdit => Reply::call(
            "multi_edit",
            json!({ "path": path, "edits": [{ "old_string": before, "new_string": answer }] }),
        ),
        EditFormat::ApplyPatch => {
            let diff = TextDiff::from_lines(&before, &answer);
            let patch = diff.unified_diff().header(&format!("a/{path}"), &format!("b/{path}")).to_string();
            Reply::call("apply_patch", json!({ "patch": patch }))
        }
        EditFormat::WriteFile => Reply::call("write_file", json!({ "path": path, "content": answer })),
        EditFormat::Blocks => {
            Reply::say(&format!("{path}\n<<<<<<< SEARCH\n{before}=======\n{answer}>>>>>>> REPLACE\n"))
        }
    }
}

/// What one answers that is wrong, each format in another way, and why it is.
fn bad(case: &EditCase, format: EditFormat) -> (Reply, &'static str) {
    let path = &case.path;
    match format {
        EditFormat::EditFile => {
            let edit = json!({ "path": path, "old_string": "nothing of the kind", "new_string": "x" });
            (Reply::call("edit_file", edit), "no_match")
        }
        EditFormat::MultiEdit => (Reply::call("multi_edit", json!({ "path": path, "edits": 7 })), "not_parsed"),
        EditFormat::ApplyPatch => (Reply::call("apply_patch", json!({ "patch": "change it!" })), "not_parsed"),
        EditFormat::WriteFile => {
            (Reply::call("write_file", json!({ "path": path, "content": case.before })), "wrong_result")
        }
        EditFormat::Blocks => (Reply::say("I would change the line."), "no_call"),
    }
}

/// A place whose model is good at one format alone.
fn good_at(wanted: EditFormat) -> Place {
    Place::with_server(ModelServer::start_with(move |request| {
        if request.messages().len() > 2 || tools(request).len() > 2 {
            return Some(Reply::say("hello"));
        }
        let (case, format) = (case_of(request), format_of(request));
        Some(if format == wanted { perfect(&case, format) } else { bad(&case, format).0 })
    }))
}

fn document(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}\n{}", ran.out, ran.err))
}

/// The sum over languages of what a format came to.
fn sums(document: &Value, format: EditFormat) -> (u64, u64, Vec<String>) {
    let rows = document["rows"].as_array().unwrap().iter().filter(|row| row["format"] == format.name());
    rows.fold((0, 0, Vec::new()), |(right, of, mut why), row| {
        why.extend(row["wrong"].as_object().unwrap().keys().cloned());
        (right + row["right"].as_u64().unwrap(), of + row["of"].as_u64().unwrap(), why)
    })
}

const SMALL: [&str; 6] = ["bench", "edit", "--languages", "python-zh,go", "--count", "10"];

#[test]
fn auto_takes_the_format_that_the_model_gets_right_and_a_session_keeps_it() {
    for wanted in EditFormat::ALL {
        let place = good_at(wanted);
        let ran = place.run(&[&SMALL[..], &["--json"]].concat());
        assert_eq!(ran.code, Some(0), "{wanted}: {}", ran.err);
        assert!(ran.err.contains("100 requests"), "{}", ran.err);
        let found = document(&ran);
        for format in EditFormat::ALL {
            let (right, of, why) = sums(&found, format);
            assert_eq!((right, of), (if format == wanted { 20 } else { 0 }, 20), "{wanted} {format}: {found:#}");
            let expected = if format == wanted { vec![] } else { vec![bad(&case(&LANGUAGES[0], 1, 0), format).1; 2] };
            assert_eq!(why, expected, "{wanted} {format}");
        }
        assert_eq!(
            (found["auto"]["format"].as_str(), found["left"].as_u64()),
            (Some(wanted.name()), Some(0)),
            "{found:#}"
        );
        place.server.assert_valid();
        assert_eq!(place.server.request_count(), 100, "one request a trial");
        assert!(
            !place.home.exists("state/bench")
                || std::fs::read_dir(place.home.join("state/bench")).unwrap().count() == 0
        );
        let doctor = place.run(&["doctor", "--offline"]);
        assert!(
            doctor.out.contains(&format!("edits: {wanted}, which mock/m1 got right 20 of 20 times")),
            "{}",
            doctor.out
        );
        session_keeps(&place, wanted);
    }
}

/// A new session edits in the format, and goes on with it when trials have shown something else since.
fn session_keeps(place: &Place, wanted: EditFormat) {
    let before = place.server.request_count();
    assert_eq!(place.run(&["run", "hi"]).code, Some(0));
    std::fs::remove_file(place.home.join("state/edits.jsonl")).unwrap();
    assert_eq!(place.run(&["run", "--continue", "and again"]).code, Some(0));
    assert_eq!(place.run(&["run", "anew"]).code, Some(0));
    let requests = place.server.requests();
    let [first, second, other] = &requests[before..] else { panic!("{} requests", requests.len() - before) };
    let bodies = [first.raw.as_slice(), second.raw.as_slice()];
    assert!(reasonix_testkit::prefix_breaks(&bodies).is_empty(), "{wanted}: the session goes on as it began");
    let edits = |request: &Recorded| -> Vec<String> {
        tools(request)
            .iter()
            .filter(|tool| EditFormat::of_tool(tool).is_some())
            .map(|tool| (*tool).to_owned())
            .collect()
    };
    let all = ["edit_file", "multi_edit", "apply_patch"];
    assert_eq!(edits(other), all, "nothing is known: everything is offered");
    let in_words = |request: &Recorded| request.messages()[0]["content"].as_str().unwrap().contains("<<<<<<< SEARCH");
    assert_eq!((in_words(first), in_words(other)), (wanted == EditFormat::Blocks, false));
    match wanted {
        EditFormat::Blocks => assert_eq!(edits(first), all),
        EditFormat::WriteFile => assert_eq!(edits(first), [""; 0]),
        one => assert_eq!(edits(first), [one.name()]),
    }
    assert!(tools(first).contains(&"write_file"), "new files need it");
    let text = first.body["tools"].to_string();
    if !matches!(wanted, EditFormat::EditFile | EditFormat::Blocks) {
        assert!(!text.contains("use edit_file") && !text.contains("Several edit_file"), "speaks of what is not there");
    }
}

#[test]
fn perfect_in_every_format_and_language_is_right_and_leaves_everything_offered() {
    let place =
        Place::with_server(ModelServer::start_with(|request| Some(perfect(&case_of(request), format_of(request)))));
    let ran = place.run(&["bench", "edit"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(place.server.request_count(), 6 * 5 * 4);
    for part in ["mock/m1: changes that came out right", "24/24 100%", "python-zh", "every edit tool is offered"] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    assert!(!ran.out.contains("wrong:"), "{}", ran.out);
    assert!(ran.err.contains("120 of 120, 120 right"), "{}", ran.err);
    let ran = place.run(&["bench", "edit"]);
    assert!(ran.err.contains("everything was tried already"), "{}", ran.err);
    assert_eq!(place.server.request_count(), 120, "nothing is asked twice");
    let ran = place.run(&["bench", "edit", "--restart", "--languages", "go", "--formats", "blocks", "-n", "1"]);
    assert_eq!((ran.code, place.server.request_count()), (Some(0), 121), "{}", ran.err);
    let zh = finish(place.command(&["bench", "edit", "--show"]).env("LANG", "zh_CN.UTF-8"));
    assert!(zh.out.contains("改对的次数") && zh.out.contains("21/21"), "{}", zh.out);
    let stats = place.run(&["stats", "--all", "--json"]);
    assert!(stats.out.contains("mock/m1"), "what was spent is counted: {}", stats.out);
    assert_eq!(place.logs().len(), 0, "a measurement is no session");
}

fn finish(command: &mut std::process::Command) -> Ran {
    support::finish(command.output().unwrap())
}

fn signal(child: &Child, number: i32) {
    // SAFETY: a plain kill of a child that was not waited for yet.
    #[allow(unsafe_code)]
    let sent = unsafe { libc::kill(i32::try_from(child.id()).unwrap(), number) };
    assert_eq!(sent, 0);
}

#[test]
fn stopped_or_killed_it_goes_on_where_it_was() {
    for (number, code) in [(libc::SIGINT, Some(130)), (libc::SIGTERM, Some(130)), (libc::SIGKILL, None)] {
        let mut asked = 0;
        let place = Place::with_server(ModelServer::start_with(move |request| {
            asked += 1;
            Some(if asked == 8 { Reply::hang() } else { perfect(&case_of(request), format_of(request)) })
        }));
        let args = ["bench", "edit", "--languages", "rust,c", "-n", "2"];
        let child = place.spawn(&args);
        place.server.wait_for_requests_blocking(8);
        signal(&child, number);
        let ran = support::finish(child.wait_with_output().unwrap());
        assert_eq!(ran.code, code, "{}", ran.err);
        if code.is_some() {
            assert!(ran.err.contains("what was done is kept") && ran.out.contains("/1"), "{}{}", ran.out, ran.err);
        }
        let kept = place.home.read("state/edits.jsonl");
        assert_eq!(kept.lines().count(), 7, "{kept}");
        let ran = place.run(&[&args[..], &["--json"]].concat());
        assert!(ran.err.contains("13 requests") && ran.err.contains("7 done before"), "{}", ran.err);
        let found = document(&ran);
        let all: u64 = EditFormat::ALL.map(|format| sums(&found, format).0).iter().sum();
        assert_eq!((ran.code, all, place.server.request_count()), (Some(0), 20, 21), "{found:#}");
        assert_eq!(std::fs::read_dir(place.home.join("state/bench")).unwrap().count(), 0, "the folder is gone");
    }
}

#[test]
fn what_tries_to_get_out_is_wrong_and_touches_nothing() {
    let outside = reasonix_testkit::TempWorkspace::new();
    let target = outside.join("planted.txt").display().to_string();
    let (aim, long) = (target.clone(), "x ".repeat(5 * 1024 * 1024));
    let place = Place::with_server(ModelServer::start_with(move |request| {
        let case = case_of(request);
        let number: usize = case.id.rsplit_once('-').unwrap().1.parse().unwrap();
        let call = |path: &str| Reply::call("write_file", json!({ "path": path, "content": case.answer }));
        let right = json!({ "path": case.path, "content": case.answer }).to_string();
        let elsewhere = json!({ "path": "src/planted.txt", "content": "x" }).to_string();
        Some(match number {
            0 => call("../../planted.txt"),
            1 => call(&aim),
            2 => call("src/planted.txt"),
            3 => Reply::say(&long),
            4 => Reply::call("bash", json!({ "command": format!("touch {aim}") })),
            5 => Reply::raw_calls(&[("write_file", &right), ("write_file", &elsewhere)]),
            6 => Reply::raw_calls(&[("write_file", "{\"path\": \"a\", \"content\": \"b")]),
            7 => call("src/../../../../config.toml"),
            8 => call(&long),
            _ => Reply::raw_calls(&[("write_file", &right)]),
        })
    }));
    let settings = place.home.read("config.toml");
    let ran = place.run(&["bench", "edit", "--languages", "rust", "--formats", "write_file", "-n", "10", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let found = document(&ran);
    let row = &found["rows"][0];
    assert_eq!((row["right"].as_u64(), row["of"].as_u64()), (Some(1), Some(10)), "{found:#}");
    assert_eq!(row["wrong"], json!({ "other_file": 5, "no_call": 3, "not_parsed": 1 }), "{found:#}");
    assert!(!std::path::Path::new(&target).exists());
    assert_eq!(place.home.read("config.toml"), settings);
    let planted =
        std::process::Command::new("find").arg(place.home.path()).args(["-name", "planted.txt"]).output().unwrap();
    assert!(planted.stdout.is_empty(), "{}", String::from_utf8_lossy(&planted.stdout));
    assert!(
        std::fs::metadata(place.home.join("state/edits.jsonl")).unwrap().len() < 10_000,
        "nothing that was said is kept"
    );
}

#[test]
fn limits_hold_and_say_so() {
    let place =
        Place::with_server(ModelServer::start_with(|request| Some(perfect(&case_of(request), format_of(request)))));
    let ran = place.run(&["bench", "edit", "--max-tokens", "400"]);
    assert_eq!(ran.code, Some(5), "{}", ran.err);
    assert_eq!(place.server.request_count(), 4, "110 tokens each: {}", ran.err);
    assert!(ran.err.contains("tokens"), "{}", ran.err);
    let ran = place.run(&["bench", "edit", "--max-tokens", "100", "--json"]);
    let found = document(&ran);
    assert_eq!((ran.code, found["end"].as_str(), found["left"].as_u64()), (Some(5), Some("budget"), Some(115)));
    let ran = place.run(&["bench", "edit", "--max-cost", "1", "--max-tokens", "1"]);
    assert!(ran.err.contains("price"), "a limit of money that cannot hold is said: {}", ran.err);
}

#[test]
fn an_answer_that_takes_too_long_for_the_time_that_is_left_is_not_counted() {
    let place = Place::with_server(ModelServer::start_with(|_| Some(Reply::hang_mid_stream("half"))));
    let ran = place.run(&["bench", "edit", "--max-time", "1s"]);
    assert_eq!(ran.code, Some(5), "{}", ran.err);
    assert!(!place.home.exists("state/edits.jsonl"), "nothing was measured");
}

#[test]
fn an_endpoint_that_fails_says_nothing_about_formats() {
    let place =
        Place::with_server(ModelServer::start_with(|_| Some(Reply::fail(401, r#"{"error":{"message":"no"}}"#))));
    let ran = place.run(&["bench", "edit", "--json"]);
    assert_eq!((ran.code, place.server.request_count()), (Some(4), 1), "{}", ran.err);
    assert_eq!(document(&ran)["rows"], json!([]));
    // One that fails now and then: what failed is tried again by the next run.
    let mut asked = 0;
    let place = Place::with_server(ModelServer::start_with(move |request| {
        asked += 1;
        let broken = asked == 3;
        Some(if broken { Reply::fail(400, "{}") } else { perfect(&case_of(request), format_of(request)) })
    }));
    let args = ["bench", "edit", "--languages", "go", "-n", "1", "--json"];
    let found = document(&place.run(&args));
    assert_eq!((found["left"].as_u64(), found["end"].as_str()), (Some(1), Some("done")), "{found:#}");
    let found = document(&place.run(&args));
    assert_eq!((found["left"].as_u64(), place.server.request_count()), (Some(0), 6), "{found:#}");
}

#[test]
fn damaged_lines_are_said_and_tried_again() {
    let place =
        Place::with_server(ModelServer::start_with(|request| Some(perfect(&case_of(request), format_of(request)))));
    let args = ["bench", "edit", "--languages", "go", "-n", "1"];
    place.run(&args);
    let kept = place.home.read("state/edits.jsonl");
    let damaged: Vec<String> = kept
        .lines()
        .enumerate()
        .map(|(at, line)| if at == 1 { line.replace("go-0", "go-7") } else { line.to_owned() })
        .collect();
    place.home.write("state/edits.jsonl", damaged.join("\n") + "\n");
    let ran = place.run(&args);
    assert!(ran.err.contains("1 line of") && ran.err.contains("1 request,"), "{}", ran.err);
    assert_eq!(place.server.request_count(), 6);
}

#[test]
fn another_model_never_answers_in_place_of_the_one_that_is_measured() {
    let place = Place::with_server(ModelServer::start_with(|request| {
        let broken = request.body["model"] == "m1";
        Some(if broken { Reply::fail(400, "{}") } else { perfect(&case_of(request), format_of(request)) })
    }));
    place.configure("[[models]]\nid = \"mock/m1\"\nfallback = [\"mock/m2\"]\n[[models]]\nid = \"mock/m2\"\n");
    let ran = place.run(&["bench", "edit", "--languages", "go", "-n", "1"]);
    assert_eq!(ran.code, Some(4), "{}", ran.err);
    assert!(place.server.requests().iter().all(|request| request.body["model"] == "m1"));
    let ran = place.run(&["bench", "edit", "--languages", "go", "-n", "1", "--model", "mock/m2", "--json"]);
    assert_eq!((ran.code, document(&ran)["model"].as_str()), (Some(0), Some("mock/m2")), "{}", ran.err);
}

#[test]
fn what_is_misspelt_is_named() {
    let place = Place::new(vec![]);
    for (args, part) in [
        (["--languages", "cobol"], "cobol is not known; there are: rust"),
        (["--formats", "hashline"], "hashline is not known; there are: edit_file"),
    ] {
        let ran = place.run(&[&["bench", "edit"], &args[..]].concat());
        assert_eq!(ran.code, Some(2));
        assert!(ran.err.contains(part), "{}", ran.err);
    }
    place.configure("[tools]\nedit = \"hashline\"\n");
    let ran = place.run(&["run", "hi"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("tools.edit") && ran.err.contains("apply_patch"), "{}", ran.err);
}

/// A block that does not say what stands there changes nothing, and shows what does.
#[test]
fn a_block_with_another_indentation_is_refused_with_the_nearest_text() {
    let block =
        |old: &str, new: &str| Reply::say(&format!("a.txt\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"));
    let replies = vec![
        Reply::call("read_file", json!({ "path": "a.txt" })),
        block("  run(1);\n      run(2);", "  go();"),
        block("    run(1);\n        run(2);  ", "    go();"),
        Reply::say("done"),
    ];
    let place = Place::new(replies);
    place.configure("[tools]\nedit = \"blocks\"\n");
    place.work.write("a.txt", "x {\n    run(1);\n        run(2);\n}\n");
    let ran = place.run(&["run", "change it"]);
    assert_eq!((ran.code, place.work.read("a.txt").as_str()), (Some(0), "x {\n    go();\n}\n"), "{}", ran.err);
    let requests = place.server.requests();
    let told = requests[2].last_content();
    assert!(told.contains("Nothing was changed. The nearest text, at line 2"), "{told}");
}

#[test]
fn a_session_that_began_with_blocks_goes_on_with_them() {
    let block = "new.txt\n<<<<<<< SEARCH\n=======\nhello\n>>>>>>> REPLACE\n";
    let place = Place::new(vec![Reply::say("hi"), Reply::say(block), Reply::say("done"), Reply::say(block)]);
    place.configure("[tools]\nedit = \"blocks\"\n");
    assert_eq!(place.run(&["run", "hi"]).code, Some(0));
    place.configure("");
    let ran = place.run(&["run", "--continue", "make a file"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "done\n"), "{}", ran.err);
    assert_eq!(place.work.read("new.txt"), "hello\n");
    place.server.assert_prefixes_grow();
    std::fs::remove_file(place.work.join("new.txt")).unwrap();
    assert_eq!(place.run(&["run", "make a file"]).code, Some(0));
    assert!(!place.work.exists("new.txt"), "elsewhere a block is only text");
}
