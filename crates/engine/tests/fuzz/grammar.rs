//! Lines from the grammar of bash: each kind of command, word, expansion and redirection, one inside the other.

use super::{Aims, Chance};

/// Deeper, only plain things are made.
const DEEPEST: usize = 5;

pub(crate) struct Grammar<'a> {
    pub(crate) chance: &'a mut Chance,
    pub(crate) aims: &'a Aims,
    depth: usize,
    /// The bodies of here-documents that begin with the next line.
    owed: Vec<String>,
}

const NAMES: &[&str] = &[
    "x", "a", "_", "IFS", "PATH", "HOME", "BASH_ENV", "REPLY", "y", "PS4", "1", "@", "*", "#", "?", "!", "-", "$", "0",
];
const FILES: &[&str] = &[
    "a.txt",
    "b.txt",
    "src",
    "src/main.rs",
    ".",
    "data.json",
    "missing",
    "hostile",
    "link",
    "run/pipe",
    "/dev/null",
    "/dev/stdin",
    "evil.sh",
];
const READERS: &[&str] = &[
    "echo",
    "cat",
    "ls",
    "wc -l",
    "head -2",
    "sort",
    "uniq",
    "grep a",
    "printf '%s'",
    "test -n",
    "[ -n",
    "find",
    "sed -n 1p",
    "awk 1",
    "true",
    "tr a b",
    "stat",
    "git log -1",
    "git diff",
    "cut -c1",
    "diff a.txt",
    "read",
    "type",
    "command -v",
    "seq 2",
    "date",
    "tail -1",
    "jq .",
    "basename",
    "pwd",
    ":",
    "printenv",
    "rev",
    "file",
    "tac",
    "nl",
    "od -c",
    "expr 1 +",
    "sleep 0.01;",
    "cd src;",
    "xargs echo",
];

impl<'a> Grammar<'a> {
    pub(crate) fn new(chance: &'a mut Chance, aims: &'a Aims) -> Self {
        Self { chance, aims, depth: 0, owed: Vec::new() }
    }

    pub(crate) fn line(&mut self) -> String {
        let text = self.list();
        self.settle(text)
    }

    /// The text with the here-documents that it began.
    fn settle(&mut self, mut text: String) -> String {
        if self.owed.is_empty() {
            return text;
        }
        for body in std::mem::take(&mut self.owed) {
            text.push('\n');
            text.push_str(&body);
        }
        text.push('\n');
        text
    }

    /// Something inside of something else; its here-documents end in it.
    fn inside(&mut self, make: impl FnOnce(&mut Self) -> String) -> String {
        let before = std::mem::take(&mut self.owed);
        self.depth += 1;
        let text = make(self);
        let text = self.settle(text);
        self.depth -= 1;
        self.owed = before;
        text
    }

    fn deep(&self) -> bool {
        self.depth >= DEEPEST
    }

    fn list(&mut self) -> String {
        let mut text = self.pipeline();
        while self.chance.one_in(3) {
            let between = self.chance.pick(&["; ", " && ", " || ", "\n", ";", " & ", "&&", "||"]);
            if between == "\n" {
                text = self.settle(text);
            }
            text.push_str(between);
            text.push_str(&self.pipeline());
        }
        text
    }

    fn pipeline(&mut self) -> String {
        let mut text = String::new();
        if self.chance.one_in(12) {
            text.push_str(self.chance.pick(&["! ", "time ", "time -p ", "! ! "]));
        }
        text.push_str(&self.command());
        while self.chance.one_in(4) {
            text.push_str(self.chance.pick(&[" | ", "|", " |& "]));
            text.push_str(&self.command());
        }
        text
    }

    fn command(&mut self) -> String {
        if self.deep() || !self.chance.one_in(5) {
            return self.simple();
        }
        let text = self.compound();
        if self.chance.one_in(3) { format!("{text} {}", self.redirect()) } else { text }
    }

