//! Programs that only read, each with exactly the options that keep it a reader: an option that is not in its row makes it
//! something else. What no kernel holds runs unasked by this table alone.

use super::options::{Row, operands};
use crate::effects::{Simple, Word, WordKind, printf_sets};

/// Any number of operands.
const ANY: usize = usize::MAX;

const fn row(names: &'static str, short: &'static str, long: &'static str, most: usize) -> Row {
    Row { names, short, long, most }
}

const SUMS: &str = "binary check tag text zero ignore-missing quiet status strict warn length=";

/// Letters are options; `:` behind one takes a value, `?` one that is attached, `#` alone stands for numbers. Long ones end
/// with `=` where they take a value, with `?` where it may be attached, with `==` where they take two words.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("true false : whoami groups tty factor", "", "", ANY),
    row("arch", "", "", 0),
    row("pwd", "LP", "", 0),
    row("exit sleep", "", "", 1),
    row("cat", "AbeEnstTuv", "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting", ANY),
    row("head", "#c:n:qvz", "bytes= lines= quiet silent verbose zero-terminated", ANY),
    row("tail", "#c:n:qvzs:fF", "bytes= lines= quiet silent verbose zero-terminated follow? retry pid= sleep-interval=", ANY),
    row("wc", "clmwL", "bytes chars lines words max-line-length files0-from= total=", ANY),
    row("id", "agGnruzZ", "group groups name real user zero context", ANY),
    row("uname", "asnrvmpio", "all kernel-name nodename kernel-release kernel-version machine processor operating-system", 0),
    row("nproc", "", "all ignore=", 0),
    row("basename", "as:z", "multiple suffix= zero", ANY),
    row("dirname", "z", "zero", ANY),
    row("realpath", "eLmPqsz", "canonicalize-existing canonicalize-missing logical physical quiet relative-to= relative-base= strip no-symlinks zero", ANY),
    row("readlink", "femnqsvz", "canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero", ANY),
    row("stat", "Lfc:t", "dereference file-system format= printf= terse cached=", ANY),
    row("du", "0aB:bcDd:hHklLmPSst:xX:", "null all apparent-size block-size= bytes total dereference-args max-depth= human-readable si dereference no-dereference separate-dirs summarize threshold= time? time-style= exclude-from= exclude= one-file-system inodes", ANY),
    row("df", "aB:hHiklPTt:x:v", "all block-size= human-readable si inodes local no-sync output? portability print-type total type= exclude-type=", ANY),
    row("nl", "b:d:f:h:i:l:n:ps:v:w:", "body-numbering= number-format= number-separator= number-width= starting-line-number= line-increment=", ANY),
    row("cut", "b:c:d:f:nsz", "bytes= characters= delimiter= fields= complement only-delimited output-delimiter= zero-terminated", ANY),
    row("tr", "cCdst", "complement delete squeeze-repeats truncate-set1", 2),
    row("comm", "123z", "check-order nocheck-order output-delimiter= total zero-terminated", 2),
    row("cmp", "bi:ln:s", "print-bytes ignore-initial= verbose bytes= quiet silent", 4),
    row("paste", "d:sz", "delimiters= serial zero-terminated", ANY),
    row("fold", "bsw:", "bytes spaces width=", ANY),
    row("rev", "0", "zero", ANY),
    row("tac", "brs:", "before regex separator=", ANY),
    row("seq", "f:s:w", "format= separator= equal-width", 3),
    row("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum", "bctwzl:", SUMS, ANY),
    row("b3sum", "c", "check no-names raw num-threads= length= quiet", ANY),
    row("cksum", "a:bctwzl:", SUMS, ANY),
    row("od", "A:j:N:S:t:vabcdfilosx", "address-radix= skip-bytes= read-bytes= strings? format= output-duplicates width?", ANY),
    row("hexdump hd", "bcCdn:os:vxe:", "one-byte-octal one-byte-char canonical two-bytes-decimal length= two-bytes-octal skip= no-squeezing two-bytes-hex", ANY),
    row("strings", "#afn:t:e:osw", "all print-file-name bytes= radix= encoding= include-all-whitespace", ANY),
    row("base64 base32", "dw:i", "decode wrap= ignore-garbage", 1),
    row("grep egrep fgrep", "#abcEFGhHiIlLnoPqrRsTUvVwxyZzA:B:C:d:D:e:f:m:", "extended-regexp fixed-strings basic-regexp perl-regexp regexp= file= ignore-case no-ignore-case word-regexp line-regexp null-data no-messages invert-match max-count= byte-offset line-number line-buffered with-filename no-filename label= only-matching quiet silent binary-files= text directories= devices= recursive dereference-recursive include= exclude= exclude-from= exclude-dir= files-without-match files-with-matches count initial-tab null before-context= after-context= context= color? colour? binary", ANY),
    row("ls dir", "aAbBcCdfFgGhHiI:klLmnNopqQrRsStT:uUvw:xXZ1", "all almost-all author escape block-size= ignore-backups color? directory dired classify? file-type format= full-time no-group group-directories-first human-readable si dereference-command-line dereference hide= hyperlink? indicator-style= inode ignore= kibibytes numeric-uid-gid literal hide-control-chars show-control-chars quote-name quoting-style= reverse recursive size sort= time= time-style= tabsize= width= zero context", ANY),
    row("diff", "abBcC:dEeF:iI:nNpqrsStTuU:vwW:x:X:yZ", "brief report-identical-files context? unified? ed normal rcs side-by-side width= left-column suppress-common-lines show-c-function show-function-line= label= expand-tabs initial-tab tabsize= suppress-blank-empty recursive no-dereference new-file unidirectional-new-file ignore-file-name-case exclude= exclude-from= starting-file= from-file= to-file= ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines ignore-matching-lines= text strip-trailing-cr minimal speed-large-files color?", ANY),
    row("which", "a", "all", ANY),
    row("type", "afptP", "", ANY),
    row("printenv", "0", "null", ANY),
    row("env", "", "", 0),
    row("hostname", "fsiIdA", "fqdn short ip-address all-ip-addresses domain all-fqdns long", 0),
    row("uptime", "ps", "pretty since", 0),
    row("free", "bkmghlts:c:vw", "bytes kilo mega giga human lohi total wide", 0),
    row("lscpu", "abceJpsxy", "all online bytes offline json parse? extended? hex", 0),
    row("ps", "AadefFHjlLmMNTuxywC:G:g:O:o:p:q:s:t:U:Z", "forest no-headers headers sort= pid= ppid= user= format= cols= width=", ANY),
    row("who w", "abdHlmpqrstTu", "all boot heading users", 0),
    row("pgrep", "acfilnovwxd:g:G:P:s:t:u:U:", "count delimiter= list-name list-full newest oldest full exact inverse euid= uid= parent= ignore-case lightweight", ANY),
    row("locale", "am", "all-locales charmaps", ANY),
    row("getconf", "a", "", 2),
    row("expand", "it:", "initial tabs=", ANY),
    row("unexpand", "at:", "all first-only tabs=", ANY),
    row("fmt", "cstuw:p:g:", "crown-margin prefix= split-only tagged-paragraph uniform-spacing width= goal=", ANY),
    row("column", "c:dnN:s:tT:xo:eR:", "output-width= table separator= output-separator= table-columns= table-right=", ANY),
    row("join", "a:e:i1:2:j:o:t:v:z", "ignore-case check-order nocheck-order header zero-terminated", 2),
    row("file", "bcdEe:f:F:hikLNnrsv0", "brief mime mime-type mime-encoding dereference no-dereference no-pad separator= files-from= extension keep-going raw", ANY),
    row("sort", "bdfghiMnRrVuzcCk:t:S:ms", "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort ignore-nonprinting month-sort numeric-sort random-sort reverse version-sort check? unique stable merge zero-terminated key= field-separator= buffer-size= parallel= sort= debug batch-size= files0-from=", ANY),
    row("uniq", "cdDuizf:s:w:", "count repeated all-repeated? unique ignore-case zero-terminated skip-fields= skip-chars= check-chars= group?", 1),
    row("tree", "adfilnpsuDFgtrUvcCAxhJXqL:P:I:NQ", "dirsfirst noreport prune filelimit= gitignore matchdirs ignore-case charset= du si inodes device sort= timefmt= metafirst", ANY),
    row("jq", "acCeMnrsSjR", "arg== argjson== slurpfile== rawfile== args jsonargs indent= tab null-input raw-input slurp compact-output raw-output join-output ascii-output sort-keys color-output monochrome-output exit-status seq stream", ANY),
    row("rg", "aA:B:C:bcd:e:E:f:FgiIj:lLm:M:nNoPpqr:sSt:T:uUvVwx0.hH", "after-context= before-context= context= byte-offset case-sensitive color= colors= column count count-matches crlf debug max-depth= encoding= regexp= file= files files-with-matches files-without-match fixed-strings follow glob= glob-case-insensitive heading no-heading hidden iglob= ignore-case ignore-file= include-zero invert-match json line-buffered line-number no-line-number line-regexp max-columns= max-columns-preview max-count= max-filesize= mmap no-mmap multiline multiline-dotall no-config no-ignore no-ignore-dot no-ignore-global no-ignore-parent no-ignore-vcs no-messages null null-data one-file-system only-matching passthru pcre2 pretty quiet replace= smart-case sort= sortr= stats text threads= trim type= type-list type-not= type-add= unrestricted vimgrep with-filename no-filename word-regexp", ANY),
    row("fd fdfind", "aHIiLsgpFd:t:e:E:0u", "absolute-path hidden no-ignore no-ignore-vcs ignore-case follow case-sensitive glob full-path fixed-strings max-depth= min-depth= exact-depth= type= extension= exclude= print0 size= changed-within= changed-before= max-results= strip-cwd-prefix color= unrestricted prune", ANY),
    row("sed gsed", "nErsuze:", "quiet silent regexp-extended separate unbuffered null-data posix expression=", ANY),
    row("awk gawk mawk", "F:v:", "", ANY),
];

