//! The status line: the model, how much is asked, the sandbox, how full the context is, the money, the place.

use crate::Look;
use crate::text::{columns, neutral};
use crate::work::short;
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};
use reasonix_proto::{Git, GoalInfo, GoalStanding, Mode, Phrase, Posture, Status};

/// A piece of the status line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// Model and effort.
    Model,
    /// How much is asked.
    Posture,
    /// The sandbox of commands.
    Sandbox,
    /// How full the context is.
    Context,
    /// What the session cost.
    Cost,
    /// The part of the input that came from the cache.
    Cache,
    /// Branch and changed files.
    Git,
    /// The working folder.
    Folder,
    /// How many jobs run.
    Jobs,
}

/// Each piece: its name in the settings, and how early it gives way where there is no room.
const PIECES: &[(Piece, &str, u8)] = &[
    (Piece::Model, "model", 1),
    (Piece::Posture, "posture", 0),
    (Piece::Jobs, "jobs", 1),
    (Piece::Sandbox, "sandbox", 3),
    (Piece::Context, "context", 2),
    (Piece::Cost, "cost", 4),
    (Piece::Cache, "cache", 7),
    (Piece::Git, "git", 5),
    (Piece::Folder, "folder", 6),
];

impl Piece {
    /// All of them, in the order they are built in.
    pub fn all() -> Vec<Self> {
        PIECES.iter().map(|(piece, _, _)| *piece).collect()
    }

    /// Reads a name of the settings.
    pub fn of(name: &str) -> Option<Self> {
        PIECES.iter().find(|(_, known, _)| *known == name).map(|(piece, _, _)| *piece)
    }

    fn rank(self) -> u8 {
        PIECES.iter().find(|(piece, _, _)| *piece == self).map_or(9, |(_, _, rank)| *rank)
    }
}

/// What the line shows.
#[derive(Debug, Clone)]
pub struct StatusFacts {
    /// What the engine says.
    pub status: Option<Status>,
    /// The repository.
    pub git: Option<Git>,
    /// Which pieces, in order.
    pub pieces: Vec<Piece>,
    /// The user's home folder, shown as `~`.
    pub home: String,
    /// The window's title.
    pub title: String,
}

impl Default for StatusFacts {
    fn default() -> Self {
        Self { status: None, git: None, pieces: Piece::all(), home: String::new(), title: String::new() }
    }
}

impl StatusFacts {
    /// The model without its provider.
    pub fn model(&self) -> &str {
        let model = self.status.as_ref().map_or("", |status| status.model.as_str());
        model.split_once('/').map_or(model, |(_, name)| name)
    }

