//! Layers, origins and files: what wins, where it came from, and what is refused.

use crate::common;

use common::{Disk, told};
use pretty_assertions::assert_eq;
use reasonix_config::{BashBoxing, ConfigError, Fallback, Layer, Unreadable};
use std::os::unix::fs::PermissionsExt;

const LOCAL: &str = "[[providers]]\nname = \"local\"\nbase_url = \"http://127.0.0.1:1/v1\"\nmodels = [\"a\", \"b\"]\n";

#[test]
fn flag_over_environment_over_project_over_user_over_default() {
    let mut disk = Disk::new().user(&format!("default_model = \"local\"\nlanguage = \"en\"\n{LOCAL}"));
    let model = |disk: &Disk| {
        let loaded = disk.load();
        let shown = loaded.origins["default_model"].clone();
        (loaded.settings.default_model().unwrap().name(), shown.origin.layer, shown.origin.line)
    };
    assert_eq!(model(&disk), ("local/a".to_owned(), Layer::User, 1));
    disk = disk.project("\ndefault_model = \"b\"\n");
    assert_eq!(model(&disk), ("local/b".to_owned(), Layer::Project, 2));
    disk = disk.env("AGENT_MODEL", "local/a");
    assert_eq!(model(&disk), ("local/a".to_owned(), Layer::Env, 0));
    disk.sources.flags.model = Some("b".to_owned());
    assert_eq!(model(&disk), ("local/b".to_owned(), Layer::Flag, 0));

    let loaded = disk.load();
    assert_eq!(loaded.origins["tools.bash_timeout_seconds"].value, "120");
    assert_eq!(loaded.origins["tools.bash_timeout_seconds"].origin.to_string(), "default");
    assert_eq!(loaded.origins["providers.local.base_url"].value, "\"http://127.0.0.1:1/v1\"");
    let place = format!("user {}:4", disk.path("home/config.toml").display());
    assert_eq!(loaded.origins["providers.local.name"].origin.to_string(), place);
}

#[test]
fn nothing_written_gives_the_built_in_values() {
    let loaded = Disk::new().load();
    let user_file = loaded.settings.user_file.clone();
    assert_eq!(
        loaded.settings,
        reasonix_config::Settings {
            user_file,
            trust: loaded.settings.trust.clone(),
            spares: loaded.settings.spares.clone(),
            ..reasonix_config::Settings::default()
        }
    );
    assert_eq!(told(&loaded), [""; 0]);
    assert_eq!(loaded.settings.sandbox.bash, BashBoxing::Enforce);
    assert_eq!(loaded.settings.permissions.mode, Fallback::Ask);
    assert_eq!(loaded.settings.default_model(), Err(ConfigError::NoProvider));
}

#[test]
fn toml_wins_over_jsonc_and_says_so() {
    let disk = Disk::new()
        .file("home/config.jsonc", "{\"language\": \"zh\"}")
        .file("project/reasonix.jsonc", "{\"tools\": {\"bash_timeout_seconds\": 5}}")
        .user("language = \"en\"");
    let loaded = disk.load();
    assert_eq!(loaded.settings.language.as_deref(), Some("en"));
    assert_eq!(loaded.settings.tools.bash_timeout_seconds, 5);
    let [(_, phrase)] = loaded.notices.as_slice() else { panic!("{:?}", loaded.notices) };
    assert_eq!(phrase.code, "config.two_files");
    assert_eq!(phrase.arg("ignored"), disk.path("home/config.jsonc").to_str());
}

#[test]
fn a_named_file_stands_in_for_the_users_and_must_exist() {
    let mut disk = Disk::new().user("language = \"en\"").file("other.toml", "language = \"zh\"");
    let other = disk.path("other.toml");
    disk = disk.env("REASONIX_CONFIG", other.to_str().unwrap());
    assert_eq!(disk.load().settings.language.as_deref(), Some("zh"));
    disk.sources.flags.config = Some("gone.toml".into());
    // Where it was typed, whatever folder is the project's.
    let path = std::path::absolute("gone.toml").unwrap();
    assert_eq!(disk.error(), ConfigError::Read { path, reason: Unreadable::Absent });
}

#[test]
fn the_users_folder_is_never_taken_for_a_project() {
    let mut disk = Disk::new();
    disk.sources.project = disk.path("");
    disk.sources.home = disk.path(".reasonix");
    disk = disk.file(".reasonix/config.toml", "[sandbox]\nbash = \"off\"\n");
    let loaded = disk.load();
    assert_eq!(loaded.settings.sandbox.bash, BashBoxing::Off);
    assert_eq!(told(&loaded), [""; 0]);
}

