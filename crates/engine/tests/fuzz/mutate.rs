//! Everyday lines with something done to them: hidden commands, options that write, odd characters.

use super::everyday::EVERYDAY;
use super::{Aims, Chance};

/// Ways to hide a command in a word or between words; `§` stands for it.
#[rustfmt::skip]
const WRAPPINGS: &[&str] = &[
    "$(§)", "`§`", "<(§)", ">(§)", "\"$(§)\"", "${x:-$(§)}", "${x:-<(§)}", "\"${x:-'$(§)'}\"", "${x['$(§)']}", "$(('$(§)'))", "$[$(§)]", "{a,$(§)}", "${x/$(§)/}", "${x:$(§)}", "${x@P}$(§)", "; §", "\n§", " & §", " && §", " || §", " | §", "\r\n§", "\"$\\\n(§)\"", "$\\\n(§)",
    "'$(§)'", "# '\n§", "<<E\n$(§)\nE\n", "<<'E'\n$(§)\nE\n§", "<<E\n$\\\n(§)\nE\n", "<<-E\n\tE\n§", "<<< $(§)", "\\$(§)", "\\\\$(§)", "$'\\x24(§)'", "$'x'$(§)", "$\"$(§)\"", "\"`§`\"", "\"\\`§\\`\"", "2>$(§)", "2>/dev/null $(§)", "${ §; }", "${| §; }", "x=$(§)", "a='x[$(§)]'; echo ${!a}", "a='x[$(§)]'; echo $((a))", "a='x[$(§)]'; [ -v \"$a\" ]",
    "[ -v 'x[$(§)]' ]", "test -v 'x[$(§)]'", "printf -v 'x[$(§)]' y", "[[ 'x[$(§)]' -eq 1 ]]", "[[ a =~ $(§) ]]", "[[ -v x[$(§)] ]]", "read 'x[$(§)]' <<< y", "unset 'x[$(§)]'", "let 'x[$(§)]'", "declare 'x[$(§)]=1'", "trap '§' EXIT", "trap '§' DEBUG", "PS4='$(§)'; set -x; echo", "alias ls='§'\nls", "ls() { §; }; ls", "f() { §; }; f", "eval '§'", "bash -c '§'", "sh <<< '§'", "echo '§' | sh", "env §", "xargs -I{} sh -c '§'", "command §", "exec §", "builtin §", "coproc §", "BASH_ENV=evil.sh bash -c :", "PATH=.:$PATH ls", "GIT_EXTERNAL_DIFF=./evil.sh git diff", "PAGER=./evil.sh git -p log", "case $(§) in *) ;; esac", "for x in $(§); do :; done", "until §; do :; done", "mapfile -C '§' -c 1 x < a.txt", "enable -f ./evil.so x", "hash -p ./evil.sh ls; ls", ". ./evil.sh", "source <(echo §)",
    "nice §", "timeout 2 §", "time §", "xargs § < a.txt", "stdbuf -o0 §", "awk 'BEGIN{system(\"§\")}'", "sed -n '1e §' a.txt", "find . -maxdepth 0 -exec § \\;", "git -c alias.x='!§' x", "git -c core.pager='§' -p log", "git -c diff.external='§' diff", "git -c core.fsmonitor='§' status", "tar -cf /dev/null --checkpoint=1 --checkpoint-action=exec='§' a.txt",
];

/// Words that make writers of readers.
#[rustfmt::skip]
const OPTIONS: &[&str] = &[
    "-o CANARY", "-oCANARY", "--output=CANARY", "--output CANARY", "--outp=CANARY", "-ro CANARY", "-delete", "-exec touch CANARY \\;", "-exec touch CANARY +", "-execdir ./evil.sh \\;", "-fprint CANARY", "-fls CANARY", "-fprintf CANARY x", "-i", "-i.bak", "--in-place", "-ni", "-ie p", "-s w", "--ext-diff", "--textconv", "-O./evil.sh", "--open-files-in-pager=./evil.sh", "--pre=./evil.sh", "--pre ./evil.sh", "--compress-program=./evil.sh", "-S1 --compress-prog=./evil.sh", "-T .", "--files0-from=a.txt", "-f evil.sh", "--file=evil.sh", "-x ./evil.sh", "-X ./evil.sh", "--exec ./evil.sh", "-C", "-m evil", "-s 2020-01-01", "--set=2020-01-01", "CANARY", "a.txt CANARY", "- CANARY", "-- -o CANARY",
    "-c core.pager=./evil.sh", "-p", "--paginate", "--show-signature", "--format=%G?", "--upload-pack=./evil.sh", "-d main", "-D main", "-m main other", "-f", "-F a.txt", "--edit", "--unset user.name", "--add x.y z", "user.name x", "--replace-all user.name x", "drop", "clear", "expire --all", "--no-index a.txt b.txt", "*", "./*", "hostile/*", "-*", "?*", "[-]*", "{-o,CANARY}", "{a.txt,CANARY}", "{-delete,}", "\"$@\"", "$x", "$IFS", "~/x", "link", "./link", "src/../link", "l*", "{secret}", "/dev/tcp/127.0.0.1/{tcp}", "run/pipe", "> CANARY", ">> a.txt", "&> CANARY", ">| CANARY", "<> CANARY", "2> CANARY", ">&CANARY", "> /dev/null > CANARY", ">/dev/stdout", "> run/pipe", "> /dev/tcp/127.0.0.1/{tcp}", "< /dev/tcp/127.0.0.1/{tcp}", "> /dev/udp/127.0.0.1/{udp}",
];

