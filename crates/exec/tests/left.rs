//! What commands leave for git to run: with a real git, which would run it. Each trap is first shown to be one.

use reasonix_exec::{SetAside, Surfaces, run_later};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A way to leave something.
struct Way {
    name: &'static str,
    /// What the user has.
    has: &'static str,
    /// What a command does.
    does: &'static str,
    /// What the user does then.
    then: &'static str,
}

const NESTED: &str = "git init -q s && cd s && echo 1 > f && git add f && git commit -qm x";

const TWO_COMMITS: &str = "git init -q s; cd s; for n in 1 2; do echo $n > f; git add f; git commit -qm $n; done";

/// They cannot be merged without a person.
const TWO_BRANCHES: &str = "git init -q -b main s; cd s; echo 0 > f; git add f; git commit -qm 0; git checkout -q -b o
    echo 1 > f; git commit -qam 1; git checkout -q main; echo 2 > f; git commit -qam 2";

/// Two of them, the first of which cannot be applied.
const PATCHES: &str = "git init -q s; cd s; for n in 1 2; do echo $n > f; git add f; git commit -qm $n; done
    echo 3 > g; git add g; git commit -qm 3; git format-patch -q -2 -o ../p; git reset -q --hard HEAD~2
    echo 9 > f; git commit -qam 9; git am -q ../p/* || true";

/// Every way is tried in a repository with one commit. `$canary` appears when the user's git ran something.
const WAYS: &[Way] = &[
    Way {
        name: "a repository within that the index links to",
        has: "",
        does: "(git init -q s; cd s; git commit -q --allow-empty -m x; git config core.fsmonitor \"touch $canary;:\")
            git update-index --add --cacheinfo 160000,$(git -C s rev-parse HEAD),s",
        then: "git status",
    },
    Way {
        name: "the same, with its history elsewhere in the workspace",
        has: "",
        does: "mkdir hidden; git init -q --separate-git-dir hidden/place s
            (cd s; git commit -q --allow-empty -m x; git config core.fsmonitor \"touch $canary;:\")
            git update-index --index-version 4 --add --cacheinfo 160000,$(git -C s rev-parse HEAD),s",
        then: "git status",
    },
    Way {
        name: "a folder of hooks that is named before a comment",
        has: "printf '[core]\\n\\thooksPath = .hooks # mine\\n' >> .git/config",
        does: "mkdir .hooks; printf '#!/bin/sh\\ntouch '$canary > .hooks/pre-commit; chmod +x .hooks/pre-commit",
        then: "git commit -q --allow-empty -m y",
    },
    Way {
        name: "a folder of hooks that included settings name",
        has: "git config include.path ../.gitmore; printf '[core]\\n\\thooksPath = .hooks\\n' > .gitmore",
        does: "mkdir .hooks; printf '#!/bin/sh\\ntouch '$canary > .hooks/pre-commit; chmod +x .hooks/pre-commit",
        then: "git commit -q --allow-empty -m y",
    },
    Way {
        name: "settings that are included under a condition",
        has: "git config includeIf.gitdir:/.path ../.gitmore; printf '[user]\\n\\tname = me\\n' > .gitmore",
        does: "printf '[CORE]\\n\\tfsMonitor = \"touch \\\\\\n'\"$canary\"';:\" ; why\\n' >> .gitmore",
        then: "git status",
    },
    Way {
        name: "what the hooks of husky read",
        has: "git config core.hooksPath .husky/_; mkdir -p .husky/_; echo true > .husky/pre-commit
            printf '#!/bin/sh\\n. \"$(dirname \"$0\")/h\"\\n' > .husky/_/pre-commit; chmod +x .husky/_/pre-commit
            printf 's=$(dirname \"$(dirname \"$0\")\")/$(basename \"$0\"); sh -e \"$s\" \"$@\"\\n' > .husky/_/h",
        does: "echo \"touch $canary\" > .husky/pre-commit",
        then: "git commit -q --allow-empty -m y",
    },
    Way {
        name: "what the hooks of husky are made of",
        has: "git config core.hooksPath .husky/_; mkdir -p .husky/_; echo : > .husky/_/h
            printf '#!/bin/sh\\n. \"$(dirname \"$0\")/h\"\\n' > .husky/_/pre-commit; chmod +x .husky/_/pre-commit",
        does: "echo \"touch $canary\" > .husky/_/h",
        then: "git commit -q --allow-empty -m y",
    },
    Way {
        name: "a hook that is a link to a script of the workspace",
        has: "mkdir scripts; printf '#!/bin/sh\\n' > scripts/pre.sh; chmod +x scripts/pre.sh
            mkdir -p .git/hooks; ln -s ../../scripts/pre.sh .git/hooks/pre-commit",
        does: "printf '#!/bin/sh\\ntouch '$canary > scripts/pre.sh",
        then: "git commit -q --allow-empty -m y",
    },
    Way {
        name: "a script of the workspace that the user's settings run",
        has: "printf '#!/bin/sh\\n' > mon.sh; chmod +x mon.sh; git config core.fsmonitor ./mon.sh",
        does: "printf '#!/bin/sh\\ntouch '$canary > mon.sh",
        then: "git status",
    },
    Way {
        name: "a .git that leads to a folder of the workspace",
        has: "git init -q --separate-git-dir store .",
        does: "git config core.fsmonitor \"touch $canary;:\"",
        then: "git status",
    },
    Way {
        name: "hooks of a repository whose .git leads to a folder of the workspace",
        has: "git init -q --separate-git-dir store .; git config core.hooksPath .hooks",
        does: "mkdir .hooks; printf '#!/bin/sh\\ntouch '$canary > .hooks/pre-commit; chmod +x .hooks/pre-commit",
        then: "git commit -q --allow-empty -m y",
    },
    Way {
        name: "a .git that is a link to a folder of the workspace",
        has: "mv .git store; ln -s store .git",
        does: "git config core.fsmonitor \"touch $canary;:\"",
        then: "git status",
    },
    Way {
        name: "a .git that leads out of the workspace",
        has: "git init -q \"$outside/other\"; git -C \"$outside/other\" config core.fsmonitor \"touch $canary;:\"",
        does: "mkdir s; echo \"gitdir: $outside/other/.git\" > s/.git",
        then: "cd s; git status",
    },
    Way {
        name: "settings behind a link",
        has: "git init -q s; mv s/.git/config shared; ln -s ../../shared s/.git/config",
        does: "printf '[core]\\n\\tfsmonitor = touch '$canary'\\n' >> shared",
        then: "git -C s status",
    },
    Way {
        name: "a linked worktree",
        has: "git config extensions.worktreeConfig true; git worktree add -q wt",
        does: "git -C wt config --worktree core.fsmonitor \"touch $canary;:\"",
        then: "git -C wt status",
    },
    Way {
        name: "a submodule",
        has: "git init -q \"$outside/up\"; git -C \"$outside/up\" commit -q --allow-empty -m x
            git -c protocol.file.allow=always submodule --quiet add \"$outside/up\" m",
        does: "git -C m config core.fsmonitor \"touch $canary;:\"",
        then: "git status",
    },
    Way {
        name: "a repository that is a folder by its own layout",
        has: "",
        does: "git init -q --bare b; git -C b config core.bare false; git -C b config core.worktree .
            git -C b config core.fsmonitor \"touch $canary;:\"",
        then: "cd b; git status",
    },
    Way {
        name: "a filter, and attributes that call it",
        has: "",
        does: "git init -q s; cd s; echo 1 > f; git add f; git commit -qm x
            git config filter.x.clean \"touch $canary; cat\"; echo '* filter=x' > .git/info/attributes; echo 2 > f; touch -d 2001-01-01 f",
        then: "git -C s status",
    },
    Way {
        name: "a hook in a clone",
        has: "",
        does: "git clone -q . c; mkdir -p c/.git/hooks
            printf '#!/bin/sh\\ntouch '$canary > c/.git/hooks/post-checkout; chmod +x c/.git/hooks/post-checkout",
        then: "git -C c checkout -q -b y",
    },
    Way {
        name: "the rest of a rebase",
        has: "git init -q s; cd s; for n in 1 2; do echo $n > f; git add f; git commit -qm $n; done",
        does: "cd s; printf '#!/bin/sh\\nprintf \"break\\\\nexec touch '$canary'\\\\n\" > \"$1\"\\n' > ../ed; chmod +x ../ed
            GIT_SEQUENCE_EDITOR=../ed git rebase -q -i HEAD~1",
        then: "git -C s rebase --continue",
    },
    Way {
        name: "a hook that is included as settings too",
        has: "git config core.hooksPath .husky; mkdir .husky",
        does: "printf '#!/bin/sh\\n[a];touch '$canary'\\n' > .husky/pre-commit; chmod +x .husky/pre-commit
            git init -q s; git -C s config include.path ../../.husky/pre-commit",
        then: "git commit -q --allow-empty -m y",
    },
    Way {
        name: "a .git that leads to a folder whose name ends in a blank",
        has: "",
        does: "git init -q s; mv s/.git '.git/x '; printf 'gitdir: ../.git/x \\r\\n' > s/.git
            git -C s config core.fsmonitor \"touch $canary;:\"",
        then: "git -C s status",
    },
    Way {
        name: "a .git that leads to a folder before a zero",
        has: "",
        does: "git init -q s; mv s/.git .git/x; printf 'gitdir: ../.git/x\\0/none\\n' > s/.git
            git -C s config core.fsmonitor \"touch $canary;:\"",
        then: "git -C s status",
    },
    Way {
        name: "a worktree of a repository whose name ends in a blank",
        has: "git worktree add -q wt",
        does: "cp -r .git w; mv w '.git/worktrees/.. '; cd .git/worktrees; git config -f '.. /config' core.fsmonitor \"touch $canary;:\"
            printf '../.. ' > wt/commondir",
        then: "git -C wt status",
    },
    Way {
        name: "a layout of a repository beside a .git that is none",
        has: "",
        does: "git init -q --bare b; git -C b config core.bare false; git -C b config core.worktree .
            git -C b config core.fsmonitor \"touch $canary;:\"; mkdir b/.git; echo x > b/.git/HEAD",
        then: "cd b; git status",
    },
    Way {
        name: "a command behind a helper of git",
        has: "git init -q s",
        does: "git -C s config credential.helper \"cache --timeout=1;touch $canary;:\"",
        then: "printf 'protocol=https\\nhost=x.invalid\\n\\n' | GIT_TERMINAL_PROMPT=0 GIT_ASKPASS=true git -C s credential fill",
    },
    Way {
        name: "an alias that writes a hook",
        has: "(git init -q s; cd s; git commit -q --allow-empty -m x; mkdir -p .git/hooks)",
        does: "git -C s config alias.l 'log --format=%B -1 --output=.git/hooks/pre-commit'
            git -C s commit -q --allow-empty -m '#!/bin/sh' -m \"touch $canary\"",
        then: "git -C s l; chmod +x s/.git/hooks/pre-commit; git -C s commit -q --allow-empty -m y",
    },
    Way {
        name: "a folder of hooks that cannot be listed",
        has: "git init -q s",
        does: "mkdir -p s/.git/hooks; printf '#!/bin/sh\\ntouch '$canary > s/.git/hooks/pre-commit
            chmod +x s/.git/hooks/pre-commit; chmod 0111 s/.git/hooks",
        then: "git -C s commit -q --allow-empty -m y",
    },
    Way {
        name: "a folder of modules that cannot be listed",
        has: "",
        does: "git init -q s; mkdir -p .git/modules; mv s/.git .git/modules/s; mkdir t; cd .git/modules/s
            git config core.fsmonitor \"touch $canary;:\"; git config core.worktree ../../../t; chmod 0111 ..",
        then: "GIT_DIR=.git/modules/s git status",
    },
    Way {
        name: "settings in a folder that cannot be written",
        has: "git init -q s",
        does: "git -C s config core.fsmonitor \"touch $canary;:\"; chmod 0555 s/.git",
        then: "git -C s status",
    },
    Way {
        name: "hooks of a repository whose files are elsewhere",
        has: "git init -q s; mkdir other; git -C s config core.hooksPath hooks; git -C s config core.worktree ../../other",
        does: "mkdir other/hooks; printf '#!/bin/sh\\ntouch '$canary > other/hooks/pre-commit; chmod +x other/hooks/pre-commit",
        then: "git -C s commit -q --allow-empty -m y",
    },
    Way {
        name: "the rest of a rebase behind a link",
        has: "git init -q s; cd s; for n in 1 2; do echo $n > f; git add f; git commit -qm $n; done",
        does: "cd s; printf '#!/bin/sh\\nprintf \"break\\\\nexec touch '$canary'\\\\n\" > \"$1\"\\n' > ../ed; chmod +x ../ed
            GIT_SEQUENCE_EDITOR=../ed git rebase -q -i HEAD~1; mv .git/rebase-merge ../rest; ln -s ../../rest .git/rebase-merge",
        then: "git -C s rebase --continue",
    },
    Way {
        name: "a format for the steps of a rebase that adds one",
        has: TWO_COMMITS,
        does: "git -C s config rebase.instructionFormat \"%s%nexec touch $canary\"",
        then: "cd s; GIT_SEQUENCE_EDITOR=true git rebase -q -i HEAD~1",
    },
    Way {
        name: "such a format by another name",
        has: TWO_COMMITS,
        does: "git -C s config rebase.instructionFormat mine; git -C s config pretty.mine \"%s%nexec touch $canary\"",
        then: "cd s; GIT_SEQUENCE_EDITOR=true git rebase -q -i HEAD~1",
    },
    Way {
        name: "a tool for differences that is a path",
        has: "echo \"touch $canary\" > evil; git init -q s; cd s; echo 1 > f; git add f; git commit -qm 1",
        does: "git -C s config diff.tool ../../../../../../../../../../..$PWD/evil",
        // One that asks nobody, where the trap is gone.
        then: "cd s; echo 3 > f; git -c merge.tool=mine -c difftool.mine.cmd=true difftool -y",
    },
    Way {
        name: "a tool for merges that is a path",
        has: "echo \"touch $canary\" > evil; git init -q -b main s; cd s; echo 0 > f; git add f; git commit -qm 0
            git checkout -q -b o; echo 1 > f; git commit -qam 1; git checkout -q main; echo 2 > f; git commit -qam 2
            git config merge.tool mine",
        does: "git -C s config merge.tool ../../../../../../../../../../..$PWD/evil",
        then: "cd s; git merge -q o || git -c mergetool.mine.cmd=true mergetool -y",
    },
    Way {
        name: "how the windows of a tool for merges are laid out",
        has: "git init -q -b main s; cd s; echo 0 > f; git add f; git commit -qm 0; git checkout -q -b o; echo 1 > f
            git commit -qam 1; git checkout -q main; echo 2 > f; git commit -qam 2; git config merge.tool vimdiff
            mkdir $outside/bin; printf '#!/bin/sh\\n' > $outside/bin/vim; chmod +x $outside/bin/vim",
        does: "git -C s config mergetool.vimdiff.layout \"MERGED,\\`touch\\${IFS}\\$canary\\`\"",
        then: "cd s; git merge -q o || PATH=$outside/bin:$PATH git mergetool -y",
    },
    Way {
        name: "a way to merge in what is left of a rebase",
        has: TWO_BRANCHES,
        does: "cd s; git rebase -q o || true; mkdir git-merge-x; printf '#!/bin/sh\\ntouch '$canary'\\nexit 1\\n' > evil
            chmod +x evil; echo x/../evil > .git/rebase-merge/strategy
            echo pick $(git rev-parse main) > .git/rebase-merge/git-rebase-todo",
        then: "cd s; git reset -q --hard; git rebase --continue",
    },
    Way {
        name: "a way to merge in what is left of a cherry-pick",
        has: TWO_BRANCHES,
        does: "cd s; git checkout -q o; echo 5 > g; git add g; git commit -qm 5; git checkout -q main
            git cherry-pick main~1..o || true; mkdir git-merge-x
            printf '#!/bin/sh\\ntouch '$canary'\\nexit 1\\n' > evil; chmod +x evil
            git config -f .git/sequencer/opts options.strategy x/../evil",
        then: "cd s; git reset -q --hard; git cherry-pick --skip",
    },
    Way {
        name: "options of patches that are left to be applied",
        has: PATCHES,
        does: "printf \" '--build-fake-ancestor=%s'\" $canary > s/.git/rebase-apply/apply-opt",
        then: "cd s; git am --skip",
    },
    Way {
        name: "a script that an interpreter is given by its name",
        has: "git config filter.nb.clean 'python3 nbstrip.py'; echo '*.nb filter=nb' > .gitattributes; echo 1 > nbstrip.py",
        does: "echo \"open('$canary', 'w')\" > nbstrip.py",
        then: "echo 1 > a.nb; git add a.nb",
    },
    Way {
        name: "a module that an interpreter is given",
        has: "git config filter.nb.clean 'python3 -m tools.strip'; echo '*.nb filter=nb' > .gitattributes
            mkdir tools; echo 1 > tools/strip.py",
        does: "echo \"open('$canary', 'w')\" > tools/__init__.py",
        then: "echo 1 > a.nb; git add a.nb",
    },
    Way {
        name: "a script without an end",
        has: "git config filter.nb.clean 'sh strip'; echo '*.nb filter=nb' > .gitattributes; echo cat > strip",
        does: "echo \"touch $canary\" > strip",
        then: "echo 1 > a.nb; git add a.nb",
    },
    Way {
        name: "a script behind a sign of equality",
        has: "git config filter.nb.clean 'env BASH_ENV=nb.env bash -c cat'; echo '*.nb filter=nb' > .gitattributes
            echo : > nb.env",
        does: "echo \"touch $canary\" > nb.env",
        then: "echo 1 > a.nb; git add a.nb",
    },
    Way {
        name: "a hook that every new repository gets",
        has: "mkdir -p t/hooks; git config init.templateDir t",
        does: "printf '#!/bin/sh\\ntouch '$canary > t/hooks/post-checkout; chmod +x t/hooks/post-checkout",
        then: "git -c init.templateDir=t clone -q . c",
    },
    Way {
        name: "a setting beside those that the user has",
        has: "git init -q s; git -C s config alias.x '!true'; git -C s remote add o ../x",
        does: "git -C s config core.fsmonitor \"touch $canary;:\"",
        then: "git -C s status; git -C s config alias.x; git -C s config remote.o.url",
    },
];

/// What people and their tools do all day.
const ORDINARY: &[(&str, &str)] = &[
    ("", "git init -q s; cd s; git commit -q --allow-empty -m x; git gc -q"),
    ("", "git clone -q . c; git -C c config user.name me; git -C c checkout -q -b y; git -C c config core.abbrev 12"),
    ("", "git clone -q --bare . c.git; git clone -q c.git d; git -C d push -q"),
    (
        "git init -q \"$outside/up\"; git -C \"$outside/up\" commit -q --allow-empty -m x",
        "git -c protocol.file.allow=always submodule --quiet add \"$outside/up\" m; git commit -qm m
            git -C m checkout -q -b y; git submodule --quiet sync; git submodule --quiet deinit -f m",
    ),
    ("", "git worktree add -q wt; git -C wt commit -q --allow-empty -m y; git worktree remove wt"),
    ("git worktree add -q wt", "rm -rf .git/worktrees/wt"),
    ("git config extensions.worktreeConfig true", "git worktree add -q wt; git -C wt sparse-checkout set src"),
    (
        "",
        "echo 1 > f; git add f; git commit -qm 1; git checkout -q -b y; echo 2 > f; git commit -qam 2
            git checkout -q -; echo 3 > f; git commit -qam 3; git rebase -q y || true",
    ),
    (
        "git init -q s; git -C s config alias.x '!true'; git -C s config core.editor ./ed",
        "git -C s remote add o ../x; git -C s config user.name me; git -C s commit -q --allow-empty -m y",
    ),
    (
        "git config core.hooksPath .husky/_; mkdir -p .husky/_; echo : > .husky/_/h; echo npm test > .husky/pre-commit",
        "echo : > .husky/_/h; touch .husky/pre-commit; echo '*' > .husky/_/.gitignore; git commit -q --allow-empty -m y",
    ),
    (
        "git init -q s",
        "git -C s config filter.lfs.clean 'git-lfs clean -- %f'; git -C s config filter.lfs.process 'git-lfs filter-process'
            git -C s config filter.lfs.required true",
    ),
    ("git init -q s", "mkdir -p s/.git/hooks; cp /bin/true s/.git/hooks/pre-commit.sample; echo x > s/.git/hooks/README"),
    ("git config include.path ../.gitmore; echo '[user]' > .gitmore", "printf '\\tname = me\\n' >> .gitmore"),
    (TWO_BRANCHES, "cd s; git rebase -q -s resolve o || true; git rebase --abort; git rebase -q -X ours --exec true o || true"),
    (TWO_BRANCHES, "cd s; git cherry-pick -s -X theirs -x main~1..o || true; git cherry-pick o || true"),
    (PATCHES, "cd s; git am --abort; git am -q --whitespace=fix -p1 --reject --directory=x ../p/* || true"),
    (
        TWO_BRANCHES,
        "cd s; git config merge.tool kdiff3; git config rebase.instructionFormat '%s (%an)'; git config pull.ff only
            git config branch.main.mergeOptions --no-ff; git config gitflow.branch.master main; git config my.own 'a b'",
    ),
    (
        "git config filter.nb.clean 'python3 nbstrip.py'; echo 1 > nbstrip.py; mkdir -p t/hooks; git config init.templateDir t",
        "echo 1 > other.py; touch nbstrip.py; echo 1 > t/description; mkdir -p t/info; echo x > t/info/exclude",
    ),
    ("", "mkdir -p a/HEAD a/objects a/refs; echo x > a/config; mkdir b; echo '[core' > b/config"),
];

/// A workspace, a place outside, and where canaries appear.
struct World {
    all: TempDir,
}

impl World {
    fn new(has: &str) -> Self {
        let world = Self { all: tempfile::tempdir().unwrap() };
        for folder in ["work", "outside", "quarantine"] {
            fs::create_dir(world.at(folder)).unwrap();
        }
        world.run("git init -q -b main . && git commit -q --allow-empty -m first");
        world.run(has);
        world
    }

    fn at(&self, name: &str) -> PathBuf {
        self.all.path().canonicalize().unwrap().join(name)
    }

    fn canary(&self) -> PathBuf {
        self.at("canary")
    }

    /// Runs lines in the workspace, as a user.
    fn shell(&self, lines: &str) -> std::process::Output {
        let mut bash = Command::new("bash");
        bash.args(["-c", &format!("set -e\n{lines}\n")]).current_dir(self.at("work"));
        for (name, value) in [("canary", self.canary()), ("outside", self.at("outside"))] {
            bash.env(name, value);
        }
        for name in ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"] {
            bash.env(name, "me");
        }
        bash.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_EDITOR", "true");
        bash.output().unwrap()
    }

    fn run(&self, lines: &str) {
        let out = self.shell(lines);
        assert!(out.status.success(), "{lines}: {}", String::from_utf8_lossy(&out.stderr));
    }

    fn look(&self) -> Surfaces {
        let looked = Surfaces::within(&[self.at("work")], None);
        assert_eq!(looked.unseen, Vec::<PathBuf>::new());
        looked.surfaces
    }

    /// What is set aside of what a command does.
    fn left_by(&self, does: &str) -> Vec<SetAside> {
        let before = self.look();
        self.run(does);
        let aside = self.look().set_aside_since(&before, &self.at("quarantine"));
        assert_eq!(self.look().set_aside_since(&before, &self.at("quarantine")), [], "once is enough");
        aside
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // Some ways leave folders that could not be removed otherwise.
        let _ = Command::new("chmod").args(["-R", "u+rwx"]).arg(self.all.path()).output();
    }
}

#[test]
fn c2_whatever_way_something_is_left_the_next_git_runs_nothing_of_it() {
    let left: Vec<(&str, Vec<SetAside>)> = WAYS.iter().filter_map(|way| Some((way.name, tried(way)?))).collect();
    assert!(left.is_empty(), "{left:#?}");
}

/// What was set aside where that was not enough.
fn tried(way: &Way) -> Option<Vec<SetAside>> {
    let trap = World::new(way.has);
    trap.run(way.does);
    let _ = trap.shell(way.then);
    assert!(trap.canary().exists(), "{}: the trap must be one", way.name);
    let world = World::new(way.has);
    let aside = world.left_by(way.does);
    let all_kept = aside.iter().all(|aside| aside.kept.as_ref().is_some_and(|kept| kept.symlink_metadata().is_ok()));
    let _ = world.shell(way.then);
    (aside.is_empty() || !all_kept || world.canary().exists()).then_some(aside)
}

#[test]
fn what_was_there_before_is_there_again() {
    let way = WAYS.last().unwrap();
    let world = World::new(way.has);
    let aside = world.left_by(way.does);
    assert!(matches!(aside.as_slice(), [SetAside { restored: true, .. }]), "{aside:?}");
    let out = world.shell(way.then);
    assert!(String::from_utf8_lossy(&out.stdout).ends_with("!true\n../x\n"), "{out:?}");
    // Also where it had nothing that runs.
    let world = World::new("git init -q s; git -C s remote add o ../x");
    let aside = world.left_by("git -C s config core.pager ./evil");
    assert!(matches!(aside.as_slice(), [SetAside { restored: true, .. }]), "{aside:?}");
    world.run("test \"$(git -C s config remote.o.url)\" = ../x");
}

#[test]
fn c2_ordinary_life_stays_quiet() {
    for (has, does) in ORDINARY {
        let world = World::new(has);
        assert_eq!(world.left_by(does), [], "{does}");
    }
}

#[test]
fn what_the_user_has_stays() {
    let world = World::new(&format!("({NESTED}); git -C s config core.fsmonitor ./x; git -C s config alias.x '!true'"));
    assert_eq!(world.left_by("echo 2 > s/f; git -C s stash -q; git -C s branch y"), []);
    world.run("test \"$(git -C s config alias.x)\" = '!true'");
}

#[test]
fn c2_a_repository_around_the_workspace_that_leads_into_it_counts() {
    let world = World::new("git config core.hooksPath sub/hooks; mkdir sub");
    let sub = [world.at("work/sub")];
    let before = Surfaces::within(&sub, None).surfaces;
    world.run(
        "mkdir sub/hooks; printf '#!/bin/sh\\ntouch '$canary > sub/hooks/pre-commit; chmod +x sub/hooks/pre-commit",
    );
    let aside = Surfaces::within(&sub, None).surfaces.set_aside_since(&before, &world.at("quarantine"));
    assert_eq!(aside.len(), 1, "{aside:?}");
    world.run("git commit -q --allow-empty -m y");
    assert!(!world.canary().exists());
}

#[test]
fn c2_a_repository_around_counts_also_beside_a_git_that_is_none() {
    let world = World::new("git config core.hooksPath sub/hooks; mkdir sub");
    let sub = [world.at("work/sub")];
    let before = Surfaces::within(&sub, None).surfaces;
    world.run(
        "mkdir sub/hooks sub/.git; printf '#!/bin/sh\\ntouch '$canary > sub/hooks/pre-commit; chmod +x sub/hooks/pre-commit",
    );
    let aside = Surfaces::within(&sub, None).surfaces.set_aside_since(&before, &world.at("quarantine"));
    assert_eq!(aside.len(), 1, "{aside:?}");
    world.run("git -C sub commit -q --allow-empty -m y");
    assert!(!world.canary().exists());
}

/// What the user's own settings include of the workspace, whichever file of theirs does so. The variables are those of a
/// process of its own.
#[test]
fn c2_settings_of_the_user_that_lead_into_the_workspace_count() {
    if let Some(work) = std::env::var_os("LEFT_LOOKS_AT") {
        return look_twice(Path::new(&work));
    }
    for (name, file) in
        [("HOME", "home/.gitconfig"), ("GIT_CONFIG_GLOBAL", "home/mine"), ("GIT_CONFIG_SYSTEM", "home/sys")]
    {
        let world = World::new("mkdir ../home; printf '[user]\\n\\tname = me\\n' > .gitmore");
        // Over a link and a file outside, as people arrange their settings.
        let include = |path: PathBuf| format!("[includeIf \"gitdir:/\"]\n\tpath = {}\n", path.display());
        fs::write(world.at("outside/more"), include(world.at("work/.gitmore"))).unwrap();
        fs::write(world.at("outside/mine"), include(world.at("outside/more"))).unwrap();
        std::os::unix::fs::symlink(world.at("outside/mine"), world.at(file)).unwrap();
        let mut test = Command::new(std::env::current_exe().unwrap());
        test.args(["--exact", "left::c2_settings_of_the_user_that_lead_into_the_workspace_count", "--nocapture"]);
        for name in ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "XDG_CONFIG_HOME"] {
            test.env_remove(name);
        }
        test.env("LEFT_LOOKS_AT", world.at("work")).env("HOME", world.at("home"));
        let value = if name == "HOME" { world.at("home") } else { world.at(file) };
        let out = test.env(name, value).env("LEFT_CANARY", world.canary()).output().unwrap();
        assert!(out.status.success(), "{name}: {}", String::from_utf8_lossy(&out.stderr));
    }
}

/// A command of git shows that the trap is one; then it is left for git once more.
fn look_twice(work: &Path) {
    let canary = PathBuf::from(std::env::var_os("LEFT_CANARY").unwrap());
    let git = || Command::new("git").arg("status").current_dir(work).output().unwrap();
    let (more, quiet) = (work.join(".gitmore"), fs::read(work.join(".gitmore")).unwrap());
    let trap = format!("[core]\n\tfsmonitor = \"touch {};:\"\n", canary.display());
    fs::write(&more, &trap).unwrap();
    git();
    fs::remove_file(&canary).expect("the trap must be one");
    fs::write(&more, quiet).unwrap();
    let look = || Surfaces::within(&[work.to_owned()], None).surfaces;
    let before = look();
    fs::write(&more, trap).unwrap();
    let aside = look().set_aside_since(&before, &work.join("../quarantine"));
    assert!(matches!(aside.as_slice(), [SetAside { restored: true, .. }]), "{aside:?}");
    git();
    assert!(!canary.exists());
}

#[test]
fn c2_what_cannot_be_looked_through_is_named_and_links_of_the_index_are_followed() {
    let world = World::new("");
    let deep: PathBuf = (0..210).map(|_| "d").collect();
    let looked = |linked: &dyn Fn() -> Vec<PathBuf>| Surfaces::within(&[world.at("work")], Some(linked));
    fs::create_dir_all(world.at("work").join(&deep).join("s")).unwrap();
    let s = world.at("work").join(&deep).join("s");
    world.run(&format!("git init -q {0}; git -C {0} config core.fsmonitor x", s.display()));
    let seen = looked(&Vec::new);
    assert!(seen.surfaces.is_empty(), "{seen:?}");
    assert!(matches!(seen.unseen.as_slice(), [folder] if s.starts_with(folder)), "{:?}", seen.unseen);
    let seen = looked(&|| vec![s.clone()]);
    assert_eq!(seen.surfaces.paths().collect::<Vec<_>>(), [s.join(".git/config")]);
}

#[test]
fn people_are_told_of_settings_outside_and_of_what_the_index_links_to() {
    let world = World::new(
        "git config include.path $outside/more; git config --add include.path ../here; echo '[user]' > here
            git init -q node_modules/m; git -C node_modules/m config core.fsmonitor x",
    );
    let work = world.at("work");
    let told = |linked: &[PathBuf]| Surfaces::for_people_in(&work, linked).surfaces.told();
    let outside = told(&[]);
    let text = format!("include.path = {}\n", world.at("outside/more").display());
    assert!(matches!(outside.as_slice(), [one] if one.bytes == text.as_bytes()), "{outside:?}");
    let linked: Vec<PathBuf> = told(&[work.join("node_modules/m")]).into_iter().map(|one| one.path).collect();
    assert_eq!(linked, [work.join(".git/config"), work.join("node_modules/m/.git/config")]);
}

#[test]
fn c2_nothing_outside_is_ever_moved() {
    let world = World::new(
        "mkdir $outside/hooks; printf '#!/bin/sh\\n' > $outside/hooks/pre-commit; chmod +x $outside/hooks/*",
    );
    let outside = world.at("outside");
    let aside = world.left_by(
        "git init -q s; git -C s config core.hooksPath $outside/hooks; git -C s config include.path $outside/more
            ln -s $outside t; ln -s $outside/hooks s/.git/more; mkdir -p u; ln -s $outside u/.git
            printf '[core]\\n\\tfsmonitor = x\\n' > $outside/config; printf '[core]\\n\\tpager = x\\n' > $outside/more",
    );
    assert!(!aside.is_empty() && aside.iter().all(|aside| aside.path.starts_with(world.at("work"))), "{aside:?}");
    for name in ["hooks/pre-commit", "config", "more"] {
        assert!(outside.join(name).is_file(), "{name}: {aside:?}");
    }
}

/// The same in a box, at its end: also in folders beside the workspace.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn c2_a_repository_within_that_would_run_something_is_tidied() {
    let (place, beside) = (crate::place::Place::new(), tempfile::tempdir().unwrap());
    let beside = beside.path().canonicalize().unwrap();
    let mut options = place.options();
    options.writable.push(beside.clone());
    let sandbox = full_or_skip!(options);
    let canary = place.outside.path().join("escaped");
    for folder in [place.work.path().canonicalize().unwrap(), beside] {
        let line = format!(
            "cd {} && git init -q s && git -C s config core.fsmonitor 'touch {};:' && git init -q t && echo x > t/f",
            folder.display(),
            canary.display()
        );
        let finished = place.finish(&sandbox, &line).await;
        assert_eq!(finished.quarantined.len(), 1, "{:?}", finished.quarantined);
        assert_eq!(finished.unseen, Vec::<PathBuf>::new());
        let _ = Command::new("git").arg("status").current_dir(folder.join("s")).output().unwrap();
        assert!(!canary.exists() && folder.join("t/.git/config").exists());
    }
}

/// What a server sends is written where the settings say, over whatever is there.
#[test]
fn c2_a_file_that_a_server_fills_counts() {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let _ = stream.read(&mut [0; 4096]);
            let head = "HTTP/1.1 200 OK\r\nSet-Cookie: a=evil; Max-Age=1000\r\nContent-Length: 0\r\n";
            let _ = write!(stream, "{head}Connection: close\r\n\r\n");
        }
    });
    let world = World::new("git init -q s; git -C s config http.saveCookies true");
    let asks = format!("http_proxy= no_proxy='*' git -C s ls-remote http://{address}/x");
    let does = "git -C s config http.cookieFile $canary";
    world.run(does);
    let out = world.shell(&asks);
    if String::from_utf8_lossy(&out.stderr).contains("remote-http") {
        return eprintln!("skipped: this git has no http");
    }
    assert!(world.canary().exists(), "the trap must be one: {out:?}");
    fs::remove_file(world.canary()).unwrap();
    world.run("git -C s config --unset http.cookieFile");
    assert_eq!(world.left_by(does).len(), 1);
    let _ = world.shell(&asks);
    assert!(!world.canary().exists());
}

/// Pipes and endless files where git has small ones: whoever looks neither waits nor reads on.
#[test]
fn c2_odd_files_of_git_are_not_waited_for() {
    let names = "HEAD config config.worktree commondir index packed-refs info/attributes sequencer/opts sequencer/todo \
        rebase-merge/strategy rebase-merge/git-rebase-todo rebase-apply/apply-opt hooks/pre-commit";
    for make in ["mkfifo -m 755", "ln -s /dev/zero"] {
        let world = World::new("");
        world.run(&format!(
            "for name in {names}; do git init -q s-${{name//\\//-}}; cd s-${{name//\\//-}}/.git; mkdir -p $(dirname $name)
                rm -f $name; {make} $name; cd ../..; mkdir t-${{name//\\//-}}; {make} t-${{name//\\//-}}/.git; done"
        ));
        let (done, ended) = std::sync::mpsc::channel();
        let work = world.at("work");
        std::thread::spawn(move || {
            Surfaces::within(std::slice::from_ref(&work), None);
            Surfaces::for_people_in(&work, &[]);
            run_later(std::slice::from_ref(&work), None, &[work.join("x")]);
            for folder in fs::read_dir(&work).unwrap().flatten() {
                reasonix_exec::readers_run_nothing(&folder.path());
                reasonix_exec::git::branch(&folder.path());
            }
            done.send(()).unwrap();
        });
        assert!(ended.recv_timeout(std::time::Duration::from_secs(60)).is_ok(), "{make}: it waits");
    }
}

#[test]
fn readers_run_nothing_only_where_no_settings_name_a_program() {
    let quiet = |has: &str| {
        let world = World::new(has);
        reasonix_exec::readers_run_nothing(&world.at("work"))
    };
    for has in [
        "",
        "git remote add o https://x/y; git config branch.main.merge refs/heads/main; git config alias.st '!x'",
        "git config include.path ../more; echo '[user]' > more",
        "git config include.path ../missing",
        "mkdir -p .git/hooks; cp /bin/true .git/hooks/pre-commit",
    ] {
        assert!(quiet(has), "{has}");
    }
    for has in [
        "git config core.fsmonitor ./x",
        "git config include.path ../more; printf '[core]fsmonitor=x' > more",
        "git config include.path $outside/more; printf '[diff]external=x' > $outside/more",
        "git config includeIf.onbranch:other.path ../more; printf '[diff]external=x' > more",
        "git config include.path ../more; printf '[include]path=more2' > more; printf '[filter \"a\"]clean=x' > more2",
        "git config include.path config",
        "printf '[core]\\n\\tbare = false # \\\\\\n\\tfsmonitor = x\\n' >> .git/config",
        "printf '[core\\n' >> .git/config",
        "git config core.hooksPath hooks",
        "git config extensions.worktreeConfig true; git config --worktree core.fsmonitor x",
        "mkdir -p .git/hooks; cp /bin/true .git/hooks/post-index-change",
        "rm .git/HEAD",
        "mv .git store; ln -s store .git",
        // Git would fetch what is missing, from wherever the repository says.
        "git remote add o ssh://x/y; git config remote.o.promisor true",
        "git config extensions.partialClone o",
        "git config remote.o.partialclonefilter blob:none",
    ] {
        assert!(!quiet(has), "{has}");
    }
    // A linked worktree reads the settings of its repository.
    for (has, good) in [("", true), ("; git config diff.external x", false)] {
        let world = World::new(&format!("git worktree add -q wt{has}"));
        assert_eq!(reasonix_exec::readers_run_nothing(&world.at("work/wt")), good, "{has}");
    }
    let world = World::new("git init -q --bare $outside/b; mkdir $outside/plain");
    assert!(!reasonix_exec::readers_run_nothing(&world.at("outside/b")));
    assert!(reasonix_exec::readers_run_nothing(Path::new("/proc/self")) || Path::new("/.git").exists());
}

/// Every file below a folder, with what is in it, and every folder.
fn files_in(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => {
                found.extend(files_in(&path));
                found.insert(path, Vec::new());
            }
            kind if kind.is_file() => drop(found.insert(path.clone(), fs::read(&path).unwrap_or_default())),
            _ => {}
        }
    }
    found
}

#[test]
fn c2_whoever_knows_the_paths_is_told_before_they_are_written() {
    let is_git = |path: &Path| path.components().any(|part| part.as_os_str() == ".git");
    let mut judged = 0;
    for way in WAYS {
        let world = World::new(way.has);
        let before = files_in(&world.at("work"));
        let aside = world.left_by(way.does);
        // What is set aside is not there any more; what is done a second time is.
        let _ = world.shell(way.does);
        let after = files_in(&world.at("work"));
        let changed: Vec<PathBuf> =
            after.iter().filter(|(path, text)| before.get(*path) != Some(text)).map(|(path, _)| path.clone()).collect();
        let relative = |path: &Path| path.strip_prefix(world.at("work")).unwrap().to_owned();
        // Links are made by commands alone, and what lies in a `.git` is asked about by its name.
        let wanted: Vec<PathBuf> =
            aside.iter().map(|aside| relative(&aside.path)).filter(|path| !is_git(path)).collect();
        let fresh = World::new(way.has);
        let touched: Vec<PathBuf> = changed.iter().map(|path| fresh.at("work").join(relative(path))).collect();
        let told = run_later(&[fresh.at("work")], None, &touched);
        for path in wanted.iter().filter(|path| touched.contains(&fresh.at("work").join(path))) {
            judged += 1;
            assert!(told.contains(&fresh.at("work").join(path)), "{}: {path:?} is not among {told:?}", way.name);
        }
    }
    assert!(judged > 10, "{judged}");
}

#[test]
fn c2_a_folder_becomes_a_repository_step_by_step_and_the_last_step_is_told() {
    let world =
        World::new("git config core.hooksPath tools/hooks; git config diff.x.textconv ./tools/show; mkdir tools");
    let work = world.at("work");
    let told = |paths: &[&str]| {
        let touched: Vec<PathBuf> = paths.iter().map(|path| work.join(path)).collect();
        let told = run_later(std::slice::from_ref(&work), None, &touched);
        told.iter().map(|path| path.strip_prefix(&work).unwrap().display().to_string()).collect::<Vec<_>>()
    };
    for order in [["HEAD", "objects/x", "refs/x", "config"], ["config", "refs/x", "objects/x", "HEAD"]] {
        for folder in ["", "a/b/"] {
            let paths: Vec<String> = order.iter().map(|name| format!("{folder}{name}")).collect();
            let all: Vec<&str> = paths.iter().map(String::as_str).collect();
            let together = told(&all);
            assert_eq!(together.len(), 4, "in one patch: {together:?}");
            let mut steps = Vec::new();
            for path in &all {
                steps.extend(told(&[path]));
                fs::create_dir_all(work.join(path).parent().unwrap()).unwrap();
                fs::write(work.join(path), "x").unwrap();
            }
            assert_eq!(steps.len(), if order[3] == "config" { 2 } else { 1 }, "{steps:?}");
            assert_eq!(told(&[&format!("{folder}hooks/pre-commit")]).len(), 1);
            for path in &all {
                fs::remove_file(work.join(path)).unwrap();
            }
            for name in ["objects", "refs"] {
                fs::remove_dir(work.join(format!("{folder}{name}"))).unwrap();
            }
        }
    }
    assert_eq!(told(&["tools/hooks/pre-commit", "tools/Hooks/PRE-push", "tools/show"]).len(), 3);
    assert_eq!(told(&["HEAD", "commondir"]).len(), 2);
    std::os::unix::fs::symlink("tools", work.join("way")).unwrap();
    assert_eq!(told(&["way/hooks/pre-push", "tools"]).len(), 2, "through a link, and a folder that holds them");
    assert_eq!(
        told(&["HEAD", "refs/x", "src/config", "tools/hooks.md", "tools/hooks/README", "config", "hooks/x"]),
        Vec::<String>::new()
    );
}
