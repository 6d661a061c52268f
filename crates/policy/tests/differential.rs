//! The analysis against a real shell: every program that really ran is one the analysis named, or the analysis had said
//! that it does not know. Programs are stubs that only note their names.

use reasonix_policy::analyse;
use reasonix_proto::ReadOnly;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const LINES: usize = 2100;
const STUBS: &[&str] = &["rm", "ls", "npm", "git", "touch", "wc", "make"];
const REAL: &[&str] = &["bash", "sh", "env", "timeout", "nice", "xargs", "cat", "nohup", "setsid", "stdbuf"];

/// A small generator of its own, so that the lines are the same on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        usize::try_from((self.0 >> 33) % sides as u64).unwrap()
    }

    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.roll(of.len())]
    }
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn simple(dice: &mut Dice) -> String {
    let program = dice.pick(STUBS);
    let written = match dice.roll(9) {
        0 => format!("'{program}'"),
        1 => format!("\"{program}\""),
        2 => format!("\\{program}"),
        3 => format!("{}''{}", &program[..1], &program[1..]),
        4 => format!("$'{program}'"),
        _ => program.to_owned(),
    };
    let args = dice.pick(&[
        "",
        " -rf x",
        " test",
        " 'a b'",
        " \"$y\"",
        " *",
        " a{b,c}",
        " # not",
        " -- -x",
        " \\\n  z",
        " '#' \"'\"",
    ]);
    let redirect =
        dice.pick(&["", "", "", " > out", " 2>&1", " >> out z", " < /dev/null", " &> out", " 2>/dev/null", " <<< w"]);
    format!("{written}{args}{redirect}")
}

fn line(dice: &mut Dice, deep: usize) -> String {
    if deep == 0 {
        return simple(dice);
    }
    let a = line(dice, deep - 1);
    // What stands behind a comment or on one line with a heredoc would change the meaning; a line end never does.
    match dice.roll(30) {
        0 => format!("{a}\n{}", line(dice, deep - 1)),
        1 => format!("{a} && {}", line(dice, deep - 1)),
        2 => format!("{a} || {}", line(dice, deep - 1)),
        3 => format!("{a} | {}", line(dice, deep - 1)),
        4 => format!("{a}; {}", line(dice, deep - 1)),
        5 => format!("{a} & {}", line(dice, deep - 1)),
        6 => format!("ls $({a}\n)"),
        7 => format!("ls \"x $({a}\n) y\""),
        8 => format!("ls `{a}`"),
        9 => format!("({a}\n)"),
        10 => format!("{{ {a}\n}}"),
        11 => format!("if {a}\nthen {}\nfi", line(dice, deep - 1)),
        12 => format!("for i in 1 2; do {a}\ndone"),
        13 => format!("case x in x) {a}\n;; *) ls;; esac"),
        14 => format!("fn_a() {{ {a}\n}}\nfn_a"),
        15 => format!("bash -c {}", quote(&a)),
        16 => format!("eval {}", quote(&a)),
        17 => format!("env A=1 {}", simple(dice)),
        18 => format!("timeout -s KILL 5 {}", simple(dice)),
        19 => format!("echo 1 | xargs -n 1 {}", simple(dice)),
        20 => format!("cat <<EOF\n$({a}\n)\nEOF\n"),
        21 => format!("cat <<'EOF'\n$({a}\n)\nEOF\n"),
        22 => format!("bash <<'EOF'\n{a}\nEOF\n"),
        23 => format!("x=$({a}\n) make"),
        24 => format!("[[ -n $({a}\n) ]]"),
        25 => format!("ls ${{q:-$({a}\n)}}"),
        26 => format!("ls <({a}\n)"),
        27 => format!("! {a}"),
        28 => format!("nice -n 5 setsid {}", simple(dice)),
        _ => format!(
            "{} {a}",
            dice.pick(&["time", "time -p", "command", "exec", "nohup", "y=rm;", "trap", "> out", "A=1", "coproc"])
        ),
    }
}

