//! What may be spent and what was, in a few lines; and what is typed to change it.

use crate::look::Look;
use crate::text::{columns, neutral};
use ratatui_core::text::{Line, Span};
use reasonix_proto::{BudgetInfo, GoalInfo, Phrase, Tally, money_text};

fn row(look: &Look, code: &'static str, value: String) -> Line<'static> {
    named(look, &look.word(code), value)
}

fn named(look: &Look, name: &str, value: String) -> Line<'static> {
    let pad = " ".repeat(16usize.saturating_sub(columns(name)));
    Line::from(vec![Span::styled(format!("  {name}{pad}"), look.theme.dim), Span::styled(value, look.theme.text)])
}

/// What may be spent, and what was.
pub(crate) fn budget_lines(look: &Look, info: &BudgetInfo) -> Vec<Line<'static>> {
    let spent = info.costs.iter().max_by_key(|cost| cost.spent);
    let currency = spent.map_or("", |cost| cost.currency.as_str());
    let none = look.word("tui.budget.none");
    let of = |spent: String, allowed: Option<String>| format!("{spent} / {}", allowed.unwrap_or_else(|| none.clone()));
    let money = |amount: u64| money_text(amount, currency);
    let cost = of(spent.map_or_else(|| "-".to_owned(), |cost| cost.spent_text()), info.allowed.cost.map(money));
    vec![
        row(look, "tui.budget.cost", cost),
        row(
            look,
            "tui.budget.tokens",
            of(info.tokens.to_string(), info.allowed.tokens.map(|tokens| tokens.to_string())),
        ),
        row(
            look,
            "tui.budget.time",
            of(format!("{} s", info.seconds), info.allowed.seconds.map(|all| format!("{all} s"))),
        ),
    ]
}

/// The goal: what it is, where it stands and what it took.
pub(crate) fn goal_lines(look: &Look, goal: &GoalInfo) -> Vec<Line<'static>> {
    let standing = (Phrase::new("flow.shown_standing"), goal.standing_word());
    let rows = goal.rows().into_iter().chain([standing]);
    rows.map(|(name, text)| named(look, &look.say(&name), neutral(&look.say(&text)).into_owned())).collect()
}

/// What all sessions spent.
pub(crate) fn stats_lines(look: &Look, spans: &[Tally], models: &[Tally]) -> Vec<Line<'static>> {
    let name = |tally: &Tally| match tally.name.as_str() {
        "today" => look.word("tui.stats.today"),
        "week" => look.word("tui.stats.week"),
        "month" => look.word("tui.stats.month"),
        _ => look.word("tui.stats.all"),
    };
    let named = spans.iter().map(|tally| (name(tally), tally));
    let all: Vec<(String, &Tally)> = named.chain(models.iter().map(|tally| (tally.name.clone(), tally))).collect();
    let widest = all.iter().map(|(name, _)| columns(name)).max().unwrap_or(0);
    let right = |code, room: usize| {
        let word = look.word(code);
        format!("{}{word}", " ".repeat(room.saturating_sub(columns(&word))))
    };
    let head = format!(
        "  {}  {}  {}  {}  {}",
        " ".repeat(widest),
        right("tui.stats.requests", 8),
        right("tui.stats.tokens", 12),
        right("tui.stats.cached", 6),
        right("tui.stats.cost", 9)
    );
    let line = |(name, tally): (String, &Tally)| {
        let pad = " ".repeat(widest.saturating_sub(columns(&name)));
        let costs: Vec<String> = tally.costs.iter().map(|cost| cost.spent_text()).collect();
        let cost = if costs.is_empty() { "-".to_owned() } else { costs.join(" + ") };
        let share = tally.cached_share();
        let tokens = tally.usage.tokens();
        let figures = format!("{:>8}  {tokens:>12}  {share:>4} %  {cost:>9}", tally.requests);
        let name = crate::text::neutral(&name).into_owned();
        Line::from(vec![
            Span::styled(format!("  {name}{pad}  "), look.theme.dim),
            Span::styled(figures, look.theme.text),
        ])
    };
    std::iter::once(Line::styled(head, look.theme.dim)).chain(all.into_iter().map(line)).collect()
}
