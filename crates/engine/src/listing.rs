//! The todo list where nobody wrote one: begun by the session itself when a prompt lists several parts, or when a second file is
//! about to change; and changed by people. Each change is on the log, and the model is told with a note.

use crate::acting::Actor;
use crate::desk::Desk;
use reasonix_agent::{About, Aspect, BoxFuture, Class, Journal, Said, Sink, Wish};
use reasonix_proto::{
    DEFAULT_PHASE, Done, Event, Family, Level, Mode, Phrase, RecordBody, Refusal, Refused, TodoItem, TodoPhase,
    TodoStatus, ToolOutcome, todo_markdown,
};
use reasonix_state::Book;
use reasonix_state::ticket::Settlement;
use reasonix_talk::parts::{SEVERAL, is_complex, parts};
use reasonix_tools::{TODO_WRITE, changed_list};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Characters of a prompt that stand for it.
const LONGEST: usize = 100;

/// What the model reads with a list that was made of its prompt.
const FROM_PARTS: &str =
    "[A todo list was begun with the parts of this prompt. Keep it in step with todo_write, one task in progress.]";
/// The same when a second file is about to change.
const FROM_FILES: &str = "[You are changing a second file and had no todo list, so one was begun. Write down the rest of the work with \
todo_write, and keep the list in step.]";
/// What the model reads when the user changed the list.
const BY_USER: &str = "[The user changed the todo list. It is now this, and this is what counts:]";

impl Actor {
    /// A task that is more than one thing begins with a plan, where the settings say so and somebody can approve one.
    pub(crate) async fn plan_first(&self, said: &Said) {
        let base = &self.desk.base;
        let wanted = base.world.settings.agent.auto_plan && base.attended;
        if !wanted || self.desk.book.state().mode == Mode::Plan || !is_complex(said.typed()) {
            return;
        }
        if self.desk.change(RecordBody::ModeChanged { mode: Mode::Plan }).await.is_ok() {
            self.desk.notice(Level::Info, Phrase::new("engine.auto_plan"));
        }
    }

    /// What is said, with the list that was begun with its parts.
    pub(crate) async fn list_first(&mut self, said: Said) -> Said {
        let parts = parts(said.typed());
        let writes = self.agent.tools.iter().any(|tool| tool.spec().name == TODO_WRITE);
        let (mode, open) = {
            let state = self.desk.book.state();
            (state.mode, is_open(&state.todo))
        };
        let said = if parts.len() < SEVERAL || !writes || open || mode == Mode::Plan {
            said
        } else {
            let todo = begun(parts);
            let text = format!("{FROM_PARTS}\n{}", todo_markdown(&todo));
            match self.desk.change(RecordBody::TodoChanged { todo, by_user: false }).await {
                Ok(_) => said.after_news(vec![text]),
                Err(_) => said,
            }
        };
        // Folding reads it there.
        let todo = self.desk.book.state().todo.to_vec();
        self.conversation.set_todo(todo);
        said
    }
}

impl Desk {
    /// The list as a person wrote it, or with what they want changed.
    pub(crate) async fn change_todo(&self, text: &str) -> Settlement {
        let now = self.book.state().todo.to_vec();
        let all = now.iter().map(|phase| phase.tasks.len()).sum::<usize>();
        if let Some(task) = named_task(text).filter(|task| !(1..=all).contains(task)) {
            let why = Phrase::new("engine.todo_no_task").with("task", task).with("count", all);
            return Err(Refused::new(Refusal::Invalid, why));
        }
        let todo = changed_list(&now, text)
            .map_err(|line| Refused::new(Refusal::Invalid, Phrase::new("engine.todo_unclear").with("line", line)))?;
        if todo == now {
            return Ok(Done::Unchanged);
        }
        let list = Some(todo_markdown(&todo)).filter(|list| !list.is_empty());
        let done = self.change(RecordBody::TodoChanged { todo, by_user: true }).await?;
        self.queue.inbox().push_news(format!("{BY_USER}\n{}", list.as_deref().unwrap_or("(empty)")));
        Ok(done)
    }
}

