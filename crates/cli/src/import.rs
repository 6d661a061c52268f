//! `reasonix models import`: a `models.yml` of another program as settings of ours. Keys themselves are never taken over:
//! only the names of their variables are.

use crate::exit::Exit;
use crate::say::{self, Style};
use reasonix_catalogue::Wire;
use reasonix_proto::{Level, Phrase};
use serde_json::{Map, Value, json};
use std::path::Path;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table};

/// The largest file that is read, in bytes.
const LARGEST: u64 = 16 * 1024 * 1024;

/// Fields of a profile that are called otherwise here.
const COMPAT: &[(&str, &str)] = &[
    ("supportsStore", "store"),
    ("supportsDeveloperRole", "developer_role"),
    ("supportsUsageInStreaming", "usage_in_stream"),
    ("maxTokensField", "max_tokens_field"),
    ("supportsToolChoice", "tool_choice"),
    ("reasoningEffortMap", "efforts"),
    ("thinkingFormat", "thinking"),
    ("reasoningContentField", "reasoning_field"),
    ("requiresToolResultName", "tool_result_name"),
    ("requiresAssistantAfterToolResult", "assistant_after_tool"),
    ("supportsStrictMode", "strict_tools"),
];

/// Fields of a profile that become something else.
const COMPAT_TURNED: &[&str] = &[
    "supportsReasoningEffort",
    "requiresMistralToolIds",
    "requiresReasoningContentForToolCalls",
    "requiresThinkingAsText",
];

/// Fields of a provider that are taken over, or that say what was taken over in another way.
const OF_PROVIDER: &[&str] = &[
    "api",
    "baseUrl",
    "apiKey",
    "apiKeyEnv",
    "auth",
    "models",
    "modelOverrides",
    "headers",
    "cacheRetention",
    "requestTransform.extraBody",
    "compat",
];

/// Fields of a model that are taken over.
const OF_MODEL: &[&str] = &[
    "id",
    "name",
    "api",
    "contextWindow",
    "maxTokens",
    "wireModelId",
    "headers",
    "cacheRetention",
    "contextPromotionTarget",
    "requestTransform.extraBody",
    "compat",
    "thinking.levels",
    "input",
    "cost.input",
    "cost.output",
    "cost.cacheRead",
    "cost.cacheWrite",
];

/// Fields of the whole file that are taken over.
const OF_FILE: &[&str] = &["providers", "profiles", "equivalence.overrides", "modelBindings.modelRoles"];

/// Prints what the file means as TOML, or adds it to the user's settings.
pub(crate) fn import(file: &Path, write: bool) -> anyhow::Result<Exit> {
    let bad =
        |reason: String| say::usage(Phrase::new("cli.import_bad").with("path", file.display()).with("reason", reason));
    let text = reasonix_store::read_text(file, LARGEST).map_err(|error| bad(error.to_string()))?;
    let yaml: Value = serde_saphyr::from_str(&text).map_err(|error| bad(error.to_string()))?;
    let mut skipped = Vec::new();
    let document = convert(&yaml, &mut skipped);
    for what in &skipped {
        say::notice(Level::Warning, &Phrase::new("cli.import_skipped").with("what", what));
    }
    if document.as_table().is_empty() {
        return Err(bad("it has no providers".to_owned()));
    }
    if !write {
        say::bytes(document.to_string().as_bytes())?;
        return Ok(Exit::Done);
    }
    let path = crate::context::home()?.join("config.toml");
    reasonix_config::append(&path, &document.to_string()).map_err(|error| say::failed(error.phrase()))?;
    let done = Phrase::new("cli.import_written").with("path", path.display());
    say::line(&Style::get().text(&done))?;
    Ok(Exit::Done)
}

