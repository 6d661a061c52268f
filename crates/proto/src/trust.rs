//! What a repository brings that would be executed, as front ends show it before the user says yes.

use serde::{Deserialize, Serialize};

/// The kind of a command that was found to check edits.
pub const DETECTED_CHECK: &str = "detected";

/// The surfaces of the working folder and whether the user trusts them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TrustInfo {
    /// The folder it is about.
    pub root: String,
    /// What an answer is about: all surfaces as they are shown here.
    pub digest: String,
    /// Everything that would be executed.
    pub surfaces: Vec<SurfaceInfo>,
}

impl TrustInfo {
    /// The surfaces that are off.
    pub fn off(&self) -> impl Iterator<Item = &SurfaceInfo> {
        self.surfaces.iter().filter(|surface| surface.standing != TrustStanding::Trusted)
    }

    /// True when it is worth asking before anything else: a command that was merely found waits until it is to run.
    pub fn asks_at_start(&self) -> bool {
        self.off().any(|surface| surface.standing != TrustStanding::Refused && surface.kind != DETECTED_CHECK)
    }

    /// True when a yes would switch something on.
    pub fn is_open(&self) -> bool {
        self.off().any(|surface| surface.standing != TrustStanding::Refused)
    }
}

/// One thing that would be executed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SurfaceInfo {
    /// `hook`, `mcp`, `lsp`, `skill`, `command`, `agent`, `validation`, `formatter`, `status_line`, `prompt`, `git` or `detected`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The file it stands in, relative to the root.
    pub place: String,
    /// Whether the user trusts it.
    pub standing: TrustStanding,
    /// Why it cannot be trusted, where it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it consists of, each text bounded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<SurfacePart>,
    /// What is different from what the user trusted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<SurfacePart>,
    /// Variables that it is given: name, and `environment`, `.env` or `-` where it is not set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<(String, String)>,
}

/// A file or a part of the settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SurfacePart {
    /// The file, or the place in the settings.
    pub label: String,
    /// Its text, or a unified diff; none when it is no text, is too long or must not be shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Whether the user trusts a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustStanding {
    /// Yes, as it is now.
    Trusted,
    /// They trusted what it was before.
    Changed,
    /// They never said so.
    Unknown,
    /// It cannot be trusted.
    Refused,
}
