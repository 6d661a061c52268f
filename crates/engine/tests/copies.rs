//! A rule that denies to read a file holds for git's own copies of it, as far as a command names them or shows all files of a
//! repository that has one.

use crate::world;

use reasonix_config::{Permissions, SandboxSettings, ToolchainCaches};
use reasonix_engine::{Explainer, Handle, Which};
use reasonix_gate::Outlook;
use reasonix_proto::{Choice, ToolOutcome};
use reasonix_testkit::Reply;
use serde_json::json;
use std::process::Command;
use world::{World, turn};

/// What the file holds.
const SECRET: &str = "hunter2-in-the-history";

/// Name a denied path, in a form of git's or of a pathspec.
const NAMED: &[&str] = &[
    "git show HEAD:secrets/key",
    "git show HEAD:./secrets/key",
    "git show :secrets/key",
    "git show :0:secrets/key",
    "git show HEAD:src/../secrets/key",
    "git show 'HEAD^{/first: it}:secrets/key'",
    "git show HEAD:a.txt HEAD:secrets/key",
    "git show HEAD:{a.txt,secrets/key}",
    "git show {HEAD,main}:secrets/key",
    "git --no-pager show main:secrets/key",
    "git -C src show HEAD:secrets/key",
    "git -C src show HEAD:../secrets/key",
    "cd src && git show HEAD:secrets/key",
    "cd src && git log -p -- ../secrets",
    "git cat-file -p HEAD:secrets/key",
    "git cat-file blob HEAD:secrets/key",
    "git log -p -- secrets",
    "git log -p -- :/secrets/key",
    "git log -p -- ':(top)secrets'",
    "git log -p -- ':(glob)secrets/key'",
    "git diff HEAD~1 HEAD -- secrets/key",
    "git diff HEAD:a.txt HEAD:secrets/key",
    "git blame HEAD -- secrets/key",
    "git blame secrets/key",
    "git checkout HEAD -- secrets",
    "git restore --source HEAD~1 secrets/key",
    "git restore --source=HEAD secrets",
    "git grep hunter HEAD -- secrets",
    "git grep hunter HEAD:secrets",
    "git archive HEAD secrets",
    "git archive HEAD:secrets",
    "git show HEAD:secrets/key > copy",
    "ls && git show HEAD:secrets/key | head -1",
    "git checkout-index --stdin secrets/key",
    "git ls-tree HEAD secrets/key",
];

/// Show whatever the repository has.
const WHOLE: &[&str] = &[
    "git log -p",
    "git log -p --all",
    "git log --patch -n 1",
    "git log -U1 HEAD",
    "git log -p --author src",
    "git show",
    "git show HEAD",
    "git show HEAD~1",
    "git diff HEAD~1",
    "git diff HEAD~1 -- .",
    "git diff HEAD~1 -- '*'",
    "git diff HEAD~1 -- ':!src'",
    "git diff HEAD: HEAD~1:",
    "git -C src diff HEAD~1 -- :/",
    "git grep hunter HEAD",
    "git grep --cached hunter",
    "git archive HEAD",
    "git archive --format=tar -o x.tar HEAD",
    "git cat-file --batch < a.txt",
    "git stash show -p",
    "git format-patch -1 --stdout",
    "git worktree add wt HEAD",
    "git worktree add wt HEAD; cat wt/secrets/key",
    "git clone . copy",
    "git init -q n1 && cd n1 && git pull -q .. main",
    "git init -q n1; git -C n1 fetch -q ..",
    "git init -q n1; git -C n1 remote add up ..",
    "git -c protocol.file.allow=always submodule --quiet add ./ sm",
    "git submodule update --init",
    "mkdir n1; git --work-tree=n1 checkout -f",
    "mkdir n1; GIT_WORK_TREE=n1 git checkout -f",
    "git bundle create x.bundle HEAD",
    "git fast-export --all",
    "git checkout-index -a --prefix=out/",
    "git --git-dir=.git log -p",
    "git --git-dir .git show HEAD",
    "git diff-tree -p HEAD",
    "git range-diff HEAD~1 HEAD HEAD",
    "git show $(git rev-parse HEAD)",
    "git ls-files -s | cut -c8-47 | xargs git cat-file -p",
    "echo secrets | xargs git log -p -- src",
    "GIT_DIR=.git git show HEAD:a.txt",
    "export GIT_DIR=.git; git log -p -- src",
    "git --git-dir=.git show HEAD:a.txt",
    "git update-index --add --cacheinfo 100644,0123456789012345678901234567890123456789,x",
];

