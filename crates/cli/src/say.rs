//! Words on the screen: green ok, red error, yellow warning, cyan hint; all understandable without colour.

use crate::exit::Exit;
use reasonix_config::ConfigError;
use reasonix_engine::EngineError;
use reasonix_proto::{Level, Phrase, escaped_json, shown};
use reasonix_session::SessionError;
use reasonix_words::{Lang, hint, render};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, OnceLock, PoisonError};

/// An error that is told to the user in their language.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) phrase: Phrase,
    pub(crate) exit: Exit,
    /// What went wrong, where somebody goes on from it.
    pub(crate) cause: Option<Cause>,
}

/// What somebody goes on from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// Nothing is configured that could answer.
    Unconfigured,
    /// There is no such session.
    UnknownSession,
    /// A turn changed no files.
    Unchanged,
}

impl Cause {
    /// True when the error was made of this.
    pub(crate) fn is_of(self, error: &anyhow::Error) -> bool {
        error.downcast_ref::<Told>().is_some_and(|told| told.cause == Some(self))
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.phrase.fmt(f)
    }
}

impl std::error::Error for Told {}

/// Who reads a document: in the user's language, and by the clock on their wall.
pub(crate) fn reader() -> reasonix_session::DocumentReader {
    reasonix_session::DocumentReader { clock: reasonix_session::local_clock, say: |phrase| render(language(), phrase) }
}

/// An error of what the user wrote: the command line or the settings.
pub(crate) fn usage(phrase: Phrase) -> anyhow::Error {
    Told { phrase, exit: Exit::Usage, cause: None }.into()
}

/// Any other error that has words.
pub(crate) fn failed(phrase: Phrase) -> anyhow::Error {
    Told { phrase, exit: Exit::Failed, cause: None }.into()
}

/// An engine's error: its settings are the user's, the rest is the machine's.
pub(crate) fn engine(error: &EngineError) -> anyhow::Error {
    let exit = match error {
        EngineError::Settings(_) | EngineError::Config(_) => Exit::Usage,
        EngineError::Untrusted(_) => Exit::Refused,
        EngineError::Session(_) | EngineError::Workspace(_) => Exit::Failed,
    };
    let cause = match error {
        EngineError::Config(ConfigError::NoProvider) => Some(Cause::Unconfigured),
        EngineError::Session(SessionError::NotFound { .. }) => Some(Cause::UnknownSession),
        _ => None,
    };
    Told { phrase: error.phrase(), exit, cause }.into()
}

/// The language and colours of this process, decided once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    pub(crate) lang: Lang,
    /// Standard output has colours.
    pub(crate) out: bool,
    err: bool,
}

/// The screen that has the terminal, while one has.
static SCREEN: Mutex<Option<reasonix_tui::Post>> = Mutex::new(None);

/// Sends notices to the screen instead of standard error.
pub(crate) fn divert(to: Option<reasonix_tui::Post>) {
    *SCREEN.lock().unwrap_or_else(PoisonError::into_inner) = to;
}

static LANG: OnceLock<Lang> = OnceLock::new();

/// Settles the language from the settings; before that it follows the environment.
pub(crate) fn settle_language(setting: Option<&str>) {
    if let Some(tag) = setting {
        let _ = LANG.set(Lang::of_tag(tag));
    }
}

fn language() -> Lang {
    *LANG.get_or_init(|| {
        let names = ["REASONIX_LANG", "LC_ALL", "LC_MESSAGES", "LANG"];
        let tag = names.into_iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
        Lang::of_tag(&tag.unwrap_or_default())
    })
}

impl Style {
    pub(crate) fn get() -> Self {
        static COLOURS: OnceLock<(bool, bool)> = OnceLock::new();
        let (out, err) = *COLOURS.get_or_init(|| {
            let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
            let off = dumb || reasonix_config::no_color(&crate::context::environment());
            (!off && io::stdout().is_terminal(), !off && io::stderr().is_terminal())
        });
        Self { lang: language(), out, err }
    }

    pub(crate) fn text(self, phrase: &Phrase) -> String {
        render(self.lang, phrase)
    }

