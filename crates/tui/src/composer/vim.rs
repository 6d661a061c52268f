//! Keys as in vi, where the user wants them (`tui.vim`): Esc leads from writing to moving, and a few letters back. What is not
//! known here does what it does elsewhere.

use super::{Composer, Motion};
use crate::keys::{Chord, Code};

/// Where the writer is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Vim {
    /// Letters move and change instead of being written.
    pub moves: bool,
    /// The letter that waits for another one: `d`, `c` or `g`.
    waiting: Option<char>,
}

impl Composer {
    /// Takes a key as vi would. None when it means here what it means everywhere; otherwise whether the text changed.
    pub fn vim_key(&mut self, chord: Chord) -> Option<bool> {
        let vim = self.vim.as_mut()?;
        if !vim.moves {
            if chord.code != Code::Esc {
                return None;
            }
            *vim = Vim { moves: true, waiting: None };
            // The caret of this mode stands on a character, not behind the last one.
            if !(self.buffer.before().is_empty() || self.buffer.before().ends_with('\n')) {
                self.travel(Motion::Left);
            }
            return Some(false);
        }
        if chord.code == Code::Enter {
            // What is sent is followed by writing again.
            *vim = Vim::default();
            return None;
        }
        let letter = chord.typed()?;
        let waiting = vim.waiting.take();
        let before = self.buffer.text().to_owned();
        let writes = match waiting {
            Some(first) => second(self, first, letter),
            None => match first(self, letter) {
                Next::Moves => false,
                Next::Writes => true,
                Next::Waits => {
                    self.vim = Some(Vim { moves: true, waiting: Some(letter) });
                    return Some(false);
                }
                // Commands and questions are typed as they are.
                Next::Elsewhere => {
                    self.vim = Some(Vim::default());
                    return None;
                }
            },
        };
        self.vim = Some(Vim { moves: !writes, waiting: None });
        Some(self.buffer.text() != before)
    }
}

/// What follows a letter.
enum Next {
    Moves,
    Writes,
    Waits,
    Elsewhere,
}

fn first(composer: &mut Composer, letter: char) -> Next {
    match letter {
        'h' => composer.travel(Motion::Left),
        'l' => composer.travel(Motion::Right),
        'k' => composer.up(),
        'j' => composer.down(),
        '0' | '^' => composer.travel(Motion::LineStart),
        '$' => composer.travel(Motion::LineEnd),
        'b' => composer.travel(Motion::WordLeft),
        'e' => composer.travel(Motion::WordRight),
        'w' => next_word(composer),
        'G' => composer.travel(Motion::End),
        'x' => composer.delete(Motion::Right, true),
        'X' => composer.delete(Motion::Left, true),
        'D' => to_line_end(composer),
        'u' => composer.buffer.undo(),
        'p' => {
            composer.travel(Motion::Right);
            composer.buffer.yank();
        }
        'P' => composer.buffer.yank(),
        'd' | 'c' | 'g' => return Next::Waits,
        '/' | '!' | '?' if composer.buffer.text().is_empty() => return Next::Elsewhere,
        _ => return writing(composer, letter),
    }
    Next::Moves
}

/// Letters that lead back to writing; others do nothing.
fn writing(composer: &mut Composer, letter: char) -> Next {
    match letter {
        'i' => {}
        'a' => composer.travel(Motion::Right),
        'I' => composer.travel(Motion::LineStart),
        'A' => composer.travel(Motion::LineEnd),
        'o' => {
            composer.travel(Motion::LineEnd);
            composer.type_text("\n");
        }
        'O' => {
            composer.travel(Motion::LineStart);
            composer.type_text("\n");
            composer.travel(Motion::Left);
        }
        's' => composer.delete(Motion::Right, true),
        'C' => to_line_end(composer),
        'S' => whole_line(composer),
        _ => return Next::Moves,
    }
    Next::Writes
}

/// The second letter of two. True when writing follows.
fn second(composer: &mut Composer, first: char, letter: char) -> bool {
    match (first, letter) {
        ('g', 'g') => composer.travel(Motion::Start),
        ('d' | 'c', 'w' | 'e') => composer.delete(Motion::WordRight, true),
        ('d' | 'c', 'b') => composer.delete(Motion::WordLeft, true),
        ('d' | 'c', '$') => to_line_end(composer),
        ('d' | 'c', '0' | '^') => composer.delete(Motion::LineStart, true),
        ('d' | 'c', 'l') => composer.delete(Motion::Right, true),
        ('d' | 'c', 'h') => composer.delete(Motion::Left, true),
        ('c', 'c') => whole_line(composer),
        ('d', 'd') => {
            whole_line(composer);
            // Without its text the line goes too: the break behind it, or the one before the last.
            let last = composer.buffer.after().is_empty();
            composer.delete(if last { Motion::Left } else { Motion::Right }, false);
        }
        _ => return false,
    }
    first == 'c'
}

/// The rest of the line, and no line break.
fn to_line_end(composer: &mut Composer) {
    if !composer.buffer.after().is_empty() && !composer.buffer.after().starts_with('\n') {
        composer.delete(Motion::LineEnd, true);
    }
}

fn whole_line(composer: &mut Composer) {
    composer.travel(Motion::LineStart);
    to_line_end(composer);
}

fn next_word(composer: &mut Composer) {
    composer.travel(Motion::WordRight);
    while composer.buffer.after().starts_with(char::is_whitespace) {
        composer.travel(Motion::Right);
    }
}

#[cfg(test)]
mod tests {
    use super::Vim;
    use crate::composer::Composer;
    use crate::keys::{Chord, Code};

    /// The text and the bytes before the caret after these keys; `⎋` is Esc.
    fn after(keys: &str) -> (String, usize) {
        let mut composer = Composer { vim: Some(Vim::default()), ..Composer::default() };
        for c in keys.chars() {
            let code = if c == '⎋' { Code::Esc } else { Code::Char(c) };
            if composer.vim_key(Chord::plain(code)).is_none() {
                composer.type_text(&c.to_string());
            }
        }
        (composer.buffer.text().to_owned(), composer.buffer.caret())
    }

    #[test]
    fn letters_move_and_change_after_esc_and_are_written_before_it() {
        for (keys, text, caret) in [
            ("one two", "one two", 7),
            ("one two⎋bx", "one wo", 4),
            ("one two⎋0dwi⎋", " two", 0),
            ("one two⎋0cwsix", "six two", 3),
            ("one⎋A two", "one two", 7),
            ("one⎋I0 ", "0 one", 2),
            ("one⎋otwo⎋dd", "one", 3),
            ("one two⎋bDp", "one two", 7),
            ("one⎋xu", "one", 2),
            ("one two three⎋0wix", "one xtwo three", 5),
            ("one⎋ggGx", "one", 3),
            ("one⎋q", "one", 2),
        ] {
            assert_eq!(after(keys), (text.to_owned(), caret), "{keys}");
        }
    }

    #[test]
    fn a_command_can_be_begun_from_an_empty_line() {
        assert_eq!(after("⎋/he").0, "/he");
    }
}
