//! The hooks of a session: found in settings and files, the project's first, then the user's own.

use reasonix_config::{Settings, Standing, Surface, user_hooks};
use reasonix_extensions::hooks::{Hook, HookDialect, read_hooks};
use reasonix_extensions::small_file;
use reasonix_proto::{HookInfo, Phrase};
use reasonix_store::BlobKey;
use reasonix_world::spec::Start;
use reasonix_world::trust::TrustWord;
use serde_json::Value;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Files of one folder that are looked at.
const MOST_FILES: usize = 100;
/// Programs that execute the file that is named behind them.
const INTERPRETERS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "fish", "python", "python3", "node", "deno", "bun", "ruby", "perl", "php", "env",
    "source", ".",
];
/// Files that one hook of the user's names, and how large one may be.
const MOST_SCRIPTS: usize = 16;
const LARGEST_SCRIPT: u64 = 64 << 20;
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
    /// Files of the folder that one of the user's names, as they were: what lies there the model can write.
    pub(super) scripts: Vec<(PathBuf, Option<BlobKey>)>,
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

/// A file of hooks, and what is wrong with it.
pub(crate) type HookFileFlaw = (String, Phrase);

/// What was found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) hooks: Vec<Listed>,
    /// What there is to say, each with the file that it is about.
    pub(super) flaws: Vec<HookFileFlaw>,
    /// The folder that the user's hooks start in.
    base: PathBuf,
}

/// The hooks of a start: those of the project that it was loaded with, and the user's own.
pub(super) fn find(start: &Start, trust: &TrustWord) -> Found {
    let mut found = Found { base: start.workspace.root().to_owned(), ..Found::default() };
    found.of_project(start, trust);
    found.of_user(&start.world.settings, &start.world.home, start.world.settings.hooks.as_ref());
    found.of_bundles(start);
    found
}

/// What hooks a start has, and whether each is the project's; and what is wrong with files of hooks. None is run.
pub fn hooks_of(start: &Start, trust: &TrustWord) -> (Vec<(HookInfo, bool)>, Vec<HookFileFlaw>) {
    let found = find(start, trust);
    let infos = found.hooks.iter().map(|listed| (listed.info(), listed.surface.is_some())).collect();
    (infos, found.flaws)
}

/// The same, with everything read anew.
pub(super) fn find_anew(start: &Start, trust: &TrustWord) -> Found {
    let mut found = Found { base: start.workspace.root().to_owned(), ..Found::default() };
    if let Err(error) = trust.look_for_hooks() {
        found.flaws.push((String::new(), error.phrase()));
    }
    found.of_project(start, trust);
    let now = start.world.settings.user_file.as_deref().map(user_hooks).transpose();
    let now = now.unwrap_or_else(|error| {
        found.flaws.push((String::new(), error.phrase()));
        None
    });
    found.of_user(&start.world.settings, &start.world.home, now.flatten().as_ref());
    found.of_bundles(start);
    found
}