    fn simple(&mut self) -> String {
        if self.chance.one_in(if self.depth == 0 { 30 } else { 4 }) {
            return self.aims.payload(self.chance);
        }
        let mut text = String::new();
        while self.chance.one_in(10) {
            text.push_str(&self.assignment());
            text.push(' ');
        }
        while self.chance.one_in(14) {
            text.push_str(&self.redirect());
            text.push(' ');
        }
        text.push_str(self.chance.pick(READERS));
        for _ in 0..self.chance.below(4) {
            text.push(' ');
            text.push_str(&self.word());
        }
        if text.starts_with("[ ") {
            text.push_str(" ]");
        }
        while self.chance.one_in(8) {
            text.push(' ');
            text.push_str(&self.redirect());
        }
        text
    }

    fn assignment(&mut self) -> String {
        let name =
            self.chance.pick(&["x", "a", "y", "IFS", "PATH", "LC_ALL", "BASH_ENV", "PS4", "GIT_PAGER", "LESSOPEN"]);
        match self.chance.below(5) {
            0 => format!("{name}+={}", self.word()),
            1 => format!("{name}[{}]={}", self.arithmetic(), self.word()),
            2 => format!("{name}=({} [{}]={})", self.word(), self.arithmetic(), self.word()),
            _ => format!("{name}={}", self.word()),
        }
    }

    fn compound(&mut self) -> String {
        match self.chance.below(14) {
            0 => format!("({})", self.inside(Self::list)),
            1 => format!("{{ {}; }}", self.inside(Self::list)),
            2 => format!(
                "if {}; then {}; else {}; fi",
                self.inside(Self::list),
                self.inside(Self::list),
                self.inside(Self::list)
            ),
            3 => format!("for x in {} {}; do {}; done", self.word(), self.word(), self.inside(Self::list)),
            4 => format!(
                "for (({}; {}; {})); do {}; break; done",
                self.arithmetic(),
                self.arithmetic(),
                self.arithmetic(),
                self.inside(Self::list)
            ),
            5 => format!("while {}; do {}; break; done", self.inside(Self::list), self.inside(Self::list)),
            6 => format!("until {}; do {}; break; done", self.inside(Self::list), self.inside(Self::list)),
            7 => {
                let end = self.chance.pick(&[";;", ";&", ";;&"]);
                format!(
                    "case {} in {}|({}) {} {end} *) {};; esac",
                    self.word(),
                    self.pattern(),
                    self.word(),
                    self.inside(Self::list),
                    self.inside(Self::list)
                )
            }
            8 => format!("select x in {}; do {}; break; done </dev/null", self.word(), self.inside(Self::list)),
            9 => format!("[[ {} ]]", self.condition()),
            10 => format!("(( {} ))", self.arithmetic()),
            11 => {
                let head = self.chance.pick(&["f() {", "function f {", "function f() {", "ls() {", "echo() {"]);
                let call = self.chance.pick(&["f", "f x", "ls", "echo x"]);
                format!("{head} {}; }}; {call}", self.inside(Self::list))
            }
            12 => format!("coproc {} {{ {}; }}", self.chance.pick(&["", "P"]), self.inside(Self::list)),
            _ => {
                let value = self.inside(Self::simple);
                format!("shopt -s expand_aliases\nalias e='{}'\ne {}", value.replace('\'', ""), self.word())
            }
        }
    }

    fn condition(&mut self) -> String {
        match self.chance.below(6) {
            0 => format!("{} =~ {}", self.word(), self.word()),
            1 => format!("{} == {}", self.word(), self.pattern()),
            2 => format!("{} -eq {}", self.arithmetic(), self.arithmetic()),
            3 => format!("-v x[{}]", self.arithmetic()),
            4 => format!("-n {} && ! -f {}", self.word(), self.word()),
            _ => format!("( {} < {} ) || {} -nt a.txt", self.word(), self.word(), self.word()),
        }
    }

