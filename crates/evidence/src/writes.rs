//! What a command did to files, as far as its words tell. A command that nobody knows may have written anything.

use crate::check::{self, Check, assignment};
use crate::command;
use crate::pattern::patterns;
use crate::ran::Ran;
use reasonix_policy::analyse;
use reasonix_proto::ReadOnly;

/// What one call did to files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Written {
    /// Files that are known to have been written.
    pub(crate) paths: Vec<String>,
    /// Files that are gone.
    pub(crate) gone: Vec<String>,
    /// Files that were moved: from where and to where.
    pub(crate) moved: Vec<(String, String)>,
    /// Files that may have been written, where nobody can see whether they were.
    pub(crate) maybe: Vec<String>,
    /// Those of them that may be gone.
    pub(crate) perhaps_gone: Vec<String>,
    /// True when there may be others.
    pub(crate) perhaps: bool,
    /// Files that the output of a program says it wrote.
    pub(crate) told: Vec<String>,
    /// What a look at the files found changed between the looks before and behind it; none where nobody looked.
    pub(crate) found: Option<Vec<String>>,
}

impl Written {
    pub(crate) fn is_nothing(&self) -> bool {
        self.paths.is_empty() && self.gone.is_empty() && self.maybe.is_empty() && self.told.is_empty() && !self.perhaps
    }

    /// The first of it that code may depend on; an empty one where only a command is known.
    pub(crate) fn code(&self) -> Option<&str> {
        let named = self.paths.iter().chain(&self.gone).chain(&self.maybe).find(|path| is_code(path));
        named.map(String::as_str).or(self.perhaps.then_some(""))
    }

    /// True when some file is known to have changed.
    pub(crate) fn is_known(&self) -> bool {
        !self.paths.is_empty() || !self.gone.is_empty()
    }

    /// The first of it that is code which was changed as far as anybody knows: where somebody looked, what is there says what
    /// may have been written. An empty one where nobody looked and only a command is known.
    pub(crate) fn changed_code(&self) -> Option<&str> {
        let named = self.paths.iter().chain(&self.gone).find(|path| is_code(path));
        named.map(String::as_str).or_else(|| match &self.found {
            Some(_) => self.found_code(&[]),
            None => self.code(),
        })
    }

    /// The first file of code that a look found changed, but for these.
    pub(crate) fn found_code(&self, but: &[String]) -> Option<&str> {
        let found = self.found.iter().flatten().map(String::as_str);
        found.into_iter().find(|path| is_changed_code(path) && !but.iter().any(|other| other == path))
    }

    /// True when code is known to have changed.
    pub(crate) fn is_known_code(&self) -> bool {
        self.code().is_some_and(|path| !path.is_empty())
    }

    pub(crate) fn join(&mut self, other: Self) {
        self.paths.extend(other.paths);
        self.gone.extend(other.gone);
        self.moved.extend(other.moved);
        self.maybe.extend(other.maybe);
        self.perhaps_gone.extend(other.perhaps_gone);
        self.told.extend(other.told);
        self.perhaps |= other.perhaps;
        self.found = None;
    }

    /// The same where nobody can see whether it was done.
    pub(crate) fn unseen(mut self) -> Self {
        self.moved.clear();
        self.perhaps_gone.extend(self.gone.iter().cloned());
        let all = std::mem::take(&mut self.paths).into_iter().chain(std::mem::take(&mut self.gone));
        self.maybe.extend(all);
        self
    }
}

patterns! {
    WROTE = r"(?im)^\W*(?:wrote|created?|creating|updated?|updating|generated?|generating|saved?|saving|writing)\b";
    TOLD_FILE = r#"(?im)(?:^\W*(?:[\w.]+\W+)?|\b(?:report|results?|chart|output|data|file|file was|successfully|been|and) )(?:wrote|written|created?|generated|generating|saved|saving|writing|exported|export)\b(?: [\w-]+){0,4}?(?: to| at| in| as| into)?:? +[`'"]?([^\s`'"(),:;*<>]+\.[a-z][a-z0-9]{0,9})[`'"]?(?:[\s.,;:)(（]|$)|(?:写入|生成|保存|导出|输出)(?:了|到|至|为|在|成功|完成|完毕|文件)*[:： ]*[`'"]?([^\s`'"(),:;*<>（），。：；]+\.[a-z][a-z0-9]{0,9})|^\s+(\S+/migrations/\w+\.py)\s*$"#;
    NOT_TOLD = r"(?i)\b(?:not|cannot|can't|could|couldn't|fail\w*|would|will|skip\w*|unchanged|unable|dry|no|error\w*|already|if|should|to be)\b|未|没|失败|将|跳过|无法|不|错误|如果|可以|已存在";
    NOTHING_WRITTEN = r"(?i)\bno changes detected\b|\b(?:nothing|no migrations?) to (?:write|apply|migrate|make|do|change)\b|\b(?:nothing|no (?:files?|changes?|data|rows?|records?)) (?:was |were |has been |have been |is |are |will be )?(?:written|changed|modified|saved|made|touched)\b";
}

