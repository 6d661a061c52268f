//! `[tui]`: the terminal front end.

use crate::view::View;

/// Settings of the terminal front end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tui {
    /// The theme; none to follow the terminal's background.
    pub theme: Option<String>,
    /// The pieces of the status line in order; all when empty.
    pub status: Vec<String>,
    /// How the user is told while they look elsewhere: `desktop`, `bell` or `off`; none for the first.
    pub notify: Option<String>,
    /// The whole screen instead of the terminal's own scrollback.
    pub full_screen: bool,
    /// Wheel and buttons in the whole screen.
    pub mouse: bool,
    /// Keys as in vi.
    pub vim: bool,
    /// Lines only, nothing that moves: for screen readers.
    pub screen_reader: bool,
}

/// Reads the section.
pub(crate) fn resolve(view: &View<'_>) -> Tui {
    Tui {
        theme: view.text("theme").filter(|name| name != "auto"),
        status: view.texts("status"),
        notify: view.text("notify"),
        full_screen: view.bool("full_screen").unwrap_or(false),
        mouse: view.bool("mouse").unwrap_or(false),
        vim: view.bool("vim").unwrap_or(false),
        screen_reader: view.bool("screen_reader").unwrap_or(false),
    }
}
