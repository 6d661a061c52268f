//! Reads unified diffs, with or without git's headers, with counts that may be wrong.

use super::{FileOp, FilePatch, Hunk, ranges};

/// Reads all file diffs; `path` names the file for hunks that come before any name.
pub(super) fn parse(lines: &[&str], path: Option<&str>) -> Result<Vec<FilePatch>, String> {
    let mut reader = Reader { lines, at: 0, drafts: Vec::new() };
    while let Some(line) = reader.line(0) {
        reader.step(line.trim_end_matches('\r'), path)?;
    }
    let mut files = Vec::new();
    for draft in reader.drafts {
        files.extend(draft.finish()?);
    }
    Ok(files)
}

/// What is known about a file so far.
#[derive(Default)]
struct Draft {
    old: Option<String>,
    new: Option<String>,
    created: bool,
    deleted: bool,
    named: bool,
    hunks: Vec<Hunk>,
}

impl Draft {
    fn finish(self) -> Result<Option<FilePatch>, String> {
        let named = self.new.clone().or_else(|| self.old.clone());
        let op = match (self.old, self.new, named) {
            (None, Some(path), _) => FileOp::Create { path },
            (Some(path), None, _) => FileOp::Delete { path },
            (_, _, Some(path)) if self.created => FileOp::Create { path },
            (_, _, Some(path)) if self.deleted => FileOp::Delete { path },
            (Some(old), Some(new), _) if old == new && self.hunks.is_empty() => return Ok(None),
            (Some(old), Some(new), _) => FileOp::Update { to: (old != new).then_some(new), path: old },
            (None, None, _) => return Err("the patch names /dev/null on both sides".to_owned()),
        };
        Ok(Some(FilePatch { op, hunks: self.hunks }))
    }
}

struct Reader<'a> {
    lines: &'a [&'a str],
    at: usize,
    drafts: Vec<Draft>,
}

impl<'a> Reader<'a> {
    fn line(&self, ahead: usize) -> Option<&'a str> {
        self.lines.get(self.at + ahead).copied()
    }

    fn step(&mut self, line: &str, path: Option<&str>) -> Result<(), String> {
        if line.starts_with("@@") {
            return self.hunk(line, path);
        }
        self.at += 1;
        if let Some(names) = line.strip_prefix("diff --git ") {
            let (old, new) = git_names(names);
            self.drafts.push(Draft { old, new, ..Draft::default() });
        } else if let (Some(old), Some(new)) = (line.strip_prefix("--- "), self.line(0).and_then(plus_name)) {
            self.at += 1;
            self.name(old, new);
        } else if let Some(new) = plus_name(line) {
            let new = new.strip_prefix("b/").unwrap_or(new);
            self.name(new, new);
        } else if line.starts_with("GIT binary patch") || line.starts_with("Binary files ") {
            return Err("the patch holds binary changes, which cannot be applied".to_owned());
        } else if let Some(draft) = self.drafts.last_mut().filter(|draft| draft.hunks.is_empty() && !draft.named) {
            extended(draft, line)?;
        }
        Ok(())
    }

    /// Takes the names of a `---` and `+++` pair, into git's header for the same file where there is one.
    fn name(&mut self, old: &str, new: &str) {
        let (old, new) = (clean_name(old), clean_name(new));
        let prefixed = side(old.as_deref(), "a/") && side(new.as_deref(), "b/");
        let strip = |name: Option<String>| name.map(|name| if prefixed { name[2..].to_owned() } else { name });
        let (old, new) = (strip(old), strip(new));
        let open =
            |draft: &&mut Draft| !draft.named && draft.hunks.is_empty() && (draft.old == old || draft.new == new);
        match self.drafts.last_mut().filter(open) {
            Some(draft) => (draft.old, draft.new, draft.named) = (old, new, true),
            None => self.drafts.push(Draft { old, new, named: true, ..Draft::default() }),
        }
    }

    fn hunk(&mut self, header: &str, path: Option<&str>) -> Result<(), String> {
        if self.drafts.is_empty() {
            let Some(path) = path else {
                return Err(
                    "the patch names no file: put `--- a/PATH` and `+++ b/PATH` above its first hunk".to_owned()
                );
            };
            let name = Some(path.to_owned());
            self.drafts.push(Draft { old: name.clone(), new: name, named: true, ..Draft::default() });
        }
        self.at += 1;
        let known = ranges(header);
        let mut hunk = Hunk { header: header.to_owned(), start: known.map(|(start, ..)| start), ..Hunk::default() };
        let rest = self.lines.get(self.at..).unwrap_or_default();
        let length = known.and_then(|(_, old, new)| counted(rest, old, new)).unwrap_or_else(|| guessed(rest));
        rest.iter().take(length).for_each(|raw| hunk.feed(raw));
        self.at += length;
        if let (false, Some(draft)) = (hunk.lines.is_empty(), self.drafts.last_mut()) {
            draft.hunks.push(hunk);
        }
        Ok(())
    }
}

