//! From settings to servers: whose they are, whether they may be used, and what they may take. Nothing is started for it.

use reasonix_config::{Loaded, Settings, Sources, load};
use reasonix_engine::{ConfiguredServer, ServerAbsence, ServerOrigin, World, configured_servers};
use reasonix_exec::Confinement;
use reasonix_mcp::{ServerReach, Servers, Surroundings};
use reasonix_workspace::Workspace;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

struct Disk {
    dir: tempfile::TempDir,
    env: BTreeMap<String, String>,
}

impl Disk {
    fn new(user: &str, project: &str, json: &str) -> Self {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("home/config.toml", user);
        write("work/reasonix.toml", project);
        if !json.is_empty() {
            write("work/.mcp.json", json);
        }
        let env = [("HOME", "/home/me"), ("TOKEN", "hush")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self { dir, env: env.into() }
    }

    fn work(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    fn load(&self) -> Loaded {
        let home = self.dir.path().join("home");
        load(&Sources { home, project: self.work(), env: self.env.clone(), ..Sources::default() }).unwrap()
    }

    fn servers(&self) -> Vec<ConfiguredServer> {
        self.servers_of(self.load().settings)
    }

    fn servers_of(&self, settings: Settings) -> Vec<ConfiguredServer> {
        let trust = settings.trust.clone();
        let world = World::new(settings, self.env.clone(), self.dir.path().join("home"));
        let workspace = Workspace::open(&self.work(), reasonix_workspace::Options::default()).unwrap();
        configured_servers(&world, &workspace, &trust)
    }
}

const USER: &str = "[tools]\nmcp_call_timeout_seconds = 100\n\
    [[plugins]]\nname = \"mine\"\ncommand = \"prog\"\nargs = [\"${TOKEN}\", \"${CLAUDE_PROJECT_DIR}\"]\nstart_timeout_seconds = 5\n\
    tool_timeout_seconds = { slow = 900 }\ntrusted_read_only_tools = [\"look\"]\n\
    [[plugins]]\nname = \"off\"\ncommand = \"x\"\ndisabled = true\n\
    [[plugins]]\nname = \"unset\"\ncommand = \"${NOT_THERE}\"\n\
    [[plugins]]\nname = \"web\"\ntype = \"http\"\nurl = \"https://w/mcp\"\nheaders = { A = \"${TOKEN}\" }\n\
    [[plugins]]\nname = \"old\"\ntype = \"sse\"\nurl = \"https://o/sse\"\n";

const PROJECT: &str = "[[plugins]]\nname = \"both\"\ncommand = \"./first\"\n\
    [[plugins]]\nname = \"mine\"\ncommand = \"evil\"\n";

const JSON: &str = "{\"mcpServers\": {\"both\": {\"command\": \"second\"}, \"json\": {\"command\": \"node\"}}}";

#[test]
fn servers_come_from_the_user_and_after_a_yes_from_the_project() {
    let disk = Disk::new(USER, PROJECT, JSON);
    let states = |servers: &[ConfiguredServer]| {
        let state = |server: &ConfiguredServer| match &server.reach {
            Ok(_) => "ready".to_owned(),
            Err(absence) => absence.word().to_owned(),
        };
        servers
            .iter()
            .map(|server| format!("{} {} {}", server.origin.word(), server.name, state(server)))
            .collect::<Vec<_>>()
    };
    let before = disk.servers();
    assert_eq!(
        states(&before),
        [
            "user mine ready",
            "user off off",
            "user unset unset",
            "user web ready",
            "user old refused",
            "project both untrusted",
            "project json untrusted",
        ]
    );
    assert_eq!(before[0].readers, ["look"]);
    assert_eq!(before[2].reach.as_ref().err(), Some(&ServerAbsence::Unset { variable: "NOT_THERE".to_owned() }));
    disk.load().settings.trust.grant().unwrap();
    let after = disk.servers();
    assert_eq!(states(&after)[5..], ["project both ready", "project json ready"]);
    assert_eq!(after[5].origin, ServerOrigin::Project);
    let program = |server: &ConfiguredServer| match &server.reach.as_ref().unwrap().reach {
        ServerReach::Boxed { command, .. } => (command.program.clone(), command.args.clone(), command.cwd.clone()),
        other => panic!("{other:?}"),
    };
    let work = disk.work().canonicalize().unwrap();
    let given = vec!["hush".into(), work.clone().into()];
    assert_eq!(program(&after[0]), ("prog".into(), given, "/".into()), "no folder has a say in what the user's own is");
    let (first, _, from) = program(&after[5]);
    assert_eq!(
        (first, from),
        (work.join("./first").into(), work),
        "reasonix.toml before .mcp.json, and from its folder"
    );
    // A change asks again.
    fs::write(disk.work().join(".mcp.json"), JSON.replace("node", "deno")).unwrap();
    assert_eq!(states(&disk.servers())[5..], ["project both ready", "project json changed"]);
}

/// The yes was for the files of the project's folder: in one below it, the same names could be others.
#[test]
fn a_project_s_server_starts_in_the_project_s_folder_wherever_the_session_works() {
    let project = "[[plugins]]\nname = \"one\"\ncommand = \"sh\"\nargs = [\"run.sh\"]\n";
    let disk = Disk::new("", project, "");
    let sub = disk.work().join("sub");
    fs::create_dir_all(&sub).unwrap();
    fs::write(disk.work().join("run.sh"), "true\n").unwrap();
    fs::write(sub.join("run.sh"), "evil\n").unwrap();
    let home = disk.dir.path().join("home");
    let (project, root, env) = (disk.work(), sub.clone(), disk.env.clone());
    let sources = Sources { home: home.clone(), project, root, env, ..Sources::default() };
    load(&sources).unwrap().settings.trust.grant().unwrap();
    let settings = load(&sources).unwrap().settings;
    let trust = settings.trust.clone();
    let workspace = Workspace::open(&sub, reasonix_workspace::Options::default()).unwrap();
    let servers = configured_servers(&World::new(settings, disk.env.clone(), home), &workspace, &trust);
    let reach = &servers[0].reach.as_ref().unwrap().reach;
    let ServerReach::Boxed { command, .. } = reach else { panic!("{reach:?}") };
    let work = disk.work().canonicalize().unwrap();
    assert_eq!(command.cwd, work);
    let told = command.environment.vars().find(|(name, _)| *name == "CLAUDE_PROJECT_DIR");
    assert_eq!(told.map(|(_, value)| PathBuf::from(value)), Some(work));
}

#[test]
fn limits_and_headers_are_those_of_the_settings() {
    let servers = Disk::new(USER, "", "").servers();
    let limits = &servers[0].reach.as_ref().unwrap().limits;
    assert_eq!(limits.handshake, Duration::from_secs(5));
    assert_eq!(
        (limits.of_call("x"), limits.of_call("slow")),
        (Some(Duration::from_secs(100)), Some(Duration::from_secs(900)))
    );
    let ServerReach::Http { url, headers, .. } = &servers[3].reach.as_ref().unwrap().reach else { panic!("http") };
    assert_eq!((url.as_str(), headers.as_slice()), ("https://w/mcp", &[("A".to_owned(), "hush".to_owned())][..]));
}

/// The transport of 2024 says what to use instead; nothing is connected for that.
#[test]
fn the_older_transport_is_refused_with_what_to_use() {
    let servers = Disk::new(USER, "", "").servers();
    let Err(ServerAbsence::Refused { reason }) = &servers[4].reach else { panic!("{:?}", servers[4]) };
    assert!(reason.contains("type = \"http\"") && reason.contains("/mcp"), "{reason}");
}

/// The first of those that look alike counts; one that is off keeps nothing but its own name.
#[test]
fn a_look_alike_is_there_and_not_used() {
    let entry = |name: &str, more: &str| format!("[[plugins]]\nname = \"{name}\"\ncommand = \"x\"\n{more}");
    let user = [entry("q-r", "disabled = true\n"), entry("q_r", ""), entry("s", ""), entry("S", ""), entry("5", "")];
    let servers = Disk::new(&user.concat(), "", "").servers();
    let states = servers.iter().map(|server| server.reach.as_ref().err().map_or("ready", ServerAbsence::word));
    assert_eq!(states.collect::<Vec<_>>(), ["off", "ready", "ready", "twin", "twin"]);
    let Err(ServerAbsence::Twin { other, place }) = &servers[4].reach else { panic!("{:?}", servers[4]) };
    assert_eq!((other.as_str(), place), ("s", &servers[2].place));
}

/// The user's own have the network, a project's do not unless that was part of what the user said yes to; nobody sees keys.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_project_s_server_has_no_network_by_itself() {
    let entry = |name: &str, more: &str| {
        let line =
            format!("readlink /proc/self/ns/net > $CLAUDE_PROJECT_DIR/{name}; env > $CLAUDE_PROJECT_DIR/{name}.env");
        format!(
            "[[plugins]]\nname = \"{name}\"\ncommand = \"/bin/bash\"\nargs = [\"-c\", '{line}']\nenv = {{ A = \"1\" }}\n{more}\n"
        )
    };
    let user = format!(
        "[[providers]]\nname = \"p\"\nkind = \"openai\"\nbase_url = \"http://x\"\nmodels = [\"m\"]\napi_key_env = \"CI\"\n{}",
        entry("mine", "")
    );
    let disk = Disk::new(&user, &format!("{}{}", entry("shut", ""), entry("open", "sandbox = { network = true }")), "");
    disk.load().settings.trust.grant().unwrap();
    let servers = disk.servers();
    for server in &servers {
        let ServerReach::Boxed { confine, .. } = &server.reach.as_ref().unwrap().reach else { panic!("boxed") };
        if let Confinement::Refused { reason, .. } = confine() {
            assert!(std::env::var_os("REASONIX_E2E").is_none(), "{reason}");
            eprintln!("skipped: {reason}");
            return;
        }
    }
    let names: Vec<String> = servers.iter().map(|server| server.name.clone()).collect();
    let all =
        Servers::new(servers.into_iter().filter_map(|server| server.reach.ok()).collect(), &Surroundings::default());
    for name in &names {
        assert!(all.listing(name).await.is_err(), "it is no server");
    }
    let seen = |name: &str| fs::read_to_string(disk.work().join(name)).unwrap();
    let machine = fs::read_link("/proc/self/ns/net").unwrap().display().to_string();
    assert_eq!((seen("mine").trim(), seen("open").trim()), (machine.as_str(), machine.as_str()));
    assert_ne!(seen("shut").trim(), machine);
    let env = seen("mine.env");
    assert!(env.contains("A=1\n") && env.contains("CLAUDE_PROJECT_DIR=") && !env.contains("\nCI="), "{env}");
}
