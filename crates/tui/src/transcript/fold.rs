//! Which cell an event belongs to.

use super::{Entry, Transcript};
use crate::cells::{
    Citations, Marker, Notice, Prompt, PromptKind, Prose, Thought, Tool, ToolState, TurnSummary, short_count,
};
use reasonix_proto::{
    AskId, CallId, Citation, Claimed, Decided, Details, Event, Image, Message, MoveReason, Phrase, Planned, Record,
    RecordBody, RecordId, Scope, StopReason, ToolCall, ToolOutcome, Validation, tools,
};
use std::borrow::Cow;
use std::time::Duration;

/// What stands in the log for an answer that never came; it is for the model, not for people.
const STAND_INS: [&str; 2] = ["[interrupted]", "[no answer]"];

/// What is open while events come in.
#[derive(Debug, Default)]
pub(super) struct Fold {
    /// Text that streams, or that waits for its citations.
    prose: Option<usize>,
    prose_ended: bool,
    thought: Option<usize>,
    /// The calls of the message that is being written, by their place in it.
    drafts: Vec<usize>,
    turn_began: Option<u64>,
    /// The questions that wait for an answer, and the call that asked them.
    inquired: Option<(AskId, CallId)>,
    /// The turn is a command of the user's own.
    shell: bool,
}

impl Fold {
    pub(super) fn prose(&self) -> Option<usize> {
        self.prose
    }
}

impl Transcript {
    /// Takes an event in. `now` counts from the start of the program.
    pub fn apply(&mut self, event: &Event, now: Duration) {
        if !matches!(event, Event::Cited { .. } | Event::Usage { .. } | Event::State { .. } | Event::Queued { .. }) {
            self.close_ended_prose();
        }
        match event {
            Event::Text { delta } => self.text(delta),
            Event::Reasoning { delta } => self.reasoning(delta),
            Event::Arguments { index, name, delta } => self.arguments(*index, name, delta),
            Event::ToolStarted { call, tool, subject } => {
                self.with_tool(call, tool, |cell| cell.start(tool, subject, now))
            }
            Event::ToolProgress { call, delta } => {
                if let Some(tool) = self.find_tool(call) {
                    tool.progress(delta);
                }
            }
            Event::Asked { asking } => {
                self.with_tool(&asking.call, &asking.tool, |tool| {
                    // A question about a host or a port is asked in the middle of a call, which keeps its own subject.
                    if tool.subject.is_empty() {
                        tool.subject = asking.subject.as_str().into();
                    }
                    tool.state = ToolState::Asked;
                });
            }
            Event::InquiryOver { ask, .. } => {
                if let Some((_, call)) = self.fold.inquired.take_if(|(inquired, _)| inquired == ask)
                    && let Some(tool) = self.find_tool(&call)
                {
                    tool.state = ToolState::Running(now);
                }
            }
            Event::Proposed { proposal } => {
                self.with_tool(&proposal.call, tools::SUBMIT_PLAN, |tool| tool.state = ToolState::Asked);
            }
            // A server's question belongs to no call of the model's: it stands in its own window alone.
            Event::Inquired { inquiry } if inquiry.server.is_none() => {
                self.fold.inquired = Some((inquiry.ask.clone(), inquiry.call.clone()));
                let first = inquiry.questions.first().map_or("", |question| question.question.as_str());
                self.with_tool(&inquiry.call, tools::ASK, |tool| {
                    tool.subject = first.into();
                    tool.state = ToolState::Asked;
                });
            }
            Event::Notice { level, phrase } => {
                self.add(Entry::Notice(Box::new(Notice { level: *level, phrase: phrase.clone() })));
            }
            Event::Cited { record, citations } => self.cited(*record, citations),
            Event::SessionStarted { resumed: true, model, .. } => {
                self.add(Entry::Marker(Marker(Phrase::new("tui.resumed").with("model", model))));
            }
            Event::TurnStarted { record }
            | Event::Noted { record }
            | Event::Message { record }
            | Event::ToolEnded { record }
            | Event::Answered { record }
            | Event::Changed { record }
            | Event::Moved { record, .. }
            | Event::Compacted { record }
            | Event::Claimed { record }
            | Event::TurnEnded { record } => self.record(record),
            _ => {}
        }
    }

