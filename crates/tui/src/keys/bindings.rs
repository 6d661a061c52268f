//! What each key does. The defaults stand here; the user's file says what is different.

use crate::keys::{Chord, Code, Mods};
use reasonix_proto::Phrase;
use std::collections::BTreeMap;

/// Something a key can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyAction {
    /// Sends what is written; while a turn runs it steers.
    Send,
    /// Sends it for after the turn.
    FollowUp,
    /// Takes the last waiting message back into the composer.
    Dequeue,
    /// A line break.
    Newline,
    /// Stops the turn; twice on an empty composer opens the rewind list.
    Interrupt,
    /// Gives up what is written, stops the turn, or twice leaves.
    Cancel,
    /// Leaves, on an empty composer.
    Quit,
    /// Stops the program until the shell continues it.
    Suspend,
    /// Draws everything anew.
    Redraw,
    /// Unfolds or folds tool output and reasoning.
    Unfold,
    /// Opens the whole transcript.
    Transcript,
    /// Lists the subagents.
    Children,
    /// Searches earlier prompts.
    HistorySearch,
    /// Opens the draft in the user's editor.
    Editor,
    /// Put the picture of the clipboard into the text.
    Picture,
    /// How much is asked: the next posture.
    Posture,
    /// Chooses a model.
    Model,
    /// Takes up the goal that waits.
    Goal,
    /// Shows the keys and commands.
    Help,
    /// One row up, or an older prompt.
    Up,
    /// One row down, or a newer prompt.
    Down,
    /// One character to the left.
    Left,
    /// One character to the right.
    Right,
    /// One word to the left.
    WordLeft,
    /// One word to the right.
    WordRight,
    /// To the beginning of the line.
    LineStart,
    /// To the end of the line.
    LineEnd,
    /// To the beginning of the text.
    TextStart,
    /// To the end of the text.
    TextEnd,
    /// Deletes the character before the caret.
    DeleteLeft,
    /// Deletes the character after the caret.
    DeleteRight,
    /// Deletes the word before the caret.
    DeleteWordLeft,
    /// Deletes the word after the caret.
    DeleteWordRight,
    /// Deletes to the beginning of the line.
    DeleteLineStart,
    /// Deletes to the end of the line.
    DeleteLineEnd,
    /// Types what was deleted last.
    Yank,
    /// Takes a change back.
    Undo,
    /// Does it again.
    Redo,
}

const CTRL: Mods = Mods { ctrl: true, alt: false, shift: false };
const SHIFT: Mods = Mods { ctrl: false, alt: false, shift: true };

const fn with(mods: Mods, code: Code) -> Chord {
    Chord { code, mods }
}

const fn plain(code: Code) -> Chord {
    Chord::plain(code)
}

const fn alt(c: char) -> Chord {
    Chord::alt(Code::Char(c))
}

