//! What servers give before a turn begins: a prompt that a person called by its name, resources that they referred to. It is
//! fetched by the session's task, so that an interrupt is heard and questions can be answered meanwhile.

use crate::intake::Intake;
use reasonix_agent::{Said, Stop};
use reasonix_proto::{Level, TurnEnd, TurnRefusal};
use reasonix_talk::invoke::Brings;
use std::sync::Arc;

/// What is said with what servers give for it; how the turn ends where it cannot begin.
pub(crate) async fn bring(intake: &mut Intake, mut said: Said, brings: Vec<Brings>) -> Result<Said, TurnEnd> {
    let desk = Arc::clone(&intake.desk);
    let (stop, fleet, people) = (Stop::new(), Arc::clone(&desk.brought.fleet), Arc::clone(&desk.people));
    let mut before = String::new();
    for wanted in brings {
        let fetched = async {
            let fetched = async {
                match &wanted {
                    Brings::Prompt { name, words } => fleet.prompt((name, words), &people, &stop).await,
                    Brings::Resource { server, uri } => fleet.resource(server, uri, &stop).await,
                }
            };
            tokio::select! {
                biased;
                () = stop.cancelled() => None,
                fetched = fetched => Some(fetched),
            }
        };
        let fetched = intake.alongside(fetched, &stop).await;
        match (fetched, wanted) {
            (None, _) => return Err(TurnEnd::Interrupted),
            (Some(Ok(text)), Brings::Prompt { .. }) => {
                said.typed.get_or_insert_with(|| said.text.clone());
                said.text = text;
            }
            (Some(Ok(text)), Brings::Resource { .. }) => before.push_str(&text),
            (Some(Err(why)), Brings::Prompt { .. }) => {
                desk.notice(Level::Error, why.clone());
                return Err(TurnEnd::Refused { kind: TurnRefusal::Prompt, why });
            }
            // The prompt goes without what could not be read.
            (Some(Err(why)), Brings::Resource { .. }) => desk.notice(Level::Warning, why),
        }
    }
    if !before.is_empty() {
        said.typed.get_or_insert_with(|| said.text.clone());
        said.text.insert_str(0, &before);
    }
    Ok(said)
}
