//! A session as text for people: PLAN, TOOL and ANSWER told apart. The answer goes to standard output, everything
//! else to standard error. In a terminal text appears as it streams, line by line where what was written cannot be written
//! over (a dumb terminal, a screen reader); in a pipe only what is known to be the answer does.

use super::heading::Heading;
use super::spinner::Spinner;
use super::tool::{about, end_lines, short_title, start_line};
use super::{View, answer_of, is_cut_off};
use crate::person::{Decision, Person, Said};
use crate::say::{self, Colour, Style, clean};
use reasonix_proto::{
    Asking, CallId, Envelope, Event, Inquiry, Level, Message, Op, Phrase, Proposal, Record, RecordBody, SessionId,
    Shown, TurnState,
};
use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};

/// Shows a session as text.
pub(crate) struct Plain {
    style: Style,
    /// Text is shown while it streams.
    live: bool,
    /// It streams in whole lines, and nothing is written over.
    lines: bool,
    spins: bool,
    spinner: Spinner,
    heading: Option<Heading>,
    pending: String,
    /// What streams in, on its way to the screen: the answer, and the thoughts.
    flows: (Shown, Shown),
    reasoning: bool,
    answer: String,
    /// An answer that was cut off, in a pipe: it is one unless a rule stopped it.
    cut_off: Option<String>,
    /// Who can be asked.
    person: Option<Box<dyn Person>>,
    /// A line that was typed to a question when that was over.
    late: Option<String>,
    /// The call whose start line is the last thing on the screen.
    last_started: Option<CallId>,
    subjects: HashMap<CallId, String>,
    /// What the calls that have no outcome yet are about, as the model wrote them.
    asked: HashMap<CallId, String>,
    /// Who or what refused calls that have no outcome yet.
    refused: HashMap<CallId, reasonix_proto::DecidedBy>,
    /// The subagents by their sessions, and what each did last.
    children: HashMap<SessionId, String>,
    doing: HashMap<SessionId, String>,
}

impl Plain {
    pub(crate) fn new(person: Option<Box<dyn Person>>) -> Self {
        let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb" || term.is_empty());
        Self {
            style: Style::get(),
            live: io::stdout().is_terminal(),
            lines: dumb,
            spins: io::stderr().is_terminal() && !dumb,
            spinner: Spinner::default(),
            heading: None,
            pending: String::new(),
            flows: Default::default(),
            reasoning: false,
            answer: String::new(),
            cut_off: None,
            person,
            late: None,
            last_started: None,
            subjects: HashMap::new(),
            asked: HashMap::new(),
            refused: HashMap::new(),
            children: HashMap::new(),
            doing: HashMap::new(),
        }
    }

    /// The same where nothing may move: for screen readers, and for terminals that can only be written on.
    pub(crate) fn in_lines(person: Option<Box<dyn Person>>) -> Self {
        Self { lines: true, spins: false, ..Self::new(person) }
    }

    fn state(&mut self, state: TurnState) {
        let code = match state {
            TurnState::AwaitingModel => "cli.wait_model",
            TurnState::ToolRunning => "cli.wait_tool",
            _ => return self.spinner.clear(),
        };
        if self.spins {
            self.spinner.wait_for(self.style.text(&Phrase::new(code)));
        }
    }

    fn text(&mut self, delta: &str) -> io::Result<()> {
        self.end_reasoning();
        let shown = self.flows.0.feed(delta);
        self.pending.push_str(&shown);
        // One line alone is held until it is known whether it is the answer: most of those announce a call.
        if self.heading.is_none() && (!self.lines || self.pending.trim_start().contains('\n')) {
            self.spinner.clear();
            let (width, height) = screen();
            let mut out = io::stdout().lock();
            let label = self.style.text(&Phrase::new("cli.label_answer"));
            writeln!(out, "{}", self.style.out(Colour::Green, &label))?;
            self.heading = Some(Heading::new(width, height));
        }
        Ok(())
    }

