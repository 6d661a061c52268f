//! What must hold for every command line and every rule, whoever makes them up: the property tests and the fuzzers.
#![allow(dead_code, reason = "each user takes what it needs")]

use reasonix_policy::{
    By, Case, Circumstances, Facts, Fallback, Hidden, Places, Posture, Rule, Rules, Target, Verdict, analyse, judge,
    more_dangers, suggest, visible,
};
use reasonix_proto::{Action, Family};

/// `old*` was there before, `ours*` was made by this session, `dir*` is a folder, everything else is not there.
pub(crate) struct World;

impl Facts for World {
    fn target(&self, places: &Places, path: &str) -> Target {
        let name = path.rsplit('/').next().unwrap_or(path);
        let known = places.known || path.starts_with('/');
        Target {
            exists: !known || ["old", "ours", "dir"].iter().any(|part| name.starts_with(part)),
            folder: known && name.starts_with("dir"),
            ours: known && name.starts_with("ours"),
            inside: known
                && !path.starts_with(['/', '~'])
                && !path.contains("..")
                && !places.dirs.iter().any(|dir| dir.starts_with('/') || dir.contains("..")),
            passing: false,
        }
    }
}

/// A user's settings, and whether the user is there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting {
    pub(crate) mode: Fallback,
    pub(crate) posture: Posture,
    pub(crate) attended: bool,
    pub(crate) held: bool,
}

/// The settings that a byte stands for.
pub(crate) fn setting(byte: u8) -> Setting {
    Setting {
        mode: [Fallback::Ask, Fallback::Allow, Fallback::Deny, Fallback::Ask][usize::from(byte & 3)],
        posture: [Posture::Ask, Posture::Auto, Posture::Yolo, Posture::Ask][usize::from((byte >> 2) & 3)],
        attended: byte & 16 != 0,
        held: byte & 64 != 0,
    }
}

fn rules(texts: &[&str]) -> Vec<Rule> {
    texts.iter().map(|text| Rule::parse(text).unwrap()).collect()
}

/// The verdict of a line under rules of every kind.
pub(crate) fn verdict(line: &str, setting: Setting) -> Verdict {
    thread_local! {
        static RULES: [Vec<Rule>; 5] = [
            rules(&["Bash(touch:*)", "Bash(git push)", "Bash(*evil*)"]),
            rules(&["Bash(npm install:*)"]),
            rules(&["Bash(npm test:*)", "Bash(cargo test:*)", "Bash(make x)", "Bash(git log *)"]),
            rules(&["Bash(rm:*)", "Edit(old)"]),
            more_dangers(&["make deploy".to_owned()]).unwrap(),
        ];
    }
    RULES.with(|[deny, ask, allow, approved, dangerous]| {
        let rules = Rules {
            deny: deny.clone(),
            ask: ask.clone(),
            allow: allow.clone(),
            mode: setting.mode,
            ..Rules::default()
        };
        let read_only = analyse(line).read_only;
        let action = Action { family: Family::Bash, subjects: vec![line.to_owned()], read_only };
        let about = Circumstances {
            granted: &[],
            approved,
            dangerous,
            posture: setting.posture,
            attended: setting.attended,
            held: setting.held,
            facts: &World,
        };
        judge(&rules, &about, &Case::new("bash", &action))
    })
}

/// How strict a verdict is.
pub(crate) fn rank(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Allow(_) => 0,
        Verdict::Ask(By::Danger(_)) => 2,
        Verdict::Ask(_) => 1,
        Verdict::Deny(_) => 3,
    }
}

/// What may stand between a line and what is appended to it.
pub(crate) const JOINTS: &[&str] = &["\n", "; ", " && ", " || ", " | ", " & ", "\n\n", ";\n"];

/// True when a line is whole: nothing that follows becomes a part of its last command.
fn is_whole(line: &str) -> bool {
    !matches!(analyse(line).hidden, Some(Hidden::Unparsed)) && !line.ends_with('\\') && !line.contains("<<")
}

