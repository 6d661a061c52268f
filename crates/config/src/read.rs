//! Reading files that anybody may have put there: regular files only, at most a known size, never waiting.

use crate::ConfigError;
use crate::error::Unreadable;
use rustix::fs::OFlags;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The most that is read of a settings file.
pub(crate) const SETTINGS_LIMIT: u64 = 1 << 20;

/// The text of a settings file; none when there is no file.
pub(crate) fn text(path: &Path) -> Result<Option<String>, ConfigError> {
    let fail = |reason| ConfigError::Read { path: path.to_owned(), reason };
    match bytes(path, SETTINGS_LIMIT) {
        Ok((_, true)) => Err(fail(Unreadable::TooLarge { limit: SETTINGS_LIMIT })),
        Ok((bytes, false)) => decode(bytes).map(Some).map_err(fail),
        Err(Unreadable::Absent) if path.symlink_metadata().is_ok() => Err(fail(Unreadable::Dangling)),
        Err(Unreadable::Absent) => Ok(None),
        Err(reason) => Err(fail(reason)),
    }
}

/// Up to `limit` bytes of a regular file, and whether there is more.
pub(crate) fn bytes(path: &Path, limit: u64) -> Result<(Vec<u8>, bool), Unreadable> {
    let meta = std::fs::metadata(path).map_err(|error| unreadable(&error))?;
    some_of(&open(path, &meta, OFlags::empty())?, limit)
}

/// The same of a file that is no link; none when it is one. Where hundreds of files are read, one look less counts.
pub(crate) fn unlinked(path: &Path, limit: u64) -> Option<Result<(Vec<u8>, bool), Unreadable>> {
    let meta = path.symlink_metadata().ok().filter(|meta| !meta.is_symlink())?;
    Some(open(path, &meta, OFlags::NOFOLLOW).and_then(|file| some_of(&file, limit)))
}

fn some_of(file: &File, limit: u64) -> Result<(Vec<u8>, bool), Unreadable> {
    // Most files are small: one read and one look for more.
    let mut bytes = Vec::with_capacity(8 * 1024);
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    let more = bytes.len() as u64 > limit;
    bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok((bytes, more))
}

/// Opens a regular file. It is looked at before the opening, since opening a device can act, and after it, since it
/// may have been exchanged; without waiting, since a pipe would.
fn open(path: &Path, meta: &Metadata, how: OFlags) -> Result<File, Unreadable> {
    let regular = |meta: &Metadata| if meta.is_file() { Ok(()) } else { Err(Unreadable::NotAFile) };
    regular(meta)?;
    let flags = how | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
        .map_err(|error| unreadable(&error))?;
    regular(&file.metadata().map_err(|error| unreadable(&error))?)?;
    Ok(file)
}

fn unreadable(error: &io::Error) -> Unreadable {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Unreadable::Absent,
        _ => Unreadable::System(error.to_string()),
    }
}

fn decode(bytes: Vec<u8>) -> Result<String, Unreadable> {
    String::from_utf8(bytes).map(|text| text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)).map_err(
        |error| {
            let good = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
            let lines = good.iter().filter(|byte| **byte == b'\n').count();
            Unreadable::NotText { line: u32::try_from(lines + 1).unwrap_or(u32::MAX) }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::{SETTINGS_LIMIT, text};
    use crate::ConfigError;
    use crate::error::Unreadable;
    use std::path::Path;

    fn reason(path: &Path) -> Unreadable {
        match text(path) {
            Err(ConfigError::Read { reason, .. }) => reason,
            other => panic!("{} gave {other:?}", path.display()),
        }
    }

    #[test]
    fn what_is_not_a_small_regular_file_is_refused_without_waiting() {
        let dir = tempfile::tempdir().unwrap();
        let fifo = dir.path().join("fifo");
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        assert_eq!(reason(&fifo), Unreadable::NotAFile);
        assert_eq!(reason(Path::new("/dev/zero")), Unreadable::NotAFile);
        assert_eq!(reason(dir.path()), Unreadable::NotAFile);

        let huge = dir.path().join("huge");
        std::fs::File::create(&huge).unwrap().set_len(5 << 30).unwrap();
        assert_eq!(reason(&huge), Unreadable::TooLarge { limit: SETTINGS_LIMIT });

        let ring = dir.path().join("ring");
        std::os::unix::fs::symlink(&ring, &ring).unwrap();
        assert!(matches!(reason(&ring), Unreadable::System(_)));

        let nowhere = dir.path().join("nowhere");
        std::os::unix::fs::symlink("gone", &nowhere).unwrap();
        assert_eq!(reason(&nowhere), Unreadable::Dangling);

        let latin = dir.path().join("latin");
        std::fs::write(&latin, b"a\nb\n\xff").unwrap();
        assert_eq!(reason(&latin), Unreadable::NotText { line: 3 });
    }

    #[test]
    fn absence_is_no_error_and_a_byte_order_mark_is_dropped() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(text(&dir.path().join("none")), Ok(None));
        std::fs::write(dir.path().join("bom"), "\u{feff}a = 1").unwrap();
        assert_eq!(text(&dir.path().join("bom")), Ok(Some("a = 1".to_owned())));
    }
}
