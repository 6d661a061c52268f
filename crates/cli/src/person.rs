//! A person at the line chat: what is asked is written out, and a line is the answer.

use crate::say::{self, Colour, Style, clean};
use reasonix_proto::{Asking, Choice, Inquiry, Phrase, PlanAnswer, Proposal, Question, Response};
use rustyline::DefaultEditor;
use std::cell::RefCell;
use std::rc::Rc;

/// The line editor, shared between the prompt and the questions.
pub(crate) type Editor = Rc<RefCell<DefaultEditor>>;

/// Somebody who can be asked. None when they interrupt instead of answering.
pub(crate) trait Person {
    /// May this call run?
    fn decide(&mut self, asking: &Asking) -> Option<Choice>;

    /// What becomes of this plan?
    fn plan(&mut self, proposal: &Proposal) -> Option<PlanAnswer>;

    /// What do they say to these questions? An empty list when they do not want to answer.
    fn respond(&mut self, inquiry: &Inquiry) -> Option<Vec<Response>>;
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

    fn say(&self, phrase: Phrase) {
        say::line_err(&clean(&self.style.text(&phrase)));
    }

    /// One question, until its answer can be understood.
    fn question(&self, question: &Question) -> Option<Response> {
        say::line_err(&self.style.err(Colour::Yellow, &clean(&question.question)));
        for (at, option) in question.options.iter().enumerate() {
            let mark = if question.recommended == Some(at) { " *" } else { "" };
            let note = if option.note.is_empty() { String::new() } else { format!("  ({})", option.note) };
            say::line_err(&clean(&format!("  {}{mark}  {}{note}", at + 1, option.label)));
        }
        self.say(Phrase::new(match (question.options.is_empty(), question.multi) {
            (true, _) => "cli.question_words",
            (false, false) => "cli.question_one",
            (false, true) => "cli.question_many",
        }));
        let typed = self.line(Phrase::new("cli.question_prompt"))?;
        Some(heard(question, &typed))
    }
}

impl Person for Keyboard {
    fn decide(&mut self, asking: &Asking) -> Option<Choice> {
        show_question(self.style, asking);
        Self::forget_typed();
        let keys = keys(asking);
        loop {
            let typed = self.line(Phrase::new("cli.ask_prompt"))?.to_lowercase();
            match typed.as_str() {
                "y" | "yes" | "是" => return Some(Choice::AllowOnce),
                "n" | "no" | "否" => return Some(Choice::Deny),
                key => match keys.iter().find(|(name, _)| *name == key) {
                    Some((_, choice)) => return Some((*choice).clone()),
                    None => say::line_err(&self.style.text(&Phrase::new("cli.ask_again"))),
                },
            }
        }
    }

    fn plan(&mut self, proposal: &Proposal) -> Option<PlanAnswer> {
        self.say(Phrase::new("cli.plan_title"));
        proposal.plan.lines().for_each(|line| say::line_err(&format!("  {}", clean(line))));
        self.say(Phrase::new("cli.plan_choices"));
        Self::forget_typed();
        loop {
            let typed = self.line(Phrase::new("cli.question_prompt"))?;
            return Some(match typed.to_lowercase().as_str() {
                "" => continue,
                "y" | "yes" | "是" => PlanAnswer::Approve { edited: None, asks: false },
                "a" => PlanAnswer::Approve { edited: None, asks: true },
                "n" | "no" | "否" => PlanAnswer::default(),
                _ => PlanAnswer::Revise { note: typed },
            });
        }
    }

    fn respond(&mut self, inquiry: &Inquiry) -> Option<Vec<Response>> {
        Self::forget_typed();
        inquiry.questions.iter().map(|question| self.question(question)).collect()
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

fn show_question(style: Style, asking: &Asking) {
    let title = Phrase::new("cli.ask_title").with("tool", &asking.tool);
    say::line_err(&style.err(Colour::Yellow, &style.text(&title)));
    let subject = asking.visible.as_ref().unwrap_or(&asking.subject);
    if asking.diff.is_none() || asking.fields.len() == 1 {
        subject.lines().for_each(|line| say::line_err(&format!("  {}", clean(line))));
    } else {
        say::line_err(&format!("  {}", clean(subject)));
    }
    match &asking.diff {
        Some(diff) => crate::view::diff_lines(style, diff).iter().for_each(|line| say::line_err(line)),
        None => asking.fields.iter().filter(|field| field.value != *subject).for_each(|field| {
            say::line_err(&clean(&format!("  {} = {}", field.name, field.value)));
        }),
    }
    for danger in &asking.danger {
        say::line_err(&style.err(Colour::Red, &clean(&format!("  ! {}", style.text(&danger.why)))));
        if !danger.touches.is_empty() {
            let phrase = Phrase::new("cli.ask_touches").with("what", danger.touches.join(", "));
            say::line_err(&clean(&style.text(&phrase)));
        }
    }
    say::line_err(&style.err(Colour::Dim, &style.text(&asking.why)));
    for (key, choice) in keys(asking) {
        let (code, rule) = match choice {
            Choice::AllowSession { rule } => ("cli.ask_session", rule),
            Choice::AllowAlways { rule } => ("cli.ask_always", rule),
            Choice::AllowOnce | Choice::Deny => continue,
        };
        say::line_err(&clean(&style.text(&Phrase::new(code).with("key", key).with("rule", rule))));
    }
}

#[cfg(test)]
mod tests {
    use super::heard;
    use reasonix_proto::{Question, Suggestion};

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
}
