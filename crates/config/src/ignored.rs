//! What git ignores, for the model to leave alone: the patterns of the repository's `.gitignore`, without its comments.

use crate::closed::ClosedFiles;
use crate::rules::{Inside, RulesFile, RulesFiles};
use reasonix_proto::PartKind;
use std::path::Path;

/// The most characters of it.
const LIMIT: usize = 2000;

impl RulesFiles {
    /// Adds the patterns of the `.gitignore` in the root, where there are any.
    #[must_use]
    pub fn with_ignored(mut self, root: &Path, closed: &ClosedFiles) -> Self {
        let path = root.join(".gitignore");
        let known = self.files.len();
        self.add(PartKind::Ignored, path, Some(Inside { folder: root, closed }));
        if let Some(file) = self.files.get_mut(known) {
            shorten(file);
            if file.text.is_empty() {
                self.files.pop();
            }
        }
        self
    }
}

fn shorten(file: &mut RulesFile) {
    let lines = file.text.lines().map(str::trim_end);
    let patterns: Vec<&str> = lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let (mut text, mut left) = (String::new(), LIMIT);
    for (place, pattern) in patterns.iter().enumerate() {
        let length = pattern.chars().count() + usize::from(place > 0);
        if length > left {
            file.truncated = true;
            break;
        }
        left -= length;
        if place > 0 {
            text.push('\n');
        }
        text.push_str(pattern);
    }
    file.text = text;
}

#[cfg(test)]
mod tests {
    use super::LIMIT;
    use crate::{ClosedFiles, RulesFiles};
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn patterns_without_comments_and_at_most_2000_characters() {
        let dir = tempfile::tempdir().unwrap();
        let read = || RulesFiles::default().with_ignored(dir.path(), &ClosedFiles::default());
        assert_eq!(read(), RulesFiles::default());
        for blank in ["", "\n \n", "# nothing\n\n"] {
            fs::write(dir.path().join(".gitignore"), blank).unwrap();
            assert_eq!(read(), RulesFiles::default(), "{blank:?} changes nothing");
        }
        fs::write(dir.path().join(".gitignore"), "# built\r\n/target\r\n\n!keep \n").unwrap();
        assert_eq!(read().files[0].text, "/target\n!keep");
        let long: String = (0..900).map(|number| format!("ä{number}\n")).collect();
        fs::write(dir.path().join(".gitignore"), long).unwrap();
        let file = &read().files[0];
        let count = file.text.chars().count();
        assert!(file.truncated && count <= LIMIT && count > LIMIT - 8, "{count}");
    }

    #[test]
    fn a_link_out_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("repo")).unwrap();
        fs::write(dir.path().join("secret"), "PRIVATE").unwrap();
        symlink("../secret", dir.path().join("repo/.gitignore")).unwrap();
        let rules = RulesFiles::default().with_ignored(&dir.path().join("repo"), &ClosedFiles::default());
        assert!(rules.files.is_empty());
        assert_eq!(rules.notices[0].1.code, "config.rules_outside");
    }
}
