//! Brings back what subagents made in their clones, when all of a call are over: into the session's folder, or as branches.

use super::branch;
use super::isolation::Made;
use super::merge::{Writer, aside, changes_here, settle, work_out};
use super::told::Handed;
use super::{Children, Kin};
use reasonix_agent::Call;
use reasonix_proto::{Change, RecordBody, Unmerged};

impl Children {
    /// Brings back what these made. Gives what it changed here.
    pub(super) async fn bring_back(&self, kin: &Kin, call: &Call<'_>, handed: &mut [Handed]) -> Vec<Change> {
        let failed: Vec<String> =
            handed.iter().filter(|one| one.writes && !one.is_done()).map(|one| one.name.clone()).collect();
        let all = handed.iter_mut().enumerate();
        let made: Vec<(usize, Made)> = all.filter_map(|(place, one)| Some((place, one.made.take()?))).collect();
        if made.is_empty() {
            return Vec::new();
        }
        let _alone = self.family.clones.merging.lock().await;
        match settled(kin, call, made, &failed).await {
            Ok((writers, refused, changes)) => {
                for writer in writers {
                    let Some(one) = handed.get_mut(writer.place) else { continue };
                    let before = self.family.unmerged(&one.name);
                    let (note, now) = writer.told(kin, refused.as_deref(), before.as_ref()).await;
                    one.patched = matches!(now, Some(Unmerged::Patch(_)));
                    one.note = note;
                    if now != before {
                        self.family.left(&one.name, now.clone());
                        // Whoever resumes the session knows it, too.
                        let work = RecordBody::ChildWork { child: one.name.clone(), unmerged: now };
                        let _ = kin.write(work).await;
                    }
                }
                changes
            }
            Err(why) => {
                let lost = handed.iter_mut().filter(|one| one.writes);
                lost.for_each(|one| one.note = format!("Not merged: {why}. Its clone is kept until the session ends."));
                Vec::new()
            }
        }
    }
}

/// What came of it: who wrote, why it was not taken, and what it changed here.
type Settled = (Vec<Writer>, Option<String>, Vec<Change>);

async fn settled(kin: &Kin, call: &Call<'_>, made: Vec<(usize, Made)>, failed: &[String]) -> Result<Settled, String> {
    let whole = work_out(kin, made).await?;
    let (whole, refused) = match failed.is_empty() {
        false => (whole, Err(format!("not all of them succeeded ({})", failed.join(", ")))),
        true if branch::wanted(&whole.writers) => branch::settle(kin, call, whole).await?,
        true => settle(kin, call, whole).await?,
    };
    let refused = refused.err();
    let taken = refused.is_none() && !branch::wanted(&whole.writers);
    aside(move || {
        let changes = if taken { changes_here(&whole) } else { Vec::new() };
        (whole.writers, refused, changes)
    })
    .await
}
