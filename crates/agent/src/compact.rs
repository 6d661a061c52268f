//! Making room: when the window fills, what was said longest ago is folded into pins and notes, and the conversation
//! goes on. It cannot fail: where the model does not write the notes, they are made from the log.

mod digest;
mod fold;
mod gist;
mod originals;
mod pasted;
mod room;
mod said;
mod work;

use crate::conversation::Conversation;
use crate::ports::{Artifacts, BoxFuture, Item, JournalError, Model, Purpose, Request, Stop};
use crate::step::counted;
use crate::tokens::estimate_tokens;
use crate::turn::Agent;
use fold::{Draft, fold, prune};
use futures_util::StreamExt;
use reasonix_proto::{
    Artifact, Compacted, Event, FoldReason, Level, Message, NotedBy, Phrase, RecordBody, TurnState, Usage,
};
use room::{Budget, Room};
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
/// How often a model is asked for notes when the endpoint fails.
const TRIES: u32 = 2;

/// The most tokens of notes on a branch that is left.
const FAREWELL: u64 = 800;

/// While nobody waits, a compaction must free at least this share of the window.
const LEAST_GAIN: f64 = 0.1;

/// What is reckoned with where nobody knows how much fits.
const UNKNOWN_WINDOW: u64 = 16_000;

/// Fewer tokens than this are not worth a broken prefix.
const LEAST_TOKENS: u64 = 64;

/// How often less is kept before a conversation counts as one that cannot be made small enough.
const SQUEEZES: u32 = 4;

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
    /// The model that the conversation is folded for, and that has the last request cached.
    pub(crate) own: &'a Arc<dyn Model>,
    pub(crate) reason: FoldReason,
    /// What the user wants kept or left out.
    pub(crate) instructions: Option<&'a str>,
    /// How often the window was too small since; each time less is kept.
    pub(crate) squeeze: u32,
}

impl Agent {
    /// Makes room when the window of the model that is about to be asked is nearly full. Gives the model that is, then.
    pub(crate) async fn make_room(
        &self,
        conversation: &mut Conversation,
        (turn, mut model): (u32, Arc<dyn Model>),
        stop: &Stop,
    ) -> Result<Arc<dyn Model>, JournalError> {
        conversation.asks(&model.card().name);
        let (window, how) = (conversation.window(model.card().window), self.limits.compaction);
        if !how.auto || window == 0 || conversation.tokens() < share(window, how.ratio) {
            return Ok(model);
        }
        if let Some(larger) = self.promoted(turn).await? {
            model = larger;
            if self.has_room(conversation, model.as_ref()) {
                return Ok(model);
            }
        }
        let need = Need { turn, own: &model, reason: FoldReason::Threshold, instructions: None, squeeze: 0 };
        self.compact(conversation, need, stop).await?;
        Ok(model)
    }

    /// Goes on with a larger model instead of folding, where one was named, and gives it.
    pub(crate) async fn promoted(&self, turn: u32) -> Result<Option<Arc<dyn Model>>, JournalError> {
        let Some(model) = self.router.promote() else { return Ok(None) };
        let record = self.journal.append(RecordBody::ModelChanged { model: model.clone(), effort: None }).await?;
        self.sink.emit(Event::Changed { record: Box::new(record) });
        let phrase = Phrase::new("agent.promoted").with("model", model).with("turn", turn);
        self.sink.emit(Event::Notice { level: Level::Info, phrase });
        Ok(Some(self.model()))
    }

