//! The hooks of a session: commands that are run at its moments. They can only tighten: what one allows is judged all the same, and
//! what one changes is judged anew. A project's run only while the user trusts them, exactly as they are.

mod aspect;
mod calls;
mod kept;
mod list;
mod listen;
mod moments;
mod run;
mod running;
mod standing;

pub use aspect::{AroundAll, AroundCalls, AroundChild};
pub use kept::HookWatch;
pub use list::hooks_of;

use calls::HookedCalls;
use listen::Ear;
use moments::Moments;
use reasonix_agent::Stop;
use reasonix_exec::Confinement;
use reasonix_gate::Approvals;
use reasonix_proto::{HookInfo, Phrase};
use reasonix_state::Book;
use reasonix_state::outbox::Outbox;
use reasonix_state::ticket::ToldDone;
use reasonix_world::spec::Start;
use reasonix_world::trust::TrustWord;
use running::Running;
use standing::HookList;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::task::JoinSet;

/// The hooks of a session.
pub struct Hooks {
    /// Which there are, and which may run.
    list: Arc<HookList>,
    /// Those that run.
    running: Arc<Running>,
    calls: Arc<HookedCalls>,
    moments: Moments,
    gate: Arc<Approvals>,
    /// Somebody is there who can be asked.
    attended: bool,
    /// Who listens for them.
    ear: Mutex<JoinSet<()>>,
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hooks {
    /// The hooks that there are; what is wrong with some is said.
    pub fn new(
        start: &Start,
        trust: &TrustWord,
        (outbox, book): (&Arc<Outbox>, &Arc<Book>),
        gate: &Arc<Approvals>,
        confinement: &Confinement,
    ) -> Arc<Self> {
        let start = Arc::new(start.clone());
        let list = HookList::new(&start, trust, outbox);
        Self::around(Running::new(Arc::new(list), &start, (outbox, book), confinement), gate, start.attended)
    }

    /// The same hooks around the calls of one that works in a clone: they run there, in the box of that clone.
    pub fn moved_to(
        &self,
        start: &Start,
        (book, gate): (&Arc<Book>, &Arc<Approvals>),
        confinement: &Confinement,
    ) -> Arc<Self> {
        let start = Arc::new(start.clone());
        let list = Arc::new(self.list.moved_to(&start));
        let running = Running::new(list, &start, (&self.running.outbox, book), confinement);
        Self::around(running.apart_of(&self.running), gate, start.attended)
    }

    fn around(running: Running, gate: &Arc<Approvals>, attended: bool) -> Arc<Self> {
        let running = Arc::new(running);
        Arc::new(Self {
            list: Arc::clone(&running.list),
            calls: Arc::new(HookedCalls::new(&running)),
            moments: Moments::new(&running),
            running,
            gate: Arc::clone(gate),
            attended,
            ear: Mutex::default(),
        })
    }

    /// The hooks, for people.
    pub fn info(&self) -> Vec<HookInfo> {
        self.list.info()
    }

    /// What is wrong with files of hooks, for people.
    pub fn flaws(&self) -> Vec<Phrase> {
        self.list.flaws()
    }

    /// Reads everything anew.
    pub async fn reload(&self) -> ToldDone {
        let told = self.list.reload().await;
        self.listen();
        told
    }

    /// Listens from now on, where a hook wants to hear of something.
    fn listen(&self) {
        let ear =
            Ear { running: Arc::clone(&self.running), calls: Arc::clone(&self.calls), gate: Arc::clone(&self.gate) };
        let mut heard = locked(&self.ear);
        if self.attended && heard.is_empty() && ear.is_wanted() {
            let events = self.running.outbox.join();
            heard.spawn(ear.hear(events));
        }
    }

    /// Sees what is written down.
    pub fn watch(&self) -> HookWatch {
        HookWatch(Arc::clone(self.running.kept()))
    }

    /// The session begins. Nobody waits for these hooks before the first prompt does.
    pub fn begin(&self, resumed: bool, model: String) {
        self.listen();
        self.moments.begin(resumed, model);
    }

    /// A turn begins that this stops.
    pub fn begin_turn(&self, stop: &Stop) {
        self.running.stopped_by(stop.clone());
        self.calls.forget();
    }

    /// The turn is over, and what stopped it stops nothing of later.
    pub fn end_turn(&self) {
        self.running.stopped_by(Stop::new());
    }

    /// The next prompt is one that was sent before.
    pub fn said_again(&self) {
        self.moments.said_again();
    }

    /// The session ends, and with it every hook that still runs.
    pub async fn end(&self) {
        self.moments.end().await;
        let mut ear = std::mem::take(&mut *locked(&self.ear));
        ear.shutdown().await;
    }
}

/// A text, or its beginning with how much is left out.
fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let at = text.floor_char_boundary(most);
    format!("{}… [{} more bytes]", text.get(..at).unwrap_or_default(), text.len() - at)
}
