//! Files that somebody put there to do harm: each is named and left out, and the others are still found.

use crate::shelf::Disk;
use pretty_assertions::assert_eq;
use reasonix_extensions::{FlawKind, Shelf};
use std::os::unix::fs::symlink;
use std::process::Command;

const GOOD: &str = "---\ndescription: good\n---\nbody\n";

fn flaws(shelf: &Shelf) -> Vec<(String, FlawKind)> {
    let name = |path: &std::path::Path| {
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let at = parts.iter().rposition(|part| part == "skills" || part == "commands").unwrap_or_default();
        parts[at + 1..].join("/")
    };
    let (skills, commands) = (shelf.skills_now(), shelf.commands_now());
    skills.flaws.iter().chain(&commands.flaws).map(|flaw| (name(&flaw.path), flaw.kind.clone())).collect()
}

#[test]
fn what_is_no_honest_text_is_named_and_left_out() {
    let disk = Disk::new();
    let skill = |name: &str, text: &[u8]| disk.project.write(format!(".reasonix/skills/{name}/SKILL.md"), text);
    skill("good", GOOD.as_bytes());
    skill("binary", b"---\nname: x\0\n---\n");
    skill("latin", b"---\ndescription: caf\xe9 \n---\n");
    skill("bidi", "---\ndescription: safe \u{202e}evil\n---\n".as_bytes());
    skill("tags", "---\nname: a\u{e0041}b\ndescription: x\n---\n".as_bytes());
    skill("open", b"---\nname: open\n");
    skill("nothing", b"");
    skill("noise", b"---\n[[[[\n---\nwords\n");
    skill("escape", b"---\ndescription: \"a \\e[31m b\"\n---\n");
    disk.project.write(".reasonix/skills/a b/SKILL.md", GOOD);
    disk.project.write(".reasonix/commands/bad name.md", "x");
    disk.project.write(".reasonix/commands/ok.md", "x");
    let shelf = disk.shelf();
    assert_eq!(shelf.offered().map(|skill| skill.name.as_str()).collect::<Vec<_>>(), ["good"]);
    assert_eq!(
        flaws(&shelf),
        [
            ("a b/SKILL.md".to_owned(), FlawKind::BadName("a b".into())),
            ("bidi/SKILL.md".to_owned(), FlawKind::Hidden),
            ("binary/SKILL.md".to_owned(), FlawKind::Binary),
            ("escape/SKILL.md".to_owned(), FlawKind::Hidden),
            ("latin/SKILL.md".to_owned(), FlawKind::Binary),
            ("noise/SKILL.md".to_owned(), FlawKind::Unparsed),
            ("nothing/SKILL.md".to_owned(), FlawKind::Undescribed),
            ("open/SKILL.md".to_owned(), FlawKind::Unclosed),
            ("tags/SKILL.md".to_owned(), FlawKind::Hidden),
            ("bad name.md".to_owned(), FlawKind::BadName("bad name".into())),
        ]
    );
}

#[test]
fn links_devices_and_pipes_are_not_followed_out_or_waited_for() {
    let disk = Disk::new();
    let elsewhere = disk.user.write("elsewhere/SKILL.md", GOOD);
    let skills = disk.project.join(".reasonix/skills");
    disk.project.write(".reasonix/skills/good/SKILL.md", GOOD);
    disk.project.write(".reasonix/skills/linked/keep", "");
    symlink(&elsewhere, skills.join("linked/SKILL.md")).unwrap();
    symlink(disk.user.join("elsewhere"), skills.join("folder")).unwrap();
    symlink(&skills, skills.join("circle")).unwrap();
    disk.project.write(".reasonix/skills/inner/real.md", GOOD);
    symlink("real.md", skills.join("inner/SKILL.md")).unwrap();
    disk.project.write(".reasonix/skills/pipe/keep", "");
    let pipe = skills.join("pipe/SKILL.md");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    disk.project.write(".reasonix/skills/node_modules/SKILL.md", GOOD);
    disk.project.write(".reasonix/skills/module/.git", "gitdir: x");
    disk.project.write(".reasonix/skills/module/SKILL.md", GOOD);
    disk.project.write(".reasonix/commands/keep.md", "x");
    symlink(&elsewhere, disk.project.join(".reasonix/commands/out.md")).unwrap();
    symlink(disk.user.join("elsewhere"), disk.project.join(".claude")).unwrap();
    let shelf = disk.shelf();
    assert_eq!(shelf.offered().map(|skill| skill.name.as_str()).collect::<Vec<_>>(), ["good", "inner"]);
    assert_eq!(
        flaws(&shelf),
        [
            ("circle".to_owned(), FlawKind::LeadsOut),
            ("folder".to_owned(), FlawKind::LeadsOut),
            ("linked/SKILL.md".to_owned(), FlawKind::LeadsOut),
            ("pipe/SKILL.md".to_owned(), FlawKind::Unreadable("not a regular file".into())),
            ("out.md".to_owned(), FlawKind::LeadsOut),
        ]
    );
}

