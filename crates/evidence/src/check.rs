//! What a command would prove if it succeeded, of everything or of a part.

/// Options by which only those run that failed before.
pub(crate) const LAST_FAILED: &[&str] =
    &["--lf", "--last-failed", "--only-failures", "--onlyFailures", "--failed", "--rerun-failed"];

/// What a command proves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Check {
    pub(crate) tests: bool,
    pub(crate) build: bool,
    /// The linters that it runs.
    pub(crate) lints: Vec<Linter>,
    /// What it was narrowed to; empty for everything.
    pub(crate) part: Vec<String>,
    /// Those of them that narrow what is compiled, too.
    pub(crate) pieces: usize,
    /// The family of programs: one that failed is made good by another of the same.
    pub(crate) family: &'static str,
    /// The program itself, without its folder.
    pub(crate) program: String,
    /// True when it writes what it would find wrong.
    pub(crate) writes: bool,
    /// True when it keeps warnings to itself.
    pub(crate) quiet: bool,
    /// True when it ends well whatever it finds, so that only its output tells.
    pub(crate) lenient: bool,
    /// True when whatever it writes out is wrong, and its code says nothing.
    pub(crate) lists: bool,
    /// True when nobody knows its program, so that its output has to say by numbers that tests passed.
    pub(crate) unknown: bool,
    /// True when what it was narrowed to is said of its tests alone.
    pub(crate) narrows_tests: bool,
    /// The folders of sources that it was given in place of everything.
    pub(crate) roots: Vec<String>,
    /// All places that it was given, those of everything among them.
    pub(crate) given: Vec<String>,
    /// The folder it ran in, where the line says so.
    pub(crate) folder: String,
}

/// What looks at code without running it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Linter {
    pub(crate) class: LintClass,
    pub(crate) tool: String,
}

impl Linter {
    /// True when prose means this one by a name.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.tool.contains(name) || name.contains(&self.tool)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LintClass {
    Style,
    Types,
    Format,
}

impl Check {
    pub(crate) fn tests() -> Self {
        Self { tests: true, ..Self::default() }
    }

    pub(crate) fn build() -> Self {
        Self { build: true, ..Self::default() }
    }

    pub(crate) fn lint(class: LintClass, tool: &str) -> Self {
        Self { lints: vec![Linter { class, tool: tool.to_owned() }], ..Self::default() }
    }

    /// The same with one more linter.
    pub(crate) fn and_lint(mut self, class: LintClass, tool: &str) -> Self {
        self.lints.push(Linter { class, tool: tool.to_owned() });
        self
    }

    /// True when it proves something at all.
    pub(crate) fn proves(&self) -> bool {
        self.tests || self.build || !self.lints.is_empty()
    }

    pub(crate) fn and_build(mut self) -> Self {
        self.build = true;
        self
    }

    /// True when it is of those tests that failed before.
    pub(crate) fn is_of_failed(&self) -> bool {
        !self.part.is_empty() && self.part.iter().all(|word| LAST_FAILED.contains(&word.as_str()))
    }

    /// The same in these places only; what it is narrowed to otherwise is less than they are.
    pub(crate) fn placed(mut self, mut places: Vec<String>) -> Self {
        self.pieces += places.len();
        places.append(&mut self.part);
        self.part = places;
        self
    }

    pub(crate) fn narrowed(mut self, by: Vec<String>) -> Self {
        self.part.extend(by);
        self
    }
}

pub(crate) fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (plain && !name.starts_with(|c: char| c.is_ascii_digit())).then_some((name, value))
}

/// True for a variable that may say what is run.
pub(crate) fn narrows(variable: &str) -> bool {
    let name = variable.to_ascii_uppercase();
    ["TEST", "FILTER", "ARGS", "OPTS", "CASE", "PKG", "PACKAGE", "ONLY", "GREP", "MATCH", "SUITE"]
        .iter()
        .any(|part| name.contains(part))
        && !name.contains("THREADS")
        && !matches!(name.as_str(), "NODE_ENV" | "RAILS_ENV")
}

/// True for a program that runs what a file says.
pub(crate) fn interprets(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    ["python", "node", "ruby", "perl", "php", "bash", "sh", "zsh", "deno", "bun", "lua", "tsx", "ts-node", "osascript"]
        .iter()
        .any(|known| name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') == *known)
}
