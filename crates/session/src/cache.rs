//! What the prefix ledger of a session comes to: by turn, in all, and what each break cost. Pure.

use reasonix_proto::{CacheBreak, CacheReport, CacheSum, CacheTurn, Price, Requested};

/// Adds up the entries of a log, in the order they were written; `price` says what a model costs.
pub fn cache_report<'a>(
    entries: impl IntoIterator<Item = &'a Requested>,
    price: impl Fn(&str) -> Option<Price>,
) -> CacheReport {
    let mut report = CacheReport::default();
    for entry in entries {
        add(&mut report.total, entry);
        match report.turns.last_mut().filter(|last| last.turn == entry.turn) {
            Some(last) => add(&mut last.sum, entry),
            None => {
                let mut turn = CacheTurn { turn: entry.turn, sum: CacheSum::default() };
                add(&mut turn.sum, entry);
                report.turns.push(turn);
            }
        }
        report.breaks.extend(broken(entry, &price));
    }
    report
}

fn add(sum: &mut CacheSum, entry: &Requested) {
    let usage = entry.usage.unwrap_or_default();
    sum.requests += 1;
    sum.bytes = sum.bytes.saturating_add(entry.bytes);
    sum.same = sum.same.saturating_add(entry.same);
    sum.input = sum.input.saturating_add(usage.input);
    sum.cached = sum.cached.saturating_add(usage.cached.min(usage.input));
}

fn broken(entry: &Requested, price: &impl Fn(&str) -> Option<Price>) -> Option<CacheBreak> {
    let why = entry.broke?;
    let bytes = entry.bytes.saturating_sub(entry.same);
    let counted = entry.usage.map(|usage| usage.input).filter(|input| *input > 0);
    let tokens = match counted {
        Some(input) => share(input, bytes, entry.bytes),
        None => bytes.div_ceil(4),
    };
    let price = price(&entry.model);
    let cost = price.as_ref().map(|price| (tokens as f64 * (price.input - price.cached)).round().max(0.0) as u64);
    Some(CacheBreak {
        turn: entry.turn,
        step: entry.step,
        model: entry.model.clone(),
        why,
        at: entry.same,
        bytes,
        tokens,
        cost,
        currency: price.map(|price| price.currency).unwrap_or_default(),
    })
}

/// The part of a number that `some` is of `all`.
fn share(number: u64, some: u64, all: u64) -> u64 {
    let part = u128::from(number) * u128::from(some) / u128::from(all.max(1));
    u64::try_from(part).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::cache_report;
    use pretty_assertions::assert_eq;
    use reasonix_proto::{Break, CacheBreak, CacheSum, Price, Requested, Usage};

    fn entry(turn: u32, bytes: u64, same: u64, broke: Option<Break>, usage: Option<(u64, u64)>) -> Requested {
        let usage = usage.map(|(input, cached)| Usage { input, cached, ..Usage::default() });
        let hash = String::new;
        let model = "p/m".to_owned();
        let (tools, system, hash) = (hash(), hash(), hash());
        Requested { turn, step: 1, model, tools, system, hash, bytes, same, broke, usage, estimate: 0 }
    }

    #[test]
    fn turns_are_added_up_and_breaks_are_priced() {
        let entries = [
            entry(1, 1_000, 0, None, Some((250, 0))),
            entry(1, 1_200, 1_000, None, Some((300, 240))),
            entry(2, 2_000, 400, Some(Break::Compaction), Some((500, 90))),
            entry(3, 2_400, 2_000, None, None),
            entry(3, 2_800, 800, Some(Break::Rewind), None),
        ];
        let price = |model: &str| {
            assert_eq!(model, "p/m");
            Some(Price { input: 2.0, cached: 0.5, output: 8.0, currency: "USD".into(), ..Price::default() })
        };
        let report = cache_report(&entries, price);
        assert_eq!(report.total, CacheSum { requests: 5, bytes: 9_400, same: 4_200, input: 1_050, cached: 330 });
        let turns: Vec<_> = report.turns.iter().map(|turn| (turn.turn, turn.sum.requests, turn.sum.same)).collect();
        assert_eq!(turns, [(1, 2, 1_000), (2, 1, 400), (3, 2, 2_800)]);
        let broke = |turn, why, at, bytes, tokens, cost| CacheBreak {
            turn,
            step: 1,
            model: "p/m".into(),
            why,
            at,
            bytes,
            tokens,
            cost: Some(cost),
            currency: "USD".into(),
        };
        assert_eq!(
            report.breaks,
            [broke(2, Break::Compaction, 400, 1_600, 400, 600), broke(3, Break::Rewind, 800, 2_000, 500, 750),]
        );
        assert_eq!(cache_report(&entries, |_| None).breaks[0].cost, None);
    }
}
