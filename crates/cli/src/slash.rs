//! The `/` commands of the line chat: the same table as on the screen, answered in lines. What the screen lays before a
//! person as a list is written out with numbers here, and a line is the answer.

mod lists;
mod replies;

use crate::elsewhere::Elsewhere;
use crate::person::Editor;
use crate::say::{self, Style, clean};
use reasonix_engine::Handle;
use reasonix_proto::{
    CommandAction, CommandInfo, CommandLocal, Level, Mode, Op, Phrase, Query, Reply, builtin_commands,
};
use replies::reply_lines;
use std::path::Path;

/// What follows from a line.
pub(crate) enum Next {
    /// The next line is read.
    Read,
    /// The chat is over.
    Leave,
    /// This is done first.
    Do(Vec<Op>),
    /// The chat goes on in another session.
    Elsewhere(Elsewhere),
    /// This session is given up for a new one.
    GiveUp,
}

/// Where commands are typed.
pub(crate) struct CommandLine<'a> {
    pub(crate) handle: &'a Handle,
    pub(crate) editor: &'a Editor,
    pub(crate) dir: Option<&'a Path>,
}

impl CommandLine<'_> {
    /// Does what a command says that was typed without its slash.
    pub(crate) async fn run(&self, line: &str) -> anyhow::Result<Next> {
        let (name, words) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let Reply::Commands { commands } = self.handle.query(Query::Commands).await else { return Ok(Next::Read) };
        let Some(command) = commands.iter().find(|command| command.is(name)) else {
            let known = builtin_commands().iter().any(|command| command.is(name));
            let code = if known { "tui.command_not_here" } else { "cli.unknown_command" };
            say::notice(Level::Warning, &Phrase::new(code).with("command", name));
            return Ok(Next::Read);
        };
        match command.action(words.trim(), self.plans().await) {
            Some(CommandAction::Local(CommandLocal::Help)) => {
                help(&commands);
                Ok(Next::Read)
            }
            Some(action) => self.perform(command, action).await,
            None => Ok(Next::Read),
        }
    }

    async fn plans(&self) -> bool {
        matches!(self.handle.query(Query::Status).await, Reply::Status(status) if status.mode == Mode::Plan)
    }

    async fn perform(&self, command: &CommandInfo, action: CommandAction) -> anyhow::Result<Next> {
        match action {
            CommandAction::Operation(ops) => return Ok(Next::Do(ops)),
            CommandAction::Query(query) => self.show(query).await,
            CommandAction::Open(open) => return Ok(Next::Elsewhere(Elsewhere::Session(open))),
            CommandAction::Overlay(overlay) => return Box::pin(self.lay(command, overlay)).await,
            CommandAction::Local(local) => return self.by_ourselves(local).await,
            CommandAction::Say(phrase) => say::notice(Level::Warning, &phrase),
        }
        Ok(Next::Read)
    }

    /// Writes out the answer to a query.
    async fn show(&self, query: Query) {
        match reply_lines(&self.handle.query(query).await) {
            Ok(lines) => lines.iter().for_each(|line| say::line_err(line)),
            Err((level, phrase)) => say::notice(level, &phrase),
        }
    }

    async fn by_ourselves(&self, local: CommandLocal) -> anyhow::Result<Next> {
        match local {
            CommandLocal::Help => {}
            CommandLocal::Quit => return Ok(Next::Leave),
            CommandLocal::Doctor => crate::doctor::in_lines(self.dir).await?,
            CommandLocal::EditTodo => {
                let Reply::Todo { phases } = self.handle.query(Query::Todo).await else { return Ok(Next::Read) };
                match crate::editor::edited(&format!("{}\n", reasonix_proto::todo_markdown(&phases))) {
                    Some(text) => return Ok(Next::Do(vec![Op::ChangeTodo { text }])),
                    None => say::notice(Level::Warning, &Phrase::new("tui.editor_failed")),
                }
            }
            CommandLocal::Folder { path } if path.is_empty() => {
                if let Reply::Status(status) = self.handle.query(Query::Status).await {
                    say::notice(Level::Info, &Phrase::new("tui.cwd").with("folder", status.folder));
                }
            }
            CommandLocal::Folder { path } => return Ok(Next::Elsewhere(Elsewhere::Folder(path))),
        }
        Ok(Next::Read)
    }
}

/// The commands that can be had, and what else can be typed.
fn help(commands: &[CommandInfo]) {
    let style = Style::get();
    let called = |command: &CommandInfo| {
        let words = command.arguments.iter().map(|argument| {
            let name = style.text(&argument.name);
            if argument.optional { format!(" [{name}]") } else { format!(" <{name}>") }
        });
        format!("/{}{}", command.name, words.collect::<String>())
    };
    let table: Vec<Vec<String>> =
        commands.iter().map(|command| vec![called(command), style.text(&command.about)]).collect();
    let width = |text: &str| unicode_width::UnicodeWidthStr::width(text);
    let widest = table.iter().filter_map(|row| row.first()).map(|name| width(name)).max().unwrap_or(0);
    for row in &table {
        if let [name, about] = row.as_slice() {
            let room = " ".repeat(widest.saturating_sub(width(name)));
            // What does not fit beside it stands below it, behind a margin.
            let screen =
                rustix::termios::tcgetwinsize(std::io::stderr()).map_or(100, |size| usize::from(size.ws_col).max(40));
            if widest + 2 + width(about) <= screen {
                say::line_err(&clean(&format!("{name}{room}  {about}")));
            } else {
                say::line_err(&clean(name));
                say::line_err(&clean(&format!("    {about}")));
            }
        }
    }
    say::line_err(&style.text(&Phrase::new("cli.chat_help")));
}
