//! The append-only session log on disk: journal, resume and list.
