//! The tests of this room, in one program.

mod agents;
mod bundles;
mod hostile;
mod shelf;
