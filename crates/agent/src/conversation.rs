//! The conversation in memory: the prefix and everything that was said after it. It only grows.

use crate::compact::{folded_messages, head_of};
use crate::context::message_of;
use crate::heal::heal;
use crate::ledger::Ledger;
use crate::measure::Measures;
use crate::ports::{LeftInLog, Prefix, Request, ToolTraits};
use crate::said::Said;
use crate::{content_tokens, estimate_tokens, image_tokens};
use reasonix_proto::{
    Break, Compacted, Image, Message, MoveReason, Phrase, Record, RecordBody, RecordId, Requested, Rewound, TodoPhase,
    ToolCall, ToolOutcome, Usage,
};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// A session's conversation, as the next request will carry it.
#[derive(Debug, Clone)]
pub struct Conversation {
    prefix: Arc<Prefix>,
    /// What stands before the first of the messages, as long as nobody needed it.
    earlier: Option<Arc<dyn LeftInLog>>,
    messages: Vec<Arc<Message>>,
    turns: u32,
    usage: Usage,
    context: u64,
    /// Tokens, by estimate, of what was added since the provider last counted.
    added: u64,
    /// Tokens of all messages, by estimate, once they were asked for.
    estimated: OnceLock<u64>,
    /// How models count, the one that is asked next, and the one that counted last.
    measures: Measures,
    model: String,
    counted_by: String,
    /// The todo list as it was last left.
    todo: Vec<TodoPhase>,
    /// What the first messages stand for, when the conversation was folded, and how many they are.
    folded: Option<(Box<Compacted>, usize)>,
    /// How often messages went out of it: by a folding, or by a report.
    cuts: u32,
    /// The place that a report may take the conversation back to.
    mark: Option<Mark>,
    ledger: Ledger,
}

/// A conversation as it was at a checkpoint, and what the user has said since.
#[derive(Debug, Clone)]
struct Mark {
    to: RecordId,
    messages: Vec<Arc<Message>>,
    folded: Option<(Box<Compacted>, usize)>,
    tokens: (u64, u64),
    said: Vec<String>,
    images: Vec<Image>,
}

impl Conversation {
    /// An empty conversation after this prefix.
    pub fn new(prefix: Arc<Prefix>) -> Self {
        Self::replay(prefix, Vec::new(), 0, Usage::default(), 0)
    }

    /// The conversation that a log holds.
    pub fn replay(prefix: Arc<Prefix>, messages: Vec<Message>, turns: u32, usage: Usage, context: u64) -> Self {
        let messages: Vec<_> = messages.into_iter().map(Arc::new).collect();
        // Whoever counted did so up to the last answer.
        let since = messages.iter().rev().take_while(|message| !matches!(***message, Message::Assistant { .. }));
        let added = since.map(|message| message_tokens(message)).sum();
        Self {
            prefix,
            earlier: None,
            messages,
            turns,
            usage,
            context,
            added,
            estimated: OnceLock::new(),
            measures: Measures::default(),
            model: String::new(),
            counted_by: String::new(),
            todo: Vec::new(),
            folded: None,
            cuts: 0,
            mark: None,
            ledger: Ledger::default(),
        }
    }

    /// The same conversation, before which this was said.
    #[must_use]
    pub fn preceded_by(mut self, earlier: Option<Arc<dyn LeftInLog>>) -> Self {
        self.earlier = earlier;
        self
    }

    /// Holds all of it from here on. Whatever looks at more than the last messages comes after this.
    pub(crate) async fn recall(&mut self) -> Result<(), Phrase> {
        if let Some(earlier) = &self.earlier {
            let mut whole: Vec<_> = earlier.read().await?.into_iter().map(Arc::new).collect();
            whole.append(&mut self.messages);
            (self.messages, self.earlier) = (whole, None);
        }
        Ok(())
    }

