//! A person is asked about a call, and what follows from their answer.

use super::Approvals;
use super::question::{About, question};
use super::scripts::Scripts;
use reasonix_agent::{Ask, Decision, Preview};
use reasonix_policy::{By, Verdict, evaluate};
use reasonix_proto::{Action, AskId, Choice, ClientId, Decided, DecidedBy, Event, Family, Level, ReadOnly};
use std::sync::PoisonError;

/// More than this of what a person says with a no is cut.
const MOST_WORDS: usize = 4000;

/// For more different scripts than this a rule is not known to have been granted.
const MOST_SETS: usize = 64;

/// Names under which models give a command and the folder that it runs in.
const COMMANDS: &[&str] = &["command", "cmd", "script", "workdir", "cwd"];

/// What a person answered.
#[derive(Debug, Clone, PartialEq)]
pub struct AskAnswer {
    /// What was chosen of what was offered.
    pub choice: Choice,
    /// What the model is told with a no.
    pub words: Option<String>,
    /// The command that is to run in place of the one that was asked about.
    pub edited: Option<String>,
    /// The front end that it came from, where that said its name.
    pub client: Option<ClientId>,
}

impl Default for AskAnswer {
    fn default() -> Self {
        Self { choice: Choice::Deny, words: None, edited: None, client: None }
    }
}

impl AskAnswer {
    /// True when it can be an answer to a question whose command can be edited, or cannot.
    pub(super) fn fits(&self, editable: bool) -> bool {
        match &self.edited {
            None => true,
            Some(line) => editable && self.choice == Choice::AllowOnce && !line.trim().is_empty(),
        }
    }

    /// The same with words only where they go, and not too many.
    pub(super) fn bounded(mut self) -> Self {
        let words = self.words.take().filter(|_| self.choice == Choice::Deny);
        let words = words.map(|words| words.trim().chars().take(MOST_WORDS).collect::<String>());
        self.words = words.filter(|words| !words.is_empty());
        self
    }
}

impl Approvals {
    /// Asks about a call; about one that cannot succeed nobody is asked.
    pub(super) async fn ask_person(&self, ask: Ask<'_>, by: By) -> Decision {
        let preview = match ask.tool.preview(ask.args).await {
            Ok(preview) => preview,
            // Why it fails may tell what is in a file, so it is not told where that is asked about.
            Err(outcome) if self.may_be_read(ask.action) => return Decision::Fail { outcome },
            Err(_) => None,
        };
        self.ask_until_it_stands(&ask, &by, preview.as_ref(), Vec::new()).await
    }

    /// Asks about a call that a grant covers, because a script that it runs is not what it was then.
    pub(super) async fn ask_changed(&self, ask: Ask<'_>, by: &By) -> Decision {
        let then = self.granted_scripts(by).and_then(|mut sets| sets.pop()).unwrap_or_default();
        let changed = self.scripts_of(&ask).changed_from(&then);
        self.ask_until_it_stands(&ask, &By::Fallback, None, changed).await
    }

    /// True when a grant covers the call that was given for other scripts than those that would run now.
    pub(super) fn is_other_script(&self, ask: &Ask<'_>, by: &By) -> bool {
        let Some(sets) = self.granted_scripts(by) else { return false };
        let now = self.scripts_of(ask);
        !sets.iter().any(|then| now.are_surely(then))
    }

    /// What a call would run, as it is now.
    fn scripts_of(&self, ask: &Ask<'_>) -> Scripts {
        let locals = self.standing.programs.resolve(&self.files, ask.action, super::classify::found(ask)).locals;
        Scripts::of(&self.files, ask, self.standing.walled, locals.into_iter().map(|local| local.path))
    }

    /// The scripts that a rule was granted for, each time that it was: in this session, and for good.
    fn granted_scripts(&self, by: &By) -> Option<Vec<Scripts>> {
        let By::Rule(rule) = by else { return None };
        let session = self.scripts.lock().unwrap_or_else(PoisonError::into_inner).get(rule).cloned();
        let kept = self.is_kept(rule).then(|| self.standing.keeper.as_ref()?.scripts(rule)).flatten();
        match (kept, session) {
            (None, session) => session,
            (Some(kept), session) => Some(kept.into_iter().chain(session.unwrap_or_default()).collect()),
        }
    }

