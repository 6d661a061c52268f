//! Reads the `*** Begin Patch` envelope.

use super::{FileOp, FilePatch, Hunk, Kind, ranges};

const ADD: &str = "*** Add File: ";
const UPDATE: &str = "*** Update File: ";
const DELETE: &str = "*** Delete File: ";
const MOVE: &str = "*** Move to: ";

/// True when the lines hold an envelope.
pub(super) fn starts(lines: &[&str]) -> bool {
    lines.iter().any(|line| {
        let line = line.trim_end();
        line == "*** Begin Patch" || [ADD, UPDATE, DELETE].iter().any(|mark| line.starts_with(mark))
    })
}

/// Reads the envelope.
pub(super) fn parse(lines: &[&str]) -> Result<Vec<FilePatch>, String> {
    let mut files: Vec<FilePatch> = Vec::new();
    let mut fenced = false;
    for raw in lines {
        let line = raw.trim_end_matches('\r');
        if line.trim_end() == "*** End Patch" || (line == "```" && fenced && !files.is_empty()) {
            break;
        }
        fenced |= files.is_empty() && line.starts_with("```");
        if line.trim_end() == "*** Begin Patch" {
            continue;
        }
        if let Some(op) = file_op(line) {
            files.push(FilePatch { op: op?, hunks: Vec::new() });
            continue;
        }
        if let Some(file) = files.last_mut() {
            body(file, raw, line)?;
        }
    }
    files.iter_mut().for_each(tidy);
    match files.iter().find(|file| is_idle(file)) {
        Some(FilePatch { op: FileOp::Update { path, .. }, .. }) => Err(format!("the patch has no hunk for {path}")),
        _ => Ok(files),
    }
}

fn file_op(line: &str) -> Option<Result<FileOp, String>> {
    let (mark, path) = [ADD, UPDATE, DELETE].iter().find_map(|mark| Some((*mark, line.strip_prefix(mark)?.trim())))?;
    if path.is_empty() {
        return Some(Err(format!("`{}` names no file", line.trim())));
    }
    let path = path.to_owned();
    Some(Ok(match mark {
        ADD => FileOp::Create { path },
        DELETE => FileOp::Delete { path },
        _ => FileOp::Update { path, to: None },
    }))
}

fn body(file: &mut FilePatch, raw: &str, line: &str) -> Result<(), String> {
    match &mut file.op {
        FileOp::Delete { .. } => {}
        FileOp::Create { .. } => {
            if file.hunks.is_empty() {
                file.hunks.push(Hunk::default());
            }
            let hunk = file.hunks.last_mut();
            let added = if raw.starts_with(['+', '\\']) { (*raw).to_owned() } else { format!("+{raw}") };
            hunk.into_iter().for_each(|hunk| hunk.feed(&added));
        }
        FileOp::Update { to, .. } => {
            if let Some(path) = line.strip_prefix(MOVE) {
                *to = Some(path.trim().to_owned());
            } else if line.trim_end() == "*** End of File" {
                file.hunks.last_mut().into_iter().for_each(|hunk| hunk.at_end = true);
            } else if line.starts_with("*** ") {
                return Err(format!("`{}` is not a known line of a patch", line.trim()));
            } else if line.starts_with("@@") {
                header(file, line);
            } else {
                if file.hunks.is_empty() {
                    file.hunks.push(Hunk::default());
                }
                file.hunks.last_mut().into_iter().for_each(|hunk| hunk.feed(raw));
            }
        }
    }
    Ok(())
}

/// Begins a hunk, or adds an anchor to one that has no lines yet.
fn header(file: &mut FilePatch, line: &str) {
    if file.hunks.last().is_none_or(|hunk| !hunk.lines.is_empty()) {
        file.hunks.push(Hunk { header: line.to_owned(), ..Hunk::default() });
    }
    let Some(hunk) = file.hunks.last_mut() else { return };
    if let Some((start, ..)) = ranges(line) {
        hunk.start = Some(start);
        return;
    }
    let anchor = line.trim_start_matches('@').trim_end_matches('@').trim();
    if !anchor.is_empty() && anchor != "..." {
        hunk.anchors.push(anchor.to_owned());
    }
}

/// Drops blank lines that only separate files, and hunks without lines.
fn tidy(file: &mut FilePatch) {
    if matches!(file.op, FileOp::Update { .. }) {
        for hunk in file.hunks.iter_mut().filter(|hunk| !hunk.at_end) {
            while hunk.lines.last().is_some_and(|line| line.kind == Kind::Keep && line.text.is_empty()) {
                hunk.lines.pop();
            }
        }
    }
    file.hunks.retain(|hunk| !hunk.lines.is_empty());
}

fn is_idle(file: &FilePatch) -> bool {
    matches!(file.op, FileOp::Update { to: None, .. }) && file.hunks.is_empty()
}
