//! `task`: gives assignments to subagents and waits for what they hand back.

use reasonix_agent::{Args, BoxFuture, Call, ToolTraits, parse_args};
use reasonix_extensions::{Skill, SkillFork};
use reasonix_gate::Narrowing;
use reasonix_proto::{Action, Family, ReadOnly, ToolOutcome};
use reasonix_tools::{ForksSkills, ToolWork, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Assignments as a call has them.
pub struct Assignments {
    /// The agent that works on them.
    pub agent: String,
    /// Each of them.
    pub tasks: Vec<Assignment>,
    /// What all of them are told.
    pub context: String,
    /// What each has to hand back.
    pub schema: Option<Value>,
    /// Nobody waits for them; none where the call does not say.
    pub background: Option<bool>,
    /// They are to work in clones of their own.
    pub isolated: bool,
    /// Whoever it is only reads.
    pub reads: bool,
    /// They begin as copies of the conversation that starts them.
    pub fork: bool,
    /// The skill that they are, where a call or a person wants one done.
    pub skill: Option<BySkill>,
}

/// A skill that a subagent does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BySkill {
    /// Its name.
    pub name: String,
    /// The agent that it names.
    pub agent: Option<String>,
    /// The model that it wants.
    pub model: Option<String>,
    /// The tools that it is content with.
    pub tools: Option<Vec<String>>,
    /// Its text, where that is what the subagent is told before its assignment.
    pub prompt: Option<String>,
    /// A person wants it.
    pub by_user: bool,
}

impl BySkill {
    /// This one, for a person or for the model.
    pub fn of(skill: &Skill, by_user: bool) -> Self {
        let Skill { name, agent, model, allowed_tools, .. } = skill.clone();
        Self { name, agent, model, tools: allowed_tools, prompt: None, by_user }
    }

    /// What its subagent is narrowed to, where it names tools.
    pub fn narrowing(&self) -> Option<Narrowing> {
        self.tools.as_ref().map(|tools| Narrowing::new(&format!("/skill:{}", self.name), tools))
    }

    /// What it is to a subagent: its text, and what was said behind its name.
    pub fn assignments(self, (text, arguments): (String, &str)) -> Assignments {
        let text = match (&self.prompt, arguments.trim()) {
            (None, _) => text,
            (Some(_), "") => "Do what the skill says.".to_owned(),
            (Some(_), said) => said.to_owned(),
        };
        let description = format!("/{} {arguments}", self.name).trim().to_owned();
        let tasks = vec![Assignment { id: self.name.clone(), description, text }];
        let (agent, background) = (named(self.agent.clone()), Some(false));
        let (context, schema, skill) = (String::new(), None, Some(self));
        Assignments { agent, tasks, context, schema, background, isolated: false, reads: false, fork: false, skill }
    }
}

/// Has skills done by subagents, for the tool that reads skills.
pub struct ByOthers(pub Arc<dyn Delegates>);

impl ForksSkills for ByOthers {
    fn fork<'a>(&'a self, skill: Skill, filled: (String, String), call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        let (text, arguments) = filled;
        let prompt = (skill.forks == Some(SkillFork::Prompt)).then(|| text.clone());
        let by_skill = BySkill { prompt, ..BySkill::of(&skill, false) };
        self.0.delegate(by_skill.assignments((text, &arguments)), call)
    }
}

/// One assignment.
pub struct Assignment {
    /// The name that was given; of one that rests the whole name.
    pub id: String,
    /// What it is, in the list of people.
    pub description: String,
    /// What is to be done.
    pub text: String,
}

/// Has others work on assignments.
pub trait Delegates: Send + Sync {
    /// Whether there may be any who do.
    fn may_be(&self) -> bool;

    /// The agent of one that rests, by its name.
    fn agent_of(&self, id: &str) -> Option<String>;

    /// Has them worked on, and gives what came of them.
    fn delegate<'a>(&'a self, wanted: Assignments, call: Call<'a>) -> BoxFuture<'a, ToolOutcome>;
}

/// For a tool that is never run.
pub struct Nobody;

impl Delegates for Nobody {
    fn may_be(&self) -> bool {
        true
    }

    fn agent_of(&self, _id: &str) -> Option<String> {
        None
    }

    fn delegate<'a>(&'a self, _wanted: Assignments, _call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(std::future::ready(ToolOutcome::failed("there are no subagents here")))
    }
}

/// The agent where none is named: it only reads.
pub const READER: &str = "explore";

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// `explore` (reads; default), `general` (writes in a merged clone), or another.
    #[serde(default, alias = "subagent_type", alias = "subagent", alias = "profile")]
    #[schemars(with = "String")]
    agent: Option<String>,
    tasks: Vec<Item>,
    /// What all must know.
    #[serde(default)]
    #[schemars(with = "String")]
    context: Option<String>,
    /// JSON Schema of each result.
    #[serde(default, alias = "output_schema", alias = "outputSchema")]
    #[schemars(with = "Map<String, Value>")]
    schema: Option<Value>,
    #[serde(default, alias = "run_in_background", alias = "async")]
    #[schemars(with = "bool")]
    background: Option<bool>,
    #[serde(default)]
    #[schemars(skip)]
    isolated: bool,
    /// Whoever it is only reads.
    #[serde(default)]
    #[schemars(skip)]
    reads: bool,
    /// They know this conversation.
    #[serde(default)]
    #[schemars(with = "bool")]
    fork: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
