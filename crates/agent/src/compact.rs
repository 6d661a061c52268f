//! Making room: when the window fills, what was said longest ago is folded into pins and notes, and the conversation
//! goes on. It cannot fail: where the model does not write the notes, they are made from the log.

mod digest;
mod fold;

use crate::conversation::Conversation;
use crate::ports::{BoxFuture, Item, JournalError, Model, Purpose, Request, Stop};
use crate::step::counted;
use crate::tokens::estimate_tokens;
use crate::turn::Agent;
use fold::{Budget, fold, prune};
use futures_util::StreamExt;
use reasonix_proto::{Compacted, Event, FoldReason, Level, Message, Phrase, RecordBody, TurnState, Usage};
use std::sync::Arc;
use std::time::Duration;
use tracing::Instrument;

pub(crate) use fold::head_of;

/// The conversation that a folding leaves.
pub fn folded_messages(folded: &Compacted) -> Vec<Message> {
    head_of(folded).into_iter().chain(folded.tail.iter().cloned()).collect()
}

/// How long the model may take to write the notes.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long it may take to write those on a branch that is left: somebody waits to go on elsewhere.
const LEAVING: Duration = Duration::from_secs(60);

/// What asking for notes and writing them takes, in tokens.
const NOTES: u64 = 1200;

/// The most tokens of notes on a branch that is left.
const FAREWELL: u64 = 800;

/// A compaction must free at least this share of the window, or the next one would follow at once.
const LEAST_GAIN: f64 = 0.1;

/// What is reckoned with where nobody knows how much fits.
const UNKNOWN_WINDOW: u64 = 16_000;

/// Fewer tokens than this are not worth a broken prefix.
const LEAST_TOKENS: u64 = 64;

/// When and how room is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compaction {
    /// It happens by itself.
    pub auto: bool,
    /// Old tool output goes first.
    pub prune: bool,
    /// How full the window may get before it happens.
    pub ratio: f64,
}

impl Default for Compaction {
    fn default() -> Self {
        Self { auto: true, prune: true, ratio: 0.8 }
    }
}

/// What a compaction is made for.
pub(crate) struct Need<'a> {
    pub(crate) turn: u32,
    pub(crate) reason: FoldReason,
    /// What the user wants kept or left out.
    pub(crate) instructions: Option<&'a str>,
    /// How often the window was too small since; each time less is kept.
    pub(crate) squeeze: u32,
}

impl Agent {
    /// Makes room when the window is nearly full.
    pub(crate) async fn make_room(
        &self,
        conversation: &mut Conversation,
        turn: u32,
        stop: &Stop,
    ) -> Result<(), JournalError> {
        let (window, how) = (conversation.window(self.model().card().window), self.limits.compaction);
        let tokens = conversation.tokens();
        if !how.auto || window == 0 || tokens < share(window, how.ratio) {
            return Ok(());
        }
        if self.promoted(conversation, turn).await? {
            return Ok(());
        }
        // What could not be folded last time cannot be folded now; it is worth another try when more has come.
        let floor = conversation.folded().map_or(0, |folded| folded.after);
        if tokens < floor.saturating_add(share(window, LEAST_GAIN)) && tokens < share(window, 0.95) {
            return Ok(());
        }
        let need = Need { turn, reason: FoldReason::Threshold, instructions: None, squeeze: 0 };
        self.compact(conversation, need, stop).await.map(drop)
    }

    /// Goes on with a larger model instead of folding, where one was named. True when that makes enough room.
    pub(crate) async fn promoted(&self, conversation: &Conversation, turn: u32) -> Result<bool, JournalError> {
        let Some(model) = self.router.promote() else { return Ok(false) };
        let record = self.journal.append(RecordBody::ModelChanged { model: model.clone(), effort: None }).await?;
        self.sink.emit(Event::Changed { record: Box::new(record) });
        let phrase = Phrase::new("agent.promoted").with("model", model).with("turn", turn);
        self.sink.emit(Event::Notice { level: Level::Info, phrase });
        Ok(conversation.tokens() < share(self.model().card().window, self.limits.compaction.ratio))
    }

