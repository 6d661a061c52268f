//! What people read. A [`Phrase`] is a code with arguments; this room has its text in every language we speak.
//! Both languages stand side by side in the catalogue, so that none can be forgotten.

mod catalogue;
mod help;
mod lang;
mod render;
mod retold;
mod settings;
mod spacing;

pub use help::help_in_chinese;
pub use lang::Lang;
pub use render::{hint, named, origin_told, render};
pub use retold::{outcome_told, retold, step_told, subject_told};
pub use settings::setting_in_chinese;

use reasonix_proto::Phrase;

/// One text of the catalogue: its code, English and Chinese. `{name}` stands for an argument.
pub(crate) type Entry = (&'static str, &'static str, &'static str);

/// True when the catalogue has a text for this phrase's code.
pub fn knows(phrase: &Phrase) -> bool {
    catalogue::find(&phrase.code).is_some()
}

/// All codes of the catalogue, in no order; for tests and documentation.
pub fn codes() -> impl Iterator<Item = &'static str> {
    catalogue::entries().map(|(code, _, _)| *code)
}
