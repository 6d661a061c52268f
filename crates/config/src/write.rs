//! Writing what the user asked to be kept: a provider, a key, a rule. Comments, order and everything else in the file
//! stay as they are; a file is replaced whole or not at all, and only its owner can read it.

use crate::error::Unreadable;
use crate::{ConfigError, Secret, read, secrets};
use jsonc_parser::cst::{CstInputValue, CstNode, CstRootNode};
use reasonix_store::{Lock, private_folder, write_atomic};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, TableLike, value};

/// A provider to write.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewProvider {
    /// Its name; an entry with the same name is changed.
    pub name: String,
    /// The known endpoint that it is.
    pub preset: Option<String>,
    /// The wire it speaks.
    pub kind: String,
    /// Its address.
    pub base_url: String,
    /// The models it offers.
    pub models: Vec<String>,
    /// The model used when only the provider is named.
    pub default: Option<String>,
    /// The variable that holds the key.
    pub api_key_env: Option<String>,
    /// Tokens that the models can see.
    pub context_window: Option<u64>,
}

/// Writes a provider into the user's TOML file, and makes it the default if asked to.
pub fn set_default_provider(path: &Path, provider: &NewProvider, make_default: bool) -> Result<(), ConfigError> {
    let _alone = alone(path)?;
    let mut document = document(path)?;
    if make_default {
        let model = provider.default.as_ref().or(provider.models.first());
        let reference = model.map_or_else(|| provider.name.clone(), |model| format!("{}/{model}", provider.name));
        put(document.as_table_mut(), "default_model", reference.into());
    }
    let own = |table: &dyn TableLike| text_of(table, "name") == Some(provider.name.as_str());
    let mut several = false;
    put_table(path, &mut document, "providers", &own, &mut |table| several = fill(table, provider))?;
    if let (true, Some(window), Some(model)) = (several, window_of(provider), &provider.default) {
        let id = format!("{}/{model}", provider.name);
        let own = |table: &dyn TableLike| text_of(table, "id") == Some(id.as_str());
        put_table(path, &mut document, "models", &own, &mut |table| {
            put(table, "id", id.as_str().into());
            put(table, "context_window", window.into());
        })?;
    }
    replace(path, &document.to_string())
}

/// Adds settings to the end of the user's TOML file. What is there already is not changed; the file must be readable
/// together with what is added.
pub fn append(path: &Path, text: &str) -> Result<(), ConfigError> {
    let _alone = alone(path)?;
    let before = document(path)?.to_string();
    let joined = format!("{}{}{text}", before, if before.is_empty() || before.ends_with("\n\n") { "" } else { "\n" });
    let parsed = joined.parse::<DocumentMut>();
    if let Err(error) = parsed {
        let line = error.span().map_or(0, |span| joined.get(..span.start).unwrap_or_default().lines().count());
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        return Err(ConfigError::Syntax { path: path.to_owned(), line, message: error.message().to_owned() });
    }
    replace(path, &joined)
}

/// The name of the provider at this address in the user's TOML file, with the same key or none: whoever sets the same
/// endpoint up again means that one.
pub fn provider_at(path: &Path, base_url: &str, api_key_env: Option<&str>) -> Option<String> {
    let document = document(path).ok()?;
    let listed = document.get("providers")?;
    let tables: Vec<&dyn TableLike> = match listed {
        Item::ArrayOfTables(tables) => tables.iter().map(|table| table as &dyn TableLike).collect(),
        Item::Value(toml_edit::Value::Array(array)) => {
            array.iter().filter_map(|value| value.as_inline_table().map(|table| table as &dyn TableLike)).collect()
        }
        _ => return None,
    };
    let same = |table: &&&dyn TableLike| {
        let key = text_of(**table, "api_key_env");
        is_at(**table, base_url) && (key.is_none() || api_key_env.is_none() || key == api_key_env)
    };
    tables.iter().find(same).and_then(|table| text_of(*table, "name")).map(str::to_owned)
}

