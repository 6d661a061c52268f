//! The question about a call: everything that an answer is about, and the answers. A key approves only alone, and only
//! after all of what it is about was on the screen; words that are typed are the beginning of a no.

mod about;
mod offers;

pub use about::what;

use crate::Look;
use crate::app::ScreenEffect;
use crate::keys::{Chord, Code};
use crate::overlays::alone::{Alone, Pending, means_yes};
use crate::overlays::seen::Seen;
use crate::overlays::{Guard, KeyHeard, LineField, Outcome, keys_line};
use about::About;
use offers::{Offer, Take, offers};
use ratatui_core::text::{Line, Span};
use reasonix_proto::{Asking, Choice, Op, Phrase};
use std::time::Duration;

/// The question and what is chosen.
#[derive(Debug)]
pub struct Approval {
    /// What is asked.
    pub asking: Asking,
    /// When it was put on the screen.
    pub guard: Guard,
    about: About,
    offers: Vec<Offer>,
    chosen: usize,
    scroll: usize,
    page: usize,
    /// True when what it is about, and why it is dangerous, is on the screen.
    legible: bool,
    /// What of it was on the screen.
    seen: Seen,
    /// The first row that is on the screen now, whatever was scrolled since.
    drawn: usize,
    /// What is chosen when nothing else is typed.
    pending: Option<Pending>,
    writes: Option<Writes>,
    /// True while the command is in the user's editor.
    away: bool,
    /// Why the last key did nothing.
    said: Option<&'static str>,
}

/// So many lines of what it is about are on the screen before anything else is.
const LEAST: usize = 3;

/// What is being written.
#[derive(Debug)]
struct Writes {
    words: LineField,
    /// The command in place of the model's; otherwise what the model is told with a no.
    command: bool,
}

impl Approval {
    /// A question that goes on the screen.
    pub fn new(asking: Asking, guard: Guard) -> Self {
        let offers = offers(&asking);
        // What is dangerous is not one Enter away.
        let chosen = if asking.danger.is_empty() { 0 } else { offers.len().saturating_sub(1) };
        let (scroll, page, legible, seen, drawn) = (0, 1, true, Seen::default(), 0);
        let (about, pending, writes, away, said) = (About::default(), None, None, false, None);
        Self { asking, guard, about, offers, chosen, scroll, page, legible, seen, drawn, pending, writes, away, said }
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
        if self.writes.is_some() {
            return self.write(chord, heard);
        }
        let last = self.offers.len().saturating_sub(1);
        match chord.code {
            Code::Up => self.chosen = self.chosen.saturating_sub(1),
            Code::Down | Code::Tab => self.chosen = (self.chosen + 1).min(last),
            Code::PageUp => self.scroll = self.scroll.saturating_sub(self.page),
            Code::PageDown => self.forward(self.page),
            Code::Home => self.scroll = 0,
            Code::End => self.scroll = usize::MAX / 2,
            Code::Char('c' | 'd') if chord.mods.ctrl && heard.is_meant() => return self.stop(),
            Code::Esc if heard.is_meant() => return self.stop(),
            _ if matches!(heard, KeyHeard::Astray | KeyHeard::Soon) => self.said = Some("tui.ask.ignored"),
            Code::Enter if heard == KeyHeard::Meant => self.choose(self.chosen, None, now),
            Code::Char(_) if chord.typed().is_some() => {
                return self.typed(chord.typed().unwrap_or_default(), before, heard, now);
            }
            _ => self.said = Some("tui.ask.alone"),
        }
        Outcome::Stay
    }