/// Show a copy by an option that hides among others, by an object without a path, or by a command that is mostly harmless.
/// `TREE` is the folder, `BLOB` the file, `EMPTY` a tree without files.
#[rustfmt::skip]
const HIDDEN: &[&str] = &[
    "git show TREE:key", "git cat-file blob TREE:key", "git cat-file -p TREE:key", "git diff EMPTY TREE -- key",
    "git diff EMPTY TREE key", "git diff EMPTY..TREE -- key", "git diff-tree -p EMPTY TREE -- key", "git show t:key",
    "git show heads-t:key", "git diff EMPTY t -- key", "git grep hunter TREE -- key", "git grep hunter t key",
    "git archive TREE key", "git archive TREE", "git checkout TREE -- key", "git checkout t key", "git reset TREE -- key",
    "git restore --source=TREE key", "git restore -s t key", "git show --stat BLOB", "git show -s BLOB", "git show -s b",
    "git show --name-only b", "git show TREE:key HEAD:a.txt", "git tag main2 TREE; git show main2:key",
    "git diff HEAD:src HEAD~1", "git log -p HEAD HEAD:src",
    "git log -zp", "git log -wp", "git log -zu", "git log -bU1", "git log -1p", "git log -qp", "git log -zc", "git whatchanged -zp",
    "git reflog -wp", "git reflog show -zp", "git diff -sp HEAD~1 HEAD", "git diff --stat=80 -zp HEAD~1 HEAD",
    "git show --stat -zp HEAD", "git show -sp HEAD", "git status -bvv", "git status -sv", "git commit --dry-run -av",
    "git commit --dry-run -qv", "git add -np", "git checkout -qp", "git stash -kp", "git stash push -qp", "git reset -qp",
    "git log --author -- -p", "git log --unif HEAD", "git log --no-such-option",
    "git grep -e. HEAD", "git grep -heTOP stash@{0}", "git grep -ie hunter HEAD", "git grep -hehunter HEAD",
    "git grep -f a.txt HEAD", "git grep --cache hunter",
    "git log -p --full-diff -- src", "git log -p --follow -- a.txt", "git log -p -L1,2:src/b.txt", "git stash list -U3",
    "git stash list --cc", "git stash list -zp", "git stash list -m", "git stash show --stat -wp", "git log -p -n 1",
    "git --exec-path=/x log -p", "git --exec-path=/x log", "git --icase-pathspecs log -p -- SECRETS", "git-show HEAD",
    "git-log -p", "/usr/lib/git-core/git-log -p", "/usr/lib/git-core/git-cat-file -p BLOB",
    "git for-each-ref --format='%(raw)'", "git for-each-ref --format '%(*raw)'", "git tag -l --format='%(contents)'",
    "git tag -l --format='%(raw)'", "git tag -n", "git branch --format='%(contents:body)'", "git notes show",
    "git notes add -C BLOB", "git notes add -CBLOB", "git notes append --reuse-message=BLOB", "git replace BLOB TREE",
    "git replace -f BLOB TREE", "git replace --graft HEAD", "git bisect view -p", "git bisect visualize --cc",
    "git bisect run git show", "git -c alias.x=show x", "git -c alias.lfs=show lfs", "git lfs show",
    "git -c log.follow=true log -p -- a.txt", "git -c commit.verbose=2 commit --dry-run",
    "git config --blob BLOB --list", "git config --blob=BLOB -l", "git rerere diff", "git fsck --lost-found",
    "git apply --cached x.patch", "git apply --index x.patch", "git am x.patch", "git rebase --show-current-patch",
    "git am --show-current-patch=diff", "git merge -X subtree=pub other", "git symbolic-ref HEAD refs/tags/t",
    "touch 'HEAD~1'; git show HEAD~1 --", "git show 'HEAD~1' --", "git diff HEAD~1 --", "git show HEAD~1 -- ",
    "git push sub/other HEAD", "git cat-file --batch-check --batch", "git cat-file -p HEAD:src HEAD",
];

