//! How endpoints count. What one counted for requests whose estimate is known puts right the estimates of later ones.

use reasonix_proto::Requested;

/// Models that are remembered; the one that was asked longest ago goes first.
const MOST: usize = 8;

/// No tokenizer is further from the estimate than this. What seems to be counts something else.
const BOUNDS: (f64, f64) = (0.25, 4.0);

/// Two requests tell tokens per text apart from what every request costs when the larger one has this share more.
const APART: f64 = 1.25;

/// What endpoints counted, model by model, and what was too long for them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measures {
    known: Vec<Measure>,
    /// The estimate of the smallest request that was too long for a model.
    ceilings: Vec<(String, u64)>,
}

#[derive(Debug, Clone, PartialEq)]
struct Measure {
    model: String,
    /// The smallest request, which is mostly the prompt and the tools.
    least: Count,
    last: Count,
}

/// A request's tokens by estimate, and as they were counted.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Count {
    estimate: f64,
    counted: f64,
}

impl Measures {
    /// Learns from a request, where it was counted.
    pub fn learn(&mut self, entry: &Requested) {
        let counted = entry.usage.map_or(0, |usage| usage.input);
        // Logs of earlier versions have the length alone.
        let estimate = if entry.estimate == 0 { entry.bytes / 4 } else { entry.estimate };
        if counted == 0 || estimate == 0 {
            return;
        }
        let last = Count { estimate: estimate as f64, counted: counted as f64 };
        // A longer one went through: what was refused was refused for another reason.
        self.ceilings.retain(|(model, ceiling)| *model != entry.model || estimate <= *ceiling);
        let place = self.known.iter().position(|measure| measure.model == entry.model);
        let known = place.map(|place| self.known.remove(place).least);
        let least = known.filter(|least| least.estimate < last.estimate).unwrap_or(last);
        self.known.push(Measure { model: entry.model.clone(), least, last });
        if self.known.len() > MOST {
            self.known.remove(0);
        }
    }

    fn of(&self, model: &str) -> Option<&Measure> {
        self.known.iter().find(|measure| measure.model == model)
    }

    /// A request of so many tokens was too long for this model. It is kept as an estimate: tokens may turn out to be more than
    /// they seemed.
    pub fn did_not_fit(&mut self, model: &str, tokens: u64) {
        let estimate = self.estimate(model, tokens);
        let least = self.ceiling(model).map_or(estimate, |ceiling| ceiling.min(estimate));
        self.ceilings.retain(|(other, _)| other != model);
        self.ceilings.push((model.to_owned(), least));
        if self.ceilings.len() > MOST {
            self.ceilings.remove(0);
        }
    }

    /// The estimate of the smallest request that was too long for this model.
    pub(crate) fn ceiling(&self, model: &str) -> Option<u64> {
        self.ceilings.iter().find(|(other, _)| other == model).map(|(_, ceiling)| *ceiling)
    }

    /// True when a request to this model was counted.
    pub(crate) fn knows(&self, model: &str) -> bool {
        self.of(model).is_some()
    }

    /// What a request of this estimate will be counted as.
    pub(crate) fn tokens(&self, model: &str, estimate: u64) -> u64 {
        self.of(model).map_or(estimate, |measure| rounded(measure.counted(estimate as f64)))
    }

    /// What will be counted for a text of this estimate, in addition to what is there.
    pub(crate) fn more(&self, model: &str, estimate: u64) -> u64 {
        self.of(model).map_or(estimate, |measure| rounded(estimate as f64 * measure.slope()))
    }

    /// The estimate of a request that will be counted as so much.
    pub(crate) fn estimate(&self, model: &str, tokens: u64) -> u64 {
        self.of(model).map_or(tokens, |measure| rounded(measure.estimate(tokens as f64)))
    }
}

