//! What another agent has that can come over, what cannot, and the bringing over.

use super::servers;
use crate::say::{self, Colour, Style, in_line};
use reasonix_config::NewServer;
use reasonix_extensions::hooks::read_hooks;
use reasonix_extensions::{BundleFile, bundle_files, small_file};
use reasonix_policy::{Rule, visible};
use reasonix_proto::{Effect, Phrase};
use serde_json::Value;
use std::path::{Path, PathBuf};
use toml_edit::DocumentMut;

/// What can come over, and what cannot.
#[derive(Default)]
pub(super) struct Haul {
    /// Rules by the list that they stand in: `deny`, `ask`, `allow`.
    pub(super) rules: Vec<(&'static str, String)>,
    pub(super) servers: Vec<NewServer>,
    /// Files for our folder, each group under one name.
    pub(super) files: Vec<(String, Vec<BundleFile>)>,
    /// Hooks, and the file that they go to.
    pub(super) hooks: Option<(String, Value)>,
    /// What is there already.
    pub(super) there: Vec<String>,
    /// What stays behind, and why.
    pub(super) left: Vec<(String, Phrase)>,
}

/// Where things come from and go to.
pub(super) struct Ways {
    /// The other agent's folder.
    pub(super) from: PathBuf,
    /// The folder that `~` stands for.
    pub(super) user: PathBuf,
    /// Our folder.
    pub(super) home: PathBuf,
    /// The user's own settings.
    pub(super) file: PathBuf,
    pub(super) tools: Vec<String>,
    /// The user's own settings as they stand in the file.
    pub(super) settings: DocumentMut,
}

impl Ways {
    /// The text of a file of the other agent's; none where there is none or it cannot be read.
    pub(super) fn text(&self, path: &Path) -> Option<String> {
        small_file(path, path.parent()?)?.ok()
    }

    pub(super) fn json(&self, path: &Path, haul: &mut Haul) -> Option<Value> {
        let text = self.text(path)?;
        let said = reasonix_config::json_of(&text);
        if said.is_none() {
            haul.leave(path.display(), "cli.bring_unreadable");
        }
        said
    }
}

impl Haul {
    pub(super) fn leave(&mut self, what: impl std::fmt::Display, why: &'static str) {
        self.left.push((what.to_string(), Phrase::new(why)));
    }

    /// Leaves each file of a folder behind, for the same reason.
    pub(super) fn leave_files(&mut self, from: &Path, why: &'static str) {
        let names = std::fs::read_dir(from).into_iter().flatten().filter_map(Result::ok);
        let mut names: Vec<String> = names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        let folder = from.file_name().unwrap_or_default().to_string_lossy().into_owned();
        names
            .into_iter()
            .filter(|name| !name.starts_with('.'))
            .for_each(|name| self.leave(format!("{folder}/{name}"), why));
    }

    /// A command that is written anew in our words.
    pub(super) fn command(&mut self, name: &str, text: Option<String>) {
        let group = format!("commands/{name}.md");
        // A name is somebody else's word, and becomes a path.
        let plain =
            |part: &str| !part.starts_with('.') && part.chars().all(|c| c.is_alphanumeric() || "-_. ".contains(c));
        let is_plain = name.split('/').all(|part| !part.trim().is_empty() && plain(part));
        match text.filter(|_| is_plain) {
            Some(text) => {
                let file = BundleFile { path: String::new(), executable: false, bytes: text.into_bytes() };
                self.files.push((group, vec![file]));
            }
            None => self.leave(group, "cli.bring_command"),
        }
    }

    /// Takes over the servers of an `mcpServers`.
    pub(super) fn servers_of(&mut self, said: Option<&Value>) {
        let (taken, left) = servers::from_json(said);
        self.servers.extend(taken);
        left.into_iter().for_each(|(what, why)| self.leave(what, why));
    }

    /// Takes over hooks, but for those that the box could not run: a guard that cannot start guards nothing.
    pub(super) fn hooks_of(&mut self, file: &str, mut said: Value, ways: &Ways) {
        let all = if said.get("hooks").is_some() { said.get_mut("hooks") } else { Some(&mut said) };
        let mut left = Vec::new();
        let mut out = |event: &str, hook: &Value| {
            let outside = at_home(hook, ways);
            if outside {
                left.push(format!("hook {event} {}", line_of(hook)));
            }
            !outside
        };
        for (event, entries) in all.and_then(Value::as_object_mut).into_iter().flatten() {
            let Some(entries) = entries.as_array_mut() else { continue };
            entries.retain_mut(|entry| match entry.get_mut("hooks").and_then(Value::as_array_mut) {
                Some(handlers) => {
                    handlers.retain(|handler| out(event, handler));
                    !handlers.is_empty()
                }
                None => out(event, entry),
            });
        }
        left.into_iter().for_each(|what| self.leave(what, "cli.bring_hook_home"));
        if !read_hooks(&said).hooks.is_empty() {
            self.hooks = Some((file.to_owned(), said));
        }
    }

