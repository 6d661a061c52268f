//! What can be typed after `/`. What a command does is in the engine's table; here are the lists that it lays before a
//! person, and the few commands of the front end's own.

use crate::act;
use crate::app::{App, HostRequest, QueryPurpose, ScreenEffect};
use crate::overlays::{Overlay, Pager, Picked, Picker, PickerEntry, Subject};
use crate::update::note;
use reasonix_proto::{
    Allowance, ArgumentKind, CommandAction, CommandInfo, CommandLocal, CommandOverlay, Effect as Rule, Level, Mode, Op,
    Open, Phrase, Query, Rewind, TreeFilter,
};

/// Commands of the front end's own, that need nothing of the engine.
const OWN: &[(&str, &str)] = &[
    ("help", "tui.command.help"),
    ("keys", "tui.command.keys"),
    ("copy", "tui.command.copy"),
    ("transcript", "tui.command.transcript"),
    ("queue", "tui.command.queue"),
    ("theme", "tui.command.theme"),
    ("quit", "tui.command.quit"),
];

/// Names that mean another command of our own.
const ALIASES: &[(&str, &str)] = &[("exit", "quit"), ("q", "quit"), ("?", "help"), ("hotkeys", "keys")];

/// The name that a name stands for.
fn canonical(app: &App, name: &str) -> String {
    let engine = app.commands.iter().find(|command| command.aliases.iter().any(|alias| alias == name));
    let own = ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, name)| *name);
    own.or(engine.map(|command| command.name.as_str())).unwrap_or(name).to_owned()
}

/// True when a command of this name can be had.
pub(crate) fn is_known(app: &App, name: &str) -> bool {
    let name = canonical(app, name);
    OWN.iter().any(|(own, _)| *own == name) || app.commands.iter().any(|command| command.name == name)
}

/// True when a command cannot do without an argument.
pub(crate) fn wants_more(app: &App, name: &str) -> bool {
    let command = app.commands.iter().find(|command| command.name == name);
    command.is_some_and(|command| command.arguments.iter().any(|argument| !argument.optional))
}

/// The entries of the menu for what was typed after `/`: the very name first, then those that begin so, then those that
/// contain it.
pub(crate) fn matching(app: &App, typed: &str) -> Vec<PickerEntry<String>> {
    let look = &app.look;
    let own = OWN.iter().map(|(name, about)| ((*name).to_owned(), String::new(), look.word(about)));
    let engine = app.commands.iter().map(|command| {
        let words = command.arguments.iter().map(|argument| {
            let name = look.say(&argument.name);
            if argument.optional { format!(" [{name}]") } else { format!(" <{name}>") }
        });
        (command.name.clone(), words.collect::<String>(), look.say(&command.about))
    });
    // The engine's order is that of a menu; what is our own stands behind it, and the way out last.
    let mut all: Vec<(String, String, String)> = engine.collect();
    for row in own {
        if !all.iter().any(|(name, _, _)| *name == row.0) {
            all.push(row);
        }
    }
    all.sort_by_key(|(name, _, _)| name == "quit");
    let typed = typed.to_lowercase();
    let rank = |name: &str| match name {
        name if name == typed => 0,
        name if name.starts_with(&typed) => 1,
        _ => 2,
    };
    let mut fitting: Vec<_> = all.into_iter().filter(|(name, _, _)| name.contains(&typed)).collect();
    fitting.sort_by_key(|(name, _, _)| rank(name));
    let entry = |(name, words, about): (String, String, String)| PickerEntry {
        text: format!("/{name}{words}"),
        value: name,
        note: about,
        current: false,
    };
    fitting.into_iter().map(entry).collect()
}

/// The argument that ends at the caret: the command, the argument's place and where it begins.
pub(crate) fn argument(app: &App, before: &str) -> Option<(String, usize, usize)> {
    let rest = before.strip_prefix('/')?;
    let (name, after) = rest.split_once(' ')?;
    let command = app.commands.iter().find(|command| command.name == canonical(app, name))?;
    let index = after.split(' ').count().saturating_sub(1);
    let kind = &command.arguments.get(index)?.kind;
    let from = before.rfind(' ')? + 1;
    (*kind != ArgumentKind::Text).then(|| (command.name.clone(), index, from))
}

/// True when the argument that begins there is the last one that the command takes.
pub(crate) fn ends_with(app: &App, text: &str, from: usize) -> bool {
    let before = text.get(..from).unwrap_or_default();
    let Some((name, after)) = before.strip_prefix('/').and_then(|rest| rest.split_once(' ')) else { return false };
    let command = app.commands.iter().find(|command| command.name == canonical(app, name));
    command.is_some_and(|command| after.split(' ').count() >= command.arguments.len())
}

