//! A rule: `Tool`, `Tool(specifier)`, and the older forms `tool` and `tool=literal`.

use crate::analyse::read_only;
use crate::command;
use crate::effects::{Effects, Simple, WordKind};
use crate::outside;
use crate::reach;
use crate::readers::without_git_options;
use crate::strays::{Named, strays};
use globset::{GlobBuilder, GlobMatcher};
use reasonix_proto::{Action, Family, ReadOnly, is_deceptive};
use std::fmt;
use std::path::Path;

/// One permission rule, as written.
#[derive(Debug, Clone)]
pub struct Rule {
    text: String,
    target: Target,
    specifier: Option<Specifier>,
    /// True for a prefix that reaches too far to allow anything, wherever it came from.
    far: bool,
    /// Names that it may speak of besides, where it forbids or asks.
    wider: Vec<String>,
    /// Written as `Mcp(…)`: it names one server, and no other whose name only begins like it.
    of_server: bool,
}

/// Which calls a rule speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    Family(Family),
    /// A tool by its own name; also tools that do not exist here, so that no rule is ever lost.
    Tool(String),
    /// Tools whose names fit, such as `mcp__github__*`.
    Tools(String),
    Everything,
}

/// Which subjects a rule speaks of.
#[derive(Debug, Clone)]
enum Specifier {
    /// `Bash(npm test:*)`: this command, with any further arguments, and no other operator; several are joined by `&&`.
    Prefix(Vec<String>),
    /// Exactly this text; blanks may differ where they mean nothing.
    Exact(String),
    /// A text with `*` in it.
    Wild(GlobMatcher),
    /// A path glob.
    Path(GlobMatcher),
}

/// A rule that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot read the rule {rule:?}: {reason}")]
pub struct RuleError {
    /// The rule's text.
    pub rule: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Rule {
    /// Reads a rule.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let text = text.trim();
        let fail = |reason: &str| RuleError { rule: text.to_owned(), reason: reason.to_owned() };
        if let Some(c) = text.chars().find(|c| is_deceptive(*c) && *c != '\u{a0}') {
            let number = format!("U+{:04X}", u32::from(c));
            return Err(fail(&format!("it has a character that cannot be seen, {number}; write it without")));
        }
        if let Some(rule) = Self::of_servers(text) {
            return rule;
        }
        let literal = text.split_once('=').filter(|(name, _)| is_name(name));
        let (name, specifier) = match (literal, text.split_once('(')) {
            (Some((name, literal)), _) => (name, Some(Specifier::Exact(literal.trim().to_owned()))),
            (None, Some((name, rest))) => {
                let inner = rest.strip_suffix(')').ok_or_else(|| fail("the closing parenthesis is missing"))?;
                (name.trim(), specifier_of(name.trim(), inner, text)?)
            }
            (None, None) => (text, None),
        };
        if name == "*" {
            return Ok(Self {
                text: text.to_owned(),
                target: Target::Everything,
                specifier,
                far: false,
                wider: Vec::new(),
                of_server: false,
            });
        }
        if !is_name(&name.replace('*', "x")) {
            return Err(fail("it does not begin with the name of a tool"));
        }
        let wider = outside::besides(name);
        let mut rule =
            Self { text: text.to_owned(), target: target_of(name), specifier, far: false, wider, of_server: false };
        let reaches = matches!(rule.specifier, Some(Specifier::Prefix(_))) || matches!(rule.target, Target::Tools(_));
        rule.far = reaches && rule.too_far().is_some();
        Ok(rule)
    }

    /// `Mcp`, `Mcp(server)`, `Mcp(server.tool)` and `mcp__server`: other spellings of the names of such tools.
    fn of_servers(text: &str) -> Option<Result<Self, RuleError>> {
        if let Some(server) = outside::server_alone(text) {
            return Some(Ok(Self::spoken_of(text, Some(server))));
        }
        let (name, inner) = text.split_once('(').map_or((text, None), |(name, inner)| (name, Some(inner)));
        if !name.trim().eq_ignore_ascii_case("mcp") {
            return None;
        }
        let inner = inner.map(|inner| {
            let reason = || "the closing parenthesis is missing".to_owned();
            inner.strip_suffix(')').ok_or_else(|| RuleError { rule: text.to_owned(), reason: reason() })
        });
        Some(inner.transpose().map(|inner| Self::spoken_of(text, inner)))
    }