/// So many files are kept that a program says it wrote.
const MOST_TOLD: usize = 64;

/// Programs that change no code whatever their words are.
const HARMLESS: &[&str] = &[
    "cd",
    "echo",
    "printf",
    "export",
    "set",
    "unset",
    "mkdir",
    "sleep",
    "kill",
    "wait",
    "true",
    "false",
    "exit",
    "curl",
    "wget",
    "apt",
    "apt-get",
    "brew",
    "gh",
    "open",
    "test",
    "[",
    "[[",
    "chmod",
    "touch",
    "ps",
    "which",
    "cat",
    "head",
    "tail",
    "grep",
    "rg",
    "tee",
    "return",
    "read",
    "coverage",
    "psql",
    "mysql",
    "createdb",
    "dropdb",
    "redis-cli",
    "mongosh",
];

const GIT_READS: &[&str] = &[
    "add",
    "commit",
    "push",
    "status",
    "diff",
    "log",
    "show",
    "fetch",
    "branch",
    "tag",
    "remote",
    "config",
    "blame",
    "rev-parse",
    "ls-files",
    "describe",
    "shortlog",
    "grep",
    "notes",
    "reflog",
    "rev-list",
    "ls-remote",
    "cat-file",
    "merge-base",
];

/// What this command of a line wrote.
pub(crate) fn written(ran: &Ran, check: Option<&Check>) -> Written {
    let mut found = Written::default();
    found.paths.extend(ran.into.iter().filter(|path| *path != "1" && *path != "2").cloned());
    let Some(program) = ran.words.first() else { return found };
    let name = program.rsplit('/').next().unwrap_or(program);
    if ran.words.iter().all(|word| assignment(word).is_some()) {
        return found;
    }
    if let Some(check) = check {
        found.perhaps |= check.writes;
        return found;
    }
    let line = ran.words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    let effects = analyse(&line);
    let named = effects.writes.iter().filter_map(|write| write.path.clone());
    if effects.read_only == ReadOnly::Yes {
        return found;
    }
    // A script of the project may take that word for anything.
    if !program.contains(['/', '.']) && !check::interprets(name) && ran.words.iter().any(|word| is_trial(word)) {
        return found;
    }
    match name {
        "rm" | "rmdir" | "unlink" => found.gone.extend(operands(ran)),
        "mv" => moves(&mut found, &operands(ran)),
        "cp" | "install" | "ln" => found.paths.extend(operands(ran).last().cloned()),
        "touch" | "tee" => found.paths.extend(operands(ran)),
        "perl" | "ruby" if in_place(&ran.words) => found.paths.extend(edited(&ran.words)),
        "git" => git(&mut found, &ran.words),
        "npm" | "yarn" | "pnpm" => found.perhaps = !only_serves(&ran.words) && !only_tells(name, &ran.words),
        _ if only_tells(name, &ran.words) || starts_teller(ran) || starts_services(name, &ran.words) => {}
        "gh" => found.perhaps = ran.words.iter().any(|word| matches!(word.as_str(), "checkout" | "sync" | "clone")),
        "python" | "python3" | "manage.py" if only_manages(&ran.words) => {}
        "python" | "python3" if ran.words.iter().skip(1).map(String::as_str).take(2).eq(["-m", "http.server"]) => {}
        _ if HARMLESS.contains(&name) => found.paths.extend(named),
        _ => {
            let before = found.paths.len();
            found.paths.extend(named);
            // A program that is known by what it writes writes nothing else.
            found.perhaps = found.paths.len() == before || effects.interprets;
        }
    }
    found
}

