//! Families of lines that were once taken for something else than what a shell makes of them. None is ever run. The first
//! lines of each table are the ones that were seen; the others are of the same kind.

use crate::property;
#[path = "families/tables.rs"]
mod tables;

use property::World;
use reasonix_policy::{
    By, Case, Circumstances, Fallback, NoFacts, Posture, Rule, Rules, Verdict, analyse, dangers, evaluate, judge,
};
use reasonix_proto::{Action, Family, ReadOnly};
use tables::{Expect, FAMILIES};

fn own(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// Who is there, and what holds a reader.
#[derive(Clone, Copy)]
struct Setting {
    attended: bool,
    held: bool,
}

const CHAT: Setting = Setting { attended: true, held: true };
const RUN: Setting = Setting { attended: false, held: true };
const UNHELD: Setting = Setting { attended: true, held: false };

fn verdict(rules: &Rules, granted: &[&str], approved: &[&str], setting: Setting, line: &str) -> Verdict {
    let parse = |texts: &[&str]| texts.iter().map(|text| Rule::parse(text).unwrap()).collect::<Vec<_>>();
    let effects = analyse(line);
    let action = Action { family: Family::Bash, subjects: vec![line.to_owned()], read_only: effects.read_only };
    let about = Circumstances {
        granted: &parse(granted),
        approved: &parse(approved),
        dangerous: &[],
        posture: Posture::Ask,
        attended: setting.attended,
        held: setting.held,
        facts: &World,
    };
    judge(rules, &about, &Case::with("bash", &action, vec![effects]))
}

fn rules(deny: &[&str], allow: &[&str], mode: Fallback) -> Rules {
    Rules::parse(&own(deny), &[], &own(allow), mode).unwrap()
}

fn is_allowed(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Allow(_))
}

