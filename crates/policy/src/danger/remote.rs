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
    let empties = (text.contains("delete from ") || is_update(&text)) && !text.contains(" where ");
    let begins = text.split(';').any(|part| part.trim_start().starts_with("drop "));
    empties || begins || DROPS.iter().any(|part| format!("{text} ").contains(part))
}

/// `update table set …`
fn is_update(text: &str) -> bool {
    text.split(';').any(|part| part.trim_start().starts_with("update ") && part.contains(" set "))
}

/// True when a request or a copy changes something on another machine.
pub(super) fn sends(simple: &Simple) -> bool {
    let args = simple.args();
    match simple.program() {
        "curl" => Request::of_curl(args).changes(args),
        "wget" => Request::of_wget(args).changes(args),
        "http" | "https" | "xh" | "xhs" => Request::of_httpie(simple).changes(args),
        "scp" => goes_away(simple),
        "rsync" => goes_away(simple) && !simple.has("-n") && !simple.has("--dry-run"),
        "aws" => copies_up(simple, "s3", "s3://") && !args.iter().any(|word| word.text == "--dryrun"),
        "gcloud" => copies_up(simple, "storage", "gs://"),
        "gsutil" => copies_up(simple, "", "gs://") && !simple.has("-n"),
        _ => false,
    }
}

/// True when the last of several operands lies on another machine: `host:path`.
fn goes_away(simple: &Simple) -> bool {
    let operands = simple.operands();
    let far = |word: &&Word| {
        word.text.starts_with("rsync://") || word.text.split_once(':').is_some_and(|(host, _)| !host.contains('/'))
    };
    operands.len() > 1 && operands.last().is_some_and(far)
}

/// `aws s3 cp x s3://bucket`: what is there by that name is overwritten.
fn copies_up(simple: &Simple, service: &str, scheme: &str) -> bool {
    let operands = simple.operands();
    let named = |text: &str| operands.iter().take(4).any(|word| word.text == text);
    let copies = ["cp", "mv", "sync", "rsync"].iter().any(|sub| named(sub)) && (service.is_empty() || named(service));
    copies && operands.last().is_some_and(|word| word.text.starts_with(scheme))
}

/// What a request says of itself.
#[derive(Default)]
struct Request {
    /// The method that is named.
    method: Option<String>,
    /// It has a body.
    sends: bool,
}

impl Request {
    /// True when it changes something elsewhere. To this machine's own servers requests are sent all day; what deletes is
    /// none of that.
    fn changes(&self, args: &[Word]) -> bool {
        let method = self.method.as_deref().map(str::to_ascii_uppercase);
        match method.as_deref() {
            Some("GET" | "HEAD" | "OPTIONS" | "TRACE" | "PROPFIND") => false,
            Some("DELETE") => true,
            Some(_) => !is_local(args),
            None => self.sends && !is_local(args),
        }
    }

    fn of_curl(args: &[Word]) -> Self {
        const VALUED: &str = "AbcCdDeEFhHKmoPQrtTuUwxXyYz";
        const BODY: &[&str] = &["--data", "--json", "--form", "--upload-file", "--quote"];
        let (mut found, mut gets, mut rest) = (Self::default(), false, args);
        while let Some((word, more)) = rest.split_first() {
            rest = more;
            let text = word.text.as_str();
            if let Some(long) = text.strip_prefix("--") {
                let name = text.split('=').next().unwrap_or(text);
                gets |= name == "--get" || name == "--head";
                found.sends |= BODY.iter().any(|flag| name.starts_with(flag)) && name != "--form-escape";
                if name.len() > 4 && "--request".starts_with(name) {
                    found.method = Some(long.split_once('=').map_or_else(|| next(more), |(_, value)| value.to_owned()));
                    rest = more.get(usize::from(!long.contains('='))..).unwrap_or_default();
                }
                continue;
            }
            let Some(letters) = text.strip_prefix('-') else { continue };
            let at = letters.find(|letter| VALUED.contains(letter));
            gets |= letters.get(..at.unwrap_or(letters.len())).is_some_and(|plain| plain.contains(['G', 'I']));
            let Some(at) = at else { continue };
            let attached = letters.get(at + 1..).unwrap_or_default();
            let value = if attached.is_empty() { next(more) } else { attached.to_owned() };
            rest = more.get(usize::from(attached.is_empty())..).unwrap_or_default();
            match letters.get(at..=at) {
                Some("X") => found.method = Some(value),
                Some("d" | "F" | "T" | "Q") => found.sends = true,
                _ => {}
            }
        }
        found.sends &= !gets;
        found
    }

    fn of_wget(args: &[Word]) -> Self {
        let mut found = Self::default();
        for (at, word) in args.iter().enumerate() {
            let (name, value) = word.text.split_once('=').map_or((word.text.as_str(), None), |(n, v)| (n, Some(v)));
            found.sends |= ["--post-data", "--post-file", "--body-data", "--body-file"].contains(&name);
            if name == "--method" {
                found.method = Some(value.map_or_else(|| next(args.get(at + 1..).unwrap_or_default()), str::to_owned));
            }
        }
        found
    }

    /// `http DELETE host/x`, `http host/x field=value`.
    fn of_httpie(simple: &Simple) -> Self {
        let operands = simple.operands();
        let named = operands.first().filter(|word| word.text.chars().all(|c| c.is_ascii_uppercase()));
        let mut fields = operands.iter().skip(1 + usize::from(named.is_some()));
        let is_field = |word: &&Word| {
            let at = word.text.find(['=', ':', '@']).and_then(|at| word.text.get(at..)).unwrap_or_default();
            (at.starts_with('=') && !at.starts_with("==")) || at.starts_with(":=") || at.starts_with('@')
        };
        Self { method: named.map(|word| word.text.clone()), sends: fields.any(is_field) }
    }
}

/// The next word, or something that is no method where it is not known.
fn next(words: &[Word]) -> String {
    words.first().filter(|word| word.is_fixed()).map_or_else(|| "?".to_owned(), |word| word.text.clone())
}

/// True when every address among the words is of this machine.
fn is_local(args: &[Word]) -> bool {
    let mut before = "";
    let mut found = false;
    for word in args {
        let option = std::mem::replace(&mut before, &word.text).starts_with('-');
        let text = word.text.as_str();
        let host = text.split_once("://").map(|(_, rest)| rest).or_else(|| names_self(text).then_some(text));
        match host {
            Some(rest) if word.kind > crate::effects::WordKind::Pattern && !names_self(rest) => return false,
            Some(rest) if names_self(rest) => found = true,
            // A field or a header may have an address in it.
            Some(_) if option => {}
            Some(_) => return false,
            None if !option && text.starts_with('$') => return false,
            None => {}
        }
    }
    found
}

fn names_self(text: &str) -> bool {
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let bare = host.strip_prefix("[::1]").map(|_| "localhost");
    let host = bare.unwrap_or_else(|| host.split(':').next().unwrap_or_default());
    let octets = host.strip_prefix("127.").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'));
    matches!(host, "localhost" | "0.0.0.0") || octets
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
