//! How far a rule that allows may reach: prefixes that would cover code or another program are refused when they are
//! written, and each refusal names a narrower one.

use crate::analyse::{always_takes_code, analyse, is_shell, runs_by_words, takes_code, wraps};
use crate::effects::{Simple, Word};
use crate::readers::without_git_options;
use crate::strays::loads;

/// Programs whose first argument says what they do; alone they do anything, other programs among it.
#[rustfmt::skip]
pub(crate) const WITH_SUBCOMMANDS: &[&str] = &[
    "apt", "apt-get", "aws", "az", "bazel", "brew", "bun", "bundle", "cabal", "cargo", "composer", "conda", "deno", "docker", "docker-compose", "dotnet",
    "flatpak", "gcloud", "gh", "git", "glab", "go", "gradle", "gradlew", "hatch", "helm", "hg", "ip", "just", "kubectl", "mamba", "mise", "mix", "mvn", "nix",
    "npm", "openssl", "pdm", "perf", "pip", "pip3", "pipenv", "pipx", "pnpm", "podman", "poetry", "rake", "rustup", "snap", "stack", "svn", "swift",
    "systemctl", "terraform", "tofu", "uv", "vagrant", "yarn", "zig",
];

/// Programs that a prefix never fits, as they run what they are given or what a person types into them.
#[rustfmt::skip]
const TOO_WIDE: &[&str] = &[
    ".", "at", "awk", "batch", "cmd", "ed", "eval", "exec", "fd", "fdfind", "find", "fish", "fzf", "gawk", "less", "mawk", "more", "most", "nawk", "original-awk", "parallel", "pg",
    "sed", "source", "ssh", "watch", "xargs",
];

/// Subcommands that run a file, a program or any other subcommand that is named behind them.
#[rustfmt::skip]
const OPEN_SUBCOMMANDS: &[(&str, &str, &str)] = &[
    ("bun", "run", "bun run build"), ("coverage", "run", "coverage run -m pytest"), ("deno", "run", "deno run scripts/check.ts"), ("deno", "task", "deno task test"), ("docker", "compose", "docker compose ps"), ("docker", "container", "docker container ls"),
    ("go", "run", "go run ./cmd/check"), ("go", "tool", "go tool cover"), ("kotlin", "run", "kotlin run Check.kt"), ("mix", "run", "mix run scripts/check.exs"), ("podman", "compose", "podman compose ps"), ("rails", "runner", "rails runner scripts/check.rb"), ("swift", "script", "swift test"),
    ("yarn", "workspace", "yarn workspace app test"), ("yarn", "workspaces", "yarn workspaces list"), ("zig", "run", "zig run src/check.zig"), ("conda", "env", "conda env list"), ("nix", "flake", "nix flake check"), ("uv", "tool", "uv tool list"), ("gcloud", "compute", "gcloud compute instances list"), ("aws", "s3", "aws s3 ls"),
];

/// Options before a subcommand that only say how loud it is, or where in the project it works: alone, and with a value.
#[rustfmt::skip]
const BEFORE_SUBCOMMAND: &[(&[&str], &str, &str)] = &[
    (&["apt", "apt-get", "dnf", "yum"], "-y -q -qq --yes --quiet", ""),
    (&["bun"], "--silent", ""),
    (&["cargo"], "-q -v -vv --quiet --verbose --locked --offline --frozen", "--color"),
    (&["composer"], "-n -q -v --no-interaction --quiet --no-ansi", ""),
    (&["gh", "glab"], "", "-R --repo"),
    (&["gradle", "gradlew"], "-q -i -s --quiet --info --stacktrace --offline --no-daemon --daemon --continue --parallel --console=plain", "--warning-mode --console"),
    (&["kubectl", "helm", "oc"], "-A --all-namespaces", "-n --namespace"),
    (&["mvn", "mvnw"], "-q -B -e -o -U -X -V -am -fae -ff -ntp --quiet --batch-mode --errors --offline --also-make --no-transfer-progress", "-pl --projects -T --threads"),
    (&["npm"], "-s -q --silent --quiet --workspaces --ws --include-workspace-root", "-w --workspace"),
    (&["pip", "pip3", "poetry", "uv", "pdm"], "-q -n --quiet --no-interaction --offline --no-progress --no-input", ""),
    (&["pnpm"], "-r -w -s --recursive --workspace-root --silent --parallel --stream", "--filter -F"),
    (&["rake"], "-s -q --silent --quiet", ""),
    (&["systemctl"], "--user --no-pager", ""),
    (&["yarn"], "-s --silent", ""),
];

