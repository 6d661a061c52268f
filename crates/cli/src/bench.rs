//! `reasonix bench edit`: which edit format a model gets right, measured at the user's own endpoint.

mod options;
mod progress;
mod table;

pub(crate) use options::{BenchArgs, BenchCommand, EditArgs};

use crate::context::Context;
use crate::exit::Exit;
use crate::interrupts::{Interrupts, Manner};
use crate::say::{self, Style};
use progress::Progress;
use reasonix_agent::Stop;
use reasonix_config::Flags;
use reasonix_engine::World;
use reasonix_lab::bench::{Bench, BenchNews, BenchPlan, EditCase, End};
use reasonix_proto::{EditFormat, Level, Phrase};
use reasonix_session::Tried;

pub(crate) async fn bench(args: &BenchArgs) -> anyhow::Result<Exit> {
    match &args.command {
        BenchCommand::Edit(args) => edit(args).await,
    }
}

async fn edit(args: &EditArgs) -> anyhow::Result<Exit> {
    let (languages, formats) = (args.languages()?, args.formats()?);
    let mut interrupts = Interrupts::listen(Manner::Run)?;
    let flags = Flags {
        model: args.model.clone(),
        max_cost: args.max_cost,
        max_tokens: args.max_tokens,
        max_seconds: args.max_time,
        ..Flags::default()
    };
    let context = Context::load(None, flags)?.0;
    let world = World::new(context.loaded.settings, context.env, context.home);
    let plan = BenchPlan { model: None, languages, formats, cases: args.cases(), seed: args.seed };
    let mut bench = Bench::new(world, context.cwd, plan).map_err(|error| say::engine(&error))?;
    if args.restart && !args.show {
        bench.restart().map_err(|error| unreadable(&bench, &error))?;
    }
    let tried = read(&bench)?;
    if tried.damaged > 0 {
        let phrase = Phrase::new("bench.damaged").with("count", tried.damaged);
        say::notice(Level::Warning, &phrase.with("path", bench.trials().path().display()));
    }
    let left = if args.show { Vec::new() } else { bench.left(&tried) };
    let end = if left.is_empty() { End::Done } else { run(&mut bench, &left, args.json, &mut interrupts).await? };
    let tried = read(&bench)?;
    if args.json {
        let document = table::document(&bench, &tried, args.seed, &end);
        say::line(&say::json(&document)?)?;
    } else {
        if left.is_empty() && !args.show {
            say::notice(Level::Info, &Phrase::new("bench.nothing_left").with("model", bench.model()));
        }
        table::print(bench.model(), &tried)?;
    }
    Ok(tell_end(end))
}

fn read(bench: &Bench) -> anyhow::Result<Tried> {
    bench.trials().read().map_err(|error| unreadable(bench, &error))
}

fn unreadable(bench: &Bench, error: &std::io::Error) -> anyhow::Error {
    say::failed(Phrase::new("session.io").with("path", bench.trials().path().display()).with("reason", error))
}

/// Tries what is left; the first interrupt stops it and keeps what was done.
async fn run(
    bench: &mut Bench,
    left: &[(EditCase, EditFormat)],
    quiet: bool,
    interrupts: &mut Interrupts,
) -> anyhow::Result<End> {
    announce(bench, left);
    let mut progress = Progress::new(left.len(), quiet);
    let stop = Stop::new();
    let end = {
        let mut tell = |told: BenchNews<'_>| match told {
            BenchNews::Trying(case, format) => progress.trying(case, format),
            BenchNews::Tried(trial) => progress.tried(trial),
            BenchNews::Notice(level, phrase) => progress.notice(level, &phrase),
        };
        let work = bench.run(left, &stop, &mut tell);
        tokio::pin!(work);
        loop {
            tokio::select! {
                biased;
                end = &mut work => break end,
                _ = interrupts.next() => stop.cancel(),
            }
        }
    };
    progress.finish();
    end.map_err(|error| say::engine(&error))
}

/// Says what is about to be sent, before anything is.
fn announce(bench: &Bench, left: &[(EditCase, EditFormat)]) {
    let done = bench.all().len() - left.len();
    let estimate = bench.estimate(left);
    let phrase = Phrase::new("bench.begins").with("model", bench.model()).with("count", left.len()).with("done", done);
    let phrase = phrase.with("input", round(estimate.usage.input)).with("output", round(estimate.usage.output));
    say::line_err(&Style::get().text(&phrase));
    match estimate.cost {
        Some(cost) if cost.spent > 0 => {
            say::line_err(&Style::get().text(
                &Phrase::new("bench.costs").with("cost", reasonix_proto::money_text(cost.spent, &cost.currency)),
            ));
        }
        _ => {}
    }
    if let Some(phrase) = bench.blind() {
        say::notice(Level::Warning, &phrase);
    }
}

/// A count as one says it.
fn round(tokens: u64) -> String {
    if tokens < 10_000 { tokens.to_string() } else { format!("{}k", tokens / 1000) }
}

fn tell_end(end: End) -> Exit {
    match end {
        End::Done => Exit::Done,
        End::Stopped => {
            say::notice(Level::Warning, &Phrase::new("bench.stopped"));
            Exit::Interrupted
        }
        End::OutOfBudget(why) => {
            say::notice(Level::Warning, &why);
            Exit::Limit
        }
        End::Failed(why) => {
            say::notice(Level::Error, &why);
            Exit::Provider
        }
    }
}
