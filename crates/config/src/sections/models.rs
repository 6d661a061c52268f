//! `[[models]]`, `[roles]` and `[model_profiles]`: what the user knows better about models, and what they are used for.

use crate::node::{Node, Table};
use crate::sections::providers::{body_fields, compat, price, retention};
use crate::view::{Context, View};
use crate::{ConfigError, PriceSettings, Secret};
use reasonix_catalogue::{CacheRetention, Effort, Overrides, ROLES};
use std::collections::BTreeMap;

/// What the user says about a model. What is not said comes from its provider and from the catalogue.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelEntry {
    /// `provider/model`, or the name of a model wherever it is offered.
    pub id: String,
    /// Tokens it can see.
    pub context_window: Option<u64>,
    /// The most tokens an answer may have.
    pub max_tokens: Option<u64>,
    /// The name that is sent to the endpoint.
    pub wire_model: Option<String>,
    /// The official name of the model.
    pub canonical: Option<String>,
    /// More headers; they win over the provider's.
    pub headers: Vec<(String, Secret)>,
    /// More fields for the body; they win over the provider's.
    pub extra_body: serde_json::Map<String, serde_json::Value>,
    /// How long the endpoint is to keep what it cached.
    pub cache_retention: Option<CacheRetention>,
    /// How it wants to be asked.
    pub compat: Overrides,
    /// What its tokens cost.
    pub price: Option<PriceSettings>,
    /// The efforts it knows.
    pub efforts: Option<Vec<Effort>>,
    /// True when it can look at pictures.
    pub vision: Option<bool>,
    /// Who answers when it cannot.
    pub fallback: Vec<String>,
    /// The model to go on with when the context fills.
    pub promote_to: Option<String>,
}

/// A named filling of roles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelProfile {
    /// Providers that must have their keys.
    pub requires: Vec<String>,
    /// Model references by role.
    pub roles: BTreeMap<String, String>,
}

/// The models, in the order they were written.
pub(crate) fn resolve(table: &Table, context: &Context<'_>) -> Result<Vec<ModelEntry>, ConfigError> {
    View::root(table, context).items("models").map(|node| one(node, context)).collect()
}

fn one(node: &Node, context: &Context<'_>) -> Result<ModelEntry, ConfigError> {
    let id = View::of(node.as_table(), context, "models").text("id").filter(|id| !id.is_empty());
    let id = id.ok_or_else(|| ConfigError::Missing { origin: node.origin.clone(), key: "models.id".to_owned() })?;
    let section = format!("models.{id}");
    let view = View::of(node.as_table(), context, &section);
    let text = |key| view.text(key).filter(|text: &String| !text.is_empty());
    Ok(ModelEntry {
        context_window: view.count("context_window"),
        max_tokens: view.count("max_tokens"),
        wire_model: text("wire_model"),
        canonical: text("canonical"),
        headers: view.secrets("headers")?,
        extra_body: body_fields(&view, "extra_body"),
        cache_retention: retention(&view),
        compat: compat(&view, &section)?,
        price: view.node("price").and_then(Node::as_table).map(|table| price(table, context)),
        efforts: efforts(&view, &section)?,
        vision: view.bool("vision"),
        fallback: view.texts("fallback"),
        promote_to: text("promote_to"),
        id,
    })
}

fn efforts(view: &View<'_>, section: &str) -> Result<Option<Vec<Effort>>, ConfigError> {
    let Some(node) = view.node("efforts") else { return Ok(None) };
    let one = |node: &Node| {
        node.as_text().and_then(Effort::parse).ok_or_else(|| ConfigError::Value {
            origin: node.origin.clone(),
            key: format!("{section}.efforts"),
            expected: Effort::ALL.iter().map(|effort| format!("\"{effort}\"")).collect::<Vec<_>>().join(" | "),
            found: node.sketch(),
        })
    };
    node.as_list().unwrap_or_default().iter().map(one).collect::<Result<_, _>>().map(Some)
}

/// Model references by role.
pub(crate) fn roles(view: &View<'_>) -> BTreeMap<String, String> {
    let filled = |role: &&str| view.text(role).filter(|text| !text.is_empty()).map(|text| ((*role).to_owned(), text));
    ROLES.iter().filter_map(filled).collect()
}

/// The user's profiles by name.
pub(crate) fn profiles(root: &View<'_>, context: &Context<'_>) -> BTreeMap<String, ModelProfile> {
    let written = root.entries("model_profiles").map(|(name, node)| {
        let view = View::of(node.as_table(), context, name);
        (name.to_owned(), ModelProfile { requires: view.texts("requires"), roles: roles(&view.section("roles")) })
    });
    written.collect()
}

impl From<&reasonix_catalogue::PresetProfile> for ModelProfile {
    fn from(profile: &reasonix_catalogue::PresetProfile) -> Self {
        let owned = |(role, model): &(&str, &str)| ((*role).to_owned(), (*model).to_owned());
        Self {
            requires: profile.requires.iter().map(|name| (*name).to_owned()).collect(),
            roles: profile.roles.iter().map(owned).collect(),
        }
    }
}
