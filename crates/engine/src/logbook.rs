//! The log files: what happened in which session and how it ended, in a line each. Names, figures and codes; never what
//! was said, read or written.

use reasonix_config::Settings;
use reasonix_proto::{Event, Level, RecordBody, SessionId, ToolOutcome};
use reasonix_session::clock;
use reasonix_store::LogFiles;
use std::path::Path;

/// How much is logged; a line is written when its own is not above this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Depth {
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

impl Depth {
    fn parse(word: &str) -> Self {
        match word {
            "off" => Self::Off,
            "error" => Self::Error,
            "warn" => Self::Warn,
            "debug" => Self::Debug,
            "trace" => Self::Trace,
            _ => Self::Info,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Off | Self::Error => "ERROR",
            Self::Warn => "WARN",
            Self::Info => "INFO",
            Self::Debug => "DEBUG",
            Self::Trace => "TRACE",
        }
    }
}

/// The log files as one session writes them.
pub(crate) struct Logbook {
    files: LogFiles,
    depth: Depth,
    session: SessionId,
}

impl Logbook {
    /// As the settings say; none when nothing is to be logged.
    pub(crate) fn new(settings: &Settings, home: &Path, session: &SessionId) -> Option<Self> {
        let logs = &settings.logs;
        let depth = Depth::parse(&logs.level);
        let folder = logs.dir.clone().unwrap_or_else(|| home.join("state/logs"));
        let files = LogFiles::at(&folder, logs.max_size_mb.saturating_mul(1024 * 1024), logs.max_files);
        (depth > Depth::Off).then(|| Self { files, depth, session: session.clone() })
    }

    pub(crate) fn take(&self, event: &Event) {
        if let Some((depth, text)) = line_of(event).filter(|(depth, _)| *depth <= self.depth) {
            let at = clock(reasonix_session::now());
            self.files.line(&format!("{at} {} {} {text}", depth.word(), self.session.short()));
        }
    }
}

/// What a log says of an event.
fn line_of(event: &Event) -> Option<(Depth, String)> {
    Some(match event {
        Event::SessionStarted { model, resumed, .. } => {
            (Depth::Info, format!("session_started model={model} resumed={resumed}"))
        }
        Event::Notice { level, phrase } => {
            let depth = match level {
                Level::Info => Depth::Info,
                Level::Warning => Depth::Warn,
                Level::Error => Depth::Error,
            };
            // What is only worth knowing may quote the model or name what it looks at; a trouble needs its reason.
            let text = if *level == Level::Info { phrase.code.to_string() } else { phrase.to_string() };
            (depth, format!("notice {text}"))
        }
        Event::Message { record } | Event::ToolEnded { record } | Event::Answered { record } => {
            (Depth::Debug, body_of(&record.body)?)
        }
        Event::TurnEnded { record } | Event::Compacted { record } => (Depth::Info, body_of(&record.body)?),
        Event::SessionEnded => (Depth::Info, "session_ended".to_owned()),
        Event::State { state } => (Depth::Trace, format!("state {state:?}")),
        Event::ToolStarted { tool, .. } => (Depth::Trace, format!("tool_started tool={tool}")),
        _ => return None,
    })
}

fn body_of(body: &RecordBody) -> Option<String> {
    Some(match body {
        RecordBody::Assistant { turn, step, model, usage, .. } => {
            let usage = usage.unwrap_or_default();
            let (input, cached, output) = (usage.input, usage.cached, usage.output);
            format!("message turn={turn} step={step} model={model} input={input} cached={cached} output={output}")
        }
        RecordBody::Outcome { tool, took_ms, outcome, .. } => {
            let how = match outcome {
                ToolOutcome::Done { .. } => "done",
                ToolOutcome::Failed { .. } => "failed",
                ToolOutcome::Denied { .. } => "denied",
                ToolOutcome::Aborted => "aborted",
            };
            format!("tool_ended tool={tool} how={how} took_ms={took_ms}")
        }
        RecordBody::Decided(decided) => {
            let edited = if decided.edited.is_some() { " edited" } else { "" };
            format!("decided allowed={} by={:?}{edited}", decided.allowed, decided.by)
        }
        RecordBody::TurnEnded { turn, end, steps, usage, cost } => {
            let end = serde_json::to_value(end).ok()?;
            let how = end.get("how").and_then(|how| how.as_str()).unwrap_or_default().to_owned();
            let cost = cost.as_ref().map(|cost| format!(" cost={}", cost.spent_text())).unwrap_or_default();
            let (input, cached, output) = (usage.input, usage.cached, usage.output);
            format!(
                "turn_ended turn={turn} how={how} steps={steps} input={input} cached={cached} output={output}{cost}"
            )
        }
        RecordBody::Compacted(folded) => {
            format!(
                "compacted reason={:?} by={} before={} after={}",
                folded.reason, folded.by, folded.before, folded.after
            )
        }
        _ => return None,
    })
}
