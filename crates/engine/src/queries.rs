//! Answers to queries. What may take long runs on a thread of its own; a front end that no longer waits has given it up.

use crate::context::{cache_of, parts, prefix_tokens};
use crate::desk::Desk;
use crate::lookback::LookingBack;
use crate::mentioned::{means_agents, offered};
use crate::moves::known_turn;
use crate::offline::{TurnChanges, changes_in};
use reasonix_agent::BoxFuture;
use reasonix_assembly::roster::{names, roster_of};
use reasonix_exec::git::branch_and_dirt;
use reasonix_proto::{
    ArgumentKind, CommandAction, CommandCase, CompletionKind, Message, ModelInfo, Op, Phrase, Query, RecordBody,
    RecordId, Reply, SessionInfo, Status, TreeFilter,
};
use reasonix_session::{GroupBy, Ledger, Sessions, Summary, TimeSpan, TreeView, tallies, tally};
use reasonix_talk::commands::{Able, brought, commands};
use reasonix_undo::last_standing;
use reasonix_workspace::{Candidates, citations, references, words};
use reasonix_world::shelf::{flaws, shadowed};
use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Records of one page, and sessions of one page, at most.
const LARGEST_PAGE: usize = 2000;

/// Answers queries about a session.
pub(crate) struct Queries(pub(crate) Arc<Desk>);

