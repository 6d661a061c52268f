//! A pure fold: the items of a stream become one assistant message, and the events to show on the way.

use crate::aspect::Objection;
use crate::context::{INTERRUPTED, NO_ANSWER};
use crate::ports::{Failure, Item};
use crate::stutter::{Stutter, shortened};
use reasonix_proto::{
    Event, Fix, Kept, Level, Message, Phrase, Reasoning, RecordId, Repair, StopReason, ToolCall, Usage,
};

/// What has arrived of an answer.
#[derive(Debug)]
pub(crate) struct Fold {
    text: String,
    reasoning: Option<String>,
    kept: Option<Kept>,
    model: Option<String>,
    calls: Vec<ToolCall>,
    usage: Option<Usage>,
    repairs: Vec<Repair>,
    end: Option<Result<StopReason, Failure>>,
    watch: Watch,
    looped: Option<Looped>,
    cut_by: Option<Phrase>,
    /// Why it is tried again, as it was told last.
    trouble: Option<Phrase>,
}

/// What watches for text that repeats itself, each kind for itself.
#[derive(Debug)]
struct Watch {
    text: Stutter,
    reasoning: Stutter,
    arguments: Stutter,
}

/// Where an answer began to repeat itself, and the length of what it repeats.
#[derive(Debug, Clone, Copy)]
enum Looped {
    Text(usize),
    Reasoning(usize),
    Arguments,
}

impl Default for Fold {
    fn default() -> Self {
        let watch =
            Watch { text: Stutter::default(), reasoning: Stutter::default(), arguments: Stutter::of_arguments() };
        let (text, calls, repairs) = (String::new(), Vec::new(), Vec::new());
        Self {
            text,
            reasoning: None,
            kept: None,
            model: None,
            calls,
            usage: None,
            repairs,
            end: None,
            watch,
            looped: None,
            cut_by: None,
            trouble: None,
        }
    }
}

/// A whole answer.
#[derive(Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) message: Message,
    /// The model that gave it.
    pub(crate) model: String,
    pub(crate) usage: Option<Usage>,
    pub(crate) failure: Option<Failure>,
    /// What was put right in it.
    pub(crate) repairs: Vec<Repair>,
    /// True when it was cut because it repeated itself.
    pub(crate) looped: bool,
    /// What cut it, where that was not its own limit.
    pub(crate) cut_by: Option<Phrase>,
    /// What somebody who heard it has against it.
    pub(crate) objection: Option<Objection>,
    /// The record that stands before it, where it left the conversation.
    pub(crate) before: Option<RecordId>,
}

impl Fold {
    /// Takes the items that are there, and gives the events to show for them; neighbouring pieces are joined.
    pub(crate) fn feed(&mut self, items: Vec<Item>) -> Vec<Event> {
        let mut events: Vec<Event> = Vec::new();
        for item in items {
            match item {
                Item::Text(delta) => {
                    self.text.push_str(&delta);
                    self.looped = self.looped.or(self.watch.text.feed(&delta).map(Looped::Text));
                    match events.last_mut() {
                        Some(Event::Text { delta: last }) => last.push_str(&delta),
                        _ => events.push(Event::Text { delta }),
                    }
                }
                Item::Reasoning(delta) => {
                    self.reasoning.get_or_insert_default().push_str(&delta);
                    self.looped = self.looped.or(self.watch.reasoning.feed(&delta).map(Looped::Reasoning));
                    match events.last_mut() {
                        Some(Event::Reasoning { delta: last }) => last.push_str(&delta),
                        _ => events.push(Event::Reasoning { delta }),
                    }
                }
                Item::CallDelta { index, name, delta } => {
                    let repeats = self.watch.arguments.feed(&delta).is_some();
                    self.looped = self.looped.or(repeats.then_some(Looped::Arguments));
                    events.push(Event::Arguments { index, name, delta });
                }
                Item::Rethink => {
                    let text = std::mem::take(&mut self.text);
                    self.reasoning.get_or_insert_default().push_str(&text);
                }
                Item::Restart => {
                    let spent = self.usage;
                    *self = Self { usage: spent, ..Self::default() };
                }
                Item::Repaired(repair) => self.repairs.push(repair),
                Item::Call(call) => self.calls.push(call),
                Item::Kept(kept) => self.kept = Some(kept),
                Item::CutBy(what) => self.cut_by = Some(what),
                Item::Usage(usage) => self.usage = Some(usage),
                Item::Switched { model, why } => {
                    events.push(switch_notice(&model, &why));
                    self.model = Some(model);
                }
                Item::Retrying { attempt, of, wait, why } => {
                    let told = self.trouble.as_ref() == Some(&why);
                    events.push(retry_notice(attempt, of, wait, if told { None } else { Some(&why) }));
                    self.trouble = Some(why);
                }
                Item::End(stop) => self.end = Some(Ok(stop)),
                Item::Failed(failure) => self.end = Some(Err(failure)),
            }
        }
        events
    }

