//! `reasonix batch`: many tasks from a file, each in its own clone and session, some at a time.

use crate::args::{BatchArgs, SessionArgs};
use crate::context::{Context, flags_of};
use crate::exit::Exit;
use crate::interrupts::{Interrupts, Manner, leave_nothing};
use crate::say;
use reasonix_engine::Handle;
use reasonix_exec::git::{clone_shared, head_commit, patch_since};
use reasonix_flow::batch::{BatchEnd, BatchNews, BatchResult, BatchTask, Doing, ResultLines, TaskLines, Worker, drive};
use reasonix_proto::{
    Done, Event, Level, Message, Op, Phrase, RecordBody, Settled, TurnEnd, parse_count, parse_money, parse_seconds,
};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;
use tokio::sync::{Mutex, Notify};

/// Does what the file says, and goes on where an earlier process left off.
pub(crate) async fn batch(args: BatchArgs) -> anyhow::Result<Exit> {
    let mut interrupts = Interrupts::listen(Manner::Run)?;
    let fault = |fault: reasonix_flow::batch::BatchFault| say::usage(fault.phrase());
    let file = std::path::absolute(&args.file)?;
    let beside = |end: &str| file.with_extension(end);
    let out = args.out.as_deref().map_or_else(|| Ok(beside("results.jsonl")), std::path::absolute)?;
    let work = args.work.as_deref().map_or_else(|| Ok(beside("work")), std::path::absolute)?;
    let mut tasks = TaskLines::read(&file).map_err(fault)?;
    let mut results = ResultLines::open(&out).map_err(fault)?;
    std::fs::create_dir_all(&work)?;
    let begin = Phrase::new("flow.batch_begins").with("count", tasks.count()).with("done", results.count());
    say::notice(Level::Info, &begin.with("out", out.display()));
    let here = std::env::current_dir()?;
    let sessions = Sessions { args: &args.session, keep: args.keep, here, work, ..Sessions::new(&args) };
    let mut told = |news: BatchNews<'_>| tell(&news);
    interrupts.begin();
    let driving = drive(&mut tasks, &mut results, &sessions, args.jobs, &mut told);
    tokio::pin!(driving);
    let end = loop {
        tokio::select! {
            end = &mut driving => break end.map_err(fault)?,
            count = interrupts.next() => {
                if count > 1 {
                    leave_nothing();
                    std::process::exit(Exit::Interrupted as i32);
                }
                sessions.stop(true);
            }
        }
    };
    Ok(finish(end, &sessions))
}

fn finish(end: BatchEnd, sessions: &Sessions<'_>) -> Exit {
    let phrase = Phrase::new("flow.batch_ended").with("done", end.done).with("before", end.before);
    say::notice(Level::Info, &phrase.with("left", end.left));
    match (end.left, sessions.interrupted.get()) {
        (0, _) => Exit::Done,
        (_, true) => Exit::Interrupted,
        (_, false) => Exit::Limit,
    }
}

fn tell(news: &BatchNews<'_>) {
    let phrase = match news {
        BatchNews::Begins(task) => Phrase::new("flow.batch_task").with("id", &task.id),
        BatchNews::Ended(result) => Phrase::new("flow.batch_result")
            .with("id", &result.id)
            .with("end", &result.end)
            .with("tokens", result.usage.tokens())
            .with("seconds", result.seconds),
    };
    say::notice(Level::Info, &phrase);
}

/// Sessions that work on tasks, and what all of them may spend.
struct Sessions<'a> {
    args: &'a SessionArgs,
    keep: bool,
    here: PathBuf,
    work: PathBuf,
    began: Instant,
    tokens: Cell<u64>,
    money: Cell<u64>,
    interrupted: Cell<bool>,
    over: Cell<bool>,
    /// Whoever works is told here that it has to stop.
    halt: Rc<Notify>,
    /// Folders that tasks share; one of them works there at a time.
    shared: RefCell<HashMap<PathBuf, Rc<Mutex<()>>>>,
}

impl<'a> Sessions<'a> {
    fn new(args: &'a BatchArgs) -> Self {
        Self {
            args: &args.session,
            keep: args.keep,
            here: PathBuf::new(),
            work: PathBuf::new(),
            began: Instant::now(),
            tokens: Cell::new(0),
            money: Cell::new(0),
            interrupted: Cell::new(false),
            over: Cell::new(false),
            halt: Rc::default(),
            shared: RefCell::default(),
        }
    }

