//! Keeps what lies on disk of the past within the user's bounds: once a day, beside a session that nobody has to wait for.

use reasonix_config::Settings;
use reasonix_session::{Retained, Retention, retain};
use reasonix_world::spec::{Start, Which};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// How often a session sees to it by itself.
const EVERY: Duration = Duration::from_secs(24 * 3600);

const MIB: u64 = 1024 * 1024;

/// Removes what is beyond the bounds of the settings. With `dry` it only counts.
pub fn tidy_past(settings: &Settings, home: &Path, dry: bool) -> std::io::Result<Retained> {
    retain(&home.join("state"), &bounds(settings), dry)
}

fn bounds(settings: &Settings) -> Retention {
    let kept = settings.retention;
    Retention {
        session_days: kept.session_days,
        sessions: kept.sessions_mb.saturating_mul(MIB),
        output_days: kept.output_days,
        outputs: kept.outputs_mb.saturating_mul(MIB),
        usage: kept.usage_mb.saturating_mul(MIB),
    }
}

/// Sees to it when that was not done for a day; never for a session that leaves nothing on disk. That it could not be done
/// loses nothing.
pub(crate) fn tend(start: &Start) {
    let state = start.world.home.join("state");
    let stamp = state.join("tidied");
    let done = stamp.metadata().and_then(|found| found.modified()).ok();
    let fresh = done.is_some_and(|then| SystemTime::now().duration_since(then).is_ok_and(|age| age < EVERY));
    if fresh || start.which == Which::Unkept || !state.join("sessions").is_dir() {
        return;
    }
    let bounds = bounds(&start.world.settings);
    let work = move || {
        if retain(&state, &bounds, false).is_ok() {
            let _ = reasonix_store::place(&stamp, b"", 0o600);
        }
    };
    drop(std::thread::Builder::new().name("retention".into()).spawn(work));
}
