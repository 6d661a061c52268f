//! The rules that hold in a session, shown with where they come from; granted and taken away by the user.

use super::Approvals;
use reasonix_config::Origins;
use reasonix_policy::Rule;
use reasonix_proto::{Effect, Phrase, Posture, RuleInfo, Scope, SettingLayer, SettingSource};
use std::borrow::Cow;
use std::sync::PoisonError;

/// A grant that stands in the user's file.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    /// The rule as it is shown.
    rule: String,
    /// As it is written there.
    written: String,
}

/// The grants that the settings were read with: the last of the rules that allow.
pub(super) fn kept_of(rules: &reasonix_policy::Rules, written: &[String]) -> Vec<Kept> {
    let from = rules.allow.len().saturating_sub(written.len());
    let shown = rules.allow.iter().skip(from);
    shown.zip(written).map(|(rule, text)| Kept { rule: rule.to_string(), written: text.clone() }).collect()
}

impl Approvals {
    /// Posture and rules, as a person looks at them.
    pub fn standing_rules(&self, origins: &Origins) -> (Posture, Vec<RuleInfo>) {
        let rules = &self.standing.rules;
        // Several files may have added to one list.
        let from = |key: &str, at: usize| {
            let shown = origins.get(key).map(|shown| shown.entries.get(at).unwrap_or(&shown.origin));
            let source = shown.map(SettingSource::from);
            source.unwrap_or_else(|| SettingLayer::Other("settings".to_owned()).into())
        };
        let info = |rule: &Rule, effect, origin: &SettingSource, revocable| RuleInfo {
            rule: rule.to_string(),
            effect,
            origin: origin.clone(),
            revocable,
        };
        let mut shown = Vec::new();
        for (list, effect, key) in [
            (&rules.deny, Effect::Deny, "permissions.deny"),
            (&rules.ask, Effect::Ask, "permissions.ask"),
            (&rules.allow, Effect::Allow, "permissions.allow"),
        ] {
            let grants = if effect == Effect::Allow { self.standing.kept.len() } else { 0 };
            let own = list.len().saturating_sub(grants);
            let rules = list.iter().take(own).enumerate();
            shown.extend(rules.map(|(at, rule)| info(rule, effect, &from(key, at), false)));
        }
        for agent in self.acting() {
            let (name, rules) = agent.shown();
            let origin = SettingSource::from(SettingLayer::Other(format!("agent {name}")));
            for (list, effect) in
                [(&rules.deny, Effect::Deny), (&rules.ask, Effect::Ask), (&rules.allow, Effect::Allow)]
            {
                shown.extend(list.iter().map(|rule| info(rule, effect, &origin, false)));
            }
        }
        let approved = SettingSource::from(SettingLayer::Approve);
        shown.extend(self.standing.approved.iter().map(|rule| info(rule, Effect::Allow, &approved, false)));
        if self.standing.restorable {
            let rule = super::restorable::WORD.to_owned();
            shown.push(RuleInfo { rule, effect: Effect::Allow, origin: approved, revocable: false });
        }
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let place = self.standing.keeper.as_ref().map(|keeper| keeper.file()).unwrap_or_default();
        let file = SettingSource { layer: SettingLayer::User, place };
        shown.extend(kept.iter().map(|kept| RuleInfo {
            rule: kept.rule.clone(),
            effect: Effect::Allow,
            origin: file.clone(),
            revocable: true,
        }));
        let granted = self.granted.lock().unwrap_or_else(PoisonError::into_inner);
        let session = granted.iter().filter(|rule| kept.iter().all(|kept| kept.rule != rule.to_string()));
        shown.extend(session.map(|rule| info(rule, Effect::Allow, &SettingLayer::Session.into(), true)));
        (self.posture(false), shown)
    }

    /// Grants a rule for this session, or for good. Nothing dangerous is covered by it either way.
    pub async fn grant_rule(&self, text: &str, scope: Scope) -> Result<(), Phrase> {
        let rule = Rule::parse(text)
            .map_err(|error| Phrase::new("engine.bad_rule").with("rule", error.rule).with("reason", error.reason))?;
        if scope == Scope::Always {
            match &self.standing.keeper {
                Some(keeper) => keeper.keep(text).await?,
                None => return Err(Phrase::new("engine.not_possible")),
            }
            self.note_kept(text);
        }
        self.granted.lock().unwrap_or_else(PoisonError::into_inner).push(rule);
        Ok(())
    }

    /// True when a rule stands in the user's file as a grant for this workspace.
    pub(super) fn is_kept(&self, rule: &str) -> bool {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|kept| kept.rule == rule)
    }

    /// A grant stands in the user's file now.
    pub(super) fn note_kept(&self, rule: &str) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.iter().all(|kept| kept.rule != rule) {
            kept.push(Kept { rule: rule.to_owned(), written: rule.to_owned() });
        }
    }

    /// The rules that hold: those of the settings, without grants that were taken away since.
    pub(super) fn rules(&self) -> Cow<'_, reasonix_policy::Rules> {
        let rules = &self.standing.rules;
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let own = rules.allow.len().saturating_sub(self.standing.kept.len());
        let holds = |(at, rule): &(usize, &Rule)| *at < own || kept.iter().any(|kept| kept.rule == rule.to_string());
        if rules.allow.iter().enumerate().all(|place| holds(&place)) {
            return Cow::Borrowed(rules);
        }
        let allow = rules.allow.iter().enumerate().filter(holds).map(|(_, rule)| rule.clone()).collect();
        Cow::Owned(reasonix_policy::Rules { allow, ..rules.clone() })
    }

    /// Takes a rule that was granted for good out of the user's file, and out of this session.
    pub async fn revoke_kept(&self, text: &str) -> Result<(), Phrase> {
        let found =
            self.kept.lock().unwrap_or_else(PoisonError::into_inner).iter().find(|kept| kept.rule == text).cloned();
        let (Some(kept), Some(keeper)) = (found, &self.standing.keeper) else {
            return Err(Phrase::new("engine.not_granted").with("rule", text));
        };
        let stood = keeper.forget(&kept.written).await?;
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).retain(|kept| kept.rule != text);
        self.revoke_rule(text);
        // Somebody else may have taken it out of the file meanwhile; it does not hold here either way.
        if stood {
            Ok(())
        } else {
            Err(Phrase::new("engine.grant_gone").with("rule", text).with("file", keeper.file()))
        }
    }

    /// Takes a rule of this session away. False when it was not granted here.
    pub fn revoke_rule(&self, text: &str) -> bool {
        let mut granted = self.granted.lock().unwrap_or_else(PoisonError::into_inner);
        let before = granted.len();
        granted.retain(|rule| rule.to_string() != text);
        self.scripts.lock().unwrap_or_else(PoisonError::into_inner).remove(text);
        granted.len() != before
    }
}