impl Queries {
    pub(crate) fn answer(self, query: Query) -> BoxFuture<'static, Reply> {
        let desk = &self.0;
        match query {
            Query::Status => Box::pin(ready(Reply::Status(Box::new(self.status())))),
            Query::Todo => Box::pin(ready(Reply::Todo { phases: desk.outbox.todo() })),
            Query::Goal => Box::pin(ready(Reply::Goal { goal: desk.outbox.status().goal })),
            Query::Budget => Box::pin(ready(Reply::Budget(desk.purse.info()))),
            Query::Permissions => {
                let (posture, rules) = desk.gate.standing_rules(desk.dials.as_read());
                Box::pin(ready(Reply::Permissions { posture, rules }))
            }
            Query::Trust => Box::pin(ready(Reply::Trust(Box::new(desk.brought.trust.info())))),
            Query::Config => Box::pin(ready(Reply::Config { settings: desk.dials.list() })),
            Query::Servers => Box::pin(ready(Reply::Servers { servers: desk.brought.fleet.info() })),
            Query::Children => Box::pin(ready(Reply::Children { children: desk.behind.family.list() })),
            Query::Jobs => Box::pin(ready(Reply::Jobs { jobs: desk.behind.jobs.list() })),
            Query::Models => Box::pin(ready(Reply::Models { models: self.models() })),
            Query::Git => {
                let (root, confinement) = (desk.base.workspace.root().to_owned(), desk.held.confinement.clone());
                Box::pin(async move { Reply::Git { git: branch_and_dirt(&root, &confinement).await } })
            }
            slow => Box::pin(async move {
                let answer = tokio::task::spawn_blocking(move || self.look_up(slow));
                answer.await.unwrap_or_else(|_| Reply::Failed { why: Phrase::new("engine.not_possible") })
            }),
        }
    }

    fn status(&self) -> Status {
        let mut status = self.0.outbox.status();
        self.0.past.marks().title().clone_into(&mut status.title);
        // Until the provider counts, what is sent first is what there is: an empty context would be a wrong figure.
        if status.context == 0 {
            status.context = match self.0.outbox.folded_to() {
                0 => {
                    let prefix = self.0.prefix.borrow();
                    prefix_tokens(&prefix.system, &prefix.tools)
                }
                folded => folded,
            };
        }
        status
    }

    fn commands(&self) -> Vec<reasonix_proto::CommandInfo> {
        let mut commands = commands(Able { undo: self.0.held.undo, kept: self.0.outbox.is_kept() });
        let chooses = |case: &CommandCase| matches!(&case.action, CommandAction::Operation(ops) if ops.iter().any(|op| matches!(op, Op::WorkAs { .. })));
        let agent = commands.iter_mut().find(|command| command.cases.iter().any(chooses));
        if let Some(argument) = agent.and_then(|command| command.arguments.first_mut()) {
            argument.kind = ArgumentKind::OneOf { words: names(&roster_of(&self.0.base, &self.0.brought.trust)) };
        }
        commands
    }

    /// Our own, and those that files bring; what is wrong with files is said the first time.
    fn all_commands(&self) -> Vec<reasonix_proto::CommandInfo> {
        let shelf = self.0.base.shelf();
        let (found, skills) = (shelf.commands_now(), shelf.skills_now());
        if !self.0.told_flaws.swap(true, Ordering::Relaxed) {
            let told = flaws(&found.flaws).into_iter().chain(shadowed(&found.shadowed));
            told.for_each(|phrase| self.0.outbox.warn(phrase));
        }
        let mut all = self.commands();
        all.extend(brought(&found.commands, &skills.skills));
        all.extend(self.0.brought.fleet.commands());
        all
    }

    fn models(&self) -> Vec<ModelInfo> {
        let settings = &self.0.base.world.settings;
        let current = self.0.outbox.status().model;
        let default = settings.default_model().ok().map(|found| found.name());
        let info = |found: reasonix_config::ModelRef<'_>| {
            let name = found.name();
            let role = |key: &str, value: Option<&String>| (value == Some(&name)).then(|| key.to_owned());
            ModelInfo {
                window: settings.window(&found),
                current: name == current,
                default: default.as_ref() == Some(&name),
                roles: role("planner", settings.agent.planner_model.as_ref()).into_iter().collect(),
                efforts: settings.efforts(&found).into_iter().map(|effort| effort.name().to_owned()).collect(),
                price: settings.price(&found).map(|price| shown_price(&price)).unwrap_or_default(),
                name,
            }
        };
        settings.models().map(info).collect()
    }

    /// The slow ones.
    fn look_up(&self, query: Query) -> Reply {
        match query {
            Query::Complete { kind, text, generation, limit } => {
                let (items, more) = self.complete(&kind, &text, limit.clamp(1, LARGEST_PAGE));
                Reply::Completions { generation, items, more }
            }
            Query::Sessions { all, text, from, count } => self.sessions(all, &text, from, count),
            Query::Tree { filter, text } => self.tree(filter, &text),
            Query::Transcript { from, count } => match self.0.past.page(from, count.min(LARGEST_PAGE as u64)) {
                Ok(page) => Reply::Transcript { from: page.from, total: page.total, records: page.records },
                Err(error) => Reply::Failed { why: Phrase::new("engine.log_unreadable").with("reason", error) },
            },
            Query::Commands => Reply::Commands { commands: self.all_commands() },
            Query::Citations { record } => Reply::Citations { citations: self.citations(record) },
            Query::Context => self.context(),
            Query::Changes { turn } => self.changes(turn),
            Query::Stats => self.stats(),
            Query::History { text, all, count } => LookingBack(&self.0).history(&text, all, count),
            Query::Around { session, record, span } => LookingBack(&self.0).around(&session, record, span),
            Query::Memories => LookingBack(&self.0).memories(),
            Query::Hooks => Reply::Hooks { hooks: self.0.brought.hooks.info(), flaws: self.0.brought.hooks.flaws() },
            Query::Cache => match cache_of(&self.0.past, &self.0.base.world.settings) {
                Ok(report) => Reply::Cache(Box::new(report)),
                Err(error) => Reply::Failed { why: Phrase::new("engine.log_unreadable").with("reason", error) },
            },
            // Answered at once, above.
            Query::Status
            | Query::Todo
            | Query::Goal
            | Query::Budget
            | Query::Permissions
            | Query::Trust
            | Query::Config
            | Query::Servers
            | Query::Children
            | Query::Jobs
            | Query::Models
            | Query::Git => Reply::Failed { why: Phrase::new("engine.not_possible") },
        }
    }

    fn complete(&self, kind: &CompletionKind, text: &str, limit: usize) -> Candidates {
        let nothing = (Vec::new(), false);
        match kind {
            CompletionKind::Reference => {
                let agents =
                    means_agents(text).then(|| offered(&roster_of(&self.0.base, &self.0.brought.trust), text, limit));
                let mut items = agents.unwrap_or_default();
                let (files, more) = references(&self.0.base.workspace, text, limit.saturating_sub(items.len()));
                items.extend(files);
                items.extend(self.0.brought.fleet.resources(text, limit.saturating_sub(items.len())));
                (items, more)
            }
            CompletionKind::Argument { command, index: 0 } => {
                let found = self.commands().into_iter().find(|known| known.is(command));
                match found.and_then(|found| found.arguments.into_iter().next()).map(|argument| argument.kind) {
                    Some(ArgumentKind::Model) => {
                        words(self.models().into_iter().map(|model| (model.name, String::new())), text, limit)
                    }
                    Some(ArgumentKind::Session) => {
                        let list = Sessions::at(&self.0.base.world.home.join("state")).list().unwrap_or_default();
                        let here = self.0.base.workspace.root().display().to_string();
                        let local = list.into_iter().filter(|session| session.cwd == here);
                        words(local.map(|session| (session.id.short().to_owned(), session.title)), text, limit)
                    }
                    Some(ArgumentKind::OneOf { words: known }) => {
                        words(known.into_iter().map(|word| (word, String::new())), text, limit)
                    }
                    Some(ArgumentKind::Path) => references(&self.0.base.workspace, text, limit),
                    Some(ArgumentKind::Text | ArgumentKind::Turn) | None => nothing,
                }
            }
            CompletionKind::Argument { .. } => nothing,
        }
    }

    fn sessions(&self, all: bool, text: &str, from: usize, count: usize) -> Reply {
        let here = self.0.base.workspace.root().display().to_string();
        find_sessions(&Sessions::at(&self.0.base.world.home.join("state")), (!all).then_some(&here), text, from, count)
    }

    /// What all sessions spent.
    fn stats(&self) -> Reply {
        let ledger = Ledger::at(&self.0.base.world.home.join("state"));
        match ledger.read() {
            Ok(books) => {
                let now = reasonix_session::now();
                let spans = TimeSpan::ALL.into_iter().map(|span| tally(&books.entries, span, now)).collect();
                Reply::Stats { spans, models: tallies(&books.entries, GroupBy::Model) }
            }
            Err(error) => {
                let phrase = Phrase::new("session.io").with("path", ledger.path().display()).with("reason", error);
                Reply::Failed { why: phrase }
            }
        }
    }

    /// What a turn did to files; without its number the last one whose changes stand.
    fn changes(&self, turn: Option<u32>) -> Reply {
        if let Some(Err(refused)) = turn.map(|turn| known_turn(&self.0.past, turn)) {
            return Reply::Failed { why: refused.why };
        }
        let (root, home) = (self.0.base.workspace.root(), &self.0.base.world.home);
        let found =
            changes_in(&self.0.past, root, home, |spans| turn.or_else(|| last_standing(spans)).into_iter().collect());
        match found.map(|mut found| found.pop()) {
            Ok(Some(TurnChanges { turn, changes, notes })) => Reply::Changes { turn, changes, notes },
            Ok(None) => Reply::Unchanged,
            Err(why) => Reply::Failed { why },
        }
    }

    fn tree(&self, filter: TreeFilter, text: &str) -> Reply {
        let leaf = self.0.past.leaf().unwrap_or(RecordId(1));
        let TreeView { nodes, older } = self.0.past.tree(filter, text);
        Reply::Tree { leaf, nodes, older }
    }

    fn citations(&self, record: RecordId) -> Vec<reasonix_proto::Citation> {
        match self.0.past.record(record).map(|record| record.body) {
            Some(RecordBody::Assistant { message: Message::Assistant { text, .. }, .. }) => {
                citations(&self.0.base.workspace, &text)
            }
            _ => Vec::new(),
        }
    }

    fn context(&self) -> Reply {
        let prefix = self.0.prefix.borrow().clone();
        let read = self.0.past.history().and_then(|history| parts(&history, &prefix.tools));
        let parts = match read {
            Ok(parts) => parts,
            Err(error) => {
                return Reply::Failed { why: Phrase::new("engine.log_unreadable").with("reason", error) };
            }
        };
        let status = self.0.outbox.status();
        Reply::Context { parts, context: status.context, window: status.window }
    }
}

