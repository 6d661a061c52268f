//! `reasonix extensions`: everything that extends a session here, in one table. Nothing is started for it.

use crate::args::{ExtensionsArgs, SessionArgs};
use crate::context::{Context, flags_of};
use crate::exit::Exit;
use crate::say::{self, Colour, Style, clean, in_line};
use reasonix_engine::{Extension, ExtensionStanding, inventory};
use reasonix_proto::{Level, Phrase};
use serde_json::{Value, json};

pub(crate) fn extensions(args: &ExtensionsArgs) -> anyhow::Result<Exit> {
    let session = SessionArgs { dir: args.dir.clone(), ..SessionArgs::default() };
    let host = Context::load(args.dir.as_deref(), flags_of(&session))?.host(&session, true)?;
    let all = inventory(host.base());
    if args.json {
        let rows: Vec<Value> = all.iter().map(row).collect();
        say::line(&say::json(&json!({"v": 1, "extensions": rows}))?)?;
        return Ok(Exit::Done);
    }
    if all.is_empty() {
        say::notice(Level::Info, &Phrase::new("cli.extensions_none"));
    }
    let width = |of: &dyn Fn(&Extension) -> usize| all.iter().map(of).max().unwrap_or_default();
    let widths = (width(&|one| cells(&kind(one))), width(&|one| cells(&in_line(&one.name))));
    for one in &all {
        say::line(&text(one, widths))?;
    }
    let tokens: u64 = all.iter().map(|one| one.tokens).sum();
    let used = all.iter().filter(|one| one.standing == ExtensionStanding::Used).count();
    let end = Phrase::new("cli.extensions_end").with("used", used).with("all", all.len()).with("tokens", tokens);
    say::line(&Style::get().text(&end))?;
    Ok(Exit::Done)
}

fn row(one: &Extension) -> Value {
    let why = match &one.standing {
        ExtensionStanding::Shadowed { by } => json!({"by": by}),
        ExtensionStanding::Builtin => json!({"by": "builtin"}),
        ExtensionStanding::Broken { why } => json!(why),
        _ => Value::Null,
    };
    json!({"kind": one.kind.word(), "name": one.name, "place": one.place, "by": one.by.word(),
        "standing": one.standing.word(), "why": why, "tokens": one.tokens, "flaws": one.flaws})
}

fn kind(one: &Extension) -> String {
    reasonix_words::named(Style::get().lang, "extension", one.kind.word()).into_owned()
}

/// Columns on the screen.
fn cells(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

fn text(one: &Extension, (kinds, names): (usize, usize)) -> String {
    let style = Style::get();
    let (code, colour) = match &one.standing {
        ExtensionStanding::Used => ("cli.extension_used", Colour::Green),
        ExtensionStanding::Untrusted => ("cli.extension_untrusted", Colour::Yellow),
        ExtensionStanding::Off => ("cli.extension_off", Colour::Dim),
        ExtensionStanding::ByHand => ("cli.extension_by_hand", Colour::Dim),
        ExtensionStanding::Shadowed { .. } | ExtensionStanding::Builtin => ("cli.extension_shadowed", Colour::Dim),
        ExtensionStanding::Broken { .. } => ("cli.extension_broken", Colour::Red),
    };
    let standing = style.out(colour, &style.text(&Phrase::new(code)));
    let about = style.text(&Phrase::new("cli.extension_tokens").with("tokens", one.tokens));
    let tokens = if one.tokens == 0 { String::new() } else { format!("  {about}") };
    let by = reasonix_words::named(style.lang, "extension", one.by.word());
    let place = if one.place.is_empty() { &by } else { one.place.as_str() };
    let (kind, name) = (kind(one), in_line(&one.name));
    let room = |text: &str, width: usize| " ".repeat(width.saturating_sub(cells(text)));
    let (behind_kind, behind_name) = (room(&kind, kinds), room(&name, names));
    let line = format!("{kind}{behind_kind}  {name}{behind_name}  {standing}  {}{tokens}", in_line(place));
    let said = match &one.standing {
        ExtensionStanding::Shadowed { by } => Some(Phrase::new("cli.extension_behind").with("path", by)),
        ExtensionStanding::Builtin => Some(Phrase::new("cli.extension_builtin")),
        ExtensionStanding::Broken { why } => Some(why.clone()),
        _ => None,
    };
    let below = said.iter().chain(&one.flaws);
    let below = below.map(|phrase| format!("\n    {}", style.out(Colour::Dim, &clean(&style.text(phrase)))));
    below.fold(line, |text, said| text + &said)
}
