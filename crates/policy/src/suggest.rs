//! Rules that a person may grant when asked, narrowest first.

use crate::command;
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

/// The rules to offer for this call.
pub fn suggest(action: &Action) -> Vec<String> {
    match action.family {
        Family::Bash => action.subjects.first().map(|line| for_command(line)).unwrap_or_default(),
        Family::Edit => vec!["Edit".to_owned()],
        family => vec![family.name().to_owned()],
    }
}

fn for_command(line: &str) -> Vec<String> {
    let mut rules = vec![format!("Bash({})", command::normal(line))];
    if let Some(prefix) = prefix_of(line) {
        rules.push(format!("Bash({prefix}:*)"));
    }
    // A text with `*` or `:*` in it would be read as a pattern, and permit more than was shown.
    if line.contains('*') || line.contains('\n') {
        rules.remove(0);
    }
    rules
}

/// The program, and its subcommand where it has one.
fn prefix_of(line: &str) -> Option<String> {
    if !command::is_simple(line) || command::has_assignment(line) {
        return None;
    }
    let mut words = command::words(line);
    let program = words.next()?;
    let name = program.rsplit('/').next().unwrap_or(program);
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if TOO_WIDE.contains(&base) || !program.chars().all(|c| c.is_alphanumeric() || "._-/+".contains(c)) {
        return None;
    }
    let mut prefix = program.to_owned();
    if WITH_SUBCOMMANDS.contains(&name) {
        // `npm run build` is as far from `npm run deploy` as `npm test` is from `npm publish`.
        for word in words.take_while(|word| !word.starts_with('-')).take(2) {
            if prefix.contains(' ') && !prefix.ends_with(" run") {
                break;
            }
            prefix = format!("{prefix} {word}");
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
    use crate::Rule;
    use reasonix_proto::{Action, Family};

    #[test]
    fn suggestions() {
        for (line, wanted) in [
            ("cargo test --all", vec!["Bash(cargo test --all)", "Bash(cargo test:*)"]),
            ("npm run build --prod", vec!["Bash(npm run build --prod)", "Bash(npm run build:*)"]),
            ("cargo -v test", vec!["Bash(cargo -v test)"]),
            ("touch a", vec!["Bash(touch a)", "Bash(touch:*)"]),
            ("ls -la", vec!["Bash(ls -la)", "Bash(ls:*)"]),
            ("git push", vec!["Bash(git push)"]),
            ("python3.11 x.py", vec!["Bash(python3.11 x.py)"]),
            ("sudo ls", vec!["Bash(sudo ls)"]),
            ("A=1 make x", vec!["Bash(A=1 make x)"]),
            ("npm test && rm -rf x", vec!["Bash(npm test && rm -rf x)"]),
            ("ls *", vec!["Bash(ls:*)"]),
        ] {
            let action = Action::writes(Family::Bash, vec![line.into()]);
            assert_eq!(suggest(&action), wanted, "{line}");
        }
    }

    #[test]
    fn a_suggested_rule_permits_what_it_was_suggested_for() {
        for line in ["cargo test --all", "npm test && rm -rf x", "ls *", "git push"] {
            let action = Action::writes(Family::Bash, vec![line.into()]);
            for rule in suggest(&action) {
                assert!(Rule::parse(&rule).unwrap().permits("bash", &action) || line.contains('*'), "{rule}");
            }
        }
    }
}
