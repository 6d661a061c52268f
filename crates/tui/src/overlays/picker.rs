//! A list to choose from, narrowed by what is typed.

use crate::Look;
use crate::app::{HostRequest, ScreenEffect};
use crate::keys::{Chord, Code};
use crate::overlays::{LineField, Outcome, keys_line, rule};
use crate::text::{columns, cut, neutral, wrap};
use ratatui_core::text::{Line, Span};
use reasonix_proto::{MemoryReach, Op, Phrase, Query, RecordId, SessionId, SettingSource, TreeFilter};

/// What is chosen from a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// An earlier prompt.
    History,
    /// A model.
    Model,
    /// A saved session.
    Session,
    /// A place of the session's tree.
    Tree,
    /// A turn to go back before.
    Rewind,
    /// What goes back.
    RewindWhat,
    /// A waiting message.
    Queue,
    /// What to do without a model.
    FirstRun,
    /// A permission rule to take away.
    Rule,
    /// A theme.
    Theme,
    /// A word that a command takes.
    Word,
    /// Yes or no to giving up the session.
    Clear,
    /// The value of a setting.
    Setting,
    /// Something that was said in an earlier session.
    Hit,
    /// Something that is remembered.
    Memory,
    /// Yes or no to forgetting it.
    Forget,
    /// Yes or no to taking back what a turn did to files.
    Undo,
    /// A subagent.
    Child,
    /// Whether to go on in the session that was handed over to.
    HandedOver,
    /// An endpoint of the setup.
    Endpoint,
    /// A model of the setup.
    SetupModel,
    /// Nothing: a step of the setup takes a moment.
    SetupWait,
}

impl Subject {
    /// True for the steps of the first run.
    pub(crate) fn is_of_setup(self) -> bool {
        matches!(self, Self::FirstRun | Self::Endpoint | Self::SetupModel | Self::SetupWait)
    }
}

/// What follows from an entry that is chosen. Lists can be long: what is large is kept aside.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Picked {
    /// Nothing.
    #[default]
    Nothing,
    /// An operation of the session.
    Send(Box<Op>),
    /// A wish for the process around.
    Host(HostRequest),
    /// The way out.
    Quit,
    /// Something of the engine's is shown.
    Show(Box<Query>),
    /// A command is run with a word.
    Run(String, String),
    /// A prompt of earlier is written again.
    Prompt(String),
    /// The conversation goes on from a place of the tree.
    Place(RecordId),
    /// A turn to go back before.
    Turn(u32),
    /// A waiting message comes back.
    Queued(u64),
    /// A rule that cannot be taken away here, and where it stands.
    Stands {
        /// The rule.
        rule: String,
        /// Where it comes from.
        origin: SettingSource,
    },
    /// The session is given up.
    GiveUp,
    /// A theme is put on.
    Theme(String),
    /// A memory is shown.
    Memory {
        /// For which work it is.
        scope: MemoryReach,
        /// Its name.
        name: String,
    },
    /// A subagent is looked at.
    Child {
        /// Its own session.
        session: SessionId,
        /// What it is called.
        child: String,
    },
    /// The address of an endpoint is to be written.
    Address,
}

/// One entry, and what is given back when it is chosen.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PickerEntry<V = Picked> {
    /// What is given back.
    pub value: V,
    /// What is shown.
    pub text: String,
    /// More about it, dimmer.
    pub note: String,
    /// True for the one in use.
    pub current: bool,
}

/// The list.
#[derive(Debug)]
pub struct Picker {
    /// What is chosen.
    pub subject: Subject,
    title: Phrase,
    entries: Vec<PickerEntry>,
    words: LineField,
    /// True when typing narrows the list; otherwise it is short and keys are digits.
    searches: bool,
    /// True when somebody else narrows it.
    remote: bool,
    chosen: usize,
    scroll: usize,
    page: usize,
    loading: bool,
    /// Which records of a tree are shown.
    pub(crate) filter: TreeFilter,
    /// The name that the chosen place of a tree is given, while it is written.
    naming: Option<LineField>,
    /// True once words were typed at a list that has no search: what follows in them chooses nothing.
    spoken: bool,
}

