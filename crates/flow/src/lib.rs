//! Work that goes on by itself. What comes after a turn of a goal: pure, from the goal as the log has it, how the turn ended
//! and what the log proves; the engine owns the goal and acts. And many tasks one after the other, each with one result.

mod asked;
pub mod batch;
mod course;
mod cron;
mod judge;
mod said;
mod strategy;
mod words;

pub use course::{Course, GoalClaim, GoalHeld};
pub use cron::{CronError, CronFields, Schedule};
pub use judge::{ALIKE, TurnSeen, judge};
pub use said::{GoalSaid, said};
pub use strategy::{folder_name, is_long_work, looks_like_research};
pub use words::{aside, began, changed, goes_on, stands};
