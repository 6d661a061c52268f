//! From the settings to the box that commands run in.

use reasonix_config::{Bash, Settings};
use reasonix_exec::{BoxOptions, Confinement, Environment, ExecError, Sandbox, SandboxLevel};
use reasonix_proto::Phrase;
use reasonix_workspace::Workspace;
use std::path::Path;

/// What commands of this workspace are held to. The box is tried out, so that it is known now whether it can be had.
pub fn confinement(settings: &Settings, workspace: &Workspace, home: &Path) -> Confinement {
    let sandbox = &settings.sandbox;
    let least = match sandbox.bash {
        Bash::Off => return Confinement::None,
        Bash::BestEffort => SandboxLevel::Partial,
        Bash::Enforce => SandboxLevel::Full,
    };
    let mut closed = vec![home.to_owned()];
    closed.extend(sandbox.forbid_read.iter().map(|path| workspace.root().join(path)));
    let options = BoxOptions {
        writable: workspace.roots(),
        closed,
        network: sandbox.network,
        quarantine: home.join("state").join("quarantine"),
        environment: Environment::inherited(&[]),
    };
    match Sandbox::prepare(options, least) {
        Ok(sandbox) => Confinement::Boxed(sandbox),
        Err(ExecError::NoSandbox { wanted, reason }) => Confinement::Refused { wanted, reason },
        Err(error) => Confinement::Refused { wanted: least, reason: error.to_string() },
    }
}

/// The word for it in a session's first record.
pub(crate) fn word(confinement: &Confinement) -> String {
    match confinement {
        Confinement::None => "off".to_owned(),
        Confinement::Boxed(sandbox) => sandbox.level().to_string(),
        Confinement::Refused { .. } => "refused".to_owned(),
    }
}

/// What the user is to know about it when it is less than a full box.
pub fn shortcoming(confinement: &Confinement) -> Option<Phrase> {
    match confinement {
        Confinement::None => Some(Phrase::new("exec.sandbox_off")),
        Confinement::Boxed(sandbox) => {
            sandbox.shortfall().map(|reason| Phrase::new("exec.sandbox_partial").with("reason", reason))
        }
        Confinement::Refused { wanted, reason } => {
            Some(ExecError::NoSandbox { wanted: *wanted, reason: reason.clone() }.phrase())
        }
    }
}
