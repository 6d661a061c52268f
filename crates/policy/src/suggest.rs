//! Rules that a person may grant when asked, narrowest first.

use crate::analyse::analyse;
use crate::effects::{Effects, Simple};
use crate::readers::is_reader;
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

/// Programs whose first argument says what they do: a prefix includes it.
const WITH_SUBCOMMANDS: &[&str] = &[
    "apt",
    "bazel",
    "brew",
    "bundle",
    "cabal",
    "cargo",
    "composer",
    "dotnet",
    "gh",
    "go",
    "gradle",
    "gradlew",
    "hatch",
    "just",
    "kubectl",
    "mix",
    "mvn",
    "npm",
    "pip",
    "pip3",
    "pnpm",
    "poetry",
    "rake",
    "rustup",
    "stack",
    "swift",
    "systemctl",
    "terraform",
    "yarn",
    "zig",
];

/// The rules to offer for this call. None for what no rule may cover.
pub fn suggest(action: &Action) -> Vec<String> {
    match action.family {
        Family::Bash => action.subjects.first().map(|line| for_command(line)).unwrap_or_default(),
        Family::Edit => vec!["Edit".to_owned()],
        family => vec![family.name().to_owned()],
    }
}

fn for_command(line: &str) -> Vec<String> {
    let effects = analyse(line);
    if effects.hidden.is_some() {
        return Vec::new();
    }
    let mut rules = Vec::new();
    // A text with `*` or `:*` in it would be read as a pattern, and permit more than was shown.
    if !line.contains(['*', '\n', '(', ')']) {
        rules.push(format!("Bash({})", line.trim()));
    }
    let clear =
        !effects.interprets && !effects.assigns && !effects.reads && !effects.writes.iter().any(|write| write.redirect);
    if let (Some(simple), true) = (the_one(&effects), clear) {
        rules.extend(prefix_of(simple).map(|prefix| format!("Bash({prefix}:*)")));
    }
    rules
}

/// The one command of the line that is not only a reader.
fn the_one(effects: &Effects) -> Option<&Simple> {
    if let [simple] = effects.commands.as_slice() {
        return Some(simple);
    }
    let mut others = effects.commands.iter().filter(|simple| !is_reader(simple));
    others.next().filter(|_| others.next().is_none())
}

/// The program, and its subcommand where it has one.
fn prefix_of(simple: &Simple) -> Option<String> {
    let program = simple.words.first().filter(|word| word.is_fixed())?.text.as_str();
    let name = simple.program();
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
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
    use super::suggest;
    use crate::{Mode, Posture, Rule, Rules, Verdict, evaluate};
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
            ("cp * a", vec!["Bash(cp:*)"]),
            ("$x y", vec![]),
            ("eval \"$x\"", vec![]),
            ("python -c 'x'", vec!["Bash(python -c 'x')"]),
        ] {
            assert_eq!(suggest(&unknown(line)), wanted, "{line}");
        }
    }

    #[test]
    fn a_suggested_rule_permits_what_it_was_suggested_for() {
        for line in [
            "cargo test --all",
            "npm test && rm -rf x",
            "cp * a",
            "git push",
            "git commit -m \"a  b\"",
            "cargo test 2>&1 | tail -5",
            "cd sub && cargo test",
            "python -c 'x'",
        ] {
            for rule in suggest(&unknown(line)) {
                let granted = [Rule::parse(&rule).unwrap()];
                let rules = Rules::parse(&[], &[], &[], Mode::Ask).unwrap();
                let verdict = evaluate(&rules, &granted, Posture::Ask, "bash", &unknown(line));
                assert!(matches!(verdict, Verdict::Allow(_)), "{rule} {line}");
            }
        }
    }
}