/// Appending to a line never makes its verdict weaker.
pub(crate) fn appending_is_never_weaker(head: &str, joint: &str, tail: &str, setting: Setting) -> Result<(), String> {
    if !is_whole(head) {
        return Ok(());
    }
    let whole = format!("{head}{joint}{tail}");
    let (before, after) = (verdict(head, setting), verdict(&whole, setting));
    if rank(&after) >= rank(&before) {
        return Ok(());
    }
    Err(format!("{head:?} is {before:?}, but {whole:?} is {after:?} ({setting:?})"))
}

/// Nothing that looks at a line fails, and what is said of it agrees with itself.
pub(crate) fn a_line_is_understood_or_hidden(line: &str) -> Result<(), String> {
    let effects = analyse(line);
    if effects != analyse(line) {
        return Err(format!("{line:?} is read differently the second time"));
    }
    if effects.hidden.is_none()
        && effects.commands.iter().any(|simple| !simple.words.first().is_some_and(|w| w.is_fixed()))
    {
        return Err(format!("{line:?} has a program that nobody knows, and is not hidden"));
    }
    // Letters that look like others stay, with their number behind them.
    let shown = visible(line);
    let lookalikes = line.contains(|c: char| matches!(c, '\u{370}'..='\u{52f}' | '\u{ff01}'..='\u{ff5e}'));
    if !lookalikes && visible(&shown) != shown {
        return Err(format!("{line:?} shows what hides: {shown:?}"));
    }
    let action = Action { family: Family::Bash, subjects: vec![line.to_owned()], read_only: effects.read_only };
    for text in suggest(&action) {
        let rule = Rule::parse(&text).map_err(|error| format!("{line:?} suggests {text:?}: {error}"))?;
        if effects.hidden.is_some() || rule.text() != text {
            return Err(format!("{line:?} suggests {text:?}"));
        }
    }
    Ok(())
}

/// What is understood consists of known words, runs unasked only by its exact options, and is covered by no rule that
/// reaches beyond what it names; what is not understood is covered by no pattern at all.
pub(crate) fn an_understood_line_says_what_it_does(line: &str) -> Result<(), String> {
    let effects = analyse(line);
    let odd = |c: char| matches!(c, '$' | '`' | '\\' | '{' | '}' | '(' | ')' | '#');
    let unquoted = line.split(['\'', '"']).step_by(2).any(|part| part.replace("\\\n", "").contains(odd));
    let quotes = line.contains('\'') && line.contains('"');
    if effects.understood && unquoted && !quotes {
        return Err(format!("{line:?} is taken for plain words"));
    }
    if effects.understood && (effects.hidden.is_some() || effects.assigns) {
        return Err(format!("{line:?} is understood and hides something"));
    }
    if effects.reads_surely() && effects.read_only != reasonix_proto::ReadOnly::Yes {
        return Err(format!("{line:?} surely reads, but only by the narrow reading"));
    }
    let program = effects.commands.first().map(|simple| simple.program().to_owned()).unwrap_or_default();
    let Ok(rule) = Rule::parse_allow(&format!("Bash({program}:*)")) else { return Ok(()) };
    let rules = Rules { allow: vec![rule], ..Rules::default() };
    let action = Action::writes(Family::Bash, vec![line.to_owned()]);
    match reasonix_policy::evaluate(&rules, &[], Posture::Ask, "bash", &action) {
        Verdict::Allow(by) if !effects.understood => Err(format!("{line:?} is not understood, and allowed by {by:?}")),
        _ => Ok(()),
    }
}

/// A rule that can be read is the same after it was written and read again, and forbids its own text.
pub(crate) fn a_rule_reads_as_it_is_written(text: &str) -> Result<(), String> {
    if let Ok(rule) = Rule::parse(text) {
        let again = Rule::parse(&rule.to_string()).map_err(|error| format!("{text:?} became {rule}: {error}"))?;
        if format!("{rule:?}") != format!("{again:?}") {
            return Err(format!("{rule:?} became {again:?}"));
        }
    }
    if let Ok(more) = more_dangers(&[text.to_owned()]) {
        let written: Vec<String> = more.iter().map(ToString::to_string).collect();
        let again = more_dangers(&written).map_err(|error| format!("{text:?} became {written:?}: {error}"))?;
        if format!("{more:?}") != format!("{again:?}") {
            return Err(format!("{more:?} became {again:?}"));
        }
    }
    let exact = format!("Bash({})", text.trim());
    if text.trim().is_empty() || text.contains('*') {
        return Ok(());
    }
    let deny = vec![Rule::parse(&exact).map_err(|error| format!("{exact:?}: {error}"))?];
    let rules = Rules { deny, ..Rules::default() };
    let action = Action::writes(Family::Bash, vec![text.to_owned()]);
    match reasonix_policy::evaluate(&rules, &[], Posture::Yolo, "bash", &action) {
        Verdict::Deny(_) => Ok(()),
        other => Err(format!("{exact:?} does not forbid its own text: {other:?}")),
    }
}

