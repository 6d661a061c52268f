//! Pictures and documents on their way to an endpoint: shown where the model has eyes for them, named where it has none.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reasonix_proto::{Block, Content, Image};
use std::borrow::Cow;
use std::fmt::Write as _;

/// What a model can look at.
#[derive(Clone, Copy)]
pub(crate) struct Sight {
    pub(crate) vision: bool,
    pub(crate) documents: bool,
}

impl Sight {
    /// Why it cannot look at this; none where it can.
    fn lacks(self, image: &Image) -> Option<&'static str> {
        match (&image.data.0, image.is_document()) {
            (None, _) => Some("it is no longer there"),
            (_, true) if !self.documents => Some("this model is not sent PDFs; pdftotext makes a text of one"),
            (_, false) if !self.vision => Some("this model cannot see pictures"),
            _ => None,
        }
    }
}

/// A picture or a document whose bytes are at hand.
pub(crate) struct Shown<'a> {
    pub(crate) media: &'a str,
    /// The name of a document; none for a picture.
    pub(crate) document: Option<&'a str>,
    bytes: &'a [u8],
}

impl Shown<'_> {
    /// The bytes as text.
    pub(crate) fn base64(&self) -> String {
        STANDARD.encode(self.bytes)
    }

    /// The same as an address.
    pub(crate) fn url(&self) -> String {
        format!("data:{};base64,{}", self.media, self.base64())
    }
}

/// What the model reads, and what it sees. A picture that it cannot see is named in the text. It depends on nothing that
/// changes between two requests to one endpoint.
pub(crate) fn seen<'a>(text: &'a str, images: &'a [Image], sight: Sight) -> (Cow<'a, str>, Vec<Shown<'a>>) {
    let mut said = Cow::Borrowed(text);
    let mut shown = Vec::new();
    for image in images {
        match (sight.lacks(image), &image.data.0) {
            (None, Some(bytes)) => {
                let name = || image.name.rsplit('/').next().unwrap_or_default();
                shown.push(Shown { media: &image.media, document: image.is_document().then(name), bytes });
            }
            (why, _) => {
                let why = why.unwrap_or_default();
                let _ = write!(said.to_mut(), "\n[{} {}: {why}]", image.kind(), image.describe());
            }
        }
    }
    (said, shown)
}

/// A part of what a call gave back.
pub(crate) enum Part<'a> {
    Text(Cow<'a, str>),
    Picture(&'a Image, Shown<'a>),
}

/// What a call gave back, in parts. A picture that the model cannot see is a line of text.
pub(crate) fn parts(content: &Content, sight: Sight) -> Vec<Part<'_>> {
    content.blocks().iter().map(|block| part(block, sight)).collect()
}

