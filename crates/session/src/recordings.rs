//! What endpoints answered, byte for byte: one line an exchange, in a file beside the session's log. A line is an object
//! with a checksum like those of the log; the bytes are packed with deflate and written in base64.

use crate::line;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use reasonix_proto::{Exchange, RecordId};
use rustix::fs::{Mode, OFlags};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The end of a recording's name.
const END: &str = "wire";
/// The version of the lines.
const VERSION: u32 = 1;
/// A longer line is not one of ours: what is kept of an answer, not packed at all, fits into it.
const LONGEST: u64 = 32 * 1024 * 1024;
/// The most bytes that a line is unpacked to.
const MOST: u64 = 16 * 1024 * 1024;

/// The recording of a session.
#[derive(Debug, Clone)]
pub struct Recordings {
    path: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Line {
    v: u32,
    #[serde(flatten)]
    exchange: Exchange,
    body: String,
}

/// An exchange with its bytes, packed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recording {
    /// What is known of it.
    pub exchange: Exchange,
    packed: Vec<u8>,
}

/// What was found in a recording.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reel {
    /// Every whole exchange, in the order they ended.
    pub exchanges: Vec<Recording>,
    /// Lines that cannot be read, by their number from 1.
    pub damaged: Vec<usize>,
}

/// The bytes of a recording cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unpacked {
    /// They are not what was packed, or fewer.
    #[error("the recorded bytes are damaged")]
    Damaged,
    /// They are more than the recording says, or than one may have.
    #[error("the recorded bytes are more than they may be")]
    TooMany,
}

impl Recordings {
    /// The recording of a session whose log lies here; touches nothing.
    pub fn beside(log: &Path) -> Self {
        Self { path: log.with_extension(END) }
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends an exchange, unless the file would grow beyond `most` bytes; gives whether it was written.
    pub fn append(&self, exchange: Exchange, body: &[u8], most: u64) -> io::Result<bool> {
        let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(body)?;
        let body = STANDARD.encode(packer.finish()?);
        let line = line::seal(&Line { v: VERSION, exchange, body })?;
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::open(&self.path, flags, Mode::RUSR | Mode::WUSR)?);
        let size = file.metadata()?.len();
        if size + line.len() as u64 > most {
            return Ok(false);
        }
        // A line that a death or a full disk cut is closed, so that it costs no other one.
        let mut last = [b'\n'];
        if let Some(end) = size.checked_sub(1) {
            file.read_exact_at(&mut last, end)?;
        }
        let bytes = if last == [b'\n'] { line } else { [b"\n".as_slice(), &line].concat() };
        file.write_all(&bytes)?;
        Ok(true)
    }

    /// Reads what is whole; none when nothing was recorded.
    pub fn read(&self) -> io::Result<Option<Reel>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = match rustix::fs::open(&self.path, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(error) if io::Error::from(error).kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let mut reader = BufReader::with_capacity(256 * 1024, file);
        let (mut reel, mut text) = (Reel::default(), Vec::new());
        for number in 1.. {
            text.clear();
            if reader.by_ref().take(LONGEST).read_until(b'\n', &mut text)? == 0 {
                break;
            }
            match recording(text.strip_suffix(b"\n").unwrap_or(&text)) {
                Some(found) => reel.exchanges.push(found),
                None => reel.damaged.push(number),
            }
            if !text.ends_with(b"\n") {
                reader.skip_until(b'\n')?;
            }
        }
        Ok(Some(reel))
    }
}

fn recording(text: &[u8]) -> Option<Recording> {
    let line: Line = line::is_sound(text).then(|| serde_json::from_slice(text).ok()).flatten()?;
    let packed = STANDARD.decode(line.body).ok().filter(|_| line.v == VERSION)?;
    Some(Recording { exchange: line.exchange, packed })
}

