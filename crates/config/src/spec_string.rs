//! An MCP server in one text, as `--mcp` takes it: `NAME=COMMAND ARGS…` or `NAME=ADDRESS`, with or without the name.

use crate::node::{Node, Table, Value};
use crate::{ConfigError, Layer, SettingOrigin};

/// What a server is called that nobody named.
const NAMELESS: &str = "mcp";
const FLAG: &str = "--mcp";

/// What a text says of a server: its name, where it has one, and its address or its command with arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecString {
    /// The name.
    pub name: Option<String>,
    /// Where it is, or how it is started.
    pub reach: Result<String, Vec<String>>,
}

/// Reads a text; none where there is nothing to start or to reach.
pub fn server_of(text: &str) -> Option<SpecString> {
    let text = text.trim();
    let named = text.split_once('=').filter(|(name, _)| is_name(name));
    let (name, rest) = named.map_or((None, text), |(name, rest)| (Some(name.to_owned()), rest.trim()));
    let bare = rest.strip_prefix("streamable+").filter(|bare| is_address(bare)).unwrap_or(rest);
    if is_address(bare) {
        return Some(SpecString { name, reach: Ok(bare.to_owned()) });
    }
    let words = words(rest)?;
    (!words.is_empty()).then_some(SpecString { name, reach: Err(words) })
}

/// The servers of the command line, each as an entry of `plugins`.
pub(crate) fn servers(texts: &[String]) -> Result<Vec<Node>, ConfigError> {
    let origin = SettingOrigin::named(Layer::Flag, FLAG);
    let mut all: Vec<(String, Node)> = Vec::new();
    for text in texts {
        let spec = server_of(text).ok_or_else(|| ConfigError::Value {
            origin: origin.clone(),
            key: FLAG.to_owned(),
            expected: "\"NAME=COMMAND ARGS\" | \"NAME=https://…\"".to_owned(),
            found: crate::node::quote(text),
        })?;
        let name = spec.name.clone().unwrap_or_else(|| free(&all));
        if all.iter().any(|(other, _)| *other == name) {
            return Err(ConfigError::Twice { origin, key: format!("plugins.{name}") });
        }
        let node = entry(&name, &spec, &origin);
        all.push((name, node));
    }
    Ok(all.into_iter().map(|(_, node)| node).collect())
}

/// A name that no other one has.
fn free(taken: &[(String, Node)]) -> String {
    let mut names = std::iter::once(NAMELESS.to_owned()).chain((2_u64..).map(|number| format!("{NAMELESS}{number}")));
    names.find(|name| !taken.iter().any(|(other, _)| other == name)).unwrap_or_default()
}

fn entry(name: &str, spec: &SpecString, origin: &SettingOrigin) -> Node {
    let mut fields = Table::default();
    fields.set("name", Node::text(name, origin));
    match &spec.reach {
        Ok(address) => {
            fields.set("type", Node::text("http", origin));
            fields.set("url", Node::text(address.as_str(), origin));
        }
        Err(words) => {
            let mut words = words.iter().map(|word| Node::text(word.as_str(), origin));
            fields.set("command", words.next().unwrap_or_else(|| Node::text("", origin)));
            fields.set("args", Node { value: Value::List(words.collect()), origin: origin.clone() });
        }
    }
    Node::table(fields, origin)
}

fn is_name(text: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !text.is_empty() && text.chars().all(word) && !text.starts_with(|c: char| c.is_ascii_digit())
}

fn is_address(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    (lower.starts_with("http://") || lower.starts_with("https://")) && !text.contains(char::is_whitespace)
}

/// The words of a line, as a shell would tell them apart; nothing is put in for anything. None where a quote does not end.
fn words(line: &str) -> Option<Vec<String>> {
    let (mut all, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match (quote, c) {
            (None, c) if c.is_whitespace() => all.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(open), c) if c == open => quote = None,
            (None | Some('"'), '\\') => word.get_or_insert_default().push(rest.next()?),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    all.extend(word);
    quote.is_none().then_some(all)
}

#[cfg(test)]
mod tests {
    use super::server_of;

    #[test]
    fn texts_are_read_as_a_shell_and_a_person_would() {
        let command = |text: &str| {
            let spec = server_of(text).expect("a server");
            (spec.name, spec.reach.expect_err("a command"))
        };
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(command("git=uvx mcp-server-git"), (Some("git".to_owned()), words(&["uvx", "mcp-server-git"])));
        assert_eq!(command("npx -y 'a b' \"c \\\" d\""), (None, words(&["npx", "-y", "a b", "c \" d"])));
        assert_eq!(command("env A=1 x"), (None, words(&["env", "A=1", "x"])), "a name has no blanks");
        assert_eq!(command("2x=y"), (None, words(&["2x=y"])), "nor does it begin with a digit");
        assert_eq!(command("C:/tools/x.exe"), (None, words(&["C:/tools/x.exe"])));
        assert_eq!(command("ws://host/x").1, words(&["ws://host/x"]), "what is no address is a program");
        for text in ["docs=https://h/mcp", "docs=streamable+https://h/mcp"] {
            let spec = server_of(text).expect("a server");
            assert_eq!((spec.name.as_deref(), spec.reach), (Some("docs"), Ok("https://h/mcp".to_owned())), "{text}");
        }
        for text in ["", "  ", "a=", "x 'open"] {
            assert_eq!(server_of(text), None, "{text}");
        }
    }
}
