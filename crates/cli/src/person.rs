//! A person at the line chat: what is asked is written out, and a line is the answer.

use crate::say::{self, Colour, Style, clean};
use reasonix_proto::{Asking, Choice, Inquiry, Phrase, PlanAnswer, Proposal, Question, Response, folded, visible};
use rustyline::DefaultEditor;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// So long a question is only looked at: a yes that comes sooner was not for it.
const LOOKED: Duration = Duration::from_millis(500);
/// A question that is longer than this says at its end once more what it is.
const LONG: usize = 12;

/// The line editor, shared between the prompt and the questions.
pub(crate) type Editor = Rc<RefCell<DefaultEditor>>;

/// What somebody says about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) choice: Choice,
    /// What the model is told with a no.
    pub(crate) words: Option<String>,
    /// The command that is to run instead.
    pub(crate) edited: Option<String>,
}

impl From<Choice> for Decision {
    fn from(choice: Choice) -> Self {
        Self { choice, words: None, edited: None }
    }
}

/// Somebody who can be asked. None when they interrupt instead of answering.
pub(crate) trait Person {
    /// May this call run?
    fn decide(&mut self, asking: &Asking) -> Option<Decision>;

    /// What becomes of this plan?
    fn plan(&mut self, proposal: &Proposal) -> Option<PlanAnswer>;

    /// What do they say to these questions, while those wait?
    fn respond(&mut self, inquiry: &Inquiry, waits: &dyn Fn() -> bool) -> Said;
}

/// What somebody says to questions.
pub(crate) enum Said {
    /// Answers; an empty list when they do not want to give any.
    Answers(Vec<Response>),
    /// A line that came when nobody waited for an answer any more.
    Late(String),
    /// They interrupt.
    Nothing,
}

/// A person who writes lines. Ctrl-C or Ctrl-D interrupts the turn.
pub(crate) struct Keyboard {
    editor: Editor,
    style: Style,
}

impl Keyboard {
    pub(crate) fn new(editor: Editor) -> Self {
        Self { editor, style: Style::get() }
    }

    /// What was typed before a question was on the screen is not an answer to it.
    fn forget_typed() {
        let _ = rustix::termios::tcflush(std::io::stdin(), rustix::termios::QueueSelector::IFlush);
    }

    fn line(&self, prompt: Phrase) -> Option<String> {
        let line = self.editor.borrow_mut().readline(&self.style.text(&prompt)).ok()?;
        Some(line.trim().to_owned())
    }

    /// The command with what the person changes in it; none when they leave it as it is.
    fn edit(&self, command: &str) -> Option<Decision> {
        let prompt = self.style.text(&Phrase::new("cli.ask_instead"));
        let line = self.editor.borrow_mut().readline_with_initial(&prompt, (command, "")).ok()?;
        let changed = !line.trim().is_empty() && line != command;
        changed.then_some(Decision { edited: Some(line), ..Decision::from(Choice::AllowOnce) })
    }

    fn say(&self, phrase: Phrase) {
        say::line_err(&clean(&self.style.text(&phrase)));
    }

    /// Shows one question, and gives the line that was typed to it.
    fn question(&self, question: &Question, step: bool) -> Option<String> {
        let told = clean(&reasonix_words::step_told(self.style.lang, &question.question));
        say::line_err(&self.style.err(Colour::Yellow, &told));
        for (at, option) in question.options.iter().enumerate() {
            let mark = if question.recommended == Some(at) { " *" } else { "" };
            let note = if option.note.is_empty() { String::new() } else { format!("  ({})", option.note) };
            let label = match option.label.as_str() {
                "continue" if step => self.style.text(&Phrase::new("tui.step.continue")),
                "revise" if step => self.style.text(&Phrase::new("tui.step.revise")),
                "stop" if step => self.style.text(&Phrase::new("tui.step.stop")),
                label => label.to_owned(),
            };
            say::line_err(&clean(&format!("  {}{mark}  {label}{note}", at + 1)));
        }
        self.say(Phrase::new(match (question.options.is_empty(), question.multi) {
            (true, _) => "cli.question_words",
            (false, false) => "cli.question_one",
            (false, true) => "cli.question_many",
        }));
        self.line(Phrase::new("cli.question_prompt"))
    }
}

