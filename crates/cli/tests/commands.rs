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
fn an_entry_of_a_list_is_not_set_by_its_column() {
    let place = Place::new(vec![]);
    let before = place.home.read("config.toml");
    for key in ["plugins[].url", "plugins.x", "providers[].kind", "plugins"] {
        let ran = place.run(&["config", "set", key, "x"]);
        assert!(ran.code == Some(2) && ran.err.contains("several entries"), "{key}: {}", ran.err);
    }
    assert_eq!(place.home.read("config.toml"), before);
}

#[test]
fn the_documents_are_in_the_program() {
    let place = Place::bare(ModelServer::start_blocking(vec![]));
    let ran = place.run(&["docs"]);
    assert!(ran.code == Some(0) && ran.out.contains("sandbox") && ran.out.contains("  The sandbox\n"), "{}", ran.out);
    let ran = place.run(&["docs", "Sandbox.md"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), include_str!("../../../docs/sandbox.md")));
    let ran = place.run(&["docs", "landlock"]);
    assert!(
        ran.code == Some(2) && ran.err.contains("there is no document landlock. Look into: sandbox"),
        "{}",
        ran.err
    );
    let ran = place.run(&["docs", "trust", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&told["name"], &told["title"]), (&json!("trust"), &json!("Trust")));
    assert!(place.logs().is_empty(), "reading leaves nothing behind");
}

/// Also where every read is asked about: they are no files of anybody.
#[test]
fn a_model_reads_the_documents_too() {
    let call = |path: &str| Reply::call("read_file", json!({"path": path}));
    let place = Place::new(vec![
        call("reasonix://docs"),
        call("reasonix://docs/undo#x"),
        call("reasonix://docs/nosuch"),
        Reply::say("ok"),
    ]);
    place.configure("[permissions]\nask = [\"Read\"]\n");
    let ran = place.run(&["run", "go"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let requests = place.server.requests();
    let results: Vec<&str> = requests[3].body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].as_str().unwrap())
        .collect();
    assert!(results[0].contains("reasonix://docs/undo: Taking changes back"), "{}", results[0]);
    assert!(results[1].contains("# Taking changes back"), "{}", results[1]);
    assert!(
        results[2].contains("there is no document") && results[2].contains("reasonix://docs/undo"),
        "{}",
        results[2]
    );
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
    for (args, wanted) in [
        (&["--prompt", "x"][..], "to get one answer: reasonix run \"…\""),
        (&["--model", "x", "run", "hi"], "stand behind it"),
        (&["version"], "did you mean reasonix --version"),
        (&["sesions", "list"], "did you mean reasonix sessions"),
        (&["nosuch"], "reasonix chat nosuch"),
        (&["--json", "fix the bug"], "add -p"),
        (&["fix the bug"], "the chat needs a terminal"),
        (&["chat", "hi"], "the chat needs a terminal"),
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(2), "{args:?}");
        assert!(ran.err.contains(wanted), "{args:?}: {}", ran.err);
    }
    let ran = place.run(&["run", "--wrong", "hi"]);
    assert!(ran.code == Some(2) && !ran.err.contains("to chat"), "{}", ran.err);
}

#[test]
fn a_prompt_is_printed_with_p_and_by_other_words_for_run() {
    let place = Place::with_server(ModelServer::start_with(|_| Some(Reply::say("hello"))));
    for args in [&["-p", "hi"][..], &["--print", "hi"], &["-p", "--quiet", "fix the bug"], &["exec", "hi"]] {
        let ran = place.run(args);
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "hello\n"), "{args:?}: {}", ran.err);
    }
    let ran = place.run(&["-p", "go on", "-c", "--json"]);
    assert!(ran.code == Some(0) && ran.out.lines().all(|line| line.starts_with('{')), "{}", ran.out);
    let last = place.server.requests().pop().unwrap();
    assert!(last.body["messages"].to_string().contains("hi"), "it went on with the last session");
}

