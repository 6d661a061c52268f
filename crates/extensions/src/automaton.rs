//! Many expressions as one automaton that goes on from byte to byte: nothing is scanned twice, a hit may lie across any number
//! of pieces, and no text is kept for it.

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{Compiler, Config, NFA, WhichCaptures};
use regex_automata::util::start;
use regex_automata::{Anchored, MatchKind};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Capture, Hir, HirKind, Look, Repetition};

/// The longest expression, and the most bytes that one may become.
const LONGEST: usize = 1000;
const LARGEST: usize = 256 * 1024;
/// The most bytes that all of them together may become. A step over a byte costs at most what this allows.
pub(crate) const LARGEST_OF_ALL: usize = 2 * 1024 * 1024;
/// What is remembered of the automaton while it runs, for one text.
const REMEMBERED: usize = 2 * 1024 * 1024;
const DEEPEST: u32 = 64;

/// Says why an expression cannot be used; otherwise how many bytes it becomes.
pub(crate) fn check(expression: &str) -> Result<usize, String> {
    if expression.len() > LONGEST {
        return Err(format!("it has more than {LONGEST} bytes"));
    }
    let nfa = nfa_of(&[parsed(expression)?])?;
    Ok(nfa.memory_usage())
}

fn parsed(expression: &str) -> Result<Hir, String> {
    let parsed = ParserBuilder::new().nest_limit(DEEPEST).build().parse(expression);
    parsed.map(ascii_words).map_err(|error| match error {
        regex_syntax::Error::Parse(error) => error.kind().to_string(),
        regex_syntax::Error::Translate(error) => error.kind().to_string(),
        error => error.to_string(),
    })
}

fn nfa_of(expressions: &[Hir]) -> Result<NFA, String> {
    let most = LARGEST.saturating_mul(expressions.len().max(1));
    let config = Config::new().nfa_size_limit(Some(most)).which_captures(WhichCaptures::None);
    Compiler::new().configure(config).build_many_from_hir(expressions).map_err(|error| match error.size_limit() {
        Some(_) => format!("it becomes more than {LARGEST} bytes"),
        None => error.to_string(),
    })
}

/// Borders of words are those of ASCII words: an automaton that goes from byte to byte knows no others.
fn ascii_words(hir: Hir) -> Hir {
    match hir.into_kind() {
        HirKind::Look(look) => Hir::look(match look {
            Look::WordUnicode => Look::WordAscii,
            Look::WordUnicodeNegate => Look::WordAsciiNegate,
            Look::WordStartUnicode => Look::WordStartAscii,
            Look::WordEndUnicode => Look::WordEndAscii,
            Look::WordStartHalfUnicode => Look::WordStartHalfAscii,
            Look::WordEndHalfUnicode => Look::WordEndHalfAscii,
            other => other,
        }),
        HirKind::Repetition(repetition) => {
            let sub = Box::new(ascii_words(*repetition.sub));
            Hir::repetition(Repetition { sub, ..repetition })
        }
        HirKind::Capture(capture) => {
            let sub = Box::new(ascii_words(*capture.sub));
            Hir::capture(Capture { sub, ..capture })
        }
        HirKind::Concat(parts) => Hir::concat(parts.into_iter().map(ascii_words).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.into_iter().map(ascii_words).collect()),
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(class) => Hir::class(class),
    }
}

/// All expressions together.
#[derive(Debug)]
pub(crate) struct Automaton(DFA);

/// Where one text stands in the automaton.
#[derive(Debug)]
pub(crate) struct Lane {
    cache: Cache,
    state: Option<LazyStateID>,
}

impl Automaton {
    /// Of expressions that were checked; none where they cannot be put together.
    pub(crate) fn new(expressions: &[&str]) -> Option<Self> {
        let parsed = expressions.iter().map(|expression| parsed(expression)).collect::<Result<Vec<_>, _>>().ok()?;
        let config = DFA::config()
            .match_kind(MatchKind::All)
            .cache_capacity(REMEMBERED)
            .skip_cache_capacity_check(true)
            .specialize_start_states(false);
        DFA::builder().configure(config).build_from_nfa(nfa_of(&parsed).ok()?).ok().map(Self)
    }

    /// A place for a text.
    pub(crate) fn lane(&self) -> Lane {
        Lane { cache: self.0.create_cache(), state: None }
    }

