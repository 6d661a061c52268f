use super::{BUILT_IN, Theme, ThemeError, background_from_env, choose, is_dark, parse_background};
use crate::Colours;
use pretty_assertions::assert_eq;
use ratatui_core::style::{Color, Modifier, Style};

fn none(_: &str) -> Option<String> {
    None
}

#[test]
fn every_built_in_theme_has_every_style_that_it_should() {
    for name in BUILT_IN {
        for colours in [Colours::None, Colours::Sixteen, Colours::Indexed, Colours::True] {
            let mut theme = choose(name, true, colours, &none).unwrap();
            for style in Theme::STYLES.iter().filter(|style| !matches!(**style, "text" | "subject")) {
                let set = *theme.slot(style).unwrap();
                assert!(colours == Colours::None || set != Style::new(), "{name}: {style} is not set");
            }
            if colours == Colours::None {
                theme.each(|style| assert_eq!((style.fg, style.bg), (None, None)));
            }
        }
    }
}

#[test]
fn added_and_removed_differ_without_red_and_green() {
    for name in ["dark-colourblind", "light-colourblind"] {
        let theme = choose(name, true, Colours::True, &none).unwrap();
        let Some((Color::Rgb(red, _, blue), Color::Rgb(red2, _, blue2))) = theme.added.fg.zip(theme.removed.fg) else {
            panic!("{name} is not in true colours")
        };
        assert!(blue > red && red2 > blue2, "{name}");
    }
}

#[test]
fn the_users_theme_builds_on_the_one_for_the_background() {
    let read = |name: &str| {
        (name == "mine").then(|| {
            "[vars]\nleaf = \"#7fb069\"\nloud = \"bold leaf\"\n[styles]\nheading = \"loud on 236\"\ndim = \"\"\n"
                .to_owned()
        })
    };
    let theme = choose("mine", false, Colours::True, &read).unwrap();
    let heading = Style::new().fg(Color::Rgb(0x7f, 0xb0, 0x69)).bg(Color::Indexed(236)).add_modifier(Modifier::BOLD);
    assert_eq!(theme.heading, heading);
    assert_eq!(theme.dim, Style::new());
    assert_eq!(theme.accent, Theme::built_in(false, Colours::True).accent);
}

#[test]
fn what_is_wrong_is_named() {
    let wrong = |text: &str| {
        let read = |_: &str| Some(text.to_owned());
        choose("mine", true, Colours::True, &read).unwrap_err()
    };
    assert!(matches!(choose("nope", true, Colours::True, &none), Err(ThemeError::Unknown { .. })));
    assert!(matches!(wrong("styles = 3"), ThemeError::Unreadable { .. }));
    assert!(matches!(wrong("[styles]\nshade = \"red\""), ThemeError::NoStyle { style, .. } if style == "shade"));
    assert!(matches!(wrong("[styles]\ndim = \"reddish\""), ThemeError::NoColour { word, .. } if word == "reddish"));
    assert!(matches!(wrong("base = \"mine\""), ThemeError::TooDeep { .. }));
    let vars = "[vars]\na = \"b\"\nb = \"a\"\n[styles]\ndim = \"a\"";
    assert!(matches!(wrong(vars), ThemeError::NoColour { .. }));
}

#[test]
fn terminals_with_few_colours() {
    let read = |_: &str| Some("[styles]\nbad = \"#ff2020\"\nchosen = \"bold #000000 on #ffffff\"".to_owned());
    assert_eq!(choose("mine", true, Colours::Sixteen, &read).unwrap().bad.fg, Some(Color::LightRed));
    assert!(matches!(choose("mine", true, Colours::Indexed, &read).unwrap().bad.fg, Some(Color::Indexed(_))));
    let chosen = choose("mine", true, Colours::None, &read).unwrap().chosen;
    assert!(chosen.add_modifier.contains(Modifier::REVERSED) && chosen.bg.is_none());
}

#[test]
fn the_background_as_terminals_tell_it() {
    for (answer, color) in [
        ("rgb:1e1e/1e1e/2e2e", Some((0x1e, 0x1e, 0x2e))),
        ("rgb:ff/ff/ff", Some((255, 255, 255))),
        ("rgba:0000/0000/0000/ffff", Some((0, 0, 0))),
        ("#ffffff", Some((255, 255, 255))),
        ("rgb:x/y/z", None),
        ("rgb:12345/0/0", None),
        ("", None),
    ] {
        assert_eq!(parse_background(answer), color, "{answer}");
    }
    assert!(is_dark((0x1e, 0x1e, 0x2e)) && !is_dark((0xfd, 0xf6, 0xe3)));
    assert_eq!(background_from_env("15;0"), Some(true));
    assert_eq!(background_from_env("0;default;15"), Some(false));
    assert_eq!(background_from_env(""), None);
}