/// Show names and numbers, or other files alone.
const OTHER: &[&str] = &[
    "git status --short",
    "git log --oneline -3",
    "git log --stat -1",
    "git show --stat HEAD",
    "git show HEAD:a.txt",
    "git show HEAD:src/b.txt",
    "git -C src show HEAD:./b.txt",
    "git log -p -- src",
    "git log -p a.txt",
    "git log -p -- . ':!secrets'",
    "git diff HEAD~1 -- src a.txt",
    "git diff HEAD~1 -- ':(exclude)secrets'",
    "git diff HEAD~1 -- 'src/*.txt'",
    "git diff --name-only HEAD~1",
    "git archive HEAD src",
    "git archive HEAD:src",
    "git grep beta HEAD -- src",
    "git grep beta",
    "git blame a.txt",
    "git cat-file -p HEAD",
    "git cat-file -t HEAD",
    "git rev-parse HEAD",
    "git status -sb",
    "git branch",
    "git branch -vv",
    "git log --oneline --graph --all -20",
    "git log --format='%h %s' --since=2.weeks --author a",
    "git log -5 --name-only main",
    "git log -p main -- src",
    "git diff main~1 main -- src",
    "git diff main~1..main -- src",
    "git diff --stat HEAD~1 HEAD",
    "git show --stat main",
    "git show main:a.txt",
    "git show HEAD~1 -- src",
    "git ls-files",
    "git for-each-ref --format='%(refname:short) %(objectname)'",
    "git stash list",
    "git grep -n beta src",
    "git -c color.ui=false log --oneline",
    "cd src && git diff HEAD~1 -- .",
    "cat a.txt",
];

fn git(world: &World, args: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]).args(args);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").current_dir(world.work.path());
    let out = command.output().unwrap();
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
}

async fn repository(lines: &[&str], secret: bool) -> World {
    let mut replies: Vec<Reply> = lines.iter().map(|line| Reply::call("bash", json!({"command": line}))).collect();
    replies.push(Reply::say("done"));
    let world = World::new(replies).await;
    git(&world, &["init", "-q", "-b", "main"]);
    world.work.write("a.txt", "alpha\n");
    world.work.write("src/b.txt", "beta\n");
    if secret {
        world.work.write("secrets/key", format!("{SECRET}\n"));
    }
    git(&world, &["add", "."]);
    git(&world, &["commit", "-q", "-m", "first: it"]);
    world.work.write("a.txt", "alpha again\n");
    world.work.write("src/b.txt", "beta again\n");
    if secret {
        world.work.write("secrets/key", format!("{SECRET}\nmore\n"));
    }
    git(&world, &["commit", "-q", "-a", "-m", "second"]);
    world
}

fn begin(world: &World, deny: &[&str], attended: bool) -> Handle {
    world.open_with(Which::New, |start| {
        let deny = deny.iter().map(|rule| (*rule).to_owned()).collect();
        start.world.settings.permissions = Permissions { deny, ..Permissions::default() };
        start.attended = attended;
    })
}

async fn outcome(line: &str, deny: &[&str], secret: bool) -> ToolOutcome {
    let world = repository(&[line], secret).await;
    let mut handle = begin(&world, deny, false);
    turn(&mut handle, |_| panic!("nobody is here")).await.remove(0)
}

#[tokio::test]
async fn a_copy_that_is_named_is_denied_like_the_file() {
    for line in NAMED {
        let outcome = outcome(line, &["Read(secrets/)"], true).await;
        assert!(matches!(outcome, ToolOutcome::Denied { .. }), "{line}: {outcome:?}");
    }
}

#[tokio::test]
async fn what_shows_everything_needs_a_person() {
    for line in WHOLE {
        let outcome = outcome(line, &["Read(secrets/)"], true).await;
        assert!(matches!(outcome, ToolOutcome::Denied { .. }), "{line}: {outcome:?}");
    }
}

