//! Servers that come with a bundle, which the user took in as a whole.

use crate::sections::plugins;
use crate::shape::Notices;
use crate::view::Context;
use crate::{ConfigError, Layer, Plugin, files, jsonc};
use reasonix_proto::{Level, Phrase};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The servers that a bundle carries, as the user's own under a name that says whose they are, and what is wrong with others.
/// What a bundle says of readers does not count: that is the user's to say.
pub fn bundle_servers(
    bundle: &str,
    root: &Path,
    servers: &serde_json::Map<String, serde_json::Value>,
) -> (Vec<Plugin>, Vec<Phrase>) {
    let (mut found, mut notices) = (Vec::new(), Notices::new());
    let (env, saved) = (BTreeMap::new(), BTreeMap::new());
    let context = Context { env: &env, saved: &saved, project: root };
    let place = Arc::new(root.join(".mcp.json"));
    for (name, said) in servers {
        let one = |notices: &mut Notices| {
            let table = jsonc::parse(&serde_json::json!({ name: said }).to_string(), Layer::User, &place)?;
            let mut plugins = Vec::new();
            for (name, entry) in table.into_entries() {
                for node in files::one_server(name, entry, notices)? {
                    plugins.push(plugins::one(&node, &context)?);
                }
            }
            Ok::<_, ConfigError>(plugins)
        };
        match one(&mut notices) {
            Ok(plugins) => found.extend(plugins.into_iter().map(|plugin| Plugin {
                name: format!("plugin_{bundle}_{}", plugin.name),
                place: format!("plugin {bundle}"),
                bundle: Some(root.to_owned()),
                trusted_read_only_tools: Vec::new(),
                ..plugin
            })),
            Err(error) => notices.push((Level::Warning, error.phrase())),
        }
    }
    (found, notices.into_iter().map(|(_, phrase)| phrase).collect())
}
