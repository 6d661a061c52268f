//! The dangerous class: what destroys, publishes or takes the machine down, whatever rules and postures say.
//! The table is data; settings add to it and take nothing away.

use crate::command;
use crate::effects::{Effects, Hidden, How, Places, Simple, Word, WordKind, is_flag, join};
use crate::facts::Facts;
use crate::readers::without_git_options;
use crate::rule::{Rule, RuleError};
use reasonix_proto::Phrase;
use std::collections::HashSet;
use std::sync::LazyLock;

/// One dangerous thing about a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Danger {
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

/// A row of the table: it fits when a program, a subcommand and one of the options fit.
struct Row {
    programs: &'static [&'static str],
    /// Subcommands; empty for any.
    subs: &'static [&'static str],
    /// Options, one of which makes it dangerous; empty for always.
    flags: &'static [&'static str],
    /// Options that make it harmless.
    unless: &'static [&'static str],
    /// The phrase.
    why: &'static str,
    /// For the model.
    advice: &'static str,
}

const fn row(
    programs: &'static [&'static str],
    subs: &'static [&'static str],
    flags: &'static [&'static str],
    unless: &'static [&'static str],
    why: &'static str,
    advice: &'static str,
) -> Row {
    Row { programs, subs, flags, unless, why, advice }
}

const HELP: &[&str] = &["--help", "--version"];
const DRY: &[&str] = &["-n", "--dry-run", "--help"];
/// For programs where `-n` means something else.
const LONG_DRY: &[&str] = &["--dry-run", "--help"];
const DELETES: &str = "it deletes files; leave them, or tell the user what to delete";
const DISCARDS: &str = "it throws away changes; keep them (git stash, a commit) or ask the user";
const REWRITES: &str = "it rewrites history that others may have; push without force or ask the user";
const PUBLISHES: &str = "it publishes; only a person may do that";
const MACHINE: &str = "it changes the machine; only a person may do that";
const RIGHTS: &str =
    "it changes rights or owners; git update-index --chmod=+x sets the executable bit of a tracked file";
const REMOTE: &str = "it destroys resources outside of this workspace; only a person may do that";

