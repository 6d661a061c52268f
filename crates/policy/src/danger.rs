//! The dangerous class: what destroys, publishes or takes the machine down, whatever rules and postures say.
//! The table is data; settings add to it and take nothing away.

mod kind;
mod remote;
mod spread;
mod table;

use crate::command;
use crate::effects::{Effects, Hidden, How, Places, Simple, Word, WordKind, Write, is_flag, join};
use crate::facts::{Facts, Target};
use crate::known::{by_module, could_run};
use crate::protected::is_protected;
use crate::readers::without_git_options;
use crate::rule::{Rule, RuleError};
pub use kind::DangerKind;
use reasonix_proto::Phrase;
use std::collections::HashSet;
use std::sync::LazyLock;
use table::{DISCARDS, HELP, KUBE, KUBE_ASKS, REMOTE, Row, TABLE};

/// One dangerous thing about a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineDanger {
    /// What is dangerous.
    pub kind: DangerKind,
    /// Why, for people.
    pub why: Phrase,
    /// Why, for the model, with a way out.
    pub advice: String,
    /// What it would touch, as written.
    pub touches: Vec<String>,
    /// The command it is about; none for the shell's own redirections and for hidden programs.
    pub command: Option<Simple>,
    /// True when a program is hidden: no grant covers that.
    pub hidden: bool,
    /// True when everything it touches certainly lies inside the workspace.
    pub inside: bool,
}

/// Every program of the table: most are in none of its rows.
static PROGRAMS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| TABLE.iter().flat_map(|row| row.programs.iter().copied()).collect());

/// More patterns for the dangerous class, as the user wrote them: rules, or texts of commands.
pub fn more_dangers(texts: &[String]) -> Result<Vec<Rule>, RuleError> {
    texts.iter().map(|text| Rule::parse_pattern(text)).collect()
}

/// Everything dangerous about a line; empty when nothing is.
pub fn dangers(effects: &Effects, line: &str, facts: &dyn Facts, more: &[Rule]) -> Vec<LineDanger> {
    let mut found = Vec::new();
    if let Some(hidden) = effects.hidden {
        found.push(hides(hidden));
    }
    for simple in effects.commands.iter().chain(&effects.maybe) {
        found.extend(of_command(effects, simple, facts));
    }
    found.extend(effects.commands.iter().filter_map(|simple| started(effects, simple, facts)));
    found.extend(loose(effects, &found, facts));
    found.extend(overwrites(effects, facts));
    if let Some(rule) = more.iter().find(|rule| rule.touches_line(line, effects)) {
        found.push(LineDanger {
            kind: DangerKind::Setting,
            why: DangerKind::Setting.phrase().with("pattern", rule.text()),
            advice: format!("the user's settings call {} dangerous", rule.text()),
            touches: Vec::new(),
            command: effects.commands.first().cloned(),
            hidden: false,
            inside: true,
        });
    }
    found
}

/// A dangerous command that a program surely starts of which nothing is known: its words say what it does.
fn started(effects: &Effects, simple: &Simple, facts: &dyn Facts) -> Option<LineDanger> {
    could_run(simple).into_iter().find_map(|inner| {
        let danger = of_command(effects, &inner, facts).filter(|_| is_plainly_meant(&inner))?;
        Some(LineDanger { command: Some(simple.clone()), ..danger })
    })
}

/// True when words can hardly be anything else than this command. Names of programs are words too.
fn is_plainly_meant(simple: &Simple) -> bool {
    const PLAIN: &[&str] = &["chmod", "chown", "doas", "mkfs", "rm", "shred", "sudo", "truncate", "unlink", "wipefs"];
    let program = simple.program();
    let placed = simple.words.first().is_some_and(|word| word.text.starts_with('/'));
    let option = simple.args().first().is_some_and(|word| word.text.starts_with('-') && word.text.len() > 1);
    match program {
        "git" => simple.args().len() > 1,
        "sudo" | "doas" => !simple.args().is_empty(),
        "dd" => simple.args().iter().any(|word| word.text.starts_with("of=")),
        _ if program.starts_with("mkfs.") => true,
        _ => PLAIN.contains(&program) && (option || placed),
    }
}

