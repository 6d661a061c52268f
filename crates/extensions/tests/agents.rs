//! Agents in files: ours and those of other programs, which of two counts, and what a project's may not say.

use pretty_assertions::assert_eq;
use reasonix_extensions::{ExtensionPlaces, FoundAgents, Roster, Shelf, agent_note};
use reasonix_proto::{AgentMode, AgentOrigin, AgentProfile, AgentRules, Effect};
use reasonix_testkit::TempWorkspace;
use std::path::Path;

struct Disk {
    work: TempWorkspace,
    home: TempWorkspace,
}

impl Disk {
    fn new() -> Self {
        Self { work: TempWorkspace::new(), home: TempWorkspace::new() }
    }

    fn found(&self) -> FoundAgents {
        let places =
            ExtensionPlaces { project: self.work.path(), home: self.home.path(), ..ExtensionPlaces::default() };
        Shelf::new(places, |_| false).agents_now()
    }

    fn roster(&self, trusted: bool) -> Roster {
        Roster::new([], self.found(), |_| None, |_| trusted)
    }

    /// What a file of this text means, and the codes of what is said about it.
    fn read(text: &str) -> (AgentProfile, Vec<String>) {
        let disk = Self::new();
        disk.home.write("agents/x.md", text);
        let found = disk.found();
        let codes = found.flaws.iter().map(|flaw| flaw.phrase().code.to_string()).collect();
        (found.agents.into_iter().next().unwrap_or_default(), codes)
    }
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| (*word).to_owned()).collect()
}

/// Each line of front matter, and what it comes to.
fn means(table: &[(&str, AgentProfile)]) {
    for (line, wanted) in table {
        let (read, told) = Disk::read(&format!("---\ndescription: d\n{line}\n---\n"));
        let named = AgentProfile {
            name: "x".into(),
            description: "d".into(),
            origin: AgentOrigin::User,
            place: read.place.clone(),
            ..wanted.clone()
        };
        assert_eq!(read, named, "{line}");
        assert_eq!(told, Vec::<String>::new(), "{line}");
    }
}

/// The table of names of tools.
#[test]
fn tools_of_other_programs_mean_what_the_table_says() {
    let edits = words(&["edit_file", "multi_edit", "apply_patch", "move_file", "delete_range"]);
    means(&[
        ("tools: Read, Grep", AgentProfile { tools: Some(words(&["read_file", "grep"])), ..AgentProfile::default() }),
        (
            "tools: [Glob, todo_write]",
            AgentProfile { tools: Some(words(&["glob", "ls", "todo_write"])), ..AgentProfile::default() },
        ),
        ("tools: Edit", AgentProfile { tools: Some(edits), ..AgentProfile::default() }),
        ("tools: \"*\"", AgentProfile::default()),
        ("tools: []", AgentProfile { tools: Some(Vec::new()), ..AgentProfile::default() }),
        ("tools: mcp__github__*", AgentProfile { tools: Some(words(&["mcp__github__*"])), ..AgentProfile::default() }),
        (
            "tools: { write: false, bash: true }",
            AgentProfile { without: words(&["write_file", "apply_patch", "move_file"]), ..AgentProfile::default() },
        ),
        (
            "tools: Read, Agent(explore, general)",
            AgentProfile {
                tools: Some(words(&["read_file"])),
                spawns: Some(words(&["explore", "general"])),
                ..AgentProfile::default()
            },
        ),
        (
            "tools: Bash(git diff:*)",
            AgentProfile {
                tools: Some(words(&["bash"])),
                rules: AgentRules { only: words(&["Bash(git diff:*)"]), ..AgentRules::default() },
                ..AgentProfile::default()
            },
        ),
        (
            "disallowedTools: Write, Bash(git push:*)",
            AgentProfile {
                without: words(&["write_file", "apply_patch", "move_file"]),
                rules: AgentRules { deny: words(&["Bash(git push:*)"]), ..AgentRules::default() },
                ..AgentProfile::default()
            },
        ),
        ("disallowedTools: Bash", AgentProfile { without: words(&["bash", "monitor"]), ..AgentProfile::default() }),
        ("disallowedTools: Agent", AgentProfile { spawns: Some(Vec::new()), ..AgentProfile::default() }),
    ]);
}

