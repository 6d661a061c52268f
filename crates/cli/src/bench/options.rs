//! What can be said on the command line of `bench`.

use crate::args::{money, seconds, tokens};
use crate::say;
use clap::{Args, Subcommand};
use reasonix_lab::bench::{CaseLanguage, LANGUAGES, language};
use reasonix_proto::{EditFormat, Phrase};

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    pub(crate) command: BenchCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// Measure in which format the model gets edits right
    Edit(EditArgs),
}

#[derive(Debug, Args)]
#[command(
    after_help = "Sends small generated files with a fault and the words that say how to put it right; a trial is right when the file then has exactly the right bytes. Nothing of yours is sent.\nEach trial is one request; before the first it says how many there will be.\nWhat was tried is kept in ~/.reasonix/state/edits.jsonl: a run that was stopped goes on where it was, and tools.edit = \"auto\" uses the result in new sessions.\nExit codes: 0 everything was tried, 4 the endpoint failed, 5 a limit was reached, 130 stopped."
)]
pub(crate) struct EditArgs {
    /// The model: `provider`, `model` or `provider/model`, perhaps with an effort as in `model:high`
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Only these languages, separated by commas: rust, python, typescript, go, c, python-zh (Chinese, CRLF)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    languages: Vec<String>,
    /// Only these formats, separated by commas: edit_file, multi_edit, apply_patch, blocks, write_file
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    formats: Vec<String>,
    /// Cases of each language
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=500))]
    count: u16,
    /// Makes other cases
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Try everything again; what was tried of it before no longer counts
    #[arg(long)]
    pub(crate) restart: bool,
    /// Send nothing: only show what was measured
    #[arg(long, conflicts_with = "restart")]
    pub(crate) show: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Stop when this much money is spent, in the currency of the model's prices; 0 for no limit
    #[arg(long, value_name = "MONEY", value_parser = money)]
    pub(crate) max_cost: Option<f64>,
    /// Stop when so many tokens are used, input and output together, such as 200k; 0 for no limit
    #[arg(long, value_name = "TOKENS", value_parser = tokens)]
    pub(crate) max_tokens: Option<u64>,
    /// Stop after this time of work, such as 90s, 10m or 1h; 0 for no limit
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub(crate) max_time: Option<u64>,
}

impl EditArgs {
    /// Cases of each language.
    pub(crate) fn cases(&self) -> usize {
        usize::from(self.count)
    }

    /// The languages that were named, each once; all when none was.
    pub(crate) fn languages(&self) -> anyhow::Result<Vec<&'static CaseLanguage>> {
        let known = LANGUAGES.iter().map(|language| language.name).collect::<Vec<_>>().join(", ");
        let found = self.languages.iter().map(|name| language(name.trim()).ok_or_else(|| unknown(name, &known)));
        let found = found.collect::<anyhow::Result<Vec<_>>>()?;
        Ok(LANGUAGES.iter().filter(|language| found.is_empty() || found.contains(language)).collect())
    }

    /// The formats that were named, each once; all when none was.
    pub(crate) fn formats(&self) -> anyhow::Result<Vec<EditFormat>> {
        let known = EditFormat::ALL.map(EditFormat::name).join(", ");
        let found = self.formats.iter().map(|name| EditFormat::parse(name.trim()).ok_or_else(|| unknown(name, &known)));
        let found = found.collect::<anyhow::Result<Vec<_>>>()?;
        Ok(EditFormat::ALL.into_iter().filter(|format| found.is_empty() || found.contains(format)).collect())
    }
}

fn unknown(name: &str, known: &str) -> anyhow::Error {
    say::usage(Phrase::new("bench.unknown").with("name", name).with("known", known))
}
