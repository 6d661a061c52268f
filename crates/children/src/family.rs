//! What is known of all subagents of a session, whoever started them: their names, how they stand, and how many there may be.

use super::clones::Clones;
use super::errand::SkillErrand;
use reasonix_agent::{Inbox, Said, Stop};
use reasonix_config::TaskSettings;
use reasonix_proto::{ChildRun, TurnEnd, Unmerged};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::{Semaphore, SemaphorePermit};

/// The longest name that a subagent is given by whoever starts it.
pub(super) const LONGEST_NAME: usize = 48;

/// What an address of a subagent begins with.
pub(super) const SCHEME: &str = "agent://";

/// All subagents of a session.
pub struct ChildFamily {
    pub(super) bounds: TaskSettings,
    /// Where those work that write.
    pub(super) clones: Clones,
    /// A place for each that works at the same time, by depth: whoever waits for others does not take their place.
    places: Vec<Semaphore>,
    state: Mutex<State>,
    /// The skill that the next turn of the session begins with.
    errand: Mutex<Option<SkillErrand>>,
}

#[derive(Default)]
struct State {
    /// By name.
    known: BTreeMap<String, Known>,
    /// How many were started in which turn.
    started: (u32, u32),
    /// The next place among those that each one starts, by its name: calls side by side never get the same.
    places: BTreeMap<String, u32>,
}

impl State {
    fn live(&self, name: &str) -> Option<&(Stop, Inbox)> {
        let found = self.known.values().find(|known| known.run.child.eq_ignore_ascii_case(name.trim()));
        found.and_then(|known| known.live.as_ref())
    }
}

struct Known {
    run: ChildRun,
    /// Ends it, and what is said to it, while it works.
    live: Option<(Stop, Inbox)>,
}

/// Why somebody cannot go on with a subagent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NotNow {
    /// There is none of that name.
    Unknown,
    /// It is still at work.
    Works,
}

impl ChildFamily {
    /// As a log left them.
    pub fn new(bounds: &TaskSettings, runs: &[ChildRun]) -> Self {
        let places = (0..bounds.max_depth.max(1)).map(|_| Semaphore::new(bounds.at_once.max(1) as usize)).collect();
        let known = runs.iter().map(|run| (run.child.clone(), Known { run: run.clone(), live: None })).collect();
        let state = Mutex::new(State { known, ..State::default() });
        Self { bounds: bounds.clone(), clones: Clones::default(), places, state, errand: Mutex::default() }
    }

    /// Where the work of a writer is that is not in the session's folder.
    pub(super) fn unmerged(&self, name: &str) -> Option<Unmerged> {
        self.find(name).and_then(|run| run.unmerged)
    }

    /// Where it is from now on.
    pub(super) fn left(&self, name: &str, unmerged: Option<Unmerged>) {
        if let Some(known) = self.lock().known.get_mut(name) {
            known.run.unmerged = unmerged;
        }
    }

    /// The next turn of the session begins with this skill, or with none.
    pub fn want(&self, errand: Option<SkillErrand>) {
        *self.errand.lock().unwrap_or_else(PoisonError::into_inner) = errand;
    }