    /// Takes a record in, as it happens or as an earlier process left it.
    pub(super) fn record(&mut self, record: &Record) {
        match &record.body {
            RecordBody::Prompt { text, typed, images, .. } => {
                (self.fold.turn_began, self.fold.shell) = (Some(record.at), false);
                self.said(PromptKind::Prompt, &with_chips(typed.as_ref().unwrap_or(text), images));
            }
            RecordBody::Note { text, typed, images, by_user: true, .. } => {
                self.said(PromptKind::Steer, &with_chips(typed.as_ref().unwrap_or(text), images));
            }
            RecordBody::Shell { command, keep, .. } => {
                (self.fold.turn_began, self.fold.shell) = (Some(record.at), true);
                self.said(PromptKind::Shell { keep: *keep }, command);
            }
            RecordBody::ShellEnded { command, took_ms, outcome, .. } => self.shell_ended(command, *took_ms, outcome),
            RecordBody::Assistant { message, .. } => self.message(record.id, message),
            RecordBody::Claimed(claimed) => self.claimed(claimed),
            RecordBody::Decided(decided) => self.decided(decided),
            RecordBody::Outcome { call, tool, took_ms, outcome } => {
                self.with_tool(call, tool, |cell| cell.end(tool, *took_ms, outcome));
            }
            RecordBody::Validation(ran) => self.validated(ran),
            RecordBody::TodoChanged { todo, .. } => {
                let details = Details { todo: Some(todo.clone()), ..Details::default() };
                let outcome = ToolOutcome::detailed(String::new(), details);
                self.with_tool(&CallId(format!("todo-{}", record.id.0)), "todo", |cell| cell.end("todo", 0, &outcome));
            }
            RecordBody::TurnEnded { end, steps, usage, cost, .. } => {
                self.close_turn();
                let took_ms = self.fold.turn_began.take().map(|began| record.at.saturating_sub(began));
                let (end, cost, shell) = (end.clone(), cost.clone(), std::mem::take(&mut self.fold.shell));
                let summary = TurnSummary { end, steps: *steps, usage: *usage, cost, took_ms, shell };
                self.add(Entry::Turn(Box::new(summary)));
            }
            RecordBody::Planned(planned) => self.planned(planned),
            RecordBody::Goal(change) => {
                if let Some((level, phrase)) = change.phrase() {
                    self.add(Entry::Notice(Box::new(Notice { level, phrase })));
                }
            }
            body => {
                if let Some(phrase) = change(body) {
                    self.add(Entry::Marker(Marker(phrase)));
                }
            }
        }
    }

    fn add(&mut self, entry: Entry) {
        self.weight += entry.weight();
        self.entries.push(entry);
    }

    fn said(&mut self, kind: PromptKind, text: &str) {
        self.close_turn();
        self.add(Entry::Prompt(Prompt { kind, text: text.into() }));
    }

    fn text(&mut self, delta: &str) {
        self.end_thought();
        let index = match self.fold.prose {
            Some(index) => index,
            None if delta.trim().is_empty() => return,
            None => self.begin_prose(Prose::streaming()),
        };
        if let Some(Entry::Prose(prose)) = self.entries.get_mut(index) {
            let delta = if prose.source().is_empty() { delta.trim_start_matches('\n') } else { delta };
            prose.push(delta);
            self.weight += delta.len();
        }
    }

    /// Words of a step stand before its calls, also where the calls were begun first.
    fn begin_prose(&mut self, prose: Prose) -> usize {
        let entry = Entry::Prose(Box::new(prose));
        self.weight += entry.weight();
        let first = self.fold.drafts.first().copied().filter(|first| *first >= self.given);
        let at = first.unwrap_or(self.entries.len());
        self.entries.insert(at, entry);
        self.fold.drafts.iter_mut().for_each(|draft| *draft += 1);
        self.fold.prose = Some(at);
        at
    }

