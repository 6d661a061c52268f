//! The stateless built-in tools: files, search and shell.
