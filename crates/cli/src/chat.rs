//! `reasonix` where the screen cannot be drawn on: a plain line chat over the same events as every other front end.

use crate::args::SessionArgs;
use crate::context::{Context, flags_of};
use crate::exit::Exit;
use crate::interrupts::{Interrupts, Manner};
use crate::person::{Editor, Keyboard};
use crate::pump::{carry, carry_turn};
use crate::run::finish;
use crate::say::{self, Style, clean};
use crate::view::{Plain, View, todo_lines};
use reasonix_engine::Handle;
use reasonix_proto::{Level, Mode, Op, Phrase, Query, Reply, TurnEnd};
use reasonix_workspace::Workspace;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use std::cell::RefCell;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::rc::Rc;

/// Prompts that are remembered across restarts.
const HISTORY: usize = 1000;

/// True where only lines can be written: no terminal at both ends, or one that can do nothing else.
pub(crate) fn is_plain() -> bool {
    let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb" || term.is_empty());
    let wanted = std::env::var("REASONIX_PLAIN").is_ok_and(|value| !value.is_empty() && value != "0");
    dumb || wanted || !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal()
}

pub(crate) async fn chat(args: SessionArgs) -> anyhow::Result<Exit> {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Err(say::usage(Phrase::new("cli.no_terminal")));
    }
    let mut interrupts = Interrupts::listen(Manner::Chat)?;
    let context = Context::load(args.dir.as_deref(), flags_of(&args))?;
    crate::probe::first_use(&context, args.model.as_deref()).await;
    let history = context.home.join("state").join("history");
    let keeps = !args.no_session;
    let host = context.host(&args, true)?;
    crate::logging::begin(host.base());
    let workspace = host.base().workspace.clone();
    let mut handle = host.open_first().map_err(|error| say::engine(&error))?;
    let editor = editor(keeps.then_some(&history))?;
    let mut view = Plain::new(Some(Box::new(Keyboard::new(Rc::clone(&editor)))));
    greet(&handle, &workspace).await;
    if let Some(op) = trust(&handle).await {
        carry(&mut handle, &mut view, &mut interrupts, op).await?;
    }
    if let Some(instructions) = &args.compact {
        carry(&mut handle, &mut view, &mut interrupts, Op::Compact { instructions: instructions.clone() }).await?;
    }
    let mut spoke = false;
    while let Some(typed) = read(&editor)? {
        if keeps {
            remember(&editor, &history);
        }
        if let Some(command) = typed.strip_prefix('/') {
            match command_line(command, &handle).await {
                Next::Leave => break,
                Next::Read => {}
                // While a line is read nothing else runs: what was asked for is done, and said, before that.
                Next::Do(op) => drop(carry(&mut handle, &mut view, &mut interrupts, op).await?),
            }
        } else if let Some(op) = said(&typed) {
            spoke = true;
            turn(&mut handle, &mut view, &mut interrupts, op).await?;
        }
    }
    let session = handle.session.clone();
    finish(handle, &mut view, &mut interrupts).await?;
    if keeps && spoke {
        say::notice(Level::Info, &Phrase::new("cli.goodbye").with("session", session.short()));
    }
    Ok(Exit::Done)
}

async fn greet(handle: &Handle, workspace: &Workspace) {
    if let Reply::Status(status) = handle.query(Query::Status).await {
        let folder = workspace.root().display();
        let phrase = Phrase::new("cli.greeting").with("model", status.model).with("folder", folder);
        say::line_err(&Style::get().text(&phrase));
    }
}

/// Asks once about what this folder would execute, where something is new or changed.
async fn trust(handle: &Handle) -> Option<Op> {
    let Reply::Trust(info) = handle.query(Query::Trust).await else { return None };
    info.is_open().then(|| {
        crate::trust::show(&info, false);
        Op::Trust { digest: info.digest.clone(), yes: crate::trust::asked() }
    })
}

fn editor(history: Option<&PathBuf>) -> anyhow::Result<Editor> {
    let config = rustyline::Config::builder().max_history_size(HISTORY)?.auto_add_history(false).build();
    let mut editor = DefaultEditor::with_config(config)?;
    if let Some(history) = history {
        // The first chat has no history yet.
        let _ = editor.load_history(history);
    }
    Ok(Rc::new(RefCell::new(editor)))
}

fn remember(editor: &Editor, history: &PathBuf) {
    let saved = history
        .parent()
        .map_or(Ok(()), reasonix_store::private_folder)
        .and_then(|()| editor.borrow_mut().save_history(history).map_err(std::io::Error::other));
    if let Err(error) = saved {
        say::notice(Level::Warning, &Phrase::new("cli.history_failed").with("reason", error));
    }
}

