//! The skills of a session: where they are looked for, what its model is told of them, and what people should know.

use crate::spec::Start;
use reasonix_agent::estimate_tokens;
use reasonix_config::no_memory;
use reasonix_extensions::{ExtensionFlaw, ExtensionPlaces, RulesChapter, ShadowedExtension, Shelf, index};
use reasonix_gate::hidden_skills;
use reasonix_proto::Phrase;
use std::path::PathBuf;
use std::sync::Arc;

/// Files that are told of one by one.
const MOST_TOLD: usize = 5;

impl Start {
    /// The skills and commands that there are here. Nothing is read before somebody asks for one.
    pub(crate) fn shelf(&self) -> &Shelf {
        self.world.shelf.get_or_init(|| {
            let (settings, root) = (&self.world.settings, self.workspace.root());
            let trusted = settings.trust.root();
            let places = ExtensionPlaces {
                project: if trusted.as_os_str().is_empty() { root } else { trusted }.to_owned(),
                home: self.world.home.clone(),
                user: self.world.env.get("HOME").map(PathBuf::from).filter(|home| home.is_absolute()),
                paths: settings.skills.paths.clone(),
                excluded: settings.skills.excluded_paths.clone(),
                disabled: settings.skills.disabled_skills.clone(),
                without_rules: no_memory(&self.world.env),
            };
            match hidden_skills(settings, root) {
                Ok(hides) => Shelf::new(places, hides),
                // A session with such rules does not begin.
                Err(_) => Shelf::new(places, |_| true),
            }
        })
    }

    /// The same start for a session that looks anew.
    pub(crate) fn looking_anew(mut self) -> Self {
        self.world.shelf = Arc::default();
        self
    }
}

/// The chapter of the system prompt on skills, and what to tell about them.
pub(crate) fn skills_chapter(start: &Start, window: u64) -> (String, Vec<Phrase>) {
    let shelf = start.shelf();
    let found = shelf.skills();
    let mut notices = flaws(&found.flaws);
    notices.extend(shadowed(&found.shadowed));
    let forks: Vec<&str> = shelf.offered().filter(|skill| skill.forks).map(|skill| skill.name.as_str()).collect();
    if !forks.is_empty() {
        notices.push(Phrase::new("extensions.forks").with("names", forks.join(", ")));
    }
    (index(shelf.offered(), window, &estimate_tokens), notices)
}

/// The chapters of the system prompt on rules, and what to tell about them.
pub(crate) fn rules_chapter(start: &Start, window: u64) -> (RulesChapter, Vec<Phrase>) {
    let found = start.shelf().rules();
    let chapter = found.chapter(window, &estimate_tokens);
    let mut notices = flaws(&found.flaws);
    notices.extend(shadowed(&found.shadowed));
    if !chapter.left.is_empty() {
        notices.push(Phrase::new("extensions.rules_left").with("names", chapter.left.join(", ")));
    }
    (chapter, notices)
}

/// What is wrong with files: the first ones by name, the others by their number.
pub(crate) fn flaws(flaws: &[ExtensionFlaw]) -> Vec<Phrase> {
    let mut told: Vec<Phrase> = flaws.iter().take(MOST_TOLD).map(ExtensionFlaw::phrase).collect();
    if flaws.len() > MOST_TOLD {
        told.push(Phrase::new("extensions.more_flaws").with("count", flaws.len() - MOST_TOLD));
    }
    told
}

/// Which files are not used because others of the same name are.
pub(crate) fn shadowed(shadowed: &[ShadowedExtension]) -> Option<Phrase> {
    let first = shadowed.first()?;
    let phrase = Phrase::new("extensions.shadowed")
        .with("name", &first.name)
        .with("used", first.used.display())
        .with("path", first.shadowed.display());
    Some(match shadowed.len() {
        1 => phrase,
        more => Phrase { code: "extensions.shadowed_more".into(), ..phrase }.with("count", more - 1),
    })
}
