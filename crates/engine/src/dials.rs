//! The settings that people change most, as front ends can change them: into the user's own file, never the project's.
//! What could loosen a protection is shown here and changed by `config set` or in the file alone.

use reasonix_config::schema::KEYS;
use reasonix_config::{Layer, Origins, SettingOrigin, Settings, ShownValue, default_value, save_setting, shown_value};
use reasonix_proto::{Acts, Dial, Done, Level, Phrase, Refusal, Refused, Setting, Takes};
use reasonix_state::ticket::ToldDone;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// What a setting takes.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// It is shown, and changed in the file alone.
    Fixed,
    Switch,
    Words(&'static [&'static str]),
    Several(&'static [&'static str]),
    Count,
    Number,
    Text,
    /// One of the models of the settings.
    Model,
}

/// A row: the key, what it is, what it takes, when a change acts.
type Row = (&'static str, Phrase, Kind, Acts);

/// In the order they are shown.
const ROWS: &[Row] = &[
    ("default_model", Phrase::new("setting.default_model"), Kind::Model, Acts::NextSession),
    ("agent.planner_model", Phrase::new("setting.planner_model"), Kind::Model, Acts::NextSession),
    ("agent.escalation_model", Phrase::new("setting.escalation_model"), Kind::Model, Acts::NextSession),
    ("agent.auto_escalate", Phrase::new("setting.auto_escalate"), Kind::Switch, Acts::NextSession),
    ("language", Phrase::new("setting.language"), Kind::Words(&["en", "zh"]), Acts::Now),
    ("tui.theme", Phrase::new("setting.theme"), Kind::Text, Acts::Now),
    ("tui.status", Phrase::new("setting.status"), Kind::Several(PIECES), Acts::Now),
    ("tui.notify", Phrase::new("setting.notify"), Kind::Words(&["desktop", "bell", "off"]), Acts::Now),
    ("tui.full_screen", Phrase::new("setting.full_screen"), Kind::Switch, Acts::NextStart),
    ("tui.mouse", Phrase::new("setting.mouse"), Kind::Switch, Acts::NextStart),
    ("tui.vim", Phrase::new("setting.vim"), Kind::Switch, Acts::NextStart),
    ("tui.screen_reader", Phrase::new("setting.screen_reader"), Kind::Switch, Acts::NextStart),
    ("compaction.auto", Phrase::new("setting.compaction_auto"), Kind::Switch, Acts::NextSession),
    ("compaction.ratio", Phrase::new("setting.compaction_ratio"), Kind::Words(RATIOS), Acts::NextSession),
    ("compaction.prune", Phrase::new("setting.compaction_prune"), Kind::Switch, Acts::NextSession),
    ("compaction.idle_seconds", Phrase::new("setting.compaction_idle"), Kind::Count, Acts::NextSession),
    ("budget.max_cost", Phrase::new("setting.max_cost"), Kind::Number, Acts::NextSession),
    ("budget.max_tokens", Phrase::new("setting.max_tokens"), Kind::Count, Acts::NextSession),
    ("budget.max_seconds", Phrase::new("setting.max_seconds"), Kind::Count, Acts::NextSession),
    ("agent.max_steps", Phrase::new("setting.max_steps"), Kind::Count, Acts::NextSession),
    ("agent.turn_timeout_seconds", Phrase::new("setting.turn_timeout"), Kind::Count, Acts::NextSession),
    ("tools.bash_timeout_seconds", Phrase::new("setting.bash_timeout"), Kind::Count, Acts::NextSession),
    ("ask.timeout", Phrase::new("setting.ask_timeout"), Kind::Count, Acts::NextSession),
    ("history.enabled", Phrase::new("setting.history"), Kind::Switch, Acts::NextSession),
    ("memory.enabled", Phrase::new("setting.memory"), Kind::Switch, Acts::NextSession),
    ("checkpoint.enabled", Phrase::new("setting.checkpoint"), Kind::Switch, Acts::NextSession),
    ("undo.max_mb", Phrase::new("setting.undo_room"), Kind::Count, Acts::NextSession),
    ("logs.level", Phrase::new("setting.logs"), Kind::Words(LEVELS), Acts::NextSession),
    ("permissions.mode", Phrase::new("setting.permissions"), Kind::Fixed, Acts::NextSession),
    ("sandbox.bash", Phrase::new("setting.sandbox"), Kind::Fixed, Acts::NextSession),
    ("sandbox.network", Phrase::new("setting.network"), Kind::Fixed, Acts::NextSession),
    ("undo.enabled", Phrase::new("setting.undo"), Kind::Fixed, Acts::NextSession),
];

const PIECES: &[&str] = &["model", "posture", "sandbox", "context", "cost", "cache", "git", "folder"];
const RATIOS: &[&str] = &["0.5", "0.6", "0.7", "0.8", "0.9"];
const LEVELS: &[&str] = &["off", "error", "warn", "info", "debug", "trace"];

/// What the document says of a key; an entry of a list or a table is told by its list.
fn written(key: &str) -> Option<&'static str> {
    let plain: String = key.split('[').enumerate().fold(String::new(), |text, (at, part)| match at {
        0 => part.to_owned(),
        _ => format!("{text}[]{}", part.split_once(']').map_or("", |(_, behind)| behind)),
    });
    KEYS.iter().find(|known| known.path == plain).map(|known| known.about)
}

