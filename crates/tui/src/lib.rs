//! The terminal front end. What happens is a [`Msg`](app::Msg), what is to be done an effect; `update` is pure, and only
//! `io` and `frame` touch the terminal and the disk. Knows `proto` and `words` alone: the engine is at the other end of a
//! channel.

pub mod cells;
pub mod look;
pub mod text;
pub mod theme;
pub mod transcript;

pub use look::{Colours, Look};
pub use transcript::Transcript;
