//! A claim against what was done. Unsupported is what everything is until the log shows more.

use crate::check::Check;
use crate::claims::Said;
use crate::deeds::{Deed, Deeds, Run, What};
use crate::files;
use crate::line::Ran;
use crate::summary::Summary;
use crate::why::Why;
use crate::writes::{Written, is_text};
use reasonix_proto::{CallId, Claim, ClaimKind, ClaimStatus};

/// Longer quotes are cut.
pub(crate) const LONGEST_QUOTE: usize = 160;

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Ended {
    Passed,
    Unseen,
    Empty,
    NotRun,
    Failed,
}

/// What came of a claim.
#[derive(Debug, Clone)]
pub(crate) struct Proof {
    pub(crate) status: ClaimStatus,
    pub(crate) by: Vec<CallId>,
    pub(crate) why: Why,
}

impl Proof {
    pub(crate) fn unsupported(why: Why) -> Self {
        Self { status: ClaimStatus::Unsupported, by: Vec::new(), why }
    }

    fn written(deed: &Deed) -> Self {
        Self { status: ClaimStatus::Verified, by: Vec::new(), why: Why::Written }.by(deed.call.as_ref())
    }

    fn by(mut self, call: Option<&CallId>) -> Self {
        self.by.extend(call.cloned());
        self
    }
}

/// What the deeds say to a claim.
pub(crate) fn proof(deeds: &Deeds, said: &Said) -> Proof {
    match said.kind {
        ClaimKind::Tests | ClaimKind::Build | ClaimKind::Lint => checked(deeds, said),
        ClaimKind::Fix => fixed(deeds, said),
        ClaimKind::File => filed(deeds, said),
        ClaimKind::Unknown => Proof::unsupported(Why::NotRun),
    }
}

/// The claim, with what the deeds say to it.
pub(crate) fn prove(deeds: &Deeds, answer: &str, said: Said) -> Claim {
    let proof = proof(deeds, &said);
    // Where letters were made small, some may have become longer.
    let from = answer.floor_char_boundary(said.range.start);
    let to = answer.ceil_char_boundary(said.range.end.max(from));
    let words = answer.get(from..to).unwrap_or_default();
    let quote = words.get(..words.floor_char_boundary(LONGEST_QUOTE)).unwrap_or_default().to_owned();
    let Proof { status, by, why } = proof;
    Claim { kind: said.kind, quote, from, to, status, by, why: why.phrase() }
}

/// A check that may prove a claim.
struct Tried<'a> {
    at: usize,
    call: Option<&'a CallId>,
    run: &'a Run,
    check: &'a Check,
    ran: Option<&'a Ran>,
    ended: Ended,
}

/// The checks that a claim of this kind is about, in order.
fn tried<'a>(deeds: &'a Deeds, said: &'a Said) -> impl Iterator<Item = Tried<'a>> {
    deeds.done.iter().enumerate().flat_map(move |(at, deed)| {
        let run = match &deed.what {
            What::Ran(run) => Some(run),
            What::Wrote(_) => None,
        };
        run.into_iter().flat_map(move |run| {
            let about = run.checks.iter().filter(|(_, check)| is_about(check, said));
            about.map(move |(ran, check)| Tried {
                at,
                call: deed.call.as_ref(),
                run,
                check,
                ran: Some(ran),
                ended: ended(run, ran, check, said.kind),
            })
        })
    })
}

fn is_about(check: &Check, said: &Said) -> bool {
    match said.kind {
        ClaimKind::Tests => check.tests,
        ClaimKind::Build => check.build,
        ClaimKind::Lint if said.lint.is_none() => check.lint.is_some(),
        ClaimKind::Lint => check.lint.as_ref().zip(said.lint.as_ref()).is_some_and(|(linter, (class, tool))| {
            let named =
                tool.as_ref().is_none_or(|tool| linter.tool.contains(tool.as_str()) || tool.contains(&linter.tool));
            linter.class == *class && named && (!check.writes || mends(check, said))
        }),
        _ => false,
    }
}

