//! `reasonix setup`: finds or takes an endpoint, tries it, and writes it into the user's settings.

use crate::args::SetupArgs;
use crate::exit::Exit;
use crate::say::{self, Style, clean};
use reasonix_catalogue::{PRESETS, Preset, Probed};
use reasonix_config::{NewProvider, Secret, Settings};
use reasonix_llm::{ApiKey, Endpoint, ListedModel, list_models};
use reasonix_net::NetOptions;
use reasonix_proto::{FailureClass, Level, Phrase};
use rustyline::DefaultEditor;
use std::io::IsTerminal;
use std::path::Path;
use std::time::Duration;

/// How long a local port may take to answer.
const KNOCK: Duration = Duration::from_millis(700);

/// An endpoint that could be used.
#[derive(Debug, Clone)]
pub(crate) struct Offer {
    pub(crate) name: String,
    pub(crate) preset: Option<&'static Preset>,
    pub(crate) base_url: String,
    pub(crate) api_key_env: Option<String>,
    pub(crate) models: Vec<ListedModel>,
    /// The key that was given for it just now; what is kept for later stands in no variable of this process.
    pub(crate) key: Option<ApiKey>,
}

/// Why an endpoint did not say which models it has.
pub(crate) enum NotOffered {
    /// It wants a key and was given none.
    WantsKey,
    /// It does not take the key that it was given.
    RefusesKey,
    /// Nobody answers there.
    Silent(Phrase),
    /// Anything else, in its own words.
    Failed(Phrase),
}

impl NotOffered {
    /// Another key may help.
    pub(crate) fn is_about_keys(&self) -> bool {
        matches!(self, Self::WantsKey | Self::RefusesKey)
    }

    /// The words for it; `unset` is the variable that should have had the key.
    pub(crate) fn phrase(&self, url: &str, unset: Option<&str>) -> Phrase {
        let url = reasonix_config::shown_address(url);
        match (self, unset) {
            (Self::WantsKey, Some(name)) => Phrase::new("cli.setup_key_unset").with("url", url).with("name", name),
            (Self::WantsKey, None) => Phrase::new("cli.setup_key_wanted").with("url", url),
            (Self::RefusesKey, _) => Phrase::new("cli.setup_key_refused").with("url", url),
            (Self::Silent(phrase) | Self::Failed(phrase), _) => phrase.clone(),
        }
    }
}

impl Offer {
    fn of(preset: &'static Preset) -> Self {
        let window = |model: &str| reasonix_catalogue::known(model).map(|known| known.window);
        let model = |model: &&str| ListedModel { id: (*model).to_owned(), context_window: window(model) };
        Self {
            name: preset.name.to_owned(),
            preset: Some(preset),
            base_url: preset.base_url.to_owned(),
            api_key_env: preset.key_env.map(str::to_owned),
            models: preset.models.iter().map(model).collect(),
            key: None,
        }
    }

    /// Takes the name that this endpoint has in the user's settings, so that setting it up again adds no second one.
    pub(crate) fn named_as_before(&mut self, home: &Path) {
        let path = home.join("config.toml");
        if let Some(name) = reasonix_config::provider_at(&path, &self.base_url, self.api_key_env.as_deref()) {
            self.name = name;
        }
    }

    /// The variable that its key is kept under: also where a person wrote the address, of which nobody knows whether it
    /// wants one. A server of this machine that said without one what it has wants none.
    pub(crate) fn key_name(&self) -> Option<String> {
        let open = !self.models.is_empty() && is_own_machine(&self.base_url);
        let own = !open && self.preset.is_none_or(|preset| preset.base_url != self.base_url);
        let known = self.api_key_env.clone().or_else(|| Some(self.preset?.key_env?.to_owned()));
        known.or_else(|| own.then(|| key_variable(&self.name)))
    }

    /// True for a service of which it is known what it has.
    fn is_hosted(&self) -> bool {
        self.preset.is_some_and(|preset| !preset.is_local())
    }
}