#[test]
fn a_projects_folder_that_lies_elsewhere_is_none_of_its_own() {
    let disk = Disk::new();
    disk.user.write("elsewhere/skills/x/SKILL.md", GOOD);
    disk.user.write("elsewhere/commands/x.md", "x");
    symlink(disk.user.join("elsewhere"), disk.project.join(".reasonix")).unwrap();
    let shelf = disk.shelf();
    assert!(!shelf.has_skills());
    assert!(shelf.commands_now().commands.is_empty());
}

#[test]
fn what_is_huge_is_not_read_whole() {
    let disk = Disk::new();
    let body = "x".repeat(10 << 20);
    disk.project.write(".reasonix/skills/huge/SKILL.md", format!("---\ndescription: huge\n---\n{body}"));
    disk.project.write(".reasonix/skills/endless/SKILL.md", format!("---\ndescription: {body}"));
    let far = format!("---\nx: {}\ndescription: far\n---\nbody", "y".repeat(8000));
    disk.project.write(".reasonix/skills/far/SKILL.md", far);
    let shelf = disk.shelf();
    assert_eq!(shelf.offered().map(|skill| skill.name.as_str()).collect::<Vec<_>>(), ["far", "huge"]);
    let error = shelf.readable_named("huge").unwrap().body().unwrap_err();
    assert_eq!(error.kind, FlawKind::TooLarge(256 * 1024));
    assert_eq!(flaws(&shelf), [("endless/SKILL.md".to_owned(), FlawKind::Unclosed)]);
}

#[test]
fn more_than_anybody_needs_is_left_and_said() {
    let disk = Disk::new();
    for number in 0..510 {
        disk.project.write(format!(".reasonix/skills/s{number}/SKILL.md"), GOOD);
    }
    disk.project.write(".reasonix/commands/a/b/c/d/e/deep.md", "too deep");
    disk.project.write(".reasonix/commands/a/b/c/d/fine.md", "just so");
    let shelf = disk.shelf();
    assert_eq!(shelf.offered().count(), 500);
    let kinds: Vec<_> = shelf.skills().flaws.iter().map(|flaw| flaw.kind.clone()).collect();
    assert_eq!(kinds, [FlawKind::TooMany(500)]);
    let names: Vec<_> = shelf.commands_now().commands.into_iter().map(|command| command.name).collect();
    assert_eq!(names, ["a:b:c:d:fine"]);
}

#[test]
fn a_yaml_bomb_costs_nothing_and_only_its_plain_lines_count() {
    let disk = Disk::new();
    let mut text = "---\nname: bomb\ndescription: what: it says\na: &a [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    for (name, before) in ["b", "c", "d", "e", "f", "g", "h", "i"].iter().zip(["a", "b", "c", "d", "e", "f", "g", "h"])
    {
        text.push_str(&format!("{name}: &{name} [{}]\n", vec![format!("*{before}"); 10].join(",")));
    }
    text.push_str("---\nbody\n");
    disk.project.write(".reasonix/skills/bomb/SKILL.md", text);
    let shelf = disk.shelf();
    assert_eq!(shelf.readable_named("bomb").unwrap().description, "what: it says");
    assert_eq!(flaws(&shelf), [("bomb/SKILL.md".to_owned(), FlawKind::Loose)]);
}
