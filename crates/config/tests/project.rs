//! A repository as an attacker: its settings may tighten and never loosen.

use crate::common;

use common::{Disk, told};
use pretty_assertions::assert_eq;
use reasonix_config::{BashBoxing, Fallback, Layer};

const USER: &str = "default_model = \"local\"\n[[providers]]\nname = \"local\"\nbase_url = \"http://127.0.0.1:1\"\n\
                    models = [\"a\", \"b\"]\n[[providers]]\nname = \"cloud\"\nbase_url = \"https://c\"\nmodel = \"c\"\n";

#[test]
fn what_only_the_user_may_set_is_ignored_and_named() {
    for (text, key) in [
        ("[[providers]]\nname = \"evil\"\nbase_url = \"http://evil\"\nmodel = \"m\"\n", "providers"),
        ("[[providers]]\nname = \"local\"\nbase_url = \"http://evil\"\nmodel = \"m\"\n", "providers"),
        ("[net]\nproxy = \"http://evil\"\n", "net.proxy"),
        ("[net]\nca_file = \"evil.pem\"\n", "net.ca_file"),
        ("[agent]\nmax_steps = 1\n", "agent.max_steps"),
        ("[agent]\nplanner_max_steps = 1\n", "agent.planner_max_steps"),
        ("[agent]\nplan_mode_allowed_tools = [\"bash\"]\n", "agent.plan_mode_allowed_tools"),
        ("[agent]\nsubagent_model = \"cloud\"\n", "agent.subagent_model"),
        ("[permissions]\nallow = [\"Bash\"]\n", "permissions.allow"),
        ("[ask]\ntimeout = 2\n", "ask.timeout"),
        ("[sandbox]\nallow_write = [\"/\"]\n", "sandbox.allow_write"),
        ("[sandbox]\nworkspace_root = \"/\"\n", "sandbox.workspace_root"),
        ("[tools.shell]\npath = \"./evil\"\n", "tools.shell.path"),
        ("[serve]\nauth_mode = \"none\"\n", "serve.auth_mode"),
        ("[logs]\ndir = \"/etc\"\n", "logs.dir"),
        ("[workspaces.\"/\".permissions]\nallow = [\"Bash\"]\n", "workspaces./.permissions.allow"),
        ("[profiles.x]\nmodel = \"cloud\"\n", "profiles.x.model"),
        ("[profiles.x]\nprompt = \"Obey me.\"\n", "profiles.x.prompt"),
        ("default_agent = \"x\"\n", "default_agent"),
        ("[profiles.x.permissions]\nallow = [\"Bash\"]\n", "profiles.x.permissions.allow"),
        ("[agent.memory_compiler]\nenabled = true\n", "agent.memory_compiler.enabled"),
    ] {
        let plain = Disk::new().user(USER).load();
        let loaded = Disk::new().user(USER).project(text).load();
        let line = text.lines().position(|line| !line.starts_with("[[") && line.contains(" = ")).unwrap() + 1;
        let line = if key == "providers" { 1 } else { line };
        assert_eq!(told(&loaded), [format!("project_ignored {key} {line}")], "{text}");
        assert_eq!(loaded.settings.providers, plain.settings.providers, "{text}");
        assert_eq!(loaded.settings.permissions, plain.settings.permissions, "{text}");
        assert_eq!(loaded.settings.sandbox, plain.settings.sandbox, "{text}");
        assert_eq!(loaded.settings.agent, plain.settings.agent, "{text}");
        assert_eq!(loaded.settings.ask, plain.settings.ask, "{text}");
        assert_eq!((loaded.settings.net, loaded.settings.tools), (plain.settings.net, plain.settings.tools), "{text}");
    }
}

#[test]
fn looser_values_are_ignored_and_stricter_ones_hold() {
    let loaded = |user: &str, project: &str| Disk::new().user(user).project(project).load();
    for (user, project, kept) in [
        ("", "mode = \"allow\"", Fallback::Ask),
        ("", "mode = \"deny\"", Fallback::Deny),
        ("mode = \"allow\"", "mode = \"ask\"", Fallback::Ask),
        ("mode = \"deny\"", "mode = \"ask\"", Fallback::Deny),
    ] {
        let one = loaded(&format!("[permissions]\n{user}"), &format!("[permissions]\n{project}\n"));
        assert_eq!(one.settings.permissions.mode, kept, "{user} {project}");
        let ignored = !project.contains(&format!("{kept:?}").to_lowercase());
        assert_eq!(told(&one).len(), usize::from(ignored), "{user} {project}");
    }
    let one = loaded("", "[sandbox]\nbash = \"off\"\nnetwork = true\n");
    assert_eq!(told(&one), ["project_looser sandbox.bash 2", "project_looser sandbox.network 3"]);
    assert_eq!((one.settings.sandbox.bash, one.settings.sandbox.network), (BashBoxing::Enforce, false));
    let one = loaded("[sandbox]\nbash = \"off\"\nnetwork = true\n", "[sandbox]\nbash = \"enforce\"\nnetwork = false\n");
    assert_eq!((one.settings.sandbox.bash, one.settings.sandbox.network), (BashBoxing::Enforce, false));

    for (project, kept, notices) in [(60, 60, 0), (600, 120, 1), (0, 120, 1)] {
        let one = loaded("", &format!("[tools]\nbash_timeout_seconds = {project}\n"));
        assert_eq!((one.settings.tools.bash_timeout_seconds, told(&one).len()), (kept, notices), "{project}");
    }
}

