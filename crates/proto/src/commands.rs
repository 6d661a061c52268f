//! The table of the built-in `/` commands: what each is called, what it takes, and what it does. Which of them a session has
//! is the engine's word.

use crate::command::CommandWords::{Any, Begins, None as Bare, Some as Words, Turn, Word};
use crate::command::{
    Argument, ArgumentKind, CommandAction, CommandCase, CommandInfo, CommandLocal, CommandNeed, CommandOverlay,
    CommandSource, CommandWords,
};
use crate::op::{Op, Open, Posture, Rewind};
use crate::phrase::Phrase;
use crate::plan::Mode;
use crate::query::Query;

/// A row of the menu: name, other names, what it does for people, its arguments, what a session has to have for it, and what
/// it does.
type Row =
    (&'static str, &'static [&'static str], Phrase, &'static [Taken], Option<CommandNeed>, fn() -> Vec<CommandCase>);

/// An argument: its word, its kind, and whether it may be left out.
type Taken = (Phrase, Kind, bool);

#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    Words(&'static [&'static str]),
    Model,
    Session,
    Turn,
    Path,
}

/// Words for how hard a model thinks, as endpoints take them.
pub const EFFORTS: &[&str] = &["off", "minimal", "low", "medium", "high", "xhigh"];

/// The agents that are always there; a session adds its own.
const AGENTS: &[&str] = &["build", "plan", "general", "explore"];

const SESSION: &[Taken] = &[(Phrase::new("command.arg_session"), Kind::Session, true)];
const TURN: &[Taken] = &[(Phrase::new("command.arg_turn"), Kind::Turn, true)];
const FOCUS: &[Taken] = &[(Phrase::new("command.arg_focus"), Kind::Text, true)];
const TITLE: &[Taken] = &[(Phrase::new("command.arg_title"), Kind::Text, true)];
const MODEL: &[Taken] = &[(Phrase::new("command.arg_model"), Kind::Model, true)];
const ON: &[Taken] = &[(Phrase::new("command.arg_on"), Kind::Words(&["on", "off"]), true)];
const EFFORT: &[Taken] = &[(Phrase::new("command.arg_effort"), Kind::Words(EFFORTS), true)];
const MODE: &[Taken] = &[(Phrase::new("command.arg_mode"), Kind::Words(&["ask", "auto", "yolo", "plan"]), true)];
const AGENT: &[Taken] = &[(Phrase::new("command.arg_agent"), Kind::Words(AGENTS), true)];
const GOAL: &[Taken] = &[(Phrase::new("command.arg_goal"), Kind::Text, true)];
const TASK: &[Taken] = &[(Phrase::new("command.arg_task"), Kind::Text, true)];
const RELOAD: &[Taken] = &[(Phrase::new("command.arg_reload"), Kind::Words(&["reload"]), true)];
const SOUGHT: &[Taken] = &[(Phrase::new("command.arg_words"), Kind::Text, false)];
const FOLDED: &[Taken] = &[(Phrase::new("command.arg_instructions"), Kind::Text, true)];
const BUDGET: &[Taken] = &[(Phrase::new("command.arg_budget"), Kind::Text, true)];
const TODO: &[Taken] = &[(Phrase::new("command.arg_todo"), Kind::Text, true)];
const FILE: &[Taken] = &[(Phrase::new("command.arg_file"), Kind::Text, true)];
const JOB: &[Taken] = &[(Phrase::new("command.arg_job"), Kind::Text, true)];
const STEERED: &[Taken] =
    &[(Phrase::new("command.arg_child"), Kind::Text, true), (Phrase::new("command.arg_said"), Kind::Text, true)];
const FOLDER: &[Taken] = &[(Phrase::new("command.arg_folder"), Kind::Path, true)];

