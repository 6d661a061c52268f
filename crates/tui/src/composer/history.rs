//! Prompts of earlier: walked through with Up and Down, searched with Ctrl+R.

/// How many are kept.
pub const MOST: usize = 1000;

/// What was sent before, oldest first.
#[derive(Debug, Clone, Default)]
pub struct PromptHistory {
    entries: Vec<String>,
    /// Where Up has led, and what was being written before it.
    place: Option<(usize, String)>,
}

impl PromptHistory {
    /// Puts what the file had before what this process added.
    pub fn load(&mut self, earlier: Vec<String>) {
        let mine = std::mem::replace(&mut self.entries, earlier);
        self.entries.extend(mine);
        self.trim();
    }

    /// Adds what was sent. False when it is the same as the last.
    pub fn add(&mut self, text: &str) -> bool {
        self.place = None;
        if text.trim().is_empty() || self.entries.last().is_some_and(|last| last == text) {
            return false;
        }
        self.entries.push(text.to_owned());
        self.trim();
        true
    }

    fn trim(&mut self) {
        let extra = self.entries.len().saturating_sub(MOST);
        self.entries.drain(..extra);
    }

    /// The one before; `current` is kept to come back to.
    pub fn older(&mut self, current: &str) -> Option<String> {
        let (at, draft) = match &self.place {
            Some((at, draft)) => (at.checked_sub(1)?, draft.clone()),
            None => (self.entries.len().checked_sub(1)?, current.to_owned()),
        };
        let text = self.entries.get(at)?.clone();
        self.place = Some((at, draft));
        Some(text)
    }

    /// The one after; behind the last comes what was being written.
    pub fn newer(&mut self) -> Option<String> {
        let (at, draft) = self.place.take()?;
        match self.entries.get(at + 1) {
            Some(text) => {
                self.place = Some((at + 1, draft));
                Some(text.clone())
            }
            None => Some(draft),
        }
    }

    /// True while Up and Down walk.
    pub fn walks(&self) -> bool {
        self.place.is_some()
    }

    /// The text was changed: Up begins anew.
    pub fn rest(&mut self) {
        self.place = None;
    }

    /// Those that contain every word, newest first, each once.
    pub fn find(&self, words: &str) -> Vec<&str> {
        let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
        let mut seen = std::collections::HashSet::new();
        let fits = |text: &&String| {
            let text = text.to_lowercase();
            words.iter().all(|word| text.contains(word.as_str()))
        };
        self.entries.iter().rev().filter(fits).map(String::as_str).filter(|text| seen.insert(*text)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::PromptHistory;

    #[test]
    fn up_and_down_come_back_to_the_draft() {
        let mut history = PromptHistory::default();
        history.load(vec!["one".into(), "two".into()]);
        assert_eq!(history.older("draft").as_deref(), Some("two"));
        assert_eq!(history.older("two").as_deref(), Some("one"));
        assert_eq!(history.older("one"), None);
        assert_eq!(history.newer().as_deref(), Some("two"));
        assert_eq!(history.newer().as_deref(), Some("draft"));
        assert_eq!(history.newer(), None);
    }

    #[test]
    fn search_finds_all_words_newest_first() {
        let mut history = PromptHistory::default();
        for text in ["fix the Test", "other", "test again", "fix the Test"] {
            history.add(text);
        }
        assert_eq!(history.find("test"), ["fix the Test", "test again"]);
        assert_eq!(history.find("THE fix"), ["fix the Test"]);
        assert!(!history.add("fix the Test"));
    }
}