/// True for a word by which a program only says what it would do.
fn is_trial(word: &str) -> bool {
    word == "--dry-run" || word.strip_prefix("--dry-run=").is_some_and(|how| how != "none" && how != "false")
}

/// True when a program was told only to say what it would do, and says itself that it wrote nothing.
pub(crate) fn is_seen_trial(ran: &Ran, output: &str) -> bool {
    ran.into.is_empty()
        && ran.words.iter().any(|word| is_trial(word))
        && NOTHING_WRITTEN.fits(output)
        && !WROTE.fits(output)
}

/// The files that a program says it wrote, where it may have: what is written on its own line may say anything.
pub(crate) fn told(ran: &Ran, check: Option<&Check>, output: &str) -> Vec<String> {
    let own =
        |word: &String| matches!(word.as_str(), "-" | "-c" | "-e" | "-p" | "--eval" | "--check") || is_trial(word);
    let shows = check.is_some_and(|check| check.tests || !check.build);
    if shows || ran.away.is_some() || ran.words.iter().any(own) || (check.is_none() && !acts(ran)) {
        return Vec::new();
    }
    let lines = output.lines().filter(|line| !NOT_TOLD.fits(line));
    lines.flat_map(|line| TOLD_FILE.all(line)).map(|(_, path)| path.to_owned()).take(MOST_TOLD).collect()
}

/// What a command of `git` did to files: most of them change what is recorded, not what lies there.
fn git(found: &mut Written, words: &[String]) {
    let mut words: Vec<&String> = words.iter().skip(1).collect();
    while words.first().is_some_and(|word| word.starts_with('-')) {
        let valued = matches!(words.remove(0).as_str(), "-C" | "-c") && !words.is_empty();
        words.drain(..usize::from(valued));
    }
    let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let rest: Vec<String> = words.iter().skip(1).filter(|word| !word.starts_with('-')).copied().cloned().collect();
    let forced = has(&["-f", "--force", "--discard-changes"]);
    let (first, single) = (rest.first().map(String::as_str), rest.len() == 1);
    match words.first().map_or("", |sub| sub.as_str()) {
        "mv" => moves(found, &rest),
        "rm" if has(&["--cached"]) => {}
        "rm" => found.gone.extend(rest),
        // A new branch from here has the same files.
        "checkout" if has(&["-b"]) && single && !forced => {}
        "switch" if has(&["-c", "--create"]) && single && !forced => {}
        "reset" => found.perhaps = has(&["--hard", "--merge", "--keep"]),
        "restore" => found.perhaps = !has(&["--staged", "-S"]) || has(&["--worktree", "-W"]),
        "stash" => found.perhaps = !matches!(first, Some("list" | "show" | "create" | "store" | "drop" | "clear")),
        "worktree" => found.perhaps = !matches!(first, Some("list" | "prune")),
        sub => found.perhaps = !GIT_READS.contains(&sub),
    }
}

/// True when a program is told to write its files anew by a line of code.
fn in_place(words: &[String]) -> bool {
    let letters = |word: &String| {
        let before = word.strip_prefix('-').and_then(|letters| letters.split_once('i'));
        before.is_some_and(|(before, _)| before.bytes().all(|byte| b"pnalws0".contains(&byte)))
    };
    words.iter().skip(1).take_while(|word| word.starts_with('-')).any(letters)
}

/// The files of such a line, without its code.
fn edited(words: &[String]) -> Vec<String> {
    let codes = |word: &String| word.starts_with('-') && word.ends_with(['e', 'E']);
    let pairs = words.iter().zip(words.iter().skip(1));
    pairs.filter(|(before, word)| !codes(before) && !word.starts_with('-')).map(|(_, word)| word.clone()).collect()
}

/// Programs that bring, move or record files and run none of them.
const CARRYING: &[&str] = &["git", "hg", "svn", "patch", "tar", "unzip", "rsync", "pip", "pip3", "apk", "gh"];

/// True when a command may have shown something beside what it wrote.
pub(crate) fn acts(ran: &Ran) -> bool {
    let name = ran.words.first().map(|word| word.rsplit('/').next().unwrap_or(word)).unwrap_or_default();
    let second = ran.words.get(1).map(String::as_str).unwrap_or_default();
    let installs = matches!(name, "npm" | "pnpm" | "yarn" | "bun" | "cargo" | "uv" | "poetry" | "bundle" | "composer")
        && matches!(second, "install" | "i" | "add" | "remove" | "update" | "upgrade" | "sync" | "lock" | "fetch");
    !CARRYING.contains(&name) && !installs && written(ran, None).perhaps
}

