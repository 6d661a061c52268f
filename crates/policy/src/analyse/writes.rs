//! Files that well-known programs write, by their arguments.

use super::walk::Walk;
use crate::effects::{How, Simple, Word};

impl Walk<'_> {
    /// Files that well-known programs write.
    pub(super) fn writes(&mut self, name: &str, simple: &Simple) {
        let (operands, before) = (simple.operands(), self.effects.writes.len());
        match name {
            "tee" | "sponge" => {
                let how = if simple.has("-a") || simple.has("--append") { How::Append } else { How::Over };
                operands.iter().for_each(|word| self.write(word, how, true));
            }
            "cp" | "mv" | "install" | "ln" | "scp" => self.copies(name, simple, &operands),
            "sed" | "gsed" if simple.has("-i") || simple.has("--in-place") => {
                operands.iter().skip(1).for_each(|word| self.write(word, How::Change, false));
            }
            "dd" => {
                for word in simple.args() {
                    if let Some(path) = word.text.strip_prefix("of=") {
                        self.write(&Word { text: path.to_owned(), kind: word.kind }, How::Over, false);
                    }
                }
            }
            "curl" | "wget" | "sort" => {
                let flags: &[&str] = if name == "wget" { &["-O", "--output-document"] } else { &["-o", "--output"] };
                for pair in simple.args().windows(2) {
                    if let [flag, file] = pair
                        && flags.contains(&flag.text.as_str())
                        && file.text != "-"
                    {
                        self.write(file, How::Over, false);
                    }
                }
            }
            "truncate" | "shred" => operands.iter().for_each(|word| self.write(word, How::Over, false)),
            "touch" => operands.iter().for_each(|word| self.write(word, How::Change, false)),
            _ => {}
        }
        let judged = matches!(name, "dd" | "mv" | "truncate" | "shred");
        self.effects.writes.iter_mut().skip(before).for_each(|write| write.judged = judged);
    }

    fn copies(&mut self, name: &str, simple: &Simple, operands: &[&Word]) {
        if name == "ln" && !simple.has("-f") && !simple.has("--force") {
            return;
        }
        let kept = ["-n", "--no-clobber", "--update=none"].iter().any(|flag| simple.has(flag));
        if let ([sources @ .., target], false) = (operands, kept)
            && !sources.is_empty()
        {
            let how = if name == "ln" { How::Change } else { How::Over };
            self.write(target, how, false);
            // The target may be a folder: then the files in it are written.
            for source in sources.iter().filter(|_| target.is_fixed()) {
                let file = source.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
                let path = format!("{}/{file}", target.text.trim_end_matches('/'));
                self.write(&Word { text: path, kind: source.kind }, how, false);
            }
        }
    }
}