/// The next thing typed; none at the end. Ctrl-C gives up the line, Ctrl-D ends.
fn read(editor: &Editor) -> anyhow::Result<Option<String>> {
    loop {
        let line = editor.borrow_mut().readline("> ");
        match line {
            Ok(line) if line.trim().is_empty() => {}
            Ok(line) => {
                editor.borrow_mut().add_history_entry(line.trim_end())?;
                return Ok(Some(line.trim().to_owned()));
            }
            Err(ReadlineError::Interrupted) => say::notice(Level::Info, &Phrase::new("cli.how_to_quit")),
            Err(ReadlineError::Eof) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
}

/// What was typed as something to do: a command of one's own behind `!`, which `!!` keeps from the model, or a prompt.
/// None when there is nothing behind the sign.
fn said(typed: &str) -> Option<Op> {
    let Some(command) = typed.strip_prefix('!') else {
        // The session puts references in, and says what it could not.
        return Some(Op::Prompt { text: typed.to_owned(), resolved: false });
    };
    let (command, keep) = command.strip_prefix('!').map_or((command, true), |command| (command, false));
    let command = command.trim().to_owned();
    (!command.is_empty()).then_some(Op::Shell { command, keep })
}

async fn turn(handle: &mut Handle, view: &mut Plain, interrupts: &mut Interrupts, op: Op) -> anyhow::Result<()> {
    let end = carry_turn(handle, view, interrupts, op).await?;
    view.close()?;
    match end {
        Some(TurnEnd::ProviderFailed { why, .. }) => say::notice(Level::Error, &why),
        Some(TurnEnd::OutOfBudget { why }) => say::notice(Level::Warning, &why),
        Some(TurnEnd::Interrupted) => say::notice(Level::Warning, &Phrase::new("cli.interrupted_chat")),
        Some(TurnEnd::TimedOut) => say::notice(Level::Warning, &Phrase::new("cli.timed_out")),
        Some(TurnEnd::StepLimit) => say::notice(Level::Warning, &Phrase::new("cli.step_limit")),
        _ => {}
    }
    Ok(())
}

/// What follows from a `/command`.
enum Next {
    Leave,
    Read,
    Do(Op),
}

/// A `/command`.
async fn command_line(command: &str, handle: &Handle) -> Next {
    let style = Style::get();
    match command.trim() {
        "quit" | "exit" | "q" => return Next::Leave,
        "plan" => {
            if let Reply::Status(status) = handle.query(Query::Status).await {
                let (mode, code) = match status.mode {
                    Mode::Plan => (Mode::Build, "cli.plan_off"),
                    Mode::Build => (Mode::Plan, "cli.plan_on"),
                };
                say::line_err(&style.text(&Phrase::new(code)));
                return Next::Do(Op::SetMode { mode });
            }
        }
        "help" | "?" => say::line_err(&style.text(&Phrase::new("cli.chat_help"))),
        "status" => {
            if let Reply::Status(status) = handle.query(Query::Status).await {
                let reasonix_proto::Status { session, model, usage, context, window, .. } = *status;
                let share =
                    (context * 100).checked_div(window).map_or_else(|| "?".to_owned(), |share| format!("{share} %"));
                let phrase = Phrase::new("cli.status")
                    .with("session", session)
                    .with("model", model)
                    .with("input", usage.input)
                    .with("cached", usage.cached)
                    .with("output", usage.output)
                    .with("context", context)
                    .with("window", window)
                    .with("share", share);
                say::line_err(&style.text(&phrase));
            }
        }
        "pro" | "pro on" | "pro off" => return Next::Do(Op::Escalate { on: !command.ends_with("off") }),
        "todo" => {
            if let Reply::Todo { phases } = handle.query(Query::Todo).await {
                let lines = todo_lines(&phases);
                if lines.is_empty() {
                    say::line_err(&style.text(&Phrase::new("cli.no_todo")));
                }
                lines.iter().for_each(|line| say::line_err(&clean(line)));
            }
        }
        other => say::notice(Level::Warning, &Phrase::new("cli.unknown_command").with("command", other)),
    }
    Next::Read
}

#[cfg(test)]
mod tests {
    use super::said;
    use reasonix_proto::Op;

    #[test]
    fn a_sign_in_front_keeps_a_line_from_the_model() {
        let shell = |command: &str, keep| Some(Op::Shell { command: command.into(), keep });
        assert_eq!(said("!ls -l"), shell("ls -l", true));
        assert_eq!(said("!! cat key"), shell("cat key", false));
        assert_eq!((said("!"), said("!! ")), (None, None));
        assert!(matches!(said("hi!"), Some(Op::Prompt { resolved: false, .. })));
    }
}
