//! Rules for tools that come from outside: by name, and by names with `*` in them.

use reasonix_policy::{Fallback, Posture, Rule, Rules, Verdict, evaluate};
use reasonix_proto::{Action, Family, ReadOnly};

fn list(texts: &[&str]) -> Vec<Rule> {
    texts.iter().map(|text| Rule::parse(text).unwrap()).collect()
}

fn verdict(deny: &[&str], ask: &[&str], allow: &[&str], tool: &str) -> Verdict {
    let rules = Rules { deny: list(deny), ask: list(ask), allow: list(allow), mode: Fallback::Ask, ..Rules::default() };
    let action = Action { family: Family::Tool, subjects: vec!["{}".into()], read_only: ReadOnly::Unknown };
    evaluate(&rules, &[], Posture::Ask, tool, &action)
}

#[test]
fn a_server_is_allowed_by_its_name() {
    let tool = "mcp__github__get_issue";
    for allow in ["mcp__github__*", "mcp__github__get_*", "MCP__GitHub__*", "mcp__github__get_issue"] {
        assert!(matches!(verdict(&[], &[], &[allow], tool), Verdict::Allow(_)), "{allow}");
        assert!(Rule::parse_allow(allow).is_ok(), "{allow}");
    }
    for other in ["mcp__git__*", "mcp__github__set_*", "mcp__github__get", "Edit", "Bash"] {
        assert!(matches!(verdict(&[], &[], &[other], tool), Verdict::Ask(_)), "{other}");
    }
}

/// `mcp__github__x__drop` may be a tool of the server `github__x`, which nobody has named.
#[test]
fn a_server_whose_name_only_begins_like_another_is_not_allowed_with_it() {
    assert!(matches!(verdict(&[], &[], &["Mcp(github)"], "mcp__github__get_issue"), Verdict::Allow(_)));
    // A server's name alone is all of it, as other agents write it.
    for name in ["mcp__github", "MCP__GitHub"] {
        assert!(matches!(verdict(&[name], &[], &[], "mcp__github__get_issue"), Verdict::Deny(_)), "{name}");
        assert!(matches!(verdict(&[], &[], &[name], "mcp__github__get_issue"), Verdict::Allow(_)), "{name}");
        assert!(!matches!(verdict(&[], &[], &[name], "mcp__github2__get_issue"), Verdict::Allow(_)), "{name}");
        assert!(!matches!(verdict(&[], &[], &[name], "mcp__github__x__drop"), Verdict::Allow(_)), "{name}");
    }
    assert!(matches!(verdict(&["mcp__a__b"], &[], &[], "mcp__a__b__drop"), Verdict::Deny(_)), "a__b may be the server");
    assert!(!matches!(verdict(&[], &[], &["mcp__a__b"], "mcp__a__b__drop"), Verdict::Allow(_)));
    for allow in ["Mcp(github)", "Mcp(github.*)"] {
        assert!(matches!(verdict(&[], &[], &[allow], "mcp__github__x__drop"), Verdict::Ask(_)), "{allow}");
    }
    assert!(matches!(verdict(&["Mcp(github)"], &[], &[], "mcp__github__x__drop"), Verdict::Deny(_)), "no is wide");
}

#[test]
fn what_would_allow_every_server_allows_none_and_says_what_would() {
    for wide in ["mcp__*", "mcp__git*", "*__get_issue", "m*"] {
        let error = Rule::parse_allow(wide).unwrap_err();
        assert!(error.reason.contains("__*"), "{wide}: {error}");
        // Also where it came past the reading.
        assert!(matches!(verdict(&[], &[], &[wide], "mcp__github__get_issue"), Verdict::Ask(_)), "{wide}");
    }
    // The rule for every tool was written before there were any from outside.
    assert!(matches!(verdict(&[], &[], &["*"], "mcp__github__get_issue"), Verdict::Ask(_)));
}

#[test]
fn what_forbids_or_asks_is_as_wide_as_it_likes() {
    let (tool, allow) = ("mcp__github__get_issue", &["mcp__github__*"]);
    for wide in ["mcp__*", "*", "mcp__*__get_*", "*issue", "mcp__github__get_issue"] {
        assert!(matches!(verdict(&[wide], &[], allow, tool), Verdict::Deny(_)), "{wide}");
        assert!(matches!(verdict(&[], &[wide], allow, tool), Verdict::Ask(_)), "{wide}");
    }
    let writes = Action::writes(Family::Edit, vec!["a".into()]);
    let rules = Rules { deny: list(&["*_file"]), ..Rules::default() };
    assert!(
        matches!(evaluate(&rules, &[], Posture::Ask, "write_file", &writes), Verdict::Deny(_)),
        "built-in names too"
    );
}

#[test]
fn a_pattern_for_names_allows_no_command() {
    let rules = Rules { allow: list(&["b*", "*"]), mode: Fallback::Ask, ..Rules::default() };
    let run = Action::writes(Family::Bash, vec!["touch x".into()]);
    let only = Rules { allow: list(&["b*"]), mode: Fallback::Ask, ..Rules::default() };
    assert!(matches!(evaluate(&only, &[], Posture::Ask, "bash", &run), Verdict::Ask(_)));
    assert!(matches!(evaluate(&rules, &[], Posture::Ask, "bash", &run), Verdict::Allow(_)), "the plain star as before");
}

/// Of a long name, or one in another script, the beginning is left with digits behind it; a server's name may have points.
#[test]
fn what_is_forbidden_is_found_under_the_name_that_models_call_it_by() {
    let long = "x".repeat(100);
    let cut = format!("mcp__server__{}_0123abcd", "x".repeat(42));
    assert_eq!(cut.len(), 64);
    let whole = format!("Mcp(server.{long})");
    let plain = format!("mcp__server__{long}");
    for (rule, tool) in [
        (whole.as_str(), cut.as_str()),
        (plain.as_str(), cut.as_str()),
        ("Mcp(server.xxx*)", cut.as_str()),
        ("Mcp(server.*_drop)", cut.as_str()),
        ("Mcp(files.\u{8bfb}\u{53d6})", "mcp__files_____0123abcd"),
        ("Mcp(a.b.drop)", "mcp__a_b__drop"),
        ("Mcp(a.b.drop)", "mcp__a__b_drop"),
        ("Mcp(a.b)", "mcp__a_b__drop"),
        ("Mcp(a.b)", "mcp__a__b"),
    ] {
        let allow = &[tool];
        assert!(matches!(verdict(&[rule], &[], allow, tool), Verdict::Deny(_)), "{rule} {tool}");
        assert!(matches!(verdict(&[], &[rule], allow, tool), Verdict::Ask(_)), "{rule} {tool}");
    }
    for (rule, tool) in [
        ("Mcp(other.xxx)", cut.as_str()),
        ("Mcp(server.y*)", cut.as_str()),
        ("Mcp(server.xxx)", cut.as_str()),
        ("Mcp(a.b.drop)", "mcp__a__drop"),
        ("Mcp(a)", "mcp__a_b__drop"),
    ] {
        assert!(matches!(verdict(&[rule], &[], &[tool], tool), Verdict::Allow(_)), "{rule} {tool}");
    }
    // What allows is the very name.
    for (rule, tool) in [(whole.as_str(), cut.as_str()), (plain.as_str(), cut.as_str()), ("Mcp(a.b)", "mcp__a_b__drop")]
    {
        assert!(matches!(verdict(&[], &[], &[rule], tool), Verdict::Ask(_)), "{rule} {tool}");
    }
}
