//! Puts right what models garble, between any wire and the loop: calls written into text or reasoning, arguments that are
//! almost JSON, reasoning without its marks, leaked protocol. A pure fold over items; what it did is said in
//! [`Item::Repaired`]. It makes nothing up: what cannot be told for sure is marked as doubtful, and runs only if it can
//! change nothing.

mod arguments;
mod blocks;
#[cfg(test)]
mod cost;
mod flatten;
mod gemma;
mod grammar;
mod leak;
mod lexicon;
mod loose;
mod markup;
mod objects;
mod python;
mod sieve;
mod talk;
#[cfg(test)]
pub(crate) mod tests;
mod textual;
mod think;
mod unwrap;

use crate::codec::Decode;
use crate::failure::Trouble;
use crate::ids::fresh;
use crate::marks::Marks;
use crate::repairing::Repairing;
pub(crate) use flatten::flat_prefix;
pub(crate) use grammar::{answer_schema, gbnf};
use leak::Leak;
use lexicon::Lexicon;
use objects::Found;
use reasonix_agent::{Item, Request};
use reasonix_proto::{CallId, Fix, Repair, StopReason, ToolCall};
use serde_json::Value;
use sieve::{Caught, Pass, Sieve};
use std::collections::VecDeque;
use std::sync::Arc;
use talk::Heard;
pub(crate) use textual::{Form, Textual};
use think::{Part, Think};
use unwrap::Unwrap;

/// Repairs the answer of a decoder.
pub(crate) struct Mended {
    inner: Box<dyn Decode>,
    mender: Mender,
    marks: Marks,
}

impl Mended {
    pub(crate) fn new(inner: Box<dyn Decode>, request: &Arc<Request>, repairing: Repairing, form: Form) -> Self {
        let mut mender = Mender::new(Arc::clone(request), repairing);
        mender.unwrap = (form == Form::Object).then(Unwrap::default);
        Self { inner, mender, marks: Marks::default() }
    }

    /// Takes the marks off the arguments of calls.
    pub(crate) fn unmarking(self, marks: Marks) -> Self {
        Self { marks, ..self }
    }

    fn meant(&self, item: Item) -> Item {
        match item {
            Item::Call(call) => match self.marks.unmarked(&call.arguments) {
                Some(arguments) => Item::Call(ToolCall { arguments, ..call }),
                None => Item::Call(call),
            },
            item => item,
        }
    }
}

impl Decode for Mended {
    fn pop(&mut self) -> Option<Item> {
        loop {
            if let Some(item) = self.mender.out.pop_front() {
                return Some(self.meant(item));
            }
            let item = self.inner.pop()?;
            self.mender.feed(item);
        }
    }

    fn is_done(&self) -> bool {
        self.inner.is_done()
    }

    fn is_complete(&self) -> bool {
        self.inner.is_complete()
    }

    fn has_spoken(&self) -> bool {
        self.inner.has_spoken()
    }

    fn heard(&self) -> usize {
        self.inner.heard()
    }

    fn event(&mut self, data: &[u8]) -> Result<(), Trouble> {
        self.inner.event(data)
    }

    fn whole(&mut self, body: &[u8]) -> Result<(), Trouble> {
        self.inner.whole(body)
    }

    fn finish(&mut self) -> Result<(), Trouble> {
        self.inner.finish()?;
        let Some(trouble) = self.inner.lacking() else { return Ok(()) };
        // The thoughts may have the call in them.
        while let Some(item) = self.inner.pop() {
            self.mender.feed(item);
        }
        if self.mender.made_calls() || self.mender.out.iter().any(|item| matches!(item, Item::Text(_))) {
            return Ok(());
        }
        self.mender.out.retain(|item| !matches!(item, Item::End(_)));
        Err(trouble)
    }

    fn lacking(&self) -> Option<Trouble> {
        self.inner.lacking()
    }

    fn fail(&mut self, trouble: Trouble) {
        self.inner.fail(trouble);
    }
}

/// The most calls that one wrapper holds.
const MOST_WRAPPED: usize = 32;

