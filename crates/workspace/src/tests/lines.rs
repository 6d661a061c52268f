//! Windows into files of any size.

use super::{Place, code};
use crate::window::{Wanted, of_stream};
use crate::{Encoding, Eol, Window};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use std::fs::OpenOptions;

#[test]
fn a_window_says_where_it_is() {
    let place = Place::new();
    place.file("f", "one\r\ntwo\nthree");
    place.file("empty", "");
    let workspace = place.open();
    let window = |path: &str, offset, limit| {
        let window = workspace.read_lines(path, offset, limit, 10_000).unwrap();
        (window.first, window.lines.join("|"), window.total, window.more)
    };
    assert_eq!(window("f", 1, 10), (1, "one|two|three".into(), Some(3), false));
    assert_eq!(window("f", 0, 2), (1, "one|two".into(), Some(3), true));
    assert_eq!(window("f", 3, 2), (3, "three".into(), Some(3), false));
    assert_eq!(window("f", 9, 2), (9, String::new(), Some(3), false));
    assert_eq!(window("empty", 1, 2), (1, String::new(), Some(0), false));
    assert_eq!(workspace.read_lines("f", 1, 9, 999).unwrap().format.eol, Eol::Mixed);
}

#[test]
fn long_lines_and_many_bytes_are_cut() {
    let place = Place::new();
    place.file("long", format!("{}\nshort\n", "漢".repeat(5000)));
    place.file("many", "0123456789\n".repeat(100));
    let workspace = place.open();
    let window = workspace.read_lines("long", 1, 10, 100_000).unwrap();
    assert_eq!((window.cut, window.lines.len(), window.total), (1, 2, Some(2)));
    assert!(window.lines[0].len() < 2_100 && window.lines[0].contains("15000 bytes"), "{}", window.lines[0]);
    let window = workspace.read_lines("long", 1, 10, 300).unwrap();
    assert!(window.lines[0].starts_with("漢漢") && window.lines[0].len() < 400 && window.more);
    let window = workspace.read_lines("many", 1, 1000, 115).unwrap();
    assert_eq!((window.lines.len(), window.more, window.cut), (10, true, 0));
}

/// Grows a file with a hole, so that it is large without taking space.
fn stretch(path: &std::path::Path, size: u64) {
    OpenOptions::new().write(true).open(path).unwrap().set_len(size).unwrap();
}

fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

#[test]
fn five_gigabytes_are_read_in_bounded_memory() {
    const SIZE: u64 = 5 * 1024 * 1024 * 1024;
    let place = Place::new();
    let path = place.file("f", "first\nsecond\n".repeat(10_000));
    stretch(&path, SIZE);
    let workspace = place.open();
    let before = peak_memory();
    let window = workspace.read_lines("f", 2, 2, 1000).unwrap();
    assert_eq!((window.lines.join("|"), window.total, window.more), ("second|first".into(), None, true));
    assert_eq!(window.size, SIZE);
    let window = workspace.read_lines("f", 20_000, 100, 1000).unwrap();
    assert_eq!(window.lines.len(), 2);
    assert_eq!(window.lines[0], "second");
    assert!(window.lines[1].starts_with("[binary data"), "{}", window.lines[1]);
    assert_eq!(code(workspace.read_text("f")), "too_large");
    assert!(peak_memory() - before < 256 * 1024 * 1024);
    stretch(&place.file("holes", ""), SIZE);
    assert_eq!(code(workspace.read_lines("holes", 1, 1, 100)), "binary");
}

fn streamed(bytes: &[u8], offset: u64, limit: usize) -> Window {
    let wanted = Wanted { offset, limit, max_bytes: 10_000 };
    of_stream("f", bytes, bytes.len() as u64, wanted).unwrap()
}

#[test]
fn streamed_files_show_the_same_lines_in_every_encoding() {
    let lines: Vec<String> = (0..8_000).map(|i| format!("第{i}行：这个函数读取配置文件，返回名字\r")).collect();
    let text = lines.join("\n") + "\n";
    let wide: Vec<u8> = std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect();
    for (bytes, name) in [
        (text.as_bytes().to_vec(), "UTF-8"),
        ([b"\xef\xbb\xbf", text.as_bytes()].concat(), "UTF-8"),
        (encoding_rs::GBK.encode(&text).0.into_owned(), "GBK"),
        (wide, "UTF-16BE"),
    ] {
        assert!(bytes.len() > 4 * 64 * 1024, "{name} must take several reads");
        let window = streamed(&bytes, 5_000, 3);
        assert_eq!(window.format.encoding.name(), name);
        assert_eq!((window.format.eol, window.lossy), (Eol::Crlf, false));
        let expect: Vec<_> = lines[4_999..5_002].iter().map(|line| line.trim_end()).collect();
        assert_eq!(window.lines, expect);
        let window = streamed(&bytes, 7_999, 10);
        assert_eq!((window.lines.len(), window.total, window.more), (2, Some(8_000), false), "{name}");
        assert_eq!(streamed(&bytes, 1, 1).lines, [lines[0].trim_end()], "{name}");
    }
}

#[test]
fn a_broken_byte_in_a_large_file_is_shown_and_said() {
    let bytes = [b"good line\n".repeat(20_000).as_slice(), b"bad \xff byte\n"].concat();
    let window = streamed(&bytes, 20_001, 1);
    assert_eq!((window.lines.join(""), window.lossy), ("bad \u{fffd} byte".into(), true));
    assert_eq!(window.format.encoding, Encoding::Utf8);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pages_put_together_are_the_file(text in "[a-z漢\r\n]{0,200}", page in 1usize..7) {
        let place = Place::new();
        place.file("f", &text);
        let workspace = place.open();
        let (mut offset, mut lines) = (1, Vec::new());
        loop {
            let window = workspace.read_lines("f", offset, page, 1_000_000).unwrap();
            prop_assert_eq!(window.total, Some(text.lines().count() as u64));
            offset += window.lines.len() as u64;
            lines.extend(window.lines);
            if !window.more {
                break;
            }
        }
        let expect: Vec<_> = text.split_terminator('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
        prop_assert_eq!(lines, expect);
    }
}
