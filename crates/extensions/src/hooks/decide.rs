//! What a hook said: out of how it ended and what it wrote, for each event and in both dialects. Pure, so that it is a table.

use super::{HookDialect, HookEvent};
use serde_json::{Map, Value};

/// How a hook ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookExit {
    /// By itself, with this code.
    Code(i32),
    /// It was ended because its time was up.
    TimedOut,
    /// It could not be started, or was ended for this reason.
    Failed(String),
}

/// A hook that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookRun {
    /// How.
    pub exit: HookExit,
    /// What it wrote.
    pub stdout: String,
    /// What it complained of.
    pub stderr: String,
}

/// What it comes to, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookDecision {
    /// It has nothing against it.
    Pass,
    /// It is against it.
    Block,
    /// Something is wrong, and a person should know.
    Warn,
    /// It took too long.
    Timeout,
    /// It could not be run.
    Error,
}

impl HookDecision {
    /// Its word in the log.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Block => "block",
            Self::Warn => "warn",
            Self::Timeout => "timeout",
            Self::Error => "error",
        }
    }
}

/// What a hook said.
#[derive(Debug, Clone, PartialEq)]
pub struct HookVerdict {
    /// In one word.
    pub decision: HookDecision,
    /// Why it blocks, or what is wrong.
    pub reason: String,
    /// It wants a person to be asked.
    pub asks: bool,
    /// Other arguments for the call.
    pub input: Option<Map<String, Value>>,
    /// What the model is to read.
    pub context: Option<String>,
    /// What a person is to read.
    pub message: Option<String>,
    /// The turn is to end, for this reason.
    pub stops: Option<String>,
}

impl HookVerdict {
    fn of(decision: HookDecision, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { decision, reason, asks: false, input: None, context: None, message: None, stops: None }
    }
}

/// What a hook of this dialect said at this event.
pub fn decide(event: HookEvent, dialect: HookDialect, run: &HookRun) -> HookVerdict {
    let (stdout, stderr) = (run.stdout.trim(), run.stderr.trim());
    match &run.exit {
        HookExit::TimedOut => HookVerdict::of(HookDecision::Timeout, stderr),
        HookExit::Failed(reason) => HookVerdict::of(HookDecision::Error, reason.as_str()),
        HookExit::Code(0) if dialect == HookDialect::Claude && stdout.starts_with('{') => answered(event, stdout),
        HookExit::Code(0) => {
            let context = (event.tells() && !stdout.is_empty()).then(|| stdout.to_owned());
            HookVerdict { context, ..HookVerdict::of(HookDecision::Pass, "") }
        }
        HookExit::Code(2) if may_block(event, dialect) => HookVerdict::of(HookDecision::Block, stderr),
        HookExit::Code(_) => HookVerdict::of(HookDecision::Warn, stderr),
    }
}

/// Whether there is something that a hook can be against.
fn may_block(event: HookEvent, dialect: HookDialect) -> bool {
    match dialect {
        HookDialect::Own => event.blocks(),
        HookDialect::Claude => {
            !matches!(event, HookEvent::SessionStart | HookEvent::SessionEnd | HookEvent::Notification)
        }
    }
}

