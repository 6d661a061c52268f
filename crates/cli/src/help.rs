//! `--help` and what is said of a wrong command line, in the user's language. English is what stands at the flags; Chinese
//! is put in its place.

use crate::args::Cli;
use crate::say::{Colour, Style};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory};
use reasonix_proto::Phrase;
use reasonix_words::{Lang, help_in_chinese};

/// The same complaint or help in Chinese, where that is the user's language.
pub(crate) fn in_chinese() -> Option<clap::Error> {
    // A setting may say another language than the environment; without settings the environment does.
    let _ = crate::context::Context::load_silently(None, reasonix_config::Flags::default());
    if Style::get().lang != Lang::Zh {
        return None;
    }
    let error = translated(Cli::command()).try_get_matches().err()?;
    // `help --help` wants what `--help` wants.
    let meant = error.get(ContextKind::InvalidSubcommand).map(ToString::to_string);
    if meant.is_some_and(|word| word == "--help" || word == "-h") {
        return translated(Cli::command()).try_get_matches_from(["reasonix", "--help"]).err();
    }
    Some(error)
}

/// Words that clap writes into a page by itself, and how they are written in Chinese.
const OWN_WORDS: [(&str, &str); 5] =
    [("[OPTIONS]", "[选项]"), ("命令:", "命令："), ("参数:", "参数："), ("选项:", "选项："), ("[alias: ", "[别名：")];

/// A page of help in Chinese. A closed pipe under `--help | head` is nothing to complain about.
pub(crate) fn page(error: &clap::Error) -> String {
    let page = error.render();
    let text = if Style::get().out { page.ansi().to_string() } else { page.to_string() };
    OWN_WORDS.iter().fold(text, |text, (english, chinese)| text.replace(english, chinese))
}

/// True for a page of help in place of a complaint: of a command that has commands, where none was named.
pub(crate) fn is_page(error: &clap::Error) -> bool {
    error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
}

/// What is wrong with a command line, in Chinese: clap's own sentences are English.
pub(crate) fn complaint(error: &clap::Error) -> String {
    let said = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join("、"),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let (arg, value) = (said(ContextKind::InvalidArg), said(ContextKind::InvalidValue));
    let phrase = match error.kind() {
        ErrorKind::UnknownArgument => Phrase::new("cli.usage_unknown").with("arg", &arg),
        ErrorKind::InvalidSubcommand => {
            Phrase::new("cli.usage_command").with("arg", said(ContextKind::InvalidSubcommand))
        }
        ErrorKind::MissingRequiredArgument => Phrase::new("cli.usage_missing").with("arg", &arg),
        ErrorKind::MissingSubcommand => Phrase::new("cli.usage_which"),
        ErrorKind::ArgumentConflict => {
            Phrase::new("cli.usage_conflict").with("arg", &arg).with("other", said(ContextKind::PriorArg))
        }
        _ if !arg.is_empty() && value.is_empty() => Phrase::new("cli.usage_valueless").with("arg", &arg),
        _ if !arg.is_empty() => Phrase::new("cli.usage_value").with("arg", &arg).with("value", &value),
        _ => Phrase::new("cli.usage_wrong"),
    };
    let style = Style::get();
    let label = style.err(Colour::Red, &style.text(&Phrase::new("cli.error")));
    let mut text = format!("{label}：{}\n", style.text(&phrase));
    let valid = said(ContextKind::ValidValue);
    let meant = [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue];
    let meant = meant.into_iter().map(said).find(|text| !text.is_empty());
    if !valid.is_empty() {
        text.push_str(&style.text(&Phrase::new("cli.usage_valid").with("values", valid)));
    } else if let Some(meant) = meant {
        text.push_str(&style.text(&Phrase::new("cli.usage_meant").with("meant", meant)));
    }
    format!("{}\n{}", text.trim_end(), style.text(&Phrase::new("cli.usage_more")))
}

/// The command with its texts in Chinese, and everything below it.
fn translated(mut command: Command) -> Command {
    command.build();
    chinese(command)
}

fn chinese(command: Command) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    let about = command.get_about().map(ToString::to_string);
    let after = command.get_after_help().map(ToString::to_string);
    let mut command = command
        .help_template("{about-with-newline}\n用法：{usage}\n\n{all-args}{after-help}")
        .subcommand_help_heading("命令")
        .subcommand_value_name("命令");
    if let Some(about) = about {
        command = command.about(help_in_chinese(&about).map_or(about, str::to_owned));
    }
    if let Some(after) = after {
        command = command.after_help(help_in_chinese(&after).map_or(after, str::to_owned));
    }
    let args: Vec<clap::Id> = command.get_arguments().map(|arg| arg.get_id().clone()).collect();
    for id in args {
        command = command.mut_arg(id, argument);
    }
    for name in names {
        command = command.mut_subcommand(name, chinese);
    }
    command
}

