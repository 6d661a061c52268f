//! Lines that try to get past the gate by odd spellings, collected by hand. None is ever run.

use crate::property;

use property::World;
use reasonix_policy::{By, Case, Circumstances, Fallback, Posture, Rule, Rules, Verdict, analyse, judge};
use reasonix_proto::{Action, Family, ReadOnly};

/// The verdict where everything is allowed that rules can allow.
fn verdict(line: &str, posture: Posture) -> Verdict {
    let program = line.split(' ').next().unwrap_or_default();
    let mut allow = vec!["Bash".to_owned(), "*".to_owned()];
    if Rule::parse(&format!("Bash({program}:*)")).is_ok() && !program.contains(['(', ')', '*']) && !program.is_empty() {
        allow.push(format!("Bash({program}:*)"));
    }
    let rules = Rules::parse(&[], &[], &allow, Fallback::Ask).unwrap();
    let action = Action { family: Family::Bash, subjects: vec![line.to_owned()], read_only: analyse(line).read_only };
    let about = Circumstances {
        granted: &[],
        approved: &[],
        dangerous: &[],
        posture,
        attended: true,
        held: false,
        facts: &World,
    };
    judge(&rules, &about, &Case::new("bash", &action))
}

/// Each of these removes something, or hides that it does.
const DELETES: &[&str] = &[
    r"$'\x72m' -rf x",
    r"$'\162\155' -rf x",
    "r''m -rf x",
    r"r\m -rf x",
    "\"r\"'m' -rf x",
    "$\"rm\" -rf x",
    "rm${IFS}-rf${IFS}x",
    "{rm,-rf,x}",
    "/bin/r? -rf x",
    "/bin/[r]m -rf x",
    "$(echo rm) -rf x",
    "y=rm; $y -rf x",
    "set -- rm -rf x; \"$@\"",
    "a=(rm -rf x); \"${a[@]}\"",
    "command -p rm -rf x",
    "builtin command rm -rf x",
    "builtin eval 'rm -rf x'",
    "busybox rm -rf x",
    "busybox sh -c 'rm -rf x'",
    "toybox rm -rf x",
    "/lib64/ld-linux-x86-64.so.2 /bin/rm -rf x",
    "ls | xargs -I{} sh -c 'rm {}'",
    "echo x | xargs --replace rm {}",
    "echo x | xargs --replace=% rm %",
    "echo x | xargs --max-lines rm",
    "echo x | xargs -i rm {}",
    "echo x | xargs -l rm",
    "find . -execdir rm {} \\;",
    "find . -name x -okdir rm {} +",
    "timeout 5 sh -c 'rm -rf x'",
    "nohup sh -c 'rm -rf x' &",
    "setsid -w sh -c 'rm -rf x'",
    "env -S 'rm -rf x'",
    "env -vS 'rm -rf x'",
    "cat <(rm -rf x)",
    "ls > >(rm -rf x)",
    ". <(echo rm -rf x)",
    "source /dev/stdin <<< 'rm -rf x'",
    "trap 'rm -rf x' EXIT",
    "trap -- 'rm -rf x' DEBUG",
    "PROMPT_COMMAND='rm -rf x' bash -i",
    "PS4='$(rm -rf x)'; set -x; ls",
    "PS4='$(rm -rf x)' bash -xc ls",
    "env PS4='$(rm -rf x)' bash -xc ls",
    "export PS4='`rm -rf x`'; set -x; ls",
    "BASH_ENV=./x bash -c ls",
    "y='$(rm -rf x)'; echo \"${y@P}\"",
    "printf -v 'a[$(rm -rf x)]' y",
    "read 'a[$(rm -rf x)]' < f",
    "unset 'a[$(rm -rf x)]'",
    "[[ -v 'a[$(rm -rf x)]' ]]",
    "y='a[$(rm -rf x)]'; echo $((y))",
    "y='a[$(rm -rf x)]'; [[ y -eq 0 ]]",
    "declare -i n='a[$(rm -rf x)]'",
    "declare 'a[$(rm -rf x)]=1'",
    "coproc rm -rf x",
    "coproc Z { rm -rf x; }",
    "bash <<< 'rm -rf x'",
    "sh <<E\nrm -rf x\nE",
    "ls(){ rm -rf x; }; ls",
    "function ls { rm -rf x; }; ls",
    "ls () ( rm -rf x ); ls",
    "rm\u{200b} -rf x",
    "rm\u{a0}-rf x",
    "flock lock --command 'rm -rf x'",
    "flock -n lock -c 'rm -rf x'",
    "strace -o '|rm -rf x' ls",
    "eval \"rm\" \"-rf\" x",
    r"eval $'rm\x20-rf\x20x'",
    "bash -c \"$(echo cm0gLXJmIHg= | base64 -d)\"",
    "echo cm0gLXJmIHg= | base64 -d | sh",
    "echo ${y:-$(rm -rf x)}",
    "select i in a; do rm -rf x; done",
    "ls \\\n; rm -rf x",
];