/// A dangerous command that could be in a line that is not understood, and that was not found as a command.
fn loose(effects: &Effects, found: &[LineDanger], facts: &dyn Facts) -> Option<LineDanger> {
    if (effects.understood && !effects.interprets) || !found.is_empty() || !may_name_program(&effects.open) {
        return None;
    }
    command::loose_pieces(&effects.open).into_iter().find_map(|piece| {
        let words: Vec<Word> = piece.split_whitespace().map(Word::fixed).collect();
        let simple = Simple { words, places: Places::unknown(), wraps: false };
        // What was read as a command was judged as one.
        if effects.commands.iter().any(|read| is_same(read, &simple)) {
            return None;
        }
        let danger = of_command(effects, &simple, facts)?;
        Some(LineDanger { hidden: true, inside: false, ..danger })
    })
}

/// True when a program of the table may stand in the text; most lines have none.
fn may_name_program(text: &str) -> bool {
    let bare = if text.contains(['\'', '"', '\\']) { command::spellings(text).pop() } else { None };
    let words = bare.as_deref().unwrap_or(text).split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.')));
    words.into_iter().any(|word| PROGRAMS.contains(word) || word.starts_with("mkfs."))
}

/// True when the piece of text is this command, with at most a few words more that are no options.
fn is_same(read: &Simple, piece: &Simple) -> bool {
    let fixed = read.words.iter().filter(|word| word.is_fixed()).flat_map(|word| word.text.split_whitespace());
    let texts: Vec<&str> = fixed.collect();
    let has = |text: &&str| piece.words.iter().any(|word| word.text == **text);
    read.program() == piece.program()
        && texts.iter().skip(1).all(has)
        && !piece.args().iter().any(|word| word.text.starts_with('-') && !texts.contains(&word.text.as_str()))
}

fn hides(hidden: Hidden) -> LineDanger {
    let kind = DangerKind::Hidden(hidden);
    LineDanger {
        kind,
        why: kind.phrase(),
        advice: hidden.advice().to_owned(),
        touches: Vec::new(),
        command: None,
        hidden: true,
        inside: false,
    }
}

/// A danger that touches no file of the workspace.
fn outside(kind: DangerKind, program: &str, advice: &str) -> LineDanger {
    let why = kind.phrase().with("program", program);
    LineDanger {
        kind,
        why,
        advice: advice.to_owned(),
        touches: Vec::new(),
        command: None,
        hidden: false,
        inside: false,
    }
}

/// True when the command only asks what a subcommand would do: `npm publish --help`, `cargo help publish`.
fn is_about(simple: &Simple) -> bool {
    const EXPLAIN: &[&str] =
        &["cargo", "docker", "gh", "git", "helm", "kubectl", "npm", "podman", "poetry", "pnpm", "yarn"];
    let is_name = |word: &Word| {
        word.is_fixed() && word.text.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.text.starts_with('-')
    };
    match simple.args() {
        [first, ..] if first.text == "help" && EXPLAIN.contains(&simple.program()) => true,
        [names @ .., last] if (1..=2).contains(&names.len()) && !simple.wraps => {
            last.is_fixed() && last.text == "--help" && names.iter().all(is_name) && with_subcommands(simple.program())
        }
        _ => false,
    }
}

/// True for a program that is in the table by its subcommands alone.
fn with_subcommands(program: &str) -> bool {
    TABLE.iter().filter(|row| names(row, program)).all(|row| !row.subs.is_empty())
}

/// The command that an interpreter runs by the name of a module or a script that everybody knows.
fn by_script(simple: &Simple) -> Option<Simple> {
    let (module, rest) = by_module(simple);
    let words = if module != simple.program() {
        std::iter::once(Word::fixed(module)).chain(rest.iter().cloned()).collect()
    } else {
        let [script, ..] = simple.args() else { return None };
        let name = script.text.rsplit('/').next().unwrap_or_default();
        let known = match simple.program() {
            "php" => name == "artisan",
            program => program.starts_with("python") && name == "manage.py",
        };
        known.then(|| simple.args().to_vec())?
    };
    Some(Simple { words, ..simple.clone() })
}

/// True for a `kill` of every process that may be ended: the first `-1` may be a signal, and a later one is none.
fn kills_all(simple: &Simple) -> bool {
    simple.program() == "kill" && simple.args().iter().skip(1).any(|word| word.text == "-1")
}

