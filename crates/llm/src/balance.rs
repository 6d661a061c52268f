//! Asks an endpoint what is left on the account, where it can be asked. Not being told is no failure.

use crate::Endpoint;
use crate::answer::bounded_body;
use crate::head::{head, keyed};
use reasonix_catalogue::balance_route;
use serde_json::Value;
use std::time::Duration;

/// How long the answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is left, in one currency, as the endpoint writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balance {
    /// The currency.
    pub currency: String,
    /// What can be spent.
    pub total: String,
}

/// What is left on the account; none where the endpoint cannot be asked or does not say.
pub async fn balance(endpoint: &Endpoint, client: &reqwest::Client) -> Option<Vec<Balance>> {
    let route = balance_route(&endpoint.base_url)?;
    ask(endpoint, client, route).await
}

async fn ask(endpoint: &Endpoint, client: &reqwest::Client, route: &str) -> Option<Vec<Balance>> {
    let endpoint = keyed(endpoint, false).await.ok()?;
    let url = endpoint.route(route);
    let headers = head(&endpoint, "GET", &url, b"").ok()?;
    let request = client.get(url).headers(headers).send();
    let response = tokio::time::timeout(PATIENCE, request).await.ok()?.ok()?;
    if !response.status().is_success() {
        return None;
    }
    parse(&serde_json::from_str(&bounded_body(response).await).ok()?)
}

/// Reads an account in any of its known shapes.
fn parse(value: &Value) -> Option<Vec<Balance>> {
    let text = |value: &Value| {
        value.as_str().map(str::to_owned).or_else(|| value.as_f64().map(|number| format!("{number:.2}")))
    };
    if let Some(infos) = value["balance_infos"].as_array() {
        let one =
            |info: &Value| Some(Balance { currency: text(&info["currency"])?, total: text(&info["total_balance"])? });
        return Some(infos.iter().filter_map(one).collect());
    }
    let data = &value["data"];
    if let Some(total) = text(&data["available_balance"]) {
        return Some(vec![Balance { currency: "CNY".to_owned(), total }]);
    }
    let (bought, used) = (data["total_credits"].as_f64()?, data["total_usage"].as_f64()?);
    Some(vec![Balance { currency: "USD".to_owned(), total: format!("{:.2}", bought - used) }])
}

#[cfg(test)]
mod tests {
    use super::{ask, parse};
    use crate::Endpoint;
    use reasonix_testkit::ModelServer;
    use serde_json::json;

    #[test]
    fn shapes_of_accounts() {
        for (what, value, expected) in [
            (
                "DeepSeek",
                json!({ "is_available": true, "balance_infos": [{ "currency": "CNY", "total_balance": "110.00" }] }),
                Some(("CNY", "110.00")),
            ),
            ("Kimi", json!({ "code": 0, "data": { "available_balance": 49.58 } }), Some(("CNY", "49.58"))),
            ("OpenRouter", json!({ "data": { "total_credits": 10, "total_usage": 2.5 } }), Some(("USD", "7.50"))),
            ("nothing", json!({ "ok": true }), None),
        ] {
            let found = parse(&value);
            let found =
                found.as_ref().and_then(|list| list.first()).map(|one| (one.currency.as_str(), one.total.as_str()));
            assert_eq!(found, expected, "{what}");
        }
    }

    #[tokio::test]
    async fn not_being_told_is_no_failure() {
        let server = ModelServer::start(vec![]).await;
        let client = reasonix_net::client(&server.base_url(), &reasonix_net::NetOptions::default()).expect("a client");
        assert_eq!(ask(&Endpoint::new("p", server.base_url(), "m"), &client, "user/balance").await, None);
        assert_eq!(super::balance(&Endpoint::new("p", server.base_url(), "m"), &client).await, None);
        assert_eq!(server.all_requests().len(), 1, "an endpoint without a known route is not asked");
    }
}
