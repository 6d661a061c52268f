//! Boxes that lack a piece, so that it is seen what each piece holds. Only tests are built with it.

use super::{Confined, Sandbox};
use std::sync::atomic::Ordering;

/// A piece of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece {
    /// The list of system calls.
    Filter = 1,
    /// The list of places.
    Landlock = 2,
    /// Namespaces and mounts.
    Walls = 4,
    /// Giving up what a process may do in its own namespaces.
    Privileges = 8,
    /// The look at what a command left, and moving it aside.
    Aside = 16,
}

impl Sandbox {
    /// From now on it lacks these.
    pub(crate) fn lack(&self, pieces: &[Piece]) {
        self.lacks.store(pieces.iter().fold(0, |all, piece| all | *piece as u8), Ordering::Relaxed);
    }

    pub(super) fn lacks(&self, piece: Piece) -> bool {
        self.lacks.load(Ordering::Relaxed) & piece as u8 != 0
    }

    /// What a command needs to get in, without what the box lacks.
    pub(super) fn weakened(&self, mut confined: Confined) -> Confined {
        let locks = &mut confined.locks;
        if self.lacks(Piece::Filter) {
            let pass = u16::try_from(libc::BPF_RET | libc::BPF_K).unwrap_or_default();
            locks.filter = vec![libc::sock_filter { code: pass, jt: 0, jf: 0, k: libc::SECCOMP_RET_ALLOW }];
        }
        if self.lacks(Piece::Landlock) {
            locks.abi = 0;
        }
        if self.lacks(Piece::Privileges) {
            locks.walled = false;
        }
        if self.lacks(Piece::Walls) {
            locks.walled = false;
            confined.walls = None;
        }
        confined
    }
}