const ODD: &[&str] = &[
    "\\", "\\\n", "'", "\"", "$", "`", "(", ")", "{", "}", "[", "]", "<", ">", "|", "&", ";", "\n", "\r", "\t", "#",
    "!", "*", "?", "~", "=", "%", "^", ",", "\u{a0}", "\u{200b}", "\u{202e}", "\u{2028}", "\u{b}", "\u{c}", "\u{7f}",
    "\u{1b}", "é", "$'", "$\"", "${", "$(", "$((", "<(", "<<", "<<<", "\\'", "[[ ", " ]]", "@(",
];

/// A line of every day, changed in one to three ways.
pub(crate) fn line(chance: &mut Chance, aims: &Aims) -> String {
    let mut text = chance.pick(EVERYDAY).to_owned();
    for _ in 0..=chance.below(3) {
        text = change(text, chance, aims);
    }
    text
}

fn change(mut text: String, chance: &mut Chance, aims: &Aims) -> String {
    match chance.below(10) {
        0..3 => {
            let hidden = wrapped(chance, aims);
            let at = blank(&text, chance);
            text.insert_str(at, &format!(" {hidden} "));
            text
        }
        3 => {
            let hidden = wrapped(chance, aims);
            let at = chance.place_in(&text);
            text.insert_str(at, &hidden);
            text
        }
        4..6 => {
            let at = blank(&text, chance);
            text.insert_str(at, &format!(" {} ", aims.fill(chance.pick(OPTIONS))));
            text
        }
        6 => {
            let at = chance.place_in(&text);
            text.insert_str(at, chance.pick(ODD));
            text
        }
        7 => {
            let at = chance.place_in(&text);
            if at < text.len() {
                text.remove(at);
            }
            text
        }
        8 => format!(
            "{text}{}{}",
            chance.pick(&["; ", " | ", " && ", " || ", "\n", " & ", " |& ", "; sleep 0.05; "]),
            chance.pick(EVERYDAY)
        ),
        _ => {
            let other = chance.pick(EVERYDAY);
            let (here, there) = (chance.place_in(&text), chance.place_in(other));
            format!("{}{}", &text[..here], &other[there..])
        }
    }
}

fn wrapped(chance: &mut Chance, aims: &Aims) -> String {
    let payload = aims.payload(chance);
    aims.fill(chance.pick(WRAPPINGS)).replace('§', &payload)
}

/// A place between two words, or the end.
fn blank(text: &str, chance: &mut Chance) -> usize {
    let places: Vec<_> = text.match_indices(' ').map(|(at, _)| at).chain([text.len()]).collect();
    places[chance.below(places.len())]
}

/// Words and operators without any order.
pub(crate) fn soup(chance: &mut Chance, aims: &Aims) -> String {
    let mut text = String::new();
    for _ in 0..2 + chance.below(9) {
        let piece = match chance.below(8) {
            0 | 1 => chance.pick(ODD).to_owned(),
            2 => chance.pick(OPTIONS).to_owned(),
            3 => wrapped(chance, aims),
            4 => format!("{};", aims.payload(chance)),
            _ => {
                let words: Vec<_> = chance.pick(EVERYDAY).split(' ').collect();
                chance.pick(&words).to_owned()
            }
        };
        text.push_str(&aims.fill(&piece));
        if !chance.one_in(4) {
            text.push(' ');
        }
    }
    text
}
