//! Real toolchains in the box: they work, without the network and without the user's home.
//!
//! Slow, so only with `REASONIX_E2E=1`; a toolchain that this machine does not have is left out and said.

#![cfg(target_os = "linux")]

use crate::place::{Place, full, python};
use reasonix_exec::{BoxOptions, Caches, Command, EndStatus, Environment, Sandbox, run};
use std::fs;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A box with the user's real home behind it, for a workspace of the test's own.
struct Bench {
    place: Place,
    sandbox: Arc<Sandbox>,
}

impl Bench {
    /// None where nobody asked for these tests, or the machine has no such program.
    fn new(program: &str) -> Option<Self> {
        std::env::var_os("REASONIX_E2E")?;
        let path = std::env::var_os("PATH").unwrap();
        if !std::env::split_paths(&path).any(|folder| folder.join(program).is_file()) {
            eprintln!("skipped: no {program} here");
            return None;
        }
        let place = Place::new();
        let caches = Caches::Project(place.state.path().join("caches"));
        let options = BoxOptions { caches, environment: Environment::inherited(&[]), ..place.options() };
        Some(Self { sandbox: full(options)?, place })
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.place.work.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn command(&self, line: &str) -> Command {
        self.place.boxed(&self.sandbox, line).with_environment(Environment::inherited(&[]))
    }

    async fn good(&self, line: &str) -> String {
        let finished = run(&self.command(line), CancellationToken::new(), &|_| {}).await.unwrap();
        let text = String::from_utf8_lossy(&finished.output.into_parts().0).into_owned();
        assert_eq!(finished.status, EndStatus::Exited(0), "{line}\n{text}");
        text
    }
}

#[tokio::test]
async fn cargo_test_of_a_crate_without_and_with_a_dependency() {
    let Some(bench) = Bench::new("cargo") else { return };
    bench.write("Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n");
    bench.write("src/lib.rs", "#[test]\nfn works() { assert_eq!(1 + 1, 2); }\n");
    let text = bench.good("cargo test --offline 2>&1").await;
    assert!(text.contains("1 passed"), "{text}");
    // One that lies in the workspace, and one from the user's registry.
    bench.write("b/Cargo.toml", "[package]\nname = \"b\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    bench.write("b/src/lib.rs", "pub fn two() -> u32 { 2 }\n");
    let more = "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n[dependencies]\n\
                b = { path = \"b\" }\nlibc = \"0.2\"\n";
    bench.write("Cargo.toml", more);
    bench.write("src/lib.rs", "#[test]\nfn works() { assert_eq!(b::two(), 2); assert_eq!(libc::EPERM, 1); }\n");
    let text = bench.good("cargo test --offline 2>&1").await;
    assert!(text.contains("1 passed"), "{text}");
}

#[tokio::test]
async fn npm_ci_and_npm_test() {
    let Some(bench) = Bench::new("npm") else { return };
    let package = r#"{"name":"a","version":"1.0.0","scripts":{"test":"node test.js"},"dependencies":{"b":"file:b"}}"#;
    bench.write("package.json", package);
    bench.write("b/package.json", r#"{"name":"b","version":"1.0.0","main":"index.js"}"#);
    bench.write("b/index.js", "module.exports = 2;\n");
    bench.write("test.js", "if (require('b') !== 2) process.exit(1); console.log('passed');\n");
    bench.good("npm install --offline --no-audit --no-fund 2>&1").await;
    let text = bench.good("rm -rf node_modules && npm ci --offline --no-audit --no-fund 2>&1 && npm test 2>&1").await;
    assert!(text.contains("passed"), "{text}");
}

#[tokio::test]
async fn pip_install_from_a_folder() {
    let Some(bench) = Bench::new("python3") else { return };
    // A wheel is an archive with three files in it; building one needs no other package.
    let wheel = "import zipfile\nz=zipfile.ZipFile('greet-1.0-py3-none-any.whl','w')\n\
                 z.writestr('greet.py','word=\"hello\"\\n')\n\
                 z.writestr('greet-1.0.dist-info/METADATA','Metadata-Version: 2.1\\nName: greet\\nVersion: 1.0\\n')\n\
                 z.writestr('greet-1.0.dist-info/WHEEL','Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')\n\
                 z.writestr('greet-1.0.dist-info/RECORD','')\nz.close()";
    bench.good(&python(wheel)).await;
    let line = "python3 -m venv v && v/bin/pip install --no-index --disable-pip-version-check greet-1.0-py3-none-any.whl 2>&1 \
                && v/bin/python -c 'import greet; print(greet.word)'";
    let text = bench.good(line).await;
    assert!(text.contains("hello"), "{text}");
}

#[tokio::test]
async fn make_and_git() {
    let Some(bench) = Bench::new("make") else { return };
    bench.write("Makefile", "all: out\nout: in\n\tcp in out\n");
    bench.write("in", "x\n");
    bench.good("make 2>&1 && cmp in out").await;
    let git = "git init -q . && git add -A && git -c user.name=A -c user.email=a@b commit -qm one && git switch -qc topic \
               && git status --short && git branch --show-current";
    assert_eq!(bench.good(git).await.trim(), "topic");
}

/// A server that one command started answers the next one's `curl`.
#[tokio::test]
async fn a_dev_server_and_curl_across_commands() {
    let Some(bench) = Bench::new("curl") else { return };
    bench.write("index.html", "it works\n");
    let (said, mut heard) = mpsc::unbounded_channel();
    let server = bench.command("python3 -m http.server 8000 --bind 127.0.0.1 2>&1");
    let stop = CancellationToken::new();
    let tell = move |bytes: &[u8]| drop(said.send(bytes.to_vec()));
    let serving = run(&server, stop.clone(), &tell);
    let asking = async {
        heard.recv().await.unwrap();
        let text = bench.good("curl -sS --retry 5 --retry-connrefused http://localhost:8000/index.html").await;
        stop.cancel();
        text
    };
    assert_eq!(tokio::join!(serving, asking).1, "it works\n");
}
