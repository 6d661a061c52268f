//! Every test of this room in one program: a program a file would be linked a file.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests fail by panicking, and say what they measure"
)]

mod acceptance;
mod agents;
mod anywhere;
mod approve;
mod arrows;
mod bad_input;
mod batch;
mod bench;
mod bodies;
mod bring;
mod children;
mod commands;
mod compact;
mod context;
mod descriptors;
mod doctor;
mod documents;
mod e2e;
mod goals;
mod history;
mod hooks;
mod import;
mod install;
mod kill;
mod lines;
mod logging;
mod mcp;
mod memory;
mod models;
mod modules;
mod money;
mod moving;
mod newcomer;
mod offline;
mod others;
mod plans;
mod plugins;
mod prefix;
mod probe;
mod promises;
mod readonly;
mod replay;
mod rules;
mod run;
#[cfg(target_os = "linux")]
mod sandbox;
mod scene;
mod scenes;
mod secrets;
mod security;
mod sessions;
mod skills;
mod staying;
mod storage;
mod support;
mod surfaces;
mod terminal;
mod trust;
mod two;
mod undo;
mod validation;
mod weight;
mod wire;
mod writers;
