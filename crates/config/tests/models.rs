//! Presets, models that the user knows better, roles, profiles and chains.

use crate::common;

use common::{Disk, told};
use pretty_assertions::assert_eq;
use reasonix_catalogue::{CacheRetention, Effort, PRESETS, ToolIds};
use reasonix_config::{ConfigError, Provider};

#[test]
fn a_preset_fills_in_what_is_not_written() {
    let loaded = Disk::new()
        .user("[[providers]]\nname = \"mine\"\npreset = \"anthropic\"\nmodels = [\"claude-opus-4-5\"]\n")
        .load();
    let provider = &loaded.settings.providers[0];
    assert_eq!(provider.base_url, "https://api.anthropic.com/v1");
    assert_eq!((provider.kind.as_str(), provider.api_key_env.as_deref()), ("anthropic", Some("ANTHROPIC_API_KEY")));
    assert_eq!(provider.models, ["claude-opus-4-5"]);
    for preset in PRESETS.iter().filter(|preset| !preset.base_url.is_empty() && !preset.models.is_empty()) {
        let loaded =
            Disk::new().user(&format!("[[providers]]\nname = \"{0}\"\npreset = \"{0}\"\n", preset.name)).load();
        assert_eq!(loaded.settings.providers, [Provider::from_preset(preset)], "{}", preset.name);
    }
    let error = Disk::new().user("[[providers]]\nname = \"a\"\npreset = \"deepsek\"\n").error();
    assert!(matches!(&error, ConfigError::Value { key, .. } if key == "providers.a.preset"), "{error}");
    let error = Disk::new().user("[[providers]]\nname = \"a\"\npreset = \"azure\"\n").error();
    assert!(matches!(&error, ConfigError::Missing { key, .. } if key == "providers.a.base_url"), "{error}");
}

