//! What an agent did to a clone, found out without a word of the clone's own git folder: what it is told against is recorded
//! in a git folder of ours, which the agent never reaches and in whose settings nothing is that names a program.

use super::{CLONING, CloneFault, command, ended_well, output_bytes};
use crate::{Command, Confinement, Keep};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The mode of what links to another repository.
const LINK: &[u8] = b"160000 ";

/// The most that is read of a list of all files.
const LONGEST_LIST: usize = 512 << 20;

/// The most that is read of where a history ends.
const LONGEST_SHALLOW: u64 = 16 << 20;

/// So many folders of objects may follow from one.
const MOST_OBJECTS: usize = 16;

/// Has a shell write what a command says into a file that is not there yet. Unlike for a file of its own choice, git looks
/// whether everything arrived there.
const INTO_FILE: &str = r#"set -C; out=$1; shift; exec "$@" >"$out""#;

/// A folder whose files are recorded in a git folder elsewhere.
#[derive(Debug, Clone)]
pub struct Traced {
    git: PathBuf,
    folder: PathBuf,
}

impl Traced {
    /// Records a clone of `repository` in a git folder that is not there yet, beginning with a commit.
    pub async fn begin(git: &Path, repository: &Path, folder: &Path, commit: &str) -> Result<Self, CloneFault> {
        let traced = Self::empty(git, repository, folder).await?;
        ended_well(&traced.run(&["read-tree", commit])).await?;
        Ok(traced)
    }

    /// The same before anything is recorded.
    pub(super) async fn empty(git: &Path, repository: &Path, folder: &Path) -> Result<Self, CloneFault> {
        let objects = objects_of(repository).await?;
        let around = git.parent().unwrap_or(git);
        let format = format!("--object-format={}", format_of(repository).await);
        let args = ["init", "--quiet", "--bare", "--template=", &format, "--"];
        let mut init = command(around, &args, &[], &Confinement::None).with_timeout(Some(CLONING));
        init.args.push(git.as_os_str().to_owned());
        ended_well(&init).await?;
        let (info, mut line) = (git.join("objects/info"), objects.into_os_string().into_vec());
        if line.contains(&b'\n') {
            return Err(CloneFault::Failed("there is a line break in its path".to_owned()));
        }
        line.push(b'\n');
        fs::create_dir_all(&info).and_then(|()| fs::write(info.join("alternates"), line)).map_err(unwritten)?;
        // Where the history of the repository ends, that of ours ends.
        if let Some(ends) = shallow_of(repository).await? {
            fs::write(git.join("shallow"), ends).map_err(unwritten)?;
        }
        Ok(Self { git: git.to_owned(), folder: folder.to_owned() })
    }

    pub(super) fn run(&self, args: &[&str]) -> Command {
        let mut run = command(&self.folder, args, &[], &Confinement::None).with_timeout(Some(CLONING));
        let place = |name: &str, path: &Path| {
            let mut argument = OsString::from(name);
            argument.push(path);
            argument
        };
        let at = [place("--git-dir=", &self.git), place("--work-tree=", &self.folder)];
        run.args.splice(0..0, at);
        run
    }

    /// What git says to this, to the byte: an agent chooses the names.
    async fn ask(&self, args: &[&str]) -> Result<Vec<u8>, CloneFault> {
        let mut asked = self.run(args);
        asked.keep = Keep { head: LONGEST_LIST, tail: 0 };
        let said = output_bytes(&asked).await.map_err(CloneFault::Unrun)?;
        said.ok_or_else(|| CloneFault::Failed("what it has cannot be listed".to_owned()))
    }