/// One that writes what it finds wrong leaves nothing wrong, but is not the one that only looks.
fn mends(check: &Check, said: &Said) -> bool {
    check.part.is_empty() && !said.words.contains("check`") && !said.words.contains("--check")
}

/// Codes of a shell that did not find or could not start a program.
const NOT_STARTED: [i32; 2] = [126, 127];

fn tests_of(kind: ClaimKind) -> bool {
    kind == ClaimKind::Tests
}

fn ended(run: &Run, ran: &Ran, check: &Check, kind: ClaimKind) -> Ended {
    let Some(exit) = run.exit else { return Ended::NotRun };
    if NOT_STARTED.contains(&exit) && ran.told {
        return Ended::NotRun;
    }
    let said_well = run.shows(ran, check)
        && match kind {
            ClaimKind::Tests => matches!(run.untold, Summary::Passed(_)),
            ClaimKind::Build => run.built || matches!(run.untold, Summary::Passed(_)),
            _ => run.clean,
        };
    if ran.behind && !run.later && !(tests_of(kind) && run.untold == Summary::Failed) {
        return Ended::Unseen;
    }
    let tests = tests_of(kind);
    if check.lists && kind == ClaimKind::Lint {
        return if exit == 0 && ran.told && run.silent { Ended::Passed } else { Ended::Failed };
    }
    // What the line wrote out is the code of this one.
    let (exit, told) = match run.code(ran) {
        Some(code) if !ran.told => (code, true),
        _ => (exit, ran.told && !check.lenient),
    };
    match (exit, told) {
        (0, true) if tests && run.told == Summary::Failed => Ended::Failed,
        (0, true) if tests && run.told == Summary::Nothing => Ended::Empty,
        (0, true) => Ended::Passed,
        (_, true) if ran.last || !ran.told => Ended::Failed,
        _ if tests && run.untold == Summary::Failed => Ended::Failed,
        _ if tests && run.untold == Summary::Nothing => Ended::Empty,
        _ if said_well => Ended::Passed,
        (0, false) => Ended::Unseen,
        (_, told) => {
            if told {
                Ended::Failed
            } else {
                Ended::Unseen
            }
        }
    }
}

fn checked(deeds: &Deeds, said: &Said) -> Proof {
    let all = behind_failures(about(tried(deeds, said).collect(), said), said);
    if said.elsewhere || all.is_empty() {
        return Proof::unsupported(Why::NotRun);
    }
    if let Some(bad) = bad(&all, said.since(deeds)) {
        return bad;
    }
    let covers = |tried: &&Tried<'_>| covers(deeds, tried.check, said) && is_quoted(tried, said);
    let Some(proof) =
        all.iter().rev().filter(|tried| tried.ended == Ended::Passed && said.may_be_proved_by(tried.call)).find(covers)
    else {
        let unseen = all.iter().rev().find(|tried| tried.ended == Ended::Unseen);
        let part = all.iter().rev().find(|tried| tried.ended == Ended::Passed);
        return match (part, unseen) {
            (Some(part), None) => Proof::unsupported(Why::Part { line: line_of(part.run) }).by(part.call),
            (_, Some(unseen)) => Proof::unsupported(Why::Unseen { line: line_of(unseen.run) }).by(unseen.call),
            (None, None) => Proof::unsupported(Why::Empty),
        };
    };
    if let Some(number) = said.number.filter(|_| said.kind == ClaimKind::Tests)
        && !matches!(&proof.run.told, Summary::Passed(numbers) if numbers.contains(&number))
    {
        return Proof::unsupported(Why::Number { number }).by(proof.call);
    }
    if said.warnings && hides(proof) {
        return Proof::unsupported(Why::Part { line: line_of(proof.run) }).by(proof.call);
    }
    if said.warnings && proof.run.warns {
        return Proof::unsupported(Why::Warned { line: line_of(proof.run) }).by(proof.call);
    }
    held(deeds, proof)
}

