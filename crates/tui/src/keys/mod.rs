//! Keys and what they are bound to.

mod bindings;
mod chord;

pub use bindings::{Action, Bindings};
pub use chord::{Chord, Code, Mods};