/// What is said about a name that no command has.
fn unknown(app: &App, name: &str) -> Phrase {
    // One that there is, and that this session does not have: without a session on disk, or without undo.
    if reasonix_proto::builtin_commands().iter().any(|command| command.is(name)) {
        return Phrase::new("tui.command_not_here").with("command", name);
    }
    let own = OWN.iter().map(|(name, _)| *name).chain(ALIASES.iter().map(|(alias, _)| *alias));
    let engine = app
        .commands
        .iter()
        .flat_map(|command| std::iter::once(command.name.as_str()).chain(command.aliases.iter().map(String::as_str)));
    let near = |known: &str| strsim::damerau_levenshtein(&name.to_lowercase(), known);
    let nearest = own.chain(engine).map(|known| (near(known), known)).min();
    match nearest.filter(|(distance, known)| *distance <= 1 + known.len() / 4 && *distance < name.chars().count()) {
        Some((_, known)) => Phrase::new("tui.unknown_command_like").with("command", name).with("like", known),
        None => Phrase::new("tui.unknown_command").with("command", name),
    }
}

/// The command of this name.
fn find(app: &App, name: &str) -> Option<CommandInfo> {
    app.commands.iter().find(|command| command.is(name)).cloned()
}

/// Runs a command: one of our own, or what the table says of it.
pub(crate) fn run(app: &mut App, name: &str, arguments: &str) -> Vec<ScreenEffect> {
    let name = &*canonical(app, name);
    if let Some(effects) = own(app, name, arguments) {
        return effects;
    }
    let Some(command) = find(app, name) else {
        if app.commands.is_empty() {
            app.early = Some((name.to_owned(), arguments.to_owned()));
        } else {
            let phrase = unknown(app, name);
            note(app, Level::Warning, phrase);
        }
        return Vec::new();
    };
    let plans = app.facts.status.as_ref().is_some_and(|status| status.mode == Mode::Plan);
    match command.action(arguments, plans) {
        Some(action) => perform(app, &command, action),
        None => Vec::new(),
    }
}

/// Commands of our own.
fn own(app: &mut App, name: &str, arguments: &str) -> Option<Vec<ScreenEffect>> {
    Some(match name {
        "help" => crate::help::help(app),
        "keys" => crate::help::keys(app),
        "quit" => act::leave(app),
        "copy" => copy(app),
        "transcript" => open_transcript(app),
        "queue" => queue(app),
        "theme" => theme(app, arguments),
        _ => return None,
    })
}

/// Does what a command says.
fn perform(app: &mut App, command: &CommandInfo, action: CommandAction) -> Vec<ScreenEffect> {
    match action {
        CommandAction::Operation(ops) => {
            let mut effects = Vec::new();
            for op in ops {
                effects.extend(submit(app, op));
            }
            effects
        }
        CommandAction::Query(query) => show(app, query),
        CommandAction::Open(open) => another(app, open),
        CommandAction::Overlay(overlay) => lay(app, command, overlay),
        CommandAction::Local(local) => by_ourselves(app, local),
        CommandAction::Say(phrase) => {
            note(app, Level::Warning, phrase);
            Vec::new()
        }
    }
}

fn submit(app: &mut App, op: Op) -> Vec<ScreenEffect> {
    match op {
        Op::SetMode { mode } => plan(app, mode),
        Op::Prompt { .. } => {
            app.work.begin(app.now);
            app.send(op)
        }
        Op::SetGoal { .. } | Op::ResumeGoal => {
            app.work.begin_goal(app.now);
            app.send(op)
        }
        other => app.send(other),
    }
}

/// Another session takes the place of this one.
fn another(app: &App, open: Open) -> Vec<ScreenEffect> {
    let here = || app.facts.status.as_ref().map(|status| status.session.to_string());
    let wanted = match open {
        Open::New | Open::Unkept | Open::Continue => Some(HostRequest::New),
        Open::Resume { session } => Some(HostRequest::Resume(session)),
        Open::Fork { session, .. } if session.is_empty() => here().map(HostRequest::Fork),
        Open::Fork { session, .. } => Some(HostRequest::Fork(session)),
    };
    wanted.map(ScreenEffect::Host).into_iter().collect()
}