/// The settings that a file means; what has no counterpart is named.
fn convert(yaml: &Value, skipped: &mut Vec<String>) -> DocumentMut {
    let (mut providers, mut models) = (ArrayOfTables::new(), ArrayOfTables::new());
    for (name, fields) in entries(&yaml["providers"]) {
        match provider(name, fields, skipped) {
            Some(table) => providers.push(table),
            None => skipped.push(format!("providers.{name}")),
        }
        let listed = fields["models"].as_array().into_iter().flatten().map(|model| (model["id"].as_str(), model));
        let overridden = entries(&fields["modelOverrides"]).map(|(id, model)| (Some(id), model));
        for (id, model) in listed.chain(overridden) {
            if let Some(table) = id.and_then(|id| entry(&format!("{name}/{id}"), model)) {
                models.push(table);
            }
        }
    }
    left_out(yaml, skipped);
    let mut document = DocumentMut::new();
    if !providers.is_empty() {
        document.insert("providers", Item::ArrayOfTables(providers));
    }
    for (model, official) in entries(&yaml["equivalence"]["overrides"]) {
        if let Some(official) = official.as_str() {
            models.push(table(&json!({ "id": model, "canonical": official })));
        }
    }
    if !models.is_empty() {
        document.insert("models", Item::ArrayOfTables(models));
    }
    if let Some(roles) = yaml["modelBindings"]["modelRoles"].as_object() {
        document.insert("roles", Item::Table(table(&Value::Object(roles.clone()))));
    }
    for (name, profile) in entries(&yaml["profiles"]) {
        let parent = document.entry("model_profiles").or_insert_with(|| {
            let mut parent = Table::new();
            parent.set_implicit(true);
            Item::Table(parent)
        });
        let one = json!({ "requires": profile["required_providers"], "roles": profile["model_mapping"] });
        if let Some(parent) = parent.as_table_mut() {
            parent.insert(name, Item::Table(table(&one)));
        }
    }
    document
}

/// Names every field that was not taken over.
fn left_out(yaml: &Value, skipped: &mut Vec<String>) {
    unknown(yaml, "", OF_FILE, "", skipped);
    for (name, profile) in entries(&yaml["profiles"]) {
        unknown(profile, &format!("profiles.{name}."), &["required_providers", "model_mapping"], "", skipped);
    }
    let compat: Vec<&str> = COMPAT.iter().map(|(theirs, _)| *theirs).chain(COMPAT_TURNED.iter().copied()).collect();
    for (name, provider) in entries(&yaml["providers"]) {
        let at = format!("providers.{name}.");
        unknown(provider, &at, OF_PROVIDER, "", skipped);
        unknown(&provider["compat"], &format!("{at}compat."), &compat, "", skipped);
        let listed = provider["models"].as_array().into_iter().flatten();
        let listed = listed.map(|model| (model["id"].as_str().unwrap_or_default(), model));
        for (id, model) in listed.chain(entries(&provider["modelOverrides"])) {
            unknown(model, &format!("{at}{id}."), OF_MODEL, "", skipped);
            unknown(&model["compat"], &format!("{at}{id}.compat."), &compat, "", skipped);
        }
    }
}

/// Names the fields below `path` that are not among the known ones, or on the way to one.
fn unknown(value: &Value, at: &str, known: &[&str], path: &str, skipped: &mut Vec<String>) {
    for (name, value) in entries(value) {
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        let leads =
            known.iter().any(|known| known.strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with('.')));
        if value.is_object() && leads {
            unknown(value, at, known, &path, skipped);
        } else if !value.is_null() && !known.contains(&path.as_str()) {
            skipped.push(format!("{at}{path}"));
        }
    }
}

fn entries(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), value))
}

