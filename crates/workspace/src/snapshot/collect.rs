//! Keeping the room that states take within bounds. Nothing is collected while any process looks at a tree.

use super::SnapshotError;
use super::contents::Contents;
use super::state::{Index, State};
use reasonix_store::{BlobKey, Blobs, Pack, Packs, private_folder};
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

/// What was made so short ago may belong to something that is not written down yet.
const YOUNG: Duration = Duration::from_secs(3600);

/// A pack is made anew when more than one part in so many of it is not wanted.
const SPARE: u64 = 4;

/// Where more than so many packs are small, one is made of them: each is asked when a content is looked for.
const MANY: usize = 16;
/// A pack that is worth joining takes less than this.
const SMALL: u64 = 16 * 1024 * 1024;

/// What one that is made of several takes at most.
const JOINED: u64 = 256 * 1024 * 1024;

/// What is kept, and what was removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Collected {
    /// How many blobs are kept.
    pub kept: usize,
    /// Their bytes.
    pub bytes: u64,
    /// How many were removed.
    pub removed: usize,
    /// Their bytes.
    pub freed: u64,
}

/// Removes what none of the wanted states needs. `wanted` says which they are, in the order of importance: where all
/// together would be more than `most` bytes, the last ones are given up. It is asked when nobody can begin to use what is
/// kept any more: what a process wrote down before is in the answer, and one that begins now waits. With `dry` nothing is
/// removed. None when a process is using it.
pub fn collect<E: From<SnapshotError>>(
    kept: &Path,
    most: u64,
    dry: bool,
    wanted: impl FnOnce() -> Result<Vec<Vec<String>>, E>,
) -> Result<Option<Collected>, E> {
    if !kept.exists() {
        return Ok(Some(Collected::default()));
    }
    let failed = || SnapshotError::io(kept);
    let lock = open_lock(kept).map_err(failed())?;
    if !dry && flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
        return Ok(None);
    }
    let wanted = wanted()?;
    let contents = Contents::at(kept);
    let blobs = contents.blobs();
    let all = blobs.all().map_err(failed())?;
    let packs = contents.packs().all().map_err(failed())?;
    let packed = packs.iter().flat_map(Pack::contents);
    let sizes: HashMap<BlobKey, u64> = packed.chain(all.iter().map(|(key, size, _)| (*key, *size))).collect();
    let live = live(blobs, &sizes, &wanted, most, kept, dry).map_err(failed())?;
    let mut collected = Collected::default();
    let (thinned, mut small) = collected.packs(contents.packs(), packs, &live, dry).map_err(failed())?;
    for (key, size, age) in all {
        if live.contains(&key) || age < YOUNG {
            collected.kept += 1;
            collected.bytes += size;
        } else {
            collected.removed += 1;
            collected.freed += size;
            if !dry {
                blobs.remove(&key).map_err(failed())?;
            }
        }
    }
    collected.thin(contents.packs(), thinned, &live, dry);
    if small.len() > MANY && !dry {
        let mut sum = 0;
        small.retain(|pack| {
            sum += pack.taken;
            sum <= JOINED
        });
        // It only saves looking into many; that there is no room for it loses nothing.
        let _ = contents.packs().rewrite(&small, &|_| true);
    }
    Ok(Some(collected))
}

impl Collected {
    /// Removes the packs of which nothing is wanted. Gives those of which much is not: making them anew needs room, and what
    /// only gives room goes first. Beside them the small ones that stay.
    fn packs(
        &mut self,
        at: &Packs,
        packs: Vec<Pack>,
        live: &HashSet<BlobKey>,
        dry: bool,
    ) -> io::Result<(Vec<Pack>, Vec<Pack>)> {
        let (mut thinned, mut small) = (Vec::new(), Vec::new());
        for pack in packs {
            let (wanted, others) = parted(&pack, live);
            if pack.age < YOUNG || (wanted.0 > 0 && others.1 <= (wanted.1 + others.1) / SPARE) {
                self.keep(&pack, wanted.0 + others.0);
                if pack.age >= YOUNG && pack.taken < SMALL {
                    small.push(pack);
                }
            } else if wanted.0 > 0 {
                thinned.push(pack);
            } else {
                self.removed += others.0;
                self.freed += pack.taken;
                if !dry {
                    at.remove(&pack)?;
                }
            }
        }
        // Nobody is writing now; where it is only counted, somebody may be.
        for (path, taken, age) in at.leftovers()? {
            if !dry {
                std::fs::remove_file(&path)?;
            }
            if dry && age < YOUNG {
                self.bytes += taken;
            } else {
                self.freed += taken;
            }
        }
        Ok((thinned, small))
    }

    fn keep(&mut self, pack: &Pack, count: usize) {
        self.kept += count;
        self.bytes += pack.taken;
    }

    /// Makes packs anew without what is not wanted. One that cannot be made anew, because the disk is full, stays as it is.
    fn thin(&mut self, at: &Packs, packs: Vec<Pack>, live: &HashSet<BlobKey>, dry: bool) {
        for pack in packs {
            let (wanted, others) = parted(&pack, live);
            if !dry && at.rewrite(std::slice::from_ref(&pack), &|key| live.contains(key)).is_err() {
                self.keep(&pack, wanted.0 + others.0);
                continue;
            }
            self.kept += wanted.0;
            self.bytes += pack.taken.saturating_sub(others.1);
            self.removed += others.0;
            self.freed += others.1;
        }
    }
}

/// How many contents of a pack are wanted and how many bytes they take, and the same of the others.
fn parted(pack: &Pack, live: &HashSet<BlobKey>) -> ((usize, u64), (usize, u64)) {
    let (mut wanted, mut others) = ((0, 0), (0, 0));
    for (key, size) in pack.contents() {
        let sum = if live.contains(&key) { &mut wanted } else { &mut others };
        *sum = (sum.0 + 1, sum.1 + size);
    }
    (wanted, others)
}

/// The blobs that stay.
fn live(
    blobs: &Blobs,
    sizes: &HashMap<BlobKey, u64>,
    wanted: &[Vec<String>],
    most: u64,
    kept: &Path,
    dry: bool,
) -> io::Result<HashSet<BlobKey>> {
    let (mut live, mut bytes) = (HashSet::new(), 0_u64);
    let mut done = HashSet::new();
    for states in wanted {
        let mut needed: HashSet<BlobKey> = HashSet::new();
        for state in states {
            // A state that is gone already needs nothing.
            if let Ok(keys) = State::needs(blobs, state, &done) {
                needed.extend(keys);
                done.extend(BlobKey::from_hex(state));
            }
        }
        let more: u64 = needed.difference(&live).filter_map(|key| sizes.get(key)).sum();
        if bytes.saturating_add(more) > most {
            break;
        }
        bytes += more;
        live.extend(needed);
    }
    // An index vouches for the blobs of its entries, so it goes with them.
    let folder = kept.join("index");
    if folder.exists() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            let index = std::fs::read(&path).ok().and_then(|bytes| Index::decode(&bytes));
            let whole = index.is_some_and(|index| index.needs().all(|key| live.contains(&key)));
            if !whole && !dry {
                std::fs::remove_file(&path)?;
            }
        }
    }
    Ok(live)
}

/// Says that a process relies on what is kept, for as long as the file is open.
pub(super) fn in_use(kept: &Path) -> io::Result<File> {
    private_folder(kept)?;
    let lock = open_lock(kept)?;
    flock(&lock, FlockOperation::LockShared)?;
    Ok(lock)
}

fn open_lock(kept: &Path) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(kept.join("lock"), flags, Mode::RUSR | Mode::WUSR)?))
}
