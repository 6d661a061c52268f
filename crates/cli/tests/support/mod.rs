//! A place for black-box tests: a home, a project, and the built binary with a clean environment.
#![allow(dead_code, unreachable_pub)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod pane;

use reasonix_testkit::{ModelServer, Reply, TempWorkspace};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;

/// A home folder, a project folder and a model server.
pub struct Place {
    pub home: TempWorkspace,
    pub work: TempWorkspace,
    pub server: ModelServer,
}

/// What a finished run left.
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Place {
    /// A configured place whose model answers with these replies.
    pub fn new(replies: Vec<Reply>) -> Self {
        Self::with_server(ModelServer::start_blocking(replies))
    }

    pub fn with_server(server: ModelServer) -> Self {
        let place = Self::bare(server);
        place.configure("");
        place
    }

    /// A place without any settings.
    pub fn bare(server: ModelServer) -> Self {
        Self { home: TempWorkspace::new(), work: TempWorkspace::new(), server }
    }

    /// Writes the settings, with more of them behind the provider.
    pub fn configure(&self, more: &str) {
        let text = format!(
            "default_model = \"mock\"\n\n[[providers]]\nname = \"mock\"\nkind = \"openai\"\nbase_url = \"{}\"\nmodel = \"m1\"\napi_key_env = \"MOCK_KEY\"\ncontext_window = 100000\n\n{more}",
            self.server.base_url()
        );
        // Where the kernel gives no box (containers, often), what is not about the box is tested without it.
        self.home.write("config.toml", text + if more.contains("[sandbox]") { "" } else { unboxed() });
    }

    pub fn command(&self, args: &[&str]) -> Command {
        self.program(&binary(), args)
    }

    /// Any program, in the project's folder and with the same environment.
    pub fn program(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(self.work.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home.path())
            .env("REASONIX_HOME", self.home.path())
            .env("LANG", "C.UTF-8")
            .env("MOCK_KEY", "sk-secret-for-tests")
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        finish(self.command(args).output().expect("the binary starts"))
    }

    /// Starts the binary and leaves it running.
    pub fn spawn(&self, args: &[&str]) -> Child {
        interruptible(&mut self.command(args))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts")
    }

    /// The session files.
    pub fn logs(&self) -> Vec<PathBuf> {
        let folder = self.home.join("state/sessions");
        let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
        let mut files: Vec<_> = entries
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
            .collect();
        files.sort();
        files
    }

    /// The last session goes on, and every request it makes is valid.
    pub fn assert_resumes(&self) {
        let ran = self.run(&["run", "--continue", "go on"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        self.server.assert_valid();
    }
}

/// A shell that starts tests in the background has its children ignore SIGINT, and `nohup` has them ignore SIGHUP; they hand that
/// down, and the binary keeps to it.
pub fn interruptible(command: &mut Command) -> &mut Command {
    use std::os::unix::process::CommandExt;
    let reset = || {
        // SAFETY: a plain system call between fork and exec.
        #[allow(unsafe_code)]
        unsafe {
            libc::signal(libc::SIGINT, libc::SIG_DFL);
            libc::signal(libc::SIGHUP, libc::SIG_DFL);
        };
        Ok(())
    };
    // SAFETY: the closure allocates nothing and takes no lock.
    #[allow(unsafe_code)]
    unsafe {
        command.pre_exec(reset)
    }
}

pub fn binary() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_reasonix"))
}

pub fn finish(output: Output) -> Ran {
    Ran {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Settings for where there is no box.
pub fn unboxed() -> &'static str {
    if has_box() { "" } else { "\n[sandbox]\nbash = \"off\"\n" }
}

/// True when commands can be boxed here; with everything required they have to be.
pub fn has_box() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let home = TempWorkspace::new();
        let output = Command::new(binary())
            .args(["doctor", "--offline"])
            .env("REASONIX_HOME", home.path())
            .env("LANG", "C")
            .output();
        let found = output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("sandbox, level full"));
        assert!(found || !everything_required(), "REASONIX_E2E=1 needs the sandbox at level full");
        found
    })
}

/// True when what needs more than Rust, git and bash must be there.
pub fn everything_required() -> bool {
    std::env::var("REASONIX_E2E").is_ok_and(|value| value == "1")
}
