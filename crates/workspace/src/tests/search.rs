//! Finding lines and files.

use super::{Place, code, never};
use crate::{FileMatches, GlobQuery, GrepLine, GrepQuery, Matches, Workspace};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

fn query(pattern: &str) -> GrepQuery {
    GrepQuery { pattern: pattern.to_owned(), ..GrepQuery::default() }
}

fn found(workspace: &Workspace, query: &GrepQuery) -> Matches {
    workspace.grep(query, &never).unwrap()
}

/// `path:number:text` for matches, `path-number-text` for context.
fn flat(matches: &Matches) -> Vec<String> {
    let line = |file: &FileMatches, line: &GrepLine| {
        let mark = if line.matched { ':' } else { '-' };
        format!("{}{mark}{}{mark}{}", file.path, line.number, line.text)
    };
    matches.files.iter().flat_map(|file| file.lines.iter().map(move |found| line(file, found))).collect()
}

fn paths(workspace: &Workspace, pattern: &str) -> Vec<String> {
    let query = GlobQuery { pattern: pattern.to_owned(), ..GlobQuery::default() };
    workspace.glob(&query, &never).unwrap().paths
}

fn tree() -> Place {
    let place = Place::new();
    place.file(".gitignore", "/target\n*.log\n!keep.log\n");
    place.file("a.rs", "fn one() {}\nfn two() {}\n");
    place.file("src/b.rs", "// fn in a comment\r\nfn three() {}\r\n");
    place.file("src/deep/c.txt", "fn text\n");
    place.file("target/out.rs", "fn ignored() {}\n");
    place.file("src/x.log", "fn ignored\n");
    place.file("src/keep.log", "fn kept\n");
    place.file(".hidden/h.rs", "fn hidden() {}\n");
    place.file(".git/config", "fn git\n");
    place.file("bin.dat", b"fn \0 binary\n");
    symlink("a.rs", place.root.join("link.rs")).unwrap();
    symlink("../out", place.root.join("outside")).unwrap();
    place
}

#[test]
fn grep_respects_ignore_rules_and_skips_what_is_hidden_or_binary() {
    let place = tree();
    let workspace = place.open();
    let expect = [
        "a.rs:1:fn one() {}",
        "a.rs:2:fn two() {}",
        "src/b.rs:1:// fn in a comment",
        "src/b.rs:2:fn three() {}",
        "src/deep/c.txt:1:fn text",
        "src/keep.log:1:fn kept",
    ];
    assert_eq!(flat(&found(&workspace, &query("fn "))), expect);
    // The rules of the root also hold when the search starts below it, and the same in a repository.
    let below = GrepQuery { path: Some("src".into()), ..query("fn ") };
    assert_eq!(flat(&found(&workspace, &below)), expect[2..]);
    std::fs::remove_dir_all(place.root.join(".git")).unwrap();
    assert_eq!(flat(&found(&workspace, &query("fn "))), expect);
    assert_eq!(flat(&found(&workspace, &below)), expect[2..]);
    let named = GrepQuery { path: Some("target".into()), ..query("fn ") };
    assert_eq!(flat(&found(&workspace, &named)), ["target/out.rs:1:fn ignored() {}"]);
    let all = GrepQuery { hidden: true, ignored: true, ..query("fn (ignored|hidden)") };
    let files: Vec<_> = found(&workspace, &all).files.into_iter().map(|file| file.path).collect();
    assert_eq!(files, [".hidden/h.rs", "src/x.log", "target/out.rs"]);
}

#[test]
fn rules_above_the_root_do_not_count() {
    let place = tree();
    std::fs::remove_dir_all(place.root.join(".git")).unwrap();
    std::fs::write(place.top().join(".gitignore"), "*\n").unwrap();
    assert_eq!(found(&place.open(), &query("fn ")).shown, 6);
    assert_eq!(paths(&place.open(), "*.rs"), ["a.rs", "link.rs", "src/b.rs"]);
}

#[test]
fn grep_options_do_what_they_say() {
    let place = tree();
    let workspace = place.open();
    let run = |query: GrepQuery| flat(&found(&workspace, &query));
    assert_eq!(run(GrepQuery { ignore_case: true, ..query("FN ONE") }), ["a.rs:1:fn one() {}"]);
    assert_eq!(run(GrepQuery { literal: true, ..query("three() {") }), ["src/b.rs:2:fn three() {}"]);
    assert_eq!(run(query(r"three\(\) \{\}$")), ["src/b.rs:2:fn three() {}"], "a line end is no part of the line");
    assert_eq!(run(GrepQuery { glob: Some("*.txt".into()), ..query("fn") }), ["src/deep/c.txt:1:fn text"]);
    let not = GrepQuery { glob: Some("!*.rs".into()), ..query("fn ") };
    assert_eq!(run(not), ["src/deep/c.txt:1:fn text", "src/keep.log:1:fn kept"]);
    let dotted = GrepQuery { glob: Some(".hidden/**".into()), ..query("fn") };
    assert_eq!(run(dotted), [".hidden/h.rs:1:fn hidden() {}"]);
    assert_eq!(run(GrepQuery { context: 1, ..query("two") }), ["a.rs-1-fn one() {}", "a.rs:2:fn two() {}"]);
    let multi = GrepQuery { multiline: true, ..query(r"one\(\) \{\}\nfn") };
    assert_eq!(run(multi), ["a.rs:1:fn one() {}", "a.rs:2:fn two() {}"]);
    let single = GrepQuery { path: Some("link.rs".into()), ..query("two") };
    assert_eq!(run(single), ["a.rs:2:fn two() {}"]);
    assert_eq!(code(workspace.grep(&GrepQuery { path: Some("nope".into()), ..query("x") }, &never)), "not_found");
}

