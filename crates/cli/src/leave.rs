//! Moving about in a session with notes on the branch that is left, for which its model is asked.

use crate::args::SessionArgs;
use crate::context::{Context, flags_of};
use crate::exit::Exit;
use crate::interrupts::{Interrupts, Manner};
use crate::pump::carry;
use crate::run::finish;
use crate::say;
use crate::view::{Plain, View};
use reasonix_engine::start;
use reasonix_proto::{Envelope, Event, Op};
use std::io;

/// Carries out a move; gives the text of a prompt that was taken back, for editing. The caller has looked that there is
/// such a place.
pub(crate) async fn leave(session: String, op: Op) -> anyhow::Result<(Exit, Option<String>)> {
    let mut interrupts = Interrupts::listen(Manner::Run)?;
    let session = SessionArgs { resume: Some(session), ..SessionArgs::default() };
    let context = Context::load_silently(None, flags_of(&session))?;
    let beginning = context.start(&session, false)?;
    crate::logging::begin(&beginning);
    let mut handle = start(beginning).map_err(|error| say::engine(&error))?;
    let mut view = Leaving { plain: Plain::new(None), text: None };
    let settled = carry(&mut handle, &mut view, &mut interrupts, op).await?;
    finish(handle, &mut view, &mut interrupts).await?;
    Ok((Exit::of_settled(settled.as_ref()), view.text))
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
