//! The permission rules tried out, for `reasonix doctor`.

use super::{Mark, Report};
use crate::context::Context;
use reasonix_policy::{Fallback, Finding, Never, Remark, Rule, Rules, examine};
use reasonix_proto::Phrase;

/// Tells about rules that can never matter, and what each pattern of `permissions.dangerous` matches.
pub(super) fn rules(report: &mut Report, context: &Context) -> anyhow::Result<()> {
    let permissions = &context.loaded.settings.permissions;
    let root = context.root().display().to_string();
    let relative = |texts: &[String]| texts.iter().map(|text| Rule::relative_to(text, &root)).collect::<Vec<_>>();
    let (deny, ask, allow) = (relative(&permissions.deny), relative(&permissions.ask), relative(&permissions.allow));
    let rules = match Rules::parse(&deny, &ask, &allow, Fallback::Ask) {
        Ok(rules) => rules,
        Err(error) => {
            let phrase = Phrase::new("engine.bad_rule").with("rule", &error.rule).with("reason", &error.reason);
            return report.line(Mark::Bad, &phrase);
        }
    };
    let Ok(workspace) = context.workspace(&[]) else { return Ok(()) };
    let tools = reasonix_engine::tool_names(&workspace);
    let names: Vec<&str> = tools.iter().map(String::as_str).collect();
    for remark in examine(&rules, &permissions.dangerous, &names) {
        let (mark, phrase) = told(&remark);
        report.line(mark, &phrase.with("rule", &remark.rule).with("list", remark.list))?;
    }
    Ok(())
}

fn told(remark: &Remark) -> (Mark, Phrase) {
    match &remark.finding {
        Finding::Matches(example) => (Mark::Good, Phrase::new("cli.rule_matches").with("example", example)),
        Finding::BuiltIn(example) => (Mark::Note, Phrase::new("cli.rule_built_in").with("example", example)),
        Finding::Unreadable(reason) => (Mark::Bad, Phrase::new("cli.rule_unreadable").with("reason", reason)),
        Finding::Shadowed(by) => (Mark::Note, Phrase::new("cli.rule_shadowed").with("by", by)),
        Finding::Never(why) => (
            Mark::Note,
            Phrase::new(match why {
                Never::NoTool => "cli.rule_no_tool",
                Never::Dangerous => "cli.rule_dangerous",
                Never::NotCovered => "cli.rule_not_covered",
                Never::Home => "cli.rule_home",
                Never::Example => "cli.rule_never",
            }),
        ),
    }
}
