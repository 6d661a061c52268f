//! Reading hooks out of a file. The two shapes of an entry are told apart by what stands in it: one with a `command` is ours, one
//! with `hooks` is Claude Code's.

use super::{Hook, HookDialect, HookEvent, HookFilter, HookMatcher};
use reasonix_proto::Phrase;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// More hooks of one file are not read.
const MOST: usize = 200;
/// How long a hook may take that something waits for.
const BLOCKING: Duration = Duration::from_secs(5);
/// How long another one may take.
const OTHER: Duration = Duration::from_secs(30);
/// How long one of Claude Code's shape may take.
const CLAUDE: Duration = Duration::from_secs(60);
/// Nobody waits for longer than this.
const LONGEST: Duration = Duration::from_secs(3600);

/// What an entry of ours may say.
const OURS: &[&str] = &["match", "command", "timeout", "description", "cwd", "sandbox"];
/// What a group of Claude Code's may say, and each hook in it.
const GROUP: &[&str] = &["matcher", "hooks", "description"];
const THEIRS: &[&str] = &[
    "type",
    "command",
    "args",
    "timeout",
    "timeoutSec",
    "if",
    "async",
    "onFailure",
    "description",
    "statusMessage",
    "sandbox",
];

/// What a file says of hooks.
#[derive(Debug, Clone, Default)]
pub struct ReadHooks {
    /// Those that can be run, in their order.
    pub hooks: Vec<Hook>,
    /// What of it is not as it was written.
    pub flaws: Vec<HookFlaw>,
}

/// Something in a file that is not run, or not as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookFlaw {
    /// It has another shape than hooks have.
    Shape(String),
    /// There is no such event here.
    Event(String),
    /// A hook of a kind that is not run: `prompt`, `http`, `agent`.
    Kind(String, &'static str),
    /// The pattern is none; the hook is run for all.
    Pattern(String, String),
    /// A key that nobody knows, and where.
    Key(String, String),
    /// All hooks of the file are switched off in it.
    Off,
    /// There are more than this many.
    TooMany(usize),
}

impl HookFlaw {
    /// What to tell people; `file` is where it stands.
    pub fn phrase(&self, file: &str) -> Phrase {
        let phrase = match self {
            Self::Shape(at) => Phrase::new("hooks.shape").with("at", at),
            Self::Event(name) => Phrase::new("hooks.event").with("name", name),
            Self::Kind(kind, event) => Phrase::new("hooks.kind").with("kind", kind).with("event", event),
            Self::Pattern(text, reason) => Phrase::new("hooks.pattern").with("pattern", text).with("reason", reason),
            Self::Key(at, key) => Phrase::new("hooks.key").with("at", at).with("key", key),
            Self::Off => Phrase::new("hooks.off"),
            Self::TooMany(most) => Phrase::new("hooks.too_many").with("most", most),
        };
        phrase.with("file", file)
    }
}

/// Reads the hooks of a file, or of the section of one: an object that has them under `hooks`, or is them.
pub fn read_hooks(file: &Value) -> ReadHooks {
    let mut read = ReadHooks::default();
    if file.get("disableAllHooks").and_then(Value::as_bool) == Some(true) {
        read.flaws.push(HookFlaw::Off);
        return read;
    }
    let Some(events) = file.get("hooks").unwrap_or(file).as_object() else {
        read.flaws.push(HookFlaw::Shape("hooks".to_owned()));
        return read;
    };
    for (name, entries) in events {
        let Some(event) = HookEvent::named(name) else {
            read.flaws.push(HookFlaw::Event(name.clone()));
            continue;
        };
        match entries.as_array() {
            Some(entries) => entries.iter().enumerate().for_each(|(at, entry)| read.add(event, at, entry)),
            None => read.flaws.push(HookFlaw::Shape(name.clone())),
        }
    }
    if read.hooks.len() > MOST {
        read.hooks.truncate(MOST);
        read.flaws.push(HookFlaw::TooMany(MOST));
    }
    read
}