fn of_command(effects: &Effects, simple: &Simple, facts: &dyn Facts) -> Option<LineDanger> {
    if let Some(inner) = by_script(simple) {
        let danger = of_command(effects, &inner, facts)?;
        return Some(LineDanger { command: Some(simple.clone()), ..danger });
    }
    let program = simple.program();
    if kills_all(simple) {
        let advice = "it ends every process; end your own by their number";
        return Some(LineDanger { command: Some(simple.clone()), ..outside(DangerKind::Kill, program, advice) });
    }
    if remote::drops_data(effects, simple) {
        return Some(LineDanger { command: Some(simple.clone()), ..outside(DangerKind::Remote, program, REMOTE) });
    }
    if remote::sends(simple) {
        let advice = "it changes something on another machine; only a person may do that";
        return Some(LineDanger { command: Some(simple.clone()), ..outside(DangerKind::Remote, program, advice) });
    }
    if !PROGRAMS.contains(program) && !program.starts_with("mkfs.") {
        return spreads(simple, facts);
    }
    let bare = bare_command(simple);
    let known = possible(effects, &bare);
    let about = is_about(&bare);
    let row = TABLE
        .iter()
        .find(|row| fits(row, &known) && !about && !is_excused(row, &bare) && !is_own(row, &bare, effects, facts));
    let (kind, advice) = match row {
        Some(row) => (row.kind, row.advice),
        None if discards_paths(&known, facts) => (DangerKind::Discard, DISCARDS),
        None if !about && remote::changes_server(&bare) => (DangerKind::Remote, REMOTE),
        None => return spreads(simple, facts),
    };
    let places = &bare.places;
    let operands: Vec<&Word> = bare.operands().into_iter().skip(usize::from(bare.program() == "git")).collect();
    // A subcommand is nothing that is touched.
    let named = usize::from(bare.program() != "git" && row.is_some_and(|row| !row.subs.is_empty()));
    let paths = bare.program() != "git" && row.is_none_or(|row| row.subs.is_empty());
    let is_inside = |word: &&Word| word.kind <= WordKind::Pattern && facts.target(places, before_pattern(word)).inside;
    Some(LineDanger {
        kind,
        why: kind.phrase().with("program", simple.program()),
        advice: advice.to_owned(),
        touches: operands.iter().skip(named).map(|word| shown(simple, word)).collect(),
        inside: if paths { operands.iter().all(is_inside) } else { places.known && facts.target(places, ".").inside },
        command: Some(simple.clone()),
        hidden: false,
    })
}

/// Files of another folder that are written over by names that nobody knows.
fn spreads(simple: &Simple, facts: &dyn Facts) -> Option<LineDanger> {
    let path = spread::outside(simple, facts)?;
    let advice =
        format!("it may overwrite files in {path}, which nothing can bring back; use a folder of the workspace");
    let danger = LineDanger {
        why: DangerKind::Overwrite.phrase().with("path", &path),
        ..outside(DangerKind::Overwrite, "", &advice)
    };
    Some(LineDanger { touches: vec![path], command: Some(simple.clone()), ..danger })
}

/// True when everything dangerous about a line certainly ends at files of the workspace. What git keeps about itself,
/// other machines and hidden programs are none of that. Whoever relies on it needs a box of level `full`, which holds
/// the line to what it says, and every state kept for undo.
pub fn stays_in_workspace(found: &[LineDanger]) -> bool {
    let ends_here = |danger: &LineDanger| {
        let git = danger.command.as_ref().is_some_and(|simple| simple.program() == "git");
        // `git rm` changes the index too, which undo does not keep.
        let index = git && danger.kind != DangerKind::Clean;
        let root = danger.touches.iter().any(|path| path.starts_with(".git/") || path == ".git");
        danger.inside && !danger.hidden && !index && !root && danger.kind.ends_at_files()
    };
    !found.is_empty() && found.iter().all(ends_here)
}

/// The folder that a pattern looks in, or the word itself.
fn before_pattern(word: &Word) -> &str {
    if word.is_fixed() {
        return &word.text;
    }
    let fixed = word.text.split(['*', '?', '[', '{']).next().unwrap_or_default();
    // What a pattern finds may be a link, and a way through it leads anywhere.
    let goes_on = word.text.get(fixed.len()..).is_some_and(|rest| rest.trim_end_matches('/').contains('/'));
    match fixed {
        _ if goes_on => "/",
        "" => ".",
        fixed => fixed,
    }
}

fn shown(simple: &Simple, word: &Word) -> String {
    match simple.places.dirs.as_ref() {
        [dir] if word.is_fixed() => join(dir, &word.text),
        _ => word.text.clone(),
    }
}

