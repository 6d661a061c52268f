use super::super::LANGUAGES;
use super::{EditCase, case};
use pretty_assertions::assert_eq;
use std::collections::BTreeSet;

fn many() -> Vec<EditCase> {
    let each =
        |seed: u64| LANGUAGES.iter().flat_map(move |language| (0..14).map(move |number| case(language, seed, number)));
    (0..40).flat_map(each).collect()
}

#[test]
fn every_case_has_a_fault_a_task_and_one_answer() {
    for case in many() {
        let what = format!("{} {}", case.id, case.task);
        assert_ne!(case.before, case.answer, "{what}");
        assert!(!case.task.is_empty() && !case.before.contains("{f}") && !case.answer.contains("{n}"), "{what}");
        assert!(case.before.ends_with('\n') && case.answer.len() < 4000, "{what}");
        let crlf = case.language.name == "python-zh";
        assert_eq!(case.answer.contains("\r\n"), crlf, "{what}");
        assert_eq!(case.answer.replace("\r\n", "").contains('\r'), false, "{what}");
    }
}

#[test]
fn the_task_alone_leads_to_the_answer() {
    // What a careful reader does with the words, without knowing how the case was made.
    for case in many() {
        let mut text = case.before.replace("\r\n", "\n");
        for task in case.task.lines() {
            text = carried_out(&text, task).unwrap_or_else(|| panic!("{}: {task}\n{}", case.id, case.before));
        }
        assert_eq!(text, case.answer.replace("\r\n", "\n"), "{}: {}", case.id, case.task);
    }
}

/// The text with a task carried out, within the function that it names.
fn carried_out(text: &str, task: &str) -> Option<String> {
    let quoted: Vec<&str> = task.split('`').skip(1).step_by(2).collect();
    let name = quoted.first()?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let start = lines.iter().position(|line| line.contains(&format!("{name}(")))?;
    let end = (start + 1..lines.len()).find(|at| lines[*at].is_empty()).unwrap_or(lines.len());
    let at = |wanted: &str| (start..end).find(|at| lines[*at].trim() == wanted);
    if task.contains("must be called") {
        for line in &mut lines[start + 1..end] {
            *line = line
                .split_inclusive(|c: char| !c.is_alphanumeric())
                .map(|word| {
                    let core = word.trim_end_matches(|c: char| !c.is_alphanumeric());
                    if core == quoted[1] { word.replacen(quoted[1], quoted[2], 1) } else { word.to_owned() }
                })
                .collect();
        }
    } else if task.contains("is missing") {
        let (line, before) = (quoted[1], at(quoted[2])?);
        assert_eq!(lines[before + 1].trim(), quoted[3]);
        let count: usize = if task.contains("one tab") {
            1
        } else {
            task.split("indented by ").nth(1)?.split(' ').next()?.parse().ok()?
        };
        let front = if task.contains("tab") { "\t" } else { " " }.repeat(count);
        lines.insert(before + 1, format!("{front}{line}"));
    } else if task.contains("stands twice") {
        let place = at(quoted[1])?;
        assert_eq!(lines[place], lines[place + 1]);
        lines.remove(place);
    } else {
        let place = at(quoted[1])?;
        lines[place] = lines[place].replace(quoted[1], quoted[2]);
    }
    Some(lines.join("\n") + "\n")
}

#[test]
fn a_seed_gives_the_same_cases_for_ever() {
    let go = super::super::language("go").unwrap();
    assert_eq!(case(go, 7, 3), case(go, 7, 3));
    assert_ne!(case(go, 7, 3).before, case(go, 8, 3).before);
    // Written down, so that a change of how cases are made cannot go unnoticed: it needs a new version of the set.
    let all: String =
        many().iter().map(|case| format!("{}{}{}{}", case.id, case.before, case.answer, case.task)).collect();
    assert_eq!(blake3::hash(all.as_bytes()).to_hex()[..16], *"c4070348a942450a");
}

#[test]
fn few_cases_have_faults_of_many_kinds_and_twins() {
    let few: Vec<EditCase> =
        LANGUAGES.iter().flat_map(|language| (0..4).map(move |number| case(language, 1, number))).collect();
    let signs = ["must be called", "is missing", "stands twice", "scale("];
    for sign in signs {
        assert!(few.iter().any(|case| case.task.contains(sign)), "{sign}");
    }
    assert!(few.iter().any(|case| case.task.lines().count() == 2));
    assert!(few.iter().filter(|case| case.task.contains("Another function")).count() >= 3);
    let distinct: BTreeSet<&str> = few.iter().map(|case| case.before.as_str()).collect();
    assert_eq!(distinct.len(), few.len());
}
