//! What a probe found, a line each: what it is, what was seen, and what that means for the user.

use crate::say::{Colour, Style, clean};
use reasonix_catalogue::{Guided, Probed, Seen, Server, ToolCalls};
use reasonix_llm::ProbeQuestion;
use reasonix_proto::Phrase;
use unicode_width::UnicodeWidthStr;

/// What is being asked, in words.
pub(super) fn asking(question: ProbeQuestion) -> &'static str {
    match question {
        ProbeQuestion::Models => "probe.ask_models",
        ProbeQuestion::Server => "probe.ask_server",
        ProbeQuestion::Tools => "probe.ask_tools",
        ProbeQuestion::Parallel => "probe.ask_parallel",
        ProbeQuestion::Schema => "probe.ask_schema",
        ProbeQuestion::Guided => "probe.ask_guided",
        ProbeQuestion::Cache => "probe.ask_cache",
    }
}

/// A row: the name, the value, what it means.
type Row = (Phrase, String, Phrase);

/// The lines of the table.
pub(super) fn lines(found: &Probed, style: Style) -> Vec<String> {
    let rows = rows(found, style);
    let names: Vec<String> = rows.iter().map(|(name, _, _)| style.text(name)).collect();
    let wide = names.iter().map(|name| name.width()).max().unwrap_or(0);
    let values = rows.iter().map(|(_, value, _)| value.width()).max().unwrap_or(0).min(28);
    let line = |(name, (_, value, means)): (&String, &Row)| {
        let value = clean(value);
        let gap = " ".repeat(wide.saturating_sub(name.width()));
        let space = " ".repeat(values.saturating_sub(value.width()));
        format!("  {name}{gap}  {value}{space}  {}", style.out(Colour::Dim, &style.text(means))).trim_end().to_owned()
    };
    names.iter().zip(&rows).map(line).collect()
}

fn rows(found: &Probed, style: Style) -> Vec<Row> {
    let word = |seen: Seen| {
        style.text(&Phrase::new(match seen {
            Seen::Yes => "probe.yes",
            Seen::No => "probe.no",
            Seen::Unclear => "probe.unclear",
        }))
    };
    let by = |seen: Seen, yes: &'static str, no: &'static str| match seen {
        Seen::Yes => Phrase::new(yes),
        Seen::No => Phrase::new(no),
        Seen::Unclear => Phrase::new("probe.unclear_means"),
    };
    let mut rows = vec![
        (Phrase::new("probe.server"), server(found.server).to_owned(), Phrase::new("probe.server_means")),
        (Phrase::new("probe.models"), models(found), Phrase::new("probe.models_means")),
        match found.window {
            Some(window) => (Phrase::new("probe.window"), window.to_string(), Phrase::new("probe.window_means")),
            None => (Phrase::new("probe.window"), word(Seen::Unclear), Phrase::new("probe.window_unknown")),
        },
        (
            Phrase::new("probe.streaming"),
            word(found.streaming),
            by(found.streaming, "probe.streaming_yes", "probe.streaming_no"),
        ),
    ];
    let (tools, means) = tools(found);
    rows.push((Phrase::new("probe.tools"), style.text(&tools), means));
    rows.push((
        Phrase::new("probe.parallel"),
        word(found.parallel),
        by(found.parallel, "probe.parallel_yes", "probe.parallel_no"),
    ));
    rows.push(match found.reasoning {
        Some(field) => (Phrase::new("probe.reasoning"), field.name().to_owned(), Phrase::new("probe.reasoning_yes")),
        None => (Phrase::new("probe.reasoning"), word(Seen::No), Phrase::new("probe.reasoning_no")),
    });
    rows.push((
        Phrase::new("probe.schema"),
        word(found.json_schema),
        by(found.json_schema, "probe.schema_yes", "probe.schema_no"),
    ));
    rows.push(match found.guided.filter(|form| *form != Guided::None) {
        Some(form) => (Phrase::new("probe.guided"), form.name().to_owned(), Phrase::new("probe.guided_yes")),
        None => (Phrase::new("probe.guided"), word(Seen::No), Phrase::new("probe.guided_no")),
    });
    rows.push((Phrase::new("probe.usage"), word(found.usage), by(found.usage, "probe.usage_yes", "probe.usage_no")));
    rows.push((
        Phrase::new("probe.reported"),
        word(found.cache_reported),
        by(found.cache_reported, "probe.reported_yes", "probe.reported_no"),
    ));
    rows.push((
        Phrase::new("probe.cached"),
        word(found.prefix_cached),
        by(found.prefix_cached, "probe.cached_yes", "probe.cached_no"),
    ));
    rows
}

fn tools(found: &Probed) -> (Phrase, Phrase) {
    match found.tools {
        ToolCalls::Native => (Phrase::new("probe.tools_native"), Phrase::new("probe.tools_native_means")),
        ToolCalls::Text => (Phrase::new("probe.tools_text"), Phrase::new("probe.tools_text_means")),
        ToolCalls::Refused if found.guided.is_some() => {
            (Phrase::new("probe.tools_refused"), Phrase::new("probe.tools_guided_means"))
        }
        ToolCalls::Refused => (Phrase::new("probe.tools_refused"), Phrase::new("probe.tools_refused_means")),
        ToolCalls::NotSeen => (Phrase::new("probe.tools_not_seen"), Phrase::new("probe.tools_not_seen_means")),
    }
}

fn models(found: &Probed) -> String {
    let shown: Vec<&str> = found.models.iter().take(2).map(String::as_str).collect();
    let more = (found.models.len() - shown.len()) as u64 + found.more_models;
    let more = if more > 0 { format!(" +{more}") } else { String::new() };
    if shown.is_empty() { "-".to_owned() } else { shown.join(", ") + &more }
}

fn server(server: Server) -> &'static str {
    match server {
        Server::LlamaCpp => "llama.cpp",
        Server::Vllm => "vLLM",
        Server::Sglang => "SGLang",
        Server::Ollama => "Ollama",
        Server::LmStudio => "LM Studio",
        Server::Unknown => "-",
    }
}
