//! The names of temporary files beside the user's own: by them it is told later what a process left that died.

use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher, RandomState};
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

/// What is left by a process of another machine, or before the machine was started anew, counts after so long.
const FORGOTTEN: Duration = Duration::from_secs(24 * 3600);

const BEGIN: &[u8] = b".reasonix-";

/// What a temporary file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// A new content, or a part of it.
    Ours,
    /// What stood in the user's file, and may be the only copy.
    Theirs,
}

impl Holds {
    fn end(self) -> &'static str {
        match self {
            Self::Ours => ".tmp",
            Self::Theirs => ".old",
        }
    }
}

/// A name that nobody can guess. It says which process of which machine has it.
pub(crate) fn name(holds: Holds) -> String {
    // Each state is keyed by the system's randomness, so an empty hash is a random number.
    let random = RandomState::new().build_hasher().finish();
    format!(".reasonix-{:08x}{:08x}{random:016x}{}", here(), std::process::id(), holds.end())
}

/// What a name says that has the form of a temporary file's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Leftover {
    pub(crate) holds: Holds,
    /// The machine and the process; none in names of earlier versions.
    by: Option<(u32, u32)>,
}

impl Leftover {
    pub(crate) fn read(name: &[u8]) -> Option<Self> {
        let rest = std::str::from_utf8(name.strip_prefix(BEGIN)?).ok()?;
        let end = |holds: Holds| rest.strip_suffix(holds.end()).map(|digits| (holds, digits));
        let (holds, digits) = end(Holds::Ours).or_else(|| end(Holds::Theirs))?;
        let hex = digits.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        let part = |from: usize| u32::from_str_radix(digits.get(from..from + 8)?, 16).ok();
        match digits.len() {
            // Earlier versions had one name for both kinds.
            16 if hex => Some(Self { holds: Holds::Theirs, by: None }),
            32 if hex => Some(Self { holds, by: Some((part(0)?, part(8)?)) }),
            _ => None,
        }
    }

    /// Whether nobody has it any more.
    pub(crate) fn is_forgotten(self, modified: SystemTime) -> bool {
        match self.by {
            Some((place, process)) if place == here() => !Path::new("/proc").join(process.to_string()).exists(),
            _ => SystemTime::now().duration_since(modified).is_ok_and(|age| age > FORGOTTEN),
        }
    }
}

/// Stands for this start of this machine, and for the room in which its process numbers mean something.
fn here() -> u32 {
    static HERE: OnceLock<u32> = OnceLock::new();
    *HERE.get_or_init(|| {
        let mut hasher = DefaultHasher::new();
        std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default().hash(&mut hasher);
        std::fs::read_link("/proc/self/ns/pid").unwrap_or_default().hash(&mut hasher);
        u32::try_from(hasher.finish() >> 32).unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::{Holds, Leftover, here, name};
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_name_says_whose_it_is_and_other_names_are_none() {
        let now = SystemTime::now();
        for holds in [Holds::Ours, Holds::Theirs] {
            let read = Leftover::read(name(holds).as_bytes()).unwrap();
            assert_eq!((read.holds, read.by), (holds, Some((here(), std::process::id()))));
            assert!(!read.is_forgotten(now - Duration::from_secs(1_000_000)), "its process is there");
        }
        let dead = format!(".reasonix-{:08x}{:08x}{:016x}.tmp", here(), u32::MAX, 7);
        assert!(Leftover::read(dead.as_bytes()).unwrap().is_forgotten(now));
        let elsewhere = format!(".reasonix-{:08x}{:08x}{:016x}.tmp", here() ^ 1, u32::MAX, 7);
        for old in [elsewhere.as_str(), ".reasonix-0123456789abcdef.tmp"] {
            let read = Leftover::read(old.as_bytes()).unwrap();
            assert!(!read.is_forgotten(now) && read.is_forgotten(now - Duration::from_secs(100_000)), "{old}");
        }
        for other in [".reasonix-x.tmp", ".reasonix-0123456789abcdeF.tmp", ".reasonix-0123456789abcdef", "a.tmp", ""] {
            assert_eq!(Leftover::read(other.as_bytes()), None, "{other}");
        }
    }
}
