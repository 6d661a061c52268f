//! Commands that go on behind their calls: begun through the gate and on the log, looked after, told of once, and gone when the
//! session goes elsewhere.

use crate::world::{World, end, turn};

use reasonix_agent::outcome_text;
use reasonix_engine::{Handle, Start, Which};
use reasonix_proto::{
    Choice, Done, Event, JobInfo, JobState, Mode, Op, Query, RecordBody, Reply, Rewind, Settled, ToolOutcome, TurnState,
};
use reasonix_testkit::{Recorded, Reply as Answer};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

fn background(line: &str) -> Answer {
    Answer::call("bash", json!({"command": line, "background": true}))
}

fn job(args: Value) -> Answer {
    Answer::call("job", args)
}

fn yolo(start: &mut Start) {
    start.attended = false;
}

async fn jobs(handle: &Handle) -> Vec<JobInfo> {
    match handle.query(Query::Jobs).await {
        Reply::Jobs { jobs } => jobs,
        other => panic!("{other:?}"),
    }
}

/// Waits for the record of a job's end.
async fn ended(handle: &mut Handle) -> JobInfo {
    loop {
        if let Event::Job { record, .. } = handle.events.next().await.expect("the session lives").event
            && let RecordBody::JobEnded(info) = record.body
        {
            return *info;
        }
    }
}

fn said(request: &Recorded) -> String {
    request.body["messages"].to_string()
}

fn lives(pid: &str) -> bool {
    Path::new("/proc").join(pid.trim()).join("status").exists()
}

/// Whether the tool is among those that a request offers.
fn offers_cron(request: &Recorded) -> bool {
    request.body["tools"].as_array().unwrap().iter().any(|tool| tool["function"]["name"] == "cron")
}

#[tokio::test]
async fn what_comes_back_is_listed_and_ended_like_a_job_and_is_none() {
    let world = World::new(vec![
        Answer::call("cron_create", json!({"cron_expression": "0 9 * * MON", "prompt": "x", "recurring": true})),
        Answer::call("cron", json!({"expression": "0 9 31 2 *", "prompt": "x"})),
        Answer::call("cron", json!({"expression": "*/5  9-17 * * 1-5", "prompt": "look at the build\nand mend it"})),
        job(json!({})),
        Answer::call("cron_list", json!({})),
        Answer::say("set"),
        Answer::say("no more"),
    ])
    .await;
    let mut handle = world.open_with(Which::New, |start| start.world.settings.jobs.cron = true);
    let texts: Vec<String> = turn(&mut handle, |_| panic!("nobody is asked")).await.iter().map(outcome_text).collect();
    assert!(texts[0].contains("the day of week \"MON\" cannot be read"), "{}", texts[0]);
    assert!(texts[1].contains("no day of the next years fits it"), "{}", texts[1]);
    assert!(texts[2].starts_with("Scheduled · ") && texts[2].contains("it ends after 7 days"), "{}", texts[2]);
    assert_eq!(texts[3], "No running background jobs to wait for.", "nobody waits for it");
    let [known] = <[JobInfo; 1]>::try_from(jobs(&handle).await).unwrap();
    assert_eq!((known.command.as_str(), known.description.as_str()), ("*/5 9-17 * * 1-5", "look at the build"));
    assert!(known.job.len() == 8 && texts[2].contains(&known.job) && texts[4].contains(&known.job), "{}", texts[4]);
    // The end of a job was not seen by the model, so its next prompt tells of it.
    assert_eq!(handle.submit(Op::StopJob { job: known.job.clone() }).settled().await, Settled::Done(Done::Applied));
    assert_eq!((ended(&mut handle).await.job, jobs(&handle).await.len()), (known.job, 1));
    assert!(offers_cron(&world.server.requests()[0]));
}

