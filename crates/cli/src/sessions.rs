//! `reasonix sessions`: looking at what is on disk, naming, checking, mending, exporting and importing it.

use crate::args::{ExportFormat, FilterArg, ListArgs, SessionArgs, SessionsArgs, SessionsCommand};
use crate::context::Context;
use crate::exit::Exit;
use crate::say::{self, Colour, Style, clean};
use crate::undo::{go, not_had, told};
use reasonix_config::Flags;
use reasonix_engine::Offline;
use reasonix_proto::{Level, Op, Origin, Phrase, Record, RecordId, SessionEnding, SessionId, TreeFilter, escaped_json};
use reasonix_session::{
    Beginning, DocumentFormat, Ending, SeenSession, SessionArtifacts, SessionError, Sessions, Summary, export, foreign,
    write_new,
};
use std::io::{ErrorKind, IsTerminal};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A larger file is not imported.
const LARGEST_IMPORT: u64 = 512 * 1024 * 1024;

pub(crate) fn sessions(args: SessionsArgs) -> anyhow::Result<Exit> {
    let context = Context::load(None, Flags::default())?;
    let sessions = Sessions::at(&context.home.join("state"));
    match args.command {
        None => list(&context, &sessions, &args.list),
        Some(SessionsCommand::List(list_args)) => list(&context, &sessions, &list_args),
        Some(SessionsCommand::Show { session, tree: true, filter, find, .. }) => {
            show_tree(&sessions, &session, filter, find.as_deref().unwrap_or_default())
        }
        Some(SessionsCommand::Show { session, json, .. }) => show(&context, &sessions, &session, json),
        Some(SessionsCommand::Branch { session, at, notes }) => {
            let notes = notes.wanted(context.loaded.settings.branch.summary);
            branch(&context, &session, RecordId(at), notes)
        }
        Some(SessionsCommand::Label { session, record, label }) => {
            let id = sessions.find(&session).map_err(failed)?;
            known(&look(&sessions, id.as_str())?, RecordId(record))?;
            sessions.label(id.as_str(), RecordId(record), &label).map_err(failed)?;
            Ok(Exit::Done)
        }
        Some(SessionsCommand::Rename { session, title }) => {
            sessions.rename(&session, &title).map_err(failed)?;
            Ok(Exit::Done)
        }
        Some(SessionsCommand::Delete { sessions: wanted }) => delete(&sessions, &wanted),
        Some(SessionsCommand::Verify { session }) => verify(&context, &sessions, session.as_deref()),
        Some(SessionsCommand::Repair { session }) => repair(context, &sessions, &session),
        Some(SessionsCommand::Export { session, format, output }) => {
            write_export(&context, &sessions, &session, format, output.as_deref())
        }
        Some(SessionsCommand::Import { file, whole: false }) => import(context, &sessions, &file),
        Some(SessionsCommand::Import { file, whole: true }) => import_whole(&context, &sessions, &file),
    }
}

#[allow(clippy::needless_pass_by_value, reason = "for map_err")]
fn failed(error: SessionError) -> anyhow::Error {
    say::failed(error.phrase())
}

/// Looks at the named session, or at the last one of this folder; none when there is none.
pub(crate) fn look_here(context: &Context, wanted: Option<&str>) -> anyhow::Result<Option<(SessionId, SeenSession)>> {
    let sessions = Sessions::at(&context.home.join("state"));
    let id = match wanted {
        Some(wanted) => Some(sessions.find(wanted).map_err(failed)?),
        None => sessions.latest(context.root()).map_err(failed)?,
    };
    id.map(|id| Ok((id.clone(), look(&sessions, id.as_str())?))).transpose()
}

fn look(sessions: &Sessions, wanted: &str) -> anyhow::Result<SeenSession> {
    let seen = sessions.look(wanted).map_err(failed)?;
    seen.notices.iter().for_each(|phrase| say::notice(Level::Warning, phrase));
    Ok(seen)
}

