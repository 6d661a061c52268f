//! The other way to write settings: JSON with `provider`, `permission`, `mcp` and agents by name.

use crate::common;

use common::{Disk, told};
use pretty_assertions::assert_eq;
use reasonix_config::{Fallback, Transport};
use reasonix_proto::{AgentMode, AgentOrigin, Effect};

fn user(json: &str) -> Disk {
    Disk::new().file("home/config.jsonc", json)
}

#[test]
fn the_suggested_policy_means_what_its_author_meant() {
    let disk = user(
        r#"{
          // the default policy
          "permission": {
            "*": "ask", "read": "allow", "list": "allow", "glob": "allow", "grep": "allow",
            "write": "ask", "patch": "ask", "skill": "ask", "task": {"*": "ask", "explore": "allow"},
            "bash": { "*": "ask", "ls *": "allow", "cat *": "allow", "git push *": "deny" },
            "external_directory": "deny",
          },
          "compaction": { "auto": true, "prune": false },
        }"#,
    );
    let loaded = disk.load();
    assert_eq!(told(&loaded), [""; 0]);
    let rules = loaded.settings.permissions;
    assert_eq!(rules.mode, Fallback::Ask);
    assert_eq!(rules.allow, ["Task(explore)", "Bash(ls:*)", "Bash(cat:*)"]);
    assert_eq!((rules.ask.as_slice(), rules.deny.as_slice()), (&[][..], &["Bash(git push:*)".to_owned()][..]));
    let fallbacks: Vec<_> = rules.fallbacks.iter().map(|(family, mode)| (family.as_str(), *mode)).collect();
    let want = [
        ("Bash", Fallback::Ask),
        ("Edit", Fallback::Ask),
        ("Grep", Fallback::Allow),
        ("Read", Fallback::Allow),
        ("Skill", Fallback::Ask),
        ("Task", Fallback::Ask),
    ];
    assert_eq!(fallbacks, want);
    assert_eq!(rules.external_directory, Fallback::Deny);
    assert!(loaded.settings.compaction.auto && !loaded.settings.compaction.prune);
}

