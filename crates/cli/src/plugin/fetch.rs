//! Fetching a bundle: from a folder or a repository into a folder of our own, where it waits for a yes. Nothing of it is run, and
//! nothing is linked to.

use super::kept::{change, pins, unwritable, write_files};
use crate::say;
use reasonix_exec::git::{clone_repository, has_password, is_address};
use reasonix_extensions::{Bundle, BundleFault, BundleFile, BundlePin, bundle_files, bundles_folder};
use reasonix_proto::Phrase;
use std::path::{Component, Path, PathBuf};

/// A bundle that is here, and not taken in.
pub(super) struct Staged {
    pub(super) bundle: Bundle,
    pub(super) pin: BundlePin,
    pub(super) files: Vec<BundleFile>,
    waiting: Waiting,
}

/// A folder that is gone when nobody needs it any more.
struct Waiting(PathBuf);

impl Drop for Waiting {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Staged {
    pub(super) fn fetch(home: &Path, source: &str, folder: Option<&str>) -> anyhow::Result<Self> {
        // Whatever is said of it from here on names it.
        if has_password(source) {
            return Err(say::usage(Phrase::new("cli.plugin_password")));
        }
        let bad = || Phrase::new("cli.plugin_bad").with("source", source);
        let broken = |fault: BundleFault| say::failed(fault.told_in(bad()));
        let waiting = Waiting(bundles_folder(home).join(format!(".new-{}", std::process::id())));
        let _ = std::fs::remove_dir_all(&waiting.0);
        reasonix_store::private_folder(&waiting.0).map_err(|error| unwritable(&waiting.0, &error))?;
        let (origin, top) = if is_address(source) {
            let clone = waiting.0.join("clone");
            let cloned = crate::runtime()?.block_on(clone_repository(source, &clone));
            cloned.map_err(|fault| say::failed(fault.told_in(bad())))?;
            (source.to_owned(), clone)
        } else {
            let path =
                local(source).ok_or_else(|| say::usage(Phrase::new("cli.plugin_source").with("source", source)))?;
            (path.display().to_string(), path)
        };
        let from = below(&top, folder)
            .ok_or_else(|| say::usage(Phrase::new("cli.plugin_folder").with("folder", folder.unwrap_or_default())))?;
        let files = bundle_files(&from).map_err(broken)?;
        let content = waiting.0.join("content");
        reasonix_store::private_folder(&content).map_err(|error| unwritable(&content, &error))?;
        write_files(&content, &files).map_err(|error| unwritable(&content, &error))?;
        let usual = usual_name(&origin, folder);
        let bundle = Bundle::read(&content, Some(&usual)).map_err(broken)?;
        let pin = BundlePin::of(&bundle.name, &files, (&origin, folder));
        Ok(Self { bundle, pin, files, waiting })
    }

    /// Puts it where bundles lie, and writes down what it is. Of earlier states the last one stays, for sessions that run.
    pub(super) fn take_in(&self, home: &Path) -> anyhow::Result<()> {
        let (state, place) = (self.pin.state(home), self.pin.place(home));
        let fail = |error: std::io::Error| unwritable(&place, &error);
        let folder = state.parent().unwrap_or(&state);
        reasonix_store::private_folder(folder).map_err(fail)?;
        let before = pins(home)?.named(&self.pin.name).map(|pin| pin.state(home));
        let entries = std::fs::read_dir(folder).map_err(fail)?;
        for entry in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            if entry == state || Some(&entry) != before.as_ref() {
                std::fs::remove_dir_all(&entry).map_err(fail)?;
            }
        }
        reasonix_store::private_folder(&state).map_err(fail)?;
        std::fs::rename(self.waiting.0.join("content"), &place).map_err(fail)?;
        change(home, |pins| pins.with(self.pin.clone()))
    }
}

/// A folder of this machine; none for what looks like something else.
fn local(source: &str) -> Option<PathBuf> {
    let odd = source.starts_with('-') || source.contains("::") || source.contains("://");
    let path = Path::new(source).canonicalize().ok().filter(|_| !odd)?;
    path.is_dir().then_some(path)
}

/// A folder below the top that is really there.
fn below(top: &Path, folder: Option<&str>) -> Option<PathBuf> {
    let Some(folder) = folder else { return Some(top.to_owned()) };
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let path = Path::new(folder);
    let real = top.join(path).canonicalize().ok().filter(|_| path.components().all(plain))?;
    (real.is_dir() && real.starts_with(top.canonicalize().ok()?)).then_some(real)
}

/// What a bundle is called that does not say it: the last part of where it comes from.
fn usual_name(origin: &str, folder: Option<&str>) -> String {
    let path = folder.unwrap_or(origin).trim_end_matches('/');
    let last = path.rsplit('/').next().unwrap_or(path);
    last.strip_suffix(".git").unwrap_or(last).to_owned()
}
