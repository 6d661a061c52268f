//! Which tools of servers a session is told of, and in which order: the same definitions and the same window give the same.

use super::Fleet;
use super::find::{FIND_TOOL, FindTool, USE_TOOL, UseTool};
use super::member::Member;
use super::tool::ServerTool;
use reasonix_agent::{Artifacts, Tool, estimate_tokens};
use reasonix_mcp::{GatheredTools, LeftOut, ListedTool, ServerListing, gathered};
use std::sync::Arc;

/// The share of a window that servers may take.
const SHARE: u64 = 20;
/// A window of which nothing is known counts as this.
const USUAL_WINDOW: u64 = 128_000;

/// True where these names are those of a session that reaches tools which are not among them.
pub fn reaches_more(names: &[String]) -> bool {
    names.iter().any(|name| name == USE_TOOL)
}

/// True for the name of a tool that is here because of servers.
pub fn is_of_servers(name: &str) -> bool {
    name.starts_with("mcp__") || name == FIND_TOOL || name == USE_TOOL
}

/// A tool that is known, and whose it is.
pub(super) type Known = (Arc<Member>, ListedTool);

/// Every tool that is known, without those that could be taken for another's.
pub(super) fn known(fleet: &Fleet) -> Vec<Known> {
    let members = fleet.members();
    let owner = |name: &str| members.iter().find(|member| member.name == name).map(Arc::clone);
    gather(&members).taken.into_iter().filter_map(|(server, tool)| Some((owner(&server)?, tool))).collect()
}

/// Those that could be, each with its server.
pub(super) fn clashing(fleet: &Fleet) -> Vec<(String, LeftOut)> {
    gather(&fleet.members()).left_out
}

fn gather(members: &[Arc<Member>]) -> GatheredTools {
    let listings: Vec<(&Arc<Member>, Arc<ServerListing>)> =
        members.iter().filter_map(|member| Some((member, member.listing()?))).collect();
    let named: Vec<(&str, &ServerListing)> =
        listings.iter().map(|(member, listing)| (member.name.as_str(), &**listing)).collect();
    gathered(&named)
}

/// The tools within the share of this window, a server's all or none; every one where none is named. Then the two that reach
/// the others and what is on the shelf, where there is something to reach.
pub(super) fn tools(
    fleet: &Arc<Fleet>,
    artifacts: &Arc<dyn Artifacts>,
    (window, shelf): (Option<u64>, &[Arc<dyn Tool>]),
) -> Vec<Arc<dyn Tool>> {
    if fleet.is_empty() && shelf.is_empty() {
        return Vec::new();
    }
    let find = FindTool::new(fleet, shelf, window);
    let mut room = window.map_or(u64::MAX, |window| match window {
        0 => USUAL_WINDOW / SHARE,
        window => window / SHARE,
    });
    room = room.saturating_sub(estimate_tokens(&find.spec().description));
    let mut offered: Vec<Arc<dyn Tool>> = Vec::new();
    let known = known(fleet);
    for member in fleet.members() {
        let own = known.iter().filter(|(owner, _)| owner.name == member.name);
        let tools: Vec<ServerTool> = own.map(|(_, listed)| ServerTool::new(&member, listed, artifacts)).collect();
        let cost: u64 = tools.iter().map(cost).sum();
        if cost > room {
            continue;
        }
        room -= cost;
        if window.is_some() {
            member.note_sent(tools.len());
        }
        offered.extend(tools.into_iter().map(|tool| Arc::new(tool) as Arc<dyn Tool>));
    }
    offered.push(Arc::new(find));
    offered.push(Arc::new(UseTool::new(fleet, artifacts)));
    offered
}

fn cost(tool: &ServerTool) -> u64 {
    let spec = tool.spec();
    [spec.name.as_str(), &spec.description, &spec.parameters.to_string()].map(estimate_tokens).iter().sum()
}
