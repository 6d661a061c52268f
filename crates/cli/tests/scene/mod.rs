//! Scripted sessions: what is configured, what lies in the folder, what the model answers, and what a person does.
//! Everything goes through the built binary, so that nothing here knows how it is built inside.

#![allow(unreachable_pub)]

pub mod fixture;
pub mod longer;
pub mod moves;
pub mod person;
pub mod wires;

use crate::support::{self, Place};
use reasonix_testkit::{ModelServer, Pty, Recorded, Reply};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

type Answer = Box<dyn FnMut(&Recorded) -> Option<Reply> + Send>;

/// What somebody does, one thing after the other.
enum Act {
    /// The binary with these arguments ends with this code.
    Command(Vec<String>, i32),
    /// The same, with something on its standard input.
    Piped(Vec<String>, String),
    /// A line chat: what is typed, and what is seen after it.
    Chat(Vec<Line>),
}

/// One line of a chat.
pub struct Line {
    typed: &'static str,
    shown: &'static str,
    /// What comes next is the chat's own prompt, not a question.
    prompts: bool,
}

/// Types a line; after what it brings the chat waits for the next one.
pub fn line(typed: &'static str, shown: &'static str) -> Line {
    Line { typed, shown, prompts: true }
}

/// Types a line that leads to a question, which ends in this.
pub fn until(typed: &'static str, shown: &'static str) -> Line {
    Line { typed, shown, prompts: false }
}

/// A scripted session.
pub struct Scene {
    pub name: &'static str,
    kind: &'static str,
    top: String,
    provider: String,
    window: u64,
    settings: String,
    files: Vec<(String, Vec<u8>)>,
    answer: Option<Answer>,
    /// Bodies are looked at by the server's own rules too; those do not know pictures.
    pub checked: bool,
    acts: Vec<Act>,
}

impl Scene {
    /// A session on this wire: `openai`, `responses` or `anthropic`.
    pub fn on(kind: &'static str, name: &'static str) -> Self {
        Self {
            name,
            kind,
            top: String::new(),
            provider: String::new(),
            window: 100_000,
            settings: String::new(),
            files: Vec::new(),
            answer: None,
            checked: true,
            acts: Vec::new(),
        }
    }

    /// A session on the wire that most endpoints speak.
    pub fn new(name: &'static str) -> Self {
        Self::on("openai", name)
    }

    /// Settings before the first section.
    pub fn top(mut self, settings: &str) -> Self {
        self.top.push_str(settings);
        self
    }

    /// Settings of the provider.
    pub fn provider(mut self, settings: &str) -> Self {
        self.provider.push_str(settings);
        self
    }

    pub fn window(mut self, tokens: u64) -> Self {
        self.window = tokens;
        self
    }

    /// More sections.
    pub fn settings(mut self, settings: &str) -> Self {
        self.settings.push_str(settings);
        self
    }

    /// A file that is there from the beginning.
    pub fn file(mut self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.files.push((path.to_owned(), content.as_ref().to_vec()));
        self
    }

    /// What is sent has pictures in it.
    pub fn pictures(mut self) -> Self {
        self.checked = false;
        self
    }

    pub fn replies(self, replies: Vec<Reply>) -> Self {
        let mut replies = replies.into_iter();
        self.answers(move |_| replies.next())
    }

    pub fn answers(mut self, answer: impl FnMut(&Recorded) -> Option<Reply> + Send + 'static) -> Self {
        self.answer = Some(Box::new(answer));
        self
    }

    /// The next prompt of the session, in a process of its own.
    pub fn says(self, prompt: &str) -> Self {
        self.run(&[prompt])
    }

    /// The same with more options.
    pub fn run(self, args: &[&str]) -> Self {
        self.ends(0, &[&["run", "--continue"], args].concat())
    }

    /// Any command; `{SESSION}` is the id of the first session.
    pub fn command(self, args: &[&str]) -> Self {
        self.ends(0, args)
    }

    /// A command that ends with this code.
    pub fn ends(mut self, code: i32, args: &[&str]) -> Self {
        self.acts.push(Act::Command(owned(args), code));
        self
    }

    pub fn piped(mut self, args: &[&str], input: &str) -> Self {
        self.acts.push(Act::Piped(owned(&[&["run", "--continue"], args].concat()), input.to_owned()));
        self
    }

    pub fn chat(mut self, lines: Vec<Line>) -> Self {
        self.acts.push(Act::Chat(lines));
        self
    }

    /// The folder and the home of this session, before anything was done.
    fn place(&self, server: ModelServer) -> Place {
        let place = Place::bare(server);
        self.configure(&place);
        for (path, content) in &self.files {
            place.work.write(path, content);
        }
        place
    }