/// Pieces of lines: the more of them the shell takes for something special, the better.
#[rustfmt::skip]
pub(crate) const TOKENS: &[&str] = &[
    "rm", "ls", "npm test", "cargo test", "-rf", "x", "old", "ours", "dir", ";", "&&", "||", "|", "&", "\n", "$(", ")", "`",
    "\"", "'", "<(", ">", ">>", "<", "<<E\n", "\nE\n", "{", "}", "(", "((", "))", "[[", "]]", "if", "then", "fi", "for i in",
    "do", "done", "case", "esac", "in", "${x", "$x", "a=", "=", "\\", " ", "#", "!", "bash -c", "eval", "env", "timeout 5",
    "<<<", "$((", "2>&1", "-", "*", "\t", "touch", "\"$(", ")\"", "'ls'", "$'", "\\'", "\\\"", "$\"", "#x", "a#", "[", "]",
    "~", "?(", "!(", "&>", ">|", "<&", ">&", "|&", ";;", "function g", "time", "coproc", "let", "declare", "read",
    "printf -v x", "<<-E\n", "<<'E'\n", "${x:-", "${x/", "\\\n", "1", "2>", "+=", "a[", "]=", "command", "exec", "nice", "%",
    "@", "^", ",", "..", "wc -l", "git status", ">(", "git push", "git push --force", "git reset --hard", "git clean -fd",
    "git checkout", "git -C d", "--", ".", "mv", "cp", "ln -s", "tee", "dd of=old", "truncate", "shred", "chmod +x", "cd",
    "cd sub", "pushd", "popd", "sudo", "xargs", "find . -exec", "-delete", "sed -i", "python -c", "python", "make", "make deploy",
    "make x", "npm install", "npm publish", "-n", "--dry-run", "--help", "--version", "-l", "export A=1", "A=1", "f=--help",
    "$f", "\"$f\"", "-{a,b}", "--{help,x}", "/etc/passwd", "evil", "trap", "source", ". ./x", "exit", "|| exit", "return",
    "\u{200b}", "\u{202e}", "\r", "\u{b}", "\u{a0}", "\u{2028}", "\u{e0041}", "\u{430}", "é", "你", "\0", "nohup", "docker rm",
    "kubectl delete", "terraform apply", "poetry publish", "cargo publish", "systemctl stop", "kill -9 1", "sleep 1",
];

/// A line that bytes stand for: a token each.
pub(crate) fn tokens(bytes: &[u8]) -> String {
    let mut line = String::new();
    for byte in bytes {
        let index = usize::from(*byte);
        // What is beyond the table is a blank before the next one.
        match TOKENS.get(index) {
            Some(token) => line.push_str(token),
            None => line.push(' '),
        }
        if byte & 1 == 0 {
            line.push(' ');
        }
    }
    line
}

/// What the fuzzer's bytes mean: a setting, a joint, and two lines, written out or by tokens.
pub(crate) fn case(data: &[u8]) -> Option<(String, &'static str, String, Setting)> {
    let (&[first, second], rest) = data.split_first_chunk::<2>()?;
    let middle = rest.iter().position(|byte| *byte == 0xff).unwrap_or(rest.len() / 2);
    let (head, tail) = rest.split_at(middle);
    let tail = tail.strip_prefix(&[0xff]).unwrap_or(tail);
    let read = |bytes: &[u8]| {
        if first & 32 == 0 { tokens(bytes) } else { String::from_utf8_lossy(bytes).into_owned() }
    };
    Some((read(head), JOINTS[usize::from(second) % JOINTS.len()], read(tail), setting(first)))
}
