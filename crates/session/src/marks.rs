//! What holds for a session whatever branch is active: title, labels, what was spent, whether it was discarded. Pure.

use reasonix_proto::{Cost, Record, RecordBody, RecordId, Usage};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How many characters of the first prompt make a title.
const TITLE: usize = 80;

/// What holds for the whole session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Marks {
    own: String,
    given: String,
    first: String,
    /// Names of places.
    #[serde(skip)]
    pub labels: BTreeMap<RecordId, String>,
    /// The tokens of all requests on all branches, of turns that have an end, and of notes.
    pub usage: Usage,
    /// What they cost at the prices of their time, where those were known.
    pub cost: Option<Cost>,
    /// True when the session is out of lists, of resuming and of search.
    pub discarded: bool,
}

impl Marks {
    /// Takes in the next record of the file.
    pub(crate) fn apply(&mut self, record: &Record) {
        match &record.body {
            RecordBody::Titled { title, by_user: true } => self.own = one_line(title),
            RecordBody::Titled { title, by_user: false } => self.given = one_line(title),
            RecordBody::Prompt { text, typed, .. } if self.first.is_empty() => {
                self.first = title(typed.as_deref().unwrap_or(text));
            }
            RecordBody::Shell { command, .. } if self.first.is_empty() => self.first = title(&format!("!{command}")),
            RecordBody::Labelled { record, label } if label.trim().is_empty() => {
                self.labels.remove(record);
            }
            RecordBody::Labelled { record, label } => {
                self.labels.insert(*record, one_line(label));
            }
            RecordBody::TurnEnded { usage, cost, .. } => self.pay(*usage, cost.as_ref()),
            RecordBody::Planner(turn) => self.pay(turn.usage, turn.cost.as_ref()),
            RecordBody::Child(run) => self.pay(run.usage, run.cost.as_ref()),
            RecordBody::Compacted(folded) => self.usage.add(folded.usage.unwrap_or_default()),
            RecordBody::Left(left) => self.usage.add(left.usage.unwrap_or_default()),
            RecordBody::Discarded => self.discarded = true,
            _ => {}
        }
    }

    fn pay(&mut self, usage: Usage, cost: Option<&Cost>) {
        self.usage.add(usage);
        match (&mut self.cost, cost) {
            (Some(known), Some(cost)) => known.add(cost),
            (none, cost) => *none = none.take().or_else(|| cost.cloned()),
        }
    }

    /// The title: the user's own, else the one that a plan gave, else the beginning of the first prompt.
    pub fn title(&self) -> &str {
        [&self.own, &self.given, &self.first].into_iter().find(|title| !title.is_empty()).map_or("", String::as_str)
    }
}

/// The first line that says something, bounded; what was piped in or attached stands before it and is passed over, unless
/// nothing else is there.
pub(crate) fn title(text: &str) -> String {
    let mut rest = text.trim_start();
    while let Some(behind) = behind_block(rest) {
        rest = behind.trim_start();
    }
    let said = first_line(rest);
    if said.is_empty() { first_line(inside_block(text.trim_start())) } else { said }
}

/// What stands behind a block that a prompt begins with: `<tag … id="ID">` to `</tag id="ID">`, or a picture.
fn behind_block(text: &str) -> Option<&str> {
    let (opening, rest) = text.split_once('\n').unwrap_or((text, ""));
    let tag = opening.strip_prefix('<')?;
    if tag.starts_with("image path=") && tag.ends_with("/>") {
        return Some(rest);
    }
    let (tag, id) = (tag.split_once(' ')?.0, tag.strip_suffix("\">")?.rsplit_once(" id=\"")?.1);
    Some(rest.split_once(&format!("</{tag} id=\"{id}\">"))?.1)
}

/// What stands in a block, without the line that opens it.
fn inside_block(text: &str) -> &str {
    match behind_block(text) {
        Some(_) => text.split_once('\n').map_or(text, |(_, rest)| rest),
        None => text,
    }
}

fn first_line(text: &str) -> String {
    one_line(text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default())
}

/// One line without control characters, bounded.
fn one_line(text: &str) -> String {
    let clean = |character: char| if character.is_control() { ' ' } else { character };
    let text = text.trim();
    let mut line: String = text.chars().map(clean).take(TITLE).collect();
    if text.chars().nth(TITLE).is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::Marks;
    use reasonix_proto::{Record, RecordBody, RecordId};

    fn apply_body(marks: &mut Marks, body: RecordBody) {
        marks.apply(&Record { id: RecordId(1), parent: None, at: 0, body });
    }

    #[test]
    fn a_title_is_what_was_said_and_not_what_was_attached() {
        let piped = reasonix_proto::fenced("stdin", &[], "secret log\nline");
        let file = reasonix_proto::fenced("file", &[("path", "a b.rs")], "</file>\nfn main() {}");
        for (text, title) in [
            (format!("{piped}\n\nwhat is wrong?"), "what is wrong?"),
            (format!("{file}\n\n{piped}\n\n<image path=\"x.png\" number=\"1\"/>\n\nlook\nhere"), "look"),
            (piped, "secret log"),
            ("<b>bold</b> words".to_owned(), "<b>bold</b> words"),
            ("<stdin id=\"1\">\nnever ended".to_owned(), "<stdin id=\"1\">"),
        ] {
            assert_eq!(super::title(&text), title);
        }
    }

    #[test]
    fn nothing_replaces_a_title_of_the_users_own() {
        let mut marks = Marks::default();
        let prompt = |text: &str| RecordBody::Prompt { turn: 1, text: text.into(), typed: None, images: Vec::new() };
        let titled = |title: &str, by_user| RecordBody::Titled { title: title.into(), by_user };
        apply_body(&mut marks, prompt("\n  fix\tthe test\nplease"));
        apply_body(&mut marks, prompt("second"));
        assert_eq!(marks.title(), "fix the test");
        apply_body(&mut marks, titled("Plan", false));
        assert_eq!(marks.title(), "Plan");
        apply_body(&mut marks, titled("Mine\u{1b}[2J", true));
        apply_body(&mut marks, titled("Another plan", false));
        assert_eq!(marks.title(), "Mine [2J");
        apply_body(&mut marks, titled("", true));
        assert_eq!(marks.title(), "Another plan");
    }
}