    /// Takes in what the folder has now. Gives the tree that it is, and the folders that are repositories of their own, of
    /// which nothing is taken in.
    pub async fn record(&self) -> Result<(String, Vec<String>), CloneFault> {
        // Git asks a folder that is linked to, or that it would link to, by starting itself in there, by the settings there.
        let staged = self.ask(&["ls-files", "--stage", "-z"]).await?;
        let linked = |line: &'_ [u8]| line.starts_with(LINK).then(|| line.iter().position(|byte| *byte == b'\t'));
        let lines = staged.split(|byte| *byte == 0);
        let links = lines.filter_map(|line| line.get(linked(line)?? + 1..));
        let others = self.ask(&["ls-files", "--others", "--exclude-standard", "-z"]).await?;
        let apart: Vec<&[u8]> = others.split(|byte| *byte == 0).filter_map(|path| path.strip_suffix(b"/")).collect();
        let mut spec = b":(top)".to_vec();
        for path in links.chain(apart.iter().copied()) {
            spec.extend_from_slice(b"\0:(top,exclude,literal)");
            spec.extend_from_slice(path);
        }
        let file = self.git.join("pathspec");
        fs::write(&file, spec).map_err(unwritten)?;
        let mut add = self.run(&["add", "--all", "--pathspec-file-nul"]);
        let mut from = OsString::from("--pathspec-from-file=");
        from.push(&file);
        add.args.push(from);
        ended_well(&add).await?;
        let tree = String::from_utf8_lossy(&self.ask(&["write-tree"]).await?).trim().to_owned();
        Ok((tree, apart.into_iter().map(|path| String::from_utf8_lossy(path).into_owned()).collect()))
    }

    /// Writes what the folder has now that `base` had not into a file as a patch. True when there is something; and the
    /// folders that are repositories of their own. The file is there whole or not at all, and whatever stood in its place
    /// is not written to.
    pub async fn patch(&self, base: &str, into: &Path) -> Result<(bool, Vec<String>), CloneFault> {
        let (tree, apart) = self.record().await?;
        let args = ["diff", "--binary", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=none"];
        let mut diff = self.run(&args);
        diff.args.extend([OsString::from(base), OsString::from(tree), OsString::from("--")]);
        let made = self.git.join("patch");
        ended_well(&into_file(diff, &made)).await?;
        let some = made.metadata().map_err(unwritten)?.len() > 0;
        if some {
            File::open(&made).and_then(|file| file.sync_all()).map_err(unwritten)?;
            fs::rename(&made, into).map_err(unwritten)?;
        } else {
            remove_file(into).map_err(unwritten)?;
        }
        Ok((some, apart))
    }
}

/// The same command with what it says in a file that is not there yet. It fails where that cannot take all of it.
fn into_file(mut command: Command, file: &Path) -> Command {
    let program = std::mem::replace(&mut command.program, OsString::from("/bin/sh"));
    let words = ["-c", INTO_FILE, "sh"].map(OsString::from).into_iter();
    let words: Vec<OsString> = words.chain([file.as_os_str().to_owned(), program]).collect();
    command.args.splice(0..0, words);
    command
}

fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn unwritten(error: io::Error) -> CloneFault {
    CloneFault::Failed(error.to_string())
}

/// How a repository names its objects.
async fn format_of(repository: &Path) -> String {
    let ask = command(repository, &["rev-parse", "--show-object-format"], &[], &Confinement::None);
    let said = output_bytes(&ask.with_timeout(Some(CLONING))).await.ok().flatten().unwrap_or_default();
    match said.trim_ascii() {
        b"sha256" => "sha256".to_owned(),
        _ => "sha1".to_owned(),
    }
}

/// The commits that a repository has without what was before them; none where it has everything.
async fn shallow_of(repository: &Path) -> Result<Option<Vec<u8>>, CloneFault> {
    let ask = command(repository, &["rev-parse", "--git-path", "shallow"], &[], &Confinement::None);
    let said = output_bytes(&ask.with_timeout(Some(CLONING))).await.map_err(CloneFault::Unrun)?.unwrap_or_default();
    let file = repository.join(OsStr::from_bytes(said.strip_suffix(b"\n").unwrap_or(&said)));
    if !file.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() <= LONGEST_SHALLOW) {
        return Ok(None);
    }
    fs::read(file).map(Some).map_err(unwritten)
}

/// Where the objects of a repository lie. A link that somebody put in their place leads to what is not the repository's.
pub async fn objects_of(repository: &Path) -> Result<PathBuf, CloneFault> {
    let ask = command(repository, &["rev-parse", "--git-path", "objects"], &[], &Confinement::None);
    let said = output_bytes(&ask.with_timeout(Some(CLONING))).await.map_err(CloneFault::Unrun)?;
    let place = said.map(|path| repository.join(OsStr::from_bytes(path.strip_suffix(b"\n").unwrap_or(&path))));
    let place = place.filter(|path| path.symlink_metadata().is_ok_and(|found| found.is_dir()));
    let place = place.and_then(|path| path.canonicalize().ok());
    let own = repository.join(".git");
    let inside = |path: &PathBuf| own.canonicalize().is_ok_and(|own| !own.is_dir() || path.starts_with(own));
    let place = place.filter(inside);
    place.ok_or_else(|| CloneFault::Failed("its objects cannot be found".to_owned()))
}

