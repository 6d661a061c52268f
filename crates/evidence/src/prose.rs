//! An answer as prose: what is code, quotation or somebody else's is blanked, byte for byte, and the rest falls into
//! sentences.

use crate::command;
use crate::grammar;
use crate::line;
use crate::pattern::patterns;
use std::ops::Range;

patterns! {
    FENCES = r"(?ms)^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)[ \t]*$|\z)";
    ASIDE = r#"(?m)^[ \t]*>.*$|<!--[\s\S]*?-->|“[^”\n]{1,300}”|"[^"\n]{1,300}"|「[^」\n]{1,300}」|『[^』\n]{1,300}』|~~[^~\n]{1,300}~~"#;
    IDENTIFIER = grammar::IDENTIFIER;
    CODE = r"`([^`\n]+)`";
    OUTCOME = r"(?i)^(?:[=\s]*\d+ (?:tests? )?(?:passed|passing)\b[^\n]{0,60}|test result: ok\b[^\n]{0,80}|all (?:\d+ )?(?:checks|tests) passed[^\n]{0,40}|build success(?:ful)?\b[^\n]{0,30}|no (?:issues|problems|errors|warnings|offenses)(?: (?:were )?(?:found|detected))?[.!]?(?: in \d+ (?:source )?files)?|success: no issues found[^\n]{0,40}|success! the configuration is valid\.?|0 (?:errors?|warnings?|issues|problems|offenses)\b[^\n]{0,40}|ok \(\d+ tests?[^\n]{0,40}|\d+ (?:tests|examples|runs|specs), (?:\d+ assertions, )?0 failures[^\n]{0,30}|tests?:? +\d+ passed[^\n]{0,30}|compiled successfully[^\n]{0,30}|build succeeded\.?)$";
    PICTURE = r"(?m)^[ \t]*(?:[-*+•]|\d+[.)、]|#+)?[ \t]*([\x{1f300}-\x{1faff}\x{2699}\x{270f}\x{26a1}\x{2728}\x{267b}\x{2702}]\x{fe0f}?)";
    SOLUTION = r"^[\s#*\d.]*(?:解决|修复|处理)(?:方案|办法|方法)[\s*:：]*$";
    SOLVED = r"(?:已|已经)(?:经|成功)?(?:修复|解决|修好|处理|修正)|(?:修复|解决|修好)了";
    SPOKEN_OF = format!("`|{}|{}|{}", grammar::tests(), grammar::builds(), grammar::lints());
    FILTER = r"^--?[\w-]+ ['\w.:-]+$";
    LATER = r"(?i)^[\s#*\d.]*(?:next steps?|todo|to do|follow[- ]?ups?|how to (?:test|run|verify|use)|to (?:test|verify|run|try)\b|test plan|remaining|not done|recommend|suggest|remember|reminders?\b|keep in mind|don.t forget|future|usage|(?:(?:the|your|my|possible|some|a few|two|three|four|several|other) )*(?:options|alternatives|choices|ways (?:to fix|out|forward)|possible (?:fixes|solutions))(?:,| (?:i see|you have|from here|in (?:the )?order|to fix)\b)|(?:(?:you have|there are|there're|i see|we have|i'd see|your|possible|some|a few|two|three|four|several) )+(?:options|alternatives|choices|fixes|solutions)\b|(?:the |my |here(?:'s| is) (?:the |my |a )?)?(?:plan|proposal|proposed)\b|(?:[a-z'-]+ ){1,3}(?:plan|proposal|roadmap)[\s:：*]*$|[^\n。，]{0,6}(?:计划|方案|打算)|后续|下一步|接下来|待办|建议|如何|使用方法|测试计划|验证方法|验证步骤|未完成|剩余|待完成)";
    STEP = r"(?i)^[\s#*\d.]*(?:steps?|phases?|stages?|milestones?|timeline|scope|approach|current state|background|risks?|estimates?|(?:实施|迁移|具体|执行|改造|操作)?步骤|第[一二三四五六七八九十\d]+(?:步|阶段)|阶段|排期|里程碑|现状|目标|风险|工作量)";
    RULE = r"^\s*\|?\s*:?-+:?\s*\|[\s|:-]*$";
    LISTED = r"(?i)^[ \t]*(?:(?:[-*+•]|\d+[.)、])[ \t]|(?:step|phase|stage|milestone) \d|第[一二三四五六七八九十\d]+(?:步|阶段)|步骤 ?[一二三四五六七八九十\d])";
    ADVICE = r"(?i)\b(?:you|one) (?:should|can|could|need|must|have to|may want|might want|will need|want to)\b|\b(?:recommend|suggest|propose)|\bi(?:'d|’d| would| will|'ll|’ll) (?:do|go|start|begin|take|proceed|split|approach|tackle|follow|work|make|implement)\b|\bgo through (?:this|these|the following)|\bfollow(?:ing)? (?:these |this |the )?(?:steps|list|checklist)\b|\b(?:steps to|checklist|to[- ]do)\b|^\W*(?:before|prior to) (?:you\b|\w+ing\b|(?:a|the|each|every|your) )|^\W*when (?:you\b|(?:prepar|releas|merg|deploy|tagg|publish|upgrad|review|migrat)\w*ing\b)|建议|按(?:照)?(?:下面|以下|如下)|(?:步骤|流程|顺序|清单)(?:如下|是)|需要(?:做|完成|依次|先)|^\W*请|你(?:可以|需要|应该|要)|[^，。]{1,8}(?:之前|以前)[，,]?(?:先|要|需|应|请|务必)";
    DONE = r"(?i)\b(?:i|we|i've|we've|i’ve|we’ve)(?: have| also| just| already)* (?:ran|did|made|went|wrote|[a-z]+ed)\b|\bdone\b|\byou can (?:now )?(?:see|find)\b|\bresults?\b|\b(?:as|you) (?:suggested|recommended|requested|proposed|asked)\b|已|了[^解]|了$|完成[：:]|做过|按(?:照)?(?:你|您|上述|之前|评审)的?[^，。：]{0,6}建议";
    PERSON = r"\b[A-Z][a-z]+ [A-Z][a-z]+ (?:has |had )?(?:added|wrote|changed|introduced|removed|deleted|renamed|moved|updated|created|rewrote|fixed|edited|modified|refactored)\b";
}

