//! Programs for `sed`, `awk` and `find` in pieces, put together by chance: small languages that hide writers.

use super::Chance;

#[rustfmt::skip]
const SED: &[&str] = &[
    "s/a/b/", "s/a/b/g", "s|a|b|p", "s/a/touch CANARY/e", "s/a/b/w CANARY", "s,x,y,;", "s/[/]/b/", "s/[^]/]/b/", "s/\\//b/", "s\\a\\b\\", "s]a]b]", "sxaxbx", "s/a\\\n/b/", "s/a/b\\\n/",
    "w CANARY", "W CANARY", "e touch CANARY", "e", "1e touch CANARY", "r a.txt", "R b.txt", "F", "l", "z", "p", "d", "n", "N", "q", "q1", "Q", "=", "h;G", "x", "b", ":a", "ta", "y/a/b/", "a text", "a\\", "i x", "c\\\nx",
    "1", "$", "1,3", "/a/", "/a/I", "/a/,/b/", "\\,a,", "0~2", "1,+2", "1,~4", "1!", "!", "{", "}", ";", "\n", " ", "#", "#n", "/[/]/w CANARY", "/x/e", "v", "//", "/", "[", "]", "\\", "&", "&&", "w", "e;", "p;w CANARY", "M", "m",
];
#[rustfmt::skip]
const AWK: &[&str] = &[
    "{print}", "{print $1}", "NR==1", "/alpha/", "BEGIN{", "END{", "}", "{", "print > \"CANARY\"", "print >> \"CANARY\"", "print | \"touch CANARY\"", "system(\"touch CANARY\")", "\"touch CANARY\" | getline", "getline < \"a.txt\"", "x = system", "@f()", "(1 > 2)",
    "a[\"x\"]", "printf(\"%s\", $1)", "printf \"x\" > \"CANARY\"", "\"", "/", ";", "\n", "#", "$1 > 2", "$1>2{print}", "print $1, $2", "print ($1) > (\"CANARY\")", "close(\"x\")", "fflush()", "gsub(/a/,\"b\")", "|&", "exit", "next", "function f(){", "if (1)", "x=1", "/[/]/", "/\\//", "@load \"x\"", "@include \"x\"", "ENVIRON[\"x\"]", "\\", "sys\\\ntem(\"touch CANARY\")", "print \"x\" >",
];
#[rustfmt::skip]
const FIND: &[&str] = &[
    ".", "src", "-name", "'*.txt'", "-type", "f", "-delete", "-exec", "touch", "CANARY", "\\;", "';'", "+", "-ok", "-execdir", "-okdir", "-fprint", "-fls", "-fprintf", "-fprint0", "-print", "-print0", "-printf", "'%p\\n'", "-o", "-a", "!", "-not", "\\(", "\\)", "'('", "')'", "-maxdepth", "1", "-newer", "a.txt", "-quit", "-prune", "-ls", "{}", "-files0-from", "-D", "exec", "-O3", "-H", "-L", "--", "-samefile", "-regex", "'.*'", ",", "*", "hostile/*", "-newermt", "now", "-perm", "-u+x", "-name -delete", "-path", "-size", "-1", "-depth", "-d", "-mount", "-context", "-true",
];

/// A line with a program of one of these languages.
pub(crate) fn line(chance: &mut Chance) -> String {
    let many = 1 + chance.below(5);
    match chance.below(3) {
        0 => {
            let flags = chance.pick(&[
                "",
                "-n ",
                "-E ",
                "-e ",
                "-ne ",
                "-s ",
                "-z ",
                "--posix ",
                "--sandbox ",
                "--expression=",
                "-u -e ",
            ]);
            format!("sed {flags}{} a.txt", quoted(chance, SED, many))
        }
        1 => {
            let program = chance.pick(&["awk", "awk", "gawk", "mawk", "awk -F:", "awk -v x=1", "awk --"]);
            format!("{program} {} a.txt", quoted(chance, AWK, many))
        }
        _ => {
            let words: Vec<_> = (0..=many + 1).map(|_| chance.pick(FIND)).collect();
            format!("find {}", words.join(" "))
        }
    }
}

fn quoted(chance: &mut Chance, pieces: &[&str], many: usize) -> String {
    let text: String = (0..many).map(|_| chance.pick(pieces)).collect();
    match chance.below(8) {
        0 => format!("\"{}\"", text.replace('"', "\\\"")),
        1 => format!("$'{}'", text.replace('\\', "\\\\").replace('\n', "\\n").replace('\'', "\\'")),
        _ => format!("'{text}'"),
    }
}