/// The settings of a session as they were read, and what was changed since.
#[derive(Debug)]
pub(crate) struct Dials {
    read: Arc<Origins>,
    changed: Mutex<Origins>,
    file: Option<PathBuf>,
    models: Vec<String>,
}

impl Dials {
    /// The settings as they were read.
    pub(crate) fn new(read: Arc<Origins>, settings: &Settings) -> Self {
        let models = settings.models().map(|found| found.name()).collect();
        Self { read, changed: Mutex::default(), file: settings.user_file.clone(), models }
    }

    /// The settings with their origins, as they were read.
    pub(crate) fn as_read(&self) -> &Origins {
        &self.read
    }

    /// All settings: those that people change most, then what else was written or has a value.
    pub(crate) fn list(&self) -> Vec<Setting> {
        let most = ROWS.iter().map(|row| self.row(row));
        let others = self.read.iter().filter(|(key, _)| !ROWS.iter().any(|row| row.0 == key.as_str()));
        let others = others.map(|(key, shown)| Setting {
            key: key.clone(),
            value: shown.value.clone(),
            origin: (&shown.origin).into(),
            about: written(key).map(|words| Phrase::new("setting.words").with("explained", words)),
            dial: None,
        });
        most.chain(others).collect()
    }

    fn row(&self, (key, about, kind, acts): &Row) -> Setting {
        let shown = self.shown(key);
        let takes = self.takes(*kind);
        Setting {
            key: (*key).to_owned(),
            value: shown.as_ref().map(|shown| shown.value.clone()).unwrap_or_default(),
            origin: (&shown.map_or(SettingOrigin::default(), |shown| shown.origin)).into(),
            about: Some(about.clone()),
            dial: takes.map(|takes| Dial { takes, acts: *acts }),
        }
    }

