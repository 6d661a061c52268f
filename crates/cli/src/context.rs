//! From what was typed to what a session starts from.

use crate::args::SessionArgs;
use crate::say;
use anyhow::Context as _;
use reasonix_config::{Flags, Loaded, Sources};
use reasonix_engine::{Start, Which, World};
use reasonix_policy::Rule;
use reasonix_proto::{Level, Phrase};
use reasonix_workspace::{Options, Workspace};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Everything a command needs to know about where it runs.
pub(crate) struct Context {
    pub(crate) home: PathBuf,
    pub(crate) cwd: PathBuf,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) loaded: Loaded,
}

impl Context {
    /// Reads the settings for this folder; what is wrong with them is said at once.
    pub(crate) fn load(dir: Option<&Path>, flags: Flags) -> anyhow::Result<Self> {
        let context = Self::load_silently(dir, flags)?;
        for (level, phrase) in &context.loaded.notices {
            say::notice(*level, phrase);
        }
        Ok(context)
    }

    /// The same without saying anything.
    pub(crate) fn load_silently(dir: Option<&Path>, flags: Flags) -> anyhow::Result<Self> {
        let env = environment();
        let cwd = working_folder(dir)?;
        let home = home_folder(&env)?;
        let project = project_folder(&cwd).to_owned();
        let sources = Sources { home: home.clone(), project, root: cwd.clone(), env: env.clone(), flags };
        let loaded = reasonix_config::load(&sources).map_err(|error| say::usage(error.phrase()))?;
        say::settle_language(loaded.settings.language.as_deref());
        Ok(Self { home, cwd, env, loaded })
    }

    /// The folder that sessions belong to.
    pub(crate) fn root(&self) -> &Path {
        self.loaded.settings.sandbox.workspace_root.as_deref().unwrap_or(&self.cwd)
    }

    /// The files that a session may touch.
    pub(crate) fn workspace(&self, add_dirs: &[PathBuf]) -> anyhow::Result<Workspace> {
        let sandbox = &self.loaded.settings.sandbox;
        let root = self.root();
        let options = Options {
            add_dirs: add_dirs.iter().map(|dir| self.cwd.join(dir)).collect(),
            allow_write: sandbox.allow_write.clone(),
            forbid_read: sandbox.forbid_read.clone(),
            closed: vec![self.home.clone()],
            unlisted: self.unlisted(),
            opened: self.opened(),
        };
        Workspace::open(root, options)
            .map_err(|error| say::usage(Phrase::new("engine.workspace").with("reason", error)))
    }

    /// What rules deny to read is not listed and not found either.
    fn unlisted(&self) -> Vec<String> {
        let root = self.root().display().to_string();
        let denied = self.loaded.settings.permissions.deny.iter();
        denied
            .filter_map(|rule| Rule::parse(&Rule::relative_to(rule, &root)).ok())
            .flat_map(|rule| rule.unlisted())
            .collect()
    }

    /// What rules allow to read is open also where it holds keys. Without a folder a name means the one at the root.
    fn opened(&self) -> Vec<String> {
        let root = self.root().display().to_string();
        let allowed = self.loaded.settings.permissions.allow.iter().map(|rule| Rule::relative_to(rule, &root));
        let reading = allowed.filter(|rule| rule.trim_start().starts_with("Read("));
        let globs = |rule: String| {
            let found = Rule::parse(&rule).map(|rule| rule.unlisted()).unwrap_or_default();
            let at_root = !rule.contains('/');
            found.into_iter().map(move |glob| match glob.strip_prefix("**/") {
                Some(name) if at_root => name.to_owned(),
                _ => glob,
            })
        };
        reading.flat_map(globs).collect()
    }

    /// What a session starts from.
    pub(crate) fn start(mut self, args: &SessionArgs, attended: bool) -> anyhow::Result<Start> {
        // Where nobody is asked and nobody demands it, the look is spared.
        if attended || args.require_trust {
            let trust = std::mem::take(&mut self.loaded.settings.trust);
            let with_git = reasonix_engine::with_git(trust).map_err(|error| say::usage(error.phrase()))?;
            self.loaded.settings.trust = with_git.0;
        }
        crate::trust::check(args, &self.loaded.settings.trust)?;
        let workspace = self.workspace(&args.add_dir)?;
        let root = repository_root(&self.cwd);
        let rules = reasonix_config::rules_files(&self.home, root, &self.cwd)
            .with_instructions(&self.loaded.settings.instructions, project_folder(&self.cwd))
            .with_ignored(root);
        for (level, phrase) in &rules.notices {
            say::notice(*level, phrase);
        }
        let which = match (&args.resume, &args.fork) {
            (Some(id), _) => Which::Resume(id.clone()),
            (None, Some(id)) => Which::Fork { session: id.clone(), at: args.at.map(reasonix_proto::RecordId) },
            _ if args.continues => Which::Continue,
            _ if args.no_session => Which::Unkept,
            _ => Which::New,
        };
        let start = Start {
            world: World::new(self.loaded.settings, self.env, self.home),
            workspace,
            rules: rules.files,
            model: args.model.clone(),
            append_system: args.append_system_prompt.clone(),
            which,
            attended,
            approve: Vec::new(),
        };
        check_tools(&start, args.tools.is_some())?;
        check_rules(&start);
        Ok(start)
    }
}

