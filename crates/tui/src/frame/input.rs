//! Bytes from the terminal into keys, pastes and replies. Takes pieces of any size; what it does not know it swallows, so
//! that no half of a sequence is ever typed into the text.

use crate::keys::{Chord, Code, Mods};

/// A sequence longer than this is not one.
const LONGEST: usize = 4096;
const PASTE_END: &[u8] = b"\x1b[201~";

/// What the terminal sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A key.
    Key(Key),
    /// Text that was pasted, line ends as `\n`.
    Paste(String),
    /// The terminal has the focus, or lost it.
    Focus(bool),
    /// The terminal's background colour.
    Background(u8, u8, u8),
    /// The terminal has handled everything that was written before it was asked.
    Ack,
    /// The wheel was turned, up when true.
    Wheel(bool),
}

/// A key press.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Which.
    pub chord: Chord,
    /// True when the terminal says that it is held down.
    pub held: bool,
}

/// The state between two pieces.
#[derive(Debug, Default)]
pub struct Parser {
    buffer: Vec<u8>,
    paste: Option<Vec<u8>>,
}

/// What the beginning of the buffer is.
enum Step {
    Done(usize, Option<Input>),
    More,
}

impl Parser {
    /// Takes bytes in and gives what is complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Input> {
        self.buffer.extend_from_slice(bytes);
        self.drain(false)
    }

    /// True when a key may be waiting for bytes that will never come, such as a lone Esc.
    pub fn waits(&self) -> bool {
        !self.buffer.is_empty() && self.paste.is_none()
    }

    /// Nothing more came: what waits is what it looks like.
    pub fn flush(&mut self) -> Vec<Input> {
        self.drain(true)
    }

    fn drain(&mut self, last: bool) -> Vec<Input> {
        let mut out = Vec::new();
        let buffer = std::mem::take(&mut self.buffer);
        let mut rest = buffer.as_slice();
        while !rest.is_empty() {
            if self.paste.is_some() {
                rest = self.pasted(rest, &mut out);
                if self.paste.is_some() {
                    break;
                }
                continue;
            }
            match step(rest, last) {
                Step::Done(used, input) => {
                    if rest.starts_with(b"\x1b[200~") {
                        self.paste = Some(Vec::new());
                    }
                    out.extend(input);
                    rest = rest.get(used.max(1)..).unwrap_or_default();
                }
                Step::More => break,
            }
        }
        self.buffer = rest.to_vec();
        out
    }

    /// Moves bytes into the paste; gives what is behind its end, or what may be the beginning of its end.
    fn pasted<'a>(&mut self, bytes: &'a [u8], out: &mut Vec<Input>) -> &'a [u8] {
        let Some(paste) = &mut self.paste else { return bytes };
        if let Some(at) = bytes.windows(PASTE_END.len()).position(|window| window == PASTE_END) {
            paste.extend_from_slice(bytes.get(..at).unwrap_or_default());
            let text = String::from_utf8_lossy(paste).replace("\r\n", "\n").replace('\r', "\n");
            self.paste = None;
            out.push(Input::Paste(text));
            return bytes.get(at + PASTE_END.len()..).unwrap_or_default();
        }
        let kept = (1..PASTE_END.len())
            .rev()
            .find(|&length| PASTE_END.get(..length).is_some_and(|start| bytes.ends_with(start)))
            .unwrap_or(0);
        let (done, waiting) = bytes.split_at(bytes.len() - kept);
        paste.extend_from_slice(done);
        waiting
    }
}

fn key(code: Code, mods: Mods) -> Option<Input> {
    Some(Input::Key(Key { chord: Chord { code, mods }, held: false }))
}

fn step(bytes: &[u8], last: bool) -> Step {
    match bytes {
        [0x1b] if last => Step::Done(1, key(Code::Esc, Mods::NONE)),
        [0x1b] => Step::More,
        [0x1b, b'[', ..] => csi(bytes, 2, last),
        [0x1b, b'O', ..] => ss3(bytes, last),
        [0x1b, b']' | b'P' | b'_' | b'^', ..] => string(bytes, last),
        [0x1b, 0x1b, b'[', ..] => alted(csi(bytes.get(1..).unwrap_or_default(), 2, last)),
        [0x1b, 0x1b] if !last => Step::More,
        [0x1b, 0x1b, ..] => Step::Done(1, key(Code::Esc, Mods::NONE)),
        [0x1b, rest @ ..] => alted(plain(rest, last)),
        _ => plain(bytes, last),
    }
}

/// The same with one more Esc before it.
fn alted(step: Step) -> Step {
    match step {
        Step::Done(used, Some(Input::Key(mut key))) => {
            key.chord.mods.alt = true;
            Step::Done(used + 1, Some(Input::Key(key)))
        }
        Step::Done(used, other) => Step::Done(used + 1, other),
        Step::More => Step::More,
    }
}

