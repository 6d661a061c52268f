//! The blocks of an answer in the order they came, when it goes back to the wire that made it.

use reasonix_proto::{Block, Kept, ToolCall};

/// A block of an answer.
#[derive(Debug, PartialEq)]
pub(crate) enum Piece<'a> {
    Text(&'a str),
    Call(&'a ToolCall),
    Raw(&'a str),
}

/// The blocks of an answer: as they came where that is known and still fits the message, otherwise the text and then the
/// calls. What is signed cannot stand in another order, so that it is left out where the order is lost.
pub(crate) fn pieces<'a>(text: &'a str, calls: &'a [ToolCall], kept: Option<&'a Kept>) -> Vec<Piece<'a>> {
    kept.and_then(|kept| ordered(text, calls, &kept.blocks)).unwrap_or_else(|| {
        let said = (!text.is_empty()).then_some(Piece::Text(text));
        said.into_iter().chain(calls.iter().map(Piece::Call)).collect()
    })
}

fn ordered<'a>(mut text: &'a str, calls: &'a [ToolCall], blocks: &'a [Block]) -> Option<Vec<Piece<'a>>> {
    let mut calls = calls.iter();
    let mut pieces = Vec::with_capacity(blocks.len());
    for block in blocks {
        pieces.push(match block {
            Block::Text(length) => {
                let (piece, rest) = text.split_at_checked(*length)?;
                text = rest;
                Piece::Text(piece)
            }
            Block::Call => Piece::Call(calls.next()?),
            Block::Raw(raw) => Piece::Raw(raw),
        });
    }
    (text.is_empty() && calls.next().is_none()).then_some(pieces)
}

#[cfg(test)]
mod tests {
    use super::{Piece, pieces};
    use reasonix_proto::{Block, Kept, ToolCall};

    #[test]
    fn the_order_is_kept_where_it_fits() {
        let call = ToolCall { id: "a".into(), name: "ls".into(), arguments: "{}".into() };
        let calls = [call.clone()];
        let kept = |blocks: Vec<Block>| Kept { wire: "w".into(), blocks };
        let whole = kept(vec![Block::Raw("r".into()), Block::Text(3), Block::Raw("s".into()), Block::Call]);
        assert_eq!(
            pieces("界", &calls, Some(&whole)),
            [Piece::Raw("r"), Piece::Text("界"), Piece::Raw("s"), Piece::Call(&call)]
        );
        let plain = [Piece::Text("界"), Piece::Call(&call)];
        for (what, blocks) in [
            ("a text that was cut", vec![Block::Raw("r".into()), Block::Text(4), Block::Call]),
            ("half a letter", vec![Block::Text(1), Block::Call, Block::Text(2)]),
            ("text that nobody spoke of", vec![Block::Call]),
            ("a call too many", vec![Block::Text(3), Block::Call, Block::Call]),
            ("a call too few", vec![Block::Text(3)]),
        ] {
            assert_eq!(pieces("界", &calls, Some(&kept(blocks))), plain, "{what}");
        }
        assert_eq!(pieces("", &[], None), []);
    }
}