    /// A letter that is alone chooses; everything else is the beginning of words.
    fn typed(&mut self, c: char, before: Option<Pending>, heard: KeyHeard, now: Duration) -> Outcome {
        let number = c.to_digit(10).and_then(|digit| usize::try_from(digit).ok()?.checked_sub(1));
        let lower = c.to_lowercase().next().unwrap_or(c);
        let named = self.offers.iter().position(|offer| offer.key == lower);
        let at = named.or(number).filter(|at| *at < self.offers.len());
        if let (Some(at), KeyHeard::Meant, None) = (at, heard, &before) {
            self.choose(at, Some(c), now);
        } else if self.is_own() {
            self.said = Some("tui.ask.alone");
        } else {
            let first = before.and_then(|pending| pending.typed);
            let text: String = first.into_iter().chain([c]).collect();
            self.begin(text.trim_start(), false);
            // Whoever leaves the words again is one Enter away from the no that they began, and from nothing else.
            self.chosen = self.offers.len().saturating_sub(1);
        }
        Outcome::Stay
    }

    /// True for a command of the user's own, of which no model hears.
    fn is_own(&self) -> bool {
        self.asking.call.is_own_command()
    }

    fn begin(&mut self, text: &str, command: bool) {
        let words = LineField::with(text);
        self.writes = (command || !text.is_empty()).then_some(Writes { words, command });
    }

    /// What is chosen is taken when nothing else is typed. Nothing is allowed that was not seen, all of it.
    fn choose(&mut self, at: usize, typed: Option<char>, now: Duration) {
        let Some(offer) = self.offers.get(at) else { return };
        match offer.take {
            Take::Choice(Choice::Deny) => {}
            // A changed command is a yes too, to everything beside it that stands here.
            _ if !self.legible => {
                self.said = Some("tui.ask.too_small");
                return;
            }
            _ if !self.seen.is_whole() => {
                self.scroll = self.seen.next(self.about.rows().len()).unwrap_or(self.scroll);
                self.said = Some("tui.ask.unread");
                return;
            }
            _ => {}
        }
        let was = std::mem::replace(&mut self.chosen, at);
        self.pending = Some(Pending::new(at, was, typed, now));
    }

    fn pick(&mut self, at: usize) -> Outcome {
        match self.offers.get(at).map(|offer| offer.take.clone()) {
            Some(Take::Choice(choice)) => self.send(choice, None, None),
            // A line can be written here; more than one is for an editor.
            Some(Take::Edit) if self.asking.subject.contains('\n') => {
                self.away = true;
                Outcome::Do(vec![ScreenEffect::Edit(self.asking.subject.clone())])
            }
            Some(Take::Edit) => {
                let line = self.asking.subject.clone();
                self.begin(&line, true);
                Outcome::Stay
            }
            None => Outcome::Stay,
        }
    }

    fn op(&self, choice: Choice, words: Option<String>, edited: Option<String>) -> Op {
        let digest = Some(self.asking.digest.clone()).filter(|digest| !digest.is_empty());
        Op::Answer { ask: self.asking.ask.clone(), choice, digest, words, edited }
    }

    fn send(&self, choice: Choice, words: Option<String>, edited: Option<String>) -> Outcome {
        Outcome::Done(vec![ScreenEffect::Send(self.op(choice, words, edited))])
    }

    /// No, and the turn stops.
    fn stop(&self) -> Outcome {
        Outcome::Done(vec![ScreenEffect::Send(self.op(Choice::Deny, None, None)), ScreenEffect::Send(Op::Interrupt)])
    }

    /// True while it is this question's command that the user has in their editor.
    pub fn is_away(&self) -> bool {
        self.away
    }

    /// Scrolls a little.
    pub fn wheel(&mut self, up: bool) {
        if up { self.scroll = self.scroll.saturating_sub(3) } else { self.forward(3) }
    }

    /// Scrolls on. However fast the keys come, no page is passed over before it was drawn.
    fn forward(&mut self, rows: usize) {
        let farthest = if self.seen.is_whole() { usize::MAX / 2 } else { self.drawn + self.page };
        self.scroll = (self.scroll + rows).min(farthest.max(self.scroll));
    }

