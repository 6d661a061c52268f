//! Codes as a line hands them on: how it leaves, what it writes out of them, and what it writes out by itself.

use crate::check::assignment;
use crate::ran::Ran;

/// A code that says that something failed, in plain digits: others may come out as 0.
fn is_failure(code: &str) -> bool {
    !code.starts_with('0') && code.parse::<u8>().is_ok_and(|code| code > 0)
}

pub(crate) fn leaves_by(words: &[String]) -> bool {
    words.first().is_some_and(|word| word == "exit" || word == "return")
}

/// True when this is sure to end with a failure: it leaves with one, at last.
pub(crate) fn fails(part: &[Ran]) -> bool {
    let Some(last) = part.last().filter(|last| last.told) else { return false };
    match last.words.as_slice() {
        [only] if only == "false" => true,
        // The code of what stands before it.
        [only] if leaves_by(std::slice::from_ref(only)) => part.len() == 1,
        [word, code] if leaves_by(std::slice::from_ref(word)) => is_failure(code) || (part.len() == 1 && code == "$?"),
        _ => false,
    }
}

/// Codes that a line keeps in variables, each with the commands that it tells of.
#[derive(Default)]
pub(crate) struct Saved(Vec<(String, Vec<usize>)>);

impl Saved {
    /// The commands of `found` whose code this part leaves with; what stands from `kept` on is what ran just before it.
    pub(crate) fn left_with(&mut self, part: &[Ran], found: &[Ran], kept: usize) -> Vec<usize> {
        let [ran] = part else { return Vec::new() };
        let at = |wanted: fn(&Ran) -> bool| {
            let all = found.iter().enumerate().skip(kept);
            all.filter(move |(_, ran)| wanted(ran)).map(|(at, _)| at)
        };
        let of = |code: &str| -> Vec<usize> {
            match code {
                "$?" => at(|ran| ran.told && !ran.behind).collect(),
                "${PIPESTATUS[0]}" | "${PIPESTATUS}" => at(|ran| !ran.told && !ran.behind).take(1).collect(),
                _ => Vec::new(),
            }
        };
        match ran.words.as_slice() {
            [word, code] if leaves_by(std::slice::from_ref(word)) => {
                let name = code.trim_start_matches('$').trim_start_matches('{').trim_end_matches('}');
                let kept = self.0.iter().rev().find(|(other, _)| code.starts_with('$') && other == name);
                kept.map_or_else(|| of(code), |(_, all)| all.clone())
            }
            [word] => {
                if let Some((name, code)) = assignment(word) {
                    self.0.push((name.to_owned(), of(code)));
                }
                Vec::new()
            }
            _ => Vec::new(),
        }
    }
}

/// What stands before a code that this command writes out, and whether it is that of the first of a pipe.
pub(crate) fn echo(words: &[String]) -> Option<(String, bool)> {
    let (_, rest) = words.split_first().filter(|(program, _)| *program == "echo" || *program == "printf")?;
    let text = rest.join(" ");
    let text = text.strip_prefix("-e ").unwrap_or(&text);
    let first = ["${PIPESTATUS[0]}", "${pipestatus[1]}"].iter().find_map(|code| text.split_once(code));
    let (before, piped) = match first {
        Some((before, _)) => (before, true),
        None => (text.split_once("$?")?.0, false),
    };
    Some((before.rsplit("\\n").next().unwrap_or(before).to_owned(), piped))
}

/// The code that is written out tells of all commands before it where none of them is hidden, or of the first of a pipe.
pub(crate) fn echoes(before: &mut [Ran], (text, piped): (String, bool)) {
    if piped {
        before.iter_mut().find(|ran| !ran.told).into_iter().for_each(|ran| ran.echoed = Some(text.clone()));
    } else if before.iter().all(|ran| ran.told) {
        before.iter_mut().for_each(|ran| ran.echoed = Some(text.clone()));
    }
}

/// The lines that this command writes out as they stand in it.
pub(crate) fn writes_out(words: &[String]) -> Vec<String> {
    let Some((_, rest)) = words.split_first().filter(|(program, _)| *program == "echo" || *program == "printf") else {
        return Vec::new();
    };
    let text = rest.iter().filter(|word| !matches!(word.as_str(), "-e" | "-n" | "-ne")).cloned().collect::<Vec<_>>();
    let text = text.join(" ").replace("\\n", "\n");
    text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}

/// The text of `bash -c text`.
pub(crate) fn shell_text(words: &[String]) -> Option<&str> {
    let (program, rest) = unwrapped(words).split_first()?;
    let name = program.rsplit('/').next().unwrap_or(program);
    if !matches!(name, "bash" | "sh" | "zsh" | "dash") {
        return None;
    }
    let at = rest.iter().position(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c'))?;
    // With `-n` nothing runs.
    let only_reads = rest.iter().take(at + 1).any(|word| word.starts_with('-') && word.contains('n'));
    rest.get(at + 1).map(String::as_str).filter(|_| !only_reads)
}

/// The words behind programs that only start another and end with its code.
fn unwrapped(mut words: &[String]) -> &[String] {
    for _ in 0..4 {
        let Some((program, rest)) = words.split_first() else { break };
        let name = program.rsplit('/').next().unwrap_or(program);
        let (valued, own): (&[&str], usize) = match name {
            "timeout" | "gtimeout" => (&["-k", "-s", "--kill-after", "--signal"], 1),
            "nice" => (&["-n"], 0),
            "stdbuf" => (&["-i", "-o", "-e"], 0),
            "time" | "ionice" => (&["-c", "-n"], 0),
            "nohup" => (&[], 0),
            _ => break,
        };
        let mut at = 0;
        while let Some(word) = rest.get(at).filter(|word| word.starts_with('-')) {
            at += 1 + usize::from(valued.contains(&word.as_str()));
        }
        words = rest.get(at + own..).unwrap_or_default();
    }
    words
}
