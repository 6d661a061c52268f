//! `reasonix stats`: what was spent, as a table with bars or as JSON.

use crate::args::{StatsArgs, StatsBy};
use crate::context::Context;
use crate::exit::Exit;
use crate::say::{self, Colour, Style, clean};
use reasonix_config::Flags;
use reasonix_proto::{Cost, Phrase, Tally};
use reasonix_session::{
    Books, Entry, GroupBy, Ledger, Sessions, SubagentTally, TimeSpan, now, subagents, tallies, tally,
};
use serde_json::{Value, json};

/// More subagents than this are not listed for people.
const MOST_ROWS: usize = 200;

/// The longest bar, in cells.
const BAR: u64 = 24;

pub(crate) fn stats(args: &StatsArgs) -> anyhow::Result<Exit> {
    let context = Context::load_silently(None, Flags::default())?;
    let state = context.home.join("state");
    let ledger = Ledger::at(&state);
    let failed = |error: std::io::Error| {
        say::failed(Phrase::new("session.io").with("path", ledger.path().display()).with("reason", error))
    };
    if args.rebuild || !ledger.path().exists() {
        let settings = &context.loaded.settings;
        let price = |model: &str| settings.resolve_model(model).ok().and_then(|found| settings.price(&found));
        ledger.catch_up(&Sessions::at(&state), price).map_err(failed)?;
    }
    let books = ledger.read().map_err(failed)?;
    let now = now();
    let span = span_of(args);
    if let Some(StatsBy::Subagent) = args.by {
        return by_subagent(&books, span.unwrap_or(TimeSpan::All).since(now), args.json);
    }
    let within: Vec<&Entry> =
        books.entries.iter().filter(|entry| entry.at >= span.unwrap_or(TimeSpan::All).since(now)).collect();
    let rows = match (span, args.by) {
        (None, None) => TimeSpan::ALL.into_iter().map(|span| tally(&books.entries, span, now)).collect(),
        (_, by) => tallies(within, by.map_or(GroupBy::Model, group)),
    };
    if args.json {
        rows.iter().try_for_each(|row| say::line(&say::json(&row_json(row)).unwrap_or_default()))?;
        return Ok(Exit::Done);
    }
    say_damaged(&books);
    if books.entries.is_empty() {
        say::line(&Style::get().text(&Phrase::new("cli.stats_none")))?;
        return Ok(Exit::Done);
    }
    let spans = span.is_none() && args.by.is_none();
    let mut lines = table_lines(&rows, spans);
    if spans {
        lines.push(String::new());
        lines.extend(table_lines(&tallies(&books.entries, GroupBy::Model), false));
    }
    for line in lines {
        say::line(&line)?;
    }
    Ok(Exit::Done)
}

fn group(by: StatsBy) -> GroupBy {
    match by {
        StatsBy::Model => GroupBy::Model,
        StatsBy::Project => GroupBy::Project,
        StatsBy::Agent | StatsBy::Subagent => GroupBy::Agent,
    }
}

fn say_damaged(books: &Books) {
    if books.damaged > 0 {
        say::notice(reasonix_proto::Level::Warning, &Phrase::new("cli.stats_damaged").with("lines", books.damaged));
    }
}

/// A row for each subagent that worked since then.
fn by_subagent(books: &Books, since: u64, json: bool) -> anyhow::Result<Exit> {
    let all = subagents(books, since);
    if json {
        all.iter().try_for_each(|one| say::line(&say::json(&subagent_json(one)).unwrap_or_default()))?;
        return Ok(Exit::Done);
    }
    say_damaged(books);
    if all.is_empty() {
        say::line(&Style::get().text(&Phrase::new("cli.stats_no_subagents")))?;
        return Ok(Exit::Done);
    }
    let shown = all.get(..MOST_ROWS).unwrap_or(&all);
    subagent_lines(shown).into_iter().try_for_each(|line| say::line(&line))?;
    if shown.len() < all.len() {
        let more = Phrase::new("cli.stats_more").with("more", all.len() - shown.len());
        say::line(&Style::get().text(&more))?;
    }
    Ok(Exit::Done)
}

fn subagent_json(one: &SubagentTally) -> Value {
    let mut row = row_json(&one.sum);
    let own = json!({
        "child": one.child, "parent": one.parent, "agent": one.agent, "skill": one.skill,
        "runs": one.runs, "steps": one.steps, "took_ms": one.took_ms,
    });
    if let (Value::Object(row), Value::Object(own)) = (&mut row, own) {
        row.extend(own);
    }
    row
}

fn subagent_lines(all: &[SubagentTally]) -> Vec<String> {
    let style = Style::get();
    let words = ["runs", "steps", "time", "input", "output", "cost"];
    let head = words.map(|word| style.text(&Phrase { code: format!("cli.stats_{word}").into(), args: Vec::new() }));
    let mut table: Vec<Vec<String>> = vec![std::iter::once(String::new()).chain(head).collect()];
    for one in all {
        let parent = one.parent.as_ref().map(|parent| format!("{}/", parent.short())).unwrap_or_default();
        let skill = one.skill.as_ref().map(|skill| format!(", /{skill}")).unwrap_or_default();
        let child = if one.child.is_empty() { &one.sum.name } else { &one.child };
        table.push(vec![
            clean(&format!("{parent}{child} ({}{skill})", one.agent)),
            one.runs.to_string(),
            one.steps.to_string(),
            lasted(one.took_ms),
            short(one.sum.usage.input),
            short(one.sum.usage.output),
            costs(&one.sum, Cost::spent_text),
        ]);
    }
    let mut lines = aligned(&table);
    if let Some(first) = lines.first_mut() {
        *first = style.out(Colour::Dim, first.trim_end());
    }
    lines
}

