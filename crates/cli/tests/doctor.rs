//! `doctor --attack`, `doctor --net`, and the rules that `doctor` tries out.

use serde_json::Value;
use std::process::Command;

fn doctor(config: &str, args: &[&str]) -> (i32, String, std::path::PathBuf, tempfile::TempDir) {
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let (home, work) = (place.path().join("home"), place.path().join("work"));
    std::fs::create_dir(&home).unwrap();
    std::fs::create_dir(&work).unwrap();
    std::fs::write(home.join("config.toml"), config).unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_reasonix"))
        .arg("doctor")
        .args(args)
        .current_dir(&work)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", &home)
        .env("REASONIX_HOME", &home)
        .env("LANG", "C")
        .output()
        .unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    (out.status.code().unwrap(), text, home, place)
}

#[test]
#[cfg(target_os = "linux")]
fn attacks_are_tried_and_nothing_stays_behind() {
    let (code, text, home, _place) = doctor("[sandbox]\nbash = \"best-effort\"\n", &["--attack", "--json"]);
    let all: Value = serde_json::from_str(text.trim()).unwrap_or_else(|_| panic!("{text}"));
    if all["level"].is_null() && std::env::var_os("REASONIX_E2E").is_none() {
        assert_eq!(code, 3, "{text}");
        return;
    }
    assert_eq!((code, all["not_held"].as_u64()), (0, Some(0)), "{text}");
    assert!(all["attacks"].as_array().unwrap().len() >= 25 && all["held"].as_u64().unwrap() >= 10, "{text}");
    for row in all["attacks"].as_array().unwrap() {
        assert!(row["id"].is_string() && row["tried"].is_string() && row["result"].is_string(), "{row}");
    }
    let left = std::fs::read_dir(home.join("state")).unwrap().flatten();
    assert!(left.into_iter().all(|entry| !entry.file_name().to_string_lossy().starts_with("attack")));
}

#[test]
fn without_a_box_there_is_nothing_to_try() {
    let (code, text, ..) = doctor("[sandbox]\nbash = \"off\"\n", &["--attack"]);
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("there is no box to try") && text.contains("hint"), "{text}");
}

#[test]
fn every_address_is_listed_and_none_is_connected_to() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let port = server.local_addr().unwrap().port();
    let config = format!(
        "default_model = \"one\"\n[[providers]]\nname = \"one\"\nkind = \"openai\"\nmodel = \"m\"\n\
         base_url = \"http://127.0.0.1:{port}/v1\"\n[[providers]]\nname = \"two\"\nkind = \"openai\"\nmodel = \"n\"\n\
         base_url = \"https://me:secret@two.example/v1\"\n[net]\nproxy = \"http://user:secret@proxy.example:3128\"\n\
         [sandbox]\nallow_hosts = [\"crates.example\", \"@npm\"]\n"
    );
    let (code, text, ..) = doctor(&config, &["--net"]);
    assert_eq!(code, 0, "{text}");
    for part in [
        &format!("http://127.0.0.1:{port}/v1"),
        "https://two.example/v1",
        "proxy.example:3128",
        "crates.example",
        "registry.npmjs.org",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("secret"), "{text}");
    assert!(server.accept().is_err(), "it connected");
    let addresses = text.lines().filter(|line| !line.starts_with(' ')).count() - 1;
    let (code, text, ..) = doctor(&config, &["--net", "--json"]);
    let all: Value = serde_json::from_str(text.trim()).unwrap_or_else(|_| panic!("{text}"));
    assert_eq!((code, all["addresses"].as_array().unwrap().len()), (0, addresses), "{text}");
}

#[test]
fn rules_are_tried_out() {
    let config = "[permissions]\ndeny = [\"Bash(npm:*)\", \"run_command\"]\nallow = [\"Bash(npm test:*)\", \"Bash(rm:*)\", \"Bash(cargo test:*)\"]\n\
                  dangerous = [\"make deploy\", \"rm\"]\n";
    let (_, text, ..) = doctor(config, &["--offline"]);
    for part in [
        "permissions.deny run_command never matches: no tool has this name",
        "permissions.allow Bash(npm test:*) is never reached: Bash(npm:*) decides before it",
        "permissions.allow Bash(rm:*) never allows anything",
        "permissions.dangerous make deploy matches, for example: make deploy x",
        "permissions.dangerous rm: already dangerous without it",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("Bash(cargo test:*)"), "{text}");
}

#[test]
fn a_preset_of_hosts_that_does_not_exist_is_named() {
    let config = "[sandbox]\nallow_hosts = [\"@crago\", \"@cargo\", \"crates.example\"]\n";
    let (_, text, ..) = doctor(config, &["--offline"]);
    assert!(text.contains("there is no preset @crago") && !text.contains("preset @cargo"), "{text}");
}

#[test]
fn a_shell_that_is_not_there_is_bad() {
    let (code, text, ..) = doctor("[tools.shell]\npath = \"/nope/sh\"\n", &["--offline"]);
    assert_eq!(code, 1, "{text}");
    let line = text.lines().find(|line| line.contains("/nope/sh")).unwrap_or_default();
    assert!(line.starts_with("BAD") && text.contains("tools.shell.path /bin/bash"), "{text}");
    let (_, text, ..) = doctor("[tools.shell]\npath = \"/bin/bash\"\n", &["--offline"]);
    assert!(text.lines().any(|line| line.starts_with("ok") && line.contains("/bin/bash (tools.shell.path)")), "{text}");
}

#[test]
fn a_fallback_of_a_family_without_tools_is_named() {
    let (_, text, ..) = doctor("[permissions.fallbacks]\nWeb = \"deny\"\nRead = \"ask\"\n", &["--offline"]);
    assert!(text.contains("permissions.fallbacks.Web does nothing"), "{text}");
    assert!(!text.contains("fallbacks.Read does nothing"), "{text}");
}
