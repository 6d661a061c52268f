//! The analysis of command lines, by tables: what runs is named or the line is hidden.

use proptest::prelude::*;
use reasonix_policy::{Hidden, How, analyse};
use reasonix_proto::ReadOnly;

/// The attack `rm -rf x` in every place where a shell would run it: found, or the line is hidden.
const PLACES: &[&str] = &[
    "rm -rf x",
    "ls && rm -rf x",
    "ls; rm -rf x",
    "ls || rm -rf x",
    "ls | rm -rf x",
    "ls |& rm -rf x",
    "ls & rm -rf x",
    "ls\nrm -rf x",
    "ls \\\n; rm -rf x",
    "r\\\nm -rf x",
    "ls\rrm -rf x",
    "ls\u{b}rm -rf x",
    "ls\u{c}rm -rf x",
    "ls\u{2028}rm -rf x",
    "ls\u{a0}; rm -rf x",
    "echo $(rm -rf x)",
    "echo `rm -rf x`",
    "echo \"$(rm -rf x)\"",
    "echo \"`rm -rf x`\"",
    "echo `echo \\`rm -rf x\\``",
    "cat <(rm -rf x)",
    "ls > >(rm -rf x)",
    "echo ${x:=$(rm -rf x)}",
    "echo ${x:-`rm -rf x`}",
    "echo $((a[$(rm -rf x)]))",
    "echo $[a[$(rm -rf x)]]",
    "[[ x =~ $(rm -rf x) ]]",
    "[[ -n $(rm -rf x) ]]",
    "(( a[$(rm -rf x)] ))",
    "cat <<EOF\n$(rm -rf x)\nEOF",
    "cat <<EOF\na `rm -rf x` b\nEOF",
    "cat <<-EOF\n\t$(rm -rf x)\n\tEOF",
    "cat <<< \"$(rm -rf x)\"",
    "cat <<EOF && rm -rf x\nhello\nEOF",
    "cat <<EOF\nhello\nEOF\nrm -rf x",
    "a=(1 $(rm -rf x))",
    "a[$(rm -rf x)]=1",
    "export A=$(rm -rf x)",
    "unset a[$(rm -rf x)]",
    "test -v 'a[$(rm -rf x)]'",
    "printf -v 'a[$(rm -rf x)]' 1",
    "y='a[$(rm -rf x)]'; echo $((y))",
    "echo ${y@P}",
    "if true; then rm -rf x; fi",
    "while true; do rm -rf x; done",
    "until rm -rf x; do :; done",
    "for i in 1; do rm -rf x; done",
    "for ((i=0;i<1;i++)); do rm -rf x; done",
    "case a in a) rm -rf x;; esac",
    "f() { rm -rf x; }; f",
    "function f { rm -rf x; }; f",
    "(rm -rf x)",
    "{ rm -rf x; }",
    "! rm -rf x",
    "time rm -rf x",
    "time -p rm -rf x",
    "time { rm -rf x; }",
    "time A=1 rm -rf x",
    "time -p A=1 \\rm -rf x",
    "coproc rm -rf x",
    "A=1 rm -rf x",
    "2>&1 rm -rf x",
    "> out rm -rf x",
    "rm > out -rf x",
    "rm <<EOF -rf x\nEOF",
    "/bin/rm -rf x",
    "'rm' -rf x",
    "r\"m\" -rf x",
    "\\rm -rf x",
    "$'rm' -rf x",
    "$'\\162m' -rf x",
    "{rm,-rf,x}",
    "/bin/r? -rf x",
    "$x -rf x",
    "y=rm; $y -rf x",
    "$(echo rm) -rf x",
    "env rm -rf x",
    "env -i A=1 rm -rf x",
    "env -u A rm -rf x",
    "env -S 'rm -rf x'",
    "sudo rm -rf x",
    "sudo -u root -E rm -rf x",
    "sudo --weird rm -rf x",
    "doas rm -rf x",
    "nice -n 5 rm -rf x",
    "nice -5 rm -rf x",
    "ionice -c 3 rm -rf x",
    "timeout 5 rm -rf x",
    "timeout -s KILL 5 rm -rf x",
    "timeout --signal=KILL -k 3 5 rm -rf x",
    "stdbuf -oL rm -rf x",
    "setsid rm -rf x",
    "nohup rm -rf x",
    "watch rm -rf x",
    "watch -n 1 'rm -rf x'",
    "true | xargs rm -rf x",
    "true | xargs -0 -n 1 rm -rf x",
    "true | xargs -I{} rm -rf x {}",
    "true | xargs -I{} {} -rf x",
    "true | xargs -I % sh -c 'rm -rf x %'",
    "parallel rm -rf x ::: a",
    "command rm -rf x",
    "builtin command rm -rf x",
    "exec rm -rf x",
    "exec -a ls rm -rf x",
    "busybox rm -rf x",
    "script -c 'rm -rf x' /dev/null",
    "strace -f -o log rm -rf x",
    "unshare -r rm -rf x",
    "flock lock rm -rf x",
    "flock lock -c 'rm -rf x'",
    "chroot / rm -rf x",
    "sudo env nice timeout 5 nohup rm -rf x",
    "nice nice nice nice nice nice nice nice nice nice nice rm -rf x",
    "bash -c 'rm -rf x'",
    "bash -lc 'rm -rf x'",
    "sh -e -c 'rm -rf x'",
    "bash -o pipefail -c 'rm -rf x'",
    "bash -c \"bash -c 'rm -rf x'\"",
    "bash -c \"$y\"",
    "bash -c '$0 -rf x' rm",
    "eval 'rm -rf x'",
    "eval rm -rf x",
    "eval \"$y\"",
    "trap 'rm -rf x' EXIT",
    "echo 'rm -rf x' | sh",
    "echo cm0gLXJmIHgK | base64 -d | bash",
    "bash <<'EOF'\nrm -rf x\nEOF",
    "bash <<EOF\n$y\nEOF",
    "bash <<< 'rm -rf x'",
    "bash <(echo rm -rf x)",
    "source <(echo rm -rf x)",
    ". /dev/stdin",
    "bash -s < file",
    "cat <<'EOF' | sh\nrm -rf x\nEOF",
    "find . -exec rm -rf x {} \\;",
    "find . -execdir rm -rf x +",
    "find . -name a -ok rm -rf x \\;",
    "find . -exec sh -c 'rm -rf x {}' \\;",
    "find . -exec {} \\;",
    "\\ # | rm -rf x",
    "ls\n\\rm -rf x",
];

