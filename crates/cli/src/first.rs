//! The first run, in the screen: setting up a model, or watching the demo. Looks, tries and saves; what is asked and
//! answered is the screen's part.

use crate::demo::Place;
use crate::screen::finish;
use crate::setup::{NotOffered, Offer, at_address, discover, provider_of, save, window_from, with_hosted, with_scheme};
use crate::{context, say};
use reasonix_catalogue::Probed;
use reasonix_config::{Secret, Settings};
use reasonix_engine::{Handle, probe_now};
use reasonix_llm::{ApiKey, Endpoint};
use reasonix_proto::{Event, Level, Op, Phrase, TurnState};
use reasonix_tui::{Answer, Asked, HostNews, HostRequest, Offered, Post, SetupStep};
use std::path::Path;
use tokio::sync::mpsc::UnboundedReceiver;

/// What the first run came to.
pub(crate) enum Chosen {
    /// There is a model now.
    Session,
    /// The user left.
    Leave,
}

/// Why a step is not gone on with.
enum Turned {
    Back,
    Left,
}

/// The wires to the screen.
struct First<'a> {
    post: &'a Post,
    asked: &'a mut UnboundedReceiver<Asked>,
}

/// Lets the user choose until there is a model or they leave.
pub(crate) async fn first_run(post: &Post, asked: &mut UnboundedReceiver<Asked>) -> anyhow::Result<Chosen> {
    let mut first = First { post, asked };
    loop {
        first.post.tell(HostNews::FirstRun);
        let turned = match first.wish().await {
            None => return Ok(Chosen::Leave),
            Some(HostRequest::Setup) => match first.setup().await? {
                Ok(()) => return Ok(Chosen::Session),
                Err(turned) => turned,
            },
            Some(HostRequest::Demo) => first.demo().await?,
            Some(_) => Turned::Back,
        };
        if matches!(turned, Turned::Left) {
            return Ok(Chosen::Leave);
        }
    }
}

