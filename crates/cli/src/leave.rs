//! Moving about in a session with notes on the branch that is left, for which its model is asked.

use crate::args::SessionArgs;
use crate::context::{Context, flags_of};
use crate::exit::Exit;
use crate::interrupts::{Interrupts, Manner};
use crate::pump::pump_until;
use crate::run::finish;
use crate::say;
use crate::view::{Plain, View};
use reasonix_engine::start;
use reasonix_proto::{Envelope, Event, Op, TurnEnd};
use std::io;

/// Carries out a move; gives the text of a prompt that was taken back, for editing. The caller has looked that there is
/// such a place.
pub(crate) async fn leave(session: String, op: Op) -> anyhow::Result<(Exit, Option<String>)> {
    let mut interrupts = Interrupts::listen(Manner::Run)?;
    let session = SessionArgs { resume: Some(session), ..SessionArgs::default() };
    let context = Context::load_silently(None, flags_of(&session))?;
    let mut handle = start(context.start(&session, false)?).map_err(|error| say::engine(&error))?;
    let mut view = Leaving { plain: Plain::new(None), text: None };
    handle.send(op);
    let end = pump_until(&mut handle, &mut view, &mut interrupts, left).await?;
    finish(handle, &mut view, &mut interrupts).await?;
    Ok((end.map_or(Exit::Failed, |end| Exit::of_turn(&end)), view.text))
}

/// How a move ends.
fn left(event: &Event) -> Option<TurnEnd> {
    match event {
        Event::Moved { .. } => Some(TurnEnd::Done),
        Event::Notice { phrase, .. } => match phrase.code.as_ref() {
            "engine.no_record" | "engine.log_unreadable" => Some(TurnEnd::Interrupted),
            _ => None,
        },
        _ => None,
    }
}

/// Shows what happens, and keeps what comes back for editing.
struct Leaving {
    plain: Plain,
    text: Option<String>,
}

impl View for Leaving {
    fn show(&mut self, envelope: &Envelope) -> io::Result<Option<Op>> {
        if let Event::Moved { text, .. } = &envelope.event {
            self.text.clone_from(text);
        }
        self.plain.show(envelope)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.plain.flush()
    }

    fn animates(&self) -> bool {
        self.plain.animates()
    }

    fn tick(&mut self) -> io::Result<()> {
        self.plain.tick()
    }

    fn close(&mut self) -> io::Result<()> {
        self.plain.close()
    }

    fn answer(&self) -> &str {
        self.plain.answer()
    }
}
