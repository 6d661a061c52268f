//! What every wire shares: where requests go, with which headers, and who reads what comes back.

use crate::Endpoint;
use crate::answer::{Answer, bounded_body};
use crate::codec::{Decode, Encode, NewDecoder};
use crate::failure::Trouble;
use crate::head::{head, keyed};
use crate::marks::{Marked, Marks};
use crate::repair::{Form, Mended, Textual, answer_schema, flat_prefix, gbnf};
use crate::tape::Tape;
use bytes::Bytes;
use reasonix_agent::{AnswerForm, BoxFuture, Model, ModelCard, ModelStream, Prefix, Request, Stop};
use reasonix_catalogue::{Guided, StructuredWhen};
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long counting may take.
const COUNT_TIME: Duration = Duration::from_secs(10);
/// How long a connection that nobody waits for may take.
const WARM_TIME: Duration = Duration::from_secs(10);

/// What every request to an endpoint shares.
pub(crate) struct Wire {
    pub(crate) endpoint: Arc<Endpoint>,
    pub(crate) client: reqwest::Client,
    pub(crate) url: String,
    pub(crate) decoder: NewDecoder,
    /// How decoding is guided; none where tools are not put into words, or the endpoint cannot be.
    guided: Guided,
    /// The endpoint refused to be told the form of an answer: it is asked in words from then on.
    pub(crate) formless: AtomicBool,
}

impl Wire {
    /// The decoder of one answer, with what repairs it behind it.
    pub(crate) fn decoder(&self, endpoint: &Arc<Endpoint>, request: &Arc<Request>) -> Box<dyn Decode> {
        read_by(self.decoder, endpoint, request, form(self.guided))
    }

    /// The endpoint with the key to send now.
    pub(crate) async fn ready(&self, refused: bool) -> Result<Arc<Endpoint>, Trouble> {
        match keyed(&self.endpoint, refused).await? {
            Cow::Borrowed(_) => Ok(Arc::clone(&self.endpoint)),
            Cow::Owned(endpoint) => Ok(Arc::new(endpoint)),
        }
    }

    /// What records the answer to this body, where that is wanted.
    pub(crate) fn tape(&self, endpoint: &Arc<Endpoint>, body: &[u8]) -> Option<Box<Tape>> {
        Tape::begin(endpoint, form(self.guided), body)
    }

