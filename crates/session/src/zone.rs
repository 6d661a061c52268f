//! Moments in the zone of the user's machine: `TZ`, or what `/etc/localtime` says. Where neither can be read it is UTC, and says
//! so.

use std::sync::OnceLock;

/// Larger files are no descriptions of zones.
const LARGEST: u64 = 1024 * 1024;
const DAY: i64 = 86_400;

/// The zone of this machine; none where nothing tells it.
fn here() -> Option<&'static Zone> {
    static ZONE: OnceLock<Option<Zone>> = OnceLock::new();
    ZONE.get_or_init(Zone::here).as_ref()
}

/// A moment, in milliseconds since the Unix epoch, as people write it: `2026-11-15 06:20 UTC`.
pub fn clock(at_ms: u64) -> String {
    let (days, seconds) = (at_ms / 86_400_000, at_ms / 1000 % 86_400);
    let (year, month, day) = date(i64::try_from(days).unwrap_or(0));
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02} UTC", seconds / 3600, seconds / 60 % 60)
}

/// A moment, in milliseconds since the Unix epoch, as people write it here: `2026-11-15 14:20`.
pub fn local_clock(at_ms: u64) -> String {
    here().map_or_else(|| clock(at_ms), |zone| zone.clock(at_ms))
}

/// What the clock of this machine shows at a moment, in seconds since the Unix epoch: minute, hour, day of the month, month,
/// and day of the week from Sunday, 0.
pub fn local_fields(at: i64) -> [u32; 5] {
    let local = at + here().map_or(0, |zone| zone.offset(at));
    let (days, second) = (local.div_euclid(DAY), local.rem_euclid(DAY));
    let (_, month, day) = date(days);
    // The first of January 1970 was a Thursday.
    [second / 60 % 60, second / 3600, day, month, (days + 4).rem_euclid(7)]
        .map(|field| u32::try_from(field).unwrap_or(0))
}

/// How far a place is from UTC, and when that changes.
#[derive(Debug, Default)]
struct Zone {
    /// From these moments on so many seconds east.
    changes: Vec<(i64, i64)>,
    /// Before the first of them.
    first: i64,
    /// After the last of them.
    rule: Option<Rule>,
}

impl Zone {
    fn here() -> Option<Self> {
        let named = std::env::var("TZ").ok();
        let file = |path: &std::path::Path| {
            let small = std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() <= LARGEST);
            small.then(|| std::fs::read(path).ok()).flatten().and_then(|bytes| Self::read(&bytes))
        };
        match named.as_deref().map(|name| name.trim_start_matches(':')) {
            None => file(std::path::Path::new("/etc/localtime")),
            Some("") => None,
            Some(name) => {
                let below = std::path::Path::new("/usr/share/zoneinfo").join(name);
                let inside = name.starts_with('/') || !name.split('/').any(|part| part == "..");
                let rule = || Rule::parse(name).map(|rule| Self { rule: Some(rule), ..Self::default() });
                inside.then(|| file(&below)).flatten().or_else(rule)
            }
        }
    }

    /// A description as the system keeps it (RFC 9636); its second part, which has the wide numbers.
    fn read(bytes: &[u8]) -> Option<Self> {
        let sizes = |at: usize| -> Option<[usize; 6]> {
            bytes.get(at..at + 4).filter(|magic| *magic == b"TZif")?;
            let size = |place: usize| number(bytes, at + 20 + place * 4, 4).and_then(|size| usize::try_from(size).ok());
            Some([size(0)?, size(1)?, size(2)?, size(3)?, size(4)?, size(5)?])
        };
        let [utc, std, leap, times, types, chars] = sizes(0)?;
        let second = 44 + times * 5 + types * 6 + chars + leap * 8 + std + utc;
        let [utc, std, leap, times, types, chars] = sizes(second)?;
        let data = second + 44;
        let offsets = data + times * 9;
        let offset = |kind: usize| number(bytes, offsets + kind * 6, 4).filter(|_| kind < types);
        let change = |place: usize| {
            let kind = usize::from(*bytes.get(data + times * 8 + place)?);
            Some((number(bytes, data + place * 8, 8)?, offset(kind)?))
        };
        let changes = (0..times.min(10_000)).map(change).collect::<Option<Vec<_>>>()?;
        let footer = offsets + types * 6 + chars + leap * 12 + std + utc;
        let rule = bytes.get(footer..).and_then(|text| std::str::from_utf8(text).ok());
        Some(Self { changes, first: offset(0)?, rule: rule.and_then(|text| Rule::parse(text.trim())) })
    }

    /// Seconds east of UTC at a moment.
    fn offset(&self, at: i64) -> i64 {
        let later = self.changes.partition_point(|(from, _)| *from <= at);
        match (&self.rule, later.checked_sub(1).and_then(|last| self.changes.get(last))) {
            (Some(rule), _) if later == self.changes.len() => rule.offset(at),
            (_, Some((_, offset))) => *offset,
            (_, None) => self.first,
        }
    }

    fn clock(&self, at_ms: u64) -> String {
        let at = i64::try_from(at_ms / 1000).unwrap_or(0);
        let local = at + self.offset(at);
        let ((year, month, day), second) = (date(local.div_euclid(DAY)), local.rem_euclid(DAY));
        format!("{year:04}-{month:02}-{day:02} {:02}:{:02}", second / 3600, second / 60 % 60)
    }
}

