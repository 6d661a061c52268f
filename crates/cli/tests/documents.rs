//! What the documents tell people to type is taken: every settings block by the reader of settings, every command line by the
//! parser of arguments; and what is harmless is really run.

use crate::support;

use reasonix_testkit::{ModelServer, Reply};
use std::path::{Path, PathBuf};
use support::{Place, finish};

/// Blocks that are no settings: the file that the text around them names is another one.
const OTHER_FILES: &[(&str, &str)] = &[("tui.md", "\"history.search\""), ("tui.md", "base = \"dark\"")];

/// Lines that are only parsed, with the reason why they are not run.
const NOT_RUN: &[(&str, &str)] = &[
    ("setup", "asks a person, or waits for a server at an address of its own"),
    ("bench", "makes a hundred requests"),
    ("doctor --attack", "has tests of its own, and takes long"),
    ("probe", "asks the machine's own ports, or an address of its own"),
    ("demo", "has tests of its own"),
    ("trust", "asks a person"),
    ("chat", "needs a terminal"),
    ("code", "needs a terminal"),
    ("--model", "would ask a hosted endpoint"),
    ("--output-schema", "needs a file of the reader's own"),
    ("--config", "needs a file of the reader's own"),
    ("--resume", "needs a session of the reader's own"),
    ("--around", "needs the id of a hit"),
    ("models import", "needs a file of the reader's own"),
    ("plugin add", "needs a plugin of the reader's own"),
    ("plugin show", "needs a plugin of the reader's own"),
    ("plugin update", "needs a plugin of the reader's own"),
    ("plugin remove", "needs a plugin of the reader's own"),
    ("import", "needs the settings of another agent"),
    ("sessions import", "needs a file of the reader's own"),
];

/// Words that stand for something of the reader's own, and something to parse in place of them.
const PLACEHOLDERS: &[(&str, &str)] =
    &[("RECORD", "3"), ("TURN", "1"), ("F", "user"), ("FILE", "x.jsonl"), ("WORDS", "words")];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The documents for users, with their names.
fn documents() -> Vec<(String, String)> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.extend(["README.md", "README.zh-CN.md"].map(|name| root().join(name)));
    paths.retain(|path| path.extension().is_some_and(|end| end == "md"));
    paths.sort();
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

/// The fenced blocks of a text by their language, and the text without them.
fn blocks(text: &str) -> (Vec<(String, String)>, String) {
    let (mut found, mut rest, mut open) = (Vec::new(), String::new(), None::<(String, String)>);
    for line in text.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => open = Some((language.to_owned(), String::new())),
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some((_, block)), None) => *block += &format!("{line}\n"),
            (None, None) => rest += &format!("{line}\n"),
        }
    }
    (found, rest)
}

/// A command line of ours: variables, and the words behind `reasonix`.
#[derive(Debug, Clone)]
struct Line {
    document: String,
    text: String,
    env: Vec<(String, String)>,
    words: Vec<String>,
    /// It stands in a sentence, which may name a command without its arguments.
    mention: bool,
    /// The exit code that is shown behind it.
    code: Option<i32>,
}

