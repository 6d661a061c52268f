//! Sentences and command lines by class: subjects with all that is said of them, what only sounds like a claim, runners, and
//! lines that hide their end. Every file in `phrases` counts.

use crate::corpus::records;
use crate::variants::found;
use serde_json::{Value, json};
use std::path::Path;

/// The log of a group: a file that was edited, or a command with its code and its output.
fn log(entries: &[Value]) -> Vec<Value> {
    let entry = |entry: &Value| match entry {
        Value::String(path) => json!({"call": "e", "tool": "edit_file", "args": {"path": path}, "changed": [path]}),
        Value::Array(ran) => {
            json!({"call": "b", "tool": "bash", "args": {"command": ran[0]}, "exit": ran[1], "output": ran[2]})
        }
        other => other.clone(),
    };
    entries.iter().map(entry).collect()
}

#[test]
fn sentences_and_lines_by_class() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/phrases");
    let (mut count, mut bad) = (0, Vec::new());
    for file in std::fs::read_dir(folder).expect("the phrases") {
        let text = std::fs::read_to_string(file.expect("a file").path()).expect("a file of phrases");
        for group in serde_json::from_str::<Vec<Value>>(&text).expect("groups") {
            let log = log(group["log"].as_array().expect("a log"));
            for answer in group["answers"].as_array().expect("answers") {
                let (answer, wanted) = (answer[0].as_str().expect("an answer"), answer[1].as_str().expect("claims"));
                let claims = found(&log, answer);
                let mut claims: Vec<&str> = claims.split_whitespace().collect();
                claims.sort_unstable();
                count += 1;
                if claims.join(" ") != wanted {
                    let whys = reasonix_evidence::check(&records(&log), answer);
                    let whys = whys.iter().map(|claim| format!("{:?}: {}", claim.quote, claim.why)).collect::<Vec<_>>();
                    bad.push(format!(
                        "{answer:?} is {claims:?}, not {wanted:?}: {} ({})",
                        whys.join("; "),
                        group["log"]
                    ));
                }
            }
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
    assert!(count >= 3500, "{count}");
}
