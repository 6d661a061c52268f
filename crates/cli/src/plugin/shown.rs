//! What a bundle carries, as people read it before they say yes.

use crate::say::{Style, clean, in_line};
use reasonix_config::{Plugin, Transport, bundle_servers};
use reasonix_extensions::hooks::{Hook, read_hooks};
use reasonix_extensions::{Bundle, BundleFile, BundleLayout, BundlePin, CommandPiece, pieces};
use reasonix_policy::visible;
use reasonix_proto::Phrase;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Lines of one file's difference that are shown, and files.
const LINES: usize = 60;
const MOST_FILES: usize = 40;
/// What a bundle calls its own folder.
const ROOT: &str = "${CLAUDE_PLUGIN_ROOT}";

/// How many of each, in one line.
pub(super) fn counts(style: Style, bundle: &Bundle) -> String {
    let (skills, commands) = (bundle.own_skills().0.len(), bundle.own_commands().0.len());
    let phrase = Phrase::new("cli.plugin_counts").with("skills", skills).with("commands", commands);
    let phrase = phrase.with("agents", agents(bundle).len()).with("hooks", hooks(bundle).len());
    style.text(&phrase.with("servers", bundle.servers.len()))
}

/// Everything that it carries, each in a line.
pub(super) fn lines(style: Style, bundle: &Bundle, pin: &BundlePin) -> Vec<String> {
    let mut all = Vec::new();
    // Whoever wrote a row does not choose where it ends.
    let mut say = |text: String| all.push(in_line(&visible(&text)));
    let version = bundle.version.as_deref().unwrap_or_default();
    say(format!("{} {version}", bundle.name).trim_end().to_owned());
    bundle.description.iter().for_each(|text| say(format!("  {text}")));
    let layout = match bundle.layout {
        BundleLayout::Claude => "Claude Code",
        BundleLayout::Codex => "codex",
        BundleLayout::Bare => "-",
    };
    let about = Phrase::new("cli.plugin_from").with("source", &pin.source).with("layout", layout);
    say(style.text(&about.with("digest", pin.digest.get(..16).unwrap_or_default())));
    let section = |code: &'static str, rows: &[String], say: &mut dyn FnMut(String)| {
        if !rows.is_empty() {
            say(style.text(&Phrase::new(code)));
            rows.iter().for_each(|row| say(format!("    {row}")));
        }
    };
    let (skills, mut flaws) = bundle.own_skills();
    let (commands, wrong) = bundle.own_commands();
    flaws.extend(wrong);
    flaws.extend(bundle.own_agents().flaws);
    flaws.extend(bundle.flaws.iter().cloned());
    let about = |name: &str, text: &str| format!("{name}: {text}");
    let runs = skills.iter().flat_map(|skill| shell_lines(&skill.name, skill.body().ok()));
    let runs = runs.chain(commands.iter().flat_map(|command| shell_lines(&command.name, command.body().ok())));
    let runs: Vec<String> = runs.map(|line| line.replace(&bundle.root.display().to_string(), ROOT)).collect();
    let skills: Vec<String> = skills.iter().map(|skill| about(&skill.name, &skill.description)).collect();
    section("cli.plugin_skills", &skills, &mut say);
    let commands: Vec<String> =
        commands.iter().map(|command| about(&format!("/{}", command.name), &command.description)).collect();
    section("cli.plugin_commands", &commands, &mut say);
    section("cli.plugin_lines", &runs, &mut say);
    section("cli.plugin_agents", &agents(bundle), &mut say);
    section("cli.plugin_hooks", &hooks(bundle).iter().map(hook_line).collect::<Vec<_>>(), &mut say);
    let (servers, odd) = bundle_servers(&bundle.name, &bundle.root, &bundle.servers);
    section(
        "cli.plugin_servers",
        &servers.iter().map(|server| server_line(style, server)).collect::<Vec<_>>(),
        &mut say,
    );
    section("cli.plugin_lacking", &bundle.lacking, &mut say);
    let wrong = flaws.into_iter().map(|mut flaw| {
        flaw.path = flaw.path.strip_prefix(&bundle.root).map(Path::to_owned).unwrap_or(flaw.path);
        style.text(&flaw.phrase())
    });
    let of_hooks = bundle.hooks.iter().flat_map(|(file, said)| {
        let read = read_hooks(said).flaws;
        read.into_iter().map(|flaw| style.text(&flaw.phrase(file))).collect::<Vec<_>>()
    });
    let wrong: Vec<String> = wrong.chain(of_hooks).chain(odd.iter().map(|phrase| style.text(phrase))).collect();
    section("cli.plugin_flaws", &wrong, &mut say);
    all
}

/// The command lines in a text, each behind the name that it is called by: a yes to the bundle is a yes to them.
fn shell_lines(name: &str, body: Option<String>) -> Vec<String> {
    let lines = |piece: CommandPiece| match piece {
        CommandPiece::Shell(text) | CommandPiece::Odd(text) => text.lines().map(str::to_owned).collect(),
        CommandPiece::Text(_) => Vec::new(),
    };
    let all = body.iter().flat_map(|body| pieces(body, "")).flat_map(lines);
    all.map(|line| format!("/{name}: {line}")).collect()
}

