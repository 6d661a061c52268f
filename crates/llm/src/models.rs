//! Asks an endpoint which models it has.

use crate::Endpoint;
use crate::Wire;
use crate::answer::bounded_body;
use crate::failure::Trouble;
use crate::head::{head, keyed};
use reasonix_agent::Failure;
use serde_json::Value;
use std::time::Duration;

/// How long the list may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// One model of an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedModel {
    /// The model's id.
    pub id: String,
    /// Tokens it can see, where the endpoint says so.
    pub context_window: Option<u64>,
}

/// The models of an endpoint, in its own order. Asks once, without trying again.
pub async fn list_models(endpoint: &Endpoint, client: &reqwest::Client) -> Result<Vec<ListedModel>, Failure> {
    match tokio::time::timeout(PATIENCE, list(endpoint, client)).await {
        Ok(found) => found.map_err(|trouble| trouble.failure),
        Err(_) => Err(Trouble::silent(endpoint, PATIENCE.as_secs()).failure),
    }
}

async fn list(endpoint: &Endpoint, client: &reqwest::Client) -> Result<Vec<ListedModel>, Trouble> {
    let value = fetch(endpoint, client).await?;
    parse(&value).ok_or_else(|| Trouble::not_json(endpoint, &value.to_string()))
}

/// The list as the endpoint writes it.
pub(crate) async fn fetch(endpoint: &Endpoint, client: &reqwest::Client) -> Result<Value, Trouble> {
    // This one gives twenty at a time unless it is asked for more.
    let mut url = endpoint.route("models");
    if endpoint.wire == Wire::Anthropic {
        url.push_str(if url.contains('?') { "&limit=1000" } else { "?limit=1000" });
    }
    let endpoint = &*keyed(endpoint, false).await?;
    let headers = head(endpoint, "GET", &url, b"")?;
    let request = client.get(url).headers(headers);
    let response = request.send().await.map_err(|error| Trouble::unreachable(endpoint, error))?;
    let status = response.status();
    if status.is_redirection() {
        let target = response.headers().get("location").and_then(|target| target.to_str().ok()).unwrap_or_default();
        return Err(Trouble::redirect(endpoint, status.as_u16(), target));
    }
    let body = bounded_body(response).await;
    if !status.is_success() {
        return Err(Trouble::status(endpoint, status.as_u16(), &body));
    }
    if body.trim_start().starts_with('<') {
        return Err(Trouble::html(endpoint));
    }
    serde_json::from_str(&body).map_err(|_| Trouble::not_json(endpoint, &body))
}

/// Reads a list in any of its known shapes.
pub(crate) fn parse(value: &Value) -> Option<Vec<ListedModel>> {
    let list = [&value["data"], &value["models"], value].into_iter().find_map(Value::as_array)?;
    let models = list.iter().filter_map(|model| {
        let id = ["id", "name", "model"].iter().find_map(|field| model[*field].as_str()).or_else(|| model.as_str())?;
        Some(ListedModel { id: id.to_owned(), context_window: window(model) })
    });
    Some(models.collect())
}

/// The window under the names that servers give it. What is being served comes before what was trained.
fn window(model: &Value) -> Option<u64> {
    let (meta, top) = (&model["meta"], &model["top_provider"]);
    let places = [
        &model["max_model_len"],
        &meta["n_ctx"],
        &model["loaded_context_length"],
        &top["context_length"],
        &model["context_length"],
        &model["context_window"],
        &model["max_context_length"],
        &model["max_context_window"],
        &meta["n_ctx_train"],
    ];
    places.into_iter().find_map(Value::as_u64).filter(|window| *window > 0)
}

#[cfg(test)]
mod tests {
    use super::parse;
    use serde_json::json;

    #[test]
    fn shapes_of_lists() {
        for (what, list, expected) in [
            ("vLLM", json!({ "data": [{ "id": "a", "max_model_len": 32768 }] }), Some(vec![("a", Some(32768))])),
            (
                "llama.cpp",
                json!({ "data": [{ "id": "a", "meta": { "n_ctx_train": 8192 } }] }),
                Some(vec![("a", Some(8192))]),
            ),
            (
                "llama.cpp, served with less",
                json!({ "data": [{ "id": "a", "meta": { "n_ctx_train": 8192, "n_ctx": 2048 } }] }),
                Some(vec![("a", Some(2048))]),
            ),
            (
                "no window",
                json!({ "object": "list", "data": [{ "id": "a" }, { "id": "b" }] }),
                Some(vec![("a", None), ("b", None)]),
            ),
            ("names", json!({ "models": [{ "name": "a", "context_length": 0 }] }), Some(vec![("a", None)])),
            ("strings", json!(["a"]), Some(vec![("a", None)])),
            ("nothing", json!({ "data": [] }), Some(vec![])),
            ("no list", json!({ "status": "ok" }), None),
        ] {
            let found = parse(&list);
            let found = found.as_ref().map(|list| list.iter().map(|m| (m.id.as_str(), m.context_window)).collect());
            assert_eq!(found, expected, "{what}");
        }
    }
}