    /// Prints what has come; where lines are whole, the last one only when it is over.
    fn print_pending(&mut self, over: bool) -> io::Result<()> {
        let whole =
            if self.lines && !over { self.pending.rfind('\n').map_or(0, |at| at + 1) } else { self.pending.len() };
        if let Some(heading) = self.heading.as_mut().filter(|_| whole > 0) {
            let rest = self.pending.split_off(whole);
            heading.follow(&self.pending);
            say::bytes(self.pending.as_bytes())?;
            self.pending = rest;
        }
        Ok(())
    }

    fn end_reasoning(&mut self) {
        if std::mem::take(&mut self.reasoning) {
            let rest = self.flows.1.finish();
            say::line_err(&rest);
        }
    }

    fn think(&mut self, delta: &str) {
        self.spinner.clear();
        if self.spins {
            self.reasoning = true;
            let mut err = io::stderr().lock();
            let _ = write!(err, "{}", self.style.err(Colour::Dim, &self.flows.1.feed(delta)));
            let _ = err.flush();
        }
    }

    /// A whole message: now it is known whether its text was a plan or the answer.
    fn message(&mut self, record: &Record) -> io::Result<()> {
        self.end_reasoning();
        let Some((text, has_calls)) = answer_of(record) else { return Ok(()) };
        if let RecordBody::Assistant { message: Message::Assistant { calls, .. }, .. } = &record.body {
            self.asked.extend(calls.iter().map(|call| (call.id.clone(), about(&call.arguments))));
        }
        if !has_calls {
            text.clone_into(&mut self.answer);
        }
        let rest = self.flows.0.finish();
        self.pending.push_str(&rest);
        self.print_pending(true)?;
        self.pending.clear();
        match self.heading.take() {
            Some(heading) => self.close_live(&heading, has_calls),
            None if text.trim().is_empty() => Ok(()),
            None if has_calls => {
                self.label("cli.label_plan", Colour::Yellow);
                say::line_err(clean(text.trim_end()).as_str());
                Ok(())
            }
            None if is_cut_off(record) => {
                self.cut_off = Some(text.to_owned());
                Ok(())
            }
            None => self.say_answer(text),
        }
    }

    fn say_answer(&mut self, text: &str) -> io::Result<()> {
        self.label("cli.label_answer", Colour::Green);
        say::line(clean(text.trim_end()).as_str())
    }

    /// Says what was cut off, once it is known what it was.
    fn settle_cut_off(&mut self, event: &Event) -> io::Result<()> {
        // Others may come in between at any moment and say nothing about it.
        let says = matches!(event, Event::RulesFired { .. } | Event::Message { .. } | Event::TurnEnded { .. });
        if !says {
            return Ok(());
        }
        match self.cut_off.take() {
            Some(text) if matches!(event, Event::RulesFired { .. }) => {
                self.label("cli.label_plan", Colour::Yellow);
                say::line_err(clean(text.trim_end()).as_str());
                Ok(())
            }
            Some(text) => self.say_answer(&text),
            None => Ok(()),
        }
    }