#[tokio::test]
async fn nothing_comes_back_unless_the_user_wants_that() {
    let world = World::new(vec![Answer::say("hi")]).await;
    let mut handle = world.open(Which::New);
    turn(&mut handle, |_| Choice::AllowOnce).await;
    assert!(!offers_cron(&world.server.requests()[0]));
}

#[tokio::test]
async fn a_server_goes_on_and_is_looked_after() {
    let world = World::new(vec![
        background("echo $$ > pid; echo Listening on 4000; read -t 600 < <(sleep 600)"),
        job(json!({"list": true})),
        job(json!({"poll": ["j1"], "now": true, "since": 0})),
        job(json!({"cancel": ["j1", "j9"]})),
        job(json!({"cancel": ["j1"]})),
        job(json!({})),
        Answer::say("done"),
    ])
    .await;
    let mut handle = world.open_with(Which::New, yolo);
    let outcomes = turn(&mut handle, |_| Choice::AllowOnce).await;
    let texts: Vec<String> = outcomes.iter().map(outcome_text).collect();
    assert!(texts[0].starts_with("j1 running") && texts[0].contains(", ready: echo $$"), "{}", texts[0]);
    assert!(texts[0].contains("pid ") && texts[0].contains("Listening on 4000"), "{}", texts[0]);
    assert!(texts[1].contains("## Still running (1)\nj1 running"), "{}", texts[1]);
    assert!(texts[2].contains("bytes 0 to 18") && texts[2].contains("Listening on 4000"), "{}", texts[2]);
    assert_eq!(texts[3], "## Cancelled (2)\nj1: cancelled\nj9: not_found");
    assert_eq!(texts[4], "## Cancelled (1)\nj1: already_completed");
    assert_eq!(texts[5], "No running background jobs to wait for.");
    assert!(!lives(&world.work.read("pid")), "it is gone with all that it started");
    let known = jobs(&handle).await;
    assert_eq!((known.len(), known[0].state), (1, JobState::Cancelled));
    assert!(!said(world.server.requests().last().expect("a request")).contains("[job j1"), "whoever ends one knows it");
    world.server.assert_valid();
    world.server.assert_prefixes_grow();
}

#[tokio::test]
async fn an_end_that_nobody_saw_is_told_once_with_the_next_prompt() {
    let world = World::new(vec![
        Answer::call("bash", json!({"command": "read x < go; echo bye; exit 3", "background": true, "wait": 0})),
        Answer::say("started"),
        Answer::say("heard"),
        job(json!({"poll": ["j1"]})),
        Answer::say("done"),
    ])
    .await;
    std::process::Command::new("mkfifo").arg(world.work.path().join("go")).status().expect("mkfifo");
    let mut handle = world.open_with(Which::New, yolo);
    let outcomes = turn(&mut handle, |_| Choice::AllowOnce).await;
    assert!(outcome_text(&outcomes[0]).contains("j1 running"), "{outcomes:?}");
    world.work.write("go", "x\n");
    let info = ended(&mut handle).await;
    assert_eq!((info.state, info.exit_code), (JobState::Failed, Some(3)));
    assert!(info.output.is_some(), "all of its output is kept");
    // The news follow the record at once.
    while !matches!(handle.events.next().await.expect("an event").event, Event::Notice { .. }) {}
    turn(&mut handle, |_| Choice::AllowOnce).await;
    let asked = said(&world.server.requests()[2]);
    assert!(asked.contains("[job j1 failed") && asked.contains("bye") && asked.contains("exit code 3"), "{asked}");
    let outcomes = turn(&mut handle, |_| Choice::AllowOnce).await;
    assert!(outcome_text(&outcomes[0]).contains("## Completed (1)\nj1 failed"), "{outcomes:?}");
    let asked = said(world.server.requests().last().expect("a request"));
    assert_eq!(asked.matches("[job j1 failed").count(), 1);
    world.server.assert_prefixes_grow();
}

