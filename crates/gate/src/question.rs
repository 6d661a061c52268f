//! A question to a person, as data: what would run to the last character, why it is asked, and what it would touch.

use super::programs::{Local, Resolved};
use super::scripts::Scripts;
use reasonix_agent::{Args, Ask, Preview};
use reasonix_policy::{By, suggest, suggest_always, visible};
use reasonix_proto::{Action, AskId, Asking, Choice, Danger, Family, Field, Phrase};
use std::borrow::Cow;

/// A field is never longer than this where the subject or the diff shows the rest.
const LONGEST_SHOWN: usize = 400;

/// No field of a question is longer than this.
const LONGEST_FIELD: usize = 64 * 1024;

/// More than this is not listed of what a call would touch; the command itself is always there to its end.
const MOST_TOUCHED: usize = 2000;

/// What is known about a call when a person is asked about it.
pub(super) struct About<'a> {
    pub(super) ask: &'a Ask<'a>,
    pub(super) by: &'a By,
    /// What it would change.
    pub(super) preview: Option<&'a Preview>,
    /// The scripts that it would run.
    pub(super) scripts: &'a Scripts,
    /// Those that are not what they were when it was allowed.
    pub(super) changed: &'a [String],
    /// Whether what is granted for good can be written somewhere.
    pub(super) keeps: bool,
    /// Whether its danger can be granted for the session.
    pub(super) grantable: bool,
    /// The call as rules see it, and its programs that lie in the workspace.
    pub(super) resolved: &'a Resolved,
    /// The rule that denies files which git would show copies of.
    pub(super) copied: Option<String>,
}

pub(super) fn question(id: &AskId, about: &About<'_>) -> Asking {
    let About { ask, by, preview, keeps, .. } = *about;
    let danger = match by {
        By::Danger(found) => found.iter().map(shown_danger).collect(),
        _ => Vec::new(),
    };
    let why = match by {
        _ if !about.changed.is_empty() => {
            Phrase::new("engine.ask_changed").with("files", visible(&about.changed.join(", ")))
        }
        By::Rule(_) if let Some(rule) = &about.copied => Phrase::new("engine.ask_copies").with("rule", rule),
        By::Rule(rule) => Phrase::new("engine.ask_rule").with("rule", rule),
        By::Aspect { why, .. } => why.clone(),
        By::Danger(_) if about.grantable => Phrase::new("engine.ask_danger_restorable"),
        By::Danger(_) => Phrase::new("engine.ask_danger"),
        By::Protected(paths) => Phrase::new("engine.ask_protected").with("paths", paths.join(", ")),
        By::Later(paths) => Phrase::new("engine.ask_later").with("paths", paths.join(", ")),
        By::Memory => Phrase::new("engine.ask_memory"),
        By::Redefined(_) => Phrase::new("engine.ask_redefined").with("tool", &ask.tool.spec().name),
        By::Unvouched => Phrase::new("engine.ask_unvouched").with("tool", &ask.tool.spec().name),
        _ if !ask.classified.wanted.is_empty() => {
            let paths: Vec<_> = ask.classified.wanted.iter().map(|path| visible(path).into_owned()).collect();
            Phrase::new("engine.ask_wanted").with("paths", paths.join(", "))
        }
        By::Fallback if about.resolved.locals.iter().any(Local::hides) => Phrase::new("engine.ask_program"),
        _ => Phrase::new("engine.ask_mode"),
    };
    // Nothing dangerous is remembered but what undo takes back, for a session; and no grant covers what tells agents what to do.
    let wished = ask.classified.asks.is_some();
    let once = wished
        || about.copied.is_some()
        || matches!(by, By::Danger(_) | By::Protected(_) | By::Later(_) | By::Memory | By::Redefined(_));
    let rules = match once {
        true if about.grantable => vec![super::restorable::WORD.to_owned()],
        true => Vec::new(),
        false => named_rules(about, suggest),
    };
    // A rule that says to ask would go on asking whatever is saved beside it.
    let kept = if keeps && !wished && *by == By::Fallback { named_rules(about, suggest_always) } else { Vec::new() };
    let subject = ask.action.title();
    // What is to be read nowhere else is there to its end.
    let elsewhere = |value: &serde_json::Value| preview.is_some() || value.as_str() == Some(&subject);
    let longest = |value| if elsewhere(value) { LONGEST_SHOWN } else { LONGEST_FIELD };
    let field = |(name, value): (&String, _)| Field { name: name.clone(), value: shown(value, longest(value)) };
    let given = ask.args.iter().map(field);
    let fields = given.chain(about.resolved.locals.iter().map(Local::field)).chain(wish(ask, &why)).collect();
    let plain = match visible(&subject) {
        Cow::Borrowed(_) => None,
        Cow::Owned(text) => Some(text),
    };
    Asking {
        ask: id.clone(),
        call: ask.call.id.clone(),
        tool: ask.tool.spec().name.clone(),
        why,
        fields,
        changes: preview.map(|preview| preview.changes.clone()).unwrap_or_default(),
        diff: definition(by).or_else(|| preview.map(|preview| preview.diff.clone())),
        choices: choices(&rules, kept),
        rules,
        danger,
        visible: plain,
        subject,
        digest: digest(&ask.tool.spec().name, ask.args, about.scripts),
        command: None,
        child: None,
        editable: ask.action.family == Family::Bash && !ask.by_user,
    }
}