/// The command with what would get in the way of the table taken out: `git -C x`, `make -C x`.
fn bare_command(simple: &Simple) -> Simple {
    if simple.program() != "git" {
        return simple.clone();
    }
    let mut bare = without_git_options(simple).unwrap_or_else(|| simple.clone());
    if let Some([_, folder]) = simple.args().windows(2).find(|pair| pair.first().is_some_and(|flag| flag.text == "-C"))
    {
        bare.places = if folder.is_fixed() { bare.places.below(&folder.text) } else { Places::unknown() };
    }
    bare
}

/// The command with everything its variables may stand for as far as the line tells.
fn possible(effects: &Effects, simple: &Simple) -> Simple {
    let mut simple = simple.clone();
    if simple.args().iter().any(|word| word.kind >= WordKind::Variable) {
        let values = effects.values.iter().flat_map(|value| value.split_whitespace()).map(Word::fixed);
        simple.words.extend(values.collect::<Vec<_>>());
    }
    simple
}

fn names(row: &Row, program: &str) -> bool {
    row.programs.contains(&program) || (program.starts_with("mkfs.") && row.programs.contains(&"mkfs"))
}

fn fits(row: &Row, simple: &Simple) -> bool {
    names(row, simple.program())
        && (row.subs.is_empty() || has_sub(row.subs, simple))
        && (row.flags.is_empty() || row.flags.iter().any(|flag| has(simple, flag)) || is_forced_ref(row, simple))
}

/// Letters of options whose value is the next word, whatever that looks like.
fn letters_with_value(program: &str) -> &'static str {
    match program {
        "rsync" => "eBfMT",
        "git" => "eoCcX",
        "cargo" => "pZC",
        "kubectl" | "helm" => "nflo",
        _ => "C",
    }
}

/// Long options that take no value. Of others that is not known, so what follows them excuses nothing.
#[rustfmt::skip]
const WITHOUT_VALUE: &[&str] = &[
    "--all", "--allow-dirty", "--archive", "--cached", "--compress", "--delete", "--delete-after", "--delete-before", "--delete-during", "--delete-excluded", "--del",
    "--dry-run", "--follow-tags", "--force", "--force-if-includes", "--force-with-lease", "--human-readable", "--ignore-unmatch", "--interactive", "--itemize-changes", "--mirror", "--no-verify",
    "--now", "--progress", "--prune", "--quiet", "--recursive", "--remove-source-files", "--set-upstream", "--staged", "--stats", "--tags", "--update", "--verbose", "--wait", "--worktree",
];

/// True when an option makes the command harmless, and nothing behind it takes that back. It must stand there as it is:
/// what a variable may become excuses nothing, nor does a word that belongs to another option or to the command that a
/// wrapper runs.
fn is_excused(row: &Row, simple: &Simple) -> bool {
    // To `mv -S` even `--help` is a value; alone it is none.
    if row.unless == HELP {
        return matches!(simple.args(), [word] if word.is_fixed() && HELP.contains(&word.text.as_str()));
    }
    if simple.wraps {
        return simple.args().first().is_some_and(|word| word.is_fixed() && row.unless.contains(&word.text.as_str()));
    }
    let own = simple.words.iter().take_while(|word| word.text != "--").collect::<Vec<_>>();
    let mut excused = false;
    for pair in own.windows(2) {
        let [before, word] = pair else { continue };
        if row.unless.iter().any(|flag| takes_back(&word.text, flag)) || !word.is_fixed() && excused {
            excused = false;
        } else if word.is_fixed() && !takes_value(simple.program(), &before.text) {
            excused |= row.unless.iter().any(|flag| excuses(&word.text, flag));
        }
    }
    excused
}

/// True when the word before may take the next one for its value.
fn takes_value(program: &str, before: &str) -> bool {
    if before.starts_with("--") {
        return !before.contains('=') && !WITHOUT_VALUE.contains(&before);
    }
    let letters = letters_with_value(program);
    before.starts_with('-') && before.ends_with(|letter: char| letters.contains(letter))
}

/// True for `--no-dry-run`, shortened too, and for a value that says no.
fn takes_back(text: &str, flag: &str) -> bool {
    let Some(name) = flag.strip_prefix("--") else {
        return flag == "-n" && text.strip_prefix("--no-").is_some_and(|rest| is_beginning("dry-run", rest));
    };
    let against = text.strip_prefix("--no-").is_some_and(|rest| is_beginning(name, rest));
    let value = text.split_once('=').filter(|(option, _)| is_flag(option, flag)).map(|(_, value)| value);
    against || value.is_some_and(|value| !matches!(value, "client" | "server" | "true"))
}

