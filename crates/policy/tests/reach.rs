//! How far rules that allow reach: never to code, to another program, or to a file, unless they name that very form.

use crate::property;

use property::World;
use reasonix_policy::{Case, Circumstances, Fallback, Posture, Rule, Rules, Verdict, analyse, judge};
use reasonix_proto::{Action, Family};

/// Whether these rules let a line run.
pub(crate) fn allows(rules: &[&str], line: &str) -> bool {
    let own: Vec<String> = rules.iter().map(|text| (*text).to_owned()).collect();
    let rules = Rules::parse(&[], &[], &own, Fallback::Ask).unwrap();
    let effects = analyse(line);
    let action = Action { family: Family::Bash, subjects: vec![line.to_owned()], read_only: effects.read_only };
    let about = Circumstances {
        granted: &[],
        approved: &[],
        dangerous: &[],
        posture: Posture::Ask,
        attended: true,
        held: false,
        facts: &World,
    };
    matches!(judge(&rules, &about, &Case::with("bash", &action, vec![effects])), Verdict::Allow(_))
}

/// Lines that run something else, or write, behind a program that looks harmless.
#[rustfmt::skip]
const BEYOND: &[&str] = &[
    "timeout {5,rm,x}", "tar {--checkpoint=1,--checkpoint-action=exec=x} cf a b", "python3 {-c,x}", "vimdiff -c x a", "rvim -c x", "gvim -c x", "kak -e x", "original-awk 'BEGIN{system(\"x\")}'", "cpio --rsh-command=x -i", "rake -e x", "octave --eval x",
    "swipl -g x", "jrunscript -e x", "kotlin -e x", "gjs -c x", "crystal eval x", "node --require ./x a.js", "node -r ./x a.js", "php -d auto_prepend_file=x a.php", "lua -l x a.lua", "gnuplot -e x", "sqlite3 a .shell", "sqlite3 a '.system x'", "psql -c '\\! x'", "mysql -e '\\! x'",
    "duckdb a .shell", "redis-cli --eval x", "mongosh --eval x", "rpm --eval x", "hg --config alias.x=!y log", "npm exec -c x", "npm test --script-shell=./x", "go test -exec ./x", "go build -toolexec ./x", "go test --exec=./x", "cargo test --config target.x.runner=y", "rustc -C linker=./x a.rs",
    "rustc -Clinker=./x a.rs", "pylint --init-hook x", "git clone -u x a", "git clone -c core.hooksPath=. a", "git clone --config=x a", "git archive --remote=ext::x", "git fetch ext::x", "git clone --template=x a", "split --filter=x a", "diff3 --diff-program=x a b c", "bat --pager x a", "ag --pager x a",
    "ack --pager x a", "fzf --preview x", "fzf --bind x", "ncat -c x", "nc -e x", "socat EXEC:x -", "tcpdump -z x", "apt -o x=y install a", "setarch x86_64 x", "linux64 x", "prlimit x", "choom -n 1 x", "unbuffer x", "valgrind x", "perf stat x", "rr x", "heaptrack x", "ld.so /bin/x", "ssh-agent x",
    "dbus-run-session x", "start-stop-daemon --exec x", "capsh -- -c x", "runcon a x", "bwrap x", "firejail x", "watchexec x", "direnv exec . x", "ip netns exec a x", "rustup run stable x", "uv run x", "poetry run x", "pipenv run x", "conda run x", "yarn exec x", "pnpm exec x", "bundle exec x", "composer exec x",
    "nix-shell --run x", "npx x", "bunx x", "pipx run x", "docker run a x", "docker exec a x", "kubectl exec a -- x", "xargs touch", "env touch a", "nice touch a", "nohup touch a", "setsid touch a", "timeout 5 touch a", "stdbuf -oL touch a", "strace touch a", "find . -exec touch {} +", "find . -delete", "find . -fprint f",
    "find . -okdir x", "git log --output=f", "git diff --output f", "git -c core.pager=x log", "git submodule foreach x", "git bisect run x", "git rebase -x y", "git difftool -x y", "git grep -Ox", "git grep --open-files-in-pager=x", "sort -o f a", "sort --output=f a", "sort -T d a", "sort --compress-program=x a",
    "curl -o f h", "curl -O h", "curl --output=f h", "curl -K f", "curl -D f h", "wget -O f h", "wget -e x h", "tree -o f", "sed -i s/a/b/ f", "sed 'w f' a", "awk -f x", "yq -i .a f", "uniq a b", "xxd a b", "xxd a -i", "make -f x", "make -C d test", "make SHELL=./x test", "make 'X=$(shell y)'", "make --eval=x", "cmake -P x",
    "npm test --prefix d", "npm run x --node-options=y", "cargo test --manifest-path d/Cargo.toml", "go test -C d", "pytest -c x", "pytest --rootdir d", "python3 -m pytest -c x", "eslint --rulesdir d", "eslint --fix a", "prettier --write a", "prettier --plugin ./x a", "jest --config x", "mocha -r ./x", "vitest --config x", "webpack --config x",
    "rspec -r ./x", "mvn -f x test", "gradle -I x", "gradle -b x", "ant -f x", "bazel test --run_under=x", "tar -C d -xf a", "unzip -d d a", "pandoc -F x a", "pandoc -o f a", "terraform -chdir=d plan", "less -o f a", "tcpdump -w f", "openssl rand -out f 1", "ruff --fix a", "gcc -o f a.c", "rustc --out-dir d a.rs", "gpg -o f a",
    "hyperfine x", "script -c x", "tmux new x", "screen x", "vim -S x", "emacs --load x", "ed a", "gdb -ex x", "lldb -o x", "man -P x a", "bash x.sh", "sh -c 'touch a'", "ssh h x", "scp -S x a b", "rsync -e x a b", "at now", "crontab a", "su -c x", "sudo x", "eval x", "exec x",
];

