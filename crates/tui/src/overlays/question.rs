//! Questions of the model: one after the other, with what can be chosen and a place for words of one's own.

use crate::Look;
use crate::app::ScreenEffect;
use crate::keys::{Chord, Code};
use crate::overlays::{Guard, KeyHeard, LineField, Outcome, block, rule};
use crate::text::{columns, cut, neutral};
use ratatui_core::style::Modifier;
use ratatui_core::text::{Line, Span};
use reasonix_proto::{Inquiry, Op, Phrase, Question as Asked, Response};

/// The questions and what was said so far.
#[derive(Debug)]
pub struct QuestionOverlay {
    /// What is asked.
    pub inquiry: Inquiry,
    /// When it was put on the screen.
    pub guard: Guard,
    given: Vec<Given>,
    /// The question that is shown; behind the last one stands the summary.
    at: usize,
    scroll: usize,
    page: usize,
    /// True while words of one's own are written.
    writes: bool,
    /// True once a key was meant for the words: what was typed before is not part of them.
    heard: bool,
    /// True when a key was not taken, so that the user is told why.
    ignored: bool,
}

/// What was said to one question.
#[derive(Debug, Default)]
struct Given {
    /// The row the cursor is on; the last one is for words of one's own.
    row: usize,
    ticked: Vec<bool>,
    words: LineField,
    done: bool,
}

/// What the model reads when several could be chosen and none was.
const NONE: &str = "none of these";

impl Given {
    fn to(asked: &Asked) -> Self {
        let row = asked.recommended.unwrap_or(0);
        Self { row, ticked: vec![false; asked.options.len()], ..Self::default() }
    }

    fn response(&self, asked: &Asked) -> Response {
        let ticked = asked.options.iter().zip(&self.ticked).filter(|(_, ticked)| **ticked);
        let words = self.words.text().trim();
        let words = if self.is_none(asked) { NONE } else { words };
        Response {
            question: asked.id.clone(),
            chosen: ticked.map(|(option, _)| option.label.clone()).collect(),
            text: (!words.is_empty()).then(|| words.to_owned()),
        }
    }

    /// True when it was answered with nothing of what could be ticked.
    fn is_none(&self, asked: &Asked) -> bool {
        let bare = self.words.text().trim().is_empty() && !self.ticked.contains(&true);
        self.done && bare && asked.multi && !asked.options.is_empty()
    }
}

impl QuestionOverlay {
    /// Questions that go on the screen.
    pub fn new(inquiry: Inquiry, guard: Guard) -> Self {
        let given = inquiry.questions.iter().map(Given::to).collect();
        let (writes, heard, ignored) = (false, false, false);
        let mut question = Self { inquiry, guard, given, at: 0, scroll: 0, page: 1, writes, heard, ignored };
        question.arrive();
        question
    }

    /// A question without options is answered in words.
    fn arrive(&mut self) {
        self.scroll = 0;
        self.writes = self.asked().is_some_and(|asked| asked.options.is_empty());
    }

    fn asked(&self) -> Option<&Asked> {
        self.inquiry.questions.get(self.at)
    }

    fn is_one(&self) -> bool {
        self.inquiry.questions.len() == 1
    }

    /// Takes a key.
    pub fn key(&mut self, chord: Chord, heard: KeyHeard) -> Outcome {
        let meant = heard.is_meant();
        match chord.code {
            Code::PageUp => self.scroll = self.scroll.saturating_sub(self.page),
            Code::PageDown => self.scroll += self.page,
            Code::Char('c' | 'd') if chord.mods.ctrl && meant => return Outcome::Interrupt,
            _ if self.writes => return self.write(chord, heard),
            Code::Up => self.step(false),
            Code::Down => self.step(true),
            Code::Left => self.turn(false),
            Code::Right | Code::Tab => self.turn(true),
            // Words that came at once are the beginning of an answer of one's own, as at every other question.
            Code::Char(c) if heard == KeyHeard::Together && chord.typed().is_some() && !is_choice(c) => {
                return self.choose(c);
            }
            _ if !meant => self.ignored = true,
            Code::Esc => return self.send(Vec::new()),
            Code::Enter => return self.enter(),
            Code::Char(c) if chord.typed().is_some() => return self.choose(c),
            _ => {}
        }
        Outcome::Stay
    }

