//! Files that others execute or believe: what tells agents, editors and git what to do.

use crate::rule::Rule;
use std::path::{Component, Path};

/// Names of such files, in any folder.
const FILES: &[&str] = &[
    "agents.md",
    "reasonix.md",
    "claude.md",
    "reasonix.toml",
    "reasonix.jsonc",
    ".mcp.json",
    ".envrc",
    ".gitmodules",
    ".clinerules",
];

/// Folders whose whole content is such.
const FOLDERS: &[&str] =
    &[".git", ".husky", ".reasonix", ".vscode", ".claude", ".agents", ".codex", ".cursor", ".windsurf", ".clinerules"];

/// True when a change to this path changes what is executed or believed later. Case does not matter: on some file
/// systems it makes no other file.
pub fn is_protected(path: &str) -> bool {
    let path = Path::new(path);
    let plain = |part: Component<'_>| part.as_os_str().to_string_lossy().to_lowercase();
    let folder = path.components().any(|part| FOLDERS.contains(&plain(part).as_str()));
    folder || path.file_name().is_some_and(|name| FILES.contains(&name.to_string_lossy().to_lowercase().as_str()))
}

/// The approved rules that together cover changes to all of these paths; none when one is left.
pub fn approved_for(approved: &[Rule], paths: &[String]) -> Option<String> {
    let mut texts = Vec::new();
    for path in paths {
        texts.push(approved.iter().find(|rule| rule.names_paths() && rule.covers_path(path))?.text());
    }
    texts.sort_unstable();
    texts.dedup();
    Some(texts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::is_protected;

    #[test]
    fn what_is_protected() {
        for path in [
            "AGENTS.md",
            "agents.MD",
            "docs/AGENTS.md",
            "reasonix.toml",
            ".reasonix/skills/x/SKILL.md",
            ".git/hooks/pre-commit",
            "sub/.git/config",
            "/abs/.mcp.json",
            "./.envrc",
            ".VSCODE/tasks.json",
            ".husky/pre-commit",
            "CLAUDE.md",
            ".claude/settings.json",
            ".agents/skills/x/SKILL.md",
            ".cursor/rules/a.mdc",
            ".clinerules",
        ] {
            assert!(is_protected(path), "{path}");
        }
        for path in ["src/main.rs", "docs/agents.md.txt", ".gitignore", "git/config", "my.reasonix.toml", ""] {
            assert!(!is_protected(path), "{path}");
        }
    }
}