/// Lays something before the person.
fn lay(app: &mut App, command: &CommandInfo, overlay: CommandOverlay) -> Vec<ScreenEffect> {
    let all = |filter| Query::Tree { filter, text: String::new() };
    let prompts = all(TreeFilter::UserOnly);
    match overlay {
        CommandOverlay::Words => choose_word(app, &command.name, command.choices().to_vec()),
        CommandOverlay::Models => open(app, Subject::Model, Phrase::new("tui.list.models"), Query::Models),
        CommandOverlay::Sessions => {
            let query = Query::Sessions { all: false, text: String::new(), from: 0, count: 100 };
            open(app, Subject::Session, Phrase::new("tui.list.sessions"), query)
        }
        CommandOverlay::Tree { text } => {
            let query = Query::Tree { filter: TreeFilter::Default, text };
            open(app, Subject::Tree, Phrase::new("tui.list.tree"), query)
        }
        CommandOverlay::Branch => open(app, Subject::Tree, Phrase::new("tui.list.branch"), prompts),
        CommandOverlay::Rewind => open(app, Subject::Rewind, Phrase::new("tui.list.rewind"), prompts),
        CommandOverlay::RewindWhat { turn } => rewind_what(app, turn),
        CommandOverlay::Rules => open(app, Subject::Rule, Phrase::new("tui.list.rules"), Query::Permissions),
        CommandOverlay::History { text } => {
            let title = Phrase::new("tui.list.hits").with("words", &text);
            open(app, Subject::Hit, title, Query::History { text, all: false, count: 50 })
        }
        CommandOverlay::Memories => open(app, Subject::Memory, Phrase::new("tui.list.memories"), Query::Memories),
        CommandOverlay::Hooks => show(app, Query::Hooks),
        CommandOverlay::Settings => crate::settings::open(app),
        CommandOverlay::Clear => confirm_clear(app),
        CommandOverlay::Undo => vec![app.ask(Query::Changes { turn: None }, QueryPurpose::Undo)],
        CommandOverlay::Trust => vec![app.ask(Query::Trust, QueryPurpose::TrustShown)],
        CommandOverlay::Budget { words } => budget(app, words),
    }
}

fn by_ourselves(app: &mut App, local: CommandLocal) -> Vec<ScreenEffect> {
    match local {
        CommandLocal::Help => crate::help::help(app),
        CommandLocal::Quit => act::leave(app),
        CommandLocal::Doctor => vec![ScreenEffect::Host(HostRequest::Doctor)],
        CommandLocal::EditTodo => vec![app.ask(Query::Todo, QueryPurpose::EditTodo)],
        CommandLocal::Folder { path } if path.is_empty() => {
            let folder = app.facts.status.as_ref().map(|status| status.folder.clone()).unwrap_or_default();
            note(app, Level::Info, Phrase::new("tui.cwd").with("folder", folder));
            Vec::new()
        }
        CommandLocal::Folder { path } => vec![ScreenEffect::Host(HostRequest::Folder(path))],
    }
}

fn choose_word(app: &mut App, name: &str, words: Vec<String>) -> Vec<ScreenEffect> {
    let status = app.facts.status.as_ref();
    let now = match name {
        "mode" => status.map(|status| match status.mode {
            Mode::Plan => "plan".to_owned(),
            Mode::Build => format!("{:?}", status.posture).to_lowercase(),
        }),
        "agent" => status.map(|status| match (status.mode, status.agent.as_str()) {
            (Mode::Plan, _) => "plan".to_owned(),
            (Mode::Build, "") => "build".to_owned(),
            (Mode::Build, agent) => agent.to_owned(),
        }),
        "effort" => status.and_then(|status| status.effort.clone()),
        _ => None,
    };
    let entry = |word: String| PickerEntry {
        value: Picked::Run(name.to_owned(), word.clone()),
        current: now.as_ref() == Some(&word),
        note: crate::help::meaning(&app.look, name, &word),
        text: word,
    };
    let title = Phrase::new("tui.list.words").with("command", name);
    let picker = Picker::short(Subject::Word, title, words.into_iter().map(entry).collect());
    app.overlays.push(Overlay::Picker(Box::new(picker)));
    Vec::new()
}

/// Begins or ends planning.
pub(crate) fn plan(app: &mut App, mode: Mode) -> Vec<ScreenEffect> {
    if let Some(status) = &mut app.facts.status {
        status.mode = mode;
    }
    app.send(Op::SetMode { mode })
}

pub(crate) fn show(app: &mut App, query: Query) -> Vec<ScreenEffect> {
    vec![app.ask(query, QueryPurpose::Show)]
}

/// A list that the engine fills.
fn open(app: &mut App, subject: Subject, title: Phrase, query: Query) -> Vec<ScreenEffect> {
    let remote = matches!(subject, Subject::Session | Subject::Tree);
    let mut picker = Picker::remote(subject, title);
    picker.narrows_itself(!remote);
    app.overlays.push(Overlay::Picker(Box::new(picker)));
    app.menu = None;
    vec![app.ask(query, QueryPurpose::Overlay)]
}

/// The limits that were named change, the others stay: these are asked for first.
fn budget(app: &mut App, words: String) -> Vec<ScreenEffect> {
    if Allowance::default().changed(&words).is_none() {
        note(app, Level::Warning, Phrase::new("tui.budget.which"));
        return Vec::new();
    }
    vec![app.ask(Query::Budget, QueryPurpose::Budget(words))]
}