/// The table of fields.
#[test]
fn fields_of_other_programs_mean_what_the_table_says() {
    means(&[
        ("model: inherit", AgentProfile::default()),
        ("model: mine\neffort: high", AgentProfile { model: Some("mine:high".into()), ..AgentProfile::default() }),
        ("maxTurns: 7", AgentProfile { max_steps: Some(7), ..AgentProfile::default() }),
        ("skills: [lint, review]", AgentProfile { skills: words(&["lint", "review"]), ..AgentProfile::default() }),
        ("permissionMode: default", AgentProfile::default()),
        (
            "permissionMode: plan",
            AgentProfile { rules: AgentRules { reads_only: true, ..AgentRules::default() }, ..AgentProfile::default() },
        ),
        (
            "permissionMode: dontAsk",
            AgentProfile {
                rules: AgentRules { mode: Some(Effect::Deny), ..AgentRules::default() },
                ..AgentProfile::default()
            },
        ),
        ("color: red", AgentProfile::default()),
        ("mode: subagent", AgentProfile { mode: AgentMode::Subagent, ..AgentProfile::default() }),
        (
            "temperature: 0.5\ntop_p: 1\nmax_steps: 3\ndisable: true",
            AgentProfile {
                temperature: Some(0.5),
                top_p: Some(1.0),
                max_steps: Some(3),
                disable: true,
                ..AgentProfile::default()
            },
        ),
        (
            "permissions:\n  deny: [Edit]\n  fallbacks: { bash: ask }\n  mode: ask",
            AgentProfile {
                rules: AgentRules {
                    deny: words(&["Edit"]),
                    fallbacks: [("Bash".to_owned(), Effect::Ask)].into(),
                    mode: Some(Effect::Ask),
                    ..AgentRules::default()
                },
                ..AgentProfile::default()
            },
        ),
        (
            "permission:\n  edit: deny",
            AgentProfile {
                rules: AgentRules { fallbacks: [("Edit".to_owned(), Effect::Deny)].into(), ..AgentRules::default() },
                ..AgentProfile::default()
            },
        ),
    ]);
}

#[test]
fn what_is_left_out_or_waits_is_said() {
    for (line, code) in [
        ("permissionMode: bypassPermissions", "extensions.loosens"),
        ("permissionMode: acceptEdits", "extensions.loosens"),
        ("permissionMode: somethingNew", "extensions.loosens"),
        ("hooks: { Stop: [] }", "extensions.unused_fields"),
        ("mcpServers: [github]", "extensions.unused_fields"),
    ] {
        let (read, told) = Disk::read(&format!("---\nname: other\n{line}\n---\nwords\n"));
        assert_eq!(told, [code], "{line}");
        assert_eq!((read.name.as_str(), read.prompt.as_deref()), ("other", Some("words")), "it is used all the same");
        assert_eq!(read.rules, AgentRules::default(), "{line}");
    }
    let (kept, _) =
        Disk::read("---\nbackground: true\nisolation: worktree\noutput: { type: object }\nspawns: [a]\n---\n");
    assert_eq!((kept.blocking, kept.isolation.as_deref()), (Some(false), Some("worktree")));
    assert!(kept.output.is_some() && kept.spawns == Some(words(&["a"])));
}

/// A rule that is misspelt forbids nothing: nobody may work as an agent whose permissions are not understood. Other mistakes
/// are said.
#[test]
fn mistakes_are_not_silent() {
    for line in [
        "permissions: { dney: [Edit] }",
        "permissions: { mode: alow }",
        "permissions: { edit: dney }",
        "permissions: { deny: [1] }",
        "permissions: { fallbacks: { Bsh: deny } }",
        "permissions: { fallbacks: { bash: never } }",
        "permissions: { external_directory: no }",
        "permissions: [Edit]",
        "permission: never",
        "permision: { deny: [Edit] }",
    ] {
        let (read, told) = Disk::read(&format!("---\nname: other\n{line}\n---\nwords\n"));
        assert_eq!(told, ["extensions.bad_permissions"], "{line}");
        assert_eq!(read.name, "other", "it keeps its place, so that no other takes it: {line}");
    }
    for (line, code) in [
        ("tool: Read", "extensions.unknown_fields"),
        ("mode: sometimes", "extensions.bad_values"),
        ("max_steps: many", "extensions.bad_values"),
        ("temperature: hot", "extensions.bad_values"),
        ("disable: perhaps", "extensions.bad_values"),
        ("skills: 3", "extensions.bad_values"),
    ] {
        let (_, told) = Disk::read(&format!("---\nname: other\n{line}\n---\nwords\n"));
        assert_eq!(told, [code], "{line}");
    }
    let (read, told) =
        Disk::read("---\npermission: { bash: { \"git push *\": deny, \"*\": ask }, write: deny, edit: ask }\n---\n");
    let fallbacks = [("Bash".to_owned(), Effect::Ask), ("Edit".to_owned(), Effect::Deny)].into();
    assert_eq!((read.rules.deny, read.rules.fallbacks, told.len()), (words(&["Bash(git push:*)"]), fallbacks, 0));
}

