//! What goes into the engine: operations that change something. What does not is a [`crate::Query`].

use crate::{Allowance, AskId, GoalStrategy, MemoryReach, Mode, PlanAnswer, RecordId, Response};
use serde::{Deserialize, Serialize};

/// Something a front end wants done. Each is settled once: by [`crate::Settled`], and a notice where a person should know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Op {
    /// Starts a turn; while one runs it waits like [`Op::FollowUp`].
    Prompt {
        /// What the user wrote. `@` references in it are resolved by the engine unless `resolved` is set.
        text: String,
        /// True when references are already in the text.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        resolved: bool,
    },
    /// The same for an answer that has to be JSON of some form. Endpoints that can be told the form are; the words of the
    /// prompt have to say it too, and whoever asked checks what comes.
    PromptFor {
        /// What the user wrote, and what is wanted.
        text: String,
        /// True when references are already in the text.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        resolved: bool,
        /// The JSON schema that the answer has to fit.
        schema: serde_json::Value,
        /// True when nothing but the answer is wanted: the work is done, and what it gave has to be put right.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        closing: bool,
    },
    /// Says something to the running turn; it is read before the next step.
    Steer {
        /// What the user wrote.
        text: String,
    },
    /// Queues a prompt for when the running turn is done.
    FollowUp {
        /// What the user wrote.
        text: String,
    },
    /// Takes something out of the queue again.
    Unqueue {
        /// The queued item's id.
        id: u64,
    },
    /// Changes the text of something in the queue.
    EditQueued {
        /// The queued item's id.
        id: u64,
        /// Its new text.
        text: String,
    },
    /// Runs a command of the user's own, without the model: through the gate, the sandbox and the log.
    Shell {
        /// The command line.
        command: String,
        /// False when the model is not to see it in later turns.
        keep: bool,
    },
    /// Stops the running turn; what was done is kept.
    Interrupt,
    /// Stops one subagent of the running turn; the others go on.
    StopChild {
        /// What it is called.
        child: String,
    },
    /// Answers a question. The first answer wins.
    Answer {
        /// The question.
        ask: AskId,
        /// The answer.
        choice: Choice,
        /// The digest of what was shown; the answer is refused when the question is about something else.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<String>,
        /// What the model is told with a no, in the person's words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        words: Option<String>,
        /// The command line that is to run in place of the one that was asked about. It is judged from the beginning; only
        /// where the question says that it can be edited, and only with a yes for this once.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        edited: Option<String>,
    },
    /// Answers questions of the model. The first answer wins.
    Respond {
        /// The inquiry.
        ask: AskId,
        /// One for each question, in any order; none at all when the person does not want to answer.
        responses: Vec<Response>,
    },
    /// Answers a plan. The first answer wins.
    AnswerPlan {
        /// The proposal.
        ask: AskId,
        /// What becomes of it.
        answer: PlanAnswer,
    },
    /// Folds the conversation now, to make room. Breaks the cached prefix, by name.
    Compact {
        /// What the notes should keep or leave out, in the user's words.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        instructions: String,
    },
    /// Sets what may be spent from now on; what was spent stays spent.
    SetBudget {
        /// What may be spent.
        allowance: Allowance,
    },
    /// Makes a new session that begins with notes on this one, with the same tools and system prompt, so that what is
    /// cached of these stays of use. [`crate::Event::HandedOver`] names it.
    Handoff {
        /// What the notes should be about, in the user's words.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        focus: String,
    },
    /// Reads the hooks anew, from every file that may have some.
    ReloadHooks,
    /// Sends the last prompt again, as if its turn had not been.
    Retry,
    /// Moves to another place of the session's tree. At a prompt that is the place before it, and its text comes back
    /// for editing. Nothing is deleted.
    Branch {
        /// The record to go to.
        at: RecordId,
        /// Whether notes on what is left go along; as the settings say when none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<bool>,
    },
    /// Goes back to before a turn.
    Rewind {
        /// The turn whose prompt is taken back.
        turn: u32,
        /// What goes back.
        what: Rewind,
        /// Whether notes on what is left go along; as the settings say when none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<bool>,
    },
    /// Brings again what was last taken back of files.
    Redo,
    /// Names a place of the tree; an empty label takes the name away.
    Label {
        /// The record.
        record: RecordId,
        /// The name.
        label: String,
    },
    /// Gives the session a title of the user's own.
    Rename {
        /// The title; empty for the one made from the first prompt.
        title: String,
    },
    /// Takes the session out of lists, of resuming and of search, and ends it.
    Discard,
    /// Changes the model or how hard it thinks, from the next request on. Breaks the cached prefix, by name.
    SetModel {
        /// The model as `provider/model`, or any reference the settings know; none to keep it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// How hard it thinks, in the provider's words; none to keep it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        effort: Option<String>,
    },
    /// Begins or ends planning. Holds at once; the model is told with the next prompt, and its tools stay the same.
    SetMode {
        /// What the model may do.
        mode: Mode,
    },
    /// Another agent goes on, from the next prompt on. One with words or tools of its own breaks the cached prefix, by name.
    WorkAs {
        /// What it is called.
        agent: String,
    },
    /// The next turn goes to the larger model that the settings name, or not after all.
    Escalate {
        /// False takes it back.
        on: bool,
    },
    /// Changes how much is asked.
    SetPosture {
        /// The new posture.
        posture: Posture,
    },
    /// Adds a permission rule. Only front ends send this, never a tool.
    Grant {
        /// The rule, such as `Bash(cargo test:*)`.
        rule: String,
        /// What it says.
        effect: Effect,
        /// How long it holds.
        scope: Scope,
    },
    /// Takes away a permission rule that was granted.
    Revoke {
        /// The rule exactly as [`crate::Reply::Permissions`] shows it.
        rule: String,
        /// Where it was granted.
        scope: Scope,
    },
    /// Writes a setting into the user's own file. Only those that [`crate::Query::Config`] gives a dial; what could loosen
    /// a protection has none. Only front ends send this, never a tool.
    Configure {
        /// The dotted key.
        key: String,
        /// The value in the words of its dial; none takes it out of the file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
    },
    /// Takes something out of what is remembered; its text stays in the archive. Only front ends send this.
    Forget {
        /// Its name.
        name: String,
        /// Where it holds: `project` or `global`.
        scope: MemoryReach,
    },
    /// Writes the conversation into a new file, as people read it.
    Export {
        /// The file, from the working folder; what ends in `.html` becomes HTML, everything else Markdown. A name is made
        /// up when it is empty.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        path: String,
    },
    /// The user's word on everything that the working folder would execute, as [`crate::Query::Trust`] showed it.
    Trust {
        /// The digest of what was shown.
        digest: String,
        /// Whether they trust it, from now on.
        yes: bool,
    },
    /// Sets a goal and works on it, turn after turn, until it is done with evidence or something stops it; then this is
    /// settled. Plan mode ends with it.
    SetGoal {
        /// What is to be reached.
        objective: String,
        /// How it is worked on; as its words look when none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        strategy: Option<GoalStrategy>,
    },
    /// Lets the goal wait; a turn that runs comes to its end.
    PauseGoal,
    /// Takes the goal up again, with its limits and its count of what stopped it anew. Settled as [`Op::SetGoal`].
    ResumeGoal,
    /// Gives the goal other words.
    EditGoal {
        /// What is to be reached.
        objective: String,
    },
    /// Takes the goal away; a turn that runs comes to its end.
    ClearGoal,
    /// Changes the todo list; the model is told with the next step or prompt.
    ChangeTodo {
        /// The whole list as Markdown (`[ ]`, `[~]`, `[x]`, `[-]`, `>` before notes, `#` before phases), or `add TEXT`, `start N`,
        /// `done N`, `drop N`, `open N`, `rm N`, `clear`.
        text: String,
    },
    /// Says something to one subagent that works; it reads it before its next step.
    SteerChild {
        /// What it is called.
        child: String,
        /// What it reads.
        text: String,
    },
    /// Ends a job, and everything that it started; or the subagent of that name.
    StopJob {
        /// What it is called.
        job: String,
    },
    /// Ends the session.
    Shutdown,
}