    /// How many messages were left in the log, and their tokens by estimate.
    fn left(&self) -> (usize, u64) {
        self.earlier.as_ref().map_or((0, 0), |earlier| (earlier.count(), earlier.tokens()))
    }

    /// All messages.
    fn whole(&self) -> &[Arc<Message>] {
        debug_assert!(self.earlier.is_none(), "nobody looks at a part of the conversation as if it were all of it");
        &self.messages
    }

    /// The same conversation, whose first messages come from this record.
    #[must_use]
    pub fn folded_by(mut self, folded: Option<Compacted>) -> Self {
        self.folded = folded.map(|folded| {
            let head = head_of(&folded).len();
            (Box::new(folded), head)
        });
        self
    }

    /// The same conversation, whose last request this was; `since` is what changed after it.
    #[must_use]
    pub fn requested_by(mut self, last: Option<Requested>, since: Option<Break>) -> Self {
        self.ledger = Ledger::after(last);
        since.into_iter().for_each(|why| self.ledger.expect(why));
        self
    }

    /// The same conversation, with how models counted its requests and the todo list as it was left.
    #[must_use]
    pub fn knowing(mut self, measures: Measures, todo: Option<Vec<TodoPhase>>) -> Self {
        self.measures = measures;
        self.todo = todo.unwrap_or_default();
        self
    }

    /// True before anything was asked.
    pub fn is_unasked(&self) -> bool {
        !self.ledger.has_entries()
    }

    /// Begins with another head: tools came late. Once something was asked it stays as it is.
    pub fn begin_with(&mut self, prefix: Arc<Prefix>) {
        if self.is_unasked() {
            (self.prefix, self.estimated) = (prefix, OnceLock::new());
        }
    }

    /// Goes on with another head: another agent is at work. What was said stays.
    pub fn go_on_with(&mut self, prefix: Arc<Prefix>) {
        (self.prefix, self.estimated, self.context) = (prefix, OnceLock::new(), 0);
        self.ledger.expect(Break::AgentChange);
    }

    /// Goes on from another place, with the messages, the context and the folding of that place. What was spent and what
    /// was asked stay.
    pub fn go_to(&mut self, there: Self, why: MoveReason) {
        let ledger = std::mem::take(&mut self.ledger);
        let measures = std::mem::take(&mut self.measures);
        let (prefix, todo) = (Arc::clone(&self.prefix), std::mem::take(&mut self.todo));
        let (turns, usage) = (self.turns, self.usage);
        *self = Self { prefix, turns, usage, ledger, measures, todo, ..there };
        self.ledger.expect(why.into());
    }

    /// Enters a request that was made into the ledger.
    pub(crate) fn enter(
        &mut self,
        place: (u32, u32),
        model: &str,
        request: &Request,
        usage: Option<Usage>,
    ) -> RecordBody {
        let asked = request.messages.last().zip(self.messages.last()).is_some_and(|(a, b)| Arc::ptr_eq(a, b));
        let estimate = match asked && request.messages.len() == self.messages.len() {
            true => self.estimate(),
            false => self.prefix_tokens() + request.messages.iter().map(|message| message_tokens(message)).sum::<u64>(),
        };
        let entry = Requested { estimate, ..self.ledger.enter(place, model, request, usage) };
        self.measures.learn(&entry);
        RecordBody::Requested(Box::new(entry))
    }

    /// The model that is asked next: what it was seen to count decides how tokens are reckoned.
    pub(crate) fn asks(&mut self, model: &str) {
        if self.model != model {
            model.clone_into(&mut self.model);
        }
    }

