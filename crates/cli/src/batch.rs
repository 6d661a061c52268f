//! `reasonix batch`: many tasks from a file, each in its own clone and session, some at a time.

mod place;
mod sessions;

use crate::args::{BatchArgs, SessionArgs};
use crate::context::{Context, flags_of};
use crate::exit::Exit;
use crate::interrupts::{Interrupts, Manner, leave_nothing};
use crate::say;
use reasonix_flow::batch::{BatchEnd, BatchNews, BatchTask, ResultLines, TaskLines, WorkFolder, drive};
use reasonix_proto::{Level, Phrase};
use sessions::Sessions;
use std::path::{Path, PathBuf};

/// Does what the file says, and goes on where an earlier process left off.
pub(crate) async fn batch(args: BatchArgs) -> anyhow::Result<Exit> {
    let mut interrupts = Interrupts::listen(Manner::Run)?;
    one_of_many(&args.session)?;
    let fault = |fault: reasonix_flow::batch::BatchFault| say::usage(fault.phrase());
    let file = std::path::absolute(&args.file)?;
    let beside = |end: &str| file.with_extension(end);
    let out = args.out.as_deref().map_or_else(|| Ok(beside("results.jsonl")), std::path::absolute)?;
    let work = args.work.as_deref().map_or_else(|| Ok(beside("work")), std::path::absolute)?;
    let context = Context::load(args.session.dir.as_deref(), flags_of(&args.session))?;
    let mut tasks = TaskLines::read(&file).map_err(fault)?;
    apart(tasks.left(), &context, &args.session, &work)?;
    if real(&out) == real(&file) {
        let reason = Phrase::new("flow.batch_file").with("path", out.display()).with("reason", "--out");
        return Err(say::usage(reason));
    }
    let work = WorkFolder::open(&work).map_err(fault)?;
    let mut results = ResultLines::open(&out).map_err(fault)?;
    if args.again {
        results.forget_failed().map_err(fault)?;
    }
    let begin = Phrase::new("flow.batch_begins").with("count", tasks.count()).with("done", results.count());
    say::notice(Level::Info, &begin.with("out", out.display()));
    let sessions = Sessions::new(&args, context.cwd.clone(), work, &context.loaded.notices);
    let mut told = |news: BatchNews<'_>| tell(&news);
    interrupts.begin();
    let at_once = usize::try_from(args.jobs).unwrap_or(usize::MAX);
    let end = {
        let driving = drive(&mut tasks, &mut results, &sessions, at_once, &mut told);
        tokio::pin!(driving);
        loop {
            tokio::select! {
                end = &mut driving => break end.map_err(fault),
                count = interrupts.next() => {
                    if count > 1 {
                        leave_nothing();
                        std::process::exit(Exit::Interrupted as i32);
                    }
                    sessions.leave();
                }
            }
        }
    };
    Ok(finish(end?, results.failed(), &sessions))
}

/// What names one session means nothing for many.
fn one_of_many(args: &SessionArgs) -> anyhow::Result<()> {
    let named = [
        (args.continues, "--continue"),
        (args.resume.is_some(), "--resume"),
        (args.fork.is_some(), "--fork"),
        (args.compact.is_some(), "--compact"),
    ];
    match named.into_iter().find(|(is, _)| *is) {
        Some((_, option)) => Err(say::usage(Phrase::new("flow.batch_option").with("option", option))),
        None => Ok(()),
    }
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| {
        let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
        parent.zip(path.file_name()).map_or_else(|| path.to_owned(), |(parent, name)| parent.join(name))
    })
}

/// Where our own git works no session may write but in its own clone.
fn apart(tasks: &[BatchTask], context: &Context, args: &SessionArgs, work: &Path) -> anyhow::Result<()> {
    if tasks.iter().all(|task| task.cwd.is_some()) {
        return Ok(());
    }
    let work = real(work);
    let folders = tasks.iter().filter_map(|task| task.cwd.as_deref()).map(|cwd| context.cwd.join(cwd));
    let more = args.add_dir.iter().filter_map(|folder| std::path::absolute(folder).ok());
    let open = context.loaded.settings.sandbox.allow_write.iter().filter(|path| path.is_absolute()).cloned();
    match folders.chain(more).chain(open).find(|folder| work.starts_with(real(folder))) {
        Some(folder) => {
            let phrase = Phrase::new("flow.batch_within").with("folder", folder.display());
            Err(say::usage(phrase.with("work", work.display())))
        }
        None => Ok(()),
    }
}

/// Says how it ended. A task that did not end well is no success, whenever it was done.
fn finish(end: BatchEnd, failed: usize, sessions: &Sessions<'_>) -> Exit {
    let phrase = Phrase::new("flow.batch_ended").with("done", end.done).with("before", end.before);
    say::notice(Level::Info, &phrase.with("left", end.left));
    if failed > 0 {
        say::notice(Level::Warning, &Phrase::new("flow.batch_failed").with("count", failed));
    }
    match end.left {
        0 if failed == 0 => Exit::Done,
        0 => Exit::Failed,
        _ if sessions.is_left() => Exit::Interrupted,
        _ if sessions.is_spent() => Exit::Limit,
        _ => Exit::Failed,
    }
}

/// How a task ended, in the words of people; `goal` and why, where it was one.
fn ended(end: &str) -> String {
    let lang = say::Style::get().lang;
    match end.strip_prefix("goal ") {
        Some(why) => {
            format!("{} {}", reasonix_words::named(lang, "part", "goal"), reasonix_words::named(lang, "end", why))
        }
        None => reasonix_words::named(lang, "end", end).into_owned(),
    }
}

fn tell(news: &BatchNews<'_>) {
    let phrase = match news {
        BatchNews::Begins(task) => Phrase::new("flow.batch_task").with("id", &task.id),
        BatchNews::Ended(result) => Phrase::new("flow.batch_result")
            .with("id", &result.id)
            .with("end", ended(&result.end))
            .with("tokens", result.usage.tokens())
            .with("seconds", result.seconds),
    };
    say::notice(Level::Info, &phrase);
}