/// A file that cannot be read is listed in every folder: nobody knows to which it belongs.
fn list(context: &Context, sessions: &Sessions, args: &ListArgs) -> anyhow::Result<Exit> {
    let all = sessions.list().map_err(failed)?;
    let here = context.root().display().to_string();
    let local = |session: &&Summary| args.all || session.cwd == here || session.ending == Ending::Broken;
    let shown: Vec<_> = all.iter().filter(local).collect();
    if shown.is_empty() && !args.json {
        let phrase = if all.is_empty() { Phrase::new("cli.no_sessions") } else { Phrase::new("cli.no_sessions_here") };
        say::line_err(&Style::get().text(&phrase));
    }
    if !shown.is_empty() && !args.json && std::io::stdout().is_terminal() {
        say::line(&Style::get().out(Colour::Dim, &heading(Style::get(), args.all)))?;
    }
    for session in shown {
        let line = if args.json { json_line(session) } else { text_line(session, args.all) };
        say::line(&line)?;
    }
    Ok(Exit::Done)
}

/// What stands in the columns, for a person.
fn heading(style: Style, with_folder: bool) -> String {
    let word = |code| style.text(&Phrase::new(code));
    let (id, used, turns) = (word("cli.sessions_id"), word("cli.sessions_used"), word("cli.sessions_turns"));
    let ended = word("cli.sessions_ended");
    let folder = if with_folder { format!("  {}", word("cli.sessions_folder")) } else { String::new() };
    let (id, used) = (format!("{id}{}", blanks(&id, 8)), blanks(&used, 10) + &used);
    let (turns, ended) = (blanks(&turns, 5) + &turns, format!("{ended}{}", blanks(&ended, 11)));
    format!("{id}  {used}  {turns}  {ended}  {}{folder}", word("cli.sessions_title"))
}

fn text_line(session: &Summary, with_folder: bool) -> String {
    let style = Style::get();
    let ending = style.text(&ending_of(&session.ending));
    let folder = if with_folder { format!("  {}", session.cwd) } else { String::new() };
    let age = style.text(&age(session.active));
    let (age, ending) = (blanks(&age, 10) + &age, format!("{ending}{}", blanks(&ending, 11)));
    clean(&format!("{}  {age}  {:>5}  {ending}  {}{folder}", session.id.short(), session.turns, session.title))
}

/// What a text lacks to so many cells of a terminal.
fn blanks(text: &str, cells: usize) -> String {
    " ".repeat(cells.saturating_sub(unicode_width::UnicodeWidthStr::width(text)))
}

fn json_line(session: &Summary) -> String {
    say::json(&serde_json::json!({
        "id": session.id, "cwd": session.cwd, "started": session.started, "active": session.active,
        "model": session.model, "title": session.title, "turns": session.turns,
        "ending": session.ending.kind(), "from": session.from,
    }))
    .unwrap_or_default()
}

fn ending_of(ending: &Ending) -> Phrase {
    match ending.kind() {
        SessionEnding::Done => Phrase::new("cli.ending_done"),
        SessionEnding::Interrupted => Phrase::new("cli.ending_interrupted"),
        SessionEnding::Limit => Phrase::new("cli.ending_limit"),
        SessionEnding::Refused => Phrase::new("cli.ending_refused"),
        SessionEnding::Failed => Phrase::new("cli.ending_failed"),
        SessionEnding::Open => Phrase::new("cli.ending_open"),
        SessionEnding::Broken => Phrase::new("cli.ending_broken"),
    }
}

/// How long ago a moment was.
pub(crate) fn age(at_ms: u64) -> Phrase {
    let then = UNIX_EPOCH + Duration::from_millis(at_ms);
    how_long(SystemTime::now().duration_since(then).unwrap_or_default())
}

/// How long ago, in the largest unit that fits.
pub(crate) fn how_long(age: Duration) -> Phrase {
    let seconds = age.as_secs();
    match seconds {
        0..60 => Phrase::new("cli.age_now"),
        60..3600 => Phrase::new("cli.age_minutes").with("count", seconds / 60),
        3600..86_400 => Phrase::new("cli.age_hours").with("count", seconds / 3600),
        _ => Phrase::new("cli.age_days").with("count", seconds / 86_400),
    }
}