    /// Adds what a journaled record says. The only way in.
    pub(crate) fn apply(&mut self, record: &Record) {
        self.cuts += u32::from(matches!(record.body, RecordBody::Compacted(_) | RecordBody::Rewound(_)));
        if let RecordBody::Compacted(folded) = &record.body {
            self.messages = folded_messages(folded).into_iter().map(Arc::new).collect();
            self.earlier = None;
            let length = self.messages.len() - folded.tail.len();
            self.usage.add(folded.usage.unwrap_or_default());
            (self.context, self.added, self.estimated) = (0, 0, OnceLock::new());
            self.folded = Some((folded.clone(), length));
            self.ledger.expect(Break::Compaction);
            return;
        }
        if matches!(record.body, RecordBody::Rewound(_)) {
            self.ledger.expect(Break::Rewind);
        }
        if let RecordBody::Outcome { outcome: ToolOutcome::Done { details, .. }, .. } = &record.body {
            details.todo.iter().for_each(|todo| self.todo.clone_from(todo));
        }
        self.keep_or_go_back(&record.body);
        if let Some(message) = message_of(&record.body) {
            let tokens = message_tokens(&message);
            self.added += tokens;
            // What was not asked for is not reckoned: a log that is resumed may be long.
            self.estimated = self.estimated.get().map_or_else(OnceLock::new, |known| OnceLock::from(known + tokens));
            self.messages.push(Arc::new(message));
        }
    }

    /// Remembers what the user says while something is explored, and goes back where a report takes its place.
    fn keep_or_go_back(&mut self, body: &RecordBody) {
        match (body, &mut self.mark) {
            (RecordBody::Note { text, images, by_user: true, .. }, Some(mark)) => {
                mark.said.push(text.clone());
                mark.images.extend(images.iter().cloned());
            }
            (RecordBody::Rewound(_), mark) => {
                if let Some(mark) = mark.take() {
                    (self.messages, self.folded, (self.context, self.added)) =
                        (mark.messages, mark.folded, mark.tokens);
                    self.estimated = OnceLock::new();
                }
            }
            _ => {}
        }
    }

    /// Makes this the place that a report takes the conversation back to; `to` is its last record.
    pub(crate) fn set_mark(&mut self, to: RecordId) {
        self.mark = Some(Mark {
            to,
            messages: self.whole().to_vec(),
            folded: self.folded.clone(),
            tokens: (self.context, self.added),
            said: Vec::new(),
            images: Vec::new(),
        });
    }

    /// True while something is explored.
    pub(crate) fn is_marked(&self) -> bool {
        self.mark.is_some()
    }

    /// What goes on the log when a report takes the place of what was explored; none when nothing was.
    pub(crate) fn going_back(&self, report: String) -> Option<RecordBody> {
        let mark = self.mark.as_ref()?;
        let (said, images) = (mark.said.clone(), mark.images.clone());
        Some(RecordBody::Rewound(Box::new(Rewound { turn: self.turns, to: mark.to, report, said, images })))
    }

    /// Tokens of the next request: what the provider last counted and what was added since; where it has not counted, an
    /// estimate, put right by what it counted for others.
    pub(crate) fn tokens(&self) -> u64 {
        let other = self.counted_by != self.model && !self.counted_by.is_empty() && self.measures.knows(&self.model);
        match self.context {
            counted if counted > 0 && !other => counted.saturating_add(self.measures.more(&self.model, self.added)),
            _ => self.measures.tokens(&self.model, self.estimate()),
        }
    }

    /// The same, were the conversation folded like that.
    pub(crate) fn tokens_with(&self, folded: &Compacted) -> u64 {
        let messages = folded_messages(folded).iter().map(message_tokens).sum::<u64>();
        self.measures.tokens(&self.model, self.prefix_tokens() + messages)
    }

    /// The estimate of a request that will be counted as so many tokens.
    pub(crate) fn estimate_of(&self, tokens: u64) -> u64 {
        self.measures.estimate(&self.model, tokens)
    }

    /// What a request of this estimate will be counted as.
    pub(crate) fn counted_as(&self, estimate: u64) -> u64 {
        self.measures.tokens(&self.model, estimate)
    }