    /// The command was changed.
    pub fn edited(&mut self, text: &str) -> Outcome {
        self.away = false;
        let line = text.trim_end();
        if !self.asking.editable || line.trim().is_empty() || line == self.asking.subject.trim_end() {
            return Outcome::Stay;
        }
        self.send(Choice::AllowOnce, None, Some(line.to_owned()))
    }

    /// A key while something is written.
    fn write(&mut self, chord: Chord, heard: KeyHeard) -> Outcome {
        let Some(Writes { words, .. }) = &mut self.writes else { return Outcome::Stay };
        match chord.code {
            Code::PageUp => self.scroll = self.scroll.saturating_sub(self.page),
            Code::PageDown => self.forward(self.page),
            Code::Enter | Code::Esc if !heard.is_meant() => self.said = Some("tui.ask.ignored"),
            Code::Enter => return self.written(heard),
            Code::Esc => self.writes = None,
            Code::Char('c') if chord.mods.ctrl => self.writes = None,
            _ => {
                words.key(chord);
            }
        }
        Outcome::Stay
    }

    /// What was written is sent.
    fn written(&mut self, heard: KeyHeard) -> Outcome {
        let Some(Writes { words, command }) = &self.writes else { return Outcome::Stay };
        let text = words.text().trim().to_owned();
        if *command {
            // It is a yes like any other: the key for it comes alone.
            if heard != KeyHeard::Meant {
                self.said = Some("tui.ask.alone");
                return Outcome::Stay;
            }
            let outcome = self.edited(&text);
            self.writes = None;
            return outcome;
        }
        self.writes = None;
        if text.is_empty() || means_yes(&text) {
            self.said = Some("tui.ask.alone");
            return Outcome::Stay;
        }
        self.send(Choice::Deny, Some(text), None)
    }

    /// Takes a paste where something is written; it never answers, and begins nothing.
    pub fn paste(&mut self, text: &str) -> Outcome {
        self.pending = None;
        match &mut self.writes {
            Some(writes) => writes.words.paste(text),
            None => self.said = Some("tui.ask.pasted"),
        }
        Outcome::Stay
    }

    /// Its rows, and the caret where something is written: what it is and why it is dangerous, always; what it is about,
    /// scrolled where it is long; and the answers.
    pub fn view(&mut self, width: u16, most: usize, look: &Look) -> (Vec<Line<'static>>, Option<(u16, u16)>) {
        let head = self.about.head(&self.asking, width, look);
        if self.about.draw(&self.asking, width, look) {
            self.seen.forget();
        }
        let all = self.about.rows().len();
        let least = all.min(LEAST);
        let full = self.feet(width, look).0.len();
        let cramped = head.rows.len() + 1 + full + least > most;
        let mut lines = if cramped { head.cramped() } else { head.whole(width, look) };
        if cramped {
            lines.truncate(most.saturating_sub(least + 1));
        }
        let told = !cramped || lines.len() >= head.dangers;
        let left = most.saturating_sub(lines.len());
        let feet = if cramped { self.few_feet(left.saturating_sub(least).max(1), width, look).len() } else { full };
        let room = left.saturating_sub(feet);
        let hidden = all > room;
        // One row says how much more there is.
        let shown = if hidden && room > 1 { room - 1 } else { room.min(all) };
        self.legible = told && (shown > 0 || all == 0);
        self.scroll = self.scroll.min(all.saturating_sub(shown));
        self.page = shown.max(1);
        let from = self.scroll;
        self.drawn = from;
        if self.legible {
            self.seen.show(from..(from + shown).min(all), all);
        }
        lines.extend(self.about.rows().iter().skip(from).take(shown).cloned());
        if hidden && room > 1 {
            let place = format!("  {}", look.say(&self.position(from, (from + shown).min(all), all)));
            lines.push(Line::styled(place, look.theme.accent));
        }
        let (rows, caret) = self.feet(width, look);
        lines.extend(if cramped { self.few_feet(feet, width, look) } else { rows });
        let row = u16::try_from(lines.len().saturating_sub(2)).unwrap_or(u16::MAX);
        (lines, caret.map(|column| (column.min(width.saturating_sub(1)), row)))
    }

