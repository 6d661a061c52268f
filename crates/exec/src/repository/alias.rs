//! Which aliases run no program: those of common commands, with words and options that are known.

/// Commands whose options and words run nothing.
const ALIASED: &[&str] = &[
    "add",
    "blame",
    "branch",
    "checkout",
    "cherry-pick",
    "commit",
    "describe",
    "diff",
    "log",
    "ls-files",
    "merge",
    "reflog",
    "remote",
    "reset",
    "restore",
    "rev-parse",
    "shortlog",
    "show",
    "stash",
    "status",
    "switch",
    "tag",
];

/// Options of those commands that neither run a program nor name a file to write. Git often takes the beginning of one for
/// the option, so that a list of the others would never be whole.
const OPTIONS: &str = "\
    abbrev abbrev-commit abbrev-ref abort after all allow-empty always amend annotate author author-date-order \
    before boundary branch branches cached cc cherry-mark cherry-pick color color-moved color-words column committer \
    contains continue create cumulative date date-order decorate delete deleted detach diff-algorithm diff-filter \
    dirstat dirty email exclude-standard ff ff-only find-copies find-renames first-parent fixup follow force format \
    full-history full-index function-context graph grep hard histogram ignore-all-space ignore-blank-lines \
    ignore-space-at-eol ignore-space-change ignored include-untracked intent-to-add invert-grep keep keep-index \
    left-right list long match max-count merged merges message minimal mixed modified move name-only name-status \
    no-abbrev no-color no-commit no-decorate no-edit no-ext-diff no-ff no-merged no-merges no-patch no-renames \
    no-stat no-textconv no-track no-verify numbered numstat oneline others ours patch patch-with-stat patience \
    pickaxe-regex points-at porcelain pretty prune quiet quit raw regexp-ignore-case relative relative-date remotes \
    reset-author reverse set-upstream-to short short-format shortstat show-current show-stash show-toplevel signoff \
    simplify-by-decoration since skip soft sort source squash stage staged stat summary symbolic-full-name tags \
    theirs topo-order track unified unmerged unset-upstream until untracked-files update verbose verify walk-reflogs \
    word-diff word-diff-regex";

/// An alias that runs no program and writes no file that its words name.
pub(super) fn is_plain_alias(value: &str) -> bool {
    // Quotes may stand anywhere in a word. Without them there are more words than git sees, and none fewer.
    let value = value.replace(['\'', '"', '\\'], "");
    let mut words = value.split_whitespace();
    words.next().is_some_and(|first| ALIASED.contains(&first)) && words.all(is_plain_word)
}

fn is_plain_word(word: &str) -> bool {
    if let Some(option) = word.strip_prefix("--") {
        let name = option.split_once('=').map_or(option, |(name, _)| name);
        return !word.contains("::") && (name.is_empty() || OPTIONS.split(' ').any(|known| known == name));
    }
    match word.strip_prefix('-') {
        // One letter after the other; the one for output and order takes a file.
        Some(letters) => letters.bytes().all(|byte| byte.is_ascii_alphanumeric() && !matches!(byte, b'o' | b'O')),
        None => !word.contains("::"),
    }
}