    fn reasoning(&mut self, delta: &str) {
        let index = match self.fold.thought {
            Some(index) => index,
            None if delta.trim().is_empty() => return,
            None => {
                self.entries.push(Entry::Thought(Thought::default()));
                self.fold.thought = Some(self.entries.len() - 1);
                self.entries.len() - 1
            }
        };
        if let Some(Entry::Thought(thought)) = self.entries.get_mut(index) {
            thought.text.push_str(delta);
            self.weight += delta.len();
        }
    }

    fn end_thought(&mut self) {
        let index = self.fold.thought.take();
        if let Some(Entry::Thought(thought)) = index.and_then(|index| self.entries.get_mut(index)) {
            thought.done = true;
        }
    }

    fn arguments(&mut self, index: usize, name: &str, delta: &str) {
        self.end_thought();
        while self.fold.drafts.len() <= index && self.fold.drafts.len() < 256 {
            self.entries.push(Entry::Tool(Box::new(Tool::new(name))));
            self.fold.drafts.push(self.entries.len() - 1);
        }
        let entry = self.fold.drafts.get(index).and_then(|entry| self.entries.get_mut(*entry));
        if let Some(Entry::Tool(tool)) = entry {
            if !name.is_empty() {
                tool.name = name.into();
            }
            tool.argue(delta);
        }
    }

    /// A whole message: now it is known whether its text was a plan or the answer.
    fn message(&mut self, record: RecordId, message: &Message) {
        let Message::Assistant { text, reasoning, calls, stop } = message else { return };
        let had_thought = self.fold.thought.is_some()
            || self.entries.last().is_some_and(|entry| matches!(entry, Entry::Thought(_)))
            || self.fold.prose.is_some();
        self.end_thought();
        if let Some(reasoning) =
            reasoning.as_ref().filter(|reasoning| !reasoning.text.trim().is_empty() && !had_thought)
        {
            self.add(Entry::Thought(Thought { text: reasoning.text.clone(), done: true }));
        }
        let cut_off = matches!(stop, StopReason::Interrupted | StopReason::Failed);
        let stands_in = cut_off && STAND_INS.contains(&text.as_str());
        let text = if stands_in { "" } else { text.trim_start_matches('\n').trim_end() };
        self.end_prose(record, text, !calls.is_empty());
        self.calls(calls);
    }

    fn end_prose(&mut self, record: RecordId, text: &str, is_plan: bool) {
        let streamed = self.fold.prose.and_then(|index| self.entries.get_mut(index));
        match streamed {
            Some(Entry::Prose(prose)) => {
                prose.is_plan = is_plan;
                prose.record = Some(record);
                prose.complete(text);
                self.fold.prose_ended = true;
            }
            _ if text.trim().is_empty() => {}
            _ => {
                self.begin_prose(Prose::whole(text, is_plan, Some(record)));
                self.fold.prose_ended = true;
            }
        }
        if is_plan {
            self.close_ended_prose();
        }
    }

    pub(super) fn close_ended_prose(&mut self) {
        if std::mem::take(&mut self.fold.prose_ended) {
            self.fold.prose = None;
        }
    }

    fn calls(&mut self, calls: &[ToolCall]) {
        let drafts = std::mem::take(&mut self.fold.drafts);
        for (place, call) in calls.iter().enumerate() {
            let entry = drafts.get(place).and_then(|entry| self.entries.get_mut(*entry));
            if let Some(Entry::Tool(tool)) = entry {
                tool.ready(&call.id, &call.name, &call.arguments);
            } else {
                let mut tool = Tool::new(&call.name);
                tool.ready(&call.id, &call.name, &call.arguments);
                self.add(Entry::Tool(Box::new(tool)));
            }
        }
        // Calls that were begun and are not in the message never were.
        for index in drafts.into_iter().skip(calls.len()) {
            if let Some(Entry::Tool(tool)) = self.entries.get_mut(index) {
                let name = tool.name.clone();
                tool.end(&name, 0, &ToolOutcome::Aborted);
            }
        }
    }