    /// The body with the form of its calls in front, where the endpoint is held to one.
    fn guided(&self, body: Bytes, request: &Request) -> Bytes {
        let tools = &request.prefix.tools;
        if self.guided == Guided::None || !request.may_call || tools.is_empty() || request.form.is_some() {
            return body;
        }
        let Some(rest) = body.strip_prefix(b"{") else { return body };
        let field = match self.guided {
            Guided::None => return body,
            Guided::Gbnf => format!(r#""grammar":{}"#, serde_json::Value::String(gbnf(tools))),
            Guided::JsonSchema => {
                let schema = answer_schema(tools);
                let named = format!(r#"{{"name":"answer","strict":true,"schema":{schema}}}"#);
                format!(r#""response_format":{{"type":"json_schema","json_schema":{named}}}"#)
            }
            Guided::GuidedJson => format!(r#""guided_json":{}"#, answer_schema(tools)),
            Guided::StructuredOutputs => format!(r#""structured_outputs":{{"json":{}}}"#, answer_schema(tools)),
        };
        Bytes::from([b"{", field.as_bytes(), b",", rest].concat())
    }
}

/// A decoder with what repairs its answer behind it.
pub(crate) fn read_by(
    decoder: NewDecoder,
    endpoint: &Arc<Endpoint>,
    request: &Arc<Request>,
    form: Form,
) -> Box<dyn Decode> {
    Box::new(Mended::new(decoder(endpoint, request), request, endpoint.repairing, form).unmarking(Marks::of(endpoint)))
}

/// How answers are written under a guide.
fn form(guided: Guided) -> Form {
    match guided {
        Guided::None | Guided::Gbnf => Form::Tags,
        Guided::JsonSchema | Guided::GuidedJson | Guided::StructuredOutputs => Form::Object,
    }
}

/// A model behind a wire.
struct Wired<E> {
    card: ModelCard,
    encoder: E,
    wire: Arc<Wire>,
    /// Whether deep schemas are sent flat, and the last prefix as it was given and as it is sent.
    flattens: bool,
    flat: Mutex<Option<(Arc<Prefix>, Arc<Prefix>)>>,
    /// Where tools are put into words.
    textual: Option<Textual>,
    /// Which requests say the form of an answer.
    form_when: StructuredWhen,
    /// What makes tokens of templates harmless.
    marked: Marked,
}

impl<E> Wired<E> {
    /// The prefix as this endpoint is sent it; the same one for the same one.
    fn sent(&self, prefix: &Arc<Prefix>) -> Arc<Prefix> {
        if !self.flattens {
            return Arc::clone(prefix);
        }
        let mut flat = self.flat.lock().unwrap_or_else(PoisonError::into_inner);
        match flat.as_ref() {
            Some((given, sent)) if Arc::ptr_eq(given, prefix) => Arc::clone(sent),
            _ => {
                let sent = flat_prefix(prefix);
                *flat = Some((Arc::clone(prefix), Arc::clone(&sent)));
                sent
            }
        }
    }
}

impl<E> Wired<E> {
    /// The form of the answer, where this request is one that says it.
    fn form(&self, request: &Request) -> Option<Arc<AnswerForm>> {
        let form = request.form.as_ref()?;
        let (tools, in_words) = (!request.prefix.tools.is_empty(), self.textual.is_some());
        let closes = form.closing || !tools;
        let says = match self.form_when {
            StructuredWhen::Closing => closes,
            // What is called in words could not be called any more.
            StructuredWhen::Always => closes || !in_words,
            StructuredWhen::Alone => closes && (in_words || !tools),
        };
        (says && !self.wire.formless.load(Ordering::Relaxed)).then(|| Arc::clone(form))
    }
}

/// Puts a model together.
pub(crate) fn model<E: Encode + 'static>(
    endpoint: Endpoint,
    client: reqwest::Client,
    encoder: E,
    decoder: NewDecoder,
) -> Arc<dyn Model> {
    let card = endpoint.card();
    let url = endpoint.target();
    let wanted = endpoint.repairing.grammar && endpoint.wire == reasonix_catalogue::Wire::Chat;
    let guided = if wanted { endpoint.compat().guided } else { Guided::None };
    let in_words = endpoint.repairing.textual || endpoint.repairing.grammar;
    let textual = in_words.then(|| Textual::new(form(guided)));
    let flattens = endpoint.repairing.flattens(endpoint.wire, &endpoint.model);
    let marked = Marked::new(&endpoint);
    let form_when = endpoint.compat().structured_when;
    let formless = AtomicBool::new(false);
    let wire = Wire { endpoint: Arc::new(endpoint), client, url, decoder, guided, formless };
    let wire = Arc::new(wire);
    Arc::new(Wired { card, encoder, wire, flattens, flat: Mutex::new(None), textual, form_when, marked })
}

impl<E: Encode> Model for Wired<E> {
    fn card(&self) -> &ModelCard {
        &self.card
    }

    fn stream(&self, mut request: Request, stop: Stop) -> ModelStream {
        request.prefix = self.sent(&request.prefix);
        request.form = self.form(&request);
        let shown = self.marked.request(&request);
        let (body, plain) = match &self.textual {
            Some(textual) => self.encoder.bodies(&textual.request(&shown)),
            None => self.encoder.bodies(&shown),
        };
        request.form = request.form.filter(|_| plain.is_some());
        let body = self.wire.guided(body, &request);
        let plain = plain.map(|plain| self.wire.guided(plain, &Request { form: None, ..request.clone() }));
        Answer::stream(Arc::clone(&self.wire), (body, plain), request, stop)
    }

    fn count<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Option<u64>> {
        Box::pin(async move {
            let body = self.encoder.count(&self.marked.request(request))?;
            let wire = &self.wire;
            // Whoever has a route of their own counts elsewhere, or not at all.
            if wire.endpoint.own_route.is_some() {
                return None;
            }
            let url = wire.endpoint.route("messages/count_tokens");
            let ask = async {
                let endpoint = keyed(&wire.endpoint, false).await.ok()?;
                let headers = head(&endpoint, "POST", &url, &body).ok()?;
                wire.client.post(url).headers(headers).body(body).send().await.ok()
            };
            let response = tokio::time::timeout(COUNT_TIME, ask).await.ok()??;
            if !response.status().is_success() {
                return None;
            }
            let counted: serde_json::Value = serde_json::from_str(&bounded_body(response).await).ok()?;
            counted["input_tokens"].as_u64()
        })
    }

    fn warm(&self) -> BoxFuture<'static, ()> {
        let (client, url) = (self.wire.client.clone(), self.wire.url.clone());
        let idle = self.wire.endpoint.lacks_its_key();
        Box::pin(async move {
            // Without encryption a connection costs next to nothing; where nothing will be asked, it is for nothing.
            if idle || !url.starts_with("https:") {
                return;
            }
            // Nothing but the connection is wanted: no key and no body go with it, and the answer is not looked at.
            let _ = tokio::time::timeout(WARM_TIME, client.head(url).send()).await;
        })
    }
}