#[test]
fn what_runs_is_named_or_the_line_is_hidden() {
    for line in PLACES {
        let effects = analyse(line);
        let named = effects.commands.iter().any(|simple| simple.program() == "rm" && simple.text().ends_with("-rf x"));
        let with_more = effects
            .commands
            .iter()
            .any(|simple| simple.program() == "rm" && simple.words.iter().any(|word| word.text == "-rf"));
        let unknown = effects.hidden.is_some() || effects.interprets;
        assert!(named || with_more || unknown, "{line:?}: {effects:#?}");
        assert_ne!(effects.read_only, ReadOnly::Yes, "{line:?}");
    }
}

/// The scanner of the grammar looked such characters up beyond the end of its table.
#[test]
fn braces_before_characters_of_any_script_are_read() {
    for c in ['\u{e9}', '\u{430}', '\u{4f60}', '\u{ffff}', '\u{1f600}', '\u{10ffff}', '\u{7f}'] {
        for line in
            [format!("echo {{{c}"), format!("echo {{1{c}"), format!("echo {{1..{c}}}"), format!("echo {{1..2{c}}}")]
        {
            let effects = analyse(&line);
            let named = effects.commands.first().is_some_and(|simple| simple.text() == line);
            assert!(effects.hidden.is_some() || named, "{line:?}: {effects:?}");
        }
    }
    let line = "git commit -m '你好' x{1..你}";
    assert!(analyse(line).commands[0].words.iter().any(|word| word.text == "你好"), "texts stay what they are");
}