/// The last check that did not end well: what stands before it proves nothing any more. One that failed in this turn counts
/// until another of its family is good.
fn bad(all: &[Tried<'_>], since: usize) -> Option<Proof> {
    let last = all.last()?;
    let failed = |tried: &Tried<'_>| Proof::unsupported(Why::Failed { line: line_of(tried.run) }).by(tried.call);
    match last.ended {
        Ended::Failed => return Some(failed(last)),
        Ended::NotRun => {
            return Some(Proof::unsupported(Why::Refused { line: line_of(last.run) }).by(last.call));
        }
        Ended::Empty => return Some(Proof::unsupported(Why::Empty).by(last.call)),
        Ended::Passed | Ended::Unseen => {}
    }
    let open = all.iter().enumerate().filter(|(_, tried)| tried.ended == Ended::Failed && tried.at >= since).find(
        |(at, bad)| {
            let good = |later: &Tried<'_>| {
                later.ended == Ended::Passed
                    && later.check.family == bad.check.family
                    && same_folder(later.check, bad.check)
                    && (later.check.part.is_empty() || later.check.part == bad.check.part)
            };
            !all.iter().skip(at + 1).any(good)
        },
    );
    open.map(|(_, tried)| failed(tried))
}

fn same_folder(one: &Check, other: &Check) -> bool {
    one.folder == other.folder || one.folder.is_empty() || other.folder.is_empty()
}

/// True when the warnings of this run cannot be seen.
fn hides(proof: &Tried<'_>) -> bool {
    let elsewhere = |ran: &Ran| ran.into.iter().any(|file| !matches!(file.as_str(), "1" | "2" | "/dev/stdout"));
    // The line that tells of warnings stands before the last.
    let cut = |ran: &Ran| {
        let ends = ["tail -1", "tail -n 1", "tail -n1", "grep", "head"];
        !ran.told && proof.run.code(ran).is_none() && ends.iter().any(|end| proof.run.line.contains(end))
    };
    proof.check.quiet || proof.ran.is_some_and(cut) || proof.ran.is_some_and(|ran| elsewhere(ran) && proof.run.silent)
}

/// The checks that a claim about a part is about: those of this part, and those of everything, unless they failed elsewhere.
fn about<'a>(all: Vec<Tried<'a>>, said: &Said) -> Vec<Tried<'a>> {
    let names = &said.reach.names;
    let own = |tried: &Tried<'_>| names.iter().any(|name| is_of(tried.check, name));
    if said.reach.all || names.is_empty() || !all.iter().any(own) {
        return all;
    }
    // What ran of just this part came behind runs of everything, and counts in their place.
    let behind = all.iter().rfind(|tried| own(tried) && tried.ended == Ended::Passed).map_or(0, |tried| tried.at);
    let folder = all.iter().rev().find(|tried| own(tried)).map(|tried| tried.check.folder.clone()).unwrap_or_default();
    let counts = |tried: &Tried<'_>| {
        let here = tried.check.folder.is_empty() || tried.check.folder == folder;
        let whole = tried.check.part.is_empty() && here;
        let spares = tried.ended == Ended::NotRun || (tried.ended == Ended::Failed && spares(tried.run, names));
        own(tried) || (whole && !spares && tried.at > behind)
    };
    all.into_iter().filter(counts).collect()
}

/// Of what is said of tests that failed before only those runs count that ran just these again, and what came behind.
fn behind_failures<'a>(mut all: Vec<Tried<'a>>, said: &Said) -> Vec<Tried<'a>> {
    let good = |tried: &Tried<'_>| tried.ended == Ended::Passed && tried.check.is_of_failed();
    match all.iter().rposition(good).filter(|_| said.reach.failed && !said.reach.all) {
        Some(at) => all.split_off(at),
        None => all,
    }
}