/// Whether a provider has this address, as it is written or as its preset knows it.
fn is_at(table: &dyn TableLike, base_url: &str) -> bool {
    let known = |name| reasonix_catalogue::preset(name).map(|preset| preset.base_url);
    let address = text_of(table, "base_url").or_else(|| known(text_of(table, "preset")?));
    address.is_some_and(|address| address.trim_end_matches('/') == base_url.trim_end_matches('/'))
}

fn text_of<'a>(table: &'a dyn TableLike, key: &str) -> Option<&'a str> {
    table.get(key).and_then(Item::as_str)
}

/// Changes the table of a list that is meant, or adds one, whichever way the list is written.
fn put_table(
    path: &Path,
    document: &mut DocumentMut,
    list: &str,
    meant: &dyn Fn(&dyn TableLike) -> bool,
    fill: &mut dyn FnMut(&mut dyn TableLike),
) -> Result<(), ConfigError> {
    match document.entry(list).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new())) {
        Item::ArrayOfTables(tables) => {
            if let Some(table) = tables.iter_mut().find(|table| meant(*table)) {
                fill(table);
            } else {
                let mut table = Table::new();
                fill(&mut table);
                tables.push(table);
            }
        }
        Item::Value(toml_edit::Value::Array(array)) => {
            let mut tables = array.iter_mut().filter_map(toml_edit::Value::as_inline_table_mut);
            if let Some(table) = tables.find(|table| meant(*table)) {
                fill(table);
            } else {
                drop(tables);
                let mut table = toml_edit::InlineTable::new();
                fill(&mut table);
                array.push(table);
            }
        }
        other => return Err(wrong(path, list, "[{ … }, …]", other.type_name().to_owned())),
    }
    Ok(())
}

/// Writes a provider; true when it has several models, whose windows then stand with each of them.
fn fill(table: &mut dyn TableLike, provider: &NewProvider) -> bool {
    put(table, "name", provider.name.as_str().into());
    let models = models_of(table, provider);
    match &provider.preset {
        Some(preset) => put(table, "preset", preset.as_str().into()),
        None => drop(table.remove("preset")),
    }
    put(table, "kind", provider.kind.as_str().into());
    put(table, "base_url", provider.base_url.as_str().into());
    if !models.is_empty() {
        put(table, "models", toml_edit::Value::Array(models.iter().map(String::as_str).collect::<Array>()));
    }
    table.remove("model");
    match &provider.default {
        Some(model) => put(table, "default", model.as_str().into()),
        None => drop(table.remove("default")),
    }
    if let Some(variable) = &provider.api_key_env {
        put(table, "api_key_env", variable.as_str().into());
    }
    let several = models.len() != 1;
    if let Some(window) = window_of(provider).filter(|_| !several) {
        put(table, "context_window", window.into());
    }
    several
}

fn window_of(provider: &NewProvider) -> Option<i64> {
    provider.context_window.and_then(|window| i64::try_from(window).ok())
}

/// The models to write: those that stand there for the same address, then the new ones. None where the preset's own list
/// says it all.
fn models_of(table: &dyn TableLike, provider: &NewProvider) -> Vec<String> {
    let listed = table.get("models").and_then(Item::as_array);
    let listed = listed.into_iter().flatten().filter_map(toml_edit::Value::as_str);
    let mut models: Vec<String> = text_of(table, "model").into_iter().chain(listed).map(str::to_owned).collect();
    if !is_at(table, &provider.base_url) {
        models.clear();
    }
    let preset = provider.preset.as_deref().and_then(reasonix_catalogue::preset);
    let known = preset.map(|preset| preset.models).unwrap_or_default();
    let other = |model: &String| !known.contains(&model.as_str());
    if !known.is_empty() && !models.iter().chain(&provider.models).chain(&provider.default).any(other) {
        if models.is_empty() {
            return models;
        }
        models.extend(known.iter().map(|model| (*model).to_owned()));
    }
    models.extend(provider.models.iter().chain(&provider.default).cloned());
    let mut seen = std::collections::HashSet::new();
    models.retain(|model| seen.insert(model.clone()));
    models
}