#[test]
fn plain_lines_are_not_hidden() {
    for (line, programs) in [
        ("ls -la", "ls"),
        ("npm test && cargo test", "npm cargo"),
        ("cargo build 2>&1 | tail -20", "cargo tail"),
        ("git commit -m \"fix: a; b && c\"", "git"),
        ("git commit -m '你好　世界'", "git"),
        ("cat > a.txt <<'EOF'\nit's $(not) `run`\nEOF", "cat"),
        ("cat > a.txt <<EOF\nhello $USER $(date)\nEOF", "cat date"),
        ("for f in *.rs; do wc -l \"$f\"; done", "wc"),
        ("echo \"a $x b\"", "echo"),
        ("bash -c 'ls | wc'", "ls wc bash"),
        ("timeout 5 ls", "ls timeout"),
        ("find . -name '*.rs' -exec wc -l {} +", "wc find"),
        ("cargo test \\\n  --all", "cargo"),
        ("if [ -f x ]; then cat x; else echo no; fi", "cat echo"),
        ("echo `date`", "date echo"),
        ("cd a && ls", "cd ls"),
        ("mkdir -p a/{b,c}", "mkdir"),
        ("printf '%s\\n' \"${a[@]}\"", "printf"),
        ("echo done # rm -rf $(x)", "echo"),
        ("i=1; echo $((i+1))", "echo"),
        ("python3 x.py", "python3"),
        ("bash build.sh", "bash"),
        ("./build.sh --all", "build.sh"),
        ("true 1", "true"),
        ("(cd a; make)", "cd make"),
        ("cd -- 'a b' || exit\nls", "cd exit ls"),
        ("cat > f <<EOF\na \\$HOME \\`x\\` ${USER}\nEOF", "cat"),
        ("git commit -m \"$(cat <<'EOF'\nit's `a` $(b)\nEOF\n)\"", "cat git"),
    ] {
        let effects = analyse(line);
        assert_eq!(effects.hidden, None, "{line:?}");
        let found: Vec<_> = effects.commands.iter().map(|simple| simple.program()).collect();
        assert_eq!(found.join(" "), programs, "{line:?}");
    }
}

#[test]
fn a_lone_dash_before_a_heredoc_is_a_word() {
    for (line, commands) in [
        ("python3 - <<'EOF'\nprint(1)\nEOF", "python3 -"),
        ("python3 -<<EOF\nprint(1)\nEOF", "python3 -"),
        ("cat - <<EOF\nx\nEOF", "cat -"),
        ("cat - - <<-EOF\nx\nEOF", "cat - -"),
        ("node - <<EOF\nx\nEOF\n", "node -"),
        ("git apply - <<'EOF'\nx\nEOF", "git apply -"),
        ("kubectl apply -f - <<EOF\nx\nEOF", "kubectl apply -f -"),
        ("cd a && python3 - <<'EOF' | head\nx\nEOF", "cd a;python3 -;head"),
        ("ls | cat - 2>&1 <<EOF\nx\nEOF", "ls;cat -"),
        ("if true; then python3 - <<'E' && ls\nx\nE\nfi", "true;python3 -;ls"),
        ("bash - <<'E'\nrm x\nE", "rm x;bash -"),
    ] {
        let effects = analyse(line);
        assert_eq!(effects.hidden, None, "{line:?}");
        let found: Vec<_> = effects.commands.iter().map(|simple| simple.text()).collect();
        assert_eq!(found.join(";"), commands, "{line:?}");
    }
    for line in ["(ls) - <<E\nx\nE", "{ ls; } - <<E\nx\nE", "ls > a - b - <<E\nx\nE", "cat \u{b}- <<E\nx\nE"] {
        let effects = analyse(line);
        let whole = effects.commands.iter().any(|simple| simple.text().ends_with("- b -"));
        assert!(effects.hidden.is_some() || whole, "{line:?}");
    }
}

#[test]
fn interpreters_with_code() {
    for line in [
        "python -c 'x'",
        "python3.11 -Ic 'x'",
        "python - < x",
        "echo x | python3",
        "python3 <<'EOF'\nx\nEOF",
        "node -e x",
        "node --eval=x",
        "node -pe x",
        "perl -ne x f",
        "ruby -e x",
        "php -r x",
        "awk 'BEGIN{system(\"id\")}'",
        "awk -f x.awk",
        "sed 's/a/id/e' f",
        "sed -n 'w out' f",
        "vim -c '!id' f",
        "tar cf x --checkpoint=1 --checkpoint-action=exec=id .",
        "tar -I 'sh -c id' -xf x",
        "rg --pre id x",
        "git -c alias.x='!id' x",
        "git -c core.fsmonitor=id status",
        "git submodule foreach id",
        "git rebase -x id main",
        "ssh -o ProxyCommand=id h",
        "man -P id ls",
        "sort --compress-program=id x",
        "sort --compress-prog id x",
        "zip -TT id x",
        "make -f -",
        "ed x",
        "dc",
        "env -S 'ls -l'",
        "rsync -e id a b",
        "su -c id",
    ] {
        let effects = analyse(line);
        assert!(effects.interprets || effects.hidden.is_some(), "{line:?}: {effects:?}");
        assert_ne!(effects.read_only, ReadOnly::Yes, "{line:?}");
    }
    for line in ["python x.py", "python -m pytest -q", "node server.js -p 3000", "awk '{print $1}' f", "sed -n 1,5p f"]
    {
        assert!(!analyse(line).interprets, "{line}");
    }
}