    fn step(&mut self, down: bool) {
        let last = self.asked().map_or(0, |asked| asked.options.len());
        if let Some(given) = self.given.get_mut(self.at) {
            given.row = match (down, given.row) {
                (true, row) if row >= last => 0,
                (true, row) => row + 1,
                (false, 0) => last,
                (false, row) => row - 1,
            };
        }
    }

    /// Goes to the question before or behind this one; what was said stays.
    fn turn(&mut self, on: bool) {
        let last = if self.is_one() { 0 } else { self.inquiry.questions.len() };
        self.at = if on { (self.at + 1).min(last) } else { self.at.saturating_sub(1) };
        self.arrive();
    }

    /// A digit chooses, and so does the space bar; among several, both only tick. What else is typed is an answer in words of one's own.
    fn choose(&mut self, c: char) -> Outcome {
        let Some(asked) = self.inquiry.questions.get(self.at) else { return Outcome::Stay };
        let (multi, count) = (asked.multi, asked.options.len());
        let Some(given) = self.given.get_mut(self.at) else { return Outcome::Stay };
        let digit = c.to_digit(10).and_then(|digit| usize::try_from(digit).ok()?.checked_sub(1));
        match digit.or((c == ' ').then_some(given.row)).filter(|row| *row <= count) {
            None => {
                given.row = count;
                given.words.paste(c.encode_utf8(&mut [0; 4]));
                (self.writes, self.heard) = (true, true);
                Outcome::Stay
            }
            Some(row) => {
                given.row = row;
                match given.ticked.get_mut(row).filter(|_| multi) {
                    Some(tick) => *tick = !*tick,
                    None => return self.enter(),
                }
                Outcome::Stay
            }
        }
    }

    /// Takes the row: an option answers, the last row is written in, and the summary sends. Where several can be ticked
    /// the ticked ones answer.
    fn enter(&mut self) -> Outcome {
        let Some(asked) = self.inquiry.questions.get(self.at) else { return self.finish() };
        let (multi, count) = (asked.multi, asked.options.len());
        let Some(given) = self.given.get_mut(self.at) else { return Outcome::Stay };
        if given.row >= count {
            (self.writes, self.heard) = (true, true);
            return Outcome::Stay;
        }
        if !multi {
            given.ticked.iter_mut().enumerate().for_each(|(at, tick)| *tick = at == given.row);
            given.words.clear();
        }
        self.answered()
    }

    /// Goes on: to the next open question, to the summary, or out.
    fn answered(&mut self) -> Outcome {
        if let Some(given) = self.given.get_mut(self.at) {
            given.done = true;
        }
        self.writes = false;
        let none = self.inquiry.questions.iter().zip(&self.given).any(|(asked, given)| given.is_none(asked));
        // Whoever ticked nothing sees what that means before it is sent.
        if self.is_one() && !none {
            return self.finish();
        }
        let open = self.given.iter().enumerate().find(|(at, given)| *at > self.at && !given.done);
        let any = || self.given.iter().position(|given| !given.done);
        self.at = open.map(|(at, _)| at).or_else(any).unwrap_or(self.given.len());
        self.arrive();
        Outcome::Stay
    }

    /// A key while words of one's own are written.
    fn write(&mut self, chord: Chord, heard: KeyHeard) -> Outcome {
        let meant = heard.is_meant();
        // An input method gives several letters at once: they answer nothing.
        self.heard |= meant || (heard == KeyHeard::Together && chord.typed().is_some());
        let has_options = self.asked().is_some_and(|asked| !asked.options.is_empty());
        let multi = self.asked().is_some_and(|asked| asked.multi);
        if !self.heard || (matches!(chord.code, Code::Enter | Code::Esc) && !meant) {
            self.ignored = true;
            return Outcome::Stay;
        }
        let Some(given) = self.given.get_mut(self.at) else { return Outcome::Stay };
        match chord.code {
            Code::Enter if given.words.text().trim().is_empty() => self.writes = !has_options,
            Code::Enter => {
                if !multi {
                    given.ticked.iter_mut().for_each(|tick| *tick = false);
                }
                return self.answered();
            }
            Code::Esc if has_options => self.writes = false,
            Code::Esc => return self.send(Vec::new()),
            Code::Up if has_options => {
                self.writes = false;
                self.step(false);
            }
            Code::Tab => self.turn(true),
            _ => {
                given.words.key(chord);
            }
        }
        Outcome::Stay
    }