#[test]
fn resume_without_an_id_lists_what_there_is() {
    let place = Place::with_server(ModelServer::start_with(|_| Some(Reply::say("hello"))));
    let ran = place.run(&["--resume"]);
    assert!(ran.code == Some(2) && ran.err.contains("there are no sessions yet"), "{}", ran.err);
    place.run(&["run", "mend the roof"]);
    for args in [&["--resume"][..], &["run", "--resume"]] {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(2), "{args:?}: {}", ran.err);
        let line = ran.out.lines().next().unwrap_or_default();
        assert!(line.starts_with("reasonix --resume ") && line.ends_with("mend the roof"), "{args:?}: {}", ran.out);
        let id = line.split_whitespace().nth(2).unwrap();
        assert_eq!(place.run(&["run", "--resume", id, "and the door"]).code, Some(0));
    }
}

#[test]
fn chinese_begins_with_the_help_and_ends_with_the_last_refusal() {
    let place = Place::bare(ModelServer::start_blocking(vec![]));
    let zh = |args: &[&str]| support::finish(place.command(args).env("LANG", "zh_CN.UTF-8").output().unwrap());
    let latin = |text: &str| {
        let words = text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| word.len() > 1);
        words.filter(|word| word.chars().all(|c| c.is_ascii_lowercase())).map(str::to_owned).collect::<Vec<_>>()
    };
    let ran = zh(&["--help"]);
    assert!(ran.code == Some(0) && ran.out.contains("用法："), "{}{}", ran.out, ran.err);
    for english in [" the ", " this ", "Options", "Commands", "Usage"] {
        assert!(!ran.out.contains(english), "{english}: {}", ran.out);
    }
    for args in [&["run", "--max-steps", "x", "hi"][..], &["run", "--wrong"], &["undo", "--log"]] {
        let ran = zh(args);
        assert_eq!(ran.code, Some(2), "{args:?}: {}", ran.err);
        let left = latin(&ran.err)
            .into_iter()
            .filter(|word| !["help", "max", "steps", "wrong", "log"].contains(&word.as_str()));
        assert!(ran.err.contains("错误：") && left.count() < 3, "{args:?}: {}", ran.err);
    }
    for name in ["config", "store", "bench"] {
        let ran = zh(&[name]);
        let page = ran.err.contains(&format!("用法：reasonix {name}"));
        assert!(ran.code == Some(2) && page && !ran.err.contains("Print help"), "{}", ran.err);
    }
    place.home.write("config.toml", "language = \"zh\"\n");
    assert!(place.run(&["--help"]).out.contains("用法："), "a setting says the language too");
    let calls = vec![Reply::call("bash", json!({"command": "rm -r src"})), Reply::say("不行")];
    let place = Place::new(calls);
    place.work.write("src/a.txt", "x");
    let ran = support::finish(place.command(&["run", "hi"]).env("LANG", "zh_CN.UTF-8").output().unwrap());
    assert!(ran.err.contains("已阻止：它属于危险操作"), "{}", ran.err);
    assert!(!ran.err.contains("dangerous class") && !ran.err.contains("tell the user"), "{}", ran.err);
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

