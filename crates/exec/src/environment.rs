//! What a child gets to see of the user's environment: what builds need and what the user named, no secrets, nothing that
//! injects code, no prompts, no pagers.

use std::ffi::{OsStr, OsString};

/// The whole environment of a child.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Environment {
    vars: Vec<(OsString, OsString)>,
}

/// Variables that pass: who and where the user is, languages, compilers, toolchains. What is not here stays here.
const KNOWN: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TERM",
    "COLUMNS",
    "LINES",
    "TMPDIR",
    "TEMP",
    "TMP",
    "PWD",
    "OLDPWD",
    "SHLVL",
    "HOSTNAME",
    "CI",
    "CONTINUOUS_INTEGRATION",
    "GITHUB_ACTIONS",
    "GITLAB_CI",
    "SOURCE_DATE_EPOCH",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_DATA_DIRS",
    "XDG_CONFIG_DIRS",
    "XDG_RUNTIME_DIR",
    // Compilers and linkers.
    "CC",
    "CXX",
    "CPP",
    "AR",
    "AS",
    "LD",
    "NM",
    "RANLIB",
    "STRIP",
    "CFLAGS",
    "CXXFLAGS",
    "CPPFLAGS",
    "LDFLAGS",
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "LIBRARY_PATH",
    "LD_LIBRARY_PATH",
    "MAKEFLAGS",
    "MFLAGS",
    "MAKELEVEL",
    "NINJA_STATUS",
    "VCPKG_ROOT",
    "EMSDK",
    "LIBCLANG_PATH",
    "PROTOC",
    // Go.
    "GOPATH",
    "GOROOT",
    "GOFLAGS",
    "GOBIN",
    "GOCACHE",
    "GOMODCACHE",
    "GOPROXY",
    "GONOPROXY",
    "GOPRIVATE",
    "GOSUMDB",
    "GONOSUMDB",
    "GOTOOLCHAIN",
    "GOOS",
    "GOARCH",
    "GOARM",
    "GOAMD64",
    "GOEXPERIMENT",
    "GOMAXPROCS",
    "GODEBUG",
    "GOWORK",
    "GO111MODULE",
    "GOTMPDIR",
    "GOENV",
    "CGO_ENABLED",
    "CGO_CFLAGS",
    "CGO_LDFLAGS",
    // JavaScript.
    "NODE_ENV",
    "NODE_PATH",
    "NODE_OPTIONS",
    "NODE_VERSION",
    "NODE_EXTRA_CA_CERTS",
    "PNPM_HOME",
    "BUN_INSTALL",
    "DENO_DIR",
    "DENO_INSTALL",
    "DENO_INSTALL_ROOT",
    "COREPACK_HOME",
    "NPM_CONFIG_CACHE",
    "NPM_CONFIG_PREFIX",
    "NPM_CONFIG_REGISTRY",
    "PLAYWRIGHT_BROWSERS_PATH",
    "PUPPETEER_EXECUTABLE_PATH",
    // Python.
    "VIRTUAL_ENV",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONIOENCODING",
    "PYTHONUTF8",
    "PYTHONHASHSEED",
    "PYTHONWARNINGS",
    "PIPX_HOME",
    "PIPX_BIN_DIR",
    "HF_HOME",
    "TOKENIZERS_PARALLELISM",
    "OMP_NUM_THREADS",
    "REQUESTS_CA_BUNDLE",
    // The JVM, .NET, Ruby, Perl, PHP, Haskell, OCaml, Elixir.
    "JAVA_HOME",
    "JDK_HOME",
    "JAVA_OPTS",
    "MAVEN_HOME",
    "M2_HOME",
    "MAVEN_OPTS",
    "GRADLE_HOME",
    "GRADLE_USER_HOME",
    "GRADLE_OPTS",
    "ANDROID_HOME",
    "ANDROID_SDK_ROOT",
    "ANDROID_NDK_HOME",
    "ANDROID_NDK_ROOT",
    "KOTLIN_HOME",
    "SCALA_HOME",
    "DOTNET_ROOT",
    "DOTNET_CLI_HOME",
    "NUGET_PACKAGES",
    "RUBYLIB",
    "RUBYOPT",
    "GEM_HOME",
    "GEM_PATH",
    "BUNDLE_PATH",
    "BUNDLE_GEMFILE",
    "BUNDLE_APP_CONFIG",
    "RBENV_ROOT",
    "RBENV_VERSION",
    "PERL5LIB",
    "PERL_LOCAL_LIB_ROOT",
    "PERL_MM_OPT",
    "PERL_MB_OPT",
    "COMPOSER_HOME",
    "COMPOSER_CACHE_DIR",
    "STACK_ROOT",
    "CABAL_DIR",
    "OPAM_SWITCH_PREFIX",
    "OPAMROOT",
    "OPAMSWITCH",
    "CAML_LD_LIBRARY_PATH",
    "MIX_ENV",
    "MIX_HOME",
    "HEX_HOME",
    // Certificates, and who commits.
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
];

