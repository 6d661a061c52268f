//! The question about a folder: what it would execute, whole, and yes or no. A yes counts only after all of it was on the
//! screen, and by a key that stays alone.

use crate::Look;
use crate::app::ScreenEffect;
use crate::keys::{Chord, Code};
use crate::overlays::alone::{Alone, Pending};
use crate::overlays::seen::Seen;
use crate::overlays::{Guard, KeyHeard, Outcome, block, keys_line, rule};
use ratatui_core::text::Line;
use reasonix_proto::{Op, Phrase, SurfaceInfo, TrustInfo, TrustStanding};
use std::time::Duration;

/// The question and how far it was read.
#[derive(Debug)]
pub struct TrustOverlay {
    info: TrustInfo,
    /// When it was put on the screen.
    pub guard: Guard,
    scroll: usize,
    page: usize,
    /// Which rows, of how many, were on the screen, and at which width they were broken.
    seen: Seen,
    all: usize,
    width: u16,
    /// The first row that is on the screen now, whatever was scrolled since.
    drawn: usize,
    /// A yes that is taken when nothing else is typed.
    pending: Option<Pending>,
    /// Why the last key did nothing.
    said: Option<&'static str>,
}

impl TrustOverlay {
    /// A question that goes on the screen.
    pub fn new(info: TrustInfo, guard: Guard) -> Self {
        let (scroll, page, seen, all, width, drawn) = (0, 1, Seen::default(), 0, 0, 0);
        Self { info, guard, scroll, page, seen, all, width, drawn, pending: None, said: None }
    }

    /// When a yes is taken.
    pub fn due(&self) -> Option<Duration> {
        self.pending.as_ref().map(Pending::due)
    }

    /// Time went by: a yes that stayed alone is taken.
    pub fn tick(&mut self, now: Duration) -> Outcome {
        match Pending::over(&mut self.pending, now) {
            Some(Alone::Stale) => self.said = Some("tui.ask.alone"),
            Some(Alone::Taken(_)) => return self.answer(true),
            None => {}
        }
        Outcome::Stay
    }

    /// Takes a key. Only a letter answers: Enter is pressed too easily.
    pub fn key(&mut self, chord: Chord, heard: KeyHeard, now: Duration) -> Outcome {
        self.said = None;
        let before = self.pending.take();
        match chord.code {
            Code::Up => self.scroll = self.scroll.saturating_sub(1),
            Code::Down => self.forward(1),
            Code::PageUp => self.scroll = self.scroll.saturating_sub(self.page),
            Code::PageDown => self.forward(self.page),
            Code::Esc if heard.is_meant() => return Outcome::Close,
            Code::Char('c' | 'd') if chord.mods.ctrl && heard.is_meant() => return Outcome::Close,
            Code::Char('n' | 'N') if chord.typed().is_some() && heard.is_meant() => return self.answer(false),
            _ if matches!(heard, KeyHeard::Astray | KeyHeard::Soon) => self.said = Some("tui.ask.ignored"),
            Code::Char('y' | 'Y') if chord.typed().is_some() && heard == KeyHeard::Meant && before.is_none() => {
                self.yes(now);
            }
            Code::Char(_) if chord.typed().is_some() => self.said = Some("tui.ask.alone"),
            _ => {}
        }
        Outcome::Stay
    }

    /// Scrolls on. However fast the keys come, no page is passed over before it was drawn.
    fn forward(&mut self, rows: usize) {
        let farthest = if self.seen.is_whole() { usize::MAX / 2 } else { self.drawn + self.page };
        self.scroll = (self.scroll + rows).min(farthest.max(self.scroll));
    }

    /// A yes to all of it; before all of it was shown it goes on to what was not.
    fn yes(&mut self, now: Duration) {
        if self.seen.is_whole() {
            self.pending = Some(Pending::new(0, 0, Some('y'), now));
            return;
        }
        self.scroll = self.seen.next(self.all).unwrap_or(self.scroll);
        self.said = Some("tui.ask.unread");
    }