    /// A rule of the other agent's, where our grammar has it. One that forbids or asks comes over; one that allows only where our
    /// gate would take it.
    pub(super) fn rule(&mut self, list: &'static str, text: &str, ways: &Ways) {
        let text = text.trim().to_owned();
        let read = if list == "allow" { Rule::parse_allow(&text) } else { Rule::parse(&text) };
        let known = |tool: &str| {
            let family = tool.eq_ignore_ascii_case("web") || tool.starts_with("mcp__");
            family || ways.tools.iter().any(|name| name.eq_ignore_ascii_case(tool))
        };
        match read {
            Err(error) => {
                self.left.push((format!("{list} {text}"), Phrase::new("cli.bring_rule").with("reason", error.reason)));
            }
            Ok(rule) if rule.tool().is_some_and(|tool| !known(tool)) => {
                self.leave(format!("{list} {text}"), "cli.bring_no_tool");
            }
            Ok(_) => self.rules.push((list, text)),
        }
    }

    /// The files of a folder, each entry of it a group: a folder with what is in it, or a file with this ending.
    pub(super) fn folder(&mut self, from: &Path, to: &str, ending: Option<&str>) {
        let Ok(entries) = std::fs::read_dir(from) else { return };
        let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let Some(name) = path.file_name().and_then(|name| name.to_str()).filter(|name| !name.starts_with('.'))
            else {
                continue;
            };
            let group = format!("{to}/{name}");
            if path.is_symlink() && path.is_dir() {
                self.leave(group, "cli.bring_link");
            } else if path.is_dir() {
                match bundle_files(&path) {
                    Ok(files) => self.files.push((group, files)),
                    Err(fault) => self.left.push((group, fault.told_in(Phrase::new("cli.bring_files")))),
                }
            } else if ending.is_some_and(|ending| name.ends_with(ending)) {
                self.file(&path, &group);
            }
        }
    }

    /// Leaves agents behind that would let more run than a session does without them, or take the place of one of ours: rules
    /// come over where they can be seen.
    pub(super) fn only_tightening_agents(&mut self, from: &Path) {
        let why = |group: &str| {
            let agent = reasonix_extensions::agent_of_file(&from.join(group))?;
            let allows = |effect: &Effect| *effect == Effect::Allow;
            let loosens = !agent.rules.allow.is_empty()
                || agent.rules.mode.iter().chain(&agent.rules.external_directory).any(allows)
                || agent.rules.fallbacks.values().any(allows);
            let named = reasonix_extensions::is_builtin_agent(&agent.name);
            named.then_some("cli.bring_agent_ours").or(loosens.then_some("cli.bring_agent_loosens"))
        };
        let (left, kept) =
            std::mem::take(&mut self.files).into_iter().partition(|(group, _)| is_agent(group) && why(group).is_some());
        let left: Vec<(String, Vec<BundleFile>)> = left;
        self.files = kept;
        for (group, _) in left {
            if let Some(why) = why(&group) {
                self.leave(group, why);
            }
        }
    }

    /// One file, as itself.
    fn file(&mut self, from: &Path, to: &str) {
        match small_file(from, from.parent().unwrap_or(from)) {
            None => {}
            Some(Err(flaw)) => self.left.push((to.to_owned(), flaw.phrase())),
            Some(Ok(text)) => {
                let file = BundleFile { path: String::new(), executable: false, bytes: text.into_bytes() };
                self.files.push((to.to_owned(), vec![file]));
            }
        }
    }

    /// Instructions for every session: into the first of our two files that is free.
    pub(super) fn instructions(&mut self, from: &Path, ways: &Ways) {
        let Some(text) = ways.text(from).filter(|text| !text.trim().is_empty()) else { return };
        for path in reasonix_config::brought_files(&text) {
            self.leave(format!("@{path} ({})", from.display()), "cli.bring_at_file");
        }
        let ours = ["AGENTS.md", "REASONIX.md"];
        let there = |name: &&str| ways.text(&ways.home.join(name)).is_some_and(|known| known == text);
        if let Some(name) = ours.iter().find(|name| there(name)) {
            return self.there.push((*name).to_owned());
        }
        match ours.iter().find(|name| ways.home.join(name).symlink_metadata().is_err()) {
            Some(name) => self.file(from, name),
            None => self.leave(from.display(), "cli.bring_no_room"),
        }
    }