    fn redirect(&mut self) -> String {
        let number = self.chance.pick(&["", "", "2", "3", "{fd}"]);
        match self.chance.below(12) {
            0 => format!("{number}< {}", self.file()),
            1 => format!("{number}> /dev/null"),
            2 => "2>&1".to_owned(),
            3 => format!("<<< {}", self.word()),
            4 | 5 => self.heredoc(),
            6 => format!("{number}{}{}", self.chance.pick(&[">", ">>", ">|", "<>", ">&", "&>", "&>>"]), self.file()),
            7 => format!("< <({})", self.inside(Self::list)),
            8 => format!("> >({})", self.inside(Self::list)),
            9 => format!("{number}>&{}", self.chance.pick(&["-", "2", "1-", "$x"])),
            10 => format!("<{}", self.word()),
            _ => "2>/dev/null".to_owned(),
        }
    }

    fn file(&mut self) -> String {
        match self.chance.below(4) {
            0 => self.word(),
            1 => "/dev/null".to_owned(),
            _ => self.chance.pick(FILES).to_owned(),
        }
    }

    fn heredoc(&mut self) -> String {
        let (mark, end) = self.chance.pick_pair(&[
            ("E", "E"),
            ("'E'", "E"),
            ("\"E\"", "E"),
            ("\\E", "E"),
            ("E\\\nF", "EF"),
            ("$E", "$E"),
            ("E\"F\"", "EF"),
        ]);
        let dash = self.chance.pick(&["", "", "-"]);
        let mut body = String::new();
        for _ in 0..self.chance.below(3) {
            let part = self.inside(Self::word);
            body.push_str(&part);
            body.push_str(self.chance.pick(&["\n", "\n\t", "\\\n", "\nE \n"]));
        }
        if !body.is_empty() && !body.ends_with('\n') {
            body.push('\n');
        }
        self.owed.push(format!("{body}{end}"));
        format!("<<{dash}{mark}")
    }

    fn word(&mut self) -> String {
        let mut text = self.piece();
        while self.chance.one_in(5) {
            text.push_str(&self.piece());
        }
        text
    }

    fn piece(&mut self) -> String {
        if self.deep() {
            return self.chance.pick(&["x", "a.txt", "$x", "'x'"]).to_owned();
        }
        match self.chance.below(20) {
            0..6 => self.chance.pick(FILES).to_owned(),
            6 => self
                .chance
                .pick(&["-o", "-n", "--", "-c", "--output=zz", "-i", "-exec", "-delete", "-l", "-v", "-a", "-E"])
                .to_owned(),
            7 => format!("'{}'", self.inside(Self::word).replace('\'', "")),
            8 | 9 => format!("\"{}\"", self.inside(Self::quoted)),
            10 => format!(
                "$'{}'",
                self.chance.pick(&["\\x24(touch CANARY)", "a\\nb", "\\'", "x", "\\u0024\\x28touch CANARY)", "\\c"])
            ),
            11 => format!("$\"{}\"", self.inside(Self::quoted)),
            12 | 13 => self.parameter(),
            14 => self.substitution(),
            15 => format!("$(({}))", self.inside(Self::arithmetic)),
            16 => self.braces(),
            17 => self.pattern(),
            18 => self
                .chance
                .pick(&["~", "~+", "~root", "a=~", "\\x", "\\$", "\\\n", "\\ ", "{fd}", "$[1+1]", "!x", "#x", "x#"])
                .to_owned(),
            _ => format!("{}({})", self.chance.pick(&["<", ">", "="]), self.inside(Self::list)),
        }
    }

    /// What may stand between double quotes.
    fn quoted(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..=self.chance.below(3) {
            let part = match self.chance.below(6) {
                0 => self.parameter(),
                1 => self.substitution(),
                2 => format!("$(({}))", self.arithmetic()),
                3 => self.chance.pick(&["\\\"", "\\$", "'", "\\\n", "!", "`true`", "<(x)"]).to_owned(),
                4 => format!("'{}'", self.substitution()),
                _ => self.chance.pick(&["x", " ", "a b", "*"]).to_owned(),
            };
            text.push_str(&part);
        }
        text
    }

