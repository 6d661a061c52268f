//! What can be typed after `/`. Each command is an operation, a query or something of the front end's own; one whose
//! capability the engine does not have is not offered.

use crate::act;
use crate::app::{App, HostRequest, QueryPurpose, ScreenEffect};
use crate::overlays::{Overlay, Pager, Picked, Picker, PickerEntry, Subject};
use crate::update::note;
use reasonix_proto::{ArgumentKind, Effect as Rule, Level, Mode, Op, Phrase, Posture, Query, Rewind, TreeFilter};

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

/// Commands that a session may not have: without a session on disk, or without undo.
const NOT_ALWAYS: &[&str] = &["undo", "diff", "changes", "resume", "sessions", "fork", "clear", "handoff"];

/// What is said about a name that no command has.
fn unknown(app: &App, name: &str) -> Phrase {
    if NOT_ALWAYS.contains(&name) {
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

/// Runs a command.
pub(crate) fn run(app: &mut App, name: &str, arguments: &str) -> Vec<ScreenEffect> {
    let name = &*canonical(app, name);
    if !is_known(app, name) && app.commands.is_empty() {
        app.early = Some((name.to_owned(), arguments.to_owned()));
        return Vec::new();
    }
    if !is_known(app, name) {
        let phrase = unknown(app, name);
        note(app, Level::Warning, phrase);
        return Vec::new();
    }
    if arguments.is_empty()
        && let Some(words) = words_of(app, name)
    {
        return choose_word(app, name, words);
    }
    match name {
        "help" => crate::help::help(app),
        "keys" => crate::help::keys(app),
        "quit" => act::leave(app),
        "copy" => copy(app),
        "transcript" => open_transcript(app),
        "queue" => queue(app),
        "theme" => theme(app, arguments),
        _ => engine(app, name, arguments),
    }
}

/// The words that a command takes one of.
fn words_of(app: &App, name: &str) -> Option<Vec<String>> {
    let command = app.commands.iter().find(|command| command.name == name)?;
    match &command.arguments.first()?.kind {
        ArgumentKind::OneOf { words } => Some(words.clone()),
        _ => None,
    }
}

fn choose_word(app: &mut App, name: &str, words: Vec<String>) -> Vec<ScreenEffect> {
    let status = app.facts.status.as_ref();
    let now = match name {
        "mode" => status.map(|status| match status.mode {
            Mode::Plan => "plan".to_owned(),
            Mode::Build => format!("{:?}", status.posture).to_lowercase(),
        }),
        "effort" => status.and_then(|status| status.effort.clone()),
        _ => None,
    };
    let entry = |word: String| PickerEntry {
        value: Picked::Run(name.to_owned(), word.clone()),
        current: now.as_ref() == Some(&word),
        text: word,
        note: String::new(),
    };
    let title = Phrase::new("tui.list.words").with("command", name);
    let picker = Picker::short(Subject::Word, title, words.into_iter().map(entry).collect());
    app.overlays.push(Overlay::Picker(Box::new(picker)));
    Vec::new()
}

/// Commands that the engine takes part in.
fn engine(app: &mut App, name: &str, arguments: &str) -> Vec<ScreenEffect> {
    match (name, arguments) {
        ("new", _) => vec![ScreenEffect::Host(HostRequest::New)],
        ("fork", _) => fork(app),
        ("clear", _) => confirm_clear(app),
        ("resume", "") => open(
            app,
            Subject::Session,
            "tui.list.sessions",
            Query::Sessions { all: false, text: String::new(), from: 0, count: 100 },
        ),
        ("resume", id) => vec![ScreenEffect::Host(HostRequest::Resume(id.to_owned()))],
        ("model", "") => open(app, Subject::Model, "tui.list.models", Query::Models),
        ("model", model) => app.send(Op::SetModel { model: Some(model.to_owned()), effort: None }),
        ("effort", effort) if !effort.is_empty() => {
            app.send(Op::SetModel { model: None, effort: Some(effort.to_owned()) })
        }
        ("tree", words) => open(
            app,
            Subject::Tree,
            "tui.list.tree",
            Query::Tree { filter: TreeFilter::Default, text: words.to_owned() },
        ),
        ("rewind", "") => open(
            app,
            Subject::Rewind,
            "tui.list.rewind",
            Query::Tree { filter: TreeFilter::UserOnly, text: String::new() },
        ),
        // What is no turn is chosen from the list of them.
        ("rewind", turn) => match turn.parse() {
            Ok(turn) => rewind_what(app, turn),
            Err(_) => engine(app, "rewind", ""),
        },
        ("branch", "") => open(
            app,
            Subject::Tree,
            "tui.list.branch",
            Query::Tree { filter: TreeFilter::UserOnly, text: String::new() },
        ),
        ("branch", turn) => match turn.parse() {
            Ok(turn) => app.send(Op::Rewind { turn, what: Rewind::Chat, summary: None }),
            Err(_) => Vec::new(),
        },
        ("mode" | "posture", "plan") => plan(app, Mode::Plan),
        ("mode" | "posture", word) => posture(app, word),
        ("plan", "") => {
            let plans = app.facts.status.as_ref().is_some_and(|status| status.mode == Mode::Plan);
            plan(app, if plans { Mode::Build } else { Mode::Plan })
        }
        ("plan", "off") => plan(app, Mode::Build),
        ("plan", task) => {
            let mut effects = plan(app, Mode::Plan);
            app.work.begin(app.now);
            effects.extend(app.send(Op::Prompt { text: task.to_owned(), resolved: false }));
            effects
        }
        ("diff", "") => show(app, Query::Changes { turn: None }),
        ("diff", turn) => diff(app, turn),
        ("pro", word) => app.send(Op::Escalate { on: word != "off" }),
        ("retry", _) => app.send(Op::Retry),
        ("compact", instructions) => app.send(Op::Compact { instructions: instructions.to_owned() }),
        ("rename" | "title", title) => app.send(Op::Rename { title: title.to_owned() }),
        ("permissions", _) => open(app, Subject::Rule, "tui.list.rules", Query::Permissions),
        _ => looks(app, name, arguments),
    }
}

/// Commands that show something, and those that lead out of the session.
fn looks(app: &mut App, name: &str, arguments: &str) -> Vec<ScreenEffect> {
    match (name, arguments) {
        ("status" | "cost", _) => show(app, Query::Status),
        ("stats", _) => show(app, Query::Stats),
        ("budget", "") => show(app, Query::Budget),
        ("budget", words) => budget(app, words),
        ("todo", _) => show(app, Query::Todo),
        ("context", _) => show(app, Query::Context),
        ("cache", _) => show(app, Query::Cache),
        ("config", _) => crate::settings::open(app),
        ("history", "") => {
            note(app, Level::Info, Phrase::new("tui.history.which"));
            Vec::new()
        }
        ("history", words) => history(app, words),
        ("memory", _) => open(app, Subject::Memory, "tui.list.memories", Query::Memories),
        ("handoff", focus) => app.send(Op::Handoff { focus: focus.to_owned() }),
        ("undo", _) => vec![app.ask(Query::Changes { turn: None }, QueryPurpose::Undo)],
        ("trust", _) => vec![app.ask(Query::Trust, QueryPurpose::TrustShown)],
        ("export", path) => app.send(Op::Export { path: path.to_owned() }),
        ("cwd", "") => {
            let folder = app.facts.status.as_ref().map(|status| status.folder.clone()).unwrap_or_default();
            note(app, Level::Info, Phrase::new("tui.cwd").with("folder", folder));
            Vec::new()
        }
        ("cwd", folder) => vec![ScreenEffect::Host(HostRequest::Folder(folder.to_owned()))],
        ("doctor", _) => vec![ScreenEffect::Host(HostRequest::Doctor)],
        _ => template(app, name, arguments),
    }
}

/// Begins or ends planning.
pub(crate) fn plan(app: &mut App, mode: Mode) -> Vec<ScreenEffect> {
    if let Some(status) = &mut app.facts.status {
        status.mode = mode;
    }
    app.send(Op::SetMode { mode })
}

/// What one turn did to files.
fn diff(app: &mut App, turn: &str) -> Vec<ScreenEffect> {
    match turn.parse() {
        Ok(turn) => show(app, Query::Changes { turn: Some(turn) }),
        Err(_) => {
            note(app, Level::Warning, Phrase::new("tui.which_turn").with("word", turn));
            Vec::new()
        }
    }
}

/// A command that is a prompt: the engine fills it in.
fn template(app: &mut App, name: &str, arguments: &str) -> Vec<ScreenEffect> {
    app.work.begin(app.now);
    app.send(Op::Prompt { text: format!("/{name} {arguments}").trim_end().to_owned(), resolved: false })
}

/// A copy of this session takes its place.
fn fork(app: &App) -> Vec<ScreenEffect> {
    let session = app.facts.status.as_ref().map(|status| status.session.to_string());
    session.map(|session| ScreenEffect::Host(HostRequest::Fork(session))).into_iter().collect()
}

pub(crate) fn show(app: &mut App, query: Query) -> Vec<ScreenEffect> {
    vec![app.ask(query, QueryPurpose::Show)]
}

fn open(app: &mut App, subject: Subject, title: &'static str, query: Query) -> Vec<ScreenEffect> {
    let remote = matches!(subject, Subject::Session | Subject::Tree);
    let mut picker = Picker::remote(subject, Phrase::new(title));
    picker.narrows_itself(!remote);
    app.overlays.push(Overlay::Picker(Box::new(picker)));
    app.menu = None;
    vec![app.ask(query, QueryPurpose::Overlay)]
}

fn posture(app: &mut App, word: &str) -> Vec<ScreenEffect> {
    let posture = match word {
        "ask" => Posture::Ask,
        "auto" => Posture::Auto,
        "yolo" => Posture::Yolo,
        _ => {
            note(app, Level::Warning, Phrase::new("tui.posture.which"));
            return Vec::new();
        }
    };
    let mut effects = plan_ends(app);
    effects.extend(app.send(Op::SetPosture { posture }));
    effects
}

/// Whoever chooses how much is asked does not plan any more.
pub(crate) fn plan_ends(app: &mut App) -> Vec<ScreenEffect> {
    let plans = app.facts.status.as_ref().is_some_and(|status| status.mode == Mode::Plan);
    if plans { plan(app, Mode::Build) } else { Vec::new() }
}

/// `/budget cost 2.50`, `/budget tokens 500k`, `/budget time 30m`: that limit alone; `/budget off`: none at all. The others
/// are asked for first.
fn budget(app: &mut App, words: &str) -> Vec<ScreenEffect> {
    match crate::money::allowance(words, reasonix_proto::Allowance::default()) {
        Some(_) => vec![app.ask(Query::Budget, QueryPurpose::Budget(words.to_owned()))],
        None => {
            note(app, Level::Warning, Phrase::new("tui.budget.which"));
            Vec::new()
        }
    }
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

/// What was said in earlier sessions with these words.
fn history(app: &mut App, words: &str) -> Vec<ScreenEffect> {
    let title = Phrase::new("tui.list.hits").with("words", words);
    let mut picker = Picker::remote(Subject::Hit, title);
    picker.narrows_itself(true);
    app.overlays.push(Overlay::Picker(Box::new(picker)));
    app.menu = None;
    vec![app.ask(Query::History { text: words.to_owned(), all: false, count: 50 }, QueryPurpose::Overlay)]
}

/// Which of chat and files goes back; what destroys the least is the first.
pub(crate) fn rewind_what(app: &mut App, turn: u32) -> Vec<ScreenEffect> {
    let entry = |what, code| app.entry(Picked::Send(Op::Rewind { turn, what, summary: None }), code);
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
pub(crate) fn rule_word(effect: Rule) -> &'static str {
    match effect {
        Rule::Allow => "tui.rule.allow",
        Rule::Ask => "tui.rule.ask",
        Rule::Deny => "tui.rule.deny",
    }
}