#[test]
fn a_broken_file_is_an_error_with_place_and_key() {
    let place =
        |error: &ConfigError| error.phrase().arg("place").map(|place| place.rsplit('/').next().unwrap().to_owned());
    for (text, code, want) in [
        ("language = \"en\"\n[agent\n", "config.syntax", "config.toml:2"),
        ("[agent]\nmax_steps = \"many\"\n", "config.value", "config.toml:2"),
        ("[agent]\nmax_steps = -1\n", "config.value", "config.toml:2"),
        ("[tools]\nenabled = [\"ls\",\n3]\n", "config.value", "config.toml:3"),
        ("\nagent = 3\n", "config.value", "config.toml:2"),
        ("\n[providers]\nname = \"x\"\n", "config.value", "config.toml:2"),
        ("[sandbox]\nbash = \"maybe\"\n", "config.value", "config.toml:2"),
        ("[compaction]\nratio = 8\n", "config.value", "config.toml:2"),
        ("\n[[providers]]\nbase_url = \"http://x\"\nmodel = \"m\"\n", "config.missing", "config.toml:2"),
        ("\n[[providers]]\nname = \"x\"\nmodel = \"m\"\n", "config.missing", "config.toml:2"),
        ("\n[[providers]]\nname = \"x\"\nbase_url = \"http://x\"\n", "config.missing", "config.toml:2"),
        ("\n[[providers]]\nname = \"x\"\nkind = \"scripted\"\n", "config.missing", "config.toml:2"),
        ("[[plugins]]\nname = \"x\"\n", "config.missing", "config.toml:1"),
        ("model = \"a\"\ndefault_model = \"b\"\n", "config.twice", "config.toml:1"),
        ("[sandbox]\nforbid_read = [\"${NOT_SET}/x\"]\n", "config.variable", "config.toml:2"),
        ("[sandbox]\nnetwrk = true\n", "config.refused_key_like", "config.toml:2"),
        ("[permissions]\ndeny = [\n\"Bash(ls\"]\n", "config.rule", "config.toml:3"),
        ("[permissions.fallbacks]\nBsh = \"deny\"\n", "config.refused_key_like", "config.toml:2"),
        ("[permissions]\ndeny_all_of = []\n", "config.refused_key", "config.toml:2"),
        ("[profiles.x.permissions]\nalow = []\n", "config.refused_key_like", "config.toml:2"),
        ("[profiles.x.permisions]\ndeny = [\"Bash\"]\n", "config.refused_key_like", "config.toml:1"),
        ("[profile.x.permissions]\ndeny = [\"Bash\"]\n", "config.refused_key_like", "config.toml:1"),
        ("[profiles.x]\nmodle = \"m\"\n", "config.refused_key_like", "config.toml:2"),
        ("[profiles.x]\nguard_of_tomorrow = true\n", "config.refused_key", "config.toml:2"),
        ("[agent.x.permisions]\ndeny = [\"Bash\"]\n", "config.refused_key_like", "config.toml:1"),
        ("[workspaces.\"/w\".permisions]\nallow = []\n", "config.refused_key_like", "config.toml:1"),
    ] {
        let error = Disk::new().user(text).error();
        assert_eq!((error.phrase().code.as_ref(), place(&error).as_deref()), (code, Some(want)), "{text}");
    }
    let twice = Disk::new().user(&format!("{LOCAL}{LOCAL}")).error();
    assert!(matches!(twice, ConfigError::Twice { key, .. } if key == "providers.local"));
}

#[test]
fn a_directory_or_a_huge_file_is_a_bounded_error() {
    let disk = Disk::new();
    std::fs::create_dir(disk.path("home/config.toml")).unwrap();
    assert!(matches!(disk.error(), ConfigError::Read { reason: Unreadable::NotAFile, .. }));
    let disk = Disk::new();
    std::fs::File::create(disk.path("project/reasonix.toml")).unwrap().set_len(5 << 30).unwrap();
    assert!(matches!(disk.error(), ConfigError::Read { reason: Unreadable::TooLarge { .. }, .. }));
}

