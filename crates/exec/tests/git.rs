//! Our own calls of git in repositories that are out to get us.

use reasonix_exec::Confinement;
use reasonix_exec::git::{
    CloneHistory, branch, branch_and_dirt, clone_shared, commit_all, head_commit, objects_of, patch_since,
};
use reasonix_proto::Git;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

fn git(folder: &Path, args: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"])
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn repository() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "-q", "-b", "main"]);
    fs::write(dir.path().join("a.txt"), "1\n").unwrap();
    fs::write(dir.path().join(".gitattributes"), "*.txt filter=evil diff=evil merge=evil\n*.md filter=a=b\n").unwrap();
    fs::write(dir.path().join("b.md"), "1\n").unwrap();
    git(dir.path(), &["add", "."]);
    git(dir.path(), &["commit", "-qm", "first"]);
    dir
}

/// Every setting of a repository that makes git run something, pointed at a program that leaves a trace.
fn turn_hostile(dir: &Path) -> std::path::PathBuf {
    let trace = dir.join(".git/trace");
    let evil = dir.join(".git/evil.sh");
    fs::write(&evil, format!("#!/bin/sh\necho \"$0 $*\" >> {}\ncat\n", trace.display())).unwrap();
    fs::set_permissions(&evil, fs::Permissions::from_mode(0o755)).unwrap();
    let evil = evil.display().to_string();
    for hook in ["post-index-change", "post-checkout", "pre-commit", "fsmonitor-watchman"] {
        fs::create_dir_all(dir.join(".git/myhooks")).unwrap();
        fs::copy(&evil, dir.join(".git/myhooks").join(hook)).unwrap();
    }
    let included = dir.join(".git/more");
    fs::write(&included, format!("[filter \"evil\"]\n\tclean = {evil}\n")).unwrap();
    for (key, value) in [
        ("core.fsmonitor", evil.as_str()),
        ("core.hooksPath", ".git/myhooks"),
        ("core.pager", evil.as_str()),
        ("core.editor", evil.as_str()),
        ("core.sshCommand", evil.as_str()),
        ("core.alternateRefsCommand", evil.as_str()),
        ("diff.external", evil.as_str()),
        ("diff.evil.textconv", evil.as_str()),
        ("diff.evil.command", evil.as_str()),
        ("filter.evil.smudge", evil.as_str()),
        ("filter.evil.required", "true"),
        ("filter.a=b.clean", evil.as_str()),
        ("filter.a=b.process", evil.as_str()),
        ("merge.evil.driver", evil.as_str()),
        ("alias.status", &format!("!{evil}")),
        ("credential.helper", evil.as_str()),
        ("include.path", "more"),
        ("safe.directory", "*"),
        ("user.email", "$(touch pwned)@x"),
    ] {
        git(dir, &["config", key, value]);
    }
    // Files whose content has to be looked at again.
    fs::write(dir.join("a.txt"), "2\n").unwrap();
    fs::write(dir.join("b.md"), "2\n").unwrap();
    let _ = fs::remove_file(&trace);
    trace
}

#[tokio::test]
async fn a11_nothing_that_a_repository_chose_is_run_by_our_own_git() {
    let dir = repository();
    let trace = turn_hostile(dir.path());
    let state = branch_and_dirt(dir.path(), &Confinement::None).await;
    assert_eq!(fs::read_to_string(&trace).unwrap_or_default(), "");
    assert_eq!(state, Some(Git { branch: "main".into(), dirty: Some(2) }));
    // The same call without the care runs it: the trap works.
    let _ = Command::new("git").arg("status").current_dir(dir.path()).output().unwrap();
    assert!(trace.exists(), "the trap must be one");
}

#[tokio::test]
async fn a11_submodules_are_not_looked_into() {
    let dir = repository();
    let inner = dir.path().join("sub");
    fs::create_dir(&inner).unwrap();
    git(&inner, &["init", "-q", "-b", "main"]);
    fs::write(inner.join("x.txt"), "1\n").unwrap();
    git(&inner, &["add", "."]);
    git(&inner, &["commit", "-qm", "inner"]);
    git(dir.path(), &["add", "sub"]);
    git(dir.path(), &["commit", "-qm", "sub"]);
    let trace = inner.join(".git/trace");
    let evil = inner.join(".git/evil.sh");
    fs::write(&evil, format!("#!/bin/sh\necho x >> {}\n", trace.display())).unwrap();
    fs::set_permissions(&evil, fs::Permissions::from_mode(0o755)).unwrap();
    git(&inner, &["config", "core.fsmonitor", &evil.display().to_string()]);
    fs::write(inner.join("x.txt"), "2\n").unwrap();
    let _ = fs::remove_file(&trace);
    let state = branch_and_dirt(dir.path(), &Confinement::None).await.unwrap();
    assert!(!trace.exists());
    assert_eq!(state.dirty, Some(0));
}

