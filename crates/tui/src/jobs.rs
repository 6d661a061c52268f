//! `/jobs`: the commands that go on behind their calls, and those that ended a while ago.

use crate::look::Look;
use crate::overlays::Pager;
use crate::text::neutral;
use ratatui_core::text::{Line, Span};
use reasonix_proto::{JobInfo, JobState, Phrase, job_words};

/// The jobs as a text to read.
pub(crate) fn pager(look: &Look, jobs: &[JobInfo]) -> Pager {
    let mut lines: Vec<Line<'static>> = jobs.iter().flat_map(|job| one(look, job)).collect();
    lines.push(Line::styled(look.word("jobs.how"), look.theme.dim));
    Pager::new(Phrase::new("jobs.title").with("count", jobs.len()), lines, false)
}

fn one(look: &Look, job: &JobInfo) -> Vec<Line<'static>> {
    let theme = &look.theme;
    let colour = match job.state {
        JobState::Running => theme.good,
        JobState::Completed | JobState::Cancelled => theme.dim,
        JobState::Failed | JobState::Lost => theme.bad,
    };
    let head = vec![
        Span::styled(neutral(&job.job).into_owned(), theme.heading),
        Span::raw("  "),
        Span::styled(look.say(&job_words(job)), colour),
    ];
    let mut lines = vec![Line::from(head)];
    let about = Some(&job.description).filter(|about| !about.is_empty());
    for text in about.into_iter().chain([&job.command]) {
        lines.extend(text.lines().take(8).map(|line| Line::styled(format!("  {}", neutral(line)), theme.text)));
    }
    lines.extend(job.tail.lines().map(|line| Line::styled(format!("    {}", neutral(line)), theme.dim)));
    lines.push(Line::default());
    lines
}
