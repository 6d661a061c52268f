//! What a person said in a message, told apart from what they pasted into it, by how its lines look and where they stand.

use super::gist::TEXT;

/// What the last line of a message begins with whose pictures are left out.
pub(super) const NO_LONGER_SHOWN: &str = "[no longer shown: ";

/// Who speaks in a line of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// The user, before anything that is pasted.
    Before,
    /// The user, behind it.
    Behind,
    /// The user, between two things that are pasted.
    Between,
    /// Somebody else: a file, a page, a log.
    Pasted,
}

/// What a person writes before or behind a pasted text has at most so many lines, and so many characters.
const SAID: (usize, usize) = (6, 400);

/// A line of a person between pasted ones, or the last one of a message, has at most so many characters.
const ONE_LINE: usize = 200;

/// A line without any space of so many characters is an address, a key or the like.
const UNBROKEN: usize = 24;

/// The lines of a message that have words, with who speaks in them.
pub(super) fn told_apart(text: &str) -> Vec<(By, String)> {
    // A message that was cut before.
    if let Some((own, rest)) = text.split_once(TEXT.0).filter(|_| !text.contains('\n'))
        && let Some(pasted) = rest.strip_suffix(TEXT.1)
    {
        return vec![(By::Before, own.to_owned()), (By::Pasted, pasted.to_owned())];
    }
    let lines = looked_at(text);
    let mut spoken: Vec<usize> = (0..lines.len()).filter(|place| lines[*place].look != Look::Blank).collect();
    if spoken.last().is_some_and(|place| lines[*place].text.starts_with(NO_LONGER_SHOWN)) {
        spoken.pop();
    }
    let mut by = vec![By::Pasted; lines.len()];
    let before = said_before(&lines, &spoken);
    spoken.iter().take(before).for_each(|place| by[*place] = By::Before);
    let behind = said_behind(&lines, spoken.get(before..).unwrap_or_default());
    spoken.iter().rev().take(behind).for_each(|place| by[*place] = By::Behind);
    for (nth, place) in spoken.iter().copied().enumerate() {
        if by[place] == By::Pasted && stands_alone(&lines, &spoken, nth) {
            by[place] = By::Between;
        }
    }
    lines
        .iter()
        .zip(by)
        .filter(|(line, _)| line.look != Look::Blank)
        .map(|(line, by)| (by, line.text.to_owned()))
        .collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Blank,
    Prose,
    /// Code, a quotation, a table, a line of a log, what stands between fences.
    Other,
}

struct Line<'a> {
    text: &'a str,
    look: Look,
}

impl Line<'_> {
    fn length(&self) -> usize {
        self.text.chars().count()
    }

    fn is_item(&self) -> bool {
        ["- ", "* ", "• "].iter().any(|mark| self.text.starts_with(mark))
    }

    fn introduces(&self) -> bool {
        self.text.ends_with([':', '：'])
    }

    /// True when it is a sentence, or several, and no part of one.
    fn is_whole(&self) -> bool {
        let begins = self.text.chars().next().is_some_and(|c| c.is_alphabetic() && !c.is_lowercase());
        let ends = self.text.ends_with(['.', '!', '?', '。', '！', '？', '…', ':', '：']);
        self.look == Look::Prose && begins && ends && self.length() <= ONE_LINE
    }
}

fn looked_at(text: &str) -> Vec<Line<'_>> {
    let mut closes: Option<String> = None;
    let mut lines = Vec::new();
    for line in text.lines() {
        let plain = line.trim();
        let look = match &closes {
            _ if plain.is_empty() => Look::Blank,
            Some(_) => Look::Other,
            None if is_other(line) => Look::Other,
            None => Look::Prose,
        };
        lines.push(Line { text: plain, look });
        closes = match closes {
            Some(end) if plain.starts_with(&end) => None,
            None => opened_by(plain).filter(|end| text.contains(end.as_str())),
            open => open,
        };
    }
    lines
}

/// What ends the part that a line begins: a fence, or a tag that stands for a file.
fn opened_by(line: &str) -> Option<String> {
    if let Some(fence) = ["```", "~~~"].into_iter().find(|fence| line.starts_with(fence)) {
        return Some(fence.to_owned());
    }
    let tag: String = line.strip_prefix('<')?.chars().take_while(char::is_ascii_alphanumeric).collect();
    let end = format!("</{tag}");
    (!tag.is_empty() && !line.contains(&end) && !line.ends_with("/>")).then_some(end)
}