    /// Commands run unboxed and unasked: what a kernel can hold, and who is asked, is not what is looked at here.
    fn configure(&self, place: &Place) {
        let Self { top, kind, window, provider, settings, .. } = self;
        let url = place.server.base_url();
        let permissions = if settings.contains("[permissions]") { "" } else { "[permissions]\nmode = \"allow\"\n" };
        let text = format!(
            "default_model = \"mock/m1\"\n{top}\n[[providers]]\nname = \"mock\"\nkind = \"{kind}\"\nbase_url = \"{url}\"\nmodels = [\"m1\", \"m2\"]\ndefault = \"m1\"\napi_key_env = \"MOCK_KEY\"\ncontext_window = {window}\n{provider}\n{settings}\n{permissions}\n[sandbox]\nbash = \"off\"\n"
        );
        place.home.write("config.toml", text);
    }

    /// Plays the session and gives the place that is left of it.
    pub fn play(mut self) -> Place {
        let answer = self.answer.take().expect("a scene has answers");
        let place = self.place(ModelServer::start_with(answer));
        for act in &self.acts {
            match act {
                Act::Command(args, code) => {
                    let ran = place.run(&borrowed(&named(&place, args)));
                    assert_eq!(ran.code, Some(*code), "{}: {args:?}: {}{}", self.name, ran.out, ran.err);
                }
                Act::Piped(args, input) => piped(&place, args, input),
                Act::Chat(lines) => chat(&place, lines),
            }
        }
        place
    }

    /// Goes on with recorded sessions in a new home, and gives the place that is left.
    pub fn resume(self, state: &[(PathBuf, Vec<u8>)]) -> Place {
        let place = self.place(ModelServer::start_with(|_| Some(Reply::say("going on"))));
        fixture::put_state(&place, state);
        let newest = newest(&place);
        let ran = place.run(&["run", "--resume", &newest, "and go on"]);
        assert_eq!(ran.code, Some(0), "{}: {}{}", self.name, ran.out, ran.err);
        place
    }
}

/// The newest session that is listed: those of planners are not.
fn newest(place: &Place) -> String {
    let listed = place.run(&["sessions", "--json"]).out;
    let id = |line: &str| -> Option<String> {
        let session: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(session["id"].as_str()?.to_owned())
    };
    listed.lines().filter_map(id).max().expect("a session")
}

fn owned(args: &[&str]) -> Vec<String> {
    args.iter().map(|arg| (*arg).to_owned()).collect()
}

fn borrowed(args: &[String]) -> Vec<&str> {
    args.iter().map(String::as_str).collect()
}

/// The arguments, with the id of the first session where they speak of it.
fn named(place: &Place, args: &[String]) -> Vec<String> {
    let first = place.logs().first().and_then(|log| Some(log.file_stem()?.to_string_lossy().into_owned()));
    args.iter().map(|arg| arg.replace("{SESSION}", first.as_deref().unwrap_or_default())).collect()
}

fn piped(place: &Place, args: &[String], input: &str) {
    let mut command = place.command(&borrowed(args));
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts");
    child.stdin.take().expect("an end to write to").write_all(input.as_bytes()).expect("input is taken");
    let ran = support::finish(child.wait_with_output().expect("an end"));
    assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
}

/// What is said to an answer that came too early.
const EARLY: &str = "answer once more";

/// Plays a line chat in a terminal. Each line is typed when what it answers to is on the screen.
fn chat(place: &Place, lines: &[Line]) {
    let mut pty = Pty::new(100, 30);
    let mut command = place.command(&["--continue"]);
    command.env("REASONIX_PLAIN", "1");
    let mut child = pty.spawn(command);
    pty.wait_for("the chat", |written| written.contains("> "));
    for Line { typed, shown, prompts } in lines {
        let before = pty.written().matches(shown).count();
        let is_there = |written: &str| {
            let seen = written.matches(shown).count() > before;
            seen && (!prompts || written.rfind("> ") > written.rfind(shown))
        };
        // A yes that comes before anybody can have read the question is asked for once more.
        loop {
            let early = pty.written().matches(EARLY).count();
            pty.keys(&format!("{typed}\r"));
            let written = pty.wait_for(shown, |written| is_there(written) || written.matches(EARLY).count() > early);
            if is_there(&written) {
                break;
            }
        }
    }
    pty.keys("/quit\r");
    assert!(child.wait().expect("an end").success(), "{}", pty.written());
}

/// A file or folder of the fixtures.
pub fn at(name: impl AsRef<Path>) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bodies").join(name)
}

/// A scene, made anew each time it is played.
pub type Made = fn() -> Scene;

/// True when fixtures of bodies are to be written.
pub fn blessing() -> bool {
    std::env::var("REASONIX_BLESS").is_ok_and(|value| value == "1")
}