#[test]
fn files_that_are_written() {
    for (line, path, how) in [
        ("echo x > a", "a", How::Over),
        ("echo x >| a", "a", How::Over),
        ("echo x >> a", "a", How::Append),
        ("ls &> a", "a", How::Over),
        ("ls 2> a", "a", How::Over),
        ("ls 2>> 'a'", "a", How::Append),
        ("ls >& a", "a", How::Over),
        ("> a", "a", How::Over),
        ("{ ls; } > a", "a", How::Over),
        ("ls | tee a", "a", How::Over),
        ("ls | tee -a a", "a", How::Append),
        ("dd if=x of=a", "a", How::Over),
        ("cp x a", "a", How::Over),
        ("mv x a", "a", How::Over),
        ("install x a", "a", How::Over),
        ("ln -sf x a", "a", How::Change),
        ("sed -i s/x/y/ a", "a", How::Change),
        ("sort x -o a", "a", How::Over),
        ("curl -o a http://h", "a", How::Over),
        ("bash -c 'echo > a'", "a", How::Over),
        ("sudo tee a", "a", How::Over),
        ("find . -fprint a", "a", How::Over),
        ("exec 3> a", "a", How::Over),
    ] {
        let effects = analyse(line);
        let found = effects.writes.iter().any(|write| write.path.as_deref() == Some(path) && write.how == how);
        assert!(found, "{line:?}: {:?} {:?}", effects.writes, effects.hidden);
        assert_eq!(effects.read_only, ReadOnly::No, "{line:?}");
    }
    for line in
        ["ls > /dev/null", "ls 2>&1", "ls >&2", "ls 2>/dev/null >&-", "ls > /dev/stderr", "ls < in", "ls > /dev/fd/3"]
    {
        assert!(analyse(line).writes.is_empty(), "{line}");
    }
    assert_eq!(analyse("ls > $x").writes[0].path, None);
    assert!(analyse("ls <> a").hidden.is_some());
}

#[test]
fn folders_are_followed() {
    for (line, dirs, known) in [
        ("> a", &[""][..], true),
        ("cd x && > a", &["x"], true),
        ("cd x; > a", &["x", ""], true),
        ("cd x || exit\n> a", &["x"], true),
        ("cd x || true; > a", &["x", ""], true),
        ("cd x && cd y && > a", &["x/y"], true),
        ("cd /t && > a", &["/t"], true),
        ("(cd x); > a", &[""], true),
        ("cd x | cat; > a", &[""], true),
        ("pushd x && > a", &["x"], true),
        ("cd \"$X\" && > a", &[], false),
        ("cd && > a", &[], false),
        ("cd - && > a", &[], false),
        ("CDPATH=/ ; cd x && > a", &[], false),
        ("popd && > a", &[], false),
        ("if true; then cd x; fi; > a", &["x", ""], true),
        ("cd x && echo y > a", &["x"], true),
        ("bash -c 'cd x'; > a", &[""], true),
        ("eval 'cd x' && > a", &["x"], true),
        ("env -C x tee a", &[], false),
    ] {
        let effects = analyse(line);
        let write = effects.writes.iter().find(|write| write.path.as_deref() == Some("a")).expect(line);
        for dir in dirs {
            assert!(write.places.dirs.contains(&(*dir).to_owned()), "{line:?}: {:?}", write.places);
        }
        assert_eq!(write.places.known, known, "{line:?}");
    }
}