/// Beginnings of names that pass.
const KNOWN_STARTS: &[&str] = &[
    "LC_",
    "CARGO_",
    "RUST_",
    "RUSTC_",
    "RUSTUP_",
    "RUSTFLAGS",
    "RUSTDOCFLAGS",
    "PKG_CONFIG",
    "CMAKE_",
    "MESON_",
    "CCACHE_",
    "SCCACHE_DIR",
    "NVM_",
    "FNM_",
    "VOLTA_",
    "PYENV_",
    "CONDA_",
    "MAMBA_",
    "UV_",
    "PIP_",
    "POETRY_",
    "SDKMAN_",
    "JENV_",
    "ASDF_",
    "MISE_",
    "GHCUP_",
    "JULIA_",
    "ZIG_",
    "NIX_",
    "CUDA_",
    "ROCM_",
    "PROPTEST_",
    "INSTA_",
];

/// How programs reach the network through another one; only for where the network is open.
const PROXIES: &[&str] = &["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY", "NO_PROXY"];

/// Parts of a name that mark a secret.
const SECRET_PARTS: &[&str] =
    &["KEY", "TOKEN", "SECRET", "PASSW", "PASSPHRASE", "CREDENTIAL", "PRIVATE", "BEARER", "COOKIE", "JWT", "ASKPASS"];
