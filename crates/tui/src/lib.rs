//! The terminal front end. What happens is a [`Msg`], what is to be done an effect; `update` is pure, and only
//! `io` and `frame` touch the terminal and the disk. Knows `proto` and `words` alone: the engine is at the other end of a
//! channel.

mod act;
pub mod app;
pub mod cells;
pub mod children;
mod choices;
mod commands;
pub mod composer;
pub mod frame;
mod help;
mod io;
mod jobs;
pub mod keys;
pub mod look;
pub mod menu;
mod money;
mod note;
pub mod overlays;
mod replies;
mod run;
mod servers;
mod settings;
mod setup;
pub mod status;
pub mod text;
pub mod theme;
pub mod transcript;
pub mod update;
pub mod view;
pub mod work;

pub use app::Notify;
pub use app::{HostNews, HostRequest, Msg};
pub use commands::rule_word;
pub use help::meaning_of;
pub use look::{Colours, Look};
pub use run::{Asked, Clipboard, Editor, Post, ScreenEnd, ScreenOptions, Themes, channel, run};
pub use setup::{Answer, Offered, SetupStep};
pub use transcript::Transcript;
