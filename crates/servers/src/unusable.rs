//! The servers that no session can use as they are configured: what reaches them is not spoken here, or they could be taken for
//! another one. It is told before a session as it is in one.

use crate::configured::{ConfiguredServer, ServerAbsence};
use reasonix_mcp::{refusal, same_look};
use reasonix_proto::visible;

/// Leaves out those that cannot be used. Of several that could be taken for each other the first counts.
pub(super) fn leave_out(all: &mut [ConfiguredServer]) {
    for at in 0..all.len() {
        let (before, rest) = all.split_at_mut(at);
        let Some(server) = rest.first_mut() else { continue };
        let Ok(spec) = &server.reach else { continue };
        // One that is switched off keeps its name, and nothing that only looks like it.
        let is_twin = |other: &&ConfiguredServer| {
            other.name == server.name || (other.reach.is_ok() && same_look(&other.name, &server.name))
        };
        let twin = before.iter().find(is_twin);
        let twin = twin.map(|other| ServerAbsence::Twin { other: other.name.clone(), place: other.place.clone() });
        let odd = || (visible(&server.name) != server.name).then(|| "its name has hidden characters".to_owned());
        let reason = || odd().or_else(|| refusal(spec)).map(|reason| ServerAbsence::Refused { reason });
        if let Some(absence) = twin.or_else(reason) {
            server.reach = Err(absence);
        }
    }
}