/// Whole words of a name (between underscores) that mark a secret.
const SECRET_WORDS: &[&str] = &["PASS", "PWD", "AUTH", "PAT", "CREDS", "CRED", "PGPASSFILE", "NETRC"];
/// Beginnings of names whose variables give access to a cloud.
const SECRET_STARTS: &[&str] = &["AWS_", "AZURE_", "ARM_CLIENT_", "ALIBABA_CLOUD_", "TENCENTCLOUD_", "CLOUDSDK_AUTH_"];
/// Doors to running agents that hold keys.
const SECRET_NAMES: &[&str] = &["SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "VSCODE_GIT_IPC_HANDLE"];

/// Parts of names that look like secrets and are none.
const HARMLESS_PARTS: &[&str] =
    &["TOKENIZER", "MAX_TOKENS", "_TOKENS_MAX", "KEYBOARD", "KEYMAP", "MONKEY", "PUBLIC_KEY"];
/// Names that look like secrets and are none.
const HARMLESS_NAMES: &[&str] =
    &["PWD", "OLDPWD", "KEYTIMEOUT", "LESSKEY", "LESSKEYIN", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"];

/// Names that make a program run code or change what a shell line means.
const INJECTING_NAMES: &[&str] = &[
    "LD_PRELOAD",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "SHELLOPTS",
    "BASHOPTS",
    "CDPATH",
    "GLOBIGNORE",
    "PS4",
    "IFS",
];
const INJECTING_STARTS: &[&str] = &["BASH_FUNC_", "GIT_CONFIG_"];

/// Names that would force colours against `NO_COLOR`.
const COLOURING: &[&str] = &["FORCE_COLOR", "CLICOLOR_FORCE"];

/// What every child gets: no pager waits for a key, no editor and no prompt for an answer.
const SET: &[(&str, &str)] = &[
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("AWS_PAGER", ""),
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GCM_INTERACTIVE", "never"),
    ("GIT_EDITOR", "true"),
    ("EDITOR", "true"),
    ("VISUAL", "true"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("PIP_NO_INPUT", "1"),
    // Otherwise Python holds its output back, behind what it writes to stderr and lost when it is killed.
    ("PYTHONUNBUFFERED", "1"),
];

impl Environment {
    /// No variables at all.
    pub fn empty() -> Self {
        Self::default()
    }

    /// The environment of this process, scrubbed. Names on the `allow` list pass too, even if they look like secrets; one
    /// that ends in `*` stands for all that begin so.
    pub fn inherited(allow: &[String]) -> Self {
        Self::scrubbed(std::env::vars_os(), allow)
    }

    /// These variables without secrets and injections, and with prompts and pagers off.
    pub fn scrubbed(vars: impl IntoIterator<Item = (OsString, OsString)>, allow: &[String]) -> Self {
        let is_set = |name: &OsStr| SET.iter().any(|(set, _)| name == *set);
        let mut vars: Vec<_> =
            vars.into_iter().filter(|(name, value)| !is_set(name) && passes(name, value, allow)).collect();
        vars.extend(SET.iter().map(|(name, value)| (name.into(), value.into())));
        Self { vars }
    }

    /// Adds what leads through a proxy, where the network is open. A proxy with a password in it stays here.
    #[must_use]
    pub fn with_proxies(mut self) -> Self {
        let proxies = std::env::vars_os().filter(|(name, value)| {
            let name = name.to_string_lossy().to_ascii_uppercase();
            PROXIES.contains(&name.as_str()) && !has_password(&value.to_string_lossy())
        });
        self.vars.extend(proxies);
        self
    }

    /// Adds a variable, or replaces it.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        let name = name.into();
        self.vars.retain(|(known, _)| *known != name);
        self.vars.push((name, value.into()));
        self
    }

    /// Takes variables out.
    #[must_use]
    pub fn without(mut self, names: &[&str]) -> Self {
        self.vars.retain(|(known, _)| !names.iter().any(|name| known == name));
        self
    }

    /// The variables.
    pub fn vars(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.vars.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

/// True for an address with a password in it.
fn has_password(value: &str) -> bool {
    let authority = value.split_once("://").map(|(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or_default());
    let user = authority.and_then(|authority| authority.rsplit_once('@')).map(|(user, _)| user);
    user.is_some_and(|user| user.split_once(':').is_some_and(|(_, password)| !password.is_empty()))
}

fn passes(name: &OsStr, value: &OsStr, allow: &[String]) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    let injects =
        INJECTING_NAMES.contains(&name.as_str()) || INJECTING_STARTS.iter().any(|start| name.starts_with(start));
    let allowed = allow.iter().any(|allowed| {
        let allowed = allowed.to_ascii_uppercase();
        // A star alone would be no list at all.
        let begins = |start: &str| !start.is_empty() && name.starts_with(start) && !is_secret(&name);
        allowed == name || allowed.strip_suffix('*').is_some_and(begins)
    });
    let known = KNOWN.contains(&name.as_str()) || KNOWN_STARTS.iter().any(|start| name.starts_with(start));
    !injects
        && !COLOURING.contains(&name.as_str())
        && (allowed || (known && !is_secret(&name) && !has_password(&value.to_string_lossy())))
}

/// Whether an uppercase name looks like a secret.
fn is_secret(name: &str) -> bool {
    if HARMLESS_NAMES.contains(&name) {
        return false;
    }
    // What is harmless in a name does not excuse the rest of it.
    let rest = HARMLESS_PARTS.iter().fold(name.to_owned(), |rest, part| rest.replace(part, "_"));
    SECRET_NAMES.contains(&name)
        || SECRET_STARTS.iter().any(|start| name.starts_with(start))
        || SECRET_PARTS.iter().any(|part| rest.contains(part))
        || rest.split('_').any(|word| SECRET_WORDS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::{Environment, passes};
    use std::ffi::{OsStr, OsString};

    #[test]
    fn an_address_with_a_password_is_a_secret_whatever_its_name() {
        for (value, secret) in [
            ("postgres://me:pw@db/x", true),
            ("http://proxy:8080", false),
            ("https://me@host/x", false),
            ("https://host/a:b@c", false),
            ("plain", false),
        ] {
            assert_eq!(super::has_password(value), secret, "{value}");
        }
    }

    #[test]
    fn secrets_and_injections_stay_here() {
        for name in [
            "OPENAI_API_KEY",
            "openai_api_key",
            "DEEPSEEK_APIKEY",
            "GH_TOKEN",
            "GITHUB_TOKEN",
            "HF_TOKEN",
            "NPM_TOKEN",
            "CLIENT_SECRET",
            "DB_PASSWORD",
            "PGPASSWORD",
            "MYSQL_PWD",
            "SMTP_PASS",
            "SSH_PASSPHRASE",
            "PGPASSFILE",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "AWS_ACCESS_KEY_ID",
            "AWS_SESSION_TOKEN",
            "AZURE_CLIENT_ID",
            "DEPLOY_PRIVATE",
            "AZURE_DEVOPS_PAT",
            "DOCKER_AUTH_CONFIG",
            "npm_config__auth",
            "SSH_AUTH_SOCK",
            "GIT_ASKPASS",
            "SSH_ASKPASS",
            "MONKEY_API_KEY",
            "TOKENIZERS_TOKEN",
            "SESSION_COOKIE",
            "LD_PRELOAD",
            "BASH_ENV",
            "ENV",
            "PROMPT_COMMAND",
            "BASH_FUNC_ls%%",
            "SHELLOPTS",
            "CDPATH",
            "FORCE_COLOR",
        ] {
            assert!(!passes(OsStr::new(name), OsStr::new("v"), &[]), "{name} passed");
        }
    }

    #[test]
    fn what_builds_need_passes() {
        for name in [
            "PATH",
            "HOME",
            "USER",
            "LANG",
            "LC_ALL",
            "SHELL",
            "TMPDIR",
            "PWD",
            "OLDPWD",
            "XDG_RUNTIME_DIR",
            "CARGO_HOME",
            "CARGO_TARGET_DIR",
            "RUSTUP_TOOLCHAIN",
            "RUSTFLAGS",
            "GOPATH",
            "JAVA_HOME",
            "NODE_OPTIONS",
            "VIRTUAL_ENV",
            "LD_LIBRARY_PATH",
            "SSL_CERT_FILE",
            "TOKENIZERS_PARALLELISM",
            "GIT_AUTHOR_NAME",
            "CI",
            "CC",
        ] {
            assert!(passes(OsStr::new(name), OsStr::new("v"), &[]), "{name} was dropped");
        }
    }

    #[test]
    fn g1_what_nobody_named_stays_here() {
        for name in [
            "DATABASE_URL",
            "SLACK_WEBHOOK",
            "COMPANY_INTERNAL",
            "GOOGLE_CLOUD_PROJECT",
            "OPENAI_BASE_URL",
            "REASONIX_HOME",
            "HTTP_PROXY",
            "https_proxy",
            "DISPLAY",
            "DBUS_SESSION_BUS_ADDRESS",
            "DOCKER_HOST",
            "KUBECONFIG",
            "CARGO_REGISTRY_TOKEN",
            "UV_PUBLISH_PASSWORD",
            "POETRY_PYPI_TOKEN_PYPI",
            "GIT_SSH_COMMAND",
            "GIT_DIR",
            "PERL5OPT",
            "RANDOM_NAME",
        ] {
            assert!(!passes(OsStr::new(name), OsStr::new("v"), &[]), "{name} passed");
        }
        assert!(!passes(OsStr::new("PIP_INDEX_URL"), OsStr::new("https://me:pw@host/simple"), &[]));
        assert!(passes(OsStr::new("PIP_INDEX_URL"), OsStr::new("https://host/simple"), &[]));
        let allow = ["MYAPP_*".to_owned(), "*".to_owned(), "DATABASE_URL".to_owned()];
        for (name, open) in [("MYAPP_MODE", true), ("MYAPP_TOKEN", false), ("OTHER", false), ("DATABASE_URL", true)] {
            assert_eq!(passes(OsStr::new(name), OsStr::new("v"), &allow), open, "{name}");
        }
    }

    #[test]
    fn the_allow_list_opens_secrets_but_no_injections() {
        let allow = ["gh_token".to_owned(), "LD_PRELOAD".to_owned()];
        assert!(passes(OsStr::new("GH_TOKEN"), OsStr::new("v"), &allow));
        assert!(!passes(OsStr::new("HF_TOKEN"), OsStr::new("v"), &allow));
        assert!(!passes(OsStr::new("LD_PRELOAD"), OsStr::new("v"), &allow));
    }

    #[test]
    fn prompts_and_pagers_are_off_whatever_the_user_has() {
        let user = [("PAGER", "less"), ("EDITOR", "vim"), ("TERM", "xterm"), ("CI", "1")];
        let user = user.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let environment = Environment::scrubbed(user, &[]).with("CI", "2");
        let all = |name: &str| {
            environment.vars().filter(|(known, _)| *known == name).map(|(_, value)| value).collect::<Vec<_>>()
        };
        assert_eq!(all("PAGER"), ["cat"]);
        assert_eq!(all("EDITOR"), ["true"]);
        assert_eq!(all("TERM"), ["dumb"]);
        assert_eq!(all("GIT_TERMINAL_PROMPT"), ["0"]);
        assert_eq!(all("CI"), ["2"]);
    }
}