    fn tool_index(&self, call: &CallId) -> Option<usize> {
        let from = self.given.saturating_sub(1).min(self.entries.len());
        let live = self.entries.get(from..).unwrap_or_default();
        let is_it = |entry: &Entry| matches!(entry, Entry::Tool(tool) if tool.call.as_ref() == Some(call));
        live.iter().rposition(is_it).map(|index| from + index)
    }

    fn find_tool(&mut self, call: &CallId) -> Option<&mut Tool> {
        let index = self.tool_index(call)?;
        match self.entries.get_mut(index) {
            Some(Entry::Tool(tool)) => Some(tool),
            _ => None,
        }
    }

    /// Does something with the cell of a call; with a new one where nobody spoke of it before.
    fn with_tool(&mut self, call: &CallId, name: &str, change: impl FnOnce(&mut Tool)) {
        if self.tool_index(call).is_none() {
            let mut tool = Tool::new(name);
            tool.call = Some(call.clone());
            self.entries.push(Entry::Tool(Box::new(tool)));
        }
        if let Some(tool) = self.find_tool(call) {
            let before = tool.weight();
            change(tool);
            let after = tool.weight();
            self.weight = (self.weight + after).saturating_sub(before);
        }
    }

    fn shell_ended(&mut self, command: &str, took_ms: u64, outcome: &ToolOutcome) {
        let running = self.entries.iter().rposition(|entry| match entry {
            Entry::Tool(tool) => !tool.is_done(),
            _ => false,
        });
        let index = running.unwrap_or_else(|| {
            self.entries.push(Entry::Tool(Box::new(Tool::new(tools::BASH))));
            self.entries.len() - 1
        });
        if let Some(Entry::Tool(tool)) = self.entries.get_mut(index) {
            tool.subject = command.into();
            tool.own = true;
            tool.end(tools::BASH, took_ms, outcome);
            self.weight += tool.weight();
        }
    }

    /// The command that checks what was edited is over.
    fn validated(&mut self, ran: &Validation) {
        let Some(outcome) = &ran.outcome else { return };
        self.with_tool(&ran.call, tools::BASH, |cell| {
            cell.subject = ran.command.as_str().into();
            cell.end(tools::BASH, ran.took_ms, outcome);
        });
    }

    /// A plan that was decided about, whole, and what was decided.
    fn planned(&mut self, planned: &Planned) {
        self.add(Entry::Prose(Box::new(Prose::whole(&planned.plan, true, None))));
        let phrase = match (planned.approved, planned.note.is_empty()) {
            _ if planned.cancelled => Phrase::new("tui.plan.cancelled"),
            (true, _) if planned.revises => Phrase::new("tui.plan.steps_accepted"),
            (false, true) if planned.revises => Phrase::new("tui.plan.steps_kept"),
            (false, false) if planned.revises => Phrase::new("tui.plan.steps_kept_note").with("note", &planned.note),
            (true, _) => Phrase::new("tui.plan.approved"),
            (false, true) => Phrase::new("tui.plan.revised"),
            (false, false) => Phrase::new("tui.plan.revised_note").with("note", &planned.note),
        };
        self.add(Entry::Marker(Marker(phrase)));
    }

    fn decided(&mut self, decided: &Decided) {
        if let Some(tool) = self.find_tool(&decided.call) {
            tool.granted = decided.granted.as_deref().map(Into::into);
            tool.saved = decided.saved;
            tool.refused = (!decided.allowed).then(|| decided.by.clone());
            tool.words = decided.words.as_deref().map(Into::into);
            if matches!(tool.state, ToolState::Asked) {
                tool.state = ToolState::Ready;
            }
        }
    }

    fn cited(&mut self, record: RecordId, citations: &[Citation]) {
        let broken: Vec<Citation> = citations.iter().filter(|citation| citation.broken.is_some()).cloned().collect();
        if !broken.is_empty() {
            let answer = self.entries.iter_mut().rev().take(8).find_map(|entry| match entry {
                Entry::Prose(prose) if prose.record == Some(record) => Some(prose),
                _ => None,
            });
            if let Some(prose) = answer {
                prose.broken = broken.iter().map(|citation| citation.text.as_str().into()).collect();
            }
        }
        self.close_ended_prose();
        if !broken.is_empty() {
            self.add(Entry::Citations(Citations(broken)));
        }
    }

