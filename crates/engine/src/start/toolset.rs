//! The tools of a session: which there are, which are on, and what they work on.

use crate::live::Todo;
use reasonix_agent::{Artifacts, Tool, ToolSpec, Tools};
use reasonix_assembly::known::{keeps_nothing, stateful};
use reasonix_assembly::recall::{look_back, memories_of, no_look_back, on_by_itself};
use reasonix_assembly::told::{as_told, told_where_known};
use reasonix_jobs::Jobs;
use reasonix_proto::{EditFormat, Phrase, SessionHead};
use reasonix_servers::fleet::{Fleet, is_of_servers, reaches_more};
use reasonix_session::{MemoryArtifacts, Opened, Past};
use reasonix_talk::people::People;
use reasonix_talk::tools::{ByOthers, Delegates, Explored, Keeping, LookBack, Nobody, recall_tools, task_tool};
use reasonix_tools::{Background, Bash, Deps, Monitor, ShellOptions, files_for, skill_tool};
use reasonix_world::border::BoxedShell;
use reasonix_world::confine::{bounds, children_environment};
use reasonix_world::editing::{offers, only_format};
use reasonix_world::format_of;
use reasonix_world::spec::Start;
use std::sync::Arc;
use std::time::Duration;

/// In a window of so many tokens or fewer, rare tools are not sent.
const SMALL: u64 = 16_384;

/// The tools that a session had when it began.
#[derive(Debug, Default)]
pub(crate) struct Had {
    /// Their names, in the order they were sent.
    pub(crate) names: Vec<String>,
    /// How they were told; none where the log has their names alone.
    pub(crate) specs: Option<Vec<ToolSpec>>,
}

impl Had {
    /// What the head of a session says, and what to tell where it names specs that are not there any more.
    pub(crate) fn of(head: &SessionHead, past: &Past) -> (Self, Option<Phrase>) {
        let names = head.tools.clone();
        match past.specs(head) {
            Ok(specs) => (Self { names, specs }, None),
            Err(error) => (Self { names, specs: None }, Some(Phrase::new("engine.specs_lost").with("reason", error))),
        }
    }

    /// Whether these names are those of the same tools, or say nothing.
    fn are(&self, chosen: &[String]) -> bool {
        chosen.iter().all(|name| self.names.contains(name))
            && (chosen.is_empty() || self.names.iter().all(|name| chosen.contains(name)))
    }
}

/// Whether the user left a tool on that runs commands.
pub(crate) fn runs_commands(start: &Start) -> bool {
    let chosen = &start.world.settings.tools.enabled;
    let runs = |tool: &Arc<dyn Tool>| tool.spec().traits.runs && chosen.contains(&tool.spec().name);
    chosen.is_empty() || bare_tools(start).iter().any(runs)
}

/// The tools that the user chose; otherwise the ones the session had; none for all.
pub(crate) fn wanted_tools<'a>(start: &'a Start, had: Option<&'a Had>) -> &'a [String] {
    let chosen = &start.world.settings.tools.enabled;
    if chosen.is_empty() { had.map(|had| had.names.as_slice()).unwrap_or_default() } else { chosen }
}

/// What the tools with state of the session work on.
pub(crate) struct Carried {
    todo: Todo,
    people: Arc<People>,
    from: LookBack,
    keeping: Keeping,
    explored: Explored,
    jobs: Arc<Jobs>,
    others: Arc<dyn Delegates>,
    /// They are a subagent's, which has fewer.
    below: bool,
}

impl Carried {
    /// What a session has that was opened.
    pub(crate) fn of(
        start: &Start,
        opened: &Opened,
        (todo, people, jobs): (&Todo, &Arc<People>, &Arc<Jobs>),
        others: &Arc<dyn Delegates>,
    ) -> Self {
        let session = opened.history.head.as_ref().map(|head| head.session.clone());
        let own = session.map(|session| (session, opened.past.clone()));
        let keeping = Keeping {
            memories: memories_of(start),
            own: own.clone(),
            inward: Arc::default(),
            reader: start.world.reader,
        };
        let explored = Explored::of(opened.past.clone());
        let (todo, people, from) = (todo.clone(), people.clone(), look_back(start, own));
        let (others, jobs) = (others.clone(), Arc::clone(jobs));
        Self { todo, people, from, keeping, explored, jobs, others, below: false }
    }