/// A price for a million tokens, in one line: fresh input, cached input, output.
fn shown_price(price: &reasonix_proto::Price) -> String {
    format!("{}/{}/{} {}", price.input, price.cached, price.output, price.currency)
}

/// A page of the saved sessions, of one folder or of all. A file that cannot be read belongs to every folder.
pub(crate) fn find_sessions(
    sessions: &Sessions,
    folder: Option<&String>,
    text: &str,
    from: usize,
    count: usize,
) -> Reply {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let fits = |session: &Summary| {
        let all = format!("{} {} {}", session.title, session.cwd, session.id).to_lowercase();
        folder.is_none_or(|folder| session.cwd == *folder || session.cwd.is_empty())
            && words.iter().all(|word| all.contains(word))
    };
    match sessions.list() {
        Ok(list) => {
            let found: Vec<_> = list.into_iter().filter(fits).collect();
            let total = found.len();
            let page = found.into_iter().skip(from).take(count.min(LARGEST_PAGE)).map(session_info);
            Reply::Sessions { sessions: page.collect(), total }
        }
        Err(error) => Reply::Failed { why: error.phrase() },
    }
}

fn session_info(summary: Summary) -> SessionInfo {
    SessionInfo {
        ending: summary.ending.kind(),
        id: summary.id,
        title: summary.title,
        folder: summary.cwd,
        started: summary.started,
        active: summary.active,
        model: summary.model,
        turns: summary.turns,
        from: summary.from,
    }
}