const TOKENS: &[&str] = &[
    "rm",
    "ls",
    "npm",
    "-rf",
    "x",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "\n",
    "$(",
    ")",
    "`",
    "\"",
    "'",
    "<(",
    ">",
    ">>",
    "<",
    "<<E\n",
    "\nE\n",
    "{",
    "}",
    "(",
    "((",
    "))",
    "[[",
    "]]",
    "if",
    "then",
    "fi",
    "for i in",
    "do",
    "done",
    "case",
    "esac",
    "in",
    "${x",
    "$x",
    "a=",
    "=",
    "\\",
    " ",
    "#",
    "!",
    "bash -c",
    "eval",
    "env",
    "timeout 5",
    "<<<",
    "$((",
    "2>&1",
    "-",
    "*",
    "\t",
    "touch",
    "\"$(",
    ")\"",
    "'ls'",
    "$'",
    "\\'",
    "\\\"",
    "$\"",
    "#x",
    "a#",
    "[",
    "]",
    "~",
    "?(",
    "!(",
    "&>",
    ">|",
    "<&",
    ">&",
    "|&",
    ";;",
    "function g",
    "time",
    "coproc",
    "let",
    "declare",
    "read",
    "printf -v x",
    "<<-E\n",
    "<<'E'\n",
    "<<<",
    "${x:-",
    "${x/",
    "}",
    "\\\n",
    "1",
    "2>",
    "+=",
    "a[",
    "]=",
    "command",
    "exec",
    "nice",
    "%",
    "@",
    "^",
    ",",
    "..",
    "wc -l",
    "git status",
    ">(",
];

fn soup(dice: &mut Dice) -> String {
    let glue = if dice.roll(3) == 0 { "" } else { " " };
    let count = 2 + dice.roll(9);
    (0..count).map(|_| dice.pick(TOKENS)).collect::<Vec<_>>().join(glue)
}

struct Stage {
    folder: tempfile::TempDir,
    bash: PathBuf,
}

impl Stage {
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().join("bin");
        fs::create_dir(&bin).unwrap();
        let find =
            |name: &str| ["/usr/bin", "/bin"].iter().map(|dir| Path::new(dir).join(name)).find(|path| path.exists());
        for name in REAL {
            std::os::unix::fs::symlink(find(name)?, bin.join(name)).unwrap();
        }
        let shell = find("sh")?;
        for name in STUBS {
            let stub = bin.join(name);
            // One write a run, so that those of a pipe do not mix: the name, how many arguments, and the arguments.
            let note = format!("IFS=$(printf '\\037'); printf '%s\\036' \"{name}\u{1f}$#\u{1f}$*\" >> \"$RAN\"");
            fs::write(&stub, format!("#!{}\n{note}\n", shell.display())).unwrap();
            fs::set_permissions(&stub, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Some(Self { bash: find("bash")?, folder })
    }

    /// The stubs that the line really ran, by their names.
    fn named(&self, index: usize, line: &str) -> BTreeSet<String> {
        self.ran(index, line).into_iter().filter_map(|words| words.into_iter().next()).collect()
    }

    /// The stubs that the line really ran, with their arguments.
    fn ran(&self, index: usize, line: &str) -> Vec<Vec<String>> {
        let work = self.folder.path().join("work");
        let _ = fs::remove_dir_all(&work);
        // A log of its own: what an earlier line left running must not count.
        let log = self.folder.path().join(format!("ran-{index}"));
        fs::create_dir(&work).unwrap();
        let bin = self.folder.path().join("bin");
        let script = format!("PATH={}\nexport PATH\n{line}\nwait\n", bin.display());
        let mut command = Command::new("timeout");
        command.args(["-s", "KILL", "5"]).arg(&self.bash).arg("-c").arg(script).current_dir(&work);
        command.env_clear().env("PATH", "/usr/bin:/bin").env("RAN", &log);
        let _ = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        let text = fs::read(&log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        text.split_terminator('\u{1e}').map(words_of).collect()
    }
}

/// What a stub noted.
fn words_of(note: &str) -> Vec<String> {
    let mut parts = note.splitn(3, '\u{1f}');
    let (name, count, rest) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default(), parts.next());
    let args = rest.filter(|_| count != "0").into_iter().flat_map(|rest| rest.split('\u{1f}'));
    std::iter::once(name).chain(args).map(str::to_owned).collect()
}

/// A line of the narrow grammar, and of what is beside it.
fn plain_line(dice: &mut Dice) -> String {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "a", "-rf", "--all=x", "'b c'", "\"it's\"", "''", "'$(rm x)'", "\"a;b\"", "x'y'\"z\"", "zz*", "./q?", "src/[ab].rs", "HEAD~1", "@", "a,b", "k=v", "for", "if", "!", "#x", "a#b", "é", "世", "2", "--", "-", "%1", "'\n'", "a:b", "{}", "{a,b}", "$x", "~", "a~",
        "\\x", "]", "[", "+x", "^", "a=~", "\\\n", "\t", "'a'*", "-*", "*", "[[", "time", "then", "'", "\"", "a\\", "<", "1>", "&", "(", "\r", "$'a'", "!x", "..", "=", "=x",
    ];
    #[rustfmt::skip]
    const AFTER: &[&str] = &["", "", "", " 2>&1", " >/dev/null", " > out", " 2>>out", " </dev/null", " &>/dev/null", ">/dev/null 2>&1", " 2>&1 z", " <&0", " >|out", " 3>&1", " 10>out", " 2>'o p'", " >& out", " 2>&1>out", " <<< w"];
    #[rustfmt::skip]
    const BETWEEN: &[&str] = &[" && ", " || ", "; ", ";", "\n", " | ", "|", " |& ", " &&\n", "\n\n", " & ", " ;; ", " ! ", "\n! ", " |\n", ";\n", " &&& "];
    let mut line = if dice.roll(12) == 0 {
        dice.pick(&["! ", "2>/dev/null ", "cd . && ", "time ", "A=1 ", "\n", " "])
    } else {
        ""
    }
    .to_owned();
    for at in 0..=dice.roll(3) {
        if at > 0 {
            line.push_str(dice.pick(BETWEEN));
        }
        line.push_str(dice.pick(STUBS));
        for _ in 0..dice.roll(4) {
            // Most words are of the beginning, which is plain.
            let most = if dice.roll(4) == 0 { WORDS.len() } else { 26 };
            line.push_str(dice.pick(&[" ", " ", " ", "\t", "  "]));
            line.push_str(dice.pick(&WORDS[..most]));
        }
        line.push_str(dice.pick(AFTER));
    }
    line
}

