//! When a prompt comes back: five fields as cron writes them, held against the local time. Pure.

/// Days that are looked ahead for the next time: the 29th of February comes within them.
const AHEAD: i64 = 9 * 366;
const MINUTE: i64 = 60;
/// Zones are at whole quarters of an hour from each other, so that no day begins within one.
const QUARTER: i64 = 15 * MINUTE;

/// The fields in the order they are written: their names, and from where to where they go.
const FIELDS: [(&str, u32, u32); 5] =
    [("minute", 0, 59), ("hour", 0, 23), ("day of month", 1, 31), ("month", 1, 12), ("day of week", 0, 7)];

/// A moment as the five fields have it; Sunday is 0.
pub type CronFields = [u32; 5];

/// Times that come back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// A bit for each number that a field allows.
    allowed: [u64; 5],
    /// Whether the days of the month and those of the week are both told: then either is enough.
    either: bool,
}

/// What is wrong with an expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CronError {
    /// It has not five fields.
    #[error("an expression has five fields (minute, hour, day of month, month, day of week); this one has {0}")]
    Fields(usize),
    /// A field cannot be read.
    #[error(
        "the {field} {text:?} cannot be read: it is *, a number from {from} to {to}, A-B, */N, A-B/N, or several with commas"
    )]
    Field {
        /// Which one.
        field: &'static str,
        /// What stands there.
        text: String,
        /// The least number that it takes.
        from: u32,
        /// And the largest.
        to: u32,
    },
    /// No day is like that.
    #[error("no day of the next years fits it")]
    Never,
}

impl Schedule {
    /// Reads `*/5 9-17 * * 1-5`.
    pub fn parse(text: &str) -> Result<Self, CronError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let words: [&str; 5] = words.try_into().map_err(|words: Vec<&str>| CronError::Fields(words.len()))?;
        let mut allowed = [0; 5];
        for ((bits, word), (field, from, to)) in allowed.iter_mut().zip(words).zip(FIELDS) {
            let unread = || CronError::Field { field, text: word.to_owned(), from, to };
            *bits = bits_of(word, from, to).ok_or_else(unread)?;
        }
        // Sunday has two numbers.
        allowed[4] |= (allowed[4] >> 7) & 1;
        let told = |word: &str| !word.starts_with('*');
        Ok(Self { allowed, either: told(words[2]) && told(words[4]) })
    }

    /// The first moment that fits after this one, in seconds since the Unix epoch; `local` says what the clock shows at one.
    pub fn next(&self, after: i64, local: impl Fn(i64) -> CronFields) -> Result<i64, CronError> {
        let mut at = (after.div_euclid(MINUTE) + 1) * MINUTE;
        let until = after + AHEAD * 24 * 60 * MINUTE;
        while at < until {
            let fields = local(at);
            match (self.fits_day(&fields), self.has(0, fields[0]) && self.has(1, fields[1])) {
                (true, true) => return Ok(at),
                (true, false) => at += MINUTE,
                (false, _) => at = (at.div_euclid(QUARTER) + 1) * QUARTER,
            }
        }
        Err(CronError::Never)
    }

    fn has(&self, field: usize, number: u32) -> bool {
        self.allowed.get(field).is_some_and(|bits| bits >> number & 1 == 1)
    }

    fn fits_day(&self, fields: &CronFields) -> bool {
        let (by_month, by_week) = (self.has(2, fields[2]), self.has(4, fields[4]));
        self.has(3, fields[3]) && if self.either { by_month || by_week } else { by_month && by_week }
    }
}

/// A bit for each number that a field names: one, a span, every so many, or several of these with commas.
fn bits_of(word: &str, from: u32, to: u32) -> Option<u64> {
    word.split(',').try_fold(0, |bits, part| {
        let (span, every) = part.split_once('/').map_or((part, None), |(span, every)| (span, Some(every)));
        let every = every.map_or(Some(1), |every| number(every).filter(|every| (1..=to).contains(every)))?;
        let (first, last) = match (span, span.split_once('-')) {
            ("*", _) => (from, to),
            (_, Some((first, last))) => (number(first)?, number(last)?),
            // `5/10` means different things to different programs.
            (_, None) if part.contains('/') => return None,
            (_, None) => (number(span)?, number(span)?),
        };
        let fits = from <= first && first <= last && last <= to;
        fits.then(|| (first..=last).step_by(every as usize).fold(bits, |bits, number| bits | 1 << number))
    })
}

fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::{CronError, CronFields, MINUTE, Schedule};

    /// UTC, from Thursday, the first of January 1970; good for that year alone.
    fn utc(at: i64) -> CronFields {
        let (minutes, days) = (at.div_euclid(MINUTE), at.div_euclid(86_400));
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let (mut day, mut month) = (days % 365, 0);
        while day >= lengths[month] {
            day -= lengths[month];
            month += 1;
        }
        [minutes % 60, minutes / 60 % 24, day + 1, month as i64 + 1, (days + 4) % 7].map(|field| field as u32)
    }

    fn first(expression: &str) -> i64 {
        Schedule::parse(expression).unwrap().next(0, utc).unwrap() / MINUTE
    }

    #[test]
    fn the_next_time_is_the_first_that_fits() {
        let day = 24 * 60;
        for (expression, minutes) in [
            ("* * * * *", 1),
            ("*/5 * * * *", 5),
            ("0 * * * *", 60),
            ("30 9 * * *", 9 * 60 + 30),
            ("0 9-17/4 * * *", 9 * 60),
            ("0,20,40 0 * * *", 20),
            ("0 0 * * 1-5", day),
            ("0 0 * * 0", 3 * day),
            ("0 0 * * 7", 3 * day),
            ("0 12 1 2 *", 31 * day + 12 * 60),
            // Either of the days, as cron has it.
            ("0 0 20 * 6", 2 * day),
            ("0 0 20 * *", 19 * day),
            // One of them says nothing: both have to fit, on the 11th of May.
            ("0 0 */10 * 1", 130 * day),
        ] {
            assert_eq!(first(expression), minutes, "{expression}");
        }
        let schedule = Schedule::parse("0 9 * * *").unwrap();
        assert_eq!(schedule.next(9 * 3600, utc), Ok(33 * 3600), "the moment itself is over");
    }

    #[test]
    fn what_cannot_be_read_names_its_field() {
        for (expression, field) in [
            ("60 * * * *", "minute"),
            ("* 24 * * *", "hour"),
            ("* * 0 * *", "day of month"),
            ("* * * 13 *", "month"),
            ("* * * JAN *", "month"),
            ("* * * * 8", "day of week"),
            ("* * * * MON", "day of week"),
            ("5/10 * * * *", "minute"),
            ("*/0 * * * *", "minute"),
            ("9-5 * * * *", "minute"),
            ("1, * * * *", "minute"),
            ("* * L * *", "day of month"),
            ("+5 * * * *", "minute"),
        ] {
            let Err(CronError::Field { field: named, .. }) = Schedule::parse(expression) else {
                panic!("{expression}")
            };
            assert_eq!(named, field, "{expression}");
        }
        assert_eq!(Schedule::parse("* * * *"), Err(CronError::Fields(4)));
        assert_eq!(Schedule::parse(""), Err(CronError::Fields(0)));
        assert_eq!(Schedule::parse("0 0 31 2 *").unwrap().next(0, utc), Err(CronError::Never));
    }
}
