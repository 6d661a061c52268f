//! Text with its floods folded: what is there to push something else out of sight is counted instead of shown.

use std::borrow::Cow;

/// A longer run of blanks is counted.
const BLANKS: usize = 40;
/// A longer run of another character is counted.
const SAME: usize = 100;
/// So many characters of such a run stay, so that it can be seen what it is.
const KEPT: usize = 8;
/// More line ends than this, with nothing between them, are counted.
const ENDS: usize = 2;
/// More lines than this that are the same are counted.
const LINES: usize = 3;

/// The text with runs of blanks, of one character, of empty lines and of equal lines counted: `⟨⏎ × 200⟩`. The order stays,
/// and so does everything that is not such a run.
pub fn folded(text: &str) -> Cow<'_, str> {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut out: Vec<String> = Vec::with_capacity(lines.len());
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let rest = lines.get(at..).unwrap_or_default();
        let empty = rest.iter().take_while(|line| line.trim().is_empty()).count();
        let same = rest.iter().take_while(|next| *next == line).count();
        if empty > ENDS {
            // Of the line before, and of each of these.
            let ends = empty + usize::from(at > 0) - usize::from(at + empty == lines.len());
            mark(&mut out, at > 0, ends);
            at += empty;
        } else if same > LINES {
            out.push(row(line).into_owned());
            mark(&mut out, true, same);
            at += same;
        } else {
            out.push(row(line).into_owned());
            at += 1;
        }
    }
    let out = out.join("\n");
    if out == text { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

/// Puts the count behind the last line, or on one of its own.
fn mark(out: &mut Vec<String>, behind: bool, count: usize) {
    let text = format!("⟨⏎ × {count}⟩");
    match out.last_mut().filter(|_| behind) {
        Some(last) => {
            last.push(' ');
            last.push_str(&text);
        }
        None => out.push(text),
    }
}

/// One line with its long runs counted.
fn row(line: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut chars = line.char_indices().peekable();
    while let Some((from, first)) = chars.next() {
        let mut count = 1;
        let alike = |c: char| if is_blank(first) { is_blank(c) } else { c == first };
        while chars.next_if(|(_, c)| alike(*c)).is_some() {
            count += 1;
        }
        let most = if is_blank(first) { BLANKS } else { SAME };
        if count <= most {
            continue;
        }
        let to = chars.peek().map_or(line.len(), |(to, _)| *to);
        let kept = if is_blank(first) { 1 } else { KEPT };
        out.push_str(line.get(copied..from).unwrap_or_default());
        out.extend(std::iter::repeat_n(first, kept));
        let sign = if is_blank(first) { '␣' } else { first };
        out.push_str(&format!("⟨{sign} × {count}⟩"));
        if is_blank(first) {
            out.push(' ');
        }
        copied = to;
    }
    if copied == 0 {
        return Cow::Borrowed(line);
    }
    out.push_str(line.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

fn is_blank(c: char) -> bool {
    c != '\n' && c.is_whitespace()
}

#[cfg(test)]
mod tests {
    use super::folded;
    use pretty_assertions::assert_eq;

    #[test]
    fn floods_are_counted_and_all_else_stays() {
        let ends = |count: usize| "\n".repeat(count);
        let same = |line: &str, count: usize| vec![line; count].join("\n");
        for (text, shown) in [
            ("ls\n\nls -l\n".to_owned(), "ls\n\nls -l\n"),
            (format!("touch ok{}rm -rf src", ends(200)), "touch ok ⟨⏎ × 200⟩\nrm -rf src"),
            (format!("touch ok{}\t \nrm -rf src", ends(199)), "touch ok ⟨⏎ × 200⟩\nrm -rf src"),
            (format!("{}rm -rf src", ends(200)), "⟨⏎ × 200⟩\nrm -rf src"),
            (format!("ls{}", ends(200)), "ls ⟨⏎ × 200⟩"),
            (format!("a{}; rm b", " ".repeat(3000)), "a ⟨␣ × 3000⟩ ; rm b"),
            (format!("a{}b", " \t\u{3000}".repeat(50)), "a ⟨␣ × 150⟩ b"),
            (format!("x {}; rm b", "A".repeat(5000)), "x AAAAAAAA⟨A × 5000⟩; rm b"),
            (format!("x {} y", "日".repeat(101)), "x 日日日日日日日日⟨日 × 101⟩ y"),
            (format!("{}\nrm b", same("true", 200)), "true ⟨⏎ × 200⟩\nrm b"),
            (format!("{}\nrm b", same("true", 3)), "true\ntrue\ntrue\nrm b"),
            ("cat <<E\n    deep\n        deeper\nE".to_owned(), "cat <<E\n    deep\n        deeper\nE"),
            (String::new(), ""),
        ] {
            assert_eq!(folded(&text), shown, "{text:?}");
        }
    }

    #[test]
    fn what_is_folded_is_short_and_keeps_its_end() {
        for flood in ["\n", " ", "\t", "A", ":\n", "\u{3000}", " \n"] {
            let text = format!("touch ok{}rm -rf src", flood.repeat(4000));
            let shown = folded(&text);
            assert!(shown.chars().count() < 80 && shown.ends_with("rm -rf src"), "{flood:?}: {shown}");
        }
    }
}
