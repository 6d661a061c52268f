//! Files that well-known programs write, by their arguments.

use super::walk::Walk;
use crate::effects::{How, Simple, Word, WordKind, is_flag, join};
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
            "tar" | "bsdtar" | "jar" => {
                made_archive(simple).into_iter().for_each(|word| self.write(&word, How::Over, false))
            }
            "gzip" | "bzip2" | "xz" | "zstd" if packs_over(simple) => self.packed(name, &operands),
            "ffmpeg" if simple.args().iter().any(|word| word.text == "-y") => {
                operands.last().into_iter().for_each(|word| self.write(word, How::Over, false));
            }
            // A second file is the output.
            "uniq" | "xxd" if operands.len() > 1 && !is_exact(simple) => {
                operands.last().into_iter().for_each(|word| self.write(word, How::Over, false));
            }
            "truncate" | "shred" => operands.iter().for_each(|word| self.write(word, How::Over, false)),
            "touch" => operands.iter().for_each(|word| self.write(word, How::Change, false)),
            _ => {}
        }
        let judged = matches!(name, "dd" | "mv" | "truncate" | "shred");
        const RESULTS: &[&str] = &["bsdtar", "bzip2", "ffmpeg", "gsed", "gzip", "jar", "sed", "tar", "xz", "zstd"];
        self.effects.writes.iter_mut().skip(before).for_each(|write| {
            write.judged = judged;
            write.links = name == "ln";
            write.within = RESULTS.contains(&name);
        });
        self.results(name, simple);
    }

    /// Results of compilers, converters and downloads: made anew each time, and lost for good only elsewhere.
    fn results(&mut self, name: &str, simple: &Simple) {
        let before = self.effects.writes.len();
        let rows = OUTPUTS.iter().filter(|(names, _)| names.contains(&name));
        for file in rows.flat_map(|(_, flags)| given(simple.args(), flags)).filter(|file| file.text != "-") {
            self.write(&file, How::Over, false);
        }
        if name == "curl" && (simple.has("-O") || simple.has("--remote-name") || simple.has("--remote-name-all")) {
            let folder = given(simple.args(), &["--output-dir"]).pop();
            for url in simple.operands().into_iter().filter(|word| word.text.contains('/')) {
                let path = url.text.split(['?', '#']).next().unwrap_or_default();
                let file = path.rsplit('/').next().unwrap_or_default();
                let (text, kind) = match &folder {
                    Some(folder) => (join(&folder.text, file), url.kind.max(folder.kind)),
                    None => (file.to_owned(), url.kind),
                };
                self.write(&Word { text, kind }, How::Over, false);
            }
        }
        self.effects.writes.iter_mut().skip(before).for_each(|write| write.within = true);
    }

    /// `gzip -f x` writes over `x.gz`.
    fn packed(&mut self, name: &str, operands: &[&Word]) {
        let end = match name {
            "gzip" => "gz",
            "bzip2" => "bz2",
            "xz" => "xz",
            _ => "zst",
        };
        for word in operands {
            let text = match word.text.strip_suffix(&format!(".{end}")) {
                Some(plain) => plain.to_owned(),
                None => format!("{}.{end}", word.text),
            };
            self.write(&Word { text, kind: word.kind }, How::Over, false);
        }
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

/// Options that name a result, as whole words; a value may follow, be attached, or stand behind `=`.
#[rustfmt::skip]
const OUTPUTS: &[(&[&str], &[&str])] = &[
    (&["gcc", "g++", "cc", "c++", "clang", "clang++", "gfortran", "tcc", "nvcc", "rustc", "ld", "as", "ghc", "go", "swiftc", "ocamlopt", "zig", "emcc"], &["-o"]),
    (&["pandoc", "gpg", "gpg2", "age", "iconv", "shuf", "dot", "neato", "xmllint", "xsltproc", "http", "https", "xh", "protoc", "yt-dlp"], &["-o", "--output"]),
    (&["openssl"], &["-out", "-keyout"]),
    (&["pg_dump", "pg_dumpall", "pg_restore"], &["-f", "--file"]),
    (&["mysqldump", "mariadb-dump"], &["-r", "--result-file"]),
    (&["zstd"], &["-o"]),
    (&["esbuild", "bun"], &["--outfile"]),
    (&["mongodump"], &["--archive"]),
];

/// The values of options that stand alone in their word.
fn given(args: &[Word], flags: &[&str]) -> Vec<Word> {
    let mut found = Vec::new();
    for (at, word) in args.iter().enumerate() {
        let text = word.text.as_str();
        for flag in flags {
            let rest = text.strip_prefix(flag);
            let attached = rest.filter(|rest| rest.starts_with('=') || (flag.len() == 2 && !rest.is_empty()));
            if let Some(value) = attached {
                found.push(Word { text: value.trim_start_matches('=').to_owned(), kind: word.kind });
            } else if rest == Some("") {
                found.extend(args.get(at + 1).cloned());
            }
        }
    }
    found
}

/// The archive that `tar` or `jar` makes, in whatever way its letters are written.
fn made_archive(simple: &Simple) -> Option<Word> {
    let args = simple.args();
    let first = args.first()?;
    let letters = first.text.trim_start_matches('-');
    let cluster = !first.text.starts_with("--") && letters.chars().all(|letter| letter.is_ascii_alphanumeric());
    let creates = (cluster && letters.contains('c')) || simple.has("-c") || simple.has("--create");
    if !creates {
        return None;
    }
    let named = given(args, &["-f", "--file"]).pop();
    let behind = args.iter().position(|word| {
        let letters = word.text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        letters.is_some_and(|letters| letters.ends_with('f'))
    });
    let behind = behind.or((cluster && letters.contains('f')).then_some(0));
    named.or_else(|| args.get(behind? + 1).cloned()).filter(|file| file.text != "-")
}

/// True when a packer replaces what is there by the name of its result.
fn packs_over(simple: &Simple) -> bool {
    let asks = |flag: &str| simple.has(flag);
    (asks("-f") || asks("--force")) && !asks("-c") && !asks("--stdout") && !asks("-l") && !asks("-t")
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
