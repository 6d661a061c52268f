//! `reasonix memory`: what is kept from session to session, for the person it is kept for.

use crate::args::{MemoryArgs, MemoryCommand};
use crate::context::Context;
use crate::exit::Exit;
use crate::say::{self, Colour, Style, clean};
use reasonix_config::Flags;
use reasonix_proto::{Level, Phrase};
use reasonix_session::{Memories, MemoryError, Named, Provenance, Reach};

pub(crate) fn memory(args: MemoryArgs) -> anyhow::Result<Exit> {
    let context = Context::load(None, Flags::default())?;
    let memories = Memories::at(&context.home.join("state"), context.root());
    match args.command {
        None => list(&memories, false, false),
        Some(MemoryCommand::List { archived, json }) => list(&memories, archived, json),
        Some(MemoryCommand::Show { name, global }) => show(&memories, &name, global),
        Some(MemoryCommand::Add { name, text, description, global }) => {
            let reach = if global { Reach::Global } else { Reach::Project };
            let text = text.join(" ");
            let drafted = memories.drafted(reach, &name, &description, &text, Provenance::by_user());
            let draft = drafted.map_err(failed)?;
            memories.save(&draft).map_err(failed)?;
            done(Phrase::new("cli.memory_saved"), &draft)
        }
        Some(MemoryCommand::Forget { name, global }) => {
            let found = memories.forget(&name, global.then_some(Reach::Global)).map_err(failed)?;
            done(Phrase::new("cli.memory_forgotten"), &found)
        }
    }
}

#[allow(clippy::needless_pass_by_value, reason = "for map_err")]
fn failed(error: MemoryError) -> anyhow::Error {
    let phrase = error.phrase();
    match error {
        MemoryError::Name(_) | MemoryError::Empty => say::usage(phrase),
        _ => say::failed(phrase),
    }
}

fn done(phrase: Phrase, named: &Named) -> anyhow::Result<Exit> {
    let phrase = phrase.with("name", &named.name).with("scope", format!("@scope.{}", named.reach.word()));
    say::line(&Style::get().text(&phrase.with("revision", named.memory.revision)))?;
    Ok(Exit::Done)
}

fn list(memories: &Memories, archived: bool, json: bool) -> anyhow::Result<Exit> {
    let mut count = 0;
    for reach in [Reach::Global, Reach::Project] {
        let kept = if archived { memories.archived(reach) } else { memories.active(reach) };
        for named in &kept.memories {
            count += 1;
            say::line(&if json { json_line(named) } else { text_line(named) })?;
        }
        for (path, reason) in kept.unusable {
            let phrase = Phrase::new("cli.memory_unusable").with("path", path.display()).with("reason", reason);
            say::notice(Level::Warning, &phrase);
        }
    }
    if count == 0 && !json {
        let phrase = if archived { Phrase::new("cli.no_archived") } else { Phrase::new("cli.no_memories") };
        say::notice(Level::Info, &phrase);
    }
    Ok(Exit::Done)
}

fn text_line(named: &Named) -> String {
    let style = Style::get();
    let memory = &named.memory;
    let name = style.out(Colour::Bold, &clean(&named.name));
    let from = if memory.from.is_users() { String::new() } else { format!("  ({})", memory.from.source) };
    let archived = if memory.archived.is_empty() { String::new() } else { format!("  [{}]", memory.archived) };
    let scope = reasonix_words::named(style.lang, "scope", named.reach.word());
    format!("{name}  {scope}  {}", clean(&format!("{}{from}{archived}", memory.description)))
}

fn json_line(named: &Named) -> String {
    let memory = &named.memory;
    say::json(&serde_json::json!({
        "name": named.name, "scope": named.reach.word(), "description": memory.description, "text": memory.body,
        "revision": memory.revision, "saved": memory.saved, "archived": memory.archived,
        "source": memory.from.source, "session": memory.from.session, "turn": memory.from.turn,
        "model": memory.from.model, "seen": memory.from.seen,
    }))
    .unwrap_or_default()
}

fn show(memories: &Memories, name: &str, global: bool) -> anyhow::Result<Exit> {
    let reach = global.then_some(Reach::Global);
    let found = memories.get(name, reach).or_else(|error| archived(memories, name, reach).ok_or(error));
    let found = found.map_err(failed)?;
    let memory = &found.memory;
    say::line(&text_line(&found))?;
    let style = Style::get();
    let source = reasonix_words::named(style.lang, "by", &memory.from.source).into_owned();
    let mut about = vec![(Phrase::new("memory.label_source"), source)];
    about.push((Phrase::new("memory.label_saved"), memory.saved.clone()));
    about.push((Phrase::new("memory.label_revision"), memory.revision.to_string()));
    about.extend(memory.from.session.clone().map(|session| (Phrase::new("memory.label_session"), session)));
    about.extend(memory.from.turn.map(|turn| (Phrase::new("memory.label_turn"), turn.to_string())));
    about.extend(memory.from.model.clone().map(|model| (Phrase::new("memory.label_model"), model)));
    about.extend(memory.from.seen.iter().map(|seen| (Phrase::new("memory.label_seen"), seen.clone())));
    for (what, value) in about {
        let line = format!("{}{}{value}", style.text(&what), style.colon());
        say::line(&style.out(Colour::Dim, &clean(&line)))?;
    }
    say::line("")?;
    for line in memory.body.lines() {
        say::line(&clean(line))?;
    }
    Ok(Exit::Done)
}

/// An archived version, as the list names it: `name.3`; the last one where only the name is given.
fn archived(memories: &Memories, name: &str, reach: Option<Reach>) -> Option<Named> {
    let reaches = reach.map_or(vec![Reach::Project, Reach::Global], |reach| vec![reach]);
    let all = reaches.into_iter().flat_map(|reach| memories.archived(reach).memories);
    let is_it = |named: &Named| named.name == name || named.name.split_once('.').is_some_and(|(own, _)| own == name);
    all.filter(is_it).max_by_key(|named| named.memory.revision)
}