const LOG: &str = "oneline graph decorate? no-decorate all branches? tags? remotes? author= committer= grep= since= after= until= before= max-count= skip= merges no-merges first-parent reverse follow pretty? format= abbrev-commit no-abbrev-commit date= relative-date topo-order date-order author-date-order no-walk? cherry-pick left-right cherry-mark cherry simplify-by-decoration full-history all-match invert-grep regexp-ignore-case extended-regexp fixed-strings perl-regexp ancestry-path boundary notes? no-notes source full-diff log-size min-parents= max-parents= walk-reflogs patch no-patch raw stat? numstat shortstat dirstat? summary patch-with-stat name-only name-status color? no-color color-words? word-diff? no-renames find-renames? find-copies? full-index binary abbrev? diff-filter= pickaxe-all pickaxe-regex ignore-space-at-eol ignore-space-change ignore-all-space ignore-blank-lines function-context no-ext-diff no-textconv unified= minimal patience histogram diff-algorithm= text relative? color-moved? compact-summary cc";
const DIFF: &str = "cached staged merge-base no-index exit-code quiet check patch no-patch raw stat? numstat shortstat dirstat? summary patch-with-stat name-only name-status color? no-color color-words? word-diff? word-diff-regex= no-renames find-renames? find-copies? full-index binary abbrev? diff-filter= pickaxe-all pickaxe-regex ignore-space-at-eol ignore-space-change ignore-all-space ignore-blank-lines ignore-cr-at-eol inter-hunk-context= function-context no-ext-diff no-textconv ignore-submodules? submodule? src-prefix= dst-prefix= no-prefix unified= minimal patience histogram diff-algorithm= text relative? no-relative color-moved? compact-summary";

