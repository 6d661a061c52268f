//! JSON with comments and trailing commas into the tree.

use crate::lines::Lines;
use crate::node::{Node, Table, Value};
use crate::{ConfigError, Layer, SettingOrigin};
use jsonc_parser::ast::{Object, Value as Json};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) const DIALECT: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Reads JSONC. An empty file is an empty table. The parser itself bounds the depth.
pub(crate) fn parse(text: &str, layer: Layer, path: &Arc<PathBuf>) -> Result<Table, ConfigError> {
    let lines = Lines::of(text);
    let fail =
        |offset, message: String| ConfigError::Syntax { path: path.to_path_buf(), line: lines.at(offset), message };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &DIALECT)
        .map_err(|error| fail(error.range().start, error.kind().to_string()))?;
    let place = |offset| SettingOrigin::file(layer, path, lines.at(offset));
    match parsed.value {
        None => Ok(Table::default()),
        Some(Json::Object(object)) => table_of(&object, &place),
        Some(other) => Err(fail(other.start(), "the file must be one object { … }".to_owned())),
    }
}

/// A text that another program keeps as JSON, with comments or without; none where it is not.
pub fn json_of(text: &str) -> Option<serde_json::Value> {
    jsonc_parser::parse_to_serde_value(text, &DIALECT).ok()
}

fn table_of(object: &Object<'_>, place: &dyn Fn(usize) -> SettingOrigin) -> Result<Table, ConfigError> {
    let mut table = Table::default();
    for property in &object.properties {
        let origin = place(property.range.start);
        let key = property.name.as_str();
        if table.get(key).is_some() {
            return Err(ConfigError::Twice { origin, key: key.to_owned() });
        }
        table.set(key, Node { value: value_of(&property.value, place)?, origin });
    }
    Ok(table)
}

fn value_of(value: &Json<'_>, place: &dyn Fn(usize) -> SettingOrigin) -> Result<Value, ConfigError> {
    Ok(match value {
        Json::NullKeyword(_) => Value::Null,
        Json::BooleanLit(literal) => Value::Bool(literal.value),
        Json::StringLit(literal) => Value::Text(literal.value.to_string()),
        Json::NumberLit(literal) => match (literal.value.parse(), literal.value.parse()) {
            (Ok(whole), _) => Value::Int(whole),
            (_, Ok(number)) => Value::Float(number),
            _ => Value::Text(literal.value.to_owned()),
        },
        Json::Array(array) => Value::List(
            array
                .elements
                .iter()
                .map(|item| Ok(Node { value: value_of(item, place)?, origin: place(item.start()) }))
                .collect::<Result<_, ConfigError>>()?,
        ),
        Json::Object(object) => Value::Table(table_of(object, place)?),
    })
}

#[cfg(test)]
mod tests {
    use super::parse;
    use crate::node::Value;
    use crate::{ConfigError, Layer};
    use std::path::PathBuf;
    use std::sync::Arc;

    fn read(text: &str) -> Result<crate::node::Table, ConfigError> {
        parse(text, Layer::User, &Arc::new(PathBuf::from("f")))
    }

    #[test]
    fn comments_and_trailing_commas_are_read_with_lines() {
        let table = read("// head\n{\n  \"a\": 1, /* x */\n  \"b\": [1.5, null,],\n}\n").unwrap();
        assert_eq!((&table.get("a").unwrap().value, table.get("a").unwrap().origin.line), (&Value::Int(1), 3));
        assert_eq!(table.get("b").unwrap().as_list().unwrap()[0].value, Value::Float(1.5));
        assert!(read("").unwrap().is_empty());
    }

    #[test]
    fn broken_double_and_deep_texts_are_errors() {
        assert!(matches!(read("{\n\"a\": 1\n\"b\": 2}"), Err(ConfigError::Syntax { line: 2, .. })));
        assert!(matches!(read("{\"a\": 1,\n\"a\": 2}"), Err(ConfigError::Twice { key, .. }) if key == "a"));
        assert!(matches!(read("[1]"), Err(ConfigError::Syntax { .. })));
        let deep = format!("{{\"a\": {}{}}}", "[".repeat(200_000), "]".repeat(200_000));
        assert!(matches!(read(&deep), Err(ConfigError::Syntax { .. })));
    }
}