/// What it answered in JSON.
fn answered(event: HookEvent, stdout: &str) -> HookVerdict {
    let Ok(Value::Object(said)) = serde_json::from_str::<Value>(stdout) else {
        return HookVerdict::of(HookDecision::Warn, "its output begins with { and is no JSON object");
    };
    let text = |of: &Map<String, Value>, key: &str| of.get(key).and_then(Value::as_str).map(str::to_owned);
    let own = said.get("hookSpecificOutput").and_then(Value::as_object).cloned().unwrap_or_default();
    let own_event = text(&own, "hookEventName").is_none_or(|name| name == event.name());
    let own = if own_event { own } else { Map::new() };
    let request = own.get("decision").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut verdict = HookVerdict::of(HookDecision::Pass, "");
    let word = match event {
        HookEvent::PreToolUse => text(&own, "permissionDecision").or_else(|| text(&said, "decision")),
        HookEvent::PermissionRequest => text(&request, "behavior").or_else(|| text(&said, "decision")),
        _ => text(&said, "decision"),
    };
    let reason = [text(&own, "permissionDecisionReason"), text(&request, "message"), text(&said, "reason")];
    let reason = reason.into_iter().flatten().next();
    match word.as_deref() {
        Some("block" | "deny") if may_block(event, HookDialect::Claude) => {
            verdict.decision = HookDecision::Block;
            verdict.reason = reason.unwrap_or_default();
        }
        Some("ask" | "defer") => (verdict.asks, verdict.reason) = (true, reason.unwrap_or_default()),
        // Whoever says yes here allows nothing that was not allowed.
        _ => {}
    }
    if event == HookEvent::PreToolUse && verdict.decision == HookDecision::Pass {
        verdict.input = own.get("updatedInput").and_then(Value::as_object).cloned();
    }
    verdict.context = text(&own, "additionalContext").filter(|text| !text.trim().is_empty());
    verdict.message = text(&said, "systemMessage").filter(|text| !text.trim().is_empty());
    let interrupts = request.get("interrupt").and_then(Value::as_bool) == Some(true);
    if said.get("continue").and_then(Value::as_bool) == Some(false) || interrupts {
        verdict.stops = Some(text(&said, "stopReason").unwrap_or_else(|| verdict.reason.clone()));
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::{HookDecision, HookDialect, HookEvent, HookExit, HookRun, HookVerdict, decide};
    use HookDecision::{Block, Error, Pass, Timeout, Warn};
    use HookDialect::{Claude, Own};
    use HookEvent::{
        Notification, PermissionRequest, PostToolUse, PostToolUseFailure, PreCompact, PreToolUse, SessionEnd,
        SessionStart, Stop, SubagentStop, UserPromptSubmit,
    };
    use serde_json::{Value, json};

    fn run(exit: HookExit) -> HookRun {
        HookRun { exit, stdout: " out\n".into(), stderr: " why \n".into() }
    }

    fn said(event: HookEvent, json: &Value) -> HookVerdict {
        decide(event, Claude, &HookRun { exit: HookExit::Code(0), stdout: json.to_string(), stderr: String::new() })
    }

    #[test]
    fn how_a_hook_ended_is_what_it_says_of_the_event() {
        let twos = [
            (PreToolUse, Block, Block),
            (UserPromptSubmit, Block, Block),
            (PostToolUse, Warn, Block),
            (PostToolUseFailure, Warn, Block),
            (PermissionRequest, Warn, Block),
            (Stop, Warn, Block),
            (SubagentStop, Warn, Block),
            (PreCompact, Warn, Block),
            (SessionStart, Warn, Warn),
            (SessionEnd, Warn, Warn),
            (Notification, Warn, Warn),
        ];
        assert_eq!(twos.map(|(event, _, _)| event).len(), HookEvent::ALL.len());
        for (event, own, theirs) in twos {
            for (dialect, two) in [(Own, own), (Claude, theirs)] {
                for (exit, wanted, reason) in [
                    (HookExit::Code(0), Pass, ""),
                    (HookExit::Code(2), two, "why"),
                    (HookExit::Code(1), Warn, "why"),
                    (HookExit::Code(127), Warn, "why"),
                    (HookExit::TimedOut, Timeout, "why"),
                    (HookExit::Failed("no such file".into()), Error, "no such file"),
                ] {
                    let verdict = decide(event, dialect, &run(exit.clone()));
                    assert_eq!((verdict.decision, verdict.reason.as_str()), (wanted, reason), "{event:?} {exit:?}");
                    let told = exit == HookExit::Code(0) && matches!(event, UserPromptSubmit | SessionStart);
                    assert_eq!(verdict.context.as_deref(), told.then_some("out"), "{event:?} {exit:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_answered_in_json_is_read_and_a_yes_allows_nothing() {
        let own = |fields: Value| json!({"hookSpecificOutput": fields});
        for (event, answer, decision, asks, reason) in [
            (
                PreToolUse,
                own(
                    json!({"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no"}),
                ),
                Block,
                false,
                "no",
            ),
            (PreToolUse, own(json!({"permissionDecision": "ask", "permissionDecisionReason": "hm"})), Pass, true, "hm"),
            (
                PreToolUse,
                own(json!({"permissionDecision": "allow", "permissionDecisionReason": "ok"})),
                Pass,
                false,
                "",
            ),
            (PreToolUse, json!({"decision": "block", "reason": "old"}), Block, false, "old"),
            (PreToolUse, json!({"decision": "approve"}), Pass, false, ""),
            (PreToolUse, own(json!({"hookEventName": "PostToolUse", "permissionDecision": "deny"})), Pass, false, ""),
            (PostToolUse, json!({"decision": "block", "reason": "lint"}), Block, false, "lint"),
            (Stop, json!({"decision": "block", "reason": "tests"}), Block, false, "tests"),
            (UserPromptSubmit, json!({"decision": "block", "reason": "key"}), Block, false, "key"),
            (SessionStart, json!({"decision": "block", "reason": "x"}), Pass, false, ""),
            (
                PermissionRequest,
                own(json!({"decision": {"behavior": "deny", "message": "never"}})),
                Block,
                false,
                "never",
            ),
            (PermissionRequest, own(json!({"decision": {"behavior": "allow"}})), Pass, false, ""),
        ] {
            let verdict = said(event, &answer);
            let got = (verdict.decision, verdict.asks, verdict.reason.as_str());
            assert_eq!(got, (decision, asks, reason), "{answer}");
        }
        let input = said(PreToolUse, &own(json!({"permissionDecision": "allow", "updatedInput": {"command": "ls"}})));
        assert_eq!(input.input.map(Value::Object), Some(json!({"command": "ls"})));
        let denied = said(PreToolUse, &own(json!({"permissionDecision": "deny", "updatedInput": {"command": "ls"}})));
        assert_eq!(denied.input, None);
        let more = json!({"continue": false, "stopReason": "enough", "systemMessage": "m",
            "hookSpecificOutput": {"additionalContext": "c"}});
        let more = said(PostToolUse, &more);
        assert_eq!(
            (more.stops.as_deref(), more.message.as_deref(), more.context.as_deref()),
            (Some("enough"), Some("m"), Some("c"))
        );
        let broken = HookRun { exit: HookExit::Code(0), stdout: "{nope".into(), stderr: String::new() };
        assert_eq!(decide(PreToolUse, Claude, &broken).decision, Warn);
        assert_eq!(decide(PreToolUse, Own, &broken).decision, Pass, "ours answers with its code");
        let json = HookRun { exit: HookExit::Code(2), stdout: "{\"decision\":\"approve\"}".into(), stderr: "e".into() };
        assert_eq!(decide(PreToolUse, Claude, &json).decision, Block, "what is said with a 2 is in stderr");
    }
}
