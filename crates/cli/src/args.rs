//! What can be typed.

use clap::{Args, Parser, Subcommand, ValueHint};
use std::path::PathBuf;

/// A coding agent for the terminal that drives any model, local or hosted.
#[derive(Debug, Parser)]
#[command(
    name = "reasonix",
    version = env!("REASONIX_VERSION"),
    about = "A coding agent for the terminal that drives any model, local or hosted",
    max_term_width = 100
)]
#[command(args_conflicts_with_subcommands = true)]
#[command(
    after_help = "Without a command, in a terminal: a chat in the current folder, with PROMPT as its first message.\nFirst time? Try `reasonix demo`, then `reasonix setup`."
)]
pub(crate) struct Cli {
    /// The first message of a chat
    #[arg(value_name = "PROMPT")]
    pub(crate) prompt: Vec<String>,
    /// Print the answer and end, as `reasonix run` does
    #[arg(short, long)]
    pub(crate) print: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Chat in the current folder; what `reasonix` does without a command
    #[command(visible_alias = "code")]
    Chat(Box<ChatArgs>),
    /// Run one prompt to its end, without a person to ask
    #[command(alias = "exec")]
    Run(Box<RunArgs>),
    /// Work on many tasks from a file, each in its own clone and session
    Batch(Box<BatchArgs>),
    /// Watch the agent fix a failing test in a small project; no key, no network
    Demo(DemoArgs),
    /// Choose a model endpoint and save it
    Setup(SetupArgs),
    /// Check settings, key, endpoint and this machine
    Doctor(DoctorArgs),
    /// List the configured models
    Models(ModelsArgs),
    /// Find out what an endpoint can do: context window, tools, schemas, caching
    Probe(ProbeArgs),
    /// Measure what a model gets right, at your own endpoint
    Bench(crate::bench::BenchArgs),
    /// List the saved sessions, show, name, check, export and import them
    Sessions(SessionsArgs),
    /// Find what was said in earlier sessions
    History(HistoryArgs),
    /// List, show, add and forget what is remembered from session to session
    Memory(MemoryArgs),
    /// List the MCP servers, look into them, add and remove them, log in to them
    Mcp(McpArgs),
    /// Take back what the last turn did to files
    Undo(UndoArgs),
    /// Take back what a turn and all after it did to files, or the conversation, or both
    Rewind(RewindArgs),
    /// Make a new session that begins with notes on this one
    Handoff(Box<HandoffArgs>),
    /// Show what turns did to files
    Changes(ChangesArgs),
    /// Look after the room that undo, the cache and recorded answers take
    Store(StoreArgs),
    /// Show what the context consists of, and how full it is
    Context(ContextArgs),
    /// Play a session again offline, through the real loop; nothing is run, sent or asked
    Replay(ReplayArgs),
    /// Compare two sessions: turns, tools, cache, cost, and where they first part
    Diff(DiffArgs),
    /// Show what was spent: tokens, money and what the cache saved
    Stats(StatsArgs),
    /// Show what of the requests was sent before, and what broke that
    Cache(CacheArgs),
    /// Show and change the settings
    Config(ConfigArgs),
    /// Show what this folder would execute, and say whether you trust it
    Trust(TrustArgs),
    /// Say what would happen to a command: whether it runs, is asked about or refused, and why; runs nothing
    Explain(ExplainArgs),
    /// List everything that extends a session here: rules, skills, commands, hooks, servers, plugins
    Extensions(ExtensionsArgs),
    /// Take in plugins that carry skills, commands, agents, hooks and servers together; list, update and remove them
    Plugin(PluginArgs),
    /// Show what of another agent's settings can come over to your own, and bring it over on a yes
    Import(ImportArgs),
    /// Read the documents that come with the program
    Docs(DocsArgs),
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Options of every command that talks to a model.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SessionArgs {
    /// The model: `provider`, `model` or `provider/model`, perhaps with an effort as in `model:high`
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// The agent that is at work: `build`, `plan`, `general`, `explore`, or one of your own
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Work in this folder
    #[arg(short = 'C', long = "cd", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,
    /// Another folder whose files may be read and changed; may be given several times
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) add_dir: Vec<PathBuf>,
    /// Stop after so many rounds of tool calls; 0 for no limit
    #[arg(long, value_name = "N")]
    pub(crate) max_steps: Option<u32>,
    /// Stop when this much money is spent, in the currency of the model's prices; 0 for no limit
    #[arg(long, value_name = "MONEY", value_parser = money)]
    pub(crate) max_cost: Option<f64>,
    /// Stop when so many tokens are used, input and output together, such as 200k; 0 for no limit
    #[arg(long, value_name = "TOKENS", value_parser = tokens)]
    pub(crate) max_tokens: Option<u64>,
    /// Stop after this time of work, such as 90s, 10m or 1h; 0 for no limit
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub(crate) max_time: Option<u64>,
    /// Offer only these tools, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) tools: Option<Vec<String>>,
    /// Another MCP server for this run: 'NAME=COMMAND ARGS' or 'NAME=https://…'; may be given several times
    #[arg(long, value_name = "SERVER")]
    pub(crate) mcp: Vec<String>,
    /// More text for the end of the system prompt
    #[arg(long, value_name = "TEXT")]
    pub(crate) append_system_prompt: Option<String>,
    /// An endpoint to use instead of the configured ones
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// The environment variable that holds the key
    #[arg(long, value_name = "NAME")]
    pub(crate) api_key_env: Option<String>,
    /// Read this file in place of ~/.reasonix/config.toml
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Go on with the last session of this folder
    #[arg(short = 'c', long = "continue", conflicts_with = "resume")]
    pub(crate) continues: bool,
    /// Go on with this session; the beginning or the end of its id is enough. Without an id: a list to choose from
    #[arg(short, long, value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    pub(crate) resume: Option<String>,
    /// Go on in a copy of this session; the other one stays as it is, and may be in use
    #[arg(long, value_name = "ID", conflicts_with_all = ["continues", "resume"])]
    pub(crate) fork: Option<String>,
    /// With --fork: copy up to this record only, as `sessions show --tree` numbers them
    #[arg(long, value_name = "RECORD", requires = "fork")]
    pub(crate) at: Option<u64>,
    /// Fold the conversation first, to make room; words behind `=` say what the notes should keep
    #[arg(long, value_name = "WORDS", num_args = 0..=1, require_equals = true, default_missing_value = "", conflicts_with = "no_session")]
    pub(crate) compact: Option<String>,
    /// Keep what the endpoint answers byte for byte beside the session, for `reasonix replay --wire`; without keys
    #[arg(long, conflicts_with = "no_session")]
    pub(crate) record_wire: bool,
    /// What goes into the log file; `off` writes none
    #[arg(long, value_name = "LEVEL", value_parser = ["off", "error", "warn", "info", "debug", "trace"])]
    pub(crate) log_level: Option<String>,
    /// Trust what this folder would execute, for this run; only at a terminal
    #[arg(long)]
    pub(crate) trust: bool,
    /// Trust exactly the contents that this file lists; made by `reasonix trust --lock FILE`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) trust_lock: Option<PathBuf>,
    /// Do not start where something is not trusted (exit code 3)
    #[arg(long)]
    pub(crate) require_trust: bool,
    /// Keep nothing on disk
    #[arg(long, conflicts_with_all = ["continues", "resume", "fork"])]
    pub(crate) no_session: bool,
    /// What answers for a person in a chat.
    #[arg(skip)]
    pub(crate) approve: Vec<String>,
}

