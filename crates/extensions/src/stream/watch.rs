//! Rules at work: one watch an answer, fed with its pieces.

use super::paths::{all, below, first};
use super::unescape::Unescape;
use crate::automaton::{Automaton, LARGEST_OF_ALL, Lane, check};
use crate::hooks::is_about;
use crate::rulebook::RuleText;
use crate::terms::{InterruptMode, StreamScope, Trigger};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// So many calls of an answer are watched while they come; of more, only once they are whole.
const MOST_CALLS: usize = 32;
/// In so many bytes of a call's arguments its file is looked for before they are whole.
const HEAD: usize = 4096;
/// So many places in the automaton are kept for later answers, with what was learnt in them.
const KEPT: usize = 4;

/// The rules that watch, as one automaton.
#[derive(Debug)]
pub struct StreamRules {
    rules: Vec<WatchingRule>,
    /// Those with an expression first, by its number in the automaton.
    triggers: Vec<(usize, Trigger)>,
    automaton: Option<Automaton>,
    folder: PathBuf,
    lanes: Mutex<Vec<Lane>>,
    /// The names of rules for which there was no room.
    pub left: Vec<String>,
}

#[derive(Debug)]
struct WatchingRule {
    text: RuleText,
    interrupts: InterruptMode,
}

/// A rule spoke up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamHit {
    /// The rule, by its number.
    pub rule: usize,
    /// Where it was hit.
    pub source: StreamSource,
    /// The answer is to stop.
    pub interrupts: bool,
}

/// A text of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamSource {
    /// What the model says.
    Text,
    /// What it thinks.
    Thinking,
    /// The arguments of its call with this place in the answer.
    Call(usize),
}

impl StreamRules {
    /// Those of these rules that watch, in a project's folder. `tool` gives a tool's own name for any that it has.
    pub fn new<'a>(
        rules: impl IntoIterator<Item = &'a RuleText>,
        folder: &Path,
        tool: &dyn Fn(&str) -> Option<String>,
    ) -> Self {
        let (mut kept, mut with, mut without, mut left) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut room = LARGEST_OF_ALL;
        for rule in rules {
            let Some(terms) = &rule.stream else { continue };
            let sizes = terms.triggers.iter().filter_map(|trigger| trigger.expression.as_deref().map(check));
            let size: usize = sizes.map(|size| size.unwrap_or(LARGEST_OF_ALL)).sum();
            let Some(less) = room.checked_sub(size) else {
                left.push(rule.name.clone());
                continue;
            };
            room = less;
            for trigger in &terms.triggers {
                let named = (kept.len(), trigger.named(tool));
                if trigger.expression.is_some() { with.push(named) } else { without.push(named) }
            }
            kept.push(WatchingRule { text: rule.clone(), interrupts: terms.interrupts });
        }
        let expressions: Vec<&str> = with.iter().filter_map(|(_, trigger)| trigger.expression.as_deref()).collect();
        let automaton = (!expressions.is_empty()).then(|| Automaton::new(&expressions)).flatten();
        with.extend(without);
        Self { rules: kept, triggers: with, automaton, folder: folder.to_owned(), lanes: Mutex::default(), left }
    }

    /// True when no rule watches.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// A rule by its number.
    pub fn rule(&self, number: usize) -> Option<&RuleText> {
        self.rules.get(number).map(|rule| &rule.text)
    }

    /// Watches an answer with those of the rules that may speak up; none when there are none.
    pub fn watch(self: &Arc<Self>, may: &dyn Fn(&str) -> bool) -> Option<StreamWatch> {
        let open: Vec<bool> = self.rules.iter().map(|rule| may(&rule.text.name)).collect();
        open.contains(&true).then(|| StreamWatch::new(Arc::clone(self), open))
    }

    fn lane(&self) -> Option<Lane> {
        let automaton = self.automaton.as_ref()?;
        let kept = self.lanes.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Some(kept.unwrap_or_else(|| automaton.lane()))
    }

    fn give_back(&self, mut lane: Lane) {
        Automaton::restart(&mut lane);
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        if lanes.len() < KEPT {
            lanes.push(lane);
        }
    }
}

