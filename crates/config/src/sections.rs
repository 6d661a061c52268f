//! The small sections, each resolved by a function of its own.

use crate::permissions;
use crate::view::{Context, View};
use crate::{
    AskSettings, Bash, Cache, Compaction, ConfigError, Logs, Net, Profile, Sandbox, Secret, Serve, Shell, Skills, Tools,
};
use std::collections::BTreeMap;

pub(crate) fn net(view: &View<'_>) -> Result<Net, ConfigError> {
    Ok(Net {
        proxy: view.expanded("proxy")?.filter(|proxy| !proxy.is_empty()).map(Secret::new),
        no_proxy: view.texts("no_proxy"),
        ca_file: view.path("ca_file")?,
    })
}

pub(crate) fn tools(view: &View<'_>) -> Result<Tools, ConfigError> {
    let built_in = Tools::default();
    let shell = view.section("shell");
    Ok(Tools {
        enabled: view.texts("enabled"),
        bash_timeout_seconds: view.count("bash_timeout_seconds").unwrap_or(built_in.bash_timeout_seconds),
        mcp_call_timeout_seconds: view.count("mcp_call_timeout_seconds").unwrap_or(built_in.mcp_call_timeout_seconds),
        edit: view.text("edit").unwrap_or(built_in.edit),
        shell: Shell { prefer: shell.text("prefer").unwrap_or(built_in.shell.prefer), path: shell.path("path")? },
    })
}

pub(crate) fn skills(view: &View<'_>) -> Result<Skills, ConfigError> {
    Ok(Skills {
        paths: view.paths("paths")?,
        excluded_paths: view.paths("excluded_paths")?,
        disabled_skills: view.texts("disabled_skills"),
    })
}

pub(crate) fn sandbox(view: &View<'_>) -> Result<Sandbox, ConfigError> {
    Ok(Sandbox {
        bash: match view.text("bash").as_deref() {
            Some("off") => Bash::Off,
            Some("best-effort") => Bash::BestEffort,
            _ => Bash::Enforce,
        },
        network: view.bool("network").unwrap_or(false),
        workspace_root: view.workspace_path("workspace_root")?,
        allow_write: view.workspace_paths("allow_write")?,
        forbid_read: view.workspace_paths("forbid_read")?,
    })
}

pub(crate) fn serve(view: &View<'_>) -> Serve {
    let secret = |key| view.text(key).filter(|text| !text.is_empty()).map(Secret::new);
    Serve {
        auth_mode: view.text("auth_mode").unwrap_or_else(|| Serve::default().auth_mode),
        token: secret("token"),
        password_hash: secret("password_hash"),
        behind_proxy: view.bool("behind_proxy").unwrap_or(false),
    }
}

pub(crate) fn compaction(view: &View<'_>) -> Result<Compaction, ConfigError> {
    let built_in = Compaction::default();
    let ratio = view.number("ratio").unwrap_or(built_in.ratio);
    if let Some(node) = view.node("ratio").filter(|_| !(0.0..=1.0).contains(&ratio)) {
        return Err(ConfigError::Value {
            origin: node.origin.clone(),
            key: "compaction.ratio".to_owned(),
            expected: "0.0 … 1.0".to_owned(),
            found: node.sketch(),
        });
    }
    Ok(Compaction {
        auto: view.bool("auto").unwrap_or(built_in.auto),
        prune: view.bool("prune").unwrap_or(built_in.prune),
        ratio,
    })
}

pub(crate) fn profiles(root: &View<'_>, context: &Context<'_>) -> BTreeMap<String, Profile> {
    let one = |(name, node): (&str, &crate::node::Node)| {
        let view = View::of(node.as_table(), context, name);
        let profile = Profile {
            mode: view.text("mode"),
            description: view.text("description"),
            model: view.text("model"),
            prompt: view.text("prompt"),
            tools: view.entries("tools").filter_map(|(tool, node)| Some((tool.to_owned(), node.as_bool()?))).collect(),
            permissions: view.node("permissions").map(|_| permissions::resolve(&view.section("permissions"))),
            max_steps: view.steps("max_steps"),
            temperature: view.number("temperature"),
            top_p: view.number("top_p"),
            disable: view.bool("disable").unwrap_or(false),
            layer: node.origin.layer,
        };
        (name.to_owned(), profile)
    };
    root.entries("profiles").map(one).collect()
}

pub(crate) fn ask(view: &View<'_>) -> AskSettings {
    AskSettings { timeout: view.count("timeout").unwrap_or(0) }
}

pub(crate) fn logs(view: &View<'_>) -> Result<Logs, ConfigError> {
    let built_in = Logs::default();
    Ok(Logs {
        dir: view.path("dir")?,
        level: view.text("level").unwrap_or(built_in.level),
        max_size_mb: view.count("max_size_mb").unwrap_or(built_in.max_size_mb),
        max_files: view.count("max_files").unwrap_or(built_in.max_files),
    })
}

pub(crate) fn cache(view: &View<'_>) -> Result<Cache, ConfigError> {
    Ok(Cache { dir: view.path("dir")?, ttl_hours: view.count("ttl_hours").unwrap_or(Cache::default().ttl_hours) })
}