/// A name that no tool has is an error on the command line, and worth a warning in a file: it may be meant for
/// another edition.
fn check_tools(start: &Start, typed: bool) -> anyhow::Result<()> {
    let unknown = reasonix_engine::unknown_tools(start);
    if unknown.is_empty() {
        return Ok(());
    }
    let known: Vec<_> = reasonix_engine::tool_specs(start).into_iter().map(|spec| spec.name).collect();
    let phrase = Phrase::new("cli.unknown_tools").with("names", unknown.join(", ")).with("known", known.join(", "));
    if typed || unknown.len() == start.world.settings.tools.enabled.len() {
        return Err(say::usage(phrase));
    }
    say::notice(Level::Warning, &phrase);
    Ok(())
}

/// A rule for a tool that does not exist here may be meant for another version, or be misspelt.
fn check_rules(start: &Start) {
    let known: Vec<String> = reasonix_engine::tool_specs(start).into_iter().map(|spec| spec.name).collect();
    for phrase in reasonix_config::unknown_rule_tools(&start.world.settings.permissions, &known) {
        say::notice(Level::Warning, &phrase);
    }
}

/// What the command line says about settings.
pub(crate) fn flags_of(args: &SessionArgs) -> Flags {
    Flags {
        config: args.config.clone(),
        model: args.model.clone(),
        base_url: args.base_url.clone(),
        api_key_env: args.api_key_env.clone(),
        max_steps: args.max_steps,
        max_cost: args.max_cost,
        max_tokens: args.max_tokens,
        max_seconds: args.max_time,
        tools: args.tools.clone(),
        language: None,
        log_level: args.log_level.clone(),
        record_wire: args.record_wire,
        trust_once: args.trust,
        trust_lock: args.trust_lock.as_deref().and_then(|file| std::path::absolute(file).ok()),
    }
}

/// The folder whose project settings hold here: the nearest one upwards that has any, as far as the repository goes.
fn project_folder(cwd: &Path) -> &Path {
    let root = repository_root(cwd);
    let within = cwd.ancestors().take_while(|folder| folder.starts_with(root));
    let has_settings =
        |folder: &&Path| ["reasonix.toml", "reasonix.jsonc"].iter().any(|name| folder.join(name).exists());
    within.into_iter().find(has_settings).unwrap_or(cwd)
}

/// The nearest folder upwards that holds a repository; the folder itself when there is none.
fn repository_root(cwd: &Path) -> &Path {
    cwd.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(cwd)
}

fn working_folder(dir: Option<&Path>) -> anyhow::Result<PathBuf> {
    let wanted = dir.unwrap_or(Path::new("."));
    let fail =
        |reason: String| say::usage(Phrase::new("cli.no_folder").with("path", wanted.display()).with("reason", reason));
    let path = wanted.canonicalize().map_err(|error| fail(error.to_string()))?;
    if path.is_dir() { Ok(path) } else { Err(fail("not a folder".to_owned())) }
}

/// The user's folder, for commands that need no settings.
pub(crate) fn home() -> anyhow::Result<PathBuf> {
    home_folder(&environment())
}

/// The environment, as far as it is text.
pub(crate) fn environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

fn home_folder(env: &BTreeMap<String, String>) -> anyhow::Result<PathBuf> {
    let said = env.get("REASONIX_HOME").filter(|path| !path.is_empty()).map(PathBuf::from);
    let path = said.or_else(|| std::env::home_dir().map(|home| home.join(".reasonix")));
    let path = path.ok_or_else(|| say::usage(Phrase::new("cli.no_home")))?;
    std::path::absolute(&path).with_context(|| format!("cannot resolve {}", path.display()))
}

/// What tells this terminal from others, so that each goes on with its own session.
pub(crate) fn terminal() -> Option<String> {
    let tty = rustix::termios::ttyname(std::io::stdin(), Vec::new()).ok().and_then(|name| name.into_string().ok());
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let named = ["KITTY_WINDOW_ID", "TMUX_PANE", "TERM_SESSION_ID", "WT_SESSION"];
    tty.or_else(|| named.into_iter().find_map(|name| Some(format!("{name} {}", set(name)?))))
}
