//! The work of subagents as branches of the repository: with the commits that they made, under names that nobody had, and
//! nothing else of the repository or the folder is touched.

use crate::world::{World, has_box};
use crate::writers::{Scripts, bash, edit, files, is_child, project, turn, world, write, yes};
use reasonix_config::{BashBoxing, MergeAs};
use reasonix_engine::{Handle, Start, Which};
use reasonix_proto::Choice;
use std::os::unix::fs::PermissionsExt;

fn open(world: &World, change: impl FnOnce(&mut Start)) -> Handle {
    world.open_with(Which::New, |start| {
        start.world.settings.isolation.merge = MergeAs::Branch;
        change(start);
    })
}

fn boxed(start: &mut Start) {
    start.world.settings.sandbox.bash = BashBoxing::Enforce;
    start.attended = false;
}

/// All that is there of a repository beside branches of ours: its files, its index, where it stands, its other names.
fn standing(world: &World) -> (Vec<String>, Vec<u8>, Vec<u8>) {
    let of = world.work.path();
    let files = files(&of).into_iter().map(|(name, (mode, bytes))| format!("{name} {mode} {bytes:?}")).collect();
    let read = |name: &str| std::fs::read(of.join(".git").join(name)).unwrap_or_default();
    (files, read("index"), [read("HEAD"), read("FETCH_HEAD"), read("config"), read("logs/HEAD")].concat())
}

fn refs(world: &World) -> String {
    world.work.git(&["for-each-ref", "--format=%(refname) %(objectname)"])
}

/// Its own commits are in the branch as they are, what it did not commit is one more, and the folder stays as it was.
#[tokio::test]
async fn a_branch_has_its_own_commits_and_the_folder_stays() {
    if !has_box() {
        return;
    }
    let world = world(vec![(
        "A",
        vec![
            edit("a.txt", "line 2\n", "line two\n"),
            bash("git commit -qam 'Second line' && git log -1 --format=%H"),
            write("more.txt", "not committed\n"),
        ],
    )]);
    project(&world);
    let (before, names) = (standing(&world), refs(&world));
    let mut handle = open(&world, boxed);
    let (told, _) = turn(&mut handle, yes).await;
    assert!(told[0].contains("Branch reasonix/task/0-A has it, with its 1 own commits: 2 files"), "{told:?}");
    assert!(told[0].contains("It begins with a commit of what was not committed here."), "{told:?}");
    assert!(told[0].contains("Its changes would go into this folder as it is now."), "{told:?}");
    assert_eq!(standing(&world), before);
    let subjects = world.work.git(&["log", "--format=%s", "main..reasonix/task/0-A"]);
    let subjects: Vec<&str> = subjects.lines().collect();
    let wanted = ["What the subagent did not commit", "Second line", "What was not committed when this clone was made"];
    assert_eq!(subjects, wanted);
    let own = world.work.git(&["rev-parse", "reasonix/task/0-A~1"]);
    let seen: String =
        world.server.requests().iter().filter(|r| is_child(r)).map(|r| r.last_content().to_owned()).collect();
    assert!(seen.contains(own.trim()), "the very commit that it made");
    assert!(world.work.git(&["show", "reasonix/task/0-A:a.txt"]).contains("line two\n"));
    assert_eq!(world.work.git(&["show", "reasonix/task/0-A:more.txt"]), "not committed\n");
    let now = refs(&world);
    let other: Vec<&str> = now.lines().filter(|line| !line.contains("/reasonix/")).collect();
    assert_eq!(other, names.lines().collect::<Vec<_>>(), "no other name changed");
    world.work.git(&["fsck", "--strict"]);
}

/// A branch of the user's is never written over, and where no name is left nothing is lost.
#[tokio::test]
async fn names_that_are_taken_stay_what_they_are() {
    for (taken, told_of) in [
        ("reasonix/task/0-A", "Branch reasonix/task/0-A-2 has it"),
        ("reasonix", "Not merged: no branch could be made"),
    ] {
        let world = world(vec![("A", vec![write("one", "1\n")])]);
        project(&world);
        world.work.git(&["branch", taken]);
        let was = world.work.git(&["rev-parse", taken]);
        let mut handle = open(&world, |_| ());
        let (told, asked) = turn(&mut handle, yes).await;
        assert_eq!(asked.len(), 1, "{asked:?}");
        assert!(asked[0].contains("+1"), "{asked:?}");
        assert!(told[0].contains(told_of), "{told:?}");
        assert_eq!(world.work.git(&["rev-parse", taken]), was);
        assert!(!world.work.exists("one"));
        assert_eq!(told[0].contains("Its patch: read_file artifact://"), taken == "reasonix", "{told:?}");
    }
}

