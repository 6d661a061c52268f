//! The ledger of edit trials: which model got which change right in which format. One line a trial, across all runs; it has
//! names and figures in it, never a word that a model said.

use crate::sealed;
use reasonix_proto::EditFormat;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The name of the file in the state folder.
const NAME: &str = "edits.jsonl";

/// What tells one trial from another; a later one of the same key takes the place of an earlier one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TrialKey {
    /// The model as `provider/model`.
    pub model: String,
    /// The version of what makes the cases: cases of one version are the same for ever.
    pub set: u32,
    /// What the cases were made from.
    pub seed: u64,
    /// The case, such as `rust-2`.
    pub case: String,
    /// The format.
    pub format: EditFormat,
}

/// One trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trial {
    /// When it ended, in milliseconds since the Unix epoch.
    pub at: u64,
    /// Which one it is.
    #[serde(flatten)]
    pub key: TrialKey,
    /// The language of the case.
    pub language: String,
    /// Why it was not right; none when it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
    /// Tokens that were read and written.
    pub input: u64,
    /// Tokens that the model wrote.
    pub output: u64,
    /// How long it took, in milliseconds.
    pub ms: u64,
}

/// Why a trial was not right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The answer has no change in this format.
    NoCall,
    /// The change cannot be read.
    NotParsed,
    /// It is about another file.
    OtherFile,
    /// It names a text or a place that is not there, or not only there.
    NoMatch,
    /// It was made, and the file is not what it should be.
    WrongResult,
    /// The answer took too long.
    TimedOut,
    /// The endpoint failed. It says nothing about the format: it is not counted, and tried again.
    Error,
    /// A reason that this version does not know.
    #[serde(other)]
    Unknown,
}

impl Why {
    /// Every reason that this version knows.
    pub const ALL: [Self; 7] =
        [Self::NoCall, Self::NotParsed, Self::OtherFile, Self::NoMatch, Self::WrongResult, Self::TimedOut, Self::Error];

    /// The name, as in the ledger.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoCall => "no_call",
            Self::NotParsed => "not_parsed",
            Self::OtherFile => "other_file",
            Self::NoMatch => "no_match",
            Self::WrongResult => "wrong_result",
            Self::TimedOut => "timed_out",
            Self::Error => "error",
            Self::Unknown => "unknown",
        }
    }
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Line {
    Tried(Trial),
    /// What was tried before of these does not count any more.
    Forgotten {
        at: u64,
        model: String,
        seed: u64,
        languages: Vec<String>,
        formats: Vec<EditFormat>,
    },
}

/// The ledger of a state folder.
#[derive(Debug, Clone)]
pub struct Trials {
    path: PathBuf,
}

/// What was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tried {
    /// Every trial that counts, by key.
    pub trials: BTreeMap<TrialKey, Trial>,
    /// Lines that cannot be read.
    pub damaged: u64,
}

impl Tried {
    /// The trials of a model that say something about formats.
    pub fn of_model<'a>(&'a self, model: &'a str) -> impl Iterator<Item = &'a Trial> {
        self.trials.values().filter(move |trial| trial.key.model == model && trial.why != Some(Why::Error))
    }

    /// True when this need not be tried again.
    pub fn has(&self, key: &TrialKey) -> bool {
        self.trials.get(key).is_some_and(|trial| trial.why != Some(Why::Error))
    }
}

impl Trials {
    /// The ledger of this state folder; touches nothing.
    pub fn at(state: &Path) -> Self {
        Self { path: state.join(NAME) }
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends one trial.
    pub fn append(&self, trial: &Trial) -> io::Result<()> {
        sealed::append(&self.path, &[Line::Tried(trial.clone())])
    }

    /// What was tried of these before does not count from now on.
    pub fn forget(&self, model: &str, seed: u64, languages: &[String], formats: &[EditFormat]) -> io::Result<()> {
        let (model, languages, formats) = (model.to_owned(), languages.to_vec(), formats.to_vec());
        sealed::append(&self.path, &[Line::Forgotten { at: crate::now(), model, seed, languages, formats }])
    }

    /// Reads everything; nothing when there is no file.
    pub fn read(&self) -> io::Result<Tried> {
        let mut tried = Tried::default();
        let trials = &mut tried.trials;
        tried.damaged = sealed::read(&self.path, |line| match line {
            Line::Tried(trial) => {
                trials.insert(trial.key.clone(), trial);
            }
            Line::Forgotten { model, seed, languages, formats, .. } => trials.retain(|key, trial| {
                let named = languages.contains(&trial.language) && formats.contains(&key.format);
                !(key.model == model && key.seed == seed && named)
            }),
        })?;
        Ok(tried)
    }
}

#[cfg(test)]
mod tests {
    use super::{Trial, TrialKey, Trials, Why};
    use pretty_assertions::assert_eq;
    use reasonix_proto::EditFormat;
    use std::io::Write;

