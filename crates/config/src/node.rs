//! What was written, before anybody asks what it means: a tree in which every value knows its place.

use crate::SettingOrigin;

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) origin: SettingOrigin,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Table(Table),
}

/// Keys and values in the order they were written.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Table(Vec<(String, Node)>);

impl Table {
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.0.iter_mut().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    /// Takes a key out.
    pub(crate) fn take(&mut self, key: &str) -> Option<Node> {
        let index = self.0.iter().position(|(name, _)| name == key)?;
        Some(self.0.remove(index).1)
    }

    /// Puts a value under a key, in the place of the old one if there is one.
    pub(crate) fn set(&mut self, key: impl Into<String>, node: Node) {
        let key = key.into();
        match self.get_mut(&key) {
            Some(old) => *old = node,
            None => self.0.push((key, node)),
        }
    }

    /// The table under a key, made if there is none.
    pub(crate) fn table(&mut self, key: &str, origin: &SettingOrigin) -> Option<&mut Table> {
        if self.get(key).is_none() {
            self.set(key, Node { value: Value::Table(Table::default()), origin: origin.clone() });
        }
        self.get_mut(key).and_then(Node::as_table_mut)
    }

    /// Adds a value to the list under a key, made if there is none.
    pub(crate) fn push(&mut self, key: &str, node: Node) {
        match self.get_mut(key).map(|old| &mut old.value) {
            Some(Value::List(list)) => list.push(node),
            _ => self.set(key, Node { origin: node.origin.clone(), value: Value::List(vec![node]) }),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.0.iter().map(|(key, node)| (key.as_str(), node))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn into_entries(self) -> Vec<(String, Node)> {
        self.0
    }
}

impl FromIterator<(String, Node)> for Table {
    fn from_iter<I: IntoIterator<Item = (String, Node)>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

impl Node {
    pub(crate) fn text(text: impl Into<String>, origin: &SettingOrigin) -> Self {
        Self { value: Value::Text(text.into()), origin: origin.clone() }
    }

    pub(crate) fn table(table: Table, origin: &SettingOrigin) -> Self {
        Self { value: Value::Table(table), origin: origin.clone() }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// A whole number that is not negative.
    pub(crate) fn as_count(&self) -> Option<u64> {
        match self.value {
            Value::Int(value) => u64::try_from(value).ok(),
            _ => None,
        }
    }

    pub(crate) fn as_number(&self) -> Option<f64> {
        match self.value {
            Value::Float(value) => Some(value),
            #[expect(clippy::cast_precision_loss, reason = "nobody writes a temperature of more than 2^53")]
            Value::Int(value) => Some(value as f64),
            _ => None,
        }
    }

    pub(crate) fn as_list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(list) => Some(list),
            _ => None,
        }
    }

    pub(crate) fn as_table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    pub(crate) fn as_table_mut(&mut self) -> Option<&mut Table> {
        match &mut self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The value in short, for messages.
    pub(crate) fn sketch(&self) -> String {
        match &self.value {
            Value::List(_) => "[ … ]".to_owned(),
            Value::Table(_) => "{ … }".to_owned(),
            _ => self.show(),
        }
    }

    /// The value as JSON, for what is handed on as it is.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Int(value) => Json::from(*value),
            Value::Float(value) => Json::from(*value),
            Value::Text(text) => Json::from(text.as_str()),
            Value::List(list) => list.iter().map(Self::to_json).collect(),
            Value::Table(table) => table.iter().map(|(key, node)| (key.to_owned(), node.to_json())).collect(),
        }
    }

    /// The value as one line of TOML, for people.
    pub(crate) fn show(&self) -> String {
        match &self.value {
            Value::Null => "null".to_owned(),
            Value::Bool(value) => value.to_string(),
            Value::Int(value) => value.to_string(),
            Value::Float(value) => format!("{value:?}"),
            Value::Text(text) => quote(text),
            Value::List(list) => format!("[{}]", list.iter().map(Self::show).collect::<Vec<_>>().join(", ")),
            Value::Table(table) if table.is_empty() => "{}".to_owned(),
            Value::Table(table) => {
                let entries = table.iter().map(|(key, node)| format!("{} = {}", bare(key), node.show()));
                format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// A text in quotes.
pub(crate) fn quote(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

/// A key, in quotes where it needs them.
pub(crate) fn bare(key: &str) -> String {
    toml_edit::Key::new(key).display_repr().into_owned()
}