fn known(seen: &SeenSession, record: RecordId) -> anyhow::Result<Record> {
    seen.past.record(record).ok_or_else(|| say::failed(Phrase::new("engine.no_record").with("record", record)))
}

/// The session goes on from another record; at something a person wrote from before it, and its text is printed.
fn branch(context: &Context, wanted: &str, at: RecordId, notes: bool) -> anyhow::Result<Exit> {
    let offline = Offline::open(context, Some(wanted)).map_err(|error| not_had(&error))?;
    offline.notices.iter().for_each(|phrase| say::notice(Level::Warning, phrase));
    let goal = offline.at(at).map_err(|refused| told(&refused))?;
    let session = offline.session.short().to_owned();
    let op = Op::Branch { at, summary: Some(true) };
    let exit = crate::runtime()?.block_on(go(offline, &goal, notes.then_some(op)))?;
    if exit == Exit::Done {
        say::notice(Level::Info, &Phrase::new("cli.branched").with("session", session).with("record", goal.to));
        if let Some(text) = goal.text {
            say::line(&clean(&text))?;
        }
    }
    Ok(exit)
}

fn show_tree(sessions: &Sessions, wanted: &str, filter: FilterArg, find: &str) -> anyhow::Result<Exit> {
    let filter = match filter {
        FilterArg::Default => TreeFilter::Default,
        FilterArg::NoTools => TreeFilter::NoTools,
        FilterArg::User => TreeFilter::UserOnly,
        FilterArg::Labelled => TreeFilter::LabelledOnly,
        FilterArg::All => TreeFilter::All,
    };
    let view = look(sessions, wanted)?.past.tree(filter, find);
    if view.older > 0 {
        say::notice(Level::Warning, &Phrase::new("cli.tree_older").with("count", view.older));
    }
    for node in view.nodes {
        let indent = "  ".repeat(usize::try_from(node.depth.min(20)).unwrap_or(0));
        let mark = if node.active { "•" } else { " " };
        let label = node.label.map(|label| format!("[{label}] ")).unwrap_or_default();
        let kind = reasonix_words::named(Style::get().lang, "tree", &node.kind);
        let room = " ".repeat(10usize.saturating_sub(unicode_width::UnicodeWidthStr::width(&*kind)));
        say::line(&clean(&format!("{:>6} {mark} {indent}{kind}{room} {label}{}", node.id, node.text)))?;
    }
    Ok(Exit::Done)
}

fn show(context: &Context, sessions: &Sessions, wanted: &str, json: bool) -> anyhow::Result<Exit> {
    if !json {
        return write_export(context, sessions, wanted, None, None);
    }
    let seen = look(sessions, wanted)?;
    let mut lines = Vec::new();
    let give = |line: &[u8]| lines.push(escaped_json(&String::from_utf8_lossy(line)).into_owned());
    seen.past.each_active_line(give).map_err(unreadable)?;
    for line in lines {
        say::line(&line)?;
    }
    Ok(Exit::Done)
}

#[allow(clippy::needless_pass_by_value, reason = "for map_err")]
fn unreadable(error: std::io::Error) -> anyhow::Error {
    say::failed(Phrase::new("engine.log_unreadable").with("reason", error))
}

fn delete(sessions: &Sessions, wanted: &[String]) -> anyhow::Result<Exit> {
    for wanted in wanted {
        let id = sessions.delete(wanted).map_err(failed)?;
        say::line(&Style::get().text(&Phrase::new("cli.session_deleted").with("session", id)))?;
    }
    Ok(Exit::Done)
}

