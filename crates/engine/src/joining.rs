//! Tools that come late: servers that were never met are given a moment before the first request of a session, and no later.
//! What joins is on the log before anything is sent; from the first request on nothing changes any more.

use crate::acting::Actor;
use crate::desk::unreadable;
use crate::live::Live;
use reasonix_agent::{Prefix, Sink, Stop, Tool, Tools};
use reasonix_assembly::roster::kept;
use reasonix_proto::{Event, RecordBody, Refused};
use reasonix_servers::fleet::is_of_servers;
use std::sync::Arc;
use std::time::Duration;

/// How long servers are waited for that were never tried; once in their life.
const PATIENCE: Duration = Duration::from_secs(3);

impl Live {
    /// Lets tools join, before the first request of a session that begins. An interrupt ends the wait.
    pub(crate) async fn join_late(&mut self, stop: &Stop) {
        if !std::mem::take(&mut self.begins) {
            return;
        }
        let base = Arc::clone(&self.desk.base);
        let (word, fleet, started) =
            (self.desk.brought.trust.clone(), Arc::clone(&self.desk.brought.fleet), Arc::clone(&base));
        // Files are read for it, which may take a while.
        let taking = tokio::task::spawn_blocking(move || word.with(|trust| fleet.take_in(&started, trust)));
        // Some may have been taken in before, by a yes to the folder: what joins is seen by what the model was to be told.
        let _ = taking.await;
        let chosen = !base.world.settings.tools.enabled.is_empty();
        if chosen || self.desk.brought.fleet.is_empty() {
            return;
        }
        let fleet = Arc::clone(&self.desk.brought.fleet);
        let meeting = async {
            tokio::select! {
                () = stop.cancelled() => {}
                () = fleet.meet_within(PATIENCE) => {}
            }
        };
        self.intake.alongside(meeting, stop).await;
        self.desk.brought.fleet.left_out_news().into_iter().for_each(|phrase| self.desk.outbox.warn(phrase));
        if let Err(refused) = self.actor.join().await {
            self.desk.notice(refused.refusal.level(), refused.why);
        }
    }
}

impl Actor {
    /// The session has the tools that are known by now. They are on the log before anybody is told of them.
    async fn join(&mut self) -> Result<(), Refused> {
        let own = self.whole.iter().filter(|tool| !is_of_servers(&tool.spec().name));
        let mut tools: Vec<Arc<dyn Tool>> = own.cloned().collect();
        let window = self.desk.outbox.status().window;
        let shelf = self.whole.shelved().to_vec();
        tools.extend(self.desk.brought.fleet.tools(&self.agent.artifacts, window, &shelf));
        let whole = Tools::new(tools).shelving(shelf);
        let tools = kept(&whole, &self.profile);
        let prefix =
            Prefix { system: self.prefix.borrow().system.clone(), tools: tools.specs(), aliases: tools.aliases() };
        if prefix == **self.prefix.borrow() || !self.conversation.is_unasked() {
            return Ok(());
        }
        let (past, specs) = (self.desk.past.clone(), prefix.tools.clone());
        let kept = tokio::task::spawn_blocking(move || past.keep_specs(&specs)).await.map_err(unreadable)?;
        let names = prefix.tools.iter().map(|spec| spec.name.clone()).collect();
        let body = RecordBody::ToolsJoined { tools: names, specs: kept.map_err(unreadable)? };
        let record = self.desk.journal(body).await?;
        let prefix = Arc::new(prefix);
        self.conversation.begin_with(Arc::clone(&prefix));
        (self.agent.tools, self.whole) = (tools, whole);
        self.prefix.send_replace(prefix);
        self.desk.outbox.emit(Event::Changed { record: Box::new(record) });
        Ok(())
    }
}
