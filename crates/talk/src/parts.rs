//! What a prompt asks for, told by its form alone: its listed parts, and whether it is more than one thing at a time. Pure.

/// So many parts are taken, and so much of each.
const MOST: usize = 30;
const LONGEST: usize = 120;
/// From so many listed parts on a prompt is more than one thing.
pub const SEVERAL: usize = 3;
/// A prompt of so many words, or of so many characters in scripts without blanks, is a long one.
const LONG_WORDS: usize = 80;
const LONG_WIDE: usize = 200;

/// Words of work that spans a project.
const WIDE: &[&str] = &[
    "refactor",
    "migrat",
    "redesign",
    "rewrite",
    "architect",
    "overhaul",
    "port the",
    "convert all",
    "across the",
    "entire",
    "whole codebase",
    "end to end",
    "end-to-end",
    "from scratch",
    "重构",
    "迁移",
    "重写",
    "架构",
    "整个",
    "全面",
    "从头",
];

/// The listed parts of a prompt, in order; what stands in code is none.
pub fn parts(text: &str) -> Vec<String> {
    listed(text, part)
}

/// The steps that the text of a plan lists: its numbers where it has several, because what stands in points beside them are
/// details, and several points otherwise.
pub fn steps(plan: &str) -> Vec<String> {
    let outer = |line| Some(line).filter(|line: &&str| !line.starts_with(char::is_whitespace));
    let numbers = listed(plan, |line| outer(line).and_then(numbered).map(str::trim).filter(|step| !step.is_empty()));
    if numbers.len() > 1 {
        return numbers;
    }
    let points = listed(plan, |line| outer(line).and_then(part));
    if points.len() < SEVERAL { Vec::new() } else { points }
}

/// What the lines of a text list, as far as they stand in no code.
fn listed<'a>(text: &'a str, of: impl Fn(&'a str) -> Option<&'a str>) -> Vec<String> {
    let mut fenced = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && let Some(part) = of(line) {
            found.push(part.chars().take(LONGEST).collect());
        }
    }
    found.truncate(MOST);
    found
}

/// What a line lists, where it is not indented like code.
fn part(line: &str) -> Option<&str> {
    let bare = line.trim_start();
    if line.len() - bare.len() > 3 {
        return None;
    }
    let bullet = ["- ", "* ", "• ", "+ "].iter().find_map(|mark| bare.strip_prefix(mark));
    let part = bullet.or_else(|| numbered(bare))?;
    let part = ["[ ] ", "[x] "].iter().find_map(|mark| part.strip_prefix(mark)).unwrap_or(part).trim();
    (!part.is_empty()).then_some(part)
}

/// `1. x`, `1) x`, `(1) x`, `1、x`, `（1）x`, `一、x`.
fn numbered(bare: &str) -> Option<&str> {
    let inner = bare.trim_start_matches(['(', '（']);
    let rest = inner.trim_start_matches(|c: char| c.is_ascii_digit() || "一二三四五六七八九十".contains(c));
    if rest.len() == inner.len() || inner.len() - rest.len() > 9 {
        return None;
    }
    let wide = ["、", "）", "．"].iter().find_map(|mark| rest.strip_prefix(mark));
    wide.or_else(|| [". ", ") "].iter().find_map(|mark| rest.strip_prefix(mark)))
}

/// Whether a prompt is worth a plan: it lists several parts, it is long and speaks of work that spans a project, or it does so
/// twice.
pub fn is_complex(text: &str) -> bool {
    let lower = text.to_lowercase();
    let wide = WIDE.iter().filter(|word| lower.contains(*word)).count();
    let words = text.split_whitespace().count();
    let unspaced = text.chars().filter(|c| *c >= '\u{2e80}').count();
    let long = words >= LONG_WORDS || unspaced >= LONG_WIDE;
    parts(text).len() >= SEVERAL || wide >= 2 || (long && wide >= 1)
}

#[cfg(test)]
mod tests {
    use super::{is_complex, parts, steps};

    #[test]
    fn listed_parts_are_found_however_they_are_marked() {
        for (text, count) in [
            ("Do this:\n1. read\n2. write\n3) test", 3),
            ("- a\n* b\n  • c\n+ d", 4),
            ("请完成：\n1、读取\n2、写入\n（3）测试\n四、提交", 4),
            ("- [ ] a\n- [x] b", 2),
            ("one line", 0),
            ("```\n- a\n- b\n- c\n```", 0),
            ("see 1.5 and -x and 3. ", 0),
            ("        - deep\n        - code", 0),
            ("2026 was good\n1990s", 0),
        ] {
            assert_eq!(parts(text).len(), count, "{text}");
        }
        assert_eq!(parts(&format!("- {}", "x".repeat(500)))[0].len(), 120);
        assert_eq!(parts(&"- x\n".repeat(100)).len(), 30);
    }

    #[test]
    fn the_steps_of_a_plan_are_its_numbers_or_its_points() {
        for (plan, wanted) in [
            ("# Move it\n\n1. read\n2. change\n3. run", &["read", "change", "run"][..]),
            ("1. read\n   - all of it\n2. change\n\nRisks:\n- it is large\n- it is old", &["read", "change"]),
            ("# Plan\n- a\n  - deep\n- b\n- c", &["a", "b", "c"]),
            ("# Plan\n- a\n- b", &[]),
            ("1. the one thing", &[]),
            ("Do it well.", &[]),
            ("```\n1. a\n2. b\n```", &[]),
            ("一、读取\n二、修改", &["读取", "修改"]),
        ] {
            assert_eq!(steps(plan), wanted, "{plan}");
        }
    }

    #[test]
    fn small_work_is_not_complex() {
        for (text, complex) in [
            ("fix the typo in README", false),
            ("refactor this function", false),
            ("refactor the entire parser", true),
            ("1. a\n2. b\n3. c", true),
            ("把整个项目迁移到新的架构", true),
            ("为什么测试失败？", false),
        ] {
            assert_eq!(is_complex(text), complex, "{text}");
        }
        assert!(is_complex(&format!("migrate {}", "word ".repeat(90))));
        assert!(!is_complex(&"word ".repeat(90)));
    }
}
