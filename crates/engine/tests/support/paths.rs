//! What must hold for every spelling of a path, whoever makes it up: the property tests and the fuzzers.

use reasonix_policy::{Posture, Rule, Rules, Verdict, evaluate};
use reasonix_proto::{Action, Family, ReadOnly};
use reasonix_workspace::{Options, Workspace};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// A workspace with a folder that a rule denies, one that is closed, and links of every kind.
pub(crate) struct Tree {
    folder: tempfile::TempDir,
    workspace: Workspace,
    rules: Rules,
}

impl Tree {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        for name in ["dir/sub", "secret/deep", "closed", "Dir"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        fs::create_dir(folder.path().join("outside")).unwrap();
        for name in ["a", "dir/a", "secret/key", "secret/deep/key", "closed/key", "../outside/key"] {
            fs::write(root.join(name), "x").unwrap();
        }
        for (to, at) in [
            ("secret", "link"),
            ("secret/key", "keylink"),
            ("../outside", "out"),
            ("../outside/key", "outkey"),
            ("../outside/new", "dangling"),
            ("loop", "loop"),
            ("../root", "self"),
            ("dir/../link", "twice"),
            ("/", "slash"),
            ("closed", "shut"),
            ("..", "dir/up"),
        ] {
            symlink(to, root.join(at)).unwrap();
        }
        let options = Options { forbid_read: vec![root.join("closed")], ..Options::default() };
        let workspace = Workspace::open(&root, options).unwrap();
        let deny = vec![Rule::parse("Read(secret)").unwrap()];
        Self { folder, workspace, rules: Rules { deny, ..Rules::default() } }
    }

    fn root(&self) -> &Path {
        self.workspace.root()
    }

    /// A path that is let through lies inside, is not closed, and is denied when it leads to what the rule denies.
    pub(crate) fn leads_nowhere_else(&self, given: &str) -> Result<(), String> {
        let given = given.replace("$ROOT", &self.root().to_string_lossy());
        let shown = self.workspace.shown(&given);
        if self.workspace.shown(&shown) != shown && !given.starts_with('~') && !given.contains('\0') {
            return Err(format!("{given:?} is shown as {shown:?}, which is shown as something else"));
        }
        let _ = self.workspace.read_lines(&given, 1, 1, 10);
        let Ok(real) = self.workspace.real(&given) else { return Ok(()) };
        // The kernel's own opinion of the place that was chosen.
        let at = existing(&self.root().join(&real));
        if !at.starts_with(self.root()) || at.starts_with(self.root().join("closed")) {
            return Err(format!("{given:?} leads to {}", at.display()));
        }
        let action = Action { family: Family::Read, subjects: vec![shown, real], read_only: ReadOnly::Yes };
        let verdict = evaluate(&self.rules, &[], Posture::Yolo, "read_file", &action);
        if at.starts_with(self.root().join("secret")) && !matches!(verdict, Verdict::Deny(_)) {
            return Err(format!("{given:?} leads to {} and is {verdict:?}", at.display()));
        }
        Ok(())
    }

    /// Nothing outside was touched.
    #[allow(dead_code, reason = "for tests that write")]
    pub(crate) fn outside(&self) -> PathBuf {
        self.folder.path().join("outside")
    }
}

/// The path with links resolved by the system, as far as it exists.
fn existing(path: &Path) -> PathBuf {
    path.ancestors().find_map(|part| part.canonicalize().ok()).unwrap_or_else(|| path.to_owned())
}

/// Pieces of paths.
#[rustfmt::skip]
pub(crate) const PARTS: &[&str] = &[
    "/", "..", ".", "a", "dir", "Dir", "sub", "secret", "SECRET", "key", "deep", "closed", "link", "keylink", "out", "outkey",
    "dangling", "loop", "self", "twice", "slash", "shut", "up", "$ROOT", "/proc/self/root", "/proc/self/cwd", "/dev/fd/0", "~",
    "//", "\0", "\n", " ", "new", "*", "é", "e\u{301}", "\u{202e}", "C:\\", "-", "../../../../../../..", "/etc/passwd", "root",
];

/// The path that bytes stand for: a piece each, with a slash behind every even one.
pub(crate) fn spelling(data: &[u8]) -> String {
    let mut path = String::new();
    for byte in data.iter().take(40) {
        path.push_str(PARTS[usize::from(byte >> 1) % PARTS.len()]);
        if byte & 1 == 0 {
            path.push('/');
        }
    }
    path
}
