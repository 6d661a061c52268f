//! What follows from the engine's answers.

use crate::Look;
use crate::act;
use crate::app::{App, HostRequest, QueryPurpose, ScreenEffect};
use crate::commands::rule_word;
use crate::menu::{Menu, MenuKind};
use crate::note::Ready;
use crate::overlays::{Overlay, Picked, PickerEntry};
use crate::text::{columns, neutral};
use crate::update::note;
use crate::work::short;
use ratatui_core::text::{Line, Span};
use reasonix_proto::{
    CacheReport, CacheSum, Change, ChangeKind, CompletionKind, Hit, HookInfo, JobInfo, Level, MemoryInfo, MemoryReach,
    ModelInfo, Op, Phrase, Query, Reply, Rewind, Scope, ServerInfo, SessionEnding, SessionInfo, SettingLayer, Speaker,
    Status, TodoStatus, TreeNode,
};

/// Takes an answer in.
pub(crate) fn show(app: &mut App, purpose: QueryPurpose, reply: Reply) -> Vec<ScreenEffect> {
    match (purpose, reply) {
        (QueryPurpose::Status, Reply::Status(status)) => {
            app.queue.clone_from(&status.queue);
            app.facts.status = Some(*status);
        }
        (QueryPurpose::Git, Reply::Git { git }) => app.facts.git = git,
        (QueryPurpose::Commands, Reply::Commands { commands }) => {
            app.commands = commands;
            if let Some((name, arguments)) = app.early.take() {
                return crate::commands::run(app, &name, &arguments);
            }
        }
        (QueryPurpose::Menu, Reply::Completions { generation, items, more }) if generation == app.generation => {
            if let Some((kind, from, to)) = app.wished {
                // More, and yet fewer than were wanted: it is still being looked for.
                let grows = kind == MenuKind::Reference && more && items.len() < act::CANDIDATES;
                let descends = items.iter().map(|item| item.descends).collect();
                let entry = |item: reasonix_proto::Completion| PickerEntry {
                    value: item.insert,
                    text: item.shown,
                    note: item.note,
                    current: false,
                };
                act::show(app, Menu::new(kind, from, to, items.into_iter().map(entry).collect(), descends));
                if grows {
                    return act::wish(app, kind, CompletionKind::Reference, from, to);
                }
            }
        }
        (QueryPurpose::Recall, Reply::Transcript { from, records, .. }) => {
            if from > 0 {
                note(app, Level::Info, Phrase::new("tui.earlier").with("count", from));
            }
            app.transcript.recall(&records);
        }
        (QueryPurpose::Trust, Reply::Trust(info)) if info.asks_at_start() => {
            let guard = app.ahead.guard(app.now);
            app.overlays.push(Overlay::Trust(Box::new(crate::overlays::TrustOverlay::new(*info, guard))));
            return vec![ScreenEffect::Probe];
        }
        (QueryPurpose::Settings, Reply::Config { settings }) => crate::settings::fill(app, settings),
        (QueryPurpose::TrustShown, Reply::Trust(info)) => return show_trust(app, *info),
        (QueryPurpose::Budget(words), Reply::Budget(info)) => return change_budget(app, &words, info),
        (QueryPurpose::Undo, Reply::Changes { turn, changes, .. }) => confirm_undo(app, turn, changes.len()),
        (QueryPurpose::Undo, Reply::Failed { why }) => note(app, Level::Warning, why),
        (QueryPurpose::EditTodo, Reply::Todo { phases }) => {
            let text = format!("{}\n", reasonix_proto::todo_markdown(&phases));
            app.edits_todo = Some(text.clone());
            return vec![ScreenEffect::Edit(text)];
        }
        (QueryPurpose::Overlay, reply) => fill(app, reply),
        (QueryPurpose::Show, Reply::Servers { servers }) => show_servers(app, &servers),
        (QueryPurpose::Show, Reply::Jobs { jobs }) => show_jobs(app, &jobs),
        (QueryPurpose::Show, Reply::Children { children }) => {
            children.iter().for_each(|run| app.children.learn(run));
            return crate::choices::subagents(app);
        }
        (QueryPurpose::Show, Reply::Around { said }) => show_around(app, &said),
        (QueryPurpose::Show, Reply::Hooks { hooks, flaws }) => show_hooks(app, &hooks, &flaws),
        (QueryPurpose::Show, Reply::Changes { turn, changes, notes }) => show_changes(app, turn, &changes, &notes),
        (QueryPurpose::Show, Reply::Unchanged) => note(app, Level::Info, Phrase::new("tui.diff.none")),
        (QueryPurpose::Undo, Reply::Unchanged) => {
            let session = app.facts.status.as_ref().map(|status| status.session.short().to_owned());
            let phrase = Phrase::new("undo.nothing").with("session", session.unwrap_or_default());
            note(app, Level::Warning, phrase);
        }
        (QueryPurpose::Show, reply) => shown(app, reply),
        _ => {}
    }
    Vec::new()
}