pub(crate) async fn setup(args: SetupArgs) -> anyhow::Result<Exit> {
    let home = crate::context::home()?;
    let style = Style::get();
    let asks = !args.yes && args.base_url.is_none() && std::io::stdin().is_terminal();
    let mut offer = match &args.base_url {
        Some(url) => named(&args, url, &home).await?,
        None => {
            say::line_err(&style.text(&Phrase::new("cli.setup_looking")));
            let found = discover().await;
            if asks { choose(found, &home, args.model.is_some()).await? } else { first(found)? }
        }
    };
    match &args.name {
        Some(name) => offer.name.clone_from(name),
        None => offer.named_as_before(&home),
    }
    let model = pick_model(&args, &offer, asks)?;
    if !offer.models.is_empty() && !offer.models.iter().any(|known| known.id == model) {
        let phrase = Phrase::new("cli.setup_model_unlisted").with("model", &model);
        say::notice(Level::Warning, &phrase.with("url", reasonix_config::shown_address(&offer.base_url)));
    }
    let probed = probed(&args, &offer, &model, &home).await;
    let window = args.context_window.or_else(|| window_from(&offer, &model, probed.as_ref()));
    let mut provider = provider_of(&offer, &model, probed.as_ref(), window);
    if let Some(variable) = &args.api_key_env {
        provider.api_key_env = Some(variable.clone());
    }
    provider.context_window = args.context_window.or(provider.context_window);
    let saved = save(&home, &provider).map_err(say::failed)?;
    if let Some(probed) = &probed {
        crate::probe::show(probed, window.unwrap_or(0), true)?;
    }
    say::line(&style.text(&saved))?;
    if window.is_none() {
        say::notice(Level::Info, &Phrase::new("cli.setup_no_window"));
    }
    say::line(&style.text(&Phrase::new("cli.setup_next")))?;
    Ok(Exit::Done)
}

/// The window of a model: as it was found, or as it is known.
pub(crate) fn window_from(offer: &Offer, model: &str, probed: Option<&Probed>) -> Option<u64> {
    probed.and_then(|probed| probed.window).or_else(|| window_of(offer, model))
}

/// Models of one endpoint that are written.
const MOST_MODELS: usize = 500;

/// What is written for an endpoint: every model that it offers, so that each can be chosen, with this one as the default.
/// What is known of a model is not written: what is known may grow.
pub(crate) fn provider_of(offer: &Offer, model: &str, probed: Option<&Probed>, window: Option<u64>) -> NewProvider {
    let found = probed.and_then(|probed| reasonix_catalogue::preset(probed.server.preset()?));
    NewProvider {
        name: offer.name.clone(),
        kind: offer.preset.map_or("openai", |preset| preset.wire.kind()).to_owned(),
        preset: offer.preset.or(found).map(|preset| preset.name.to_owned()),
        base_url: offer.base_url.clone(),
        models: offer.models.iter().map(|model| model.id.clone()).take(MOST_MODELS).collect(),
        default: Some(model.to_owned()),
        api_key_env: offer.api_key_env.clone(),
        context_window: window.filter(|_| !offer.is_hosted() || reasonix_catalogue::known(model).is_none()),
    }
}

/// Writes an endpoint into the user's settings, as the default; gives what to say about it.
pub(crate) fn save(home: &Path, provider: &NewProvider) -> Result<Phrase, Phrase> {
    let path = home.join("config.toml");
    reasonix_config::set_default_provider(&path, provider, true).map_err(|error| error.phrase())?;
    let model = provider.default.as_deref().unwrap_or_default();
    Ok(Phrase::new("cli.setup_saved")
        .with("model", format!("{}/{model}", provider.name))
        .with("url", reasonix_config::shown_address(&provider.base_url))
        .with("path", path.display()))
}

/// What the endpoint can do. What is known of hosted services needs no asking.
async fn probed(args: &SetupArgs, offer: &Offer, model: &str, home: &Path) -> Option<Probed> {
    if args.no_probe || offer.is_hosted() || offer.models.is_empty() {
        return None;
    }
    let mut endpoint = Endpoint::new(&offer.name, &offer.base_url, model);
    let variable = args.api_key_env.as_ref().or(offer.api_key_env.as_ref());
    let kept = || variable.and_then(|name| std::env::var(name).ok()).map(ApiKey::from);
    endpoint.key = offer.key.clone().or_else(kept);
    endpoint.key_env = variable.cloned();
    match crate::probe::asked(&Settings::default(), home, &endpoint).await {
        Ok(probed) => Some(probed),
        Err(phrase) => {
            say::notice(Level::Warning, &phrase);
            None
        }
    }
}

