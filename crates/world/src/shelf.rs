//! The skills of a session: where they are looked for, what its model is told of them, and what people should know.

use crate::spec::Start;
use reasonix_agent::estimate_tokens;
use reasonix_config::no_memory;
use reasonix_extensions::{ExtensionFlaw, ExtensionPlaces, RulesChapter, ShadowedExtension, Shelf, index};
use reasonix_gate::hidden_skills;
use reasonix_policy::Rule;
use reasonix_proto::Phrase;
use reasonix_workspace::Workspace;
use std::path::{Path, PathBuf};

/// Files that are told of one by one.
const MOST_TOLD: usize = 5;

impl Start {
    /// The skills and commands that there are here. Nothing is read before somebody asks for one.
    pub fn shelf(&self) -> &Shelf {
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
                bundles: self.world.bundles().bundles.clone(),
            };
            let shelf = match hidden_skills(settings, root) {
                Ok(hides) => Shelf::new(places, hides),
                // A session with such rules does not begin.
                Err(_) => Shelf::new(places, |_| true),
            };
            let (workspace, denied) = (self.workspace.clone(), self.denied(true));
            let project = self.workspace.root().to_owned();
            shelf.without(move |file| file.starts_with(&project) && is_closed(&workspace, &denied, file))
        })
    }

    /// The same start for a session that looks anew.
    pub fn looking_anew(mut self) -> Self {
        self.world.look_anew();
        self
    }
}

/// True for a file that the user's rules or the workspace keep from a model.
fn is_closed(workspace: &Workspace, denied: &[Rule], file: &Path) -> bool {
    let path = file.to_string_lossy();
    let Ok(real) = workspace.real(&path) else { return true };
    let names = [workspace.shown(&path), real];
    denied.iter().any(|rule| names.iter().any(|name| rule.speaks_of_reading(name)))
}

/// The chapter of the system prompt on skills, and what to tell about them.
pub fn skills_chapter(start: &Start, window: u64) -> (String, Vec<Phrase>) {
    let shelf = start.shelf();
    let found = shelf.skills();
    let mut notices = flaws(&found.flaws);
    notices.extend(shadowed(&found.shadowed));
    (index(shelf.offered(), window, &estimate_tokens), notices)
}

/// The chapters of the system prompt on rules, and what to tell about them.
pub fn rules_chapter(start: &Start, window: u64) -> (RulesChapter, Vec<Phrase>) {
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
pub fn flaws(flaws: &[ExtensionFlaw]) -> Vec<Phrase> {
    let mut told: Vec<Phrase> = flaws.iter().take(MOST_TOLD).map(ExtensionFlaw::phrase).collect();
    if flaws.len() > MOST_TOLD {
        told.push(Phrase::new("extensions.more_flaws").with("count", flaws.len() - MOST_TOLD));
    }
    told
}

/// Which files are not used because others of the same name are.
pub fn shadowed(shadowed: &[ShadowedExtension]) -> Option<Phrase> {
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
