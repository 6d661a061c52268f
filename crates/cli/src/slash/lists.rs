//! Lists to choose from, and questions, in lines: a number is the answer, and an empty line is none.

use super::{CommandLine, Next};
use crate::elsewhere::Elsewhere;
use crate::say::{self, Style, clean};
use crate::sessions::age;
use crate::undo::turn_lines;
use reasonix_proto::{
    CommandInfo, CommandOverlay, Hit, Level, MemoryInfo, Op, Open, Phrase, Query, Reply, Rewind, RuleInfo, Scope,
    SessionInfo, SettingLayer, TreeFilter, TreeNode,
};

/// Rows of a list that are written out; the newest or best of them.
const MOST: usize = 30;

/// What a row of a list stands for.
enum Pick {
    Do(Op),
    Resume(String),
    Word(String),
    Show(Query),
    Text(String),
    Turn(u32),
}

/// A row and what it stands for.
type Row = (String, Pick);

impl CommandLine<'_> {
    /// Lays something before the person.
    pub(super) async fn lay(&self, command: &CommandInfo, overlay: CommandOverlay) -> anyhow::Result<Next> {
        let style = Style::get();
        let (title, rows) = match overlay {
            CommandOverlay::Words => {
                let words = command.choices();
                if words == ["on", "off"] {
                    return self.with_word(command, "on").await;
                }
                let row = |word: &String| {
                    let means =
                        reasonix_tui::meaning_of(&command.name, word).map(|code| style.text(&Phrase::new(code)));
                    means.map_or_else(|| word.clone(), |means| format!("{word}  {means}"))
                };
                let rows = words.iter().map(|word| (row(word), Pick::Word(word.clone()))).collect();
                (Phrase::new("tui.list.words").with("command", &command.name), rows)
            }
            CommandOverlay::RewindWhat { turn } => {
                if let Reply::Status(status) = self.handle.query(Query::Status).await
                    && !(1..=status.turns).contains(&turn)
                {
                    let phrase = Phrase::new("engine.turn_unknown").with("turn", turn).with("last", status.turns);
                    say::notice(Level::Warning, &phrase);
                    return Ok(Next::Read);
                }
                (Phrase::new("tui.rewind.title").with("turn", turn), what_of(style, turn))
            }
            CommandOverlay::Clear => return Ok(self.confirmed(Phrase::new("tui.clear.title"), Next::GiveUp)),
            CommandOverlay::Undo => return Ok(self.undo().await),
            CommandOverlay::Trust => return Ok(self.trust().await),
            CommandOverlay::Budget { words } => return Ok(self.budget(&words).await),
            CommandOverlay::Hooks => {
                self.show(Query::Hooks).await;
                return Ok(Next::Read);
            }
            CommandOverlay::Settings => {
                say::notice(Level::Info, &Phrase::new("cli.chat_settings"));
                return Ok(Next::Read);
            }
            other => match self.asked(other).await {
                Some(list) => list,
                None => return Ok(Next::Read),
            },
        };
        match self.choose(&title, rows) {
            Some(pick) => self.picked(command, pick).await,
            None => Ok(Next::Read),
        }
    }

    /// A list that the session fills.
    async fn asked(&self, overlay: CommandOverlay) -> Option<(Phrase, Vec<Row>)> {
        let style = Style::get();
        let rewinds = overlay == CommandOverlay::Rewind;
        let prompts = Query::Tree { filter: TreeFilter::UserOnly, text: String::new() };
        let (title, query) = match overlay {
            CommandOverlay::Models => (Phrase::new("tui.list.models"), Query::Models),
            CommandOverlay::Sessions => {
                let query = Query::Sessions { all: false, text: String::new(), from: 0, count: MOST };
                (Phrase::new("tui.list.sessions"), query)
            }
            CommandOverlay::Tree { text } => {
                (Phrase::new("tui.list.tree"), Query::Tree { filter: TreeFilter::Default, text })
            }
            CommandOverlay::Branch => (Phrase::new("tui.list.branch"), prompts),
            CommandOverlay::Rewind => (Phrase::new("tui.list.rewind"), prompts),
            CommandOverlay::Rules => (Phrase::new("tui.list.rules"), Query::Permissions),
            CommandOverlay::History { text } => {
                let title = Phrase::new("tui.list.hits").with("words", &text);
                (title, Query::History { text, all: false, count: MOST })
            }
            _ => (Phrase::new("tui.list.memories"), Query::Memories),
        };
        let rows = match self.handle.query(query).await {
            Reply::Models { models } => models
                .into_iter()
                .map(|model| {
                    let mark = if model.current { "•" } else { " " };
                    let set = Op::SetModel { model: Some(model.name.clone()), effort: None };
                    (format!("{mark} {}  {}", model.name, model.price), Pick::Do(set))
                })
                .collect(),
            Reply::Sessions { sessions, .. } => sessions.iter().map(|session| session_row(style, session)).collect(),
            Reply::Tree { nodes, .. } => {
                nodes.iter().filter(|node| node.active || !rewinds).map(|node| tree_row(node, rewinds)).collect()
            }
            Reply::Permissions { rules, .. } => rules.iter().map(|rule| rule_row(style, rule)).collect(),
            Reply::History { hits, .. } => hits.iter().map(|hit| hit_row(style, hit)).collect(),
            Reply::Memories { memories } => memories.iter().map(memory_row).collect(),
            Reply::Failed { why } => {
                say::notice(Level::Warning, &why);
                return None;
            }
            _ => return None,
        };
        Some((title, rows))
    }

    /// Writes a list out and reads the number of a row.
    fn choose(&self, title: &Phrase, mut rows: Vec<Row>) -> Option<Pick> {
        let style = Style::get();
        say::line_err(&clean(&style.text(title)));
        if rows.is_empty() {
            say::line_err(&style.text(&Phrase::new("tui.list.none")));
            return None;
        }
        // Of a long list the end is what happened last.
        let more = rows.drain(..rows.len().saturating_sub(MOST)).count();
        if more > 0 {
            say::line_err(&style.text(&Phrase::new("cli.chat_more").with("count", more)));
        }
        for (at, (text, _)) in rows.iter().enumerate() {
            say::line_err(&clean(&format!("{:>4}  {}", at + 1, text.lines().next().unwrap_or_default())));
        }
        say::line_err(&style.text(&Phrase::new("cli.chat_choose")));
        let typed = self.line(&Phrase::new("cli.question_prompt"))?;
        let number = typed.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        match number.filter(|at| *at < rows.len()) {
            Some(at) => return Some(rows.swap_remove(at).1),
            None if typed.is_empty() => {}
            None => say::notice(Level::Info, &Phrase::new("cli.chat_no_choice").with("typed", clean(&typed))),
        }
        None
    }

    async fn picked(&self, command: &CommandInfo, pick: Pick) -> anyhow::Result<Next> {
        match pick {
            Pick::Do(op) => return Ok(Next::Do(vec![op])),
            Pick::Resume(session) => return Ok(Next::Elsewhere(Elsewhere::Session(Open::Resume { session }))),
            Pick::Word(word) => return self.with_word(command, &word).await,
            Pick::Turn(turn) => return Box::pin(self.lay(command, CommandOverlay::RewindWhat { turn })).await,
            Pick::Show(query) => self.show(query).await,
            Pick::Text(text) => say::line_err(&clean(&text)),
        }
        Ok(Next::Read)
    }

    /// The command again, with a word behind its name.
    async fn with_word(&self, command: &CommandInfo, word: &str) -> anyhow::Result<Next> {
        match command.action(word, self.plans().await) {
            Some(action) => Box::pin(self.perform(command, action)).await,
            None => Ok(Next::Read),
        }
    }

    async fn undo(&self) -> Next {
        match self.handle.query(Query::Changes { turn: None }).await {
            Reply::Changes { turn, changes, notes } => {
                notes.iter().for_each(|note| say::notice(Level::Info, note));
                turn_lines(turn, &changes, false).iter().for_each(|line| say::line_err(line));
                let title = Phrase::new("tui.undo.title").with("turn", turn).with("count", changes.len());
                let back = Op::Rewind { turn, what: Rewind::Files, summary: None };
                self.confirmed(title, Next::Do(vec![back]))
            }
            Reply::Failed { why } => told(&why),
            _ => told(&Phrase::new("undo.nothing").with("session", self.handle.session.short())),
        }
    }

    async fn trust(&self) -> Next {
        let Reply::Trust(info) = self.handle.query(Query::Trust).await else { return Next::Read };
        if info.surfaces.is_empty() {
            return told(&Phrase::new("tui.trust.nothing"));
        }
        if !info.is_open() {
            crate::trust::show(&info, true);
            return Next::Read;
        }
        let yes = crate::trust::agreed(&info, true);
        Next::Do(vec![Op::Trust { digest: info.digest.clone(), yes }])
    }

    /// The limits that were named change, the others stay.
    async fn budget(&self, words: &str) -> Next {
        let Reply::Budget(info) = self.handle.query(Query::Budget).await else { return Next::Read };
        match info.allowed.changed(words) {
            Some(allowance) => Next::Do(vec![Op::SetBudget { allowance }]),
            None => told(&Phrase::new("tui.budget.which")),
        }
    }

    /// Yes, or anything else.
    fn confirmed(&self, question: Phrase, yes: Next) -> Next {
        say::line_err(&clean(&Style::get().text(&question)));
        let typed = self.line(&Phrase::new("cli.confirm_prompt")).unwrap_or_default().to_lowercase();
        if ["y", "yes", "是"].contains(&typed.as_str()) { yes } else { Next::Read }
    }

    fn line(&self, prompt: &Phrase) -> Option<String> {
        let line = self.editor.borrow_mut().readline(&Style::get().text(prompt)).ok()?;
        Some(line.trim().to_owned())
    }
}

