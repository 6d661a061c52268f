//! Our side of a connection: what a server may ask of us and tell us.

use crate::input;
use crate::spec::Surroundings;
use crate::status::ServerNews;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability,
    Implementation, InputRequest, InputRequests, InputResponses, ProgressNotificationParam, ProgressToken,
    ProtocolVersion, RootsCapabilities, TASKS_EXTENSION_ID,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, ErrorData, RoleClient};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use tokio::sync::{Semaphore, mpsc, watch};

/// Questions of one server that wait for a person, the open one too.
const MOST_QUESTIONS: usize = 4;
/// Things that a server may ask back at once.
const MOST_INPUTS: usize = 16;

/// Our side of one connection.
pub(crate) struct Host {
    server: String,
    around: Surroundings,
    /// Who hears how far a request is.
    progress: Mutex<HashMap<ProgressToken, mpsc::Sender<String>>>,
    /// How many questions wait for a person: no limit runs meanwhile.
    waiting: watch::Sender<usize>,
    /// One question at a time.
    turn: Semaphore,
    /// How many requests of ours it works on.
    at_work: watch::Sender<usize>,
    /// How many of them are calls and the like, which a person waits for. Without one it has nothing to ask.
    expecting: watch::Sender<usize>,
    /// It said that its lists are others.
    stale: AtomicBool,
    /// It wanted a model's answer; said once.
    sampled: AtomicBool,
}

impl Host {
    pub(crate) fn new(server: &str, around: Surroundings) -> Self {
        Self {
            server: server.to_owned(),
            around,
            progress: Mutex::default(),
            waiting: watch::Sender::new(0),
            turn: Semaphore::new(1),
            at_work: watch::Sender::new(0),
            expecting: watch::Sender::new(0),
            stale: AtomicBool::new(false),
            sampled: AtomicBool::new(false),
        }
    }

    pub(crate) fn tell(&self, news: ServerNews) {
        if let Some(tell) = &self.around.news {
            tell(&self.server, news);
        }
    }

    /// Hears how far a request is, for as long as the other end is held.
    pub(crate) fn follow(&self, token: ProgressToken) -> mpsc::Receiver<String> {
        let (sender, heard) = mpsc::channel(32);
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.retain(|_, sender| !sender.is_closed());
        progress.insert(token, sender);
        heard
    }

    /// A request is so far. Whoever does not keep up misses some; how far it is now is what counts.
    pub(crate) fn progressed(&self, params: &ProgressNotificationParam) {
        let progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = progress.get(&params.progress_token) {
            let _ = sender.try_send(progress_line(params));
        }
    }

    pub(crate) fn waiting(&self) -> watch::Receiver<usize> {
        self.waiting.subscribe()
    }

    /// Says that the lists are others. Told once until they are read again.
    pub(crate) fn changed(&self) {
        if !self.stale.swap(true, Ordering::Relaxed) {
            self.tell(ServerNews::Changed);
        }
    }

    pub(crate) fn is_stale(&self) -> bool {
        self.stale.load(Ordering::Relaxed)
    }

    /// The lists are about to be read again.
    pub(crate) fn refreshed(&self) {
        self.stale.store(false, Ordering::Relaxed);
    }

    /// They could not be.
    pub(crate) fn outdated(&self) {
        self.stale.store(true, Ordering::Relaxed);
    }

    async fn elicit(&self, asked: &ElicitRequestParams) -> ElicitResult {
        let declined = ElicitResult::new(ElicitationAction::Decline);
        let question = input::question(&self.server, asked);
        let (Some(elicits), Some(question)) = (&self.around.elicits, question) else { return declined };
        let cancelled = || ElicitResult::new(ElicitationAction::Cancel);
        let mut expecting = self.expecting.subscribe();
        if *expecting.borrow() == 0 {
            // Nobody expects a question of a server that was not called.
            return declined;
        }
        let waits = Counted::one_more(&self.waiting);
        if waits.place > MOST_QUESTIONS {
            return cancelled();
        }
        let asked = async {
            let Ok(_turn) = self.turn.acquire().await else { return cancelled() };
            input::ask(elicits, question).await
        };
        tokio::select! {
            answer = asked => answer,
            _ = expecting.wait_for(|count| *count == 0) => cancelled(),
        }
    }