/// How long something took, to the second.
fn lasted(took_ms: u64) -> String {
    match took_ms / 1000 {
        0..60 => format!("{}.{} s", took_ms / 1000, took_ms % 1000 / 100),
        seconds @ 60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        seconds => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

fn costs(row: &Tally, of: fn(&Cost) -> String) -> String {
    match row.costs.as_slice() {
        [] => "-".to_owned(),
        costs => costs.iter().map(of).collect::<Vec<_>>().join(" + "),
    }
}

fn span_of(args: &StatsArgs) -> Option<TimeSpan> {
    let said = [
        (args.today, TimeSpan::Today),
        (args.week, TimeSpan::Week),
        (args.month, TimeSpan::Month),
        (args.all, TimeSpan::All),
    ];
    said.into_iter().find(|(said, _)| *said).map(|(_, span)| span)
}

fn row_json(row: &Tally) -> Value {
    let money = |amount: u64| amount as f64 / 1e6;
    let cost =
        |cost: &Cost| json!({ "currency": cost.currency, "spent": money(cost.spent), "saved": money(cost.saved) });
    json!({
        "name": row.name,
        "requests": row.requests,
        "input": row.usage.input,
        "cached": row.usage.cached,
        "cache_written": row.usage.written,
        "output": row.usage.output,
        "reasoning": row.usage.reasoning,
        "costs": row.costs.iter().map(cost).collect::<Vec<_>>(),
    })
}

/// What was spent, with bars; `spans` when the rows are spans of time.
pub(crate) fn table_lines(rows: &[Tally], spans: bool) -> Vec<String> {
    let style = Style::get();
    let word = |code: &'static str| style.text(&Phrase::new(code));
    let name = |row: &Tally| match (spans, row.name.as_str()) {
        (true, "today") => word("cli.stats_today"),
        (true, "week") => word("cli.stats_week"),
        (true, "month") => word("cli.stats_month"),
        (true, _) => word("cli.stats_all"),
        (false, name) => clean(name),
    };
    let head = [
        "",
        "cli.stats_requests",
        "cli.stats_input",
        "cli.stats_cached",
        "cli.stats_output",
        "cli.stats_cost",
        "cli.stats_saved",
    ];
    let mut table: Vec<Vec<String>> = vec![
        head.iter()
            .map(|code| {
                if code.is_empty() {
                    String::new()
                } else {
                    style.text(&Phrase { code: (*code).into(), args: Vec::new() })
                }
            })
            .collect(),
    ];
    for row in rows {
        table.push(vec![
            name(row),
            row.requests.to_string(),
            short(row.usage.input),
            format!("{}%", row.cached_share()),
            short(row.usage.output),
            costs(row, Cost::spent_text),
            costs(row, Cost::saved_text),
        ]);
    }
    let bars = bars(rows);
    let painted = |(index, line): (usize, String)| {
        let bar = index.checked_sub(1).and_then(|row| bars.get(row)).map_or("", String::as_str);
        let line = if index == 0 {
            style.out(Colour::Dim, line.trim_end())
        } else {
            format!("{line}  {}", style.out(Colour::Cyan, bar))
        };
        line.trim_end().to_owned()
    };
    aligned(&table).into_iter().enumerate().map(painted).collect()
}

/// Bars by what was spent where everything has a price in one currency, else by tokens.
fn bars(rows: &[Tally]) -> Vec<String> {
    let mut currencies: Vec<&str> = rows.iter().flat_map(|row| &row.costs).map(|cost| cost.currency.as_str()).collect();
    currencies.dedup();
    let priced = currencies.len() == 1 && rows.iter().all(|row| row.requests == 0 || row.costs.len() == 1);
    let weight = |row: &Tally| match row.costs.first() {
        Some(cost) if priced => cost.spent,
        _ if priced => 0,
        _ => row.usage.tokens(),
    };
    let most = rows.iter().map(weight).max().unwrap_or(0).max(1);
    let eighths =
        |row: &Tally| u64::try_from(u128::from(weight(row)) * u128::from(BAR * 8) / u128::from(most)).unwrap_or(0);
    let part = |rest: u64| {
        ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"].get(usize::try_from(rest).unwrap_or(0)).copied().unwrap_or("")
    };
    let bar = |eighths: u64| "█".repeat(usize::try_from(eighths / 8).unwrap_or(0)) + part(eighths % 8);
    rows.iter().map(|row| bar(eighths(row))).collect()
}

/// Columns next to each other, the first to the left, figures to the right.
pub(crate) fn aligned(table: &[Vec<String>]) -> Vec<String> {
    let columns = table.first().map_or(0, Vec::len);
    let cells = |text: &str| unicode_width::UnicodeWidthStr::width(text);
    let width =
        |column: usize| table.iter().filter_map(|row| row.get(column)).map(|text| cells(text)).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let padded = row.iter().zip(&widths).enumerate().map(|(column, (text, width))| {
            let room = " ".repeat(width.saturating_sub(cells(text)));
            if column == 0 { format!("{text}{room}") } else { format!("{room}{text}") }
        });
        padded.collect::<Vec<_>>().join("  ")
    };
    table.iter().map(line).collect()
}

/// A number of tokens in a few letters.
fn short(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..1_000_000 => format!("{}k", number / 1000),
        _ => format!("{}.{}m", number / 1_000_000, number % 1_000_000 / 100_000),
    }
}
