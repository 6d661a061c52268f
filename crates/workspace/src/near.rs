//! What may have been meant by a path that does not exist.

use crate::boundary::Boundary;
use crate::walk::Walk;
use crate::{lexical, list};
use std::path::Path;
use std::sync::Arc;

/// The most names to suggest.
const MOST: usize = 3;
/// How far the search for the same name goes.
const MAX_LOOKED_AT: usize = 5_000;

/// Paths near to `path`: similar names in its folder, then the same name elsewhere.
pub(crate) fn near(boundary: &Arc<Boundary>, path: &str) -> Vec<String> {
    let Ok(place) = boundary.resolve_to_read(path) else { return Vec::new() };
    let Some(name) = place.real.file_name().map(|name| name.to_string_lossy().into_owned()) else {
        return Vec::new();
    };
    let mut found = if place.missing == 1 { similar(boundary, &place.real, &name) } else { Vec::new() };
    if found.len() < MOST {
        let more = same_name(boundary, &name).into_iter().filter(|path| !found.contains(path)).collect::<Vec<_>>();
        found.extend(more);
    }
    found.truncate(MOST);
    found
}

/// Names in the same folder that differ by a slip.
fn similar(boundary: &Arc<Boundary>, real: &Path, name: &str) -> Vec<String> {
    let Some(folder) = real.parent() else { return Vec::new() };
    let shown = lexical::shown(boundary.root(), folder);
    let Ok(listing) = list::list(boundary, &shown) else { return Vec::new() };
    let wanted = name.to_lowercase();
    let mut scored: Vec<(usize, String)> = listing
        .entries
        .into_iter()
        .filter_map(|entry| {
            let distance = strsim::osa_distance(&wanted, &entry.name.to_lowercase());
            let stem = |name: &str| Path::new(name).file_stem().map(ToOwned::to_owned);
            let near = distance <= (name.chars().count() / 3).max(1) || stem(&entry.name) == stem(name);
            near.then(|| (distance, lexical::shown(boundary.root(), &folder.join(&entry.name))))
        })
        .collect();
    scored.sort();
    scored.into_iter().map(|(_, path)| path).take(MOST).collect()
}

/// Files of exactly this name elsewhere below the root.
fn same_name(boundary: &Arc<Boundary>, name: &str) -> Vec<String> {
    let Ok(walk) = Walk::new(boundary, None, false, false) else { return Vec::new() };
    let entries = walk.builder().build().filter_map(Result::ok).take(MAX_LOOKED_AT);
    let same = entries.filter(|entry| entry.depth() > 0 && entry.file_name().to_string_lossy() == name);
    let mut found: Vec<String> = same.map(|entry| lexical::shown(boundary.root(), entry.path())).take(MOST).collect();
    found.sort();
    found
}