#[tokio::test]
async fn who_waits_sees_the_first_end_and_is_not_told_again() {
    let world = World::new(vec![
        Answer::call("bash", json!({"command": "sleep 600", "background": true, "wait": 0})),
        Answer::call("run_background", json!({"command": "read x < go; echo bye", "wait": 0})),
        job(json!({"poll": ["j1", "j2"]})),
        Answer::say("done"),
    ])
    .await;
    std::process::Command::new("mkfifo").arg(world.work.path().join("go")).status().expect("mkfifo");
    let path = world.work.path().join("go");
    // It can be written to once somebody reads.
    let writing = std::thread::spawn(move || std::fs::write(path, "x\n"));
    let mut handle = world.open_with(Which::New, yolo);
    let outcomes = turn(&mut handle, |_| Choice::AllowOnce).await;
    writing.join().expect("a thread").expect("written");
    let text = outcome_text(&outcomes[2]);
    assert!(text.starts_with("## Completed (1)\nj2 completed"), "{text}");
    assert!(text.contains("## Still running (1)\nj1 running"), "{text}");
    assert!(!said(world.server.requests().last().expect("a request")).contains("[job j2"));
    end(handle).await;
}

#[tokio::test]
async fn no_more_than_may_run_do() {
    let world = World::new(vec![background("sleep 600"), background("sleep 600"), Answer::say("done")]).await;
    let mut handle = world.open_with(Which::New, |start| {
        yolo(start);
        start.world.settings.jobs.max = 1;
    });
    let outcomes = turn(&mut handle, |_| Choice::AllowOnce).await;
    assert!(
        matches!(&outcomes[1], ToolOutcome::Failed { message, .. } if message.contains("jobs.max")),
        "{outcomes:?}"
    );
    end(handle).await;
}

#[tokio::test]
async fn a_command_that_runs_out_of_its_time_goes_on_where_somebody_is() {
    let line = json!({"command": "echo begun; read x < go; echo finished", "timeout_seconds": 1});
    for (attended, set, goes_on) in [(true, None, true), (false, None, false), (true, Some(false), false)] {
        let call = Answer::call("bash", line.clone());
        let world = World::new(vec![call, job(json!({"poll": ["j1"], "now": true})), Answer::say("done")]).await;
        std::process::Command::new("mkfifo").arg(world.work.path().join("go")).status().expect("mkfifo");
        let mut handle = world.open_with(Which::New, |start| {
            start.attended = attended;
            start.world.settings.jobs.auto_background = set;
        });
        let outcomes = turn(&mut handle, |_| Choice::AllowOnce).await;
        let text = outcome_text(&outcomes[0]);
        assert!(text.contains("begun"), "{text}");
        assert_eq!(text.contains("goes on as a job"), goes_on, "{attended} {set:?}: {text}");
        assert_eq!(text.contains("timed out after 1 s"), !goes_on, "{text}");
        assert_eq!(jobs(&handle).await.len(), usize::from(goes_on));
        if goes_on {
            assert!(outcome_text(&outcomes[1]).contains("Still running (1)"), "{outcomes:?}");
            world.work.write("go", "x\n");
            assert_eq!(ended(&mut handle).await.state, JobState::Completed);
        }
        end(handle).await;
    }
}

#[tokio::test]
async fn planning_begins_and_ends_no_process() {
    let world = World::new(vec![
        background("sleep 600"),
        Answer::say("ok"),
        background("sleep 600"),
        Answer::call("stop_job", json!({"jobId": "1"})),
        Answer::call("monitor", json!({"command": "tail -f x", "kind": "log", "description": "x"})),
        job(json!({"list": true})),
        Answer::say("planned"),
    ])
    .await;
    let mut handle = world.open(Which::New);
    turn(&mut handle, |_| Choice::AllowOnce).await;
    handle.submit(Op::SetMode { mode: Mode::Plan });
    let outcomes = turn(&mut handle, |asking| panic!("nobody is asked: {asking:?}")).await;
    let denied = outcomes[..3].iter().all(|outcome| matches!(outcome, ToolOutcome::Denied { .. }));
    assert!(denied, "{outcomes:#?}");
    assert!(outcome_text(&outcomes[3]).contains("Still running (1)"), "{outcomes:?}");
    end(handle).await;
}

