//! `reasonix docs`: the documents that come with the program.

use crate::args::DocsArgs;
use crate::exit::Exit;
use crate::say;
use reasonix_extensions::OwnDoc;
use reasonix_proto::Phrase;
use serde_json::json;

pub(crate) fn docs(args: &DocsArgs) -> anyhow::Result<Exit> {
    // What is said of an unknown name is said in the user's language.
    let _ = crate::context::Context::load_silently(None, reasonix_config::Flags::default());
    match &args.topic {
        None => list(args.json)?,
        Some(topic) => show(topic, args.json)?,
    }
    Ok(Exit::Done)
}

fn list(as_json: bool) -> anyhow::Result<()> {
    if as_json {
        let all: Vec<_> = OwnDoc::all().map(|doc| json!({"name": doc.name, "title": doc.title()})).collect();
        return Ok(say::line(&say::json(&json!({"v": 1, "docs": all}))?)?);
    }
    let width = OwnDoc::all().map(|doc| doc.name.len()).max().unwrap_or_default();
    for doc in OwnDoc::all() {
        say::line(&format!("{:<width$}  {}", doc.name, doc.title()))?;
    }
    Ok(())
}

fn show(topic: &str, as_json: bool) -> anyhow::Result<()> {
    let Some(doc) = OwnDoc::named(topic) else {
        return Err(say::usage(Phrase::new("cli.docs_unknown").with("topic", topic).with("topics", near(topic))));
    };
    if as_json {
        let value = json!({"v": 1, "name": doc.name, "title": doc.title(), "text": doc.text});
        return Ok(say::line(&say::json(&value)?)?);
    }
    Ok(say::bytes(doc.text.as_bytes())?)
}

/// The documents that speak of what was asked for, the ones that do so most first; all of them when none does.
fn near(topic: &str) -> String {
    let wanted = topic.to_lowercase();
    let mut spoken: Vec<(usize, &str)> =
        OwnDoc::all().map(|doc| (doc.text.to_lowercase().matches(&wanted).count(), doc.name)).collect();
    spoken.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let found = spoken.iter().filter(|(count, _)| *count > 0).take(5).map(|(_, name)| *name);
    let names: Vec<&str> = if wanted.is_empty() { Vec::new() } else { found.collect() };
    if names.is_empty() { OwnDoc::all().map(|doc| doc.name).collect::<Vec<_>>().join(", ") } else { names.join(", ") }
}
