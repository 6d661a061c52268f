use super::{CodeKind, Lexer, language, language_of_path, languages};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

fn kinds(name: &str, code: &str) -> Vec<(String, CodeKind)> {
    let mut lexer = Lexer::new(language(name).unwrap());
    let mut pieces = Vec::new();
    for line in code.lines() {
        lexer.line(line, &mut |text, kind| {
            if kind != CodeKind::Text {
                pieces.push((text.to_owned(), kind));
            }
        });
    }
    pieces
}

fn check(name: &str, code: &str, expected: &[(&str, CodeKind)]) {
    let expected: Vec<_> = expected.iter().map(|(text, kind)| ((*text).to_owned(), *kind)).collect();
    assert_eq!(kinds(name, code), expected, "{code}");
}

#[test]
fn words_are_sorted_so_that_they_are_found() {
    for language in languages::ALL {
        for words in [language.keywords, language.types, language.constants] {
            assert!(words.is_sorted(), "{}: {words:?}", language.name());
        }
        assert!(language.names.iter().all(|name| *name == name.to_ascii_lowercase()));
    }
}

#[test]
fn rust() {
    check(
        "rust",
        "let x: &'a str = \"a \\\" b\"; // why\nfoo('c', 0x1f);",
        &[
            ("let", CodeKind::Keyword),
            ("'a", CodeKind::Type),
            ("str", CodeKind::Type),
            ("\"a \\\" b\"", CodeKind::String),
            ("// why", CodeKind::Comment),
            ("foo", CodeKind::Function),
            ("'c'", CodeKind::String),
            ("0x1f", CodeKind::Number),
        ],
    );
    check(
        "rs",
        "/* a /* b */\nstill */ fn",
        &[("/* a /* b */", CodeKind::Comment), ("still */", CodeKind::Comment), ("fn", CodeKind::Keyword)],
    );
}

#[test]
fn strings_over_several_lines() {
    check(
        "python",
        "x = \"\"\"a\ndef\n\"\"\" if",
        &[
            ("\"\"\"a", CodeKind::String),
            ("def", CodeKind::String),
            ("\"\"\"", CodeKind::String),
            ("if", CodeKind::Keyword),
        ],
    );
    check("go", "\"open\nfunc", &[("\"open", CodeKind::String), ("func", CodeKind::Keyword)]);
}

#[test]
fn keys_tags_and_variables() {
    check(
        "json",
        "{\"a\": \"b\", \"c\": true}",
        &[
            ("\"a\"", CodeKind::Property),
            ("\"b\"", CodeKind::String),
            ("\"c\"", CodeKind::Property),
            ("true", CodeKind::Constant),
        ],
    );
    check("toml", "name = \"x\"", &[("name", CodeKind::Property), ("\"x\"", CodeKind::String)]);
    check(
        "html",
        "<a href=\"x\">t</a>",
        &[
            ("<a", CodeKind::Keyword),
            ("href", CodeKind::Property),
            ("\"x\"", CodeKind::String),
            (">", CodeKind::Keyword),
            ("</a", CodeKind::Keyword),
            (">", CodeKind::Keyword),
        ],
    );
    check("sh", "if $HOME", &[("if", CodeKind::Keyword), ("$HOME", CodeKind::Property)]);
    check("SQL", "SELECT 1", &[("SELECT", CodeKind::Keyword), ("1", CodeKind::Number)]);
    check("diff", "+a\n-b\n c", &[("+a", CodeKind::Added), ("-b", CodeKind::Removed)]);
}

#[test]
fn languages_by_name_and_by_path() {
    assert_eq!(language("rust,ignore").unwrap().name(), "rust");
    assert_eq!(language("TypeScript").unwrap().name(), "typescript");
    assert!(language("klingon").is_none());
    assert_eq!(language_of_path("src/a.rs").unwrap().name(), "rust");
    assert_eq!(language_of_path("x/Dockerfile").unwrap().name(), "dockerfile");
    assert_eq!(language_of_path("Makefile").unwrap().name(), "makefile");
}

proptest! {
    #[test]
    fn pieces_are_the_line(
        which in 0..languages::ALL.len(),
        code in "(\\PC|[\"'`/*#<>$@{}()\\\\=:.\n-]|let|if|r#\"|/\\*|\\*/|\"\"\"){0,60}",
    ) {
        let mut lexer = Lexer::new(languages::ALL[which]);
        for line in code.lines() {
            let mut whole = String::new();
            lexer.line(line, &mut |text, _| whole.push_str(text));
            prop_assert_eq!(whole, line);
        }
    }
}