/// The words of each part of a pipeline, without comments and redirections.
fn parts(line: &str) -> Vec<Vec<String>> {
    let (mut parts, mut words, mut word, mut quote) = (Vec::new(), Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                word.get_or_insert_default();
                quote = Some(c);
            }
            (None, '#') if word.is_none() => break,
            (None, '|') => {
                words.extend(word.take());
                parts.push(std::mem::take(&mut words));
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    parts.push(words);
    for part in &mut parts {
        if let Some(at) = part.iter().position(|word| word.starts_with('>')) {
            part.truncate(at);
        }
    }
    parts
}

fn line_of(document: &str, text: &str) -> Option<Line> {
    for mut words in parts(text) {
        let assigned = words.iter().take_while(|word| word.contains('=') && !word.starts_with('-')).count();
        let env: Vec<String> = words.drain(..assigned).collect();
        if words.first().is_some_and(|word| word == "reasonix") {
            words.remove(0);
            let env =
                env.iter().filter_map(|pair| pair.split_once('=')).map(|(a, b)| (a.to_owned(), b.to_owned())).collect();
            return Some(Line {
                document: document.to_owned(),
                text: text.to_owned(),
                env,
                words,
                mention: false,
                code: None,
            });
        }
    }
    None
}

/// Every command line of ours in the documents.
fn lines() -> Vec<Line> {
    let mut found = Vec::new();
    for (document, text) in documents() {
        let (blocks, rest) = blocks(&text);
        for (language, block) in &blocks {
            let all: Vec<&str> = block.lines().collect();
            for (at, line) in all.iter().enumerate() {
                let typed = match language.as_str() {
                    "sh" => line.trim(),
                    "console" => line.strip_prefix("$ ").unwrap_or_default(),
                    // Whatever a fence says of itself, a line that begins like a command is one.
                    "" | "text" => {
                        line.strip_prefix("$ ").or(line.starts_with("reasonix ").then_some(*line)).unwrap_or("")
                    }
                    _ => "",
                };
                let mut one = line_of(&document, typed);
                if let (Some(one), Some(asks)) = (&mut one, all.iter().skip(at).position(|line| *line == "$ echo $?")) {
                    one.code = all.get(at + asks + 1).and_then(|code| code.trim().parse().ok());
                }
                found.extend(one);
            }
        }
        for span in rest.lines().flat_map(|line| line.split('`').skip(1).step_by(2)) {
            let line = line_of(&document, &span.replace("\\|", "|")).filter(|_| !span.contains("cargo "));
            found.extend(line.map(|line| Line { mention: true, ..line }));
        }
    }
    assert!(found.len() > 120, "{} lines", found.len());
    found
}

/// The words with something in place of what stands for the reader's own: `[ID]` is an argument, `--a|--b` one of them.
fn filled(words: &[String]) -> Vec<String> {
    let fill = |word: &String| {
        let word = word.trim_matches(['[', ']', '…']);
        let known = PLACEHOLDERS.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
        known.unwrap_or(word).to_owned()
    };
    words.iter().map(fill).filter(|word| !word.is_empty()).collect()
}

#[test]
fn every_settings_block_is_taken_without_a_word() {
    let mut tried = 0;
    for (document, text) in documents() {
        for (language, block) in blocks(&text).0 {
            let other = OTHER_FILES.iter().any(|(name, begins)| *name == document && block.starts_with(begins));
            if language != "toml" || other {
                continue;
            }
            let place = Place::bare(ModelServer::start_blocking(vec![]));
            place.home.write("config.toml", &block);
            let ran = place.run(&["config", "show"]);
            assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{document}:\n{block}");
            tried += 1;
        }
    }
    assert!(tried >= 14, "{tried} blocks");
}

#[test]
fn every_command_line_is_taken() {
    let place = Place::new(vec![]);
    let mut wrong = Vec::new();
    for line in lines() {
        let mut words = filled(&line.words);
        words.push("--help".to_owned());
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let ran = place.run(&words);
        if ran.code != Some(0) {
            wrong.push(format!("{}: {}\n{}", line.document, line.text, ran.err));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// In a scratch folder, against a model that always has an answer. A documented exit code comes; no line is a usage error.
#[test]
fn what_is_harmless_runs_as_it_is_told() {
    let place = Place::with_server(ModelServer::start_with(|_| Some(Reply::say("ok"))));
    place.work.git_init();
    place.work.write("src/main.rs", "fn main() {}\n");
    place.work.write("tasks.jsonl", "{\"prompt\": \"hello\"}\n");
    // A page that calls a skill, an agent or a command has made it before.
    place.home.write("skills/changelog/SKILL.md", "---\ndescription: Writes the changelog\n---\nWrite it.\n");
    place.home.write("agents/naysayer.md", "---\ndescription: Looks for what speaks against it\n---\nSay no.\n");
    place.home.write("commands/kit/tidy.md", "Tidy $ARGUMENTS.\n");
    // And one that takes a catalogue in has it from another machine.
    place.work.write("models.json", place.run(&["models", "--known", "--json"]).out);
    assert_eq!(place.run(&["run", "hello"]).code, Some(0));
    let session = place.logs()[0].file_stem().unwrap().to_string_lossy().into_owned();
    let mut seen = std::collections::BTreeSet::new();
    let mut ran_some = 0;
    for line in lines() {
        let said = line.words.join(" ");
        // These need nothing but what is there: their codes are what the page is about.
        let sure =
            ["nosuch", "nope"].iter().any(|word| said.contains(word)) || !line.env.is_empty() && line.code == Some(4);
        let excepted =
            NOT_RUN.iter().any(|(part, _)| format!("{said} ").contains(&format!("{part} ")) || said == *part);
        // A first message begins a chat, which needs a terminal.
        let begins_chat = line.words.first().is_some_and(|first| first.contains(' ') || !first.is_ascii());
        let flags_alone = line.words.first().is_none_or(|first| first.starts_with("--"));
        if flags_alone || begins_chat || (excepted && !sure) || !seen.insert(said.clone()) {
            continue;
        }
        let words = filled(&line.words);
        let own = |word: &str| {
            ["ID", "SESSION", "A", "B", "NAME", "QUERY", "TEXT", "TITLE", "LINE", "COMMAND", "SEARCH"].contains(&word)
        };
        if words.iter().any(|word| own(word) && !["ID", "SESSION"].contains(&word.as_str())) || said.contains('[') {
            continue;
        }
        let words: Vec<&str> =
            words.iter().map(|word| if own(word) { session.as_str() } else { word.as_str() }).collect();
        let mut command = place.command(&words);
        command.envs(line.env.iter().filter(|_| sure).cloned());
        let ran = finish(command.output().unwrap());
        let told = format!("{}: {}\n{:?}\n{}", line.document, line.text, ran.code, ran.err);
        assert!(!ran.err.contains("panicked"), "{told}");
        let lacks = ["required arguments were not provided", "there is no prompt"];
        if line.mention && lacks.iter().any(|lack| ran.err.contains(lack)) {
            continue;
        }
        match line.code.filter(|_| sure) {
            Some(code) => assert_eq!(ran.code, Some(code), "{told}"),
            None => assert!(matches!(ran.code, Some(code) if code != 2), "{told}"),
        }
        ran_some += 1;
    }
    assert!(ran_some >= 35, "{ran_some} lines were run");
    for request in place.server.all_requests() {
        assert!(request.header("host").is_some_and(|host| host.starts_with("127.0.0.1")));
    }
}

/// The example of the events, played: nothing but names, times and this machine is different.
#[test]
fn the_example_of_the_events_is_what_comes() {
    let text = std::fs::read_to_string(root().join("docs/events.md")).unwrap();
    let block = |begins: &str| blocks(&text).0.into_iter().find(|(_, block)| block.starts_with(begins)).unwrap().1;
    let place = Place::bare(ModelServer::start_blocking(vec![]));
    place.home.write("steps.jsonl", block("{\"say\": \"I will run it.\""));
    let script =
        "default_model = \"script\"\n[[providers]]\nname = \"script\"\nkind = \"scripted\"\nscript = \"steps.jsonl\"\n";
    place.home.write("config.toml", script);
    let ran = place.run(&["run", "--json", "run the test"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let read = |text: &str| -> Vec<serde_json::Value> {
        let all = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        all.filter(|line| line["ephemeral"] != true).map(plain).collect()
    };
    assert_eq!(read(&block("{\"v\":1,\"seq\":1,")), read(&ran.out));
}

/// A value without what is different each time.
fn plain(value: serde_json::Value) -> serde_json::Value {
    const OWN: &[&str] =
        &["seq", "session", "at", "version", "cwd", "system", "tools", "specs", "sandbox", "parts", "took_ms"];
    match value {
        serde_json::Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| {
                let value = if OWN.contains(&name.as_str()) { true.into() } else { plain(value) };
                (name, value)
            })
            .collect(),
        serde_json::Value::Array(list) => list.into_iter().map(plain).collect(),
        value => value,
    }
}

/// The anchor of a heading, as it is made where documents are read.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut wrong = Vec::new();
    for (document, text) in documents() {
        let folder = if document.starts_with("README") { root().to_owned() } else { root().join("docs") };
        let rest = blocks(&text).1;
        for target in rest.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.contains("://") || target.contains('`') {
                continue;
            }
            let (file, wanted) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
            let path = if file.is_empty() { folder.join(&document) } else { folder.join(file) };
            let there = match wanted {
                None => path.exists(),
                Some(wanted) => std::fs::read_to_string(&path).is_ok_and(|text| {
                    let headings = blocks(&text).1;
                    let headings =
                        headings.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#'));
                    headings.map(anchor).any(|heading| heading == wanted)
                }),
            };
            if !there {
                wrong.push(format!("{document}: {target}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
