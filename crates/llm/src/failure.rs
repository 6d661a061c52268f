//! From what an endpoint did to what a person can do about it.

use crate::{Endpoint, backoff, redact};
use reasonix_agent::Failure;
use reasonix_proto::{FailureClass as Class, Phrase};
use serde_json::Value;
use std::error::Error;
use std::time::Duration;

/// A failure, and whether the same request may succeed later.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Trouble {
    pub(crate) failure: Failure,
    pub(crate) passing: bool,
    /// What was odd about the response, where somebody decides by it.
    pub(crate) oddity: Option<Oddity>,
    /// How long the endpoint wants to be left alone, where its words say so.
    pub(crate) asked: Option<Duration>,
    /// What the model wrote for a call, where the endpoint could not read it.
    pub(crate) wrote: Option<String>,
}

/// A response that is not what the protocol says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Oddity {
    /// It points elsewhere.
    Redirect,
    /// It is a page for people.
    Page,
    /// A piece of it cannot be read.
    NotJson,
    /// It refuses to be told the form of an answer.
    Form,
}

/// What several endpoints say when a prompt is longer than the window.
const TOO_LONG: &[&str] = &[
    "context_length_exceeded",
    "context length",
    "context window",
    "context size",
    "exceed_context_size",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "range of input length",
    "too many tokens",
    "reduce the length",
    "exceeds the maximum number of tokens",
    "exceeded model token limit",
    "exceeds max length",
    "exceed context limit",
    "maximum prompt length",
    "maximum model length",
    "exceeds the limit of",
    "`max_new_tokens` must be",
    "prompt 超长",
];
const NO_MONEY: &[&str] = &[
    "insufficient_quota",
    "usage_not_included",
    "insufficient balance",
    "insufficient_balance",
    "insufficient credit",
    "credit balance is too low",
    "arrearage",
    "overdue",
    "exceeded your current quota",
    "exceeded_current_quota",
    "billing_hard_limit",
    "balance is insufficient",
    "any credits",
    "no credits",
    "freetieronly",
    "suspended",
    "余额不足",
    "欠费",
];
const NO_MODEL: &[&str] = &[
    "model_not_found",
    "model not found",
    "model not exist",
    "model_not_exist",
    "unknown model",
    "invalid model",
    "not a valid model",
    "no such model",
    "no endpoints found for",
    "deploymentnotfound",
    "模型不存在",
];
/// What several endpoints say when a model cannot be given tools.
const NO_TOOLS: &[&str] = &[
    "support tool use",
    "not support tools",
    "not support tool",
    "auto tool choice requires",
    "enable-auto-tool-choice",
];
/// What several endpoints say when they cannot be told the form of an answer, or not beside tools.
const NO_FORM: &[&str] = &[
    "response_format",
    "response format",
    "response mime type",
    "response_schema",
    "text.format",
    "output_config",
    "output_format",
    "json_schema",
    "json schema",
    "json mode",
    "json_validate_failed",
    "structured output",
    "structured_output",
    "allowedpartnermodelfeatures",
    "requested parameters",
    "grammar",
];
const BAD_KEY: &[&str] =
    &["invalid_api_key", "invalid api key", "incorrect api key", "api key not valid", "invalid_authentication"];

impl Trouble {
    pub(crate) fn of(class: Class, phrase: Phrase) -> Self {
        let passing = matches!(class, Class::RateLimited | Class::Server);
        Self { failure: Failure::new(class, phrase), passing, oddity: None, asked: None, wrote: None }
    }

    fn odd(mut self, oddity: Oddity) -> Self {
        self.oddity = Some(oddity);
        self
    }

    pub(crate) fn passing(mut self, passing: bool) -> Self {
        self.passing = passing;
        self
    }

    /// The key is not there, so that nobody needs to be asked.
    pub(crate) fn key_missing(endpoint: &Endpoint) -> Self {
        Self::of(Class::KeyRejected, phrase("llm.key_missing", endpoint))
    }