#[test]
fn keys_that_are_fetched_or_sign_need_no_variable() {
    let vertex =
        "[[providers]]\nname = \"v\"\npreset = \"vertex-anthropic\"\nbase_url = \"https://v.example/models\"\n";
    let load = |more: &str| Disk::new().user(&format!("{vertex}{more}")).load().settings.providers.remove(0);
    let plain = load("");
    assert_eq!(plain.api_key_env.as_deref(), Some("VERTEX_ACCESS_TOKEN"));
    assert_eq!(plain.route.as_deref(), Some("{model}:streamRawPredict"));
    assert_eq!(plain.extra_body["anthropic_version"], "vertex-2023-10-16");
    let fetched = load("api_key_command = [\"gcloud\", \"auth\"]\n");
    assert_eq!((fetched.api_key_env, fetched.api_key_command.len(), fetched.api_key_ttl_seconds), (None, 2, 1_800));
    let own = load(
        "route = \"x\"\nextra_body = { \"-anthropic_version\" = true }\nsign = \"aws-sigv4\"\nsign_region = \"r\"\n",
    );
    assert_eq!((own.route.as_deref(), &own.extra_body["anthropic_version"]), (Some("x"), &serde_json::Value::Null));
    assert_eq!(own.sign.as_ref().and_then(|sign| sign.region.as_deref()), Some("r"));
    let variables: Vec<_> = own.key_variables().collect();
    assert_eq!(variables, ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"], "no command sees them");
    let error = Disk::new().user(&format!("{vertex}api_key_command = [\"x\"]\napi_key_pool = [\"B\"]\n")).error();
    assert!(matches!(&error, ConfigError::Beside { key, .. } if key == "providers.v.api_key_pool"), "{error}");
    let error = Disk::new().user(&format!("{vertex}sign = \"aws\"\n")).error();
    assert!(matches!(&error, ConfigError::Value { key, .. } if key == "providers.sign"), "{error}");
}

#[test]
fn a_reference_to_a_known_endpoint_is_enough() {
    let loaded = Disk::new().user("default_model = \"deepseek/deepseek-v4-pro:high\"\n").load();
    let found = loaded.settings.default_model().unwrap();
    assert_eq!((found.name().as_str(), found.effort), ("deepseek/deepseek-v4-pro", Some(Effort::High)));
    assert_eq!(found.provider.api_key_env.as_deref(), Some("DEEPSEEK_API_KEY"));
    assert_eq!(loaded.settings.window(&found), 1_000_000);
    let loaded = Disk::new().user("default_model = \"ollama/qwen3:8b\"\n").load();
    assert_eq!(loaded.settings.default_model().unwrap().provider.base_url, "http://127.0.0.1:11434/v1");
}

const MODELS: &str = r#"
[[providers]]
name = "gate"
base_url = "https://gate.example/v1"
models = ["gpt-5", "own"]
context_window = 64000
price = { input = 9.0, output = 9.0 }
compat = { tool_ids = "nine", developer_role = true }

[[providers]]
name = "local"
base_url = "http://127.0.0.1:8000/v1"
model = "gpt-5"

[[models]]
id = "gate/own"
context_window = 8192
compat = { tool_ids = "any" }
cache_retention = "long"
price = { input = 1.0, cached_input = 0.1, output = 2.0, currency = "CNY" }
efforts = ["low", "high"]
wire_model = "own-deployment"
canonical = "own-official"
fallback = ["local", "gate/gpt-5:low", "nobody"]

[[models]]
id = "gate/extra"
"#;

#[test]
fn what_is_said_of_a_model_wins_over_its_provider_and_the_catalogue() {
    let settings = Disk::new().user(MODELS).load().settings;
    let find = |reference: &str| settings.resolve_model(reference).unwrap_or_else(|error| panic!("{error}"));
    let (own, gate, local) = (find("own-official"), find("gate/gpt-5"), find("local"));
    assert_eq!(own.name(), "gate/own", "found by its official name");
    assert_eq!(find("gate/extra").name(), "gate/extra", "a model that is only described is offered");
    assert_eq!([&own, &gate, &local].map(|found| settings.window(found)), [8192, 64_000, 0]);
    let price = settings.price(&own).unwrap();
    assert_eq!((price.input, price.cached, price.output, price.currency.as_str()), (1.0, 0.1, 2.0, "CNY"));
    assert_eq!(settings.price(&gate).unwrap().input, 9.0);
    assert_eq!(settings.price(&local), None, "what runs here costs nothing");
    assert_eq!(settings.efforts(&own), [Effort::Low, Effort::High]);
    assert_eq!(settings.efforts(&gate).first(), Some(&Effort::Minimal), "as the catalogue knows it");
    let entry = settings.entry(own.provider, own.model).unwrap();
    assert_eq!((entry.compat.tool_ids, entry.cache_retention), (Some(ToolIds::Any), Some(CacheRetention::Long)));
    assert_eq!(own.provider.compat.developer_role, Some(true));
    let chain: Vec<_> = settings.fallbacks(&own).iter().map(|found| (found.name(), found.effort)).collect();
    assert_eq!(chain, [("local/gpt-5".to_owned(), None), ("gate/gpt-5".to_owned(), Some(Effort::Low))]);
    assert!(settings.fallbacks(&gate).is_empty());
}

#[test]
fn mistakes_in_profiles_of_endpoints_are_errors_with_their_place() {
    let base = "[[providers]]\nname = \"a\"\nbase_url = \"http://h/v1\"\nmodel = \"m\"\n";
    let error = Disk::new().user(&format!("{base}compat = {{ tool_idz = \"nine\" }}\n")).error();
    assert!(error.to_string().contains("tool_ids") && error.to_string().contains(":5"), "{error}");
    let error = Disk::new().user(&format!("{base}[[models]]\nid = \"a/m\"\nefforts = [\"much\"]\n")).error();
    assert!(matches!(&error, ConfigError::Value { key, .. } if key == "models.a/m.efforts"), "{error}");
}

#[test]
fn profiles_fill_roles_and_the_command_line_wins() {
    let disk = Disk::new().user("model_profile = \"auto\"\n[roles]\ncritic = \"deepseek/deepseek-chat\"\n");
    let settings = disk.load().settings;
    assert_eq!(settings.default_model().unwrap().name(), "deepseek/deepseek-v4-flash");
    assert_eq!(settings.resolve_model("planner").unwrap().name(), "deepseek/deepseek-v4-pro");
    assert_eq!(settings.resolve_model("critic").unwrap().name(), "deepseek/deepseek-chat", "what is written wins");
    let required: Vec<_> = settings.required().into_iter().map(|(name, provider)| (name, provider.is_some())).collect();
    assert_eq!(required, [("deepseek".to_owned(), true)]);
    let mut named = Disk::new().user("model_profile = \"pro\"\n");
    named.sources.flags.model = Some("deepseek/deepseek-chat".into());
    assert_eq!(named.load().settings.default_model().unwrap().name(), "deepseek/deepseek-chat");
    let own = "model_profile = \"auto\"\n[[providers]]\nname = \"a\"\nbase_url = \"http://h/v1\"\nmodel = \"m\"\n\
        [model_profiles.auto]\nrequires = [\"a\"]\nroles = { default = \"a/m:low\" }\n";
    let settings = Disk::new().user(own).load().settings;
    assert_eq!(
        settings.default_model().unwrap().effort,
        Some(Effort::Low),
        "a profile of the user's stands in for ours"
    );
    let error = Disk::new().user("model_profile = \"nope\"\n").error();
    assert!(matches!(&error, ConfigError::Value { key, .. } if key == "model_profile"), "{error}");
}

#[test]
fn a_project_says_nothing_about_models_and_their_keys() {
    let project = "model_profile = \"pro\"\nfallback_models = [\"evil\"]\n[roles]\nsmall = \"evil\"\n\
        [[models]]\nid = \"a/m\"\nwire_model = \"x\"\n[model_profiles.auto]\nrequires = []\n";
    let user = "[[providers]]\nname = \"a\"\nbase_url = \"http://h/v1\"\nmodel = \"m\"\n";
    let loaded = Disk::new().user(user).project(project).load();
    let settings = &loaded.settings;
    assert_eq!((settings.model_profile.as_ref(), settings.roles.len(), settings.models.len()), (None, 0, 0));
    assert!(settings.fallback_models.is_empty());
    assert_eq!(settings.profile("auto").unwrap().requires, ["deepseek"], "the built-in one");
    assert_eq!(told(&loaded).len(), 5, "{:?}", told(&loaded));
}

#[test]
fn an_official_name_goes_to_a_provider_that_has_its_key() {
    let one = |name: &str, model: &str| {
        format!(
            "[[providers]]\nname = \"{name}\"\nbase_url = \"https://{name}\"\nmodel = \"{model}\"\napi_key_env = \"{name}_KEY\"\n"
        )
    };
    let text = one("a", "anthropic/claude-sonnet-4.5") + &one("b", "claude-sonnet-4-5");
    let chosen = |disk: Disk| disk.load().settings.resolve_model("claude-sonnet-4.5").unwrap().provider.name.clone();
    assert_eq!(chosen(Disk::new().user(&text)), "a", "neither has one");
    assert_eq!(chosen(Disk::new().user(&text).env("b_KEY", "k")), "b");
    assert_eq!(chosen(Disk::new().user(&text).env("b_KEY", "k").env("a_KEY", "k")), "a");
    assert_eq!(chosen(Disk::new().user(&text).file("home/.env", "b_KEY=k\n")), "b");
}
