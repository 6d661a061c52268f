//! The layers that are no files: the environment and the command line.

use crate::node::{Node, Table, Value};
use crate::sections::providers;
use crate::spec_string;
use crate::view::Context;
use crate::{ConfigError, Flags, Layer, SettingOrigin, Settings};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The provider that `REASONIX_BASE_URL` or `--base-url` makes.
pub const ENV_PROVIDER: &str = "env";

/// The variable that holds its key.
const ENV_KEY: &str = "REASONIX_API_KEY";

/// The first of some variables that is set to something.
fn first<'a>(env: &'a BTreeMap<String, String>, names: &[&'static str]) -> Option<(&'static str, &'a str)> {
    names.iter().find_map(|name| Some((*name, env.get(*name)?.as_str())).filter(|(_, value)| !value.is_empty()))
}

/// The settings file that the environment names.
pub(crate) fn config_path(env: &BTreeMap<String, String>) -> Option<PathBuf> {
    first(env, &["REASONIX_CONFIG", "AGENT_CONFIG"]).map(|(_, path)| PathBuf::from(path))
}

/// True when the environment asks for output without colour.
pub fn no_color(env: &BTreeMap<String, String>) -> bool {
    first(env, &["NO_COLOR", "REASONIX_NO_COLOR", "AGENT_NO_COLOR"]).is_some()
}

/// True when the environment says that nothing of what was written for the model before is to be read.
pub fn no_memory(env: &BTreeMap<String, String>) -> bool {
    let off = |value: &str| ["off", "false", "0"].contains(&value.to_ascii_lowercase().as_str());
    first(env, &["REASONIX_MEMORY"]).is_some_and(|(_, value)| off(value))
}

/// True for variables that speak to this program.
pub(crate) fn is_ours(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    name.starts_with("REASONIX_") || name.starts_with("AGENT_") || name == "DASHSCOPE_API_KEY"
}

impl Settings {
    /// True for variables that nothing but this program may have the value of: its own, and those with the keys of endpoints.
    pub fn closes(&self, variable: &str) -> bool {
        let mut keys = self.providers.iter().flat_map(crate::Provider::key_variables);
        is_ours(variable) || keys.any(|key| key == variable)
    }
}

/// True for variables that change which programs run, or what they do.
pub(crate) fn steers(name: &str) -> bool {
    const STARTS: [&str; 8] = ["LD_", "DYLD_", "XDG_", "GIT_", "BASH_", "NPM_CONFIG_", "PYTHON", "RUBY"];
    const NAMES: [&str; 14] = [
        "HOME",
        "PATH",
        "SHELL",
        "ENV",
        "IFS",
        "PROMPT_COMMAND",
        "NODE_OPTIONS",
        "NODE_PATH",
        "PERL5OPT",
        "PERL5LIB",
        "JAVA_TOOL_OPTIONS",
        "CDPATH",
        "TMPDIR",
        "USER",
    ];
    let name = name.to_ascii_uppercase();
    NAMES.contains(&name.as_str()) || STARTS.iter().any(|start| name.starts_with(start))
}

/// A text and where it was said.
type Said = Option<(SettingOrigin, String)>;

/// The layer of the environment and the command line over what the files say.
pub(crate) fn layer(files: &Table, flags: &Flags, context: &Context<'_>) -> Result<Table, ConfigError> {
    let mut table = Table::default();
    let variable = |names: &[&'static str]| -> Said {
        first(context.env, names).map(|(name, text)| (SettingOrigin::named(Layer::Env, name), text.to_owned()))
    };
    let flag = |name, text: &Option<String>| -> Said { Some((SettingOrigin::named(Layer::Flag, name), text.clone()?)) };
    let asked = flag("--model", &flags.model);
    let model = variable(&["REASONIX_MODEL", "AGENT_MODEL"]);
    let url = flag("--base-url", &flags.base_url).or_else(|| variable(&["REASONIX_BASE_URL", "AGENT_BASE_URL"]));
    if let Some((origin, url)) = url {
        let key = flags.api_key_env.as_deref().unwrap_or(ENV_KEY);
        let (reference, model) = models(files, asked, model, &origin, context)?;
        table.set("default_model", reference);
        table.push("providers", endpoint(&origin, &url, &model, key));
    } else if let Some((origin, reference)) = asked.or(model) {
        table.set("default_model", Node::text(reference, &origin));
    }
    plain(&mut table, flags, context);
    for plugin in spec_string::servers(&flags.mcp)? {
        table.push("plugins", plugin);
    }
    if let Some((origin, level)) = flag("--log-level", &flags.log_level).or_else(|| variable(&["REASONIX_LOG"])) {
        let level = Table::from_iter([("level".to_owned(), Node::text(level, &origin))]);
        let logs = Table::from_iter([("logs".to_owned(), Node::table(level, &origin))]);
        // A word in a variable is held to what a word in a file is held to.
        for (key, node) in crate::schema::check(logs, &mut Vec::new())?.into_entries() {
            table.set(key, node);
        }
    }
    Ok(table)
}

