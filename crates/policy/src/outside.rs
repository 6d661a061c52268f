//! Names of tools that come from outside, with `*` in them. A rule that forbids or asks may be as wide as it likes; one that
//! allows names the server.

/// What stands before a server's name, and between that and the tool's.
const BEFORE: &str = "mcp__";
const BETWEEN: &str = "__";
/// The longest name of a tool; of a longer one its beginning is left, and so many digits.
const LONGEST: usize = 64;
const DIGITS: usize = 8;

/// True when the name of a tool fits a pattern in which `*` stands for any text; case does not matter.
pub(crate) fn fits(pattern: &str, tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    let mut parts = pattern.split('*');
    let Some(mut rest) = tool.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

/// True when what a pattern leaves open after its server's name has one more part: it may be the tool of another server, whose
/// name begins with this one's.
pub(crate) fn is_deeper(pattern: &str, tool: &str) -> bool {
    let fixed = pattern.split('*').next().unwrap_or_default();
    let tool = tool.to_ascii_lowercase();
    fixed.len() > BEFORE.len() && tool.strip_prefix(fixed).is_some_and(|rest| rest.contains(BETWEEN))
}

/// The tools that `Mcp`, `Mcp(server)` and `Mcp(server.tool)` speak of, by the names that models call them by.
pub(crate) fn of_servers(inner: Option<&str>) -> String {
    match inner.map(str::trim).filter(|inner| !matches!(*inner, "" | "*" | "**")) {
        None => format!("{BEFORE}*"),
        Some(inner) => {
            let (server, tool) = inner.split_once('.').unwrap_or((inner, "*"));
            named(server, tool)
        }
    }
}

/// The server that a rule names by what its tools' names begin with, and no tool of it: `mcp__github` is all of that server.
pub(crate) fn server_alone(text: &str) -> Option<&str> {
    let before = text.get(..BEFORE.len())?;
    let server = text.get(BEFORE.len()..).filter(|_| before.eq_ignore_ascii_case(BEFORE))?;
    let named = server.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    (named && !server.is_empty() && !server.contains(BETWEEN)).then_some(server)
}

/// The names that a rule which forbids or asks may mean besides: what reads like a tool may be a server whose name has the same
/// marks in it.
pub(crate) fn besides(name: &str) -> Vec<String> {
    let name = name.to_ascii_lowercase();
    let server = (name.starts_with(BEFORE) && !name.contains('*')).then(|| format!("{name}{BETWEEN}*"));
    std::iter::once(name).chain(server).collect()
}

/// The same for a rule that forbids or asks: a server's name may have points in it, so that each of them may be the one
/// before the tool.
pub(crate) fn all_of_servers(inner: Option<&str>) -> Vec<String> {
    let exact = of_servers(inner);
    let Some(inner) = inner.map(str::trim).filter(|_| exact != format!("{BEFORE}*")) else { return vec![exact] };
    let parts = inner.match_indices('.').filter_map(|(at, _)| Some((inner.get(..at)?, inner.get(at + 1..)?)));
    parts.chain([(inner, "*")]).map(|(server, tool)| named(server, tool)).collect()
}

fn named(server: &str, tool: &str) -> String {
    let legal = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '*') { c } else { '_' };
    let plain = |text: &str| text.trim().chars().map(legal).collect::<String>().to_ascii_lowercase();
    format!("{BEFORE}{}{BETWEEN}{}", plain(server), plain(tool))
}

/// True when a pattern that forbids speaks of a tool, or may: of a name that is too long, or in another script, only the
/// beginning is left, with digits behind it.
pub(crate) fn may_fit(pattern: &str, tool: &str) -> bool {
    if fits(pattern, tool) {
        return true;
    }
    let tool = tool.to_ascii_lowercase();
    let digits = |text: &str| text.len() == DIGITS && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    let Some((head, _)) = tool.rsplit_once('_').filter(|(_, end)| digits(end)) else { return false };
    if !pattern.starts_with(BEFORE) || !head.starts_with(BEFORE) {
        return false;
    }
    let fixed = pattern.split('*').next().unwrap_or_default();
    let open = fixed.len() < pattern.len();
    let cut = tool.len() >= LONGEST && (fixed.starts_with(head) || (open && head.starts_with(fixed)));
    cut || fits(pattern, head)
}

/// Why a pattern must not allow; none when it names one server.
pub(crate) fn too_wide(pattern: &str) -> Option<String> {
    let fixed = pattern.split('*').next().unwrap_or_default();
    let server = fixed.strip_prefix(BEFORE).and_then(|rest| rest.split_once(BETWEEN)).map(|(server, _)| server);
    if server.is_some_and(|server| !server.is_empty()) {
        return None;
    }
    let begun = fixed.strip_prefix(BEFORE).map(|rest| rest.trim_matches('_')).filter(|rest| !rest.is_empty());
    let narrower = format!("{BEFORE}{}{BETWEEN}*", begun.unwrap_or("SERVER"));
    Some(format!("it would allow tools that nobody has named, of every server; name one, such as {narrower}"))
}

#[cfg(test)]
mod tests {
    use super::{fits, of_servers, too_wide};

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, tool, wanted) in [
            ("mcp__github__*", "mcp__github__get_issue", true),
            ("mcp__github__*", "MCP__GitHub__get_issue", true),
            ("mcp__github__*", "mcp__github2__get_issue", false),
            ("mcp__*__delete_*", "mcp__a__delete_all", true),
            ("mcp__*__delete_*", "mcp__a__deleted", false),
            ("*_file", "write_file", true),
            ("*_file", "file", false),
            ("a*a", "a", false),
            ("mcp__a__*x*x", "mcp__a__x", false),
            ("mcp__a__*x*x", "mcp__a__xx", true),
        ] {
            assert_eq!(fits(pattern, tool), wanted, "{pattern} {tool}");
        }
    }

    #[test]
    fn a_server_and_its_tool_are_named_with_a_point_between_them() {
        for (inner, wanted) in [
            (None, "mcp__*"),
            (Some("*"), "mcp__*"),
            (Some("GitHub"), "mcp__github__*"),
            (Some("github.get_*"), "mcp__github__get_*"),
            (Some("my files.read file"), "mcp__my_files__read_file"),
        ] {
            assert_eq!(of_servers(inner), wanted);
        }
    }

    #[test]
    fn what_allows_names_a_server() {
        for (pattern, narrower) in [
            ("mcp__github__*", None),
            ("mcp__github__get_*", None),
            ("mcp__*", Some("mcp__SERVER__*")),
            ("mcp__git*", Some("mcp__git__*")),
            ("mcp____*", Some("mcp__SERVER__*")),
            ("*__get", Some("mcp__SERVER__*")),
            ("b*", Some("mcp__SERVER__*")),
        ] {
            let found = too_wide(pattern);
            assert_eq!(found.is_some(), narrower.is_some(), "{pattern}: {found:?}");
            assert!(narrower.is_none_or(|narrower| found.unwrap_or_default().contains(narrower)), "{pattern}");
        }
    }
}