/// The filters of a tree in the order of their key, with the letter of each and its name.
const FILTERS: [(char, TreeFilter, &str); 5] = [
    ('d', TreeFilter::Default, "tui.tree.default"),
    ('t', TreeFilter::NoTools, "tui.tree.no_tools"),
    ('u', TreeFilter::UserOnly, "tui.tree.user"),
    ('l', TreeFilter::LabelledOnly, "tui.tree.labelled"),
    ('a', TreeFilter::All, "tui.tree.all"),
];

impl Picker {
    /// A list that typing narrows.
    pub fn new(subject: Subject, title: Phrase, entries: Vec<PickerEntry>) -> Self {
        let chosen = entries.iter().position(|entry| entry.current).unwrap_or(0);
        Self {
            subject,
            title,
            entries,
            words: LineField::default(),
            searches: true,
            remote: false,
            chosen,
            scroll: 0,
            page: 1,
            loading: false,
            filter: TreeFilter::Default,
            naming: None,
            spoken: false,
        }
    }

    /// A list whose entries are still to come, and that the engine narrows.
    pub fn remote(subject: Subject, title: Phrase) -> Self {
        Self { remote: true, loading: true, ..Self::new(subject, title, Vec::new()) }
    }

    /// Whether typing narrows the entries that have come, or somebody else does.
    pub fn narrows_itself(&mut self, itself: bool) {
        self.remote = !itself;
    }

    /// A short list without a search.
    pub fn short(subject: Subject, title: Phrase, entries: Vec<PickerEntry>) -> Self {
        Self { searches: false, ..Self::new(subject, title, entries) }
    }

    /// The entries have come.
    pub fn fill(&mut self, entries: Vec<PickerEntry>) {
        if self.loading {
            // What was said last is the nearest, also where the very place is not among the entries.
            let otherwise = if self.subject == Subject::Tree { entries.len().saturating_sub(1) } else { 0 };
            self.chosen = entries.iter().position(|entry| entry.current).unwrap_or(otherwise);
        }
        self.entries = entries;
        self.loading = false;
        self.chosen = self.chosen.min(self.shown().len().saturating_sub(1));
    }

    fn shown(&self) -> Vec<&PickerEntry> {
        let words: Vec<String> = self.words.text().split_whitespace().map(str::to_lowercase).collect();
        let fits = |entry: &&PickerEntry| {
            let text = format!("{} {}", entry.text, entry.note).to_lowercase();
            self.remote || words.iter().all(|word| text.contains(word.as_str()))
        };
        self.entries.iter().filter(fits).collect()
    }

    /// Takes a key.
    pub fn key(&mut self, chord: Chord) -> Outcome {
        if self.subject == Subject::Tree
            && let Some(outcome) = self.tree_key(chord)
        {
            return outcome;
        }
        let count = self.shown().len();
        let last = count.saturating_sub(1);
        match chord.code {
            Code::Esc if self.words.text().is_empty() => return Outcome::Close,
            Code::Esc => {
                self.words.clear();
                return self.searched();
            }
            Code::Char('c') if chord.mods.ctrl => return Outcome::Close,
            Code::Up | Code::Char('p') if chord.code == Code::Up || chord.mods.ctrl => {
                self.spoken = false;
                self.chosen = if self.chosen == 0 { last } else { self.chosen - 1 };
            }
            Code::Down | Code::Char('n' | 'r') if chord.code == Code::Down || chord.mods.ctrl => {
                self.spoken = false;
                self.chosen = if self.chosen >= last { 0 } else { self.chosen + 1 };
            }
            Code::PageUp | Code::Left => self.chosen = self.chosen.saturating_sub(self.page),
            Code::PageDown | Code::Right => self.chosen = (self.chosen + self.page).min(last),
            Code::Home => self.chosen = 0,
            Code::End => self.chosen = last,
            Code::Delete if matches!(self.subject, Subject::Memory | Subject::Child) => {
                let chosen = self.shown().get(self.chosen).map(|entry| entry.value.clone());
                return chosen.map_or(Outcome::Stay, Outcome::Removed);
            }
            // Words are no yes.
            Code::Enter | Code::Tab if self.spoken && !self.is_no() => {}
            Code::Enter | Code::Tab => return self.choose(self.chosen),
            Code::Char(c) if !self.searches && chord.typed().is_some() => {
                let at = c.to_digit(10).and_then(|digit| usize::try_from(digit).ok()?.checked_sub(1));
                return match at.filter(|_| !self.spoken) {
                    Some(at) => self.choose(at),
                    None => self.say_words(),
                };
            }
            _ if self.words.key(chord) => return self.searched(),
            _ => {}
        }
        Outcome::Stay
    }

