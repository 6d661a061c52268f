//! From layers to settings.

use crate::catalogue::kept_catalogue;
use crate::node::{Node, Table};
use crate::sections::{
    agent, ask, branch, budget, cache, compaction, evidence, goal, isolation, jobs, logs, models, net, permissions,
    plugins, profiles, providers, recall, record, retention, sandbox, serve, skills, stream_rules, task, tools, tui,
    undo, validation,
};
use crate::shape::Notices;
use crate::trust::{Brought, Prompted, Trust, Variables};
use crate::view::{Context, View};
use crate::{ConfigError, Layer, Origins, SettingOrigin, Settings, ShownValue, Sources};
use crate::{env, files, guard, implied, inert, merge, read, secrets, show};
use reasonix_catalogue::Catalogue;
use reasonix_proto::{Level, Phrase};
use serde_json::Value;
use std::path::{Component, Path, PathBuf};

/// The variable that tells servers the project's folder, as other agents name it.
const PROJECT_FOLDER: &str = "CLAUDE_PROJECT_DIR";

/// What came of loading: the settings, what to tell the user, and where each value came from.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// What the settings mean.
    pub settings: Settings,
    /// What the user should know, in the order it was found.
    pub notices: Vec<(Level, Phrase)>,
    /// Every value with the place it came from; secrets are masked.
    pub origins: Origins,
}

/// Reads all layers and resolves them: flags over environment over project over user over built-in values.
pub fn load(sources: &Sources) -> Result<Loaded, ConfigError> {
    let mut notices = Notices::new();
    let saved = secrets::saved(&sources.home, &mut notices)?;
    let context = Context { env: &sources.env, saved: &saved, project: &sources.project };
    let mut table = files::user(sources, &mut notices)?;
    let mut declared = Vec::new();
    let project = files::project(sources, &mut declared, &mut notices)?;
    let mut project = guard::guard(project, &table, &context, &mut notices)?;
    let prompt = Prompted::take(&mut project);
    // A project's hooks and checks are surfaces; they do not get among the user's own.
    let _ = (project.take("hooks"), project.take("validation"));
    let plugins = plugins::of_project(&project, &context, &mut notices)?;
    let skill_folders = skill_folders(&project, &sources.project);
    merge::merge(&mut table, project);
    let over = env::layer(&table, &sources.flags, &context)?;
    plugins::replace(&mut table, &over);
    merge::merge(&mut table, over);
    inert::name(&table, &mut notices)?;

    let root = if sources.root.as_os_str().is_empty() { &sources.project } else { &sources.root };
    let mut settings = resolve(&table, &context, root, catalogue(&sources.home, &mut notices))?;
    notices.extend(own_fields(&settings));
    let variables = variables(sources, &settings, !plugins.is_empty(), &mut notices);
    let brought = Brought { declared, plugins, skill_folders, prompt, variables };
    settings.trust = Trust::load(&sources.project, &sources.home, brought, &sources.flags)?;
    settings.user_file = Some(files::user_file(sources));
    let mut origins = show::origins(&table);
    key_variable(&mut settings, &mut origins, sources);
    if let Some(node) = guard::lookup(&table, "agent.memory_compiler.enabled") {
        notices.push((Level::Info, Phrase::new("config.no_memory_compiler").with("place", node.origin.place())));
    }
    Ok(Loaded { settings, notices, origins })
}

fn resolve(table: &Table, context: &Context<'_>, folder: &Path, catalogue: Catalogue) -> Result<Settings, ConfigError> {
    let root = View::root(table, context);
    let layers = root.items("instructions").map(|node| node.origin.layer);
    let instructions = root.paths("instructions")?.into_iter().zip(layers).collect();
    let mut rules = permissions::resolve(&root.section("permissions"))?;
    let sandbox = sandbox::resolve(&root.section("sandbox"))?;
    rules.granted = permissions::granted(&root, sandbox.workspace_root.as_deref().unwrap_or(folder))?;
    rules.allow.extend(rules.granted.iter().cloned());
    let project_readers = plugins::readers(&root, sandbox.workspace_root.as_deref().unwrap_or(folder));
    let mut settings = Settings {
        default_model: root.text("default_model").filter(|reference| !reference.is_empty()),
        default_agent: root.text("default_agent").filter(|name| !name.is_empty()),
        language: root.text("language").filter(|language| !language.is_empty()),
        instructions,
        agent: agent::resolve(&root.section("agent"))?,
        providers: providers::resolve(table, context)?,
        spares: Vec::new(),
        net: net::resolve(&root.section("net"))?,
        tools: tools::resolve(&root.section("tools"))?,
        skills: skills::resolve(&root.section("skills"))?,
        hooks: table.get("hooks").map(Node::to_json),
        permissions: rules,
        sandbox,
        serve: serve::resolve(&root.section("serve")),
        plugins: plugins::resolve(table, context)?,
        project_readers,
        budget: budget::resolve(&root.section("budget"))?,
        compaction: compaction::resolve(&root.section("compaction"))?,
        profiles: profiles::resolve(&root, context)?,
        ask: ask::resolve(&root.section("ask")),
        task: task::resolve(&root.section("task")),
        isolation: isolation::resolve(&root.section("isolation")),
        logs: logs::resolve(&root.section("logs"))?,
        tui: tui::resolve(&root.section("tui")),
        undo: undo::resolve(&root.section("undo"))?,
        evidence: evidence::resolve(&root.section("evidence")),
        validation: validation::resolve(&root.section("validation")),
        goal: goal::resolve(&root.section("goal")),
        jobs: jobs::resolve(&root.section("jobs"), &root.section("cron")),
        branch: branch::resolve(&root.section("branch")),
        stream_rules: stream_rules::resolve(&root.section("rules").section("stream")),
        record: record::resolve(&root.section("record")),
        recall: recall::resolve(&root),
        cache: cache::resolve(&root.section("cache"))?,
        retention: retention::resolve(&root.section("retention")),
        trust: Trust::default(),
        user_file: None,
        keyless: Vec::new(),
        models: models::resolve(table, context)?,
        catalogue,
        fallback_models: root.texts("fallback_models"),
        roles: models::roles(&root.section("roles")),
        model_profile: root.text("model_profile").filter(|name| !name.is_empty()),
        model_profiles: models::profiles(&root, context),
    };
    if let (Some(node), Some(name)) = (root.node("model_profile"), &settings.model_profile)
        && settings.profile(name).is_none()
    {
        let built_in = reasonix_catalogue::MODEL_PROFILES.iter().map(|profile| profile.name);
        let known = built_in.chain(settings.model_profiles.keys().map(String::as_str)).map(crate::node::quote);
        return Err(ConfigError::Value {
            origin: node.origin.clone(),
            key: "model_profile".to_owned(),
            expected: known.collect::<Vec<_>>().join(" | "),
            found: node.sketch(),
        });
    }
    implied::complete(&mut settings, root.node("default_model").map(|node| node.origin.layer), context.env);
    let keyless = settings.providers.iter().filter(|provider| secrets::lacks_key(provider, context));
    settings.keyless = keyless.map(|provider| provider.name.clone()).collect();
    Ok(settings)
}