impl Recording {
    /// The bytes that came. Never more than the recording says, whatever they unpack to.
    pub fn bytes(&self) -> Result<Vec<u8>, Unpacked> {
        let stated = self.exchange.kept;
        if stated > MOST {
            return Err(Unpacked::TooMany);
        }
        let mut bytes = Vec::new();
        let mut unpacker = ZlibDecoder::new(self.packed.as_slice()).take(stated + 1);
        unpacker.read_to_end(&mut bytes).map_err(|_| Unpacked::Damaged)?;
        match bytes.len() as u64 {
            length if length > stated => Err(Unpacked::TooMany),
            length if length < stated => Err(Unpacked::Damaged),
            _ => Ok(bytes),
        }
    }
}

impl Reel {
    /// The exchanges that went out while the log ended with one of these records.
    pub fn after(&self, records: &[RecordId]) -> Vec<&Recording> {
        self.exchanges.iter().filter(|found| records.contains(&found.exchange.after)).collect()
    }
}

/// The recordings of a folder of sessions, and their sizes. With `gone`, only those whose session is not there.
pub(crate) fn recordings_of(folder: &Path, gone: bool) -> io::Result<Vec<(PathBuf, u64)>> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        if path.extension().is_none_or(|end| end != END) || gone && path.with_extension("jsonl").exists() {
            continue;
        }
        // Gone since the folder was read.
        let Ok(meta) = entry.metadata() else { continue };
        if meta.is_file() {
            found.push((path, meta.len()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::{Line, MOST, Recordings, STANDARD, Unpacked, VERSION};
    use crate::line;
    use base64::Engine as _;
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use reasonix_proto::{Exchange, ExchangeEnd, Reading, RecordId};
    use std::io::Write as _;
    use std::os::unix::fs::PermissionsExt as _;

    fn exchange(after: u64, kept: u64) -> Exchange {
        Exchange {
            after: RecordId(after),
            at: 5,
            provider: "p".into(),
            model: "m".into(),
            wire_model: None,
            wire: "openai".into(),
            url: "http://h/v1".into(),
            keyed: false,
            key_env: None,
            reading: Reading::default(),
            request: "00".into(),
            request_bytes: 7,
            status: 200,
            headers: vec![("content-type".into(), "text/event-stream".into())],
            bytes: kept,
            kept,
            end: ExchangeEnd::Whole,
        }
    }

    fn packed(bytes: &[u8]) -> String {
        let mut packer = ZlibEncoder::new(Vec::new(), Compression::best());
        packer.write_all(bytes).unwrap();
        STANDARD.encode(packer.finish().unwrap())
    }

    #[test]
    fn what_was_recorded_comes_back_and_is_private() {
        let root = tempfile::tempdir().unwrap();
        let recordings = Recordings::beside(&root.path().join("s.jsonl"));
        assert_eq!(recordings.read().unwrap(), None);
        let body = b"data: {\"a\":1}\n\n\xff".repeat(1000);
        for after in [2, 4] {
            assert!(recordings.append(exchange(after, body.len() as u64), &body, u64::MAX).unwrap());
        }
        let meta = recordings.path().metadata().unwrap();
        assert_eq!(meta.permissions().mode() & 0o777, 0o600);
        assert!(meta.len() < body.len() as u64 / 4, "it is packed: {} bytes", meta.len());
        let reel = recordings.read().unwrap().unwrap();
        assert!(reel.damaged.is_empty());
        assert_eq!(reel.exchanges[1].exchange, exchange(4, body.len() as u64));
        assert_eq!(reel.exchanges[0].bytes().unwrap(), body);
        let found: Vec<_> = reel.after(&[RecordId(3), RecordId(4)]).iter().map(|found| found.exchange.after).collect();
        assert_eq!(found, [RecordId(4)]);
    }

    #[test]
    fn a_file_never_grows_beyond_its_bound() {
        let root = tempfile::tempdir().unwrap();
        let recordings = Recordings::beside(&root.path().join("s.jsonl"));
        // What cannot be packed any smaller.
        let body: Vec<u8> = (0..2000_u32).flat_map(|number| blake_like(number).to_le_bytes()).collect();
        let written = (0..20).filter(|_| recordings.append(exchange(2, 8000), &body, 50_000).unwrap()).count();
        assert!((1..8).contains(&written), "{written}");
        assert!(recordings.path().metadata().unwrap().len() <= 50_000);
    }

    fn blake_like(number: u32) -> u32 {
        number.wrapping_mul(2_654_435_761).rotate_left(13) ^ number.wrapping_mul(2_246_822_519)
    }

    /// Cut anywhere or with a bit flipped anywhere, no wrong byte comes out and the other lines are whole.
    #[test]
    fn damage_costs_its_own_line_only() {
        let root = tempfile::tempdir().unwrap();
        let recordings = Recordings::beside(&root.path().join("s.jsonl"));
        for after in 2..5 {
            recordings.append(exchange(after, 5), b"hello", u64::MAX).unwrap();
        }
        let whole = std::fs::read(recordings.path()).unwrap();
        let second = whole.len() / 3..whole.len() / 3 * 2;
        for at in second.clone() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            std::fs::write(recordings.path(), &bytes).unwrap();
            let reel = recordings.read().unwrap().unwrap();
            for found in &reel.exchanges {
                assert_eq!(found.bytes().as_deref(), Ok(b"hello".as_slice()), "byte {at}");
            }
            assert!(!reel.exchanges.is_empty(), "byte {at}");
        }
        for until in second {
            std::fs::write(recordings.path(), &whole[..until]).unwrap();
            recordings.append(exchange(9, 5), b"hello", u64::MAX).unwrap();
            let reel = recordings.read().unwrap().unwrap();
            let after: Vec<u64> = reel.exchanges.iter().map(|found| found.exchange.after.0).collect();
            assert!(after == [2, 9] || after == [2, 3, 9], "cut at {until}: {after:?}");
        }
    }

    /// A line that unpacks to more than it says, or than an answer may have, gives an error and not its bytes.
    #[test]
    fn a_bomb_stays_packed() {
        let root = tempfile::tempdir().unwrap();
        let recordings = Recordings::beside(&root.path().join("s.jsonl"));
        let bomb = packed(&vec![0; 40 * 1024 * 1024]);
        assert!(bomb.len() < 1024 * 1024);
        for (stated, wanted) in [(1000, Unpacked::TooMany), (MOST + 1, Unpacked::TooMany), (MOST, Unpacked::TooMany)] {
            let made = Line { v: VERSION, exchange: exchange(2, stated), body: bomb.clone() };
            std::fs::write(recordings.path(), line::seal(&made).unwrap()).unwrap();
            let reel = recordings.read().unwrap().unwrap();
            assert_eq!(reel.exchanges[0].bytes(), Err(wanted), "{stated}");
        }
        // Cut off behind what may be read: whoever reads on finds that it is damaged.
        let cut = STANDARD.encode(&STANDARD.decode(&bomb).unwrap()[..20_000]);
        let made = Line { v: VERSION, exchange: exchange(2, 1000), body: cut };
        std::fs::write(recordings.path(), line::seal(&made).unwrap()).unwrap();
        let reel = recordings.read().unwrap().unwrap();
        assert_eq!(reel.exchanges[0].bytes(), Err(Unpacked::TooMany), "no more is unpacked than is asked for");
        for body in [packed(b"less"), "AAAA".to_owned(), String::new()] {
            let made = Line { v: VERSION, exchange: exchange(2, 5), body };
            std::fs::write(recordings.path(), line::seal(&made).unwrap()).unwrap();
            let reel = recordings.read().unwrap().unwrap();
            assert_eq!(reel.exchanges[0].bytes(), Err(Unpacked::Damaged));
        }
        std::fs::write(recordings.path(), vec![b'x'; 40 * 1024 * 1024]).unwrap();
        assert_eq!(recordings.read().unwrap().unwrap().damaged, [1], "a line without an end is bounded");
    }
}
