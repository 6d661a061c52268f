//! What the log says of a goal: whether its being done is proved.

use crate::asked::{AskedClaim, asked};
use reasonix_evidence::Deeds;
use reasonix_proto::{
    CallId, Claim, ClaimKind, ClaimStatus, Message, Record, RecordBody, ToolCall, ToolOutcome, tools,
};
use std::collections::VecDeque;

/// So many things that are missing are named.
const MOST_MISSING: usize = 5;

/// What is said beside what is missing where somebody else worked too.
const BELOW: &str = "what a subagent ran does not count; run it here";

/// So many commands are remembered, of which one may count by its name.
const MOST_LINES: usize = 20;

/// What stands for a proof where an answer does not say in words what was run.
const UNSAID: &[&str] = &["All tests pass.", "The build works."];

/// What a session did, and what of it for the goal. It is shown each record in the order they were written.
#[derive(Debug, Default)]
pub struct Course {
    all: Deeds,
    own: Deeds,
    after: u32,
    inside: bool,
    went_well: bool,
    /// A subagent worked for it.
    delegated: bool,
    /// A file was changed, as far as anybody knows.
    wrote: bool,
    asked: Vec<(CallId, String)>,
    /// The last commands that ended well.
    lines: VecDeque<String>,
}

/// A goal that is said to be done.
#[derive(Debug, Clone, Copy)]
pub struct GoalClaim<'a> {
    /// What was to be reached.
    pub objective: &'a str,
    /// The answer without the line about the goal.
    pub answer: &'a str,
    /// The commands that it names as proof.
    pub proofs: &'a [String],
    /// The command that checks the folder, where one is found.
    pub check: Option<&'a str>,
}

/// What the log says to that.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GoalHeld {
    /// What is missing before it counts as done, for the model; nothing when the log proves it.
    pub missing: Vec<String>,
    /// Nothing was changed and no check was run: it was only looked.
    pub looked: bool,
}

impl Course {
    /// The course of a goal that was set after this turn.
    pub fn new(after: u32) -> Self {
        Self { after, ..Self::default() }
    }

    /// A record was written.
    pub fn see(&mut self, record: &Record) {
        self.all.see(record);
        if let RecordBody::Prompt { turn, .. } | RecordBody::Shell { turn, .. } = &record.body {
            self.inside = *turn > self.after;
        }
        if self.inside {
            self.own.see(record);
            self.went_well |= went_well(&record.body);
            self.delegated |= matches!(record.body, RecordBody::Child(_));
            self.ran(&record.body);
        }
    }

    /// Remembers which commands ended well, and whether files were changed.
    fn ran(&mut self, body: &RecordBody) {
        match body {
            RecordBody::Assistant { message: Message::Assistant { calls, .. }, .. } => {
                self.asked = calls.iter().filter_map(line_of).collect();
            }
            RecordBody::Snapshot(look) => self.wrote |= look.changed.as_ref().is_some_and(|paths| !paths.is_empty()),
            RecordBody::Outcome { call, outcome: ToolOutcome::Done { details, .. }, .. } => {
                self.wrote |= !details.changes.is_empty();
                let line = self.asked.iter().find(|(asked, _)| asked == call).map(|(_, line)| line.clone());
                self.lines.extend(line.filter(|_| details.exit_code == Some(0)));
                while self.lines.len() > MOST_LINES {
                    self.lines.pop_front();
                }
            }
            _ => {}
        }
    }

