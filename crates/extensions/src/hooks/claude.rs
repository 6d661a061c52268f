//! The tools as Claude Code calls them: its names, and its names of their arguments.

use serde_json::{Map, Value, json};
use std::path::Path;

/// The tool that stands for all that run commands, and another of them.
const BASH: &str = "bash";
const MONITOR: &str = "monitor";

/// Our tool, its name there, and other names there that mean it too.
const NAMES: &[(&str, &str, &[&str])] = &[
    ("bash", "Bash", &[]),
    (MONITOR, "Bash", &[MONITOR]),
    ("read_file", "Read", &[]),
    ("write_file", "Write", &[]),
    ("edit_file", "Edit", &[]),
    ("multi_edit", "MultiEdit", &["Edit"]),
    ("apply_patch", "Edit", &["apply_patch", "Write", "MultiEdit"]),
    ("move_file", "Edit", &["Write"]),
    ("delete_range", "Edit", &[]),
    ("grep", "Grep", &[]),
    ("glob", "Glob", &[]),
    ("ls", "LS", &[]),
    ("web_fetch", "WebFetch", &[]),
    ("web_search", "WebSearch", &[]),
    ("todo_write", "TodoWrite", &[]),
    ("todo_read", "TodoRead", &[]),
    ("ask", "AskUserQuestion", &[]),
    ("submit_plan", "ExitPlanMode", &[]),
    ("skill", "Skill", &[]),
];

/// Tools there whose `file_path` is a file, written out from the root.
const FILES: &[&str] = &["Read", "Write", "Edit", "MultiEdit"];

/// A call as a hook of Claude Code's is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaudeCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub input: Value,
}

/// The name that a tool has there; none for one that is called the same.
fn known(tool: &str) -> Option<(&'static str, &'static [&'static str])> {
    NAMES.iter().find(|(own, _, _)| *own == tool).map(|(_, theirs, others)| (*theirs, *others))
}

/// The names that one of our own matchers may have for a tool. Whoever watches over commands means all of them.
pub(super) fn own_matched(tool: &str) -> Vec<&str> {
    if known(tool).is_some_and(|(name, _)| name == "Bash") && tool != BASH { vec![tool, BASH] } else { vec![tool] }
}

/// The tools that are taken away with these: who may run no commands has no other way to.
pub(crate) fn with_alike(mut tools: Vec<String>) -> Vec<String> {
    if tools.iter().any(|tool| tool == BASH) {
        tools.push(MONITOR.to_owned());
    }
    tools
}

/// Whether what is said of a tool is about a call of another: `bash` stands for everything that runs commands.
pub(crate) fn is_about(said: &str, tool: &str) -> bool {
    own_matched(tool).contains(&said)
}

/// The names that a matcher may have for a tool: the one there first.
pub(super) fn names(tool: &str) -> Vec<&str> {
    match known(tool) {
        Some((name, others)) => std::iter::once(name).chain(others.iter().copied()).collect(),
        None => vec![tool],
    }
}

/// Our tools that a name there means, whatever its case; none for one that nobody has there.
pub(crate) fn own_names(theirs: &str) -> Vec<&'static str> {
    let means = |name: &str| name.eq_ignore_ascii_case(theirs);
    let meant = NAMES.iter().filter(|(_, name, others)| means(name) || others.iter().any(|other| means(other)));
    // Whoever is given commands is given the tool for them, and not each that runs some.
    meant.map(|(own, ..)| *own).filter(|own| *own != MONITOR || means(MONITOR)).collect()
}

