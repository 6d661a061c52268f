//! What the tests share: a server that misbehaves, and what is heard of it.

use reasonix_agent::{Artifacts, Stop};
use reasonix_exec::{Command, Confinement, Environment};
use reasonix_mcp::{
    Elicits, McpAnswer, McpCall, McpError, ServerLimits, ServerNews, ServerReach, ServerSpec, Servers, Surroundings,
};
use reasonix_proto::Artifact;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;

/// The name of the server.
pub(crate) const NAME: &str = "hostile";

/// A server and what is heard of it.
pub(crate) struct Place {
    folder: TempDir,
    pub(crate) servers: Servers,
    news: Arc<Mutex<Vec<ServerNews>>>,
}

impl Place {
    /// A server that misbehaves in this way.
    pub(crate) fn new(mode: &str) -> Self {
        Self::with(mode, limits(), None)
    }

    pub(crate) fn with(mode: &str, limits: ServerLimits, elicits: Option<Arc<dyn Elicits>>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let reach = ServerReach::Stdio(Box::new(script(&folder, mode)));
        Self::reaching(folder, ServerSpec { limits, ..ServerSpec::new(NAME, reach) }, elicits)
    }

    /// The same, held to something.
    pub(crate) fn confined(folder: TempDir, mode: &str, confinement: &Confinement) -> Self {
        let command = script(&folder, mode).with_confinement(confinement.clone());
        let reach = ServerReach::Stdio(Box::new(command));
        Self::reaching(folder, ServerSpec { limits: limits(), ..ServerSpec::new(NAME, reach) }, None)
    }

    /// Any server.
    pub(crate) fn reaching(folder: TempDir, spec: ServerSpec, elicits: Option<Arc<dyn Elicits>>) -> Self {
        let news: Arc<Mutex<Vec<ServerNews>>> = Arc::default();
        let heard = Arc::clone(&news);
        let around = Surroundings {
            roots: vec![PathBuf::from("/a b")],
            elicits,
            news: Some(Arc::new(move |_, news| heard.lock().unwrap().push(news))),
        };
        Self { folder, servers: Servers::new(vec![spec], &around), news }
    }

    pub(crate) fn trace(&self) -> PathBuf {
        self.folder.path().join("trace")
    }

    /// What was heard so far.
    pub(crate) fn news(&self) -> Vec<ServerNews> {
        self.news.lock().unwrap().clone()
    }

    pub(crate) async fn call(&self) -> Result<McpAnswer, McpError> {
        self.call_until("act", &Stop::new()).await
    }

    pub(crate) async fn call_until(&self, tool: &str, stop: &Stop) -> Result<McpAnswer, McpError> {
        call(&self.servers, tool, None, stop).await
    }

    /// The words of an answer that did not fail.
    pub(crate) async fn words(&self) -> String {
        let answer = self.call().await.unwrap();
        assert!(!answer.failed, "{answer:?}");
        answer.content.into_words()
    }
}

/// The server that misbehaves.
pub(crate) fn script(folder: &TempDir, mode: &str) -> Command {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/hostile.sh");
    let args = [script.display().to_string(), mode.to_owned(), folder.path().join("trace").display().to_string()];
    Command::program("/bin/bash", args, folder.path()).with_environment(Environment::inherited(&[]))
}

/// Waits until something is so.
pub(crate) async fn until(place: &Place, so: impl Fn(&Place) -> bool) {
    let waited = async {
        while !so(place) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waited).await.expect("it becomes so");
}

pub(crate) async fn call(
    servers: &Servers,
    tool: &str,
    accepted: Option<&str>,
    stop: &Stop,
) -> Result<McpAnswer, McpError> {
    let args = object(json!({"a": 1}));
    servers.call(McpCall { server: NAME, tool, accepted, args, stop, progress: &|_| {} }).await
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// The usual limits, with those in time so long that no slow machine meets them by chance.
pub(crate) fn limits() -> ServerLimits {
    let long = Duration::from_secs(120);
    ServerLimits { handshake: long, request: long, call: Some(long), ..ServerLimits::default() }
}

/// The most memory that this process ever had, in MiB.
pub(crate) fn most_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

/// Keeps nothing and says that it did.
pub(crate) struct Nowhere;

impl Artifacts for Nowhere {
    fn put(&self, bytes: &[u8]) -> std::io::Result<Artifact> {
        Ok(Artifact { uri: "artifact://kept".into(), bytes: bytes.len() as u64, lines: 0 })
    }

    fn get(&self, _uri: &str) -> std::io::Result<Vec<u8>> {
        Ok(Vec::new())
    }
}
