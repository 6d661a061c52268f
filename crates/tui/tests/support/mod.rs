//! What a person would see: lines written into a terminal, read back cell by cell, kept in files.
#![allow(dead_code, unreachable_pub)]
#![allow(clippy::unwrap_used)]

use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::Line;
use reasonix_tui::theme::Theme;
use reasonix_tui::{Colours, Look};
use reasonix_words::Lang;
use std::fmt::Write as _;
use std::num::NonZeroU16;
use std::path::PathBuf;

/// The sizes, backgrounds and languages that everything is shown in.
pub fn looks() -> Vec<(u16, u16, bool, Lang)> {
    let mut looks = Vec::new();
    for (width, height) in [(40, 12), (80, 24), (200, 60)] {
        for dark in [true, false] {
            for lang in [Lang::En, Lang::Zh] {
                looks.push((width, height, dark, lang));
            }
        }
    }
    looks
}

/// A look as a person with a good terminal has it.
pub fn look(dark: bool, lang: Lang) -> Look {
    Look { theme: Theme::built_in(dark, Colours::True), lang, colours: Colours::True, unicode: true }
}

/// Writes lines into a terminal of this size, as the last thing on its screen.
pub fn screen(lines: &[Line<'_>], width: u16, height: u16) -> vt100::Parser {
    let mut parser = vt100::Parser::new(NonZeroU16::new(height).unwrap(), NonZeroU16::new(width).unwrap(), 0);
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            parser.process(b"\r\n");
        }
        let mut bytes = String::new();
        let mut room = usize::from(width);
        for span in &line.spans {
            // Rows are cut at the edge, as the frame does it.
            let text = reasonix_tui::text::cut(&span.content, room);
            room -= reasonix_tui::text::columns(text);
            let _ = write!(bytes, "\x1b[0{}m{text}", codes(line.style.patch(span.style)));
        }
        bytes.push_str("\x1b[0m");
        parser.process(bytes.as_bytes());
    }
    parser
}

fn codes(style: Style) -> String {
    let mut codes = String::new();
    for (modifier, code) in [
        (Modifier::BOLD, 1),
        (Modifier::DIM, 2),
        (Modifier::ITALIC, 3),
        (Modifier::UNDERLINED, 4),
        (Modifier::REVERSED, 7),
        (Modifier::CROSSED_OUT, 9),
    ] {
        if style.add_modifier.contains(modifier) {
            let _ = write!(codes, ";{code}");
        }
    }
    for (color, base) in [(style.fg, 38), (style.bg, 48)] {
        if let Some(Color::Rgb(red, green, blue)) = color {
            let _ = write!(codes, ";{base};2;{red};{green};{blue}");
        }
    }
    codes
}

/// The rows of a screen as text.
pub fn rows(parser: &vt100::Parser) -> String {
    let (_, width) = parser.screen().size();
    let rows: Vec<String> = parser.screen().rows(0, width.get()).map(|row| row.trim_end().to_owned()).collect();
    rows.join("\n").trim_end().to_owned()
}

/// The styles of a screen: a letter for each cell, and what the letters mean.
pub fn styles(parser: &vt100::Parser) -> String {
    let (height, width) = parser.screen().size();
    let mut legend: Vec<String> = Vec::new();
    let mut out = String::new();
    for row in 0..height.get() {
        let mut letters = String::new();
        for column in 0..width.get() {
            let Some(cell) = parser.screen().cell(row, column) else { continue };
            let style = describe(cell);
            let letter = if style.is_empty() || !cell.has_contents() && cell.bgcolor() == vt100::Color::Default {
                ' '
            } else {
                let index = legend.iter().position(|known| *known == style).unwrap_or_else(|| {
                    legend.push(style);
                    legend.len() - 1
                });
                char::from(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[index])
            };
            letters.push(letter);
        }
        out.push_str(letters.trim_end());
        out.push('\n');
    }
    let mut out = out.trim_end().to_owned();
    for (letter, style) in ('a'..='z').chain('A'..='Z').zip(legend) {
        let _ = write!(out, "\n{letter} = {style}");
    }
    out
}

fn describe(cell: &vt100::Cell) -> String {
    let mut words: Vec<String> = Vec::new();
    let color = |color| match color {
        vt100::Color::Default => None,
        vt100::Color::Idx(index) => Some(index.to_string()),
        vt100::Color::Rgb(red, green, blue) => Some(format!("#{red:02x}{green:02x}{blue:02x}")),
    };
    for (set, word) in [
        (cell.bold(), "bold"),
        (cell.dim(), "dim"),
        (cell.italic(), "italic"),
        (cell.underline(), "underline"),
        (cell.inverse(), "reverse"),
    ] {
        if set {
            words.push(word.to_owned());
        }
    }
    words.extend(color(cell.fgcolor()));
    words.extend(color(cell.bgcolor()).map(|color| format!("on {color}")));
    words.join(" ")
}

/// Compares with the file of this name; with `UPDATE_SNAPSHOTS=1` writes it.
pub fn assert_snapshot(name: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(format!("{name}.txt"));
    let text = format!("{}\n", text.trim_end());
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        return std::fs::write(&path, text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    pretty_assertions::assert_str_eq!(kept, text, "{name}: UPDATE_SNAPSHOTS=1 writes it anew");
}
