//! Keeps secrets out of what people read.

use crate::{ApiKey, Endpoint};

/// How much of somebody else's message is shown.
const SHOWN: usize = 300;
/// What stands where a secret stood.
const MASK: &str = "***";

/// A url without user, password, query and fragment.
pub(crate) fn url(text: &str) -> String {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    match text.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
            format!("{scheme}://{host}{path}")
        }
        None => text.to_owned(),
    }
}

/// The password in a url, or the user where that is all it has.
fn password(url: &str) -> Option<&str> {
    let host = url.split_once("://")?.1.split(['/', '?', '#']).next()?;
    let (user, _) = host.rsplit_once('@')?;
    Some(user.split_once(':').map_or(user, |(_, password)| password))
}

/// What must not be seen: the key, the password in the address and the values of the user's own headers, with and without
/// what stands before a token.
fn secrets(endpoint: &Endpoint) -> impl Iterator<Item = &str> {
    let headers = endpoint.headers.iter().map(|(_, value)| value.as_str());
    let known = endpoint.key.iter().flat_map(ApiKey::secrets).chain(password(&endpoint.base_url)).chain(headers);
    let whole = known.filter(|secret| secret.len() >= 4);
    whole.flat_map(|secret| [Some(secret), secret.strip_prefix("Bearer ")]).flatten()
}

/// Somebody else's message on one line, bounded, and without anything that we sent as a secret.
pub(crate) fn message(text: &str, endpoint: &Endpoint) -> String {
    let text = secrets(endpoint).fold(text.to_owned(), |text, secret| text.replace(secret, MASK));
    let printable = text.split_whitespace().collect::<Vec<_>>().join(" ");
    bound(printable.chars().filter(|c| !c.is_control()).collect())
}

/// Somebody else's bytes without anything that we sent as a secret.
pub(crate) fn scrubbed(bytes: Vec<u8>, endpoint: &Endpoint) -> Vec<u8> {
    secrets(endpoint).map(str::as_bytes).fold(bytes, |bytes, secret| {
        let mut clean = Vec::new();
        let mut from = 0;
        for at in memchr::memmem::find_iter(&bytes, secret) {
            clean.extend_from_slice(bytes.get(from..at).unwrap_or_default());
            clean.extend_from_slice(MASK.as_bytes());
            from = at + secret.len();
        }
        if from == 0 {
            return bytes;
        }
        clean.extend_from_slice(bytes.get(from..).unwrap_or_default());
        clean
    })
}

fn bound(text: String) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::{message, scrubbed, url};
    use crate::{ApiKey, Endpoint};

    #[test]
    fn urls_lose_their_secrets() {
        for (given, shown) in [
            ("https://user:pass@host:1/v1?key=x#y", "https://host:1/v1"),
            ("http://host", "http://host"),
            ("http://host/a@b", "http://host/a@b"),
            ("nonsense?key=x", "nonsense"),
        ] {
            assert_eq!(url(given), shown);
        }
    }

    #[test]
    fn messages_lose_their_secrets_and_are_bounded() {
        let mut endpoint = Endpoint::new("p", "http://me:hunter4@h/v1", "m");
        endpoint.key = Some(ApiKey::from("sk-hunter2"));
        endpoint.headers.push(("Authorization".into(), "Bearer hunter3".into()));
        let shown = message("bad key sk-hunter2,\n\x1b[31m token hunter3, password hunter4", &endpoint);
        assert_eq!(shown, "bad key ***, [31m token ***, password ***");
        assert_eq!(message(&"界".repeat(1000), &endpoint).chars().count(), 301);
        let bytes = scrubbed(b"a sk-hunter2sk-hunter2 \xff hunter3".to_vec(), &endpoint);
        assert_eq!(bytes, b"a ****** \xff ***");
        assert_eq!(scrubbed(b"nothing".to_vec(), &endpoint), b"nothing");
    }
}
