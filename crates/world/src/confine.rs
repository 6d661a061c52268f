//! From the settings to the box that commands run in.

mod masks;

use reasonix_config::{BashBoxing, CommandLimits, Settings, ToolchainCaches};
use reasonix_exec::{
    Bounds, BoxOptions, Caches, Confinement, Environment, ExecError, Masked, Quarantined, Sandbox, SandboxLevel,
    recover, settle_all,
};
use reasonix_proto::Phrase;
use reasonix_workspace::{Workspace, gitlinks};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

const MIB: u64 = 1024 * 1024;

/// What commands of this workspace are held to. The box is tried out, so that it is known now whether it can be had.
pub fn confinement(settings: &Settings, workspace: &Workspace, home: &Path) -> Confinement {
    let Some(least) = least_level(settings) else { return Confinement::None };
    prepared(box_options(settings, workspace, home), least)
}

/// The least that a box has to be; none where the user wants none.
pub fn least_level(settings: &Settings) -> Option<SandboxLevel> {
    match settings.sandbox.bash {
        BashBoxing::Off => None,
        BashBoxing::BestEffort => Some(SandboxLevel::Partial),
        BashBoxing::Enforce => Some(SandboxLevel::Full),
    }
}

/// The box of commands, before it is made.
pub fn box_options(settings: &Settings, workspace: &Workspace, home: &Path) -> BoxOptions {
    let sandbox = &settings.sandbox;
    let state = home.join("state");
    // What the box makes below it must not be what opens it to others; what cannot be made is told by who needs it.
    if sandbox.caches == ToolchainCaches::Project {
        let _ = reasonix_store::private_folder(&state);
    }
    // git and builds need the whole of a repository, also of one in the user's home.
    let around: Vec<PathBuf> = workspace.around().map(Path::to_owned).into_iter().collect();
    let mut closed = vec![home.to_owned()];
    closed.extend(sandbox.forbid_read.iter().map(|path| workspace.root().join(path)));
    BoxOptions {
        writable: workspace.roots(),
        readable: readable(&settings.permissions.allow)
            .into_iter()
            .chain(sandbox.shown.iter().chain(&around).cloned())
            .collect(),
        opened: around,
        closed,
        // What bundles carry is no secret: it is what was published, and their hooks and servers are run from there.
        shown: std::iter::once(reasonix_extensions::bundles_folder(home))
            .chain(sandbox.shown.iter().cloned())
            .collect(),
        masked: Some(masks::masked(&settings.permissions.deny, workspace)),
        linked: Some(linked(workspace.roots())),
        fixed: masks::fixed(&settings.permissions.deny, workspace),
        caches: match sandbox.caches {
            ToolchainCaches::Shared => Caches::Shared,
            ToolchainCaches::Session => Caches::Session,
            ToolchainCaches::Project => Caches::Project(state.join("caches").join(name_of(workspace.root()))),
        },
        network: sandbox.network,
        quarantine: quarantine(home),
        environment: Environment::inherited(&[]),
    }
}

/// Makes a box and tries it out.
pub fn prepared(options: BoxOptions, least: SandboxLevel) -> Confinement {
    match Sandbox::prepare(options, least) {
        Ok(sandbox) => {
            tracing::debug!(level = %sandbox.level(), shortfall = sandbox.shortfall(), "sandbox_prepared");
            Confinement::Boxed(sandbox)
        }
        Err(error) => {
            tracing::warn!(wanted = %least, %error, "sandbox_refused");
            let (wanted, reason) = match error {
                ExecError::NoSandbox { wanted, reason } => (wanted, reason),
                other => (least, other.to_string()),
            };
            Confinement::Refused { wanted, reason }
        }
    }
}

/// Where goes what commands left for others to run.
fn quarantine(home: &Path) -> PathBuf {
    home.join("state").join("quarantine")
}

