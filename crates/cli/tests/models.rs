//! Models as a user meets them: listing, importing, profiles, chains, every wire, and keys that stay secret.

use crate::support;

use reasonix_testkit::{ModelServer, Reply};
use serde_json::{Value, json};
use std::path::Path;
use support::{Place, unboxed};

const KINDS: [&str; 3] = ["openai", "responses", "anthropic"];

fn configure(place: &Place, kind: &str, more: &str) {
    let text = format!(
        "default_model = \"mock\"\n[[providers]]\nname = \"mock\"\nkind = \"{kind}\"\nbase_url = \"{}\"\nmodel = \"m1\"\napi_key_env = \"MOCK_KEY\"\n{more}\n{}",
        place.server.base_url(),
        unboxed()
    );
    place.home.write("config.toml", text);
}

#[test]
fn an_answer_that_has_to_fit_a_schema_is_told_so_on_the_wire_where_that_can_be() {
    let schema = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}).to_string();
    for (kind, field) in [("openai", "response_format"), ("responses", "text"), ("anthropic", "output_config")] {
        for (when, says) in [("closing", [false, true]), ("always", [true, true])] {
            let replies = vec![Reply::say("no idea"), Reply::say("{\"n\": 4}")];
            let place = Place::with_server(ModelServer::start_blocking(replies));
            configure(&place, kind, &format!("compat = {{ structured = \"strict\", structured_when = \"{when}\" }}"));
            place.work.write("s.json", &schema);
            let ran = place.run(&["run", "--output-schema", "s.json", "count"]);
            assert_eq!(ran.code, Some(0), "{kind}: {}", ran.err);
            let bodies = place.server.requests();
            let told: Vec<bool> = bodies.iter().map(|request| request.body.get(field).is_some()).collect();
            assert_eq!(told, says, "{kind} {when}");
            let words = String::from_utf8_lossy(&bodies[0].raw).into_owned();
            assert!(words.contains("fitting this JSON schema"), "the words say it too: {words}");
            place.server.assert_valid();
            place.server.assert_prefixes_grow();
        }
    }
}

#[test]
fn a_session_on_every_wire_goes_on_after_a_restart() {
    for kind in KINDS {
        let replies = vec![
            Reply::call("ls", json!({})).after_saying("Looking.").after_thinking("think first"),
            Reply::say("first done").after_thinking("and again"),
            Reply::say("second done"),
        ];
        let place = Place::with_server(ModelServer::start_blocking(replies));
        configure(&place, kind, "");
        place.work.write("a.txt", "x");
        let ran = place.run(&["run", "look around"]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "first done\n"), "{kind}: {}", ran.err);
        let ran = place.run(&["run", "--continue", "and now?"]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "second done\n"), "{kind}: {}", ran.err);
        place.server.assert_valid();
        place.server.assert_prefixes_grow();
        let last = String::from_utf8(place.server.requests()[2].raw.clone()).unwrap();
        match kind {
            "anthropic" => assert_eq!(last.matches("\"signature\":\"signed-0\"").count(), 2, "{last}"),
            "responses" => assert_eq!(last.matches("\"encrypted_content\":\"encrypted-0\"").count(), 2, "{last}"),
            _ => assert!(!last.contains("think first"), "this endpoint does not want it back"),
        }
    }
}

