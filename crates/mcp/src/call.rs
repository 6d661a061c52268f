//! One call, however many rounds it takes: answers that ask back, and tasks that go on for long.

use crate::answer::{McpAnswer, answer};
use crate::error::McpError;
use crate::link::{Link, Patience};
use crate::listing::bounded;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelTaskParams, CancelTaskRequest, ClientRequest, CreateTaskResult,
    GetPromptRequest, GetPromptRequestParams, GetTaskParams, GetTaskRequest, GetTaskResult, InputRequiredResult,
    InputResponses, ReadResourceRequest, ReadResourceRequestParams, ServerResult, TaskPayload, UpdateTaskParams,
    UpdateTaskRequest,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::time::Duration;
use tokio::time::Instant;

/// How often one call may be asked back.
const ROUNDS: usize = 16;
/// How often a task is looked at, at most and at least.
const LOOKS: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(15));

/// What a request is asked again with.
type Again = (Option<InputResponses>, Option<String>);

/// Calls a tool.
pub(crate) async fn call(
    link: &Link,
    tool: &str,
    args: Map<String, Value>,
    patience: &mut Patience<'_>,
) -> Result<McpAnswer, McpError> {
    let _expects = link.host.expects();
    let request = |(inputs, state): Again| {
        let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(args.clone());
        (params.input_responses, params.request_state) = (inputs, state);
        ClientRequest::CallToolRequest(CallToolRequest::new(params))
    };
    let result = match rounds(link, request, patience).await? {
        ServerResult::CreateTaskResult(task) => Value::Object(finished(link, task, patience).await?),
        other => serde_json::to_value(other).map_err(|error| link.unreadable(error.to_string()))?,
    };
    answer(&link.server, &result).ok_or_else(|| link.unreadable("it is no result of a call"))
}

/// Gets a prompt.
pub(crate) async fn prompt(
    link: &Link,
    name: &str,
    args: Map<String, Value>,
    patience: &mut Patience<'_>,
) -> Result<Value, McpError> {
    let _expects = link.host.expects();
    let request = |(inputs, state): Again| {
        let mut params = GetPromptRequestParams::new(name.to_owned()).with_arguments(args.clone());
        (params.input_responses, params.request_state) = (inputs, state);
        ClientRequest::GetPromptRequest(GetPromptRequest::new(params))
    };
    let result = rounds(link, request, patience).await?;
    serde_json::to_value(result).map_err(|error| link.unreadable(error.to_string()))
}

/// Reads a resource.
pub(crate) async fn read(link: &Link, uri: &str, patience: &mut Patience<'_>) -> Result<Value, McpError> {
    let _expects = link.host.expects();
    let request = |(inputs, state): Again| {
        let mut params = ReadResourceRequestParams::new(uri.to_owned());
        (params.input_responses, params.request_state) = (inputs, state);
        ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params))
    };
    let result = rounds(link, request, patience).await?;
    serde_json::to_value(result).map_err(|error| link.unreadable(error.to_string()))
}

/// Asks until the answer does not ask back.
async fn rounds(
    link: &Link,
    request: impl Fn(Again) -> ClientRequest,
    patience: &mut Patience<'_>,
) -> Result<ServerResult, McpError> {
    let mut again: Again = (None, None);
    for round in 0..ROUNDS {
        let asked = match link.ask(request(again), patience).await? {
            ServerResult::InputRequiredResult(asked) => asked,
            ServerResult::CustomResult(odd) if odd.0.get("resultType").is_some_and(|kind| kind == "input_required") => {
                mended(odd.0).ok_or_else(|| link.unreadable("it asks for something that is not known here"))?
            }
            other => return Ok(other),
        };
        again = asked_back(link, asked, round, patience).await?;
    }
    Err(link.unreadable(format!("it asked back more than {ROUNDS} times")))
}

/// What asks back as the SDK reads it: it wants an id with each address, which the revision 2026-07-28 does not have.
fn mended<T: DeserializeOwned>(mut asked: Value) -> Option<T> {
    for request in asked.get_mut("inputRequests")?.as_object_mut()?.values_mut() {
        let Some(params) = request.get_mut("params").and_then(Value::as_object_mut) else { continue };
        if params.get("mode").is_some_and(|mode| mode == "url") {
            params.entry("elicitationId").or_insert_with(|| Value::String(String::new()));
        }
    }
    serde_json::from_value(asked).ok()
}