/// A character or a control byte.
fn plain(bytes: &[u8], last: bool) -> Step {
    const CTRL: Mods = Mods { ctrl: true, alt: false, shift: false };
    let Some(&first) = bytes.first() else { return Step::More };
    let (code, mods) = match first {
        b'\r' => (Code::Enter, Mods::NONE),
        b'\t' => (Code::Tab, Mods::NONE),
        0x7f => (Code::Backspace, Mods::NONE),
        0x08 => (Code::Backspace, CTRL),
        0 => (Code::Char(' '), CTRL),
        1..=26 => (Code::Char(char::from(first + b'a' - 1)), CTRL),
        0x1c..=0x1f => (Code::Char(char::from(first + 0x40)), CTRL),
        0x20..=0x7e => (Code::Char(char::from(first)), Mods::NONE),
        _ => return character(bytes, first, last),
    };
    Step::Done(1, key(code, mods))
}

fn character(bytes: &[u8], first: u8, last: bool) -> Step {
    let length = match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return Step::Done(1, None),
    };
    let Some(piece) = bytes.get(..length) else {
        let broken = bytes.iter().skip(1).any(|byte| byte & 0xc0 != 0x80);
        return if broken || last { Step::Done(1, None) } else { Step::More };
    };
    match std::str::from_utf8(piece).ok().and_then(|text| text.chars().next()) {
        Some(c) if !c.is_control() => Step::Done(length, key(Code::Char(c), Mods::NONE)),
        Some(_) => Step::Done(length, None),
        None => Step::Done(1, None),
    }
}

fn ss3(bytes: &[u8], last: bool) -> Step {
    match bytes.get(2) {
        Some(&end) => Step::Done(3, letter(end, Mods::NONE)),
        None if last => Step::Done(2, key(Code::Char('o'), Mods { alt: true, shift: true, ctrl: false })),
        None => Step::More,
    }
}

/// OSC, DCS, APC and PM: up to the bell or the string terminator.
fn string(bytes: &[u8], last: bool) -> Step {
    let body = bytes.get(2..).unwrap_or_default();
    let end = body.iter().position(|&byte| byte == 7 || byte == 0x1b || byte == 0x9c);
    match end.map(|at| (at, body.get(at).copied(), body.get(at + 1).copied())) {
        Some((at, Some(0x1b), Some(b'\\'))) => Step::Done(at + 4, reply(body.get(..at).unwrap_or_default())),
        Some((_, Some(0x1b), None)) if !last => Step::More,
        Some((at, Some(0x1b), _)) => Step::Done(at + 2, None),
        Some((at, _, _)) => Step::Done(at + 3, reply(body.get(..at).unwrap_or_default())),
        None if body.is_empty() && last => {
            let c = bytes.get(1).map_or(' ', |&byte| char::from(byte));
            Step::Done(2, key(Code::Char(c.to_ascii_lowercase()), Mods { alt: true, ..Mods::NONE }))
        }
        None if bytes.len() > LONGEST || last => Step::Done(bytes.len(), None),
        None => Step::More,
    }
}

/// A reply to a question about a colour.
fn reply(body: &[u8]) -> Option<Input> {
    let text = std::str::from_utf8(body).ok()?.strip_prefix("11;rgb:")?;
    let mut parts = text.split('/').map(|part| {
        let high = part.get(..part.len().min(2)).unwrap_or_default();
        u8::from_str_radix(high, 16).ok()
    });
    Some(Input::Background(parts.next()??, parts.next()??, parts.next()??))
}

/// A control sequence; its parameters begin at `from`.
fn csi(bytes: &[u8], from: usize, last: bool) -> Step {
    // The Linux console sends its function keys as `ESC [ [ A`.
    if bytes.get(from) == Some(&b'[') {
        return match bytes.get(from + 1) {
            Some(&c @ b'A'..=b'E') => Step::Done(from + 2, key(Code::F(c - b'A' + 1), Mods::NONE)),
            Some(_) => Step::Done(from + 2, None),
            None if last => Step::Done(bytes.len(), None),
            None => Step::More,
        };
    }
    let body = bytes.get(from..).unwrap_or_default();
    let Some(at) = body.iter().position(|byte| !(0x20..=0x3f).contains(byte)) else {
        if body.is_empty() && last {
            return Step::Done(from, key(Code::Char('['), Mods { alt: true, ..Mods::NONE }));
        }
        return if last || body.len() > LONGEST { Step::Done(bytes.len(), None) } else { Step::More };
    };
    let end = body.get(at).copied().unwrap_or_default();
    if !(0x40..=0x7e).contains(&end) {
        // Something else began in the middle: drop what was there and look at that.
        return Step::Done(from + at, None);
    }
    let text = std::str::from_utf8(body.get(..at).unwrap_or_default()).unwrap_or_default();
    Step::Done(from + at + 1, sequence(text, end))
}

