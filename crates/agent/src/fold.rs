//! A pure fold: the items of a stream become one assistant message, and the events to show on the way.

use crate::context::{INTERRUPTED, NO_ANSWER};
use crate::ports::{Failure, Item};
use reasonix_proto::{Event, Kept, Level, Message, Phrase, Reasoning, StopReason, ToolCall, Usage};

/// What has arrived of an answer.
#[derive(Debug, Default)]
pub(crate) struct Fold {
    text: String,
    reasoning: Option<String>,
    kept: Option<Kept>,
    model: Option<String>,
    calls: Vec<ToolCall>,
    usage: Option<Usage>,
    end: Option<Result<StopReason, Failure>>,
}

/// A whole answer.
#[derive(Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) message: Message,
    /// The model that gave it.
    pub(crate) model: String,
    pub(crate) usage: Option<Usage>,
    pub(crate) failure: Option<Failure>,
}

impl Fold {
    /// Takes the items that are there, and gives the events to show for them; neighbouring pieces are joined.
    pub(crate) fn take(&mut self, items: Vec<Item>) -> Vec<Event> {
        let mut events: Vec<Event> = Vec::new();
        for item in items {
            match item {
                Item::Text(delta) => {
                    self.text.push_str(&delta);
                    match events.last_mut() {
                        Some(Event::Text { delta: last }) => last.push_str(&delta),
                        _ => events.push(Event::Text { delta }),
                    }
                }
                Item::Reasoning(delta) => {
                    self.reasoning.get_or_insert_default().push_str(&delta);
                    match events.last_mut() {
                        Some(Event::Reasoning { delta: last }) => last.push_str(&delta),
                        _ => events.push(Event::Reasoning { delta }),
                    }
                }
                Item::CallDelta { index, name, delta } => events.push(Event::Arguments { index, name, delta }),
                Item::Call(call) => self.calls.push(call),
                Item::Kept(kept) => self.kept = Some(kept),
                Item::Usage(usage) => self.usage = Some(usage),
                Item::Switched { model, why } => {
                    events.push(switch_notice(&model, &why));
                    self.model = Some(model);
                }
                Item::Retrying { attempt, of, wait, why } => events.push(retry_notice(attempt, of, wait, &why)),
                Item::End(stop) => self.end = Some(Ok(stop)),
                Item::Failed(failure) => self.end = Some(Err(failure)),
            }
        }
        events
    }

    /// True when the last item has come.
    pub(crate) fn is_over(&self) -> bool {
        self.end.is_some()
    }

    /// The message, whatever had arrived. Calls of an answer that did not end well are dropped: they may be
    /// incomplete, and nothing acts on them. So are calls that were not wanted: nothing would answer them.
    pub(crate) fn finish(mut self, model: &str, interrupted: bool, may_call: bool) -> Answer {
        let (stop, failure) = match self.end.take() {
            Some(Ok(stop)) => (stop, None),
            Some(Err(failure)) if !interrupted => (StopReason::Failed, Some(failure)),
            _ => (StopReason::Interrupted, None),
        };
        let complete = !matches!(stop, StopReason::Failed | StopReason::Interrupted);
        if !complete || !may_call {
            self.calls.clear();
            if self.text.is_empty() {
                self.text = if stop == StopReason::Interrupted { INTERRUPTED } else { NO_ANSWER }.to_owned();
            }
        }
        let stop = if complete && !self.calls.is_empty() { StopReason::Calls } else { stop };
        let model = self.model.unwrap_or_else(|| model.to_owned());
        let reasoning = match (self.reasoning, self.kept) {
            (None, None) => None,
            (text, kept) => Some(Reasoning { text: text.unwrap_or_default(), model: model.clone(), kept }),
        };
        let message = Message::Assistant { text: self.text, reasoning, calls: self.calls, stop };
        Answer { message, model, usage: self.usage, failure }
    }
}

fn switch_notice(model: &str, why: &Phrase) -> Event {
    let mut phrase = Phrase::new("engine.fell_back").with("why", format_args!("@{}", why.code)).with("now", model);
    phrase.args.extend(why.args.iter().cloned());
    Event::Notice { level: Level::Warning, phrase }
}