/// The endpoint that was given by flags. It may be down; then the model must be given too. Where it wants a key, a person who is
/// there is asked for one.
async fn named(args: &SetupArgs, url: &str, home: &Path) -> anyhow::Result<Offer> {
    let given = url;
    let url = &with_scheme(url);
    if !is_address(url) {
        return Err(say::usage(Phrase::new("cli.setup_no_address").with("url", reasonix_config::shown_address(given))));
    }
    let name = args.name.clone().unwrap_or_else(|| name_from(url));
    let preset = reasonix_catalogue::preset_for(url);
    let (api_key_env, base_url, models) = (args.api_key_env.clone(), url.to_owned(), Vec::new());
    let mut offer = Offer { name, preset, base_url, api_key_env, models, key: None };
    offer.key = args.api_key_env.as_ref().and_then(|name| std::env::var(name).ok()).map(ApiKey::from);
    let asks = !args.yes && std::io::stdin().is_terminal();
    loop {
        let why = match offer.look().await {
            Ok(()) => return Ok(offer),
            Err(why) => why,
        };
        let unset = args.api_key_env.as_deref().filter(|_| offer.key.is_none());
        let phrase = why.phrase(&offer.base_url, unset);
        match why {
            _ if asks && why.is_about_keys() => {
                say::notice(Level::Warning, &phrase);
                if !offer.type_key(home)? {
                    return Err(say::failed(phrase));
                }
            }
            _ if args.model.is_none() => return Err(say::failed(phrase)),
            _ => {
                say::notice(Level::Warning, &phrase);
                return Ok(offer);
            }
        }
    }
}

/// An address as people write it: without its beginning, or put whole behind one that was there already.
pub(crate) fn with_scheme(url: &str) -> String {
    let url = url.trim();
    let whole = url.rfind("http://").max(url.rfind("https://")).and_then(|at| url.get(at..)).unwrap_or(url);
    if whole.contains("://") { whole.to_owned() } else { format!("http://{whole}") }
}

/// Whether this can be an address at all: a host, and a number where there is a port.
fn is_address(url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once("://") else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    // Behind the brackets of a numeric address only a port can stand.
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        _ => (host, None),
    };
    matches!(scheme, "http" | "https") && !name.is_empty() && port.is_none_or(|port| port.parse::<u16>().is_ok())
}

/// The variable for the key of an endpoint that a person named.
fn key_variable(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    let name: String = name.chars().map(letter).collect();
    let begins = name.starts_with(|c: char| c.is_ascii_digit());
    format!("{}{name}_API_KEY", if begins { "HOST_" } else { "" })
}

fn name_from(url: &str) -> String {
    let host = url.split("://").last().unwrap_or(url).split(['/', ':']).next().unwrap_or("local");
    if matches!(host, "localhost" | "127.0.0.1" | "[" | "") { "local".to_owned() } else { host.replace('.', "-") }
}

/// Knocks at the usual local ports, all at once.
pub(crate) async fn discover() -> Vec<Offer> {
    let mut knocks = tokio::task::JoinSet::new();
    for (place, preset) in PRESETS.iter().enumerate().filter(|(_, preset)| preset.is_local()) {
        knocks.spawn(async move {
            let models = offered(preset.base_url, None, KNOCK).await.ok()?;
            Some((place, Offer { models, ..Offer::of(preset) }))
        });
    }
    let mut found: Vec<_> = knocks.join_all().await.into_iter().flatten().collect();
    found.sort_by_key(|(place, _)| *place);
    found.into_iter().map(|(_, offer)| offer).collect()
}

/// The models at an address.
pub(crate) async fn offered(
    url: &str,
    key: Option<&ApiKey>,
    patience: Duration,
) -> Result<Vec<ListedModel>, NotOffered> {
    let mut endpoint = Endpoint::new("setup", url, "");
    endpoint.key = key.cloned();
    let client = reasonix_net::client(url, &NetOptions::default());
    let client = client.map_err(|error| NotOffered::Failed(error.phrase()))?;
    match tokio::time::timeout(patience, list_models(&endpoint, &client)).await {
        Ok(Ok(models)) => Ok(models),
        Ok(Err(failure)) if failure.class == FailureClass::KeyRejected => match key {
            Some(_) => Err(NotOffered::RefusesKey),
            None => Err(NotOffered::WantsKey),
        },
        Ok(Err(failure)) if failure.class == FailureClass::Unreachable => Err(NotOffered::Silent(failure.phrase)),
        Ok(Err(failure)) => Err(NotOffered::Failed(failure.phrase)),
        Err(_) => Err(NotOffered::Silent(Phrase::new("cli.setup_silent").with("url", url))),
    }
}

