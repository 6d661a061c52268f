//! Finds out what an endpoint can do, by asking it: a handful of small questions, each bounded in time and in bytes. What
//! the server says of itself is believed only where nothing can be seen; what it promises and does not hold counts as
//! absent. Asks the endpoint's own host and no other, and sends nothing of the user's.

mod bodies;
mod heard;
mod line;
mod server;
mod spoken;

use crate::failure::{Oddity, Trouble};
use crate::models::{fetch, parse};
use crate::{Endpoint, redact};
use bodies::{Bodies, held};
use heard::Heard;
use line::Line;
use reasonix_agent::Failure;
use reasonix_catalogue::{Guided, PROBE_VERSION, Probed, Seen, Server, ToolCalls, Wire, preset_for};
use reasonix_proto::FailureClass;
use serde_json::Value;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Names that are kept of the list of models.
const MOST_MODELS: usize = 50;
/// A longer name is none.
const LONGEST_NAME: usize = 200;
/// A first answer that came faster says nothing about a cache.
const LEAST_WAIT: Duration = Duration::from_millis(300);

/// How long a probe may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// One question. What was said until then counts.
    pub question: Duration,
    /// All of them; what is not asked by then stays unclear.
    pub whole: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { question: Duration::from_secs(60), whole: Duration::from_secs(240) }
    }
}

/// What is being asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeQuestion {
    /// Which models there are.
    Models,
    /// What kind of server it is, and how much its model can see.
    Server,
    /// Whether tools can be called.
    Tools,
    /// Whether several can be called at once.
    Parallel,
    /// Whether a schema is held to.
    Schema,
    /// Whether decoding can be guided in another way.
    Guided,
    /// Whether a prefix is cached.
    Cache,
}

impl ProbeQuestion {
    /// All of them, in order.
    pub const ALL: [Self; 7] =
        [Self::Models, Self::Server, Self::Tools, Self::Parallel, Self::Schema, Self::Guided, Self::Cache];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Models => "models",
            Self::Server => "server",
            Self::Tools => "tools",
            Self::Parallel => "parallel",
            Self::Schema => "schema",
            Self::Guided => "guided",
            Self::Cache => "cache",
        }
    }
}

/// Asks an endpoint what it can do. Fails where nothing can be had at all: nobody answers, the key is refused, the model
/// is unknown. `tell` hears what is asked next.
pub async fn probe(
    endpoint: &Endpoint,
    client: &reqwest::Client,
    patience: Patience,
    tell: &mut (dyn FnMut(ProbeQuestion) + Send),
) -> Result<Probed, Failure> {
    let mut endpoint = endpoint.clone();
    endpoint.retry.attempts = 1;
    endpoint.first_byte_timeout = patience.question;
    endpoint.idle_timeout = patience.question;
    let line =
        Line { endpoint: &endpoint, client, question: patience.question, until: Instant::now() + patience.whole };
    let mut probing = Probing { line, probed: blank(&endpoint), hosted: preset_for(&endpoint.base_url).is_some() };
    probing.run(tell).await.map_err(|trouble| trouble.failure)?;
    Ok(probing.probed)
}

fn blank(endpoint: &Endpoint) -> Probed {
    let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    Probed {
        v: PROBE_VERSION,
        at,
        endpoint: redact::url(&endpoint.base_url),
        model: endpoint.wire_name().to_owned(),
        ..Probed::default()
    }
}

/// A probe under way.
struct Probing<'a> {
    line: Line<'a>,
    probed: Probed,
    /// The address is that of a known service, whose other routes are nobody's business.
    hosted: bool,
}