    /// Counts a request of ours for as long as what this gives is held.
    pub(crate) fn works(&self) -> Counted<'_> {
        Counted::one_more(&self.at_work)
    }

    /// Says that a person waits for what it does, for as long as what this gives is held: it may ask back.
    pub(crate) fn expects(&self) -> Counted<'_> {
        Counted::one_more(&self.expecting)
    }

    pub(crate) fn is_idle(&self) -> bool {
        *self.at_work.borrow() == 0 && *self.expecting.borrow() == 0
    }

    fn sampling(&self) {
        if !self.sampled.swap(true, Ordering::Relaxed) {
            self.tell(ServerNews::Sampling);
        }
    }

    /// Answers what a server asks in place of an answer; why not, where that is not to be had.
    pub(crate) async fn inputs(&self, asked: InputRequests) -> Result<InputResponses, String> {
        if asked.len() > MOST_INPUTS {
            return Err(format!("it asks more than {MOST_INPUTS} things at once"));
        }
        let mut answers = InputResponses::new();
        for (key, request) in asked {
            let answer = match request {
                InputRequest::Elicitation(request) => serde_json::to_value(self.elicit(&request.params).await),
                InputRequest::ListRoots(_) => serde_json::to_value(input::roots(&self.around.roots)),
                _ => {
                    self.sampling();
                    return Err("it asks for the answer of a model, which it does not get".to_owned());
                }
            };
            answers.insert(key, answer.map_err(|error| error.to_string())?);
        }
        Ok(answers)
    }
}

/// One of a number, for as long as it is held.
pub(crate) struct Counted<'a> {
    count: &'a watch::Sender<usize>,
    place: usize,
}

impl<'a> Counted<'a> {
    fn one_more(count: &'a watch::Sender<usize>) -> Self {
        let mut place = 0;
        count.send_modify(|count| {
            *count += 1;
            place = *count;
        });
        Self { count, place }
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.count.send_modify(|count| *count = count.saturating_sub(1));
    }
}

/// What we are and what we can. Sampling is not among it.
fn about(around: &Surroundings) -> ClientConfig {
    let mut can = ClientCapabilities::default();
    can.extensions = Some([(TASKS_EXTENSION_ID.to_owned(), serde_json::Map::new())].into_iter().collect());
    if !around.roots.is_empty() {
        can.roots = Some(RootsCapabilities::default());
    }
    if around.elicits.is_some() {
        let mut elicits = ElicitationCapability::default();
        elicits.form = Some(rmcp::model::FormElicitationCapability::new());
        elicits.url = Some(rmcp::model::UrlElicitationCapability::default());
        can.elicitation = Some(elicits);
    }
    let us = Implementation::new("reasonix", env!("CARGO_PKG_VERSION"));
    ClientConfig::new(can, us).with_protocol_version(ProtocolVersion::V_2025_11_25)
}

impl ClientHandler for Host {
    fn get_info(&self) -> ClientConfig {
        about(&self.around)
    }

    #[expect(deprecated, reason = "servers of the older era ask for it")]
    async fn list_roots(
        &self,
        _context: RequestContext<RoleClient>,
    ) -> Result<rmcp::model::ListRootsResult, ErrorData> {
        Ok(input::roots(&self.around.roots))
    }

    #[expect(deprecated, reason = "servers of the older era ask for it")]
    async fn create_message(
        &self,
        _params: rmcp::model::CreateMessageRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<rmcp::model::CreateMessageResult, ErrorData> {
        self.sampling();
        Err(ErrorData::method_not_found::<rmcp::model::CreateMessageRequestMethod>())
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        tokio::select! {
            answer = self.elicit(&request) => Ok(answer),
            () = context.ct.cancelled() => Ok(ElicitResult::new(ElicitationAction::Cancel)),
        }
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed();
    }

    async fn on_prompt_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed();
    }

    async fn on_resource_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed();
    }
}

fn progress_line(params: &ProgressNotificationParam) -> String {
    let message = crate::listing::bounded(params.message.as_deref().unwrap_or_default(), 400);
    let far = params.total.map_or_else(|| params.progress.to_string(), |total| format!("{}/{total}", params.progress));
    if message.is_empty() { format!("{far}\n") } else { format!("{far} {message}\n") }
}