/// Subcommands of git. What the settings of a repository make them run is not in their words.
#[rustfmt::skip]
const GIT: &[Row] = &[
    row("--version version", "", "build-options", 0),
    row("status", "sbvzu?", "short branch show-stash porcelain? long verbose untracked-files? ignore-submodules? ignored? null column? no-column ahead-behind no-ahead-behind renames no-renames find-renames?", ANY),
    row("log whatchanged", "#pusRawbzU:S:G:M?C?n:iEFPL:gcmrt", LOG, ANY),
    row("show", "#pusRawbzU:S:G:M?C?cmrt", LOG, ANY),
    row("rev-list", "#n:iEFP", "count objects disk-usage? quiet oneline graph all branches? tags? remotes? author= committer= grep= since= after= until= before= max-count= skip= merges no-merges first-parent reverse pretty? format= abbrev-commit date= topo-order date-order left-right cherry-pick parents children", ANY),
    row("diff", "pusRawbzU:S:G:M?C?B?D", DIFF, ANY),
    row("diff-tree", "pusrtzmcM?C?", "root no-commit-id patch name-only name-status stat? numstat shortstat cc abbrev? pretty? no-ext-diff no-textconv", ANY),
    row("rev-parse", "q", "show-toplevel abbrev-ref? short? verify quiet is-inside-work-tree is-bare-repository is-inside-git-dir git-dir absolute-git-dir git-common-dir show-prefix show-cdup symbolic symbolic-full-name all branches? tags? remotes? git-path= show-superproject-working-tree is-shallow-repository local-env-vars", ANY),
    row("ls-files", "cdmoiskuztvfx:X:", "cached deleted modified others ignored stage unmerged killed directory no-empty-directory eol exclude= exclude-from= exclude-per-directory= exclude-standard error-unmatch with-tree= full-name abbrev? format= deduplicate", ANY),
    row("ls-tree", "drtlz", "long name-only name-status object-only full-name full-tree abbrev? format=", ANY),
    row("describe", "", "tags all always long dirty? contains abbrev= candidates= exact-match match= exclude= first-parent", ANY),
    row("merge-base", "a", "all octopus is-ancestor independent fork-point", ANY),
    row("name-rev", "", "tags refs= all name-only always no-undefined", ANY),
    row("for-each-ref", "", "format= sort= count= points-at= ignore-case omit-empty", ANY),
    row("show-ref", "dqs", "head heads tags branches dereference hash? verify quiet abbrev?", ANY),
    row("count-objects", "vH", "verbose human-readable", 0),
    row("check-ignore", "vqnz", "verbose quiet non-matching no-index", ANY),
    row("cat-file", "pets", "", 2),
    row("shortlog", "nsecw?", "numbered summary email committer group= all since= until= author= no-merges", ANY),
    row("blame", "bcefklnpstwL:M?C?S:", "line-porcelain porcelain show-email date= root incremental abbrev= ignore-rev= ignore-revs-file= since=", ANY),
    row("grep", "#aiIlLnHhovwzcpqWEFGPrA:B:C:e:f:m:", "cached untracked no-index no-exclude-standard exclude-standard text ignore-case word-regexp invert-match files-with-matches files-without-match name-only count break heading show-function function-context context= after-context= before-context= extended-regexp basic-regexp fixed-strings perl-regexp line-number column color? no-color all-match and or not recursive max-depth= threads= only-matching full-name null quiet max-count=", ANY),
    row("branch", "arvi", "all list remotes verbose show-current contains= no-contains= merged= no-merged= sort= format= column? no-column color? no-color abbrev= points-at= ignore-case", 0),
    row("tag", "l", "list sort= contains= points-at= format= merged= no-merged= column? color?", 0),
    row("remote", "v", "verbose", 0),
    row("reflog", "#n:", "all date= format= pretty? oneline", 0),
];

