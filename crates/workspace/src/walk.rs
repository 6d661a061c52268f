//! Walking a tree: what `.gitignore` leaves out and what is closed is not visited, links are not followed.

use crate::FileError;
use crate::boundary::{Boundary, Last, Place};
use globset::{GlobBuilder, GlobMatcher};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, WalkBuilder};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A tree to walk.
pub(crate) struct Walk {
    boundary: Arc<Boundary>,
    /// Where it starts: a folder, or a single file.
    pub(crate) place: Place,
    pub(crate) hidden: bool,
    ignored: bool,
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
        let place = boundary.resolve(given, Last::Follow)?;
        if place.stat.is_none() {
            return Err(FileError::NotFound { path: given.to_owned(), near: Vec::new() });
        }
        Ok(Self { boundary: Arc::clone(boundary), place, hidden, ignored })
    }

    /// A walker over it, as ripgrep sets it up.
    pub(crate) fn builder(&self) -> WalkBuilder {
        let start = &self.place.real;
        let mut builder = WalkBuilder::new(start);
        builder.follow_links(false).standard_filters(!self.ignored).hidden(!self.hidden);
        // Inside a repository its own rules hold, up to its top. Elsewhere .gitignore counts too, but only from our
        // root on: a rule in some folder above has nothing to do with this tree.
        let repository = start.ancestors().any(|folder| folder.join(".git").exists());
        let mut above = Vec::new();
        if !self.ignored && !repository {
            builder.parents(false).require_git(false);
            above = self.rules_above();
        }
        let (boundary, ids) = (Arc::clone(&self.boundary), self.boundary.barrier_ids());
        builder.filter_entry(move |entry| {
            entry.depth() == 0 || !(is_git(entry) || ruled_out(&above, entry) || closed(&boundary, entry, &ids))
        });
        builder
    }

    /// The ignore rules of the folders from the root down to where the walk starts.
    fn rules_above(&self) -> Vec<Gitignore> {
        let base = self.boundary.base_of(&self.place);
        let folders = self.place.real.ancestors().skip(1).take_while(|folder| folder.starts_with(base));
        folders
            .filter_map(|folder| {
                let mut rules = GitignoreBuilder::new(folder);
                [".gitignore", ".ignore"].iter().for_each(|name| drop(rules.add(folder.join(name))));
                rules.build().ok().filter(|rules| !rules.is_empty())
            })
            .collect()
    }
}

fn is_git(entry: &DirEntry) -> bool {
    entry.file_name() == ".git"
}

fn ruled_out(above: &[Gitignore], entry: &DirEntry) -> bool {
    let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    let verdicts = above.iter().map(|rules| rules.matched(entry.path(), folder));
    verdicts.into_iter().find(|verdict| !verdict.is_none()).is_some_and(|verdict| verdict.is_ignore())
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
