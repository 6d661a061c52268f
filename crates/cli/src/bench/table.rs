//! What was measured: a table of formats and languages, why what was wrong was wrong, and what follows from it.

use crate::say::{self, Colour, Style};
use reasonix_engine::{Score, decide, scores};
use reasonix_lab::bench::{Bench, End, LANGUAGES};
use reasonix_proto::{EditFormat, Phrase};
use reasonix_session::{Trial, Tried, Why};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use unicode_width::UnicodeWidthStr;

/// How wide a column of figures is.
const WIDE: usize = 13;

/// Prints everything that is known of a model.
pub(crate) fn print(model: &str, tried: &Tried) -> anyhow::Result<()> {
    let style = Style::get();
    let trials: Vec<&Trial> = tried.of_model(model).collect();
    let editing = decide(model, &scores(trials.iter().copied()));
    if trials.is_empty() {
        return Ok(say::line(&style.text(&editing.why))?);
    }
    say::line(&style.text(&Phrase::new("bench.table").with("model", model)))?;
    let formats: Vec<EditFormat> =
        EditFormat::ALL.into_iter().filter(|format| trials.iter().any(|trial| trial.key.format == *format)).collect();
    let labels = [Phrase::new("bench.all"), Phrase::new("bench.output"), Phrase::new("bench.time")];
    let labels = labels.map(|label| style.text(&label));
    let languages: Vec<&str> = LANGUAGES.iter().map(|language| language.name).collect();
    let first = languages.iter().copied().chain(labels.iter().map(String::as_str)).map(UnicodeWidthStr::width).max();
    let row = |name: &str, cells: Vec<String>| {
        let pad = " ".repeat(first.unwrap_or(0).saturating_sub(name.width()));
        let cells: String = cells.iter().map(|cell| format!("{cell:>WIDE$}")).collect();
        format!("{name}{pad}{cells}")
    };
    let head = row("", formats.iter().map(|format| format.name().to_owned()).collect());
    say::line(&style.out(Colour::Bold, &head))?;
    for language in languages.iter().filter(|name| trials.iter().any(|trial| trial.language == **name)) {
        let cell = |format: &EditFormat| score(of(&trials, *format).filter(|trial| trial.language == **language));
        say::line(&row(language, formats.iter().map(cell).collect()))?;
    }
    let [all, output, time] = &labels;
    say::line(&row(all, formats.iter().map(|format| score(of(&trials, *format))).collect()))?;
    let mean = |format: &EditFormat, what: fn(&Trial) -> u64| {
        let sum: u64 = of(&trials, *format).map(what).sum();
        sum as f64 / of(&trials, *format).count().max(1) as f64
    };
    let tokens = formats.iter().map(|format| format!("{:.0}", mean(format, |trial| trial.output)));
    say::line(&row(output, tokens.collect()))?;
    let seconds = formats.iter().map(|format| format!("{:.1}", mean(format, |trial| trial.ms) / 1000.0));
    say::line(&row(time, seconds.collect()))?;
    for format in formats {
        if let Some(line) = reasons(&trials, format, style) {
            say::line(&line)?;
        }
    }
    Ok(say::line(&style.text(&editing.why))?)
}

fn of<'a>(trials: &'a [&'a Trial], format: EditFormat) -> impl Iterator<Item = &'a Trial> {
    trials.iter().copied().filter(move |trial| trial.key.format == format)
}

/// How many were right, and which share that is.
fn score<'a>(trials: impl Iterator<Item = &'a Trial>) -> String {
    let mut score = Score::default();
    trials.for_each(|trial| score.count(trial.why.is_none()));
    match score.of {
        0 => "–".to_owned(),
        of => format!("{}/{of} {:>3.0}%", score.right, score.rate() * 100.0),
    }
}

/// Why trials of a format were wrong; none when none was.
fn reasons(trials: &[&Trial], format: EditFormat, style: Style) -> Option<String> {
    let counts = counted(of(trials, format));
    let named: Vec<String> =
        counts.iter().map(|(why, count)| format!("{} {count}", style.text(&phrase_of(*why)))).collect();
    let phrase = Phrase::new("bench.wrong").with("format", format).with("why", named.join(", "));
    (!named.is_empty()).then(|| style.text(&phrase))
}

fn counted<'a>(trials: impl Iterator<Item = &'a Trial>) -> BTreeMap<Why, u64> {
    let mut counts = BTreeMap::new();
    trials.filter_map(|trial| trial.why).for_each(|why| *counts.entry(why).or_insert(0) += 1);
    counts
}

fn phrase_of(why: Why) -> Phrase {
    match why {
        Why::NoCall => Phrase::new("bench.no_call"),
        Why::NotParsed => Phrase::new("bench.not_parsed"),
        Why::OtherFile => Phrase::new("bench.other_file"),
        Why::NoMatch => Phrase::new("bench.no_match"),
        Why::WrongResult => Phrase::new("bench.wrong_result"),
        Why::TimedOut => Phrase::new("bench.timed_out"),
        Why::Error => Phrase::new("bench.error"),
        Why::Unknown => Phrase::new("bench.unknown_why"),
    }
}

/// The same as JSON.
pub(crate) fn document(bench: &Bench, tried: &Tried, seed: u64, end: &End) -> Value {
    let model = bench.model();
    let trials: Vec<&Trial> = tried.of_model(model).collect();
    let editing = decide(model, &scores(trials.iter().copied()));
    let mut rows = Vec::new();
    for format in EditFormat::ALL {
        for language in LANGUAGES {
            let own: Vec<&Trial> = of(&trials, format).filter(|trial| trial.language == language.name).collect();
            if own.is_empty() {
                continue;
            }
            let why: BTreeMap<&str, u64> =
                counted(own.iter().copied()).into_iter().map(|(why, count)| (why.name(), count)).collect();
            let sum = |what: fn(&Trial) -> u64| own.iter().map(|trial| what(trial)).sum::<u64>();
            rows.push(json!({
                "format": format, "language": language.name, "of": own.len(),
                "right": own.iter().filter(|trial| trial.why.is_none()).count(), "wrong": why,
                "input_tokens": sum(|trial| trial.input), "output_tokens": sum(|trial| trial.output),
                "ms": sum(|trial| trial.ms),
            }));
        }
    }
    let spent = bench.spent();
    let word = match end {
        End::Done => "done",
        End::Stopped => "stopped",
        End::OutOfBudget(_) => "budget",
        End::Failed(_) => "failed",
    };
    json!({
        "v": 1, "model": model, "seed": seed, "end": word, "left": bench.left(tried).len(), "damaged": tried.damaged,
        "rows": rows, "spent": { "tokens": spent.tokens, "seconds": spent.seconds, "costs": spent.costs },
        "auto": { "format": editing.format, "why": Style::get().text(&editing.why) },
    })
}