fn id(world: &World, name: &str) -> String {
    let out = Command::new("git").args(["rev-parse", name]).current_dir(world.work.path()).output().unwrap();
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

#[tokio::test]
async fn what_hides_that_it_shows_is_never_run_unasked() {
    const EMPTY: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    let known = repository(&[], true).await;
    let (tree, blob) = (id(&known, "HEAD:secrets"), id(&known, "HEAD:secrets/key"));
    let mut open: Vec<String> = Vec::new();
    for lines in HIDDEN.chunks(8) {
        let filled = |line: &&str| line.replace("TREE", &tree).replace("BLOB", &blob).replace("EMPTY", EMPTY);
        let lines: Vec<String> = lines.iter().map(filled).collect();
        let world = repository(&lines.iter().map(String::as_str).collect::<Vec<_>>(), true).await;
        git(&world, &["tag", "t", &tree]);
        git(&world, &["tag", "b", &blob]);
        git(&world, &["branch", "heads-t"]);
        git(&world, &["tag", "heads-t", &tree]);
        let mut handle = begin(&world, &["Read(secrets/**)"], true);
        let outcomes = turn(&mut handle, |asking| {
            // What takes files out of a tree is asked about for more than this.
            let code = asking.why.code.as_ref();
            assert!(matches!(code, "engine.ask_copies" | "engine.ask_danger"), "{}: {code}", asking.subject);
            Choice::Deny
        })
        .await;
        assert_eq!(outcomes.len(), lines.len());
        let ran = |outcome: &ToolOutcome| !matches!(outcome, ToolOutcome::Denied { .. });
        open.extend(lines.iter().zip(&outcomes).filter(|(_, outcome)| ran(outcome)).map(|(line, _)| line.clone()));
    }
    assert!(open.is_empty(), "{open:#?}");
}

#[tokio::test]
async fn what_was_fetched_belongs_to_the_repository() {
    let lines = ["git -C o show FETCH_HEAD~1", "git -C o show $(cut -c1-40 o/.git/FETCH_HEAD)", "git -C o log -p"];
    let world = repository(&lines, true).await;
    git(&world, &["init", "-q", "-b", "main", "o"]);
    git(&world, &["-C", "o", "commit", "-q", "--allow-empty", "-m", "empty"]);
    git(&world, &["-C", "o", "fetch", "-q", "..", "main"]);
    let mut handle = begin(&world, &["Read(secrets/**)"], false);
    let outcomes = turn(&mut handle, |_| panic!("nobody is here")).await;
    let ran: Vec<bool> = outcomes.iter().map(ToolOutcome::is_done).collect();
    assert_eq!(ran, [false, false, true], "{outcomes:?}");
}

#[tokio::test]
async fn what_shows_other_files_runs() {
    for line in OTHER {
        let outcome = outcome(line, &["Read(secrets/)"], true).await;
        assert!(outcome.is_done(), "{line}: {outcome:?}");
        assert!(!format!("{outcome:?}").contains(SECRET), "{line}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_repository_without_such_a_file_is_shown() {
    for line in ["git log -p", "git show HEAD", "git diff HEAD~1", "git grep beta HEAD", "git stash list -p"] {
        let outcome = outcome(line, &["Read(secrets/)", "Read(**/*.pem)"], false).await;
        assert!(outcome.is_done(), "{line}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_file_that_is_gone_is_found_in_the_history() {
    for line in ["git log -p", "git show HEAD~1", "git show HEAD~1:secrets/key", "git cat-file --batch < a.txt"] {
        let world = repository(&[line], true).await;
        git(&world, &["rm", "-q", "-r", "secrets"]);
        git(&world, &["commit", "-q", "-m", "third"]);
        let mut handle = begin(&world, &["Read(secrets/)"], false);
        let outcome = turn(&mut handle, |_| panic!("nobody is here")).await.remove(0);
        assert!(matches!(outcome, ToolOutcome::Denied { .. }), "{line}: {outcome:?}");
    }
}

#[tokio::test]
async fn patterns_and_names_without_a_folder_are_found_too() {
    for (rule, line, runs) in [
        ("Read(**/key)", "git show HEAD:secrets/key", false),
        ("Read(key)", "git show HEAD:secrets/key", false),
        ("Read(**/key)", "git log -p", false),
        ("Read(**/key)", "git log -p -- src", false),
        ("Read(**/key)", "git log -p -- . ':(exclude,glob)**/key'", true),
        ("Read(**/key)", "git log -p -- . ':!key'", false),
        ("Read(secrets/*)", "git log -p -- src", true),
        ("Read(secrets/*)", "git log -p -- . ':!secrets'", true),
        ("Read(secrets/{key,other})", "git log -p", false),
        ("Read(/elsewhere/keys/**)", "git log -p", true),
        ("Read(**/*.pem)", "git log -p", true),
        ("Read(**/*.pem)", "git show HEAD:secrets/key", true),
    ] {
        let outcome = outcome(line, &[rule], true).await;
        assert_eq!(outcome.is_done(), runs, "{rule}: {line}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_second_work_tree_has_the_same_files() {
    let lines = ["git -C wt show HEAD:secrets/key", "git -C wt log -p", "cd wt && git show HEAD:secrets/key"];
    let world = repository(&lines, true).await;
    git(&world, &["worktree", "add", "-q", "wt", "HEAD"]);
    let mut handle = begin(&world, &["Read(secrets/)"], false);
    for outcome in turn(&mut handle, |_| panic!("nobody is here")).await {
        assert!(matches!(outcome, ToolOutcome::Denied { .. }), "{outcome:?}");
    }
}

#[tokio::test]
async fn a_person_is_asked_with_the_reason_and_each_time() {
    let world = repository(&["git diff HEAD~1", "git diff HEAD~1"], true).await;
    let mut handle = begin(&world, &["Read(secrets/)"], true);
    let mut asked = 0;
    let outcomes = turn(&mut handle, |asking| {
        asked += 1;
        assert_eq!(asking.why.code, "engine.ask_copies");
        assert_eq!(asking.choices, [Choice::AllowOnce, Choice::Deny], "nothing of it is remembered");
        Choice::AllowOnce
    })
    .await;
    assert_eq!(asked, 2);
    assert!(outcomes.iter().all(ToolOutcome::is_done), "{outcomes:?}");
}

#[tokio::test]
async fn what_is_explained_runs_nothing_and_says_no_less() {
    let world = repository(&[], true).await;
    let mut start = world.base(Which::New);
    start.world.settings.permissions.deny = vec!["Read(secrets/)".to_owned()];
    let explainer = Explainer::new(&start).unwrap();
    assert_eq!(explainer.explain("git show HEAD:secrets/key").verdict, Outlook::Refused);
    assert_eq!(explainer.explain("git log -p").verdict, Outlook::Asked);
    assert_eq!(explainer.explain("git log --oneline").verdict, Outlook::Runs);
}

/// Our own git runs in the box, and finds out there what a repository has.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_a_repository_has_is_found_out_in_the_box() {
    if !world::has_box() {
        return;
    }
    for (line, secret, runs) in [
        ("git log -p", true, false),
        ("git show HEAD:secrets/key", true, false),
        ("git log -p -- src", true, true),
        ("git log -p", false, true),
        ("git -C src diff HEAD~1", false, true),
    ] {
        let world = repository(&[line], secret).await;
        let mut handle = world.open_with(Which::New, |start| {
            start.world.settings.permissions.deny = vec!["Read(secrets/)".to_owned()];
            start.world.settings.sandbox =
                SandboxSettings { caches: ToolchainCaches::Session, ..SandboxSettings::default() };
            start.attended = false;
        });
        let outcome = turn(&mut handle, |_| panic!("nobody is here")).await.remove(0);
        assert_eq!(outcome.is_done(), runs, "{line}: {outcome:?}");
        assert!(!format!("{outcome:?}").contains(SECRET), "{line}: {outcome:?}");
    }
}

/// An `.env` that git has otherwise than it is, as where it was added while it was closed, is closed in the next session too,
/// and so is the copy that git has of it. What git has as it is, is open.
#[tokio::test]
async fn an_env_file_that_git_has_otherwise_is_closed_with_its_copy() {
    let lines = [
        "git show :.env",
        "git diff --cached -- .env",
        "git diff --cached",
        "git show HEAD",
        "git show stash@{0}",
        "git checkout-index -a --prefix=out/",
        "git log -p -- .env",
        "git status --short",
        "git diff --cached --stat",
        "git diff -- src",
        "git show HEAD:src/b.txt",
        "git ls-files .env",
    ];
    for closed in [true, false] {
        let read = Reply::call("read_file", json!({"path": ".env"}));
        let commands = lines.iter().map(|line| Reply::call("bash", json!({"command": line})));
        let world = World::new(commands.chain([read, Reply::say("done")]).collect()).await;
        git(&world, &["init", "-q", "-b", "main"]);
        world.work.write("src/b.txt", "beta\n");
        git(&world, &["add", "."]);
        git(&world, &["commit", "-q", "-m", "first"]);
        world.work.write(".env", format!("KEY={SECRET}\n"));
        git(&world, &["add", "-f", ".env"]);
        git(&world, &["commit", "-q", "-m", "second"]);
        world.work.write("src/b.txt", "beta again\n");
        git(&world, &["stash", "-q"]);
        if closed {
            world.work.write(".env", format!("KEY={SECRET}-of-today\n"));
        }
        let mut handle = begin(&world, &[], false);
        let outcomes = turn(&mut handle, |_| panic!("nobody is here")).await;
        let shown = |outcome: &ToolOutcome| format!("{outcome:?}").contains(SECRET);
        for (line, outcome) in lines.iter().take(7).zip(&outcomes) {
            assert_eq!(matches!(outcome, ToolOutcome::Denied { .. }), closed, "{line}: {outcome:?}");
        }
        for (line, outcome) in lines.iter().zip(&outcomes).skip(7) {
            assert!(outcome.is_done() && !shown(outcome), "{line}: {outcome:?}");
        }
        assert_eq!(outcomes.last().is_some_and(shown), !closed, "{outcomes:?}");
    }
}