/// Shows the servers, where there are some.
fn show_servers(app: &mut App, servers: &[ServerInfo]) {
    if servers.is_empty() {
        return note(app, Level::Info, Phrase::new("mcp.list_none"));
    }
    let pager = crate::servers::pager(&app.look, servers);
    app.overlays.push(Overlay::Pager(Box::new(pager)));
}

/// Shows the jobs, where there are some.
fn show_jobs(app: &mut App, jobs: &[JobInfo]) {
    if jobs.is_empty() {
        return note(app, Level::Info, Phrase::new("jobs.none"));
    }
    let pager = crate::jobs::pager(&app.look, jobs);
    app.overlays.push(Overlay::Pager(Box::new(pager)));
}

/// Puts what came into the list that waits for it.
fn fill(app: &mut App, reply: Reply) {
    let entries = match reply {
        Reply::Models { models } => model_entries(models),
        Reply::Sessions { sessions, .. } => sessions.into_iter().map(|session| session_entry(app, session)).collect(),
        Reply::Tree { leaf, nodes, older } => {
            if older > 0 {
                note(app, Level::Info, Phrase::new("tui.tree_older").with("count", older));
            }
            // Only what lies on the way to here can be taken back.
            let rewinds = is_rewind(app);
            let nodes = nodes.into_iter().filter(|node| node.active || !rewinds);
            nodes.map(|node| tree_entry(app, node, leaf.0)).collect()
        }
        Reply::Permissions { rules, .. } => rules
            .into_iter()
            .map(|rule| {
                let revoke = |scope| Picked::Send(Box::new(Op::Revoke { rule: rule.rule.clone(), scope }));
                let here = rule.origin.layer == SettingLayer::Session;
                let value = match rule.revocable {
                    true => revoke(if here { Scope::Session } else { Scope::Always }),
                    false => Picked::Stands { rule: rule.rule.clone(), origin: rule.origin.clone() },
                };
                let origin = match here {
                    true => app.look.word("tui.rule.session"),
                    false => reasonix_words::origin_told(app.look.lang, &rule.origin.to_string()).into_owned(),
                };
                let note = format!("{}  {origin}", app.look.word(rule_word(rule.effect)));
                let text = reasonix_words::named(app.look.lang, "rule", &rule.rule).into_owned();
                PickerEntry { value, text, note, current: false }
            })
            .collect(),
        Reply::History { hits, missing } => {
            if missing > 0 {
                note(app, Level::Info, Phrase::new("tui.history.unread").with("count", missing));
            }
            hits.into_iter().map(|hit| hit_entry(app, hit)).collect()
        }
        Reply::Memories { memories } => {
            let entries = memories.iter().map(|memory| memory_entry(&app.look, memory)).collect();
            app.memories = memories;
            entries
        }
        Reply::Failed { why } => {
            app.overlays.pop();
            return note(app, Level::Warning, why);
        }
        _ => return,
    };
    let rewinds = is_rewind(app);
    if let Some(Overlay::Picker(picker)) = app.overlays.last_mut() {
        picker.fill(entries);
        if rewinds {
            picker.choose_last();
        }
    }
}

/// True when it is chosen before which turn to go back.
fn is_rewind(app: &App) -> bool {
    let subject = crate::overlays::Subject::Rewind;
    matches!(app.overlays.last(), Some(Overlay::Picker(picker)) if picker.subject == subject)
}

/// The longest name of a model that others stand in a column with.
const WIDEST_NAME: usize = 48;