fn part(block: &Block, sight: Sight) -> Part<'_> {
    let Block::Picture(image) = block else { return Part::Text(block.words()) };
    let (line, mut shown) = seen("", std::slice::from_ref(image), sight);
    match shown.pop() {
        Some(shown) => Part::Picture(image, shown),
        None => Part::Text(Cow::Owned(line.trim_start().to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use crate::Endpoint;
    use crate::codec::Encode;
    use reasonix_agent::{Prefix, Request};
    use reasonix_proto::{Block, Content, Image, ImageData, Message};
    use reasonix_testkit::prefix_breaks;
    use serde_json::{Value, json};
    use std::sync::Arc;

    fn endpoint(vision: bool) -> Endpoint {
        Endpoint { vision, ..Endpoint::new("p", "http://localhost", "m") }
    }

    fn picture(here: bool) -> Image {
        Image {
            uri: "artifact://0123456789abcdef".into(),
            media: "image/png".into(),
            bytes: 3,
            width: 2,
            height: 1,
            pages: 0,
            name: "a.png".into(),
            data: ImageData(here.then(|| b"abc"[..].into())),
        }
    }

    fn request(messages: &[Arc<Message>]) -> Request {
        let prefix = Arc::new(Prefix { system: "s".into(), tools: Vec::new(), aliases: Vec::new() });
        Request { prefix, messages: messages.to_vec(), may_call: true, must_call: None, form: None }
    }

    type Wire = (&'static str, fn(&Endpoint) -> Box<dyn Encode>, fn(&Value) -> &Value);

    const WIRES: &[Wire] = &[
        (
            "chat",
            |endpoint| Box::new(crate::chat::encode::Encoder::new(endpoint)),
            |body| &body["messages"][1]["content"],
        ),
        (
            "anthropic",
            |endpoint| Box::new(crate::anthropic::encode::Encoder::new(endpoint)),
            |body| &body["messages"][0]["content"],
        ),
        (
            "responses",
            |endpoint| Box::new(crate::responses::encode::Encoder::new(endpoint)),
            |body| &body["input"][0]["content"],
        ),
    ];

    #[test]
    fn each_wire_shows_a_picture_in_its_own_way_and_names_it_to_the_blind() {
        let shown = [
            json!([{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,YWJj"}}]),
            json!([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "YWJj"}},
                {"type": "text", "text": "look"}]),
            json!([{"type": "input_text", "text": "look"}, {"type": "input_image", "image_url": "data:image/png;base64,YWJj"}]),
        ];
        for ((name, make, content), wanted) in WIRES.iter().zip(shown) {
            for (vision, here, why) in [
                (true, true, ""),
                (false, true, "this model cannot see pictures"),
                (true, false, "it is no longer there"),
            ] {
                let message = Message::User { text: "look".into(), images: vec![picture(here)] };
                let body = make(&endpoint(vision)).body(&request(&[Arc::new(message)]));
                let body: Value = serde_json::from_slice(&body).unwrap();
                let mut found = content(&body).clone();
                if let Some(blocks) = found.as_array_mut() {
                    for block in blocks {
                        block.as_object_mut().unwrap().remove("cache_control");
                    }
                }
                if why.is_empty() {
                    assert_eq!(found, wanted, "{name}");
                } else {
                    let text = found.to_string();
                    assert!(
                        text.contains(&format!("[picture a.png (image/png, 2x1, 3 bytes): {why}]")),
                        "{name}: {text}"
                    );
                    assert!(!text.contains("YWJj"), "{name}: {text}");
                }
            }
        }
    }

    #[test]
    fn each_wire_sends_a_document_in_its_own_way_and_names_it_to_whoever_is_not_sent_any() {
        let url = "data:application/pdf;base64,YWJj";
        let sent = [
            json!([{"type": "text", "text": "look"}, {"type": "file", "file": {"filename": "a.pdf", "file_data": url}}]),
            json!([{"type": "document", "title": "a.pdf",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "YWJj"}}, {"type": "text", "text": "look"}]),
            json!([{"type": "input_text", "text": "look"}, {"type": "input_file", "filename": "a.pdf", "file_data": url}]),
        ];
        let paper = || Image {
            media: "application/pdf".into(),
            name: "docs/a.pdf".into(),
            pages: 2,
            width: 0,
            ..picture(true)
        };
        for ((name, make, content), wanted) in WIRES.iter().zip(sent) {
            for documents in [true, false] {
                // Whoever sees pictures need not be sent documents.
                let mut endpoint = endpoint(!documents);
                endpoint.overrides.documents = Some(documents);
                let message = Message::User { text: "look".into(), images: vec![paper()] };
                let body = String::from_utf8(make(&endpoint).body(&request(&[Arc::new(message)])).to_vec()).unwrap();
                let body = body.replace(r#","cache_control":{"type":"ephemeral"}"#, "");
                let found = content(&serde_json::from_str(&body).unwrap()).clone();
                if documents {
                    assert_eq!(found, wanted, "{name}");
                } else {
                    let told = "[PDF docs/a.pdf (application/pdf, 2 pages, 3 bytes): this model is not sent PDFs;";
                    assert!(found.to_string().contains(told) && !found.to_string().contains("YWJj"), "{name}: {found}");
                }
                // The same of what a call gave back.
                let [call, _] = looked(1, true);
                let content = Content::new([Block::text("read"), Block::Picture(paper())]);
                let result = Message::Tool { call: "call_1".into(), name: "read_file".into(), content };
                let messages = [Arc::new(Message::user("x")), call, Arc::new(result)];
                let body = String::from_utf8(make(&endpoint).body(&request(&messages)).to_vec()).unwrap();
                assert_eq!(body.contains("YWJj"), documents, "{name}: {body}");
                let fields = ["\"file_data\"", "\"document\""].iter().any(|field| body.contains(field));
                assert_eq!(fields, documents, "{name}: {body}");
            }
        }
    }

    /// A call and what it gave back: a text, a picture and an error beside them.
    fn looked(number: usize, here: bool) -> [Arc<Message>; 2] {
        let id = format!("call_{number}");
        let call = json!({"role": "assistant", "text": "", "calls": [{"id": id, "name": "look", "arguments": "{}"}], "stop": "calls"});
        let blocks =
            [Block::text("two files"), Block::Picture(picture(here)), Block::Error { text: "one more is gone".into() }];
        let result = Message::Tool { call: id.as_str().into(), name: "look".into(), content: Content::new(blocks) };
        [Arc::new(serde_json::from_value(call).unwrap()), Arc::new(result)]
    }

    fn body_of(make: fn(&Endpoint) -> Box<dyn Encode>, vision: bool, messages: &[Arc<Message>]) -> Value {
        let body = String::from_utf8(make(&endpoint(vision)).body(&request(messages)).to_vec()).unwrap();
        serde_json::from_str(&body.replace(r#","cache_control":{"type":"ephemeral"}"#, "")).unwrap()
    }

    #[test]
    fn each_wire_shows_what_a_call_gave_back_in_its_own_way() {
        let image = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,YWJj"}});
        let told = "two files\n[picture a.png (image/png, 2x1, 3 bytes): it follows]\nerror: one more is gone";
        let shown = [
            json!([{"role": "tool", "tool_call_id": "call_1", "content": told},
                {"role": "user", "content": [{"type": "text", "text": "[The pictures of the results above, in order.]"}, image]}]),
            json!([{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": [
                {"type": "text", "text": "two files"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "YWJj"}},
                {"type": "text", "text": "error: one more is gone"}]}]}]),
            json!([{"type": "function_call_output", "call_id": "call_1", "output": [
                {"type": "input_text", "text": "two files"},
                {"type": "input_image", "image_url": "data:image/png;base64,YWJj"},
                {"type": "input_text", "text": "error: one more is gone"}]}]),
        ];
        let user = Arc::new(Message::user("look"));
        let messages: Vec<_> = std::iter::once(user.clone()).chain(looked(1, true)).collect();
        for ((name, make, _), wanted) in WIRES.iter().zip(shown) {
            let body = body_of(*make, true, &messages);
            let list = body.get("input").or_else(|| body.get("messages")).and_then(Value::as_array).unwrap();
            let wanted = wanted.as_array().unwrap();
            assert_eq!(&list[list.len() - wanted.len()..], wanted.as_slice(), "{name}");
            for (vision, here, why) in
                [(false, true, "this model cannot see pictures"), (true, false, "it is no longer there")]
            {
                let messages: Vec<_> = std::iter::once(user.clone()).chain(looked(1, here)).collect();
                let text = body_of(*make, vision, &messages).to_string();
                assert!(text.contains(&format!("[picture a.png (image/png, 2x1, 3 bytes): {why}]")), "{name}: {text}");
                assert!(!text.contains("YWJj") && !text.contains("in order.]"), "{name}: {text}");
            }
        }
    }

    #[test]
    fn one_text_is_sent_as_a_string_whatever_it_was_made_of() {
        for (name, make, _) in WIRES {
            for (content, wanted) in [("a\nb", "\"a\\nb\""), ("", "\"(no output)\"")] {
                let [call, _] = looked(1, true);
                let result = Message::Tool {
                    call: "call_1".into(),
                    name: "look".into(),
                    content: vec![Block::text(content)].into(),
                };
                let body = body_of(*make, true, &[Arc::new(Message::user("x")), call, Arc::new(result)]).to_string();
                assert!(
                    ["content", "output"].iter().any(|key| body.contains(&format!("\"{key}\":{wanted}"))),
                    "{name}: {body}"
                );
            }
        }
    }

    #[test]
    fn pictures_of_results_keep_the_prefix_and_the_order_of_roles() {
        for (name, make, _) in WIRES {
            let encoder = make(&endpoint(true));
            let mut messages = vec![Arc::new(Message::user("look"))];
            let mut bodies = Vec::new();
            for number in 0..3 {
                messages.extend(looked(number, true));
                bodies.push(encoder.body(&request(&messages)));
                // The same request again, as after a failure, and then the user speaks before the model has.
                encoder.body(&request(&messages));
                // One wire puts what the user says into the message of the results, which was closed by then.
                if number == 1 && *name != "anthropic" {
                    messages.push(Arc::new(Message::user("and then?")));
                    bodies.push(encoder.body(&request(&messages)));
                }
                // Whoever encodes it afresh has the same bytes.
                let fresh = make(&endpoint(true)).body(&request(&messages));
                let plain = |body: &bytes::Bytes| {
                    String::from_utf8(body.to_vec()).unwrap().replace(r#","cache_control":{"type":"ephemeral"}"#, "")
                };
                assert_eq!(plain(&fresh), plain(bodies.last().unwrap()), "{name}");
                let body: Value = serde_json::from_slice(&fresh).unwrap();
                let roles: Vec<&str> = body["messages"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|said| said["role"].as_str())
                    .collect();
                assert!(!roles.windows(2).any(|pair| pair == ["user", "user"]), "{name}: {roles:?}");
            }
            let plain: Vec<String> = bodies
                .iter()
                .map(|body| {
                    String::from_utf8(body.to_vec()).unwrap().replace(r#","cache_control":{"type":"ephemeral"}"#, "")
                })
                .collect();
            let plain: Vec<&[u8]> = plain.iter().map(String::as_bytes).collect();
            assert!(prefix_breaks(&plain).is_empty(), "{name}");
        }
    }

    #[test]
    fn the_prefix_grows_with_pictures_too() {
        for (name, make, _) in WIRES {
            let encoder = make(&endpoint(true));
            let mut messages: Vec<Arc<Message>> = Vec::new();
            let mut bodies = Vec::new();
            for number in 0..4 {
                let text = format!("look {number}");
                messages.push(Arc::new(Message::User { text, images: vec![picture(true); number] }));
                bodies.push(encoder.body(&request(&messages)));
                let answer = json!({"role": "assistant", "text": "ok", "stop": "end"});
                messages.push(Arc::new(serde_json::from_value(answer).unwrap()));
            }
            // Cache markers move on one wire by design.
            let plain = |body: &bytes::Bytes| {
                String::from_utf8(body.to_vec()).unwrap().replace(r#","cache_control":{"type":"ephemeral"}"#, "")
            };
            let plain: Vec<String> = bodies.iter().map(plain).collect();
            let plain: Vec<&[u8]> = plain.iter().map(String::as_bytes).collect();
            assert!(prefix_breaks(&plain).is_empty(), "{name}");
        }
    }
}
