//! Rules that a person may grant when asked, narrowest first.

use crate::analyse::analyse;
use crate::effects::{Effects, Simple};
use crate::protected::is_protected;
use crate::reach::WITH_SUBCOMMANDS;
use crate::readers::{is_exact, is_reader};
use crate::rule::Rule;
use reasonix_proto::{Action, Family};

/// Programs for which a prefix would permit anything at all: interpreters, wrappers, and what runs other programs.
const TOO_WIDE: &[&str] = &[
    "awk",
    "bash",
    "bun",
    "busybox",
    "cmd",
    "dash",
    "deno",
    "doas",
    "docker",
    "ed",
    "emacs",
    "env",
    "eval",
    "exec",
    "find",
    "fish",
    "gawk",
    "gdb",
    "git",
    "ksh",
    "lua",
    "make",
    "nice",
    "node",
    "nohup",
    "npx",
    "perl",
    "php",
    "powershell",
    "pwsh",
    "python",
    "rm",
    "rsync",
    "ruby",
    "script",
    "sed",
    "setsid",
    "sh",
    "source",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "tar",
    "tclsh",
    "time",
    "timeout",
    "uv",
    "uvx",
    "vi",
    "vim",
    "watch",
    "xargs",
    "zsh",
];

/// The rules to offer for this call. None for what no rule may cover.
pub fn suggest(action: &Action) -> Vec<String> {
    match action.family {
        Family::Bash => action.subjects.first().map(|line| for_command(line)).unwrap_or_default(),
        Family::Edit => vec!["Edit".to_owned()],
        Family::Skill => action.subjects.first().map(|name| format!("Skill({name})")).into_iter().collect(),
        Family::Task => action.subjects.first().map(|name| format!("Task({name})")).into_iter().collect(),
        // They are known by their own names, which the action does not have.
        Family::Own | Family::Memory | Family::Tool => Vec::new(),
        family => vec![family.name().to_owned()],
    }
}

