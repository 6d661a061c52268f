//! Verdicts by tables: the rule grammar, precedence, and what a rule must never cover.

use proptest::prelude::*;
use reasonix_policy::{By, Fallback, Posture, Rule, Rules, Verdict, evaluate};
use reasonix_proto::{Action, Family};

fn bash(command: &str) -> Action {
    Action::writes(Family::Bash, vec![command.into()])
}

fn edit(paths: &[&str]) -> Action {
    Action::writes(Family::Edit, paths.iter().map(|path| (*path).to_owned()).collect())
}

fn rules(deny: &[&str], ask: &[&str], allow: &[&str]) -> Rules {
    let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    Rules::parse(&own(deny), &own(ask), &own(allow), Fallback::Ask).unwrap()
}

fn verdict(rules: &Rules, tool: &str, action: &Action) -> &'static str {
    match evaluate(rules, &[], Posture::Ask, tool, action) {
        Verdict::Allow(_) => "allow",
        Verdict::Ask(_) => "ask",
        Verdict::Deny(_) => "deny",
    }
}

#[test]
fn an_allow_rule_covers_what_it_says_and_nothing_more() {
    for (rule, command, wanted) in [
        ("Bash(go test:*)", "go test ./...", "allow"),
        ("Bash(go test:*)", "go test", "allow"),
        ("Bash(go test:*)", "  go   test -v ", "allow"),
        ("Bash(go test:*)", "go testing", "ask"),
        ("Bash(go test:*)", "go test ./... && rm -rf tmp", "ask"),
        ("Bash(go test:*)", "go test ./...; rm -rf tmp", "ask"),
        ("Bash(go test:*)", "go test ./... | sh", "ask"),
        ("Bash(go test:*)", "go test ./...\nrm x", "ask"),
        ("Bash(go test:*)", "go test $(rm x)", "ask"),
        ("Bash(go test:*)", "go test `rm x`", "ask"),
        ("Bash(go test:*)", "go test > /etc/passwd", "ask"),
        ("Bash(go test:*)", "LD_PRELOAD=x go test", "ask"),
        ("Bash(go test *)", "go test ./...", "allow"),
        ("Bash(npm run build)", "npm run build", "allow"),
        ("Bash(npm run build)", "npm run build --prod", "ask"),
        ("Bash", "anything | at all", "allow"),
        ("bash", "ls", "allow"),
        ("bash=ls -la", "ls -la", "allow"),
        ("bash=ls -la", "ls -la x", "ask"),
        ("Bash(git * --stat)", "git log --stat", "allow"),
        ("Bash(git * --stat)", "git log; rm x --stat", "ask"),
        ("Bash(a?b)", "axb", "ask"),
        ("*", "ls", "allow"),
    ] {
        assert_eq!(verdict(&rules(&[], &[], &[rule]), "bash", &bash(command)), wanted, "{rule} {command:?}");
    }
}

#[test]
fn a_deny_rule_finds_the_command_anywhere_in_the_line() {
    for command in [
        "rm -rf /",
        "rm  -rf  x",
        "ls && rm -rf x",
        "ls; sudo rm -rf x",
        "echo $(rm -rf x)",
        "true | xargs rm -rf x",
        "/bin/rm -rf x",
        "FOO=1 rm -rf x",
        "if true; then rm -rf x; fi",
    ] {
        let rules = rules(&["Bash(rm -rf*)"], &[], &["Bash"]);
        assert_eq!(verdict(&rules, "bash", &bash(command)), "deny", "{command}");
    }
    assert_eq!(verdict(&rules(&["Bash(rm -rf*)"], &[], &["Bash"]), "bash", &bash("rm x")), "allow");
}

#[test]
fn paths() {
    for (rule, paths, wanted) in [
        ("Edit(docs/**)", vec!["docs/a/b.md"], "allow"),
        ("Edit(docs/)", vec!["docs/a/b.md"], "allow"),
        ("Edit(docs/*)", vec!["docs/a/b.md"], "ask"),
        ("Edit(./docs/**)", vec!["docs/x"], "allow"),
        ("Edit(docs/**)", vec!["docs/x", "src/y"], "ask"),
        ("Edit(docs/**)", vec![], "ask"),
        ("Edit", vec!["anything"], "allow"),
        ("write_file(src/x)", vec!["src/x"], "allow"),
        ("write_file", vec!["src/x"], "allow"),
        ("read_file", vec!["src/x"], "ask"),
        ("Write(*.md)", vec!["x.md"], "allow"),
    ] {
        assert_eq!(verdict(&rules(&[], &[], &[rule]), "write_file", &edit(&paths)), wanted, "{rule} {paths:?}");
    }
    let denied = rules(&["Edit(secret)"], &[], &["Edit"]);
    assert_eq!(verdict(&denied, "write_file", &edit(&["open", "secret/deep/x"])), "deny");
}