fn retry_notice(attempt: u32, of: u32, wait: std::time::Duration, why: &Phrase) -> Event {
    let mut phrase = Phrase::new("engine.retrying")
        .with("why", format_args!("@{}", why.code))
        .with("attempt", attempt)
        .with("of", of)
        .with("seconds", format!("{:.1}", wait.as_secs_f64()));
    phrase.args.extend(why.args.iter().cloned());
    Event::Notice { level: Level::Warning, phrase }
}

#[cfg(test)]
mod tests {
    use super::Fold;
    use crate::ports::{Failure, FailureClass, Item};
    use pretty_assertions::assert_eq;
    use reasonix_proto::{Block, CallId, Event, Kept, Message, Phrase, Reasoning, StopReason, ToolCall};

    fn call() -> Item {
        Item::Call(ToolCall { id: CallId::from("c1"), name: "ls".into(), arguments: "{}".into() })
    }

    fn broken() -> Item {
        Item::Failed(Failure { class: FailureClass::StreamBroken, phrase: Phrase::new("llm.stream_broken") })
    }

    fn finish(items: Vec<Item>, interrupted: bool) -> (String, usize, StopReason) {
        let mut fold = Fold::default();
        fold.take(items);
        match fold.finish("m", interrupted, true).message {
            Message::Assistant { text, calls, stop, .. } => (text, calls.len(), stop),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn neighbouring_pieces_become_one_event() {
        let mut fold = Fold::default();
        let events = fold.take(vec![
            Item::Text("a".into()),
            Item::Text("b".into()),
            Item::Reasoning("r".into()),
            Item::Text("c".into()),
        ]);
        assert_eq!(
            events,
            [
                Event::Text { delta: "ab".into() },
                Event::Reasoning { delta: "r".into() },
                Event::Text { delta: "c".into() }
            ]
        );
    }

    #[test]
    fn another_model_in_between_is_the_one_that_answered() {
        let mut fold = Fold::default();
        let why = Phrase::new("llm.rate_limited").with("provider", "p");
        let kept = Kept { wire: "w".into(), blocks: vec![Block::Raw("{}".into()), Block::Text(1)] };
        let events = fold.take(vec![
            Item::Switched { model: "q/n".into(), why },
            Item::Text("x".into()),
            Item::Kept(kept.clone()),
            Item::End(StopReason::End),
        ]);
        assert!(matches!(&events[0], Event::Notice { phrase, .. } if phrase.code == "engine.fell_back"), "{events:?}");
        let answer = fold.finish("p/m", false, true);
        assert_eq!(answer.model, "q/n");
        let Message::Assistant { reasoning: Some(reasoning), .. } = answer.message else { panic!() };
        assert_eq!(reasoning, Reasoning { text: String::new(), model: "q/n".into(), kept: Some(kept) });
    }

    #[test]
    fn calls_that_were_not_wanted_are_dropped() {
        let mut fold = Fold::default();
        fold.take(vec![call(), Item::End(StopReason::Calls)]);
        let Message::Assistant { text, calls, .. } = fold.finish("m", false, false).message else { panic!() };
        assert_eq!((text.as_str(), calls.len()), ("[no answer]", 0));
    }

    #[test]
    fn endings() {
        let text = || Item::Text("half".into());
        for (items, interrupted, wanted) in [
            (vec![text(), Item::End(StopReason::End)], false, ("half", 0, StopReason::End)),
            (vec![call(), Item::End(StopReason::End)], false, ("", 1, StopReason::Calls)),
            (vec![text(), call(), broken()], false, ("half", 0, StopReason::Failed)),
            (vec![broken()], false, ("[no answer]", 0, StopReason::Failed)),
            (vec![text(), call()], true, ("half", 0, StopReason::Interrupted)),
            (vec![], true, ("[interrupted]", 0, StopReason::Interrupted)),
            (vec![text(), Item::End(StopReason::Length)], false, ("half", 0, StopReason::Length)),
        ] {
            let shown = format!("{items:?}");
            let (text, calls, stop) = finish(items, interrupted);
            assert_eq!((text.as_str(), calls, stop), wanted, "{shown}");
        }
    }
}