/// The task that is meant by its number, where one is.
fn named_task(text: &str) -> Option<usize> {
    let (word, number) = text.trim().split_once(char::is_whitespace)?;
    ["start", "done", "drop", "open", "rm"].contains(&word).then(|| number.trim().parse().ok()).flatten()
}

/// Begins a list when a second file is about to change without one. Once in a session.
pub(crate) struct BeginsList {
    book: Arc<Book>,
    sink: Arc<dyn Sink>,
    /// The model can write the list.
    writes: bool,
    now: Mutex<Now>,
}

#[derive(Default)]
struct Now {
    prompt: String,
    files: BTreeSet<String>,
    due: bool,
    done: bool,
}

impl BeginsList {
    pub(crate) fn new(book: &Arc<Book>, sink: Arc<dyn Sink>, writes: bool) -> Arc<Self> {
        Arc::new(Self { book: Arc::clone(book), sink, writes, now: Mutex::default() })
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn due(&self) -> Option<Vec<TodoPhase>> {
        let mut now = self.now();
        if !std::mem::take(&mut now.due) || now.done || is_open(&self.book.state().todo) {
            return None;
        }
        now.done = true;
        Some(begun(vec![now.prompt.clone()]))
    }
}

impl Aspect for BeginsList {
    fn before_prompt(&self, _turn: u32, said: Said) -> BoxFuture<'_, Said> {
        let mut now = self.now();
        let line = said.typed().lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        (now.prompt, now.due) = (line.chars().take(LONGEST).collect(), false);
        now.files.clear();
        Box::pin(async { said })
    }

    fn before_call<'a>(&'a self, about: About<'a>) -> BoxFuture<'a, Wish> {
        if self.writes && about.action.family == Family::Edit && about.class != Class::Reader {
            let mut now = self.now();
            now.files.extend(about.action.subjects.iter().cloned());
            now.due |= now.files.len() > 1;
        }
        Box::pin(async { Wish::Go })
    }

    /// What writers did is here when their call is over.
    fn at_outcome<'a>(&'a self, about: About<'a>, outcome: ToolOutcome) -> BoxFuture<'a, ToolOutcome> {
        if let ToolOutcome::Done { details, .. } = &outcome
            && self.writes
            && about.action.family == Family::Task
        {
            let mut now = self.now();
            now.files.extend(details.changes.iter().map(|change| change.path.clone()));
            now.due |= now.files.len() > 1;
        }
        Box::pin(async { outcome })
    }

    fn before_step(&self, _turn: u32) -> BoxFuture<'_, Option<String>> {
        Box::pin(async move {
            let todo = self.due()?;
            let text = format!("{FROM_FILES}\n{}", todo_markdown(&todo));
            // A log that cannot be written ends the turn at its next record.
            let record = self.book.append(RecordBody::TodoChanged { todo, by_user: false }).await.ok()?;
            self.sink.emit(Event::Changed { record: Box::new(record) });
            Some(text)
        })
    }

    fn todo(&self) -> Option<Vec<TodoPhase>> {
        Some(self.book.state().todo.to_vec())
    }
}

/// Whether something of the list is still to be done.
fn is_open(phases: &[TodoPhase]) -> bool {
    phases.iter().flat_map(|phase| &phase.tasks).any(|task| !task.status.is_over())
}

/// A list with these tasks; the first is worked on.
fn begun(tasks: Vec<String>) -> Vec<TodoPhase> {
    let status = |at: usize| if at == 0 { TodoStatus::InProgress } else { TodoStatus::Pending };
    let task = |(at, content)| TodoItem { content, status: status(at), notes: Vec::new() };
    vec![TodoPhase { name: DEFAULT_PHASE.to_owned(), tasks: tasks.into_iter().enumerate().map(task).collect() }]
}
