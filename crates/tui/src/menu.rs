//! The list below the composer: commands after `/`, files after `@`.

use crate::Look;
use crate::overlays::PickerEntry;
use crate::overlays::entry_line;
use crate::text::{columns, cut};
use ratatui_core::text::Line;

/// How many entries are seen at once.
const ROWS: usize = 8;

/// What is completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MenuKind {
    /// A command's name.
    Command,
    /// An argument of a command.
    Argument,
    /// A reference to a file.
    Reference,
}

/// The list.
#[derive(Debug, Clone)]
pub struct Menu {
    /// What is completed.
    pub kind: MenuKind,
    /// The bytes of the text that an entry replaces.
    pub from: usize,
    /// Behind the last of them.
    pub to: usize,
    entries: Vec<PickerEntry<String>>,
    /// Which of them lead further, such as folders.
    descends: Vec<bool>,
    chosen: usize,
    scroll: usize,
}

impl Menu {
    /// A list of entries for a piece of the text.
    pub fn new(kind: MenuKind, from: usize, to: usize, entries: Vec<PickerEntry<String>>, descends: Vec<bool>) -> Self {
        Self { kind, from, to, entries, descends, chosen: 0, scroll: 0 }
    }

    /// True when there is nothing to choose.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The chosen entry, and whether it leads further.
    pub fn choice(&self) -> Option<(&PickerEntry<String>, bool)> {
        let descends = self.descends.get(self.chosen).copied().unwrap_or(false);
        self.entries.get(self.chosen).map(|entry| (entry, descends))
    }

    /// Whether the chosen entry is what was typed: it begins so, has it in it, or was gone to by keys.
    pub fn means(&self, typed: &str) -> bool {
        let typed = typed.to_lowercase();
        let fits = |value: &str| value.starts_with(&typed) || (typed.chars().count() > 1 && value.contains(&typed));
        self.chosen > 0 || self.choice().is_some_and(|(entry, _)| fits(&entry.value.to_lowercase()))
    }

    /// Goes up or down, around the ends.
    pub fn step(&mut self, down: bool) {
        let last = self.entries.len().saturating_sub(1);
        self.chosen = match (down, self.chosen) {
            (true, at) if at >= last => 0,
            (true, at) => at + 1,
            (false, 0) => last,
            (false, at) => at - 1,
        };
    }

    /// Keeps the choice of an earlier list where it is still there.
    pub fn keep(&mut self, earlier: &Menu) {
        if let Some((entry, _)) = earlier.choice()
            && let Some(at) = self.entries.iter().position(|other| other.value == entry.value)
            && earlier.chosen > 0
        {
            self.chosen = at;
        }
    }

    /// Its rows.
    pub fn view(&mut self, width: u16, most: usize, look: &Look) -> Vec<Line<'static>> {
        // The last row says that there is more, where there is room for it.
        let all = self.entries.len();
        let counts = all > ROWS.min(most) && most > 2;
        let room = if counts { ROWS.min(most - 1) } else { ROWS.min(most).max(1) };
        self.scroll = self.scroll.min(self.chosen).max((self.chosen + 1).saturating_sub(room));
        let shown = self.entries.iter().enumerate().skip(self.scroll).take(room);
        let aligned = self.kind == MenuKind::Command;
        let widest = self.entries.iter().map(|entry| columns(&entry.text)).max().unwrap_or(0);
        // What a command does is worth more than the names of its arguments.
        let column = widest.min(usize::from(width).saturating_sub(4) * 9 / 20);
        let line = |(at, entry): (usize, &PickerEntry<String>)| match aligned {
            true => entry_line(&in_column(entry, column), at == self.chosen, width, look),
            false => entry_line(entry, at == self.chosen, width, look),
        };
        let mut lines: Vec<Line<'static>> = shown.map(line).collect();
        if counts {
            let at = reasonix_proto::Phrase::new("tui.menu.place").with("at", self.chosen + 1).with("of", all);
            lines.push(Line::styled(format!("  {}", look.say(&at)), look.theme.dim));
        }
        lines
    }
}

/// An entry whose text takes exactly this many columns.
fn in_column(entry: &PickerEntry<String>, column: usize) -> PickerEntry<String> {
    let text = match columns(&entry.text) > column {
        true => format!("{}…", cut(&entry.text, column.saturating_sub(1))),
        false => entry.text.clone(),
    };
    let pad = " ".repeat(column.saturating_sub(columns(&text)));
    PickerEntry { text: format!("{text}{pad}"), ..entry.clone() }
}

#[cfg(test)]
mod tests {
    use super::{Menu, MenuKind};
    use crate::Look;
    use crate::overlays::PickerEntry;
    use crate::text::columns;

    #[test]
    fn what_a_command_does_is_read_on_a_narrow_screen_and_what_is_cut_says_so() {
        let entry =
            |text: &str, note: &str| PickerEntry { text: text.into(), note: note.into(), ..PickerEntry::default() };
        let about = "shows what may be spent, or changes that limit alone";
        let entries =
            vec![entry("/budget [cost 2.50 | tokens 500k | time 30m]", about), entry("/new", "a new session")];
        for width in [40, 80] {
            let mut menu = Menu::new(MenuKind::Command, 0, 0, entries.clone(), vec![false; 2]);
            let lines: Vec<String> = menu.view(width, 8, &Look::default()).iter().map(ToString::to_string).collect();
            assert!(lines.iter().all(|line| columns(line) <= usize::from(width)), "{lines:?}");
            assert!(
                lines[0].contains("/budget") && lines[0].contains('…') && lines[0].contains("shows what"),
                "{lines:?}"
            );
            assert!(lines[1].contains("a new session"), "{lines:?}");
            let at = |line: &str, word: &str| columns(&line[..line.find(word).unwrap()]);
            assert_eq!(at(&lines[0], "shows"), at(&lines[1], "a new"), "{lines:?}");
        }
    }
}