#[rustfmt::skip]
const TABLE: &[Row] = &[
    row(&["rm", "unlink", "trash", "srm"], &[], &[], HELP, "policy.danger_delete", DELETES),
    row(&["shred", "truncate", "wipe"], &[], &[], HELP, "policy.danger_erase", DELETES),
    row(&["find"], &[], &["-delete"], &[], "policy.danger_delete", DELETES),
    row(&["rsync"], &[], &["--delete", "--delete-before", "--delete-after", "--delete-during", "--delete-excluded", "--del", "--remove-source-files"], DRY, "policy.danger_delete", DELETES),
    row(&["mv"], &[], &[], HELP, "policy.danger_move", "it moves files that were there before; use move_file, or leave them"),
    row(&["chmod", "chown", "chgrp", "setfacl", "chattr"], &[], &[], HELP, "policy.danger_rights", RIGHTS),
    row(&["dd"], &[], &[], HELP, "policy.danger_raw", "it writes raw data; use another tool"),
    row(&["mkfs", "mke2fs", "mkswap", "fdisk", "sfdisk", "cfdisk", "parted", "wipefs", "blkdiscard", "hdparm"], &[], &[], HELP, "policy.danger_disk", MACHINE),
    row(&["shutdown", "reboot", "halt", "poweroff", "telinit", "init", "kexec"], &[], &[], HELP, "policy.danger_power", MACHINE),
    row(&["systemctl", "loginctl"], &["poweroff", "reboot", "halt", "suspend", "hibernate", "kexec", "rescue", "emergency", "isolate"], &[], &[], "policy.danger_power", MACHINE),
    row(&["systemctl"], &["stop", "disable", "mask", "kill"], &[], &[], "policy.danger_machine", MACHINE),
    row(&["mount", "umount", "swapoff", "iptables", "nft", "ufw", "modprobe", "insmod", "rmmod", "userdel", "usermod", "useradd", "groupdel", "passwd", "visudo", "sysctl", "losetup"], &[], &[], HELP, "policy.danger_machine", MACHINE),
    row(&["sudo"], &[], &[], &["--help", "--version", "-l", "-V"], "policy.danger_root", "it runs as another user; only a person may do that"),
    row(&["doas", "su", "pkexec", "runuser"], &[], &[], HELP, "policy.danger_root", "it runs as another user; only a person may do that"),
    row(&["crontab"], &[], &["-r"], &[], "policy.danger_machine", MACHINE),
    row(&["killall", "pkill"], &[], &[], HELP, "policy.danger_kill", "it ends processes by name, others' too; end your own by their number with kill"),
    row(&["git"], &["reset"], &["--hard", "--merge", "--keep"], &[], "policy.danger_discard", DISCARDS),
    row(&["git"], &["clean"], &[], DRY, "policy.danger_clean", "it deletes files that git does not know; ask the user"),
    row(&["git"], &["checkout", "switch"], &["-f", "--force", "--discard-changes"], &[], "policy.danger_discard", DISCARDS),
    row(&["git"], &["checkout", "switch"], &["-B", "-C", "--force-create"], &[], "policy.danger_branch", "it may overwrite a branch; use a new name, or ask the user"),
    row(&["git"], &["read-tree"], &["--reset", "-u"], &[], "policy.danger_discard", DISCARDS),
    row(&["git"], &["checkout-index"], &["-f", "--force"], &[], "policy.danger_discard", DISCARDS),
    row(&["git"], &["restore"], &["-W", "--worktree"], &["--help"], "policy.danger_discard", DISCARDS),
    row(&["git"], &["restore"], &[], &["--help", "--staged", "-S"], "policy.danger_discard", DISCARDS),
    row(&["git"], &["rm"], &[], &["--cached", "-n", "--dry-run"], "policy.danger_delete", DELETES),
    row(&["git"], &["push"], &["-f", "--force", "--force-with-lease", "--force-if-includes", "-d", "--delete", "--mirror", "--prune"], &["-n", "--dry-run"], "policy.danger_force", REWRITES),
    row(&["git"], &["branch"], &["-D", "-d", "--delete", "-f", "--force", "-M"], &[], "policy.danger_branch", "it deletes or overwrites a branch; ask the user"),
    row(&["git"], &["tag"], &["-d", "--delete", "-f", "--force"], &[], "policy.danger_branch", "it deletes or overwrites a tag; ask the user"),
    row(&["git"], &["stash drop", "stash clear", "reflog expire", "reflog delete", "filter-branch", "filter-repo", "worktree remove", "worktree prune", "submodule deinit", "prune", "remote remove", "remote rm"], &[], &[], "policy.danger_discard", DISCARDS),
    row(&["git"], &["update-ref"], &["-d"], &[], "policy.danger_branch", "it deletes a ref; ask the user"),
    row(&["git"], &["gc"], &["--prune"], &[], "policy.danger_discard", DISCARDS),
    row(&["npm", "pnpm", "yarn", "bun"], &["publish", "unpublish", "deprecate", "npm publish"], &[], LONG_DRY, "policy.danger_publish", PUBLISHES),
    row(&["cargo"], &["publish", "yank", "owner"], &[], DRY, "policy.danger_publish", PUBLISHES),
    row(&["twine"], &["upload"], &[], &[], "policy.danger_publish", PUBLISHES),
    row(&["uv", "poetry", "flit", "hatch", "pdm"], &["publish"], &[], LONG_DRY, "policy.danger_publish", PUBLISHES),
    row(&["gem"], &["push", "yank"], &[], &[], "policy.danger_publish", PUBLISHES),
    row(&["mvn", "gradle", "gradlew"], &["deploy", "publish"], &[], &[], "policy.danger_publish", PUBLISHES),
    row(&["dotnet"], &["nuget push"], &[], &[], "policy.danger_publish", PUBLISHES),
    row(&["docker", "podman"], &["push", "image push"], &[], &[], "policy.danger_publish", PUBLISHES),
    row(&["gh"], &["release create", "release delete", "repo delete", "pr merge", "secret set"], &[], &[], "policy.danger_publish", PUBLISHES),
    row(&["docker", "podman"], &["rm", "rmi", "kill", "prune", "system prune", "volume rm", "volume prune", "image rm", "image prune", "container rm", "container prune", "network rm"], &[], &[], "policy.danger_remote", REMOTE),
    row(&["docker", "docker-compose", "podman"], &["down", "compose down"], &["-v", "--volumes", "--rmi"], &[], "policy.danger_remote", REMOTE),
    row(&["kubectl", "helm"], &["delete", "uninstall", "drain", "replace"], &[], &["--dry-run"], "policy.danger_remote", REMOTE),
    row(&["terraform", "tofu", "pulumi"], &["destroy", "apply", "up"], &[], &[], "policy.danger_remote", REMOTE),
    row(&["aws", "gcloud", "az", "gsutil"], &["s3 rm", "s3 rb", "rm"], &[], &[], "policy.danger_remote", REMOTE),
    row(&["dropdb", "dropuser"], &[], &[], HELP, "policy.danger_remote", REMOTE),
];

