//! Recording what endpoints answer: ties the wires to the file beside a session's log. Nothing is recorded before the
//! session is there, and what cannot be recorded never stops an answer.

use reasonix_agent::Sink;
use reasonix_config::Settings;
use reasonix_llm::{Begun, Recorder};
use reasonix_proto::{Event, Exchange, Level, Phrase, RecordId, SessionHead};
use reasonix_session::{Opened, Past, Recordings, Sessions};
use reasonix_state::outbox::Outbox;
use reasonix_store::BlobKey;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// Where answers are recorded; by default nowhere.
#[derive(Clone, Default)]
pub struct Tap(Option<Arc<Spool>>);

/// What the wires write to.
#[derive(Default)]
struct Spool {
    place: OnceLock<Place>,
    /// True once something could not be kept: that is said once.
    told: AtomicBool,
}

struct Place {
    past: Past,
    recordings: Recordings,
    most: u64,
    outbox: Arc<Outbox>,
}

impl Tap {
    /// A tap for a session, which records as soon as it knows where, if the settings say so and something is kept at all.
    pub fn of(settings: &Settings, kept: bool) -> Self {
        Self((settings.record.wire && kept).then(Arc::default))
    }

    /// Another one that records when this one does.
    #[must_use]
    pub fn fresh(&self) -> Self {
        Self(self.0.as_ref().map(|_| Arc::default()))
    }

    /// What the wires are given.
    pub(crate) fn recorder(&self) -> Option<Arc<dyn Recorder>> {
        self.0.clone().map(|spool| spool as Arc<dyn Recorder>)
    }

    /// Records beside this session of these from now on, up to so many bytes.
    pub fn bind(&self, sessions: &Sessions, (opened, head): (&Opened, &SessionHead), most: u64, outbox: &Arc<Outbox>) {
        if let Some(spool) = &self.0 {
            let recordings = sessions.recordings(&head.session);
            let place = Place { past: opened.past.clone(), recordings, most, outbox: outbox.clone() };
            let _ = spool.place.set(place);
        }
    }
}

impl Recorder for Spool {
    fn begin(&self, body: &[u8]) -> Option<Begun> {
        let place = self.place.get()?;
        let after = place.past.leaf().unwrap_or(RecordId(0));
        Some(Begun { after, at: reasonix_session::now(), request: BlobKey::of(body).to_string() })
    }

    fn keep(&self, exchange: Exchange, body: Vec<u8>) {
        let Some(place) = self.place.get() else { return };
        let path = || place.recordings.path().display().to_string();
        let phrase = match place.recordings.append(exchange, &body, place.most) {
            Ok(true) => return,
            Ok(false) => Phrase::new("engine.recording_full").with("path", path()),
            Err(error) => Phrase::new("engine.recording_failed").with("path", path()).with("reason", error),
        };
        if !self.told.swap(true, Ordering::Relaxed) {
            place.outbox.emit(Event::Notice { level: Level::Warning, phrase });
        }
    }
}
