//! What is kept of a session: the bodies of its requests, and its log. What must differ from one machine to the next is
//! replaced by a word in braces, and by nothing else.

use super::at;
use crate::support::Place;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How much is shown around the first byte that differs.
const AROUND: usize = 120;

/// A request: its route and its body.
#[derive(Debug, PartialEq, Eq)]
pub struct Sent {
    pub route: String,
    pub body: String,
}

/// The requests of a place, with what differs from run to run replaced.
pub fn sent(place: &Place) -> Vec<Sent> {
    let mut words = Words::of(place);
    let requests = place.server.requests();
    let one = |request: &reasonix_testkit::Recorded| {
        let body = String::from_utf8(request.raw.clone()).expect("bodies are text");
        Sent { route: request.path.clone(), body: words.replace(&body) }
    };
    requests.iter().map(one).collect()
}

/// What is replaced by what.
struct Words {
    paths: Vec<(String, String)>,
    /// Keys made of the system prompt, which names the folder: which are the same is kept.
    keys: BTreeMap<String, String>,
}

impl Words {
    fn of(place: &Place) -> Self {
        let mut paths = vec![
            (place.work.path().display().to_string(), "{WORK}".to_owned()),
            (place.home.path().display().to_string(), "{HOME}".to_owned()),
            (format!("System: {}", std::env::consts::OS), "System: {OS}".to_owned()),
        ];
        for (number, log) in place.logs().iter().enumerate() {
            let id = log.file_stem().expect("a name").to_string_lossy().into_owned();
            paths.push((id, format!("{{SESSION-{}}}", number + 1)));
        }
        Self { paths, keys: BTreeMap::new() }
    }

    fn replace(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for (from, to) in &self.paths {
            text = text.replace(from, to);
        }
        text = undated(&text);
        let mark = "\"prompt_cache_key\":\"reasonix-";
        let Some((before, rest)) = text.split_once(mark) else { return text };
        let (key, after) = rest.split_at(16);
        let next = self.keys.len() + 1;
        let word = self.keys.entry(key.to_owned()).or_insert_with(|| format!("{{KEY-{next}}}"));
        format!("{before}{mark}{word}{after}")
    }
}

/// A text without the moments at which facts were saved.
fn undated(text: &str) -> String {
    let mark = ", saved ";
    let mut pieces = text.split(mark);
    let mut undated = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let moment = piece.split_once(" UTC)").filter(|(moment, _)| moment.len() == "2000-01-01 00:00".len());
        let (at, rest) = moment.map_or(("", piece), |(_, rest)| ("{MOMENT} UTC)", rest));
        undated.push_str(&format!("{mark}{at}{rest}"));
    }
    undated
}

/// Writes requests down that come after another one. Of each only what is new: how many bytes it shares with the one
/// before stands in front.
pub fn written<'a>(requests: &'a [Sent], last: Option<&'a Sent>) -> String {
    let (mut text, mut before) = (String::new(), last.map_or("", |last| &last.body));
    for request in requests {
        let mut same = before.bytes().zip(request.body.bytes()).take_while(|(a, b)| a == b).count();
        while !request.body.is_char_boundary(same) {
            same -= 1;
        }
        text.push_str(&format!("{} same {same}\n{}\n", request.route, &request.body[same..]));
        before = &request.body;
    }
    text
}

/// Reads what [`written`] wrote. Bodies are JSON without a line break.
pub fn read(text: &str, last: Option<&Sent>) -> Vec<Sent> {
    let mut requests: Vec<Sent> = Vec::new();
    let mut lines = text.lines();
    while let (Some(head), Some(rest)) = (lines.next(), lines.next()) {
        let (route, same) = head.split_once(" same ").expect("a route and a number");
        let same: usize = same.parse().expect("a number");
        let before = requests.last().or(last).map_or("", |last| last.body.as_str());
        let body = format!("{}{rest}", before.get(..same).expect("as much is shared"));
        requests.push(Sent { route: route.to_owned(), body });
    }
    requests
}