impl SessionArgs {
    /// Whether an earlier session is wanted and none was named.
    pub(crate) fn wants_list(&self) -> bool {
        self.resume.as_deref() == Some("")
    }
}

#[derive(Debug, Args)]
#[command(
    after_help = "Standard input is added to the prompt: git diff | reasonix run \"review this\"\n@PATH in the prompt adds a file or a folder's listing: reasonix run \"explain\" @src/main.rs\nThe answer goes to standard output, everything else to standard error.\nExit codes: 0 done, 1 failed, 2 usage, 3 ended by a refusal, 4 provider, 5 limit reached, 6 the answer was cut off or withheld, 130 interrupted."
)]
pub(crate) struct RunArgs {
    /// The prompt; from standard input when missing or `-`
    #[arg(value_name = "PROMPT")]
    pub(crate) prompt: Vec<String>,
    #[command(flatten)]
    pub(crate) goal: GoalArgs,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct BatchArgs {
    /// The tasks, one a line as JSON: {"id", "prompt", "repo" or "cwd", "model", "goal", "budget"}
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// So many tasks at a time
    #[arg(short, long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) jobs: u32,
    /// Where results go, one a line as JSON; beside the tasks when missing
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) out: Option<PathBuf>,
    /// Where clones and patches are; beside the tasks when missing
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) work: Option<PathBuf>,
    /// Do those once more that did not end well
    #[arg(long)]
    pub(crate) again: bool,
    /// Leave the clones there
    #[arg(long)]
    pub(crate) keep: bool,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

