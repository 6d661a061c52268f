//! A home as the workspace: keys, histories and what programs keep secret are in no box, and what programs run or believe when
//! they start stays as it is, there or not. Where the kernel cannot have level `full` these tests say so and pass; with
//! `REASONIX_E2E=1` it is required.
#![cfg(target_os = "linux")]

use crate::place::Place;
use reasonix_exec::{BoxOptions, Command, Sandbox, SandboxLevel, run};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Where programs keep what nobody else is to read.
#[rustfmt::skip]
const SECRETS: &[&str] = &[
    ".ssh/id_ed25519", ".ssh/config", ".gnupg/private-keys-v1.d/a.key", ".pki/nssdb/key4.db", ".aws/credentials", ".aws/sso/cache/a.json",
    ".azure/msal_token_cache.json", ".config/gcloud/credentials.db", ".config/gcloud/application_default_credentials.json", ".kube/config",
    ".oci/config", ".bluemix/config.json", ".aliyun/config.json", ".config/doctl/config.yaml", ".config/hcloud/cli.toml",
    ".config/scw/config.yaml", ".config/linode-cli", ".config/openstack/clouds.yaml", ".vault-token", ".terraform.d/credentials.tfrc.json",
    ".terraformrc", ".pulumi/credentials.json", ".config/heroku/config.json", ".netrc", "_netrc", ".config/netlify/config.json",
    ".local/share/com.vercel.cli/auth.json", ".fly/config.yml", ".wrangler/config/default.toml", ".config/.wrangler/config/default.toml",
    ".supabase/access-token", ".railway/config.json", ".config/stripe/config.toml", ".config/configstore/firebase-tools.json",
    ".config/ngrok/ngrok.yml", ".cloudflared/cert.pem", ".config/rclone/rclone.conf", ".s3cfg", ".boto", ".mc/config.json",
    ".config/sops/age/keys.txt", ".docker/config.json", ".docker/contexts/meta/a/meta.json", ".config/containers/auth.json",
    ".config/helm/registry/config.json", ".config/argocd/config", ".saml2aws", ".jfrog/jfrog-cli.conf.v6", ".chef/user.pem",
    ".config/gh/hosts.yml", ".config/hub", ".config/glab-cli/config.yml", ".git-credentials", ".config/git/credentials", ".gitcookies",
    ".config/tea/config.yml", ".circleci/cli.yml", ".sentryclirc", ".npmrc", ".pypirc", ".cargo/credentials", ".cargo/credentials.toml",
    ".m2/settings.xml", ".m2/settings-security.xml", ".ivy2/.credentials", ".sbt/.credentials", ".composer/auth.json",
    ".config/composer/auth.json", ".gem/credentials", ".local/share/gem/credentials", ".config/pypoetry/auth.toml",
    ".local/share/uv/credentials/credentials.toml", ".hex/hex.config", ".config/dart/pub-credentials.json", ".pgpass", ".my.cnf",
    ".mylogin.cnf", ".pg_service.conf", ".dbt/profiles.yml", ".databrickscfg", ".snowsql/config", ".mongodb/mongosh/a.log", ".odbc.ini",
    ".local/share/DBeaverData/workspace6/General/.dbeaver/credentials-config.json", ".claude.json", ".claude/.credentials.json",
    ".claude/projects/a/b.jsonl", ".codex/auth.json", ".codex/sessions/a.jsonl", ".gemini/oauth_creds.json", ".qwen/oauth_creds.json",
    ".local/share/opencode/auth.json", ".config/github-copilot/hosts.json", ".copilot/config.json", ".aider.conf.yml",
    ".aider.input.history", ".continue/config.yaml", ".config/goose/secrets.yaml", ".config/io.datasette.llm/keys.json",
    ".cache/huggingface/token", ".cache/huggingface/stored_tokens", ".huggingface/token", ".kaggle/kaggle.json", ".config/wandb/settings",
    ".ollama/id_ed25519", ".modal.toml", ".config/openai/key", ".mozilla/firefox/a/logins.json", ".config/google-chrome/Default/Cookies",
    ".config/chromium/Default/Login Data", ".config/BraveSoftware/Brave-Browser/Default/Cookies", ".config/microsoft-edge/Default/Cookies",
    ".librewolf/a/cookies.sqlite", ".var/app/org.mozilla.firefox/a", "snap/firefox/common/a", ".password-store/a.gpg",
    ".local/share/keyrings/login.keyring", ".local/share/kwalletd/kdewallet.kwl", ".config/keepassxc/keepassxc.ini",
    ".config/Bitwarden CLI/data.json", ".config/Bitwarden/data.json", ".config/op/config", ".config/1Password/settings.json",
    ".local/share/gopass/a", ".config/rbw/config.json", ".bitcoin/wallet.dat", ".ethereum/keystore/a", ".electrum/wallets/default_wallet",
    ".config/solana/id.json", ".foundry/keystores/a", ".config/Exodus/a", ".thunderbird/a/logins.json", ".local/share/evolution/a",
    ".config/evolution/sources/a", ".msmtprc", ".mbsyncrc", ".muttrc", ".config/Slack/Cookies", ".config/discord/Local Storage/a",
    ".config/Signal/config.json", ".local/share/TelegramDesktop/tdata/a", ".config/Element/a", ".weechat/irc.conf", ".purple/accounts.xml",
    ".config/filezilla/sitemanager.xml", ".local/share/remmina/a.remmina", ".subversion/auth/a", ".bash_history", ".zsh_history",
    ".zhistory", ".histfile", ".local/share/fish/fish_history", ".local/share/zsh/history", ".config/nushell/history.txt",
    ".local/share/atuin/history.db", ".python_history", ".node_repl_history", ".irb_history", ".Rhistory", ".psql_history",
    ".mysql_history", ".mariadb_history", ".sqlite_history", ".rediscli_history", ".dbshell", ".lesshst", ".viminfo",
    ".local/share/mkcert/rootCA-key.pem", ".mitmproxy/mitmproxy-ca.pem", ".android/adbkey", ".Xauthority", ".ipython/profile_default/history.sqlite",
];

