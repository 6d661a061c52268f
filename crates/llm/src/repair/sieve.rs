//! Lets text through as it streams, and holds back from where a call may begin. Where a call may stand: outside of code
//! blocks, quotes and inline code; tags and JSON at the beginning of a line, tags also behind a sentence; up to the end of the answer. What turns out
//! to be no call is let through unchanged, so that how a stream is cut never shows.

use super::lexicon::Lexicon;
use super::markup::{self, ADDRESSED, CHANNELS, RECIPIENT, SECTIONS, TAGS, TO_ALL, TOKENS};
use super::objects::{self, Found, MOST, Proof};
use super::talk::Heard;
use super::{python, talk};
use std::sync::Arc;

/// How much of what was let through is remembered, to tell an announcement from an example.
const LEAD: usize = 1200;
/// How much of a candidate is looked at while it streams.
const LOOK: usize = 1024;
/// How much is kept of what follows a tag in the middle of a sentence.
const ASIDE: usize = 16 << 10;
/// How much is read in all to tell what the end of an answer is: what begins like a call a thousand times over and is none
/// would be read a thousand times.
const READ: usize = 2 << 20;
/// White space in front of a line beyond which nothing in it can be a call.
const DEEPEST: usize = 256;
/// The closing mark of reasoning that has no opening one.
const THINK_END: &str = "</think>";
/// Fences in which calls are written.
const FENCES: [&str; 10] =
    ["json", "tool_call", "tool_calls", "tool_code", "tool", "function_call", "action", "xml", "tool_use", ""];
/// Fences that hold nothing but calls.
const CALL_FENCES: [&str; 6] = ["tool_call", "tool_calls", "tool_code", "function_call", "tool_use", "action"];
/// What models write behind a call or an answer when they do not stop: everything from there on is not theirs to say.
const TAILS: [&str; 18] = [
    "<|im_end|>",
    "<|im_start|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|endoftext|>",
    "<｜end▁of▁sentence｜>",
    "<｜tool▁outputs▁begin｜>",
    "<|end_of_text|>",
    "<|tool_response>",
    "<end_of_turn>",
    "<|END_RESPONSE|>",
    "<|observation|>",
    "<|user|>",
    "<|eom|>",
    "<|close|>message<|sep|>",
];
/// The same, but words that people write too, so that they count behind a call only.
const RESULTS: [&str; 10] = [
    "<tool_response>",
    "Observation:",
    "<function_results>",
    "<tool_result>",
    "</s>",
    "<start_function_response>",
    "<function_response>",
    "<tool_responses:opensource>",
    "<tool_response:opensource>",
    "[TOOL_RESULTS]",
];
/// Closing marks of calls that were opened in another way, or not at all.
const CLOSERS: [&str; 10] = [
    "</tool_call>",
    "</tool_calls>",
    "</function_calls>",
    "</function>",
    "</tools>",
    "[/TOOL_CALLS]",
    "<｜tool▁calls▁end｜>",
    "<|tool_calls_section_end|>",
    "<｜tool_calls_end｜>",
    "<|close|>tools<|sep|>",
];

/// What the text came to.
#[derive(Debug, Default)]
pub(crate) struct Caught {
    pub(crate) calls: Vec<Found>,
    pub(crate) dialect: &'static str,
    /// How calls were written that stand where none is made.
    pub(crate) unmade: Option<&'static str>,
    /// Marks of the model's own protocol were cut.
    pub(crate) leak: bool,
}

/// A piece that is let through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pass<'a> {
    Text(&'a str),
    /// What was let through so far was reasoning.
    Rethink,
}

/// The sieve of one stream of text.
#[derive(Debug)]
pub(crate) struct Sieve {
    lexicon: Arc<Lexicon>,
    held: String,
    /// How much of what is held was let through already.
    from: usize,
    candidate: bool,
    place: Place,
    /// The end of what was let through.
    lead: String,
    /// Whether a closing mark may still turn what was said into reasoning.
    may_rethink: bool,
    /// White space behind that mark belongs to nobody.
    skips_space: bool,
    /// A line at the beginning that says whom the words are for is none of them.
    pub(crate) addressed: bool,
    /// How calls were written that were let through, because of where they stand.
    unmade: Option<&'static str>,
    /// A tag in the middle of a sentence, and what stood before it and came behind it.
    passed_by: Option<(String, String)>,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    line_start: bool,
    fence: Option<(char, usize)>,
    code: bool,
    quoted: bool,
}