/// Sets aside what commands in these folders left when Reasonix was ended while they ran; says what it was. Costs nothing
/// where there is none.
pub fn left_behind(home: &Path, roots: Vec<PathBuf>) -> Vec<Phrase> {
    recover(&quarantine(home), &roots.clone(), Some(&linked(roots))).iter().map(set_aside).collect()
}

/// What people are told of something that a command left.
pub fn set_aside(left: &Quarantined) -> Phrase {
    let phrase = match &left.kept {
        Some(kept) => Phrase::new("engine.set_aside").with("kept", kept.display()),
        None => Phrase::new("engine.not_set_aside"),
    };
    phrase.with("path", left.path.display())
}

/// Ends the commands of a process that is about to end, and sets aside what they left, as far as there is time for it; says
/// what it was.
pub fn leave_nothing(patience: Duration) -> Vec<Phrase> {
    settle_all(patience).iter().map(set_aside).collect()
}

/// Works out which repositories the indexes of these folders link to.
fn linked(roots: Vec<PathBuf>) -> Masked {
    Masked(Arc::new(move || roots.iter().flat_map(|root| gitlinks(root)).collect()))
}

/// Folders elsewhere that the user's own rules open to reading, as far as they are named without a pattern.
fn readable(allow: &[String]) -> Vec<PathBuf> {
    let named = |text: &String| {
        let path = text.trim().strip_prefix("Read(")?.strip_suffix(')')?;
        let fixed = path.split(['*', '?', '[', '{']).next().unwrap_or(path);
        let whole = fixed.len() == path.len();
        let folder = if whole { Path::new(fixed) } else { Path::new(fixed.rsplit_once('/')?.0) };
        (folder.is_absolute() && folder.components().count() > 1).then(|| folder.to_owned())
    };
    allow.iter().filter_map(named).collect()
}

/// A name for a workspace among the folders of our state.
fn name_of(root: &Path) -> String {
    let hash = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
    hash.as_str().chars().take(16).collect()
}

/// How much of the machine commands may take.
pub fn bounds(limits: &CommandLimits) -> Bounds {
    let bytes = |mib: u64| mib.saturating_mul(MIB);
    Bounds {
        processes: limits.processes,
        memory: limits.memory_mb.map_or_else(|| *MACHINE_MEMORY / 4 * 3, bytes),
        file: bytes(limits.file_mb),
        output: bytes(limits.output_mb),
        free: bytes(limits.free_mb),
    }
}

/// What children see of the user's environment. Whatever they are called: the keys of the endpoints are not for them.
pub fn children_environment(settings: &Settings) -> Environment {
    let keys: Vec<&str> = settings.providers.iter().flat_map(reasonix_config::Provider::key_variables).collect();
    let open = Environment::inherited(&settings.sandbox.env);
    let open = if settings.sandbox.network { open.with_proxies() } else { open };
    open.without(&keys)
}

/// The machine's memory in bytes; 0 where that cannot be told. Asked once: the kernel adds it up for each reader, and every
/// server of a session wants to know.
static MACHINE_MEMORY: LazyLock<u64> = LazyLock::new(|| {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    total.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0).saturating_mul(1024)
});

/// The word for it in a session's first record.
pub fn word(confinement: &Confinement) -> String {
    match confinement {
        Confinement::None => "off".to_owned(),
        Confinement::Boxed(sandbox) | Confinement::Held(sandbox) => sandbox.level().to_string(),
        Confinement::Refused { .. } => "refused".to_owned(),
    }
}

/// What the user is to know about it when it is less than a full box.
pub fn shortcoming(confinement: &Confinement) -> Option<Phrase> {
    match confinement {
        Confinement::None => Some(Phrase::new("exec.sandbox_off")),
        Confinement::Boxed(sandbox) | Confinement::Held(sandbox) => {
            sandbox.shortfall().map(|reason| Phrase::new("exec.sandbox_partial").with("reason", reason))
        }
        Confinement::Refused { wanted, reason } => {
            Some(ExecError::NoSandbox { wanted: *wanted, reason: reason.clone() }.phrase())
        }
    }
}
