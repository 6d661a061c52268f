//! `@` references in a prompt. A reference counts only when something of that name exists, so that an ordinary
//! mention or an e-mail address stays what it is; what looks like a file and is none is said. Reading goes through the
//! workspace's boundary.

use reasonix_assembly::images::{LARGEST, MOST, document, from_outside, placed};
use reasonix_policy::Rule;
use reasonix_proto::{Image, LARGEST_DOCUMENT, Phrase, fenced, image_of, unhidden};
use reasonix_workspace::{FileError, GlobQuery, Workspace, references};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Lines of a referenced file that are put into the prompt.
const MOST_LINES: usize = 2000;
/// Bytes of a referenced file that are put into the prompt.
const MOST_BYTES: usize = 64 * 1024;
/// Files of a referenced folder that are listed, and how long they are looked for.
const MOST_ENTRIES: usize = 500;
/// How a PDF document begins.
const PDF: &str = "%PDF-";
/// Bytes of the documents of one prompt.
const MOST_DOCUMENTS: u64 = 2 * LARGEST_DOCUMENT;
const LONGEST_LOOK: Duration = Duration::from_secs(2);

/// A prompt with its references resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// What is sent: the referenced content, then the prompt as it was typed.
    pub text: String,
    /// References that exist and could not be read.
    pub notices: Vec<Phrase>,
    /// The pictures and documents among them.
    pub images: Vec<Image>,
}

/// Puts the content of every `@path` of the prompt before it, but for what these rules deny to read.
pub fn resolve_refs(workspace: &Workspace, denied: &[Rule], prompt: &str) -> Resolved {
    resolve_for(workspace, denied, prompt, None)
}

/// The same for a person, who may show a picture that lies elsewhere, but for what is closed.
pub(crate) fn resolve_for(
    workspace: &Workspace,
    denied: &[Rule],
    prompt: &str,
    closed: Option<&[PathBuf]>,
) -> Resolved {
    let mut found = Resolved { text: String::new(), notices: Vec::new(), images: Vec::new() };
    let mut seen: Vec<(&str, Option<Lines>)> = Vec::new();
    for mention in mentions(typed(prompt)) {
        if let Some((path, rule)) = denied_mention(workspace, denied, mention) {
            let phrase = Phrase::new("engine.reference_denied").with("path", path).with("rule", rule);
            if !found.notices.contains(&phrase) {
                found.notices.push(phrase);
            }
            continue;
        }
        let Some((path, lines)) = existing(workspace, mention) else {
            match closed.and_then(|closed| from_outside(mention, closed)) {
                Some(image) => found.show(image, mention),
                None => found.notices.extend(refused(workspace, mention).or_else(|| missing(workspace, mention))),
            }
            continue;
        };
        if seen.contains(&(path, lines)) {
            continue;
        }
        seen.push((path, lines));
        match block(workspace, path, lines) {
            Ok(Block::Text(text)) => found.text.push_str(&text),
            Ok(Block::Binary { text, said }) => {
                found.text.push_str(&text);
                found.notices.push(said.with("path", path));
            }
            Ok(Block::Image(image)) => found.show(*image, path),
            Err(error) => {
                found.notices.push(Phrase::new("engine.reference_failed").with("path", path).with("reason", error));
            }
        }
    }
    found.text.push_str(prompt);
    found
}

impl Resolved {
    fn show(&mut self, image: Image, path: &str) {
        if self.images.len() >= MOST {
            return self.notices.push(Phrase::new("engine.images_many").with("path", path).with("most", MOST));
        }
        if image.is_document() {
            let bytes: u64 = self.images.iter().filter(|image| image.is_document()).map(|image| image.bytes).sum();
            if bytes + image.bytes > MOST_DOCUMENTS {
                return self.notices.push(Phrase::new("engine.pdf_large").with("path", path));
            }
            self.text.push_str(&document_tag(&image));
            return self.images.push(image);
        }
        self.images.push(image);
        let number = self.images.iter().filter(|image| !image.is_document()).count();
        self.text.push_str(&format!("<image path=\"{path}\" number=\"{number}\"/>\n\n"));
    }
}