#[test]
fn the_users_own_stand_before_the_projects_which_only_tighten() {
    let disk = Disk::new();
    disk.home.write("agents/reviewer.md", "---\ndescription: mine\npermissions: { deny: [Edit] }\n---\nMine.");
    disk.work.write(".reasonix/agents/reviewer.md", "Theirs.");
    let wide = "---\nmodel: big\npermissions:\n  allow: [Bash]\n  deny: [Read(x)]\nmax_steps: 2\n---\nObey me.";
    disk.work.write(".claude/agents/deep/helper.md", wide);
    disk.work.write(".reasonix/agents/explore.md", "---\npermissions: { deny: [Grep] }\n---\n");
    disk.work.write(".reasonix/agents/b d.md", "x");
    let roster = disk.roster(false);
    let mine = roster.named("Reviewer").unwrap();
    assert_eq!((mine.description.as_str(), mine.prompt.as_deref()), ("mine", Some("Mine.")));
    assert_eq!(roster.shadowed.len(), 1);
    assert!(roster.shadowed[0].shadowed.ends_with(".reasonix/agents/reviewer.md"));
    let helper = roster.named("helper").unwrap();
    assert_eq!((&helper.model, &helper.prompt, helper.rules.allow.len()), (&None, &None, 0));
    assert_eq!((helper.rules.deny.as_slice(), helper.max_steps), (["Read(x)".to_owned()].as_slice(), Some(2)));
    assert!(roster.distrusts("helper") && !roster.distrusts("reviewer"));
    let explore = roster.named("explore").unwrap();
    assert!(explore.rules.reads_only && explore.rules.deny == ["Grep"], "it adds to what is built in");
    let codes: Vec<String> = roster.flaws.iter().map(|flaw| flaw.phrase().code.to_string()).collect();
    assert_eq!(codes, ["extensions.bad_name", "extensions.only_tightens"]);
    assert_eq!(disk.roster(true).named("helper").unwrap().prompt.as_deref(), Some("Obey me."));
}

#[test]
fn what_is_built_in_is_always_there_and_roles_have_their_models() {
    let role = |name: &str| (name == "critic").then(|| "big".to_owned());
    let stated = AgentProfile {
        name: "build".into(),
        origin: AgentOrigin::User,
        without: words(&["Bash"]),
        ..AgentProfile::default()
    };
    let roster = Roster::new([stated], FoundAgents::default(), role, |_: &Path| false);
    let names: Vec<&str> = roster.agents.iter().map(|agent| agent.name.as_str()).collect();
    assert_eq!(names, ["build", "plan", "general", "explore", "executor", "architect", "planner", "critic"]);
    assert_eq!(roster.named("critic").unwrap().model.as_deref(), Some("big"));
    assert!(!roster.named("build").unwrap().has("bash"), "names of other programs are understood in settings too");
    let reads = |name: &str| roster.named(name).unwrap().rules.reads_only;
    assert_eq!(["build", "general", "explore", "executor", "critic"].map(reads), [false, false, true, false, true]);
    assert!(agent_note(roster.named("explore").unwrap()).contains("refused"));
}

/// Who reads starts nobody, whatever a project's file says; the user's own file may say so.
#[test]
fn a_project_lets_no_built_in_agent_start_more() {
    let file = "---\nspawns: [general]\n---\n";
    let disk = Disk::new();
    disk.work.write(".claude/agents/explore.md", file);
    disk.work.write(".claude/agents/general.md", file);
    let roster = disk.roster(true);
    assert_eq!(roster.named("explore").unwrap().spawns, Some(Vec::new()));
    assert_eq!(roster.named("general").unwrap().spawns, Some(words(&["general"])));
    let said = |roster: &Roster| roster.flaws.iter().map(|flaw| flaw.phrase()).collect::<Vec<_>>();
    let told: Vec<_> = said(&roster).into_iter().filter(|phrase| phrase.code == "extensions.only_tightens").collect();
    assert_eq!(told.iter().map(|phrase| phrase.arg("fields")).collect::<Vec<_>>(), [Some("spawns")]);
    disk.home.write("agents/explore.md", file);
    assert_eq!(disk.roster(true).named("explore").unwrap().spawns, Some(words(&["general"])));
}

/// A link that leads out, a file that is too large, and hidden words are left out.
#[test]
fn hostile_files_are_left_out() {
    let disk = Disk::new();
    let secret = TempWorkspace::new();
    secret.write("secret.md", "secret");
    std::fs::create_dir_all(disk.work.path().join(".claude/agents")).unwrap();
    std::os::unix::fs::symlink(secret.path().join("secret.md"), disk.work.path().join(".claude/agents/a.md")).unwrap();
    disk.work.write(".claude/agents/b.md", "x".repeat(300 * 1024));
    disk.work.write(".claude/agents/c.md", "---\ndescription: \"d\u{200b}e\"\n---\nx");
    let found = disk.found();
    assert_eq!(found.agents, []);
    assert_eq!(found.flaws.len(), 3, "{:?}", found.flaws);
}
