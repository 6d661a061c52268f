//! Settings of git as git reads them: comments, quotes, lines that go on, sections with names. Where git would stop at a
//! line, so does this: whoever asks then knows nothing about the file.

/// Bytes that mark a text as UTF-8; git skips them at the beginning.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// One setting. Sections and keys are in lower case, names of sections as they stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) section: String,
    pub(crate) name: Option<String>,
    pub(crate) key: String,
    /// None for a key alone, which means yes.
    pub(crate) value: Option<String>,
}

impl Setting {
    /// The value; empty for a key alone.
    pub(crate) fn text(&self) -> &str {
        self.value.as_deref().unwrap_or_default()
    }

    /// As it is told to people.
    pub(crate) fn told(&self) -> String {
        let Self { section, key, .. } = self;
        let name = self.name.as_ref().map(|name| format!("{name}.")).unwrap_or_default();
        match &self.value {
            Some(value) => format!("{section}.{name}{key} = {value}"),
            None => format!("{section}.{name}{key}"),
        }
    }
}

/// Every setting of a file, in order; none where git would not read it.
pub(crate) fn parse(bytes: &[u8]) -> Option<Vec<Setting>> {
    let mut text = Text { rest: bytes.strip_prefix(MARK).unwrap_or(bytes) };
    let (mut section, mut name, mut found) = (String::new(), None, Vec::new());
    while let Some(byte) = text.next() {
        match byte {
            b'\n' | b' ' | b'\t' | b'\r' => {}
            b'#' | b';' => text.skip_line(),
            b'[' => (section, name) = text.section()?,
            _ if byte.is_ascii_alphabetic() => {
                let (key, value) = text.setting(byte)?;
                found.push(Setting { section: section.clone(), name: name.clone(), key, value });
            }
            _ => return None,
        }
    }
    Some(found)
}

/// What is left of a file.
struct Text<'a> {
    rest: &'a [u8],
}