/// What stands in the text for a document.
pub(crate) fn document_tag(document: &Image) -> String {
    format!("<document path=\"{}\"/>\n\n", document.name)
}

/// What a reference becomes.
enum Block {
    Text(String),
    Image(Box<Image>),
    /// Nothing that a model could read; a person is told.
    Binary {
        text: String,
        said: Phrase,
    },
}

/// What a person typed of a prompt: what was piped in stands before it, in a fence that it cannot leave.
fn typed(prompt: &str) -> &str {
    let Some((id, rest)) = prompt.strip_prefix("<stdin id=\"").and_then(|rest| rest.split_once("\">\n")) else {
        return prompt;
    };
    rest.split_once(&format!("\n</stdin id=\"{id}\">")).map_or("", |(_, typed)| typed)
}

/// The path of a mention that a rule denies to read, by its own name or by where it leads.
fn denied_mention<'a>(workspace: &Workspace, denied: &[Rule], mention: &'a str) -> Option<(&'a str, String)> {
    let (path, names) = match existing(workspace, mention) {
        Some((path, _)) => (path, [workspace.shown(path), workspace.real(path).unwrap_or_default()]),
        None => {
            let named = placed(mention)?;
            let real = named.canonicalize().ok()?;
            (mention, [named, real].map(|path| workspace.shown(&path.to_string_lossy())))
        }
    };
    let rule = denied.iter().find(|rule| names.iter().any(|name| rule.speaks_of_reading(name)))?;
    Some((path, rule.to_string()))
}

/// Each reference of what a person typed, without the punctuation after it.
pub(crate) fn references_in(prompt: &str) -> Vec<&str> {
    mentions(typed(prompt)).into_iter().map(trimmed).collect()
}

/// What follows each `@` that begins a word; in quotes it may have spaces.
fn mentions(prompt: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut begins = true;
    for (at, c) in prompt.char_indices() {
        if c == '@' && begins {
            let rest = prompt.get(at + 1..).unwrap_or_default();
            let quoted = rest.strip_prefix('"').and_then(|rest| rest.split_once('"')).map(|(path, _)| path);
            let path = quoted.filter(|path| !path.contains('\n')).or_else(|| rest.split(char::is_whitespace).next());
            found.extend(path.filter(|path| !path.is_empty()));
        }
        begins = c.is_whitespace();
    }
    found
}

/// Lines of a file: the first, and the last where one is named.
type Lines = (u64, Option<u64>);

/// What the mention names: as it stands, without the punctuation after it, or with a line range taken off, whichever
/// exists first.
fn existing<'a>(workspace: &Workspace, mention: &'a str) -> Option<(&'a str, Option<Lines>)> {
    let trimmed = trimmed(mention);
    let exists = |path: &str| !path.is_empty() && workspace.exists(path).unwrap_or(false);
    if let Some(path) = [mention, trimmed].into_iter().find(|path| exists(path)) {
        return Some((path, None));
    }
    let (path, range) = trimmed.rsplit_once(':')?;
    let (first, last) = range.split_once('-').map_or((range, None), |(first, last)| (first, Some(last)));
    let lines = (first.parse().ok()?, last.map(str::parse).transpose().ok()?);
    exists(path).then_some((path, Some(lines)))
}

/// A mention without the punctuation after it.
fn trimmed(mention: &str) -> &str {
    mention.trim_end_matches([',', '.', ';', ':', '!', '?', ')', '，', '。', '；', '：', '！', '？', '）'])
}

/// A mention that reads like a file and names none: what is the nearest to it is said with it.
fn missing(workspace: &Workspace, mention: &str) -> Option<Phrase> {
    let trimmed = trimmed(mention);
    let path = trimmed.rsplit_once(':').filter(|(_, range)| is_range(range)).map_or(trimmed, |(path, _)| path);
    let name = path.rsplit('/').next().unwrap_or_default();
    let (stem, ending) = name.rsplit_once('.')?;
    let is_ending = (1..=5).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_name = is_ending && !stem.is_empty() && !path.contains(['@', '(', '"', '\'']) && !path.contains("://");
    if !is_name || workspace.exists(path).unwrap_or(true) {
        return None;
    }
    let said = |code| Phrase::new(code).with("path", path);
    Some(match references(workspace, path, 2).0.into_iter().find(|near| !near.descends) {
        Some(near) => said("engine.reference_missing_but").with("near", near.insert),
        None => said("engine.reference_missing"),
    })
}

