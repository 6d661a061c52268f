//! Lines that match a pattern, over a whole tree, with ripgrep's own parts. Files are not mapped into memory:
//! over a tree ripgrep does not do it either, and a file that shrinks while it is mapped kills the process.

use crate::board::Board;
use crate::boundary::Boundary;
use crate::hits::{Hits, Limits};
use crate::walk::{Shape, Walk};
use crate::{FileError, kind, lexical, read, text};
use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use ignore::WalkState;
use rustix::fs::{FileType, OFlags, fstat};
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most memory one line (or with `multiline` one file) may take.
const HEAP: usize = 64 * 1024 * 1024;
/// The most lines of context.
const MAX_CONTEXT: usize = 20;

/// What to look for.
#[derive(Debug, Clone)]
pub struct GrepQuery {
    /// A regular expression in Rust's syntax, or plain text when `literal`.
    pub pattern: String,
    /// The file or folder to look in; the root when `None`.
    pub path: Option<String>,
    /// Only files of this shape, as in [`crate::GlobQuery::pattern`].
    pub glob: Option<String>,
    /// Lets upper and lower case match each other.
    pub ignore_case: bool,
    /// Takes the pattern as plain text.
    pub literal: bool,
    /// Lets a match span lines.
    pub multiline: bool,
    /// Lines to show around each match.
    pub context: usize,
    /// The most matching lines to give.
    pub limit: usize,
    /// The most characters of a line to give.
    pub max_line: usize,
    /// Also looks at hidden files; a `glob` with a name that starts with a dot does so by itself.
    pub hidden: bool,
    /// Also looks at files that `.gitignore` leaves out.
    pub ignored: bool,
}

impl Default for GrepQuery {
    fn default() -> Self {
        Self {
            pattern: String::new(),
            path: None,
            glob: None,
            ignore_case: false,
            literal: false,
            multiline: false,
            context: 0,
            limit: 200,
            max_line: 400,
            hidden: false,
            ignored: false,
        }
    }
}

/// The lines that matched.
#[derive(Debug, Clone, Default)]
pub struct Matches {
    /// Files with matches, sorted by path.
    pub files: Vec<FileMatches>,
    /// How many matches are in `files`.
    pub shown: usize,
    /// How many more there are.
    pub more: usize,
    /// How many files have more matches that are not shown.
    pub more_files: usize,
    /// Files that could not be searched: unreadable, or with a line beyond any bound.
    pub skipped: usize,
    /// True when the search was stopped before its end.
    pub stopped: bool,
    /// Ignore files that were not used: links, pipes, devices, or too large.
    pub unfit: Vec<String>,
}

/// The matches of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMatches {
    /// Its path as [`crate::Workspace::shown`] gives it.
    pub path: String,
    /// Matching and context lines in order; a gap in the numbers is a gap in the file.
    pub lines: Vec<GrepLine>,
}

/// One line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepLine {
    /// Its number, from 1.
    pub number: u64,
    /// Its text without the line end; a long one is cut around the match.
    pub text: String,
    /// False for a line of context.
    pub matched: bool,
}

/// Lines that match the query.
pub(crate) fn grep(
    boundary: &Arc<Boundary>,
    query: &GrepQuery,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Matches, FileError> {
    let matcher = matcher(query)?;
    let mut walk = Walk::new(boundary, query.path.as_deref(), query.hidden, query.ignored)?;
    let shape = query.glob.as_deref().map(|glob| Shape::new(glob, &walk.place.real)).transpose()?;
    walk.hidden |= shape.as_ref().is_some_and(|shape| shape.hidden);
    let search = Search {
        boundary,
        walk: &walk,
        query,
        board: Board::new(query.limit),
        skipped: AtomicUsize::new(0),
        stop,
        decoded: !query.pattern.is_ascii(),
    };
    if walk.place.stat.is_some_and(|found| FileType::from_raw_mode(found.st_mode) != FileType::Directory) {
        search.single(&matcher)?;
    } else {
        search.tree(&matcher, shape.as_ref());
    }
    let Search { board, skipped, .. } = search;
    let mut matches = board.finish(boundary.root(), query.context.min(MAX_CONTEXT));
    matches.skipped = skipped.into_inner();
    matches.stopped = stop();
    matches.unfit = walk.unfit();
    Ok(matches)
}

fn matcher(query: &GrepQuery) -> Result<RegexMatcher, FileError> {
    let mut builder = RegexMatcherBuilder::new();
    builder.multi_line(true).case_insensitive(query.ignore_case).fixed_strings(query.literal);
    if query.multiline {
        builder.dot_matches_new_line(false);
    } else {
        builder.crlf(true);
    }
    builder.build(&query.pattern).map_err(|error| FileError::InvalidPattern {
        message: error.to_string(),
        hint: if query.pattern.contains('\n') || query.pattern.contains("\\n") {
            "A match cannot span lines unless multiline is set."
        } else {
            "To search for this text as it is, set literal; otherwise put a backslash before special characters."
        },
    })
}

fn searcher(query: &GrepQuery) -> Searcher {
    let context = query.context.min(MAX_CONTEXT);
    let mut builder = SearcherBuilder::new();
    if !query.multiline {
        builder.line_terminator(LineTerminator::crlf());
    }
    builder
        .line_number(true)
        .multi_line(query.multiline)
        .before_context(context)
        .after_context(context)
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(HEAP))
        .build()
}

