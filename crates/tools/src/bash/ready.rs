//! What servers and watchers print when they are ready.

/// Words that say so wherever they stand in a line.
const SAYS: &[&str] = &[
    "listening on",
    "listening at",
    "listening for",
    "compiled successfully",
    "server running",
    "server is running",
    "server started",
    "running at http",
    "running on http",
    "available at http",
    "serving http",
    "serving at",
    "application startup complete",
    "watching for file changes",
    "waiting for file changes",
    "ready for connections",
    "ready to accept connections",
    "started server on",
    "development server at",
];

/// Whether a line says that whoever wrote it is ready.
pub(super) fn says_ready(line: &str) -> bool {
    let line = line.to_lowercase();
    if SAYS.iter().any(|says| line.contains(says)) {
        return true;
    }
    // `➜  Local:   http://localhost:5173/`
    let local = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    local.starts_with("local:") || ready_in(&line)
}

/// `ready in 312 ms`, `Ready in 1.2s`, `ready started server`.
fn ready_in(line: &str) -> bool {
    let Some((_, rest)) = line.split_once("ready in ") else { return false };
    let rest = rest.trim_start();
    let number: String = rest.chars().take_while(|c| c.is_ascii_digit() || matches!(c, '.' | ',')).collect();
    let unit = rest.get(number.len()..).unwrap_or_default().trim_start();
    !number.is_empty() && (unit.starts_with("ms") || unit.starts_with('s') || unit.starts_with("mins"))
}

#[cfg(test)]
mod tests {
    use super::says_ready;

    #[test]
    fn what_servers_print() {
        for line in [
            "  ➜  Local:   http://localhost:5173/",
            "- Local:        http://localhost:3000",
            "VITE v5.0.0  ready in 312 ms",
            "✓ Ready in 1.2s",
            "Listening on http://0.0.0.0:8000",
            "webpack 5.88 compiled successfully in 1200 ms",
            "INFO:     Application startup complete.",
            "Serving HTTP on 0.0.0.0 port 8000 (http://0.0.0.0:8000/) ...",
            "Starting development server at http://127.0.0.1:8000/",
            "database system is ready to accept connections",
        ] {
            assert!(says_ready(line), "{line}");
        }
        for line in ["", "ready in a moment", "locale: de", "compiling", "the local: variable x", "not listening"] {
            assert!(!says_ready(line), "{line}");
        }
    }
}
