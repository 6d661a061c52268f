//! Which skills and commands there are, and which of two counts.

use pretty_assertions::assert_eq;
use reasonix_extensions::{BroughtBy, ExtensionPlaces, FlawKind, Shelf, SkillFork, index};
use reasonix_testkit::TempWorkspace;

pub(crate) struct Disk {
    pub(crate) project: TempWorkspace,
    pub(crate) user: TempWorkspace,
}

impl Disk {
    pub(crate) fn new() -> Self {
        Self { project: TempWorkspace::new(), user: TempWorkspace::new() }
    }

    pub(crate) fn places(&self) -> ExtensionPlaces {
        ExtensionPlaces {
            project: self.project.path(),
            home: self.user.join(".reasonix"),
            user: Some(self.user.path()),
            ..ExtensionPlaces::default()
        }
    }

    pub(crate) fn shelf(&self) -> Shelf {
        Shelf::new(self.places(), |_| false)
    }
}

fn skill(name: &str) -> String {
    format!("---\nname: {name}\ndescription: What {name} does.\n---\nDo {name}.\n")
}

fn names(shelf: &Shelf) -> Vec<String> {
    shelf.offered().map(|skill| format!("{} {}", skill.by.word(), skill.name)).collect()
}

#[test]
fn skills_are_found_in_every_place_and_the_nearest_counts() {
    let disk = Disk::new();
    disk.project.write(".reasonix/skills/both/SKILL.md", skill("both"));
    disk.project.write(".agents/skills/agents/SKILL.md", skill("agents"));
    disk.project.write(".claude/skills/claude/SKILL.md", skill("claude"));
    disk.project.write(".claude/skills/both/SKILL.md", "---\ndescription: another\n---\n");
    disk.project.write("more/inside/SKILL.md", skill("inside"));
    disk.user.write(".reasonix/skills/both/SKILL.md", skill("Both"));
    disk.user.write(".reasonix/skills/own/SKILL.md", skill("own"));
    disk.user.write(".agents/skills/shared/SKILL.md", skill("shared"));
    disk.user.write(".claude/skills/foreign/SKILL.md", skill("foreign"));
    disk.user.write("elsewhere/far/SKILL.md", skill("far"));
    let paths = vec![disk.project.join("more"), disk.user.join("elsewhere")];
    let shelf = Shelf::new(ExtensionPlaces { paths, ..disk.places() }, |_| false);
    assert_eq!(
        names(&shelf),
        ["project agents", "project both", "project claude", "user far", "project inside", "user own", "user shared",]
    );
    let shadowed: Vec<_> = shelf.skills().shadowed.iter().map(|shadowed| shadowed.shadowed.clone()).collect();
    assert_eq!(
        shadowed,
        [disk.project.join(".claude/skills/both/SKILL.md"), disk.user.join(".reasonix/skills/both/SKILL.md"),]
    );
    assert!(shelf.skills().flaws.is_empty(), "{:?}", shelf.skills().flaws);
    let bundled: Vec<_> = shelf.skills().skills.iter().filter(|skill| skill.by == BroughtBy::Bundled).collect();
    assert_eq!(
        bundled.iter().map(|skill| skill.name.as_str()).collect::<Vec<_>>(),
        ["commit", "explore", "init", "research", "review", "security-review"]
    );
}

#[test]
fn what_is_excluded_disabled_or_denied_is_not_there() {
    let disk = Disk::new();
    for name in ["one", "two", "three"] {
        disk.project.write(format!(".reasonix/skills/{name}/SKILL.md"), skill(name));
        disk.user.write(format!(".agents/skills/u-{name}/SKILL.md"), skill(&format!("u-{name}")));
    }
    let places = ExtensionPlaces {
        excluded: vec![disk.user.join(".agents/skills"), disk.project.join(".reasonix/skills/one")],
        disabled: vec!["Two".into(), "review".into()],
        ..disk.places()
    };
    let shelf = Shelf::new(places, |name| name == "three");
    assert_eq!(names(&shelf), Vec::<String>::new());
    assert!(!shelf.has_skills());
    for name in ["one", "two", "three", "review", "u-one"] {
        assert!(shelf.readable_named(name).is_none(), "{name}");
    }
    assert!(shelf.readable_named("explore").is_some());
}

