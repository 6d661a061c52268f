//! Writing one setting into the user's own file, in the words that a person says it in. Everything else in the file
//! stays as it is. Knows nothing of which settings may be changed so: the caller does.

use crate::schema::{SettingKey, SettingKind, find};
use crate::write::{alone, document, put, replace_keeping_mode, wrong};
use crate::{ConfigError, Layer, SettingOrigin, read};
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use std::path::Path;
use std::sync::Arc;
use toml_edit::{Array, Item, Table, TableLike, Value};

/// Writes the value of a setting into the user's file, or takes it out of there.
pub fn save_setting(path: &Path, key: &str, value: Option<&str>) -> Result<(), ConfigError> {
    let known = find(key).ok_or_else(|| unknown(path, key))?;
    let value = value.map(|text| read_value(known, text).ok_or_else(|| refused(path, known, text))).transpose()?;
    write_value(path, key, value)
}

/// The same where the words come one by one, as on a command line: each is an entry of a list, blanks in it and all. Without
/// any the setting is taken out.
pub fn save_words(path: &Path, key: &str, words: &[String]) -> Result<(), ConfigError> {
    match find(key).map(|known| known.kind) {
        Some(SettingKind::Texts) if !words.is_empty() => {
            write_value(path, key, Some(Value::Array(words.iter().map(String::as_str).collect::<Array>())))
        }
        _ => save_setting(path, key, Some(words.join(" ")).filter(|text| !text.is_empty()).as_deref()),
    }
}

fn write_value(path: &Path, key: &str, value: Option<Value>) -> Result<(), ConfigError> {
    let _alone = alone(path)?;
    let jsonc = path.extension().is_some_and(|extension| extension == "jsonc" || extension == "json");
    let text = if jsonc { in_jsonc(path, key, value)? } else { in_toml(path, key, value)? };
    replace_keeping_mode(path, &text)
}

/// What holds where nobody wrote a setting, as TOML; none when nothing does.
pub fn default_value(key: &str) -> Option<&'static str> {
    find(key).map(|key| key.default).filter(|value| !value.is_empty())
}

/// The value of a setting as it is shown, from the words that a person says it in; none when it does not take them.
pub fn shown_value(key: &str, text: &str) -> Option<String> {
    Some(read_value(find(key)?, text)?.to_string())
}

/// What a key takes, from the words of a person.
fn read_value(key: &SettingKey, text: &str) -> Option<Value> {
    let text = text.trim();
    match key.kind {
        SettingKind::Text if key.path == "language" && !is_language(text) => None,
        SettingKind::Text if !text.is_empty() && !text.contains(char::is_control) => Some(text.into()),
        SettingKind::Choice(words) => words.contains(&text).then(|| text.into()),
        SettingKind::Bool => text.parse::<bool>().ok().map(Value::from),
        SettingKind::Count => text.parse::<u32>().ok().map(|number| i64::from(number).into()),
        SettingKind::Number => {
            text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0).map(Value::from)
        }
        SettingKind::Texts => Some(Value::Array(text.split_whitespace().collect::<Array>())),
        SettingKind::Ports => {
            let ports = text.split_whitespace().map(|port| port.parse::<std::num::NonZeroU16>().ok());
            let ports = ports.map(|port| port.map(|port| i64::from(port.get()))).collect::<Option<Vec<_>>>()?;
            Some(Value::Array(ports.into_iter().collect::<Array>()))
        }
        _ => None,
    }
}

/// The languages that there are words in.
const LANGUAGES: [&str; 2] = ["en", "zh"];

fn is_language(tag: &str) -> bool {
    let primary = tag.split(['-', '_', '.', '@']).next().unwrap_or_default();
    LANGUAGES.iter().any(|known| known.eq_ignore_ascii_case(primary))
}

