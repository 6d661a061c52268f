//! Keeps secrets out of what people read.

use crate::Endpoint;

/// How much of somebody else's message is shown.
const SHOWN: usize = 300;

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

/// Somebody else's message on one line, bounded, and without anything that we sent as a secret.
pub(crate) fn message(text: &str, endpoint: &Endpoint) -> String {
    let mut text = text.to_owned();
    let headers = endpoint.headers.iter().map(|(_, value)| value.as_str());
    for secret in endpoint.secret().into_iter().chain(headers).filter(|secret| secret.len() >= 4) {
        text = text.replace(secret, "***");
        if let Some(token) = secret.strip_prefix("Bearer ") {
            text = text.replace(token, "***");
        }
    }
    let printable = text.split_whitespace().collect::<Vec<_>>().join(" ");
    bound(printable.chars().filter(|c| !c.is_control()).collect())
}

fn bound(text: String) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::{message, url};
    use crate::{Endpoint, Key};

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
        let mut endpoint = Endpoint::new("p", "http://h", "m");
        endpoint.key = Some(Key::from("sk-hunter2"));
        endpoint.headers.push(("Authorization".into(), "Bearer hunter3".into()));
        let shown = message("bad key sk-hunter2,\n\x1b[31m token hunter3", &endpoint);
        assert_eq!(shown, "bad key ***, [31m token ***");
        assert_eq!(message(&"界".repeat(1000), &endpoint).chars().count(), 301);
    }
}
