//! What the model says of a goal in the last lines of its answer.

/// So many lines from the end are looked at.
const LINES: usize = 6;
/// So much of a reason is kept, in characters.
const LONGEST_REASON: usize = 400;
/// So much of a proof, in characters.
const LONGEST_PROOF: usize = 400;
/// So many proofs are looked at.
const MOST_PROOFS: usize = 8;

/// What an answer says of the goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GoalSaid {
    /// It is done.
    Done {
        /// The commands or calls that are named as proof.
        proofs: Vec<String>,
    },
    /// Something stops the work.
    Blocked(String),
    /// It cannot be done, or only the user can go on.
    Impossible(String),
    /// The work goes on, or nothing is said.
    Continue,
}

/// What an answer says of the goal, and the answer without that line.
pub fn said(answer: &str) -> (GoalSaid, String) {
    let lines: Vec<&str> = answer.lines().collect();
    let own = own_lines(&lines);
    let last = lines.iter().enumerate().rev().filter(|(_, line)| !line.trim().is_empty()).take(LINES);
    let found = last.filter(|(at, _)| own.get(*at) == Some(&true)).filter_map(|(at, line)| Some((at, read(line)?)));
    let found = found.into_iter().next();
    match found {
        Some((at, said)) => {
            let rest = lines.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, line)| *line);
            (said, rest.collect::<Vec<_>>().join("\n"))
        }
        None => (GoalSaid::Continue, answer.to_owned()),
    }
}

/// Which lines are the answer's own words: neither quoted nor in a block of code, where a file may stand. A block that has this
/// one line alone is how some models write it.
fn own_lines(lines: &[&str]) -> Vec<bool> {
    let is_fence = |line: &str| line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
    let mut own: Vec<bool> = lines.iter().map(|line| !line.trim_start().starts_with('>')).collect();
    let mut opened = None;
    for (at, line) in lines.iter().enumerate() {
        if !is_fence(line) {
            continue;
        }
        let Some(from) = opened.replace(at) else { continue };
        opened = None;
        if at - from != 2 {
            own.iter_mut().take(at).skip(from).for_each(|own| *own = false);
        }
    }
    if let Some(from) = opened {
        own.iter_mut().skip(from).for_each(|own| *own = false);
    }
    own
}

/// Reads a line such as `**GOAL: blocked: no network**`.
fn read(line: &str) -> Option<GoalSaid> {
    let line = line.trim().trim_start_matches(['*', '#', '-', '_', '`', ' ']).trim_end_matches(['*', '_', ' ']);
    let rest = ["goal", "目标"].iter().find_map(|word| {
        let head = line.get(..word.len())?;
        head.eq_ignore_ascii_case(word).then(|| line.get(word.len()..))?
    })?;
    let rest = rest.trim_start_matches(['*', '_', '`', ' ']);
    let rest = rest.strip_prefix([':', '：'])?.trim_start_matches(['*', '_', '`', ' ']);
    let after = |words: &[&str]| {
        words.iter().find_map(|word| {
            let head = rest.get(..word.len())?;
            let tail = rest.get(word.len()..)?;
            let ends = !word.is_ascii() || !tail.starts_with(|c: char| c.is_ascii_alphanumeric());
            (head.eq_ignore_ascii_case(word) && ends).then_some(tail)
        })
    };
    if let Some(tail) = after(&["done", "complete", "completed", "reached", "achieved", "已完成", "完成"]) {
        return Some(GoalSaid::Done { proofs: proofs(tail) });
    }
    if let Some(tail) = after(&["blocked", "受阻", "阻塞"]) {
        return Some(GoalSaid::Blocked(reason(tail)));
    }
    if let Some(tail) = after(&["impossible", "needs user", "need user", "无法完成", "不可能"]) {
        return Some(GoalSaid::Impossible(reason(tail)));
    }
    after(&["continue", "in progress", "not done", "继续", "未完成"]).map(|_| GoalSaid::Continue)
}

fn reason(tail: &str) -> String {
    let tail = tail.trim_start_matches([':', '：', '-', '–', '—', ',', ' ', '*', '`']);
    tail.trim_end_matches(['*', '`', ' ']).chars().take(LONGEST_REASON).collect()
}

/// What stands behind `proof:`: in backticks, or all of it.
fn proofs(tail: &str) -> Vec<String> {
    let lower = tail.to_ascii_lowercase();
    let begin = ["proofs", "proof", "证据"].iter().find_map(|word| Some(lower.find(word)? + word.len()));
    let Some(rest) = begin.and_then(|at| tail.get(at..)) else { return Vec::new() };
    let rest = rest.trim_start_matches([':', '：', '=', ' ']).trim_end_matches([')', '）', '.', '。', ' ']);
    let quoted: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
    let named = if quoted.is_empty() { vec![rest.trim_matches('`')] } else { quoted };
    let named = named.into_iter().map(str::trim).filter(|name| !name.is_empty());
    named.take(MOST_PROOFS).map(|name| name.chars().take(LONGEST_PROOF).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::{GoalSaid, said};

    #[test]
    fn the_line_is_found_as_models_write_it() {
        let done = |proofs: &[&str]| GoalSaid::Done { proofs: proofs.iter().map(|&proof| proof.to_owned()).collect() };
        let blocked = |why: &str| GoalSaid::Blocked(why.to_owned());
        for (answer, wanted) in [
            ("All tests pass.\n\nGOAL: done", done(&[])),
            ("ok\n**Goal: Done.**", done(&[])),
            ("ok\n**GOAL:** done", done(&[])),
            ("- GOAL: done, proof: `./check.sh --all`", done(&["./check.sh --all"])),
            ("GOAL: done (proof: make check)", done(&["make check"])),
            ("GOAL: done; proofs: `a b`, `call_7`", done(&["a b", "call_7"])),
            ("目标：已完成，证据：`make check`", done(&["make check"])),
            ("GOAL: blocked: no network", blocked("no network")),
            ("goal: Blocked — no network\n", blocked("no network")),
            ("GOAL: impossible: needs a key", GoalSaid::Impossible("needs a key".into())),
            ("GOAL: continue", GoalSaid::Continue),
            ("GOAL: done-ish maybe\nGOAL: continue", GoalSaid::Continue),
            ("The goal: donuts", GoalSaid::Continue),
            ("GOAL: donuts", GoalSaid::Continue),
            ("", GoalSaid::Continue),
            ("The file says:\n> GOAL: done", GoalSaid::Continue),
            ("It has:\n```\n# notes\nGOAL: done\n```\nI go on reading.", GoalSaid::Continue),
            ("It has:\n```text\na\nGOAL: done", GoalSaid::Continue),
            ("ok\n```\nGOAL: done\n```", done(&[])),
            ("```\na\nb\n```\nGOAL: done", done(&[])),
            ("GOAL: done\n1\n2\n3\n4\n5\n6\n7", GoalSaid::Continue),
        ] {
            assert_eq!(said(answer).0, wanted, "{answer}");
        }
        assert_eq!(said("a\nGOAL: done\nb").1, "a\nb");
    }
}