/// A sentence of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sentence {
    pub(crate) range: Range<usize>,
    /// True when it asks, or stands in a list of what is still to be done.
    pub(crate) claims_nothing: bool,
}

/// The answer in small letters but for the names of tests, with blanks in place of what its writer does not say.
pub(crate) fn masked(answer: &str) -> String {
    let mut bytes = answer.to_ascii_lowercase().into_bytes();
    // A file that is called like one is a file.
    let in_path = |range: &Range<usize>| {
        let behind = answer.get(range.end..).unwrap_or_default();
        answer.get(..range.start).is_some_and(|before| before.ends_with(['/', '.', '-']))
            || behind.starts_with(['/', '-'])
            || behind.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    };
    for (range, name) in IDENTIFIER.all(answer).into_iter().filter(|(range, _)| !in_path(range)) {
        bytes.get_mut(range).into_iter().for_each(|place| place.copy_from_slice(name.as_bytes()));
    }
    let mut blank = |range: Range<usize>| {
        for byte in bytes.get_mut(range).into_iter().flatten() {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    };
    for pattern in [&FENCES, &PERSON] {
        pattern.all(answer).into_iter().for_each(|(range, _)| blank(range));
    }
    // A picture that leads an item says nothing, unless it says whether something is good.
    let says = |picture: &str| {
        picture.starts_with(['🟢', '🔴', '🟡', '🟠', '👍', '👎', '🚫', '🛑', '🚧', '🔜', '📌', '🟥', '🟩'])
    };
    PICTURE.all(answer).into_iter().filter(|(_, picture)| !says(picture)).for_each(|(range, _)| blank(range));
    // What a check is said to have written out is said of it; other quotations are of others.
    let (told, aside): (Vec<_>, Vec<_>) = ASIDE.all(answer).into_iter().partition(|(range, text)| {
        let line = answer.get(..range.start).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
        is_outcome(text) && SPOKEN_OF.fits(&line.to_ascii_lowercase())
    });
    aside.into_iter().for_each(|(range, _)| blank(range));
    told.iter().for_each(|(range, text)| signs(range, text).into_iter().for_each(&mut blank));
    let mut code = Vec::new();
    for (range, text) in CODE.all(answer) {
        let is_command = || line::commands(text).iter().any(|ran| command::check(&ran.words).is_some());
        let is_filter = || FILTER.fits(text);
        if is_outcome(text) {
            [range.start - 1..range.start, range.end..range.end + 1].into_iter().for_each(&mut blank);
            continue;
        }
        if text.contains(char::is_whitespace) && !is_filter() && !is_command() {
            blank(range.clone());
        }
        code.push((range, text));
    }
    // The letters of a command may be large ones.
    for (range, text) in code.iter().filter(|(_, text)| text.contains(' ')) {
        let place = bytes.get_mut(range.clone()).filter(|place| place.iter().any(|byte| *byte != b' '));
        place.into_iter().for_each(|place| place.copy_from_slice(text.as_bytes()));
    }
    unstressed(&mut bytes, &code.into_iter().map(|(range, _)| range).collect::<Vec<_>>());
    String::from_utf8(bytes).unwrap_or_default()
}

/// True for what programs write at the end of a check that went well.
fn is_outcome(text: &str) -> bool {
    OUTCOME.fits(text.trim_matches(|c: char| c.is_whitespace() || "\"“”「」『』".contains(c)))
}

/// The signs around a quotation.
fn signs(range: &Range<usize>, text: &str) -> [Range<usize>; 2] {
    let first = text.chars().next().map_or(0, char::len_utf8);
    let last = text.chars().next_back().map_or(0, char::len_utf8);
    [range.start..range.start + first, range.end - last..range.end]
}

/// Blanks in place of the signs for stress; in code they are letters.
fn unstressed(bytes: &mut [u8], code: &[Range<usize>]) {
    let stresses =
        |(at, byte): &(usize, &mut u8)| matches!(**byte, b'*' | b'~') && !code.iter().any(|range| range.contains(at));
    bytes.iter_mut().enumerate().filter(stresses).for_each(|(_, byte)| *byte = b' ');
    // One that stands at the edge of a word is no letter of it.
    let plain = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let edge = |at: usize| plain(at.checked_sub(1).and_then(|at| bytes.get(at))) != plain(bytes.get(at + 1));
    let edges: Vec<usize> = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'_').map(|(at, _)| at).collect();
    let edges = edges.into_iter().filter(|at| edge(*at) && !code.iter().any(|range| range.contains(at)));
    for at in edges.collect::<Vec<_>>() {
        bytes.get_mut(at).into_iter().for_each(|byte| *byte = b' ');
    }
}

