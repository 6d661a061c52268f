//! What is written for the user: comments and order stay, files are private.

use crate::common;

use common::{Disk, told};
use pretty_assertions::assert_eq;
use reasonix_config::{
    ConfigError, NewProvider, Secret, api_key, remove_rule, save_key, save_rule, set_default_provider,
};
use std::os::unix::fs::PermissionsExt;

fn provider(models: &[&str]) -> NewProvider {
    NewProvider {
        preset: None,
        name: "local".to_owned(),
        kind: "openai".to_owned(),
        base_url: "http://127.0.0.1:1/v1".to_owned(),
        models: models.iter().map(|model| (*model).to_owned()).collect(),
        api_key_env: Some("LOCAL_KEY".to_owned()),
        ..NewProvider::default()
    }
}

fn mode(path: &std::path::Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_first_provider_makes_the_file() {
    let mut disk = Disk::new();
    disk.sources.home = disk.path("fresh/.reasonix");
    let path = disk.sources.home.join("config.toml");
    set_default_provider(&path, &provider(&["a", "b"]), true).unwrap();
    assert_eq!(mode(&path), 0o600);
    let loaded = disk.load();
    assert_eq!(told(&loaded), [""; 0]);
    assert_eq!(loaded.settings.default_model().unwrap().name(), "local/a");
}

#[test]
fn everything_else_in_the_file_stays() {
    let text = "# mine\ndefault_model = \"x\" # for now\n\n[[providers]] # old\nname = \"x\"\nbase_url = \"http://x\" # here\n\
                model = \"m\"\n\n[[providers]]\nname = \"local\"\nmodel = \"old\"\nbase_url = \"http://old\" # change me\n\
                temperature = 0.5\n\n[unknown]\nkeep = true\n";
    let disk = Disk::new().user(text);
    let path = disk.path("home/config.toml");
    set_default_provider(&path, &provider(&["new"]), false).unwrap();
    let want = text.replace("model = \"old\"\n", "").replace("\"http://old\"", "\"http://127.0.0.1:1/v1\"").replace(
        "temperature = 0.5\n",
        "temperature = 0.5\nkind = \"openai\"\nmodels = [\"new\"]\napi_key_env = \"LOCAL_KEY\"\n",
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), want);
    set_default_provider(&path, &provider(&["new"]), true).unwrap();
    let want = want.replace("default_model = \"x\" # for now", "default_model = \"local/new\" # for now");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), want);
}

#[test]
fn a_default_goes_before_the_tables() {
    let disk = Disk::new().user("# head\n[permissions]\nmode = \"deny\"\n[sandbox]\n");
    let path = disk.path("home/config.toml");
    set_default_provider(&path, &provider(&["a"]), true).unwrap();
    save_rule(&path, std::path::Path::new("/work space"), "Bash(ls)").unwrap();
    let want = "default_model = \"local/a\"\n# head\n[permissions]\nmode = \"deny\"\n[sandbox]\n\n[[providers]]\n\
                name = \"local\"\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:1/v1\"\nmodels = [\"a\"]\n\
                api_key_env = \"LOCAL_KEY\"\n\n[workspaces.\"/work space\".permissions]\nallow = [\"Bash(ls)\"]\n";
    assert_eq!(std::fs::read_to_string(&path).unwrap(), want);
}

#[test]
fn a_link_is_kept_and_a_broken_file_is_not_touched() {
    let disk = Disk::new().file("dotfiles/config.toml", "language = \"en\"\n");
    let path = disk.path("home/config.toml");
    std::os::unix::fs::symlink(disk.path("dotfiles/config.toml"), &path).unwrap();
    set_default_provider(&path, &provider(&["a"]), true).unwrap();
    assert!(path.symlink_metadata().unwrap().is_symlink());
    assert_eq!(disk.load().settings.default_model().unwrap().name(), "local/a");

    let disk = Disk::new().user("a = [\n");
    let path = disk.path("home/config.toml");
    assert!(matches!(set_default_provider(&path, &provider(&["a"]), true), Err(ConfigError::Syntax { .. })));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "a = [\n");
}

#[test]
fn a_rule_holds_in_its_workspace_only() {
    let mut disk = Disk::new().user("[permissions]\nallow = [\"Bash(ls)\"]\n");
    let path = disk.path("home/config.toml");
    save_rule(&path, &disk.sources.project, "Bash(cargo test:*)").unwrap();
    save_rule(&path, &disk.sources.project, "Bash(cargo test:*)").unwrap();
    save_rule(&path, &disk.sources.project, "Edit(a)").unwrap();
    let loaded = disk.load();
    assert_eq!(told(&loaded), [""; 0]);
    assert_eq!(loaded.settings.permissions.allow, ["Bash(ls)", "Bash(cargo test:*)", "Edit(a)"]);
    disk.sources.project = disk.path("");
    assert_eq!(disk.load().settings.permissions.allow, ["Bash(ls)"]);
}

