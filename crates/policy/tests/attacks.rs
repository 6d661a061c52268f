//! The attacks on rules and command lines, by their ids: each is a table, and goes red when its protection is taken out.

use crate::property;

use property::World;
use reasonix_policy::{
    By, Case, Circumstances, Fallback, Hidden, How, Posture, Rule, Rules, Verdict, analyse, dangers, judge, read_only,
    suggest,
};
use reasonix_proto::{Action, Family, ReadOnly};

fn own(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// The verdict where these rules allow, everything else is asked about, and a person is there.
fn allowed_by(allow: &[&str], line: &str) -> Verdict {
    verdict(&Rules::parse(&[], &[], &own(allow), Fallback::Ask).unwrap(), Posture::Ask, line)
}

fn verdict(rules: &Rules, posture: Posture, line: &str) -> Verdict {
    let action = Action { family: Family::Bash, subjects: vec![line.into()], read_only: read_only(line) };
    let about = Circumstances {
        granted: &[],
        approved: &[],
        dangerous: &[],
        posture,
        attended: true,
        held: false,
        facts: &World,
    };
    judge(rules, &about, &Case::new("bash", &action))
}

fn denied_by(deny: &[&str], line: &str) -> bool {
    let rules = Rules::parse(&own(deny), &[], &own(&["Bash"]), Fallback::Allow).unwrap();
    matches!(verdict(&rules, Posture::Yolo, line), Verdict::Deny(By::Rule(_)))
}

fn is_allowed(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Allow(_))
}

fn names(line: &str, program: &str) -> bool {
    let effects = analyse(line);
    effects.hidden.is_some() || effects.commands.iter().any(|simple| simple.program() == program)
}

#[test]
fn b1_operators_never_slip_under_a_prefix() {
    assert!(is_allowed(&allowed_by(&["Bash(npm test:*)"], "npm test --all")));
    for joint in [
        "&&", ";", "||", "|", "&", "|&", "\n", "\r\n", "\r", "\u{b}", "\u{c}", "\u{2028}", "\u{2029}", "\u{85}",
        "\u{a0}", "\\\n;", "\n\n", ";;",
    ] {
        let line = format!("npm test {joint} rm -rf x");
        assert!(!is_allowed(&allowed_by(&["Bash(npm test:*)"], &line)), "{line:?}");
        assert!(denied_by(&["Bash(rm:*)"], &line) || analyse(&line).hidden.is_some(), "{line:?}");
        // Also where nothing is dangerous.
        let line = format!("npm test {joint} make y");
        assert!(!is_allowed(&allowed_by(&["Bash(npm test:*)"], &line)), "{line:?}");
    }
    // A line end that the shell takes away joins what stands around it.
    assert!(!is_allowed(&allowed_by(&["Bash(npm test:*)"], "npm te\\\nst; r\\\nm x")));
}

#[test]
fn b2_substitutions_are_commands() {
    for inside in [
        "$(rm x)",
        "`rm x`",
        "<(rm x)",
        ">(rm x)",
        "${y:=$(rm x)}",
        "${y:-`rm x`}",
        "$((a[$(rm x)]))",
        "$[a[$(rm x)]]",
        "\"$(rm x)\"",
        "${a[$(rm x)]}",
        "\"${y/$(rm x)/}\"",
    ] {
        let line = format!("npm test {inside}");
        assert!(!is_allowed(&allowed_by(&["Bash(npm test:*)"], &line)), "{line:?}");
        assert!(names(&line, "rm"), "{line:?}");
        let line = line.replace("rm x", "make y");
        assert!(!is_allowed(&allowed_by(&["Bash(npm test:*)"], &line)), "{line:?}");
    }
    for line in [
        "[[ x =~ $(rm x) ]]",
        "(( a[$(rm x)] ))",
        "cat <<E\n$(rm x)\nE",
        "cat <<< \"$(rm x)\"",
        "a[$(rm x)]=1",
        "for ((i=$(rm x);;)); do :; done",
        "case $(rm x) in a) :;; esac",
        "y=$(rm x)",
        "export y=`rm x`",
    ] {
        assert!(names(line, "rm"), "{line:?}");
        assert!(matches!(allowed_by(&["Bash"], line), Verdict::Ask(By::Danger(_))), "{line:?}");
    }
}

