//! A model that may hand the turn over by itself: its answer may begin with a mark that asks for the larger one.

use super::marker::{Marker, marker};
use futures_util::StreamExt;
use reasonix_agent::{BoxFuture, Item, Journal, Model, ModelCard, ModelStream, Request, Sink, Stop};
use reasonix_proto::{Escalated, EscalatedBy, Event, RecordBody};
use reasonix_state::Book;
use std::collections::VecDeque;
use std::sync::Arc;

/// A model, and the larger one that it may hand the turn over to.
#[derive(Clone)]
pub(super) struct Handing {
    pub(super) own: Arc<dyn Model>,
    pub(super) pro: Arc<dyn Model>,
    pub(super) book: Arc<Book>,
    pub(super) sink: Arc<dyn Sink>,
}

impl Handing {
    fn current(&self) -> &Arc<dyn Model> {
        if self.book.state().escalated { &self.pro } else { &self.own }
    }

    /// Keeps that the larger model has the rest of the turn. False when that could not be kept: then it has not.
    async fn hand_over(&self, reason: String) -> bool {
        let (turn, model) = (self.book.state().turn, self.pro.card().name.clone());
        let escalated = Escalated { turn, model, by: EscalatedBy::Model, detail: reason };
        // A log that cannot be written ends the turn at the next record.
        let Ok(record) = self.book.append(RecordBody::Escalated(escalated)).await else { return false };
        self.sink.emit(Event::Changed { record: Box::new(record) });
        true
    }
}

impl Model for Handing {
    fn card(&self) -> &ModelCard {
        self.current().card()
    }

    fn stream(&self, request: Request, stop: Stop) -> ModelStream {
        let inner = self.own.stream(request.clone(), stop.clone());
        let heard = Heard {
            inner,
            by: self.clone(),
            request,
            stop,
            held: String::new(),
            settled: false,
            ready: VecDeque::new(),
        };
        Box::pin(futures_util::stream::unfold(heard, |mut heard| async move {
            let item = heard.next().await?;
            Some((item, heard))
        }))
    }

    fn count<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Option<u64>> {
        self.current().count(request)
    }

    fn warm(&self) -> BoxFuture<'static, ()> {
        self.own.warm()
    }
}

/// An answer whose beginning may ask for the larger model.
struct Heard {
    inner: ModelStream,
    by: Handing,
    request: Request,
    stop: Stop,
    /// The beginning of the text, while it may still become the marker.
    held: String,
    settled: bool,
    ready: VecDeque<Item>,
}

impl Heard {
    async fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some(item);
            }
            let item = self.inner.next().await?;
            match item {
                item if self.settled => return Some(item),
                Item::Text(text) => {
                    self.held.push_str(&text);
                    match marker(&self.held) {
                        Marker::Maybe => {}
                        Marker::No => self.settle(),
                        Marker::Yes(reason) => self.hand_over(reason).await,
                    }
                }
                item @ (Item::Reasoning(_) | Item::Retrying { .. } | Item::Switched { .. }) => return Some(item),
                item => {
                    self.settle();
                    self.ready.push_back(item);
                }
            }
        }
    }

    fn settle(&mut self) {
        self.settled = true;
        if !self.held.is_empty() {
            self.ready.push_back(Item::Text(std::mem::take(&mut self.held)));
        }
    }

    async fn hand_over(&mut self, reason: String) {
        self.settled = true;
        self.held.clear();
        if self.by.hand_over(reason).await {
            self.inner = self.by.pro.stream(self.request.clone(), self.stop.clone());
            self.ready.push_back(Item::Restart);
        }
    }
}
