//! `reasonix history`: finding what was said in earlier sessions.

use crate::args::HistoryArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::say::{self, Colour, Style, clean};
use reasonix_config::Flags;
use reasonix_engine::search_of;
use reasonix_proto::{Level, Phrase, RecordId};
use reasonix_session::local_clock as clock;
use reasonix_session::{Found, Line, Search, SearchHit, SessionWindow, Wanted};
use std::time::Duration;

/// After this long it is said what takes so long.
const MOMENT: Duration = Duration::from_secs(1);
/// A person can wait, and can end it; what was read until then is kept.
const PATIENCE: Duration = Duration::from_secs(24 * 3600);

pub(crate) fn history(args: &HistoryArgs) -> anyhow::Result<Exit> {
    let context = Context::load(None, Flags::default())?;
    let search = search_of(&context.loaded.settings, &context.env, &context.home);
    if let Some(hit) = &args.around {
        return around(&search, hit, args);
    }
    let found = find(&context, &search, args)?;
    if found.hits.is_empty() && !args.json {
        let code = if args.global { "cli.no_hits" } else { "cli.no_hits_here" };
        say::notice(Level::Info, &Phrase::new(code));
    }
    for hit in &found.hits {
        say::line(&if args.json { json_line(hit) } else { text_lines(hit, args.global) })?;
    }
    Ok(Exit::Done)
}

fn find(context: &Context, search: &Search, args: &HistoryArgs) -> anyhow::Result<Found> {
    let query = args.query.join(" ");
    let mut wanted = Wanted {
        query: &query,
        folder: (!args.global).then_some(context.root()),
        most: args.limit.unwrap_or(10).clamp(1, 100),
        before: None,
        patience: MOMENT,
    };
    let look = |wanted: &Wanted<'_>| search.find(wanted, &|| false).map_err(|error| say::failed(error.phrase()));
    let found = look(&wanted)?;
    if found.coverage.missing == 0 {
        return Ok(found);
    }
    say::notice(Level::Info, &Phrase::new("cli.indexing").with("count", found.coverage.missing));
    wanted.patience = PATIENCE;
    look(&wanted)
}

fn around(search: &Search, hit: &str, args: &HistoryArgs) -> anyhow::Result<Exit> {
    let named = hit.rsplit_once(':').and_then(|(session, record)| Some((session, record.parse().ok()?)));
    let Some((session, record)) = named else {
        return Err(say::usage(Phrase::new("cli.no_hit_id").with("id", hit)));
    };
    let span = args.limit.unwrap_or(4).clamp(1, 100);
    let window = search.around(session, RecordId(record), span).map_err(|error| say::failed(error.phrase()))?;
    for line in &window.lines {
        let text = if args.json { json_message(&window, line) } else { text_message(&window, line) };
        say::line(&text)?;
    }
    Ok(Exit::Done)
}

fn text_lines(hit: &SearchHit, with_folder: bool) -> String {
    let style = Style::get();
    let folder = if with_folder { format!("  {}", hit.folder) } else { String::new() };
    let id = style.out(Colour::Bold, &clean(&format!("{}:{}", hit.session.short(), hit.record)));
    let head =
        clean(&format!("  {}  {}{folder}", clock(hit.at), reasonix_words::named(style.lang, "by", hit.by.word())));
    format!("{id}{}\n    {}", style.out(Colour::Dim, &head), clean(&hit.text))
}

fn json_line(hit: &SearchHit) -> String {
    say::json(&serde_json::json!({
        "session": hit.session, "record": hit.record, "folder": hit.folder, "at": hit.at, "by": hit.by.word(),
        "text": hit.text, "score": (hit.score * 1000.0).round() / 1000.0,
    }))
    .unwrap_or_default()
}

fn text_message(window: &SessionWindow, line: &Line) -> String {
    let style = Style::get();
    let id = style.out(Colour::Bold, &clean(&format!("{}:{}", window.session.short(), line.record)));
    let head = style.out(
        Colour::Dim,
        &format!("  {}  {}", clock(line.at), reasonix_words::named(style.lang, "by", line.by.word())),
    );
    let text = line.text.lines().map(|line| format!("    {}", clean(line))).collect::<Vec<_>>().join("\n");
    format!("{id}{head}\n{text}")
}

fn json_message(window: &SessionWindow, line: &Line) -> String {
    say::json(&serde_json::json!({
        "session": window.session, "record": line.record, "folder": window.folder, "at": line.at,
        "by": line.by.word(), "text": line.text,
    }))
    .unwrap_or_default()
}