    /// Whether the conversation is far enough from filling a model's window.
    pub(crate) fn has_room(&self, conversation: &Conversation, model: &dyn Model) -> bool {
        conversation.tokens() < share(model.card().window, self.limits.compaction.ratio)
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
            let (turn, own) = (conversation.turns(), &self.model());
            let need = Need { turn, own, reason: FoldReason::Idle, instructions: None, squeeze: 0 };
            self.compact(conversation, need, stop).await
        })
    }

    /// True when the conversation may be folded while nobody waits.
    pub fn is_worth_folding(&self, conversation: &Conversation) -> bool {
        let (window, how) = (conversation.window(self.measure().card().window), self.limits.compaction);
        let floor = conversation.folded().map_or(0, |folded| folded.after);
        let tokens = conversation.tokens();
        how.auto
            && window > 0
            && conversation.has_news()
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
        self.state(TurnState::AwaitingModel);
        let instructions = Some(focus).filter(|text| !text.trim().is_empty());
        Box::pin(async move {
            self.recalled(conversation).await.ok()?;
            let (turn, own) = (conversation.turns(), &self.model());
            let need = Need { turn, own, reason: FoldReason::Manual, instructions, squeeze: 0 };
            let mut folded = self.folded(conversation, &need, Phrase::new("agent.handing_over"), stop).await?;
            // In the other session no turn has begun.
            folded.turn = 0;
            // The last words of this session are notes in the other one.
            for message in std::mem::take(&mut folded.tail) {
                match message {
                    Message::User { text, .. } => {
                        folded.pins.push(text);
                        folded.carried.iter_mut().for_each(|carried| carried.whole += 1);
                    }
                    Message::Assistant { text, .. } if !text.trim().is_empty() => {
                        folded.notes.push(format!("Last words of the assistant: {}", digest::clipped(&text, 512)));
                        folded.carried.iter_mut().for_each(|carried| carried.told += 1);
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
        self.state(TurnState::AwaitingModel);
        let instructions = Some(instructions).filter(|text| !text.trim().is_empty());
        Box::pin(async move {
            let (turn, own) = (conversation.turns(), &self.model());
            let need = Need { turn, own, reason: FoldReason::Manual, instructions, squeeze: 0 };
            self.compact(conversation, need, stop).await
        })
    }

    /// Folds the conversation. False when there is nothing to fold.
    pub(crate) async fn compact(
        &self,
        conversation: &mut Conversation,
        need: Need<'_>,
        stop: &Stop,
    ) -> Result<bool, JournalError> {
        if self.recalled(conversation).await.is_err() {
            return Ok(false);
        }
        conversation.asks(&need.own.card().name);
        if let Some(todo) = self.aspects.todo() {
            conversation.set_todo(todo);
        }
        let before = conversation.tokens();
        if need.reason == FoldReason::Overflow {
            conversation.did_not_fit(before);
        } else if !conversation.has_news() {
            tracing::debug!(before, "nothing_came_since_the_last_folding");
            return Ok(false);
        }
        let instructions = need.instructions.unwrap_or_default();
        if need.squeeze == 0 && !self.aspects.before_fold(need.reason, instructions).await {
            return Ok(false);
        }
        tracing::debug!(reason = ?need.reason, before, squeeze = need.squeeze, "folding");
        let Some(mut record) = self.folded(conversation, &need, Phrase::new("agent.compacting"), stop).await else {
            return Ok(false);
        };
        record.after = conversation.tokens_with(&record);
        let record = self.journal.append(RecordBody::Compacted(Box::new(record))).await?;
        conversation.apply(&record);
        self.sink.emit(Event::Compacted { record: Box::new(record) });
        Ok(true)
    }

    /// The first rung that makes enough room; none when there is nothing to fold, or it would not be worth it.
    /// A person is told so where a model is asked for notes.
    async fn folded(
        &self,
        conversation: &mut Conversation,
        need: &Need<'_>,
        told: Phrase,
        stop: &Stop,
    ) -> Option<Compacted> {
        let own = need.own.card();
        conversation.asks(&own.name);
        let before = conversation.tokens();
        let window = conversation.window(own.window);
        let window = if window == 0 { before.max(UNKNOWN_WINDOW) } else { window };
        let room = Room::of(conversation, window, self.limits.compaction.ratio);
        let blank = Compacted {
            turn: need.turn,
            reason: need.reason,
            by: NotedBy::Log,
            pins: Vec::new(),
            notes: Vec::new(),
            tail: Vec::new(),
            before,
            after: 0,
            usage: None,
            carried: None,
        };
        if let Some(pruned) = self.pruned(conversation, need, room, &blank) {
            return Some(pruned);
        }
        let (budget, draft) = self.drafted(conversation, need, room, &blank)?;
        // A request that did not fit would not fit with one more message either.
        let fits = conversation.tokens().saturating_add(room_for_notes(window)) < window;
        if need.reason == FoldReason::Overflow || !fits {
            return Some(draft.finish(None));
        }
        self.sink.emit(Event::Notice { level: Level::Info, phrase: told });
        let asked = (digest::request(need.instructions, draft.left), PATIENCE);
        let Some((by, text, usage)) = self.notes(conversation, (need.turn, need.own), asked, stop).await else {
            return Some(draft.finish(None));
        };
        tracing::debug!(%by, tokens = estimate_tokens(&text), most = budget.notes, "notes");
        Some(Compacted { by, usage, ..draft.finish(Some(&text)) })
    }

    /// Old outputs alone, where that is enough.
    fn pruned(&self, conversation: &Conversation, need: &Need<'_>, room: Room, blank: &Compacted) -> Option<Compacted> {
        let wanted = matches!(need.reason, FoldReason::Threshold | FoldReason::Idle);
        if !self.limits.compaction.prune || !wanted {
            return None;
        }
        let newest = conversation.estimate_of(room.newest_outputs());
        let tried = prune(conversation, newest, &Unkept(self.artifacts.as_ref()), blank.clone())?;
        let enough = room.is_pruned_enough(tried.before, conversation.tokens_with(&tried));
        if !enough || !worth_it(conversation, need, &tried) {
            return None;
        }
        prune(conversation, newest, self.artifacts.as_ref(), blank.clone())
    }

    /// A folding that makes enough room, with as much as that allows. Where none does, the smallest when the endpoint has
    /// refused what there is, and the usual one when somebody wants it.
    fn drafted(
        &self,
        conversation: &Conversation,
        need: &Need<'_>,
        room: Room,
        blank: &Compacted,
    ) -> Option<(Budget, Draft)> {
        let at = |squeeze: u32| {
            let budget = Budget::of(conversation, room, squeeze);
            if need.reason == FoldReason::Manual { Budget { tail: 0, ..budget } } else { budget }
        };
        let tries = |budget: Budget| {
            let kept = Unkept(self.artifacts.as_ref());
            fold(conversation, budget, &kept, blank.clone()).map(|draft| draft.finish(None))
        };
        let squeezes = need.squeeze..need.squeeze + SQUEEZES;
        let enough = |budget: &Budget| {
            tries(*budget).is_some_and(|tried| {
                conversation.tokens_with(&tried) <= room.most() && worth_it(conversation, need, &tried)
            })
        };
        let found = squeezes.clone().map(at).find(enough);
        let budget = found.or_else(|| match need.reason {
            FoldReason::Manual => Some(at(need.squeeze)),
            FoldReason::Overflow => squeezes
                .clone()
                .map(at)
                .last()
                .filter(|last| tries(*last).is_some_and(|tried| worth_it(conversation, need, &tried))),
            _ => None,
        })?;
        let draft = fold(conversation, budget, self.artifacts.as_ref(), blank.clone())?;
        Some((budget, draft))
    }

    /// Notes on a branch that is about to be left, since something that was said, and who wrote them; none when there is no
    /// room or no money to ask for them, or no model writes any.
    pub fn take_leave<'a>(
        &'a self,
        conversation: &'a mut Conversation,
        since: &'a str,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Option<(NotedBy, String, Option<Usage>)>> {
        self.state(TurnState::AwaitingModel);
        Box::pin(async move {
            let own = self.model();
            conversation.asks(&own.card().name);
            let window = conversation.window(own.card().window);
            let fits = window == 0 || conversation.tokens().saturating_add(room_for_notes(window)) < window;
            if !fits || self.budget.used_up().is_some() {
                return None;
            }
            self.recalled(conversation).await.ok()?;
            let (turn, text) = (conversation.turns(), digest::farewell(since));
            let (by, notes, usage) = self.notes(conversation, (turn, &own), (text, LEAVING), stop).await?;
            Some((by, digest::clipped(notes.trim(), FAREWELL), usage))
        })
    }

    /// Notes on the conversation, and who wrote them: the model that was named for it, where the conversation fits into its
    /// window and it answers; otherwise the session's own.
    async fn notes(
        &self,
        conversation: &mut Conversation,
        (turn, own): (u32, &Arc<dyn Model>),
        (text, patience): (String, Duration),
        stop: &Stop,
    ) -> Option<(NotedBy, String, Option<Usage>)> {
        let tokens = conversation.tokens().saturating_add(NOTES);
        let scribe = self.router.model(Purpose::Digest);
        let other = Some(&scribe).filter(|scribe| scribe.card().name != own.card().name);
        let scribe = other.filter(|scribe| !(1..=tokens).contains(&scribe.card().window));
        for model in scribe.into_iter().chain([own]) {
            let asked = (text.clone(), patience);
            if let Some((text, usage)) = self.ask_for_words(model.as_ref(), conversation, turn, asked, stop).await {
                return Some((NotedBy::Model(model.card().name.clone()), text, usage));
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
        let tokens = conversation.tokens().saturating_add(NOTES);
        let _held = tokio::select! {
            biased;
            held = self.budget.reserve(&model.card().name, tokens) => held.ok()?,
            () = stop.cancelled() => return None,
        };
        let mut request: Request = conversation.request(false, None);
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
                    // Notes can be made from the log too; nobody waits for an endpoint that fails again.
                    Item::Retrying { attempt, .. } if attempt >= TRIES => return None,
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

/// Folding what cannot be made smaller would only break the prefix; but whoever wants it has it.
fn worth_it(conversation: &Conversation, need: &Need<'_>, folded: &Compacted) -> bool {
    need.reason == FoldReason::Manual || conversation.tokens_with(folded) + LEAST_TOKENS <= folded.before
}

/// Artifacts that are not kept: for a folding that is only tried.
struct Unkept<'a>(&'a dyn Artifacts);

impl Artifacts for Unkept<'_> {
    fn put(&self, bytes: &[u8]) -> std::io::Result<Artifact> {
        // As long as a real one.
        let uri = "artifact://0000000000000000".to_owned();
        Ok(Artifact { uri, bytes: bytes.len() as u64, lines: 0 })
    }

    fn get(&self, uri: &str) -> std::io::Result<Vec<u8>> {
        self.0.get(uri)
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
