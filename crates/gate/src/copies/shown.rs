//! What a git command would print or lay down of the files that the repository has, by its words alone. Of a command that
//! nobody knows it is everything.

use super::forms::{QUIET, Read, read};
use reasonix_policy::{Simple, Word, WordKind};

/// What of a repository a command shows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    /// Folders that it goes to first, one after the other.
    pub(super) folders: Vec<String>,
    /// Another repository than that of the folder.
    pub(super) elsewhere: bool,
    /// Every word that may name a path in it.
    pub(super) named: Vec<Named>,
    /// What it shows beyond what it names.
    pub(super) extent: Extent,
    /// Words that have to be commits: of a tree or a blob nobody knows what path it has.
    pub(super) revisions: Vec<Revision>,
    /// Objects that it names by something else than a branch or a tag.
    pub(super) ids: Vec<String>,
    /// It may show objects that nobody can tell from its words.
    pub(super) loose: bool,
    /// It lays files down where the work tree is.
    pub(super) lays: bool,
}

/// A word that may name a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Revision {
    pub(super) text: String,
    /// It does, whether or not there is a file of that name.
    pub(super) sure: bool,
}

/// A path in a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) path: String,
    /// Seen from the top of the repository, not from the folder of the command.
    pub(super) top: bool,
}

/// How much is shown.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Extent {
    /// No file.
    #[default]
    Nothing,
    /// Only what it names.
    Named,
    /// Every file, as far as these do not limit it.
    Files(Limits),
}

/// What limits a command to some of the files.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Limits {
    /// Only these; all where there are none.
    pub(super) within: Vec<Named>,
    /// The same, but only where a file of that name is there: otherwise the word is a revision.
    pub(super) perhaps: Vec<Named>,
    /// None of these.
    pub(super) without: Vec<Without>,
}

/// What a command leaves out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Without {
    pub(super) named: Named,
    /// `*` ends at a slash, and `**` does not.
    pub(super) glob: bool,
}

/// Options of git itself that take the next word.
const WITH_VALUE: &[&str] =
    &["--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source"];

/// Options of git itself that change nothing of what is shown.
#[rustfmt::skip]
const PLAIN: &[&str] = &[
    "-C", "-c", "-P", "-p", "--no-pager", "--paginate", "--no-optional-locks", "--no-replace-objects", "--no-lazy-fetch",
    "--no-advice", "--bare", "--git-dir", "--work-tree",
];

/// Settings that change nothing of what is shown, by how they begin.
#[rustfmt::skip]
const SETTINGS: &[&str] = &[
    "user.", "author.", "committer.", "color.", "advice.", "core.quotepath", "core.pager", "core.autocrlf", "core.editor",
    "core.filemode", "core.longpaths", "core.hookspath", "commit.gpgsign", "tag.gpgsign", "init.", "safe.", "gc.", "http.", "protocol.version",
    "credential.", "pull.", "push.", "fetch.", "sequence.editor", "rebase.", "merge.ff", "diff.renames", "pager.", "gpg.",
];

/// Subcommands that lay files down where the work tree is.
#[rustfmt::skip]
const LAYING: &[&str] = &[
    "am", "apply", "checkout", "cherry-pick", "merge", "pull", "rebase", "reset", "restore", "revert", "sparse-checkout", "stash",
    "switch",
];

/// True for a subcommand that takes from another repository what it shows or lays down.
fn brings(sub: &str, args: &[Word]) -> bool {
    const BRINGING: &[&str] = &[
        "clone",
        "config",
        "cvsserver",
        "daemon",
        "fetch",
        "fetch-pack",
        "http-backend",
        "init",
        "instaweb",
        "p4",
        "pull",
        "remote",
        "submodule",
        "subtree",
        "svn",
        "upload-archive",
        "upload-pack",
    ];
    BRINGING.contains(&sub) || (sub == "archive" && has_word(args, |text| text.starts_with("--rem")))
}

/// Options of those that take the next word.
#[rustfmt::skip]
const BEFORE_SOURCE: &[&str] = &[
    "-b", "--branch", "--depth", "--deepen", "-o", "--origin", "-j", "--jobs", "--filter", "--shallow-since", "--shallow-exclude",
    "--server-option", "--refmap", "--negotiation-tip", "--revision", "-t", "-m", "-X", "-s", "--strategy", "--strategy-option",
    "--name", "--push-option",
];

