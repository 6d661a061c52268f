//! One layer over another.

use crate::node::{Node, Table, Value};
use crate::schema::{SettingScope, below, find};

/// Lays one layer over another: what it says wins, but lists that a project adds to are joined, tables are merged,
/// and entries of a list of tables are matched by their names.
pub(crate) fn merge(base: &mut Table, over: Table) {
    tables(base, over, "");
}

fn tables(base: &mut Table, over: Table, section: &str) {
    for (key, node) in over.into_entries() {
        let path = below(section, &key);
        let Some(old) = base.get_mut(&key) else {
            base.set(key, node);
            continue;
        };
        let adds = find(&path).is_some_and(|schema| schema.scope == SettingScope::Adds);
        match (&mut old.value, node.value) {
            (Value::Table(old), Value::Table(new)) => tables(old, new, &path),
            (Value::List(old), Value::List(new)) if adds => {
                let fresh: Vec<Node> = new.into_iter().filter(|item| !holds(old, item)).collect();
                old.extend(fresh);
            }
            (Value::List(old), Value::List(new)) if find(&path).is_none() => {
                new.into_iter().for_each(|item| entry(old, item, &format!("{path}[]")));
            }
            (_, value) => *old = Node { value, origin: node.origin },
        }
    }
}

fn holds(list: &[Node], item: &Node) -> bool {
    list.iter().any(|other| other.value == item.value)
}

fn entry(list: &mut Vec<Node>, item: Node, path: &str) {
    let name = |node: &Node| node.as_table().and_then(|table| table.get("name")).map(|node| node.value.clone());
    let wanted = name(&item);
    let old = list.iter_mut().find(|old| wanted.is_some() && name(old) == wanted).and_then(Node::as_table_mut);
    match (old, item.value) {
        (Some(old), Value::Table(new)) => tables(old, new, path),
        (_, value) => list.push(Node { value, origin: item.origin }),
    }
}
