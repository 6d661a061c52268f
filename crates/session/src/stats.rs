//! Sums over the ledger: by spans of time, by model, by folder. Pure but for the clock.

use crate::ledger::Entry;
use reasonix_proto::Tally;
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

const DAY: u64 = 24 * 60 * 60 * 1000;

/// A span of time that ends now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeSpan {
    /// The last 24 hours.
    Today,
    /// The last 7 days.
    Week,
    /// The last 30 days.
    Month,
    /// Everything.
    All,
}

impl TimeSpan {
    /// From the shortest to the longest.
    pub const ALL: [Self; 4] = [Self::Today, Self::Week, Self::Month, Self::All];

    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Today => "today",
            Self::Week => "week",
            Self::Month => "month",
            Self::All => "all",
        }
    }

    /// When it began, if it ends now; both in milliseconds since the Unix epoch.
    pub fn since(self, now: u64) -> u64 {
        match self {
            Self::Today => now.saturating_sub(DAY),
            Self::Week => now.saturating_sub(7 * DAY),
            Self::Month => now.saturating_sub(30 * DAY),
            Self::All => 0,
        }
    }
}

/// What entries are put together by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupBy {
    /// The model.
    Model,
    /// The working folder.
    Project,
    /// The agent of a subagent; what sessions ask themselves is put together.
    Agent,
}

/// What stands for everything that no subagent asked.
const OWN: &str = "session";

/// Now, in milliseconds since the Unix epoch.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The sum over a span that ends now.
pub fn tally(entries: &[Entry], span: TimeSpan, now: u64) -> Tally {
    let mut sum = Tally { name: span.name().to_owned(), ..Tally::default() };
    let within = entries.iter().filter(|entry| entry.at >= span.since(now));
    within.for_each(|entry| sum.add(entry.usage, entry.cost.as_ref()));
    sum
}

/// The sums by model or folder; the dearest first, then the one with the most tokens.
pub fn tallies<'a>(entries: impl IntoIterator<Item = &'a Entry>, by: GroupBy) -> Vec<Tally> {
    let mut sums: BTreeMap<&str, Tally> = BTreeMap::new();
    for entry in entries {
        let name = match by {
            GroupBy::Model => entry.model.as_str(),
            GroupBy::Project => &entry.folder,
            GroupBy::Agent => entry.agent.as_deref().unwrap_or(OWN),
        };
        let fresh = || Tally { name: name.to_owned(), ..Tally::default() };
        sums.entry(name).or_insert_with(fresh).add(entry.usage, entry.cost.as_ref());
    }
    let mut sums: Vec<Tally> = sums.into_values().collect();
    sums.sort_by_key(|sum| std::cmp::Reverse(sum.weight()));
    sums
}

#[cfg(test)]
mod tests {
    use super::{DAY, GroupBy, TimeSpan, tallies, tally};
    use crate::ledger::Entry;
    use reasonix_proto::{Cost, RecordId, SessionId, Usage};

    fn entry(at: u64, folder: &str, model: &str, spent: Option<u64>) -> Entry {
        let cost = spent.map(|spent| Cost { spent, saved: 1, currency: "USD".into() });
        let usage = Usage { input: 100, cached: 75, output: 10, ..Usage::default() };
        let (folder, model) = (folder.into(), model.into());
        Entry {
            at,
            session: SessionId::from("s"),
            record: RecordId(at),
            folder,
            model,
            usage,
            cost,
            kind: None,
            agent: None,
            child: None,
            parent: None,
        }
    }

    #[test]
    fn spans_and_groups() {
        let now = 100 * DAY;
        let entries = [
            entry(now, "/a", "x/dear", Some(50)),
            entry(now - DAY, "/a", "y/free", None),
            entry(now - DAY - 1, "/b", "y/free", None),
            entry(now - 20 * DAY, "/b", "y/free", None),
            entry(1, "/b", "x/cheap", Some(5)),
        ];
        let counts: Vec<_> = TimeSpan::ALL.into_iter().map(|span| tally(&entries, span, now).requests).collect();
        assert_eq!(counts, [2, 3, 4, 5], "a day ago is still today");
        let all = tally(&entries, TimeSpan::All, now);
        assert_eq!((all.cached_share(), all.costs[0].spent, all.costs[0].saved), (75, 55, 2));
        let names = |by| tallies(&entries, by).into_iter().map(|sum| sum.name).collect::<Vec<_>>();
        assert_eq!(names(GroupBy::Model), ["x/dear", "x/cheap", "y/free"]);
        assert_eq!(names(GroupBy::Project), ["/a", "/b"]);
        let mut entries = entries.to_vec();
        entries[0] = Entry { agent: Some("explore".into()), ..entries[0].clone() };
        let by_agent: Vec<_> =
            tallies(&entries, GroupBy::Agent).into_iter().map(|sum| (sum.name, sum.requests)).collect();
        assert_eq!(by_agent, [("explore".to_owned(), 1), ("session".to_owned(), 4)]);
    }
}
