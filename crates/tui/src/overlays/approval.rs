//! The question about a call: everything that an answer is about, and the answers.

use crate::Look;
use crate::app::Effect;
use crate::keys::{Chord, Code};
use crate::overlays::{Guard, Outcome};
use crate::text::{Rich, Wrapped, columns, neutral, wrap};
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};
use reasonix_proto::{Asking, Choice, Op, Phrase};

/// The question and what is chosen.
#[derive(Debug)]
pub struct Approval {
    /// What is asked.
    pub asking: Asking,
    /// When it was put on the screen.
    pub guard: Guard,
    offers: Vec<Offer>,
    chosen: usize,
    scroll: usize,
    page: usize,
    /// True when a key was not taken, so that the user is told why.
    ignored: bool,
    /// True when at least a line of what it is about is on the screen.
    legible: bool,
}

/// So many lines of what it is about are on the screen before anything else is.
const LEAST: usize = 3;

/// One answer.
#[derive(Debug)]
struct Offer {
    key: char,
    choice: Choice,
    label: Phrase,
}

impl Approval {
    /// A question that goes on the screen.
    pub fn new(asking: Asking, guard: Guard) -> Self {
        let offers = offers(&asking);
        // What is dangerous is not one Enter away.
        let chosen = if asking.danger.is_empty() { 0 } else { offers.len().saturating_sub(1) };
        Self { asking, guard, offers, chosen, scroll: 0, page: 1, ignored: false, legible: true }
    }

    /// Takes a key.
    pub fn key(&mut self, chord: Chord, meant: bool) -> Outcome {
        let last = self.offers.len().saturating_sub(1);
        match chord.code {
            Code::Up => self.chosen = self.chosen.saturating_sub(1),
            Code::Down | Code::Tab => self.chosen = (self.chosen + 1).min(last),
            Code::PageUp => self.scroll = self.scroll.saturating_sub(self.page),
            Code::PageDown => self.scroll += self.page,
            _ if !meant => self.ignored = true,
            Code::Esc => return self.stop(),
            Code::Char('c') if chord.mods.ctrl => return self.stop(),
            Code::Enter => return self.answer(self.chosen),
            Code::Char(c) => {
                let number = c.to_digit(10).and_then(|digit| usize::try_from(digit).ok()?.checked_sub(1));
                let lower = c.to_lowercase().next().unwrap_or(c);
                let at = self.offers.iter().position(|offer| offer.key == lower).or(number);
                if let Some(at) = at.filter(|at| *at <= last && chord.typed().is_some()) {
                    return self.answer(at);
                }
            }
            _ => {}
        }
        Outcome::Stay
    }

    fn op(&self, choice: Choice) -> Op {
        let digest = Some(self.asking.digest.clone()).filter(|digest| !digest.is_empty());
        Op::Answer { ask: self.asking.ask.clone(), choice, digest }
    }

    fn answer(&mut self, at: usize) -> Outcome {
        match self.offers.get(at) {
            // What cannot be seen cannot be allowed.
            Some(offer) if !self.legible && offer.choice != Choice::Deny => {
                self.ignored = true;
                Outcome::Stay
            }
            Some(offer) => Outcome::Done(vec![Effect::Send(self.op(offer.choice.clone()))]),
            None => Outcome::Stay,
        }
    }

    /// No, and the turn stops.
    fn stop(&self) -> Outcome {
        Outcome::Done(vec![Effect::Send(self.op(Choice::Deny)), Effect::Send(Op::Interrupt)])
    }

