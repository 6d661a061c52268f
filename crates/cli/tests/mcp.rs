//! `reasonix mcp`: what is configured, what it has, and the user's own entries; nothing that is not trusted starts.

use crate::support;

use reasonix_testkit::Reply;
use serde_json::{Value, json};
use support::{Place, unboxed};

const SERVER: &str = include_str!("../../mcp/tests/fixtures/hostile.sh");

/// A user's server and one of the project, each of which leaves a trace when it starts.
fn place() -> Place {
    let place = Place::new(vec![Reply::say("hello")]);
    place.configure(unboxed());
    place.work.write("server.sh", format!("touch \"$CLAUDE_PROJECT_DIR/ran-$1\"\n{SERVER}"));
    place
}

fn with_project_server() -> Place {
    let place = place();
    let entry = json!({"command": "bash", "args": ["server.sh", "project"], "sandbox": {"network": true}});
    place.work.write(".mcp.json", json!({"mcpServers": {"theirs": entry}}).to_string());
    place
}

fn started(place: &Place) -> Vec<String> {
    let entries = std::fs::read_dir(place.work.path()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("ran-")).collect()
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a1_no_command_starts_a_server_that_is_not_trusted() {
    let place = with_project_server();
    for (args, code) in [
        (&["mcp"][..], 0),
        (&["mcp", "list"], 0),
        (&["mcp", "list", "--json"], 0),
        (&["mcp", "show", "theirs"], 3),
        (&["mcp", "test", "theirs"], 3),
        (&["mcp", "test", "theirs", "--json"], 3),
        (&["mcp", "login", "theirs"], 3),
        (&["mcp", "trust", "theirs", "act"], 0),
        (&["mcp", "untrust", "theirs", "act"], 0),
        (&["mcp", "remove", "theirs"], 2),
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(code), "{args:?}: {}", ran.err);
        assert_eq!(started(&place), [""; 0], "{args:?}");
    }
    let refused = place.run(&["mcp", "test", "theirs"]).err;
    assert!(refused.contains("you did not trust it") && refused.contains("`reasonix trust`"), "{refused}");
    let listed = json_of(&place.run(&["mcp", "list", "--json"]).out);
    assert_eq!((listed[0]["state"].as_str(), listed[0]["origin"].as_str()), (Some("untrusted"), Some("project")));
    // What it wants of the box is part of what is asked.
    let asked = place.run(&["trust", "--show"]).out;
    assert!(asked.contains("\"network\": true"), "{asked}");
}