/// Who sets up a service that wants a key is told that, and how to give it; an address without its path is found.
#[test]
fn setup_says_that_a_key_is_wanted_and_how_to_give_it() {
    let place = Place::bare(ModelServer::start_with(|_| Some(Reply::say("hello"))));
    place.server.lock_models("good");
    place.home.write("config.toml", support::unboxed());
    let bare = format!("127.0.0.1:{}", place.server.port());
    let setup = |key: Option<&str>, rest: &[&str]| {
        let words = [&["setup", "--no-probe", "--base-url", bare.as_str()], rest].concat();
        let mut command = place.command(&words);
        command.env_remove("MY_KEY");
        command.envs(key.map(|key| ("MY_KEY", key)));
        support::finish(command.output().unwrap())
    };
    for (key, rest, said) in [
        (None, &[][..], "wants a key"),
        (None, &["--api-key-env", "MY_KEY"], "the variable MY_KEY is not set"),
        (Some("bad"), &["--api-key-env", "MY_KEY"], "does not accept this key"),
    ] {
        let ran = setup(key, rest);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert!(ran.err.contains(said) && ran.err.contains("--api-key-env"), "{said}: {}", ran.err);
        assert!(!ran.err.contains("or run `reasonix setup`"), "{}", ran.err);
    }
    let ran = setup(Some("good"), &["--api-key-env", "MY_KEY"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(place.home.read("config.toml").contains(&place.server.base_url()), "{}", place.home.read("config.toml"));
    let ran = setup(Some("good"), &["--api-key-env", "MY_KEY", "--model", "nosuch"]);
    assert!(ran.err.contains("does not list the model nosuch"), "{}", ran.err);
}

#[test]
fn setup_keeps_every_model_and_makes_no_second_provider_of_one_address() {
    let place = Place::bare(ModelServer::start_with(|_| Some(Reply::say("hello"))));
    place.server.set_models(json!({"data": [{"id": "large", "max_model_len": 32768}, {"id": "small"}]}));
    place.home.write("config.toml", support::unboxed());
    let url = place.server.base_url();
    let ran = place.run(&["setup", "--no-probe", "--name", "mine", "--base-url", &url, "--model", "large"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let ran = place.run(&["run", "--model", "mine/small", "hi"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let ran = place.run(&["setup", "--no-probe", "--base-url", &url, "--model", "small"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let listed = place.run(&["models"]).out;
    let names: Vec<&str> = listed.split_whitespace().filter(|word| word.contains('/')).take(4).collect();
    assert_eq!(names, ["mine/large", "mine/small"], "{listed}");
    assert!(listed.contains("* mine/small"), "{listed}");
    assert!(!listed.lines().any(|line| line.contains("mine/small") && line.contains("32768")), "{listed}");
}

#[test]
fn setup_of_a_hosted_service_keeps_what_is_known_of_it() {
    let place = Place::bare(ModelServer::start_blocking(vec![]));
    place.home.write(
        "config.toml",
        "[[providers]]\nname = \"deepseek\"\npreset = \"deepseek\"\nmodels = [\"deepseek-chat\"]\n",
    );
    let url = "https://api.deepseek.com";
    let mut command = place.command(&["setup", "--base-url", url, "--model", "deepseek-v4-flash"]);
    let ran = support::finish(command.env("HTTPS_PROXY", "http://127.0.0.1:9").output().unwrap());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let listed = place.run(&["models"]).out;
    for model in ["* deepseek/deepseek-v4-flash", "deepseek/deepseek-chat", "deepseek/deepseek-v4-pro"] {
        assert!(listed.contains(model), "{model}: {listed}");
    }
    assert!(!place.home.read("config.toml").contains("context_window"), "what is known may grow");
}

#[test]
fn without_its_key_a_hosted_service_is_not_asked_and_doctor_says_so() {
    let place = Place::bare(ModelServer::start_blocking(vec![]));
    let settings = "[[providers]]\nname = \"deepseek\"\npreset = \"deepseek\"\nmodels = [\"deepseek-chat\"]\n";
    place.home.write("config.toml", format!("{settings}{}", support::unboxed()));
    // Whoever listens here would see a connection.
    let proxy = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    proxy.set_nonblocking(true).unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let run = |args: &[&str]| {
        let mut command = place.command(args);
        support::finish(command.env("HTTPS_PROXY", &address).env_remove("DEEPSEEK_API_KEY").output().unwrap())
    };
    let ran = run(&["run", "hello"]);
    assert!(ran.code == Some(4) && ran.err.contains("DEEPSEEK_API_KEY"), "{:?} {}", ran.code, ran.err);
    assert!(!ran.err.contains("attempt"), "{}", ran.err);
    assert!(proxy.accept().is_err(), "nobody was asked");
    drop(proxy);
    let ran = run(&["doctor"]);
    let line = ran.out.lines().find(|line| line.contains("DEEPSEEK_API_KEY")).unwrap_or_default().to_owned();
    assert!(line.starts_with("BAD"), "{}", ran.out);
}

#[test]
fn doctor_tries_every_kind_of_endpoint() {
    for (kind, wire) in [("anthropic", "anthropic"), ("responses", "responses"), ("openai", "openai")] {
        let place = Place::bare(ModelServer::start_blocking(vec![]));
        place.server.set_models(json!({"data": [{"id": "m-20250929"}]}));
        let settings = |url: &str| {
            let model = "model = \"m\"\napi_key_env = \"MOCK_KEY\"\n";
            format!(
                "[[providers]]\nname = \"{kind}\"\nkind = \"{wire}\"\nbase_url = \"{url}\"\n{model}{}",
                support::unboxed()
            )
        };
        place.home.write("config.toml", settings(&place.server.base_url()));
        let ran = place.run(&["doctor"]);
        assert!(ran.out.contains("answers and offers the model"), "{kind}: {}", ran.out);
        place.home.write("config.toml", settings("http://127.0.0.1:9/v1"));
        let ran = place.run(&["doctor"]);
        assert_eq!(ran.code, Some(1), "{kind}: {}", ran.out);
        assert!(ran.out.contains("BAD   Nobody answers at http://127.0.0.1:9/v1"), "{kind}: {}", ran.out);
    }
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

/// An argument is an entry, blanks and all, and nothing is written that would not be read again.
#[test]
fn config_set_takes_rules_whole_and_locks_nobody_out() {
    let place = Place::new(vec![]);
    let ran = place.run(&["config", "set", "permissions.deny", "Bash(git push:*)", "Read(secrets/**)"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let rules = place.run(&["config", "get", "permissions.deny"]).out;
    assert_eq!(rules, "[\"Bash(git push:*)\", \"Read(secrets/**)\"]\n");
    let refused = place.run(&["config", "set", "permissions.deny", "Bash(git"]);
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert_eq!(place.run(&["config", "get", "permissions.deny"]).out, rules, "what was there is there");
    // What somebody wrote by hand and nothing reads is taken out by the same command.
    place.configure("[permissions]\ndeny = [\"Bash(git\"]\n");
    assert_eq!(place.run(&["config", "get", "permissions.deny"]).code, Some(2));
    assert_eq!(place.run(&["config", "set", "permissions.deny"]).code, Some(0));
    assert_eq!(place.run(&["config", "get", "agent.max_steps"]).err, "");
}

#[test]
fn a_page_of_help_has_no_english_words_of_its_own_in_chinese() {
    let place = Place::new(vec![]);
    let page = support::finish(place.command(&["--help"]).env("REASONIX_LANG", "zh").output().unwrap());
    assert_eq!(page.code, Some(0), "{}", page.err);
    for (word, there) in [("[选项]", true), ("命令：", true), ("[OPTIONS]", false), ("选项:", false), ("alias", false)]
    {
        assert_eq!(page.out.contains(word), there, "{word}: {}", page.out);
    }
}

#[test]
fn config_set_refuses_what_nobody_could_follow() {
    let place = Place::new(vec![]);
    let before = place.home.read("config.toml");
    for (key, value) in [
        ("tui.theme", "nonsense"),
        ("language", "xx"),
        ("default_model", "no/such"),
        ("agent.planner_model", "nobody"),
        ("fallback_models", "nobody"),
        ("net.proxy", "nonsense"),
        ("net.proxy", "ftp://proxy:1"),
    ] {
        let refused = place.run(&["config", "set", key, value]);
        assert_eq!(refused.code, Some(2), "{key} {value}: {}", refused.err);
        assert_eq!(place.home.read("config.toml"), before, "{key} {value}");
    }
    for (key, value) in [("tui.theme", "light"), ("default_model", "mock/m1"), ("net.proxy", "proxy.example:3128")] {
        let set = place.run(&["config", "set", key, value]);
        assert_eq!(set.code, Some(0), "{key} {value}: {}", set.err);
    }
    place.run(&["config", "set", "net.proxy"]);
    assert!(!place.home.read("config.toml").contains("[net]"), "{}", place.home.read("config.toml"));
    // A guard whose name is misspelt is no notice among others.
    for (section, meant) in [
        ("permisions", "permissions"),
        ("profiles.build.permisions", "permissions"),
        ("profile.build.permissions", "profiles"),
    ] {
        place.configure(&format!("[{section}]\ndeny = [\"Bash\"]\n"));
        let refused = place.run(&["run", "hi"]);
        assert!(refused.code == Some(2) && refused.err.contains(meant), "{section}: {}", refused.err);
    }
}

#[test]
fn config_gets_and_sets_one_setting() {
    let place = Place::new(vec![]);
    let ran = place.run(&["config", "set", "agent.max_steps", "7"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(place.run(&["config", "get", "agent.max_steps"]).out, "7\n");
    place.run(&["config", "set", "tui.status", "model", "git"]);
    assert_eq!(place.run(&["config", "get", "tui.status"]).out, "[\"model\", \"git\"]\n");
    place.run(&["config", "set", "language", "zh"]);
    assert_eq!(place.run(&["config", "get", "language"]).out, "zh\n");
    place.run(&["config", "set", "language"]);
    assert!(!place.home.read("config.toml").contains("language"));
    assert!(place.run(&["config", "get", "agent"]).out.contains("agent.max_steps = 7\n"));
    let ran = place.run(&["config", "set", "agent.max_step", "7"]);
    assert!(ran.code == Some(2) && ran.err.contains("did you mean agent.max_steps?"), "{}", ran.err);
    let ran = place.run(&["config", "set", "agent.max_steps", "many"]);
    assert!(ran.code == Some(2) && ran.err.contains("agent.max_steps"), "{}", ran.err);
    assert!(
        place.run(&["run", "hi"]).code.is_some() && place.home.read("config.toml").contains("mock"),
        "the rest stays"
    );
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

/// Chinese from the first word to the last: what the model of the demo says, and what tools say when they fail.
#[test]
fn the_demo_and_failures_of_tools_are_told_in_chinese() {
    let zh = |place: &Place, args: &[&str]| {
        support::finish(place.command(args).env("LANG", "zh_CN.UTF-8").output().unwrap())
    };
    let bare = Place::bare(ModelServer::start_blocking(vec![]));
    let ran = zh(&bare, &["demo"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("现在改为相乘") && ran.err.contains("[x] 修复原因"), "{}{}", ran.out, ran.err);
    assert!(!ran.err.contains("The test expects"), "{}", ran.err);
    let place = Place::new(vec![
        Reply::calls(&[
            ("read_file", json!({ "path": "nosuch" })),
            ("read_file", json!({ "path": "/etc/hostname" })),
            ("edit_file", json!({ "path": "a.txt", "old_string": "zzz", "new_string": "y" })),
        ]),
        Reply::say("done"),
    ]);
    place.work.write("a.txt", "one\n");
    let ran = zh(&place, &["run", "go"]);
    for wanted in ["nosuch 不存在。", "/etc/hostname 在工作区之外：根文件夹是", "a.txt 中没有 old_string"]
    {
        assert!(ran.err.contains(wanted), "{wanted}: {}", ran.err);
    }
    let ran = zh(&place, &["run", "--add-dir", "/nosuch", "go"]);
    assert!(ran.err.contains("/nosuch 不存在") && !ran.err.contains("does not exist"), "{}", ran.err);
}

#[test]
fn a_session_is_shown_with_the_time_of_this_machine() {
    let place = Place::new(vec![Reply::say("hello")]);
    assert_eq!(place.run(&["run", "hi"]).code, Some(0));
    let id = place.logs()[0].file_stem().unwrap().to_str().unwrap().to_owned();
    let hour = |zone: &str| {
        let ran = support::finish(place.command(&["sessions", "show", &id]).env("TZ", zone).output().unwrap());
        let line = ran.out.lines().find(|line| line.contains("Reasonix ")).unwrap_or_default().to_owned();
        let time = line.rsplit(" · ").next().and_then(|made| made.split_once(' ')).map(|(_, time)| time.to_owned());
        let hour = time.as_deref().and_then(|time| time.split(':').next()).and_then(|hour| hour.parse::<u32>().ok());
        hour.unwrap_or_else(|| panic!("{zone}: {line}"))
    };
    assert_eq!((hour("XXX-8") + 24 - hour("XXX0")) % 24, 8);
}

#[test]
fn a_whole_file_system_as_folder_is_answered_with_what_to_do() {
    let place = Place::new(vec![]);
    place.configure("[sandbox]\nbash = \"enforce\"\n");
    let ran = support::finish(place.command(&["doctor", "--offline"]).current_dir("/").output().unwrap());
    if support::has_box() {
        assert!(ran.out.contains("the whole file system") && ran.out.contains("reasonix -C PROJECT"), "{}", ran.out);
        assert!(!ran.out.contains("AppArmor"), "{}", ran.out);
    }
}

#[test]
fn a_call_in_a_shell_that_is_not_there_says_what_has_to_change() {
    let place = Place::new(vec![Reply::call("bash", json!({ "command": "ls" })), Reply::say("I cannot.")]);
    place.configure("[permissions]\nmode = \"allow\"\n\n[tools.shell]\npath = \"/nope/sh\"\n");
    let ran = place.run(&["run", "go"]);
    assert!(ran.err.contains("no program /nope/sh"), "{}", ran.err);
    let requests = place.server.requests();
    assert!(requests[1].last_content().contains("tools.shell.path"), "{}", requests[1].last_content());
}