/// Every action: its name in the file, and its keys.
#[rustfmt::skip]
const DEFAULTS: &[(KeyAction, &str, &[Chord])] = &[
    (KeyAction::Send, "message.send", &[plain(Code::Enter)]),
    (KeyAction::FollowUp, "message.followUp", &[with(CTRL, Code::Enter), Chord::ctrl('q')]),
    (KeyAction::Dequeue, "message.dequeue", &[Chord::alt(Code::Up)]),
    (KeyAction::Newline, "editor.newline", &[with(SHIFT, Code::Enter), Chord::alt(Code::Enter), Chord::ctrl('j')]),
    (KeyAction::Interrupt, "turn.interrupt", &[plain(Code::Esc)]),
    (KeyAction::Cancel, "app.cancel", &[Chord::ctrl('c')]),
    (KeyAction::Quit, "app.quit", &[Chord::ctrl('d')]),
    (KeyAction::Suspend, "app.suspend", &[Chord::ctrl('z')]),
    (KeyAction::Redraw, "app.redraw", &[Chord::ctrl('l')]),
    (KeyAction::Unfold, "tools.expand", &[Chord::ctrl('o')]),
    (KeyAction::Transcript, "transcript.open", &[Chord::ctrl('t')]),
    (KeyAction::Children, "children.open", &[alt('a')]),
    (KeyAction::HistorySearch, "history.search", &[Chord::ctrl('r')]),
    (KeyAction::Editor, "editor.external", &[Chord::ctrl('g')]),
    (KeyAction::Picture, "editor.pasteImage", &[Chord::ctrl('v')]),
    (KeyAction::Posture, "posture.cycle", &[with(SHIFT, Code::Tab)]),
    (KeyAction::Model, "model.select", &[alt('p')]),
    (KeyAction::Goal, "goal.resume", &[alt('g')]),
    (KeyAction::Help, "app.help", &[plain(Code::F(1))]),
    (KeyAction::Up, "editor.up", &[plain(Code::Up), Chord::ctrl('p')]),
    (KeyAction::Down, "editor.down", &[plain(Code::Down), Chord::ctrl('n')]),
    (KeyAction::Left, "editor.left", &[plain(Code::Left), Chord::ctrl('b')]),
    (KeyAction::Right, "editor.right", &[plain(Code::Right), Chord::ctrl('f')]),
    (KeyAction::WordLeft, "editor.wordLeft", &[alt('b'), Chord::alt(Code::Left), with(CTRL, Code::Left)]),
    (KeyAction::WordRight, "editor.wordRight", &[alt('f'), Chord::alt(Code::Right), with(CTRL, Code::Right)]),
    (KeyAction::LineStart, "editor.lineStart", &[Chord::ctrl('a'), plain(Code::Home)]),
    (KeyAction::LineEnd, "editor.lineEnd", &[Chord::ctrl('e'), plain(Code::End)]),
    (KeyAction::TextStart, "editor.textStart", &[with(CTRL, Code::Home), alt('<')]),
    (KeyAction::TextEnd, "editor.textEnd", &[with(CTRL, Code::End), alt('>')]),
    (KeyAction::DeleteLeft, "editor.deleteLeft", &[plain(Code::Backspace), with(SHIFT, Code::Backspace)]),
    (KeyAction::DeleteRight, "editor.deleteRight", &[plain(Code::Delete)]),
    (KeyAction::DeleteWordLeft, "editor.deleteWordLeft", &[Chord::ctrl('w'), Chord::alt(Code::Backspace), with(CTRL, Code::Backspace)]),
    (KeyAction::DeleteWordRight, "editor.deleteWordRight", &[alt('d'), with(CTRL, Code::Delete), Chord::alt(Code::Delete)]),
    (KeyAction::DeleteLineStart, "editor.deleteLineStart", &[Chord::ctrl('u')]),
    (KeyAction::DeleteLineEnd, "editor.deleteLineEnd", &[Chord::ctrl('k')]),
    (KeyAction::Yank, "editor.yank", &[Chord::ctrl('y')]),
    (KeyAction::Undo, "editor.undo", &[Chord::ctrl('_'), Chord::ctrl('/')]),
    (KeyAction::Redo, "editor.redo", &[alt('_'), alt('/')]),
];

impl KeyAction {
    /// The name in the file, such as `history.search`.
    pub fn name(self) -> &'static str {
        DEFAULTS.iter().find(|(action, _, _)| *action == self).map_or("", |(_, name, _)| *name)
    }

    /// What it does, for the list of keys.
    pub fn about(self) -> Phrase {
        Phrase { code: format!("tui.key.{}", self.name()).into(), args: Vec::new() }
    }

    /// All of them, in the order of the list.
    pub fn all() -> impl Iterator<Item = Self> {
        DEFAULTS.iter().map(|(action, _, _)| *action)
    }
}

/// Which keys do what.
#[derive(Debug, Clone)]
pub struct Bindings {
    keys: BTreeMap<Chord, KeyAction>,
}

impl Default for Bindings {
    fn default() -> Self {
        let keys = DEFAULTS.iter().flat_map(|(action, _, chords)| chords.iter().map(|chord| (*chord, *action)));
        Self { keys: keys.collect() }
    }
}

/// A value of the file: one chord or several; none switches the action off.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Chords {
    One(String),
    Many(Vec<String>),
}

impl Bindings {
    /// What a key does.
    pub fn action(&self, chord: Chord) -> Option<KeyAction> {
        self.keys.get(&chord).copied()
    }

    /// The keys of an action.
    pub fn keys(&self, action: KeyAction) -> Vec<Chord> {
        let all = DEFAULTS.iter().find(|(known, _, _)| *known == action).map_or(&[][..], |(_, _, chords)| *chords);
        let bound = |chord: &Chord| self.keys.get(chord) == Some(&action);
        // The order of the defaults, then what the user added.
        let mut keys: Vec<Chord> = all.iter().copied().filter(bound).collect();
        keys.extend(
            self.keys.iter().filter(|(chord, known)| **known == action && !all.contains(chord)).map(|(c, _)| *c),
        );
        keys
    }

    /// The first key of an action as it is written; empty when it has none.
    pub fn first(&self, action: KeyAction) -> String {
        self.keys(action).first().map(ToString::to_string).unwrap_or_default()
    }

    /// Reads the user's file over the defaults. What is wrong with it is said, and the rest holds.
    pub fn read(text: &str) -> (Self, Vec<Phrase>) {
        let file: BTreeMap<String, Chords> = match toml::from_str(text) {
            Ok(file) => file,
            Err(error) => {
                let reason = error.message().to_owned();
                return (Self::default(), vec![Phrase::new("tui.keys_unreadable").with("reason", reason)]);
            }
        };
        let (mut wrong, mut chosen) = (Vec::new(), Vec::new());
        for (name, chords) in file {
            let Some((action, _, _)) = DEFAULTS.iter().find(|(_, known, _)| *known == name) else {
                wrong.push(Phrase::new("tui.keys_unknown_action").with("action", name));
                continue;
            };
            let texts = match chords {
                Chords::One(text) => vec![text],
                Chords::Many(texts) => texts,
            };
            let mut keys = Vec::new();
            for text in texts {
                match text.parse::<Chord>() {
                    Ok(chord) if chord.typed().is_none() => keys.push(chord),
                    _ => wrong.push(Phrase::new("tui.keys_unknown_key").with("key", text).with("action", &name)),
                }
            }
            chosen.push((*action, keys));
        }
        (Self::with(&chosen, &mut wrong), wrong)
    }