/// A big-endian number with a sign.
fn number(bytes: &[u8], at: usize, wide: usize) -> Option<i64> {
    let bytes = bytes.get(at..at + wide)?;
    let unsigned = bytes.iter().fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
    let shift = 64 - 8 * wide as u32;
    Some(((unsigned << shift) as i64) >> shift)
}

/// The rule of a zone as POSIX writes it: `CET-1CEST,M3.5.0,M10.5.0/3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rule {
    usual: i64,
    /// Seconds east in summer, when that begins and when it ends.
    summer: Option<(i64, Turn, Turn)>,
}

/// A day of each year by month, week and day of the week, and seconds into it, by the time that holds before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Turn {
    month: i64,
    week: i64,
    day: i64,
    second: i64,
}

impl Rule {
    fn parse(text: &str) -> Option<Self> {
        let (west, rest) = seconds(name(text)?)?;
        let usual = -west;
        if rest.is_empty() {
            return Some(Self { usual, summer: None });
        }
        let rest = name(rest)?;
        let (summer, rest) = seconds(rest).map_or((usual + 3600, rest), |(west, rest)| (-west, rest));
        let (begins, ends) = rest.strip_prefix(',')?.split_once(',')?;
        Some(Self { usual, summer: Some((summer, Turn::parse(begins)?, Turn::parse(ends)?)) })
    }

    fn offset(self, at: i64) -> i64 {
        let Some((summer, begins, ends)) = self.summer else { return self.usual };
        let (year, ..) = date((at + self.usual).div_euclid(DAY));
        let (from, to) = (begins.at(year) - self.usual, ends.at(year) - summer);
        // In the south summer goes over the end of the year.
        let is_summer = if from < to { (from..to).contains(&at) } else { !(to..from).contains(&at) };
        if is_summer { summer } else { self.usual }
    }
}

impl Turn {
    fn parse(text: &str) -> Option<Self> {
        let (day, time) = text.split_once('/').map_or((text, None), |(day, time)| (day, Some(time)));
        let mut numbers = day.strip_prefix('M')?.split('.').map(str::parse::<i64>);
        let (month, week, day) = (numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?);
        let second = time.map_or(Some(7200), |time| seconds(time).map(|(second, _)| second))?;
        let fits = (1..=12).contains(&month) && (1..=5).contains(&week) && (0..=6).contains(&day);
        fits.then_some(Self { month, week, day, second })
    }

    /// Seconds since the epoch, as if the clock there were UTC.
    fn at(self, year: i64) -> i64 {
        let first = days(year, self.month);
        // The first of January 1970 was a Thursday.
        let skip = (self.day - (first + 4)).rem_euclid(7);
        let mut day = first + skip + 7 * (self.week - 1);
        let next = if self.month == 12 { days(year + 1, 1) } else { days(year, self.month + 1) };
        if day >= next {
            day -= 7;
        }
        day * DAY + self.second
    }
}

