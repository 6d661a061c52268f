use super::{Overlook, Problem, Replaced};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

fn replace(text: &str, old: &str, new: &str, all: bool) -> Result<Replaced, Problem> {
    super::replace(text, old, new, all, Overlook::Slips)
}

/// What a block is allowed to differ in, and what it is not.
#[test]
fn a_strict_search_overlooks_line_ends_and_blanks_before_them() {
    let strict = |text: &str, old: &str| super::replace(text, old, "new\n", false, Overlook::LineEnds);
    for (text, old, wanted) in [
        ("a\nb\n", "a\n", "new\nb\n"),
        ("a\r\nb\r\n", "a\n", "new\r\nb\r\n"),
        ("a  \n  b\t\nc\n", "a\n  b\n", "new\nc\n"),
        ("a\nlast", "last\n", "a\nnew"),
        ("a\u{200b}b\nc\n", "a⟨U+200B⟩b\n", "new\nc\n"),
    ] {
        assert_eq!(strict(text, old).map(|done| done.text), Ok(wanted.to_owned()), "{text:?} {old:?}");
    }
    for (text, old, line) in [
        ("x {\n    run(1);\n        run(2);\n}\n", "  run(1);\n      run(2);\n", Some(2)),
        ("{\n\tb();\n\tc();\n}\n", "    b();\n    c();\n", Some(2)),
        ("a\nb\nc\n", "   1\ta\n   2\tb\n", None),
        ("café au lait\n", "cafe\u{301} au lait\n", Some(1)),
        ("zero\u{200b}width here\n", "zerowidth here\n", Some(1)),
    ] {
        let Err(Problem::Missing { near, .. }) = strict(text, old) else { panic!("{text:?} {old:?}") };
        assert_eq!(near.map(|near| near.line), line, "{text:?} {old:?}");
    }
}

fn once(text: &str, old: &str, new: &str) -> Replaced {
    replace(text, old, new, false).unwrap_or_else(|problem| panic!("{text:?} {old:?}: {problem:?}"))
}

#[test]
fn one_place_is_replaced() {
    // text, old, new, wanted, what was overlooked
    let table = [
        ("a b c", "b", "x", "a x c", None),
        ("a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\n", "x\r\ny\r\nc\r\n", Some("line ends")),
        ("a\r\nb\r\n", "b", "x\ny", "a\r\nx\r\ny\r\n", None),
        ("a\nb\n", "a\r\nb\r\n", "x\r\ny\r\n", "x\ny\n", Some("line ends")),
        ("a\r\nb\r\nc", "\nb", "", "a\r\nc", None),
        ("a\nb\r\nc\n", "b", "b\nd", "a\nb\r\nd\r\nc\n", None),
        ("f(x)  \n  y\t\nz  \n", "f(x)\n  y\nz", "g", "g  \n", Some("trailing blanks")),
        ("f(x)\n  y\n", "f(x)  \n  y \n", "g\n", "g\n", Some("trailing blanks")),
        ("x = 5\nx =\n", "x =  \n", "y =\n", "x = 5\ny =\n", Some("trailing blanks")),
        ("cafe\u{301} au lait\n", "café au", "thé", "thé lait\n", Some("the Unicode form of characters")),
        ("café\n", "cafe\u{301}", "x", "x\n", Some("the Unicode form of characters")),
        ("a\nlast", "last\n", "end\n", "a\nend", Some("the missing line end at the end")),
        ("a\nb\nc\n", "   1\ta\n   2\tb\n", "   1\tA\n   2\tB\n", "A\nB\nc\n", Some("line numbers")),
        ("a\n\tb\nc\n", "12\t\tb", "x", "a\nx\nc\n", Some("line numbers")),
        (
            "if a {\n\tb();\n\tc();\n}\n",
            "    b();\n    c();\n",
            "    b();\n    if d {\n        c();\n    }\n",
            "if a {\n\tb();\n\tif d {\n\t\tc();\n\t}\n}\n",
            Some("indentation"),
        ),
        (
            "def f():\n    a()\n    b()\n",
            "def f():\n\ta()\n",
            "def f():\n\tif x:\n\t\ta()\n",
            "def f():\n    if x:\n        a()\n    b()\n",
            Some("indentation"),
        ),
        (
            "class A:\n    def f(self):\n        pass\n",
            "def f(self):\n    pass",
            "def g(self):\n    return 1",
            "class A:\n    def g(self):\n        return 1\n",
            Some("indentation"),
        ),
        (
            "{\r\n\tb();\r\n\r\n\tc();\r\n}\r\n",
            "  b();\n\n  c();\n",
            "  d();\n",
            "{\r\n\td();\r\n}\r\n",
            Some("indentation"),
        ),
    ];
    for (text, old, new, wanted, overlooked) in table {
        let replaced = once(text, old, new);
        assert_eq!(replaced.text, wanted, "{text:?} {old:?}");
        assert_eq!((replaced.count, replaced.overlooked), (1, overlooked), "{text:?} {old:?}");
    }
}