    fn stop(&self, interrupted: bool) {
        self.interrupted.set(self.interrupted.get() || interrupted);
        self.over.set(true);
        self.halt.notify_waiters();
    }

    /// Counts what was spent, and stops everything when that is all there was.
    fn spend(&self, tokens: u64, money: u64) {
        self.tokens.set(self.tokens.get().saturating_add(tokens));
        self.money.set(self.money.get().saturating_add(money));
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let cost = self.args.max_cost.map(|cost| (cost * 1e6) as u64);
        let reached = |spent: u64, allowed: Option<u64>| allowed.is_some_and(|most| most > 0 && spent >= most);
        let time = self.began.elapsed().as_secs();
        if reached(self.tokens.get(), self.args.max_tokens)
            || reached(self.money.get(), cost)
            || reached(time, self.args.max_time)
        {
            if !self.over.get() {
                say::notice(Level::Warning, &Phrase::new("flow.batch_budget"));
            }
            self.stop(false);
        }
    }

    /// Where a task is worked on, and what its folder was at before where it is a clone.
    async fn place(&self, task: &BatchTask) -> Result<(PathBuf, Option<String>), String> {
        if let Some(cwd) = &task.cwd {
            return Ok((self.here.join(cwd), None));
        }
        let repository = self.here.join(task.repo.as_deref().unwrap_or("."));
        let folder = self.work.join(&task.id);
        // What a death left of it is not gone on with: the task begins anew.
        match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.to_string()),
            _ => {}
        }
        if task.repo.is_none() && !repository.join(".git").exists() {
            std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
            return Ok((folder, None));
        }
        clone_shared(&repository, &folder).await.map_err(|fault| fault.to_string())?;
        let base = head_commit(&folder).await.ok_or("the clone has no commit")?;
        Ok((folder, Some(base)))
    }

    async fn run(&self, task: BatchTask) -> Option<BatchResult> {
        let began = Instant::now();
        let lock = task.cwd.as_ref().map(|cwd| {
            let folder = self.here.join(cwd);
            let folder = folder.canonicalize().unwrap_or(folder);
            Rc::clone(self.shared.borrow_mut().entry(folder).or_default())
        });
        let _alone = match &lock {
            Some(lock) => Some(lock.lock().await),
            None => None,
        };
        if self.over.get() {
            return None;
        }
        let id = task.id.clone();
        let failed = |reason: String| BatchResult {
            id: id.clone(),
            end: "not_begun".to_owned(),
            code: Exit::Failed as u8,
            error: Some(reason),
            ..BatchResult::default()
        };
        let (folder, base) = match self.place(&task).await {
            Ok(place) => place,
            Err(reason) => return Some(failed(reason)),
        };
        let mut result = match self.open(&task, &folder) {
            Ok(handle) => self.follow(handle, &task).await?,
            Err(error) => failed(format!("{error:#}")),
        };
        if let Some(base) = base {
            let patch = self.work.join(format!("{}.patch", task.id));
            let repository = self.here.join(task.repo.as_deref().unwrap_or("."));
            match patch_since((&folder, &repository), &base, &patch).await {
                Ok((some, apart)) => {
                    let _ = if some { Ok(()) } else { std::fs::remove_file(&patch) };
                    result.patch = some.then(|| patch.display().to_string());
                    if !apart.is_empty() && result.error.is_none() {
                        let named = apart.join(", ");
                        result.error = Some(format!("repositories of their own are not in the patch: {named}"));
                    }
                }
                Err(fault) => result.error = Some(fault.to_string()),
            }
            if !self.keep {
                let _ = std::fs::remove_dir_all(&folder);
            }
        }
        result.seconds = began.elapsed().as_secs();
        Some(result)
    }

    fn open(&self, task: &BatchTask, folder: &Path) -> anyhow::Result<Handle> {
        let mut args = self.args.clone();
        (args.continues, args.resume, args.fork) = (false, None, None);
        args.model = task.model.clone().or(args.model);
        let budget = &task.budget;
        let own = |text: &Option<String>, read: fn(&str) -> Option<u64>| text.as_deref().and_then(read);
        let left =
            |all: Option<u64>, spent: u64| all.filter(|all| *all > 0).map(|all| all.saturating_sub(spent).max(1));
        let least = |own: Option<u64>, left: Option<u64>| own.filter(|own| *own > 0).into_iter().chain(left).min();
        args.max_tokens = least(own(&budget.tokens, parse_count), left(args.max_tokens, self.tokens.get()));
        args.max_time = least(own(&budget.time, parse_seconds), left(args.max_time, self.began.elapsed().as_secs()));
        #[allow(clippy::cast_precision_loss)]
        let cost = own(&budget.cost, parse_money).map(|millionths| millionths as f64 / 1e6);
        args.max_cost = [cost, args.max_cost].into_iter().flatten().filter(|cost| *cost > 0.0).reduce(f64::min);
        let context = Context::load_silently(Some(folder), flags_of(&args))?;
        let host = context.host_with(&args, (false, None), Vec::new())?;
        host.open_first().map_err(|error| say::engine(&error))
    }

    /// Follows a session to the end of its task; none when it was stopped from here.
    async fn follow(&self, mut handle: Handle, task: &BatchTask) -> Option<BatchResult> {
        let text = task.prompt.clone();
        let op = if task.goal {
            Op::SetGoal { objective: text, strategy: None }
        } else {
            Op::Prompt { text, resolved: false }
        };
        let session = Some(handle.session.to_string());
        let (id, code, end) = (task.id.clone(), Exit::Failed as u8, "broken".to_owned());
        let mut result = BatchResult { id, session, end, code, ..BatchResult::default() };
        let wanted = handle.submit(op).id;
        let mut stopped = false;
        loop {
            if self.over.get() && !stopped {
                stopped = true;
                handle.submit(Op::Interrupt);
            }
            let event = tokio::select! {
                biased;
                () = self.halt.notified(), if !stopped => continue,
                event = handle.events.next() => event,
            };
            let Some(envelope) = event.filter(|envelope| envelope.event != Event::SessionEnded) else { break };
            if envelope.parent.is_some() {
                continue;
            }
            match envelope.event {
                Event::Usage { usage, .. } => self.spend(usage.tokens(), 0),
                Event::Settled { op, settled } if op == wanted => {
                    (result.end, result.code) = ended(&settled);
                    handle.submit(Op::Shutdown);
                }
                event => self.take(event, &mut result),
            }
        }
        let unfinished = stopped && result.code != Exit::Done as u8;
        (!unfinished).then_some(result)
    }

    fn take(&self, event: Event, result: &mut BatchResult) {
        match event {
            Event::Message { record } => {
                if let RecordBody::Assistant { message: Message::Assistant { text, calls, .. }, .. } = record.body
                    && calls.is_empty()
                {
                    result.answer = text;
                }
            }
            Event::TurnEnded { record } => {
                if let RecordBody::TurnEnded { usage, cost, .. } = record.body {
                    result.usage.add(usage);
                    self.spend(0, cost.as_ref().map_or(0, |cost| cost.spent));
                    match (&mut result.cost, cost) {
                        (Some(all), Some(cost)) => all.add(&cost),
                        (all, cost) => *all = all.take().or(cost),
                    }
                }
            }
            _ => {}
        }
    }
}

/// How a task ended, in a word, and the exit code that `run` would have had.
fn ended(settled: &Settled) -> (String, u8) {
    let word = |value: Option<serde_json::Value>, name: &str| {
        value.as_ref().and_then(|value| value.get(name)?.as_str().map(str::to_owned)).unwrap_or_default()
    };
    let how = |end: &TurnEnd| word(serde_json::to_value(end).ok(), "how");
    let end = match settled {
        Settled::Done(Done::Turn { end }) => how(end),
        Settled::Done(Done::Goal { goal }) => {
            let goal = goal.as_deref();
            let stop = goal.and_then(|goal| goal.stop.as_ref()).and_then(|stop| serde_json::to_value(stop).ok());
            match word(stop, "stop").as_str() {
                "" => "goal done".to_owned(),
                stop => format!("goal {stop}"),
            }
        }
        Settled::Done(_) => "done".to_owned(),
        Settled::Refused(_) => "refused".to_owned(),
    };
    (end, Exit::of_settled(Some(settled)) as u8)
}

impl Worker for Sessions<'_> {
    fn work(&self, task: BatchTask) -> Doing<'_> {
        Box::pin(self.run(task))
    }

    fn is_over(&self) -> bool {
        self.over.get()
    }
}