fn confirm_clear(app: &mut App) -> Vec<ScreenEffect> {
    let entries = vec![app.entry(Picked::Nothing, "tui.clear.no"), app.entry(Picked::GiveUp, "tui.clear.yes")];
    app.overlays.push(Overlay::Picker(Box::new(Picker::short(
        Subject::Clear,
        Phrase::new("tui.clear.title"),
        entries,
    ))));
    Vec::new()
}

/// Which of chat and files goes back; what destroys the least is the first.
pub(crate) fn rewind_what(app: &mut App, turn: u32) -> Vec<ScreenEffect> {
    if let Some(last) = app.facts.status.as_ref().map(|status| status.turns).filter(|last| !(1..=*last).contains(&turn))
    {
        note(app, Level::Warning, Phrase::new("engine.turn_unknown").with("turn", turn).with("last", last));
        return Vec::new();
    }
    let entry = |what, code| app.entry(Picked::Send(Box::new(Op::Rewind { turn, what, summary: None })), code);
    let entries = vec![
        entry(Rewind::Chat, "tui.rewind.chat"),
        entry(Rewind::Files, "tui.rewind.files"),
        entry(Rewind::Both, "tui.rewind.both"),
    ];
    let title = Phrase::new("tui.rewind.title").with("turn", turn);
    app.overlays.push(Overlay::Picker(Box::new(Picker::short(Subject::RewindWhat, title, entries))));
    Vec::new()
}

fn queue(app: &mut App) -> Vec<ScreenEffect> {
    if app.queue.is_empty() {
        note(app, Level::Info, Phrase::new("tui.queue.empty"));
        return Vec::new();
    }
    let entry = |queued: &reasonix_proto::Queued| PickerEntry {
        value: Picked::Queued(queued.id),
        text: queued.text.clone(),
        note: app.look.word(act::waits_for(queued.kind)),
        current: false,
    };
    let entries = app.queue.iter().map(entry).collect();
    app.overlays.push(Overlay::Picker(Box::new(Picker::new(Subject::Queue, Phrase::new("tui.list.queue"), entries))));
    Vec::new()
}

/// The themes that can be had: the built-in ones and the user's own.
pub(crate) fn themes(app: &App) -> Vec<String> {
    let built_in = crate::theme::BUILT_IN.iter().map(|name| (*name).to_owned());
    std::iter::once("auto".to_owned()).chain(built_in).chain(app.own_themes.iter().cloned()).collect()
}

/// Puts on a theme, or shows which there are.
pub(crate) fn theme(app: &mut App, name: &str) -> Vec<ScreenEffect> {
    if name.is_empty() {
        let current = app.theme.as_deref().unwrap_or("auto");
        let entry = |name: String| PickerEntry {
            current: name == current,
            value: Picked::Theme(name.clone()),
            text: name,
            note: String::new(),
        };
        let entries = themes(app).into_iter().map(entry).collect();
        let picker = Picker::new(Subject::Theme, Phrase::new("tui.list.themes"), entries);
        app.overlays.push(Overlay::Picker(Box::new(picker)));
        return Vec::new();
    }
    let mut effects = put_on(app, name);
    // What is not known may not be there: it is tried, and said if it is not, but not written down.
    if themes(app).iter().any(|known| known == name) {
        effects.extend(crate::settings::change(app, "tui.theme", (name != "auto").then(|| name.to_owned())));
    }
    effects
}

/// Puts on a theme, for as long as this lasts.
pub(crate) fn put_on(app: &mut App, name: &str) -> Vec<ScreenEffect> {
    app.theme = (name != "auto").then(|| name.to_owned());
    vec![ScreenEffect::Theme(app.theme.clone())]
}

fn copy(app: &mut App) -> Vec<ScreenEffect> {
    match app.transcript.last_answer().map(str::to_owned) {
        Some(text) => {
            note(app, Level::Info, Phrase::new("tui.copied").with("count", text.chars().count()));
            vec![ScreenEffect::Copy(text)]
        }
        None => {
            note(app, Level::Warning, Phrase::new("tui.nothing_to_copy"));
            Vec::new()
        }
    }
}

/// The whole conversation, with everything unfolded.
pub(crate) fn open_transcript(app: &mut App) -> Vec<ScreenEffect> {
    let lines = app.transcript.everything(app.size.0, &app.look, app.now);
    app.overlays.push(Overlay::Pager(Box::new(Pager::new(Phrase::new("tui.transcript"), lines, true))));
    Vec::new()
}

/// What a rule says, in a word.
pub fn rule_word(effect: Rule) -> &'static str {
    match effect {
        Rule::Allow => "tui.rule.allow",
        Rule::Ask => "tui.rule.ask",
        Rule::Deny => "tui.rule.deny",
    }
}
