//! Which bundles the user took in, and what they were then. One that is something else by now is off.

use super::content::{BundleFault, BundleFile, bundle_files, digest};
use super::manifest::{Bundle, is_bundle_name};
use crate::file::small_file;
use reasonix_proto::Phrase;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The version of the file; a larger one is not read.
const VERSION: u64 = 1;

/// A bundle that the user took in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundlePin {
    /// Its name.
    pub name: String,
    /// What it was then.
    pub digest: String,
    /// The folder or the address that it came from.
    pub source: String,
    /// The folder of a repository that it lies in; none for the whole.
    pub folder: Option<String>,
}

/// All of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BundlePins {
    /// Sorted by name.
    pub pins: Vec<BundlePin>,
}

/// The bundles of a start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundBundles {
    /// Those that are what the user took in.
    pub bundles: Vec<Bundle>,
    /// Those that are off, with what to tell people.
    pub off: Vec<(BundlePin, Phrase)>,
    /// What is wrong with the list itself.
    pub notices: Vec<Phrase>,
}

impl FoundBundles {
    /// What to tell people of those that are off.
    pub fn told(&self) -> impl Iterator<Item = Phrase> + '_ {
        self.notices.iter().chain(self.off.iter().map(|(_, phrase)| phrase)).cloned()
    }
}

/// Where the contents of bundles lie.
pub fn bundles_folder(home: &Path) -> PathBuf {
    home.join("state").join("plugins")
}

impl BundlePin {
    /// A bundle as it is in these files.
    pub fn of(name: &str, files: &[BundleFile], (source, folder): (&str, Option<&str>)) -> Self {
        let (name, source, folder) = (name.to_owned(), source.to_owned(), folder.map(str::to_owned));
        Self { name, digest: digest(files), source, folder }
    }

    /// The folder around this state of it: each has one of its own, so that a session that runs goes on with its own.
    pub fn state(&self, home: &Path) -> PathBuf {
        let short: String = self.digest.chars().take(16).collect();
        bundles_folder(home).join(&self.name).join(short)
    }

    /// Where its content lies, in a folder of its name: some take theirs for the name of a package.
    pub fn place(&self, home: &Path) -> PathBuf {
        self.state(home).join(&self.name)
    }

    /// The bundle, where it is what the user took in.
    pub fn open(&self, home: &Path) -> Result<Bundle, Phrase> {
        let place = self.place(home);
        let broken =
            |fault: &BundleFault| fault.told_in(Phrase::new("extensions.bundle_broken").with("name", &self.name));
        let files = bundle_files(&place).map_err(|fault| broken(&fault))?;
        if digest(&files) != self.digest {
            return Err(Phrase::new("extensions.bundle_changed").with("name", &self.name));
        }
        let bundle = Bundle::read(&place, Some(&self.name)).map_err(|fault| broken(&fault))?;
        if bundle.name == self.name { Ok(bundle) } else { Err(broken(&BundleFault::Name(bundle.name))) }
    }
}

impl BundlePins {
    /// The file that they stand in.
    pub fn file(home: &Path) -> PathBuf {
        home.join("state").join("plugins.json")
    }

    /// Reads them; an error where the file is damaged, or from a later program.
    pub fn read(home: &Path) -> Result<Self, Phrase> {
        let file = Self::file(home);
        let damaged = |reason: String| {
            Phrase::new("extensions.bundles_damaged").with("file", file.display()).with("reason", reason)
        };
        let text = match small_file(&file, home) {
            None => return Ok(Self::default()),
            Some(text) => text.map_err(|flaw| flaw.phrase())?,
        };
        let said: Value = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        if said.get("version").and_then(Value::as_u64) != Some(VERSION) {
            return Err(damaged("version".to_owned()));
        }
        let listed = said.get("plugins").and_then(Value::as_array).ok_or_else(|| damaged("plugins".to_owned()))?;
        let pins = listed.iter().map(pin).collect::<Option<Vec<_>>>().ok_or_else(|| damaged("plugins".to_owned()))?;
        Ok(Self { pins })
    }

    /// As the file has them.
    pub fn text(&self) -> String {
        let row = |pin: &BundlePin| json!({"name": pin.name, "digest": pin.digest, "source": pin.source, "folder": pin.folder});
        let all: Vec<Value> = self.pins.iter().map(row).collect();
        format!("{:#}\n", json!({"version": VERSION, "plugins": all}))
    }

    /// The one of this name; upper and lower case are one.
    pub fn named(&self, name: &str) -> Option<&BundlePin> {
        self.pins.iter().find(|pin| pin.name.eq_ignore_ascii_case(name))
    }

    /// The same with this one in the place of the one of its name.
    #[must_use]
    pub fn with(mut self, pin: BundlePin) -> Self {
        self.pins.retain(|other| !other.name.eq_ignore_ascii_case(&pin.name));
        self.pins.push(pin);
        self.pins.sort_by(|a, b| a.name.cmp(&b.name));
        self
    }
}

/// An entry of the file. Its name is a part of a path.
fn pin(entry: &Value) -> Option<BundlePin> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    let pin = BundlePin {
        name: text("name").filter(|name| is_bundle_name(name))?,
        digest: text("digest").filter(|digest| digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit()))?,
        source: text("source").unwrap_or_default(),
        folder: text("folder"),
    };
    Some(pin)
}

/// The bundles of the user's folder, each held to what was taken in.
pub fn found_bundles(home: &Path) -> FoundBundles {
    let mut found = FoundBundles::default();
    match BundlePins::read(home) {
        Err(phrase) => found.notices.push(phrase),
        Ok(pins) => {
            for pin in pins.pins {
                match pin.open(home) {
                    Ok(bundle) => found.bundles.push(bundle),
                    Err(phrase) => found.off.push((pin, phrase)),
                }
            }
        }
    }
    found
}