    /// Asks, and asks again where a script changed while the question stood: what is run is what was looked at.
    async fn ask_until_it_stands(
        &self,
        ask: &Ask<'_>,
        by: &By,
        preview: Option<&Preview>,
        mut changed: Vec<String>,
    ) -> Decision {
        loop {
            let scripts = self.scripts_of(ask);
            let keeps = self.standing.keeper.is_some();
            let grantable = match by {
                By::Danger(found) => self.may_be_granted(ask, found).await,
                _ => false,
            };
            let copied = self.copied(ask);
            let effects = super::classify::found(ask);
            let resolved = &self.standing.programs.resolve(&self.files, ask.action, effects);
            let scripts = &scripts;
            let about = About { ask, by, preview, scripts, changed: &changed, keeps, grantable, resolved, copied };
            let (id, answer) = self.put(|id| question(id, &about)).await;
            let now = self.scripts_of(ask);
            if let (By::Redefined(diff), true) = (by, answer.choice != Choice::Deny) {
                ask.tool.accept(diff);
            }
            if let (By::Unvouched, Choice::AllowSession { .. }) = (by, &answer.choice) {
                let name = ask.tool.spec().name.clone();
                self.taken_at_its_word.lock().unwrap_or_else(PoisonError::into_inner).insert(name);
            }
            if answer.choice == Choice::Deny || now == *scripts {
                return self.decided(ask, id, answer, now).await;
            }
            changed = now.changed_from(scripts);
        }
    }

    async fn decided(&self, ask: &Ask<'_>, id: AskId, answer: AskAnswer, scripts: Scripts) -> Decision {
        let choice = match ask.action.family {
            Family::Bash => self.bind_to(&answer.choice, scripts),
            _ => answer.choice.clone(),
        };
        let (granted, saved) = self.settle(&choice).await;
        if granted.as_deref() == Some(super::restorable::WORD) {
            self.note_word(&ask.call.id);
        }
        let allowed = answer.choice != Choice::Deny;
        let (call, by, ask_id) = (ask.call.id.clone(), DecidedBy::User, Some(id));
        let (words, edited, client) = (answer.words, answer.edited, answer.client);
        let message = refusal(words.as_deref());
        let record = Decided { call, allowed, by, ask: ask_id, granted, saved, words, edited, client };
        match &record.edited {
            _ if !allowed => Decision::Deny { record, message },
            None => Decision::Allow { record: Some(record) },
            Some(line) => {
                let mut args = ask.args.clone();
                args.retain(|name, _| !COMMANDS.contains(&name.as_str()));
                args.insert("command".to_owned(), line.as_str().into());
                Decision::Edit { record, args }
            }
        }
    }

    /// What is granted holds for these scripts, beside those that it was granted for before. What cannot be noted is said,
    /// and is allowed once.
    fn bind_to(&self, choice: &Choice, scripts: Scripts) -> Choice {
        let (rule, for_good) = match choice {
            Choice::AllowSession { rule } => (rule, false),
            Choice::AllowAlways { rule } => (rule, true),
            Choice::AllowOnce | Choice::Deny => return choice.clone(),
        };
        let mut sets = self.granted_scripts(&By::Rule(rule.clone())).unwrap_or_default();
        sets.retain(|set| *set != scripts);
        if sets.len() >= MOST_SETS {
            sets.remove(0);
        }
        sets.push(scripts);
        if let (true, Some(keeper)) = (for_good, &self.standing.keeper)
            && let Err(phrase) = keeper.note(rule, &sets)
        {
            self.sink.emit(Event::Notice { level: Level::Warning, phrase });
            return Choice::AllowOnce;
        }
        self.scripts.lock().unwrap_or_else(PoisonError::into_inner).insert(rule.clone(), sets);
        choice.clone()
    }

    /// True when the files of a call may be read without a question.
    fn may_be_read(&self, action: &Action) -> bool {
        let reads = Action { family: Family::Read, subjects: action.subjects.clone(), read_only: ReadOnly::Yes };
        let reads = self.judged(&reads);
        let granted = self.granted.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(evaluate(&self.rules(), &granted, self.posture(false), "read_file", &reads), Verdict::Allow(_))
    }
}

/// What the model reads of a no.
fn refusal(words: Option<&str>) -> String {
    match words {
        Some(words) => format!(
            "the user refused this call and said what to do instead; do that, and do not try this call again or by other means. The user said: {words}"
        ),
        None => {
            "the user refused this call. Do not try it again or by other means; ask what they want instead".to_owned()
        }
    }
}
