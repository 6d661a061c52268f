//! Whether a check ran in another place than the one that a claim is about, by its folder and by the files that the log names.

use crate::check::Check;
use crate::components;
use crate::deeds::{Deeds, What};
use crate::halves::{HALVES, others_of};
use crate::pattern::patterns;
use crate::said::Said;
use crate::writes::Written;

patterns! {
    OF_PLACE = r"([\w@/-]+)`?(?:['’]s)? (?:service|package|app|application|crate|module|project|workspace|library)\b|([a-z0-9_@/-]+)`? ?(?:服务|包|应用|模块|子项目|工程)";
}

/// Folders that hold things that stand side by side.
const SHELVES: &[&str] =
    &["apps", "packages", "services", "crates", "libs", "modules", "projects", "plugins", "components", "cmd", "tools"];

/// True when a check ran in a folder, and what the claim names is known to be outside of it. Where the claim names nothing it
/// is about what was changed.
pub(crate) fn is(deeds: &Deeds, check: &Check, said: &Said) -> bool {
    let folder = clean(&check.folder);
    if folder.is_empty() {
        return false;
    }
    let known = written(deeds, 0);
    if is_of_other_part(check, said, &known) {
        return true;
    }
    let names: Vec<String> = said.reach.names.iter().map(|name| clean(name)).filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        return said.commands.is_empty() && beside(&folder, &written(deeds, said.since(deeds)));
    }
    let of_place: Vec<&str> = OF_PLACE.all(&said.words).into_iter().map(|(_, name)| name).collect();
    // Of what stands side by side each has its own tests, unless they are known to be here.
    let here = |name: &str| known.iter().any(|path| is_under(path, &folder) && path.contains(name));
    let other = |name: &String| {
        let named = of_place.contains(&name.as_str()) || (said.reach.subjects.contains(name) && !here(name));
        let shelved = named && on_shelf(&folder) && !folder.contains(name.as_str());
        shelved || parts_from(&folder, name) || is_outside(&known, &folder, name)
    };
    names.iter().any(other)
}

/// True when a claim names a part of the project, and nothing is known of it in the folder that a check ran in.
fn is_of_other_part(check: &Check, said: &Said, known: &[String]) -> bool {
    let folder = clean(&check.folder);
    // Where all is built, or all sources are, every part is.
    let shared = |part: &str| {
        matches!(part, "build" | "out" | "target" | "dist" | "_build" | "bin" | "src" | "source" | "code" | "repo")
            || part.starts_with("cmake-build")
            || part.starts_with("build-")
    };
    if folder.is_empty() || folder.contains('$') || folder.split('/').all(shared) {
        return false;
    }
    let fits = |part: &str, name: &str| part.contains(name) || (part.len() >= 3 && name.contains(part));
    let here = |word: &str| {
        let in_folder = |name: &str| folder.split('/').any(|part| fits(part, name)) || folder.contains(name);
        let known = || known.iter().any(|path| is_under(path, &folder) && path.contains(word));
        let given = || check.part.iter().any(|part| part.to_ascii_lowercase().contains(word));
        let own = || word == check.program || check.lints.iter().any(|linter| linter.is_called(word));
        in_folder(word) || others_of(word).iter().any(|name| in_folder(name)) || known() || given() || own()
    };
    std::iter::once(said.words.as_str()).chain(said.heading.lines()).any(|words| components::is_foreign(words, here))
}

/// True when all that was written lies in the other half of a project than the one that a check ran in, and is of another
/// language: what is written in one language may be shared by both halves.
pub(crate) fn is_of_other_half(check: &Check, written: &Written) -> bool {
    const BACK: &[&str] = &["backend", "server", "api"];
    const FRONT: &[&str] = &["frontend", "client", "web"];
    const WEB: &[&str] =
        &[".ts", ".tsx", ".js", ".jsx", ".mjs", ".vue", ".svelte", ".astro", ".css", ".scss", ".less", ".html"];
    let half = |path: &str| {
        let path = clean(path);
        let first = path.split('/').next().filter(|first| *first != path || path == clean(&check.folder));
        first.map(|first| (BACK.contains(&first), FRONT.contains(&first))).filter(|half| half.0 != half.1)
    };
    let own = half(&check.folder);
    let of_web = |path: &str| WEB.iter().any(|end| path.ends_with(end));
    let known = matches!(check.family, "js" | "py" | "cargo" | "go" | "jvm");
    let apart = |path: &str| known && of_web(path) != (check.family == "js");
    let other = |path: &String| half(path).is_some_and(|half| Some(half) != own) && apart(path);
    own.is_some() && written.is_known() && written.paths.iter().chain(&written.gone).all(other)
}

fn clean(path: &str) -> String {
    path.trim_matches(['`', '/', '.']).trim_start_matches("./").to_ascii_lowercase()
}

/// The files that were written from this deed on.
fn written(deeds: &Deeds, since: usize) -> Vec<String> {
    let paths = deeds.done.iter().skip(since).filter_map(|deed| match &deed.what {
        What::Wrote(written) => Some(written.paths.iter().chain(&written.gone)),
        What::Ran(_) => None,
    });
    paths.flatten().filter(|path| !path.starts_with('/')).map(|path| clean(path)).collect()
}

fn is_under(path: &str, folder: &str) -> bool {
    path == folder || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// True when one of the folders of a path has this name, or its file.
fn has(path: &str, name: &str) -> bool {
    path.split('/').any(|part| part == name || part.split('.').next() == Some(name))
}

/// True when a folder is one of several that stand side by side.
fn on_shelf(folder: &str) -> bool {
    folder.split_once('/').is_some_and(|(first, _)| SHELVES.contains(&first))
}

/// True when a path begins as a folder does and then goes another way.
fn parts_from(folder: &str, path: &str) -> bool {
    let first = |text: &str| text.split_once('/').map(|(first, _)| first.to_owned());
    first(folder).is_some() && first(folder) == first(path) && !is_under(path, folder) && !is_under(folder, path)
}

/// True when the log knows what has this name, and all of it lies outside of a folder.
fn is_outside(known: &[String], folder: &str, name: &str) -> bool {
    let holds = |path: &&String| if name.contains('/') { is_under(path, name) } else { has(path, name) };
    let inside =
        is_under(folder, name) || has(folder, name) || known.iter().any(|path| holds(&path) && is_under(path, folder));
    !inside && known.iter().any(|path| holds(&path))
}

/// True when all that was written lies in the folders beside this one.
fn beside(folder: &str, written: &[String]) -> bool {
    let half = |path: &str| path.split('/').next().filter(|first| HALVES.contains(first)).map(str::to_owned);
    let other_half = |path: &String| half(folder).is_some() && half(path).is_some() && half(path) != half(folder);
    let shelved = |path: &String| on_shelf(folder) && parts_from(folder, path);
    !written.is_empty() && written.iter().all(|path| other_half(path) || shelved(path))
}