/// An answer to an approval question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "choice", rename_all = "snake_case")]
pub enum Choice {
    /// This call only.
    AllowOnce,
    /// This and what the named rule covers, until the session ends.
    AllowSession {
        /// The rule, one of those that were suggested.
        rule: String,
    },
    /// This and what the named rule covers, in this workspace root, in every session: it is written to the user's
    /// settings.
    AllowAlways {
        /// The rule, one of those that were suggested for it.
        rule: String,
    },
    /// Not this call; the model is told and may go on.
    Deny,
}

/// Which session a front end wants next. The host opens it; the one before goes on until nobody holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "open", rename_all = "snake_case")]
pub enum Open {
    /// A new one.
    New,
    /// A new one that leaves nothing on disk.
    Unkept,
    /// The last one of this terminal and folder; a new one when there is none.
    Continue,
    /// This one.
    Resume {
        /// Its id, the beginning or the end of it, or the path of its file.
        session: String,
    },
    /// A copy of this one.
    Fork {
        /// The session, named as for `Resume`.
        session: String,
        /// The last record that is copied; the whole active branch when none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<RecordId>,
    },
}

/// What [`Op::Rewind`] takes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rewind {
    /// The conversation; files stay as they are.
    Chat,
    /// The files; the conversation stays as it is.
    Files,
    /// Both.
    Both,
}

/// How much is asked, from the strictest on. Deny rules and the dangerous class stand above every posture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Posture {
    /// As the rules and the mode say.
    #[default]
    Ask,
    /// What would be asked by mode is allowed; ask rules still ask, and deny rules hold.
    Auto,
    /// Nothing is asked but what is dangerous.
    Yolo,
}

/// What a permission rule says, and what holds where none speaks; the stricter is the greater.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// It may run.
    Allow,
    /// A person is asked.
    #[default]
    Ask,
    /// It never runs.
    Deny,
}

/// How long a granted rule holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Until the session's process ends.
    Session,
    /// From now on in this workspace; written to the user's own settings.
    Always,
}