fn argument(arg: Arg) -> Arg {
    let heading = if arg.is_positional() { "参数" } else { "选项" };
    let english = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let mut text = help_in_chinese(&english).map_or(english, str::to_owned);
    let takes = arg.get_action().takes_values();
    let values: Vec<String> =
        arg.get_possible_values().iter().filter(|_| takes).map(|value| value.get_name().to_owned()).collect();
    if !values.is_empty() {
        text.push_str(&format!(" [可选：{}]", values.join("、")));
    }
    let usual: Vec<String> =
        arg.get_default_values().iter().filter(|_| takes).map(|value| value.to_string_lossy().into_owned()).collect();
    if !usual.is_empty() && !arg.is_hide_default_value_set() {
        text.push_str(&format!(" [默认：{}]", usual.join(" ")));
    }
    // The flag of help itself says something else in the long form.
    let arg = match arg.get_long_help().map(ToString::to_string) {
        Some(long) => arg.long_help(help_in_chinese(&long).map_or(long, str::to_owned)),
        None => arg,
    };
    arg.help(text).help_heading(heading).hide_possible_values(true).hide_default_value(true)
}

#[cfg(test)]
mod tests {
    use crate::args::Cli;
    use clap::{Command, CommandFactory};
    use reasonix_proto::Phrase;
    use reasonix_words::{Lang, help_in_chinese, render, setting_in_chinese};

    fn missing(command: &Command, found: &mut Vec<String>) {
        let texts = [command.get_about(), command.get_after_help()].into_iter().flatten();
        let helps = command.get_arguments().filter_map(clap::Arg::get_help);
        for text in texts.chain(helps).map(ToString::to_string) {
            if help_in_chinese(&text).is_none() && !found.contains(&text) {
                found.push(text);
            }
        }
        command.get_subcommands().filter(|below| below.get_name() != "help").for_each(|below| missing(below, found));
    }

    #[test]
    fn every_help_text_is_there_in_chinese() {
        let mut command = Cli::command();
        command.build();
        let mut found = Vec::new();
        missing(&command, &mut found);
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn every_setting_is_explained_in_chinese() {
        let keys = reasonix_config::schema::KEYS.iter();
        let missing: Vec<_> = keys.filter(|key| setting_in_chinese(key.about).is_none()).map(|key| key.path).collect();
        assert!(missing.is_empty(), "{missing:#?}");
        let phrase = Phrase::new("setting.words").with("explained", reasonix_config::schema::KEYS[0].about);
        assert!(render(Lang::Zh, &phrase).chars().any(|c| c > '\u{2e80}') && render(Lang::En, &phrase).is_ascii());
    }

    #[test]
    fn what_is_wrong_is_said_in_chinese_with_its_cause() {
        for (line, wanted) in
            [(vec!["reasonix", "--fork"], "--fork <ID>"), (vec!["reasonix", "run", "--max-steps", "x"], "--max-steps")]
        {
            let error = super::translated(Cli::command()).try_get_matches_from(&line).unwrap_err();
            let said = super::complaint(&error);
            assert!(said.contains(wanted), "{line:?}: {said}");
        }
    }

    #[test]
    fn a_command_without_its_own_shows_its_help() {
        for name in ["store", "bench", "config"] {
            let error = super::translated(Cli::command()).try_get_matches_from(["reasonix", name]).unwrap_err();
            assert!(super::is_page(&error), "{name}: {:?}", error.kind());
            assert!(super::page(&error).contains("用法："), "{name}");
        }
    }

    #[test]
    fn no_page_of_help_has_an_english_line_of_its_own() {
        let mut all = super::translated(Cli::command());
        for below in all.get_subcommands_mut() {
            for command in std::iter::once(below.clone()).chain(below.get_subcommands().cloned()) {
                let help = command.clone().render_long_help().to_string();
                assert!(!help.contains("Print help"), "{}: {help}", command.get_name());
            }
        }
    }

    #[test]
    fn the_help_of_every_command_can_be_drawn() {
        let mut all = super::translated(Cli::command());
        let help = all.render_help().to_string();
        assert!(help.contains("用法：") && help.contains("选项") && !help.contains("Print help"), "{help}");
        for below in all.get_subcommands_mut() {
            let help = below.render_help().to_string();
            assert!(help.contains("用法："), "{help}");
        }
    }
}
