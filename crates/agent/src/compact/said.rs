//! What the user said, as far as it fits: the first wish and the newest messages whole, older ones a line each, and the oldest
//! only in the originals.

use super::gist::gist;
use crate::estimate_tokens;
use reasonix_proto::Compacted;
use std::fmt::Write as _;

/// How long a line for a message may be, in characters; shorter ones where more of them have to fit.
const WIDTHS: &[usize] = &[240, 160, 110, 80, 60, 48];

/// Lines that stay at the smallest width before any of them goes.
const LEAST_LINES: usize = 32;

/// What stands around a pin, in tokens.
const AROUND: u64 = 8;

/// What the block of lines says of itself, in tokens.
const BLOCK: u64 = 60;

/// What logs of earlier versions have in place of messages, after their number.
const OLDER: &str = " earlier messages of the user are folded;";

/// What the user said, oldest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Said {
    /// What they wanted first.
    pub(super) objective: String,
    /// What was cut to a line each.
    pub(super) lines: Vec<String>,
    /// Messages that are whole.
    pub(super) whole: Vec<String>,
    /// How many are only in the originals.
    pub(super) gone: u64,
}

impl Said {
    /// What an earlier folding left.
    pub(super) fn after(earlier: Option<&Compacted>) -> Self {
        let Some(earlier) = earlier else { return Self::default() };
        if let Some(carried) = earlier.carried.as_deref() {
            let skip = earlier.pins.len().saturating_sub(usize::try_from(carried.whole).unwrap_or(usize::MAX));
            let whole = earlier.pins.iter().skip(skip).cloned().collect();
            return Self {
                objective: carried.objective.clone(),
                lines: carried.lines.clone(),
                whole,
                gone: carried.gone,
            };
        }
        let mut said = Self::default();
        for pin in &earlier.pins {
            match pin.strip_prefix('[').and_then(|rest| rest.split_once(OLDER)).and_then(|(n, _)| n.parse::<u64>().ok())
            {
                Some(gone) => said.gone += gone,
                None if said.objective.is_empty() => said.objective.clone_from(pin),
                None => said.whole.push(pin.clone()),
            }
        }
        said
    }

    pub(super) fn push(&mut self, text: String) {
        match self.objective.is_empty() && self.count() == 0 {
            true => self.objective = text,
            false => self.whole.push(text),
        }
    }

    /// How many messages there were.
    pub(super) fn count(&self) -> u64 {
        let first = u64::from(!self.objective.is_empty());
        first + self.gone + (self.lines.len() + self.whole.len()) as u64
    }

    /// Makes it fit: the oldest become lines, then go altogether. The last message stays whole as long as it can.
    pub(super) fn fit(&mut self, budget: u64) {
        let objective = (budget / 5).max(32);
        shorten(&mut self.objective, objective);
        let mut left = budget.saturating_sub(price(&self.objective));
        let mut latest = self.whole.pop();
        if let Some(latest) = &mut latest {
            shorten(latest, (left / 4).max(48));
            left = left.saturating_sub(price(latest));
        }
        let lines = std::mem::take(&mut self.lines).into_iter().map(|line| (line, false));
        let whole = std::mem::take(&mut self.whole).into_iter().map(|text| (text, true));
        self.fit_older(lines.chain(whole).collect(), left);
        self.whole.extend(latest);
    }

    /// Lines for all, at the greatest width at which they leave a quarter for whole messages; then the newest whole again,
    /// as far as there is room. Each comes with whether it is whole now.
    fn fit_older(&mut self, older: Vec<(String, bool)>, budget: u64) {
        if older.iter().all(|(_, whole)| *whole) && older.iter().map(|(text, _)| price(text)).sum::<u64>() <= budget {
            self.whole = older.into_iter().map(|(text, _)| text).collect();
            return;
        }
        let budget = budget.saturating_sub(BLOCK);
        let mut lines = lines_of(&older, budget);
        self.gone += (older.len() - lines.len()) as u64;
        let mut left = budget.saturating_sub(cost(&lines));
        let mut whole = Vec::new();
        for (text, is_whole) in older.into_iter().rev() {
            let Some(line) = lines.last().filter(|_| is_whole) else { break };
            let more = price(&text).saturating_sub(line_price(line));
            if more > left {
                break;
            }
            left -= more;
            lines.pop();
            whole.push(text);
        }
        whole.reverse();
        (self.lines, self.whole) = (lines, whole);
    }

    /// As the model reads it.
    pub(super) fn pins(&self) -> Vec<String> {
        let mut pins = Vec::with_capacity(self.whole.len() + 2);
        pins.extend((!self.objective.is_empty()).then(|| self.objective.clone()));
        pins.extend(self.block());
        pins.extend(self.whole.iter().cloned());
        pins
    }

    fn block(&self) -> Option<String> {
        if self.lines.is_empty() && self.gone == 0 {
            return None;
        }
        let mut text = String::new();
        if !self.lines.is_empty() {
            text.push_str("[later messages, older first, cut to a line each]\n");
            self.lines.iter().for_each(|line| {
                let _ = writeln!(text, "- {line}");
            });
        }
        if self.gone > 0 {
            let _ = writeln!(text, "[{} of the oldest messages are not shown; the originals have them]", self.gone);
        }
        Some(text.trim_end().to_owned())
    }
}

/// A line for each message as far as they fit, the newest first.
fn lines_of(older: &[(String, bool)], budget: u64) -> Vec<String> {
    let at = |width: &usize| older.iter().map(|(text, _)| gist(text, *width)).collect::<Vec<_>>();
    let newest = |lines: &Vec<String>| cost(lines.get(lines.len().saturating_sub(LEAST_LINES)..).unwrap_or_default());
    let wide = WIDTHS.iter().map(at).find(|lines| cost(lines) <= budget * 3 / 4);
    let dense = || WIDTHS.iter().map(at).find(|lines| newest(lines) <= budget);
    let mut lines = wide.or_else(dense).unwrap_or_else(|| WIDTHS.last().map(at).unwrap_or_default());
    let (mut left, mut kept) = (budget, 0);
    for line in lines.iter().rev() {
        let price = line_price(line);
        if price > left {
            break;
        }
        (left, kept) = (left - price, kept + 1);
    }
    lines.split_off(lines.len() - kept)
}

fn cost(lines: &[String]) -> u64 {
    lines.iter().map(|line| line_price(line)).sum()
}

fn price(text: &str) -> u64 {
    estimate_tokens(text) + AROUND
}

fn line_price(line: &str) -> u64 {
    estimate_tokens(line) + 1
}

/// Cuts a message to so many tokens where it has more.
fn shorten(text: &mut String, tokens: u64) {
    if estimate_tokens(text) > tokens {
        // Where characters cost more than a quarter of a token there are fewer of them.
        let characters = text.chars().count() as u64 * tokens / estimate_tokens(text).max(1);
        *text = gist(text, usize::try_from(characters).unwrap_or(usize::MAX).max(48));
    }
}