/// The words that are neither options nor values of them.
fn sources(args: &[Word]) -> Vec<&Word> {
    let mut found = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        if BEFORE_SOURCE.contains(&word.text.as_str()) {
            words.next();
        } else if !word.text.starts_with('-') {
            found.push(word);
        }
    }
    found
}

/// True when what is taken comes from another machine, or from where the repository itself came from.
fn is_from_afar(args: &[Word], named: bool) -> bool {
    let own = |text: &str| !named && matches!(text, "origin" | "upstream");
    let sources = sources(args);
    let many = has_word(args, |text| text == "--multiple");
    let mut wanted = sources.iter().take(if many { sources.len() } else { 1 });
    let far = |word: &&&Word| word.is_fixed() && (own(&word.text) || is_distant(&word.text));
    wanted.all(|word| far(&word)) && (!named || !sources.is_empty())
}

/// What brings other repositories into this one, or makes another folder the work tree of one.
fn brought(name: &str, args: &[Word]) -> Option<(Extent, Vec<Revision>)> {
    let first = args.iter().find(|word| !word.text.starts_with('-')).map_or("", |word| word.text.as_str());
    let rest = || args.iter().skip_while(|word| word.text != first).skip(1).cloned().collect::<Vec<Word>>();
    let fixed = args.iter().all(Word::is_fixed);
    let odd = |starts: &[&str]| has_word(args, |text| starts.iter().any(|start| text.starts_with(start)));
    let found = match name {
        "clone" => {
            let more = odd(&["--ref", "-c", "--conf", "--sep", "--bundle", "-u", "--upload", "--templ"]);
            quiet_if(fixed && !more && is_from_afar(args, true))
        }
        "fetch" => quiet_if(fixed && !odd(&["--upload", "--stdin"]) && is_from_afar(args, false)),
        "pull" if !fixed || odd(&["--upload", "--rec"]) || !is_from_afar(args, false) => whole(),
        "remote" if matches!(first, "add" | "set-url") => {
            let urls = rest();
            let url = sources(&urls).get(1).is_some_and(|url| is_distant(&url.text));
            quiet_if(fixed && url)
        }
        "config" if odd(&["core.worktree", "core.bare"]) => whole(),
        "config" if has_word(args, is_address) => {
            quiet_if(fixed && args.last().is_some_and(|word| is_distant(&word.text) || is_address(&word.text)))
        }
        "init" => quiet_if(fixed && !odd(&["--sep"])),
        "submodule" => match first {
            "" | "status" | "init" | "sync" | "deinit" => quiet_if(fixed),
            "add" => quiet_if(fixed && !odd(&["--ref"]) && is_from_afar(&rest(), true)),
            _ => whole(),
        },
        _ => return None,
    };
    Some(found)
}

/// A setting that says where a remote is.
fn is_address(text: &str) -> bool {
    let text = text.to_lowercase();
    text.starts_with("url.")
        || (text.starts_with("remote.") && (text.ends_with("url") || text.ends_with(".vcs")))
        || text.starts_with("submodule.") && text.ends_with(".url")
}

/// What this command of git shows.
pub(super) fn shown(simple: &Simple) -> Shown {
    let mut found = Shown::default();
    let mut rest = simple.args();
    let mut odd = false;
    // Each subcommand may be called by a name of its own.
    let called = simple.program().strip_prefix("git-").map(|sub| Word { text: sub.to_owned(), kind: WordKind::Fixed });
    while let Some((word, more)) = rest.split_first().filter(|(word, _)| called.is_none() && word.text.starts_with('-'))
    {
        let name = word.text.split('=').next().unwrap_or_default();
        if matches!(
            word.text.as_str(),
            "-v" | "-h" | "--version" | "--help" | "--exec-path" | "--html-path" | "--man-path" | "--info-path"
        ) {
            return found;
        }
        let value = more.first();
        match word.text.as_str() {
            "-C" => {
                found.folders.extend(value.map(|value| value.text.clone()));
                found.elsewhere |= value.is_none_or(|value| !value.is_fixed());
            }
            "-c" => odd |= value.is_none_or(|value| !is_plain_setting(value)),
            "--bare" => found.elsewhere = true,
            _ => found.elsewhere |= WITH_VALUE.contains(&name),
        }
        odd |= !PLAIN.contains(&name);
        let takes = matches!(word.text.as_str(), "-C" | "-c") || WITH_VALUE.contains(&word.text.as_str());
        rest = if takes { more.get(1..).unwrap_or_default() } else { more };
    }
    let split = match &called {
        Some(sub) => Some((sub, rest)),
        None => rest.split_first(),
    };
    let Some((sub, args)) = split else { return found };
    found.named = args.iter().flat_map(|word| paths_in(&word.text)).collect();
    let before = args.iter().take_while(|word| word.text != "--");
    found.loose = before.into_iter().any(|word| word.kind > WordKind::Pattern)
        || has_word(args, |text| text.starts_with("--batch"));
    found.ids = args.iter().flat_map(|word| ids_in(&word.text)).collect();
    let (extent, revisions) = extent(sub, args);
    (found.extent, found.revisions) = (extent, revisions);
    found.lays = LAYING.contains(&sub.text.as_str());
    found.elsewhere |= odd || (found.extent != Extent::Nothing && brings(&sub.text, args));
    if odd {
        found.extent = Extent::Files(Limits::default());
    }
    found
}

