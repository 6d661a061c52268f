//! What servers ask back while they work: questions for people, and folders. Both eras ask the same things, the newer one in
//! place of an answer, the older one by requests of its own.

use crate::elicit::{ElicitKind, ElicitReply, Elicitation, Elicits};
use crate::listing::bounded;
use reqwest::Url;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of a question.
const MESSAGE: usize = 4096;
/// Bytes of a form's schema.
const FORM: usize = 64 * 1024;

/// The question of a server as people may see it; none for one that nobody is asked.
pub(crate) fn question(server: &str, asked: &ElicitRequestParams) -> Option<Elicitation> {
    let (message, kind) = match asked {
        ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
            let schema = serde_json::to_value(requested_schema).ok()?;
            (schema.to_string().len() <= FORM).then_some((message, ElicitKind::Form { schema }))?
        }
        ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
            let (url, host) = opened(url)?;
            (message, ElicitKind::Url { url, host })
        }
        _ => return None,
    };
    Some(Elicitation { server: server.to_owned(), message: bounded(message, MESSAGE), kind })
}

/// An address that a person may be asked to open, and its host: no scheme that runs something, nothing that hides the host.
fn opened(url: &str) -> Option<(String, String)> {
    let parsed = Url::parse(url).ok().filter(|_| url.len() <= MESSAGE)?;
    let plain = matches!(parsed.scheme(), "http" | "https") && parsed.username().is_empty();
    let host = parsed.host_str().filter(|_| plain && parsed.password().is_none())?.to_owned();
    Some((parsed.to_string(), host))
}

/// Asks, and says it in the words of the protocol.
pub(crate) async fn ask(elicits: &Arc<dyn Elicits>, question: Elicitation) -> ElicitResult {
    let is_form = matches!(question.kind, ElicitKind::Form { .. });
    match elicits.elicit(question).await {
        ElicitReply::Accept(values) if is_form => {
            ElicitResult::new(ElicitationAction::Accept).with_content(Value::Object(values))
        }
        ElicitReply::Accept(_) => ElicitResult::new(ElicitationAction::Accept),
        ElicitReply::Decline => ElicitResult::new(ElicitationAction::Decline),
        ElicitReply::Cancel => ElicitResult::new(ElicitationAction::Cancel),
    }
}

/// A folder as an address.
pub(crate) fn folder_address(path: &Path) -> String {
    let mut out = "file://".to_owned();
    for byte in path.to_string_lossy().bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// The folders as the protocol has them.
#[expect(deprecated, reason = "servers of the older era ask for it")]
pub(crate) fn roots(folders: &[PathBuf]) -> rmcp::model::ListRootsResult {
    let root = |path: &PathBuf| rmcp::model::Root::new(folder_address(path));
    rmcp::model::ListRootsResult::new(folders.iter().map(root).collect())
}

#[cfg(test)]
mod tests {
    use super::{folder_address, opened};
    use std::path::Path;

    #[test]
    fn only_plain_web_addresses_are_shown() {
        for url in
            ["javascript:alert(1)", "file:///etc/passwd", "https://user@evil.example/", "https://a:b@c/", "x", ""]
        {
            assert_eq!(opened(url), None, "{url}");
        }
        let (_, host) = opened("https://ex\u{430}mple.com/login?x=$(touch y)").unwrap();
        assert!(host.starts_with("xn--"), "letters of another script are seen: {host}");
    }

    #[test]
    fn folders_are_addresses() {
        assert_eq!(folder_address(Path::new("/home/a b/ü")), "file:///home/a%20b/%C3%BC");
    }
}