    /// A response with a status that is no success.
    pub(crate) fn status(endpoint: &Endpoint, status: u16, body: &str) -> Self {
        let said = said_in(body);
        let lower = format!("{}\n{said}", codes_in(body)).to_lowercase();
        // What passes by itself in a moment is no empty account, however it is worded.
        let asked = backoff::asked_in(body);
        let returns = status == 429 && asked.is_some();
        let class = if returns { Class::RateLimited } else { class_of(status, &lower) };
        // The endpoint could not read the call that its own model wrote; another try writes another one.
        let garbled = status == 400 && lower.contains("tool_use_failed");
        let code = match class {
            Class::KeyRejected if endpoint.secret().is_none() && endpoint.key_env.is_none() => "llm.key_unnamed",
            Class::KeyRejected if endpoint.secret().is_none() => "llm.key_missing",
            Class::KeyRejected if status == 403 => "llm.forbidden",
            Class::KeyRejected => "llm.key_rejected",
            Class::BalanceEmpty => "llm.balance_empty",
            Class::ContextTooLong => "llm.context_too_long",
            Class::ModelUnknown => "llm.model_unknown",
            Class::RateLimited => "llm.rate_limited",
            Class::Server => "llm.server",
            _ if garbled => "llm.tool_use_failed",
            _ if NO_TOOLS.iter().any(|words| lower.contains(words)) => "llm.no_tools",
            _ if status == 404 || status == 405 => "llm.no_route",
            _ => "llm.bad_request",
        };
        let message = if said.is_empty() { format!("HTTP {status}") } else { redact::message(&said, endpoint) };
        let passing = matches!(status, 408 | 429) || (status >= 500 && !matches!(status, 501 | 505));
        let phrase = phrase(code, endpoint).with("status", status).with("message", message);
        let passing = passing && matches!(class, Class::RateLimited | Class::Server) || garbled;
        let formless = matches!(status, 400 | 404 | 422) && NO_FORM.iter().any(|words| lower.contains(words));
        let wrote = if garbled { wrote_in(body) } else { None };
        let window = (class == Class::ContextTooLong).then(|| window_in(body)).flatten();
        let failure = Failure { window, ..Failure::new(class, phrase) };
        Self { failure, passing, oddity: formless.then_some(Oddity::Form), asked, wrote }
    }

    /// A response that points elsewhere. It is not followed: the key would go with it.
    pub(crate) fn redirect(endpoint: &Endpoint, status: u16, target: &str) -> Self {
        let target = redact::message(&redact::url(target), endpoint);
        let phrase = phrase("llm.redirect", endpoint).with("status", status).with("target", target);
        Self::of(Class::BadResponse, phrase).odd(Oddity::Redirect)
    }

    /// An `error` object in the middle of a stream.
    pub(crate) fn in_stream(endpoint: &Endpoint, error: &Value) -> Self {
        let number = ["code", "status", "status_code"].iter().find_map(|name| match &error[*name] {
            Value::Number(number) => number.as_u64(),
            Value::String(text) => text.parse().ok(),
            _ => None,
        });
        let named = |name: &str| error[name].as_str().unwrap_or_default();
        let kind = format!("{}\n{}", named("type"), named("code")).to_lowercase();
        let is = |words: &[&str]| words.iter().any(|word| kind.contains(word));
        let status = number.and_then(|number| u16::try_from(number).ok()).filter(|status| (400..600).contains(status));
        let guess = if is(&["rate_limit", "overloaded", "slow_down", "too_many_requests"]) {
            429
        } else if is(&["invalid_request", "badrequest", "bad_request", "invalid_prompt"]) {
            400
        } else {
            500
        };
        let body = if error.is_object() { serde_json::json!({ "error": error }) } else { error.clone() };
        Self::status(endpoint, status.unwrap_or(guess), &body.to_string())
    }

    /// No answer could be had.
    pub(crate) fn unreachable(endpoint: &Endpoint, error: reqwest::Error) -> Self {
        if error.is_builder() {
            return Self::bad_url(endpoint);
        }
        Self::unconnected(endpoint, &redact::message(&causes(&error.without_url()), endpoint))
    }