fn told(phrase: &Phrase) -> Next {
    say::notice(Level::Warning, phrase);
    Next::Read
}

fn what_of(style: Style, turn: u32) -> Vec<Row> {
    let row = |what, code| (style.text(&Phrase::new(code)), Pick::Do(Op::Rewind { turn, what, summary: None }));
    vec![
        row(Rewind::Chat, "tui.rewind.chat"),
        row(Rewind::Files, "tui.rewind.files"),
        row(Rewind::Both, "tui.rewind.both"),
    ]
}

fn session_row(style: Style, session: &SessionInfo) -> Row {
    let title = if session.title.is_empty() { style.text(&Phrase::new("tui.untitled")) } else { session.title.clone() };
    let age = style.text(&age(session.active));
    (format!("{}  {age:>10}  {title}", session.id.short()), Pick::Resume(session.id.to_string()))
}

fn tree_row(node: &TreeNode, rewinds: bool) -> Row {
    let mark = if node.active { "•" } else { " " };
    let label = node.label.as_ref().map(|label| format!("[{label}] ")).unwrap_or_default();
    let pick = if rewinds { Pick::Turn(node.turn) } else { Pick::Do(Op::Branch { at: node.id, summary: None }) };
    (format!("{mark} {label}{}", node.text), pick)
}

