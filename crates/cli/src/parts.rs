//! `reasonix context`: what the context consists of, and how full it is.

use crate::args::{ContextArgs, SessionArgs};
use crate::context::Context;
use crate::exit::Exit;
use crate::say::{self, Style, clean};
use crate::sessions::look_here;
use reasonix_config::Flags;
use reasonix_engine::context_of;
use reasonix_proto::{ContextPart, Phrase, Reply};

pub(crate) fn context(args: &ContextArgs) -> anyhow::Result<Exit> {
    let context = Context::load(None, Flags::default())?;
    let seen = if args.new { None } else { look_here(&context, args.session.as_deref())? };
    let host = context.host(&SessionArgs::default(), true)?;
    let reply =
        context_of(host.base(), seen.as_ref().map(|(_, seen)| &seen.past)).map_err(|error| say::engine(&error))?;
    let Reply::Context { parts, context, window } = reply else { return Ok(Exit::Failed) };
    let session = seen.map(|(id, _)| id.0);
    let full = Full::new(&parts, context, window);
    if args.json {
        say::line(&say::json(&json(session.as_deref(), &parts, context, &full))?)?;
    } else {
        let heading = match session {
            Some(session) => Phrase::new("cli.context_session").with("session", session),
            None => Phrase::new("cli.context_new"),
        };
        say::line(&Style::get().text(&heading))?;
        for line in lines(&parts, context, window) {
            say::line(&line)?;
        }
    }
    Ok(Exit::Done)
}

/// How full the context is: as the provider counted where it did, otherwise by estimate.
struct Full {
    estimate: u64,
    tokens: u64,
    window: u64,
}

impl Full {
    fn new(parts: &[ContextPart], counted: u64, window: u64) -> Self {
        let estimate = parts.iter().map(|part| part.tokens).sum();
        Self { estimate, tokens: if counted > 0 { counted } else { estimate }, window }
    }

    /// In percent with one decimal; none where nobody knows how much fits.
    fn percent(&self, tokens: u64) -> Option<f64> {
        (self.window > 0).then(|| (tokens as f64 * 1000.0 / self.window as f64).round() / 10.0)
    }
}

fn json(session: Option<&str>, parts: &[ContextPart], counted: u64, full: &Full) -> serde_json::Value {
    let style = Style::get();
    let part = |part: &ContextPart| {
        serde_json::json!({
            "part": part.name.code, "text": style.text(&part.name), "tokens": part.tokens,
            "messages": part.messages, "percent": full.percent(part.tokens),
        })
    };
    serde_json::json!({
        "session": session, "parts": parts.iter().map(part).collect::<Vec<_>>(), "estimate": full.estimate,
        "counted": counted, "tokens": full.tokens, "window": full.window, "percent": full.percent(full.tokens),
    })
}

/// The parts, what they come to, and how much fits.
pub(crate) fn lines(parts: &[ContextPart], counted: u64, window: u64) -> Vec<String> {
    let (style, full) = (Style::get(), Full::new(parts, counted, window));
    let percent = |tokens| full.percent(tokens).map(|percent| format!("{percent:.1}%")).unwrap_or_default();
    let mut lines = Vec::new();
    for part in parts {
        let name = style.text(&part.name);
        let count = if part.messages > 0 { format!(" ({})", part.messages) } else { String::new() };
        lines.push(clean(&format!("{:>9}  {:>6}  {name}{count}", part.tokens, percent(part.tokens))));
    }
    let sum = style.text(&Phrase::new("cli.context_estimate"));
    lines.push(format!("{:>9}  {:>6}  {sum}", full.estimate, percent(full.estimate)));
    if counted > 0 {
        let said = style.text(&Phrase::new("cli.context_counted"));
        lines.push(format!("{counted:>9}  {:>6}  {said}", percent(counted)));
    }
    lines.push(style.text(&match window {
        0 => Phrase::new("cli.context_no_window"),
        window => Phrase::new("cli.context_window").with("window", window).with("percent", percent(full.tokens)),
    }));
    lines
}
