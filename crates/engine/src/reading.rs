//! What was typed, as the model reads it: a command or a skill that it names is filled in, and what it refers to is looked up.

use crate::desk::Desk;
use crate::mentioned::{Delegating, Mentioned, agents_in, mentioned};
use crate::refs::{references_in, resolve_for};
use reasonix_agent::Said;
use reasonix_assembly::images::keep;
use reasonix_assembly::roster::roster_of;
use reasonix_proto::{Level, Phrase};
use reasonix_servers::fleet::{command_of, reaches_more};
use reasonix_talk::invoke::{Brings, Errand, Fork, Invoked, Wants, invoke};
use reasonix_talk::queue::Work;
use std::sync::Arc;

/// Reads what was typed, with what a session knows.
pub(crate) struct Reading<'a>(pub(crate) &'a Desk);

impl Reading<'_> {
    /// What is to be done about what was typed: a command or a skill that it names is filled in.
    pub(crate) async fn work_of(&self, text: String, resolved: bool) -> Work {
        if let Some((name, words)) = command_of(&text).filter(|_| !self.0.brought.fleet.is_empty()) {
            let brings = vec![Brings::Prompt { name: name.to_owned(), words: words.to_owned() }];
            let wants = Wants { name: format!("/{name}"), ..Wants::default() };
            return Work::Errand(Box::new(Errand { said: text.into(), lines: Vec::new(), wants, brings, fork: None }));
        }
        let brings = if resolved { Vec::new() } else { self.resources_in(&text) };
        let Some(Invoked { text: filled, lines, notices, wants, foreign, fork }) = self.invoked(&text, true).await
        else {
            let said = self.read(text, resolved, false).await;
            if brings.is_empty() {
                return Work::Prompt(said);
            }
            let (lines, wants) = (Vec::new(), Wants::default());
            return Work::Errand(Box::new(Errand { said, lines, wants, brings, fork: None }));
        };
        notices.into_iter().for_each(|phrase| self.0.notice(Level::Warning, phrase));
        let said = Said { typed: Some(text), ..self.read(filled, false, foreign).await };
        Work::Errand(Box::new(Errand { said, lines, wants, brings, fork }))
    }

    /// The same of what was typed earlier and is done again.
    pub(crate) async fn work_again(&self, said: Said) -> Work {
        match self.invoked(said.typed(), false).await {
            Some(Invoked { fork: Some(_), .. }) => self.work_of(said.typed().to_owned(), false).await,
            _ => Work::Prompt(said),
        }
    }

    /// The resources of servers that a person refers to.
    fn resources_in(&self, typed: &str) -> Vec<Brings> {
        if self.0.brought.fleet.is_empty() {
            return Vec::new();
        }
        let of = |mention| self.0.brought.fleet.resource_of(mention);
        let found = references_in(typed).into_iter().filter_map(of);
        let mut brings: Vec<Brings> = Vec::new();
        for (server, uri) in found {
            let wanted = Brings::Resource { server: server.to_owned(), uri: uri.to_owned() };
            if !brings.contains(&wanted) {
                brings.push(wanted);
            }
        }
        brings
    }

    async fn invoked(&self, text: &str, runs: bool) -> Option<Invoked> {
        if !text.trim_start().starts_with('/') {
            return None;
        }
        let (base, trust, typed) = (Arc::clone(&self.0.base), self.0.brought.trust.clone(), text.to_owned());
        tokio::task::spawn_blocking(move || invoke(&base, &trust, &typed, runs)).await.ok().flatten()
    }

    /// What the model reads of what was typed into a running turn, which cannot run anything first.
    pub(crate) async fn said(&self, text: String, resolved: bool) -> Said {
        let Some(Invoked { text: filled, notices, foreign, fork, .. }) = self.invoked(&text, false).await else {
            return self.read(text, resolved, false).await;
        };
        if let Some(Fork { skill, .. }) = fork {
            self.0.notice(Level::Warning, Phrase::new("engine.skill_in_turn").with("name", skill.name));
        }
        notices.into_iter().for_each(|phrase| self.0.notice(Level::Warning, phrase));
        Said { typed: Some(text), ..self.read(filled, false, foreign).await }
    }

    /// The same of a text that is no command.
    pub(crate) async fn said_plainly(&self, text: String) -> Said {
        self.read(text, false, false).await
    }

    /// What the model reads of a text. References are looked up off the runtime's thread. In words that are `foreign` nobody has
    /// answered for them: what a rule would ask about is closed, and so is everything outside.
    async fn read(&self, text: String, resolved: bool, foreign: bool) -> Said {
        if resolved || !text.contains('@') {
            return text.into();
        }
        let (workspace, typed) = (self.0.base.workspace.clone(), text.clone());
        let called = self.agents_in(&text).await;
        let (artifacts, mut denied) = (Arc::clone(&self.0.artifacts), self.0.base.denied(foreign));
        denied.extend(self.0.gate.agent_denials());
        // A person may show a picture that lies elsewhere; what is closed to the model is closed here too.
        let closed = (self.0.base.attended && !foreign).then(|| {
            let mut closed = self.0.base.world.settings.sandbox.forbid_read.clone();
            closed.push(self.0.base.world.home.clone());
            closed
        });
        let found = tokio::task::spawn_blocking(move || {
            let mut found = resolve_for(&workspace, &denied, &typed, closed.as_deref());
            keep(&mut found.images, artifacts.as_ref()).map(|()| found)
        });
        let found = match found.await {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => {
                self.0.notice(Level::Error, Phrase::new("engine.image_unkept").with("reason", error));
                return text.into();
            }
            Err(_) => return text.into(),
        };
        for phrase in found.notices {
            self.0.notice(Level::Warning, phrase);
        }
        let typed = (found.text != text).then_some(text);
        Said { text: found.text, typed, images: found.images, form: None }.after_news(called)
    }

    /// What the model is told of the agents that a person refers to; what names nobody is said.
    async fn agents_in(&self, typed: &str) -> Vec<String> {
        let names = agents_in(typed);
        if names.is_empty() {
            return Vec::new();
        }
        let (base, trust, how) = (Arc::clone(&self.0.base), self.0.brought.trust.clone(), self.delegating());
        let look = move || {
            let is_file = |path: &str| base.workspace.exists(path).unwrap_or(false);
            mentioned(&names, &roster_of(&base, &trust), how, is_file)
        };
        let Mentioned { told, notices } = tokio::task::spawn_blocking(look).await.unwrap_or_default();
        notices.into_iter().for_each(|phrase| self.0.notice(Level::Warning, phrase));
        told
    }

    /// How the model can give work to others here.
    fn delegating(&self) -> Delegating {
        let prefix = self.0.prefix.borrow();
        let names: Vec<String> = prefix.tools.iter().map(|spec| spec.name.clone()).collect();
        match prefix.tools.iter().any(|spec| spec.traits.delegates) {
            true => Delegating::Told,
            false if reaches_more(&names) && self.0.base.world.settings.tools.enabled.is_empty() => Delegating::Shelved,
            false => Delegating::Not,
        }
    }
}