/// Sets a value and keeps what stands around the old one.
pub(crate) fn put(table: &mut dyn TableLike, key: &str, mut new: toml_edit::Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        None => {
            table.insert(key, value(new));
        }
    }
}

/// Adds a rule that allows something in one workspace root to the user's file. Its mode stays as it is.
pub fn save_rule(path: &Path, root: &Path, rule: &str) -> Result<(), ConfigError> {
    let root = root_key(path, root)?;
    let _alone = alone(path)?;
    let text = if is_jsonc(path) { rule_in_jsonc(path, &root, rule)? } else { rule_in_toml(path, &root, rule)? };
    replace_keeping_mode(path, &text)
}

/// The key of a workspace root in the user's file.
pub(crate) fn root_key(path: &Path, root: &Path) -> Result<String, ConfigError> {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    root.to_str().map(str::to_owned).ok_or_else(|| {
        let reason = "the name of the workspace root is not text".to_owned();
        ConfigError::Write { path: path.to_owned(), reason }
    })
}

pub(crate) fn is_jsonc(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jsonc" || extension == "json")
}

/// Replaces a file, and leaves to those who could read it what they could.
pub(crate) fn replace_keeping_mode(path: &Path, text: &str) -> Result<(), ConfigError> {
    let mode = std::fs::metadata(path).map_or(0o600, |meta| meta.permissions().mode() & 0o777);
    replace_with(path, text, mode)
}

fn rule_in_toml(path: &Path, root: &str, rule: &str) -> Result<String, ConfigError> {
    let mut document = document(path)?;
    let mut table: &mut dyn TableLike = document.as_table_mut();
    let mut shown = String::new();
    for key in ["workspaces", root, "permissions"] {
        shown = if shown.is_empty() { key.to_owned() } else { format!("{shown}.{}", crate::node::bare(key)) };
        let item = table.entry(key).or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        });
        let found = item.type_name().to_owned();
        table = item.as_table_like_mut().ok_or_else(|| wrong(path, &shown, "{ … }", found))?;
    }
    let list = table.entry("allow").or_insert_with(|| value(Array::new()));
    let found = list.type_name().to_owned();
    let list = list.as_array_mut().ok_or_else(|| wrong(path, &format!("{shown}.allow"), "[\"…\", …]", found))?;
    if !list.iter().any(|old| old.as_str() == Some(rule)) {
        list.push(rule);
    }
    Ok(document.to_string())
}

fn rule_in_jsonc(path: &Path, root: &str, rule: &str) -> Result<String, ConfigError> {
    let tree = jsonc_tree(path)?;
    let (mut object, mut shown) = (tree.object_value_or_create(), String::new());
    for key in ["workspaces", root, "permissions"] {
        shown = if shown.is_empty() { key.to_owned() } else { format!("{shown}.{key}") };
        let below = object.and_then(|object| object.object_value_or_create(key));
        object = Some(below.ok_or_else(|| wrong(path, &shown, "{ … }", "…".to_owned()))?);
    }
    let list = object.and_then(|object| object.array_value_or_create("allow"));
    let list = list.ok_or_else(|| wrong(path, &format!("{shown}.allow"), "[\"…\", …]", "…".to_owned()))?;
    if !list.elements().iter().any(|node| is_text(node, rule)) {
        list.append(CstInputValue::String(rule.to_owned()));
    }
    Ok(tree.to_string())
}

pub(crate) fn jsonc_tree(path: &Path) -> Result<CstRootNode, ConfigError> {
    let text = read::text(path)?.unwrap_or_default();
    // What cannot be read is not written to either.
    crate::jsonc::parse(&text, crate::Layer::User, &std::sync::Arc::new(path.to_owned()))?;
    CstRootNode::parse(&text, &crate::jsonc::DIALECT)
        .map_err(|error| ConfigError::Write { path: path.to_owned(), reason: error.to_string() })
}