    /// The same by what a library says about it.
    fn unconnected(endpoint: &Endpoint, reason: &str) -> Self {
        let lower = reason.to_lowercase();
        let certificate = lower.contains("certificate") || lower.contains("unknownissuer");
        let nameless = lower.contains("dns error") || lower.contains("error resolving dns");
        let code = match &endpoint.proxy {
            _ if certificate => "llm.certificate",
            Some(_) => "llm.unreachable_proxy",
            None if nameless => "llm.no_name",
            None if endpoint.is_local() => "llm.unreachable",
            None => "llm.unreachable_hosted",
        };
        let proxy = endpoint.proxy.as_deref().map(redact::url).unwrap_or_default();
        // What could not be reached is the endpoint, whichever of its routes was wanted.
        let phrase = Phrase::new(code)
            .with("provider", &endpoint.provider)
            .with("url", redact::url(&endpoint.base_url))
            .with("host", endpoint.host())
            .with("reason", plainly(reason))
            .with("proxy", proxy);
        Self::of(Class::Unreachable, phrase).passing(!certificate)
    }

    /// The connection broke in the middle of the answer.
    pub(crate) fn broken(endpoint: &Endpoint, reason: &str) -> Self {
        let reason = redact::message(reason, endpoint);
        Self::of(Class::StreamBroken, phrase("llm.stream_broken", endpoint).with("reason", reason)).passing(true)
    }

    /// Nothing came for too long.
    pub(crate) fn silent(endpoint: &Endpoint, seconds: u64) -> Self {
        // A request that may still be running is not sent again, unless the user says how long one may run.
        let phrase = phrase("llm.idle", endpoint).with("seconds", seconds);
        Self::of(Class::StreamBroken, phrase).passing(endpoint.silence_passes)
    }

    /// The same failure where the endpoint wants no request before a wait that is too long to be waited for.
    pub(crate) fn later(self, wait: &str) -> Self {
        let Self { failure, .. } = self;
        let phrase = Phrase { code: "llm.wait_too_long".into(), ..failure.phrase }.with("wait", wait);
        Self::of(failure.class, phrase).passing(false)
    }

    /// A web page came instead of an answer.
    pub(crate) fn html(endpoint: &Endpoint) -> Self {
        Self::of(Class::BadResponse, phrase("llm.html", endpoint)).odd(Oddity::Page)
    }

    /// Something came that is not what the protocol says.
    pub(crate) fn not_json(endpoint: &Endpoint, text: &str) -> Self {
        let phrase = phrase("llm.not_json", endpoint).with("message", redact::message(text, endpoint));
        Self::of(Class::BadResponse, phrase).odd(Oddity::NotJson)
    }

    /// One event among others cannot be read.
    pub(crate) fn garbled(endpoint: &Endpoint, text: &str) -> Self {
        let phrase = phrase("llm.garbled", endpoint).with("message", redact::message(text, endpoint));
        Self::of(Class::StreamBroken, phrase).passing(true).odd(Oddity::NotJson)
    }

    /// An answer is larger than any real one.
    pub(crate) fn too_long(endpoint: &Endpoint) -> Self {
        Self::of(Class::BadResponse, phrase("llm.answer_too_long", endpoint))
    }

    /// An answer has more calls than any real one.
    pub(crate) fn too_many_calls(endpoint: &Endpoint, most: usize) -> Self {
        Self::of(Class::BadResponse, phrase("llm.too_many_calls", endpoint).with("most", most))
    }

    /// The address is none.
    pub(crate) fn bad_url(endpoint: &Endpoint) -> Self {
        Self::of(Class::Unreachable, phrase("llm.bad_url", endpoint))
    }

    /// A key that nothing can be signed with.
    pub(crate) fn unsignable(endpoint: &Endpoint) -> Self {
        Self::of(Class::KeyRejected, phrase("llm.unsignable", endpoint))
    }

    /// A key or a header that cannot be sent.
    pub(crate) fn unsendable(endpoint: &Endpoint, header: &str) -> Self {
        Self::of(Class::KeyRejected, phrase("llm.bad_header", endpoint).with("header", header))
    }
}

/// The last cause of a failed connection, in words that are said of networks; what libraries say around it tells nobody
/// more.
fn plainly(reason: &str) -> &str {
    let lower = reason.to_lowercase();
    let known = [
        ("connection refused", "@llm.why_refused"),
        ("connection reset", "@llm.why_reset"),
        ("timed out", "@llm.why_slow"),
        ("deadline has elapsed", "@llm.why_slow"),
        ("network is unreachable", "@llm.why_offline"),
        ("no route to host", "@llm.why_offline"),
    ];
    let plain = known.iter().find(|(said, _)| lower.contains(said)).map(|(_, plain)| *plain);
    plain.unwrap_or_else(|| reason.rsplit(": ").next().unwrap_or(reason))
}

