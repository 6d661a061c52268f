//! What a model asks of its session and of people, and what people say to it: the tools that carry state of the session,
//! questions, commands that are filled in, and what waits to be read. Reaches nothing outside.

pub mod commands;
pub mod invoke;
pub mod parts;
pub mod people;
mod proposing;
pub mod queue;
pub mod tools;