fn in_toml(path: &Path, key: &str, value: Option<Value>) -> Result<String, ConfigError> {
    let mut document = document(path)?;
    let (sections, name) = key.rsplit_once('.').unwrap_or(("", key));
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for section in sections.split('.').filter(|section| !section.is_empty()) {
        if value.is_none() && !table.contains_key(section) {
            return Ok(document.to_string());
        }
        let item = table.entry(section).or_insert_with(|| Item::Table(Table::new()));
        let found = item.type_name().to_owned();
        table = item.as_table_like_mut().ok_or_else(|| wrong(path, section, "{ … }", found))?;
    }
    let name = written_as(key, name, |other| table.contains_key(other));
    match value {
        Some(value) => put(table, name, value),
        None if table.remove(name).is_some() => drop_empty(document.as_table_mut(), sections),
        None => {}
    }
    Ok(document.to_string())
}

/// Takes out the sections that a removal left empty, from the innermost on.
fn drop_empty(top: &mut Table, sections: &str) {
    let Some((section, rest)) = sections.split_once('.').or(Some((sections, ""))).filter(|(name, _)| !name.is_empty())
    else {
        return;
    };
    if let Some(Item::Table(inner)) = top.get_mut(section) {
        drop_empty(inner, rest);
        // A comment above it is somebody's words.
        let silent =
            inner.decor().prefix().and_then(|prefix| prefix.as_str()).is_none_or(|text| text.trim().is_empty());
        if inner.is_empty() && silent {
            top.remove(section);
        }
    }
}

fn in_jsonc(path: &Path, key: &str, value: Option<Value>) -> Result<String, ConfigError> {
    let text = read::text(path)?.unwrap_or_default();
    // What cannot be read is not written to either.
    crate::jsonc::parse(&text, Layer::User, &Arc::new(path.to_owned()))?;
    let tree = CstRootNode::parse(&text, &crate::jsonc::DIALECT)
        .map_err(|error| ConfigError::Write { path: path.to_owned(), reason: error.to_string() })?;
    let (sections, name) = key.rsplit_once('.').unwrap_or(("", key));
    let mut object = tree.object_value_or_create();
    for section in sections.split('.').filter(|section| !section.is_empty()) {
        if value.is_none() && object.as_ref().is_some_and(|object| object.get(section).is_none()) {
            return Ok(text);
        }
        let below = object.and_then(|object| object.object_value_or_create(section));
        object = Some(below.ok_or_else(|| wrong(path, section, "{ … }", "…".to_owned()))?);
    }
    let object = object.ok_or_else(|| wrong(path, key, "{ … }", "…".to_owned()))?;
    let name = written_as(key, name, |other| object.get(other).is_some());
    match (object.get(name), value.map(|value| as_json(&value))) {
        (Some(old), Some(value)) => old.set_value(value),
        (Some(old), None) => old.remove(),
        (None, Some(value)) => drop(object.append(name, value)),
        (None, None) => {}
    }
    Ok(tree.to_string())
}

/// The name that a key has in this file, where it has two: both in one file would contradict each other.
fn written_as<'a>(key: &str, name: &'a str, stands: impl Fn(&str) -> bool) -> &'a str {
    if key == "default_model" && stands("model") { "model" } else { name }
}

fn as_json(value: &Value) -> CstInputValue {
    match value {
        Value::String(text) => CstInputValue::String(text.value().clone()),
        Value::Integer(number) => CstInputValue::Number(number.value().to_string()),
        Value::Float(number) => CstInputValue::Number(number.value().to_string()),
        Value::Boolean(on) => CstInputValue::Bool(*on.value()),
        Value::Array(list) => CstInputValue::Array(list.iter().map(as_json).collect()),
        Value::Datetime(_) | Value::InlineTable(_) => CstInputValue::Null,
    }
}

fn origin(path: &Path) -> SettingOrigin {
    SettingOrigin::named(Layer::User, &path.to_string_lossy())
}

fn unknown(path: &Path, key: &str) -> ConfigError {
    ConfigError::UnknownKey { origin: origin(path), key: key.to_owned(), suggestion: None }
}

