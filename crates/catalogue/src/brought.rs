//! Everything that is known of models: what the user brought in, in front of the built-in rows. The newer of the two goes first,
//! so that an old file does not stand in the way of a new version.

use crate::canonical::official;
use crate::compat::{Overrides, Wire};
use crate::makers::served;
use crate::models::{BUILT_IN_DATE, Known, MODELS, canonical, known};
use crate::rows::{CATALOGUE_VERSION, CatalogueFile, ModelRow};
use std::sync::Arc;

/// What is known of models.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Catalogue {
    brought: Option<Arc<CatalogueFile>>,
}

impl Catalogue {
    /// With a file that the user brought in and that has no flaw; one that is older than this build is not used.
    pub fn with(brought: CatalogueFile) -> Self {
        let newer = brought.dated.as_str() >= BUILT_IN_DATE;
        Self { brought: newer.then(|| Arc::new(brought)) }
    }

    /// The file that is used, if one is.
    pub fn brought(&self) -> Option<&CatalogueFile> {
        self.brought.as_deref()
    }

    /// What is known of a model under any of its names. How it is served stands in [`Catalogue::said`].
    pub fn known(&self, model: &str) -> Option<ModelRow> {
        self.row(model).cloned().or_else(|| known(model).map(row_of))
    }

    /// The official name of a model, where it is sure.
    pub fn canonical(&self, model: &str) -> Option<&str> {
        self.row(model).map(|row| row.id.as_str()).or_else(|| canonical(model))
    }

    /// What the file says of how a model wants to be asked at a place, over what is built in.
    pub fn said(&self, wire: Wire, host: &str, preset: Option<&str>, model: &str) -> Overrides {
        self.row(model).map(|row| row.said(wire, &host.to_ascii_lowercase(), preset)).unwrap_or_default()
    }

    /// All of it, as a file.
    pub fn whole(&self) -> CatalogueFile {
        let mut models = self.brought().map(|file| file.models.clone()).unwrap_or_default();
        let built_in = MODELS.iter().filter(|known| {
            let mut names = std::iter::once(&known.id).chain(known.also);
            !names.any(|name| self.row(name).is_some())
        });
        models.extend(built_in.map(|known| ModelRow { served: served(known.id), ..row_of(known) }));
        let dated = self.brought().map_or(BUILT_IN_DATE, |file| &file.dated).to_owned();
        CatalogueFile { catalogue: CATALOGUE_VERSION, dated, models }
    }

    fn row(&self, model: &str) -> Option<&ModelRow> {
        let rows = &self.brought()?.models;
        official(model, |name| {
            let named = |other: &String| other.eq_ignore_ascii_case(name);
            rows.iter().find(|row| named(&row.id) || row.also.iter().any(named))
        })
    }
}

