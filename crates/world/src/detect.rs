//! Which command checks a folder, by the files that it has. Only its root is looked at, and nothing is run.

use std::path::Path;

/// A command that checks a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundCheck {
    /// The command line.
    pub line: String,
    /// The file that it was found by.
    pub file: String,
    /// Ends of names of files that it is for.
    ends: &'static [&'static str],
}

/// The command that checks this folder after these files were edited: of several the first that is for one of them, otherwise
/// the first.
pub fn detect(root: &Path, edited: &[String]) -> Option<FoundCheck> {
    let found = all(root);
    let is_for = |check: &&FoundCheck| {
        edited.iter().any(|path| check.ends.iter().any(|end| path.rsplit('.').next() == Some(end)))
    };
    found.iter().find(is_for).or_else(|| found.first()).cloned()
}

/// Every command that is found, in order.
fn all(root: &Path) -> Vec<FoundCheck> {
    let is = |name: &str| root.join(name).is_file();
    let first = |names: &[&str]| names.iter().find(|name| is(name)).map(|name| (*name).to_owned());
    let mut found = Vec::new();
    let mut add = |file: Option<String>, line: String, ends: &'static [&'static str]| {
        found.extend(file.map(|file| FoundCheck { line, file, ends }));
    };
    add(first(&["Cargo.toml"]), "cargo test".to_owned(), &["rs"]);
    add(first(&["go.mod"]), "go test ./...".to_owned(), &["go"]);
    add(package(root), format!("{} test", runner(&is)), &["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue"]);
    add(pytest(root), "pytest -q".to_owned(), &["py", "pyi"]);
    let maven = if is("mvnw") { "./mvnw -q test" } else { "mvn -q test" };
    add(first(&["pom.xml"]), maven.to_owned(), &["java", "kt", "scala", "groovy"]);
    let gradle = if is("gradlew") { "./gradlew test" } else { "gradle test" };
    let gradles = ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];
    add(first(&gradles), gradle.to_owned(), &["java", "kt", "kts", "groovy"]);
    add(dotnet(root), "dotnet test".to_owned(), &["cs", "fs", "vb"]);
    let (file, aim) = target(root, &["justfile", "Justfile", ".justfile"]);
    add(file, format!("just {aim}"), &[]);
    let (file, aim) = target(root, &["GNUmakefile", "makefile", "Makefile"]);
    add(file, format!("make {aim}"), &["c", "h", "cc", "cpp", "cxx", "hpp"]);
    // A folder that was never configured cannot be built without guessing how.
    let built = is("build/CMakeCache.txt").then(|| first(&["CMakeLists.txt"])).flatten();
    let cmake = "cmake --build build && ctest --test-dir build --output-on-failure";
    add(built, cmake.to_owned(), &["c", "h", "cc", "cpp", "cxx", "hpp"]);
    found
}

/// The program that runs the scripts of a `package.json`.
fn runner(is: &dyn Fn(&str) -> bool) -> &'static str {
    let locks = [("pnpm-lock.yaml", "pnpm"), ("bun.lock", "bun run"), ("bun.lockb", "bun run"), ("yarn.lock", "yarn")];
    locks.iter().find(|(lock, _)| is(lock)).map_or("npm", |(_, runner)| runner)
}

/// A `package.json` whose script `test` does something.
fn package(root: &Path) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(&text(root, "package.json")?).ok()?;
    let script = value.get("scripts")?.get("test")?.as_str()?;
    let does = !script.trim().is_empty() && !script.contains("no test specified");
    does.then(|| "package.json".to_owned())
}

/// The file that says that pytest is in use.
fn pytest(root: &Path) -> Option<String> {
    let says = |name: &str, words: &str| text(root, name).filter(|text| text.contains(words)).map(|_| name.to_owned());
    let is = |name: &str| root.join(name).is_file().then(|| name.to_owned());
    is("pytest.ini")
        .or_else(|| says("pyproject.toml", "[tool.pytest"))
        .or_else(|| says("setup.cfg", "[tool:pytest]"))
        .or_else(|| says("tox.ini", "[pytest]"))
        .or_else(|| is("conftest.py"))
        .or_else(|| is("tests/conftest.py"))
        .or_else(|| pytest_needed(root))
}

/// The file that has pytest among what the project needs.
fn pytest_needed(root: &Path) -> Option<String> {
    let names = |name: &str| {
        let known = ["pyproject.toml", "setup.cfg", "tox.ini"].contains(&name);
        known || (name.starts_with("requirements") && name.ends_with(".txt"))
    };
    let found = std::fs::read_dir(root).ok()?.take(1000).flatten();
    let mut files: Vec<String> =
        found.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| names(name)).collect();
    files.sort_unstable();
    files.into_iter().find(|name| text(root, name).is_some_and(|text| text.lines().any(needs_pytest)))
}