/// Says for each file whether it is whole; what is not makes the command fail.
fn verify(context: &Context, sessions: &Sessions, wanted: Option<&str>) -> anyhow::Result<Exit> {
    let ids: Vec<String> = match wanted {
        Some(wanted) => vec![sessions.find(wanted).map_err(failed)?.0],
        None => sessions.list().map_err(failed)?.into_iter().map(|session| session.id.0).collect(),
    };
    let artifacts = SessionArtifacts::at(&context.home.join("state"));
    let (planners, children) = (sessions.planners(), sessions.children());
    let mut whole = true;
    for id in &ids {
        let words = [Phrase::new("cli.session_whole"), Phrase::new("cli.session_damaged")];
        whole &= verify_one(sessions, id, &artifacts, words)?;
        for planner in sessions.planners_of(&SessionId::from(id.as_str())).map_err(unreadable)? {
            let words = [Phrase::new("cli.planner_whole"), Phrase::new("cli.planner_damaged")];
            whole &= verify_one(&planners, &planner.0, &artifacts, words)?;
        }
        for child in sessions.children_of(&SessionId::from(id.as_str())).map_err(unreadable)? {
            let words = [Phrase::new("cli.child_whole"), Phrase::new("cli.child_damaged")];
            whole &= verify_one(&children, &child.0, &artifacts, words)?;
        }
    }
    let left = if wanted.is_none() { sessions.planners_of_none().map_err(unreadable)? } else { Vec::new() };
    for planner in left {
        let words = [Phrase::new("cli.planner_left"), Phrase::new("cli.planner_damaged")];
        whole &= verify_one(&planners, &planner.0, &artifacts, words)?;
    }
    Ok(if whole { Exit::Done } else { Exit::Failed })
}

/// Says whether a log, the outputs it names and what is recorded beside it are whole.
fn verify_one(
    sessions: &Sessions,
    id: &str,
    artifacts: &SessionArtifacts,
    [good, bad]: [Phrase; 2],
) -> anyhow::Result<bool> {
    let (records, mut problems) = match sessions.look(id) {
        Ok(seen) => {
            let (records, lost) = seen.past.count_artifacts(artifacts).map_err(unreadable)?;
            let mut problems = seen.notices;
            if lost > 0 {
                problems.push(Phrase::new("cli.session_artifacts_lost").with("count", lost));
            }
            let specs = seen.past.lost_specs().map_err(unreadable)?;
            problems.extend(specs.iter().map(|error| Phrase::new("engine.specs_lost").with("reason", error)));
            (records, problems)
        }
        Err(error) => (0, vec![error.phrase()]),
    };
    let recordings = sessions.recordings(&SessionId::from(id));
    let reel = recordings.read().map_err(unreadable)?.filter(|reel| !reel.damaged.is_empty());
    problems.extend(reel.map(|reel| crate::replay::damaged_lines(&reel, &recordings.path().display().to_string())));
    let phrase = if problems.is_empty() { good } else { bad };
    say::line(&Style::get().text(&phrase.with("session", id).with("records", records)))?;
    problems.iter().for_each(|phrase| say::notice(Level::Warning, phrase));
    Ok(problems.is_empty())
}

fn repair(context: Context, sessions: &Sessions, wanted: &str) -> anyhow::Result<Exit> {
    let id = sessions.find(wanted).map_err(failed)?;
    let head = fresh_head(context)?;
    let done = sessions.repair(id.as_str(), || head).map_err(failed)?;
    let phrase = match done {
        None => Phrase::new("cli.session_nothing_to_repair").with("session", id),
        Some(lost) => Phrase::new("cli.session_repaired").with("session", id).with("lost", lost),
    };
    say::line(&Style::get().text(&phrase))?;
    Ok(Exit::Done)
}

/// What a session of this folder would begin with.
fn fresh_head(context: Context) -> anyhow::Result<Beginning> {
    let host = context.host(&SessionArgs::default(), true)?;
    reasonix_engine::imported_head(host.base()).map_err(|error| say::engine(&error))
}