#[test]
fn precedence_and_fallback() {
    let all = rules(&["Bash(a:*)"], &["Bash(a:*)", "Bash(b:*)"], &["Bash"]);
    assert_eq!(verdict(&all, "bash", &bash("a")), "deny");
    assert_eq!(verdict(&all, "bash", &bash("b")), "ask");
    assert_eq!(verdict(&all, "bash", &bash("c")), "allow");
    let none = rules(&[], &[], &[]);
    assert_eq!(verdict(&none, "read_file", &Action::reads(Family::Read, "x")), "allow");
    assert_eq!(verdict(&none, "write_file", &edit(&["x"])), "ask");
    let closed = rules(&["Read(private/**)"], &[], &[]);
    assert_eq!(verdict(&closed, "read_file", &Action::reads(Family::Read, "private/x")), "deny");
}

#[test]
fn a_family_has_its_own_fallback() {
    let mut strict = rules(&[], &[], &["Bash(ls:*)"]);
    strict.mode = Fallback::Allow;
    strict.families = vec![(Family::Bash, Fallback::Ask), (Family::Read, Fallback::Deny)];
    assert_eq!(verdict(&strict, "bash", &bash("ls -l")), "allow");
    assert_eq!(verdict(&strict, "bash", &bash("cat x")), "ask");
    assert_eq!(verdict(&strict, "read_file", &Action::reads(Family::Read, "x")), "deny");
    assert_eq!(verdict(&strict, "write_file", &edit(&["x"])), "allow");
}

#[test]
fn postures_answer_questions_but_never_a_deny() {
    let rules = rules(&["Bash(a:*)"], &["Bash(b:*)"], &[]);
    for (posture, command, wanted) in [
        (Posture::Auto, "a", Verdict::Deny(By::Rule("Bash(a:*)".into()))),
        (Posture::Auto, "b", Verdict::Ask(By::Rule("Bash(b:*)".into()))),
        (Posture::Auto, "c", Verdict::Allow(By::Posture(Posture::Auto))),
        (Posture::Yolo, "a", Verdict::Deny(By::Rule("Bash(a:*)".into()))),
        (Posture::Yolo, "b", Verdict::Allow(By::Posture(Posture::Yolo))),
    ] {
        assert_eq!(evaluate(&rules, &[], posture, "bash", &bash(command)), wanted, "{posture:?} {command}");
    }
}

#[test]
fn a_grant_answers_an_ask_rule_but_never_a_deny() {
    let rules = rules(&["Bash(rm:*)"], &["Bash(cargo:*)"], &[]);
    let granted = [Rule::parse("Bash(cargo test:*)").unwrap(), Rule::parse("Bash").unwrap()];
    assert!(matches!(evaluate(&rules, &granted, Posture::Ask, "bash", &bash("cargo test x")), Verdict::Allow(_)));
    assert!(matches!(evaluate(&rules, &granted, Posture::Ask, "bash", &bash("rm x")), Verdict::Deny(_)));
}

proptest! {
    /// Whatever is put behind a command with an operator, a prefix rule for that command does not cover the line.
    #[test]
    fn an_operator_never_slips_under_a_prefix(tail in "[a-z/.-][a-z /.-]{0,11}", op in "(;|&&|\\|\\||\\||&|\n|>|<|`|\\$\\()") {
        let command = format!("cargo test {op} {tail}");
        let rules = rules(&[], &[], &["Bash(cargo test:*)"]);
        prop_assert_eq!(verdict(&rules, "bash", &bash(&command)), "ask");
    }

    /// A longer line is never weaker: what a deny rule finds, it finds with anything before or after it.
    #[test]
    fn a_longer_line_is_never_weaker(head in "[a-z ]{0,12}", tail in "[a-z ]{0,12}", op in "(;|&&|\\|\\||\\||\n)") {
        let rules = rules(&["Bash(rm -rf*)"], &[], &["Bash"]);
        prop_assert_eq!(verdict(&rules, "bash", &bash(&format!("{head} {op} rm -rf x {op} {tail}"))), "deny");
    }
}

