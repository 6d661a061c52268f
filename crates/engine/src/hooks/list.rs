//! The hooks of a session: found in settings and files, the project's first, then the user's own.

use crate::shelf::flaws;
use crate::spec::Start;
use crate::trust::Word;
use reasonix_config::{Settings, Standing, Surface, user_hooks};
use reasonix_extensions::hooks::{Hook, HookDialect, HookEvent, read_hooks};
use reasonix_extensions::small_file;
use reasonix_proto::{HookInfo, Phrase};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Files of one folder that are looked at.
const MOST_FILES: usize = 100;
/// What people are told of at most.
const MOST_TOLD: usize = 5;

/// A hook and whose it is.
pub(super) struct Listed {
    pub(super) hook: Hook,
    /// The file that it stands in.
    pub(super) source: String,
    /// The project's, with what the user has to trust; none for the user's own.
    pub(super) surface: Option<Surface>,
    /// The user trusted it in this session, as it was then.
    pub(super) trusted: AtomicBool,
    /// It was said that it changed.
    pub(super) told: AtomicBool,
}

impl Listed {
    /// What it is called where people and models read of it.
    pub(super) fn label(&self) -> String {
        let text = self.hook.description.as_deref().unwrap_or(&self.hook.command);
        let line = text.lines().next().unwrap_or_default();
        match line.char_indices().nth(80) {
            Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
            None => line.to_owned(),
        }
    }

    pub(super) fn info(&self) -> HookInfo {
        HookInfo {
            event: self.hook.event.name().to_owned(),
            matcher: self.hook.matcher.text(),
            command: self.hook.command.clone(),
            description: self.hook.description.clone(),
            source: self.source.clone(),
            dialect: match self.hook.dialect {
                HookDialect::Own => "own".to_owned(),
                HookDialect::Claude => "claude".to_owned(),
            },
            timeout_ms: u64::try_from(self.hook.timeout.as_millis()).unwrap_or(u64::MAX),
            trusted: self.surface.is_none() || self.trusted.load(Ordering::Relaxed),
        }
    }
}

/// What was found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) hooks: Vec<Listed>,
    pub(super) notices: Vec<Phrase>,
}

/// The hooks of a start: those of the project that it was loaded with, and the user's own.
pub(super) fn find(start: &Start, trust: &Word) -> Found {
    let mut found = Found::default();
    found.of_project(start, trust);
    found.of_user(&start.world.settings, &start.world.home, start.world.settings.hooks.as_ref());
    found.of_bundles(start);
    found.bounded()
}

/// What hooks a start has, and whether each is the project's. None is run.
pub(crate) fn hooks_of(start: &Start, trust: &Word) -> Vec<(HookInfo, bool)> {
    find(start, trust).hooks.iter().map(|listed| (listed.info(), listed.surface.is_some())).collect()
}

/// The same, with everything read anew.
pub(super) fn find_anew(start: &Start, trust: &Word) -> Found {
    let mut found = Found::default();
    if let Err(error) = trust.look_for_hooks() {
        found.notices.push(error.phrase());
    }
    found.of_project(start, trust);
    let now = start.world.settings.user_file.as_deref().map(user_hooks).transpose();
    let now = now.unwrap_or_else(|error| {
        found.notices.push(error.phrase());
        None
    });
    found.of_user(&start.world.settings, &start.world.home, now.flatten().as_ref());
    found.of_bundles(start);
    found.bounded()
}

impl Found {
    fn of_project(&mut self, start: &Start, trust: &Word) {
        let root = start.world.settings.trust.root();
        let home = start.world.home.canonicalize().unwrap_or_else(|_| start.world.home.clone());
        for (surface, text) in trust.hooks() {
            let file = Path::new(&surface.place);
            // Started in the folder around the user's own, that one is not a project's, and its hooks are not run twice.
            if root.join(file).starts_with(&home) {
                continue;
            }
            // Beside files with hooks there are the programs that they run.
            let brings = surface.parts.iter().any(|part| part.label.starts_with(&format!("{} ", surface.place)))
                || file.extension().is_some_and(|ending| ending == "json");
            let said = text.filter(|_| brings).and_then(|text| serde_json::from_str::<Value>(&text).ok());
            let trusted = matches!(trust.stands(&surface), Standing::Trusted(_));
            match said {
                Some(said) => self.take(&said, surface.place.clone(), Some(&surface), trusted),
                None if brings && trusted => self.unreadable(&surface.place),
                None => {}
            }
        }
    }

    fn of_user(&mut self, settings: &Settings, home: &Path, stated: Option<&Value>) {
        if let Some(stated) = stated {
            let file = settings.user_file.as_deref().unwrap_or(Path::new("config.toml"));
            self.take(stated, file.display().to_string(), None, true);
        }
        for file in std::iter::once(home.join("settings.json")).chain(files_in(&home.join("hooks"))) {
            match small_file(&file, home) {
                None => {}
                Some(Err(flaw)) => self.notices.extend(flaws(&[flaw])),
                Some(Ok(text)) => match serde_json::from_str::<Value>(&text) {
                    // The other edition keeps more in its file than hooks.
                    Ok(said) if said.get("hooks").is_none() && file.ends_with("settings.json") => {}
                    Ok(said) => self.take(&said, file.display().to_string(), None, true),
                    Err(_) => self.unreadable(&file.display().to_string()),
                },
            }
        }
    }

    /// Those that bundles carry, which the user took in as they are. They run in the box, whatever they say.
    fn of_bundles(&mut self, start: &Start) {
        for bundle in &start.world.bundles().bundles {
            for (file, said) in &bundle.hooks {
                let from = self.hooks.len();
                self.take(said, format!("plugin {}: {file}", bundle.name), None, true);
                for listed in self.hooks.iter_mut().skip(from) {
                    listed.hook.boxed = true;
                    listed.hook.bundle = Some(bundle.root.clone());
                }
            }
        }
    }

    fn unreadable(&mut self, file: &str) {
        self.notices.push(Phrase::new("hooks.json").with("file", file));
    }

    fn take(&mut self, said: &Value, source: String, surface: Option<&Surface>, trusted: bool) {
        let read = read_hooks(said);
        if trusted {
            self.notices.extend(read.flaws.iter().map(|flaw| flaw.phrase(&source)));
        }
        if read.hooks.iter().any(|hook| hook.event == HookEvent::SubagentStop) && trusted {
            self.notices.push(Phrase::new("hooks.subagents").with("file", &source));
        }
        for mut hook in read.hooks {
            // A project cannot say that its hooks run outside of the box.
            hook.boxed |= surface.is_some();
            let (trusted, told) = (AtomicBool::new(trusted), AtomicBool::default());
            self.hooks.push(Listed { hook, source: source.clone(), surface: surface.cloned(), trusted, told });
        }
    }

    fn bounded(mut self) -> Self {
        if self.notices.len() > MOST_TOLD {
            let count = self.notices.len() - MOST_TOLD;
            self.notices.truncate(MOST_TOLD);
            self.notices.push(Phrase::new("hooks.more").with("count", count));
        }
        self
    }
}

/// The files of a folder with hooks, sorted.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    let mut found: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "json")).take(MOST_FILES).collect();
    found.sort();
    found
}