#[test]
fn unknown_keys_are_named_with_line_and_suggestion() {
    let loaded = Disk::new().user("lanugage = \"en\"\n[desktop]\ntheme = 1\n[agent]\nmaxsteps = 3\n").load();
    assert_eq!(
        told(&loaded),
        ["unknown_key_like lanugage 1", "unknown_key desktop 2", "unknown_key_like agent.maxsteps 5"]
    );
    assert_eq!(loaded.notices[2].1.arg("suggestion"), Some("max_steps"));
}

/// No tool is of that family: a notice and no error, also in a profile.
#[test]
fn what_is_said_of_a_family_without_tools_is_named() {
    let web = "fallbacks = { Web = \"deny\", Bash = \"ask\" }\n";
    let loaded = Disk::new().user(&format!("[permissions]\n{web}[profiles.x.permissions]\n{web}")).load();
    let wanted = ["key_later permissions.fallbacks.Web 2", "key_later profiles.x.permissions.fallbacks.Web 4"];
    assert_eq!(told(&loaded), wanted);
}

#[test]
fn what_does_nothing_is_named_once_and_what_happens_anyway_is_not() {
    let loaded = Disk::new()
        .user("[agent]\nauto_plan = true\nsubagent_model = \"\"\n[serve]\nauth_mode = \"token\"\ntoken = \"t\"\n[tools.shell]\nprefer = \"pwsh\"\n")
        .load();
    let mut later = told(&loaded);
    later.sort();
    assert_eq!(later, ["key_later serve 5", "key_later tools.shell.prefer 8"]);
    let usual = "[agent]\nauto_plan = false\n[serve]\nauth_mode = \"none\"\n[skills]\npaths = []\n[tools.shell]\nprefer = \"bash\"\n";
    assert_eq!(told(&Disk::new().user(usual).load()), [""; 0]);
    let project = Disk::new().project("[agent]\nauto_plan = true\nsubagent_model = \"m\"\n").load();
    let want = ["project_ignored agent.subagent_model 3"];
    assert_eq!(told(&project), want, "what a project may not say is not named twice");
}

#[test]
fn a_joined_list_says_where_each_part_is_from() {
    let disk = Disk::new().user("[permissions]\ndeny = [\"Edit(a)\", \"Edit(b)\"]\n");
    let disk = disk.project("\n[permissions]\ndeny = [\n\"Bash(curl:*)\"]\n");
    let shown = &disk.load().origins["permissions.deny"];
    let [user, project] =
        ["home/config.toml", "project/reasonix.toml"].map(|file| disk.path(file).display().to_string());
    assert_eq!(shown.places(), format!("user {user}:2, project {project}:4"));
    assert_eq!(shown.entries[2].to_string(), format!("project {project}:4"));
    let alone = Disk::new().user("[permissions]\ndeny = [\n\"Edit(a)\"]\n");
    let place = alone.path("home/config.toml");
    assert_eq!(alone.load().origins["permissions.deny"].places(), format!("user {}:2", place.display()));
}

#[test]
fn a_field_that_is_never_sent_is_named() {
    let text = format!(
        "{LOCAL}extra_body = {{ tools = [], seed = 1 }}\n[[models]]\nid = \"local/a\"\nextra_body = {{ stream = false }}\n"
    );
    let want = ["body_field providers.local.extra_body.tools ", "body_field models.local/a.extra_body.stream "];
    assert_eq!(told(&Disk::new().user(&text).load()), want);
    let sent = format!("{LOCAL}extra_body = {{ tools = [{{ type = \"web_search\" }}] }}\n");
    assert_eq!(told(&Disk::new().user(&sent).load()), Vec::<String>::new(), "tools of the endpoint itself are sent");
    let odd = format!("{LOCAL}extra_body = {{ tools = {{ type = \"web_search\" }} }}\n");
    assert_eq!(told(&Disk::new().user(&odd).load()).len(), 1, "what is no list is not");
}

#[test]
fn a_field_of_the_body_is_taken_out_in_toml_too() {
    let text = format!(
        "{LOCAL}extra_body = {{ \"-stream_options\" = true, \"-x\" = 3 }}\n[[models]]\nid = \"local/a\"\nextra_body = {{ \"-seed\" = true }}\n"
    );
    let settings = Disk::new().user(&text).load().settings;
    let body = &settings.providers[0].extra_body;
    assert_eq!((&body["stream_options"], body["-x"].as_i64()), (&serde_json::Value::Null, Some(3)));
    assert_eq!(settings.models[0].extra_body["seed"], serde_json::Value::Null);
}

