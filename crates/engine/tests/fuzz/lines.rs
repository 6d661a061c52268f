//! Lines of every kind.

use super::grammar::Grammar;
use super::{Aims, Chance, everyday::EVERYDAY, mark, mutate, options, scripts};

/// Makes lines from a seed.
pub(crate) struct Lines {
    chance: Chance,
    aims: Aims,
}

/// Longer ones are made by accident only.
const LONGEST: usize = 2000;

impl Lines {
    pub(crate) fn new(seed: u64, aims: &Aims) -> Self {
        Self { chance: Chance::new(seed), aims: aims.clone() }
    }

    /// The same lines against another place.
    pub(crate) fn aiming(self, aims: &Aims) -> Self {
        Self { aims: aims.clone(), ..self }
    }

    pub(crate) fn chance(&mut self) -> &mut Chance {
        &mut self.chance
    }

    pub(crate) fn line(&mut self) -> String {
        let (chance, aims) = (&mut self.chance, &self.aims);
        let mut line = match chance.below(20) {
            0..7 => mutate::line(chance, aims),
            7..12 => Grammar::new(chance, aims).line(),
            12..15 => scripts::line(chance),
            15..18 => options::line(chance),
            18 => mutate::soup(chance, aims),
            _ => chance.pick(EVERYDAY).to_owned(),
        };
        // A shell joins lines before it reads words.
        if chance.one_in(10) {
            for _ in 0..=chance.below(3) {
                let at = chance.place_in(&line);
                line.insert_str(at, "\\\n");
            }
        }
        // What runs beside the line needs a moment.
        if chance.one_in(12) {
            line.push_str("; sleep 0.05");
        }
        line.retain(|c| c != '\0');
        let mut line = line.replace("CANARY", mark());
        let cut = (0..=LONGEST.min(line.len())).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
        line.truncate(cut);
        line
    }
}
