//! `job`: looks after the jobs of the session. Waiting is a window: it ends nobody.

use super::job::Job;
use super::{Around, Jobs};
use reasonix_agent::{Args, Call, Stop, ToolTraits};
use reasonix_proto::{Action, Details, Family, Phrase, ToolOutcome, fenced};
use reasonix_tools::{ToolWork, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Lines of output that are shown of a job, unless the call says otherwise.
const USUAL_LINES: usize = 20;
/// Bytes of output that are shown of one job.
const MOST: usize = 16 * 1024;
/// How long those that were ended may take.
const ENDS: Duration = Duration::from_secs(3);
/// What plan mode answers.
const PLANNING: &str = "while planning no process is ended: say in the plan what should become of it";

#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Ids to wait for; returns when the first of them ends.
    #[serde(default)]
    poll: Vec<String>,
    /// Ids to end, before anything else.
    #[serde(default)]
    cancel: Vec<String>,
    #[serde(default)]
    list: bool,
    /// Output from this byte on.
    #[serde(default)]
    #[schemars(with = "u64")]
    since: Option<u64>,
    /// Output: so many last lines.
    #[serde(default, alias = "tailLines", alias = "tail_lines")]
    #[schemars(with = "usize")]
    tail: Option<usize>,
    /// Does not wait.
    #[serde(default)]
    #[schemars(skip)]
    now: bool,
}

/// Looks after these.
pub(crate) struct JobTool(pub(super) Arc<Jobs>);

impl TypedTool for JobTool {
    type Input = Input;
    const NAME: &'static str = "job";
    const PROMPT: &'static str = include_str!("job.md");
    const ALIASES: &'static [&'static str] =
        &["jobs", "job_output", "list_jobs", "stop_job", "bash_output", "kill_shell", "cron_list", "cron_delete"];
    const TRAITS: ToolTraits = ToolTraits::NONE.rarely();
    const WORK: ToolWork<Self> = ToolWork::Waits(|tool, input, call| Box::pin(tool.look(input, call)));

    /// Other harnesses have a tool for each.
    fn called(name: &str, mut args: Args) -> Args {
        let id = ["jobId", "job_id", "bash_id", "shell_id", "id"].iter().find_map(|name| args.remove(*name));
        let ids = id.map(|id| {
            Value::Array(vec![Value::String(match id {
                Value::String(text) => text,
                other => other.to_string(),
            })])
        });
        match (name.to_ascii_lowercase().as_str(), ids) {
            ("stop_job" | "kill_shell" | "cron_delete", Some(ids)) => drop(args.insert("cancel".to_owned(), ids)),
            ("list_jobs" | "cron_list", _) => drop(args.insert("list".to_owned(), json!(true))),
            (_, Some(ids)) => {
                args.insert("poll".to_owned(), ids);
                args.insert("now".to_owned(), json!(true));
            }
            (_, None) => {}
        }
        args
    }

    /// It counts as a reader: all it touches are jobs that the gate let begin, so nobody is asked.
    fn action(&self, input: Option<Input>, _args: &Args) -> Action {
        let Input { poll, cancel, .. } = input.unwrap_or_default();
        let ended = cancel.iter().map(|id| format!("cancel {id}"));
        Action::reads(Family::Own, ended.chain(poll).collect::<Vec<_>>().join(", "))
    }
}

/// What became of a wish to end a job.
fn cancelled(job: &mut Job) -> String {
    let became = if job.runs() { "cancelled" } else { "already_completed" };
    if job.runs() {
        job.seen = true;
        job.stop.cancel();
    }
    format!("{}: {became}", job.info.job)
}

impl JobTool {
    async fn look(&self, input: Input, call: Call<'_>) -> ToolOutcome {
        let Self(jobs) = self;
        if input.list && (!input.poll.is_empty() || !input.cancel.is_empty()) {
            return ToolOutcome::failed_with("`list` stands alone", "leave out poll and cancel");
        }
        if !input.cancel.is_empty() && jobs.around.get().is_some_and(Around::plans) {
            return ToolOutcome::Denied { by: format!("by plan mode: {PLANNING}") };
        }
        if input.list {
            let all: Vec<String> = jobs.list().into_iter().map(|info| info.job).collect();
            return self.told(&[], &all, &input);
        }
        let cancel = |id: &String| jobs.table.one(id, cancelled).unwrap_or_else(|| format!("{id}: not_found"));
        let ended: Vec<String> = input.cancel.iter().map(cancel).collect();
        if !input.cancel.is_empty() && input.poll.is_empty() {
            jobs.table.wait(&input.cancel, true, enough(ENDS, &call.stop)).await;
            return self.told(&ended, &[], &input);
        }
        let meant = jobs.table.meant(&input.poll);
        if meant.is_empty() && ended.is_empty() {
            return ToolOutcome::done(match input.poll.is_empty() {
                true => "No running background jobs to wait for.".to_owned(),
                false => format!("No matching jobs found for IDs: {}", input.poll.join(", ")),
            });
        }
        if !input.now {
            let window = Duration::from_secs(jobs.settings.wait);
            jobs.table.wait(&meant, false, enough(window, &call.stop)).await;
        }
        self.told(&ended, &meant, &input)
    }

