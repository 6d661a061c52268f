//! `reasonix run`: one prompt to its end, with nobody to ask.

use crate::args::RunArgs;
use crate::context::{Context, flags_of};
use crate::exit::Exit;
use crate::pump::{Interrupts, pump};
use crate::say;
use crate::schema::OutputSchema;
use crate::stdin;
use crate::view::{Json, Plain, Quiet, View};
use reasonix_engine::{Handle, resolve_refs, start};
use reasonix_proto::{Level, Op, Phrase, TurnEnd};

/// How often an answer that does not fit its schema is sent back.
const CORRECTIONS: u32 = 2;

pub(crate) async fn run(args: RunArgs) -> anyhow::Result<Exit> {
    let mut interrupts = Interrupts::listen()?;
    let schema = args.output_schema.as_deref().map(OutputSchema::read).transpose()?;
    let typed = stdin::prompt(&args.prompt).await?;
    let context = Context::load(args.session.dir.as_deref(), flags_of(&args.session))?;
    let beginning = context.start(&args.session, false)?;
    let resolved = resolve_refs(&beginning.workspace, &typed);
    for phrase in &resolved.notices {
        say::notice(Level::Warning, phrase);
    }
    let prompt = match &schema {
        Some(schema) => format!("{}\n\n{}", resolved.text, schema.request()),
        None => resolved.text,
    };
    let mut handle = start(beginning).map_err(|error| say::engine(&error))?;
    let mut view = view_of(&args);
    let end = turn(&mut handle, view.as_mut(), &mut interrupts, prompt).await?;
    let exit = match (schema, &end) {
        (Some(schema), TurnEnd::Done) => fit(&schema, &mut handle, view.as_mut(), &mut interrupts, args.json).await?,
        _ => {
            if args.quiet {
                say::line(say::clean(view.answer().trim_end()).as_str())?;
            }
            Exit::of_turn(&end)
        }
    };
    tell_end(&end, &args);
    finish(handle, view.as_mut(), &mut interrupts).await?;
    Ok(exit)
}

fn view_of(args: &RunArgs) -> Box<dyn View> {
    if args.json {
        Box::new(Json::default())
    } else if args.quiet || args.output_schema.is_some() {
        Box::new(Quiet::default())
    } else {
        Box::new(Plain::new(None))
    }
}

async fn turn(
    handle: &mut Handle,
    view: &mut dyn View,
    interrupts: &mut Interrupts,
    prompt: String,
) -> anyhow::Result<TurnEnd> {
    handle.send(Op::Prompt { text: prompt });
    let end = pump(handle, view, interrupts).await?;
    view.close()?;
    Ok(end.unwrap_or(TurnEnd::Interrupted))
}

/// Checks the answer against its schema; what does not fit goes back to the model with the reasons.
async fn fit(
    schema: &OutputSchema,
    handle: &mut Handle,
    view: &mut dyn View,
    interrupts: &mut Interrupts,
    json: bool,
) -> anyhow::Result<Exit> {
    let mut corrections = 0;
    loop {
        let wrong = match schema.check(view.answer()) {
            Ok(value) => {
                if !json {
                    say::line(&serde_json::to_string_pretty(&value)?)?;
                }
                return Ok(Exit::Done);
            }
            Err(wrong) => wrong,
        };
        if corrections == CORRECTIONS {
            return Err(say::failed(Phrase::new("cli.schema_mismatch").with("reason", wrong)));
        }
        corrections += 1;
        let end = turn(handle, view, interrupts, OutputSchema::correction(&wrong)).await?;
        if end != TurnEnd::Done {
            return Ok(Exit::of_turn(&end));
        }
    }
}

/// Says why it ended, where the answer does not say it.
fn tell_end(end: &TurnEnd, args: &RunArgs) {
    if args.json {
        return;
    }
    let (level, phrase) = match end {
        TurnEnd::Done | TurnEnd::Broken { .. } => return,
        TurnEnd::Interrupted => (Level::Warning, Phrase::new("cli.interrupted")),
        TurnEnd::TimedOut => (Level::Warning, Phrase::new("cli.timed_out")),
        TurnEnd::StepLimit => (Level::Warning, Phrase::new("cli.step_limit")),
        TurnEnd::Refused { why } => (Level::Warning, why.clone()),
        TurnEnd::ProviderFailed { why } => (Level::Error, why.clone()),
    };
    say::notice(level, &phrase);
}

/// Ends the session and waits until it has written its last record.
pub(crate) async fn finish(mut handle: Handle, view: &mut dyn View, interrupts: &mut Interrupts) -> anyhow::Result<()> {
    handle.send(Op::Shutdown);
    pump(&mut handle, view, interrupts).await?;
    Ok(())
}
