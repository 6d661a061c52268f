//! Rules that watch what a model writes: which texts they are about, how they are found while a text still comes, piece by
//! piece, and in which calls. What follows from a hit is decided elsewhere.

mod paths;
mod unescape;
mod watch;

pub use watch::{StreamHit, StreamRules, StreamSource, StreamWatch};