    /// Its rows: what it is about, scrolled where it is long, and the answers. What it is about is there on the smallest
    /// screen that has room for it, whatever else is not.
    pub fn view(&mut self, width: u16, most: usize, look: &Look) -> Vec<Line<'static>> {
        let mut head = self.head(width, look);
        let mut feet = self.feet(width, look);
        let body = self.body(width, look);
        if head.len() + feet.len() + body.len().min(LEAST) > most {
            head.remove(0);
            let room = most.saturating_sub(head.len() + body.len().min(LEAST)).max(1);
            feet = self.few_feet(room, width, look);
        }
        if head.len() + feet.len() + 1 > most {
            head.clear();
        }
        let room = most.saturating_sub(head.len() + feet.len());
        let hidden = body.len() > room;
        // One row says how much more there is.
        let shown = if hidden && room > 1 { room - 1 } else { room.min(body.len()) };
        self.legible = shown > 0;
        self.scroll = self.scroll.min(body.len().saturating_sub(shown));
        self.page = shown.max(1);
        let mut lines = head;
        let (all, from) = (body.len(), self.scroll);
        lines.extend(body.into_iter().skip(from).take(shown));
        if hidden && room > 1 {
            let to = (from + shown).min(all);
            let phrase = Phrase::new("tui.more_lines").with("from", from + 1).with("to", to).with("of", all);
            lines.push(Line::styled(format!("  {}", look.say(&phrase)), look.theme.accent));
        }
        lines.extend(feet);
        lines
    }

    fn head(&self, width: u16, look: &Look) -> Vec<Line<'static>> {
        let style = if self.asking.danger.is_empty() { look.theme.warn } else { look.theme.bad };
        let title = look.say(&Phrase::new("tui.ask.title").with("tool", neutral(&self.asking.tool)));
        let bar = rule(width, look, style);
        vec![bar, Line::styled(title, style.add_modifier(ratatui_core::style::Modifier::BOLD))]
    }

    fn body(&self, width: u16, look: &Look) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        let asking = &self.asking;
        let subject = asking.visible.as_ref().unwrap_or(&asking.subject);
        block(&mut lines, subject, width, look.theme.text);
        if asking.visible.is_some() {
            block(&mut lines, &look.word("tui.ask.hidden"), width, look.theme.bad);
        }
        for danger in &asking.danger {
            block(&mut lines, &format!("! {}", look.say(&danger.why)), width, look.theme.bad);
            if !danger.touches.is_empty() {
                let text = look.say(&Phrase::new("tui.ask.touches").with("what", danger.touches.join(", ")));
                block(&mut lines, &text, width, look.theme.bad);
            }
        }
        for field in asking.fields.iter().filter(|field| asking.diff.is_none() && field.value != *subject) {
            block(&mut lines, &format!("{}: {}", field.name, field.value), width, look.theme.dim);
        }
        if let Some(diff) = &asking.diff {
            let margin = if width > 24 { 2 } else { 0 };
            let mut drawn = Vec::new();
            crate::text::diff(diff, &asking.subject, width - margin, look, usize::MAX, &mut drawn);
            for line in &mut drawn {
                line.spans.insert(0, Span::raw(" ".repeat(usize::from(margin))));
            }
            lines.append(&mut drawn);
        }
        let why = look.say(&asking.why);
        let digest: String = asking.digest.chars().take(12).collect();
        let sign = if digest.is_empty() { why } else { format!("{why} · {digest}") };
        block(&mut lines, &sign, width, look.theme.dim);
        lines
    }

    fn feet(&self, width: u16, look: &Look) -> Vec<Line<'static>> {
        let mut lines = vec![Line::default()];
        for at in 0..self.offers.len() {
            lines.extend(self.offer_lines(at, width, look));
        }
        lines.push(self.last_line(width, look));
        lines
    }

    /// The answers where there is little room: the chosen one, and what is left of the others.
    fn few_feet(&self, room: usize, width: u16, look: &Look) -> Vec<Line<'static>> {
        let mut lines = self.offer_lines(self.chosen, width, look);
        lines.truncate(room);
        let mut after = (self.chosen + 1..self.offers.len()).chain(0..self.chosen);
        while let Some(more) = after.next().map(|at| self.offer_lines(at, width, look)) {
            if lines.len() + more.len() > room {
                break;
            }
            lines.extend(more);
        }
        if lines.len() < room || self.ignored {
            lines.truncate(room.saturating_sub(1));
            lines.push(self.last_line(width, look));
        }
        lines
    }

    fn last_line(&self, width: u16, look: &Look) -> Line<'static> {
        let code = match (self.legible, self.ignored) {
            (false, true) => "tui.ask.too_small",
            (true, true) => "tui.ask.ignored",
            (_, false) => "tui.ask.keys",
        };
        let style = if self.ignored { look.theme.warn } else { look.theme.dim };
        keys_line(&look.word(code), width, style)
    }

    /// One answer, whole: a rule that holds for good must be readable to its end.
    fn offer_lines(&self, at: usize, width: u16, look: &Look) -> Vec<Line<'static>> {
        let Some(offer) = self.offers.get(at) else { return Vec::new() };
        let here = at == self.chosen;
        let style = if here { look.theme.chosen } else { look.theme.text };
        let first = [Span::styled(format!("{}{}  ", if here { "› " } else { "  " }, offer.key), style)];
        let rest = [Span::raw("     ")];
        let rich = Rich::new(&neutral(&look.say(&offer.label)), style);
        let mut lines = Vec::new();
        let (first, rest): (&[Span<'static>], &[Span<'static>]) =
            if width > 16 { (&first, &rest) } else { (&first, &[]) };
        Wrapped { rich: &rich, width: usize::from(width), first, rest }.into_lines(&mut lines);
        lines
    }
}

