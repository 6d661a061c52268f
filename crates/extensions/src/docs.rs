//! Reasonix's own documents, in the binary: people read them with `reasonix docs`, models at `reasonix://docs/NAME`.

/// What an address of a document begins with.
const ADDRESS: &str = "reasonix://docs";

const TEXTS: &[(&str, &str)] = &[
    ("acceptance", include_str!("../../../docs/acceptance.md")),
    ("agents", include_str!("../../../docs/agents.md")),
    ("batch", include_str!("../../../docs/batch.md")),
    ("bench", include_str!("../../../docs/bench.md")),
    ("budget", include_str!("../../../docs/budget.md")),
    ("commands", include_str!("../../../docs/commands.md")),
    ("compared", include_str!("../../../docs/compared.md")),
    ("config", include_str!("../../../docs/config.md")),
    ("context", include_str!("../../../docs/context.md")),
    ("events", include_str!("../../../docs/events.md")),
    ("evidence", include_str!("../../../docs/evidence.md")),
    ("exit-codes", include_str!("../../../docs/exit-codes.md")),
    ("extensions", include_str!("../../../docs/extensions.md")),
    ("glossary", include_str!("../../../docs/glossary.md")),
    ("goals", include_str!("../../../docs/goals.md")),
    ("hooks", include_str!("../../../docs/hooks.md")),
    ("import", include_str!("../../../docs/import.md")),
    ("limits", include_str!("../../../docs/limits.md")),
    ("mcp", include_str!("../../../docs/mcp.md")),
    ("models", include_str!("../../../docs/models.md")),
    ("performance", include_str!("../../../docs/performance.md")),
    ("permissions", include_str!("../../../docs/permissions.md")),
    ("plugins", include_str!("../../../docs/plugins.md")),
    ("repair", include_str!("../../../docs/repair.md")),
    ("rules", include_str!("../../../docs/rules.md")),
    ("sandbox", include_str!("../../../docs/sandbox.md")),
    ("scripted", include_str!("../../../docs/scripted.md")),
    ("security", include_str!("../../../docs/security.md")),
    ("sessions", include_str!("../../../docs/sessions.md")),
    ("skills", include_str!("../../../docs/skills.md")),
    ("tools", include_str!("../../../docs/tools.md")),
    ("trust", include_str!("../../../docs/trust.md")),
    ("tui", include_str!("../../../docs/tui.md")),
    ("undo", include_str!("../../../docs/undo.md")),
    ("validation", include_str!("../../../docs/validation.md")),
];

/// One document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnDoc {
    /// What it is asked for by.
    pub name: &'static str,
    /// Markdown.
    pub text: &'static str,
}

impl OwnDoc {
    /// All of them, by name.
    pub fn all() -> impl Iterator<Item = Self> {
        TEXTS.iter().map(|(name, text)| Self { name, text })
    }

    /// The one of this name, as a person or a model writes it: case does not matter, nor does `.md`.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.trim().trim_matches('/');
        let name = name.strip_suffix(".md").unwrap_or(name);
        Self::all().find(|doc| doc.name.eq_ignore_ascii_case(name))
    }

    /// Its heading.
    pub fn title(self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches('#').trim()
    }

    /// Where a model reads it.
    pub fn address(self) -> String {
        format!("{ADDRESS}/{}", self.name)
    }
}

/// What of the documents an address means: the name of one, empty for the list of them. None when it is no such address.
pub fn doc_at(address: &str) -> Option<&str> {
    let rest = address.strip_prefix(ADDRESS)?;
    (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::{OwnDoc, doc_at};

    #[test]
    fn every_document_of_the_repository_is_one() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
        let there = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut there: Vec<_> = there.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
        there.sort();
        let names: Vec<_> = there.iter().map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
        assert_eq!(OwnDoc::all().map(|doc| doc.name).collect::<Vec<_>>(), names);
        for doc in OwnDoc::all() {
            assert!(doc.text.starts_with("# ") && !doc.title().is_empty(), "{}", doc.name);
        }
    }

    #[test]
    fn a_document_is_found_as_people_and_models_write_its_name() {
        for name in ["sandbox", "Sandbox", "sandbox.md", "/sandbox/"] {
            assert_eq!(OwnDoc::named(name).map(|doc| doc.name), Some("sandbox"), "{name}");
        }
        assert_eq!(OwnDoc::named("../sandbox"), None);
        assert_eq!(doc_at("reasonix://docs"), Some(""));
        assert_eq!(doc_at("reasonix://docs/hooks#x"), Some("hooks#x"));
        assert_eq!((doc_at("reasonix://docsets"), doc_at("docs/x")), (None, None));
    }
}