/// True when nobody writes a line like that to somebody.
fn is_other(line: &str) -> bool {
    const BEGINS: &[&str] = &[
        ">",
        "|",
        "+",
        "$ ",
        "#",
        "//",
        "/*",
        "<",
        "{",
        "}",
        "[",
        "@@",
        "--- ",
        "```",
        "~~~",
        "diff ",
        "at ",
        "Traceback",
        "File \"",
        "error:",
        "error[",
        "warning:",
    ];
    const LEVELS: &[&str] = &["TRACE", "DEBUG", "INFO", "WARN", "WARNING", "ERROR", "FATAL"];
    let plain = line.trim();
    let (first, length) = (plain.split_whitespace().next().unwrap_or_default(), plain.chars().count());
    let count = |of: &str| plain.chars().filter(|c| of.contains(*c)).count();
    let level = first.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let digits = first.chars().filter(char::is_ascii_digit).count();
    let moment = first.starts_with(|c: char| c.is_ascii_digit())
        && digits >= 4
        && first.chars().filter(|c| "-:/.".contains(*c)).count() >= 2;
    let operator = [" >&", " && ", " || ", "2>", "=>", "->", "::", "()"].iter().any(|sign| plain.contains(sign));
    let symbols = count("{}[]()<>=;|\\$&%^~");
    line.starts_with(['\t'])
        || line.starts_with("    ")
        || BEGINS.iter().any(|mark| plain.starts_with(mark))
        || LEVELS.contains(&level)
        || moment
        || operator
        || plain.ends_with([';', '{', '}', '\\', '|'])
        || (symbols >= 4 && symbols * 12 >= length)
        || (first.len() == plain.len() && plain.is_ascii() && length >= UNBROKEN)
}

/// How many of the first lines are the user's: up to the one that introduces what follows, the first paragraph, or the first
/// line alone.
fn said_before(lines: &[Line<'_>], spoken: &[usize]) -> usize {
    let own = spoken.iter().take_while(|place| lines[**place].look == Look::Prose).count();
    let fits = |count: &usize| {
        let length: usize = spoken.iter().take(*count).map(|place| lines[*place].length()).sum();
        *count <= SAID.0 && length <= SAID.1
    };
    if own == spoken.len() && fits(&own) {
        return own;
    }
    let paragraph = spoken.iter().take(own).zip(0..).take_while(|(place, row)| **place == spoken[0] + row).count();
    let short = |place: &&usize| lines[**place].length() <= ONE_LINE;
    let led = spoken.iter().take(own.min(4)).take_while(short).position(|place| lines[*place].introduces());
    let introduced = led.map(|last| last + 1).filter(fits);
    // A list that something follows is somebody else's from its first line.
    let listed = spoken.first().is_some_and(|first| lines[*first].is_item());
    introduced.or(Some(paragraph).filter(fits)).unwrap_or(own.min(1)) * usize::from(!listed)
}

/// How many of the last lines are the user's: the last paragraph, or the last line where it is a sentence.
fn said_behind(lines: &[Line<'_>], rest: &[usize]) -> usize {
    let prose = rest.iter().rev().take_while(|place| lines[**place].look == Look::Prose).count();
    let last = rest.last().copied().unwrap_or_default();
    let paragraph = rest.iter().rev().take(prose).zip(0..).take_while(|(place, row)| **place + row == last).count();
    let length: usize = rest.iter().rev().take(paragraph).map(|place| lines[*place].length()).sum();
    match paragraph {
        0 => 0,
        rows if rows < rest.len() && rows <= SAID.0 && length <= SAID.1 => rows,
        _ => usize::from(lines[last].is_whole()),
    }
}

/// True for a sentence between two things that are no prose.
fn stands_alone(lines: &[Line<'_>], spoken: &[usize], nth: usize) -> bool {
    let other =
        |nth: Option<usize>| nth.and_then(|nth| spoken.get(nth)).is_some_and(|at| lines[*at].look == Look::Other);
    lines[spoken[nth]].is_whole() && other(nth.checked_sub(1)) && other(nth.checked_add(1))
}
