//! Opening what must be a file: a pipe would keep the reader waiting for ever, a device would never end.

use rustix::fs::{FileType, Mode, OFlags, fstat};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Opens a regular file for reading; anything else is an error at once.
pub fn open_regular(path: &Path) -> io::Result<File> {
    open_as(path, OFlags::RDONLY, Mode::empty())
}

/// Opens with these flags, never waiting for anybody, what is a regular file then.
pub fn open_as(path: &Path, flags: OFlags, mode: Mode) -> io::Result<File> {
    let flags = flags | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = rustix::fs::open(path, flags, mode)?;
    if FileType::from_raw_mode(fstat(&opened)?.st_mode) != FileType::RegularFile {
        return Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok(File::from(opened))
}

/// The text of a regular file of at most `most` bytes.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let mut text = String::new();
    open_regular(path)?.take(most.saturating_add(1)).read_to_string(&mut text)?;
    if text.len() as u64 > most {
        return Err(io::Error::new(ErrorKind::FileTooLarge, format!("larger than {most} bytes")));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::{open_regular, read_text};
    use rustix::fs::{CWD, FileType, mknodat};

    #[test]
    fn only_a_file_is_opened_and_nothing_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        mknodat(CWD, at("fifo"), FileType::Fifo, 0o600.into(), 0).unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("endless")).unwrap();
        std::fs::write(at("file"), "text").unwrap();
        for name in ["fifo", "endless", ".", "absent"] {
            assert!(open_regular(&at(name)).is_err(), "{name}");
        }
        assert_eq!(read_text(&at("file"), 4).unwrap(), "text");
        assert!(read_text(&at("file"), 3).is_err());
    }
}
