//! Rules that watch what a model writes: what follows when one speaks up. An answer that goes against one is stopped and given
//! again, or the model is reminded of it with the result of its call, or after its message. Which texts they watch, and how, is
//! told in the room of extensions.

use reasonix_agent::{About, Aspect, BoxFuture, HeardPiece, Journal, Listener, Objection, Sink, Tools};
use reasonix_config::StreamRuleSettings;
use reasonix_extensions::{Shelf, StreamHit, StreamRules, StreamSource, StreamWatch};
use reasonix_proto::{
    CallId, Event, FiredRule, Level, Phrase, RecordBody, RulesFired, ToolCall, ToolOutcome, TurnEnd, fenced,
};
use reasonix_state::Book;
use reasonix_state::outbox::Outbox;
use reasonix_world::prompt::clipped;
use reasonix_world::spec::Start;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// So often rules stop an answer in one turn: two of them could otherwise hold a model for ever.
const MOST_STOPS: u32 = 3;
/// A rule may take this part of the window, and so many tokens where nobody knows the window.
const SHARE: u64 = 50;
const USUAL: u64 = 2_560;

/// Has rules watch.
pub(crate) struct Streaming(Arc<Inner>);

struct Inner {
    shelf: Shelf,
    folder: PathBuf,
    settings: StreamRuleSettings,
    /// Tokens of one rule.
    room: u64,
    book: Arc<Book>,
    outbox: Arc<Outbox>,
    /// The rules, as they hold for the tools of these names.
    rules: Mutex<Option<(Vec<String>, Arc<StreamRules>)>>,
    now: Mutex<Now>,
}

/// What is due in the running turn.
#[derive(Default)]
struct Now {
    turn: u32,
    stops: u32,
    /// What stands before the results of calls.
    calls: BTreeMap<CallId, Vec<Due>>,
    /// What stands after the message.
    prose: Vec<Due>,
}

/// A rule that the model is to be told.
struct Due {
    rule: FiredRule,
    text: String,
}

impl Streaming {
    pub(crate) fn of(start: &Start, window: u64, (book, outbox): (&Arc<Book>, &Arc<Outbox>)) -> Arc<Self> {
        let inner = Inner {
            shelf: start.shelf().clone(),
            folder: start.workspace.root().to_owned(),
            settings: start.world.settings.stream_rules,
            room: if window == 0 { USUAL } else { window / SHARE },
            book: Arc::clone(book),
            outbox: Arc::clone(outbox),
            rules: Mutex::default(),
            now: Mutex::default(),
        };
        Arc::new(Self(Arc::new(inner)))
    }
}

impl Aspect for Streaming {
    fn listener(&self, turn: u32, tools: &Tools) -> Option<Box<dyn Listener>> {
        let inner = &self.0;
        if !inner.settings.enabled {
            return None;
        }
        let rules = inner.rules_for(tools);
        let fired = inner.book.state().fired.clone();
        let again = |ago: u64| inner.settings.gap.is_some_and(|gap| ago >= gap);
        let watch = rules.watch(&|name| fired.ago(name).is_none_or(again))?;
        let may_stop = inner.begin(turn);
        let (seen, calls) = (0, 0);
        Some(Box::new(Ear {
            inner: Arc::clone(inner),
            tools: tools.clone(),
            watch,
            named: HeardTool::default(),
            may_stop,
            seen,
            calls,
        }))
    }