impl Trigger {
    /// The same with tools by their own names.
    fn named(&self, tool: &dyn Fn(&str) -> Option<String>) -> Self {
        let own = |scope: &StreamScope| match scope {
            StreamScope::Call { tool: Some(name), about } => {
                let name = tool(name).unwrap_or_else(|| name.clone());
                StreamScope::Call { tool: Some(name), about: about.clone() }
            }
            other => other.clone(),
        };
        Self { expression: self.expression.clone(), scopes: self.scopes.iter().map(own).collect() }
    }

    fn is_for(&self, source: StreamSource) -> bool {
        let fits = |scope: &StreamScope| {
            matches!(
                (scope, source),
                (StreamScope::Text, StreamSource::Text)
                    | (StreamScope::Thinking, StreamSource::Thinking)
                    | (StreamScope::Call { .. }, StreamSource::Call(_))
            )
        };
        self.scopes.iter().any(fits)
    }
}

/// One answer under watch.
#[derive(Debug)]
pub struct StreamWatch {
    of: Arc<StreamRules>,
    /// The rules that may still speak up, as they are and as they were when the answer began.
    open: Vec<bool>,
    began: Vec<bool>,
    text: Option<Lane>,
    thinking: Option<Lane>,
    calls: BTreeMap<usize, Box<WatchedCall>>,
    hits: Vec<StreamHit>,
}

/// The arguments of one call.
#[derive(Debug, Default)]
struct WatchedCall {
    lane: Option<Lane>,
    name: String,
    unescape: Unescape,
    head: String,
    paths: Vec<PathBuf>,
    /// What was found, and waits for the file that the call is about.
    waiting: Vec<usize>,
    whole: bool,
}

impl StreamWatch {
    fn new(of: Arc<StreamRules>, open: Vec<bool>) -> Self {
        let (began, calls, hits) = (open.clone(), BTreeMap::new(), Vec::new());
        let mut new = Self { of, open, began, text: None, thinking: None, calls, hits };
        new.begin();
        new
    }

    /// A text that no open rule is about is not looked at.
    fn begin(&mut self) {
        let wanted = |source| {
            let expressions = self.of.triggers.iter().filter(|(_, trigger)| trigger.expression.is_some());
            expressions.into_iter().any(|(rule, trigger)| self.is_open(*rule) && trigger.is_for(source))
        };
        let (text, thinking) = (wanted(StreamSource::Text), wanted(StreamSource::Thinking));
        self.text = text.then(|| self.of.lane()).flatten();
        self.thinking = thinking.then(|| self.of.lane()).flatten();
    }

    fn is_open(&self, rule: usize) -> bool {
        self.open.get(rule) == Some(&true)
    }

    /// More of what the model says.
    pub fn text(&mut self, piece: &str) {
        let places = feed(&self.of, self.text.as_mut(), piece);
        self.found(places, StreamSource::Text);
    }

    /// More of what it thinks.
    pub fn thinking(&mut self, piece: &str) {
        let places = feed(&self.of, self.thinking.as_mut(), piece);
        self.found(places, StreamSource::Thinking);
    }

    /// More of the arguments of a call.
    pub fn arguments(&mut self, index: usize, name: &str, piece: &str) {
        if !self.calls.contains_key(&index) {
            if self.calls.len() >= MOST_CALLS {
                return;
            }
            self.calls.insert(index, Box::new(self.of.call()));
        }
        let Some(call) = self.calls.get_mut(&index) else { return };
        if call.name != name {
            name.clone_into(&mut call.name);
        }
        if call.head.len() < HEAD {
            call.head.push_str(piece);
        }
        let places = call.scan(&self.of, piece);
        if places.is_empty() && call.waiting.is_empty() {
            return;
        }
        self.called(index, places, piece.contains('"'));
    }

    /// Expressions ended in a call's arguments, or a string did.
    fn called(&mut self, index: usize, places: Vec<usize>, string_ended: bool) {
        let Some(mut call) = self.calls.remove(&index) else { return };
        let waited = call.waiting.len();
        self.sort(&mut call, index, places);
        let grew = call.waiting.len() > waited;
        // A file can only be found where a string ends, which may have been before there was anything to wait for.
        let looks = !call.waiting.is_empty() && call.paths.is_empty() && (grew || string_ended);
        if looks {
            call.paths.extend(first(&call.head));
        }
        if (looks || grew) && !call.paths.is_empty() {
            self.settle(&mut call, index);
        }
        self.calls.insert(index, call);
    }