#[tokio::test]
async fn jobs_end_before_the_session_goes_elsewhere_and_with_it() {
    let begin = || background("echo $$ > pid; trap '' TERM; echo Listening on 1; while :; do sleep 1; done");
    let world = World::new(vec![begin(), Answer::say("a"), begin(), Answer::say("b")]).await;
    let mut handle = world.open(Which::New);
    turn(&mut handle, |_| Choice::AllowOnce).await;
    let first = world.work.read("pid");
    assert!(lives(&first));
    let settled = handle.submit(Op::Rewind { turn: 1, what: Rewind::Chat, summary: None }).settled().await;
    assert!(!lives(&first), "also one that does not want to: {settled:?}");
    turn(&mut handle, |_| Choice::AllowOnce).await;
    let second = world.work.read("pid");
    assert!(lives(&second));
    end(handle).await;
    assert!(!lives(&second));
}

#[tokio::test]
async fn a_list_has_the_last_lines_of_each() {
    let write = "for n in $(seq 30); do echo line $n; done";
    let world = World::new(vec![background(write), Answer::say("begun")]).await;
    let mut handle = world.open(Which::New);
    turn(&mut handle, |_| Choice::AllowOnce).await;
    while jobs(&handle).await[0].state == JobState::Running {
        tokio::task::yield_now().await;
    }
    let tail = jobs(&handle).await.remove(0).tail;
    assert!(tail.starts_with("line 21\n") && tail.ends_with("line 30"), "{tail}");
}

#[tokio::test]
async fn a_person_ends_one_and_the_model_hears_of_it() {
    let world = World::new(vec![background("sleep 600"), Answer::say("a"), Answer::say("b")]).await;
    let mut handle = world.open(Which::New);
    turn(&mut handle, |_| Choice::AllowOnce).await;
    let stopped = handle.submit(Op::StopJob { job: "j7".into() }).settled().await;
    assert!(matches!(stopped, Settled::Refused(_)), "{stopped:?}");
    assert_eq!(handle.submit(Op::StopJob { job: "j1".into() }).settled().await, Settled::Done(Done::Applied));
    assert_eq!(ended(&mut handle).await.state, JobState::Cancelled);
    while !matches!(handle.events.next().await.expect("an event").event, Event::Notice { .. }) {}
    turn(&mut handle, |_| Choice::AllowOnce).await;
    assert!(said(&world.server.requests()[2]).contains("[job j1 cancelled"));
}

#[tokio::test]
async fn a_monitor_tells_its_lines_between_steps() {
    let world = World::new(vec![
        Answer::call(
            "monitor",
            json!({"command": "echo oops >&2; echo first; echo second; sleep 600", "kind": "log",
            "description": "what goes wrong"}),
        ),
        Answer::say("watching"),
        Answer::say("seen"),
        Answer::call("monitor", json!({"command": "echo a; echo b; exit 0", "kind": "poll", "persistent": true})),
        job(json!({"poll": ["j2"]})),
        Answer::say("end"),
        Answer::say("last"),
    ])
    .await;
    let mut handle = world.open_with(Which::New, yolo);
    let outcomes = turn(&mut handle, |_| Choice::AllowOnce).await;
    assert_eq!(outcome_text(&outcomes[0]), "Monitor started · task j1 · persistent: false");
    if !jobs(&handle).await.iter().all(|job| job.state == JobState::Cancelled) {
        assert_eq!(ended(&mut handle).await.state, JobState::Cancelled, "it ends with its first line");
    }
    turn(&mut handle, |_| Choice::AllowOnce).await;
    // It is told between the steps of the turn that began it, or with the next prompt.
    let asked = said(&world.server.requests()[2]);
    let told = asked.split("<task-notification").nth(1).and_then(|rest| rest.split("</task-notification").next());
    let told = told.unwrap_or_else(|| panic!("{asked}"));
    assert!(told.contains("first") && told.contains("what goes wrong"), "{told}");
    assert!(!told.contains("second") && !told.contains("oops"), "{told}");
    turn(&mut handle, |_| Choice::AllowOnce).await;
    turn(&mut handle, |_| Choice::AllowOnce).await;
    let asked = said(world.server.requests().last().expect("a request"));
    assert_eq!(asked.matches("</task-notification").count(), 3, "{asked}");
    world.server.assert_prefixes_grow();
}