fn is_plain_setting(word: &Word) -> bool {
    let text = word.text.to_lowercase();
    word.is_fixed() && SETTINGS.iter().any(|start| text.starts_with(start))
}

/// Objects that a word names by something that may lie beside all branches and tags.
fn ids_in(text: &str) -> Vec<String> {
    let part = |part: &str| {
        let base = part.trim_start_matches('^').split(['~', '^', ':', '@']).next().unwrap_or_default();
        let hex = (4..=64).contains(&base.len()) && base.chars().all(|c| c.is_ascii_hexdigit());
        (hex || base.ends_with("_HEAD") || base == "AUTO_MERGE").then(|| base.to_owned())
    };
    text.split("..").map(|text| text.trim_start_matches('.')).filter_map(part).collect()
}

fn has_word(args: &[Word], is: impl Fn(&str) -> bool) -> bool {
    args.iter().any(|word| is(&word.text))
}

const NOTHING: (Extent, Vec<Revision>) = (Extent::Nothing, Vec::new());

fn whole() -> (Extent, Vec<Revision>) {
    (Extent::Files(Limits::default()), Vec::new())
}

fn quiet_if(quiet: bool) -> (Extent, Vec<Revision>) {
    if quiet { NOTHING } else { whole() }
}

/// What a subcommand shows, and the words that have to be commits for that to be true.
fn extent(sub: &Word, args: &[Word]) -> (Extent, Vec<Revision>) {
    let first = args.first().map_or("", |word| word.text.as_str());
    let one_of = |subs: &[&str]| quiet_if(subs.contains(&first) && args.iter().all(Word::is_fixed));
    if !sub.is_fixed() {
        return whole();
    }
    let name = sub.text.as_str();
    if let Some(found) = brought(name, args) {
        return found;
    }
    match name {
        "cat-file" => return cat_file(args),
        "blame" | "annotate" => return blame(args),
        "stash" => return stash(args),
        "worktree" => return one_of(&["list", "prune", "remove", "lock", "unlock", "move", "repair"]),
        "bundle" => return one_of(&["verify", "list-heads", "unbundle"]),
        "bisect" => return one_of(&["start", "good", "bad", "new", "old", "skip", "reset", "log", "next", "terms"]),
        "rerere" => return one_of(&["", "status", "clear", "forget", "gc", "remaining"]),
        "notes" => return notes(args),
        "replace" => return quiet_if(args.is_empty() || matches!(first, "-l" | "--list" | "-d" | "--delete")),
        "symbolic-ref" => return quiet_if(operands(args).count() < 2 && args.iter().all(Word::is_fixed)),
        "mv" => return quiet_if(args.iter().all(Word::is_fixed)),
        "reflog" if matches!(first, "expire" | "delete" | "exists" | "list") => return NOTHING,
        "push" => {
            let to = operands(args).next().map_or("origin", |word| word.text.as_str());
            let repo = has_word(args, |text| text.starts_with("--repo"));
            return quiet_if(!repo && (matches!(to, "origin" | "upstream") || is_distant(to)));
        }
        quiet if QUIET.contains(&quiet) => return NOTHING,
        _ => {}
    }
    read(name, args).map_or_else(whole, |read| by_form(name, &read))
}