/// What is known of models. A catalogue that cannot be read is said, and what is built in is used.
fn catalogue(home: &Path, notices: &mut Notices) -> Catalogue {
    let kept = kept_catalogue(home).unwrap_or_else(|error| {
        notices.push((Level::Warning, error.phrase()));
        None
    });
    kept.map(Catalogue::with).unwrap_or_default()
}

/// Fields of bodies that are written and never sent, because they are the conversation itself.
fn own_fields(settings: &Settings) -> Vec<(Level, Phrase)> {
    let of_providers =
        settings.providers.iter().map(|provider| (format!("providers.{}", provider.name), &provider.extra_body));
    let of_models = settings.models.iter().map(|model| (format!("models.{}", model.id), &model.extra_body));
    let bodies = of_providers.chain(of_models);
    let keys = bodies.flat_map(|(at, body)| {
        // Tools of the endpoint itself are sent, behind ours.
        let tools = |(name, value): &(&String, &Value)| {
            *name == "tools" && value.as_array().is_some_and(|list| !list.is_empty())
        };
        let ours = body.iter().filter(|(name, _)| reasonix_catalogue::OWN_FIELDS.contains(&name.as_str()));
        ours.filter(move |field| !tools(field)).map(move |(name, _)| format!("{at}.extra_body.{name}"))
    });
    keys.map(|key| (Level::Warning, Phrase::new("config.body_field").with("key", key))).collect()
}

/// Folders with skills that the project names inside of itself.
fn skill_folders(project: &Table, folder: &Path) -> Vec<PathBuf> {
    let listed = guard::lookup(project, "skills.paths").and_then(Node::as_list).unwrap_or_default();
    let below =
        |text: &str| Path::new(text).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let texts = listed.iter().filter_map(Node::as_text).filter(|text| below(text));
    texts.map(PathBuf::from).filter(|path| !guard::leads_out(&folder.join(path), folder)).collect()
}

/// What servers of the project may name. Our own variables and the keys of endpoints are closed to them; the project's
/// `.env` supplies nothing that steers programs, and is read only where a server could use it.
fn variables(sources: &Sources, settings: &Settings, wanted: bool, notices: &mut Notices) -> Variables {
    if !wanted {
        return Variables::default();
    }
    let open = |name: &str| !settings.closes(name);
    let env = sources.env.iter().filter(|(name, _)| open(name));
    let project = read::text(&sources.project.join(".env")).unwrap_or_else(|error| {
        notices.push((Level::Warning, error.phrase()));
        None
    });
    let project = project.map(|text| secrets::parse(&text)).unwrap_or_default().into_iter();
    // What entries for other agents name to find their own files.
    let here = (PROJECT_FOLDER.to_owned(), sources.project.display().to_string());
    Variables {
        user: std::iter::once(here).chain(env.map(|(name, value)| (name.clone(), value.clone()))).collect(),
        project: project.filter(|(name, _)| open(name) && !env::steers(name)).collect(),
    }
}

/// `--api-key-env` is about the provider that will be used, whoever chose it.
fn key_variable(settings: &mut Settings, origins: &mut Origins, sources: &Sources) {
    let Some(variable) = &sources.flags.api_key_env else { return };
    let Some(name) = settings.default_model().ok().map(|model| model.provider.name.clone()) else { return };
    if let Some(provider) = settings.providers.iter_mut().find(|provider| provider.name == name) {
        provider.api_key_env = Some(variable.clone());
        let origin = SettingOrigin::named(Layer::Flag, "--api-key-env");
        let key = format!("providers.{}.api_key_env", crate::node::bare(&name));
        origins.insert(key, ShownValue { value: crate::node::quote(variable), origin, entries: Vec::new() });
    }
}
