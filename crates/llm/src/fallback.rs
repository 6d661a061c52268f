//! A chain of models: when one is overloaded or out of reach the next is asked, but never after the first piece of an
//! answer. A model that failed is left alone for a while, so that not every step waits for it.

use futures_util::stream::{self, StreamExt};
use reasonix_agent::{BoxFuture, Failure, Item, Model, ModelCard, ModelStream, Request, Stop};
use reasonix_proto::{FailureClass, Phrase};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How long a model that failed is left alone.
const REST: Duration = Duration::from_secs(60);

/// Builds a model when it is needed; none when it cannot be built.
pub type Spare = Box<dyn Fn() -> Option<Arc<dyn Model>> + Send + Sync>;

/// A model with others behind it. It shows the card of the first.
pub fn fallback(first: Arc<dyn Model>, spares: Vec<Spare>) -> Arc<dyn Model> {
    if spares.is_empty() {
        return first;
    }
    let links = std::iter::once(Link { build: Box::new(|| None), built: OnceLock::from(Some(Arc::clone(&first))) });
    let spares = spares.into_iter().map(|build| Link { build, built: OnceLock::new() });
    let links = links.chain(spares).map(|link| (link, Mutex::new(None))).collect();
    Arc::new(Chain { first, links })
}

struct Link {
    build: Spare,
    built: OnceLock<Option<Arc<dyn Model>>>,
}

/// Until when a model rests, and why.
type Rest = Mutex<Option<(Instant, Phrase)>>;

struct Chain {
    first: Arc<dyn Model>,
    links: Arc<[(Link, Rest)]>,
}

impl Model for Chain {
    fn card(&self) -> &ModelCard {
        self.first.card()
    }

    fn stream(&self, request: Request, stop: Stop) -> ModelStream {
        let (start, why) = awake(&self.links);
        let asking =
            Asking { links: Arc::clone(&self.links), request, stop, at: start, why, stream: None, spoken: false };
        Box::pin(stream::unfold(Box::new(asking), |mut asking| async move {
            let item = asking.next().await?;
            Some((item, asking))
        }))
    }

    fn count<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Option<u64>> {
        self.first.count(request)
    }

    fn warm(&self) -> BoxFuture<'static, ()> {
        self.first.warm()
    }
}

/// The first model that does not rest, and why those before it do; the very first when all of them rest.
fn awake(links: &[(Link, Rest)]) -> (usize, Option<Phrase>) {
    let now = Instant::now();
    let mut why = None;
    for (at, (link, rest)) in links.iter().enumerate() {
        if matches!(link.built.get(), Some(None)) {
            continue;
        }
        match &*rest.lock().unwrap_or_else(PoisonError::into_inner) {
            Some((until, reason)) if *until > now => why = Some(reason.clone()),
            _ => return (at, why),
        }
    }
    (0, None)
}

struct Asking {
    links: Arc<[(Link, Rest)]>,
    request: Request,
    stop: Stop,
    at: usize,
    /// Why the model at `at` is asked and not one before it; none for the first.
    why: Option<Phrase>,
    stream: Option<ModelStream>,
    spoken: bool,
}

impl Asking {
    async fn next(&mut self) -> Option<Item> {
        loop {
            if self.stream.is_none() {
                let model = self.model()?;
                self.stream = Some(model.stream(self.request.clone(), self.stop.clone()));
                if let Some(why) = self.why.take().filter(|_| self.at > 0) {
                    return Some(Item::Switched { model: model.card().name.clone(), why });
                }
            }
            let item = self.stream.as_mut()?.next().await?;
            match item {
                Item::Failed(failure) if !self.spoken && may_pass(&failure) => match self.another() {
                    Some(next) => {
                        self.rest(&failure.phrase);
                        (self.at, self.why, self.stream) = (next, Some(failure.phrase), None);
                    }
                    None => return Some(Item::Failed(failure)),
                },
                item => {
                    self.spoken |= !matches!(item, Item::Retrying { .. });
                    return Some(item);
                }
            }
        }
    }

    /// The model at its turn; one that cannot be built is passed over.
    fn model(&mut self) -> Option<Arc<dyn Model>> {
        while let Some((link, _)) = self.links.get(self.at) {
            if let Some(model) = link.built.get_or_init(|| (link.build)()) {
                return Some(Arc::clone(model));
            }
            self.at += 1;
        }
        self.at = 0;
        self.links.first()?.0.built.get()?.clone()
    }

    fn another(&self) -> Option<usize> {
        let able = |at: &usize| {
            self.links.get(*at).is_some_and(|(link, _)| link.built.get_or_init(|| (link.build)()).is_some())
        };
        (self.at + 1..self.links.len()).find(able)
    }

    fn rest(&self, why: &Phrase) {
        if let Some((_, rest)) = self.links.get(self.at) {
            *rest.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now() + REST, why.clone()));
        }
    }
}

/// True for failures that another endpoint may not have.
fn may_pass(failure: &Failure) -> bool {
    use FailureClass::{RateLimited, Server, StreamBroken, Unreachable};
    matches!(failure.class, RateLimited | Server | Unreachable | StreamBroken)
}
