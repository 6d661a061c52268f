//! The append-only session log on disk: journal, tree, resume, fork, list, search, export, import and artifacts.
//! The log is the truth: what is not in it did not happen; everything else here is a projection of it.

mod artifacts;
mod cache;
mod crumbs;
mod diff;
mod error;
mod export;
mod fold;
mod header;
mod import;
mod journal;
mod ledger;
mod line;
mod list;
mod load;
mod log;
mod marks;
mod memory;
mod mend;
mod past;
mod redact;
mod search;
mod sessions;
mod shape;
mod states;
mod stats;
mod tree;

pub use artifacts::{MemoryArtifacts, SessionArtifacts};
pub use cache::cache_report;
pub use diff::{Comparison, Pair, PairKind, Parting, Side, compare};
pub use error::{SessionError, clock};
pub use export::{Format, export};
pub use fold::{History, history};
pub use import::{Foreign, foreign};
pub use ledger::{Books, Entry, Ledger};
pub use list::{Ending, Summary};
pub use load::Damage;
pub use marks::Marks;
pub use memory::{Kept, Memories, Memory, MemoryError, Named, Provenance, Reach, Recalled};
pub use past::{Page, Past, typed};
pub use search::{Coverage, Found, Hit, IndexError, Line, Search, Speaker, Wanted, Window};
pub use sessions::{Opened, Seen, Sessions, in_memory};
pub use states::States;
pub use stats::{By, Span, now, tallies, tally};