/// The calls in a wrapper: `{"tool_uses": [{"recipient_name": "functions.NAME", "parameters": {…}}]}`.
fn inner_calls(arguments: &str) -> Vec<(String, String)> {
    let read: serde_json::Value = serde_json::from_str(arguments).unwrap_or_default();
    let uses = read.get("tool_uses").and_then(serde_json::Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let one = |call: &serde_json::Value| {
        let name = call.get("recipient_name")?.as_str()?;
        let name = name.rsplit_once('.').map_or(name, |(_, name)| name);
        Some((name.to_owned(), call.get("parameters").map(ToString::to_string).unwrap_or_default()))
    };
    uses.iter().take(MOST_WRAPPED).map(one).collect::<Option<_>>().unwrap_or_default()
}

/// Folds the items of one answer.
pub(crate) struct Mender {
    request: Arc<Request>,
    lexicon: Arc<Lexicon>,
    repairing: Repairing,
    think: Think,
    text: Sieve,
    thought: Sieve,
    calls: Vec<ToolCall>,
    out: VecDeque<Item>,
    /// The visible text, kept where something may have to be found in it at the end.
    said: String,
    has_text: bool,
    thoughts: String,
    /// What comes right before the end.
    late: Vec<Item>,
    /// Where answers come as one object.
    unwrap: Option<Unwrap>,
}

impl Mender {
    pub(crate) fn new(request: Arc<Request>, repairing: Repairing) -> Self {
        let lexicon = Arc::new(Lexicon::of(&request.prefix));
        let (mut text, thought) = (Sieve::new(Arc::clone(&lexicon), true), Sieve::new(Arc::clone(&lexicon), false));
        text.addressed = repairing.addressed;
        Self {
            request,
            lexicon,
            repairing,
            think: Think::default(),
            text,
            thought,
            calls: Vec::new(),
            out: VecDeque::new(),
            said: String::new(),
            has_text: false,
            thoughts: String::new(),
            late: Vec::new(),
            unwrap: None,
        }
    }

    /// True when calls came out of what was taken.
    pub(crate) fn made_calls(&self) -> bool {
        self.out.iter().any(|item| matches!(item, Item::Call(_)))
    }

    /// Takes one item; what comes of it is in `out`.
    pub(crate) fn feed(&mut self, item: Item) {
        match item {
            Item::Text(text) => self.say(&text),
            Item::Reasoning(thought) => self.reason(&thought),
            Item::Call(call) => self.calls.push(call),
            Item::End(stop) => self.end(stop),
            item @ (Item::Usage(_) | Item::Kept(_)) => self.late.push(item),
            Item::Failed(failure) => {
                self.release(false);
                self.out.extend(self.late.drain(..));
                self.out.push_back(Item::Failed(failure));
            }
            other => self.out.push_back(other),
        }
    }

    fn say(&mut self, text: &str) {
        let mut parts: Vec<(bool, String)> = Vec::new();
        self.think.feed(text, &mut |part| match part {
            Part::Text(text) => parts.push((true, text.to_owned())),
            Part::Reasoning(text) => parts.push((false, text.to_owned())),
        });
        for (is_text, part) in parts {
            if is_text { self.sift(&part) } else { self.reason(&part) }
        }
    }

    fn reason(&mut self, thought: &str) {
        self.text.reasoned();
        let (out, thoughts) = (&mut self.out, &mut self.thoughts);
        self.thought.feed(thought, &mut |pass| {
            if let Pass::Text(text) = pass {
                thoughts.push_str(text);
                push(out, Item::Reasoning(text.to_owned()));
            }
        });
    }

    fn sift(&mut self, text: &str) {
        match &mut self.unwrap {
            Some(unwrap) => {
                let text = unwrap.feed(text);
                self.sift_words(&text);
            }
            None => self.sift_words(text),
        }
    }

    fn sift_words(&mut self, text: &str) {
        let mut passed: Vec<Option<String>> = Vec::new();
        self.text.feed(text, &mut |pass| passed.push(owned(pass)));
        self.passed(passed);
    }

    fn passed(&mut self, passed: Vec<Option<String>>) {
        for piece in passed {
            let Some(text) = piece else {
                self.out.push_back(Item::Rethink);
                self.out.push_back(Item::Repaired(Repair::new(Fix::Thinking, "no opening mark")));
                self.said.clear();
                self.has_text = false;
                continue;
            };
            self.has_text |= !text.trim().is_empty();
            if self.repairing.blocks {
                self.said.push_str(&text);
            }
            push(&mut self.out, Item::Text(text));
        }
    }

    /// Lets through what was held back, and gives the calls in it where they are wanted.
    fn release(&mut self, wanted: bool) -> (Caught, Caught) {
        let mut parts: Vec<(bool, String)> = Vec::new();
        let open = self.think.is_open();
        self.think.finish(&mut |part| match part {
            Part::Text(text) => parts.push((true, text.to_owned())),
            Part::Reasoning(text) => parts.push((false, text.to_owned())),
        });
        for (is_text, part) in parts {
            if is_text && !open { self.sift(&part) } else { self.reason(&part) }
        }
        if let Some((text, calls)) = self.unwrap.as_mut().map(Unwrap::finish) {
            self.sift_words(&text);
            for (name, arguments) in calls.into_iter().filter(|_| wanted) {
                let id = CallId(fresh(&self.request.messages, &self.calls));
                self.calls.push(ToolCall { id, name, arguments });
            }
        }
        let wanted = wanted && !self.lexicon.is_empty() && self.calls.is_empty() && !self.repairing.native_only;
        let request = Arc::clone(&self.request);
        let heard = Heard::of(&request);
        let mut passed: Vec<Option<String>> = Vec::new();
        let in_text = self.text.finish(wanted, &heard, &mut |pass| passed.push(owned(pass)));
        self.passed(passed);
        // Reasoning counts only where the model said nothing else: it forgot to make the call that it wrote down.
        let forgotten = wanted && !self.has_text && in_text.calls.is_empty();
        let (out, thoughts) = (&mut self.out, &mut self.thoughts);
        let in_thought = self.thought.finish(forgotten, &heard, &mut |pass| {
            if let Pass::Text(text) = pass {
                thoughts.push_str(text);
                push(out, Item::Reasoning(text.to_owned()));
            }
        });
        (in_text, in_thought)
    }

    fn end(&mut self, stop: StopReason) {
        let cut = !matches!(stop, StopReason::End | StopReason::Calls);
        let unclosed = self.think.is_open();
        let (in_text, in_thought) = self.release(self.calls.is_empty());
        let native = std::mem::take(&mut self.calls);
        let native = self.unfolded(native);
        let leak = in_text.leak || in_thought.leak;
        let unmade = in_text.unmade;
        let mut made: Vec<ToolCall> = Vec::new();
        let last = native.len().saturating_sub(1);
        for (number, call) in native.into_iter().enumerate() {
            made.push(self.native(call, cut && number == last));
        }
        for (caught, place) in [(in_text, ""), (in_thought, "reasoning, ")] {
            let detail = format!("{place}{}", caught.dialect);
            for found in caught.calls {
                let call = self.scavenged(found, &made, cut, (Fix::Scavenged, &detail));
                // Where the answer was cut nobody knows what would have followed; what was only thought may have been
                // decided against. Such a call may look, and change nothing.
                let known = self
                    .out
                    .back()
                    .is_some_and(|item| matches!(item, Item::Repaired(repair) if repair.fix == Fix::CutOff));
                if (cut && !known) || !place.is_empty() {
                    let fix = if cut { Fix::CutOff } else { Fix::Thought };
                    self.repaired(Repair::new(fix, &detail).of(&call.id));
                }
                made.push(call);
            }
        }
        if made.is_empty() && self.repairing.blocks && self.request.may_call {
            self.blocks(&mut made);
        }
        if let Some(dialect) = unmade.filter(|_| made.is_empty()) {
            self.repaired(Repair::new(Fix::Unmade, dialect));
        }
        if unclosed && made.is_empty() && !self.has_text && stop != StopReason::Length {
            self.conclude();
        }
        if leak {
            self.repaired(Repair::new(Fix::Leak, "marks behind the answer"));
        }
        let stop = match stop {
            StopReason::End if !made.is_empty() => StopReason::Calls,
            other => other,
        };
        self.out.extend(self.late.drain(..));
        self.out.push_back(Item::End(stop));
    }

    /// Calls without the wrapper that some models put around several of them: `multi_tool_use.parallel`, or its last word.
    fn unfolded(&mut self, calls: Vec<ToolCall>) -> Vec<ToolCall> {
        let (mut plain, mut known): (Vec<ToolCall>, _) = (Vec::new(), calls.clone());
        for call in calls {
            let wrapper = call.name == "parallel" || call.name.starts_with("multi_tool_use");
            let wrapped = wrapper && self.lexicon.find(&call.name).is_none();
            let inner = if wrapped { inner_calls(&call.arguments) } else { Vec::new() };
            if inner.is_empty() {
                plain.push(call);
                continue;
            }
            self.repaired(Repair::new(Fix::Unwrapped, &call.name).of(&call.id));
            for (number, (name, arguments)) in inner.into_iter().enumerate() {
                let id = match number {
                    0 => call.id.clone(),
                    _ => CallId(fresh(&self.request.messages, &known)),
                };
                plain.push(ToolCall { id, name, arguments });
                known.extend(plain.last().cloned());
            }
        }
        plain
    }

    fn repaired(&mut self, repair: Repair) {
        self.out.push_back(Item::Repaired(repair));
    }

    /// A call that the wire gave: its name and its arguments are put right.
    fn native(&mut self, mut call: ToolCall, cut: bool) -> ToolCall {
        let mut repairs = Vec::new();
        if let Some(own) = self.lexicon.find(&call.name).filter(|own| *own != call.name) {
            repairs.push(Repair::new(Fix::Tool, format!("{} -> {own}", call.name)));
            call.name = own.to_owned();
        }
        let mended = arguments::mend(std::mem::take(&mut call.arguments), cut);
        call.arguments = mended.text;
        repairs.extend(mended.fixes.into_iter().map(|(fix, detail)| Repair::new(fix, detail)));
        if leak::may_leak(&call.arguments) {
            repairs.extend(cleaned(&mut call.arguments));
        }
        let id = call.id.clone();
        self.out.push_back(Item::Call(call.clone()));
        repairs.into_iter().for_each(|repair| self.repaired(repair.of(&id)));
        call
    }

    /// A call that was found in the text.
    fn scavenged(&mut self, found: Found, made: &[ToolCall], cut: bool, (fix, detail): (Fix, &str)) -> ToolCall {
        let id = CallId(fresh(&self.request.messages, made));
        let arguments = Value::Object(found.args).to_string();
        let call = ToolCall { id: id.clone(), name: found.tool, arguments };
        self.out.push_back(Item::Call(call.clone()));
        self.repaired(Repair::new(fix, detail).of(&id));
        for (fix, detail) in found.fixes {
            let fix = if cut && fix == Fix::Closed { Fix::CutOff } else { fix };
            self.repaired(Repair::new(fix, detail).of(&id));
        }
        call
    }

    fn blocks(&mut self, made: &mut Vec<ToolCall>) {
        let request = Arc::clone(&self.request);
        let heard = Heard::of(&request);
        for block in blocks::find(&self.said) {
            if heard.has_whole(&block.raw) || talk::shows(&block.before) {
                continue;
            }
            let detail = block.path.clone();
            if let Some(found) = block.call(&self.lexicon) {
                let call = self.scavenged(found, made, false, (Fix::Block, &detail));
                made.push(call);
            }
        }
    }

    /// The model never closed its reasoning: its last paragraph is the answer.
    fn conclude(&mut self) {
        let last = self.thoughts.trim_end().rsplit("\n\n").next().unwrap_or_default().trim().to_owned();
        if !last.is_empty() {
            self.out.push_back(Item::Text(last));
            self.repaired(Repair::new(Fix::Thinking, "no closing mark"));
        }
    }
}

fn owned(pass: Pass<'_>) -> Option<String> {
    match pass {
        Pass::Text(text) => Some(text.to_owned()),
        Pass::Rethink => None,
    }
}

/// Adds an item; pieces of the same kind that are there at once become one.
fn push(out: &mut VecDeque<Item>, item: Item) {
    match (out.back_mut(), item) {
        (_, Item::Text(text) | Item::Reasoning(text)) if text.is_empty() => {}
        (Some(Item::Text(last)), Item::Text(text)) | (Some(Item::Reasoning(last)), Item::Reasoning(text)) => {
            last.push_str(&text);
        }
        (_, item) => out.push_back(item),
    }
}

/// Cuts leaked protocol out of arguments, or says that they are spoilt.
fn cleaned(arguments: &mut String) -> Option<Repair> {
    let Ok(Value::Object(mut args)) = serde_json::from_str::<Value>(arguments) else { return None };
    match leak::clean(&mut args)? {
        Leak::Cut(name) => {
            *arguments = Value::Object(args).to_string();
            Some(Repair::new(Fix::Leak, format!("the rest of {name}")))
        }
        Leak::Spoilt(name) => Some(Repair::new(Fix::Spoilt, name)),
    }
}