    /// A call is whole. What came of it piece by piece is not looked at again.
    pub fn whole(&mut self, index: usize, name: &str, arguments: &str) {
        let mut call = self.calls.remove(&index).unwrap_or_else(|| Box::new(self.of.call()));
        name.clone_into(&mut call.name);
        if call.head.is_empty() && !call.whole {
            let places = call.scan(&self.of, arguments);
            self.sort(&mut call, index, places);
        }
        let places = call.lane.take().map(|lane| finish(&self.of, lane)).unwrap_or_default();
        self.sort(&mut call, index, places);
        let files: Vec<usize> = self.of.expressionless().collect();
        call.waiting.extend(files);
        if !call.waiting.is_empty() {
            call.paths = all(arguments);
            self.settle(&mut call, index);
        }
        call.waiting.clear();
        call.whole = true;
        self.calls.insert(index, call);
    }

    /// What came so far does not count.
    pub fn anew(&mut self) {
        self.return_lanes();
        self.calls.clear();
        self.hits.clear();
        self.open.clone_from(&self.began);
        self.begin();
    }

    /// The answer is over.
    pub fn end(&mut self) {
        for (lane, source) in [(self.text.take(), StreamSource::Text), (self.thinking.take(), StreamSource::Thinking)] {
            let places = lane.map(|lane| finish(&self.of, lane)).unwrap_or_default();
            self.found(places, source);
        }
    }

    /// The rules that watch.
    pub fn rules(&self) -> &StreamRules {
        &self.of
    }

    /// The tool of a call that was heard.
    pub fn tool(&self, index: usize) -> Option<&str> {
        self.calls.get(&index).map(|call| call.name.as_str())
    }

    /// What was found so far, in order.
    pub fn hits(&self) -> &[StreamHit] {
        &self.hits
    }

    fn found(&mut self, places: Vec<usize>, source: StreamSource) {
        for place in places {
            let Some((rule, trigger)) = self.of.triggers.get(place) else { continue };
            if self.is_open(*rule) && trigger.is_for(source) {
                self.hit(*rule, source);
            }
        }
    }

    /// Of what ended in a call's arguments, what is about any file counts at once, the rest once the call's file is known.
    fn sort(&mut self, call: &mut WatchedCall, index: usize, places: Vec<usize>) {
        for place in places {
            let Some((rule, trigger)) = self.of.triggers.get(place).filter(|(rule, _)| self.is_open(*rule)) else {
                continue;
            };
            match self.of.fits(*rule, trigger, &call.name, None) {
                Fit::Yes => self.hit(*rule, StreamSource::Call(index)),
                Fit::ForSomeFiles if !call.waiting.contains(&place) => call.waiting.push(place),
                _ => {}
            }
        }
    }

    /// Counts what waited for these files.
    fn settle(&mut self, call: &mut WatchedCall, index: usize) {
        let of = Arc::clone(&self.of);
        for place in &call.waiting {
            let Some((rule, trigger)) = of.triggers.get(*place) else { continue };
            let fits = |path: &PathBuf| matches!(of.fits(*rule, trigger, &call.name, Some(path)), Fit::Yes);
            if self.is_open(*rule) && call.paths.iter().any(fits) {
                self.hit(*rule, StreamSource::Call(index));
            }
        }
    }

    fn hit(&mut self, rule: usize, source: StreamSource) {
        let Some(known) = self.of.rules.get(rule) else { return };
        let interrupts = match known.interrupts {
            InterruptMode::Never => false,
            InterruptMode::Always => true,
            InterruptMode::Prose => !matches!(source, StreamSource::Call(_)),
            InterruptMode::Tool => matches!(source, StreamSource::Call(_)),
        };
        self.hits.push(StreamHit { rule, source, interrupts });
        if let Some(open) = self.open.get_mut(rule) {
            *open = false;
        }
    }

    fn return_lanes(&mut self) {
        let calls = std::mem::take(&mut self.calls);
        let lanes =
            calls.into_values().filter_map(|call| call.lane).chain(self.text.take()).chain(self.thinking.take());
        lanes.for_each(|lane| self.of.give_back(lane));
    }
}