impl Measure {
    /// Tokens for each one of the estimate.
    fn slope(&self) -> f64 {
        let (least, last) = (self.least, self.last);
        let apart = last.estimate >= least.estimate * APART && last.counted > least.counted;
        let slope = match apart {
            true => (last.counted - least.counted) / (last.estimate - least.estimate),
            false => last.counted / last.estimate,
        };
        slope.clamp(BOUNDS.0, BOUNDS.1)
    }

    fn counted(&self, estimate: f64) -> f64 {
        let along = self.last.counted + (estimate - self.last.estimate) * self.slope();
        along.max(estimate * BOUNDS.0)
    }

    fn estimate(&self, counted: f64) -> f64 {
        self.last.estimate + (counted - self.last.counted) / self.slope()
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is not negative, and no request is that long"
)]
fn rounded(tokens: f64) -> u64 {
    tokens.max(0.0).round() as u64
}

#[cfg(test)]
mod tests {
    use super::Measures;
    use reasonix_proto::{Requested, Usage};

    fn entry(model: &str, estimate: u64, counted: u64) -> Requested {
        let (tools, system, hash) = (String::new(), String::new(), String::new());
        let usage = (counted > 0).then(|| Usage { input: counted, ..Usage::default() });
        let bytes = estimate * 4;
        Requested {
            turn: 1,
            step: 1,
            model: model.into(),
            tools,
            system,
            hash,
            bytes,
            same: 0,
            broke: None,
            usage,
            estimate,
        }
    }

    #[test]
    fn what_was_counted_puts_the_next_estimate_right() {
        let mut measures = Measures::default();
        assert_eq!(measures.tokens("m", 1_000), 1_000, "nobody has counted");
        measures.learn(&entry("m", 1_000, 0));
        assert!(!measures.knows("m"), "an answer without a count teaches nothing");
        measures.learn(&entry("m", 1_000, 1_600));
        assert_eq!((measures.tokens("m", 2_000), measures.more("m", 100)), (3_200, 160));
        assert_eq!(measures.estimate("m", 3_200), 2_000);
        assert_eq!(measures.tokens("other", 1_000), 1_000, "each model counts for itself");
    }

    #[test]
    fn what_every_request_costs_is_told_apart_from_the_text() {
        let mut measures = Measures::default();
        // Two thousand tokens for the tools that the estimate does not see, then one and a half for each of the text.
        for estimate in [1_000, 3_000, 6_000] {
            measures.learn(&entry("m", estimate, 2_000 + estimate * 3 / 2));
        }
        assert_eq!(measures.tokens("m", 2_000), 5_000);
        assert_eq!(measures.estimate("m", 5_000), 2_000);
    }

    #[test]
    fn counts_that_cannot_be_are_bounded_and_old_logs_have_the_length() {
        let mut measures = Measures::default();
        measures.learn(&entry("always full", 100, 8_000));
        assert_eq!(measures.more("always full", 100), 400);
        let old = Requested { estimate: 0, bytes: 8_000, ..entry("old", 1, 3_000) };
        measures.learn(&old);
        assert_eq!(measures.tokens("old", 4_000), 6_000);
    }

    #[test]
    fn what_was_too_long_holds_for_its_model_until_something_longer_goes_through() {
        let mut measures = Measures::default();
        measures.did_not_fit("small", 8_000);
        measures.did_not_fit("small", 9_000);
        assert_eq!((measures.ceiling("small"), measures.ceiling("large")), (Some(8_000), None));
        measures.learn(&entry("small", 8_000, 8_000));
        measures.learn(&entry("large", 9_000, 9_000));
        assert_eq!(measures.ceiling("small"), Some(8_000));
        measures.learn(&entry("small", 8_001, 8_001));
        assert_eq!(measures.ceiling("small"), None);
    }

    #[test]
    fn the_model_that_was_asked_longest_ago_is_forgotten_first() {
        let mut measures = Measures::default();
        for number in 0..20 {
            measures.learn(&entry(&format!("m{number}"), 100, 200));
        }
        assert!(measures.knows("m19") && measures.knows("m12") && !measures.knows("m11"));
    }
}
