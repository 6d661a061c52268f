//! Questions to the index: the best records for a few words, by BM25, and nothing that only shares common words with them.

use super::index::{Index, IndexError, place_word};
use super::tokens::Term;
use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};

/// More words of a query are not looked for.
const MOST_TERMS: usize = 16;
/// So many of the best are looked at closer.
const MOST_RANKED: usize = 200;
/// A word that stands in more than one record out of so many is common.
const COMMON: usize = 8;
/// Where there are only common words, so many of them.
const MOST_COMMON: usize = 3;
/// What has less than this share of the best score is noise.
pub(crate) const FLOOR: f64 = 0.25;

/// A record that fits.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Place {
    pub(super) session: String,
    pub(super) cwd: String,
    pub(super) record: u64,
    pub(super) offset: u64,
    pub(super) length: usize,
    pub(super) score: f64,
    /// Of an output, the paths that its call named.
    pub(super) paths: Option<String>,
}

/// What is looked through.
pub(super) struct Shelf {
    words: &'static str,
    docs: &'static str,
    columns: &'static str,
    weights: &'static str,
    paths: &'static str,
    /// No more records than this are weighed; of more, the newest.
    most: usize,
}

/// What people and models said, and the paths that calls name.
pub(super) const SAID: Shelf = Shelf {
    words: "words",
    docs: "docs",
    columns: "{text paths}",
    weights: "1.0, 0.7, 0.0",
    paths: "NULL",
    most: 8_000,
};

/// What calls gave back.
pub(super) const OUTPUTS: Shelf =
    Shelf { words: "outputs", docs: "outs", columns: "{text}", weights: "0.5, 0.0", paths: "docs.paths", most: 2_000 };

/// The records that fit best, the best first.
pub(super) fn rank(index: &Index, shelf: &Shelf, terms: &[Term], cwd: Option<&str>) -> Result<Vec<Place>, IndexError> {
    let place = match cwd.map(|cwd| index.place(cwd)).transpose()? {
        Some(None) => return Ok(Vec::new()),
        Some(Some(place)) => Some(place),
        None => None,
    };
    let (terms, many) = telling(index, shelf, terms)?;
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    let words = terms.into_iter().map(expression).collect::<Vec<_>>().join(" OR ");
    let words = match place {
        Some(place) => format!("(place : \"{}\") AND ({} : ({words}))", place_word(place), shelf.columns),
        None => format!("{} : ({words})", shelf.columns),
    };
    let newest = if many { format!("ORDER BY rowid DESC LIMIT {}", shelf.most) } else { String::new() };
    let Shelf { words: table, docs, weights, paths, .. } = shelf;
    let query = format!(
        "WITH weighed AS MATERIALIZED (SELECT rowid AS n, bm25({table}, {weights}) AS score FROM {table}
            WHERE {table} MATCH ?1 {newest}),
         best AS MATERIALIZED (SELECT n, score FROM weighed ORDER BY score LIMIT {MOST_RANKED})
         SELECT sessions.id, places.cwd, docs.record, docs.offset, docs.length, -best.score, {paths}
         FROM best JOIN {docs} AS docs ON docs.n = best.n JOIN sessions ON sessions.n = docs.session
         JOIN places ON places.n = sessions.place ORDER BY best.score, best.n DESC"
    );
    let mut statement = index.db.prepare_cached(&query)?;
    let found = statement.query_map([words], place_of)?.collect::<Result<Vec<_>, _>>()?;
    let floor = found.first().map_or(0.0, |best| best.score * FLOOR);
    Ok(found.into_iter().filter(|place| place.score >= floor).collect())
}

fn place_of(row: &Row<'_>) -> rusqlite::Result<Place> {
    let number = |column: usize| row.get::<_, i64>(column).map(|value| u64::try_from(value).unwrap_or(0));
    Ok(Place {
        session: row.get(0)?,
        cwd: row.get(1)?,
        record: number(2)?,
        offset: number(3)?,
        length: usize::try_from(number(4)?).unwrap_or(0),
        score: row.get(5)?,
        paths: row.get(6)?,
    })
}

/// The words that tell records apart: the rarest first, as many as can be weighed, and common ones only where there are no
/// others. True when not all records that have them can be weighed.
fn telling<'t>(index: &Index, shelf: &Shelf, terms: &'t [Term]) -> Result<(Vec<&'t Term>, bool), IndexError> {
    let all = format!("SELECT coalesce(max(n), 0) FROM {}", shelf.docs);
    let all: i64 = index.db.query_row(&all, [], |row| row.get(0))?;
    let common = (usize::try_from(all).unwrap_or(0) / COMMON).clamp(1, shelf.most);
    let mut counted: Vec<(&Term, usize)> = Vec::new();
    for term in terms.iter().take(MOST_TERMS) {
        counted.push((term, count(index, shelf, term)?));
    }
    counted.retain(|(_, count)| *count > 0);
    counted.sort_by_key(|(_, count)| *count);
    let rare = counted.first().is_some_and(|(_, count)| *count <= common);
    let mut sum = 0;
    let mut kept = Vec::new();
    for (term, count) in counted {
        sum += count;
        let fits = if rare { count <= common && sum <= 2 * shelf.most } else { kept.len() < MOST_COMMON };
        if kept.is_empty() || fits {
            kept.push(term);
        }
    }
    Ok((kept, !rare && sum > shelf.most))
}

/// In how many records a word stands, as far as that matters.
fn count(index: &Index, shelf: &Shelf, term: &Term) -> Result<usize, IndexError> {
    let Shelf { words, columns, most, .. } = shelf;
    let count = format!("SELECT count(*) FROM (SELECT 1 FROM {words} WHERE {words} MATCH ?1 LIMIT ?2)");
    let mut count = index.db.prepare_cached(&count)?;
    let most = i64::try_from(*most).unwrap_or(i64::MAX);
    let asked = [Value::Text(format!("{columns} : {}", expression(term))), Value::Integer(most.saturating_add(1))];
    let found: i64 = count.query_row(params_from_iter(asked), |row| row.get(0))?;
    Ok(usize::try_from(found).unwrap_or(0))
}

/// A word as the query language has it. Words have no quotation marks in them.
fn expression(term: &Term) -> String {
    match term {
        Term::Whole(word) => format!("\"{word}\""),
        Term::Begins(start) => format!("\"{start}\" *"),
    }
}