/// A call as hooks there know it. One that touches several files is several calls, so that a guard sees each.
pub fn claude_calls(tool: &str, args: &Map<String, Value>, subjects: &[String], root: &Path) -> Vec<ClaudeCall> {
    let name = known(tool).map_or(tool, |(name, _)| name);
    let mut input = args.clone();
    // `monitor` calls its seconds as other programs call their milliseconds.
    let key = if tool == MONITOR && !input.contains_key("timeout_seconds") { "timeout" } else { "timeout_seconds" };
    if name == "Bash"
        && let Some(seconds) = input.remove(key).and_then(|value| value.as_u64())
    {
        input.insert("timeout".to_owned(), json!(seconds.saturating_mul(1000)));
    }
    if !FILES.contains(&name) {
        return vec![ClaudeCall { tool: name.to_owned(), input: Value::Object(input) }];
    }
    for key in ["path", "filePath", "filename", "file", "uri"] {
        input.remove(key);
    }
    let whole = |subject: &String| root.join(subject).display().to_string();
    let mut files: Vec<String> = subjects.iter().map(whole).collect();
    files.dedup();
    if files.is_empty() {
        files.push(String::new());
    }
    let one = |file: String| {
        let mut input = input.clone();
        if name == "Edit" && !input.contains_key("new_string") {
            let text = input.get("patch").cloned().unwrap_or_else(|| json!(""));
            input.insert("old_string".to_owned(), json!(""));
            input.insert("new_string".to_owned(), text);
        }
        input.insert("file_path".to_owned(), json!(file));
        ClaudeCall { tool: name.to_owned(), input: Value::Object(input) }
    };
    files.into_iter().map(one).collect()
}

/// Arguments that a hook there changed, in our names.
pub fn own_arguments(tool: &str, input: &Map<String, Value>) -> Map<String, Value> {
    let mut args = input.clone();
    match known(tool) {
        Some(("Bash", _)) => {
            args.remove("description");
            if let Some(millis) = args.remove("timeout").and_then(|value| value.as_u64()) {
                args.insert("timeout_seconds".to_owned(), json!(millis.div_ceil(1000)));
            }
        }
        Some((name, _)) if FILES.contains(&name) => {
            if let Some(path) = args.remove("file_path") {
                args.insert("path".to_owned(), path);
            }
        }
        _ => {}
    }
    args
}

#[cfg(test)]
mod tests {
    use super::{NAMES, claude_calls, names, own_arguments};
    use serde_json::{Map, Value, json};
    use std::path::Path;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn calls_are_told_in_the_words_of_the_other_program() {
        for (tool, args, subjects, wanted) in [
            (
                "bash",
                json!({"command": "ls", "timeout_seconds": 3}),
                vec!["ls"],
                vec![json!({"command": "ls", "timeout": 3000})],
            ),
            ("read_file", json!({"path": "a.rs"}), vec!["a.rs"], vec![json!({"file_path": "/w/a.rs"})]),
            (
                "write_file",
                json!({"file_path": "a", "content": "x"}),
                vec!["a"],
                vec![json!({"file_path": "/w/a", "content": "x"})],
            ),
            (
                "edit_file",
                json!({"path": "a", "old_string": "x", "new_string": "y"}),
                vec!["a"],
                vec![json!({"file_path": "/w/a", "old_string": "x", "new_string": "y"})],
            ),
            ("grep", json!({"pattern": "x", "path": "src"}), vec!["src"], vec![json!({"pattern": "x", "path": "src"})]),
            (
                "apply_patch",
                json!({"patch": "P"}),
                vec!["a", "b"],
                vec![
                    json!({"file_path": "/w/a", "old_string": "", "new_string": "P", "patch": "P"}),
                    json!({"file_path": "/w/b", "old_string": "", "new_string": "P", "patch": "P"}),
                ],
            ),
        ] {
            let subjects: Vec<String> = subjects.into_iter().map(str::to_owned).collect();
            let calls = claude_calls(tool, &object(args), &subjects, Path::new("/w"));
            let inputs: Vec<Value> = calls.into_iter().map(|call| call.input).collect();
            assert_eq!(inputs, wanted, "{tool}");
        }
        assert_eq!(names("apply_patch"), ["Edit", "apply_patch", "Write", "MultiEdit"]);
        assert_eq!(names("mcp__git__log"), ["mcp__git__log"]);
        assert_eq!(NAMES.len(), 19);
    }

    #[test]
    fn changed_arguments_come_back_in_our_words() {
        for (tool, theirs, ours) in [
            (
                "bash",
                json!({"command": "ls -l", "timeout": 1500, "description": "d"}),
                json!({"command": "ls -l", "timeout_seconds": 2}),
            ),
            ("write_file", json!({"file_path": "/w/a", "content": "x"}), json!({"path": "/w/a", "content": "x"})),
            ("mcp__a__b", json!({"file_path": "x"}), json!({"file_path": "x"})),
        ] {
            assert_eq!(Value::Object(own_arguments(tool, &object(theirs))), ours, "{tool}");
        }
    }
}