/// The answers to what a server asks in place of an answer.
async fn asked_back(
    link: &Link,
    asked: InputRequiredResult,
    round: usize,
    patience: &mut Patience<'_>,
) -> Result<Again, McpError> {
    let inputs = asked.input_requests.unwrap_or_default();
    if inputs.is_empty() {
        if asked.request_state.is_none() {
            return Err(link.unreadable("it asks for nothing"));
        }
        // It only wants to be asked again.
        pause(link, Duration::from_millis(100 << round.min(5)), patience).await?;
        return Ok((None, asked.request_state));
    }
    let answers = tokio::select! {
        answers = link.host.inputs(inputs) => answers.map_err(|reason| link.unreadable(reason))?,
        () = patience.stopped() => return Err(McpError::Aborted),
        () = link.end.gone.cancelled() => return Err(link.down().await),
    };
    Ok((Some(answers), asked.request_state))
}

/// Waits a moment, as far as there is time.
async fn pause(link: &Link, time: Duration, patience: &mut Patience<'_>) -> Result<(), McpError> {
    let begun = Instant::now();
    let over = tokio::select! {
        () = tokio::time::sleep(time) => Ok(()),
        () = patience.stopped() => Err(McpError::Aborted),
        () = link.end.gone.cancelled() => Err(link.down().await),
        () = patience.over() => Err(McpError::Late { server: link.server.clone(), seconds: patience.seconds() }),
    };
    patience.spend(begun.elapsed());
    over
}

/// The result of a task, when it has one.
async fn finished(
    link: &Link,
    task: CreateTaskResult,
    patience: &mut Patience<'_>,
) -> Result<Map<String, Value>, McpError> {
    let id = task.task.task_id.clone();
    let result = watched(link, task, patience).await;
    if matches!(result, Err(McpError::Aborted | McpError::Late { .. })) {
        let cancel = ClientRequest::CancelTaskRequest(CancelTaskRequest::new(CancelTaskParams::new(id)));
        let peer = link.peer().clone();
        // Told, and not waited for.
        tokio::spawn(async move { tokio::time::timeout(Duration::from_secs(5), peer.send_request(cancel)).await });
    }
    result
}

async fn watched(
    link: &Link,
    task: CreateTaskResult,
    patience: &mut Patience<'_>,
) -> Result<Map<String, Value>, McpError> {
    let (id, mut every, mut said) = (task.task.task_id, task.task.poll_interval_ms, task.task.status_message);
    let mut asked = 0;
    loop {
        patience.tell(said.take());
        let wait = Duration::from_millis(every.unwrap_or(1000)).clamp(LOOKS.0, LOOKS.1);
        pause(link, wait, patience).await?;
        let look = ClientRequest::GetTaskRequest(GetTaskRequest::new(GetTaskParams::new(id.clone())));
        let state = match link.ask(look, patience).await? {
            ServerResult::GetTaskResult(state) => Some(state),
            ServerResult::CustomResult(odd) => mended::<GetTaskResult>(odd.0),
            _ => None,
        };
        let state = state.ok_or_else(|| link.unreadable("it is no state of a task"))?.task;
        (every, said) = (state.task.poll_interval_ms.or(every), state.task.status_message);
        match state.payload {
            TaskPayload::Completed { result } => return Ok(result),
            TaskPayload::Failed { error } => {
                let text = error.get("message").and_then(Value::as_str).unwrap_or("it failed");
                let code = error.get("code").and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok());
                let (server, message) = (link.server.clone(), bounded(text, 2048));
                return Err(McpError::Told { server, code: code.unwrap_or_default(), message });
            }
            TaskPayload::Cancelled => return Err(link.unreadable("it gave the task up")),
            TaskPayload::InputRequired { input_requests } => {
                asked += 1;
                if asked > ROUNDS {
                    return Err(link.unreadable(format!("it asked back more than {ROUNDS} times")));
                }
                let answers = tokio::select! {
                    answers = link.host.inputs(input_requests) => answers.map_err(|why| link.unreadable(why))?,
                    () = patience.stopped() => return Err(McpError::Aborted),
                };
                let params = UpdateTaskParams::new(id.clone(), answers);
                link.ask(ClientRequest::UpdateTaskRequest(UpdateTaskRequest::new(params)), patience).await?;
            }
            _ => {}
        }
    }
}
