//! `reasonix cache`: what of the requests of a session had been sent before, and what broke that.

use crate::args::CacheArgs;
use crate::context::Context;
use crate::exit::Exit;
use crate::say::{self, Style};
use crate::sessions::look_here;
use reasonix_config::Flags;
use reasonix_engine::cache_of;
use reasonix_proto::{CacheBreak, CacheReport, CacheSum, Phrase};

pub(crate) fn cache(args: &CacheArgs) -> anyhow::Result<Exit> {
    let context = Context::load(None, Flags::default())?;
    let Some((id, seen)) = look_here(&context, args.session.as_deref())? else {
        return Err(say::failed(Phrase::new("cli.no_session_here")));
    };
    let report = cache_of(&seen.past, &context.loaded.settings)
        .map_err(|error| say::failed(Phrase::new("engine.log_unreadable").with("reason", error)))?;
    if args.json {
        say::line(&say::json(&json(id.as_str(), &report))?)?;
    } else if report.total.requests == 0 {
        return Err(say::failed(Phrase::new("cli.cache_none").with("session", id.short())));
    } else {
        for line in lines(&report) {
            say::line(&line)?;
        }
    }
    Ok(Exit::Done)
}

fn json(session: &str, report: &CacheReport) -> serde_json::Value {
    serde_json::json!({
        "session": session, "total": report.total, "reused": share(report.total.same, report.total.bytes),
        "cached": share(report.total.cached, report.total.input), "turns": report.turns, "breaks": report.breaks,
    })
}

/// A part of a whole, from 0 to 1; none of nothing.
fn share(part: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| part as f64 / all as f64)
}

/// In percent with two decimals, never rounded up.
fn percent(part: u64, all: u64) -> String {
    share(part, all).map_or_else(|| "-".to_owned(), |share| format!("{:.2}%", (share * 10_000.0).floor() / 100.0))
}

/// By turn, what broke it, and all together.
pub(crate) fn lines(report: &CacheReport) -> Vec<String> {
    let style = Style::get();
    let mut lines = vec![style.text(&Phrase::new("cli.cache_head"))];
    for turn in &report.turns {
        let CacheSum { requests, bytes, same, input, cached } = turn.sum;
        let (reused, cached) = (percent(same, bytes), percent(cached, input));
        lines.push(format!("{:>4} {requests:>8} {bytes:>12} {reused:>8} {input:>9} {cached:>8}", turn.turn));
    }
    if !report.breaks.is_empty() {
        lines.push(style.text(&Phrase::new("cli.cache_breaks")));
    }
    lines.extend(report.breaks.iter().map(|broke| format!("  {}", style.text(&told(style, broke)))));
    let CacheSum { requests, bytes, same, input, cached } = report.total;
    let sent = Phrase::new("cli.cache_sent").with("share", percent(same, bytes));
    lines.push(style.text(&sent.with("bytes", bytes).with("requests", requests)));
    lines.push(style.text(&match input {
        0 => Phrase::new("cli.cache_unreported"),
        input => Phrase::new("cli.cache_reported").with("share", percent(cached, input)).with("input", input),
    }));
    lines
}

fn told(style: Style, broke: &CacheBreak) -> Phrase {
    let cost = broke.cost.map(|cost| format!(", {:.6} {}", cost as f64 / 1e6, broke.currency)).unwrap_or_default();
    Phrase::new("cli.cache_break")
        .with("turn", broke.turn)
        .with("step", broke.step)
        .with("why", style.text(&broke.why.phrase()))
        .with("at", broke.at)
        .with("bytes", broke.bytes)
        .with("tokens", broke.tokens)
        .with("cost", cost)
}