/// Models in columns: names and windows; behind them roles and prices, as far as there are any.
fn model_entries(models: Vec<ModelInfo>) -> Vec<PickerEntry> {
    let name = models.iter().map(|model| columns(&model.name)).max().unwrap_or(0).min(WIDEST_NAME);
    let size = models.iter().map(|model| columns(&window(model.window))).max().unwrap_or(0);
    let entry = |model: ModelInfo| {
        // The sign of the one in use stands between its name and its window.
        let sign = if model.current { 0 } else { 2 };
        let pad = " ".repeat((name + sign).saturating_sub(columns(&model.name)));
        let about = [format!("{:>size$}", window(model.window)), model.roles.join(" "), model.price];
        PickerEntry {
            note: about.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join("  "),
            text: format!("{}{pad}", model.name),
            value: Picked::Send(Box::new(Op::SetModel { model: Some(model.name), effort: None })),
            current: model.current,
        }
    };
    models.into_iter().map(entry).collect()
}

fn window(window: u64) -> String {
    if window == 0 { String::new() } else { short(window) }
}

fn session_entry(app: &App, session: SessionInfo) -> PickerEntry {
    let title = if session.title.is_empty() { app.look.word("tui.untitled") } else { session.title };
    let turns = if session.turns == 1 { Phrase::new("tui.turn") } else { Phrase::new("tui.turns") };
    let turns = app.look.say(&turns.with("count", session.turns));
    let ending = app.look.word(ending_word(session.ending));
    let ago = app.look.say(&ago(app, session.active));
    let note = format!("{ago} · {turns} · {ending} · {}", session.id.short());
    PickerEntry { value: Picked::Host(HostRequest::Resume(session.id.0)), text: title, note, current: false }
}

/// How a session ended, in a word.
fn ending_word(ending: SessionEnding) -> &'static str {
    match ending {
        SessionEnding::Done => "tui.ending.done",
        SessionEnding::Interrupted => "tui.ending.interrupted",
        SessionEnding::Limit => "tui.ending.limit",
        SessionEnding::Refused => "tui.ending.refused",
        SessionEnding::Failed => "tui.ending.failed",
        SessionEnding::Open => "tui.ending.open",
        SessionEnding::Broken => "tui.ending.broken",
    }
}

/// How long ago something was, from its time in milliseconds since the Unix epoch.
fn ago(app: &App, at: u64) -> Phrase {
    let now = app.began.saturating_add(u64::try_from(app.now.as_millis()).unwrap_or(u64::MAX));
    let minutes = now.saturating_sub(at) / 60_000;
    match minutes {
        0 => Phrase::new("tui.ago.now"),
        1..60 => Phrase::new("tui.ago.minutes").with("count", minutes),
        60..2880 => Phrase::new("tui.ago.hours").with("count", minutes / 60),
        _ => Phrase::new("tui.ago.days").with("count", minutes / 1440),
    }
}

fn tree_entry(app: &App, node: TreeNode, leaf: u64) -> PickerEntry {
    let rewinds = is_rewind(app);
    let value = if rewinds { Picked::Turn(node.turn) } else { Picked::Place(node.id) };
    let indent = "  ".repeat(usize::try_from(node.depth).unwrap_or(0).min(20));
    let mark = if node.active { "• " } else { "  " };
    let label = node.label.map_or_else(String::new, |label| format!("[{label}] "));
    let text = if rewinds { node.text } else { format!("{indent}{mark}{label}{}", node.text) };
    let note = reasonix_words::named(app.look.lang, "tree", &node.kind).into_owned();
    PickerEntry { value, text, note, current: !rewinds && node.id.0 == leaf }
}

fn hit_entry(app: &App, hit: Hit) -> PickerEntry {
    let look = &app.look;
    let by = look.word(match hit.by {
        Speaker::User => "tui.by.user",
        Speaker::Tool => "tui.by.tool",
        Speaker::Model | Speaker::Other(_) => "tui.by.model",
    });
    let note = format!("{by} · {} · {}", look.say(&ago(app, hit.at)), hit.session.short());
    let around = Query::Around { session: hit.session.to_string(), record: hit.record, span: 6 };
    PickerEntry { value: Picked::Show(Box::new(around)), text: hit.text, note, current: false }
}

fn memory_entry(look: &Look, memory: &MemoryInfo) -> PickerEntry {
    let scope = look.word(if memory.scope == MemoryReach::Global { "tui.memory.global" } else { "tui.memory.project" });
    let value = Picked::Memory { scope: memory.scope.clone(), name: memory.name.clone() };
    PickerEntry { value, text: memory.name.clone(), note: format!("{scope} · {}", memory.description), current: false }
}

