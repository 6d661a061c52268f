//! Text as a terminal sees it: widths, wrapping, and nothing that could be an escape sequence.

mod neutral;
mod width;
mod wrap;

pub use neutral::neutral;
pub use width::{columns, cut};
pub use wrap::wrap;
