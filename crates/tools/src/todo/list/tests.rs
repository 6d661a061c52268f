use crate::{TodoList, todo_tools};
use pretty_assertions::assert_eq;
use reasonix_agent::{Args, Call, Stop, Tool};
use reasonix_proto::{CallId, Family, ReadOnly, TodoPhase, ToolOutcome};
use serde_json::{Value, json};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

fn args(value: Value) -> Args {
    value.as_object().cloned().unwrap()
}

fn call<'a>(id: &'a CallId, args: &'a Args, wanted: &'a std::sync::OnceLock<Vec<String>>) -> Call<'a> {
    Call { id, args, class: reasonix_agent::Class::Writer, wanted, stop: Stop::new(), progress: &|_| {} }
}

fn run(tool: &Arc<dyn Tool>, input: Value) -> (String, Option<Vec<TodoPhase>>) {
    let (id, input) = (CallId::from("1"), args(input));
    let wanted = std::sync::OnceLock::new();
    let mut future = tool.run(call(&id, &input, &wanted));
    let Poll::Ready(outcome) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
        panic!("a todo tool never waits")
    };
    match outcome {
        ToolOutcome::Done { content, details } => (content.into_words(), details.todo),
        other => (format!("{other:?}"), None),
    }
}

/// Applies batches to a new list; the text after the last one.
fn after(batches: &[Value]) -> String {
    let tools = todo_tools(&TodoList::default());
    batches.iter().fold(String::new(), |_, ops| run(&tools[0], json!({"ops": ops})).0)
}

fn two_phases() -> Value {
    json!([{"op": "init", "list": [{"phase": "A", "items": ["a1", "a2"]}, {"phase": "B", "items": ["b1"]}]}])
}

#[test]
fn operations_change_the_list() {
    let table = [
        (json!([]), "Failed { message: \"ops is empty: there is nothing to do\", hint: None, code: None }"),
        (json!([{"op": "start", "task": "b1"}]), "A\n[ ] a1\n[ ] a2\nB\n[~] b1"),
        (json!([{"op": "done", "task": "a1"}]), "A\n[x] a1\n[~] a2\nB\n[ ] b1"),
        (json!([{"op": "drop", "task": "a1"}]), "A\n[-] a1\n[~] a2\nB\n[ ] b1"),
        (json!([{"op": "rm", "task": "a1"}]), "A\n[~] a2\nB\n[ ] b1"),
        (json!([{"op": "done", "phase": "A"}]), "A\n[x] a1\n[x] a2\nB\n[~] b1"),
        (json!([{"op": "drop", "phase": "B"}]), "A\n[~] a1\n[ ] a2\nB\n[-] b1"),
        (json!([{"op": "rm", "phase": "A"}]), "B\n[~] b1"),
        (json!([{"op": "done"}]), "A\n[x] a1\n[x] a2\nB\n[x] b1"),
        (json!([{"op": "rm"}]), "Todo list cleared."),
        (json!([{"op": "init", "list": []}]), "Todo list cleared."),
        (json!([{"op": "append", "phase": "B", "items": ["b2"]}]), "A\n[~] a1\n[ ] a2\nB\n[ ] b1\n[ ] b2"),
        (json!([{"op": "append", "phase": "C", "items": ["c1"]}]), "A\n[~] a1\n[ ] a2\nB\n[ ] b1\nC\n[ ] c1"),
        (
            json!([{"op": "note", "task": "a2", "text": "see x\ny \n"}]),
            "A\n[~] a1\n[ ] a2\n    > see x\n    > y\nB\n[ ] b1",
        ),
        (json!([{"op": "done", "task": "a1"}, {"op": "start", "task": "a1"}]), "A\n[~] a1\n[ ] a2\nB\n[ ] b1"),
        (json!([{"op": "drop", "task": "a1"}, {"op": "done", "task": "a1"}]), "A\n[x] a1\n[~] a2\nB\n[ ] b1"),
        (json!([{"op": "start", "task": "a2"}, {"op": "done", "task": "a2"}]), "A\n[~] a1\n[x] a2\nB\n[ ] b1"),
    ];
    for (ops, wanted) in table {
        assert_eq!(after(&[two_phases(), ops.clone()]), wanted, "{ops}");
    }
}

#[test]
fn what_is_wrong_is_collected_and_the_rest_is_done() {
    let table = [
        (json!({"op": "init"}), "Missing list for init operation"),
        (json!({"op": "start"}), "Missing task content"),
        (json!({"op": "done", "task": " "}), "Missing task content"),
        (json!({"op": "note", "text": "x"}), "Missing task content"),
        (json!({"op": "start", "task": "zz"}), "Task \"zz\" not found"),
        (json!({"op": "rm", "task": "zz"}), "Task \"zz\" not found"),
        (json!({"op": "done", "phase": ""}), "Missing phase name"),
        (json!({"op": "done", "phase": "Z"}), "Phase \"Z\" not found"),
        (json!({"op": "append", "items": ["x"]}), "Missing phase name for append operation"),
        (json!({"op": "append", "phase": "A"}), "Missing items for append operation"),
        (json!({"op": "append", "phase": "A", "items": []}), "Missing items for append operation"),
        (json!({"op": "append", "phase": "A", "items": ["b1"]}), "Task \"b1\" already exists"),
        (json!({"op": "note", "task": "a1"}), "Missing text for note operation"),
    ];
    for (op, error) in table {
        let text = after(&[two_phases(), json!([op, {"op": "done", "task": "a1"}])]);
        assert_eq!(text, format!("Errors: {error}\nA\n[x] a1\n[~] a2\nB\n[ ] b1"), "{op}");
    }
    let text = after(&[json!([{"op": "done", "task": "x"}])]);
    assert_eq!(text, "Errors: Task \"x\" not found (the list is empty: begin with init)");
    let text = after(&[two_phases(), json!([{"op": "rm", "task": "a1"}, {"op": "rm", "task": "a1"}])]);
    assert!(text.starts_with("Errors: Task \"a1\" not found\n"), "{text}");
}