#[test]
fn servers_are_added_with_comments_kept_tested_shown_and_removed() {
    let place = place();
    let file = place.home.join("config.toml");
    let before = format!("# mine\n{}# the end\n", std::fs::read_to_string(&file).unwrap());
    std::fs::write(&file, &before).unwrap();
    let ran = place.run(&[
        "mcp",
        "add",
        "own",
        "--env",
        "TOKEN=${NOT_SET:-x}",
        "--",
        "bash",
        "${CLAUDE_PROJECT_DIR}/server.sh",
        "own",
    ]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let after = std::fs::read_to_string(&file).unwrap();
    assert!(after.contains("# mine\n") && after.contains("# the end\n") && after.contains("name = \"own\""), "{after}");
    assert_eq!(place.run(&["mcp", "add", "own", "--", "x"]).code, Some(2), "a name is taken once");
    assert_eq!(place.run(&["mcp", "add", "no name", "--", "x"]).code, Some(2));
    let ran = place.run(&["mcp", "add", "npx", "some-server"]);
    assert!(ran.code == Some(2) && ran.err.contains("behind `--`"), "{}", ran.err);
    let ran = place.run(&["mcp", "add", "web", "https://w.example/mcp?key=SECRET", "-H", "A: SECRET", "--json"]);
    assert_eq!(json_of(&ran.out)["added"], "web");
    let listed = place.run(&["mcp"]).out;
    assert!(listed.contains("own  user  ready  bash") && listed.contains("https://w.example/mcp"), "{listed}");
    assert!(!listed.contains("SECRET"), "{listed}");
    assert_eq!(started(&place), [""; 0], "a list starts nothing");

    let tested = json_of(&place.run(&["mcp", "test", "own", "--json"]).out);
    assert_eq!((tested["works"].as_bool(), tested["tools"].as_u64()), (Some(true), Some(1)));
    assert_eq!(started(&place), ["ran-own"]);
    assert_eq!(place.run(&["mcp", "trust", "own", "act"]).code, Some(0));
    let report = json_of(&place.run(&["mcp", "show", "own", "--json"]).out);
    let tools = &report["tools"];
    assert_eq!((tools["supported"].as_bool(), tools["items"][0]["name"].as_str()), (Some(true), Some("act")));
    assert_eq!(tools["items"][0]["trusted_reader"], true);
    assert_eq!(
        (report["prompts"]["supported"].as_bool(), report["prompts"]["reason"].is_string()),
        (Some(false), true)
    );
    assert!(report["protocolVersion"].is_string() && report["capabilities"]["tools"].is_object(), "{report}");
    let shown = place.run(&["mcp", "show", "own"]).out;
    assert!(shown.contains("tools: 1") && shown.contains("act *") && shown.contains("prompts: it has none"), "{shown}");
    assert_eq!(place.run(&["mcp", "untrust", "own", "act"]).code, Some(0));
    let report = json_of(&place.run(&["mcp", "show", "own", "--json"]).out);
    assert_eq!(report["tools"]["items"][0]["trusted_reader"], false);

    assert_eq!(place.run(&["mcp", "remove", "own"]).code, Some(0));
    assert_eq!(place.run(&["mcp", "remove", "web"]).code, Some(0));
    assert_eq!(place.run(&["mcp", "remove", "web"]).code, Some(2));
    let last = std::fs::read_to_string(&file).unwrap();
    assert!(last.contains("# mine\n") && last.contains("# the end") && !last.contains("plugins"), "{last}");
}

#[test]
fn errors_say_what_to_do_in_both_languages() {
    let place = place();
    place.configure(&format!(
        "{}[[plugins]]\nname = \"old\"\ntype = \"sse\"\nurl = \"https://o.example/sse\"\n\
         [[plugins]]\nname = \"gone\"\ncommand = \"no-such-program-here\"\n\
         [[plugins]]\nname = \"unset\"\ncommand = \"${{NOT_SET_ANYWHERE}}\"\n",
        unboxed()
    ));
    let said = |args: &[&str]| place.run(args).err;
    let old = said(&["mcp", "test", "old"]);
    assert!(old.contains("type = \"http\""), "{old}");
    let gone = said(&["mcp", "test", "gone"]);
    assert!(gone.contains("is not there") && gone.contains("Check its command"), "{gone}");
    let unset = said(&["mcp", "test", "unset"]);
    assert!(unset.contains("NOT_SET_ANYWHERE") && unset.contains("write a default"), "{unset}");
    let nothing = said(&["mcp", "login", "gone"]);
    assert!(nothing.contains("there is nothing to log in to"), "{nothing}");
    let none = said(&["mcp", "show", "nobody"]);
    assert!(none.contains("there is no MCP server nobody") && none.contains("`reasonix mcp list`"), "{none}");
    let chinese = place.command(&["mcp", "show", "nobody"]).env("REASONIX_LANG", "zh").output().unwrap();
    let chinese = String::from_utf8_lossy(&chinese.stderr).into_owned();
    assert!(chinese.contains("没有名为 nobody 的 MCP 服务器"), "{chinese}");
}

/// What a session would refuse is not called ready before it, and not started to be tried.
#[test]
fn what_no_session_would_use_is_said_before_one_and_not_started() {
    let place = place();
    let script = place.work.join("server.sh");
    let entry = |name: &str| {
        format!("[[plugins]]\nname = \"{name}\"\ncommand = \"bash\"\nargs = [\"{}\", \"x\"]\n", script.display())
    };
    let old = "[[plugins]]\nname = \"old\"\ntype = \"sse\"\nurl = \"https://o.example/sse\"\n";
    let servers = ["s", "S", "x-y", "x_y"].map(entry).concat();
    place.configure(&format!("{}{servers}{old}", unboxed()));
    let listed = json_of(&place.run(&["mcp", "list", "--json"]).out);
    let states: Vec<_> = listed.as_array().unwrap().iter().map(|row| row["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["ready", "twin", "ready", "twin", "refused"]);
    let text = place.run(&["mcp", "list"]).out;
    assert!(text.contains("its name is that of x-y") && text.contains("type = \"http\""), "{text}");
    let rows = json_of(&place.run(&["extensions", "--json"]).out)["extensions"].clone();
    let standing = |name: &str| {
        let row = rows.as_array().unwrap().iter().find(|row| row["kind"] == "server" && row["name"] == name).unwrap();
        (row["standing"].as_str().unwrap().to_owned(), row["why"].to_string())
    };
    assert_eq!(standing("s").0, "used");
    for (name, why) in [("S", "mcp.server_twin"), ("x_y", "mcp.server_twin"), ("old", "type = ")] {
        let (word, said) = standing(name);
        assert!(word == "broken" && said.contains(why), "{name}: {word} {said}");
    }
    for (name, why) in [("S", "is left out"), ("x_y", "is left out"), ("old", "type = \"http\"")] {
        let ran = place.run(&["mcp", "test", name]);
        assert!(ran.code == Some(3) && ran.err.contains(why), "{name}: {:?} {}", ran.code, ran.err);
        assert_eq!(started(&place), [""; 0], "{name}");
    }
}

/// A tool that could be taken for another server's is said where the servers are listed, from when they were last there.
#[test]
fn a_tool_that_another_server_stands_in_the_way_of_is_said() {
    let place = place();
    place.work.write("small.sh", include_str!("../../engine/tests/fixtures/server.sh"));
    let script = place.work.join("small.sh");
    let entry = |(name, tool): (&str, &str)| {
        place.work.write(format!("{name}/tools"), json!({"name": tool, "inputSchema": {"type": "object"}}).to_string());
        let args = json!([script, place.work.join(name)]);
        format!("[[plugins]]\nname = \"{name}\"\ncommand = \"bash\"\nargs = {args}\n")
    };
    place.configure(&format!("{}{}", unboxed(), [("a", "b__echo"), ("a__b", "echo")].map(entry).concat()));
    let ran = place.run(&["run", "hello"]);
    assert!(ran.err.contains("a tool of another server has such a name: echo (a__b)"), "{}", ran.err);
    let said = "echo: its name is that of a tool of `a`";
    let text = place.run(&["mcp", "list"]).out;
    assert!(text.contains(said), "{text}");
    let listed = json_of(&place.run(&["mcp", "list", "--json"]).out);
    assert_eq!((&listed[0]["left_out"], &listed[1]["left_out"][0]["name"]), (&Value::Null, &json!("echo")));
    let shown = json_of(&place.run(&["mcp", "show", "a__b", "--json"]).out);
    assert_eq!(shown["left_out"][0]["name"], "echo");
    let table = place.run(&["extensions"]).out;
    assert!(table.contains(said), "{table}");
}

#[test]
fn a_server_whose_program_is_not_there_is_not_ready() {
    let place = place();
    for (name, program) in [("gone", "no-such-program-here"), ("far", "/nowhere/at/all"), ("well", "bash")] {
        assert_eq!(place.run(&["mcp", "add", name, "--", program, "server.sh"]).code, Some(0));
    }
    let listed = json_of(&place.run(&["mcp", "list", "--json"]).out);
    let states: Vec<_> = listed.as_array().unwrap().iter().map(|row| row["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["missing", "missing", "ready"]);
    let text = place.run(&["mcp", "list"]).out;
    assert!(text.contains("there is no program no-such-program-here") && text.contains("/nowhere/at/all"), "{text}");
}

#[test]
fn a_login_to_nobody_says_that_nobody_is_there_and_a_logout_that_there_was_none() {
    let place = place();
    // A port that was free a moment ago may be another test's by now; nobody gets this one.
    assert_eq!(place.run(&["mcp", "add", "dead", "http://127.0.0.1:1/mcp"]).code, Some(0));
    let ran = place.run(&["mcp", "login", "dead", "--no-browser"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("is not there") && !ran.err.contains("somewhere else"), "{}", ran.err);
    let ran = place.run(&["mcp", "logout", "dead"]);
    assert!(ran.code == Some(0) && ran.err.contains("there is no login"), "{}", ran.err);
    // What a login left is taken away, and only for this server.
    let folder = place.home.join("state/mcp");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("other-0.json"), "{}").unwrap();
    assert_eq!(place.run(&["mcp", "logout", "dead"]).code, Some(0));
    assert!(folder.join("other-0.json").exists());
}