#[test]
fn an_understood_line_runs_exactly_what_was_read() {
    let Some(stage) = Stage::new() else { return };
    let seed = std::env::var("REASONIX_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7);
    let (mut dice, mut understood) = (Dice(seed), 0);
    for index in 0..6000 {
        let line = match index % 6 {
            0 => soup(&mut dice),
            1 => line(&mut dice, 0),
            _ => plain_line(&mut dice),
        };
        let effects = analyse(&line);
        if !effects.understood {
            continue;
        }
        understood += 1;
        let mut read: Vec<Vec<String>> = effects
            .commands
            .iter()
            .filter(|simple| STUBS.contains(&simple.program()))
            .map(|simple| simple.words.iter().map(|word| word.text.clone()).collect())
            .collect();
        let all = read.len();
        let ran = stage.ran(index, &line);
        for words in &ran {
            let at = read.iter().position(|known| known == words);
            assert!(at.is_some(), "{line:?} ran {words:?}, read was {read:?}");
            read.remove(at.unwrap_or_default());
        }
        // What stands behind `||` and `!`, in a wrapper, or beside a file that cannot be opened, may not run.
        let opens = effects.inputs.iter().all(|(path, _)| path == "/dev/null")
            && effects.writes.iter().all(|write| matches!(write.path.as_deref(), Some("out" | "o p")));
        let always = !line.contains("||") && !line.contains('!') && effects.commands.len() == all && opens;
        assert!(!always || read.is_empty(), "{line:?} did not run {read:?}, but {ran:?}");
    }
    assert!(understood > 1000, "many lines are understood: {understood}");
}

#[test]
fn every_program_that_runs_was_named_or_the_line_is_unknown() {
    let Some(stage) = Stage::new() else { return };
    // Another seed tries other lines.
    let seed = std::env::var("REASONIX_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20);
    let mut dice = Dice(seed);
    let (mut ran_some, mut known) = (0, 0);
    for index in 0..LINES {
        let line = if index % 3 == 0 {
            soup(&mut dice)
        } else {
            let deep = dice.roll(3);
            line(&mut dice, deep)
        };
        let effects = analyse(&line);
        let ran = stage.named(index, &line);
        let named: BTreeSet<&str> = effects.commands.iter().map(|simple| simple.program()).collect();
        let unknown = effects.hidden.is_some() || effects.interprets;
        for program in &ran {
            assert!(unknown || named.contains(program.as_str()), "{line:?} ran {program}, named are {named:?}");
        }
        let writes = ran.iter().any(|program| !matches!(program.as_str(), "ls" | "wc" | "git"));
        assert!(!(writes && effects.read_only == ReadOnly::Yes), "{line:?} is taken for a reader and ran {ran:?}");
        ran_some += usize::from(!ran.is_empty());
        known += usize::from(!unknown && !ran.is_empty());
    }
    assert!(ran_some > LINES / 2, "most lines run something: {ran_some}");
    assert!(known > LINES / 3, "most of them are understood: {known}");
}