#[test]
fn b3_what_cannot_be_parsed_is_asked_about_in_every_posture() {
    let rules = Rules::parse(&[], &[], &own(&["Bash", "Bash(echo:*)"]), Fallback::Allow).unwrap();
    for line in ["echo 'x", "echo $(", "if true; then", "echo \"${x\"", "((", "echo )", "<<<", "{ ls", "ls \0 x"] {
        for posture in [Posture::Ask, Posture::Auto, Posture::Yolo] {
            assert!(matches!(verdict(&rules, posture, line), Verdict::Ask(By::Danger(_))), "{line:?} {posture:?}");
        }
        assert!(suggest(&Action::writes(Family::Bash, vec![line.into()])).is_empty(), "{line:?}");
    }
}

#[test]
fn b4_wrappers_hide_nothing() {
    for wrapper in [
        "env",
        "env -i A=1",
        "env -u A",
        "sudo",
        "sudo -u root",
        "doas",
        "nice -n 5",
        "ionice -c 3",
        "timeout 5",
        "timeout -k 3 -s KILL 5",
        "stdbuf -oL",
        "setsid -f",
        "nohup",
        "watch -n 1",
        "xargs -n 1",
        "command",
        "builtin",
        "exec",
        "time",
        "time -p",
        "busybox",
        "strace -f",
        "unshare -r",
        "chroot /",
        "flock lock",
        "taskset 1",
        "setpriv --no-new-privs",
        "systemd-run --user",
        "parallel",
        "fakeroot",
        "chrt 1",
    ] {
        let line = format!("{wrapper} rm -rf x");
        assert!(names(&line, "rm"), "{line}");
        assert!(denied_by(&["Bash(rm:*)"], &line) || analyse(&line).hidden.is_some(), "{line}");
        assert!(!is_allowed(&allowed_by(&["Bash(ls:*)", &format!("Bash({wrapper}:*)")], &line)), "{line}");
    }
    assert!(names("script -c 'rm x' /dev/null", "rm") || analyse("script -c 'rm x' /dev/null").interprets);
    // Nested deeper than what is looked at: hidden, not forgotten.
    let deep = format!("{}rm x", "nice ".repeat(20));
    assert_eq!(analyse(&deep).hidden, Some(Hidden::TooDeep));
    let texts = (0..9).fold("rm x".to_owned(), |line, _| format!("eval '{}'", line.replace('\'', r"'\''")));
    assert!(analyse(&texts).hidden.is_some());
    // An option that is not known hides the command, and no other word is taken for it.
    assert_eq!(analyse("sudo --weird x rm y").hidden, Some(Hidden::Program));
}

#[test]
fn b5_code_for_an_interpreter_is_covered_by_no_rule() {
    for line in [
        "python -c 'x'",
        "python3.11 -c x",
        "node -e x",
        "node -pe x",
        "perl -e x",
        "perl -ne x",
        "ruby -e x",
        "php -r x",
        "awk 'BEGIN{system(\"id\")}'",
        "awk '{print > \"f\"}' a",
        "sed 's/a/b/e' f",
        "sed -n 'w out' f",
        "sed '1e id' f",
        "vim -c '!id'",
        "tar cf a --checkpoint-action=exec=id b",
        "tar xf a --to-command=id",
        "tar -I id -cf a b",
        "rg --pre id x",
        "git -c alias.x='!id' x",
        "git -c core.pager=id log",
        "ssh -o ProxyCommand=id h",
        "man -P id ls",
        "sort --compress-program=id f",
        "zip -TT id a b",
        "make -f -",
        "ed f",
        "dc -e x",
        "env -S 'id x'",
        "gdb -ex x",
        "python <<E\nx\nE",
        "echo x | python",
        "python -",
        "lua -e x",
        "deno eval x",
        "tclsh",
        "git rebase -x id",
        "git submodule foreach id",
        "git bisect run id",
        "fd -x id",
        "rsync -e id a b:c",
        "make --eval=x",
        "su -c id",
        "cat x | ssh h",
        "tmux new id",
        "emacs --eval x",
        "julia -e x",
        "less -k f x",
        "git difftool -x id",
        "exec 3<>/dev/tcp/h/1",
        "cat < /dev/tcp/h/1",
        "crontab f",
        "at -f f now",
    ] {
        let effects = analyse(line);
        let program = effects.commands.first().map_or("x", |simple| simple.program()).to_owned();
        assert!(effects.interprets || effects.hidden.is_some(), "{line:?}: {effects:?}");
        let prefix = format!("Bash({program}:*)");
        assert!(!is_allowed(&allowed_by(&["Bash", &prefix], line)), "{line:?}");
        assert_ne!(effects.read_only, ReadOnly::Yes, "{line:?}");
    }
    for line in ["bash -c 'rm x'", "sh -lc 'rm x'", "find . -exec rm {} +", "find . -delete", "bash -ec \"rm x\""] {
        assert!(matches!(allowed_by(&["Bash"], line), Verdict::Ask(By::Danger(_))), "{line:?}");
    }
}

