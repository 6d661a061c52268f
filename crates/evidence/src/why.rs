//! Why a claim stands as it does: once for people, once for the model that made it.

use reasonix_proto::Phrase;

/// A reason. `line` is the command line that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Why {
    Proved {
        line: String,
    },
    Written,
    Stale {
        line: String,
        path: String,
    },
    /// The same by a job that still runs.
    Running {
        line: String,
        path: String,
        job: String,
    },
    GoneAgain,
    NotRun,
    Failed {
        line: String,
    },
    Refused {
        line: String,
    },
    Empty,
    /// It only looks or says something.
    Looks {
        line: String,
    },
    /// It changed code itself.
    Changes {
        line: String,
        path: String,
    },
    Unseen {
        line: String,
    },
    Part {
        line: String,
    },
    Number {
        number: u64,
    },
    Warned {
        line: String,
    },
    NotWritten {
        path: String,
    },
    NothingChanged,
    UnprovedFix,
}

impl Why {
    /// For people.
    pub(crate) fn phrase(&self) -> Phrase {
        match self {
            Self::Proved { line } => Phrase::new("evidence.proved").with("command", line),
            Self::Written => Phrase::new("evidence.written"),
            Self::Stale { line, path } | Self::Running { line, path, .. } if path.is_empty() => {
                Phrase::new("evidence.stale_by_command").with("command", line)
            }
            Self::Stale { line, path } | Self::Running { line, path, .. } => {
                Phrase::new("evidence.stale").with("path", path).with("command", line)
            }
            Self::GoneAgain => Phrase::new("evidence.gone_again"),
            Self::NotRun => Phrase::new("evidence.not_run"),
            Self::Failed { line } => Phrase::new("evidence.failed").with("command", line),
            Self::Refused { line } => Phrase::new("evidence.refused").with("command", line),
            Self::Empty => Phrase::new("evidence.empty"),
            Self::Unseen { line } | Self::Looks { line } => Phrase::new("evidence.unseen").with("command", line),
            Self::Changes { line, path } => Phrase::new("evidence.stale").with("path", path).with("command", line),
            Self::Part { line } => Phrase::new("evidence.part").with("command", line),
            Self::Number { number } => Phrase::new("evidence.number").with("number", number),
            Self::Warned { line } => Phrase::new("evidence.warned").with("command", line),
            Self::NotWritten { path } => Phrase::new("evidence.not_written").with("path", path),
            Self::NothingChanged => Phrase::new("evidence.nothing_changed"),
            Self::UnprovedFix => Phrase::new("evidence.unproved_fix"),
        }
    }

    /// For the model: what is wrong, and what would prove it.
    pub(crate) fn told(&self) -> String {
        match self {
            Self::Proved { line } => format!("`{line}` ended well and nothing was changed after it"),
            Self::Written => "the log shows it".to_owned(),
            Self::Stale { line, path } if path.is_empty() => {
                format!("a command after `{line}` may have changed files; run it again and name the new call")
            }
            Self::Stale { line, path } => {
                format!("{path} was changed after `{line}`; run it again and name the new call")
            }
            Self::Running { line, job, .. } => format!(
                "the job `{job}` still runs and may change files; wait for its end or end it, run `{line}` again and name the new call"
            ),
            Self::GoneAgain => "it was taken away again afterwards".to_owned(),
            Self::NotRun => {
                "no command of this session shows it; run the tests, build or linter it speaks of and name that call"
                    .to_owned()
            }
            Self::Failed { line } => format!("`{line}` failed; repair that, run it again and name the new call"),
            Self::Refused { line } => format!("`{line}` did not run to its end; run it and name that call"),
            Self::Empty => "no test was run; run the tests and name that call".to_owned(),
            Self::Unseen { line } => format!(
                "how `{line}` ended cannot be seen; run it alone in the foreground, so that its exit code is that of the call"
            ),
            Self::Looks { line } => format!("`{line}` only looks or says something and shows nothing of what was changed"),
            Self::Changes { line, path } => {
                format!("`{line}` changed {path} itself; run something behind it that shows that it works")
            }
            Self::Part { line } => {
                format!("`{line}` covers only a part; run all of it, or claim no more than that part")
            }
            Self::Number { number } => format!("no output says {number}; claim the number that stands there"),
            Self::Warned { line } => format!("`{line}` printed warnings"),
            Self::NotWritten { path } => format!("no call did that to {path}"),
            Self::NothingChanged => "nothing was changed".to_owned(),
            Self::UnprovedFix => {
                "nothing was run after the change that shows it; run what failed before, or the tests, and name that call"
                    .to_owned()
            }
        }
    }
}
