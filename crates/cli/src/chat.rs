//! `reasonix` where the screen cannot be drawn on: a plain line chat over the same events as every other front end.

use crate::args::SessionArgs;
use crate::context::{Context, flags_of};
use crate::elsewhere::{Arrived, Elsewhere, open, other};
use crate::exit::Exit;
use crate::interrupts::{Interrupts, Manner};
use crate::person::{Editor, Keyboard};
use crate::pump::{carry, carry_turn};
use crate::run::finish;
use crate::say::{self, Style};
use crate::slash::{CommandLine, Next};
use crate::view::{Plain, View};
use reasonix_engine::Handle;
use reasonix_proto::{Level, Op, Open, Phrase, Query, Reply, TurnEnd};
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

pub(crate) async fn chat(args: SessionArgs, first: Option<String>) -> anyhow::Result<Exit> {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Err(say::usage(Phrase::new("cli.no_terminal")));
    }
    let interrupts = Interrupts::listen(Manner::Chat)?;
    let context = Context::load_silently(args.dir.as_deref(), flags_of(&args))?;
    crate::probe::first_use(&context, args.model.as_deref()).await;
    let history = (!args.no_session).then(|| context.home.join("state").join("history"));
    let handle = open(&args, Some(context))?;
    let editor = editor(history.as_ref())?;
    let view = Plain::in_lines(Some(Box::new(Keyboard::new(Rc::clone(&editor)))));
    let mut chat = Chat { args, handle, view, interrupts, editor, spoke: false };
    chat.begin().await?;
    if let Some(instructions) = chat.args.compact.take() {
        chat.carry(Op::Compact { instructions }).await?;
    }
    if let Some(first) = first
        && !chat.act_on(&first).await?
    {
        return chat.end().await;
    }
    while let Some(typed) = chat.next()? {
        if let Some(history) = &history {
            remember(&chat.editor, history);
        }
        if !chat.act_on(&typed).await? {
            break;
        }
    }
    chat.end().await
}

/// A person, a session, and what lies between them.
struct Chat {
    args: SessionArgs,
    handle: Handle,
    view: Plain,
    interrupts: Interrupts,
    editor: Editor,
    spoke: bool,
}

impl Chat {
    /// Says where we are, and asks what has to be asked before anything else.
    async fn begin(&mut self) -> anyhow::Result<()> {
        greet(&self.handle).await;
        if let Some(op) = trust(&self.handle).await {
            self.carry(op).await?;
        }
        Ok(())
    }

    /// The next line: the one that was meant for a question that was over, or one that is typed now.
    fn next(&mut self) -> anyhow::Result<Option<String>> {
        self.view.late().map_or_else(|| read(&self.editor), |line| Ok(Some(line)))
    }

    /// Does what a line says. False when it ends the chat.
    async fn act_on(&mut self, typed: &str) -> anyhow::Result<bool> {
        let Some(line) = command_of(typed) else {
            if let Some(op) = said(typed) {
                self.spoke = true;
                self.perform(op).await?;
            }
            return Ok(true);
        };
        let typed = CommandLine { handle: &self.handle, editor: &self.editor, dir: self.args.dir.as_deref() };
        match typed.run(line).await? {
            Next::Leave => return Ok(false),
            Next::Read => {}
            Next::Do(ops) => {
                for op in ops {
                    self.perform(op).await?;
                }
            }
            Next::Elsewhere(wish) => drop(self.go(wish, false).await?),
            Next::GiveUp => drop(self.go(Elsewhere::Session(Open::New), true).await?),
        }
        Ok(true)
    }