#[test]
fn a_wrong_pattern_says_where_and_what_to_do() {
    let place = Place::new();
    let workspace = place.open();
    let error = workspace.grep(&query("foo(bar"), &never).unwrap_err();
    assert_eq!(error.code(), "invalid_pattern");
    assert!(error.to_string().contains("unclosed group") && error.to_string().contains("literal"), "{error}");
    let error = workspace.grep(&query(r"a\nb"), &never).unwrap_err();
    assert!(error.to_string().contains("multiline"), "{error}");
    let error = workspace.glob(&GlobQuery { pattern: "a{b".into(), ..GlobQuery::default() }, &never).unwrap_err();
    assert_eq!(error.code(), "invalid_pattern");
}

#[test]
fn the_limit_cuts_at_the_same_place_every_time_and_says_how_many_more() {
    let place = Place::new();
    for file in 0..60 {
        let content: String = (0..10).map(|line| format!("hit {line}\nmiss\n")).collect();
        place.file(&format!("d{}/f{file:02}", file % 7), content);
    }
    let workspace = place.open();
    let all = flat(&found(&workspace, &GrepQuery { limit: 10_000, ..query("hit") }));
    assert_eq!(all.len(), 600);
    for _ in 0..20 {
        let cut = found(&workspace, &GrepQuery { limit: 25, ..query("hit") });
        assert_eq!(flat(&cut), all[..25]);
        assert_eq!((cut.shown, cut.more, cut.more_files), (25, 575, 58));
    }
    let cut = found(&workspace, &GrepQuery { limit: 2, context: 1, ..query("hit") });
    let lines: Vec<_> = flat(&cut).into_iter().map(|line| line.split_once('/').unwrap().1.to_owned()).collect();
    assert_eq!(lines, ["f00:1:hit 0", "f00-2-miss", "f00:3:hit 1", "f00-4-miss"]);
}

#[test]
fn long_lines_are_cut_around_the_match() {
    let place = Place::new();
    place.file("f", format!("{}needle{}\n", "漢".repeat(1000), "字".repeat(1000)));
    let matches = found(&place.open(), &GrepQuery { max_line: 100, ..query("needle") });
    let text = &matches.files[0].lines[0].text;
    assert!(text.len() <= 106 && text.contains("漢needle字"), "{text}");
}

#[test]
fn other_encodings_are_searched_by_their_text() {
    let place = Place::new();
    let text = "// 这个函数读取配置文件，并返回用户的名字。\nint main() {} // 结束\n";
    place.file("gbk.c", encoding_rs::GBK.encode(text).0);
    let wide: Vec<u8> = std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    place.file("utf16.c", wide);
    place.file("utf8.c", text);
    let workspace = place.open();
    let lines: Vec<_> = ["gbk.c", "utf16.c", "utf8.c"].map(|path| format!("{path}:2:int main() {{}} // 结束")).into();
    assert_eq!(flat(&found(&workspace, &query("结束"))), lines);
    assert_eq!(flat(&found(&workspace, &query("main"))), lines);
}

#[test]
fn glob_finds_by_shape() {
    let place = tree();
    let workspace = place.open();
    let none: [&str; 0] = [];
    assert_eq!(paths(&workspace, "*.rs"), ["a.rs", "link.rs", "src/b.rs"]);
    assert_eq!(paths(&workspace, "**/*.rs"), ["a.rs", "link.rs", "src/b.rs"]);
    assert_eq!(paths(&workspace, "./src/*.rs"), ["src/b.rs"]);
    assert_eq!(paths(&workspace, "src/*"), ["src/b.rs", "src/keep.log"]);
    assert_eq!(paths(&workspace, "src/**"), ["src/b.rs", "src/deep/c.txt", "src/keep.log"]);
    assert_eq!(paths(&workspace, "src/"), ["src/b.rs", "src/deep/c.txt", "src/keep.log"]);
    assert_eq!(paths(&workspace, "*.{txt,log}"), ["src/deep/c.txt", "src/keep.log"]);
    assert_eq!(paths(&workspace, ".hidden/*"), [".hidden/h.rs"]);
    assert_eq!(paths(&workspace, ".git/**"), none);
    assert_eq!(paths(&workspace, &format!("{}/src/*.rs", place.root.display())), ["src/b.rs"]);
    assert_eq!(paths(&workspace, "outside/*"), none);
    for outside in ["../*", "/etc/*", "src/../../out/*"] {
        let query = GlobQuery { pattern: outside.into(), ..GlobQuery::default() };
        assert_eq!(code(workspace.glob(&query, &never)), "outside_workspace");
    }
    let cut = GlobQuery { pattern: "**".into(), limit: 2, ..GlobQuery::default() };
    let cut = workspace.glob(&cut, &never).unwrap();
    assert_eq!((cut.paths, cut.more), (vec!["a.rs".to_owned(), "bin.dat".to_owned()], 5));
    let below = GlobQuery { pattern: "*.txt".into(), path: Some("src".into()), ..GlobQuery::default() };
    assert_eq!(workspace.glob(&below, &never).unwrap().paths, ["src/deep/c.txt"]);
}