    fn before_step(&self, turn: u32) -> BoxFuture<'_, Option<String>> {
        Box::pin(self.0.after_message(turn))
    }

    fn before_end<'a>(&'a self, turn: u32, _end: &'a TurnEnd) -> BoxFuture<'a, Option<String>> {
        Box::pin(self.0.after_message(turn))
    }

    fn at_outcome<'a>(&'a self, about: About<'a>, outcome: ToolOutcome) -> BoxFuture<'a, ToolOutcome> {
        let due = self.0.lock().calls.remove(&about.call.id);
        // What did not run says nothing that the model could read before it: the rule may speak up again.
        let told = matches!(outcome, ToolOutcome::Done { .. } | ToolOutcome::Failed { .. });
        Box::pin(async move {
            match due.filter(|_| told) {
                Some(due) => match self.0.reminded(about.turn, due).await {
                    Some(text) => outcome.preceded_by(text),
                    None => outcome,
                },
                None => outcome,
            }
        })
    }

    fn at_end(&self, turn: u32) -> BoxFuture<'_, ()> {
        // What was not told by now has not spoken up.
        *self.0.lock() = Now { turn, ..Now::default() };
        Box::pin(async {})
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The rules as they hold for these tools: an agent may go on that has others.
    fn rules_for(&self, tools: &Tools) -> Arc<StreamRules> {
        let names: Vec<String> = tools.iter().map(|tool| tool.spec().name.clone()).collect();
        let mut known = self.rules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, rules)) = known.as_ref().filter(|(earlier, _)| *earlier == names) {
            return Arc::clone(rules);
        }
        let told = known.as_ref().map(|(_, rules)| rules.left.clone()).unwrap_or_default();
        let rules = self.compiled(tools, &told);
        *known = Some((names, Arc::clone(&rules)));
        rules
    }

    /// What is left out is said, unless that was said before.
    fn compiled(&self, tools: &Tools, told: &[String]) -> Arc<StreamRules> {
        let own = |name: &str| tools.find(name).map(|tool| tool.spec().name.clone());
        let rules = StreamRules::new(&self.shelf.rules().rules, &self.folder, &own);
        if !rules.left.is_empty() && rules.left != told {
            self.outbox.warn(Phrase::new("extensions.stream_rules_left").with("names", rules.left.join(", ")));
        }
        Arc::new(rules)
    }

    /// A new answer of this turn; true when it may be stopped.
    fn begin(&self, turn: u32) -> bool {
        let mut now = self.lock();
        if now.turn != turn {
            *now = Now { turn, ..Now::default() };
        }
        now.calls.clear();
        now.stops < MOST_STOPS
    }

    /// What the model reads of a rule.
    fn due(&self, rules: &StreamRules, hit: StreamHit, (tag, why): (&str, &str), source: String) -> Option<Due> {
        let rule = rules.rule(hit.rule)?;
        let path = rule.file.strip_prefix(&self.folder).unwrap_or(&rule.file).display().to_string();
        let attributes = [("reason", "rule_violation"), ("rule", rule.name.as_str()), ("path", path.as_str())];
        let short = clipped(&rule.text, self.room);
        let cut = if short.len() < rule.text.len() { "\n[cut: read the file for the rest]" } else { "" };
        let text = fenced(tag, &attributes, &format!("{why}\n\n{short}{cut}"));
        let name = rule.name.clone();
        Some(Due { rule: FiredRule { name, path, source }, text })
    }

    /// Tells what is due after a message.
    async fn after_message(&self, turn: u32) -> Option<String> {
        let due = std::mem::take(&mut self.lock().prose);
        self.reminded(turn, due).await
    }

    /// Writes down that the model is reminded; none when there is nothing to say, or it could not be written.
    async fn reminded(&self, turn: u32, due: Vec<Due>) -> Option<String> {
        if due.is_empty() {
            return None;
        }
        let (rules, texts): (Vec<FiredRule>, Vec<String>) = due.into_iter().map(|due| (due.rule, due.text)).unzip();
        let phrase = Phrase::new("engine.rules_reminded").with("rules", names(&rules));
        let fired = RulesFired { turn, rules, stopped: false, to: None, usage: None };
        let record = self.book.append(RecordBody::RulesFired(Box::new(fired))).await.ok()?;
        self.outbox.emit(Event::RulesFired { record: Box::new(record) });
        self.outbox.emit(Event::Notice { level: Level::Info, phrase });
        Some(texts.join("\n\n"))
    }

    /// Says that an answer was stopped, and when that was the last time.
    fn stopped(&self, rules: &[FiredRule]) {
        let stops = {
            let mut now = self.lock();
            now.stops += 1;
            now.stops
        };
        let stopped = match self.settings.discard {
            true => Phrase::new("engine.rules_stopped"),
            false => Phrase::new("engine.rules_stopped_kept"),
        };
        self.outbox.warn(stopped.with("rules", names(rules)));
        if stops == MOST_STOPS {
            self.outbox.warn(Phrase::new("engine.rules_stop_no_more").with("most", MOST_STOPS));
        }
    }
}