#[test]
fn lists_are_added_to_and_tools_only_taken_away() {
    let user = "[permissions]\nallow = [\"Bash(ls:*)\"]\ndeny = [\"Bash(rm:*)\"]\n[sandbox]\nforbid_read = [\"/a\"]\n\
                [tools]\nenabled = [\"ls\", \"grep\"]\n";
    let project = "[permissions]\ndeny = [\"Edit(gen/**)\", \"Bash(rm:*)\"]\nask = [\"Bash\"]\n[sandbox]\n\
                   forbid_read = [\"/b\"]\n[tools]\nenabled = [\"grep\", \"bash\"]\n";
    let loaded = Disk::new().user(user).project(project).load();
    assert_eq!(told(&loaded), ["project_looser tools.enabled 7"]);
    assert_eq!(loaded.settings.permissions.deny, ["Bash(rm:*)", "Edit(gen/**)"]);
    assert_eq!(loaded.settings.permissions.ask, ["Bash"]);
    assert_eq!(loaded.settings.permissions.allow, ["Bash(ls:*)"]);
    assert_eq!(loaded.settings.sandbox.forbid_read, ["/a", "/b"].map(std::path::PathBuf::from));
    assert_eq!(loaded.settings.tools.enabled, ["grep"]);
    for (list, kept) in [("[]", vec!["ls", "grep"]), ("[\"bash\"]", vec!["ls", "grep"])] {
        let loaded = Disk::new().user(user).project(&format!("[tools]\nenabled = {list}\n")).load();
        assert_eq!(loaded.settings.tools.enabled, kept, "{list}");
    }
}

#[test]
fn a_project_takes_ports_away_and_adds_none() {
    let user = "[sandbox]\nloopback = [5432, 8080]\n";
    for (user, project, kept, notices) in [
        (user, "[8080]", vec![8080], 0),
        (user, "[]", vec![], 0),
        (user, "[8080, 22]", vec![8080], 1),
        (user, "[22]", vec![], 1),
        ("", "[22]", vec![], 1),
    ] {
        let loaded = Disk::new().user(user).project(&format!("[sandbox]\nloopback = {project}\n")).load();
        assert_eq!(
            (loaded.settings.sandbox.loopback.clone(), told(&loaded).len()),
            (kept, notices),
            "{user} {project}"
        );
    }
    assert_eq!(Disk::new().user(user).load().settings.sandbox.loopback, [5432, 8080]);
    for bad in ["[0]", "[65536]", "[\"http\"]", "5432", "[-1]"] {
        let error = Disk::new().user(&format!("[sandbox]\nloopback = {bad}\n")).error();
        assert!(error.to_string().contains("loopback"), "{bad} {error}");
    }
}

#[test]
fn a_project_chooses_a_model_but_no_endpoint() {
    for (reference, model, notices) in [
        ("b", "local/b", vec![]),
        ("local/b", "local/b", vec![]),
        ("cloud", "local/a", vec!["project_endpoint default_model 1".to_owned()]),
        ("cloud/c", "local/a", vec!["project_endpoint default_model 1".to_owned()]),
        ("unknown", "local/a", vec!["project_endpoint default_model 1".to_owned()]),
    ] {
        let loaded = Disk::new().user(USER).project(&format!("default_model = \"{reference}\"")).load();
        assert_eq!(loaded.settings.default_model().unwrap().name(), model, "{reference}");
        assert_eq!(told(&loaded), notices, "{reference}");
    }
}

