//! The vocabulary of Reasonix: what goes in ([`Op`], [`Query`]), what comes out ([`Event`], [`Reply`]),
//! and what is kept ([`Record`]). Serde only: no runtime, no IO, no policy.

mod action;
mod agent;
mod budget;
mod claim;
mod command;
mod commands;
mod content;
mod dial;
mod editing;
mod event;
mod exchange;
mod failure;
mod fence;
mod fired;
mod folded;
mod goal;
mod homes;
mod hook;
mod ids;
mod image;
mod inquiry;
mod job;
mod ledger;
mod level;
mod message;
mod older;
mod op;
mod outcome;
mod phrase;
mod picture;
mod plan;
mod prompt;
mod query;
mod recall;
mod record;
mod refusal;
mod repair;
mod reply;
mod server;
mod setting;
mod settled;
mod shown;
mod so_far;
mod source;
mod status;
mod text;
mod todo;
pub mod tools;
mod trust;
mod turn;
mod unhidden;
mod usage;
mod validation;
mod visible;

pub use action::{Action, Family, ReadOnly, family_of_word};
pub use agent::{AgentMode, AgentOrigin, AgentProfile, AgentRules, BUILD_AGENT, PLAN_AGENT};
pub use budget::{Allowance, BudgetInfo, Tally, parse_count, parse_money, parse_seconds};
pub use claim::{Claim, ClaimKind, ClaimStatus, Claimed};
pub use command::{
    Argument, ArgumentKind, CommandAction, CommandCase, CommandInfo, CommandLocal, CommandNeed, CommandOverlay,
    CommandSource, CommandWords,
};
pub use commands::{EFFORTS, builtin_commands};
pub use content::{Block, Content};
pub use dial::{Acts, Dial, Takes};
pub use editing::{EditFormat, EditsWith};
pub use event::{Envelope, Event, PROTOCOL_VERSION};
pub use exchange::{Exchange, ExchangeEnd, Reading};
pub use failure::FailureClass;
pub use fence::{fenced, unfenced};
pub use fired::{FiredRule, RulesFired};
pub use folded::folded;
pub use goal::{GoalChange, GoalInfo, GoalLimits, GoalNews, GoalStanding, GoalStop, GoalStrategy, LONGEST_OBJECTIVE};
pub use homes::HOME_SECRETS;
pub use hook::{HookInfo, HookRan};
pub use ids::{AskId, CallId, ClientId, RecordId, SessionId};
pub use image::{Image, ImageData};
pub use inquiry::{Inquiry, Question, Response, Suggestion};
pub use job::{JobInfo, JobKind, JobState, job_words};
pub use ledger::{Break, CacheBreak, CacheReport, CacheSum, CacheTurn, Requested};
pub use level::Level;
pub use message::{Kept, KeptBlock, Message, Reasoning, StopReason, ToolCall};
pub use op::{Choice, Effect, Op, Open, Posture, Rewind, Scope};
pub use outcome::{Artifact, Change, ChangeKind, Details, Hunk, HunkLine, LineKind, ToolOutcome};
pub use phrase::Phrase;
pub use picture::{LARGEST_DOCUMENT, document_of, image_of};
pub use plan::{Mode, PlanAnswer, PlanStep, Planned, Proposal, StepRisk};
pub use prompt::{PartKind, PromptPart};
pub use query::Query;
pub use recall::{Hit, MemoryInfo, MemoryReach, Speaker};
pub use record::{
    Asking, Carried, ChildRun, Compacted, Danger, Decided, Escalated, EscalatedBy, Field, FoldReason, Left, Moment,
    MoveReason, Origin, PlannerTurn, RECORD_VERSION, Record, RecordBody, Restored, Restoring, Rewound, Risk,
    SessionHead, Snapshot, Unmerged,
};
pub use refusal::{agent_of, refusal};
pub use repair::{Fix, Repair};
pub use reply::Reply;
pub use server::{ServerCounts, ServerInfo, ServerStanding};
pub use setting::{SettingLayer, SettingSource};
pub use settled::{Done, OpId, Refusal, Refused, Settled, Submit};
pub use shown::{Shown, escaped_json, shown};
pub use so_far::FiredSoFar;
pub use source::{DecidedBy, NotedBy};
pub use status::{
    BrokenCitation, Citation, Completion, CompletionKind, ContextPart, Cost, Git, ModelInfo, Queued, QueuedKind,
    RuleInfo, SessionEnding, SessionInfo, Setting, Status, TreeFilter, TreeNode, money_text,
};
pub use todo::{DEFAULT_PHASE, TodoItem, TodoPhase, TodoStatus, todo_markdown};
pub use trust::{DETECTED_CHECK, SurfaceInfo, SurfacePart, TrustInfo, TrustStanding};
pub use turn::{TurnEnd, TurnRefusal, TurnState};
pub use unhidden::{Unhidden, hidden_spans, restored, unhidden};
pub use usage::{Price, Usage};
pub use validation::{Validation, ValidationVerdict};
pub use visible::{is_deceptive, visible};