/// Why what is held is not calls up to its end.
enum No {
    /// The first so many bytes are none; behind them there may be some.
    Block(usize),
    /// So many bytes are calls, written like this, which something else stands behind or around.
    Misplaced(usize, &'static str),
    /// There are more of them than any answer means: none is made.
    TooMany,
}

enum Step {
    /// So many bytes are plain.
    Plain(usize),
    /// More has to come first.
    Wait,
    /// A call may begin here.
    Candidate,
    /// Reasoning ends here; so many bytes are its mark.
    ThinkEnd(usize),
    /// So many bytes are a mark that says nothing.
    Mark(usize),
}

impl Place {
    /// A line that opens or closes a fence.
    fn fence_line(&mut self, rest: &str, indent: usize, last: bool) -> Option<Step> {
        let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let run = rest.chars().take_while(|c| *c == mark).count();
        let line = rest.find('\n');
        if line.is_none() && !last && (run == rest.len() || run >= 3) && rest.len() < 200 {
            return Some(Step::Wait);
        }
        if run < 3 {
            return None;
        }
        let end = line.map_or(rest.len(), |end| end + 1);
        let info = rest.get(run..end).unwrap_or_default().trim();
        match self.fence {
            Some((open, least)) if open == mark && run >= least && info.is_empty() => {
                self.fence = None;
                Some(Step::Plain(indent + end))
            }
            Some(_) => None,
            None if FENCES.contains(&info) && indent < 4 => Some(Step::Candidate),
            None if info.contains('`') => None,
            None => {
                self.fence = Some((mark, run));
                Some(Step::Plain(indent + end))
            }
        }
    }
}

impl Sieve {
    pub(crate) fn new(lexicon: Arc<Lexicon>, may_rethink: bool) -> Self {
        let place = Place { line_start: true, fence: None, code: false, quoted: false };
        let (held, lead) = (String::new(), String::new());
        Self {
            lexicon,
            held,
            from: 0,
            candidate: false,
            place,
            lead,
            may_rethink,
            skips_space: false,
            addressed: false,
            unmade: None,
            passed_by: None,
        }
    }

    /// Reasoning has come in another way: a closing mark in the text means nothing.
    pub(crate) fn reasoned(&mut self) {
        self.may_rethink = false;
    }

    fn rest(&self) -> &str {
        self.held.get(self.from..).unwrap_or_default()
    }