/// One search over one tree.
struct Search<'a> {
    boundary: &'a Arc<Boundary>,
    walk: &'a Walk,
    query: &'a GrepQuery,
    board: Board,
    skipped: AtomicUsize,
    stop: &'a (dyn Fn() -> bool + Sync),
    /// The pattern can only be found in a file of another encoding once that is decoded.
    decoded: bool,
}

impl Search<'_> {
    fn tree(&self, matcher: &RegexMatcher, shape: Option<&Shape>) {
        self.walk.builder().threads(0).build_parallel().run(|| {
            let (matcher, mut searcher) = (matcher.clone(), searcher(self.query));
            Box::new(move |entry| {
                if (self.stop)() {
                    return WalkState::Quit;
                }
                let Ok(entry) = entry else { return WalkState::Continue };
                if entry.file_type().is_some_and(|kind| kind.is_file())
                    && shape.is_none_or(|shape| shape.holds(entry.path()))
                    && self.file(&matcher, &mut searcher, entry.path()).is_err()
                    && !(self.stop)()
                {
                    self.skipped.fetch_add(1, Ordering::Relaxed);
                }
                WalkState::Continue
            })
        });
    }

    fn single(&self, matcher: &RegexMatcher) -> Result<(), FileError> {
        let real = &self.walk.place.real;
        let shown = lexical::shown(self.boundary.root(), real);
        if let Some(found) = &self.walk.place.stat {
            kind::regular(&shown, found)?;
        }
        self.file(matcher, &mut searcher(self.query), real).map_err(|error| FileError::from_io(&shown, error))
    }

    fn file(&self, matcher: &RegexMatcher, searcher: &mut Searcher, real: &Path) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let mut file = File::from(self.boundary.open_below(&self.walk.place, real, flags)?);
        let context = self.query.context.min(MAX_CONTEXT);
        let limits = Limits { matches: self.query.limit, line: self.query.max_line, context };
        let mut hits = Hits::new(matcher, &self.board, real, limits);
        if !self.decoded {
            searcher.search_reader(matcher, Stoppable { file: &file, stop: self.stop }, &mut hits)?;
            if !hits.foreign {
                hits.submit();
                return Ok(());
            }
            file.rewind()?;
        }
        // Some of it may be in another encoding: search what it decodes to, if it does.
        let stat = fstat(&file)?;
        let (bytes, whole) = read::bounded(&mut file, &stat)?;
        let decodes = whole && std::str::from_utf8(&bytes).is_err();
        hits.reset();
        match text::decode(if decodes { bytes.clone() } else { Vec::new() }) {
            Ok((text, _)) if decodes => searcher.search_slice(matcher, text.as_bytes(), &mut hits)?,
            _ => {
                let rest = Stoppable { file: &file, stop: self.stop };
                searcher.search_reader(matcher, bytes.as_slice().chain(rest), &mut hits)?;
            }
        }
        hits.submit();
        Ok(())
    }
}

/// A file that ends early once the search is stopped.
struct Stoppable<'a> {
    file: &'a File,
    stop: &'a (dyn Fn() -> bool + Sync),
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if (self.stop)() { Ok(0) } else { self.file.read(buffer) }
    }
}
