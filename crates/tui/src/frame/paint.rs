//! Escape sequences for what is drawn: the smallest that do it.

use crate::Colours;
use crate::frame::row::Row;
use ratatui_core::style::{Color, Modifier, Style};
use std::fmt::{self, Write};

/// Writes what changes a row that shows `old` into `new`. The cursor is in this row at `column`; gives where it ends.
pub(crate) fn rewrite(out: &mut String, old: &Row, new: &Row, column: u16, width: u16, colours: Colours) -> u16 {
    let mut at = column;
    // A row that becomes shorter is erased whole: some terminals count what was erased at its end as part of the line, and
    // fold it when they become narrower.
    let shrinks = new.width < old.width;
    if shrinks {
        out.push_str("\x1b[2K");
    }
    let changed = if shrinks { new.changed(&Row::default()) } else { new.changed(old) };
    let mut style = Style::new();
    for glyph in changed {
        if at != glyph.column {
            to_column(out, glyph.column);
        }
        let wanted = reduced(glyph.style, colours);
        if wanted != style {
            select(out, wanted);
            style = wanted;
        }
        let symbol = new.symbol(glyph);
        out.push_str(symbol);
        at = glyph.column + glyph.wide;
        // Where terminals disagree about a width, or the last column was written, the cursor is told where it is.
        if is_risky(symbol) || at >= width {
            at = u16::MAX;
        }
    }
    if style != Style::new() {
        out.push_str("\x1b[m");
    }
    at
}

/// Writing into a string cannot fail.
pub(crate) fn put(out: &mut String, text: fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

pub(crate) fn to_column(out: &mut String, column: u16) {
    if column == 0 {
        out.push('\r');
    } else {
        put(out, format_args!("\x1b[{}G", column + 1));
    }
}

/// Moves up or down, scrolling nothing.
pub(crate) fn to_row(out: &mut String, from: usize, to: usize) {
    match (from.checked_sub(to), to.checked_sub(from)) {
        (Some(0), _) => {}
        (Some(1), _) => out.push_str("\x1b[A"),
        (Some(up), _) => put(out, format_args!("\x1b[{up}A")),
        (_, Some(1)) => out.push_str("\x1b[B"),
        (_, Some(down)) => put(out, format_args!("\x1b[{down}B")),
        _ => {}
    }
}

/// Graphemes whose width terminals may not agree on: all but those of the scripts that everybody measures alike.
fn is_risky(symbol: &str) -> bool {
    let mut chars = symbol.chars();
    let agreed = |c: char| {
        matches!(c, ' '..='~' | 'À'..='ɏ' | 'Α'..='ԯ' | '、'..='〿' | 'ぁ'..='ゖ' | 'ァ'..='ヺ' | '一'..='鿿' | '가'..='힣' | '！'..='～')
            || matches!(c, '…' | '—' | '·' | '›' | '│' | '─' | '▸' | '▹' | '✓' | '✗' | '❯')
    };
    !(chars.next().is_some_and(agreed) && chars.next().is_none())
}

/// A style as this terminal can show it.
fn reduced(style: Style, colours: Colours) -> Style {
    let reduce =
        |color: Option<Color>| color.filter(|color| *color != Color::Reset).and_then(|color| nearest(color, colours));
    Style { fg: reduce(style.fg), bg: reduce(style.bg), sub_modifier: Modifier::empty(), ..style }
}

fn nearest(color: Color, colours: Colours) -> Option<Color> {
    match (colours, color) {
        (Colours::None, _) => None,
        (Colours::Indexed, Color::Rgb(r, g, b)) => Some(Color::Indexed(index_of(r, g, b))),
        (Colours::Sixteen, Color::Rgb(r, g, b)) => Some(basic(r, g, b)),
        (Colours::Sixteen, Color::Indexed(index @ 16..)) => {
            let (r, g, b) = rgb_of(index);
            Some(basic(r, g, b))
        }
        _ => Some(color),
    }
}

/// The nearest of the 6x6x6 cube and the greys.
fn index_of(r: u8, g: u8, b: u8) -> u8 {
    let level = |value: u8| match value {
        0..48 => 0u8,
        48..115 => 1,
        _ => (value - 35) / 40,
    };
    let (most, least) = (r.max(g).max(b), r.min(g).min(b));
    if most - least < 12 {
        return match most {
            0..5 => 16,
            245.. => 231,
            grey => 232 + ((grey.saturating_sub(3)) / 10).min(23),
        };
    }
    16 + 36 * level(r) + 6 * level(g) + level(b)
}

fn rgb_of(index: u8) -> (u8, u8, u8) {
    if index >= 232 {
        let grey = 8 + (index - 232) * 10;
        return (grey, grey, grey);
    }
    let value = |level: u8| if level == 0 { 0 } else { 55 + level * 40 };
    let index = index.saturating_sub(16);
    (value(index / 36), value(index / 6 % 6), value(index % 6))
}

/// The nearest of the sixteen by its hue.
fn basic(r: u8, g: u8, b: u8) -> Color {
    let (most, least) = (r.max(g).max(b), r.min(g).min(b));
    if most - least < 40 {
        return match most {
            0..50 => Color::Black,
            50..140 => Color::DarkGray,
            140..220 => Color::Gray,
            _ => Color::White,
        };
    }
    let middle = least + (most - least) / 2;
    match (r > middle, g > middle, b > middle) {
        (true, false, false) => Color::Red,
        (false, true, false) => Color::Green,
        (false, false, true) => Color::Blue,
        (true, true, _) => Color::Yellow,
        (true, false, true) => Color::Magenta,
        _ => Color::Cyan,
    }
}

/// Switches to a style, whatever was on before.
fn select(out: &mut String, style: Style) {
    out.push_str("\x1b[0");
    for (modifier, code) in [
        (Modifier::BOLD, 1),
        (Modifier::DIM, 2),
        (Modifier::ITALIC, 3),
        (Modifier::UNDERLINED, 4),
        (Modifier::REVERSED, 7),
        (Modifier::CROSSED_OUT, 9),
    ] {
        if style.add_modifier.contains(modifier) {
            put(out, format_args!(";{code}"));
        }
    }
    for (color, base) in [(style.fg, 30), (style.bg, 40)] {
        if let Some(color) = color {
            colour(out, color, base);
        }
    }
    out.push('m');
}

fn colour(out: &mut String, color: Color, base: u16) {
    let basic = match color {
        Color::Reset => return,
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 60,
        Color::LightRed => 61,
        Color::LightGreen => 62,
        Color::LightYellow => 63,
        Color::LightBlue => 64,
        Color::LightMagenta => 65,
        Color::LightCyan => 66,
        Color::White => 67,
        Color::Rgb(r, g, b) => return put(out, format_args!(";{};2;{r};{g};{b}", base + 8)),
        Color::Indexed(index) => return put(out, format_args!(";{};5;{index}", base + 8)),
    };
    put(out, format_args!(";{}", base + basic));
}