/// How long an endpoint that a person named may take to say what it has.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

impl Offer {
    /// Asks the endpoint which models it has. An address that was written without a path is tried with the usual one, too.
    pub(crate) async fn look(&mut self) -> Result<(), NotOffered> {
        let why = match offered(&self.base_url, self.key.as_ref(), PATIENCE).await {
            Ok(models) => {
                self.models = models;
                return Ok(());
            }
            Err(why) => why,
        };
        let host = self.base_url.split_once("://").map_or(self.base_url.as_str(), |(_, rest)| rest);
        if matches!(why, NotOffered::Failed(_)) && !host.trim_end_matches('/').contains('/') {
            let usual = format!("{}/v1", self.base_url.trim_end_matches('/'));
            match offered(&usual, self.key.as_ref(), PATIENCE).await {
                Ok(models) => {
                    (self.base_url, self.models) = (usual, models);
                    return Ok(());
                }
                // There is something there that wants a key: that is the address.
                Err(wants @ (NotOffered::WantsKey | NotOffered::RefusesKey)) => {
                    self.base_url = usual;
                    return Err(wants);
                }
                Err(NotOffered::Silent(_) | NotOffered::Failed(_)) => {}
            }
        }
        Err(why)
    }

    /// Asks for its key. False where none was given, or the environment has one, which would be taken in its place.
    fn type_key(&mut self, home: &Path) -> anyhow::Result<bool> {
        let name = self.key_name().unwrap_or_else(|| key_variable(&self.name));
        if std::env::var(&name).is_ok_and(|key| !key.is_empty()) {
            say::notice(Level::Warning, &Phrase::new("cli.setup_key_in_env").with("name", &name));
            return Ok(false);
        }
        let key = type_key(&name, home)?;
        self.keep(name, key);
        Ok(self.key.is_some())
    }

    /// This is its key. Without one it is not written down that there is one, but for services that have no answer without.
    pub(crate) fn keep(&mut self, name: String, key: Option<String>) {
        self.key = key.map(ApiKey::from);
        self.api_key_env = self.api_key_env.take().or_else(|| self.key.is_some().then_some(name));
    }
}

fn first(found: Vec<Offer>) -> anyhow::Result<Offer> {
    found.into_iter().next().ok_or_else(|| say::usage(Phrase::new("cli.setup_nothing_found")))
}

/// What was found, and what is hosted.
pub(crate) fn with_hosted(found: Vec<Offer>) -> Vec<Offer> {
    let hosted = PRESETS.iter().filter(|preset| !preset.is_local() && !preset.base_url.is_empty()).map(Offer::of);
    found.into_iter().chain(hosted).collect()
}

/// True for an address of this machine.
fn is_own_machine(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest).split(['/', '?']).next().unwrap_or_default();
    let host = host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map_or(host, |(host, _)| host);
    let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// An endpoint at an address that a person wrote.
pub(crate) fn at_address(url: &str, models: Vec<ListedModel>) -> Offer {
    let preset = reasonix_catalogue::preset_for(url);
    Offer { name: name_from(url), preset, base_url: url.to_owned(), api_key_env: None, models, key: None }
}