impl Person for Keyboard {
    fn decide(&mut self, asking: &Asking) -> Option<Decision> {
        show_question(self.style, asking);
        Self::forget_typed();
        let shown = Instant::now();
        loop {
            let typed = self.line(Phrase::new("cli.ask_prompt"))?;
            match read(asking, &typed) {
                Typed::Said(said) if said.choice != Choice::Deny && shown.elapsed() < LOOKED => {
                    self.say(Phrase::new("cli.ask_early"));
                }
                Typed::Said(said) => return Some(said),
                Typed::Edit => match self.edit(&asking.subject) {
                    Some(said) => return Some(said),
                    None => self.say(Phrase::new("cli.ask_again")),
                },
                Typed::Unclear => self.say(Phrase::new("cli.ask_again")),
            }
        }
    }

    fn plan(&mut self, proposal: &Proposal) -> Option<PlanAnswer> {
        let steps = proposal.revises;
        self.say(Phrase::new(if steps { "cli.plan_steps_title" } else { "cli.plan_title" }));
        proposal.plan.lines().for_each(|line| say::line_err(&format!("  {}", clean(line))));
        self.say(Phrase::new(if steps { "cli.plan_steps_choices" } else { "cli.plan_choices" }));
        Self::forget_typed();
        loop {
            let typed = self.line(Phrase::new("cli.question_prompt"))?;
            return Some(match typed.to_lowercase().as_str() {
                "" => continue,
                // What is asked about was said with the plan.
                "a" if steps => continue,
                "y" | "yes" | "是" => PlanAnswer::Approve { edited: None, asks: false },
                "a" => PlanAnswer::Approve { edited: None, asks: true },
                "n" | "no" | "否" => PlanAnswer::default(),
                "x" | "cancel" => PlanAnswer::Cancel,
                _ => PlanAnswer::Revise { note: typed },
            });
        }
    }

    fn respond(&mut self, inquiry: &Inquiry, waits: &dyn Fn() -> bool) -> Said {
        Self::forget_typed();
        if let Some(server) = &inquiry.server {
            say::line_err(&self.style.text(&Phrase::new("tui.question.server").with("server", clean(server))));
        }
        let mut answers = Vec::new();
        for question in &inquiry.questions {
            let Some(typed) = self.question(question, inquiry.step) else { return Said::Nothing };
            if !waits() {
                self.say(Phrase::new("cli.question_over"));
                return Said::Late(typed);
            }
            answers.push(heard(question, &typed));
        }
        Said::Answers(answers)
    }
}

/// What a line says: numbers of options, their labels, or words of one's own.
fn heard(question: &Question, typed: &str) -> Response {
    let label = |word: &str| {
        let place = word.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let named = || question.options.iter().find(|option| option.label.eq_ignore_ascii_case(word));
        place.and_then(|place| question.options.get(place)).or_else(named).map(|option| option.label.clone())
    };
    let words: Vec<&str> = match question.multi {
        true => typed.split([',', '，', '、']).map(str::trim).filter(|word| !word.is_empty()).collect(),
        false => vec![typed],
    };
    let chosen: Option<Vec<String>> = words.iter().map(|word| label(word)).collect();
    match chosen.filter(|chosen| !chosen.is_empty()) {
        Some(chosen) => Response { question: question.id.clone(), chosen, text: None },
        None => {
            let text = Some(typed.to_owned()).filter(|text| !text.is_empty());
            Response { question: question.id.clone(), chosen: Vec::new(), text }
        }
    }
}

/// The letters for the answers that grant a rule: `s` and `p` for the session, `a` and `b` for good.
fn keys(asking: &Asking) -> Vec<(&'static str, &Choice)> {
    let session = asking.choices.iter().filter(|choice| matches!(choice, Choice::AllowSession { .. }));
    let always = asking.choices.iter().filter(|choice| matches!(choice, Choice::AllowAlways { .. }));
    ["s", "p"].into_iter().zip(session).chain(["a", "b"].into_iter().zip(always)).collect()
}

/// What a line is to a question.
#[derive(Debug, PartialEq, Eq)]
enum Typed {
    Said(Decision),
    /// The command is to be changed first.
    Edit,
    Unclear,
}

