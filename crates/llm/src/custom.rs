//! Calls whose input is a text of no form, as some models make them unasked: read as the argument that the tool needs.

use reasonix_agent::{Prefix, ToolSpec, plain_name};
use serde_json::{Map, Value};

/// What the input is called where the tool does not tell.
const INPUT: &str = "input";

/// The arguments that an input means: itself where it is an object already, else the only text that the tool needs.
pub(crate) fn arguments(name: &str, input: String, prefix: &Prefix) -> String {
    if serde_json::from_str::<Map<String, Value>>(&input).is_ok() {
        return input;
    }
    let name = plain_name(name);
    let needed = prefix.tools.iter().find(|tool| plain_name(&tool.name) == name).and_then(only);
    Value::Object(Map::from_iter([(needed.unwrap_or(INPUT).to_owned(), Value::String(input))])).to_string()
}

/// True for a tool of ours under any of its names. Some endpoints tell the calls of their own tools in the same way.
pub(crate) fn is_ours(name: &str, prefix: &Prefix) -> bool {
    let name = plain_name(name);
    let aliases = prefix.aliases.iter().map(|(alias, _)| alias);
    prefix.tools.iter().map(|tool| &tool.name).chain(aliases).any(|known| plain_name(known) == name)
}

/// The only argument that a tool needs, where that is a text.
fn only(tool: &ToolSpec) -> Option<&str> {
    let [needed] = tool.parameters.get("required")?.as_array()?.as_slice() else { return None };
    let needed = needed.as_str()?;
    (tool.parameters.get("properties")?.get(needed)?.get("type")? == "string").then_some(needed)
}

#[cfg(test)]
mod tests {
    use super::{arguments, is_ours};
    use reasonix_agent::{Prefix, ToolSpec};
    use serde_json::json;

    #[test]
    fn an_input_is_the_only_text_that_a_tool_needs() {
        let text = json!({ "type": "string" });
        let tool = |name: &str, required: &[&str]| {
            let properties = json!({ "patch": text, "path": text, "limit": { "type": "integer" } });
            ToolSpec::new(name, "Does.", json!({ "type": "object", "properties": properties, "required": required }))
        };
        let tools =
            vec![tool("apply_patch", &["patch"]), tool("edit_file", &["path", "patch"]), tool("head", &["limit"])];
        let prefix = Prefix { system: String::new(), tools, aliases: vec![("patch".into(), "apply_patch".into())] };
        let ours = ["ApplyPatch", "patch", "x_keyword_search"].map(|name| is_ours(name, &prefix));
        assert_eq!(ours, [true, true, false]);
        for (name, input, expected) in [
            ("ApplyPatch", "*** Begin", r#"{"patch":"*** Begin"}"#),
            ("apply_patch", r#"{"patch":"x"}"#, r#"{"patch":"x"}"#),
            ("apply_patch", "", r#"{"patch":""}"#),
            ("edit_file", "x", r#"{"input":"x"}"#),
            ("head", "5", r#"{"input":"5"}"#),
            ("nobody", "\"", r#"{"input":"\""}"#),
        ] {
            assert_eq!(arguments(name, input.to_owned(), &prefix), expected, "{name} {input}");
        }
    }
}