/// Lets a person choose among what was found and what is hosted. Where the model is named, an endpoint need not say what it has.
async fn choose(found: Vec<Offer>, home: &Path, is_named: bool) -> anyhow::Result<Offer> {
    let style = Style::get();
    if found.is_empty() {
        say::line_err(&style.text(&Phrase::new("cli.setup_no_local")));
    }
    let offers = with_hosted(found);
    let wide = offers.iter().map(|offer| offer.name.chars().count()).max().unwrap_or(0);
    let columns = rustix::termios::tcgetwinsize(std::io::stderr()).map_or(100, |size| usize::from(size.ws_col).max(40));
    for (number, offer) in offers.iter().enumerate() {
        let models: Vec<_> = offer.models.iter().take(3).map(|model| model.id.as_str()).collect();
        let line = format!("  {:>2}  {:<wide$}  {}  {}", number + 1, offer.name, offer.base_url, models.join(", "));
        // A line that is cut can be read; one that breaks in the middle of a name cannot.
        let line: String = clean(line.trim_end()).chars().take(columns.saturating_sub(1)).collect();
        say::line_err(&line);
    }
    say::line_err(&style.text(&Phrase::new("cli.setup_other")));
    let mut editor = DefaultEditor::new()?;
    loop {
        let answer = read_line(&mut editor, &style.text(&Phrase::new("cli.setup_choose")))?;
        let answer = answer.trim();
        let numbered = answer.parse::<usize>().ok().and_then(|number| offers.get(number.checked_sub(1)?));
        let offer = match numbered.or_else(|| offers.iter().find(|offer| offer.name == answer)) {
            Some(offer) => Some(offer.clone()),
            None if answer.is_empty() => continue,
            None if answer.contains("://") || answer.contains(':') => typed(&with_scheme(answer), is_named).await,
            None => {
                say::notice(Level::Warning, &Phrase::new("cli.setup_what").with("answer", answer));
                continue;
            }
        };
        let Some(mut offer) = offer else { continue };
        if with_key(&mut offer, home).await? || is_named {
            return Ok(offer);
        }
    }
}

/// The endpoint at an address that was typed; none, with the reason said, where nothing of this machine answers there. Others are
/// asked once it is known whether there is a key for them.
async fn typed(url: &str, is_named: bool) -> Option<Offer> {
    let mut offer = at_address(url, Vec::new());
    if is_own_machine(url)
        && let Err(NotOffered::Silent(phrase) | NotOffered::Failed(phrase)) = offer.look().await
    {
        say::notice(Level::Warning, &phrase);
        return is_named.then_some(offer);
    }
    Some(offer)
}