/// A log that ends while a job runs is that of a process that died.
#[tokio::test]
async fn a_job_of_a_process_that_is_gone_is_told_as_lost_once() {
    let world = World::new(vec![background("sleep 600"), Answer::say("a"), Answer::say("b"), Answer::say("c")]).await;
    let mut handle = world.open(Which::New);
    turn(&mut handle, |_| Choice::AllowOnce).await;
    let session = end(handle).await;
    let folder = world.home.path().join("state/sessions");
    let mut file = std::fs::read_dir(&folder).expect("sessions").flatten().map(|entry| entry.path());
    let file = file.find(|path| path.extension().is_some_and(|end| end == "jsonl")).expect("a log");
    let log = std::fs::read_to_string(&file).expect("a log");
    let cut: Vec<&str> = log.lines().take_while(|line| !line.contains("job_ended")).collect();
    std::fs::write(&file, cut.join("\n") + "\n").expect("written");
    for (place, times) in [(2, 1), (3, 1)] {
        let mut handle = world.open_when_free(Which::Resume(session.clone())).await;
        let mut warned = 0;
        handle.submit(Op::Prompt { text: "go".into(), resolved: true });
        let mut over = false;
        while !over {
            match handle.events.next().await.expect("an event").event {
                Event::Notice { phrase, .. } => warned += usize::from(phrase.code == "engine.job_lost"),
                Event::State { state: TurnState::Idle } => over = world.server.request_count() > place,
                _ => {}
            }
        }
        assert_eq!(warned, usize::from(place == 2), "a person is told once");
        let asked = said(&world.server.requests()[place]);
        assert_eq!(asked.matches("[job j1 (sleep 600) is gone").count(), times, "{asked}");
        end(handle).await;
    }
}

/// A job that ended with its session, in good order, is gone for the model that goes on with it: that is told with its next prompt, once.
#[tokio::test]
async fn a_job_that_ended_with_its_session_is_told_once() {
    let world = World::new(vec![background("sleep 600"), Answer::say("a"), Answer::say("b"), Answer::say("c")]).await;
    let mut handle = world.open(Which::New);
    turn(&mut handle, |_| Choice::AllowOnce).await;
    let session = end(handle).await;
    // Whoever only looks in has told nobody.
    end(world.open_when_free(Which::Resume(session.clone())).await).await;
    for place in [2, 3] {
        let mut handle = world.open_when_free(Which::Resume(session.clone())).await;
        turn(&mut handle, |_| Choice::AllowOnce).await;
        let asked = said(&world.server.requests()[place]);
        assert_eq!(asked.matches("[job j1 (sleep 600) is gone: it was ended with the session").count(), 1, "{asked}");
        end(handle).await;
    }
    world.server.assert_prefixes_grow();
}