fn names(rules: &[FiredRule]) -> String {
    rules.iter().map(|rule| rule.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Hears one answer for the rules.
struct Ear {
    inner: Arc<Inner>,
    tools: Tools,
    watch: StreamWatch,
    named: HeardTool,
    may_stop: bool,
    /// The hits that were looked at.
    seen: usize,
    /// The calls that are whole.
    calls: usize,
}

const STOPPED: &str = "Your answer was stopped because it goes against this rule. Keep to the rule, and answer again.";
const REMINDED: &str = "What you wrote goes against this rule. Keep to it from here on, and put right what is not.";

impl Listener for Ear {
    fn hear(&mut self, piece: HeardPiece<'_>) -> bool {
        match piece {
            HeardPiece::Text(text) => self.watch.text(text),
            HeardPiece::Thinking(text) => self.watch.thinking(text),
            HeardPiece::Arguments { index, name, delta } => {
                self.watch.arguments(index, self.named.own(&self.tools, name), delta);
            }
            HeardPiece::Call(call) => {
                self.watch.whole(self.calls, self.named.own(&self.tools, &call.name), &call.arguments);
                self.calls += 1;
            }
            HeardPiece::Anew => {
                self.watch.anew();
                (self.seen, self.calls) = (0, 0);
            }
        }
        let fresh = self.watch.hits().get(self.seen..).unwrap_or_default();
        let stop = self.may_stop && fresh.iter().any(|hit| hit.interrupts);
        self.seen = self.watch.hits().len();
        stop
    }

    fn over(mut self: Box<Self>, calls: &[ToolCall]) -> Option<Objection> {
        self.watch.end();
        let hits = self.watch.hits().to_vec();
        let against: Vec<StreamHit> = hits.iter().filter(|hit| hit.interrupts && self.may_stop).copied().collect();
        if against.is_empty() {
            self.remind(&hits, calls);
            return None;
        }
        let due = against.into_iter().filter_map(|hit| self.due(hit, ("system-interrupt", STOPPED)));
        let (rules, texts): (Vec<FiredRule>, Vec<String>) = due.map(|due| (due.rule, due.text)).unzip();
        self.inner.stopped(&rules);
        Some(Objection { rules, text: texts.join("\n\n"), discard: self.inner.settings.discard })
    }
}

/// The tool of the call that is heard, as the model calls it and by its own name: looked up once, not for each piece.
#[derive(Default)]
struct HeardTool {
    called: String,
    own: String,
}

impl HeardTool {
    fn own(&mut self, tools: &Tools, called: &str) -> &str {
        if self.called != called {
            called.clone_into(&mut self.called);
            self.own = tools.find(called).map_or_else(|| called.to_owned(), |tool| tool.spec().name.clone());
        }
        &self.own
    }
}

impl Ear {
    fn due(&self, hit: StreamHit, kind: (&str, &str)) -> Option<Due> {
        let source = match hit.source {
            StreamSource::Text => "text".to_owned(),
            StreamSource::Thinking => "thinking".to_owned(),
            StreamSource::Call(index) => format!("tool:{}", self.watch.tool(index).unwrap_or_default()),
        };
        self.inner.due(self.watch.rules(), hit, kind, source)
    }

    /// What the model is told without being stopped: with the result of a call, or after the message.
    fn remind(&self, hits: &[StreamHit], calls: &[ToolCall]) {
        let mut now = self.inner.lock();
        for hit in hits {
            let Some(due) = self.due(*hit, ("system-reminder", REMINDED)) else { continue };
            let call = match hit.source {
                StreamSource::Call(index) => calls.get(index),
                _ => None,
            };
            match call {
                Some(call) => now.calls.entry(call.id.clone()).or_default().push(due),
                None => now.prose.push(due),
            }
        }
    }
}
