//! Everything that extends a session, in one list: what it is, where it comes from, whether it counts, and what it costs.
//! Nothing is started for it.

mod sent;

use reasonix_assembly::roster::{roster_of, unusable};
use reasonix_config::{SurfaceKind, trust::Trust};
use reasonix_extensions::{BroughtBy, ExtensionFlaw, FlawKind, FoundRules, ShadowedExtension};
use reasonix_hooks::hooks_of;
use reasonix_mcp::LeftOut;
use reasonix_proto::{AgentOrigin, HookInfo, PartKind, Phrase};
use reasonix_servers::configured::{ConfiguredServer, ServerAbsence, ServerOrigin};
use reasonix_servers::fleet::clashing_tools;
use reasonix_servers::specs::configured_servers;
use reasonix_talk::commands::is_builtin;
use reasonix_world::spec::Start;
use reasonix_world::trust::TrustWord;
use sent::Sent;
use std::path::Path;

/// One thing that extends a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Extension {
    /// What it is.
    pub kind: ExtensionKind,
    /// What it is called; the file's name where it has no other.
    pub name: String,
    /// Where it comes from.
    pub place: String,
    /// Who brought it.
    pub by: BroughtBy,
    /// What there is to say against it; none when it is used.
    pub standing: ExtensionStanding,
    /// Tokens that it takes of every request, by estimate.
    pub tokens: u64,
    /// What is not as it was meant in it; it is used all the same.
    pub flaws: Vec<Phrase>,
}

/// What extends a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtensionKind {
    /// Instructions that are read whole.
    RulesFile,
    /// Instructions that hold always or for certain work.
    Rule,
    /// Instructions that a model reads when it writes what they are against.
    StreamRule,
    /// A skill.
    Skill,
    /// A slash command.
    Command,
    /// A command that is run at moments of a session.
    Hook,
    /// An MCP server.
    Server,
    /// An agent.
    Agent,
    /// A folder that carries several of these.
    Bundle,
}

impl ExtensionKind {
    /// Its word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::RulesFile => "rules_file",
            Self::Rule => "rule",
            Self::StreamRule => "stream_rule",
            Self::Skill => "skill",
            Self::Command => "command",
            Self::Hook => "hook",
            Self::Server => "server",
            Self::Agent => "agent",
            Self::Bundle => "plugin",
        }
    }
}

/// Whether something counts.
#[derive(Debug, Clone, PartialEq)]
pub enum ExtensionStanding {
    /// It is used.
    Used,
    /// Its words are used; what it would execute is not, before the user trusts it.
    Untrusted,
    /// It is switched off.
    Off,
    /// It is used when somebody names it.
    ByHand,
    /// Another one of the same name stands before it.
    Shadowed {
        /// The one that is used.
        by: String,
    },
    /// A built-in command has its name.
    Builtin,
    /// It cannot be used.
    Broken {
        /// Why.
        why: Phrase,
    },
}

impl ExtensionStanding {
    /// Its word in reports.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Used => "used",
            Self::Untrusted => "untrusted",
            Self::Off => "off",
            Self::ByHand => "by_hand",
            Self::Shadowed { .. } | Self::Builtin => "shadowed",
            Self::Broken { .. } => "broken",
        }
    }
}

/// Everything that would extend a session that starts here.
pub fn inventory(start: &Start) -> Vec<Extension> {
    let trust = TrustWord::new(start.world.settings.trust.clone());
    let (mut all, sent) = (bundles(start), Sent::of(start));
    all.extend(rules_files(start, &sent));
    all.extend(rules(start, &sent));
    all.extend(skills(start, &trust, &sent));
    all.extend(commands(start, &trust));
    all.extend(agents(start, &trust));
    let (hooks, flaws) = hooks_of(start, &trust);
    all.extend(hooks.into_iter().map(|(hook, project)| of_hook(&hook, project)));
    all.extend(flaws.into_iter().map(|(file, why)| of_flawed_hooks(start, file, why)));
    let (world, settings) = (&start.world, &start.world.settings);
    let servers = configured_servers(world, &start.workspace, &settings.trust);
    let clashing = clashing_tools((world, &start.workspace), &servers, None);
    all.extend(servers.iter().map(|server| of_server(server, &clashing)));
    all
}

fn bundles(start: &Start) -> Vec<Extension> {
    let found = start.world.bundles();
    let row = |name: &str, place: String, standing| Extension {
        kind: ExtensionKind::Bundle,
        name: name.to_owned(),
        place,
        by: BroughtBy::User,
        standing,
        tokens: 0,
        flaws: Vec::new(),
    };
    let used = found.bundles.iter().map(|one| row(&one.name, one.root.display().to_string(), ExtensionStanding::Used));
    let off = found.off.iter().map(|(pin, why)| {
        let why = why.clone();
        row(&pin.name, pin.place(&start.world.home).display().to_string(), ExtensionStanding::Broken { why })
    });
    used.chain(off).collect()
}