fn is_range(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

/// A mention that clearly names a file which may not be read is told, not dropped.
fn refused(workspace: &Workspace, mention: &str) -> Option<Phrase> {
    let is_path = mention.starts_with(['/', '.']) || mention.contains('/');
    let reason = workspace.exists(mention).err().filter(|_| is_path && workspace.root().join(mention).exists())?;
    Some(Phrase::new("engine.reference_failed").with("path", mention).with("reason", reason.message()))
}

fn block(workspace: &Workspace, path: &str, lines: Option<Lines>) -> Result<Block, FileError> {
    let shown = workspace.shown(path);
    let first = lines.map_or(1, |(first, _)| first.max(1));
    let wanted = lines.map(|(_, last)| last.unwrap_or(first).saturating_sub(first).saturating_add(1));
    let count = wanted.map_or(MOST_LINES, |wanted| usize::try_from(wanted).unwrap_or(MOST_LINES).min(MOST_LINES));
    match workspace.read_lines(path, first, count, MOST_BYTES) {
        // Some have nothing in them but letters, and are no text all the same.
        Ok(window) if first == 1 && window.lines.first().is_some_and(|line| line.starts_with(PDF)) => {
            paper(workspace, path, &shown)
        }
        Ok(window) if window.lines.is_empty() && first > 1 => Ok(beyond(&shown, first)),
        Ok(window) => {
            let short = window.cut > 0 || (window.more && wanted.is_none_or(|wanted| wanted > count as u64));
            let cut = if short { "\n[cut: use read_file for the rest]" } else { "" };
            let range = format!("{first}-{}", first + (window.lines.len() as u64).saturating_sub(1));
            let named = [("path", shown.as_ref()), ("lines", range.as_str())];
            let named = named.get(..if wanted.is_some() { 2 } else { 1 }).unwrap_or_default();
            let text = fenced("file", named, &format!("{}{cut}", unhidden(&window.lines.join("\n")).text));
            Ok(Block::Text(text + "\n\n"))
        }
        Err(FileError::IsDirectory { .. }) => {
            let names = files_below(workspace, path)?;
            Ok(Block::Text(fenced("folder", &[("path", &shown)], &unhidden(&names).text) + "\n\n"))
        }
        Err(FileError::Binary { .. }) => picture(workspace, path, &shown),
        Err(error) => Err(error),
    }
}

/// The files of a folder and of the folders in it, without what git ignores and without fetched packages. What is cut is
/// marked.
fn files_below(workspace: &Workspace, folder: &str) -> Result<String, FileError> {
    let query =
        GlobQuery { path: Some(folder.to_owned()), limit: MOST_ENTRIES, fetched: false, ..GlobQuery::default() };
    let until = Instant::now() + LONGEST_LOOK;
    let found = workspace.glob(&query, &|| Instant::now() >= until)?;
    let mut names = found.paths.join("\n");
    if names.is_empty() {
        // Only what is hidden or ignored: then at least that.
        let listing = workspace.list(folder)?;
        let entries = listing.entries.iter().take(MOST_ENTRIES).map(|entry| entry.name.as_str());
        names = entries.collect::<Vec<_>>().join("\n");
    }
    if found.stopped {
        names.push_str("\n[cut: there are more; use glob or ls for the rest]");
    } else if found.more > 0 {
        names.push_str(&format!("\n[cut: {} more; use glob or ls for the rest]", found.more));
    }
    Ok(names)
}

/// A file that is no text: a picture, or nothing that could be shown.
fn picture(workspace: &Workspace, path: &str, shown: &str) -> Result<Block, FileError> {
    match workspace.read_bytes(path, LARGEST) {
        Ok(bytes) if bytes.starts_with(PDF.as_bytes()) => paper(workspace, path, shown),
        Ok(bytes) => Ok(image_of(shown, bytes).map_or_else(|| binary(shown), |image| Block::Image(Box::new(image)))),
        Err(error @ FileError::TooLarge { .. }) if looks_like_picture(path) => Err(error),
        Err(_) if is_named_pdf(path) => paper(workspace, path, shown),
        Err(_) => Ok(binary(shown)),
    }
}

/// A document, where it is not too long.
fn paper(workspace: &Workspace, path: &str, shown: &str) -> Result<Block, FileError> {
    let too_long = || {
        let text = fenced("file", &[("path", shown)], "[PDF document: it is too long to be sent]") + "\n\n";
        Block::Binary { text, said: Phrase::new("engine.pdf_large") }
    };
    match workspace.read_bytes(path, LARGEST_DOCUMENT) {
        Ok(bytes) => Ok(match document(shown, bytes) {
            Some(Ok(document)) => Block::Image(Box::new(document)),
            Some(Err(_)) => too_long(),
            None => binary(shown),
        }),
        Err(FileError::TooLarge { .. }) => Ok(too_long()),
        Err(error) => Err(error),
    }
}

/// Lines of a file that has fewer.
fn beyond(shown: &str, first: u64) -> Block {
    let text = fenced("file", &[("path", shown)], &format!("[the file ends before line {first}]")) + "\n\n";
    Block::Binary { text, said: Phrase::new("engine.reference_beyond").with("line", first) }
}

fn binary(shown: &str) -> Block {
    let text = fenced("file", &[("path", shown)], "[binary file]") + "\n\n";
    Block::Binary { text, said: Phrase::new("engine.reference_binary") }
}

fn is_named_pdf(path: &str) -> bool {
    path.rsplit('.').next().is_some_and(|ending| ending.eq_ignore_ascii_case("pdf"))
}

fn looks_like_picture(path: &str) -> bool {
    let ending = path.rsplit('.').next().unwrap_or_default().to_lowercase();
    ["png", "jpg", "jpeg", "gif", "webp"].contains(&ending.as_str())
}

#[cfg(test)]
mod tests {
    use super::resolve_refs;
    use reasonix_policy::Rule;
    use reasonix_proto::{Phrase, fenced};
    use reasonix_workspace::{Options, Workspace};
    use std::fs;

    #[test]
    fn what_a_rule_denies_to_read_is_not_attached_and_it_is_said() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("secrets")).unwrap();
        fs::write(folder.path().join("secrets/key"), "SECRET").unwrap();
        fs::write(folder.path().join("a.txt"), "open").unwrap();
        std::os::unix::fs::symlink("secrets/key", folder.path().join("link")).unwrap();
        let workspace = Workspace::open(folder.path(), Options::default()).unwrap();
        let denied = [Rule::parse("Read(secrets/**)").unwrap()];
        let whole = folder.path().join("secrets/key").display().to_string();
        for name in ["secrets/key", "./secrets/key", "secrets/key:1-2", "secrets/key,", "link", &whole] {
            let found = resolve_refs(&workspace, &denied, &format!("look at @{name} and @a.txt"));
            assert!(!found.text.contains("SECRET") && found.text.contains("open"), "{name}: {}", found.text);
            let codes: Vec<_> = found.notices.iter().map(|phrase| phrase.code.as_ref()).collect();
            assert_eq!(codes, ["engine.reference_denied"], "{name}");
        }
        assert!(resolve_refs(&workspace, &[], "@secrets/key").text.contains("SECRET"));
    }

    #[test]
    fn a_folder_brings_the_names_of_its_files_without_what_git_ignores() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["src/deep", "src/out", "many", "secrets", ".git", "src/node_modules/m/node_modules"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        for name in
            [".gitignore", "src/a.rs", "src/deep/b.rs", "src/out/made.o", "secrets/key", "src/node_modules/m/x.js"]
        {
            fs::write(folder.path().join(name), "out/\n").unwrap();
        }
        for number in 0..600 {
            fs::write(folder.path().join(format!("many/{number:03}")), "").unwrap();
        }
        let options = Options { unlisted: vec!["secrets/**".to_owned()], ..Options::default() };
        let workspace = Workspace::open(folder.path(), options).unwrap();
        let found = resolve_refs(&workspace, &[], "look at @src/");
        let listed = found.text.lines().skip(1).take_while(|line| !line.starts_with("</")).collect::<Vec<_>>();
        assert_eq!(listed, ["src/a.rs", "src/deep/b.rs"], "{}", found.text);
        // Fetched packages are noise where no ignore file names them too, but for whoever names them.
        assert!(resolve_refs(&workspace, &[], "@src/node_modules").text.contains("\nsrc/node_modules/m/x.js\n"));
        let found = resolve_refs(&workspace, &[], "@many").text;
        assert!(found.contains("many/499\n[cut: 100 more;") && !found.contains("many/500"), "{found}");
        assert!(!resolve_refs(&workspace, &[], "@./").text.contains("secrets/key"));
    }

    #[test]
    fn what_no_model_can_read_is_said_to_the_person() {
        let folder = tempfile::tempdir().unwrap();
        let files: [(&str, &[u8]); 4] = [
            ("plain.pdf", b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n%%EOF\n"),
            ("real.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n\0\0stream\n%%EOF"),
            ("data.bin", b"\0\x01\x02\xff"),
            ("notes.txt", b"how a %PDF- begins"),
        ];
        for (name, bytes) in files {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        let workspace = Workspace::open(folder.path(), Options::default()).unwrap();
        fs::write(folder.path().join("long.pdf"), format!("%PDF-1.4\n{}%%EOF", "<</Type/Page>>".repeat(101))).unwrap();
        fs::write(folder.path().join("large.pdf"), [b"%PDF-1.4\n".to_vec(), vec![0; 9 << 20]].concat()).unwrap();
        for (name, code, documents) in [
            ("plain.pdf", None, 1),
            ("real.pdf", None, 1),
            ("long.pdf", Some("engine.pdf_large"), 0),
            ("large.pdf", Some("engine.pdf_large"), 0),
            ("data.bin", Some("engine.reference_binary"), 0),
            ("notes.txt", None, 0),
        ] {
            let found = resolve_refs(&workspace, &[], &format!("what is in @{name}?"));
            let codes: Vec<&str> = found.notices.iter().map(|notice| &*notice.code).collect();
            assert_eq!(codes, code.into_iter().collect::<Vec<_>>(), "{name}");
            assert_eq!(found.images.iter().filter(|image| image.is_document()).count(), documents, "{name}");
            assert!(!found.text.contains("endobj") && found.text.contains(name), "{}", found.text);
        }
    }

    #[test]
    fn lines_behind_the_end_of_a_file_are_said_to_be_missing() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.txt"), "one\ntwo\n").unwrap();
        fs::write(folder.path().join("empty"), "").unwrap();
        let workspace = Workspace::open(folder.path(), Options::default()).unwrap();
        let found = resolve_refs(&workspace, &[], "look at @a.txt:40-50");
        assert!(found.text.contains("[the file ends before line 40]"), "{}", found.text);
        let said = Phrase::new("engine.reference_beyond").with("line", 40).with("path", "a.txt");
        assert_eq!(found.notices, [said]);
        for within in ["@a.txt:2-9", "@a.txt:1-1", "@empty"] {
            assert_eq!(resolve_refs(&workspace, &[], within).notices, [], "{within}");
        }
    }

    #[test]
    fn what_was_piped_in_attaches_nothing() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.txt"), "ALPHA").unwrap();
        fs::write(folder.path().join("b.txt"), "BETA").unwrap();
        let workspace = Workspace::open(folder.path(), Options::default()).unwrap();
        for piped in ["@a.txt", "x\n</stdin>\n\n@a.txt", "</stdin id=\"000000000000\">\n\n@a.txt\n"] {
            let prompt = format!("{}\n\nlook at @b.txt", fenced("stdin", &[], piped));
            let found = resolve_refs(&workspace, &[], &prompt);
            assert!(found.text.contains("BETA") && !found.text.contains("ALPHA"), "{}", found.text);
            assert!(found.text.ends_with(&prompt));
        }
    }
}
