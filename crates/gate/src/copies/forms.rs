//! The forms of git's subcommands that show no content of a file: an option that stands in no list here counts as one that
//! shows.

use reasonix_policy::{Word, WordKind};

/// The options of some subcommands.
pub(super) struct Form {
    subs: &'static [&'static str],
    /// Letters without a value.
    flags: &'static str,
    /// Letters with a value, in the same word or in the next one.
    valued: &'static str,
    /// Letters whose value, if there is one, stands in the same word.
    attached: &'static str,
    /// Whole words, some with a value behind `=`.
    long: &'static [&'static str],
    /// The same, and the value may stand in the next word.
    takes: &'static [&'static str],
}

/// Histories, comparisons, and what shows both.
#[rustfmt::skip]
pub(super) const HISTORY: Form = Form {
    subs: &["log", "whatchanged", "diff-tree", "diff-index", "diff-files", "rev-list", "diff", "show", "reflog", "stash"],
    flags: "iEFPzrtsRbwagq0123456789", valued: "nSGl", attached: "MCB",
    long: &[
        "--oneline", "--graph", "--all", "--decorate", "--no-decorate", "--stat", "--shortstat", "--numstat", "--dirstat",
        "--cumulative", "--summary", "--name-only", "--name-status", "--raw", "--compact-summary", "--no-patch", "--no-color",
        "--color", "--reverse", "--follow", "--no-merges", "--merges", "--first-parent", "--topo-order", "--date-order",
        "--author-date-order", "--abbrev-commit", "--no-abbrev-commit", "--abbrev", "--no-abbrev", "--relative-date",
        "--parents", "--children", "--left-right", "--cherry", "--cherry-pick", "--cherry-mark", "--left-only",
        "--right-only", "--boundary", "--simplify-by-decoration", "--simplify-merges", "--full-history", "--dense",
        "--sparse", "--ancestry-path", "--branches", "--tags", "--remotes", "--reflog", "--walk-reflogs", "--no-walk",
        "--format", "--pretty", "--count", "--no-renames", "--find-renames", "--find-copies", "--no-notes", "--source",
        "--use-mailmap", "--mailmap", "--no-mailmap", "--all-match", "--invert-grep", "--regexp-ignore-case",
        "--extended-regexp", "--fixed-strings", "--perl-regexp", "--no-ext-diff", "--no-textconv", "--ignore-all-space",
        "--ignore-space-change", "--ignore-blank-lines", "--ignore-space-at-eol", "--root", "--no-commit-id", "--cached",
        "--staged", "--quiet", "--exit-code", "--relative", "--merge-base", "--full-index", "--objects", "--minimal",
        "--patience", "--histogram", "--ignore-submodules", "--pickaxe-regex",
    ],
    takes: &[
        "--since", "--until", "--after", "--before", "--author", "--committer", "--grep", "--max-count", "--skip", "--date",
        "--diff-filter", "--diff-algorithm", "--glob", "--exclude",
    ],
};

/// Options with which those show changes, of the files alone that they are limited to.
#[rustfmt::skip]
const CHANGES: Form = Form {
    subs: &[],
    flags: "pucmW", valued: "", attached: "U",
    long: &[
        "--patch", "--cc", "--dd", "--word-diff", "--color-words", "--binary", "--patch-with-stat", "--patch-with-raw",
        "--function-context", "--diff-merges", "--remerge-diff", "--check", "--color-moved",
        "--unified",
    ],
    takes: &["--inter-hunk-context", "--word-diff-regex"],
};

/// Options with which a comparison shows names and numbers alone.
#[rustfmt::skip]
const SUMMARY: &[&str] = &[
    "--stat", "--shortstat", "--numstat", "--dirstat", "--summary", "--name-only", "--name-status", "--raw", "--quiet",
    "--no-patch", "-s", "--compact-summary",
];