#[test]
fn options_of_another_edition_are_fields_of_the_body() {
    let text = format!("{LOCAL}extra = {{ a = 1, b = 1 }}\nextra_body = {{ b = 2 }}\n");
    let body = &Disk::new().user(&text).load().settings.providers[0].extra_body;
    assert_eq!((body["a"].as_i64(), body["b"].as_i64()), (Some(1), Some(2)));
}

#[test]
fn a_home_of_the_go_edition_starts_and_stays_as_it_is() {
    let text = "config_version = 10\ndefault_model = \"mock/mock-model\"\n[permissions]\nmode = \"allow\"\n[sandbox]\n\
                bash = \"off\"\nnetwork = true\n[desktop]\nzoom = 1.25\n[[providers]]\nname = \"mock\"\nkind = \"openai\"\n\
                base_url = \"http://127.0.0.1:1\"\nmodels = [\"mock-model\"]\ndefault = \"mock-model\"\n\
                api_key_env = \"MOCK_KEY\"\ncontext_window = 200000\n[agent]\nmemory_compiler = { enabled = true }\n";
    let disk = Disk::new().user(text).file("home/config.json", "not ours").file("home/sessions/a.jsonl", "{}");
    let loaded = disk.load();
    assert_eq!(told(&loaded), ["unknown_key desktop 8", "no_memory_compiler  19"]);
    assert_eq!(loaded.settings.default_model().unwrap().name(), "mock/mock-model");
    assert_eq!(loaded.settings.providers[0].context_window, 200_000);
    assert_eq!((loaded.settings.permissions.mode, loaded.settings.sandbox.bash), (Fallback::Allow, BashBoxing::Off));
    assert_eq!(std::fs::read_to_string(disk.path("home/config.toml")).unwrap(), text);
    let mut names: Vec<_> =
        std::fs::read_dir(disk.path("home")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["config.json", "config.toml", "sessions"]);
}

#[test]
fn an_endpoint_of_the_environment_needs_no_file() {
    let disk = Disk::new().env("AGENT_BASE_URL", "http://127.0.0.1:9/v1");
    assert_eq!(disk.error(), ConfigError::NoModel);
    let disk = disk.env("AGENT_MODEL", "Qwen/Qwen3").env("DASHSCOPE_API_KEY", "sk");
    let loaded = disk.load();
    let model = loaded.settings.default_model().unwrap();
    assert_eq!((model.name().as_str(), model.provider.base_url.as_str()), ("env/Qwen/Qwen3", "http://127.0.0.1:9/v1"));
    let key = reasonix_config::api_key(model.provider, &disk.sources.env, &disk.sources.home);
    assert_eq!(key.map(|key| key.expose().to_owned()).as_deref(), Some("sk"));
    assert_eq!(loaded.origins["providers.env.base_url"].origin.to_string(), "environment AGENT_BASE_URL");
}

#[test]
fn an_endpoint_of_the_environment_beside_a_file() {
    let mut disk = Disk::new().user(LOCAL).env("REASONIX_BASE_URL", "http://127.0.0.1:9/v1");
    let model = |disk: &Disk| disk.load().settings.default_model().unwrap().name();
    assert_eq!(model(&disk), "env/a");
    disk.sources.flags.model = Some("local/b".to_owned());
    assert_eq!(model(&disk), "local/b");
    disk.sources.flags.model = Some("new".to_owned());
    assert_eq!(model(&disk), "env/new");
    disk.sources.flags.api_key_env = Some("MY_KEY".to_owned());
    assert_eq!(disk.load().settings.default_model().unwrap().provider.api_key_env.as_deref(), Some("MY_KEY"));
}

#[test]
fn flags_reach_their_settings() {
    let mut disk = Disk::new().user(&format!("[agent]\nmax_steps = 3\n{LOCAL}")).env("REASONIX_CACHE_DIR", "/c");
    disk.sources.flags.max_steps = Some(7);
    disk.sources.flags.tools = Some(vec!["ls".to_owned()]);
    disk.sources.flags.api_key_env = Some("MY_KEY".to_owned());
    let loaded = disk.load();
    assert_eq!((loaded.settings.agent.max_steps, loaded.settings.tools.enabled), (7, vec!["ls".to_owned()]));
    assert_eq!(loaded.settings.providers[0].api_key_env.as_deref(), Some("MY_KEY"));
    assert_eq!(loaded.origins["providers.local.api_key_env"].origin.to_string(), "flag --api-key-env");
    assert_eq!(loaded.settings.cache.dir.as_deref(), Some("/c".as_ref()));
}

