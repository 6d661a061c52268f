//! Keys that are not simply there: printed by a command of the user's, or one of several. What a command prints is held in
//! memory, sent to its endpoint, and written nowhere.

use reasonix_agent::BoxFuture;
use reasonix_config::{Provider, SignSettings};
use reasonix_exec::{Bounds, ChildOptions, Command, EndStatus, Environment, Keep, spawn};
use reasonix_llm::{ApiKey, KeySource, Signing};
use reasonix_proto::{FailureClass, Phrase};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::AsyncReadExt;

/// How long a command may take that gives a key.
const PATIENCE: Duration = Duration::from_secs(60);
/// No key is longer.
const LONGEST: usize = 64 * 1024;
/// What programs that keep keys are told by, beside what every child sees.
const ALLOWED: &[&str] = &[
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_CONFIG_FILE",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_ROLE_ARN",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AZURE_CONFIG_DIR",
    "CLOUDSDK_*",
    "DBUS_SESSION_BUS_ADDRESS",
    "GNUPGHOME",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_PROJECT",
    "OP_ACCOUNT",
    "OP_SERVICE_ACCOUNT_TOKEN",
    "PASSWORD_STORE_DIR",
    "VAULT_ADDR",
    "VAULT_TOKEN",
];

/// The sources of keys in use, by provider, so that models of one share what was fetched.
#[derive(Clone, Default)]
pub(crate) struct KeyRing(Arc<Mutex<BTreeMap<String, Arc<dyn KeySource>>>>);

impl KeyRing {
    /// The source of a provider; the one that was handed in where it is the first.
    pub(crate) fn shared(&self, provider: &Provider, source: Arc<dyn KeySource>) -> Arc<dyn KeySource> {
        let name = format!("{}\n{:?}\n{:?}", provider.name, provider.api_key_command, provider.api_key_pool);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(name).or_insert(source))
    }
}

/// What gives a provider's keys, where that is more than one variable.
pub(crate) fn key_source(
    provider: &Provider,
    env: &BTreeMap<String, String>,
    home: &Path,
) -> Option<Arc<dyn KeySource>> {
    if let Some((program, args)) = provider.api_key_command.split_first() {
        return Some(Arc::new(KeyCommand::new(provider, program, args, env, home)));
    }
    if provider.api_key_pool.is_empty() {
        return None;
    }
    let keys = reasonix_config::pooled_keys(provider, env, home);
    let keys = keys.iter().map(|key| ApiKey::from(key.expose())).collect();
    let names = provider.key_variables().collect::<Vec<_>>().join(", ");
    let empty = Phrase::new("engine.key_pool_empty").with("provider", &provider.name).with("names", names);
    Some(Arc::new(KeyPool { keys, at: AtomicUsize::new(0), empty }))
}

/// What signatures are for: as the user says, or as the address does.
pub(crate) fn signing(said: &SignSettings, base_url: &str, env: &BTreeMap<String, String>) -> Signing {
    let host = base_url.split_once("://").map_or(base_url, |(_, rest)| rest);
    let host = host.split(['/', '?']).next().unwrap_or_default();
    let mut labels = host.split('.');
    let first = labels.next().unwrap_or_default();
    let aws = host.ends_with(".amazonaws.com") || host.ends_with(".api.aws");
    let placed = labels.next().filter(|_| aws).map(str::to_owned);
    let named = || ["AWS_REGION", "AWS_DEFAULT_REGION"].iter().find_map(|name| env.get(*name).cloned());
    // All of Bedrock signs as one service, but for its newer door.
    let service = if first.starts_with("bedrock") && first != "bedrock-mantle" { "bedrock" } else { first };
    Signing {
        region: said.region.clone().or(placed).or_else(named).unwrap_or_default(),
        service: said.service.clone().unwrap_or_else(|| service.to_owned()),
    }
}

