//! In which format a session edits: what the settings say, what trials of its model showed, or what it began with. Decided
//! once, before the first request; the tools and the system prompt in a session's first record are what was decided.

use crate::error::EngineError;
use crate::spec::Start;
use crate::world::format_of;
use reasonix_agent::ToolSpec;
use reasonix_config::Settings;
use reasonix_proto::{EditFormat, EditsWith, Phrase, SessionHead};
use reasonix_session::{Trial, Trials};
use std::collections::BTreeMap;
use std::path::Path;

/// Trials of a format that say nothing yet.
const LEAST: u64 = 20;
/// How sure a difference has to be: 1.96 standard deviations, which chance exceeds once in twenty times.
const SURE: f64 = 1.96;

/// How often a format was right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Score {
    /// Trials that were right.
    pub right: u64,
    /// Trials in all.
    pub of: u64,
}

impl Score {
    /// Counts a trial.
    pub fn count(&mut self, right: bool) {
        self.of += 1;
        self.right += u64::from(right);
    }

    /// The share that was right.
    pub fn rate(self) -> f64 {
        if self.of == 0 { 0.0 } else { self.right as f64 / self.of as f64 }
    }

    /// Where the true share lies, as far as so many trials can tell (Wilson's interval).
    fn range(self) -> (f64, f64) {
        if self.of == 0 {
            return (0.0, 1.0);
        }
        let (of, rate, z2) = (self.of as f64, self.rate(), SURE * SURE);
        let middle = (rate + z2 / (2.0 * of)) / (1.0 + z2 / of);
        let half = SURE / (1.0 + z2 / of) * (rate * (1.0 - rate) / of + z2 / (4.0 * of * of)).sqrt();
        (middle - half, middle + half)
    }
}

/// The scores of a model by format.
pub type Scores = BTreeMap<EditFormat, Score>;

/// Adds trials up.
pub fn scores<'a>(trials: impl Iterator<Item = &'a Trial>) -> Scores {
    let mut scores = Scores::new();
    trials.for_each(|trial| scores.entry(trial.key.format).or_default().count(trial.why.is_none()));
    scores
}

/// What a session edits with, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Editing {
    /// The format; none where every edit tool is offered and the model chooses.
    pub format: Option<EditFormat>,
    /// Why it is this one.
    pub why: Phrase,
}

/// What scores come to. A format that is not surely worse than the best counts as good as it. Where all that is offered
/// anyway is equally good, or too little was tried, nothing is decided; otherwise the first of the best is taken.
pub fn decide(model: &str, scores: &Scores) -> Editing {
    let undecided = |why| Editing { format: None, why };
    let tried: Vec<(EditFormat, Score)> =
        scores.iter().filter(|(_, score)| score.of >= LEAST).map(|(format, score)| (*format, *score)).collect();
    let best = tried.iter().max_by(|(_, a), (_, b)| a.rate().total_cmp(&b.rate()));
    let Some((_, best)) = best.filter(|_| tried.len() > 1) else {
        let most = scores.values().map(|score| score.of).max().unwrap_or(0);
        let code = if most == 0 { "bench.auto_untried" } else { "bench.auto_few" };
        let phrase = Phrase { code: code.into(), args: Vec::new() };
        return undecided(phrase.with("model", model).with("most", most).with("least", LEAST));
    };
    let good = |score: &Score| score.range().1 >= best.range().0;
    let offered = tried.iter().filter(|(format, _)| *format != EditFormat::Blocks);
    if offered.clone().count() > 0 && offered.clone().all(|(_, score)| good(score)) {
        return undecided(Phrase::new("bench.auto_equal").with("model", model));
    }
    let Some((format, score)) = EditFormat::ALL
        .into_iter()
        .find_map(|wanted| tried.iter().find(|(format, score)| *format == wanted && good(score)).copied())
    else {
        return undecided(Phrase::new("bench.auto_equal").with("model", model));
    };
    let worst = tried.iter().min_by(|(_, a), (_, b)| a.rate().total_cmp(&b.rate()));
    let why = Phrase::new("bench.auto_chosen").with("model", model).with("format", format);
    let why = why.with("right", score.right).with("of", score.of);
    let (other, low) = worst.copied().unwrap_or((format, score));
    let why = why.with("other", other).with("other_right", low.right).with("other_of", low.of);
    Editing { format: Some(format), why }
}