/// Subcommands of two words.
#[rustfmt::skip]
const GIT_TWO: &[Row] = &[
    row("remote get-url", "", "push all", 1),
    row("stash list", "#n:p", "oneline stat? name-only name-status date= format= pretty? patch", 0),
    row("stash show", "pu", "stat? name-only name-status patch numstat shortstat include-untracked only-untracked", 1),
    row("worktree list", "vz", "porcelain verbose", 0),
    row("reflog show", "#n:", "all date= format= pretty? oneline", 1),
    row("config --get", "z", "global local system show-origin show-scope type= null", 1),
    row("config --list", "z", "global local system show-origin show-scope name-only null", 0),
    row("config -l", "z", "global local system show-origin show-scope name-only null", 0),
];

/// Programs that only tell something about themselves when they are asked for it, and that no file of a project replaces.
/// Not among them are toolchains: a file beside the code says which `cargo`, `node`, `yarn`, `python` or `go` runs, and may
/// name a program of its own (`rust-toolchain.toml`, `.yarnrc.yml`, `.tool-versions`, `.python-version`, `go.mod`).
const ABOUT: &[&str] = &["gcc", "g++", "make", "bash", "docker"];

/// Wrappers that add nothing of their own; what they run is judged apart.
const WRAPPERS: &[&str] = &["bash", "ionice", "nice", "sh", "stdbuf", "timeout"];