impl First<'_> {
    /// The next wish of the screen; none when it is gone.
    async fn wish(&mut self) -> Option<HostRequest> {
        loop {
            if let Asked::Host(host) = self.asked.recv().await? {
                return Some(host);
            }
        }
    }

    /// The next answer to a step.
    async fn answer(&mut self) -> Result<Answer, Turned> {
        loop {
            match self.wish().await {
                None => return Err(Turned::Left),
                Some(HostRequest::Answer(Answer::Back)) => return Err(Turned::Back),
                Some(HostRequest::Answer(answer)) => return Ok(answer),
                Some(_) => {}
            }
        }
    }

    fn step(&self, step: SetupStep) {
        self.post.tell(HostNews::Setup(step));
    }

    /// Waits for something, unless the user goes back or leaves.
    async fn unless_back<T>(&mut self, what: Phrase, work: impl Future<Output = T>) -> Result<T, Turned> {
        self.step(SetupStep::Wait(what));
        tokio::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return Ok(done),
                answered = self.answer() => drop(answered?),
            }
        }
    }

    /// From the endpoint to the saved settings. What goes wrong is said, and it begins again.
    async fn setup(&mut self) -> anyhow::Result<Result<(), Turned>> {
        let home = context::home()?;
        loop {
            match self.once(&home).await {
                Ok(Ok(saved)) => {
                    self.step(SetupStep::Done);
                    say::notice(Level::Info, &saved);
                    return Ok(Ok(()));
                }
                Ok(Err(phrase)) => say::notice(Level::Error, &phrase),
                Err(turned) => return Ok(Err(turned)),
            }
        }
    }

    async fn once(&mut self, home: &Path) -> Result<Result<Phrase, Phrase>, Turned> {
        let found = self.unless_back(Phrase::new("tui.setup.looking"), discover()).await?;
        if found.is_empty() {
            say::notice(Level::Info, &Phrase::new("cli.setup_no_local"));
        }
        let mut offers = with_hosted(found);
        loop {
            let mut offer = self.endpoint(&offers).await?;
            offer.named_as_before(home);
            // Going back leads to the list, where an address that was written stands too.
            match self.chosen(&offer, home).await {
                Err(Turned::Back) if offers.iter().any(|other| other.base_url == offer.base_url) => {}
                Err(Turned::Back) => offers.insert(0, offer),
                settled => return settled,
            }
        }
    }

    /// From a chosen endpoint to what is saved.
    async fn chosen(&mut self, offer: &Offer, home: &Path) -> Result<Result<Phrase, Phrase>, Turned> {
        let mut offer = offer.clone();
        if let Err(phrase) = self.key(&mut offer, home).await? {
            return Ok(Err(phrase));
        }
        let offer = &offer;
        let model = self.model(offer).await?;
        let probed = self.probed(offer, &model, home).await?;
        let window = window_from(offer, &model, probed.as_ref());
        if window.is_none() {
            say::notice(Level::Info, &Phrase::new("tui.setup.no_window").with("model", &model));
        }
        Ok(save(home, &provider_of(offer, &model, probed.as_ref(), window)))
    }

    async fn endpoint(&mut self, offers: &[Offer]) -> Result<Offer, Turned> {
        let shown = |offer: &Offer| {
            let models: Vec<&str> = offer.models.iter().take(3).map(|model| model.id.as_str()).collect();
            let local = offer.preset.is_some_and(reasonix_catalogue::Preset::is_local);
            Offered { name: offer.name.clone(), note: format!("{}  {}", offer.base_url, models.join(", ")), local }
        };
        loop {
            self.step(SetupStep::Endpoints(offers.iter().map(shown).collect()));
            match self.answer().await? {
                Answer::Endpoint(place) => {
                    if let Some(offer) = offers.get(place) {
                        return Ok(offer.clone());
                    }
                }
                Answer::Address(url) => match self.address(&with_scheme(&url)).await {
                    Err(Turned::Back) => {}
                    found => return found,
                },
                _ => {}
            }
        }
    }

    /// An address that the user wrote. It may be down; then they name the model.
    async fn address(&mut self, url: &str) -> Result<Offer, Turned> {
        let mut offer = at_address(url, Vec::new());
        // What wants a key is asked for one next.
        if let Err(why) = self.look(&mut offer).await?
            && !why.is_about_keys()
        {
            say::notice(Level::Warning, &why.phrase(&offer.base_url, None));
        }
        Ok(offer)
    }

    /// Asks an endpoint which models it has.
    async fn look(&mut self, offer: &mut Offer) -> Result<Result<(), NotOffered>, Turned> {
        let asking = Phrase::new("tui.setup.asking").with("url", reasonix_config::shown_address(&offer.base_url));
        let mut looked = offer.clone();
        let (found, seen) = self.unless_back(asking, async move { (looked.look().await, looked) }).await?;
        *offer = seen;
        Ok(found)
    }

    /// Asks for the key of an endpoint that wants one, where it is not in the environment, until it is taken or none is given.
    async fn key(&mut self, offer: &mut Offer, home: &Path) -> Result<Result<(), Phrase>, Turned> {
        let Some(name) = offer.key_name() else { return Ok(Ok(())) };
        let of_environment = std::env::var(&name).ok().filter(|value| !value.is_empty());
        let mut key = of_environment.clone();
        loop {
            if key.is_none() {
                self.step(SetupStep::Key(name.clone()));
                if let Answer::Key(typed) = self.answer().await? {
                    key = Some(typed).filter(|key| !key.is_empty());
                }
                let saved = key.as_ref().map(|key| reasonix_config::save_key(home, &name, &Secret::new(key)));
                if let Some(Err(error)) = saved {
                    return Ok(Err(error.phrase()));
                }
            }
            let Some(given) = key.take() else {
                // One that was refused is not kept for it.
                let named = offer.preset.and_then(|preset| preset.key_env).map(str::to_owned);
                (offer.key, offer.api_key_env) = (None, named);
                return Ok(Ok(()));
            };
            offer.keep(name.clone(), Some(given));
            // Without the key the endpoint may not have said what it has.
            if !offer.models.is_empty() {
                return Ok(Ok(()));
            }
            let Err(why) = self.look(offer).await? else { return Ok(Ok(())) };
            say::notice(Level::Warning, &why.phrase(&offer.base_url, None));
            if !why.is_about_keys() {
                return Ok(Ok(()));
            }
            if of_environment.is_some() {
                // What is typed would stand behind what the environment has.
                return Ok(Err(Phrase::new("cli.setup_key_in_env").with("name", name)));
            }
        }
    }

    async fn model(&mut self, offer: &Offer) -> Result<String, Turned> {
        if let [only] = offer.models.as_slice() {
            return Ok(only.id.clone());
        }
        loop {
            self.step(SetupStep::Models(offer.models.iter().map(|model| model.id.clone()).collect()));
            if let Answer::Model(model) = self.answer().await? {
                return Ok(model);
            }
        }
    }

    /// What a local endpoint can do. What is known of hosted services needs no asking.
    async fn probed(&mut self, offer: &Offer, model: &str, home: &Path) -> Result<Option<Probed>, Turned> {
        if offer.preset.is_some_and(|preset| !preset.is_local()) || offer.models.is_empty() {
            return Ok(None);
        }
        let mut endpoint = Endpoint::new(&offer.name, &offer.base_url, model);
        let kept = || offer.api_key_env.as_ref().and_then(|name| std::env::var(name).ok()).map(ApiKey::from);
        endpoint.key = offer.key.clone().or_else(kept);
        endpoint.key_env.clone_from(&offer.api_key_env);
        let settings = Settings::default();
        let trying = Phrase::new("tui.setup.trying").with("model", model);
        // It takes a while with a slow model: what is being tried is said, and how far it is.
        let post = self.post.clone();
        let mut tell = move |question| {
            post.tell(HostNews::Setup(SetupStep::Wait(crate::probe::step_of(question).with("model", model))));
        };
        let found = self.unless_back(trying, probe_now(&settings, home, &endpoint, &mut tell)).await?;
        Ok(found.map_err(|phrase| say::notice(Level::Warning, &phrase)).ok())
    }

    /// Plays the demo in the transcript: a real session in a folder of its own, with a model that is a script.
    async fn demo(&mut self) -> anyhow::Result<Turned> {
        let place = Place::make(None)?;
        let mut handle = place.open()?;
        self.post.tell(HostNews::Ready);
        let intro = Phrase::new("cli.demo_intro").with("folder", place.project().display());
        say::notice(Level::Info, &intro);
        handle.submit(Op::Prompt { text: Place::prompt(), resolved: true });
        let turned = self.play(&mut handle).await;
        finish(handle).await;
        if matches!(turned, Turned::Back) {
            let (level, phrase) = match place.passes().await? {
                true => (Level::Info, Phrase::new("cli.demo_over")),
                false => (Level::Warning, Phrase::new("cli.demo_failed")),
            };
            say::notice(level, &phrase);
        }
        Ok(turned)
    }

    /// Carries events there and wishes here until the turn is over.
    async fn play(&mut self, handle: &mut Handle) -> Turned {
        let mut ended = false;
        loop {
            tokio::select! {
                biased;
                wish = self.asked.recv() => match wish {
                    None => return Turned::Left,
                    Some(Asked::Op(op)) => drop(handle.submit(op)),
                    Some(Asked::Query(id, query)) => {
                        let (post, reply) = (self.post.clone(), handle.query(query));
                        tokio::spawn(async move { post.reply(id, reply.await) });
                    }
                    Some(Asked::Host(_)) => {}
                },
                envelope = handle.events.next() => {
                    let Some(envelope) = envelope else { return Turned::Back };
                    let own = envelope.parent.is_none();
                    ended |= own && matches!(envelope.event, Event::TurnEnded { .. });
                    let idle = own && matches!(envelope.event, Event::State { state: TurnState::Idle });
                    self.post.event(envelope);
                    if ended && idle {
                        return Turned::Back;
                    }
                },
            }
        }
    }
}