#[test]
fn other_shapes_are_understood() {
    let tools = todo_tools(&TodoList::default());
    let whole = json!({"todos": [
        {"content": "one", "status": "completed"},
        {"content": "two", "status": "in_progress", "activeForm": "doing two"},
        {"content": "three", "status": "in_progress"},
        {"content": "four", "status": "cancelled"},
        "five",
    ]});
    assert_eq!(run(&tools[0], whole).0, "[x] one\n[~] two\n[ ] three\n[-] four\n[ ] five");
    assert_eq!(
        run(&tools[0], json!({"op": "done", "task": "two"})).0,
        "[x] one\n[x] two\n[~] three\n[-] four\n[ ] five"
    );
    let (text, _) = run(&tools[0], json!({"ops": [{"op": "explode"}]}));
    assert!(text.contains("unknown variant `explode`"), "{text}");
    assert!(run(&tools[0], json!({})).0.contains("missing field `ops`"));
}

#[test]
fn a_list_is_shared_read_and_restored() {
    let list = TodoList::default();
    let tools = todo_tools(&list);
    assert_eq!(run(&tools[1], json!({})), ("Todo list is empty.".to_owned(), Some(Vec::new())));
    let (text, todo) = run(&tools[0], json!({"ops": two_phases()}));
    assert_eq!(todo, Some(list.phases()));
    assert_eq!(run(&tools[1], json!({})), (text.clone(), todo.clone()));
    let resumed = TodoList::default();
    resumed.restore(todo.unwrap());
    assert_eq!(run(&todo_tools(&resumed)[1], json!({})).0, text);
}

#[test]
fn the_work_is_done_when_the_call_starts() {
    let list = TodoList::default();
    let tools = todo_tools(&list);
    let (id, input) = (CallId::from("1"), args(json!({"ops": two_phases()})));
    let wanted = std::sync::OnceLock::new();
    let waiting = tools[0].run(call(&id, &input, &wanted));
    assert_eq!(list.phases().len(), 2, "calls of one step keep their order without waiting for each other");
    drop(waiting);
}

#[test]
fn the_gate_sees_bookkeeping() {
    let tools = todo_tools(&TodoList::default());
    let action = tools[0].action(&args(json!({"ops": [{"op": "start", "task": "a"}, {"op": "done"}]})));
    assert_eq!((action.family, action.title().as_str()), (Family::Own, "start a, done all"));
    assert_eq!(action.read_only, ReadOnly::Yes, "nobody is asked");
    assert_eq!(tools[1].action(&Args::new()).read_only, ReadOnly::Yes);
    for (tool, alias) in tools.iter().zip(["todowrite", "todoread"]) {
        assert!(tool.aliases().contains(&alias));
    }
    let bytes: usize = tools.iter().map(|tool| serde_json::to_string(tool.spec()).unwrap().len()).sum();
    println!("{bytes} bytes");
    assert!(bytes <= 1000, "{bytes} bytes: {}", serde_json::to_string(tools[0].spec()).unwrap());
}

/// What the user approved is ticked off with proof and changed with their yes, not by rewriting the list.
#[test]
fn an_approved_plan_is_not_the_models_to_write() {
    use reasonix_proto::PlanStep;
    let step =
        |id: &str| PlanStep { id: id.to_owned(), title: format!("step {id}"), action: String::new(), risk: None };
    let list = TodoList::default();
    let tools = todo_tools(&list);
    run(&tools[0], json!({"op": "init", "list": [{"phase": "Plan", "items": ["1. forged"]}]}));
    assert_eq!(super::super::plan::plan_steps(&list.phases()), [], "a name makes no plan");
    let plan = list.begin_plan(&[step("1"), step("2")])[0].clone();
    for op in [
        json!({"op": "done", "task": plan.tasks[0].content}),
        json!({"op": "rm", "task": plan.tasks[1].content}),
        json!({"op": "drop", "phase": "Plan"}),
        json!({"op": "append", "phase": "Plan", "items": ["3. forged"]}),
        json!({"op": "done"}),
        json!({"op": "rm"}),
        json!({"op": "init", "list": [{"phase": "Plan", "items": ["9. other"]}]}),
        json!({"todos": [{"content": plan.tasks[0].content, "status": "completed"}]}),
    ] {
        run(&tools[0], op.clone());
        assert_eq!(list.phases()[0], plan, "{op}");
    }
    run(&tools[0], json!({"op": "start", "task": plan.tasks[1].content}));
    assert_eq!(list.phases()[0].tasks[1].status, reasonix_proto::TodoStatus::InProgress);
}