/// A command that prints a key.
struct KeyCommand {
    command: Command,
    provider: String,
    /// The command as a shell takes it.
    written: String,
    lasts: Option<Duration>,
    got: tokio::sync::Mutex<Option<(ApiKey, Instant)>>,
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./=:,@%+".contains(&byte);
    let safe = !word.is_empty() && word.bytes().all(plain);
    if safe { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

impl KeyCommand {
    fn new(provider: &Provider, program: &str, args: &[String], env: &BTreeMap<String, String>, home: &Path) -> Self {
        let vars = env.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let allowed: Vec<String> = ALLOWED.iter().map(|name| (*name).to_owned()).collect();
        let environment = Environment::scrubbed(vars, &allowed).with_proxies();
        // Never in the project's folder, which could bring a program or a file of that name.
        let command = Command::program(program, args, home)
            .with_environment(environment)
            .with_timeout(Some(PATIENCE))
            .with_bounds(Bounds { output: 1024 * 1024, ..Bounds::default() });
        let lasts = (provider.api_key_ttl_seconds > 0).then(|| Duration::from_secs(provider.api_key_ttl_seconds));
        let written = provider.api_key_command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        Self { command, provider: provider.name.clone(), written, lasts, got: tokio::sync::Mutex::default() }
    }

    fn said(&self, code: &'static str) -> Phrase {
        Phrase::new(code).with("provider", &self.provider).with("command", &self.written)
    }

    /// Runs the command. Only what it writes to its output counts; nothing of it is shown.
    async fn fetch(&self) -> Result<ApiKey, Phrase> {
        let options = ChildOptions { stderr: Keep { head: 0, tail: 0 }, ..ChildOptions::default() };
        let unstarted = |error: String| self.said("engine.key_command_unstarted").with("reason", error);
        let mut child = spawn(&self.command, options).await.map_err(|error| unstarted(error.to_string()))?;
        drop(child.stdin.take());
        let mut printed = Vec::new();
        if let Some(stdout) = child.stdout.take() {
            let _ = stdout.take(LONGEST as u64 + 1).read_to_end(&mut printed).await;
        }
        // One that has more to say is not waited for, nor asked how it ended.
        if printed.len() > LONGEST {
            return Err(self.said("engine.key_command_empty"));
        }
        match child.wait().await.status {
            EndStatus::Exited(0) => {}
            EndStatus::TimedOut => {
                return Err(self.said("engine.key_command_slow").with("seconds", PATIENCE.as_secs()));
            }
            EndStatus::Exited(code) => return Err(self.said("engine.key_command_failed").with("status", code)),
            EndStatus::Signalled(signal) => {
                return Err(self.said("engine.key_command_failed").with("status", 128 + signal));
            }
            EndStatus::Cancelled | EndStatus::Bounded => return Err(self.said("engine.key_command_empty")),
        }
        let key = String::from_utf8(printed).unwrap_or_default();
        let key = key.trim();
        // One line, or a document as `aws configure export-credentials` prints one.
        let plain = !key.is_empty() && (key.starts_with('{') || !key.contains('\n'));
        if plain { Ok(ApiKey::from(key)) } else { Err(self.said("engine.key_command_empty")) }
    }
}

impl KeySource for KeyCommand {
    fn key(&self, refused: bool) -> BoxFuture<'_, Result<ApiKey, Phrase>> {
        Box::pin(async move {
            let mut got = self.got.lock().await;
            let good = |at: &Instant| !refused && self.lasts.is_none_or(|lasts| at.elapsed() < lasts);
            if let Some((key, _)) = got.as_ref().filter(|(_, at)| good(at)) {
                return Ok(key.clone());
            }
            tracing::debug!(provider = self.provider, refused, "key_command");
            // Before it runs: a command that fails leaves no key that was refused.
            *got = None;
            let key = self.fetch().await?;
            *got = Some((key.clone(), Instant::now()));
            Ok(key)
        })
    }

    fn spares(&self, class: FailureClass) -> usize {
        usize::from(class == FailureClass::KeyRejected)
    }
}

/// Several keys, one after the other.
struct KeyPool {
    keys: Vec<ApiKey>,
    at: AtomicUsize,
    empty: Phrase,
}

impl KeySource for KeyPool {
    fn key(&self, refused: bool) -> BoxFuture<'_, Result<ApiKey, Phrase>> {
        let at = if refused { self.at.fetch_add(1, Ordering::Relaxed) + 1 } else { self.at.load(Ordering::Relaxed) };
        let found = self.keys.get(at % self.keys.len().max(1)).cloned().ok_or_else(|| self.empty.clone());
        Box::pin(std::future::ready(found))
    }

