//! Reads what a server has, page by page, within limits.

use crate::error::McpError;
use crate::link::{KeptListing, Link, Patience};
use crate::listing::{ServerListing, Taking, bounded};
use rmcp::model::{
    ClientRequest, ErrorCode, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest, ListToolsRequest,
    PaginatedRequestParams, ServerResult,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Lists are not read more often than this, whatever the server says of how long they hold.
const LEAST_HOLD: Duration = Duration::from_secs(5);

/// One page.
struct Page<T> {
    entries: Vec<T>,
    /// Entries that are none.
    odd: Vec<(String, String)>,
    next: Option<String>,
    holds: Option<u64>,
}

/// What a server has. Read again when the server says that it changed, and with `fresh` when it has held long enough.
pub(crate) async fn listing(link: &Link, fresh: bool) -> Result<Arc<ServerListing>, McpError> {
    let mut kept = link.listing.lock().await;
    if let Some(kept) = kept.as_ref() {
        let over = fresh && kept.until.is_some_and(|until| until <= Instant::now());
        if !over && !link.host.is_stale() {
            return Ok(Arc::clone(&kept.listing));
        }
    }
    // Whatever changes from here on is news again.
    link.host.refreshed();
    let (listing, holds) = match Box::pin(read(link)).await {
        Ok(found) => found,
        Err(error) => {
            // What was to be read is still not read.
            link.host.outdated();
            return Err(error);
        }
    };
    let listing = Arc::new(listing);
    let until = holds.map(|holds| Instant::now() + Duration::from_millis(holds).max(LEAST_HOLD));
    *kept = Some(KeptListing { listing: Arc::clone(&listing), until });
    Ok(listing)
}

/// What it says it can; only the names of it where that is more than fits.
fn capabilities(told: &rmcp::model::ServerCapabilities, most: usize) -> Value {
    let whole = serde_json::to_value(told).unwrap_or_default();
    if whole.to_string().len() <= most {
        return whole;
    }
    let names = whole.as_object().into_iter().flat_map(|all| all.keys()).take(16);
    names
        .map(|name| (bounded(name, 80), Value::Object(serde_json::Map::new())))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

async fn read(link: &Link) -> Result<(ServerListing, Option<u64>), McpError> {
    let (info, limits) = (&link.info, &link.limits);
    let mut taking = Taking::new(&link.server, limits);
    let mut out = ServerListing {
        protocol: info.protocol_version.as_str().to_owned(),
        about: info.server_info.as_ref().map(|about| (bounded(&about.name, 200), bounded(&about.version, 80))),
        instructions: info.instructions.as_deref().map(|words| taking.words(words)).filter(|words| !words.is_empty()),
        capabilities: capabilities(&info.capabilities, limits.schema),
        ..ServerListing::default()
    };
    let mut hold: Option<u64> = None;
    if info.capabilities.tools.is_some() {
        let found = pages(link, &mut taking, "tools", |cursor| {
            ClientRequest::ListToolsRequest(ListToolsRequest::with_param(cursor))
        });
        if let Some((tools, holds)) = found.await? {
            out.tools = Some(tools.iter().filter_map(|tool| taking.tool(tool)).collect());
            hold = sooner(hold, holds);
        }
    }
    if info.capabilities.prompts.is_some() {
        let found = pages(link, &mut taking, "prompts", |cursor| {
            ClientRequest::ListPromptsRequest(ListPromptsRequest::with_param(cursor))
        });
        if let Some((prompts, holds)) = found.await? {
            out.prompts = Some(prompts.iter().filter_map(|prompt| taking.prompt(prompt)).collect());
            hold = sooner(hold, holds);
        }
    }
    if info.capabilities.resources.is_some() {
        let found = pages(link, &mut taking, "resources", |cursor| {
            ClientRequest::ListResourcesRequest(ListResourcesRequest::with_param(cursor))
        });
        if let Some((resources, _)) = found.await? {
            out.resources = Some(resources.iter().filter_map(|resource| taking.resource(resource)).collect());
        }
        let found = pages(link, &mut taking, "resourceTemplates", |cursor| {
            ClientRequest::ListResourceTemplatesRequest(ListResourceTemplatesRequest::with_param(cursor))
        });
        if let Some((templates, _)) = found.await? {
            let templates: Vec<_> = templates.iter().filter_map(|template| taking.template(template)).collect();
            out.resources.get_or_insert_default().extend(templates);
        }
    }
    out.left_out = taking.done();
    Ok((out, hold))
}

fn sooner(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.into_iter().chain(other).min()
}

/// All entries of one list, and for how long they hold; none where the server does not know the list.
async fn pages<T: DeserializeOwned>(
    link: &Link,
    taking: &mut Taking<'_>,
    what: &'static str,
    request: impl Fn(PaginatedRequestParams) -> ClientRequest,
) -> Result<Option<(Vec<T>, Option<u64>)>, McpError> {
    let (mut entries, mut hold, mut cursor): (Vec<T>, Option<u64>, Option<String>) = (Vec::new(), None, None);
    for number in 1.. {
        let params = PaginatedRequestParams::default().with_cursor(cursor.clone());
        let answer = link.ask(request(params), &mut Patience::of(Some(link.limits.request))).await;
        let page = match answer {
            Ok(answer) => page(answer, what).ok_or_else(|| link.unreadable(format!("it is no list of {what}")))?,
            Err(McpError::Told { code, .. }) if code == ErrorCode::METHOD_NOT_FOUND.0 => {
                return Ok((number > 1).then_some((entries, hold)));
            }
            Err(error) => return Err(error),
        };
        page.odd.into_iter().for_each(|(name, why)| taking.leave_out(&name, why));
        hold = sooner(hold, page.holds);
        let room = link.limits.entries.saturating_sub(entries.len());
        let over = page.entries.len().saturating_sub(room);
        entries.extend(page.entries.into_iter().take(room));
        let again = page.next.is_some() && page.next == cursor;
        cursor = page.next;
        let full = entries.len() >= link.limits.entries && (over > 0 || cursor.is_some());
        if full || again || (number >= link.limits.pages && cursor.is_some()) {
            let reason = format!("a server's list of {what} has at most {} entries here", link.limits.entries);
            let more = if over > 0 { format!("{over} or more {what}") } else { format!("more {what}") };
            taking.leave_out(&more, if again { "it repeats its pages".to_owned() } else { reason });
            break;
        }
        if cursor.is_none() {
            break;
        }
    }
    Ok(Some((entries, hold)))
}

/// Reads a page entry by entry, so that one that is wrong costs no other.
fn page<T: DeserializeOwned>(answer: ServerResult, what: &str) -> Option<Page<T>> {
    let mut whole = serde_json::to_value(answer).ok()?;
    let Value::Array(list) = whole.get_mut(what)?.take() else { return None };
    let (mut entries, mut odd) = (Vec::with_capacity(list.len().min(1024)), Vec::new());
    for entry in list {
        let name = entry.get("name").and_then(Value::as_str).unwrap_or("(no name)").to_owned();
        match serde_json::from_value(entry) {
            Ok(entry) => entries.push(entry),
            Err(error) => odd.push((name, format!("it cannot be read: {error}"))),
        }
    }
    let next = whole.get("nextCursor").and_then(Value::as_str).filter(|next| next.len() <= 4096).map(str::to_owned);
    Some(Page { entries, odd, next, holds: whole.get("ttlMs").and_then(Value::as_u64) })
}