/// A provider; none when it speaks a protocol that there is no wire for.
fn provider(name: &str, fields: &Value, skipped: &mut Vec<String>) -> Option<Table> {
    let api = fields["api"].as_str().or_else(|| fields["models"][0]["api"].as_str());
    let kind = api.map_or(Some(Wire::Chat), Wire::parse)?;
    let known = reasonix_catalogue::preset(name);
    let mut out = Map::new();
    out.insert("name".into(), json!(name));
    if known.is_some() && fields["baseUrl"].is_null() {
        out.insert("preset".into(), json!(name));
    } else {
        out.insert("kind".into(), json!(kind.kind()));
    }
    put(&mut out, "base_url", &fields["baseUrl"]);
    let key = fields["apiKeyEnv"].as_str().or_else(|| fields["apiKey"].as_str().filter(|key| is_variable(key)));
    if fields["apiKey"].as_str().is_some_and(|key| !is_variable(key)) {
        skipped.push(format!("providers.{name}.apiKey"));
    }
    if let Some(key) = key.filter(|_| fields["auth"] != "none") {
        out.insert("api_key_env".into(), json!(key));
    }
    let ids: Vec<&str> =
        fields["models"].as_array().into_iter().flatten().filter_map(|model| model["id"].as_str()).collect();
    if !ids.is_empty() {
        out.insert("models".into(), json!(ids));
    }
    put(&mut out, "headers", &fields["headers"]);
    put(&mut out, "cache_retention", &fields["cacheRetention"]);
    put(&mut out, "extra_body", &fields["requestTransform"]["extraBody"]);
    put(&mut out, "compat", &compat(&fields["compat"]));
    (out.contains_key("base_url") || out.contains_key("preset")).then(|| table(&Value::Object(out)))
}

/// True for what can only be the name of a variable.
fn is_variable(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// What a file says about a model; none when it says nothing but its name.
fn entry(id: &str, model: &Value) -> Option<Table> {
    let mut out = Map::new();
    out.insert("id".into(), json!(id));
    for (theirs, ours) in [
        ("contextWindow", "context_window"),
        ("maxTokens", "max_tokens"),
        ("wireModelId", "wire_model"),
        ("headers", "headers"),
        ("cacheRetention", "cache_retention"),
        ("contextPromotionTarget", "promote_to"),
    ] {
        put(&mut out, ours, &model[theirs]);
    }
    put(&mut out, "extra_body", &model["requestTransform"]["extraBody"]);
    put(&mut out, "compat", &compat(&model["compat"]));
    put(&mut out, "efforts", &model["thinking"]["levels"]);
    if let Some(input) = model["input"].as_array() {
        out.insert("vision".into(), json!(input.iter().any(|kind| kind == "image")));
    }
    let cost = &model["cost"];
    if cost.is_object() {
        let mut price = Map::new();
        for (theirs, ours) in
            [("input", "input"), ("cacheRead", "cached_input"), ("cacheWrite", "cache_write"), ("output", "output")]
        {
            put(&mut price, ours, &cost[theirs]);
        }
        out.insert("price".into(), Value::Object(price));
    }
    (out.len() > 1).then(|| table(&Value::Object(out)))
}

/// The fields of a profile that have a counterpart.
fn compat(theirs: &Value) -> Value {
    let mut out = Map::new();
    for (name, ours) in COMPAT {
        put(&mut out, ours, &theirs[*name]);
    }
    let yes = |name: &str| theirs[name] == true;
    if theirs["supportsReasoningEffort"] == false {
        out.insert("thinking".into(), json!("none"));
    }
    if yes("requiresMistralToolIds") {
        out.insert("tool_ids".into(), json!("nine"));
    }
    if yes("requiresReasoningContentForToolCalls") {
        out.insert("reasoning_back".into(), json!("calls"));
    }
    if yes("requiresThinkingAsText") {
        out.insert("reasoning_back".into(), json!("text"));
    }
    if out.is_empty() { Value::Null } else { Value::Object(out) }
}

fn put(out: &mut Map<String, Value>, name: &str, value: &Value) {
    if !value.is_null() {
        out.insert(name.to_owned(), value.clone());
    }
}

/// A table of TOML; what is null is left out.
fn table(value: &Value) -> Table {
    let mut out = Table::new();
    for (name, value) in entries(value) {
        if let Some(value) = toml_value(value) {
            out.insert(name, Item::Value(value));
        }
    }
    out
}

fn toml_value(value: &Value) -> Option<toml_edit::Value> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => match number.as_i64() {
            Some(number) => number.into(),
            None => number.as_f64()?.into(),
        },
        Value::String(text) => text.as_str().into(),
        Value::Array(items) => toml_edit::Value::Array(items.iter().filter_map(toml_value).collect()),
        Value::Object(fields) => toml_edit::Value::InlineTable(
            fields.iter().filter_map(|(name, value)| Some((name.as_str(), toml_value(value)?))).collect(),
        ),
    })
}