    pub(crate) fn feed(&mut self, text: &str, pass: &mut impl FnMut(Pass<'_>)) {
        self.held.push_str(text);
        self.sift(false, pass);
        self.held.drain(..self.from);
        self.from = 0;
    }

    fn sift(&mut self, last: bool, pass: &mut impl FnMut(Pass<'_>)) {
        loop {
            if self.candidate {
                if last || self.rest().len() > LOOK || self.is_viable() {
                    return;
                }
                self.reject(0, pass);
                continue;
            }
            if self.skips_space {
                self.from += self.rest().len() - self.rest().trim_start().len();
                self.skips_space = self.rest().is_empty();
            }
            if self.rest().is_empty() {
                return;
            }
            match self.step(last) {
                Step::Plain(length) => self.let_through(length, pass),
                Step::Wait => return,
                Step::Candidate => self.candidate = true,
                Step::Mark(length) => (self.from, self.place.line_start) = (self.from + length, true),
                Step::ThinkEnd(length) => {
                    pass(Pass::Rethink);
                    self.from += length;
                    self.may_rethink = false;
                    self.skips_space = true;
                    self.lead.clear();
                    self.place.line_start = true;
                }
            }
        }
    }

    fn let_through(&mut self, length: usize, pass: &mut impl FnMut(Pass<'_>)) {
        let plain = self.held.get(self.from..self.from + length).unwrap_or_default();
        pass(Pass::Text(plain));
        self.lead.push_str(plain);
        if let Some((_, behind)) = self.passed_by.as_mut().filter(|(_, behind)| behind.len() < ASIDE) {
            behind.push_str(plain);
        }
        self.from += length;
        if self.lead.len() > 2 * LEAD {
            let mut cut = self.lead.len() - LEAD;
            while !self.lead.is_char_boundary(cut) {
                cut += 1;
            }
            self.lead.drain(..cut);
        }
    }

    /// What begins the held text is no call: so much of it is plain, and what follows is looked at again.
    fn reject(&mut self, block: usize, pass: &mut impl FnMut(Pass<'_>)) {
        self.candidate = false;
        if block > 0 {
            self.place.line_start = false;
            return self.let_through(block, pass);
        }
        let rest = self.rest();
        let trimmed = rest.trim_start_matches([' ', '\t']);
        let indent = rest.len() - trimmed.len();
        if self.place.line_start
            && let Some(mark @ ('`' | '~')) = trimmed.chars().next()
            && trimmed.starts_with(&mark.to_string().repeat(3))
        {
            let run = trimmed.chars().take_while(|c| *c == mark).count();
            let line = rest.find('\n').map_or(rest.len(), |end| end + 1);
            self.place.fence = Some((mark, run));
            return self.let_through(line, pass);
        }
        let first = trimmed.chars().next().map_or(0, char::len_utf8);
        self.place.line_start = false;
        self.let_through(indent + first, pass);
    }

    /// Looks at the beginning of what is held.
    fn step(&mut self, last: bool) -> Step {
        if self.place.line_start { self.at_line_start(last) } else { self.in_line(last) }
    }

    fn at_line_start(&mut self, last: bool) -> Step {
        let whole = self.held.get(self.from..).unwrap_or_default();
        let rest = whole.trim_start_matches([' ', '\t']);
        let indent = whole.len() - rest.len();
        if indent > DEEPEST {
            (self.place.line_start, self.place.quoted) = (false, self.place.fence.is_none());
            return Step::Plain(indent);
        }
        let Some(first) = rest.chars().next() else { return if last { Step::Plain(indent) } else { Step::Wait } };
        if first == '\n' || first == '\r' {
            return Step::Plain(indent + 1);
        }
        if let Some(step) = self.place.fence_line(rest, indent, last) {
            return step;
        }
        if std::mem::take(&mut self.addressed) {
            let all = TO_ALL.trim_start_matches('>');
            if rest.starts_with(all) {
                return Step::Mark(indent + all.len());
            }
            self.addressed = !last && all.starts_with(rest);
            if self.addressed {
                return Step::Wait;
            }
        }
        if self.place.fence.is_none()
            && indent == 0
            && let Some(step) = self.to_all(rest, last)
        {
            return step;
        }
        if !last && rest.len() <= RECIPIENT.len() && RECIPIENT.starts_with(rest) {
            return Step::Wait;
        }
        let addressed = rest.strip_prefix(RECIPIENT).is_some_and(|name| name.starts_with(char::is_alphabetic));
        let deep = indent >= 4 || whole.starts_with('\t');
        self.place.quoted = self.place.fence.is_none() && (deep || (first == '>' && !addressed));
        if self.place.fence.is_none() && !self.place.quoted {
            match self.opening(rest, last) {
                Some(Step::Wait) => return Step::Wait,
                Some(step) => return step,
                None => {}
            }
        }
        self.place.line_start = false;
        self.in_line(last)
    }

    /// What may open a call at the beginning of a line.
    fn opening(&self, rest: &str, last: bool) -> Option<Step> {
        if rest.starts_with(['{', '[']) && objects::may_become(rest, &self.lexicon) {
            return Some(Step::Candidate);
        }
        let fixed = [
            "<function=",
            "<function name=",
            "<invoke name=",
            "<atem:invoke name=",
            "<tool name=",
            "Action:",
            "<｜DSML｜invoke name=",
        ];
        let opens = TAGS.iter().map(|(open, ..)| *open).chain(fixed);
        if let Some(step) = begins(rest, opens, last) {
            return Some(step);
        }
        if let Some(tag) = rest.strip_prefix('<') {
            let length = tag.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).unwrap_or(tag.len());
            match tag.get(length..).and_then(|behind| behind.chars().next()) {
                Some('>') if self.lexicon.find(tag.get(..length)?).is_some() => return Some(Step::Candidate),
                None if length < 64 && !last => return Some(Step::Wait),
                _ => {}
            }
        }
        if self.lead.trim().is_empty() {
            if let Some(step) = begins(rest, std::iter::once(ADDRESSED), last) {
                return Some(step);
            }
            for begun in [self.python_name(rest), self.bare_name(rest)] {
                match begun {
                    Some(true) => return Some(Step::Candidate),
                    None if !last => return Some(Step::Wait),
                    _ => {}
                }
            }
        }
        None
    }

    /// Whether a text begins as a call of Python; none while it cannot be told.
    fn python_name(&self, rest: &str) -> Option<bool> {
        let name = rest.strip_prefix('[').unwrap_or(rest).trim_start();
        let name = name.strip_prefix("print(").unwrap_or(name);
        let length = name.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.'))).unwrap_or(name.len());
        match name.get(length..).and_then(|behind| behind.chars().next()) {
            Some('(') => Some(self.lexicon.find(name.get(..length)?).is_some()),
            None if length < 48 && self.lexicon.may_begin(name) => None,
            _ => Some(false),
        }
    }

    /// Whether a text begins with a tool's name alone in its line, and JSON in the next; none while it cannot be told.
    fn bare_name(&self, rest: &str) -> Option<bool> {
        let Some((name, behind)) = rest.split_once('\n') else {
            let legal = rest.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
            return if legal && rest.len() < 48 && self.lexicon.may_begin(rest) { None } else { Some(false) };
        };
        let named = name.len() < 64 && self.lexicon.find(name).is_some();
        match behind.chars().next() {
            None if named => None,
            next => Some(named && next == Some('{')),
        }
    }

    /// The rest of a line: only special tokens matter.
    fn in_line(&mut self, last: bool) -> Step {
        let plain = self.place.fence.is_some() || self.place.quoted;
        let mut at = 0;
        let held = self.rest().len();
        loop {
            let Some(found) = self.rest().get(at..).and_then(|rest| rest.find(['\n', '`', '<', '>', '[', ']'])) else {
                return Step::Plain(held);
            };
            at += found;
            let rest = self.rest().get(at..).unwrap_or_default();
            match rest.chars().next() {
                Some('\n') => {
                    self.place = Place { line_start: true, code: false, quoted: false, fence: self.place.fence };
                    return Step::Plain(at + 1);
                }
                Some('`') => {
                    if at > 0 {
                        return Step::Plain(at);
                    }
                    self.place.code = !self.place.code;
                }
                _ if plain || self.place.code => {}
                _ => {
                    if let Some(step) = self.to_all(rest, last) {
                        return if at > 0 { Step::Plain(at) } else { step };
                    }
                    let tokens = TOKENS.iter().map(|(open, ..)| *open).chain(SECTIONS).chain(CHANNELS).chain(TAILS);
                    let step = begins(rest, tokens, last).or_else(|| self.think_end(rest, last));
                    let step = step.or_else(|| self.behind_a_sentence(rest, at, last));
                    match step {
                        Some(_) if at > 0 => return Step::Plain(at),
                        Some(step) => return step,
                        None if at == 0 && TAGS.iter().any(|(open, ..)| rest.starts_with(open)) => {
                            self.passed_by.get_or_insert_with(|| (self.lead.clone(), String::new()));
                        }
                        None => {}
                    }
                }
            }
            at += 1;
            if at >= held {
                return Step::Plain(held);
            }
        }
    }

    /// The mark before words that are for everybody.
    fn to_all(&self, rest: &str, last: bool) -> Option<Step> {
        if rest.starts_with(TO_ALL) {
            return Some(Step::Mark(TO_ALL.len()));
        }
        (!last && rest.len() >= RECIPIENT.len() && TO_ALL.starts_with(rest)).then_some(Step::Wait)
    }

    /// A tag in the same line as the sentence that announces its call.
    fn behind_a_sentence(&self, rest: &str, at: usize, last: bool) -> Option<Step> {
        let step = begins(rest, TAGS.iter().map(|(open, ..)| *open).filter(|open| open.starts_with('<')), last)?;
        // What stands before it is looked at when it was let through.
        (at > 0 || matches!(step, Step::Wait) || talk::ends_a_sentence(&self.lead)).then_some(step)
    }

    /// Whether a tag in the middle of a line can still become a call: a name in it is that of a tool.
    fn may_call_in_line(&self, text: &str) -> bool {
        let Some((open, ..)) = TAGS.iter().find(|(open, ..)| text.starts_with(open)) else { return true };
        let body = text.get(open.len()..).unwrap_or_default().trim_start();
        let length = body.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))).unwrap_or(body.len());
        let name = body.get(..length).unwrap_or_default();
        match length < body.len() {
            true => name.is_empty() || self.lexicon.find(name).is_some(),
            false => length < 64,
        }
    }

