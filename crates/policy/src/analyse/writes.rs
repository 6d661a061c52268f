//! Files that well-known programs write, by their arguments.

use super::walk::Walk;
use crate::effects::{How, Simple, Word, WordKind, is_flag};
use crate::readers::{is_exact, without_git_options};

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
                for file in valued(simple, flags).into_iter().filter(|file| file.text != "-") {
                    self.write(&file, How::Over, false);
                }
            }
            "git" => self.git_output(simple),
            // A second file is the output.
            "uniq" | "xxd" if operands.len() > 1 && !is_exact(simple) => {
                operands.last().into_iter().for_each(|word| self.write(word, How::Over, false));
            }
            "truncate" | "shred" => operands.iter().for_each(|word| self.write(word, How::Over, false)),
            "touch" => operands.iter().for_each(|word| self.write(word, How::Change, false)),
            _ => {}
        }
        let judged = matches!(name, "dd" | "mv" | "truncate" | "shred");
        self.effects.writes.iter_mut().skip(before).for_each(|write| {
            write.judged = judged;
            write.links = name == "ln";
        });
    }

    /// `git diff --output=file` and the like.
    fn git_output(&mut self, simple: &Simple) {
        let Some(bare) = without_git_options(simple) else { return };
        let places = bare.words.len() == simple.words.len();
        let sub = bare.args().first().map_or("", |word| word.text.as_str());
        let flags: &[&str] = match sub {
            "archive" => &["-o", "--output"],
            "diff" | "show" | "log" | "diff-tree" | "diff-index" | "diff-files" | "range-diff" => &["--output"],
            _ => return,
        };
        // To these a lone `--` ends the options wherever it stands, and what follows are paths.
        let ends = matches!(sub, "diff" | "show" | "log" | "diff-tree" | "diff-index" | "diff-files");
        let ends = ends && !bare.args().iter().any(|word| is_flag(&word.text, "--no-index"));
        let before = bare.words.iter().take_while(|word| !ends || word.text != "--").cloned().collect();
        let bare = Simple { words: before, ..bare };
        let here = places || !simple.has("-C");
        for file in valued(&bare, flags) {
            let kind = if here { file.kind } else { WordKind::Computed };
            self.write(&Word { kind, ..file }, How::Over, false);
        }
    }

    fn copies(&mut self, name: &str, simple: &Simple, operands: &[&Word]) {
        if name == "ln" && !simple.has("-f") && !simple.has("--force") {
            return;
        }
        let kept = name != "install" && simple.args().iter().any(keeps_what_is_there) && !simple.has("--update");
        if simple.has("-t") || simple.has("--target-directory") {
            // Which files of the folder are written is not worked out.
            return self.write(&Word { text: "…".to_owned(), kind: WordKind::Computed }, How::Over, false);
        }
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

/// True for the option of `cp` and `mv` that spares what is there, alone or among letters that take no value.
fn keeps_what_is_there(word: &Word) -> bool {
    let letters = word.text.strip_prefix('-').unwrap_or_default();
    let cluster = letters.contains('n') && letters.chars().all(|letter| "aprRvnifLPHdx".contains(letter));
    word.is_fixed() && (cluster || word.text == "--no-clobber")
}

/// The values of an option, as the next word or in the same one.
fn valued(simple: &Simple, flags: &[&str]) -> Vec<Word> {
    let mut found = Vec::new();
    for (at, word) in simple.args().iter().enumerate() {
        for flag in flags.iter().filter(|flag| is_flag(&word.text, flag)) {
            let same = match flag.strip_prefix("--") {
                Some(_) => word.text.split_once('=').map(|(_, value)| value),
                None => word.text.split_once(flag.trim_start_matches('-')).map(|(_, value)| value),
            };
            match same.filter(|value| !value.is_empty()) {
                Some(value) => found.push(Word { text: value.to_owned(), kind: word.kind }),
                None => found.extend(simple.args().get(at + 1).cloned()),
            }
        }
    }
    found
}
