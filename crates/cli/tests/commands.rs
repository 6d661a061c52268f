//! The other commands: setup, doctor, models, config, completions, demo, help.

use crate::support;

use reasonix_testkit::{ModelServer, Reply};
use serde_json::json;
use support::Place;

#[test]
fn the_demo_fixes_a_failing_test_without_key_or_network() {
    let place = Place::bare(ModelServer::start_blocking(vec![]));
    let ran = place.run(&["demo"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for wanted in [
        "played by a built-in script",
        "exit code 1",
        "-total() { echo $(( $1 + $2 )); }",
        "+total() { echo $(( $1 * $2 )); }",
        "all tests passed",
        "reasonix setup",
    ] {
        assert!(ran.err.contains(wanted), "{wanted}: {}", ran.err);
    }
    assert!(ran.out.contains("price.sh:4"), "{}", ran.out);
    assert!(place.logs().is_empty(), "the demo leaves nothing behind");
}

#[test]
fn the_demo_can_be_kept() {
    let place = Place::bare(ModelServer::start_blocking(vec![]));
    assert_eq!(place.run(&["demo", "--keep", "kept"]).code, Some(0));
    assert!(place.work.read("kept/shop/price.sh").contains("$1 * $2"));
}

#[test]
fn a_command_line_of_another_kind_is_answered_with_what_was_meant() {
    let place = Place::bare(ModelServer::start_blocking(vec![]));
    for args in [&["fix the bug"][..], &["-p", "x"], &["exec", "x"]] {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(2), "{args:?}");
        assert!(ran.err.contains("reasonix run \"…\""), "{args:?}: {}", ran.err);
    }
    let ran = place.run(&["--model", "x", "run", "hi"]);
    assert!(ran.code == Some(2) && ran.err.contains("stand behind it"), "{}", ran.err);
    let ran = place.run(&["run", "--wrong", "hi"]);
    assert!(ran.code == Some(2) && !ran.err.contains("to chat"), "{}", ran.err);
}

#[test]
fn setup_says_that_nobody_answers_there() {
    let place = Place::bare(ModelServer::start_blocking(vec![]));
    let ran = place.run(&["setup", "--base-url", "127.0.0.1:9/v1"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("Nobody answers at http://127.0.0.1:9/v1"), "{}", ran.err);
    assert!(!place.home.exists("config.toml"));
}

#[test]
fn a_hosted_model_without_its_key_is_said_before_it_is_asked() {
    let place = Place::bare(ModelServer::start_blocking(vec![]));
    place.home.write(
        "config.toml",
        "[[providers]]\nname = \"far\"\nbase_url = \"http://far.invalid/v1\"\nmodel = \"m\"\napi_key_env = \"FAR_KEY\"\n",
    );
    let mut command = place.command(&["run", "hi"]);
    let ran = support::finish(command.env("HTTP_PROXY", "http://127.0.0.1:9").output().unwrap());
    assert_eq!(ran.code, Some(4), "{}", ran.err);
    assert!(ran.err.contains("there is no key for far in FAR_KEY"), "{}", ran.err);
}

#[test]
fn setup_by_flags_writes_a_provider_that_works() {
    let place = Place::bare(ModelServer::start_with(|_| Some(Reply::say("hello"))));
    place.server.set_models(json!({"data": [{"id": "qwen", "max_model_len": 32768}, {"id": "other"}]}));
    place.home.write("config.toml", format!("# my settings\nlanguage = \"en\"\n{}", support::unboxed()));
    let url = place.server.base_url();
    let ran = place.run(&["setup", "--base-url", &url, "--api-key-env", "MOCK_KEY"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let written = place.home.read("config.toml");
    assert!(written.starts_with("# my settings\nlanguage = \"en\"\n"), "comments and order stay: {written}");
    assert!(written.contains("context_window = 32768"), "{written}");
    let ran = place.run(&["run", "hi"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "hello\n"), "{}", ran.err);
    assert!(place.server.requests().iter().all(|request| request.body["model"] == "qwen"));
}

#[test]
fn doctor_says_what_is_wrong_and_what_to_do() {
    let good = Place::new(vec![]);
    good.server.set_models(json!({"data": [{"id": "m1"}]}));
    let ran = good.run(&["doctor"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    for wanted in [
        "mock/m1",
        "answers and offers the model",
        "key found for MOCK_KEY",
        "bash is",
        if support::has_box() { "sandbox, level full" } else { "sandbox" },
    ] {
        assert!(ran.out.contains(wanted), "{wanted}: {}", ran.out);
    }
    assert!(!ran.out.contains("sk-secret"));
    good.server.set_models(json!({"data": [{"id": "another"}]}));
    let ran = good.run(&["doctor"]);
    assert!(ran.out.contains("another") && ran.out.contains("hint"), "{}", ran.out);
    let none = Place::bare(ModelServer::start_blocking(vec![]));
    let ran = none.run(&["doctor"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("reasonix setup"), "{}", ran.out);
}

#[test]
fn models_lists_what_is_configured_and_what_is_offered() {
    let place = Place::new(vec![]);
    place.server.set_models(json!({"data": [{"id": "m1"}, {"id": "m2"}]}));
    let ran = place.run(&["models"]);
    assert!(ran.out.starts_with("* mock/m1"), "{}", ran.out);
    assert!(place.server.all_requests().is_empty(), "nothing is asked without --live");
    let ran = place.run(&["models", "--live"]);
    assert!(ran.out.contains("m2"), "{}", ran.out);
}

#[test]
fn config_show_tells_where_each_value_comes_from() {
    let place = Place::new(vec![]);
    place.work.write("reasonix.toml", "[permissions]\ndeny = [\"Bash(rm:*)\"]\n[agent]\nmax_steps = 5\n");
    let ran = place.run(&["config", "show", "--origin"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let line = |key: &str| ran.out.lines().find(|line| line.starts_with(key)).unwrap_or_default().to_owned();
    assert!(line("default_model").contains("config.toml:1"), "{}", ran.out);
    assert!(line("permissions.deny").contains("reasonix.toml:2"), "{}", ran.out);
    assert!(line("tools.bash_timeout_seconds").contains("120"), "{}", ran.out);
    assert!(ran.err.contains("agent.max_steps"), "a project cannot set the step limit: {}", ran.err);
}

#[test]
fn help_and_completions() {
    let place = Place::bare(ModelServer::start_blocking(vec![]));
    for (args, wanted) in [
        (vec!["--help"], "reasonix demo"),
        (vec!["run", "--help"], "Exit codes"),
        (vec!["completions", "bash"], "reasonix"),
        (vec!["completions", "zsh"], "#compdef reasonix"),
        (vec!["completions", "fish"], "complete -c reasonix"),
        (vec!["--version"], env!("CARGO_PKG_VERSION")),
    ] {
        let ran = place.run(&args);
        assert_eq!(ran.code, Some(0));
        assert!(ran.out.contains(wanted), "{args:?}: {}", ran.out);
    }
}

#[test]
fn the_chat_needs_a_terminal() {
    let place = Place::new(vec![]);
    let ran = place.run(&[]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("reasonix run"), "{}", ran.err);
}
