//! Rules tried out, and dangers that end at the workspace.

use crate::property;

use reasonix_policy::{Fallback, Finding, Never, Rules, analyse, dangers, examine, stays_in_workspace};

fn own(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn found(deny: &[&str], ask: &[&str], allow: &[&str], dangerous: &[&str]) -> Vec<(String, &'static str, Finding)> {
    let rules = Rules::parse(&own(deny), &own(ask), &own(allow), Fallback::Ask).unwrap();
    let remarks = examine(&rules, &own(dangerous), &["bash", "write_file", "grep", "todo_write"]);
    remarks.into_iter().map(|remark| (remark.rule, remark.list, remark.finding)).collect()
}

#[test]
fn dangerous_patterns_are_tried_out() {
    for (pattern, finding) in [
        ("make deploy", Finding::Matches("make deploy x".into())),
        ("Bash(helm *)", Finding::Matches("helm x".into())),
        ("flyctl * --now", Finding::Matches("flyctl x --now".into())),
        ("Bash(ansible-playbook site.yml)", Finding::Matches("ansible-playbook site.yml".into())),
        ("rm", Finding::BuiltIn("rm x".into())),
        ("*", Finding::Unreadable("it would call every command dangerous".into())),
        ("Bash(", Finding::BuiltIn("Bash( x".into())),
    ] {
        assert_eq!(found(&[], &[], &[], &[pattern]), [(pattern.to_owned(), "dangerous", finding)], "{pattern}");
    }
}

#[test]
fn rules_that_work_need_no_remark() {
    assert_eq!(
        found(
            &["Bash(git push:*)", "Read(secrets/**)", "Edit(.github/**)"],
            &["Bash(npm install:*)", "Bash(rm:*)"],
            &["Bash(cargo test:*)", "Edit(docs/**)", "Bash", "todo_write", "mcp__a__b", "Read(/etc/hosts)"],
            &[],
        ),
        []
    );
}

#[test]
fn rules_that_can_never_matter_are_named() {
    for (deny, ask, allow, rule, list, finding) in [
        (&[][..], &[][..], &["Bash(rm:*)"][..], "Bash(rm:*)", "allow", Finding::Never(Never::Dangerous)),
        (&[], &[], &["Bash(git push --force)"], "Bash(git push --force)", "allow", Finding::Never(Never::Dangerous)),
        (&[], &[], &["Bash(python -c:*)"], "Bash(python -c:*)", "allow", Finding::Never(Never::NotCovered)),
        (&[], &[], &["Bash(A=1 make:*)"], "Bash(A=1 make:*)", "allow", Finding::Never(Never::NotCovered)),
        (&["run_command"], &[], &[], "run_command", "deny", Finding::Never(Never::NoTool)),
        (&["Read(~/.ssh/**)"], &[], &[], "Read(~/.ssh/**)", "deny", Finding::Never(Never::Home)),
        (
            &["Bash(npm:*)"],
            &[],
            &["Bash(npm test:*)"],
            "Bash(npm test:*)",
            "allow",
            Finding::Shadowed("Bash(npm:*)".into()),
        ),
        (&[], &["Bash"], &["Bash(ls -l)"], "Bash(ls -l)", "allow", Finding::Shadowed("Bash".into())),
        (&["Edit"], &["Edit(docs/**)"], &[], "Edit(docs/**)", "ask", Finding::Shadowed("Edit".into())),
        (&[], &[], &["Edit(a)", "Edit(a)"], "Edit(a)", "allow", Finding::Shadowed("Edit(a)".into())),
    ] {
        assert_eq!(found(deny, ask, allow, &[]), [(rule.to_owned(), list, finding)], "{rule}");
    }
}

#[test]
fn dangers_that_end_at_the_workspace() {
    for (line, stays) in [
        ("rm -rf build", true),
        ("rm -rf build/* && mv old new", true),
        ("echo x > old", true),
        ("truncate -s 0 old", true),
        ("git clean -fd", true),
        ("ls", false),
        ("rm -rf /tmp/x", false),
        ("rm -rf ../x", false),
        ("rm -rf ~", false),
        ("rm -rf $x", false),
        ("rm -rf .git", false),
        ("rm .git/index", false),
        ("cd /other && git clean -fd", false),
        ("git rm x", false),
        ("git push --force", false),
        ("git reset --hard", false),
        ("sudo rm x", false),
        ("rm x; eval \"$y\"", false),
        ("rm x; npm publish", false),
        ("killall node", false),
        ("docker rm x", false),
    ] {
        let found = dangers(&analyse(line), line, &property::World, &[]);
        assert_eq!(stays_in_workspace(&found), stays, "{line}: {found:?}");
    }
}