    /// What is missing before the goal counts as done. A claim of the answer that is not proved is missing, and so is what the
    /// words of the goal ask for, a check behind the last change where code was changed, or any call that went well where none
    /// was. What only looked proves no more than the last.
    pub fn held(&self, claim: &GoalClaim<'_>) -> GoalHeld {
        let mut missing = self.unproved(claim.answer, claim.proofs);
        let looked = !self.wrote && self.own.changed_code().is_none() && !self.is_shown(claim);
        let wanted = asked(claim.objective);
        let ran = |held: &Claim| held.by.iter().any(|call| self.is_proved(call.as_str()));
        let stands = |one: &&AskedClaim| {
            let held = self.all.check(one.said);
            held.iter().all(|held| held.status == ClaimStatus::Verified || (one.part && ran(held)))
        };
        let open = wanted.claims.iter().filter(|one| !stands(one)).filter(|_| claim.proofs.is_empty());
        missing.extend(
            open.map(|one| format!("the goal asks for it: \"{}\", which no command that ran here shows", one.said)),
        );
        if missing.is_empty() && looked && wanted.changes {
            missing.push(
                "the goal asks for a change, and nothing was changed; where it is so already, run what shows it"
                    .to_owned(),
            );
        }
        if !missing.is_empty() {
            missing.extend(self.way(claim.check));
            missing.extend(self.delegated.then(|| BELOW.to_owned()));
        }
        GoalHeld { missing, looked }
    }

    /// The command that would count: the one that checks the folder, or one that ran here and counts when it is named.
    fn way(&self, check: Option<&str>) -> Option<String> {
        let counts = |line: &&String| self.is_proved(line);
        let named = |line: &String| format!("what ran here counts by its name: GOAL: done, proof: `{line}`");
        check.map(|line| format!("here `{line}` shows it")).or_else(|| self.lines.iter().rev().find(counts).map(named))
    }

    /// Whether a command, by its line or its call, shows something by itself.
    fn is_proved(&self, named: &str) -> bool {
        self.all.proved_by(named).status == ClaimStatus::Verified
    }

    /// Whether a check stands behind what is said.
    fn is_shown(&self, claim: &GoalClaim<'_>) -> bool {
        let shows = |text: &str| self.all.check(text).iter().any(|claim| self.shows(claim));
        let proved = |proof: &String| self.is_proved(proof);
        claim.proofs.iter().any(proved) || shows(claim.answer) || UNSAID.iter().any(|said| shows(said))
    }

    fn unproved(&self, answer: &str, proofs: &[String]) -> Vec<String> {
        let claims = self.all.check(answer);
        let open = claims.iter().filter(|claim| claim.status != ClaimStatus::Verified).map(unproved);
        let mut missing: Vec<String> = open.collect();
        let changed = self.own.changed_code();
        let wanting = |proof: &String| {
            let held = self.all.proved_by(proof);
            let fine = held.status == ClaimStatus::Verified || (changed.is_none() && self.all.went_well(proof));
            (!fine).then_some(held.why)
        };
        missing.extend(proofs.iter().filter_map(wanting));
        missing.truncate(MOST_MISSING);
        if !missing.is_empty() {
            return missing;
        }
        let shows = |claim: &Claim| self.shows(claim);
        let shown = !proofs.is_empty() || claims.iter().any(shows);
        match changed {
            Some(code) if !shown && !UNSAID.iter().any(|said| self.all.check(said).iter().any(shows)) => {
                missing.push(format!(
                    "code was changed ({code}), and no command that shows that it works ran and ended well after the last \
                     change; run the tests or the build, or name what you ran after it: GOAL: done, proof: `COMMAND`"
                ));
            }
            _ if !self.went_well => missing.push("no call was made that could prove it".to_owned()),
            _ => {}
        }
        missing
    }

    /// Whether a claim stands that a check behind the last change has shown. A fix of a text needs none, and shows nothing of code.
    fn shows(&self, claim: &Claim) -> bool {
        let by_run = || claim.by.iter().any(|call| self.all.proved_by(call.as_str()).status == ClaimStatus::Verified);
        claim.status == ClaimStatus::Verified
            && match claim.kind {
                ClaimKind::Tests | ClaimKind::Build | ClaimKind::Lint => true,
                ClaimKind::Fix => by_run(),
                ClaimKind::File | ClaimKind::Unknown => false,
            }
    }
}

