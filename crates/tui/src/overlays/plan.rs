//! A plan that waits: the whole of it, and what is to become of it. A key answers only alone; words that are typed are what should
//! be different.

use crate::Look;
use crate::app::ScreenEffect;
use crate::keys::{Chord, Code};
use crate::overlays::alone::{Alone, Pending, means_yes};
use crate::overlays::{Guard, KeyHeard, LineField, Outcome, rule};
use crate::text::{columns, cut, neutral};
use ratatui_core::style::Modifier;
use ratatui_core::text::{Line, Span};
use reasonix_proto::{Op, Phrase, PlanAnswer, Proposal};
use std::time::Duration;

/// What a choice does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    Approve { asks: bool },
    Edit,
    Refuse,
    Cancel,
}

/// The choices: their letter, what they are and what they do.
type PlanChoice = (char, &'static str, Does);

const CHOICES: &[PlanChoice] = &[
    ('y', "tui.plan.approve", Does::Approve { asks: false }),
    ('a', "tui.plan.approve_asking", Does::Approve { asks: true }),
    ('e', "tui.plan.edit", Does::Edit),
    ('n', "tui.plan.revise", Does::Refuse),
    ('x', "tui.plan.cancel", Does::Cancel),
];

/// The same for other steps: what is asked about was said with the plan, and a difference is nothing to edit.
const STEP_CHOICES: &[PlanChoice] = &[
    ('y', "tui.plan.steps_accept", Does::Approve { asks: false }),
    ('n', "tui.plan.steps_keep", Does::Refuse),
    ('x', "tui.plan.steps_cancel", Does::Cancel),
];

/// The plan and what is chosen.
#[derive(Debug)]
pub struct PlanOverlay {
    /// What was handed in.
    pub proposal: Proposal,
    /// When it was put on the screen.
    pub guard: Guard,
    /// The plan as the user changed it.
    edited: Option<String>,
    /// What should be different.
    words: LineField,
    writes: bool,
    chosen: usize,
    scroll: usize,
    page: usize,
    /// What is chosen when nothing else is typed.
    pending: Option<Pending>,
    /// Why the last key did nothing.
    said: Option<&'static str>,
}

impl PlanOverlay {
    /// A plan that goes on the screen.
    pub fn new(proposal: Proposal, guard: Guard) -> Self {
        let (edited, words, writes) = (None, LineField::default(), false);
        Self { proposal, guard, edited, words, writes, chosen: 0, scroll: 0, page: 1, pending: None, said: None }
    }

    fn choices(&self) -> &'static [PlanChoice] {
        if self.proposal.revises { STEP_CHOICES } else { CHOICES }
    }

    fn text(&self) -> &str {
        self.edited.as_deref().unwrap_or(&self.proposal.plan)
    }

    /// The user's editor was closed.
    pub fn edited(&mut self, text: &str) {
        let text = text.trim_end();
        self.edited = (!text.trim().is_empty() && text != self.proposal.plan.trim_end()).then(|| text.to_owned());
        self.chosen = 0;
    }

    /// When what was chosen is taken.
    pub fn due(&self) -> Option<Duration> {
        self.pending.as_ref().map(Pending::due)
    }

    /// Time went by: a key that stayed alone is taken.
    pub fn tick(&mut self, now: Duration) -> Outcome {
        match Pending::over(&mut self.pending, now) {
            Some(Alone::Stale) => self.said = Some("tui.ask.alone"),
            Some(Alone::Taken(at)) => return self.pick(at),
            None => {}
        }
        Outcome::Stay
    }

    /// Takes a key.
    pub fn key(&mut self, chord: Chord, heard: KeyHeard, now: Duration) -> Outcome {
        self.said = None;
        let before = self.pending.take();
        if let Some(pending) = &before {
            self.chosen = pending.was;
        }
        match chord.code {
            Code::PageUp => self.scroll = self.scroll.saturating_sub(self.page),
            Code::PageDown => self.scroll += self.page,
            _ if self.writes => return self.write(chord, heard.is_meant()),
            Code::Up => self.chosen = self.chosen.saturating_sub(1),
            Code::Down | Code::Tab => self.chosen = (self.chosen + 1).min(self.choices().len() - 1),
            Code::Esc if heard.is_meant() => return self.stop(),
            Code::Char('c' | 'd') if chord.mods.ctrl && heard.is_meant() => return self.stop(),
            _ if matches!(heard, KeyHeard::Astray | KeyHeard::Soon) => self.said = Some("tui.ask.ignored"),
            Code::Enter if heard == KeyHeard::Meant => self.choose(self.chosen, None, now),
            Code::Char(_) if chord.typed().is_some() => {
                self.typed(chord.typed().unwrap_or_default(), before.as_ref(), heard, now);
            }
            _ => self.said = Some("tui.ask.alone"),
        }
        Outcome::Stay
    }

    /// A letter that is alone chooses; everything else is the beginning of words.
    fn typed(&mut self, c: char, before: Option<&Pending>, heard: KeyHeard, now: Duration) {
        let number = c.to_digit(10).and_then(|digit| usize::try_from(digit).ok()?.checked_sub(1));
        let lower = c.to_lowercase().next().unwrap_or(c);
        let named = self.choices().iter().position(|(key, ..)| *key == lower);
        let at = named.or(number).filter(|at| *at < self.choices().len());
        if let (Some(at), KeyHeard::Meant, None) = (at, heard, before) {
            return self.choose(at, Some(c), now);
        }
        let first = before.and_then(|pending| pending.typed);
        let text: String = first.into_iter().chain([c]).collect();
        if let Some(at) = self.choices().iter().position(|(.., does)| *does == Does::Refuse) {
            self.words = LineField::with(text.trim_start());
            (self.writes, self.chosen) = (true, at);
        }
    }

    fn choose(&mut self, at: usize, typed: Option<char>, now: Duration) {
        let was = std::mem::replace(&mut self.chosen, at);
        self.pending = Some(Pending::new(at, was, typed, now));
    }

    fn pick(&mut self, at: usize) -> Outcome {
        match self.choices().get(at).map(|(_, _, does)| *does) {
            Some(Does::Approve { asks }) => self.answer(PlanAnswer::Approve { edited: self.edited.clone(), asks }),
            Some(Does::Edit) => Outcome::Do(vec![ScreenEffect::Edit(self.text().to_owned())]),
            Some(Does::Refuse) => {
                (self.writes, self.chosen) = (true, at);
                Outcome::Stay
            }
            Some(Does::Cancel) => self.answer(PlanAnswer::Cancel),
            None => Outcome::Stay,
        }
    }

    fn answer(&self, answer: PlanAnswer) -> Outcome {
        Outcome::Done(vec![ScreenEffect::Send(Op::AnswerPlan { ask: self.proposal.ask.clone(), answer })])
    }

    /// Not this plan, and the turn stops; planning goes on with the next prompt.
    fn stop(&self) -> Outcome {
        let answer = Op::AnswerPlan { ask: self.proposal.ask.clone(), answer: PlanAnswer::default() };
        Outcome::Done(vec![ScreenEffect::Send(answer), ScreenEffect::Send(Op::Interrupt)])
    }

    /// A key while it is written what should be different.
    fn write(&mut self, chord: Chord, meant: bool) -> Outcome {
        match chord.code {
            Code::Enter if !meant => self.said = Some("tui.ask.ignored"),
            Code::Enter if means_yes(self.words.text().trim()) => {
                (self.writes, self.said) = (false, Some("tui.ask.alone"));
            }
            Code::Enter => return self.answer(PlanAnswer::Revise { note: self.words.text().trim().to_owned() }),
            Code::Esc => self.writes = false,
            Code::Char('c') if chord.mods.ctrl => self.writes = false,
            _ => {
                self.words.key(chord);
            }
        }
        Outcome::Stay
    }

    /// Takes a paste where words are written; it never answers.
    pub fn paste(&mut self, text: &str) -> Outcome {
        self.pending = None;
        match self.writes {
            true => self.words.paste(text),
            false => self.said = Some("tui.ask.pasted"),
        }
        Outcome::Stay
    }

    /// Its rows: the plan, scrolled where it is long, and the choices; and the caret where words are written.
    pub fn view(&mut self, width: u16, most: usize, look: &Look) -> (Vec<Line<'static>>, Option<(u16, u16)>) {
        let code = match (self.proposal.revises, self.edited.is_some()) {
            (true, _) => "tui.plan.title_steps",
            (false, true) => "tui.plan.title_edited",
            (false, false) => "tui.plan.title",
        };
        let title = Line::styled(look.word(code), look.theme.plan.add_modifier(Modifier::BOLD));
        let mut lines = vec![rule(width, look, look.theme.plan), title];
        let (feet, column) = self.feet(width, look);
        let inner = width.saturating_sub(2).max(1);
        let mut body = crate::text::markdown::lines(&neutral(self.text()), inner, look);
        if width > 4 {
            body.iter_mut().for_each(|line| line.spans.insert(0, Span::raw("  ")));
        }
        let room = most.saturating_sub(lines.len() + feet.len()).max(1);
        let hidden = body.len().saturating_sub(room);
        self.scroll = self.scroll.min(hidden);
        self.page = room.saturating_sub(1).max(1);
        let (all, from) = (body.len(), self.scroll);
        lines.extend(body.into_iter().skip(from).take(room));
        if hidden > 0 {
            let phrase = Phrase::new("tui.more_lines").with("from", from + 1).with("to", from + room).with("of", all);
            lines.pop();
            lines.push(Line::styled(format!("  {}", look.say(&phrase)), look.theme.accent));
        }
        // The words stand in the last row but two: behind their choice comes one more, and the keys.
        let row = lines.len() + feet.len().saturating_sub(3);
        lines.extend(feet);
        let caret = column.map(|column| (column.min(width.saturating_sub(1)), u16::try_from(row).unwrap_or(u16::MAX)));
        (lines, caret)
    }

    fn feet(&self, width: u16, look: &Look) -> (Vec<Line<'static>>, Option<u16>) {
        let mut lines = vec![Line::default()];
        let mut caret = None;
        let room = usize::from(width);
        for (at, (key, code, does)) in self.choices().iter().enumerate() {
            let here = at == self.chosen;
            let style = if here { look.theme.chosen } else { look.theme.text };
            let sign = if here { "› " } else { "  " };
            let text = format!("{sign}{key}  {}", look.word(code));
            if *does == Does::Refuse && self.writes {
                let head = format!("{sign}{key}  ");
                let left = room.saturating_sub(columns(&head) + 1).max(1);
                let (words, at) = self.words.shown(left);
                caret = u16::try_from(columns(&head) + at).ok();
                lines.push(Line::from(vec![Span::styled(head, style), Span::styled(words, look.theme.text)]));
            } else {
                lines.push(Line::styled(cut(&text, room).to_owned(), style));
            }
        }
        let (code, style) = match (self.said, self.writes) {
            (Some(said), _) => (said, look.theme.warn),
            (_, true) => ("tui.plan.keys_words", look.theme.dim),
            _ if self.proposal.revises => ("tui.plan.steps_keys", look.theme.dim),
            _ => ("tui.plan.keys", look.theme.dim),
        };
        let text = look.word(code);
        lines.push(crate::overlays::keys_line(&text, width, style));
        (lines, caret)
    }
}