    /// Words are no answer; where there is a no among the entries, they come to it.
    fn say_words(&mut self) -> Outcome {
        self.spoken = true;
        self.chosen = self.entries.iter().position(|entry| entry.value == Picked::Nothing).unwrap_or(self.chosen);
        Outcome::Stay
    }

    fn is_no(&self) -> bool {
        self.shown().get(self.chosen).is_some_and(|entry| entry.value == Picked::Nothing)
    }

    /// Keys of a tree alone: filters, and names of places.
    fn tree_key(&mut self, chord: Chord) -> Option<Outcome> {
        if self.naming.is_some() {
            return Some(self.name_key(chord));
        }
        let now = FILTERS.iter().position(|(_, filter, _)| *filter == self.filter).unwrap_or(0);
        let wanted = match chord.code {
            Code::Char('o') if chord.mods.ctrl => (now + 1) % FILTERS.len(),
            Code::Char(c) if chord.mods.alt => FILTERS.iter().position(|(key, _, _)| *key == c)?,
            Code::Char('L') if self.words.text().is_empty() => {
                self.naming = self.shown().get(self.chosen).map(|_| LineField::default());
                return Some(Outcome::Stay);
            }
            _ => return None,
        };
        self.filter = FILTERS.get(wanted).map_or(TreeFilter::Default, |(_, filter, _)| *filter);
        self.chosen = 0;
        Some(Outcome::Searched(self.subject, self.words.text().to_owned()))
    }

    fn name_key(&mut self, chord: Chord) -> Outcome {
        let record = self.shown().get(self.chosen).and_then(|entry| match entry.value {
            Picked::Place(record) => Some(record),
            _ => None,
        });
        let Some(name) = &mut self.naming else { return Outcome::Stay };
        match chord.code {
            Code::Esc => self.naming = None,
            Code::Char('c') if chord.mods.ctrl => self.naming = None,
            Code::Enter => {
                let label = name.text().trim().to_owned();
                self.naming = None;
                let op = record.map(|record| Op::Label { record, label });
                return Outcome::Relist(self.subject, op.into_iter().map(ScreenEffect::Send).collect());
            }
            _ => {
                name.key(chord);
            }
        }
        Outcome::Stay
    }

    /// What is typed for.
    pub(crate) fn words(&self) -> &str {
        self.words.text()
    }

    /// Types into the search.
    pub fn paste(&mut self, text: &str) -> Outcome {
        if !self.searches {
            return self.say_words();
        }
        self.words.paste(text);
        self.searched()
    }

    fn searched(&mut self) -> Outcome {
        self.chosen = 0;
        if self.remote { Outcome::Searched(self.subject, self.words.text().to_owned()) } else { Outcome::Stay }
    }

    fn choose(&self, at: usize) -> Outcome {
        match self.shown().get(at) {
            Some(entry) => Outcome::Chosen(entry.value.clone()),
            None if self.entries.is_empty() && !self.loading => Outcome::Close,
            None => Outcome::Stay,
        }
    }

    /// Goes to an entry.
    pub(crate) fn choose_at(&mut self, at: usize) {
        self.chosen = at;
    }

    /// Goes to the last entry.
    pub(crate) fn choose_last(&mut self) {
        self.chosen = self.shown().len().saturating_sub(1);
    }

