//! `agent://NAME`: what subagents handed back, for `read_file`. Of JSON also a part: `agent://NAME/path/to/it` or
//! `agent://NAME?q=path.to[0].it`.

use super::family::{ChildFamily, SCHEME};
use reasonix_agent::Artifacts;
use reasonix_proto::Artifact;
use serde_json::Value;
use std::io;
use std::sync::Arc;

/// The artifacts of a session, with what its subagents handed back.
pub struct Addressed {
    /// Those of the session.
    pub artifacts: Arc<dyn Artifacts>,
    /// Its subagents.
    pub family: Arc<ChildFamily>,
}

impl Artifacts for Addressed {
    fn put(&self, bytes: &[u8]) -> io::Result<Artifact> {
        self.artifacts.put(bytes)
    }

    fn get(&self, uri: &str) -> io::Result<Vec<u8>> {
        let Some(address) = uri.strip_prefix(SCHEME) else { return self.artifacts.get(uri) };
        let (name, part) = parsed(address).map_err(io::Error::other)?;
        let Some(run) = self.family.find(name) else {
            let known = self.family.all();
            let known = if known.is_empty() { "there are none".to_owned() } else { known.join(", ") };
            return Err(io::Error::other(format!("there is no subagent {name:?}; known: {known}")));
        };
        let Some(output) = run.output else {
            return Err(io::Error::other(format!("{name} has handed back nothing")));
        };
        let whole = self.artifacts.get(&output)?;
        match part {
            Part::Whole => Ok(whole),
            part => found(&whole, &part).map(String::into_bytes).map_err(io::Error::other),
        }
    }
}

/// What of it is wanted.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    Whole,
    /// Names and places on the way to it.
    At(Vec<String>),
}

fn parsed(address: &str) -> Result<(&str, Part), String> {
    let (place, query) = match address.split_once("?q=") {
        Some((place, query)) => (place, Some(query)),
        None => (address, None),
    };
    let (name, path) = match place.split_once('/') {
        Some((name, path)) => (name, Some(path.trim_end_matches('/')).filter(|path| !path.is_empty())),
        None => (place, None),
    };
    let steps = |text: &str, apart: &[char]| {
        text.split(apart).filter(|step| !step.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    match (path, query) {
        (Some(_), Some(_)) => Err("a path and ?q= do not go together".to_owned()),
        (Some(path), None) => Ok((name, Part::At(steps(path, &['/'])))),
        (None, Some(query)) => Ok((name, Part::At(steps(query, &['.', '[', ']'])))),
        (None, None) => Ok((name, Part::Whole)),
    }
}

fn found(whole: &[u8], part: &Part) -> Result<String, String> {
    let Part::At(steps) = part else { return Ok(String::from_utf8_lossy(whole).into_owned()) };
    let value: Value = serde_json::from_slice(whole).map_err(|_| "what it handed back is no JSON".to_owned())?;
    let mut at = &value;
    for step in steps {
        let next = match at {
            Value::Array(list) => step.parse::<usize>().ok().and_then(|place| list.get(place)),
            other => other.get(step),
        };
        at = next.ok_or_else(|| match at {
            Value::Object(map) => {
                format!(
                    "there is no {step:?}; there are: {}",
                    map.keys().take(40).cloned().collect::<Vec<_>>().join(", ")
                )
            }
            Value::Array(list) => format!("there is no {step:?} in a list of {}", list.len()),
            _ => format!("there is nothing below {step:?}"),
        })?;
    }
    match at {
        Value::String(text) => Ok(text.clone()),
        other => serde_json::to_string_pretty(other).map_err(|error| error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Part, found, parsed};

    #[test]
    fn parts_of_json_are_found_either_way() {
        let whole = br#"{"files": [{"path": "a.rs", "lines": 3}], "note": "x"}"#;
        let get = |address: &str| {
            let (name, part) = parsed(address)?;
            assert_eq!(name, "0-A");
            found(whole, &part)
        };
        for (address, want) in [
            ("0-A/files/0/path", Ok("a.rs")),
            ("0-A?q=files[0].path", Ok("a.rs")),
            ("0-A/note", Ok("x")),
            ("0-A/files/0/lines", Ok("3")),
            ("0-A/files/7", Err("there is no \"7\" in a list of 1")),
            ("0-A?q=nothing", Err("there is no \"nothing\"; there are: files, note")),
            ("0-A/files?q=note", Err("a path and ?q= do not go together")),
        ] {
            assert_eq!(get(address).as_deref().map_err(String::as_str), want, "{address}");
        }
        assert_eq!(parsed("0-A/"), Ok(("0-A", Part::Whole)));
        assert_eq!(found(b"words", &Part::At(vec!["a".into()])), Err("what it handed back is no JSON".to_owned()));
    }
}
