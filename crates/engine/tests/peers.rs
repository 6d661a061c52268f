//! Command lines of other agents' own tests with what those expect (`benches/everyday/peers.jsonl`), beside what would happen here.
//! Whatever runs unasked although another agent asks is held to reading by the kernel, and stands in docs/compared.md with the
//! reason; `UPDATE_DOCS=1` writes that page anew.

use crate::world;

use reasonix_config::{SandboxSettings, ToolchainCaches};
use reasonix_engine::{Explainer, Which};
use reasonix_gate::{Explained, Outlook};
use std::collections::BTreeMap;
use std::fmt::Write;
use world::{World, has_box};

/// What one agent expects of a line, and what would happen to it here.
struct Compared {
    line: String,
    safe: bool,
    project: String,
    ours: Explained,
}

/// A kind of lines: its name, why they do no harm, and whether a line is of it.
type Group = (&'static str, &'static str, fn(&str) -> bool);

/// Kinds of lines that run here and are asked about elsewhere; the first that fits counts.
const GROUPS: &[Group] = &[
    (
        "git readers",
        "git runs with monitor and hooks off; drivers, pagers and helpers that a repository names run in the hold too: \
         nothing is written but to a layer that is thrown away, no socket can be made, and only the workspace, toolchains and \
         system folders are seen.",
        |line| line.split(|c: char| !(c.is_alphanumeric() || c == '-')).any(|word| word == "git"),
    ),
    (
        "Readers in substitutions",
        "What stands in `$(…)`, backquotes or `<(…)` was read as well, and every process of the line is in the same hold: if \
         the reading was wrong, what it writes is thrown away, the output is dropped, and the call is judged again as a writer.",
        |line| line.contains("$(") || line.contains('`') || line.contains("<("),
    ),
    (
        "Scripts for sed and awk",
        "They are read for what writes or starts programs; what the reading misses is held: no write lasts, no socket.",
        |line| ["sed", "awk", "gawk"].iter().any(|name| line.starts_with(name)),
    ),
    (
        "Programs that may start a helper or another reader",
        "What they start (`rg -z`, a pager, `find -exec ls`) is a process of the same hold.",
        |line| {
            ["rg", "/usr/bin/rg", "less", "man", "tree", "sort", "uniq", "find", "ps"]
                .iter()
                .any(|name| line.starts_with(name))
        },
    ),
    (
        "Expansions",
        "What the shell fills in becomes words of programs that are in the hold, whatever they turn out to be: no write lasts, \
         no socket, no signal to others, nothing outside of the readable places.",
        |line| line.contains("${") || line.contains('$') || line.contains('{'),
    ),
    (
        "Lists, pipelines, conditions and loops of readers",
        "The hold is around the whole shell, so that joining readers adds nothing to what they can do.",
        |line| {
            [";", "|", "&", "\n", "("].iter().any(|part| line.contains(part))
                || ["if ", "for ", "while ", "[["].iter().any(|word| line.starts_with(word))
        },
    ),
    (
        "Variables before a reader",
        "A variable can have a program load or start something else (a pager, a library), but that is in the hold too.",
        |line| line.split_whitespace().next().is_some_and(|word| word.contains('=')),
    ),
    (
        "Other readers",
        "Programs that the other agent's list does not have; they are in the hold like every reader.",
        |_| true,
    ),
];

async fn compared() -> Vec<Compared> {
    let world = World::new(Vec::new()).await;
    let mut start = world.base(Which::New);
    start.world.settings.sandbox = SandboxSettings { caches: ToolchainCaches::Session, ..SandboxSettings::default() };
    let explainer = Explainer::new(&start).unwrap();
    let lines = include_str!("../../../benches/everyday/peers.jsonl").lines();
    lines
        .map(|entry| {
            let entry: serde_json::Value = serde_json::from_str(entry).unwrap();
            let text = |name: &str| entry[name].as_str().unwrap().to_owned();
            let (line, class, source) = (text("line"), text("class"), text("source"));
            assert!(matches!(class.as_str(), "safe" | "ask" | "deny"), "{class}");
            let project = source.split(' ').next().unwrap().to_owned();
            let ours = explainer.explain(&line);
            Compared { line, safe: class == "safe", project, ours }
        })
        .collect()
}

