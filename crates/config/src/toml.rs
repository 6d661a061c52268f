//! TOML into the tree.

use crate::lines::Lines;
use crate::node::{Node, Table, Value};
use crate::{ConfigError, Layer, SettingOrigin};
use std::path::PathBuf;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Reads TOML. The parser itself bounds the depth.
pub(crate) fn parse(text: &str, layer: Layer, path: &Arc<PathBuf>) -> Result<Table, ConfigError> {
    let lines = Lines::of(text);
    let place = |offset| SettingOrigin::file(layer, path, lines.at(offset));
    match DeTable::parse(text) {
        Ok(table) => Ok(table_of(table.get_ref(), &place)),
        Err(error) => Err(ConfigError::Syntax {
            path: path.to_path_buf(),
            line: error.span().map_or(1, |span| lines.at(span.start)),
            message: error.message().replace('\n', ", "),
        }),
    }
}

fn table_of(table: &DeTable<'_>, place: &dyn Fn(usize) -> SettingOrigin) -> Table {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
        .into_iter()
        .map(|(key, value)| {
            let origin = place(key.span().start);
            (key.get_ref().to_string(), Node { value: value_of(value, place), origin })
        })
        .collect()
}

fn value_of(value: &Spanned<DeValue<'_>>, place: &dyn Fn(usize) -> SettingOrigin) -> Value {
    match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(|_| Value::Text(number.as_str().to_owned()), Value::Int),
        DeValue::Float(number) => {
            number.as_str().parse().map_or_else(|_| Value::Text(number.as_str().to_owned()), Value::Float)
        }
        DeValue::Datetime(date) => Value::Text(date.to_string()),
        DeValue::Array(list) => Value::List(
            list.iter().map(|item| Node { value: value_of(item, place), origin: place(item.span().start) }).collect(),
        ),
        DeValue::Table(table) => Value::Table(table_of(table, place)),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;
    use crate::node::Value;
    use crate::{ConfigError, Layer};
    use std::path::PathBuf;
    use std::sync::Arc;

    #[test]
    fn values_know_their_lines() {
        let text =
            "a = 1\n\n[[p]]\nname = \"x\"\nlist = [\n  1,\n  2,\n]\n[[p]]\nname = \"y\"\n[t.u]\nv = 0x10\nw = 1.5\n";
        let path = Arc::new(PathBuf::from("f"));
        let table = parse(text, Layer::User, &path).unwrap();
        let list = table.get("p").unwrap().as_list().unwrap();
        assert_eq!(list.iter().map(|node| node.origin.line).collect::<Vec<_>>(), [3, 9]);
        let numbers = list[0].as_table().unwrap().get("list").unwrap();
        assert_eq!(numbers.origin.line, 5);
        assert_eq!(numbers.as_list().unwrap()[1].origin.line, 7);
        let inner = table.get("t").unwrap().as_table().unwrap().get("u").unwrap().as_table().unwrap();
        assert_eq!((&inner.get("v").unwrap().value, inner.get("v").unwrap().origin.line), (&Value::Int(16), 12));
        assert_eq!(inner.get("w").unwrap().value, Value::Float(1.5));
    }

    #[test]
    fn broken_and_deep_texts_are_errors_with_a_line() {
        let path = Arc::new(PathBuf::from("f"));
        for (text, line) in [("a = 1\nb = \n", 2), ("a = 1\na = 2\n", 2), ("x = [1\n", 1)] {
            match parse(text, Layer::User, &path) {
                Err(ConfigError::Syntax { line: found, .. }) => assert_eq!(found, line, "{text}"),
                other => panic!("{text} gave {other:?}"),
            }
        }
        let deep = format!("a = {}{}", "[".repeat(200_000), "]".repeat(200_000));
        assert!(matches!(parse(&deep, Layer::User, &path), Err(ConfigError::Syntax { .. })));
        let dotted = format!("{}b = 1", "a.".repeat(200_000));
        assert!(matches!(parse(&dotted, Layer::User, &path), Err(ConfigError::Syntax { .. })));
    }
}