#[tokio::test]
async fn a10_names_of_a_repository_reach_no_shell() {
    let dir = repository();
    for name in ["$(touch pwned)", "-rf", "--output=pwned", "a\nb", "a\u{3000}b", "`touch pwned`; touch pwned"] {
        fs::write(dir.path().join(name), "x").unwrap();
    }
    fs::write(dir.path().join(".git/HEAD"), "ref: refs/heads/$(touch${IFS}pwned)\u{3000}--x\n").unwrap();
    let state = branch_and_dirt(dir.path(), &Confinement::None).await.unwrap();
    assert_eq!(state.branch, "$(touch${IFS}pwned)\u{3000}--x");
    assert!(state.dirty.is_some_and(|changed| changed >= 6), "{state:?}");
    assert!(!dir.path().join("pwned").exists());
}

#[tokio::test]
async fn branches_commits_worktrees_and_no_repository() {
    let dir = repository();
    let sub = dir.path().join("deep/er");
    fs::create_dir_all(&sub).unwrap();
    assert_eq!(branch(&sub).as_deref(), Some("main"));
    let elsewhere = tempfile::tempdir().unwrap();
    let side = elsewhere.path().join("side");
    git(dir.path(), &["worktree", "add", "-q", "-b", "side", &side.display().to_string()]);
    assert_eq!(branch(&side).as_deref(), Some("side"));
    assert_eq!(branch_and_dirt(&side, &Confinement::None).await.unwrap().dirty, Some(0));
    git(dir.path(), &["checkout", "-q", "--detach"]);
    assert_eq!(branch(dir.path()).map(|commit| commit.len()), Some(8));
    // What is no small file is not read.
    fs::remove_file(dir.path().join(".git/HEAD")).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, dir.path().join(".git/HEAD"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
        .unwrap();
    assert_eq!(branch(dir.path()), None);
    assert_eq!(branch(Path::new("/")), None);
}

/// What an agent left in a clone is told without running a program of it, also where it made repositories in there; and
/// what it did is in the patch, whatever the names are.
#[tokio::test]
async fn a11_a_patch_runs_nothing_that_the_clone_chose() {
    let (dir, inner, place) = (repository(), repository(), tempfile::tempdir().unwrap());
    let inside = inner.path().to_str().unwrap();
    git(dir.path(), &["-c", "protocol.file.allow=always", "submodule", "add", "-q", inside, "sub"]);
    git(dir.path(), &["commit", "-qm", "links"]);
    let folder = place.path().join("clone");
    clone_shared(dir.path(), &folder).await.unwrap();
    let base = head_commit(&folder).await.unwrap();
    let trace = turn_hostile(&folder);
    // The folder that is linked to, at the very commit, and one that nobody knew, each with settings of its own; and one
    // without a commit.
    fs::remove_dir(folder.join("sub")).unwrap();
    git(&folder, &["-c", "core.fsmonitor=false", "clone", "-q", inside, "sub"]);
    let linked = turn_hostile(&folder.join("sub"));
    git(&folder, &["-c", "core.fsmonitor=false", "clone", "-q", inside, "new"]);
    let new = turn_hostile(&folder.join("new"));
    git(&folder, &["init", "-q", "empty"]);
    fs::write(folder.join("empty/x"), "x").unwrap();
    for name in ["with blank", "new\nline", "\"quoted\"", "汉字.rs", "bin"] {
        fs::write(folder.join(name), b"made\0\xff\n").unwrap();
    }
    fs::remove_file(folder.join("b.md")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", folder.join("link")).unwrap();
    fs::set_permissions(folder.join(".gitattributes"), fs::Permissions::from_mode(0o755)).unwrap();
    git(&folder, &["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "config", "core.worktree", "/etc"]);
    for trace in [&trace, &linked, &new] {
        let _ = fs::remove_file(trace);
    }
    let patch = place.path().join("it.patch");
    let (some, mut apart) = patch_since((&folder, dir.path()), &base, &patch).await.unwrap();
    apart.sort();
    assert!(some && apart == ["empty", "new"], "{apart:?}");
    for trace in [&trace, &linked, &new] {
        assert!(!trace.exists(), "{}", fs::read_to_string(trace).unwrap_or_default());
    }
    assert!(!place.path().join("it.traced").exists());
    // It fits where it came from, to the byte.
    let again = place.path().join("again");
    clone_shared(dir.path(), &again).await.unwrap();
    git(&again, &["apply", "--index", patch.to_str().unwrap()]);
    assert_eq!(fs::read(again.join("a.txt")).unwrap(), b"2\n");
    assert_eq!(fs::read(again.join("new\nline")).unwrap(), b"made\0\xff\n");
    assert_eq!(fs::read(again.join("汉字.rs")).unwrap(), b"made\0\xff\n");
    assert_eq!(fs::read_link(again.join("link")).unwrap(), Path::new("/etc/passwd"));
    assert!(!again.join("b.md").exists() && !again.join("new").exists());
    assert_eq!(fs::metadata(again.join(".gitattributes")).unwrap().permissions().mode() & 0o111, 0o111);
}

/// Whatever an agent put in place of what git writes to: nothing outside of the patch is touched, and nothing is done to the
/// repository around.
#[tokio::test]
async fn a11_a_patch_follows_nothing_of_the_clones_git_folder() {
    let (dir, outside) = (repository(), tempfile::tempdir().unwrap());
    let work = dir.path().join("work");
    fs::create_dir(&work).unwrap();
    let index = fs::read(dir.path().join(".git/index")).unwrap();
    for (name, break_it) in [
        (
            "index",
            &(|git: &Path, outside: &Path| {
                fs::remove_file(git.join("index")).unwrap();
                std::os::unix::fs::symlink(outside.join("profile"), git.join("index")).unwrap();
            }) as &dyn Fn(&Path, &Path),
        ),
        ("objects", &|git, outside| {
            fs::rename(git.join("objects"), git.join("moved")).unwrap();
            std::os::unix::fs::symlink(outside, git.join("objects")).unwrap();
        }),
        ("head", &|git, _| fs::remove_file(git.join("HEAD")).unwrap()),
        ("all", &|git, outside| {
            fs::remove_dir_all(git).unwrap();
            std::os::unix::fs::symlink(outside, git).unwrap();
        }),
    ] {
        let folder = work.join(name);
        clone_shared(dir.path(), &folder).await.unwrap();
        let base = head_commit(&folder).await.unwrap();
        fs::write(folder.join("a.txt"), "2\n").unwrap();
        break_it(&folder.join(".git"), outside.path());
        // What stands at the patch is another's file.
        let (patch, precious) = (work.join(format!("{name}.patch")), outside.path().with_extension("rc"));
        fs::write(&precious, "precious").unwrap();
        std::os::unix::fs::symlink(&precious, &patch).unwrap();
        let (some, apart) = patch_since((&folder, dir.path()), &base, &patch).await.unwrap();
        assert!(some && apart.is_empty(), "{name}: {apart:?}");
        assert!(!patch.is_symlink() && fs::read_to_string(&patch).unwrap().contains("+2"), "{name}");
        assert_eq!(fs::read(&precious).unwrap(), b"precious", "{name}");
        fs::remove_file(&precious).unwrap();
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0, "{name}");
        assert_eq!(fs::read(dir.path().join(".git/index")).unwrap(), index, "{name}");
    }
}

/// A link to a repository whose name is no text is looked past like any other.
#[tokio::test]
async fn a11_names_that_are_no_text_hide_nothing() {
    use std::os::unix::ffi::OsStrExt;
    let (dir, inner, place) = (repository(), repository(), tempfile::tempdir().unwrap());
    let odd = |folder: &Path| folder.join(std::ffi::OsStr::from_bytes(b"sub\xff"));
    let clone_inner = |into: &Path| {
        let made = Command::new("git").args(["clone", "-q"]).arg(inner.path()).arg(into).status().unwrap();
        assert!(made.success());
    };
    clone_inner(&odd(dir.path()));
    git(dir.path(), &["add", "."]);
    git(dir.path(), &["commit", "-qm", "links"]);
    let folder = place.path().join("clone");
    clone_shared(dir.path(), &folder).await.unwrap();
    let base = head_commit(&folder).await.unwrap();
    fs::remove_dir(odd(&folder)).unwrap();
    clone_inner(&odd(&folder));
    let trace = place.path().join("trace");
    let settings = format!("[filter \"evil\"]\n\tclean = \"touch {}; cat\"\n", trace.display());
    fs::write(odd(&folder).join(".git/config"), settings).unwrap();
    fs::write(odd(&folder).join("a.txt"), "2\n").unwrap();
    fs::write(folder.join("b.md"), "2\n").unwrap();
    let (some, _) = patch_since((&folder, dir.path()), &base, &place.path().join("it.patch")).await.unwrap();
    assert!(some && !trace.exists());
}

/// Objects are shown to boxes: what an agent put in their place is not.
#[tokio::test]
async fn a11_a_link_in_the_place_of_objects_leads_nowhere() {
    let (dir, elsewhere) = (repository(), repository());
    let real = dir.path().canonicalize().unwrap();
    assert_eq!(objects_of(dir.path()).await.unwrap(), real.join(".git/objects"));
    let tree = elsewhere.path().join("tree");
    git(dir.path(), &["worktree", "add", "-q", tree.to_str().unwrap()]);
    assert_eq!(objects_of(&tree).await.unwrap(), real.join(".git/objects"));
    fs::rename(dir.path().join(".git/objects"), dir.path().join(".git/moved")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path().join(".git/objects"), dir.path().join(".git/objects")).unwrap();
    assert!(objects_of(dir.path()).await.is_err());
}

/// A branch is put together and given to a repository without running a word of either, and under a name that it did not have.
#[tokio::test]
async fn a11_a_branch_of_a_clones_work_runs_nothing_and_takes_no_name() {
    let place = tempfile::tempdir().unwrap();
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "-q", "-b", "main"]);
    fs::write(dir.path().join("a.txt"), "1\n").unwrap();
    git(dir.path(), &["add", "."]);
    git(dir.path(), &["commit", "-qm", "first"]);
    let trace = turn_hostile(dir.path());
    let hook = dir.path().join(".git/myhooks/reference-transaction");
    fs::copy(dir.path().join(".git/evil.sh"), &hook).unwrap();
    let clone = place.path().join("tree");
    clone_shared(dir.path(), &clone).await.unwrap();
    let head = head_commit(&clone).await.unwrap();
    fs::write(clone.join("a.txt"), "2\n").unwrap();
    let base = commit_all(&clone, dir.path(), "dirty").await.unwrap();
    assert_ne!(head, base);
    let _ = fs::remove_file(&trace);
    let history =
        CloneHistory::begin(&place.path().join("history"), (dir.path(), &clone), (&head, &base)).await.unwrap();
    assert_eq!(history.finish("rest").await.unwrap(), None, "nothing was done");
    // Whoever works there chooses what git does there.
    turn_hostile(&clone);
    fs::write(clone.join("new.txt"), "n\n").unwrap();
    let tip = history.finish("rest").await.unwrap().unwrap();
    assert_eq!((tip.kept, tip.carries), (0, true));
    let names: Vec<String> = tip.paths.iter().map(|path| path.display().to_string()).collect();
    assert!(names.contains(&"new.txt".to_owned()), "{names:?}");
    git(dir.path(), &["-c", "core.hooksPath=/dev/null", "branch", "x/one"]);
    let all = || ["x/one", "x/one-2"].into_iter().map(str::to_owned);
    assert_eq!(history.publish(&tip, all()).await.unwrap(), Some("x/one-2".to_owned()));
    assert_eq!(history.publish(&tip, all()).await.unwrap(), None, "both are taken now");
    assert!(history.publish(&tip, std::iter::once("x".to_owned())).await.is_err(), "a folder of names is none");
    let of = |name: &str| fs::read_to_string(dir.path().join(".git/refs/heads").join(name)).unwrap().trim().to_owned();
    assert_eq!((of("x/one"), of("x/one-2")), (head, tip.commit.clone()));
    assert!(!trace.exists() && !clone.join(".git/trace").exists(), "{:?}", fs::read_to_string(&trace));
    assert!(!dir.path().join(".git/FETCH_HEAD").exists());
    // What git would not take from a stranger is none of a branch.
    assert!(history.bring_in(b"# v2 git bundle\nnonsense").await.is_err());
}
