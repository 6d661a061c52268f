//! What a model of an endpoint is called in the names of files, so that what is known of it is found again.

use reasonix_llm::Endpoint;
use reasonix_store::BlobKey;

/// What stands for a model of an endpoint in the names of files.
pub(crate) fn key_of(endpoint: &Endpoint) -> String {
    let place = endpoint.base_url.trim().trim_end_matches('/');
    let name = format!("{}\n{place}\n{}", endpoint.wire.kind(), endpoint.wire_name());
    let key = BlobKey::of(name.as_bytes()).to_string();
    key.get(..32).unwrap_or_default().to_owned()
}
