//! The tests of this room, in one program.

mod agents;
mod hostile;
mod shelf;
