//! From what was typed to what a session starts from, and from what is wrong with it to sentences.

use crate::args::SessionArgs;
use crate::say;
use anyhow::Context as _;
use reasonix_config::{Flags, FolderSettings};
use reasonix_engine::{Host, HostSources, PurseHand, Which};
use reasonix_proto::Phrase;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Everything a command needs to know about where it runs.
pub(crate) struct Context(pub(crate) FolderSettings);

impl Deref for Context {
    type Target = FolderSettings;

    fn deref(&self) -> &FolderSettings {
        &self.0
    }
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

    /// Where the user's own settings are, also when they cannot be read.
    pub(crate) fn settings_file() -> anyhow::Result<PathBuf> {
        let env = environment();
        Ok(reasonix_config::user_settings_file(&home_folder(&env)?, &working_folder(None)?, &env))
    }

    /// The same without saying anything.
    pub(crate) fn load_silently(dir: Option<&Path>, flags: Flags) -> anyhow::Result<Self> {
        let env = environment();
        let cwd = working_folder(dir)?;
        let home = home_folder(&env)?;
        let folder = FolderSettings::load(home, cwd, env, flags).map_err(|error| say::usage(error.phrase()))?;
        say::settle_language(folder.loaded.settings.language.as_deref());
        Ok(Self(folder))
    }

    /// What opens the sessions that were asked for, and logs them.
    pub(crate) fn host(self, args: &SessionArgs, attended: bool) -> anyhow::Result<Host> {
        self.host_with(args, (attended, None), Vec::new())
    }

    /// The same with rules that answer for a person, and with a hand in a purse of several sessions.
    pub(crate) fn host_with(
        self,
        args: &SessionArgs,
        (attended, hand): (bool, Option<Arc<PurseHand>>),
        approve: Vec<String>,
    ) -> anyhow::Result<Host> {
        if args.trust && !crate::trust::at_terminal() {
            return Err(say::usage(Phrase::new("cli.trust_no_terminal")));
        }
        let which = match (&args.resume, &args.fork) {
            (Some(id), _) => Which::Resume(id.clone()),
            (None, Some(id)) => Which::Fork { session: id.clone(), at: args.at.map(reasonix_proto::RecordId) },
            _ if args.continues => Which::Continue,
            _ if args.no_session => Which::Unkept,
            _ => Which::New,
        };
        let sources = HostSources {
            folder: self.0,
            add_dirs: args.add_dir.clone(),
            model: args.model.clone(),
            agent: args.agent.clone(),
            append_system: args.append_system_prompt.clone(),
            which,
            attended,
            approve,
            names_tools: args.tools.is_some(),
            reader: say::reader(),
            require_trust: args.require_trust,
            terminal: terminal().filter(|_| attended),
            hand,
        };
        let (host, notices) = reasonix_engine::open(sources).map_err(|error| say::engine(&error))?;
        for (level, phrase) in &notices {
            say::notice(*level, phrase);
        }
        Ok(host)
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
        mcp: args.mcp.clone(),
        language: None,
        log_level: args.log_level.clone(),
        record_wire: args.record_wire,
        trust_once: args.trust,
        trust_lock: args.trust_lock.as_deref().and_then(|file| std::path::absolute(file).ok()),
    }
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
fn terminal() -> Option<String> {
    let tty = rustix::termios::ttyname(std::io::stdin(), Vec::new()).ok().and_then(|name| name.into_string().ok());
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let named = ["KITTY_WINDOW_ID", "TMUX_PANE", "TERM_SESSION_ID", "WT_SESSION"];
    tty.or_else(|| named.into_iter().find_map(|name| Some(format!("{name} {}", set(name)?))))
}