/// Why a prefix of these words may not allow, with what to write instead; none when it may.
pub(crate) fn too_far(words: &[&str]) -> Option<String> {
    let Some((first, args)) = words.split_first() else {
        return Some("it names no program; write one, such as Bash(cargo test:*)".to_owned());
    };
    let name = first.rsplit('/').next().unwrap_or(first);
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if first.contains('=') {
        return Some(format!(
            "{first} sets a variable, and no pattern covers that; allow the program, such as Bash(cargo test:*), or write the exact line"
        ));
    }
    if wraps(name) || runs_by_words(name, args) {
        return behind(words, name);
    }
    if always_takes_code(name) {
        return Some(format!(
            "no pattern covers what {name} is told to do; put it into a script and allow that: Bash(./scripts/check:*)"
        ));
    }
    if let Some((.., narrower)) = OPEN_SUBCOMMANDS.iter().find(|(program, sub, _)| *program == name && args == [*sub]) {
        return Some(format!(
            "{} runs whatever is named behind it; name that, such as Bash({narrower}:*)",
            words.join(" ")
        ));
    }
    let subcommand =
        WITH_SUBCOMMANDS.contains(&name) && name != "deno" && names_subcommand(name, words) && name != "bun";
    if !subcommand && (is_shell(name) || takes_code(base) || takes_code(name)) {
        return for_interpreter(first, base, args);
    }
    if WITH_SUBCOMMANDS.contains(&name) && !names_subcommand(name, words) {
        let example = example(name);
        return Some(format!(
            "every subcommand of {name} would be allowed, and some run other programs; name one, such as Bash({example}:*)"
        ));
    }
    by_options(words, name, base, args)
}

/// The same for what is neither a wrapper nor an interpreter, and has its subcommand.
fn by_options(words: &[&str], name: &str, base: &str, args: &[&str]) -> Option<String> {
    if TOO_WIDE.contains(&name)
        && (args.is_empty() || matches!(name, "at" | "batch" | "eval" | "exec" | "source" | "."))
    {
        let example = example(name);
        return Some(format!("{name} runs what it is told to; name the form that you mean, such as Bash({example}:*)"));
    }
    const RUNS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"];
    if matches!(name, "find" | "fd" | "fdfind") && args.iter().any(|word| RUNS.contains(word)) {
        return Some(format!(
            "any program could follow; allow what {name} finds to be listed, Bash({name} . -name:*), or write the exact command"
        ));
    }
    if let [before @ .., last] = words
        && loads(name, last)
        && !last.contains('=')
    {
        let shorter = before.join(" ");
        let narrower = if too_far(before).is_none() { shorter } else { format!("{name} {}", example_of(name)) };
        return Some(format!(
            "{last} loads or runs whatever is named behind it; name that too, or leave it out: Bash({narrower}:*)"
        ));
    }
    let code = !matches!(base, "sed" | "awk" | "gawk" | "mawk") && analyse(&words.join(" ")).interprets;
    code.then(|| {
        format!("it gives {name} code, or a program to run, which no pattern covers; put it into a script and allow that: Bash(./scripts/check:*)")
    })
}

/// A wrapper, or a program with a subcommand that is one: the rule must name what is run, and that must be no such program.
fn behind(words: &[&str], name: &str) -> Option<String> {
    let effects = analyse(&words.join(" "));
    let inner = effects.commands.iter().find(|simple| !simple.wraps);
    let outer = effects.commands.iter().any(|simple| simple.wraps && simple.program() == name);
    match inner {
        Some(inner) if outer && effects.hidden.is_none() && !effects.interprets => {
            let words: Vec<&str> = inner.words.iter().map(|word| word.text.as_str()).collect();
            too_far(&words)
        }
        _ => Some(format!(
            "any program could follow {}; allow that program itself, such as Bash(cargo test:*), or the exact command",
            words.join(" ")
        )),
    }
}

/// An interpreter may be allowed one script, one module, or the tests of the folder.
fn for_interpreter(first: &str, base: &str, args: &[&str]) -> Option<String> {
    let named = match args {
        ["-m", module, ..] => matches!(base, "python" | "pypy") && !module.starts_with('-'),
        ["--test", rest @ ..] => matches!(base, "node" | "nodejs") && rest.iter().all(|word| !word.starts_with('-')),
        ["-jar", file, ..] => base == "java" && !file.starts_with('-'),
        [script, ..] => !script.starts_with(['-', '+', '@']),
        [] => false,
    };
    let example = match base {
        "python" | "pypy" => format!("{first} -m pytest"),
        "node" | "nodejs" => format!("{first} --test"),
        "java" => format!("{first} -jar build/app.jar"),
        "bun" | "deno" => format!("{first} test"),
        _ => format!("{first} scripts/check"),
    };
    (!named).then(|| {
        format!("{first} runs any code that it is given; name the script or the module, such as Bash({example}:*)")
    })
}

