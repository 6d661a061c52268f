//! A command's process tree as the rest of this room sees it: somebody to ask to end, and a report at the end.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The process that owns a command's tree. It is signalled only while it has not been waited for, so that its number
/// cannot be somebody else's.
#[derive(Debug, Default)]
pub(crate) struct Tree(Mutex<Standing>);

#[derive(Debug, Default, Clone, Copy)]
enum Standing {
    #[default]
    Starting,
    /// Asked to end before it was there.
    Unwanted,
    Running(Pid),
    Over,
}

impl Tree {
    /// The owner is there.
    pub(crate) fn started(&self, owner: i32) {
        let Some(owner) = Pid::from_raw(owner) else { return };
        let mut standing = self.standing();
        if matches!(*standing, Standing::Unwanted) {
            let _ = kill_process(owner, Signal::TERM);
        }
        *standing = Standing::Running(owner);
    }

    /// The owner is about to be waited for.
    pub(crate) fn over(&self) {
        *self.standing() = Standing::Over;
    }

    /// Asks the owner to end its tree and itself.
    pub(crate) fn end(&self) {
        let mut standing = self.standing();
        match *standing {
            Standing::Starting => *standing = Standing::Unwanted,
            Standing::Running(owner) => {
                let _ = kill_process(owner, Signal::TERM);
            }
            Standing::Unwanted | Standing::Over => {}
        }
    }

    /// Kills an owner that does not answer, and the command's group with it.
    pub(crate) fn force(&self, command: Option<Pid>) {
        if let Standing::Running(owner) = *self.standing() {
            if let Some(command) = command {
                let _ = kill_process_group(command, Signal::KILL);
            }
            let _ = kill_process(owner, Signal::KILL);
        }
    }

    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What came through the report pipe: numbers, in this order, as far as the owner of the tree got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Report {
    /// The command's own process, which leads its group.
    pub(crate) command: Option<Pid>,
    /// The system's error number when the command could not be executed.
    pub(crate) failed: Option<i32>,
    /// The command's wait status, and whether processes it left had to be ended.
    pub(crate) ended: Option<(i32, bool)>,
}

impl Report {
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let number = |at: usize| Some(i32::from_ne_bytes(bytes.get(at * 4..at * 4 + 4)?.try_into().ok()?));
        Self {
            command: number(0).and_then(Pid::from_raw),
            failed: number(1).filter(|number| *number != 0),
            ended: number(2).zip(number(3)).map(|(status, left)| (status, left != 0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Report;

    #[test]
    fn a_report_may_break_off_anywhere() {
        let whole: Vec<u8> = [77i32, 0, 256, 1].iter().flat_map(|number| number.to_ne_bytes()).collect();
        for cut in 0..=whole.len() {
            let report = Report::read(&whole[..cut]);
            assert_eq!(report.command.map(|pid| pid.as_raw_nonzero().get()), (cut >= 4).then_some(77));
            assert_eq!(report.failed, None);
            assert_eq!(report.ended, (cut == 16).then_some((256, true)));
        }
        let failed: Vec<u8> = [77i32, 2].iter().flat_map(|number| number.to_ne_bytes()).collect();
        assert_eq!(Report::read(&failed).failed, Some(2));
    }
}
