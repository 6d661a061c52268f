//! What a person wants of servers in a prompt: prompts of theirs by `/mcp__server__prompt`, resources by `@server:uri`.

use super::Fleet;
use super::member::Member;
use reasonix_agent::Stop;
use reasonix_gate::QuestionEnd;
use reasonix_mcp::{ListedPrompt, McpError};
use reasonix_proto::{
    Argument, ArgumentKind, Block, CommandInfo, CommandSource, Completion, Phrase, Question, fenced, unhidden,
};
use reasonix_talk::people::{Asker, People};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::Arc;

/// Bytes of one resource that are put into a prompt.
const MOST_BYTES: usize = 64 * 1024;
/// What commands of servers begin with.
const COMMAND: &str = "mcp__";

/// The name and the rest of what is typed as a command of a server.
pub fn command_of(typed: &str) -> Option<(&str, &str)> {
    let rest = typed.trim().strip_prefix('/').filter(|rest| rest.starts_with(COMMAND))?;
    Some(rest.split_once(char::is_whitespace).unwrap_or((rest, "")))
}

impl Fleet {
    /// The commands that servers bring, as far as that is known.
    pub fn commands(&self) -> Vec<CommandInfo> {
        let of = |member: &Arc<Member>| {
            let listing = member.listing();
            let prompts = listing.iter().flat_map(|listing| listing.prompts.iter().flatten());
            prompts.map(|prompt| command(&member.name, prompt)).collect::<Vec<_>>()
        };
        self.members().iter().flat_map(of).collect()
    }

    /// Resources whose reference begins as what is typed.
    pub fn resources(&self, typed: &str, limit: usize) -> Vec<Completion> {
        let of = |member: &Arc<Member>| {
            let listing = member.listing();
            let all = listing.iter().flat_map(|listing| listing.resources.iter().flatten());
            let plain = all.filter(|resource| !resource.template);
            plain.map(|found| (format!("{}:{}", member.name, found.uri), found.name.clone())).collect::<Vec<_>>()
        };
        let fits = |(text, _): &(String, String)| !typed.is_empty() && text.starts_with(typed);
        let found = self.members().iter().flat_map(of).filter(fits).take(limit).collect::<Vec<_>>();
        let shown = |(text, note): (String, String)| Completion {
            insert: text.clone(),
            marks: (0..typed.chars().count()).collect(),
            shown: text,
            descends: false,
            note,
        };
        found.into_iter().map(shown).collect()
    }

    /// The server and the address that a reference names; none for what is no reference to a server.
    pub fn resource_of<'a>(&self, mention: &'a str) -> Option<(&'a str, &'a str)> {
        let (server, uri) = mention.split_once(':').filter(|(_, uri)| !uri.is_empty())?;
        self.member(server).map(|_| (server, uri))
    }

    /// A resource as it stands before a prompt.
    pub async fn resource(&self, server: &str, uri: &str, stop: &Stop) -> Result<String, Phrase> {
        let missing = || McpError::NoServer { server: server.to_owned() }.phrase();
        let member = self.member(server).ok_or_else(missing)?;
        let content = member.servers().read(server, uri, stop).await.map_err(|error| error.phrase())?;
        let words = content.blocks().iter().map(plain).collect::<Vec<_>>().join("\n");
        let text = unhidden(&words).text;
        let cut = text.get(..text.floor_char_boundary(MOST_BYTES)).unwrap_or_default();
        let mark = if cut.len() < text.len() { "\n[cut]" } else { "" };
        Ok(fenced("resource", &[("ref", &format!("{server}:{uri}"))], &format!("{cut}{mark}")) + "\n\n")
    }

    /// A prompt of a server, filled in; what is missing is asked for.
    pub async fn prompt(&self, (name, words): (&str, &str), people: &People, stop: &Stop) -> Result<String, Phrase> {
        let unknown = || Phrase::new("engine.no_server_prompt").with("name", name);
        let found = match self.find_prompt(name) {
            Some(found) => Some(found),
            None => {
                self.meet_new().await;
                self.find_prompt(name)
            }
        };
        let (member, prompt) = found.ok_or_else(unknown)?;
        let args = arguments(&member.name, &prompt, words, people).await?;
        let messages = member.servers().prompt(&member.name, &prompt.own, args, stop).await;
        let messages = messages.map_err(|error| error.phrase())?;
        let one = |(role, block): (String, Block)| match role.as_str() {
            "user" => block.words().into_owned(),
            role => format!("[{role}]\n{}", block.words()),
        };
        let text = messages.into_iter().map(one).collect::<Vec<_>>().join("\n\n");
        // It stands there as if the person had typed it, who sees no more of it than this.
        Ok(unhidden(&text).text.into_owned())
    }

    fn find_prompt(&self, name: &str) -> Option<(Arc<Member>, ListedPrompt)> {
        self.members().into_iter().find_map(|member| {
            let listing = member.listing()?;
            let found = listing.prompts.iter().flatten().find(|prompt| prompt.name.as_str() == name)?.clone();
            Some((member, found))
        })
    }
}