#[test]
fn b7_env_prefix_not_covered() {
    let rules = &["Bash(git fetch:*)", "Bash(git log:*)", "Bash(npm test:*)", "Bash(ls:*)"];
    assert!(is_allowed(&allowed_by(rules, "git fetch")));
    for line in [
        "GIT_SSH_COMMAND=id git fetch",
        "PAGER=id git log",
        "LD_PRELOAD=./x.so npm test",
        "A=1 npm test",
        "env GIT_SSH_COMMAND=id git fetch",
        "export LD_PRELOAD=./x; npm test",
        "PATH=.:$PATH; npm test",
        "BASH_ENV=x npm test",
        "declare -x A=1; npm test",
        "IFS=x; npm test",
        "read PATH < f; npm test",
        "export A=1 && npm test",
        "GIT_CONFIG_COUNT=1 git log",
        "time A=1 npm test",
        "for PATH in .; do npm test; done",
        "printf -v PATH . ; npm test",
        "printf 'x%n' PATH; npm test",
        "printf 'x%%%-*.3lln' 5 PATH && npm test",
        "printf -- 'x%n' PATH; ls",
        "printf \"$f\" PATH; npm test",
        "command printf 'x%n' PATH; ls",
        "wait -p PATH; ls",
    ] {
        assert!(!is_allowed(&allowed_by(rules, line)), "{line:?}");
        assert_ne!(read_only(line), ReadOnly::Yes, "{line:?}");
    }
    // A reader is none either, when what it runs was changed before.
    assert_ne!(read_only("LD_PRELOAD=./x.so ls"), ReadOnly::Yes);
}

#[test]
fn b8_redirections_and_writers_are_seen() {
    for line in [
        "echo x > f",
        "echo x >| f",
        "echo x &> f",
        "echo x >& f",
        "echo x 1> f",
        "echo x 3> f",
        "ls 2> f",
        "echo x | tee f",
        "dd if=a of=f",
        "cp a f",
        "install a f",
        "mv a f",
        "ln -sf a f",
        "truncate -s 0 f",
        "sed -i s/a/b/ f",
        "touch f",
        "curl -o f http://x",
        "wget -O f http://x",
        "sort -o f a",
        "> f",
        "echo x > 'f'",
        "echo x > f\"\"",
        "exec > f",
        "echo x | sponge f",
        "find . -fprint f",
        "{ ls; } > f",
        "(ls) > f",
        "while :; do ls; done > f",
    ] {
        let effects = analyse(line);
        let hits = effects.writes.iter().any(|write| write.path.as_deref() == Some("f"));
        assert!(hits || effects.hidden.is_some(), "{line:?}: {:?}", effects.writes);
        assert_ne!(effects.read_only, ReadOnly::Yes, "{line:?}");
        assert!(!is_allowed(&allowed_by(&["Bash(echo:*)", "Bash(ls:*)"], line)), "{line:?}");
    }
    assert!(analyse("echo x <> f").hidden.is_some());
    assert_eq!(analyse("echo x >> f").writes[0].how, How::Append);
    // Onto what was there before it is dangerous, also through a descriptor or a name that only the shell knows.
    for line in ["echo x > old", "ls > $f", "cat a > \"$HOME/.bashrc\"", "echo x > ~/old", "exec 3> old", "cp a old"] {
        assert!(!dangers(&analyse(line), line, &World, &[]).is_empty(), "{line:?}");
    }
    // Only devices that keep nothing are none.
    assert!(analyse("ls > /dev/null 2>&1 3> /dev/fd/1").writes.is_empty());
    assert!(!analyse("ls > /dev/fd/../../etc/x").writes.is_empty() && !analyse("ls > /dev/sda").writes.is_empty());
}

