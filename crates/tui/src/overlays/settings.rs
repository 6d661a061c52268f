//! The settings: what each is, what it is set to, where that comes from, and when a change acts. Changing one is another
//! overlay's part; this one stays below it.

use crate::Look;
use crate::app::ScreenEffect;
use crate::keys::{Chord, Code};
use crate::overlays::{LineField, Outcome, block, keys_line, rule};
use crate::text::{columns, cut, neutral};
use ratatui_core::text::{Line, Span};
use reasonix_proto::{Acts, Op, Phrase, Setting, SettingLayer};

/// The list.
#[derive(Debug, Default)]
pub struct SettingsOverlay {
    rows: Vec<Setting>,
    words: LineField,
    chosen: usize,
    scroll: usize,
    page: usize,
    came: bool,
}

impl SettingsOverlay {
    /// The settings have come, or come again; the chosen one stays chosen.
    pub fn fill(&mut self, rows: Vec<Setting>, look: &Look) {
        let chosen = self.shown(look).get(self.chosen).map(|setting| setting.key.clone());
        self.rows = rows;
        self.came = true;
        let at = self.shown(look).iter().position(|setting| Some(&setting.key) == chosen.as_ref());
        self.chosen = at.unwrap_or(self.chosen).min(self.shown(look).len().saturating_sub(1));
    }

    fn shown(&self, look: &Look) -> Vec<&Setting> {
        let words: Vec<String> = self.words.text().split_whitespace().map(str::to_lowercase).collect();
        let fits = |setting: &&Setting| {
            let about = setting.about.as_ref().map(|about| look.say(about)).unwrap_or_default();
            let text = format!("{} {} {about}", setting.key, setting.value).to_lowercase();
            words.iter().all(|word| text.contains(word.as_str()))
        };
        self.rows.iter().filter(fits).collect()
    }

    /// Takes a key.
    pub fn key(&mut self, chord: Chord, look: &Look) -> Outcome {
        let last = self.shown(look).len().saturating_sub(1);
        match chord.code {
            Code::Esc if self.words.text().is_empty() => return Outcome::Close,
            Code::Esc => {
                self.words.clear();
                self.chosen = 0;
            }
            Code::Char('c') if chord.mods.ctrl => return Outcome::Close,
            Code::Up => self.chosen = if self.chosen == 0 { last } else { self.chosen - 1 },
            Code::Down => self.chosen = if self.chosen >= last { 0 } else { self.chosen + 1 },
            Code::PageUp => self.chosen = self.chosen.saturating_sub(self.page),
            Code::PageDown => self.chosen = (self.chosen + self.page).min(last),
            Code::Home => self.chosen = 0,
            Code::End => self.chosen = last,
            Code::Delete => return self.clear(look),
            Code::Enter => {
                let chosen = self.shown(look).get(self.chosen).map(|setting| (*setting).clone());
                return chosen.map_or(Outcome::Stay, |setting| Outcome::Turn(Box::new(setting)));
            }
            _ if self.words.key(chord) => self.chosen = 0,
            _ => {}
        }
        Outcome::Stay
    }

    /// Types into the search.
    pub fn paste(&mut self, text: &str) -> Outcome {
        self.words.paste(text);
        self.chosen = 0;
        Outcome::Stay
    }

    /// Takes the chosen setting out of the user's file, where it stands there.
    fn clear(&self, look: &Look) -> Outcome {
        let shown = self.shown(look);
        let chosen = shown.get(self.chosen).filter(|setting| setting.dial.is_some() && is_users(setting));
        chosen.map_or(Outcome::Stay, |setting| {
            Outcome::Do(vec![ScreenEffect::Send(Op::Configure { key: setting.key.clone(), value: None })])
        })
    }

    /// Its rows and the caret of the search.
    pub fn view(&mut self, width: u16, most: usize, look: &Look) -> (Vec<Line<'static>>, Option<(u16, u16)>) {
        let title = look.word("tui.settings");
        let (words, at) = self.words.shown(usize::MAX);
        let at = columns(&title) + 2 + at;
        let caret = (u16::try_from(at).unwrap_or(u16::MAX).min(width.saturating_sub(1)), 1);
        let head = vec![Span::styled(title, look.theme.accent), Span::styled(format!("  {words}"), look.theme.text)];
        let mut lines = vec![rule(width, look, look.theme.rule), Line::from(head)];
        let shown: Vec<Setting> = self.shown(look).into_iter().cloned().collect();
        let mut feet = feet(shown.get(self.chosen), width, most, look);
        if !words.is_empty()
            && let Some(keys) = feet.last_mut()
        {
            *keys = keys_line(&look.word("tui.list.keys_searched"), width, look.theme.dim);
        }
        let room = most.saturating_sub(lines.len() + feet.len()).clamp(1, 16);
        self.page = room;
        self.scroll = self.scroll.min(self.chosen).max((self.chosen + 1).saturating_sub(room));
        if shown.is_empty() {
            let code = if self.came { "tui.list.empty" } else { "tui.list.loading" };
            lines.push(Line::styled(format!("  {}", look.word(code)), look.theme.dim));
        }
        let widest = shown.iter().map(|setting| columns(&setting.key)).max().unwrap_or(0);
        let column = widest.min(usize::from(width) * 3 / 5);
        let places = shown.iter().enumerate().skip(self.scroll).take(room);
        lines.extend(places.map(|(at, setting)| row(setting, at == self.chosen, column, width, look)));
        lines.extend(feet);
        (lines, Some(caret))
    }
}