    fn substitution(&mut self) -> String {
        let list = self.inside(Self::list);
        match self.chance.below(5) {
            0 => format!("`{}`", list.replace('\\', "\\\\").replace('`', "\\`")),
            1 => format!("${{ {list}; }}"),
            2 => format!("$( ({list}) )"),
            _ => format!("$({list})"),
        }
    }

    fn parameter(&mut self) -> String {
        let name = self.chance.pick(NAMES);
        let operator = self.chance.pick(&[
            ":-", "-", ":=", "=", ":?", "?", ":+", "+", "#", "##", "%", "%%", "/", "//", "/#", "/%", "^", "^^", ",",
            ",,",
        ]);
        match self.chance.below(12) {
            0 | 1 => format!("${name}"),
            2 => format!("${{#{name}}}"),
            3 => format!("${{!{name}}}"),
            4 => format!("${{!{name}*}}"),
            5 => format!("${{{name}:{}:{}}}", self.inside(Self::arithmetic), self.inside(Self::arithmetic)),
            6 => format!("${{{name}[{}]}}", self.inside(Self::arithmetic)),
            7 => format!("${{{name}@{}}}", self.chance.pick(&["Q", "P", "E", "A", "a", "K", "U", "u", "L"])),
            8 => format!("${{{name}[@]{operator}{}}}", self.inside(Self::word)),
            9 => format!("${{{name}{operator}{}/{}}}", self.inside(Self::pattern), self.inside(Self::word)),
            _ => format!("${{{name}{operator}{}}}", self.inside(Self::word)),
        }
    }

    fn arithmetic(&mut self) -> String {
        if self.deep() {
            return "1".to_owned();
        }
        match self.chance.below(12) {
            0..3 => self.chance.pick(&["1", "0", "-1", "16#ff", "x", "a", "x++", "08"]).to_owned(),
            3 => format!(
                "{} {} {}",
                self.inside(Self::arithmetic),
                self.chance.pick(&["+", "-", "*", "/", "%", "<<", "<", "==", "&&", "||", "&", ",", "**"]),
                self.inside(Self::arithmetic)
            ),
            4 => format!("x[{}]", self.inside(Self::arithmetic)),
            5 => self.substitution(),
            6 => format!("'{}'", self.substitution()),
            7 => format!("x = {}", self.inside(Self::arithmetic)),
            8 => format!("({})", self.inside(Self::arithmetic)),
            9 => self.parameter(),
            10 => format!(
                "{} ? {} : {}",
                self.inside(Self::arithmetic),
                self.inside(Self::arithmetic),
                self.inside(Self::arithmetic)
            ),
            _ => format!("\"{}\"", self.inside(Self::quoted)),
        }
    }

    fn braces(&mut self) -> String {
        match self.chance.below(5) {
            0 => "{1..3}".to_owned(),
            1 => "{a..e..2}".to_owned(),
            2 => self
                .chance
                .pick(&[
                    "{-o,CANARY}",
                    "{-delete,-print}",
                    "{-exec,touch,CANARY,\\;}",
                    "{a,b}.txt",
                    "{--output=,x}CANARY",
                    "{,-i}",
                ])
                .to_owned(),
            _ => format!("{{{},{}}}", self.inside(Self::word), self.inside(Self::word)),
        }
    }

    fn pattern(&mut self) -> String {
        self.chance
            .pick(&[
                "*",
                "*.txt",
                "?",
                "[ab]*",
                "./*",
                "hostile/*",
                "-*",
                "@(a|b)*",
                "!(x)",
                "+([a-z])",
                "?(a)",
                "*(a|$(touch CANARY))",
                "[[:alpha:]]*",
                "[!a]*",
                "src/**",
                "[$(echo a)]*",
                "{*,.*}",
            ])
            .to_owned()
    }
}
