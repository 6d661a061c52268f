//! The terminal: what it sends, what is drawn on it, and how it is left. The only module that knows escape sequences.

mod full;
mod inline;
mod input;
mod paint;
mod reader;
mod row;
mod terminal;

pub use full::Full;
pub use inline::Inline;
pub use input::{Input, Key, Parser};
pub use reader::{Batch, Reader};
pub use terminal::{Modes, Terminal, restore};
