//! Log files that stay small: lines are appended by any number of processes, and a file that has grown too long makes way
//! for a new one. What cannot be written is lost silently: a log must never be the reason that something else fails.

use crate::{Lock, open_as, private_folder};
use rustix::fs::{Mode, OFlags};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The name of the newest file; older ones have a number behind it, the highest is the oldest.
const NAME: &str = "reasonix.log";
/// The longest line.
const LONGEST: usize = 16 * 1024;

/// The log files of a folder.
#[derive(Debug, Clone)]
pub struct LogFiles {
    folder: PathBuf,
    largest: u64,
    files: u64,
}

impl LogFiles {
    /// Files below this folder, none larger than `largest` bytes (but for one line), `files` of them at most. Touches
    /// nothing.
    pub fn at(folder: &Path, largest: u64, files: u64) -> Self {
        Self { folder: folder.to_owned(), largest: largest.max(LONGEST as u64), files: files.max(1) }
    }

    /// The newest file.
    pub fn newest(&self) -> PathBuf {
        self.folder.join(NAME)
    }

    fn older(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{NAME}.{number}"))
    }

    /// Appends one line; line breaks and other control characters in it are written as escapes.
    pub fn line(&self, text: &str) {
        let _ = self.append(text);
    }

    fn append(&self, text: &str) -> io::Result<()> {
        private_folder(&self.folder)?;
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW;
        let open = || open_as(&self.newest(), flags, Mode::RUSR | Mode::WUSR);
        let mut file = open()?;
        if file.metadata()?.len() >= self.largest {
            // Another process may be at it, or done with it; the line goes into whichever file is the newest then.
            let _ = self.rotate();
            file = open()?;
        }
        let mut line = escaped(text);
        line.truncate(line.floor_char_boundary(LONGEST - 1));
        line.push('\n');
        file.write_all(line.as_bytes())
    }

    /// Moves every file one place on; the oldest goes. One process does it, others write on meanwhile.
    fn rotate(&self) -> io::Result<()> {
        let Ok(_lock) = Lock::try_acquire(&self.folder.join(".rotating")) else { return Ok(()) };
        // Another process may have done it since.
        if std::fs::metadata(self.newest())?.len() < self.largest {
            return Ok(());
        }
        // There were more of them before the settings said so.
        (self.files..).take_while(|number| std::fs::remove_file(self.older(*number)).is_ok()).for_each(drop);
        if self.files == 1 {
            return std::fs::remove_file(self.newest());
        }
        for number in (1..self.files - 1).rev() {
            let _ = std::fs::rename(self.older(number), self.older(number + 1));
        }
        std::fs::rename(self.newest(), self.older(1))
    }
}

/// A text that is one line and does nothing to the terminal that shows it.
fn escaped(text: &str) -> String {
    let mut line = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        if c.is_control() { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, LogFiles};

    #[test]
    fn the_room_is_bounded_and_the_newest_lines_stay() {
        let folder = tempfile::tempdir().unwrap();
        let logs = LogFiles::at(&folder.path().join("logs"), 0, 3);
        let filling = "x".repeat(1000);
        for number in 0..200 {
            logs.line(&format!("{number} {filling}"));
        }
        let files: Vec<_> = std::fs::read_dir(folder.path().join("logs")).unwrap().map(Result::unwrap).collect();
        let logs_only = files.iter().filter(|file| file.file_name().to_string_lossy().starts_with("reasonix.log"));
        assert_eq!(logs_only.clone().count(), 3);
        let room: u64 = logs_only.map(|file| file.metadata().unwrap().len()).sum();
        assert!(room < 3 * (LONGEST as u64 + 1100), "{room}");
        let newest = std::fs::read_to_string(logs.newest()).unwrap();
        assert!(newest.lines().last().unwrap().starts_with("199 "), "{newest}");
    }

    #[test]
    fn fewer_files_than_before_leave_none_behind() {
        let folder = tempfile::tempdir().unwrap();
        let fill = |files| {
            let logs = LogFiles::at(folder.path(), 0, files);
            (0..200).for_each(|number| logs.line(&format!("{number} {}", "x".repeat(1000))));
            let names = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name());
            names.filter(|name| name.to_string_lossy().starts_with("reasonix.log")).count()
        };
        assert_eq!([fill(6), fill(3), fill(2), fill(1)], [6, 3, 2, 1]);
    }

    #[test]
    fn a_line_is_one_line_and_a_folder_that_cannot_be_made_is_no_trouble() {
        let folder = tempfile::tempdir().unwrap();
        let logs = LogFiles::at(folder.path(), 1 << 20, 5);
        logs.line("a\nb\u{1b}[2Jc");
        logs.line(&"é".repeat(LONGEST));
        let text = std::fs::read_to_string(logs.newest()).unwrap();
        assert_eq!(text.lines().next(), Some("a\\nb\\u{1b}[2Jc"));
        assert_eq!(text.lines().count(), 2);
        LogFiles::at(&logs.newest().join("below a file"), 1, 1).line("lost");
        let piped = LogFiles::at(&folder.path().join("piped"), 1, 1);
        crate::private_folder(&folder.path().join("piped")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, piped.newest(), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        piped.line("nobody reads it, and nobody waits");
    }

    #[test]
    fn many_writers_lose_no_line() {
        let folder = tempfile::tempdir().unwrap();
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let logs = LogFiles::at(folder.path(), 64 * 1024, 50);
                std::thread::spawn(move || {
                    (0..500).for_each(|line| logs.line(&format!("{writer} {line} {}", "x".repeat(300))))
                })
            })
            .collect();
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        let files = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
        let logs = files.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("reasonix.log"));
        let lines: usize = logs.map(|path| std::fs::read_to_string(path).unwrap().lines().count()).sum();
        assert_eq!(lines, 2000);
    }
}