    fn answer(&self, yes: bool) -> Outcome {
        Outcome::Done(vec![ScreenEffect::Send(Op::Trust { digest: self.info.digest.clone(), yes })])
    }

    /// Its rows: the folder, what it would execute, the answers.
    pub fn view(&mut self, width: u16, most: usize, look: &Look) -> Vec<Line<'static>> {
        let mut lines = vec![rule(width, look, look.theme.warn)];
        let title = look.say(&Phrase::new("tui.trust.title").with("root", &self.info.root));
        block(&mut lines, &title, width, look.theme.warn);
        let mut body = Vec::new();
        self.info.off().for_each(|surface| surface_lines(&mut body, surface, width, look));
        // Rows that are broken anew are other rows.
        if (width, body.len()) != (self.width, self.all) {
            self.seen.forget();
        }
        (self.width, self.all) = (width, body.len());
        let feet = self.feet(width, look).len();
        let room = most.saturating_sub(lines.len() + feet).max(1);
        let cut = body.len() > room;
        // One row says how much more there is.
        let shown = if cut { room.saturating_sub(1).max(1) } else { room };
        self.scroll = self.scroll.min(body.len().saturating_sub(shown));
        self.page = shown;
        let (all, from) = (body.len(), self.scroll);
        let to = (from + shown).min(all);
        self.drawn = from;
        // Where the screen ends before the row, it was not shown.
        let visible = most.saturating_sub(lines.len()).min(to - from);
        self.seen.show(from..from + visible, all);
        lines.extend(body.into_iter().skip(from).take(shown));
        if cut {
            lines.push(Line::styled(format!("  {}", look.say(&self.position(from, to))), look.theme.accent));
        }
        lines.extend(self.feet(width, look));
        lines
    }

    /// Which rows are on the screen, and how many never were.
    fn position(&self, from: usize, to: usize) -> Phrase {
        let code = match (to < self.all, self.seen.is_whole()) {
            (true, true) => "tui.more_lines",
            (false, true) => "tui.last_lines",
            (true, false) => "tui.ask.more_unseen",
            (false, false) => "tui.ask.last_unseen",
        };
        let phrase = Phrase::new(code).with("from", from + 1).with("to", to).with("of", self.all);
        if self.seen.is_whole() { phrase } else { phrase.with("unseen", self.seen.unseen(self.all)) }
    }

    /// The answers, and the keys or why the last one did nothing.
    fn feet(&self, width: u16, look: &Look) -> Vec<Line<'static>> {
        let mut feet = vec![Line::default()];
        for code in ["tui.trust.yes", "tui.trust.no"] {
            block(&mut feet, &look.word(code), width, look.theme.text);
        }
        let style = if self.said.is_some() { look.theme.warn } else { look.theme.dim };
        let phrase = Phrase::new(self.said.unwrap_or("tui.trust.keys"));
        let unread = self.said == Some("tui.ask.unread");
        let phrase = if unread { phrase.with("unseen", self.seen.unseen(self.all)) } else { phrase };
        feet.push(keys_line(&look.say(&phrase), width, style));
        feet
    }
}

fn surface_lines(lines: &mut Vec<Line<'static>>, surface: &SurfaceInfo, width: u16, look: &Look) {
    let (code, style) = match surface.standing {
        TrustStanding::Trusted => ("cli.trust_trusted", look.theme.good),
        TrustStanding::Changed => ("cli.trust_changed", look.theme.warn),
        TrustStanding::Unknown => ("cli.trust_unknown", look.theme.warn),
        TrustStanding::Refused => ("cli.trust_blocked", look.theme.bad),
    };
    let said = Phrase::new("cli.trust_surface")
        .with("kind", reasonix_words::named(look.lang, "surface", &surface.kind))
        .with("name", &surface.name)
        .with("place", &surface.place);
    let head = format!("{}{}", look.say(&said), look.word(code));
    block(lines, &head, width, style);
    if let Some(reason) = &surface.reason {
        block(lines, reason, width, look.theme.bad);
    }
    let changed = surface.standing == TrustStanding::Changed;
    for part in if changed { &surface.changes } else { &surface.parts } {
        block(lines, &format!("  {}", part.label), width, look.theme.dim);
        let text = part.text.clone().unwrap_or_else(|| look.word("cli.trust_not_shown"));
        for line in text.lines() {
            block(lines, &format!("    {line}"), width, look.theme.text);
        }
    }
    for (name, from) in &surface.variables {
        block(lines, &format!("  ${name} ← {from}"), width, look.theme.dim);
    }
}