/// True when a run says what failed, and it is none of these.
fn spares(run: &Run, names: &[String]) -> bool {
    let Some(failures) = &run.failures else { return false };
    let clean = |name: &String| stem(name.trim_matches(['`', '/', '.']));
    !names.iter().map(clean).any(|name| name.is_empty() || failures.iter().any(|failure| failure.contains(&name)))
}

/// True when a check is just of what has this name.
fn is_of(check: &Check, name: &str) -> bool {
    let folder = check.folder.to_ascii_lowercase();
    let in_folder = others_of(name).iter().any(|name| folder.split('/').any(|part| part.contains(name.as_str())));
    (!folder.is_empty() && in_folder && check.part.is_empty()) || is_part(check, name)
}

/// Names of one thing in both languages.
fn others_of(name: &str) -> Vec<String> {
    let name = name.trim_matches(['`', '/', '.']).to_ascii_lowercase();
    let others: &[&str] = match name.as_str() {
        "后端" | "服务端" => &["backend", "server", "api"],
        "前端" => &["frontend", "web", "client", "ui"],
        "客户端" => &["client", "app"],
        _ => return if name.len() >= 3 { vec![name] } else { Vec::new() },
    };
    others.iter().map(|name| (*name).to_owned()).collect()
}

/// True when a check was narrowed to what has this name, and not to less.
fn is_part(check: &Check, name: &str) -> bool {
    let (pieces, filters) = check.part.split_at(check.pieces.min(check.part.len()));
    let words = if filters.iter().any(|word| word != "-") { filters } else { pieces };
    let one = |name: &String| words.iter().any(|word| is_word(word, name));
    others_of(name).iter().any(one)
}

fn is_word(word: &str, name: &str) -> bool {
    let word = word.to_ascii_lowercase();
    if word.starts_with('!') || word.starts_with("not ") {
        return false;
    }
    let is_name = |part: &&str| !matches!(*part, "" | "..." | "." | "tests");
    let finest = word.split("::").flat_map(|part| part.split('/')).filter(is_name).last().map(stem).unwrap_or_default();
    finest.len() >= 3 && (finest.contains(&stem(name)) || name.contains(&finest))
}

/// True when a run is the one whose command a claim quotes: it has its options, and a check of types is no build.
fn is_quoted(tried: &Tried<'_>, said: &Said) -> bool {
    let words = tried.ran.map(|ran| ran.words.as_slice()).unwrap_or_default();
    let has = |flag: &String| words.iter().any(|word| word.eq_ignore_ascii_case(flag));
    let other = said.kind == ClaimKind::Build && said.quotes_build && tried.check.lint.is_some();
    !other && said.flags.iter().all(has)
}

/// True when a check is of everything that the claim is about.
fn covers(deeds: &Deeds, check: &Check, said: &Said) -> bool {
    let is_file = |name: &&String| name.contains("test") || name.contains('/');
    let part = || {
        let names = &said.reach.names;
        !said.reach.all
            && names.iter().any(|name| is_part(check, name))
            && (said.kind != ClaimKind::Tests || names.iter().filter(is_file).all(|name| is_part(check, name)))
    };
    if is_of_another(check, said) {
        return false;
    }
    match said.kind {
        ClaimKind::Build => (check.pieces == 0 && (check.part.is_empty() || check.tests)) || part(),
        ClaimKind::Tests if said.reach.failed => check.part.is_empty() || part() || check.is_of_failed(),
        ClaimKind::Tests => check.part.is_empty() || part() || (!said.reach.all && covers_changed(deeds, check, said)),
        _ => check.part.is_empty() || part(),
    }
}

/// Words for halves of a project: a check in the folder of one says nothing of the other.
const HALVES: [&str; 10] =
    ["backend", "frontend", "server", "client", "web", "api", "前端", "后端", "服务端", "客户端"];