/// The same as data.
pub(super) fn parts(bundle: &Bundle) -> Value {
    let names = |all: Vec<String>| json!(all);
    let hooks: Vec<Value> = hooks(bundle)
        .iter()
        .map(|hook| json!({"event": hook.event.name(), "matcher": hook.matcher.text(), "command": hook.line()}))
        .collect();
    let (servers, _) = bundle_servers(&bundle.name, &bundle.root, &bundle.servers);
    json!({
        "state": "used", "version": bundle.version, "description": bundle.description, "place": bundle.root,
        "skills": names(bundle.own_skills().0.into_iter().map(|skill| skill.name).collect()),
        "commands": names(bundle.own_commands().0.into_iter().map(|command| command.name).collect()),
        "agents": names(agents(bundle)), "hooks": hooks,
        "servers": names(servers.into_iter().map(|server| server.name).collect()),
        "lacking": bundle.lacking,
    })
}

fn agents(bundle: &Bundle) -> Vec<String> {
    bundle.own_agents().agents.into_iter().map(|agent| agent.name).collect()
}

fn hooks(bundle: &Bundle) -> Vec<Hook> {
    bundle.hooks.iter().flat_map(|(_, said)| read_hooks(said).hooks).collect()
}

fn hook_line(hook: &Hook) -> String {
    let matcher = hook.matcher.text();
    let matcher = if matcher.is_empty() { String::new() } else { format!(" {matcher}") };
    format!("{}{matcher}: {}", hook.event.name(), hook.line())
}

/// A server with what it is started by, and what its program wants of the box.
fn server_line(style: Style, server: &Plugin) -> String {
    let reach = match server.transport {
        Transport::Stdio => {
            let words = server.command.iter().chain(&server.args).cloned();
            words.collect::<Vec<_>>().join(" ")
        }
        Transport::Http | Transport::Sse => server.url.clone().unwrap_or_default(),
    };
    // What stands in a bundle is no secret; what it names of the user's is for the user to see.
    let pairs = |all: &[(String, reasonix_config::Secret)]| {
        all.iter().map(|(name, value)| format!("{name}={}", value.expose())).collect::<Vec<_>>().join(", ")
    };
    let mut wants = Vec::new();
    let mut want = |code: &'static str, what: String| {
        if !what.is_empty() {
            wants.push(style.text(&Phrase::new(code).with("what", what)));
        }
    };
    if server.transport == Transport::Stdio {
        let open = server.sandbox.network.unwrap_or(true);
        want(if open { "cli.plugin_network" } else { "cli.plugin_no_network" }, "-".to_owned());
        want("cli.plugin_reads", server.sandbox.read.join(", "));
        want("cli.plugin_writes", server.sandbox.write.join(", "));
    }
    want("cli.plugin_env", pairs(&server.env));
    want("cli.plugin_headers", pairs(&server.headers));
    format!("{}: {reach}  [{}]", server.name, wants.join("; "))
}

/// What differs between two states, file by file.
pub(super) fn differences(before: &[BundleFile], after: &[BundleFile]) -> Vec<String> {
    let of = |files: &[BundleFile]| -> BTreeMap<String, BundleFile> {
        files.iter().map(|file| (file.path.clone(), file.clone())).collect()
    };
    let (before, after) = (of(before), of(after));
    let mut paths: Vec<&String> = before.keys().chain(after.keys()).collect();
    paths.sort();
    paths.dedup();
    let changed: Vec<&String> = paths.into_iter().filter(|path| before.get(*path) != after.get(*path)).collect();
    let mut lines = Vec::new();
    for path in changed.iter().take(MOST_FILES) {
        lines.extend(difference(path, before.get(*path), after.get(*path)));
    }
    if changed.len() > MOST_FILES {
        lines.push(format!("… +{}", changed.len() - MOST_FILES));
    }
    lines.iter().map(|line| clean(&visible(line))).collect()
}

fn difference(path: &str, before: Option<&BundleFile>, after: Option<&BundleFile>) -> Vec<String> {
    let sign = match (before, after) {
        (None, _) => '+',
        (_, None) => '-',
        _ => '~',
    };
    let mode = |file: Option<&BundleFile>| if file.is_some_and(|file| file.executable) { " (x)" } else { "" };
    let mut lines = vec![format!("{sign} {path}{}", mode(after))];
    let text = |file: Option<&BundleFile>| match file {
        None => Some(String::new()),
        Some(file) => String::from_utf8(file.bytes.clone()).ok(),
    };
    let (Some(old), Some(new)) = (text(before), text(after)) else {
        lines.push("    …".to_owned());
        return lines;
    };
    let diff = reasonix_tools::unified(&old, &new, 2);
    let count = diff.lines().count();
    lines.extend(diff.lines().take(LINES).map(|line| format!("    {line}")));
    if count > LINES {
        lines.push(format!("    … +{}", count - LINES));
    }
    lines
}