    /// Which rows are on the screen, and how many never were.
    fn position(&self, from: usize, to: usize, all: usize) -> Phrase {
        let code = match (to < all, self.seen.is_whole()) {
            (true, true) => "tui.more_lines",
            (false, true) => "tui.last_lines",
            (true, false) => "tui.ask.more_unseen",
            (false, false) => "tui.ask.last_unseen",
        };
        let phrase = Phrase::new(code).with("from", from + 1).with("to", to).with("of", all);
        if self.seen.is_whole() { phrase } else { phrase.with("unseen", self.seen.unseen(all)) }
    }

    /// The answers and the keys; and the column of the caret, which is in the last row but one.
    fn feet(&self, width: u16, look: &Look) -> (Vec<Line<'static>>, Option<u16>) {
        let mut lines = vec![Line::default()];
        let Some(writes) = &self.writes else {
            for (at, offer) in self.offers.iter().enumerate() {
                lines.extend(offer.rows(at == self.chosen, width, look));
            }
            lines.push(self.last_line(width, look));
            return (lines, None);
        };
        let code = if writes.command { "tui.ask.instead" } else { "tui.ask.tell" };
        crate::overlays::block(&mut lines, &look.word(code), width, look.theme.accent);
        let room = usize::from(width).saturating_sub(3).max(1);
        let (words, caret) = writes.words.shown(room);
        let column = u16::try_from(2 + caret).unwrap_or(u16::MAX);
        lines.push(Line::from(vec![Span::styled("› ", look.theme.chosen), Span::styled(words, look.theme.text)]));
        lines.push(self.last_line(width, look));
        (lines, Some(column))
    }

    /// The answers where there is little room: the chosen one, and what is left of the others.
    fn few_feet(&self, room: usize, width: u16, look: &Look) -> Vec<Line<'static>> {
        if self.writes.is_some() {
            let (mut lines, _) = self.feet(width, look);
            // What is written stands in the last row but one.
            return lines.split_off(lines.len().saturating_sub(room.max(2)));
        }
        let rows = |at: usize| self.offers.get(at).map(|offer| offer.rows(at == self.chosen, width, look));
        let mut lines = rows(self.chosen).unwrap_or_default();
        lines.truncate(room);
        let mut after = (self.chosen + 1..self.offers.len()).chain(0..self.chosen);
        while let Some(more) = after.next().and_then(rows) {
            if lines.len() + more.len() > room {
                break;
            }
            lines.extend(more);
        }
        if lines.len() < room || self.said.is_some() {
            lines.truncate(room.saturating_sub(1));
            lines.push(self.last_line(width, look));
        }
        lines
    }

    fn last_line(&self, width: u16, look: &Look) -> Line<'static> {
        let code = match (self.said, &self.writes) {
            (Some(said), _) => said,
            (None, Some(writes)) if writes.command => "tui.ask.keys_instead",
            (None, Some(_)) => "tui.ask.keys_tell",
            (None, None) if !self.seen.is_whole() => "tui.ask.keys_long",
            (None, None) if self.is_own() => "tui.ask.keys_own",
            (None, None) => "tui.ask.keys",
        };
        let style = if self.said.is_some() { look.theme.warn } else { look.theme.dim };
        if code != "tui.ask.unread" {
            return keys_line(&look.word(code), width, style);
        }
        // The key that came too early may have brought the rest onto the screen.
        if self.seen.is_whole() {
            return keys_line(&look.word("tui.ask.now_seen"), width, style);
        }
        let unseen = self.seen.unseen(self.about.rows().len());
        keys_line(&look.say(&Phrase::new(code).with("unseen", unseen)), width, style)
    }
}