/// In the order of a menu.
const ROWS: &[Row] = &[
    ("help", &["?"], Phrase::new("command.help"), &[], None, || local(CommandLocal::Help)),
    ("new", &[], Phrase::new("command.new"), &[], None, || all(CommandAction::Open(Open::New))),
    ("clear", &[], Phrase::new("command.clear"), &[], Some(CommandNeed::Kept), || overlay(CommandOverlay::Clear)),
    ("resume", &["sessions"], Phrase::new("command.resume"), SESSION, Some(CommandNeed::Kept), resume),
    ("fork", &[], Phrase::new("command.fork"), &[], Some(CommandNeed::Kept), || {
        all(CommandAction::Open(Open::Fork { session: String::new(), at: None }))
    }),
    ("branch", &[], Phrase::new("command.branch"), TURN, None, branch),
    ("tree", &[], Phrase::new("command.tree"), &[], None, || overlay(CommandOverlay::Tree { text: String::new() })),
    ("rewind", &[], Phrase::new("command.rewind"), TURN, None, rewind),
    ("undo", &[], Phrase::new("command.undo"), &[], Some(CommandNeed::Undo), undo),
    ("redo", &[], Phrase::new("command.redo"), &[], Some(CommandNeed::Undo), || op(Op::Redo)),
    ("diff", &["changes"], Phrase::new("command.diff"), TURN, Some(CommandNeed::Undo), diff),
    ("retry", &[], Phrase::new("command.retry"), &[], None, || op(Op::Retry)),
    ("handoff", &[], Phrase::new("command.handoff"), FOCUS, Some(CommandNeed::Kept), || {
        op(Op::Handoff { focus: String::new() })
    }),
    ("rename", &["title"], Phrase::new("command.rename"), TITLE, None, || op(Op::Rename { title: String::new() })),
    ("model", &["models"], Phrase::new("command.model"), MODEL, None, model),
    ("pro", &[], Phrase::new("command.pro"), ON, None, pro),
    ("effort", &[], Phrase::new("command.effort"), EFFORT, None, effort),
    ("mode", &["posture"], Phrase::new("command.mode"), MODE, None, mode),
    ("plan", &[], Phrase::new("command.plan"), TASK, None, plan),
    ("goal", &[], Phrase::new("command.goal"), GOAL, None, goal),
    ("agent", &["agents"], Phrase::new("command.agent"), AGENT, None, agent),
    ("permissions", &[], Phrase::new("command.permissions"), &[], None, || overlay(CommandOverlay::Rules)),
    ("trust", &[], Phrase::new("command.trust"), &[], None, || overlay(CommandOverlay::Trust)),
    ("hooks", &[], Phrase::new("command.hooks"), RELOAD, None, hooks),
    ("history", &[], Phrase::new("command.history"), SOUGHT, None, history),
    ("memory", &["memories"], Phrase::new("command.memory"), &[], None, || overlay(CommandOverlay::Memories)),
    ("mcp", &["servers"], Phrase::new("command.mcp"), &[], None, || query(Query::Servers)),
    ("todo", &["todos"], Phrase::new("command.todo"), TODO, None, todo),
    ("jobs", &[], Phrase::new("command.jobs"), &[], None, || query(Query::Jobs)),
    ("kill", &[], Phrase::new("command.kill"), JOB, None, kill),
    ("subagents", &["tasks"], Phrase::new("command.subagents"), &[], None, || query(Query::Children)),
    ("steer", &[], Phrase::new("command.steer"), STEERED, None, steer),
    ("context", &[], Phrase::new("command.context"), &[], None, || query(Query::Context)),
    ("cache", &[], Phrase::new("command.cache"), &[], None, || query(Query::Cache)),
    ("compact", &[], Phrase::new("command.compact"), FOLDED, None, || op(Op::Compact { instructions: String::new() })),
    ("status", &["cost"], Phrase::new("command.status"), &[], None, || query(Query::Status)),
    ("budget", &[], Phrase::new("command.budget"), BUDGET, None, budget),
    ("stats", &[], Phrase::new("command.stats"), &[], None, || query(Query::Stats)),
    ("export", &[], Phrase::new("command.export"), FILE, None, || op(Op::Export { path: String::new() })),
    ("cwd", &["cd"], Phrase::new("command.cwd"), FOLDER, None, || local(CommandLocal::Folder { path: String::new() })),
    ("doctor", &[], Phrase::new("command.doctor"), &[], None, || local(CommandLocal::Doctor)),
    ("config", &["settings"], Phrase::new("command.config"), &[], None, || overlay(CommandOverlay::Settings)),
    ("quit", &["exit", "q"], Phrase::new("command.quit"), &[], None, || local(CommandLocal::Quit)),
];