/// The command line of a call, where it is one.
fn line_of(call: &ToolCall) -> Option<(CallId, String)> {
    let arguments: serde_json::Value = serde_json::from_str(&call.arguments).ok()?;
    let line = arguments.get("command").filter(|_| call.name == tools::BASH)?.as_str()?;
    Some((call.id.clone(), line.to_owned()))
}

/// Whether a record is the outcome of a call that did what it was to do: a command that ended with a code did not.
fn went_well(body: &RecordBody) -> bool {
    let RecordBody::Outcome { outcome: ToolOutcome::Done { details, .. }, .. } = body else { return false };
    details.exit_code.is_none_or(|code| code == 0)
}

fn unproved(claim: &Claim) -> String {
    let quote = claim.quote.trim();
    match claim.status {
        ClaimStatus::Stale => format!("\"{quote}\" was true until something was changed afterwards; run it again"),
        _ => format!("\"{quote}\" is not proved by any command that ran here and ended well; run what proves it"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Course, GoalClaim, GoalHeld};
    use reasonix_proto::{
        CallId, Change, ChangeKind, ChildRun, Details, Message, Moment, Record, RecordBody, RecordId, SessionId,
        Snapshot, StopReason, ToolCall, ToolOutcome, tools,
    };
    use serde_json::json;

    /// One thing of a goal's course.
    #[derive(Clone, Copy)]
    enum Did {
        Ran(&'static str, i32),
        Wrote(&'static str),
        Looked(Moment, &'static [&'static str]),
        Turn,
    }
    use Did::{Looked, Ran, Turn, Wrote};
    use Moment::{After, Before, Between};

    fn bodies(at: u32, did: Did) -> Vec<RecordBody> {
        let (call, (uncovered, images)) = (CallId(format!("c{at}")), (Vec::new(), Vec::new()));
        let (tool, arguments, details) = match did {
            Turn => {
                return vec![RecordBody::Prompt { turn: at + 1, text: "go".to_owned(), typed: None, images }];
            }
            Looked(moment, paths) => {
                let changed = (moment != Before).then(|| paths.iter().map(|&path| path.to_owned()).collect::<Vec<_>>());
                let (state, more, changed_more, cut_off) = (String::new(), 0, 0, false);
                let look = Snapshot { turn: 1, moment, state, uncovered, more, changed, changed_more, cut_off };
                return vec![RecordBody::Snapshot(look)];
            }
            Ran(line, code) => {
                (tools::BASH, json!({"command": line}), Details { exit_code: Some(code), ..Details::default() })
            }
            Wrote(path) => {
                let (kind, diff, hunks) = (ChangeKind::Updated, String::new(), Vec::new());
                let change = Change { path: path.to_owned(), kind, added: 1, removed: 1, diff, hunks };
                ("write_file", json!({"path": path}), Details { changes: vec![change], ..Details::default() })
            }
        };
        let calls = vec![ToolCall { id: call.clone(), name: tool.to_owned(), arguments: arguments.to_string() }];
        let message = Message::Assistant { text: String::new(), reasoning: None, calls, stop: StopReason::Calls };
        let asked = RecordBody::Assistant { turn: 1, step: at, model: "a/b".to_owned(), message, usage: None };
        let outcome = ToolOutcome::detailed("", details);
        vec![asked, RecordBody::Outcome { call, tool: tool.to_owned(), took_ms: 1, outcome }]
    }

    fn missing(course: &[Did], answer: &str, proofs: &[&str]) -> Vec<String> {
        goal(course, "x", answer, proofs, None).missing
    }

    fn goal(course: &[Did], objective: &str, answer: &str, proofs: &[&str], check: Option<&str>) -> GoalHeld {
        let mut seen = Course::new(0);
        let all = [Turn].iter().chain(course).zip(0..).flat_map(|(did, at)| bodies(at, *did));
        for (body, id) in all.zip(1..) {
            seen.see(&Record { id: RecordId(id), parent: None, at: id, body });
        }
        let proofs = proofs.iter().map(|&proof| proof.to_owned()).collect::<Vec<_>>();
        seen.held(&GoalClaim { objective, answer, proofs: &proofs, check })
    }

    /// A course, what is said at its end, what is named, and words of what is missing; empty when it is proved.
    type Row = (&'static [Did], &'static str, &'static [&'static str], &'static str);

    fn held(rows: &[Row]) {
        for (at, (course, answer, proofs, wanted)) in rows.iter().enumerate() {
            let missing = missing(course, answer, proofs).join("; ");
            let as_wanted = if wanted.is_empty() { missing.is_empty() } else { missing.contains(wanted) };
            assert!(as_wanted, "row {at}, {proofs:?}: {missing}, wanted {wanted}");
        }
    }

    /// What ran in the session of a subagent is no deed of this one, and that is said.
    #[test]
    fn what_a_subagent_ran_proves_nothing_here() {
        let held = |below: bool| {
            let mut course = Course::new(0);
            let mut all = bodies(0, Turn);
            all.extend(bodies(1, Wrote("src/a.rs")));
            if below {
                let run = ChildRun::begun("0-A".into(), SessionId("s".into()), CallId::from("c"));
                all.push(RecordBody::Child(Box::new(run)));
            }
            for (body, id) in all.into_iter().zip(1..) {
                course.see(&Record { id: RecordId(id), parent: None, at: id, body });
            }
            let claim = GoalClaim { objective: "x", answer: "Done.", proofs: &[], check: None };
            course.held(&claim).missing.join("; ")
        };
        assert!(held(true).ends_with("; what a subagent ran does not count; run it here"), "{}", held(true));
        assert!(!held(false).is_empty() && !held(false).contains("subagent"), "{}", held(false));
    }

    /// What the words of the goal ask for has to be shown, not only what the answer says; who only looked is told so.
    #[test]
    fn what_the_goal_asks_for_has_to_be_shown() {
        const READ: &[Did] = &[Ran("cat src/a.rs", 0)];
        for (course, objective, answer, proofs, missing, looked) in [
            (READ, "make the tests pass", "It works.", &[][..], "the goal asks for it: \"All tests pass.\"", true),
            (&[Ran("cargo test", 1)], "make the tests pass", "It works.", &[], "\"All tests pass.\"", true),
            (&[Ran("cargo test", 0)], "make the tests pass", "It works.", &[], "", false),
            (&[Ran("cargo test parser", 0)], "make the tests of the parser pass", "Done.", &[], "", false),
            (&[Ran("cargo test parser", 0)], "make the tests pass", "Done.", &[], "\"All tests pass.\"", false),
            (&[Ran("python3 tests/a.py", 0)], "make the tests pass", "Done.", &["python3 tests/a.py"], "", false),
            (READ, "fix the crash in src/a.rs", "Done.", &[], "the goal asks for a change", true),
            (READ, "find out why it crashes", "It divides by zero.", &[], "", true),
            (&[Wrote("notes.md")], "write notes.md", "Done.", &[], "", false),
            (
                &[Wrote("src/a.rs"), Ran("cargo build", 0)],
                "make the tests pass",
                "Done.",
                &[],
                "\"All tests pass.\"",
                false,
            ),
        ] {
            let found = goal(course, objective, answer, proofs, None);
            let said = found.missing.join("; ");
            let as_wanted = if missing.is_empty() { said.is_empty() } else { said.contains(missing) };
            assert!(as_wanted && found.looked == looked, "{objective}: {said}, {}", found.looked);
        }
    }

    /// What would count is named: the check of the folder, or a command that ran.
    #[test]
    fn the_command_that_would_count_is_named() {
        let course = &[Wrote("src/a.py"), Ran("python3 tests/test_prices.py", 0)];
        let said = |check| goal(course, "x", "Done.", &[], check).missing.join("; ");
        assert!(said(Some("make test")).ends_with("; here `make test` shows it"), "{}", said(Some("make test")));
        assert!(said(None).ends_with("GOAL: done, proof: `python3 tests/test_prices.py`"), "{}", said(None));
        assert_eq!(goal(course, "x", "Done.", &["python3 tests/test_prices.py"], None).missing, [""; 0]);
    }

    #[test]
    fn what_an_unknown_program_may_have_changed_has_to_be_checked_behind_it() {
        const TESTED: Did = Ran("cargo test", 0);
        const GENERATED: &[Did] = &[TESTED, Ran("./gen.sh", 0)];
        held(&[
            (GENERATED, "Done.", &[], "code was changed (perhaps by `./gen.sh`)"),
            (GENERATED, "Done.", &["cargo test"], "a command after `cargo test` may have changed files"),
            (&[TESTED, Ran("perl -pi -e s/a/b/ src/a.rs", 0)], "Done.", &["cargo test"], "src/a.rs was changed after"),
            (&[TESTED, Ran("sed -i s/a/b/ src/a.rs", 0)], "Done.", &["c1"], "src/a.rs was changed after"),
            (&[TESTED, Ran("python fix.py", 0), Ran("ls", 0)], "Done.", &[], "perhaps by `python fix.py`"),
            (&[TESTED, Ran("python fix.py", 0), Ran("ls", 0)], "Done.", &["ls"], "only looks"),
            (&[TESTED, Ran("python fix.py", 0), TESTED], "Done.", &["ls"], "`ls` is no command that ran here"),
            (&[Ran("python fix.py", 0), TESTED], "Done.", &[], ""),
            (&[Ran("perl -pi -e s/a/b/ src/a.rs", 0), Ran("./app --once", 0)], "Done.", &["./app --once"], ""),
            (&[Wrote("src/a.rs"), Ran("./app --once", 1)], "Done.", &["./app --once"], "failed"),
            (&[Wrote("src/a.rs"), Ran("git status", 0)], "Done.", &["git status"], "only looks"),
            (&[Wrote("src/a.rs"), Ran("cat src/a.rs", 0)], "Done.", &[], "code was changed (src/a.rs)"),
            (&[Wrote("src/a.rs"), Turn, Wrote("README.md")], "Fixed the typo in `README.md`.", &[], "src/a.rs"),
        ]);
    }

    #[test]
    fn where_somebody_looked_only_what_is_there_counts() {
        const FOUND: &[Did] = &[Looked(Before, &[]), Ran("./gen.sh", 0), Looked(After, &["src/gen.rs"])];
        held(&[
            (FOUND, "Done.", &[], "code was changed (src/gen.rs)"),
            (FOUND, "Done.", &["./gen.sh"], "`./gen.sh` changed src/gen.rs itself"),
            (&[Looked(Before, &[]), Ran("python measure.py", 0), Looked(After, &["results.csv"])], "42 ms.", &[], ""),
            (&[Looked(Before, &[]), Ran("python measure.py", 0), Looked(After, &[])], "42 ms.", &["c2"], ""),
            (
                &[
                    Looked(Before, &[]),
                    Ran("./gen.sh", 0),
                    Looked(Between, &["src/gen.rs"]),
                    Ran("./check-all", 0),
                    Looked(After, &[]),
                ],
                "Done.",
                &["./check-all"],
                "",
            ),
        ]);
    }

    #[test]
    fn a_goal_without_code_ends_with_what_was_read_or_written() {
        held(&[
            (&[Ran("ls", 0)], "It is there.", &[], ""),
            (&[Ran("grep -rn x .", 0)], "It is there.", &["grep -rn x ."], ""),
            (&[Wrote("notes.md")], "I wrote `notes.md`.", &[], ""),
            (&[Wrote("notes.md")], "Written.", &["c1"], ""),
            (&[Wrote("notes.md")], "Written.", &["c7"], "no command that ran here"),
            (&[Ran("ls nothing", 2)], "It is there.", &["ls nothing"], "failed"),
            (&[], "It is there.", &[], "no call was made"),
        ]);
    }
}