    /// Tokens of the next request, by estimate alone.
    fn estimate(&self) -> u64 {
        let all = || self.left().1 + self.messages.iter().map(|message| message_tokens(message)).sum::<u64>();
        self.prefix_tokens() + *self.estimated.get_or_init(all)
    }

    /// True when something was said since the conversation was last folded.
    pub(crate) fn has_news(&self) -> bool {
        let count = self.left().0 + self.messages.len();
        self.folded.as_ref().is_none_or(|(folded, head)| count.saturating_sub(*head) > folded.tail.len())
    }

    /// The todo list as it was last left.
    pub(crate) fn todo(&self) -> &[TodoPhase] {
        &self.todo
    }

    /// Another place of the conversation has another todo list.
    pub fn set_todo(&mut self, todo: Vec<TodoPhase>) {
        self.todo = todo;
    }

    /// Tokens of the system prompt and the tools, by estimate.
    pub(crate) fn prefix_tokens(&self) -> u64 {
        let tools =
            self.prefix.tools.iter().map(|spec| {
                estimate_tokens(&spec.description) + estimate_tokens(&spec.parameters.to_string()) + ENVELOPE
            });
        estimate_tokens(&self.prefix.system) + tools.sum::<u64>()
    }

    /// What the tool of this name can; nothing where the session has none.
    pub(crate) fn traits_of(&self, name: &str) -> ToolTraits {
        self.prefix.traits_of(name)
    }

    /// A request of so many tokens was too long for the model that was asked.
    pub(crate) fn did_not_fit(&mut self, tokens: u64) {
        self.measures.did_not_fit(&self.model, tokens);
    }

    /// How much fits: what the model is said to take, or less when less was already too much; 0 when nobody knows.
    pub(crate) fn window(&self, said: u64) -> u64 {
        match (said, self.measures.ceiling(&self.model).map(|ceiling| self.counted_as(ceiling))) {
            (said, None) => said,
            (0, Some(ceiling)) => ceiling,
            (said, Some(ceiling)) => said.min(ceiling),
        }
    }

    /// How often messages went out of it.
    pub(crate) fn cuts(&self) -> u32 {
        self.cuts
    }

    /// The last folding, when there was one.
    pub(crate) fn folded(&self) -> Option<&Compacted> {
        self.folded.as_ref().map(|(folded, _)| folded.as_ref())
    }

    /// The messages after those that stand for what was folded.
    pub(crate) fn unfolded(&self) -> &[Arc<Message>] {
        let head = self.folded.as_ref().map_or(0, |(_, head)| *head);
        self.whole().get(head..).unwrap_or_default()
    }

    /// Counts what the provider reported for one request; `kept` when its answer is part of the conversation.
    pub(crate) fn count(&mut self, usage: Usage, kept: bool) {
        self.usage.add(usage);
        if !kept {
            return;
        }
        self.context = usage.input.saturating_add(usage.output);
        self.added = 0;
        self.counted_by.clone_from(&self.model);
    }

    /// Begins the next turn and gives its number.
    pub(crate) fn next_turn(&mut self) -> u32 {
        self.mark = None;
        self.turns = self.turns.saturating_add(1);
        self.turns
    }

    /// True when the last word was the user's.
    pub(crate) fn waits_for_answer(&self) -> bool {
        self.messages.last().is_some_and(|message| matches!(**message, Message::User { .. }))
    }

    /// What the conversation lacks to be whole.
    pub(crate) fn missing(&self, place: (u32, u32), model: &str) -> Vec<RecordBody> {
        heal(self.messages.iter().map(Arc::as_ref), place, model)
    }

    /// The next request.
    pub(crate) fn request(&self, may_call: bool, must_call: Option<String>) -> Request {
        let (prefix, messages) = (Arc::clone(&self.prefix), self.whole().to_vec());
        Request { prefix, messages, may_call, must_call, form: None }
    }