#[test]
fn b10_changes_of_folder_are_followed() {
    for (line, dirs) in [
        ("cd sub && echo x > f", Some(vec!["sub"])),
        ("cd sub; echo x > f", Some(vec!["sub", ""])),
        ("cd a && cd b && echo x > f", Some(vec!["a/b"])),
        ("cd /etc && echo x > f", Some(vec!["/etc"])),
        ("pushd sub && echo x > f", Some(vec!["sub"])),
        ("(cd sub); echo x > f", Some(vec![""])),
        ("cd \"$X\" && echo x > f", None),
        ("cd && echo x > f", None),
        ("cd ~ && echo x > f", None),
        ("cd - ; echo x > f", None),
        ("popd; echo x > f", None),
        ("CDPATH=/ cd etc && echo x > f", None),
        ("export CDPATH=/; cd etc && echo x > f", None),
        ("env -C /etc tee f", None),
        ("f() { echo x > f; }; cd /; f", None),
    ] {
        let effects = analyse(line);
        let places = &effects.writes.iter().find(|write| write.path.as_deref() == Some("f")).unwrap().places;
        match dirs {
            Some(dirs) => {
                let found = |dir: &&str| places.dirs.iter().any(|place| place == dir);
                assert!(places.known && dirs.iter().all(found), "{line:?}: {places:?}");
            }
            None => assert!(!places.known, "{line:?}: {places:?}"),
        }
    }
    // `git -C` and `make -C` say where, and do not hide what.
    for line in ["git -C /other reset --hard", "git -C $x reset --hard", "git --git-dir=/x/.git reset --hard"] {
        assert!(!dangers(&analyse(line), line, &World, &[]).is_empty(), "{line:?}");
    }
    assert!(!is_allowed(&allowed_by(&["Bash(make test:*)"], "make -C /etc test")));
    assert!(!is_allowed(&allowed_by(&["Bash(git status:*)"], "git -C /etc commit")));
}

#[test]
fn b11_long_lines_are_never_weaker() {
    let many = |part: &str, count: usize, joint: &str| vec![part; count].join(joint);
    for line in [
        format!("{}; rm -rf x", many("npm test", 500, "; ")),
        format!("{} && rm -rf x", many("true", 1000, " && ")),
        format!("npm test {}; rm -rf x", "a".repeat(200_000)),
        format!("{}rm -rf x{}", "(".repeat(200), ")".repeat(200)),
        format!("{}rm -rf x{}", "$(".repeat(150), ")".repeat(150)),
        format!("rm -rf x; {}", many("ls", 5000, "\n")),
    ] {
        let short = allowed_by(&["Bash(npm test:*)", "Bash(true:*)"], "rm -rf x");
        let long = allowed_by(&["Bash(npm test:*)", "Bash(true:*)"], &line);
        assert!(property::rank(&long) >= property::rank(&short), "{} bytes: {long:?}", line.len());
        assert!(denied_by(&["Bash(rm:*)"], &line) || analyse(&line).hidden.is_some(), "{} bytes", line.len());
    }
}