/// The hooks, on the whole screen.
fn show_hooks(app: &mut App, hooks: &[HookInfo], flaws: &[Phrase]) {
    let look = app.look.clone();
    let mut lines = Vec::new();
    for hook in hooks {
        let matcher = if hook.matcher.is_empty() { String::new() } else { format!(" {}", hook.matcher) };
        lines.push(Line::styled(neutral(&format!("{}{matcher}", hook.event)).into_owned(), look.theme.accent));
        let text = hook.description.iter().chain([&hook.command]).flat_map(|text| text.lines());
        lines.extend(text.map(|line| Line::styled(format!("  {}", neutral(line)), look.theme.text)));
        let seconds = Phrase::new("tui.hooks.timeout").with("seconds", hook.timeout_seconds());
        let note = format!("  {} · {} · {}", neutral(&hook.source), hook.dialect, look.say(&seconds));
        lines.push(Line::styled(note, look.theme.dim));
        if !hook.trusted {
            lines.push(Line::styled(format!("  {}", look.word("tui.hooks.untrusted")), look.theme.warn));
        }
        lines.push(Line::default());
    }
    if hooks.is_empty() {
        lines.push(Line::styled(look.word("tui.hooks.none"), look.theme.dim));
    }
    lines.extend(flaws.iter().map(|flaw| Line::styled(neutral(&look.say(flaw)).into_owned(), look.theme.warn)));
    let title = Phrase::new("tui.list.hooks");
    app.overlays.push(Overlay::Pager(Box::new(crate::overlays::Pager::new(title, lines, false))));
}

/// What was said around a place of an earlier session, on the whole screen.
fn show_around(app: &mut App, said: &[Hit]) {
    let look = app.look.clone();
    let mut lines = Vec::new();
    for hit in said {
        let entry = hit_entry(app, hit.clone());
        lines.push(Line::styled(entry.note, look.theme.accent));
        let text = hit.text.lines().map(|line| Line::styled(format!("  {}", neutral(line)), look.theme.text));
        lines.extend(text);
        lines.push(Line::default());
    }
    let session = said.first().map(|hit| hit.session.short().to_owned()).unwrap_or_default();
    let title = Phrase::new("tui.history.around").with("session", session);
    app.overlays.push(Overlay::Pager(Box::new(crate::overlays::Pager::new(title, lines, false))));
}

/// What the folder would execute, because the user asked.
fn show_trust(app: &mut App, info: reasonix_proto::TrustInfo) -> Vec<ScreenEffect> {
    if info.surfaces.is_empty() {
        note(app, Level::Info, Phrase::new("tui.trust.nothing"));
        return Vec::new();
    }
    if !info.is_open() {
        let names: Vec<String> = info
            .surfaces
            .iter()
            .map(|surface| {
                let kind = reasonix_words::named(app.look.lang, "surface", &surface.kind);
                format!("{kind} {}", surface.name)
            })
            .collect();
        note(app, Level::Info, Phrase::new("tui.trust.decided").with("what", names.join(", ")));
        return Vec::new();
    }
    let guard = app.ahead.guard(app.now);
    app.overlays.push(Overlay::Trust(Box::new(crate::overlays::TrustOverlay::new(info, guard))));
    vec![ScreenEffect::Probe]
}

/// Changes the limits that were named, and shows what holds now.
fn change_budget(app: &mut App, words: &str, mut info: reasonix_proto::BudgetInfo) -> Vec<ScreenEffect> {
    let Some(allowance) = info.allowed.changed(words) else { return Vec::new() };
    info.allowed = allowance;
    let lines = crate::money::budget_lines(&app.look, &info);
    app.transcript.push(Box::new(Ready(lines)));
    app.send(Op::SetBudget { allowance })
}

/// Yes or no to taking back what a turn did.
fn confirm_undo(app: &mut App, turn: u32, files: usize) {
    let back = Picked::Send(Box::new(Op::Rewind { turn, what: Rewind::Files, summary: None }));
    let entries = vec![app.entry(back, "tui.undo.yes"), app.entry(Picked::Nothing, "tui.undo.no")];
    let phrase = if files == 1 { Phrase::new("tui.undo.title_one") } else { Phrase::new("tui.undo.title") };
    let title = phrase.with("turn", turn).with("count", files);
    let picker = crate::overlays::Picker::short(crate::overlays::Subject::Undo, title, entries);
    app.overlays.push(Overlay::Picker(Box::new(picker)));
}

