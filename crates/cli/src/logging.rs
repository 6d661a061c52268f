//! The log file: the only place that listens to what the rooms say while they work. They say it to nobody unless this is
//! asked for.

use reasonix_engine::{Start, Which};
use reasonix_store::LogFiles;
use std::io;
use std::sync::OnceLock;
use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Registry;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::reload;

/// What our rooms are called. Libraries below us log what they send, keys included: nothing of theirs is listened to.
const OURS: &str = "reasonix";

/// What can be changed when the next session of this process begins.
type Dial = reload::Handle<Targets, Registry>;

/// Logs sessions that begin like this one from now on. Where nothing is to be logged, nobody listens and there is no file.
pub(crate) fn begin(start: &Start) {
    static DIAL: OnceLock<Dial> = OnceLock::new();
    let logs = &start.world.settings.logs;
    let level = match start.which {
        Which::Unkept => LevelFilter::OFF,
        _ => logs.level.parse().unwrap_or(LevelFilter::OFF),
    };
    match DIAL.get() {
        Some(dial) => drop(dial.reload(ours(level))),
        None if level == LevelFilter::OFF => {}
        None => {
            let folder = logs.dir.clone().unwrap_or_else(|| start.world.home.join("state/logs"));
            let files = LogFiles::at(&folder, logs.max_size_mb.saturating_mul(1024 * 1024), logs.max_files);
            let (subscriber, dial) = listener(files, level);
            if tracing::subscriber::set_global_default(subscriber).is_ok() {
                let _ = DIAL.set(dial);
            }
        }
    }
}

fn ours(level: LevelFilter) -> Targets {
    Targets::new().with_target(OURS, level)
}

/// One line an event: when (UTC), how bad, where in the session, who says it, what.
fn listener(files: LogFiles, level: LevelFilter) -> (impl Subscriber + Send + Sync, Dial) {
    let (filter, dial) = reload::Layer::new(ours(level));
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_span_events(FmtSpan::CLOSE)
        .log_internal_errors(false)
        .with_writer(Lines(files));
    (Registry::default().with(filter).with(lines), dial)
}

/// Log files as something to write to, an event at a time.
struct Lines(LogFiles);

impl<'a> MakeWriter<'a> for Lines {
    type Writer = &'a Lines;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}

impl io::Write for &Lines {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        self.0.line(text.strip_suffix('\n').unwrap_or(&text));
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{LogFiles, listener};
    use tracing::level_filters::LevelFilter;

    #[test]
    fn only_our_rooms_are_listened_to_and_an_event_is_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let files = LogFiles::at(folder.path(), 1 << 20, 2);
        let (subscriber, dial) = listener(files.clone(), LevelFilter::TRACE);
        tracing::subscriber::with_default(subscriber, || {
            tracing::error!(target: "h2::hpack", header = "authorization: the-key", "sent");
            let span = tracing::info_span!(target: "reasonix_agent::turn", "turn", turn = 3);
            span.in_scope(|| tracing::info!(target: "reasonix_llm", what = "a\nb\u{1b}[2J", "odd"));
            drop(span);
            dial.reload(super::ours(LevelFilter::OFF)).unwrap();
            tracing::error!(target: "reasonix_llm", "unheard");
        });
        let text = std::fs::read_to_string(files.newest()).unwrap();
        assert!(!text.contains("the-key") && !text.contains("unheard"), "{text}");
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert!(lines[0].contains("Z  INFO turn{turn=3}: reasonix_llm: odd what=\"a\\nb\\u{1b}[2J\""), "{text}");
        assert!(lines[1].contains("turn{turn=3}: reasonix_agent::turn: close time.busy="), "{text}");
    }
}
