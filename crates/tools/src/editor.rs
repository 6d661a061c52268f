//! What all tools that change files share: a kind of edit says what its arguments come to, and the rest is the same.

use crate::edits::{self, FileEdit};
use crate::port::{previewing, spec, text_arg, writing};
use reasonix_agent::{Args, BoxFuture, Call, Preview, Tool, ToolSpec, ToolTraits, parse_args};
use reasonix_proto::{Action, Family, ToolOutcome};
use reasonix_workspace::Workspace;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use std::marker::PhantomData;

/// Names under which models give a path.
const PATHS: &[&str] = &["path", "file_path", "filePath", "filename", "file", "from", "source", "src"];

/// A kind of edit.
pub(crate) trait Kind: 'static {
    /// The arguments.
    type Input: DeserializeOwned + JsonSchema + Send + 'static;
    /// The tool's name.
    const NAME: &'static str;
    /// What the model is told.
    const PROMPT: &'static str;
    /// Other names under which models call it.
    const ALIASES: &'static [&'static str];

    /// The paths it acts on, as they were given.
    fn paths(input: &Self::Input) -> Vec<String>;

    /// Works out the changes without making them.
    fn prepare(workspace: &Workspace, input: Self::Input) -> Result<Vec<FileEdit>, ToolOutcome>;
}

/// The tool for one kind of edit.
pub(crate) struct Editor<K> {
    spec: ToolSpec,
    workspace: Workspace,
    kind: PhantomData<fn() -> K>,
}

impl<K: Kind> Editor<K> {
    /// Works below this workspace.
    pub(crate) fn new(workspace: Workspace) -> Self {
        Self { spec: spec::<K::Input>(K::NAME, K::PROMPT).with(ToolTraits::EDITS), workspace, kind: PhantomData }
    }

    /// The same with another description.
    pub(crate) fn described(mut self, prompt: &str) -> Self {
        self.spec.description = prompt.trim().to_owned();
        self
    }
}

impl<K: Kind> Tool for Editor<K> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn aliases(&self) -> &'static [&'static str] {
        K::ALIASES
    }

    /// The paths come from the same parse that runs the call. A call that does not parse fails; its path is for titles.
    fn action(&self, args: &Args) -> Action {
        let given = parse_args::<K::Input>(args).map_or_else(|_| vec![text_arg(args, PATHS)], |input| K::paths(&input));
        let mut subjects: Vec<String> = Vec::new();
        for path in given.iter().map(|path| self.workspace.shown(path)) {
            if !subjects.contains(&path) {
                subjects.push(path);
            }
        }
        Action::writes(Family::Edit, subjects)
    }

    fn preview<'a>(&'a self, args: &'a Args) -> BoxFuture<'a, Result<Option<Preview>, ToolOutcome>> {
        let workspace = self.workspace.clone();
        let input = parse_args::<K::Input>(args);
        Box::pin(previewing(move || {
            let edits = K::prepare(&workspace, input?)?;
            edits::check(&workspace, &edits)?;
            Ok(edits::preview(&workspace, &edits))
        }))
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            let input: K::Input = match parse_args(call.args) {
                Ok(input) => input,
                Err(outcome) => return outcome,
            };
            let workspace = self.workspace.clone();
            writing(call.stop, move || match K::prepare(&workspace, input) {
                Ok(edits) => edits::commit(&workspace, edits),
                Err(outcome) => outcome,
            })
            .await
        })
    }
}
