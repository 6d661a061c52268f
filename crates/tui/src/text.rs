//! Text as a terminal sees it: widths, wrapping, Markdown, code and diffs, and nothing that could be an escape sequence.

mod diff;
pub mod highlight;
pub mod markdown;
mod neutral;
mod rich;
mod width;
mod wrap;

pub use diff::{diff, without_mark};
pub use neutral::{neutral, output};
pub(crate) use rich::Rich;
pub use width::{columns, cut, expand_tabs, grapheme_columns, shorten};
pub(crate) use wrap::{Wrapped, wrap_hard};
pub use wrap::{wrap, wrap_hanging};