/// Found by reading and by the fuzzers: a part that excused or hid the danger of another.
#[test]
fn b11_nothing_appended_excuses_a_danger() {
    for (line, more) in [
        ("rm -rf $y", "; y=--help"),
        ("cp a old", "; dd --help"),
        ("cp a old", " && truncate --help"),
        ("git clean -fd $x", "; x=-n"),
        ("rm x", "\nls --help"),
    ] {
        let whole = format!("{line}{more}");
        for line in [line, &whole] {
            assert!(matches!(allowed_by(&["Bash"], line), Verdict::Ask(By::Danger(_))), "{line:?}");
        }
    }
    for line in [
        "rm -{r,f} x",
        "sudo ls -l",
        "sudo apt install x -V",
        "su -l root",
        "poetry publish -n",
        "uv publish -n",
        "npm publish -n",
        "kubectl delete pod x --dry-run=none",
        "git clean -f -e -n",
        "git push --force -o -n",
        "git $o reset --hard",
        "git --weird x reset --hard",
        "git checkout -B main x",
        "git switch -C main",
        "rm -- --help",
        "git read-tree --reset -u HEAD",
        "timeout 5 sudo -u x ls -l",
    ] {
        assert!(!dangers(&analyse(line), line, &World, &[]).is_empty(), "{line:?}");
    }
    for line in [
        "rm --help",
        "git clean -nfd",
        "git clean -fdn",
        "cargo publish --dry-run",
        "npm publish --dry-run",
        "kubectl delete pod x --dry-run=client",
        "git push --force -n",
        "rsync -an --delete a b",
    ] {
        assert!(dangers(&analyse(line), line, &World, &[]).is_empty(), "{line:?}");
    }
    // The grammar takes these for expressions.
    for line in ["-\nf=1", "- ; f=1 g=1", "-\n\nf=--help f=--help "] {
        assert!(analyse(line).hidden.is_some() || !analyse(line).commands.is_empty(), "{line:?}");
    }
    // Words that the grammar tears apart are one word, and so the program is not known.
    let torn = format!("lue{}`m`; \u{fffd}\u{fffd}", "\u{fffd}".repeat(7));
    assert!(analyse(&torn).hidden.is_some());
    // What a rule denies stays denied where the rest of the line breaks the grammar.
    for line in
        ["old ||git push   #x exit \n  a[ git pusha[  ", "find . -exec touch y;\nfind ((", "nice touch y (( ;; fi"]
    {
        assert!(denied_by(&["Bash(git push)", "Bash(touch:*)"], line), "{line:?}");
    }
    assert!(!denied_by(&["Bash(touch:*)"], "echo touch x"), "a word is no command");
    // In mode "deny", an ask rule for one part asks for nothing else.
    let rules = Rules::parse(&[], &own(&["Bash(npm install:*)"]), &[], Fallback::Deny).unwrap();
    for line in ["(( npm install", "> new; npm install", "A=1 npm install"] {
        let found = verdict(&rules, Posture::Ask, line);
        assert!(matches!(found, Verdict::Deny(_) | Verdict::Ask(By::Danger(_))), "{line:?}: {found:?}");
    }
    assert!(matches!(verdict(&rules, Posture::Ask, "> new; npm install"), Verdict::Deny(By::Fallback)));
    assert!(matches!(verdict(&rules, Posture::Ask, "npm install x"), Verdict::Ask(By::Rule(_))));
    assert!(suggest(&Action::writes(Family::Bash, vec![String::new()])).is_empty());
}

#[test]
fn b13_no_prefix_is_offered_for_what_runs_anything() {
    for line in [
        "git push",
        "git status",
        "env A=1 make",
        "env make",
        "sudo ls",
        "doas ls",
        "python x.py",
        "python3.12 x.py",
        "node x.js",
        "bash x.sh",
        "sh x.sh",
        "perl x.pl",
        "ruby x.rb",
        "xargs ls",
        "find . -name x",
        "ssh h ls",
        "docker run x",
        "make x",
        "nice ls",
        "timeout 5 ls",
        "time make",
        "nohup make",
        "awk -f x",
        "sed -i s/a/b/ f",
        "tar xf a",
        "uv run x",
        "npx x",
        "busybox ls",
        "watch ls",
        "strace ls",
        "vim f",
        "rsync a b",
        "rm x",
        "eval x",
        "su x",
    ] {
        for rule in suggest(&Action::writes(Family::Bash, vec![line.into()])) {
            assert!(!rule.ends_with(":*)"), "{line}: {rule}");
            let granted = [Rule::parse(&rule).unwrap()];
            let rules = Rules::parse(&[], &[], &[], Fallback::Ask).unwrap();
            let other = Action::writes(Family::Bash, vec![format!("{line} && touch y")]);
            let verdict = reasonix_policy::evaluate(&rules, &granted, Posture::Ask, "bash", &other);
            assert!(!is_allowed(&verdict), "{rule} covers more than {line}");
        }
    }
    assert_eq!(suggest(&Action::writes(Family::Bash, vec!["cargo test x".into()]))[1], "Bash(cargo test:*)");
}
