//! Cases: a small file with a fault in it, the words that say what to put right, and the file as it has to be. Made from a
//! seed alone; nothing of the user's is in them.

use super::dice::Dice;
use super::fault::{Alike, Fault, Function, Kind};
use super::language::{CaseLanguage, SET};

const NOUNS: &[&str] =
    &["order", "parcel", "meter", "ticket", "bundle", "track", "sample", "signal", "margin", "voucher"];
/// What functions of each shape are called.
const VERBS: [&str; 4] = ["sum", "bound", "mix", "count"];
/// Which faults a case has; a case with two is one of two places.
const PLANS: &[&[Kind]] = &[
    &[Kind::Operator],
    &[Kind::Missing],
    &[Kind::Renamed],
    &[Kind::Swapped],
    &[Kind::Doubled],
    &[Kind::Operator, Kind::Number],
    &[Kind::Number],
];

/// One case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditCase {
    /// Its name, such as `rust-2`.
    pub id: String,
    /// Its language.
    pub language: &'static CaseLanguage,
    /// The file, below the folder.
    pub path: String,
    /// The file as the model finds it.
    pub before: String,
    /// The file as it has to become.
    pub answer: String,
    /// What has to be done, in words.
    pub task: String,
}

/// The case of this number. The same seed gives the same case for ever.
pub fn case(language: &'static CaseLanguage, seed: u64, number: usize) -> EditCase {
    let mut dice = Dice::of(&format!("reasonix edit cases {SET}/{seed}/{}/{number}", language.name));
    // Languages begin at other places, so that few cases of each still have faults of every kind.
    let place = number + super::LANGUAGES.iter().position(|other| other == language).unwrap_or(0) * 3;
    let plan = PLANS.get(place % PLANS.len()).copied().unwrap_or_default();
    let nouns = dice.shuffled(NOUNS.to_vec());
    let noun = nouns.first().copied().unwrap_or("order");
    let mut right = functions(language, plan, &nouns, &mut dice);
    let (mut wrong, mut tasks) = (right.clone(), Vec::new());
    for kind in plan {
        let Some((index, fault)) = spoilt(&right, &wrong, *kind, &mut dice) else { continue };
        let mut task = fault.task.clone();
        if dice.below(2) == 0 && twin(&right, index).is_some_and(|twin| liken(&mut right, &mut wrong, twin, &fault)) {
            task.push_str(" Another function has the same text: leave it as it is.");
        }
        if let Some(place) = wrong.get_mut(index) {
            *place = fault.wrong;
        }
        tasks.push(task);
    }
    EditCase {
        id: format!("{}-{number}", language.name),
        language,
        path: format!("src/{noun}.{}", language.ending),
        before: file(language, noun, &wrong),
        answer: file(language, noun, &right),
        task: tasks.join("\n"),
    }
}

/// Four functions, two of them of the same shape, in which the first fault finds its place.
fn functions(language: &CaseLanguage, plan: &[Kind], nouns: &[&str], dice: &mut Dice) -> Vec<Function> {
    let shared = plan.first().and_then(|kind| dice.pick(kind.shapes())).copied().unwrap_or(0);
    // The second fault finds its place in the third shape.
    let others: Vec<usize> = (0..VERBS.len()).filter(|shape| *shape != shared && *shape != 2).collect();
    let other = dice.pick(&others).copied().unwrap_or(1);
    let last = if shared == 2 { dice.pick(&others).copied().unwrap_or(3) } else { 2 };
    let shapes = dice.shuffled(vec![shared, shared, other, last]);
    let made = shapes.into_iter().zip(nouns.iter().skip(1)).filter_map(|(shape, noun)| {
        let name = named(language, VERBS.get(shape)?, noun);
        let number = (11 + dice.below(80)).to_string();
        let text = language.shapes.get(shape)?.replace("{f}", &name).replace("{n}", &number);
        Some(Function { name, shape, lines: text.lines().map(str::to_owned).collect() })
    });
    made.collect()
}

fn named(language: &CaseLanguage, verb: &str, noun: &str) -> String {
    let mut letters = noun.chars();
    match letters.next() {
        Some(first) if language.camel => format!("{verb}{}{}s", first.to_uppercase(), letters.as_str()),
        _ => format!("{verb}_{noun}s"),
    }
}

/// A function that is still right, with a fault in it.
fn spoilt(right: &[Function], wrong: &[Function], kind: Kind, dice: &mut Dice) -> Option<(usize, Fault)> {
    let whole: Vec<usize> = (0..right.len()).filter(|index| right.get(*index) == wrong.get(*index)).collect();
    let alone = |index: &&usize| twin(right, **index).is_none();
    let (single, paired): (Vec<usize>, Vec<usize>) = whole.iter().partition(|index| alone(index));
    let order = dice.shuffled(paired).into_iter().chain(dice.shuffled(single));
    order.filter_map(|index| Some((index, kind.put(right.get(index)?, dice)?))).next()
}

/// Another function of the same shape.
fn twin(functions: &[Function], index: usize) -> Option<usize> {
    let shape = functions.get(index)?.shape;
    functions
        .iter()
        .enumerate()
        .find(|(other, function)| *other != index && function.shape == shape)
        .map(|(other, _)| other)
}

/// Gives the twin, rightly, what is wrong in the other one. False where there is nothing to give, or it has a fault of its own.
fn liken(right: &mut [Function], wrong: &mut [Function], twin: usize, fault: &Fault) -> bool {
    let (Some(own), Some(spoilt)) = (right.get_mut(twin), wrong.get_mut(twin)) else { return false };
    if own != spoilt {
        return false;
    }
    match &fault.alike {
        Alike::Line(place, line) => match own.lines.get_mut(*place) {
            Some(there) => there.clone_from(line),
            None => return false,
        },
        Alike::Name(from, to) => own.rename(from, to),
        // What stands around the place is the same in both anyway.
        Alike::Anyway => return false,
    }
    spoilt.clone_from(own);
    true
}

fn file(language: &CaseLanguage, noun: &str, functions: &[Function]) -> String {
    let mut text = language.head.replace("{w}", noun);
    for function in functions {
        text.push_str(&"\n".repeat(language.between));
        for line in &function.lines {
            text.push_str(line);
            text.push('\n');
        }
    }
    if language.crlf { text.replace('\n', "\r\n") } else { text }
}

#[cfg(test)]
#[path = "cases/tests.rs"]
mod tests;