fn rule_row(style: Style, rule: &RuleInfo) -> Row {
    let effect = style.text(&Phrase::new(reasonix_tui::rule_word(rule.effect)));
    let pick = if rule.revocable {
        let scope = if rule.origin.layer == SettingLayer::Session { Scope::Session } else { Scope::Always };
        Pick::Do(Op::Revoke { rule: rule.rule.clone(), scope })
    } else {
        let stands = Phrase::new("tui.rule.stands").with("rule", &rule.rule).with("origin", &rule.origin);
        Pick::Text(style.text(&stands))
    };
    let origin = rule.origin.to_string();
    let origin = reasonix_words::origin_told(style.lang, &origin);
    (format!("{effect}  {}  {origin}", reasonix_words::named(style.lang, "rule", &rule.rule)), pick)
}

fn hit_row(style: Style, hit: &Hit) -> Row {
    let around = Query::Around { session: hit.session.to_string(), record: hit.record, span: 6 };
    (format!("{}  {}  {}", hit.session.short(), style.text(&age(hit.at)), hit.text), Pick::Show(around))
}

fn memory_row(memory: &MemoryInfo) -> Row {
    let scope = memory.scope.to_string();
    let scope = reasonix_words::named(Style::get().lang, "scope", &scope).into_owned();
    (format!("{}  {scope}  {}", memory.name, memory.description), Pick::Text(memory.text.clone()))
}
