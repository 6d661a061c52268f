//! Claude Code's `if`: for which calls of a tool a hook is, in the words of a permission rule such as `Bash(git push *)`. What is
//! not understood leaves no call out: the hook may be a guard.

/// For which calls a hook is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookFilter {
    tool: String,
    pattern: Option<String>,
}

impl HookFilter {
    /// Reads a rule.
    pub fn read(text: &str) -> Self {
        let text = text.trim();
        match text.split_once('(').and_then(|(tool, rest)| Some((tool, rest.strip_suffix(')')?))) {
            Some((tool, pattern)) => Self { tool: tool.trim().to_owned(), pattern: Some(pattern.trim().to_owned()) },
            None => Self { tool: text.to_owned(), pattern: None },
        }
    }

    /// True when a call is meant: of this tool, about these subjects (a command line, or paths). Where they
    /// are not known it may be meant.
    pub fn fits(&self, tool: &str, subjects: &[String]) -> bool {
        if self.tool != tool {
            return false;
        }
        let Some(pattern) = self.pattern.as_deref().filter(|pattern| !matches!(*pattern, "" | "*" | ":*")) else {
            return true;
        };
        let pattern = match pattern.strip_suffix(":*") {
            Some(start) => format!("{start}*"),
            None => pattern.to_owned(),
        };
        if subjects.is_empty() {
            return true;
        }
        let odd = |text: &str| text.contains(['`', '$', '(', '<']);
        let apart = |subject: &String| match tool {
            "Bash" => subject.split([';', '|', '&', '\n']).map(|part| part.trim().to_owned()).collect(),
            _ => vec![subject.clone()],
        };
        let fits = |part: String| odd(&part) && tool == "Bash" || wild(&pattern, &part) || ends_so(&pattern, &part);
        subjects.iter().flat_map(apart).any(fits)
    }
}

/// A relative pattern is one for the end of a path.
fn ends_so(pattern: &str, path: &str) -> bool {
    !pattern.starts_with('/') && path.starts_with('/') && wild(&format!("*/{pattern}"), path)
}

/// Whether a text fits a pattern in which `*` stands for anything.
fn wild(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        // `git push *` is `git push` too.
        return pattern.strip_suffix(" *") == Some(text);
    };
    let mut last = None;
    for part in parts {
        if let Some(part) = last.replace(part) {
            let Some(at) = rest.find(part) else { return false };
            rest = rest.get(at + part.len()..).unwrap_or_default();
        }
    }
    match last {
        Some(part) => rest.ends_with(part),
        None => rest.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::HookFilter;

    #[test]
    fn a_rule_says_which_calls_are_meant() {
        for (rule, tool, subject, fits) in [
            ("Bash", "Bash", "ls", true),
            ("Bash", "Edit", "a", false),
            ("Bash(git push *)", "Bash", "git push origin", true),
            ("Bash(git push *)", "Bash", "git push", true),
            ("Bash(git push *)", "Bash", "git status", false),
            ("Bash(git push:*)", "Bash", "git push -f", true),
            ("Bash(git push *)", "Bash", "cd a && git push x", true),
            ("Bash(git push *)", "Bash", "$(echo git) push", true),
            ("Bash(touch *)", "Bash", "echo \"touch\" {a,b}", false),
            ("Edit(*.ts)", "Edit", "/w/src/a.ts", true),
            ("Edit(src/**)", "Edit", "/w/src/b/a.ts", true),
            ("Edit(*.ts)", "Edit", "/w/src/a.rs", false),
        ] {
            assert_eq!(HookFilter::read(rule).fits(tool, &[subject.to_owned()]), fits, "{rule} {subject}");
        }
    }

    #[test]
    fn a_call_whose_subjects_are_unknown_is_not_left_out() {
        assert!(HookFilter::read("Edit(*.ts)").fits("Edit", &[]));
        assert!(!HookFilter::read("Edit(*.ts)").fits("Bash", &[]));
    }
}
