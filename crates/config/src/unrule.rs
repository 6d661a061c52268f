//! Taking a rule that was granted for one workspace root out of the user's file again. Comments, order and everything else
//! stay as they are.

use crate::ConfigError;
use crate::write::{alone, document, is_jsonc, is_text, jsonc_tree, replace_keeping_mode, root_key};
use std::path::Path;
use toml_edit::{Item, TableLike};

/// Takes a rule of one workspace root out of the user's file. False when it does not stand there.
pub fn remove_rule(path: &Path, root: &Path, rule: &str) -> Result<bool, ConfigError> {
    let root = root_key(path, root)?;
    let _alone = alone(path)?;
    let text = if is_jsonc(path) { from_jsonc(path, &root, rule)? } else { from_toml(path, &root, rule)? };
    match text {
        Some(text) => replace_keeping_mode(path, &text).map(|()| true),
        None => Ok(false),
    }
}

fn from_toml(path: &Path, root: &str, rule: &str) -> Result<Option<String>, ConfigError> {
    let mut document = document(path)?;
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for key in ["workspaces", root, "permissions"] {
        let Some(below) = table.get_mut(key).and_then(Item::as_table_like_mut) else { return Ok(None) };
        table = below;
    }
    let Some(list) = table.get_mut("allow").and_then(Item::as_array_mut) else { return Ok(None) };
    let before = list.len();
    list.retain(|old| old.as_str() != Some(rule));
    let gone = list.len() < before;
    if let Some(first) = list.get_mut(0).filter(|_| gone) {
        let stays = first.decor().prefix().and_then(|prefix| prefix.as_str()).is_some_and(|text| text.contains('\n'));
        if !stays {
            first.decor_mut().set_prefix("");
        }
    }
    Ok(gone.then(|| document.to_string()))
}

fn from_jsonc(path: &Path, root: &str, rule: &str) -> Result<Option<String>, ConfigError> {
    let tree = jsonc_tree(path)?;
    let mut object = tree.object_value();
    for key in ["workspaces", root, "permissions"] {
        object = object.and_then(|object| object.object_value(key));
    }
    let Some(list) = object.and_then(|object| object.array_value("allow")) else { return Ok(None) };
    let mut gone = false;
    for node in list.elements().into_iter().filter(|node| is_text(node, rule)) {
        node.remove();
        gone = true;
    }
    Ok(gone.then(|| tree.to_string()))
}