    /// The rule about all servers, one of them, or a tool of it.
    fn spoken_of(text: &str, inner: Option<&str>) -> Self {
        let target = target_of(&outside::of_servers(inner));
        let wider = outside::all_of_servers(inner);
        let mut rule = Self { text: text.to_owned(), target, specifier: None, far: false, wider, of_server: true };
        rule.far = rule.too_far().is_some();
        rule
    }

    /// Why the rule must not allow; none when it may.
    fn too_far(&self) -> Option<String> {
        if let Target::Tools(names) = &self.target {
            return outside::too_wide(names);
        }
        if !self.is_for_commands() {
            return None;
        }
        match &self.specifier {
            Some(Specifier::Prefix(prefixes)) => {
                prefixes.iter().find_map(|prefix| reach::too_far(&command::words(prefix).collect::<Vec<_>>()))
            }
            Some(Specifier::Wild(_)) => reach::too_far(&self.fixed_words().collect::<Vec<_>>()),
            Some(Specifier::Exact(_) | Specifier::Path(_)) | None => None,
        }
    }

    /// Reads a rule that allows, or that answers for a person: one that would cover code or another program is an error,
    /// and the reason names a narrower one.
    pub fn parse_allow(text: &str) -> Result<Self, RuleError> {
        let rule = Self::parse(text)?;
        match rule.too_far() {
            Some(reason) => Err(RuleError { rule: rule.text, reason }),
            None => Ok(rule),
        }
    }

    /// The words before the first `*` of a pattern for commands.
    fn fixed_words(&self) -> impl Iterator<Item = &str> {
        let text = match &self.specifier {
            Some(Specifier::Wild(glob)) => glob.glob().glob(),
            Some(Specifier::Exact(text)) => text.as_str(),
            _ => "",
        };
        command::words(text).take_while(|word| !word.contains('*'))
    }

    /// The rule as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True when the rule speaks of this tool at all.
    pub(crate) fn names(&self, tool: &str, family: Family) -> bool {
        match &self.target {
            Target::Everything => true,
            Target::Family(named) => *named == family,
            Target::Tool(named) => named.eq_ignore_ascii_case(tool),
            Target::Tools(names) => outside::fits(names, tool) && !(self.of_server && outside::is_deeper(names, tool)),
        }
    }

    /// True when the rule, as one that forbids or asks, speaks of this call. What may not be read may not be searched
    /// either, nor changed or moved: a change shows what was there.
    fn concerns(&self, tool: &str, family: Family) -> bool {
        let reads_it = matches!(family, Family::Grep | Family::Edit) && self.names_paths();
        let may_name = || family == Family::Tool && self.wider.iter().any(|names| outside::may_fit(names, tool));
        self.names(tool, family) || (reads_it && self.target == Target::Family(Family::Read)) || may_name()
    }

    /// Globs of what this rule, as one that denies, hides from listings and searches.
    pub fn unlisted(&self) -> Vec<String> {
        let hides = matches!(self.target, Target::Family(Family::Read | Family::Grep));
        match &self.specifier {
            Some(Specifier::Path(glob)) if hides => {
                let pattern = glob.glob().glob();
                let anywhere = if pattern.contains('/') { "" } else { "**/" };
                vec![format!("{anywhere}{pattern}"), format!("{anywhere}{pattern}/**")]
            }
            _ => Vec::new(),
        }
    }

    /// Globs of what this rule, as one that denies, keeps as it is.
    pub fn unchanged(&self) -> Vec<String> {
        match &self.specifier {
            Some(Specifier::Path(glob)) if self.target == Target::Family(Family::Edit) => {
                let pattern = glob.glob().glob();
                let anywhere = if pattern.contains('/') { "" } else { "**/" };
                vec![format!("{anywhere}{pattern}")]
            }
            _ => Vec::new(),
        }
    }