fn is_of_another(check: &Check, said: &Said) -> bool {
    let halves: Vec<&String> = said.reach.names.iter().filter(|name| HALVES.contains(&name.as_str())).collect();
    let elsewhere = HALVES.iter().any(|half| check.folder.to_ascii_lowercase().contains(half));
    elsewhere && !halves.is_empty() && !halves.iter().any(|name| is_of(check, name))
}

/// True when a check is of one of the files that were changed, and the claim of some tests that have no name.
fn covers_changed(deeds: &Deeds, check: &Check, said: &Said) -> bool {
    let fits =
        |name: &str| {
            name.len() >= 3
                && check.part.iter().filter(|word| !word.starts_with('!')).any(|word| {
                    word.to_ascii_lowercase().contains(name) || (word.len() >= 3 && name.contains(&stem(word)))
                })
        };
    let paths = deeds.done.iter().skip(said.since(deeds)).filter_map(|deed| match &deed.what {
        What::Wrote(written) => Some(&written.paths),
        What::Ran(_) => None,
    });
    said.reach.some && said.reach.names.is_empty() && paths.flatten().any(|path| fits(&stem(path)))
}

fn stem(path: &str) -> String {
    let file = path.split("::").next().unwrap_or(path).trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_ascii_lowercase()
}

/// What a good check is worth now: nothing of the code may have changed since.
fn held(deeds: &Deeds, proof: &Tried<'_>) -> Proof {
    // One that writes what it finds wrong is good for what it wrote.
    let own = proof.check.writes
        && proof.run.lone
        && deeds.done.get(proof.at + 1).is_some_and(|next| next.call.as_ref() == proof.call);
    let changed = deeds.done.iter().skip(proof.at + 1 + usize::from(own)).find_map(|deed| match &deed.what {
        What::Wrote(written) => written.code(),
        What::Ran(_) => None,
    });
    let line = line_of(proof.run);
    let (status, why) = match changed {
        None => (ClaimStatus::Verified, Why::Proved { line }),
        Some(path) => (ClaimStatus::Stale, Why::Stale { line, path: path.to_owned() }),
    };
    Proof { status, by: Vec::new(), why }.by(proof.call)
}

/// The first line of a command, bounded.
fn line_of(run: &Run) -> String {
    let line = run.line.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.get(..line.floor_char_boundary(80)).unwrap_or_default().to_owned()
}

/// A fix: something changed, and what ran behind the change went well.
fn fixed(deeds: &Deeds, said: &Said) -> Proof {
    let written = |at: usize| {
        deeds.done.get(at).and_then(|deed| match &deed.what {
            What::Wrote(written) => Some((deed, written)),
            What::Ran(_) => None,
        })
    };
    let turn = said.since(deeds)..deeds.done.len();
    let in_turn: Vec<_> = turn.clone().filter_map(written).collect();
    if in_turn.is_empty() {
        return Proof::unsupported(Why::NothingChanged);
    }
    // What is wrong in a text is right when it is written.
    let texts =
        in_turn.iter().all(|(_, written)| written.code().is_none() && written.paths.iter().all(|path| is_text(path)));
    if texts {
        let writes =
            |written: &Written| said.paths.iter().any(|path| written.paths.iter().any(|other| same(other, path)));
        let by =
            in_turn.iter().rev().find(|(deed, written)| writes(written) && said.may_be_proved_by(deed.call.as_ref()));
        return by.map_or_else(|| Proof::unsupported(Why::NotRun), |(deed, _)| Proof::written(deed));
    }
    // What is known to have changed counts before what a command may have done.
    let first_where =
        |known: fn(&Written) -> bool| turn.clone().find(|at| written(*at).is_some_and(|(_, written)| known(written)));
    let first = first_where(Written::is_known_code).or_else(|| first_where(|written| written.code().is_some()));
    let whole = Said { kind: ClaimKind::Tests, ..said.clone() };
    let all: Vec<Tried<'_>> =
        tried(deeds, &whole).filter(|tried| first.is_some_and(|first| tried.at > first)).collect();
    if let Some(bad) = bad(&all, turn.start) {
        return targeted(deeds, said, &all).unwrap_or(bad);
    }
    match all.iter().rev().find(|tried| tried.ended == Ended::Passed && said.may_be_proved_by(tried.call)) {
        Some(proof) => held(deeds, proof),
        None => again(deeds, said, first.unwrap_or_default()),
    }
}

