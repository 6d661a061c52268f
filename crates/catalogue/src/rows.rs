//! What is known of a model as data that can be written and read: the shape of a catalogue that the user brings in, and that
//! the built-in one is shown in. Whoever reads one checks it whole with [`CatalogueFile::flaw`] before anything is done with it.

use crate::compat::{Overrides, Thinking, Wire};
use crate::effort::Effort;
use crate::rules::is_at;
use reasonix_proto::Price;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The form of the file that this build writes and reads.
pub const CATALOGUE_VERSION: u32 = 1;
/// The most models of a file.
const MOST_MODELS: usize = 2000;
/// The most other names of a model, places it is served at, and addresses of a place.
const MOST_PARTS: usize = 32;
/// The longest name, in bytes.
const LONGEST_NAME: usize = 128;
/// The most tokens of a window or an answer.
const MOST_TOKENS: u64 = 100_000_000;
/// The highest price of a million tokens, in any currency.
const HIGHEST_PRICE: f64 = 1_000_000.0;

/// A catalogue: what was known of models at one day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CatalogueFile {
    /// [`CATALOGUE_VERSION`] of whoever wrote it.
    pub catalogue: u32,
    /// The day, as `2026-11-19`.
    pub dated: String,
    /// The models.
    pub models: Vec<ModelRow>,
}

/// One model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelRow {
    /// Its official name.
    pub id: String,
    /// Other names under which endpoints offer the same model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// Tokens it can see.
    pub window: u64,
    /// The most tokens of an answer.
    pub output: u64,
    /// What a million tokens cost; none where it depends on who serves it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// The efforts it knows; empty where it cannot be told.
    #[serde(default)]
    pub efforts: Vec<Effort>,
    /// True when it can look at pictures.
    #[serde(default)]
    pub vision: bool,
    /// How those who serve it want to be asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub served: Vec<Served>,
}

/// How a model wants to be asked at some places.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Served {
    /// The protocol, as a provider's `kind`.
    pub wire: String,
    /// Domains and names of presets; empty for every place where this protocol is spoken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<String>,
    /// How an effort is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<Thinking>,
    /// PDF documents can be sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents: Option<bool>,
}

/// What is wrong with a catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CatalogueFlaw {
    /// A newer build wrote it.
    Newer(u32),
    /// A value that no catalogue has: where it stands, and what it is.
    Value(String),
}

impl CatalogueFile {
    /// The first thing that is wrong with it.
    pub fn flaw(&self) -> Option<CatalogueFlaw> {
        if self.catalogue != CATALOGUE_VERSION {
            return Some(CatalogueFlaw::Newer(self.catalogue));
        }
        let value = |text: String| Some(CatalogueFlaw::Value(text));
        if !is_day(&self.dated) {
            return value(format!("dated: {:?}", self.dated));
        }
        if self.models.is_empty() || self.models.len() > MOST_MODELS {
            return value(format!("models: {} (1 to {MOST_MODELS})", self.models.len()));
        }
        let mut names = HashSet::new();
        for (at, row) in self.models.iter().enumerate() {
            if let Some(what) = row.flaw() {
                return value(format!("models[{at}].{what}"));
            }
            for name in std::iter::once(&row.id).chain(&row.also) {
                if !names.insert(name.to_ascii_lowercase()) {
                    return value(format!("models[{at}]: {name} ×2"));
                }
            }
        }
        None
    }
}

impl ModelRow {
    fn flaw(&self) -> Option<String> {
        if let Some(name) = std::iter::once(&self.id).chain(&self.also).find(|name| !is_name(name)) {
            return Some(format!("id: {name:?}"));
        }
        let tokens = 1..=MOST_TOKENS;
        if !tokens.contains(&self.window) || !tokens.contains(&self.output) {
            return Some(format!("window, output: {}, {} (1 to {MOST_TOKENS})", self.window, self.output));
        }
        if let Some(what) = self.price.as_ref().and_then(price_flaw) {
            return Some(format!("price: {what}"));
        }
        if !self.efforts.is_sorted_by(|one, next| one < next) {
            return Some(format!("efforts: {:?}", self.efforts.iter().map(|effort| effort.name()).collect::<Vec<_>>()));
        }
        if self.also.len() > MOST_PARTS || self.served.len() > MOST_PARTS {
            return Some(format!("also, served: {}, {} (0 to {MOST_PARTS})", self.also.len(), self.served.len()));
        }
        self.served.iter().find_map(Served::flaw).map(|what| format!("served.{what}"))
    }

    /// How it wants to be asked at a place.
    pub(crate) fn said(&self, wire: Wire, host: &str, preset: Option<&str>) -> Overrides {
        let mut said = Overrides::default();
        let here = |served: &&Served| {
            let there = served.at.is_empty() || served.at.iter().any(|at| is_at(at, host, preset));
            there && Wire::parse(&served.wire) == Some(wire)
        };
        for served in self.served.iter().filter(here) {
            let more = Overrides { thinking: served.thinking, documents: served.documents, ..Overrides::default() };
            said.set(&more);
        }
        said
    }
}

impl Served {
    fn flaw(&self) -> Option<String> {
        let Some(wire) = Wire::parse(&self.wire) else { return Some(format!("wire: {:?}", self.wire)) };
        if let Some(at) = self.at.iter().find(|at| !is_name(at)) {
            return Some(format!("at: {at:?}"));
        }
        if self.at.len() > MOST_PARTS {
            return Some(format!("at: {} (0 to {MOST_PARTS})", self.at.len()));
        }
        let anthropic = matches!(self.thinking, Some(Thinking::Anthropic | Thinking::Adaptive));
        let fits = matches!(self.thinking, None | Some(Thinking::None)) || anthropic == (wire == Wire::Anthropic);
        (!fits).then(|| format!("thinking: {:?} ({})", self.thinking, self.wire))
    }
}

fn price_flaw(price: &Price) -> Option<String> {
    let numbers = [Some(price.input), Some(price.cached), Some(price.output), price.write];
    if let Some(number) = numbers.into_iter().flatten().find(|number| !(0.0..=HIGHEST_PRICE).contains(number)) {
        return Some(number.to_string());
    }
    let word = (1..=8).contains(&price.currency.len()) && price.currency.bytes().all(|b| b.is_ascii_alphabetic());
    (!word).then(|| format!("{:?}", price.currency))
}

/// Whether this is one word of a length that names have.
fn is_name(name: &str) -> bool {
    let blank = |c: char| c.is_whitespace() || c.is_control();
    (1..=LONGEST_NAME).contains(&name.len()) && !name.contains(blank)
}

/// Whether this is a day, as `2026-11-19`.
fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let number = |part: &str, digits: usize, within: std::ops::RangeInclusive<u32>| {
        part.len() == digits
            && part.bytes().all(|b| b.is_ascii_digit())
            && part.parse().is_ok_and(|n| within.contains(&n))
    };
    matches!(parts[..], [year, month, day] if number(year, 4, 2000..=2999) && number(month, 2, 1..=12) && number(day, 2, 1..=31))
}
