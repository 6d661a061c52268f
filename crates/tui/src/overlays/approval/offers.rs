//! The answers that can be given, each with its letter.

use crate::Look;
use crate::text::{Rich, Wrapped, neutral};
use ratatui_core::text::{Line, Span};
use reasonix_proto::{Asking, Choice, Phrase, visible};

/// One answer.
#[derive(Debug)]
pub(super) struct Offer {
    pub(super) key: char,
    pub(super) take: Take,
    label: Phrase,
}

/// What an answer comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Take {
    /// It is sent.
    Choice(Choice),
    /// The command is changed first.
    Edit,
}

/// The answers that were offered: `y`, `s` and `p` for the session, `a` and `b` for good, `e` where the command can be
/// edited, `n`.
pub(super) fn offers(asking: &Asking) -> Vec<Offer> {
    let (mut session, mut always) = (['s', 'p'].into_iter(), ['a', 'b'].into_iter());
    let mut offer = |choice: &Choice| {
        let (key, label) = match choice {
            Choice::AllowOnce => ('y', Phrase::new("tui.ask.once")),
            Choice::AllowSession { rule } => {
                (session.next()?, Phrase::new("tui.ask.session").with("rule", visible(rule)))
            }
            Choice::AllowAlways { rule } => (always.next()?, Phrase::new("tui.ask.always").with("rule", visible(rule))),
            Choice::Deny => return None,
        };
        Some(Offer { key, take: Take::Choice(choice.clone()), label })
    };
    let mut offers: Vec<Offer> = asking.choices.iter().filter_map(&mut offer).collect();
    if asking.editable {
        offers.push(Offer { key: 'e', take: Take::Edit, label: Phrase::new("tui.ask.edit") });
    }
    offers.push(Offer { key: 'n', take: Take::Choice(Choice::Deny), label: denial(asking) });
    offers
}

/// What a no comes to: of a command that the user typed the model hears nothing.
fn denial(asking: &Asking) -> Phrase {
    if asking.call.is_own_command() { Phrase::new("tui.ask.deny_own") } else { Phrase::new("tui.ask.deny") }
}

impl Offer {
    /// The answer, whole: a rule that holds for good must be readable to its end.
    pub(super) fn rows(&self, here: bool, width: u16, look: &Look) -> Vec<Line<'static>> {
        let style = if here { look.theme.chosen } else { look.theme.text };
        let first = [Span::styled(format!("{}{}  ", if here { "› " } else { "  " }, self.key), style)];
        let rest = [Span::raw("     ")];
        let rich = Rich::new(&neutral(&look.say(&self.label)), style);
        let mut lines = Vec::new();
        let (first, rest): (&[Span<'static>], &[Span<'static>]) =
            if width > 16 { (&first, &rest) } else { (&first, &[]) };
        Wrapped { rich: &rich, width: usize::from(width), first, rest }.into_lines(&mut lines);
        lines
    }
}
