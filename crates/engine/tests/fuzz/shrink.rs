//! The shortest line that still does it.

/// More is not tried.
const MOST: usize = 150;

/// Takes away from a line what it does not need to stay bad.
pub(crate) async fn shrink(line: &str, mut is_bad: impl AsyncFnMut(&str) -> bool) -> String {
    let mut best = line.to_owned();
    if !is_bad(&best).await {
        return best;
    }
    let (mut size, mut tried) = (best.chars().count() / 2, 0);
    while size > 0 {
        let (mut at, mut shorter) = (0, false);
        while at < best.chars().count() {
            let candidate: String = best.chars().take(at).chain(best.chars().skip(at + size)).collect();
            tried += 1;
            if tried > MOST {
                return best;
            }
            if is_bad(&candidate).await {
                (best, shorter) = (candidate, true);
            } else {
                at += size;
            }
        }
        if !shorter || size > 1 {
            size /= 2;
        }
    }
    best
}