/// What a subcommand shows whose options are known.
fn by_form(name: &str, read: &Read<'_>) -> (Extent, Vec<Revision>) {
    match name {
        "diff" if read.summary && read.is_quiet() => NOTHING,
        "show" => show(read),
        "log" | "whatchanged" | "diff-tree" | "diff-index" | "diff-files" | "rev-list" | "reflog"
            if read.is_quiet() =>
        {
            NOTHING
        }
        "log" | "whatchanged" | "diff-tree" | "diff-index" | "diff-files" | "diff" => limited(read, name == "diff"),
        "rev-list" | "reflog" => whole(),
        "grep" => grep(read),
        "archive" => archive(read),
        "checkout" | "restore" | "reset" => taken_out(name, read),
        "for-each-ref" | "branch" | "tag" => {
            let formats = read.options.iter().filter(|(name, _)| name == "--format");
            quiet_if(!read.unknown && formats.map(|(_, format)| format).all(|format| is_plain_format(format)))
        }
        "am" => quiet_if(!read.unknown && read.has(&["--abort", "--quit"])),
        _ => quiet_if(!read.unknown),
    }
}

/// A format of references with fields alone that are no content.
fn is_plain_format(format: &str) -> bool {
    const FIELDS: &[&str] = &[
        "refname",
        "objectname",
        "objecttype",
        "objectsize",
        "upstream",
        "push",
        "HEAD",
        "authorname",
        "authoremail",
        "authordate",
        "committername",
        "committeremail",
        "committerdate",
        "taggername",
        "taggerdate",
        "creator",
        "creatordate",
        "subject",
        "symref",
        "worktreepath",
        "align",
        "if",
        "then",
        "else",
        "end",
        "color",
    ];
    let field = |part: &str| part.split([')', ':']).next().unwrap_or_default().trim_start_matches('*').to_owned();
    format.split("%(").skip(1).all(|part| FIELDS.contains(&field(part).as_str()))
}

/// Words that are revisions, or paths where there are such files.
fn revisions(read: &Read<'_>) -> Vec<Revision> {
    let sure = read.paths.is_some();
    read.words.iter().map(|word| Revision { text: word.text.clone(), sure: sure || !word.is_fixed() }).collect()
}

/// A history or a comparison with what it is limited to.
fn limited(read: &Read<'_>, compares: bool) -> (Extent, Vec<Revision>) {
    // It names the files that it shows by others, or shows them all.
    if read.unknown || read.has(&["--follow"]) {
        return whole();
    }
    let mut limits = Limits::default();
    let colon = |word: &&&Word| word.text.contains(':') && !word.text.starts_with(':');
    let parts = read.words.iter().filter(colon).count();
    for word in &read.words {
        if word.text.starts_with(':') && read.paths.is_none() {
            limit(word, &mut limits);
        } else if colon(&word) {
            // Beside a whole tree a part of one limits nothing.
            if compares && parts == read.words.len() {
                limits.within.extend(behind_revision(&word.text));
            } else {
                return whole();
            }
        } else if read.paths.is_none() && word.is_fixed() {
            limits.perhaps.push(Named { path: word.text.clone(), top: false });
        }
    }
    read.paths.unwrap_or_default().iter().for_each(|word| limit(word, &mut limits));
    let revisions = revisions(read).into_iter().filter(|word| read.paths.is_some() || !word.text.starts_with(':'));
    (Extent::Files(limits), revisions.collect())
}

/// What stands behind the revision, for a limit.
fn behind_revision(text: &str) -> Option<Named> {
    let (_, path) = text.split_once(':')?;
    let here = path.starts_with("./") || path.starts_with("../");
    Some(Named { path: path.to_owned(), top: !here })
}

/// `git show` prints a blob whatever its options are.
fn show(read: &Read<'_>) -> (Extent, Vec<Revision>) {
    if read.unknown {
        return whole();
    }
    let words: Vec<Word> = read.words.iter().map(|word| (*word).clone()).collect();
    if names_all(&words) {
        return (Extent::Named, revisions(read));
    }
    if words.iter().any(|word| word.text.contains(':')) {
        return whole();
    }
    if read.summary && read.is_quiet() { (Extent::Nothing, revisions(read)) } else { limited(read, false) }
}

