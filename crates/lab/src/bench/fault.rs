//! Faults that are put into a function, each with the words that say how to undo it exactly.

use super::dice::Dice;

/// A function of a file, by lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) shape: usize,
    pub(super) lines: Vec<String>,
}

/// What is wrong with a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Another operator.
    Operator,
    /// A line is gone.
    Missing,
    /// A variable has another name, in several places.
    Renamed,
    /// The arguments of a call changed places.
    Swapped,
    /// A line stands twice.
    Doubled,
    /// Another number.
    Number,
}

/// A function with its fault.
pub(super) struct Fault {
    pub(super) wrong: Function,
    /// What has to be done.
    pub(super) task: String,
    /// What another function of the same shape may rightly have, so that the wrong text is there twice.
    pub(super) alike: Alike,
}

/// How another function can be like the wrong one.
pub(super) enum Alike {
    Line(usize, String),
    Name(&'static str, &'static str),
    Anyway,
}

const OPERATORS: &[(&str, &str)] = &[(" > ", " >= "), (" < ", " <= "), (" + ", " - "), (" += ", " -= ")];
const VARIABLES: &[&str] = &["total", "count", "scaled", "result", "distance", "offset"];
const OTHERS: &[&str] = &["amount", "tally", "figure", "outcome"];

impl Kind {
    /// The shapes in which there is something to do.
    pub(super) fn shapes(self) -> &'static [usize] {
        match self {
            Self::Operator => &[0, 1, 2, 3],
            Self::Missing | Self::Renamed | Self::Doubled => &[0, 2, 3],
            Self::Swapped | Self::Number => &[2, 3],
        }
    }

    /// Puts a fault of this kind into a function; none where there is no place for it.
    pub(super) fn put(self, right: &Function, dice: &mut Dice) -> Option<Fault> {
        match self {
            Self::Operator => line_fault(right, dice, |line| {
                OPERATORS
                    .iter()
                    .filter(|(own, _)| line.contains(own))
                    .map(|(own, other)| line.replacen(own, other, 1))
                    .collect()
            }),
            Self::Swapped => line_fault(right, dice, |line| swapped(line).into_iter().collect()),
            Self::Number => line_fault(right, dice, |line| other_number(line).into_iter().collect()),
            Self::Missing => missing(right, dice),
            Self::Doubled => doubled(right, dice),
            Self::Renamed => renamed(right, dice),
        }
    }
}

/// One line is another one.
fn line_fault(right: &Function, dice: &mut Dice, wrongs: impl Fn(&str) -> Vec<String>) -> Option<Fault> {
    let places = body(right).flat_map(|(place, line)| wrongs(line).into_iter().map(move |wrong| (place, wrong)));
    let (place, wrong_line) = dice.pick(&places.collect::<Vec<_>>())?.clone();
    let own = right.lines.get(place)?.trim();
    let task = format!("In `{}` the line `{}` must be `{own}`.", right.name, wrong_line.trim());
    let mut wrong = right.clone();
    wrong.lines.get_mut(place)?.clone_from(&wrong_line);
    Some(Fault { wrong, task, alike: Alike::Line(place, wrong_line) })
}

fn missing(right: &Function, dice: &mut Dice) -> Option<Fault> {
    let (place, line) = *dice.pick(&statements(right))?;
    let (before, after) = (right.lines.get(place.checked_sub(1)?)?.trim(), right.lines.get(place + 1)?.trim());
    let task = format!(
        "In `{}` the line `{}` is missing between the lines `{before}` and `{after}`. Put it back, {}.",
        right.name,
        line.trim(),
        indentation(line)
    );
    let mut wrong = right.clone();
    wrong.lines.remove(place);
    Some(Fault { wrong, task, alike: Alike::Anyway })
}

