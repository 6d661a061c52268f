//! Questions to the index: the best records for a few words, by BM25, and nothing that only shares common words with them.

use super::index::{Index, IndexError, place_word};
use super::tokens::Term;
use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};

/// More words of a query are not looked for.
const MOST_TERMS: usize = 16;
/// No more records than this are weighed; of more, the newest.
const MOST_WEIGHED: usize = 8_000;
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
}

/// The records that fit best, the best first.
pub(super) fn rank(index: &Index, terms: &[Term], cwd: Option<&str>) -> Result<Vec<Place>, IndexError> {
    let place = match cwd.map(|cwd| index.place(cwd)).transpose()? {
        Some(None) => return Ok(Vec::new()),
        Some(Some(place)) => Some(place),
        None => None,
    };
    let (terms, many) = telling(index, terms)?;
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    let words = terms.into_iter().map(expression).collect::<Vec<_>>().join(" OR ");
    let words = match place {
        Some(place) => format!("(place : \"{}\") AND ({{text paths}} : ({words}))", place_word(place)),
        None => format!("{{text paths}} : ({words})"),
    };
    let newest = if many { format!("ORDER BY rowid DESC LIMIT {MOST_WEIGHED}") } else { String::new() };
    let query = format!(
        "WITH weighed AS MATERIALIZED (SELECT rowid AS n, bm25(words, 1.0, 0.7, 0.0) AS score FROM words
            WHERE words MATCH ?1 {newest}),
         best AS MATERIALIZED (SELECT n, score FROM weighed ORDER BY score LIMIT {MOST_RANKED})
         SELECT sessions.id, places.cwd, docs.record, docs.offset, docs.length, -best.score
         FROM best JOIN docs ON docs.n = best.n JOIN sessions ON sessions.n = docs.session
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
    })
}

/// The words that tell records apart: the rarest first, as many as can be weighed, and common ones only where there are no
/// others. True when not all records that have them can be weighed.
fn telling<'t>(index: &Index, terms: &'t [Term]) -> Result<(Vec<&'t Term>, bool), IndexError> {
    let all: i64 = index.db.query_row("SELECT coalesce(max(n), 0) FROM docs", [], |row| row.get(0))?;
    let common = (usize::try_from(all).unwrap_or(0) / COMMON).clamp(1, MOST_WEIGHED);
    let mut counted: Vec<(&Term, usize)> = Vec::new();
    for term in terms.iter().take(MOST_TERMS) {
        counted.push((term, count(index, term)?));
    }
    counted.retain(|(_, count)| *count > 0);
    counted.sort_by_key(|(_, count)| *count);
    let rare = counted.first().is_some_and(|(_, count)| *count <= common);
    let mut sum = 0;
    let mut kept = Vec::new();
    for (term, count) in counted {
        sum += count;
        let fits = if rare { count <= common && sum <= 2 * MOST_WEIGHED } else { kept.len() < MOST_COMMON };
        if kept.is_empty() || fits {
            kept.push(term);
        }
    }
    Ok((kept, !rare && sum > MOST_WEIGHED))
}

/// In how many records a word stands, as far as that matters.
fn count(index: &Index, term: &Term) -> Result<usize, IndexError> {
    let mut count =
        index.db.prepare_cached("SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ?1 LIMIT ?2)")?;
    let asked =
        [Value::Text(format!("{{text paths}} : {}", expression(term))), Value::Integer(MOST_WEIGHED as i64 + 1)];
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