#[test]
fn the_stricter_of_two_names_for_one_family_holds() {
    for json in [
        r#"{"permission": {"write": "deny", "patch": "allow"}}"#,
        r#"{"permission": {"patch": "allow", "write": "deny"}}"#,
    ] {
        assert_eq!(user(json).load().settings.permissions.fallbacks["Edit"], Fallback::Deny, "{json}");
    }
    let loaded = user(r#"{"permission": {"todowrite": "deny", "mcp__a__b": "allow"}}"#).load();
    assert_eq!(loaded.settings.permissions.deny, ["todo_write"]);
    assert_eq!(loaded.settings.permissions.allow, ["mcp__a__b"]);
    assert_eq!(user(r#"{"permission": {"bsh": "deny"}}"#).error().phrase().code, "config.refused_key");
    assert_eq!(user(r#"{"permission": {"bash": {"ls": "sure"}}}"#).error().phrase().code, "config.value");
}

#[test]
fn a_verdict_for_everything_covers_readers_too() {
    for (json, read, edit) in [
        (r#"{"permission": "deny"}"#, Some(Fallback::Deny), Fallback::Deny),
        (r#"{"permission": {"*": "deny"}}"#, Some(Fallback::Deny), Fallback::Deny),
        (r#"{"permission": {"*": "ask", "read": "allow"}}"#, Some(Fallback::Allow), Fallback::Ask),
        (r#"{"permission": {"*": "allow"}}"#, None, Fallback::Allow),
        (r#"{"permissions": {"mode": "deny"}}"#, None, Fallback::Deny),
    ] {
        let rules = user(json).load().settings.permissions;
        assert_eq!((rules.fallbacks.get("Read").copied(), rules.mode), (read, edit), "{json}");
    }
}

#[test]
fn a_project_map_only_tightens() {
    let disk = user("{}").file(
        "project/reasonix.jsonc",
        "{\n\"permission\": {\n\"bash\": {\n\"rm *\": \"deny\",\n\"ls *\": \"allow\",\n\"*\": \"allow\"},\n\"read\": \"ask\"}}",
    );
    let loaded = disk.load();
    assert_eq!(told(&loaded), ["project_ignored permissions.allow 5", "project_looser permissions.fallbacks.Bash 6"]);
    let rules = loaded.settings.permissions;
    assert_eq!((rules.allow.len(), rules.deny.as_slice()), (0, &["Bash(rm:*)".to_owned()][..]));
    assert_eq!(rules.fallbacks.into_iter().collect::<Vec<_>>(), [("Read".to_owned(), Fallback::Ask)]);
}

#[test]
fn providers_in_every_shape() {
    for (json, model, url) in [
        (r#"{"provider": {"base_url": "http://a", "model": "m", "models": ["x", "m"]}}"#, "default/m", "http://a"),
        (
            r#"{"provider": {"vllm": {"baseURL": "http://a", "models": ["x"]}}, "model": "vllm/x"}"#,
            "vllm/x",
            "http://a",
        ),
        (
            r#"{"model": "x", "provider": {"v": {"npm": "n", "options": {"baseURL": "http://b", "apiKey": "{env:K}"},
                "models": {"x": {"limit": {"context": 4096}}, "y": {}}}}}"#,
            "v/x",
            "http://b",
        ),
        (
            r#"{"provider": "two", "model": "b", "providers": [{"name": "one", "base_url": "http://1", "model": "b"},
                {"name": "two", "base_url": "http://2", "models": ["a", "b"]}]}"#,
            "two/b",
            "http://2",
        ),
    ] {
        let loaded = user(json).load();
        let found = loaded.settings.default_model().unwrap();
        assert_eq!((found.name().as_str(), found.provider.base_url.as_str()), (model, url), "{json}");
        assert_eq!(told(&loaded), [""; 0], "{json}");
        if model == "v/x" {
            assert_eq!((found.provider.api_key_env.as_deref(), found.provider.context_window), (Some("K"), 4096));
        }
    }
}

#[test]
fn a_key_in_a_file_is_ignored_and_not_shown() {
    let loaded = user(r#"{"provider": {"base_url": "http://a", "model": "m", "api_key": "sk-12345"}}"#).load();
    assert_eq!(told(&loaded), ["key_in_file  1"]);
    assert_eq!(loaded.settings.providers[0].api_key_env, None);
    assert!(!format!("{loaded:?}").contains("sk-12345"));
}

#[test]
fn servers_by_name() {
    let disk = user(
        r#"{
          "mcp": {
            "files": {"enabled": false, "command": ["npx", "-y", "files"], "environment": {"A": "b"}, "timeout_ms": 1500},
            "web": {"type": "remote", "url": "https://w"}
          },
          "agent": {
            "max_steps": 9,
            "subagent_models": {"review": "m"}
          },
          "instructions": "GUIDE.md",
          "logs": "/var/l",
          "cache": {"dir": "/var/c"},
          "language": null
        }"#,
    );
    let loaded = disk.load();
    assert_eq!(told(&loaded), Vec::<String>::new());
    let settings = loaded.settings;
    let files = &settings.plugins[0];
    assert_eq!(
        (files.enabled, files.command.as_deref(), files.args.as_slice()),
        (false, Some("npx"), &["-y".to_owned(), "files".to_owned()][..])
    );
    assert_eq!((files.call_timeout_seconds, files.env[0].1.expose()), (2, "b"));
    assert_eq!(settings.plugins[1].transport, Transport::Http);
    assert_eq!((settings.agent.max_steps, settings.agent.subagent_models["review"].as_str()), (9, "m"));
    assert!(settings.instructions[0].0.ends_with("GUIDE.md"));
    assert_eq!(
        (settings.logs.dir.as_deref(), settings.cache.dir.as_deref()),
        (Some("/var/l".as_ref()), Some("/var/c".as_ref()))
    );
}

#[test]
fn an_agent_by_name_is_read_in_every_shape() {
    let profile = |json: &str, name: &str| user(json).load().settings.profiles[name].clone();
    let review = profile(r#"{"agent": {"review": {"mode": "subagent", "model_override": "m"}}}"#, "review");
    assert_eq!((review.mode, review.model.as_deref()), (AgentMode::Subagent, Some("m")));
    let listed = profile(r#"{"agent": {"build": {"tools": ["read_file"]}}}"#, "build");
    assert_eq!(listed.tools.as_deref(), Some(["read_file".to_owned()].as_slice()));
    let switched = profile(r#"{"agent": {"build": {"tools": {"bash": false, "grep": true}}}}"#, "build");
    assert_eq!((switched.tools, switched.without), (None, vec!["bash".to_owned()]));
    let edits = profile(r#"{"agent": {"build": {"permission": {"edit": "deny"}}}}"#, "build").rules;
    assert_eq!((edits.fallbacks.get("Edit"), edits.mode), (Some(&Effect::Deny), None));
    let ran = profile(r#"{"agent": {"build": {"permission": {"bash": {"git diff *": "allow"}}}}}"#, "build").rules;
    assert_eq!(ran.allow.len(), 1, "{ran:?}");
    let denied =
        profile(r#"{"profiles": {"build": {"permissions": {"deny": ["Bash"], "mode": "ask"}}}}"#, "build").rules;
    assert_eq!((denied.deny, denied.mode), (vec!["Bash".to_owned()], Some(Effect::Ask)));
    let project = Disk::new().project("[profiles.build.permissions]\ndeny = [\"Bash\"]\n").load().settings;
    let project = &project.profiles["build"];
    assert_eq!((project.origin, project.rules.deny.as_slice()), (AgentOrigin::Project, ["Bash".to_owned()].as_slice()));
}

/// What subagents do not use yet is read, kept and said; it is no guard.
#[test]
fn what_is_for_subagents_is_kept() {
    let loaded =
        user(r#"{"profiles": {"x": {"spawns": ["explore"], "blocking": true, "output": "{\"type\": \"object\"}"}}}"#)
            .load();
    let profile = &loaded.settings.profiles["x"];
    assert_eq!((profile.spawns.as_deref(), profile.blocking), (Some(["explore".to_owned()].as_slice()), Some(true)));
    assert_eq!(profile.output.as_ref().and_then(|schema| schema["type"].as_str()), Some("object"));
    let told = loaded.notices.iter().filter(|(_, phrase)| phrase.code == "config.key_later").count();
    assert_eq!(told, 0, "{:?}", loaded.notices);
}
