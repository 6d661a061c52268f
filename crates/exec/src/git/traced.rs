//! What an agent did to a clone, found out without a word of the clone's own git folder: what it is told against is recorded
//! in a git folder of ours, which the agent never reaches and in whose settings nothing is that names a program.

use super::{CLONING, CloneFault, command, ended_well, output};
use crate::{Command, Confinement};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The mode of what links to another repository.
const LINK: &str = "160000 ";

/// A folder whose files are recorded in a git folder elsewhere.
#[derive(Debug, Clone)]
pub struct Traced {
    git: PathBuf,
    folder: PathBuf,
}

impl Traced {
    /// Records a clone of `repository` in a git folder that is not there yet, beginning with a commit.
    pub async fn begin(git: &Path, repository: &Path, folder: &Path, commit: &str) -> Result<Self, CloneFault> {
        let objects = objects_of(repository).await?;
        let around = git.parent().unwrap_or(git);
        let mut init = command(around, &["init", "--quiet", "--bare", "--template=", "--"], &[], &Confinement::None);
        init.args.push(git.as_os_str().to_owned());
        ended_well(&init).await?;
        let (info, mut line) = (git.join("objects/info"), objects.into_os_string().into_encoded_bytes());
        if line.contains(&b'\n') {
            return Err(CloneFault::Failed("there is a line break in its path".to_owned()));
        }
        line.push(b'\n');
        let written = std::fs::create_dir_all(&info).and_then(|()| std::fs::write(info.join("alternates"), line));
        written.map_err(|error| CloneFault::Failed(error.to_string()))?;
        let traced = Self { git: git.to_owned(), folder: folder.to_owned() };
        ended_well(&traced.run(&["read-tree", commit])).await?;
        Ok(traced)
    }

    fn run(&self, args: &[&str]) -> Command {
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

    /// Takes in what the folder has now. Gives the tree that it is, and the folders that are repositories of their own, of
    /// which nothing is taken in.
    pub async fn record(&self) -> Result<(String, Vec<String>), CloneFault> {
        let lost = || CloneFault::Failed("what it has cannot be listed".to_owned());
        let ask = async |args: &[&str]| output(&self.run(args)).await.map_err(CloneFault::Unrun)?.ok_or_else(lost);
        // Git asks a folder that is linked to, or that it would link to, by starting itself in there, by the settings there.
        let staged = ask(&["ls-files", "--stage", "-z"]).await?;
        let links = staged.split('\0').filter_map(|line| line.strip_prefix(LINK)?.split_once('\t'));
        let others = ask(&["ls-files", "--others", "--exclude-standard", "-z"]).await?;
        let apart = others.split('\0').filter_map(|path| path.strip_suffix('/')).map(str::to_owned);
        let apart: Vec<String> = apart.collect();
        let out = links.map(|(_, path)| path).chain(apart.iter().map(String::as_str));
        let spec: String = out.map(|path| format!("\0:(top,exclude,literal){path}")).collect();
        let file = self.git.join("pathspec");
        let written = std::fs::write(&file, format!(":(top){spec}"));
        written.map_err(|error| CloneFault::Failed(error.to_string()))?;
        let mut add = self.run(&["add", "--all", "--pathspec-file-nul"]);
        let mut from = OsString::from("--pathspec-from-file=");
        from.push(&file);
        add.args.push(from);
        ended_well(&add).await?;
        let tree = ask(&["write-tree"]).await?.trim().to_owned();
        Ok((tree, apart))
    }

    /// Writes what the folder has now that `base` had not into a file as a patch. True when there is something; and the
    /// folders that are repositories of their own.
    pub async fn patch(&self, base: &str, into: &Path) -> Result<(bool, Vec<String>), CloneFault> {
        let (tree, apart) = self.record().await?;
        let args = ["diff", "--binary", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=none"];
        let mut diff = self.run(&args);
        let mut out = OsString::from("--output=");
        out.push(into);
        diff.args.extend([out, OsString::from(base), OsString::from(tree), OsString::from("--")]);
        ended_well(&diff).await?;
        Ok((into.metadata().is_ok_and(|file| file.len() > 0), apart))
    }
}

/// Where the objects of a repository lie.
pub async fn objects_of(repository: &Path) -> Result<PathBuf, CloneFault> {
    let ask = command(repository, &["rev-parse", "--git-path", "objects"], &[], &Confinement::None);
    let said = output(&ask).await.map_err(CloneFault::Unrun)?;
    let place = said.map(|path| repository.join(path.trim_end_matches('\n')));
    let place = place.and_then(|path| path.canonicalize().ok());
    place.ok_or_else(|| CloneFault::Failed("its objects cannot be found".to_owned()))
}

/// Writes what a clone of `repository` has that `base` had not, committed or not, into a file as a patch. True when there is
/// something; and the folders that are repositories of their own, of which nothing is in it.
pub async fn patch_since(
    (folder, repository): (&Path, &Path),
    base: &str,
    into: &Path,
) -> Result<(bool, Vec<String>), CloneFault> {
    let git = into.with_extension("traced");
    crate::remove_tree(&git);
    let made = async { Traced::begin(&git, repository, folder, base).await?.patch(base, into).await }.await;
    crate::remove_tree(&git);
    made
}
