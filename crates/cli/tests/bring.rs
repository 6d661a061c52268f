//! `reasonix import`: what another agent keeps in the home folder comes over, and credentials do not.

use crate::support;

use serde_json::json;
use support::Place;

/// A home with everything that Claude Code keeps there.
fn claude() -> Place {
    let place = Place::new(vec![]);
    let home = &place.home;
    let settings = json!({
        "permissions": {
            "deny": ["Read(~/secrets/**)", "Bash(git push:*)", "Read(//etc/shadow)", "WebFetch(domain:evil.example)"],
            "ask": ["Bash(npm publish:*)"],
            "allow": ["Bash(npm test:*)", "Bash(python3:*)", "WebFetch(domain:good.example)", "Task", "mcp__*"],
            "defaultMode": "bypassPermissions",
            "additionalDirectories": ["/srv"],
        },
        "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "sh ~/guard.sh"},
            {"type": "command", "command": "/usr/local/bin/guard"}]}],
            "Stop": [{"hooks": [{"type": "command", "command": "$HOME/bin/note"}]}]},
        "env": {"ANTHROPIC_API_KEY": "sk-ant-0123456789abcdef0123"},
        "apiKeyHelper": "cat key",
        "model": "opus",
    });
    home.write(".claude/settings.json", settings.to_string());
    let servers = json!({
        "mcpServers": {
            "files": {"command": "npx", "args": ["-y", "server"], "env": {"TOKEN": "tok-secret-1", "PORT": "8080", "A": "${A}"}},
            "web": {"type": "http", "url": "https://example.com/mcp", "headers": {"Authorization": "Bearer tok-secret-2"}},
            "open": {"command": "x", "args": ["--api-key", "tok-secret-3"]},
            "old": {"type": "sse", "url": "https://example.com/sse"},
        },
        "projects": {"/srv/shop": {"mcpServers": {"theirs": {"command": "x"}}}},
        "oauthAccount": {"token": "tok-secret-4"},
    });
    home.write(".claude.json", servers.to_string());
    home.write(".claude/.credentials.json", "{\"token\": \"tok-secret-5\"}");
    home.write(".claude/CLAUDE.md", "Be brief. @~/style.md @me\n");
    home.write(".claude/skills/release/SKILL.md", "---\ndescription: d\n---\nGo.\n");
    home.write(".claude/skills/release/go.sh", "echo go\n");
    home.write(".claude/commands/git/log.md", "Log.\n");
    home.write(".claude/commands/fix.md", "Fix.\n");
    home.write(".claude/agents/judge.md", "---\nname: judge\ndescription: d\n---\nJudge.\n");
    std::os::unix::fs::symlink("/etc", home.join(".claude/skills/evil")).unwrap();
    place
}

/// Everything of our own in the home folder.
fn ours(place: &Place) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![place.home.path()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
            let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
            if name.starts_with(".claude") || name.starts_with(".codex") || name.ends_with(".lock") || name == "state" {
                continue;
            }
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(path),
                false => found.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap())),
            }
        }
    }
    found.sort();
    found
}