    /// The rule's text with `~` at the beginning of its path put in place. In a command it is a part of the text.
    pub fn at_home(text: &str, home: &str) -> String {
        let placed = || {
            let (name, inner) = text.split_once('(')?;
            let rest = inner.trim_start().strip_prefix('~').filter(|rest| rest.starts_with(['/', ')']))?;
            let commands = target_of(name.trim()) == Target::Family(Family::Bash);
            (!commands).then(|| format!("{name}({}{rest}", home.trim_end_matches('/')))
        };
        placed().unwrap_or_else(|| text.to_owned())
    }

    /// The tool that the rule names, where that is no family; it may be one that does not exist here.
    pub fn tool(&self) -> Option<&str> {
        match &self.target {
            Target::Tool(name) => Some(name),
            Target::Family(_) | Target::Tools(_) | Target::Everything => None,
        }
    }

    /// The rule's text with a path below `root` made relative to it, as paths are when rules are matched.
    pub fn relative_to(text: &str, root: &str) -> String {
        let cut = text.split_once('(').and_then(|(name, inner)| {
            let below = inner.trim_start().strip_prefix(root)?.strip_prefix('/')?;
            Some(format!("{name}({below}"))
        });
        cut.unwrap_or_else(|| text.to_owned())
    }

    /// A text that the rule speaks of; none where that cannot be made up.
    pub(crate) fn example(&self) -> Option<String> {
        let filled = |pattern: &str| {
            let plain = !pattern.contains(['[', '{', '\\']);
            plain.then(|| pattern.replace("**", "x").replace(['*', '?'], "x"))
        };
        match self.specifier.as_ref()? {
            Specifier::Prefix(prefixes) => prefixes.first().map(|prefix| format!("{prefix} x")),
            Specifier::Exact(text) => Some(text.clone()),
            Specifier::Wild(glob) => Some(glob.glob().glob().replace('\\', "").replace('*', "x")),
            Specifier::Path(glob) => filled(glob.glob().glob()),
        }
    }

    /// A call that the rule speaks of; none for a rule that speaks of everything, or of a tool by its name.
    pub(crate) fn sample(&self) -> Option<(&'static str, Action)> {
        let Target::Family(family) = self.target else { return None };
        let tool = match family {
            Family::Bash => "bash",
            Family::Edit => "write_file",
            Family::Grep => "grep",
            Family::Skill => "skill",
            Family::Task => "task",
            _ => "read_file",
        };
        Some((tool, sample_action(family, self.example()?)))
    }

    /// True for a path that begins with `~`, which no path does that rules are held against.
    pub(crate) fn begins_at_home(&self) -> bool {
        matches!(&self.specifier, Some(Specifier::Path(glob)) if glob.glob().glob().starts_with('~'))
    }

    /// True when the rule names files.
    pub fn names_paths(&self) -> bool {
        matches!(self.specifier, Some(Specifier::Path(_)))
            && !matches!(self.target, Target::Family(Family::Skill | Family::Task))
    }

    /// True when the rule speaks of every call of its tool or family. A pattern for names is no name of a family.
    pub(crate) fn is_bare(&self) -> bool {
        self.specifier.is_none() && !matches!(self.target, Target::Tools(_))
    }

    /// True when the rule permits a call that is not a command: every subject must fit.
    pub(crate) fn permits(&self, tool: &str, action: &Action) -> bool {
        // What comes from outside is allowed by name alone: nobody knows what the next server brings.
        let unnamed = action.family == Family::Tool && self.target == Target::Everything;
        if !self.names(tool, action.family) || unnamed || matches!(self.target, Target::Tools(_)) && self.far {
            return false;
        }
        let Some(specifier) = &self.specifier else { return true };
        !action.subjects.is_empty() && action.subjects.iter().all(|subject| specifier.fits(subject))
    }

