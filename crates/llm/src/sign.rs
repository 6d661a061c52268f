//! Requests that are signed in place of carrying a key: AWS signature version 4. Pure but for the clock of its caller.

use crate::key::ApiKey;
use ring::{digest, hmac};
use serde::Deserialize;
use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
const END: &str = "aws4_request";

/// What signatures are made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signing {
    /// The region, such as `us-west-2`.
    pub region: String,
    /// The service as signatures name it, such as `bedrock`.
    pub service: String,
}

/// Who signs: what `aws configure export-credentials` prints.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Credentials {
    access_key_id: String,
    secret_access_key: String,
    #[serde(default)]
    session_token: Option<String>,
}

/// One request, as far as it is signed.
pub(crate) struct Unsigned<'a> {
    pub(crate) method: &'a str,
    /// Path and query as they are sent.
    pub(crate) path: &'a str,
    pub(crate) query: &'a str,
    /// Names in lower case, in their order.
    pub(crate) headers: Vec<(&'a str, String)>,
    pub(crate) body: &'a [u8],
}

/// The headers that sign a request at this time; none where the key is no pair of AWS.
pub(crate) fn signed(
    signing: &Signing,
    key: &ApiKey,
    mut request: Unsigned<'_>,
    at: SystemTime,
) -> Option<Vec<(&'static str, String)>> {
    let who: Credentials = serde_json::from_str(key.expose()).ok()?;
    let moment = moment(at);
    let mut out = vec![("x-amz-date", moment.clone())];
    out.extend(
        who.session_token.clone().filter(|token| !token.is_empty()).map(|token| ("x-amz-security-token", token)),
    );
    request.headers.extend(out.iter().cloned());
    request.headers.sort();
    out.push(("authorization", authorization(signing, &who, &request, &moment)));
    Some(out)
}

/// The line that proves who sent the request.
fn authorization(signing: &Signing, who: &Credentials, request: &Unsigned<'_>, moment: &str) -> String {
    let names: Vec<&str> = request.headers.iter().map(|(name, _)| *name).collect();
    let names = names.join(";");
    let day = moment.get(..8).unwrap_or_default();
    let scope = format!("{day}/{}/{}/{END}", signing.region, signing.service);
    let to_sign = format!("{ALGORITHM}\n{moment}\n{scope}\n{}", sha256(canonical(request, &names).as_bytes()));
    let first = hmac(format!("AWS4{}", who.secret_access_key).as_bytes(), day);
    let key = [signing.region.as_str(), &signing.service, END].iter().fold(first, |key, part| hmac(&key, part));
    let signature = hex(&hmac(&key, &to_sign));
    format!("{ALGORITHM} Credential={}/{scope}, SignedHeaders={names}, Signature={signature}", who.access_key_id)
}

/// The request in the one form that both sides agree on.
fn canonical(request: &Unsigned<'_>, names: &str) -> String {
    let path = if request.path.is_empty() { "/".to_owned() } else { encoded(request.path, true) };
    let mut query: Vec<(&str, &str)> = request.query.split('&').filter(|pair| !pair.is_empty()).map(pair).collect();
    query.sort_unstable();
    let query: Vec<String> = query.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mut headers = String::new();
    for (name, value) in &request.headers {
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(headers, "{name}:{value}");
    }
    let body = sha256(request.body);
    format!("{}\n{path}\n{}\n{headers}\n{names}\n{body}", request.method, query.join("&"))
}

fn pair(pair: &str) -> (&str, &str) {
    pair.split_once('=').unwrap_or((pair, ""))
}

/// A text with everything but plain characters as `%XX`. What was encoded for the wire is so encoded once more, as this
/// protocol wants it.
pub(crate) fn encoded(text: &str, slashes: bool) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) || (slashes && byte == b'/') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

fn hmac(key: &[u8], text: &str) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes()).as_ref().to_vec()
}