#[test]
fn models_are_searched_and_priced() {
    let place = Place::bare(ModelServer::start_blocking(vec![]));
    place.home.write("config.toml", "default_model = \"anthropic\"\n[[providers]]\nname = \"anthropic\"\npreset = \"anthropic\"\n[roles]\nsmall = \"claude-haiku-5-5\"\n");
    let ran = place.run(&["models"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 6, "{}", ran.out);
    assert!(lines[0].starts_with("* anthropic/claude-sonnet-5-5"), "{}", ran.out);
    for part in ["1000000", "2 / 0.2 / 10 USD", "low medium high xhigh"] {
        assert!(lines[0].contains(part), "{part}: {}", lines[0]);
    }
    let ran = place.run(&["models", "HAIKU-5"]);
    assert!(ran.out.lines().count() == 1 && ran.out.trim_end().ends_with("small"), "{}", ran.out);
    let ran = place.run(&["models", "nothing-like-it"]);
    assert!(ran.out.is_empty() && ran.err.contains("nothing-like-it"), "{}", ran.err);
    let ran = place.run(&["models", "--presets"]);
    let addresses: std::collections::BTreeSet<usize> =
        ran.out.lines().filter_map(|line| line.find("http").map(|at| line[..at].chars().count())).collect();
    assert_eq!(addresses.len(), 1, "one column: {}", ran.out);
    for preset in ["deepseek", "dashscope-us", "kimi", "glm", "minimax", "openrouter", "azure", "sglang", "lmstudio"] {
        assert!(ran.out.contains(preset), "{preset}: {}", ran.out);
    }
    let ran = place.run(&["models", "--known", "gpt-5"]);
    assert!(ran.out.contains("gpt-5-mini") && !ran.out.contains("claude"), "{}", ran.out);
    assert_eq!(place.server.all_requests().len(), 0, "nothing was asked");
}

/// A catalogue of another machine: a model that nobody here knows, and one whose price changed.
fn catalogue(dated: &str) -> Value {
    json!({ "catalogue": 1, "dated": dated, "models": [
        {
            "id": "zeta-9", "window": 777_000, "output": 50_000, "vision": true, "efforts": ["low", "high"],
            "price": {"input": 2.5, "cached": 0.25, "output": 9.5, "currency": "USD"},
            "served": [{"wire": "openai", "at": ["127.0.0.1"], "thinking": "openrouter"}],
        },
        {"id": "gpt-5", "window": 400_000, "output": 128_000, "price": {"input": 7.0, "cached": 0.7, "output": 11.0, "currency": "USD"}},
    ]})
}

#[test]
fn a_newer_catalogue_is_brought_in_offline_and_taken_back() {
    let place = Place::with_server(ModelServer::start_blocking(Vec::new()));
    let built = place.run(&["models", "--known", "--json"]);
    let whole: Value = serde_json::from_str(&built.out).unwrap();
    assert!(whole["dated"].as_str().is_some_and(|dated| dated.starts_with("20")), "{whole}");
    let ran = place.run(&["models", "--known", "gpt-5"]);
    assert!(ran.err.contains(whole["dated"].as_str().unwrap()), "it says of which day it is: {}", ran.err);

    place.home.write(
        "config.toml",
        "default_model = \"hosted/zeta-9\"\n[[providers]]\nname = \"hosted\"\nkind = \"openai\"\nbase_url = \"https://models.example/v1\"\nmodels = [\"zeta-9\", \"gpt-5\", \"mine\"]\n[[models]]\nid = \"gpt-5\"\nprice = { input = 3.0, output = 4.0 }\n",
    );
    assert!(!place.run(&["models"]).out.contains("777000"));
    place.work.write("new.json", catalogue("2999-01-01").to_string());
    let ran = place.run(&["models", "update", "new.json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("2999-01-01") && ran.out.contains('2'), "{}", ran.out);
    let listed = place.run(&["models"]);
    let line = |name: &str| listed.out.lines().find(|line| line.contains(name)).unwrap_or_default().to_owned();
    for part in ["777000", "2.5 / 0.25 / 9.5 USD", "low high"] {
        assert!(line("zeta-9").contains(part), "{part}: {}", listed.out);
    }
    assert!(
        line("gpt-5").contains("3 / ") && !line("gpt-5").contains("7 / "),
        "what the user says wins: {}",
        listed.out
    );
    let known = place.run(&["models", "--known"]);
    assert!(known.out.contains("zeta-9") && known.out.contains("claude-opus-5"), "{}", known.out);
    assert!(known.err.contains("2999-01-01") && known.err.contains(whole["dated"].as_str().unwrap()), "{}", known.err);
    let doctor = place.run(&["doctor", "--offline"]);
    assert!(format!("{}{}", doctor.out, doctor.err).contains("2999-01-01"), "{}", doctor.out);

    // What cannot be used replaces nothing.
    let kept = place.home.read("catalogue.json");
    let mut newer = catalogue("2999-02-01");
    (newer["catalogue"], newer["prices"]) = (json!(2), json!("of another form"));
    let mut free = catalogue("2999-02-01");
    free["models"][0]["window"] = json!(0);
    for (text, says) in [
        ("{ not json".to_owned(), "new.json:1"),
        (newer.to_string(), "2"),
        (free.to_string(), "models[0].window"),
        (catalogue("2020-01-01").to_string(), "2020-01-01"),
        ("x".repeat(2 << 20), "1048576"),
    ] {
        place.work.write("new.json", text);
        let ran = place.run(&["models", "update", "new.json"]);
        assert!(ran.code == Some(2) && ran.err.contains(says), "{says}: {:?} {}", ran.code, ran.err);
        assert_eq!(place.home.read("catalogue.json"), kept, "{says}");
    }
    assert_eq!(place.run(&["models", "update", "no-such-file.json"]).code, Some(2));
    assert_eq!(place.run(&["models", "update"]).code, Some(2));

    // One that was broken where it lies is said, and what is built in holds.
    place.home.write("catalogue.json", "{");
    let ran = place.run(&["models"]);
    assert!(ran.code == Some(0) && ran.err.contains("catalogue.json") && !ran.out.contains("777000"), "{}", ran.err);
    let ran = place.run(&["models", "update", "--remove"]);
    assert_eq!((ran.code, place.run(&["models", "--known", "--json"]).out), (Some(0), built.out));
    assert_eq!(place.run(&["models", "update", "--remove"]).code, Some(0), "there is nothing any more");
    assert_eq!(place.server.all_requests().len(), 0, "nothing was asked");
}

#[test]
fn what_a_catalogue_says_of_a_model_is_how_it_is_asked() {
    let place = Place::with_server(ModelServer::start_blocking(vec![Reply::say("before"), Reply::say("after")]));
    let url = place.server.base_url();
    place.home.write(
        "config.toml",
        format!("default_model = \"mock/zeta-9:high\"\n[[providers]]\nname = \"mock\"\nkind = \"openai\"\nbase_url = \"{url}\"\nmodel = \"zeta-9\"\n{}", unboxed()),
    );
    assert_eq!(place.run(&["run", "hi"]).code, Some(0));
    place.work.write("new.json", catalogue("2999-01-01").to_string());
    assert_eq!(place.run(&["models", "update", "new.json"]).code, Some(0));
    assert_eq!(place.run(&["run", "hi"]).code, Some(0));
    let bodies = place.server.requests();
    assert_eq!((&bodies[0].body["reasoning_effort"], &bodies[0].body["reasoning"]), (&json!("high"), &Value::Null));
    assert_eq!(
        (&bodies[1].body["reasoning_effort"], &bodies[1].body["reasoning"]),
        (&Value::Null, &json!({"effort": "high"}))
    );
}

const YML: &str = r#"
providers:
  house:
    baseUrl: http://127.0.0.1:1/v1
    apiKeyEnv: HOUSE_KEY
    api: openai-completions
    headers: { X-Team: a }
    disableStrictTools: true
    requestTransform: { extraBody: { seed: 1 }, stripHeaders: [X-A] }
    compat:
      openRouterRouting: { only: [a] }
      supportsDeveloperRole: false
      requiresMistralToolIds: true
      thinkingFormat: qwen
    models:
      - id: big-model
        contextWindow: 64000
        maxTokens: 4000
        input: [text, image]
        cost: { input: 3.00, output: 15.00, cacheRead: 0.30, cacheWrite: 3.75 }
        wireModelId: big-2
        thinking: { levels: [low, high], defaultLevel: high }
      - id: small-model
  secretive:
    baseUrl: https://x.example/v1
    apiKey: sk-canary-literal
    api: anthropic-messages
    models: [{ id: m }]
  cloud:
    api: google-vertex
    baseUrl: https://g.example
    models: [{ id: g }]
equivalence:
  overrides: { "house/small-model": small-official }
  exclude: [house/big-model]
profiles:
  eco:
    required_providers: [house]
    model_mapping: { default: "house/small-model:low" }
modelBindings:
  modelRoles: { critic: "house/big-model:high" }
"#;

#[test]
fn a_models_yml_becomes_settings() {
    let place = Place::bare(ModelServer::start_blocking(vec![]));
    place.work.write("models.yml", YML);
    let ran = place.run(&["models", "import", "models.yml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("tool_ids = \"nine\"") && ran.out.contains("[model_profiles.eco]"), "{}", ran.out);
    assert!(!ran.out.contains("canary") && !ran.err.contains("canary"), "a key is not taken over");
    assert!(ran.err.contains("providers.cloud") && ran.err.contains("providers.secretive.apiKey"), "{}", ran.err);
    for field in [
        "providers.house.disableStrictTools",
        "providers.house.requestTransform.stripHeaders",
        "providers.house.compat.openRouterRouting",
        "providers.house.big-model.thinking.defaultLevel",
        "equivalence.exclude",
    ] {
        assert!(ran.err.contains(field), "{field} was dropped without a word: {}", ran.err);
    }
    for taken in
        ["baseUrl", "levels", "extraBody", "wireModelId", "cost", "thinkingFormat", "profiles", "requiresMistral"]
    {
        assert!(!ran.err.contains(taken), "{taken} was taken over: {}", ran.err);
    }
    place.home.write("config.toml", "# mine\nlanguage = \"en\"\n");
    assert_eq!(place.run(&["models", "import", "--write", "models.yml"]).code, Some(0));
    assert!(place.home.read("config.toml").starts_with("# mine\nlanguage = \"en\"\n"));
    let ran = place.run(&["models", "house"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.out.contains("64000") && ran.out.contains("3 / 0.3 / 15 USD") && ran.out.contains("critic"),
        "{}",
        ran.out
    );
    place.work.write("bad.yml", "providers: [");
    let ran = place.run(&["models", "import", "bad.yml"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
}

#[test]
fn a_profile_without_its_key_stops_before_anything_is_sent() {
    let place = Place::bare(ModelServer::start_blocking(vec![]));
    place.home.write("config.toml", format!("model_profile = \"auto\"\n{}", unboxed()));
    let ran = place.run(&["run", "hi"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("DEEPSEEK_API_KEY") && ran.err.contains("auto"), "{}", ran.err);
    assert!(place.logs().is_empty(), "nothing was begun");
}

#[test]
fn the_log_names_the_model_that_answered() {
    let good = ModelServer::start_blocking(vec![Reply::say("from the spare")]);
    let place =
        Place::with_server(ModelServer::start_with(|_| Some(Reply::fail(429, "{}").with_header("Retry-After", "0"))));
    let spare = format!(
        "[[providers]]\nname = \"spare\"\nbase_url = \"{}\"\nmodel = \"s1\"\n[[models]]\nid = \"mock/m1\"\nfallback = [\"spare\"]\n",
        good.base_url()
    );
    configure(&place, "openai", &spare);
    let ran = place.run(&["run", "--json", "hi"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let events: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let message = events.iter().find(|event| event["event"]["type"] == "message").expect("a message");
    assert_eq!(message["event"]["record"]["model"], "spare/s1", "{message}");
    assert!(ran.out.contains("engine.fell_back"), "{}", ran.out);
}

fn files_with(folder: &Path, needle: &str, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files_with(&path, needle, found);
        } else if std::fs::read(&path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(needle)) {
            found.push(path.display().to_string());
        }
    }
}

/// A key is in the request and nowhere else: not on the screen, not in events, not in the log, not in any file.
#[test]
fn a_key_is_never_shown_or_kept() {
    const CANARY: &str = "sk-canary-4711-canary";
    for kind in KINDS {
        let echo = format!(r#"{{"error":{{"message":"bad key {CANARY}, header Bearer {CANARY}"}}}}"#);
        let html = format!("<html>{CANARY}</html>");
        let replies = [
            Reply::fail(401, &echo),
            Reply::fail(400, &echo),
            Reply::html(),
            Reply::fail(502, &html),
            Reply::raw(format!("data: {{\"error\":{{\"message\":\"no {CANARY}\"}}}}\n\n")),
            Reply::raw(format!("data: garbage {CANARY}\n\n")),
            Reply::fail(307, "").with_header("Location", &format!("https://elsewhere.example/?k={CANARY}")),
        ];
        let many: Vec<Reply> = replies.iter().flat_map(|reply| vec![reply.clone(); 5]).collect();
        let place = Place::with_server(ModelServer::start_blocking(many));
        configure(&place, kind, "headers = { X-Extra = \"${MOCK_KEY}\" }\n");
        place.home.write(".env", "");
        let mut shown = String::new();
        let mut sent = 0;
        for args in [
            vec!["run", "hi"],
            vec!["run", "--json", "hi"],
            vec!["run", "--json", "hi"],
            vec!["run", "--json", "hi"],
            vec!["run", "hi"],
            vec!["config", "show", "--origin"],
            vec!["doctor"],
            vec!["models", "--live"],
            vec!["sessions", "--json", "--all"],
            vec!["run", "--base-url", "http://127.0.0.1:9/v1?key=sk-canary-4711-canary", "--model", "m", "hi"],
        ] {
            let mut command = place.command(&args);
            command.env("MOCK_KEY", CANARY).env("REASONIX_API_KEY", CANARY).env("RUST_BACKTRACE", "full");
            let ran = support::finish(command.output().unwrap());
            shown.push_str(&ran.out);
            shown.push_str(&ran.err);
            sent += 1;
        }
        assert_eq!(sent, 10);
        assert!(!shown.contains("canary"), "{kind}: {shown}");
        let heads: Vec<_> = place.server.requests().iter().flat_map(|request| request.headers.clone()).collect();
        assert!(heads.iter().any(|(_, value)| value.contains(CANARY)), "{kind}: it was sent");
        let mut found = Vec::new();
        files_with(&place.home.path(), CANARY, &mut found);
        files_with(&place.work.path(), CANARY, &mut found);
        assert_eq!(found, [""; 0], "{kind}");
    }
}
