//! What kind of server answers, and how much its model can see as it is served. Each kind says it in a place of its own.

use super::line::Line;
use crate::models::parse;
use reasonix_catalogue::Server;
use serde_json::{Value, json};

/// Windows that models have; anything else is a mistake or a lie.
const PLAUSIBLE: std::ops::RangeInclusive<u64> = 128..=100_000_000;

/// The kind of server: by what its list says, otherwise by the routes it has.
pub(super) async fn kind(line: &Line<'_>, list: &Value) -> Server {
    if let Some(server) = by_list(list) {
        return server;
    }
    let has = |document: Option<Value>, fields: &[&str]| {
        document.is_some_and(|found| fields.iter().any(|field| !found[*field].is_null()))
    };
    if has(line.document("/props", None).await, &["default_generation_settings", "total_slots"]) {
        return Server::LlamaCpp;
    }
    if has(line.document("/api/version", None).await, &["version"]) {
        return Server::Ollama;
    }
    if has(line.document("/get_model_info", None).await, &["model_path", "tokenizer_path"]) {
        return Server::Sglang;
    }
    if has(line.document("/api/v0/models", None).await, &["data"]) {
        return Server::LmStudio;
    }
    if has(line.document("/version", None).await, &["version"]) {
        return Server::Vllm;
    }
    Server::Unknown
}

fn by_list(list: &Value) -> Option<Server> {
    let first = &list["data"][0];
    match first["owned_by"].as_str()? {
        "llamacpp" => Some(Server::LlamaCpp),
        "vllm" => Some(Server::Vllm),
        "sglang" => Some(Server::Sglang),
        "library" => Some(Server::Ollama),
        "organization_owner" => Some(Server::LmStudio),
        _ => None,
    }
}

/// Tokens that the model can see.
pub(super) async fn window(line: &Line<'_>, server: Server, list: &Value, model: &str, hosted: bool) -> Option<u64> {
    let listed = || {
        let models = parse(list)?;
        let alone = models.len() == 1;
        models.into_iter().find(|listed| alone || listed.id == model)?.context_window
    };
    let own = match server {
        _ if hosted => None,
        Server::LlamaCpp => line.document("/props", None).await.as_ref().and_then(llama),
        Server::Ollama => ollama(line, model).await,
        Server::LmStudio => line.document("/api/v0/models", None).await.and_then(|found| lm_studio(&found, model)),
        Server::Sglang => line.document("/get_server_info", None).await.as_ref().and_then(sglang),
        Server::Vllm | Server::Unknown => None,
    };
    // What an Ollama lists is what was trained, not what is served.
    own.or_else(|| listed().filter(|_| server != Server::Ollama)).filter(|window| PLAUSIBLE.contains(window))
}

fn llama(props: &Value) -> Option<u64> {
    props["default_generation_settings"]["n_ctx"].as_u64().or_else(|| props["n_ctx"].as_u64())
}

fn sglang(info: &Value) -> Option<u64> {
    let places = [&info["context_length"], &info["max_req_input_len"], &info["max_total_num_tokens"]];
    places.into_iter().filter_map(Value::as_u64).filter(|window| *window > 0).min()
}

fn lm_studio(models: &Value, model: &str) -> Option<u64> {
    let found = models["data"].as_array()?.iter().find(|found| found["id"] == model)?;
    found["loaded_context_length"].as_u64().or_else(|| found["max_context_length"].as_u64())
}

/// What the loaded model was given, or what its file asks for.
async fn ollama(line: &Line<'_>, model: &str) -> Option<u64> {
    if let Some(window) = line.document("/api/ps", None).await.and_then(|loaded| ollama_loaded(&loaded, model)) {
        return Some(window);
    }
    let shown = line.document("/api/show", Some(&json!({ "model": model }))).await?;
    ollama_asked(shown["parameters"].as_str()?)
}

fn ollama_loaded(loaded: &Value, model: &str) -> Option<u64> {
    let named = |found: &&Value| {
        let tagged = |name: &str| name == model || name.strip_suffix(":latest") == Some(model);
        ["name", "model"].iter().filter_map(|field| found[*field].as_str()).any(tagged)
    };
    loaded["models"].as_array()?.iter().find(named)?["context_length"].as_u64()
}

fn ollama_asked(parameters: &str) -> Option<u64> {
    let line = parameters.lines().find_map(|line| line.trim().strip_prefix("num_ctx"))?;
    line.trim().trim_matches('"').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{by_list, llama, lm_studio, ollama_asked, ollama_loaded, sglang};
    use reasonix_catalogue::Server;
    use serde_json::json;

    #[test]
    fn servers_say_what_they_are() {
        for (owner, expected) in [
            ("llamacpp", Some(Server::LlamaCpp)),
            ("vllm", Some(Server::Vllm)),
            ("sglang", Some(Server::Sglang)),
            ("library", Some(Server::Ollama)),
            ("organization_owner", Some(Server::LmStudio)),
            ("me", None),
        ] {
            assert_eq!(by_list(&json!({ "data": [{ "id": "m", "owned_by": owner }] })), expected, "{owner}");
        }
        assert_eq!(by_list(&json!({ "data": [] })), None);
    }

    #[test]
    fn windows_in_their_places() {
        assert_eq!(llama(&json!({ "default_generation_settings": { "n_ctx": 4096 } })), Some(4096));
        let info = json!({ "context_length": 32768, "max_total_num_tokens": 20000 });
        assert_eq!(sglang(&info), Some(20000), "what is in memory is less than what the model could");
        let list = json!({ "data": [{ "id": "a", "max_context_length": 9 },
            { "id": "b", "max_context_length": 131072, "loaded_context_length": 4096 }] });
        assert_eq!(lm_studio(&list, "b"), Some(4096));
        let loaded = json!({ "models": [{ "name": "qwen3:latest", "context_length": 8192 }] });
        assert_eq!(ollama_loaded(&loaded, "qwen3"), Some(8192));
        assert_eq!(ollama_loaded(&loaded, "qwen"), None);
        assert_eq!(ollama_asked("stop \"<|im_end|>\"\nnum_ctx                        16384\n"), Some(16384));
        assert_eq!(ollama_asked("temperature 1"), None);
    }
}
