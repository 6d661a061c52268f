use super::{BLOCKS_THEN, Score, Scores, begun_with, decide, editing, offers};
use pretty_assertions::assert_eq;
use reasonix_config::Settings;
use reasonix_proto::EditFormat::{ApplyPatch, Blocks, EditFile, MultiEdit, WriteFile};
use reasonix_proto::{EditFormat, EditsWith, RECORD_VERSION, SessionHead, SessionId};
use std::path::Path;

type Row = (EditFormat, u64, u64);
type Decided = (&'static str, &'static [Row], Option<EditFormat>, &'static str);

fn table(rows: &[Row]) -> Scores {
    rows.iter().map(|(format, right, of)| (*format, Score { right: *right, of: *of })).collect()
}

fn chosen(rows: &[Row]) -> (Option<EditFormat>, String) {
    let editing = decide("p/m", &table(rows));
    (editing.format, editing.why.code.to_string())
}

#[test]
fn what_is_decided() {
    let cases: &[Decided] = &[
        ("nothing tried", &[], None, "bench.auto_untried"),
        ("too little", &[(EditFile, 19, 19), (ApplyPatch, 0, 19)], None, "bench.auto_few"),
        ("nothing to compare with", &[(EditFile, 40, 40)], None, "bench.auto_few"),
        ("the others hardly tried", &[(WriteFile, 40, 40), (EditFile, 1, 5)], None, "bench.auto_few"),
        (
            "one is clearly better",
            &[(EditFile, 2, 24), (MultiEdit, 1, 24), (WriteFile, 23, 24)],
            Some(WriteFile),
            "bench.auto_chosen",
        ),
        (
            "all are good",
            &[(EditFile, 24, 24), (MultiEdit, 22, 24), (ApplyPatch, 23, 24), (WriteFile, 24, 24)],
            None,
            "bench.auto_equal",
        ),
        (
            "all are bad",
            &[(EditFile, 0, 24), (MultiEdit, 1, 24), (ApplyPatch, 0, 24), (WriteFile, 3, 24)],
            None,
            "bench.auto_equal",
        ),
        ("a lead that may be luck", &[(EditFile, 20, 24), (ApplyPatch, 17, 24)], None, "bench.auto_equal"),
        (
            "one is bad: the first of the good",
            &[(EditFile, 22, 24), (MultiEdit, 24, 24), (ApplyPatch, 3, 24), (WriteFile, 24, 24)],
            Some(EditFile),
            "bench.auto_chosen",
        ),
        (
            "blocks beat all tools",
            &[(EditFile, 2, 24), (ApplyPatch, 1, 24), (Blocks, 23, 24)],
            Some(Blocks),
            "bench.auto_chosen",
        ),
        (
            "bad blocks are not offered anyway",
            &[(EditFile, 24, 24), (MultiEdit, 24, 24), (Blocks, 0, 24)],
            None,
            "bench.auto_equal",
        ),
        (
            "only blocks were tried with another",
            &[(Blocks, 24, 24), (WriteFile, 2, 24)],
            Some(Blocks),
            "bench.auto_chosen",
        ),
    ];
    for (what, rows, format, why) in cases {
        assert_eq!(chosen(rows), (*format, (*why).to_owned()), "{what}");
    }
}

#[test]
fn the_range_narrows_with_trials() {
    let (low, high) = Score { right: 20, of: 20 }.range();
    assert!((0.83..0.85).contains(&low) && (0.99..=1.001).contains(&high), "{low} {high}");
    let few = Score { right: 5, of: 10 }.range();
    let many = Score { right: 500, of: 1000 }.range();
    assert!(many.1 - many.0 < few.1 - few.0);
    assert_eq!(Score::default().range(), (0.0, 1.0));
}

#[test]
fn the_settings_go_before_trials() {
    let mut settings = Settings::default();
    let why = |settings: &Settings| editing(settings, Path::new("/nowhere"), "p/m");
    assert_eq!(why(&settings).why.code, "bench.auto_untried");
    settings.tools.edit = "apply_patch".into();
    assert_eq!((why(&settings).format, why(&settings).why.code.as_ref()), (Some(ApplyPatch), "bench.format_set"));
    assert!(!offers(&settings, EditFile) && !offers(&settings, MultiEdit) && offers(&settings, ApplyPatch));
    assert!(offers(&settings, WriteFile), "new files need it");
    settings.tools.edit = "blocks".into();
    assert!(offers(&settings, EditFile) && offers(&settings, ApplyPatch), "blocks are edits too");
    settings.tools.edit = "write_file".into();
    assert!(!offers(&settings, EditFile) && offers(&settings, WriteFile));
    settings.tools.enabled = vec!["edit_file".into()];
    assert_eq!((why(&settings).format, why(&settings).why.code.as_ref()), (None, "bench.tools_chosen"));
}

#[test]
fn a_session_says_what_it_began_with() {
    let head = |tools: &[&str], system: &str| SessionHead {
        v: RECORD_VERSION,
        session: SessionId::fresh(),
        version: String::new(),
        cwd: String::new(),
        model: String::new(),
        system: system.to_owned(),
        tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
        specs: None,
        edit: EditsWith::Unsaid,
        sandbox: String::new(),
        from: None,
        parts: Vec::new(),
        agent: None,
    };
    let all = ["read_file", "write_file", "edit_file", "multi_edit", "apply_patch"];
    assert_eq!(begun_with(&head(&all, "")), None);
    assert_eq!(begun_with(&head(&["read_file", "write_file", "apply_patch"], "")), Some(ApplyPatch));
    assert_eq!(begun_with(&head(&["read_file", "write_file"], "")), Some(WriteFile));
    assert_eq!(begun_with(&head(&["read_file"], "")), None);
    let says = |edit| SessionHead { edit, ..head(&all, BLOCKS_THEN) };
    assert_eq!(begun_with(&says(EditsWith::Unsaid)), Some(Blocks), "an old head");
    assert_eq!(begun_with(&says(EditsWith::Several)), None, "what the head says counts, not what its prompt speaks of");
    assert_eq!(begun_with(&says(EditsWith::One(MultiEdit))), Some(MultiEdit));
    assert_eq!(begun_with(&head(&all, &format!("base\n\n{BLOCKS_THEN}\n\nmore"))), Some(Blocks));
}