/// The rules to offer for good, for one workspace root. Fewer than for a session: never one for a program that runs
/// others, and for a change to files only that file.
pub fn suggest_always(action: &Action) -> Vec<String> {
    match (action.family, action.subjects.as_slice()) {
        (Family::Bash, [line]) => {
            let effects = analyse(line);
            let runs_others = |simple: &Simple| {
                let name = simple.program();
                let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
                // Which target make runs is in the exact rule, and which module Python runs in both; the others take
                // programs or code as arguments.
                TOO_WIDE.contains(&base) && base != "make" && module_of(simple).is_none()
            };
            let unclear = effects.interprets || effects.assigns || effects.commands.is_empty();
            if unclear || effects.commands.iter().any(runs_others) { Vec::new() } else { for_command(line) }
        }
        (Family::Edit, [path]) => {
            let plain = !path.contains(['*', '?', '[', ']', '{', '}', '\\', '!']) && !path.starts_with('~');
            let kept = plain && !path.is_empty() && path.trim() == path && !path.ends_with('/') && !is_protected(path);
            kept.then(|| format!("Edit({path})")).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn for_command(line: &str) -> Vec<String> {
    let effects = analyse(line);
    if effects.hidden.is_some() {
        return Vec::new();
    }
    let mut rules = Vec::new();
    if line.trim().is_empty() {
        return rules;
    }
    // A text with `*` or `:*` in it would be read as a pattern, and permit more than was shown.
    if !line.contains(['*', '\n', '(', ')']) {
        rules.push(format!("Bash({})", line.trim()));
    }
    let clear = effects.understood
        && !effects.interprets
        && !effects.assigns
        && !effects.reads
        && !effects.writes.iter().any(|write| write.redirect);
    if clear {
        rules.extend(prefixes_of(&effects).map(|prefixes| format!("Bash({}:*)", prefixes.join(":* && "))));
    }
    rules.retain(|rule| Rule::parse_allow(rule).is_ok());
    rules
}

/// More commands than this are not put into one rule.
const MOST_PREFIXES: usize = 3;

/// Prefixes for the commands of the line that need a rule; none when one of them must not have any.
fn prefixes_of(effects: &Effects) -> Option<Vec<String>> {
    if let [simple] = effects.commands.as_slice() {
        return Some(vec![prefix_of(simple)?]);
    }
    if let [inner, outer] = effects.commands.as_slice()
        && let Some(prefix) = behind_runner(inner, outer)
    {
        return Some(vec![prefix]);
    }
    let others: Vec<&Simple> =
        effects.commands.iter().filter(|simple| !(is_reader(simple) && is_exact(simple))).collect();
    let mut prefixes = others.iter().map(|simple| prefix_of(simple)).collect::<Option<Vec<_>>>()?;
    prefixes.dedup();
    ((1..=MOST_PREFIXES).contains(&prefixes.len())).then_some(prefixes)
}

/// The prefix for a program that the runner of a project starts, with both named: `uv run pytest`, `npx tsc`.
fn behind_runner(inner: &Simple, outer: &Simple) -> Option<String> {
    const RUNNERS: &[&str] = &["bundle", "bunx", "npx", "pdm", "pipenv", "pnpm", "poetry", "uv", "yarn"];
    // Of another one nobody knows what it does with its words.
    const CHECKS: &[&str] = &[
        "black",
        "eslint",
        "flake8",
        "isort",
        "jest",
        "mocha",
        "mypy",
        "playwright",
        "prettier",
        "pylint",
        "pyright",
        "pytest",
        "rspec",
        "rubocop",
        "ruff",
        "stylelint",
        "tox",
        "tsc",
        "vitest",
        "vue-tsc",
    ];
    let own = outer.words.len().checked_sub(inner.words.len())?;
    let named = RUNNERS.contains(&outer.program()) && CHECKS.contains(&inner.program());
    let runs = outer.wraps && named && outer.words.ends_with(&inner.words);
    let words: Vec<&str> = outer.words.iter().take(own).map(|word| word.text.as_str()).collect();
    let plain = words.iter().all(|word| !word.starts_with('-'));
    (runs && plain && !inner.wraps)
        .then(|| prefix_of(inner))
        .flatten()
        .map(|prefix| format!("{} {prefix}", words.join(" ")))
}

/// Subcommands of docker that only show something: they need its socket, so they are asked about.
const DOCKER: &[&str] =
    &["compose config", "compose logs", "compose ps", "images", "info", "inspect", "logs", "ps", "version"];

/// The module that an interpreter runs by its name.
fn module_of(simple: &Simple) -> Option<&str> {
    let python = simple.program().trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') == "python";
    match simple.args() {
        [flag, module, ..] if python && flag.text == "-m" && module.is_fixed() => Some(&module.text),
        _ => None,
    }
}

/// Subcommands of git that a prefix may name: what they change stays in the repository.
const GIT: &[&str] = &["add", "commit"];

/// The program, and its subcommand where it has one.
fn prefix_of(simple: &Simple) -> Option<String> {
    let program = simple.words.first().filter(|word| word.is_fixed())?.text.as_str();
    let name = simple.program();
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_word = |text: &str| text.chars().all(|c| c.is_alphanumeric() || "._-".contains(c));
    if let Some(module) = module_of(simple).filter(|module| is_word(module) && is_word(program)) {
        return Some(format!("{program} -m {module}"));
    }
    if let ("git", Some(sub)) = (program, simple.args().first())
        && GIT.contains(&sub.text.as_str())
    {
        return Some(format!("git {}", sub.text));
    }
    let args: Vec<&str> = simple.args().iter().map(|word| word.text.as_str()).take(2).collect();
    if program == "docker"
        && let Some(sub) = DOCKER.iter().find(|sub| args.join(" ") == **sub || args.first() == Some(*sub))
    {
        return Some(format!("docker {sub}"));
    }
    if program == "node" && args.first() == Some(&"--test") {
        return Some("node --test".to_owned());
    }
    if TOO_WIDE.contains(&base) || !program.chars().all(|c| c.is_alphanumeric() || "._-/+".contains(c)) {
        return None;
    }
    let mut prefix = program.to_owned();
    if WITH_SUBCOMMANDS.contains(&name) {
        // `npm run build` is as far from `npm run deploy` as `npm test` is from `npm publish`.
        for word in simple.args().iter().take_while(|word| word.is_fixed() && !word.text.starts_with('-')).take(2) {
            if prefix.contains(' ') && !prefix.ends_with(" run") {
                break;
            }
            if word.text.contains(|c: char| c.is_whitespace() || c == '*' || c == ')') {
                return None;
            }
            prefix = format!("{prefix} {}", word.text);
        }
        if !prefix.contains(' ') {
            return None;
        }
    }
    Some(prefix)
}

#[cfg(test)]
mod tests {
    use super::{suggest, suggest_always};
    use crate::{Fallback, Posture, Rule, Rules, Verdict, evaluate};
    use reasonix_proto::{Action, Family, ReadOnly};

    fn unknown(line: &str) -> Action {
        Action { family: Family::Bash, subjects: vec![line.into()], read_only: ReadOnly::Unknown }
    }

    #[test]
    fn suggestions() {
        for (line, wanted) in [
            ("cargo test --all", vec!["Bash(cargo test --all)", "Bash(cargo test:*)"]),
            ("npm run build --prod", vec!["Bash(npm run build --prod)", "Bash(npm run build:*)"]),
            ("cargo -v test", vec!["Bash(cargo -v test)"]),
            ("touch a", vec!["Bash(touch a)", "Bash(touch:*)"]),
            ("git push", vec!["Bash(git push)"]),
            ("python3.11 x.py", vec!["Bash(python3.11 x.py)"]),
            ("sudo ls", vec!["Bash(sudo ls)"]),
            ("env FOO=1 make", vec!["Bash(env FOO=1 make)"]),
            ("A=1 make x", vec!["Bash(A=1 make x)"]),
            ("npm test && rm -rf x", vec!["Bash(npm test && rm -rf x)"]),
            ("cargo test 2>&1 | tail -5", vec!["Bash(cargo test 2>&1 | tail -5)", "Bash(cargo test:*)"]),
            ("cd sub && cargo test", vec!["Bash(cd sub && cargo test)", "Bash(cargo test:*)"]),
            ("cp * a", vec![]),
            ("cp a/* b", vec!["Bash(cp:*)"]),
            ("python3 -m pytest -q", vec!["Bash(python3 -m pytest -q)", "Bash(python3 -m pytest:*)"]),
            ("git commit -m x", vec!["Bash(git commit -m x)", "Bash(git commit:*)"]),
            (
                "git add . && git commit -m 'a b'",
                vec!["Bash(git add . && git commit -m 'a b')", "Bash(git add:* && git commit:*)"],
            ),
            (
                "cargo fmt && cargo test | tail -5",
                vec!["Bash(cargo fmt && cargo test | tail -5)", "Bash(cargo fmt:* && cargo test:*)"],
            ),
            ("uv run pytest -q", vec!["Bash(uv run pytest -q)", "Bash(uv run pytest:*)"]),
            ("npx tsc -p x", vec!["Bash(npx tsc -p x)", "Bash(npx tsc:*)"]),
            ("npx -y evil", vec!["Bash(npx -y evil)"]),
            ("npx evil", vec!["Bash(npx evil)"]),
            ("node --test", vec!["Bash(node --test)", "Bash(node --test:*)"]),
            ("docker ps -a", vec!["Bash(docker ps -a)", "Bash(docker ps:*)"]),
            ("docker compose logs web", vec!["Bash(docker compose logs web)", "Bash(docker compose logs:*)"]),
            ("docker run x", vec!["Bash(docker run x)"]),
            ("kubectl get pods", vec!["Bash(kubectl get pods)", "Bash(kubectl get:*)"]),
            ("cargo test $x", vec!["Bash(cargo test $x)"]),
            ("$x y", vec![]),
            ("eval \"$x\"", vec![]),
            ("python -c 'x'", vec!["Bash(python -c 'x')"]),
        ] {
            assert_eq!(suggest(&unknown(line)), wanted, "{line}");
        }
    }

    #[test]
    fn b13_always_is_never_offered_for_what_runs_other_programs() {
        for line in [
            "git push",
            "git commit -m x",
            "git add . && git commit -m x",
            "env FOO=1 make",
            "env make",
            "sudo ls",
            "sudo -u me cargo test",
            "doas ls",
            "python x.py",
            "python3.12 -c 'x'",
            "node -e 1",
            "bash x.sh",
            "bash -c 'cargo test'",
            "xargs touch",
            "timeout 5 cargo test",
            "nohup cargo test",
            "npx jest",
            "uv run pytest",
            "A=1 cargo test",
            "cargo test && git push",
            "ssh host ls",
            "find . -exec touch {} +",
            "$x y",
            "eval \"$x\"",
            "",
        ] {
            assert_eq!(suggest_always(&unknown(line)), [""; 0], "{line}");
        }
        let edit = |paths: &[&str]| Action::writes(Family::Edit, paths.iter().map(|path| (*path).into()).collect());
        for paths in [&["a", "b"][..], &["a*"], &["AGENTS.md"], &[".mcp.json"], &["~/x"], &[]] {
            assert_eq!(suggest_always(&edit(paths)), [""; 0], "{paths:?}");
        }
        assert_eq!(suggest_always(&edit(&["src/a.rs"])), ["Edit(src/a.rs)"]);
        assert_eq!(suggest_always(&unknown("cargo test -q")), ["Bash(cargo test -q)", "Bash(cargo test:*)"]);
        assert_eq!(suggest_always(&unknown("make check")), ["Bash(make check)"]);
    }

    #[test]
    fn a_rule_for_good_permits_what_it_was_offered_for() {
        for line in ["cargo test --all", "touch a", "npm run build > log", "make check", "cd sub && cargo test"] {
            let offered = suggest_always(&unknown(line));
            assert!(!offered.is_empty(), "{line}");
            for rule in offered {
                let rules = Rules::parse(&[], &[], std::slice::from_ref(&rule), Fallback::Ask).unwrap();
                let verdict = evaluate(&rules, &[], Posture::Ask, "bash", &unknown(line));
                assert!(matches!(verdict, Verdict::Allow(_)), "{rule} {line}");
            }
        }
    }

    #[test]
    fn a_suggested_rule_permits_what_it_was_suggested_for() {
        for line in [
            "cargo test --all",
            "npm test && rm -rf x",
            "cp a/* b",
            "cargo test $x",
            "python3 -m pytest -q",
            "git add . && git commit -m 'a b'",
            "git push",
            "git commit -m \"a  b\"",
            "cargo test 2>&1 | tail -5",
            "cd sub && cargo test",
            "python -c 'x'",
        ] {
            for rule in suggest(&unknown(line)) {
                let granted = [Rule::parse(&rule).unwrap()];
                let rules = Rules::parse(&[], &[], &[], Fallback::Ask).unwrap();
                let verdict = evaluate(&rules, &granted, Posture::Ask, "bash", &unknown(line));
                assert!(matches!(verdict, Verdict::Allow(_)), "{rule} {line}");
            }
        }
    }
}
