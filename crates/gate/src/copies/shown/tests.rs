use super::{Extent, shown};
use reasonix_policy::analyse;

fn of(line: &str) -> super::Shown {
    let effects = analyse(line);
    shown(effects.commands.iter().find(|simple| simple.program() == "git").unwrap())
}

#[test]
fn what_shows_no_file_is_told() {
    for line in [
        "git status",
        "git status --short",
        "git log --oneline -5",
        "git log --stat",
        "git log --format=%H --author me",
        "git show --stat HEAD",
        "git show -s HEAD",
        "git diff --stat",
        "git diff --name-only HEAD~1",
        "git diff --quiet",
        "git branch -vv",
        "git remote -v",
        "git commit -m 'a: b'",
        "git push origin feature/x",
        "git cat-file -t HEAD",
        "git cat-file -p HEAD",
        "git cat-file -p HEAD^{tree}",
        "git cat-file --batch-check",
        "git grep TODO",
        "git grep -n TODO -- src",
        "git worktree list",
        "git stash",
        "git stash list",
        "git stash pop",
        "git clone https://example.com/a/b",
        "git clone git@example.com:a/b ./x",
        "git --version",
        "git fetch",
        "git fetch --depth 1 origin main",
        "git pull --rebase origin main",
        "git pull",
        "git remote add fork git@example.com:a/b",
        "git clone --depth 1 -b main https://example.com/a/b x",
        "git submodule status",
        "git submodule --quiet add https://example.com/a/b lib",
        "git init -q x",
        "git config remote.origin.url https://example.com/a/b",
        "git config --get remote.origin.url",
        "git -C sub rev-parse HEAD",
    ] {
        assert_eq!(of(line).extent, Extent::Nothing, "{line}");
    }
}

#[test]
fn what_shows_only_what_it_names_is_told() {
    for line in [
        "git show HEAD:src/main.rs",
        "git show :a.txt",
        "git cat-file -p HEAD:a",
        "git blame a.txt",
        "git annotate x -- a",
    ] {
        assert_eq!(of(line).extent, Extent::Named, "{line}");
    }
}

#[test]
fn what_shows_files_is_told() {
    for line in [
        "git show",
        "git show HEAD",
        "git show HEAD a:b",
        "git show 0a1b2c3",
        "git show --stat -p HEAD",
        "git show :/fix",
        "git log -p",
        "git log --patch --all",
        "git log --pat",
        "git log -U3",
        "git log -L1,5:a",
        "git log --cc",
        "git log $x",
        "git diff",
        "git diff HEAD~1",
        "git diff --cached",
        "git diff --stat --patch",
        "git diff-tree -p HEAD",
        "git grep KEY HEAD",
        "git grep --cached KEY",
        "git grep -e KEY HEAD",
        "git grep KEY $x",
        "git archive HEAD",
        "git cat-file --batch",
        "git cat-file --batch-all-objects --batch",
        "git cat-file -p 0a1b2c3",
        "git cat-file blob 0a1b2c3",
        "git cat-file -p",
        "git cat-file $x HEAD",
        "git stash show -p",
        "git stash show",
        "git format-patch -1",
        "git worktree add wt HEAD",
        "git clone . copy",
        "git clone file:///x copy",
        "git bundle create x HEAD",
        "git fast-export --all",
        "git checkout-index -a --prefix=x/",
        "git read-tree --prefix=x/ -u HEAD",
        "git update-index --add --cacheinfo 100644,0a1b,x",
        "git status -v",
        "git commit -v",
        "git add -p",
        "git range-diff a b",
        "git some-alias",
        "git $x HEAD",
        "git blame",
    ] {
        assert!(matches!(of(line).extent, Extent::Files(_)), "{line}");
    }
}

#[test]
fn what_lays_copies_down_elsewhere_is_told() {
    for line in [
        "git push ./other.git HEAD",
        "git pull -q .. main",
        "git pull n2 main",
        "git fetch ..",
        "git fetch --multiple origin x",
        "git fetch --depth 1 ../a",
        "git fetch x.bundle",
        "git remote add up ..",
        "git remote set-url origin ..",
        "git config remote.origin.url ..",
        "git config core.worktree x",
        "git config url.x.insteadOf y",
        "git clone . h:x",
        "git clone -b main . h:x",
        "git clone --reference . https://example.com/a x",
        "git init --separate-git-dir ../.git x",
        "git submodule add ./ sm",
        "git -c protocol.file.allow=always submodule --quiet add ./ sm",
        "git submodule update --init",
        "git subtree add --prefix=x .. main",
        "git archive --remote=.. HEAD",
    ] {
        assert!(matches!(of(line).extent, Extent::Files(_)), "{line}");
    }
}

#[test]
fn limits_are_read() {
    let limits = |line: &str| match of(line).extent {
        Extent::Files(limits) => limits,
        Extent::Nothing | Extent::Named => panic!("{line}"),
    };
    let names = |list: &[super::Named]| list.iter().map(|named| named.path.clone()).collect::<Vec<_>>();
    assert_eq!(names(&limits("git log -p -- src docs").within), ["src", "docs"]);
    assert_eq!(names(&limits("git diff HEAD -- :/src ':(top)b'").within), ["src", "b"]);
    assert!(limits("git diff HEAD -- :/src").within[0].top);
    let out = limits("git diff -- . ':!secrets' ':(exclude,glob)**/.env'").without;
    assert_eq!(
        out.iter().map(|out| (out.named.path.as_str(), out.glob)).collect::<Vec<_>>(),
        [("secrets", false), ("**/.env", true)]
    );
    // The value of an option is no path.
    assert_eq!(names(&limits("git log -p --author src").perhaps), [""; 0]);
    assert_eq!(names(&limits("git log -p src").perhaps), ["src"]);
    assert_eq!(names(&limits("git log -p -- ':(attr:x)a'").within), [""]);
}

#[test]
fn what_is_brought_from_another_repository_is_of_no_known_one() {
    for line in [
        "git pull .. main",
        "git fetch ..",
        "git submodule add ./ sm",
        "git subtree add --prefix=x .. main",
        "git clone . x",
    ] {
        assert!(of(line).elsewhere, "{line}");
    }
    for line in ["git pull", "git fetch origin", "git push ./r.git HEAD"] {
        assert!(!of(line).elsewhere, "{line}");
    }
    let other = of("git --work-tree=x checkout -f");
    assert!(other.elsewhere && other.lays);
}