fn stash(args: &[Word]) -> (Extent, Vec<Revision>) {
    const FLAGS: &[&str] =
        &["-u", "-a", "-q", "-k", "-ku", "-uk", "-S", "--include-untracked", "--all", "--keep-index"];
    const MORE: &[&str] = &["--no-keep-index", "--quiet", "--staged", "--index", "-m", "--message", "--"];
    let first = args.first().map_or("", |word| word.text.as_str());
    let read = read("stash", args.get(1..).unwrap_or_default()).unwrap_or_default();
    match first {
        "list" => quiet_if(read.is_quiet()),
        "show" => quiet_if(read.is_quiet() && read.summary),
        _ => {
            let plain = |word: &Word| {
                let text = word.text.as_str();
                word.is_fixed() && (!text.starts_with('-') || FLAGS.contains(&text) || MORE.contains(&text))
            };
            quiet_if(args.iter().all(plain))
        }
    }
}

/// Notes are blobs, and every blob may be made one.
fn notes(args: &[Word]) -> (Extent, Vec<Revision>) {
    let plain = |word: &Word| {
        let text = word.text.as_str();
        word.is_fixed() && (!text.starts_with('-') || matches!(text, "-m" | "-f" | "--message" | "--force"))
    };
    let first = args.first().map_or("", |word| word.text.as_str());
    let sub = matches!(first, "" | "list" | "add" | "append" | "prune" | "get-ref" | "remove");
    quiet_if(sub && args.iter().all(plain))
}

fn blame(args: &[Word]) -> (Extent, Vec<Revision>) {
    let named = operands(args).next().is_some() && args.iter().all(Word::is_fixed);
    if named { (Extent::Named, Vec::new()) } else { whole() }
}

/// What takes files out of a tree takes them to where that tree begins.
fn taken_out(name: &str, read: &Read<'_>) -> (Extent, Vec<Revision>) {
    if read.unknown {
        return whole();
    }
    let revision = |text: &str, sure: bool| vec![Revision { text: text.to_owned(), sure }];
    let source = read.options.iter().find(|(option, _)| matches!(option.as_str(), "--source" | "-s"));
    let first = read.words.first().map(|word| word.text.as_str());
    let tree = match (name, source, first) {
        ("restore", Some((_, source)), _) => revision(source, true),
        ("checkout" | "reset", _, Some(first)) if read.paths.is_some() || read.words.len() > 1 => {
            revision(first, read.paths.is_some())
        }
        _ => Vec::new(),
    };
    (Extent::Nothing, tree)
}

/// The words that are no options.
fn operands(args: &[Word]) -> impl Iterator<Item = &Word> {
    args.iter().filter(|word| !word.text.starts_with('-') || word.text == "-")
}

/// True when everything that is asked for is named as `REVISION:path`.
fn names_all(args: &[Word]) -> bool {
    let mut words = operands(args).peekable();
    let is_path = |word: &Word| {
        let named = word.text.split_once(':').filter(|(revision, path)| !revision.is_empty() || !path.starts_with('/'));
        word.is_fixed() && named.is_some() && !word.text.contains('{')
    };
    words.peek().is_some() && words.all(is_path)
}

fn cat_file(args: &[Word]) -> (Extent, Vec<Revision>) {
    let texts: Vec<&str> = args.iter().map(|word| word.text.as_str()).collect();
    if !args.iter().all(Word::is_fixed) {
        return whole();
    }
    let is_check = |text: &&str| {
        text.starts_with("--batch-check") || matches!(*text, "--batch-all-objects" | "--buffer" | "--unordered")
    };
    let (kind, object) = match texts.as_slice() {
        [] => return whole(),
        ["-t" | "-s" | "-e", _] => return NOTHING,
        checks if checks.iter().all(is_check) => return NOTHING,
        [kind @ ("-p" | "blob" | "commit" | "tree" | "tag"), object] => (*kind, *object),
        _ => return whole(),
    };
    let plain = object.trim_end_matches("^{tree}").trim_end_matches("^{commit}");
    let revision = vec![Revision { text: object.to_owned(), sure: true }];
    if is_head(plain) && kind != "blob" {
        NOTHING
    } else if names_all(args.get(1..).unwrap_or_default()) {
        (Extent::Named, revision)
    } else {
        whole()
    }
}