#[test]
fn the_same_text_changes_nothing() {
    assert_eq!(once("abc", "b", "b"), Replaced { text: "abc".into(), count: 0, overlooked: None });
}

#[test]
fn several_places_are_named() {
    for (text, old, lines) in [
        ("x\ny\nx\n", "x", vec![1, 3]),
        ("}\n}\n}\n", "}\n}\n", vec![1, 2]),
        ("a \nb\na\t\nb\n", "a\nb", vec![1, 3]),
        ("\ta();\n\t\ta();\n", "  a();", vec![1, 2]),
        ("\ta();\n\tb();\n\n\ta();\n\tb();\n", "  a();\n  b();", vec![1, 4]),
    ] {
        assert_eq!(replace(text, old, "new", false), Err(Problem::Ambiguous(lines)), "{text:?} {old:?}");
    }
}

#[test]
fn all_places_are_replaced_when_asked() {
    assert_eq!(replace("aaa b a", "a", "cc", true).unwrap().text, "cccccc b cc");
    let replaced = replace("x\r\ny\r\nx\r\ny\r\n", "x\ny\n", "z\n", true).unwrap();
    assert_eq!((replaced.text.as_str(), replaced.count), ("z\r\nz\r\n", 2));
}

#[test]
fn a_missing_text_shows_the_nearest_lines() {
    let text = "fn main() {\n    let total = sum(&items);\n}\n";
    let Err(Problem::Missing { near: Some(near), already: None }) =
        replace(text, "let total = sun(&items);", "x", false)
    else {
        panic!("it is not there")
    };
    assert_eq!(near.line, 2);
    assert!(near.shown.contains("   2\t    let total = sum(&items);\n"), "{}", near.shown);
    assert_eq!(
        replace("one line\nanother line\n", "zzzz", "another line", false),
        Err(Problem::Missing { near: None, already: Some(2) })
    );
    assert_eq!(replace("text", "", "x", false), Err(Problem::Empty));
}

#[test]
fn what_is_not_safe_is_refused() {
    for (text, old) in [
        ("x = 5\n", "x =  "),
        ("if a:\n    b\nc\n", "if a:\n    b\n    c\n"),
        ("foo(1)\n", "foo(2)\n"),
        ("a\n \nb", "  "),
        ("1\tcell\n", "2\tcell"),
        ("a\nb\n", "1\ta\n3\tb\n"),
        ("ẹ\u{301}", "ẹ\u{302}"),
    ] {
        let problem = replace(text, old, "new", false).unwrap_err();
        assert!(matches!(problem, Problem::Missing { .. }), "{text:?} {old:?} {problem:?}");
    }
}

#[test]
fn big_files_are_no_trouble() {
    let text = "let value = compute(input);\r\n".repeat(200_000);
    assert!(matches!(
        replace(&text, "let value = compute(inputs);\n", "x", false),
        Err(Problem::Missing { near: Some(_), .. })
    ));
    let wide = "x".repeat(5_000_000);
    assert!(matches!(replace(&wide, "y", "z", false), Err(Problem::Missing { near: None, .. })));
}

proptest! {
    #[test]
    fn an_exact_replacement_is_the_reference(text in "[ab\n é]{0,40}", old in "[ab\n é]{1,4}", new in "[abc\n]{0,5}") {
        prop_assume!(old != new);
        let places = (0..text.len()).filter(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(&old))).count();
        match replace(&text, &old, &new, false) {
            Ok(done) if done.overlooked.is_none() => {
                prop_assert_eq!(places, 1);
                prop_assert_eq!(done.text, text.replacen(&old, &new, 1));
            }
            Ok(_) | Err(Problem::Missing { .. }) => prop_assert_eq!(places, 0),
            Err(Problem::Ambiguous(lines)) => prop_assert!(places == lines.len() || places == 0),
            Err(Problem::Empty) => prop_assert!(false),
        }
        if places > 0 {
            prop_assert_eq!(replace(&text, &old, &new, true).unwrap().text, text.replace(&old, &new));
        }
    }

    #[test]
    fn bytes_outside_the_span_stay(head in "[ab \t\r\n]{0,30}", tail in "[ab \t\r\n]{0,30}", blanks in "[ \t]{0,3}", crlf: bool) {
        let end = if crlf { "\r\n" } else { "\n" };
        let text = format!("{head}\nunique{blanks}{end}piece{end}{tail}");
        let done = replace(&text, "unique\npiece", "some\nother", false).unwrap();
        let wanted = format!("{head}\nsome{end}other{end}{tail}");
        prop_assert_eq!(done.text, wanted);
    }

    #[test]
    fn it_never_panics(text in "[ab\r\n \t\u{301}é1]{0,40}", old in "[ab\r\n \t\u{301}é1]{0,6}", new in "[ab\r\n \t]{0,5}", all: bool) {
        let _ = replace(&text, &old, &new, all).is_ok();
    }
}
