//! Patches as models write them: unified diffs and the `*** Begin Patch` envelope, read into one form and applied to
//! texts. Pure: which files exist, and whether all of them can be written, is the tool's business.

mod apply;
mod envelope;
mod place;
mod unified;

pub(crate) use apply::{Reject, apply, created};

/// What a patch does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FilePatch {
    /// What is done.
    pub op: FileOp,
    /// The changes to its text, in order.
    pub hunks: Vec<Hunk>,
}

/// What is done to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileOp {
    /// A new file.
    Create {
        /// Its path.
        path: String,
    },
    /// The end of a file.
    Delete {
        /// Its path.
        path: String,
    },
    /// A change, a move, or both.
    Update {
        /// Its path.
        path: String,
        /// Where it goes.
        to: Option<String>,
    },
}

impl FileOp {
    /// The paths it touches.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        let (path, to) = match self {
            Self::Create { path } | Self::Delete { path } => (path, None),
            Self::Update { path, to } => (path, to.as_deref()),
        };
        std::iter::once(path.as_str()).chain(to)
    }
}

/// A change at one place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Hunk {
    /// Its header as written, for messages.
    pub header: String,
    /// Where it says it is: the index of the first old line, or of the line before which lines go.
    pub start: Option<usize>,
    /// Lines that stand above it, outermost first.
    pub anchors: Vec<String>,
    /// True when it says that it is at the end of the file.
    pub at_end: bool,
    /// Its lines.
    pub lines: Vec<Line>,
}

impl Hunk {
    /// The lines that must be there.
    pub(crate) fn old(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| line.kind != Kind::Add)
    }

    /// Takes one line of a hunk's body; a line without a mark counts as context.
    fn feed(&mut self, raw: &str) {
        if raw.starts_with('\\') {
            if let Some(last) = self.lines.last_mut() {
                last.open = true;
            }
            return;
        }
        let (kind, text) = match raw.chars().next() {
            Some('+') => (Kind::Add, &raw[1..]),
            Some('-') => (Kind::Remove, &raw[1..]),
            Some(' ') => (Kind::Keep, &raw[1..]),
            _ => (Kind::Keep, raw),
        };
        let (text, cr) = text.strip_suffix('\r').map_or((text, false), |text| (text, true));
        self.lines.push(Line { kind, text: text.to_owned(), cr, open: false });
    }
}

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// What happens to it.
    pub kind: Kind,
    /// Its text without the line end.
    pub text: String,
    /// True when it ends in CRLF.
    pub cr: bool,
    /// True when it is marked as having no line end.
    pub open: bool,
}

/// What happens to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It stays.
    Keep,
    /// It goes.
    Remove,
    /// It comes.
    Add,
}

/// Reads a patch of either form out of a text that may have prose and fences around it. `path` names the file for
/// hunks that name none.
pub(crate) fn parse(text: &str, path: Option<&str>) -> Result<Vec<FilePatch>, String> {
    let lines: Vec<&str> = text.split('\n').collect();
    let full = lines.split_last().map_or(&[][..], |(last, full)| if last.is_empty() { full } else { &lines });
    let crlf = !full.is_empty() && full.iter().all(|line| line.ends_with('\r'));
    let lines: Vec<&str> = full.iter().map(|line| if crlf { &line[..line.len() - 1] } else { line }).collect();
    let files = if envelope::starts(&lines) { envelope::parse(&lines)? } else { unified::parse(&lines, path)? };
    if files.is_empty() {
        return Err("the patch changes nothing".to_owned());
    }
    Ok(files)
}

/// Reads `@@ -1,2 +3,4 @@`: where the old lines begin and how many old and new lines there are.
fn ranges(header: &str) -> Option<(usize, usize, usize)> {
    let mut parts = header.strip_prefix("@@")?.split_whitespace();
    let range = |part: &str, sign: char| {
        let part = part.strip_prefix(sign)?;
        let (start, count) = part.split_once(',').unwrap_or((part, "1"));
        Some((start.parse::<usize>().ok()?, count.parse::<usize>().ok()?))
    };
    let (start, old) = range(parts.next()?, '-')?;
    let (_, new) = range(parts.next()?, '+')?;
    Some((if old == 0 { start } else { start.saturating_sub(1) }, old, new))
}

#[cfg(test)]
mod tests;
