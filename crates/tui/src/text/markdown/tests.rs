use super::{Stream, lines};
use crate::Look;
use crate::text::columns;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use ratatui_core::text::Line;

fn shown(source: &str, width: u16) -> Vec<String> {
    lines(source, width, &Look::default()).iter().map(|line| line.to_string().trim_end().to_owned()).collect()
}

#[test]
fn blocks() {
    for (source, expected) in [
        ("Hello\nworld", vec!["Hello world"]),
        ("# Title\ntext", vec!["Title", "", "text"]),
        ("a\n\nb", vec!["a", "", "b"]),
        ("- one\n- two\n  - three\n- four", vec!["• one", "• two", "  ◦ three", "• four"]),
        ("1. a\n1. b\n1. c", vec!["1. a", "2. b", "3. c"]),
        ("7) a\n8) b", vec!["7. a", "8. b"]),
        ("text:\n- a\n- b\n\nend", vec!["text:", "• a", "• b", "", "end"]),
        ("- [ ] open\n- [x] done", vec!["• [ ] open", "• [x] done"]),
        ("> quoted\n> text\n\nafter", vec!["│ quoted text", "", "after"]),
        ("a\n\n---\n\nb", vec!["a", "", &"─".repeat(20), "", "b"]),
        ("[label](https://a.b/c)", vec!["label (https://a.b/c)"]),
        ("<https://a.b>", vec!["https://a.b"]),
        ("**bold** *it* ~~no~~ `code`", vec!["bold it no code"]),
        ("a <b>html</b>", vec!["a <b>html</b>"]),
        ("[x]: https://a.b", vec!["[x]: https://a.b"]),
        ("你好\n世界", vec!["你好世界"]),
        ("- a\n\n  b\n- c", vec!["• a", "", "  b", "• c"]),
        ("Title\n=====\nx", vec!["Title", "", "x"]),
        ("-", vec!["•"]),
    ] {
        let width = if source.contains("---") { 20 } else { 60 };
        assert_eq!(shown(source, width), expected, "{source:?}");
    }
}

#[test]
fn code_keeps_its_blanks() {
    let source = "Look:\n```rust\nfn main() {\n\n    let x = 1;\n}\n```\nDone";
    assert_eq!(shown(source, 60), ["Look:", "", "  fn main() {", "", "      let x = 1;", "  }", "", "Done"]);
    assert_eq!(shown("- item\n  ```sh\n  - not an item\n  ```\n- next", 60), ["• item", "    - not an item", "• next"]);
    assert_eq!(shown("~~~\n```\n~~~", 60), ["  ```"]);
}

#[test]
fn tables_line_up_with_wide_characters() {
    let source = "| 名称 | n |\n| --- | --: |\n| 苹果 | 12 |\n| pear | 3 |";
    assert_eq!(shown(source, 60), ["名称 │  n", "─────┼───", "苹果 │ 12", "pear │  3"]);
    let narrow = shown("| first column | second column |\n|---|---|\n| some words here | and some more |", 24);
    assert!(narrow.iter().all(|line| columns(line) <= 24), "{narrow:#?}");
    assert!(narrow.iter().any(|line| line.contains('│')));
    assert_eq!(shown("| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |", 6), ["a: 1", "b: 2", "c: 3"]);
}

#[test]
fn model_text_cannot_act() {
    let source = "a\u{1b}[2J `\u{7}` [x](http://\u{202e}b)\n```\n\u{1b}]0;t\u{7}\n```";
    let text = shown(source, 60).join("\n");
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
}

fn streamed(source: &str, cuts: &[usize], width: u16) -> (Vec<Line<'static>>, bool) {
    let look = Look::default();
    let mut stream = Stream::default();
    let mut committed: Vec<Line<'static>> = Vec::new();
    let mut steady = true;
    let mut at = 0;
    let mut cuts = cuts.iter().cycle();
    while at < source.len() {
        let mut to = (at + cuts.next().copied().unwrap_or(1).max(1)).min(source.len());
        while !source.is_char_boundary(to) {
            to += 1;
        }
        stream.push(&source[at..to]);
        stream.draw(width, &look);
        steady &= stream.drawn().starts_with(&committed);
        committed = stream.drawn().to_vec();
        let _ = stream.tail();
        at = to;
    }
    stream.finish();
    stream.draw(width, &look);
    steady &= stream.drawn().starts_with(&committed);
    (stream.drawn().to_vec(), steady)
}

fn markdown() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "# Head\n",
        "text ",
        "word",
        "\n",
        "\n\n",
        "- item ",
        "\n- ",
        "\n  - ",
        "1. one",
        "\n2. two",
        "```rust\n",
        "\n```\n",
        "~~~",
        "    indented\n",
        "> quote\n",
        "| a | b |\n|---|--:|\n| 中文 | 2 |\n",
        "**bold",
        "**",
        "`code`",
        "[l](u:1)",
        "---\n",
        "===\n",
        "中文字符，标点。",
        "\t",
        "fn main() {}",
        "🦀👍🏽",
        "👨\u{200d}👩",
        "e\u{301}\u{301}",
        "❤\u{fe0f}",
        "\u{200d}",
        "<b>",
        "\u{1b}[31m",
        "* * *\n",
        "[a]: b\n",
        "\\",
        "  \n",
        "\r\n",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn however_it_arrives_it_looks_the_same(
        source in markdown(),
        cuts in prop::collection::vec(1usize..40, 1..8),
        width in 1u16..100,
    ) {
        let look = Look::default();
        let whole = lines(&source, width, &look);
        for line in &whole {
            prop_assert!(columns(&line.to_string()) <= usize::from(width), "{:?} at {width}", line.to_string());
        }
        let (arrived, steady) = streamed(&source, &cuts, width);
        prop_assert!(steady, "a line that was given out changed");
        prop_assert_eq!(arrived, whole);
    }

    #[test]
    fn long_lines_and_long_blocks_too(
        word in "[a-z中 |-]{1,12}",
        count in 400usize..3000,
        head in prop::sample::select(vec!["", "```\n", "| a | b |\n|---|---|\n", "> ", "- "]),
        line in 1usize..200,
        cut in 100usize..5000,
    ) {
        let mut source = head.to_owned();
        for index in 0..count {
            source.push_str(&word);
            if index % line == 0 {
                source.push('\n');
            }
        }
        let whole = lines(&source, 80, &Look::default());
        let (arrived, steady) = streamed(&source, &[cut], 80);
        prop_assert!(steady);
        prop_assert_eq!(arrived, whole);
    }
}