/// Every program of the table: most are in none of its rows.
static PROGRAMS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| TABLE.iter().flat_map(|row| row.programs.iter().copied()).collect());

/// More patterns for the dangerous class, as the user wrote them: rules, or texts of commands.
pub fn more_dangers(texts: &[String]) -> Result<Vec<Rule>, RuleError> {
    texts.iter().map(|text| Rule::parse_pattern(text)).collect()
}

/// Everything dangerous about a line; empty when nothing is.
pub fn dangers(effects: &Effects, line: &str, facts: &dyn Facts, more: &[Rule]) -> Vec<Danger> {
    let mut found = Vec::new();
    if let Some(hidden) = effects.hidden {
        found.push(hides(hidden));
    }
    for simple in effects.commands.iter().chain(&effects.maybe) {
        found.extend(of_command(effects, simple, facts));
    }
    found.extend(loose(effects, &found, facts));
    found.extend(overwrites(effects, facts));
    if let Some(rule) = more.iter().find(|rule| rule.touches_line(line, effects)) {
        found.push(Danger {
            why: Phrase::new("policy.danger_setting").with("pattern", rule.text()),
            advice: format!("the user's settings call {} dangerous", rule.text()),
            touches: Vec::new(),
            command: effects.commands.first().cloned(),
            hidden: false,
            inside: true,
        });
    }
    found
}

