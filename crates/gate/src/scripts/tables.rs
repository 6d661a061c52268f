//! Programs that run what stands in files: interpreters with the file that they are given, builders with one of the folder.

/// How an interpreter finds what it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A file.
    Plain,
    /// A file; most of its options have no value.
    Shell,
    /// A file, a folder with a main file, or a module by name.
    Python,
    /// A file whose name may lack its end, or a folder with a description.
    Node,
    /// A file behind a word that says what to do with it.
    Worded,
}

/// Interpreters; those with a number behind their name too.
const RUNNERS: &[(Kind, &[&str])] = &[
    (Kind::Shell, &["bash", "sh", "dash", "zsh", "ksh", "mksh", "fish", "source", "."]),
    (Kind::Python, &["python", "pypy"]),
    (Kind::Node, &["node", "nodejs", "tsx", "ts-node", "bun", "deno"]),
    (Kind::Worded, &["go", "elixir", "swift", "dotnet"]),
    (
        Kind::Plain,
        &[
            "perl",
            "ruby",
            "php",
            "lua",
            "luajit",
            "Rscript",
            "tclsh",
            "expect",
            "julia",
            "guile",
            "java",
            "groovy",
            "escript",
            "raku",
            "nu",
            "pwsh",
            "osascript",
        ],
    ),
];

/// The first operand of some is a word and no file.
pub(super) const WORDS: &[&str] = &["run", "test", "bench", "task", "x", "exec", "eval"];

/// What kind of interpreter a program is.
pub(super) fn kind_of(program: &str) -> Option<Kind> {
    let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is = |names: &&[&str]| names.contains(&program) || names.contains(&bare);
    RUNNERS.iter().find(|(_, names)| is(names)).map(|(kind, _)| *kind)
}

/// A program that runs what stands in a file of the folder.
pub(super) struct Builder {
    programs: &'static [&'static str],
    /// Of these names the first that is there counts.
    pub(super) names: &'static [&'static str],
    /// Files beside it that have a say in what runs.
    pub(super) beside: &'static [&'static str],
    /// True when it looks in the folders above too.
    pub(super) climbs: bool,
}

const BUILDERS: &[Builder] = &[
    Builder {
        programs: &["make", "gmake"],
        names: &["GNUmakefile", "makefile", "Makefile"],
        beside: &[],
        climbs: false,
    },
    Builder {
        programs: &["just"],
        names: &["justfile", "Justfile", "JUSTFILE", ".justfile"],
        beside: &[".env"],
        climbs: true,
    },
    Builder {
        programs: &["task", "go-task"],
        names: &[
            "Taskfile.yml",
            "taskfile.yml",
            "Taskfile.yaml",
            "taskfile.yaml",
            "Taskfile.dist.yml",
            "taskfile.dist.yml",
            "Taskfile.dist.yaml",
            "taskfile.dist.yaml",
        ],
        beside: &[],
        climbs: true,
    },
    Builder {
        programs: &["rake"],
        names: &["rakefile", "Rakefile", "rakefile.rb", "Rakefile.rb"],
        beside: &[],
        climbs: true,
    },
    Builder {
        programs: &["npm", "pnpm", "yarn", "bun", "deno", "npx"],
        names: &["package.json", "deno.json", "deno.jsonc"],
        beside: &[".npmrc", ".yarnrc", ".yarnrc.yml", "pnpm-workspace.yaml"],
        climbs: true,
    },
    Builder { programs: &["awk", "gawk", "mawk", "sed"], names: &[], beside: &[], climbs: false },
];

/// The builder of this name.
pub(super) fn builder_of(program: &str) -> Option<&'static Builder> {
    BUILDERS.iter().find(|builder| builder.programs.contains(&program))
}

/// Options whose value is a file that is run. Those of one letter may have it in the same word.
pub(super) const FILES: &[&str] = &[
    "-f",
    "--file",
    "--makefile",
    "--justfile",
    "--taskfile",
    "--rakefile",
    "-t",
    "-r",
    "--require",
    "--import",
    "--loader",
    "--rcfile",
    "--init-file",
    "-jar",
    "-File",
    "-F",
];

/// Options whose value is the folder in which a builder looks.
pub(super) const FOLDERS: &[&str] =
    &["-C", "--directory", "--prefix", "--dir", "--cwd", "-d", "--working-directory", "-w", "--workspace", "--filter"];

/// False only where an option is known to have no value in the word behind it.
pub(super) fn may_take_value(kind: Kind, option: &str) -> bool {
    let with_value: &[char] = match kind {
        Kind::Shell => &['o', 'O', 'c'],
        Kind::Python => &['W', 'X', 'm', 'c'],
        Kind::Plain | Kind::Node | Kind::Worded => return !option.contains('='),
    };
    match option.strip_prefix("--") {
        Some(name) => !name.contains('=') && !matches!(name, "posix" | "norc" | "noprofile" | "login" | "verbose"),
        None => option.contains(with_value),
    }
}
