//! What the user said, as far as it fits: the first wish and the newest messages whole, older ones a line each, and the oldest
//! only in the originals.

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

/// What a line or a piece of one is cut with.
const GAP: &str = " … ";

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

/// A message in one line of at most so many characters: of its sentences those that state something to be kept, such as
/// numbers, names, paths and demands, and how it begins as far as there is room.
pub(super) fn gist(text: &str, width: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= width {
        return line;
    }
    let sentences = sentences(text);
    let mut order: Vec<usize> = (0..sentences.len()).collect();
    let weight = |place: &usize| sentences.get(*place).map_or(0, |text| weight(text) + u32::from(*place == 0) * 2);
    order.sort_by_key(|place| std::cmp::Reverse(weight(place)));
    let (mut left, mut kept) = (width, Vec::new());
    for place in order {
        let Some(sentence) = sentences.get(place) else { continue };
        let room = left.saturating_sub(if kept.is_empty() { 0 } else { GAP.chars().count() });
        if room < 20 {
            break;
        }
        let piece = around(sentence, room);
        left = room.saturating_sub(piece.chars().count());
        kept.push((place, piece));
    }
    kept.sort_by_key(|(place, _)| *place);
    let mut gist = String::new();
    let mut next = 0;
    for (place, piece) in &kept {
        if !gist.is_empty() {
            gist.push_str(if *place == next { " " } else { GAP });
        }
        gist.push_str(piece);
        next = place + 1;
    }
    gist
}

/// The sentences of a text, each in one line.
fn sentences(text: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let last = found.len() - 1;
        if let Some(sentence) = found.get_mut(last).filter(|_| c != '\n') {
            sentence.push(c);
        }
        let spaced = characters.peek().is_none_or(|next| next.is_whitespace());
        if matches!(c, '\n' | '。' | '！' | '？' | '；') || (matches!(c, '.' | '!' | '?' | ';' | '…') && spaced) {
            found.push(String::new());
        }
    }
    let in_line = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    found.into_iter().map(in_line).filter(|text| !text.is_empty() && text != "…").collect()
}

/// Words that demand something.
const DEMANDS: &[&str] = &[
    "must", "never", "always", "remember", "only", "do not", "don't", "keep", "必须", "不要", "不能", "记住", "只",
    "一定", "别",
];

/// How much a sentence states that a later answer may need.
fn weight(sentence: &str) -> u32 {
    let lower = sentence.to_lowercase();
    let numbers = lower.split(|c: char| !c.is_ascii_digit()).map(str::len).max().unwrap_or(0);
    let named = lower.contains(['`', '"', '/', '_', '=', '「', '“']);
    let demands = DEMANDS.iter().any(|word| lower.contains(word));
    u32::from(numbers > 0) * 3 + u32::from(numbers > 2) * 2 + u32::from(named) * 2 + u32::from(demands) * 3
}

/// The part of a sentence that fits, around what it states.
fn around(sentence: &str, width: usize) -> String {
    let characters: Vec<char> = sentence.chars().collect();
    if characters.len() <= width {
        return sentence.to_owned();
    }
    let stated = characters.iter().position(|c| c.is_ascii_digit() || matches!(c, '`' | '"' | '/' | '_' | '='));
    let start = stated.unwrap_or(0).saturating_sub(width / 2).min(characters.len() - width);
    let piece: String = characters.iter().skip(start).take(width.saturating_sub(2)).collect();
    // A word that was cut through says something else.
    let piece = if start > 0 { piece.split_once(' ').map_or(piece.as_str(), |(_, rest)| rest) } else { &piece };
    let piece = piece.rsplit_once(' ').map_or(piece, |(rest, _)| rest);
    let before = if start > 0 { "…" } else { "" };
    format!("{before}{piece}…")
}