    /// Takes a paste where words are written; it never answers.
    pub fn paste(&mut self, text: &str) -> Outcome {
        let (writes, heard) = (self.writes, self.heard);
        if let Some(given) = self.given.get_mut(self.at).filter(|_| writes && heard) {
            given.words.paste(text);
        } else {
            self.ignored = true;
        }
        Outcome::Stay
    }

    fn finish(&self) -> Outcome {
        let all = self.inquiry.questions.iter().zip(&self.given);
        self.send(all.map(|(asked, given)| given.response(asked)).collect())
    }

    fn send(&self, responses: Vec<Response>) -> Outcome {
        Outcome::Done(vec![ScreenEffect::Send(Op::Respond { ask: self.inquiry.ask.clone(), responses })])
    }

    /// Its rows: the question, scrolled where it is long, and the answers; and the caret where words are written.
    pub fn view(&mut self, width: u16, most: usize, look: &Look) -> (Vec<Line<'static>>, Option<(u16, u16)>) {
        let mut lines = vec![rule(width, look, look.theme.accent)];
        if let Some(server) = &self.inquiry.server {
            let whose = Phrase::new("tui.question.server").with("server", server);
            block(&mut lines, &look.say(&whose), width, look.theme.warn);
        }
        lines.push(self.title(look));
        let (mut feet, caret) = self.feet(width, look);
        // Where there is no room for all of them, the row of the cursor is among those that are there.
        let head = lines.len();
        let room = most.saturating_sub(head + 1).max(1);
        let cursor = 1 + self.given.get(self.at).map_or(0, |given| given.row);
        let keys = feet.pop();
        let from = (cursor + 1).saturating_sub(room).min(feet.len().saturating_sub(room));
        let mut feet: Vec<Line<'static>> = feet.into_iter().skip(from).take(room).collect();
        feet.extend(keys);
        let mut body = Vec::new();
        self.body(&mut body, width, look);
        let left = most.saturating_sub(head + feet.len());
        let hidden = body.len() > left;
        // One row says how much more there is.
        let shown = if hidden && left > 1 { left - 1 } else { left };
        self.scroll = self.scroll.min(body.len().saturating_sub(shown));
        self.page = shown.max(1);
        let (all, first) = (body.len(), self.scroll);
        lines.extend(body.into_iter().skip(first).take(shown));
        if hidden && left > 1 {
            let to = (first + shown).min(all);
            let phrase = Phrase::new("tui.more_lines").with("from", first + 1).with("to", to).with("of", all);
            lines.push(Line::styled(format!("  {}", look.say(&phrase)), look.theme.accent));
        }
        let above = lines.len();
        lines.extend(feet);
        let caret = caret.filter(|(_, row)| *row >= from).map(|(column, row)| {
            (column.min(width.saturating_sub(1)), u16::try_from(above + row - from).unwrap_or(u16::MAX))
        });
        (lines, caret)
    }