fn sequence(text: &str, end: u8) -> Option<Input> {
    match (text.as_bytes().first(), end) {
        (Some(b'<'), b'M') => wheel(text),
        (Some(b'<' | b'=' | b'>'), _) => None,
        (Some(b'?'), _) => None,
        (None, b'I') => Some(Input::Focus(true)),
        (None, b'O') => Some(Input::Focus(false)),
        (_, b'n') => (text == "0").then_some(Input::Ack),
        (_, b'Z') => key(Code::Tab, Mods { shift: true, ..Mods::NONE }),
        (_, b'~' | b'u') => numbered(text, end),
        // A cursor position that nobody asked for, not F3.
        (_, b'R') if !text.is_empty() && !text.starts_with("1;") => None,
        (_, b'A'..=b'S') => {
            let (mods, kind) = modifiers(text.split(';').nth(1));
            kind.wrap(letter(end, mods))
        }
        _ => None,
    }
}

fn wheel(text: &str) -> Option<Input> {
    match text.get(1..)?.split(';').next()?.parse::<u32>().ok()? & !0x1c {
        64 => Some(Input::Wheel(true)),
        65 => Some(Input::Wheel(false)),
        _ => None,
    }
}

/// Whether a key went down, is held or went up.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Press,
    Held,
    Release,
}

impl Kind {
    fn wrap(self, input: Option<Input>) -> Option<Input> {
        match (self, input) {
            (Self::Release, _) => None,
            (Self::Held, Some(Input::Key(key))) => Some(Input::Key(Key { held: true, ..key })),
            (_, other) => other,
        }
    }
}

fn modifiers(part: Option<&str>) -> (Mods, Kind) {
    let mut parts = part.unwrap_or_default().split(':');
    let bits = parts.next().and_then(|number| number.parse::<u32>().ok()).unwrap_or(1);
    let kind = match parts.next() {
        Some("2") => Kind::Held,
        Some("3") => Kind::Release,
        _ => Kind::Press,
    };
    (Mods::of_bits(bits.saturating_sub(1)), kind)
}

fn letter(end: u8, mods: Mods) -> Option<Input> {
    let code = match end {
        b'A' => Code::Up,
        b'B' => Code::Down,
        b'C' => Code::Right,
        b'D' => Code::Left,
        b'H' => Code::Home,
        b'F' => Code::End,
        b'M' => Code::Enter,
        b'P'..=b'S' => Code::F(end - b'P' + 1),
        _ => return None,
    };
    key(code, mods)
}

/// `ESC [ number ~` and `ESC [ number u`.
fn numbered(text: &str, end: u8) -> Option<Input> {
    let mut parts = text.split(';');
    let number = |part: Option<&str>| part?.split(':').next()?.parse::<u32>().ok();
    let first = number(parts.next())?;
    let (mods, kind) = modifiers(parts.next());
    match (end, first) {
        (b'~', 27) => kind.wrap(unicode(number(parts.next())?, mods)),
        (b'~', _) => kind.wrap(key(tilde(first)?, mods)),
        _ => kind.wrap(unicode(first, mods)),
    }
}

fn tilde(number: u32) -> Option<Code> {
    Some(match number {
        1 | 7 => Code::Home,
        2 => Code::Insert,
        3 => Code::Delete,
        4 | 8 => Code::End,
        5 => Code::PageUp,
        6 => Code::PageDown,
        11..=15 => Code::F(u8::try_from(number - 10).ok()?),
        17..=21 => Code::F(u8::try_from(number - 11).ok()?),
        23..=24 => Code::F(u8::try_from(number - 12).ok()?),
        _ => return None,
    })
}

fn unicode(number: u32, mods: Mods) -> Option<Input> {
    let code = match number {
        9 => Code::Tab,
        13 | 57414 => Code::Enter,
        27 => Code::Esc,
        8 | 127 => Code::Backspace,
        // Keys that only this protocol names, the modifiers themselves among them.
        57344..=63743 => return None,
        _ => Code::Char(char::from_u32(number).filter(|c| !c.is_control())?),
    };
    match code {
        // Shift with a letter is that letter; with Ctrl or Alt the binding is what counts.
        Code::Char(c) if mods.shift && !mods.ctrl && !mods.alt => {
            key(Code::Char(c.to_uppercase().next().unwrap_or(c)), Mods::NONE)
        }
        code => key(code, mods),
    }
}

#[cfg(test)]
#[path = "tests/input.rs"]
mod tests;
