//! Hosts that commands may reach: what the user listed, and presets with the public registries of toolchains.

use std::path::Path;

/// A preset: its name, the lock files that show that a project uses it, and its hosts.
type Preset = (&'static str, &'static [&'static str], &'static [&'static str]);

/// The public registries of toolchains.
pub const PRESETS: &[Preset] = &[
    ("cargo", &["Cargo.lock"], &["crates.io", "index.crates.io", "static.crates.io"]),
    ("npm", &["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "bun.lock"], &["registry.npmjs.org"]),
    ("yarn", &["yarn.lock"], &["registry.yarnpkg.com", "registry.npmjs.org"]),
    (
        "pip",
        &["requirements.txt", "poetry.lock", "uv.lock", "Pipfile.lock", "pdm.lock"],
        &["pypi.org", "files.pythonhosted.org"],
    ),
    ("go", &["go.sum"], &["proxy.golang.org", "sum.golang.org"]),
    ("maven", &["pom.xml"], &["repo.maven.apache.org", "repo1.maven.org"]),
    (
        "gradle",
        &["gradle.lockfile", "build.gradle", "build.gradle.kts"],
        &["repo.maven.apache.org", "plugins.gradle.org", "services.gradle.org"],
    ),
    ("gem", &["Gemfile.lock"], &["rubygems.org", "index.rubygems.org"]),
    ("nuget", &["packages.lock.json"], &["api.nuget.org"]),
    ("composer", &["composer.lock"], &["repo.packagist.org", "packagist.org"]),
    ("hex", &["mix.lock"], &["hex.pm", "repo.hex.pm", "builds.hex.pm"]),
];

/// The name that stands for the presets of a workspace's own lock files.
const LOCK: &str = "lock";
/// The ports of the web, which a host without a port stands for.
const WEB: &[u16] = &[80, 443];

/// A list of hosts, with presets put in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hosts {
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    /// A host, or what comes behind `*`.
    host: String,
    /// Every host below it, and not it itself.
    below: bool,
    port: Option<u16>,
    /// The user wrote this very host.
    named: bool,
}

/// How a list covers a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Covered {
    /// The user wrote this very host.
    Named,
    /// By a pattern or a preset.
    Loosely,
}

impl Hosts {
    /// Reads a list for a workspace.
    pub fn new(list: &[String], workspace: &Path) -> Self {
        let mut entries = Vec::new();
        for text in list {
            match text.trim().strip_prefix('@') {
                Some(name) => {
                    let wanted = |preset: &&Preset| {
                        let locked = preset.1.iter().any(|file| workspace.join(file).is_file());
                        preset.0 == name || (name == LOCK && locked)
                    };
                    let hosts = PRESETS.iter().filter(wanted).flat_map(|preset| preset.2);
                    entries.extend(hosts.map(|host| Entry { named: false, ..Entry::read(host) }));
                }
                None => entries.push(Entry::read(text.trim())),
            }
        }
        Self { entries }
    }

    /// The presets in a list that there are not.
    pub fn unknown(list: &[String]) -> Vec<String> {
        let names = list.iter().filter_map(|text| text.trim().strip_prefix('@'));
        names
            .filter(|name| *name != LOCK && !PRESETS.iter().any(|preset| preset.0 == *name))
            .map(str::to_owned)
            .collect()
    }

    /// The hosts one by one, presets written out.
    pub fn names(&self) -> Vec<String> {
        let name = |entry: &Entry| {
            let port = entry.port.map(|port| format!(":{port}")).unwrap_or_default();
            format!("{}{}{port}", if entry.below { "*." } else { "" }, entry.host)
        };
        self.entries.iter().map(name).collect()
    }

    /// True for an empty list.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether the list covers a host, in lower case, and how.
    pub fn covers(&self, host: &str, port: u16) -> Option<Covered> {
        let fits = |entry: &&Entry| {
            let named = if entry.below {
                host.strip_suffix(entry.host.as_str()).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
            } else {
                host == entry.host
            };
            named && entry.port.map_or_else(|| WEB.contains(&port), |wanted| wanted == port)
        };
        let found: Vec<&Entry> = self.entries.iter().filter(fits).collect();
        let named = found.iter().any(|entry| entry.named && !entry.below);
        (!found.is_empty()).then_some(if named { Covered::Named } else { Covered::Loosely })
    }
}

impl Entry {
    fn read(text: &str) -> Self {
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if (!host.contains(':') || host.ends_with(']')) && port.parse::<u16>().is_ok() => {
                (host, port.parse().ok())
            }
            _ => (text, None),
        };
        let host = host.trim_matches(['[', ']']).trim_end_matches('.').to_ascii_lowercase();
        let below = host.strip_prefix("*.").map(str::to_owned);
        Self { below: below.is_some(), host: below.unwrap_or(host), port, named: true }
    }
}

#[cfg(test)]
mod tests {
    use super::Covered::{Loosely, Named};
    use super::Hosts;

    #[test]
    fn what_a_list_covers() {
        let root = tempfile::tempdir().expect("a folder");
        std::fs::write(root.path().join("Cargo.lock"), "").expect("a file");
        let list = ["Example.com", "*.wild.example", "db.local:5432", "@npm", "@lock", "[::1]:80"].map(str::to_owned);
        let hosts = Hosts::new(&list, root.path());
        for (host, port, covered) in [
            ("example.com", 443, Some(Named)),
            ("example.com", 80, Some(Named)),
            ("example.com", 22, None),
            ("sub.example.com", 443, None),
            ("evilexample.com", 443, None),
            ("example.com.evil", 443, None),
            ("a.wild.example", 443, Some(Loosely)),
            ("a.b.wild.example", 443, Some(Loosely)),
            ("wild.example", 443, None),
            ("notwild.example", 443, None),
            ("db.local", 5432, Some(Named)),
            ("db.local", 443, None),
            ("::1", 80, Some(Named)),
            ("registry.npmjs.org", 443, Some(Loosely)),
            ("index.crates.io", 443, Some(Loosely)),
            ("pypi.org", 443, None),
        ] {
            assert_eq!(hosts.covers(host, port), covered, "{host}:{port}");
        }
        assert_eq!(Hosts::unknown(&["@cargo".to_owned(), "@lock".to_owned(), "@crago".to_owned()]), ["crago"]);
    }
}