    /// Whether a block stands behind a sentence in the same line and has no end: nothing tells where it would be.
    fn is_open_in_line(&self, block: &str, first: bool) -> bool {
        let tag = TAGS.iter().find(|(open, ..)| block.starts_with(open));
        first && !self.place.line_start && tag.is_some_and(|(_, close, _)| !block.ends_with(close))
    }

    /// The closing mark of reasoning: alone in its line, or at the end of one.
    fn think_end(&self, rest: &str, last: bool) -> Option<Step> {
        if !self.may_rethink {
            return None;
        }
        let Some(behind) = rest.strip_prefix(THINK_END) else {
            return (!last && THINK_END.starts_with(rest)).then_some(Step::Wait);
        };
        let alone = self.lead.is_empty() || self.lead.ends_with('\n');
        match behind.chars().next() {
            None if !last && !alone => Some(Step::Wait),
            None | Some('\n' | '\r') => Some(Step::ThinkEnd(THINK_END.len())),
            Some(_) => alone.then_some(Step::ThinkEnd(THINK_END.len())),
        }
    }

    /// Whether the candidate can still become a call.
    fn is_viable(&self) -> bool {
        let text = self.rest().trim_start();
        if let Some(name) = text.strip_prefix("<function=") {
            return name.split_once('>').is_none_or(|(name, _)| self.lexicon.find(name).is_some());
        }
        if let Some(name) = text.strip_prefix(ADDRESSED) {
            let end = name.find(|c: char| c.is_whitespace() || c == '<');
            return end.map_or(name.len() < 64, |end| self.lexicon.find(name.get(..end).unwrap_or_default()).is_some());
        }
        if let Some(name) = text.strip_prefix(RECIPIENT) {
            let line = name.split_once('\n').map(|(name, _)| name);
            return line.map_or(name.len() < 64, |name| self.lexicon.find(name.trim()).is_some());
        }
        if let Some(name) = text.strip_prefix("Action:") {
            let line = name.split_once('\n');
            return line.is_none_or(|(name, _)| {
                name.trim().is_empty() || name.trim().starts_with("```") || self.lexicon.find(name.trim()).is_some()
            });
        }
        let body = match text.strip_prefix("```") {
            Some(body) => match body.split_once('\n') {
                Some((info, _)) if CALL_FENCES.contains(&info.trim()) => return true,
                Some((_, body)) => body.trim_start(),
                None => return true,
            },
            None => text,
        };
        match body.chars().next() {
            None => true,
            Some('[') if TOKENS.iter().any(|(open, ..)| open.starts_with(body) || body.starts_with(open)) => true,
            Some('[') if self.lead.trim().is_empty() && self.python_name(body) != Some(false) => true,
            Some('{' | '[') => objects::may_become(body, &self.lexicon),
            Some('<') => self.place.line_start || self.may_call_in_line(body),
            Some(_) => !text.starts_with("```"),
        }
    }

