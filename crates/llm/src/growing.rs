//! The body of a request as it grows. What was sent once is kept as bytes and sent again, so that the endpoint's cache holds
//! and a request costs the same at step 500 as at step 1. A layout says how a wire writes one message; it is handed nothing
//! that was written before, so that it cannot change it.

use crate::Endpoint;
use crate::codec::Encode;
use crate::options::{Field, put, put_fields, with_extra};
use crate::pictures::Sight;
use crate::structured;
use bytes::Bytes;
use reasonix_agent::{AnswerForm, Prefix, Request, ToolSpec};
use reasonix_catalogue::{Compat, ReasoningBack, Wire};
use reasonix_proto::{Kept, Message, Reasoning};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

/// What every layout knows of the endpoint.
pub(crate) struct Profile {
    pub(crate) compat: Compat,
    /// The endpoint's name as reasoning is stamped with it.
    pub(crate) name: String,
    /// What the model can look at.
    pub(crate) sight: Sight,
    /// The protocol, which has its own words for the form of an answer.
    wire: Wire,
    /// How the body begins: the model, unless the address names it.
    opening: Vec<u8>,
    /// The options of every request, and what the user adds to them.
    options: Vec<Field>,
    extra: Map<String, Value>,
    /// The body up to and without what depends on the request: the model and the options.
    head: Vec<u8>,
    /// Tools of the endpoint itself, which stand behind ours.
    pub(crate) more_tools: Vec<Value>,
}

impl Profile {
    pub(crate) fn new(endpoint: &Endpoint, compat: Compat, options: Vec<Field>) -> Self {
        let mut opening = model(endpoint);
        opening.extend_from_slice(b"\"stream\":true");
        let (wire, extra) = (endpoint.wire, endpoint.extra_body.clone());
        let mut head = opening.clone();
        put_fields(&mut head, &with_extra(options.clone(), &extra));
        let more_tools = endpoint.extra_body.get("tools").and_then(Value::as_array).cloned().unwrap_or_default();
        let sight = Sight { vision: endpoint.vision, documents: compat.documents };
        let name = endpoint.name();
        Self { compat, name, sight, wire, opening, options, extra, head, more_tools }
    }

    /// The body up to what depends on the request, with the form of the answer where that is told.
    pub(crate) fn head(&self, form: Option<&Field>) -> Cow<'_, [u8]> {
        let Some((name, value)) = form else { return Cow::Borrowed(&self.head) };
        let mut options = self.options.clone();
        match (options.iter_mut().find(|(known, _)| known == name), value) {
            (Some((_, Value::Object(ours))), Value::Object(form)) => ours.extend(form.clone()),
            _ => options.push((name, value.clone())),
        }
        let mut head = self.opening.clone();
        put_fields(&mut head, &with_extra(options, &self.extra));
        Cow::Owned(head)
    }

    /// How the form of an answer is told here; what the user says about it in the body is the last word.
    fn form(&self, form: &AnswerForm) -> Option<Field> {
        let own = ["response_format", "text", "output_config"].into_iter().any(|name| match self.extra.get(name) {
            Some(Value::Object(said)) => name == "response_format" || said.contains_key("format"),
            said => said.is_some(),
        });
        structured::field(self.wire, self.compat.structured, &form.schema).filter(|_| !own)
    }

    /// What an answer has to take back: only what this wire kept for this model.
    pub(crate) fn kept<'m>(&self, reasoning: Option<&'m Reasoning>, wire: &str) -> Option<&'m Kept> {
        let back = self.compat.reasoning_back != ReasoningBack::Never;
        let own = reasoning.filter(|reasoning| back && reasoning.model == self.name)?;
        own.kept.as_ref().filter(|kept| kept.wire == wire)
    }
}

/// The opening of a body: the model, unless the address names it, with a comma behind it.
fn model(endpoint: &Endpoint) -> Vec<u8> {
    let mut out = b"{".to_vec();
    if endpoint.compat().model_in_body {
        put_model(&mut out, endpoint);
        out.push(b',');
    }
    out
}

/// `"model":".."`.
pub(crate) fn put_model(out: &mut Vec<u8>, endpoint: &Endpoint) {
    out.extend_from_slice(b"\"model\":");
    put(out, endpoint.wire_name());
}

/// `,"tools":[..]`, or nothing where there are none.
pub(crate) fn put_tools(out: &mut Vec<u8>, tools: &[ToolSpec], more: &[Value], one: impl Fn(&ToolSpec) -> Value) {
    if !tools.is_empty() || !more.is_empty() {
        out.extend_from_slice(b",\"tools\":");
        put(out, &tools.iter().map(one).chain(more.iter().cloned()).collect::<Vec<_>>());
    }
}

