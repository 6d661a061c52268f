//! Whether a task looks like research: one reading for goals, and a strict one for ordinary prompts.

/// Words that speak of research, debugging, optimisation or long implementation. In Chinese as they stand, in English at the
/// beginning of a word.
const SIGNS: &[&str] = &[
    "research",
    "investigat",
    "root cause",
    "debug",
    "diagnos",
    "flaky",
    "intermittent",
    "regression",
    "bisect",
    "optimi",
    "performance",
    "faster",
    "speed up",
    "latency",
    "throughput",
    "memory usage",
    "benchmark",
    "profil",
    "experiment",
    "hypothes",
    "reproduc",
    "tune",
    "tuning",
    "migrat",
    "rewrite",
    "port ",
    "from scratch",
    "end to end",
    "end-to-end",
    "研究",
    "调研",
    "调查",
    "排查",
    "定位",
    "根因",
    "优化",
    "性能",
    "加速",
    "延迟",
    "基准",
    "实验",
    "假设",
    "复现",
    "调优",
    "迁移",
    "重写",
    "从零",
];

/// Words that say that it is long, and to be done without anybody.
const ALONE: &[&str] = &[
    "autonomous",
    "on your own",
    "by yourself",
    "unattended",
    "overnight",
    "keep going until",
    "do not stop until",
    "don't stop until",
    "keep iterating until",
    "自主",
    "无人值守",
    "通宵",
    "持续",
    "直到",
    "不要停",
];

/// From so many words on a task is long.
const LONG: usize = 80;

/// The longest name of a folder that is made of an objective.
const LONGEST_SLUG: usize = 40;

/// The mild reading, for goals: one sign is enough, and so is a long text.
pub fn looks_like_research(objective: &str) -> bool {
    count(objective, SIGNS) > 0 || objective.split_whitespace().count() >= LONG
}

/// The strict reading, for prompts that nobody called a goal: it has to be research in more than one respect, and say that it
/// is to be done without anybody.
pub fn is_long_work(prompt: &str) -> bool {
    count(prompt, SIGNS) > 2 && count(prompt, ALONE) > 0
}

fn count(text: &str, signs: &[&str]) -> usize {
    let lower = text.to_lowercase();
    let begins =
        |at: usize| !lower.get(..at).is_some_and(|before| before.ends_with(|c: char| c.is_ascii_alphanumeric()));
    let there = |sign: &&&str| lower.match_indices(**sign).any(|(at, _)| !sign.is_ascii() || begins(at));
    signs.iter().filter(there).count()
}

/// The folder of a goal's research, by when it was set and what it is: `20260131-235959-make-it-fast`.
pub fn folder_name(millis: u64, objective: &str) -> String {
    let mut slug = String::new();
    for letter in objective.chars().flat_map(char::to_lowercase) {
        if slug.len() >= LONGEST_SLUG {
            break;
        }
        if letter.is_alphanumeric() {
            slug.push(letter);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    format!("{}-{}", moment(millis), if slug.is_empty() { "goal" } else { slug })
}

/// A moment as `YYYYMMDD-HHMMSS`, in UTC.
fn moment(millis: u64) -> String {
    let seconds = millis / 1000;
    let (days, time) = (seconds / 86_400, seconds % 86_400);
    // Years that begin in March have the day that is sometimes missing at their end.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let (year, month) = (era * 400 + year + u64::from(month >= 10), if month < 10 { month + 3 } else { month - 9 });
    format!("{year:04}{month:02}{date:02}-{:02}{:02}{:02}", time / 3600, time / 60 % 60, time % 60)
}

#[cfg(test)]
mod tests {
    use super::{folder_name, is_long_work, looks_like_research};

    #[test]
    fn the_mild_reading_and_the_strict_one() {
        for (text, mild, strict) in [
            ("add a --quiet flag", false, false),
            ("find out why the login test is flaky", true, false),
            ("optimize the parser", true, false),
            ("verify the long term plan", false, false),
            ("研究一下为什么慢", true, false),
            ("report the import", false, false),
            (
                "Investigate the latency regression overnight, benchmark every hypothesis, keep going until p99 halves",
                true,
                true,
            ),
            ("通宵排查性能回退，做基准实验，直到定位根因", true, true),
        ] {
            assert_eq!((looks_like_research(text), is_long_work(text)), (mild, strict), "{text}");
        }
    }

    #[test]
    fn folders_are_named_by_moment_and_objective() {
        for (millis, objective, wanted) in [
            (0, "Make it fast!", "19700101-000000-make-it-fast"),
            (951_827_696_000, "a/../b", "20000229-123456-a-b"),
            (1_798_761_599_000, "", "20261231-235959-goal"),
            (1_798_761_600_000, "修复 解析器", "20270101-000000-修复-解析器"),
        ] {
            assert_eq!(folder_name(millis, objective), wanted);
        }
        assert!(folder_name(0, &"x".repeat(500)).len() < 64);
    }
}
