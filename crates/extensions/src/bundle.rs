//! Bundles: folders that carry skills, commands, agents, hooks and servers together, in Claude Code's layout or codex's. The user
//! took them in as a whole; here they are found, held to what was taken in, and taken apart.

mod content;
mod manifest;
mod pins;

pub use content::{BundleBound, BundleFault, BundleFile, bundle_files};
pub use manifest::{Bundle, BundleLayout};
pub use pins::{BundlePin, BundlePins, FoundBundles, bundles_folder, found_bundles};