pub(crate) fn is_text(node: &CstNode, wanted: &str) -> bool {
    let text = node.as_string_lit().and_then(|text| text.decoded_value().ok());
    text.as_deref() == Some(wanted)
}

/// Keeps a key in the user's `.env`; other lines stay.
pub fn save_key(home: &Path, name: &str, key: &Secret) -> Result<(), ConfigError> {
    let path = home.join(".env");
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(word) || name.starts_with(|c: char| c.is_ascii_digit()) {
        let reason = format!("{name:?} is not the name of a variable");
        return Err(ConfigError::Write { path, reason });
    }
    let Some(line) = assignment(name, key.expose()) else {
        let reason = "the key has a line break or both kinds of quotes in it".to_owned();
        return Err(ConfigError::Write { path, reason });
    };
    let _alone = alone(&path)?;
    let old = read::text(&path)?.unwrap_or_default();
    let other = |line: &&str| secrets::assignment(line).is_none_or(|(other, _)| other != name);
    let mut text: String = old.lines().filter(other).map(|line| format!("{line}\n")).collect();
    text.push_str(&line);
    text.push('\n');
    replace(&path, &text)
}

/// A line that is read back as the same value.
fn assignment(name: &str, key: &str) -> Option<String> {
    let forms = [format!("{name}={key}"), format!("{name}=\"{key}\""), format!("{name}='{key}'")];
    let same = |line: &String| {
        !line.contains(['\n', '\r']) && secrets::assignment(line).is_some_and(|(_, value)| value == key)
    };
    forms.into_iter().find(same)
}

pub(crate) fn document(path: &Path) -> Result<DocumentMut, ConfigError> {
    let text = read::text(path)?.unwrap_or_default();
    text.parse().map_err(|error: toml_edit::TomlError| ConfigError::Syntax {
        path: path.to_owned(),
        line: error.span().map_or(1, |span| crate::lines::Lines::of(&text).at(span.start)),
        message: error.message().replace('\n', ", "),
    })
}

pub(crate) fn wrong(path: &Path, key: &str, expected: &str, found: String) -> ConfigError {
    ConfigError::Value {
        origin: crate::SettingOrigin::named(crate::Layer::User, &path.to_string_lossy()),
        key: key.to_owned(),
        expected: expected.to_owned(),
        found,
    }
}

/// How long it is waited for another process that writes the same file.
const PATIENCE: Duration = Duration::from_secs(10);

/// The right to read, change and write this file while nobody else does: what two write at once is not lost.
pub(crate) fn alone(path: &Path) -> Result<Lock, ConfigError> {
    let fail = |reason: String| ConfigError::Write { path: path.to_owned(), reason };
    let target: PathBuf = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if let Some(folder) = target.parent().filter(|folder| !folder.exists()) {
        private_folder(folder).map_err(|error| fail(error.to_string()))?;
    }
    let name = target.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Lock::acquire(&target.with_file_name(format!(".{name}.lock")), PATIENCE).map_err(|error| fail(error.to_string()))
}

fn replace(path: &Path, text: &str) -> Result<(), ConfigError> {
    replace_with(path, text, 0o600)
}

/// Replaces a file. Where it is a link, as dotfile keepers make them, the file behind it.
fn replace_with(path: &Path, text: &str, mode: u32) -> Result<(), ConfigError> {
    let fail = |error: std::io::Error| ConfigError::Write { path: path.to_owned(), reason: error.to_string() };
    if text.len() as u64 > read::SETTINGS_LIMIT {
        let reason = Unreadable::TooLarge { limit: read::SETTINGS_LIMIT }.to_string();
        return Err(ConfigError::Write { path: path.to_owned(), reason });
    }
    let target: PathBuf = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    write_atomic(&target, text.as_bytes(), mode).map_err(fail)
}