    /// While a line is read nothing else runs: what was asked for is done, and said, before that.
    async fn perform(&mut self, op: Op) -> anyhow::Result<()> {
        if matches!(op, Op::SetGoal { .. } | Op::ResumeGoal) {
            self.spoke = true;
            self.carry(op).await?;
            return Ok(self.view.close()?);
        }
        if !matches!(op, Op::Prompt { .. } | Op::Shell { .. } | Op::Retry) {
            return self.carry(op).await;
        }
        let end = carry_turn(&mut self.handle, &mut self.view, &mut self.interrupts, op).await?;
        self.view.close()?;
        if let Some((level, phrase)) = end.and_then(end_of) {
            say::notice(level, &phrase);
        }
        Ok(())
    }

    async fn carry(&mut self, op: Op) -> anyhow::Result<()> {
        carry(&mut self.handle, &mut self.view, &mut self.interrupts, op).await?;
        Ok(())
    }

    /// Goes on in another session; this one is left, or given up.
    async fn go(&mut self, wish: Elsewhere, gives_up: bool) -> anyhow::Result<()> {
        let Some(Arrived { args, handle, told }) = other(&self.args, wish, &self.handle).await else { return Ok(()) };
        let left = std::mem::replace(&mut self.handle, handle);
        (self.args, self.spoke) = (args, false);
        if gives_up {
            left.submit(Op::Discard);
        }
        finish(left, &mut self.view, &mut self.interrupts).await?;
        told.iter().for_each(|phrase| say::notice(Level::Info, phrase));
        self.begin().await
    }

    async fn end(mut self) -> anyhow::Result<Exit> {
        let session = self.handle.session.clone();
        finish(self.handle, &mut self.view, &mut self.interrupts).await?;
        if !self.args.no_session && self.spoke {
            say::notice(Level::Info, &Phrase::new("cli.goodbye").with("session", session.short()));
        }
        Ok(Exit::Done)
    }
}

/// The command that a line is, without its slash: a path is none.
fn command_of(typed: &str) -> Option<&str> {
    let line = typed.strip_prefix('/')?;
    let name = line.split_whitespace().next().unwrap_or_default();
    (!name.contains('/')).then_some(line)
}

/// What is said about a turn that did not come to its own end.
fn end_of(end: TurnEnd) -> Option<(Level, Phrase)> {
    match end {
        TurnEnd::ProviderFailed { why, .. } => Some((Level::Error, why)),
        TurnEnd::OutOfBudget { why } => Some((Level::Warning, why)),
        TurnEnd::Interrupted => Some((Level::Warning, Phrase::new("cli.interrupted_chat"))),
        TurnEnd::TimedOut => Some((Level::Warning, Phrase::new("cli.timed_out"))),
        TurnEnd::StepLimit => Some((Level::Warning, Phrase::new("cli.step_limit"))),
        _ => None,
    }
}

async fn greet(handle: &Handle) {
    if let Reply::Status(status) = handle.query(Query::Status).await {
        let phrase = Phrase::new("cli.greeting").with("model", status.model).with("folder", status.folder);
        say::line_err(&Style::get().text(&phrase));
    }
}

/// Asks once about what this folder would execute, where something is new or changed.
async fn trust(handle: &Handle) -> Option<Op> {
    let Reply::Trust(info) = handle.query(Query::Trust).await else { return None };
    info.asks_at_start().then(|| {
        let yes = crate::trust::agreed(&info, false);
        Op::Trust { digest: info.digest.clone(), yes }
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

#[cfg(test)]
mod tests {
    use super::{command_of, said};
    use reasonix_proto::Op;

    #[test]
    fn a_sign_in_front_keeps_a_line_from_the_model() {
        let shell = |command: &str, keep| Some(Op::Shell { command: command.into(), keep });
        assert_eq!(said("!ls -l"), shell("ls -l", true));
        assert_eq!(said("!! cat key"), shell("cat key", false));
        assert_eq!((said("!"), said("!! ")), (None, None));
        assert_eq!(
            (command_of("/plan x"), command_of("/usr/bin is full"), command_of("hi")),
            (Some("plan x"), None, None)
        );
        assert!(matches!(said("hi!"), Some(Op::Prompt { resolved: false, .. })));
    }
}
