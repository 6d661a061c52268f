//! Final answers with logs, honest and not, in English and Chinese: what is claimed in each and whether its log proves it.
//! Every file in `corpus` counts.

use reasonix_evidence::check;
use reasonix_proto::{
    CallId, Change, ChangeKind, Claim, ClaimKind, ClaimStatus, Details, JobInfo, JobState, Message, Record, RecordBody,
    RecordId, Snapshot, StopReason, ToolCall, ToolOutcome,
};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) lang: String,
    pub(crate) log: Vec<Value>,
    pub(crate) answer: String,
    pub(crate) claims: Vec<Wanted>,
}

#[derive(Deserialize)]
pub(crate) struct Wanted {
    pub(crate) kind: ClaimKind,
    pub(crate) quote: String,
    pub(crate) status: ClaimStatus,
}

/// The records of a log as the corpus writes it.
pub(crate) fn records(log: &[Value]) -> Vec<Record> {
    let mut bodies = Vec::new();
    for (at, entry) in log.iter().enumerate() {
        let turn = 1;
        if let Some(text) = entry["prompt"].as_str() {
            bodies.push(RecordBody::Prompt { turn, text: text.to_owned(), typed: None, images: Vec::new() });
        } else if let Some(look) = look(entry) {
            bodies.push(look);
        } else if let Some(job) = job(entry) {
            bodies.push(job);
        } else if let Some(command) = entry["user_shell"].as_str() {
            let (keep, took_ms, command) = (true, 1, command.to_owned());
            bodies.push(RecordBody::Shell { turn, command: command.clone(), keep });
            bodies.extend(entry["meanwhile"].as_array().into_iter().flatten().filter_map(job));
            bodies.push(RecordBody::ShellEnded { turn, command, keep, took_ms, outcome: outcome(entry) });
        } else {
            let id = CallId::from(entry["call"].as_str().unwrap_or_else(|| panic!("{entry}")));
            let tool = entry["tool"].as_str().unwrap_or_else(|| panic!("{entry}")).to_owned();
            let calls = vec![ToolCall { id: id.clone(), name: tool.clone(), arguments: entry["args"].to_string() }];
            let message = Message::Assistant { text: String::new(), reasoning: None, calls, stop: StopReason::Calls };
            let step = u32::try_from(at).expect("a step") + 1;
            bodies.push(RecordBody::Assistant { turn, step, model: "a/b".to_owned(), message, usage: None });
            bodies.extend(entry["meanwhile"].as_array().into_iter().flatten().filter_map(job));
            // Other names of a tool stand in calls only.
            let tool = if tool == "run_background" { "bash".to_owned() } else { tool };
            bodies.push(RecordBody::Outcome { call: id, tool, took_ms: 1, outcome: outcome(entry) });
        }
    }
    let numbered = bodies.into_iter().zip(1_u64..);
    numbered.map(|(body, id)| Record { id: RecordId(id), parent: None, at: id, body }).collect()
}

/// A record of a look at the files.
fn look(entry: &Value) -> Option<RecordBody> {
    let moment = serde_json::from_value(entry.get("look")?.clone()).expect("a moment");
    let (state, uncovered, more, changed_more, cut_off) = (String::new(), Vec::new(), 0, 0, false);
    let changed = serde_json::from_value(entry["changed"].clone()).expect("paths");
    Some(RecordBody::Snapshot(Snapshot { turn: 1, moment, state, uncovered, more, changed, changed_more, cut_off }))
}

/// A record of a job's beginning or end.
fn job(entry: &Value) -> Option<RecordBody> {
    let (name, began) = match (&entry["job_began"], &entry["job_ended"]) {
        (Value::String(name), _) => (name.clone(), true),
        (_, Value::String(name)) => (name.clone(), false),
        _ => return None,
    };
    let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
    let state = if began { JobState::Running } else { JobState::Completed };
    let (exit_code, call) = (if began { None } else { Some(0) }, CallId::from(text("of").as_str()));
    let info = JobInfo { job: name, call, command: text("line"), state, exit_code, ..JobInfo::default() };
    Some(if began { RecordBody::JobBegan(Box::new(info)) } else { RecordBody::JobEnded(Box::new(info)) })
}