/// Whatever stands in a list of this form is quiet.
#[rustfmt::skip]
const FORMS: &[Form] = &[
    HISTORY,
    Form {
        subs: &["grep"], flags: "iwvEFGPnlLchHoqIazprW0123456789", valued: "efABCm", attached: "",
        long: &[
            "--ignore-case", "--word-regexp", "--invert-match", "--extended-regexp", "--basic-regexp", "--fixed-strings",
            "--perl-regexp", "--line-number", "--column", "--files-with-matches", "--name-only", "--files-without-match",
            "--count", "--only-matching", "--quiet", "--text", "--null", "--break", "--heading", "--show-function",
            "--function-context", "--color", "--no-color", "--full-name", "--and", "--or", "--not", "--all-match", "--cached",
            "--untracked", "--no-index", "--exclude-standard", "--no-exclude-standard",
        ],
        takes: &["--max-depth", "--max-count", "--threads", "--context", "--after-context", "--before-context"],
    },
    Form {
        subs: &["status"], flags: "sbz", valued: "", attached: "u",
        long: &[
            "--short", "--branch", "--porcelain", "--long", "--untracked-files", "--ignored", "--ignore-submodules",
            "--column", "--no-column", "--ahead-behind", "--no-ahead-behind", "--renames", "--no-renames", "--show-stash",
            "--find-renames", "--null",
        ],
        takes: &[],
    },
    Form {
        subs: &["commit"], flags: "anqsezio", valued: "mFCct", attached: "Su",
        long: &[
            "--all", "--amend", "--no-edit", "--no-verify", "--quiet", "--signoff", "--allow-empty",
            "--allow-empty-message", "--dry-run", "--short", "--branch", "--porcelain", "--long", "--no-gpg-sign",
            "--gpg-sign", "--only", "--include", "--reset-author", "--no-status", "--status", "--untracked-files", "--edit",
            "--null", "--no-signoff",
        ],
        takes: &["--message", "--author", "--date", "--file", "--reuse-message", "--fixup", "--squash", "--trailer", "--cleanup"],
    },
    Form {
        subs: &["add"], flags: "AuvnfN", valued: "", attached: "",
        long: &[
            "--all", "--update", "--verbose", "--dry-run", "--force", "--intent-to-add", "--chmod", "--renormalize",
            "--refresh", "--ignore-errors", "--no-all", "--sparse", "--ignore-removal",
        ],
        takes: &[],
    },
    Form {
        subs: &["apply"], flags: "vRq", valued: "pC", attached: "",
        long: &[
            "--check", "--stat", "--numstat", "--summary", "--verbose", "--reverse", "--whitespace", "--ignore-whitespace",
            "--ignore-space-change", "--recount", "--unidiff-zero", "--quiet", "--allow-empty", "--inaccurate-eof",
        ],
        takes: &["--directory", "--exclude", "--include"],
    },
    Form {
        subs: &["archive"], flags: "vl0123456789", valued: "o", attached: "",
        long: &["--list", "--verbose", "--worktree-attributes"],
        takes: &["--format", "--prefix", "--output", "--mtime"],
    },
    Form {
        subs: &["checkout", "switch", "restore", "reset"], flags: "qfdtlmNSW", valued: "bBcCs", attached: "",
        long: &[
            "--quiet", "--force", "--detach", "--track", "--no-track", "--guess", "--no-guess", "--ours", "--theirs",
            "--merge", "--progress", "--no-progress", "--discard-changes", "--staged", "--worktree", "--soft", "--mixed",
            "--hard", "--keep", "--intent-to-add", "--ignore-unmerged", "--overlay", "--no-overlay",
        ],
        takes: &["--orphan", "--source", "--create", "--force-create", "--conflict"],
    },
    Form {
        subs: &["merge", "pull", "cherry-pick", "revert"], flags: "qvenxrfp46ka", valued: "mF", attached: "S",
        long: &[
            "--quiet", "--verbose", "--edit", "--no-edit", "--ff", "--no-ff", "--ff-only", "--squash", "--no-squash",
            "--commit", "--no-commit", "--stat", "--no-stat", "--abort", "--continue", "--skip", "--quit", "--rebase",
            "--no-rebase", "--autostash", "--no-autostash", "--all", "--prune", "--tags", "--no-tags", "--signoff",
            "--no-verify", "--allow-unrelated-histories", "--allow-empty", "--mainline", "--force", "--depth", "--unshallow",
            "--no-gpg-sign", "--gpg-sign",
        ],
        takes: &[],
    },
    Form {
        subs: &["rebase"], flags: "qvnirfkm", valued: "", attached: "S",
        long: &[
            "--quiet", "--verbose", "--abort", "--continue", "--skip", "--quit", "--autostash", "--no-autostash", "--onto",
            "--signoff", "--no-verify", "--interactive", "--root", "--autosquash", "--no-autosquash", "--fork-point",
            "--update-refs", "--keep-empty", "--rebase-merges", "--no-gpg-sign", "--gpg-sign", "--reapply-cherry-picks",
            "--stat", "--no-stat", "--force-rebase", "--no-ff", "--merge",
        ],
        takes: &[],
    },
    Form { subs: &["am"], flags: "", valued: "", attached: "", long: &["--abort", "--quit"], takes: &[] },
    Form {
        subs: &["config"], flags: "lz", valued: "f", attached: "",
        long: &[
            "--global", "--local", "--system", "--worktree", "--get", "--get-all", "--get-regexp", "--list", "--unset",
            "--unset-all", "--add", "--replace-all", "--show-origin", "--show-scope", "--name-only", "--bool", "--int",
            "--path", "--null", "--remove-section", "--rename-section", "--includes", "--no-includes", "--all", "--regexp",
        ],
        takes: &["--type", "--default", "--file"],
    },
    Form {
        subs: &["update-index"], flags: "q", valued: "", attached: "",
        long: &[
            "--refresh", "--really-refresh", "--add", "--remove", "--chmod", "--assume-unchanged", "--no-assume-unchanged",
            "--skip-worktree", "--no-skip-worktree", "--ignore-missing", "--unmerged",
        ],
        takes: &[],
    },
    Form {
        subs: &["fsck"], flags: "v", valued: "", attached: "",
        long: &[
            "--full", "--strict", "--verbose", "--no-dangling", "--unreachable", "--connectivity-only", "--progress",
            "--no-progress", "--name-objects", "--no-reflogs", "--root", "--tags", "--cache",
        ],
        takes: &[],
    },
    Form {
        subs: &["for-each-ref", "branch", "tag"], flags: "adflvqirsDMCm", valued: "u", attached: "",
        long: &[
            "--all", "--list", "--delete", "--force", "--verbose", "--quiet", "--remotes", "--merged", "--no-merged",
            "--contains", "--no-contains", "--sort", "--show-current", "--track", "--no-track", "--unset-upstream", "--move",
            "--copy", "--annotate", "--sign", "--no-sign", "--ignore-case", "--column", "--no-column", "--abbrev", "--color",
            "--no-color", "--create-reflog", "--shell", "--count", "--points-at",
        ],
        takes: &["--set-upstream-to", "--format", "--message", "--file", "--cleanup"],
    },
];

