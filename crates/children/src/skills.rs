//! Skills that subagents do: their text is the assignment, what they say of model and tools is kept, and they pass the gate as
//! skills and as subagents.

use super::errand::SkillErrand;
use super::merge::{TOOL, judged};
use super::told::Came;
use super::{Children, Job, Kin, told};
use reasonix_agent::{Args, BoxFuture, Call, Class, Sink, Stop, Tool, ToolSpec, outcome_text};
use reasonix_config::Settings;
use reasonix_proto::{
    Action, AgentProfile, CallId, Event, Phrase, ToolCall, ToolOutcome, TurnEnd, TurnRefusal, TurnState,
};
use reasonix_talk::tools::{BySkill, Delegates, starts};
use std::sync::OnceLock;

impl Children {
    /// Why no skill is done by a subagent of this one.
    pub(super) fn without_skills(&self, kin: &Kin, skill: &BySkill) -> Option<ToolOutcome> {
        let enabled = &kin.start.world.settings.tools.enabled;
        let why = match self.may_be() {
            false if self.depth > self.family.bounds.max_depth => {
                format!("subagents may be {} deep and no deeper", self.family.bounds.max_depth)
            }
            false => "this agent may start none".to_owned(),
            true if !enabled.is_empty() && !enabled.iter().any(|name| name == TOOL) => {
                format!("the tool {TOOL} is off here")
            }
            true => return None,
        };
        let message = format!("the skill {} is done by a subagent, and none can be started: {why}", skill.name);
        let hint = format!("if you do it yourself, its text is skill://{}/SKILL.md; say so in your answer", skill.name);
        Some(ToolOutcome::failed_with(message, hint))
    }

    /// What the gate says to starting these for a skill, beside what it said to the skill.
    pub(super) async fn allowed(
        &self,
        kin: &Kin,
        skill: &BySkill,
        jobs: &[Job],
        call: &Call<'_>,
    ) -> Result<(), ToolOutcome> {
        let starting = Starting::of(skill, jobs);
        let about = ToolCall { id: call.id.clone(), name: TOOL.to_owned(), arguments: String::new() };
        let (args, action) = (Args::new(), starting.action(&Args::new()));
        let decided = judged(kin, call, (&about, &starting, &args), &action, skill.by_user).await;
        decided.map_err(|by| ToolOutcome::Denied { by })
    }

    /// Has a skill done that a person called: what the model reads of it, or why the turn ends with that.
    pub(super) async fn errand(&self, errand: SkillErrand, turn: u32, stop: &Stop) -> Result<String, TurnEnd> {
        let SkillErrand { typed, skill, text, arguments } = errand;
        let name = skill.name.clone();
        let refused = |reason: &str| {
            let why = Phrase::new("engine.skill_not_started").with("name", &name).with("reason", reason);
            TurnEnd::Refused { kind: TurnRefusal::Skill, why }
        };
        let Some(kin) = self.kin.get() else { return Err(refused("-")) };
        kin.outbox.emit(Event::State { state: TurnState::ToolRunning });
        let (id, args, wanted) = (CallId(format!("skill-{turn}")), Args::new(), OnceLock::new());
        let (stop, progress) = (stop.child_token(), |_: &str| {});
        let (class, wanted) = (Class::Reader, &wanted);
        let call = Call { id: &id, args: &args, class, wanted, stop: stop.clone(), progress: &progress };
        let handed = self.hand_out(skill.assignments((text, &arguments)), &call).await;
        if stop.is_cancelled() {
            return Err(TurnEnd::Interrupted);
        }
        let (handed, changes) = handed.map_err(|outcome| refused(&outcome_text(&outcome)))?;
        if let Some(Came::Not { why }) = handed.first().map(|one| &one.came) {
            return Err(refused(why));
        }
        let told = outcome_text(&told::told(&handed, changes));
        Ok(format!(
            "[The user called {typed:?}, and a subagent did it. Tell the user what came of it; do not do it again.]\n\n{told}"
        ))
    }
}

/// The agent of a skill's subagent: with the model that the skill or the settings want for it.
pub(super) fn as_wanted(mut profile: AgentProfile, skill: &BySkill, settings: &Settings) -> AgentProfile {
    let own = skill.model.clone().filter(|model| model != "inherit");
    let models = &settings.agent.subagent_models;
    let named = || models.iter().find(|(name, _)| name.eq_ignore_ascii_case(&skill.name)).map(|(_, model)| model);
    if let Some(model) = own.or_else(|| named().filter(|model| !model.is_empty()).cloned()) {
        profile.model = Some(model);
    }
    profile
}

/// Starting somebody for a skill, before the gate.
struct Starting {
    spec: ToolSpec,
    agents: Vec<String>,
    title: String,
}

impl Starting {
    fn of(skill: &BySkill, jobs: &[Job]) -> Self {
        let spec = ToolSpec::new(TOOL, "", serde_json::json!({"type": "object"}));
        let agents = jobs.iter().map(|job| job.profile.name.to_lowercase()).collect();
        Self { spec, agents, title: format!("/skill:{}", skill.name) }
    }
}

impl Tool for Starting {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn action(&self, _args: &Args) -> Action {
        starts(self.agents.clone())
    }

    fn title(&self, _args: &Args, action: &Action) -> String {
        format!("{}: {}", action.title(), self.title)
    }

    fn run<'a>(&'a self, _call: Call<'a>) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async { ToolOutcome::failed("it is not run by itself") })
    }
}
