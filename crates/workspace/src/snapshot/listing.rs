//! The names in a folder, in one piece of memory and in the order of the system.

use rustix::fd::OwnedFd;
use rustix::fs::RawDir;
use std::ffi::CStr;
use std::mem::MaybeUninit;

/// How much the system gives at a time.
const PIECE: usize = 32 * 1024;

/// Room that the system lists folders into.
pub(super) struct Room(Vec<MaybeUninit<u8>>);

impl Room {
    pub(super) fn new() -> Self {
        Self(vec![MaybeUninit::uninit(); PIECE])
    }
}

/// The names in a folder, each with a zero byte at its end.
pub(super) struct Listing(Vec<u8>);

impl Listing {
    /// Lists a folder that was opened just now.
    pub(super) fn of(folder: &OwnedFd, room: &mut Room) -> rustix::io::Result<Self> {
        let mut names = Vec::new();
        let mut entries = RawDir::new(folder, &mut room.0);
        while let Some(entry) = entries.next() {
            let entry = entry?;
            let name = entry.file_name().to_bytes_with_nul();
            if !matches!(name, b".\0" | b"..\0") {
                names.extend_from_slice(name);
            }
        }
        Ok(Self(names))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &CStr> {
        let mut rest = self.0.as_slice();
        std::iter::from_fn(move || {
            let name = CStr::from_bytes_until_nul(rest).ok()?;
            rest = rest.get(name.to_bytes_with_nul().len()..)?;
            Some(name)
        })
    }

    pub(super) fn holds(&self, wanted: &CStr) -> bool {
        self.names().any(|name| name == wanted)
    }
}
