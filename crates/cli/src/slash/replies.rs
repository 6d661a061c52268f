//! Answers to queries, in lines.

use crate::say::{Style, clean};
use crate::undo::turn_lines;
use crate::view::todo_lines;
use reasonix_proto::{
    BudgetInfo, ChildRun, GoalInfo, Hit, HookInfo, JobInfo, Level, Phrase, Reply, Status, job_words, money_text,
};

/// What an answer says, a line each; or the sentence that takes its place.
pub(crate) fn reply_lines(reply: &Reply) -> Result<Vec<String>, (Level, Phrase)> {
    let style = Style::get();
    Ok(match reply {
        Reply::Status(status) => status_lines(style, status),
        Reply::Todo { phases } if phases.iter().all(|phase| phase.tasks.is_empty()) => {
            return Err((Level::Info, Phrase::new("cli.no_todo")));
        }
        Reply::Todo { phases } => todo_lines(style.lang, phases).iter().map(|line| clean(line)).collect(),
        Reply::Context { parts, context, window } => crate::parts::lines(parts, *context, *window),
        Reply::Cache(report) if report.total.requests == 0 => {
            return Err((Level::Info, Phrase::new("tui.cache.none")));
        }
        Reply::Cache(report) => crate::cache::lines(report),
        Reply::Goal { goal: None } => return Err((Level::Info, Phrase::new("flow.no_goal"))),
        Reply::Goal { goal: Some(goal) } => goal_lines(style, goal),
        Reply::Budget(info) => budget_lines(style, info),
        Reply::Stats { spans, models } => {
            let mut lines = crate::stats::table_lines(spans, true);
            lines.push(String::new());
            lines.extend(crate::stats::table_lines(models, false));
            lines
        }
        Reply::Changes { turn, changes, notes } if changes.is_empty() && notes.is_empty() => {
            return Err((Level::Info, Phrase::new("tui.diff.nothing").with("turn", turn)));
        }
        Reply::Changes { turn, changes, notes } => {
            let mut lines = turn_lines(*turn, changes, true);
            lines.extend(notes.iter().map(|note| style.text(note)));
            lines
        }
        Reply::Unchanged => return Err((Level::Info, Phrase::new("tui.diff.none"))),
        Reply::Servers { servers } if servers.is_empty() => return Err((Level::Info, Phrase::new("mcp.list_none"))),
        Reply::Servers { servers } => {
            servers.iter().flat_map(|server| crate::mcp::server_lines(style, server)).collect()
        }
        Reply::Hooks { hooks, flaws } if hooks.is_empty() && flaws.is_empty() => {
            return Err((Level::Info, Phrase::new("tui.hooks.none")));
        }
        Reply::Hooks { hooks, flaws } => {
            let said = flaws.iter().map(|flaw| style.text(flaw));
            hooks.iter().flat_map(|hook| hook_lines(style, hook)).chain(said).collect()
        }
        Reply::Children { children } if children.is_empty() => {
            return Err((Level::Info, Phrase::new("tui.child.none")));
        }
        Reply::Children { children } => children.iter().map(|run| child_line(style, run)).collect(),
        Reply::Jobs { jobs } if jobs.is_empty() => return Err((Level::Info, Phrase::new("jobs.none"))),
        Reply::Jobs { jobs } => {
            let how = style.text(&Phrase::new("jobs.how"));
            jobs.iter().flat_map(|job| job_lines(style, job)).chain([how]).collect()
        }
        Reply::Around { said } => said.iter().flat_map(said_lines).collect(),
        Reply::Failed { why } => return Err((Level::Warning, why.clone())),
        _ => return Err((Level::Warning, Phrase::new("engine.not_possible"))),
    })
}

fn child_line(style: Style, run: &ChildRun) -> String {
    let standing = match &run.end {
        None => "tui.child.works",
        Some(_) if run.lost => "tui.child.lost",
        Some(_) => "tui.child.over",
    };
    clean(&format!("{}  {} · {}  {}", run.child, run.agent, style.text(&Phrase::new(standing)), run.task))
}

