//! The index of skills, as it stands in the system prompt: one line each, and all of it within a bound.

use crate::skill::Skill;

/// The part of the window that the index may take.
const SHARE: u64 = 100;
/// A window of which nothing is known.
const USUAL_WINDOW: u64 = 128_000;

const HEADING: &str = "# Skills\nInstructions for certain kinds of work. When one fits the task, read it with the tool skill before you begin.\n";

/// Descriptions are cut to these lengths, the first that makes all lines fit.
const LENGTHS: &[usize] = &[1024, 400, 200, 100, 60];

/// The chapter on skills for a window of this many tokens; empty when there are none. The same skills give the same bytes.
pub fn index<'a>(skills: impl Iterator<Item = &'a Skill>, window: u64, tokens: &dyn Fn(&str) -> u64) -> String {
    let skills: Vec<&Skill> = skills.collect();
    if skills.is_empty() {
        return String::new();
    }
    let room = if window == 0 { USUAL_WINDOW } else { window } / SHARE;
    let all = |length: usize| -> Vec<String> { skills.iter().map(|skill| line(skill, length)).collect() };
    let fits = |lines: &[String]| tokens(&format!("{HEADING}{}", lines.concat())) <= room;
    if let Some(lines) = LENGTHS.iter().map(|length| all(*length)).find(|lines| fits(lines)) {
        return format!("{HEADING}{}", lines.concat());
    }
    let lines = all(LENGTHS.last().copied().unwrap_or_default());
    let some = |count: usize| {
        let more = skills.len() - count;
        format!(
            "{HEADING}{}[{more} more: the tool skill lists them]\n",
            lines.iter().take(count).cloned().collect::<String>()
        )
    };
    let count = (0..skills.len()).rev().find(|count| tokens(&some(*count)) <= room).unwrap_or(0);
    some(count)
}

fn line(skill: &Skill, length: usize) -> String {
    let (text, mark) = (&skill.description, skill.mark());
    match text.char_indices().nth(length) {
        None => format!("- {}{mark}: {text}\n", skill.name),
        Some((at, _)) => format!("- {}{mark}: {}…\n", skill.name, text.get(..at).unwrap_or_default().trim_end()),
    }
}