fn row_of(known: &Known) -> ModelRow {
    ModelRow {
        id: known.id.to_owned(),
        also: known.also.iter().map(|name| (*name).to_owned()).collect(),
        window: known.window,
        output: known.output,
        price: known.price(),
        efforts: known.efforts.to_vec(),
        vision: known.vision,
        served: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::Catalogue;
    use crate::compat::{Overrides, Thinking, Wire};
    use crate::models::BUILT_IN_DATE;
    use crate::rows::{CatalogueFile, CatalogueFlaw};
    use serde_json::{Value, json};

    fn file(dated: &str, model: Value) -> CatalogueFile {
        serde_json::from_value(json!({"catalogue": 1, "dated": dated, "models": [model]})).unwrap()
    }

    fn row() -> Value {
        json!({
            "id": "kimi-k4", "also": ["k4"], "window": 2_000_000, "output": 100_000, "vision": true, "efforts": ["low", "max"],
            "price": {"input": 1.0, "cached": 0.1, "output": 4.0, "currency": "USD"},
            "served": [{"wire": "openai", "at": ["moonshot.ai", "kimi"], "thinking": "openai", "documents": true}],
        })
    }

    #[test]
    fn the_built_in_rows_are_a_file_that_can_be_brought_in_and_means_the_same() {
        let whole = Catalogue::default().whole();
        assert_eq!((whole.flaw(), whole.dated.as_str()), (None, BUILT_IN_DATE));
        let text = serde_json::to_string(&whole).unwrap();
        let brought = Catalogue::with(serde_json::from_str(&text).unwrap());
        assert_eq!(brought.whole(), whole);
        for row in &whole.models {
            let known = Catalogue::default().known(&row.id);
            assert_eq!(brought.known(&row.id).map(|known| known.price), known.map(|known| known.price));
            for served in &row.served {
                let wire = Wire::parse(&served.wire).unwrap();
                for at in served.at.iter().map(String::as_str).chain(["api.other.example"]) {
                    let built_in = crate::compat(wire, at, None, &row.id);
                    let mut with = built_in.clone();
                    with.set(&brought.said(wire, at, None, &row.id));
                    assert_eq!(with, built_in, "{} at {at}", row.id);
                }
            }
        }
        let thinking =
            |id: &str| whole.models.iter().find(|row| row.id == id).unwrap().served.first().unwrap().thinking;
        assert_eq!(thinking("claude-opus-5"), Some(Thinking::Adaptive));
        assert_eq!(thinking("kimi-k2.6"), Some(Thinking::Zai));
    }

    #[test]
    fn what_is_brought_goes_before_what_is_built_in_and_not_where_it_is_older() {
        let newer = Catalogue::with(file("2999-01-01", row()));
        for name in ["kimi-k4", "moonshotai/Kimi-K4", "k4", "kimi-k4-2027-01-02"] {
            assert_eq!(newer.canonical(name), Some("kimi-k4"), "{name}");
            assert_eq!(newer.known(name).map(|known| known.window), Some(2_000_000), "{name}");
        }
        assert_eq!(newer.canonical("gpt-5"), Some("gpt-5"), "the rest is as it was");
        let said = |host, preset, model| newer.said(Wire::Chat, host, preset, model);
        let own = Overrides { thinking: Some(Thinking::Openai), documents: Some(true), ..Overrides::default() };
        assert_eq!(said("api.moonshot.ai", None, "kimi-k4"), own);
        assert_eq!(said("gateway.example", Some("kimi"), "kimi-k4"), own);
        assert_eq!(said("openrouter.ai", None, "kimi-k4"), Overrides::default());
        assert_eq!(newer.said(Wire::Anthropic, "api.moonshot.ai", None, "kimi-k4"), Overrides::default());

        let mut cheaper = row();
        cheaper["id"] = json!("gpt-5");
        cheaper["also"] = json!([]);
        assert_eq!(
            Catalogue::with(file("2999-01-01", cheaper.clone())).known("gpt-5").unwrap().price.unwrap().input,
            1.0
        );
        let older = Catalogue::with(file("2020-01-01", cheaper));
        assert!(older.brought().is_none() && older.known("gpt-5").unwrap().price.unwrap().input > 1.0);
    }

    #[test]
    fn what_no_catalogue_says_is_found() {
        assert_eq!(file("2999-01-01", row()).flaw(), None);
        let newer = CatalogueFile { catalogue: 2, ..file("2999-01-01", row()) };
        assert_eq!(newer.flaw(), Some(CatalogueFlaw::Newer(2)));
        for (key, value, names) in [
            ("id", json!(""), "id"),
            ("id", json!("a b"), "id"),
            ("id", json!("\u{1b}[31m"), "id"),
            ("id", json!("x".repeat(129)), "id"),
            ("also", json!(["K4", "k4"]), "k4"),
            ("window", json!(0), "window"),
            ("window", json!(1_000_000_000_u64), "window"),
            ("output", json!(0), "output"),
            ("price", json!({"input": -1.0, "cached": 0.1, "output": 4.0, "currency": "USD"}), "price: -1"),
            ("price", json!({"input": 1.0, "cached": 0.1, "output": 4e9, "currency": "USD"}), "price"),
            ("price", json!({"input": 1.0, "cached": 0.1, "output": 4.0, "currency": "$ "}), "price"),
            ("efforts", json!(["high", "low"]), "efforts"),
            ("served", json!([{"wire": "smtp"}]), "served.wire"),
            ("served", json!([{"wire": "openai", "thinking": "adaptive"}]), "served.thinking"),
            ("served", json!([{"wire": "anthropic", "thinking": "qwen"}]), "served.thinking"),
            ("served", json!([{"wire": "openai", "at": [""]}]), "served.at"),
        ] {
            let mut model = row();
            model[key] = value.clone();
            match file("2999-01-01", model).flaw() {
                Some(CatalogueFlaw::Value(what)) => assert!(what.contains(names), "{key} = {value}: {what}"),
                other => panic!("{key} = {value} gave {other:?}"),
            }
        }
        for dated in ["", "2026", "2026-13-01", "2026-11-1", "2026-11-19x", "26-11-19"] {
            assert!(file(dated, row()).flaw().is_some(), "{dated:?}");
        }
        let many = CatalogueFile {
            models: (0..2001)
                .map(|n| {
                    let mut model = row();
                    (model["id"], model["also"]) = (json!(format!("m{n}")), json!([]));
                    serde_json::from_value(model).unwrap()
                })
                .collect(),
            ..file("2999-01-01", row())
        };
        assert!(many.flaw().is_some(), "more models than a file may have");
        let unknown = json!({"catalogue": 1, "dated": "2999-01-01", "models": [], "more": 1});
        assert!(serde_json::from_value::<CatalogueFile>(unknown).is_err());
    }
}