    /// What a subagent has: it looks back, and may have subagents itself.
    fn below(start: &Start, others: &Arc<dyn Delegates>) -> Self {
        let keeping =
            Keeping { memories: memories_of(start), own: None, inward: Arc::default(), reader: start.world.reader };
        let (from, others) = (look_back(start, None), others.clone());
        Self { from, keeping, others, below: true, ..Self::bare() }
    }

    /// For tools that are never run.
    fn bare() -> Self {
        Self {
            todo: Todo::default(),
            people: Arc::default(),
            from: no_look_back(),
            keeping: keeps_nothing(),
            explored: Explored::default(),
            jobs: Jobs::bare(),
            others: Arc::new(Nobody),
            below: false,
        }
    }

    /// The tools, in the order they are sent.
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let mut tools = match self.below {
            false => stateful(&self.todo, &self.people, &self.from, (&self.keeping, &self.explored)),
            true => recall_tools(&self.from, &self.keeping, &self.explored),
        };
        tools.retain(|tool| !self.below || tool.spec().traits.reads);
        tools.extend(task_tool(&self.others));
        tools
    }
}

/// Every tool there is, in the order they are sent, told as where this edit format is in use.
pub(crate) fn all_tools(
    start: &Start,
    artifacts: &Arc<dyn Artifacts>,
    carried: &Carried,
    how: BoxedShell,
    format: Option<EditFormat>,
) -> Vec<Arc<dyn Tool>> {
    let shelf = start.shelf().clone();
    let deps = Deps { workspace: start.workspace.clone(), artifacts: artifacts.clone(), shelf: shelf.clone() };
    let settings = &start.world.settings.tools;
    let timeout = (settings.bash_timeout_seconds > 0).then(|| Duration::from_secs(settings.bash_timeout_seconds));
    let mut shell = ShellOptions::at(start.workspace.root());
    shell.timeout = timeout;
    shell.environment = children_environment(&start.world.settings);
    shell.confinement = how.confinement;
    if let Some(crossing) = how.crossing {
        shell.environment = crossing.shown_to(shell.environment);
        shell.border = Some(crossing);
    }
    shell.bounds = bounds(&start.world.settings.sandbox.limits);
    if let Some(path) = &settings.shell.path {
        shell.shell.clone_from(path);
    }
    let mut tools = files_for(&deps, format);
    // Nothing that a subagent begins goes on behind its call: nobody would see its end.
    let jobs = (!carried.below).then_some(&carried.jobs);
    shell.background = jobs.map(|jobs| jobs.clone() as Arc<dyn Background>);
    tools.push(Arc::new(Bash::new(shell.clone())));
    if let Some(jobs) = jobs {
        tools.extend(jobs.tools());
        tools.push(Arc::new(Monitor::new(shell)));
    }
    tools.extend(carried.tools());
    tools.push(skill_tool(shelf, start.workspace.root(), Arc::new(ByOthers(carried.others.clone()))));
    let inward = tools.iter().filter(|tool| tool.spec().traits.inward);
    // Whoever puts the same tools together again says the same.
    let _ = carried.keeping.inward.set(inward.map(|tool| tool.spec().name.clone()).collect());
    tools
}

/// Everything that a subagent may have: what touches files, what runs, what looks back. It asks nobody, plans nothing and keeps
/// no list.
pub(crate) fn tools_below(
    start: &Start,
    artifacts: &Arc<dyn Artifacts>,
    shell: BoxedShell,
    fleet: &Arc<Fleet>,
    (others, window): (&Arc<dyn Delegates>, u64),
) -> Tools {
    let chosen = &start.world.settings.tools.enabled;
    let small = (1..=SMALL).contains(&window);
    let on = |spec: &ToolSpec| match chosen.is_empty() {
        true => on_by_itself(start, &spec.traits) && !(small && spec.traits.rare),
        false => chosen.contains(&spec.name),
    };
    let mut tools = all_tools(start, artifacts, &Carried::below(start, others), shell, None);
    tools.extend(fleet.tools(artifacts, window, &[]));
    tools.retain(|tool| on(tool.spec()));
    Tools::new(tools)
}