/// True when a setting stands in the user's own file.
pub(crate) fn is_users(setting: &Setting) -> bool {
    setting.origin.layer == SettingLayer::User
}

/// A value as people write it: a text without its quotation marks, a list as its words.
pub(crate) fn plain(setting: &Setting) -> String {
    let value = setting.value.trim();
    if let Some(list) = value.strip_prefix('[').and_then(|value| value.strip_suffix(']')) {
        let words: Vec<&str> = list.split(',').map(|word| word.trim().trim_matches('"')).collect();
        return words.join(" ");
    }
    let bare = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    bare.unwrap_or(value).to_owned()
}

fn row(setting: &Setting, chosen: bool, column: usize, width: u16, look: &Look) -> Line<'static> {
    let style = if chosen { look.theme.chosen } else { look.theme.text };
    let key = neutral(&setting.key).into_owned();
    let key = if columns(&key) > column { format!("{}…", cut(&key, column.saturating_sub(1))) } else { key };
    let pad = " ".repeat(column.saturating_sub(columns(&key)));
    let value = match plain(setting) {
        value if value.is_empty() => look.word("tui.setting.unset"),
        value => neutral(&value).into_owned(),
    };
    let left = usize::from(width).saturating_sub(4 + column);
    let value = if columns(&value) > left { format!("{}…", cut(&value, left.saturating_sub(1))) } else { value };
    // What somebody chose stands out against what is built in.
    let built_in = setting.origin.layer == SettingLayer::Default || setting.value.is_empty();
    let said = if built_in { look.theme.dim } else { look.theme.accent };
    Line::from(vec![
        Span::styled(if chosen { "› " } else { "  " }, style),
        Span::styled(format!("{key}{pad}  "), style),
        Span::styled(value, said),
    ])
}

/// Below the list: what the chosen one is, where its value comes from and when a change acts, and the keys.
fn feet(chosen: Option<&Setting>, width: u16, most: usize, look: &Look) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    if most >= 12 {
        lines.push(Line::default());
    }
    let mut code = "tui.settings.keys_fixed";
    if let Some(setting) = chosen {
        let mut about = Vec::new();
        if let Some(phrase) = &setting.about {
            block(&mut about, &look.say(phrase), width, look.theme.text);
        }
        about.truncate(if most >= 12 { 2 } else { 1 });
        // The list does not jump when one is said in fewer lines than the next.
        let rows = if most >= 12 && width < 70 { 2 } else { 1 };
        about.resize(about.len().max(rows), Line::default());
        lines.extend(about);
        let origin = look.say(&Phrase::new("tui.setting.origin").with("origin", neutral(&setting.origin.to_string())));
        let acts = match (&setting.dial, setting.key.starts_with('/')) {
            (None, true) => look.word("tui.setting.session"),
            (None, false) if setting.key.contains('[') => look.word("tui.setting.fixed"),
            (None, false) => look.say(&Phrase::new("tui.setting.by_command").with("key", neutral(&setting.key))),
            (Some(dial), _) => look.word(match dial.acts {
                Acts::Now => "tui.setting.now",
                Acts::NextSession => "tui.setting.next_session",
                Acts::NextStart => "tui.setting.next_start",
            }),
        };
        let text = if setting.key.starts_with('/') { acts } else { format!("{acts} · {origin}") };
        let room = usize::from(width).saturating_sub(2);
        lines.push(Line::styled(format!("  {}", cut(&text, room)), look.theme.dim));
        code = match &setting.dial {
            Some(_) if is_users(setting) => "tui.settings.keys_clear",
            Some(_) => "tui.settings.keys",
            None if setting.key.starts_with('/') => "tui.settings.keys",
            None => "tui.settings.keys_fixed",
        };
    }
    lines.push(keys_line(&look.word(code), width, look.theme.dim));
    lines
}