/// A phrase with the arguments that every text of this room may use.
fn phrase(code: &'static str, endpoint: &Endpoint) -> Phrase {
    let named = if endpoint.key_source.is_some() { "api_key_command" } else { "api_key_env" };
    let env = endpoint.key_env.as_deref().unwrap_or(named);
    Phrase::new(code)
        .with("provider", &endpoint.provider)
        .with("model", &endpoint.model)
        .with("url", redact::url(&endpoint.target()))
        .with("env", env)
}

fn class_of(status: u16, lower: &str) -> Class {
    let any = |patterns: &[&str]| patterns.iter().any(|pattern| lower.contains(pattern));
    match status {
        401 => Class::KeyRejected,
        402 => Class::BalanceEmpty,
        413 => Class::ContextTooLong,
        _ if any(NO_MONEY) => Class::BalanceEmpty,
        // One request that is larger than what a minute allows never fits.
        429 if lower.contains("request too large") => Class::ContextTooLong,
        429 => Class::RateLimited,
        _ if any(TOO_LONG) => Class::ContextTooLong,
        _ if any(NO_TOOLS) => Class::BadRequest,
        _ if any(NO_MODEL) || (status == 404 && lower.contains("model")) => Class::ModelUnknown,
        _ if any(BAD_KEY) => Class::KeyRejected,
        403 => Class::KeyRejected,
        408 | 500.. => Class::Server,
        _ => Class::BadRequest,
    }
}

/// What stands before the number of tokens that fit, where a request is refused as too long.
const WINDOW: &[&str] = &[
    "\"n_ctx\":",
    "maximum context length is ",
    "maximum context length of ",
    "available context size (",
    "context window of ",
    "maximum prompt length is ",
    "model token limit: ",
    "maximum number of tokens allowed (",
    "range of input length should be [1, ",
    "tokens > ",
];

/// A window that an endpoint may well have.
const LIKELY: std::ops::RangeInclusive<u64> = 512..=20_000_000;

/// How many tokens fit, as an endpoint says that refuses a request.
fn window_in(body: &str) -> Option<u64> {
    let lower = body.to_lowercase();
    let behind = WINDOW.iter().find_map(|words| lower.split_once(words))?.1.trim_start();
    let digits: String = behind.chars().filter(|c| *c != ',').take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|tokens| LIKELY.contains(tokens))
}

/// What a model wrote for a call that its endpoint could not read.
fn wrote_in(body: &str) -> Option<String> {
    let body: Value = serde_json::from_str(body).ok()?;
    let text = body.get("error").unwrap_or(&body).get("failed_generation")?.as_str()?;
    (!text.trim().is_empty()).then(|| text.to_owned())
}

/// What an error body says, without its wrapping.
fn said_in(body: &str) -> String {
    let body = body.trim();
    let Ok(value) = serde_json::from_str::<Value>(body) else {
        let page = body.starts_with('<');
        return if page { String::new() } else { body.to_owned() };
    };
    let value = if let Value::Array(list) = &value { list.first().cloned().unwrap_or_default() } else { value };
    let places = [
        &value["error"]["message"],
        &value["error"]["metadata"]["raw"],
        &value["error"],
        &value["message"]["detail"],
        &value["message"],
        &value["detail"],
        &value["error_msg"],
    ];
    match places.into_iter().find(|place| !place.is_null()) {
        Some(Value::String(text)) => match passed_on(&value["error"]["metadata"]["raw"]) {
            Some(raw) if !text.contains(&raw) && !raw.contains(text.as_str()) => format!("{text}: {raw}"),
            Some(raw) if raw.len() > text.len() => raw,
            _ => text.clone(),
        },
        // What a checker of requests says, without the request.
        Some(Value::Array(list)) if list.iter().any(|item| item["msg"].is_string()) => {
            list.iter().filter_map(|item| item["msg"].as_str()).collect::<Vec<_>>().join("; ")
        }
        Some(other) => other.to_string(),
        None if value.is_null() => String::new(),
        None => value.to_string(),
    }
}

