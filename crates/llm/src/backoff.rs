//! How long to wait before the next attempt.

use crate::Retry;
use reqwest::header::HeaderMap;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// An endpoint that says when to come back may ask for more patience than we have by ourselves, by this factor.
const ASKED_FACTOR: u32 = 6;

/// The wait after attempt `attempt` (from 1): what the endpoint asked for, or a doubling wait of which the half is
/// random. Neither is without a bound: none when the endpoint asks for more patience than there is.
pub(crate) fn wait(retry: &Retry, attempt: u32, asked: Option<Duration>) -> Option<Duration> {
    if let Some(asked) = asked {
        return Some(asked).filter(|asked| *asked <= retry.max.saturating_mul(ASKED_FACTOR));
    }
    let doubled = retry.initial.saturating_mul(1 << attempt.saturating_sub(1).min(16));
    let most = doubled.min(retry.max);
    Some(most / 2 + (most / 2).mul_f64(chance()))
}

/// A wait in words, in the unit that fits it.
pub(crate) fn in_words(wait: Duration) -> String {
    let seconds = wait.as_secs();
    match seconds {
        0..=599 => format!("{seconds} s"),
        600..=7_199 => format!("{} min", seconds / 60),
        7_200..=172_799 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// A number from 0 to 1 that differs between processes, so that clients which failed together do not return together.
fn chance() -> f64 {
    f64::from((RandomState::new().hash_one(0_u8) >> 32) as u32) / f64::from(u32::MAX)
}

/// What `Retry-After` asks for, in seconds or as a date.
pub(crate) fn asked(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(millis) = text("retry-after-ms").and_then(|value| value.parse().ok()) {
        return Some(Duration::from_millis(millis));
    }
    let value = text("retry-after")?;
    if let Ok(seconds) = value.parse::<f64>() {
        return (seconds >= 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    }
    let at = UNIX_EPOCH + Duration::from_secs(http_date(value)?);
    Some(at.duration_since(now).unwrap_or(Duration::ZERO))
}

/// What a body asks for: `retryDelay` among its details, or the same in words.
pub(crate) fn asked_in(body: &str) -> Option<Duration> {
    let (_, rest) =
        ["\"retryDelay\"", "lease retry in ", "lease try again in "].iter().find_map(|mark| body.split_once(mark))?;
    let rest = rest.trim_start_matches([' ', ':', '"', '\n']);
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = rest.split_at(end);
    let unit = match unit.as_bytes() {
        [b'm', b's', ..] => 0.001,
        [b's', ..] => 1.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(number.trim_end_matches('.').parse::<f64>().ok()? * unit).ok()
}

/// Seconds since the epoch of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut words = text.split_once(", ")?.1.split(' ');
    let day: u64 = words.next()?.parse().ok()?;
    let name = words.next()?;
    let month = MONTHS.iter().position(|month| *month == name)? as u64 + 1;
    let year: u64 = words.next()?.parse().ok().filter(|year| (1970..10_000).contains(year))?;
    let mut clock = words.next()?.split(':').map(str::parse::<u64>);
    let (hour, minute, second) = (clock.next()?.ok()?, clock.next()?.ok()?, clock.next()?.ok()?);
    if words.next()? != "GMT" || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // Days since the epoch in the calendar that begins its years in March, so that leap days come last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    Some((days.checked_sub(719_468)?) * 86_400 + hour * 3_600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::{asked, asked_in, http_date, wait};
    use crate::Retry;
    use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn waits_double_up_to_the_longest() {
        let retry = Retry::default();
        for (attempt, least, most) in
            [(1, 250, 500), (2, 500, 1_000), (3, 1_000, 2_000), (9, 5_000, 10_000), (99, 5_000, 10_000)]
        {
            let waits: Vec<_> = (0..50).map(|_| wait(&retry, attempt, None).expect("a wait").as_millis()).collect();
            assert!(waits.iter().all(|wait| (least..=most).contains(wait)), "{attempt}: {waits:?}");
            assert!(waits.iter().any(|wait| *wait != waits[0]), "{attempt}: there is no jitter");
        }
    }

    #[test]
    fn what_a_body_asks_for() {
        for (body, millis) in [
            (r#"{"details":[{"retryDelay": "12.5s"}]}"#, Some(12_500)),
            ("Quota exceeded. Please retry in 7s.", Some(7_000)),
            ("Rate limit reached. Please try again in 20ms. Visit us", Some(20)),
            ("Please try again in a while", None),
            ("Please retry in 9", None),
            ("", None),
        ] {
            assert_eq!(asked_in(body).map(|wait| wait.as_millis()), millis, "{body}");
        }
    }

    #[test]
    fn what_is_asked_is_honoured_up_to_a_bound() {
        let retry = Retry::default();
        let now = UNIX_EPOCH + Duration::from_secs(784_111_770);
        for (header, expected) in [
            ("2", Some(2_000)),
            ("0", Some(0)),
            ("0.5", Some(500)),
            ("60", Some(60_000)),
            ("61", None),
            ("86400", None),
            ("1e300", None),
            ("-5", None),
            ("soon", None),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(7_000)),
            ("Sun, 06 Nov 1994 08:49:00 GMT", Some(0)),
            ("Sun, 06 Nov 2094 08:49:37 GMT", None),
            ("Sun, 99 Nov 1994 08:49:37 GMT", None),
        ] {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static(header))]);
            let found =
                asked(&headers, now).and_then(|asked| wait(&retry, 1, Some(asked))).map(|wait| wait.as_millis());
            assert_eq!(found, expected, "{header}");
        }
    }

    #[test]
    fn dates() {
        assert_eq!(http_date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(http_date("Tue, 29 Feb 2000 12:00:00 GMT"), Some(951_825_600));
        assert_eq!(http_date("Wed, 31 Dec 2025 23:59:59 GMT"), Some(1_767_225_599));
    }
}