#[test]
fn a_prefix_for_a_program_covers_no_other_program_and_no_file() {
    let missed: Vec<&&str> = BEYOND
        .iter()
        .filter(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let program = words[0];
            let mut rules = vec![format!("Bash({program}:*)")];
            // With the subcommand too, unless that names what a wrapper runs.
            let wraps = analyse(line).commands.iter().any(|simple| simple.wraps);
            if !wraps && words.len() > 1 && words[1].chars().all(|c| c.is_ascii_alphabetic()) {
                rules.push(format!("Bash({program} {}:*)", words[1]));
            }
            let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
            allows(&rules, line)
        })
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
    assert!(BEYOND.len() > 190);
}

#[test]
fn a_rule_covers_the_form_that_it_names() {
    for (rule, line) in [
        ("Bash(sort -o:*)", "sort -o f a"),
        ("Bash(git log --output=f:*)", "git log --output=f"),
        ("Bash(make -C d:*)", "make -C d test"),
        ("Bash(sed -i:*)", "sed -i s/a/b/ f"),
        ("Bash(prettier --write:*)", "prettier --write a b"),
        ("Bash(cargo test --manifest-path d/Cargo.toml:*)", "cargo test --manifest-path d/Cargo.toml -q"),
        ("Bash(python3 -m pytest:*)", "python3 -m pytest -q tests"),
        ("Bash(python3 scripts/x.py:*)", "python3 scripts/x.py --all"),
        ("Bash(uv run pytest:*)", "uv run pytest -q"),
        ("Bash(npx jest:*)", "npx jest --ci"),
        ("Bash(poetry run pytest:*)", "poetry run pytest"),
        ("Bash(timeout 60 cargo test:*)", "timeout 60 cargo test -q"),
        ("Bash(cargo test:*)", "timeout 60 cargo test -q"),
        ("Bash(git add:* && git commit:*)", "git add a && git commit -m 'x y'"),
        ("Bash(git add:* && git commit:*)", "git commit -m x"),
        ("Bash(npm test:*)", "npm test -- --watch=false"),
        ("Bash(bash scripts/x.sh:*)", "bash scripts/x.sh a"),
        ("Bash(git commit:*)", "git commit -m \"it's done\""),
        ("Bash(make:*)", "make test V=1"),
        ("Bash(cargo test $x)", "cargo test $x"),
        ("Bash(for i in 1 2; do make $i; done)", "for i in 1 2; do make $i; done"),
    ] {
        assert!(Rule::parse_allow(rule).is_ok(), "{rule}: {:?}", Rule::parse_allow(rule));
        assert!(allows(&[rule], line), "{rule} {line}");
    }
    for (rule, line) in [
        ("Bash(uv run pytest:*)", "uv run mypy"),
        ("Bash(npx jest:*)", "npx eslint"),
        ("Bash(timeout 60 cargo test:*)", "timeout 60 cargo build"),
        ("Bash(git add:* && git commit:*)", "git add a && git push"),
        ("Bash(python3 -m pytest:*)", "python3 -m http.server"),
        ("Bash(npm test:*)", "npm test $x"),
        ("Bash(npm test:*)", "npm test \"$x\""),
        ("Bash(npm test:*)", "npm test \\\n--all\\\nx"),
        ("Bash(npm * --all)", "npm $x --all"),
    ] {
        assert!(!allows(&[rule], line), "{rule} {line}");
    }
}