/// The answers that were offered, each with its letter: `y`, `s` and `p` for the session, `a` and `b` for good, `n`.
fn offers(asking: &Asking) -> Vec<Offer> {
    let (mut session, mut always) = (['s', 'p'].into_iter(), ['a', 'b'].into_iter());
    let offer = |choice: &Choice| {
        let (key, label) = match choice {
            Choice::AllowOnce => ('y', Phrase::new("tui.ask.once")),
            Choice::AllowSession { rule } => (session.next()?, Phrase::new("tui.ask.session").with("rule", rule)),
            Choice::AllowAlways { rule } => (always.next()?, Phrase::new("tui.ask.always").with("rule", rule)),
            Choice::Deny => ('n', denial(asking)),
        };
        Some(Offer { key, choice: choice.clone(), label })
    };
    let mut offers: Vec<Offer> = asking.choices.iter().filter_map(offer).collect();
    if !offers.iter().any(|offer| offer.choice == Choice::Deny) {
        offers.push(Offer { key: 'n', choice: Choice::Deny, label: denial(asking) });
    }
    offers
}

/// What a no comes to: of a command that the user typed the model hears nothing.
fn denial(asking: &Asking) -> Phrase {
    if asking.call.as_str().starts_with("shell-") {
        Phrase::new("tui.ask.deny_own")
    } else {
        Phrase::new("tui.ask.deny")
    }
}

/// A line across the screen.
pub(crate) fn rule(width: u16, look: &Look, style: Style) -> Line<'static> {
    let sign = if look.unicode { "─" } else { "-" };
    Line::from(Span::styled(sign.repeat(usize::from(width)), style))
}

/// What the keys do, in one row. Where there is no room for all of it, the first and the last stay the longest.
pub(crate) fn keys_line(text: &str, width: u16, style: Style) -> Line<'static> {
    const BETWEEN: &str = " · ";
    let room = usize::from(width).saturating_sub(2);
    let mut parts: Vec<&str> = text.split(BETWEEN).collect();
    while parts.len() > 1 && columns(&parts.join(BETWEEN)) > room {
        parts.remove(if parts.len() > 2 { parts.len() - 2 } else { 0 });
    }
    Line::styled(format!("  {}", crate::text::cut(&parts.join(BETWEEN), room)), style)
}

/// A text, indented and wrapped.
pub(crate) fn block(lines: &mut Vec<Line<'static>>, text: &str, width: u16, style: Style) {
    let room = width.saturating_sub(2).max(1);
    for line in text.split('\n') {
        for piece in wrap(&Line::styled(neutral(line).replace('\t', "    "), style), room) {
            let mut spans = vec![Span::raw(if columns("  ") < usize::from(width) { "  " } else { "" })];
            spans.extend(piece.spans.into_iter().map(|span| Span::styled(span.content, piece.style.patch(span.style))));
            lines.push(Line::from(spans));
        }
    }
}