/// Whether a line of such a file names pytest itself: no comment, and no plugin that has its name in its own.
fn needs_pytest(line: &str) -> bool {
    let line = line.split('#').next().unwrap_or_default();
    line.match_indices("pytest").any(|(at, word)| {
        let before = line.get(..at).and_then(|rest| rest.chars().next_back());
        let behind = line.get(at + word.len()..).and_then(|rest| rest.chars().next());
        let goes_on = |letter: char| letter.is_alphanumeric() || "-_./".contains(letter);
        !before.is_some_and(goes_on) && !behind.is_some_and(goes_on)
    })
}

/// A solution or a project of .NET.
fn dotnet(root: &Path) -> Option<String> {
    let names =
        std::fs::read_dir(root).ok()?.take(1000).flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let ends = [".sln", ".slnx", ".csproj", ".fsproj", ".vbproj"];
    names.filter(|name| ends.iter().any(|end| name.ends_with(end))).min()
}

/// The first of these files that has a target by which it is checked, and that target.
fn target(root: &Path, files: &[&str]) -> (Option<String>, &'static str) {
    for wanted in ["test", "check"] {
        if let Some(file) = files.iter().find(|file| has_target(root, file, wanted)) {
            return (Some((*file).to_owned()), wanted);
        }
    }
    (None, "test")
}

/// Whether a Makefile or a justfile has this target.
fn has_target(root: &Path, name: &str, wanted: &str) -> bool {
    let is_target = |line: &str| {
        let rest = line.strip_prefix(wanted).and_then(|rest| rest.split_once(':'));
        rest.is_some_and(|(words, behind)| !behind.starts_with('=') && (words.is_empty() || words.starts_with(' ')))
    };
    text(root, name).is_some_and(|text| text.lines().any(is_target))
}

/// What a file of the folder says. Anybody may have put it there, also as a link to something that never ends.
fn text(root: &Path, name: &str) -> Option<String> {
    reasonix_extensions::small_file(&root.join(name), root)?.ok()
}

/// Ends of names of files that are text alone: they are read, not run or built.
const TEXTS: &[&str] = &[
    "md", "mdx", "markdown", "txt", "rst", "adoc", "org", "tex", "csv", "tsv", "log", "svg", "png", "jpg", "jpeg",
    "gif", "webp", "ico", "pdf", "patch", "diff",
];
/// Names of files that are text alone, without an end.
const NAMED_TEXTS: &[&str] = &[
    "license",
    "licence",
    "copying",
    "notice",
    "readme",
    "changelog",
    "changes",
    "authors",
    "contributors",
    "todo",
    ".gitignore",
    ".gitattributes",
    ".editorconfig",
    ".mailmap",
    "codeowners",
];

/// Whether a file counts as code: everything does that is not text alone.
pub fn is_code(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    if NAMED_TEXTS.contains(&name.as_str()) {
        return false;
    }
    name.rsplit_once('.').is_none_or(|(_, end)| !TEXTS.contains(&end))
}

#[cfg(test)]
mod tests {
    use super::{detect, is_code};
    use reasonix_testkit::TempWorkspace;
    use std::path::Path;