impl ReadHooks {
    fn add(&mut self, event: HookEvent, at: usize, entry: &Value) {
        let wrong = || HookFlaw::Shape(format!("{}[{at}]", event.name()));
        if let Some(handlers) = entry.get("hooks").and_then(Value::as_array) {
            let matcher = self.matcher(text(entry, "matcher"), HookDialect::Claude);
            self.look_at_keys(event, at, entry, GROUP);
            for handler in handlers {
                match theirs(event, &matcher, handler) {
                    Ok(hook) => {
                        self.look_at_keys(event, at, handler, THEIRS);
                        self.hooks.push(hook);
                    }
                    Err(flaw) => self.flaws.push(flaw.unwrap_or_else(wrong)),
                }
            }
        } else if let Some(command) = text(entry, "command").filter(|command| !command.trim().is_empty()) {
            let matcher = self.matcher(text(entry, "match"), HookDialect::Own);
            self.look_at_keys(event, at, entry, OURS);
            self.hooks.push(ours(event, matcher, command, entry));
        } else {
            self.flaws.push(wrong());
        }
    }

    /// Names what nobody knows: a guard whose `matcher` is misspelt is none.
    fn look_at_keys(&mut self, event: HookEvent, at: usize, entry: &Value, known: &[&str]) {
        let keys = entry.as_object().into_iter().flat_map(|fields| fields.keys());
        let odd = keys.filter(|key| !known.contains(&key.as_str()));
        self.flaws.extend(odd.map(|key| HookFlaw::Key(format!("{}[{at}]", event.name()), key.clone())));
    }

    /// A pattern that is none is one for all: the hook may be a guard.
    fn matcher(&mut self, text: Option<&str>, dialect: HookDialect) -> HookMatcher {
        HookMatcher::read(text, dialect).unwrap_or_else(|reason| {
            self.flaws.push(HookFlaw::Pattern(text.unwrap_or_default().to_owned(), reason));
            HookMatcher::ALL
        })
    }
}

fn ours(event: HookEvent, matcher: HookMatcher, command: &str, entry: &Value) -> Hook {
    let usual = if event.blocks() { BLOCKING } else { OTHER };
    let timeout = entry.get("timeout").and_then(Value::as_u64).filter(|millis| *millis > 0);
    Hook {
        event,
        dialect: HookDialect::Own,
        matcher: if event.has_tool() { matcher } else { HookMatcher::ALL },
        filter: None,
        command: command.to_owned(),
        args: None,
        description: text(entry, "description").map(str::to_owned),
        timeout: timeout.map_or(usual, Duration::from_millis).min(LONGEST),
        cwd: text(entry, "cwd").map(PathBuf::from),
        detached: false,
        fails_closed: false,
        boxed: boxed(entry),
        bundle: None,
    }
}

/// A handler of a group; without a flaw where it is none at all.
fn theirs(event: HookEvent, matcher: &HookMatcher, handler: &Value) -> Result<Hook, Option<HookFlaw>> {
    match text(handler, "type") {
        None | Some("command") => {}
        Some(kind) => return Err(Some(HookFlaw::Kind(kind.to_owned(), event.name()))),
    }
    let command = text(handler, "command").filter(|command| !command.trim().is_empty()).ok_or(None)?;
    let seconds = ["timeout", "timeoutSec"].into_iter().find_map(|key| handler.get(key)?.as_f64());
    let seconds = seconds.filter(|seconds| seconds.is_finite() && *seconds > 0.0);
    let args = handler.get("args").and_then(Value::as_array);
    let words = |args: &Vec<Value>| args.iter().filter_map(|arg| arg.as_str().map(str::to_owned)).collect();
    let has_names = event.has_tool() || event.has_kind();
    Ok(Hook {
        event,
        dialect: HookDialect::Claude,
        matcher: if has_names { matcher.clone() } else { HookMatcher::ALL },
        filter: text(handler, "if").filter(|_| event.has_tool()).map(HookFilter::read),
        command: command.to_owned(),
        args: args.map(words),
        description: text(handler, "description").or_else(|| text(handler, "statusMessage")).map(str::to_owned),
        timeout: seconds.map_or(CLAUDE, |seconds| Duration::from_secs_f64(seconds.min(LONGEST.as_secs_f64()))),
        cwd: None,
        detached: handler.get("async").and_then(Value::as_bool) == Some(true),
        fails_closed: text(handler, "onFailure") == Some("block"),
        boxed: boxed(handler),
        bundle: None,
    })
}