    /// True when the rule is this very line; blanks may differ where they mean nothing.
    pub(crate) fn is_line(&self, line: &str) -> bool {
        match &self.specifier {
            Some(Specifier::Exact(text)) => {
                let plain = !line.contains(['\'', '"', '\\', '\n', '\r', '#']);
                text == line.trim() || (plain && command::normal(text) == command::normal(line))
            }
            _ => false,
        }
    }

    /// True when the rule permits this one command of a line that is understood. Its own words must be there as they are,
    /// and options that write or lead elsewhere must be among them.
    pub(crate) fn covers(&self, simple: &Simple) -> bool {
        self.reach(simple).is_some()
    }

    /// How many words of the command the rule names, when it permits it.
    pub(crate) fn reach(&self, simple: &Simple) -> Option<usize> {
        if matches!(self.target, Target::Tools(_)) {
            return None;
        }
        let Some(specifier) = &self.specifier else { return Some(simple.words.len()) };
        let fixed = simple.words.iter().all(|word| word.kind <= WordKind::Pattern);
        if !fixed || self.far || (reach::is_of_its_folder(simple) && !simple.places.are_here()) {
            return None;
        }
        match specifier {
            Specifier::Prefix(prefixes) => prefixes.iter().find_map(|prefix| {
                let wanted: Vec<&str> = command::words(prefix).collect();
                let begins = simple.words.len() >= wanted.len()
                    && simple.words.iter().zip(&wanted).all(|(word, wanted)| word.is_fixed() && word.text == **wanted);
                let strays = || strays(simple, &Named::First(wanted.len()));
                (!wanted.is_empty() && begins && !strays()).then_some(wanted.len())
            }),
            Specifier::Exact(text) => {
                let same = simple.text() == command::normal(text) && !text.contains(['\'', '"', '\\']);
                same.then_some(simple.words.len())
            }
            Specifier::Wild(glob) => {
                let named: Vec<&str> = command::words(glob.glob().glob()).collect();
                let fits = glob.is_match(simple.text()) && !strays(simple, &Named::Words(&named));
                fits.then(|| self.fixed_words().count())
            }
            Specifier::Path(_) => None,
        }
    }

    /// True when what the rule forbids could be in the line though it was not found there: started by a program of which
    /// nobody knows what it does with its words, or hidden in a text that is not understood.
    pub(crate) fn may_touch(&self, tool: &str, effects: &Effects) -> bool {
        if !self.names(tool, Family::Bash) {
            return false;
        }
        let could = effects.could_run().iter().any(|simple| self.touches_command(simple));
        let open = || !effects.understood || effects.interprets;
        could || self.may_be_filled_in(effects) || (open() && self.may_hide_in(effects))
    }

    /// True when the rule touches this command.
    pub(crate) fn touches_command(&self, simple: &Simple) -> bool {
        let alone = Effects { commands: vec![simple.clone()], understood: true, ..Effects::default() };
        self.touches_line(&simple.text(), &alone)
    }

    /// True when what comes in by a pipe, or what a pattern finds, may make a command of the line what the rule names.
    fn may_be_filled_in(&self, effects: &Effects) -> bool {
        let commands = || effects.commands.iter().chain(&effects.maybe);
        let filled = |simple: &&Simple| simple.words.iter().any(|word| !word.is_fixed());
        // What a pattern finds begins as the pattern does.
        let begins = |simple: &Simple, words: &[&str]| {
            let pairs = || simple.words.iter().zip(words).filter(|(word, _)| word.kind == WordKind::Pattern);
            pairs().next().is_none_or(|(word, wanted)| {
                let fixed = word.text.split(['*', '?', '[', '{']).next().unwrap_or_default();
                wanted.starts_with(fixed) || simple.program() == "git"
            })
        };
        let may = |simple: &Simple, words: &[&str]| may_be(simple, words) && begins(simple, words);
        commands().filter(filled).any(|simple| self.forms().iter().any(|words| may(simple, words)))
    }

