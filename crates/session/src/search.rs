//! Finding what was said in earlier sessions. An index of words lies in the cache folder; it is made and brought up to date
//! when somebody searches, never before, and can be deleted or spoilt at any time. Blocking.

mod excerpt;
mod feed;
mod find;
mod index;
mod tokens;
mod window;

use crate::line;
use crate::log::Place as LogPlace;
use crate::redact::Redact;
use crate::sessions::Sessions;
use excerpt::excerpt;
use feed::{content, feed, output_of};
use find::{OUTPUTS, Place, SAID, rank};
use index::{Index, discard, is_spoilt};
use reasonix_proto::{Record, RecordBody, RecordId, SessionId, Speaker, ToolOutcome};
use reasonix_store::{Lock, LockError, private_folder};
use std::collections::HashMap;
use std::fmt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) use excerpt::one_line;
pub(crate) use find::FLOOR;
pub(crate) use tokens::{Term, asked, indexed};

pub use feed::Coverage;
pub use index::IndexError;
pub use window::{Line, SessionWindow};

/// The file in the cache folder.
const FILE: &str = "history.sqlite";
/// Hits of one session in one answer.
const MOST_OF_ONE: usize = 3;
/// Hits of outputs in one answer, behind those of what was said.
const MOST_OUTPUTS: usize = 3;
/// How the outcomes of a search begin: of one that found something, of one around a hit, and of one that found nothing. They
/// are not found again.
pub const RECALLED: [&str; 3] = ["From earlier sessions: ", "From an earlier session: ", "no hits for "];
/// How often another process that has the index is looked after.
const PAUSE: Duration = Duration::from_millis(20);

/// Searches the sessions of a state folder.
#[derive(Clone)]
pub struct Search {
    sessions: Sessions,
    cache: PathBuf,
    redact: Redact,
    /// None for somebody who may read all files.
    reads: Option<Reads>,
}

/// Whether a file may be read by whoever searches.
type Reads = Arc<dyn Fn(&Path) -> bool + Send + Sync>;

impl fmt::Debug for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Search").field("sessions", &self.sessions).field("cache", &self.cache).finish_non_exhaustive()
    }
}

/// What is looked for.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    /// Words, in any order.
    pub query: &'a str,
    /// Only sessions of this working folder; all of them when none.
    pub folder: Option<&'a Path>,
    /// The most hits.
    pub most: usize,
    /// Records of this session from this one on do not count: they are what is being said now.
    pub before: Option<(&'a SessionId, RecordId)>,
    /// How long bringing the index up to date may take.
    pub patience: Duration,
}

/// Whose words a record holds.
fn speaker_of(body: &RecordBody) -> Speaker {
    match body {
        RecordBody::Assistant { .. } => Speaker::Model,
        RecordBody::Outcome { .. } | RecordBody::ShellEnded { .. } => Speaker::Tool,
        _ => Speaker::User,
    }
}

/// A record that fits.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHit {
    /// The session.
    pub session: SessionId,
    /// Its working folder.
    pub folder: String,
    /// The record.
    pub record: RecordId,
    /// When it was written, in milliseconds since the Unix epoch.
    pub at: u64,
    /// Who said it.
    pub by: Speaker,
    /// The part of the text that fits best, in one line, without secrets.
    pub text: String,
    /// How well it fits, beside the others.
    pub score: f64,
}

/// What a search came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// The hits, the best first.
    pub hits: Vec<SearchHit>,
    /// How much of what is on disk was searched.
    pub coverage: Coverage,
    /// False when there is no word in the query.
    pub asked: bool,
}

impl Search {
    /// A search over these sessions with its index in this folder; touches nothing. `secrets` are never shown.
    pub fn new(sessions: Sessions, cache: PathBuf, secrets: &[String]) -> Self {
        Self { sessions, cache, redact: Redact::new(secrets), reads: None }
    }

    /// The same for somebody who may not read every file: outputs of calls that named another one are not found.
    #[must_use]
    pub fn reading(self, reads: impl Fn(&Path) -> bool + Send + Sync + 'static) -> Self {
        Self { reads: Some(Arc::new(reads)), ..self }
    }