    /// Another text begins; what the automaton has learnt stays.
    pub(crate) fn restart(lane: &mut Lane) {
        lane.state = None;
    }

    /// Goes over a piece of a text. `hit` is told each expression that ends in it, as often as it does. One byte more has to
    /// come before an end is seen, or the text's own.
    pub(crate) fn feed(&self, lane: &mut Lane, piece: &[u8], hit: &mut dyn FnMut(usize)) {
        let Some(mut state) = self.begun(lane) else { return };
        for byte in piece {
            let Ok(next) = self.0.next_state(&mut lane.cache, state, *byte) else { break };
            state = next;
            if state.is_tagged() && state.is_match() {
                self.tell(lane, state, hit);
            }
        }
        lane.state = Some(state);
    }

    /// The text is over.
    pub(crate) fn finish(&self, lane: &mut Lane, hit: &mut dyn FnMut(usize)) {
        let Some(state) = lane.state else { return };
        if let Ok(state) = self.0.next_eoi_state(&mut lane.cache, state)
            && state.is_match()
        {
            self.tell(lane, state, hit);
        }
        lane.state = None;
    }

    fn begun(&self, lane: &mut Lane) -> Option<LazyStateID> {
        match lane.state {
            Some(state) => Some(state),
            None => self.0.start_state(&mut lane.cache, &start::Config::new().anchored(Anchored::No)).ok(),
        }
    }

    fn tell(&self, lane: &Lane, state: LazyStateID, hit: &mut dyn FnMut(usize)) {
        for place in 0..self.0.match_len(&lane.cache, state) {
            hit(self.0.match_pattern(&lane.cache, state, place).as_usize());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Automaton, check};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn hits<'a>(expressions: &[&str], pieces: impl IntoIterator<Item = &'a [u8]>) -> BTreeSet<usize> {
        let automaton = Automaton::new(expressions).unwrap();
        let (mut lane, mut found) = (automaton.lane(), BTreeSet::new());
        for piece in pieces {
            automaton.feed(&mut lane, piece, &mut |place| {
                found.insert(place);
            });
        }
        automaton.finish(&mut lane, &mut |place| {
            found.insert(place);
        });
        found
    }

    #[test]
    fn expressions_are_bounded_and_refused_with_a_reason() {
        for (expression, said) in [
            ("(a", "unclosed group"),
            ("(?=x)", "look-around"),
            (r"(a)\1", "backreferences"),
            (r"\w{2000}", "more than 262144 bytes"),
            (&"x".repeat(1001), "more than 1000 bytes"),
            (&format!("{}a{}", "(".repeat(80), ")".repeat(80)), "nest"),
        ] {
            let reason = check(expression).unwrap_err();
            assert!(reason.contains(said), "{expression:.30}: {reason}");
        }
        for expression in ["unwrap", r"\bTODO\b", r"(?i)\w+ing\s+\w+", r"\p{Han}{2,8}", "(?m)^import .*;$"] {
            assert!(check(expression).is_ok(), "{expression}: {:?}", check(expression));
        }
    }

    #[test]
    fn words_have_borders_beside_letters_of_any_script() {
        let found = hits(&[r"\bunwrap\b", r"\bwrap\b", "^第", "完$", "(?m)^b"], ["第一：unwrap().\nb 完".as_bytes()]);
        assert_eq!(found, BTreeSet::from([0, 2, 3, 4]));
    }

    proptest! {
        #[test]
        fn pieces_decide_nothing(text in "[ab c\n我é]{0,60}", size in 1_usize..9) {
            let expressions = ["ab", "a.*b", r"\ba\b", "(?m)^b", "c$", "我+", "(?s)a.{20,}c", "b{3}"];
            let whole = hits(&expressions, [text.as_bytes()]);
            prop_assert_eq!(&hits(&expressions, text.as_bytes().chunks(size)), &whole);
            for (place, expression) in expressions.iter().enumerate() {
                // Words of ASCII, as documented.
                let ascii = expression.replace(r"\b", r"(?-u:\b)");
                let wanted = regex::Regex::new(&ascii).unwrap().is_match(&text);
                prop_assert_eq!(whole.contains(&place), wanted, "{}: {:?}", expression, text);
            }
        }
    }
}
