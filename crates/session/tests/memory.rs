//! What is kept from session to session, on real files.

use pretty_assertions::assert_eq;
use reasonix_session::{Memories, MemoryError, Named, Provenance, Reach};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

fn save(memories: &Memories, reach: Reach, name: &str, body: &str, source: &str) -> Named {
    let from = Provenance { source: source.into(), ..Provenance::default() };
    let draft = memories.drafted(reach, name, "", body, from).unwrap();
    memories.save(&draft).unwrap();
    draft
}

#[test]
fn versions_count_up_and_nothing_is_lost() {
    let state = tempfile::tempdir().unwrap();
    let memories = Memories::at(state.path(), Path::new("/work/a"));
    save(&memories, Reach::Project, "build", "use make", "user");
    save(&memories, Reach::Project, "build", "use ninja", "README.md");
    let now = memories.get("build", None).unwrap().memory;
    assert_eq!((now.body.as_str(), now.revision, now.from.source.as_str()), ("use ninja", 2, "README.md"));
    memories.forget("build", None).unwrap();
    assert!(matches!(memories.get("build", None), Err(MemoryError::NotFound(_))));
    let archived = memories.archived(Reach::Project).memories;
    let shown: Vec<_> = archived.iter().map(|named| (named.name.as_str(), named.memory.body.as_str())).collect();
    assert_eq!(shown, [("build.1", "use make"), ("build.2", "use ninja")]);
    assert!(archived[0].memory.archived.ends_with("replaced") && archived[1].memory.archived.ends_with("forgotten"));
    // What was forgotten is not found, and comes back under the next number.
    assert!(memories.find("ninja", None, 8).is_empty() && memories.index(Reach::Project).is_empty());
    save(&memories, Reach::Project, "build", "use bazel", "user");
    assert_eq!(memories.get("build", None).unwrap().memory.revision, 3);
    for number in 0..40 {
        save(&memories, Reach::Project, "build", &format!("try {number}"), "user");
    }
    assert_eq!(memories.archived(Reach::Project).memories.len(), 20, "the oldest go");
    let path = memories.path(Reach::Project, "build");
    assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn the_same_files_give_the_same_bytes_and_each_project_has_its_own() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let names = ["zebra", "apple", "mango"];
    for (state, order) in [(&one, [0, 1, 2]), (&two, [2, 1, 0])] {
        let memories = Memories::at(state.path(), Path::new("/work/a"));
        for place in order {
            save(&memories, Reach::Global, names[place], &format!("about {}", names[place]), "user");
        }
        save(&memories, Reach::Project, "odd", "from a page", "https://example.com/\nx");
    }
    let (a, b) = (Memories::at(one.path(), Path::new("/work/a")), Memories::at(two.path(), Path::new("/work/a")));
    assert_eq!(a.index(Reach::Global), "- apple: about apple\n- mango: about mango\n- zebra: about zebra\n");
    assert_eq!(a.index(Reach::Global), b.index(Reach::Global));
    assert_eq!(a.index(Reach::Project), "- odd: from a page (from https://example.com/ x)\n");
    let other = Memories::at(one.path(), Path::new("/work/b"));
    assert_eq!(
        (other.index(Reach::Project).as_str(), other.index(Reach::Global).len()),
        ("", a.index(Reach::Global).len())
    );
    // A list that is too long says so.
    for number in 0..60 {
        save(&other, Reach::Project, &format!("fact-{number:02}"), &"long ".repeat(40), "user");
    }
    let index = other.index(Reach::Project);
    assert!(index.chars().count() < 4100 && index.contains("more; the tool memory lists them"), "{index}");
}

#[test]
fn hostile_files_are_left_out_and_named() {
    let state = tempfile::tempdir().unwrap();
    let memories = Memories::at(state.path(), Path::new("/work/a"));
    save(&memories, Reach::Global, "good", "fine", "user");
    let folder = memories.path(Reach::Global, "good").parent().unwrap().to_owned();
    std::fs::write(folder.join("secret.txt"), "not mine to read").unwrap();
    symlink(folder.join("secret.txt"), folder.join("linked.md")).unwrap();
    std::fs::write(folder.join("bytes.md"), [0xff, 0xfe, 0x00]).unwrap();
    std::fs::write(folder.join("huge.md"), "x".repeat(100_000)).unwrap();
    std::fs::write(folder.join("bad name!.md"), "x").unwrap();
    std::fs::create_dir(folder.join("folder.md")).unwrap();
    std::fs::write(
        folder.join("sly.md"),
        "---\ndescription: hi\u{e0041}\u{e0042}\u{e0043}\u{e0044}\n---\n# Rules\nobey\u{200b}",
    )
    .unwrap();
    let kept = memories.active(Reach::Global);
    let names: Vec<_> = kept.memories.iter().map(|named| named.name.as_str()).collect();
    assert_eq!((names, kept.unusable.len()), (vec!["good", "sly"], 5));
    assert_eq!(
        memories.index(Reach::Global),
        "- good: fine\n- sly: hi⟨4 hidden characters⟩ (from unknown)\n",
        "one line each, and nothing that nobody sees"
    );
    assert!(matches!(memories.get("linked", None), Err(MemoryError::File { .. })));
    let taken = memories.drafted(Reach::Global, "linked", "", "x", Provenance::by_user());
    assert!(taken.is_err(), "what cannot be read is not written over");
    // A folder that is a link is not entered.
    let planted = Memories::at(&state.path().join("other"), Path::new("/w"));
    std::fs::create_dir_all(state.path().join("other/memory")).unwrap();
    symlink(&folder, state.path().join("other/memory/global")).unwrap();
    assert!(planted.active(Reach::Global).memories.is_empty());
    let draft = planted.drafted(Reach::Global, "new-one", "", "x", Provenance::by_user()).unwrap();
    assert!(planted.save(&draft).is_err());
}

#[test]
fn names_texts_and_searches() {
    let state = tempfile::tempdir().unwrap();
    let memories = Memories::at(state.path(), Path::new("/work/a"));
    for name in ["", "ab", "../x", "a/b", ".hidden", "na me", "name.1", "a\u{202e}b", &"x".repeat(41)] {
        let draft = memories.drafted(Reach::Global, name, "", "x", Provenance::by_user());
        assert!(matches!(draft, Err(MemoryError::Name(_))), "{name}");
        assert!(memories.get(name, None).is_err() && memories.forget(name, None).is_err());
    }
    assert!(matches!(
        memories.drafted(Reach::Global, "abc", "", " \n", Provenance::by_user()),
        Err(MemoryError::Empty)
    ));
    let long = "x".repeat(20_000);
    assert!(matches!(
        memories.drafted(Reach::Global, "abc", "", &long, Provenance::by_user()),
        Err(MemoryError::TooMuch(_))
    ));
    save(&memories, Reach::Global, "commits", "Write commit messages in the imperative.", "user");
    save(&memories, Reach::Project, "encoding", "文件的编码是 GBK，不要改", "user");
    save(&memories, Reach::Project, "tests", "Run the tests with cargo nextest.", "user");
    let find = |query: &str| memories.find(query, None, 8).into_iter().map(|hit| hit.named.name).collect::<Vec<_>>();
    assert_eq!(find("commit"), ["commits"]);
    assert_eq!(find("编码"), ["encoding"]);
    assert_eq!(find("how to run the tests"), ["tests"], "what only shares a common word is left out");
    assert!(find("nothing of it").is_empty());
    assert!(memories.find("commit", Some(Reach::Project), 8).is_empty());
}
