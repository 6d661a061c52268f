//! What an agent is made of: who it may be, what it begins with, who looks at its records, and the one place that builds one.
//! It runs nothing.

mod beginnings;
pub mod beside;
pub mod blueprint;
pub mod images;
pub mod known;
pub mod observers;
pub mod recall;
pub mod roster;
pub mod schema;
pub mod told;