/// Whether the prompt is a goal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Args)]
pub(crate) struct GoalArgs {
    /// The prompt is a goal: go on turn after turn until it is reached; with --continue or --resume and no prompt, go on with the one that waits
    #[arg(long, conflicts_with = "output_schema")]
    pub(crate) goal: bool,
    /// Work on the goal as research, whatever it looks like
    #[arg(long, requires = "goal", conflicts_with = "simple")]
    pub(crate) research: bool,
    /// Work on the goal without research, whatever it looks like
    #[arg(long, requires = "goal")]
    pub(crate) simple: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ChatArgs {
    /// The first message
    #[arg(value_name = "PROMPT")]
    pub(crate) prompt: Vec<String>,
    /// Ask nothing about dangerous commands whose effects undo takes back
    #[arg(long, value_name = "WORD", value_parser = [reasonix_gate::RESTORABLE])]
    pub(crate) approve: Option<String>,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

/// How a run without a person answers, and what it may do.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub(crate) struct OutputArgs {
    /// Print one event a line as JSON
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) json: bool,
    /// Print the last answer only
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// The answer must be JSON that fits this JSON schema
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output_schema: Option<PathBuf>,
    /// Answer yes for this run where a person would be asked about this rule, such as 'Bash(rm:*)'; workspace-destructive stands for every dangerous command whose effects undo takes back; may be given several times
    #[arg(long, value_name = "RULE")]
    pub(crate) approve: Vec<String>,
}

pub(crate) fn money(text: &str) -> Result<f64, String> {
    let millionths = reasonix_proto::parse_money(text).ok_or("an amount such as 2 or 0.50")?;
    Ok(millionths as f64 / 1e6)
}

pub(crate) fn tokens(text: &str) -> Result<u64, String> {
    reasonix_proto::parse_count(text).ok_or_else(|| "a number such as 50000, 200k or 1.5m".to_owned())
}

pub(crate) fn seconds(text: &str) -> Result<u64, String> {
    reasonix_proto::parse_seconds(text).ok_or_else(|| "a time such as 90s, 10m or 1h".to_owned())
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Keep the project, here
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) keep: Option<PathBuf>,
}

