//! Opening or making the session that a start names, and the head that a new one begins with.

use super::toolset::specs_of;
use crate::foreword::base_words;
use reasonix_agent::{Artifacts, Recalls};
use reasonix_assembly::recall::remembered;
use reasonix_assembly::roster::begins_with;
use reasonix_config::ModelRef;
use reasonix_exec::Confinement;
use reasonix_proto::{
    BUILD_AGENT, Change, Content, Details, Phrase, RECORD_VERSION, Record, RecordBody, SessionHead, SessionId,
    ToolOutcome,
};
use reasonix_servers::fleet::Fleet;
use reasonix_session::{Beginning, MemoryArtifacts, Opened, SessionArtifacts, Sessions, in_memory};
use reasonix_world::confine::word;
use reasonix_world::editing::edits_with;
use reasonix_world::endpoint_of;
use reasonix_world::error::EngineError;
use reasonix_world::prompt::{Draft, PromptSources, assemble};
use reasonix_world::shelf::{rules_chapter, skills_chapter};
use reasonix_world::spec::{Start, Which};
use std::path::Path;
use std::sync::Arc;

/// A session that was opened or made.
pub(crate) struct Begun {
    pub(crate) opened: Opened,
    pub(crate) artifacts: Arc<dyn Artifacts>,
    /// True when it goes on from an earlier process.
    pub(crate) resumed: bool,
    /// What it did to files so far.
    pub(crate) made: Vec<Record>,
}

/// Opens or makes the session, and what keeps its artifacts.
pub(crate) fn open(start: &Start, confinement: &Confinement, fleet: &Arc<Fleet>) -> Result<Begun, EngineError> {
    let state = start.world.home.join("state");
    let sessions = Sessions::at(&state);
    let cwd = start.workspace.root();
    let wanted = match &start.which {
        Which::Unkept => {
            let artifacts = Arc::new(MemoryArtifacts::default());
            let (begins, notices) = head_of(start, confinement, fleet)?;
            let mut opened = in_memory(begins.unkept());
            opened.notices.extend(notices);
            return Ok(Begun { opened, artifacts, resumed: false, made: Vec::new() });
        }
        Which::New => None,
        Which::Continue => sessions.latest(cwd)?.map(|id| id.0),
        Which::Resume(id) => Some(id.clone()),
        Which::Fork { session, at } => Some(sessions.fork(session, *at, head_of(start, confinement, fleet)?.0)?.0),
    };
    let artifacts = Arc::new(SessionArtifacts::at(&state));
    match wanted {
        Some(id) => {
            let mut made = Vec::new();
            let fits = |head: &SessionHead| check_folder(&head.cwd, cwd);
            let opened = sessions.open_if(&id, fits, |record| made.extend(changes_files(record)))?;
            Ok(Begun { opened, artifacts, resumed: true, made })
        }
        None => {
            let (begins, notices) = head_of(start, confinement, fleet)?;
            let mut opened = sessions.create(begins)?;
            opened.notices.extend(notices);
            if start.which == Which::Continue {
                opened.notices.push(Phrase::new("engine.nothing_to_continue"));
            }
            Ok(Begun { opened, artifacts, resumed: false, made: Vec::new() })
        }
    }
}

/// The record without its text, when it says what was done to files.
fn changes_files(record: &Record) -> Option<Record> {
    let RecordBody::Outcome { call, tool, took_ms, outcome: ToolOutcome::Done { details, .. } } = &record.body else {
        return None;
    };
    if details.changes.is_empty() {
        return None;
    }
    let changes: Vec<_> =
        details.changes.iter().map(|change| Change { diff: String::new(), ..change.clone() }).collect();
    let details = Box::new(Details { changes, ..Details::default() });
    let outcome = ToolOutcome::Done { content: Content::default(), details };
    let body = RecordBody::Outcome { call: call.clone(), tool: tool.clone(), took_ms: *took_ms, outcome };
    Some(Record { body, ..record.clone() })
}

/// What a session that comes from somewhere else starts from here.
pub fn imported_head(start: &Start) -> Result<Beginning, EngineError> {
    Ok(head_of(start, &Confinement::None, &Fleet::new(start))?.0.with(|head| "off".clone_into(&mut head.sandbox)))
}

/// What a new session begins with, and what to tell about it.
fn head_of(
    start: &Start,
    confinement: &Confinement,
    fleet: &Arc<Fleet>,
) -> Result<(Beginning, Vec<Phrase>), EngineError> {
    let settings = &start.world.settings;
    let found = start.named_model()?;
    let (agent, told_of_agent) = begins_with(start)?;
    let base = base_words(start, &agent, &found.name());
    let cwd = start.workspace.root();
    let mut tools = specs_of(start, None, fleet);
    tools.retain(|spec| agent.has(&spec.name));
    let reads = tools.iter().any(|spec| spec.traits.reads && spec.traits.recalls == Some(Recalls::Memory));
    let memory = if reads { remembered(start) } else { String::new() };
    let has_skills = tools.iter().any(|spec| spec.traits.instructs);
    let window = settings.window(&found);
    let (index, told) = skills_chapter(start, window);
    let skills = if has_skills { index } else { String::new() };
    let (rules, told_of_rules) = rules_chapter(start, window);
    let Draft { system, parts, mut notices } = assemble(&PromptSources {
        base: &base,
        cwd: Some(cwd),
        files: &start.rules,
        rules: [&rules.always, &rules.others],
        memory: &memory,
        skills: &skills,
        appended: start.append_system.as_deref(),
        window,
    });
    notices.extend(told);
    notices.extend(told_of_rules);
    notices.extend(told_of_agent);
    notices.extend(unknown_window(start, &found));
    let place = settings.trust.prompt().filter(|_| agent.prompt.is_none()).map(|(_, place)| place);
    notices.extend(place.map(|place| Phrase::new("engine.project_prompt").with("file", place)));
    let head = SessionHead {
        v: RECORD_VERSION,
        session: SessionId::fresh(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        cwd: cwd.display().to_string(),
        model: found.name(),
        system,
        tools: Vec::new(),
        specs: None,
        edit: edits_with(settings, &tools),
        sandbox: word(confinement),
        from: None,
        parts,
        agent: (agent.name != BUILD_AGENT).then_some(agent.name),
    };
    Ok((Beginning::new(head, &tools), notices))
}

/// Said once, when a session begins whose model has a window that nobody knows: nothing is folded before the endpoint refuses.
fn unknown_window(start: &Start, found: &ModelRef<'_>) -> Option<Phrase> {
    let world = &start.world;
    let folds = world.settings.folds(found) && world.settings.compaction.auto && found.provider.kind != "scripted";
    let known = || endpoint_of(&world.settings, found, &world.env, &world.home).window > 0;
    (folds && !known()).then(|| Phrase::new("engine.window_unknown").with("model", found.name()))
}

/// A session speaks of its own folder; in another one its paths would mean other files.
fn check_folder(its: &str, here: &Path) -> Result<(), EngineError> {
    if Path::new(its) == here {
        return Ok(());
    }
    Err(EngineError::Settings(Phrase::new("engine.other_folder").with("folder", its).with("here", here.display())))
}