/// Who else wants a person to be asked, and why, where the question does not say it already.
fn wish(ask: &Ask<'_>, said: &Phrase) -> Option<Field> {
    let wants = ask.classified.asks.as_ref().filter(|wants| wants.why != *said)?;
    Some(Field { name: "asks".to_owned(), value: shown(&wants.by.as_str().into(), LONGEST_FIELD) })
}

/// The rules to offer. What comes from outside is granted by its own name, which its action does not have.
fn named_rules(about: &About<'_>, suggest: fn(&Action) -> Vec<String>) -> Vec<String> {
    let action = &about.resolved.action;
    if action.family == Family::Tool { vec![about.ask.tool.spec().name.clone()] } else { suggest(action) }
}

/// How a tool is defined otherwise than when it was accepted.
fn definition(by: &By) -> Option<String> {
    if let By::Redefined(diff) = by { Some(diff.clone()) } else { None }
}

/// Every answer there is, the narrowest first and the refusal last.
fn choices(session: &[String], always: Vec<String>) -> Vec<Choice> {
    let session = session.iter().map(|rule| Choice::AllowSession { rule: rule.clone() });
    let always = always.into_iter().map(|rule| Choice::AllowAlways { rule });
    std::iter::once(Choice::AllowOnce).chain(session).chain(always).chain([Choice::Deny]).collect()
}

fn shown_danger(danger: &reasonix_policy::LineDanger) -> Danger {
    let mut touches: Vec<String> =
        danger.touches.iter().take(MOST_TOUCHED).map(|path| visible(path).into_owned()).collect();
    if danger.touches.len() > MOST_TOUCHED {
        touches.push(format!("… +{}", danger.touches.len() - MOST_TOUCHED));
    }
    Danger { why: danger.why.clone(), touches }
}

/// What an answer is about: the tool, every byte of its arguments, and of the scripts that it would run.
pub(super) fn digest(tool: &str, args: &Args, scripts: &Scripts) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(tool.as_bytes());
    hasher.update(&[0]);
    hasher.update(serde_json::to_string(args).unwrap_or_default().as_bytes());
    scripts.digest_into(&mut hasher);
    hasher.finalize().to_hex().to_string()
}

fn shown(value: &serde_json::Value, longest: usize) -> String {
    let text = match value {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let text = visible(&text).into_owned();
    match text.char_indices().nth(longest) {
        None => text,
        Some((at, _)) => format!("{}… ({} bytes)", text.get(..at).unwrap_or_default(), text.len()),
    }
}
