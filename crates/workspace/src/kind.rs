//! What a file is, by its type and by its first bytes.

use crate::FileError;
use rustix::fs::{FileType, Stat};

/// Refuses everything but a regular file.
pub(crate) fn regular(path: &str, found: &Stat) -> Result<(), FileError> {
    let kind = match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile => return Ok(()),
        FileType::Directory => return Err(FileError::IsDirectory { path: path.to_owned() }),
        FileType::Fifo => "a named pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Symlink => "a symbolic link",
        _ => "something special",
    };
    Err(FileError::NotAFile { path: path.to_owned(), kind })
}

/// The kinds of binary files that are known by their first bytes.
const MAGIC: &[(&[u8], &str)] = &[
    (b"\x7fELF", "an ELF program or library"),
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF87a", "a GIF picture"),
    (b"GIF89a", "a GIF picture"),
    (b"BM", "a BMP picture"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive (or a jar, docx, xlsx or the like)"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\x1f\x8b", "gzip data"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ\x00", "xz data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\xca\xfe\xba\xbe", "a Java class or a Mach-O program"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program"),
    (b"MZ", "a Windows program"),
    (b"!<arch>\n", "a static library"),
    (b"\x00asm", "WebAssembly"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
    (b"OggS", "Ogg media"),
    (b"ID3", "MP3 audio"),
    (b"fLaC", "FLAC audio"),
];

/// A guess of what binary data is.
pub(crate) fn guess(head: &[u8]) -> &'static str {
    if let Some((_, kind)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        return kind;
    }
    match (head.get(..4), head.get(4..8), head.get(8..12), head.get(257..262)) {
        (Some(b"RIFF"), _, Some(b"WEBP"), _) => "a WebP picture",
        (Some(b"RIFF"), _, Some(b"WAVE"), _) => "WAV audio",
        (_, Some(b"ftyp"), _, _) => "MP4 media",
        (_, _, _, Some(b"ustar")) => "a tar archive",
        _ if head.contains(&0) => "binary data",
        _ => "bytes in no known text encoding",
    }
}

/// True when the first bytes are those of a known binary format that no text starts with.
pub(crate) fn is_known(head: &[u8]) -> bool {
    MAGIC.iter().any(|(magic, _)| magic.iter().any(|byte| !byte.is_ascii_graphic()) && head.starts_with(magic))
}

#[cfg(test)]
mod tests {
    use super::{guess, is_known};

    #[test]
    fn kinds_are_guessed_from_the_first_bytes() {
        assert_eq!(guess(b"\x89PNG\r\n\x1a\n\0\0"), "a PNG picture");
        assert_eq!(guess(b"RIFF\x10\0\0\0WEBPVP8 "), "a WebP picture");
        assert_eq!(guess(b"\0\x01\x02"), "binary data");
        assert_eq!(guess(b"\xff\xfd"), "bytes in no known text encoding");
        assert!(is_known(b"\x1f\x8b\x08"));
        assert!(!is_known(b"BM is how this text starts"));
    }
}