#[test]
fn the_fields_are_read_and_held_to_their_bounds() {
    let disk = Disk::new();
    let long = "x".repeat(1500);
    let text = format!(
        "---\nname: all\ndescription: \"{long}\"\nlicense: MIT\nargument-hint: \"[file] [how]\"\n\
         disable-model-invocation: true\nuser-invocable: false\ncontext: fork\nagent: critic\nmodel: small\n\
         allowed-tools: Read Bash(git:*)\nmetadata:\n  author: me\n---\nBody.\n"
    );
    disk.project.write(".reasonix/skills/all/SKILL.md", text);
    disk.project.write(".reasonix/skills/sub/SKILL.md", "---\ndescription: d\nrunAs: subagent\n---\n");
    disk.project.write(".reasonix/skills/bare/SKILL.md", "# Heading\n\nThe first\nparagraph.\n\nMore.\n");
    disk.project.write(".reasonix/skills/odd/SKILL.md", "---\nname: My Skill\ndescription: d\n---\n");
    disk.project.write(".reasonix/skills/a file.md", "no skill");
    let shelf = disk.shelf();
    let found = &shelf.skills().skills;
    let named = |name: &str| found.iter().find(|skill| skill.name == name).unwrap();
    let all = named("all");
    assert_eq!(
        (all.description.len(), all.for_models, all.for_people, all.forks),
        (1024, false, false, Some(SkillFork::Assignment))
    );
    assert_eq!((all.model.as_deref(), all.argument_hint.as_deref()), (Some("small"), Some("[file] [how]")));
    assert_eq!(all.allowed_tools.as_deref().unwrap(), ["Read", "Bash(git:*)"]);
    assert_eq!((all.agent.as_deref(), all.mark()), (Some("critic"), " (subagent)"));
    assert_eq!(named("sub").forks, Some(SkillFork::Prompt));
    assert!(named("sub").agent.is_none() && named("odd").mark().is_empty());
    assert_eq!(named("bare").description, "The first paragraph.");
    assert_eq!(named("odd").description, "d");
    assert!(shelf.readable_named("all").is_none());
    assert_eq!(shelf.readable_named(" /skill:SUB [subagent]").map(|skill| skill.name.as_str()), Some("sub"));
    let flaws: Vec<_> = shelf.skills().flaws.iter().map(|flaw| flaw.kind.clone()).collect();
    assert_eq!(flaws, [FlawKind::Cut("description", 1024), FlawKind::OddName("My Skill".into())]);
}

#[test]
fn a_body_is_read_when_it_is_wanted_and_its_files_are_named() {
    let disk = Disk::new();
    disk.project.write(".reasonix/skills/x/SKILL.md", skill("x"));
    disk.project.write(".reasonix/skills/x/scripts/run.sh", "echo");
    disk.project.write(".reasonix/skills/x/notes.md", "notes");
    let shelf = disk.shelf();
    let x = shelf.readable_named("x").unwrap();
    assert_eq!(x.body().unwrap(), "Do x.");
    assert_eq!(x.files(), (vec!["notes.md".to_owned(), "scripts/run.sh".to_owned()], false));
    disk.project.write(".reasonix/skills/x/SKILL.md", "---\nname: x\n---\nDo a\u{200b}nother.\n");
    assert_eq!(x.body().unwrap(), "Do a⟨U+200B⟩nother.");
}

#[test]
fn commands_are_named_by_their_folders_and_the_projects_count() {
    let disk = Disk::new();
    disk.project.write(".reasonix/commands/git/commit.md", "---\ndescription: Commits.\n---\nCommit $ARGUMENTS\n");
    disk.project.write(".claude/commands/fix.md", "Fix issue $1.\n");
    disk.project.write(".claude/commands/fix-not.txt", "no command");
    disk.user.write(".reasonix/commands/fix.md", "My own fix.\n");
    disk.user.write(".reasonix/commands/mine.md", "---\ndescription: Use when: odd\nallowed-tools: Read\n---\nMine\n");
    disk.user.write(".claude/commands/foreign.md", "not read");
    let found = disk.shelf().commands_now();
    let shown =
        found.commands.iter().map(|command| format!("{} /{} {}", command.by.word(), command.name, command.description));
    assert_eq!(
        shown.collect::<Vec<_>>(),
        ["project /fix Fix issue $1.", "project /git:commit Commits.", "user /mine Use when: odd"]
    );
    assert_eq!(found.commands[1].body().unwrap(), "Commit $ARGUMENTS");
    assert_eq!(found.shadowed.len(), 1);
    assert_eq!(found.flaws.iter().map(|flaw| flaw.kind.clone()).collect::<Vec<_>>(), [FlawKind::Loose]);
}

#[test]
fn the_index_is_the_same_each_time_and_keeps_to_its_share() {
    let disk = Disk::new();
    for number in 0..60 {
        let text = format!("---\nname: skill-{number:02}\ndescription: {}\n---\n", "Says a lot. ".repeat(40));
        disk.project.write(format!(".reasonix/skills/skill-{number:02}/SKILL.md"), text);
    }
    let tokens = |text: &str| (text.len() as u64).div_ceil(4);
    let of = |window| index(disk.shelf().offered(), window, &tokens);
    assert_eq!(of(128_000), of(128_000));
    for window in [8_000, 32_000, 128_000, 1_000_000, 0] {
        let text = of(window);
        let room = if window == 0 { 1280 } else { window / 100 };
        assert!(tokens(&text) <= room, "{window}: {}", tokens(&text));
        let lines = text.lines().filter(|line| line.starts_with("- ")).count();
        assert!(
            lines > 0
                && (lines == 60 || text.ends_with(&format!("[{} more: the tool skill lists them]\n", 60 - lines)))
        );
    }
    assert_eq!(index(std::iter::empty(), 1000, &tokens), "");
}
