//! Whether the terminal's background is dark.

/// The colour in a terminal's answer to the question for its background, `rgb:rrrr/gggg/bbbb` or `#rrggbb`. Digits may be
/// one to four a channel.
pub fn parse_background(answer: &str) -> Option<(u8, u8, u8)> {
    let answer = answer.trim();
    let channel = |digits: &str| -> Option<u8> {
        let value = u32::from_str_radix(digits, 16).ok()?;
        let most = 16u32.checked_pow(u32::try_from(digits.len()).ok()?)?.checked_sub(1)?;
        u8::try_from(value * 255 / most.max(1)).ok()
    };
    let channels: Vec<&str> = match answer.strip_prefix('#') {
        Some(hex) if hex.is_ascii() && hex.len() >= 3 && hex.len() % 3 == 0 => {
            let size = hex.len() / 3;
            (0..3).filter_map(|index| hex.get(index * size..(index + 1) * size)).collect()
        }
        Some(_) => return None,
        None => answer.split_once(':')?.1.split('/').collect(),
    };
    match channels.as_slice() {
        [red, green, blue, ..] if channels.iter().all(|digits| (1..=4).contains(&digits.len())) => {
            Some((channel(red)?, channel(green)?, channel(blue)?))
        }
        _ => None,
    }
}

/// True when light text is readable on this colour.
pub fn is_dark((red, green, blue): (u8, u8, u8)) -> bool {
    let luminance = 299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue);
    luminance < 128 * 1000
}

/// What `COLORFGBG` says about the background: its last number, dark below 8.
pub fn background_from_env(value: &str) -> Option<bool> {
    let background: u8 = value.rsplit(';').next()?.trim().parse().ok()?;
    Some(background < 8)
}