/// What one job of the session serves, its other commands reach; nothing else of the machine is opened.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_of_a_job_is_reached_by_commands_of_the_session() {
    if !crate::world::has_box() || std::process::Command::new("python3").arg("--version").output().is_err() {
        return;
    }
    let serve = "exec python3 -u -c \"import socket; s=socket.socket(); s.bind(('127.0.0.1',8123)); s.listen(); \
        print('Listening on 8123')\nwhile True: c,_=s.accept(); c.sendall(b'PELICAN'+b'!'); c.close()\"";
    let outside = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = outside.local_addr().expect("an address").port();
    let reach = |port: u16| {
        let line = format!("touch asked && head -n1 < /dev/tcp/127.0.0.1/{port}");
        Answer::call("bash", json!({"command": line, "timeout_seconds": 20}))
    };
    let world = World::new(vec![background(serve), reach(8123), reach(port), Answer::say("done")]).await;
    let mut handle = world.open_with(Which::New, |start| {
        yolo(start);
        start.world.settings.sandbox = reasonix_config::SandboxSettings::default();
    });
    let outcomes = turn(&mut handle, |_| Choice::AllowOnce).await;
    let texts: Vec<String> = outcomes.iter().map(outcome_text).collect();
    assert!(texts[0].contains("ready"), "{texts:?}");
    assert!(texts[1].contains("PELICAN!"), "{texts:?}");
    assert!(texts[2].contains("refused"), "{texts:?}");
    tokio::time::timeout(Duration::from_secs(30), end(handle)).await.expect("it ends");
}

/// A time that no clock has is as long as there is any.
#[tokio::test]
async fn a_monitor_may_ask_for_any_time() {
    let call = json!({"command": "echo hi; read -t 600 < <(sleep 600)", "timeout": u64::MAX, "persistent": true});
    let world = World::new(vec![Answer::call("monitor", call), Answer::say("ok")]).await;
    let mut handle = world.open_with(Which::New, yolo);
    turn(&mut handle, |_| Choice::AllowOnce).await;
    let known = jobs(&handle).await;
    assert!(known.iter().all(|job| job.state == JobState::Running) && known.len() == 1, "{known:?}");
    end(handle).await;
}

/// Somebody waits for what a check comes to: it ends when its time is over, also where other commands go on.
#[tokio::test]
async fn a_check_that_runs_out_of_its_time_has_not_passed_and_does_not_go_on() {
    let edit = Answer::call("write_file", json!({"path": "a.py", "content": "x"}));
    let world = World::new(vec![edit, Answer::say("done"), Answer::say("next")]).await;
    let mut handle = world.open_with(Which::New, |start| {
        start.world.settings.validation.command = Some("sleep 1000".to_owned());
        start.world.settings.validation.timeout_seconds = 1;
    });
    turn(&mut handle, |_| Choice::AllowOnce).await;
    assert_eq!(jobs(&handle).await, []);
    turn(&mut handle, |_| Choice::AllowOnce).await;
    let asked = said(world.server.requests().last().expect("a request"));
    assert!(asked.contains("`sleep 1000` had not passed"), "{asked}");
}

/// What waits to be told goes with one prompt: many monitors together say no more than fits there.
#[tokio::test]
async fn what_monitors_say_together_has_a_bound() {
    let line = "一".repeat(400);
    let command = format!("for n in $(seq 15); do echo {line}; done; read -t 600 < <(sleep 600)");
    let monitor = ("monitor", json!({"command": command, "persistent": true, "description": "x".repeat(5000)}));
    let calls: Vec<(&str, Value)> = std::iter::repeat_n(monitor, 8).collect();
    let world = World::new(vec![Answer::calls(&calls), Answer::say("ok"), Answer::say("next")]).await;
    let mut handle = world.open_with(Which::New, yolo);
    turn(&mut handle, |_| Choice::AllowOnce).await;
    // All of their lines were read.
    let size = 15 * (line.len() as u64 + 1);
    while jobs(&handle).await.iter().any(|job| job.bytes < size) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    turn(&mut handle, |_| Choice::AllowOnce).await;
    let requests = world.server.requests();
    let sizes: Vec<usize> = requests.iter().map(|request| said(request).len()).collect();
    assert!(sizes.windows(2).all(|sizes| sizes[1] - sizes[0] < 80_000), "{sizes:?}");
    assert!(said(requests.last().expect("a request")).contains("than can be told at once"), "{sizes:?}");
    end(handle).await;
}