    fn close_live(&self, heading: &Heading, is_plan: bool) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if is_plan {
            let label = self.style.out(Colour::Yellow, &self.style.text(&Phrase::new("cli.label_plan")));
            match heading.replace(&label).filter(|_| !self.lines) {
                Some(correction) => write!(out, "{correction}")?,
                None => write!(out, "{}({label})", if heading.at_line_start() { "" } else { "\n" })?,
            }
        }
        if !heading.at_line_start() || is_plan {
            writeln!(out)?;
        }
        out.flush()
    }

    fn label(&mut self, code: &'static str, colour: Colour) {
        self.spinner.wipe();
        say::line_err(&self.style.err(colour, &self.style.text(&Phrase::new(code))));
    }

    fn tool_ended(&mut self, record: &Record) {
        if let RecordBody::ShellEnded { took_ms, outcome, .. } = &record.body {
            self.spinner.wipe();
            end_lines(self.style, reasonix_proto::tools::BASH, *took_ms, outcome, None)
                .iter()
                .for_each(|line| say::line_err(line));
        }
        let (call, tool, took_ms, outcome) = match &record.body {
            RecordBody::Outcome { call, tool, took_ms, outcome } => (call, tool.as_str(), took_ms, outcome),
            RecordBody::Validation(ran) => match &ran.outcome {
                Some(outcome) => (&ran.call, reasonix_proto::tools::BASH, &ran.took_ms, outcome),
                None => return,
            },
            _ => return,
        };
        self.spinner.wipe();
        let follows = self.last_started.take().is_some_and(|started| started == *call);
        let asked = self.asked.remove(call);
        match self.subjects.remove(call) {
            _ if follows => {}
            // Calls that ran together end below each other: say again which one this is.
            Some(name) => say::line_err(&format!("     ┌ {}", clean(&name))),
            // One that never began: what it wanted is all there is to see.
            None => say::line_err(&start_line(self.style, tool, &asked.unwrap_or_default())),
        }
        let refused = self.refused.remove(call);
        for line in end_lines(self.style, tool, *took_ms, outcome, refused.as_ref()) {
            say::line_err(&line);
        }
    }

    fn ask(&mut self, asking: &Asking) -> Option<Op> {
        self.spinner.clear();
        match self.person.as_mut()?.decide(asking) {
            Some(Decision { choice, words, edited }) => {
                let digest = Some(asking.digest.clone()).filter(|digest| !digest.is_empty());
                Some(Op::Answer { ask: asking.ask.clone(), choice, digest, words, edited })
            }
            None => Some(Op::Interrupt),
        }
    }

    fn propose(&mut self, proposal: &Proposal) -> Option<Op> {
        self.spinner.clear();
        let ask = proposal.ask.clone();
        let said = self.person.as_mut()?.plan(proposal);
        Some(said.map_or(Op::Interrupt, |answer| Op::AnswerPlan { ask, answer }))
    }

    /// The line that came too late to be an answer: it is one like any other.
    pub(crate) fn late(&mut self) -> Option<String> {
        self.late.take().filter(|line| !line.is_empty())
    }
}

impl Plain {
    /// What is different from now on, and what came back for editing.
    fn changed(&mut self, record: &Record, text: Option<&str>) {
        self.spinner.wipe();
        let phrase = match &record.body {
            RecordBody::ModeChanged { mode } if mode.is_build() => Some(Phrase::new("cli.plan_off")),
            RecordBody::ModeChanged { .. } => Some(Phrase::new("cli.plan_on")),
            other => reasonix_tui::transcript::change(other),
        };
        if let RecordBody::TodoChanged { todo, .. } = &record.body {
            super::tool::todo_lines(self.style.lang, todo).iter().for_each(|line| say::line_err(&clean(line)));
        }
        for line in phrase.iter().map(|phrase| self.style.text(phrase)).chain(text.map(str::to_owned)) {
            say::line_err(&clean(&line));
        }
    }
}

impl Plain {
    fn dim(&mut self, phrase: &Phrase) {
        self.spinner.wipe();
        let line = clean(&self.style.text(phrase)).replace('\n', " ");
        say::line_err(&self.style.err(Colour::Dim, &format!("  {line}")));
    }

    /// How a subagent stands.
    fn child_stands(&mut self, record: &Record) {
        let RecordBody::Child(run) = &record.body else { return };
        let phrase = match &run.end {
            None => {
                self.children.insert(run.session.clone(), run.child.clone());
                Phrase::new("cli.child_began").with("task", &run.task)
            }
            // That is said by itself.
            Some(_) if run.lost => return,
            Some(_) => Phrase::new("cli.child_over")
                .with("steps", run.steps)
                .with("seconds", run.took_ms / 1000)
                .with("summary", &run.summary),
        };
        self.dim(&phrase.with("child", &run.child).with("agent", &run.agent));
    }
}

