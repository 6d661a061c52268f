//! Chooses who works on what: the agents that assignments name, as they are on disk now, and those that rest and go on.

use super::family::{self, NotNow};
use super::{Children, Job, Kin, capital, faultless, isolation, prompt, short, skills, yields};
use reasonix_assembly::roster::{roster_of, startable, unusable};
use reasonix_proto::{AgentProfile, ToolOutcome};
use reasonix_talk::tools::{Assignment, Assignments, BySkill, READER};

/// Chooses for one agent, with what that has.
pub(super) struct Choosing<'a> {
    pub(super) of: &'a Children,
    pub(super) kin: &'a Kin,
}

impl Choosing<'_> {
    /// Who works on what; or what is wrong with it, with the names that there are.
    pub(super) fn jobs(&self, wanted: Assignments) -> Result<Vec<Job>, ToolOutcome> {
        let Assignments { agent, tasks, context, schema, background, isolated, reads, fork, skill } = wanted;
        let isolated = isolated && !reads;
        let schema = schema.as_ref().map(yields::readable).transpose()?;
        faultless(&tasks)?;
        // A skill may be called like one that rests.
        let find = |task: &Assignment| self.of.family.find(&task.id).filter(|_| skill.is_none());
        let of_others = |task: &&Assignment| find(task).is_some_and(|run| !family::is_of(&self.of.name, &run.child));
        if let Some(task) = tasks.iter().find(of_others) {
            let message = format!("{} was started by another", task.id);
            return Err(ToolOutcome::failed_with(message, "go on with those that you started, or leave out its id"));
        }
        let (known, new): (Vec<Assignment>, Vec<Assignment>) = tasks.into_iter().partition(|task| find(task).is_some());
        if let Some(task) = known.first().filter(|_| schema.is_some()) {
            let message = format!("{} goes on as it began: what it hands back cannot be changed", task.id);
            return Err(ToolOutcome::failed_with(message, "leave out schema, or give the work to a new one"));
        }
        if let Some(task) = known.first().filter(|_| fork) {
            let message = format!("{} goes on with its own conversation", task.id);
            return Err(ToolOutcome::failed_with(message, "leave out fork, or give the work to a new one"));
        }
        let mut jobs = Vec::new();
        for task in known {
            let job = self.again(&task, &context, isolated)?;
            jobs.push(Job { apart: background == Some(true), writes: job.writes && !reads, ..job });
        }
        if !new.is_empty() {
            let profile = self.profile(&agent)?;
            let profile = if reads && self.writes(&profile, false) { self.profile(READER)? } else { profile };
            let settings = &self.kin.start.world.settings;
            let profile = skill.iter().fold(profile, |profile, skill| skills::as_wanted(profile, skill, settings));
            let own = || profile.output.as_ref().map(yields::readable).transpose();
            let schema = schema.map_or_else(own, |schema| Ok(Some(schema)))?;
            let named =
                |task: &Assignment| if task.id.trim().is_empty() { capital(&profile.name) } else { task.id.clone() };
            let copied = |why| {
                ToolOutcome::failed_with(
                    format!("fork: {why}"),
                    "leave out fork, and say in the assignment all that is needed",
                )
            };
            let fork =
                fork.then(|| self.forkable(&profile, (schema.is_some(), isolated)).map_err(copied)).transpose()?;
            let writes = self.writes(&profile, isolated);
            jobs.extend(new.iter().map(|task| Job {
                name: named(task),
                profile: profile.clone(),
                earlier: None,
                task: short(task),
                prompt: prompt(&context, &task.text),
                schema: schema.clone(),
                apart: background.unwrap_or(profile.blocking == Some(false)),
                writes,
                skill: skill.clone(),
                fork: fork.clone(),
            }));
        }
        Ok(jobs)
    }

    /// One that rests goes on.
    fn again(&self, task: &Assignment, context: &str, isolated: bool) -> Result<Job, ToolOutcome> {
        let run = match self.of.family.rests(&task.id) {
            Ok(run) => run,
            Err(NotNow::Works) => {
                return Err(ToolOutcome::failed_with(format!("{} is still at work", task.id), "wait for it"));
            }
            Err(NotNow::Unknown) => return Err(ToolOutcome::failed(format!("there is no subagent {}", task.id))),
        };
        let profile = self.profile(&run.agent)?;
        // One that does a skill keeps to what the skill says.
        let skill = run.skill.as_deref().map(|name| match self.kin.start.shelf().named(name) {
            Some(skill) => Ok(BySkill::of(skill, false)),
            None => Err(ToolOutcome::failed(format!("{} did the skill {name}, which is not there any more", task.id))),
        });
        let skill = skill.transpose()?;
        let settings = &self.kin.start.world.settings;
        let profile = skill.iter().fold(profile, |profile, skill| skills::as_wanted(profile, skill, settings));
        let (name, earlier, writes) = (run.child, Some(run.session), self.writes(&profile, isolated));
        Ok(Job {
            name,
            profile,
            earlier,
            task: short(task),
            prompt: prompt(context, &task.text),
            schema: None,
            apart: false,
            writes,
            skill,
            fork: None,
        })
    }

    /// Whether one of this profile writes, in a clone of its own. Those of a subagent read, as do those of one that reads.
    fn writes(&self, profile: &AgentProfile, isolated: bool) -> bool {
        let own = roster_of(&self.kin.start, &self.kin.trust);
        let reads = own.named(&self.kin.root.state().agent).is_some_and(|own| own.rules.reads_only);
        self.of.works_as.is_none() && !reads && isolation::writes(profile, &self.kin.kit.edits, isolated)
    }

    /// The agent of this name, as it is on disk now, where this one may start it.
    fn profile(&self, wanted: &str) -> Result<AgentProfile, ToolOutcome> {
        let roster = roster_of(&self.kin.start, &self.kin.trust);
        let own = match &self.of.works_as {
            Some(profile) => profile.clone(),
            None => roster.named(&self.kin.root.state().agent).cloned().unwrap_or_default(),
        };
        let named = |list: &[String], name: &str| list.iter().any(|one| one == "*" || one.eq_ignore_ascii_case(name));
        let may = |agent: &&AgentProfile| {
            let itself = self.of.works_as.is_some() && agent.name.eq_ignore_ascii_case(&own.name);
            startable(&roster, agent) && !itself && own.spawns.as_deref().is_none_or(|list| named(list, &agent.name))
        };
        let names = || roster.agents.iter().filter(may).map(|agent| agent.name.clone()).collect::<Vec<_>>().join(", ");
        let found = roster.named(wanted).filter(may);
        let Some(agent) = found else {
            let message = format!("there is no agent {wanted:?} that can be started here");
            return Err(ToolOutcome::failed_with(message, format!("the agents are: {}", names())));
        };
        if let Some(why) = unusable(&self.kin.start, &roster, agent) {
            self.kin.outbox.warn(why);
            return Err(ToolOutcome::failed(format!("nobody can work as {wanted:?}: its permissions cannot be read")));
        }
        Ok(agent.clone())
    }
}
