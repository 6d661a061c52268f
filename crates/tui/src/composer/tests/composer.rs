use super::{Composer, Motion};
use crate::Look;
use crate::text::columns;

fn shown(composer: &mut Composer, width: u16) -> (Vec<String>, (u16, u16)) {
    let (lines, caret) = composer.view(width, 10, &Look::default());
    (lines.iter().map(ToString::to_string).collect(), caret)
}

#[test]
fn a_large_paste_is_a_chip_that_is_deleted_whole() {
    let mut composer = Composer::default();
    let text = "line\n".repeat(40);
    composer.type_text("see ");
    composer.paste(&text);
    assert_eq!(shown(&mut composer, 40), (vec!["see [#1 · 40 lines]".to_owned()], (19, 0)));
    assert_eq!(composer.whole(), format!("see {text}"));
    composer.delete(Motion::Left, false);
    assert_eq!(composer.whole(), "see ");
    composer.buffer.undo();
    assert_eq!(composer.take(), format!("see {text}"));
    assert!(composer.is_blank());
}

#[test]
fn a_small_paste_is_text_without_escape_sequences() {
    let mut composer = Composer::default();
    composer.paste("a\u{1b}[31mb\nc\u{f0000}");
    assert_eq!(composer.whole(), "a[31mb\nc");
}

#[test]
fn up_and_down_walk_rows_first_and_history_then() {
    let mut composer = Composer::default();
    composer.history.add("before");
    composer.type_text("修复\nabcd");
    shown(&mut composer, 20);
    composer.up();
    assert_eq!(shown(&mut composer, 20).1, (4, 0));
    composer.up();
    assert_eq!(composer.whole(), "before");
    composer.down();
    assert_eq!(composer.whole(), "修复\nabcd");
}

#[test]
fn a_huge_text_comes_back_from_the_history_folded_and_whole() {
    let mut composer = Composer::default();
    let huge: String = (0..5000).map(|line| format!("line {line}\n")).collect();
    composer.history.add("before");
    composer.history.add(&format!("look at this\n{huge}"));
    let (lines, _) = shown(&mut composer, 60);
    assert_eq!(lines.len(), 1);
    composer.up();
    let (lines, _) = shown(&mut composer, 60);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[1].contains("5000 lines"), "{lines:?}");
    assert_eq!(composer.whole(), format!("look at this\n{huge}"), "and it is sent whole");
    composer.up();
    composer.up();
    assert_eq!(composer.whole(), "before");
}

#[test]
fn folded_rows_are_walked_like_lines() {
    let mut composer = Composer::default();
    composer.type_text("abcdefghij");
    assert_eq!(shown(&mut composer, 4).0, ["abc", "def", "ghi", "j"]);
    for row in (0..3).rev() {
        composer.up();
        assert_eq!(shown(&mut composer, 4).1.1, row);
    }
    composer.down();
    assert_eq!(shown(&mut composer, 4).1, (1, 1));
}

#[test]
fn a_long_text_scrolls_with_its_caret() {
    let mut composer = Composer::default();
    composer.type_text("1\n2\n3\n4\n5");
    let (lines, caret) = composer.view(10, 3, &Look::default());
    assert_eq!((lines.len(), lines[0].to_string(), caret), (3, "3".to_owned(), (1, 2)));
    composer.travel(Motion::Start);
    let (lines, caret) = composer.view(10, 3, &Look::default());
    assert_eq!((lines[0].to_string(), caret), ("1".to_owned(), (0, 0)));
}

#[test]
fn typed_scripts_with_deletes_and_moves_leave_the_right_cells() {
    for (script, keep) in [("修复测试", "修复测"), ("修正して", "修正し"), ("수정해줘", "수정해"), ("👍🏽🇨🇳👩‍👩‍👧", "👍🏽🇨🇳")]
    {
        let mut composer = Composer::default();
        script.chars().for_each(|c| composer.type_text(&c.to_string()));
        composer.delete(Motion::Left, false);
        assert_eq!(composer.whole(), keep);
        let (_, caret) = shown(&mut composer, 40);
        assert_eq!(usize::from(caret.0), columns(keep));
        composer.travel(Motion::Start);
        composer.travel(Motion::Right);
        composer.type_text("x");
        let first: String = unicode_segmentation::UnicodeSegmentation::graphemes(keep, true).take(1).collect();
        assert!(composer.whole().starts_with(&format!("{first}x")), "{}", composer.whole());
    }
}