fn write_export(
    context: &Context,
    sessions: &Sessions,
    wanted: &str,
    format: Option<ExportFormat>,
    output: Option<&Path>,
) -> anyhow::Result<Exit> {
    let named = |path: &Path| match DocumentFormat::of(path) {
        DocumentFormat::Html => ExportFormat::Html,
        DocumentFormat::Markdown => ExportFormat::Md,
    };
    let format = format.or_else(|| output.map(named)).unwrap_or(ExportFormat::Md);
    let bytes = match format {
        ExportFormat::Md => document(context, sessions, wanted, DocumentFormat::Markdown)?,
        ExportFormat::Html => document(context, sessions, wanted, DocumentFormat::Html)?,
        ExportFormat::Session => sessions.pack(wanted).map_err(failed)?,
    };
    match output {
        None => say::bytes(&bytes)?,
        Some(path) => write_new(path, &bytes).map_err(failed)?,
    }
    Ok(Exit::Done)
}

/// A session to be read.
fn document(context: &Context, sessions: &Sessions, wanted: &str, format: DocumentFormat) -> anyhow::Result<Vec<u8>> {
    let seen = look(sessions, wanted)?;
    let mut records = Vec::new();
    seen.past.each_active(|record| records.push(record)).map_err(unreadable)?;
    let providers = context.loaded.settings.providers.iter();
    let keys = providers.filter_map(|provider| reasonix_config::api_key(provider, &context.env, &context.home));
    let secrets: Vec<String> = keys.map(|key| key.expose().to_owned()).collect();
    Ok(export(seen.past.marks().title(), &records, format, &secrets, say::reader()).into_bytes())
}

/// What is in a file that is to be imported, and what it is called.
fn file_to_import(file: &Path) -> anyhow::Result<(Vec<u8>, String)> {
    let unread =
        |reason: String| say::failed(Phrase::new("session.io").with("path", file.display()).with("reason", reason));
    let found = std::fs::metadata(file).map_err(|error| unread(error.to_string()))?;
    if !found.is_file() || found.len() > LARGEST_IMPORT {
        return Err(unread(std::io::Error::from(ErrorKind::InvalidInput).to_string()));
    }
    let bytes = std::fs::read(file).map_err(|error| unread(error.to_string()))?;
    let name = file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok((bytes, name))
}

fn import_whole(context: &Context, sessions: &Sessions, file: &Path) -> anyhow::Result<Exit> {
    let (bytes, name) = file_to_import(file)?;
    let Some(done) = sessions.unpack(&bytes, &context.cwd, &name).map_err(failed)? else {
        return Err(say::failed(Phrase::new("cli.import_not_whole").with("path", file.display())));
    };
    if done.spoilt_head {
        let phrase = Phrase::new("session.head_damaged").with("path", file.display()).with("line", 1);
        say::notice(Level::Warning, &phrase);
    }
    if done.cut {
        say::notice(Level::Warning, &Phrase::new("cli.import_cut").with("path", file.display()));
    }
    imported(&done.session, "reasonix", done.records, done.skipped)
}

fn imported(session: &SessionId, program: &str, records: usize, skipped: usize) -> anyhow::Result<Exit> {
    let phrase = Phrase::new("cli.imported").with("session", session.short()).with("program", program);
    say::line(&Style::get().text(&phrase.with("records", records).with("skipped", skipped)))?;
    Ok(Exit::Done)
}

fn import(context: Context, sessions: &Sessions, file: &Path) -> anyhow::Result<Exit> {
    let (bytes, name) = file_to_import(file)?;
    let artifacts = SessionArtifacts::at(&context.home.join("state"));
    let begins = fresh_head(context)?;
    let Some(read) = foreign(&String::from_utf8_lossy(&bytes), &begins.head().model, &artifacts) else {
        return Err(say::failed(Phrase::new("cli.import_nothing").with("path", file.display())));
    };
    let from = Origin::Import { program: read.program.to_owned(), name };
    let begins = begins.with(|head| head.from = Some(from));
    let count = read.bodies.len();
    let id = sessions.import(begins, read.bodies).map_err(failed)?;
    imported(&id, read.program, count, read.skipped)
}