/// The expressions that end in a piece of a text, each once.
fn feed(of: &StreamRules, lane: Option<&mut Lane>, piece: &str) -> Vec<usize> {
    let mut places = Vec::new();
    if let (Some(automaton), Some(lane)) = (&of.automaton, lane) {
        automaton.feed(lane, piece.as_bytes(), &mut |place| once(&mut places, place));
    }
    places
}

/// Those that end with the text.
fn finish(of: &StreamRules, mut lane: Lane) -> Vec<usize> {
    let mut places = Vec::new();
    if let Some(automaton) = &of.automaton {
        automaton.finish(&mut lane, &mut |place| once(&mut places, place));
    }
    of.give_back(lane);
    places
}

fn once(places: &mut Vec<usize>, place: usize) {
    if !places.contains(&place) {
        places.push(place);
    }
}

impl WatchedCall {
    /// The expressions that end in a piece of the arguments, read as what they mean.
    fn scan(&mut self, of: &StreamRules, piece: &str) -> Vec<usize> {
        let mut places = Vec::new();
        if let (Some(automaton), Some(lane)) = (&of.automaton, &mut self.lane) {
            let feed = &mut |meant: &str| automaton.feed(lane, meant.as_bytes(), &mut |place| once(&mut places, place));
            self.unescape.feed(piece, feed);
        }
        places
    }
}

impl Drop for StreamWatch {
    fn drop(&mut self) {
        self.return_lanes();
    }
}

/// Whether a call is one that is watched.
enum Fit {
    Yes,
    ForSomeFiles,
    No,
}

impl StreamRules {
    fn call(&self) -> WatchedCall {
        WatchedCall { lane: self.lane(), waiting: self.expressionless().collect(), ..WatchedCall::default() }
    }

    /// What is watched for without an expression.
    fn expressionless(&self) -> impl Iterator<Item = usize> {
        let places = self.triggers.iter().enumerate();
        places.filter(|(_, (_, trigger))| trigger.expression.is_none()).map(|(place, _)| place)
    }

    fn fits(&self, rule: usize, trigger: &Trigger, name: &str, path: Option<&Path>) -> Fit {
        let files = self.rules.get(rule).filter(|rule| rule.text.names_files() && trigger.expression.is_some());
        let path = path.map(|path| below(path, &self.folder));
        let mut some = false;
        for scope in &trigger.scopes {
            let StreamScope::Call { tool, about } = scope else { continue };
            if tool.as_ref().is_some_and(|tool| !is_about(tool, name)) {
                continue;
            }
            let fits = match &path {
                None if about.is_none() && files.is_none() => return Fit::Yes,
                None => {
                    some = true;
                    continue;
                }
                Some(path) => {
                    about.as_ref().is_none_or(|about| about.is_match(path))
                        && files.is_none_or(|rule| rule.text.is_about(path))
                }
            };
            if fits {
                return Fit::Yes;
            }
        }
        if some { Fit::ForSomeFiles } else { Fit::No }
    }
}

#[cfg(test)]
mod tests {
    use super::{StreamHit, StreamRules, StreamSource, StreamWatch};
    use crate::names::BroughtBy;
    use crate::rulebook::{Dialect, RuleText};
    use std::path::Path;
    use std::sync::Arc;

    fn rule(name: &str, matter: &str) -> RuleText {
        let text = format!("---\n{matter}\n---\nSays {name}.");
        RuleText::parse(&text, name, BroughtBy::Project, Dialect::Marked).unwrap().0
    }

    fn rules(all: &[(&str, &str)]) -> Arc<StreamRules> {
        let rules: Vec<RuleText> = all.iter().map(|(name, matter)| rule(name, matter)).collect();
        let own = |name: &str| (name.eq_ignore_ascii_case("edit")).then(|| "edit_file".to_owned());
        Arc::new(StreamRules::new(&rules, Path::new("/p"), &own))
    }

    fn watch(rules: &Arc<StreamRules>) -> StreamWatch {
        rules.watch(&|_| true).unwrap()
    }

    fn names(watch: &StreamWatch) -> Vec<String> {
        watch.hits().iter().map(|hit| watch.of.rule(hit.rule).unwrap().name.clone()).collect()
    }