/// What a request says of calling its tools.
#[derive(Clone, Copy)]
pub(crate) enum Choice<'a> {
    /// Nothing.
    Free,
    /// None may be called.
    Silent,
    /// This one has to be.
    Only(&'a str),
}

impl<'a> Choice<'a> {
    /// What a request wants, where the endpoint understands it.
    fn of(request: &'a Request, understood: bool) -> Self {
        let named = |name: &&str| request.prefix.tools.iter().any(|spec| spec.name == **name);
        match request.must_call.as_deref().filter(named) {
            _ if !understood || request.prefix.tools.is_empty() => Self::Free,
            _ if !request.may_call => Self::Silent,
            Some(name) => Self::Only(name),
            None => Self::Free,
        }
    }

    /// As a field of the body, in the words of a wire; nothing where nothing is said.
    pub(crate) fn field(self, silent: &Value, only: impl Fn(&str) -> Option<Value>) -> Vec<u8> {
        let value = match self {
            Self::Free => None,
            Self::Silent => Some(silent.clone()),
            Self::Only(name) => only(name),
        };
        value.map(|value| format!(",\"tool_choice\":{value}").into_bytes()).unwrap_or_default()
    }
}

/// How a wire writes a request.
pub(crate) trait Layout: Send + Sync + Sized {
    /// What it remembers of the messages that it wrote.
    type State: Default + Send;

    fn new(endpoint: &Endpoint) -> Self;

    fn profile(&self) -> &Profile;

    /// What stands before the conversation: what speaks of the cache, the tools, the system prompt.
    fn fixed(&self, request: &Request) -> Vec<u8>;

    /// Writes what follows the messages before it.
    fn message(&self, before: &[Arc<Message>], state: &mut Self::State, message: &Message, out: &mut Vec<u8>);

    /// Writes what has to stand behind the last message; it stays there when the conversation goes on.
    fn settle(&self, _all: &[Arc<Message>], _state: &mut Self::State, _out: &mut Vec<u8>) {}

    /// The whole body, with what is said of calling tools and of the form of the answer.
    fn body(&self, sent: &Sent<Self::State>, choice: Choice<'_>, form: Option<&Field>) -> Bytes;

    /// The body that asks for the number of tokens, where the wire can be asked.
    fn count(&self, _sent: &dyn Fn() -> Sent<Self::State>) -> Option<Bytes> {
        None
    }
}

/// What was sent last, encoded.
pub(crate) struct Sent<S> {
    prefix: Arc<Prefix>,
    messages: Vec<Arc<Message>>,
    pub(crate) state: S,
    pub(crate) fixed: Vec<u8>,
    /// The conversation, without the brackets around it.
    pub(crate) encoded: Vec<u8>,
    /// How much of it was in the request before this one.
    pub(crate) before: usize,
}

impl<S> Sent<S> {
    /// True when a request begins with what was sent, so that its bytes can be sent again.
    fn begins(&self, request: &Request) -> bool {
        (Arc::ptr_eq(&self.prefix, &request.prefix) || self.prefix == request.prefix)
            && self.messages.len() <= request.messages.len()
            && self.messages.iter().zip(&request.messages).all(|(sent, new)| Arc::ptr_eq(sent, new))
    }
}

/// Encodes the requests to one endpoint.
pub(crate) struct Growing<L: Layout> {
    layout: L,
    sent: Mutex<Option<Sent<L::State>>>,
}

impl<L: Layout> Growing<L> {
    pub(crate) fn new(endpoint: &Endpoint) -> Self {
        Self { layout: L::new(endpoint), sent: Mutex::new(None) }
    }