/// The sentences of a masked answer.
pub(crate) fn sentences(text: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    let (mut start, mut later, mut line_start, mut plan) = (0, false, 0, None);
    // A dot inside of a quoted command is one of its words.
    let code: Vec<Range<usize>> = CODE.all(text).into_iter().map(|(range, _)| range).collect();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, c)| *c);
        let end = at + c.len_utf8();
        let ends = match c {
            _ if c != '\n' && code.iter().any(|range| range.contains(&at)) => false,
            '。' | '！' | '？' | '；' | ';' => true,
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace) && !is_short(text.get(..at).unwrap_or_default()),
            '\n' => !is_wrapped(text.get(line_start..at).unwrap_or_default(), text.get(end..).unwrap_or_default()),
            _ => false,
        };
        if ends {
            let heads = c == '\n' && RULE.fits(text.get(end..).unwrap_or_default().lines().next().unwrap_or_default());
            push(&mut found, text, start..end, later || heads);
            start = end;
        }
        if c == '\n' {
            let line = text.get(line_start..at).unwrap_or_default();
            // What solved something that is said to be solved was done.
            let solved = SOLUTION.fits(line) && SOLVED.fits(text.get(..line_start).unwrap_or_default());
            later = !solved && goes_on(later, line, text.get(end..).unwrap_or_default());
            later |= under_plan(&mut plan, line, later);
            line_start = end;
        }
    }
    push(&mut found, text, start..text.len(), later);
    found
}

/// The sentence before this one, where only a semicolon stands between them.
pub(crate) fn before<'t>(text: &'t str, sentences: &[Sentence], at: usize) -> &'t str {
    let earlier = at.checked_sub(1).and_then(|at| sentences.get(at)).and_then(|one| text.get(one.range.clone()));
    earlier.filter(|words| words.trim_end().ends_with([';', '；'])).unwrap_or_default()
}

fn push(found: &mut Vec<Sentence>, text: &str, range: Range<usize>, later: bool) {
    let words = text.get(range.clone()).unwrap_or_default().trim();
    if words.is_empty() {
        return;
    }
    let open = words.contains("[ ]");
    let asks = words.ends_with(['?', '？']) || words.trim_end_matches(['。', '.']).ends_with('吗');
    found.push(Sentence { range, claims_nothing: (later && !words.contains("[x]")) || open || asks });
}

/// True when what follows this line is still a list of what is to be done.
fn goes_on(later: bool, line: &str, rest: &str) -> bool {
    let trimmed = line.trim();
    let head = trimmed.starts_with('#')
        || trimmed.ends_with([':', '：'])
        || (trimmed.len() < 40 && !LISTED.fits(line) && !trimmed.is_empty());
    if head && LATER.fits(trimmed) && !trimmed.ends_with(['.', '。']) {
        return true;
    }
    // A list of what somebody is told to do.
    if trimmed.ends_with([':', '：']) && ADVICE.fits(trimmed) && !DONE.fits(trimmed) {
        return true;
    }
    let ended = trimmed.starts_with('#')
        || (trimmed.is_empty() && !rest.lines().next().is_some_and(|next| LISTED.fits(next) || next.trim().is_empty()));
    later && !ended
}

/// True for the heading of a step under that of a plan; `plan` is how deep that stands.
fn under_plan(plan: &mut Option<usize>, line: &str, later: bool) -> bool {
    let depth = line.trim_start().bytes().take_while(|byte| *byte == b'#').count();
    if depth == 0 {
        return false;
    }
    let under = plan.is_some_and(|plan| depth > plan);
    if !under {
        *plan = Some(depth).filter(|_| later);
    }
    under && STEP.fits(line)
}

/// A dot that ends a short form, or a number of a list.
fn is_short(before: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    matches!(word, "e.g" | "i.e" | "etc" | "vs" | "cf")
        || word.ends_with("/..")
        || (!word.is_empty()
            && word.len() < 3
            && word.chars().all(|c| c.is_ascii_digit())
            && is_line_start(before.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches([' ', '#'])))
}

fn is_line_start(before: &str) -> bool {
    before.is_empty() || before.ends_with('\n')
}

/// True when a line only ends because it is long.
fn is_wrapped(line: &str, rest: &str) -> bool {
    line.len() >= 60 && rest.starts_with(|c: char| c.is_ascii_lowercase())
}
