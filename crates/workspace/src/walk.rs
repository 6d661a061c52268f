//! Walking a tree: what `.gitignore` leaves out and what is closed is not visited, links are not followed.

use crate::boundary::{Boundary, Place};
use crate::ignores::{FETCHED, Ignores};
use crate::{FileError, lexical};
use globset::{GlobBuilder, GlobMatcher};
use ignore::{DirEntry, WalkBuilder};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A tree to walk.
pub(crate) struct Walk {
    boundary: Arc<Boundary>,
    /// Where it starts: a folder, or a single file.
    pub(crate) place: Place,
    pub(crate) hidden: bool,
    /// Folders of fetched packages and caches are visited, unless an ignore file names them.
    pub(crate) fetched: bool,
    /// None where ignored files are visited too.
    ignores: Option<Arc<Ignores>>,
}

impl Walk {
    /// The tree at `path`, or at the root.
    pub(crate) fn new(
        boundary: &Arc<Boundary>,
        path: Option<&str>,
        hidden: bool,
        ignored: bool,
    ) -> Result<Self, FileError> {
        let given = path.filter(|path| !path.is_empty()).unwrap_or(".");
        let place = boundary.resolve_to_read(given)?;
        if place.stat.is_none() {
            return Err(FileError::NotFound { path: given.to_owned(), near: Vec::new() });
        }
        let ignores = (!ignored).then(|| Arc::new(Ignores::new(top_of_rules(boundary, &place))));
        Ok(Self { boundary: Arc::clone(boundary), place, hidden, fetched: true, ignores })
    }

    /// A walker over it. It reads no ignore file by itself: those are somebody else's, and are read with care.
    pub(crate) fn builder(&self) -> WalkBuilder {
        let mut builder = WalkBuilder::new(&self.place.real);
        builder.follow_links(false).standard_filters(false);
        let (boundary, ids) = (Arc::clone(&self.boundary), self.boundary.barrier_ids());
        let (ignores, hidden, fetched) = (self.ignores.clone(), self.hidden, self.fetched);
        builder.filter_entry(move |entry| {
            entry.depth() == 0
                || !(is_git(entry)
                    || (!fetched && is_fetched(entry))
                    || ruled_out(ignores.as_deref(), hidden, entry)
                    || closed(&boundary, entry, &ids))
        });
        builder
    }

    /// The ignore files that are not fit to be read, as [`crate::Workspace::shown`] gives them.
    pub(crate) fn unfit(&self) -> Vec<String> {
        let unfit = self.ignores.as_ref().map(|ignores| ignores.unfit()).unwrap_or_default();
        unfit.iter().map(|path| lexical::shown(self.boundary.root(), path)).collect()
    }
}

/// The folder from which on ignore rules hold. Inside a repository that is any above; elsewhere it is our root: a rule in
/// some folder above has nothing to do with this tree.
fn top_of_rules<'a>(boundary: &'a Boundary, place: &'a Place) -> &'a Path {
    let repository = place.real.ancestors().any(|folder| folder.join(".git").exists());
    if repository { Path::new("/") } else { boundary.base_of(place) }
}

fn is_git(entry: &DirEntry) -> bool {
    entry.file_name() == ".git"
}

fn is_fetched(entry: &DirEntry) -> bool {
    FETCHED.iter().any(|name| entry.file_name() == *name) && entry.file_type().is_some_and(|kind| kind.is_dir())
}

/// What a rule names, and what is hidden unless a rule wants it.
fn ruled_out(ignores: Option<&Ignores>, hidden: bool, entry: &DirEntry) -> bool {
    let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    let verdict = ignores.and_then(|ignores| ignores.verdict(entry.path(), folder));
    verdict.unwrap_or_else(|| !hidden && entry.file_name().as_encoded_bytes().starts_with(b"."))
}

fn closed(boundary: &Boundary, entry: &DirEntry, ids: &[(u64, u64)]) -> bool {
    boundary.hides(entry.path(), entry.ino(), ids)
}

/// The shape of a path below a folder.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    matcher: GlobMatcher,
    base: PathBuf,
    negated: bool,
    /// True when the shape names something hidden, so that hidden files must be looked at.
    pub(crate) hidden: bool,
}

impl Shape {
    /// Parses `pattern`, relative to `base`. One without a slash holds at any depth.
    pub(crate) fn new(pattern: &str, base: &Path) -> Result<Self, FileError> {
        let (pattern, negated) = pattern.strip_prefix('!').map_or((pattern, false), |rest| (rest, true));
        let inside = Path::new(pattern).strip_prefix(base).ok().and_then(Path::to_str);
        let pattern = inside.unwrap_or_else(|| pattern.trim_start_matches("./"));
        if pattern.starts_with('/') || pattern.split('/').any(|part| part == "..") {
            let reason = format!("a pattern is matched below {}", base.display());
            return Err(FileError::OutsideWorkspace { path: pattern.to_owned(), reason });
        }
        let hidden = pattern.split('/').any(|part| part.starts_with('.') || part.starts_with("{."));
        let anywhere = if pattern.contains('/') { "" } else { "**/" };
        let whole = match pattern.strip_suffix('/') {
            Some(folder) => format!("{folder}/**"),
            None => format!("{anywhere}{pattern}"),
        };
        let glob =
            GlobBuilder::new(&whole).literal_separator(true).build().map_err(|error| FileError::InvalidPattern {
                message: error.kind().to_string(),
                hint: "Use *, **, ?, [a-z] and {a,b}; put a backslash before a character that is meant as it is.",
            })?;
        Ok(Self { matcher: glob.compile_matcher(), base: base.to_path_buf(), negated, hidden })
    }

    /// True when the path, which lies below the base, has this shape.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        let rest = path.strip_prefix(&self.base).unwrap_or(path);
        self.matcher.is_match(rest) != self.negated
    }
}
