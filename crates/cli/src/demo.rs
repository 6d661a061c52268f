//! `reasonix demo`: a small project with a failing test, and the agent that fixes it. The loop, the tools, the gate
//! and the test run are real; the model is played by a script, and that is said.

use crate::args::DemoArgs;
use crate::exit::Exit;
use crate::interrupts::{Interrupts, Manner};
use crate::pump::carry_turn;
use crate::run::finish;
use crate::say::{self, Colour, Style};
use crate::view::{Plain, View, diff_lines};
use anyhow::Context as _;
use reasonix_agent::Stop;
use reasonix_config::{BashBoxing, Provider, SandboxSettings, Settings};
use reasonix_engine::{Handle, Start, Which, World, start};
use reasonix_exec::{Command, EndStatus};
use reasonix_proto::{Op, Phrase, TurnEnd};
use reasonix_words::Lang;
use reasonix_workspace::{Options, Workspace};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const SCRIPT: &str = include_str!("demo/script.jsonl");
const SCRIPT_IN_CHINESE: &str = include_str!("demo/script.zh.jsonl");
const PROGRAM: &str = include_str!("demo/price.sh");
const TEST: &str = include_str!("demo/test.sh");

pub(crate) async fn demo(args: DemoArgs) -> anyhow::Result<Exit> {
    let style = Style::get();
    let place = Place::make(args.keep)?;
    let project = place.project();
    let prompt = Place::prompt();
    say::line_err(&style.text(&Phrase::new("cli.demo_intro").with("folder", project.display())));
    say::line_err(&format!("\n> {prompt}\n"));
    let mut interrupts = Interrupts::listen(Manner::Run)?;
    let mut view = Plain::new(None);
    let mut handle = place.open()?;
    let op = Op::Prompt { text: prompt, resolved: true };
    let end = carry_turn(&mut handle, &mut view, &mut interrupts, op).await?;
    view.close()?;
    finish(handle, &mut view, &mut interrupts).await?;
    match end {
        Some(TurnEnd::Done) => conclude(style, &project).await,
        Some(TurnEnd::ProviderFailed { why, .. }) => Err(say::failed(why)),
        other => Ok(Exit::of_turn(&other.unwrap_or(TurnEnd::Interrupted))),
    }
}

/// Runs the test of the project, and not through the script: whether it passes, and what it wrote.
async fn tested(project: &Path) -> anyhow::Result<(bool, String)> {
    let test = Command::shell(Path::new("/bin/bash"), "bash test.sh", project);
    let test = reasonix_exec::run(&test, Stop::new(), &|_| {}).await.map_err(|error| say::failed(error.phrase()))?;
    let passed = test.status == EndStatus::Exited(0);
    Ok((passed, String::from_utf8_lossy(&test.output.into_parts().0).into_owned()))
}

/// Shows what was done, checked by us and not by the script.
async fn conclude(style: Style, project: &Path) -> anyhow::Result<Exit> {
    let after = std::fs::read_to_string(project.join("price.sh"))?;
    let diff = reasonix_tools::unified(PROGRAM, &after, 2);
    say::line_err(&style.text(&Phrase::new("cli.demo_diff")));
    diff_lines(style, &diff).iter().for_each(|line| say::line_err(line));
    let (passed, output) = tested(project).await?;
    say::line_err(&style.text(&Phrase::new("cli.demo_test")));
    output.lines().for_each(|line| say::line_err(&format!("       {line}")));
    if !passed {
        return Err(say::failed(Phrase::new("cli.demo_failed")));
    }
    say::line_err(&style.err(Colour::Green, &style.text(&Phrase::new("cli.demo_ok"))));
    say::line_err(&style.text(&Phrase::new("cli.demo_next")));
    Ok(Exit::Done)
}

fn beginning(place: &Place, bash: BashBoxing) -> anyhow::Result<Start> {
    let script = place.script();
    let played = match Style::get().lang {
        Lang::En => SCRIPT,
        Lang::Zh => SCRIPT_IN_CHINESE,
    };
    std::fs::write(&script, played).with_context(|| format!("cannot write {}", script.display()))?;
    let provider = Provider {
        name: "demo".to_owned(),
        kind: "scripted".to_owned(),
        models: vec!["script".to_owned()],
        default: "script".to_owned(),
        script: Some(script),
        ..Provider::default()
    };
    let sandbox = SandboxSettings { bash, ..SandboxSettings::default() };
    let settings = Settings { providers: vec![provider], sandbox, ..Settings::default() };
    let workspace = Workspace::open(&place.project(), Options::default())
        .map_err(|error| say::failed(Phrase::new("engine.workspace").with("reason", error)))?;
    Ok(Start {
        world: World::new(settings, BTreeMap::new(), place.folder.clone()),
        workspace,
        rules: Vec::new(),
        model: None,
        agent: None,
        append_system: None,
        which: Which::Unkept,
        attended: false,
        approve: Vec::new(),
    })
}

/// The folder of the demo; removed at the end unless the user wants it.
pub(crate) struct Place {
    folder: PathBuf,
    keep: bool,
}

impl Place {
    /// The session of the demo. Its commands are our own: where this machine has no sandbox they run without one, and a
    /// notice says so.
    pub(crate) fn open(&self) -> anyhow::Result<Handle> {
        let first = beginning(self, BashBoxing::BestEffort)?;
        crate::logging::begin(&first);
        match start(first) {
            Ok(handle) => Ok(handle),
            Err(_) => start(beginning(self, BashBoxing::Off)?).map_err(|error| say::engine(&error)),
        }
    }

    /// What is asked of the model.
    pub(crate) fn prompt() -> String {
        Style::get().text(&Phrase::new("cli.demo_prompt"))
    }

    /// Whether the project's own test passes now.
    pub(crate) async fn passes(&self) -> anyhow::Result<bool> {
        Ok(tested(&self.project()).await?.0)
    }

    pub(crate) fn make(keep: Option<PathBuf>) -> anyhow::Result<Self> {
        let place = match keep {
            Some(folder) => Self { folder: std::path::absolute(folder)?, keep: true },
            None => {
                let name = format!("reasonix-demo-{}", reasonix_proto::SessionId::fresh());
                Self { folder: std::env::temp_dir().join(name), keep: false }
            }
        };
        // A name that cannot be foreseen, and a folder that must not be there yet: nobody can have planted it.
        if !place.keep {
            std::fs::DirBuilder::new().create(&place.folder).context("cannot make a temporary folder")?;
        }
        let project = place.project();
        std::fs::create_dir_all(&project).with_context(|| format!("cannot make {}", project.display()))?;
        std::fs::write(project.join("price.sh"), PROGRAM)?;
        std::fs::write(project.join("test.sh"), TEST)?;
        Ok(place)
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.join("shop")
    }

    fn script(&self) -> PathBuf {
        self.folder.join("script.jsonl")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !self.keep {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}