/// Each of these runs code that no rule covers.
const CODE: &[&str] = &[
    "git -c core.pager='cat; id' log",
    "git -c core.pager=cat\\;id log",
    "git -c commit.gpgsign=falsex commit",
    "git -c alias.x='!id' x",
    "git -c diff.external=id diff",
    "tar xf a --to-comm=id",
    "tar cIf id a b",
    "tar -cI id -f a b",
    "rsync -ae id a b:c",
    "scp -o ProxyCommand=id a h:b",
    "scp -S id a h:b",
    "sftp -S id h",
    "awk -vx=1 'BEGIN{system(x)}'",
    "gawk '@load \"filefuncs\"; BEGIN{}'",
    "sed p --expression='1e id'",
    "sed -e p --expression='1e id'",
    "sed '-e1e id' p",
    "sed -n -e1eid p",
    "sed -zne 1eid p",
    "sed --expr=1eid p",
    "sort --comp=id a",
    "vim '+!id' f",
    "view +!id f",
    "less '+!id' f",
    "emacs -Q --ev x",
    "make -f /dev/stdin",
    "make -f- all",
    "make --file=- all",
    "make --makefile=/dev/stdin",
    "script -qc id /dev/null",
    "perl -we x",
    "perl '-MPOSIX;system(id)' x.pl",
    "python3 -v",
    "python3 -W ignore",
    "python3 - --version",
    "python3 /proc/self/fd/0",
    "python3 <<< x",
    "node --import 'data:text/javascript,x' a.js",
    "mapfile -C 'id; :' -c 1 a",
    "readarray -c1 -C id a",
    "alias ls=id",
    "hash -p /bin/rm ls",
    "compgen -C id",
    "compgen -W '$(id)'",
    "enable -f ./x.so ls",
    "exec 3<>/dev/tcp/h/1",
    "exec 3<>/dev/udp/h/1",
    "wget -e use_askpass=./x http://h",
];

/// Each of these writes over a file that was there before.
const OVERWRITES: &[&str] = &[
    "sed --in s/a/b/ old",
    "sed -n --i s/a/b/ old",
    "sort --o=old a",
    "sort -oold a",
    "sort -uo old a",
    "curl -sSoold http://h",
    "curl --output=old http://h",
    "git reflog -p --output=old",
    "git stash show -p --output=old",
    "git stash list -p --output=old",
    "/usr/bin/time -o old ls",
    "cp --update=all a old",
    "cp -Sn a old",
    "cp -t dir old",
];

/// What only reads, and is still called so.
const READS: &[&str] = &[
    "sed -n 1,5p f",
    "sed -ne 1,5p f",
    "sed -E 's/a/b/' f",
    "sed -e p -e d f",
    "git -c core.pager=cat log",
    "git -c color.ui=never status",
    "git reflog",
    "git stash list",
    "ls | xargs --replace cat {}",
    "sort -u a",
];

#[test]
fn odd_spellings_of_a_deletion_are_asked_about_in_every_posture() {
    let mut missed = Vec::new();
    for line in DELETES {
        for posture in [Posture::Ask, Posture::Auto, Posture::Yolo] {
            let found = verdict(line, posture);
            if !matches!(found, Verdict::Ask(By::Danger(_))) || analyse(line).read_only == ReadOnly::Yes {
                missed.push(format!("{line:?} {posture:?}: {found:?}"));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn odd_ways_to_run_code_are_covered_by_no_rule() {
    let missed: Vec<_> = CODE
        .iter()
        .filter(|line| {
            matches!(verdict(line, Posture::Ask), Verdict::Allow(_)) || analyse(line).read_only == ReadOnly::Yes
        })
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn odd_ways_to_write_are_no_reading() {
    let missed: Vec<_> = OVERWRITES.iter().filter(|line| analyse(line).read_only == ReadOnly::Yes).collect();
    assert!(missed.is_empty(), "{missed:#?}");
    // Onto what was there before is dangerous; changing a file in place is an edit, and what git writes is not worked out.
    for line in OVERWRITES.iter().filter(|line| !line.starts_with("git ")) {
        let effects = analyse(line);
        assert!(effects.hidden.is_some() || !effects.writes.is_empty(), "{line:?}");
        let dangerous = matches!(verdict(line, Posture::Yolo), Verdict::Ask(By::Danger(_)));
        assert!(dangerous || line.starts_with("sed "), "{line:?}");
    }
}

#[test]
fn what_only_reads_is_still_known() {
    let missed: Vec<_> = READS.iter().filter(|line| analyse(line).read_only != ReadOnly::Yes).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}
