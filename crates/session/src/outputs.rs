//! Which whole outputs and pictures the logs name, and removing those that no log names any more.

use crate::lines::next_line;
use crate::list::{self, Found};
use reasonix_store::Blobs;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// An output that names others is never larger than what a tool may keep.
const LARGEST: u64 = 64 * 1024 * 1024;
const SCHEME: &[u8] = b"artifact://";
/// How many digits of its hash name an output.
pub(crate) const DIGITS: usize = 16;

/// All logs below a state folder, also those of planners and subagents, the one written to last first.
pub(crate) fn logs_of(state: &Path) -> io::Result<Vec<Found>> {
    let mut all = list::files(&state.join("sessions"))?;
    for kin in ["planners", "children"] {
        all.extend(list::files(&state.join(kin).join("sessions"))?);
    }
    all.sort_by(|a, b| (b.modified, &b.id).cmp(&(a.modified, &a.id)));
    Ok(all)
}

/// Removes the outputs that only these logs named, when the logs are gone.
pub(crate) fn forget_outputs(state: &Path, named: HashSet<String>) -> io::Result<()> {
    if named.is_empty() {
        return Ok(());
    }
    let blobs = Blobs::at(&state.join("blobs"));
    let mut gone = named;
    for file in logs_of(state)? {
        for name in names_with_nested(&blobs, &file.path)? {
            gone.remove(&name);
        }
        if gone.is_empty() {
            return Ok(());
        }
    }
    for name in gone {
        if let Ok(key) = blobs.find(&name) {
            blobs.remove(&key)?;
        }
    }
    Ok(())
}

/// The outputs that a log names, and those that they name where they were handed over from another session.
pub(crate) fn names_with_nested(blobs: &Blobs, log: &Path) -> io::Result<HashSet<String>> {
    let Some(mut file) = regular(log)? else { return Ok(HashSet::new()) };
    let mut names = HashSet::new();
    each_name(&mut file, |name| {
        names.insert(name);
    })?;
    // What a session said itself it names itself; only one that was handed its beginning knows more by way of an output.
    if !is_handed_over(log)? {
        return Ok(names);
    }
    let mut waiting: Vec<String> = names.iter().cloned().collect();
    while let Some(name) = waiting.pop() {
        let Some(bytes) = blobs.find(&name).ok().and_then(|key| blobs.get(&key, LARGEST).ok()) else { continue };
        each_name(&mut bytes.as_slice(), |name| {
            if names.insert(name.clone()) {
                waiting.push(name);
            }
        })?;
    }
    Ok(names)
}

fn is_handed_over(log: &Path) -> io::Result<bool> {
    let Some(file) = regular(log)? else { return Ok(false) };
    let mut first = Vec::new();
    next_line(&mut io::BufReader::new(file), &mut first)?;
    let mark = b"\"from\":\"handoff\"";
    Ok(first.windows(mark.len()).any(|part| part == mark))
}

fn regular(path: &Path) -> io::Result<Option<File>> {
    match reasonix_store::open_regular(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => opened.map(Some),
    }
}

/// Gives the digits of every output that a text names.
pub(crate) fn each_name(text: &mut impl Read, mut give: impl FnMut(String)) -> io::Result<()> {
    const LONGEST: usize = SCHEME.len() + DIGITS;
    let mut piece = vec![0; 256 * 1024];
    let mut held = 0;
    loop {
        let read = text.read(piece.get_mut(held..).unwrap_or_default())?;
        let end = held + read;
        let bytes = piece.get(..end).unwrap_or_default();
        let mut from = 0;
        while let Some(colon) = bytes.get(from..).and_then(|rest| rest.iter().position(|byte| *byte == b':')) {
            let place = from + colon;
            from = place + 1;
            let name = place.checked_sub(8).and_then(|begin| bytes.get(begin..begin + LONGEST));
            let digits =
                name.and_then(|name| name.strip_prefix(SCHEME)).and_then(|digits| std::str::from_utf8(digits).ok());
            let hex = |digits: &&str| digits.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
            digits.filter(hex).into_iter().for_each(|digits| give(digits.to_owned()));
        }
        if read == 0 {
            return Ok(());
        }
        // A name may go on in the next piece.
        held = end.min(LONGEST - 1);
        piece.copy_within(end - held..end, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::each_name;

    #[test]
    fn names_are_found_wherever_a_piece_ends() {
        struct Slow<'a>(&'a [u8]);
        impl std::io::Read for Slow<'_> {
            fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
                let count = into.len().min(7).min(self.0.len());
                into[..count].copy_from_slice(&self.0[..count]);
                self.0 = &self.0[count..];
                Ok(count)
            }
        }
        let text =
            br#"{"uri":"artifact://0123456789abcdef","b":"see artifact://fedcba9876543210: x, artifact://short"}"#;
        for slow in [false, true] {
            let mut found = std::collections::BTreeSet::new();
            let give = |name: String| {
                found.insert(name);
            };
            if slow {
                each_name(&mut Slow(text), give).unwrap()
            } else {
                each_name(&mut text.as_slice(), give).unwrap()
            }
            assert_eq!(found.into_iter().collect::<Vec<_>>(), ["0123456789abcdef", "fedcba9876543210"]);
        }
    }
}