#[cfg(test)]
mod tests {
    use super::TrustOverlay;
    use crate::Look;
    use crate::keys::{Chord, Code};
    use crate::overlays::{Ahead, KeyHeard, Outcome};
    use reasonix_proto::TrustInfo;
    use serde_json::json;
    use std::time::Duration;

    const LINES: usize = 40;

    fn long() -> TrustInfo {
        let text: Vec<String> = (0..LINES).map(|n| format!("line-{n}.")).collect();
        let info = json!({"root": "/w", "digest": "d", "surfaces": [{"kind": "hook", "name": "h", "place": "p",
            "standing": "unknown", "parts": [{"label": "file", "text": text.join("\n")}]}]});
        serde_json::from_value(info).expect("info")
    }

    fn asked() -> TrustOverlay {
        TrustOverlay::new(long(), Ahead::default().guard(Duration::ZERO))
    }

    fn press(overlay: &mut TrustOverlay, code: Code) -> Outcome {
        overlay.key(Chord::plain(code), KeyHeard::Meant, Duration::ZERO)
    }

    /// What is on a screen of so many rows.
    fn shown(overlay: &mut TrustOverlay, most: usize) -> String {
        let lines = overlay.view(60, most, &Look::default());
        lines.iter().take(most).map(|line| format!("{line}\n")).collect()
    }

    /// A yes counts for all of it, so all of it can be read, at every height.
    #[test]
    fn every_line_can_be_scrolled_to() {
        for most in 4..60 {
            let mut overlay = asked();
            let mut seen = String::new();
            for _ in 0..60 {
                seen.extend(overlay.view(60, most, &Look::default()).iter().map(ToString::to_string));
                press(&mut overlay, Code::Down);
            }
            let text = (0..LINES).map(|n| format!("line-{n}."));
            let missing: Vec<String> = text.filter(|line| !seen.contains(line.as_str())).collect();
            assert!(missing.is_empty(), "{most} rows: {missing:?}");
        }
    }

    #[test]
    fn a_yes_counts_only_once_all_of_it_was_on_the_screen() {
        let mut overlay = asked();
        let mut seen = shown(&mut overlay, 20);
        // Pages that were never drawn were not read.
        (0..9).for_each(|_| assert_eq!(press(&mut overlay, Code::PageDown), Outcome::Stay));
        seen += &shown(&mut overlay, 20);
        let mut hinted = false;
        for _ in 0..LINES {
            assert_eq!(press(&mut overlay, Code::Char('y')), Outcome::Stay, "a yes waits for nothing else to be typed");
            if overlay.tick(Duration::from_millis(300)) != Outcome::Stay {
                let missing: Vec<usize> = (0..LINES).filter(|n| !seen.contains(&format!("line-{n}."))).collect();
                assert!(missing.is_empty() && hinted, "{missing:?} {hinted}");
                return;
            }
            let screen = shown(&mut overlay, 20);
            hinted |= screen.contains("not yet seen");
            seen += &screen;
        }
        panic!("a yes is never taken");
    }

    #[test]
    fn a_no_counts_at_once_and_nothing_more_is_promised_at_the_end() {
        let mut overlay = asked();
        assert!(shown(&mut overlay, 20).contains("PgDn for more"));
        for _ in 0..9 {
            press(&mut overlay, Code::PageDown);
            shown(&mut overlay, 20);
        }
        let end = shown(&mut overlay, 20);
        assert!(end.contains("line-39.") && !end.contains("PgDn for more"), "{end}");
        assert!(matches!(press(&mut asked(), Code::Char('n')), Outcome::Done(_)));
    }
}
