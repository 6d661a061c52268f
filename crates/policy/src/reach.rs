//! How far a rule that allows may reach: prefixes that would cover code or another program are refused when they are
//! written, and options that write or lead elsewhere are covered only by a rule that names them.

use crate::analyse::{always_takes_code, analyse, is_shell, runs_by_words, takes_code, wraps};
use crate::effects::{Simple, Word, is_flag};
use crate::readers::without_git_options;

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

/// Why a prefix of these words may not allow, with what to write instead; none when it may.
pub(crate) fn too_far(words: &[&str]) -> Option<String> {
    let Some((first, args)) = words.split_first() else { return Some("it names no program".to_owned()) };
    let name = first.rsplit('/').next().unwrap_or(first);
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if wraps(name) || runs_by_words(name, args) {
        return behind(words, name);
    }
    if always_takes_code(name) {
        return Some(format!("no pattern covers what {name} is told to do; write the exact command"));
    }
    if is_shell(name) || takes_code(base) || takes_code(name) {
        return for_interpreter(first, base, args);
    }
    if WITH_SUBCOMMANDS.contains(&name) && !names_subcommand(name, words) {
        let example = example(name);
        return Some(format!(
            "every subcommand of {name} would be allowed, and some run other programs; name one, such as Bash({example}:*)"
        ));
    }
    if TOO_WIDE.contains(&name)
        && (args.is_empty() || matches!(name, "at" | "batch" | "eval" | "exec" | "source" | "."))
    {
        let example = example(name);
        return Some(format!("{name} runs what it is told to; name the form that you mean, such as Bash({example}:*)"));
    }
    const RUNS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"];
    if matches!(name, "find" | "fd" | "fdfind") && args.iter().any(|word| RUNS.contains(word)) {
        return Some(format!("any program could follow; allow what {name} finds to be listed, and the exact command"));
    }
    let code = !matches!(base, "sed" | "awk" | "gawk" | "mawk") && analyse(&words.join(" ")).interprets;
    code.then(|| format!("it gives {name} code, or a program to run, which no pattern covers; write the exact command"))
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

/// An interpreter may be allowed one script, or one module.
fn for_interpreter(first: &str, base: &str, args: &[&str]) -> Option<String> {
    let named = match args {
        ["-m", module, ..] => matches!(base, "python" | "pypy") && !module.starts_with('-'),
        [script, ..] => !script.starts_with(['-', '+']),
        [] => false,
    };
    let example = match base {
        "python" | "pypy" => format!("{first} -m pytest"),
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
        _ => words.get(1).is_some_and(|word| !word.starts_with(['-', '+'])),
    }
}

/// A narrower prefix, for people.
fn example(name: &str) -> &str {
    match name {
        "git" => "git commit",
        "npm" | "pnpm" | "yarn" | "bun" => "npm test",
        "go" => "go test",
        "cargo" => "cargo test",
        "docker" | "podman" => "docker build",
        "kubectl" => "kubectl get",
        "find" | "fd" | "fdfind" => "find . -name",
        "sed" => "sed -n",
        "pip" | "pip3" | "uv" | "poetry" => "pip list",
        "make" | "just" | "rake" => "just test",
        _ => "cargo test",
    }
}

/// Options that write a file, or lead a program to other code than that of this folder.
#[rustfmt::skip]
const STRAYS: &[(&[&str], &[&str])] = &[
    (&["ant"], &["-f", "-buildfile", "-lib"]),
    (&["bazel"], &["--run_under", "--bazelrc"]),
    (&["cargo"], &["--manifest-path", "--target-dir", "--out-dir", "--artifact-dir", "-C"]),
    (&["cmake"], &["-C", "--graphviz"]),
    (&["ctags", "etags"], &["-o", "-f", "--options"]),
    (&["curl"], &["-o", "-O", "-D", "-c", "-T", "-J", "--output", "--output-dir", "--remote-name", "--dump-header", "--cookie-jar", "--upload-file", "--trace", "--trace-ascii", "--stderr", "--libcurl", "--hsts", "--alt-svc", "--etag-save"]),
    (&["date"], &["-s", "--set"]),
    (&["dmesg"], &["-c", "-C", "-D", "-E", "-n", "--clear", "--read-clear"]),
    (&["dotnet"], &["--output", "-o"]),
    (&["eslint", "stylelint", "jshint"], &["--fix", "-o", "--output-file", "--rulesdir", "--resolve-plugins-relative-to", "--plugin", "-c", "--config", "--parser", "-f", "--format"]),
    (&["find"], &["-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls"]),
    (&["flake8", "mypy", "tox", "nox", "coverage", "pre-commit"], &["--config", "--config-file", "--python-executable", "-c", "-f", "--noxfile", "--rcfile", "--append-config"]),
    (&["gcc", "g++", "cc", "clang", "clang++"], &["-o", "-MF", "-dumpdir"]),
    (&["git"], &["--output", "--output-directory", "--git-dir", "--work-tree"]),
    (&["go"], &["-C", "-o", "-modfile", "-pkgdir", "-coverprofile", "-cpuprofile", "-memprofile", "-trace", "-outputdir", "-mutexprofile", "-blockprofile"]),
    (&["gpg", "gpg2"], &["-o", "--output", "--exec-path", "--photo-viewer", "--pinentry-mode"]),
    (&["gradle", "gradlew"], &["-b", "-p", "-c", "--build-file", "--project-dir", "--settings-file", "--include-build"]),
    (&["helm"], &["--post-renderer", "--output-dir", "--kubeconfig"]),
    (&["jest", "vitest", "mocha", "playwright", "webpack", "rollup", "vite", "ava", "cypress", "karma", "tsup", "esbuild"], &["-c", "--config", "-r", "--require", "--globalSetup", "--globalTeardown", "--setupFiles", "--setupFilesAfterEnv", "--runner", "--testRunner", "--reporters", "--reporter", "--transform", "--resolver", "--rootDir", "--outfile", "--outdir", "--outputFile", "--plugin", "--environment", "--testEnvironment", "-u", "--updateSnapshot", "--update", "--import", "--file"]),
    (&["journalctl"], &["--vacuum-size", "--vacuum-time", "--vacuum-files", "--rotate", "--flush", "--sync", "--cursor-file"]),
    (&["just"], &["-f", "--justfile", "-d", "--working-directory", "--edit", "-e"]),
    (&["kubectl"], &["--kubeconfig"]),
    (&["less", "more", "most"], &["-o", "-O", "--log-file", "--LOG-FILE"]),
    (&["make", "gmake", "ninja", "scons", "meson"], &["-f", "-C", "-I", "-o", "-W", "--file", "--makefile", "--directory", "--include-dir"]),
    (&["mvn"], &["-f", "--file", "-s", "--settings", "-gs", "-l", "--log-file"]),
    (&["nmap"], &["-oN", "-oX", "-oG", "-oA", "-oS", "--script", "--datadir"]),
    (&["npm", "pnpm", "yarn", "bun"], &["--prefix", "-C", "--dir", "--cwd", "--cache", "--require", "-r", "--config", "--modules-dir", "--store-dir"]),
    (&["openssl"], &["-out", "-writerand", "-keyout"]),
    (&["pandoc"], &["-o", "--output", "-F", "--filter", "-L", "--lua-filter", "--pdf-engine", "-d", "--defaults", "--extract-media", "-t", "--to"]),
    (&["perf", "strace", "ltrace", "time"], &["-o", "--output"]),
    (&["phpunit"], &["--bootstrap", "-c", "--configuration", "--prepend", "--include-path"]),
    (&["pip", "pip3"], &["--target", "-t", "--prefix", "--root", "--src", "--log", "--cache-dir", "--python", "--report"]),
    (&["prettier"], &["--write", "-w", "--plugin", "--config", "--plugin-search-dir"]),
    (&["protoc"], &["--plugin", "-o", "--descriptor_set_out"]),
    (&["pytest", "py.test"], &["-c", "--config-file", "--rootdir", "--confcutdir", "--basetemp", "--junitxml", "--junit-xml", "--log-file", "--debug", "--import-mode"]),
    (&["rspec", "rubocop", "minitest"], &["-r", "--require", "-I", "-o", "--out", "-a", "-A", "--auto-correct", "--config"]),
    (&["ruff", "black", "isort", "autopep8", "yapf"], &["--fix", "--config", "--output-file", "-o", "-i", "--in-place"]),
    (&["rustc", "rustdoc"], &["-o", "--out-dir", "--emit"]),
    (&["sed", "gsed"], &["-i", "--in-place", "-f", "--file"]),
    (&["shuf"], &["-o", "--output"]),
    (&["sort"], &["-o", "--output", "-T", "--temporary-directory"]),
    (&["ssh-keygen"], &["-f", "-D", "-w"]),
    (&["sysctl"], &["-w", "--write", "-p", "--load", "--system"]),
    (&["tar", "bsdtar"], &["-C", "--directory", "-P", "--absolute-names", "--index-file", "-g", "--listed-incremental"]),
    (&["tcpdump", "tshark", "dumpcap"], &["-w", "-W"]),
    (&["terraform", "tofu"], &["-chdir", "-out", "-state-out"]),
    (&["tree"], &["-o", "-R", "--output"]),
    (&["unzip"], &["-d"]),
    (&["wget"], &["-O", "-o", "-P", "-i", "--output-document", "--output-file", "--directory-prefix", "--input-file", "-a", "--append-output", "--save-cookies", "--warc-file"]),
    (&["xmllint", "xsltproc"], &["-o", "--output"]),
    (&["yq"], &["-i", "--inplace", "--in-place", "-s", "--split-exp"]),
];

/// True when the command has an option that writes or leads elsewhere, and the rule does not name it.
pub(crate) fn strays(simple: &Simple, named: &[&str]) -> bool {
    let is_named = |word: &Word| named.contains(&word.text.as_str());
    let program = simple.program();
    // A module that is run by its name is a program of its own.
    let (program, args) = match (program.starts_with("python"), simple.args()) {
        (true, [flag, module, rest @ ..]) if flag.text == "-m" => (module.text.as_str(), rest),
        (_, args) => (program, args),
    };
    let more = matches!(program, "uniq" | "xxd") && simple.operands().len() > 1;
    let flags = STRAYS.iter().filter(|(programs, _)| programs.contains(&program)).flat_map(|(_, flags)| flags.iter());
    let mut flags = flags.peekable();
    if flags.peek().is_none() {
        return more;
    }
    let flags: Vec<&&str> = flags.collect();
    more || args
        .iter()
        .take_while(|word| word.text != "--")
        .any(|word| !is_named(word) && flags.iter().any(|flag| is_option(&word.text, flag)))
}

fn is_option(text: &str, flag: &str) -> bool {
    if flag.len() > 2 && !flag.starts_with("--") {
        let name = text.split('=').next().unwrap_or(text);
        return name == flag || name.strip_prefix('-') == Some(flag);
    }
    is_flag(text, flag)
}