    /// The files of a folder, and the command with the file that it is found by.
    type Case<'a> = (&'a [(&'a str, &'a str)], Option<(&'a str, &'a str)>);

    #[test]
    fn each_kind_of_folder_has_its_command() {
        let npm = r#"{"scripts": {"test": "vitest"}}"#;
        let none = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#;
        let cases: &[Case<'_>] = &[
            (&[("Cargo.toml", "")], Some(("cargo test", "Cargo.toml"))),
            (&[("go.mod", "")], Some(("go test ./...", "go.mod"))),
            (&[("package.json", npm)], Some(("npm test", "package.json"))),
            (&[("package.json", npm), ("pnpm-lock.yaml", "")], Some(("pnpm test", "package.json"))),
            (&[("package.json", npm), ("bun.lock", "")], Some(("bun run test", "package.json"))),
            (&[("package.json", none)], None),
            (&[("package.json", "{")], None),
            (&[("pyproject.toml", "[tool.pytest.ini_options]\n")], Some(("pytest -q", "pyproject.toml"))),
            (&[("pyproject.toml", "[project]\n")], None),
            (&[("pom.xml", "")], Some(("mvn -q test", "pom.xml"))),
            (&[("build.gradle.kts", ""), ("gradlew", "")], Some(("./gradlew test", "build.gradle.kts"))),
            (&[("App.csproj", "")], Some(("dotnet test", "App.csproj"))),
            (&[("justfile", "test *args:\n  x\n")], Some(("just test", "justfile"))),
            (&[("Makefile", "test: build\n\tx\n")], Some(("make test", "Makefile"))),
            (&[("Makefile", "test := 1\ntests:\n\tx\nall: test\n")], None),
            (&[("Makefile", "check: build\n\tx\n")], Some(("make check", "Makefile"))),
            (&[("Makefile", "check:\n\tx\ntest:\n\ty\n")], Some(("make test", "Makefile"))),
            (&[("Makefile", "checks:\n\tx\n")], None),
            (&[("justfile", "check:\n  x\n")], Some(("just check", "justfile"))),
            (
                &[("settings.gradle.kts", ""), ("app/build.gradle.kts", "")],
                Some(("gradle test", "settings.gradle.kts")),
            ),
            (&[("settings.gradle", ""), ("gradlew", "")], Some(("./gradlew test", "settings.gradle"))),
            (
                &[("pyproject.toml", "[project.optional-dependencies]\ndev = [\"ruff\", \"pytest>=8\"]\n")],
                Some(("pytest -q", "pyproject.toml")),
            ),
            (
                &[("pyproject.toml", "[dependency-groups]\ndev = [\n  'pytest',\n]\n")],
                Some(("pytest -q", "pyproject.toml")),
            ),
            (
                &[("pyproject.toml", "[tool.poetry.dev-dependencies]\npytest = \"^8\"\n")],
                Some(("pytest -q", "pyproject.toml")),
            ),
            (&[("pyproject.toml", "[project]\ndependencies = [\"pytest-cov\"] # pytest\n")], None),
            (&[("requirements-dev.txt", "black\npytest==8.1\n")], Some(("pytest -q", "requirements-dev.txt"))),
            (&[("requirements.txt", "# pytest\nflask\n")], None),
            (&[("tox.ini", "[testenv]\ndeps =\n    pytest\n")], Some(("pytest -q", "tox.ini"))),
            (&[("setup.cfg", "[options.extras_require]\ntest = pytest; mock\n")], Some(("pytest -q", "setup.cfg"))),
            (&[("CMakeLists.txt", "")], None),
            (
                &[("CMakeLists.txt", ""), ("build/CMakeCache.txt", "")],
                Some(("cmake --build build && ctest --test-dir build --output-on-failure", "CMakeLists.txt")),
            ),
            (&[("README.md", "")], None),
        ];
        for (files, wanted) in cases {
            let work = TempWorkspace::new();
            for (name, text) in *files {
                work.write(name, text);
            }
            let found = detect(&work.path(), &[]);
            let found = found.as_ref().map(|found| (found.line.as_str(), found.file.as_str()));
            assert_eq!(found, *wanted, "{files:?}");
        }
    }

    #[test]
    fn of_several_the_one_for_what_was_edited_is_taken() {
        let work = TempWorkspace::new();
        work.write("Cargo.toml", "");
        work.write("package.json", r#"{"scripts": {"test": "vitest"}}"#);
        let line = |edited: &str| detect(&work.path(), &[edited.to_owned()]).map(|found| found.line);
        assert_eq!(line("web/app.tsx").as_deref(), Some("npm test"));
        assert_eq!(line("src/lib.rs").as_deref(), Some("cargo test"));
        assert_eq!(line("data.yaml").as_deref(), Some("cargo test"));
    }

    /// A repository can bring a link along, and what it leads to need not end.
    #[test]
    fn what_lies_outside_or_never_ends_is_not_read() {
        let (work, other) = (TempWorkspace::new(), TempWorkspace::new());
        other.write("Makefile", "test:\n\tx\n");
        let outside = other.path().join("Makefile");
        for link in [Path::new("/dev/zero"), Path::new("/proc/self/pagemap"), Path::new("/proc/self/mem"), &outside] {
            let _ = std::fs::remove_file(work.path().join("Makefile"));
            std::os::unix::fs::symlink(link, work.path().join("Makefile")).unwrap();
            assert!(detect(&work.path(), &[]).is_none(), "{}", link.display());
        }
        std::fs::remove_file(work.path().join("Makefile")).unwrap();
        work.write("build/Makefile", "test:\n\tx\n");
        std::os::unix::fs::symlink("build/Makefile", work.path().join("Makefile")).unwrap();
        assert!(detect(&work.path(), &[]).is_some(), "a link inside is the folder's own");
    }

    #[test]
    fn text_alone_is_no_code() {
        for (path, code) in [
            ("src/lib.rs", true),
            ("Cargo.toml", true),
            ("Makefile", true),
            ("config.yaml", true),
            ("README.md", false),
            ("docs/LICENSE", false),
            ("a/CHANGELOG", false),
            (".gitignore", false),
            ("notes.TXT", false),
        ] {
            assert_eq!(is_code(path), code, "{path}");
        }
    }
}