/// Subcommands that show no content, whatever their options are.
#[rustfmt::skip]
pub(super) const QUIET: &[&str] = &[
    "check-attr", "check-ignore", "check-mailmap", "check-ref-format", "cherry", "clean", "column", "commit-graph",
    "count-objects", "credential", "describe", "fetch", "gc", "hash-object", "help", "init", "interpret-trailers", "ls-files",
    "ls-remote", "ls-tree", "maintenance", "merge-base", "multi-pack-index", "name-rev", "pack-refs", "patch-id", "prune",
    "remote", "repack", "rev-parse", "rm", "shortlog", "show-branch", "show-ref", "sparse-checkout", "stripspace",
    "update-ref", "update-server-info", "var", "verify-commit", "verify-pack", "verify-tag", "version", "write-tree",
];

/// What the words of a subcommand are.
#[derive(Debug, Default)]
pub(super) struct Read<'w> {
    /// The words that are neither options nor values of them, before the `--`.
    pub(super) words: Vec<&'w Word>,
    /// Those behind the `--`; none where there is no such word.
    pub(super) paths: Option<&'w [Word]>,
    /// Some option is not known, or some word may turn out to be one.
    pub(super) unknown: bool,
    /// It is told to show changes.
    pub(super) changes: bool,
    /// It is told to show names and numbers.
    pub(super) summary: bool,
    /// Every option as it was read: its name, with the value where it has one.
    pub(super) options: Vec<(String, &'w str)>,
}