fn resume() -> Vec<CommandCase> {
    let named = CommandAction::Open(Open::Resume { session: String::new() });
    vec![case(Bare, CommandAction::Overlay(CommandOverlay::Sessions)), case(Words, named)]
}

fn branch() -> Vec<CommandCase> {
    let back = Op::Rewind { turn: 0, what: Rewind::Chat, summary: None };
    vec![case(Turn, ops([back])), case(Any, CommandAction::Overlay(CommandOverlay::Branch))]
}

/// What is no turn is chosen from the list of them.
fn rewind() -> Vec<CommandCase> {
    let what = CommandAction::Overlay(CommandOverlay::RewindWhat { turn: 0 });
    vec![case(Turn, what), case(Any, CommandAction::Overlay(CommandOverlay::Rewind))]
}

/// It takes back the last turn: whoever names one means another command.
fn undo() -> Vec<CommandCase> {
    let other = CommandAction::Say(Phrase::new("tui.undo_takes_none"));
    vec![case(Bare, CommandAction::Overlay(CommandOverlay::Undo)), case(Words, other)]
}

fn diff() -> Vec<CommandCase> {
    let changes = CommandAction::Query(Query::Changes { turn: None });
    let unclear = CommandAction::Say(Phrase::new("tui.which_turn"));
    vec![case(Bare, changes.clone()), case(Turn, changes), case(Words, unclear)]
}

fn todo() -> Vec<CommandCase> {
    let edit = case(Word("edit".to_owned()), CommandAction::Local(CommandLocal::EditTodo));
    let change = ops([Op::ChangeTodo { text: String::new() }]);
    vec![case(Bare, CommandAction::Query(Query::Todo)), edit, case(Words, change)]
}

fn model() -> Vec<CommandCase> {
    let set = Op::SetModel { model: Some(String::new()), effort: None };
    vec![case(Bare, CommandAction::Overlay(CommandOverlay::Models)), case(Words, ops([set]))]
}

fn pro() -> Vec<CommandCase> {
    let off = case(Word("off".to_owned()), ops([Op::Escalate { on: false }]));
    vec![choose(), off, case(Words, ops([Op::Escalate { on: true }]))]
}

fn effort() -> Vec<CommandCase> {
    vec![choose(), case(Words, ops([Op::SetModel { model: None, effort: Some(String::new()) }]))]
}

/// Whoever chooses how much is asked does not plan any more.
fn mode() -> Vec<CommandCase> {
    let mut cases = vec![choose(), case(Word("plan".to_owned()), ops([Op::SetMode { mode: Mode::Plan }]))];
    for (word, posture) in [("ask", Posture::Ask), ("auto", Posture::Auto), ("yolo", Posture::Yolo)] {
        let (build, set) = (Op::SetMode { mode: Mode::Build }, Op::SetPosture { posture });
        cases.push(planning(case(Word(word.to_owned()), ops([build, set.clone()]))));
        cases.push(case(Word(word.to_owned()), ops([set])));
    }
    cases.push(case(Words, CommandAction::Say(Phrase::new("tui.posture.which"))));
    cases
}

fn plan() -> Vec<CommandCase> {
    let (on, off) = (Op::SetMode { mode: Mode::Plan }, Op::SetMode { mode: Mode::Build });
    let task = Op::Prompt { text: String::new(), resolved: false };
    vec![
        planning(case(Bare, ops([off.clone()]))),
        case(Bare, ops([on.clone()])),
        case(Word("off".to_owned()), ops([off])),
        case(Words, ops([on, task])),
    ]
}