    fn spares(&self, class: FailureClass) -> usize {
        let other = matches!(class, FailureClass::KeyRejected | FailureClass::BalanceEmpty | FailureClass::RateLimited);
        if other { self.keys.len().saturating_sub(1) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::{SignSettings, key_source, signing};
    use reasonix_config::Provider;
    use reasonix_proto::FailureClass;
    use std::collections::BTreeMap;
    use std::path::Path;
    use std::sync::Arc;

    fn provider(command: &[&str], ttl: u64) -> Provider {
        let api_key_command = command.iter().map(|word| (*word).to_owned()).collect();
        Provider { name: "p".into(), api_key_command, api_key_ttl_seconds: ttl, ..Provider::default() }
    }

    fn env() -> BTreeMap<String, String> {
        let path = std::env::var("PATH").unwrap_or_default();
        let pairs = [("PATH", path.as_str()), ("OPENAI_API_KEY", "sk-canary"), ("VAULT_TOKEN", "vault")];
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
    }

    #[tokio::test]
    async fn a_command_is_run_once_until_its_key_is_old_or_refused() {
        let home = tempfile::tempdir().expect("a folder");
        let line =
            "echo x >> runs; echo \"key-$(wc -l < runs | tr -d ' ')-${OPENAI_API_KEY:-none}-$VAULT_TOKEN-$(pwd)\"";
        let source = key_source(&provider(&["sh", "-c", line], 1_800), &env(), home.path()).expect("a source");
        let there = home.path().canonicalize().expect("it exists");
        let want = |run: u32| reasonix_llm::ApiKey::from(format!("key-{run}-none-vault-{}", there.display()));
        assert!(source.key(false).await == Ok(want(1)), "no key of an endpoint, in the user's own folder");
        assert!(source.key(false).await == Ok(want(1)), "it is kept");
        assert!(source.key(true).await == Ok(want(2)), "a refused one is fetched anew");
        assert!(source.key(false).await == Ok(want(2)));
        assert_eq!((source.spares(FailureClass::KeyRejected), source.spares(FailureClass::RateLimited)), (1, 0));
    }

    #[tokio::test]
    async fn what_is_no_key_is_said_without_what_was_printed() {
        let home = Path::new("/");
        for (command, code) in [
            (&["sh", "-c", "printf 'can%s' ary; exit 3"][..], "engine.key_command_failed"),
            (&["sh", "-c", "printf 'can%s' ary; kill -9 $$"], "engine.key_command_failed"),
            (&["sh", "-c", "printf 'can%s' ary >&2"], "engine.key_command_empty"),
            (&["sh", "-c", "printf 'can%s\\n' ary two"], "engine.key_command_empty"),
            (&["sh", "-c", "head -c 100000 /dev/zero | tr '\\0' x"], "engine.key_command_empty"),
            (&["/no/such/program"], "engine.key_command_unstarted"),
        ] {
            let source = key_source(&provider(command, 0), &env(), home).expect("a source");
            let phrase = source.key(false).await.expect_err("there is no key");
            let said = format!("{phrase:?}");
            assert!(phrase.code == code && !said.contains("canary"), "{command:?}: {said}");
        }
    }

    #[tokio::test]
    async fn the_command_that_is_named_can_be_given_to_a_shell() {
        let command = ["sh", "-c", "echo \"it's\" >&2; exit 3"];
        let source = key_source(&provider(&command, 0), &env(), Path::new("/")).expect("a source");
        let phrase = source.key(false).await.expect_err("there is no key");
        let written = phrase.arg("command").expect("the command");
        assert_eq!(written, r#"sh -c 'echo "it'\''s" >&2; exit 3'"#);
        let ran = std::process::Command::new("sh").args(["-c", written]).output().expect("sh");
        assert_eq!((ran.status.code(), ran.stderr.as_slice()), (Some(3), &b"it's\n"[..]));
    }

    #[tokio::test]
    async fn a_pool_goes_round() {
        let mut pool = provider(&[], 0);
        (pool.api_key_env, pool.api_key_pool) = (Some("A".into()), vec!["B".into(), "GONE".into()]);
        let env = BTreeMap::from([("A".to_owned(), "a".to_owned()), ("B".to_owned(), "b".to_owned())]);
        let source = key_source(&pool, &env, Path::new("/nowhere")).expect("a source");
        let key = |text: &str| Ok(reasonix_llm::ApiKey::from(text));
        assert!(source.key(false).await == key("a") && source.key(false).await == key("a"));
        assert!(source.key(true).await == key("b") && source.key(false).await == key("b"), "it stays with the next");
        assert!(source.key(true).await == key("a"));
        assert_eq!(source.spares(FailureClass::RateLimited), 1);
        assert_eq!(source.spares(FailureClass::Server), 0);
        let none = key_source(&pool, &BTreeMap::new(), Path::new("/nowhere")).expect("a source");
        assert_eq!(none.key(false).await.expect_err("none").code, "engine.key_pool_empty");
    }

    #[test]
    fn models_of_one_provider_share_their_keys() {
        let ring = super::KeyRing::default();
        let (one, env) = (provider(&["true"], 0), env());
        let make = || key_source(&one, &env, Path::new("/")).expect("a source");
        let first = ring.shared(&one, make());
        assert!(Arc::ptr_eq(&first, &ring.shared(&one, make())));
        let other = provider(&["false"], 0);
        assert!(!Arc::ptr_eq(&first, &ring.shared(&other, make())), "another command is another source");
    }

    #[test]
    fn what_an_address_says_of_signatures() {
        let env = BTreeMap::from([("AWS_REGION".to_owned(), "eu-west-1".to_owned())]);
        let nothing = SignSettings::default();
        for (url, region, service) in [
            ("https://bedrock-runtime.us-west-2.amazonaws.com/openai/v1", "us-west-2", "bedrock"),
            ("https://bedrock-mantle.us-east-1.api.aws/anthropic/v1", "us-east-1", "bedrock-mantle"),
            ("https://gateway.example/v1", "eu-west-1", "gateway"),
        ] {
            let found = signing(&nothing, url, &env);
            assert_eq!((found.region.as_str(), found.service.as_str()), (region, service), "{url}");
        }
        let said = SignSettings { region: Some("r".into()), service: Some("s".into()) };
        let found = signing(&said, "https://bedrock-runtime.us-west-2.amazonaws.com", &env);
        assert_eq!((found.region.as_str(), found.service.as_str()), ("r", "s"));
    }
}
