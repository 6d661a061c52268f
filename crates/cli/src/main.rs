//! The `reasonix` binary: arguments, wiring, commands and exit codes. The only room that prints.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod batch;
mod bench;
mod bring;
mod cache;
mod chat;
mod context;
mod demo;
mod docs;
mod doctor;
mod door;
mod editor;
mod elsewhere;
mod exit;
mod explain;
mod extensions;
mod first;
mod goal;
mod help;
mod history;
mod import;
mod inspect;
mod interrupts;
mod leave;
mod logging;
mod mcp;
mod memory;
mod models;
mod multiplexer;
mod pages;
mod parts;
mod person;
mod picture;
mod plugin;
mod probe;
mod pump;
mod replay;
mod run;
mod say;
mod schema;
mod screen;
mod sessions;
mod setup;
mod slash;
mod stats;
mod stdin;
mod store;
mod trust;
mod undo;
mod view;

use args::{Cli, Command};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use exit::Exit;
use reasonix_proto::Phrase;
use std::process::ExitCode;

fn main() -> ExitCode {
    reasonix_exec::survive_file_size_limit();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let outcome = dispatch(cli);
    interrupts::leave_nothing();
    match outcome {
        Ok(exit) => exit.into(),
        Err(error) => {
            say::failure(&error);
            Exit::of_error(&error).into()
        }
    }
}

/// Help and version go to standard output with 0; a wrong command line is 2.
fn usage(error: &clap::Error) -> ExitCode {
    match help::in_chinese() {
        Some(error) if help::is_page(&error) => say::line_err(help::page(&error).trim_end()),
        Some(error) if error.use_stderr() => say::line_err(&help::complaint(&error)),
        // A closed pipe under `--help | head` is nothing to complain about.
        Some(error) => drop(say::line(help::page(&error).trim_end())),
        None => drop(error.print()),
    }
    if let Some(hint) = way_out(error) {
        say::line_err(&say::Style::get().text(&hint));
    }
    if error.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() }
}

/// What was probably meant by a command line of another program's kind.
fn way_out(error: &clap::Error) -> Option<Phrase> {
    let first = std::env::args().nth(1)?;
    let known = door::is_command(&first);
    match error.kind() {
        ErrorKind::UnknownArgument if !known => Some(Phrase::new("cli.use_run")),
        ErrorKind::ArgumentConflict if first.starts_with('-') => Some(Phrase::new("cli.flags_behind")),
        _ => None,
    }
}

fn dispatch(cli: Cli) -> anyhow::Result<Exit> {
    match cli.command {
        None => door::enter(cli),
        Some(Command::Chat(chat)) => door::chat(*chat),
        Some(Command::Run(run)) => door::run(*run),
        Some(Command::Batch(args)) => runtime()?.block_on(batch::batch(*args)),
        Some(Command::Demo(demo)) => runtime()?.block_on(demo::demo(demo)),
        Some(Command::Setup(setup)) => runtime()?.block_on(setup::setup(setup)),
        Some(Command::Doctor(doctor)) => runtime()?.block_on(doctor::doctor(&doctor)),
        Some(Command::Models(models)) => runtime()?.block_on(models::models(&models)),
        Some(Command::Probe(probe)) => runtime()?.block_on(probe::probe(&probe)),
        Some(Command::Bench(args)) => runtime()?.block_on(bench::bench(&args)),
        Some(Command::Sessions(sessions)) => sessions::sessions(sessions),
        Some(Command::History(args)) => history::history(&args),
        Some(Command::Memory(args)) => memory::memory(args),
        Some(Command::Mcp(args)) => mcp::mcp(args),
        Some(Command::Undo(undo)) => runtime()?.block_on(undo::undo(&undo)),
        Some(Command::Rewind(rewind)) => runtime()?.block_on(undo::rewind(&rewind)),
        Some(Command::Handoff(args)) => runtime()?.block_on(run::hand_over(*args)),
        Some(Command::Changes(changes)) => undo::show_changes(&changes),
        Some(Command::Store(store)) => store::store(&store),
        Some(Command::Context(args)) => parts::context(&args),
        Some(Command::Replay(args)) => runtime()?.block_on(replay::replay(args)),
        Some(Command::Diff(args)) => replay::diff(&args),
        Some(Command::Stats(args)) => stats::stats(&args),
        Some(Command::Cache(args)) => cache::cache(&args),
        Some(Command::Config(config)) => inspect::config(&config),
        Some(Command::Trust(args)) => trust::trust(&args),
        Some(Command::Explain(args)) => explain::explain(&args),
        Some(Command::Extensions(args)) => extensions::extensions(&args),
        Some(Command::Plugin(args)) => plugin::plugin(args),
        Some(Command::Import(args)) => bring::import(&args),
        Some(Command::Docs(args)) => docs::docs(&args),
        Some(Command::Completions { shell }) => {
            let mut out = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "reasonix", &mut out);
            say::bytes(&out)?;
            Ok(Exit::Done)
        }
    }
}

/// One thread is enough for one conversation; blocking work has threads of its own. It must be the thread that
/// lives as long as the process: children are tied to the life of the thread that started them.
fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    let most = reasonix_exec::most_open_files();
    if most < LEAST_FILES {
        return Err(say::failed(Phrase::new("cli.few_files").with("most", most).with("least", LEAST_FILES)));
    }
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build()?)
}

/// Fewer open files than this are not enough for one command in its box beside an answer that streams in.
const LEAST_FILES: u64 = 64;