    fn takes(&self, kind: Kind) -> Option<Takes> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Some(match kind {
            Kind::Fixed => return None,
            Kind::Switch => Takes::Switch,
            Kind::Words(known) => Takes::OneOf { words: words(known) },
            Kind::Several(known) => Takes::Several { words: words(known) },
            Kind::Count => Takes::Count,
            Kind::Number => Takes::Number,
            Kind::Text => Takes::Text,
            Kind::Model => Takes::OneOf { words: self.models.clone() },
        })
    }

    fn shown(&self, key: &str) -> Option<ShownValue> {
        let changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        changed.get(key).or_else(|| self.read.get(key)).cloned()
    }

    /// Writes a setting into the user's file; what came of it, for the user.
    pub(crate) async fn change(&self, key: &str, value: Option<String>) -> Result<ToldDone, Refused> {
        let fixed = || Refused::new(Refusal::Fixed, Phrase::new("engine.setting_fixed").with("key", key));
        let row = ROWS.iter().find(|row| row.0 == key);
        let Some((takes, acts)) = row.and_then(|row| Some((self.takes(row.2)?, row.3))) else {
            return Err(fixed());
        };
        let known = match (&takes, &value) {
            (Takes::OneOf { words }, Some(value)) => words.contains(value),
            (Takes::Several { words }, Some(value)) => {
                value.split_whitespace().all(|word| words.iter().any(|known| known == word))
            }
            _ => true,
        };
        let said = value.as_deref().map(|value| shown_value(key, value).filter(|_| known));
        if let Some(None) = said {
            let value = value.unwrap_or_default();
            let why = Phrase::new("engine.setting_value").with("key", key).with("value", value);
            return Err(Refused::new(Refusal::Invalid, why));
        }
        let Some(file) = self.file.clone() else { return Err(fixed()) };
        let (name, text, path) = (key.to_owned(), value.clone(), file.clone());
        let saved = tokio::task::spawn_blocking(move || save_setting(&path, &name, text.as_deref())).await;
        match saved {
            Ok(Ok(())) => Ok(self.saved(key, value, said.flatten(), acts, file)),
            Ok(Err(error)) => Err(Refused::new(Refusal::Failed, error.phrase())),
            Err(error) => {
                let error = reasonix_config::ConfigError::Write { path: file, reason: error.to_string() };
                Err(Refused::new(Refusal::Failed, error.phrase()))
            }
        }
    }

    /// It is in the file: whether it holds, or something else outweighs it.
    fn saved(&self, key: &str, value: Option<String>, said: Option<String>, acts: Acts, file: PathBuf) -> ToldDone {
        let saved = |acts| Done::Saved { key: key.to_owned(), value: value.clone(), acts };
        if let Some(shown) = self.read.get(key).filter(|shown| shown.origin.layer > Layer::User) {
            let phrase = Phrase::new("engine.setting_outweighed").with("key", key).with("origin", &shown.origin);
            return ToldDone { done: saved(None), level: Level::Warning, phrase };
        }
        let shown = match &said {
            Some(value) => ShownValue {
                value: value.clone(),
                origin: SettingOrigin::file(Layer::User, &Arc::new(file), 0),
                entries: Vec::new(),
            },
            None => ShownValue { value: default_value(key).unwrap_or_default().to_owned(), ..ShownValue::default() },
        };
        self.changed.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned(), shown);
        let phrase = match (said, acts) {
            (None, _) => Phrase::new("engine.setting_cleared").with("key", key),
            (Some(_), Acts::Now) => Phrase::new("engine.setting_saved"),
            (Some(_), Acts::NextSession) => Phrase::new("engine.setting_saved_later"),
            (Some(_), Acts::NextStart) => Phrase::new("engine.setting_saved_restart"),
        };
        let phrase = if phrase.arg("key").is_some() { phrase } else { phrase.with("key", key) };
        let phrase = phrase.with("value", value.as_deref().unwrap_or_default());
        // What is taken out acts at once where anything of it does: the front end goes back to the default.
        ToldDone { done: saved(Some(acts)), level: Level::Info, phrase }
    }
}

#[cfg(test)]
mod tests {
    use super::{Dials, Kind, ROWS};
    use reasonix_config::{Layer, Origins, SettingOrigin, Settings, ShownValue, default_value};
    use reasonix_proto::{Acts, Done, Level, Refusal, Takes};
    use std::sync::Arc;

    fn dials(file: &std::path::Path, read: Origins) -> Dials {
        Dials::new(Arc::new(read), &Settings { user_file: Some(file.to_owned()), ..Settings::default() })
    }