impl Found {
    fn of_project(&mut self, start: &Start, trust: &TrustWord) {
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
                Some(said) => self.add(&said, surface.place.clone(), Some(&surface), trusted),
                None if brings => self.unreadable(&surface.place),
                None => {}
            }
        }
    }

    fn of_user(&mut self, settings: &Settings, home: &Path, stated: Option<&Value>) {
        if let Some(stated) = stated {
            let file = settings.user_file.as_deref().unwrap_or(Path::new("config.toml"));
            self.add(stated, file.display().to_string(), None, true);
        }
        for file in std::iter::once(home.join("settings.json")).chain(files_in(&home.join("hooks"))) {
            match small_file(&file, home) {
                None => {}
                Some(Err(flaw)) => {
                    let file = flaw.path.display().to_string();
                    self.flaws.push((file, flaw.phrase()));
                }
                Some(Ok(text)) => match serde_json::from_str::<Value>(&text) {
                    // The other edition keeps more in its file than hooks.
                    Ok(said) if said.get("hooks").is_none() && file.ends_with("settings.json") => {}
                    Ok(said) => self.add(&said, file.display().to_string(), None, true),
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
                self.add(said, format!("plugin {}: {file}", bundle.name), None, true);
                for listed in self.hooks.iter_mut().skip(from) {
                    listed.hook.boxed = true;
                    listed.hook.bundle = Some(bundle.root.clone());
                }
            }
        }
    }

    fn unreadable(&mut self, file: &str) {
        self.flaws.push((file.to_owned(), Phrase::new("hooks.json").with("file", file)));
    }

    fn add(&mut self, said: &Value, source: String, surface: Option<&Surface>, trusted: bool) {
        let read = read_hooks(said);
        if trusted {
            self.flaws.extend(read.flaws.iter().map(|flaw| (source.clone(), flaw.phrase(&source))));
        }
        for mut hook in read.hooks {
            // A project cannot say that its hooks run outside of the box.
            hook.boxed |= surface.is_some();
            let (trusted, told) = (AtomicBool::new(trusted), AtomicBool::default());
            let scripts = if surface.is_none() { scripts(&hook, &self.base) } else { Vec::new() };
            let (source, surface) = (source.clone(), surface.cloned());
            self.hooks.push(Listed { hook, source, surface, trusted, told, scripts });
        }
    }

    /// What people are told of it.
    pub(super) fn notices(&self) -> Vec<Phrase> {
        let mut told: Vec<Phrase> = self.flaws.iter().take(MOST_TOLD).map(|(_, phrase)| phrase.clone()).collect();
        let more = self.flaws.len().saturating_sub(MOST_TOLD);
        told.extend((more > 0).then(|| Phrase::new("hooks.more").with("count", more)));
        told
    }
}

/// The files below a folder that a hook executes, as far as its words tell: what it names first or behind an interpreter, and
/// what is a program. Others may be what it writes.
fn scripts(hook: &Hook, base: &Path) -> Vec<(PathBuf, Option<BlobKey>)> {
    let base = hook.cwd.as_ref().map_or_else(|| base.to_owned(), |cwd| base.join(cwd));
    let texts = std::iter::once(&hook.command).chain(hook.args.iter().flatten());
    let whole = texts.map(String::as_str).collect::<Vec<_>>().join(" ");
    let mut found: Vec<PathBuf> = Vec::new();
    for part in bare(&whole).split([';', '|', '&', '\n', '(', ')']) {
        let mut words = part.split_whitespace().peekable();
        let first = words.peek().copied().unwrap_or_default();
        let interprets = INTERPRETERS.contains(&first.rsplit('/').next().unwrap_or(first));
        let named = words.clone().skip(usize::from(interprets)).find(|word| !word.starts_with('-'));
        let is_program =
            |path: &Path| std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.mode() & 0o111 != 0);
        let paths = words.filter(|word| !word.starts_with('/')).map(|word| (named == Some(word), base.join(word)));
        found
            .extend(paths.filter(|(named, path)| (*named && path.is_file()) || is_program(path)).map(|(_, path)| path));
    }
    found.truncate(MOST_SCRIPTS);
    // What is too large to be looked at each time is not held to anything.
    let known = |path: PathBuf| digest(&path).map(|key| (path, Some(key)));
    found.into_iter().filter_map(known).collect()
}

/// A line without quotes, and without the name of the folder that it starts in.
fn bare(line: &str) -> String {
    let line: String = line.chars().filter(|c| !matches!(c, '"' | '\'')).collect();
    line.replace("${CLAUDE_PROJECT_DIR}/", "").replace("$CLAUDE_PROJECT_DIR/", "")
}

/// What is in a file; none where it cannot be told.
pub(super) fn digest(path: &Path) -> Option<BlobKey> {
    std::fs::metadata(path).ok().filter(|found| found.is_file() && found.len() <= LARGEST_SCRIPT)?;
    Some(BlobKey::of(&std::fs::read(path).ok()?))
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