fn refused(path: &Path, key: &SettingKey, found: &str) -> ConfigError {
    let expected = if key.path == "language" { LANGUAGES.join(", ") } else { key.kind.sketch() };
    let key = key.path.to_owned();
    ConfigError::Value { origin: origin(path), key, expected, found: format!("{found:?}") }
}

#[cfg(test)]
mod tests {
    use super::{save_setting, shown_value};
    use std::fs;

    fn after(name: &str, before: &str, key: &str, value: Option<&str>) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, before).unwrap();
        save_setting(&path, key, value).unwrap();
        fs::read_to_string(&path).unwrap()
    }

    #[test]
    fn comments_and_order_stay_and_only_the_value_changes() {
        let file = "# mine\nlanguage = \"en\" # for now\n\n[tui]\n# dark at night\ntheme = \"dark\"\nmouse = true\n";
        let changed = after("config.toml", file, "tui.theme", Some("light"));
        assert_eq!(changed, file.replace("\"dark\"", "\"light\""));
        let changed = after("config.toml", file, "language", Some("zh"));
        assert_eq!(changed, file.replace("\"en\"", "\"zh\""));
        let added = after("config.toml", file, "compaction.auto", Some("false"));
        assert_eq!(added, format!("{file}\n[compaction]\nauto = false\n"));
        let listed = after("config.toml", "", "tui.status", Some("model git"));
        assert_eq!(listed, "[tui]\nstatus = [\"model\", \"git\"]\n");
    }

    #[test]
    fn a_setting_is_taken_out_and_what_is_not_there_stays_away() {
        assert_eq!(
            after("config.toml", "[tui]\ntheme = \"dark\"\nmouse = true\n", "tui.theme", None),
            "[tui]\nmouse = true\n"
        );
        assert_eq!(after("config.toml", "a = 1\n", "tui.theme", None), "a = 1\n");
        // A section that is empty then goes too, unless somebody wrote something above it.
        assert_eq!(after("config.toml", "a = 1\n\n[tui]\ntheme = \"dark\"\n", "tui.theme", None), "a = 1\n");
        let told = "# mine\n[tui]\ntheme = \"dark\"\n";
        assert_eq!(after("config.toml", told, "tui.theme", None), "# mine\n[tui]\n");
        assert_eq!(after("config.jsonc", "{ \"a\": 1 }", "tui.theme", None), "{ \"a\": 1 }");
    }

    #[test]
    fn a_file_with_braces_keeps_its_comments() {
        let file = "{\n  // mine\n  \"tui\": {\n    \"theme\": \"dark\", // at night\n    \"mouse\": true\n  }\n}\n";
        let changed = after("config.jsonc", file, "tui.theme", Some("light"));
        assert_eq!(changed, file.replace("\"dark\"", "\"light\""));
        let changed = after("config.jsonc", file, "agent.max_steps", Some("7"));
        assert!(changed.contains("// at night") && changed.contains("\"max_steps\": 7"), "{changed}");
    }

    #[test]
    fn the_other_name_of_a_key_is_used_where_it_stands() {
        assert_eq!(after("config.toml", "model = \"a/b\"\n", "default_model", Some("c/d")), "model = \"c/d\"\n");
    }

    #[test]
    fn what_a_key_does_not_take_is_refused_and_nothing_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        for (key, value) in [
            ("compaction.auto", "perhaps"),
            ("agent.max_steps", "-1"),
            ("agent.max_steps", "1.5"),
            ("compaction.ratio", "nan"),
            ("logs.level", "loud"),
            ("tui.theme", ""),
            ("language", "xx"),
            ("tui.theme", "a\nb"),
            ("tui.nothing", "1"),
            ("providers", "x"),
        ] {
            assert!(save_setting(&path, key, Some(value)).is_err(), "{key} = {value}");
        }
        assert!(!path.exists());
        assert_eq!(shown_value("tui.status", "model  git").as_deref(), Some("[\"model\", \"git\"]"));
    }
}
