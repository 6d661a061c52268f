//! Moving about in a session with notes on the branch that is left, for which its model is asked.

use crate::args::SessionArgs;
use crate::context::{Context, flags_of};
use crate::exit::Exit;
use crate::interrupts::{Interrupts, Manner};
use crate::pump::carry;
use crate::run::finish;
use crate::say;
use crate::view::Plain;
use reasonix_proto::Op;

/// Carries out a move. The caller has looked that there is such a place.
pub(crate) async fn leave(session: String, op: Op) -> anyhow::Result<Exit> {
    let mut interrupts = Interrupts::listen(Manner::Run)?;
    let session = SessionArgs { resume: Some(session), ..SessionArgs::default() };
    let host = Context::load_silently(None, flags_of(&session))?.host(&session, false)?;
    crate::logging::begin(host.base());
    let mut handle = host.open_first().map_err(|error| say::engine(&error))?;
    let mut view = Plain::new(None);
    let settled = carry(&mut handle, &mut view, &mut interrupts, op).await?;
    finish(handle, &mut view, &mut interrupts).await?;
    Ok(Exit::of_settled(settled.as_ref()))
}
