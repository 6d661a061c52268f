//! Reasonix's own documents, in the binary: people read them with `reasonix docs`, models at `reasonix://docs/NAME`.

use flate2::read::DeflateDecoder;
use std::io::Read;
use std::sync::LazyLock;

/// What an address of a document begins with.
const ADDRESS: &str = "reasonix://docs";

/// Names and lengths of the documents, in the order in which they are packed.
const LENGTHS: &[(&str, usize)] = include!(concat!(env!("OUT_DIR"), "/docs.rs"));

/// All of them, one behind the other, as `build.rs` packs them. Who does not read documents does not unpack them.
static TEXTS: LazyLock<String> = LazyLock::new(|| {
    let packed: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/docs.deflate"));
    let mut texts = String::with_capacity(LENGTHS.iter().map(|(_, length)| length).sum());
    // What does not unpack is missing, and a test reads every document.
    let _ = DeflateDecoder::new(packed).read_to_string(&mut texts);
    texts
});

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
        LENGTHS.iter().scan(0, |from, (name, length)| {
            let text = TEXTS.get(*from..*from + length).unwrap_or_default();
            *from += length;
            Some(Self { name, text })
        })
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
        for (doc, path) in OwnDoc::all().zip(&there) {
            assert_eq!(doc.text, std::fs::read_to_string(path).unwrap());
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