/// What follows the name of a zone.
fn name(text: &str) -> Option<&str> {
    let end = match text.strip_prefix('<') {
        Some(quoted) => quoted.find('>')? + 2,
        None => text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len()),
    };
    if end >= 3 { text.get(end..) } else { None }
}

/// `[+-]h[:mm[:ss]]` in seconds, and what follows.
fn seconds(text: &str) -> Option<(i64, &str)> {
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = text.find(|c: char| !c.is_ascii_digit() && c != ':').unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    let mut sum = 0;
    for (part, unit) in digits.split(':').zip([3600, 60, 1]) {
        sum += part.parse::<i64>().ok().filter(|number| *number <= 167)? * unit;
    }
    Some((sign * sum, rest))
}

/// The date of a day, counted from 1970. Years begin in March here, so that the leap day is the last one.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

/// The first day of a month, counted from 1970.
fn days(year: i64, month: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::{Rule, Zone, clock, date, days};

    /// 2026-07-01 12:00 and 2026-12-01 12:00 UTC.
    const SUMMER: u64 = 1_782_907_200_000;
    const WINTER: u64 = 1_796_126_400_000;

    #[test]
    fn moments_as_people_write_them() {
        for (at, wanted) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_400_000, "2000-02-29 00:00 UTC"),
            (1_794_715_496_786, "2026-11-15 04:04 UTC"),
            (4_107_542_399_000, "2100-02-28 23:59 UTC"),
        ] {
            assert_eq!(clock(at), wanted);
        }
    }

    #[test]
    fn days_and_dates_agree() {
        for (year, month) in [(1970, 1), (2000, 2), (2024, 3), (2026, 12), (2100, 3)] {
            assert_eq!(date(days(year, month)), (year, month, 1));
        }
        assert_eq!(days(1970, 1), 0);
    }

    #[test]
    fn rules_of_zones() {
        for (rule, summer, winter) in [
            ("CST-8", "2026-07-01 20:00", "2026-12-01 20:00"),
            ("EST5EDT,M3.2.0,M11.1.0", "2026-07-01 08:00", "2026-12-01 07:00"),
            ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-07-01 14:00", "2026-12-01 13:00"),
            ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-07-01 22:00", "2026-12-01 23:00"),
            ("<+0545>-5:45", "2026-07-01 17:45", "2026-12-01 17:45"),
        ] {
            let zone = Zone { rule: Rule::parse(rule), ..Zone::default() };
            assert!(zone.rule.is_some(), "{rule}");
            assert_eq!((zone.clock(SUMMER).as_str(), zone.clock(WINTER).as_str()), (summer, winter), "{rule}");
        }
        for wrong in ["", "UT", "Europe/Berlin", "CST", "A-B"] {
            assert_eq!(Rule::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_description_of_the_system() {
        let header = |times: u32, types: u32, chars: u32| {
            let mut bytes = b"TZif2".to_vec();
            bytes.resize(20, 0);
            [0, 0, 0, times, types, chars].iter().for_each(|size: &u32| bytes.extend(size.to_be_bytes()));
            bytes
        };
        let mut bytes = header(0, 0, 0);
        bytes.extend(header(1, 2, 4));
        bytes.extend(1_000_000_000_i64.to_be_bytes());
        bytes.push(1);
        for offset in [0_i32, 3600] {
            bytes.extend(offset.to_be_bytes());
            bytes.extend([0, 0]);
        }
        bytes.extend(b"CET\0\nCET-1CEST,M3.5.0,M10.5.0/3\n");
        let zone = Zone::read(&bytes).unwrap();
        assert_eq!((zone.offset(999_999_999), zone.offset(1_782_907_200)), (0, 7200));
        assert!(Zone::read(b"TZif").is_none(), "what is cut is nothing");
        for end in 0..bytes.len().min(140) {
            let _ = Zone::read(&bytes[..end]);
        }
    }
}
