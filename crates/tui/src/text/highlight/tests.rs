use super::{Kind, Lexer, language, language_of_path, languages};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

fn kinds(name: &str, code: &str) -> Vec<(String, Kind)> {
    let mut lexer = Lexer::new(language(name).unwrap());
    let mut pieces = Vec::new();
    for line in code.lines() {
        lexer.line(line, &mut |text, kind| {
            if kind != Kind::Text {
                pieces.push((text.to_owned(), kind));
            }
        });
    }
    pieces
}

fn check(name: &str, code: &str, expected: &[(&str, Kind)]) {
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
            ("let", Kind::Keyword),
            ("'a", Kind::Type),
            ("str", Kind::Type),
            ("\"a \\\" b\"", Kind::String),
            ("// why", Kind::Comment),
            ("foo", Kind::Function),
            ("'c'", Kind::String),
            ("0x1f", Kind::Number),
        ],
    );
    check(
        "rs",
        "/* a /* b */\nstill */ fn",
        &[("/* a /* b */", Kind::Comment), ("still */", Kind::Comment), ("fn", Kind::Keyword)],
    );
}

#[test]
fn strings_over_several_lines() {
    check(
        "python",
        "x = \"\"\"a\ndef\n\"\"\" if",
        &[("\"\"\"a", Kind::String), ("def", Kind::String), ("\"\"\"", Kind::String), ("if", Kind::Keyword)],
    );
    check("go", "\"open\nfunc", &[("\"open", Kind::String), ("func", Kind::Keyword)]);
}

#[test]
fn keys_tags_and_variables() {
    check(
        "json",
        "{\"a\": \"b\", \"c\": true}",
        &[("\"a\"", Kind::Property), ("\"b\"", Kind::String), ("\"c\"", Kind::Property), ("true", Kind::Constant)],
    );
    check("toml", "name = \"x\"", &[("name", Kind::Property), ("\"x\"", Kind::String)]);
    check(
        "html",
        "<a href=\"x\">t</a>",
        &[
            ("<a", Kind::Keyword),
            ("href", Kind::Property),
            ("\"x\"", Kind::String),
            (">", Kind::Keyword),
            ("</a", Kind::Keyword),
            (">", Kind::Keyword),
        ],
    );
    check("sh", "if $HOME", &[("if", Kind::Keyword), ("$HOME", Kind::Property)]);
    check("SQL", "SELECT 1", &[("SELECT", Kind::Keyword), ("1", Kind::Number)]);
    check("diff", "+a\n-b\n c", &[("+a", Kind::Added), ("-b", Kind::Removed)]);
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
