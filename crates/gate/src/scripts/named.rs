//! The words of a line that name what is run.

use super::look::Look;
use super::mentions;
use super::tables::{self, Builder, FILES, FOLDERS, Kind, WORDS, builder_of, kind_of};
use reasonix_policy::{Effects, Places, Simple};
use std::path::{Path, PathBuf};

/// A description of a package is looked into only up to here.
const MOST_JSON: u64 = 4 << 20;

/// Names under which an interpreter reads its own input.
const INPUTS: &[&str] = &["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// Looks at every file that a line would run.
pub(super) fn look_at(effects: &Effects, look: &mut Look<'_>) {
    for simple in &effects.commands {
        let Some(first) = simple.words.first() else { continue };
        if first.text.contains('/') {
            look.word(&simple.places, &first.text);
        }
        mentions::files(simple, look);
        if let Some(builder) = builder_of(simple.program()) {
            build(simple, builder, look);
        }
        let Some(kind) = kind_of(simple.program()) else { continue };
        mentions::libraries(simple, look);
        for (path, places) in &effects.inputs {
            look.word(places, path);
        }
        if !interpret(simple, kind, look) {
            // What an interpreter reads from elsewhere in the line may be any file that is named there.
            for (path, places) in effects.paths() {
                look.word(places, path);
            }
        }
    }
}

/// Looks at what an interpreter is given to run. False when that is its own input.
fn interpret(simple: &Simple, kind: Kind, look: &mut Look<'_>) -> bool {
    let (mut over, mut behind, mut given) = (false, false, false);
    let mut words = simple.args().iter().map(|word| word.text.as_str());
    while let Some(text) = words.next() {
        if !over && text == "--" {
            over = true;
        } else if !over && is_option(text) {
            if let Some(module) = module_of(kind, text, &words) {
                modules(&simple.places, module, look);
                return true;
            }
            behind = !value_in(text, kind, look, simple) && tables::may_take_value(kind, text);
        } else if !INPUTS.contains(&text) {
            let worded = matches!(kind, Kind::Node | Kind::Worded) && !given && WORDS.contains(&text);
            given = true;
            let there = !worded && script(&simple.places, text, kind, look);
            // A word behind an option may be its value, and the script comes after it.
            if there && !behind {
                return true;
            }
            behind = false;
        }
    }
    given
}

fn is_option(text: &str) -> bool {
    text.len() > 1 && text.starts_with(['-', '+'])
}

/// The module that Python is told to run by its name.
fn module_of<'a>(kind: Kind, option: &'a str, rest: &(impl Iterator<Item = &'a str> + Clone)) -> Option<&'a str> {
    if kind != Kind::Python || option.starts_with("--") {
        return None;
    }
    let (before, name) = option.split_once('m')?;
    // Letters before it are options without a value.
    if before.contains(['W', 'X', 'c']) {
        return None;
    }
    if name.is_empty() { rest.clone().next() } else { Some(name) }
}

/// What a module is read from: itself, its main file, and what the packages around it run first.
fn modules(places: &Places, name: &str, look: &mut Look<'_>) {
    let mut at = String::new();
    for part in name.split('.') {
        at = if at.is_empty() { part.to_owned() } else { format!("{at}/{part}") };
        module(places, &format!("{at}/__init__"), look);
    }
    module(places, &at, look);
    module(places, &format!("{at}/__main__"), look);
}

/// A module in each form that Python takes: as it is written, and as it was compiled before.
fn module(places: &Places, at: &str, look: &mut Look<'_>) {
    look.word(places, &format!("{at}.py"));
    look.word(places, &format!("{at}.pyc"));
    let (folder, name) = at.rsplit_once('/').unwrap_or((".", at));
    for place in look.places(places, folder) {
        look.beginning(&place.join("__pycache__"), &format!("{name}."), ".pyc");
        look.beginning(&place, &format!("{name}."), ".so");
    }
}

/// Looks at the value that stands in the same word as its option. True when one stands there.
fn value_in(option: &str, kind: Kind, look: &mut Look<'_>, simple: &Simple) -> bool {
    let joined = option.split_once('=').filter(|(name, _)| FILES.contains(name)).map(|(_, value)| value);
    let short = FILES.iter().filter(|name| name.len() == 2).find_map(|name| option.strip_prefix(name));
    match joined.or(short.filter(|value| !value.is_empty())) {
        Some(value) => script(&simple.places, value, kind, look),
        None => false,
    }
}

/// Looks at a script, and at what stands for it where a folder or a name without its end is given.
fn script(places: &Places, text: &str, kind: Kind, look: &mut Look<'_>) -> bool {
    let mut there = look.word(places, text);
    for path in look.places(places, text) {
        match kind {
            Kind::Python if path.is_dir() => there |= look.file(&path.join("__main__.py")),
            Kind::Node if path.is_dir() => there |= package(&path, look),
            Kind::Node if !there => there = with_end(&path, look),
            _ => {}
        }
    }
    there
}

/// A folder that is run: its description, the file that this names, and the one that is taken otherwise.
fn package(folder: &Path, look: &mut Look<'_>) -> bool {
    let description = folder.join("package.json");
    let mut there = look.file(&description);
    if let Some(main) = main_of(&description) {
        let path = folder.join(main);
        there |= look.file(&path) || with_end(&path, look) || with_end(&path.join("index"), look);
    }
    with_end(&folder.join("index"), look) || there
}

fn with_end(path: &Path, look: &mut Look<'_>) -> bool {
    let named = |end: &str| PathBuf::from(format!("{}.{end}", path.display()));
    ["js", "cjs", "mjs", "ts", "json", "node"].iter().any(|end| look.file(&named(end)))
}

fn main_of(description: &Path) -> Option<String> {
    let short = description.metadata().is_ok_and(|found| found.is_file() && found.len() <= MOST_JSON);
    let text = short.then(|| std::fs::read_to_string(description).ok()).flatten()?;
    let value: serde_json::Value = serde_json::from_str(&text).ok()?;
    Some(value.get("main")?.as_str()?.to_owned())
}

/// Looks at what a builder reads: the file of its folder, and those that it is given.
fn build(simple: &Simple, builder: &Builder, look: &mut Look<'_>) {
    for value in values(simple, FILES) {
        look.word(&simple.places, value);
    }
    let mut folders = vec![String::from(".")];
    // Each of several folders is seen from the one before.
    let mut below = String::new();
    for value in values(simple, FOLDERS) {
        below = if below.is_empty() || value.starts_with('/') { value.to_owned() } else { format!("{below}/{value}") };
        folders.extend([value.to_owned(), below.clone()]);
    }
    folders.extend(mentions::folders(simple, look));
    folders.dedup();
    for folder in folders {
        for folder in look.places(&simple.places, &folder) {
            if let Some(at) = look.first_of(&folder, builder.names, builder.climbs) {
                for name in builder.beside {
                    look.file(&at.join(name));
                }
            }
        }
    }
}

/// The values of some options: in the word behind them, or in the same one.
fn values<'a>(simple: &'a Simple, options: &'static [&'static str]) -> impl Iterator<Item = &'a str> {
    let args = simple.args();
    args.iter().enumerate().filter_map(move |(at, word)| {
        let text = word.text.as_str();
        if options.contains(&text) {
            return args.get(at + 1).map(|value| value.text.as_str());
        }
        let joined = text.split_once('=').filter(|(name, _)| options.contains(name)).map(|(_, value)| value);
        let short = || options.iter().filter(|name| name.len() == 2).find_map(|name| text.strip_prefix(name));
        joined.or_else(short).filter(|value| !value.is_empty())
    })
}
