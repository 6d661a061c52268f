//! The example, the documentation and the catalogue know the same keys and codes as the code does.

use crate::common;

use common::{Disk, repository, told};
use pretty_assertions::assert_eq;
use reasonix_config::schema::{KEYS, SettingKey, SettingKind};
use reasonix_config::{ConfigError, load};
use std::collections::BTreeSet;
use std::path::Path;

fn example() -> String {
    std::fs::read_to_string(repository().join("reasonix.example.toml")).unwrap()
}

#[test]
fn the_example_loads_without_a_single_notice() {
    let loaded = Disk::new().user(&example()).load();
    assert_eq!(told(&loaded), [""; 0]);
    assert_eq!(loaded.settings.default_model().unwrap().name(), "deepseek/deepseek-chat");
}

#[test]
fn the_example_has_every_key() {
    // Keys that stand in a comment, because setting them would need a file, a secret or another edition, count too.
    let shown: String = example().lines().map(|line| format!("\n{}", line.trim_start_matches("# "))).collect();
    for key in KEYS.iter().filter(|key| key.path != "config_version") {
        let mut parts = key.path.split('.').rev();
        let name = parts.next().unwrap();
        let table = parts.next().unwrap_or_default();
        let line = format!("\n{name} = ");
        let inline = [format!("{table} = {{ {name} = "), format!(", {name} = ")];
        assert!(
            shown.contains(&line) || inline.iter().any(|text| shown.contains(text)),
            "{} is not in the example",
            key.path
        );
    }
}

fn row(key: &SettingKey) -> String {
    let default = if key.default.is_empty() { String::new() } else { format!("`{}`", key.default) };
    let acts = if key.acts { "yes" } else { "parsed, not acting yet" };
    let kind = key.kind.sketch().replace('|', "\\|");
    format!("| `{}` | `{kind}` | {default} | {} | {acts} | {} |", key.path, key.scope.name(), key.about)
}

/// With `UPDATE_DOCS=1` the table is written anew.
#[test]
fn the_documentation_lists_exactly_the_keys_there_are() {
    let path = repository().join("docs/config.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once("<!-- keys -->\n").unwrap();
    let (table, after) = rest.split_once("<!-- /keys -->").unwrap();
    let (head, rows): (Vec<&str>, Vec<&str>) = table.lines().partition(|line| !line.starts_with("| `"));
    let want: Vec<String> = KEYS.iter().map(row).collect();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let table = format!("{}\n{}\n", head.join("\n"), want.join("\n"));
        std::fs::write(&path, format!("{before}<!-- keys -->\n{table}<!-- /keys -->{after}")).unwrap();
        return;
    }
    assert_eq!(rows.join("\n"), want.join("\n"));
}

/// A file with this value under this key, and the line of the key.
fn file_with(key: &SettingKey, value: &str) -> String {
    let path = key.path.replace("<name>", "n").replace("<root>", "n");
    match path.rsplit_once('.') {
        Some((table, name)) if table.ends_with("[]") => {
            format!("[[{}]]\n{name} = {value}\n", table.trim_end_matches("[]"))
        }
        Some((table, name)) if table.contains("[].") => {
            let (list, inner) = table.split_once("[].").unwrap();
            format!("[[{list}]]\n{inner}.{name} = {value}\n")
        }
        Some((table, name)) => format!("[{table}]\n{name} = {value}\n"),
        None => format!("\n{path} = {value}\n"),
    }
}

#[test]
fn every_key_takes_its_kind_and_nothing_else() {
    let fits = |path: &str, kind: SettingKind, value: &str| match value {
        "\"zzz\"" => kind == SettingKind::Text,
        // Money is never less than nothing.
        "-1" => kind == SettingKind::Number && !path.contains("price.") && path != "budget.max_cost",
        "3" => matches!(kind, SettingKind::Number | SettingKind::Count),
        "true" => kind == SettingKind::Bool,
        "[\"zzz\"]" => kind == SettingKind::Texts,
        "[1]" => kind == SettingKind::Ports,
        "{ zzz = [] }" => kind == SettingKind::Any,
        _ => false,
    };
    for key in KEYS {
        for value in ["\"zzz\"", "-1", "3", "true", "[\"zzz\"]", "[1]", "{ zzz = [] }"] {
            // One text stands for a list of one, and a list of tools for a table of them.
            if matches!(
                (key.path, value),
                ("instructions", "\"zzz\"") | ("profiles.<name>.tools", "\"zzz\"" | "[\"zzz\"]")
            ) {
                continue;
            }
            let text = file_with(key, value);
            let refused = match load(&Disk::new().user(&text).sources) {
                Err(ConfigError::Value { origin, key: named, .. }) => {
                    let last = key.path.rsplit('.').next().unwrap();
                    let range = key.path == "compaction.ratio" && !value.starts_with(['"', 't', '[', '{'])
                        || key.path == "model_profile" && value.starts_with('"');
                    assert!(named.contains(last), "{text}: {named}");
                    assert_eq!(origin.line, 2, "{text}");
                    !range
                }
                // Other keys of the table are missing, or the file does not exist: the kind was right.
                Err(ConfigError::Missing { .. } | ConfigError::Read { .. }) => false,
                // Of the right kind, but a guard that would not be kept.
                Err(ConfigError::Inert { .. }) => {
                    assert!(!key.acts, "{text}");
                    false
                }
                Err(error) => panic!("{text}: {error}"),
                Ok(loaded) => {
                    assert!(!told(&loaded).iter().any(|notice| notice.starts_with("unknown")), "{text}");
                    false
                }
            };
            assert_eq!(refused, !fits(key.path, key.kind, value), "{text}");
        }
    }
}

