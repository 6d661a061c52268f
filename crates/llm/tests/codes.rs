//! Every code that this room says has a text and a hint in the catalogue.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn codes_in(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            codes_in(&path, found);
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source file");
        let quoted = text.split("\"llm.").skip(1).filter_map(|rest| rest.split_once('"'));
        found.extend(quoted.map(|(code, _)| format!("llm.{code}")));
    }
}

#[test]
fn every_code_is_in_the_catalogue() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut said = BTreeSet::new();
    codes_in(&here.join("src"), &mut said);
    assert!(said.len() > 20, "the codes were not found: {said:?}");
    let catalogue = fs::read_to_string(here.join("../words/src/catalogue/llm.rs")).expect("the catalogue");
    for code in said {
        assert!(catalogue.contains(&format!("\"{code}\"")), "{code} has no text");
        let own = code == "llm.script_failed";
        assert!(own || catalogue.contains(&format!("\"{code}.hint\"")), "{code} has no hint");
    }
}
