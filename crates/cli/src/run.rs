//! `reasonix run`: one prompt to its end, with nobody to ask.

use crate::args::{HandoffArgs, RunArgs};
use crate::context::{Context, flags_of};
use crate::exit::Exit;
use crate::goal::{pursue, told_exit};
use crate::interrupts::{Interrupts, Manner};
use crate::logging;
use crate::pump::{carry, carry_turn, pump};
use crate::say;
use crate::schema::OutputSchema;
use crate::stdin;
use crate::view::{Json, Plain, Quiet, View, Watch};
use reasonix_engine::{Handle, Start, resolve_refs};
use reasonix_extensions::Bundle;
use reasonix_proto::{CommandInfo, Level, Op, Phrase, Query, Reply, TurnEnd, builtin_commands, escaped_json};

/// Commands and skills that are named to whoever asked for another one.
const MOST_NAMED: usize = 12;

/// How often an answer that does not fit its schema is sent back.
const CORRECTIONS: u32 = 2;

pub(crate) async fn run(args: RunArgs) -> anyhow::Result<Exit> {
    let schema = args.output.output_schema.as_deref().map(OutputSchema::read).transpose()?;
    let resumes = args.goal.goal && args.prompt.is_empty() && (args.session.continues || args.session.resume.is_some());
    let only_folds = args.session.compact.is_some() && args.prompt.is_empty() && !resumes;
    let typed = if only_folds || resumes { String::new() } else { stdin::prompt(&args.prompt).await? };
    // Before this an interrupt simply ends the process: there is nothing to keep yet.
    let mut interrupts = Interrupts::listen(Manner::Run)?;
    let context = Context::load(args.session.dir.as_deref(), flags_of(&args.session))?;
    if schema.is_some() && typed.trim_start().starts_with('/') {
        return Err(say::usage(Phrase::new("cli.schema_with_command")));
    }
    let host = context.host_with(&args.session, (false, None), args.output.approve.clone())?;
    logging::begin(host.base());
    let (text, resolved) = if args.goal.goal { (typed, false) } else { referred(host.base(), typed) };
    let prompt = match &schema {
        Some(schema) => format!("{text}\n\n{}", schema.request()),
        None => text,
    };
    let mut handle = host.open_first().map_err(|error| say::engine(&error))?;
    let mut view = Watch::over(view_of(&args));
    if let Some(phrase) = no_command(&handle, &prompt).await {
        finish(handle, &mut view, &mut interrupts).await?;
        return Err(say::usage(phrase));
    }
    if let Some(instructions) = &args.session.compact {
        let op = Op::Compact { instructions: instructions.clone() };
        let settled = carry(&mut handle, &mut view, &mut interrupts, op).await?;
        if only_folds {
            finish(handle, &mut view, &mut interrupts).await?;
            return Ok(Exit::of_settled(settled.as_ref()));
        }
    }
    if args.goal.goal {
        let settled = pursue((&mut handle, &mut view, &mut interrupts), args.goal, prompt, resumes).await?;
        finish(handle, &mut view, &mut interrupts).await?;
        print_answer(&args, None, view.answer())?;
        return Ok(told_exit(settled.as_ref(), args.output.json));
    }
    let op = match &schema {
        Some(schema) => schema.prompt(prompt, resolved, false),
        None => Op::Prompt { text: prompt, resolved },
    };
    let mut end = turn(&mut handle, &mut view, &mut interrupts, op).await?;
    let mut misfit = None;
    if let Some(schema) = &schema {
        (end, misfit) = fit(schema, end, &mut handle, &mut view, &mut interrupts).await?;
    }
    finish(handle, &mut view, &mut interrupts).await?;
    if let Some(reason) = misfit {
        return Err(say::failed(Phrase::new("cli.schema_mismatch").with("reason", reason)));
    }
    print_answer(&args, schema.as_ref(), view.answer())?;
    tell_end(&end, &args);
    Ok(match end {
        TurnEnd::Done if view.unfinished() => Exit::Unfinished,
        end => Exit::of_turn(&end),
    })
}

/// What to say of a prompt that names a command or a skill which there is not; a path is none.
async fn no_command(handle: &Handle, typed: &str) -> Option<Phrase> {
    let name = typed.trim_start().strip_prefix('/')?.split_whitespace().next()?;
    let odd = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | ':');
    if name.contains(odd) || std::path::Path::new("/").join(name).exists() {
        return None;
    }
    let Reply::Commands { commands } = handle.query(Query::Commands).await else { return None };
    // What the table of the chat has is nothing that could be sent.
    let own = |command: &&CommandInfo| !builtin_commands().iter().any(|known| known.name == command.name);
    let named: Vec<&CommandInfo> = commands.iter().filter(own).collect();
    // Skills are called in any case.
    if named.iter().any(|command| command.is(&name.to_ascii_lowercase()) || command.is(name)) {
        return None;
    }
    let known =
        named.iter().take(MOST_NAMED).map(|command| format!("/{}", command.name)).collect::<Vec<_>>().join(", ");
    Some(Phrase::new("cli.run_no_command").with("command", name).with("known", known))
}