#[test]
fn a_prefix_that_would_cover_anything_is_refused_when_it_is_written() {
    #[rustfmt::skip]
    let refused = [
        "python3", "python", "python3.12", "python3 -c", "python3 -m", "python3 -u", "node", "node -e", "node --require", "ruby", "perl", "perl -e", "php", "lua", "deno", "deno eval", "bun", "bash", "bash -c", "sh", "zsh -c", "fish", "find", "find . -exec", "git", "git -C sub", "git -c", "git --no-pager", "npm", "npm exec", "npm x", "npm --prefix d",
        "pnpm", "pnpm dlx", "yarn", "yarn exec", "npx", "bunx", "xargs", "xargs -n 1", "env", "env A=1", "sudo", "doas", "timeout", "timeout 5", "nice", "nohup", "time", "setsid", "stdbuf", "watch", "parallel", "strace", "ssh", "ssh h", "docker", "docker run", "docker exec", "kubectl", "kubectl exec", "cargo", "go", "uv", "uv run", "uv run python", "poetry", "poetry run",
        "pipenv run", "conda run", "rustup run", "bundle exec", "composer exec", "nix-shell", "direnv exec", "ip", "ip netns exec", "perf", "perf stat", "valgrind", "gdb", "lldb", "vim", "vim -c", "emacs", "nvim", "less", "more", "man -P", "awk", "sed", "ed", "eval", "exec", "source", "command", "builtin", "tmux", "screen", "script", "su", "socat", "sqlite3", "psql", "mysql",
        "setarch", "ld.so", "ssh-agent", "bwrap", "firejail", "busybox", "busybox sh", "terraform", "gh", "make --eval=x", "tar --to-command=x", "git rebase -x", "git submodule foreach", "timeout 5 bash", "env python3", "nice npx", "/usr/bin/python3", "./venv/bin/python",
    ];
    for prefix in refused {
        for rule in [format!("Bash({prefix}:*)"), format!("Bash({prefix} *)"), format!("Bash({prefix} * x)")] {
            let error = Rule::parse_allow(&rule).unwrap_err();
            assert_eq!(error.rule, rule);
            assert!(error.reason.len() > 30, "{rule}: {}", error.reason);
            // To forbid and to ask it may be as wide as it likes.
            assert!(Rule::parse(&rule).is_ok(), "{rule}");
        }
    }
    assert!(Rule::parse_allow("Bash(* --version)").is_err() && Rule::parse_allow("Bash(*x*)").is_err());
    for rule in ["Bash(git:*)", "Bash(python3:*)", "Bash(npm:*)", "Bash(find:*)"] {
        let reason = Rule::parse_allow(rule).unwrap_err().reason;
        let narrower = reason.split("Bash(").nth(1).unwrap().split(')').next().unwrap();
        assert!(Rule::parse_allow(&format!("Bash({narrower})")).is_ok(), "{rule} suggests Bash({narrower})");
    }
    #[rustfmt::skip]
    let taken = [
        "Bash", "Bash(*)", "*", "Edit", "Edit(src/**)", "Read(**/*.env)", "Bash(ls:*)", "Bash(make:*)", "Bash(make test:*)", "Bash(npm test:*)", "Bash(npm run build:*)", "Bash(cargo test:*)", "Bash(go test:*)", "Bash(git status:*)", "Bash(git diff:*)", "Bash(git -C sub status:*)", "Bash(rm:*)",
        "Bash(rm -rf /tmp/cache:*)", "Bash(python3 -c 'x')", "Bash(git push)", "Bash(echo:*)", "Bash(cat *.txt)", "Bash(pytest:*)", "Bash(tar xf:*)", "Bash(touch:*)", "Bash(cp:*)", "Bash(grep:*)", "Bash(docker build:*)", "Bash(kubectl get:*)", "Bash(sed -n:*)", "Bash(awk '{print $1}':*)",
        "Bash(git reset:*)", "Bash(cmake --build:*)", "Bash(./build.sh:*)", "Bash(tsc:*)", "Bash(eslint:*)", "Bash(curl:*)", "Bash(pip list:*)", "write_file", "Web(docs.example.com)", "mcp__a__b",
    ];
    for rule in taken {
        assert!(Rule::parse_allow(rule).is_ok(), "{rule}: {:?}", Rule::parse_allow(rule));
    }
}

#[test]
fn a_rule_with_characters_that_nobody_sees_is_an_error() {
    #[rustfmt::skip]
    let odd = [
        '\u{200b}', '\u{200c}', '\u{200d}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2060}', '\u{2061}', '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}', '\u{feff}', '\u{ad}', '\u{34f}', '\u{61c}', '\u{180e}',
        '\u{e0001}', '\u{e0041}', '\u{e007f}', '\u{e0100}', '\u{80}', '\u{85}', '\u{9b}', '\u{9f}', '\u{7f}', '\u{1b}', '\u{7}', '\u{0}', '\u{fe0f}', '\u{2028}', '\u{2029}', '\u{3164}', '\u{fff9}',
    ];
    for c in odd {
        for rule in [
            format!("Bash(git {c}push:*)"),
            format!("Ba{c}sh"),
            format!("Edit(src/{c}a)"),
            format!("Read(a{c})"),
            format!("bash=ls{c}x"),
        ] {
            let error = Rule::parse(&rule).unwrap_err();
            assert!(error.reason.contains(&format!("U+{:04X}", u32::from(c))), "{rule:?}: {}", error.reason);
            assert!(
                Rule::parse_allow(&rule).is_err()
                    && Rules::parse(std::slice::from_ref(&rule), &[], &[], Fallback::Ask).is_err()
            );
        }
    }
    for rule in ["Bash(echo a\u{a0}b)", "Edit(docs/für/世界.md)", "Bash(echo 😀)", "Read(данные/**)"] {
        assert!(Rule::parse(rule).is_ok(), "{rule:?}");
    }
}
