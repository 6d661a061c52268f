//! Who decided about a call, and who wrote notes: words with a known meaning. One that this version does not
//! know is kept as it came and written back the same.

use crate::Posture;
use crate::text::as_text;
use std::borrow::Cow;

as_text!(DecidedBy, NotedBy);

/// What decided about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecidedBy {
    /// A person who was asked.
    User,
    /// A person who was asked whether a host may be reached.
    UserOfHost,
    /// A person who was asked whether a command may run outside of the sandbox.
    UserOfOutside,
    /// Plan mode, in which nothing is changed.
    PlanMode,
    /// A rule of the settings, or one that was granted.
    Rule(String),
    /// What holds where no rule speaks.
    Fallback,
    /// The same where it would ask, and nobody is there.
    Unasked,
    /// The posture.
    Posture(Posture),
    /// The dangerous class.
    Danger,
    /// That only a person changes what is remembered.
    Memory,
    /// The protection of files that tell agents what to do.
    Protected,
    /// The protection of what other programs would run later.
    Later,
    /// That a tool from outside is defined otherwise than when it was accepted.
    Redefined,
    /// A rule that answers for a person in this run.
    Approved(String),
    /// In words of another version, or of something around the loop.
    Other(String),
}

const PLAIN: [(DecidedBy, &str); 11] = [
    (DecidedBy::User, "user"),
    (DecidedBy::UserOfHost, "user, about a host"),
    (DecidedBy::UserOfOutside, "user, about a run outside the sandbox"),
    (DecidedBy::PlanMode, "plan mode"),
    (DecidedBy::Fallback, "permissions.mode"),
    (DecidedBy::Unasked, "permissions.mode, with nobody to ask"),
    (DecidedBy::Danger, "the dangerous class"),
    (DecidedBy::Memory, "the rule that only a person changes what is remembered"),
    (DecidedBy::Protected, "the protection of files that tell agents what to do"),
    (DecidedBy::Later, "the protection of what git or other programs would run later"),
    (DecidedBy::Redefined, "the rule that a tool whose definition changed is accepted anew"),
];
const POSTURES: [(Posture, &str); 3] =
    [(Posture::Ask, "posture ask"), (Posture::Auto, "posture auto"), (Posture::Yolo, "posture yolo")];
const RULE: &str = "rule ";
const APPROVED: &str = "--approve ";

impl DecidedBy {
    fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Rule(rule) => format!("{RULE}{rule}").into(),
            Self::Approved(rule) => format!("{APPROVED}{rule}").into(),
            Self::Other(text) => text.into(),
            Self::Posture(posture) => {
                POSTURES.iter().find(|(known, _)| known == posture).map_or("", |(_, text)| text).into()
            }
            plain => PLAIN.iter().find(|(known, _)| known == plain).map_or("", |(_, text)| text).into(),
        }
    }

    fn read(text: &str) -> Self {
        let rule = || text.strip_prefix(RULE).map(|rule| Self::Rule(rule.to_owned()));
        let approved = || text.strip_prefix(APPROVED).map(|rule| Self::Approved(rule.to_owned()));
        let posture = || POSTURES.iter().find(|(_, known)| *known == text).map(|(posture, _)| Self::Posture(*posture));
        let plain = PLAIN.iter().find(|(_, known)| *known == text).map(|(plain, _)| plain.clone());
        plain.or_else(rule).or_else(approved).or_else(posture).unwrap_or_else(|| Self::Other(text.to_owned()))
    }
}

impl Default for DecidedBy {
    fn default() -> Self {
        Self::Other(String::new())
    }
}

/// Who wrote notes on a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotedBy {
    /// Nobody: they were made from the log.
    Log,
    /// This model, as `provider/model`.
    Model(String),
}

impl NotedBy {
    fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Log => "log".into(),
            Self::Model(name) => name.into(),
        }
    }

    fn read(text: &str) -> Self {
        if text == "log" { Self::Log } else { Self::Model(text.to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::{DecidedBy, NotedBy};
    use crate::{MemoryReach, Posture, SettingLayer, SettingSource, Speaker};

    #[test]
    fn known_words_mean_something() {
        assert_eq!(DecidedBy::from("user"), DecidedBy::User);
        assert_eq!(DecidedBy::from("plan mode"), DecidedBy::PlanMode);
        assert_eq!(DecidedBy::from("rule Bash(rm:*)"), DecidedBy::Rule("Bash(rm:*)".into()));
        assert_eq!(DecidedBy::from("--approve rule x"), DecidedBy::Approved("rule x".into()));
        assert_eq!(DecidedBy::from("posture yolo"), DecidedBy::Posture(Posture::Yolo));
        assert_eq!((NotedBy::from("log"), NotedBy::from("a/log")), (NotedBy::Log, NotedBy::Model("a/log".into())));
        assert_eq!((Speaker::from("assistant"), MemoryReach::from("global")), (Speaker::Model, MemoryReach::Global));
        let user = SettingSource { layer: SettingLayer::User, place: "/a b.toml:3".into() };
        assert_eq!(SettingSource::from("user /a b.toml:3"), user);
        assert_eq!(SettingSource::from("default").layer, SettingLayer::Default);
    }

    #[test]
    fn every_word_is_written_back_as_it_came() {
        let words = [
            "",
            " ",
            "user",
            "user ",
            "user, about a host",
            "user, about a run outside the sandbox",
            "plan mode",
            "permissions.mode",
            "posture ask",
            "posture auto",
            "posture calm",
            "rule ",
            "rule X(y)",
            "rule",
            "--approve",
            "--approve ",
            "--approve X",
            "the dangerous class",
            "hook check",
            "log",
            "p/m",
            "assistant",
            "tool",
            "global",
            "project",
            "project /p/.x.toml:9",
            "environment NAME",
            "flag --x",
            "session",
            "session 9",
            "settings",
            "team somewhere",
            "the rule that only a person changes what is remembered",
            "the protection of files that tell agents what to do",
            "the protection of what git or other programs would run later",
        ];
        for word in words {
            let json = serde_json::to_string(word).unwrap();
            let kept = [
                serde_json::to_string(&serde_json::from_str::<DecidedBy>(&json).unwrap()).unwrap(),
                serde_json::to_string(&serde_json::from_str::<NotedBy>(&json).unwrap()).unwrap(),
                serde_json::to_string(&serde_json::from_str::<Speaker>(&json).unwrap()).unwrap(),
                serde_json::to_string(&serde_json::from_str::<MemoryReach>(&json).unwrap()).unwrap(),
                serde_json::to_string(&serde_json::from_str::<SettingSource>(&json).unwrap()).unwrap(),
            ];
            assert!(kept.iter().all(|kept| *kept == json), "{json}: {kept:?}");
        }
    }
}
