//! The commits that a subagent made in its clone, kept as text: those where the clone stands, and those beside them, which are no
//! part of what comes back. None is lost without a word.

use reasonix_agent::Artifacts;
use reasonix_exec::Confinement;
use reasonix_exec::git::{CloneFault, Strand, commits_beside, commits_since};
use reasonix_proto::Phrase;
use std::path::Path;

/// More of a name is not shown.
const LONGEST_NAME: usize = 100;

/// What became of them.
#[derive(Default)]
pub(super) struct Commits {
    /// How many there are where the clone stands; all of them are part of what it changed.
    pub(super) own: usize,
    /// Some are beside those.
    pub(super) beside: bool,
    /// What the model reads of them.
    pub(super) told: String,
    /// What people read of those beside.
    pub(super) said: Vec<Phrase>,
    /// Where those beside can be read.
    pub(super) uri: Option<String>,
    /// Some are in the clone alone.
    pub(super) unkept: bool,
}

impl Commits {
    /// Keeps those of a clone where nobody is at work any more; none where there are none.
    pub(super) async fn of(
        root: &Path,
        commit: &str,
        confinement: &Confinement,
        artifacts: &dyn Artifacts,
    ) -> Option<Self> {
        let own = commits_since(root, commit, confinement).await;
        let beside = commits_beside(root, commit, confinement).await;
        if own.is_none() && beside.as_ref().is_ok_and(Vec::is_empty) {
            return None;
        }
        let mut commits = Self::default();
        if let Some(strand) = own {
            commits.own = strand.count;
            commits.told = match keep(&strand, artifacts) {
                Ok(uri) => format!(" Its {} commits are kept, for git am: {uri}.", strand.count),
                Err(why) => {
                    commits.unkept = true;
                    format!(" Its {} commits could not be kept ({why}).", strand.count)
                }
            };
        }
        commits.tell_beside(beside, artifacts);
        if commits.unkept {
            commits.told.push_str(" Its clone stays until the session ends.");
        }
        Some(commits)
    }

    fn tell_beside(&mut self, beside: Result<Vec<Strand>, CloneFault>, artifacts: &dyn Artifacts) {
        let strands = match beside {
            Ok(strands) => strands,
            Err(fault) => {
                self.unkept = true;
                self.told.push_str(&format!(" Whether it committed more cannot be told ({fault})."));
                return;
            }
        };
        self.beside = !strands.is_empty();
        let mut all = Vec::new();
        for strand in &strands {
            let (name, place) = place_of(strand);
            let phrase = |code: &'static str| Phrase::new(code).with("count", strand.count).with("name", &name);
            let kept = match keep(strand, artifacts) {
                Ok(uri) => {
                    self.said.push(phrase("engine.child_commits").with("uri", &uri));
                    let kept = format!("kept for git am: {uri}");
                    self.uri.get_or_insert(uri);
                    kept
                }
                Err(why) => {
                    self.unkept = true;
                    self.said.push(phrase("engine.child_unkept"));
                    format!("not kept: {why}")
                }
            };
            all.push(format!("{} {place} ({kept})", strand.count));
        }
        if self.beside {
            self.told.push_str(&format!(" Commits that are not merged: {}.", all.join(", ")));
        }
    }
}

fn keep(strand: &Strand, artifacts: &dyn Artifacts) -> Result<String, String> {
    let text = strand.text.as_ref().ok_or("they are too large")?;
    artifacts.put(text).map(|kept| kept.uri).map_err(|error| error.to_string())
}

/// What leads to them: its name, and where a model finds them. An agent chose the name.
fn place_of(strand: &Strand) -> (String, String) {
    let Some(full) = &strand.name else {
        return ("reflog".to_owned(), "that only its reflog had".to_owned());
    };
    let short = |name: &str| name.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect::<String>();
    match full.split_once('/').map_or(("", full.as_str()), |(_, rest)| rest.split_once('/').unwrap_or(("", rest))) {
        ("heads", name) => (short(name), format!("on branch {}", short(name))),
        ("tags", name) => (short(name), format!("under tag {}", short(name))),
        ("", "stash") => ("stash".to_owned(), "in its stash".to_owned()),
        _ => (short(full), format!("under {}", short(full))),
    }
}