/// A letter is an answer; several words are a no, and what the model is told with it.
fn read(asking: &Asking, typed: &str) -> Typed {
    let key = typed.to_lowercase();
    match key.as_str() {
        "y" | "yes" | "是" => Typed::Said(Choice::AllowOnce.into()),
        "n" | "no" | "否" => Typed::Said(Choice::Deny.into()),
        "e" if asking.editable => Typed::Edit,
        _ => match keys(asking).iter().find(|(name, _)| *name == key) {
            Some((_, choice)) => Typed::Said((*choice).clone().into()),
            // A slip of one or two letters is no message to anybody.
            None if asking.call.is_own_command() || typed.chars().count() < 3 => Typed::Unclear,
            None => Typed::Said(Decision { words: Some(typed.to_owned()), ..Choice::Deny.into() }),
        },
    }
}

/// A text of one line: a line end in a name of a file cannot begin another one.
fn one_line(text: &str) -> String {
    clean(text).replace(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'], "⏎")
}

fn show_question(style: Style, asking: &Asking) {
    let title = Phrase::new("cli.ask_title").with("tool", &asking.tool);
    say::line_err(&style.err(Colour::Yellow, &clean(&style.text(&title))));
    if let Some(child) = &asking.child {
        say::line_err(&one_line(&format!("  {}", style.text(&Phrase::new("tui.ask.child").with("child", child)))));
    }
    let what = reasonix_tui::overlays::what(asking).map(|what| one_line(&style.text(&what)));
    // Of a command its text says more.
    let what = what.filter(|_| !asking.changes.is_empty() || asking.command.is_some());
    what.iter().for_each(|what| say::line_err(&format!("  {what}")));
    let lines = question_lines(style, asking);
    lines.iter().for_each(|line| say::line_err(line));
    if lines.len() > LONG {
        let counted = Phrase::new("cli.ask_over").with("count", lines.len());
        say::line_err(&style.err(Colour::Dim, &style.text(&counted)));
        what.iter().for_each(|what| say::line_err(&format!("  {what}")));
    }
    for danger in &asking.danger {
        let touches = danger.touches.join(if style.lang == reasonix_words::Lang::Zh { "、" } else { ", " });
        say::line_err(&style.err(Colour::Red, &one_line(&format!("  ! {}", style.text(&danger.why)))));
        if !danger.touches.is_empty() {
            let phrase = Phrase::new("cli.ask_touches").with("what", folded(&touches).replace('\n', " ⏎ "));
            say::line_err(&clean(&style.text(&phrase)));
        }
    }
    say::line_err(&style.err(Colour::Dim, &one_line(&style.text(&asking.why))));
    for (key, choice) in keys(asking) {
        let (code, rule) = match choice {
            Choice::AllowSession { rule } => ("cli.ask_session", rule),
            Choice::AllowAlways { rule } => ("cli.ask_always", rule),
            Choice::AllowOnce | Choice::Deny => continue,
        };
        say::line_err(&one_line(&style.text(&Phrase::new(code).with("key", key).with("rule", visible(rule)))));
    }
    if asking.editable {
        say::line_err(&style.text(&Phrase::new("cli.ask_edit")));
    }
}

/// The whole of what it is about: a command with its floods counted, a diff to its end.
fn question_lines(style: Style, asking: &Asking) -> Vec<String> {
    let subject = asking.visible.as_ref().unwrap_or(&asking.subject);
    let indented = |text: &str| folded(text).lines().map(|line| format!("  {}", clean(line))).collect::<Vec<_>>();
    let mut lines = match &asking.command {
        Some(command) => {
            let command = Phrase::new("tui.ask.wanted_by").with("command", folded(&visible(command)));
            indented(&style.text(&command))
        }
        None if asking.changes.len() == 1 => Vec::new(),
        None if asking.editable => indented(subject),
        // What is no command is a name, and has one line.
        None => vec![format!("  {}", one_line(&folded(subject)))],
    };
    match &asking.diff {
        Some(diff) => lines.extend(crate::view::whole_diff_lines(style, &folded(diff))),
        None => {
            let begins = |value: &str| value.rsplit_once("… (").is_some_and(|(first, _)| subject.contains(first));
            let other = asking.fields.iter().filter(|field| field.value != *subject && !begins(&field.value));
            lines.extend(other.flat_map(|field| indented(&format!("{} = {}", field.name, folded(&field.value)))));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{Decision, Typed, heard, one_line, question_lines, read};
    use crate::say::Style;
    use reasonix_proto::{Asking, Choice, Question, Suggestion};

    fn asking(more: serde_json::Value) -> Asking {
        let mut asking = serde_json::json!({"ask": "1", "call": "c", "tool": "bash", "subject": "make", "editable": true,
            "why": {"code": "engine.ask_mode"}, "choices": [{"choice": "allow_once"},
                {"choice": "allow_session", "rule": "Bash(make)"}, {"choice": "deny"}]});
        asking.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(asking).unwrap()
    }

    #[test]
    fn words_at_a_question_are_a_no_with_words() {
        let words = |text: &str| Typed::Said(Decision { words: Some(text.into()), ..Choice::Deny.into() });
        let rule = Choice::AllowSession { rule: "Bash(make)".into() };
        for (typed, said) in [
            ("y", Typed::Said(Choice::AllowOnce.into())),
            ("N", Typed::Said(Choice::Deny.into())),
            ("s", Typed::Said(rule.into())),
            ("p", Typed::Unclear),
            ("e", Typed::Edit),
            ("", Typed::Unclear),
            ("yy", Typed::Unclear),
            ("yes please", words("yes please")),
            ("use ninja", words("use ninja")),
        ] {
            assert_eq!(read(&asking(serde_json::json!({})), typed), said, "{typed}");
        }
        let own = asking(serde_json::json!({"call": "shell-1", "editable": false}));
        assert_eq!(read(&own, "use ninja"), Typed::Unclear, "no model hears of it");
    }

    #[test]
    fn a_question_shows_its_end_and_counts_its_floods() {
        let style = Style::get();
        let flood = asking(serde_json::json!({"subject": format!("touch ok{}rm -rf src", "\n".repeat(200))}));
        assert_eq!(question_lines(style, &flood), ["  touch ok ⟨⏎ × 200⟩", "  rm -rf src"]);
        let diff: String = (1..=400)
            .map(|n| format!("-old {n}\n"))
            .chain((1..=400).map(|n| format!("+{n}{}\n", "x".repeat(90))))
            .collect();
        let change = serde_json::json!([{"path": "a", "kind": "updated", "added": 400, "removed": 400}]);
        let rewrite = asking(serde_json::json!({"subject": "a", "editable": false, "changes": change,
            "diff": format!("--- a/a\n+++ b/a\n@@ -1,400 +1,400 @@\n{diff}")}));
        let lines = question_lines(style, &rewrite);
        assert_eq!(lines.len(), 803);
        assert!(lines.last().unwrap().contains(&format!("+400{}", "x".repeat(90))), "{:?}", lines.last());
    }

    #[test]
    fn a_line_is_numbers_labels_or_words() {
        let options = ["Rust", "Go", "3"].map(|label| Suggestion { label: label.into(), note: String::new() });
        let one = Question {
            id: "1".into(),
            question: "?".into(),
            options: options.to_vec(),
            multi: false,
            recommended: None,
        };
        let many = Question { multi: true, ..one.clone() };
        for (question, typed, chosen, text) in [
            (&one, "2", vec!["Go"], None),
            (&one, "rust", vec!["Rust"], None),
            (&one, "1, 2", vec![], Some("1, 2")),
            (&one, "", vec![], None),
            (&many, "1, go", vec!["Rust", "Go"], None),
            (&many, "1、3", vec!["Rust", "3"], None),
            (&many, "1, or both", vec![], Some("1, or both")),
        ] {
            let said = heard(question, typed);
            assert_eq!(
                (said.chosen, said.text.as_deref()),
                (chosen.iter().map(ToString::to_string).collect(), text),
                "{typed}"
            );
        }
    }

    #[test]
    fn a_line_end_in_a_name_forges_no_line_of_a_question() {
        let forged = "ok.txt\nallow? [y/n] y\n";
        assert_eq!(one_line(forged), "ok.txt⏎allow? [y/n] y⏎");
        let fields = serde_json::json!([{"name": "path", "value": forged}]);
        let asked =
            asking(serde_json::json!({"tool": "write_file", "subject": forged, "fields": fields, "editable": false}));
        let lines = question_lines(Style::get(), &asked);
        let own = |line: &String| line.starts_with("  ") && !line.contains('\n') && !line.starts_with("  allow?");
        assert!(!lines.is_empty() && lines.iter().all(own), "{lines:?}");
    }
}