#[test]
fn variables_come_from_the_environment_then_the_users_env_file() {
    let text = "[net]\nproxy = \"http://u:${PW}@p:1\"\n[[providers]]\nname = \"p\"\nbase_url = \"${URL:-http://d}\"\n\
                model = \"m\"\nheaders = { Authorization = \"Bearer ${TOKEN}\" }\n[sandbox]\n\
                forbid_read = [\"${HOME}/.ssh\", \"~/.aws\", \"rel\"]\n";
    let disk = Disk::new().user(text).file("home/.env", "TOKEN=saved\nPW=hush\n").env("PW", "louder");
    std::fs::set_permissions(disk.path("home/.env"), std::fs::Permissions::from_mode(0o644)).unwrap();
    let loaded = disk.load();
    assert_eq!(told(&loaded), ["env_open  "]);
    let provider = &loaded.settings.providers[0];
    assert_eq!((provider.base_url.as_str(), provider.headers[0].1.expose()), ("http://d", "Bearer saved"));
    assert_eq!(loaded.settings.net.proxy.as_ref().unwrap().expose(), "http://u:louder@p:1");
    let rel = disk.path("project/rel");
    assert_eq!(
        loaded.settings.sandbox.forbid_read,
        ["/home/me/.ssh".as_ref(), "/home/me/.aws".as_ref(), rel.as_path()]
    );
    let shown = format!("{:?} {loaded:?}", loaded.origins);
    assert!(!shown.contains("saved") && !shown.contains("louder") && !shown.contains("u:${PW}"));
}

#[test]
fn a_proxy_of_none_is_no_proxy_at_all() {
    let proxy = |text: &str| Disk::new().user(text).load().settings.net.proxy.map(|proxy| proxy.expose().to_owned());
    assert_eq!(proxy(""), None);
    assert_eq!(proxy("[net]\nproxy = \"none\"\n").as_deref(), Some(""));
}

#[test]
fn a_system_prompt_from_a_file() {
    let disk = Disk::new().user("[agent]\nsystem_prompt_file = \"prompt.md\"\n");
    assert!(matches!(disk.error(), ConfigError::Read { reason: Unreadable::Absent, .. }));
    let disk = disk.file("home/prompt.md", "Be brief.");
    assert_eq!(disk.load().settings.agent.system_prompt.as_deref(), Some("Be brief."));
    let disk = disk.project("[agent]\nsystem_prompt = \"Nearer.\"\n");
    assert_eq!(disk.load().settings.agent.system_prompt.as_deref(), Some("Be brief."), "a project's needs trust");
}

#[test]
fn a_tilde_in_a_rule_and_a_rule_for_no_tool() {
    let loaded = Disk::new()
        .user("[permissions]\ndeny = [\"Read(~/x/**)\", \"Bsh(rm:*)\", \"Task\", \"mcp__a__b\", \"zzzzzz\"]\n")
        .load();
    let permissions = loaded.settings.permissions;
    assert_eq!(permissions.deny[0], "Read(/home/me/x/**)");
    let known = ["bash".to_owned(), "read_file".to_owned()];
    let phrases = reasonix_config::unknown_rule_tools(&permissions, &known);
    let said: Vec<_> = phrases.iter().map(|phrase| (phrase.code.as_ref(), phrase.arg("suggestion"))).collect();
    assert_eq!(said, [("config.rule_tool_like", Some("bash")), ("config.rule_tool", None)]);
}

#[test]
fn a_rule_that_allows_anything_behind_a_program_is_an_error_that_names_a_narrower_one() {
    let error = Disk::new().user("[permissions]\nallow = [\"Edit(a)\", \"Bash(git:*)\"]\n").error();
    match error {
        ConfigError::Rule { key, rule, reason, .. } => {
            assert_eq!((key.as_str(), rule.as_str()), ("permissions.allow", "Bash(git:*)"));
            assert!(reason.contains("Bash(git commit:*)"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
    let wide = "[permissions]\ndeny = [\"Bash(git:*)\"]\nask = [\"Bash(python3:*)\"]\nallow = [\"Bash(git add:*)\"]\n";
    assert_eq!(Disk::new().user(wide).load().settings.permissions.allow, ["Bash(git add:*)"]);
    let hidden = Disk::new().user("[permissions]\ndeny = [\"Bash(git\\u200b push:*)\"]\n").error();
    assert!(matches!(&hidden, ConfigError::Rule { reason, .. } if reason.contains("U+200B")), "{hidden:?}");
}