/// Only a user's own word counts for this; whoever lists hooks knows whose they are.
fn boxed(entry: &Value) -> bool {
    entry.get("sandbox").and_then(Value::as_bool) != Some(false)
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::{HookFlaw, read_hooks};
    use crate::hooks::{HookDialect, HookEvent};
    use serde_json::json;
    use std::time::Duration;

    #[test]
    fn both_shapes_stand_in_one_list_and_are_told_apart() {
        let read = read_hooks(&json!({"hooks": {
            "PreToolUse": [
                {"match": "bash", "command": "guard", "timeout": 1500, "description": "d", "cwd": "sub"},
                {"matcher": "Edit|Write", "hooks": [
                    {"type": "command", "command": "fmt", "timeout": 10},
                    {"type": "prompt", "prompt": "ok?"},
                    {"command": "bare", "async": true, "onFailure": "block", "if": "Edit(*.ts)"},
                    {"type": "command"},
                ]},
                {"nothing": 1},
            ],
            "Stop": [{"command": "s", "match": "ignored"}],
            "Later": [],
            "Notification": "touch x",
        }}));
        let seen: Vec<_> = read.hooks.iter().map(|hook| (hook.command.as_str(), hook.dialect, hook.timeout)).collect();
        assert_eq!(
            seen,
            [
                ("guard", HookDialect::Own, Duration::from_millis(1500)),
                ("fmt", HookDialect::Claude, Duration::from_secs(10)),
                ("bare", HookDialect::Claude, Duration::from_secs(60)),
                ("s", HookDialect::Own, Duration::from_secs(30)),
            ]
        );
        assert!(read.hooks[2].detached && read.hooks[2].fails_closed && read.hooks[2].filter.is_some());
        assert!(read.hooks[3].matcher.fits(&["anything"]), "the match of an event without tools is ignored");
        assert_eq!(
            read.flaws,
            [
                HookFlaw::Event("Later".into()),
                HookFlaw::Shape("Notification".into()),
                HookFlaw::Kind("prompt".into(), "PreToolUse"),
                HookFlaw::Shape("PreToolUse[1]".into()),
                HookFlaw::Shape("PreToolUse[2]".into()),
            ]
        );
    }

    #[test]
    fn what_is_misspelt_is_named() {
        let read = read_hooks(&json!({"PreToolUse": [
            {"match": "bash", "command": "g", "timout": 1},
            {"macher": "Edit", "hooks": [{"type": "command", "command": "x", "onFail": "block"}]},
        ]}));
        let key = |at: &str, key: &str| HookFlaw::Key(at.to_owned(), key.to_owned());
        let wanted = [key("PreToolUse[0]", "timout"), key("PreToolUse[1]", "macher"), key("PreToolUse[1]", "onFail")];
        assert_eq!((read.hooks.len(), &read.flaws[..]), (2, &wanted[..]));
    }

    #[test]
    fn the_time_that_a_hook_has_follows_from_who_waits_for_it() {
        for (event, seconds) in [(HookEvent::PreToolUse, 5), (HookEvent::UserPromptSubmit, 5), (HookEvent::Stop, 30)] {
            let read = read_hooks(&json!({event.name(): [{"command": "x"}]}));
            assert_eq!(read.hooks[0].timeout, Duration::from_secs(seconds), "{event:?}");
        }
    }

    #[test]
    fn files_may_be_switched_off_or_have_any_other_shape() {
        assert_eq!(read_hooks(&json!({"disableAllHooks": true, "hooks": {}})).flaws, [HookFlaw::Off]);
        assert_eq!(read_hooks(&json!({"hooks": 3})).flaws, [HookFlaw::Shape("hooks".into())]);
        let odd = read_hooks(&json!({"PreToolUse": [{"matcher": "(?=x)y", "hooks": [{"command": "g"}]}]}));
        assert!(matches!(&odd.flaws[..], [HookFlaw::Pattern(..)]) && odd.hooks[0].matcher.fits(&["Bash"]));
        let many = read_hooks(&json!({"Stop": vec![json!({"command": "x"}); 300]}));
        assert_eq!((many.hooks.len(), many.flaws.len()), (200, 1));
    }
}