struct Item {
    #[serde(default, alias = "name")]
    id: String,
    #[serde(default, alias = "title")]
    #[schemars(skip)]
    description: String,
    #[serde(alias = "prompt", alias = "task", alias = "instructions")]
    assignment: String,
}

/// The name under which nobody writes.
const READS_ONLY: &str = "read_only_task";

/// Starts subagents.
pub(super) struct Task(pub(super) Arc<dyn Delegates>);

impl TypedTool for Task {
    type Input = Input;
    const NAME: &'static str = "task";
    const PROMPT: &'static str = include_str!("task.md");
    const ALIASES: &'static [&'static str] = &["spawn_subagent", READS_ONLY, "subagent", "delegate", "agent"];
    const TRAITS: ToolTraits = ToolTraits { delegates: true, rare: true, ..ToolTraits::NONE };
    const WORK: ToolWork<Self> =
        ToolWork::Waits(|Self(others), input: Input, call| others.delegate(assignments(input), call));

    /// Under the name that only reads nobody writes, whoever is named.
    fn called(name: &str, mut args: Args) -> Args {
        if name.eq_ignore_ascii_case(READS_ONLY) {
            args.insert("reads".to_owned(), Value::Bool(true));
            args.remove("isolated");
        }
        args
    }

    /// A list, or a single assignment.
    fn parse(args: &Args) -> Result<Input, ToolOutcome> {
        let list = args.get("tasks").is_some_and(Value::is_array);
        if list {
            return parse_args(args);
        }
        let one: Item = parse_args(args)?;
        let text = |name: &str| args.get(name).and_then(Value::as_str).map(str::to_owned);
        let agent = ["agent", "subagent_type", "subagent", "profile"].into_iter().find_map(text);
        let (schema, background) = (args.get("schema").cloned(), args.get("background").and_then(Value::as_bool));
        let says = |name: &str| args.get(name).and_then(Value::as_bool);
        let (isolated, fork) = (says("isolated").unwrap_or_default(), says("fork"));
        let reads = says("reads").unwrap_or_default();
        Ok(Input { agent, tasks: vec![one], context: text("context"), schema, background, isolated, reads, fork })
    }

    /// Starting a subagent changes nothing: each of its calls passes the gate for itself.
    fn action(&self, input: Option<Input>, _args: &Args) -> Action {
        let reads = input.as_ref().is_some_and(|input| input.reads);
        let (agent, tasks) = input.map_or_else(|| (named(None), Vec::new()), |input| (named(input.agent), input.tasks));
        // Of one that goes on it is the agent that it is, whatever the call names beside it.
        let of = |item: &Item| self.0.agent_of(&item.id).unwrap_or_else(|| agent.clone());
        let mut agents: Vec<String> = tasks.iter().map(|item| of(item).to_lowercase()).collect();
        // In the place of one that writes the reader is started: a rule about either holds.
        agents.extend(reads.then(|| READER.to_lowercase()));
        agents.sort();
        agents.dedup();
        if agents.is_empty() {
            agents.push(agent.to_lowercase());
        }
        starts(agents)
    }

    fn title(args: &Args, action: &Action) -> String {
        let tasks = Self::parse(args).map(|input| input.tasks).unwrap_or_default();
        let said = |item: &Item| {
            let text = [&item.id, &item.description, &item.assignment].into_iter().find(|text| !text.trim().is_empty());
            text.map(|text| text.trim().chars().take(48).collect::<String>())
        };
        let names: Vec<String> = tasks.iter().filter_map(said).collect();
        format!("{}: {}", action.title(), names.join(", "))
    }
}

/// Starting these agents.
pub fn starts(agents: Vec<String>) -> Action {
    Action { family: Family::Task, subjects: agents, read_only: ReadOnly::Yes }
}

/// The agent that a call means.
fn named(agent: Option<String>) -> String {
    let agent = agent.map(|agent| agent.trim().to_owned()).filter(|agent| !agent.is_empty());
    agent.unwrap_or_else(|| READER.to_owned())
}

fn assignments(input: Input) -> Assignments {
    let agent = named(input.agent);
    let tasks = input.tasks.into_iter();
    let tasks = tasks.map(|item| Assignment { id: item.id, description: item.description, text: item.assignment });
    let (context, schema) = (input.context.unwrap_or_default(), input.schema.filter(|schema| !schema.is_null()));
    let (background, isolated, fork) = (input.background, input.isolated, input.fork == Some(true));
    let (tasks, reads) = (tasks.collect(), input.reads);
    Assignments { agent, tasks, context, schema, background, isolated, reads, fork, skill: None }
}