    /// Whether the next turn begins with a skill.
    pub fn wants(&self) -> bool {
        self.errand.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// The skill that a turn begins with, once.
    pub(super) fn errand(&self) -> Option<SkillErrand> {
        self.errand.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place among those that work at this depth, from 1.
    pub(super) async fn place(&self, depth: u32) -> Option<SemaphorePermit<'_>> {
        let at = usize::try_from(depth.saturating_sub(1)).ok()?;
        self.places.get(at)?.acquire().await.ok()
    }

    /// Counts so many more in this turn; how many may still be started where that is fewer.
    pub(super) fn admit(&self, turn: u32, more: u32) -> Result<(), u32> {
        let mut state = self.lock();
        if state.started.0 != turn {
            state.started = (turn, 0);
        }
        let left = self.bounds.per_turn.saturating_sub(state.started.1);
        if more > left {
            return Err(left);
        }
        state.started.1 += more;
        Ok(())
    }

    /// Names for new ones: the place in the order in which this one started them, then the name that it gave.
    pub(super) fn names(&self, of: &str, wanted: &[String]) -> Vec<String> {
        let mut state = self.lock();
        let known = state.known.keys().filter_map(|name| place_of(of, name)).max().map_or(0, |last| last + 1);
        let next = state.places.entry(of.to_owned()).or_default();
        let before = known.max(*next);
        *next = before.saturating_add(u32::try_from(wanted.len()).unwrap_or(u32::MAX));
        let numbered = wanted.iter().zip(before..);
        numbered.map(|(name, place)| format!("{}{place}-{}", prefix(of), plain(name))).collect()
    }

    /// One begins; gives where it hears what is said to it.
    pub(super) fn begun(&self, run: &ChildRun, stop: &Stop) -> Inbox {
        let inbox = Inbox::default();
        let known = Known { run: run.clone(), live: Some((stop.clone(), inbox.clone())) };
        self.lock().known.insert(run.child.clone(), known);
        inbox
    }

    /// One is over.
    pub(super) fn ended(&self, run: &ChildRun) {
        self.lock().known.insert(run.child.clone(), Known { run: run.clone(), live: None });
    }

    /// The one of this name as it was last written down, whatever the case.
    pub(super) fn find(&self, name: &str) -> Option<ChildRun> {
        let state = self.lock();
        state.known.values().find(|known| known.run.child.eq_ignore_ascii_case(name)).map(|known| known.run.clone())
    }

    /// The one of this name that somebody can go on with.
    pub(super) fn rests(&self, name: &str) -> Result<ChildRun, NotNow> {
        let state = self.lock();
        let known = state.known.values().find(|known| known.run.child.eq_ignore_ascii_case(name));
        match known {
            None => Err(NotNow::Unknown),
            Some(known) if known.live.is_some() => Err(NotNow::Works),
            Some(known) => Ok(known.run.clone()),
        }
    }

    /// Stops one that works. False when none of that name does.
    pub fn stop(&self, name: &str) -> bool {
        self.lock().live(name).map(|(stop, _)| stop.cancel()).is_some()
    }

    /// Says something to one that works. False when none of that name does.
    pub fn steer(&self, name: &str, said: Said) -> bool {
        self.lock().live(name).map(|(_, inbox)| inbox.push(0, said)).is_some()
    }

    /// All of them, as they were last written down.
    pub fn list(&self) -> Vec<ChildRun> {
        self.lock().known.values().map(|known| known.run.clone()).collect()
    }

    /// Those that were begun and have no end: their process was gone before it.
    pub fn lost(&self) -> Vec<ChildRun> {
        let mut state = self.lock();
        let open = |known: &&mut Known| known.run.end.is_none() && known.live.is_none();
        let lost = state.known.values_mut().filter(open).map(|known| {
            (known.run.end, known.run.lost) = (Some(TurnEnd::Interrupted), true);
            known.run.clone()
        });
        lost.collect()
    }

    /// The names of all of them.
    pub(super) fn all(&self) -> Vec<String> {
        self.lock().known.keys().cloned().collect()
    }
}

fn prefix(of: &str) -> String {
    if of.is_empty() { String::new() } else { format!("{of}.") }
}

/// What a writer is told that goes on, whose earlier work is there: its clone is another one.
pub(super) fn anew(unmerged: Option<&Unmerged>) -> String {
    let told = match unmerged {
        Some(Unmerged::Patch(uri)) => {
            format!("; your earlier changes are not in it; they are the patch {uri}: read_file shows it")
        }
        Some(Unmerged::Branch(name)) => format!(
            " of the folder as it is now; your earlier changes are the branch {name}, and in it only if that was merged"
        ),
        Some(Unmerged::Clone) => "; your earlier changes are not in it: they were lost with the one before".to_owned(),
        None => " of the folder as it is now; of your earlier changes it has those that were merged".to_owned(),
    };
    format!("[This is a new clone{told}.]")
}

/// Whether this one started another, by their names.
pub(super) fn is_of(of: &str, name: &str) -> bool {
    place_of(of, name).is_some()
}

/// The place that a name has among those that this one started.
fn place_of(of: &str, name: &str) -> Option<u32> {
    let own = name.strip_prefix(&prefix(of))?;
    let (place, rest) = own.split_once('-')?;
    if rest.contains('.') { None } else { place.parse().ok() }
}

/// A name of letters, digits, `-` and `_` alone, so that it can stand in an address.
fn plain(name: &str) -> String {
    let kept = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' };
    let name: String = name.trim().chars().take(LONGEST_NAME).map(kept).collect();
    if name.is_empty() { "Task".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::{ChildFamily, NotNow, place_of};
    use reasonix_agent::Stop;
    use reasonix_config::TaskSettings;
    use reasonix_proto::{CallId, ChildRun, SessionId, TurnEnd};

    fn run(child: &str) -> ChildRun {
        ChildRun::begun(child.to_owned(), SessionId::from(child), CallId::from("c"))
    }

    #[test]
    fn names_count_on_over_a_resume_and_below_each_other() {
        let family = ChildFamily::new(&TaskSettings::default(), &[run("0-A"), run("1-B"), run("1-B.0-C"), run("10-D")]);
        let names = |of: &str| family.names(of, &["X y".to_owned(), "../z.q".to_owned()]);
        assert_eq!(names(""), ["11-X-y", "12----z-q"]);
        assert_eq!(names(""), ["13-X-y", "14----z-q"], "nobody gets a name twice, begun or not");
        assert_eq!(names("1-B"), ["1-B.1-X-y", "1-B.2----z-q"]);
        assert_eq!(names("0-A"), ["0-A.0-X-y", "0-A.1----z-q"]);
        assert_eq!((place_of("", "1-B.0-C"), place_of("1-B", "1-B.0-C")), (None, Some(0)));
    }

    #[test]
    fn a_turn_has_so_many_and_no_more() {
        let family = ChildFamily::new(&TaskSettings { per_turn: 3, ..TaskSettings::default() }, &[]);
        assert_eq!(family.admit(1, 2), Ok(()));
        assert_eq!(family.admit(1, 2), Err(1), "all or none");
        assert_eq!(family.admit(1, 1), Ok(()));
        assert_eq!(family.admit(1, 1), Err(0));
        assert_eq!(family.admit(2, 3), Ok(()), "the next turn has its own");
    }

    #[test]
    fn what_was_begun_and_has_no_end_is_lost_once() {
        let done = ChildRun { end: Some(TurnEnd::Done), ..run("1-B") };
        let family = ChildFamily::new(&TaskSettings::default(), &[run("0-A"), done]);
        family.begun(&run("2-C"), &Stop::new());
        let lost: Vec<_> = family.lost().into_iter().map(|run| (run.child, run.lost)).collect();
        assert_eq!(lost, [("0-A".to_owned(), true)]);
        assert!(family.lost().is_empty());
        assert_eq!(family.rests("2-c"), Err(NotNow::Works));
        assert_eq!(family.rests("3-D"), Err(NotNow::Unknown));
        assert!(family.rests("1-b").is_ok() && family.stop("2-C") && !family.stop("1-B"));
    }
}