/// A dangerous command that could be in a line that is not understood, and that was not found as a command.
fn loose(effects: &Effects, found: &[Danger], facts: &dyn Facts) -> Option<Danger> {
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
        Some(Danger { hidden: true, inside: false, ..danger })
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

fn hides(hidden: Hidden) -> Danger {
    Danger {
        why: hidden.phrase(),
        advice: hidden.advice().to_owned(),
        touches: Vec::new(),
        command: None,
        hidden: true,
        inside: false,
    }
}

fn of_command(effects: &Effects, simple: &Simple, facts: &dyn Facts) -> Option<Danger> {
    let program = simple.program();
    if !PROGRAMS.contains(program) && !program.starts_with("mkfs.") {
        return None;
    }
    let bare = bare_command(simple);
    let known = possible(effects, &bare);
    let row =
        TABLE.iter().find(|row| fits(row, &known) && !is_excused(row, &bare) && !is_own(row, &bare, effects, facts));
    let (why, advice) = match row {
        Some(row) => (row.why, row.advice),
        None if discards_paths(&known, facts) => ("policy.danger_discard", DISCARDS),
        None => return None,
    };
    let places = &bare.places;
    let operands: Vec<&Word> = bare.operands().into_iter().skip(usize::from(bare.program() == "git")).collect();
    let paths = bare.program() != "git" && row.is_none_or(|row| row.subs.is_empty());
    let is_inside = |word: &&Word| word.kind <= WordKind::Pattern && facts.target(places, before_pattern(word)).inside;
    Some(Danger {
        why: Phrase::new(why).with("program", simple.program()),
        advice: advice.to_owned(),
        touches: operands.iter().map(|word| shown(simple, word)).collect(),
        inside: if paths { operands.iter().all(is_inside) } else { places.known && facts.target(places, ".").inside },
        command: Some(simple.clone()),
        hidden: false,
    })
}

/// Kinds of danger that end at files: what they do can be taken back where every state of the workspace is kept.
const AT_FILES: &[&str] = &[
    "policy.danger_clean",
    "policy.danger_delete",
    "policy.danger_erase",
    "policy.danger_move",
    "policy.danger_overwrite",
    "policy.danger_rights",
];

/// True when everything dangerous about a line certainly ends at files of the workspace. What git keeps about itself,
/// other machines and hidden programs are none of that. Whoever relies on it needs a box of level `full`, which holds
/// the line to what it says, and every state kept for undo.
pub fn stays_in_workspace(found: &[Danger]) -> bool {
    let ends_here = |danger: &Danger| {
        let git = danger.command.as_ref().is_some_and(|simple| simple.program() == "git");
        // `git rm` changes the index too, which undo does not keep.
        let index = git && danger.why.code != "policy.danger_clean";
        let root = danger.touches.iter().any(|path| path.starts_with(".git/") || path == ".git");
        danger.inside && !danger.hidden && !index && !root && AT_FILES.contains(&danger.why.code.as_ref())
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
    row.subs.contains(&"push")
        && row.programs.contains(&"git")
        && simple.operands().iter().skip(2).any(|word| word.text.starts_with(['+', ':']))
}

fn has_sub(subs: &[&str], simple: &Simple) -> bool {
    let operands: Vec<&str> = simple.operands().iter().map(|word| word.text.as_str()).collect();
    subs.iter().any(|sub| {
        let wanted: Vec<&str> = sub.split(' ').collect();
        // Options with values may stand before a subcommand, so it is looked for among the first words.
        let near = if simple.program() == "git" && without_git_options(simple).is_some() { 1 } else { 4 };
        operands.windows(wanted.len()).take(near).any(|window| window == wanted.as_slice())
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
    match (row.why, operands.as_slice()) {
        // What does not exist yet is made by the same line, or the command fails.
        ("policy.danger_move", [sources @ .., to]) if !sources.is_empty() && !simple.has("-t") => {
            let own = |word: &&Word| target(word).is_some_and(|found| found.ours || !found.exists);
            let lands = target(to).is_some_and(|found| found.ours || !found.exists || found.folder);
            let clear = effects.writes.iter().filter(|write| write.how == How::Over && !write.redirect).all(|write| {
                let found = write.path.as_ref().map(|path| facts.target(&write.places, path));
                found.is_some_and(|found| found.ours || !found.exists || found.folder)
            });
            sources.iter().all(own) && lands && clear
        }
        ("policy.danger_rights", [mode, files @ ..]) if simple.program() == "chmod" && !files.is_empty() => {
            let plain = !mode.text.contains('s') && mode.text.len() <= 4 && mode.is_fixed();
            plain && files.iter().all(|word| target(word).is_some_and(|found| found.ours))
        }
        _ => false,
    }
}

/// Redirections and copies onto files that were there before.
fn overwrites<'e>(effects: &'e Effects, facts: &'e dyn Facts) -> impl Iterator<Item = Danger> + 'e {
    // A link made by the line may lead a new name to an old file.
    let links = effects.commands.iter().any(|simple| simple.program() == "ln");
    effects.writes.iter().filter(|write| write.how == How::Over && !write.judged).filter_map(
        move |write| {
            let target = match &write.path {
                Some(path) => facts.target(&write.places, path),
                None => crate::facts::Target::WORST,
            };
            let harmless = target.folder || (!target.exists && !links) || (target.ours && !links);
            (!harmless).then(|| {
                let path = write.path.clone().unwrap_or_else(|| "?".to_owned());
                Danger {
                    why: Phrase::new("policy.danger_overwrite").with("path", &path),
                    advice: format!(
                        "it overwrites {path}, which was there before; change it with edit_file or write_file, append with >>, or write to a new file"
                    ),
                    touches: vec![path],
                    command: None,
                    hidden: false,
                    inside: target.inside,
                }
            })
        },
    )
}