/// Every folder that the objects of a repository lie in: its own, and those that it shares with others. They are shown to
/// commands, and a command may have written which ones they are: only folders that git would call so count.
pub async fn all_objects_of(repository: &Path) -> Result<Vec<PathBuf>, CloneFault> {
    let mut all = vec![objects_of(repository).await?];
    let mut at = 0;
    while let Some(folder) = all.get(at).cloned() {
        at += 1;
        let mut lines = Vec::new();
        let file =
            File::open(folder.join("info/alternates")).ok().filter(|file| file.metadata().is_ok_and(|m| m.is_file()));
        let _ = file.map(|file| file.take(super::SMALL).read_to_end(&mut lines));
        let named = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty() && !line.starts_with(b"#"));
        for more in named.filter_map(|line| folder.join(OsStr::from_bytes(line)).canonicalize().ok()) {
            let is_one = more.file_name().is_some_and(|name| name == "objects") && more.is_dir();
            if all.len() < MOST_OBJECTS && is_one && !all.contains(&more) {
                all.push(more);
            }
        }
    }
    Ok(all)
}

/// Writes what a clone of `repository` has that `base` had not, committed or not, into a file as a patch. True when there is
/// something; and the folders that are repositories of their own, of which nothing is in it.
pub async fn patch_since(
    (folder, repository): (&Path, &Path),
    base: &str,
    into: &Path,
) -> Result<(bool, Vec<String>), CloneFault> {
    let git = into.with_extension("traced");
    removed(&git).await;
    let made = async { Traced::begin(&git, repository, folder, base).await?.patch(base, into).await }.await;
    removed(&git).await;
    made
}

/// Removes a tree beside everything else: an agent decides how large it is.
async fn removed(path: &Path) {
    let path = path.to_owned();
    let _ = tokio::task::spawn_blocking(move || crate::remove_tree(&path)).await;
}

#[cfg(test)]
mod tests {
    use super::{Command, ended_well, into_file};
    use crate::{Confinement, Environment};
    use std::path::Path;

    /// What a command wrote there opens nothing but folders of objects.
    #[tokio::test]
    async fn objects_are_borrowed_from_folders_of_objects_only() {
        let place = tempfile::tempdir().unwrap();
        let (own, other) = (place.path().join("own"), place.path().join("other"));
        for folder in [&own, &other] {
            let git = Command::program("git", ["init", "-q", &folder.display().to_string()], place.path());
            ended_well(&git.with_confinement(Confinement::None)).await.unwrap();
        }
        std::fs::create_dir(place.path().join("secrets")).unwrap();
        std::os::unix::fs::symlink(place.path().join("secrets"), own.join("objects")).unwrap();
        let (theirs, links) = (other.join(".git/objects"), own.join("objects"));
        let named = [place.path().join("secrets"), links, theirs.clone()].map(|path| path.display().to_string());
        std::fs::write(own.join(".git/objects/info/alternates"), named.join("\n")).unwrap();
        let all = super::all_objects_of(&own).await.unwrap();
        assert_eq!(all[1..], [theirs.canonicalize().unwrap()]);
    }

    /// A disk that takes nothing more is no success, as it would be with `--output`.
    #[tokio::test]
    async fn a_patch_that_does_not_arrive_is_a_fault() {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("a"), "a\n".repeat(100)).unwrap();
        let git = |args: &[&str]| {
            Command::program("git", args.iter().copied(), place.path())
                .with_environment(Environment::inherited(&[]).with("GIT_CONFIG_GLOBAL", "/dev/null"))
                .with_confinement(Confinement::None)
        };
        for args in [["init", "-q"], ["add", "a"]] {
            ended_well(&git(&args)).await.unwrap();
        }
        let diff = || git(&["diff", "--cached"]);
        ended_well(&into_file(diff(), &place.path().join("whole"))).await.unwrap();
        let fault = ended_well(&into_file(diff(), Path::new("/dev/full"))).await.unwrap_err().to_string();
        assert!(fault.contains("write failure"), "{fault}");
        // What stands there is not written to.
        let taken = place.path().join("taken");
        std::fs::write(&taken, "mine").unwrap();
        assert!(ended_well(&into_file(diff(), &taken)).await.is_err());
        assert_eq!(std::fs::read(&taken).unwrap(), b"mine");
    }
}