#[test]
fn a_key_is_kept_privately_beside_the_others() {
    let disk = Disk::new().file("home/.env", "# keys\nexport LOCAL_KEY=old\nOTHER='x'\n");
    let home = &disk.sources.home;
    let named = reasonix_config::Provider { api_key_env: Some("LOCAL_KEY".to_owned()), ..Default::default() };
    for key in ["sk-1", "with space # and hash", "a'b", "a\"b", "=", "${X}"] {
        save_key(home, "LOCAL_KEY", &Secret::new(key)).unwrap();
        assert_eq!(api_key(&named, &disk.sources.env, home).unwrap().expose(), key);
    }
    let path = disk.path("home/.env");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "# keys\nOTHER='x'\nLOCAL_KEY=${X}\n");
    assert_eq!(mode(&path), 0o600);
    assert!(save_key(home, "BAD NAME", &Secret::new("x")).is_err());
    assert!(save_key(home, "GOOD", &Secret::new("x\nEVIL=1")).is_err());
    let left: Vec<_> = std::fs::read_dir(home).unwrap().collect();
    assert_eq!(left.len(), 1);
}

#[test]
fn a_rule_goes_into_the_file_that_is_there_with_its_comments_and_its_mode() {
    let text = "// mine\n{\n  \"permission\": {\"bash\": {\"ls *\": \"allow\"}}, // keep\n}\n";
    let disk = Disk::new().file("home/config.jsonc", text);
    let path = disk.load().settings.user_file.unwrap();
    assert_eq!(path, disk.path("home/config.jsonc"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    for rule in ["Bash(cargo test:*)", "Bash(cargo test:*)", "Bash(echo \"a\")"] {
        save_rule(&path, &disk.sources.project, rule).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written.contains("// mine") && written.contains("// keep"), "{written}");
    assert_eq!(mode(&path), 0o640);
    let loaded = disk.load();
    assert_eq!(told(&loaded), [""; 0]);
    assert_eq!(loaded.settings.permissions.allow, ["Bash(ls:*)", "Bash(cargo test:*)", "Bash(echo \"a\")"]);
    assert_eq!(Disk::new().load().settings.user_file.unwrap().file_name().unwrap(), "config.toml");
}

#[test]
fn b13_a_rule_of_one_root_is_not_valid_in_another_one_nor_below_or_above() {
    let mut disk = Disk::new().file("project/sub/x", "").file("other/x", "");
    let path = disk.path("home/config.toml");
    save_rule(&path, &disk.sources.project, "Bash(cargo test:*)").unwrap();
    std::os::unix::fs::symlink(disk.path("project"), disk.path("alias")).unwrap();
    for (root, valid) in [("project", true), ("alias", true), ("project/sub", false), ("other", false), ("", false)] {
        disk.sources.root = disk.path(root);
        assert_eq!(disk.load().settings.permissions.allow.is_empty(), !valid, "{root}");
    }
}

#[test]
fn a_rule_that_is_taken_away_is_gone_from_its_workspace_alone_and_the_rest_stays() {
    let toml = "# mine\n[permissions]\nallow = [\"Edit(a)\"] # everywhere\n";
    let jsonc = "// mine\n{\"permissions\": {\"allow\": [\"Edit(a)\"]}} // everywhere\n";
    for (name, text) in [("config.toml", toml), ("config.jsonc", jsonc)] {
        let disk = Disk::new().file(&format!("home/{name}"), text);
        let path = disk.path(&format!("home/{name}"));
        let (root, other) = (&disk.sources.project, disk.path(""));
        for rule in ["Edit(a)", "Bash(cargo test:*)", "Bash(make)"] {
            save_rule(&path, root, rule).unwrap();
        }
        save_rule(&path, &other, "Edit(a)").unwrap();
        assert_eq!(disk.load().settings.permissions.granted, ["Edit(a)", "Bash(cargo test:*)", "Bash(make)"]);
        assert!(remove_rule(&path, root, "Edit(a)").unwrap(), "{name}");
        assert!(!remove_rule(&path, root, "Edit(a)").unwrap(), "{name}: it is gone");
        assert!(remove_rule(&path, root, "Bash(make)").unwrap(), "{name}");
        let written = std::fs::read_to_string(&path).unwrap();
        assert!(written.contains("mine") && written.contains("everywhere"), "{written}");
        assert_eq!(written.matches("Edit(a)").count(), 2, "{written}");
        let permissions = disk.load().settings.permissions;
        assert_eq!(permissions.granted, ["Bash(cargo test:*)"], "{written}");
        assert_eq!(permissions.allow, ["Edit(a)", "Bash(cargo test:*)"]);
    }
}

/// Several sessions answer "always" at the same time: each rule is there afterwards, in either form of the file.
#[test]
fn no_rule_is_lost_however_many_write_at_once() {
    for name in ["config.toml", "config.jsonc"] {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join(name);
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let file = &file;
                scope.spawn(move || {
                    for number in 0..8 {
                        save_rule(file, std::path::Path::new("/work"), &format!("Bash(make t{writer}n{number})"))
                            .unwrap();
                    }
                });
            }
        });
        let text = std::fs::read_to_string(&file).unwrap();
        let kept = (0..64).filter(|n| text.contains(&format!("Bash(make t{}n{})", n / 8, n % 8))).count();
        assert_eq!(kept, 64, "{name}");
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 1, "nothing is left behind");
    }
}