/// What is hidden from commands lies bare to a job when it comes to be, or is replaced: the job ends, and everybody is told.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn c4_a_secret_that_comes_or_is_replaced_ends_the_job_and_everybody_is_told() {
    if !crate::world::has_box() {
        return;
    }
    let reads = json!({"command": "while :; do cat .env; sleep 0.5; done", "background": true, "wait": 0});
    let begins = || Answer::call("bash", reads.clone());
    let world =
        World::new(vec![begins(), Answer::say("a"), begins(), Answer::say("b"), Answer::say("c"), Answer::say("d")])
            .await;
    let mut handle = world.open_with(Which::New, |start| {
        yolo(start);
        start.world.settings.sandbox = reasonix_config::SandboxSettings::default();
    });
    let cases =
        [("engine.exposed_new", "came to be while it ran"), ("engine.exposed_hidden", "was replaced while it ran")];
    for (code, told) in cases {
        turn(&mut handle, |_| Choice::AllowOnce).await;
        world.work.write("saved", "KEY=pelican\n");
        std::fs::rename(world.work.path().join("saved"), world.work.path().join(".env")).expect("saved");
        let (mut noticed, mut over) = (false, false);
        while !noticed || !over {
            match handle.events.next().await.expect("the session lives").event {
                Event::Notice { phrase, .. } => noticed |= phrase.code == code,
                Event::Job { record, .. } => {
                    if let RecordBody::JobEnded(info) = record.body {
                        assert_eq!(info.state, JobState::Failed);
                        over = true;
                    }
                }
                _ => {}
            }
        }
        let before = world.server.request_count();
        if code == "engine.exposed_hidden" {
            turn(&mut handle, |_| Choice::AllowOnce).await;
            let asked = said(&world.server.requests()[before]);
            assert!(asked.contains(told) && asked.contains("came to be while it ran"), "{asked}");
        }
    }
    tokio::time::timeout(Duration::from_secs(30), end(handle)).await.expect("it ends");
}

/// What a job writes during a turn that itself only asks is that turn's, and is taken back with it.
#[tokio::test]
async fn what_a_job_writes_during_a_later_turn_is_taken_back_with_that_turn() {
    let writes = "read x < go; rm kept; echo new > made; echo late > own; touch done; sleep 600";
    let call =
        json!({"command": format!("echo mine > own; echo Listening on 1; {writes}"), "background": true, "wait": 30});
    let asks = Answer::call("bash", json!({"command": "touch never"}));
    let world = World::new(vec![Answer::call("bash", call), Answer::say("a"), asks, Answer::say("b")]).await;
    let root = world.work.path();
    world.work.write("kept", "old\n");
    std::process::Command::new("mkfifo").arg(root.join("go")).status().expect("mkfifo");
    let mut handle = world.open(Which::New);
    turn(&mut handle, |_| Choice::AllowOnce).await;
    let release = |_: &reasonix_proto::Asking| {
        std::fs::write(root.join("go"), "x\n").expect("it reads");
        while !root.join("done").exists() {
            std::thread::yield_now();
        }
        Choice::Deny
    };
    turn(&mut handle, release).await;
    assert!(!root.join("kept").exists() && root.join("made").exists());
    let settled = handle.submit(Op::Rewind { turn: 2, what: Rewind::Files, summary: None }).settled().await;
    assert!(matches!(settled, Settled::Done(_)), "{settled:?}");
    assert_eq!(std::fs::read_to_string(root.join("kept")).expect("it is back"), "old\n");
    assert!(!root.join("made").exists() && !root.join("done").exists());
    assert_eq!(std::fs::read_to_string(root.join("own")).expect("it is back"), "mine\n");
    end(handle).await;
}