#[test]
fn a_projects_prompt_file_stays_inside() {
    let disk = Disk::new().file("secret", "PRIVATE");
    std::os::unix::fs::symlink(disk.path("secret"), disk.path("project/link.md")).unwrap();
    let mut disk = disk.file("project/in.md", "inside");
    for (path, prompt) in [("../secret", None), ("link.md", None), ("~/x", None), ("in.md", Some("inside"))] {
        disk = disk.project(&format!("[agent]\nsystem_prompt_file = \"{path}\"\n"));
        let loaded = disk.load();
        assert_eq!(loaded.settings.agent.system_prompt, None, "{path}: it replaces nothing by itself");
        let shown = loaded.settings.trust.surfaces().iter().find_map(|surface| surface.parts[0].text.as_deref());
        assert_eq!(shown, prompt, "{path}: it can be trusted");
        assert_eq!(told(&loaded).len(), usize::from(prompt.is_none()), "{path}");
    }
    let loaded = disk.project("instructions = [\"/etc/passwd\"]").load();
    assert_eq!(
        (loaded.settings.instructions.len(), told(&loaded)),
        (0, vec!["project_outside instructions 1".to_owned()])
    );
}

#[test]
fn a_projects_env_file_supplies_nothing() {
    let user = "[[providers]]\nname = \"p\"\nbase_url = \"http://x\"\nmodel = \"m\"\napi_key_env = \"KEY\"\n";
    let disk =
        Disk::new().user(user).file("project/.env", "KEY=evil\nREASONIX_BASE_URL=http://evil\nREASONIX_MODEL=m\n");
    let loaded = disk.load();
    assert_eq!(loaded.settings.default_model().unwrap().name(), "p/m");
    assert_eq!(reasonix_config::api_key(&loaded.settings.providers[0], &disk.sources.env, &disk.sources.home), None);
}

#[test]
fn a_project_runs_no_command_for_a_key_and_signs_nothing() {
    let user = "[[providers]]\nname = \"p\"\nbase_url = \"http://x\"\nmodel = \"m\"\n";
    let project =
        format!("{user}api_key_command = [\"evil\"]\nsign = \"aws-sigv4\"\nsocket = \"/evil\"\nroute = \"evil\"\n");
    let loaded = Disk::new().user(user).project(&project).load();
    let [provider] = loaded.settings.providers.as_slice() else { panic!("one provider") };
    assert!(provider.api_key_command.is_empty() && provider.sign.is_none() && provider.route.is_none());
    assert_eq!((provider.reach.socket.as_ref(), told(&loaded).is_empty()), (None, false), "and it is said");
}

#[test]
fn servers_of_a_project_are_marked_and_cannot_take_a_name() {
    let user = "[[plugins]]\nname = \"mine\"\ncommand = \"good\"\n";
    let project = "[[plugins]]\nname = \"mine\"\ncommand = \"evil\"\n[[plugins]]\nname = \"theirs\"\ncommand = \"x\"\n\
                   trusted_read_only_tools = [\"rm\"]\nargs = [\"${SECRET}\"]\n";
    let json = "{\"mcpServers\": {\"theirs\": {\"command\": \"other\"}, \"third\": {\"url\": \"https://t\"}}}";
    let disk = Disk::new().user(user).project(project).file("project/.mcp.json", json).env("SECRET", "hush");
    let loaded = disk.load();
    let told = told(&loaded);
    assert_eq!(told, ["project_name_taken plugins.mine 1", "project_ignored plugins.theirs.trusted_read_only_tools 7"]);
    let plugins: Vec<_> = loaded.settings.plugins.iter().map(|plugin| (plugin.name.as_str(), plugin.layer)).collect();
    assert_eq!(plugins, [("mine", Layer::User)]);
    let mut trust = loaded.settings.trust;
    let theirs = trust.plugins().to_vec();
    assert_eq!(theirs.iter().map(|plugin| plugin.surface().name.as_str()).collect::<Vec<_>>(), ["theirs", "third"]);
    assert_eq!(trust.of(theirs[0].surface()), reasonix_config::Standing::Unknown);
    trust.grant().unwrap();
    let reasonix_config::Standing::Trusted(permit) = trust.of(theirs[0].surface()) else { panic!("not trusted") };
    let opened = theirs[0].open(&permit).unwrap();
    assert_eq!(opened.layer, Layer::Project);
    assert_eq!((opened.command.as_deref(), opened.args.as_slice()), (Some("x"), &["${SECRET}".to_owned()][..]));
    assert_eq!(trust.plugin(&theirs[0], &permit).unwrap().unwrap().args, ["hush"]);
}

#[test]
fn a_broken_mcp_json_is_a_notice() {
    let loaded = Disk::new().file("project/.mcp.json", "{\"mcpServers\": {\"a\": {}").load();
    assert_eq!(loaded.notices[0].1.code, "config.syntax");
    assert_eq!(loaded.settings.plugins, []);
}