    /// Takes out what is there already.
    pub(super) fn sift(&mut self, ways: &Ways) {
        let settings = &ways.settings;
        let lists = |list: &str, text: &str| {
            let said = settings.get("permissions").and_then(|section| section.get(list)?.as_array());
            said.into_iter().flatten().any(|rule| rule.as_str() == Some(text))
        };
        let mut there = std::mem::take(&mut self.there);
        let mut known = |is: bool, what: String| {
            if is {
                there.push(what);
            }
            !is
        };
        self.rules.retain(|(list, text)| known(lists(list, text), format!("{list} {text}")));
        let has = |name: &str| servers::is_listed(settings, name);
        self.servers.retain(|server| known(has(&server.name), format!("mcp {}", server.name)));
        let mut taken = std::collections::HashSet::new();
        self.files.retain(|(group, _)| {
            let is_there = ways.home.join(group).symlink_metadata().is_ok();
            known(is_there || !taken.insert(group.clone()), group.clone())
        });
        if let Some((file, _)) = &self.hooks
            && ways.home.join(file).symlink_metadata().is_ok()
        {
            there.push(file.clone());
            self.hooks = None;
        }
        self.there = there;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.servers.is_empty() && self.files.is_empty() && self.hooks.is_none()
    }

    pub(super) fn lines(&self, style: Style) -> Vec<String> {
        let mut lines = Vec::new();
        let mut section = |code: &'static str, rows: Vec<String>| {
            if !rows.is_empty() {
                lines.push(style.out(Colour::Bold, &style.text(&Phrase::new(code))));
                lines.extend(rows.iter().map(|row| in_line(&format!("  {}", visible(row)))));
            }
        };
        let rules = |loosens: bool| -> Vec<String> {
            let chosen = self.rules.iter().filter(|(list, _)| (*list == "allow") == loosens);
            chosen.map(|(list, text)| format!("{list} {text}")).collect()
        };
        section("cli.bring_tightens", rules(false));
        section("cli.bring_loosens", rules(true));
        section("cli.bring_servers", self.servers.iter().map(servers::line).collect());
        let hooks = self.hooks.iter().flat_map(|(_, said)| read_hooks(said).hooks);
        let hooks = hooks.map(|hook| format!("{} {}: {}", hook.event.name(), hook.matcher.text(), hook.line()));
        section("cli.bring_hooks", hooks.collect());
        section("cli.bring_copies", self.files.iter().map(|(group, _)| group.clone()).collect());
        section("cli.bring_there", self.there.clone());
        let left = self.left.iter().map(|(what, why)| format!("{what}: {}", style.text(why)));
        section("cli.bring_left", left.collect());
        lines
    }

    pub(super) fn bring(&self, ways: &Ways) -> anyhow::Result<()> {
        let failed = |error: reasonix_config::ConfigError| say::failed(error.phrase());
        let settings = &ways.settings;
        for list in ["deny", "ask", "allow"] {
            let new: Vec<&String> = self.rules.iter().filter(|(of, _)| *of == list).map(|(_, text)| text).collect();
            if new.is_empty() {
                continue;
            }
            let said = settings.get("permissions").and_then(|section| section.get(list)?.as_array());
            let old = said.into_iter().flatten().filter_map(|rule| rule.as_str());
            let mut all: Vec<String> = old.map(str::to_owned).collect();
            all.extend(new.into_iter().cloned());
            reasonix_config::save_words(&ways.file, &format!("permissions.{list}"), &all).map_err(failed)?;
        }
        for server in &self.servers {
            reasonix_config::add_server(&ways.file, server).map_err(failed)?;
        }
        for (group, files) in &self.files {
            place(&ways.home, group, files)?;
        }
        if let Some((file, said)) = &self.hooks {
            let text = format!("{said:#}\n").into_bytes();
            place(&ways.home, file, &[BundleFile { path: String::new(), executable: false, bytes: text }])?;
        }
        Ok(())
    }
}

/// Whether files of this group are one agent.
fn is_agent(group: &str) -> bool {
    group.starts_with("agents/") && group.ends_with(".md")
}

/// What a hook runs, in one line.
fn line_of(hook: &Value) -> String {
    let args = hook.get("args").and_then(Value::as_array).into_iter().flatten();
    let words: Vec<&str> = hook.get("command").into_iter().chain(args).filter_map(Value::as_str).collect();
    words.join(" ")
}

/// Whether a hook names something below the home folder, which is not in the box.
fn at_home(hook: &Value, ways: &Ways) -> bool {
    let line = line_of(hook);
    let boxed = hook.get("sandbox") != Some(&Value::Bool(false));
    let mut folders = [&ways.user, &ways.from].into_iter().map(|path| path.display().to_string());
    let written = ["~/", "$HOME", "${HOME", "$CLAUDE_CONFIG_DIR", "${CLAUDE_CONFIG_DIR", "$CODEX_HOME", "${CODEX_HOME"];
    boxed && (written.iter().any(|name| line.contains(name)) || folders.any(|folder| line.contains(&folder)))
}

/// Writes files that are not there yet into our folder.
fn place(home: &Path, group: &str, files: &[BundleFile]) -> anyhow::Result<()> {
    let at = home.join(group);
    let whole: Vec<BundleFile> = files
        .iter()
        .map(|file| {
            let path = if file.path.is_empty() { group.to_owned() } else { format!("{group}/{}", file.path) };
            BundleFile { path, ..file.clone() }
        })
        .collect();
    crate::plugin::write_files(home, &whole).map_err(|error| crate::plugin::unwritable(&at, &error))
}