    fn title(&self, look: &Look) -> Line<'static> {
        let count = self.inquiry.questions.len();
        let phrase = match (count, self.at) {
            (of, at) if at >= of => Phrase::new("tui.question.summary"),
            (1, _) => Phrase::new("tui.question.title"),
            (of, at) => Phrase::new("tui.question.numbered").with("at", at + 1).with("of", of),
        };
        Line::styled(look.say(&phrase), look.theme.accent.add_modifier(Modifier::BOLD))
    }

    fn body(&self, lines: &mut Vec<Line<'static>>, width: u16, look: &Look) {
        match self.asked() {
            Some(asked) => block(lines, &reasonix_words::step_told(look.lang, &asked.question), width, look.theme.text),
            None => {
                for (asked, given) in self.inquiry.questions.iter().zip(&self.given) {
                    block(lines, &asked.question, width, look.theme.dim);
                    let said = given.response(asked);
                    let none = given.is_none(asked).then(|| look.word("tui.question.none"));
                    let words: Vec<String> = said.chosen.into_iter().chain(none.or(said.text)).collect();
                    let (text, style) = match words.is_empty() {
                        true => (look.word("tui.question.open"), look.theme.warn),
                        false => (words.join(", "), look.theme.text),
                    };
                    block(lines, &format!("  {text}"), width, style);
                }
            }
        }
    }

    /// The answers and the keys; and where the caret stands in them.
    fn feet(&self, width: u16, look: &Look) -> (Vec<Line<'static>>, Option<(u16, usize)>) {
        let mut lines = vec![Line::default()];
        let mut caret = None;
        if let (Some(asked), Some(given)) = (self.asked(), self.given.get(self.at)) {
            for place in 0..asked.options.len() {
                lines.push(option_line((asked, self.inquiry.step), given, place, width, look));
            }
            let (line, column) = self.own_line(asked, given, width, look);
            caret = self.writes.then_some((column, lines.len()));
            lines.push(line);
        }
        let code = match self.asked() {
            _ if self.ignored => "tui.ask.ignored",
            None => "tui.question.keys_summary",
            Some(asked) if self.writes && asked.options.is_empty() => "tui.question.keys_only_words",
            Some(_) if self.writes => "tui.question.keys_words",
            Some(asked) if asked.multi => "tui.question.keys_multi",
            Some(_) if self.is_one() => "tui.question.keys",
            Some(_) => "tui.question.keys_several",
        };
        let style = if self.ignored { look.theme.warn } else { look.theme.dim };
        let text = look.word(code);
        lines.push(crate::overlays::keys_line(&text, width, style));
        (lines, caret)
    }

    /// The row for words of one's own.
    fn own_line(&self, asked: &Asked, given: &Given, width: u16, look: &Look) -> (Line<'static>, u16) {
        let here = given.row >= asked.options.len() || self.writes;
        let style = if here { look.theme.chosen } else { look.theme.text };
        let sign = if here { "› " } else { "  " };
        let number = if asked.options.is_empty() { String::new() } else { format!("{}  ", asked.options.len() + 1) };
        if !self.writes && given.words.text().is_empty() {
            let text = format!("{sign}{number}{}", look.word("tui.question.other"));
            return (Line::styled(cut(&text, usize::from(width)).to_owned(), style), 0);
        }
        let start = columns(sign) + columns(&number);
        let room = usize::from(width).saturating_sub(start + 1).max(1);
        let (words, caret) = given.words.shown(room);
        let own = vec![Span::styled(format!("{sign}{number}"), style), Span::styled(words, look.theme.text)];
        (Line::from(own), u16::try_from(start + caret).unwrap_or(u16::MAX))
    }
}

/// True for what chooses at once.
fn is_choice(c: char) -> bool {
    c.is_ascii_digit() || c == ' '
}

/// What is offered behind a step of a plan, for people.
fn step_word(label: &str) -> Option<&'static str> {
    match label {
        "continue" => Some("tui.step.continue"),
        "revise" => Some("tui.step.revise"),
        "stop" => Some("tui.step.stop"),
        _ => None,
    }
}

/// One thing that can be chosen.
fn option_line((asked, step): (&Asked, bool), given: &Given, place: usize, width: u16, look: &Look) -> Line<'static> {
    let Some(option) = asked.options.get(place) else { return Line::default() };
    let here = place == given.row;
    let style = if here { look.theme.chosen } else { look.theme.text };
    let sign = if here { "› " } else { "  " };
    let ticked = given.ticked.get(place).copied().unwrap_or(false);
    let tick = match (asked.multi, ticked) {
        (true, true) => "[x] ",
        (true, false) => "[ ] ",
        (false, true) => "✓ ",
        (false, false) => "",
    };
    let clean = |text: &str| neutral(text).replace(['\n', '\t'], " ");
    let room = usize::from(width);
    let label = step_word(&option.label).filter(|_| step).map_or_else(|| clean(&option.label), |code| look.word(code));
    let head = format!("{sign}{}  {tick}{label}", place + 1);
    let head = if columns(&head) > room { format!("{}…", cut(&head, room.saturating_sub(1))) } else { head };
    let mut note = clean(&option.note);
    if asked.recommended == Some(place) {
        let mark = look.word("tui.question.recommended");
        note = if note.is_empty() { mark } else { format!("{mark} · {note}") };
    }
    let left = room.saturating_sub(columns(&head) + 2);
    let note = if columns(&note) > left { format!("{}…", cut(&note, left.saturating_sub(1))) } else { note };
    let note = if left < 2 || note.is_empty() { String::new() } else { format!("  {note}") };
    Line::from(vec![Span::styled(head, style), Span::styled(note, look.theme.dim)])
}