    /// The text is over. Gives the calls in it, where `wanted`; everything else is let through.
    pub(crate) fn finish(&mut self, wanted: bool, heard: &Heard<'_>, pass: &mut impl FnMut(Pass<'_>)) -> Caught {
        let mut read = 0;
        loop {
            self.sift(true, pass);
            read += self.rest().len();
            if !self.candidate || read > READ.max(2 * self.rest().len()) {
                break;
            }
            match self.to_the_end(wanted, heard) {
                Ok(caught) => {
                    self.from = self.held.len();
                    return caught;
                }
                Err(No::Block(length)) => self.reject(length, pass),
                Err(No::Misplaced(length, dialect)) => {
                    self.unmade = Some(dialect);
                    self.reject(length, pass);
                }
                Err(No::TooMany) => break,
            }
        }
        let rest = self.rest().len();
        self.let_through(rest, pass);
        let unmade = self.unmade.or_else(|| self.passed_by(heard)).filter(|_| wanted);
        Caught { unmade, ..Caught::default() }
    }

    /// How a call in the middle of a sentence was written, where it is one and nothing that is shown.
    fn passed_by(&self, heard: &Heard<'_>) -> Option<&'static str> {
        let (before, text) = self.passed_by.as_ref()?;
        let block = markup::block(text, &self.lexicon)?;
        let (call, behind) = text.split_at_checked(block.length)?;
        let meant =
            talk::does(before) || (behind.trim().is_empty() && before.trim_end().ends_with(char::is_alphabetic));
        (meant && !talk::shows(before) && !heard.has(call)).then_some(block.dialect)
    }

    /// What is held as calls and nothing else, up to the end.
    fn to_the_end(&self, wanted: bool, heard: &Heard<'_>) -> Result<Caught, No> {
        let mut caught = Caught::default();
        let held = self.rest();
        let mut at = 0;
        let mut marked = false;
        loop {
            let rest = held.get(at..).unwrap_or_default();
            let start = at + rest.len() - rest.trim_start().len();
            let rest = held.get(start..).unwrap_or_default();
            if rest.is_empty() {
                return Ok(caught);
            }
            if let Some(closer) = CLOSERS.iter().find(|closer| marked && rest.starts_with(**closer)) {
                at = start + closer.len();
                continue;
            }
            let results = if marked { &RESULTS[..] } else { &[] };
            let tail = TAILS.iter().chain(results).find(|tail| rest.starts_with(**tail));
            if tail.is_some_and(|tail| at > 0 || is_the_end(rest.get(tail.len()..).unwrap_or_default())) {
                caught.leak = true;
                return Ok(caught);
            }
            let found = self.block(rest, at == 0);
            // What stands behind calls that nobody only shows, and is none, is what keeps them from being made.
            let words = || rest.contains(char::is_alphabetic);
            let behind = || if marked && wanted && words() { No::Misplaced(at, caught.dialect) } else { No::Block(at) };
            let (calls, length, dialect, proof) = found.ok_or_else(behind)?;
            let end = start + length;
            let shown = talk::shows(&self.lead) || (proof == Proof::FormOnly && !talk::announces(&self.lead));
            let block = held.get(start..end).unwrap_or_default();
            let (quoted, open) = (|| heard.has(block), self.is_open_in_line(block, at == 0));
            caught.calls.extend(calls);
            if caught.calls.len() > MOST {
                return Err(No::TooMany);
            }
            if !wanted || shown || quoted() {
                return Err(No::Block(end));
            }
            if open {
                return Err(No::Misplaced(end, dialect));
            }
            caught.dialect = dialect;
            marked |= proof == Proof::Marked;
            at = end;
        }
    }

    fn block(&self, text: &str, first: bool) -> Option<(Vec<Found>, usize, &'static str, Proof)> {
        let lexicon = &self.lexicon;
        if let Some(block) = markup::block(text, lexicon) {
            return Some((block.calls, block.length, block.dialect, Proof::Marked));
        }
        if let Some(body) = text.strip_prefix("```") {
            return self.fenced(text, body);
        }
        if let Some(rest) = text.strip_prefix("Action:") {
            let (calls, length) = react(rest, lexicon)?;
            return Some((calls, "Action:".len() + length, "react", Proof::Marked));
        }
        if text.starts_with(['{', '['])
            && let Some((calls, length)) = objects::calls(text, lexicon, Proof::FormOnly)
        {
            return Some((calls, length, "json", Proof::FormOnly));
        }
        let alone = first && self.lead.trim().is_empty();
        if let Some((call, length)) = markup::recipient(text, lexicon).filter(|_| alone) {
            return Some((vec![call], length, "functionary", Proof::FormOnly));
        }
        let (calls, length) = python::calls(text).filter(|_| alone)?;
        Some((self.fitting(calls)?, length, "python", Proof::FormOnly))
    }

    fn fitting(&self, calls: Vec<python::Named>) -> Option<Vec<Found>> {
        let each = calls.into_iter().map(|(name, args)| {
            let tool = self.lexicon.find(&name)?;
            self.lexicon.fits(tool, &args).then(|| Found { tool: tool.to_owned(), args, fixes: Vec::new() })
        });
        each.collect()
    }

    fn fenced(&self, text: &str, body: &str) -> Option<(Vec<Found>, usize, &'static str, Proof)> {
        let (info, rest) = body.split_once('\n')?;
        let marked = CALL_FENCES.contains(&info.trim());
        let proof = if marked { Proof::Marked } else { Proof::FormOnly };
        let start = text.len() - rest.trim_start().len();
        let inner = text.get(start..)?;
        let (calls, length) = if inner.starts_with(['{', '[']) && objects::may_become(inner, &self.lexicon) {
            objects::calls(inner, &self.lexicon, proof)?
        } else if let Some(block) = markup::block(inner, &self.lexicon).filter(|_| marked) {
            (block.calls, block.length)
        } else {
            let (calls, length) = python::calls(inner).filter(|_| marked)?;
            (self.fitting(calls)?, length)
        };
        let mut at = start + length;
        let behind = text.get(at..)?;
        at += behind.len() - behind.trim_start().len();
        match text.get(at..)? {
            "" => {}
            rest => at += rest.starts_with("```").then_some(3)?,
        }
        Some((calls, at, "fence", proof))
    }
}

/// Whether what follows a mark of the protocol shows that the answer was over there: nothing, another mark, or the next
/// one's turn. In a sentence about such marks the sentence goes on.
fn is_the_end(rest: &str) -> bool {
    let rest = rest.trim_start();
    let role = |name: &str| rest.strip_prefix(name).is_some_and(|rest| rest.trim_start_matches(' ').starts_with('\n'));
    rest.is_empty()
        || ["<|", "<｜", "<end_of_turn>"].iter().any(|mark| rest.starts_with(mark))
        || ["user", "assistant", "system", "tool"].iter().any(|name| role(name))
}

/// Whether a text begins with one of these; waits while it may.
fn begins(text: &str, mut opens: impl Iterator<Item = &'static str>, last: bool) -> Option<Step> {
    let mut begun = false;
    let found = opens.any(|open| {
        begun |= !last && text.len() < open.len() && open.starts_with(text);
        text.starts_with(open)
    });
    if found {
        return Some(Step::Candidate);
    }
    begun.then_some(Step::Wait)
}

/// `Action: NAME`, `Action Input: {…}`; or a list of calls in a fence.
fn react(text: &str, lexicon: &Lexicon) -> Option<(Vec<Found>, usize)> {
    let start = text.len() - text.trim_start().len();
    let rest = text.get(start..)?;
    if let Some(body) = rest.strip_prefix("```") {
        let line = body.find('\n')? + 1;
        let inner = body.get(line..)?;
        let (calls, length) = objects::calls(inner, lexicon, Proof::Marked)?;
        let behind = inner.get(length..)?;
        let gap = behind.len() - behind.trim_start().len();
        let fence = if behind.trim_start().starts_with("```") { gap + 3 } else { 0 };
        return Some((calls, start + 3 + line + length + fence));
    }
    let (name, behind) = rest.split_once('\n')?;
    let tool = lexicon.find(name.trim())?;
    let input = behind.trim_start().strip_prefix("Action Input:")?.trim_start();
    let read = super::loose::read(input)?;
    let (args, fixes) = super::arguments::object_in(input.get(..read.end)?, false).ok()?;
    let at = text.len() - input.len() + read.end;
    Some((vec![Found { tool: tool.to_owned(), args, fixes }], at))
}
