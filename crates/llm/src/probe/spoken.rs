//! The questions on the wires that are no chat: through the wire itself, as the loop asks.

use super::bodies::{ONCE, TWICE, note};
use super::{ProbeQuestion, Probing};
use crate::connect;
use crate::failure::Trouble;
use futures_util::StreamExt;
use reasonix_agent::{Item, Prefix, Request, Stop, ToolSpec};
use reasonix_catalogue::{Seen, ToolCalls};
use reasonix_proto::{FailureClass, Fix, Message, Usage};
use serde_json::Value;
use std::sync::Arc;

/// What an answer showed.
#[derive(Default)]
struct Said {
    calls: usize,
    in_text: bool,
    pieces: usize,
    usage: Option<Usage>,
    failure: Option<Trouble>,
}

impl Probing<'_> {
    pub(super) async fn spoken(
        &mut self,
        list: &Value,
        tell: &mut (dyn FnMut(ProbeQuestion) + Send),
    ) -> Result<(), Trouble> {
        tell(ProbeQuestion::Tools);
        let said = self.say(ONCE, vec![note()]).await;
        match said.failure {
            Some(trouble) if trouble.failure.class == FailureClass::BadRequest => {
                let plain = self.say("Say hello.", Vec::new()).await;
                if plain.failure.is_some() {
                    return Err(trouble);
                }
                self.probed.tools = ToolCalls::Refused;
            }
            Some(trouble) => return Err(trouble),
            None if said.calls > 0 => {
                self.probed.tools = if said.in_text { ToolCalls::Text } else { ToolCalls::Native };
            }
            None => {}
        }
        self.probed.streaming = if said.pieces > 1 { Seen::Yes } else { Seen::Unclear };
        self.probed.usage = Seen::from_bool(said.usage.is_some());
        self.window(list).await;
        if self.probed.tools == ToolCalls::Native {
            tell(ProbeQuestion::Parallel);
            let twice = self.say(TWICE, vec![note()]).await;
            self.probed.parallel =
                if twice.failure.is_some() { Seen::Unclear } else { Seen::from_bool(twice.calls > 1) };
        }
        Ok(())
    }

    async fn say(&self, prompt: &str, tools: Vec<ToolSpec>) -> Said {
        let model = connect(self.line.endpoint.clone(), self.line.client.clone());
        let prefix = Prefix { system: "You are a test.".to_owned(), tools, aliases: Vec::new() };
        let messages = vec![Arc::new(Message::user(prompt.to_owned()))];
        let mut stream = model.stream(
            Request { prefix: Arc::new(prefix), messages, may_call: true, must_call: None, form: None },
            Stop::new(),
        );
        let mut said = Said::default();
        let listening = async {
            while let Some(item) = stream.next().await {
                match item {
                    Item::Text(_) | Item::Reasoning(_) | Item::CallDelta { .. } => said.pieces += 1,
                    Item::Call(_) => said.calls += 1,
                    Item::Repaired(repair) => said.in_text |= repair.fix == Fix::Scavenged,
                    Item::Usage(usage) => said.usage = Some(usage),
                    Item::Failed(failure) => said.failure = Some(Trouble::of(failure.class, failure.phrase)),
                    _ => {}
                }
            }
        };
        let _ = self.line.timed(listening).await;
        said
    }
}
