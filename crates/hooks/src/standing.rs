//! Which hooks a session has, what is wrong with some, and whether each may be run now: a project's only while the user trusts
//! it, exactly as it is.

use super::list::{Listed, digest, find, find_anew};
use super::locked;
use reasonix_config::Standing;
use reasonix_extensions::hooks::HookEvent;
use reasonix_proto::{Done, HookInfo, Level, Phrase};
use reasonix_state::outbox::Outbox;
use reasonix_state::ticket::ToldDone;
use reasonix_world::spec::Start;
use reasonix_world::trust::TrustWord;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

/// The hooks that there are.
pub(super) struct HookList {
    list: Mutex<Arc<Vec<Listed>>>,
    /// What is wrong with files of hooks.
    flaws: Mutex<Vec<Phrase>>,
    start: Arc<Start>,
    trust: TrustWord,
    outbox: Arc<Outbox>,
}

/// What is known of a hook before it runs.
pub(super) enum May {
    Run,
    /// The user never trusted it; that was said.
    Off,
    /// It is not any more what the user trusted.
    Changed,
}

impl HookList {
    /// The hooks of a start; what is wrong with some is said.
    pub(super) fn new(start: &Arc<Start>, trust: &TrustWord, outbox: &Arc<Outbox>) -> Self {
        let found = find(start, trust);
        found.notices().into_iter().for_each(|phrase| outbox.warn(phrase));
        let flaws = found.flaws.into_iter().map(|(_, phrase)| phrase).collect();
        Self {
            list: Mutex::new(Arc::new(found.hooks)),
            flaws: Mutex::new(flaws),
            start: Arc::clone(start),
            trust: trust.clone(),
            outbox: Arc::clone(outbox),
        }
    }

    /// The same hooks, for one that works elsewhere: they stay as they are now.
    pub(super) fn moved_to(&self, start: &Arc<Start>) -> Self {
        Self {
            list: Mutex::new(self.all()),
            flaws: Mutex::default(),
            start: Arc::clone(start),
            trust: self.trust.clone(),
            outbox: Arc::clone(&self.outbox),
        }
    }

    pub(super) fn all(&self) -> Arc<Vec<Listed>> {
        Arc::clone(&locked(&self.list))
    }

    /// The hooks for an event; nothing where there are none at all.
    pub(super) fn any(&self, event: HookEvent) -> Option<Arc<Vec<Listed>>> {
        let list = self.all();
        let some = !list.is_empty() && list.iter().any(|listed| listed.hook.event == event);
        some.then_some(list)
    }

    /// The hooks, for people.
    pub(super) fn info(&self) -> Vec<HookInfo> {
        self.all().iter().map(|listed| HookInfo { trusted: self.is_trusted(listed), ..listed.info() }).collect()
    }

    /// What is wrong with files of hooks, for people.
    pub(super) fn flaws(&self) -> Vec<Phrase> {
        locked(&self.flaws).clone()
    }

    fn is_trusted(&self, listed: &Listed) -> bool {
        let of = |surface| matches!(self.trust.stands(surface), Standing::Trusted(_));
        listed.surface.as_ref().is_none_or(of)
    }

    /// Reads everything anew.
    pub(super) async fn reload(&self) -> ToldDone {
        let (start, trust) = (Arc::clone(&self.start), self.trust.clone());
        let found = tokio::task::spawn_blocking(move || find_anew(&start, &trust)).await;
        let found = found.unwrap_or_default();
        let (notices, hooks) = (found.notices(), found.hooks);
        *locked(&self.flaws) = found.flaws.into_iter().map(|(_, phrase)| phrase).collect();
        let phrase = Phrase::new("hooks.reloaded").with("count", hooks.len());
        let untrusted = hooks.iter().any(|listed| !listed.trusted.load(Ordering::Relaxed));
        *locked(&self.list) = Arc::new(hooks);
        let off = self.trust.off().filter(|_| untrusted);
        notices.into_iter().chain(off).for_each(|phrase| self.outbox.warn(phrase));
        ToldDone { done: Done::Applied, level: Level::Info, phrase }
    }

    /// Whether a hook may be run now. A project's is looked at anew each time.
    pub(super) async fn may(&self, listed: &Listed) -> May {
        let Some(surface) = listed.surface.clone() else { return self.may_of_user(listed).await };
        let trust = self.trust.clone();
        let stands = tokio::task::spawn_blocking(move || trust.stands(&surface)).await;
        if matches!(stands, Ok(Standing::Trusted(_))) {
            listed.trusted.store(true, Ordering::Relaxed);
            return May::Run;
        }
        if !listed.trusted.load(Ordering::Relaxed) {
            return May::Off;
        }
        self.changed(listed)
    }

    /// The user's own run as they are, but for files of the folder that they name: what lies there others can write.
    async fn may_of_user(&self, listed: &Listed) -> May {
        if listed.scripts.is_empty() {
            return May::Run;
        }
        let scripts = listed.scripts.clone();
        let same = move || scripts.iter().all(|(path, was)| was.is_some() && digest(path) == *was);
        if tokio::task::spawn_blocking(same).await.unwrap_or(false) { May::Run } else { self.changed(listed) }
    }

    fn changed(&self, listed: &Listed) -> May {
        if !listed.told.swap(true, Ordering::Relaxed) {
            let phrase = Phrase::new("hooks.changed").with("hook", listed.label()).with("file", &listed.source);
            self.outbox.warn(phrase);
        }
        May::Changed
    }
}