#[derive(Debug, Default, Args)]
pub(crate) struct SetupArgs {
    /// A name for the endpoint
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// The endpoint's address, up to /v1
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// The model; asked from the endpoint when missing
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// The environment variable that holds the key
    #[arg(long, value_name = "NAME")]
    pub(crate) api_key_env: Option<String>,
    /// The model's context window in tokens
    #[arg(long, value_name = "TOKENS")]
    pub(crate) context_window: Option<u64>,
    /// Ask nothing: take the flags, or the first local server that answers
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Do not ask the endpoint what it can do
    #[arg(long)]
    pub(crate) no_probe: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Read this file in place of ~/.reasonix/config.toml
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Do not connect to the endpoint
    #[arg(long)]
    pub(crate) offline: bool,
    /// Try to get out of the sandbox, on this machine, in a folder that goes away again
    #[arg(long, conflicts_with_all = ["net", "offline"])]
    pub(crate) attack: bool,
    /// List every address these settings lead to, and connect to none
    #[arg(long, conflicts_with = "offline")]
    pub(crate) net: bool,
    /// Print JSON, with --attack or --net
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(
    after_help = "Columns: name, context window, price of a million tokens (input / cached input / output), efforts, roles.\nRoles in brackets do nothing by themselves yet; they are names that other settings can use.\nAn effort is chosen by a suffix: --model gpt-5:high"
)]
pub(crate) struct ModelsArgs {
    /// Show only names with this in them
    #[arg(value_name = "SEARCH")]
    pub(crate) search: Option<String>,
    /// Ask the endpoints what they offer
    #[arg(long)]
    pub(crate) live: bool,
    /// List the models that are known without asking
    #[arg(long, conflicts_with = "live")]
    pub(crate) known: bool,
    /// List the known endpoints, for `preset` in the settings
    #[arg(long, conflicts_with_all = ["live", "known"])]
    pub(crate) presets: bool,
    /// Print JSON, with --known
    #[arg(long, requires = "known")]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<ModelsCommand>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Asks about ten small questions and keeps what it saw under ~/.reasonix/state/probes; sessions use it where your settings say nothing.\nNothing of yours is sent. A kept result is shown again until --refresh."
)]
pub(crate) struct ProbeArgs {
    /// A provider, a model reference or an address; the default model when missing
    #[arg(value_name = "PROVIDER|URL")]
    pub(crate) target: Option<String>,
    /// The model at an address; the first that it offers when missing
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// The environment variable that holds the key for an address
    #[arg(long, value_name = "NAME")]
    pub(crate) api_key_env: Option<String>,
    /// Ask again, also when a result is kept
    #[arg(long)]
    pub(crate) refresh: bool,
    /// Read this file in place of ~/.reasonix/config.toml
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Only look which local servers answer at their usual ports
    #[arg(long, conflicts_with_all = ["target", "model", "refresh"])]
    pub(crate) discover: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// Bring in a newer catalogue of models from a file, in front of the built-in one
    #[command(
        after_help = "Takes what `reasonix models --known --json` of another machine printed. The file is checked whole before it takes the place of the one before;\nwhat your settings say wins. Nothing is connected to."
    )]
    Update {
        /// The file
        #[arg(value_hint = ValueHint::FilePath, required_unless_present = "remove")]
        file: Option<PathBuf>,
        /// Take the brought catalogue away again
        #[arg(long, conflicts_with = "file")]
        remove: bool,
    },
    /// Read a models.yml of another program and print what it means as settings
    Import {
        /// The file
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Add it to ~/.reasonix/config.toml instead of printing it
        #[arg(long)]
        write: bool,
    },
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct SessionsArgs {
    #[command(flatten)]
    pub(crate) list: ListArgs,
    #[command(subcommand)]
    pub(crate) command: Option<SessionsCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// List the saved sessions
    List(ListArgs),
    /// Print a session
    Show {
        /// The session: its id, the beginning or the end of it
        #[arg(value_name = "ID")]
        session: String,
        /// Print the tree of its records with their numbers instead
        #[arg(long, conflicts_with = "json")]
        tree: bool,
        /// With --tree: which records
        #[arg(long, value_enum, default_value = "default", requires = "tree")]
        filter: FilterArg,
        /// With --tree: only records with these words in them
        #[arg(long, value_name = "WORDS", requires = "tree")]
        find: Option<String>,
        /// Print the records of the active branch as JSON, one a line
        #[arg(long)]
        json: bool,
    },
    /// Give a session a title of your own
    #[command(visible_alias = "name")]
    Rename {
        /// The session
        #[arg(value_name = "ID")]
        session: String,
        /// The title; empty for the one from its first prompt
        title: String,
    },
    /// Go on from another record of a session; at a prompt from before it, and its text is printed
    Branch {
        /// The session
        #[arg(value_name = "ID")]
        session: String,
        /// The record, as `sessions show --tree` numbers them
        #[arg(value_name = "RECORD")]
        at: u64,
        #[command(flatten)]
        notes: NotesArgs,
    },
    /// Name a record of a session
    Label {
        /// The session
        #[arg(value_name = "ID")]
        session: String,
        /// The record
        #[arg(value_name = "RECORD")]
        record: u64,
        /// The name; empty takes it away
        label: String,
    },
    /// Delete sessions for good
    Delete {
        /// The sessions
        #[arg(value_name = "ID", required = true)]
        sessions: Vec<String>,
    },
    /// Check whether the files of sessions are whole
    #[command(visible_alias = "check")]
    Verify {
        /// The session; all of them when missing
        #[arg(value_name = "ID")]
        session: Option<String>,
    },
    /// Write a damaged file anew without its damaged lines; the old one is kept beside it
    Repair {
        /// The session
        #[arg(value_name = "ID")]
        session: String,
    },
    /// Write a session as a document, with keys masked and nothing in it that loads anything; or as it is, to go on elsewhere
    Export {
        /// The session
        #[arg(value_name = "ID")]
        session: String,
        /// The kind of document; by the ending of the file when missing
        #[arg(long, value_enum)]
        format: Option<ExportFormat>,
        /// Write it here instead of to standard output; never over a file that is there
        #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        output: Option<PathBuf>,
    },
    /// Make a session of a file of another program, or of another machine; nothing of it is run
    Import {
        /// The file: a session of Claude Code, of the Go edition, or of Reasonix
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// A file of `export --format session`: the session goes on as it is, with its own system prompt, tools and agent.
        /// For files that you trust
        #[arg(long)]
        whole: bool,
    },
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum FilterArg {
    /// What was said and done
    Default,
    /// The same without outcomes of tools
    NoTools,
    /// What people wrote
    User,
    /// What has a name
    Labelled,
    /// Everything
    All,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum ExportFormat {
    /// Markdown
    Md,
    /// One HTML file
    Html,
    /// The session itself, unmasked, for `import --whole`: its log with the specs, pictures and outputs that it names
    Session,
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Those of all folders, not only of this one
    #[arg(short, long)]
    pub(crate) all: bool,
    /// Print one session a line as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ContextArgs {
    /// The session; the last one of this folder when missing, or what a new one would begin with
    #[arg(value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// What a new session of this folder would begin with
    #[arg(long, conflicts_with = "session")]
    pub(crate) new: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Prompts, answers and the paths of calls are searched, not outputs. Few, rare words find most; the best hit comes first.\nA hit's id can be given to --around, and its first part to `sessions show`."
)]
pub(crate) struct HistoryArgs {
    /// Words, in any order
    #[arg(value_name = "QUERY", required_unless_present = "around")]
    pub(crate) query: Vec<String>,
    /// In the sessions of all folders, not only of this one
    #[arg(short, long)]
    pub(crate) global: bool,
    /// Print one hit a line as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Show so many hits, or so many messages before and after the one of --around
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Show the messages around this hit
    #[arg(long, value_name = "ID", conflicts_with = "query")]
    pub(crate) around: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct MemoryArgs {
    #[command(subcommand)]
    pub(crate) command: Option<MemoryCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// List what is remembered for all projects and for this one
    List {
        /// Earlier versions and what was forgotten
        #[arg(long)]
        archived: bool,
        /// Print one a line as JSON
        #[arg(long)]
        json: bool,
    },
    /// Print one whole, with where it comes from; an archived one as `list --archived` names it
    Show {
        /// Its name
        name: String,
        /// The one for all projects, not this project's
        #[arg(short, long)]
        global: bool,
    },
    /// Save one, or a new version of it
    Add {
        /// Its name: 3 to 40 letters, digits, - and _
        name: String,
        /// What to remember
        #[arg(required = true)]
        text: Vec<String>,
        /// What it is about, in one line; without it the beginning of the text
        #[arg(short, long, value_name = "LINE", default_value = "", hide_default_value = true)]
        description: String,
        /// For all projects, not only this one
        #[arg(short, long)]
        global: bool,
    },
    /// Take one out of use; it is archived
    Forget {
        /// Its name
        name: String,
        /// The one for all projects, not this project's
        #[arg(short, long)]
        global: bool,
    },
}

#[derive(Debug, Args)]
#[command(
    after_help = "A server of this folder's reasonix.toml or .mcp.json is started by none of these before you trust it: `reasonix trust`.\nMore: `reasonix docs mcp`"
)]
pub(crate) struct McpArgs {
    /// Work in this folder
    #[arg(short = 'C', long = "cd", value_name = "DIR", value_hint = ValueHint::DirPath, global = true)]
    pub(crate) dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<McpCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// List the configured servers and whose they are; starts none
    List,
    /// Start one and print what it has: tools, prompts and resources
    Show {
        /// The server
        name: String,
    },
    /// Start one and say whether it works
    Test {
        /// The server
        name: String,
    },
    /// Write a server into your own settings: an address, or a command behind `--`
    Add {
        /// A name for it
        name: String,
        /// Its address
        #[arg(required_unless_present = "program", conflicts_with = "program")]
        url: Option<String>,
        /// The program and its arguments
        #[arg(last = true, value_name = "COMMAND")]
        program: Vec<String>,
        /// A variable of its environment, as NAME=VALUE; `${VAR}` stands for one of yours
        #[arg(short, long, value_name = "NAME=VALUE", value_parser = pair)]
        env: Vec<(String, String)>,
        /// A header for every request to it, as 'NAME: VALUE'
        #[arg(short = 'H', long, value_name = "NAME: VALUE", value_parser = header)]
        header: Vec<(String, String)>,
    },
    /// Take a server out of your own settings
    Remove {
        /// The server
        name: String,
    },
    /// Log in to a server; the token is kept for later sessions
    Login {
        /// The server
        name: String,
        /// Only print the address; where the browser runs elsewhere, paste the address that it was sent back to
        #[arg(long)]
        no_browser: bool,
    },
    /// Forget the login to a server on this machine
    Logout {
        /// The server
        name: String,
    },
    /// Trust tools of a server to only read, so that they count as readers
    Trust {
        /// The server
        name: String,
        /// Its own names of the tools
        #[arg(required = true)]
        tools: Vec<String>,
    },
    /// Take that back
    Untrust {
        /// The server
        name: String,
        /// Its own names of the tools
        #[arg(required = true)]
        tools: Vec<String>,
    },
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("NAME=VALUE")?;
    if name.is_empty() { Err("NAME=VALUE".to_owned()) } else { Ok((name.to_owned(), value.to_owned())) }
}

fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("'NAME: VALUE'")?;
    let (name, value) = (name.trim(), value.trim());
    if name.is_empty() { Err("'NAME: VALUE'".to_owned()) } else { Ok((name.to_owned(), value.to_owned())) }
}

#[derive(Debug, Args)]
#[command(
    after_help = "Columns: turn, requests, their bytes, the share that the request before had too, prompt tokens and the share from the cache, as the provider reported them."
)]
pub(crate) struct CacheArgs {
    /// The session; the last one of this folder when missing
    #[arg(value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// Show everything with its standing, and ask nothing
    #[arg(long, conflicts_with_all = ["lock", "revoke"])]
    pub(crate) show: bool,
    /// Write the hashes of what is there now to a file, for `--trust-lock`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "revoke")]
    pub(crate) lock: Option<PathBuf>,
    /// Take back what was trusted in this folder
    #[arg(long)]
    pub(crate) revoke: bool,
    /// Work in this folder
    #[arg(short = 'C', long = "cd", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The command; without it, each line of standard input is one
    #[arg(value_name = "COMMAND", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) line: Vec<String>,
    /// One JSON object a command; standard input is then JSON texts, one a line
    #[arg(long)]
    pub(crate) json: bool,
    /// As in `reasonix run`, where nobody can be asked
    #[arg(long)]
    pub(crate) unattended: bool,
    /// Work in this folder
    #[arg(short = 'C', long = "cd", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ExtensionsArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Work in this folder
    #[arg(short = 'C', long = "cd", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The other agent
    #[arg(value_enum)]
    pub(crate) agent: ImportFrom,
    /// Say yes to what is shown
    #[arg(short, long, conflicts_with = "dry_run")]
    pub(crate) yes: bool,
    /// Only show it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ImportFrom {
    Claude,
    Codex,
    Cursor,
    Opencode,
    Gemini,
}