    /// The defaults with these in place of theirs. A key that two actions of the file want goes to the first; a default
    /// that the file takes for something else is given up, which is said.
    fn with(chosen: &[(KeyAction, Vec<Chord>)], wrong: &mut Vec<Phrase>) -> Self {
        let mut keys: BTreeMap<Chord, KeyAction> = BTreeMap::new();
        for (action, chords) in chosen {
            for chord in chords {
                match keys.get(chord) {
                    Some(other) if other != action => wrong.push(
                        Phrase::new("tui.keys_conflict")
                            .with("key", chord)
                            .with("one", other.name())
                            .with("other", action.name()),
                    ),
                    _ => {
                        keys.insert(*chord, *action);
                    }
                }
            }
        }
        for (action, _, chords) in DEFAULTS {
            if chosen.iter().any(|(other, _)| other == action) {
                continue;
            }
            for chord in *chords {
                match keys.get(chord) {
                    Some(other) if other != action => wrong.push(
                        Phrase::new("tui.keys_taken")
                            .with("key", chord)
                            .with("one", other.name())
                            .with("other", action.name()),
                    ),
                    _ => {
                        keys.insert(*chord, *action);
                    }
                }
            }
        }
        Self { keys }
    }
}

#[cfg(test)]
mod tests {
    use super::{Bindings, DEFAULTS, KeyAction};
    use crate::keys::Chord;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_defaults_share_a_key_or_a_name() {
        let chords: Vec<_> = DEFAULTS.iter().flat_map(|(_, _, chords)| chords.iter()).collect();
        assert_eq!(chords.iter().collect::<BTreeSet<_>>().len(), chords.len());
        assert_eq!(DEFAULTS.iter().map(|(_, name, _)| name).collect::<BTreeSet<_>>().len(), DEFAULTS.len());
    }

    #[test]
    fn every_action_says_what_it_does() {
        for action in KeyAction::all() {
            assert!(reasonix_words::knows(&action.about()), "{}", action.name());
        }
    }

    #[test]
    fn the_file_replaces_what_it_names() {
        let text = "\"history.search\" = \"ctrl+s\"\n\"app.redraw\" = []\n\"message.send\" = [\"Enter\", \"Ctrl+R\"]\n";
        let (bindings, wrong) = Bindings::read(text);
        assert!(wrong.is_empty(), "{wrong:?}");
        assert_eq!(bindings.action(Chord::ctrl('s')), Some(KeyAction::HistorySearch));
        assert_eq!(bindings.action(Chord::ctrl('r')), Some(KeyAction::Send));
        assert_eq!(bindings.action(Chord::ctrl('l')), None);
        assert_eq!(bindings.first(KeyAction::Send), "Enter");
    }

    #[test]
    fn conflicts_and_mistakes_are_said_and_the_rest_holds() {
        let text =
            "\"app.quit\" = \"ctrl+x\"\n\"app.help\" = \"ctrl+x\"\n\"no.such\" = \"a\"\n\"editor.undo\" = \"x\"\n";
        let (bindings, wrong) = Bindings::read(text);
        let codes: Vec<_> = wrong.iter().map(|phrase| phrase.code.as_ref()).collect();
        assert_eq!(codes, ["tui.keys_unknown_key", "tui.keys_unknown_action", "tui.keys_conflict"]);
        assert!(wrong.iter().all(reasonix_words::knows));
        assert_eq!(bindings.action(Chord::ctrl('x')), Some(KeyAction::Help));
        assert_eq!(bindings.action(Chord::ctrl('t')), Some(KeyAction::Transcript));
        let (bindings, wrong) = Bindings::read("\"app.help\" = \"Ctrl+T\"\n");
        let codes: Vec<_> = wrong.iter().map(|phrase| phrase.code.as_ref()).collect();
        assert_eq!(codes, ["tui.keys_taken"], "a default counts too");
        assert_eq!(bindings.action(Chord::ctrl('t')), Some(KeyAction::Help));
        let both = "\"app.help\" = \"Ctrl+T\"\n\"transcript.open\" = \"F2\"\n";
        assert!(Bindings::read(both).1.is_empty(), "the other has a key of its own");
        assert_eq!(Bindings::read("= broken").1[0].code, "tui.keys_unreadable");
    }
}
