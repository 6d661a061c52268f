//! `ask`: puts questions to the user and waits for what they say.

use crate::people::{Asker, People};
use reasonix_agent::{Args, Call, ToolTraits, parse_args};
use reasonix_gate::QuestionEnd;
use reasonix_proto::{Action, Details, Family, Question, ReadOnly, Response, Suggestion, ToolOutcome};
use reasonix_tools::{ToolWork, TypedTool};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

/// Questions of one call, options of one question, and characters of a text at most.
const MOST_QUESTIONS: usize = 6;
const MOST_OPTIONS: usize = 9;
const LONGEST: usize = 2000;

/// What to do without an answer.
const UNANSWERED: &str =
    "decide yourself, go on, and say in your answer what you assumed and that it was your assumption";

/// What kind of failure it is that nobody decided.
const ASSUMPTION: &str = "model_assumption";

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    questions: Vec<Item>,
}

#[derive(Deserialize, JsonSchema)]
struct Item {
    #[serde(alias = "text", alias = "prompt")]
    question: String,
    #[serde(default, alias = "choices")]
    options: Vec<Choice>,
    /// Several may be chosen.
    #[serde(default, alias = "multiple", alias = "multiSelect", alias = "multi_select")]
    multi: bool,
    /// Your own choice, by place from 0.
    #[serde(default)]
    #[schemars(with = "usize")]
    recommended: Option<usize>,
}

/// An option: its label, or more about it as other harnesses write it.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(with = "String")]
enum Choice {
    Label(String),
    Whole {
        #[serde(alias = "title", alias = "name", alias = "value")]
        label: String,
        #[serde(default, alias = "description", alias = "summary")]
        note: String,
    },
}

/// Asks these people.
pub(super) struct Ask(pub(super) Arc<People>);

impl TypedTool for Ask {
    type Input = Input;
    const NAME: &'static str = reasonix_proto::tools::ASK;
    const PROMPT: &'static str = include_str!("ask.md");
    const ALIASES: &'static [&'static str] =
        &["ask_choice", "ask_user", "ask_user_question", "askuserquestion", "ask_followup_question", "question"];
    const TRAITS: ToolTraits = ToolTraits { inward: true, ..ToolTraits::ASKS }.rarely();
    const WORK: ToolWork<Self> =
        ToolWork::Waits(|Self(people), input: Input, call| Box::pin(asked(people, input, call)));

    /// A list, or a single question.
    fn parse(args: &Args) -> Result<Input, ToolOutcome> {
        match args.contains_key("questions") {
            true => parse_args(args),
            false => Ok(Input { questions: vec![parse_args(args)?] }),
        }
    }

    fn action(&self, input: Option<Input>, _args: &Args) -> Action {
        let questions = input.and_then(|input| questions(input).ok()).unwrap_or_default();
        let subjects = questions.into_iter().map(|question| question.question).collect();
        Action { family: Family::Own, subjects, read_only: ReadOnly::Yes }
    }
}

async fn asked(people: &People, input: Input, call: Call<'_>) -> ToolOutcome {
    let questions = match questions(input) {
        Ok(questions) => questions,
        Err(outcome) => return outcome,
    };
    let said = tokio::select! {
        biased;
        () = call.stop.cancelled() => return ToolOutcome::Aborted,
        said = people.inquire(Asker::Model(call.id), questions.clone()) => said,
    };
    match said {
        QuestionEnd::Answered((responses, client)) => {
            ToolOutcome::detailed(told(&questions, &responses), Details { client, ..Details::default() })
        }
        QuestionEnd::Nobody => assumed("nobody is here to answer", &questions),
        QuestionEnd::TimedOut(time) => assumed(&format!("nobody answered within {} s", time.as_secs()), &questions),
    }
}

/// What stands in place of an answer: what the model recommended itself, marked as its own assumption and never as the user's word.
fn assumed(why: &str, questions: &[Question]) -> ToolOutcome {
    let of = |question: &Question| question.recommended.and_then(|place| question.options.get(place)).cloned();
    if questions.iter().all(|question| of(question).is_none()) {
        let (message, hint) = (why.to_owned(), Some(UNANSWERED.to_owned()));
        return ToolOutcome::Failed { message, hint, code: Some(ASSUMPTION.to_owned()) };
    }
    let line = |question: &Question| match of(question) {
        Some(own) => format!("- {}: {} (your own recommendation)", question.question, own.label),
        None => format!("- {}: decide yourself", question.question),
    };
    let lines: Vec<String> = questions.iter().map(line).collect();
    let text = format!(
        "[Your own assumption, not a decision of the user: {why}]\n{}\nGo on with that, and say in your answer what you assumed.",
        lines.join("\n")
    );
    ToolOutcome::detailed(text, Details { assumed: true, ..Details::default() })
}

/// The questions of a call, as they are put to people.
fn questions(input: Input) -> Result<Vec<Question>, ToolOutcome> {
    let items = input.questions;
    let questions: Vec<Question> =
        items.into_iter().enumerate().map(|(at, item)| question(at, item)).filter(|q| !q.question.is_empty()).collect();
    let longest = |question: &Question| question.options.len() > MOST_OPTIONS;
    if questions.is_empty() {
        return Err(ToolOutcome::failed_with("there is no question", "send at least one with its text"));
    }
    if questions.len() > MOST_QUESTIONS || questions.iter().any(longest) {
        let message =
            format!("at most {MOST_QUESTIONS} questions with {MOST_OPTIONS} options each can be asked at once");
        return Err(ToolOutcome::failed_with(message, "ask what matters most"));
    }
    Ok(questions)
}

