//! Which of a few hundred short texts fits some words best, by BM25.

use std::collections::{BTreeMap, BTreeSet};

/// How fast more of the same word counts for less.
const SATURATION: f64 = 1.2;
/// How much a long text is held back.
const LENGTH: f64 = 0.75;

/// The places of the texts that have some of the words, the best first. Of those that fit alike the earlier come first.
pub(super) fn ranked(texts: &[String], query: &str) -> Vec<usize> {
    let documents: Vec<BTreeMap<String, f64>> = texts.iter().map(|text| counted(text)).collect();
    let lengths: Vec<f64> = documents.iter().map(|words| words.values().sum()).collect();
    let count = documents.len() as f64;
    let average = (lengths.iter().sum::<f64>() / count.max(1.0)).max(1.0);
    let mut scores = vec![0.0; documents.len()];
    for word in words(query).collect::<BTreeSet<_>>() {
        let having = documents.iter().filter(|document| document.contains_key(&word)).count() as f64;
        let rarity = ((count - having + 0.5) / (having + 0.5) + 1.0).ln();
        for ((score, document), length) in scores.iter_mut().zip(&documents).zip(&lengths) {
            let found = document.get(&word).copied().unwrap_or(0.0);
            let held = 1.0 - LENGTH + LENGTH * length / average;
            *score += rarity * found * (SATURATION + 1.0) / (found + SATURATION * held);
        }
    }
    let mut places: Vec<usize> =
        (0..scores.len()).filter(|place| scores.get(*place).is_some_and(|s| *s > 0.0)).collect();
    let score = |place: &usize| scores.get(*place).copied().unwrap_or(0.0);
    places.sort_by(|one, other| score(other).total_cmp(&score(one)));
    places
}

fn counted(text: &str) -> BTreeMap<String, f64> {
    let mut counts = BTreeMap::new();
    for word in words(text) {
        *counts.entry(word).or_insert(0.0) += 1.0;
    }
    counts
}

/// Words in small letters: `getIssue`, `get_issue` and `get issues` begin with the same. Han characters are words by themselves,
/// as nothing stands between them.
fn words(text: &str) -> impl Iterator<Item = String> {
    let mut out = Vec::new();
    let mut word = String::new();
    let mut small = false;
    for c in text.chars() {
        let han = matches!(c, '\u{3400}'..='\u{9fff}');
        if !c.is_alphanumeric() || han || (small && c.is_uppercase()) {
            out.push(std::mem::take(&mut word));
        }
        if han {
            out.push(c.to_string());
        } else if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        small = c.is_lowercase();
    }
    out.push(word);
    out.into_iter().filter(|word| !word.is_empty()).map(stem)
}

/// A word without the plural's ending.
fn stem(mut word: String) -> String {
    if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") {
        word.pop();
    }
    word
}

#[cfg(test)]
mod tests {
    use super::ranked;

    #[test]
    fn the_rarer_word_in_the_shorter_text_comes_first() {
        let texts =
            ["mcp__git__log shows the history of commits", "mcp__git__getIssue one issue", "mcp__files__read reads"]
                .map(str::to_owned);
        assert_eq!(ranked(&texts, "commit"), [0]);
        assert_eq!(ranked(&texts, "get issues"), [1]);
        assert_eq!(ranked(&texts, "git history")[0], 0);
        assert!(ranked(&texts, "nothing of it").is_empty() || ranked(&texts, "zebra").is_empty());
        assert_eq!(ranked(&["读取文件".to_owned(), "写入".to_owned()], "文件"), [0]);
    }
}