fn is_beginning(name: &str, rest: &str) -> bool {
    !rest.is_empty() && name.starts_with(rest)
}

/// True for the option itself, also with a value that does not take it back, and for `-n` among letters that take no
/// value.
fn excuses(text: &str, flag: &str) -> bool {
    let value = text.strip_prefix(flag).and_then(|rest| rest.strip_prefix('='));
    let cluster = flag == "-n"
        && text.strip_prefix('-').is_some_and(|letters| {
            letters.contains('n') && letters.chars().all(|letter| "dfxXqinavz".contains(letter))
        });
    text == flag || cluster || value.is_some_and(|value| matches!(value, "client" | "server" | "true"))
}

fn has(simple: &Simple, flag: &str) -> bool {
    if simple.program() == "find" {
        return simple.args().iter().any(|word| word.text == flag);
    }
    // Braces may make any option out of a word.
    let braces = |word: &Word| word.kind == WordKind::Pattern && word.text.starts_with('-') && word.text.contains('{');
    simple.has(flag) || simple.args().iter().any(braces)
}

/// `git push origin +main` and `git push origin :main`.
fn is_forced_ref(row: &Row, simple: &Simple) -> bool {
    // What was fetched before may be overwritten; branches of one's own may not.
    let own = |word: &&Word| {
        let forced = word.text.starts_with('+') || simple.has("-f") || simple.has("--force");
        let to = word.text.split_once(':').map_or("", |(_, to)| to);
        forced && !to.is_empty() && !to.starts_with("refs/remotes/")
    };
    if row.subs.contains(&"fetch") {
        return simple.operands().iter().skip(2).any(own);
    }
    row.subs.contains(&"push")
        && row.programs.contains(&"git")
        && simple.operands().iter().skip(2).any(|word| word.text.starts_with(['+', ':']))
}

fn has_sub(subs: &[&str], simple: &Simple) -> bool {
    let gradle = simple.program().starts_with("gradle");
    let operands = simple.operands();
    // `:lib:publish` is a task of a part.
    let operands = operands.iter().map(|word| if gradle { word.text.rsplit(':').next() } else { Some(&*word.text) });
    let operands: Vec<&str> = operands.flatten().collect();
    // To these, what follows is a name.
    const TAKE_NAMES: &[&str] = &[
        "add", "explain", "i", "info", "inspect", "install", "list", "logs", "ls", "outdated", "search", "show",
        "view", "why",
    ];
    let first = simple.args().first().map_or("", |word| word.text.as_str());
    let takes_name = TAKE_NAMES.contains(&first) && !subs.contains(&first);
    let folded = simple.program().ends_with("-cli");
    let asks = std::ptr::eq(subs, KUBE) && operands.iter().take(3).any(|word| KUBE_ASKS.contains(word));
    !takes_name
        && !asks
        && subs.iter().any(|sub| {
            let wanted: Vec<&str> = sub.split(' ').collect();
            // Options with values may stand before a subcommand, so it is looked for among the first words.
            let near = if simple.program() == "git" && without_git_options(simple).is_some() { 1 } else { 4 };
            let same = |(word, wanted): (&&str, &&str)| match wanted.strip_suffix('*') {
                Some(beginning) => word.starts_with(beginning),
                None if folded => word.eq_ignore_ascii_case(wanted),
                None => word == wanted,
            };
            operands.windows(wanted.len()).take(near).any(|window| window.iter().zip(&wanted).all(same))
        })
}

/// `git checkout` of paths: changes in them are lost. A branch and a path look alike until one asks the disk.
fn discards_paths(simple: &Simple, facts: &dyn Facts) -> bool {
    let operands = simple.operands();
    if simple.program() != "git" || operands.first().is_none_or(|word| word.text != "checkout") {
        return false;
    }
    if ["-b", "-B", "--orphan", "--track"].iter().any(|flag| simple.has(flag)) {
        return false;
    }
    let separated = simple.args().iter().any(|word| word.text == "--");
    separated
        || simple.has("--ours")
        || simple.has("--theirs")
        || simple.has("--pathspec-from-file")
        || operands.len() > 2
        || operands.iter().skip(1).any(|word| {
            word.text.starts_with(':')
                || word.kind == WordKind::Pattern
                || matches!(word.text.as_str(), "." | ".." | ":/")
                || (word.is_fixed() && facts.target(&simple.places, &word.text).exists)
        })
}

