//! What all tools that change files share: a kind of edit says what its arguments come to, and the rest is the same.

use crate::edits::{self, FileEdit};
use crate::port::text_arg;
use crate::typed::{Previews, ToolWork, Typed, TypedTool};
use reasonix_agent::{Args, Preview, ToolTraits};
use reasonix_proto::{Action, EditFormat, Family, ToolOutcome};
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
    /// The edit format that it is the tool of.
    const FORMAT: Option<EditFormat> = None;
    /// Whether another tool does the same in most cases, so that a small window can do without being told of it.
    const RARE: bool = false;

    /// The paths it acts on, as they were given.
    fn paths(input: &Self::Input) -> Vec<String>;

    /// Works out the changes without making them.
    fn prepare(workspace: &Workspace, input: Self::Input) -> Result<Vec<FileEdit>, ToolOutcome>;
}

/// The tool for one kind of edit.
pub(crate) struct Editor<K> {
    workspace: Workspace,
    kind: PhantomData<fn() -> K>,
}

impl<K: Kind> Editor<K> {
    /// Works below this workspace.
    pub(crate) fn at(workspace: Workspace) -> Typed<Self> {
        Typed::of(Self { workspace, kind: PhantomData })
    }

    fn preview(&self, input: K::Input) -> Result<Option<Preview>, ToolOutcome> {
        let edits = K::prepare(&self.workspace, input)?;
        edits::check(&self.workspace, &edits)?;
        Ok(edits::preview(&self.workspace, &edits))
    }

    fn change(&self, input: K::Input) -> ToolOutcome {
        match K::prepare(&self.workspace, input) {
            Ok(edits) => edits::commit(&self.workspace, edits),
            Err(outcome) => outcome,
        }
    }
}

impl<K: Kind> TypedTool for Editor<K> {
    type Input = K::Input;
    const NAME: &'static str = K::NAME;
    const PROMPT: &'static str = K::PROMPT;
    const ALIASES: &'static [&'static str] = K::ALIASES;
    const TRAITS: ToolTraits = ToolTraits { format: K::FORMAT, rare: K::RARE, ..ToolTraits::EDITS };
    const WORK: ToolWork<Self> = ToolWork::Writes(Self::change);
    const PREVIEW: Option<Previews<Self>> = Some(Self::preview);

    fn action(&self, input: Option<K::Input>, args: &Args) -> Action {
        let given = input.map_or_else(|| vec![text_arg(args, PATHS)], |input| K::paths(&input));
        let mut subjects: Vec<String> = Vec::new();
        for path in given.iter().map(|path| self.workspace.shown(path)) {
            if !subjects.contains(&path) {
                subjects.push(path);
            }
        }
        Action::writes(Family::Edit, subjects)
    }
}