    /// The words that a rule for commands begins with, in every form that it has.
    fn forms(&self) -> Vec<Vec<&str>> {
        match &self.specifier {
            Some(Specifier::Prefix(prefixes)) => {
                prefixes.iter().map(|prefix| command::words(prefix).collect()).collect()
            }
            Some(Specifier::Exact(_) | Specifier::Wild(_)) => vec![self.fixed_words().collect()],
            Some(Specifier::Path(_)) | None => Vec::new(),
        }
    }

    /// True when its words stand somewhere in a line that is not understood, or words that only the shell knows may turn
    /// out to be them. Of a line that nobody could read, the name of the program is enough.
    fn may_hide_in(&self, effects: &Effects) -> bool {
        let forms = self.forms();
        let spellings =
            effects.spellings.get_or_init(|| command::spellings(&format!("{}\n{}", effects.open, effects.input)));
        let stands = |word: &&str| {
            let bare = word.replace(['\'', '"', '\\'], "");
            spellings.iter().any(|text| command::stands(text, &bare))
        };
        let commands = || effects.commands.iter().chain(&effects.maybe);
        let most = if effects.hidden.is_some() { 1 } else { usize::MAX };
        forms.iter().filter(|words| !words.is_empty()).any(|words| {
            words.iter().take(most).all(stands)
                || commands().any(|simple| may_be(simple, words) || holds(simple, words))
        })
    }

    /// True when the rule touches the call: one subject, or one command in the line, is enough.
    pub(crate) fn touches(&self, tool: &str, action: &Action, effects: &[Effects]) -> bool {
        if !self.concerns(tool, action.family) {
            return false;
        }
        let Some(specifier) = &self.specifier else { return true };
        if action.family == Family::Bash {
            return action.subjects.iter().zip(effects).any(|(line, effects)| specifier.touches_line(line, effects));
        }
        action.subjects.iter().any(|subject| specifier.touches_path(subject))
    }

    /// True when the rule, as one that forbids or asks, names what a search looks for: `Grep(password*)`, `glob(*.pem)`.
    pub fn speaks_of_search(&self, tool: &str, pattern: &str) -> bool {
        let named = match &self.target {
            Target::Family(family) => matches!((family, tool), (Family::Grep, "grep") | (Family::Read, "glob")),
            Target::Tool(named) => named.eq_ignore_ascii_case(tool),
            Target::Tools(_) | Target::Everything => false,
        };
        named && self.specifier.as_ref().is_some_and(|specifier| specifier.touches_path(pattern))
    }

    /// The same for one line.
    pub(crate) fn touches_line(&self, line: &str, effects: &Effects) -> bool {
        self.specifier.as_ref().is_none_or(|specifier| specifier.touches_line(line, effects))
    }

    /// True when the rule names this word, such as a path outside of the workspace.
    pub(crate) fn mentions(&self, word: &str) -> bool {
        let named = |text: &str| command::words(text).any(|part| part == word);
        match &self.specifier {
            Some(Specifier::Prefix(prefixes)) => prefixes.iter().any(|prefix| named(prefix)),
            Some(Specifier::Exact(text)) => named(text),
            Some(Specifier::Wild(glob) | Specifier::Path(glob)) => named(glob.glob().glob()),
            None => false,
        }
    }

    /// True when the rule permits a change to this path.
    pub(crate) fn covers_path(&self, path: &str) -> bool {
        let edits = matches!(self.target, Target::Family(Family::Edit) | Target::Everything);
        edits && self.specifier.as_ref().is_none_or(|specifier| specifier.fits(path.trim_start_matches("./")))
    }

    /// True when the rule, as one that forbids or asks, speaks of a change to this path, seen from where rules for paths
    /// begin; `whole` when what lies below the path changes with it.
    pub fn speaks_of_change(&self, path: &str, whole: bool) -> bool {
        let edits = matches!(self.target, Target::Family(Family::Edit | Family::Read) | Target::Everything);
        let Some(specifier @ Specifier::Path(glob)) = self.specifier.as_ref().filter(|_| edits) else { return false };
        let path = lexical(path);
        let above = || {
            let fixed = glob.glob().glob().split(['*', '?', '[', '{']).next().unwrap_or_default();
            let root =
                if fixed == glob.glob().glob() { fixed } else { fixed.rsplit_once('/').map_or("", |(root, _)| root) };
            let below = |path: &str| root == path || root.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
            path.is_empty() || (!root.is_empty() && below(&path))
        };
        specifier.touches_path(&path) || (whole && above())
    }