fn rules_files(start: &Start, sent: &Sent) -> Vec<Extension> {
    let named = start.rules.iter().zip(sent.of_files()).filter(|(file, _)| file.kind != PartKind::Ignored);
    let row = |(file, tokens): (&reasonix_config::RulesFile, u64)| Extension {
        kind: ExtensionKind::RulesFile,
        name: file.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        place: file.path.display().to_string(),
        by: if file.kind == PartKind::ProjectRules { BroughtBy::Project } else { BroughtBy::User },
        standing: ExtensionStanding::Used,
        tokens,
        flaws: Vec::new(),
    };
    named.map(row).collect()
}

fn rules(start: &Start, sent: &Sent) -> Vec<Extension> {
    let found = start.shelf().rules();
    let watches = start.world.settings.stream_rules.enabled;
    let used = found.rules.iter().map(|rule| Extension {
        kind: if rule.stream.is_some() { ExtensionKind::StreamRule } else { ExtensionKind::Rule },
        name: rule.name.clone(),
        place: rule.file.display().to_string(),
        by: rule.by,
        standing: match &rule.stream {
            Some(_) if !watches => ExtensionStanding::Off,
            _ if rule.by_hand => ExtensionStanding::ByHand,
            _ => ExtensionStanding::Used,
        },
        flaws: found.flaws.iter().filter(|flaw| flaw.path == rule.file).map(ExtensionFlaw::phrase).collect(),
        tokens: sent.of_rule(rule),
    });
    let mut all: Vec<Extension> = used.collect();
    // What is harmless in a rule that says more leaves nothing of one that does not.
    let flaws = found.flaws.iter().filter(|flaw| !has_rule(found, &flaw.path));
    all.extend(shadowed(start, ExtensionKind::Rule, &found.shadowed));
    all.extend(flaws.map(|flaw| broken(start, ExtensionKind::Rule, flaw)));
    all
}

/// Whether a file is a rule, which another one may stand before.
fn has_rule(found: &FoundRules, file: &Path) -> bool {
    found.rules.iter().any(|rule| rule.file == file) || found.shadowed.iter().any(|one| one.shadowed == file)
}

fn skills(start: &Start, trust: &TrustWord, sent: &Sent) -> Vec<Extension> {
    let found = start.shelf().skills();
    let used = found.skills.iter().map(|skill| {
        let bundled = skill.by == BroughtBy::Bundled;
        // It is there all the same, by its longer name.
        let taken = (!bundled && skill.for_people && is_builtin(&skill.name))
            .then(|| Phrase::new("extensions.name_taken").with("name", &skill.name));
        let scripts = trust.untrusted_skill(&skill.folder.to_string_lossy());
        Extension {
            kind: ExtensionKind::Skill,
            name: skill.name.clone(),
            place: if bundled { String::new() } else { skill.file().display().to_string() },
            by: skill.by,
            standing: if bundled || scripts.is_none() { ExtensionStanding::Used } else { ExtensionStanding::Untrusted },
            flaws: taken.into_iter().collect(),
            tokens: if bundled { 0 } else { sent.of_skill(skill) },
        }
    });
    let mut all: Vec<Extension> = used.collect();
    all.extend(left_out(start, ExtensionKind::Skill, &found.shadowed, &found.flaws));
    all
}

fn commands(start: &Start, trust: &TrustWord) -> Vec<Extension> {
    let found = start.shelf().commands_now();
    let runs = |place: &Path| {
        let trust: &Trust = &start.world.settings.trust;
        let place = place.strip_prefix(trust.root()).unwrap_or(place).display().to_string();
        trust.surfaces().iter().any(|surface| surface.kind == SurfaceKind::Command && surface.place == place)
    };
    let used = found.commands.iter().map(|command| {
        let trusted = command.by != BroughtBy::Project
            || !runs(&command.file)
            || trust.trusts(SurfaceKind::Command, &command.file);
        Extension {
            kind: ExtensionKind::Command,
            name: format!("/{}", command.name),
            place: command.file.display().to_string(),
            by: command.by,
            standing: match trusted {
                _ if is_builtin(&command.name) => ExtensionStanding::Builtin,
                true => ExtensionStanding::Used,
                false => ExtensionStanding::Untrusted,
            },
            tokens: 0,
            flaws: Vec::new(),
        }
    });
    let mut all: Vec<Extension> = used.collect();
    all.extend(left_out(start, ExtensionKind::Command, &found.shadowed, &found.flaws));
    all
}