/// Settings that may stand there, and are closed where a key is in them.
const MIXED: &[&str] = &[
    ".gitconfig",
    ".cargo/config.toml",
    ".gradle/gradle.properties",
    ".condarc",
    ".config/pip/pip.conf",
    ".pip/pip.conf",
    ".bundle/config",
    ".nuget/NuGet/NuGet.Config",
    ".config/NuGet/NuGet.Config",
    ".yarnrc",
    ".yarnrc.yml",
    ".curlrc",
    ".wgetrc",
    ".hgrc",
    ".mambarc",
    ".config/uv/uv.toml",
    ".Renviron",
    ".config/nix/nix.conf",
    ".cursor/mcp.json",
];

/// What is run or believed when a program starts.
#[rustfmt::skip]
const STARTUP: &[&str] = &[
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".bash_completion", ".profile", ".zshrc", ".zshenv",
    ".zprofile", ".zlogin", ".zlogout", ".p10k.zsh", ".oh-my-zsh/custom/a.zsh", ".kshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".inputrc",
    ".config/fish/config.fish", ".config/fish/conf.d/a.fish", ".config/nushell/config.nu", ".config/elvish/rc.elv", ".xonshrc",
    ".config/powershell/profile.ps1", ".pam_environment", ".config/environment.d/a.conf", ".xinitrc", ".xsession", ".xsessionrc",
    ".xprofile", ".Xresources", ".config/autostart/a.desktop", ".config/plasma-workspace/env/a.sh", ".config/systemd/user/a.service",
    ".local/share/systemd/user/a.service", ".local/share/dbus-1/services/a.service", ".local/share/applications/a.desktop",
    ".config/mimeapps.list", ".config/i3/config", ".config/sway/config", ".config/hypr/hyprland.conf", ".config/kitty/kitty.conf",
    ".config/alacritty/alacritty.toml", ".config/wezterm/wezterm.lua", ".tmux.conf", ".config/tmux/tmux.conf", ".screenrc",
    ".config/zellij/config.kdl", ".gitconfig", ".config/git/config", ".config/git/attributes", ".git-templates/hooks/post-checkout",
    ".hgrc", ".config/jj/config.toml", ".local/bin/ls", "bin/ls", ".cargo/bin/cargo", ".cargo/config.toml", ".cargo/env", ".rustup/settings.toml",
    ".pyenv/shims/python", ".nvm/nvm.sh", ".asdf/asdf.sh", ".asdfrc", ".tool-versions", ".config/mise/config.toml", ".sdkman/bin/sdkman-init.sh",
    ".rbenv/shims/ruby", ".volta/bin/node", ".local/lib/python3.12/site-packages/usercustomize.py", ".local/lib/python3.12/site-packages/a.pth",
    ".config/pip/pip.conf", ".pip/pip.conf", ".condarc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".bunfig.toml", ".npm-global/bin/a",
    ".gradle/init.gradle", ".gradle/init.gradle.kts", ".gradle/init.d/a.gradle", ".gradle/gradle.properties", ".m2/settings.xml", ".m2/extensions.xml", ".mavenrc",
    ".sbt/1.0/plugins/a.sbt", ".sbtopts", ".bundle/config", ".gemrc", ".irbrc", ".pryrc", ".Rprofile", ".Renviron", ".perldb", ".pythonrc", ".pdbrc",
    ".ipython/profile_default/startup/a.py", ".jupyter/jupyter_server_config.py", ".julia/config/startup.jl", ".ghci", ".ocamlinit", ".iex.exs",
    ".erlang", ".sbclrc", ".psqlrc", ".sqliterc", ".mongorc.js", ".config/direnv/direnvrc", ".direnvrc", ".config/nix/nix.conf", ".gdbinit",
    ".config/gdb/gdbinit", ".lldbinit", ".vimrc", ".vim/plugin/a.vim", ".exrc", ".config/nvim/init.lua", ".emacs", ".emacs.d/init.el", ".doom.d/init.el",
    ".config/emacs/init.el", ".nanorc", ".config/helix/config.toml", ".config/Code/User/tasks.json", ".vscode/extensions/a", ".vscode-server/a",
    ".config/VSCodium/User/settings.json", ".config/zed/tasks.json", ".config/JetBrains/a", ".local/share/JetBrains/a", ".bazelrc", ".buckconfig",
    ".docker/cli-plugins/docker-a", ".ansible.cfg", ".vagrant.d/Vagrantfile", ".config/containers/containers.conf", ".mailcap", ".procmailrc",
    ".forward", ".curlrc", ".wgetrc", ".lessfilter", ".config/bat/config", ".ripgreprc", ".fzf.bash", ".dircolors", ".claude/settings.json", ".codex/config.toml",
    ".gemini/settings.json", ".qwen/settings.json", ".cursor/mcp.json", ".config/opencode/opencode.json", ".aider.conf.yml", ".continue/config.yaml",
    ".bashrc.d/a.sh", ".local/share/nvim/site/plugin/a.lua", ".local/share/vulkan/implicit_layer.d/a.json", ".vnc/xstartup", ".xscreensaver",
    ".i3/config", ".config/autorandr/postswitch", ".config/chromium-flags.conf", ".config/chrome-flags.conf", ".config/code-flags.conf",
    ".config/google-chrome/NativeMessagingHosts/a.json", ".mozilla/native-messaging-hosts/a.json", ".config/GIMP/2.10/plug-ins/a.py", ".rpmmacros",
    ".makepkg.conf", ".latexmkrc", "texmf/tex/a.tex", ".task/hooks/on-add", ".rhosts", ".shosts", ".k5login", ".config/Code - OSS/User/tasks.json",
    ".config/Code - Insiders/User/tasks.json", ".config/qutebrowser/config.py", ".weechat/python/autoload/a.py", ".terraformrc", ".taskrc",
    ".quiltrc", ".tclshrc", ".toprc", ".gtkrc-2.0", ".config/fontconfig/fonts.conf", ".XCompose", ".local/share/thumbnailers/a.thumbnailer",
];