/// What is written and does nothing is said by whoever reads the settings, whatever key it is.
#[test]
fn every_key_that_does_nothing_is_named_or_an_error() {
    // A mark of other editions, which no one counts on.
    for key in KEYS.iter().filter(|key| !key.acts && key.path != "config_version") {
        let value = match key.kind {
            SettingKind::Text => "\"zzz\"",
            SettingKind::Texts => "[\"zzz\"]",
            SettingKind::Bool if key.default == "true" => "false",
            SettingKind::Bool => "true",
            SettingKind::Count | SettingKind::Number => "3",
            SettingKind::Choice(words) if key.default.trim_matches('"') == words[words.len() - 1] => words[0],
            SettingKind::Choice(words) => words[words.len() - 1],
            SettingKind::TextMap => "{ zzz = \"zzz\" }",
            SettingKind::CountMap => "{ zzz = 3 }",
            SettingKind::BoolMap => "{ zzz = true }",
            SettingKind::ChoiceMap(words) => &format!("{{ Bash = \"{}\" }}", words[0]),
            SettingKind::Any | SettingKind::Ports => panic!("{} has no value to try", key.path),
        };
        let value =
            if value.starts_with(['"', '[', '{', 't', 'f', '3']) { value.to_owned() } else { format!("{value:?}") };
        let mut text = file_with(key, &value);
        for needed in ["name", "command", "url"] {
            if key.path.starts_with("plugins[]") && key.path != format!("plugins[].{needed}") {
                text.push_str(&format!("{needed} = \"http://n\"\n"));
            }
        }
        let first = key.path.split(['.', '[']).next().unwrap();
        match load(&Disk::new().user(&text).sources) {
            Err(ConfigError::Inert { origin, .. }) => {
                assert!(["permissions", "sandbox"].contains(&first), "{text}");
                assert_eq!(origin.line, 2, "{text}");
            }
            Err(error) => panic!("{text}: {error}"),
            Ok(loaded) => {
                assert!(!["permissions", "sandbox"].contains(&first), "{text}");
                let named = ["key_later", "no_memory_compiler"];
                assert!(told(&loaded).iter().any(|told| named.iter().any(|code| told.starts_with(code))), "{text}");
            }
        }
    }
}

#[test]
fn no_key_stands_twice() {
    let paths: BTreeSet<_> = KEYS.iter().map(|key| key.path).collect();
    assert_eq!(paths.len(), KEYS.len());
}

#[test]
fn every_code_has_its_words() {
    fn sources(folder: &Path, texts: &mut String) {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                sources(&entry.path(), texts);
            } else {
                texts.push_str(&std::fs::read_to_string(entry.path()).unwrap());
            }
        }
    }
    let mut source = String::new();
    sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut source);
    let files = [".toml", ".jsonc", ".json"];
    let code = |text: &str| {
        let code: String = text.chars().take_while(|c| c.is_ascii_lowercase() || "._".contains(*c)).collect();
        (!files.iter().any(|end| code.ends_with(end))).then_some(code)
    };
    let used: BTreeSet<String> = source.split("\"config.").skip(1).filter_map(code).collect();
    let catalogue = std::fs::read_to_string(repository().join("crates/words/src/catalogue/config.rs")).unwrap();
    let known: BTreeSet<String> = catalogue.split("\"config.").skip(1).filter_map(code).collect();
    let used: BTreeSet<String> =
        used.into_iter().filter(|code| !["toml", "jsonc", "json"].contains(&code.as_str())).collect();
    let spoken: BTreeSet<String> = known.into_iter().filter(|code| !code.ends_with(".hint")).collect();
    assert_eq!(used, spoken);
}