fn names_subcommand(name: &str, words: &[&str]) -> bool {
    let fixed = words.iter().map(|word| Word::fixed(*word)).collect();
    let simple = Simple { words: fixed, places: crate::effects::Places::default(), wraps: false };
    match name {
        "git" => without_git_options(&simple).is_some_and(|bare| !bare.args().is_empty()),
        _ => before_subcommand(name, words.get(1..).unwrap_or_default())
            .first()
            .is_some_and(|word| !word.starts_with(['-', '+', '@'])),
    }
}

/// The words without the options before a subcommand that change nothing about it.
fn before_subcommand<'w>(name: &str, words: &'w [&'w str]) -> &'w [&'w str] {
    let listed = |list: &str, word: &str| list.split_whitespace().any(|known| known == word);
    let row = BEFORE_SUBCOMMAND.iter().find(|(names, ..)| names.contains(&name));
    let Some((_, alone, valued)) = row else { return words };
    let mut rest = words;
    while let Some((word, more)) = rest.split_first() {
        let attached = word.split_once('=').is_some_and(|(flag, _)| listed(valued, flag));
        rest = if listed(alone, word) || attached || (name == "cargo" && word.starts_with('+') && word.len() > 1) {
            more
        } else if listed(valued, word) && more.len() > 1 {
            more.get(1..).unwrap_or_default()
        } else {
            break;
        };
    }
    rest
}

/// True for a command that is found by the folder it runs in: a program by a relative path, or a script. In another folder
/// it is another one.
pub(crate) fn is_of_its_folder(simple: &Simple) -> bool {
    let Some(program) = simple.words.first() else { return false };
    let name = simple.program();
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let script = |word: &&Word| !word.text.starts_with(['-', '/']) && (name != "bun" || word.text.contains(['.', '/']));
    let relative = program.text.contains('/') && !program.text.starts_with('/');
    relative
        || ((is_shell(name) || takes_code(base) || takes_code(name))
            && simple.args().first().is_some_and(|word| script(&word)))
}

/// A narrower prefix, for people.
#[rustfmt::skip]
fn example(name: &str) -> &str {
    match name {
        "apt" | "apt-get" => "apt list", "aws" => "aws s3 ls", "az" => "az group list", "bazel" => "bazel test", "brew" => "brew list", "bun" => "bun test", "bundle" => "bundle check", "cargo" => "cargo test", "composer" => "composer validate",
        "conda" | "mamba" => "conda list", "deno" => "deno test", "docker" | "podman" => "docker ps", "docker-compose" => "docker-compose ps", "dotnet" => "dotnet test", "find" => "find . -name", "fd" | "fdfind" => "fd -t f", "gcloud" => "gcloud config list", "gh" => "gh pr view", "git" => "git commit",
        "go" => "go test", "gradle" | "gradlew" => "gradle test", "helm" => "helm list", "hg" => "hg status", "ip" => "ip addr", "just" => "just test", "kubectl" => "kubectl get", "less" | "more" | "most" | "pg" => "less README.md", "make" => "make test", "mix" => "mix test", "mvn" => "mvn test", "nix" => "nix flake check", "npm" => "npm test",
        "openssl" => "openssl version", "pip" | "pip3" => "pip list", "pnpm" => "pnpm test", "poetry" => "poetry check", "rake" => "rake test", "rustup" => "rustup show", "sed" => "sed -n", "svn" => "svn status", "swift" => "swift test", "systemctl" => "systemctl status", "terraform" | "tofu" => "terraform plan", "uv" => "uv run pytest", "yarn" => "yarn test", "zig" => "zig build",
        "awk" | "gawk" | "mawk" | "nawk" | "original-awk" => "awk -F: '{print $1}'", "ssh" | "at" | "batch" | "cmd" | "ed" | "eval" | "exec" | "fish" | "source" | "." | "watch" | "fzf" => "./scripts/check",
        _ => "cargo test",
    }
}

/// Its arguments alone.
fn example_of(name: &str) -> &str {
    example(name).split_once(' ').map_or("", |(_, args)| args)
}