/// HEAD and its ancestors, which are always commits.
pub(super) fn is_head(text: &str) -> bool {
    let rest = text.strip_prefix("HEAD").or_else(|| text.strip_prefix('@'));
    rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || "~^".contains(c)))
}

fn archive(read: &Read<'_>) -> (Extent, Vec<Revision>) {
    let Some((tree, words)) = read.words.split_first().filter(|_| !read.unknown) else {
        return quiet_if(!read.unknown && read.has(&["-l", "--list"]));
    };
    let mut limits = Limits::default();
    words.iter().for_each(|word| limit(word, &mut limits));
    read.paths.unwrap_or_default().iter().for_each(|word| limit(word, &mut limits));
    // A part of a tree is all that there is in the archive.
    if let Some(part) = behind_revision(&tree.text) {
        limits = Limits { within: vec![part], ..Limits::default() };
    }
    (Extent::Files(limits), vec![Revision { text: tree.text.clone(), sure: true }])
}

/// `git grep` looks through the files that are there, unless it is told to look at what the repository has of them.
fn grep(read: &Read<'_>) -> (Extent, Vec<Revision>) {
    if read.unknown {
        return whole();
    }
    let pattern = usize::from(!read.has(&["-e", "-f"]));
    let words = read.words.get(pattern..).unwrap_or_default();
    if words.is_empty() && !read.has(&["--cached"]) {
        return NOTHING;
    }
    let parts = Read { words: words.to_vec(), paths: read.paths, ..Read::default() };
    limited(&parts, true)
}

/// Takes in one pathspec.
fn limit(word: &Word, limits: &mut Limits) {
    let text = word.text.as_str();
    let mut named = Named { path: text.to_owned(), top: false };
    let (mut glob, mut without, mut known) = (false, false, true);
    if let Some((magic, path)) = text.strip_prefix(":(").and_then(|rest| rest.split_once(')')) {
        named.path = path.to_owned();
        for part in magic.split(',') {
            match part {
                "top" => named.top = true,
                "exclude" => without = true,
                "glob" => glob = true,
                "literal" | "" => {}
                _ => known = false,
            }
        }
    } else if let Some(rest) = text.strip_prefix(':') {
        let path = rest.trim_start_matches(['/', '!', '^']);
        let magic = rest.get(..rest.len() - path.len()).unwrap_or_default();
        (named.top, without) = (magic.contains('/'), magic.contains(['!', '^']));
        path.strip_prefix(':').unwrap_or(path).clone_into(&mut named.path);
    }
    // What is not known may be any path; what is left out by such a word may be none.
    let fixed = known && (word.is_fixed() || !text.contains('{')) && word.kind <= reasonix_policy::WordKind::Pattern;
    match (without, fixed) {
        (true, true) if word.is_fixed() => limits.without.push(Without { named, glob }),
        (true, _) => {}
        (false, true) => limits.within.push(named),
        (false, false) => limits.within.push(Named { path: String::new(), top: true }),
    }
}

/// Paths that a word may name: itself, what stands behind a revision, and the value of an option.
fn paths_in(text: &str) -> Vec<Named> {
    let here = |path: &str| Named { path: path.to_owned(), top: false };
    if text.starts_with('-') {
        let letter = text.get(2..).filter(|_| !text.starts_with("--")).map(here);
        return text.split_once('=').map(|(_, value)| here(value)).into_iter().chain(letter).collect();
    }
    let mut found = vec![here(text)];
    for (at, _) in text.match_indices(':') {
        let path = text.get(at + 1..).unwrap_or_default().trim_start_matches(['/', '!', '^', ':']);
        let path = path.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or(path, |(_, path)| path);
        let seen_from_here = path.starts_with("./") || path.starts_with("../");
        // Magic of a pathspec begins the word, and is seen from the folder unless it says otherwise.
        found.push(Named { path: path.to_owned(), top: !seen_from_here });
        if at == 0 {
            found.push(here(path));
        }
    }
    // What a command leaves out it does not show.
    if [":!", ":^", ":/!", ":(exclude", ":(top,exclude"].iter().any(|start| text.starts_with(start)) {
        found.clear();
    }
    found
}

/// A repository on another machine.
fn is_distant(text: &str) -> bool {
    let host = text.split_once(':').is_some_and(|(host, _)| !host.contains('/'));
    host && !text.starts_with("file:") && !text.contains("::")
}

#[cfg(test)]
mod tests;