    fn trial(case: &str, format: EditFormat, why: Option<Why>) -> Trial {
        let (language, _) = case.rsplit_once('-').unwrap();
        let key = TrialKey { model: "p/m".into(), set: 1, seed: 7, case: case.into(), format };
        Trial { at: 5, key, language: language.into(), why, input: 100, output: 10, ms: 3 }
    }

    #[test]
    fn what_is_written_is_read_again_and_the_last_word_counts() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Trials::at(folder.path());
        assert_eq!(ledger.read().unwrap().trials.len(), 0, "no file is no trials");
        ledger.append(&trial("go-1", EditFormat::EditFile, Some(Why::Error))).unwrap();
        let tried = ledger.read().unwrap();
        assert!(!tried.has(&trial("go-1", EditFormat::EditFile, None).key), "an error is tried again");
        assert_eq!(tried.of_model("p/m").count(), 0);
        ledger.append(&trial("go-1", EditFormat::EditFile, None)).unwrap();
        ledger.append(&trial("go-1", EditFormat::Blocks, Some(Why::NoCall))).unwrap();
        let tried = ledger.read().unwrap();
        assert_eq!((tried.trials.len(), tried.damaged), (2, 0));
        assert_eq!(tried.of_model("p/m").filter(|trial| trial.why.is_none()).count(), 1);
        assert_eq!(tried.of_model("p/other").count(), 0);
        let line = std::fs::read_to_string(ledger.path()).unwrap();
        let second = line.lines().nth(1).unwrap();
        let body = r#"{"kind":"tried","at":5,"model":"p/m","set":1,"seed":7,"case":"go-1","format":"edit_file","language":"go","input":100,"output":10,"ms":3,"crc":""#;
        assert!(second.starts_with(body), "{second}");
    }

    #[test]
    fn what_is_forgotten_does_not_count_and_the_rest_does() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Trials::at(folder.path());
        for format in [EditFormat::EditFile, EditFormat::Blocks] {
            ledger.append(&trial("go-1", format, None)).unwrap();
            ledger.append(&trial("c-1", format, None)).unwrap();
        }
        ledger.forget("p/m", 8, &["go".into()], &EditFormat::ALL).unwrap();
        assert_eq!(ledger.read().unwrap().trials.len(), 4, "another seed");
        ledger.forget("p/m", 7, &["go".into()], &[EditFormat::Blocks]).unwrap();
        let tried = ledger.read().unwrap();
        assert_eq!(tried.trials.len(), 3);
        assert!(!tried.has(&trial("go-1", EditFormat::Blocks, None).key));
        ledger.append(&trial("go-1", EditFormat::Blocks, None)).unwrap();
        assert_eq!(ledger.read().unwrap().trials.len(), 4, "tried again");
    }

    #[test]
    fn damaged_lines_are_counted_and_the_others_stand() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Trials::at(folder.path());
        ledger.append(&trial("go-1", EditFormat::EditFile, None)).unwrap();
        let mut file = std::fs::OpenOptions::new().append(true).open(ledger.path()).unwrap();
        file.write_all(b"{\"kind\":\"tried\",\"at\":5,\"mod").unwrap();
        ledger.append(&trial("go-2", EditFormat::EditFile, None)).unwrap();
        let tried = ledger.read().unwrap();
        assert_eq!((tried.trials.len(), tried.damaged), (2, 1));
        let text = std::fs::read_to_string(ledger.path()).unwrap().replace("go-1", "go-9");
        std::fs::write(ledger.path(), text).unwrap();
        let tried = ledger.read().unwrap();
        assert_eq!((tried.trials.len(), tried.damaged), (1, 2), "a changed line is not believed");
    }
}