/// The paragraphs in lines of the length that the other pages have.
fn wrapped(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > 125 {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines.join("\n")
}

fn shown(line: &str) -> String {
    line.replace('\r', "␍").replace('\n', "⏎").replace('\t', "⇥")
}

/// The lines of a block, each once, with the agents that expect otherwise.
fn block<'c>(text: &mut String, found: impl Iterator<Item = &'c Compared>) {
    let mut lines: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for one in found {
        let name = one.project.split('/').next_back().unwrap();
        let names = lines.entry(shown(&one.line)).or_default();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    text.push_str("```text\n");
    for (line, names) in lines {
        writeln!(text, "{:<10} {line}", names.join(",")).unwrap();
    }
    text.push_str("```\n\n");
}

fn counts(all: &[Compared]) -> String {
    let mut text = String::new();
    text.push_str("| tests of | lines | agree | run here, asked there | asked here, run there |\n| --- | --- | --- | --- | --- |\n");
    let mut projects: Vec<&str> = all.iter().map(|one| one.project.as_str()).collect();
    projects.sort_unstable();
    projects.dedup();
    for project in projects.into_iter().map(Some).chain([None]) {
        let of = || all.iter().filter(|one| project.is_none_or(|project| one.project == project));
        let runs = |one: &&Compared| one.ours.verdict == Outlook::Runs;
        let agree = of().filter(|one| runs(one) == one.safe).count();
        let more = of().filter(|one| runs(one) && !one.safe).count();
        let less = of().filter(|one| !runs(one) && one.safe).count();
        writeln!(text, "| {} | {} | {agree} | {more} | {less} |", project.unwrap_or("all"), of().count()).unwrap();
    }
    text
}

fn page(all: &[Compared]) -> String {
    let mut text = wrapped(
        "# Compared with other agents\n\nCommand lines of other agents' own tests, with what those tests expect: that the line may run \
         unasked, or that a person is asked or it is refused (`benches/everyday/peers.jsonl`; facts only, with their sources). Beside it what \
         happens here in the default mode, in an empty folder, with the sandbox at level `full`. Expectations that hang on one agent's own \
         rules or settings are left out.\n\nThis page is written by `UPDATE_DOCS=1 cargo test -p reasonix-engine --test all peers::`; the test fails \
         where it is not true any more, and where a line runs here that is asked about elsewhere and no kernel holds it.\n\n",
    );
    text.push_str(&counts(all));
    text.push_str(&wrapped(
        "\n## Run here, asked about elsewhere\n\nNone of these is a matter of trust in the reading of the text. They run under the \
         [hold](sandbox.md#commands-that-only-read), and each group says what of it makes them safe. Where the sandbox is off or the kernel \
         cannot hold readers, only lines that the narrow reading understands run unasked ([permissions.md](permissions.md#two-readings)).\n\n",
    ));
    let more: Vec<&Compared> = all.iter().filter(|one| one.ours.verdict == Outlook::Runs && !one.safe).collect();
    for (at, (name, fact, _)) in GROUPS.iter().enumerate() {
        let belongs = |one: &&&Compared| GROUPS.iter().position(|(_, _, fits)| fits(&one.line)) == Some(at);
        let found: Vec<&Compared> = more.iter().filter(belongs).copied().collect();
        if !found.is_empty() {
            write!(text, "### {name}\n\n{}\n\n", wrapped(fact)).unwrap();
            block(&mut text, found.into_iter());
        }
    }
    text.push_str("## Asked about here, run elsewhere\n\n");
    let less = || all.iter().filter(|one| one.ours.verdict != Outlook::Runs && one.safe);
    let (danger, plain): (Vec<_>, Vec<_>) = less().partition(|one| !one.ours.dangers.is_empty());
    for (name, found) in [
        ("Not taken for a reader, or it names a place outside of the workspace:", plain),
        ("Counted as dangerous, because the text does not say for certain what runs:", danger),
    ] {
        if !found.is_empty() {
            write!(text, "{name}\n\n").unwrap();
            block(&mut text, found.into_iter());
        }
    }
    text.trim_end().to_owned() + "\n"
}

#[tokio::test]
async fn what_runs_here_and_is_asked_about_elsewhere_is_held() {
    if !has_box() {
        return;
    }
    let all = compared().await;
    println!("{}", counts(&all));
    for one in all.iter().filter(|one| one.ours.verdict == Outlook::Runs) {
        assert!(one.ours.held, "it runs unasked and nothing holds it: {}", one.line);
    }
    let (path, page) = (concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/compared.md"), page(&all));
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(written, page, "docs/compared.md is not true any more; UPDATE_DOCS=1 writes it anew");
}
