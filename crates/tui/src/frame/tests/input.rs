use super::{Input, Parser};
use crate::keys::Chord;
use proptest::prelude::*;

fn shown(inputs: &[Input]) -> String {
    let one = |input: &Input| match input {
        Input::Key(key) if key.held => format!("{}(held)", key.chord),
        Input::Key(key) => key.chord.to_string(),
        Input::Paste(text) => format!("paste {text:?}"),
        Input::Focus(on) => format!("focus {on}"),
        Input::Background(r, g, b) => format!("background {r},{g},{b}"),
        Input::Ack => "ack".to_owned(),
        Input::Wheel(up) => format!("wheel {up}"),
    };
    inputs.iter().map(one).collect::<Vec<_>>().join(" ")
}

const TABLE: &[(&str, &str)] = &[
    ("a", "a"),
    ("\r", "Enter"),
    ("\n", "Ctrl+J"),
    ("\x7f", "Backspace"),
    ("\x08", "Ctrl+Backspace"),
    ("\x03", "Ctrl+C"),
    ("\x1f", "Ctrl+_"),
    ("\0", "Ctrl+Space"),
    ("é你🦀", "é 你 🦀"),
    ("\x1b[A\x1bOA", "Up Up"),
    ("\x1b[1;5C", "Ctrl+Right"),
    ("\x1b[1;3D", "Alt+Left"),
    ("\x1b[3~\x1b[3;5~", "Delete Ctrl+Delete"),
    ("\x1b[Z", "Shift+Tab"),
    ("\x1bb", "Alt+B"),
    ("\x1b\x7f", "Alt+Backspace"),
    ("\x1b\r", "Alt+Enter"),
    ("\x1b\x1b[A", "Alt+Up"),
    ("\x1b[13;5u", "Ctrl+Enter"),
    ("\x1b[27;5;13~", "Ctrl+Enter"),
    ("\x1b[13;2u", "Shift+Enter"),
    ("\x1b[97;5u", "Ctrl+A"),
    ("\x1b[97;1:2u\x1b[97;1:3u", "a(held)"),
    ("\x1b[97:65;2u", "A"),
    ("\x1b[57441;2u", ""),
    ("\x1b[1;1:3A", ""),
    ("\x1b[I\x1b[O", "focus true focus false"),
    ("\x1b[0n", "ack"),
    ("\x1b[?62;22c\x1b[?1u\x1b[?2026;2$y\x1b[12;40R\x1b[1;2R", "Shift+F3"),
    ("\x1b]11;rgb:1e1e/2020/ffff\x1b\\x", "background 30,32,255 x"),
    ("\x1b]11;rgb:1e1e/2020/ffff\x07x", "background 30,32,255 x"),
    ("\x1bP>|term 1\x1b\\x", "x"),
    ("\x1b[<64;3;4M\x1b[<65;3;4M\x1b[<0;3;4M", "wheel true wheel false"),
    ("\x1b[[A", "F1"),
    ("\x1b[15~\x1b[24~", "F5 F12"),
    ("\x1b[200~a\r\nb\x1b[31m\rc\x1b[201~z", "paste \"a\\nb\\u{1b}[31m\\nc\" z"),
    ("\x1b[200~\x1b[201\x1b[201~", "paste \"\\u{1b}[201\""),
];

#[test]
fn bytes_are_keys() {
    for (bytes, expected) in TABLE {
        let mut parser = Parser::default();
        let mut inputs = parser.feed(bytes.as_bytes());
        inputs.extend(parser.flush());
        assert_eq!(shown(&inputs), *expected, "{bytes:?}");
    }
}

#[test]
fn bytes_that_come_one_by_one_are_the_same_keys() {
    for (bytes, expected) in TABLE {
        let mut parser = Parser::default();
        let mut inputs: Vec<_> = bytes.bytes().flat_map(|byte| parser.feed(&[byte])).collect();
        inputs.extend(parser.flush());
        assert_eq!(shown(&inputs), *expected, "{bytes:?}");
    }
}

#[test]
fn what_waits_is_what_it_looks_like_when_nothing_more_comes() {
    for (bytes, expected) in
        [("\x1b", "Esc"), ("\x1b\x1b", "Esc Esc"), ("\x1b[", "Alt+["), ("\x1b]", "Alt+]"), ("\x1bO", "Alt+Shift+O")]
    {
        let mut parser = Parser::default();
        assert_eq!(shown(&parser.feed(bytes.as_bytes())), "", "{bytes:?}");
        assert!(parser.waits());
        assert_eq!(shown(&parser.flush()), expected, "{bytes:?}");
        assert!(!parser.waits());
    }
}

#[test]
fn a_paste_never_leaks_into_keys() {
    let mut parser = Parser::default();
    let body = "y\ny\n\x1b[0n".repeat(10_000);
    let bytes = format!("\x1b[200~{body}\x1b[201~");
    let inputs: Vec<_> = bytes.as_bytes().chunks(7).flat_map(|piece| parser.feed(piece)).collect();
    assert_eq!(inputs, [Input::Paste(body)]);
}

proptest! {
    #[test]
    fn any_bytes_in_any_pieces_give_the_same_and_end(bytes in proptest::collection::vec(any::<u8>(), 0..200), cuts in proptest::collection::vec(1usize..9, 1..50)) {
        let mut whole = Parser::default();
        let mut expected = whole.feed(&bytes);
        expected.extend(whole.flush());
        let mut parser = Parser::default();
        let (mut inputs, mut rest, mut cuts) = (Vec::new(), bytes.as_slice(), cuts.iter().cycle());
        while !rest.is_empty() {
            let (piece, after) = rest.split_at((*cuts.next().unwrap()).min(rest.len()));
            inputs.extend(parser.feed(piece));
            rest = after;
        }
        inputs.extend(parser.flush());
        prop_assert_eq!(inputs, expected);
    }

    #[test]
    fn text_comes_through(text in "\\PC{0,40}") {
        let mut parser = Parser::default();
        let typed: String = text.bytes().flat_map(|byte| parser.feed(&[byte])).filter_map(|input| match input {
            Input::Key(key) => key.chord.typed(),
            _ => None,
        }).collect();
        prop_assert_eq!(typed, text);
    }
}

#[test]
fn the_space_bar_types_a_space() {
    let mut parser = Parser::default();
    let inputs = parser.feed(b" ");
    assert!(
        matches!(inputs.as_slice(), [Input::Key(key)] if key.chord.typed() == Some(' ') && key.chord == Chord::plain(crate::keys::Code::Char(' ')))
    );
}