/// Opens what a turn did to files, on the whole screen.
fn show_changes(app: &mut App, turn: u32, changes: &[Change], notes: &[Phrase]) {
    if changes.is_empty() && notes.is_empty() {
        return note(app, Level::Info, Phrase::new("tui.diff.nothing").with("turn", turn));
    }
    let look = app.look.clone();
    let width = app.size.0.max(1);
    let mut lines = Vec::new();
    for change in changes {
        let path = neutral(&change.path).into_owned();
        let from = match &change.kind {
            ChangeKind::Moved { from } => format!(" ← {}", neutral(from)),
            _ => String::new(),
        };
        lines.push(Line::from(vec![
            Span::styled(path, look.theme.heading),
            Span::styled(from, look.theme.dim),
            Span::styled(format!("  +{}", change.added), look.theme.added),
            Span::styled(format!(" -{}", change.removed), look.theme.removed),
        ]));
        crate::text::diff(&change.diff, &change.path, width, &look, usize::MAX, &mut lines);
        lines.push(Line::default());
    }
    lines.extend(notes.iter().map(|note| Line::styled(look.say(note), look.theme.dim)));
    let title = if changes.len() == 1 { Phrase::new("tui.diff.title_one") } else { Phrase::new("tui.diff.title") };
    let title = title.with("turn", turn).with("count", changes.len());
    app.overlays.push(Overlay::Pager(Box::new(crate::overlays::Pager::new(title, lines, false))));
}

/// Shows an answer in the transcript.
fn shown(app: &mut App, reply: Reply) {
    let look = app.look.clone();
    let dim = |text: String| Span::styled(neutral(&text).into_owned(), look.theme.dim);
    let plain = |text: String| Span::styled(neutral(&text).into_owned(), look.theme.text);
    let heading = heading_of(&reply);
    let lines: Vec<Line<'static>> = match reply {
        Reply::Status(status) => {
            let lines = status_lines(app, &status);
            app.facts.status = Some(*status);
            lines
        }
        Reply::Todo { phases } if phases.is_empty() => return note(app, Level::Info, Phrase::new("tui.no_todo")),
        Reply::Todo { phases } => phases
            .into_iter()
            .flat_map(|phase| {
                let tasks = phase.tasks.into_iter().map(|task| {
                    let sign = match task.status {
                        TodoStatus::Pending => "[ ]",
                        TodoStatus::InProgress => "[~]",
                        TodoStatus::Completed => "[x]",
                        TodoStatus::Abandoned => "[-]",
                    };
                    format!("  {sign} {}", task.content)
                });
                std::iter::once(phase.name).chain(tasks).collect::<Vec<_>>()
            })
            .map(|text| Line::from(plain(format!("  {text}"))))
            .collect(),
        Reply::Context { parts, context, window } => {
            let percent = |tokens: u64| match (tokens * 100).checked_div(window) {
                Some(share) => format!("{share:>3}%"),
                None => String::new(),
            };
            let row = |part: reasonix_proto::ContextPart| {
                let size = format!("  {:>7}  {}  ", short(part.tokens), percent(part.tokens));
                Line::from(vec![plain(size), plain(look.say(&part.name))])
            };
            let used = if context > 0 { context } else { parts.iter().map(|part| part.tokens).sum() };
            let total = format!("  {:>7}  {}  / {}", short(used), percent(used), short(window));
            parts.into_iter().map(row).chain([Line::from(dim(total))]).collect()
        }
        Reply::Goal { goal: None } => return note(app, Level::Info, Phrase::new("flow.no_goal")),
        Reply::Goal { goal: Some(goal) } => crate::money::goal_lines(&look, &goal),
        Reply::Budget(info) => crate::money::budget_lines(&look, &info),
        Reply::Stats { spans, models } => crate::money::stats_lines(&look, &spans, &models),
        Reply::Cache(report) if report.total.requests == 0 => {
            return note(app, Level::Info, Phrase::new("tui.cache.none"));
        }
        Reply::Cache(report) => cache_lines(app, &report),
        Reply::Failed { why } => return note(app, Level::Warning, why),
        _ => return,
    };
    let heading = heading.map(|code| Line::styled(format!("  {}", look.word(code)), look.theme.heading));
    app.transcript.push(Box::new(Ready(heading.into_iter().chain(lines).collect())));
}

/// What stands over a table that would not say by itself what it counts.
fn heading_of(reply: &Reply) -> Option<&'static str> {
    Some(match reply {
        Reply::Status(_) => "tui.heading.status",
        Reply::Context { .. } => "tui.heading.context",
        Reply::Budget(_) => "tui.heading.budget",
        Reply::Cache(_) => "tui.heading.cache",
        _ => return None,
    })
}