fn goal() -> Vec<CommandCase> {
    let word = |word: &str, op| case(Word(word.to_owned()), ops([op]));
    let shown = || CommandAction::Query(Query::Goal);
    vec![
        case(Bare, shown()),
        case(Word("status".to_owned()), shown()),
        word("pause", Op::PauseGoal),
        word("resume", Op::ResumeGoal),
        word("clear", Op::ClearGoal),
        case(Begins("edit".to_owned()), ops([Op::EditGoal { objective: String::new() }])),
        case(Word("edit".to_owned()), CommandAction::Say(Phrase::new("flow.goal_edit_which"))),
        case(Words, ops([Op::SetGoal { objective: String::new(), strategy: None }])),
    ]
}

fn agent() -> Vec<CommandCase> {
    vec![choose(), case(Words, ops([Op::WorkAs { agent: String::new() }]))]
}

fn hooks() -> Vec<CommandCase> {
    let again = case(Word("reload".to_owned()), ops([Op::ReloadHooks]));
    vec![again, case(Any, CommandAction::Overlay(CommandOverlay::Hooks))]
}

/// Without a name, the jobs are shown to choose one from.
fn kill() -> Vec<CommandCase> {
    vec![case(Bare, CommandAction::Query(Query::Jobs)), case(Words, ops([Op::StopJob { job: String::new() }]))]
}

/// Without a name, the subagents are shown to choose one from.
fn steer() -> Vec<CommandCase> {
    let said = ops([Op::SteerChild { child: String::new(), text: String::new() }]);
    vec![case(Bare, CommandAction::Query(Query::Children)), case(Words, said)]
}

fn history() -> Vec<CommandCase> {
    let unclear = CommandAction::Say(Phrase::new("tui.history.which"));
    vec![case(Bare, unclear), case(Words, CommandAction::Overlay(CommandOverlay::History { text: String::new() }))]
}

fn budget() -> Vec<CommandCase> {
    let change = CommandAction::Overlay(CommandOverlay::Budget { words: String::new() });
    vec![case(Bare, CommandAction::Query(Query::Budget)), case(Words, change)]
}

fn case(words: CommandWords, action: CommandAction) -> CommandCase {
    CommandCase { words, planning: None, action }
}

/// Only in a session that plans.
fn planning(case: CommandCase) -> CommandCase {
    CommandCase { planning: Some(true), ..case }
}

/// Without a word, one is chosen.
fn choose() -> CommandCase {
    case(Bare, CommandAction::Overlay(CommandOverlay::Words))
}

fn all(action: CommandAction) -> Vec<CommandCase> {
    vec![case(Any, action)]
}

fn ops(ops: impl IntoIterator<Item = Op>) -> CommandAction {
    CommandAction::Operation(ops.into_iter().collect())
}

fn op(op: Op) -> Vec<CommandCase> {
    all(ops([op]))
}

fn query(query: Query) -> Vec<CommandCase> {
    all(CommandAction::Query(query))
}

fn overlay(overlay: CommandOverlay) -> Vec<CommandCase> {
    all(CommandAction::Overlay(overlay))
}

fn local(local: CommandLocal) -> Vec<CommandCase> {
    all(CommandAction::Local(local))
}

/// All built-in commands, in the order of a menu.
pub fn builtin_commands() -> Vec<CommandInfo> {
    ROWS.iter().map(info).collect()
}

fn info((name, aliases, about, arguments, needs, cases): &Row) -> CommandInfo {
    CommandInfo {
        name: (*name).to_owned(),
        aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        arguments: arguments.iter().map(argument).collect(),
        about: about.clone(),
        source: CommandSource::Builtin,
        needs: *needs,
        cases: cases(),
    }
}

fn argument((name, kind, optional): &Taken) -> Argument {
    let kind = match kind {
        Kind::Text => ArgumentKind::Text,
        Kind::Words(words) => ArgumentKind::OneOf { words: words.iter().map(|word| (*word).to_owned()).collect() },
        Kind::Model => ArgumentKind::Model,
        Kind::Session => ArgumentKind::Session,
        Kind::Turn => ArgumentKind::Turn,
        Kind::Path => ArgumentKind::Path,
    };
    Argument { name: name.clone(), kind, optional: *optional }
}