/// Fails with every line for which the test does not hold, not only with the first.
fn all(lines: &[&str], holds: impl Fn(&str) -> bool) {
    let missed: Vec<&&str> = lines.iter().filter(|line| !holds(line)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Lines that run a program though they look like reading.
#[rustfmt::skip]
const NOT_READERS: &[&str] = &[
    // Words behind a redirection.
    "echo 2>/dev/null $(rm -rf src)", "ls 2>/dev/null $(rm -rf src)", "echo >/dev/null `touch x`", "cat </dev/null <(touch x)",
    "wc <<E $(touch x)\nE", "echo 2>&1 \"$(touch x)\"", "head 2>/dev/null a $(touch x) b", "echo 2>/dev/null \"${y:-$(touch x)}\"",
    "ls 2>/dev/null >/dev/null $(touch x)", "echo a >/dev/null 2>&1 $(touch x)", "grep x 2>/dev/null y >(touch x)", "pwd 2>/dev/null `touch x` | cat",
    // Braces.
    "find . {-delete,-print}", "find . -maxdepth 0 {-exec,sh,-c,'rm -rf src',\\;}", "sort a.txt {-o,b.txt}", "git log {--output=f,}", "uniq {a.txt,b.txt}",
    "find . -{delete,print}", "find . -d{elete,epth}", "sort {-ob,a}", "sort -{o,u} b a", "git diff --out{put=f,put=g}", "git {log,--output=f}", "sed {-i,s/a/b/} f",
    "sed -{n,i} p f", "rg --pre{=,=./e.sh} x", "yq -{i,y} .a f", "tree {-o,f}", "xxd {a,b}", "find {.,-delete}", "find . {-name,x,-delete}", "date {-s,x}",
    "fd {-x,touch}", "find . {-fprint,f}", "sort {--compress-program=./x,a}", "awk {-f,x.awk}", "git grep {-Ox,y}", "find . -exe{c,cdir} touch {} +", "uniq a{,.b}",
    "git branch {-D,x}", "sort a{,b} -{o,r} c", "find . {{-delete,-ls},-print}",
    // Line ends that a shell takes away first.
    "echo \"$\\\n(touch pwned)\"", "cat <<E\n$\\\n(touch pwned)\nE", "[ -n \"$\\\n(touch pwned)\" ]", "cat <<< \"$\\\n(touch x)\"", "echo $\\\n(touch x)",
    "echo \"a$\\\n{y:-$(touch x)}\"", "echo 'a' \"$\\\n(touch x)\"", "echo a#b \"$\\\n(touch x)\"", "echo <\\\n(touch x)", "ls \"`\\\ntouch x`\"", "find . -del\\\nete",
    "sort -\\\no f a", "git log --out\\\nput=f", "cat <<'A' <<B\nA\n$\\\n(touch x)\nB", "echo \"$\\\n\\\n(touch x)\"",
    // Process substitutions that the tree does not show.
    "echo ${x:-<(touch pwned)}", "[[ a =~ <(touch pwned) ]]", "echo ${x/a/<(touch pwned)}", "echo ${x:=>(touch x)}", "echo ${x+<(touch x)}", "echo ${x#<(touch x)}",
    "echo ${x//<(touch x)/}", "[[ a == <(touch x) ]]", "[[ a =~ x<(touch x) ]]", "echo ${x:-a<(touch x)b}", "case <(touch x) in a) ;; esac", "echo $(echo ${x:-<(touch x)})",
    "echo \"$(echo ${x:-<(touch x)})\"", "for i in ${x:-<(touch x)}; do :; done", "echo ${x:?<(touch x)}", "[[ <(touch x) =~ a ]]",
    // Single quotes that quote nothing.
    "echo \"${x:-'$(touch pwned)'}\"", "echo \"${x:+'`touch x`'}\"", "echo \"${x:-a'$(touch x)'b}\"", "cat <<E\n${x:-'$(touch x)'}\nE", "echo \"${x:='$(touch x)'}\"",
    "echo \"a ${x:-'b ${y:-$(touch x)}'}\"", "[ -n \"${x:-'$(touch x)'}\" ]", "echo \"${x:-'$(touch x)'}\" >/dev/null", "cat <<< \"${x:-'$(touch x)'}\"",
    "echo \"${x:?'$(touch x)'}\"", "echo \"${x-'$(touch x)'}\"",
    // Arithmetic, subscripts and names that evaluate text.
    "echo $(('$(touch pwned)'))", "echo ${x['$(touch pwned)']}", "[ -v $'x[\\x24(touch pwned)]' ]", "a='x[$(touch pwned)]'; echo ${!a}", "b='y[$(touch pwned)]'; a=abc; echo ${a:b}",
    "x=(1); a='x[$(touch pwned)]'; unset \"$a\"", "a='x[$(touch x)]'; [ -v \"$a\" ]", "a='x[$(touch x)]'; [[ -v $a ]]", "a='x[$(touch x)]'; test -v \"$a\"", "a='x[`touch x`]'; echo $((a))",
    "a='x[$(touch x)]'; echo $[a]", "a='x[$(touch x)]'; (( a ))", "a='x[$(touch x)]'; let a", "a='x[$(touch x)]'; echo ${y[a]}", "a='x[$(touch x)]'; echo ${y:0:a}",
    "read a < f; echo $((a))", "echo $(( x['$(touch x)'] ))", "(( '$(touch x)' ))", "echo $['$(touch x)']", "for ((i='$(touch x)';i<1;i++)); do :; done", "a='x[$(touch x)]'; [[ $a -eq 1 ]]",
    "a='x[$(touch x)]'; printf -v \"$a\" y", "a='x[$(touch x)]'; read \"$a\" < f", "echo ${x[@]@P}", "cat <<E\n${x@P}\nE", "a='x[$(touch x)]'; echo ${y:a}", "echo ${!x}",
    "a='x[$(touch x)]'; echo \"${y:$a}\"", "printf -v 'a[`touch x`]' y", "mapfile a < f; echo $((a))", "declare -n a='x[$(touch x)]'; echo $a",
    // Scripts of sed and awk.
    "echo 'touch pwned #/' | sed 's/[/]/p;s/e;#/x/'", "sed 's/[/]/w f/' a", "sed '/[/]/w f' a", "sed 's/[]/]/e/' a", "sed 's/[[:alpha:]/]/e x/' a", "sed 's,[,],w f,' a", "sed -n '/a[/]/e'",
    "sed 's/[^/]/x/w f'", "sed '\\,[,],w f' a", "sed 's/a/b/;s/[/]/c/e'", "awk 'BEGIN{ARGV[ARGC++]=\"/etc/hostname\"}{print}'", "awk 'BEGIN{SYMTAB[\"AR\" \"GV\"][1]=\"x\"}'", "awk 'BEGIN{ARGV[1]=\"/etc/hostname\"}{print}' a", "awk '@include \"x\"'",
    // Patterns that may become options.
    "sed -n 5p *", "sort *", "find *", "git diff *", "sort ?o*", "sort [-]*", "find */", "uniq *", "xxd *", "git log *", "sed -n p -*", "rg x *", "date *", "sort -*", "find [a-z]* -name x",
    "sort a *", "git show *", "tree *", "awk *", "sed *", "fd *", "yq . *", "file -*", "env *", "hostname *", "git branch *", "sort ?", "find ?", "diff3 *", "sed -e p ?",
    // Options of readers that write.
    "yq --in-place -y .a=2 a.yml", "yq --split-exp .a f", "yq -s .a f", "yq --inplace .a f", "yq --inpl .a f", "tree -R -H . -L 1", "tree -aR -L 1", "tree -o f", "hostname --file=x", "hostname -F x", "hostname x",
    "date 010100002020", "date -s now", "date --set=now", "date -u 01010000", "uniq a b", "uniq -c a b", "uniq -f 1 a b", "xxd a b", "xxd a -i", "xxd -r a", "xxd -ps a b", "xxd -r -p a", "rg --pre=./e x", "rg --hostname-bin=./x --hyperlink-format=y z",
    "sort -o f a", "sort --output=f a", "find . -fprintf f x", "git log --output=f", "git diff --output f", "git show --ext-diff", "git cat-file --textconv HEAD:a", "git cat-file --filters HEAD:a", "file -C -m x", "printf -v x y", "nice printf -v x", "nice printf %n x", "timeout 5 printf -v x y", "printf 'x%n' PATH; ls", "printf '% 5n' PATH", "bash -c 'printf x%n PATH; ls'",
    "base64 -o f a", "git stash show -p --output=f", "git tag x", "git branch x", "git remote add a b", "git config a b", "git worktree add x", "git --version x",
];

#[test]
fn what_only_looks_like_reading_is_no_reading() {
    all(NOT_READERS, |line| analyse(line).read_only != ReadOnly::Yes);
    let closed = rules(&[], &[], Fallback::Deny);
    for setting in [CHAT, RUN, UNHELD] {
        all(NOT_READERS, |line| !is_allowed(&verdict(&closed, &[], &[], setting, line)));
    }
}

#[test]
fn what_only_looks_like_reading_is_covered_by_no_pattern() {
    let patterns = [
        "Bash(echo:*)",
        "Bash(ls:*)",
        "Bash(cat:*)",
        "Bash(find:*)",
        "Bash(sort:*)",
        "Bash(git:*)",
        "Bash(sed:*)",
        "Bash(uniq:*)",
        "Bash(awk:*)",
        "Bash(rg:*)",
    ];
    let open = rules(&[], &patterns, Fallback::Ask);
    let shapes: Vec<&str> = NOT_READERS
        .iter()
        .copied()
        .filter(|line| line.contains(['$', '`', '{', '(', '\\']) || line.contains(" *"))
        .collect();
    assert!(shapes.len() > 120);
    all(&shapes, |line| !is_allowed(&verdict(&open, &[], &[], CHAT, line)));
}

/// Lines that do harm behind an ordinary spelling.
#[rustfmt::skip]
const DESTROY: &[&str] = &[
    "bash -euo pipefail -c 'rm -rf src'", "bash -co pipefail 'rm -rf src'", "bash -eo pipefail -c 'rm -rf src'", "bash -xo pipefail -c 'rm x'", "bash +eo pipefail -c 'rm x'", "bash -ceuo pipefail 'rm x'",
    "bash -oo pipefail posix -c 'rm x'", "bash -O extglob -c 'rm x'", "bash -cO extglob 'rm x'", "sh -euc 'rm x'", "zsh -o errexit -c 'rm x'", "bash -lo pipefail -ec 'rm x'", "bash --norc -euo pipefail -c 'rm x'",
    "dash -eo vi -c 'rm x'", "bash -uo nounset +O extglob -c 'rm x'", "bash --rcfile f -c 'rm x'",
    "timeout {5,rm,-rf,src}", "ld.so /bin/rm -rf src", "/lib/ld-linux-aarch64.so.1 /bin/rm x", "/lib/ld-musl-x86_64.so.1 rm x", "setarch x86_64 rm -rf src", "setarch -R rm x", "linux64 rm x", "linux32 -R rm x", "prlimit rm -rf src",
    "prlimit --nofile=10 rm x", "ssh-agent rm -rf src", "choom -n 5 -- rm x", "unbuffer rm x", "valgrind --tool=none rm x", "perf stat rm x", "perf record -o f -- rm x", "rr record rm x", "heaptrack rm x", "dbus-run-session -- rm x",
    "start-stop-daemon --start --exec /bin/rm -- x", "capsh -- -c 'rm x'", "runcon a rm x", "bwrap --bind / / rm x", "firejail --quiet rm x", "watchexec rm x", "watchexec 'rm x'", "direnv exec . rm x", "ip netns exec a rm x",
    "rustup run stable rm x", "uv run rm x", "uv run --with y rm x", "poetry run rm x", "pipenv run rm x", "conda run -n a rm x", "yarn exec rm x", "pnpm exec rm x", "bundle exec rm x", "composer exec rm x", "nix-shell --run 'rm x'",
    "npm exec -- rm x", "npm exec -c 'rm x'", "npx rm x", "docker run a rm x", "kubectl exec p -- rm x", "hyperfine 'rm x'", "numactl -N 0 rm x", "faketime x rm y", "dumb-init rm x", "tini -- rm x", "mise exec -- rm x", "pdm run rm x",
    "shopt -s expand_aliases; alias x='rm -rf src'\nx", "alias x='rm -rf src'", "BASH_ALIASES[x]='rm -rf src'", "git -c alias.x='!rm -rf src' x", "git -c Alias.x='!rm x' x", "git {reset,--hard}", "git branch {-D,x}", "git push {--force,origin,main}",
    "git stash {drop,}", "docker system {prune,-f}", "nice {rm,x}", "env {rm,-rf,x}", "{git,reset,--hard}", "git re{set,x} --hard", "git clean -{f,d}", "xargs {rm,-f}", "rm{,} x", "echo {a,b}; {rm,x}",
    "git clean -fdn --no-dry-run", "git rm -f --cached --no-cached a.txt", "git push -f -n --no-dry-run", "npm publish --dry-run --no-dry-run", "kubectl delete pod x --dry-run=client --dry-run=none", "rsync -a --delete --log-file -n a/ b/",
    "git clean -fd --dry-run --no-dry", "git restore --staged --no-staged x", "cargo publish --dry-run --no-dry-run", "npm publish --tag --dry-run", "rsync -a --delete --exclude -n a b", "rsync -a --delete -f -n a b", "git clean -fd -e -n",
    "npm publish --dry-run=false", "kubectl delete pod x --dry-run --dry-run=none", "git push --force --push-option -n", "git rm --cached --no-cach x", "git push --force --repo -n",
    "echo 'rm x' | at now", "at now <<< 'rm x'", "echo 'rm x' | batch", "echo 'rm x' | parallel", "echo 'rm x' | unshare", "echo 'rm x' | unshare -r", "echo 'rm x' | chroot .", "echo 'rm x' | nix-shell", "echo 'rm x' | nix-shell -p y", "echo 'rm x' | fakeroot",
    "hub push --force", "git send-pack --force origin main",
    "ls 2>/dev/null $(rm -rf src)", "echo ${x:-<(rm -rf src)}", "echo \"${x:-'$(rm -rf src)'}\"", "echo $(('$(rm x)'))", "for f in a; do rm $f; done", "echo \"$\\\n(rm x)\"",
];

#[test]
fn ordinary_spellings_of_harm_are_dangerous() {
    all(DESTROY, |line| !dangers(&analyse(line), line, &World, &[]).is_empty());
    let open = rules(&[], &["Bash"], Fallback::Allow);
    all(DESTROY, |line| matches!(verdict(&open, &[], &[], CHAT, line), Verdict::Ask(By::Danger(_))));
    all(DESTROY, |line| !is_allowed(&verdict(&open, &[], &[], RUN, line)));
}

#[test]
fn a_rule_that_denies_finds_what_hides_from_it() {
    let closed = rules(&["Bash(rm:*)"], &["Bash"], Fallback::Allow);
    let lines: Vec<&str> =
        DESTROY.iter().copied().filter(|line| line.contains("rm ") || line.contains("rm,")).collect();
    assert!(lines.len() > 70);
    all(&lines, |line| matches!(verdict(&closed, &[], &[], RUN, line), Verdict::Deny(_) | Verdict::Ask(By::Danger(_))));
    let closed = rules(&["Bash(curl:*)", "Bash(git push:*)"], &["Bash"], Fallback::Allow);
    #[rustfmt::skip]
    let others = [
        "setarch x86_64 curl http://h", "prlimit curl http://h", "uv run curl http://h", "perf stat curl http://h", "for i in 1 2; do curl http://h/$i; done", "x=$(curl http://h)", "echo \"${x:-'$(curl http://h)'}\"", "git $x", "git \"$x\" origin",
        "git p{ush,ull}", "git {push,origin}", "git -C . $x", "if true; then git push; fi", "cu\\\nrl http://h > f", "git $(echo push)", "bash -euo pipefail -c 'git push'", "git -c alias.x='!git push' x", "alias x='git push'", "nix-shell --run 'curl h'",
        "eval 'git push'", "git pu$x", "git $'pu\\x73h'", "f() { git push; }; f", "(git push)", "{ git push; }", "time git push", "! git push", "git push &", "command git push", "xargs -I{} git push {}", "A=1 git push",
        "echo push origin HEAD:x | xargs git", "echo push | xargs -n 1 git", "echo push | xargs git -C .", "echo push | xargs -I{} git {} origin", "git p?sh origin", "git pus[h]", "git -C . pus[h]", "echo push | parallel git", "parallel git ::: push",
        "hub git push", "hub push", "git send-pack origin main", "git -C . send-pack origin",
    ];
    for line in others {
        assert!(!is_allowed(&verdict(&closed, &[], &[], RUN, line)), "{line:?}");
        assert!(!is_allowed(&verdict(&closed, &[], &[], CHAT, line)), "{line:?}");
    }
    // A line that nothing forbidden could be in runs as before, and so does what a kernel holds to reading.
    for line in [
        "for i in 1 2; do make \"$i\"; done",
        "git commit -m \"$x\"",
        "echo \"$x\" > new",
        "ls | xargs git add",
        "git add src/*.rs",
        "ls | xargs make",
    ] {
        assert!(is_allowed(&verdict(&closed, &[], &[], RUN, line)), "{line:?}");
    }
    assert!(is_allowed(&verdict(&closed, &[], &[], CHAT, "for i in git push; do echo \"$i\"; done")));
    let line = "for i in 1 2; do echo \"git push $i\" >> log; done";
    assert!(matches!(verdict(&closed, &[], &[], CHAT, line), Verdict::Ask(By::Rule(_))));
    assert!(is_allowed(&verdict(&closed, &[&format!("Bash({line})")], &[], CHAT, line)), "the very line was granted");
}

#[test]
fn what_runs_inside_of_words_is_named() {
    for line in
        ["echo 2>/dev/null $(rm -rf src)", "ls >/dev/null a `rm x`", "cat <<E $(rm x)\nE", "find . {-exec,rm,x,\\;}"]
    {
        let effects = analyse(line);
        let named = effects.commands.iter().any(|simple| simple.program() == "rm");
        assert!(effects.hidden.is_none() && named, "{line:?}: {effects:?}");
    }
    // What a variable holds that was read from somewhere may be code to arithmetic.
    assert!(analyse("read a < f; echo $((a))").interprets);
}

#[test]
fn a_dangerous_word_where_a_command_could_stand_is_dangerous_unless_the_line_is_understood() {
    for line in
        ["echo \"$x; rm y\"", "echo \"$x\" 'a && git push --force'", "for i in 'a; mv x y'; do echo \"$i\"; done"]
    {
        let found = dangers(&analyse(line), line, &World, &[]);
        assert!(found.iter().any(|danger| danger.hidden), "{line:?}: {found:?}");
    }
    for line in ["echo 'x; rm y'", "grep 'a && git push --force' f", "git commit -m 'a; mv x y'", "echo \"$x\" rm y"] {
        assert!(dangers(&analyse(line), line, &World, &[]).is_empty(), "{line:?}");
    }
}

#[test]
fn what_was_approved_covers_understood_lines_and_the_very_line() {
    let none = rules(&[], &[], Fallback::Ask);
    assert!(is_allowed(&verdict(&none, &[], &["Bash(rm:*)"], RUN, "rm build && ls")));
    for line in [
        "for i in 1; do rm build; done",
        "(rm build)",
        "rm build; echo \"$x\"",
        "if true; then rm build; fi",
        "rm build &",
    ] {
        assert!(!is_allowed(&verdict(&none, &[], &["Bash(rm:*)"], RUN, line)), "{line:?}");
    }
    let line = "rm build; echo \"$x\"";
    assert!(is_allowed(&verdict(&none, &[], &["Bash(rm:*)", &format!("Bash({line})")], RUN, line)));
}

#[test]
fn what_is_harmless_is_not_dangerous() {
    #[rustfmt::skip]
    let lines = [
        "grep pattern\\\nfile", "echo \"${x@Q}\"", "sort -- -o f", "echo \"${x@U}\" \"${x@a}\"", "grep rm file", "for f in *.rs; do wc -l \"$f\"; done", "npm init -y", "for d in a b; do (cd \"$d\" && npm init -y); done", "echo \"rm $x\"",
        "cat > s.sh <<'EOF'\nrm -rf build\nmv a b\nEOF", "cat > s.sh <<EOF\nrm -rf build\nEOF", "git commit -m \"$(cat <<'EOF'\nrm the old parser\nEOF\n)\"", "for f in a; do :; done # rm it", "git checkout \"$branch\"", "docker run --rm \"$image\" ls",
        "git clean -nfd", "git clean -fdn", "cargo publish --dry-run", "npm publish --dry-run", "kubectl delete pod x --dry-run=client", "git push --force -n", "rsync -an --delete a b", "rsync -a --delete -n a b", "git rm --cached x", "mkdir -p \"$x\"/{a,b}",
        "echo {a,b}", "touch f{1..3}", "uv run pytest -q", "poetry run pytest -k x", "npx jest", "perf stat cargo bench", "seq 3 | while read i; do echo $i; done", "find . -name '*.rs' -exec wc -l {} +", "cargo test \\\n  --all",
        "if [ -f x ]; then echo format; fi", "echo \"${x:-perform}\"", "for f in a; do prettier --check \"$f\"; done",
    ];
    all(&lines, |line| dangers(&analyse(line), line, &World, &[]).is_empty());
}

#[test]
fn safe_lines_run_unasked() {
    #[rustfmt::skip]
    let lines = [
        "git --version", "git remote get-url origin", "git remote -v", "base64 a", "base64 -d a", "pgrep node", "pgrep -fl node", "ls", "ls -la src", "cat a b", "head -5 a", "tail -n 20 a", "wc -l src/*.rs", "grep -rn 'fn main' --include='*.rs' . | head -20",
        "git status", "git status --short", "git log --oneline -5", "git diff HEAD~1 --stat", "git show HEAD", "git branch", "git branch -a", "git rev-parse --abbrev-ref HEAD", "git ls-files", "git blame -L 1,5 a", "find . -name '*.rs' -type f", "find src -maxdepth 2",
        "sed -n 1,5p f", "awk '{print $1}' f", "sort -u a", "uniq -c a", "date +%s", "date -u +%Y", "date -d yesterday +%F", "hostname", "xxd -l 16 a", "jq -r .a f.json", "git tag -l 'v*'", "git stash list", "git config --get user.name",
        "echo a && echo b", "ls | wc -l", "test -f a && cat a", "pwd; ls", "cut -d: -f1 a", "tr a b", "diff -u a b", "stat a", "file a", "du -sh src", "rg -n foo src", "tree -L 2", "command -v git", "timeout 5 ls", "bash -c 'ls | wc'", "cat a 2>/dev/null", "wc -l < a", "ps aux", "ps -ef", "ps auxww", "ps -eo pid,comm", "ps axo pid,comm", "ps -p 1 -o comm=", "ps aux --sort=-%mem", "diff a.txt sub/b.txt",
        "git grep -n foo", "git log --author=x --since=yesterday", "! grep -q x a", "git diff --cached --name-only", "git describe --tags --always", "which -a ls", "env", "id -u", "uname -a", "md5sum a",
    ];
    let closed = rules(&[], &[], Fallback::Deny);
    all(&lines, |line| is_allowed(&verdict(&closed, &[], &[], CHAT, line)));
    all(&lines, |line| is_allowed(&verdict(&closed, &[], &[], UNHELD, line)));
}

#[test]
fn what_nothing_holds_is_read_narrowly() {
    // Readers by the wide reading, and held to it; without a hold they are asked about.
    #[rustfmt::skip]
    let wide = [
        "for f in *.rs; do wc -l \"$f\"; done", "echo $HOME", "ls *", "cat *", "ls $(pwd)", "if [ -f x ]; then cat x; fi", "echo \"${x@Q}\"", "(cd sub; ls)", "cat <<E\nx\nE", "ls ~", "wc -l {a,b}.rs", "grep x <<< y", "git -C sub status", "cd sub && git status",
        "git --git-dir=x status", "ls --hyperlin", "grep --colou x", "ls -la # all", "echo a\\ b", "type ls &", "ls & wait", "du -s --weird", "ps -weird9", "cat -Z a", "stat --weird a", "head --weird", "git log --show-signature", "git log '--format=%G?'", "xargs cat < f",
        // Which program that is a file of the project says.
        "cargo --version", "rustc -V", "node --version", "npm --version", "yarn --version", "python3 --version", "pip --version", "ruby --version", "java --version", "go version", "deno --version", "uv --version", "tsc --version",
        "time ls", "diff dir1 dir2", "diff a dir", "diff a/* b", "ls && diff -u dir1 b", "cd sub; diff a b", "ps auxwwe", "ps e", "ps eww 1", "ps -auxe", "ps -e -ux", "ps -o pid,environ",
    ];
    let closed = rules(&[], &[], Fallback::Deny);
    all(&wide, |line| is_allowed(&verdict(&closed, &[], &[], CHAT, line)));
    all(&wide, |line| !is_allowed(&verdict(&closed, &[], &[], UNHELD, line)));
    assert!(analyse("git status").runs_git() && !analyse("ls").runs_git());
}

fn bash(line: &str) -> Action {
    Action { family: Family::Bash, subjects: vec![line.to_owned()], read_only: ReadOnly::Unknown }
}

/// What runs other programs by an option is suspected where a rule forbids one of its words, and words of a rule are found
/// behind options of the program.
#[test]
fn a_denied_command_is_found_in_what_others_run_and_behind_options() {
    let rules = Rules::parse(
        &["Bash(rm:*)".into(), "Bash(git push:*)".into(), "Bash(kubectl apply:*)".into()],
        &[],
        &[],
        Fallback::Allow,
    )
    .unwrap();
    for line in [
        "git -c core.fsmonitor='rm -rf src' status",
        "git difftool -y -x 'rm -rf src'",
        "git grep -O'rm -rf src' b",
        "vim -es -c '!rm -rf src' -c q",
        "python3 -c \"import subprocess; subprocess.run(['rm','-rf','src'])\"",
        "git -c alias.p=push p origin main",
        "git --no-replace-objects push origin main",
        "git --no-advice push origin main",
        "git --namespace x push",
        "/usr/lib/git-core/git-push origin main",
        "kubectl -n prod apply -f x.yml",
        "kubectl --context=a -n b apply -f x.yml",
    ] {
        let action = bash(line);
        let case = Case::new("bash", &action);
        let about = Circumstances {
            granted: &[],
            approved: &[],
            dangerous: &[],
            posture: Posture::Ask,
            attended: false,
            held: false,
            facts: &NoFacts,
        };
        assert!(matches!(judge(&rules, &about, &case), Verdict::Deny(_)), "{line}");
    }
    for line in ["git commit -m push", "git log push", "git status", "kubectl get pods apply", "grep rm a.txt"] {
        let action = bash(line);
        assert!(!matches!(evaluate(&rules, &[], Posture::Ask, "bash", &action), Verdict::Deny(_)), "{line}");
    }
}

/// Where nothing holds it, a wrapper is given nothing but what it wraps.
#[test]
fn wrappers_with_options_of_their_own_are_no_sure_readers() {
    for line in [
        "bash --rcfile x.sh -ic ls",
        "bash --init-file a.txt -ic true",
        "bash -ic ls",
        "sh -ic ls",
        "bash -lc ls",
        "bash --login -c ls",
        "stdbuf --preload=x ls",
        "nice --foo ls",
        "nice -x ls",
        "timeout -k 5 5 ls",
    ] {
        assert!(!analyse(line).reads_surely(), "{line}");
    }
    for line in ["bash -c ls", "timeout 5 ls", "nice ls"] {
        assert!(analyse(line).reads_surely(), "{line}");
    }
}

/// Excuses that belong to another option, and paths that git takes by other ways, are dangerous all the same.
#[test]
fn what_only_looks_like_help_or_a_branch_is_dangerous() {
    for line in [
        "mv docs/a src/b -S --help",
        "mv -S --help docs/a src/b",
        "mv docs/a -t --help",
        "rm -rf src --help",
        "chmod 000 a --version",
        "git checkout --pathspec-from-file=list",
        "git checkout ':(top)a.txt'",
        "git checkout ':!src'",
        "git checkout ':/docs'",
    ] {
        assert!(!dangers(&analyse(line), line, &NoFacts, &[]).is_empty(), "{line}");
    }
    for line in ["rm --help", "mv --version", "git checkout -b x"] {
        assert!(dangers(&analyse(line), line, &NoFacts, &[]).is_empty(), "{line}");
    }
}

/// Whatever stands in a variable of make may be run by it, or by a recipe.
#[test]
fn variables_of_make_that_may_be_commands_are_covered_by_no_rule() {
    let rules = Rules::parse(&[], &[], &["Bash(make test:*)".into()], Fallback::Deny).unwrap();
    for line in [
        "make test 'x!=touch pwned'",
        "make test PY='touch pwned;'",
        "make test CC='rm -rf src'",
        "make test A='$(shell id)'",
    ] {
        assert!(matches!(evaluate(&rules, &[], Posture::Ask, "bash", &bash(line)), Verdict::Deny(_)), "{line}");
    }
    for line in ["make test", "make test V=1", "make test PREFIX=/usr/local -j4"] {
        assert!(matches!(evaluate(&rules, &[], Posture::Ask, "bash", &bash(line)), Verdict::Allow(_)), "{line}");
    }
}

/// What a pattern finds may be a link: a way through it is not inside, whatever stands before the pattern.
#[test]
fn a_pattern_that_goes_on_is_not_inside() {
    for line in ["rm -r s*/../../x", "rm ./*/x", "rm -r l*/x", "mv l*/x y", "chmod 000 ./d?/x"] {
        let found = dangers(&analyse(line), line, &World, &[]);
        assert!(!found.is_empty() && found.iter().all(|danger| !danger.inside), "{line}: {found:?}");
    }
    let found = dangers(&analyse("rm src/*.o"), "rm src/*.o", &World, &[]);
    assert!(found.iter().all(|danger| danger.inside), "{found:?}");
}

/// What comes of a line, held against what must.
fn holds(expect: Expect, line: &str) -> bool {
    let effects = analyse(line);
    let closed = rules(&[], &[], Fallback::Deny);
    let denied = rules(&["Bash(rm:*)", "Bash(curl:*)", "Bash(git push:*)"], &["Bash"], Fallback::Allow);
    let speaks = |rule: &str| {
        let rule = Rule::parse(rule).unwrap();
        effects.changes().iter().any(|change| rule.speaks_of_change(&change.path, change.whole))
    };
    match expect {
        Expect::Unread => {
            let runs = |setting| is_allowed(&verdict(&closed, &[], &[], setting, line));
            effects.read_only != ReadOnly::Yes && !runs(CHAT) && !runs(RUN) && !runs(UNHELD)
        }
        Expect::Danger => !dangers(&effects, line, &World, &[]).is_empty(),
        Expect::Denied => {
            [CHAT, RUN, UNHELD].iter().all(|setting| !is_allowed(&verdict(&denied, &[], &[], *setting, line)))
        }
        Expect::Unsure => !effects.reads_surely() && !is_allowed(&verdict(&closed, &[], &[], UNHELD, line)),
        Expect::Changes => speaks("Edit(docs/**)"),
        Expect::Reads => effects.paths().any(|(path, _)| path.trim_start_matches("./").starts_with("secrets")),
    }
}

#[test]
fn every_family_holds_for_lines_of_other_people() {
    let mut missed = Vec::new();
    for family in FAMILIES {
        assert!(family.lines.len() >= 30, "{}: {}", family.why, family.lines.len());
        let lost = family.lines.iter().filter(|line| !holds(family.expect, line));
        missed.extend(lost.map(|line| format!("{:?} {line:?}: {}", family.expect, family.why)));
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

/// What the words of a rule are to programs of which it is known that they run none.
#[test]
fn words_that_are_only_words_are_not_suspected() {
    let denied = rules(&["Bash(rm:*)", "Bash(curl:*)", "Bash(git push:*)", "Bash(node:*)"], &["Bash"], Fallback::Allow);
    #[rustfmt::skip]
    let lines = [
        "echo rm", "echo curl http://h", "grep rm file", "grep -rn curl src", "rg 'git push' docs", "git commit -m rm", "git commit -m \"rm the parser\"", "git commit -am 'curl: fix'", "git log --grep rm", "git add rm", "git checkout -b rm", "git branch curl", "cat rm", "ls curl", "touch rm", "mkdir node", "cp rm b", "wc -l curl", "find . -name rm", "find . -name curl -type f",
        "npm install node", "npm view curl", "npm ls node", "pip install curl", "pip show rm", "cargo test rm", "cargo test -p x curl", "cargo add curl", "cargo build -p node", "go test -run rm ./...", "go get curl", "make rm", "make node", "just curl", "apt list curl", "apt-cache show node", "docker build -t node .", "docker logs curl", "docker pull node", "kubectl get node", "kubectl describe node x", "kubectl logs curl", "gh pr view rm",
        "python3 -m pytest -k rm", "pytest -k curl", "pytest tests/rm", "ruff check rm", "mypy rm", "jest rm", "eslint curl", "tsc -p node", "which rm", "which curl node", "type rm", "man rm", "test -d node", "[ -f rm ]", "printf '%s' rm", "sed -n /rm/p f", "awk '/rm/' f", "jq .rm f", "sort rm", "tar xf node", "chmod +x ours.rm", "git stash push -m rm", "mvn test -Dtest=rm", "dotnet test --filter rm", "terraform plan -target node", "du -sh node",
    ];
    all(&lines, |line| is_allowed(&verdict(&denied, &[], &[], RUN, line)));
}
