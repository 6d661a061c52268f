//! Finding memories by words, with the same weighing and the same floor as earlier sessions. Pure but for the reading.

use super::{Memories, Named, Reach};
use crate::search::{FLOOR, Term, asked, indexed};

/// A memory that fits.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// The memory.
    pub named: Named,
    /// How well it fits, beside the others.
    pub score: f64,
}

/// How soon more of the same word stops to count, and how much length counts.
const K: f64 = 1.2;
const B: f64 = 0.75;

impl Memories {
    /// The active memories that fit these words best; archived ones are not looked at.
    pub fn find(&self, query: &str, reach: Option<Reach>, most: usize) -> Vec<Recalled> {
        let reaches = reach.map_or(vec![Reach::Project, Reach::Global], |reach| vec![reach]);
        let all: Vec<Named> = reaches.into_iter().flat_map(|reach| self.active(reach).memories).collect();
        let mut found = weigh(&all, &asked(query));
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        let floor = found.first().map_or(0.0, |best| best.score * FLOOR);
        found.retain(|recalled| recalled.score >= floor);
        found.truncate(most);
        found
    }
}

fn weigh(all: &[Named], terms: &[Term]) -> Vec<Recalled> {
    let words: Vec<Vec<String>> = all.iter().map(words_of).collect();
    let mean = words.iter().map(Vec::len).sum::<usize>().max(1) as f64 / words.len().max(1) as f64;
    let counts = |term: &Term, words: &[String]| words.iter().filter(|word| fits(term, word)).count() as f64;
    let mut found = Vec::new();
    for (named, own) in all.iter().zip(&words) {
        let mut score = 0.0;
        for term in terms {
            let count = counts(term, own);
            if count == 0.0 {
                continue;
            }
            let holders = words.iter().filter(|words| counts(term, words) > 0.0).count() as f64;
            let rarity = ((words.len() as f64 - holders + 0.5) / (holders + 0.5) + 1.0).ln();
            score += rarity * count * (K + 1.0) / (count + K * (1.0 - B + B * own.len() as f64 / mean));
        }
        if score > 0.0 {
            found.push(Recalled { named: named.clone(), score });
        }
    }
    found
}

fn words_of(named: &Named) -> Vec<String> {
    let text = format!("{} {} {}", named.name, named.memory.description, named.memory.body);
    indexed(&text).split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Without a stemmer, a word also fits one that only goes on a little.
fn fits(term: &Term, word: &str) -> bool {
    match term {
        Term::Begins(start) => word.starts_with(start.as_str()),
        Term::Whole(asked) => {
            word == asked || (asked.len() > 3 && word.len() <= asked.len() + 3 && word.starts_with(asked.as_str()))
        }
    }
}
