//! Encoding, byte order mark, line ends and mode bits are kept; bytes outside an edit are untouched.

use super::{Place, code, put};
use crate::{Encoding, Eol, Step};
use encoding_rs::{BIG5, EUC_KR, GBK, SHIFT_JIS, WINDOWS_1251, WINDOWS_1252};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use reasonix_proto::ChangeKind;
use std::os::unix::fs::PermissionsExt;

const CHINESE: &str = "// 这个函数读取配置文件，并返回用户的名字。\nint main() { return 0; } // 结束\n";

fn utf16(text: &str, big: bool) -> Vec<u8> {
    let mark = std::iter::once(0xfeff).chain(text.encode_utf16());
    mark.flat_map(|unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
}

fn edit(place: &Place, path: &str, old: &str, new: &str) -> Result<crate::Written, crate::FileError> {
    let workspace = place.open();
    let base = workspace.read_base(path)?;
    assert!(base.text.contains(old), "{:?}", base.text);
    let text = base.text.replacen(old, &base.format.adapt_eol(new), 1);
    workspace.commit(vec![Step::Write { path: path.into(), base: Some(base), text }]).map(|mut done| done.remove(0))
}

#[test]
fn each_encoding_is_read_and_written_back() {
    let legacy = |encoding: &'static encoding_rs::Encoding, text: &str| encoding.encode(text).0.into_owned();
    let table: Vec<(&str, Vec<u8>, &str)> = vec![
        ("UTF-8", CHINESE.as_bytes().to_vec(), "main"),
        ("UTF-8", [b"\xef\xbb\xbf".as_slice(), CHINESE.as_bytes()].concat(), "main"),
        ("UTF-16LE", utf16(CHINESE, false), "main"),
        ("UTF-16BE", utf16(CHINESE, true), "main"),
        ("GBK", legacy(GBK, CHINESE), "main"),
        ("GBK", legacy(GBK, "// 中文注释\nint main() {}\n"), "main"),
        ("Big5", legacy(BIG5, "// 這個函數讀取設定檔，並傳回使用者的名稱。\nint main() {}\n"), "main"),
        ("Shift_JIS", legacy(SHIFT_JIS, "// この関数は設定ファイルを読み込みます。\nint main() {}\n"), "main"),
        ("EUC-KR", legacy(EUC_KR, "// 이 함수는 설정 파일을 읽고 이름을 반환합니다.\nint main() {}\n"), "main"),
        ("windows-1251", legacy(WINDOWS_1251, "// Эта функция читает файл настроек.\nint main() {}\n"), "main"),
        ("windows-1252", legacy(WINDOWS_1252, "// Größe und Länge prüfen, café déjà vu.\nint main() {}\n"), "main"),
    ];
    for (name, bytes, old) in table {
        let place = Place::new();
        let path = place.file("a.c", &bytes);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o751)).unwrap();
        let read = place.open().read_text("a.c").unwrap();
        assert_eq!(read.format.encoding.name(), name, "{:?}", read.text);
        assert_eq!(edit(&place, "a.c", old, "start").unwrap().kind, ChangeKind::Updated, "{name}");
        let expect = read.text.replacen(old, "start", 1);
        assert_eq!(place.open().read_text("a.c").unwrap().text, expect, "{name}");
        edit(&place, "a.c", "start", old).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "{name}");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o751, "{name}");
    }
}

#[test]
fn overwriting_a_whole_file_keeps_its_encoding() {
    let place = Place::new();
    let path = place.file("a.txt", GBK.encode(CHINESE).0);
    put(&place.open(), "a.txt", "新的内容\n").unwrap();
    assert_eq!(std::fs::read(path).unwrap(), GBK.encode("新的内容\n").0.as_ref());
}

#[test]
fn text_that_the_encoding_lacks_is_refused_and_nothing_written() {
    let place = Place::new();
    let bytes = GBK.encode(CHINESE).0.into_owned();
    let path = place.file("a.c", &bytes);
    let error = edit(&place, "a.c", "main", "a\n🦀").unwrap_err();
    assert_eq!(error.code(), "cannot_encode");
    assert!(error.to_string().contains("GBK") && error.to_string().contains("U+1F980"), "{error}");
    assert!(error.to_string().contains("line 3"), "{error}");
    assert_eq!(std::fs::read(path).unwrap(), bytes);
    // An encoder that would turn a yen sign into a backslash is not trusted either.
    let bytes = SHIFT_JIS.encode("// この関数は設定ファイルを読み込みます。\nmain\n").0.into_owned();
    place.file("b.c", &bytes);
    assert_eq!(code(edit(&place, "b.c", "main", "\u{a5}")), "cannot_encode");
}