    #[test]
    fn a_hit_lies_across_pieces_and_counts_once() {
        let rules = rules(&[("a", "condition: un+wrap"), ("b", "condition: wrap\nscope: thinking")]);
        let mut watch = watch(&rules);
        for piece in ["say u", "nnn", "wr", "ap unwrap "] {
            watch.text(piece);
        }
        let hit = StreamHit { rule: 0, source: StreamSource::Text, interrupts: true };
        assert_eq!(watch.hits(), [hit]);
        watch.thinking("wrap");
        watch.end();
        assert_eq!(names(&watch), ["a", "b"], "the end of a text is an end of a word");
    }

    #[test]
    fn calls_are_watched_by_tool_and_file_and_as_what_they_mean() {
        let rules = rules(&[
            ("quote", r#"condition: 'say "hi"'"#),
            ("bash", "condition: sudo\nscope: tool:bash"),
            ("ts", "condition: any\nscope: tool:Edit(web/**)"),
            ("sql", "condition: '*.sql'"),
            ("rs", "condition: unwrap\nglobs: '*.rs'"),
        ]);
        let mut one = watch(&rules);
        one.arguments(0, "edit_file", r#"{"new":"say \"#);
        one.arguments(0, "edit_file", r#""hi\" sudo any unwrap ", "pa"#);
        assert_eq!(names(&one), ["quote"], "neither the tool nor the file is known");
        one.arguments(0, "edit_file", r#"th":"/p/web/a.ts","#);
        assert_eq!(names(&one), ["quote", "ts"]);
        one.whole(0, "edit_file", r#"{"new":"x","path":"/p/web/a.ts"}"#);
        one.whole(1, "write_file", r#"{"content":"unwrap","path":"db/x.sql"}"#);
        assert_eq!(names(&one), ["quote", "ts", "sql"], "the other tool, the other file");
        let mut two = watch(&rules);
        two.whole(3, "bash", r#"{"command":"sudo ls"}"#);
        two.whole(4, "multi_edit", r#"{"edits":[{"path":"src/a.rs","new":"unwrap"}]}"#);
        two.text("unwrap sudo ");
        assert_eq!(names(&two), ["bash", "rs"]);
        assert_eq!(two.hits()[1].source, StreamSource::Call(4));
    }

    #[test]
    fn a_file_that_is_known_is_not_waited_for() {
        let rules =
            rules(&[("ts", "condition: any\nscope: tool:Edit(web/**)"), ("un", "condition: unwrap\nglobs: '*.ts'")]);
        let mut one = watch(&rules);
        one.arguments(0, "edit_file", r#"{"path":"/p/web/a.ts","new":"x "#);
        assert_eq!(names(&one), [""; 0]);
        one.arguments(0, "edit_file", "any thing ");
        assert_eq!(names(&one), ["ts"], "in the middle of a string");
        one.arguments(0, "edit_file", "unwrap it");
        assert_eq!(names(&one), ["ts", "un"]);
    }

    #[test]
    fn what_began_anew_was_never_said_and_what_spoke_is_not_asked() {
        let rules = rules(&[("a", "condition: x\ninterruptMode: tool-only"), ("b", "condition: why")]);
        let mut one = watch(&rules);
        one.text("x.");
        assert_eq!(one.hits().len(), 1);
        assert!(!one.hits()[0].interrupts);
        one.anew();
        assert!(one.hits().is_empty());
        one.text("x.");
        assert_eq!(names(&one), ["a"]);
        let mut two = rules.watch(&|name| name != "a").unwrap();
        two.text("x why.");
        assert_eq!(names(&two), ["b"]);
        assert!(rules.watch(&|_| false).is_none());
    }

    #[test]
    fn there_is_room_for_so_much() {
        let large = r"condition: ['[a-z]{900}a', '[a-z]{900}b', '[a-z]{900}c', '[a-z]{900}d']";
        let many: Vec<(String, &str)> = (0..40).map(|number| (format!("r{number:02}"), large)).collect();
        let many: Vec<(&str, &str)> = many.iter().map(|(name, matter)| (name.as_str(), *matter)).collect();
        let rules = rules(&many);
        assert!(!rules.left.is_empty() && !rules.is_empty(), "{:?}", rules.left);
        assert!(watch(&rules).hits().is_empty());
    }
}
