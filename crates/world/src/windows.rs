//! Windows that endpoints named when they refused a request as too long, kept by endpoint and model in the state folder, so
//! that later processes need no refusal. What the user says comes first; a longer request that went through takes it back.

use crate::endpoint_key::key_of;
use futures_util::StreamExt;
use reasonix_agent::{BoxFuture, Item, Model, ModelCard, ModelStream, Request, Stop};
use reasonix_llm::Endpoint;
use reasonix_store::{private_folder, write_atomic};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A kept window is small; anything else is not ours.
const MOST_BYTES: u64 = 4096;

/// What an endpoint said.
#[derive(Serialize, Deserialize)]
struct Said {
    window: u64,
}

/// Where what an endpoint says of a model is kept.
#[derive(Debug, Clone)]
struct Place(PathBuf);

impl Place {
    fn of(home: &Path, endpoint: &Endpoint) -> Self {
        Self(home.join("state/windows").join(format!("{}.json", key_of(endpoint))))
    }

    fn read(&self) -> Option<u64> {
        if std::fs::metadata(&self.0).ok()?.len() > MOST_BYTES {
            return None;
        }
        let said: Said = serde_json::from_slice(&std::fs::read(&self.0).ok()?).ok()?;
        Some(said.window).filter(|window| *window > 0)
    }

    fn keep(&self, window: u64) -> std::io::Result<()> {
        let folder = self.0.parent().unwrap_or(&self.0);
        folder.parent().map_or(Ok(()), private_folder)?;
        private_folder(folder)?;
        write_atomic(&self.0, serde_json::to_string(&Said { window })?.as_bytes(), 0o600)
    }

    /// Takes in what came of a request.
    fn hear(&self, item: &Item) {
        let heard = match item {
            Item::Failed(failure) => match failure.window.filter(|window| self.read() != Some(*window)) {
                Some(window) => self.keep(window),
                None => Ok(()),
            },
            Item::Usage(usage) if self.read().is_some_and(|window| usage.input > window) => {
                std::fs::remove_file(&self.0)
            }
            _ => Ok(()),
        };
        if let Err(error) = heard {
            tracing::debug!(%error, path = %self.0.display(), "window_not_kept");
        }
    }
}

/// The window that this endpoint named for its model when it refused a request.
pub fn learned_window(home: &Path, endpoint: &Endpoint) -> Option<u64> {
    Place::of(home, endpoint).read()
}

/// Forgets it: somebody asked the endpoint itself.
pub(crate) fn forget_window(home: &Path, endpoint: &Endpoint) {
    let _ = std::fs::remove_file(Place::of(home, endpoint).0);
}

/// The same model, whose endpoint is listened to.
pub(crate) fn listened_to(model: Arc<dyn Model>, home: &Path, endpoint: &Endpoint) -> Arc<dyn Model> {
    Arc::new(Listened { model, place: Place::of(home, endpoint) })
}

struct Listened {
    model: Arc<dyn Model>,
    place: Place,
}

impl Model for Listened {
    fn card(&self) -> &ModelCard {
        self.model.card()
    }

    fn stream(&self, request: Request, stop: Stop) -> ModelStream {
        let place = self.place.clone();
        Box::pin(self.model.stream(request, stop).inspect(move |item| place.hear(item)))
    }

    fn count<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Option<u64>> {
        self.model.count(request)
    }

    fn warm(&self) -> BoxFuture<'static, ()> {
        self.model.warm()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use super::{Place, forget_window, learned_window};
    use reasonix_agent::{Failure, Item};
    use reasonix_llm::Endpoint;
    use reasonix_proto::{FailureClass, Phrase, Usage};

    #[test]
    fn what_a_refusal_names_is_kept_until_something_longer_went_through() {
        let home = tempfile::tempdir().unwrap();
        let endpoint = |model: &str| Endpoint::new("p", "http://127.0.0.1:8080/v1", model);
        let failed = |window| {
            Item::Failed(Failure { window, ..Failure::new(FailureClass::ContextTooLong, Phrase::new("llm.x")) })
        };
        let used = |input| Item::Usage(Usage { input, ..Usage::default() });
        let place = Place::of(home.path(), &endpoint("a"));
        let known = || learned_window(home.path(), &endpoint("a"));
        [failed(None), used(9_000)].iter().for_each(|item| place.hear(item));
        assert_eq!(known(), None);
        [failed(Some(8_192)), failed(None), used(8_192)].iter().for_each(|item| place.hear(item));
        assert_eq!((known(), learned_window(home.path(), &endpoint("b"))), (Some(8_192), None), "another model");
        place.hear(&failed(Some(4_096)));
        assert_eq!(known(), Some(4_096), "the last word counts");
        place.hear(&used(4_097));
        assert_eq!(known(), None);
        place.hear(&failed(Some(8_192)));
        forget_window(home.path(), &endpoint("a"));
        assert_eq!(known(), None);
    }
}