/// The tools that are on: those the user chose; otherwise, in a session that goes on, the ones it had, told as it was told
/// of them, so that its prefix stays the same; otherwise all but those that are off by themselves. What only asks people is
/// not sent where a session begins without any.
pub(crate) fn toolset(
    start: &Start,
    artifacts: &Arc<dyn Artifacts>,
    carried: &Carried,
    (shell, fleet): (BoxedShell, &Arc<Fleet>),
    had: Option<&Had>,
) -> Tools {
    let on = wanted_tools(start, had);
    let lonely = had.is_none() && !start.attended;
    let wanted =
        |spec: &ToolSpec| if on.is_empty() { on_by_itself(start, &spec.traits) } else { on.contains(&spec.name) };
    let is_on = |spec: &ToolSpec| wanted(spec) && !(lonely && spec.traits.asks);
    // What a tool says of the others follows from the list alone, so that a session that goes on sends the same.
    let format = only_format(|format| match on {
        [] => offers(&start.world.settings, format),
        on => on.iter().any(|name| name == format.name()),
    });
    let blocks = format_of(&start.world.settings).filter(|format| *format == EditFormat::Blocks);
    let tools = all_tools(start, artifacts, carried, shell, format.or(blocks));
    let stands = shelf_of(start, had, format);
    let is_shelved = |tool: &&Arc<dyn Tool>| {
        let spec = tool.spec();
        stands(spec) && on_by_itself(start, &spec.traits) && (start.attended || !spec.traits.asks)
    };
    let shelf: Vec<Arc<dyn Tool>> = tools.iter().filter(is_shelved).cloned().collect();
    let mut tools: Vec<Arc<dyn Tool>> = tools.into_iter().filter(|tool| !stands(tool.spec())).collect();
    tools.extend(match had {
        Some(_) => fleet.every_tool(artifacts, &shelf),
        None => fleet.tools(artifacts, window_of(start), &shelf),
    });
    let specs = had.and_then(|had| had.specs.as_deref().map(|specs| (specs, had)));
    if let Some((specs, had)) = specs.filter(|(_, had)| had.are(&start.world.settings.tools.enabled)) {
        // An agent may have had fewer tools than the session began with.
        let named: Vec<ToolSpec> = specs.iter().filter(|spec| had.names.contains(&spec.name)).cloned().collect();
        if named.len() == had.names.len() {
            return Tools::new(as_told(&tools, &named)).shelving(shelf);
        }
    }
    let tools = tools.into_iter().filter(|tool| is_on(tool.spec())).collect();
    Tools::new(told_where_known(tools, specs.map(|(specs, _)| specs).unwrap_or_default())).shelving(shelf)
}

/// Which tools stand on the shelf: in a session that begins, the rare ones where the window is small and nobody chose tools; in
/// one that goes on, those that it is not told of and can reach. The only tool of an edit format is not rare.
fn shelf_of<'a>(start: &Start, had: Option<&'a Had>, format: Option<EditFormat>) -> impl Fn(&ToolSpec) -> bool + 'a {
    let chosen = !start.world.settings.tools.enabled.is_empty();
    let small = (1..=SMALL).contains(&window_of(start));
    move |spec: &ToolSpec| {
        let rare = spec.traits.rare && !chosen && (spec.traits.format.is_none() || format.is_none());
        rare && match had {
            None => small,
            Some(had) => reaches_more(&had.names) && !had.names.contains(&spec.name),
        }
    }
}

/// The window that tools have to fit into; 0 where it is unknown.
fn window_of(start: &Start) -> u64 {
    start.named_model().map_or(0, |found| start.world.settings.window(&found))
}

/// What a session of this start would send, or sends when it goes on with these tools.
pub(crate) fn specs_of(start: &Start, had: Option<&Had>, fleet: &Arc<Fleet>) -> Vec<ToolSpec> {
    let artifacts: Arc<dyn Artifacts> = Arc::new(MemoryArtifacts::default());
    toolset(start, &artifacts, &Carried::bare(), (BoxedShell::default(), fleet), had).specs()
}

/// The tools of a start, with nothing behind them.
pub fn bare_tools(start: &Start) -> Vec<Arc<dyn Tool>> {
    let artifacts: Arc<dyn Artifacts> = Arc::new(MemoryArtifacts::default());
    all_tools(start, &artifacts, &Carried::bare(), BoxedShell::default(), None)
}

/// The specs of all built-in tools, as they are sent.
pub fn tool_specs(start: &Start) -> Vec<ToolSpec> {
    Tools::new(bare_tools(start)).specs()
}

/// The names in `tools.enabled` that no tool has.
pub(crate) fn unknown_tools(start: &Start) -> Vec<String> {
    let tools = bare_tools(start);
    let known = |name: &&String| is_of_servers(name) || tools.iter().any(|tool| tool.spec().name == **name);
    start.world.settings.tools.enabled.iter().filter(|name| !known(name)).cloned().collect()
}