    /// The line; what has no room is left out, the least important first.
    pub fn line(&self, width: u16, look: &Look) -> Line<'static> {
        let Some(status) = &self.status else { return Line::default() };
        let all = self.pieces.iter().filter_map(|piece| Some((*piece, self.piece(*piece, status, look)?)));
        let mut parts: Vec<(Piece, (String, Style))> = all.filter(|(_, (text, _))| !text.is_empty()).collect();
        let room = usize::from(width).saturating_sub(2);
        while parts.len() > 1 && total(&parts) > room {
            let worst = parts.iter().enumerate().max_by_key(|(_, (piece, _))| piece.rank()).map(|(at, _)| at);
            parts.remove(worst.unwrap_or(0));
        }
        let mut line = Line::from(Span::raw("  "));
        for (index, (_, (text, style))) in parts.into_iter().enumerate() {
            if index > 0 {
                line.push_span(Span::styled(" · ", look.theme.rule));
            }
            line.push_span(Span::styled(text, style));
        }
        line
    }

    fn piece(&self, piece: Piece, status: &Status, look: &Look) -> Option<(String, Style)> {
        let dim = look.theme.dim;
        match piece {
            Piece::Model => {
                let effort = status.effort.as_ref().map_or_else(String::new, |effort| format!(" {effort}"));
                Some((neutral(&format!("{}{effort}", self.model())).into_owned(), dim))
                    .filter(|(text, _)| !text.is_empty())
            }
            Piece::Posture if status.mode == Mode::Plan => Some((look.word("tui.mode.plan"), look.theme.plan)),
            Piece::Posture => {
                let (word, style) = match status.posture {
                    Posture::Ask => (look.word("tui.posture.ask"), dim),
                    Posture::Auto => (look.word("tui.posture.auto"), look.theme.warn),
                    Posture::Yolo => (look.word("tui.posture.yolo"), look.theme.bad),
                };
                let (word, style) = match &status.goal {
                    Some(goal) => (format!("{} · {word}", goal_word(goal, look)), look.theme.accent),
                    None => (word, style),
                };
                match status.agent.as_str() {
                    "" => Some((word, style)),
                    agent => Some((neutral(&format!("{agent} · {word}")).into_owned(), style)),
                }
            }
            Piece::Sandbox => match status.sandbox.as_str() {
                "" => None,
                "full" => Some((look.word("tui.sandbox.full"), dim)),
                level => {
                    let text = look.say(&Phrase::new("tui.sandbox.other").with("level", level));
                    Some((text, look.theme.warn))
                }
            },
            Piece::Jobs => {
                let count = Some(status.jobs).filter(|count| *count > 0)?;
                Some((look.say(&Phrase::new("tui.jobs").with("count", count)), look.theme.warn))
            }
            Piece::Context => context(status, look),
            Piece::Cost => status.cost.as_ref().filter(|cost| cost.spent > 0).map(|cost| (cost.spent_text(), dim)),
            Piece::Cache => {
                let share = (status.usage.cached * 100).checked_div(status.usage.input).filter(|share| *share > 0)?;
                Some((look.say(&Phrase::new("tui.cached").with("share", share)), dim))
            }
            Piece::Git => {
                let git = self.git.as_ref()?;
                let dirt = git.dirty.filter(|dirty| *dirty > 0).map_or_else(String::new, |dirty| format!(" ±{dirty}"));
                Some((neutral(&format!("{}{dirt}", git.branch)).into_owned(), dim))
            }
            Piece::Folder => {
                let folder = neutral(&self.folder(&status.folder)).into_owned();
                (!folder.is_empty()).then_some((folder, dim))
            }
        }
    }

    fn folder(&self, folder: &str) -> String {
        match folder.strip_prefix(&self.home) {
            Some("") if !self.home.is_empty() => "~".to_owned(),
            Some(rest) if !self.home.is_empty() && rest.starts_with('/') => format!("~{rest}"),
            _ => folder.to_owned(),
        }
    }
}

/// The goal in a few letters: its turns and tokens, with their limits.
fn goal_word(goal: &GoalInfo, look: &Look) -> String {
    let of = |spent: String, allowed: u64| match allowed {
        0 => spent,
        allowed => format!("{spent}/{}", short(allowed)),
    };
    match goal.standing {
        GoalStanding::Done => look.word("flow.status_done"),
        GoalStanding::Paused => look.word("flow.status_paused"),
        GoalStanding::Active => {
            let turns = of(goal.turns.saturating_add(1).to_string(), goal.limits.turns.into());
            let text = look.say(&Phrase::new("flow.status").with("turns", turns));
            format!("{text} {}", of(short(goal.tokens), goal.limits.tokens))
        }
    }
}

fn total(parts: &[(Piece, (String, Style))]) -> usize {
    parts.iter().map(|(_, (text, _))| columns(text) + 3).sum::<usize>().saturating_sub(3)
}

fn context(status: &Status, look: &Look) -> Option<(String, Style)> {
    if status.window == 0 {
        return (status.context > 0).then(|| (short(status.context), look.theme.dim));
    }
    let share = status.context * 100 / status.window;
    let style = match share {
        0..70 => look.theme.dim,
        70..90 => look.theme.warn,
        _ => look.theme.bad,
    };
    Some((format!("{}/{} {share}%", short(status.context), short(status.window)), style))
}