/// True when the command only touches what this session made, and that is why it is harmless.
fn is_own(row: &Row, simple: &Simple, effects: &Effects, facts: &dyn Facts) -> bool {
    if effects.commands.iter().any(|other| other.program() == "ln") {
        return false;
    }
    let target = |word: &Word| if word.is_fixed() { Some(facts.target(&simple.places, &word.text)) } else { None };
    let operands = simple.operands();
    match (row.kind, operands.as_slice()) {
        // What does not exist yet is made by the same line, or the command fails.
        (DangerKind::Move, [sources @ .., to]) if !sources.is_empty() && !simple.has("-t") => {
            let own = |word: &&Word| target(word).is_some_and(|found| found.ours || !found.exists);
            let lands = target(to).is_some_and(|found| found.ours || !found.exists || found.folder);
            let clear = effects.writes.iter().filter(|write| write.how == How::Over && !write.redirect).all(|write| {
                let found = write.path.as_ref().map(|path| facts.target(&write.places, path));
                found.is_some_and(|found| found.ours || !found.exists || found.folder)
            });
            sources.iter().all(own) && lands && clear
        }
        (DangerKind::Rights, [mode, files @ ..]) if simple.program() == "chmod" && !files.is_empty() => {
            let plain = !mode.text.contains('s') && mode.text.len() <= 4 && mode.is_fixed();
            let gentle = is_gentle(mode) && simple.args().iter().all(|word| !word.text.starts_with('-'));
            let own = |found: Target, word: &Word| {
                found.ours || (gentle && found.inside && !found.folder && !is_believed(simple, word))
            };
            plain && files.iter().all(|word| target(word).is_some_and(|found| own(found, word)))
        }
        // What a session has for itself goes with it.
        (DangerKind::Delete, files) if matches!(simple.program(), "rm" | "unlink") && !files.is_empty() => {
            files.iter().all(|word| target(word).is_some_and(|found| found.passing))
        }
        _ => false,
    }
}

/// True for a mode that lets people run or read a file and nobody else write it: `+x`, `u+x`, `755`.
fn is_gentle(mode: &Word) -> bool {
    let text = mode.text.as_str();
    let octal = text.strip_prefix('0').filter(|rest| rest.len() == 3).unwrap_or(text);
    if let [owner @ b'0'..=b'9', group, others] = octal.as_bytes() {
        let reads = |digit: &u8| matches!(digit, b'0' | b'1' | b'4' | b'5');
        return matches!(owner, b'4'..=b'7') && reads(group) && reads(others);
    }
    let who = text.trim_start_matches(['u', 'g', 'o', 'a']);
    who.strip_prefix('+').is_some_and(|rights| !rights.is_empty() && rights.chars().all(|right| "rxX".contains(right)))
}

/// True where the file may be one that git or an editor runs or believes.
fn is_believed(simple: &Simple, word: &Word) -> bool {
    is_protected(&word.text) || simple.places.dirs.iter().any(|dir| is_protected(&join(dir, &word.text)))
}

/// Redirections and copies onto files that were there before.
fn overwrites<'e>(effects: &'e Effects, facts: &'e dyn Facts) -> impl Iterator<Item = LineDanger> + 'e {
    // A link made by the line may lead a new name to an old file.
    let made = effects.commands.iter().filter(|simple| simple.program() == "ln").count();
    let changed = |write: &Write| write.how == How::Change && write.within;
    let lost = move |write: &&Write| (write.how == How::Over || write.links || changed(write)) && !write.judged;
    effects.writes.iter().filter(lost).filter_map(
        move |write| {
            let target = match &write.path {
                Some(path) => facts.target(&write.places, path),
                None => Target::WORST,
            };
            let links = made > usize::from(write.links);
            // Undo brings back what lies inside; what only the shell knows is mostly there.
            let kept = write.within && (target.inside || (write.path.is_none() && write.places.are_here()));
            let harmless = target.folder || ((!target.exists || target.ours || kept) && !links);
            (!harmless).then(|| {
                let why = match &write.path {
                    Some(path) => DangerKind::Overwrite.phrase().with("path", path),
                    None => Phrase::new("policy.danger_overwrite_unknown"),
                };
                let path = write.path.clone().unwrap_or_else(|| "?".to_owned());
                LineDanger {
                    kind: DangerKind::Overwrite,
                    why,
                    advice: format!(
                        "it overwrites {path} if that is there already; change it with edit_file or write_file, append with >>, or write to a new file"
                    ),
                    touches: write.path.iter().cloned().collect(),
                    command: None,
                    hidden: false,
                    inside: target.inside,
                }
            })
        },
    )
}