#[derive(Debug, Args)]
pub(crate) struct PluginArgs {
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<PluginCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PluginCommand {
    /// List the plugins that you took in
    List,
    /// Show everything that one carries
    Show {
        /// The plugin
        name: String,
    },
    /// Copy a plugin, show everything that it carries, and take it in on a yes
    Add {
        /// A folder, or the address of a repository: https://, ssh:// or file://
        source: String,
        /// The folder of the repository that the plugin lies in
        #[arg(long, value_name = "DIR")]
        folder: Option<String>,
        /// Say yes to what is shown
        #[arg(short, long)]
        yes: bool,
    },
    /// Fetch plugins again, show what is different, and take that in on a yes
    Update {
        /// The plugin; without it, all of them
        name: Option<String>,
        /// Say yes to what is shown
        #[arg(short, long)]
        yes: bool,
    },
    /// Take a plugin out
    Remove {
        /// The plugin
        name: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct DocsArgs {
    /// Which one; without it, they are listed
    #[arg(value_name = "TOPIC")]
    pub(crate) topic: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print every setting
    Show {
        /// Say where each value comes from
        #[arg(long)]
        origin: bool,
        /// Read this file in place of ~/.reasonix/config.toml
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        config: Option<PathBuf>,
    },
    /// Print one setting, or those of a section
    Get {
        /// The setting, such as tui.theme; or a section, such as tui
        key: String,
    },
    /// Write a setting into your own file; without a value it is taken out of there
    Set {
        /// The setting, such as tui.theme
        key: String,
        /// The value; several words for a list
        value: Vec<String>,
    },
}

#[derive(Debug, Args)]
#[command(
    after_help = "What shell commands did is taken back too. What somebody else changed since is kept unless --force is given.\nThe state just before is kept, so that --redo can bring it again. Git's own history is not touched."
)]
pub(crate) struct UndoArgs {
    /// Of this session; the last one of this folder when missing
    #[arg(short, long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Bring again what was last taken back
    #[arg(long)]
    pub(crate) redo: bool,
    /// Also where somebody else changed a file since
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HandoffArgs {
    /// What the notes should be about
    #[arg(value_name = "WORDS")]
    pub(crate) focus: Vec<String>,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

#[derive(Debug, Args)]
pub(crate) struct RewindArgs {
    /// The first turn that is taken back
    #[arg(long, value_name = "TURN")]
    pub(crate) to: u32,
    /// Of this session; the last one of this folder when missing
    #[arg(short, long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Also where somebody else changed a file since
    #[arg(long)]
    pub(crate) force: bool,
    /// Take the files back; what happens when nothing is said
    #[arg(long, conflicts_with_all = ["chat", "both"])]
    pub(crate) files: bool,
    /// Take the conversation back: it goes on before that turn, whose prompt is printed
    #[arg(long, conflicts_with = "both")]
    pub(crate) chat: bool,
    /// Take both back
    #[arg(long)]
    pub(crate) both: bool,
    #[command(flatten)]
    pub(crate) notes: NotesArgs,
}

/// Whether notes on what is left go along.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct NotesArgs {
    /// Let the model write notes on what is left; the next prompt carries them
    #[arg(long, conflicts_with = "no_summary")]
    pub(crate) summary: bool,
    /// Without notes, whatever the settings say
    #[arg(long)]
    pub(crate) no_summary: bool,
}

impl NotesArgs {
    /// Whether they do, where the settings say this.
    pub(crate) fn wanted(self, by_settings: bool) -> bool {
        self.summary || (by_settings && !self.no_summary)
    }
}

#[derive(Debug, Args)]
pub(crate) struct ChangesArgs {
    /// Only this turn, with what changed line by line
    #[arg(long, value_name = "TURN")]
    pub(crate) turn: Option<u32>,
    /// Of this session; the last one of this folder when missing
    #[arg(short, long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Print one turn a line as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Spans end now: today is the last 24 hours, a week 7 days, a month 30 days.\nThe figures are those that providers counted, at the prices of their time; they lie in ~/.reasonix/state/usage.jsonl."
)]
pub(crate) struct StatsArgs {
    /// The last 24 hours
    #[arg(long, conflicts_with_all = ["week", "month", "all"])]
    pub(crate) today: bool,
    /// The last 7 days
    #[arg(long, conflicts_with_all = ["month", "all"])]
    pub(crate) week: bool,
    /// The last 30 days
    #[arg(long, conflicts_with = "all")]
    pub(crate) month: bool,
    /// Everything
    #[arg(long)]
    pub(crate) all: bool,
    /// A row for each of these
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) by: Option<StatsBy>,
    /// Print one row a line as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// First add what the saved sessions have and the figures have not
    #[arg(long)]
    pub(crate) rebuild: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "The answers and the results of tools come from the session's log; what the loop would write now is held against what it wrote then.\nExit codes: 0 the same, 1 it differs, or the log cannot be read."
)]
pub(crate) struct ReplayArgs {
    /// The session: its id, the beginning or the end of it, or a file
    #[arg(value_name = "SESSION", value_hint = ValueHint::FilePath)]
    pub(crate) session: String,
    /// Print one event a line as JSON, as `run --json` did
    #[arg(long, conflicts_with = "check")]
    pub(crate) json: bool,
    /// Only say whether it went the same way
    #[arg(long)]
    pub(crate) check: bool,
    /// Read the answers out of the recorded bytes again (`--record-wire`), through the decoder and its repairs
    #[arg(long)]
    pub(crate) wire: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// A session: its id, the beginning or the end of it, or a file
    #[arg(value_name = "A", value_hint = ValueHint::FilePath)]
    pub(crate) a: String,
    /// Another one
    #[arg(value_name = "B", value_hint = ValueHint::FilePath)]
    pub(crate) b: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum StatsBy {
    /// Models
    Model,
    /// Working folders
    Project,
    /// The agents of subagents
    Agent,
    /// Each subagent by itself, with its steps and how long it worked
    Subagent,
}

#[derive(Debug, Args)]
pub(crate) struct StoreArgs {
    #[command(subcommand)]
    pub(crate) command: StoreCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// Say how much is kept
    Du,
    /// Remove what no session needs, what is old, and what is beyond `undo.max_mb`, `cache.max_mb` and `retention`
    Gc,
}
