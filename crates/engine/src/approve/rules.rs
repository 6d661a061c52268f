//! The rules that hold in a session, shown with where they come from; granted and taken away by the user.

use super::Approvals;
use reasonix_config::Origins;
use reasonix_policy::{Posture, Rule};
use reasonix_proto::{Effect, Phrase, RuleInfo, Scope};
use std::sync::PoisonError;

impl Approvals {
    /// Posture and rules, as a person looks at them.
    pub(crate) fn standing_rules(&self, origins: &Origins) -> (reasonix_proto::Posture, Vec<RuleInfo>) {
        let rules = &self.standing.rules;
        let from = |key: &str| {
            let shown = origins.get(key).map(|shown| shown.origin.to_string());
            shown.unwrap_or_else(|| "settings".to_owned())
        };
        let info = |rule: &Rule, effect, origin: &str, revocable| RuleInfo {
            rule: rule.to_string(),
            effect,
            origin: origin.to_owned(),
            revocable,
        };
        let mut shown = Vec::new();
        for (list, effect, key) in [
            (&rules.deny, Effect::Deny, "permissions.deny"),
            (&rules.ask, Effect::Ask, "permissions.ask"),
            (&rules.allow, Effect::Allow, "permissions.allow"),
        ] {
            let origin = from(key);
            shown.extend(list.iter().map(|rule| info(rule, effect, &origin, false)));
        }
        shown.extend(self.standing.approved.iter().map(|rule| info(rule, Effect::Allow, "--approve", false)));
        if self.standing.restorable {
            let rule = super::restorable::WORD.to_owned();
            shown.push(RuleInfo { rule, effect: Effect::Allow, origin: "--approve".to_owned(), revocable: false });
        }
        let granted = self.granted.lock().unwrap_or_else(PoisonError::into_inner);
        shown.extend(granted.iter().map(|rule| info(rule, Effect::Allow, "session", true)));
        let posture = match self.posture(false) {
            Posture::Ask => reasonix_proto::Posture::Ask,
            Posture::Auto => reasonix_proto::Posture::Auto,
            Posture::Yolo => reasonix_proto::Posture::Yolo,
        };
        (posture, shown)
    }

    /// Grants a rule for this session, or for good. Nothing dangerous is covered by it either way.
    pub(crate) async fn grant_rule(&self, text: &str, scope: Scope) -> Result<(), Phrase> {
        let rule = Rule::parse(text)
            .map_err(|error| Phrase::new("engine.bad_rule").with("rule", error.rule).with("reason", error.reason))?;
        if scope == Scope::Always {
            match &self.standing.keeper {
                Some(keeper) => keeper.keep(text).await?,
                None => return Err(Phrase::new("engine.not_possible")),
            }
        }
        self.granted.lock().unwrap_or_else(PoisonError::into_inner).push(rule);
        Ok(())
    }

    /// Takes a rule of this session away. False when it was not granted here.
    pub(crate) fn revoke_rule(&self, text: &str) -> bool {
        let mut granted = self.granted.lock().unwrap_or_else(PoisonError::into_inner);
        let before = granted.len();
        granted.retain(|rule| rule.to_string() != text);
        granted.len() != before
    }
}
