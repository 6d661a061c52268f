//! `[permissions]`: rule texts and fallbacks, and what was granted for one workspace.

use crate::view::View;
use crate::{Mode, Permissions};
use std::path::Path;

/// The rules.
pub(crate) fn resolve(view: &View<'_>) -> Permissions {
    let built_in = Permissions::default();
    Permissions {
        mode: mode(view.text("mode")).unwrap_or(built_in.mode),
        allow: view.texts("allow"),
        ask: view.texts("ask"),
        deny: view.texts("deny"),
        fallbacks: view
            .entries("fallbacks")
            .filter_map(|(family, node)| Some((family.to_owned(), mode(node.as_text().map(str::to_owned))?)))
            .collect(),
        external_directory: mode(view.text("external_directory")).unwrap_or(built_in.external_directory),
        dangerous: view.texts("dangerous"),
    }
}

/// The rules that the user granted for exactly this workspace root.
pub(crate) fn granted(root: &View<'_>, project: &Path) -> Vec<String> {
    let here = project.canonicalize().unwrap_or_else(|_| project.to_owned());
    let workspaces = root.section("workspaces");
    root.entries("workspaces")
        .filter(|(path, _)| Path::new(path) == here)
        .flat_map(|(path, _)| workspaces.section(path).section("permissions").texts("allow"))
        .collect()
}

fn mode(text: Option<String>) -> Option<Mode> {
    match text.as_deref() {
        Some("allow") => Some(Mode::Allow),
        Some("ask") => Some(Mode::Ask),
        Some("deny") => Some(Mode::Deny),
        _ => None,
    }
}
