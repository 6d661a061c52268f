use super::{Buffer, Motion};
use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;

fn typed(text: &str) -> Buffer {
    let mut buffer = Buffer::default();
    text.chars().for_each(|c| buffer.insert(&c.to_string()));
    buffer
}

#[test]
fn backspace_takes_a_whole_grapheme() {
    for text in ["你", "한", "ご", "👩‍👩‍👧", "🇩🇪", "👍🏽", "e\u{301}", "क्षि", "❤️", "a"]
    {
        let mut buffer = typed(&format!("x{text}"));
        buffer.delete(Motion::Left, false);
        assert_eq!(buffer.text(), "x", "{text}");
        assert_eq!(buffer.caret(), 1);
    }
}

#[test]
fn words_and_lines() {
    let mut buffer = typed("fix the tests\nin 上海 now");
    buffer.travel(Motion::WordLeft);
    assert_eq!(buffer.after(), "now");
    buffer.travel(Motion::LineStart);
    assert_eq!(buffer.after(), "in 上海 now");
    buffer.delete(Motion::LineStart, true);
    assert_eq!(buffer.text(), "fix the testsin 上海 now");
    buffer.undo();
    buffer.travel(Motion::Start);
    buffer.travel(Motion::WordRight);
    buffer.delete(Motion::LineEnd, true);
    assert_eq!(buffer.text(), "fix\nin 上海 now");
    buffer.travel(Motion::End);
    buffer.yank();
    assert_eq!(buffer.text(), "fix\nin 上海 now the tests");
}

#[test]
fn a_run_of_typing_is_one_step_of_undo() {
    let mut buffer = typed("one two");
    buffer.undo();
    assert_eq!(buffer.text(), "one ");
    buffer.undo();
    buffer.undo();
    assert_eq!(buffer.text(), "");
    buffer.redo();
    buffer.redo();
    buffer.redo();
    assert_eq!(buffer.text(), "one two");
}

#[derive(Debug, Clone)]
enum Do {
    Type(String),
    Go(Motion),
    Delete(Motion),
    Undo,
    Redo,
    Yank,
}

fn motions() -> impl Strategy<Value = Motion> {
    proptest::sample::select(vec![
        Motion::Left,
        Motion::Right,
        Motion::WordLeft,
        Motion::WordRight,
        Motion::LineStart,
        Motion::LineEnd,
        Motion::Start,
        Motion::End,
    ])
}

fn deeds() -> impl Strategy<Value = Do> {
    prop_oneof![
        4 => "[a-z \n你好한ごé🦀\u{301}\u{200d}🇩🇪👍🏽]{1,4}".prop_map(Do::Type),
        2 => motions().prop_map(Do::Go),
        2 => motions().prop_map(Do::Delete),
        1 => Just(Do::Undo),
        1 => Just(Do::Redo),
        1 => Just(Do::Yank),
    ]
}

proptest! {
    #[test]
    fn the_caret_never_stands_inside_a_grapheme(deeds in proptest::collection::vec(deeds(), 0..40)) {
        let mut buffer = Buffer::default();
        for deed in deeds {
            match deed {
                Do::Type(text) => buffer.insert(&text),
                Do::Go(motion) => buffer.travel(motion),
                Do::Delete(motion) => buffer.delete(motion, true),
                Do::Undo => buffer.undo(),
                Do::Redo => buffer.redo(),
                Do::Yank => buffer.yank(),
            }
            let stands = buffer.text().grapheme_indices(true).map(|(at, _)| at).chain([buffer.text().len()]).any(|at| at == buffer.caret());
            prop_assert!(stands, "{:?} at {}", buffer.text(), buffer.caret());
        }
    }
}