/// The test of just this defect went well, and what failed behind it has to do with something else.
fn targeted(deeds: &Deeds, said: &Said, all: &[Tried<'_>]) -> Option<Proof> {
    let words: Vec<String> = said
        .words
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| word.len() >= 4 && !COMMON.contains(word))
        .map(str::to_owned)
        .collect();
    let at = all.iter().rposition(|tried| {
        let filter = tried.check.part.iter().map(|word| word.to_ascii_lowercase()).collect::<Vec<_>>();
        tried.ended == Ended::Passed
            && said.may_be_proved_by(tried.call)
            && words.iter().any(|word| filter.iter().any(|part| part.contains(word.as_str())))
    })?;
    let proof = all.get(at)?;
    let own: Vec<String> =
        words.iter().cloned().chain(proof.check.part.iter().filter(|word| *word != "-").cloned()).collect();
    let elsewhere = |tried: &Tried<'_>| match tried.ended {
        Ended::Failed => tried.check.part.is_empty() && spares(tried.run, &own),
        Ended::Empty => false,
        _ => true,
    };
    all.iter().skip(at + 1).all(elsewhere).then(|| held(deeds, proof))
}

/// Words of a claim of a fix that name nothing.
const COMMON: [&str; 14] = [
    "fixed",
    "resolved",
    "solved",
    "corrected",
    "test",
    "tests",
    "issue",
    "problem",
    "error",
    "with",
    "that",
    "this",
    "bug",
    "now",
];

/// A command that failed before the change and went well behind it.
fn again(deeds: &Deeds, said: &Said, first: usize) -> Proof {
    let runs = || {
        deeds.done.iter().enumerate().filter_map(|(at, deed)| match &deed.what {
            What::Ran(run) => Some((at, deed, run)),
            What::Wrote(_) => None,
        })
    };
    let failed = |line: &str| {
        runs()
            .take_while(|(at, ..)| *at < first)
            .any(|(_, _, run)| run.line == line && run.exit.is_some_and(|exit| exit != 0))
    };
    let good = runs().filter(|(at, ..)| *at > first).rfind(|(_, _, run)| failed(&run.line));
    match good {
        Some((at, deed, run)) if run.exit == Some(0) && said.may_be_proved_by(deed.call.as_ref()) => {
            let check = Check::default();
            let proof = Tried { at, call: deed.call.as_ref(), run, check: &check, ran: None, ended: Ended::Passed };
            // The command itself may write; what it wrote stands right behind it.
            held(
                deeds,
                &Tried {
                    at: at + usize::from(deeds.done.get(at + 1).is_some_and(|next| next.call == deed.call)),
                    ..proof
                },
            )
        }
        _ => Proof::unsupported(Why::UnprovedFix),
    }
}