impl View for Plain {
    fn show(&mut self, envelope: &Envelope) -> io::Result<Option<Op>> {
        self.settle_cut_off(&envelope.event)?;
        match &envelope.event {
            Event::State { state } => self.state(*state),
            Event::Text { delta } if self.live => self.text(delta)?,
            Event::Reasoning { delta } if self.live => self.think(delta),
            Event::Message { record } => self.message(record)?,
            Event::ToolStarted { call, tool, subject } => {
                self.spinner.wipe();
                let line = start_line(self.style, tool, subject);
                say::line_err(&line);
                self.last_started = Some(call.clone());
                self.subjects.insert(call.clone(), short_title(tool, subject));
            }
            Event::ToolEnded { record } => self.tool_ended(record),
            Event::Answered { record } => {
                if let RecordBody::Decided(decided) = &record.body
                    && !decided.allowed
                {
                    self.refused.insert(decided.call.clone(), decided.by.clone());
                }
            }
            Event::Asked { asking } => return Ok(self.ask(asking)),
            Event::Proposed { proposal } => return Ok(self.propose(proposal)),
            Event::Notice { level, phrase } => {
                self.spinner.wipe();
                say::notice(*level, phrase);
            }
            Event::Claimed { record } => {
                self.spinner.wipe();
                if let RecordBody::Claimed(claimed) = &record.body {
                    claimed.lines().iter().for_each(|(level, phrase)| say::notice(*level, phrase));
                }
            }
            Event::Changed { record } if matches!(record.body, RecordBody::Goal(_)) => {
                self.spinner.wipe();
                if let RecordBody::Goal(change) = &record.body
                    && let Some((level, phrase)) = change.phrase()
                {
                    say::notice(level, &phrase);
                }
            }
            Event::Changed { record } if matches!(record.body, RecordBody::Child(_)) => self.child_stands(record),
            // Whoever changed something here is told that it is so now; in a run nobody did.
            Event::Changed { record } if self.person.is_some() => self.changed(record, None),
            Event::Moved { record, text } if self.person.is_some() => self.changed(record, text.as_deref()),
            Event::Compacted { record } => {
                self.spinner.wipe();
                if let RecordBody::Compacted(folded) = &record.body {
                    let phrase = Phrase::new("cli.folded").with("before", folded.before).with("after", folded.after);
                    say::notice(Level::Info, &phrase);
                }
            }
            _ => {}
        }
        Ok(None)
    }

    fn inquire(&mut self, inquiry: &Inquiry, waits: &dyn Fn() -> bool) -> Option<Op> {
        self.spinner.clear();
        match self.person.as_mut()?.respond(inquiry, waits) {
            Said::Answers(responses) => Some(Op::Respond { ask: inquiry.ask.clone(), responses }),
            Said::Late(line) => {
                self.late = Some(line);
                None
            }
            Said::Nothing => Some(Op::Interrupt),
        }
    }

    /// A line where a subagent begins and where it is over, and one for each thing that it does.
    fn child(&mut self, envelope: &Envelope) -> io::Result<()> {
        match &envelope.event {
            Event::Working { doing, .. } if !doing.is_empty() => {
                let name = self.children.get(&envelope.session).cloned().unwrap_or_default();
                if self.doing.insert(envelope.session.clone(), doing.clone()).as_ref() != Some(doing) {
                    self.dim(&Phrase::new("cli.child_doing").with("child", name).with("doing", doing));
                }
            }
            Event::Changed { record } => self.child_stands(record),
            _ => {}
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.print_pending(false)
    }

    fn animates(&self) -> bool {
        self.spins
    }

    fn tick(&mut self) -> io::Result<()> {
        self.spinner.tick();
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        let rest = self.flows.0.finish();
        self.pending.push_str(&rest);
        self.print_pending(true)?;
        self.pending.clear();
        self.end_reasoning();
        self.spinner.clear();
        Ok(())
    }

    fn answer(&self) -> &str {
        &self.answer
    }
}

fn screen() -> (usize, usize) {
    rustix::termios::tcgetwinsize(io::stdout())
        .map_or((80, 24), |size| (usize::from(size.ws_col).max(1), usize::from(size.ws_row).max(2)))
}