fn doubled(right: &Function, dice: &mut Dice) -> Option<Fault> {
    let (place, line) = *dice.pick(&statements(right))?;
    let task = format!("In `{}` the line `{}` stands twice in a row. Remove one of the two.", right.name, line.trim());
    let mut wrong = right.clone();
    wrong.lines.insert(place, line.to_owned());
    Some(Fault { wrong, task, alike: Alike::Anyway })
}

fn renamed(right: &Function, dice: &mut Dice) -> Option<Fault> {
    let uses =
        |name: &str| right.lines.iter().map(|line| words(line).filter(|word| *word == name).count()).sum::<usize>();
    let names: Vec<&'static str> = VARIABLES.iter().copied().filter(|name| uses(name) > 1).collect();
    let (own, other) = (*dice.pick(&names)?, *dice.pick(OTHERS)?);
    let task = format!(
        "In `{}` the variable `{other}` must be called `{own}`, in all {} places of that function.",
        right.name,
        uses(own)
    );
    let mut wrong = right.clone();
    wrong.rename(own, other);
    Some(Fault { wrong, task, alike: Alike::Name(own, other) })
}

impl Function {
    /// Gives a variable another name.
    pub(super) fn rename(&mut self, from: &str, to: &str) {
        for line in self.lines.iter_mut().skip(1) {
            *line = replaced_word(line, from, to);
        }
    }
}

/// The lines of a function that do something: comments, braces and the first line are none.
fn body(function: &Function) -> impl Iterator<Item = (usize, &str)> {
    let lines = function.lines.iter().map(String::as_str).enumerate();
    lines.filter(|(_, line)| {
        let text = line.trim();
        let says = !text.starts_with(['#', '/', '"']) && text != "}";
        line.starts_with([' ', '\t']) && says
    })
}

/// The lines that give something a value.
fn statements(function: &Function) -> Vec<(usize, &str)> {
    let gives = |text: &str| [" = ", " := ", " += "].iter().any(|sign| text.contains(sign));
    body(function).filter(|(_, line)| gives(line) && !line.trim().starts_with("for")).collect()
}

/// The line with the arguments of `scale(a, b)` in the other order.
fn swapped(line: &str) -> Option<String> {
    let (before, rest) = line.split_once("scale(")?;
    let (inside, after) = rest.split_once(')')?;
    let (first, second) = inside.split_once(", ")?;
    Some(format!("{before}scale({second}, {first}){after}"))
}

/// The line with another number of two digits.
fn other_number(line: &str) -> Option<String> {
    let start = line.find(|c: char| ('1'..='9').contains(&c))?;
    let number: u32 = line.get(start..start + 2)?.parse().ok()?;
    Some(format!("{}{}{}", line.get(..start)?, number + 1, line.get(start + 2..)?))
}

fn indentation(line: &str) -> String {
    let front = line.get(..line.len() - line.trim_start().len()).unwrap_or_default();
    match front.len() {
        1 if front == "\t" => "indented by one tab".to_owned(),
        count if front.starts_with('\t') => format!("indented by {count} tabs"),
        count => format!("indented by {count} spaces"),
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !is_word(c)).filter(|word| !word.is_empty())
}

fn replaced_word(line: &str, from: &str, to: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(from) {
        let (before, behind) = (rest.get(..at).unwrap_or_default(), rest.get(at + from.len()..).unwrap_or_default());
        let whole = !before.ends_with(is_word) && !behind.starts_with(is_word);
        out.push_str(before);
        out.push_str(if whole { to } else { from });
        rest = behind;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::{other_number, replaced_word, swapped};

    #[test]
    fn small_changes() {
        assert_eq!(swapped("  let x = scale(a, 12); // y").unwrap(), "  let x = scale(12, a); // y");
        assert_eq!(swapped("  let x = 3;"), None);
        assert_eq!(other_number("  offset = 41"), Some("  offset = 42".to_owned()));
        assert_eq!(other_number("  total = 0"), None);
        assert_eq!(replaced_word("total + totals(total)", "total", "sum"), "sum + totals(sum)");
    }
}