/// A file: the log says that it was written, or that it is gone or moved, and nothing else since.
fn filed(deeds: &Deeds, said: &Said) -> Proof {
    let path = said.paths.first().map(String::as_str).unwrap_or_default();
    let not_written = || Proof::unsupported(Why::NotWritten { path: path.to_owned() });
    let named = |deed: &&Deed| said.may_be_proved_by(deed.call.as_ref());
    if said.deed == files::Deed::Moved {
        let to = said.paths.get(1);
        let fits = |(from, at): &(String, String)| match to {
            Some(to) => same(from, path) && same(at, to),
            None => from != at && (same(from, path) || same(at, path)),
        };
        let moved = deeds.done.iter().rev().filter(named).find(|deed| match &deed.what {
            What::Wrote(written) => written.moved.iter().any(fits),
            What::Ran(_) => false,
        });
        return moved.map_or_else(not_written, Proof::written);
    }
    let wants_gone = said.deed == files::Deed::Gone;
    // All that was done to it, and whether it was gone behind that.
    let mut done = Vec::new();
    for deed in &deeds.done {
        if let What::Wrote(written) = &deed.what {
            let has = |paths: &[String]| paths.iter().any(|other| same(other, path));
            done.extend(has(&written.gone).then_some((deed, true)));
            done.extend(has(&written.paths).then_some((deed, false)));
        }
    }
    match done.last() {
        Some((_, gone)) if *gone == wants_gone => {
            let by = done.iter().rev().filter(|(_, gone)| *gone == wants_gone).map(|(deed, _)| *deed).find(named);
            by.map_or_else(not_written, Proof::written)
        }
        Some((deed, _)) if !wants_gone => {
            Proof { status: ClaimStatus::Stale, by: Vec::new(), why: Why::GoneAgain }.by(deed.call.as_ref())
        }
        _ => not_written(),
    }
}

/// What was done by just these calls: their commands ended well, unless it is a failure that is told, and nothing was changed
/// behind the last check among them. `writes` when one of them has to have changed a file.
pub(crate) fn done(deeds: &Deeds, calls: &[CallId], writes: bool, fails: bool) -> Proof {
    let named = |deed: &&Deed| deed.call.as_ref().is_some_and(|call| calls.contains(call));
    let runs: Vec<(usize, &CallId, &Run)> = deeds
        .done
        .iter()
        .enumerate()
        .filter(|(_, deed)| named(deed))
        .filter_map(|(at, deed)| match &deed.what {
            What::Ran(run) => Some((at, deed.call.as_ref()?, run)),
            What::Wrote(_) => None,
        })
        .collect();
    for (at, call, run) in runs.iter().filter(|_| !fails) {
        let ends = run.checks.iter().map(|(ran, check)| ended(run, ran, check, kind_of(check)));
        let end = ends.max().unwrap_or(match run.exit {
            Some(0) => Ended::Passed,
            Some(_) => Ended::Failed,
            None => Ended::NotRun,
        });
        let again = runs.iter().any(|(later, _, other)| later > at && other.line == run.line);
        let why = match end {
            _ if again => continue,
            Ended::Passed => continue,
            Ended::Empty => Why::Empty,
            Ended::Unseen => Why::Unseen { line: line_of(run) },
            Ended::NotRun => Why::Refused { line: line_of(run) },
            Ended::Failed => Why::Failed { line: line_of(run) },
        };
        return Proof::unsupported(why).by(Some(call));
    }
    let wrote = |deed: &&Deed| matches!(&deed.what, What::Wrote(written) if written.is_known());
    if writes && !deeds.done.iter().filter(named).any(|deed| wrote(&deed)) {
        return Proof::unsupported(Why::NothingChanged);
    }
    let checked = runs.iter().rev().filter(|_| !fails).find_map(|(at, call, run)| {
        let (ran, check) = run.checks.last()?;
        Some(Tried { at: *at, call: Some(call), run, check, ran: Some(ran), ended: Ended::Passed })
    });
    match checked {
        Some(check) => held(deeds, &check),
        None => Proof { status: ClaimStatus::Verified, by: calls.to_vec(), why: Why::Written },
    }
}

/// What a check is mostly about.
fn kind_of(check: &Check) -> ClaimKind {
    match (check.tests, check.build) {
        (true, _) => ClaimKind::Tests,
        (_, true) if check.lint.is_none() => ClaimKind::Build,
        _ => ClaimKind::Lint,
    }
}

/// True when a path in prose is this one, perhaps without its folders.
fn same(path: &str, said: &str) -> bool {
    let clean = |text: &str| text.trim_matches(['`', '/']).trim_start_matches("./").to_ascii_lowercase();
    let (path, said) = (clean(path), clean(said));
    !said.is_empty() && (path == said || path.ends_with(&format!("/{said}")) || said.ends_with(&format!("/{path}")))
}