    #[test]
    fn nothing_that_guards_can_be_changed_from_here() {
        for (key, _, kind, _) in ROWS {
            let guards = ["permissions", "sandbox", "trust", "net", "plugins", "serve", "providers", "undo.enabled"];
            if guards.iter().any(|guard| key.starts_with(guard)) {
                assert!(matches!(kind, Kind::Fixed), "{key}");
            }
        }
    }

    #[tokio::test]
    async fn a_change_is_written_and_shown_and_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        std::fs::write(&file, "# mine\nlanguage = \"en\"\n").unwrap();
        let dials = dials(&file, Origins::new());
        let told = dials.change("tui.theme", Some("light".into())).await.unwrap();
        let saved = Done::Saved { key: "tui.theme".into(), value: Some("light".into()), acts: Some(Acts::Now) };
        assert_eq!((told.level, &*told.phrase.code, told.done), (Level::Info, "engine.setting_saved", saved));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "# mine\nlanguage = \"en\"\n\n[tui]\ntheme = \"light\"\n");
        let shown = dials.list().into_iter().find(|setting| setting.key == "tui.theme").unwrap();
        assert_eq!(shown.value, "\"light\"");
        assert!(shown.origin.to_string().starts_with("user "), "{}", shown.origin);
        dials.change("tui.theme", None).await.unwrap();
        let shown = dials.list().into_iter().find(|setting| setting.key == "tui.theme").unwrap();
        assert_eq!(
            (shown.value.as_str(), shown.origin.to_string().as_str()),
            (default_value("tui.theme").unwrap(), "default")
        );
    }

    #[tokio::test]
    async fn what_is_not_offered_is_refused_and_nothing_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        let dials = dials(&file, Origins::new());
        for (key, value) in [
            ("permissions.mode", "allow"),
            ("sandbox.bash", "off"),
            ("sandbox.network", "true"),
            ("undo.enabled", "false"),
            ("net.proxy", "http://x"),
            ("language", "fr"),
            ("compaction.ratio", "7"),
            ("tui.status", "model nonsense"),
            ("agent.max_steps", "many"),
        ] {
            let refused = dials.change(key, Some(value.into())).await.err().unwrap();
            assert!(matches!(refused.refusal, Refusal::Fixed | Refusal::Invalid), "{key} = {value}: {refused:?}");
        }
        assert!(!file.exists());
    }

    #[tokio::test]
    async fn what_something_else_outweighs_is_said_to_be() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        let origin = SettingOrigin::named(Layer::Env, "REASONIX_LANG");
        let read = Origins::from([(
            "language".to_owned(),
            ShownValue { value: "\"zh\"".into(), origin, entries: Vec::new() },
        )]);
        let dials = dials(&file, read);
        let told = dials.change("language", Some("en".into())).await.unwrap();
        assert_eq!((told.level, &*told.phrase.code), (Level::Warning, "engine.setting_outweighed"));
        assert!(matches!(told.done, Done::Saved { acts: None, .. }), "{:?}", told.done);
        let shown = dials.list().into_iter().find(|setting| setting.key == "language").unwrap();
        assert_eq!(shown.value, "\"zh\"", "what holds is shown");
    }

    #[test]
    fn every_row_is_a_key_of_the_settings_and_takes_its_own_words() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        for setting in dials(&file, Origins::new()).list() {
            let words = match setting.dial.map(|dial| dial.takes) {
                Some(Takes::Switch) => vec!["true".to_owned(), "false".to_owned()],
                Some(Takes::OneOf { words } | Takes::Several { words }) => words,
                Some(Takes::Count | Takes::Number) => vec!["3".to_owned()],
                Some(Takes::Text) => vec!["x".to_owned()],
                None => Vec::new(),
            };
            for word in words {
                reasonix_config::save_setting(&file, &setting.key, Some(&word)).unwrap();
            }
        }
    }
}