/// Words by which programs tell of something, or write only what no check reads.
const TELLING: &[(&str, &[&str])] = &[
    (
        "cargo",
        &["doc", "tree", "metadata", "audit", "deny", "outdated", "search", "package", "publish", "pkgid", "login"],
    ),
    ("go", &["doc", "list", "env", "version"]),
    ("pip", &["list", "show", "freeze", "check"]),
    ("pip3", &["list", "show", "freeze", "check"]),
    ("npm", &["view", "outdated", "whoami", "why", "explain", "pack", "ping", "query"]),
    ("yarn", &["why", "info", "outdated", "pack"]),
    ("pnpm", &["why", "outdated", "list", "pack"]),
    (
        "docker",
        &["images", "image", "ps", "logs", "inspect", "push", "pull", "tag", "rmi", "history", "login", "stop", "rm"],
    ),
    ("podman", &["images", "ps", "logs", "inspect", "push", "pull", "tag", "rmi", "history", "stop", "rm"]),
    (
        "kubectl",
        &["get", "describe", "logs", "diff", "top", "explain", "version", "api-resources", "config", "cluster-info"],
    ),
    ("terraform", &["init", "plan", "show", "output", "providers", "version", "graph"]),
    ("tofu", &["init", "plan", "show", "output", "providers", "version", "graph"]),
    ("helm", &["template", "list", "ls", "status", "history", "get", "show", "version"]),
    ("composer", &["show", "outdated", "audit", "diagnose", "why", "check-platform-reqs"]),
    ("alembic", &["current", "history", "heads", "check", "show", "branches"]),
    ("flyway", &["info", "validate"]),
    ("prisma", &["validate", "version"]),
    ("artisan", &["route:list", "migrate:status", "about", "list", "env"]),
    ("rails", &["routes", "about", "stats", "db:migrate:status", "db:version", "notes"]),
    ("bundle", &["list", "show", "outdated", "audit", "info", "check"]),
    ("gem", &["list", "outdated", "info"]),
    ("poetry", &["show", "check", "env"]),
    ("uv", &["tree"]),
    ("dbt", &["run", "seed", "compile", "parse", "ls", "debug", "show"]),
    ("flutter", &["doctor", "devices", "--version"]),
    ("dotnet", &["list", "--version", "--info", "--list-sdks"]),
    ("swift", &["--version"]),
    ("ansible-inventory", &["--list", "--graph"]),
    ("brew", &["list", "info"]),
    ("scrapy", &["crawl", "list", "fetch", "parse", "settings", "version", "bench"]),
    ("xcrun", &["simctl"]),
    ("rustup", &["show"]),
    ("mvn", &["dependency:tree", "javadoc:javadoc"]),
    ("gradle", &["dependencies", "tasks", "javadoc"]),
    ("gradlew", &["dependencies", "tasks", "javadoc"]),
];

/// True when a program only tells of something by its first word.
fn only_tells(name: &str, words: &[String]) -> bool {
    let first = words.iter().skip(1).find(|word| !word.starts_with(['-', '+']));
    let tells =
        |(program, own): &(&str, &[&str])| *program == name && first.is_some_and(|word| own.contains(&word.as_str()));
    TELLING.iter().any(tells)
}

/// The same for one that another program starts.
fn starts_teller(ran: &Ran) -> bool {
    let words = command::plain(&ran.words).unwrap_or_default();
    let own = words.get(usize::from(words.first().is_some_and(|word| word == "php"))..).unwrap_or_default();
    own.first().is_some_and(|first| only_tells(first.rsplit('/').next().unwrap_or(first), own))
}

/// True for a command that starts, stops or shows the services of a project in containers.
fn starts_services(name: &str, words: &[String]) -> bool {
    const OWN: &[&str] =
        &["up", "start", "stop", "restart", "down", "ps", "logs", "pull", "kill", "wait", "top", "port"];
    let composed = matches!(name, "docker" | "podman") && words.get(1).is_some_and(|word| word == "compose");
    let sub = words.get(1 + usize::from(composed)).map(String::as_str).unwrap_or_default();
    let behind = sub != "up" || words.iter().any(|word| matches!(word.as_str(), "-d" | "--detach" | "--wait"));
    (composed || name == "docker-compose") && OWN.contains(&sub) && behind
}