    /// What the log says to the claims of an answer, behind it.
    fn claimed(&mut self, claimed: &Claimed) {
        self.fold.prose_ended = true;
        self.close_ended_prose();
        for (level, phrase) in claimed.lines() {
            self.add(Entry::Notice(Box::new(Notice { level, phrase })));
        }
    }

    /// Nothing of a turn stays open.
    pub(super) fn close_turn(&mut self) {
        self.end_thought();
        self.fold.prose_ended = true;
        if let Some(Entry::Prose(prose)) = self.fold.prose.and_then(|index| self.entries.get_mut(index)) {
            let whole = prose.source().to_owned();
            prose.complete(&whole);
        }
        self.close_ended_prose();
        self.fold.drafts.clear();
        for entry in self.entries.iter_mut().skip(self.given) {
            if let Entry::Tool(tool) = entry
                && !tool.is_done()
            {
                let name = tool.name.clone();
                tool.end(&name, 0, &ToolOutcome::Aborted);
            }
        }
    }
}

/// What was said, and a chip for each picture that went with it.
fn with_chips<'a>(text: &'a str, images: &[Image]) -> Cow<'a, str> {
    let mut said = Cow::Borrowed(text);
    for image in images {
        let size = if image.width == 0 { String::new() } else { format!(" {}×{}", image.width, image.height) };
        let weight = image.bytes.div_ceil(1024);
        said.to_mut().push_str(&format!("\n[▣ {}{size} · {weight} KiB]", image.name));
    }
    said
}

/// What a record changes from here on, in words.
pub fn change(body: &RecordBody) -> Option<Phrase> {
    Some(match body {
        RecordBody::ModelChanged { model, effort: Some(effort) } => {
            Phrase::new("tui.model_effort_changed").with("model", model).with("effort", effort)
        }
        RecordBody::ModelChanged { model, effort: None } => Phrase::new("tui.model_changed").with("model", model),
        RecordBody::PostureChanged { posture } => {
            let code = match posture {
                reasonix_proto::Posture::Ask => "tui.posture_ask",
                reasonix_proto::Posture::Auto => "tui.posture_auto",
                reasonix_proto::Posture::Yolo => "tui.posture_yolo",
            };
            Phrase::new(code)
        }
        RecordBody::ModeChanged { mode } if mode.is_build() => Phrase::new("tui.mode_build"),
        RecordBody::ModeChanged { .. } => Phrase::new("tui.mode_plan"),
        RecordBody::AgentChanged { agent, .. } => Phrase::new("tui.agent_changed").with("agent", agent),
        RecordBody::Granted { rule, effect: Some(_), scope: Scope::Always } => {
            Phrase::new("tui.granted_here").with("rule", rule)
        }
        RecordBody::Granted { rule, effect: Some(_), .. } => Phrase::new("tui.granted").with("rule", rule),
        RecordBody::Granted { rule, effect: None, .. } => Phrase::new("tui.revoked").with("rule", rule),
        RecordBody::Moved { why, .. } => match why {
            MoveReason::Retry => Phrase::new("tui.retried"),
            _ => Phrase::new("tui.rewound"),
        },
        RecordBody::Rewound(_) => Phrase::new("tui.explored"),
        RecordBody::Left(_) => Phrase::new("tui.left_notes"),
        RecordBody::Titled { title, by_user: true } if !title.is_empty() => {
            Phrase::new("tui.titled").with("title", title)
        }
        RecordBody::Titled { by_user: true, .. } => Phrase::new("tui.untitled_now"),
        RecordBody::Compacted(folded) => Phrase::new("tui.compacted")
            .with("before", short_count(folded.before))
            .with("after", short_count(folded.after)),
        RecordBody::Discarded => Phrase::new("tui.discarded"),
        _ => return None,
    })
}