#[test]
fn a_search_can_be_stopped() {
    let place = tree();
    let workspace = place.open();
    let matches = workspace.grep(&query("fn"), &|| true).unwrap();
    assert_eq!((matches.stopped, matches.shown), (true, 0));
    let found = workspace.glob(&GlobQuery::default(), &|| true).unwrap();
    assert!(found.stopped && found.paths.is_empty());
}

#[test]
fn a_missing_path_names_what_may_have_been_meant() {
    let place = tree();
    place.file("src/settings.rs", "");
    let workspace = place.open();
    for (path, near) in [
        ("src/setings.rs", "src/settings.rs"),
        ("src/Settings.rs", "src/settings.rs"),
        ("src/settings.ts", "src/settings.rs"),
        ("settings.rs", "src/settings.rs"),
        ("wrong/place/c.txt", "src/deep/c.txt"),
    ] {
        let error = workspace.read_text(path).unwrap_err();
        assert_eq!(error.code(), "not_found", "{path}");
        assert!(error.to_string().contains(near), "{path}: {error}");
    }
    let error = workspace.read_text("qqq").unwrap_err();
    assert!(error.to_string().contains("glob"), "{error}");
}

/// What a plain loop over all lines finds.
fn naive(files: &BTreeMap<PathBuf, String>, needle: &str) -> Vec<String> {
    let lines = files.iter().flat_map(|(path, text)| text.split_terminator('\n').enumerate().map(move |l| (path, l)));
    lines
        .filter(|(_, (_, line))| line.strip_suffix('\r').unwrap_or(line).contains(needle))
        .map(|(path, (at, line))| format!("{}:{}:{}", path.display(), at + 1, line.strip_suffix('\r').unwrap_or(line)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn grep_finds_what_a_plain_loop_finds(
        files in proptest::collection::btree_map("[a-c]{1,2}(/[a-c-]{1,2}){0,2}/f[0-9]", "([abé漢 ]{0,6}(\n|\r\n)){0,8}[ab]{0,3}", 0..12),
        needle in "[abé漢 ]{1,2}",
        limit in 1usize..30,
    ) {
        let place = Place::new();
        let mut kept = BTreeMap::new();
        for (path, text) in files {
            place.file(&path, &text);
            kept.insert(PathBuf::from(path), text);
        }
        let expect = naive(&kept, &needle);
        for literal in [true, false] {
            let query = GrepQuery { literal, limit, ..query(&needle) };
            let matches = found(&place.open(), &query);
            prop_assert_eq!(flat(&matches), &expect[..expect.len().min(limit)]);
            prop_assert_eq!(matches.shown + matches.more, expect.len());
        }
    }
}

#[test]
fn ignore_files_that_are_pipes_links_or_too_large_are_named_and_not_used() {
    let fifo = |path: PathBuf| {
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    };
    for repository in [true, false] {
        let place = Place::new();
        place.file("a.rs", "fn a() {}\n");
        place.file("ok/.gitignore", "b.rs\n");
        place.file("ok/b.rs", "fn b() {}\n");
        place.file("sub/deep/c.rs", "fn c() {}\n");
        place.file("large/d.rs", "fn d() {}\n");
        place.file("large/.gitignore", "d.rs\n".repeat(300_000));
        place.file(".git/config", "");
        let mut unfit = vec!["large/.gitignore", "sub/.gitignore", "sub/deep/.ignore"];
        if repository {
            std::fs::create_dir(place.root.join(".git/info")).unwrap();
            fifo(place.root.join(".git/info/exclude"));
            fifo(place.root.join(".gitignore"));
            unfit.splice(0..0, [".git/info/exclude", ".gitignore"]);
        } else {
            std::fs::remove_dir_all(place.root.join(".git")).unwrap();
            fifo(place.root.join(".ignore"));
            unfit.insert(0, ".ignore");
        }
        symlink("/dev/zero", place.root.join("sub/.gitignore")).unwrap();
        fifo(place.root.join("sub/deep/.ignore"));
        let workspace = place.open();
        let matches = found(&workspace, &query("fn"));
        let names: Vec<_> = matches.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(names, ["a.rs", "large/d.rs", "sub/deep/c.rs"]);
        assert_eq!(matches.unfit, unfit);
        let query = GlobQuery { pattern: "**/*.rs".to_owned(), ..GlobQuery::default() };
        let globbed = workspace.glob(&query, &never).unwrap();
        assert_eq!((globbed.paths.len(), globbed.unfit), (3, unfit.iter().map(|name| (*name).to_owned()).collect()));
    }
}