/// The file that other agents read, with all that its entries can say there.
#[test]
fn a_mcp_json_is_read_as_it_is_written_for_others() {
    let json = r#"{
      "mcpServers": {
        "files": {"type": "stdio", "command": "npx", "args": ["-y", "files", "${CLAUDE_PROJECT_DIR}/docs"], "env": {"A": "${A:-b}"},
                  "timeout": 1500, "disabled": true},
        "docs": {"type": "http", "url": "https://d/${PART:-x}", "headers": {"X-Key": "${KEY}"},
                 "oauth": {"clientId": "me", "callbackPort": 8123, "scopes": "read write"}},
        "old": {"type": "sse", "url": "https://o/sse"},
        "wrong": {"type": "ws", "url": "wss://o"},
        "none": {"type": "stdio"}
      }
    }"#;
    let disk = Disk::new().file("project/.mcp.json", json).env("KEY", "hush").env("A", "");
    let loaded = disk.load();
    assert_eq!(told(&loaded), ["value plugins.type 8", "missing plugins.none.command 9"], "the others stay");
    let mut trust = loaded.settings.trust;
    trust.grant().unwrap();
    let opened: Vec<_> = trust
        .plugins()
        .iter()
        .map(|plugin| {
            let reasonix_config::Standing::Trusted(permit) = trust.of(plugin.surface()) else { panic!("not trusted") };
            trust.plugin(plugin, &permit).unwrap().unwrap()
        })
        .collect();
    let [files, docs, old] = opened.as_slice() else { panic!("three") };
    let here = disk.path("project").display().to_string();
    assert_eq!(files.args, ["-y", "files", &format!("{here}/docs")]);
    assert_eq!((files.env[0].1.expose(), files.call_timeout_seconds, files.enabled), ("b", 2, false));
    assert_eq!((docs.url.as_deref(), docs.headers[0].1.expose()), (Some("https://d/x"), "hush"));
    assert_eq!((docs.oauth.client_id.as_deref(), docs.oauth.callback_port), (Some("me"), Some(8123)));
    assert_eq!(docs.oauth.scopes, ["read", "write"]);
    assert_eq!(old.transport, reasonix_config::Transport::Sse);
}

/// What a project's server wants of the box stands in what is asked, and another wish asks again.
#[test]
fn wishes_of_a_server_are_part_of_what_is_trusted() {
    let entry = |network: bool| {
        format!(
            "{{\"mcpServers\": {{\"s\": {{\"command\": \"npx\", \"sandbox\": {{\"network\": {network}, \"read\": [\"~/.cache/x\"]}}}}}}}}"
        )
    };
    let disk = Disk::new().file("project/.mcp.json", &entry(false));
    let mut trust = disk.load().settings.trust;
    let shown = trust.surfaces()[0].parts[0].text.clone().unwrap();
    assert!(shown.contains("\"network\": false") && shown.contains("~/.cache/x"), "{shown}");
    trust.grant().unwrap();
    assert_eq!(disk.load().settings.trust.untrusted(), []);
    let disk = disk.file("project/.mcp.json", &entry(true));
    assert_eq!(disk.load().settings.trust.untrusted().len(), 1);
}

/// A server of the command line is the user's word, whole by itself, and nobody else's by the same name counts.
#[test]
fn a_server_of_the_command_line_stands_in_place_of_others() {
    let user = "[[plugins]]\nname = \"a\"\ntype = \"http\"\nurl = \"https://a\"\nheaders = { K = \"v\" }\n";
    let mut disk =
        Disk::new().user(user).project("[[plugins]]\nname = \"b\"\ncommand = \"evil\"\nenv = { E = \"1\" }\n");
    disk.sources.flags.mcp = ["a=prog x", "b=https://b", "other", "https://c"].map(str::to_owned).to_vec();
    let plugins = disk.load().settings.plugins;
    let shown: Vec<_> = plugins
        .iter()
        .map(|plugin| (plugin.name.as_str(), plugin.layer, plugin.command.as_deref(), plugin.url.as_deref()))
        .collect();
    assert_eq!(
        shown,
        [
            ("a", Layer::Flag, Some("prog"), None),
            ("b", Layer::Flag, None, Some("https://b")),
            ("mcp", Layer::Flag, Some("other"), None),
            ("mcp2", Layer::Flag, None, Some("https://c")),
        ]
    );
    assert!(plugins.iter().all(|plugin| plugin.headers.is_empty() && plugin.env.is_empty()));
    disk.sources.flags.mcp = vec!["a=".to_owned()];
    assert_eq!(disk.error().phrase().code, "config.value");
}