fn outcome(entry: &Value) -> ToolOutcome {
    if let Some(message) = entry["failed"].as_str() {
        return ToolOutcome::failed(message);
    }
    if entry["denied"] == true {
        return ToolOutcome::Denied { by: "the user".to_owned() };
    }
    if entry["aborted"] == true {
        return ToolOutcome::Aborted;
    }
    let changed = entry["changed"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let (tool, created) = (entry["tool"].as_str().unwrap_or_default(), entry["created"] == true);
    let kind = |path: &str| match (tool, created) {
        ("move_file", _) => ChangeKind::Moved { from: entry["args"]["from"].as_str().unwrap_or(path).to_owned() },
        _ if entry["deleted"] == true => ChangeKind::Deleted,
        _ if created => ChangeKind::Created,
        _ => ChangeKind::Updated,
    };
    let change = |path: &str| {
        let (diff, hunks) = (String::new(), Vec::new());
        Change { path: path.to_owned(), kind: kind(path), added: 1, removed: 1, diff, hunks }
    };
    let code = entry["exit"].as_i64().map(|code| i32::try_from(code).expect("a code"));
    // A command without a code went well.
    let exit_code = if tool == "bash" || entry.get("user_shell").is_some() { Some(code.unwrap_or(0)) } else { None };
    let exit_code = exit_code.filter(|_| entry["goes_on"] != true);
    let details = Details { changes: changed.map(change).collect(), exit_code, ..Details::default() };
    let output = entry["output"].as_str().unwrap_or_default();
    ToolOutcome::detailed(output, details)
}

/// Every file of the corpus, with its cases.
fn corpus() -> Vec<(String, Vec<Case>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut files = Vec::new();
    for file in std::fs::read_dir(folder).expect("the corpus") {
        let path = file.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a file of cases");
        let cases = serde_json::from_str::<Vec<Case>>(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        files.push((path.file_stem().expect("a name").to_string_lossy().into_owned(), cases));
    }
    files.sort_by(|one, other| one.0.cmp(&other.0));
    files
}

fn overlaps(answer: &str, claim: &Claim, wanted: &Wanted) -> bool {
    let places = answer.match_indices(&wanted.quote).map(|(at, text)| (at, at + text.len()));
    places.into_iter().any(|(from, to)| claim.from < to && from < claim.to)
}

/// What is wrong with what was found in a case.
fn wrong(case: &Case, found: &[Claim]) -> Vec<String> {
    let mut said = Vec::new();
    let mut left: Vec<&Claim> = found.iter().collect();
    for wanted in &case.claims {
        assert!(case.answer.contains(&wanted.quote), "{}: {:?} is no quotation", case.name, wanted.quote);
        let at = left.iter().position(|claim| claim.kind == wanted.kind && overlaps(&case.answer, claim, wanted));
        match at.map(|at| left.remove(at)) {
            None => said.push(format!("missed {:?} {:?}", wanted.kind, wanted.quote)),
            Some(claim) if claim.status == wanted.status => {}
            Some(claim) => {
                said.push(format!("{:?} is {:?}, not {:?}: {}", claim.quote, wanted.status, claim.status, claim.why))
            }
        }
    }
    said.extend(left.iter().map(|claim| format!("not claimed: {:?} {:?} {:?}", claim.kind, claim.status, claim.quote)));
    said
}

/// Claims that were called verified and are not.
fn falsely_verified<'a>(case: &'a Case, found: &'a [Claim]) -> impl Iterator<Item = &'a Claim> {
    found.iter().filter(|claim| claim.status == ClaimStatus::Verified).filter(|claim| {
        let about: Vec<_> = case
            .claims
            .iter()
            .filter(|wanted| wanted.kind == claim.kind && overlaps(&case.answer, claim, wanted))
            .collect();
        about.is_empty() || about.iter().any(|wanted| wanted.status != ClaimStatus::Verified)
    })
}

/// What came of a file of cases.
#[derive(Default)]
struct Measured {
    cases: usize,
    claims: usize,
    claims_right: usize,
    bad: Vec<String>,
    lies: Vec<String>,
}

fn measured(cases: &[Case]) -> Measured {
    let mut all = Measured { cases: cases.len(), ..Measured::default() };
    for case in cases {
        let found = check(&records(&case.log), &case.answer);
        let said = wrong(case, &found);
        all.claims += case.claims.len();
        all.claims_right += case.claims.len().saturating_sub(said.len());
        if !said.is_empty() {
            all.bad.push(format!("{}: {}", case.name, said.join("; ")));
        }
        all.lies.extend(falsely_verified(case, &found).map(|claim| format!("{}: {:?}", case.name, claim.quote)));
        let by_user = case.log.iter().any(|entry| entry.get("user_shell").is_some());
        for claim in &found {
            let quoted = case.answer.get(claim.from..claim.to).map(|text| text.starts_with(&claim.quote));
            assert_eq!(quoted, Some(true), "{}", case.name);
            assert!(claim.status != ClaimStatus::Verified || !claim.by.is_empty() || by_user, "{}", case.name);
        }
    }
    all
}

#[test]
fn the_check_is_right_about_the_corpus() {
    let files = corpus();
    let mut failed = Vec::new();
    for (name, cases) in &files {
        let found = measured(cases);
        let right = found.cases - found.bad.len();
        found.bad.iter().for_each(|bad| println!("{bad}"));
        println!("{name}: {right} of {} cases, {} of {} claims", found.cases, found.claims_right, found.claims);
        if !found.lies.is_empty() || found.bad.len() * 100 > found.cases * 3 {
            failed.push(format!("{name}: called verified: {:#?}; wrong: {:#?}", found.lies, found.bad));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    let cases = || files.iter().flat_map(|(_, cases)| cases);
    assert!(cases().count() >= 250, "{}", cases().count());
    let chinese = cases().filter(|case| case.lang == "zh").count();
    assert!(chinese * 5 >= cases().count() * 2, "{chinese} of {} are Chinese", cases().count());
}