#[test]
fn line_ends_are_kept_and_offered() {
    let place = Place::new();
    for (content, eol) in [
        ("a\nb\n", Eol::Lf),
        ("a\r\nb\r\n", Eol::Crlf),
        ("a\r\nb\n", Eol::Mixed),
        ("ab", Eol::None),
        ("\n\r\n", Eol::Mixed),
    ] {
        place.file("f", content);
        let read = place.open().read_text("f").unwrap();
        assert_eq!((read.text.as_str(), read.format.eol), (content, eol));
        let adapted = read.format.adapt_eol("x\ny\r\nz");
        assert_eq!(adapted, if eol == Eol::Crlf { "x\r\ny\r\nz" } else { "x\ny\r\nz" });
    }
    let path = place.file("f", "one\r\ntwo\r\n");
    edit(&place, "f", "two", "2\n3").unwrap();
    assert_eq!(std::fs::read(path).unwrap(), b"one\r\n2\r\n3\r\n");
}

#[test]
fn what_is_not_text_is_said_to_be_binary() {
    let place = Place::new();
    let noise: Vec<u8> = (0..4000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8 | 1).collect();
    for (content, kind) in [
        (b"\x7fELF\x02\x01\x01\0\0".to_vec(), "ELF"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), "PNG"),
        (b"\x1f\x8b\x08\x08abc\xff\xfe".to_vec(), "gzip"),
        (b"text\0text".to_vec(), "binary data"),
        (b"\xff\xfea".to_vec(), "UTF-16"),
        (b"\xff\xfe\x00\xd8\x41\x00".to_vec(), "UTF-16"),
        (b"\xef\xbb\xbfa\xff".to_vec(), "encoding"),
        (noise, "encoding"),
    ] {
        place.file("f", &content);
        for error in [
            place.open().read_text("f").unwrap_err(),
            place.open().read_lines("f", 1, 9, 99).unwrap_err(),
            place.open().read_base("f").unwrap_err(),
        ] {
            assert_eq!(error.code(), "binary", "{content:?}");
            assert!(error.to_string().contains(kind), "{error}");
            assert!(error.to_string().contains(&format!("{} bytes", content.len())), "{error}");
        }
    }
}

#[test]
fn new_files_are_utf8_with_the_umasks_mode() {
    let place = Place::new();
    let written = put(&place.open(), "a/b.sh", "héllo\n").unwrap();
    assert_eq!((written.path.as_str(), written.kind, written.before), ("a/b.sh", ChangeKind::Created, None));
    let plain = place.file("plain", "x");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&place.root.join("a/b.sh")), mode(&plain));
    assert_eq!(std::fs::read(place.root.join("a/b.sh")).unwrap(), "héllo\n".as_bytes());
    assert_eq!(place.open().read_text("a/b.sh").unwrap().format.encoding, Encoding::Utf8);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Whatever the bytes: a file is refused as binary, or an edit changes exactly the edited bytes.
    #[test]
    fn bytes_outside_the_edit_are_untouched(
        before in proptest::collection::vec(any::<u8>(), 0..40),
        after in proptest::collection::vec(any::<u8>(), 0..40),
        chinese in "[一-龥，。\r\n a-z]{0,30}",
        gbk in any::<bool>(),
    ) {
        let text = if gbk { GBK.encode(&chinese).0.into_owned() } else { chinese.into_bytes() };
        let bytes = [&before[..], b"\nMARK\n", &text, b"\n", &after].concat();
        let place = Place::new();
        let path = place.file("f", &bytes);
        match place.open().read_base("f") {
            Err(error) => prop_assert_eq!(error.code(), "binary"),
            Ok(base) if base.text.matches("MARK").count() != 1 => {}
            Ok(_) => {
                edit(&place, "f", "MARK", "REPLACED").unwrap();
                let wide = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
                if !wide {
                    let expect = [&before[..], b"\nREPLACED\n", &text, b"\n", &after].concat();
                    prop_assert_eq!(std::fs::read(path).unwrap(), expect);
                }
            }
        }
    }
}