/// Two that change the same line have a branch each, and what would not come together is said.
#[tokio::test]
async fn a_conflict_is_said_and_left_to_whoever_merges() {
    let scripts: Scripts = vec![
        ("A", vec![edit("a.txt", "line 2\n", "line two\n")]),
        ("B", vec![edit("a.txt", "line 2\n", "line zwei\n")]),
    ];
    for choice in [Choice::AllowOnce, Choice::Deny] {
        let world = world(scripts.clone());
        project(&world);
        let (before, names) = (standing(&world), refs(&world));
        let mut handle = open(&world, |_| ());
        let (told, asked) = turn(&mut handle, |_| choice.clone()).await;
        assert_eq!(asked.len(), 1, "asked once about both: {asked:?}");
        assert!(asked[0].contains("+line two") && asked[0].contains("+line zwei"), "{asked:?}");
        assert_eq!(standing(&world), before);
        if choice == Choice::Deny {
            assert_eq!(refs(&world), names, "nobody said yes");
            assert_eq!(told[0].matches("Its patch: read_file artifact://").count(), 2, "{told:?}");
            continue;
        }
        assert!(told[0].contains("Branch reasonix/task/0-A has it: 1 files (a.txt)."), "{told:?}");
        assert!(told[0].contains("In this folder as it is now there is a conflict in a.txt."), "{told:?}");
        for (branch, line) in [("0-A", "line two\n"), ("1-B", "line zwei\n")] {
            assert!(world.work.git(&["show", &format!("reasonix/task/{branch}:a.txt")]).contains(line));
        }
    }
}

/// A rule that denies a path denies it in every commit, also where the last one has nothing of it any more.
#[tokio::test]
async fn a_deny_holds_in_every_commit() {
    if !has_box() {
        return;
    }
    let world = world(vec![(
        "A",
        vec![
            write(
                "one",
                "mkdir locked; echo 1 > locked/x; git add .; git commit -qm in; rm -r locked; git commit -qam out\n",
            ),
            bash("sh one; git log --oneline"),
        ],
    )]);
    project(&world);
    let names = refs(&world);
    let mut handle = open(&world, |start| {
        boxed(start);
        start.world.settings.permissions.deny = vec!["Edit(locked/**)".into()];
    });
    let (told, _) = turn(&mut handle, yes).await;
    let seen = world.server.requests().into_iter().rfind(is_child).unwrap();
    assert!(seen.last_content().contains(" out\n"), "it made them: {}", seen.last_content());
    assert!(told[0].contains("Not merged: by rule Edit(locked/**)"), "{told:?}");
    assert_eq!(refs(&world), names);
}

/// Commits that do not follow from where it began, and links to repositories, are none of a branch.
#[tokio::test]
async fn commits_from_elsewhere_and_links_are_left_out() {
    if !has_box() {
        return;
    }
    let link = "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub && git commit -qm link";
    for (line, told_of) in [
        ("git checkout -q --orphan other && git commit -qm root", "Branch reasonix/task/0-A has it: 1 files (one)"),
        (link, "Not merged: git could not do it: sub is a repository of its own"),
    ] {
        let world = world(vec![("A", vec![bash(line), write("one", "1\n")])]);
        project(&world);
        let mut handle = open(&world, boxed);
        let (told, _) = turn(&mut handle, yes).await;
        assert!(told[0].contains(told_of), "{told:?}");
        assert!(!refs(&world).is_empty() && !world.work.exists("one"));
    }
}

/// Why there is no branch of commits is said where they leave no file different, too.
#[tokio::test]
async fn why_commits_are_no_branch_is_said() {
    if !has_box() {
        return;
    }
    let link = "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub && git commit -qm link";
    let back = "mkdir locked; echo 1 > locked/x; git add .; git commit -qm in; rm -r locked; git commit -qam out";
    for (line, told_of) in [
        (link, "Not merged: git could not do it: sub is a repository of its own. Its 1 commits are kept, for git am: "),
        (back, "Not merged: by rule Edit(locked/**)"),
        (
            "git checkout -q --orphan other && git commit -qm root",
            "It changed nothing. Its 1 commits are kept, for git am: ",
        ),
        ("git status", "It changed nothing.\n"),
    ] {
        let world = world(vec![("A", vec![write("do.sh", &format!("rm do.sh\n{line}\n")), bash("sh do.sh")])]);
        project(&world);
        let names = refs(&world);
        let mut handle = open(&world, |start| {
            boxed(start);
            start.world.settings.permissions.deny = vec!["Edit(locked/**)".into()];
        });
        let (told, _) = turn(&mut handle, yes).await;
        assert!(told[0].contains(told_of), "{told:?}");
        assert_eq!(refs(&world), names);
    }
}

/// Nothing that the repository names is run, and what a filter would hide is not committed as it is.
#[tokio::test]
async fn hooks_and_filters_of_the_repository_are_not_run() {
    for filtered in [false, true] {
        let world = world(vec![("A", vec![write("one.secret", "1\n")])]);
        project(&world);
        if filtered {
            world.work.write(".gitattributes", "*.secret filter=hide\n");
            world.work.git(&["add", ".gitattributes"]);
            world.work.git(&["commit", "-qm", "attributes"]);
        }
        let trace = world.home.path().join("trace");
        let script = format!("#!/bin/sh\necho \"$0\" >> {}\ncat\n", trace.display());
        for hook in ["reference-transaction", "post-checkout", "post-commit", "pre-commit", "post-index-change"] {
            let path = world.work.join(".git/hooks").join(hook);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &script).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let hook = world.work.join(".git/hooks/post-commit").display().to_string();
        world.work.git(&["config", "filter.hide.clean", &hook]);
        world.work.git(&["config", "uploadpack.packObjectsHook", &hook]);
        let _ = std::fs::remove_file(&trace);
        let names = refs(&world);
        let mut handle = open(&world, |_| ());
        let (told, _) = turn(&mut handle, yes).await;
        assert!(!trace.exists(), "{:?}", std::fs::read_to_string(&trace));
        assert_eq!(refs(&world) == names, filtered, "{told:?}");
        assert_eq!(told[0].contains("one.secret goes through a filter before it is committed"), filtered, "{told:?}");
    }
}