#[test]
fn readers() {
    for line in [
        "ls",
        "ls -la src",
        "git status",
        "git log --oneline | head -5",
        "git diff HEAD~1 -- src",
        "cat a | grep b | wc -l",
        "find . -name '*.rs'",
        "rg foo src",
        "grep -rn 'a|b' .",
        "pwd && echo ok",
        "echo $HOME",
        "test -f x && echo y",
        "[ -f x ] || echo no",
        "head -5 x 2>/dev/null",
        "sed -n 1,20p x",
        "awk '{print $1}' x",
        "timeout 5 ls",
        "time ls",
        "find . | xargs wc -l",
        "cargo --version",
        "git -C sub status",
        "git --no-pager log",
        "git branch -a",
        "sort x | uniq -c",
        "for f in a b; do cat $f; done",
        "LC_ALL=C sort x",
        "x=1; echo $x",
        "cat <<'EOF'\nx\nEOF",
        "git stash list",
        "true 1",
        "bash -c 'ls'",
        "cd src && ls",
        "diff a b",
        "jq .a x.json",
        "wc -l < x",
        "",
    ] {
        assert_eq!(analyse(line).read_only, ReadOnly::Yes, "{line:?} {:?}", analyse(line));
    }
}

#[test]
fn what_is_no_reader() {
    for line in [
        "cargo test",
        "make",
        "./ls",
        "git push",
        "git branch x",
        "git checkout x",
        "find . -delete",
        "find . -exec touch {} +",
        "rg --pre x y",
        "sort -o x y",
        "uniq a b",
        "PATH=. ls",
        "git config a b",
        "git log --output=x",
        "sort $x",
        "find $x",
        "date -s x",
        "npm test",
        "git -c core.pager=x log",
        "env FOO=1 ls",
        "export A=1",
        "ls() { rm x; }; ls",
        "git stash",
        "curl http://h",
        "sed s/a/b/w$x f",
        "xargs -a f rm",
        "tail -f $(touch x)",
        "xxd -r a",
        "cat < /dev/tcp/h/80",
    ] {
        assert_ne!(analyse(line).read_only, ReadOnly::Yes, "{line:?}");
    }
    for line in ["rm x", "mkdir a", "touch a", "echo > a", "ls; mv a b", "sudo rm x"] {
        assert_eq!(analyse(line).read_only, ReadOnly::No, "{line:?}");
    }
}

#[test]
fn bounds_fail_closed() {
    let many = vec!["ls"; 2000].join("; ");
    assert_eq!(analyse(&many).hidden, Some(Hidden::TooLong));
    assert_eq!(analyse(&format!("echo {}", "a".repeat(200_000))).hidden, Some(Hidden::TooLong));
    for (open, close) in [("(", ")"), ("$(echo ", ")"), ("{ ", "; }"), ("if true; then ", "; fi")] {
        let deep = format!("{}ls{}", open.repeat(3000), close.repeat(3000));
        assert!(analyse(&deep).hidden.is_some(), "{open}");
    }
    let mut nested = "ls".to_owned();
    for _ in 0..8 {
        nested = format!("eval {}", shell_quote(&nested));
    }
    assert_eq!(analyse(&nested).hidden, Some(Hidden::TooDeep));
}

fn shell_quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

const TOKENS: &[&str] = &[
    "rm",
    "ls",
    "-rf",
    "x",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "\n",
    "$(",
    ")",
    "`",
    "\"",
    "'",
    "<(",
    ">(",
    ">",
    ">>",
    "<",
    "<<EOF\n",
    "EOF\n",
    "{",
    "}",
    "(",
    "((",
    "))",
    "[[",
    "]]",
    "if",
    "then",
    "fi",
    "for",
    "in",
    "do",
    "done",
    "while",
    "case",
    "esac",
    "f()",
    "${x",
    "$x",
    "a=",
    "=",
    "\\",
    " ",
    "\t",
    "#",
    "!",
    "bash -c",
    "eval",
    "sudo",
    "xargs",
    "env",
    "cd",
    "timeout 5",
    "find . -exec",
    "\\;",
    "<<<",
    "$((",
    "é",
    "\u{202e}",
    "\0",
    "sed -i",
    "tee",
    "git -C",
    "trap",
    "2>&1",
    "-",
    "--",
    "*",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn arbitrary_text_never_panics(line in any::<String>()) {
        let _ = analyse(&line);
    }

    #[test]
    fn token_soup_never_panics(tokens in proptest::collection::vec(proptest::sample::select(TOKENS), 0..40)) {
        let _ = analyse(&tokens.concat());
        let _ = analyse(&tokens.join(" "));
    }
}