impl Read<'_> {
    /// Nothing but names and numbers, if that is what the subcommand shows by itself.
    pub(super) fn is_quiet(&self) -> bool {
        !self.unknown && !self.changes
    }

    /// True when one of these options is there.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| names.contains(&name.as_str()))
    }
}

/// Reads the words of a subcommand; none where no form of it is known.
pub(super) fn read<'w>(sub: &str, args: &'w [Word]) -> Option<Read<'w>> {
    let form = FORMS.iter().find(|form| form.subs.contains(&sub))?;
    let changes = form.subs.contains(&"log");
    let mut read = Read::default();
    let mut at = 0;
    while let Some(word) = args.get(at) {
        at += 1;
        let text = word.text.as_str();
        if word.is_fixed() && text == "--" {
            read.paths = args.get(at..);
            break;
        }
        // What only the shell knows may be an option, and more than one word.
        let plain = text.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | ':'));
        read.unknown |= word.kind > WordKind::Pattern || (!word.is_fixed() && !plain);
        if !text.starts_with('-') || text == "-" {
            read.words.push(word);
            continue;
        }
        let next = args.get(at).map_or("", |word| word.text.as_str());
        let took = if text.starts_with("--") {
            long(form, changes, text, next, &mut read)
        } else {
            letters(form, changes, text, next, &mut read)
        };
        at += usize::from(took);
    }
    read.summary = read.has(SUMMARY);
    Some(read)
}

/// Reads a long option. True when the next word is its value.
fn long<'w>(form: &Form, changes: bool, text: &'w str, next: &'w str, read: &mut Read<'w>) -> bool {
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    let (quiet, loud) = (form.long.contains(&name), changes && CHANGES.long.contains(&name));
    let takes = form.takes.contains(&name) || (changes && CHANGES.takes.contains(&name));
    // Whether the next word is the value of this one depends on the version of git.
    read.unknown |= (!quiet && !loud && !takes) || text == "--unified";
    read.changes |= loud || (changes && CHANGES.takes.contains(&name));
    let took = takes && value.is_none();
    read.options.push((name.to_owned(), value.unwrap_or(if took { next } else { "" })));
    took
}

/// Reads letters in one word. True when the next word is the value of the last.
fn letters<'w>(form: &Form, changes: bool, text: &'w str, next: &'w str, read: &mut Read<'w>) -> bool {
    for (at, letter) in text.char_indices().skip(1) {
        let rest = text.get(at + letter.len_utf8()..).unwrap_or_default();
        let loud = changes && (CHANGES.flags.contains(letter) || CHANGES.attached.contains(letter));
        let valued = form.valued.contains(letter);
        let attached = form.attached.contains(letter) || (loud && CHANGES.attached.contains(letter));
        let known = loud || valued || attached || form.flags.contains(letter);
        read.unknown |= !known || (letter == 'U' && rest.is_empty());
        read.changes |= loud;
        let took = valued && rest.is_empty();
        let value = if took { next } else { rest };
        read.options.push((format!("-{letter}"), if valued || attached { value } else { "" }));
        if valued || attached {
            return took;
        }
    }
    false
}