#[test]
fn what_would_come_over_is_shown_and_nothing_is_changed_without_a_yes() {
    let place = claude();
    let before = ours(&place);
    for args in [&["import", "claude"][..], &["import", "claude", "--dry-run"]] {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let loosens = ran.out.split("allow more").nth(1).unwrap();
        assert!(loosens.contains("allow Bash(npm test:*)") && loosens.contains("allow Task"), "{}", ran.out);
        for text in [
            "deny Bash(git push:*)",
            "deny Read(/etc/shadow)",
            "deny Web(evil.example)",
            "ask Bash(npm publish:*)",
            "files: npx -y server  [A=${A}, PORT=8080, TOKEN=${TOKEN}]",
            "web: https://example.com/mcp  [Authorization=${WEB_AUTHORIZATION}]",
            "PreToolUse Bash: /usr/local/bin/guard",
            "skills/release",
            "commands/fix.md",
            "commands/git",
            "agents/judge.md",
            "AGENTS.md",
        ] {
            let (come, _) = ran.out.split_once("does not come over").unwrap();
            assert!(come.contains(text), "{text}\n{}", ran.out);
        }
        let (_, left) = ran.out.split_once("does not come over").unwrap();
        for text in [
            "allow Bash(python3:*)",
            "allow WebFetch(domain:good.example)",
            "allow mcp__*",
            "permissions.defaultMode",
            "permissions.additionalDirectories",
            "settings.json env",
            "settings.json apiKeyHelper",
            "settings.json model",
            "mcp open",
            "mcp old",
            "mcp theirs (/srv/shop)",
            ".credentials.json",
            "skills/evil",
            "hook PreToolUse sh ~/guard.sh: it names your home folder",
            "hook Stop $HOME/bin/note: it names your home folder",
            "with `sandbox = false`",
            "mcp old: the older transport with server-sent events is not supported",
            "@~/style.md",
        ] {
            assert!(left.contains(text), "{text}\n{}", ran.out);
        }
        assert!(!left.contains("@me"), "{left}");
        assert!(!ran.out.contains("tok-secret") && !ran.out.contains("sk-ant"), "{}", ran.out);
    }
    assert_eq!(ours(&place), before);
}