/// Asks for the key of an endpoint that may want one, until it is taken. False where the endpoint does not say what it has.
async fn with_key(offer: &mut Offer, home: &Path) -> anyhow::Result<bool> {
    if let Some(name) = offer.key_name() {
        let key = ask_key(&name, home)?;
        offer.keep(name, key);
    }
    while offer.models.is_empty() {
        let Err(why) = offer.look().await else { break };
        say::notice(Level::Warning, &why.phrase(&offer.base_url, None));
        if !why.is_about_keys() || !offer.type_key(home)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A line that a person types. Whoever leaves instead leaves the whole set-up, in which nothing was written yet.
fn read_line<H: rustyline::Helper>(
    editor: &mut rustyline::Editor<H, impl rustyline::history::History>,
    prompt: &str,
) -> anyhow::Result<String> {
    use rustyline::error::ReadlineError::{Eof, Interrupted};
    editor.readline(prompt).map_err(|error| match error {
        Eof | Interrupted => say::failed(Phrase::new("cli.setup_left")),
        other => other.into(),
    })
}

/// Asks for a key that is not in the environment.
fn ask_key(name: &str, home: &Path) -> anyhow::Result<Option<String>> {
    match std::env::var(name).ok().filter(|value| !value.is_empty()) {
        Some(key) => Ok(Some(key)),
        None => type_key(name, home),
    }
}

/// Asks for a key; it is kept in the user's `.env`, readable by the user alone.
fn type_key(name: &str, home: &Path) -> anyhow::Result<Option<String>> {
    let prompt = Style::get().text(&Phrase::new("cli.setup_key").with("name", name));
    let mut editor = rustyline::Editor::<Unseen, rustyline::history::MemHistory>::with_history(
        rustyline::Config::builder().color_mode(rustyline::ColorMode::Forced).build(),
        rustyline::history::MemHistory::new(),
    )?;
    editor.set_helper(Some(Unseen));
    let key = read_line(&mut editor, &prompt)?.trim().to_owned();
    if key.is_empty() {
        return Ok(None);
    }
    reasonix_config::save_key(home, name, &Secret::new(&key)).map_err(|error| say::failed(error.phrase()))?;
    Ok(Some(key))
}

/// A line of which nobody who looks on sees more than its length.
struct Unseen;

impl rustyline::highlight::Highlighter for Unseen {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> std::borrow::Cow<'l, str> {
        "*".repeat(line.chars().count()).into()
    }

    fn highlight_char(&self, _: &str, _: usize, _: rustyline::highlight::CmdKind) -> bool {
        true
    }
}

impl rustyline::Helper for Unseen {}
impl rustyline::hint::Hinter for Unseen {
    type Hint = String;
}
impl rustyline::completion::Completer for Unseen {
    type Candidate = String;
}
impl rustyline::validate::Validator for Unseen {}

fn pick_model(args: &SetupArgs, offer: &Offer, asks: bool) -> anyhow::Result<String> {
    if let Some(model) = &args.model {
        return Ok(model.clone());
    }
    let Some(first) = offer.models.first() else {
        return Err(say::usage(Phrase::new("cli.setup_no_model").with("url", &offer.base_url)));
    };
    if !asks || offer.models.len() == 1 {
        return Ok(first.id.clone());
    }
    for (number, model) in offer.models.iter().take(40).enumerate() {
        say::line_err(&clean(&format!("  {}  {}", number + 1, model.id)));
    }
    let prompt = Style::get().text(&Phrase::new("cli.setup_model").with("model", &first.id));
    let answer = read_line(&mut DefaultEditor::new()?, &clean(&prompt))?;
    let answer = answer.trim();
    let numbered = answer.parse::<usize>().ok().and_then(|number| offer.models.get(number.checked_sub(1)?));
    Ok(match (answer.is_empty(), numbered) {
        (true, _) => first.id.clone(),
        (false, Some(model)) => model.id.clone(),
        (false, None) => answer.to_owned(),
    })
}

fn window_of(offer: &Offer, model: &str) -> Option<u64> {
    offer.models.iter().find(|known| known.id == model)?.context_window
}

#[cfg(test)]
mod tests {
    use super::{Offer, at_address, is_address, with_scheme};

    #[test]
    fn an_address_of_ones_own_may_have_a_key_and_a_server_that_was_found_has_none() {
        let named = |url: &str| at_address(url, Vec::new()).key_name();
        assert_eq!(named("https://llm.example.com/v1").as_deref(), Some("LLM_EXAMPLE_COM_API_KEY"));
        assert_eq!(named("http://127.0.0.1:9999/v1").as_deref(), Some("LOCAL_API_KEY"));
        assert_eq!(named("http://10.0.0.7:8000/v1").as_deref(), Some("HOST_10_0_0_7_API_KEY"));
        let answered = vec![reasonix_llm::ListedModel { id: "m".to_owned(), context_window: None }];
        for (url, asks) in [
            ("http://127.0.0.1:9999/v1", false),
            ("http://localhost:9999", false),
            ("http://[::1]:9999/v1", false),
            ("https://llm.example.com/v1", true),
            ("http://localhost.example.com:1/v1", true),
        ] {
            assert_eq!(at_address(url, answered.clone()).key_name().is_some(), asks, "{url}");
        }
        let of = |name: &str| reasonix_catalogue::preset(name).map(Offer::of).and_then(|offer| offer.key_name());
        assert_eq!(of("deepseek").as_deref(), Some("DEEPSEEK_API_KEY"));
        assert_eq!(of("ollama"), None);
    }

    #[test]
    fn an_address_is_taken_as_people_write_it() {
        for (typed, wanted) in [
            ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
            ("127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
            ("http://http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
            ("http://https://models.example.com ", "https://models.example.com"),
            ("http://localhost", "http://localhost"),
        ] {
            assert_eq!(with_scheme(typed), wanted, "{typed}");
        }
    }

    #[test]
    fn what_is_no_address_is_told_before_anything_is_tried() {
        for (typed, is) in [
            ("http://127.0.0.1:8080/v1", true),
            ("server:8000/v1", true),
            ("https://api.example.com", true),
            ("http://[::1]:8080", true),
            ("http://[::1]", true),
            ("htp:/x", false),
            ("ftp://server", false),
            ("http://", false),
            ("http://server:port", false),
        ] {
            assert_eq!(is_address(&with_scheme(typed)), is, "{typed}");
        }
    }
}