fn job_lines(style: Style, job: &JobInfo) -> Vec<String> {
    let mut lines = vec![format!("{}  {}", job.job, style.text(&job_words(job)))];
    let about = Some(&job.description).filter(|about| !about.is_empty());
    lines.extend(
        about.into_iter().chain([&job.command]).flat_map(|text| text.lines().take(8)).map(|line| format!("  {line}")),
    );
    lines.extend(job.tail.lines().map(|line| format!("    {line}")));
    lines.iter().map(|line| clean(line)).collect()
}

fn hook_lines(style: Style, hook: &HookInfo) -> Vec<String> {
    let matcher = if hook.matcher.is_empty() { String::new() } else { format!(" {}", hook.matcher) };
    let seconds = Phrase::new("tui.hooks.timeout").with("seconds", hook.timeout_seconds());
    let mut lines = vec![format!("{}{matcher}", hook.event)];
    lines.extend(hook.description.iter().chain([&hook.command]).map(|text| format!("  {text}")));
    lines.push(format!("  {} · {} · {}", hook.source, hook.dialect, style.text(&seconds)));
    if !hook.trusted {
        lines.push(format!("  {}", style.text(&Phrase::new("tui.hooks.untrusted"))));
    }
    lines.iter().map(|line| clean(line)).collect()
}

fn status_lines(style: Style, status: &Status) -> Vec<String> {
    let share = (status.context * 100).checked_div(status.window);
    let phrase = Phrase::new("cli.status")
        .with("session", &status.session)
        .with("model", &status.model)
        .with("input", status.usage.input)
        .with("cached", status.usage.cached)
        .with("output", status.usage.output)
        .with("context", status.context)
        .with("window", status.window)
        .with("share", share.map_or_else(|| "?".to_owned(), |share| format!("{share}%")));
    let mut lines: Vec<String> = style.text(&phrase).lines().map(clean).collect();
    if let Some(cost) = &status.cost {
        let named = |code, value: String| format!("{}  {value}", style.text(&Phrase::new(code)));
        lines.push(clean(&named("tui.status.cost", cost.spent_text())));
        lines.push(clean(&named("tui.status.saved", cost.saved_text())));
    }
    lines
}

fn goal_lines(style: Style, goal: &GoalInfo) -> Vec<String> {
    let standing = (Phrase::new("flow.shown_standing"), goal.standing_word());
    let rows = goal.rows().into_iter().chain([standing]);
    rows.map(|(name, text)| clean(&format!("{}  {}", style.text(&name), style.text(&text)))).collect()
}

fn budget_lines(style: Style, info: &BudgetInfo) -> Vec<String> {
    let word = |code| style.text(&Phrase::new(code));
    let spent = info.costs.iter().max_by_key(|cost| cost.spent);
    let currency = spent.map_or("", |cost| cost.currency.as_str());
    let row = |code, spent: String, allowed: Option<String>| {
        clean(&format!("{}  {spent} / {}", word(code), allowed.unwrap_or_else(|| word("tui.budget.none"))))
    };
    let cost = spent.map_or_else(|| "-".to_owned(), |cost| cost.spent_text());
    vec![
        row("tui.budget.cost", cost, info.allowed.cost.map(|amount| money_text(amount, currency))),
        row("tui.budget.tokens", info.tokens.to_string(), info.allowed.tokens.map(|tokens| tokens.to_string())),
        row("tui.budget.time", format!("{} s", info.seconds), info.allowed.seconds.map(|all| format!("{all} s"))),
    ]
}

fn said_lines(hit: &Hit) -> Vec<String> {
    let head = clean(&format!(
        "{}:{}  {}",
        hit.session.short(),
        hit.record,
        reasonix_words::named(Style::get().lang, "by", &hit.by.to_string())
    ));
    std::iter::once(head).chain(hit.text.lines().map(|line| format!("    {}", clean(line)))).collect()
}