#[test]
fn a_yes_brings_it_over_once_and_overwrites_nothing() {
    let place = claude();
    place.configure("[permissions]\ndeny = [\"Bash(git push:*)\", \"Bash(rm:*)\"]\n\n");
    place.home.write("commands/fix.md", "My own.\n");
    let ran = place.run(&["import", "claude", "--yes"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let after = ours(&place);
    let text: String = after.iter().map(|(_, text)| text.as_str()).collect();
    assert!(!text.contains("tok-secret") && !text.contains("sk-ant"), "{text}");
    let config = place.home.read("config.toml");
    assert!(config.contains("api_key_env = \"MOCK_KEY\"") && config.contains("Bash(rm:*)"), "{config}");
    assert_eq!(config.matches("Bash(git push:*)").count(), 1, "{config}");
    assert!(!config.contains("python3") && !config.contains("bypass"), "{config}");
    assert_eq!(place.home.read("commands/fix.md"), "My own.\n");
    assert_eq!(place.home.read("commands/git/log.md"), "Log.\n");
    assert_eq!(place.home.read("skills/release/go.sh"), "echo go\n");
    assert_eq!(place.home.read("AGENTS.md"), "Be brief. @~/style.md @me\n");
    let hooks = place.home.read("hooks/claude.json");
    assert!(
        hooks.contains("/usr/local/bin/guard") && !hooks.contains("guard.sh") && !hooks.contains("note"),
        "{hooks}"
    );
    assert!(!place.home.exists("skills/evil"));
    // What came over is taken: rules, servers and hooks.
    let shown = place.run(&["config", "show"]);
    assert_eq!((shown.code, shown.err.as_str()), (Some(0), ""), "{}", shown.out);
    let all = place.run(&["extensions"]).out;
    assert!(all.contains("release") && all.contains("PreToolUse Bash") && all.contains("/git:log"), "{all}");
    let servers = place.run(&["mcp", "list"]).out;
    assert!(servers.contains("files") && servers.contains("web"), "{servers}");
    let again = place.run(&["import", "claude", "--yes"]);
    assert!(again.code == Some(0) && again.err.contains("nothing is left"), "{}\n{}", again.out, again.err);
    assert_eq!(ours(&place), after, "a second time does nothing");
}

#[test]
fn codex_comes_over_too() {
    let place = Place::new(vec![]);
    let home = &place.home;
    home.write(
        ".codex/config.toml",
        "model = \"gpt\"\napproval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\n\n\
         [model_providers.mine]\nbase_url = \"https://example.com\"\n\n\
         [mcp_servers.docs]\nurl = \"https://example.com/mcp\"\nbearer_token_env_var = \"DOCS_TOKEN\"\n\n\
         [mcp_servers.files]\ncommand = \"npx\"\nargs = [\"-y\", \"server\"]\nenv = { TOKEN = \"tok-secret-1\" }\n\n\
         [mcp_servers.off]\ncommand = \"x\"\nenabled = false\n",
    );
    home.write(".codex/auth.json", "{\"OPENAI_API_KEY\": \"tok-secret-2\"}");
    home.write(".codex/AGENTS.md", "Be kind.\n");
    home.write("AGENTS.md", "Mine.\n");
    home.write(".codex/prompts/review.md", "Review.\n");
    home.write(".codex/skills/one/SKILL.md", "---\ndescription: d\n---\nOne.\n");
    let ran = place.run(&["import", "codex", "--yes"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let (_, left) = ran.out.split_once("does not come over").unwrap();
    for text in ["model_providers.mine", "approval_policy", "sandbox_mode", "mcp off", "auth.json", "config.toml model"]
    {
        assert!(left.contains(text), "{text}\n{}", ran.out);
    }
    let config = place.home.read("config.toml");
    assert!(config.contains("Bearer ${DOCS_TOKEN}") && config.contains("TOKEN = \"${TOKEN}\""), "{config}");
    assert_eq!((home.read("AGENTS.md").as_str(), home.read("REASONIX.md").as_str()), ("Mine.\n", "Be kind.\n"));
    assert_eq!(home.read("commands/review.md"), "Review.\n");
    let text: String = ours(&place).into_iter().map(|(_, text)| text).collect();
    assert!(!text.contains("tok-secret"), "{text}");
    let before = ours(&place);
    assert_eq!(place.run(&["import", "codex", "--yes"]).code, Some(0));
    assert_eq!(ours(&place), before);
    assert_eq!(place.run(&["import", "nobody"]).code, Some(2));
    let none = place.run(&["import", "claude"]);
    assert!(none.code == Some(2) && none.err.contains(".claude"), "{}", none.err);
}

/// Rules come over where they can be seen, and nothing takes the place of what is built in.
#[test]
fn agents_that_would_let_more_run_stay_behind() {
    let place = claude();
    let loose = "---\nname: loose\npermissions:\n  allow: [\"Bash(git push:*)\"]\n---\nPush.\n";
    place.home.write(".claude/agents/loose.md", loose);
    place.home.write(".claude/agents/any.md", "---\nname: any\npermissions:\n  mode: allow\n---\nAny.\n");
    place.home.write(".claude/agents/build.md", "---\nname: build\n---\nI am the one.\n");
    place.home.write(".claude/agents/strict.md", "---\nname: strict\npermissions:\n  deny: [\"Edit\"]\n---\nLook.\n");
    let ran = place.run(&["import", "claude", "--yes"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for (name, said) in [("loose", "would let more run"), ("any", "would let more run"), ("build", "built-in agent")] {
        let line = ran.out.lines().find(|line| line.contains(&format!("agents/{name}.md:")));
        assert!(line.is_some_and(|line| line.contains(said)), "{name}: {}", ran.out);
        assert!(!place.home.exists(format!("agents/{name}.md")), "{name}");
    }
    assert!(place.home.exists("agents/strict.md") && place.home.exists("agents/judge.md"));
}

#[test]
fn hooks_are_shown_with_all_that_they_run_in_one_line() {
    let place = claude();
    let hook = json!({"type": "command", "command": "bash", "args": ["-c", "id\n\nskills\n  harmless"]});
    let said = json!({"hooks": {"Stop": [{"hooks": [hook]}]}});
    place.home.write(".claude/settings.json", said.to_string());
    let ran = place.run(&["import", "claude"]);
    let line = ran.out.lines().find(|line| line.contains("bash -c id"));
    assert!(line.is_some_and(|line| line.contains("harmless")), "{}", ran.out);
}
