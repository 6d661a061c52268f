//! `run --approve` and the dangerous class, with the built binary.

use crate::support;

use reasonix_testkit::Reply;
use serde_json::json;
use support::{Place, Ran, has_box};

fn bash(command: &str) -> Reply {
    Reply::call("bash", json!({"command": command}))
}

#[test]
fn a_dangerous_command_is_refused_until_it_is_approved_for_the_run() {
    let place = Place::new(vec![bash("rm old.txt"), Reply::say("I may not"), bash("rm old.txt"), Reply::say("gone")]);
    place.configure("[permissions]\nmode = \"allow\"\n");
    place.work.write("old.txt", "x\n");
    let ran = place.run(&["run", "delete it"]);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(ran.err.contains("it counts as dangerous") && place.work.exists("old.txt"), "{}", ran.err);
    let ran = place.run(&["run", "--json", "--approve", "Bash(rm:*)", "delete it"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(!place.work.exists("old.txt"));
    assert!(ran.out.contains(r#""by":"--approve Bash(rm:*)""#), "{}", ran.out);
    assert!(!place.home.read("config.toml").contains("rm:"), "nothing is saved");
}

#[test]
fn a_rule_that_cannot_be_read_is_a_usage_error() {
    let place = Place::new(vec![]);
    let ran = place.run(&["run", "--approve", "Bash(", "x"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("Bash("), "{}", ran.err);
}

/// One run with the word for what undo takes back.
fn with_the_word(place: &Place) -> Ran {
    place.run(&["run", "--json", "--approve", "workspace-destructive", "clean up"])
}

#[test]
fn what_undo_takes_back_runs_when_the_run_was_given_the_word_for_it() {
    if !has_box() {
        return;
    }
    for line in ["rm -rf src", "rm src/* && echo x > kept.txt", "find src -delete", "mv src/a.txt kept.txt"] {
        let place = Place::new(vec![bash(line), Reply::say("done")]);
        place.work.write("src/a.txt", "one\n");
        place.work.write("kept.txt", "two\n");
        let ran = with_the_word(&place);
        assert_eq!(ran.code, Some(0), "{line}: {}{}", ran.err, ran.out);
        assert!(!place.work.exists("src/a.txt"), "{line}");
        assert!(ran.out.contains(r#""by":"--approve workspace-destructive""#), "{line}: {}", ran.out);
        assert!(!place.home.read("config.toml").contains("destructive"), "nothing is saved");
        let undone = place.run(&["undo"]);
        assert_eq!(undone.code, Some(0), "{line}: {}", undone.err);
        assert_eq!(place.work.read("src/a.txt"), "one\n", "{line}");
        assert_eq!(place.work.read("kept.txt"), "two\n", "{line}");
    }
}

#[test]
fn the_word_answers_nothing_that_undo_could_not_bring_back() {
    if !has_box() {
        return;
    }
    let uncertain = "it is not certain";
    let lines = [
        ("git push --force", uncertain),
        ("git reset --hard", uncertain),
        ("eval \"$(echo rm -rf src)\"", uncertain),
        ("rm -rf \"$THAT\"", uncertain),
        ("rm -rf ~/x", uncertain),
        ("mv src/a.txt ../elsewhere", uncertain),
        ("rsync -a --delete src/ host:there", uncertain),
        ("ln -s .git way; rm -rf way/objects", uncertain),
        ("rm -rf src/*/../../.git", uncertain),
        ("rm -rf {src,.git}", uncertain),
        ("sudo rm -rf src", uncertain),
        ("rm -rf .git/objects", uncertain),
        ("rm -rf link/objects", "undo does not cover .git"),
        ("rm -rf .", "undo does not cover"),
        ("rm -rf vendor", "undo does not cover vendor/lib/.git"),
        ("rm -rf out", "undo does not cover out (build_folder)"),
        ("find -name a.txt -delete", "undo does not cover"),
    ];
    let replies = lines.iter().flat_map(|(line, _)| [bash(line), Reply::say("I may not")]).collect();
    let place = Place::new(replies);
    for file in ["src/a.txt", "vendor/lib/.git/HEAD", "vendor/lib/x.c", ".git/objects/x"] {
        place.work.write(file, "one\n");
    }
    place.work.write("out/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n");
    std::os::unix::fs::symlink(".git", place.work.join("link")).unwrap();
    place.home.write("x/y", "mine\n");
    for (line, said) in lines {
        let ran = with_the_word(&place);
        assert_eq!(ran.code, Some(3), "{line}: {}{}", ran.err, ran.out);
        let wanted = format!("--approve workspace-destructive does not answer it: {said}");
        assert!(ran.out.contains(&wanted), "{line}: {}", ran.out);
    }
    for file in ["src/a.txt", "vendor/lib/.git/HEAD", "out/CACHEDIR.TAG", ".git/objects/x"] {
        assert!(place.work.exists(file), "{file}");
    }
    assert!(place.home.exists("x/y"));
}

#[test]
fn the_word_needs_the_full_sandbox_and_undo_and_beats_no_rule() {
    let boxed = has_box();
    let cases = [
        ("[sandbox]\nbash = \"off\"\n", "does not answer it: it needs sandbox level full", true),
        ("[undo]\nenabled = false\n", "does not answer it: it needs undo", boxed),
        ("[permissions]\nask = [\"Bash(rm:*)\"]\n", "by rule Bash(rm:*)", boxed),
        ("[permissions]\ndeny = [\"Bash(rm:*)\"]\n", "by rule Bash(rm:*)", true),
    ];
    for (settings, said, _) in cases.iter().filter(|(_, _, possible)| *possible) {
        let place = Place::new(vec![bash("rm -rf src"), Reply::say("I may not")]);
        place.configure(settings);
        place.work.write("src/a.txt", "one\n");
        let ran = with_the_word(&place);
        assert_eq!(ran.code, Some(3), "{settings}: {}{}", ran.err, ran.out);
        assert!(ran.out.contains(said), "{settings}: {}", ran.out);
        assert!(place.work.exists("src/a.txt"), "{settings}");
    }
}