/// What was typed with what it refers to, where that is settled here. Pictures and
/// resources of servers go another way than text, and what a command or a skill becomes is not known yet: the session puts them in.
fn referred(start: &Start, typed: String) -> (String, bool) {
    if typed.trim_start().starts_with('/') || names_server(start, &typed) {
        return (typed, false);
    }
    let found = resolve_refs(&start.workspace, &start.denied(false), &typed);
    for phrase in &found.notices {
        say::notice(Level::Warning, phrase);
    }
    if found.images.is_empty() { (found.text, true) } else { (typed, false) }
}

/// True where a resource of a server may be meant: only the session can fetch it.
fn names_server(start: &Start, typed: &str) -> bool {
    let settings = &start.world.settings;
    let own = settings.plugins.iter().map(|plugin| plugin.name.as_str());
    let brought = settings.trust.plugins().iter().map(|plugin| plugin.surface().name.as_str());
    let carries = |bundle: &Bundle| {
        let named = |name: &String| typed.contains(&format!("@plugin_{}_{name}:", bundle.name));
        bundle.servers.keys().any(named)
    };
    start.world.bundles().bundles.iter().any(carries)
        || own.chain(brought).any(|name| typed.contains(&format!("@{name}:")))
}

/// `reasonix handoff`: a new session with notes on an earlier one.
pub(crate) async fn hand_over(args: HandoffArgs) -> anyhow::Result<Exit> {
    let mut interrupts = Interrupts::listen(Manner::Run)?;
    let mut session = args.session;
    session.continues = session.resume.is_none();
    let context = Context::load(session.dir.as_deref(), flags_of(&session))?;
    let host = context.host(&session, false)?;
    logging::begin(host.base());
    let mut handle = host.open_first().map_err(|error| say::engine(&error))?;
    let mut view = Plain::new(None);
    let op = Op::Handoff { focus: args.focus.join(" ") };
    let settled = carry(&mut handle, &mut view, &mut interrupts, op).await?;
    finish(handle, &mut view, &mut interrupts).await?;
    Ok(Exit::of_settled(settled.as_ref()))
}

/// The answer, where the view did not show it already.
fn print_answer(args: &RunArgs, schema: Option<&OutputSchema>, answer: &str) -> anyhow::Result<()> {
    match schema {
        _ if args.output.json => Ok(()),
        Some(schema) => match schema.check(answer) {
            Ok(value) => Ok(say::line(&escaped_json(&serde_json::to_string_pretty(&value)?))?),
            Err(_) => Ok(()),
        },
        None if args.output.quiet && !answer.trim().is_empty() => Ok(say::line(&say::clean(answer.trim_end()))?),
        None => Ok(()),
    }
}

fn view_of(args: &RunArgs) -> Box<dyn View> {
    if args.output.json {
        Box::new(Json::default())
    } else if args.output.quiet || args.output.output_schema.is_some() {
        Box::new(Quiet::default())
    } else {
        Box::new(Plain::new(None))
    }
}

async fn turn(
    handle: &mut Handle,
    view: &mut dyn View,
    interrupts: &mut Interrupts,
    op: Op,
) -> anyhow::Result<TurnEnd> {
    let end = carry_turn(handle, view, interrupts, op).await?;
    view.close()?;
    Ok(end.unwrap_or(TurnEnd::Interrupted))
}

/// Checks the answer against its schema; what does not fit goes back to the model with the reasons. Gives how the
/// last turn ended, and what is still wrong with its answer.
async fn fit(
    schema: &OutputSchema,
    mut end: TurnEnd,
    handle: &mut Handle,
    view: &mut dyn View,
    interrupts: &mut Interrupts,
) -> anyhow::Result<(TurnEnd, Option<String>)> {
    for corrections in 0..=CORRECTIONS {
        let Err(wrong) = schema.check(view.answer()) else { break };
        if end != TurnEnd::Done {
            break;
        }
        if corrections == CORRECTIONS {
            return Ok((end, Some(wrong)));
        }
        let again = schema.prompt(OutputSchema::correction(&wrong), true, true);
        end = turn(handle, view, interrupts, again).await?;
    }
    Ok((end, None))
}

/// Says why it ended, where the answer does not say it.
fn tell_end(end: &TurnEnd, args: &RunArgs) {
    if args.output.json {
        return;
    }
    let (level, phrase) = match end {
        TurnEnd::Done | TurnEnd::Broken { .. } => return,
        TurnEnd::Interrupted if args.session.no_session => (Level::Warning, Phrase::new("cli.interrupted_unkept")),
        TurnEnd::Interrupted => (Level::Warning, Phrase::new("cli.interrupted")),
        TurnEnd::TimedOut => (Level::Warning, Phrase::new("cli.timed_out")),
        TurnEnd::StepLimit => (Level::Warning, Phrase::new("cli.step_limit")),
        TurnEnd::Refused { why, .. } | TurnEnd::OutOfBudget { why } => (Level::Warning, why.clone()),
        TurnEnd::ProviderFailed { why, .. } => (Level::Error, why.clone()),
    };
    say::notice(level, &phrase);
}

/// Ends the session and waits until it has written its last record.
pub(crate) async fn finish(mut handle: Handle, view: &mut dyn View, interrupts: &mut Interrupts) -> anyhow::Result<()> {
    handle.submit(Op::Shutdown);
    pump(&mut handle, view, interrupts, None).await?;
    Ok(())
}
