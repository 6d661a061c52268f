//! The question about a folder: what it would execute, whole, and yes or no.

use crate::Look;
use crate::app::ScreenEffect;
use crate::keys::{Chord, Code};
use crate::overlays::{Guard, Outcome, block, rule};
use ratatui_core::text::Line;
use reasonix_proto::{Op, Phrase, SurfaceInfo, TrustInfo, TrustStanding};

/// The question and how far it was read.
#[derive(Debug)]
pub struct TrustOverlay {
    info: TrustInfo,
    /// When it was put on the screen.
    pub guard: Guard,
    scroll: usize,
    page: usize,
    ignored: bool,
}

impl TrustOverlay {
    /// A question that goes on the screen.
    pub fn new(info: TrustInfo, guard: Guard) -> Self {
        Self { info, guard, scroll: 0, page: 1, ignored: false }
    }

    /// Takes a key. Only a letter answers: Enter is pressed too easily.
    pub fn key(&mut self, chord: Chord, meant: bool) -> Outcome {
        match chord.code {
            Code::Up => self.scroll = self.scroll.saturating_sub(1),
            Code::Down => self.scroll += 1,
            Code::PageUp => self.scroll = self.scroll.saturating_sub(self.page),
            Code::PageDown => self.scroll += self.page,
            _ if !meant => self.ignored = true,
            Code::Char('y' | 'Y') if chord.typed().is_some() => return self.answer(true),
            Code::Char('n' | 'N') if chord.typed().is_some() => return self.answer(false),
            Code::Esc => return Outcome::Close,
            Code::Char('c') if chord.mods.ctrl => return Outcome::Close,
            _ => {}
        }
        Outcome::Stay
    }

    fn answer(&self, yes: bool) -> Outcome {
        Outcome::Done(vec![ScreenEffect::Send(Op::Trust { digest: self.info.digest.clone(), yes })])
    }

    /// Its rows: the folder, what it would execute, the answers.
    pub fn view(&mut self, width: u16, most: usize, look: &Look) -> Vec<Line<'static>> {
        let mut lines = vec![rule(width, look, look.theme.warn)];
        let title = look.say(&Phrase::new("tui.trust.title").with("root", &self.info.root));
        block(&mut lines, &title, width, look.theme.warn);
        let mut feet = vec![Line::default()];
        for code in ["tui.trust.yes", "tui.trust.no"] {
            block(&mut feet, &look.word(code), width, look.theme.text);
        }
        let code = if self.ignored { "tui.ask.ignored" } else { "tui.trust.keys" };
        block(&mut feet, &look.word(code), width, if self.ignored { look.theme.warn } else { look.theme.dim });
        let mut body = Vec::new();
        self.info.off().for_each(|surface| surface_lines(&mut body, surface, width, look));
        let room = most.saturating_sub(lines.len() + feet.len()).max(1);
        let cut = body.len() > room;
        // One row says how much more there is.
        let shown = if cut { room.saturating_sub(1).max(1) } else { room };
        self.scroll = self.scroll.min(body.len().saturating_sub(shown));
        self.page = shown;
        let (all, from) = (body.len(), self.scroll);
        lines.extend(body.into_iter().skip(from).take(shown));
        if cut {
            let to = (from + shown).min(all);
            let phrase = Phrase::new("tui.more_lines").with("from", from + 1).with("to", to).with("of", all);
            lines.push(Line::styled(format!("  {}", look.say(&phrase)), look.theme.accent));
        }
        lines.extend(feet);
        lines
    }
}

fn surface_lines(lines: &mut Vec<Line<'static>>, surface: &SurfaceInfo, width: u16, look: &Look) {
    let (code, style) = match surface.standing {
        TrustStanding::Trusted => ("cli.trust_trusted", look.theme.good),
        TrustStanding::Changed => ("cli.trust_changed", look.theme.warn),
        TrustStanding::Unknown => ("cli.trust_unknown", look.theme.warn),
        TrustStanding::Refused => ("cli.trust_blocked", look.theme.bad),
    };
    let head = format!("{} {} ({}): {}", surface.kind, surface.name, surface.place, look.word(code));
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
    use crate::overlays::Ahead;
    use reasonix_proto::TrustInfo;
    use serde_json::json;
    use std::time::Duration;

    /// A yes counts for all of it, so all of it can be read, at every height.
    #[test]
    fn every_line_can_be_scrolled_to() {
        let text: Vec<String> = (0..40).map(|n| format!("line-{n}.")).collect();
        let info = json!({"root": "/w", "digest": "d", "surfaces": [{"kind": "hook", "name": "h", "place": "p",
            "standing": "unknown", "parts": [{"label": "file", "text": text.join("\n")}]}]});
        let info: TrustInfo = serde_json::from_value(info).expect("info");
        for most in 4..60 {
            let mut overlay = TrustOverlay::new(info.clone(), Ahead::default().guard(Duration::ZERO));
            let mut seen = String::new();
            for _ in 0..60 {
                overlay.view(40, most, &Look::default()).iter().for_each(|line| seen.push_str(&line.to_string()));
                overlay.key(Chord::plain(Code::Down), true);
            }
            let missing: Vec<&String> = text.iter().filter(|line| !seen.contains(line.as_str())).collect();
            assert!(missing.is_empty(), "{most} rows: {missing:?}");
        }
    }
}