fn extended(draft: &mut Draft, line: &str) -> Result<(), String> {
    if line.starts_with("new file mode") {
        draft.created = true;
    } else if line.starts_with("deleted file mode") {
        draft.deleted = true;
    } else if let Some(name) = line.strip_prefix("rename from ") {
        draft.old = Some(unquote(name));
    } else if let Some(name) = line.strip_prefix("rename to ") {
        draft.new = Some(unquote(name));
    } else if line.starts_with("copy from ") {
        return Err("the patch copies a file, which is not supported: create it with its content".to_owned());
    }
    Ok(())
}

/// The length of a hunk's body when its counts are right: they are used up exactly where the body ends.
fn counted(lines: &[&str], mut old: usize, mut new: usize) -> Option<usize> {
    let mut length = 0;
    while old > 0 || new > 0 {
        match lines.get(length)?.chars().next() {
            Some('-') => old = old.checked_sub(1)?,
            Some('+') => new = new.checked_sub(1)?,
            Some('\\') => {}
            Some(' ' | '\r') | None => (old, new) = (old.checked_sub(1)?, new.checked_sub(1)?),
            Some(_) => return None,
        }
        length += 1;
    }
    if lines.get(length).is_some_and(|line| line.starts_with('\\')) {
        length += 1;
    }
    let over = |line: &&str| !line.starts_with(['+', '-', ' ']) || line.starts_with("--- ") || line.starts_with("+++ ");
    lines.get(length).is_none_or(over).then_some(length)
}

/// The length of a hunk's body by the look of its lines.
fn guessed(lines: &[&str]) -> usize {
    let mut length = 0;
    while let Some(line) = lines.get(length) {
        let next = |ahead: usize, mark: &str| lines.get(length + ahead).is_some_and(|line| line.starts_with(mark));
        let header = line.starts_with("--- ") && next(1, "+++ ") && next(2, "@@");
        let marked = line.is_empty() || *line == "\r" || line.starts_with(['+', '-', ' ', '\\']);
        if header || !marked {
            break;
        }
        length += 1;
    }
    while length > 0 && lines.get(length - 1).is_some_and(|line| line.trim_end_matches('\r').is_empty()) {
        length -= 1;
    }
    length
}

fn plus_name(line: &str) -> Option<&str> {
    line.strip_prefix("+++ ").map(|name| name.trim_end_matches('\r'))
}

/// A file name of a `---` or `+++` line; nothing for `/dev/null`.
fn clean_name(name: &str) -> Option<String> {
    let name = name.split('\t').next().unwrap_or(name).trim();
    (name != "/dev/null").then(|| unquote(name))
}

fn side(name: Option<&str>, prefix: &str) -> bool {
    name.is_none_or(|name| name.starts_with(prefix) && name.len() > prefix.len())
}

/// The two names of a `diff --git` line, where they can be told apart.
fn git_names(names: &str) -> (Option<String>, Option<String>) {
    let strip = |name: &str, prefix: &str| {
        let name = unquote(name.trim());
        Some(name.strip_prefix(prefix).map_or_else(|| name.clone(), ToOwned::to_owned))
    };
    let middle = names.match_indices(' ').map(|(at, _)| names.split_at(at));
    let mut splits = middle.map(|(old, new)| (strip(old, "a/"), strip(new, "b/")));
    splits.clone().find(|(old, new)| old == new).or_else(|| splits.next()).unwrap_or_default()
}

/// Undoes git's quoting of names.
fn unquote(name: &str) -> String {
    let name = name.trim();
    let Some(inner) = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else { return name.to_owned() };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(digit @ b'0'..=b'7') => {
                let mut code = u32::from(digit - b'0');
                while let Some(digit) = rest.next_if(|next| code < 32 && matches!(next, b'0'..=b'7')) {
                    code = code * 8 + u32::from(digit - b'0');
                }
                bytes.push(u8::try_from(code).unwrap_or(b'?'));
            }
            Some(b't') => bytes.push(b'\t'),
            Some(b'n') => bytes.push(b'\n'),
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{git_names, unquote};

    #[test]
    fn names_are_read() {
        assert_eq!(unquote(r#""caf\303\251 \"x\".txt""#), "café \"x\".txt");
        assert_eq!(unquote("plain name"), "plain name");
        assert_eq!(git_names("a/my file b/my file"), (Some("my file".into()), Some("my file".into())));
        assert_eq!(git_names("a/x b/y"), (Some("x".into()), Some("y".into())));
        assert_eq!(git_names("x x"), (Some("x".into()), Some("x".into())));
    }
}