    /// What the model reads: those that were ended, those that have ended, and those that run.
    fn told(&self, ended: &[String], ids: &[String], input: &Input) -> ToolOutcome {
        let (mut over, mut running, mut known) = (Vec::new(), Vec::new(), Vec::new());
        self.0.table.each(ids, |job| {
            if job.runs() {
                running.push(shown(job, input));
            } else {
                over.push(shown(job, input));
                job.seen = true;
                known.extend(job.news.take());
            }
        });
        if let Some(around) = self.0.around.get() {
            around.seen(&known);
        }
        let mut sections = Vec::new();
        for (title, entries) in [("Cancelled", ended), ("Completed", &over), ("Still running", &running)] {
            if !entries.is_empty() {
                sections.push(format!("## {title} ({})\n{}", entries.len(), entries.join("\n")));
            }
        }
        if sections.is_empty() {
            return ToolOutcome::done("There are no jobs.");
        }
        ToolOutcome::done(sections.join("\n\n"))
    }
}

/// Over when the time is, or when nobody wants to wait any more.
async fn enough(most: Duration, stop: &Stop) {
    tokio::select! {
        () = tokio::time::sleep(most) => {}
        () = stop.cancelled() => {}
    }
}

/// What the call reads that began a job.
pub(super) fn begun(jobs: &Jobs, id: &str) -> ToolOutcome {
    first_words(
        jobs,
        id,
        match jobs.attended {
            true => "It runs on; `job` looks after it.",
            false => {
                "It runs on and ends with this run; `job` looks after it, and waits for it where its result is needed."
            }
        },
    )
}

/// What the call reads whose command ran out of its time and goes on.
pub(super) fn taken_over(jobs: &Jobs, id: &str) -> ToolOutcome {
    let runs_on = "Its time was over; it was not ended and goes on as a job. `job` waits for it or ends it.";
    first_words(jobs, id, runs_on)
}

fn first_words(jobs: &Jobs, id: &str, runs_on: &str) -> ToolOutcome {
    let mut known = None;
    let words = jobs.table.one(id, |job| {
        let mut text = shown(job, &Input { tail: Some(USUAL_LINES * 4), ..Input::default() });
        let note = job.runs().then(|| Phrase::new("jobs.runs_on").with("job", &job.info.job));
        if job.runs() {
            text.push_str(&format!("\n{runs_on}"));
        } else {
            job.seen = true;
            known = job.news.take();
        }
        (text, note)
    });
    if let Some(around) = jobs.around.get() {
        around.seen(known.as_slice());
    }
    words.map_or(ToolOutcome::Aborted, |(text, note)| {
        // Its last line is for the model.
        ToolOutcome::detailed(text, Details { notes: note.into_iter().collect(), ..Details::default() })
    })
}

/// A job with what it wrote, as far as that was asked for.
fn shown(job: &Job, input: &Input) -> String {
    if input.list {
        return job.line();
    }
    let (text, place) = match (input.since, input.tail) {
        (Some(since), _) => {
            let piece = job.feed.since(since);
            (piece.text, format!("bytes {} to {}", piece.from, piece.to))
        }
        (None, tail) => {
            let lines = tail.unwrap_or(USUAL_LINES);
            (job.feed.tail(lines), format!("last lines, {} bytes in all", job.feed.total()))
        }
    };
    let from = text.ceil_char_boundary(text.len().saturating_sub(MOST));
    let text = text.get(from..).unwrap_or_default().trim_end_matches('\n');
    let mut shown = job.line();
    if !text.is_empty() {
        shown.push_str(&format!("\n{}", fenced("job_output", &[("job", &job.info.job), ("part", &place)], text)));
    }
    if let Some(output) = &job.info.output {
        shown.push_str(&format!("\nall of it: {}", output.uri));
    }
    shown
}