/// What a new session with this model edits with. Reads the ledger only where the settings leave it open.
pub fn editing(settings: &Settings, home: &Path, model: &str) -> Editing {
    if !settings.tools.enabled.is_empty() && settings.tools.edit != EditFormat::Blocks.name() {
        return Editing { format: None, why: Phrase::new("bench.tools_chosen") };
    }
    if let Some(format) = EditFormat::parse(&settings.tools.edit) {
        return Editing { format: Some(format), why: Phrase::new("bench.format_set").with("format", format) };
    }
    match Trials::at(&home.join("state")).read() {
        Ok(tried) => decide(model, &scores(tried.of_model(model))),
        Err(error) => Editing { format: None, why: Phrase::new("bench.unreadable").with("reason", error) },
    }
}

/// The start with what a new session of it edits with in place of `auto`, and what was said before.
pub fn settled(mut start: Start) -> Result<(Start, String), EngineError> {
    let settings = &start.world.settings;
    let said = settings.tools.edit.clone();
    let found = match &start.model {
        Some(reference) => settings.resolve_model(reference)?,
        None => settings.default_model()?,
    };
    if let Some(format) = editing(settings, &start.world.home, &found.name()).format {
        start.world.settings.tools.edit = format.name().to_owned();
    }
    Ok((start, said))
}

/// The start of a session that goes on: it edits as it began, whatever trials have shown since. What the user set by name
/// holds as far as it does not change what was sent.
pub fn as_begun(mut start: Start, said: &str, head: &SessionHead) -> Start {
    let begun = begun_with(head).map(EditFormat::name);
    start.world.settings.tools.edit = match begun {
        _ if said == EditFormat::Blocks.name() => said.to_owned(),
        Some(format) => format.to_owned(),
        None => "auto".to_owned(),
    };
    start
}

/// The format that a session began with; none where it was offered several.
pub fn begun_with(head: &SessionHead) -> Option<EditFormat> {
    match head.edit {
        EditsWith::One(format) => Some(format),
        EditsWith::Several => None,
        EditsWith::Unsaid => told_by_prompt(head),
    }
}

/// What the head of a new session says: the format that is in use, or that of the only tool it is offered.
pub fn edits_with(settings: &Settings, tools: &[ToolSpec]) -> EditsWith {
    let offered = |format: EditFormat| tools.iter().any(|spec| spec.name == format.name());
    format_of(settings).or_else(|| only_format(offered)).map_or(EditsWith::Several, EditsWith::One)
}

/// How the prompt spoke of blocks when heads did not say what they edit with. It stays as it was, whatever is said of blocks
/// today: what stands in those logs does not change.
const BLOCKS_THEN: &str = "# Edits in the text\nYou can edit files by writing blocks into your answer. Name the file in the line \
                           above; SEARCH must be the file's text, exactly; an empty SEARCH makes a new file:";

/// The format of a session whose head does not say it: what its prompt and the names of its tools tell of it.
fn told_by_prompt(head: &SessionHead) -> Option<EditFormat> {
    if head.system.contains(BLOCKS_THEN) {
        return Some(EditFormat::Blocks);
    }
    only_format(|format| head.tools.iter().any(|name| name == format.name()))
}

/// The format of the only tool among those offered that changes a part of a file; whole files where none does.
pub fn only_format(offered: impl Fn(EditFormat) -> bool) -> Option<EditFormat> {
    let parts = EditFormat::ALL.into_iter().filter(|format| EditFormat::of_tool(format.name()).is_some());
    let mut parts = parts.filter(|format| offered(*format));
    match (parts.next(), parts.next()) {
        (Some(only), None) => Some(only),
        (None, _) if offered(EditFormat::WriteFile) => Some(EditFormat::WriteFile),
        _ => None,
    }
}

/// Whether the tool of an edit format is offered by itself: another one is not where one is in use. Whole files are always
/// written.
pub fn offers(settings: &Settings, format: EditFormat) -> bool {
    let wanted = format_of(settings).filter(|_| format != EditFormat::WriteFile);
    wanted.is_none_or(|wanted| wanted == format || wanted == EditFormat::Blocks)
}

#[cfg(test)]
#[path = "editing/tests.rs"]
mod tests;
