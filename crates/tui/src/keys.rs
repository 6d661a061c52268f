//! Keys and what they are bound to.

mod bindings;
mod chord;

pub use bindings::{Bindings, KeyAction};
pub use chord::{Chord, Code, Mods};