    /// Makes room while nobody waits, when at least half of what may be filled is. False when it is not worth it.
    pub fn fold_idle<'a>(
        &'a self,
        conversation: &'a mut Conversation,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<bool, JournalError>> {
        Box::pin(async move {
            if !self.is_worth_folding(conversation) {
                return Ok(false);
            }
            let need = Need { turn: conversation.turns(), reason: FoldReason::Idle, instructions: None, squeeze: 0 };
            self.compact(conversation, need, stop).await
        })
    }

    /// True when the conversation may be folded while nobody waits.
    pub fn is_worth_folding(&self, conversation: &Conversation) -> bool {
        let (window, how) = (conversation.window(self.model().card().window), self.limits.compaction);
        let floor = conversation.folded().map_or(0, |folded| folded.after);
        let tokens = conversation.tokens();
        how.auto
            && window > 0
            && tokens >= share(window, how.ratio / 2.0)
            && tokens >= floor.saturating_add(share(window, LEAST_GAIN))
    }

    /// What a new session needs to know of this conversation; none when there is nothing to hand over.
    pub fn hand_over<'a>(
        &'a self,
        conversation: &'a mut Conversation,
        focus: &'a str,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Option<Compacted>> {
        self.state(TurnState::Planning);
        let instructions = Some(focus).filter(|text| !text.trim().is_empty());
        Box::pin(async move {
            let turn = conversation.turns();
            let need = Need { turn, reason: FoldReason::Manual, instructions, squeeze: 0 };
            let mut folded = self.folded(conversation, &need, stop).await?;
            // In the other session no turn has begun.
            folded.turn = 0;
            // The last words of this session are notes in the other one.
            for message in std::mem::take(&mut folded.tail) {
                match message {
                    Message::User { text, .. } => folded.pins.push(text),
                    Message::Assistant { text, .. } if !text.trim().is_empty() => {
                        folded.notes.push(format!("Last words of the assistant: {}", digest::clipped(&text, 512)));
                    }
                    _ => {}
                }
            }
            folded.after = conversation.tokens_with(&folded);
            Some(folded)
        })
    }

    /// Folds the conversation because the user wants it. False when there is nothing to fold.
    pub fn fold_now<'a>(
        &'a self,
        conversation: &'a mut Conversation,
        instructions: &'a str,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<bool, JournalError>> {
        self.state(TurnState::Planning);
        let instructions = Some(instructions).filter(|text| !text.trim().is_empty());
        let need = Need { turn: conversation.turns(), reason: FoldReason::Manual, instructions, squeeze: 0 };
        Box::pin(self.compact(conversation, need, stop))
    }

    /// Folds the conversation. False when there is nothing to fold.
    pub(crate) async fn compact(
        &self,
        conversation: &mut Conversation,
        need: Need<'_>,
        stop: &Stop,
    ) -> Result<bool, JournalError> {
        let before = conversation.tokens();
        if need.reason == FoldReason::Overflow {
            conversation.did_not_fit(before);
        }
        tracing::debug!(reason = ?need.reason, before, squeeze = need.squeeze, "folding");
        let Some(mut record) = self.folded(conversation, &need, stop).await else { return Ok(false) };
        record.after = conversation.tokens_with(&record);
        // Folding what cannot be made smaller would only break the prefix.
        if record.after + LEAST_TOKENS > before && need.reason != FoldReason::Manual {
            tracing::debug!(before, after = record.after, "folding_is_not_worth_it");
            return Ok(false);
        }
        let record = self.journal.append(RecordBody::Compacted(Box::new(record))).await?;
        conversation.take(&record);
        self.sink.emit(Event::Compacted { record: Box::new(record) });
        Ok(true)
    }

    /// The first rung that makes enough room.
    async fn folded(&self, conversation: &mut Conversation, need: &Need<'_>, stop: &Stop) -> Option<Compacted> {
        let before = conversation.tokens();
        let window = conversation.window(self.model().card().window);
        let window = if window == 0 { before.max(UNKNOWN_WINDOW) } else { window };
        let mut budget = Budget::of(window, conversation.prefix_tokens(), need.squeeze);
        if need.reason == FoldReason::Manual {
            budget.tail = 0;
        }
        let blank = Compacted {
            turn: need.turn,
            reason: need.reason,
            by: "log".to_owned(),
            pins: Vec::new(),
            notes: Vec::new(),
            tail: Vec::new(),
            before,
            after: 0,
            usage: None,
        };
        let threshold = matches!(need.reason, FoldReason::Threshold | FoldReason::Idle);
        if self.limits.compaction.prune && threshold {
            let pruned = prune(conversation, window, self.artifacts.as_ref(), blank.clone());
            if let Some(pruned) = pruned.filter(|pruned| conversation.tokens_with(pruned) < share(window, 0.6)) {
                return Some(pruned);
            }
        }
        let mut record = fold(conversation, budget, self.artifacts.as_ref(), blank)?;
        // A request that did not fit would not fit with one more message either.
        let fits = conversation.tokens().saturating_add(room_for_notes(window)) < window;
        if need.reason != FoldReason::Overflow && fits {
            self.sink.emit(Event::Notice { level: Level::Info, phrase: Phrase::new("agent.compacting") });
            let asked = (digest::request(need.instructions), PATIENCE);
            if let Some((by, text, usage)) = self.notes(conversation, need.turn, asked, stop).await {
                record.usage = usage;
                record.by = by;
                digest::replace_notes(&mut record, &text, budget.notes);
            }
        }
        Some(record)
    }

    /// Notes on a branch that is about to be left, since something that was said, and who wrote them; none when there is no
    /// room or no money to ask for them, or no model writes any.
    pub fn take_leave<'a>(
        &'a self,
        conversation: &'a mut Conversation,
        since: &'a str,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Option<(String, String, Option<Usage>)>> {
        self.state(TurnState::Planning);
        Box::pin(async move {
            let window = conversation.window(self.model().card().window);
            let fits = window == 0 || conversation.tokens().saturating_add(room_for_notes(window)) < window;
            if !fits || self.budget.used_up().is_some() {
                return None;
            }
            let (turn, text) = (conversation.turns(), digest::farewell(since));
            let (by, notes, usage) = self.notes(conversation, turn, (text, LEAVING), stop).await?;
            Some((by, digest::clipped(notes.trim(), FAREWELL), usage))
        })
    }

    /// Notes on the conversation, and who wrote them: the model that was named for it, where the conversation fits into its
    /// window and it answers; otherwise the session's own.
    async fn notes(
        &self,
        conversation: &mut Conversation,
        turn: u32,
        (text, patience): (String, Duration),
        stop: &Stop,
    ) -> Option<(String, String, Option<Usage>)> {
        let tokens = conversation.tokens().saturating_add(NOTES);
        let (own, scribe) = (self.model(), self.router.model(Purpose::Digest));
        let other = Some(&scribe).filter(|scribe| scribe.card().name != own.card().name);
        let scribe = other.filter(|scribe| !(1..=tokens).contains(&scribe.card().window));
        for model in scribe.into_iter().chain([&own]) {
            let asked = (text.clone(), patience);
            if let Some((text, usage)) = self.ask_for_words(model.as_ref(), conversation, turn, asked, stop).await {
                return Some((model.card().name.clone(), text, usage));
            }
        }
        None
    }

    /// What a model says to one more message. The request extends the last one, so that the session's own has it cached.
    async fn ask_for_words(
        &self,
        model: &dyn Model,
        conversation: &mut Conversation,
        turn: u32,
        (text, patience): (String, Duration),
        stop: &Stop,
    ) -> Option<(String, Option<Usage>)> {
        let mut request: Request = conversation.request(false);
        while request.messages.last().is_some_and(|message| matches!(**message, Message::User { .. })) {
            request.messages.pop();
        }
        request.messages.push(Arc::new(Message::user(text)));
        let (mut usage, asks) = (None, !stop.is_cancelled());
        let span = tracing::debug_span!("request", model = %model.card().name, messages = request.messages.len());
        let listening = async {
            let mut stream = model.stream(request.clone(), stop.clone());
            let mut text = String::new();
            while let Some(item) = stream.next().await {
                match item {
                    Item::Text(piece) => text.push_str(&piece),
                    Item::Usage(counted) => usage = Some(counted),
                    Item::End(_) => return Some(text),
                    Item::Failed(_) => return None,
                    _ => {}
                }
            }
            None
        };
        let notes = tokio::select! {
            biased;
            () = stop.cancelled() => None,
            notes = tokio::time::timeout(patience, listening.instrument(span)) => notes.ok().flatten(),
        };
        if !asks {
            return None;
        }
        let output = notes.as_deref().map_or(0, estimate_tokens);
        let reckoned = Usage { input: conversation.tokens(), output, ..Usage::default() };
        self.budget.spent(&model.card().name, counted(usage, reckoned));
        let entry = conversation.enter((turn, 0), &model.card().name, &request, usage);
        self.journal.append(entry).await.ok()?;
        notes.filter(|text| !text.trim().is_empty()).map(|text| (text, usage))
    }
}

/// What is kept free for asking for notes; in a small window less, or there would never be room.
fn room_for_notes(window: u64) -> u64 {
    NOTES.min(window / 10)
}

#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn share(window: u64, ratio: f64) -> u64 {
    (window as f64 * ratio) as u64
}
