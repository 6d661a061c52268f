//! What of the user's machine is seen in the box, as data.

mod secrets;
mod startup;

pub(super) use reasonix_proto::HOME_SECRETS as SECRETS;
pub(super) use secrets::MIXED;
pub(super) use startup::STARTUP;

/// Below a home folder: toolchains and what they need to run, seen read-only.
pub(super) const TOOLCHAINS: &[&str] = &[
    ".cargo/bin",
    ".cargo/config",
    ".cargo/config.toml",
    ".cargo/env",
    ".rustup",
    ".pyenv",
    ".nvm",
    ".fnm",
    ".volta",
    ".bun/bin",
    ".deno/bin",
    ".asdf",
    ".rbenv",
    ".rvm",
    ".sdkman",
    ".jenv",
    ".jbang",
    ".dotnet",
    ".ghcup",
    ".opam",
    ".juliaup",
    ".nix-profile",
    ".local/bin",
    ".local/lib",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/pipx",
    ".local/share/pnpm",
    ".local/share/uv",
    ".local/state/nix",
    ".linuxbrew",
    "go/bin",
    "sdk",
    "miniconda3",
    "anaconda3",
    "miniforge3",
    "mambaforge",
    ".gitconfig",
    ".config/git",
];

/// Below a home folder: caches that builds read and write. They are seen through an overlay that keeps the writes.
pub(super) const CACHES: &[&str] = &[
    ".cargo/registry",
    ".cargo/git",
    ".npm",
    ".yarn",
    ".pnpm-store",
    ".cache/pip",
    ".cache/uv",
    ".cache/go-build",
    ".cache/yarn",
    ".cache/pypoetry",
    ".cache/sccache",
    ".ccache",
    "go/pkg",
    ".gradle",
    ".m2/repository",
    ".nuget/packages",
    ".gem",
    ".bundle/cache",
    ".bun/install",
];

/// Files that show what a project is built with, and the caches that such builds fill.
pub(super) const ECOSYSTEMS: &[(&[&str], &[&str])] = &[
    (&["Cargo.toml", "Cargo.lock"], &[".cargo/registry", ".cargo/git"]),
    (&["package.json", "package-lock.json"], &[".npm"]),
    (&["yarn.lock"], &[".cache/yarn"]),
    (&["pnpm-lock.yaml"], &[".pnpm-store"]),
    (&["bun.lock", "bun.lockb"], &[".bun/install"]),
    (&["pyproject.toml", "requirements.txt", "setup.py", "Pipfile"], &[".cache/pip"]),
    (&["uv.lock"], &[".cache/uv"]),
    (&["poetry.lock"], &[".cache/pypoetry"]),
    (&["go.mod"], &["go/pkg", ".cache/go-build"]),
    (&["pom.xml"], &[".m2/repository"]),
    (&["build.gradle", "build.gradle.kts"], &[".gradle"]),
    (&["Gemfile"], &[".gem", ".bundle/cache"]),
];

/// Secrets of the machine that its administrator can read.
pub(super) const SYSTEM_SECRETS: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssl/private",
    "/etc/krb5.keytab",
    "/etc/wireguard",
    "/etc/NetworkManager/system-connections",
    "/etc/kubernetes",
    "/etc/rancher",
    "/etc/docker/key.json",
    "/etc/ssh/ssh_host_rsa_key",
    "/etc/ssh/ssh_host_ecdsa_key",
    "/etc/ssh/ssh_host_ed25519_key",
    "/var/lib/sss/secrets",
    "/var/lib/NetworkManager/secret_key",
];

/// Variables that name such a folder elsewhere, and what stands there under `~` otherwise.
pub(super) const MOVED: &[(&str, &str)] = &[
    ("CARGO_HOME", ".cargo"),
    ("RUSTUP_HOME", ".rustup"),
    ("PYENV_ROOT", ".pyenv"),
    ("NVM_DIR", ".nvm"),
    ("VOLTA_HOME", ".volta"),
    ("GOPATH", "go"),
    ("SDKMAN_DIR", ".sdkman"),
    ("ASDF_DATA_DIR", ".asdf"),
];

/// Folders of sockets and other people's files: an empty folder stands there instead.
pub(super) const EMPTIED: &[&str] = &["/run", "/var/run", "/home", "/root"];

/// Where homes lie; what cannot be hidden there may not be read.
pub(super) const HOMES: &[&str] = &["/home", "/root"];

/// What stays of the emptied folders, read-only: programs of systems that keep them there.
pub(super) const KEPT: &[&str] = &["/run/current-system"];

/// The same where the network is open: name resolution.
pub(super) const KEPT_FOR_NETWORK: &[&str] = &["/run/systemd/resolve", "/run/resolvconf"];

/// Folders of temporary files: each session has its own.
pub(super) const TEMPORARY: &[&str] = &["/tmp", "/var/tmp"];

/// The devices there are.
pub(super) const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom"];

/// What else stands in `/dev`.
pub(super) const DEVICE_LINKS: &[(&str, &str)] = &[
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
];

/// In each writable root: what others execute or believe, so that no command may change it.
pub(super) const PROTECTED: &[&str] = &[
    ".git",
    ".git/commondir",
    ".git/hooks",
    ".git/config",
    ".git/config.worktree",
    ".reasonix",
    "reasonix.toml",
    "reasonix.jsonc",
    ".mcp.json",
    ".envrc",
    ".vscode",
    ".claude",
    ".codex",
    ".agents",
    ".cursor",
    ".windsurf",
    ".clinerules",
];

/// Variables that lead to what is not in the box.
pub(crate) const DEAD_VARIABLES: &[&str] = &[
    "TMPDIR",
    "TEMP",
    "TMP",
    "XDG_RUNTIME_DIR",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "DOCKER_HOST",
    "SSH_AUTH_SOCK",
];

/// Folders of the system that readers see: programs, their libraries and their data.
pub(super) const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix",
    "/gnu",
    "/snap",
    "/proc",
    "/sys",
    "/run/current-system",
    "/var/lib/dpkg",
    "/var/lib/rpm",
];

/// What programs need of `/etc` to run: where libraries are, who users are, how dates and words are written.
pub(super) const SYSTEM_FILES: &[&str] = &[
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/ld-musl-x86_64.path",
    "/etc/ld-musl-aarch64.path",
    "/etc/passwd",
    "/etc/group",
    "/etc/nsswitch.conf",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/alternatives",
    "/etc/gitconfig",
    "/etc/gitattributes",
    "/etc/locale.alias",
    "/etc/locale.conf",
    "/etc/default/locale",
    "/etc/terminfo",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/os-release",
    "/etc/lsb-release",
    "/etc/debian_version",
    "/etc/redhat-release",
    "/etc/alpine-release",
    "/etc/perl",
    "/etc/python3",
    "/etc/java",
    "/etc/java-17-openjdk",
    "/etc/java-21-openjdk",
    "/etc/ssl/openssl.cnf",
    "/etc/npmrc",
    "/etc/protocols",
    "/etc/services",
    "/etc/DIR_COLORS",
];