impl Probing<'_> {
    async fn run(&mut self, tell: &mut (dyn FnMut(ProbeQuestion) + Send)) -> Result<(), Trouble> {
        tell(ProbeQuestion::Models);
        let list = self.models().await?;
        tell(ProbeQuestion::Server);
        if !self.hosted {
            self.probed.server = server::kind(&self.line, &list).await;
        }
        if self.line.endpoint.wire != Wire::Chat {
            return self.spoken(&list, tell).await;
        }
        let mut bodies = Bodies::new(self.line.endpoint);
        tell(ProbeQuestion::Tools);
        self.tools(&mut bodies).await?;
        // Some servers know how much the model can see only once it is loaded.
        self.window(&list).await;
        if self.probed.tools == ToolCalls::Native {
            tell(ProbeQuestion::Parallel);
            let answer = self.line.ask(&bodies.twice()).await;
            self.probed.parallel = self.judge(ProbeQuestion::Parallel, answer, |heard| heard.calls > 1);
        }
        tell(ProbeQuestion::Schema);
        let answer = self.line.ask(&bodies.schema(Guided::JsonSchema)).await;
        self.probed.json_schema =
            self.judge(ProbeQuestion::Schema, answer, |heard| held(Guided::JsonSchema, &heard.text));
        tell(ProbeQuestion::Guided);
        self.guided(&bodies).await;
        tell(ProbeQuestion::Cache);
        self.cache(&bodies).await;
        Ok(())
    }

    /// The list of models. An endpoint without one may still answer.
    async fn models(&mut self) -> Result<Value, Trouble> {
        let list = match self.line.timed(fetch(self.line.endpoint, self.line.client)).await {
            Some(Ok(list)) => list,
            Some(Err(trouble)) if is_fatal(&trouble) => return Err(trouble),
            Some(Err(_)) => Value::Null,
            None => return Err(Trouble::silent(self.line.endpoint, self.line.question.as_secs())),
        };
        let names: Vec<String> = parse(&list)
            .unwrap_or_default()
            .into_iter()
            .map(|model| model.id)
            .filter(|name| !name.is_empty() && name.len() <= LONGEST_NAME)
            .collect();
        self.probed.more_models = names.len().saturating_sub(MOST_MODELS) as u64;
        self.probed.models = names.into_iter().take(MOST_MODELS).collect();
        Ok(list)
    }

    async fn window(&mut self, list: &Value) {
        let model = self.probed.model.clone();
        self.probed.window = server::window(&self.line, self.probed.server, list, &model, self.hosted).await;
    }

    /// Streaming, counts, reasoning and calls, out of one answer, or of a few where the server is picky.
    async fn tools(&mut self, bodies: &mut Bodies<'_>) -> Result<(), Trouble> {
        let mut answer = self.line.ask(&bodies.tools(false)).await;
        if refused(&answer) {
            bodies.counts = false;
            let again = self.line.ask(&bodies.tools(false)).await;
            if again.is_ok() {
                self.probed.usage = Seen::No;
            } else {
                bodies.counts = true;
            }
            answer = if again.is_ok() { again } else { answer };
        }
        if refused(&answer) {
            // Without tools it must answer, or nothing can be had here.
            let plain = self.line.ask(&bodies.plain()).await?;
            self.probed.tools = ToolCalls::Refused;
            self.note(&plain);
            return Ok(());
        }
        let heard = answer?;
        self.note(&heard);
        self.probed.tools = heard.tools();
        if heard.text.is_empty() && heard.calls == 0 && heard.reasoning.is_none() {
            self.probed.unanswered.push(ProbeQuestion::Tools.name().to_owned());
        }
        if self.probed.tools == ToolCalls::NotSeen
            && let Ok(forced) = self.line.ask(&bodies.tools(true)).await
            && forced.calls > 0
        {
            self.probed.tools = ToolCalls::Native;
        }
        Ok(())
    }

    /// What any answer tells.
    fn note(&mut self, heard: &Heard) {
        self.probed.streaming = heard.streaming();
        self.probed.reasoning = self.probed.reasoning.or(heard.reasoning);
        if self.probed.usage != Seen::No {
            self.probed.usage = match (&heard.usage, heard.is_whole) {
                (Some(_), _) => Seen::Yes,
                (None, true) => Seen::No,
                (None, false) => Seen::Unclear,
            };
        }
        if heard.usage.is_some() {
            self.probed.cache_reported = Seen::from_bool(heard.cached().is_some());
        }
    }

    async fn guided(&mut self, bodies: &Bodies<'_>) {
        let schema = (self.probed.json_schema == Seen::Yes).then_some(Guided::JsonSchema);
        let others: &[Guided] = match (self.hosted, self.probed.server, schema) {
            (true, ..) => &[],
            (_, Server::LlamaCpp, _) => &[Guided::Gbnf],
            (_, Server::Vllm | Server::Unknown, None) => &[Guided::Gbnf, Guided::StructuredOutputs, Guided::GuidedJson],
            (_, Server::Unknown, Some(_)) => &[Guided::Gbnf],
            _ => &[],
        };
        for form in others {
            let answer = self.line.ask(&bodies.schema(*form)).await;
            if self.judge(ProbeQuestion::Guided, answer, |heard| held(*form, &heard.text)) == Seen::Yes {
                self.probed.guided = Some(*form);
                return;
            }
        }
        self.probed.guided = schema;
    }

    /// The same long prompt twice: is the second one cheaper?
    async fn cache(&mut self, bodies: &Bodies<'_>) {
        let long = bodies.long(self.probed.window);
        let (Ok(first), Ok(second)) = (self.line.ask(&long).await, self.line.ask(&long).await) else {
            self.probed.unanswered.push(ProbeQuestion::Cache.name().to_owned());
            return;
        };
        if let Some(cached) = second.cached() {
            self.probed.cache_reported = Seen::Yes;
            self.probed.prefix_cached = Seen::from_bool(cached > 0);
        } else if first.took > LEAST_WAIT && second.took < first.took / 3 {
            self.probed.prefix_cached = Seen::Yes;
        }
    }

    /// Whether an answer shows something. A refusal is a no; silence says nothing.
    fn judge(
        &mut self,
        question: ProbeQuestion,
        answer: Result<Heard, Trouble>,
        shows: impl Fn(&Heard) -> bool,
    ) -> Seen {
        match answer {
            Ok(heard) if shows(&heard) => Seen::Yes,
            Ok(heard) if heard.is_whole => Seen::No,
            Err(trouble) if trouble.failure.class == FailureClass::BadRequest => Seen::No,
            _ => {
                self.probed.unanswered.push(question.name().to_owned());
                Seen::Unclear
            }
        }
    }
}

/// The server took the request as malformed, or cannot do what it asks for.
fn refused(answer: &Result<Heard, Trouble>) -> bool {
    matches!(answer, Err(trouble) if matches!(trouble.failure.class, FailureClass::BadRequest | FailureClass::Server))
}

/// With this nothing else is worth asking.
fn is_fatal(trouble: &Trouble) -> bool {
    use FailureClass::{BalanceEmpty, KeyRejected, RateLimited, Unreachable};
    matches!(trouble.failure.class, Unreachable | KeyRejected | BalanceEmpty | RateLimited)
        || matches!(trouble.oddity, Some(Oddity::Redirect | Oddity::Page))
}
