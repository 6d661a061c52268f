//! Where a task is worked on: a clone that only it has, an empty folder, or a folder as it is; and what becomes of it.

use reasonix_exec::git::{all_objects_of, clone_shared, head_commit, patch_since};
use reasonix_flow::batch::{BatchResult, BatchTask, WorkFolder};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A place for one task.
pub(super) struct TaskPlace {
    /// Where its session is.
    pub(super) folder: PathBuf,
    /// The folder that is there for it alone; none where it works in somebody's.
    own: Option<PathBuf>,
    clone: Option<CloneOf>,
}

/// What a clone was made of.
struct CloneOf {
    repository: PathBuf,
    base: String,
    objects: Vec<PathBuf>,
}

impl TaskPlace {
    /// Makes the place. What a death left of it is not gone on with: the task begins anew.
    pub(super) async fn make(task: &BatchTask, here: &Path, work: &WorkFolder) -> Result<Self, String> {
        if let Some(cwd) = &task.cwd {
            return Ok(Self { folder: here.join(cwd), own: None, clone: None });
        }
        let own = work.clone_of(&task.id);
        removed(&own).await?;
        let (repository, below) = match &task.repo {
            Some(repo) => (here.join(repo), PathBuf::new()),
            None => match top_of(here) {
                Some(found) => found,
                None => {
                    std::fs::create_dir(&own).map_err(|error| error.to_string())?;
                    return Ok(Self { folder: own.clone(), own: Some(own), clone: None });
                }
            },
        };
        let told = |fault: reasonix_exec::git::CloneFault| fault.to_string();
        clone_shared(&repository, &own).await.map_err(told)?;
        let base = head_commit(&own).await.ok_or("the clone has no commit")?;
        let objects = all_objects_of(&repository).await.map_err(told)?;
        let folder = own.join(&below);
        if !folder.is_dir() {
            return Err(format!("{} is not in the last commit of {}", below.display(), repository.display()));
        }
        Ok(Self { folder, own: Some(own), clone: Some(CloneOf { repository, base, objects }) })
    }

    /// The clone that the session's folder is only a part of: it is the task's as a whole.
    pub(super) fn around(&self) -> Option<PathBuf> {
        self.own.clone().filter(|own| *own != self.folder)
    }

    /// What the clone shares with the repository: git needs it, and the box hides the user's folders.
    pub(super) fn shared(&self) -> Vec<PathBuf> {
        self.clone.as_ref().map(|clone| clone.objects.clone()).unwrap_or_default()
    }

    /// Makes the patch of what was done. Where that is not all of it the clone stays, and the result says so.
    pub(super) async fn close(&self, result: &mut BatchResult, patch: &Path, keep: bool) {
        let Some(own) = &self.own else { return };
        let mut stays = keep || self.clone.is_none();
        if let Some(clone) = &self.clone {
            let trouble = match patch_since((own, &clone.repository), &clone.base, patch).await {
                Ok((some, apart)) => {
                    result.patch = some.then(|| patch.display().to_string());
                    let named = apart.join(", ");
                    (!apart.is_empty()).then(|| format!("repositories of their own are not in the patch: {named}"))
                }
                Err(fault) => Some(format!("no patch could be made: {fault}")),
            };
            if let Some(trouble) = trouble {
                stays = true;
                let before = result.error.take().map(|error| format!("{error}; "));
                result.error = Some(format!("{}{trouble}", before.unwrap_or_default()));
                result.code = result.code.max(crate::exit::Exit::Failed as u8);
            }
        }
        if stays {
            result.folder = Some(own.display().to_string());
        } else {
            let _ = removed(own).await;
        }
    }

    /// Removes what was made of it.
    pub(super) async fn give_up(&self) {
        if let Some(own) = &self.own {
            let _ = removed(own).await;
        }
    }
}

/// The repository that a folder lies in, and where in it.
fn top_of(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let top = folder.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok())?;
    Some((top.to_owned(), folder.strip_prefix(top).ok()?.to_owned()))
}

/// How often the removal of a folder is tried, with [`BETWEEN`] before each but the first.
const TRIES: usize = 400;
const BETWEEN: Duration = Duration::from_millis(50);

/// Removes a folder of ours, however large it is, beside everything else. What a batch that was killed had started is ended
/// a moment after it, and writes until then: a folder that is not gone is tried again.
async fn removed(folder: &Path) -> Result<(), String> {
    let path = folder.to_owned();
    let gone = tokio::task::spawn_blocking(move || {
        let gone = (0..TRIES).any(|tried| {
            if tried > 0 {
                std::thread::sleep(BETWEEN);
            }
            reasonix_exec::remove_tree(&path);
            path.symlink_metadata().is_err()
        });
        if gone { Ok(()) } else { std::fs::remove_dir_all(&path) }
    });
    let failed = match gone.await {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(error)) => error.to_string(),
        Err(error) => error.to_string(),
    };
    Err(format!("{} cannot be removed: {failed}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    /// Somebody goes on writing into the folder while it is removed, as the git of a killed batch does, and ends.
    #[tokio::test]
    async fn a_folder_that_is_still_written_to_is_removed_once_that_ends() {
        let around = tempfile::tempdir().unwrap();
        let folder = around.path().join("t0");
        std::fs::create_dir(&folder).unwrap();
        let written = folder.clone();
        let writer = std::thread::spawn(move || {
            let began = Instant::now();
            for number in 0.. {
                let _ = std::fs::write(written.join(format!("object-{number}")), "one");
                if began.elapsed() > BETWEEN * 4 {
                    break;
                }
            }
        });
        removed(&folder).await.unwrap();
        writer.join().unwrap();
        assert!(folder.symlink_metadata().is_err());
    }
}