/// Options by which readers follow links, or read lists of other files: where nothing holds them, they would leave the
/// workspace by what a repository put there.
#[rustfmt::skip]
const ELSEWHERE: &[(&[&str], &[&str])] = &[
    (&["grep", "egrep", "fgrep"], &["-R", "--dereference-recursive", "-f", "--file"]),
    (&["find"], &["-L", "-H", "-follow", "-files0-from"]),
    (&["rg"], &["-L", "--follow", "-f", "--file"]),
    (&["fd", "fdfind"], &["-L", "--follow"]),
    (&["diff"], &["-r", "--recursive", "--from-file", "--to-file"]),
    (&["du"], &["-L", "-D", "--dereference", "--dereference-args", "--files0-from", "-X", "--exclude-from"]),
    (&["ls", "dir"], &["-L", "-H", "--dereference"]),
    (&["tree"], &["-l"]),
    (&["sort", "wc"], &["--files0-from"]),
    (&["file"], &["-f", "--files-from", "-L", "--dereference", "-m", "--magic-file", "-p", "--preserve-date"]),
    (&["date"], &["-f", "--file", "-r", "--reference"]),
    (&["md5sum", "sha1sum", "sha256sum", "sha512sum", "b2sum", "cksum"], &["-c", "--check"]),
];

fn leads_elsewhere(simple: &Simple) -> bool {
    let name = simple.program();
    let follows = ELSEWHERE.iter().filter(|(names, _)| names.contains(&name)).flat_map(|(_, flags)| *flags);
    let lists = |word: &Word| {
        word.text.starts_with('@')
            || (name == "jq" && ["import", "include"].iter().any(|part| word.text.contains(part)))
    };
    follows.into_iter().any(|flag| simple.has(flag) || simple.args().iter().any(|word| word.text == *flag))
        || simple.args().iter().any(lists)
}

/// True for a wrapper that is given nothing but what it wraps: its own options could name a file to run first.
fn wraps_plainly(name: &str, args: &[Word]) -> bool {
    let first = args.first().map_or("", |word| word.text.as_str());
    match name {
        "bash" | "sh" => first == "-c",
        "timeout" => first.starts_with(|c: char| c.is_ascii_digit()),
        name => WRAPPERS.contains(&name) && !first.starts_with('-'),
    }
}

/// True when this command of an understood line only reads, by its exact options.
pub(crate) fn is_exact(simple: &Simple) -> bool {
    let Some(program) = simple.words.first().filter(|word| word.is_fixed()) else { return false };
    let name = program.text.as_str();
    if leads_elsewhere(simple) {
        return false;
    }
    if simple.wraps {
        return wraps_plainly(name, simple.args());
    }
    let known = simple.args().iter().all(|word| word.kind <= WordKind::Pattern);
    known
        && match name {
            // Whatever their words are; where they are more, the narrow reading does not understand them.
            // Behind a wrapper the narrow reading does not look at it.
            "printf" => !printf_sets(simple.args()),
            "echo" | "test" | "cd" | "command" | "expr" => true,
            "git" => is_git(simple),
            "date" => {
                operands(ROW_DATE, simple.args()).is_some_and(|rest| rest.iter().all(|word| word.text.starts_with('+')))
            }
            "xxd" => is_xxd(simple.args()),
            "find" => is_find(simple.args()),
            "ps" if !is_ps(simple.args()) => false,
            _ if ABOUT.contains(&name) => {
                matches!(simple.args(), [word] if matches!(word.text.as_str(), "--version" | "-V"))
            }
            _ => ROWS.iter().any(|row| row.is_for(name) && operands(row, simple.args()).is_some()),
        }
}

const ROW_DATE: &Row =
    &row("date", "Ruf:d:r:I?", "date= debug file= iso-8601? reference= rfc-2822 rfc-email rfc-3339= utc universal", 1);

/// Whether the words fit the row of this program, where the wide reading asks for exact options too.
pub(super) fn fits(simple: &Simple) -> bool {
    is_exact(&Simple { wraps: false, ..simple.clone() })
}

