//! The few forms of `sed` and `awk` programs that certainly only print. Everything else may write or run something.

/// True when the script only selects, deletes and replaces text.
pub(super) fn is_plain_sed(script: &str) -> bool {
    let mut rest = script.trim();
    while !rest.is_empty() {
        let Some(after) = one_command(rest) else { return false };
        let opened = rest.get(..rest.len() - after.len()).is_some_and(|command| command.ends_with(['{', '\n']));
        let after = after.trim_start();
        rest = match after.strip_prefix([';', '\n']) {
            Some(next) => next.trim_start(),
            None if after.is_empty() || opened || after.starts_with('}') => after,
            None => return false,
        };
    }
    true
}

fn one_command(text: &str) -> Option<&str> {
    let mut rest = address(text)?;
    if let Some(second) = rest.strip_prefix(',') {
        rest = address(second.trim_start().trim_start_matches(['+', '~']))?;
    }
    rest = rest.trim_start();
    rest = rest.strip_prefix('!').unwrap_or(rest).trim_start();
    let mut chars = rest.chars();
    match chars.next()? {
        'p' | 'd' | 'P' | 'D' | 'n' | 'N' | 'h' | 'H' | 'g' | 'G' | 'x' | '=' | 'q' | 'Q' | 'l' | 'z' => {
            Some(chars.as_str().trim_start_matches(|c: char| c.is_ascii_digit()))
        }
        '{' | '}' => Some(chars.as_str()),
        // A label: some programs take the rest of the line for its name, which then runs nothing either.
        ':' | 'b' | 't' | 'T' => {
            let name = chars.as_str().trim_start_matches(' ');
            Some(name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_'))
        }
        'y' => {
            let mark = chars.next().filter(|c| c.is_ascii_punctuation() && *c != '\\')?;
            let (from, after) = (chars.as_str(), section(chars.as_str(), mark)?);
            let (text, rest) = (from.len() - after.len(), section(after, mark)?);
            let plain = |text: Option<&str>| text.is_some_and(|text| !text.contains('\n'));
            (plain(from.get(..text)) && plain(after.get(..after.len() - rest.len()))).then_some(rest)
        }
        // The rest of the line is text.
        'a' | 'i' | 'c' => Some(chars.as_str().split_once('\n').map_or("", |(_, after)| after)),
        's' => {
            let usable = |c: &char| c.is_ascii_punctuation() && !matches!(c, '\\' | '[' | ']');
            let mark = chars.next().filter(usable)?;
            let after = section(pattern(chars.as_str(), mark)?, mark)?;
            Some(
                after
                    .trim_start_matches(|c: char| matches!(c, 'g' | 'p' | 'i' | 'I' | 'm' | 'M') || c.is_ascii_digit()),
            )
        }
        _ => None,
    }
}

/// An address, if one stands here.
fn address(text: &str) -> Option<&str> {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix('/') {
        return pattern(rest, '/').map(|rest| rest.trim_start_matches(['I', 'M']));
    }
    if let Some(rest) = text.strip_prefix('$') {
        return Some(rest);
    }
    Some(text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '~'))
}

/// What follows a pattern. In brackets some programs take the mark for a character and some for the end, so there it may
/// not stand.
fn pattern(text: &str, mark: char) -> Option<&str> {
    let after = section(text, mark)?;
    let length = text.len().checked_sub(after.len() + mark.len_utf8())?;
    let body = text.get(..length)?;
    (!body.contains('\n') && !ends_in_brackets(body)).then_some(after)
}

/// True when the pattern stops inside of `[…]`.
fn ends_in_brackets(body: &str) -> bool {
    let mut rest = body.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' => drop(rest.next()),
            '[' => {
                rest.next_if_eq(&'^');
                rest.next_if_eq(&']');
                loop {
                    match rest.next() {
                        None => return true,
                        Some(']') => break,
                        Some('[') => {
                            // `[:alpha:]` ends with the same character before its bracket.
                            if let Some(kind) = rest.next_if(|c| matches!(c, ':' | '.' | '=')) {
                                let mut before = ' ';
                                while let Some(c) = rest.next()
                                    && !(before == kind && c == ']')
                                {
                                    before = c;
                                }
                            }
                        }
                        Some(_) => {}
                    }
                }
            }
            _ => {}
        }
    }
    false
}

/// What follows the next mark that is not escaped.
fn section(text: &str, mark: char) -> Option<&str> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if c == mark && !escaped {
            return text.get(at + c.len_utf8()..);
        }
        escaped = c == '\\' && !escaped;
    }
    None
}

/// True when the program has nothing that can write, read or run.
pub(super) fn is_plain_awk(program: &str) -> bool {
    const OTHERS: &[&str] = &[
        "system", "getline", "@", "close", "ENVIRON", "ARGV", "ARGC", "SYMTAB", "FUNCTAB", "PROCINFO", "/inet", "\\\n",
    ];
    let text = without_strings(program).replace("||", "");
    let leads = |(at, _): (usize, &str)| text.get(..at).is_none_or(is_printing);
    !OTHERS.iter().any(|part| text.contains(part) || *part == "/inet" && program.contains(part))
        && !text.replace(">=", "  ").match_indices(['>', '|']).any(leads)
}