    /// What the model last said in words.
    pub fn last_words(&self) -> Option<&str> {
        self.messages.iter().rev().find_map(|message| match message.as_ref() {
            Message::Assistant { text, .. } if !text.trim().is_empty() => Some(text.as_str()),
            _ => None,
        })
    }

    /// How many turns there were.
    pub fn turns(&self) -> u32 {
        self.turns
    }

    /// The tokens of all requests together.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Tokens of the last request and its answer.
    pub fn context(&self) -> u64 {
        self.context
    }
}

/// What a message, a call or a tool costs beside its texts.
const ENVELOPE: u64 = 8;

/// Tokens of a message, by estimate.
pub fn message_tokens(message: &Message) -> u64 {
    ENVELOPE
        + match message {
            Message::User { text, images } => estimate_tokens(text) + images.iter().map(image_tokens).sum::<u64>(),
            Message::Tool { content, .. } => content_tokens(content),
            Message::Assistant { text, reasoning, calls, .. } => {
                let each = |call: &ToolCall| estimate_tokens(&call.name) + estimate_tokens(&call.arguments) + ENVELOPE;
                let calls = calls.iter().map(each);
                let reasoning = reasoning.as_ref().map_or(0, |reasoning| estimate_tokens(&reasoning.text));
                estimate_tokens(text) + reasoning + calls.sum::<u64>()
            }
        }
}

/// What a person says to a running turn, waiting to be read before its next step. Each has a number by which it can be
/// changed or taken back while it waits. Beside it, news of what happened outside of the turn.
#[derive(Debug, Clone, Default)]
pub struct Inbox {
    said: Arc<Mutex<Vec<(u64, Said)>>>,
    news: Arc<Mutex<Vec<String>>>,
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, Vec<(u64, Said)>> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something happened outside of the turn. It is read at the border of the next step or with the next prompt, whichever
    /// comes first, and begins no turn by itself.
    pub fn push_news(&self, text: String) {
        self.news.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    /// The news that wait, in the order they came. They wait on until it is known that they are on the log.
    pub fn news(&self) -> Vec<String> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What was to be told is known already. What was told stays told.
    pub fn drop_news(&self, text: &str) {
        let mut news = self.news.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = news.iter().position(|waits| waits == text) {
            news.remove(place);
        }
    }

    /// The first of the news, so many, are on the log.
    pub fn news_kept(&self, count: usize) {
        let mut news = self.news.lock().unwrap_or_else(PoisonError::into_inner);
        let count = count.min(news.len());
        news.drain(..count);
    }

    /// Queues a steering message under a number.
    pub fn push(&self, id: u64, said: impl Into<Said>) {
        self.lock().push((id, said.into()));
    }

    /// Takes all that wait, joined: some chat templates refuse two user messages in a row.
    pub fn take(&self) -> Option<Said> {
        let waiting = std::mem::take(&mut *self.lock());
        let join =
            |text: fn(&Said) -> &str| waiting.iter().map(|(_, said)| text(said)).collect::<Vec<_>>().join("\n\n");
        let typed = waiting.iter().any(|(_, said)| said.typed.is_some()).then(|| join(Said::typed));
        let images = waiting.iter().flat_map(|(_, said)| said.images.clone()).collect();
        (!waiting.is_empty()).then(|| Said { text: join(|said| &said.text), typed, images, form: None })
    }

    /// Changes what waits under a number, or takes it away. False when it does not wait any more.
    pub fn edit(&self, id: u64, said: Option<Said>) -> bool {
        let mut waiting = self.lock();
        let Some(place) = waiting.iter().position(|(waits, _)| *waits == id) else { return false };
        match (said, waiting.get_mut(place)) {
            (Some(said), Some(found)) => found.1 = said,
            _ => drop(waiting.remove(place)),
        }
        true
    }

    /// What waits, in order.
    pub fn list(&self) -> Vec<(u64, Said)> {
        self.lock().clone()
    }

    /// True when nothing waits.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }
}
