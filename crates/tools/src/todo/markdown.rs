//! The todo list as people change it: whole, as Markdown (`[ ]`, `[~]`, `[x]`, `[-]`, notes behind `>`, a heading a phase), or by a
//! few words.

use super::list::TodoList;
use reasonix_proto::{DEFAULT_PHASE, TodoItem, TodoPhase, TodoStatus};

/// So many tasks a list may have that a person writes, and so much of each.
const MOST: usize = 200;
const LONGEST: usize = 400;

/// The list with what a person wants: a whole list as Markdown, or `add TEXT`, `start N`, `done N`, `drop N`, `rm N`, `open N`,
/// `clear`. The line that nobody understands is the error.
pub fn changed_list(now: &[TodoPhase], text: &str) -> Result<Vec<TodoPhase>, String> {
    let text = text.trim();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let list = TodoList::default();
    list.restore(now.to_vec());
    if text.is_empty() || word == "clear" {
        return Ok(Vec::new());
    }
    if word == "add" && !rest.contains('\n') {
        let task = item(TodoStatus::Pending, rest).ok_or_else(|| text.to_owned())?;
        return Ok(list.change(|phases| add(phases, task)).1);
    }
    let status = match word {
        "start" => Some(TodoStatus::InProgress),
        "done" => Some(TodoStatus::Completed),
        "drop" => Some(TodoStatus::Abandoned),
        "open" => Some(TodoStatus::Pending),
        "rm" => None,
        _ => return whole(text),
    };
    let place = rest.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let all = now.iter().map(|phase| phase.tasks.len()).sum::<usize>();
    let place = place.filter(|place| *place < all).ok_or_else(|| text.to_owned())?;
    Ok(list.change(|phases| mark(phases, place, status)).1)
}

fn add(phases: &mut Vec<TodoPhase>, task: TodoItem) {
    match phases.last_mut() {
        Some(phase) => phase.tasks.push(task),
        None => phases.push(TodoPhase { name: DEFAULT_PHASE.to_owned(), tasks: vec![task] }),
    }
}

/// Sets the status of the task at a place; `None` removes it.
fn mark(phases: &mut Vec<TodoPhase>, mut place: usize, status: Option<TodoStatus>) {
    if status == Some(TodoStatus::InProgress) {
        let tasks = phases.iter_mut().flat_map(|phase| &mut phase.tasks);
        tasks.filter(|task| task.status == TodoStatus::InProgress).for_each(|task| task.status = TodoStatus::Pending);
    }
    for phase in phases.iter_mut() {
        if place < phase.tasks.len() {
            match (status, phase.tasks.get_mut(place)) {
                (Some(status), Some(task)) => task.status = status,
                _ => drop(phase.tasks.remove(place)),
            }
            break;
        }
        place -= phase.tasks.len();
    }
    phases.retain(|phase| !phase.tasks.is_empty());
}

/// A whole list.
fn whole(text: &str) -> Result<Vec<TodoPhase>, String> {
    let mut phases: Vec<TodoPhase> = Vec::new();
    let mut count = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let bare = line.trim();
        let bare = ["- ", "* "].iter().find_map(|mark| bare.strip_prefix(mark)).unwrap_or(bare);
        if let Some(task) = task(bare) {
            count += 1;
            if count > MOST {
                return Err(bare.to_owned());
            }
            add(&mut phases, task);
        } else if let Some(note) = bare.strip_prefix('>') {
            let last = phases.last_mut().and_then(|phase| phase.tasks.last_mut()).ok_or_else(|| line.to_owned())?;
            last.notes.push(note.trim().chars().take(LONGEST).collect());
        } else if let Some(name) = bare.strip_prefix('#') {
            let name = name.trim_start_matches('#').trim().chars().take(LONGEST).collect();
            phases.push(TodoPhase { name, tasks: Vec::new() });
        } else {
            return Err(line.to_owned());
        }
    }
    phases.retain(|phase| !phase.tasks.is_empty());
    let list = TodoList::default();
    list.restore(phases);
    Ok(list.change(|_| ()).1)
}

/// A task with its mark.
fn task(bare: &str) -> Option<TodoItem> {
    let (mark, rest) = bare.strip_prefix('[')?.split_once(']')?;
    let status = match mark {
        "" | " " => TodoStatus::Pending,
        "~" => TodoStatus::InProgress,
        "x" | "X" => TodoStatus::Completed,
        "-" => TodoStatus::Abandoned,
        _ => return None,
    };
    item(status, rest)
}

fn item(status: TodoStatus, text: &str) -> Option<TodoItem> {
    let content: String = text.trim().chars().take(LONGEST).collect();
    (!content.is_empty()).then(|| TodoItem { content, status, notes: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::changed_list;
    use proptest::prelude::*;
    use reasonix_proto::{TodoPhase, todo_markdown};

    fn list(text: &str) -> Vec<TodoPhase> {
        changed_list(&[], text).unwrap_or_default()
    }

    #[test]
    fn a_list_is_written_and_read_back() {
        let text = "# One\n[x] a\n    > it went well\n[~] b\n# Two\n[ ] c\n[-] d";
        assert_eq!(todo_markdown(&list(text)), text);
        assert_eq!(
            todo_markdown(&list("- [ ] a\n* [x] b")),
            "[~] a\n[x] b",
            "one is in progress, and a lone phase is unnamed"
        );
        for odd in ["hello", "[?] a", "> note first"] {
            assert_eq!(changed_list(&[], odd), Err(odd.to_owned()));
        }
        assert!(list("").is_empty() && list("clear").is_empty());
    }

    #[test]
    fn small_changes_need_no_editor() {
        let now = list("[~] a\n[ ] b");
        for (words, wanted) in [
            ("add c d", "[~] a\n[ ] b\n[ ] c d"),
            ("done 1", "[x] a\n[~] b"),
            ("start 2", "[ ] a\n[~] b"),
            ("drop 2", "[~] a\n[-] b"),
            ("rm 1", "[~] b"),
        ] {
            let list = changed_list(&now, words).unwrap_or_default();
            assert_eq!(todo_markdown(&list), wanted, "{words}");
        }
        for odd in ["done 9", "done x", "add "] {
            assert!(changed_list(&now, odd).is_err(), "{odd}");
        }
    }

    proptest! {
        /// Whatever was understood is written as what is read back as the same.
        #[test]
        fn the_round_trip_holds(lines in proptest::collection::vec("(\\[[ x~-]\\] [a-z]{1,8}|# [A-Z][a-z]{1,5}|> [a-z]{1,5})", 0..20)) {
            let text = lines.join("\n");
            if let Ok(first) = changed_list(&[], &text) {
                let again = changed_list(&[], &todo_markdown(&first));
                let plain = |list: &[TodoPhase]| todo_markdown(list);
                prop_assert_eq!(again.map(|list| plain(&list)), Ok(plain(&first)));
            }
        }
    }
}