fn sha256(bytes: &[u8]) -> String {
    hex(digest::digest(&digest::SHA256, bytes).as_ref())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// A time as `20150830T123600Z`.
fn moment(at: SystemTime) -> String {
    let seconds = at.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // The calendar that begins its years in March, so that leap days come last.
    let shifted = days + 719_468;
    let era_day = shifted % 146_097;
    let year_of_era = (era_day - era_day / 1_460 + era_day / 36_524 - era_day / 146_096) / 365;
    let day_of_year = era_day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = shifted / 146_097 * 400 + year_of_era + next;
    format!("{year:04}{month:02}{day:02}T{:02}{:02}{:02}Z", rest / 3_600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::{ApiKey, Signing, Unsigned, encoded, moment, signed};
    use std::time::{Duration, UNIX_EPOCH};

    const SECRET: &str = r#""SecretAccessKey":"wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY""#;
    /// A session's token of the same suite.
    const TOKEN: &str = concat!(
        "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTf",
        "lfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HF",
        "vlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr",
        "4rvx3iSIlTJabIQwj2ICCR/oLxBA=="
    );
    /// The moment of AWS's own examples: 2015-08-30 12:36:00.
    const AT: Duration = Duration::from_secs(1_440_938_160);

    fn line(more: &str, method: &str, url: &str, headers: &[(&'static str, &str)], body: &str) -> String {
        let signing = Signing { region: "us-east-1".into(), service: "service".into() };
        let key = ApiKey::from(format!(r#"{{"Version":1,"AccessKeyId":"AKIDEXAMPLE",{SECRET}{more}}}"#));
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned()));
        let headers = headers.chain([("host", "example.amazonaws.com".to_owned())]).collect();
        let request = Unsigned { method, path, query, headers, body: body.as_bytes() };
        signed(&signing, &key, request, UNIX_EPOCH + AT).unwrap().pop().unwrap().1
    }

    /// Of the test suite that AWS publishes for its own signers.
    #[test]
    fn the_published_signatures() {
        let session = format!(r#","SessionToken":"{TOKEN}""#);
        let form: &[(&'static str, &str)] = &[
            ("content-length", "13"),
            ("content-type", "application/x-www-form-urlencoded"),
            ("x-amz-content-sha256", "9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e"),
        ];
        for (more, method, url, headers, body, names, signature) in [
            (
                "",
                "GET",
                "/",
                &[][..],
                "",
                "host;x-amz-date",
                "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
            ),
            (
                "",
                "GET",
                "/?Param2=value2&Param1=value1",
                &[],
                "",
                "host;x-amz-date",
                "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
            ),
            (
                "",
                "GET",
                "/ሴ",
                &[],
                "",
                "host;x-amz-date",
                "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85",
            ),
            (
                "",
                "GET",
                "/example space/",
                &[],
                "",
                "host;x-amz-date",
                "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741",
            ),
            (
                "",
                "POST",
                "/",
                form,
                "Param1=value1",
                "content-length;content-type;host;x-amz-content-sha256;x-amz-date",
                "d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b",
            ),
            (
                session.as_str(),
                "POST",
                "/",
                &[],
                "",
                "host;x-amz-date;x-amz-security-token",
                "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead",
            ),
        ] {
            let want = format!(
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
                 SignedHeaders={names}, Signature={signature}"
            );
            assert_eq!(line(more, method, url, headers, body), want, "{method} {url}");
        }
    }

    #[test]
    fn moments_and_paths() {
        for (seconds, text) in [
            (0, "19700101T000000Z"),
            (951_782_399, "20000228T235959Z"),
            (951_782_400, "20000229T000000Z"),
            (951_868_800, "20000301T000000Z"),
            (1_798_761_599, "20261231T235959Z"),
        ] {
            assert_eq!(moment(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
        assert_eq!(encoded("/model/a-v1:0/x%3Ay", true), "/model/a-v1%3A0/x%253Ay");
    }

    #[test]
    fn what_is_no_pair_signs_nothing() {
        let signing = Signing { region: "r".into(), service: "s".into() };
        let request = Unsigned { method: "GET", path: "/", query: "", headers: vec![], body: b"" };
        assert!(signed(&signing, &ApiKey::from("sk-plain"), request, UNIX_EPOCH).is_none());
    }
}