/// What a gateway passes on of an error of somebody behind it.
fn passed_on(raw: &Value) -> Option<String> {
    let said = match raw {
        Value::String(text) => said_in(text),
        Value::Object(_) => said_in(&raw.to_string()),
        _ => return None,
    };
    (!said.trim().is_empty()).then_some(said)
}

/// The codes and kinds that an error body names. A body may hold the request that it complains of: what that says does not
/// count.
fn codes_in(body: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(body.trim()) else { return body.to_owned() };
    let value = if let Value::Array(list) = &value { list.first().cloned().unwrap_or_default() } else { value };
    let error = &value["error"];
    let places = [
        &error["code"],
        &error["type"],
        &error["status"],
        &error["param"],
        &error["metadata"]["raw"],
        &value["code"],
        &value["type"],
        &value["message"],
        &value["detail"],
        error,
    ];
    places.into_iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

/// An error with everything that caused it, each said once.
pub(crate) fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text.push_str(": ");
            text.push_str(&next);
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::Trouble;
    use crate::{ApiKey, Endpoint};
    use reasonix_proto::FailureClass as Class;
    use serde_json::json;

    fn endpoint() -> Endpoint {
        Endpoint { key: Some(ApiKey::from("sk-hunter2")), ..Endpoint::new("p", "http://h/v1", "m") }
    }

    #[test]
    fn how_much_fits_is_read_out_of_a_refusal() {
        for (body, window) in [
            (
                r#"{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":8577,"n_ctx":8192}}"#,
                Some(8_192),
            ),
            (
                r#"{"error":{"message":"This model's maximum context length is 16,385 tokens. However, you"}}"#,
                Some(16_385),
            ),
            (r#"{"error":{"message":"prompt is too long: 208310 tokens > 200000 maximum"}}"#, Some(200_000)),
            ("Range of input length should be [1, 30720]", Some(30_720)),
            (r#"{"error":{"message":"Your request exceeded model token limit: 131072"}}"#, Some(131_072)),
            (r#"{"error":{"message":"Prompt exceeds max length"}}"#, None),
            (r#"{"error":{"message":"maximum context length is 0"}}"#, None),
            (r#"{"error":{"message":"temperature","n_ctx":8192}}"#, None),
        ] {
            assert_eq!(Trouble::status(&endpoint(), 400, body).failure.window, window, "{body}");
        }
    }

    #[test]
    fn statuses_and_bodies() {
        for (status, body, class, code, passing) in [
            (401, "{}", Class::KeyRejected, "llm.key_rejected", false),
            (403, "{}", Class::KeyRejected, "llm.forbidden", false),
            (402, r#"{"error":{"message":"Insufficient Balance"}}"#, Class::BalanceEmpty, "llm.balance_empty", false),
            (429, r#"{"error":{"code":"insufficient_quota"}}"#, Class::BalanceEmpty, "llm.balance_empty", false),
            (429, "slow down", Class::RateLimited, "llm.rate_limited", true),
            (
                400,
                r#"{"error":{"message":"This model's maximum context length is 8192 tokens"}}"#,
                Class::ContextTooLong,
                "llm.context_too_long",
                false,
            ),
            (
                400,
                r#"{"error":{"type":"exceed_context_size_error","message":"x"}}"#,
                Class::ContextTooLong,
                "llm.context_too_long",
                false,
            ),
            (400, "Range of input length should be [1, 30720]", Class::ContextTooLong, "llm.context_too_long", false),
            (413, "", Class::ContextTooLong, "llm.context_too_long", false),
            (400, r#"{"error":{"message":"Model Not Exist"}}"#, Class::ModelUnknown, "llm.model_unknown", false),
            (
                404,
                r#"{"error":{"message":"The model `x` does not exist."}}"#,
                Class::ModelUnknown,
                "llm.model_unknown",
                false,
            ),
            (404, r#"{"error":"model 'x' not found"}"#, Class::ModelUnknown, "llm.model_unknown", false),
            (404, "404 page not found", Class::BadRequest, "llm.no_route", false),
            (400, r#"{"error":{"message":"API key not valid"}}"#, Class::KeyRejected, "llm.key_rejected", false),
            (400, r#"{"detail":[{"msg":"field required"}]}"#, Class::BadRequest, "llm.bad_request", false),
            (422, r#"{"message":"bad parameter"}"#, Class::BadRequest, "llm.bad_request", false),
            (408, "", Class::Server, "llm.server", true),
            (500, "oops", Class::Server, "llm.server", true),
            (503, r#"{"error":{"message":"Loading model"}}"#, Class::Server, "llm.server", true),
            (529, "", Class::Server, "llm.server", true),
            (501, "", Class::Server, "llm.server", false),
        ] {
            let trouble = Trouble::status(&endpoint(), status, body);
            let failure = &trouble.failure;
            let found = (failure.class, failure.phrase.code.as_ref(), trouble.passing);
            assert_eq!(found, (class, code, passing), "{status} {body}");
        }
        let nobody = Endpoint::new("p", "http://h/v1", "m");
        assert_eq!(Trouble::status(&nobody, 401, "").failure.phrase.code, "llm.key_unnamed");
        let named = Endpoint { key_env: Some("NAME".to_owned()), ..nobody };
        assert_eq!(Trouble::status(&named, 401, "").failure.phrase.code, "llm.key_missing");
    }

    #[test]
    fn words_of_vendors() {
        for (status, body, class) in [
            (400, r#"{"error":{"message":"Your request exceeded model token limit: 131072"}}"#, Class::ContextTooLong),
            (400, r#"{"error":{"message":"Prompt exceeds max length"}}"#, Class::ContextTooLong),
            (400, r#"{"error":{"message":"This model's maximum prompt length is 131072"}}"#, Class::ContextTooLong),
            (
                422,
                r#"{"error":{"message":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193."}}"#,
                Class::ContextTooLong,
            ),
            (400, r#"{"error":{"code":"1261","message":"Prompt 超长"}}"#, Class::ContextTooLong),
            (
                429,
                r#"{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 35000."}}"#,
                Class::ContextTooLong,
            ),
            (
                429,
                r#"[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.",
                    "status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"12s"}]}}]"#,
                Class::RateLimited,
            ),
            (
                429,
                r#"{"error":{"type":"exceeded_current_quota_error","message":"Your account is suspended"}}"#,
                Class::BalanceEmpty,
            ),
            (403, r#"{"code":"AllocationQuota.FreeTierOnly","message":"x"}"#, Class::BalanceEmpty),
            (403, r#"{"code":30001,"message":"Sorry, your account balance is insufficient"}"#, Class::BalanceEmpty),
            (404, r#"{"error":{"message":"No endpoints found for acme/x."}}"#, Class::ModelUnknown),
            (404, r#"{"error":{"code":"DeploymentNotFound","message":"x"}}"#, Class::ModelUnknown),
            (400, r#"{"error":{"message":"模型不存在"}}"#, Class::ModelUnknown),
            (404, r#"{"error":{"message":"No endpoints found that support tool use."}}"#, Class::BadRequest),
            (
                422,
                r#"{"message":{"detail":[{"msg":"Extra inputs are not permitted","input":"the account is overdue"}]}}"#,
                Class::BadRequest,
            ),
            (
                422,
                r#"{"detail":[{"msg":"Extra inputs are not permitted","input":{"prompt":"context window, overdue"}}]}"#,
                Class::BadRequest,
            ),
        ] {
            assert_eq!(Trouble::status(&endpoint(), status, body).failure.class, class, "{body}");
        }
        for (status, body) in [
            (404, r#"{"error":{"message":"No endpoints found that support tool use."}}"#),
            (400, r#"{"error":"registry.ollama.ai/library/x does not support tools"}"#),
            (400, r#"{"message":"\"auto\" tool choice requires --enable-auto-tool-choice"}"#),
        ] {
            assert_eq!(Trouble::status(&endpoint(), status, body).failure.phrase.code, "llm.no_tools", "{body}");
        }
    }

    #[test]
    fn the_message_is_taken_out_of_its_wrapping_without_the_key() {
        for (body, message) in [
            (r#"{"error":{"message":"no sk-hunter2"}}"#, "no ***"),
            (r#"{"error":"plain"}"#, "plain"),
            (r#"[{"error":{"message":"in a list"}}]"#, "in a list"),
            (
                r#"{"error":{"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"no sk-hunter2\"}}"}}}"#,
                "Provider returned error: no ***",
            ),
            (r#"{"error":{"message":"Failed","metadata":{"raw":{"detail":"too\nmany"}}}}"#, "Failed: too many"),
            (r#"{"error":{"message":"too many","metadata":{"raw":"too many"}}}"#, "too many"),
            (r#"{"error":{"message":"Failed","metadata":{"raw":"<html></html>"}}}"#, "Failed"),
            (r#"{"error":{"message":"Failed","metadata":{"raw":""}}}"#, "Failed"),
            (r#"{"error":{"metadata":{"raw":"alone"}}}"#, "alone"),
            (r#"{"message":"top"}"#, "top"),
            (r#"{"detail":"d"}"#, "d"),
            ("just text", "just text"),
            ("<html>sk-hunter2</html>", "HTTP 400"),
            ("", "HTTP 400"),
        ] {
            let trouble = Trouble::status(&endpoint(), 400, body);
            assert_eq!(trouble.failure.phrase.arg("message"), Some(message), "{body}");
        }
    }

    #[test]
    fn a_connection_that_failed_is_said_in_one_line() {
        let refused =
            "error sending request: client error (Connect): tcp connect error: Connection refused (os error 111)";
        let nameless = "error sending request: client error (Connect): dns error: error resolving DNS: no address";
        let local = Endpoint::new("p", "http://[::1]:8080/v1", "m");
        let hosted = Endpoint::new("p", "https://api.example.com/v1", "m");
        for (endpoint, reason, code, why) in [
            (&local, refused, "llm.unreachable", "@llm.why_refused"),
            (&hosted, refused, "llm.unreachable_hosted", "@llm.why_refused"),
            (&hosted, nameless, "llm.no_name", "no address"),
            (&hosted, "a: operation timed out", "llm.unreachable_hosted", "@llm.why_slow"),
            (&hosted, "a: invalid peer certificate: UnknownIssuer", "llm.certificate", "UnknownIssuer"),
        ] {
            let phrase = Trouble::unconnected(endpoint, reason).failure.phrase;
            assert_eq!((phrase.code.as_ref(), phrase.arg("reason")), (code, Some(why)), "{reason}");
            assert_eq!(phrase.arg("url"), Some(endpoint.base_url.as_str()), "not one of its routes");
        }
    }

    #[test]
    fn errors_inside_a_stream() {
        for (error, class, passing) in [
            (json!({ "code": 429, "message": "x" }), Class::RateLimited, true),
            (json!({ "code": "429", "message": "x" }), Class::RateLimited, true),
            (json!({ "type": "rate_limit_exceeded" }), Class::RateLimited, true),
            (json!({ "type": "invalid_request_error", "message": "context length" }), Class::ContextTooLong, false),
            (json!({ "type": "invalid_request_error", "message": "x" }), Class::BadRequest, false),
            (json!({ "code": "rate_limit_exceeded", "message": "x" }), Class::RateLimited, true),
            (json!({ "type": "error", "code": "rate_limit_exceeded", "message": "x" }), Class::RateLimited, true),
            (json!({ "code": "slow_down", "message": "x" }), Class::RateLimited, true),
            (json!({ "code": "server_is_overloaded" }), Class::RateLimited, true),
            (json!({ "code": "server_error", "message": "x" }), Class::Server, true),
            (json!({ "code": "invalid_prompt", "message": "x" }), Class::BadRequest, false),
            (json!({ "code": "context_length_exceeded", "message": "x" }), Class::ContextTooLong, false),
            (json!({ "code": "insufficient_quota", "message": "x" }), Class::BalanceEmpty, false),
            (json!({ "type": "usage_not_included", "message": "x" }), Class::BalanceEmpty, false),
            (json!(null), Class::Server, true),
            (json!("the engine died"), Class::Server, true),
            (json!({ "code": 1_000_000, "message": "x" }), Class::Server, true),
        ] {
            let trouble = Trouble::in_stream(&endpoint(), &error);
            assert_eq!((trouble.failure.class, trouble.passing), (class, passing), "{error}");
        }
    }
}
