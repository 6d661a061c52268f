//! The blocks of an answer in the order they came, when it goes back to the wire that made it.

use reasonix_proto::{Kept, KeptBlock, ToolCall};

/// A block of an answer.
#[derive(Debug, PartialEq)]
pub(crate) enum Piece<'a> {
    Text(&'a str),
    Call(&'a ToolCall),
    Raw(&'a str),
}

/// The blocks of an answer: as they came where that is known and still fits the message, otherwise the text and then the
/// calls. What is signed cannot stand in another order, so that it is left out where the order is lost; what came before
/// everything else still does. Blank texts are
/// refused by both wires, and so is reasoning that nothing follows: a conversation with either could never go on.
pub(crate) fn pieces<'a>(text: &'a str, calls: &'a [ToolCall], kept: Option<&'a Kept>) -> Vec<Piece<'a>> {
    let ordered = kept.and_then(|kept| ordered(text, calls, &kept.blocks));
    let mut pieces = ordered.unwrap_or_else(|| {
        let first = kept.into_iter().flat_map(|kept| &kept.blocks).map_while(|block| match block {
            KeptBlock::Raw(raw) => Some(Piece::Raw(raw)),
            KeptBlock::Text(_) | KeptBlock::Call => None,
        });
        first.chain([Piece::Text(text)]).chain(calls.iter().map(Piece::Call)).collect()
    });
    pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.trim().is_empty()));
    while matches!(pieces.last(), Some(Piece::Raw(_))) {
        pieces.pop();
    }
    pieces
}

fn ordered<'a>(mut text: &'a str, calls: &'a [ToolCall], blocks: &'a [KeptBlock]) -> Option<Vec<Piece<'a>>> {
    let mut calls = calls.iter();
    let mut pieces = Vec::with_capacity(blocks.len());
    for block in blocks {
        pieces.push(match block {
            KeptBlock::Text(length) => {
                let (piece, rest) = text.split_at_checked(*length)?;
                text = rest;
                Piece::Text(piece)
            }
            KeptBlock::Call => Piece::Call(calls.next()?),
            KeptBlock::Raw(raw) => Piece::Raw(raw),
        });
    }
    (text.is_empty() && calls.next().is_none()).then_some(pieces)
}

#[cfg(test)]
mod tests {
    use super::{Piece, pieces};
    use reasonix_proto::{Kept, KeptBlock, ToolCall};

    #[test]
    fn the_order_is_kept_where_it_fits() {
        let call = ToolCall { id: "a".into(), name: "ls".into(), arguments: "{}".into() };
        let calls = [call.clone()];
        let kept = |blocks: Vec<KeptBlock>| Kept { wire: "w".into(), blocks };
        let whole =
            kept(vec![KeptBlock::Raw("r".into()), KeptBlock::Text(3), KeptBlock::Raw("s".into()), KeptBlock::Call]);
        assert_eq!(
            pieces("界", &calls, Some(&whole)),
            [Piece::Raw("r"), Piece::Text("界"), Piece::Raw("s"), Piece::Call(&call)]
        );
        let plain = [Piece::Text("界"), Piece::Call(&call)];
        for (what, blocks) in [
            ("half a letter", vec![KeptBlock::Text(1), KeptBlock::Call, KeptBlock::Text(2)]),
            ("text that nobody spoke of", vec![KeptBlock::Call]),
            ("a call too many", vec![KeptBlock::Text(3), KeptBlock::Call, KeptBlock::Call]),
            ("a call too few", vec![KeptBlock::Text(3)]),
        ] {
            assert_eq!(pieces("界", &calls, Some(&kept(blocks))), plain, "{what}");
        }
        let repaired = kept(vec![KeptBlock::Raw("r".into()), KeptBlock::Text(4), KeptBlock::Raw("s".into())]);
        assert_eq!(
            pieces("界", &calls, Some(&repaired)),
            [Piece::Raw("r"), Piece::Text("界"), Piece::Call(&call)],
            "what the text was repaired to still follows the first thought"
        );
        assert_eq!(pieces("", &[], None), []);
        let bare = |text: &str| {
            kept(vec![KeptBlock::Raw("r".into()), KeptBlock::Text(text.len()), KeptBlock::Raw("s".into())])
        };
        assert_eq!(pieces("", &[], Some(&bare(""))), [], "reasoning that nothing follows");
        assert_eq!(pieces(" ", &[], Some(&bare(" "))), [], "nothing but a blank");
        assert_eq!(pieces("x", &[], Some(&bare("x"))), [Piece::Raw("r"), Piece::Text("x")], "the last of two");
    }
}