/// `git` in the folder of the line, without options of its own but those that only shape output.
fn is_git(simple: &Simple) -> bool {
    let here = simple.places.known && simple.places.dirs.iter().all(String::is_empty);
    let mut args = simple.args();
    while let Some((word, more)) = args.split_first()
        && matches!(word.text.as_str(), "--no-pager" | "-P" | "--no-optional-locks")
    {
        args = more;
    }
    // These forms ask gpg whether a signature is good.
    let signs = |word: &Word| word.text.contains("%G") || word.text.contains("signature");
    let Some((sub, rest)) = args.split_first() else { return false };
    if !here || args.iter().any(signs) {
        return false;
    }
    let two = rest.split_first().map(|(second, more)| (format!("{} {}", sub.text, second.text), more));
    let fits_two =
        two.is_some_and(|(name, more)| GIT_TWO.iter().any(|row| row.names == name && operands(row, more).is_some()));
    let listed = matches!(rest, [flag, ..] if matches!(flag.text.as_str(), "-l" | "--list"));
    let tags = sub.text == "tag" && listed && rest.iter().skip(1).all(|word| !word.text.starts_with('-'));
    fits_two || tags || GIT.iter().any(|row| row.is_for(&sub.text) && operands(row, rest).is_some())
}

/// `ps` without the environment of processes, where keys may be: the letter `e` without a dash asks for it, and with one
/// too where `-aux` names no user and everything is read without dashes.
fn is_ps(args: &[Word]) -> bool {
    let plain = |text: &str| text.chars().all(|c| c.is_ascii_digit() || "acfghjlmorsuvwxALSTX,".contains(c));
    let short = |letters: &[char]| {
        let cluster = |text: &str| text.starts_with('-') && !text.starts_with("--") && text.contains(letters);
        args.iter().any(|word| cluster(&word.text))
    };
    let mut before = "";
    let words = args.iter().all(|word| {
        let dashed = before.starts_with('-') && before.ends_with(['C', 'G', 'g', 'O', 'p', 'q', 's', 't', 'U']);
        let value = dashed || before.ends_with('o');
        before = &word.text;
        !word.text.to_ascii_lowercase().contains("env") && (value || word.text.starts_with('-') || plain(&word.text))
    });
    words && !(short(&['e']) && short(&['u', 'x']))
}

/// `xxd` reads its options by their first letter, and writes to a second file: to whatever stands behind the first, also where it
/// looks like an option.
fn is_xxd(args: &[Word]) -> bool {
    let (mut rest, mut files) = (args, 0);
    while let Some((word, more)) = rest.split_first() {
        if files > 0 {
            return false;
        }
        rest = match word.text.as_str() {
            "-p" | "-ps" | "-plain" | "-u" | "-b" | "-i" | "-a" | "-e" => more,
            "-c" | "-l" | "-s" | "-g" if !more.is_empty() => more.get(1..).unwrap_or_default(),
            text if text.starts_with('-') && text != "-" => return false,
            _ => {
                files += 1;
                more
            }
        };
        if files > 0 && !word.is_fixed() {
            return false;
        }
    }
    files <= 1
}

/// Tests and actions of `find` that only look and print, with how many words they take.
fn is_find(args: &[Word]) -> bool {
    const ALONE: &str = " -H -L -P -depth -d -xdev -mount -follow -prune -print -print0 -ls -quit -o -or -a -and -not ! -true -false -empty -readable -writable -executable -daystart -noleaf -nouser -nogroup ";
    const VALUE: &str = " -name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname -type -xtype -size -mtime -mmin -newer -atime -amin -ctime -cmin -perm -user -group -uid -gid -maxdepth -mindepth -printf -links -inum -samefile -fstype -used -newermt -newerct -newerat -anewer -cnewer ";
    let is_in = |list: &str, text: &str| !text.contains(' ') && list.contains(&format!(" {text} "));
    let mut rest = args;
    while let Some((word, more)) = rest.split_first() {
        let text = word.text.as_str();
        rest = if is_in(VALUE, text) && more.first().is_some_and(Word::is_fixed) {
            more.get(1..).unwrap_or_default()
        } else if is_in(ALONE, text) || !text.starts_with(['-', '(', ')', '!', ',']) {
            more
        } else {
            return false;
        };
    }
    true
}