#[cfg(test)]
mod tests {
    use super::builtin_commands;
    use serde_json::{Value, json};
    use std::collections::BTreeSet;

    fn action(name: &str, words: &str, planning: bool) -> Value {
        let table = builtin_commands();
        let found = table.iter().find(|command| command.is(name)).and_then(|command| command.action(words, planning));
        serde_json::to_value(found).unwrap_or_default()
    }

    #[test]
    fn words_go_where_they_belong() {
        let mode = |mode: &str| json!({"op": "set_mode", "mode": mode});
        let posture = json!({"op": "set_posture", "posture": "auto"});
        for (name, words, planning, wanted) in [
            ("compact", "keep ports", false, json!({"operation": [{"op": "compact", "instructions": "keep ports"}]})),
            ("models", "p/m", false, json!({"operation": [{"op": "set_model", "model": "p/m"}]})),
            ("model", "", false, json!({"overlay": "models"})),
            ("effort", "low", false, json!({"operation": [{"op": "set_model", "effort": "low"}]})),
            ("pro", "off", false, json!({"operation": [{"op": "escalate", "on": false}]})),
            ("plan", "", false, json!({"operation": [mode("plan")]})),
            ("plan", "", true, json!({"operation": [mode("build")]})),
            ("plan", "add it", true, json!({"operation": [mode("plan"), {"op": "prompt", "text": "add it"}]})),
            ("mode", "auto", true, json!({"operation": [mode("build"), posture]})),
            ("mode", "auto", false, json!({"operation": [posture]})),
            ("mode", "x", false, json!({"say": {"code": "tui.posture.which", "args": [["word", "x"]]}})),
            ("diff", "3", false, json!({"query": {"query": "changes", "turn": 3}})),
            ("rewind", "2", false, json!({"overlay": {"rewind_what": {"turn": 2}}})),
            ("rewind", "x", false, json!({"overlay": "rewind"})),
            ("undo", "", false, json!({"overlay": "undo"})),
            ("undo", "1", false, json!({"say": {"code": "tui.undo_takes_none", "args": [["word", "1"]]}})),
            ("branch", "2", false, json!({"operation": [{"op": "rewind", "turn": 2, "what": "chat"}]})),
            ("resume", "4f", false, json!({"open": {"open": "resume", "session": "4f"}})),
            ("agent", "explore", true, json!({"operation": [{"op": "work_as", "agent": "explore"}]})),
            ("kill", "j1", false, json!({"operation": [{"op": "stop_job", "job": "j1"}]})),
            ("kill", "", false, json!({"query": {"query": "jobs"}})),
            ("hooks", "", false, json!({"overlay": "hooks"})),
            ("hooks", "reload", false, json!({"operation": [{"op": "reload_hooks"}]})),
            ("goal", "", false, json!({"query": {"query": "goal"}})),
            ("goal", "pause", false, json!({"operation": [{"op": "pause_goal"}]})),
            (
                "goal",
                "edit the docs too",
                false,
                json!({"operation": [{"op": "edit_goal", "objective": "the docs too"}]}),
            ),
            (
                "goal",
                "--research x y",
                false,
                json!({"operation": [{"op": "set_goal", "objective": "x y", "strategy": "research"}]}),
            ),
            ("goal", "pause the job", false, json!({"operation": [{"op": "set_goal", "objective": "pause the job"}]})),
            ("cd", "..", false, json!({"local": {"folder": {"path": ".."}}})),
        ] {
            assert_eq!(action(name, words, planning), wanted, "/{name} {words}");
        }
    }

    #[test]
    fn no_name_means_two_commands() {
        let table = builtin_commands();
        let names: Vec<&String> =
            table.iter().flat_map(|command| std::iter::once(&command.name).chain(&command.aliases)).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        assert!(table.iter().all(|command| !command.cases.is_empty()));
    }
}