    /// True when the last item has come, or nothing more is worth waiting for.
    pub(crate) fn is_over(&self) -> bool {
        self.end.is_some() || self.looped.is_some()
    }

    /// The calls of an answer that came to a good end; none of any other.
    pub(crate) fn whole(&self) -> Option<&[ToolCall]> {
        matches!(self.end, Some(Ok(_))).then_some(self.calls.as_slice())
    }

    /// The answer counts as stopped, however far it came.
    pub(crate) fn stop_here(&mut self) {
        (self.end, self.looped) = (None, None);
    }

    /// Cuts what repeats itself; what came after it is worth nothing, and its calls are not complete.
    fn cut_loop(&mut self) -> bool {
        let Some(looped) = self.looped.filter(|_| self.end.is_none()) else { return false };
        let what = match looped {
            Looped::Text(unit) => {
                self.text = shortened(&self.text, unit);
                "text"
            }
            Looped::Reasoning(unit) => {
                self.reasoning = self.reasoning.take().map(|text| shortened(&text, unit));
                "reasoning"
            }
            Looped::Arguments => "arguments",
        };
        self.repairs.push(Repair::new(Fix::Loop, what));
        self.end = Some(Ok(StopReason::Length));
        self.calls.clear();
        if self.text.trim().is_empty() {
            self.text = REPEATED.to_owned();
        }
        true
    }

    /// The message, whatever had arrived. Calls of an answer that did not end well are dropped: they may be
    /// incomplete, and nothing acts on them. So are calls that were not wanted: nothing would answer them.
    pub(crate) fn finish(mut self, model: &str, interrupted: bool, may_call: bool) -> Answer {
        let looped = !interrupted && self.cut_loop();
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
        Answer {
            message,
            model,
            usage: self.usage,
            failure,
            repairs: self.repairs,
            looped,
            cut_by: self.cut_by,
            objection: None,
            before: None,
        }
    }
}

fn switch_notice(model: &str, why: &Phrase) -> Event {
    let mut phrase = Phrase::new("engine.fell_back").with("why", format_args!("@{}", why.code)).with("now", model);
    phrase.args.extend(why.args.iter().cloned());
    Event::Notice { level: Level::Warning, phrase }
}

/// What the model reads of an answer that was nothing but repetition.
const REPEATED: &str = "[the answer repeated itself and was cut]";

/// Says that it is tried again, and why, where that was not said before.
fn retry_notice(attempt: u32, of: u32, wait: std::time::Duration, why: Option<&Phrase>) -> Event {
    let mut phrase = match why {
        Some(why) => Phrase::new("engine.retrying").with("why", format_args!("@{}", why.code)),
        None => Phrase::new("engine.retrying_again"),
    };
    phrase = phrase.with("attempt", attempt).with("of", of).with("wait", format!("{:.1}", wait.as_secs_f64()));
    phrase.args.extend(why.into_iter().flat_map(|why| why.args.iter().cloned()));
    Event::Notice { level: Level::Warning, phrase }
}

#[cfg(test)]
mod tests {
    use super::Fold;
    use crate::ports::{Failure, Item};
    use pretty_assertions::assert_eq;
    use reasonix_proto::{
        CallId, Event, FailureClass, Kept, KeptBlock, Message, Phrase, Reasoning, StopReason, ToolCall,
    };

    fn call() -> Item {
        Item::Call(ToolCall { id: CallId::from("c1"), name: "ls".into(), arguments: "{}".into() })
    }

    fn broken() -> Item {
        Item::Failed(Failure::new(FailureClass::StreamBroken, Phrase::new("llm.stream_broken")))
    }

    fn finish(items: Vec<Item>, interrupted: bool) -> (String, usize, StopReason) {
        let mut fold = Fold::default();
        fold.feed(items);
        match fold.finish("m", interrupted, true).message {
            Message::Assistant { text, calls, stop, .. } => (text, calls.len(), stop),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn neighbouring_pieces_become_one_event() {
        let mut fold = Fold::default();
        let events = fold.feed(vec![
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
        let kept = Kept { wire: "w".into(), blocks: vec![KeptBlock::Raw("{}".into()), KeptBlock::Text(1)] };
        let events = fold.feed(vec![
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
        fold.feed(vec![call(), Item::End(StopReason::Calls)]);
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