    /// Its rows and the caret of the search.
    pub fn view(&mut self, width: u16, most: usize, look: &Look) -> (Vec<Line<'static>>, Option<(u16, u16)>) {
        let title = look.say(&self.title);
        let mut lines = vec![rule(width, look, look.theme.rule)];
        let title = match FILTERS.iter().find(|(_, filter, _)| *filter == self.filter) {
            Some((_, _, name)) if self.subject == Subject::Tree => format!("{title} ({})", look.word(name)),
            _ => title,
        };
        let mut head = vec![Span::styled(title.clone(), look.theme.accent)];
        let mut caret = None;
        if let Some(name) = &self.naming {
            let ((name, at), label) = (name.shown(usize::MAX), look.word("tui.tree.name"));
            let at = columns(&label) + 1 + at;
            caret = Some((u16::try_from(at).unwrap_or(u16::MAX).min(width.saturating_sub(1)), 1));
            head = vec![Span::styled(format!("{label} {name}"), look.theme.warn)];
        } else if self.searches {
            let (words, at) = self.words.shown(usize::MAX);
            let at = columns(&title) + 2 + at;
            caret = Some((u16::try_from(at).unwrap_or(u16::MAX).min(width.saturating_sub(1)), 1));
            head.push(Span::styled(format!("  {words}"), look.theme.text));
        }
        match self.searches {
            true => lines.push(Line::from(head)),
            // What is asked is read whole.
            false => lines.extend(wrap(&Line::styled(title, look.theme.accent), width)),
        }
        let room = most.saturating_sub(lines.len() + 1).clamp(1, 12);
        self.page = room;
        self.scroll = self.scroll.min(self.chosen).max((self.chosen + 1).saturating_sub(room));
        let shown = self.shown();
        if shown.is_empty() {
            let code = match (self.loading, self.words.text().is_empty()) {
                (true, _) => "tui.list.loading",
                (false, true) => "tui.list.none",
                (false, false) => "tui.list.empty",
            };
            lines.push(Line::styled(format!("  {}", look.word(code)), look.theme.dim));
        }
        let (all, places) = (shown.len(), shown.iter().enumerate().skip(self.scroll).take(room));
        let numbered = |at: usize, entry: &PickerEntry| match self.searches {
            true => entry.clone(),
            false => PickerEntry { text: format!("{}  {}", at + 1, entry.text), ..entry.clone() },
        };
        lines.extend(places.map(|(at, entry)| entry_line(&numbered(at, entry), at == self.chosen, width, look)));
        lines.push(keys_line(&self.keys(all, room, look), width, look.theme.dim));
        (lines, caret)
    }

    /// What the keys do, and where the choice stands in a list that is not seen whole.
    fn keys(&self, all: usize, room: usize, look: &Look) -> String {
        let code = match (self.subject, self.searches) {
            _ if self.naming.is_none() && !self.words.text().is_empty() => "tui.list.keys_searched",
            (Subject::Tree, _) => "tui.tree.keys",
            (Subject::Rule, _) => "tui.rules.keys",
            (Subject::Queue, _) => "tui.queue.keys",
            (Subject::Memory, _) => "tui.memory.keys",
            (Subject::Hit, _) => "tui.hits.keys",
            (Subject::SetupWait, _) => "tui.setup.wait_keys",
            (Subject::FirstRun, _) => "tui.first.keys",
            (Subject::Endpoint | Subject::SetupModel, _) => "tui.setup.keys",
            (_, true) => "tui.list.keys",
            (_, false) => "tui.list.short_keys",
        };
        let place = Phrase::new("tui.menu.place").with("at", self.chosen + 1).with("of", all);
        match all > room {
            true => format!("{} · {}", look.say(&place), look.word(code)),
            false => look.word(code),
        }
    }
}

/// One row of a list: the text whole if it can be, the note as far as there is room.
pub(crate) fn entry_line<V>(entry: &PickerEntry<V>, chosen: bool, width: u16, look: &Look) -> Line<'static> {
    let sign = if chosen { "› " } else { "  " };
    let style = if chosen { look.theme.chosen } else { look.theme.text };
    let room = usize::from(width).saturating_sub(2);
    let clean = |text: &str| neutral(text).replace(['\n', '\t'], " ");
    let mark = if entry.current { " ✓" } else { "" };
    let text = clean(&entry.text);
    let text = if columns(&text) > room { format!("{}…", cut(&text, room.saturating_sub(1))) } else { text };
    let left = room.saturating_sub(columns(&text) + columns(mark) + 2);
    let note = clean(&entry.note);
    let note = match columns(&note) > left {
        true if left < 6 => String::new(),
        true => format!("{}…", cut(&note, left - 1)),
        false => note,
    };
    Line::from(vec![
        Span::styled(sign, style),
        Span::styled(text, style),
        Span::styled(mark, look.theme.good),
        Span::styled(if note.is_empty() { String::new() } else { format!("  {note}") }, look.theme.dim),
    ])
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_entry_of_a_long_list_takes_little_beside_its_text() {
        assert!(size_of::<super::PickerEntry>() <= 136, "{}", size_of::<super::PickerEntry>());
    }
}