#[test]
fn what_may_not_be_read_may_not_be_searched_or_changed() {
    let grep = |path: &str| Action::reads(Family::Grep, path);
    for (rule, tool, action, wanted) in [
        ("Read(.env)", "grep", grep(".env"), "deny"),
        ("Read(.env)", "grep", grep("sub/.env"), "deny"),
        ("Read(.env)", "edit_file", edit(&[".env"]), "deny"),
        ("Read(.env)", "move_file", edit(&[".env", "x"]), "deny"),
        ("Read(*.pem)", "read_file", Action::reads(Family::Read, "deep/in/k.pem"), "deny"),
        ("Read(secrets/**)", "write_file", edit(&["secrets/a"]), "deny"),
        ("Read(secrets/**)", "grep", grep("src"), "allow"),
        ("Read(a/.env)", "read_file", Action::reads(Family::Read, "b/a/.env"), "allow"),
        ("Grep(secrets/**)", "read_file", Action::reads(Family::Read, "secrets/a"), "allow"),
    ] {
        assert_eq!(verdict(&rules(&[rule], &[], &["Edit"]), tool, &action), wanted, "{rule} {action:?}");
    }
    // A name alone allows only itself: an allow rule is never wider than it reads.
    assert_eq!(verdict(&rules(&[], &[], &["Edit(a.md)"]), "write_file", &edit(&["deep/a.md"])), "ask");
}

#[test]
fn a_path_below_the_root_is_matched_relative_to_it() {
    assert_eq!(Rule::relative_to("Read(/w/p/.env)", "/w/p"), "Read(.env)");
    assert_eq!(Rule::relative_to("Read(/w/pq/.env)", "/w/p"), "Read(/w/pq/.env)");
    assert_eq!(Rule::relative_to("Bash(ls)", "/w/p"), "Bash(ls)");
    assert_eq!(Rule::parse("Read(.env)").unwrap().unlisted(), ["**/.env", "**/.env/**"]);
    assert_eq!(Rule::parse("Edit(docs/**)").unwrap().unlisted(), Vec::<String>::new());
}

#[test]
fn b14_nothing_that_says_allow_overrides_a_deny_or_the_dangerous_class() {
    use reasonix_policy::{By, Case, Circumstances, NoFacts, judge};
    let everything = [Rule::parse("*").unwrap(), Rule::parse("Bash").unwrap(), Rule::parse("Bash(git push)").unwrap()];
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let rules =
        Rules::parse(&texts(&["Bash(git push:*)"]), &[], &texts(&["*", "Bash(git push)"]), Fallback::Allow).unwrap();
    for posture in [Posture::Ask, Posture::Auto, Posture::Yolo] {
        for attended in [true, false] {
            let about = Circumstances {
                granted: &everything,
                approved: &everything,
                dangerous: &[],
                posture,
                attended,
                held: false,
                facts: &NoFacts,
            };
            let verdict = |line: &str| {
                let action = Action::writes(Family::Bash, vec![line.to_owned()]);
                judge(&rules, &about, &Case::new("bash", &action))
            };
            assert!(matches!(verdict("git push"), Verdict::Deny(By::Rule(_))), "{posture:?}");
            // What somebody changes before it runs is judged as it is then.
            assert!(matches!(verdict("true; git push"), Verdict::Deny(By::Rule(_))), "{posture:?}");
            assert!(!matches!(verdict("$x y"), Verdict::Allow(_)), "{posture:?}");
            if attended {
                assert!(matches!(verdict("rm -rf x"), Verdict::Ask(By::Danger(_))), "{posture:?}");
            }
        }
    }
}

#[test]
fn without_a_person_writers_work_and_what_reaches_beyond_the_workspace_does_not() {
    use reasonix_policy::{By, Case, Circumstances, NoFacts, judge};
    let rules = |allow: &[&str]| {
        let allow: Vec<String> = allow.iter().map(|text| (*text).to_owned()).collect();
        Rules::parse(&[], &[], &allow, Fallback::Ask).unwrap()
    };
    let verdict = |rules: &Rules, tool: &str, family: Family| {
        let about = Circumstances {
            granted: &[],
            approved: &[],
            dangerous: &[],
            posture: Posture::Ask,
            attended: false,
            held: false,
            facts: &NoFacts,
        };
        judge(rules, &about, &Case::new(tool, &Action::writes(family, vec!["x".to_owned()])))
    };
    assert_eq!(verdict(&rules(&[]), "write_file", Family::Edit), Verdict::Allow(By::Fallback));
    assert_eq!(verdict(&rules(&[]), "history", Family::Own), Verdict::Ask(By::Fallback));
    assert!(matches!(verdict(&rules(&["history"]), "history", Family::Own), Verdict::Allow(By::Rule(_))));
}