/// Those that somebody wrote; the built-in ones are always there.
fn agents(start: &Start, trust: &TrustWord) -> Vec<Extension> {
    let roster = roster_of(start, trust);
    let written = roster.agents.iter().filter(|agent| !agent.place.is_empty());
    let flaws_of = |place: &str| {
        let own = roster.flaws.iter().filter(|flaw| flaw.kind.is_harmless() && flaw.path == Path::new(place));
        own.map(ExtensionFlaw::phrase).collect()
    };
    let used = written.map(|agent| Extension {
        kind: ExtensionKind::Agent,
        name: agent.name.clone(),
        place: agent.place.clone(),
        by: if agent.origin == AgentOrigin::Project { BroughtBy::Project } else { BroughtBy::User },
        standing: match unusable(start, &roster, agent) {
            _ if agent.disable => ExtensionStanding::Off,
            Some(why) => ExtensionStanding::Broken { why },
            None if roster.distrusts(&agent.name) => ExtensionStanding::Untrusted,
            None => ExtensionStanding::Used,
        },
        tokens: 0,
        flaws: flaws_of(&agent.place),
    });
    let mut all: Vec<Extension> = used.collect();
    // Those with permissions that say nothing stand among the others, and keep their place.
    let elsewhere = |flaw: &&ExtensionFlaw| !matches!(flaw.kind, FlawKind::BadPermissions(_));
    let flaws: Vec<ExtensionFlaw> = roster.flaws.iter().filter(elsewhere).cloned().collect();
    all.extend(left_out(start, ExtensionKind::Agent, &roster.shadowed, &flaws));
    all
}

fn of_hook(hook: &HookInfo, project: bool) -> Extension {
    Extension {
        kind: ExtensionKind::Hook,
        name: format!("{} {}", hook.event, hook.matcher).trim_end().to_owned(),
        place: hook.source.clone(),
        by: if project { BroughtBy::Project } else { BroughtBy::User },
        standing: if hook.trusted { ExtensionStanding::Used } else { ExtensionStanding::Untrusted },
        tokens: 0,
        flaws: Vec::new(),
    }
}

/// Something in a file with hooks that is not as it was meant.
fn of_flawed_hooks(start: &Start, file: String, why: Phrase) -> Extension {
    let path = Path::new(&file);
    let user = path.is_absolute() && path.starts_with(&start.world.home);
    Extension {
        kind: ExtensionKind::Hook,
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        by: if user { BroughtBy::User } else { BroughtBy::Project },
        standing: ExtensionStanding::Broken { why },
        tokens: 0,
        flaws: Vec::new(),
        place: file,
    }
}

fn of_server(server: &ConfiguredServer, clashing: &[(String, LeftOut)]) -> Extension {
    let own = clashing.iter().filter(|(name, _)| server.reach.is_ok() && *name == server.name);
    let flaw = |(_, left): &(String, LeftOut)| {
        Phrase::new("mcp.view_left_out").with("what", format!("{}: {}", left.name, left.reason))
    };
    let standing = match &server.reach {
        Ok(_) => ExtensionStanding::Used,
        Err(ServerAbsence::Off) => ExtensionStanding::Off,
        Err(ServerAbsence::Untrusted | ServerAbsence::Changed) => ExtensionStanding::Untrusted,
        Err(absence) => ExtensionStanding::Broken { why: absence.phrase(&server.name) },
    };
    Extension {
        kind: ExtensionKind::Server,
        name: server.name.clone(),
        place: server.place.clone(),
        by: if server.origin == ServerOrigin::User { BroughtBy::User } else { BroughtBy::Project },
        standing,
        tokens: 0,
        flaws: own.map(flaw).collect(),
    }
}

/// What is there and not used: another one stands before it, or something is wrong with it.
fn left_out(
    start: &Start,
    kind: ExtensionKind,
    hidden: &[ShadowedExtension],
    flaws: &[ExtensionFlaw],
) -> Vec<Extension> {
    let flaws = flaws.iter().filter(|flaw| !flaw.kind.is_harmless());
    shadowed(start, kind, hidden).chain(flaws.map(|flaw| broken(start, kind, flaw))).collect()
}

fn shadowed(start: &Start, kind: ExtensionKind, all: &[ShadowedExtension]) -> impl Iterator<Item = Extension> {
    all.iter().map(move |one| {
        let standing = ExtensionStanding::Shadowed { by: one.used.display().to_string() };
        not_used(start, kind, (one.name.clone(), &one.shadowed), standing)
    })
}

fn broken(start: &Start, kind: ExtensionKind, flaw: &ExtensionFlaw) -> Extension {
    let name = flaw.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    not_used(start, kind, (name, &flaw.path), ExtensionStanding::Broken { why: flaw.phrase() })
}

fn not_used(
    start: &Start,
    kind: ExtensionKind,
    (name, place): (String, &Path),
    standing: ExtensionStanding,
) -> Extension {
    let by = if place.starts_with(&start.world.home) { BroughtBy::User } else { BroughtBy::Project };
    Extension { kind, name, place: place.display().to_string(), by, standing, tokens: 0, flaws: Vec::new() }
}
