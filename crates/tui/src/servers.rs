//! `/mcp`: the servers of the session, what each is doing, and why not. It always opens: nothing is started or waited for.

use crate::look::Look;
use crate::overlays::Pager;
use crate::text::neutral;
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};
use reasonix_proto::{Phrase, ServerInfo, ServerStanding};

/// The servers as a text to read.
pub(crate) fn pager(look: &Look, servers: &[ServerInfo]) -> Pager {
    let mut lines = Vec::new();
    for server in servers {
        one(look, server, &mut lines);
        lines.push(Line::default());
    }
    Pager::new(Phrase::new("mcp.view_title").with("count", servers.len()), lines, false)
}

fn one(look: &Look, server: &ServerInfo, lines: &mut Vec<Line<'static>>) {
    let theme = &look.theme;
    let (word, reason) = standing(&server.standing);
    let colour = match server.standing {
        ServerStanding::Up => theme.good,
        ServerStanding::Asleep | ServerStanding::Starting => theme.dim,
        ServerStanding::Down { .. } | ServerStanding::Refused { .. } => theme.bad,
    };
    let text = |text: &str| neutral(text).into_owned();
    let mut first =
        vec![Span::styled(text(&server.name), theme.heading), Span::raw("  "), Span::styled(look.word(word), colour)];
    for more in server.protocol.iter().chain(Some(&server.origin).filter(|origin| !origin.is_empty())) {
        first.push(Span::styled(format!("  {}", text(more)), theme.dim));
    }
    lines.push(Line::from(first));
    let mut below = |words: &str, style: Style| {
        lines.extend(words.lines().map(|line| Line::styled(format!("  {}", neutral(line)), style)));
    };
    if let Some(counts) = &server.counts {
        let phrase = Phrase::new("mcp.view_counts").with("tools", counts.tools).with("sent", counts.sent);
        let phrase = phrase.with("prompts", counts.prompts).with("resources", counts.resources);
        below(&look.say(&phrase), theme.text);
    }
    if let Some(reason) = reason {
        below(reason, theme.text);
    }
    for what in &server.left_out {
        below(&look.say(&Phrase::new("mcp.view_left_out").with("what", what)), theme.dim);
    }
    if !server.stderr.trim().is_empty() {
        below(&look.word("mcp.view_stderr"), theme.dim);
        let last: Vec<&str> = server.stderr.trim_end().lines().collect();
        let from = last.len().saturating_sub(MOST_STDERR);
        for line in last.get(from..).unwrap_or_default() {
            below(&format!("  {line}"), theme.dim);
        }
    }
}

/// Lines of what a server wrote to its stderr that are shown.
const MOST_STDERR: usize = 20;

fn standing(standing: &ServerStanding) -> (&'static str, Option<&str>) {
    match standing {
        ServerStanding::Asleep => ("mcp.view_asleep", None),
        ServerStanding::Starting => ("mcp.view_starting", None),
        ServerStanding::Up => ("mcp.view_up", None),
        ServerStanding::Down { reason } => ("mcp.view_down", Some(reason)),
        ServerStanding::Refused { reason } => ("mcp.view_refused", Some(reason)),
    }
}