/// True for a word of Django's that only looks.
fn only_manages(words: &[String]) -> bool {
    let Some(at) = words.iter().take(2).position(|word| word.rsplit('/').next() == Some("manage.py")) else {
        return false;
    };
    let looks = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    match words.get(at + 1).map(String::as_str) {
        Some("check" | "showmigrations" | "sqlmigrate" | "diffsettings" | "inspectdb" | "show_urls" | "dbshell") => {
            true
        }
        Some("makemigrations") => words.iter().any(|word| is_trial(word)),
        Some("migrate") => looks(&["--check", "--plan"]),
        _ => false,
    }
}

/// True when a script is one that serves, or what is run writes nothing outside of its own folder.
fn only_serves(words: &[String]) -> bool {
    const VALUED: [&str; 8] = ["--filter", "-F", "--prefix", "-C", "--dir", "--cwd", "-w", "--workspace"];
    let mut rest = words.iter().skip(1).map(String::as_str);
    while let Some(word) = rest.next() {
        match word {
            "run" | "run-script" => {}
            word if VALUED.contains(&word) => drop(rest.next()),
            word if word.starts_with('-') => {}
            word => return matches!(word, "ci" | "start" | "audit" | "ls" | "dev" | "serve" | "preview"),
        }
    }
    false
}

/// The last of these is where the others went.
fn moves(found: &mut Written, words: &[String]) {
    let Some((to, from)) = words.split_last() else { return };
    for one in from {
        let name = one.trim_end_matches('/').rsplit('/').next().unwrap_or(one);
        // Several files, or one into a folder, keep their names.
        let folder =
            to.ends_with('/') || from.len() > 1 || !to.rsplit('/').next().is_some_and(|last| last.contains('.'));
        let path = if folder { format!("{}/{name}", to.trim_end_matches('/')) } else { to.clone() };
        found.moved.push((one.clone(), path.clone()));
        found.paths.push(path);
        found.gone.push(one.clone());
    }
}

fn operands(ran: &Ran) -> Vec<String> {
    ran.words.iter().skip(1).filter(|word| !word.starts_with('-')).cloned().collect()
}

fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./=:,@%+".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Files that say something to people and nothing to a compiler.
pub(crate) fn is_text(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name.as_str(), ""));
    let listed = stem.starts_with("requirements") || stem.starts_with("constraints") || stem == "cmakelists";
    let known = ["readme", "license", "changelog", "notice", "authors", "todo", "codeowners", "contributing"];
    match ending {
        "md" | "markdown" | "rst" | "adoc" | "log" => true,
        "txt" => !listed,
        "" => known.contains(&stem),
        _ => name == ".gitignore",
    }
}

/// Files that programs leave as results, and that no compiler reads. What a build or a package is told by is none of them.
fn is_data(path: &str) -> bool {
    const RESULTS: &[&str] = &[
        "csv", "tsv", "txt", "jsonl", "ndjson", "out", "dat", "png", "jpg", "jpeg", "gif", "svg", "pdf", "parquet",
        "npy", "npz", "pkl", "db", "sqlite", "sqlite3", "prof", "trace", "pyc", "lock",
    ];
    const TOLD_BY: &[&str] = &["package", "tsconfig", "jsconfig", "composer", "deno", "config", "settings", "manifest"];
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    let told = || TOLD_BY.iter().any(|word| stem.contains(word)) || stem.starts_with('.') || stem.ends_with("rc");
    match ending {
        "json" => !told(),
        "txt" => is_text(path),
        _ => RESULTS.contains(&ending),
    }
}

/// True for a file that is code where a command is found to have changed it: no text, no result, and nothing that builds make.
pub fn is_changed_code(path: &str) -> bool {
    is_code(path) && !is_data(path)
}

/// True when what a check said may no longer hold after a change to this file.
fn is_code(path: &str) -> bool {
    let outside = ["/tmp/", "/dev/", "/var/tmp/", "~/.cache/"].iter().any(|start| path.starts_with(start));
    let made = ["target", "node_modules", "dist", "__pycache__", "coverage", ".pytest_cache", ".cache"];
    let in_made = path.trim_start_matches("./").split('/').any(|part| made.contains(&part));
    !outside && !in_made && !is_text(path)
}
