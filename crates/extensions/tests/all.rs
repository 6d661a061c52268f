//! The tests of this room, in one program.

mod hostile;
mod shelf;
