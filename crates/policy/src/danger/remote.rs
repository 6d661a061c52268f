//! What only the values of words tell: requests that change something on a server, and statements that drop data.

use crate::effects::{Effects, Simple, Word, is_flag};

/// Programs that send statements to a database.
const DATABASES: &[&str] = &[
    "bq",
    "clickhouse",
    "clickhouse-client",
    "cockroach",
    "cqlsh",
    "duckdb",
    "litecli",
    "mariadb",
    "mongo",
    "mongosh",
    "mycli",
    "mysql",
    "pgcli",
    "psql",
    "snowsql",
    "sqlcmd",
    "sqlite",
    "sqlite3",
    "sqlplus",
    "trino",
    "usql",
];

/// Statements that drop or empty what is kept.
const DROPS: &[&str] = &[
    "drop database",
    "drop table",
    "drop schema",
    "drop user",
    "drop role",
    "drop index",
    "drop view",
    "drop keyspace",
    "drop collection",
    "drop column",
    "drop materialized",
    "drop owned",
    "drop function",
    "drop type",
    "drop sequence",
    "drop tablespace",
    "drop extension",
    "drop trigger",
    "truncate ",
    "dropdatabase(",
    ".drop(",
    "deletemany({})",
    ".remove({})",
    "dropuser(",
    "dropindexes(",
];

/// True when the line sends a statement to a database that drops data: as an argument, by a pipe or in a heredoc.
pub(super) fn drops_data(effects: &Effects, simple: &Simple) -> bool {
    if !DATABASES.contains(&simple.program()) {
        return false;
    }
    let words = effects.commands.iter().flat_map(|simple| simple.args().iter().map(|word| word.text.as_str()));
    words.chain([effects.input.as_str()]).any(is_drop)
}

fn is_drop(text: &str) -> bool {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase();
    // Every row, where nothing says which.
    let empties = text.contains("delete from ") && !text.contains(" where ");
    empties || DROPS.iter().any(|part| format!("{text} ").contains(part))
}

/// True for `gh api` and the like where the request changes something: another method than GET, or fields without one.
pub(super) fn changes_server(simple: &Simple) -> bool {
    let forge =
        matches!(simple.program(), "gh" | "glab") && simple.args().first().is_some_and(|word| word.text == "api");
    if !forge {
        return false;
    }
    match method(simple.args()) {
        Some(method) => !method.eq_ignore_ascii_case("get") && !method.eq_ignore_ascii_case("head"),
        None => sends_fields(simple.args()) && !asks_only(simple.args()),
    }
}

/// The last method that is named; one that is not known counts as none of the harmless.
fn method(args: &[Word]) -> Option<&str> {
    let mut found = None;
    for (at, word) in args.iter().enumerate() {
        let text = word.text.as_str();
        let next = || args.get(at + 1).filter(|word| word.is_fixed()).map_or("?", |word| word.text.as_str());
        match text.split_once('=') {
            Some((flag, value)) if flag.len() > 3 && is_flag(flag, "--method") => found = Some(value),
            _ if text == "-X" || (text.len() > 3 && is_flag(text, "--method")) => found = Some(next()),
            _ => {
                found = text
                    .strip_prefix("-X")
                    .filter(|_| !text.starts_with("--"))
                    .map(|value| value.trim_start_matches('='))
                    .or(found)
            }
        }
    }
    found
}

fn sends_fields(args: &[Word]) -> bool {
    let fields = ["-f", "-F", "--field", "--raw-field", "--input", "--form"];
    args.iter().any(|word| {
        let name = word.text.split('=').next().unwrap_or_default();
        fields.contains(&name) || (!name.starts_with("--") && (name.starts_with("-f") || name.starts_with("-F")))
    })
}

/// True for a question in GraphQL, which is sent like a change.
fn asks_only(args: &[Word]) -> bool {
    let graph = args.iter().any(|word| word.text == "graphql");
    let queries: Vec<&Word> = args.iter().filter(|word| word.text.contains("query=")).collect();
    let asks = |word: &&Word| {
        let text = word.text.split_once("query=").map_or("", |(_, text)| text).trim_start();
        word.is_fixed() && (text.starts_with("query") || text.starts_with('{')) && !text.contains("mutation")
    };
    graph && !queries.is_empty() && queries.iter().all(asks)
}
