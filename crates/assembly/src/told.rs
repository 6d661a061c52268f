//! The tools of a session that goes on, as it was told of them: what was sent stays as it was, whatever the running build, or a
//! server, says of its tools by now.

use reasonix_agent::{Args, BoxFuture, Call, Meant, Preview, Tool, ToolSpec, Tools};
use reasonix_proto::{Action, Family, ToolOutcome};
use std::future::ready;
use std::sync::Arc;

/// The tools with these specs, in their order: each as it was told. One that is not there any more is still told of, and
/// fails when it is called; one that has no spec here is left out.
pub fn as_told(tools: &[Arc<dyn Tool>], specs: &[ToolSpec]) -> Vec<Arc<dyn Tool>> {
    let named = |spec: &ToolSpec| tools.iter().find(|tool| tool.spec().name == spec.name);
    let told = |spec: &ToolSpec| match named(spec) {
        Some(tool) => retold(tool, spec),
        None => Arc::new(Gone(spec.clone())),
    };
    specs.iter().map(told).collect()
}

/// These tools, told with the specs that there are for them.
pub fn told_where_known(tools: Vec<Arc<dyn Tool>>, specs: &[ToolSpec]) -> Vec<Arc<dyn Tool>> {
    let told = |tool: Arc<dyn Tool>| match specs.iter().find(|spec| spec.name == tool.spec().name) {
        Some(spec) => retold(&tool, spec),
        None => tool,
    };
    tools.into_iter().map(told).collect()
}

/// A tool under this spec. What it can is what it can now.
fn retold(tool: &Arc<dyn Tool>, spec: &ToolSpec) -> Arc<dyn Tool> {
    let spec = spec.clone().with(tool.spec().traits);
    if spec == *tool.spec() { Arc::clone(tool) } else { Arc::new(Retold { spec, tool: Arc::clone(tool) }) }
}

/// A tool that is told otherwise than it tells of itself.
struct Retold {
    spec: ToolSpec,
    tool: Arc<dyn Tool>,
}

impl Tool for Retold {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        self.tool.aliases()
    }

    fn called(&self, name: &str, args: Args) -> Args {
        self.tool.called(name, args)
    }

    fn meant(&self, args: &Args, among: &Tools) -> Option<Meant> {
        self.tool.meant(args, among)
    }

    fn redefined(&self) -> Option<String> {
        self.tool.redefined()
    }

    fn says_it_reads(&self) -> bool {
        self.tool.says_it_reads()
    }

    fn accept(&self, diff: &str) {
        self.tool.accept(diff);
    }

    fn action(&self, args: &Args) -> Action {
        self.tool.action(args)
    }

    fn title(&self, args: &Args, action: &Action) -> String {
        self.tool.title(args, action)
    }

    fn preview<'a>(&'a self, args: &'a Args) -> BoxFuture<'a, Result<Option<Preview>, ToolOutcome>> {
        self.tool.preview(args)
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        self.tool.run(call)
    }
}

/// A tool that a session was told of and that is not there any more.
struct Gone(ToolSpec);

impl Tool for Gone {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    /// It touches nothing, so that nobody is asked about it.
    fn action(&self, _args: &Args) -> Action {
        Action::reads(Family::Own, self.0.name.clone())
    }

    fn run<'a>(&'a self, _call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        let why = match self.0.name.starts_with("mcp__") {
            true => ": its MCP server is not configured here, or no longer has it",
            false => "",
        };
        let gone = format!("the tool {:?} is not there any more{why}; nothing was run", self.0.name);
        Box::pin(ready(ToolOutcome::failed_with(gone, "do without it: it was there when the session began")))
    }
}