fn question(at: usize, item: Item) -> Question {
    let options: Vec<Suggestion> = item.options.into_iter().map(suggestion).filter(|o| !o.label.is_empty()).collect();
    let recommended = item.recommended.filter(|place| *place < options.len());
    Question { id: (at + 1).to_string(), question: short(&item.question), options, multi: item.multi, recommended }
}

fn suggestion(choice: Choice) -> Suggestion {
    let (label, note) = match choice {
        Choice::Label(label) => (label, String::new()),
        Choice::Whole { label, note } => (label, note),
    };
    // The mark is ours to set.
    let label = label.trim().trim_end_matches("(Recommended)").trim_end_matches("(recommended)");
    Suggestion { label: short(label), note: short(&note) }
}

fn short(text: &str) -> String {
    text.trim().chars().take(LONGEST).collect()
}

/// What the model reads.
fn told(questions: &[Question], responses: &[Response]) -> String {
    let of = |question: &Question| responses.iter().find(|response| response.question == question.id);
    let said: Vec<(&Question, Option<&Response>)> =
        questions.iter().map(|question| (question, of(question).filter(|said| said.says_something()))).collect();
    match said.as_slice() {
        all if all.iter().all(|(_, said)| said.is_none()) => {
            "The user does not want to answer. Do not ask again: go on with what you know and say what you assumed, or stop."
                .to_owned()
        }
        [(_, Some(said))] => match (&said.text, said.chosen.is_empty()) {
            (Some(text), true) => format!("User provided custom input: {}", text.trim()),
            _ => format!("User selected: {}", words(said)),
        },
        all => {
            let line = |(question, said): &(&Question, Option<&Response>)| {
                format!("- {}: {}", question.question, said.map_or_else(|| "(no answer)".to_owned(), words))
            };
            format!("User answers:\n{}", all.iter().map(line).collect::<Vec<_>>().join("\n"))
        }
    }
}

fn words(said: &Response) -> String {
    let own = said.text.as_ref().filter(|text| !text.trim().is_empty()).map(|text| format!("\"{}\"", text.trim()));
    said.chosen.iter().cloned().chain(own).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{Ask, told};
    use reasonix_proto::{Question, Response, ToolOutcome};
    use reasonix_tools::TypedTool as _;
    use serde_json::{Value, json};

    fn questions(value: Value) -> Result<Vec<Question>, ToolOutcome> {
        super::questions(Ask::parse(&value.as_object().cloned().unwrap_or_default())?)
    }

    fn response(question: &str, chosen: &[&str], text: Option<&str>) -> Response {
        let chosen = chosen.iter().map(|label| (*label).to_owned()).collect();
        Response { question: question.to_owned(), chosen, text: text.map(str::to_owned) }
    }

    #[test]
    fn every_shape_is_read() {
        for (given, count, labels) in [
            (json!({"questions": [{"question": "DB?", "options": ["A", "B (Recommended)"]}]}), 1, vec!["A", "B"]),
            (json!({"question": "DB?", "options": [{"title": "A", "summary": "x"}, {"label": ""}]}), 1, vec!["A"]),
            (json!({"questions": [{"question": "Name?"}, {"question": " "}]}), 1, vec![]),
            (json!({"questions": [{"question": "1"}, {"question": "2"}]}), 2, vec![]),
        ] {
            let found = questions(given.clone()).unwrap_or_default();
            assert_eq!(found.len(), count, "{given}");
            let found: Vec<_> = found.iter().flat_map(|q| q.options.iter().map(|o| o.label.as_str())).collect();
            assert_eq!(found, labels, "{given}");
        }
        for given in [
            json!({}),
            json!({"questions": []}),
            json!({"questions": [{"question": "?", "options": (0..10).map(|n| n.to_string()).collect::<Vec<_>>()}]}),
            json!({"questions": (0..7).map(|n| json!({"question": n.to_string()})).collect::<Vec<_>>()}),
        ] {
            assert!(matches!(questions(given), Err(ToolOutcome::Failed { .. })));
        }
        let place = questions(json!({"question": "?", "options": ["A"], "recommended": 3})).unwrap_or_default();
        assert_eq!(place.first().and_then(|question| question.recommended), None);
    }

    #[test]
    fn what_was_said_is_told_in_words() {
        let one = questions(json!({"question": "DB?", "options": ["A", "B"]})).unwrap_or_default();
        let two = questions(json!({"questions": [{"question": "DB?"}, {"question": "Name?"}]})).unwrap_or_default();
        for (asked, said, text) in [
            (&one, vec![response("1", &["B"], None)], "User selected: B"),
            (&one, vec![response("1", &["A", "B"], Some("and C"))], "User selected: A, B, \"and C\""),
            (&one, vec![response("1", &[], Some(" neither "))], "User provided custom input: neither"),
            (&two, vec![response("2", &[], Some("x"))], "User answers:\n- DB?: (no answer)\n- Name?: \"x\""),
        ] {
            assert_eq!(told(asked, &said), text);
        }
        for nothing in [vec![], vec![response("1", &[], Some(" "))], vec![response("9", &["A"], None)]] {
            assert!(told(&one, &nothing).starts_with("The user does not want to answer."));
        }
    }
}