    /// Brings the index up to date and looks for the words. `stopped` gives it up early, with what is there.
    pub fn find(&self, wanted: &Wanted<'_>, stopped: &dyn Fn() -> bool) -> Result<Found, IndexError> {
        let until = Instant::now() + wanted.patience;
        private_folder(&self.cache).map_err(|source| IndexError::Io { path: self.cache.clone(), source })?;
        // One at a time: a file that is thrown away and made anew must not be in use elsewhere.
        let _lock = self.lock(until, stopped)?;
        let file = self.cache.join(FILE);
        match self.find_in(&file, wanted, until, stopped) {
            Err(IndexError::Database(error)) if is_spoilt(&error) => {
                discard(&file)?;
                self.find_in(&file, wanted, until, stopped)
            }
            other => other,
        }
    }

    fn lock(&self, until: Instant, stopped: &dyn Fn() -> bool) -> Result<Lock, IndexError> {
        let path = self.cache.join("history.lock");
        loop {
            match Lock::try_acquire(&path) {
                Ok(lock) => return Ok(lock),
                Err(LockError::Io { path, source }) => return Err(IndexError::Io { path, source }),
                Err(LockError::Held { pid, .. }) if stopped() || Instant::now() > until => {
                    return Err(IndexError::Busy { pid });
                }
                Err(LockError::Held { .. }) => std::thread::sleep(PAUSE),
            }
        }
    }

    fn find_in(
        &self,
        file: &Path,
        wanted: &Wanted<'_>,
        until: Instant,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Found, IndexError> {
        let terms = tokens::asked(wanted.query);
        let mut index = Index::open(file)?;
        let coverage = feed(self, &mut index, until, stopped)?;
        let folder = wanted.folder.map(|folder| folder.to_string_lossy());
        let said = rank(&index, &SAID, &terms, folder.as_deref())?;
        let mut hits = self.hits(said, wanted, &terms, wanted.most);
        let room = (wanted.most - hits.len()).min(MOST_OUTPUTS);
        if room > 0 {
            let outputs = rank(&index, &OUTPUTS, &terms, folder.as_deref())?;
            hits.extend(self.hits(outputs, wanted, &terms, room));
        }
        Ok(Found { hits, coverage, asked: !terms.is_empty() })
    }

    /// The first of these places that are there, not too many of one session.
    fn hits(&self, places: Vec<Place>, wanted: &Wanted<'_>, terms: &[Term], most: usize) -> Vec<SearchHit> {
        let mut of_one: HashMap<String, usize> = HashMap::new();
        let mut hits = Vec::new();
        for place in places {
            if hits.len() == most {
                break;
            }
            let too_many = of_one.get(&place.session).is_some_and(|count| *count >= MOST_OF_ONE);
            if too_many || is_now(&place, wanted.before) || !self.may_be_read(&place.cwd, place.paths.as_deref()) {
                continue;
            }
            if let Some(hit) = self.hit(&place, terms) {
                *of_one.entry(place.session).or_default() += 1;
                hits.push(hit);
            }
        }
        hits
    }

    /// Whether all files that the call of an output named may be read.
    fn may_be_read(&self, folder: &str, named: Option<&str>) -> bool {
        let reads = |path: &str| self.reads.as_ref().is_none_or(|reads| reads(&Path::new(folder).join(path)));
        named.into_iter().flat_map(str::lines).all(reads)
    }

    /// The record as it is on disk; none when it is not there any more.
    fn hit(&self, place: &Place, terms: &[Term]) -> Option<SearchHit> {
        let session = SessionId::from(place.session.as_str());
        let log = LogPlace { folder: self.sessions.folder().to_owned(), session: session.clone() };
        let mut bytes = vec![0; place.length];
        log.open_log().ok()?.read_exact_at(&mut bytes, place.offset).ok()?;
        let Record { id, at, body, .. } = line::is_sound(&bytes).then(|| line::parse(&bytes)).flatten()?;
        let (said, paths) = content(&body);
        let said = output_of(&body).unwrap_or(said);
        let text = if said.trim().is_empty() { paths } else { said };
        let mut text = excerpt(&self.redact.text(&text), terms);
        if let RecordBody::Outcome { outcome: ToolOutcome::Done { details, .. }, .. } = &body {
            text.extend(details.artifact.iter().map(|kept| format!(" [whole: {}]", kept.uri)));
        }
        let (folder, by, score) = (place.cwd.clone(), speaker_of(&body), place.score);
        (id.0 == place.record).then_some(SearchHit { session, folder, record: id, at, by, text, score })
    }
}

fn is_now(place: &Place, before: Option<(&SessionId, RecordId)>) -> bool {
    before.is_some_and(|(session, record)| place.session == session.as_str() && place.record >= record.0)
}
