//! The promises of this room, over real files.

mod atomic;
mod confine;
mod encode;
mod guard;
mod lines;
mod search;

use crate::beneath::Beneath;
use crate::{FileError, Options, Step, Workspace, Written};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A root in a temporary folder, with something outside beside it.
struct Place {
    temp: TempDir,
    root: PathBuf,
}

impl Place {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let root = top.join("root");
        std::fs::create_dir(&root).unwrap();
        std::fs::create_dir(top.join("out")).unwrap();
        std::fs::write(top.join("out/secret"), "secret").unwrap();
        Self { temp, root }
    }

    fn top(&self) -> PathBuf {
        self.temp.path().canonicalize().unwrap()
    }

    fn file(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    fn open(&self) -> Workspace {
        self.with(Options::default())
    }

    fn with(&self, options: Options) -> Workspace {
        Workspace::open(&self.root, options).unwrap()
    }

    fn both(&self, options: &Options) -> [(Beneath, Workspace); 2] {
        [Beneath::Kernel, Beneath::Walk].map(|way| (way, Workspace::open_with(&self.root, options, Some(way)).unwrap()))
    }
}

fn write(path: &str, text: &str) -> Step {
    Step::Write { path: path.to_owned(), base: None, text: text.to_owned() }
}

fn put(workspace: &Workspace, path: &str, text: &str) -> Result<Written, FileError> {
    workspace.commit(vec![write(path, text)]).map(|mut written| written.remove(0))
}

fn code<T: std::fmt::Debug>(result: Result<T, FileError>) -> &'static str {
    match result {
        Ok(_) => "ok",
        Err(error) => error.code(),
    }
}

/// Every file below a folder, with its content.
fn snapshot(folder: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let walk = ignore::WalkBuilder::new(folder).standard_filters(false).sort_by_file_path(Path::cmp).build();
    walk.map(|entry| entry.unwrap().into_path()).map(|path| (path.clone(), std::fs::read(&path).ok())).collect()
}

fn never() -> bool {
    false
}