    /// What stands between a label and its text.
    pub(crate) fn colon(self) -> &'static str {
        if self.lang == Lang::Zh { "：" } else { ": " }
    }

    /// What stands between facts in a row.
    pub(crate) fn comma(self) -> &'static str {
        if self.lang == Lang::Zh { "，" } else { ", " }
    }

    /// Colours a text for standard error.
    pub(crate) fn err(self, colour: Colour, text: &str) -> String {
        colour.paint(text, self.err)
    }

    /// Colours a text for standard output.
    pub(crate) fn out(self, colour: Colour, text: &str) -> String {
        colour.paint(text, self.out)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colour {
    Red,
    Green,
    Yellow,
    Cyan,
    Bold,
    Dim,
}

impl Colour {
    fn paint(self, text: &str, on: bool) -> String {
        let code = match self {
            Self::Red => 31,
            Self::Green => 32,
            Self::Yellow => 33,
            Self::Cyan => 36,
            Self::Bold => 1,
            Self::Dim => 2,
        };
        if on { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Prints an error with its hint to standard error.
pub(crate) fn failure(error: &anyhow::Error) {
    match error.downcast_ref::<Told>() {
        Some(told) => notice(Level::Error, &told.phrase),
        None => {
            let style = Style::get();
            let label = style.err(Colour::Red, style.text(&Phrase::new("cli.error")).as_str());
            line_err(&format!("{label}{}{}", style.colon(), clean(&format!("{error:#}"))));
        }
    }
}

/// Why something failed, within another sentence.
pub(crate) fn reason(error: &anyhow::Error) -> String {
    match error.downcast_ref::<Told>() {
        Some(told) => Style::get().text(&told.phrase),
        None => format!("{error:#}"),
    }
}

/// Prints a phrase with its hint to standard error.
pub(crate) fn notice(level: Level, phrase: &Phrase) {
    if let Some(post) = SCREEN.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
        post.tell(reasonix_tui::HostNews::Notice(level, phrase.clone()));
        return;
    }
    let style = Style::get();
    let (label, colour) = match level {
        Level::Info => ("cli.note", Colour::Cyan),
        Level::Warning => ("cli.warning", Colour::Yellow),
        Level::Error => ("cli.error", Colour::Red),
    };
    let label = style.err(colour, &style.text(&Phrase::new(label)));
    line_err(&format!("{label}{}{}", style.colon(), clean(&style.text(phrase))));
    if let Some(hint) = hint(style.lang, phrase) {
        let label = style.err(Colour::Cyan, &style.text(&Phrase::new("cli.label_hint")));
        line_err(&format!("{label}{}{}", style.colon(), clean(&hint)));
    }
}

/// Prints a line to standard error, as harmless as [`line()`]. A terminal that went away is nobody's error.
pub(crate) fn line_err(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", harmless(text));
}

/// Prints a line to standard output; control characters in it are shown, not sent, but for our own colours.
pub(crate) fn line(text: &str) -> io::Result<()> {
    bytes(format!("{}\n", harmless(text)).as_bytes())
}

/// Prints bytes to standard output; a reader that has seen enough is not an error.
pub(crate) fn bytes(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Makes text of models, tools and servers harmless for a terminal and honest for a reader: no control character but
/// newline and tab, and nothing that nobody sees; both stand there by number.
pub(crate) fn clean(text: &str) -> String {
    shown(text).into_owned()
}

/// The same in one line: whoever chose a name does not choose where a row of a table ends.
pub(crate) fn in_line(text: &str) -> String {
    clean(text).split(['\n', '\t']).collect::<Vec<_>>().join("\u{23ce}")
}

/// A value as JSON for standard output: what nobody sees stands there as an escape.
pub(crate) fn json(value: &impl Serialize) -> serde_json::Result<String> {
    Ok(escaped_json(&serde_json::to_string(value)?).into_owned())
}

/// The last gate before a terminal: whatever a text is made of, nothing but our own colours gets through as a command.
fn harmless(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return shown(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        let (before, command) = rest.split_at(at);
        out.push_str(&shown(before));
        let ours = OURS.iter().find(|ours| command.starts_with(**ours));
        out.push_str(ours.copied().unwrap_or("⟨U+001B⟩"));
        rest = command.get(ours.map_or(1, |ours| ours.len())..).unwrap_or_default();
    }
    out.push_str(&shown(rest));
    Cow::Owned(out)
}

/// What [`Colour::paint`] writes.
const OURS: [&str; 7] = ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m", "\u{1b}[36m"];

#[cfg(test)]
mod tests {
    use super::{Colour, OURS, clean, harmless};

    #[test]
    fn nothing_but_our_colours_passes_the_last_gate() {
        for colour in [Colour::Red, Colour::Green, Colour::Yellow, Colour::Cyan, Colour::Bold, Colour::Dim] {
            let painted = colour.paint("中文\n\tok", true);
            assert_eq!(harmless(&painted), painted);
        }
        for text in
            ["\u{1b}]52;c;ZQ==\u{7}", "\u{1b}[2J", "\u{1b}[8m", "\u{9b}2J", "a\rb", "\u{1b}", "\u{1b}[3", "\u{7f}"]
        {
            let seen = harmless(text);
            assert!(!seen.chars().any(|c| c.is_control()) && seen.contains("⟨U+00"), "{text:?}: {seen:?}");
        }
        assert_eq!(OURS.concat(), harmless(&OURS.concat()));
    }

    #[test]
    fn no_escape_sequence_gets_through() {
        assert_eq!(clean("a\u{1b}[2Jb\u{9b}31m\u{7}"), "a⟨U+001B⟩[2Jb⟨U+009B⟩31m⟨U+0007⟩");
        assert_eq!(clean("中文\r\n\tok 🦀"), "中文\n\tok 🦀");
        assert_eq!(clean("a\u{202e}b\u{200b}"), "a⟨U+202E⟩b⟨U+200B⟩");
    }
}
