//! What must hold for every line and every rule; the fuzzers in `fuzz/` try the same for longer.

use crate::property;

use property::{
    JOINTS, a_line_is_understood_or_hidden, a_rule_reads_as_it_is_written, an_understood_line_says_what_it_does,
    appending_is_never_weaker,
};
use proptest::prelude::*;

fn cases() -> ProptestConfig {
    let cases = std::env::var("REASONIX_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(3000);
    ProptestConfig { cases, max_shrink_iters: 4000, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn b11_appending_to_a_line_never_weakens_the_verdict(
        head in proptest::collection::vec(any::<u8>(), 0..8),
        tail in proptest::collection::vec(any::<u8>(), 0..8),
        joint in proptest::sample::select(JOINTS),
        setting in any::<u8>(),
    ) {
        let (head, tail) = (property::tokens(&head), property::tokens(&tail));
        prop_assert_eq!(appending_is_never_weaker(&head, joint, &tail, property::setting(setting)), Ok(()));
    }

    #[test]
    fn every_line_is_understood_or_hidden(bytes in proptest::collection::vec(any::<u8>(), 0..20)) {
        prop_assert_eq!(a_line_is_understood_or_hidden(&property::tokens(&bytes)), Ok(()));
    }

    #[test]
    fn every_understood_line_says_what_it_does(bytes in proptest::collection::vec(any::<u8>(), 0..12)) {
        prop_assert_eq!(an_understood_line_says_what_it_does(&property::tokens(&bytes)), Ok(()));
    }

    #[test]
    fn every_rule_reads_as_it_is_written(
        text in "(Bash|Edit|Read|\\*|mcp__a__b|x)?[(=]?[a-z*:?\\[\\]{}\\\\ ./'\"|&;$\u{430}-]{0,12}\\)?",
    ) {
        prop_assert_eq!(a_rule_reads_as_it_is_written(&text), Ok(()));
    }
}