/// The text of a block, without a fence of its own.
fn plain(block: &Block) -> Cow<'_, str> {
    match block {
        Block::Resource { text: Some(text), .. } => Cow::Borrowed(text),
        other => other.words(),
    }
}

fn command(server: &str, prompt: &ListedPrompt) -> CommandInfo {
    let argument = |argument: &reasonix_mcp::ListedArgument| Argument {
        name: Phrase::new("command.arg_plain").with("text", &argument.name),
        kind: ArgumentKind::Text,
        optional: !argument.required,
    };
    CommandInfo {
        name: prompt.name.as_str().to_owned(),
        aliases: Vec::new(),
        arguments: prompt.arguments.iter().map(argument).collect(),
        about: Phrase::new("command.of_server").with("text", &prompt.description).with("server", server),
        source: CommandSource::Mcp,
        needs: None,
        cases: Vec::new(),
    }
}

/// The arguments by position, the last with all that is left; required ones that are missing are asked for.
async fn arguments(
    server: &str,
    prompt: &ListedPrompt,
    words: &str,
    people: &People,
) -> Result<Map<String, Value>, Phrase> {
    let mut given = Map::new();
    let mut rest = words.trim();
    let count = prompt.arguments.len();
    for (at, argument) in prompt.arguments.iter().enumerate().take_while(|_| !words.trim().is_empty()) {
        if rest.is_empty() {
            break;
        }
        let (word, more) = if at + 1 == count { (rest, "") } else { next_word(rest) };
        given.insert(argument.name.clone(), word.trim_matches('"').into());
        rest = more;
    }
    let missing: Vec<_> =
        prompt.arguments.iter().filter(|argument| argument.required && !given.contains_key(&argument.name)).collect();
    if missing.is_empty() {
        return Ok(given);
    }
    let question = |argument: &&reasonix_mcp::ListedArgument| Question {
        id: argument.name.clone(),
        question: format!("MCP {server}: {}\n{} {}", prompt.own, argument.name, argument.description).trim().to_owned(),
        options: Vec::new(),
        multi: false,
        recommended: None,
    };
    let said = match people.inquire(Asker::Server(server), missing.iter().map(question).collect()).await {
        QuestionEnd::Answered((said, _)) => said,
        QuestionEnd::Nobody | QuestionEnd::TimedOut(_) => Vec::new(),
    };
    for argument in missing {
        let said = said.iter().find(|said| said.question == argument.name);
        let text = said.and_then(|said| said.text.as_deref()).map(str::trim).filter(|text| !text.is_empty());
        let lacks = || Phrase::new("engine.prompt_lacks").with("argument", &argument.name);
        given.insert(argument.name.clone(), text.ok_or_else(lacks)?.into());
    }
    Ok(given)
}

/// The first word, which may stand in quotation marks, and what follows it.
fn next_word(text: &str) -> (&str, &str) {
    let quoted = ['"', '\''].into_iter().find_map(|mark| text.strip_prefix(mark)?.split_once(mark));
    let (word, rest) = quoted.or_else(|| text.split_once(char::is_whitespace)).unwrap_or((text, ""));
    (word, rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::{command_of, next_word};

    #[test]
    fn words_are_told_apart() {
        assert_eq!(next_word("\"a b\" c"), ("a b", "c"));
        assert_eq!(next_word("'a b' c"), ("a b", "c"));
        assert_eq!(next_word("a  b"), ("a", "b"));
        assert_eq!(next_word("\"a"), ("\"a", ""));
        assert_eq!(command_of(" /mcp__s__p x y "), Some(("mcp__s__p", "x y")));
        assert_eq!(command_of("/other"), None);
        assert_eq!(command_of("mcp__s__p"), None);
    }
}