/// Settings that are simply put in their place.
fn plain(table: &mut Table, flags: &Flags, context: &Context<'_>) {
    let mut set = |section: &str, key: &str, value: Value, origin: SettingOrigin| {
        let node = Node { value, origin: origin.clone() };
        if section.is_empty() {
            table.set(key, node);
        } else if let Some(section) = table.table(section, &origin) {
            section.set(key, node);
        }
    };
    if let Some((name, text)) = first(context.env, &["REASONIX_LANG"]) {
        set("", "language", Value::Text(text.to_owned()), SettingOrigin::named(Layer::Env, name));
    }
    if let Some((name, text)) = first(context.env, &["REASONIX_CACHE_DIR", "AGENT_CACHE_DIR"]) {
        set("cache", "dir", Value::Text(text.to_owned()), SettingOrigin::named(Layer::Env, name));
    }
    if no_memory(context.env) {
        set("memory", "enabled", Value::Bool(false), SettingOrigin::named(Layer::Env, "REASONIX_MEMORY"));
    }
    if let Some(language) = &flags.language {
        set("", "language", Value::Text(language.clone()), SettingOrigin::named(Layer::Flag, "--language"));
    }
    if let Some(steps) = flags.max_steps {
        set("agent", "max_steps", Value::Int(i64::from(steps)), SettingOrigin::named(Layer::Flag, "--max-steps"));
    }
    let count = |number: u64| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
    let budget = [
        ("max_cost", "--max-cost", flags.max_cost.map(Value::Float)),
        ("max_tokens", "--max-tokens", flags.max_tokens.map(count)),
        ("max_seconds", "--max-time", flags.max_seconds.map(count)),
    ];
    for (key, flag, value) in budget {
        if let Some(value) = value {
            set("budget", key, value, SettingOrigin::named(Layer::Flag, flag));
        }
    }
    if flags.record_wire {
        set("record", "wire", Value::Bool(true), SettingOrigin::named(Layer::Flag, "--record-wire"));
    }
    if let Some(tools) = &flags.tools {
        let origin = SettingOrigin::named(Layer::Flag, "--tools");
        let list = tools.iter().map(|tool| Node::text(tool.as_str(), &origin)).collect();
        set("tools", "enabled", Value::List(list), origin);
    }
}

/// The reference to use, and the model of the endpoint. The latter is what the command line names, unless that is one
/// of the files' models; then what the environment names; then the model that the files would use.
fn models(
    files: &Table,
    asked: Said,
    variable: Said,
    origin: &SettingOrigin,
    context: &Context<'_>,
) -> Result<(Node, String), ConfigError> {
    let configured = Settings {
        providers: providers::resolve(files, context)?,
        default_model: files.get("default_model").and_then(Node::as_text).map(str::to_owned),
        ..Settings::default()
    };
    let known = |(_, reference): &(SettingOrigin, String)| configured.resolve_model(reference).is_ok();
    let elsewhere = asked.clone().filter(known);
    let own = asked.filter(|_| elsewhere.is_none()).or(variable);
    let model = match own {
        Some((_, text)) => text.strip_prefix("env/").unwrap_or(&text).to_owned(),
        None => configured.default_model().map(|model| model.model.to_owned()).map_err(|_| ConfigError::NoModel)?,
    };
    let reference = match elsewhere {
        Some((origin, reference)) => Node::text(reference, &origin),
        None => Node::text(format!("{ENV_PROVIDER}/{model}"), origin),
    };
    Ok((reference, model))
}

/// The endpoint as a provider of its own.
fn endpoint(origin: &SettingOrigin, url: &str, model: &str, key: &str) -> Node {
    let models = Value::List(vec![Node::text(model, origin)]);
    let fields = [
        ("name", Node::text(ENV_PROVIDER, origin)),
        ("kind", Node::text("openai", origin)),
        ("base_url", Node::text(url, origin)),
        ("models", Node { value: models, origin: origin.clone() }),
        ("default", Node::text(model, origin)),
        ("api_key_env", Node::text(key, origin)),
    ];
    Node::table(fields.into_iter().map(|(key, node)| (key.to_owned(), node)).collect(), origin)
}
