//! `scripts/install.sh`, as it lies in the archive of a release: beside a binary and its sum.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Unpacked {
    home: tempfile::TempDir,
}

impl Unpacked {
    /// An archive that was unpacked in a folder with a blank in its name; its binary says this when asked for its version.
    fn new(version: &str) -> Self {
        let unpacked = Self { home: tempfile::tempdir().unwrap() };
        fs::create_dir(unpacked.folder()).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/install.sh");
        fs::copy(script, unpacked.folder().join("install.sh")).unwrap();
        unpacked.binary(&format!("#!/bin/sh\necho {version}\n"));
        unpacked
    }

    fn folder(&self) -> PathBuf {
        self.home.path().join("an archive")
    }

    fn binary(&self, text: &str) {
        let at = self.folder().join("reasonix");
        fs::write(&at, text).unwrap();
        fs::set_permissions(&at, fs::Permissions::from_mode(0o755)).unwrap();
        let sum = Command::new("sha256sum").arg("reasonix").current_dir(self.folder()).output().unwrap();
        fs::write(self.folder().join("reasonix.sha256"), sum.stdout).unwrap();
    }

    fn install(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new("sh");
        command.arg(self.folder().join("install.sh")).args(arguments).current_dir("/").env("HOME", self.home.path());
        command.output().unwrap()
    }

    fn installed(&self) -> PathBuf {
        self.home.path().join(".local/bin/reasonix")
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn it_is_put_where_the_shell_finds_it_and_replaced_as_a_whole() {
    let unpacked = Unpacked::new("reasonix 1");
    let output = unpacked.install(&[]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("installed: reasonix 1, "), "{}", said(&output));
    assert!(said(&output).contains("is not in PATH"), "{}", said(&output));
    // A file that something has open, as one that runs has, is not written into.
    let old = fs::read_to_string(unpacked.installed()).unwrap();
    let held = fs::hard_link(unpacked.installed(), unpacked.home.path().join("held"));
    held.unwrap();
    unpacked.binary("#!/bin/sh\necho reasonix 2\n");
    let output = unpacked.install(&[]);
    assert!(said(&output).contains("installed: reasonix 2, "), "{}", said(&output));
    assert_eq!(fs::read_to_string(unpacked.home.path().join("held")).unwrap(), old);
    let left: Vec<_> = fs::read_dir(unpacked.home.path().join(".local/bin")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    let elsewhere = unpacked.home.path().join("my tools");
    let output = unpacked.install(&[elsewhere.to_str().unwrap()]);
    assert!(output.status.success() && elsewhere.join("reasonix").is_file(), "{}", said(&output));
}

#[test]
fn what_was_changed_or_cannot_run_is_not_installed() {
    let unpacked = Unpacked::new("reasonix 1");
    fs::write(unpacked.folder().join("reasonix"), "#!/bin/sh\necho other\n").unwrap();
    let output = unpacked.install(&[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("get the archive again"), "{}", said(&output));
    unpacked.binary("#!/bin/sh\nexit 1\n");
    assert!(said(&unpacked.install(&[])).contains("does not run on this machine"));
    fs::remove_file(unpacked.folder().join("reasonix.sha256")).unwrap();
    assert_eq!(unpacked.install(&[]).status.code(), Some(1), "without its sum it is not known");
    assert!(said(&unpacked.install(&["--to"])).contains("there is no option --to"));
    assert!(!unpacked.installed().exists());
}

#[test]
fn a_folder_that_cannot_be_written_is_said() {
    let unpacked = Unpacked::new("reasonix 1");
    fs::write(unpacked.home.path().join("file"), "").unwrap();
    let output = unpacked.install(&[unpacked.home.path().join("file").to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("name another folder"), "{}", said(&output));
}
