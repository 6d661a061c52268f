//! The ways in: a chat, perhaps with a first message; one run; an earlier session out of a list. Says what was probably
//! meant where a word is no command.

use crate::args::{ChatArgs, Cli, GoalArgs, OutputArgs, RunArgs, SessionArgs};
use crate::context::{Context, flags_of};
use crate::exit::Exit;
use crate::say::{self, Style, clean};
use clap::CommandFactory;
use reasonix_gate::RESTORABLE;
use reasonix_proto::{Level, Phrase};
use reasonix_session::{Ending, Sessions, Summary};

/// Sessions of the list that is printed.
const MOST_LISTED: usize = 20;
/// How much alike a word and a command must be for one to be meant by the other.
const ALIKE: f64 = 0.7;
/// The same where more words follow: then it may as well be a sentence.
const ALIKE_IN_SENTENCE: f64 = 0.8;

/// `reasonix` without a command.
pub(crate) fn enter(cli: Cli) -> anyhow::Result<Exit> {
    let Cli { prompt, print, output, session, .. } = cli;
    if print {
        return run(RunArgs { prompt, goal: GoalArgs::default(), session, output });
    }
    let approve = output.approve.iter().any(|rule| rule == RESTORABLE).then(|| RESTORABLE.to_owned());
    let rest = OutputArgs { approve: output.approve.into_iter().filter(|rule| rule != RESTORABLE).collect(), ..output };
    if rest != OutputArgs::default() {
        return Err(say::usage(Phrase::new("cli.only_printed")));
    }
    if let Some(phrase) = no_command(&prompt) {
        return Err(say::usage(phrase));
    }
    chat(ChatArgs { prompt, approve, session })
}

/// `reasonix chat`.
pub(crate) fn chat(args: ChatArgs) -> anyhow::Result<Exit> {
    let ChatArgs { prompt, approve, session } = args;
    let session = SessionArgs { approve: approve.into_iter().collect(), ..session };
    let prompt = Some(prompt.join(" ")).filter(|prompt| !prompt.trim().is_empty());
    if crate::chat::is_plain() {
        return match session.wants_list() {
            true => list(&session),
            false => beside(move || crate::chat::chat(session, prompt)),
        };
    }
    crate::runtime()?.block_on(crate::screen::screen(session, prompt))
}

/// Lets somebody who waits for lines wait on a thread of their own: the session, its jobs and their limits go on meanwhile, on
/// the thread that lives as long as the process.
fn beside<F: Future<Output = anyhow::Result<Exit>>>(talk: impl FnOnce() -> F + Send + 'static) -> anyhow::Result<Exit> {
    let runtime = crate::runtime()?;
    let handle = runtime.handle().clone();
    let (over, ended) = tokio::sync::oneshot::channel();
    let talking = std::thread::Builder::new().name("chat".to_owned()).spawn(move || {
        let _ = over.send(handle.block_on(talk()));
    })?;
    match runtime.block_on(ended) {
        Ok(exit) => exit,
        // It panicked, and has said so.
        Err(_) => match talking.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(()) => Ok(Exit::Failed),
        },
    }
}

/// `reasonix run`.
pub(crate) fn run(args: RunArgs) -> anyhow::Result<Exit> {
    if args.session.wants_list() {
        return list(&args.session);
    }
    crate::runtime()?.block_on(crate::run::run(args))
}

/// Prints the sessions of this folder, each with the command that goes on with it. Where there are some, none was chosen:
/// what was asked for is not done.
fn list(args: &SessionArgs) -> anyhow::Result<Exit> {
    let context = Context::load(args.dir.as_deref(), flags_of(args))?;
    let here = context.root().display().to_string();
    let all = Sessions::at(&context.home.join("state")).list().map_err(|error| say::failed(error.phrase()))?;
    let own: Vec<&Summary> = all.iter().filter(|one| one.cwd == here && one.ending != Ending::Broken).collect();
    if own.is_empty() {
        let code = if all.is_empty() { "cli.no_sessions" } else { "cli.no_sessions_to_resume" };
        return Err(say::usage(Phrase::new(code)));
    }
    say::notice(Level::Info, &Phrase::new("cli.resume_which"));
    let style = Style::get();
    for session in own.iter().take(MOST_LISTED) {
        let age = style.text(&crate::sessions::age(session.active));
        say::line(&clean(&format!("reasonix --resume {}  {age:>10}  {}", session.id.short(), session.title)))?;
    }
    Ok(Exit::Usage)
}

/// Whether a word is a command.
pub(crate) fn is_command(word: &str) -> bool {
    Cli::command()
        .get_subcommands()
        .any(|command| command.get_name() == word || command.get_all_aliases().any(|other| other == word))
}

/// What is wrong with the first message, where its first word was rather meant as a command.
fn no_command(words: &[String]) -> Option<Phrase> {
    let first = words.first()?;
    if !first.starts_with(|c: char| c.is_ascii_lowercase())
        || first.contains(|c: char| !c.is_ascii_alphanumeric() && c != '-')
    {
        return None;
    }
    if is_command(first) {
        return Some(Phrase::new("cli.flags_before").with("word", first));
    }
    let alone = words.len() == 1;
    match nearest(first, if alone { ALIKE } else { ALIKE_IN_SENTENCE }) {
        Some(meant) => Some(Phrase::new("cli.no_command_but").with("word", first).with("meant", meant)),
        None if alone => Some(Phrase::new("cli.no_command").with("word", first)),
        None => None,
    }
}

/// The command that a word was probably meant as, in the words of other programs too.
fn nearest(word: &str, alike: f64) -> Option<String> {
    let elsewhere = match word {
        "version" => Some("--version"),
        "resume" => Some("--resume"),
        "continue" => Some("--continue"),
        "login" | "auth" | "init" | "configure" => Some("setup"),
        "ask" | "print" => Some("run"),
        "settings" => Some("config"),
        "usage" | "cost" => Some("stats"),
        _ => None,
    };
    let names = Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect::<Vec<_>>();
    let scored = names.into_iter().map(|name| (strsim::normalized_damerau_levenshtein(word, &name), name));
    let best = scored.filter(|(score, _)| *score >= alike).max_by(|a, b| a.0.total_cmp(&b.0));
    elsewhere.map(str::to_owned).or(best.map(|(_, name)| name))
}

#[cfg(test)]
mod tests {
    use super::no_command;

    #[test]
    fn a_word_that_was_meant_as_a_command_is_no_first_message() {
        let found = |line: &str| {
            let words: Vec<String> = line.split('|').map(str::to_owned).collect();
            no_command(&words).map(|phrase| phrase.arg("meant").unwrap_or_default().to_owned())
        };
        assert_eq!(found("sesions").as_deref(), Some("sessions"));
        assert_eq!(found("sesions|list").as_deref(), Some("sessions"));
        assert_eq!(found("version").as_deref(), Some("--version"));
        assert_eq!(found("resume").as_deref(), Some("--resume"));
        assert_eq!(found("nosuch").as_deref(), Some(""), "nothing is like it, and nothing is suggested");
        for sentence in ["fix the bug", "fix|the|bug", "你好", "Why?", "src/main.rs"] {
            assert_eq!(found(sentence), None, "{sentence}");
        }
        assert!(found("run|hi").is_some(), "a flag before a command does not make a message of it");
    }
}