    /// True when the rule, as one that forbids or asks, names this path as one to read. A rule without a path is about tools.
    pub fn speaks_of_reading(&self, path: &str) -> bool {
        self.names_paths() && self.touches("read_file", &Action::reads(Family::Read, path), &[])
    }

    /// True when the rule speaks of commands.
    pub(crate) fn is_for_commands(&self) -> bool {
        self.names("bash", Family::Bash)
    }

    /// Reads a pattern for commands: a rule, or the text of a command, which stands for everything that begins so.
    pub(crate) fn parse_pattern(text: &str) -> Result<Self, RuleError> {
        let text = text.trim();
        if text.strip_prefix("Bash(").is_some_and(|rest| rest.ends_with(')')) {
            return Self::parse(text);
        }
        let inner = if text.contains('*') { text.to_owned() } else { format!("{text}:*") };
        let rule = Self::parse(&format!("Bash({inner})"))?;
        if rule.is_bare() || text.is_empty() {
            let reason = "it would call every command dangerous".to_owned();
            return Err(RuleError { rule: text.to_owned(), reason });
        }
        Ok(Self { text: text.to_owned(), ..rule })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Specifier {
    /// By the text alone, every piece that could be a command, and by what the line would run.
    fn touches_line(&self, line: &str, effects: &Effects) -> bool {
        let among = || match self {
            Self::Prefix(prefixes) => prefixes.iter().any(|prefix| {
                let wanted: Vec<&str> = command::words(prefix).collect();
                effects.commands.iter().chain(&effects.maybe).any(|simple| is_behind_options(simple, &wanted))
            }),
            _ => false,
        };
        effects.texts.get_or_init(|| texts(line, effects)).iter().any(|text| self.fits(text)) || among()
    }

    /// A folder that is forbidden forbids what is in it, and a name without a folder is forbidden in every one.
    fn touches_path(&self, subject: &str) -> bool {
        let anywhere = matches!(self, Self::Path(glob) if !glob.glob().glob().contains('/'));
        let parts = Path::new(subject).ancestors().filter(|part| !part.as_os_str().is_empty());
        parts.into_iter().any(|part| {
            let name = part.file_name().filter(|_| anywhere);
            self.fits(&part.to_string_lossy()) || name.is_some_and(|name| self.fits(&name.to_string_lossy()))
        })
    }

    fn fits(&self, subject: &str) -> bool {
        match self {
            Self::Prefix(prefixes) => prefixes.iter().any(|prefix| {
                subject.strip_prefix(prefix.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            }),
            Self::Exact(text) => subject == text || subject == command::normal(text),
            Self::Wild(glob) | Self::Path(glob) => glob.is_match(subject),
        }
    }
}

/// Every text that a rule may speak of: pieces of the line, and its commands with and without the program's folder and
/// git's own options.
fn texts(line: &str, effects: &Effects) -> Vec<String> {
    let bare = |simple: &Simple| {
        let args: Vec<_> = simple.args().iter().map(|word| word.text.as_str()).collect();
        format!("{} {}", simple.program(), args.join(" ")).trim_end().to_owned()
    };
    let mut found = command::pieces(line);
    if effects.hidden.is_some() {
        found.extend(command::beginnings(line));
    }
    // Of other lines the pieces are the same.
    if !effects.understood && effects.open.contains(['{', '\\']) {
        found.extend(command::loose_pieces(&effects.open));
    }
    for simple in effects.commands.iter().chain(&effects.maybe) {
        let (program, text) = (simple.program(), simple.text());
        let git = (program == "git").then(|| without_git_options(simple)).flatten();
        found.extend(git.map(|git| bare(&git)));
        let is_bare =
            simple.words.first().is_none_or(|word| word.text == program) && !text.ends_with(char::is_whitespace);
        found.extend((!is_bare).then(|| bare(simple)));
        found.push(text);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// True when an option's value, attached to it, begins with these words: `-O'rm -rf x'`, `--exec='rm x'`.
fn holds(simple: &Simple, wanted: &[&str]) -> bool {
    let begins = |text: &str| {
        let mut words = text.trim_start_matches('!').split_whitespace();
        wanted.iter().all(|wanted| words.next() == Some(wanted))
    };
    simple.args().iter().filter(|word| word.text.starts_with('-')).any(|word| {
        let short = word.text.get(2..).is_some_and(begins);
        short || word.text.split_once('=').is_some_and(|(_, value)| begins(value))
    })
}

/// True when the words of a rule stand in a command with nothing but options and what may be their values between them.
fn is_behind_options(simple: &Simple, wanted: &[&str]) -> bool {
    let Some((program, subcommands)) = wanted.split_first().filter(|(_, more)| !more.is_empty()) else { return false };
    // `git-push` is `git push`.
    let (name, first) = match simple.program().strip_prefix(program).and_then(|rest| rest.strip_prefix('-')) {
        Some(rest) => (*program, Some(rest)),
        None => (simple.program(), None),
    };
    let mut words = first.into_iter().chain(simple.args().iter().map(|word| word.text.as_str()));
    let mut value = false;
    name == *program
        && subcommands.iter().all(|wanted| {
            for word in words.by_ref() {
                let option = word.starts_with(['-', '+']) || word.contains('=');
                if word == *wanted {
                    value = false;
                    return true;
                }
                if !option && !value {
                    return false;
                }
                value = option;
            }
            false
        })
}

/// The path without `.` and with `..` taken back as far as the text tells.
fn lexical(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
        match (part, parts.last()) {
            ("..", Some(last)) if *last != ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

/// True when words that only the shell knows may make these words of the command.
fn may_be(simple: &Simple, words: &[&str]) -> bool {
    let git = simple.program() == "git";
    let bare = git.then(|| without_git_options(simple)).flatten();
    if git && bare.is_none() {
        // Which of its words is the subcommand cannot be told.
        return words.first() == Some(&"git");
    }
    let simple = bare.as_ref().unwrap_or(simple);
    for (at, wanted) in words.iter().enumerate() {
        let Some(word) = simple.words.get(at) else { return false };
        let same = word.text == *wanted || (at == 0 && simple.program() == *wanted);
        match (word.is_fixed(), same) {
            (true, true) => {}
            (true, false) => return false,
            // One word may become several.
            (false, _) => return at > 0,
        }
    }
    false
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

fn target_of(name: &str) -> Target {
    match name.to_ascii_lowercase().as_str() {
        "bash" | "shell" => Target::Family(Family::Bash),
        "edit" | "write" | "patch" | "multiedit" | "notebookedit" => Target::Family(Family::Edit),
        "read" | "list" | "ls" | "glob" => Target::Family(Family::Read),
        "grep" => Target::Family(Family::Grep),
        "skill" => Target::Family(Family::Skill),
        "task" => Target::Family(Family::Task),
        _ if name.contains('*') => Target::Tools(name.to_ascii_lowercase()),
        _ => Target::Tool(name.to_owned()),
    }
}

fn specifier_of(name: &str, inner: &str, rule: &str) -> Result<Option<Specifier>, RuleError> {
    let fail = |reason: String| RuleError { rule: rule.to_owned(), reason };
    let inner = inner.trim();
    if inner.is_empty() {
        return Err(fail("there is nothing between the parentheses".to_owned()));
    }
    if inner == "*" || inner == "**" {
        return Ok(None);
    }
    if target_of(name) != Target::Family(Family::Bash) {
        let pattern = inner.strip_prefix("./").unwrap_or(inner);
        let pattern = if pattern.ends_with('/') { format!("{pattern}**") } else { pattern.to_owned() };
        return glob(&pattern, true).map(|glob| Some(Specifier::Path(glob))).map_err(fail);
    }
    // `cmd:*` is how a prefix is written, `cmd *` is its older form.
    if let Some(prefix) = inner
        .strip_suffix(":*")
        .or_else(|| inner.strip_suffix(" *"))
        .filter(|prefix| !prefix.replace(":* && ", " ").contains('*'))
    {
        let parts: Vec<&str> = prefix.split(":* && ").collect();
        return Ok(Some(Specifier::Prefix(parts.into_iter().map(command::normal).collect())));
    }
    if inner.contains('*') {
        return glob(&command::normal(inner), false).map(|glob| Some(Specifier::Wild(glob))).map_err(fail);
    }
    Ok(Some(Specifier::Exact(inner.to_owned())))
}

fn glob(pattern: &str, is_path: bool) -> Result<GlobMatcher, String> {
    // In a command only `*` is special; `[` and `?` are what they are in the command.
    let escaped: String = if is_path {
        pattern.to_owned()
    } else {
        pattern
            .chars()
            .flat_map(|c| if matches!(c, '?' | '[' | ']' | '{' | '}' | '\\') { vec!['\\', c] } else { vec![c] })
            .collect()
    };
    let built = GlobBuilder::new(&escaped).literal_separator(is_path).backslash_escape(true).build();
    built.map(|glob| glob.compile_matcher()).map_err(|error| error.kind().to_string())
}

/// The action that an example of a rule stands for.
pub(crate) fn sample_action(family: Family, subject: String) -> Action {
    let read_only = match family {
        Family::Bash => read_only(&subject),
        Family::Edit => ReadOnly::No,
        // As a writer, so that the rule decides and not the fallback for readers.
        _ => ReadOnly::Unknown,
    };
    Action { family, subjects: vec![subject], read_only }
}

#[cfg(test)]
mod tests {
    use super::Rule;
    use crate::{Rules, Verdict, evaluate};
    use reasonix_proto::{Action, Family, Posture};

    #[test]
    fn a_tilde_is_the_home_folder_in_paths_only() {
        for (text, want) in [
            ("Edit(~/notes/**)", "Edit(/home/me/notes/**)"),
            ("Read(~)", "Read(/home/me)"),
            ("Read( ~/x)", "Read(/home/me/x)"),
            ("Read(~other/x)", "Read(~other/x)"),
            ("Bash(~/bin/x:*)", "Bash(~/bin/x:*)"),
            ("Edit(a~/b)", "Edit(a~/b)"),
            ("Edit", "Edit"),
        ] {
            assert_eq!(Rule::at_home(text, "/home/me"), want, "{text}");
        }
    }

    #[test]
    fn rules_for_skills_name_them_and_no_files() {
        let judged = |rule: &str, name: &str| {
            let rules = Rules { deny: vec![Rule::parse(rule).unwrap()], ..Rules::default() };
            let action = Action::reads(Family::Skill, name);
            matches!(evaluate(&rules, &[], Posture::Ask, "skill", &action), Verdict::Deny(_))
        };
        for (rule, name, want) in [
            ("Skill(deploy)", "deploy", true),
            ("skill(deploy-*)", "deploy-web", true),
            ("Skill(deploy-*)", "deploy", false),
            ("Skill", "anything", true),
            ("Read", "deploy", false),
            ("Read(deploy)", "deploy", false),
            ("*", "deploy", true),
        ] {
            assert_eq!(judged(rule, name), want, "{rule} {name}");
        }
        assert!(!Rule::parse("Skill(deploy)").unwrap().names_paths());
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        for (text, reason) in [
            ("", "name of a tool"),
            ("Bash(", "closing parenthesis"),
            ("Bash()", "nothing between"),
            ("(ls)", "name of a tool"),
            ("Edit([)", "unclosed"),
        ] {
            let error = Rule::parse(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text:?}: {error}");
        }
    }
}