/// What was looked at: a sign for each, and a hint where it is not as it should be.
pub(crate) fn report(app: &mut App, lines: &[(Level, Phrase)]) {
    let look = &app.look;
    let theme = &look.theme;
    let width = app.size.0.saturating_sub(2).max(1);
    let mut rows = Vec::new();
    for (level, phrase) in lines {
        let (sign, style) = match level {
            Level::Info => (if look.unicode { "✓" } else { "+" }, theme.good),
            Level::Warning => ("!", theme.warn),
            Level::Error => (if look.unicode { "✗" } else { "x" }, theme.bad),
        };
        let hint = reasonix_words::hint(look.lang, phrase).filter(|_| *level != Level::Info);
        let texts = [Some((look.say(phrase), theme.text)), hint.map(|hint| (hint, theme.dim))];
        for (at, (text, tint)) in texts.into_iter().flatten().enumerate() {
            let pieces = crate::text::wrap(&Line::styled(neutral(&text).into_owned(), tint), width);
            rows.extend(pieces.into_iter().enumerate().map(|(piece, line)| {
                let mark = if at + piece == 0 { format!("{sign} ") } else { "  ".to_owned() };
                Line::from(vec![Span::styled(mark, style), Span::styled(line.to_string(), tint)])
            }));
        }
    }
    app.transcript.push(Box::new(Ready(rows)));
}

/// What was sent before, by turn, and what broke that.
fn cache_lines(app: &App, report: &CacheReport) -> Vec<Line<'static>> {
    let look = &app.look;
    let percent = |part: u64, all: u64| match all {
        0 => "-".to_owned(),
        all => format!("{:.1}%", part as f64 * 100.0 / all as f64),
    };
    let said = |sum: &CacheSum| {
        Phrase::new("cache.sum")
            .with("requests", sum.requests)
            .with("bytes", short(sum.bytes))
            .with("same", percent(sum.same, sum.bytes))
            .with("input", short(sum.input))
            .with("cached", percent(sum.cached, sum.input))
    };
    let plain = |text: String| Line::from(Span::styled(format!("  {text}"), look.theme.text));
    let named = |phrase: Phrase, sum: &CacheSum| {
        let name = look.say(&phrase);
        plain(format!("{}{name}  {}", " ".repeat(10usize.saturating_sub(columns(&name))), look.say(&said(sum))))
    };
    let turns = report.turns.iter().map(|turn| named(Phrase::new("tui.cache.turn").with("turn", turn.turn), &turn.sum));
    let breaks = report.breaks.iter().map(|broke| {
        let why = look.say(&broke.why.phrase());
        let phrase = Phrase::new("cache.break")
            .with("turn", broke.turn)
            .with("why", why)
            .with("at", broke.at)
            .with("tokens", short(broke.tokens));
        Line::from(Span::styled(format!("  {}", look.say(&phrase)), look.theme.dim))
    });
    let skip = report.turns.len().saturating_sub(20);
    // Of a single turn the sum says nothing new.
    let total = (report.turns.len() != 1).then(|| named(Phrase::new("tui.cache.all"), &report.total));
    turns.skip(skip).chain(breaks).chain(total).collect()
}

fn status_lines(app: &App, status: &Status) -> Vec<Line<'static>> {
    let look = &app.look;
    let row = |code, value: String| {
        let name = look.word(code);
        let pad = " ".repeat(16usize.saturating_sub(crate::text::columns(&name)));
        Line::from(vec![
            Span::styled(format!("  {name}{pad}"), look.theme.dim),
            Span::styled(neutral(&value).into_owned(), look.theme.text),
        ])
    };
    let usage = status.usage;
    let share = (usage.cached * 100).checked_div(usage.input).unwrap_or(0);
    let mut rows = vec![
        row("tui.status.session", status.session.to_string()),
        row("tui.status.model", status.model.clone()),
        row("tui.status.folder", status.folder.clone()),
        row("tui.status.turns", status.turns.to_string()),
        row(
            "tui.status.input",
            format!("{} · {}", usage.input, look.say(&Phrase::new("tui.cached").with("share", share))),
        ),
        row("tui.status.output", usage.output.to_string()),
        row("tui.status.context", format!("{} / {}", status.context, status.window)),
    ];
    if let Some(cost) = &status.cost {
        rows.push(row("tui.status.cost", cost.spent_text()));
        rows.push(row("tui.status.saved", cost.saved_text()));
    }
    rows
}
