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
            let theirs = [".claude", ".codex", ".cursor", ".config", ".local", ".gemini"];
            if theirs.iter().any(|begin| name.starts_with(begin)) || name.ends_with(".lock") || name == "state" {
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

#[test]
fn cursor_comes_over_too() {
    let place = Place::new(vec![]);
    let home = &place.home;
    home.write(
        ".cursor/mcp.json",
        "{\"mcpServers\": {\"docs\": {\"url\": \"https://example.com/mcp\", \"headers\": {\"Authorization\": \"Bearer ${env:DOCS}\"}}, \
         \"files\": {\"command\": \"npx\", \"args\": [\"-y\", \"server\"], \"env\": {\"TOKEN\": \"tok-secret-1\"}}, \
         \"old\": {\"type\": \"sse\", \"url\": \"https://example.com/sse\"}}}",
    );
    home.write(
        ".cursor/cli-config.json",
        "{\"permissions\": {\"allow\": [\"Shell(ls)\"], \"deny\": [\"Shell(rm)\", \"Read(.env*)\", \"Write(**/*.key)\"]}}",
    );
    home.write(
        ".cursor/hooks.json",
        "{\"version\": 1, \"hooks\": {\"beforeShellExecution\": [{\"command\": \"./guard.sh\"}]}}",
    );
    home.write(".cursor/commands/review.md", "Review for $5.\n");
    home.write(".cursor/commands/odd.md", "Say !`date`.\n");
    home.write(".cursor/skills/one/SKILL.md", "---\ndescription: d\n---\nOne.\n");
    home.write(".cursor/agents/checker.md", "---\nreadonly: true\n---\nCheck.\n");
    let shown = place.run(&["import", "cursor"]);
    assert!(shown.code == Some(0) && !home.exists("commands"), "{}", shown.err);
    let ran = place.run(&["import", "cursor", "--yes"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let (_, left) = ran.out.split_once("does not come over").unwrap();
    for text in ["allow Shell(ls)", "mcp old", "hook beforeShellExecution", "commands/odd.md", "agents/checker.md"] {
        assert!(left.contains(text), "{text}\n{}", ran.out);
    }
    let config = home.read("config.toml");
    for text in ["Bearer ${DOCS}", "TOKEN = \"${TOKEN}\"", "Bash(rm:*)", "Read(.env*)", "Edit(**/*.key)"] {
        assert!(config.contains(text), "{text}\n{config}");
    }
    assert_eq!(home.read("commands/review.md"), "Review for $$5.\n");
    assert!(home.exists("skills/one/SKILL.md") && !home.exists("agents"));
    brought_once(&place, "cursor");
}

#[test]
fn opencode_comes_over_too() {
    let place = Place::new(vec![]);
    let home = &place.home;
    home.write(
        ".config/opencode/opencode.jsonc",
        "{ // mine\n\"model\": \"x/y\", \"provider\": {\"mine\": {\"options\": {\"apiKey\": \"tok-secret-1\"}}},\n\
         \"mcp\": {\"files\": {\"type\": \"local\", \"command\": [\"npx\", \"-y\", \"server\"], \"environment\": {\"TOKEN\": \"{env:MINE}\"}},\n\
         \"docs\": {\"type\": \"remote\", \"url\": \"https://example.com/mcp\", \"headers\": {\"X-Key\": \"tok-secret-2\"}},\n\
         \"off\": {\"type\": \"local\", \"command\": [\"x\"], \"enabled\": false}},\n\
         \"permission\": {\"edit\": \"ask\", \"webfetch\": \"deny\", \"bash\": {\"*\": \"ask\", \"git push *\": \"deny\", \"git status\": \"allow\"}, \"doom_loop\": \"ask\"},\n\
         \"command\": {\"test\": {\"template\": \"Run the tests $ARGUMENTS\", \"description\": \"Tests\"},\n\
         \"../escaped\": {\"template\": \"x\"}, \"a/../../escaped\": {\"template\": \"x\"}},\n\
         \"agent\": {\"checker\": {\"tools\": {\"write\": false}}},\n}",
    );
    home.write(".config/opencode/AGENTS.md", "Be kind.\n");
    home.write(".config/opencode/commands/review.md", "Review $1.\n");
    // Of two that become one file the first counts.
    home.write(".config/opencode/commands/test.md", "twice\n");
    home.write(".config/opencode/agents/plain.md", "---\ntools:\n  bash: false\n---\nPlain.\n");
    home.write(".config/opencode/plugins/guard.ts", "export const Guard = 1\n");
    home.write(".local/share/opencode/auth.json", "{\"mine\": {\"key\": \"tok-secret-3\"}}");
    let ran = place.run(&["import", "opencode", "--yes"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let (_, left) = ran.out.split_once("does not come over").unwrap();
    for text in [
        "opencode.jsonc model",
        "provider mine",
        "mcp off",
        "permission bash *: ask",
        "git status: allow",
        "doom_loop",
        "agent checker",
        "agents/plain.md",
        "plugins/guard.ts",
        "auth.json",
    ] {
        assert!(left.contains(text), "{text}\n{}", ran.out);
    }
    let config = home.read("config.toml");
    for text in ["TOKEN = \"${MINE}\"", "X-Key = \"${DOCS_X_KEY}\"", "\"Edit\"", "\"Web\"", "Bash(git push:*)"] {
        assert!(config.contains(text), "{text}\n{config}");
    }
    assert!(!config.contains("\"Bash\""), "what allows some could not stand beside it: {config}");
    assert_eq!(home.read("commands/test.md"), "---\ndescription: \"Tests\"\n---\nRun the tests $ARGUMENTS\n");
    assert_eq!(
        (home.read("commands/review.md").as_str(), home.read("AGENTS.md").as_str()),
        ("Review $1.\n", "Be kind.\n")
    );
    assert!(!home.exists("agents") && !home.exists("escaped.md"), "a name leads nowhere else");
    assert!(left.contains("../escaped") && left.contains("a/../../escaped"), "{left}");
    brought_once(&place, "opencode");
}

#[test]
fn gemini_comes_over_too() {
    let place = Place::new(vec![]);
    let home = &place.home;
    home.write(
        ".gemini/settings.json",
        "{\"theme\": \"x\", \"mcp\": {\"excluded\": [\"off\"]}, \"tools\": {\"exclude\": [\"run_shell_command\"]}, \
         \"security\": {\"auth\": {\"selectedType\": \"oauth\"}}, \"mcpServers\": { // servers\n\
         \"docs\": {\"httpUrl\": \"https://example.com/mcp\", \"headers\": {\"Authorization\": \"Bearer tok-secret-1\"}}, \
         \"old\": {\"url\": \"https://example.com/sse\"}, \"off\": {\"command\": \"x\"}, \
         \"files\": {\"command\": \"npx\", \"args\": [\"-y\", \"server\"], \"env\": {\"TOKEN\": \"$MINE\"}, \"trust\": true, \"excludeTools\": [\"rm\"]}}}",
    );
    home.write(".gemini/GEMINI.md", "Be kind.\n");
    home.write(
        ".gemini/commands/git/commit.toml",
        "description = \"Commits\"\nprompt = \"\"\"Write about !{git diff --staged}: {{args}}\"\"\"\n",
    );
    home.write(".gemini/commands/bad.toml", "prompt = \"!{echo `date`}\"\n");
    home.write(".gemini/oauth_creds.json", "{\"access_token\": \"tok-secret-2\"}");
    home.write(".gemini/extensions/one/gemini-extension.json", "{}");
    let ran = place.run(&["import", "gemini", "--yes"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let (_, left) = ran.out.split_once("does not come over").unwrap();
    for text in [
        "settings.json theme",
        "settings.json tools",
        "settings.json security",
        "mcp old",
        "mcp off",
        "mcp files excludeTools",
        "mcp files trust",
        "commands/bad.md",
        "oauth_creds.json",
        "extensions/one",
    ] {
        assert!(left.contains(text), "{text}\n{}", ran.out);
    }
    let config = home.read("config.toml");
    for text in ["https://example.com/mcp", "${DOCS_AUTHORIZATION}", "TOKEN = \"${MINE}\""] {
        assert!(config.contains(text), "{text}\n{config}");
    }
    let command = home.read("commands/git/commit.md");
    assert_eq!(command, "---\ndescription: \"Commits\"\n---\nWrite about !`git diff --staged`: $ARGUMENTS\n");
    assert_eq!(home.read("AGENTS.md"), "Be kind.\n");
    brought_once(&place, "gemini");
}

/// No key came over, and a second import changes nothing.
fn brought_once(place: &Place, agent: &str) {
    let before = ours(place);
    let text: String = before.iter().map(|(_, text)| text.as_str()).collect();
    assert!(!text.contains("tok-secret"), "{text}");
    assert_eq!(place.run(&["import", agent, "--yes"]).code, Some(0));
    assert_eq!(ours(place), before);
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