impl Text<'_> {
    /// The next byte; the two bytes of a line end are one.
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        match (first, rest.split_first()) {
            (b'\r', Some((b'\n', rest))) => {
                self.rest = rest;
                Some(b'\n')
            }
            _ => Some(*first),
        }
    }

    /// The next byte, where the end of the file is the end of a line.
    fn in_line(&mut self) -> u8 {
        self.next().unwrap_or(b'\n')
    }

    fn skip_line(&mut self) {
        while self.in_line() != b'\n' {}
    }

    fn section(&mut self) -> Option<(String, Option<String>)> {
        let mut section = String::new();
        loop {
            match self.next()? {
                b']' => {
                    // The older form: the name stands behind a dot, and its case does not count.
                    let parts = section.split_once('.').map(|(first, name)| (first.to_owned(), name.to_owned()));
                    return Some(parts.map_or((section, None), |(first, name)| (first, Some(name))));
                }
                b' ' | b'\t' | b'\r' => return Some((section, Some(self.name()?))),
                byte if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-') => {
                    section.push(byte.to_ascii_lowercase().into());
                }
                _ => return None,
            }
        }
    }

    /// The name of a section in its quotes, and the bracket behind them.
    fn name(&mut self) -> Option<String> {
        loop {
            match self.next()? {
                b' ' | b'\t' | b'\r' => {}
                b'"' => break,
                _ => return None,
            }
        }
        let mut name = Vec::new();
        loop {
            match self.next()? {
                b'\n' => return None,
                b'"' => break,
                b'\\' => name.push(self.next().filter(|byte| *byte != b'\n')?),
                byte => name.push(byte),
            }
        }
        (self.next()? == b']').then(|| String::from_utf8_lossy(&name).into_owned())
    }

    fn setting(&mut self, first: u8) -> Option<(String, Option<String>)> {
        let mut key = String::from(char::from(first.to_ascii_lowercase()));
        let mut byte = self.in_line();
        while byte.is_ascii_alphanumeric() || byte == b'-' {
            key.push(byte.to_ascii_lowercase().into());
            byte = self.in_line();
        }
        while matches!(byte, b' ' | b'\t') {
            byte = self.in_line();
        }
        match byte {
            b'\n' => Some((key, None)),
            b'=' => Some((key, Some(self.value()?))),
            _ => None,
        }
    }

    fn value(&mut self) -> Option<String> {
        let (mut value, mut quoted, mut whole) = (Vec::new(), false, 0);
        loop {
            match self.in_line() {
                b'\n' if quoted => return None,
                b'\n' => break,
                byte @ (b' ' | b'\t' | b'\r') if !quoted => {
                    if !value.is_empty() {
                        value.push(byte);
                    }
                    continue;
                }
                b'#' | b';' if !quoted => {
                    self.skip_line();
                    break;
                }
                b'"' => quoted = !quoted,
                b'\\' => match self.in_line() {
                    b'\n' => continue,
                    b't' => value.push(b'\t'),
                    b'b' => value.push(8),
                    b'n' => value.push(b'\n'),
                    byte @ (b'\\' | b'"') => value.push(byte),
                    _ => return None,
                },
                byte => value.push(byte),
            }
            whole = value.len();
        }
        // Blanks at the end do not count.
        value.truncate(whole);
        Some(String::from_utf8_lossy(&value).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::parse;
    use std::fs;
    use std::process::Command;

    /// Texts as people and attackers write them. Git itself says what each means.
    const TEXTS: &[&str] = &[
        "",
        "\u{feff}[core]\n\tbare = false\n",
        "[core]\n\tfsmonitor = ./x\n",
        "[core] hooksPath = x\n",
        "[core]hooksPath=x # a comment\n",
        "[core]\n\thooksPath = \"a b\" ; why\n",
        "[core]\n\thooksPath = a \"b # c\" d   \n",
        "[core]\n\thooksPath = a\\\n   b\n",
        "[core]\n\thooksPath = a # \\\n\tfsmonitor = x\n",
        "[core] # [user]\n\tfsmonitor = x\n",
        "[user]\n\tname = a\\\nfsmonitor = x\n",
        "[CORE]\n\tFsMonitor = X\n",
        "[Filter \"A b\"]\n\tClean = x\n",
        "[filter \"a\\\"b\\\\c\"]\n\tclean = \"q \\\"x\\\" \\t\\n\"\n",
        "[diff.Word]\n\tcommand = x\n",
        "[diff.a.B]\n\tcommand = x\n",
        "[core]\r\n\teditor = x\r\n\tpager\r\n",
        "[core]\n\tpager",
        "[core]\n\tpager =",
        "[core]\n\tpager = a;b\n",
        "[core]\n\tpager = \"a;b\" # c\n",
        "[core][user]name=x\n",
        "[core]\n;\n#\n\tbare\n",
        "[a \"]\"] b = c\n",
        "[a   \"x\"]\n\tb = c\n",
        "[core]\n\ta-b = \"\"\n",
        "[alias]\n\tst = \"!f() { \\\n\techo x; }; f\"\n",
        "[core]\n\tpager = \"a\n",
        "[core]\n\tpager = \\x\n",
        "[core]\n\tpager a\n",
        "[core]\n\t= a\n",
        "[core]\n\t1a = a\n",
        "[co re]\n\ta = a\n",
        "[core\n\ta = a\n",
        "[core \"x\"\n]\n\ta = a\n",
        "[core \"x\" ]\n\ta = a\n",
        "[core \"a\nb\"]\n\ta = a\n",
        "[core]\n\ta_b = a\n",
        "[core]\n\tpager ; x\n",
        "%\n",
    ];

    fn by_git(text: &str) -> Option<Vec<String>> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        let out = Command::new("git")
            .args(["config", "--list", "-z", "-f"])
            .arg(file.path())
            .current_dir("/")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        out.status.success().then(|| text.split_terminator('\0').map(str::to_owned).collect())
    }

    #[test]
    fn settings_are_read_as_git_reads_them() {
        for text in TEXTS {
            let ours = parse(text.as_bytes()).map(|all| {
                let one = |setting: &super::Setting| {
                    let name = setting.name.as_ref().map(|name| format!("{name}.")).unwrap_or_default();
                    let value = setting.value.as_ref().map(|value| format!("\n{value}")).unwrap_or_default();
                    format!("{}.{name}{}{value}", setting.section, setting.key)
                };
                all.iter().map(one).collect::<Vec<_>>()
            });
            assert_eq!(ours, by_git(text), "{text:?}");
        }
    }
}
