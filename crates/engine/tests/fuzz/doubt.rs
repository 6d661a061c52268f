//! Telling what a line did from what somebody else did meanwhile: a machine has other programs, and they write to the same
//! places and may knock at the same ports. What bears our mark is ours; everything else has to happen again.

use super::{Aims, SECRET_READ, mark};

/// So often what bears no mark has to happen again.
const TIMES: usize = 3;

/// A place in which lines can be tried, made anew for each doubt.
pub(crate) trait Trial: Sized {
    /// A place that nothing was done to.
    async fn anew() -> Self;
    /// What there is to aim at.
    fn aims(&self) -> Aims;
    /// What is to be seen of harm once the line was run.
    async fn harmed(&self, line: &str) -> Vec<String>;
    /// The paths around the place that are not what they were at the beginning.
    async fn changed(&self) -> Vec<String>;
}

/// True when this can only be of a line of ours.
pub(crate) fn is_sure(harm: &[String]) -> bool {
    harm.iter().any(|what| what.contains(mark()) || what == SECRET_READ)
}

/// Whether a line does it again each time, alone or behind those that ran before it.
pub(crate) async fn repeats<T: Trial>(aims: &Aims, line: &str, before: &[String]) -> bool {
    let all: Vec<String> = before.iter().cloned().chain([line.to_owned()]).collect();
    harm_again::<T>(aims, &[line.to_owned()]).await || harm_again::<T>(aims, &all).await
}

async fn harm_again<T: Trial>(aims: &Aims, lines: &[String]) -> bool {
    for _ in 0..TIMES {
        let trial = T::anew().await;
        let mut harmed = false;
        // Who listens hears on a thread of its own, and perhaps only behind the last line.
        for line in lines.iter().map(String::as_str).chain([":"]) {
            harmed |= !trial.harmed(&aims.moved(line, &trial.aims())).await.is_empty();
        }
        if !harmed {
            return false;
        }
    }
    true
}

/// Whether the lines change one of these paths each time, and as many lines that do nothing do not.
pub(crate) async fn leaves_again<T: Trial>(aims: &Aims, lines: &[String], suspects: &[String]) -> bool {
    for _ in 0..TIMES {
        let trial = T::anew().await;
        for _ in lines {
            trial.harmed(":").await;
        }
        let by_others = trial.changed().await;
        for line in lines {
            trial.harmed(&aims.moved(line, &trial.aims())).await;
        }
        let after = trial.changed().await;
        if !after.iter().any(|path| suspects.contains(path) && !by_others.contains(path)) {
            return false;
        }
    }
    true
}