    /// What was sent with the new messages behind it; all of it anew where the request begins otherwise.
    fn grown(&self, sent: Option<Sent<L::State>>, request: &Request) -> Sent<L::State> {
        let mut sent = sent.filter(|sent| sent.begins(request)).unwrap_or_else(|| Sent {
            prefix: Arc::clone(&request.prefix),
            messages: Vec::new(),
            state: L::State::default(),
            fixed: self.layout.fixed(request),
            encoded: Vec::new(),
            before: 0,
        });
        // A message at a time: all of a long conversation need not be there twice.
        let mut new = Vec::new();
        for message in request.messages.iter().skip(sent.messages.len()) {
            self.layout.message(&sent.messages, &mut sent.state, message, &mut new);
            sent.messages.push(Arc::clone(message));
            sent.encoded.append(&mut new);
        }
        self.layout.settle(&sent.messages, &mut sent.state, &mut new);
        sent.encoded.append(&mut new);
        sent
    }
}

impl<L: Layout> Encode for Growing<L> {
    fn bodies(&self, request: &Request) -> (Bytes, Option<Bytes>) {
        let mut kept = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sent = self.grown(kept.take(), request);
        let profile = self.layout.profile();
        let body = self.layout.body(&sent, Choice::of(request, profile.compat.tool_choice), None);
        let formed = request.form.as_deref().and_then(|form| {
            // Whoever is held to a form cannot call; some servers try nevertheless.
            let may_call = request.may_call && !form.closing;
            let field = profile.form(form)?;
            let asked = Request { may_call, ..request.clone() };
            Some(self.layout.body(&sent, Choice::of(&asked, profile.compat.tool_choice), Some(&field)))
        });
        sent.before = sent.encoded.len();
        *kept = Some(sent);
        match formed {
            Some(formed) => (formed, Some(body)),
            None => (body, None),
        }
    }

    fn count(&self, request: &Request) -> Option<Bytes> {
        self.layout.count(&|| self.grown(None, request))
    }
}

#[cfg(test)]
mod tests {
    use super::{Growing, Layout};
    use crate::codec::Encode;
    use crate::{Endpoint, anthropic, chat, responses};
    use reasonix_agent::{Prefix, Request, ToolSpec};
    use reasonix_proto::Message;
    use std::sync::Arc;

    fn request(messages: &[Arc<Message>]) -> Request {
        let prefix = Prefix { system: "Be brief.".into(), tools: vec![], aliases: vec![] };
        Request { prefix: Arc::new(prefix), messages: messages.to_vec(), may_call: true, must_call: None, form: None }
    }

    fn keeps_its_bytes<L: Layout>() {
        let encoder = Growing::<L>::new(&Endpoint::new("p", "http://h/v1", "m"));
        let user = |text: &str| Arc::new(Message::user(text));
        let mut messages = vec![user("hi")];
        encoder.body(&request(&messages));
        // The same place, other bytes: were it encoded again, the request would show them.
        let mark = |sent: &mut Vec<u8>| sent.extend_from_slice(b"   ");
        mark(&mut encoder.sent.lock().expect("not poisoned").as_mut().expect("something was sent").encoded);
        messages.push(user("more"));
        let body = encoder.body(&request(&messages));
        assert!(String::from_utf8_lossy(&body).contains("  "));
        let other = [user("hi"), user("more")];
        let body = encoder.body(&request(&other));
        assert!(!String::from_utf8_lossy(&body).contains("  "), "other messages are encoded afresh");
    }

    fn choices<L: Layout>() -> Vec<serde_json::Value> {
        let encoder = Growing::<L>::new(&Endpoint::new("p", "http://h/v1", "m"));
        let spec = ToolSpec::new("yield", "", serde_json::json!({"type": "object"}));
        let prefix = Arc::new(Prefix { system: "Be brief.".into(), tools: vec![spec], aliases: vec![] });
        let asks = [(true, None), (false, Some("yield")), (true, Some("yield")), (true, Some("nothing"))];
        let sent = asks.map(|(may_call, name)| {
            let must_call = name.map(str::to_owned);
            let request = Request {
                prefix: prefix.clone(),
                messages: vec![Arc::new(Message::user("hi"))],
                may_call,
                must_call,
                form: None,
            };
            let body: serde_json::Value = serde_json::from_slice(&encoder.body(&request)).expect("JSON");
            body["tool_choice"].clone()
        });
        sent.to_vec()
    }

    #[test]
    fn a_tool_that_has_to_be_called_is_named_in_the_words_of_the_wire() {
        use serde_json::{Value::Null, json};
        let named = json!({"type": "function", "function": {"name": "yield"}});
        assert_eq!(choices::<chat::encode::Chat>(), [Null, json!("none"), named, Null]);
        let named = json!({"type": "function", "name": "yield"});
        assert_eq!(choices::<responses::encode::Responses>(), [Null, json!("none"), named, Null]);
        let (none, named) = (json!({"type": "none"}), json!({"type": "tool", "name": "yield"}));
        assert_eq!(choices::<anthropic::encode::Messages>(), [Null, none, named, Null]);
    }

    #[test]
    fn messages_that_were_sent_are_not_encoded_again() {
        keeps_its_bytes::<chat::encode::Chat>();
        keeps_its_bytes::<responses::encode::Responses>();
        keeps_its_bytes::<anthropic::encode::Messages>();
    }
}
