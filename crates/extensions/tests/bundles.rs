//! Bundles that somebody made to reach further than their folder: each is refused, or that part of it is.

use reasonix_extensions::{Bundle, BundleFault, BundlePin, BundlePins, bundle_files, found_bundles};
use reasonix_testkit::TempWorkspace;
use serde_json::json;
use std::os::unix::fs::symlink;

fn kit(manifest: &serde_json::Value) -> TempWorkspace {
    let folder = TempWorkspace::new();
    folder.write(".claude-plugin/plugin.json", manifest.to_string());
    folder.write("commands/go.md", "Go.\n");
    folder
}

fn plain() -> TempWorkspace {
    kit(&json!({"name": "kit"}))
}

fn read(folder: &TempWorkspace) -> Result<Bundle, BundleFault> {
    Bundle::read(&folder.path(), None)
}

#[test]
fn a_link_that_leads_out_refuses_the_folder() {
    for (to, at) in [("/etc/hostname", "commands/x.md"), ("/etc", "skills"), ("nowhere", "x"), (".", "loop")] {
        let folder = plain();
        symlink(to, folder.join(at)).unwrap();
        assert!(matches!(bundle_files(&folder.path()), Err(BundleFault::LeadsOut(_))), "{at} -> {to}");
    }
    let folder = plain();
    symlink("go.md", folder.join("commands/same.md")).unwrap();
    assert_eq!(bundle_files(&folder.path()).unwrap().len(), 3);
}

#[test]
fn what_is_neither_file_nor_folder_refuses_it() {
    let folder = plain();
    let _held = std::os::unix::net::UnixListener::bind(folder.join("socket")).unwrap();
    assert!(matches!(bundle_files(&folder.path()), Err(BundleFault::Special(_))));
}

#[test]
fn too_many_too_deep_and_too_large_refuse_it() {
    let folder = plain();
    (0..5001).for_each(|number| drop(folder.write(format!("many/{number}"), "")));
    assert!(matches!(bundle_files(&folder.path()), Err(BundleFault::TooMuch(..))), "many");
    let folder = plain();
    folder.write(format!("{}x", "d/".repeat(30)), "");
    assert!(matches!(bundle_files(&folder.path()), Err(BundleFault::TooMuch(..))), "deep");
    let folder = plain();
    std::fs::File::create(folder.join("large")).unwrap().set_len((16 << 20) + 1).unwrap();
    assert!(matches!(bundle_files(&folder.path()), Err(BundleFault::TooMuch(..))), "one");
    let folder = plain();
    (0..5).for_each(|number| {
        std::fs::File::create(folder.join(format!("large{number}"))).unwrap().set_len(15 << 20).unwrap();
    });
    assert!(matches!(bundle_files(&folder.path()), Err(BundleFault::TooMuch(..))), "all");
}

#[test]
fn paths_of_a_manifest_stay_inside() {
    let outside = TempWorkspace::new();
    outside.write("evil.md", "Evil.\n");
    let name = outside.path().file_name().unwrap().to_string_lossy().into_owned();
    for path in [format!("../{name}"), format!("./commands/../../{name}/evil.md"), outside.path().display().to_string()]
    {
        let folder = kit(&json!({"name": "kit", "commands": path, "agents": path, "skills": path}));
        let bundle = read(&folder).unwrap();
        let commands: Vec<String> = bundle.own_commands().0.into_iter().map(|command| command.name).collect();
        assert_eq!(commands, ["kit:go"], "{path}");
        assert!(bundle.own_agents().agents.is_empty() && bundle.flaws.len() == 3, "{path}: {:?}", bundle.flaws);
    }
    let said = json!({"hooks": {"Stop": [{"command": "evil"}]}, "mcpServers": {"evil": {"command": "x"}}});
    outside.write("said.json", said.to_string());
    let path = format!("../{name}/said.json");
    let bundle = read(&kit(&json!({"name": "kit", "hooks": path, "mcpServers": [path]}))).unwrap();
    assert!(bundle.hooks.is_empty() && bundle.servers.is_empty() && bundle.flaws.len() == 2, "{:?}", bundle.flaws);
}

#[test]
fn names_that_are_taken_or_lead_elsewhere_are_none() {
    for name in ["skill", "Skill", "mcp", "..", ".x", "a/b", "a:b", "a b", "ü", "-x", "a\u{200b}", &"x".repeat(65)] {
        let read = read(&kit(&json!({ "name": name })));
        assert!(matches!(read, Err(BundleFault::Name(_))), "{name:?}");
    }
}

#[test]
fn another_byte_mode_or_file_is_another_bundle() {
    let (home, folder) = (TempWorkspace::new(), plain());
    let files = bundle_files(&folder.path()).unwrap();
    let pin = BundlePin::of("kit", &files, ("x", None));
    let place = pin.place(&home.path());
    for file in &files {
        home.write(place.join(&file.path), &file.bytes);
    }
    home.write("state/plugins.json", BundlePins::default().with(pin).text());
    let (used, off) = (|| found_bundles(&home.path()).bundles.len(), || found_bundles(&home.path()).off.len());
    assert_eq!((used(), off()), (1, 0));
    let file = place.join("commands/go.md");
    home.write(&file, "Ga.\n");
    assert_eq!((used(), off()), (0, 1), "a byte");
    home.write(&file, "Go.\n");
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    assert_eq!((used(), off()), (0, 1), "a mode");
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    assert_eq!((used(), off()), (1, 0));
    home.write(place.join("commands/new.md"), "");
    assert_eq!((used(), off()), (0, 1), "a file");
    std::fs::remove_file(place.join("commands/new.md")).unwrap();
    symlink("go.md", place.join("commands/new.md")).unwrap();
    assert_eq!((used(), off()), (0, 1), "a link");
    // A list that leads elsewhere is none.
    let text = home.read("state/plugins.json").replace("\"kit\"", "\"../kit\"");
    home.write("state/plugins.json", text);
    let found = found_bundles(&home.path());
    assert!(found.bundles.is_empty() && found.notices.len() == 1, "{found:?}");
}
