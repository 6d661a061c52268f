//! Pictures on their way to an endpoint: shown where the model has eyes, named where it has none.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reasonix_proto::Image;
use std::borrow::Cow;
use std::fmt::Write as _;

/// A picture whose bytes are at hand.
pub(crate) struct Shown<'a> {
    pub(crate) media: &'a str,
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
pub(crate) fn seen<'a>(text: &'a str, images: &'a [Image], vision: bool) -> (Cow<'a, str>, Vec<Shown<'a>>) {
    let mut said = Cow::Borrowed(text);
    let mut shown = Vec::new();
    for image in images {
        match &image.data.0 {
            Some(bytes) if vision => shown.push(Shown { media: &image.media, bytes }),
            here => {
                let why = if here.is_some() { "this model cannot see pictures" } else { "it is no longer there" };
                let _ = write!(said.to_mut(), "\n[picture {}: {why}]", image.describe());
            }
        }
    }
    (said, shown)
}

#[cfg(test)]
mod tests {
    use crate::Endpoint;
    use crate::wire::Encode;
    use reasonix_agent::{Prefix, Request};
    use reasonix_proto::{Image, ImageData, Message};
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
            name: "a.png".into(),
            data: ImageData(here.then(|| b"abc"[..].into())),
        }
    }

    fn request(messages: &[Arc<Message>]) -> Request {
        let prefix = Arc::new(Prefix { system: "s".into(), tools: Vec::new(), aliases: Vec::new() });
        Request { prefix, messages: messages.to_vec(), may_call: true }
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
