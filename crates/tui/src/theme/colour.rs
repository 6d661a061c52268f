//! Colours: how they are written, and the nearest one where a terminal has fewer.

use crate::Colours;
use ratatui_core::style::{Color, Modifier, Style};

/// The sixteen names, in the order of their numbers.
const NAMES: [(&str, Color); 16] = [
    ("black", Color::Black),
    ("red", Color::Red),
    ("green", Color::Green),
    ("yellow", Color::Yellow),
    ("blue", Color::Blue),
    ("magenta", Color::Magenta),
    ("cyan", Color::Cyan),
    ("white", Color::Gray),
    ("bright-black", Color::DarkGray),
    ("bright-red", Color::LightRed),
    ("bright-green", Color::LightGreen),
    ("bright-yellow", Color::LightYellow),
    ("bright-blue", Color::LightBlue),
    ("bright-magenta", Color::LightMagenta),
    ("bright-cyan", Color::LightCyan),
    ("bright-white", Color::White),
];

/// How xterm draws them, to find the nearest.
const SIXTEEN: [(u8, u8, u8); 16] = [
    (0, 0, 0),
    (205, 0, 0),
    (0, 205, 0),
    (205, 205, 0),
    (0, 0, 238),
    (205, 0, 205),
    (0, 205, 205),
    (229, 229, 229),
    (127, 127, 127),
    (255, 0, 0),
    (0, 255, 0),
    (255, 255, 0),
    (92, 92, 255),
    (255, 0, 255),
    (0, 255, 255),
    (255, 255, 255),
];

/// A colour as `#rrggbb`, a number up to 255, or a name.
pub(super) fn parse(text: &str) -> Option<Color> {
    if let Some(hex) = text.strip_prefix('#') {
        let value = u32::from_str_radix(hex, 16).ok().filter(|_| hex.len() == 6)?;
        let [_, red, green, blue] = value.to_be_bytes();
        return Some(Color::Rgb(red, green, blue));
    }
    if let Ok(index) = text.parse::<u8>() {
        return Some(Color::Indexed(index));
    }
    if text == "default" {
        return Some(Color::Reset);
    }
    NAMES.iter().find(|(name, _)| *name == text).map(|(_, color)| *color)
}

/// The nearest style with so many colours.
pub(super) fn reduce(style: Style, colours: Colours) -> Style {
    let near = |color: Option<Color>| match (color, colours) {
        (_, Colours::None) => None,
        (Some(Color::Rgb(red, green, blue)), Colours::Indexed) => Some(Color::Indexed(indexed((red, green, blue)))),
        (Some(Color::Rgb(red, green, blue)), Colours::Sixteen) => Some(sixteen((red, green, blue))),
        (Some(Color::Indexed(index)), Colours::Sixteen) => Some(sixteen(rgb(index))),
        (color, _) => color,
    };
    let mut reduced = style;
    let had_background = style.bg.is_some();
    reduced.fg = near(style.fg);
    // A tint of sixteen colours is a glaring block, and may be the colour of the text.
    reduced.bg = if colours == Colours::Sixteen { None } else { near(style.bg) };
    // Without a background the chosen entry and changed words have to stand out all the same.
    if had_background && reduced.bg.is_none() && style.add_modifier.contains(Modifier::BOLD) {
        reduced = reduced.add_modifier(Modifier::REVERSED);
    }
    reduced
}

fn distance(a: (u8, u8, u8), b: (u8, u8, u8)) -> u32 {
    let part = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
    3 * part(a.0, b.0) + 6 * part(a.1, b.1) + part(a.2, b.2)
}

fn sixteen(color: (u8, u8, u8)) -> Color {
    let nearest = NAMES.iter().zip(SIXTEEN).min_by_key(|(_, rgb)| distance(color, *rgb));
    nearest.map_or(Color::Reset, |((_, color), _)| *color)
}

fn indexed(color: (u8, u8, u8)) -> u8 {
    (16..=255).min_by_key(|index| distance(color, rgb(*index))).unwrap_or(7)
}

/// How xterm draws one of its 256.
fn rgb(index: u8) -> (u8, u8, u8) {
    let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
    match index {
        0..=15 => SIXTEEN.get(usize::from(index)).copied().unwrap_or_default(),
        16..=231 => {
            let cube = index - 16;
            (level(cube / 36), level(cube / 6 % 6), level(cube % 6))
        }
        232..=255 => {
            let grey = 8 + 10 * (index - 232);
            (grey, grey, grey)
        }
    }
}