/// Says where requests first differ from what they should be.
pub fn difference(wanted: &[Sent], got: &[Sent]) -> Option<String> {
    for (number, (wanted, got)) in wanted.iter().zip(got).enumerate() {
        let number = number + 1;
        if wanted.route != got.route {
            return Some(format!("request {number} goes to {}, not to {}", got.route, wanted.route));
        }
        if wanted.body != got.body {
            let same = wanted.body.bytes().zip(got.body.bytes()).take_while(|(a, b)| a == b).count();
            let (lengths, shown) = ((wanted.body.len(), got.body.len()), |text| around(text, same));
            return Some(format!(
                "request {number} differs at byte {same} (of {} wanted, {} sent)\nwanted: {}\n  sent: {}",
                lengths.0,
                lengths.1,
                shown(&wanted.body),
                shown(&got.body)
            ));
        }
    }
    (wanted.len() != got.len()).then(|| format!("{} requests are wanted, {} were sent", wanted.len(), got.len()))
}

fn around(text: &str, at: usize) -> String {
    let bytes = text.as_bytes();
    let (from, to) = (at.saturating_sub(AROUND).min(bytes.len()), (at + AROUND).min(bytes.len()));
    let at = at.min(bytes.len());
    let lossy = String::from_utf8_lossy;
    format!("…{}⟦here⟧{}…", lossy(&bytes[from..at]), lossy(&bytes[at..to]))
}

/// The files of a home that a session is resumed from, with what is of this machine replaced.
pub fn state_of(place: &Place) -> Vec<(PathBuf, Vec<u8>)> {
    let (home, mut found) = (place.home.path(), Vec::new());
    for folder in KEPT {
        collect(&home.join(folder), &mut found);
    }
    let (work, home_text) = (place.work.path().display().to_string(), home.display().to_string());
    let one = |path: PathBuf| {
        let name = path.strip_prefix(&home).expect("below the home").to_path_buf();
        let bytes = std::fs::read(&path).expect("a file");
        let log = name.extension().is_some_and(|end| end == "jsonl");
        let bytes = if log { resealed(&bytes, &[(&work, "{WORK}"), (&home_text, "{HOME}")]) } else { bytes };
        (name, bytes)
    };
    found.into_iter().map(one).collect()
}

/// Logs, and what they name: pictures and outputs that were too long.
const KEPT: &[&str] = &["state/sessions", "state/blobs"];

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, found);
        } else if !is_passing(&path) {
            found.push(path);
        }
    }
    found.sort();
}

/// True for what is made anew whenever it is missing.
fn is_passing(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') || name.ends_with(".lock")
}

/// The lines of a log with something else in them, and the checksums that they then have.
fn resealed(log: &[u8], words: &[(&str, &str)]) -> Vec<u8> {
    let mut text = String::from_utf8(log.to_vec()).expect("logs are text");
    for (from, to) in words {
        text = text.replace(from, to);
    }
    let seal = |line: &str| {
        let (body, _) = line.rsplit_once(",\"crc\":\"").expect("a checksum");
        format!("{body},\"crc\":\"{:08x}\"}}\n", crc32fast::hash(body.as_bytes()))
    };
    text.lines().map(seal).collect::<String>().into_bytes()
}

/// Puts recorded files into the home of a place.
pub fn put_state(place: &Place, state: &[(PathBuf, Vec<u8>)]) {
    let (work, home) = (place.work.path().display().to_string(), place.home.path().display().to_string());
    for (name, bytes) in state {
        let log = name.extension().is_some_and(|end| end == "jsonl");
        let bytes = if log { resealed(bytes, &[("{WORK}", &work), ("{HOME}", &home)]) } else { bytes.clone() };
        place.home.write(name, bytes);
    }
}

/// The recorded files of a session; none when it was never recorded.
pub fn recorded_state(name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let (folder, mut found) = (at(name).join("home"), Vec::new());
    collect(&folder, &mut found);
    let one = |path: PathBuf| {
        let name = path.strip_prefix(&folder).expect("below the fixture").to_path_buf();
        (name, std::fs::read(&path).expect("a fixture"))
    };
    found.into_iter().map(one).collect()
}

/// Writes a file of the fixtures.
pub fn write(path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
    let path = at(path);
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders can be made");
    std::fs::write(path, content).expect("a fixture is written");
}