/// True when a statement that prints may still go on here: behind it `>` and `|` lead its output somewhere, and elsewhere
/// they compare, or stand in a pattern. What ends it must stand outside of strings, patterns and comments for certain.
fn is_printing(before: &str) -> bool {
    let Some(at) = before.rfind("print") else { return false };
    let since = before.get(at..).unwrap_or_default();
    since.contains(['"', '/', '#', '\\']) || !since.contains([';', '}'])
}

/// The program with its strings emptied, up to where a pattern or a comment may begin: behind that nobody knows what is a
/// string, and everything stays.
fn without_strings(program: &str) -> String {
    let (mut found, mut rest) = (String::new(), program);
    while let Some(at) = rest.find(['"', '/', '#']) {
        let (before, from) = rest.split_at(at);
        let end = from.strip_prefix('"').and_then(|text| section(text, '"'));
        let Some(after) = end else { break };
        found.push_str(before);
        found.push_str("\"\"");
        rest = after;
    }
    found + rest
}

#[cfg(test)]
mod tests {
    use super::{is_plain_awk, is_plain_sed};

    #[test]
    fn scripts() {
        for plain in ["p", "1,20p", "$d", "s/a/b/g", "s|a|b|", "/x/d", "/a/,/b/p", "5q", "s/a\\/b/c/;p", "2!d", "$!N"] {
            assert!(is_plain_sed(plain), "{plain}");
        }
        for plain in
            ["{p}", "2452{p;q}", "/^---$/,/^---$/{ /^---$/d; p; }", "i\\x", "2a text; e touch x", "$!{N;P}", "1{2{p}}"]
        {
            assert!(is_plain_sed(plain), "{plain}");
        }
        for other in ["{e}", "{p;w f}", "2{p", "a text\ne touch x", "}w f", "1{s/a/b/e}"] {
            assert_eq!(is_plain_sed(other), other == "2{p", "{other}: what is not closed is an error to sed");
        }
        for plain in ["s/[a-z]*/x/g", "s/[^]x]/y/", "s/[[:space:]]*$//", "/[/d", "s|[/]|x|", "s/\\[/x/"] {
            // An open bracket that the script does not close is an error to sed, and no way to write.
            assert_eq!(is_plain_sed(plain), plain != "/[/d", "{plain}");
        }
        for other in [
            "s/[/]/p;s/e;#/x/",
            "s/[^/]/w f/",
            "s/[]/]/w x/",
            "s/[[:alpha:]/]/e/",
            "/[/]/w f",
            "s/[[.].]/]/e/",
            "s,[,],e,",
            "s[a[b[e",
            "s/a[/]b/c/w f",
        ] {
            assert!(!is_plain_sed(other), "{other}");
        }
        for other in ["s/a/rm x/e", "w out", "s/a/b/w out", "1e rm x", "e", "r f", "s/a/b", "p x", "W f"] {
            assert!(!is_plain_sed(other), "{other}");
        }
        for plain in
            [":a;N;$!ba;s/\\n/ /g", "y/abc/xyz/", ":x; s/a/b/; tx", "$!{N;ba}", "/a/b end; d; :end", "l", "s/a/b/M"]
        {
            assert!(is_plain_sed(plain), "{plain}");
        }
        for other in [":a;w f", "ba;e", "ba w f", ":a w f", "y/a/b/w f", "y/a\n/b\n/", "y/ab", "tx e", "b;r f"] {
            assert!(!is_plain_sed(other), "{other}");
        }
    }

    #[test]
    fn programs_for_awk() {
        for plain in [
            "{print $1}",
            "NR==3",
            "$3 > 5",
            "$1 >= 2 && $2 < 3",
            "$1 == \"a\" || $2 > 3 {print $1}",
            "/foo|bar/ {print $1}",
            "{print $1 \"|\" $2 \" -> \" $3}",
            "{ if ($3 > max) max = $3 } END { print max }",
            "{print $1; if ($2 > 3) n++}",
            "{print} $2 > 3 {n++}",
            "BEGIN{FS=\"|\"} {print $2}",
        ] {
            assert!(is_plain_awk(plain), "{plain}");
        }
        for other in [
            "{print $1 > 5}",
            "{print > \"f\"}",
            "{print \"a;b\" > \"f\"}",
            "{print \"}\" > \"f\"}",
            "$1 > 2 {print > $2}",
            "{printf \"%s\", $1 >> \"f\"}",
            "/\"/ {print > \"f\"}",
            "/x/ {print \"; /\" > \"f\"}",
            "{print $1, # ;\n $2 > \"f\"}",
            "{print /;/ > \"f\"}",
            "{print ||| \"sh\"}",
            "{print | \"sh\"}",
            "{print \"a\\\"\" > \"f\"}",
            "{print $1,\n$2 > \"f\"}",
            "{f = \"system\"; @f(\"id\")}",
            "{print |& \"cat\"}",
        ] {
            assert!(!is_plain_awk(other), "{other}");
        }
        for other in ["BEGIN{system(\"id\")}", "{print > \"f\"}", "{print | \"sh\"}", "{\"id\" | getline x}"] {
            assert!(!is_plain_awk(other), "{other}");
        }
    }
}