/// A pipe where settings may have a key in them is not waited for.
#[test]
fn settings_that_are_a_pipe_are_not_waited_for() {
    let place = Place::new();
    let home = place.home.path().canonicalize().unwrap();
    for name in MIXED {
        fs::create_dir_all(home.join(name).parent().unwrap()).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, home.join(name), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    }
    let (done, ended) = std::sync::mpsc::channel();
    let options = BoxOptions { writable: vec![home], ..place.options() };
    std::thread::spawn(move || done.send(Sandbox::prepare(options, SandboxLevel::Full).is_ok()));
    assert!(ended.recv_timeout(std::time::Duration::from_secs(60)).is_ok(), "it waits");
}

fn sandbox(place: &Place, home: &Path) -> Option<Arc<Sandbox>> {
    let options = BoxOptions { writable: vec![home.to_owned()], ..place.options() };
    match Sandbox::prepare(options, SandboxLevel::Full) {
        Ok(sandbox) => Some(sandbox),
        Err(error) if std::env::var_os("REASONIX_E2E").is_none() => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

async fn says(place: &Place, sandbox: &Arc<Sandbox>, home: &Path, line: &str) -> String {
    let command = Command { cwd: home.to_owned(), ..place.boxed(sandbox, line) };
    let finished = run(&command, CancellationToken::new(), &|_| {}).await.unwrap();
    let (head, tail) = finished.output.into_parts();
    String::from_utf8_lossy(&[head, tail].concat()).into_owned()
}

#[tokio::test]
async fn no_secret_of_a_home_is_read() {
    let place = Place::new();
    let home = place.home.path().canonicalize().unwrap();
    SECRETS.iter().chain(MIXED).for_each(|name| write(&home.join(name), "token = \"SECRET-TOKEN\"\n"));
    write(&home.join("notes.txt"), "SECRET-TOKEN is no secret here\n");
    let Some(sandbox) = sandbox(&place, &home) else { return };
    let found = says(&place, &sandbox, &home, "grep -rlsa SECRET-TOKEN .").await;
    assert_eq!(found.lines().collect::<Vec<_>>(), ["./notes.txt"]);
}

#[tokio::test]
async fn settings_without_a_key_are_read() {
    let place = Place::new();
    let home = place.home.path().canonicalize().unwrap();
    MIXED.iter().for_each(|name| write(&home.join(name), "plain = 1\n"));
    let Some(sandbox) = sandbox(&place, &home) else { return };
    let found = says(&place, &sandbox, &home, "grep -rls plain .").await;
    assert_eq!(found.lines().count(), MIXED.len(), "{found}");
}

#[tokio::test]
async fn nothing_that_starts_by_itself_is_changed() {
    let place = Place::new();
    let home = place.home.path().canonicalize().unwrap();
    STARTUP.iter().for_each(|name| write(&home.join(name), "mine\n"));
    write(&home.join("notes.txt"), "mine\n");
    let Some(sandbox) = sandbox(&place, &home) else { return };
    let names = STARTUP.join("' '");
    let line = format!(
        "for name in notes.txt '{names}'; do echo evil > \"$name\"; rm -f \"$name\"; mv \"$name\" x; done 2>/dev/null"
    );
    says(&place, &sandbox, &home, &line).await;
    let changed = |name: &&&str| fs::read_to_string(home.join(name)).ok().as_deref() != Some("mine\n");
    assert_eq!(STARTUP.iter().filter(changed).collect::<Vec<_>>(), Vec::<&&str>::new());
    assert!(!home.join("notes.txt").exists(), "what is the workspace's own is changed");
}

#[tokio::test]
async fn nothing_that_starts_by_itself_is_made() {
    let place = Place::new();
    let home = place.home.path().canonicalize().unwrap();
    let Some(sandbox) = sandbox(&place, &home) else { return };
    let names = STARTUP.join("' '");
    let line =
        format!("for name in '{names}'; do mkdir -p \"$(dirname \"$name\")\"; echo evil > \"$name\"; done 2>/dev/null");
    says(&place, &sandbox, &home, &line).await;
    let made: BTreeSet<&str> = STARTUP.iter().copied().filter(|name| home.join(name).exists()).collect();
    assert_eq!(made, BTreeSet::new());
}
